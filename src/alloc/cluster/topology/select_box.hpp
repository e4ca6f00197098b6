// SPDX-License-Identifier: Apache-2.0
#pragma once

// A box of eligible nodes on a torus, turned in any way, and around its ends.
//
// Layer: alloc. Main function: select_box(index, question). The first difference decides: fewest
// open sides; fewest eligible nodes on the torus; lowest torus; lowest origin, by place; lowest
// lengths along x, then y, then z. A side is open when an eligible node lies right beyond it; a box
// that goes all the way around has no sides there. So boxes lie against what is taken already.
// Pitfall: the origin is the corner with the lowest coordinates before wrapping around, not the
// lowest place that the box covers.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "alloc/cluster/topology/torus_index.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle {

/// What is asked of the tori.
struct BoxQuestion {
    TorusTopology::Shape shape;    ///< no length is 0
    std::vector<NodeId> required;  ///< have to lie in the box

    static constexpr auto fields(auto list) {
        return list(field("shape", &BoxQuestion::shape), field("required", &BoxQuestion::required));
    }
    friend bool operator==(const BoxQuestion&, const BoxQuestion&) = default;
};

struct BoxChoice {
    std::uint32_t torus = 0;
    std::uint32_t origin = 0;    ///< by place
    TorusTopology::Shape shape;  ///< the one asked for, turned
    std::uint32_t open_sides = 0;
    std::vector<NodeId> nodes;  ///< of the box, x fastest

    static constexpr auto fields(auto list) {
        return list(field("torus", &BoxChoice::torus), field("origin", &BoxChoice::origin),
                    field("shape", &BoxChoice::shape), field("open_sides", &BoxChoice::open_sides),
                    field("nodes", &BoxChoice::nodes));
    }
    friend bool operator==(const BoxChoice&, const BoxChoice&) = default;
};

namespace detail {

/// The ways to turn a box, lowest lengths first.
[[nodiscard]] std::vector<TorusTopology::Shape> turns_of(const TorusTopology::Shape& shape);

/// The origins of such boxes in the grid; nothing when the box is longer than the torus.
[[nodiscard]] std::optional<TorusGrid> origins_of(const TorusGrid& grid,
                                                  const TorusTopology::Shape& box);

/// By origin, how many sides of a box are open, as three bits of a number.
class OpenSides {
  public:
    OpenSides(const TorusGrid& eligible, const TorusTopology::Shape& box);

    /// Leaves the origins with the fewest, and says how many that is. Requires: there is an origin.
    [[nodiscard]] std::uint32_t keep_fewest(TorusGrid& origins) const;

  private:
    /// `closed`: the origins of faces without an eligible node, across the axis.
    void add(const TorusGrid& closed, Axis axis, std::uint32_t length);

    std::array<TorusGrid, 3> bits_;
};

class BoxSelection {
  public:
    BoxSelection(const TorusIndex& index, const BoxQuestion& question)
        : index_(index), question_(question) {}

    /// The first box in order that is accepted.
    template <class Accepts>
    [[nodiscard]] Verdict<BoxChoice> run(Accepts accepts) {
        const auto volume = question_.shape.volume();
        for (std::uint32_t torus = 0; torus < index_.torus_count(); ++torus) {
            if (!volume || index_.total(torus) < *volume || !has_required(torus)) continue;
            for (const TorusTopology::Shape& box : turns_of(question_.shape)) look_at(torus, box);
        }
        while (!turns_.empty()) {
            const auto best = std::min_element(
                turns_.begin(), turns_.end(),
                [&](const Turn& a, const Turn& b) { return key_of(a.best) < key_of(b.best); });
            BoxChoice choice = best->best;
            for_each_place(choice, [&](std::uint32_t place) {
                choice.nodes.push_back(*index_.node_at({choice.torus, place}));
            });
            if (accepts(choice)) return choice;
            best->origins.clear(choice.origin);
            if (!find_best(*best)) turns_.erase(best);
        }
        return refuse();
    }

  private:
    /// The boxes of one torus that are turned alike.
    struct Turn {
        TorusGrid origins;
        OpenSides sides;
        BoxChoice best;  ///< without its nodes
    };

    [[nodiscard]] std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t> key_of(
        const BoxChoice& box) const;
    /// False when there is no origin any more.
    [[nodiscard]] static bool find_best(Turn& turn);

    [[nodiscard]] bool has_required(std::uint32_t torus) const;

    void look_at(std::uint32_t torus, const TorusTopology::Shape& box);

    /// Leaves the origins whose box holds the place.
    static void keep_around(TorusGrid& origins, std::uint32_t place,
                            const TorusTopology::Shape& box);

    [[nodiscard]] static TorusTopology::Shape coordinates(std::uint32_t place,
                                                          const TorusTopology::Shape& all);
    /// Around the torus.
    [[nodiscard]] static std::uint32_t place_at(const TorusTopology::Shape& at,
                                                const TorusTopology::Shape& all) {
        return at.x % all.x + all.x * (at.y % all.y + all.y * (at.z % all.z));
    }
    template <class Visit>
    void for_each_place(const BoxChoice& box, Visit visit) const {
        const TorusTopology::Shape& all = index_.grid(box.torus).shape();
        const TorusTopology::Shape origin = coordinates(box.origin, all);
        for (std::uint32_t k = 0; k < box.shape.z; ++k) {
            for (std::uint32_t j = 0; j < box.shape.y; ++j) {
                for (std::uint32_t i = 0; i < box.shape.x; ++i) {
                    visit(place_at({origin.x + i, origin.y + j, origin.z + k}, all));
                }
            }
        }
    }

    [[nodiscard]] bool can_have(const TorusTopology::Shape& shape) const;
    /// The box, and what is left of it when its longest length is made one shorter again and again.
    [[nodiscard]] std::vector<TorusTopology::Shape> smaller_boxes() const;
    [[nodiscard]] Refusal refuse() const;

    const TorusIndex& index_;
    const BoxQuestion& question_;
    std::vector<Turn> turns_;  ///< with an origin, by torus and lengths
};

}  // namespace detail

/// The first box in the order above that `accepts(choice)` does not turn down.
/// Requires: no length of the shape is 0. Complexity: for each way to turn the box, the places of
/// the tori / 64 times the logarithms of the lengths, and once more the places / 64 for each box
/// turned down. A no costs some times as much, to find the largest box that can be had.
template <class Accepts>
[[nodiscard]] Verdict<BoxChoice> select_box(const TorusIndex& index, const BoxQuestion& question,
                                            Accepts accepts) {
    TRESTLE_EXPECTS(question.shape.volume() != 0u, "a box has places");
    return detail::BoxSelection(index, question).run(accepts);
}
[[nodiscard]] Verdict<BoxChoice> select_box(const TorusIndex& index, const BoxQuestion& question);

}  // namespace trestle
