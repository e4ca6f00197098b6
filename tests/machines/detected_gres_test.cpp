// SPDX-License-Identifier: Apache-2.0
// From a machine to its lines of gres.conf, and back to the same node.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/machine_folder.hpp"
#include "trestle/dialect/slurm/conf/merge.hpp"
#include "trestle/dialect/slurm/conf/slurm_conf.hpp"
#include "trestle/os/discover.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

struct Case {
    const char* name;
    const char* vendor;      ///< of the PCI functions
    const char* autodetect;  ///< who looks on a Slurm node
    std::string script;      ///< of the library
};

std::vector<Case> cases() {
    const auto gpu = [](const char* vendor, int bus, const std::string& more) {
        return fmt::format("{} bus=0000:{}:00.0; minor={}; {}\n", vendor, bus, bus - 10, more);
    };
    const std::string a100 = "name=NVIDIA A100-SXM4-40GB; memory_mib=40960; ";
    const std::string h100 = "name=NVIDIA H100 80GB HBM3; memory_mib=81559; links=switch*18";
    const std::string mi300x = "name=AMD Instinct MI300X; hops=1; id=";
    const auto instance = [](int gi, const std::string& profile) {
        return fmt::format(
            "instance gi={0}; ci=0; uuid=MIG-{0}; memory_mib=4864; "
            "name=NVIDIA A100-SXM4-40GB MIG {1}\n",
            gi, profile);
    };
    return {
        {"two A100 that four NVLinks join, two without", "0x10de", "nvml",
         gpu("nvidia", 10, a100 + "uuid=GPU-a; links=0000:12:00.0*4") +
             gpu("nvidia", 11, a100 + "uuid=GPU-b") +
             gpu("nvidia", 12, a100 + "uuid=GPU-c; links=0000:10:00.0*4") +
             gpu("nvidia", 13, a100 + "uuid=GPU-d")},
        {"four H100 that NVSwitches join", "0x10de", "nvml",
         gpu("nvidia", 10, h100) + gpu("nvidia", 11, h100) + gpu("nvidia", 12, h100) +
             gpu("nvidia", 13, h100)},
        {"a GPU in MIG mode beside whole ones", "0x10de", "nvml",
         gpu("nvidia", 10, a100) + gpu("nvidia", 11, a100 + "mig=1") + instance(9, "1g.5gb") +
             instance(2, "3g.20gb") + instance(10, "1g.5gb+me") + gpu("nvidia", 12, a100) +
             gpu("nvidia", 13, a100)},
        {"a library that is not there", "0x10de", "nvidia", ""},
        {"four MI300X that XGMI joins", "0x1002", "rsmi",
         gpu("amd", 10, mi300x + "1") + gpu("amd", 11, mi300x + "2") +
             gpu("amd", 12, mi300x + "3") + gpu("amd", 13, mi300x + "4")},
        {"Intel", "0x8086", "oneapi",
         gpu("intel", 10, "name=Intel(R) Data Center GPU Max 1550") +
             gpu("intel", 11, "name=Intel(R) Data Center GPU Max 1100") +
             gpu("intel", 12, "name=Intel(R) Data Center GPU Max 1550") +
             gpu("intel", 13, "name=Intel(R) Data Center GPU Max 1550")},
        {"Neuron devices in a ring", "", "nrt", ""},
    };
}

/// Four PCI functions at buses 10 to 13, two near each package, with a render node each; or four
/// Neuron devices.
NodeShape detect(const Case& one) {
    const MachineFolder machine;
    for (int i = 0; i < 4; ++i) {
        if (std::string(one.autodetect) == "nrt") {
            const std::string neuron =
                fmt::format("sys/devices/virtual/neuron_device/neuron{}/", i);
            machine.write(neuron + "info/architecture/device_name", "Trainium2\n");
            machine.write(neuron + "dev", fmt::format("239:{}\n", i));
            machine.write(neuron + "connected_devices",
                          fmt::format("{}, {}\n", (i + 3) % 4, (i + 1) % 4));
            continue;
        }
        const std::string bus = fmt::format("0000:{}:00.0", 10 + i);
        machine.add_gpu({bus.c_str(), one.vendor, "0x1234", i < 2 ? "0000000f" : "000000f0"});
        machine.write(fmt::format("sys/bus/pci/devices/{}/drm/renderD{}/dev", bus, 128 + i),
                      fmt::format("226:{}\n", 128 + i));
        if (std::string(one.vendor) != "0x10de") continue;
        machine.add_nvidia_page(bus.c_str(), fmt::format("Model: Tesla T4\nDevice Minor: {}\n", i));
    }
    machine.write("proc/driver/nvidia-caps/mig-minors",
                  "gpu1/gi2/access 21\ngpu1/gi2/ci0/access 22\ngpu1/gi9/access 84\n"
                  "gpu1/gi9/ci0/access 85\ngpu1/gi10/access 93\ngpu1/gi10/ci0/access 94\n");
    const StubScript script(one.script);
    os::DiscoverOptions options;
    options.fs_root = machine.path();
    if (!one.script.empty()) options.library_folder = stub_folder("new");
    const auto node = os::discover(options);
    INFO(node.status().ToString());
    REQUIRE(node.ok());
    return *node->shape;
}

/// The text of gres.conf for a machine.
std::string gres_conf_of(const NodeShape& detected) {
    std::string text;
    for (const slurm::GresLine& line : slurm::detected_gres(detected)) text += to_text(line) + "\n";
    return text;
}

/// The node with these devices in slurm.conf and with this gres.conf.
slurm::NodeConf conf_of(const NodeShape& detected, const std::string& gres_conf) {
    std::map<std::string, int> counts;
    for (const slurm::GresLine& line : slurm::detected_gres(detected)) {
        ++counts[line.type.empty() ? "gpu" : "gpu:" + line.type];
    }
    std::string gres;
    for (const auto& [name, count] : counts) {
        gres += fmt::format("{}{}:{}", gres.empty() ? "" : ",", name, count);
    }
    const auto conf = slurm::parse_slurm_conf("NodeName=n Sockets=2 CoresPerSocket=4 Gres=" + gres);
    const auto lines = slurm::parse_gres_conf(gres_conf);
    INFO(gres << "\n" << gres_conf << message(conf.status()) << message(lines.status()));
    REQUIRE((conf.ok() && lines.ok()));
    return {"n", conf->nodes.at(0), *lines, slurm::SystemCoresFrom::last};
}

bool has_files_of(const Device& device, const Device& other) {
    return std::all_of(other.files.begin(), other.files.end(), [&](const Device::File& wanted) {
        return std::any_of(device.files.begin(), device.files.end(),
                           [&](const Device::File& its) { return its.path == wanted.path; });
    });
}

NodeShape merged(const slurm::NodeConf& conf, const std::optional<NodeShape>& detected) {
    const auto node = slurm::merge(conf, detected);
    INFO(message(node.status()));
    REQUIRE(node.ok());
    for (const slurm::ConfWarning& warning : node->warnings) UNSCOPED_INFO(to_text(warning));
    CHECK(node->warnings.empty());
    return node->shape;
}

}  // namespace

TEST_CASE("detected GPUs as lines of gres.conf", "[machines][golden]") {
    std::string text;
    for (const Case& one : cases()) {
        text += fmt::format("# {}\n{}\n", one.name, gres_conf_of(detect(one)));
    }
    check_golden("detected_gres.txt", text);
}

TEST_CASE("detected GPUs: their lines, read again and merged, are the node that AutoDetect gives",
          "[machines]") {
    for (const Case& one : cases()) {
        INFO(one.name);
        const NodeShape detected = detect(one);
        const std::string text = gres_conf_of(detected);
        const auto lines = slurm::parse_gres_conf(text);
        REQUIRE(lines.ok());
        auto without_place = *lines;
        for (slurm::GresLine& line : without_place) line.place = {};
        CHECK(without_place == slurm::detected_gres(detected));

        const std::string autodetect = fmt::format("AutoDetect={}\n", one.autodetect);
        const NodeShape by_machine = merged(conf_of(detected, autodetect), detected);
        const NodeShape by_both = merged(conf_of(detected, autodetect + text), detected);
        CHECK(by_both == by_machine);
        CHECK(by_machine.devices.size() == lines->size());

        const NodeShape by_lines = merged(conf_of(detected, text), std::nullopt);
        for (const Device& device : by_lines.devices) {
            const auto is_it = [&](const Device& other) {
                return other.type == device.type && other.cores == device.cores &&
                       has_files_of(other, device);
            };
            CHECK(std::count_if(by_both.devices.begin(), by_both.devices.end(), is_it) == 1);
        }
    }
}

TEST_CASE("detected GPUs: lines in another order find their own instances", "[machines]") {
    const NodeShape detected = detect(cases().at(2));
    auto lines = slurm::detected_gres(detected);
    std::string text = "AutoDetect=nvml\n";
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) text += to_text(*line) + "\n";
    std::map<std::string, std::string> file_of_uuid;
    for (const Device& device : merged(conf_of(detected, text), detected).devices) {
        if (!device.uuid.empty()) file_of_uuid[device.uuid] = device.files.back().path;
    }
    CHECK(file_of_uuid ==
          std::map<std::string, std::string>{{"MIG-2", "/dev/nvidia-caps/nvidia-cap22"},
                                             {"MIG-9", "/dev/nvidia-caps/nvidia-cap85"},
                                             {"MIG-10", "/dev/nvidia-caps/nvidia-cap94"}});
}

TEST_CASE("detected GPUs: types may be configured as Slurm itself names them", "[machines]") {
    const NodeShape detected = detect(cases().at(2));
    const auto conf = slurm::parse_slurm_conf(
        "NodeName=n Sockets=2 CoresPerSocket=4 Gres=gpu:nvidia_a100-sxm4-40gb:3,"
        "gpu:nvidia_a100_3g.20gb:1,gpu:nvidia_a100_1g.5gb:2");
    const auto lines = slurm::parse_gres_conf("AutoDetect=nvml");
    REQUIRE((conf.ok() && lines.ok()));
    const NodeShape shape =
        merged({"n", conf->nodes.at(0), *lines, slurm::SystemCoresFrom::last}, detected);
    std::vector<std::string> types;
    for (const Device& device : shape.devices) types.push_back(device.uuid + " " + device.type);
    CHECK(types == std::vector<std::string>{" nvidia_a100-sxm4-40gb", "MIG-2 nvidia_a100_3g.20gb",
                                            "MIG-9 nvidia_a100_1g.5gb", "MIG-10 nvidia_a100_1g.5gb",
                                            " nvidia_a100-sxm4-40gb", " nvidia_a100-sxm4-40gb"});
}

TEST_CASE("detected GPUs: AutoDetect of one vendor passes over the others", "[machines]") {
    NodeShape detected = detect(cases().at(0));
    detected.devices.at(0).vendor = "amd";
    const auto conf = slurm::parse_slurm_conf("NodeName=n Sockets=2 CoresPerSocket=4 Gres=gpu:4");
    for (const auto& [autodetect, count] :
         std::map<std::string, std::size_t>{{"nvml", 3}, {"nvidia", 3}, {"rsmi", 1}, {"full", 4}}) {
        INFO(autodetect);
        const auto lines = slurm::parse_gres_conf("AutoDetect=" + autodetect);
        REQUIRE((conf.ok() && lines.ok()));
        const auto node =
            slurm::merge({"n", conf->nodes.at(0), *lines, slurm::SystemCoresFrom::last}, detected);
        REQUIRE(node.ok());
        CHECK(node->shape.devices.size() == count);
    }
}

TEST_CASE("detected GPUs: what a file cannot say of all is left out", "[machines]") {
    NodeShape detected = detect(cases().at(0));
    detected.devices.at(0).vendor = "amd";
    detected.devices.at(1).type.clear();
    detected.devices.at(2).files.clear();
    CHECK(gres_conf_of(detected) ==
          "Name=gpu File=/dev/nvidia0 Cores=0-3 Links=-1,0,4,0\n"
          "Name=gpu File=/dev/nvidia1 Cores=0-3 Links=0,-1,0,0\n"
          "Name=gpu File=/dev/nvidia3 Cores=4-7 Links=0,0,0,-1\n");
    CHECK(slurm::detected_gres(NodeShape()).empty());
}

}  // namespace trestle
