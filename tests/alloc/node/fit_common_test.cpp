// SPDX-License-Identifier: Apache-2.0
// Devices that have to have a value of an attribute in common: which values there are, which
// devices are chosen, what a refusal says.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "alloc/node/detail/common_values.hpp"
#include "support/catch.hpp"
#include "support/fit_agreement.hpp"
#include "support/random_fit.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/node/explain_fit.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

/// A question of one node: what is asked beside one CPU, and what is in use.
struct CommonRow {
    const char* node;
    std::vector<Request::CommonAttribute> common;
    std::string expected;  ///< devices by number, or the words of the refusal
    const char* why;
    std::function<void(FitCase&)> change = {};
};

NodeDemand::Device demand_for(const char* name, Range<Count> count) {
    NodeDemand::Device demand;
    demand.request.name = name;
    demand.request.locality = Strictness::ignore;
    demand.count = count;
    return demand;
}
Range<Count> just(std::int64_t count) { return Range<Count>::exactly(Count(count)); }

/// So many of each.
std::function<void(FitCase&)> asks(std::int64_t gpus, std::int64_t nics = 0) {
    return [=](FitCase& c) {
        c.demand.devices = {demand_for("gpu", just(gpus))};
        if (nics > 0) c.demand.devices.push_back(demand_for("nic", just(nics)));
    };
}
std::function<void(FitCase&)> both(const std::function<void(FitCase&)>& first,
                                   const std::function<void(FitCase&)>& then) {
    return [=](FitCase& c) {
        first(c);
        then(c);
    };
}
/// The devices are given to another owner.
std::function<void(FitCase&)> takes(std::vector<std::uint32_t> devices) {
    return [=](FitCase& c) {
        for (const std::uint32_t i : devices) {
            c.taken.devices.push_back({DeviceId(i), c.shape.devices[i].shares});
        }
    };
}
/// Values of an attribute by device; several are parted by commas, and `-` is none.
std::function<void(FitCase&)> has(const char* name, const std::vector<std::string>& values) {
    return [=](FitCase& c) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::string one;
            for (const char letter : values[i] + ",") {
                if (letter != ',') {
                    one += letter;
                    continue;
                }
                if (one != "-") c.shape.devices[i].attributes.push_back({name, one});
                one.clear();
            }
        }
    };
}
std::function<void(FitCase&)> links(const std::vector<std::pair<int, int>>& pairs) {
    return [=](FitCase& c) {
        for (const auto& [a, b] : pairs) {
            c.shape.links.push_back({DeviceId(static_cast<std::uint32_t>(a)),
                                     DeviceId(static_cast<std::uint32_t>(b)), 1});
        }
    };
}

std::string common_answer(const CommonRow& row) {
    FitCase one;
    one.shape = *testing::node_from_text(row.node).value().shape;
    one.demand.common_attributes = row.common;
    row.change(one);
    REQUIRE(message(check(one.shape)) == "");
    agrees(one);
    const auto placement = fit(one.shape, one.ledger(), one.demand, one.options);
    if (!placement) return to_text(placement.refusal());
    std::string text;
    for (const DeviceShare& share : placement->devices) {
        text += (text.empty() ? "" : " ") + to_text(share.device);
    }
    return text;
}

void check_rows(const std::vector<CommonRow>& rows) {
    for (const CommonRow& row : rows) {
        INFO(row.why);
        CHECK(common_answer(row) == row.expected);
    }
}

}  // namespace

TEST_CASE("fit: devices that have a built-in attribute in common", "[alloc]") {
    check_rows({
        {"2s4c gpu:4",
         {{"numa", {}}},
         "2 3",
         "one of the first domain is in use",
         both(asks(2), takes({0}))},
        {"2s4c gpu:4", {}, "1 2", "nothing has to be in common", both(asks(2), takes({0}))},
        {"2s4c gpu:4",
         {{"numa", {}}},
         "device_attributes: asked 3 gpu of one numa, at most 2 gpu free of one (numa 0)",
         "two are near each domain",
         asks(3)},
        {"2s4c gpu:4",
         {{"numa", {}}},
         "device_attributes: asked 2 gpu of one numa, at most 1 gpu free of one (numa 0)",
         "one of each domain is free",
         both(asks(2), takes({0, 2}))},
        {"2s4c numa=2 gpu:4", {{"package", {}}}, "0 1", "of one package", asks(2)},
        {"2s4c gpu:3@any gpu:2@s1",
         {{"numa", {}}},
         "0 1 2 3 4",
         "near to all cores is near to each domain",
         asks(5)},
        {"4c gpu:2",
         {{"l3", {}}},
         "0 1",
         "a level that the node does not tell is one group",
         asks(2)},
        {"4c gpu:2@switch0@switch1 gpu:2@switch0@switch2",
         {{"switch", {}}},
         "0 1 2 3",
         "any switch above both",
         asks(4)},
        {"4c gpu:2@switch0 gpu:2@switch1",
         {{"root_switch", {}}},
         "2 3",
         "the outermost",
         both(asks(2), takes({1}))},
        {"4c gpu:2 gpu:1@switch0",
         {{"switch", {}}},
         "device_attributes: asked 2 gpu of one switch, at most 1 gpu free of one (switch 0)",
         "no switch above the first two",
         asks(2)},
        {"4c gpu:4@nvlink-pairs",
         {{"island", {}}},
         "2 3",
         "two islands",
         both(asks(2), takes({0}))},
        {"4c gpu:4@nvlink-pairs",
         {{"island", {}}},
         "device_attributes: asked 3 gpu of one island, at most 2 gpu free of one (island 0)",
         "no island has three",
         asks(3)},
        {"4c gpu:3",
         {{"island", {}}},
         "0 2",
         "connected over a third, which is in use",
         both(both(asks(2), links({{0, 1}, {1, 2}})), takes({1}))},
        {"4c gpu:3", {{"island", {}}}, "0", "a device without links is an island", asks(1)},
        {"4c gpu:a100:1 gpu:h100:2", {{"type", {}}}, "1 2", "two of one type", asks(2)},
        {"4c gpu:2",
         {{"type", {}}},
         "device_attributes: asked 1 gpu of one type, no device of the node has this attribute",
         "untyped devices have no type",
         asks(1)},
        {"4c gpu:3",
         {{"model", {}}},
         "0 2",
         "models without regard to case",
         both(asks(2),
              [](FitCase& c) {
                  c.shape.devices[0].model = "H100";
                  c.shape.devices[1].model = "L4";
                  c.shape.devices[2].model = "h100";
              })},
        {"4c gpu:3",
         {{"vendor", {}}},
         "1 2",
         "of one vendor",
         both(asks(2),
              [](FitCase& c) {
                  c.shape.devices[0].vendor = "amd";
                  c.shape.devices[1].vendor = c.shape.devices[2].vendor = "nvidia";
              })},
    });
}

TEST_CASE("fit: devices that have an attribute of the caller's in common", "[alloc]") {
    check_rows({
        {"4c gpu:4",
         {{"rack", {}}},
         "1 3",
         "of one value",
         both(asks(2), has("rack", {"a", "b", "c", "b"}))},
        {"4c gpu:4",
         {{"rack", {}}},
         "2 3",
         "a device without the attribute is never chosen",
         both(asks(2), has("rack", {"a", "-", "b", "b"}))},
        {"4c gpu:3",
         {{"rack", {}}},
         "device_attributes: asked 1 gpu of one rack, no device of the node has this attribute",
         "nor is one alone",
         asks(1)},
        {"4c gpu:3",
         {{"rack", {}}},
         "0 1 2",
         "one value of each list",
         both(asks(3), has("rack", {"a,b", "b,c", "c,b"}))},
        {"4c gpu:3",
         {{"rack", {}}},
         "device_attributes: asked 3 gpu of one rack, at most 2 gpu free of one (rack a)",
         "each two have a value in common, all three have none",
         both(asks(3), has("rack", {"a,b", "b,c", "c,a"}))},
        {"4c gpu:2",
         {{"rack", {}}},
         "0 1",
         "numbers compare as numbers",
         both(asks(2), has("rack", {"1", "1.0"}))},
        {"2s4c gpu:4",
         {{"numa", {}}},
         "1 2",
         "the caller's attribute takes the place of the built-in one, on the devices that have it",
         both(asks(2), has("numa", {"7", "8", "8", "9"}))},
        {"4c gpu:4",
         {{"rack", {}}, {"row", {}}},
         "1 3",
         "two attributes at once",
         both(both(asks(2), has("rack", {"a", "a", "b", "a"})), has("row", {"1", "2", "2", "2"}))},
        {"4c gpu:4",
         {{"rack", {}}, {"row", {}}},
         "device_attributes: asked 2 gpu of one rack and 2 gpu of one row, free are enough for "
         "each, but not for all at once: at most 1 gpu",
         "each attribute by itself would do",
         both(both(asks(2), has("rack", {"a", "a", "b", "b"})), has("row", {"1", "2", "1", "2"}))},
    });
}

TEST_CASE("fit: what has to be in common for some of the demands", "[alloc]") {
    const char* const node = "2s4c gpu:4 nic:2";  // devices 0-3, 4 and 5
    check_rows({
        {node,
         {{"numa", {}}},
         "2 3 5",
         "the interface near two free ones",
         both(asks(2, 1), takes({0}))},
        {node,
         {{"numa", {"gpu"}}},
         "2 3 4",
         "the interface may lie anywhere",
         both(asks(2, 1), takes({0}))},
        {node,
         {{"numa", {"gpu"}}, {"numa", {"nic"}}},
         "2 3 4",
         "each by itself",
         both(asks(2, 1), takes({0}))},
        {node,
         {{"numa", {}}},
         "device_attributes: asked 2 gpu, 1 nic of one numa, at most 1 gpu, 1 nic free of one "
         "(numa 0)",
         "GPUs here, the interface there",
         both(asks(2, 1), takes({0, 5}))},
        {node, {{"numa", {"nic"}}}, "0 1 2", "the interface is not asked for", asks(3)},
        {node,
         {{"numa", {}}},
         "0 1",
         "as many as are of one domain",
         [](FitCase& c) {
             c.demand.devices = {demand_for("gpu", Range<Count>::between(Count(1), Count(4)))};
             c.demand.devices[0].request.prefer = DeviceRequest::Prefer::most;
         }},
        {node,
         {{"rack", {}}},
         "",
         "none are enough",
         [](FitCase& c) {
             c.demand.devices = {demand_for("gpu", Range<Count>::between(Count(0), Count(4)))};
             c.demand.devices[0].request.prefer = DeviceRequest::Prefer::most;
         }},
        {"2s4c gpu:4",
         {{"numa", {}}},
         "2 3",
         "two of a domain for each of two demands",
         both(asks(1),
              [](FitCase& c) {
                  c.demand.devices.push_back(demand_for("gpu", just(1)));
                  c.taken.devices = {{DeviceId(1), Count(1)}};
              })},
        {"2s4c gpu:4/1000",
         {{"numa", {}}},
         "2 3",
         "shares of all together",
         [](FitCase& c) {
             c.demand.devices = {demand_for("gpu", Range<Count>::at_least(Count(1)))};
             c.demand.devices[0].request.shares = Count(1500);
             c.demand.devices[0].request.shares_per = Per::node;
             c.taken.devices = {{DeviceId(0), Count(600)}};
         }},
        {"2s4c gpu:4/1000",
         {{"numa", {}}},
         "device_attributes: asked 2500 shares of gpu in all of one numa, at most 2000 shares of "
         "gpu in all free of one (numa 0)",
         "in the units of the request",
         [](FitCase& c) {
             c.demand.devices = {demand_for("gpu", Range<Count>::at_least(Count(1)))};
             c.demand.devices[0].request.shares = Count(2500);
             c.demand.devices[0].request.shares_per = Per::node;
         }},
        {"2s4c gpu:2",
         {{"numa", {}}},
         "1 1",
         "instances of one device, or of one domain",
         [](FitCase& c) {
             for (Device& device : c.shape.devices)
                 device.slicing = Slicing{small_geometry(), {}, false};
             c.demand.devices = {demand_for("gpu", just(2))};
             c.demand.devices[0].request.slice = "1g";
             c.taken.devices = {{DeviceId(0), Count(1), Slicing::Instance{0, 2, "2g"}}};
         }},
        {"2s4c gpu:4",
         {{"numa", {}}},
         "2 3",
         "a whole node too",
         both(asks(2),
              [](FitCase& c) {
                  c.demand.exclusivity = Exclusivity::whole_node;
                  c.shape.devices[0].health = Health::failure;
              })},
        {"2s4c gpu:4",
         {{"numa", {}}},
         "2 3",
         "devices that are counted per task",
         both(asks(2),
              [](FitCase& c) {
                  c.demand.tasks = Count(2);
                  c.demand.devices[0].request.per = Per::task;
                  c.shape.devices[1].is_drained = true;
              })},
    });
}

TEST_CASE("fit: what is in common is searched as the oracle does", "[alloc][law]") {
    Tally tally;
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(6'000u)}, [&](Choices& choices) {
        const FitCase one = any_common_case(choices);
        tally.add(agrees(one));
    });
}

TEST_CASE("law: what is in common is monotone, and less of it never turns yes into no", "[law]") {
    std::uint64_t yes = 0;
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(3'000u)}, [&](Choices& choices) {
        FitCase one = any_common_case(choices);
        one.demand.distribution = Distribution::block;
        one.demand.tasks_per_socket = Count();
        const auto fits = [&] {
            return fit(one.shape, one.ledger(), one.demand, one.options).has_value();
        };
        if (!fits()) return;
        ++yes;
        INFO(to_text(one));
        const NodePlacement taken = one.taken;
        one.taken.devices.clear();
        CHECK(fits());
        one.taken = taken;
        one.demand.common_attributes.pop_back();
        CHECK(fits());
    });
    CHECK(yes > test_rounds(300u));
}

TEST_CASE("fit: many devices of many values are answered within the budget", "[alloc]") {
    FitCase one;
    one.shape.hardware = plain_cores(8);
    for (std::uint32_t i = 0; i < 128; ++i) {
        Device device = plain_gpu(i);
        device.attributes = {{"board", std::to_string(i / 4)}, {"lane", std::to_string(i % 16)}};
        one.shape.devices.push_back(device);
        device.name = "nic";
        device.index = i;
    }
    for (std::uint32_t i = 0; i < 126; i += 4) {  // two of each board are free
        one.taken.devices.push_back({DeviceId(i), Count(1)});
        one.taken.devices.push_back({DeviceId(i + 2), Count(1)});
    }
    one.demand.common_attributes = {{"board", {}}};
    one.demand.devices = {demand_for("gpu", just(2))};
    const auto two = fit(one.shape, one.ledger(), one.demand, one.options);
    REQUIRE(two.has_value());
    CHECK(two->devices[0].device == DeviceId(1));
    CHECK(two->devices[1].device == DeviceId(3));
    one.demand.devices = {demand_for("gpu", just(3))};
    const auto three = fit(one.shape, one.ledger(), one.demand, one.options);
    REQUIRE_FALSE(three.has_value());
    CHECK(three.refusal().reason ==
          "asked 3 gpu of one board, at most 2 gpu free of one (board 0)");
    one.demand.common_attributes.push_back({"lane", {}});
    one.demand.devices = {demand_for("gpu", just(2))};
    CHECK_FALSE(fit(one.shape, one.ledger(), one.demand, one.options).has_value());
}

TEST_CASE("values_of: numbers compare as numbers, and a device's own values come first",
          "[alloc]") {
    NodeShape shape = *testing::node_from_text("2s4c gpu:3").value().shape;
    shape.devices[0].attributes = {{"numa", "1.0"}, {"numa", "5"}};
    const auto values = detail::values_of(shape, "numa");
    REQUIRE(values.size() == 3);
    CHECK(values[0].text == "1.0");
    CHECK(values[0].devices == DeviceSet::of({DeviceId(0), DeviceId(2)}));
    CHECK(values[1].text == "5");
    CHECK(values[2].text == "0");
    CHECK(detail::values_of(shape, "unknown").empty());
}

TEST_CASE("explain_fit: what has to be in common is a condition that can be dropped", "[alloc]") {
    const NodeShape shape = *testing::node_from_text("2s4c gpu:4").value().shape;
    NodeDemand demand;
    demand.devices = {demand_for("gpu", just(3))};
    demand.common_attributes = {{"numa", {}}};
    CHECK(to_text(explain_fit(shape, NodeLedger(shape), demand)) ==
          "does not fit, device_attributes: asked 3 gpu of one numa, at most 2 gpu free of one "
          "(numa 0)\n"
          "gpu: 3 asked; of 4, 2 after not of one numa\n"
          "3 gpu and gpu of one numa: not to be had at once\n"
          "fits: gpu of more than one numa\n"
          "fits: 2 gpu instead of 3");
}

TEST_CASE("explain_fit: islands are there when conditions are dropped", "[alloc]") {
    NodeShape shape = *testing::node_from_text("4c gpu:4@nvlink-pairs").value().shape;
    NodeDemand demand;
    demand.devices = {demand_for("gpu", just(2))};
    demand.common_attributes = {{"island", {}}};
    shape.devices[0].is_drained = shape.devices[2].is_drained = true;
    CHECK(to_text(explain_fit(shape, NodeLedger(shape), demand)) ==
          "does not fit, device_attributes: asked 2 gpu of one island, at most 1 gpu free of one "
          "(island 0)\n"
          "gpu: 2 asked; of 4, 2 after drained: gpu 0,2, 1 after not of one island\n"
          "2 gpu and gpu of one island: not to be had at once\n"
          "fits: gpu of more than one island\n"
          "fits: 1 gpu instead of 2\n"
          "fits: with gpu 0 back in use\n"
          "fits: with gpu 2 back in use");
}

}  // namespace trestle
