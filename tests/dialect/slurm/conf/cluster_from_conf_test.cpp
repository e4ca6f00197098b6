// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"

#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

namespace {

StatusOr<slurm::BuiltNodes> build(std::string_view slurm_conf, std::string_view gres_conf) {
    TRESTLE_TRY(const auto conf, slurm::parse_slurm_conf(slurm_conf));
    TRESTLE_TRY(const auto gres, slurm::parse_gres_conf(gres_conf));
    return slurm::build_nodes(conf, gres);
}

std::vector<Node> built(std::string_view slurm_conf, std::string_view gres_conf) {
    auto nodes = build(slurm_conf, gres_conf);
    INFO(message(nodes.status()));
    REQUIRE(nodes.ok());
    return std::move(nodes->nodes);
}

/// `gpu:a100#0 /dev/nvidia0 cores 0-3`, one device each.
std::vector<std::string> devices_of(const Node& node) {
    std::vector<std::string> lines;
    for (const Device& device : node.shape->devices) {
        std::string line = device.name + ":" + device.type + "#" + std::to_string(device.index);
        for (const Device::File& file : device.files) line += " " + file.path;
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
        {"gpu:2", "Name=gpu File=/dev/nvidia0\nName=gpu File=/dev/nvidia0",
         "gres.conf line 2: /dev/nvidia0: belongs to a device of node n already", "one file twice"},
        {"gpu:2", "Name=gpu File=/dev/nvidia0,/dev/nvidia0",
         "gres.conf line 1: /dev/nvidia0: belongs to a device of node n",
         "one file twice on a line"},
        {"gpu:2", "Name=gpu File=/dev/nvidia0\nName=gpu Count=1",
         "gres.conf line 2: gpu: with and without files for node n", "one with a file"},
        {"gpu:2", "Name=gpu Type=a File=/dev/nvidia0\nName=gpu File=/dev/nvidia1",
         "gres.conf line 2: gpu: with and without a type for node n", "one with a type"},
        {"nic:2", "Name=nic Count=1\nName=nic Count=1",
         "gres.conf line 2: nic: two lines with neither file nor type for node n", "which is it?"},
        {"gpu:2", "Name=gpu File=/dev/nvidia0 Links=-1,4\nName=gpu File=/dev/nvidia1 Links=3,-1",
         "gres.conf line 2: Links: 3 to place 0 of node n, expected 4", "contradiction"},
        {"gpu:2", "Name=gpu File=/dev/nvidia0 Links=-1,4\nName=gpu File=/dev/nvidia1 Links=-1,4",
         "Links: place 0 on node n is taken", "two own places alike"},
        {"gpu:1", "NodeName=n AutoDetect=nvml\nNodeName=n AutoDetect=rsmi",
         "gres.conf line 2: AutoDetect=rsmi: another one for node n, expected nvml as in line 1",
         "two lookers"},
        {"gpu:4000,nic:97", "", "slurm.conf line 1: Gres: more than 4096 devices on node n",
         "too many"},
        {"gpu:1", "Name=gpu File=/dev/nvidia[0-4096]", "4097 files for node n", "too many files"},
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

TEST_CASE("Slurm nodes: slurm.conf decides, and what it leaves over is warned of",
          "[dialect][slurm]") {
    struct Row {
        const char* gres;
        const char* gres_conf;
        Lines expected;
        const char* warning;  ///< of the only one; empty: none
        const char* why;
    };
    const Row rows[] = {
        {"gpu:2",
         "Name=gpu File=/dev/nvidia[0-3]",
         {"gpu:#0 /dev/nvidia0", "gpu:#1 /dev/nvidia1"},
         "gres.conf line 1: 2 of gpu:4 for node n are more than the Gres of slurm.conf line 1",
         "the line is cut down from its end"},
        {"gpu:4", "Name=gpu File=/dev/nvidia[0-1] Cores=0-1 Links=-1", {}, "", "an error earlier"},
        {"gpu:3",
         "Name=gpu File=/dev/nvidia[0-1] Cores=0-1",
         {"gpu:#0 /dev/nvidia0 cores 0-1", "gpu:#1 /dev/nvidia1 cores 0-1", "gpu:#2"},
         "",
         "what is missing has no file and no cores"},
        {"gpu:a100:2",
         "Name=gpu Type=v100 File=/dev/nvidia[0-1]",
         {"gpu:a100#0", "gpu:a100#1"},
         "2 of gpu:v100:2 for node n",
         "another type"},
        {"gpu:a100:1",
         "Name=gpu File=/dev/nvidia0",
         {"gpu:a100#0"},
         "1 of gpu:1 for node n",
         "no type where slurm.conf has one"},
        {"nic:1", "Name=gpu File=/dev/nvidia0", {"nic:#0"}, "1 of gpu:1", "another name"},
        {"gpu:2",
         "Name=gpu Type=a File=/dev/nvidia0\nName=gpu Type=b File=/dev/nvidia1",
         {"gpu:#0 /dev/nvidia0", "gpu:#1 /dev/nvidia1"},
         "",
         "an untyped item strips types"},
        {"gpu:a:1,gpu:b:1",
         "Name=gpu Type=b File=/dev/nvidia[0-1]\nName=gpu Type=A File=/dev/nvidia2",
         {"gpu:a#0 /dev/nvidia2", "gpu:b#1 /dev/nvidia0"},
         "1 of gpu:b:2",
         "types in any case"},
        {"gpu:1",
         "Name=gpu File=/dev/nvidia0 Links=-1,4",
         {"gpu:#0 /dev/nvidia0"},
         "",
         "a link to a device that was left out"},
        {"gpu:a:b:1", "", {"gpu:a#0", "gpu:b#1"}, "", "two types with the count each"},
        {"nic", "", {"nic:#0"}, "", "a name alone counts one"},
        {"nic,gpu:2", "", {"nic:#0", "gpu:#0", "gpu:#1"}, "", "and does not end the list"},
        {"gpu:2(S:0-1)", "", {"gpu:#0", "gpu:#1"}, "", "a printed tail"},
        {"gpu:1",
         "Name=gpu File=/dev/nvidia0 Cores=1",
         {"gpu:#0 /dev/nvidia0 cores 1"},
         "",
         "half a socket: right here, though not in Slurm"},
    };
    for (const Row& row : rows) {
        INFO(row.gres << " with " << row.gres_conf << ": " << row.why);
        const auto nodes = build(std::string(two_sockets) + "Gres=" + row.gres, row.gres_conf);
        if (row.expected.empty()) {
            CHECK_FALSE(nodes.ok());
            continue;
        }
        INFO(message(nodes.status()));
        REQUIRE(nodes.ok());
        CHECK(devices_of(nodes->nodes[0]) == row.expected);
        CHECK(check(*nodes->nodes[0].shape).ok());
        REQUIRE(nodes->warnings.size() == (*row.warning == '\0' ? 0 : 1));
        if (*row.warning != '\0') {
            CHECK_THAT(to_text(nodes->warnings[0]), ContainsSubstring(row.warning));
        }
    }
}

TEST_CASE("Slurm nodes: parts of GPUs and counters are shares", "[dialect][slurm]") {
    struct Row {
        const char* gres;
        const char* gres_conf;
        const char* expected;  ///< `gpu:a100#0 x4 shard`
        const char* configured;
        const char* why;
    };
    const Row rows[] = {
        {"gpu:a100:2,shard:8", "Name=gpu Type=a100 File=/dev/nvidia[0-1]\nName=shard Count=8",
         "gpu:a100#0 x4 shard, gpu:a100#1 x4 shard", "gpu:a100:2,shard:a100:8", "spread"},
        {"gpu:2,shard:7", "", "gpu:#0 x3 shard, gpu:#1 x4 shard", "gpu:2,shard:7",
         "the first one has one less"},
        {"gpu:3,shard:4",
         "Name=gpu File=/dev/nvidia[0-2]\nName=shard Count=5 File=/dev/nvidia[1-2]",
         "gpu:#0 x1, gpu:#1 x2 shard, gpu:#2 x2 shard", "gpu:3,shard:4",
         "the count is of both files, which give as many each"},
        {"gpu:2,mps:300",
         "Name=gpu File=/dev/nvidia[0-1]\nName=mps Count=100 File=/dev/nvidia0\n"
         "Name=mps Count=200 File=/dev/nvidia1",
         "gpu:#0 x100 mps, gpu:#1 x200 mps", "gpu:2,mps:300", "by file"},
        {"gpu:2,mps:100", "Name=gpu File=/dev/nvidia[0-1]\nName=mps Count=100 File=/dev/nvidia1",
         "gpu:#0 x1, gpu:#1 x100 mps", "gpu:2,mps:100", "one GPU is not cut"},
        {"gpu:a:1,gpu:b:1,shard:b:4", "", "gpu:a#0 x1, gpu:b#1 x4 shard",
         "gpu:a:1,gpu:b:1,shard:b:4", "of one type"},
        {"bandwidth:lustre:no_consume:4G", "Name=bandwidth Type=lustre Count=4G Flags=CountOnly",
         "bandwidth:lustre#0 x4294967296 unit free", "bandwidth:lustre:4294967296",
         "a large counter is one device"},
        {"lic:2", "Name=lic Count=2 Flags=CountOnly", "lic:#0 x1, lic:#1 x1", "lic:2",
         "a small one is devices"},
    };
    for (const Row& row : rows) {
        INFO(row.gres << " with " << row.gres_conf << ": " << row.why);
        const auto nodes = built(std::string(two_sockets) + "Gres=" + row.gres, row.gres_conf);
        std::string text;
        for (const Device& device : nodes[0].shape->devices) {
            text += (text.empty() ? "" : ", ") + device.name + ":" + device.type + "#" +
                    std::to_string(device.index) + " x" + to_text(device.shares);
            if (device.share_kind != ShareKind::part)
                text += " " + std::string(to_text(device.share_kind));
            if (!device.is_consumed) text += " free";
        }
        CHECK(text == row.expected);
        CHECK(slurm::gres_list_text(slurm::configured_gres(*nodes[0].shape)) == row.configured);
    }
    const auto warned = [](const char* gres, const char* gres_conf) {
        const auto nodes = build(std::string(two_sockets) + "Gres=" + gres, gres_conf);
        return nodes.ok() && nodes->warnings.size() == 1 ? to_text(nodes->warnings[0]) : "none";
    };
    CHECK_THAT(warned("shard:4", ""), ContainsSubstring("node n: shard without a GPU"));
    CHECK_THAT(warned("gpu:1,shard:4,mps:100", ""),
               ContainsSubstring("mps of GPU 0, which is cut into shard already"));
    CHECK_THAT(warned("gpu:1,shard:4",
                      "Name=gpu File=/dev/nvidia0\n"
                      "Name=shard Count=4 File=/dev/nvidia7"),
               ContainsSubstring("shard of /dev/nvidia7, which is no GPU"));
}

TEST_CASE("Slurm nodes: what is kept for the system", "[dialect][slurm]") {
    struct Row {
        const char* keys;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"", "", "nothing"},
        {"CoreSpecCount=1", "7", "the last core of the last socket"},
        {"CoreSpecCount=2", "3,7", "then of the socket before"},
        {"CoreSpecCount=3", "3,6-7", "then backwards"},
        {"CoreSpecCount=7", "1-7", "all but one"},
        {"CpuSpecList=0,1", "0", "both threads of core 0"},
        {"CpuSpecList=1,15", "0,7", "any thread takes its core"},
    };
    for (const Row& row : rows) {
        INFO(row.keys << ": " << row.why);
        const auto nodes = built(
            std::string("NodeName=n Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 ") + row.keys, "");
        CHECK(to_text(nodes[0].shape->system_cores) == row.expected);
    }
    const auto forward = built(
        "SchedulerParameters=spec_cores_first\nNodeName=n Sockets=2 CoresPerSocket=4 "
        "CoreSpecCount=3",
        "");
    CHECK(to_text(forward[0].shape->system_cores) == "0-1,4");
    const auto memory = built("NodeName=n Sockets=2 RealMemory=101 MemSpecLimit=11", "");
    CHECK(memory[0].shape->total_memory() == mib(101));
    CHECK(memory[0].shape->ordinary_memory() == mib(90));
    const auto restricted = built(
        "NodeName=n Sockets=2 CoresPerSocket=4 CoreSpecCount=1 RestrictedCoresPerGPU=2 "
        "Gres=gpu:4",
        "Name=gpu File=/dev/nvidia[0-1] Cores=0-3\nName=gpu File=/dev/nvidia[2-3] Cores=4-7");
    Lines reserved;
    for (const Device& gpu : restricted[0].shape->devices) {
        reserved.push_back(to_text(gpu.reserved_cores));
    }
    CHECK(reserved == Lines{"0-1", "2-3", "4-5", "6"});
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
    slurm::SlurmConf conf = slurm::parse_slurm_conf("NodeName=a").value();
    conf.nodes.push_back(conf.nodes.front());
    const auto twice = slurm::build_nodes(conf, {});
    CHECK_THAT(std::string(message(twice.status())), ContainsSubstring("a: node named twice"));
}

TEST_CASE("Slurm nodes: lines of gres.conf that overlap in any way split the nodes once",
          "[dialect][slurm][law]") {
    const std::string_view slurm_conf =
        "NodeName=n[1-40] Gres=gpu:1\nNodeName=pad[008-012] Gres=gpu:1\n"
        "NodeName=b[0-3]-ib,login Gres=gpu:1\nNodeName=q[08-101] Gres=gpu:1\n";
    const std::string_view lists[] = {
        "n[10-40]",   "n[1-20:2]",          "n[5-15],n[12-30],login", "pad[008-010]",
        "pad[10-11]", "b[1-2]-ib,n40",      "n[39-100],x[1-9]",       "pad[009-0010]",
        "q[10-99:3]", "q[100-101],q[08-09]"};
    std::string gres_conf;
    std::size_t file = 0;
    for (const std::string_view list : lists) {
        gres_conf += fmt::format("NodeName={} Name=gpu File=/dev/g{}\n", list, file++);
    }
    const auto all = build(slurm_conf, gres_conf);
    INFO(message(all.status()));
    REQUIRE(all.ok());
    for (const Node& node : all->nodes) {
        INFO(node.name);
        std::string own;
        file = 0;
        for (const std::string_view list : lists) {
            const auto names = slurm::Hostlist::parse(list);
            REQUIRE(names.ok());
            if (names->contains(node.name)) own += fmt::format("Name=gpu File=/dev/g{}\n", file);
            ++file;
        }
        const auto alone = build("NodeName=" + node.name + " Gres=gpu:1\n", own);
        REQUIRE(alone.ok());
        CHECK(devices_of(node) == devices_of(alone->nodes.front()));
    }
}

TEST_CASE("Slurm nodes: twenty lists of nearly all nodes do not cost twenty times the nodes",
          "[dialect][slurm]") {
    std::string gres_conf;
    for (int k = 1; k <= 20; ++k) {
        gres_conf += fmt::format("NodeName=n[{}-100000] AutoDetect=off\n", k);
    }
    const auto nodes = built("NodeName=n[1-100000]\n", gres_conf);
    REQUIRE(nodes.size() == 100'000);
    CHECK_FALSE(nodes[18].shape.is_same_object(nodes[19].shape));
    CHECK(nodes[19].shape.is_same_object(nodes.back().shape));
}

TEST_CASE("Slurm nodes: GRES that GresTypes lacks are warned of", "[dialect][slurm]") {
    struct Row {
        const char* conf;
        Lines expected;
        const char* why;
    };
    const Row rows[] = {
        {"GresTypes=gpu\nNodeName=n Gres=gpu:2,nic:1\n",
         {"slurm.conf line 2: GRES nic: not in GresTypes, so no job gets it"},
         "one of two"},
        {"GresTypes=gpu,nic\nNodeName=n Gres=gpu:2,nic:1\n", {}, "both are there"},
        {"NodeName=n[0-9] Gres=nic:a:1,nic:b:1\nNodeName=m Gres=nic:1\nGresTypes=gpu\n",
         {"slurm.conf line 1: GRES nic: not in GresTypes, so no job gets it",
          "slurm.conf line 2: GRES nic: not in GresTypes, so no job gets it"},
         "once a line, wherever GresTypes stands"},
        {"NodeName=n Gres=gpu:2\nPartitionName=p Nodes=n\n",
         {"slurm.conf line 1: GRES gpu: not in GresTypes, so no job gets it"},
         "a whole file without GresTypes knows none"},
        {"NodeName=n Gres=gpu:2\n", {}, "a piece of a file says nothing of GresTypes"},
        {"GresTypes=gpu\nNodeName=n Gres=GPU:2\n",
         {"slurm.conf line 2: GRES GPU: not in GresTypes, so no job gets it"},
         "in the same case"},
    };
    for (const Row& row : rows) {
        INFO(row.conf << ": " << row.why);
        const auto nodes = build(row.conf, "");
        INFO(message(nodes.status()));
        REQUIRE(nodes.ok());
        Lines lines;
        for (const slurm::ConfWarning& one : nodes->warnings) lines.push_back(to_text(one));
        CHECK(lines == row.expected);
    }
}

TEST_CASE("Slurm cluster: a topology.conf that is not used is warned of", "[dialect][slurm]") {
    const auto warned = [](std::string_view more, std::string_view topology_conf,
                           std::string_view topology_yaml = "") {
        const std::string conf = "NodeName=n[0-1]\n" + std::string(more);
        const auto built = slurm::parse_cluster(
            {.slurm_conf = conf, .topology_conf = topology_conf, .topology_yaml = topology_yaml});
        INFO(message(built.status()));
        REQUIRE(built.ok());
        Lines lines;
        for (const slurm::ConfWarning& one : built->warnings) lines.push_back(to_text(one));
        return lines;
    };
    const std::string_view tree = "TopologyPlugin=topology/tree\n";
    const std::string_view text = "# nodes\n\n \t\n SwitchName=s Nodes=n[0-1]\nSwitchName=x\n";
    CHECK(warned("", text) ==
          Lines{"topology.conf line 4: not used: TopologyPlugin is topology/flat"});
    CHECK(warned("", "# nothing\n  \n").empty());
    CHECK(warned("", "").empty());
    CHECK(warned(tree, "SwitchName=s Nodes=n[0-1]\n").empty());
    CHECK(warned(tree, "SwitchName=s Nodes=n[0-1]",
                 "- topology: default\n  cluster_default: true\n  flat: true\n") ==
          Lines{"topology.conf line 1: not used: topology.yaml goes before it"});
}
