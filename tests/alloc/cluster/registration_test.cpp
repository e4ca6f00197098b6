// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/registration.hpp"

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

NodeShape shape_of(const std::string& text) { return *testing::node_from_text(text)->shape; }

/// The described node, of which `owner` has a core and a device each.
struct Described {
    NodeShape shape = shape_of("2s8c mem=64G disk=100G gpu:a100:4");
    NodeLedger ledger{shape};

    void give(std::uint64_t owner, std::uint32_t core, std::uint32_t device) {
        NodePlacement part;
        part.cores = CoreSet::of({CoreId(core)});
        part.devices = {{DeviceId(device)}};
        REQUIRE(ledger.take(part, OwnerId(owner)).ok());
    }
    [[nodiscard]] std::vector<std::string> lines(const NodeShape& reported) const {
        std::vector<std::string> lines;
        for (const RegistrationFinding& one : check_registration(shape, reported, ledger)) {
            lines.push_back(to_text(one));
        }
        return lines;
    }
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("Registration: a machine as described gives no finding", "[alloc]") {
    Described node;
    node.give(7, 0, 0);
    CHECK(node.lines(node.shape).empty());
    CHECK(worst_of(check_registration(node.shape, node.shape, node.ledger)) ==
          RegistrationFinding::Consequence::ignore);
}

TEST_CASE("Registration: one row a difference, with nothing in use", "[alloc]") {
    struct Row {
        const char* reported;
        const char* finding;
        const char* reason;
    };
    const Row rows[] = {
        {"2s7c mem=64G disk=100G gpu:a100:4", "drain: cores: 16 described, 14 reported",
         "fewer cores than work would be given"},
        {"2s9c mem=64G disk=100G gpu:a100:4", "ignore: cores: 16 described, 18 reported",
         "nobody is given the two more"},
        {"2s8c2t mem=64G disk=100G gpu:a100:4", "ignore: cpus: 16 described, 32 reported",
         "hyperthreads that the description leaves out"},
        {"2s8c mem=63G disk=100G gpu:a100:4",
         "drain: memory: 68719476736 bytes described, 67645734912 bytes reported",
         "a module of memory is gone"},
        {"2s8c mem=64G disk=90G gpu:a100:4",
         "drain: disk: 107374182400 bytes described, 96636764160 bytes reported", "a smaller disk"},
        {"2s8c mem=64G disk=100G gpu:a100:3", "drain: device_count of gpu: 4 described, 3 reported",
         "a GPU fell off the bus"},
        {"2s8c mem=64G disk=100G", "drain: device_count of gpu: 4 described, 0 reported",
         "the driver does not run"},
        {"2s8c mem=64G disk=100G gpu:a100:5",
         "ignore: device_count of gpu: 4 described, 5 reported", "the fifth is nobody's"},
        {"2s8c mem=64G disk=100G gpu:a100:4 nic:1",
         "ignore: device_count of nic: 0 described, 1 reported", "a name nobody described"},
    };
    const Described node;
    for (const Row& row : rows) {
        INFO(row.reason);
        CHECK(node.lines(shape_of(row.reported)) == Lines{row.finding});
    }
}

TEST_CASE("Registration: what an owner has may not go or change", "[alloc]") {
    Described node;
    node.give(9, 0, 3);
    node.give(7, 15, 2);
    CHECK(node.lines(shape_of("2s8c mem=64G disk=100G gpu:a100:3")) ==
          Lines{"refuse: device_count of gpu: 4 described, 3 reported, owner 9 has it"});
    CHECK(node.lines(shape_of("2s8c mem=64G disk=100G gpu:a100:2")) ==
          Lines{"refuse: device_count of gpu: 4 described, 2 reported, owners 7,9 have it"});
    CHECK(node.lines(shape_of("1s8c mem=64G disk=100G gpu:a100:4")) ==
          Lines{"refuse: cores: 16 described, 8 reported, owner 7 has it"});
    CHECK(node.lines(shape_of("2s8c mem=64G disk=100G gpu:h100:4")) ==
          Lines{"drain: device_type of gpu 0: a100 described, h100 reported",
                "drain: device_type of gpu 1: a100 described, h100 reported",
                "refuse: device_type of gpu 2: a100 described, h100 reported, owner 7 has it",
                "refuse: device_type of gpu 3: a100 described, h100 reported, owner 9 has it"});
}

TEST_CASE("Registration: an untyped description takes any type", "[alloc]") {
    Described node;
    for (Device& device : node.shape.devices) device.type.clear();
    CHECK(node.lines(shape_of("2s8c mem=64G disk=100G gpu:h100:4")).empty());
}

TEST_CASE("Registration: described files have to be there, others may", "[alloc]") {
    Described node;
    NodeShape reported = node.shape;
    reported.devices[1].files = {{"/dev/gpu1", Device::File::Kind::character, 195, 1}};
    CHECK(node.lines(reported).empty());
    node.shape.devices[1].files = {{"/dev/gpu1", Device::File::Kind::character, {}, {}}};
    CHECK(node.lines(reported).empty());
    node.shape.devices[1].files.push_back({"/dev/cap1", Device::File::Kind::character, {}, {}});
    CHECK(node.lines(reported) ==
          Lines{"drain: device_file of gpu 1: /dev/cap1 described, none reported"});
    node.give(4, 1, 1);
    CHECK(worst_of(check_registration(node.shape, reported, node.ledger)) ==
          RegistrationFinding::Consequence::refuse);
}

TEST_CASE("Registration: fewer threads a core concern each owner of cores", "[alloc]") {
    Described node;
    node.shape = shape_of("2s8c2t mem=64G disk=100G gpu:a100:4");
    node.ledger = NodeLedger(node.shape);
    const NodeShape reported = shape_of("2s8c mem=64G disk=100G gpu:a100:4");
    CHECK(node.lines(reported) == Lines{"drain: cpus: 32 described, 16 reported"});
    node.give(5, 3, 0);
    CHECK(node.lines(reported) == Lines{"refuse: cpus: 32 described, 16 reported, owner 5 has it"});
}

TEST_CASE("Registration: threads of cores count whatever the number of cores", "[alloc]") {
    Described node;
    node.shape = shape_of("1s8c2t mem=64G");
    node.ledger = NodeLedger(node.shape);
    CHECK(
        node.lines(shape_of("1s12c1t mem=64G")) ==
        Lines{"ignore: cores: 8 described, 12 reported", "drain: cpus: 16 described, 8 reported"});
    CHECK(
        node.lines(shape_of("1s16c1t mem=64G")) ==
        Lines{"ignore: cores: 8 described, 16 reported", "drain: cpus: 16 described, 8 reported"});
    CHECK(node.lines(shape_of("1s6c2t mem=64G")) == Lines{"drain: cores: 8 described, 6 reported"});
    NodePlacement part;
    part.cores = CoreSet::of({CoreId(2)});
    REQUIRE(node.ledger.take(part, OwnerId(5)).ok());
    CHECK(node.lines(shape_of("1s12c1t mem=64G")) ==
          Lines{"ignore: cores: 8 described, 12 reported",
                "refuse: cpus: 16 described, 8 reported, owner 5 has it"});
}

TEST_CASE("Registration: shares of counters and parts are summed", "[alloc]") {
    Described node;
    node.shape = shape_of("1s8c mem=64G gpu:2/8 license:1/100000");
    node.ledger = NodeLedger(node.shape);
    const char* fewer = "1s8c mem=64G gpu:2/2 license:1/90000";
    CHECK(node.lines(node.shape).empty());
    CHECK(node.lines(shape_of(fewer)) ==
          Lines{"drain: device_shares of gpu: 16 described, 4 reported",
                "drain: device_shares of license: 100000 described, 90000 reported"});
    CHECK(node.lines(shape_of("1s8c mem=64G gpu:2/9 license:1/100001")) ==
          Lines{"ignore: device_shares of gpu: 16 described, 18 reported",
                "ignore: device_shares of license: 100000 described, 100001 reported"});
    CHECK(node.lines(shape_of("1s8c mem=64G gpu:2 license:1/100000")).empty());
    CHECK(node.lines(shape_of("1s8c mem=64G gpu:1/4 license:1/100000")) ==
          Lines{"drain: device_count of gpu: 2 described, 1 reported",
                "drain: device_shares of gpu: 8 described, 4 reported"});
    NodePlacement part;
    part.devices = {{DeviceId(1), Count(2)}, {DeviceId(2), Count(95000)}};
    REQUIRE(node.ledger.take(part, OwnerId(3)).ok());
    CHECK(node.lines(shape_of(fewer)) ==
          Lines{"drain: device_shares of gpu: 16 described, 4 reported",
                "refuse: device_shares of license: 100000 described, 90000 reported, owner 3 has "
                "it"});
    part.devices = {{DeviceId(1), Count(1)}};
    REQUIRE(node.ledger.take(part, OwnerId(4)).ok());
    CHECK(node.lines(shape_of(fewer)).front() ==
          "refuse: device_shares of gpu: 16 described, 4 reported, owners 3,4 have it");
}

TEST_CASE("Registration: less memory than is held concerns its owners", "[alloc]") {
    Described node;
    node.shape = shape_of("1s8c mem=64G");
    node.ledger = NodeLedger(node.shape);
    const auto give = [&](std::uint64_t owner, Bytes bytes) {
        NodePlacement part;
        part.memory = {{DomainId(0), bytes}};
        REQUIRE(node.ledger.take(part, OwnerId(owner)).ok());
    };
    give(8, gib(30));
    const NodeShape reported = shape_of("1s8c mem=32G");
    const std::string said = ": memory: 68719476736 bytes described, 34359738368 bytes reported";
    CHECK(node.lines(reported) == Lines{"drain" + said});
    give(2, gib(2));
    CHECK(node.lines(reported) == Lines{"drain" + said});
    give(6, gib(1));
    CHECK(node.lines(reported) == Lines{"refuse" + said + ", owners 2,6,8 have it"});
}

TEST_CASE("Registration: the ledger of another node is a broken contract", "[alloc][contract]") {
    const Described node;
    const NodeShape other = shape_of("2s8c gpu:a100:3");
    CHECK(broken_contract([&] {
              (void)check_registration(other, node.shape, node.ledger);
          }).find("the ledger is of a node of this shape") != std::string::npos);
}

}  // namespace trestle
