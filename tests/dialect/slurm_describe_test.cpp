// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/describe.hpp"

#include <string_view>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

namespace {

StatusOr<std::vector<Node>> build(std::string_view node_conf, std::string_view gres_conf) {
    TRESTLE_TRY(const auto nodes, slurm::parse_node_conf(node_conf));
    TRESTLE_TRY(const auto gres, slurm::parse_gres_conf(gres_conf));
    return slurm::build_nodes(nodes, gres);
}

std::vector<Node> built(std::string_view node_conf, std::string_view gres_conf) {
    auto nodes = build(node_conf, gres_conf);
    INFO(message(nodes.status()));
    REQUIRE(nodes.ok());
    return *std::move(nodes);
}

/// `gpu:a100#0 /dev/nvidia0 cores 0-3`, one device each.
std::vector<std::string> devices_of(const Node& node) {
    std::vector<std::string> lines;
    for (const Device& device : node.shape->devices) {
        std::string line = device.name + ":" + device.type + "#" + std::to_string(device.index);
        for (const DeviceFile& file : device.files) line += " " + file.path;
        if (!device.cores.is_empty()) line += " cores " + to_text(device.cores);
        lines.push_back(line);
    }
    return lines;
}
using Lines = std::vector<std::string>;

constexpr std::string_view two_sockets = "NodeName=n Sockets=2 CoresPerSocket=2 ThreadsPerCore=2 ";

}  // namespace

TEST_CASE("Slurm nodes: sockets become packages and memory domains", "[dialect][slurm]") {
    const auto nodes = built(
        std::string(two_sockets) + "RealMemory=1001 TmpDisk=5 Weight=3 Feature=x State=DRAIN", "");
    REQUIRE(nodes.size() == 1);
    const Node& node = nodes[0];
    CHECK(node.name == "n");
    CHECK(node.weight == 3);
    CHECK(node.features == Lines{"x"});
    CHECK(node.state == NodeState::drained);
    CHECK(check(*node.shape).ok());
    CHECK(node.shape->disk == mib(5));
    CHECK(node.shape->cpu_count() == Count(8));
    REQUIRE(node.shape->hardware.core_count() == 4);
    CHECK(node.shape->hardware.cores[3].threads == std::vector{OsIndex(6), OsIndex(7)});
    REQUIRE(node.shape->hardware.groups.size() == 2);
    CHECK(node.shape->hardware.groups[1].level == HardwareLevel::package);
    CHECK(to_text(node.shape->hardware.groups[1].cores) == "2-3");
    REQUIRE(node.shape->memory.size() == 2);
    CHECK(to_text(node.shape->memory[0].cores) == "0-1");
    CHECK(node.shape->memory[0].capacity == node.shape->memory[1].capacity);
    CHECK(node.shape->total_memory() == mib(1001));
}

TEST_CASE("Slurm nodes: memory that does not divide loses no byte", "[dialect][slurm][law]") {
    for (int sockets = 1; sockets <= 9; ++sockets) {
        for (int memory = 1; memory <= 12; ++memory) {
            const auto nodes =
                built(fmt::format("NodeName=n Sockets={} RealMemory={}", sockets, memory), "");
            const NodeShape& shape = *nodes[0].shape;
            INFO(sockets << " sockets, " << memory << " MiB");
            CHECK(shape.total_memory() == mib(memory));
            CHECK(shape.memory.front().capacity.value() - shape.memory.back().capacity.value() <=
                  1);
        }
    }
}

TEST_CASE("Slurm nodes: devices of both files", "[dialect][slurm]") {
    struct Row {
        const char* gres;
        const char* gres_conf;
        Lines expected;
        const char* why;
    };
    const Row rows[] = {
        {"gpu:a100:2",
         "Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-1",
         {"gpu:a100#0 /dev/nvidia0 cores 0-1", "gpu:a100#1 /dev/nvidia1 cores 0-1"},
         "one line for two devices"},
        {"gpu:a100:2",
         "Name=gpu Type=a100 File=/dev/nvidia0 Cores=0-1\n"
         "Name=gpu Type=a100 File=/dev/nvidia1 Cores=2-3",
         {"gpu:a100#0 /dev/nvidia0 cores 0-1", "gpu:a100#1 /dev/nvidia1 cores 2-3"},
         "a line each"},
        {"gpu:a100:1,gpu:v100:1",
         "Name=gpu Type=V100 File=/dev/nvidia0\nName=gpu Type=A100 File=/dev/nvidia1",
         {"gpu:a100#0 /dev/nvidia1", "gpu:v100#1 /dev/nvidia0"},
         "types in any case; slurm.conf's spelling and order"},
        {"gpu:1",
         "Name=gpu Type=a100 File=/dev/nvidia0",
         {"gpu:#0 /dev/nvidia0"},
         "slurm.conf has no type: neither has the device"},
        {"gpu:a100:2", "", {"gpu:a100#0", "gpu:a100#1"}, "no line: counted only"},
        {"gpu:2", "AutoDetect=nvml", {"gpu:#0", "gpu:#1"}, "detection is not done here"},
        {"gpu:2",
         "AutoDetect=nvml\nName=gpu File=/dev/nvidia0",
         {"gpu:#0 /dev/nvidia0", "gpu:#1"},
         "under detection a line may be missing"},
        {"gpu:2",
         "Name=gpu File=/dev/nvidia[0-1] Flags=CountOnly Cores=0",
         {"gpu:#0", "gpu:#1"},
         "counted only, whatever the files"},
        {"nic:2",
         "Name=nic Count=2 Cores=3",
         {"nic:#0 cores 3", "nic:#1 cores 3"},
         "cores without files"},
        {"gpu:1",
         "Name=gpu MultipleFiles=/dev/nvidia0,/dev/nvidia-caps/nvidia-cap[1-2]",
         {"gpu:#0 /dev/nvidia0 /dev/nvidia-caps/nvidia-cap1 /dev/nvidia-caps/nvidia-cap2"},
         "three files, one device"},
        {"gpu:1",
         "NodeName=m Name=gpu File=/dev/nvidia[0-7]\nNodeName=n Name=gpu File=/dev/nvidia0",
         {"gpu:#0 /dev/nvidia0"},
         "another node's line is passed over"},
        {"gpu:1,nic:1",
         "Name=nic File=/dev/mlx0\nName=gpu File=/dev/nvidia0",
         {"gpu:#0 /dev/nvidia0", "nic:#0 /dev/mlx0"},
         "an index counts within the name"},
        {"gpu:0", "", {}, "none"},
    };
    for (const Row& row : rows) {
        INFO(row.gres << " with " << row.gres_conf << ": " << row.why);
        const auto nodes = built(std::string(two_sockets) + "Gres=" + row.gres, row.gres_conf);
        CHECK(devices_of(nodes[0]) == row.expected);
        CHECK(check(*nodes[0].shape).ok());
    }
    const auto vendor = [](const char* line) {
        return built(std::string(two_sockets) + "Gres=gpu:1", line)[0].shape->devices[0].vendor;
    };
    CHECK(vendor("Name=gpu File=/dev/nvidia0") == "nvidia");
    CHECK(vendor("Name=gpu File=/dev/dri/renderD128 Flags=amd_gpu_env") == "amd");
    CHECK(vendor("Name=gpu File=/dev/dri/renderD128").empty());
}

TEST_CASE("Slurm nodes: links join the devices at their own places", "[dialect][slurm]") {
    const std::string node = std::string(two_sockets) + "Gres=gpu:3";
    const auto nodes = built(node,
                             "Name=gpu File=/dev/nvidia0 Links=-1,4,0\n"
                             "Name=gpu File=/dev/nvidia1 Links=4,-1,2\n"
                             "Name=gpu File=/dev/nvidia2 Links=0,0,-1\n");
    CHECK(nodes[0].shape->links ==
          std::vector<DeviceLink>{{DeviceId(0), DeviceId(1), 4}, {DeviceId(1), DeviceId(2), 2}});
    const auto swapped = built(node,
                               "Name=gpu File=/dev/nvidia0 Links=4,-1,0\n"
                               "Name=gpu File=/dev/nvidia1 Links=-1,4,0\n"
                               "Name=gpu File=/dev/nvidia2\n");
    CHECK(swapped[0].shape->links == std::vector<DeviceLink>{{DeviceId(0), DeviceId(1), 4}});
}

TEST_CASE("Slurm nodes: what the files cannot mean together is an error", "[dialect][slurm]") {
    struct Row {
        const char* gres;
        const char* gres_conf;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"gpu:1", "\nName=gpu File=/dev/nvidia0 Cores=0-4",
         "gres.conf line 2: Cores=0-4: core 4 does not exist on node n, expected 0-3",
         "cores that do not exist"},
        {"gpu:2", "Name=gpu File=/dev/nvidia[0-3]",
         "gres.conf line 1: gpu:4 more than the gpu:2 of slurm.conf line 1 for node n", "too many"},
        {"gpu:4", "Name=gpu File=/dev/nvidia[0-1]",
         "gres.conf line 1: 2 gpu in all for node n, expected gpu:4 as in slurm.conf line 1",
         "too few"},
        {"gpu:a100:2", "Name=gpu Type=v100 File=/dev/nvidia[0-1]",
         "gres.conf line 1: gpu:v100:2 for node n, which slurm.conf line 1 does not have",
         "another type"},
        {"gpu:a100:1", "Name=gpu File=/dev/nvidia0", "which slurm.conf line 1 does not have",
         "no type where slurm.conf has one"},
        {"nic:1", "Name=gpu File=/dev/nvidia0", "which slurm.conf line 1 does not have",
         "another name"},
        {"gpu:2", "Name=gpu File=/dev/nvidia0\nName=gpu File=/dev/nvidia0",
         "gres.conf line 2: /dev/nvidia0 on node n belongs to a device already", "one file twice"},
        {"gpu:2", "Name=gpu File=/dev/nvidia0 Links=-1,4\nName=gpu File=/dev/nvidia1 Links=3,-1",
         "gres.conf line 2: Links: 3 to place 0 of node n, expected 4", "contradiction"},
        {"gpu:2", "Name=gpu File=/dev/nvidia0 Links=-1,4\nName=gpu File=/dev/nvidia1 Links=-1,4",
         "Links: place 0 on node n is taken", "two own places alike"},
        {"gpu:1", "Name=gpu File=/dev/nvidia0 Links=-1,4", "no device of node n is at place 1",
         "a link to nobody"},
        {"bandwidth:4g", "", "slurm.conf line 1: more than 4096 devices on node n",
         "a counter that big is no set of devices"},
    };
    for (const Row& row : rows) {
        INFO(row.gres << " with " << row.gres_conf << ": " << row.why);
        const auto nodes = build(std::string(two_sockets) + "Gres=" + row.gres, row.gres_conf);
        REQUIRE_FALSE(nodes.ok());
        CHECK(nodes.status().code() == StatusCode::kInvalidArgument);
        const std::string line(message(nodes.status()));
        CHECK_THAT(line, ContainsSubstring(row.expected));
        CHECK(line.find('\n') == std::string::npos);
    }
}

TEST_CASE("Slurm nodes: nodes that are described alike share a shape", "[dialect][slurm]") {
    const auto nodes = built("NodeName=n[1-3] Gres=gpu:1\nNodeName=m Gres=gpu:1",
                             "NodeName=n[1-2],m Name=gpu File=/dev/nvidia0\n"
                             "NodeName=n3 Name=gpu File=/dev/nvidia7");
    REQUIRE(nodes.size() == 4);
    CHECK(nodes[0].shape.is_same_object(nodes[1].shape));
    CHECK_FALSE(nodes[0].shape == nodes[2].shape);
    CHECK(nodes[0].shape == nodes[3].shape);
    CHECK(nodes[3].name == "m");
    const auto twice = slurm::build_nodes(std::vector{slurm::parse_node_line("NodeName=a").value(),
                                                      slurm::parse_node_line("NodeName=a").value()},
                                          {});
    CHECK_THAT(std::string(message(twice.status())), ContainsSubstring("node a is named twice"));
}
