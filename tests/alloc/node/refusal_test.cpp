// SPDX-License-Identifier: Apache-2.0
// What a refusal of fit() says: the resource that lacks, what was asked, and the most that there
// is.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "support/catch.hpp"
#include "support/random_fit.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

struct RefusalRow {
    const char* node;
    std::function<void(FitCase&)> change;
    Constraint constraint;
    const char* reason;
    const char* why;
};

NodeDemand::Device required_gpus(std::int64_t count) {
    NodeDemand::Device demand;
    demand.request.locality = Strictness::require;
    demand.count = Range<Count>::exactly(Count(count));
    return demand;
}

NodeDemand::Device gpu_with(void (*change)(DeviceRequest&)) {
    NodeDemand::Device demand;
    demand.count = Range<Count>::exactly(Count(1));
    change(demand.request);
    return demand;
}

TEST_CASE("fit: a refusal names what lacks, what was asked and the most that there is", "[alloc]") {
    const RefusalRow rows[] = {
        {"2s4c gpu:4",
         [](FitCase& c) {
             c.demand.devices = {required_gpus(1)};
             c.demand.cpus_per_task = Count(5);
         },
         Constraint::locality, "asked 5 cores near 1 gpu, at most 4 free ones are",
         "one GPU is near one package"},
        {"2s4c gpu:4",
         [](FitCase& c) {
             c.taken.cores = CoreSet::range({4, 8});
             c.demand.devices = {required_gpus(3)};
         },
         Constraint::locality, "asked 3 gpu with a free core near each, 2 of 4 free ones have one",
         "a package is full"},
        {"2s4c",
         [](FitCase& c) {
             c.demand.core_locality = Strictness::require;
             c.demand.core_level = HardwareLevel::package;
             c.demand.cpus_per_task = Count(6);
         },
         Constraint::locality, "asked 6 cores of one package, at most 4 are free",
         "devices were not asked for, so they are not spoken of"},
        {"2s4c mem=8G",
         [](FitCase& c) {
             c.demand.memory_locality = Strictness::require;
             c.demand.core_locality = Strictness::require;
             c.demand.core_level = HardwareLevel::package;
             c.demand.memory = c.shape.memory[0].capacity + Bytes(1);
         },
         Constraint::locality, "of memory near 1 core, at most", "half of it is on each package"},
        {"2s4c gpu:2",
         [](FitCase& c) {
             c.shape.devices[0].reserved_cores = CoreSet::range({0, 2});
             c.shape.devices[1].reserved_cores = CoreSet::range({4, 6});
             c.demand.cpus_per_task = Count(5);
         },
         Constraint::cores, "asked 5 cores, 8 are free, 4 of them kept for gpu 0, gpu 1",
         "no GPU was asked for"},
        {"2s4c gpu:2",
         [](FitCase& c) {
             c.shape.devices[0].reserved_cores = CoreSet::range({0, 2});
             c.shape.devices[1].reserved_cores = CoreSet::range({4, 6});
             c.demand.cpus_per_task = Count(9);
         },
         Constraint::cores, "asked 9 cores, 8 are free, 4 of them kept for gpu 0, gpu 1",
         "more than the node has: the same"},
        {"2s4c gpu:4",
         [](FitCase& c) {
             NodeDemand::Device demand;
             demand.request.per = Per::socket;
             demand.request.count = Range<Count>::exactly(Count(3));
             demand.count = Range<Count>::exactly(Count(3));
             demand.sockets = Count(1);
             c.demand.devices = {demand};
         },
         Constraint::devices,
         "asked 3 gpu on each of 1 socket, 0 of 2 have them; at most 2 are free on one",
         "counted per socket"},
        {"1s4c gpu:2",
         [](FitCase& c) {
             for (Device& device : c.shape.devices) device.shares = Count(1000);
             c.taken.devices = {{DeviceId(0), Count(600)}, {DeviceId(1), Count(700)}};
             NodeDemand::Device demand;
             demand.request.shares = Count(500);
             demand.count = Range<Count>::exactly(Count(1));
             c.demand.devices = {demand};
         },
         Constraint::devices,
         "asked 500 shares of each of 1 gpu, 0 of 2 that match have them, at most 400 are free on "
         "one",
         "in the units of the request"},
        {"2s4c mem=8G gpu:2",
         [](FitCase& c) {
             c.demand.devices = {required_gpus(1)};
             c.demand.memory_locality = Strictness::require;
             c.taken.cores = CoreSet::range({0, 3});
             c.demand.cpus_per_task = Count(4);
             c.demand.memory = c.shape.memory[0].capacity;
             c.taken.memory = {{DomainId(1), Bytes(1)}};
         },
         Constraint::locality,
         "1 gpu, near each other as required: gpu near the cores, memory near the cores; free are "
         "5 "
         "cores,",
         "each of them alone would do"},
        {"2s4c",
         [](FitCase& c) {
             c.demand.tasks = Count(3);
             c.demand.tasks_per_socket = Count(1);
             c.taken.cores = CoreSet::range({0, 1});
         },
         Constraint::cores,
         "asked 3 tasks of 1 CPU, at most 1 a socket, which leaves room for 2: they do not fit "
         "the packages as they are dealt, which have 3, 4 free cores",
         "a third socket is missing"},
        {"2s4c", [](FitCase& c) { c.demand.cores_per_socket = Count(5); }, Constraint::cores,
         "asked sockets with 5 free cores, the most free on one of 2 is 4",
         "all cores are free, but no socket has so many"},
        {"2s4c",
         [](FitCase& c) {
             c.demand.cores_per_socket = Count(4);
             c.demand.cpus_per_task = Count(5);
             c.taken.cores = CoreSet::range({0, 1});
         },
         Constraint::cores, "asked 5 cores, 4 of 8 are free on sockets with 4 free cores",
         "those of the other socket do not count"},
        {"2s4c",
         [](FitCase& c) {
             c.demand.sockets_per_node = Count(2);
             c.demand.cores_per_socket = Count(4);
             c.taken.cores = CoreSet::range({0, 1});
         },
         Constraint::cores,
         "asked 2 sockets with 4 free cores, 1 of 2 have them; the most free on one is 4",
         "one has too few"},
        {"1s4c gpu:4",
         [](FitCase& c) {
             for (Device& device : c.shape.devices) device.memory = gib(40);
             c.demand.devices = {gpu_with([](DeviceRequest& r) { r.memory = {gib(80), {}}; })};
         },
         Constraint::device_attributes,
         "asked 1 gpu with 80GiB.. of memory, none of the 4 on the node matches: there is 40GiB of "
         "memory",
         "what was asked and what is there"},
        {"1s4c gpu:a100:4",
         [](FitCase& c) {
             c.demand.devices = {gpu_with([](DeviceRequest& r) { r.types = {"h100"}; })};
         },
         Constraint::device_attributes,
         "asked 1 gpu:h100, none of the 4 on the node matches: there is type a100", "a type"},
        {"1s4c gpu:4",
         [](FitCase& c) {
             for (Device& device : c.shape.devices) device.vendor = "amd";
             c.demand.devices = {gpu_with([](DeviceRequest& r) { r.vendor = "nvidia"; })};
         },
         Constraint::device_attributes,
         "asked 1 gpu of vendor nvidia, none of the 4 on the node matches: there is vendor amd",
         "a vendor"},
        {"1s4c gpu:2",
         [](FitCase& c) {
             c.demand.devices = {gpu_with([](DeviceRequest& r) {
                 r.attributes = {
                     {"lanes", DeviceRequest::AttributeTest::Comparison::greater_equal, "16"}};
             })};
         },
         Constraint::device_attributes,
         "asked 1 gpu with lanes >= 16, none of the 2 on the node matches: there is "
         "no lanes",
         "an attribute of the caller's own"},
        {"1s4c gpu:2",
         [](FitCase& c) {
             for (Device& device : c.shape.devices) device.memory = gib(40);
             c.demand.devices = {gpu_with([](DeviceRequest& r) {
                 r.total_memory = {gib(100), std::nullopt};
             })};
             c.demand.devices[0].count = Range<Count>{Count(1), Count(2)};
         },
         Constraint::device_attributes,
         "asked 100GiB.. of total memory of 1..2 gpu, 2 free gpu have 80GiB",
         "the memory of all devices together"},
    };
    for (const RefusalRow& row : rows) {
        INFO(row.why);
        FitCase one;
        one.shape = *testing::node_from_text(row.node).value().shape;
        row.change(one);
        const auto answer = fit(one.shape, one.ledger(), one.demand, one.options);
        REQUIRE_FALSE(answer.has_value());
        CHECK(to_text(answer.refusal().constraint) == to_text(row.constraint));
        CHECK_THAT(answer.refusal().reason, Catch::Matchers::ContainsSubstring(row.reason));
    }
}

}  // namespace
}  // namespace trestle
