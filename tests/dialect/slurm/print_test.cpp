// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/print.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

using namespace trestle;

namespace {

Node small_node() {
    const auto nodes = slurm::parse_nodes(
        {.slurm_conf = "NodeName=n1 Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=65536 "
                       "Gres=gpu:a100:4,fpga:2",
         .gres_conf = "Name=gpu Type=a100 File=/dev/nvidia[0-3]"});
    return nodes.value().nodes.front();
}

NodePlacement small_placement() {
    NodePlacement placement;
    placement.cores = CoreSet::range({0, 4});
    placement.memory = {{DomainId(0), gib(32)}};
    placement.devices = {{DeviceId(0), Count(1)}, {DeviceId(1), Count(1)}};
    return placement;
}

}  // namespace

TEST_CASE("Slurm print: a job's detail line", "[dialect][slurm]") {
    const Node node = small_node();
    NodePlacement placement = small_placement();
    CHECK(to_text(slurm::grant_of(node, placement)) ==
          "Nodes=n1 CPU_IDs=0-7 Mem=32768 GRES=gpu:a100:2(IDX:0-1)");
    placement.cores = CoreSet::of({CoreId(0), CoreId(15)});
    placement.memory = {{DomainId(0), Bytes(1)}, {DomainId(1), mib(1)}};
    placement.devices = {{DeviceId(1), Count(1)}, {DeviceId(3), Count(1)}, {DeviceId(4), Count(1)}};
    CHECK(to_text(slurm::grant_of(node, placement)) ==
          "Nodes=n1 CPU_IDs=0-1,30-31 Mem=2 GRES=gpu:a100:2(IDX:1,3),fpga(CNT:1)");
    CHECK(to_text(slurm::grant_of(node, {})) == "Nodes=n1 CPU_IDs= Mem=0 GRES=");
    CHECK(slurm::parse_gres_details("gpu:a100:2(IDX:1,3)").value()[0] ==
          slurm::gres_of(*node.shape, placement)[0]);
}

TEST_CASE("Slurm print: CPU ids are abstract, whatever the kernel's numbers are",
          "[dialect][slurm]") {
    NodeShape shape;
    shape.hardware.cores = {{{OsIndex(0), OsIndex(2)}}, {{OsIndex(1), OsIndex(3)}}};
    NodePlacement placement;
    placement.cores.insert(CoreId(1));
    CHECK(to_text(slurm::cpu_ids(shape, placement)) == "2-3");
    CHECK(to_text(threads_of(shape, placement)) == "1,3");
}

TEST_CASE("Slurm print: CPU ids of cores of which one thread is a CPU", "[dialect][slurm]") {
    struct Row {
        std::vector<HardwareLevel> levels;
        const char* ids;
        const char* why;
    };
    using enum HardwareLevel;
    const Row rows[] = {
        {{package}, "2-3", "a configuration with CPUs= as many as cores: ids count all threads"},
        {{l3}, "2-3", "the same with l3cache_as_socket"},
        {{package, l3}, "1", "a machine whose second threads are off: Slurm counts what is on"},
        {{package, numa}, "1", "likewise"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        NodeShape shape;
        shape.hardware.cores = {{{OsIndex(0)}}, {{OsIndex(2)}}, {{OsIndex(4)}}};
        for (const HardwareLevel level : row.levels) {
            shape.hardware.groups.push_back({level, OsIndex(0), CoreSet::range({0, 3})});
        }
        NodePlacement placement;
        placement.cores.insert(CoreId(1));
        CHECK(to_text(slurm::cpu_ids(shape, placement)) == row.ids);
    }
}

namespace {

/// Two GPUs near the first of two sockets and one near the second, cut into eight shards each; a
/// network card without parts and a number.
Node cut_node() {
    const auto built =
        slurm::parse_nodes({.slurm_conf = "NodeName=n1 Sockets=2 CoresPerSocket=4 RealMemory=1000 "
                                          "Gres=gpu:a100:3,nic:1,lic:10000,shard:24\n",
                            .gres_conf = "Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-3\n"
                                         "Name=gpu Type=a100 File=/dev/nvidia2 Cores=4-7\n"
                                         "Name=nic File=/dev/nic0\nName=shard Count=24\n"});
    return built.value().nodes.front();
}

NodePlacement taking(std::vector<DeviceShare> devices) {
    NodePlacement placement;
    for (const DeviceShare& share : devices) placement.devices.push_back(share);
    return placement;
}

}  // namespace

TEST_CASE("Slurm print: a node's configured GRES with the sockets near them", "[dialect][slurm]") {
    const Node node = cut_node();
    const NodeShape& shape = *node.shape;
    const std::string text = slurm::gres_list_text(slurm::configured_gres(shape));
    CHECK(text == "gpu:a100:3(S:0-1),nic:1,lic:10000,shard:a100:24(S:0-1)");
    CHECK(slurm::parse_gres_details(text).value() == slurm::configured_gres(shape));
    NodeShape discovered = shape;  // memory domains are no sockets
    discovered.memory.insert(discovered.memory.begin(), discovered.memory.front());
    CHECK(slurm::configured_gres(discovered) == slurm::configured_gres(shape));
}

TEST_CASE("Slurm print: what is in use of a node", "[dialect][slurm]") {
    const Node node = cut_node();
    const NodeShape& shape = *node.shape;
    struct Row {
        std::vector<DeviceShare> devices;
        const char* used;
        const char* of_job;
        const char* why;
    };
    const Row rows[] = {
        {{}, "gpu:a100:0(IDX:N/A),nic:0(IDX:N/A),lic:0,shard:a100:0(0/8,0/8,0/8)", "", "nothing"},
        {{{DeviceId(0), Count(3)}, {DeviceId(2), Count(5)}},
         "gpu:a100:0(IDX:N/A),nic:0(IDX:N/A),lic:0,shard:a100:8(3/8,0/8,5/8)",
         "shard:8(3/8,0/8,5/8)",
         "parts of two GPUs"},
        {{{DeviceId(0), Count(8)}, {DeviceId(1), Count(1)}},
         "gpu:a100:1(IDX:0),nic:0(IDX:N/A),lic:0,shard:a100:1(-/8,1/8,0/8)",
         "gpu:a100:1(IDX:0),shard:1(0/8,1/8,0/8)",
         "a whole GPU beside a part of another"},
        {{{DeviceId(3), Count(1)}, {DeviceId(4), Count(4)}},
         "gpu:a100:0(IDX:N/A),nic:1(IDX:0),lic:4,shard:a100:0(0/8,0/8,0/8)",
         "nic:1(IDX:0),lic(CNT:4)",
         "a device without parts, and a number"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        NodeLedger usage(shape);
        const NodePlacement placement = taking(row.devices);
        const Status taken = usage.take(placement, OwnerId(1));
        INFO(message(taken));
        REQUIRE(taken.ok());
        const std::string text = slurm::used_gres_text(shape, usage.free());
        CHECK(text == row.used);
        CHECK(slurm::parse_gres_used(text).value() == slurm::used_gres(shape, usage.free()));
        const std::string line = to_text(slurm::grant_of(cut_node(), placement));
        CHECK(line == "Nodes=n1 CPU_IDs= Mem=0 GRES=" + std::string(row.of_job));
        CHECK(slurm::parse_grants(line).value() ==
              std::vector{slurm::grant_of(cut_node(), placement)});
    }
}

TEST_CASE("Slurm print: a job's detail line is read back", "[dialect][slurm]") {
    const slurm::NodeGrant grant = slurm::grant_of(small_node(), small_placement());
    CHECK(slurm::parse_grants("     " + to_text(grant)).value() == std::vector{grant});
    CHECK(slurm::parse_grants("GRES= Nodes=a").value() ==
          std::vector{slurm::NodeGrant{"a", {}, {}, {}, {}}});
    struct Row {
        const char* text;
        const char* expected;
    };
    const Row rows[] = {
        {"", "no Nodes= at offset 0"},
        {"Mem=1", "no Nodes= at offset 0"},
        {"Nodes=", "no node at offset 6"},
        {"Nodes=a Nodes=b", "key stands twice at offset 8"},
        {"Nodes=a Foo=1", "unknown key at offset 8"},
        {"Nodes", "no value at offset 0"},
        {"Nodes=a Mem=1G", "malformed memory at offset 12"},
        {"Nodes=a Mem=8796093022208", "malformed memory at offset 12"},
        {"Nodes=a CPU_IDs=3-1", "at offset 16"},
        {"Nodes=a[", "malformed bracket at offset 8"},
        {"Nodes=a,", "at offset"},
        {"Nodes=a[0-4294967294] Mem=1", "too many nodes at offset 0"},
        {"CPU_IDs=0-1048575 Nodes=a[1-64]", "too many nodes at offset 0"},
        {"Nodes=a GRES=gpu:2(IDX:0)", "indexes that are not as many as the count at offset 19"},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        const auto read = slurm::parse_grants(row.text);
        REQUIRE_FALSE(read.ok());
        CHECK(read.status().code() == StatusCode::kInvalidArgument);
        CHECK_THAT(std::string(message(read.status())),
                   Catch::Matchers::ContainsSubstring(row.expected));
    }
}

TEST_CASE("Slurm print: neighbours that give the same stand in one line", "[dialect][slurm]") {
    const auto grant = [](const char* node, std::int64_t mebibytes, const char* gres = "") {
        return slurm::NodeGrant{node, PuSet::range({0, 2}), Count(2), mib(mebibytes),
                                slurm::parse_gres_details(gres).value()};
    };
    using NodeLines = std::vector<std::string>;
    struct Row {
        std::vector<slurm::NodeGrant> grants;
        NodeLines lines;
        const char* why;
    };
    const Row rows[] = {
        {{}, {}, "no node"},
        {{grant("n1", 5), grant("n2", 5), grant("m", 5)},
         {"Nodes=n[1-2],m CPU_IDs=0-1 Mem=5 GRES="},
         "all alike"},
        {{grant("n1", 5), grant("n2", 6), grant("n3", 5)},
         {"Nodes=n1 CPU_IDs=0-1 Mem=5 GRES=", "Nodes=n2 CPU_IDs=0-1 Mem=6 GRES=",
          "Nodes=n3 CPU_IDs=0-1 Mem=5 GRES="},
         "alike, but no neighbours"},
        {{grant("n1", 5, "gpu:1(IDX:0)"), grant("n2", 5, "gpu:1(IDX:1)")},
         {"Nodes=n1 CPU_IDs=0-1 Mem=5 GRES=gpu:1(IDX:0)",
          "Nodes=n2 CPU_IDs=0-1 Mem=5 GRES=gpu:1(IDX:1)"},
         "other devices"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(slurm::grant_lines(row.grants) == row.lines);
        std::vector<slurm::NodeGrant> again;
        for (const std::string& line : row.lines) {
            const auto read = slurm::parse_grants(line);
            REQUIRE(read.ok());
            again.insert(again.end(), read->begin(), read->end());
        }
        CHECK(again == row.grants);
    }
    CHECK(slurm::node_list_text(rows[1].grants) == "m,n[1-2]");  // sorted
    // What is charged is not printed, and names that are no names are printed as they are.
    std::vector<slurm::NodeGrant> odd{grant("n[1-2]", 5), grant("", 5)};
    odd[1].cpus = Count(1);
    CHECK(slurm::grant_lines(odd) == NodeLines{"Nodes=n[1-2], CPU_IDs=0-1 Mem=5 GRES="});
}

TEST_CASE("Slurm print: licences are read back", "[dialect][slurm]") {
    struct Row {
        const char* text;
        std::vector<ClusterCount> licenses;
        const char* why;
    };
    const Row rows[] = {
        {"", {}, "none"},
        {"(null)", {}, "none, as scontrol says it"},
        {"matlab", {{"matlab", Count(1)}}, "one"},
        {"a:1;b;c:2", {{"a", Count(1)}, {"b", Count(1)}, {"c", Count(2)}}, "with semicolons"},
        {"matlab:2,idl@flex:3",
         {{"matlab", Count(2)}, {"idl@flex", Count(3)}},
         "of this cluster and of a server"},
        {"natural(t[0-3,8]):2,power:2000",
         {{"natural(t[0-3,8])", Count(2)}, {"power", Count(2000)}},
         "of a layer of nodes, and of all"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto read = slurm::parse_licenses(row.text);
        REQUIRE(read.ok());
        CHECK(*read == row.licenses);
        const auto again = slurm::parse_licenses(slurm::licenses_text(*read));
        REQUIRE(again.ok());
        CHECK(*again == row.licenses);
    }
    for (const char* text : {":2", "a:", "a:x", "a:-1", "a|:b", "a,,b", "a(t0:1", "(t0):1", "a:1x",
                             "a:99999999999999999999"}) {
        INFO(text);
        const auto read = slurm::parse_licenses(text);
        CHECK(read.status().code() == StatusCode::kInvalidArgument);
    }
}
