// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/hostlist.hpp"

#include "support/catch.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;
using Names = std::vector<std::string>;

TEST_CASE("Slurm hostlist: brackets expand in the order of the text", "[dialect][slurm]") {
    struct Row {
        const char* text;
        Names expected;
        const char* why;
    };
    const Row rows[] = {
        {"login", {"login"}, "a name alone"},
        {"n[01-04]", {"n01", "n02", "n03", "n04"}, "a leading zero keeps the width"},
        {"n[9-11]", {"n9", "n10", "n11"}, "without one it grows"},
        {"n[08-11]", {"n08", "n09", "n10", "n11"}, "width over the ten"},
        {"n[3,1-2],x", {"n3", "n1", "n2", "x"}, "not sorted"},
        {"/dev/nvidia[0-1]", {"/dev/nvidia0", "/dev/nvidia1"}, "files are written so too"},
        {"r[1-2]n[0-1]", {"r1n0", "r1n1", "r2n0", "r2n1"}, "brackets multiply, the last fastest"},
        {"n[5-5]x", {"n5x"}, "a run of one, and text behind it"},
        {"a,a", {"a", "a"}, "duplicates stay"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto names = slurm::parse_hostlist(row.text);
        REQUIRE(names.ok());
        CHECK(*names == row.expected);
    }
}

TEST_CASE("Slurm hostlist: a malformed list says where", "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"", "empty name at offset 0", "nothing"},
        {"a,,b", "empty name at offset 2", "nothing between two commas"},
        {"a,", "empty name at offset 2", "nothing behind the last"},
        {"n[]", "malformed bracket at offset 2", "an empty bracket"},
        {"n[1-]", "malformed bracket at offset 4", "a run without end"},
        {"n[x]", "malformed bracket at offset 2", "letters"},
        {"n[1-2", "bracket without end at offset 5", "no ]"},
        {"n[1;2]", "bracket without end at offset 3", "a wrong separator"},
        {"n1]", "stray ] at offset 2", "no ["},
        {"n[4-2]", "a run that goes down at offset 2", "largest first"},
        {"n[0-4294967294]", "too many names at offset 2", "no memory for that"},
        {"a[0-999]b[0-999]", "too many names", "nor for a product"},
        {"n[99999999999999999999]", "malformed bracket", "beyond 64 bits"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto names = slurm::parse_hostlist(row.text);
        REQUIRE_FALSE(names.ok());
        CHECK_THAT(std::string(message(names.status())), ContainsSubstring(row.expected));
    }
    CHECK(slurm::parse_hostlist("n[0-18446744073709551615]").status().code() ==
          StatusCode::kInvalidArgument);
    CHECK(slurm::parse_hostlist("n[0-9]", {.max_names = 10}).ok());
    CHECK_FALSE(slurm::parse_hostlist("n[0-9],m", {.max_names = 10}).ok());
}
