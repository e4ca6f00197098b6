// SPDX-License-Identifier: Apache-2.0
// Every recorded machine is described, printed, and takes and returns a thousand random requests.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "machines/dgx2_with_nics.hpp"
#include "machines/placement_rules.hpp"
#include "machines/recordings.hpp"
#include "model/core_groups.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

using testing::Choices;

template <class T>
T any_of(Choices& choices, std::initializer_list<T> list) {
    return choices.of(std::vector<T>(list));
}
Count any_count(Choices& choices, std::int64_t most) {
    return Count(1 + static_cast<std::int64_t>(choices.below(
                         static_cast<std::uint64_t>(std::max<std::int64_t>(1, most)))));
}
Strictness any_locality(Choices& choices) {
    using enum Strictness;
    return any_of(choices, {ignore, prefer, prefer, require});
}
HardwareLevel any_level(Choices& choices) {
    using enum HardwareLevel;
    return any_of(choices, {machine, package, die, numa, numa, l3, l2, core});
}

/// Devices of one of the machine's names; two demands in a row have different ones.
DeviceRequest any_devices(Choices& choices, const NodeShape& shape, const std::string& name) {
    const auto there = std::count_if(shape.devices.begin(), shape.devices.end(),
                                     [&](const Device& device) { return device.name == name; });
    DeviceRequest request;
    request.name = name;
    const Count least =
        any_count(choices, choices.one_in(3) ? there : std::min<std::int64_t>(there, 2));
    request.count = choices.one_in(3) ? Range<Count>::between(least, least + any_count(choices, 4))
                                      : Range<Count>::exactly(least);
    request.prefer = any_of(choices, {DeviceRequest::Prefer::fewest, DeviceRequest::Prefer::most});
    const Device& device = choices.of(shape.devices);
    if (choices.one_in(6)) request.types = {device.type};
    request.locality = any_locality(choices);
    if (choices.one_in(4)) request.locality_level = any_level(choices);
    request.device_locality = any_locality(choices);
    return request;
}

void shape_tasks(Choices& choices, Request& request) {
    using enum Distribution;
    if (choices.one_in(8)) request.threads_per_core = any_count(choices, 2);
    if (choices.one_in(8)) request.tasks_per_core = any_count(choices, 2);
    if (choices.one_in(8)) request.tasks_per_socket = any_count(choices, 4);
    if (choices.one_in(12)) request.sockets_per_node = any_count(choices, 2);
    if (choices.one_in(12)) request.cores_per_socket = any_count(choices, 3);
    if (choices.one_in(4)) request.distribution.sockets = any_of(choices, {cyclic, fcyclic, plane});
    request.distribution.plane_size = any_count(choices, 3);
    request.core_locality = any_locality(choices);
    request.core_level = any_level(choices);
}

/// Something that this machine may have free when it is about half full.
Request any_request(Choices& choices, const NodeShape& shape) {
    const std::int64_t cpus = shape.cpu_count().value();
    Request request;
    request.tasks = any_count(choices, choices.one_in(3) ? 8 : 2);
    request.cpus_per_task = Range<Count>::at_least(
        any_count(choices, std::max<std::int64_t>(1, cpus / (3 * request.tasks->value()))));
    shape_tasks(choices, request);
    if (choices.one_in(4)) {
        request.milli_cpus = MilliCpu(250 * any_count(choices, 12).value());
        if (choices.one_in(2)) request.cpus_per_task = Range<Count>::exactly(Count(0));
    }
    request.memory_per = any_of(choices, {Per::node, Per::node, Per::cpu, Per::device});
    const Bytes most = request.memory_per == Per::node
                           ? div_floor(shape.ordinary_memory(), 3)
                           : div_floor(shape.ordinary_memory(), 2 * cpus);
    request.memory = Range<Bytes>::at_least(Bytes(
        static_cast<std::int64_t>(choices.below(static_cast<std::uint64_t>(most.value()) + 1))));
    request.memory_locality = any_locality(choices);
    if (choices.one_in(4)) request.memory_level = any_level(choices);
    std::vector<std::string> names;
    for (const Device& device : shape.devices) {
        if (std::count(names.begin(), names.end(), device.name) == 0) names.push_back(device.name);
    }
    if (!names.empty() && choices.one_in(2)) std::reverse(names.begin(), names.end());
    for (const std::string& name : names) {
        if (choices.one_in(2)) request.devices.push_back(any_devices(choices, shape, name));
    }
    if (choices.one_in(4)) request.cpus_per_device = any_count(choices, 2);
    if (choices.one_in(20)) {
        request.exclusivity = Exclusivity::whole_node;
        request.system_cores = any_count(choices, 2);
    }
    return request;
}

/// Somebody who has something.
struct Owned {
    OwnerId owner;
    NodePlacement placement;
};

class AskedMachine {
  public:
    AskedMachine(const NodeShape& shape, std::uint64_t seed)
        : shape_(shape),
          ledger_(shape),
          choices_(seed),
          sockets_(static_cast<std::uint32_t>(core_groups(shape, HardwareLevel::package).size())) {}

    /// Asks for something, and takes it; gives something back every now and then.
    void ask() {
        const Request request = any_request(choices_, shape_);
        REQUIRE(check(request).ok());
        if (request.exclusivity == Exclusivity::whole_node && choices_.one_in(2)) give_back_all();
        FitOptions options;
        if (choices_.one_in(8)) options.rows = 2;
        const NodeDemand demand = demand_of(request, {}, sockets_);
        INFO(fmt::format("{}", demand));
        const auto answer = fit(shape_, ledger_, demand, options);
        if (!answer) {
            INFO(to_text(answer.refusal()));
            REQUIRE(answer.refusal().constraint != Constraint::gave_up);
            REQUIRE_FALSE(answer.refusal().reason.empty());
            ++refused_;
            if (!owned_.empty()) give_back_one();
            return;
        }
        INFO(fmt::format("{}", *answer));
        REQUIRE(PlacementRules(shape_, ledger_, demand, *answer).broken() ==
                std::vector<std::string>());
        take(*answer);
        ++placed_;
        if (!owned_.empty() && choices_.one_in(3)) give_back_one();
    }
    void give_back_all() {
        while (!owned_.empty()) give_back_one();
    }
    [[nodiscard]] const NodeLedger& ledger() const { return ledger_; }
    [[nodiscard]] int placed() const { return placed_; }
    [[nodiscard]] int refused() const { return refused_; }

  private:
    /// Taking and giving back at once changes nothing; then it stays.
    void take(const NodePlacement& placement) {
        const OwnerId owner(next_owner_++);
        const NodeLedger before = ledger_;
        REQUIRE(message(ledger_.take(placement, owner)) == "");
        REQUIRE(message(ledger_.give_back(placement, owner)) == "");
        REQUIRE(ledger_ == before);
        REQUIRE(ledger_.take(placement, owner).ok());
        owned_.push_back({owner, placement});
    }
    void give_back_one() {
        const auto i = static_cast<std::size_t>(choices_.below(owned_.size()));
        const Owned& one = owned_[i];
        REQUIRE(message(ledger_.give_back(one.placement, one.owner)) == "");
        owned_.erase(owned_.begin() + static_cast<std::ptrdiff_t>(i));
    }

    const NodeShape& shape_;
    NodeLedger ledger_;
    Choices choices_;
    std::uint32_t sockets_;
    std::uint64_t next_owner_ = 1;
    std::vector<Owned> owned_;
    int placed_ = 0;
    int refused_ = 0;
};

TEST_CASE("Recorded machines: every one is consistent and printed, as JSON without loss",
          "[machines]") {
    CHECK(recorded_names().size() >= 22);
    for (const std::string& name : recorded_names()) {
        INFO(name);
        const Node& node = read_machine(name);
        CHECK(message(check(*node.shape)) == "");
        CHECK_THAT(fmt::format("{}", node), Catch::Matchers::ContainsSubstring("{threads=["));
        const auto again = json::from_json_text<Node>(json::to_json_text(node));
        REQUIRE(message(again.status()) == "");
        CHECK(*again == node);
        if (const auto line = testing::node_to_text(node)) {
            CHECK(testing::node_from_text(*line).value() == node);
        }
    }
}

/// One machine is asked so often.
void ask_machine(const std::string& name, const NodeShape& shape, int requests) {
    INFO(name << ", seed " << test_seed());
    AskedMachine machine(shape, test_seed());
    for (int i = 0; i < requests; ++i) {
        INFO("request " << i);
        machine.ask();
    }
    machine.give_back_all();
    CHECK(machine.ledger() == NodeLedger(shape));
    CHECK(machine.placed() > requests / 5);
    CHECK(machine.refused() > requests / 20);
}

void ask_all_machines(int requests) {
    for (const std::string& name : recorded_names()) {
        ask_machine(name, recorded_shape(name), requests);
    }
    ask_machine("DGX-2 with NICs", dgx2_with_nics(), requests);
}

TEST_CASE("Recorded machines: every one takes and returns fifty requests", "[machines][law]") {
    ask_all_machines(50);
}

TEST_CASE("Recorded machines: every one takes and returns a thousand requests",
          "[machines][law][slow]") {
    ask_all_machines(1'000);
}

}  // namespace
}  // namespace trestle
