// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/detail/torus_grid.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle::detail {
namespace {

using testing::Choices;

/// A grid whose places have this property.
template <class Has>
TorusGrid grid_where(const TorusTopology::Shape& shape, Has has) {
    TorusGrid grid(shape);
    for (std::uint32_t place = 0; place < *shape.volume(); ++place) {
        if (has(place)) grid.set(place);
    }
    return grid;
}

std::uint32_t step_along(const TorusTopology::Shape& all, std::uint32_t place, Axis axis,
                         std::uint32_t by) {
    std::uint32_t x = place % all.x;
    std::uint32_t y = place / all.x % all.y;
    std::uint32_t z = place / all.x / all.y;
    (axis == Axis::x ? x : axis == Axis::y ? y : z) += by;
    return x % all.x + all.x * (y % all.y + all.y * (z % all.z));
}

TEST_CASE("TorusGrid: each question as place by place", "[alloc][topology][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(300u)}, [](Choices& choices) {
        const auto length = [&](std::uint64_t most) {
            return static_cast<std::uint32_t>(1 + choices.below(most));
        };
        const TorusTopology::Shape all{choices.one_in(2) ? length(200) : length(5), length(4),
                                       length(3)};
        std::vector<bool> has(*all.volume());
        for (std::size_t i = 0; i < has.size(); ++i) has[i] = !choices.one_in(5);
        const TorusGrid grid = grid_where(all, [&](std::uint32_t p) { return has[p]; });
        std::optional<std::uint32_t> first;
        for (std::uint32_t p = *all.volume(); p-- != 0;) {
            REQUIRE(grid.test(p) == has[p]);
            if (has[p]) first = p;
        }
        REQUIRE(grid.first() == first);
        REQUIRE(grid.complement() == grid_where(all, [&](std::uint32_t p) { return !has[p]; }));
        for (const Axis axis : {Axis::x, Axis::y, Axis::z}) {
            const auto by = static_cast<std::uint32_t>(choices.below(grid.length(axis)));
            REQUIRE(grid.shifted(axis, by) == grid_where(all, [&](std::uint32_t p) {
                        return has[step_along(all, p, axis, by)];
                    }));
            REQUIRE(grid.all_along(axis, by + 1) == grid_where(all, [&](std::uint32_t p) {
                        for (std::uint32_t i = 0; i <= by; ++i) {
                            if (!has[step_along(all, p, axis, i)]) return false;
                        }
                        return true;
                    }));
        }
    });
}

TEST_CASE("TorusGrid: numbers by place, a bit in each of three grids", "[alloc][topology]") {
    const TorusTopology::Shape all{70, 1, 1};
    std::array<TorusGrid, 3> number{TorusGrid(all), TorusGrid(all), TorusGrid(all)};
    for (std::uint32_t n = 1; n <= 7; ++n) {
        grid_where(all, [&](std::uint32_t p) { return p >= n; }).add_one_to(number);
    }
    for (std::uint32_t p = 0; p < 70; ++p) {
        const std::uint32_t value = (number[0].test(p) ? 1u : 0u) + (number[1].test(p) ? 2u : 0u) +
                                    (number[2].test(p) ? 4u : 0u);
        CHECK(value == std::min(p, 7u));
    }
    TorusGrid low = number[0];
    CHECK(low.contains_all(low));
    CHECK_FALSE(low.contains_all(low.complement()));
    low -= number[1];
    CHECK(low.first() == 1u);
    low.clear(1);
    CHECK(low.first() == 5u);
}

}  // namespace
}  // namespace trestle::detail
