// SPDX-License-Identifier: Apache-2.0
#pragma once

// RelaxationSearch: which changes of the request, or which ends of owners, make a node fit.
//
// Layer: alloc, internal to explain_fit. Main type: RelaxationSearch.
// Pitfall: amounts are found by bisection, so one more was asked and refused; where less of one
// thing makes another impossible (memory near fewer cores), a larger one may exist.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/node/detail/demand_edits.hpp"
#include "alloc/node/detail/what_if.hpp"
#include "trestle/alloc/node/fit_explanation.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/model/node.hpp"

namespace trestle::detail {

/// What is left when the owner of `holding` has nothing any more.
[[nodiscard]] NodeLedger without(NodeLedger ledger, const Holding& holding);

class RelaxationSearch {
  public:
    /// Requires: it does not fit.
    RelaxationSearch(const NodeShape& shape, const NodeLedger& ledger, const FitSituation& asked,
                     WhatIf& questions);

    /// Nearest first: by kind, then by how much of the amount is lost.
    [[nodiscard]] std::vector<FitExplanation::Relaxation> run();

  private:
    /// Members of which the fewest possible are changed: at most so many are looked at.
    static constexpr std::size_t group_max = 32;

    /// The level of each edit; 0: as asked.
    using Levels = std::vector<std::int64_t>;

    [[nodiscard]] static std::int64_t amount(const DemandEdit& edit, std::int64_t level) {
        return level * edit.unit;
    }
    [[nodiscard]] FitSituation situation(const Levels& levels) const;
    [[nodiscard]] Verdict<NodePlacement> ask(const Levels& levels) {
        return questions_.ask(shape_, ledger_.free(), situation(levels));
    }

    /// Sets the level of edit `i` to the highest at which it is known to fit, if there is one.
    /// Looks for the lowest at which it is known not to fit, which is mostly seen at once, so that
    /// questions without an answer on the way there do no harm. What is asked may be beyond all
    /// reason, so the first steps upwards are bounded.
    [[nodiscard]] std::optional<NodePlacement> tighten(Levels& levels, std::size_t i);

    void add(FitExplanation::Relaxation::Kind kind, const Levels& levels, NodePlacement placement);

    void relax_one();

    /// All edits as far as they go; then as few of them as are enough, the farthest given up first;
    /// then each as little as is enough.
    void relax_several();

    /// Those that are enough by themselves of what can be changed outside of the demand; where none
    /// is, a smallest group of them, found by leaving out one after the other. `ask_with(members)`
    /// says what fits when these are changed, `add_group(members, placement)` takes them.
    template <class Ask, class Add>
    void find_groups(std::size_t count, const Ask& ask_with, const Add& add_group) {
        using Members = std::vector<std::size_t>;
        Members all;
        bool is_found = false;
        for (std::size_t i = 0; i < std::min(count, group_max); ++i) {
            all.push_back(i);
            auto answer = ask_with(Members{i});
            if (!answer) continue;
            is_found = true;
            add_group(Members{i}, *std::move(answer));
        }
        if (is_found || all.size() < 2) return;
        auto answer = ask_with(all);
        if (!answer) return;
        NodePlacement placement = *std::move(answer);
        for (std::size_t i = all.size(); i-- > 0;) {
            Members fewer = all;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            answer = ask_with(fewer);
            if (!answer) continue;
            all = std::move(fewer);
            placement = *std::move(answer);
        }
        add_group(all, std::move(placement));
    }

    /// Devices that are what is asked and may not be used now.
    [[nodiscard]] std::vector<DeviceId> unusable() const;

    void repair();

    void wait();

    [[nodiscard]] FitExplanation::Relaxation unchanged(FitExplanation::Relaxation::Kind kind) const;

    const NodeShape& shape_;
    const NodeLedger& ledger_;
    const FitSituation& asked_;
    WhatIf& questions_;
    DemandEdits edits_;
    Levels as_asked_;
    std::vector<FitExplanation::Relaxation> found_;
};

}  // namespace trestle::detail
