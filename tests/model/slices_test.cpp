// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/slices.hpp"

#include <functional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

/// Two slices: one `half` in each, or one `all`.
Slicing two_halves() {
    const SliceGeometry geometry{
        "two", 2, 2, {{"half", 1, 1, gib(1), {0, 1}, 2}, {"all", 2, 2, gib(2), {0}, 1}}};
    return {geometry, {{0, 1, "half"}, {1, 1, "half"}}, false};
}

TEST_CASE("SliceGeometry: a profile is found by its name", "[model]") {
    const SliceGeometry geometry = two_halves().geometry;
    REQUIRE(geometry.find("all") != nullptr);
    CHECK(geometry.find("all")->memory == gib(2));
    CHECK(geometry.find("") == nullptr);
    CHECK(geometry.find("quarter") == nullptr);
}

TEST_CASE("SliceInstance: ends where the next can start, and orders by where it starts",
          "[model]") {
    CHECK(Slicing::Instance{4, 2, "x"}.end() == 6);
    CHECK(Slicing::Instance{0, 4, "z"} < Slicing::Instance{4, 1, "a"});
}

TEST_CASE("check: a slicing that can exist is accepted", "[model]") {
    CHECK(check(Slicing{}).ok());
    CHECK(check(two_halves()).ok());
    Slicing all = two_halves();
    all.instances = {{0, 2, "all"}};
    CHECK(check(all).ok());
    all.geometry.memory_slices = 64;
    CHECK(check(all).ok());
}

TEST_CASE("check: the first breach in a slicing is named", "[model]") {
    struct Row {
        std::function<void(Slicing&)> change;
        std::string error;
        const char* why;
    };
    const std::vector<Row> rows = {
        {[](Slicing& s) { s.geometry.memory_slices = 65; },
         "slices of two: 65 memory slices, expected at most 64", "more than a word has bits"},
        {[](Slicing& s) { s.geometry.profiles[0].memory_slices = 0; },
         "profile half does not fit into two", "an instance of nothing"},
        {[](Slicing& s) { s.geometry.profiles[1].compute_slices = 3; },
         "profile all does not fit into two", "more compute than there is"},
        {[](Slicing& s) { s.geometry.profiles[0] = {"half", 1, 3, gib(1), {}, 2}; },
         "profile half does not fit into two", "more memory than there is, and no start"},
        {[](Slicing& s) {
             s.geometry.profiles[1].starts = {0, 1};
         },
         "profile all does not fit into two", "it would end behind the device"},
        {[](Slicing& s) {
             s.geometry.profiles[1].memory_slices = 4'294'967'295;
             s.geometry.profiles[1].starts = {1};
         },
         "profile all does not fit into two", "the end of it overflows"},
        {[](Slicing& s) {
             s.geometry.profiles[0].starts = {1, 0};
         },
         "profile half of two: starts 1 and 0, expected rising ones", "starts that fall"},
        {[](Slicing& s) {
             s.geometry.profiles[0].starts = {0, 0};
         },
         "profile half of two: starts 0 and 0, expected rising ones", "a start twice"},
        {[](Slicing& s) { s.geometry.profiles[0].instances_max = 1; },
         "instance half at 0: expected at most 1 of them and 2 compute slices in all",
         "more of a kind than there may be"},
        {[](Slicing& s) { s.geometry.profiles[0].compute_slices = 2; },
         "instance half at 1: expected at most 2 of them and 2 compute slices in all",
         "more compute than there is, together"},
        {[](Slicing& s) { s.instances[1].profile = "quarter"; },
         "instance quarter of two: no such profile", "of a profile that is not there"},
        {[](Slicing& s) {
             s.instances = {{1, 2, "all"}};
         },
         "instance all at 1: expected 2 memory slices from a legal start at or above 0",
         "where it may not start"},
        {[](Slicing& s) { s.instances[0].size = 2; },
         "instance half at 0: expected 1 memory slices from a legal start at or above 0",
         "of another size than its profile"},
        {[](Slicing& s) {
             s.instances = {{0, 2, "all"}, {1, 1, "half"}};
         },
         "instance half at 1: expected 1 memory slices from a legal start at or above 2",
         "one over another"},
        {[](Slicing& s) {
             s.instances = {{1, 1, "half"}, {0, 1, "half"}};
         },
         "instance half at 0: expected 1 memory slices from a legal start at or above 2",
         "not by start"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Slicing slicing = two_halves();
        row.change(slicing);
        const Status status = check(slicing);
        CHECK(status.code() == invalid);
        CHECK(message(status) == row.error);
    }
}

}  // namespace
}  // namespace trestle
