// SPDX-License-Identifier: Apache-2.0
#pragma once

// SliceDeal: which device gives how many instances to which demand.
//
// Layer: alloc, internal to fit. Main type: SliceDeal. Devices that are alike for all of fit, but
// for what they are cut into, form a group. Of the ways in which a group can give the same numbers
// the best is kept; then the groups are joined. The work grows with these numbers, not with the
// ways, which are too many on a node with eight cards.
// Pitfall: there may be two best ways. Which of {0} and {0, 3} goes before the other depends on
// whether anything above 0 joins them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/node/detail/fit_problem.hpp"
#include "alloc/node/slice_space.hpp"
#include "alloc/node/step_budget.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/alloc/node/slices.hpp"
#include "trestle/base/ids.hpp"
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
    std::vector<std::pair<DeviceId, const SliceOption*>> given;  ///< by device
};

class SliceDeal {
  public:
    /// `matches`: the devices that may answer each demand.
    SliceDeal(const FitProblem& problem, const FreeState& state, const DeviceMatches& matches);

    /// The demands that want instances.
    [[nodiscard]] const std::vector<std::uint32_t>& demands() const { return demands_; }

    /// Instances that the demand could get if it were the only one.
    /// Requires: it is one of demands().
    [[nodiscard]] std::int64_t available(std::size_t demand) const;

    /// Works out what each device may give of `counts` instances for each demand of the problem;
    /// false when the budget ended first.
    [[nodiscard]] bool prepare(const std::vector<std::uint32_t>& counts, StepBudget& budget);

    /// Calls `visit(pick)` with the best ways in which all demands get what they want beside the
    /// devices of `uncut`, one for each that the rest of fit may tell apart, until it returns
    /// false. Returns false when it was stopped, or when the budget ended.
    template <class Visit>
    [[nodiscard]] bool for_each_pick(const DeviceSet& uncut, StepBudget& budget,
                                     const Visit& visit) const {
        Table all{{Numbers(wanted_.size(), 0), {SlicePick{}}}};
        for (std::uint32_t group = 0; group < groups_; ++group) {
            const auto given = give(group, uncut, budget);
            if (!given || !join(all, *given, group + 1 == groups_, budget)) return false;
        }
        for (const auto& [numbers, picks] : all) {
            if (!std::equal(wanted_.begin(), wanted_.end(), numbers.begin())) continue;
            for (const SlicePick& pick : picks) {
                if (!visit(pick)) return false;
            }
        }
        return true;
    }

  private:
    /// What is given, by place, and more that tells picks apart.
    using Numbers = std::vector<std::uint32_t>;
    /// The best ways to give such numbers: those of which none goes before another in all company.
    using Table = std::map<Numbers, std::vector<SlicePick>>;

    /// One device that can be cut.
    struct Card {
        std::vector<Slicing::Instance> held;
        std::optional<SliceSpace> space;  ///< absent: it answers no demand for instances
        std::vector<std::optional<std::size_t>> profiles;  ///< by place; absent: no candidate
        std::uint32_t twin = 0;   ///< the lowest that is cut, held and wanted in the same way
        std::uint32_t group = 0;  ///< of devices alike but for slices
        std::vector<SliceOption> options;  ///< of the twin
    };

    /// Notes that the device matches a demand, unless its shares are in use.
    void open(DeviceId id, std::size_t place);

    void find_groups();

    /// True when the devices can change places in any pick of fit as long as slices play no part.
    [[nodiscard]] bool are_alike(DeviceId a, DeviceId b) const;

    /// Demands of one kind need not be distinguished in what a group gives.
    void find_kinds();

    [[nodiscard]] bool is_of_a_kind(std::uint32_t i, std::uint32_t j) const;

    [[nodiscard]] bool is_untouched(DeviceId device) const {
        return state_.is_untouched(device, problem_.shape().devices[device.value()]);
    }

    /// Adds to the card's options those that give what `given` says up to `place`, and more.
    /// `arrangement` is of what is given so far.
    void add_options(Card& card, std::vector<std::uint32_t>& given, std::size_t place,
                     std::optional<SliceArrangement> arrangement, StepBudget& budget) const;

    [[nodiscard]] static std::optional<SliceArrangement> arrange(
        const Card& card, const std::vector<std::uint32_t>& given, StepBudget& budget);

    /// The ways in which one group can give anything, by numbers and, where it matters, by how many
    /// devices give; nothing when the budget ended.
    [[nodiscard]] std::optional<Table> give(std::uint32_t group, const DeviceSet& uncut,
                                            StepBudget& budget) const;

    /// Joins what a group gives to what the groups before it gave, and notes what tells apart where
    /// it comes from; false when the budget ended.
    [[nodiscard]] bool join(Table& all, const Table& given, bool is_last, StepBudget& budget) const;

    /// False when that is more than is wanted.
    [[nodiscard]] bool add(Numbers& numbers, const Numbers& more) const;

    /// What fit may see of a group: how much it gives to demands of each kind, by how many devices.
    void append_marks(Numbers& sum, const Numbers& given) const;

    [[nodiscard]] SlicePick with(SlicePick pick, DeviceId device, const SliceOption& option) const;
    [[nodiscard]] static SlicePick together(const SlicePick& a, const SlicePick& b);

    /// Adds the pick unless another goes before it in all company, and drops those that it goes
    /// before.
    void keep(std::vector<SlicePick>& picks, SlicePick pick) const;

    /// Less cost, more gain, lower devices, lower devices for the first demand, the second, ...,
    /// whatever other devices join both.
    [[nodiscard]] bool is_before(const SlicePick& a, const SlicePick& b) const;

    /// The devices that answer the demand, each as often as it gives an instance.
    [[nodiscard]] static std::vector<DeviceId> answering(const SlicePick& pick, std::size_t place);

    const FitProblem& problem_;
    const FreeState& state_;
    std::vector<std::uint32_t> demands_;  ///< by place
    std::vector<std::uint32_t> wanted_;   ///< by place
    std::vector<Card> cards_;             ///< by device
    std::uint32_t groups_ = 0;
    bool counts_devices_ = false;    ///< how many devices of a group give anything plays a part
    std::vector<std::size_t> kind_;  ///< by place
    std::size_t kinds_ = 0;
};

}  // namespace trestle::detail
