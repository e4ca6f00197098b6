// SPDX-License-Identifier: Apache-2.0
#include "toruses.hpp"

#include <algorithm>
#include <tuple>

namespace trestle::slurm::choice {
namespace {

Number volume_of(const TorusTopology::Shape& lengths) {
    return static_cast<Number>(lengths.volume().value_or(0));
}

/// Whether two runs of an axis that closes upon itself share a place.
bool overlap_on_axis(std::uint32_t a, std::uint32_t a_length, std::uint32_t b,
                     std::uint32_t b_length, std::uint32_t axis) {
    const std::uint32_t from_a = (b + axis - a) % axis;
    const std::uint32_t from_b = (a + axis - b) % axis;
    return from_a < a_length || from_b < b_length;
}

bool is_box_free(const TorusState& torus, const TorusBox& box) {
    const auto places = places_of(box, torus.shape);
    return std::all_of(places.begin(), places.end(),
                       [&](std::size_t place) { return torus.places[place].is_free; });
}

/// The free boxes of the placements next larger than so many nodes.
std::vector<TorusBox> larger_boxes(const TorusState& torus, Number nodes) {
    Number next = unlimited;
    for (const TorusPlacement* one : torus.placements) {
        if (volume_of(one->dims) > nodes) next = std::min(next, volume_of(one->dims));
    }
    std::vector<TorusBox> boxes;
    for (const TorusPlacement* one : torus.placements) {
        if (volume_of(one->dims) != next) continue;
        for (const TorusBox& box : anchors_of(*one, torus.shape)) {
            if (is_box_free(torus, box)) boxes.push_back(box);
        }
    }
    return boxes;
}

std::size_t required_of(const TorusState& torus) {
    return static_cast<std::size_t>(
        std::count_if(torus.places.begin(), torus.places.end(),
                      [](const TorusPlaceState& place) { return place.is_required; }));
}

}  // namespace

std::vector<TorusBox> anchors_of(const TorusPlacement& placement,
                                 const TorusTopology::Shape& torus) {
    std::vector<TorusBox> boxes;
    const TorusTopology::Shape& spacing = placement.anchor_spacing;
    const TorusTopology::Shape& seed = placement.anchor_seed;
    for (std::uint32_t x = 0; x + spacing.x <= torus.x; x += spacing.x) {
        for (std::uint32_t y = 0; y + spacing.y <= torus.y; y += spacing.y) {
            for (std::uint32_t z = 0; z + spacing.z <= torus.z; z += spacing.z) {
                boxes.push_back(
                    {{(seed.x + x) % torus.x, (seed.y + y) % torus.y, (seed.z + z) % torus.z},
                     placement.dims});
            }
        }
    }
    return boxes;
}

std::vector<std::size_t> places_of(const TorusBox& box, const TorusTopology::Shape& torus) {
    std::vector<std::size_t> places;
    for (std::uint32_t z = 0; z < box.lengths.z; ++z) {
        for (std::uint32_t y = 0; y < box.lengths.y; ++y) {
            for (std::uint32_t x = 0; x < box.lengths.x; ++x) {
                const std::size_t row = (box.corner.y + y) % torus.y +
                                        std::size_t{torus.y} * ((box.corner.z + z) % torus.z);
                places.push_back((box.corner.x + x) % torus.x + std::size_t{torus.x} * row);
            }
        }
    }
    return places;
}

bool overlap(const TorusBox& a, const TorusBox& b, const TorusTopology::Shape& torus) {
    return overlap_on_axis(a.corner.x, a.lengths.x, b.corner.x, b.lengths.x, torus.x) &&
           overlap_on_axis(a.corner.y, a.lengths.y, b.corner.y, b.lengths.y, torus.y) &&
           overlap_on_axis(a.corner.z, a.lengths.z, b.corner.z, b.lengths.z, torus.z);
}

std::optional<ChosenBox> best_box(const std::vector<TorusState>& toruses, const UnitSupply& need) {
    std::optional<ChosenBox> best;
    std::tuple<Number, Number, Number> best_key;
    std::size_t required = 0;
    for (const TorusState& torus : toruses) required += required_of(torus);
    for (std::size_t t = 0; t < toruses.size(); ++t) {
        const TorusState& torus = toruses[t];
        if (required_of(torus) != required) continue;
        const std::vector<TorusBox> larger = larger_boxes(torus, need.nodes);
        const Number idle = std::count_if(torus.places.begin(), torus.places.end(),
                                          [](const auto& place) { return place.is_free; });
        for (const TorusPlacement* placement : torus.placements) {
            if (volume_of(placement->dims) != need.nodes) continue;
            for (const TorusBox& box : anchors_of(*placement, torus.shape)) {
                if (!is_box_free(torus, box)) continue;
                UnitSupply sum;
                Number weight = 0;
                std::size_t found = 0;
                for (const std::size_t at : places_of(box, torus.shape)) {
                    const TorusPlaceState& place = torus.places[at];
                    sum.add(place.supply);
                    weight = std::max(weight, place.weight);
                    found += place.is_required ? 1U : 0U;
                }
                if (found != required || !holds(sum, need)) continue;
                const Number broken = std::count_if(
                    larger.begin(), larger.end(),
                    [&](const TorusBox& one) { return overlap(one, box, torus.shape); });
                const std::tuple key(weight, idle, broken);
                if (best && key >= best_key) continue;
                best = ChosenBox{t, box};
                best_key = key;
            }
        }
    }
    return best;
}

}  // namespace trestle::slurm::choice
