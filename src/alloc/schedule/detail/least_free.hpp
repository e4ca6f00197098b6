// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is left of a node all through a period, while people come and go.
//
// Layer: alloc (detail). Main types: PartPeriod; least_free(known, parts, period). Unit by unit: a
// core is free when it is free at every moment; of bytes and shares so many are free as at the
// worst moment. Owners that do not overlap in time take the same units, one after the other.
// Pitfall: what can be taken of the result can be taken at every moment. The converse holds but for
// two rare things, which count as taken: thousandths of CPUs that lie on other cores at other
// moments, and instances of a device where those of different moments overlap, or where it is whole
// at one moment and cut at another.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "alloc/cluster/place/node_rules.hpp"
#include "alloc/cluster/states/node_classes.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

/// An owner's part of a node, and its period.
struct PartPeriod {
    /// Of the parts for all components. Requires: there is one, and they stay where they are.
    [[nodiscard]] static PartPeriod of(std::span<const NodePlacement> parts, const Period& period,
                                       OwnerId owner);

    Period period;
    OwnerId owner;
    const NodePlacement* part = nullptr;
    std::shared_ptr<const NodePlacement> sum = {};  ///< `part`, where it is made from several
};

/// Cores that an owner has exclusively.
[[nodiscard]] CoreSet cores_alone(const CoreSet& all, const FreeState& free);

[[nodiscard]] std::vector<Holding::Row> least_rows(const CoreSet& all, const FreeState& a,
                                                   const FreeState& b);

/// Takes cores from the rows of `least` that carry thousandths of CPUs at a moment, where they are
/// free, and are in a row at another: one more job in the row would take them from the thousandths.
/// Before cores and thousandths are merged.
void keep_off_thousandths(FreeState& least, const FreeState& other);

/// Makes `least.slices` what is held in either; a device that is whole in one and cut in the other,
/// or cut in different ways, is left without shares and instances.
void merge_slices(const FreeState& idle, FreeState& least, const FreeState& other);

/// Makes `least` what is free in both. `idle` is the node's with nothing taken.
void merge_free(const FreeState& idle, FreeState& least, const FreeState& other);

/// A node at a moment, where no row and no instance is concerned.
class PlainMoment {
  public:
    explicit PlainMoment(const KnownClass& known) : known_(known), free_(known.idle) {}

    [[nodiscard]] const FreeState& free() const { return free_; }
    void take(const PartPeriod& one);
    void give_back(const PartPeriod& one);

  private:
    const KnownClass& known_;
    FreeState free_;
    std::size_t parts_ = 0;  ///< that are not empty
};

/// A node at a moment.
class AnyMoment {
  public:
    explicit AnyMoment(const KnownClass& known) : ledger_(*known.value.shape) {}

    [[nodiscard]] const FreeState& free() const { return ledger_.free(); }
    void take(const PartPeriod& one);
    void give_back(const PartPeriod& one);
    [[nodiscard]] NodeLedger& ledger() { return ledger_; }

  private:
    NodeLedger ledger_;
};

/// How many CPUs of a node have an owner at a moment, shared ones as often as they are taken.
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

/// visit(moment, instant) at the start of the period and whenever an owner's period begins in it;
/// false ends it. Requires: the parts are sorted by their start and overlap the period.
template <class Moment, class Visit>
void for_each_moment(Moment& moment, const std::vector<PartPeriod>& parts, const Period& period,
                     const Visit& visit) {
    std::vector<const PartPeriod*> there;
    Instant at = period.first;
    for (std::size_t next = 0;;) {
        std::erase_if(there, [&](const PartPeriod* one) {
            if (at < one->period.end) return false;
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
[[nodiscard]] NodeStateData least_state(ClassId id, const KnownClass& known,
                                        const std::vector<PartPeriod>& parts, const Period& period);

}  // namespace trestle::detail
