// SPDX-License-Identifier: Apache-2.0
// plan_compaction() without thinking: all sequences of moves, one after the other, breadth first; a
// move is any owner that has not moved and has a request, to what place() gives it on any set of
// nodes. For few nodes and owners.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/schedule/compaction_plan.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

class CompactionOracle {
  public:
    CompactionOracle(const Cluster& cluster, const Request& request, std::vector<OwnerId> movable,
                     bool is_live, std::optional<NodeSet> destinations = {},
                     PlaceOptions options = {}, NodeFilter filter = {})
        : cluster_(cluster),
          request_(request),
          movable_(std::move(movable)),
          is_live_(is_live),
          destinations_(std::move(destinations)),
          options_(std::move(options)),
          filter_(std::move(filter)) {}

    /// The fewest moves, at most so many, after which the request fits.
    [[nodiscard]] std::optional<std::size_t> fewest(std::size_t moves_max) const {
        std::vector<World> worlds{{cluster_, 0}};
        for (std::size_t moves = 0;; ++moves) {
            for (const World& one : worlds) {
                if (place(one.cluster, request_, options_, filter_)) return moves;
            }
            if (moves == moves_max) return std::nullopt;
            std::vector<World> next;
            for (const World& one : worlds) add_moves(one, next);
            worlds = std::move(next);
        }
    }

    /// What the owner can be given in this cluster: all there is for any nodes.
    [[nodiscard]] std::vector<Placement> destinations(const Cluster& cluster, OwnerId owner) const {
        Allocation held;
        const Cluster without = lifted(cluster, owner, held);
        if (*held.request == Request()) return {};
        std::vector<Placement> found;
        for (std::uint32_t bits = 1; bits < 1u << cluster.node_count(); ++bits) {
            NodeSet nodes;
            for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
                const bool is_open = !destinations_ || destinations_->contains(NodeId(i));
                if ((bits >> i & 1u) != 0 && is_open) nodes.insert(NodeId(i));
            }
            const auto to = place(without, *held.request, options_, {&nodes});
            if (!to || *to == held.placement || gives_less(cluster, *to, held.placement)) continue;
            if (std::find(found.begin(), found.end(), *to) == found.end()) found.push_back(*to);
        }
        return found;
    }

    /// Where place() puts the owner of all nodes, when that is a move.
    [[nodiscard]] std::optional<Placement> preferred(const Cluster& cluster, OwnerId owner) const {
        Allocation held;
        const Cluster without = lifted(cluster, owner, held);
        if (*held.request == Request()) return {};
        const auto to =
            place(without, *held.request, options_, {destinations_ ? &*destinations_ : nullptr});
        if (!to || *to == held.placement || gives_less(cluster, *to, held.placement)) return {};
        return *to;
    }

    /// True when the move can be made now.
    [[nodiscard]] bool is_feasible(const Cluster& cluster, const CompactionPlan::Move& move) const {
        Allocation held;
        Cluster without = lifted(cluster, move.owner, held);
        const bool is_held = without.find_allocation(move.owner) != nullptr;
        const OwnerId owner = is_held ? OwnerId(1'000'000) : move.owner;
        return held.placement == move.from && move.to != move.from &&
               without.commit({owner, held.request, move.to}).ok();
    }

    /// Makes a move, one way or the other.
    static void make(Cluster& cluster, OwnerId owner, const Placement& to) {
        const Allocation held = *cluster.release(owner);
        const Status status = cluster.commit({owner, held.request, to});
        TRESTLE_EXPECTS(status.ok(), "the new place is free");
    }

    [[nodiscard]] static bool gives_less(const Cluster& cluster, const Placement& to,
                                         const Placement& from) {
        const auto has = amounts(cluster, to);
        const auto had = amounts(cluster, from);
        return std::any_of(had.begin(), had.end(), [&](const auto& one) {
            const auto at = has.find(one.first);
            return at == has.end() || at->second < one.second;
        });
    }

  private:
    struct World {
        Cluster cluster;
        std::uint32_t moved = 0;  ///< bits of those who have moved
    };

    void add_moves(const World& from, std::vector<World>& worlds) const {
        for (std::size_t i = 0; i < movable_.size(); ++i) {
            const std::uint32_t bit = 1u << i;
            if ((from.moved & bit) != 0) continue;
            for (const Placement& to : destinations(from.cluster, movable_[i])) {
                World next{from.cluster, from.moved | bit};
                make(next.cluster, movable_[i], to);
                const bool is_known =
                    std::any_of(worlds.begin(), worlds.end(), [&](const World& one) {
                        return one.moved == next.moved && one.cluster == next.cluster;
                    });
                if (!is_known) worlds.push_back(std::move(next));
            }
        }
    }

    /// The cluster as the owner's new place is looked for in it.
    [[nodiscard]] Cluster lifted(const Cluster& cluster, OwnerId owner, Allocation& held) const {
        Cluster without = cluster;
        held = *without.release(owner);
        if (is_live_) {
            const Status status = without.commit({owner, held.request, {held.placement.nodes}});
            TRESTLE_EXPECTS(status.ok(), "it was there before");
        }
        return without;
    }

    /// Hardware threads, thousandths of CPUs, bytes, devices, shares and instances by name, and
    /// what is had of the cluster as a whole.
    [[nodiscard]] static std::map<std::string, std::int64_t> amounts(const Cluster& cluster,
                                                                     const Placement& placement) {
        std::map<std::string, std::int64_t> sums;
        for (const NodePlacement& part : placement.nodes) {
            const NodeShape& shape = cluster.shape(part.node);
            sums["cpus"] += shape.hardware.threads_of(part.cores).count();
            sums["milli_cpus"] += part.milli_cpus.value();
            sums["memory"] += part.total_memory().value();
            for (const DeviceShare& share : part.devices) {
                const Device& device = shape.devices[share.device.value()];
                if (!device.is_consumed) continue;
                const bool is_whole = !share.slice && share.shares == device.shares;
                const std::string kind = share.slice ? " slices" : is_whole ? " whole" : " shares";
                sums[device.name + kind] += share.slice || is_whole ? 1 : share.shares.value();
            }
        }
        for (const ClusterCount& one : placement.cluster_counts) {
            sums["count " + one.name] += one.count.value();
        }
        return sums;
    }

    const Cluster& cluster_;
    const Request& request_;
    std::vector<OwnerId> movable_;
    bool is_live_;
    std::optional<NodeSet> destinations_;
    PlaceOptions options_;
    NodeFilter filter_;
};

}  // namespace trestle
