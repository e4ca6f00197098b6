// SPDX-License-Identifier: Apache-2.0
// What fit() chooses, rule by rule, with the expected devices and cores written out. Every case is
// asked of the oracle too.
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "support/catch.hpp"
#include "support/fit_agreement.hpp"
#include "support/random_fit.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/granularity.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

/// A node in the words of testing/node_text.hpp, and one task with one CPU.
FitCase on(const char* node) {
    FitCase one;
    one.shape = *testing::node_from_text(node).value().shape;
    return one;
}

void ask(FitCase& one, std::int64_t count, Strictness locality = Strictness::prefer,
         const char* name = "gpu") {
    NodeDemand::Device demand;
    demand.request.name = name;
    demand.request.locality = locality;
    demand.count = Range<Count>::exactly(Count(count));
    one.demand.devices.push_back(demand);
}

void take(FitCase& one, std::initializer_list<std::uint32_t> devices) {
    for (const std::uint32_t device : devices) {
        one.taken.devices.push_back({DeviceId(device), one.shape.devices[device].shares});
    }
}

/// `cores 0-1, gpu 0, nic 1`; shares as `gpu 0 x2`, or the constraint of a no.
std::string answer_to(const FitCase& one) {
    agrees(one);
    const auto placement = fit(one.shape, one.ledger(), one.demand, one.options);
    if (!placement) return "no: " + std::string(to_text(placement.refusal().constraint));
    std::string text = "cores " + to_text(placement->cores);
    for (const DeviceShare& share : placement->devices) {
        const Device& device = one.shape.devices[share.device.value()];
        text += ", " + device.name + " " + std::to_string(device.index);
        if (share.shares == device.shares) continue;
        text += " x" + std::to_string(share.shares.value());
    }
    if (placement->row) text += ", row " + std::to_string(*placement->row);
    return text;
}

std::string reason_of(const FitCase& one) {
    return fit(one.shape, one.ledger(), one.demand, one.options).refusal().reason;
}

void link(NodeShape& shape, std::uint32_t a, std::uint32_t b, std::uint32_t strength) {
    shape.links.push_back({DeviceId(a), DeviceId(b), strength});
}

}  // namespace

TEST_CASE("fit: of 8 GPUs, one of them failed, 7 can be had", "[alloc]") {
    FitCase one = on("2s2c mem=8G gpu:8@nvlink");
    one.shape.devices[3].health = Health::failure;
    ask(one, 7);
    CHECK(answer_to(one) == "cores 2, gpu 0, gpu 1, gpu 2, gpu 4, gpu 5, gpu 6, gpu 7");
    one.demand.devices[0].count = Range<Count>::exactly(Count(8));
    CHECK(answer_to(one) == "no: devices");
    CHECK_THAT(reason_of(one), ContainsSubstring("gpu 3 is failed"));
    one.demand.devices[0].count = Range<Count>::at_least(Count(1));
    one.demand.devices[0].request.prefer = DeviceRequest::Prefer::most;
    CHECK(answer_to(one) == "cores 2, gpu 0, gpu 1, gpu 2, gpu 4, gpu 5, gpu 6, gpu 7");
}

TEST_CASE("fit: devices with a warning are chosen last, alike or never", "[alloc]") {
    struct Row {
        FitOptions::WarningUse warning;
        std::int64_t count;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {FitOptions::WarningUse::last, 1, "cores 0, gpu 1", "a healthy one is there"},
        {FitOptions::WarningUse::last, 3, "cores 0, gpu 0, gpu 1, gpu 3", "healthy ones do not do"},
        {FitOptions::WarningUse::alike, 1, "cores 0, gpu 0", "the lowest"},
        {FitOptions::WarningUse::alike, 3, "cores 0, gpu 0, gpu 1, gpu 3",
         "one has failed all the same"},
        {FitOptions::WarningUse::never, 1, "cores 0, gpu 1", "a healthy one is there"},
        {FitOptions::WarningUse::never, 3, "no: devices", "two are healthy"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        FitCase one = on("4c mem=8G gpu:4@any");
        one.shape.devices[0].health = Health::warning;
        one.shape.devices[2].health = Health::failure;
        one.shape.devices[3].health = Health::unknown;  // counts as healthy
        one.options.warning = row.warning;
        ask(one, row.count);
        CHECK(answer_to(one) == row.expected);
    }
}

TEST_CASE("fit: a warning outranks nearness", "[alloc]") {
    FitCase one = on("2s2c mem=8G gpu:2");
    one.shape.devices[0].health = Health::warning;
    one.taken.cores = CoreSet::range({2, 4});  // all that is near to the healthy one
    ask(one, 1);
    CHECK(answer_to(one) == "cores 0, gpu 1");
    one.options.warning = FitOptions::WarningUse::alike;
    CHECK(answer_to(one) == "cores 0, gpu 0");
}

TEST_CASE("fit: reserved cores are for demands that get the device, or a part of it", "[alloc]") {
    FitCase one = on("4c mem=8G gpu:2@any");
    one.shape.devices[0].reserved_cores = CoreSet::range({0, 2});
    one.shape.devices[1].reserved_cores = CoreSet::range({1, 3});  // core 1 is for both
    CHECK(answer_to(one) == "cores 3");
    one.demand.cpus_per_task = Count(2);
    CHECK(answer_to(one) == "no: cores");
    ask(one, 1);
    CHECK(answer_to(one) == "cores 0-1, gpu 0");
    take(one, {0});
    CHECK(answer_to(one) == "cores 1-2, gpu 1");
    one.taken = {};
    one.shape.devices[0].shares = one.shape.devices[1].shares = Count(2);
    one.demand.devices[0].request.shares = Count(1);
    one.demand.cpus_per_task = Count(3);
    CHECK(answer_to(one) == "cores 0-1,3, gpu 0 x1");
    one.demand.devices.clear();
    one.demand.cpus_per_task = Count(4);
    one.demand.exclusivity = Exclusivity::whole_node;
    CHECK(answer_to(one) == "cores 0-3");  // they strand nobody
}

TEST_CASE("fit: devices of two kinds below one PCI switch", "[alloc]") {
    struct Row {
        std::initializer_list<std::uint32_t> taken;
        Strictness locality;
        const char* expected;
        const char* why;
    };
    using enum Strictness;
    const Row rows[] = {
        {{}, require, "cores 0, gpu 0, nic 0", "the first switch has both"},
        {{0, 1}, require, "cores 0, gpu 2, nic 1", "its GPUs are taken"},
        {{4}, require, "cores 0, gpu 2, nic 1", "its NIC is taken"},
        {{4}, prefer, "cores 0, gpu 2, nic 1", "its NIC is taken"},
        {{4}, ignore, "cores 0, gpu 0, nic 1", "the lowest GPU, wherever the NIC lies"},
        {{0, 1, 5}, require, "no: locality", "no switch has both"},
        {{0, 1, 5}, prefer, "cores 0, gpu 2, nic 0", "better far than not at all"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        FitCase one = on("4c mem=8G gpu:4@any nic:2@any");
        for (std::uint32_t i = 0; i < 6; ++i) {
            one.shape.devices[i].switches = {9 + (i < 4 ? i / 2 : i - 4)};
        }
        take(one, row.taken);
        ask(one, 1);
        ask(one, 1, ignore, "nic");
        one.demand.devices[1].request.device_locality = row.locality;
        CHECK(answer_to(one) == row.expected);
    }
}

TEST_CASE("fit: pairs, quads and islands stay whole", "[alloc]") {
    enum class Links { pairs, quads, pairs_in_quads, all, none };
    struct Row {
        Links links;
        std::initializer_list<std::uint32_t> taken;
        std::int64_t count;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {Links::pairs, {}, 1, "gpu 0", "one pair has to be broken"},
        {Links::pairs, {0}, 1, "gpu 1", "the partner of the one that is taken"},
        {Links::pairs, {5}, 1, "gpu 4", "the partner, though it is not the lowest"},
        {Links::pairs, {0}, 2, "gpu 2, gpu 3", "a pair"},
        {Links::pairs, {1, 6}, 2, "gpu 2, gpu 3", "a pair before two partners"},
        {Links::pairs, {0, 2}, 3, "gpu 1, gpu 4, gpu 5", "a pair and a partner"},
        {Links::quads, {2}, 1, "gpu 0", "the broken quad"},
        {Links::quads, {2}, 3, "gpu 0, gpu 1, gpu 3", "what is left of the broken quad"},
        {Links::quads, {2}, 4, "gpu 4, gpu 5, gpu 6, gpu 7", "the whole one"},
        {Links::quads, {6, 7}, 2, "gpu 4, gpu 5", "the broken quad, though it is higher"},
        {Links::pairs_in_quads, {6}, 2, "gpu 4, gpu 5", "the other pair of the broken quad"},
        {Links::pairs_in_quads, {6}, 1, "gpu 7", "the broken pair of the broken quad"},
        {Links::pairs_in_quads, {0, 6}, 3, "gpu 1, gpu 2, gpu 3", "inside one quad"},
        {Links::all, {0}, 4, "gpu 1, gpu 2, gpu 3, gpu 4", "all are alike: the lowest"},
        {Links::none, {1}, 2, "gpu 0, gpu 2", "no links: the lowest"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        FitCase one = on("2c mem=8G gpu:8@any");
        for (std::uint32_t a = 0; a < 8; ++a) {
            for (std::uint32_t b = a + 1; b < 8; ++b) {
                const bool is_pair = a / 2 == b / 2;
                const bool is_quad = a / 4 == b / 4;
                if (row.links == Links::pairs && is_pair) link(one.shape, a, b, 4);
                if (row.links == Links::quads && is_quad) link(one.shape, a, b, 2);
                if (row.links == Links::pairs_in_quads && is_quad) {
                    link(one.shape, a, b, is_pair ? 4 : 2);
                }
                if (row.links == Links::all) link(one.shape, a, b, 12);
            }
        }
        take(one, row.taken);
        ask(one, row.count);
        CHECK(answer_to(one) == "cores 0, " + std::string(row.expected));
    }
}

TEST_CASE("fit: of two sums that are equal the one with the stronger weakest pair", "[alloc]") {
    FitCase one = on("2c mem=8G gpu:6@any");
    link(one.shape, 0, 1, 5);  // a chain of 5 and 1, its ends not linked
    link(one.shape, 1, 2, 1);
    link(one.shape, 3, 4, 2);  // a triangle of 2
    link(one.shape, 3, 5, 2);
    link(one.shape, 4, 5, 2);
    ask(one, 3);
    CHECK(answer_to(one) == "cores 0, gpu 3, gpu 4, gpu 5");
}

TEST_CASE("fit: POWER8-like pairs at two sockets go with their cores", "[alloc]") {
    FitCase one = on("2s4c2t mem=8G gpu:4@nvlink-pairs");
    ask(one, 2);
    one.demand.cpus_per_task = Count(4);
    CHECK(answer_to(one) == "cores 0-1, gpu 0, gpu 1");
    take(one, {1});
    CHECK(answer_to(one) == "cores 4-5, gpu 2, gpu 3");
    one.demand.devices[0].count = Range<Count>::exactly(Count(1));
    CHECK(answer_to(one) == "cores 0-1, gpu 0");
    one.taken.cores = CoreSet::range({0, 3});  // one core is left at GPU 0
    CHECK(answer_to(one) == "cores 4-5, gpu 2");
}

TEST_CASE("fit: nearness reaches as far as the level that is asked", "[alloc]") {
    struct Row {
        std::optional<HardwareLevel> level;
        std::int64_t cpus;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {std::nullopt, 2, "cores 2-3, gpu 0", "its own two cores"},
        {std::nullopt, 3, "no: locality", "it is near to two"},
        {HardwareLevel::l3, 2, "cores 2-3, gpu 0", "its cache"},
        {HardwareLevel::l3, 3, "no: locality", "its cache is no larger"},
        {HardwareLevel::package, 2, "cores 0-1, gpu 0", "all cores of the package are as good"},
        {HardwareLevel::package, 4, "cores 0-3, gpu 0", "the package"},
        {HardwareLevel::package, 5, "no: locality", "more than the package"},
        {HardwareLevel::machine, 5, "cores 0-4, gpu 0", "anywhere"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        FitCase one = on("2s4c mem=8G l3=2");
        one.shape.devices = {plain_gpu(0, CoreSet::range({2, 4}))};
        ask(one, 1, Strictness::require);
        one.demand.devices[0].request.locality_level = row.level;
        one.demand.cpus_per_task = Count(row.cpus);
        CHECK(answer_to(one) == row.expected);
    }
}

TEST_CASE("fit: cores lie in as few groups of a level as can be, or in one", "[alloc]") {
    struct Row {
        Strictness locality;
        HardwareLevel level;
        std::int64_t cpus;
        const char* expected;
        const char* why;
    };
    using enum Strictness;
    const Row rows[] = {
        {ignore, HardwareLevel::l3, 2, "cores 1-2", "the lowest"},
        {prefer, HardwareLevel::l3, 2, "cores 2-3", "a cache that is free"},
        {prefer, HardwareLevel::package, 2, "cores 1-2", "one package"},
        {prefer, HardwareLevel::package, 4, "cores 4-7", "one package"},
        {prefer, HardwareLevel::l3, 3, "cores 1-3", "two caches"},
        {require, HardwareLevel::l3, 3, "no: locality", "no cache has three cores"},
        {require, HardwareLevel::package, 4, "cores 4-7", "the second package"},
        {require, HardwareLevel::package, 5, "no: locality", "no package has five"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        FitCase one = on("2s4c mem=8G l3=2");
        one.taken.cores = CoreSet::of({CoreId(0)});
        one.demand.core_locality = row.locality;
        one.demand.core_level = row.level;
        one.demand.cpus_per_task = Count(row.cpus);
        CHECK(answer_to(one) == row.expected);
    }
}

TEST_CASE("fit: memory near the cores reaches as far as the level that is asked", "[alloc]") {
    FitCase one = on("2s4c mem=8G numa=2");  // 2 GiB for each two cores
    one.demand.memory = gib(4);
    one.demand.memory_locality = Strictness::require;
    CHECK(answer_to(one) == "no: locality");
    one.demand.memory_level = HardwareLevel::package;
    CHECK(answer_to(one) == "cores 0");
    one.demand.memory = gib(5);
    CHECK(answer_to(one) == "no: locality");
    one.demand.memory_level = HardwareLevel::machine;
    CHECK(answer_to(one) == "cores 0");
}

TEST_CASE("fit: tasks dealt to the packages", "[alloc]") {
    struct Row {
        Distribution distribution;
        std::int64_t tasks;
        std::int64_t cpus;
        const char* expected;
        const char* why;
    };
    using enum Distribution;
    const Row rows[] = {
        {block, 3, 1, "cores 0-2", "no package is said: the fewest groups"},
        {cyclic, 3, 1, "cores 0-1,4", "a task to each in turn"},
        {cyclic, 2, 2, "cores 0-1,4-5", "two cores each"},
        {plane, 3, 1, "cores 0-1,4", "two tasks, then one"},
        {plane, 5, 1, "cores 0-2,4-5", "two, two, one"},
        {fcyclic, 3, 1, "cores 0-1,4", "a core to each in turn"},
        {fcyclic, 1, 3, "cores 0-1,4", "the cores of one task too"},
        {cyclic, 1, 3, "cores 0-2", "a task keeps to a package"},
        {cyclic, 1, 5, "cores 0-4", "a task that no package can hold lies over its end"},
        {plane, 1, 5, "cores 0-4", "in a plane too"},
        {cyclic, 2, 4, "cores 0-7", "a task fills each package"},
        {cyclic, 3, 2, "cores 0-5", "two tasks on the first one"},
        {cyclic, 2, 3, "cores 0-2,4-6", "each in a package"},
        {plane, 4, 2, "cores 0-7", "both full"},
        {cyclic, 1, 9, "no: cores", "more than all cores"},
        {fcyclic, 1, 5, "cores 0-2,4-5", "it is spread over both"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        FitCase one = on("2s4c mem=8G");
        one.demand.tasks = Count(row.tasks);
        one.demand.cpus_per_task = Count(row.cpus);
        one.demand.distribution = row.distribution;
        one.demand.plane_size = Count(2);
        CHECK(answer_to(one) == row.expected);
    }
}

TEST_CASE("fit: dealing begins at the package of the device, and goes past full ones", "[alloc]") {
    FitCase one = on("2s4c mem=8G gpu:2");
    one.demand.tasks = Count(3);
    one.demand.distribution = Distribution::cyclic;
    take(one, {0});
    ask(one, 1);
    CHECK(answer_to(one) == "cores 0,4-5, gpu 1");
    one.taken.cores = CoreSet::range({0, 4});
    CHECK(answer_to(one) == "cores 4-6, gpu 1");
    one.demand.tasks_per_socket = Count(2);
    CHECK(answer_to(one) == "no: cores");
}

TEST_CASE("fit: tasks per core and per socket, threads per core", "[alloc]") {
    struct Row {
        std::int64_t threads;
        std::int64_t per_core;
        std::int64_t per_socket;
        std::int64_t tasks;
        std::int64_t cpus;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {0, 0, 0, 3, 1, "cores 0-1", "two tasks on a core"},
        {1, 0, 0, 3, 1, "cores 0-2", "one thread of each core"},
        {0, 1, 0, 3, 1, "cores 0-2", "one task on a core"},
        {0, 2, 0, 3, 1, "cores 0-1", "two are allowed"},
        {0, 1, 0, 2, 3, "cores 0-3", "a task that needs two cores has them alone"},
        {0, 0, 0, 2, 3, "cores 0-2", "a core shared by two tasks"},
        {3, 0, 0, 1, 1, "no: cores", "cores have two threads"},
        {0, 0, 1, 2, 1, "cores 0,4", "a task on each socket"},
        {0, 0, 1, 3, 1, "no: cores", "two sockets"},
        {0, 0, 2, 3, 1, "cores 0,4", "two on a core, then the third"},
        {1, 0, 2, 3, 1, "cores 0-1,4", "each on a core"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        FitCase one = on("2s4c2t mem=8G");
        one.demand.threads_per_core = Count(row.threads);
        one.demand.tasks_per_core = Count(row.per_core);
        one.demand.tasks_per_socket = Count(row.per_socket);
        one.demand.tasks = Count(row.tasks);
        one.demand.cpus_per_task = Count(row.cpus);
        CHECK(answer_to(one) == row.expected);
        const auto placement = fit(one.shape, one.ledger(), one.demand);
        if (placement) CHECK(placement->threads_per_core == Count(row.threads));
    }
}

TEST_CASE("fit: sockets with enough free cores", "[alloc]") {
    FitCase one = on("2s4c mem=8G");
    one.taken.cores = CoreSet::range({0, 2});
    one.demand.cores_per_socket = Count(2);
    CHECK(answer_to(one) == "cores 2");
    one.demand.cores_per_socket = Count(3);
    CHECK(answer_to(one) == "cores 4");  // the first package is left alone
    one.demand.sockets_per_node = Count(1);
    CHECK(answer_to(one) == "cores 4");
    one.demand.sockets_per_node = Count(2);
    CHECK(answer_to(one) == "no: cores");
    one.demand.cores_per_socket = Count(0);
    CHECK(answer_to(one) == "cores 2");
    one.taken.cores = CoreSet::range({0, 4});
    CHECK(answer_to(one) == "no: cores");  // a full socket is none
}

TEST_CASE("fit: devices counted per socket", "[alloc]") {
    FitCase one = on("2s4c mem=8G gpu:4");
    NodeDemand::Device demand;
    demand.request.per = Per::socket;
    demand.request.count = Range<Count>::exactly(Count(1));
    demand.count = Range<Count>::exactly(Count(2));
    demand.sockets = Count(2);
    one.demand.devices = {demand};
    CHECK(answer_to(one) == "cores 0, gpu 0, gpu 2");
    take(one, {0, 1});
    CHECK(answer_to(one) == "no: devices");
    one.demand.devices[0].sockets = Count(1);
    CHECK(answer_to(one) == "no: devices");  // one on a socket, and two in all
    one.demand.devices[0].request.count = demand.count;
    CHECK(answer_to(one) == "cores 4, gpu 2, gpu 3");
}

TEST_CASE("fit: shares of each device, or of all together", "[alloc]") {
    FitCase one = on("2c mem=8G gpu:3/4@any");
    ask(one, 1);
    one.demand.devices[0].request.shares = Count(3);
    CHECK(answer_to(one) == "cores 0, gpu 0 x3");
    one.taken.devices = {{DeviceId(0), Count(2)}, {DeviceId(2), Count(1)}};
    CHECK(answer_to(one) == "cores 0, gpu 2 x3");  // gpu 1 stays whole
    one.demand.devices[0].count = Range<Count>::exactly(Count(3));
    CHECK(answer_to(one) == "no: devices");
    one.demand.devices[0].request.shares_per = Per::node;
    CHECK(answer_to(one) == "cores 0, gpu 0 x1, gpu 1 x1, gpu 2 x1");
    one.demand.devices[0].request.shares = Count(7);
    CHECK(answer_to(one) == "cores 0, gpu 0 x2, gpu 1, gpu 2 x1");  // the lowest give most
    one.demand.devices[0].request.shares = Count(10);
    CHECK(answer_to(one) == "no: devices");
    one.demand.devices[0].count = Range<Count>::between(Count(1), Count(3));
    one.demand.devices[0].request.shares = Count(5);
    CHECK(answer_to(one) == "cores 0, gpu 0 x2, gpu 2 x3");  // fewest devices, none opened
}

TEST_CASE("fit: what is not consumed is there for every demand", "[alloc]") {
    FitCase one = on("2c mem=8G gpu:2@any");
    one.shape.devices[0].is_consumed = false;
    take(one, {0, 1});
    ask(one, 1);
    CHECK(answer_to(one) == "cores 0, gpu 0");
    one.demand.devices[0].count = Range<Count>::exactly(Count(2));
    CHECK(answer_to(one) == "no: devices");
}

TEST_CASE("fit: the first row with room is taken", "[alloc]") {
    FitCase one = on("4c mem=8G");
    one.demand.cpus_per_task = Count(2);
    one.in_row.row = 0;
    one.in_row.cores = CoreSet::range({0, 3});
    CHECK(answer_to(one) == "no: cores");  // not shared: one core is nobody's
    one.options.rows = 2;
    CHECK(answer_to(one) == "cores 0-1, row 1");
    one.demand.cpus_per_task = Count(1);
    CHECK(answer_to(one) == "cores 3, row 0");
    one.taken.cores = CoreSet::of({CoreId(3)});
    CHECK(answer_to(one) == "cores 0, row 1");
    one.demand.cpus_per_task = Count(4);
    CHECK(answer_to(one) == "no: cores");  // core 3 is somebody's alone
    one.taken = one.in_row = {};
    one.demand.exclusivity = Exclusivity::whole_node;
    CHECK(answer_to(one) == "cores 0-3");  // a whole node lies in no row
}

TEST_CASE("fit: what the system keeps", "[alloc]") {
    FitCase one = on("4c mem=8G");
    one.shape.system_cores = CoreSet::of({CoreId(0)});
    one.shape.memory[0].reserved = gib(2);
    CHECK(answer_to(one) == "cores 1");
    one.demand.cpus_per_task = Count(4);
    CHECK(answer_to(one) == "no: cores");
    one.demand.cpus_per_task = Count(1);
    one.demand.memory = gib(6);
    CHECK(answer_to(one) == "cores 1");
    one.demand.memory = gib(6) + Bytes(1);
    CHECK(answer_to(one) == "no: memory");
    one.demand.memory = Bytes();
    one.demand.exclusivity = Exclusivity::whole_node;
    CHECK(answer_to(one) == "cores 1-3");
    one.demand.system_cores = Count(1);
    CHECK(answer_to(one) == "cores 1-2");  // the last core is left to the system
    one.demand.cpus_per_task = Count(3);
    CHECK(answer_to(one) == "no: cores");
}

TEST_CASE("fit: single threads are handed out where the node is described so", "[alloc]") {
    FitCase one = on("1s4c2t");
    one.shape = with_granularity(one.shape, HardwareLevel::thread);
    one.demand.cpus_per_task = Count(2);
    one.demand.core_level = HardwareLevel::core;
    one.demand.core_locality = Strictness::require;
    CHECK(answer_to(one) == "cores 0-1");
    one.taken.cores = CoreSet::of({CoreId(1)});
    CHECK(answer_to(one) == "cores 2-3");
    one.demand.core_locality = Strictness::prefer;
    CHECK(answer_to(one) == "cores 2-3");
    one.demand.core_locality = Strictness::ignore;
    CHECK(answer_to(one) == "cores 0,2");
    one.demand.core_locality = Strictness::require;
    one.demand.cpus_per_task = Count(3);
    CHECK(answer_to(one) == "no: locality");
}

TEST_CASE("fit: whole sockets are handed out, but for what the system keeps", "[alloc]") {
    FitCase one = on("2s8c");
    one.shape.system_cores = CoreSet::of({CoreId(0)});
    one.shape = with_granularity(one.shape, HardwareLevel::package);
    one.demand.cpus_per_task = Count(4);
    const auto first = fit(one.shape, one.ledger(), one.demand);
    agrees(one);
    REQUIRE(first.has_value());
    CHECK(threads_of(one.shape, *first).count() == 7);
    one.taken = *first;
    const auto second = fit(one.shape, one.ledger(), one.demand);
    agrees(one);
    REQUIRE(second.has_value());
    CHECK(threads_of(one.shape, *second).count() == 8);
}

TEST_CASE("fit: a no speaks of the cores that could have been given", "[alloc]") {
    FitCase one = on("1s16c");
    one.demand.exclusivity = Exclusivity::whole_node;
    one.demand.system_cores = Count(13);
    one.demand.cpus_per_task = Count(4);
    CHECK(answer_to(one) == "no: cores");
    CHECK(reason_of(one) == "asked 4 cores, 3 of 16 are free beside 13 for the system");
    one = on("2s4c");
    one.taken.cores = CoreSet::of({CoreId(0)});
    one.demand.cores_per_socket = Count(4);
    one.demand.cpus_per_task = Count(5);
    CHECK(answer_to(one) == "no: cores");
    CHECK(reason_of(one) == "asked 5 cores, 4 of 8 are free on sockets with 4 free cores");
}

}  // namespace trestle
