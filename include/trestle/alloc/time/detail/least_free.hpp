// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is left of a node all through a period, while people come and go.
//
// Layer: alloc (detail). Main types: PartPeriod; least_free(known, parts, period). Unit by unit: a
// core is free when it is free at every moment; of bytes and shares so many are free as at the
// worst moment. Those who do not meet take the same units, one after the other.
// A reader would get wrong: what can be taken of the result can be taken at every moment. The
// converse holds but for two rare things, which count as taken: thousandths of CPUs that lie on
// other cores at other moments, and instances of a device where those of different moments overlap,
// or where it is whole at one moment and cut at another.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/cluster/free_change.hpp"
#include "trestle/alloc/cluster/node_class.hpp"
#include "trestle/alloc/cluster/node_states.hpp"
#include "trestle/alloc/fit/free_state.hpp"
#include "trestle/alloc/fit/usage.hpp"
#include "trestle/alloc/place/node_rules.hpp"
#include "trestle/alloc/time/period.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// Someone's part of a node, and when.
struct PartPeriod {
    Period period;
    OwnerId owner;
    const NodePlacement* part = nullptr;
};

/// Cores that are someone's alone.
[[nodiscard]] inline CoreSet cores_alone(const CoreSet& all, const FreeState& free) {
    CoreSet alone = all - free.cores;
    for (const RowCores& one : free.rows) alone -= one.cores;
    return alone;
}

[[nodiscard]] inline std::vector<RowCores> least_rows(const CoreSet& all, const FreeState& a,
                                                      const FreeState& b) {
    Holding both;
    for (const FreeState* one : {&a, &b}) {
        for (const RowCores& row : one->rows) cores_at(both, row.row) |= row.cores;
    }
    const CoreSet alone = cores_alone(all, a) | cores_alone(all, b);
    for (RowCores& row : both.rows) row.cores -= alone;
    std::erase_if(both.rows, [](const RowCores& row) { return row.cores.is_empty(); });
    return both.rows;
}

/// Takes cores from the rows of `least` that carry thousandths of CPUs at a moment, where they are
/// free, and are in a row at another: one more job in the row would take them from the thousandths.
/// Before cores and thousandths are merged.
inline void keep_off_thousandths(FreeState& least, const FreeState& other) {
    CoreSet carrying;
    if (!least.milli_cpus.is_zero()) carrying |= least.cores;
    if (!other.milli_cpus.is_zero()) carrying |= other.cores;
    for (RowCores& row : least.rows) row.cores -= carrying;
    std::erase_if(least.rows, [](const RowCores& row) { return row.cores.is_empty(); });
}

/// Makes `least.slices` what is held in either; a device that is whole in one and cut in the other,
/// or cut in different ways, is left without shares and instances.
inline void merge_slices(const FreeState& idle, FreeState& least, const FreeState& other) {
    std::vector<HeldSlice> both = least.slices;
    both.insert(both.end(), other.slices.begin(), other.slices.end());
    std::sort(both.begin(), both.end());
    both.erase(std::unique(both.begin(), both.end()), both.end());
    std::erase_if(both, [&](const HeldSlice& one) {
        const DeviceId device = one.device;
        const auto is_whole = [&](const FreeState& free) {
            const Count left = free.shares[device.value()];
            return left != idle.shares[device.value()] && free.slices_of(device).empty();
        };
        return is_whole(least) || is_whole(other);
    });
    std::vector<HeldSlice> kept;
    for (const HeldSlice& one : both) {
        const bool meets_another = std::any_of(both.begin(), both.end(), [&](const HeldSlice& x) {
            return x.device == one.device && x != one && x.instance.start < one.instance.end() &&
                   one.instance.start < x.instance.end();
        });
        if (!meets_another) kept.push_back(one);
    }
    // Where two meet, none of the device's is kept: without shares it is taken as a whole.
    std::erase_if(kept, [&](const HeldSlice& one) {
        const auto of_device = [&](const std::vector<HeldSlice>& list) {
            return std::count_if(list.begin(), list.end(),
                                 [&](const HeldSlice& x) { return x.device == one.device; });
        };
        return of_device(kept) != of_device(both);
    });
    least.slices = std::move(kept);
}

/// Makes `least` what is free in both. `idle` is the node's with nothing taken.
inline void merge_free(const FreeState& idle, FreeState& least, const FreeState& other) {
    if (!least.rows.empty() || !other.rows.empty()) {
        least.rows = least_rows(idle.cores, least, other);
        keep_off_thousandths(least, other);
    }
    if (!least.slices.empty() || !other.slices.empty()) merge_slices(idle, least, other);
    least.cores &= other.cores;
    least.milli_cpus = std::max(least.milli_cpus, other.milli_cpus);
    for (std::size_t i = 0; i < least.memory.size(); ++i) {
        least.memory[i] = std::min(least.memory[i], other.memory[i]);
    }
    for (std::size_t i = 0; i < least.shares.size(); ++i) {
        least.shares[i] = std::min(least.shares[i], other.shares[i]);
    }
    least.is_idle = least.is_idle && other.is_idle;
}

/// A node at a moment, where no row and no instance is concerned.
class PlainMoment {
  public:
    explicit PlainMoment(const KnownClass& known) : known_(known), free_(known.idle) {}

    [[nodiscard]] const FreeState& free() const { return free_; }
    void take(const PartPeriod& one) {
        detail::take(known_, free_, *one.part);
        if (!is_empty(*one.part)) ++parts_;
        free_.is_idle = parts_ == 0;
    }
    void give_back(const PartPeriod& one) {
        detail::give_back(known_, free_, *one.part);
        if (!is_empty(*one.part)) --parts_;
        free_.is_idle = parts_ == 0;
    }

  private:
    const KnownClass& known_;
    FreeState free_;
    std::size_t parts_ = 0;  ///< that are not empty
};

/// A node at a moment.
class AnyMoment {
  public:
    explicit AnyMoment(const KnownClass& known) : usage_(*known.value.shape) {}

    [[nodiscard]] const FreeState& free() const { return usage_.free(); }
    void take(const PartPeriod& one) {
        const Status taken = usage_.take(*one.part, one.owner);
        TRESTLE_EXPECTS(taken.ok(), "what is taken at one moment does not overlap");
    }
    void give_back(const PartPeriod& one) {
        const Status given = usage_.give_back(*one.part, one.owner);
        TRESTLE_EXPECTS(given.ok(), "what was taken can be given back");
    }
    [[nodiscard]] NodeUsage& usage() { return usage_; }

  private:
    NodeUsage usage_;
};

/// How many CPUs of a node are somebody's at a moment, shared ones as often as they are.
class CpuMoment {
  public:
    explicit CpuMoment(const HardwareTree& hardware) : hardware_(hardware) {}

    [[nodiscard]] MilliCpu taken() const { return taken_; }
    void take(const PartPeriod& one) { taken_ += cpus_of(hardware_, *one.part); }
    void give_back(const PartPeriod& one) { taken_ -= cpus_of(hardware_, *one.part); }

  private:
    const HardwareTree& hardware_;
    MilliCpu taken_;
};

/// visit(moment, instant) at the start of the period and whenever somebody comes in it; false ends
/// it. Requires: the parts are sorted by their start and overlap the period.
template <class Moment, class Visit>
void for_each_moment(Moment& moment, const std::vector<PartPeriod>& parts, const Period& period,
                     const Visit& visit) {
    std::vector<const PartPeriod*> there;
    Instant at = period.first;
    for (std::size_t next = 0;;) {
        std::erase_if(there, [&](const PartPeriod* one) {
            if (at < one->period.last) return false;
            moment.give_back(*one);
            return true;
        });
        for (; next < parts.size() && parts[next].period.first <= at; ++next) {
            moment.take(parts[next]);
            there.push_back(&parts[next]);
        }
        if (!visit(moment, at) || next == parts.size()) return;
        at = parts[next].period.first;
    }
}

/// What is left all through the period. Requires: as above.
template <class Moment>
[[nodiscard]] FreeState least_free_of(Moment moment, const FreeState& idle,
                                      const std::vector<PartPeriod>& parts, const Period& period) {
    FreeState least = idle;
    for_each_moment(moment, parts, period, [&](const Moment& now, Instant) {
        merge_free(idle, least, now.free());
        return true;
    });
    return least;
}

/// The state of a node of the class all through the period. Requires: as above.
/// Complexity: the parts, and at each of their starts those that are there.
[[nodiscard]] inline NodeStateData least_state(ClassId id, const KnownClass& known,
                                               const std::vector<PartPeriod>& parts,
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

}  // namespace trestle::detail
