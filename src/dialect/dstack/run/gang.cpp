// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/run/gang.hpp"

#include <algorithm>
#include <array>

#include "trestle/base/contract.hpp"

namespace trestle::dstack {
namespace {

constexpr std::array<StartupRule, 6> startup_table{{
    {StartupOrder::any, GangRole::master, GangPart::none},
    {StartupOrder::any, GangRole::worker, GangPart::none},
    {StartupOrder::master_first, GangRole::master, GangPart::none},
    {StartupOrder::master_first, GangRole::worker, GangPart::master},
    {StartupOrder::workers_first, GangRole::master, GangPart::workers},
    {StartupOrder::workers_first, GangRole::worker, GangPart::none},
}};

constexpr std::array<StopRule, 8> stop_table{{
    {StopCriteria::all_done, GangRole::master, true, GangPart::none},
    {StopCriteria::all_done, GangRole::worker, true, GangPart::none},
    {StopCriteria::all_done, GangRole::master, false, GangPart::all},
    {StopCriteria::all_done, GangRole::worker, false, GangPart::all},
    {StopCriteria::master_done, GangRole::master, true, GangPart::all},
    {StopCriteria::master_done, GangRole::worker, true, GangPart::none},
    {StopCriteria::master_done, GangRole::master, false, GangPart::all},
    {StopCriteria::master_done, GangRole::worker, false, GangPart::all},
}};

[[nodiscard]] GangRole role_of(std::size_t rank) {
    return rank == 0 ? GangRole::master : GangRole::worker;
}

[[nodiscard]] bool is_in(GangPart part, std::size_t rank) {
    if (part == GangPart::all) return true;
    return part == (rank == 0 ? GangPart::master : GangPart::workers);
}

[[nodiscard]] bool has_started(JobStatus status) { return status >= JobStatus::running; }

/// All jobs that the job waits for have started.
[[nodiscard]] bool may_start(StartupOrder order, std::size_t rank,
                             std::span<const JobStatus> jobs) {
    const auto rule = std::find_if(
        startup_table.begin(), startup_table.end(),
        [&](const StartupRule& one) { return one.order == order && one.role == role_of(rank); });
    for (std::size_t other = 0; other < jobs.size(); ++other) {
        if (is_in(rule->waits_for, other) && !has_started(jobs[other])) return false;
    }
    return true;
}

/// The jobs that the end of the job stops.
[[nodiscard]] GangPart stopped_by(StopCriteria criteria, std::size_t rank, JobStatus status) {
    if (!is_ended(status)) return GangPart::none;
    const bool is_done = status == JobStatus::done;
    const auto rule = std::find_if(stop_table.begin(), stop_table.end(), [&](const StopRule& one) {
        return one.criteria == criteria && one.role == role_of(rank) && one.is_done == is_done;
    });
    return rule->stops;
}

[[nodiscard]] std::optional<JobStatus> outcome_of(StopCriteria criteria,
                                                  std::span<const JobStatus> jobs) {
    if (criteria == StopCriteria::master_done && jobs[0] == JobStatus::done) return jobs[0];
    for (const JobStatus bad : {JobStatus::aborted, JobStatus::failed, JobStatus::terminated}) {
        if (std::find(jobs.begin(), jobs.end(), bad) != jobs.end()) return bad;
    }
    const bool all_done =
        std::all_of(jobs.begin(), jobs.end(), [](JobStatus job) { return job == JobStatus::done; });
    return all_done ? std::optional(JobStatus::done) : std::nullopt;
}

}  // namespace

std::span<const StartupRule> startup_rules() { return startup_table; }

std::span<const StopRule> stop_rules() { return stop_table; }

GangStep gang_step(StartupOrder order, StopCriteria criteria, std::span<const JobStatus> jobs) {
    TRESTLE_EXPECTS(!jobs.empty(), "a run has a job");
    GangStep step;
    step.outcome = outcome_of(criteria, jobs);
    bool stops_master = false;
    bool stops_workers = false;
    for (std::size_t rank = 0; rank < jobs.size(); ++rank) {
        const GangPart part = stopped_by(criteria, rank, jobs[rank]);
        stops_master |= is_in(part, 0);
        stops_workers |= is_in(part, 1);
    }
    const bool is_stopping = stops_master || stops_workers;
    for (std::size_t rank = 0; rank < jobs.size(); ++rank) {
        const auto number = static_cast<std::uint32_t>(rank);
        if (rank == 0 ? stops_master : stops_workers) {
            if (jobs[rank] < JobStatus::terminating) step.must_stop.push_back(number);
        } else if (!is_stopping && !has_started(jobs[rank]) && may_start(order, rank, jobs)) {
            step.may_start.push_back(number);
        }
    }
    return step;
}

}  // namespace trestle::dstack
