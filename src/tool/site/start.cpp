// SPDX-License-Identifier: Apache-2.0
#include "start.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle::tool {
namespace {

constexpr std::size_t ends_one_by_one = 128;

std::vector<RunningJob> by_end(const Site& site) {
    std::vector<RunningJob> jobs = site.running;
    std::erase_if(jobs, [](const RunningJob& job) { return !job.ends_in; });
    std::stable_sort(jobs.begin(), jobs.end(), [](const RunningJob& a, const RunningJob& b) {
        return *a.ends_in < *b.ends_in;
    });
    return jobs;
}

/// The cluster once the first `count` of the jobs have ended.
slurm::Controller after(const Site& site, const std::vector<RunningJob>& jobs, std::size_t count) {
    slurm::Controller controller = site.controller;
    for (std::size_t i = 0; i < count; ++i) (void)controller.release(jobs[i].owner);
    return controller;
}

/// How many of the jobs have ended at each moment at which some do, rising.
std::vector<std::size_t> moments_of(const std::vector<RunningJob>& jobs) {
    std::vector<std::size_t> moments;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (i + 1 == jobs.size() || jobs[i].ends_in != jobs[i + 1].ends_in)
            moments.push_back(i + 1);
    }
    return moments;
}

/// The first of the moments at which the job starts; moments.size(): none.
std::size_t first_start(const Site& site, const std::vector<RunningJob>& jobs,
                        const std::vector<std::size_t>& moments, const slurm::Submission& job) {
    slurm::Controller controller = site.controller;
    const std::size_t close = std::min(moments.size(), ends_one_by_one);
    std::size_t ended = 0;
    for (std::size_t i = 0; i < close; ++i) {
        for (; ended < moments[i]; ++ended) (void)controller.release(jobs[ended].owner);
        if (is_started(ask(controller, job))) return i;
    }
    const auto found = std::partition_point(moments.begin() + static_cast<std::ptrdiff_t>(close),
                                            moments.end(), [&](std::size_t count) {
                                                slurm::Controller later = after(site, jobs, count);
                                                return !is_started(ask(later, job));
                                            });
    return static_cast<std::size_t>(found - moments.begin());
}

/// Of the ended jobs those that have something of the nodes; all, where none has.
std::vector<RunningJob> in_the_way(const Cluster& cluster, std::vector<RunningJob> ended,
                                   const std::vector<slurm::Decision>& decisions) {
    std::vector<OwnerId> owners;
    for (const slurm::Decision& decision : decisions) {
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

}  // namespace

std::vector<slurm::Decision> ask(slurm::Controller& controller, const slurm::Submission& job) {
    auto decisions = controller.submit_all(job);
    if (!decisions.ok()) {
        slurm::Decision refused;
        refused.message = message(decisions.status());
        return {refused};
    }
    for (const slurm::Decision& decision : *decisions) {
        if (decision.owner) (void)controller.release(*decision.owner);
    }
    return *std::move(decisions);
}

bool is_started(const std::vector<slurm::Decision>& decisions) {
    return std::all_of(decisions.begin(), decisions.end(), [](const slurm::Decision& decision) {
        return decision.answer == slurm::Answer::allocated;
    });
}

StartAnswer find_start(const Site& site, const slurm::Submission& job) {
    StartAnswer answer;
    slurm::Controller now = site.controller;
    answer.now = ask(now, job);
    if (is_started(answer.now)) {
        answer.starts_in = Seconds(0);
        answer.then = answer.now;
        answer.may_ever_start = true;
        answer.on_idle = answer.now;
        return answer;
    }
    slurm::Controller idle = after(site, site.running, site.running.size());
    answer.on_idle = ask(idle, job);
    answer.may_ever_start = is_started(answer.on_idle);
    if (!answer.may_ever_start) return answer;
    std::vector<RunningJob> jobs = by_end(site);
    const auto moments = moments_of(jobs);
    const std::size_t found = first_start(site, jobs, moments, job);
    if (found == moments.size()) return answer;
    slurm::Controller then = after(site, jobs, moments[found]);
    answer.then = ask(then, job);
    jobs.resize(moments[found]);
    answer.starts_in = jobs.back().ends_in;
    answer.waits_for = in_the_way(site.controller.cluster(), std::move(jobs), answer.then);
    return answer;
}

}  // namespace trestle::tool
