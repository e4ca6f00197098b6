// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/select_box.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/base/fmt.hpp"

namespace trestle {

namespace detail {

std::vector<TorusTopology::Shape> turns_of(const TorusTopology::Shape& shape) {
    std::array<std::uint32_t, 3> lengths{shape.x, shape.y, shape.z};
    std::sort(lengths.begin(), lengths.end());
    std::vector<TorusTopology::Shape> turns;
    do {
        turns.push_back({lengths[0], lengths[1], lengths[2]});
    } while (std::next_permutation(lengths.begin(), lengths.end()));
    return turns;
}

std::optional<TorusGrid> origins_of(const TorusGrid& grid, const TorusTopology::Shape& box) {
    const TorusTopology::Shape& all = grid.shape();
    if (box.x > all.x || box.y > all.y || box.z > all.z) return std::nullopt;
    return grid.all_along(Axis::x, box.x).all_along(Axis::y, box.y).all_along(Axis::z, box.z);
}

OpenSides::OpenSides(const TorusGrid& eligible, const TorusTopology::Shape& box)
    : bits_{TorusGrid(eligible.shape()), TorusGrid(eligible.shape()), TorusGrid(eligible.shape())} {
    const TorusGrid closed = eligible.complement();
    add(closed.all_along(Axis::y, box.y).all_along(Axis::z, box.z), Axis::x, box.x);
    add(closed.all_along(Axis::x, box.x).all_along(Axis::z, box.z), Axis::y, box.y);
    add(closed.all_along(Axis::x, box.x).all_along(Axis::y, box.y), Axis::z, box.z);
}

std::uint32_t OpenSides::keep_fewest(TorusGrid& origins) const {
    std::uint32_t fewest = 0;
    for (std::uint32_t i = 3; i-- != 0;) {
        if (bits_[i].contains_all(origins)) {
            fewest |= 1u << i;
        } else {
            origins -= bits_[i];
        }
    }
    return fewest;
}

void OpenSides::add(const TorusGrid& closed, Axis axis, std::uint32_t length) {
    const std::uint32_t all = closed.length(axis);
    if (length == all) return;
    const TorusGrid open = closed.complement();
    open.shifted(axis, all - 1).add_one_to(bits_);
    open.shifted(axis, length).add_one_to(bits_);
}

std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t> BoxSelection::key_of(
    const BoxChoice& box) const {
    return {box.open_sides, index_.total(box.torus), box.torus, box.origin};
}

bool BoxSelection::find_best(Turn& turn) {
    if (!turn.origins.first()) return false;
    TorusGrid fewest = turn.origins;
    turn.best.open_sides = turn.sides.keep_fewest(fewest);
    turn.best.origin = *fewest.first();
    return true;
}

bool BoxSelection::has_required(std::uint32_t torus) const {
    return std::all_of(question_.required.begin(), question_.required.end(), [&](NodeId node) {
        const auto at = index_.place_of(node);
        return at && at->torus == torus;
    });
}

void BoxSelection::look_at(std::uint32_t torus, const TorusTopology::Shape& box) {
    const TorusGrid& eligible = index_.grid(torus);
    auto origins = origins_of(eligible, box);
    if (!origins) return;
    for (const NodeId node : question_.required) {
        keep_around(*origins, index_.place_of(node)->place, box);
    }
    if (!origins->first()) return;
    turns_.push_back({*std::move(origins), OpenSides(eligible, box), {torus, 0, box, 0, {}}});
    static_cast<void>(find_best(turns_.back()));
}

void BoxSelection::keep_around(TorusGrid& origins, std::uint32_t place,
                               const TorusTopology::Shape& box) {
    TorusGrid around(origins.shape());
    const TorusTopology::Shape& all = origins.shape();
    const auto [x, y, z] = coordinates(place, all);
    for (std::uint32_t k = 0; k < box.z; ++k) {
        for (std::uint32_t j = 0; j < box.y; ++j) {
            for (std::uint32_t i = 0; i < box.x; ++i) {
                around.set(place_at({x + all.x - i, y + all.y - j, z + all.z - k}, all));
            }
        }
    }
    origins &= around;
}

TorusTopology::Shape BoxSelection::coordinates(std::uint32_t place,
                                               const TorusTopology::Shape& all) {
    return {place % all.x, place / all.x % all.y, place / all.x / all.y};
}

bool BoxSelection::can_have(const TorusTopology::Shape& shape) const {
    for (std::uint32_t torus = 0; torus < index_.torus_count(); ++torus) {
        const auto volume = shape.volume();
        if (!volume || index_.total(torus) < *volume) continue;
        for (const TorusTopology::Shape& box : turns_of(shape)) {
            const auto origins = origins_of(index_.grid(torus), box);
            if (origins && origins->first()) return true;
        }
    }
    return false;
}

std::vector<TorusTopology::Shape> BoxSelection::smaller_boxes() const {
    std::uint32_t longest = 1;
    for (std::uint32_t torus = 0; torus < index_.torus_count(); ++torus) {
        const TorusTopology::Shape& all = index_.grid(torus).shape();
        longest = std::max({longest, all.x, all.y, all.z});
    }
    const TorusTopology::Shape& asked = question_.shape;
    TorusTopology::Shape box{std::min(asked.x, longest), std::min(asked.y, longest),
                             std::min(asked.z, longest)};
    std::vector<TorusTopology::Shape> boxes{box};
    while (box.volume() != 1u) {
        const bool is_x = box.x >= box.y && box.x >= box.z;
        --(is_x ? box.x : box.y >= box.z ? box.y : box.z);
        boxes.push_back(box);
    }
    return boxes;
}

Refusal BoxSelection::refuse() const {
    const TorusTopology::Shape& asked = question_.shape;
    const std::string what =
        fmt::format("asked a box of {} x {} x {} nodes", asked.x, asked.y, asked.z);
    const std::vector<TorusTopology::Shape> boxes = smaller_boxes();
    // Each box lies in the one before it, so what can be had stands behind what cannot.
    const auto box =
        std::partition_point(boxes.begin(), boxes.end(),
                             [&](const TorusTopology::Shape& one) { return !can_have(one); });
    if (box == boxes.end()) {
        return {Constraint::topology, what + ", no node of a torus can be had"};
    }
    if (*box == asked) {
        return {Constraint::topology, what + ", none that can be had serves"};
    }
    return {Constraint::topology,
            fmt::format("{}, one of {} x {} x {} can be had", what, box->x, box->y, box->z)};
}

}  // namespace detail

Verdict<BoxChoice> select_box(const TorusIndex& index, const BoxQuestion& question) {
    return select_box(index, question, [](const BoxChoice&) { return true; });
}

}  // namespace trestle
