// SPDX-License-Identifier: Apache-2.0
// Cases that are hard for a search: fit() answers them within a small part of its default budget.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/fit_agreement.hpp"
#include "support/random_fit.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

/// fit() with a hundredth of the default budget; it never gives up on what is asked here.
Verdict<NodePlacement> quick_fit(const FitCase& one) {
    FitOptions options = one.options;
    options.steps_max /= 100;
    auto answer = fit(one.shape, one.ledger(), one.demand, options);
    if (!answer) REQUIRE(answer.refusal().constraint != Constraint::gave_up);
    return answer;
}

NodeDemand::Device gpus(std::int64_t count) {
    return {DeviceRequest{}, Range<Count>::exactly(Count(count))};
}

NodeShape bare_gpus(std::uint32_t count) {
    NodeShape shape;
    shape.hardware = plain_cores(16);
    for (std::uint32_t i = 0; i < count; ++i) shape.devices.push_back(plain_gpu(i));
    return shape;
}

/// Links between all devices, `strength(a, b)` with a < b; 0 is none.
template <class Strength>
void link_all(NodeShape& shape, const Strength& strength) {
    for (std::uint32_t a = 0; a < shape.devices.size(); ++a) {
        for (std::uint32_t b = a + 1; b < shape.devices.size(); ++b) {
            const std::uint32_t links = strength(a, b);
            if (links > 0) shape.links.push_back({DeviceId(a), DeviceId(b), links});
        }
    }
}

std::string devices_of(const Verdict<NodePlacement>& answer) {
    return answer ? to_text(answer->device_set()) : "no: " + answer.refusal().reason;
}

}  // namespace

TEST_CASE("fit: half of a POWER8's GPUs", "[alloc]") {
    FitCase one;
    one.shape = *testing::node_from_text("2s10c8t mem=512G gpu:4@nvlink-pairs*2").value().shape;
    one.demand.devices = {gpus(2)};
    CHECK(devices_of(quick_fit(one)) == "0-1");
    one.taken.devices = {{DeviceId(0), Count(1)}};
    CHECK(devices_of(quick_fit(one)) == "2-3");
}

TEST_CASE("fit: eight of sixteen GPUs, linked alike or stronger on each board", "[alloc]") {
    FitCase one;
    one.shape = bare_gpus(16);
    one.demand.devices = {gpus(8)};
    link_all(one.shape, [](std::uint32_t, std::uint32_t) { return 6u; });
    CHECK(devices_of(quick_fit(one)) == "0-7");
    one.taken.devices = {{DeviceId(2), Count(1)}, {DeviceId(5), Count(1)}};
    CHECK(devices_of(quick_fit(one)) == "0-1,3-4,6-9");

    one.shape.links.clear();
    link_all(one.shape, [](std::uint32_t a, std::uint32_t b) { return a / 8 == b / 8 ? 4u : 1u; });
    CHECK(devices_of(quick_fit(one)) == "8-15");
    one.taken.devices = {};
    CHECK(devices_of(quick_fit(one)) == "0-7");
}

TEST_CASE("fit: eight of sixteen GPUs that lie at different cores", "[alloc][slow]") {
    FitCase one;
    one.shape = bare_gpus(16);
    link_all(one.shape, [](std::uint32_t, std::uint32_t) { return 6u; });
    for (std::uint32_t i = 0; i < 16; ++i) {
        one.shape.devices[i].cores = CoreSet::of({CoreId(i)});
    }
    one.demand.devices = {gpus(8)};
    one.demand.cpus_per_task = Count(8);
    const auto answer = fit(one.shape, one.ledger(), one.demand);
    REQUIRE(answer.has_value());  // 12,870 subsets, none of which is near to more cores
    CHECK(to_text(answer->cores) == "0-7");
    CHECK(to_text(answer->device_set()) == "0-7");
}

/// The hybrid cube mesh of a DGX-1V: two quads, doubled along the edges of the cube.
TEST_CASE("fit: any number of the GPUs of a hybrid cube mesh", "[alloc]") {
    FitCase one;
    one.shape = bare_gpus(8);
    one.shape.hardware = plain_cores(2);
    link_all(one.shape, [](std::uint32_t a, std::uint32_t b) {
        if (b == a + 4) return 2u;
        if (a / 4 != b / 4) return 0u;
        const std::pair edge{a % 4, b % 4};
        return edge == std::pair{0u, 3u} || edge == std::pair{1u, 2u} || edge == std::pair{2u, 3u}
                   ? 2u
                   : 1u;
    });
    for (std::int64_t count = 1; count <= 8; ++count) {
        one.demand.devices = {gpus(count)};
        for (const std::uint32_t taken : {8u, 0u, 3u, 5u}) {
            one.taken.devices.clear();
            if (taken < 8) one.taken.devices = {{DeviceId(taken), Count(1)}};
            INFO(count << " without " << taken);
            CHECK(agrees(one) == (count < 8 || taken == 8));
            CHECK(quick_fit(one).has_value() == (count < 8 || taken == 8));
        }
    }
}

TEST_CASE("fit: every weight of links is different, and half of sixteen are asked", "[alloc]") {
    FitCase one;
    one.shape = bare_gpus(16);
    link_all(one.shape,
             [](std::uint32_t a, std::uint32_t b) { return 1 + (a * 37 + b * 61) % 97; });
    one.demand.devices = {gpus(8)};
    const auto answer = fit(one.shape, one.ledger(), one.demand);
    REQUIRE(answer.has_value());  // 12,870 subsets
    CHECK(answer->devices.size() == 8);
}

TEST_CASE("fit: n devices with attributes are asked, n-1 are free", "[alloc]") {
    for (std::uint32_t n = 1; n <= 64; ++n) {
        INFO("n = " << n);
        FitCase one;
        one.shape = bare_gpus(n);
        for (std::uint32_t i = 0; i < n; ++i) {  // no two devices are alike
            one.shape.devices[i].attributes = {{"serial", std::to_string(i)}, {"speed", "900"}};
        }
        one.taken.devices = {{DeviceId(n / 2), Count(1)}};
        one.demand.devices = {gpus(n)};
        one.demand.devices[0].request.attributes = {
            {"speed", DeviceRequest::AttributeTest::Comparison::greater_equal, "900"},
            {"serial", DeviceRequest::AttributeTest::Comparison::less, "1000"}};
        const auto answer = quick_fit(one);
        REQUIRE(!answer.has_value());
        CHECK(to_text(answer.refusal().constraint) == "devices");
        one.taken.devices.clear();
        CHECK(quick_fit(one).has_value());
    }
}

TEST_CASE("fit: devices are counted alike beyond the first 64", "[alloc]") {
    FitCase one;
    one.shape = bare_gpus(70);
    for (const std::uint32_t taken : {2u, 68u}) one.taken.devices.push_back({DeviceId(taken)});
    for (const std::int64_t count : {1, 64, 67, 68, 69, 71}) {
        one.demand.devices = {gpus(count)};
        INFO(count);
        CHECK(quick_fit(one).has_value() == (count <= 68));
        const auto said = said_by_sums(one, one.ledger().free());
        CHECK(said == (count <= 68 ? Constraint::none : Constraint::devices));
    }
}

TEST_CASE("fit: overlapping demands for n devices of which n-1 are free", "[alloc]") {
    for (const std::uint32_t n : {4u, 8u, 16u, 33u, 64u}) {
        INFO("n = " << n);
        FitCase one;
        one.shape = bare_gpus(n);
        for (std::uint32_t i = 0; i < n; ++i) {
            one.shape.devices[i].attributes = {{"serial", std::to_string(i)}};
        }
        const auto among = [&](std::uint32_t first, std::uint32_t last, std::int64_t count) {
            NodeDemand::Device demand = gpus(count);
            demand.request.attributes = {
                {"serial", DeviceRequest::AttributeTest::Comparison::greater_equal,
                 std::to_string(first)},
                {"serial", DeviceRequest::AttributeTest::Comparison::less, std::to_string(last)}};
            return demand;
        };
        // Each demand alone and each two together find devices: the three have n-1 for n.
        const std::uint32_t third = n / 3;
        one.demand.devices = {among(0, 2 * third, third), among(third, n, third),
                              among(0, n, n - 2 * third)};
        CHECK(quick_fit(one).has_value());
        one.taken.devices = {{DeviceId(n / 2), Count(1)}};
        const auto answer = quick_fit(one);
        REQUIRE(!answer.has_value());
        CHECK(to_text(answer.refusal().constraint) == "devices");
    }
}

TEST_CASE("fit: most of 64 different devices for two demands that want as many as can be",
          "[alloc]") {
    FitCase one;
    one.shape = bare_gpus(64);
    for (std::uint32_t i = 0; i < 64; ++i) {
        one.shape.devices[i].attributes = {{"serial", std::to_string(i)}};
    }
    for (int i = 0; i < 2; ++i) {
        NodeDemand::Device demand{DeviceRequest{}, Range<Count>::at_least(Count(1))};
        demand.request.prefer = DeviceRequest::Prefer::most;
        one.demand.devices.push_back(demand);
    }
    const auto answer = quick_fit(one);
    REQUIRE(answer.has_value());
    CHECK(answer->devices.size() == 64);  // 63 for the first, one for the second
}

TEST_CASE("fit: demands that want the same few of 64 different devices", "[alloc]") {
    FitCase one;
    one.shape = bare_gpus(64);
    for (std::uint32_t i = 0; i < 64; ++i) {
        one.shape.devices[i].attributes = {{"serial", std::to_string(i)}};
        one.shape.devices[i].type = i < 3 ? "a" : "b";
    }
    for (int i = 0; i < 2; ++i) {  // four of three
        NodeDemand::Device demand = gpus(2);
        demand.request.types = {"a"};
        one.demand.devices.push_back(demand);
    }
    one.demand.devices.insert(one.demand.devices.begin(), gpus(20));
    const auto answer = quick_fit(one);
    REQUIRE(!answer.has_value());
    CHECK(to_text(answer.refusal().constraint) == "devices");
}

TEST_CASE("fit: 34 memory domains of which 32 have no cores", "[alloc]") {
    FitCase one;
    one.shape.hardware = plain_cores(64);
    for (std::uint32_t i = 0; i < 34; ++i) {
        const CoreSet cores = i < 2 ? CoreSet::range({32 * i, 32 * i + 32}) : CoreSet();
        one.shape.memory.push_back({OsIndex(i), MemoryDomain::Kind::dram, Bytes(16), cores});
    }
    one.demand.cpus_per_task = Count(40);
    one.demand.memory = Bytes(32);
    auto answer = quick_fit(one);
    REQUIRE(answer.has_value());
    CHECK(to_text(answer->cores) == "0-39");
    CHECK(answer->memory ==
          SmallVector<MemoryShare>{{DomainId(0), Bytes(16)}, {DomainId(1), Bytes(16)}});
    one.demand.memory = Bytes(33);
    answer = quick_fit(one);
    REQUIRE(answer.has_value());
    CHECK(answer->memory.back() == MemoryShare{DomainId(2), Bytes(1)});
    one.demand.memory_locality = Strictness::require;
    CHECK(to_text(quick_fit(one).refusal().constraint) == "locality");
    one.demand.memory = Bytes(34 * 16);
    one.demand.memory_locality = Strictness::prefer;
    CHECK(quick_fit(one).has_value());
    one.demand.memory = Bytes(34 * 16 + 1);
    CHECK(to_text(quick_fit(one).refusal().constraint) == "memory");
}

TEST_CASE("fit: 34 memory domains, each near to cores of its own", "[alloc]") {
    FitCase one;
    one.shape.hardware = plain_cores(68);
    for (std::uint32_t i = 0; i < 34; ++i) {
        one.shape.memory.push_back(
            {OsIndex(i), MemoryDomain::Kind::dram, Bytes(16), CoreSet::range({2 * i, 2 * i + 2})});
    }
    one.shape.devices = {plain_gpu(0, CoreSet::range({60, 64}))};
    one.demand.devices = {gpus(1)};
    one.demand.cpus_per_task = Count(34);
    one.demand.memory = Bytes(16 * 17);
    for (const Strictness locality : {Strictness::prefer, Strictness::require}) {
        one.demand.memory_locality = locality;
        const auto answer = quick_fit(one);
        REQUIRE(answer.has_value());
        CHECK(to_text(answer->cores) == "0-29,60-63");
        CHECK(answer->memory.size() == 17);
    }
    one.demand.memory = Bytes(16 * 34 + 1);
    CHECK(to_text(quick_fit(one).refusal().constraint) == "memory");
}

namespace {

/// 8 packages of 64 cores of 2 threads, 64 caches, 32 memory domains, every third core taken; 100
/// tasks of 3 CPUs and a quarter of the memory are asked.
FitCase thousand_threads() {
    FitCase one;
    one.shape =
        *testing::node_from_text("8s64c2t mem=4096G l3=8 numa=4 gpu:16@nvlink nic:8").value().shape;
    for (std::uint32_t core = 0; core < 512; core += 3) one.taken.cores.insert(CoreId(core));
    one.demand.core_level = HardwareLevel::l3;
    one.demand.tasks = Count(100);
    one.demand.cpus_per_task = Count(3);
    one.demand.memory = gib(1'000);
    return one;
}

}  // namespace

TEST_CASE("fit: 1024 hardware threads", "[alloc]") {
    FitCase one = thousand_threads();
    REQUIRE(one.shape.cpu_count() == Count(1'024));
    for (const std::int64_t count : {0, 1}) {
        one.demand.devices = {gpus(count)};
        const auto answer = quick_fit(one);
        REQUIRE(answer.has_value());
        CHECK(answer->cores.count() == 150);
        CHECK(answer->total_memory() == gib(1'000));
    }
    one.demand.tasks = Count(400);
    CHECK(to_text(quick_fit(one).refusal().constraint) == "cores");
}

TEST_CASE("fit: 1024 hardware threads and half of two kinds of devices", "[alloc][slow]") {
    FitCase one = thousand_threads();
    one.demand.devices = {gpus(8), gpus(4)};
    one.demand.devices[1].request.name = "nic";
    const auto answer = fit(one.shape, one.ledger(), one.demand);
    REQUIRE(answer.has_value());
    CHECK(answer->cores.count() == 150);
    CHECK(answer->devices.size() == 12);
}

TEST_CASE("fit: counts beyond all bounds are a no, soon", "[alloc]") {
    FitCase one;
    one.shape = bare_gpus(8);
    one.demand.devices = {gpus(Count::max().value())};
    CHECK_FALSE(quick_fit(one).has_value());
    one.demand.devices = {gpus(1)};
    one.demand.cpus_per_device = Count::max();
    CHECK_FALSE(quick_fit(one).has_value());
    one.demand.cpus_per_device = Count(0);
    one.demand.tasks = one.demand.cpus_per_task = Count::max();
    for (const Distribution distribution :
         {Distribution::block, Distribution::cyclic, Distribution::fcyclic, Distribution::plane}) {
        for (const std::int64_t limit : {std::int64_t{0}, Count::max().value()}) {
            one.demand.distribution = distribution;
            one.demand.tasks_per_core = one.demand.tasks_per_socket = Count(limit);
            CHECK_FALSE(quick_fit(one).has_value());
        }
    }
    one.demand = {};
    one.demand.sockets_per_node = one.demand.cores_per_socket = Count::max();
    CHECK_FALSE(quick_fit(one).has_value());
    one.demand = {};
    one.demand.system_cores = Count::max();
    one.demand.exclusivity = Exclusivity::whole_node;
    CHECK_FALSE(quick_fit(one).has_value());
    one.demand = {};
    one.demand.plane_size = Count::max();
    one.demand.distribution = Distribution::plane;
    CHECK(quick_fit(one).has_value());
}

TEST_CASE("fit: 1024 hardware threads that need the memory of many domains", "[alloc]") {
    FitCase one = thousand_threads();
    one.taken = {};
    one.demand.core_level = HardwareLevel::numa;
    for (const std::int64_t size : {2'500, 3'900, 4'096}) {
        INFO(size);
        one.demand.memory = gib(size);
        const auto answer = quick_fit(one);
        REQUIRE(answer.has_value());
        CHECK(answer->cores.count() == 150);
        CHECK(answer->total_memory() == gib(size));
    }
    one.demand.memory = gib(100);
    one.demand.distribution = Distribution::cyclic;
    for (const Strictness locality : {Strictness::prefer, Strictness::ignore}) {
        one.demand.core_locality = locality;
        CHECK(quick_fit(one).has_value());
    }
    one.demand.core_locality = Strictness::prefer;
    one.shape.memory.push_back({OsIndex(32), MemoryDomain::Kind::dram, gib(2'000), {}});
    one.demand.distribution = Distribution::block;
    one.demand.memory = gib(5'000);
    one.demand.memory_locality = Strictness::require;
    CHECK(to_text(quick_fit(one).refusal().constraint) == "locality");
}

TEST_CASE("fit: half of the GPUs where each keeps a core for its users", "[alloc]") {
    FitCase one;
    one.shape = *testing::node_from_text("2s32c2t mem=1T gpu:16@reserve1").value().shape;
    one.demand.devices = {gpus(8)};
    one.demand.cpus_per_task = Count(32);
    const auto answer = fit(one.shape, one.ledger(), one.demand);
    REQUIRE(answer.has_value());
    CHECK(answer->devices.size() == 8);
}

TEST_CASE("fit: numbers at the end of their range", "[alloc]") {
    FitCase one;
    one.shape = bare_gpus(2);
    one.demand.cpus_per_task = Count(0);
    one.demand.tasks = one.demand.tasks_per_core = Count(1'000'000'000'000);
    for (const Distribution distribution :
         {Distribution::block, Distribution::cyclic, Distribution::plane}) {
        one.demand.distribution = distribution;
        one.demand.tasks_per_socket = Count(3);
        CHECK_FALSE(quick_fit(one).has_value());
    }
    one.demand = NodeDemand();
    one.demand.devices = {gpus(3)};
    one.options.rows = std::numeric_limits<std::uint32_t>::max();
    CHECK_FALSE(quick_fit(one).has_value());
    one.demand.devices.clear();
    one.options.rows = 1;
    one.shape.memory = {{OsIndex(0), MemoryDomain::Kind::dram, Bytes::max(), {}}};
    for (Device& device : one.shape.devices) device.memory = Bytes();
    REQUIRE(check(one.shape).ok());
    one.demand.memory = Bytes::max();
    one.demand.cpus_per_task = Count(2);
    one.demand.memory_per = Per::cpu;
    CHECK_FALSE(quick_fit(one).has_value());
    one.shape.devices[0].shares = one.shape.devices[1].shares = Count::max();
    CHECK_FALSE(check(one.shape).ok());
}

}  // namespace trestle
