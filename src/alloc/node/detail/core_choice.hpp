// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which cores, once the devices are chosen.
//
// Layer: alloc, internal to fit. Main types: CoreChooser, CoreQuestion, CoreChoice. Among the cores
// with the fewest far devices it takes those whose memory domains hold the request, in as few
// groups as possible, lowest numbers first.
// A reader would get wrong: far pairs come first, so all cells that are nearer than the last one
// needed are taken whole ("forced"); only among the equally far ones (the "tie") is there a choice.

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "alloc/node/detail/fit_problem.hpp"
#include "alloc/node/detail/piece_choice.hpp"
#include "alloc/node/detail/thread_choice.hpp"
#include "alloc/node/step_budget.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::detail {

/// A set of cores with what it costs. Less is better, first member first.
struct CoreChoice {
    std::uint64_t far_pairs = 0;  ///< a chosen core and a chosen device that is not near it
    Bytes far_memory;             ///< that the domains near the cores do not hold
    std::uint32_t groups = 0;     ///< of the core level that are touched
    CoreSet cores;

    friend bool operator<(const CoreChoice& a, const CoreChoice& b) {
        return std::tie(a.far_pairs, a.far_memory, a.groups, a.cores) <
               std::tie(b.far_pairs, b.far_memory, b.groups, b.cores);
    }
};

/// What is asked of the cores.
struct CoreQuestion {
    std::uint32_t count = 0;
    Bytes memory;
    std::vector<std::uint32_t> weight;       ///< by zone: devices that are near it alone
    SmallSet<> required;                     ///< zones that all cores have to lie in
    std::vector<std::uint32_t> per_package;  ///< cores of each package; empty: of any
    /// Threads that may be taken of those that nobody has, where that is limited: the others are
    /// given in thousandths.
    std::optional<std::int64_t> threads_max{};
};

class CoreChooser {
  public:
    /// `usable`: the cores that may be given at all.
    CoreChooser(const FitProblem& problem, const FreeState& free, const CoreSet& usable);

    /// Looks at the cores that a pick of devices leaves. Requires: asked before choose().
    void open(const CoreQuestion& question, const DeviceSet& devices);
    /// Cores that are left, in all or on one package.
    [[nodiscard]] std::uint32_t capacity() const { return capacity_of(views_); }
    [[nodiscard]] std::uint32_t capacity(const CoreSet& package) const;
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
        std::uint64_t far;  ///< devices that it is far from
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

    [[nodiscard]] std::optional<CoreChoice> choose_per_package(const CoreQuestion& question,
                                                               const std::vector<View>& views,
                                                               StepBudget& budget) const;

    /// The best choice among those with the fewest far pairs.
    /// Requires: the views are by far devices and have `count` cores.
    [[nodiscard]] std::optional<CoreChoice> choose_least_far(const CoreQuestion& question,
                                                             std::uint32_t count,
                                                             const std::vector<View>& views,
                                                             bool is_plenty,
                                                             StepBudget& budget) const;

    /// Cells of one part are chosen between by memory, pieces of one part by their groups.
    void add_tie(const View& view, bool is_plenty, const DomainSet& near,
                 PieceChoice& pieces) const;

    /// Any set of parts may be the answer: a larger one can have fewer far pairs, or more memory.
    [[nodiscard]] std::optional<CoreChoice> choose_slowly(const CoreQuestion& question,
                                                          const std::vector<View>& views,
                                                          StepBudget& budget) const;

    /// The least far cores that touch every picked part; nothing when there are too few, or when
    /// they are not what is required.
    [[nodiscard]] std::optional<CoreChoice> touching_all(
        const CoreQuestion& question, const std::vector<std::vector<View>>& parts,
        const std::vector<std::size_t>& pick) const;

    /// Cores of one cell, with equally many threads to take of those that nobody has.
    [[nodiscard]] std::vector<ThreadChoice::Part> alike_parts() const;

    [[nodiscard]] std::optional<CoreChoice> choose_light(const CoreQuestion& question,
                                                         const ThreadChoice& by_threads,
                                                         StepBudget& budget) const;

    const FitProblem& problem_;
    const CoreSet& unpinned_;         ///< cores that nobody has
    std::vector<Bytes> free_memory_;  ///< by DomainId; none where it is not given
    std::vector<CoreSet> free_;       ///< by cell
    std::vector<View> views_;         ///< by far devices
};

}  // namespace trestle::detail
