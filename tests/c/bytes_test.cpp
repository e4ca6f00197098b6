// SPDX-License-Identifier: Apache-2.0
// Bytes made by C++ may have names that C cannot carry: each of them is refused.
#include <trestle.h>

#include <cstdint>
#include <string>
#include <vector>

#include "face_world.hpp"
#include "support/catch.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/cluster_bytes.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/alloc/schedule/timeline_bytes.hpp"
#include "trestle/model/node_builder.hpp"

namespace trestle {
namespace {

struct Names {
    std::string node = "n0";
    std::string feature = "fast";
    std::string device = "gpu";
    std::string device_type = "a100";
    std::string partition = "day";
    std::string fleet = "red";
    std::string count = "abaqus";
    std::string required_node = "n0";
    std::string reserved_partition = "day";  ///< of a request that begins later
};

Timeline timeline_with(const Names& names) {
    ClusterParts parts;
    parts.nodes = {*make_node({.name = names.node,
                               .cores_per_package = 8,
                               .memory = 32_GiB,
                               .devices = {{.name = names.device, .type = names.device_type}},
                               .features = {names.feature}})};
    parts.partitions = {{}};
    parts.partitions[0].name = names.partition;
    parts.partitions[0].nodes = NodeSet::range({0, 1});
    parts.fleets = {{}};
    parts.fleets[0].name = names.fleet;
    parts.counts = {{names.count, Count(3)}};
    auto made = Cluster::create(parts);
    REQUIRE(made.ok());
    Cluster cluster = *std::move(made);
    NodePlacement part;
    part.cores = CoreSet::range({0, 2});
    Request running;
    running.required_nodes = {names.required_node};
    REQUIRE(cluster.commit({OwnerId(7), running, {{part}, {}}}).ok());
    Timeline timeline(cluster, Instant(100));
    Request later;
    later.partition = names.reserved_partition;
    part.cores = CoreSet::range({4, 6});
    REQUIRE(timeline.reserve({OwnerId(8), later, {{part}, {}}}, {Instant(200), Instant(300)}).ok());
    return timeline;
}

}  // namespace

TEST_CASE("c: bytes with a name that is no text of C are refused", "[c]") {
    struct Row {
        const char* what;
        std::string Names::*member;
        bool is_of_cluster;
    };
    const Row rows[] = {
        {"a node", &Names::node, true},
        {"a feature of a node", &Names::feature, true},
        {"a device", &Names::device, true},
        {"the type of a device", &Names::device_type, true},
        {"a partition", &Names::partition, true},
        {"a fleet", &Names::fleet, true},
        {"a count of the cluster", &Names::count, true},
        {"a node that a running request names", &Names::required_node, true},
        {"the partition of a request that begins later", &Names::reserved_partition, false},
    };
    struct Text {
        const char* what;
        std::string text;
        bool is_good;
    };
    const Text texts[] = {
        {"ASCII", "a", true},
        {"letters beyond ASCII", "kn\xc3\xb6te", true},
        {"Latin-1", "kn\xf6te", false},
        {"a zero byte inside", std::string("a\0b", 3), false},
        {"a zero byte at the end", std::string("a\0", 2), false},
        {"a character that is cut off", "a\xc3", false},
        {"a surrogate", "\xed\xa0\x80", false},
    };
    trestle_error error = {};
    for (const Row& row : rows) {
        for (const Text& text : texts) {
            INFO(row.what << ": " << text.what);
            Names names;
            names.*row.member = text.text;
            const Timeline timeline = timeline_with(names);
            const std::vector<std::uint8_t> bytes = to_bytes(timeline);
            trestle_timeline* read = nullptr;
            CHECK(trestle_timeline_from_bytes(bytes.data(), bytes.size(), &read, &error) ==
                  (text.is_good ? TRESTLE_OK : TRESTLE_INVALID));
            CHECK((read != nullptr) == text.is_good);
            if (!text.is_good) {
                CHECK_THAT(error.message, Catch::Matchers::ContainsSubstring(
                                              "expected a text in UTF-8 without a zero byte"));
            }
            trestle_timeline_free(read);
            CHECK(timeline_from_bytes(bytes).ok());  // C++ reads what it wrote
            if (!row.is_of_cluster) continue;
            const std::vector<std::uint8_t> alone = to_bytes(timeline.cluster());
            trestle_cluster* cluster = nullptr;
            CHECK(trestle_cluster_from_bytes(alone.data(), alone.size(), &cluster, &error) ==
                  (text.is_good ? TRESTLE_OK : TRESTLE_INVALID));
            trestle_cluster_free(cluster);
        }
    }
}

}  // namespace trestle
