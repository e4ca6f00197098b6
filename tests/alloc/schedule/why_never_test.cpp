// SPDX-License-Identifier: Apache-2.0
// StartFinder::why_never of requests that a fuller node may serve better than an idle one.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/schedule_pass.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

DeviceRequest near_gpus(std::int64_t count) {
    DeviceRequest gpus;
    gpus.count = Range<Count>::exactly(Count(count));
    gpus.locality = Strictness::require;
    return gpus;
}

Request asking(const std::function<void(Request&)>& change) {
    Request request;
    change(request);
    return request;
}

/// A partition p of the lowest nodes, with limits to what a job has of a node.
Cluster limited_cluster(const char* text, std::uint32_t nodes, std::optional<Count> cpus,
                        std::optional<Bytes> memory) {
    ClusterParts parts = testing::cluster_from_text(text)->parts();
    Partition partition;
    partition.name = "p";
    partition.nodes = NodeSet::range({0, nodes});
    partition.max_cpus_per_node = cpus;
    partition.max_memory_per_node = memory;
    parts.partitions = {partition};
    return *Cluster::create(parts);
}

bool is_never(const Cluster& cluster, const Request& request) {
    return StartFinder().why_never(Timeline(cluster), request).has_value();
}

}  // namespace

TEST_CASE("why_never: tasks that are dealt to sockets, with something required near",
          "[alloc][time]") {
    struct Row {
        const char* cluster;
        std::function<void(Request&)> change;
        bool is_never;
        const char* why;
    };
    const std::vector<Row> rows{
        {"(2s4c gpu:4 state=drained); (4c)", [](Request& r) { r.devices = {near_gpus(1)}; }, true,
         "the only node with GPUs is drained"},
        {"(2s4c gpu:4)", [](Request& r) { r.devices = {near_gpus(5)}; }, true,
         "more devices than any node has"},
        {"2 x (2s4c gpu:4)",
         [](Request& r) {
             r.devices = {near_gpus(1)};
             r.nodes = Range<Count>::exactly(Count(3));
         },
         true, "more nodes than there are"},
        {"(2s4c gpu:4)",
         [](Request& r) {
             r.devices = {near_gpus(1)};
             r.tasks = Count(9);
         },
         true, "more cores than the node has"},
        {"(2s4c gpu:4)",
         [](Request& r) {
             r.core_locality = Strictness::require;
             r.tasks = Count(9);
         },
         true, "the same where the cores lie together"},
        {"(2s4c mem=4G)",
         [](Request& r) {
             r.memory_locality = Strictness::require;
             r.memory = Range<Bytes>::exactly(gib(5));
         },
         true, "more memory than the node has"},
        {"(2s4c)",
         [](Request& r) {
             r.core_locality = Strictness::require;
             r.features = *FeatureExpression::parse("a100");
         },
         true, "a feature that no node has"},
        {"(4c)",
         [](Request& r) {
             DeviceRequest far = near_gpus(1);
             far.locality = Strictness::prefer;
             r.devices = {far};
             r.device_alternatives = {{near_gpus(2)}};
         },
         true, "neither the devices nor what may stand in for them"},
        {"(2s4c gpu:4)", [](Request& r) { r.devices = {near_gpus(2)}; }, false, "it fits"},
    };
    for (const Row& row : rows) {
        for (const Distribution sockets :
             {Distribution::block, Distribution::cyclic, Distribution::plane}) {
            for (const bool has_limit : {false, true}) {
                INFO(row.why << ", " << to_text(sockets) << (has_limit ? ", by sockets" : ""));
                Request request = asking(row.change);
                request.distribution.sockets = sockets;
                if (has_limit) request.tasks_per_socket = Count(8);
                CHECK(is_never(*testing::cluster_from_text(row.cluster), request) == row.is_never);
            }
        }
    }
}

TEST_CASE("why_never: partitions that limit what a job has of a node", "[alloc][time]") {
    struct Row {
        const char* cluster;
        std::uint32_t nodes;  ///< of the partition
        std::optional<Count> cpus;
        std::optional<Bytes> memory;
        std::function<void(Request&)> change;
        bool is_never;
        const char* why;
    };
    const auto nothing = [](Request& /*request*/) {};
    const auto two_nodes = [](Request& r) { r.nodes = Range<Count>::exactly(Count(2)); };
    const auto of_memory = [](std::int64_t size) {
        return [size](Request& r) { r.memory = Range<Bytes>::exactly(mib(size)); };
    };
    const std::vector<Row> rows{
        {"2 x (4c mem=4G)", 1, {}, gib(1), two_nodes, true, "more nodes than the partition has"},
        {"2 x (4c mem=4G)", 1, Count(2), {}, two_nodes, true, "the same with a limit to CPUs"},
        {"(4c mem=4G)", 1, {}, mib(100), of_memory(1024), true, "more memory than a job may have"},
        {"(4c mem=4G)", 1, {}, mib(100), of_memory(100), false, "as much as it may have"},
        {"(4c mem=4G)", 1, {}, gib(9), of_memory(5000), true, "more memory than the node has"},
        {"(4c mem=4G)",
         1,
         Count(2),
         {},
         [](Request& r) { r.tasks = Count(3); },
         true,
         "more CPUs than the partition gives"},
        {"(4c mem=4G)",
         1,
         Count(9),
         {},
         [](Request& r) { r.tasks = Count(5); },
         true,
         "more CPUs than the node has"},
        {"(4c2t)",
         1,
         Count(1),
         {},
         nothing,
         true,
         "a core is given whole, and each has more threads than the partition gives"},
        {"(4c2t)", 1, Count(2), {}, nothing, false, "as many as a core has"},
        {"(2c2t+2e)", 1, Count(1), {}, nothing, false, "a core of one thread is enough"},
        {"(2s4c gpu:2 state=drained); (4c)",
         2,
         Count(4),
         {},
         [](Request& r) {
             r.devices = {near_gpus(1)};
             r.distribution.sockets = Distribution::cyclic;
         },
         true,
         "the only GPUs are drained"},
        {"(4c); (8c)",
         1,
         Count(9),
         {},
         [](Request& r) {
             r.tasks = Count(6);
             r.device_alternatives = {{DeviceRequest{}}};
         },
         true,
         "a node that could take it is not in the partition"},
        {"2 x (4c)",
         2,
         Count(2),
         {},
         [](Request& r) {
             r.nodes = Range<Count>::exactly(Count(2));
             r.tasks = Count(9);
         },
         true,
         "a job that may be split unevenly, of more tasks than cores"},
        {"(4c); (8c)",
         2,
         Count(9),
         {},
         [](Request& r) {
             r.nodes = Range<Count>::exactly(Count(1));
             Request worker;
             worker.nodes = Range<Count>::exactly(Count(2));
             r.components = {worker};
         },
         true,
         "groups of three nodes in all"},
        {"(4c); (8c)",
         2,
         Count(9),
         {},
         [](Request& r) {
             r.components = {Request()};
             r.time_limit = Seconds(60);
         },
         false,
         "a node for each group"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Request request = asking(row.change);
        request.partition = "p";
        const Cluster cluster = limited_cluster(row.cluster, row.nodes, row.cpus, row.memory);
        CHECK(is_never(cluster, request) == row.is_never);
        Timeline timeline(cluster);
        const std::vector<QueuedJob> queue{{OwnerId(1), request, Seconds(10), 0}};
        const auto result = schedule_pass(timeline, queue, Discipline::easy());
        REQUIRE(result.ok());
        CHECK(result->starts.size() == (row.is_never ? 0 : 1));
    }
}

TEST_CASE("why_never: law: no occupancy of the node serves what is refused for ever",
          "[alloc][time][unsanitized]") {
    std::size_t nevers = 0;
    for (const char* text : {"(2s2c gpu:1@s0 gpu:1@s1 mem=4G)", "(2s2c2t mem=4G)", "(2c2t+2e)"}) {
        for (const std::int64_t limit : {1, 2, 3, 8}) {
            const Cluster cluster =
                limited_cluster(text, 1, Count(limit), std::optional<Bytes>(gib(limit)));
            for (std::uint32_t i = 0; i < 3u * 4 * 3 * 4; ++i) {
                Request request;
                request.partition = i % 2 == 0 ? "p" : "";
                request.nodes = Range<Count>::exactly(Count(1));
                request.tasks = Count(1 + i % 3);
                request.cpus_per_task = Range<Count>::exactly(Count(1 + i / 3 % 2));
                const Distribution all[] = {Distribution::block, Distribution::cyclic,
                                            Distribution::plane, Distribution::fcyclic};
                request.distribution.sockets = all[i / 6 % 4];
                request.core_locality = i / 24 % 2 == 0 ? Strictness::require : Strictness::prefer;
                if (i / 48 % 3 == 1) request.devices = {near_gpus(1)};
                if (i / 48 % 3 == 2) request.memory = Range<Bytes>::exactly(gib(1));
                if (i / 48 % 3 == 2) request.memory_per = Per::cpu;
                const bool never = is_never(cluster, request);
                nevers += never ? 1 : 0;
                for (std::uint32_t mask = 1; never && mask < 15; ++mask) {
                    Cluster fuller = cluster;
                    NodePlacement taken;
                    taken.node = NodeId(0);
                    for (std::uint32_t core = 0; core < 4; ++core) {
                        if ((mask >> core & 1) != 0) taken.cores.insert(CoreId(core));
                    }
                    Placement held;
                    held.nodes = {taken};
                    REQUIRE(fuller.adopt(OwnerId(1), held).ok());
                    CHECK_FALSE(place(fuller, request));
                }
            }
        }
    }
    CHECK(nevers > 100);
}

}  // namespace trestle
