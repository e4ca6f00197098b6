// SPDX-License-Identifier: Apache-2.0
#include "asker.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/dialect/slurm/live/start.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::slurm {
namespace {

constexpr std::size_t ends_one_by_one = 128;  ///< where a reservation is to begin
constexpr std::size_t ends_close = 16;        ///< elsewhere

std::vector<RunningJob> by_end(const LiveCluster& live) {
    std::vector<RunningJob> jobs = live.running;
    std::erase_if(jobs, [](const RunningJob& job) { return !job.ends_in; });
    std::stable_sort(jobs.begin(), jobs.end(), [](const RunningJob& a, const RunningJob& b) {
        return *a.ends_in < *b.ends_in;
    });
    return jobs;
}

/// A moment at which something ends.
struct Moment {
    Seconds at;
    std::size_t ended = 0;  ///< how many jobs have ended by then
};

/// What a job beyond its limit has is free in a second at the earliest. Requires: it has an end.
Seconds end_of(const RunningJob& job) { return std::max(*job.ends_in, Seconds(1)); }

/// All of them, rising: ends of the jobs, which are in this order, and of reservations.
std::vector<Moment> moments_of(const LiveCluster& live, const std::vector<RunningJob>& jobs) {
    std::vector<Seconds> times;
    for (const RunningJob& job : jobs) times.push_back(end_of(job));
    for (const LiveReservation& one : live.reservations) {
        if (one.ends_in > Seconds(0)) times.push_back(one.ends_in);
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    std::vector<Moment> moments;
    std::size_t ended = 0;
    for (const Seconds time : times) {
        while (ended < jobs.size() && end_of(jobs[ended]) <= time) ++ended;
        moments.push_back({time, ended});
    }
    return moments;
}

/// An asker that goes from moment to moment.
class Clock {
  public:
    explicit Clock(const LiveCluster& live) : asker_(live) {}

    /// Requires: the moment is not before the last one.
    void go_to(const std::vector<RunningJob>& jobs, const Moment& moment) {
        for (; ended_ < moment.ended; ++ended_) asker_.end(jobs[ended_]);
        asker_.go_to(moment.at);
    }
    std::vector<Decision> ask(const Submission& job) { return asker_.ask(job); }

  private:
    Asker asker_;
    std::size_t ended_ = 0;
};

/// The first of the moments at which the job starts; moments.size(): none. What has started once is
/// taken to start later too, beyond the moments that are asked one by one: these are few where no
/// reservation is to begin.
std::size_t first_start(const LiveCluster& live, const std::vector<RunningJob>& jobs,
                        const std::vector<Moment>& moments, const Submission& job) {
    const bool begins_one =
        std::any_of(live.reservations.begin(), live.reservations.end(),
                    [](const LiveReservation& one) { return !one.starts_in.is_zero(); });
    Clock clock(live);
    std::size_t low = std::min(moments.size(), begins_one ? ends_one_by_one : ends_close);
    for (std::size_t i = 0; i < low; ++i) {
        clock.go_to(jobs, moments[i]);
        if (is_started(clock.ask(job))) return i;
    }
    std::size_t high = moments.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        Clock later = clock;
        later.go_to(jobs, moments[middle]);
        if (is_started(later.ask(job))) {
            high = middle;
        } else {
            clock = std::move(later);
            low = middle + 1;
        }
    }
    return high;
}

/// Of the ended jobs those that have something of the nodes; all, where none has.
std::vector<RunningJob> in_the_way(const Cluster& cluster, std::vector<RunningJob> ended,
                                   const std::vector<Decision>& decisions) {
    std::vector<OwnerId> owners;
    for (const Decision& decision : decisions) {
        for (const NodePlacement& part : decision.placement.nodes) {
            const auto there = cluster.owners_on(part.node);
            owners.insert(owners.end(), there.begin(), there.end());
        }
    }
    std::sort(owners.begin(), owners.end());
    std::vector<RunningJob> found = ended;
    std::erase_if(found, [&](const RunningJob& job) {
        return !std::binary_search(owners.begin(), owners.end(), job.owner);
    });
    return found.empty() ? ended : found;
}

/// How long the component may run; absent: for ever.
std::optional<Seconds> limit_of_component(const Controller& controller, const JobOptions& options) {
    if (options.time) return options.time->limit;
    const auto& named = options.partitions;
    for (const PartitionLine& line : controller.rules().partitions) {
        const bool is_its = named.empty() ? line.is_default : line.name == named.front();
        if (is_its) return line.default_time ? line.default_time : line.max_time;
    }
    return std::nullopt;
}

}  // namespace

Asker::Asker(const LiveCluster& live)
    : controller_(live.controller), reservations_(live.reservations) {}

void Asker::end(const RunningJob& job) { (void)controller_.release(job.owner); }

std::vector<Decision> Asker::start(const Submission& job) {
    Submission asked = job;
    for (JobComponent& component : asked.components) {
        JobOptions& options = component.options;
        const auto limit = limit_of_component(controller_, options);
        std::string excluded = options.exclude ? to_text(*options.exclude) : "";
        for (const LiveReservation& one : reservations_) {
            const auto& named = options.reservations;
            const bool is_its = std::find(named.begin(), named.end(), one.name) != named.end();
            const bool is_over = one.ends_in <= at_;
            const bool is_behind = limit && one.starts_in >= saturating_add(at_, *limit);
            if (is_its || is_over || is_behind || one.nodes.empty()) continue;
            excluded += (excluded.empty() ? "" : ",") + one.nodes;
        }
        auto list = Hostlist::parse(excluded);
        if (!excluded.empty() && list.ok()) options.exclude = *std::move(list);
    }
    auto decisions = controller_.submit_all(asked);
    if (!decisions.ok()) {
        Decision refused;
        refused.message = message(decisions.status());
        return {refused};
    }
    return *std::move(decisions);
}

std::vector<Decision> Asker::ask(const Submission& job) {
    std::vector<Decision> decisions = start(job);
    end(decisions);
    return decisions;
}

void Asker::end(const std::vector<Decision>& started) {
    for (const Decision& decision : started) {
        if (decision.owner) (void)controller_.release(*decision.owner);
    }
}

std::optional<Seconds> limit_of_job(const Controller& controller, const Submission& job) {
    std::optional<Seconds> longest = Seconds(0);
    for (const JobComponent& component : job.components) {
        const auto limit = limit_of_component(controller, component.options);
        longest = limit && longest ? std::optional(std::max(*limit, *longest)) : std::nullopt;
    }
    return longest;
}

bool is_started(const std::vector<Decision>& decisions) {
    return std::all_of(decisions.begin(), decisions.end(), [](const Decision& decision) {
        return decision.answer == Answer::allocated;
    });
}

StartAnswer where(const LiveCluster& live, const Submission& job) {
    StartAnswer answer;
    answer.now = Asker(live).ask(job);
    if (is_started(answer.now)) {
        answer.starts_in = Seconds(0);
        answer.then = answer.now;
        answer.may_ever_start = true;
        answer.on_idle = answer.now;
        return answer;
    }
    Asker idle(live);
    for (const RunningJob& one : live.running) idle.end(one);
    idle.drop_reservations();
    answer.on_idle = idle.ask(job);
    answer.may_ever_start = is_started(answer.on_idle);
    if (!answer.may_ever_start) return answer;
    std::vector<RunningJob> jobs = by_end(live);
    const auto moments = moments_of(live, jobs);
    const std::size_t found = first_start(live, jobs, moments, job);
    if (found == moments.size()) return answer;
    Clock clock(live);
    clock.go_to(jobs, moments[found]);
    answer.then = clock.ask(job);
    answer.starts_in = moments[found].at;
    jobs.resize(moments[found].ended);
    answer.waits_for = in_the_way(live.controller.cluster(), std::move(jobs), answer.then);
    return answer;
}

}  // namespace trestle::slurm
