// SPDX-License-Identifier: Apache-2.0
// Energy below a root folder, and what a stub of NVML tells.
#include "trestle/os/readings.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/machine_folder.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using Readings = std::vector<os::GpuReading>;

static_assert(lists_all_fields<os::ReadingOptions> && lists_all_fields<os::GpuReading> &&
              lists_all_fields<os::XidEvent>);

struct Zone {
    const char* folder;
    const char* name;
    const char* energy;
    const char* range = "262143328850";
};

void add_zone(const MachineFolder& machine, const Zone& zone) {
    const std::string folder = std::string("sys/class/powercap/") + zone.folder + "/";
    machine.write(folder + "name", std::string(zone.name) + "\n");
    machine.write(folder + "energy_uj", std::string(zone.energy) + "\n");
    machine.write(folder + "max_energy_range_uj", std::string(zone.range) + "\n");
}

os::ReadingOptions below(const MachineFolder& machine) {
    os::ReadingOptions options;
    options.fs_root = machine.path();
    return options;
}

Readings readings_of(const std::string& script, const char* stubs = "new") {
    const StubScript answers(script);
    os::ReadingOptions options;
    options.library_folder = stub_folder(stubs);
    const auto readings = os::read_gpus(options);
    INFO(readings.status().ToString());
    REQUIRE(readings.ok());
    return *readings;
}

const std::string busy_a100 =
    "nvidia bus=0000:34:00.0; uuid=GPU-1; memory_mib=40960; used_mib=1024; util=95; temp=61; "
    "slowdown=92; shutdown=97; power_mw=250500; energy_mj=1234567; ecc_corrected=3; "
    "ecc_uncorrected=0; remap_pending=1; pcie_replays=2; links=0000:b4:00.0*4,off*2; "
    "nvlink_replays=5; nvlink_errors=0\n";

}  // namespace

TEST_CASE("read_energy: packages and their memory, each once", "[os]") {
    const MachineFolder machine;
    machine.write("sys/class/powercap/intel-rapl/enabled", "1\n");
    add_zone(machine, {"intel-rapl:0", "package-0", "1000"});
    add_zone(machine, {"intel-rapl:0:0", "core", "400"});
    add_zone(machine, {"intel-rapl:0:1", "dram", "300", "65532610987"});
    add_zone(machine, {"intel-rapl:1", "package-1-die-0", "2000"});
    add_zone(machine, {"intel-rapl:2", "psys", "9000"});
    add_zone(machine, {"intel-rapl:2:0", "dram", "9000"});
    add_zone(machine, {"intel-rapl-mmio:0", "package-0", "1000"});
    const auto counters = os::read_energy(below(machine));
    REQUIRE(counters.ok());
    const Microjoules range(262'143'328'850);
    CHECK(*counters == std::vector<EnergyCounter>{
                           {"package-0", Microjoules(1000), range},
                           {"package-0/dram", Microjoules(300), Microjoules(65'532'610'987)},
                           {"package-1-die-0", Microjoules(2000), range}});
}

TEST_CASE("read_energy: what cannot be read says why", "[os]") {
    const MachineFolder machine;
    const auto none = os::read_energy(below(machine));
    CHECK(none.status().code() == StatusCode::kNotFound);
    CHECK_THAT(std::string(message(none.status())), ContainsSubstring("/sys/class/powercap"));

    add_zone(machine, {"intel-rapl:0", "package-0", "many"});
    const auto odd = os::read_energy(below(machine));
    CHECK(odd.status().code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(std::string(message(odd.status())), ContainsSubstring("intel-rapl:0/energy_uj"));

    add_zone(machine, {"intel-rapl:0", "package-0", "9223372036854775808"});
    CHECK(os::read_energy(below(machine)).status().code() == StatusCode::kFailedPrecondition);

    add_zone(machine, {"intel-rapl:0", "package-0", "1"});
    const std::string file = machine.path() + "/sys/class/powercap/intel-rapl:0/energy_uj";
    std::filesystem::remove(file);
    CHECK(os::read_energy(below(machine)).status().code() == StatusCode::kNotFound);
    std::filesystem::create_directory(file);
    CHECK_FALSE(os::read_energy(below(machine)).ok());
    std::filesystem::remove(file);
    add_zone(machine, {"intel-rapl:0", "package-0", "1"});
    REQUIRE(::chmod(machine.path().c_str(), 0755) == 0);
    REQUIRE(::chmod(file.c_str(), 0) == 0);
    const bool is_root = ::geteuid() == 0;  // who may read every file
    if (is_root) REQUIRE(::seteuid(65534) == 0);
    const auto closed = os::read_energy(below(machine));
    if (is_root) REQUIRE(::seteuid(0) == 0);
    CHECK(closed.status().code() == StatusCode::kPermissionDenied);
    CHECK_THAT(std::string(message(closed.status())), ContainsSubstring("intel-rapl:0/energy_uj"));
}

TEST_CASE("read_gpus: all that NVML tells of a GPU", "[os]") {
    const Readings readings = readings_of(busy_a100);
    REQUIRE(readings.size() == 1);
    os::GpuReading expected;
    expected.place = "0000:34:00.0";
    expected.usage.uuid = "GPU-1";
    expected.usage.memory_used = gib(1);
    expected.usage.memory_total = gib(40);
    expected.usage.utilisation = BasisPoints(9500);
    expected.usage.temperature = Celsius(61);
    expected.usage.power = Milliwatts(250'500);
    expected.usage.energy = Microjoules(1'234'567'000);
    expected.counters.is_lost = false;
    expected.counters.corrected_errors = Count(3);
    expected.counters.uncorrected_errors = Count(0);
    expected.counters.is_repair_pending = true;
    expected.counters.has_repair_failed = false;
    expected.counters.pcie_replays = Count(2);
    expected.counters.nvlink_replays = Count(20);  // over four links
    expected.counters.nvlink_errors = Count(0);
    expected.counters.temperature = Celsius(61);
    expected.counters.slowdown_temperature = Celsius(92);
    expected.counters.shutdown_temperature = Celsius(97);
    CHECK(readings[0] == expected);
}

TEST_CASE("read_gpus: what a GPU does not support is absent, and not 0", "[os]") {
    const Readings readings = readings_of("nvidia bus=0000:34:00.0\n");
    os::GpuReading expected;
    expected.place = "0000:34:00.0";
    expected.counters.is_lost = false;
    CHECK(readings == Readings{expected});
    CHECK(readings_of("").empty());

    // A driver without the newer calls; pages to retire in place of rows to remap.
    const auto old = readings_of(
        "nvidia bus=0000:34:00.0; uuid=GPU-1; energy_mj=5; util=101; pages_pending=1; "
        "slowdown=0\n",
        "old");
    expected.usage.uuid = "GPU-1";
    expected.counters.is_repair_pending = true;
    CHECK(old == Readings{expected});
}

TEST_CASE("read_gpus: a call that fails leaves its part absent alone", "[os]") {
    const os::GpuReading all = readings_of(busy_a100).at(0);
    struct Row {
        const char* call;
        void (*clear)(os::GpuReading&);
    };
    const Row rows[] = {
        {"nvmlDeviceGetUUID", [](os::GpuReading& r) { r.usage.uuid.clear(); }},
        {"nvmlDeviceGetMemoryInfo",
         [](os::GpuReading& r) { r.usage.memory_used = r.usage.memory_total = {}; }},
        {"nvmlDeviceGetUtilizationRates", [](os::GpuReading& r) { r.usage.utilisation = {}; }},
        {"nvmlDeviceGetTemperature",
         [](os::GpuReading& r) { r.usage.temperature = r.counters.temperature = {}; }},
        {"nvmlDeviceGetTemperatureThreshold",
         [](os::GpuReading& r) {
             r.counters.slowdown_temperature = r.counters.shutdown_temperature = {};
         }},
        {"nvmlDeviceGetPowerUsage", [](os::GpuReading& r) { r.usage.power = {}; }},
        {"nvmlDeviceGetTotalEnergyConsumption", [](os::GpuReading& r) { r.usage.energy = {}; }},
        {"nvmlDeviceGetTotalEccErrors",
         [](os::GpuReading& r) {
             r.counters.corrected_errors = r.counters.uncorrected_errors = {};
         }},
        {"nvmlDeviceGetRemappedRows",
         [](os::GpuReading& r) {
             r.counters.is_repair_pending = r.counters.has_repair_failed = {};
         }},
        {"nvmlDeviceGetPcieReplayCounter", [](os::GpuReading& r) { r.counters.pcie_replays = {}; }},
        {"nvmlDeviceGetNvLinkState",
         [](os::GpuReading& r) { r.counters.nvlink_replays = r.counters.nvlink_errors = {}; }},
        {"nvmlDeviceGetNvLinkErrorCounter",
         [](os::GpuReading& r) { r.counters.nvlink_replays = r.counters.nvlink_errors = {}; }},
    };
    for (const Row& row : rows) {
        for (const int code : {3, 15}) {
            INFO(row.call << " returns " << code);
            os::GpuReading expected = all;
            row.clear(expected);
            expected.counters.is_lost = code == 15;
            const auto readings = readings_of(busy_a100 + "fail call=" + row.call +
                                              "; with=" + std::to_string(code) + "\n");
            CHECK(readings == Readings{expected});
        }
    }
}

TEST_CASE("read_gpus: instances have memory of their own", "[os]") {
    const auto readings = readings_of(
        "nvidia bus=0000:34:00.0; uuid=GPU-1; mig=1; temp=50\n"
        "instance gi=1; ci=0; uuid=MIG-1; memory_mib=10240; used_mib=10\n"
        "instance gi=2; ci=0; uuid=MIG-2\n"
        "nvidia bus=0000:b4:00.0; uuid=GPU-2\n");
    REQUIRE(readings.size() == 4);
    CHECK(readings[0].usage.temperature == Celsius(50));
    os::GpuReading instance;
    instance.place = "0000:34:00.0";
    instance.usage.uuid = "MIG-1";
    instance.usage.memory_used = mib(10);
    instance.usage.memory_total = gib(10);
    CHECK(readings[1] == instance);
    CHECK(readings[2].usage == GpuUsage{.uuid = "MIG-2"});
    CHECK(readings[3].usage.uuid == "GPU-2");
    CHECK(readings[3].index == 1);
}

TEST_CASE("read_device_health: one report a GPU, also of one that is lost", "[os]") {
    const StubScript answers(busy_a100 +
                             "nvidia lost=1\n"
                             "nvidia bus=0000:b4:00.0; uuid=GPU-2; mig=1; ecc_uncorrected=0\n"
                             "instance gi=1; ci=0; uuid=MIG-1\n"
                             "nvidia bus=0000:b5:00.0; uuid=GPU-3; temp=95; ecc_uncorrected=2\n");
    os::ReadingOptions options;
    options.library_folder = stub_folder("new");
    DeviceCounters::Thresholds thresholds;
    thresholds.warning_temperature = Celsius(90);
    const auto reports = os::read_device_health(thresholds, options);
    REQUIRE(reports.ok());
    std::vector<std::string> lines;
    for (const DeviceReport& report : *reports) {
        lines.push_back(report.place + " " + report.uuid + " " + to_text(report.report));
    }
    CHECK(lines ==
          std::vector<std::string>{
              "0000:34:00.0 GPU-1 warning: 3 corrected memory errors; memory is repaired at the "
              "next reset",
              "  failure: it does not answer: off the bus", "0000:b4:00.0 GPU-2 healthy",
              "0000:b5:00.0 GPU-3 failure: 2 uncorrected memory errors; 95 C, expected below 90"});
}

TEST_CASE("read_gpus: a library that is not there, or does not start", "[os]") {
    struct Row {
        const char* stubs;
        const char* script;
        StatusCode code;
        const char* says;
    };
    const Row rows[] = {
        {"missing", "", StatusCode::kNotFound, "libnvidia-ml.so.1"},
        {"broken", "", StatusCode::kNotFound, "nvmlInit_v2"},
        {"new", "fail call=nvmlInit_v2; with=9\n", StatusCode::kUnavailable,
         "nvmlInit_v2 returns 9"},
        {"new", "fail call=nvmlDeviceGetCount_v2; with=999\n", StatusCode::kUnavailable,
         "nvmlDeviceGetCount_v2 returns 999"},
    };
    for (const Row& row : rows) {
        INFO(row.says);
        const StubScript answers(row.script);
        os::ReadingOptions options;
        options.library_folder = stub_folder(row.stubs);
        const auto readings = os::read_gpus(options);
        CHECK(readings.status().code() == row.code);
        CHECK_THAT(std::string(message(readings.status())), ContainsSubstring(row.says));
        CHECK(os::read_device_health({}, options).status() == readings.status());
    }
}

TEST_CASE("xids_in: the lines of NVIDIA's driver in the kernel log", "[os]") {
    const std::vector<os::XidEvent> events = os::xids_in(
        "[Fri Aug 30 11:11:22 2024] nvidia-peermem nv_get_p2p_free_callback:127 ERROR detected\n"
        "[Fri Aug 30 11:43:09 2024] NVRM: Xid (PCI:0000:cb:00): 13, pid='<unknown>', "
        "name=<unknown>, Graphics SM Warp Exception on (GPC 7)\n"
        "4,1287,93211,-;NVRM: Xid (PCI:0000:34:00.0): 79, GPU has fallen off the bus.\n"
        "NVRM: Xid (0000:03:00): 48, Double Bit ECC Error\n"
        "NVRM: Xid (PCI:0000:CB:00): 94, pid=1\r\n"
        "NVRM: Xid (PCI:nowhere): 79,\n"
        "NVRM: Xid (PCI:0000:cb:00): many\n"
        "NVRM: Xid (PCI:0000:cb:00): 4294967296\n"
        "NVRM: Xid (PCI:0000:cb:00");
    CHECK(events == std::vector<os::XidEvent>{{"0000:cb:00.0", 13},
                                              {"0000:34:00.0", 79},
                                              {"0000:03:00.0", 48},
                                              {"0000:cb:00.0", 94}});
    CHECK(os::xids_in("").empty());

    const Readings readings = os::with_xids(
        readings_of(
            "nvidia bus=0000:34:00.0; uuid=GPU-1; mig=1\ninstance gi=1; ci=0; uuid=MIG-1\n"
            "nvidia bus=0000:cb:00.0; uuid=GPU-2\nnvidia bus=0000:cc:00.0\nnvidia lost=1\n"),
        events);
    REQUIRE(readings.size() == 5);
    using Xids = std::vector<std::uint32_t>;
    CHECK(readings[0].counters.xids == Xids{79});
    CHECK_FALSE(readings[1].counters.xids);
    CHECK(readings[2].counters.xids == Xids{13, 94});
    CHECK(readings[3].counters.xids == Xids{});
    CHECK_FALSE(readings[4].counters.xids);
    CHECK(classify(readings[0].counters).health == Health::failure);
    CHECK(classify(readings[2].counters).health == Health::warning);
    CHECK(classify(readings[3].counters).health == Health::healthy);
}

}  // namespace trestle
