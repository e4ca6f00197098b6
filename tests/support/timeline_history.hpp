// SPDX-License-Identifier: Apache-2.0
// A timeline in the hands of somebody who does not look: what is done to it is done to the oracle
// too, and both are compared after every step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/cluster_counts.hpp"
#include "support/catch.hpp"
#include "support/oracle_time.hpp"
#include "support/random_job.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {

struct TimelineCounts {
    std::uint64_t done = 0;
    std::uint64_t refused = 0;
    std::uint64_t reserved = 0;
    std::uint64_t found = 0;  ///< of these, where and when earliest_start() said
};

/// What the world of a history has besides nodes. The oracle knows nothing of counts of CPUs.
struct TimelineWorld {
    bool counts_cpus = false;  ///< some partitions have max_cpus_per_node
};

class TimelineHistory {
  public:
    using Choices = testing::Choices;

    explicit TimelineHistory(Choices& choices, const TimelineWorld& world = {})
        : choices_(choices), oracle_(any_idle_cluster(choices, world)), timeline_(oracle_.idle()) {}

    [[nodiscard]] const TimelineCounts& counts() const { return counts_; }
    [[nodiscard]] const TimeOracle& oracle() const { return oracle_; }
    [[nodiscard]] const Timeline& timeline() const { return timeline_; }

    void run(std::uint64_t steps) {
        for (; steps > 0; --steps) step();
    }
    void step() {
        switch (choices_.below(8)) {
            case 0:
                return do_both([&](Timeline& t, OwnerId o) { return t.cancel(o).status(); },
                               [&](OwnerId o) { return oracle_.cancel(o); }, any_owner());
            case 1: {
                const Instant end = any_moment(12);
                return do_both([&](Timeline& t, OwnerId o) { return t.set_end(o, end); },
                               [&](OwnerId o) { return oracle_.set_end(o, end); }, any_owner());
            }
            case 2: {
                if (!choices_.one_in(3)) return;
                const std::int64_t to = oracle_.now() + static_cast<int>(choices_.below(3)) -
                                        (choices_.one_in(8) ? 1 : 0);
                if (to < 0) return;
                return do_both(
                    [&](Timeline& t, OwnerId) { return t.advance(Instant(to)).status(); },
                    [&](OwnerId) { return oracle_.advance(to); }, {});
            }
            case 3:
            case 4:
                return reserve_found();
            default:
                return reserve_anything();
        }
    }
    void reserve(const Allocation& allocation, const Period& period) {
        const std::uint64_t before = counts_.refused;
        do_both([&](Timeline& t, OwnerId) { return t.reserve(allocation, period); },
                [&](OwnerId) { return oracle_.reserve(allocation, period); }, allocation.owner);
        if (counts_.refused == before) ++counts_.reserved;
    }
    [[nodiscard]] Request any_request() {
        Request request = any_job(choices_, oracle_.idle(), {false, true});
        while (!check(request).ok()) request = any_job(choices_, oracle_.idle(), {false, true});
        return request;
    }
    [[nodiscard]] std::optional<Seconds> any_duration() {
        if (choices_.one_in(8)) return std::nullopt;
        return Seconds(1 + static_cast<int>(choices_.below(6)));
    }

  private:
    /// Nodes, partitions, counts, perhaps a network.
    [[nodiscard]] static Cluster any_idle_cluster(Choices& choices, const TimelineWorld& world) {
        Cluster cluster = any_job_world(choices, {4, choices.one_in(3)});
        for (const Allocation& one : cluster.allocations()) {
            static_cast<void>(cluster.release(one.owner));
        }
        auto partitions = cluster.partitions();
        for (Partition& one : partitions) {
            if (!world.counts_cpus) one.max_cpus_per_node.reset();
            one.max_time.reset();
        }
        REQUIRE(cluster.set_partitions(partitions).ok());
        return *Cluster::create(cluster.parts());
    }
    [[nodiscard]] OwnerId any_owner() { return OwnerId(1 + choices_.below(9)); }
    [[nodiscard]] Instant any_moment(std::uint64_t limit) {
        if (choices_.one_in(10)) return end_of_time;
        return Instant(static_cast<std::int64_t>(choices_.below(limit)));
    }
    void reserve_anything() {
        Placement placement;
        for (std::uint32_t n = 0; n < oracle_.idle().node_count(); ++n) {
            if (choices_.one_in(2)) continue;
            NodePlacement part = any_taken(choices_, oracle_.idle().shape(NodeId(n)));
            part.node = NodeId(n);
            if (choices_.one_in(4)) part.row = static_cast<std::uint32_t>(choices_.below(2));
            placement.nodes.push_back(std::move(part));
        }
        if (choices_.one_in(4)) placement.cluster_counts = {{"abaqus", Count(1)}};
        const Instant first = any_moment(10);
        reserve({any_owner(), {}, placement}, {first, any_moment(14)});
    }
    void reserve_found() {
        const Request request = any_request();
        const auto start =
            finder_.earliest_start(timeline_, request, {std::nullopt, any_duration(), {}});
        if (!start) return;
        ++counts_.found;
        reserve({any_owner(), request, start->placement}, start->period);
    }

    template <class OnTimeline, class OnOracle>
    void do_both(const OnTimeline& on_timeline, const OnOracle& on_oracle, OwnerId owner) {
        const Timeline before = timeline_;
        const Status status = on_timeline(timeline_, owner);
        INFO(status.ToString());
        REQUIRE(status.code() == on_oracle(owner));
        ++(status.ok() ? counts_.done : counts_.refused);
        if (!status.ok()) REQUIRE(timeline_ == before);
        compare();
    }
    void compare() const {
        REQUIRE(timeline_.now() == Instant(oracle_.now()));
        std::vector<TimedAllocation> all;
        for (const auto& [owner, one] : oracle_.all()) all.push_back(one);
        REQUIRE(timeline_.reservations() == all);
        for (std::int64_t at = oracle_.now(); at <= oracle_.last_end() + 1; ++at) {
            const auto then = timeline_.free_at(Instant(at));
            REQUIRE(then.ok());
            REQUIRE(*then == oracle_.at(at));
            REQUIRE(timeline_.free_counts({Instant(at), Instant(at + 8)}) == least_counts(at, 8));
        }
    }
    [[nodiscard]] std::vector<ClusterCount> least_counts(std::int64_t first,
                                                         std::int64_t seconds) const {
        std::vector<ClusterCount> least = oracle_.at(first).free_counts();
        for (std::int64_t at = first + 1; at < first + seconds; ++at) {
            for (ClusterCount& one : least) {
                one.count = std::min(one.count, count_of(oracle_.at(at).free_counts(), one.name));
            }
        }
        std::erase_if(least, [](const ClusterCount& one) { return one.count.is_zero(); });
        return least;
    }

    Choices& choices_;
    TimeOracle oracle_;
    Timeline timeline_;
    StartFinder finder_;
    TimelineCounts counts_;
};

}  // namespace trestle
