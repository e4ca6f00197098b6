// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which devices: all distinct picks that satisfy the demands, one after the other.
//
// Layer: alloc, internal to fit. Main types: DeviceSearch, DevicePick. Of devices that nothing
// tells apart the lowest ids are taken, so that eight equal GPUs give nine subsets, not 256.
// Pitfall: one device may answer several demands by slices, and may stand several times in a pick;
// by shares or whole it answers one demand only.

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "alloc/node/detail/fit_problem.hpp"
#include "alloc/node/detail/slice_deal.hpp"
#include "alloc/node/slice_space.hpp"
#include "alloc/node/step_budget.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/alloc/node/slices.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

/// What a pick takes of one device for one demand.
struct PickEntry {
    DeviceId device;
    std::uint32_t demand = 0;
    Count shares{1};
    BoxedOptional<Slicing::Instance> slice{};

    /// By device, then by where the instance starts.
    friend bool operator<(const PickEntry& a, const PickEntry& b) {
        return a.device != b.device ? a.device < b.device : a.slice < b.slice;
    }
};

/// One way to satisfy all device demands.
struct DevicePick {
    std::vector<PickEntry> entries;
    DeviceSet set;
    std::uint32_t slice_changes = 0;
    SlicePotential slice_gain{};  ///< what the potential of the devices becomes, less what it was
};

/// Devices of one demand.
using DeviceList = absl::InlinedVector<DeviceId, 8>;

class DeviceSearch {
  public:
    /// `matches`: the devices that may answer each demand, all or those of one way of common().
    DeviceSearch(const FitProblem& problem, const FreeState& free, const DeviceMatches& matches);

    /// The devices that could answer demand `i` alone, lowest first; none for instances.
    [[nodiscard]] const DeviceList& candidates(std::size_t i) const { return candidates_[i]; }
    /// Devices, or instances, that demand `i` could get if it were the only one.
    [[nodiscard]] std::int64_t available(std::size_t i) const;

    /// Calls `visit(pick)` for every distinct pick of exactly counts[i] for demand i, until it
    /// returns false; of picks that only instances tell apart, for the best. Returns false when it
    /// was stopped, or when the budget ended.
    template <class Visit>
    [[nodiscard]] bool for_each_pick(const std::vector<std::uint32_t>& counts, StepBudget& budget,
                                     Visit&& visit) {
        counts_ = &counts;
        budget_ = &budget;
        pick_ = {};
        return slices_.prepare(counts, budget) && next_demand(0, visit);
    }

  private:
    [[nodiscard]] const Device& shape_of(DeviceId device) const {
        return problem_.shape().devices[device.value()];
    }
    [[nodiscard]] bool wants_instances(std::size_t i) const {
        return !demands_[i].request.slice.empty();
    }

    [[nodiscard]] bool can_give(DeviceId device, std::size_t i) const;

    /// Candidates that can change places now, lowest first. What has to be in common is in common
    /// for all demands of a name, so candidates of one class match the same demands.
    [[nodiscard]] std::vector<DeviceList> grouped(const DeviceList& devices) const;
    [[nodiscard]] bool are_alike(DeviceId a, DeviceId b) const;

    template <class Visit>
    bool next_demand(std::size_t i, Visit& visit) {
        if (i == demands_.size()) return deal_slices(visit);
        return wants_instances(i) ? next_demand(i + 1, visit) : extend(i, 0, (*counts_)[i], visit);
    }

    /// Takes `missing` more devices for demand `i` from the groups from `g` on.
    template <class Visit>
    bool extend(std::size_t i, std::size_t g, std::uint32_t missing, Visit& visit) {
        if (missing == 0) return finish(i, visit);
        if (missing > left_from(i, g)) return true;
        if (!budget_->spend()) return false;
        DeviceList free;
        for (const DeviceId device : groups_[i][g]) {
            if (!pick_.set.contains(device)) free.push_back(device);
        }
        const auto most = std::min(missing, static_cast<std::uint32_t>(free.size()));
        const bool is_any = !free.empty() && may_leave_to_slices(free.front(), i);
        std::vector<std::size_t> chosen(most);
        for (std::uint32_t k = most + 1; k-- > 0;) {
            chosen.resize(k);
            std::iota(chosen.begin(), chosen.end(), std::size_t{0});
            do {
                for (const std::size_t n : chosen) take(free[n], i);
                const bool goes_on = extend(i, g + 1, missing - k, visit);
                for (std::uint32_t n = 0; n < k; ++n) untake();
                if (!goes_on) return false;
            } while (is_any && next_combination(chosen, free.size()));
        }
        return true;
    }

    /// Devices for demand `i` that are left in the groups from `g` on.
    [[nodiscard]] std::size_t left_from(std::size_t i, std::size_t g) const;

    /// True when an earlier demand for instances, which is dealt out later, may want the lower ones
    /// of the devices that are like this one.
    [[nodiscard]] bool may_leave_to_slices(DeviceId device, std::size_t i) const;

    void take(DeviceId device, std::size_t i);
    void untake();

    /// Demand `i` has its devices: settles their shares and goes on.
    template <class Visit>
    bool finish(std::size_t i, Visit& visit) {
        const DeviceRequest& request = demands_[i].request;
        const bool is_sum = request.shares_per == Per::node && !request.shares.is_zero();
        if (is_sum && !settle_shares(i)) return true;
        return next_demand(i + 1, visit);
    }

    /// One share from each, the rest from the lowest devices; false when that is not the sum.
    [[nodiscard]] bool settle_shares(std::size_t i);

    /// All other demands have their devices: deals the instances out.
    template <class Visit>
    bool deal_slices(Visit& visit) {
        if (slices_.demands().empty()) return visit(std::as_const(pick_));
        return slices_.for_each_pick(pick_.set, *budget_, [&](const SlicePick& found) {
            DevicePick pick = pick_;
            pick.slice_changes = found.changes;
            pick.slice_gain = found.gain;
            for (const auto& [device, option] : found.given) {
                pick.set.insert(device);
                std::size_t n = 0;
                for (std::size_t place = 0; place < option->counts.size(); ++place) {
                    for (std::uint32_t k = 0; k < option->counts[place]; ++k) {
                        pick.entries.push_back({device, slices_.demands()[place], Count(1),
                                                option->arrangement.instances[n++]});
                    }
                }
            }
            return visit(std::as_const(pick));
        });
    }

    const FitProblem& problem_;
    const FreeState& state_;
    const std::vector<NodeDemand::Device>& demands_;
    SliceDeal slices_;
    std::vector<DeviceList> candidates_;           ///< by demand
    std::vector<std::vector<DeviceList>> groups_;  ///< by demand
    const std::vector<std::uint32_t>* counts_ = nullptr;
    StepBudget* budget_ = nullptr;
    DevicePick pick_;  ///< of uncut devices
};

}  // namespace trestle::detail
