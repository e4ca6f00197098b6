// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which cores, once the devices are chosen.
//
// Layer: alloc, internal to fit. Main types: CoreChooser, CoreQuestion, CoreChoice. Among the cores
// that are nearest to the devices it takes those whose memory domains hold the request, in as few
// groups as possible, lowest numbers first.
// With devices in one place, all cells that are nearer than the last one needed are taken whole
// ("forced"); only among the equally far ones (the "tie") is there a choice. With devices in
// several places, or tasks dealt to parts of the node, CoreSplit says how many cores each patch
// gives, and the choice is inside the patches.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/node/detail/cores/core_split.hpp"
#include "alloc/node/detail/cores/piece_choice.hpp"
#include "alloc/node/detail/cores/thread_choice.hpp"
#include "alloc/node/detail/fit_problem.hpp"
#include "alloc/node/step_budget.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::detail {

/// A set of cores with what it costs. Less is better, first member first.
struct CoreChoice {
    NearCost near;             ///< nothing is refused
    CoreSplit::Counts split;   ///< more is better; empty where `near` decides
    Bytes far_memory;          ///< that the domains near the cores do not hold
    std::uint32_t groups = 0;  ///< of the core level that are touched
    CoreSet cores;

    friend bool operator<(const CoreChoice& a, const CoreChoice& b) {
        return std::tie(a.near, b.split, a.far_memory, a.groups, a.cores) <
               std::tie(b.near, a.split, b.far_memory, b.groups, b.cores);
    }
};

/// What is asked of the cores.
struct CoreQuestion {
    std::uint32_t count = 0;
    Bytes memory;
    std::vector<NearNeed> needs;  ///< by zone
    bool is_anywhere = false;     ///< cores may lie where no required device is near
    /// Cores of each dealt part, or of each class where cores differ; empty: of any.
    std::vector<std::uint32_t> per_part;
    /// The group of the core level that all cores are of; nothing: of any.
    std::optional<std::uint32_t> group{};
    /// Threads that may be taken of free cores, where that is limited: the others are given in
    /// thousandths.
    std::optional<std::int64_t> threads_max{};
};

class CoreChooser {
  public:
    /// `usable`: the cores that may be given at all.
    CoreChooser(const FitProblem& problem, const FreeState& free, const CoreSet& usable);

    /// Looks at the cores that a pick of devices leaves. Requires: asked before choose().
    void open(const CoreQuestion& question, const DeviceSet& devices);
    /// Cores that are left, in all or of one part.
    [[nodiscard]] std::uint32_t capacity() const { return capacity_of(views_); }
    [[nodiscard]] std::uint32_t capacity(const CoreSet& part) const;
    /// No choice of so many cores has fewer far pairs.
    [[nodiscard]] std::uint64_t far_pairs_least(std::uint32_t count) const {
        return views_.empty() ? 0 : views_.front().far * count;
    }
    /// The fewest cores from `least` on with which all devices that are required near have theirs:
    /// see CoreSplit::fewest().
    [[nodiscard]] std::int64_t fewest_near(const CoreQuestion& question, std::int64_t least,
                                           StepBudget& budget) const;
    /// The best choice, or nothing: because there is none, or because `budget` ended (then it has
    /// no step left).
    [[nodiscard]] std::optional<CoreChoice> choose(const CoreQuestion& question,
                                                   StepBudget& budget) const;

    /// What exactly these cores cost; nothing when they are not what is required.
    [[nodiscard]] std::optional<CoreChoice> judge(const CoreQuestion& question,
                                                  const CoreSet& cores) const;

  private:
    [[nodiscard]] std::optional<CoreChoice> choose_with_memory(const CoreQuestion& question,
                                                               StepBudget& budget) const;

    /// A cell as one question sees it.
    struct View {
        const CoreCell* cell;
        const CoreSet* cores;  ///< the free ones
        std::uint32_t count;
        std::uint64_t far;        ///< devices that it is far from
        std::uint32_t patch = 0;  ///< its number
    };

    [[nodiscard]] static DomainSet domains_of(const std::vector<View>& views);
    [[nodiscard]] static std::uint32_t capacity_of(const std::vector<View>& views);
    [[nodiscard]] std::uint32_t counted(std::uint32_t groups, std::uint32_t cores) const;
    [[nodiscard]] Bytes far_memory(const CoreQuestion& question, const DomainSet& near) const;
    /// `choice`, unless required memory is far. Where there are no cores nothing is.
    [[nodiscard]] std::optional<CoreChoice> judged(const CoreQuestion& question,
                                                   CoreChoice choice) const;

    /// True when the near memory of any one cell holds what is asked: memory need not be looked at.
    [[nodiscard]] bool memory_is_plenty(const CoreQuestion& question,
                                        const std::vector<View>& views) const;

    [[nodiscard]] std::optional<CoreChoice> choose_among(const CoreQuestion& question,
                                                         const std::vector<View>& views,
                                                         StepBudget& budget) const;

    /// The best choice among those with the fewest far pairs.
    /// Requires: the views are by far devices and have question.count cores.
    [[nodiscard]] std::optional<CoreChoice> choose_least_far(const CoreQuestion& question,
                                                             const std::vector<View>& views,
                                                             bool is_plenty,
                                                             StepBudget& budget) const;

    /// The best choice where the cheapest split says how many cores each patch gives.
    [[nodiscard]] std::optional<CoreChoice> choose_split(const CoreQuestion& question,
                                                         const std::vector<View>& views,
                                                         bool is_plenty, StepBudget& budget) const;
    /// `counts[i]` cores of patch i, each patch by itself: with the most memory near if that is
    /// wanted, from the fewest groups, the lowest.
    [[nodiscard]] std::optional<CoreChoice> fill_patches(const CoreQuestion& question,
                                                         const std::vector<View>& views,
                                                         const CoreSplit::Counts& counts,
                                                         bool wants_memory,
                                                         StepBudget& budget) const;
    /// The same from the fewest groups of all patches together, the lowest. Memory plays no part.
    [[nodiscard]] std::optional<CoreChoice> fill_groups(const CoreQuestion& question,
                                                        const std::vector<View>& views,
                                                        const CoreSplit::Counts& counts,
                                                        StepBudget& budget) const;
    /// The best of all ways to take `counts[i]` cores of patch i.
    [[nodiscard]] std::optional<CoreChoice> fill_slowly(const CoreQuestion& question,
                                                        const std::vector<View>& views,
                                                        const CoreSplit::Counts& counts,
                                                        StepBudget& budget) const;
    /// True when all cores of each patch have the same things of a kind, or none of them is
    /// another patch's.
    template <class ThingsOf>
    [[nodiscard]] bool follows_patches(const std::vector<View>& views,
                                       const ThingsOf& things_of) const {
        std::vector<SmallSet<>> things(patch_count_);
        for (const View& view : views) things[view.patch] |= things_of(*view.cell);
        SmallSet<> shared;
        SmallSet<> seen;
        for (const SmallSet<>& one : things) {
            shared |= one & seen;
            seen |= one;
        }
        return std::all_of(views.begin(), views.end(), [&](const View& view) {
            const SmallSet<>& all = things[view.patch];
            return things_of(*view.cell) == all || !all.intersects(shared);
        });
    }

    [[nodiscard]] CoreSplit split_of(const CoreQuestion& question,
                                     const std::vector<View>& views) const;
    /// True when which cores are nearest does not follow from the far devices of each alone.
    [[nodiscard]] bool needs_split() const;
    /// What the devices of a zone need in cores. Requires: it is one of zones_.
    [[nodiscard]] ZoneTarget target_of(const CoreQuestion& question, std::uint32_t zone) const;
    /// Fills in what the chosen cores cost.
    void set_near(const CoreQuestion& question, CoreChoice& choice) const;
    /// Numbers the patches of the views. Requires: zones_ is known.
    void find_patches();

    /// A part is what one patch has of a group with the same near memory.
    static void add_to_parts(const View& view, std::vector<std::vector<View>>& parts);
    [[nodiscard]] static CoreSet cores_of(const std::vector<View>& part);
    /// Calls use(pick) for all sets of 1 to `most` of n parts; false when it returned false, or
    /// when `budget` ended.
    template <class Use>
    [[nodiscard]] static bool for_each_pick(std::size_t n, std::size_t most, StepBudget& budget,
                                            const Use& use) {
        for (std::size_t size = 1; size <= std::min(n, most); ++size) {
            std::vector<std::size_t> pick(size);
            for (std::size_t i = 0; i < size; ++i) pick[i] = i;
            do {
                if (!budget.spend() || !use(std::as_const(pick))) return false;
            } while (next_combination(pick, n));
        }
        return true;
    }

    /// Cells of one part are chosen between by memory, pieces of one part by their groups.
    void add_tie(const View& view, bool is_plenty, const DomainSet& near,
                 PieceChoice& pieces) const;

    /// Any set of parts may be the answer: a larger one can be nearer to devices, or have more
    /// memory.
    [[nodiscard]] std::optional<CoreChoice> choose_slowly(const CoreQuestion& question,
                                                          const std::vector<View>& views,
                                                          StepBudget& budget) const;

    /// The nearest cores that touch every picked part and no other one; nothing when there are too
    /// few, or when they are not what is required, or when `budget` ended.
    [[nodiscard]] std::optional<CoreChoice> touching_all(
        const CoreQuestion& question, const std::vector<std::vector<View>>& parts,
        const std::vector<std::size_t>& pick, StepBudget& budget) const;

    /// Cores that the question cannot tell apart, with equally many threads to take of those that
    /// are free.
    [[nodiscard]] std::vector<ThreadChoice::Part> alike_parts(const CoreQuestion& question) const;

    [[nodiscard]] std::optional<CoreChoice> choose_light(const CoreQuestion& question,
                                                         const ThreadChoice& by_threads,
                                                         StepBudget& budget) const;

    const FitProblem& problem_;
    const CoreSet& unpinned_;         ///< free cores
    std::vector<Bytes> free_memory_;  ///< by DomainId; none where it is not given
    std::vector<CoreSet> free_;       ///< by cell
    std::vector<View> views_;         ///< by far devices
    SmallSet<> zones_;                ///< near to a device, and not to all of the views
    std::uint32_t patch_count_ = 0;
};

}  // namespace trestle::detail
