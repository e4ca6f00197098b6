// SPDX-License-Identifier: Apache-2.0
// Laws of a job: whatever steps and resizes come, it says what a plain model says, the nodes that
// stay are untouched, and it agrees with the cluster.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alloc/node/job/job_devices.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/job_steps.hpp"
#include "trestle/alloc/node/job/job.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::for_random_choices;

constexpr std::uint32_t nodes_in_law = 4;

Cluster law_cluster() {
    auto cluster = testing::cluster_from_text("4 x (2s3c2t mem=8G gpu:2/4 gpu:a100:1 nic:1)");
    REQUIRE(cluster.ok());
    return *std::move(cluster);
}

/// A unit of a node and how much of it there is: `c3` a core, `m0` a GiB, `d1` a share.
using Units = std::map<std::string, std::int64_t>;

Units units_of(const NodePlacement& part) {
    Units units;
    for (const CoreId core : part.cores) units["c" + to_text(core)] = 1;
    for (const MemoryShare& share : part.memory) {
        units["m" + to_text(share.domain)] = share.bytes.value();
    }
    for (const DeviceShare& share : part.devices) {
        units["d" + to_text(share.device)] = share.shares.value();
    }
    return units;
}

/// Any part of a node, or of what `limit` has there: each unit by chance.
NodePlacement any_part(Choices& choices, const NodeShape& shape, NodeId node,
                       const NodePlacement* limit) {
    NodePlacement part;
    part.node = node;
    const CoreSet cores = limit ? limit->cores : shape.hardware.all_cores();
    for (const CoreId core : cores) {
        if (choices.one_in(2)) part.cores.insert(core);
    }
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        const auto bytes = gib(choices.in(Interval<std::int64_t>{0, limit ? 3 : 5}));
        if (!bytes.is_zero()) part.memory.push_back({DomainId(i), bytes});
    }
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        const auto all = shape.devices[i].shares.value();
        const auto shares = Count(choices.in(Interval<std::int64_t>{0, all + 1}));
        if (!shares.is_zero()) part.devices.push_back({DeviceId(i), shares});
    }
    return part;
}

/// Who has what, unit by unit, as plainly as it can be written.
class JobModel {
  public:
    void add_node(const NodePlacement& granted) { granted_[granted.node] = units_of(granted); }
    /// Nothing when a step runs there or the job does not have the node.
    [[nodiscard]] bool remove_node(NodeId node) {
        for (const auto& [id, parts] : steps_) {
            if (parts.units.count(node) != 0) return false;
        }
        return granted_.erase(node) != 0;
    }
    [[nodiscard]] bool start(const JobStep& step) {
        if (steps_.count(step.id) != 0 || step.placement.nodes.empty()) return false;
        for (const NodePlacement& part : step.placement.nodes) {
            if (granted_.count(part.node) == 0) return false;
            for (const auto& [unit, amount] : units_of(part)) {
                const bool is_shared = step.use == JobStep::Use::overlap;
                if (amount > granted(part.node, unit) - (is_shared ? 0 : taken(part.node, unit))) {
                    return false;
                }
            }
        }
        Parts& parts = steps_[step.id];
        parts.use = step.use;
        for (const auto& part : step.placement.nodes) parts.units[part.node] = units_of(part);
        return true;
    }
    [[nodiscard]] bool end(StepId id) { return steps_.erase(id) != 0; }

    /// What of the unit no step has.
    [[nodiscard]] std::int64_t left(NodeId node, const std::string& unit) const {
        return granted(node, unit) - taken(node, unit);
    }
    [[nodiscard]] const std::map<NodeId, Units>& nodes() const { return granted_; }
    [[nodiscard]] std::size_t step_count() const { return steps_.size(); }

  private:
    struct Parts {
        JobStep::Use use = JobStep::Use::alone;
        std::map<NodeId, Units> units;
    };

    [[nodiscard]] std::int64_t granted(NodeId node, const std::string& unit) const {
        const auto at = granted_.at(node).find(unit);
        return at == granted_.at(node).end() ? 0 : at->second;
    }
    [[nodiscard]] std::int64_t taken(NodeId node, const std::string& unit) const {
        std::int64_t sum = 0;
        for (const auto& [id, parts] : steps_) {
            if (parts.use == JobStep::Use::overlap) continue;
            const auto at = parts.units.find(node);
            if (at != parts.units.end() && at->second.count(unit)) sum += at->second.at(unit);
        }
        return sum;
    }

    std::map<NodeId, Units> granted_;
    std::map<StepId, Parts> steps_;
};

/// The units of the job that no step has, as the job says.
Units free_units(const JobNode& node) {
    NodePlacement free;
    free.cores = node.free.cores;
    free.memory = node.free.memory;
    free.devices = node.free.devices;
    return units_of(free);
}

void check_agrees(const JobState& job, const JobModel& model) {
    REQUIRE(job.nodes().size() == model.nodes().size());
    REQUIRE(job.steps().size() == model.step_count());
    for (const JobNode& node : job.nodes()) {
        const NodeId id = node.granted.node;
        REQUIRE(units_of(node.granted) == model.nodes().at(id));
        Units left;
        for (const auto& [unit, amount] : model.nodes().at(id)) {
            if (model.left(id, unit) != 0) left[unit] = model.left(id, unit);
        }
        REQUIRE(free_units(node) == left);
        Count shares;
        Count in_steps;
        for (const JobDevices& kind : devices_of(node)) {
            shares += kind.count;
            in_steps += kind.step_count;
        }
        for (const DeviceShare& share : node.free.devices) in_steps += share.shares;
        REQUIRE(shares == in_steps);
    }
}

/// A step by hand on any nodes, or one that place_step() finds.
std::optional<JobStep> any_step(Choices& choices, const Cluster& cluster, const JobState& job) {
    JobStep step;
    step.id = StepId(static_cast<std::uint32_t>(choices.below(6)));
    step.use = choices.one_in(4) ? JobStep::Use::overlap : JobStep::Use::alone;
    if (choices.one_in(2)) {
        Request request;
        request.nodes = Range<Count>::exactly(Count(choices.in(Interval<std::int64_t>{1, 3})));
        request.cpus_per_task =
            Range<Count>::exactly(Count(choices.in(Interval<std::int64_t>{1, 5})));
        request.memory = Range<Bytes>::exactly(gib(choices.in(Interval<std::int64_t>{0, 2})));
        if (choices.one_in(2)) request.devices = {DeviceRequest{}};
        if (choices.one_in(2) && !request.devices.empty()) request.devices[0].shares = Count(1);
        const auto placed = place_step(job, request, {step.use, {}});
        if (!placed) return std::nullopt;
        step.placement = *placed;
        REQUIRE(JobState(job).start({StepId(99), step.use, *placed}).ok());
        return step;
    }
    for (std::uint32_t i = 0; i < nodes_in_law; ++i) {
        const JobNode* node = job.find_node(NodeId(i));
        if (!choices.one_in(node == nullptr ? 8 : 2)) continue;
        const NodePlacement* limit =
            node != nullptr && !choices.one_in(8) ? &node->granted : nullptr;
        step.placement.nodes.push_back(
            any_part(choices, *cluster.node(NodeId(i)).shape, NodeId(i), limit));
    }
    return step;
}

/// One job, its model, and the cluster that it lives in.
struct World {
    Cluster idle = law_cluster();
    Cluster cluster = idle;
    JobState job;
    JobModel model;
    std::uint64_t started = 0;
    std::uint64_t refused = 0;
    std::uint64_t resized = 0;

    /// All nodes but `id` are what they were.
    void check_others(const JobState& before, NodeId id) const {
        for (const JobNode& node : before.nodes()) {
            if (node.granted.node == id) continue;
            REQUIRE(job.find_node(node.granted.node) != nullptr);
            REQUIRE(*job.find_node(node.granted.node) == node);
        }
        REQUIRE(job.steps() == before.steps());
    }

    void start(Choices& choices) {
        const auto step = any_step(choices, idle, job);
        if (!step) return;
        const JobState before = job;
        const bool is_ok = job.start(*step).ok();
        REQUIRE(is_ok == model.start(*step));
        ++(is_ok ? started : refused);
        if (!is_ok) REQUIRE(job == before);
        if (!is_ok || !choices.one_in(2)) return;
        JobState undone = job;
        REQUIRE(undone.end(step->id).ok());
        REQUIRE(undone == before);
    }
    void end(Choices& choices) {
        const StepId id(static_cast<std::uint32_t>(choices.below(6)));
        REQUIRE(job.end(id).ok() == model.end(id));
    }
    void remove(Choices& choices) {
        const NodeId id(static_cast<std::uint32_t>(choices.below(nodes_in_law)));
        const JobState before = job;
        const auto part = job.remove_node(id);
        REQUIRE(part.ok() == model.remove_node(id));
        if (!part.ok()) {
            REQUIRE(job == before);
            return;
        }
        ++resized;
        check_others(before, id);
        REQUIRE(cluster.release_part(job.owner(), *part).ok());
        if (!choices.one_in(2)) return;
        JobState undone = job;
        REQUIRE(undone.add_node(idle.node(id), part->nodes[0]).ok());
        REQUIRE(undone == before);
    }
    void add(Choices& choices) {
        const NodeId id(static_cast<std::uint32_t>(choices.below(nodes_in_law)));
        NodePlacement granted = any_part(choices, *idle.node(id).shape, id, nullptr);
        for (MemoryShare& share : granted.memory) share.bytes = std::min(share.bytes, gib(4));
        const bool is_empty =
            granted.cores.is_empty() && granted.memory.empty() && granted.devices.empty();
        if (is_empty) return;
        const JobState before = job;
        const bool is_ok = job.add_node(idle.node(id), granted).ok();
        REQUIRE(is_ok == (before.find_node(id) == nullptr));
        if (!is_ok) {
            REQUIRE(job == before);
            return;
        }
        ++resized;
        model.add_node(granted);
        check_others(before, id);
        if (!before.nodes().empty()) REQUIRE(cluster.release(job.owner()).ok());
        REQUIRE(cluster.commit(job.allocation()).ok());
    }
    void check_cluster() const {
        const Allocation* found = cluster.find_allocation(job.owner());
        REQUIRE((found == nullptr) == job.nodes().empty());
        if (found != nullptr) REQUIRE(*found == job.allocation());
    }
};

}  // namespace

TEST_CASE("law: steps and resizes leave a job what the plain model says, in step with the cluster",
          "[law]") {
    INFO("seed " << test_seed());
    std::uint64_t started = 0;
    std::uint64_t refused = 0;
    std::uint64_t resized = 0;
    for_random_choices({test_seed(), test_rounds(60u)}, [&](Choices& choices) {
        World world;
        for (int i = 0; i < 60; ++i) {
            switch (choices.below(6)) {
                case 0:
                    world.add(choices);
                    break;
                case 1:
                    world.remove(choices);
                    break;
                case 2:
                    world.end(choices);
                    break;
                default:
                    world.start(choices);
            }
            INFO(to_text(world.job));
            check_agrees(world.job, world.model);
            world.check_cluster();
        }
        while (!world.job.steps().empty()) {
            REQUIRE(world.job.end(world.job.steps().front().id).ok());
        }
        while (!world.job.nodes().empty()) {
            const auto part = world.job.remove_node(world.job.nodes().back().granted.node);
            REQUIRE(part.ok());
            REQUIRE(world.cluster.release_part(world.job.owner(), *part).ok());
        }
        REQUIRE(world.cluster == world.idle);
        REQUIRE(world.job == JobState());
        started += world.started;
        refused += world.refused;
        resized += world.resized;
    });
    CHECK(started > test_rounds(100u));
    CHECK(refused > test_rounds(100u));
    CHECK(resized > test_rounds(100u));
}

}  // namespace trestle
