// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/hostlist.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/rng.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using slurm::Hostlist;
using HostNames = std::vector<std::string>;

Hostlist hostlist(const std::string& text) {
    const auto list = Hostlist::parse(text);
    INFO(text << ": " << message(list.status()));
    REQUIRE(list.ok());
    return *list;
}

/// The order of sorted(), from its words.
auto order_of(const std::string& name) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const auto end = std::find_if(name.rbegin(), name.rend(), is_digit).base();
    const auto begin = std::find_if_not(std::make_reverse_iterator(end), name.rend(), is_digit);
    const std::string prefix(name.begin(), begin.base());
    const std::string digits(begin.base(), end);
    if (digits.empty()) return std::tuple(name, std::string(), std::size_t{0}, std::string());
    return std::tuple(prefix, std::string(end, name.end()), digits.size(), digits);
}

struct ByOrder {
    bool operator()(const std::string& a, const std::string& b) const {
        return order_of(a) < order_of(b);
    }
};
using NameSet = std::set<std::string, ByOrder>;

/// HostNames that often count on, often nearly.
HostNames random_names(Rng& rng) {
    const char* const prefixes[] = {"n", "n", "n", "rack1n", "9"};
    const char* const suffixes[] = {"", "", "", "x"};
    HostNames names;
    std::uint64_t number = rng.below(130);
    const std::size_t count = 1 + static_cast<std::size_t>(rng.below(30));
    while (names.size() < count) {
        number = rng.below(4) == 0 ? rng.below(130) : number + 1;
        std::string digits = std::to_string(number);
        if (rng.below(3) == 0 && digits.size() < 3) digits = "0" + digits;
        std::string name = prefixes[rng.below(5)] + digits + suffixes[rng.below(4)];
        if (rng.below(12) == 0) name = HostNames{"login", "a-b", "n", "rack1n"}[rng.below(4)];
        names.push_back(std::move(name));
    }
    return names;
}

Hostlist list_of(const HostNames& names) {
    Hostlist list;
    for (const std::string& name : names) list.push_back(name);
    return list;
}

HostNames members(const NameSet& set) { return {set.begin(), set.end()}; }

}  // namespace

TEST_CASE("Slurm hostlist: brackets expand in the order of the text", "[dialect][slurm]") {
    struct Row {
        const char* text;
        HostNames expected;
        const char* shortest;
        const char* why;
    };
    const Row rows[] = {
        {"login", {"login"}, "login", "a name alone"},
        {"n7", {"n7"}, "n7", "with a number"},
        {"n[01-04]", {"n01", "n02", "n03", "n04"}, "n[01-04]", "a leading zero keeps the width"},
        {"n[9-11]", {"n9", "n10", "n11"}, "n[9-11]", "without one it grows"},
        {"n[08-11]", {"n08", "n09", "n10", "n11"}, "n[08-11]", "width over the ten"},
        {"n[0-2]", {"n0", "n1", "n2"}, "n[0-2]", "a zero alone is no leading zero"},
        {"n[3,1-2],x", {"n3", "n1", "n2", "x"}, "n[3,1-2],x", "not sorted"},
        {"n[1-2],n[3-4]", {"n1", "n2", "n3", "n4"}, "n[1-4]", "what goes on is one run"},
        {"n1,n02,n3", {"n1", "n02", "n3"}, "n[1,02,3]", "n03 is not n3"},
        {"/dev/nvidia[0-1]", {"/dev/nvidia0", "/dev/nvidia1"}, "/dev/nvidia[0-1]", "files"},
        {"r[1-2]n[0-1]",
         {"r1n0", "r1n1", "r2n0", "r2n1"},
         "r1n[0-1],r2n[0-1]",
         "brackets multiply, the last fastest"},
        {"[1-2][3-4]", {"13", "14", "23", "24"}, "[13-14,23-24]", "one number from two brackets"},
        {"n1[8-10]", {"n18", "n19", "n110"}, "n[18-19,110]", "digits before a bracket"},
        {"n[1-2]0", {"n10", "n20"}, "n[10,20]", "and behind it"},
        {"n[1-2]-ib0", {"n1-ib0", "n2-ib0"}, "n1-ib0,n2-ib0", "a few are written as Slurm does"},
        {"n[1-3]-ib", {"n1-ib", "n2-ib", "n3-ib"}, "n[1-3]-ib", "text behind it"},
        {"n[0-9:3]", {"n0", "n3", "n6", "n9"}, "n[0,3,6,9]", "a step"},
        {"n[00-10:5]", {"n00", "n05", "n10"}, "n[00,05,10]", "a step and a width"},
        {"n[5-5]x", {"n5x"}, "n5x", "a run of one, and text behind it"},
        {"a,a", {"a", "a"}, "a,a", "duplicates stay"},
        {"a b", {"a", "b"}, "a,b", "a blank separates names"},
        {" n[1-2]\t n3 ,\nb ", {"n1", "n2", "n3", "b"}, "n[1-3],b", "blanks of all kinds"},
        {"n1,n1", {"n1", "n1"}, "n[1,1]", "with numbers too"},
        {"n,n[5-7]", {"n", "n5", "n6", "n7"}, "n,n[5-7]", "a name that is a prefix"},
        {"n[5-6],n", {"n5", "n6", "n"}, "n[5-6],n", "and behind"},
        {"n[999999999999999998-999999999999999999]",
         {"n999999999999999998", "n999999999999999999"},
         "n[999999999999999998-999999999999999999]",
         "the largest numbers"},
        {"n[1234567890123456789-]x", {}, nullptr, "more digits than a number has"},
        {"n1234567890123456789",
         {"n1234567890123456789"},
         "n1234567890123456789",
         "such a name counts on nowhere"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        if (row.shortest == nullptr) {
            CHECK_FALSE(Hostlist::parse(row.text).ok());
            continue;
        }
        const Hostlist list = hostlist(row.text);
        CHECK(list.names() == row.expected);
        CHECK(list.size() == row.expected.size());
        CHECK(to_text(list) == row.shortest);
        CHECK(hostlist(to_text(list)) == list);
    }
}

TEST_CASE("Slurm hostlist: lists agree with plain lists of names", "[dialect][slurm][law]") {
    Rng rng(test_seed());
    for (std::uint64_t round = 0; round < test_rounds(2000u); ++round) {
        const HostNames names = random_names(rng);
        const Hostlist list = list_of(names);
        INFO(to_text(list));
        REQUIRE(list.names() == names);
        REQUIRE(list.size() == names.size());
        const Hostlist again = hostlist(to_text(list));
        REQUIRE(again == list);
        REQUIRE(hash_of(again) == hash_of(list));
        for (std::size_t i = 0; i < names.size(); ++i) {
            REQUIRE(list[i] == names[i]);
            const auto first = std::find(names.begin(), names.end(), names[i]) - names.begin();
            REQUIRE(list.find(names[i]) == static_cast<std::uint64_t>(first));
        }
        const NameSet set(names.begin(), names.end());
        REQUIRE(list.sorted().names() == members(set));

        const HostNames others = random_names(rng);
        const Hostlist other = list_of(others);
        const NameSet other_set(others.begin(), others.end());
        NameSet both;
        NameSet mine;
        NameSet either = set;
        either.insert(other_set.begin(), other_set.end());
        for (const std::string& name : set) (other_set.contains(name) ? both : mine).insert(name);
        REQUIRE((list & other).names() == members(both));
        REQUIRE((list | other).names() == members(either));
        REQUIRE((list - other).names() == members(mine));
        REQUIRE((list == other) == (names == others));
        for (const std::string& name : others) {
            REQUIRE(list.contains(name) == set.contains(name));
        }
        Hostlist longer = list;
        longer.append(other);
        HostNames all = names;
        all.insert(all.end(), others.begin(), others.end());
        REQUIRE(longer.names() == all);
        REQUIRE(longer == list_of(all));
    }
}

TEST_CASE("Slurm hostlist: what was moved from is empty", "[dialect][slurm]") {
    Hostlist list = hostlist("n[1-3]");
    const Hostlist moved = std::move(list);
    CHECK(list.is_empty());  // NOLINT: that is what is asked
    CHECK(moved.size() == 3);
    list = moved;
    CHECK(list == moved);
}

TEST_CASE("Slurm hostlist: a list appended to itself is there twice", "[dialect][slurm]") {
    Hostlist list = hostlist("a,n[1-3]");
    list.append(list);
    CHECK(to_text(list) == "a,n[1-3],a,n[1-3]");
}

TEST_CASE("Slurm hostlist: ten million names cost what their ranges cost", "[dialect][slurm]") {
    const Hostlist list = hostlist("r[001-100]n[00001-99999],r101n[1-100]");
    CHECK(list.size() == 10'000'000);
    CHECK(list[0] == "r001n00001");
    CHECK(list[9'999'899] == "r100n99999");
    CHECK(list[9'999'999] == "r101n100");
    CHECK(list.find("r050n00007") == 49U * 99'999 + 6);
    CHECK_FALSE(list.contains("r050n7"));
    const Hostlist some = hostlist("r[050-051]n[99990-99999],r101n[090-110],login");
    CHECK(to_text(list & some) == "r050n[99990-99999],r051n[99990-99999],r101n100");
    CHECK((list - some).size() == 10'000'000 - 21);
    CHECK((list | some).size() == 10'000'000 + 10 + 10 + 1);
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
        {"a, ,b", "empty name at offset 3", "a blank between two commas is no name"},
        {" ", "empty name at offset 1", "blanks alone"},
        {"n[1 2]", "bracket without end at offset 3", "no blank inside of a bracket"},
        {"n[]", "malformed bracket at offset 2", "an empty bracket"},
        {"n[1-]", "malformed bracket at offset 4", "a range without end"},
        {"n[x]", "malformed bracket at offset 2", "letters"},
        {"n[1-2", "bracket without end at offset 5", "no ]"},
        {"n[1;2]", "bracket without end at offset 3", "a wrong separator"},
        {"n[1:2]", "bracket without end at offset 3", "a step of no range"},
        {"n[1-2:]", "malformed step at offset 6", "no step"},
        {"n[1-2:0]", "malformed step at offset 6", "a step that goes nowhere"},
        {"n1]", "stray ] at offset 2", "no ["},
        {"n[4-2]", "a range that goes down at offset 2", "largest first"},
        {"n[0-99999999999]", "too many names at offset 2", "more than the limit"},
        {"a[0-65535]b[0-65536]", "too many names at offset 12", "so for a product"},
        {"a[0-1000000]b[0-1]", "too many runs of names at offset 0", "each of its own"},
        {"n[0-99999999:2]", "too many runs of names at offset 0", "more than sets can take apart"},
        {"n[0-99999999]-ib0", "too many runs of names at offset 0", "the same of an inner number"},
        {"n[99999999999999999999]", "malformed bracket", "beyond 64 bits"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto list = Hostlist::parse(row.text);
        REQUIRE_FALSE(list.ok());
        CHECK(list.status().code() == StatusCode::kInvalidArgument);
        CHECK_THAT(std::string(message(list.status())), ContainsSubstring(row.expected));
    }
    std::string brackets = "n";
    for (int i = 0; i < 20; ++i) brackets += "[0-1999998:2]";
    CHECK_FALSE(Hostlist::parse(brackets).ok());
    const slurm::HostlistLimits none{~std::uint64_t{0}, ~std::size_t{0}};
    CHECK_FALSE(Hostlist::parse("[0-31]y[0-576460752303423487]z1", none).ok());
    std::string sum = "n[0-999999999999999999]";
    for (int i = 0; i < 19; ++i) sum += ",n[0-999999999999999999]";
    CHECK_FALSE(Hostlist::parse(sum, none).ok());
    CHECK_FALSE(Hostlist::parse(std::string(10'000, 'x') + "[0-999999]-[0-1]").ok());
    CHECK(Hostlist::parse("n[0-9]", {.max_names = 10}).ok());
    CHECK_FALSE(Hostlist::parse("n[0-9],m", {.max_names = 10}).ok());
    CHECK(Hostlist::parse("n[0,2,4]", {.max_runs = 3}).ok());
    CHECK_FALSE(Hostlist::parse("n[0,2,4,6]", {.max_runs = 3}).ok());
}

}  // namespace trestle
