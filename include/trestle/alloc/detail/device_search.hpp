// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which devices: all distinct picks that satisfy the demands, one after the other.
//
// Layer: alloc, internal to fit. Main types: DeviceSearch, DevicePick. Of devices that nothing tells
// apart the lowest ids are taken, so that eight equal GPUs give nine subsets, not 256.
// A reader would get wrong: one device may answer several demands by slices, and may stand several
// times in a pick; by shares or whole it answers one demand only.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/alloc/detail/fit_problem.hpp"
#include "trestle/alloc/detail/step_budget.hpp"
#include "trestle/alloc/slices.hpp"
#include "trestle/alloc/free_state.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"

namespace trestle::detail {

/// What a pick takes of one device for one demand.
struct PickEntry {
    DeviceId device;
    std::uint32_t demand = 0;
    Count shares{1};
    std::optional<SliceInstance> slice{};

    /// By device, then by where the instance starts.
    friend bool operator<(const PickEntry& a, const PickEntry& b) {
        return a.device != b.device ? a.device < b.device : a.slice < b.slice;
    }
};

/// One way to satisfy all device demands.
struct DevicePick {
    std::vector<PickEntry> entries;  ///< by demand
    DeviceSet set;
    std::uint32_t slice_changes = 0;
    SlicePotential slice_gain{};  ///< what the potential of the devices becomes, less what it was
};

class DeviceSearch {
  public:
    DeviceSearch(const FitProblem& problem, const FreeState& free)
        : problem_(problem), state_(free), demands_(problem.demand().devices) {
        const std::size_t devices = problem.shape().devices.size();
        held_.resize(devices);
        spaces_.resize(devices);
        wanted_.resize(devices);
        is_whole_.assign(devices, false);
        for (std::uint32_t d = 0; d < devices; ++d) {
            const auto& slicing = problem.shape().devices[d].slicing;
            if (!slicing) continue;
            held_[d] = free.slices_of(DeviceId(d));
            spaces_[d].emplace(*slicing, held_[d]);
        }
        for (std::size_t i = 0; i < demands_.size(); ++i) {
            std::vector<DeviceId> giving;
            for (const DeviceId device : problem.matches(i)) {
                if (can_give(device, i)) giving.push_back(device);
            }
            groups_.push_back(grouped(giving));
            candidates_.push_back(std::move(giving));
        }
    }

    /// The devices that could answer demand `i` alone, lowest first.
    [[nodiscard]] const std::vector<DeviceId>& candidates(std::size_t i) const {
        return candidates_[i];
    }
    /// Devices, or instances, that demand `i` could get if it were the only one.
    [[nodiscard]] std::int64_t available(std::size_t i) const {
        const std::string_view slice = demands_[i].request.slice;
        if (slice.empty()) return static_cast<std::int64_t>(candidates_[i].size());
        std::int64_t sum = 0;
        for (const DeviceId device : candidates_[i]) {
            sum += possible(device, slice);
        }
        return sum;
    }

    /// Calls `visit(pick)` for every distinct pick of exactly counts[i] for demand i, until it
    /// returns false. Returns false when it was stopped.
    template <class Visit>
    [[nodiscard]] bool for_each_pick(const std::vector<std::uint32_t>& counts, StepBudget& budget,
                                     Visit&& visit) {
        counts_ = &counts;
        budget_ = &budget;
        pick_ = {};
        return next_demand(0, visit);
    }

    /// Shares of the device that nobody has, and nobody has an instance of it.
    [[nodiscard]] bool is_untouched(DeviceId device) const {
        return state_.shares[device.value()] == shape_of(device).shares &&
               held_[device.value()].empty();
    }

  private:
    [[nodiscard]] const Device& shape_of(DeviceId device) const {
        return problem_.shape().devices[device.value()];
    }
    /// Instances of the profile that the device could give beside what is held.
    [[nodiscard]] std::uint32_t possible(DeviceId device, std::string_view slice) const {
        const SliceSpace& space = *spaces_[device.value()];
        const auto profile = space.find(slice);
        return profile ? space.possible(*profile) : 0;
    }

    [[nodiscard]] bool can_give(DeviceId device, std::size_t i) const {
        const DeviceRequest& request = demands_[i].request;
        const Count free = state_.shares[device.value()];
        const Count all = shape_of(device).shares;
        const bool has_slices = !held_[device.value()].empty();
        if (!request.slice.empty()) {
            return (has_slices || free == all) && possible(device, request.slice) > 0;
        }
        if (has_slices) return false;
        if (request.shares.is_zero()) return free == all;
        return request.shares_per == Per::node ? !free.is_zero() : free >= request.shares;
    }

    /// Candidates that can change places now, lowest first.
    [[nodiscard]] std::vector<std::vector<DeviceId>> grouped(
        const std::vector<DeviceId>& devices) const {
        std::vector<std::vector<DeviceId>> groups;
        for (const DeviceId device : devices) {
            const auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
                return are_alike(group.front(), device);
            });
            if (at == groups.end()) {
                groups.push_back({device});
            } else {
                at->push_back(device);
            }
        }
        return groups;
    }
    [[nodiscard]] bool are_alike(DeviceId a, DeviceId b) const {
        return problem_.class_of(a) == problem_.class_of(b) &&
               state_.shares[a.value()] == state_.shares[b.value()] &&
               held_[a.value()] == held_[b.value()];
    }

    template <class Visit>
    bool next_demand(std::size_t i, Visit& visit) {
        if (i == demands_.size()) return visit(std::as_const(pick_));
        return demands_[i].request.slice.empty() ? extend(i, 0, (*counts_)[i], visit)
                                                 : extend_slices(i, 0, (*counts_)[i], visit);
    }

    /// Takes `missing` more devices for demand `i` from the groups from `g` on.
    template <class Visit>
    bool extend(std::size_t i, std::size_t g, std::uint32_t missing, Visit& visit) {
        if (missing == 0) return finish(i, visit);
        if (g == groups_[i].size()) return true;
        std::vector<DeviceId> free;
        for (const DeviceId device : groups_[i][g]) {
            const bool is_free = !is_whole_[device.value()] && wanted_[device.value()].empty();
            if (is_free) free.push_back(device);
        }
        const auto most = std::min(missing, static_cast<std::uint32_t>(free.size()));
        for (std::uint32_t k = most + 1; k-- > 0;) {
            for (std::uint32_t n = 0; n < k; ++n) take(free[n], i);
            const bool goes_on = extend(i, g + 1, missing - k, visit);
            for (std::uint32_t n = 0; n < k; ++n) untake();
            if (!goes_on) return false;
        }
        return true;
    }

    void take(DeviceId device, std::size_t i) {
        const Count asked = demands_[i].request.shares;
        const Count shares = asked.is_zero() ? shape_of(device).shares : asked;
        pick_.entries.push_back({device, static_cast<std::uint32_t>(i), shares});
        pick_.set.insert(device);
        is_whole_[device.value()] = true;
    }
    void untake() {
        const DeviceId device = pick_.entries.back().device;
        pick_.entries.pop_back();
        pick_.set.erase(device);
        is_whole_[device.value()] = false;
    }

    /// Demand `i` has its devices: settles their shares and goes on.
    template <class Visit>
    bool finish(std::size_t i, Visit& visit) {
        const DeviceRequest& request = demands_[i].request;
        const bool is_sum = request.shares_per == Per::node && !request.shares.is_zero();
        if (is_sum && !settle_shares(i)) return true;
        return next_demand(i + 1, visit);
    }

    /// One share from each, the rest from the lowest devices; false when that is not the sum.
    [[nodiscard]] bool settle_shares(std::size_t i) {
        std::vector<PickEntry*> mine;
        for (PickEntry& entry : pick_.entries) {
            if (entry.demand == i) mine.push_back(&entry);
        }
        std::sort(mine.begin(), mine.end(),
                  [](const PickEntry* a, const PickEntry* b) { return a->device < b->device; });
        const Count asked = demands_[i].request.shares;
        const Count each(static_cast<std::int64_t>(mine.size()));
        if (mine.empty() || asked < each) return false;
        Count rest = asked - each;
        for (PickEntry* entry : mine) {
            const Count more = std::min(rest, state_.shares[entry->device.value()] - Count(1));
            entry->shares = Count(1) + more;
            rest -= more;
        }
        return rest.is_zero();
    }

    /// Takes `missing` more instances for demand `i` from the candidates from `at` on. Devices that
    /// were alike so far get instances in falling numbers.
    template <class Visit>
    bool extend_slices(std::size_t i, std::size_t at, std::uint32_t missing, Visit& visit) {
        if (missing == 0) return finish_slices(i, visit);
        if (at == candidates_[i].size()) return true;
        const DeviceId device = candidates_[i][at];
        std::uint32_t most = is_whole_[device.value()] ? 0 : missing;
        for (std::size_t before = at; before-- > 0 && most > 0;) {
            const DeviceId twin = candidates_[i][before];
            if (!are_alike(twin, device) || is_whole_[twin.value()]) continue;
            const auto mine = static_cast<std::uint32_t>(instances_of(twin, i));
            if (wanted_before(twin, i) != wanted_before(device, i)) continue;
            most = std::min(most, mine);
            break;
        }
        const auto profile = spaces_[device.value()]->find(demands_[i].request.slice);
        std::uint32_t given = 0;
        while (given < most) {
            wanted_[device.value()].push_back({static_cast<std::uint32_t>(i), *profile});
            ++given;
            if (arrange(device)) continue;
            wanted_[device.value()].pop_back();
            --given;
            break;
        }
        bool goes_on = extend_slices(i, at + 1, missing - given, visit);
        while (given > 0) {
            wanted_[device.value()].pop_back();
            --given;
            goes_on = goes_on && extend_slices(i, at + 1, missing - given, visit);
        }
        return goes_on;
    }

    template <class Visit>
    bool finish_slices(std::size_t i, Visit& visit) {
        const bool is_last_sliced = std::all_of(
            demands_.begin() + static_cast<std::ptrdiff_t>(i) + 1, demands_.end(),
            [](const DeviceDemand& later) { return later.request.slice.empty(); });
        if (!is_last_sliced) return next_demand(i + 1, visit);
        const DevicePick before = pick_;
        for (std::uint32_t d = 0; d < wanted_.size(); ++d) {
            if (wanted_[d].empty()) continue;
            const auto arrangement = arrange(DeviceId(d));
            if (!arrangement) return true;
            for (std::size_t n = 0; n < wanted_[d].size(); ++n) {
                pick_.entries.push_back(
                    {DeviceId(d), wanted_[d][n].demand, Count(1), arrangement->instances[n]});
            }
            pick_.set.insert(DeviceId(d));
            pick_.slice_changes += arrangement->changes;
            pick_.slice_gain += arrangement->potential;
            pick_.slice_gain -= spaces_[d]->potential();
        }
        const bool goes_on = next_demand(i + 1, visit);
        pick_ = before;
        return goes_on;
    }

    /// Where the wanted instances of the device would lie.
    [[nodiscard]] std::optional<SliceArrangement> arrange(DeviceId device) const {
        std::vector<std::size_t> profiles;
        for (const Wanted& one : wanted_[device.value()]) profiles.push_back(one.profile);
        return spaces_[device.value()]->arrange(profiles, *budget_);
    }

    struct Wanted {
        std::uint32_t demand;
        std::size_t profile;

        friend bool operator==(const Wanted&, const Wanted&) = default;
    };
    [[nodiscard]] std::vector<Wanted> wanted_before(DeviceId device, std::size_t i) const {
        std::vector<Wanted> before = wanted_[device.value()];
        std::erase_if(before, [&](const Wanted& one) { return one.demand >= i; });
        return before;
    }
    [[nodiscard]] std::ptrdiff_t instances_of(DeviceId device, std::size_t i) const {
        const auto& wanted = wanted_[device.value()];
        return std::count_if(wanted.begin(), wanted.end(),
                             [&](const Wanted& one) { return one.demand == i; });
    }

    const FitProblem& problem_;
    const FreeState& state_;
    const std::vector<DeviceDemand>& demands_;
    std::vector<std::vector<SliceInstance>> held_;            ///< by device
    std::vector<std::optional<SliceSpace>> spaces_;           ///< by device; of those with slices
    std::vector<std::vector<DeviceId>> candidates_;           ///< by demand
    std::vector<std::vector<std::vector<DeviceId>>> groups_;  ///< by demand
    const std::vector<std::uint32_t>* counts_ = nullptr;
    StepBudget* budget_ = nullptr;
    DevicePick pick_;
    std::vector<std::vector<Wanted>> wanted_;  ///< by device, in the order of the demands
    std::vector<bool> is_whole_;               ///< by device: taken uncut
};

}  // namespace trestle::detail
