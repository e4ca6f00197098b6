// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/node_offer.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/alloc/market/split.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

NodeShape machine() {
    auto node = testing::node_from_text("2s16c2t mem=512G gpu:a100:4");
    REQUIRE(node.ok());
    NodeShape shape = *node->shape;
    for (Device& device : shape.devices) {
        device.vendor = "nvidia";
        device.model = "NVIDIA A100-SXM4-80GB";
        device.memory = mib(81'251);  // what the driver says of one with 80 GB
    }
    return shape;
}

Node node_of(NodeShape shape) {
    Node node;
    node.name = "n1";
    node.shape = std::move(shape);
    return node;
}

}  // namespace

TEST_CASE("offer_of: a node is an instance that costs nothing", "[alloc]") {
    NodeShape shape = machine();
    shape.disk = gib(900);
    const Offer offer = offer_of(node_of(shape));
    CHECK(offer.instance == "n1");
    CHECK(offer.price == Microdollars());
    CHECK(offer.cpus == Count(64));
    CHECK(offer.memory == shape.ordinary_memory());
    CHECK(offer.disk == gib(900));
    CHECK(offer.availability == Offer::Availability::idle);
    CHECK(offer.devices ==
          std::vector<Offer::Devices>{{"gpu", "nvidia", "A100", gib(80), Count(4), Version{8, 0}}});
    shape.disk = Bytes();
    CHECK(!offer_of(node_of(shape)).disk);
}

TEST_CASE("offer_of: devices that differ are kinds of their own", "[alloc]") {
    NodeShape shape = machine();
    shape.devices[1].model = "Tesla T4";
    shape.devices[1].memory = mib(15'360);
    shape.devices[2].model = "A card of ours";
    shape.devices[2].vendor = "";
    shape.devices[2].memory = mib(1'000);
    const Offer offer = offer_of(node_of(shape));
    REQUIRE(offer.devices.size() == 3);
    CHECK(offer.devices[0].count == Count(2));
    CHECK(offer.devices[1].model == "T4");
    CHECK(offer.devices[1].memory == gib(16));
    CHECK(offer.devices[1].compute_capability == Version{7, 5});
    CHECK(offer.devices[2] ==
          Offer::Devices{"gpu", "", "A card of ours", mib(1'000), Count(1), std::nullopt});
}

TEST_CASE("offer_of: a node is cut as its machine is, whatever devices it has", "[alloc]") {
    const auto node = testing::node_from_text("2s16c mem=512G gpu:a100-80G:8 nic:cx7:1");
    REQUIRE(node.ok());
    const Offer offer = offer_of(*node);
    CHECK(offer.devices.size() == 2);
    CHECK(even_blocks(offer) == Count(8));
    CHECK(even_blocks(offer) == even_blocks(*node->shape));
    CHECK_FALSE(check_blocks(with_blocks(offer, BlockCount{true, {}})).has_value());
}

TEST_CASE("offer_of: a known model has its vendor, whatever the machine calls it", "[alloc]") {
    struct Row {
        const char* vendor;
        const char* model;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"habana", "Gaudi2", "intel", "the name behind the PCI id"},
        {"", "Gaudi3", "intel", "nobody said"},
        {"NVIDIA", "NVIDIA A100-SXM4-80GB", "nvidia", "a driver's spelling"},
        {"habana", "Goya", "habana", "an unknown model keeps what the machine says"},
    };
    for (const Row& row : rows) {
        INFO(row.model << ": " << row.why);
        NodeShape shape = machine();
        for (Device& device : shape.devices) {
            device.vendor = row.vendor;
            device.model = row.model;
        }
        CHECK(offer_of(shape).devices.at(0).vendor == row.expected);
    }
}

TEST_CASE("offer_of: what takes no work is not offered", "[alloc]") {
    NodeShape shape = machine();
    shape.devices[0].health = Health::failure;
    shape.devices[1].is_drained = true;
    shape.devices[2].health = Health::warning;
    shape.system_cores.insert(CoreId(0));
    shape.memory[0].reserved = gib(1);
    Node node = node_of(shape);
    Offer offer = offer_of(node);
    CHECK(offer.devices.at(0).count == Count(2));
    CHECK(offer.cpus == Count(62));
    CHECK(offer.memory == shape.total_memory() - gib(1));
    CHECK(offer.is_available());
    node.state = NodeState::drained;
    CHECK(offer_of(node).availability == Offer::Availability::not_available);
    node.state = NodeState::up;
    node.health = Health::failure;
    CHECK_FALSE(offer_of(node).is_available());
}

TEST_CASE("offer_of: a device without model is known by its type", "[alloc]") {
    NodeShape shape = machine();
    for (Device& device : shape.devices) device.model.clear();
    const Offer offer = offer_of(node_of(shape));
    CHECK(offer.devices.at(0).model == "A100");
    CHECK(offer.devices.at(0).memory == gib(80));
}

}  // namespace trestle
