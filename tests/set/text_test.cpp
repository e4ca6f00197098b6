// SPDX-License-Identifier: Apache-2.0
#include "trestle/set/text.hpp"

#include <string>
#include <vector>

#include "set/masks.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/set/index_set.hpp"
#include "trestle/set/small_set.hpp"

using namespace trestle;

namespace {

struct Printed {
    std::vector<std::uint32_t> members;
    const char* list;
    const char* spaced;
    const char* hex;
    const char* kernel;
    const char* why;
};

const std::vector<Printed> printed_rows = {
    {{}, "", "", "0x0", "0", "the empty set"},
    {{0}, "0", "0", "0x1", "1", "one member is no run"},
    {{0, 1}, "0-1", "0-1", "0x3", "3", "two neighbours are a run"},
    {{0, 1, 2, 3, 8}, "0-3,8", "0-3 8", "0x10f", "10f", "the example of the design"},
    {{1, 3, 5}, "1,3,5", "1 3 5", "0x2a", "2a", "no neighbours"},
    {{31}, "31", "31", "0x80000000", "80000000", "the top of a group"},
    {{32}, "32", "32", "0x100000000", "1,00000000", "the bottom of the next group"},
    {{4, 100},
     "4,100",
     "4 100",
     "0x10000000000000000000000010",
     "10,00000000,00000000,00000010",
     "zero groups are written out"},
};

struct Accepted {
    const char* text;
    const char* list;
    const char* why;
};

const std::vector<Accepted> list_rows = {
    {"", "", "an empty cpuset.cpus"},
    {"\n", "", "an empty file of the kernel"},
    {"0-3,8", "0-3,8", "a list"},
    {"0-3 8", "0-3,8", "blanks separate"},
    {" 0-3 , 8 \n", "0-3,8", "blanks beside a comma and around all"},
    {"0\t1\n2", "0-2", "tabs and line ends separate"},
    {"8,0-3", "0-3,8", "order is free"},
    {"1,1,0-2,2-4", "0-4", "duplicates and overlaps merge"},
    {"5-5", "5", "a run of one"},
    {"007", "7", "leading zeros are decimal"},
    {"10", "10", "no 0x: a list"},
    {"0x10", "4", "0x: a mask"},
    {"0X1F", "0-4", "large letters"},
    {" 0x0\n", "", "a mask of nothing"},
    {"1048575", "1048575", "the largest member of a SmallSet"},
};

const std::vector<Accepted> mask_rows = {
    {"0", "", "nothing"},
    {"10f", "0-3,8", "without prefix"},
    {"0x10f", "0-3,8", "with prefix"},
    {"f,ffffffff", "0-35", "groups of the kernel"},
    {"00000000,00000000,00000003\n", "0-1", "leading zero groups and the line end of /proc"},
    {"1,0", "32", "a short group still is 32 bits"},
    {"0x00000001,,0x00000001", "0,64", "hwloc leaves zero groups empty"},
    {"0xffffffffffffffffffff", "0-79", "one number of any length"},
    {"000000000000000000000000000000001", "0", "leading zeros of one number"},
};

struct Refused {
    const char* text;
    std::size_t offset;
    const char* token;
    const char* what;
    const char* why;
};

const std::vector<Refused> refused_lists = {
    {"x", 0, "x", "not a number", "no number"},
    {"-1", 0, "-1", "not a number", "no negative members"},
    {"+1", 0, "+1", "not a number", "no sign"},
    {"1,,2", 2, ",", "not a number", "an empty element"},
    {",1", 0, ",", "not a number", "an empty first element"},
    {"1,", 2, "", "list ends with a comma", "an empty last element"},
    {"1, \n", 4, "", "list ends with a comma", "also with blanks behind"},
    {"1-", 2, "", "not a number", "a run without end"},
    {"1--3", 2, "-3", "not a number", "two dashes"},
    {"1 - 3", 2, "-", "not a number", "no blanks inside a run"},
    {"0-3,8x", 5, "x", "unexpected character", "rest behind a number"},
    {"1;2", 1, ";2", "unexpected character", "another separator"},
    {"0-6:2", 3, ":2", "unexpected character", "strides are not read"},
    {"1,4-2", 2, "4-2", "run goes backwards", "reversed"},
    {"0,1048576", 2, "1048576", "number too large", "one beyond a SmallSet"},
    {"0-1048576", 0, "0-1048576", "number too large", "the same as the end of a run"},
    {"99999999999999999999", 0, "99999999999999999999", "number too large", "beyond 64 bits"},
    {"0xg", 2, "g", "not a mask", "no digit"},
    {"0x", 2, "", "not a mask", "no digits"},
    {"0x1 0x2", 4, "0x2", "unexpected character", "masks have no blanks"},
    {"1,0x2", 3, "x2", "unexpected character", "a mask inside a list"},
};

const std::vector<Refused> refused_masks = {
    {"", 0, "", "not a mask", "a mask has digits"},
    {"-1", 0, "-1", "not a mask", "no sign"},
    {",1", 0, ",", "not a mask", "an empty first group"},
    {"1,", 2, "", "not a mask", "an empty last group"},
    {"1,0x,1", 4, ",", "not a mask", "a prefix without digits"},
    {"1,123456789", 2, "123456789", "group too long", "more than 32 bits in a group"},
    {"123456789,1", 0, "123456789", "group too long", "also in the first one"},
    {"f f", 2, "f", "unexpected character", "no blanks inside"},
    {"0xf...f", 3, "...f", "unexpected character", "hwloc's infinite set is not read"},
};

template <class Set>
void check_refusal(const TextResult<Set>& result, const Refused& row) {
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().offset == row.offset);
    CHECK(result.error().token == row.token);
    CHECK(result.error().what == row.what);
    CHECK_FALSE(result.error().expected.empty());
}

}  // namespace

TEMPLATE_TEST_CASE("Set text: printing, and reading what was printed", "[set]", SmallSet<>, CoreSet,
                   IndexSet<>) {
    for (const Printed& row : printed_rows) {
        INFO(row.why);
        TestType set;
        for (const std::uint32_t i : row.members) set.insert(typename TestType::value_type(i));
        CHECK(to_text(set) == row.list);
        CHECK(to_space_list(set) == row.spaced);
        CHECK(to_hex_mask(set) == row.hex);
        for (const char* text : {row.list, row.spaced, row.hex}) {
            CHECK(*parse_set<TestType>(text) == set);
        }
        CHECK(*parse_mask<TestType>(row.hex) == set);
        CHECK(*parse_mask<TestType>(row.kernel) == set);
    }
}

TEMPLATE_TEST_CASE("Set text: lists that are read", "[set]", SmallSet<>, IndexSet<>) {
    for (const Accepted& row : list_rows) {
        INFO(row.why << ": " << row.text);
        const auto set = parse_set<TestType>(row.text);
        REQUIRE(set.has_value());
        CHECK(to_text(*set) == row.list);
    }
}

TEMPLATE_TEST_CASE("Set text: masks that are read", "[set]", SmallSet<>, IndexSet<>) {
    for (const Accepted& row : mask_rows) {
        INFO(row.why << ": " << row.text);
        const auto set = parse_mask<TestType>(row.text);
        REQUIRE(set.has_value());
        CHECK(to_text(*set) == row.list);
    }
}

TEST_CASE("Set text: refused lists say what, where and what was expected", "[set]") {
    for (const Refused& row : refused_lists) {
        INFO(row.why << ": " << row.text);
        check_refusal(parse_set<SmallSet<>>(row.text), row);
    }
}

TEST_CASE("Set text: refused masks say what, where and what was expected", "[set]") {
    for (const Refused& row : refused_masks) {
        INFO(row.why << ": " << row.text);
        check_refusal(parse_mask<SmallSet<>>(row.text), row);
    }
}

TEST_CASE("Set text: an error is one line", "[set]") {
    CHECK(to_text(parse_set<CoreSet>("0-3,8x").error()) ==
          "unexpected character at offset 5 (\"x\"): expected ',' or a blank between the members");
    CHECK(to_text(parse_set<CoreSet>("0-9999999").error()) ==
          "number too large at offset 0 (\"0-9999999\"): expected at most 1048575");
}

TEST_CASE("Set text: offsets count from the start of the longer text", "[set]") {
    const std::string_view line = "Name=gpu Cores=0-3,x";
    const auto cores = parse_set<CoreSet>(TextCursor(line.substr(15), 15));
    REQUIRE_FALSE(cores.has_value());
    CHECK(cores.error().offset == 19);
}

TEST_CASE("Set text: the number of members is limited", "[set]") {
    struct Row {
        const char* text;
        std::uint64_t members_max;
        bool is_read;
        const char* why;
    };
    const std::vector<Row> rows = {
        {"0-1048575", set_members_max, true, "the default limit"},
        {"0-1048576", set_members_max, false, "one more"},
        {"0-4294967294", set_members_max, false, "everything"},
        {"4294967294", 1, true, "the largest number is one member"},
        {"0-2,2", 4, true, "counted as written"},
        {"0-2,2", 3, false, "duplicates count"},
        {"", 0, true, "nothing fits always"},
        {"0", 0, false, "one is more than none"},
        {"0xff", 8, true, "a mask"},
        {"0xff", 7, false, "a mask with one more"},
    };
    for (const Row& row : rows) {
        INFO(row.why << ": " << row.text);
        const auto set = parse_set<IndexSet<>>(row.text, row.members_max);
        CHECK(set.has_value() == row.is_read);
        if (!row.is_read) CHECK(set.error().what == "too many members");
    }
}

TEST_CASE("Set text: a mask of members beyond 2^20 is refused on both ways", "[set]") {
    const auto far = IndexSet<>::of({1U << 20});
    const std::string rule = "members of a set that is printed as a mask are below 2^20";
    CHECK(broken_contract([&] { static_cast<void>(to_hex_mask(far)); }) == rule);
    const std::string mask = "0x1" + std::string((1U << 20) / 4, '0');
    const auto small = parse_set<SmallSet<>>(mask);
    REQUIRE_FALSE(small.has_value());
    CHECK(small.error().what == "number too large");
    CHECK(small.error().token.size() == 64);
    CHECK(*parse_set<IndexSet<>>(mask) == far);
}

TEMPLATE_TEST_CASE("Set text: parse(print(x)) is x for random sets", "[set][law]", SmallSet<>,
                   IndexSet<>) {
    const std::uint64_t seed = test_seed();
    Rng rng(seed);
    for (int round = 0; round < 300; ++round) {
        INFO("seed " << seed << ", round " << round);
        TestType set;
        for (std::uint64_t runs = rng.below(12); runs != 0; --runs) {
            const auto first = static_cast<std::uint32_t>(rng.below(2000));
            set.insert_range({first, first + static_cast<std::uint32_t>(rng.below(70))});
        }
        for (const std::string& text : {to_text(set), to_space_list(set), to_hex_mask(set)}) {
            CHECK(*parse_set<TestType>(text) == set);
        }
        CHECK(*parse_mask<TestType>(to_hex_mask(set)) == set);
    }
}

TEST_CASE("Set text: sets print with fmt and inside structs", "[set]") {
    CHECK(fmt::format("{}", CoreSet::range({0, 4})) == "0-3");
    CHECK(fmt::format("{:>5}", IndexSet<>::of({1, 7})) == "  1,7");
}
