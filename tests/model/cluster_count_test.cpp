// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/cluster_count.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/cluster_counts.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

using Counts = std::vector<ClusterCount>;
using Table = std::map<std::string, std::int64_t>;

Counts list_of(const Table& table) {
    Counts counts;
    for (const auto& [name, count] : table) {
        if (count != 0) counts.push_back({name, Count(count)});
    }
    return counts;
}

TEST_CASE("ClusterCount: prints name and number", "[model][golden]") {
    CHECK(to_text(ClusterCount{"abaqus@flex1", Count(2)}) == "abaqus@flex1:2");
    CHECK(to_text(ClusterCount{"bb/nvme"}) == "bb/nvme:1");
}

TEST_CASE("check: a list of cluster counts rises by name", "[model]") {
    struct Row {
        Counts counts;
        const char* error;
        const char* why;
    };
    const Row rows[] = {
        {{}, "", "nothing"},
        {{{"a", Count(1)}, {"a@x", Count(9)}, {"b", Count(2)}}, "", "sorted"},
        {{{"", Count(1)}}, "cluster count 0: it has no name", "of what"},
        {{{"a", Count(0)}}, "cluster count a: 0, expected 1 or more", "none is left out"},
        {{{"b", Count(1)}, {"a", Count(1)}},
         "cluster count a: expected rising names, each once",
         "falling"},
        {{{"a", Count(1)}, {"a", Count(1)}},
         "cluster count a: expected rising names, each once",
         "twice"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(message(check(row.counts)) == row.error);
        CHECK(check(row.counts).ok() == (*row.error == '\0'));
    }
}

TEST_CASE("refuse: names the first count that is not free", "[model]") {
    const Counts free = list_of({{"abaqus", 2}, {"matlab", 4}});
    CHECK_FALSE(refuse(free, {}));
    CHECK_FALSE(refuse(free, free));
    CHECK(refuse(free, list_of({{"abaqus", 2}, {"matlab", 5}})) ==
          Refusal{Constraint::cluster_counts, "asked 5 matlab, 4 are free"});
    CHECK(refuse(free, list_of({{"abaqus@flex1", 1}})) ==
          Refusal{Constraint::cluster_counts, "asked 1 abaqus@flex1, 0 are free"});
}

TEST_CASE("cluster counts: add, subtract and contains are those of tables", "[model][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), 500}, [](testing::Choices& choices) {
        Table a;
        Table b;
        Table sum;
        bool is_inside = true;
        for (const char* name : {"a", "b", "b@x", "c"}) {
            a[name] = static_cast<std::int64_t>(choices.below(4));
            b[name] = static_cast<std::int64_t>(choices.below(3));
            sum[name] = a[name] + b[name];
            is_inside = is_inside && b[name] <= a[name];
        }
        const Counts both = add(list_of(a), list_of(b));
        REQUIRE(both == list_of(sum));
        REQUIRE(check(both).ok());
        REQUIRE(subtract(both, list_of(b)) == list_of(a));
        REQUIRE(contains(list_of(a), list_of(b)) == is_inside);
        REQUIRE(refuse(list_of(a), list_of(b)).has_value() != is_inside);
        for (const auto& [name, count] : a) {
            REQUIRE(count_of(list_of(a), name) == Count(count));
        }
    });
    CHECK(broken_contract([] {
              static_cast<void>(subtract(list_of({{"a", 1}}), list_of({{"a", 2}})));
          }) == "what is taken away is there");
}

}  // namespace
}  // namespace trestle
