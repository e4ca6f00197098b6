// SPDX-License-Identifier: Apache-2.0
#pragma once

// PieceChoice: so many cores out of pieces, first for memory, then from the fewest groups, then the
// lowest.
//
// Layer: alloc, internal to CoreChooser. Main type: PieceChoice. A piece is what one group has of
// cores with the same near memory; all cores of a piece cost the same.
// Pitfall: pieces are enumerated only by the memory that they bring, in the order of their lowest
// cores, so that the first plain answer that is good enough is the best. Which groups to take is
// greedy and still exact: the largest ones show how few are enough, and taking the lowest piece
// whenever the others still suffice gives the lowest cores.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/node/step_budget.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::detail {

class PieceChoice {
  public:
    /// Less is better, first member first.
    struct Found {
        Bytes far_memory;
        std::uint32_t groups = 0;
        CoreSet cores;

        friend bool operator<(const Found& a, const Found& b) {
            return std::tie(a.far_memory, a.groups, a.cores) <
                   std::tie(b.far_memory, b.groups, b.cores);
        }
    };

    /// The group has a chosen core already.
    void touch_group(std::uint32_t group) { touched_.insert(group); }

    /// `domains`: near memory that nothing chosen so far is near to. `is_split`: a group may have
    /// pieces with different near memory.
    void add(const CoreSet& cores, const DomainSet& domains, std::uint32_t group, bool is_split);

    /// `count` cores of the pieces; nothing when there are too few, or when `budget` ended.
    /// far_memory(domains) tells what is missing when these become near too. Groups touched before
    /// are counted.
    template <class FarMemory>
    [[nodiscard]] std::optional<Found> best(std::uint32_t count, const FarMemory& far_memory,
                                            StepBudget& budget) {
        const bool is_no_choice = pieces_.size() == 1 && pieces_.front().domains.is_empty();
        if (is_no_choice) {
            if (!budget.spend() || pieces_.front().cores.count() < count) return std::nullopt;
            touch_group(pieces_.front().group);
            return Found{far_memory(DomainSet()), touched_.count(),
                         pieces_.front().cores.first_k(count)};
        }
        sort_pieces();
        std::optional<Found> best;
        const Bytes floor = far_memory(all_domains());
        const auto most = std::min<std::size_t>(classes_.size(), count);
        for (std::size_t size = size_least(count, floor, far_memory); size <= most; ++size) {
            const bool is_settled = best && best->far_memory == floor && groups_grow_ &&
                                    touched_.count() + size > best->groups;
            if (is_settled) break;
            std::vector<std::size_t> pick(size);
            for (std::size_t i = 0; i < size; ++i) pick[i] = i;
            do {
                if (!budget.spend()) return std::nullopt;
                Found found;
                found.far_memory = far_memory(domains_of(pick));
                if (best && best->far_memory < found.far_memory) continue;
                if (!choose(count, pick, found)) continue;
                if (!best || found < *best) best = std::move(found);
                const bool is_lowest = best->far_memory == floor && is_plain_ && groups_grow_ &&
                                       best->groups == touched_.count() + size;
                if (is_lowest) return best;
            } while (next_combination(pick, classes_.size()));
        }
        return best;
    }

  private:
    static constexpr std::size_t nothing = ~std::size_t{0};

    struct Piece {
        CoreSet cores;
        std::uint32_t count;
        DomainSet domains;
        std::uint32_t group;
        std::size_t klass;  ///< nothing: it brings no memory
    };

    /// By lowest core; a class for each way to bring memory.
    void sort_pieces();

    /// Fewer classes than these cannot bring what all bring together, so where all can be touched
    /// they need not be looked at.
    template <class FarMemory>
    [[nodiscard]] std::size_t size_least(std::uint32_t count, Bytes floor,
                                         const FarMemory& far_memory) const {
        if (classes_.size() > count) return 0;
        Bytes far = far_memory(DomainSet());
        std::vector<Bytes> gains;
        for (const std::size_t first : classes_) {
            gains.push_back(saturating_sub(far, far_memory(pieces_[first].domains)));
        }
        std::sort(gains.rbegin(), gains.rend());
        std::size_t size = 0;
        while (size < gains.size() && far > floor) far = saturating_sub(far, gains[size++]);
        return size;
    }

    [[nodiscard]] DomainSet all_domains() const;
    [[nodiscard]] DomainSet domains_of(const std::vector<std::size_t>& pick) const;

    /// Fills in groups and cores when exactly the picked classes bring memory.
    [[nodiscard]] bool choose(std::uint32_t count, const std::vector<std::size_t>& pick,
                              Found& found);

    /// The lowest `count` cores of `base` and of `left` open pieces that satisfy is_enough.
    [[nodiscard]] CoreSet take(std::uint32_t count, CoreSet base,
                               const std::vector<std::size_t>& pick, std::size_t left,
                               SmallSet<>& groups) const;

    /// Whether `left` of the open pieces from `from` on can touch the uncovered classes and bring
    /// `sum` cores up to `count`.
    [[nodiscard]] bool is_enough(std::size_t from, std::uint32_t sum, std::uint32_t count,
                                 const std::vector<std::size_t>& uncovered, std::size_t left) const;

    [[nodiscard]] static bool is_in(const std::vector<std::size_t>& pick, std::size_t klass) {
        return std::find(pick.begin(), pick.end(), klass) != pick.end();
    }

    std::vector<Piece> pieces_;
    std::vector<std::size_t> classes_;  ///< the first piece of each
    std::vector<const Piece*> open_;    ///< that may be chosen for the picked classes
    SmallSet<> touched_;
    bool is_split_ = false;
    bool groups_grow_ = true;
    bool is_plain_ = true;  ///< a class is a piece, others are free of charge
};

}  // namespace trestle::detail
