// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/demand.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {
namespace {

Request request_for(std::optional<std::int64_t> tasks, std::int64_t cpus_per_task) {
    Request request;
    if (tasks) request.tasks = Count(*tasks);
    request.cpus_per_task = Range<Count>::exactly(Count(cpus_per_task));
    return request;
}

}  // namespace

TEST_CASE("demand_of: tasks and their CPUs are split evenly, the first parts one more", "[alloc]") {
    struct Row {
        std::optional<std::int64_t> tasks;
        std::int64_t cpus_per_task;
        std::int64_t nodes;
        std::vector<std::int64_t> tasks_on;
        std::vector<std::int64_t> cpus_on;
        const char* why;
    };
    const Row rows[] = {
        {{}, 1, 1, {1}, {1}, "one task a node when nothing is said"},
        {{}, 4, 3, {1, 1, 1}, {4, 4, 4}, "one task a node, its CPUs"},
        {8, 2, 4, {2, 2, 2, 2}, {4, 4, 4, 4}, "divides"},
        {7, 2, 3, {3, 2, 2}, {6, 4, 4}, "one is left over"},
        {32, 1, 4, {8, 8, 8, 8}, {8, 8, 8, 8}, "ntasks=32 nodes=4"},
        {2, 1, 3, {1, 1, 1}, {1, 1, 1}, "fewer tasks than nodes: a task each"},
        {1, 0, 1, {1}, {1}, "no CPU for a task counts as one"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        for (std::int64_t i = 0; i < row.nodes; ++i) {
            const auto demand =
                demand_of(request_for(row.tasks, row.cpus_per_task), {i, row.nodes}, 1);
            const auto at = static_cast<std::size_t>(i);
            CHECK(demand.tasks == Count(row.tasks_on[at]));
            CHECK(demand.cpus() == Count(row.cpus_on[at]));
        }
    }
}

TEST_CASE("demand_of: parts have together what the job asks, and differ by at most one",
          "[alloc][law]") {
    for (std::int64_t nodes = 1; nodes <= 8; ++nodes) {
        for (std::int64_t total = nodes; total <= 40; ++total) {
            Request request = request_for(total, 1);
            request.devices = {DeviceRequest{}};
            request.devices[0].per = Per::job;
            request.devices[0].count = Range<Count>::exactly(Count(total));
            Count tasks;
            Count devices;
            for (std::int64_t i = 0; i < nodes; ++i) {
                const auto demand = demand_of(request, {i, nodes}, 2);
                tasks += demand.tasks;
                devices += demand.devices[0].count.least();
                CHECK(demand.devices[0].count.is_single());
                CHECK(demand.tasks.value() - total / nodes <= 1);
                CHECK(demand.tasks >= demand_of(request, {nodes - 1, nodes}, 2).tasks);
            }
            CHECK(tasks == Count(total));
            CHECK(devices == Count(total));
        }
    }
}

TEST_CASE("demand_of: what devices are counted per", "[alloc]") {
    struct Row {
        Per per;
        Range<Count> count;
        const char* expected;
        const char* why;
    };
    const auto between = [](std::int64_t a, std::int64_t b) {
        return Range<Count>::between(Count(a), Count(b));
    };
    const Row rows[] = {
        {Per::node, between(2, 3), "2..3", "as it stands"},
        {Per::task, between(1, 2), "4..8", "four tasks on this node"},
        {Per::socket, between(1, 2), "2..4", "two sockets"},
        {Per::job, between(5, 6), "3", "the first of two parts: 3 of 5, 3 of 6"},
        {Per::job, between(1, 9), "1..5", "the first of two parts: 1 of 1, 5 of 9"},
        {Per::task, Range<Count>::at_least(Count(1)), "4..", "an open end stays open"},
        {Per::socket, Range<Count>::at_most(Count(2)), "..4", "an open end stays open"},
        {Per::task, Range<Count>::exactly(Count::max()), "9223372036854775807",
         "what overflows is as many as can be"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Request request = request_for(8, 1);
        request.devices = {DeviceRequest{}};
        request.devices[0].per = row.per;
        request.devices[0].count = row.count;
        CHECK(to_text(demand_of(request, {0, 2}, 2).devices[0].count) == row.expected);
    }
}

TEST_CASE("demand_of: carries memory, coupling and exclusivity over", "[alloc]") {
    Request request = request_for(1, 2);
    request.memory = Range<Bytes>::at_least(gib(200));
    request.memory_per = Per::cpu;
    request.memory_locality = Strictness::require;
    request.cpus_per_device = Count(3);
    request.exclusivity = Exclusivity::whole_node;
    const NodeDemand demand = demand_of(request, {0, 1}, 1);
    CHECK(demand.memory == gib(200));
    CHECK(demand.memory_per == Per::cpu);
    CHECK(demand.memory_locality == Strictness::require);
    CHECK(demand.cpus_per_device == Count(3));
    CHECK(demand.exclusivity == Exclusivity::whole_node);
    CHECK(demand_of(Request{}, {0, 1}, 1) == NodeDemand{});
}

TEST_CASE("demand_of: carries how tasks lie and what is near over", "[alloc]") {
    Request request = request_for(4, 2);
    request.threads_per_core = Count(1);
    request.tasks_per_core = Count(2);
    request.tasks_per_socket = Count(3);
    request.sockets_per_node = Count(4);
    request.cores_per_socket = Count(5);
    request.core_locality = Strictness::require;
    request.core_level = HardwareLevel::l3;
    request.distribution = {Distribution::cyclic, Distribution::plane, Count(6)};
    request.system_cores = Count(7);
    request.memory_level = HardwareLevel::package;
    const NodeDemand demand = demand_of(request, {0, 1}, 1);
    CHECK(demand.threads_per_core == Count(1));
    CHECK(demand.tasks_per_core == Count(2));
    CHECK(demand.tasks_per_socket == Count(3));
    CHECK(demand.sockets_per_node == Count(4));
    CHECK(demand.cores_per_socket == Count(5));
    CHECK(demand.core_locality == Strictness::require);
    CHECK(demand.core_level == HardwareLevel::l3);
    CHECK(demand.distribution == Distribution::plane);
    CHECK(demand.plane_size == Count(6));
    CHECK(demand.system_cores == Count(7));
    CHECK(demand.memory_level == HardwareLevel::package);
}

TEST_CASE("demand_of: devices per socket lie on all sockets, or on as many as are asked",
          "[alloc]") {
    Request request = request_for(1, 1);
    request.devices.resize(2);
    request.devices[0].per = Per::socket;
    request.devices[0].count = Range<Count>::between(Count(1), Count(2));
    const NodeDemand all = demand_of(request, {0, 1}, 3);
    CHECK(all.devices[0].sockets == Count(3));
    CHECK(to_text(all.devices[0].count) == "3..6");
    CHECK(all.devices[0].request.count == request.devices[0].count);
    CHECK(all.devices[1].sockets == Count(0));
    request.sockets_per_node = Count(2);
    const NodeDemand some = demand_of(request, {0, 1}, 3);
    CHECK(some.devices[0].sockets == Count(2));
    CHECK(to_text(some.devices[0].count) == "2..4");
}

TEST_CASE("demand_of: an uneven part has what it says", "[alloc]") {
    Request request = request_for(6, 1);
    request.devices.resize(3);
    request.devices[0].per = Per::job;
    request.devices[0].count = Range<Count>::between(Count(2), Count(5));
    request.devices[1].per = Per::task;
    request.devices[2].per = Per::job;
    request.devices[2].count = Range<Count>::exactly(Count(4));
    const NodeDemand demand = demand_of(request, {0, 2, Count(5), {Count(0), Count(3)}}, 1);
    CHECK(demand.tasks == Count(5));
    CHECK(demand.devices[0].count == Range<Count>::exactly(Count(0)));
    CHECK(demand.devices[1].count == Range<Count>::exactly(Count(5)));
    CHECK(demand.devices[2].count == Range<Count>::exactly(Count(3)));
    request.tasks.reset();
    request.tasks_per_node = Range<Count>::at_least(Count(3));
    CHECK(demand_of(request, {0, 2}, 1).tasks == Count(3));
}

TEST_CASE("demand_of: a part that is none of the job's breaks a contract", "[alloc]") {
    for (const NodePart& part : {NodePart{2, 2}, NodePart{-1, 2}, NodePart{0, 0}}) {
        CHECK(broken_contract([&] { static_cast<void>(demand_of(Request{}, part, 1)); }) ==
              "a part is one of the job's nodes");
    }
}

}  // namespace trestle
