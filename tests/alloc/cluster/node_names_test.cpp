// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/node_names.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/testing/choices.hpp"

namespace trestle {
namespace {

using testing::Choices;

NodeNames names_of(const std::vector<std::string>& all) {
    NodeNames names;
    for (const std::string& one : all) names.append(one);
    static_cast<void>(names.index());
    return names;
}

/// Names that continue each other, nearly do, or mean the same number otherwise written.
std::string any_name(Choices& choices) {
    const std::string prefix =
        choices.of(std::vector<std::string>{"", "n", "n0", "gpu-", "x9y", "rack1-"});
    std::string number = std::to_string(
        choices.of(std::vector<std::uint64_t>{0, 1, 8, 9, 10, 11, 98, 99, 100, 101, 999, 1'000,
                                              99'999'999'999'999'999, 999'999'999'999'999'999}));
    for (auto zeros = choices.below(3); zeros > 0; --zeros) number.insert(0, "0");
    if (choices.one_in(8)) number.clear();
    if (choices.one_in(12)) number = "1" + std::string(18, '0') + number;
    const std::string name = prefix + number;
    return name.empty() ? "login" : name;
}

/// The next name a person would give, as `n10` behind `n9` and `n010` behind `n009`.
std::string name_after(const std::string& name) {
    std::string next = name;
    std::size_t at = next.size();
    while (at > 0 && next[at - 1] == '9') next[--at] = '0';
    const bool is_number = at > 0 && next[at - 1] >= '0' && next[at - 1] < '9';
    if (is_number) {
        ++next[at - 1];
    } else {
        next.insert(at, "1");
    }
    return next;
}

}  // namespace

TEST_CASE("NodeNames: names that count on are one run", "[alloc]") {
    std::vector<std::string> all;
    for (int i = 98; i < 1'005; ++i) {
        all.push_back("gpu" + std::string(i < 100 ? 1 : 0, '0') + std::to_string(i));
    }
    const NodeNames names = names_of(all);
    REQUIRE(names.runs().size() == 1);
    CHECK(names.runs()[0] == NodeNames::Run{0, 907, "gpu", 98, 3});
    CHECK(names.find("gpu099") == NodeId(1));
    CHECK(names.find("gpu1004") == NodeId(906));
    CHECK(names.find("gpu99") == std::nullopt);
    CHECK(names.find("gpu0100") == std::nullopt);
    CHECK(names.find("gpu1005") == std::nullopt);
    CHECK(names.find("") == std::nullopt);
}

TEST_CASE("NodeNames: a name that stands twice is found, however it is written in runs",
          "[alloc]") {
    struct Row {
        std::vector<std::string> names;
        std::optional<std::string> twice;
    };
    const Row rows[] = {
        {{"n1", "n2", "n2"}, "n2"},
        {{"n099", "n100", "m", "n100"}, "n100"},
        {{"n09", "n10", "x", "n9", "n10"}, "n10"},
        {{"a", "b", "a"}, "a"},
        {{"n1", "n01", "n001"}, std::nullopt},
        {{"n9", "n09", "n10", "n010"}, std::nullopt},
    };
    for (const Row& row : rows) {
        INFO(row.names.front() << " " << row.names.back());
        NodeNames names;
        for (const std::string& one : row.names) names.append(one);
        CHECK(names.index() == row.twice);
    }
}

TEST_CASE("NodeNames: runs that are none are refused", "[alloc]") {
    const std::vector<NodeNames::Run> bad[] = {
        {{0, 0, "n", 1, 1}},                                         // nobody
        {{1, 1, "n", 1, 1}},                                         // not from the first node on
        {{0, 2, "n", 0, 0}},                                         // two of one name
        {{0, 1, "n5", 0, 0}},                                        // a number in the prefix
        {{0, 1, "n5", 7, 1}},                                        // another
        {{0, 1, "n", 7, 19}},                                        // a number too long
        {{0, 2, "n", 999'999'999'999'999'999, 1}},                   // and one that becomes so
        {{0, 1, "n", 100, 3}},                                       // more digits than are needed
        {{0, 0xffff'ffff, "n", 1, 1}, {0xffff'ffff, 2, "m", 1, 1}},  // too many nodes
    };
    for (const auto& runs : bad) CHECK_FALSE(NodeNames::from_runs(runs).has_value());
    CHECK(NodeNames::from_runs({})->size() == 0);
    CHECK(*NodeNames::from_runs({{0, 1, "n", 1, 1}, {1, 1, "n", 2, 1}}) == names_of({"n1", "n2"}));
}

TEST_CASE("NodeNames: they are a list of names, in any history", "[alloc][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(400u)}, [](Choices& choices) {
        std::vector<std::string> all;
        NodeNames names;
        for (int step = 0; step < 30; ++step) {
            if (!all.empty() && choices.one_in(5)) {
                const auto at = static_cast<std::uint32_t>(choices.below(all.size()));
                if (!all[at].empty()) names.remove(NodeId(at));
                all[at].clear();
            } else {
                const bool counts_on = !all.empty() && !all.back().empty() && choices.below(3) > 0;
                const std::string name = counts_on ? name_after(all.back()) : any_name(choices);
                const bool is_known = std::count(all.begin(), all.end(), name) > 0;
                NodeNames longer = names;
                longer.append(name);
                const auto twice = longer.index();
                REQUIRE(twice.has_value() == is_known);
                if (is_known) {
                    REQUIRE(*twice == name);
                    continue;
                }
                names = longer;
                all.push_back(name);
            }
            REQUIRE(names.size() == all.size());
            NodeSet holes;
            for (std::uint32_t i = 0; i < all.size(); ++i) {
                REQUIRE(names[NodeId(i)] == all[i]);
                if (all[i].empty()) {
                    holes.insert(NodeId(i));
                } else {
                    REQUIRE(names.find(all[i]) == NodeId(i));
                }
            }
            REQUIRE(names.holes() == holes);
            const std::string other = any_name(choices);
            if (std::count(all.begin(), all.end(), other) == 0) {
                REQUIRE(names.find(other) == std::nullopt);
            }
            // Equal names have equal runs, and these say it all.
            REQUIRE(names == names_of(all));
            REQUIRE(*NodeNames::from_runs(names.runs()) == names);
            std::vector<NodeId> differ;
            const auto shorter = names_of({all.begin(), all.end() - 1});
            names.for_each_difference(shorter, [&](NodeId node) { differ.push_back(node); });
            for (const NodeId node : differ) REQUIRE(node.value() + 1 < all.size());
        }
    });
}

}  // namespace trestle
