// SPDX-License-Identifier: Apache-2.0
#pragma once

// SliceDeal: which device gives how many instances to which demand.
//
// Layer: alloc, internal to fit. Main type: SliceDeal. Devices are gone through from the lowest.
// Ways to have dealt with those so far that nothing but the slices of the rest of fit's order can
// tell apart are one state, of which the best way is kept: the work grows with the states, not with
// the ways, which are too many on a node with eight cards.
// A reader would get wrong: the state says what each group of devices has given. Devices of one
// group are alike for all of fit, but for what they are cut into and what of it is held.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/alloc/detail/fit_problem.hpp"
#include "trestle/alloc/detail/step_budget.hpp"
#include "trestle/alloc/free_state.hpp"
#include "trestle/alloc/slices.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/node.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::detail {

/// What one device may give.
struct SliceOption {
    std::vector<std::uint32_t> counts;  ///< by place: the n-th demand for instances
    SliceArrangement arrangement;       ///< of these, in the order of the demands
    SlicePotential gain{};              ///< what the potential becomes, less what it was
};

/// A way to deal instances out: what each device gives, and what it costs.
struct SlicePick {
    std::uint32_t opened = 0;
    std::uint32_t changes = 0;
    SlicePotential gain{};
    std::vector<DeviceId> devices;  ///< of the whole pick, rising
    std::vector<std::pair<DeviceId, const SliceOption*>> given;
};

class SliceDeal {
  public:
    SliceDeal(const FitProblem& problem, const FreeState& state)
        : problem_(problem), state_(state) {
        const std::vector<DeviceDemand>& demands = problem.demand().devices;
        for (std::uint32_t i = 0; i < demands.size(); ++i) {
            if (!demands[i].request.slice.empty()) demands_.push_back(i);
        }
        if (demands_.empty()) return;
        cards_.resize(problem.shape().devices.size());
        for (std::size_t place = 0; place < demands_.size(); ++place) {
            for (const DeviceId device : problem.matches(demands_[place])) open(device, place);
        }
        counts_devices_ = problem.has_links() || has_reserved_cores();
        find_groups();
    }

    /// The demands that want instances.
    [[nodiscard]] const std::vector<std::uint32_t>& demands() const { return demands_; }

    /// Instances that the demand could get if it were the only one.
    /// Requires: it is one of demands().
    [[nodiscard]] std::int64_t available(std::size_t demand) const {
        const auto place = std::find(demands_.begin(), demands_.end(), demand) - demands_.begin();
        std::int64_t sum = 0;
        for (const Card& card : cards_) {
            if (!card.space) continue;
            const auto profile = card.profiles[static_cast<std::size_t>(place)];
            if (profile) sum += card.space->possible(*profile);
        }
        return sum;
    }

    /// Works out what each device may give of `counts` instances for each demand of the problem;
    /// false when the budget ended first.
    [[nodiscard]] bool prepare(const std::vector<std::uint32_t>& counts, StepBudget& budget) {
        wanted_.clear();
        for (const std::uint32_t demand : demands_) wanted_.push_back(counts[demand]);
        for (std::uint32_t d = 0; d < cards_.size(); ++d) {
            Card& card = cards_[d];
            card.options.clear();
            if (!card.space || card.twin != d) continue;
            std::vector<std::uint32_t> given(demands_.size(), 0);
            add_options(card, given, 0, std::nullopt, budget);
            if (budget.left == 0) return false;
        }
        return true;
    }

    /// Calls `visit(pick)` with the best way to reach each state in which all have what they want,
    /// beside the devices of `uncut`, until it returns false. Returns false when it was stopped, or
    /// when the budget ended.
    template <class Visit>
    [[nodiscard]] bool for_each_pick(const DeviceSet& uncut, StepBudget& budget,
                                     const Visit& visit) const {
        std::map<State, SlicePick> picks;
        State start = wanted_;
        start.resize(wanted_.size() + groups_ * group_size(), 0);
        picks.emplace(std::move(start), SlicePick{});
        for (std::uint32_t d = 0; d < cards_.size(); ++d) {
            if (uncut.contains(DeviceId(d))) {
                for (auto& [state, pick] : picks) pick.devices.push_back(DeviceId(d));
            } else if (cards_[d].space && !advance(DeviceId(d), uncut, picks, budget)) {
                return false;
            }
        }
        for (const auto& [state, pick] : picks) {
            if (is_complete(state) && !visit(pick)) return false;
        }
        return true;
    }

  private:
    /// What is still wanted, by place; then of each group what it gave, by place, and, where it
    /// matters, how many of its devices gave anything.
    using State = std::vector<std::uint32_t>;

    /// One device that can be cut.
    struct Card {
        std::vector<SliceInstance> held;
        std::optional<SliceSpace> space;  ///< absent: it answers no demand for instances
        std::vector<std::optional<std::size_t>> profiles;  ///< by place; absent: no candidate
        std::uint32_t twin = 0;   ///< the lowest that is cut, held and wanted in the same way
        std::uint32_t group = 0;  ///< of devices alike but for slices
        std::vector<SliceOption> options;  ///< of the twin
    };

    /// Notes that the device matches a demand, unless its shares are in use.
    void open(DeviceId id, std::size_t place) {
        const Device& device = problem_.shape().devices[id.value()];
        Card& card = cards_[id.value()];
        if (!card.space) {
            card.held = state_.slices_of(id);
            if (card.held.empty() && state_.shares[id.value()] != device.shares) return;
            card.space.emplace(*device.slicing, card.held);
            card.profiles.resize(demands_.size());
        }
        card.profiles[place] =
            card.space->find(problem_.demand().devices[demands_[place]].request.slice);
    }

    [[nodiscard]] bool has_reserved_cores() const {
        const std::vector<Device>& devices = problem_.shape().devices;
        return std::any_of(devices.begin(), devices.end(),
                           [](const Device& device) { return !device.reserved_cores.is_empty(); });
    }

    void find_groups() {
        const std::vector<Device>& devices = problem_.shape().devices;
        std::vector<std::uint32_t> heads;
        for (std::uint32_t d = 0; d < cards_.size(); ++d) {
            Card& card = cards_[d];
            if (!card.space) continue;
            card.twin = d;
            for (std::uint32_t other = 0; other < d && card.twin == d; ++other) {
                const Card& twin = cards_[other];
                const bool is_same = twin.space && twin.twin == other && twin.held == card.held &&
                                     twin.profiles == card.profiles &&
                                     devices[other].slicing == devices[d].slicing;
                if (is_same) card.twin = other;
            }
            const auto head = std::find_if(heads.begin(), heads.end(), [&](std::uint32_t other) {
                return are_alike(DeviceId(other), DeviceId(d));
            });
            card.group = static_cast<std::uint32_t>(head - heads.begin());
            if (head == heads.end()) heads.push_back(d);
        }
        groups_ = heads.size();
    }

    /// True when the devices can change places in any pick of fit as long as slices play no part.
    [[nodiscard]] bool are_alike(DeviceId a, DeviceId b) const {
        const Device& x = problem_.shape().devices[a.value()];
        const Device& y = problem_.shape().devices[b.value()];
        if (x.name != y.name || x.health != y.health || x.reserved_cores != y.reserved_cores ||
            x.slicing->geometry != y.slicing->geometry) {
            return false;
        }
        for (const std::uint32_t i : demands_) {
            if (problem_.zone_of(i, a) != problem_.zone_of(i, b)) return false;
        }
        for (const DeviceDemand& demand : problem_.demand().devices) {
            const bool is_per_socket = !demand.sockets.is_zero();
            const bool asks_switch = demand.request.device_locality != Locality::ignore;
            if (is_per_socket && problem_.package_of(a) != problem_.package_of(b)) return false;
            if (asks_switch && x.switches != y.switches) return false;
        }
        if (!problem_.has_links()) return true;
        if (is_untouched(a) != is_untouched(b)) return false;
        for (std::uint32_t k = 0; k < cards_.size(); ++k) {
            const DeviceId other(k);
            if (other == a || other == b) continue;
            if (problem_.link(a, other) != problem_.link(b, other)) return false;
        }
        return true;
    }

    [[nodiscard]] bool is_untouched(DeviceId device) const {
        return state_.shares[device.value()] == problem_.shape().devices[device.value()].shares &&
               cards_[device.value()].held.empty();
    }

    /// Adds to the card's options those that give what `given` says up to `place`, and more.
    /// `arrangement` is of what is given so far.
    void add_options(Card& card, std::vector<std::uint32_t>& given, std::size_t place,
                     std::optional<SliceArrangement> arrangement, StepBudget& budget) const {
        if (place == given.size()) {
            if (!arrangement) return;
            SliceOption option{given, *std::move(arrangement), {}};
            option.gain = option.arrangement.potential - card.space->potential();
            card.options.push_back(std::move(option));
            return;
        }
        const std::uint32_t most = card.profiles[place] ? wanted_[place] : 0;
        for (given[place] = 0;; ++given[place]) {
            if (given[place] > 0) {
                arrangement = arrange(card, given, budget);
                if (!arrangement) break;
            }
            add_options(card, given, place + 1, arrangement, budget);
            if (given[place] == most) break;
        }
        given[place] = 0;
    }

    [[nodiscard]] static std::optional<SliceArrangement> arrange(
        const Card& card, const std::vector<std::uint32_t>& given, StepBudget& budget) {
        std::vector<std::size_t> wanted;
        for (std::size_t place = 0; place < given.size(); ++place) {
            if (given[place] > 0) wanted.insert(wanted.end(), given[place], *card.profiles[place]);
        }
        return card.space->arrange(wanted, budget);
    }

    [[nodiscard]] std::size_t group_size() const {
        return wanted_.size() + (counts_devices_ ? 1 : 0);
    }
    [[nodiscard]] bool is_complete(const State& state) const {
        const auto end = state.begin() + static_cast<std::ptrdiff_t>(wanted_.size());
        return std::all_of(state.begin(), end, [](std::uint32_t count) { return count == 0; });
    }

    /// Lets one device give nothing, or any of its options, in every way so far.
    [[nodiscard]] bool advance(DeviceId device, const DeviceSet& uncut,
                               std::map<State, SlicePick>& picks, StepBudget& budget) const {
        const Card& card = cards_[device.value()];
        const std::vector<SliceOption>& options = cards_[card.twin].options;
        const auto last = uncut.last();
        const bool has_uncut_after = last && device < *last;
        std::map<State, SlicePick> next = picks;
        for (const auto& [state, pick] : picks) {
            for (const SliceOption& option : options) {
                State after = state;
                if (!take(after, card.group, option)) continue;
                if (!budget.spend()) return false;
                SlicePick with = pick;
                with.opened += is_untouched(device) ? 1U : 0U;
                with.changes += option.arrangement.changes;
                with.gain += option.gain;
                with.devices.push_back(device);
                with.given.emplace_back(device, &option);
                const bool has_more = has_uncut_after || !is_complete(after);
                const auto at = next.find(after);
                if (at == next.end()) {
                    next.emplace(std::move(after), std::move(with));
                } else if (beats(with, at->second, has_more)) {
                    at->second = std::move(with);
                }
            }
        }
        picks = std::move(next);
        return true;
    }

    /// False when the option gives more than is wanted.
    [[nodiscard]] bool take(State& state, std::uint32_t group, const SliceOption& option) const {
        const std::size_t at = wanted_.size() + group * group_size();
        for (std::size_t place = 0; place < wanted_.size(); ++place) {
            if (option.counts[place] > state[place]) return false;
            state[place] -= option.counts[place];
            state[at + place] += option.counts[place];
        }
        if (counts_devices_) ++state[at + wanted_.size()];
        return true;
    }

    /// Less cost, more gain, lower devices, lower devices for the first demand, the second, ...
    /// `has_more`: higher devices follow in both.
    [[nodiscard]] bool beats(const SlicePick& a, const SlicePick& b, bool has_more) const {
        if (a.opened != b.opened) return a.opened < b.opened;
        if (a.changes != b.changes) return a.changes < b.changes;
        if (a.gain != b.gain) return a.gain > b.gain;
        const auto [x, y] =
            std::mismatch(a.devices.begin(), a.devices.end(), b.devices.begin(), b.devices.end());
        if (x != a.devices.end() && y != b.devices.end()) return *x < *y;
        if (x != a.devices.end() || y != b.devices.end()) {
            return (x != a.devices.end()) == has_more;
        }
        for (std::size_t place = 0; place < wanted_.size(); ++place) {
            const auto mine = answering(a, place);
            const auto other = answering(b, place);
            if (mine != other) return mine < other;
        }
        return false;
    }

    /// The devices that answer the demand, each as often as it gives an instance.
    [[nodiscard]] static std::vector<DeviceId> answering(const SlicePick& pick, std::size_t place) {
        std::vector<DeviceId> devices;
        for (const auto& [device, option] : pick.given) {
            devices.insert(devices.end(), option->counts[place], device);
        }
        return devices;
    }

    const FitProblem& problem_;
    const FreeState& state_;
    std::vector<std::uint32_t> demands_;  ///< by place
    std::vector<std::uint32_t> wanted_;   ///< by place
    std::vector<Card> cards_;             ///< by device
    std::size_t groups_ = 0;
    bool counts_devices_ = false;  ///< how many devices of a group give anything plays a part
};

}  // namespace trestle::detail
