// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/health/device_health.hpp"

#include "enforce/health/worse.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/enforce/health/node_health.hpp"
#include "trestle/testing/node_text.hpp"

namespace {

using namespace trestle;

static_assert(lists_all_fields<DeviceCounters> && lists_all_fields<DeviceCounters::Thresholds> &&
              lists_all_fields<HealthReport::Finding> && lists_all_fields<HealthReport> &&
              lists_all_fields<DeviceReport> && lists_all_fields<NodeJudgement>);

/// What a GPU without any trouble tells.
DeviceCounters good_gpu() {
    DeviceCounters gpu;
    gpu.is_lost = false;
    gpu.corrected_errors = gpu.uncorrected_errors = Count(0);
    gpu.is_repair_pending = gpu.has_repair_failed = false;
    gpu.pcie_replays = gpu.pcie_errors = gpu.nvlink_replays = gpu.nvlink_errors = Count(0);
    gpu.xids = std::vector<std::uint32_t>();
    gpu.temperature = Celsius(45);
    gpu.slowdown_temperature = Celsius(87);
    gpu.shutdown_temperature = Celsius(92);
    return gpu;
}

template <class Change>
DeviceCounters with(Change change) {
    DeviceCounters gpu = good_gpu();
    change(gpu);
    return gpu;
}

template <class Change>
DeviceCounters::Thresholds from(Change change) {
    DeviceCounters::Thresholds thresholds;
    change(thresholds);
    return thresholds;
}

}  // namespace

TEST_CASE("classify: the table", "[enforce][health]") {
    struct Row {
        DeviceCounters counters;
        DeviceCounters::Thresholds thresholds;
        const char* says;
        const char* why;
    };
    using Counters = DeviceCounters&;
    using Thresholds = DeviceCounters::Thresholds&;
    const Row rows[] = {
        {{}, {}, "unknown", "nothing is known"},
        {good_gpu(), {}, "healthy", "nothing is wrong"},
        {{.pcie_replays = Count(0)}, {}, "healthy", "one thing is known, and it is good"},
        {{.slowdown_temperature = Celsius(90)}, {}, "unknown", "a threshold is no reading"},
        {with([](Counters c) { c.corrected_errors = Count(1); }),
         {},
         "warning: 1 corrected memory error",
         "corrected ECC"},
        {with([](Counters c) { c.corrected_errors = Count(9); }),
         from([](Thresholds t) { t.corrected_errors = Count(10); }), "healthy",
         "below the threshold"},
        {with([](Counters c) { c.corrected_errors = Count(10); }),
         from([](Thresholds t) { t.corrected_errors = Count(10); }),
         "warning: 10 corrected memory errors", "the threshold itself"},
        {with([](Counters c) { c.corrected_errors = Count(10); }),
         from([](Thresholds t) { t.corrected_errors = {}; }), "healthy", "nobody asks for it"},
        {with([](Counters) {}), from([](Thresholds t) { t.corrected_errors = Count(0); }),
         "healthy", "no error is no finding, whatever the threshold"},
        {with([](Counters c) { c.uncorrected_errors = Count(2); }),
         {},
         "failure: 2 uncorrected memory errors",
         "uncorrected ECC"},
        {with([](Counters c) { c.corrected_errors = c.uncorrected_errors = Count(3); }),
         {},
         "failure: 3 uncorrected memory errors; 3 corrected memory errors",
         "the failure goes first"},
        {with([](Counters c) { c.is_repair_pending = true; }),
         {},
         "warning: memory is repaired at the next reset",
         "rows to remap"},
        {with([](Counters c) { c.is_repair_pending = c.has_repair_failed = true; }),
         {},
         "failure: memory could not be repaired; memory is repaired at the next reset",
         "no spare rows"},
        {with([](Counters c) { c.pcie_errors = Count(1); }), {}, "failure: 1 PCIe error", "PCIe"},
        {with([](Counters c) { c.pcie_replays = Count(100); }),
         {},
         "healthy",
         "since it was loaded"},
        {with([](Counters c) { c.pcie_replays = Count(9); }),
         from([](Thresholds t) { t.pcie_replays = Count(9); }), "warning: 9 PCIe replays",
         "in a minute, as DCGM judges"},
        {with([](Counters c) { c.nvlink_errors = Count(1); }),
         {},
         "failure: 1 NVLink error",
         "NVLink"},
        {with([](Counters c) { c.nvlink_replays = Count(5); }),
         from([](Thresholds t) { t.nvlink_replays = Count(5); }), "warning: 5 NVLink replays",
         "packets sent again"},
        {with([](Counters c) { c.xids = {13, 31, 43, 45, 68, 109}; }),
         {},
         "healthy",
         "errors of programs"},
        {with([](Counters c) {
             c.xids = {94, 13};
         }),
         {},
         "warning: XID 94",
         "a contained error"},
        {with([](Counters c) {
             c.xids = {63, 79, 48};
         }),
         {},
         "failure: XID 79; XID 48; XID 63",
         "off the bus, a double bit error"},
        {with([](Counters c) { c.xids = {999}; }), {}, "failure: XID 999", "an unknown number"},
        {with([](Counters c) { c.temperature = Celsius(86); }), {}, "healthy", "warm"},
        {with([](Counters c) { c.temperature = Celsius(87); }),
         {},
         "warning: 87 C, expected below 87",
         "where it slows down"},
        {with([](Counters c) { c.temperature = Celsius(92); }),
         {},
         "failure: 92 C, expected below 92",
         "where it turns itself off; once"},
        {with([](Counters c) { c.temperature = Celsius(80); }),
         from([](Thresholds t) { t.warning_temperature = Celsius(75); }),
         "warning: 80 C, expected below 75", "the caller's threshold goes first"},
        {with([](Counters c) { c.temperature = Celsius(90); }), from([](Thresholds t) {
             t.warning_temperature = Celsius(75);
             t.failure_temperature = Celsius(85);
         }),
         "failure: 90 C, expected below 85", "and for failures"},
        {{.temperature = Celsius(200)}, {}, "healthy", "nobody says what is too hot"},
        {{.is_lost = true}, {}, "failure: it does not answer: off the bus", "lost"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const HealthReport report = classify(row.counters, row.thresholds);
        CHECK(to_text(report) == row.says);
        for (const HealthReport::Finding& finding : report.findings) {
            CHECK(worse(report.health, finding.health) == report.health);
        }
    }
}

TEST_CASE("classify: more errors never make a device better", "[enforce][health][law]") {
    const Count levels[] = {Count(0), Count(1), Count(50)};
    using Member = std::optional<Count> DeviceCounters::*;
    const Member members[] = {&DeviceCounters::corrected_errors,
                              &DeviceCounters::uncorrected_errors, &DeviceCounters::pcie_errors,
                              &DeviceCounters::nvlink_errors};
    for (int world = 0; world < 81; ++world) {
        DeviceCounters counters = good_gpu();
        int rest = world;
        for (const Member member : members) {
            counters.*member = levels[rest % 3];
            rest /= 3;
        }
        const Health health = classify(counters).health;
        for (const Member member : members) {
            DeviceCounters more = counters;
            more.*member = *(counters.*member) + Count(1);
            CHECK(worse(health, classify(more).health) == classify(more).health);
        }
    }
}

TEST_CASE("worse, joined_reports: failure before warning before healthy before unknown",
          "[enforce][health]") {
    constexpr Health order[] = {Health::unknown, Health::healthy, Health::warning, Health::failure};
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) CHECK(worse(order[a], order[b]) == order[std::max(a, b)]);
    }
    CHECK(joined_reports({}) == HealthReport{});
    const HealthReport reports[] = {classify({.corrected_errors = Count(1)}),
                                    {},
                                    classify({.is_lost = true}),
                                    classify(good_gpu())};
    CHECK(to_text(joined_reports(reports)) ==
          "failure: it does not answer: off the bus; 1 corrected memory error");
    CHECK(joined_reports(std::span(reports).subspan(1, 1)).health == Health::unknown);
}

TEST_CASE("counted_since: only what was counted after the first look", "[enforce][health]") {
    DeviceCounters before = good_gpu();
    before.corrected_errors = Count(5);
    before.pcie_replays = Count(7);
    before.nvlink_errors = {};
    DeviceCounters after = before;
    after.corrected_errors = Count(5);
    after.pcie_replays = Count(3);
    after.nvlink_errors = Count(2);
    after.temperature = Celsius(60);
    DeviceCounters expected = after;
    expected.corrected_errors = Count(0);
    CHECK(counted_since(before, after) == expected);  // loaded anew; not known before
    CHECK(counted_since({}, after) == after);
    CHECK(counted_since(after, {}) == DeviceCounters{});
}

TEST_CASE("dcgm_report: 0, 10 and 20", "[enforce][health]") {
    CHECK(to_text(dcgm_report(0)) == "healthy");
    CHECK(to_text(dcgm_report(10, "Detected 9 PCIe replays per minute")) ==
          "warning: Detected 9 PCIe replays per minute");
    CHECK(to_text(dcgm_report(20)) == "failure: DCGM's health check");
    for (const int other : {-1, 1, 11, 30}) CHECK(dcgm_report(other) == HealthReport{});
}

TEST_CASE("after_health_program: what does not end with 0 drains the node", "[enforce][health]") {
    struct Row {
        NodeState state;
        Outcome outcome;
        const char* output;
        NodeJudgement judgement;
        const char* why;
    };
    const auto failure = [](NodeState state, const char* reason) {
        return NodeJudgement{state, Health::failure, reason};
    };
    using enum NodeState;
    const Row rows[] = {
        {up, exited(0), "all fine\n", {up, Health::healthy, ""}, "all is well"},
        {drained, exited(0), "", {drained, Health::healthy, ""}, "no drain is taken back"},
        {up, exited(1), "\n  disk full\nmore\n", failure(drained, "disk full"), "its own reason"},
        {up, exited(3), " \n", failure(drained, "health program: exit code 3"), "no word"},
        {up, signaled(9), "", failure(drained, "health program: ended by signal 9"), "it hung"},
        {up, signaled(9, Count(1)), "", failure(drained, "health program: killed for memory"),
         "no memory left"},
        {up, exited(2), "a\x01\tb\x7f", failure(drained, "ab"), "printable characters alone"},
        {drained, exited(1), "x", failure(drained, "x"), "drained already"},
        {down, exited(1), "x", failure(down, "x"), "down is worse"},
        {removed, exited(1), "x", failure(removed, "x"), "gone"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(after_health_program(row.state, row.outcome, row.output) == row.judgement);
    }
    const std::string long_line(1'000, 'x');
    CHECK(after_health_program(up, exited(1), long_line).reason.size() == 256);
}

TEST_CASE("with_device_health: by UUID, else by place; what no report names stays",
          "[enforce][health]") {
    NodeShape shape = *testing::node_from_text("1s4c gpu:4").value().shape;
    shape.devices[0].uuid = "GPU-0";
    shape.devices[1].pci_bus_id = "0000:34:00.0";
    shape.devices[2].uuid = "GPU-2";
    shape.devices[2].health = Health::failure;
    shape.devices[3].health = Health::warning;
    const HealthReport healthy{Health::healthy, {}};
    const HealthReport warning{Health::warning, {}};
    const HealthReport failure{Health::failure, {}};
    const DeviceReport reports[] = {
        {"", "GPU-0", warning}, {"", "GPU-0", failure}, {"0000:34:00.0", "GPU-1", warning},
        {"", "GPU-2", healthy}, {"", "", failure},      {"0000:35:00.0", "GPU-9", failure}};
    const NodeShape judged = with_device_health(shape, reports);
    CHECK(judged.devices[0].health == Health::failure);
    CHECK(judged.devices[1].health == Health::warning);
    CHECK(judged.devices[2].health == Health::healthy);
    CHECK(judged.devices[3].health == Health::warning);
    CHECK(with_device_health(shape, {}) == shape);
    const DeviceReport unknown[] = {{"", "GPU-2", {}}};
    CHECK(with_device_health(shape, unknown) == shape);
}
