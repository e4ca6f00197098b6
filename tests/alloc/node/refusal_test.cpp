// SPDX-License-Identifier: Apache-2.0
// What a refusal of fit() says: the resource that lacks, what was asked, and the most that there
// is.
#include <cstdint>
#include <functional>
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

DeviceDemand required_gpus(std::int64_t count) {
    DeviceDemand demand;
    demand.request.locality = Strictness::require;
    demand.count = Range<Count>::exactly(Count(count));
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
         Constraint::locality, "of memory near 1 cores, at most", "half of it is on each package"},
        {"2s4c gpu:2",
         [](FitCase& c) {
             c.shape.devices[0].reserved_cores = CoreSet::range({0, 2});
             c.shape.devices[1].reserved_cores = CoreSet::range({4, 6});
             c.demand.cpus_per_task = Count(5);
         },
         Constraint::cores, "asked 5 cores, 8 are free, 4 of them kept for gpu 0, gpu 1",
         "no GPU was asked for"},
        {"1s4c gpu:2",
         [](FitCase& c) {
             for (Device& device : c.shape.devices) device.shares = Count(1000);
             c.taken.devices = {{DeviceId(0), Count(600)}, {DeviceId(1), Count(700)}};
             DeviceDemand demand;
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
         Constraint::locality, "free are 4 cores, ", "each of them alone would do"},
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
