// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/schedule/timeline_bytes.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "alloc/schedule/timeline/owner_moment.hpp"
#include "base/cow/cow_map.hpp"
#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/seed.hpp"
#include "support/timeline_history.hpp"
#include "trestle/alloc/schedule/timeline_diff.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<TimelineParts>);
static_assert(lists_all_fields<TimelineDiff>);
static_assert(lists_all_fields<OwnerPeriod>);

}  // namespace

TEST_CASE("timeline bytes: there and back; equal timelines give equal bytes and no difference",
          "[alloc][time][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(40u)}, [](testing::Choices& choices) {
        TimelineHistory history(choices);
        history.run(10);
        const Timeline before = history.timeline();
        history.run(3);
        const Timeline& after = history.timeline();
        REQUIRE(diff(before, after).is_empty() == (before == after));
        REQUIRE((to_bytes(before) == to_bytes(after)) == (before == after));
        const auto anew = Timeline::create(after.cluster(), after.parts());
        REQUIRE(anew.ok());
        REQUIRE(*anew == after);
        REQUIRE(diff(*anew, after).is_empty());
        const std::vector<std::uint8_t> bytes = to_bytes(after);
        REQUIRE(to_bytes(*anew) == bytes);
        const auto back = timeline_from_bytes(bytes);
        REQUIRE(back.ok());
        REQUIRE(*back == after);
        // Applied in turn, the changes lead from the one to the other.
        for (const Change<OwnerId, TimedAllocation>& change : diff(before, after).reservations) {
            REQUIRE(before.period_of(change.key).has_value() == change.before.has_value());
            REQUIRE(after.period_of(change.key).has_value() == change.after.has_value());
        }
    });
}

TEST_CASE("timeline bytes: damage is found, and what cannot be is refused", "[alloc][time]") {
    const Timeline timeline(*testing::cluster_from_text("2 x (4c)"));
    std::vector<std::uint8_t> bytes = to_bytes(timeline);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::vector<std::uint8_t> damaged = bytes;
        damaged[i] ^= 1;
        CHECK(timeline_from_bytes(damaged).status().code() == invalid);
        CHECK(timeline_from_bytes({bytes.data(), i}).status().code() == invalid);
    }
    const auto other = timeline_from_bytes(to_bytes(timeline.cluster()));
    CHECK_THAT(std::string(message(other.status())),
               ContainsSubstring("timeline bytes: offset 0: expected the bytes of a timeline"));
}

TEST_CASE("Timeline: made of parts", "[alloc][time]") {
    Cluster cluster = *testing::cluster_from_text("2 x (4c)");
    REQUIRE(cluster.commit({OwnerId(1), {}, *whole_nodes(cluster, NodeSet::range({0, 2}))}).ok());
    const auto running = [](std::int64_t first, std::int64_t last, std::uint64_t owner) {
        return OwnerPeriod{{Instant(first), Instant(last)}, OwnerId(owner)};
    };
    const auto timeline = Timeline::create(cluster, {Instant(5), {running(2, 9, 1)}, {}});
    REQUIRE(timeline.ok());
    CHECK(timeline->period_of(OwnerId(1)) == Period{Instant(2), Instant(9)});
    CHECK(Timeline::create(cluster, {Instant(5), {}, {}})->period_of(OwnerId(1)) ==
          Period{Instant(5), end_of_time});
    for (const auto& wrong :
         std::vector<std::vector<OwnerPeriod>>{{running(2, 5, 1)},
                                               {running(6, 9, 1)},
                                               {running(2, 9, 2)},
                                               {running(2, 9, 1), running(2, 9, 1)}}) {
        CHECK(Timeline::create(cluster, {Instant(5), wrong, {}}).status().code() == invalid);
    }
    const Timeline::Moments& ends = timeline->ends();
    CHECK(ends.size() == 1);
}

}  // namespace trestle
