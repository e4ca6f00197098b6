// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/diff.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle::testing {
namespace {

using Lines = std::vector<std::string>;

TEST_CASE("diff: equal values give an empty text", "[testing]") {
    CHECK(diff(Lines{}, Lines{}).empty());
    CHECK(diff(Lines{"a", "b"}, Lines{"a", "b"}).empty());
    CHECK(diff(Placement{}, Placement{}).empty());
    CHECK(diff(Plan{}, Plan{}).empty());
}

TEST_CASE("diff: only what changed, in order", "[testing][golden]") {
    CHECK(diff(Lines{"a", "b", "c"}, Lines{"a", "x", "c", "d"}) == "- b\n+ x\n+ d\n");
    CHECK(diff(Lines{}, Lines{"a"}) == "+ a\n");
    CHECK(diff(Lines{"a"}, Lines{}) == "- a\n");
    CHECK(diff(Lines{"a", "b"}, Lines{"b", "a"}) == "- a\n+ a\n");
}

TEST_CASE("diff: placements line by line", "[testing][golden]") {
    NodePlacement first;
    first.cores = CoreSet::range({0, 4});
    first.memory = {{DomainId(0), gib(16)}};
    first.devices = {{DeviceId(0), Count(1)}, {DeviceId(1), Count(1)}};
    NodePlacement second = first;
    second.cores = CoreSet::range({2, 6});
    second.memory = {{DomainId(0), gib(8)}, {DomainId(1), gib(8)}};
    second.devices.pop_back();
    NodePlacement third;
    third.node = NodeId(7);
    third.cores = CoreSet::range({0, 1});
    CHECK(diff(Placement{{first}}, Placement{{second, third}}) ==
          "- node 0 cores 0-3\n"
          "- node 0 memory 0 16GiB\n"
          "+ node 0 cores 2-5\n"
          "+ node 0 memory 0 8GiB\n"
          "+ node 0 memory 1 8GiB\n"
          "- node 0 device 1 1\n"
          "+ node 7 tasks 1\n"
          "+ node 7 cores 0\n");
}

TEST_CASE("diff: nothing that a placement grants is passed over", "[testing]") {
    NodePlacement plain;
    plain.devices = {{DeviceId(1), Count(1)}};
    struct Row {
        std::function<void(Placement&)> change;
        const char* line;
    };
    const Row rows[] = {
        {[](Placement& p) { p.nodes[0].threads_per_core = Count(1); }, "node 0 threads_per_core 1"},
        {[](Placement& p) { p.nodes[0].row = 0; }, "node 0 row 0"},
        {[](Placement& p) { p.nodes[0].milli_cpus = MilliCpu(500); }, "node 0 milli_cpus 500"},
        {[](Placement& p) { p.nodes[0].component = 1; }, "node 0 component 1"},
        {[](Placement& p) {
             p.cluster_counts = {{"matlab", Count(2)}};
         },
         "cluster matlab 2"},
        {[](Placement& p) {
             p.nodes[0].devices[0].slice = Slicing::Instance{4, 1, "1g.10gb"};
         },
         "node 0 device 1 1 {start=4, profile=1g.10gb}"},
    };
    for (const Row& row : rows) {
        Placement changed{{plain}};
        row.change(changed);
        const std::string text = diff(Placement{{plain}}, changed);
        CHECK_THAT(text, Catch::Matchers::EndsWith("+ " + std::string(row.line) + "\n"));
    }
}

TEST_CASE("diff: plans line by line, without step numbers", "[testing][golden]") {
    const Node node = node_from_text("2s4c mem=16G").value();
    const auto plan_of = [&](Bytes memory, std::uint32_t cores) {
        NodePlacement placement;
        placement.cores = CoreSet::range({0, cores});
        placement.memory = {{DomainId(0), memory}};
        Request request;
        request.memory = Range<Bytes>::exactly(memory);
        PlanOptions options;
        options.group = "job_1";
        return plan(node, placement, request, {}, options).value();
    };
    const std::string text = diff(plan_of(gib(4), 2), plan_of(gib(8), 2));
    INFO(text);
    CHECK(text.find("- write job_1/memory.max = 4294967296\n") != text.npos);
    CHECK(text.find("+ write job_1/memory.max = 8589934592\n") != text.npos);
    CHECK(text.find("cpuset.cpus") == text.npos);
    CHECK(diff(plan_of(gib(4), 2), plan_of(gib(4), 3)).find("+ process affinity 0-2\n") !=
          text.npos);
}

TEST_CASE("diff: taking out the minus lines and adding the plus lines gives the second",
          "[testing][law]") {
    const auto any_lines = [](Choices& choices) {
        Lines lines;
        for (std::uint64_t n = choices.below(5); n > 0; --n) {
            lines.push_back(std::string(1, static_cast<char>('a' + choices.below(3))));
        }
        return lines;
    };
    const auto holds = [&](Choices& choices) {
        const Lines before = any_lines(choices);
        const Lines after = any_lines(choices);
        std::multiset<std::string> lines(before.begin(), before.end());
        const std::string text = diff(before, after);
        REQUIRE(text.size() % 4 == 0);
        for (std::size_t i = 0; i < text.size(); i += 4) {
            const std::string line = text.substr(i + 2, 1);
            if (text[i] == '+') {
                lines.insert(line);
                continue;
            }
            const auto at = lines.find(line);
            REQUIRE(at != lines.end());
            lines.erase(at);
        }
        REQUIRE(lines == std::multiset<std::string>(after.begin(), after.end()));
        REQUIRE(text.empty() == (before == after));
    };
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), 1'000}, holds);
}

}  // namespace
}  // namespace trestle::testing
