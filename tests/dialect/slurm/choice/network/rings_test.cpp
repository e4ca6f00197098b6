// SPDX-License-Identifier: Apache-2.0
#include "dialect/slurm/choice/network/rings.hpp"

#include <string_view>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_units.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"

namespace trestle {
namespace {

using slurm::choice::best_ring;
using slurm::choice::RingPlace;
using slurm::choice::RingTie;

/// `.` is free, `w` free and required, `x` in use.
std::vector<RingPlace> ring_of(std::string_view text) {
    std::vector<RingPlace> ring;
    for (const char place : text) {
        ring.push_back({place != 'x', place == 'w', {place == 'x' ? 0 : 1, 4, {}}});
    }
    return ring;
}

}  // namespace

TEST_CASE("Slurm rings: which neighbours", "[dialect][slurm]") {
    struct Row {
        std::vector<std::string_view> rings;
        std::int64_t nodes;
        std::string_view expected;  ///< ring:first, or none
        std::string_view why;
        RingTie tie = RingTie::first;
    };
    const std::vector<Row> rows{
        {{"........"}, 3, "0:0", "a whole ring from its start"},
        {{"xx......"}, 3, "0:2", "a run from its start"},
        {{"xxxxx...", "x.xxxxxx"}, 1, "1:1", "the ring of the fewest free nodes"},
        {{"..x..x..", "....xxxx"}, 2, "1:0", "also where another has a shorter run"},
        {{"..x.....", "xx.xxxxx"}, 2, "0:0", "if it has so many neighbours"},
        {{".xxxx..."}, 2, "0:5", "a run goes on at the start: its own start"},
        {{"..xxx..."}, 2, "0:0", "or where its nodes stand first on the ring"},
        {{".xxxx..."}, 4, "0:5", "all of it"},
        {{"......x."}, 5, "0:0", "not from its start, which stands last"},
        {{".....x.."}, 6, "0:6", "only where no other place is long enough"},
        {{"xx..xx.."}, 2, "0:2", "the first of equal runs"},
        {{"....x..x"}, 2, "0:0", "of others too"},
        {{"....", "....", "x.."}, 3, "0:0", "the first of equal rings"},
        {{"....", "....", "x.."}, 3, "1:0", "or the last", RingTie::last},
        {{"....", "...."}, 5, "none", "no job is on two rings"},
        {{"..x...", "......"}, 5, "0:3", "a run past the end"},
        {{"x..w...."}, 2, "0:2", "required nodes are among them"},
        {{"w..x...w"}, 3, "0:6", "past the end too"},
        {{"w...", "w..."}, 2, "none", "no run has nodes of two rings"},
    };
    for (const Row& row : rows) {
        std::vector<std::vector<RingPlace>> rings;
        for (const std::string_view text : row.rings) rings.push_back(ring_of(text));
        const auto found = best_ring(rings, {row.nodes, 0, {}}, row.tie);
        INFO(row.rings.front() << " " << row.nodes << ": " << row.why);
        CHECK((found ? fmt::format("{}:{}", found->ring, found->first) : "none") == row.expected);
    }
    std::vector<std::vector<RingPlace>> poor{ring_of("...."), ring_of("....")};
    for (RingPlace& place : poor[0]) place.supply.cpus = 1;
    CHECK(best_ring(poor, {2, 4, {}}, RingTie::first)->ring == 1);  // CPUs count too
    CHECK(!best_ring(poor, {2, 9, {}}, RingTie::first));
}

TEST_CASE("Slurm rings: every run of small rings", "[dialect][slurm]") {
    Rng rng(test_seed());
    INFO("seed " << test_seed());
    std::size_t found = 0;
    for (unsigned round = 0; round < test_rounds(20'000u); ++round) {
        std::vector<std::vector<RingPlace>> rings(1 + rng.below(3));
        for (auto& ring : rings) {
            ring.resize(1 + rng.below(8));
            for (RingPlace& place : ring) {
                place.is_free = !rng.chance(1, 3);
                if (place.is_free) place.supply = {1, 1, {}};
            }
        }
        const std::size_t count = 1 + rng.below(5);
        const RingTie tie = rng.chance(1, 2) ? RingTie::first : RingTie::last;
        const auto got = best_ring(rings, {static_cast<std::int64_t>(count), 0, {}}, tie);
        const auto want = oracle_best_ring(rings, count, tie);
        REQUIRE(got.has_value() == want.has_value());
        if (!got) continue;
        ++found;
        REQUIRE(std::tuple(got->ring, got->first) == *want);
    }
    CHECK(found > test_rounds(2'000u));
}

}  // namespace trestle
