// SPDX-License-Identifier: Apache-2.0
// A small scheduler: an inventory in JSON, a queue with backfill, preemption for an urgent job,
// limits on machines in memory, and a restart from saved state in between.
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/schedule/preemption.hpp"
#include "trestle/alloc/schedule/queue_bytes.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/alloc/schedule/timeline_bytes.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/enforce/memory_enforcer.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/model/node_builder.hpp"

using namespace trestle;

namespace {

constexpr const char* inventory = R"([
    {"name": "gpu0", "packages": 2, "cores_per_package": 8, "memory": 137438953472,
     "devices": [{"name": "gpu", "type": "a100", "count": 4}]},
    {"name": "gpu1", "packages": 2, "cores_per_package": 8, "memory": 137438953472,
     "devices": [{"name": "gpu", "type": "a100", "count": 4}]}
])";

constexpr std::int64_t minute = 60;

std::int64_t minutes(Instant at) { return at.value() / minute; }

std::string group_of(OwnerId owner) { return fmt::format("job_{}", owner); }

QueuedJob job(std::uint64_t owner, std::int64_t nodes, std::int64_t gpus, std::int64_t duration) {
    Request request{.nodes = Range<Count>::exactly(Count(nodes)),
                    .cpus_per_task = Range<Count>::exactly(Count(6)),
                    .memory = Range<Bytes>::exactly(16_GiB)};
    if (gpus > 0) request.devices = {{.count = Range<Count>::exactly(Count(gpus))}};
    return {OwnerId(owner), request, Seconds(duration * minute)};
}

/// What a restart needs. The machines keep the processes.
struct State {
    Timeline timeline;
    std::vector<QueuedJob> queue;

    friend bool operator==(const State&, const State&) = default;
};

/// The bytes of the timeline and of the queue, as two files would hold them.
using SavedState = std::pair<std::vector<std::uint8_t>, std::vector<std::uint8_t>>;

SavedState save(const State& state) {
    return {to_bytes(state.timeline), to_bytes(SavedQueue{.jobs = state.queue})};
}

StatusOr<State> restore(const SavedState& saved) {
    TRESTLE_TRY(Timeline timeline, timeline_from_bytes(saved.first));
    TRESTLE_TRY(SavedQueue queue, queue_from_bytes(saved.second));
    return State{std::move(timeline), std::move(queue.jobs)};
}

using Machines = std::map<NodeId, MemoryEnforcer>;

class Scheduler {
  public:
    Scheduler(State state, Machines& machines) : state_(std::move(state)), machines_(machines) {}

    [[nodiscard]] const State& state() const { return state_; }

    void submit(const QueuedJob& job) { state_.queue.push_back(job); }

    /// Starts the jobs that can start now without delaying the first one that cannot.
    Status run_pass() {
        TRESTLE_TRY(const PassResult pass,
                    schedule_pass(state_.timeline, state_.queue, Discipline::easy()));
        for (const PassResult::Waiting& waiting : pass.waiting) {
            print(state_.queue[waiting.job].owner,
                  waiting.until ? fmt::format("waits until minute {}", minutes(*waiting.until))
                                : "waits: " + waiting.why.reason);
        }
        for (const TimedAllocation& one : pass.starts) TRESTLE_TRY_STATUS(start(one));
        return {};
    }

    /// Starts the job now. The jobs in its way that lose the fewest GPU minutes go back into the
    /// queue.
    Status run_urgent(const QueuedJob& job) {
        std::vector<PreemptionPlan::Victim> victims;
        for (const TimedAllocation& one : state_.timeline.reservations()) {
            std::int64_t gpus = 0;
            for (const NodePlacement& part : one.allocation.placement.nodes) {
                gpus += part.device_set().count();
            }
            const std::int64_t lost = gpus * (minutes(now()) - minutes(one.period.first));
            victims.push_back({.owner = one.allocation.owner, .cost = lost});
        }
        const auto found = plan_preemption(state_.timeline.cluster(), job.request, victims);
        if (!found) return failed_precondition("job {}: {}", job.owner, found.refusal().reason);
        for (const PreemptionPlan::Victim& victim : found->victims) {
            TRESTLE_TRY(const TimedAllocation ended, state_.timeline.cancel(victim.owner));
            TRESTLE_TRY_STATUS(stop(ended.allocation, "is preempted"));
            submit({victim.owner, PreparedRequest(ended.allocation.request),
                    ended.period.end - ended.period.first});
        }
        return start({{job.owner, job.request, found->placement}, period_of(now(), job.duration)});
    }

    /// Lets time pass until the next job ends. False if no job runs.
    StatusOr<bool> advance_to_next_end() {
        const std::optional<Instant> to = state_.timeline.next_change();
        if (!to) return false;
        TRESTLE_TRY(const Timeline::Advance passed, state_.timeline.advance(*to));
        for (const TimedAllocation& one : passed.ended) {
            TRESTLE_TRY_STATUS(stop(one.allocation, "ends"));
        }
        return true;
    }

  private:
    [[nodiscard]] Instant now() const { return state_.timeline.now(); }

    void print(OwnerId owner, const std::string& what) const {
        fmt::print("{:>3}  job {} {}\n", minutes(now()), owner, what);
    }

    Status start(const TimedAllocation& one) {
        const auto& [owner, request, placement] = one.allocation;
        TRESTLE_TRY_STATUS(state_.timeline.reserve(one.allocation, one.period));
        std::erase_if(state_.queue,
                      [&](const QueuedJob& job) { return job.owner == one.allocation.owner; });
        for (const NodePlacement& part : placement.nodes) {
            const Node node = state_.timeline.cluster().node(part.node);
            TRESTLE_TRY(const Plan limited, plan(node, part, *request, LimitPolicy{},
                                                 {.group = group_of(owner), .owner = owner}));
            TRESTLE_TRY_STATUS(machines_[part.node].apply(limited));
            TRESTLE_TRY_STATUS(machines_[part.node].spawn(limited, {.arguments = {"train"}}));
            print(owner, "starts on " + to_text(part, node));
        }
        return {};
    }

    Status stop(const Allocation& ended, const char* why) {
        print(ended.owner, why);
        for (const NodePlacement& part : ended.placement.nodes) {
            TRESTLE_TRY_STATUS(machines_[part.node].remove(group_of(ended.owner)));
        }
        return {};
    }

    State state_;
    Machines& machines_;
};

StatusOr<Cluster> read_inventory(const char* text) {
    TRESTLE_TRY(const auto descriptions, json::from_json_text<std::vector<NodeDescription>>(text));
    ClusterParts parts;
    for (const NodeDescription& description : descriptions) {
        TRESTLE_TRY(parts.nodes.emplace_back(), make_node(description));
    }
    return Cluster::create(parts);
}

/// Prints which groups a restarted scheduler finds on the machines.
Status print_groups(Machines& machines, const State& state) {
    for (auto& [id, machine] : machines) {
        TRESTLE_TRY(const auto groups, machine.recover());
        for (const GroupState& group : groups) {
            const bool is_known = group.owner && state.timeline.find_allocation(*group.owner);
            fmt::print("     {} on {}: {}, memory.max={}\n", group.group,
                       state.timeline.cluster().name(id), is_known ? "known" : "unknown",
                       machine.groups().at(group.group).files().at("memory.max"));
        }
    }
    return {};
}

Status run() {
    TRESTLE_TRY(const Cluster cluster, read_inventory(inventory));
    Machines machines;
    Scheduler before({Timeline(cluster), {}}, machines);
    before.submit(job(1, 1, 4, 60));
    before.submit(job(2, 2, 4, 60));
    before.submit(job(3, 1, 2, 30));
    before.submit(job(4, 1, 2, 90));
    before.submit(job(5, 1, 0, 10));
    TRESTLE_TRY_STATUS(before.run_pass());
    TRESTLE_TRY_STATUS(before.advance_to_next_end());
    TRESTLE_TRY_STATUS(before.run_urgent(job(6, 1, 4, 20)));

    TRESTLE_TRY(const State restored, restore(save(before.state())));
    fmt::print("     restored, equal: {}\n", restored == before.state());
    TRESTLE_TRY_STATUS(print_groups(machines, restored));
    Scheduler after(restored, machines);
    for (bool is_running = true; is_running;) {
        TRESTLE_TRY_STATUS(after.run_pass());
        TRESTLE_TRY(is_running, after.advance_to_next_end());
    }
    return {};
}

}  // namespace

int main() {
    const Status status = run();
    if (status.ok()) return 0;
    fmt::print(stderr, "mini_scheduler: {}\n", message(status));
    return 1;
}
