// SPDX-License-Identifier: Apache-2.0
// What refusals of jobs that are dealt unevenly say of each node, beside a count of the node alone.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

/// Tasks with CPUs and GPUs each, on any number of nodes up to `nodes`.
Request tasks_with_gpus(std::int64_t nodes, std::int64_t tasks, std::int64_t cpus,
                        std::int64_t gpus) {
    Request request;
    request.nodes = {Count(1), Count(nodes)};
    request.tasks = Count(tasks);
    request.cpus_per_task = Range<Count>::at_least(Count(cpus));
    DeviceRequest gpu;
    gpu.count = Range<Count>::exactly(Count(gpus));
    gpu.per = Per::task;
    request.devices = {gpu};
    return request;
}

}  // namespace

TEST_CASE("uneven: a refusal says of a node what that node lacks", "[alloc]") {
    struct Row {
        const char* cluster;
        Request request;
        const char* expected;
        const char* why;
    };
    Request exactly_two = tasks_with_gpus(2, 3, 3, 1);
    exactly_two.nodes = Range<Count>::exactly(Count(2));
    const Row rows[] = {
        {"(1c gpu:1); (3c gpu:3)", exactly_two, "cores: 3 tasks: 1 fit on n1, 0 on n0",
         "n0 has the GPU of a task, and no CPUs"},
        {"(2c gpu:3); (9c gpu:4)", tasks_with_gpus(2, 9, 1, 1),
         "devices: 9 tasks: 4 fit on n1, 2 on n0; one more on n1: asked 5 gpu (1 a task), 4 of 4 "
         "are free on "
         "the node",
         "n0 lacks cores, not GPUs"},
        {"(3c gpu:4); (2c gpu:3)", tasks_with_gpus(2, 9, 1, 1),
         "cores: 9 tasks: 3 fit on n0, 2 on n1", "both lack cores"},
        {"(9c gpu:5); (9c)", tasks_with_gpus(2, 9, 1, 2),
         "devices: 9 tasks: 2 fit on n0, 0 on n1; n1: asked 2 gpu, the node has none",
         "n1 lacks the GPUs of a task"},
    };
    for (const Row& row : rows) {
        INFO(row.cluster << ": " << row.why);
        const auto answer = place(*testing::cluster_from_text(row.cluster), row.request);
        REQUIRE(!answer);
        CHECK(to_text(answer.refusal()) == row.expected);
    }
}

TEST_CASE("uneven: what a refusal says of each node is what the node alone has", "[alloc][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    static const std::regex of_node(R"((\d+)(?: fit)? on (n\d))");
    static const std::regex one_more(
        R"(one more on (n\d): asked (\d+) gpu \(\d a task\), (\d+) of (\d+) are free on the node)");
    std::size_t nodes_named = 0;
    std::size_t gpus_named = 0;
    for (std::uint64_t round = 0; round < test_rounds(2'000u); ++round) {
        struct Plain {
            std::int64_t cores = 0;
            std::int64_t gpus = 0;
        };
        std::vector<Plain> nodes;
        std::string text;
        for (std::uint64_t n = rng.below(4) + 1; n-- != 0;) {
            const auto cores = static_cast<std::int64_t>(rng.below(6) + 1);
            const auto gpus = static_cast<std::int64_t>(rng.below(5));
            nodes.push_back({cores, gpus});
            text += fmt::format("{}({}c{})", text.empty() ? "" : "; ", cores,
                                gpus > 0 ? fmt::format(" gpu:{}", gpus) : "");
        }
        const auto cpus = static_cast<std::int64_t>(rng.below(3) + 1);
        const auto gpus = static_cast<std::int64_t>(rng.below(2) + 1);
        const auto tasks = static_cast<std::int64_t>(rng.below(9) + 2);
        const Request request =
            tasks_with_gpus(static_cast<std::int64_t>(rng.below(3) + 1), tasks, cpus, gpus);
        const auto answer = place(*testing::cluster_from_text(text), request);
        if (answer) continue;
        const std::string& reason = answer.refusal().reason;
        INFO(text << " " << to_text(request) << "\n" << reason);
        const auto room_of = [&](const std::string& name) {
            const Plain& node = nodes[static_cast<std::size_t>(name[1] - '0')];
            return std::min(node.cores / cpus, node.gpus / gpus);
        };
        for (std::sregex_iterator at(reason.begin(), reason.end(), of_node), end; at != end; ++at) {
            CHECK(std::stoll((*at)[1]) == std::min(room_of((*at)[2]), tasks));
            ++nodes_named;
        }
        std::smatch more;
        if (!std::regex_search(reason, more, one_more)) continue;
        const Plain& node = nodes[static_cast<std::size_t>(more[1].str()[1] - '0')];
        CHECK(std::stoll(more[2]) == (room_of(more[1]) + 1) * gpus);
        CHECK(std::stoll(more[3]) == node.gpus);
        CHECK(std::stoll(more[4]) == node.gpus);
        CHECK(std::stoll(more[2]) > node.gpus);
        ++gpus_named;
    }
    CHECK(nodes_named > test_rounds(500u));
    CHECK(gpus_named > test_rounds(50u));
}

}  // namespace trestle
