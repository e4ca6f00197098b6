// SPDX-License-Identifier: Apache-2.0
// Plans and the state: what a plan makes, what it is applied to, and every error of both.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/run_plan_rows.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/run/plan.hpp"

namespace trestle {
namespace {

/// A host of 8 CPUs in 4 blocks.
Instance plain_instance(const std::string& name) {
    Instance instance;
    instance.name = name;
    instance.fleet = "f";
    instance.offer.cpus = Count(8);
    instance.offer.memory = gib(64);
    instance.offer.blocks = Count(4);
    instance.blocks = HostBlocks::unseen(Count(4));
    return instance;
}

struct StateWorld {
    std::vector<dstack::FleetConfiguration> fleets{1};
    std::vector<Instance> instances;
    std::vector<Offer> offers;
    dstack::RunConfiguration run;

    StateWorld() {
        fleets[0].name = "f";
        fleets[0].nodes.emplace();
        fleets[0].blocks.count = Count(2);
        Offer offer = plain_instance("x").offer;
        offer.backend = "aws";
        offer.blocks = Count(1);
        offers.push_back(offer);
        run.resources.disk.reset();
    }
    [[nodiscard]] StatusOr<dstack::RunPlan> plan(std::uint64_t owner) const {
        dstack::MatchOptions options;
        options.reservations = {{"r", "", "", ""}};
        return dstack::plan_run(fleets, instances, Catalog::read(offers).catalog, run,
                                OwnerId(owner), options);
    }
};

}  // namespace

TEST_CASE("dstack plan: instances made for a job have the blocks of their fleet",
          "[dialect][dstack]") {
    StateWorld world;
    world.instances = {plain_instance("f-0")};
    world.instances[0].state = Instance::State::terminated;
    world.fleets[0].profile.availability_zones = {"a", "b"};
    world.run.profile.availability_zones = {"b", "c"};
    world.run.profile.reservation = "r";
    world.offers[0].availability_zones = {"a", "b"};
    const auto plan = world.plan(1);
    REQUIRE(plan.ok());
    REQUIRE(plan->created.size() == 1);
    const Instance& made = plan->created[0];
    CHECK(made.name == "f-1");
    CHECK(made.fleet == "f");
    CHECK(made.state == Instance::State::provisioning);
    CHECK(made.offer.availability_zones == std::vector<std::string>{"b"});
    CHECK(made.offer.disk == gib(100));
    CHECK(made.reservation == "r");
    CHECK(made.blocks == HostBlocks::unseen(Count(2)));
    CHECK(plan->nodes[0].share.cpus == Count(4));
    CHECK(plan->nodes[0].share.memory == gib(32));
    CHECK(plan->nodes[0].share.availability_zones == made.offer.availability_zones);
    CHECK(plan->nodes[0].offer == 0u);

    auto after = dstack::apply_plan(world.instances, *plan);
    REQUIRE(after.ok());
    world.instances = *std::move(after);
    world.run.profile = {};
    const auto second = world.plan(2);
    REQUIRE(second.ok());
    CHECK(second->created.empty());
    CHECK(to_text(second->nodes.at(0).share.blocks) == "1");
    after = dstack::apply_plan(world.instances, *second);
    REQUIRE(after.ok());
    world.instances = *std::move(after);
    const auto third = world.plan(3);
    REQUIRE(third.ok());
    CHECK(third->created.at(0).name == "f-2");
}

TEST_CASE("dstack plan: a plan made before another was applied is refused", "[dialect][dstack]") {
    StateWorld world;
    world.instances = {plain_instance("f-0")};
    const auto first = world.plan(1);
    const auto second = world.plan(2);
    REQUIRE((first.ok() && second.ok()));
    auto after = dstack::apply_plan(world.instances, *first);
    REQUIRE(after.ok());
    const auto again = dstack::apply_plan(*after, *second);
    CHECK(again.status().code() == refused);
    CHECK(message(again.status()) == "instance f-0: block 0 belongs to owner 1");

    std::vector<Instance> gone;
    CHECK(message(dstack::apply_plan(gone, *first).status()) ==
          "instance f-0: it is no longer there");
    CHECK(dstack::apply_plan(gone, *first).status().code() == absent);
    std::vector<Instance> ending = world.instances;
    ending[0].state = Instance::State::terminating;
    CHECK(message(dstack::apply_plan(ending, *first).status()) ==
          "instance f-0: it no longer takes work");

    std::vector<Instance> uncut = world.instances;
    uncut[0].shape = testing::node_from_text("8c mem=64G")->shape;
    CHECK(dstack::apply_plan(uncut, *first).status().code() == invalid);
    CHECK(message(dstack::apply_plan(uncut, *first).status()) ==
          "instance f-0: expected a shape and how it is cut, or neither");

    world.instances.clear();
    const auto made = world.plan(1);
    const auto made_too = world.plan(2);
    REQUIRE((made.ok() && made_too.ok()));
    after = dstack::apply_plan({}, *made);
    REQUIRE(after.ok());
    const auto twice = dstack::apply_plan(*after, *made_too);
    CHECK(twice.status().code() == StatusCode::kAlreadyExists);
    CHECK(message(twice.status()) == "instance f-0: there is one already");
}

TEST_CASE("dstack plan: blocks that were sold by the CPU are found on the machine",
          "[dialect][dstack]") {
    struct Row {
        const char* fleet;
        const char* machine;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"blocks: auto", "8c2t mem=64G disk=1T", "3 of 16: 3 CPUs", "offers know no cores"},
        {"blocks: 16", "2s4c2t mem=64G disk=1T", "3 of 16: 3 CPUs", "the same said"},
        {"blocks: 16", "16c mem=64G disk=1T", "3 of 16: 3 CPUs", "a core is a CPU"},
        {"blocks: 4", "8c2t mem=64G disk=1T", "1 of 4: 4 CPUs", "cores that divide stay whole"},
        {"blocks: auto", "8c2t mem=64G disk=1T system=0",
         "error: instance f-0: 7 cores with 2 CPUs each do not divide into 16 blocks; 7 is the "
         "most that everything divides into",
         "fewer CPUs than were sold"},
    };
    for (const Row& row : rows) {
        INFO(row.fleet << ", " << row.machine << ": " << row.why);
        StateWorld world;
        world.fleets = {testing::fleet_of(std::string("name: f\nnodes: 0..2\n") + row.fleet)};
        world.offers = {testing::priced("c", 1, 16, 64, 0)};
        world.run = testing::run_of("resources: {cpu: 3.., memory: 0.., disk: 100GB..}");
        const auto plan = world.plan(1);
        REQUIRE(plan.ok());
        REQUIRE(plan->has_capacity());
        auto after = dstack::apply_plan({}, *plan);
        REQUIRE(after.ok());
        Instance& instance = after->at(0);
        const auto node = testing::node_from_text(row.machine);
        REQUIRE(node.ok());
        const Status status = look_at(instance, *node->shape);
        if (!status.ok()) {
            CHECK("error: " + std::string(message(status)) == row.expected);
            continue;
        }
        REQUIRE(check(instance).ok());
        const BlockSet mine = instance.blocks.blocks_of(OwnerId(1));
        const Instance::Share share = share_of(instance, mine);
        CHECK(fmt::format("{} of {}: {} CPUs", mine.count(), share.total_blocks,
                          share.threads.count()) == row.expected);
        CHECK(share.cpus == Count(share.threads.count()));
        PuSet all;
        for (const BlockId block : instance.blocks.all()) {
            const PuSet threads =
                share_of(instance, BlockSet::range({block.value(), block.value() + 1})).threads;
            CHECK_FALSE(all.intersects(threads));
            all |= threads;
        }
        CHECK(all.count() == 16);
        REQUIRE(look_at(instance, *node->shape).ok());
        CHECK(share_of(instance, mine) == share);
    }
}

TEST_CASE("dstack plan: a run that ends frees its blocks once", "[dialect][dstack]") {
    StateWorld world;
    world.instances = {plain_instance("f-0"), plain_instance("f-1")};
    world.instances[0].blocks.owners = {OwnerId(1), OwnerId(2), OwnerId(1), std::nullopt};
    world.instances[1].blocks.owners[3] = OwnerId(1);
    const auto after = dstack::release_run(world.instances, OwnerId(1));
    REQUIRE(after.ok());
    CHECK(to_text((*after)[0].blocks.free()) == "0,2-3");
    CHECK((*after)[1].blocks.is_idle());
    const auto twice = dstack::release_run(*after, OwnerId(1));
    CHECK(twice.status().code() == absent);
    CHECK(message(twice.status()) == "owner 1 has no block");
}

TEST_CASE("dstack plan: what cannot be meant is an error", "[dialect][dstack]") {
    struct Row {
        void (*change)(StateWorld&);
        StatusCode code;
        const char* expected;
    };
    const Row rows[] = {
        {[](StateWorld& w) { w.run.nodes = Count(); }, invalid, "nodes: 0, expected 1 to 65536"},
        {[](StateWorld& w) { w.run.nodes = Count(65'537); }, invalid,
         "nodes: 65537, expected 1 to 65536"},
        {[](StateWorld& w) { w.run.nodes = Count::max(); }, invalid,
         "nodes: 9223372036854775807, expected 1 to 65536"},
        {[](StateWorld& w) { w.fleets[0].name.clear(); }, invalid, "fleet: it has no name"},
        {[](StateWorld& w) { w.fleets.push_back(w.fleets[0]); }, invalid,
         "fleet f: two have this name"},
        {[](StateWorld& w) { w.instances.push_back(w.instances[0]); }, invalid,
         "instance f-0: two have this name"},
        {[](StateWorld& w) { w.instances[0].blocks.owners.clear(); }, invalid,
         "instance f-0: 0 blocks have owners or none, its offer has 4"},
        {[](StateWorld& w) { w.instances[0].blocks.owners[2] = OwnerId(1); }, refused,
         "instance f-0: owner 1 has blocks of it already"},
        {[](StateWorld& w) {
             w.run.resources.memory = {gib(2), gib(1)};
         },
         invalid, "resources: memory: expected a rising range"},
        {[](StateWorld& w) {
             w.fleets[0].resources.memory = {gib(2), gib(1)};
         },
         invalid, "fleet f: resources: memory: expected a rising range"},
    };
    for (const Row& row : rows) {
        StateWorld world;
        world.instances = {plain_instance("f-0")};
        row.change(world);
        const auto plan = world.plan(1);
        CHECK(message(plan.status()) == row.expected);
        CHECK(plan.status().code() == row.code);
    }
}

TEST_CASE("dstack plan: absurd numbers are refused, not counted", "[dialect][dstack]") {
    StateWorld world;
    world.offers[0].cpus = Count::max();
    world.fleets[0].blocks.is_auto = true;
    const auto plan = world.plan(1);
    REQUIRE(plan.ok());
    CHECK_FALSE(plan->has_capacity());
    CHECK(plan->fleets.at(0).creation->constraint == Constraint::blocks);
}

TEST_CASE("dstack plan: the most nodes that a run may have", "[dialect][dstack][unsanitized]") {
    StateWorld world;
    world.fleets = {testing::fleet_of("name: f\nnodes: 0..\nplacement: cluster")};
    world.run.nodes = Count(dstack::run_nodes_limit);
    const auto plan = world.plan(1);
    REQUIRE(plan.ok());
    REQUIRE(plan->created.size() == 65'536);
    CHECK(plan->created.back().name == "f-65535");
    const auto after = dstack::apply_plan({}, *plan);
    REQUIRE(after.ok());
    CHECK(after->back().blocks.blocks_of(OwnerId(1)) == after->back().blocks.all());

    world.offers[0].cpus = Count(128);
    world.fleets[0].blocks.count = Count(128);
    const auto many = world.plan(1);
    CHECK(many.status().code() == invalid);
    CHECK(message(many.status()) ==
          "fleet f: new instances of 8388608 blocks together: expected 4194304 at most");

    // Groups are counted together.
    world.run.nodes = Count(40'000);
    dstack::RunGroup group;
    group.count = Range<Count>::exactly(Count(20'000));
    for (const char* name : {"a", "b"}) {
        group.name = name;
        world.run.groups.push_back(group);
    }
    CHECK(message(world.plan(1).status()) ==
          "fleet f: new instances of 5120000 blocks together: expected 4194304 at most");
    world.run.groups[0].count = Range<Count>::exactly(Count(dstack::run_nodes_limit));
    CHECK(message(world.plan(1).status()) ==
          "group b: expected at most 65536 nodes of all groups together");
    world.run.groups.clear();
    world.run.nodes = Count(2);
    CHECK(world.plan(1)->created.size() == 2);
}

}  // namespace trestle
