// SPDX-License-Identifier: Apache-2.0
#include "dialect/slurm/choice/network/toruses.hpp"

#include <algorithm>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_units.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"

namespace trestle {
namespace {

using slurm::TorusPlacement;
using slurm::choice::anchors_of;
using slurm::choice::best_box;
using slurm::choice::places_of;
using slurm::choice::TorusState;

TorusState torus_of(const TorusTopology::Shape& shape,
                    const std::vector<TorusPlacement>& placements) {
    TorusState torus;
    torus.shape = shape;
    for (const TorusPlacement& one : placements) torus.placements.push_back(&one);
    torus.places.resize(*shape.volume(), {true, false, 1, {1, 4, {}}});
    return torus;
}

std::vector<std::size_t> sorted_places(const std::vector<TorusState>& toruses, std::int64_t nodes) {
    const auto found = best_box(toruses, {nodes, 0, {}});
    if (!found) return {};
    auto places = places_of(found->box, toruses[found->torus].shape);
    std::sort(places.begin(), places.end());
    return places;
}

}  // namespace

TEST_CASE("Slurm tori: boxes as a controller chose them", "[dialect][slurm]") {
    const TorusTopology::Shape shape{4, 4, 2};
    const std::vector<TorusPlacement> aligned{{"t", {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
                                              {"t", {2, 2, 1}, {0, 0, 0}, {2, 2, 1}},
                                              {"t", {2, 2, 2}, {0, 0, 0}, {2, 2, 2}},
                                              {"t", {4, 4, 1}, {0, 0, 0}, {4, 4, 1}}};
    using Places = std::vector<std::size_t>;
    std::vector<TorusState> toruses{torus_of(shape, aligned)};
    CHECK(sorted_places(toruses, 4) == Places{0, 1, 4, 5});
    CHECK(sorted_places(toruses, 8) == Places{0, 1, 4, 5, 16, 17, 20, 21});
    CHECK(sorted_places(toruses, 3).empty());  // no shape of three
    toruses[0].places[0].is_free = false;
    CHECK(sorted_places(toruses, 4) == Places{16, 17, 20, 21});  // in the box that is broken
    CHECK(sorted_places(toruses, 8) == Places{8, 9, 12, 13, 24, 25, 28, 29});  // y before x
    CHECK(sorted_places(toruses, 16).size() == 16);

    const std::vector<TorusPlacement> seeded{{"t", {1, 1, 1}, {1, 1, 0}, {1, 1, 1}},
                                             {"t", {2, 2, 1}, {1, 1, 0}, {2, 2, 1}}};
    std::vector<TorusState> other{torus_of(shape, seeded)};
    CHECK(sorted_places(other, 1) == Places{5});
    other[0].places[0].is_required = true;
    CHECK(sorted_places(other, 4) == Places{0, 3, 12, 15});  // past the end of two axes
    other[0].places[1].is_required = true;
    CHECK(sorted_places(other, 4).empty());  // no box has both
}

TEST_CASE("Slurm tori: every box of small tori", "[dialect][slurm]") {
    Rng rng(test_seed());
    INFO("seed " << test_seed());
    const auto length = [&](std::uint32_t most) {
        return static_cast<std::uint32_t>(1 + rng.below(most));
    };
    std::size_t found = 0;
    for (unsigned round = 0; round < test_rounds(4'000u); ++round) {
        std::vector<TorusTopology::Shape> shapes;
        std::vector<std::vector<TorusPlacement>> placements(1 + rng.below(2));
        std::vector<TorusState> toruses;
        for (auto& of_torus : placements) {
            const TorusTopology::Shape shape{length(4), length(4), length(2)};
            for (std::uint64_t p = 0; p < 3; ++p) {
                const TorusTopology::Shape dims{length(shape.x), length(shape.y), length(shape.z)};
                const TorusTopology::Shape seed{length(4) - 1, length(4) - 1, length(2) - 1};
                const TorusTopology::Shape spacing =
                    rng.chance(1, 2) ? dims : TorusTopology::Shape{length(2), length(2), length(2)};
                of_torus.push_back({"t", dims, seed, spacing});
            }
            toruses.push_back(torus_of(shape, of_torus));
            for (auto& place : toruses.back().places) place.is_free = !rng.chance(1, 4);
        }
        const std::uint32_t nodes = length(8);
        const auto got = best_box(toruses, {nodes, 0, {}});
        const auto want = oracle_best_box(toruses, nodes);
        REQUIRE(got.has_value() == want.has_value());
        if (!got) continue;
        ++found;
        REQUIRE(got->torus == std::get<0>(*want));
        REQUIRE(places_of(got->box, toruses[got->torus].shape) == std::get<1>(*want));
    }
    CHECK(found > test_rounds(300u));
}

}  // namespace trestle
