// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/least_free.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "alloc/cluster/node_part.hpp"
#include "alloc/cluster/plain_commit.hpp"
#include "alloc/node/free/holding_edits.hpp"
#include "trestle/alloc/cluster/cluster.hpp"

namespace trestle {

namespace detail {

CoreSet cores_alone(const CoreSet& all, const FreeState& free) {
    CoreSet alone = all - free.cores;
    for (const Holding::Row& one : free.held_rows) alone -= one.cores;
    return alone;
}

std::vector<Holding::Row> least_rows(const CoreSet& all, const FreeState& a, const FreeState& b) {
    Holding both;
    for (const FreeState* one : {&a, &b}) {
        for (const Holding::Row& row : one->held_rows) cores_at(both, row.row) |= row.cores;
    }
    const CoreSet alone = cores_alone(all, a) | cores_alone(all, b);
    for (Holding::Row& row : both.rows) row.cores -= alone;
    std::erase_if(both.rows, [](const Holding::Row& row) { return row.cores.is_empty(); });
    return both.rows;
}

void keep_off_thousandths(FreeState& least, const FreeState& other) {
    CoreSet carrying;
    if (!least.held_milli_cpus.is_zero()) carrying |= least.cores;
    if (!other.held_milli_cpus.is_zero()) carrying |= other.cores;
    for (Holding::Row& row : least.held_rows) row.cores -= carrying;
    std::erase_if(least.held_rows, [](const Holding::Row& row) { return row.cores.is_empty(); });
}

void merge_slices(const FreeState& idle, FreeState& least, const FreeState& other) {
    std::vector<FreeState::HeldSlice> both = least.held_slices;
    both.insert(both.end(), other.held_slices.begin(), other.held_slices.end());
    std::sort(both.begin(), both.end());
    both.erase(std::unique(both.begin(), both.end()), both.end());
    std::erase_if(both, [&](const FreeState::HeldSlice& one) {
        const DeviceId device = one.device;
        const auto is_whole = [&](const FreeState& free) {
            const Count left = free.shares[device.value()];
            return left != idle.shares[device.value()] && free.slices_of(device).empty();
        };
        return is_whole(least) || is_whole(other);
    });
    std::vector<FreeState::HeldSlice> kept;
    for (const FreeState::HeldSlice& one : both) {
        const bool meets_another =
            std::any_of(both.begin(), both.end(), [&](const FreeState::HeldSlice& x) {
                return x.device == one.device && x != one &&
                       x.instance.start < one.instance.end() &&
                       one.instance.start < x.instance.end();
            });
        if (!meets_another) kept.push_back(one);
    }
    // Where two meet, none of the device's is kept: without shares it is taken as a whole.
    std::erase_if(kept, [&](const FreeState::HeldSlice& one) {
        const auto of_device = [&](const std::vector<FreeState::HeldSlice>& list) {
            return std::count_if(list.begin(), list.end(), [&](const FreeState::HeldSlice& x) {
                return x.device == one.device;
            });
        };
        return of_device(kept) != of_device(both);
    });
    least.held_slices = std::move(kept);
}

void merge_free(const FreeState& idle, FreeState& least, const FreeState& other) {
    if (!least.held_rows.empty() || !other.held_rows.empty()) {
        least.held_rows = least_rows(idle.cores, least, other);
        keep_off_thousandths(least, other);
    }
    if (!least.held_slices.empty() || !other.held_slices.empty()) merge_slices(idle, least, other);
    least.cores &= other.cores;
    least.held_milli_cpus = std::max(least.held_milli_cpus, other.held_milli_cpus);
    for (std::size_t i = 0; i < least.memory.size(); ++i) {
        least.memory[i] = std::min(least.memory[i], other.memory[i]);
    }
    for (std::size_t i = 0; i < least.shares.size(); ++i) {
        least.shares[i] = std::min(least.shares[i], other.shares[i]);
    }
    least.is_idle = least.is_idle && other.is_idle;
}

PartPeriod PartPeriod::of(std::span<const NodePlacement> parts, const Period& period,
                          OwnerId owner) {
    PartPeriod one{period, owner, parts.data()};
    if (parts.size() < 2) return one;
    one.sum = std::make_shared<const NodePlacement>(PartsOfNode(parts).whole());
    one.part = one.sum.get();
    return one;
}

void PlainMoment::take(const PartPeriod& one) {
    detail::take(known_, free_, *one.part);
    if (!is_empty(*one.part)) ++parts_;
    free_.is_idle = parts_ == 0;
}

void PlainMoment::give_back(const PartPeriod& one) {
    detail::give_back(known_, free_, *one.part);
    if (!is_empty(*one.part)) --parts_;
    free_.is_idle = parts_ == 0;
}

void AnyMoment::take(const PartPeriod& one) {
    const Status taken = ledger_.take(*one.part, one.owner);
    TRESTLE_EXPECTS(taken.ok(), "what is taken at one moment does not overlap");
}

void AnyMoment::give_back(const PartPeriod& one) {
    const Status given = ledger_.give_back(*one.part, one.owner);
    TRESTLE_EXPECTS(given.ok(), "what was taken can be given back");
}

NodeStateData least_state(ClassId id, const KnownClass& known, const std::vector<PartPeriod>& parts,
                          const Period& period) {
    NodeStateData state{id, 0, {}};
    bool are_plain = true;
    for (const PartPeriod& one : parts) {
        state.kinds |= kind_of(known, *one.part);
        are_plain = are_plain && is_plain(known.idle, *one.part);
    }
    state.free = are_plain ? least_free_of(PlainMoment(known), known.idle, parts, period)
                           : least_free_of(AnyMoment(known), known.idle, parts, period);
    return state;
}

}  // namespace detail

}  // namespace trestle
