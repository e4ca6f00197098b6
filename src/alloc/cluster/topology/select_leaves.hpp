// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which leaf switches, or which blocks, give nodes to a job, and how many each.
//
// Layer: alloc. Main function: select_leaves(index, question). With height_max, first the domain:
// of those that will do the one with fewest eligible nodes, then the lowest. Then the leaves in it,
// the first difference decides: fewest leaves; lowest height of a domain that holds them all; least
// surplus, which is what the chosen leaves could give beyond what is asked, in segments; lowest
// leaf numbers. The answer is exact, and domains are walked, but never leaves.
// Pitfall: a segment is never cut, so a leaf with 7 eligible nodes gives one segment of 4, and its
// other 3 nodes count for nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "alloc/cluster/topology/detail/leaf_scope.hpp"
#include "alloc/cluster/topology/leaf_index.hpp"
#include "model/topologies.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle {

/// So many nodes of a leaf.
struct LeafShare {
    std::uint32_t leaf = 0;
    std::uint32_t nodes = 0;

    static constexpr auto fields(auto list) {
        return list(field("leaf", &LeafShare::leaf), field("nodes", &LeafShare::nodes));
    }
    friend bool operator==(const LeafShare&, const LeafShare&) = default;
};

/// What is asked of the leaves.
struct LeafQuestion {
    std::uint32_t nodes = 1;         ///< not 0
    std::uint32_t segment_size = 1;  ///< divides `nodes`
    std::optional<std::uint32_t> leaves_max;
    /// All in one domain of this height, or of the next lower one that there is; 0: in one leaf.
    std::optional<std::uint32_t> height_max;
    /// Leaves that have to be among the chosen ones, rising, with at least so many nodes, not 0.
    std::vector<LeafShare> required;

    static constexpr auto fields(auto list) {
        return list(field("nodes", &LeafQuestion::nodes),
                    field("segment_size", &LeafQuestion::segment_size),
                    field("leaves_max", &LeafQuestion::leaves_max),
                    field("height_max", &LeafQuestion::height_max),
                    field("required", &LeafQuestion::required));
    }
    friend bool operator==(const LeafQuestion&, const LeafQuestion&) = default;
};

/// The answer, rising by leaf, each with at least one node. Low leaves give all their segments;
/// what is left over is left in the last.
struct LeafChoice {
    std::vector<LeafShare> shares;
    std::uint32_t surplus = 0;  ///< nodes in segments that the chosen leaves could also host

    static constexpr auto fields(auto list) {
        return list(field("shares", &LeafChoice::shares), field("surplus", &LeafChoice::surplus));
    }
    friend bool operator==(const LeafChoice&, const LeafChoice&) = default;
};

namespace detail {

class LeafSelection {
  public:
    LeafSelection(const LeafIndex& index, const LeafQuestion& question);

    [[nodiscard]] Verdict<LeafChoice> run();

  private:
    [[nodiscard]] const LeafTree& tree() const { return index_.tree(); }
    [[nodiscard]] std::uint32_t root() const {
        return static_cast<std::uint32_t>(tree().domains().size()) - 1;
    }
    [[nodiscard]] std::uint64_t taken() const { return need_.taken.size(); }
    [[nodiscard]] std::uint32_t segments_of(std::uint32_t leaf) const {
        return index_.count(leaf) / question_.segment_size;
    }
    /// Segments that a leaf gives at least, because nodes of it are required.
    [[nodiscard]] std::uint32_t least_segments(const LeafShare& required) const {
        return (required.nodes + question_.segment_size - 1) / question_.segment_size;
    }

    /// The highest level of at most this height; null when that is the leaves.
    [[nodiscard]] const LeafLevel* level_of(std::uint32_t height) const;

    /// Whether the domain may hold the answer, as far as a quick look can tell.
    [[nodiscard]] bool may_do(std::uint32_t domain, std::uint64_t leaves) const;

    /// The domain that will do with the fewest eligible nodes, the lowest of these.
    [[nodiscard]] std::optional<std::uint32_t> best_domain(Interval<std::uint32_t> domains) const;

    /// The leaf that hosts what is needed with least surplus. Requires: one does.
    [[nodiscard]] std::uint32_t smallest_leaf(const LeafScope& scope) const;

    /// A leaf as the domain: the one that will do with the fewest eligible nodes.
    [[nodiscard]] Verdict<LeafChoice> in_one_leaf() const;

    /// Exactly so many leaves besides those taken, in the order that the preface gives.
    [[nodiscard]] std::vector<std::uint32_t> leaves_below(std::uint32_t top,
                                                          const FewestLeaves& fewest) const;
    [[nodiscard]] std::uint32_t first_inside(const LeafLevel& level, std::uint32_t top) const;

    /// These leaves and those taken, with what each gives.
    [[nodiscard]] LeafChoice choice_of(const std::vector<std::uint32_t>& leaves) const;

    [[nodiscard]] std::optional<Refusal> refuse_required() const;
    [[nodiscard]] Refusal refuse_level(const LeafLevel& level) const;

    [[nodiscard]] bool is_tree() const { return tree().kind() == TopologyKind::tree; }
    [[nodiscard]] std::string leaf_word(std::uint64_t count) const;
    [[nodiscard]] std::string in_leaves(std::uint64_t count) const {
        return fmt::format(" {} {} {}", is_tree() ? "at" : "in", count, leaf_word(count));
    }
    [[nodiscard]] std::string amount(std::uint64_t segments) const;
    [[nodiscard]] Refusal no(const std::string& where, std::uint64_t most) const;

    const LeafIndex& index_;
    const LeafQuestion& question_;
    std::uint64_t asked_;  ///< segments
    std::uint64_t leaves_max_;
    std::uint64_t hosted_by_taken_ = 0;  ///< segments at the required leaves
    LeafNeed need_;
};

}  // namespace detail

/// The best choice of leaves in the order above, or the most that can be had.
/// Requires: nodes and segment_size are not 0, the size divides nodes, required leaves exist.
/// Complexity: the domains of the heights looked at (a few instructions each), the different counts
/// of a leaf, the answer; beyond one leaf least_surplus() for each domain that is better than those
/// before it.
[[nodiscard]] Verdict<LeafChoice> select_leaves(const LeafIndex& index,
                                                const LeafQuestion& question);

}  // namespace trestle
