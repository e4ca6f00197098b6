// SPDX-License-Identifier: Apache-2.0
// A machine with NVIDIA's driver: what discovery takes from NVML against what the kernel module
// itself tells in /proc, readings, and jobs that may or may not open the real device files.
// Hidden, since few machines have one: trestle_os_tests "[real_gpu]", or check.sh --long gpu.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "os/kernel_support.hpp"
#include "support/catch.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/os/discover.hpp"
#include "trestle/os/readings.hpp"

namespace trestle {
namespace {

const std::string proc_folder = "/proc/driver/nvidia/gpus";

struct ProcGpu {
    std::string model;
    std::string uuid;
    std::uint32_t minor = 0;
};

/// By bus id, as `0000:34:00.0`.
std::map<std::string, ProcGpu> gpus_of_proc() {
    std::map<std::string, ProcGpu> gpus;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(proc_folder, none)) {
        ProcGpu& gpu = gpus[entry.path().filename().string()];
        std::ifstream lines(entry.path() / "information");
        for (std::string line; std::getline(lines, line);) {
            const auto colon = line.find(':');
            const auto begin = line.find_first_not_of(" \t", colon + 1);
            if (colon == std::string::npos || begin == std::string::npos) continue;
            const std::string key = line.substr(0, colon);
            const std::string value = line.substr(begin);
            if (key == "Model") gpu.model = value;
            if (key == "GPU UUID") gpu.uuid = value;
            if (key == "Device Minor") gpu.minor = static_cast<std::uint32_t>(std::stoul(value));
        }
    }
    return gpus;
}

bool has_gpus() {
    if (!gpus_of_proc().empty()) return true;
    WARN("SKIPPED: no " << proc_folder);
    return false;
}

/// The GPUs of this machine with what a source tells of them, by bus id.
std::map<std::string, Device> gpus_seen_by(os::DriverSource source) {
    os::DiscoverOptions options;
    options.drivers = source;
    const auto node = os::discover(options);
    INFO(node.status().ToString());
    REQUIRE(node.ok());
    std::map<std::string, Device> gpus;
    for (const Device& device : node->shape->devices) {
        if (device.name == "gpu") gpus[device.pci_bus_id] = device;
    }
    return gpus;
}

/// A script that succeeds when the file can be opened, and one when the filter forbids it.
std::string opens(const std::string& file) { return "exec 3<>" + file; }
std::string is_forbidden(const std::string& file) {
    return "( exec 3<>" + file + " ) 2>&1 | grep -q 'Operation not permitted'";
}

}  // namespace

TEST_CASE("real GPU: NVML and the kernel module tell the same of each GPU", "[.][real_gpu]") {
    if (!has_gpus()) return;
    const auto told = gpus_seen_by(os::DriverSource::nvml);
    for (const auto& [place, expected] : gpus_of_proc()) {
        INFO(place);
        const auto found = told.find(place);
        REQUIRE(found != told.end());
        const Device& gpu = found->second;
        CHECK(gpu.uuid == expected.uuid);
        CHECK(gpu.type == os::device_type(expected.model));
        CHECK(gpu.memory >= gib(1));
        REQUIRE_FALSE(gpu.files.empty());
        CHECK(gpu.files[0].path == "/dev/nvidia" + std::to_string(expected.minor));
        CHECK(gpu.files[0].minor == std::optional<std::uint32_t>(expected.minor));
    }
}

TEST_CASE("real GPU: what needs no library agrees with NVML", "[.][real_gpu]") {
    if (!has_gpus()) return;
    const auto told = gpus_seen_by(os::DriverSource::nvml);
    const auto alone = gpus_seen_by(os::DriverSource::off);
    REQUIRE(alone.size() == told.size());
    for (const auto& [place, gpu] : alone) {
        INFO(place);
        const auto found = told.find(place);
        REQUIRE(found != told.end());
        CHECK(gpu.type == found->second.type);
        CHECK(gpu.files == found->second.files);
    }
}

TEST_CASE("real GPU: readings are those of a card that works", "[.][real_gpu]") {
    if (!has_gpus()) return;
    const auto readings = os::read_gpus();
    INFO(readings.status().ToString());
    REQUIRE(readings.ok());
    const auto proc = gpus_of_proc();
    for (const os::GpuReading& reading : *readings) {
        INFO(reading.place);
        CHECK(proc.count(reading.place) == 1);
    }
    const auto reports = os::read_device_health();
    REQUIRE(reports.ok());
    REQUIRE(reports->size() == readings->size());
    for (const DeviceReport& report : *reports) {
        INFO(report.place << ": " << to_text(report.report));
        CHECK(report.report.health == Health::healthy);
    }
}

TEST_CASE("real GPU: a job opens the GPU that it was given, and one without a GPU does not",
          "[.][real_gpu]") {
    if (!has_gpus() || !has_device_filters()) return;
    auto node = os::discover();
    REQUIRE(node.ok());
    node->name = "here";
    const auto cluster = Cluster::create({.nodes = {*node}});
    REQUIRE(cluster.ok());
    for (const bool is_given : {false, true}) {
        INFO("asks for a GPU: " << is_given);
        Request request;
        request.memory = Range<Bytes>::exactly(mib(512));
        if (is_given) request.devices.resize(1);
        const auto placed = place(*cluster, request);
        REQUIRE(placed.has_value());
        PlanOptions options;
        options.group = "job";
        const auto plan = trestle::plan(*node, placed->nodes[0], request, {}, options);
        INFO(plan.status().ToString());
        REQUIRE(plan.ok());
        KernelGroup group;
        const auto applied = group.enforcer().apply(*plan);
        INFO(applied.status().ToString());
        REQUIRE(applied.ok());
        const DeviceSet given = placed->nodes[0].device_set();
        for (std::size_t i = 0; i < node->shape->devices.size(); ++i) {
            const Device& gpu = node->shape->devices[i];
            if (gpu.name != "gpu") continue;
            const std::string file = gpu.files[0].path;
            const bool is_own = given.contains(DeviceId(static_cast<std::uint32_t>(i)));
            INFO(file);
            CHECK(group.run(*plan, is_own ? opens(file) : is_forbidden(file)).exit_code == 0);
            CHECK(
                group
                    .run(*plan, is_given ? opens("/dev/nvidiactl") : is_forbidden("/dev/nvidiactl"))
                    .exit_code == 0);
        }
    }
}

}  // namespace trestle
