// SPDX-License-Identifier: Apache-2.0
// Timelines without thinking: a list of who has what and when, an idle cluster, and for every
// second a cluster that is made anew. A moment to start at is looked for second by second, and
// whether there is a place says place(), which has an oracle of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/cluster/node_part.hpp"
#include "model/cluster_counts.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/period.hpp"

namespace trestle {

class TimeOracle {
  public:
    /// Requires: nothing is allocated in the cluster.
    explicit TimeOracle(Cluster idle) : idle_(std::move(idle)) {}

    [[nodiscard]] const Cluster& idle() const { return idle_; }
    [[nodiscard]] std::int64_t now() const { return now_; }
    [[nodiscard]] const std::map<OwnerId, TimedAllocation>& all() const { return all_; }

    [[nodiscard]] const Cluster& at(std::int64_t moment) const {
        const auto known = made_.find(moment);
        if (known != made_.end()) return known->second;
        Cluster cluster = idle_;
        for (const auto& [owner, one] : all_) {
            if (!one.period.contains(Instant(moment))) continue;
            const Status given = cluster.commit(one.allocation);
            TRESTLE_EXPECTS(given.ok(), "what the oracle took in does not overlap");
        }
        return made_.emplace(moment, std::move(cluster)).first->second;
    }

    StatusCode reserve(const Allocation& allocation, const Period& period) {
        made_.clear();
        if (!(period.first < period.end) || period.first < Instant(now_)) return invalid_code;
        if (all_.count(allocation.owner) != 0) return StatusCode::kFailedPrecondition;
        const StatusCode code = can_have(allocation, period);
        made_.clear();
        if (code == StatusCode::kOk) all_.insert({allocation.owner, {allocation, period}});
        return code;
    }
    StatusCode cancel(OwnerId owner) {
        made_.clear();
        return all_.erase(owner) == 0 ? StatusCode::kNotFound : StatusCode::kOk;
    }
    StatusCode set_end(OwnerId owner, Instant end) {
        const auto found = all_.find(owner);
        if (found == all_.end()) return StatusCode::kNotFound;
        made_.clear();
        const TimedAllocation before = found->second;
        if (end <= Instant(now_) || end <= before.period.first) return invalid_code;
        all_.erase(found);
        const Period changed{before.period.first, end};
        const StatusCode code = can_have(before.allocation, changed);
        made_.clear();
        all_.insert(
            {owner, {before.allocation, code == StatusCode::kOk ? changed : before.period}});
        return code;
    }
    StatusCode advance(std::int64_t to) {
        if (to < now_) return invalid_code;
        made_.clear();
        now_ = to;
        std::erase_if(all_, [&](const auto& one) { return one.second.period.end <= Instant(to); });
        return StatusCode::kOk;
    }

    /// A cluster in which, node by node, all that anybody has in the period somebody has. Moments
    /// at which people only go take nothing: cores that come free then carry no thousandths that
    /// had no need of them before.
    [[nodiscard]] Cluster throughout(const Period& period) const {
        std::vector<const Cluster*> moments;
        for (const std::int64_t moment : seconds_of(period)) {
            const bool comes_one = std::any_of(all_.begin(), all_.end(), [&](const auto& one) {
                return one.second.period.first == Instant(moment);
            });
            if (comes_one || Instant(moment) == period.first) moments.push_back(&at(moment));
        }
        Cluster all = idle_;
        std::uint64_t owner = 1'000'000;
        for (std::uint32_t n = 0; n < idle_.node_count(); ++n) {
            for (NodePlacement& part : taken_in(moments, NodeId(n))) {
                const Status given = all.commit({OwnerId(++owner), {}, {{std::move(part)}, {}}});
                TRESTLE_EXPECTS(given.ok(), "the most that is taken at a time can be taken");
            }
        }
        std::vector<ClusterCount> taken;
        for (const ClusterCount& there : idle_.counts()) {
            Count least = there.count;
            for (const Cluster* const one : moments) {
                least = std::min(least, count_of(one->free_counts(), there.name));
            }
            if (least < there.count) taken.push_back({there.name, there.count - least});
        }
        const Status given = all.commit({OwnerId(++owner), {}, {{}, taken}});
        TRESTLE_EXPECTS(given.ok(), "as many are there");
        return all;
    }

    /// The earliest start from `after` on, second by second.
    [[nodiscard]] Verdict<Start> earliest(const Request& request, std::optional<Seconds> duration,
                                          std::int64_t after, const PlaceOptions& options) const {
        std::optional<Refusal> waits_for;
        Refusal last;  // of the last moment at which anything ends
        for (std::int64_t moment = after; moment <= std::max(after, last_end()); ++moment) {
            const Period period = period_of(Instant(moment), duration);
            auto found = place(throughout(period), request, options);
            if (found) return Start{period, *found, waits_for};
            if (!waits_for) waits_for = found.refusal();
            const bool is_an_end = std::any_of(all_.begin(), all_.end(), [&](const auto& one) {
                return one.second.period.end == Instant(moment);
            });
            if (moment == after || is_an_end) last = found.refusal();
        }
        return last;
    }
    /// The last moment at which anything changes.
    [[nodiscard]] std::int64_t last_end() const {
        std::int64_t last = now_;
        for (const auto& [owner, one] : all_) {
            last = std::max(last, one.period.first.value());
            if (one.period.end != end_of_time) last = std::max(last, one.period.end.value());
        }
        return last;
    }

  private:
    static constexpr StatusCode invalid_code = StatusCode::kInvalidArgument;

    /// The first second of the period, and every other one at which somebody comes or goes.
    [[nodiscard]] std::vector<std::int64_t> seconds_of(const Period& period) const {
        std::vector<std::int64_t> seconds{period.first.value()};
        const std::int64_t last = std::min(period.end.value(), last_end() + 1);
        for (std::int64_t at = period.first.value() + 1; at < last; ++at) {
            const bool has_change = std::any_of(all_.begin(), all_.end(), [&](const auto& one) {
                const Period& other = one.second.period;
                return other.first == Instant(at) || other.end == Instant(at);
            });
            if (has_change) seconds.push_back(at);
        }
        return seconds;
    }
    [[nodiscard]] StatusCode can_have(const Allocation& allocation, const Period& period) const {
        for (const std::int64_t moment : seconds_of(period)) {
            Cluster then = at(moment);
            const Status given = then.commit(allocation);
            if (!given.ok()) return given.code();
        }
        return StatusCode::kOk;
    }

    /// What is taken of a node at the worst moments, as parts that one cluster can give.
    [[nodiscard]] std::vector<NodePlacement> taken_in(const std::vector<const Cluster*>& moments,
                                                      NodeId node) const {
        const FreeState& whole = idle_.free(node);
        const NodeShape& shape = idle_.shape(node);
        NodePlacement most;
        most.node = node;
        std::map<std::uint32_t, CoreSet> rows;
        std::map<DomainId, Bytes> memory;
        for (const Cluster* const one : moments) {
            const FreeState& free = one->free(node);
            CoreSet alone = whole.cores - free.cores;
            for (const Holding::Row& row : free.held_rows) {
                alone -= row.cores;
                rows[row.row] |= row.cores;
            }
            most.cores |= alone;
            most.milli_cpus = std::max(most.milli_cpus, free.held_milli_cpus);
            for (std::uint32_t d = 0; d < whole.memory.size(); ++d) {
                Bytes& taken = memory[DomainId(d)];
                taken = std::max(taken, whole.memory[d] - free.memory[d]);
            }
        }
        for (const Cluster* const one :
             moments) {  // cores in a row now that carry thousandths then
            if (one->free(node).held_milli_cpus.is_zero()) continue;
            for (const auto& [row, cores] : rows) most.cores |= cores & one->free(node).cores;
        }
        for (const auto& [domain, bytes] : memory) {
            if (!bytes.is_zero()) most.memory.push_back({domain, bytes});
        }
        for (std::uint32_t d = 0; d < whole.shares.size(); ++d) {
            add_device(moments, node, DeviceId(d), most);
        }
        CoreSet left = whole.cores - most.cores;
        std::vector<NodePlacement> parts;
        for (const auto& [row, cores] : rows) {
            NodePlacement in_row;
            in_row.node = node;
            in_row.row = row;
            in_row.cores = cores - most.cores;
            left -= in_row.cores;
            if (!in_row.cores.is_empty()) parts.push_back(std::move(in_row));
        }
        const MilliCpu there = cpus(ThreadCounts(shape.hardware).of(left));
        most.milli_cpus = std::min(most.milli_cpus, there);
        if (!detail::is_empty(most)) parts.push_back(std::move(most));
        return parts;
    }
    void add_device(const std::vector<const Cluster*>& moments, NodeId node, DeviceId device,
                    NodePlacement& most) const {
        const Count all = idle_.free(node).shares[device.value()];
        Count least = all;  // of the uncut device
        std::vector<Slicing::Instance> instances;
        bool is_cut = false;
        for (const Cluster* const one : moments) {
            const auto here = one->free(node).slices_of(device);
            is_cut |= !here.empty();
            if (here.empty()) least = std::min(least, one->free(node).shares[device.value()]);
            for (const Slicing::Instance& instance : here) {
                if (std::count(instances.begin(), instances.end(), instance) == 0) {
                    instances.push_back(instance);
                }
            }
        }
        std::sort(instances.begin(), instances.end(),
                  [](const auto& a, const auto& b) { return a.start < b.start; });
        bool is_all = is_cut && least < all;
        for (std::size_t i = 1; i < instances.size(); ++i) {
            is_all |= instances[i].start < instances[i - 1].end();
        }
        if (is_all) {
            most.devices.push_back({device, all});
        } else if (is_cut) {
            for (const Slicing::Instance& one : instances) {
                most.devices.push_back({device, Count(1), one});
            }
        } else if (least < all) {
            most.devices.push_back({device, all - least});
        }
    }

    Cluster idle_;
    std::int64_t now_ = 0;
    std::map<OwnerId, TimedAllocation> all_;
    mutable std::map<std::int64_t, Cluster> made_;  ///< by at(), until something changes
};

}  // namespace trestle
