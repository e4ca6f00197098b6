// SPDX-License-Identifier: Apache-2.0
// Ranges with a step, and of a number that is not the last one of its names.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

namespace trestle {
namespace {

using slurm::Hostlist;
using RangeNames = std::vector<std::string>;
using RangeNameSet = std::set<std::string>;

Hostlist range_list(const std::string& text) {
    const auto list = Hostlist::parse(text);
    INFO(text << ": " << message(list.status()));
    REQUIRE(list.ok());
    return *list;
}

/// A text of one bracketed name, and what it stands for, written out.
struct WrittenOut {
    std::string text;
    RangeNames names;
};

std::string padded(std::uint64_t number, std::size_t width) {
    std::string digits = std::to_string(number);
    if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
    return digits;
}

/// `n[0-30:3]-ib0` and the like, few names or above those that are written out.
WrittenOut random_bracket(Rng& rng) {
    const char* const heads[] = {"n", "n", "n1", "r2n", "", "n0"};
    const char* const tails[] = {"", "", "-ib0", "-ib1", "5", "x", "-ib01"};
    const std::string head = heads[rng.below(6)];
    const std::string tail = tails[rng.below(7)];
    const std::uint64_t first = rng.below(12) * rng.below(12);
    const std::uint64_t step = rng.below(3) == 0 ? 1 : rng.below(7) + 1;
    const std::uint64_t count = rng.below(2) == 0 ? rng.below(5) + 1 : rng.below(300) + 1;
    const std::uint64_t last = first + (count - 1) * step + (step == 1 ? 0 : rng.below(step));
    const std::size_t width = rng.below(4) == 0 ? 3 : 0;
    WrittenOut result;
    result.text = fmt::format("{}[{}-{}:{}]{}", head, padded(first, width), last, step, tail);
    for (std::uint64_t k = first; k <= last; k += step) {
        const bool has_width = width > std::to_string(first).size();
        result.names.push_back(head + padded(k, has_width ? width : 0) + tail);
    }
    return result;
}

/// Two brackets, or names alone, or the one above.
WrittenOut random_written_out(Rng& rng) {
    const std::uint64_t kind = rng.below(5);
    if (kind == 0) {
        const std::string name = fmt::format("n{}-ib{}", rng.below(20), rng.below(3));
        return {name, {name}};
    }
    if (kind != 1) return random_bracket(rng);
    const std::uint64_t outer = rng.below(4) + 1;
    const std::uint64_t inner = rng.below(3) + 1;
    WrittenOut result;
    result.text = fmt::format("n[0-{}]-ib[0-{}]", outer, inner);
    for (std::uint64_t i = 0; i <= outer; ++i) {
        for (std::uint64_t k = 0; k <= inner; ++k) {
            result.names.push_back(fmt::format("n{}-ib{}", i, k));
        }
    }
    return result;
}

WrittenOut random_list(Rng& rng) {
    WrittenOut all;
    for (std::uint64_t parts = rng.below(4) + 1; parts != 0; --parts) {
        const WrittenOut one = random_written_out(rng);
        all.text += (all.text.empty() ? "" : ",") + one.text;
        all.names.insert(all.names.end(), one.names.begin(), one.names.end());
    }
    return all;
}

void check_set(const Hostlist& list, const RangeNameSet& expected) {
    const RangeNames names = list.names();
    REQUIRE(names.size() == expected.size());
    REQUIRE(RangeNameSet(names.begin(), names.end()) == expected);
}

}  // namespace

TEST_CASE("Slurm hostlist: ranges with steps and inner numbers are their names",
          "[dialect][slurm][law]") {
    Rng rng(test_seed());
    for (std::uint64_t round = 0; round < test_rounds(400u); ++round) {
        const WrittenOut mine = random_list(rng);
        INFO(mine.text);
        const Hostlist list = range_list(mine.text);
        REQUIRE(list.names() == mine.names);
        REQUIRE(list.size() == mine.names.size());
        Hostlist one_by_one;
        for (const std::string& name : mine.names) one_by_one.push_back(name);
        REQUIRE(list == one_by_one);
        REQUIRE(hash_of(list) == hash_of(one_by_one));
        REQUIRE(range_list(to_text(list)) == list);
        for (int i = 0; i < 20; ++i) {
            const std::size_t at = static_cast<std::size_t>(rng.below(mine.names.size()));
            REQUIRE(list[at] == mine.names[at]);
            const auto first = std::find(mine.names.begin(), mine.names.end(), mine.names[at]);
            REQUIRE(list.find(mine.names[at]) ==
                    static_cast<std::uint64_t>(first - mine.names.begin()));
        }
        const WrittenOut other = random_list(rng);
        INFO(other.text);
        const Hostlist theirs = range_list(other.text);
        const RangeNameSet a(mine.names.begin(), mine.names.end());
        const RangeNameSet b(other.names.begin(), other.names.end());
        RangeNameSet both;
        RangeNameSet only;
        RangeNameSet either = a;
        either.insert(b.begin(), b.end());
        for (const std::string& name : a) (b.contains(name) ? both : only).insert(name);
        check_set(list.sorted(), a);
        check_set(list & theirs, both);
        check_set(list - theirs, only);
        check_set(list | theirs, either);
        for (const std::string& name : b) REQUIRE(list.contains(name) == a.contains(name));
        Hostlist longer = list;
        longer.append(theirs);
        for (const std::string& name : other.names) one_by_one.push_back(name);
        REQUIRE(longer == one_by_one);
    }
}

TEST_CASE("Slurm hostlist: ten million names by steps, or before another number",
          "[dialect][slurm]") {
    const Hostlist even = range_list("n[0-19999998:2]");
    CHECK(even.size() == 10'000'000);
    CHECK(to_text(even) == "n[0-19999998:2]");
    CHECK(even[7'654'321] == "n15308642");
    CHECK(even.find("n15308642") == 7'654'321U);
    CHECK_FALSE(even.contains("n15308643"));
    const Hostlist all = range_list("n[0-19999999]");
    CHECK(to_text(all & even) == "n[0-19999998:2]");
    CHECK(to_text(all - even) == "n[1-19999999:2]");
    CHECK(to_text(even | (all - even)) != "");
    CHECK((even | (all - even)).size() == 20'000'000);
    CHECK((even & range_list("n[0-19999998:3]")).size() == 3'333'334);
    CHECK((even - range_list("n[0-19999998:3]")).size() == 10'000'000 - 3'333'334);
    CHECK((even - range_list("n[4-8]")).size() == 10'000'000 - 3);

    const Hostlist inner = range_list("n[0-9999999]-ib0");
    CHECK(inner.size() == 10'000'000);
    CHECK(to_text(inner) == "n[0-9999999]-ib0");
    CHECK(inner[1234567] == "n1234567-ib0");
    CHECK(inner.find("n1234567-ib0") == 1'234'567U);
    CHECK_FALSE(inner.contains("n1234567-ib1"));
    CHECK(to_text(inner & range_list("n[5-6]-ib[0-3],m")) == "n5-ib0,n6-ib0");
    CHECK((inner - range_list("n[5-6]-ib[0-3],m")).size() == 10'000'000 - 2);
    CHECK((inner | range_list("n[5-6]-ib[0-3],m")).size() == 10'000'000 + 7);
    CHECK((range_list("n5-ib[0-199]") - inner).size() == 199);
    CHECK((range_list("n5-ib[0-199]") & inner).size() == 1);
    CHECK(to_text(range_list("n7-ib[0-199:2]") & inner) == "n7-ib0");
    CHECK(inner.sorted() == inner);
}

TEST_CASE("Slurm hostlist: steps apart, without end and of the largest numbers",
          "[dialect][slurm]") {
    const std::string last = "999999999999999999";
    const Hostlist far = range_list("n[0-" + last + ":10000000000000007]");
    CHECK(far.size() == 100);
    CHECK(far[99] == "n990000000000000693");
    const Hostlist other = range_list("n[0-" + last + ":10000000000000009]");
    CHECK(to_text(far & other) == "n0");
    CHECK((far - other).size() == 99);
    CHECK((far | other).size() == 199);
    CHECK(to_text(range_list("n[0-20:20],n[40-60:20]")) == "n[0,20,40,60]");
    CHECK(to_text(range_list("n[0-198:2]")) == "n[0-198:2]");
    CHECK(to_text(range_list("n[000-198:2],n199")) == "n[000-198:2,199]");
    CHECK(to_text(range_list("n[1-2]000000000000000000")) ==
          "n1000000000000000000,n2000000000000000000");
}

TEST_CASE("Slurm hostlist: many steps through each other", "[dialect][slurm][law][unsanitized]") {
    // More than are taken out of each other as ranges, and some that would come apart too far.
    Rng rng(test_seed());
    const auto random_steps = [&](std::set<std::uint64_t>& numbers) {
        std::string text;
        const std::uint64_t limit = 30'000;
        for (std::uint64_t parts = rng.below(14) + 1; parts != 0; --parts) {
            const std::uint64_t step = rng.below(rng.below(2) == 0 ? 40 : 400) + 1;
            const std::uint64_t first = rng.below(limit / 2);
            const std::uint64_t last = first + rng.below(limit - first);
            text += fmt::format("{}[{}-{}:{}]", text.empty() ? "n" : ",n", first, last, step);
            for (std::uint64_t k = first; k <= last; k += step) numbers.insert(k);
        }
        return range_list(text);
    };
    const auto check_numbers = [](const Hostlist& list, const std::set<std::uint64_t>& expected) {
        REQUIRE(list.size() == expected.size());
        std::set<std::uint64_t> numbers;
        list.for_each(
            [&](const std::string& name) { numbers.insert(std::stoull(name.substr(1))); });
        REQUIRE(numbers == expected);
    };
    for (std::uint64_t round = 0; round < test_rounds(12u); ++round) {
        std::set<std::uint64_t> a;
        std::set<std::uint64_t> b;
        const Hostlist first = random_steps(a);
        const Hostlist second = random_steps(b);
        std::set<std::uint64_t> both;
        std::set<std::uint64_t> only;
        for (const std::uint64_t number : a) (b.contains(number) ? both : only).insert(number);
        check_numbers(first.sorted(), a);
        check_numbers(first & second, both);
        check_numbers(first - second, only);
        std::set<std::uint64_t> either = a;
        either.insert(b.begin(), b.end());
        check_numbers(first | second, either);
    }
    const Hostlist sieve = range_list(
        "n[0-999999:2],n[0-999999:3],n[0-999999:5],n[0-999999:7],n[0-999999:11],n[0-999999:13],"
        "n[0-999999:17],n[0-999999:19],n[0-999999:23]");
    CHECK((range_list("n[0-999999]") - sieve).size() + sieve.sorted().size() == 1'000'000);
}

}  // namespace trestle
