// SPDX-License-Identifier: Apache-2.0
// Plans of runs are those of an oracle that looks at every set of nodes, and assign nothing twice.
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/oracle_run_plan.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/market/owners.hpp"
#include "trestle/alloc/market/split.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/dialect/dstack/run/plan.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

using testing::Choices;
using testing::for_random_choices;

/// Reservations may be anywhere, as in the oracle.
dstack::MatchOptions any_reservation() {
    dstack::MatchOptions options;
    options.has_more_reservations = true;
    return options;
}

Offer any_offer(Choices& choices) {
    Offer offer;
    offer.backend = choices.of<std::string>({"aws", "aws", "lambda"});
    offer.region = choices.of<std::string>({"r1", "r1", "r2"});
    offer.cpus = Count(choices.of<std::int64_t>({4, 8, 8, 12}));
    offer.memory = gib(choices.of<std::int64_t>({16, 32, 33}));
    offer.price = Microdollars(choices.of<std::int64_t>({0, 1, 1, 2}));
    offer.is_spot = choices.one_in(6);
    const std::int64_t gpus = choices.of<std::int64_t>({0, 2, 4});
    if (gpus > 0) offer.devices = {{"gpu", "nvidia", "A100", gib(40), Count(gpus), {}}};
    if (choices.one_in(2)) offer.availability_zones = {choices.of<std::string>({"a", "b"})};
    return offer;
}

Instance any_instance(Choices& choices, const std::string& name, const std::string& fleet) {
    Instance instance;
    instance.name = name;
    instance.fleet = fleet;
    instance.offer = any_offer(choices);
    const Count blocks = choices.one_in(2) ? Count(1) : even_blocks(instance.offer);
    instance.offer.blocks = blocks;
    instance.blocks = HostBlocks::unseen(blocks);
    for (auto& owner : instance.blocks.owners) {
        if (choices.one_in(4)) owner = OwnerId(100 + choices.below(2));
    }
    const auto state = choices.below(8);
    if (state == 0) instance.state = Instance::State::provisioning;
    if (state == 1) instance.state = Instance::State::terminating;
    if (state == 2) instance.state = Instance::State::terminated;
    if (choices.one_in(4)) instance.reservation = "r";
    instance.is_reachable = !choices.one_in(8);
    if (choices.one_in(8)) instance.health = Health::failure;
    return instance;
}

/// What fleets and runs may both say of places.
dstack::Profile any_profile(Choices& choices) {
    dstack::Profile profile;
    if (choices.one_in(6)) profile.regions = {"r1"};
    if (choices.one_in(8)) profile.max_price = Microdollars(1);
    if (choices.one_in(8)) profile.availability_zones = {choices.of<std::string>({"a", "b"}), "c"};
    if (choices.one_in(10)) profile.reservation = choices.of<std::string>({"r", "r", "s"});
    if (choices.one_in(4)) profile.spot_policy = dstack::SpotPolicy::any;
    return profile;
}

PlanWorld any_world(Choices& choices) {
    PlanWorld world;
    const std::uint64_t fleets = 1 + choices.below(3);
    for (std::uint64_t i = 0; i < fleets; ++i) {
        dstack::FleetConfiguration fleet;
        fleet.name = "f" + std::to_string(i);
        const auto nodes = choices.below(4);
        if (nodes > 0) fleet.nodes.emplace();
        if (nodes > 1) fleet.nodes->max = Count(static_cast<std::int64_t>(choices.below(5)));
        if (choices.one_in(2)) fleet.placement = FleetPlacement::cluster;
        fleet.blocks.is_auto = choices.one_in(3);
        if (choices.one_in(3)) fleet.blocks = {false, Count(2)};
        if (choices.one_in(3)) fleet.resources.cpu.count = Range<Count>::at_least(Count(8));
        fleet.profile = any_profile(choices);
        const std::uint64_t instances = choices.below(4);
        for (std::uint64_t j = 0; j < instances; ++j) {
            world.instances.push_back(
                any_instance(choices, fmt::format("f{}-{}", i, j), fleet.name));
        }
        world.fleets.push_back(std::move(fleet));
    }
    const std::uint64_t offers = choices.below(4);
    std::vector<Offer> offered;
    for (std::uint64_t i = 0; i < offers; ++i) offered.push_back(any_offer(choices));
    world.catalog = Catalog::read(offered).catalog;
    return world;
}

dstack::RunConfiguration any_run(Choices& choices) {
    dstack::RunConfiguration run;
    run.nodes = Count(choices.of<std::int64_t>({1, 1, 2, 3}));
    run.resources = dstack::Resources::unconstrained();
    run.resources.cpu.count = Range<Count>::at_least(Count(choices.of<std::int64_t>({1, 3, 8})));
    run.resources.memory = Range<Bytes>::at_least(gib(choices.of<std::int64_t>({0, 9, 20})));
    const auto gpus = choices.below(4);
    if (gpus > 0) {
        const Count count(static_cast<std::int64_t>(gpus));
        run.resources.gpu->count =
            gpus == 3 ? Range<Count>::at_least(Count(1)) : Range<Count>::exactly(count);
    }
    run.profile = any_profile(choices);
    if (choices.one_in(4)) run.profile.backends = {"lambda", "aws"};
    if (choices.one_in(6)) run.profile.backends = {"aws"};
    if (choices.one_in(5)) run.profile.creation_policy = dstack::CreationPolicy::reuse;
    if (choices.one_in(6)) run.profile.fleets = {"f0"};
    return run;
}

/// What must be true of any plan.
void check_plan(const PlanWorld& world, const dstack::RunConfiguration& run,
                const dstack::RunPlan& plan) {
    REQUIRE(
        (plan.nodes.empty() || plan.nodes.size() == static_cast<std::size_t>(run.nodes.value())));
    REQUIRE(plan.has_capacity() == !plan.fleet.empty());
    std::set<std::string> names;
    for (const dstack::PlannedNode& node : plan.nodes) {
        REQUIRE(names.insert(node.share.instance).second);
        REQUIRE(run.resources.cpu.count.contains(node.share.cpus));
        REQUIRE(run.resources.memory.contains(node.share.memory));
        if (run.nodes > Count(1)) REQUIRE(node.share.is_whole());
    }
    for (const dstack::FleetAnswer& answer : plan.fleets) {
        INFO(to_text(answer));
        REQUIRE((answer.has_capacity || (answer.reuse && answer.creation)));
        REQUIRE((answer.fleet != plan.fleet || answer.has_capacity));
    }
    const auto after = dstack::apply_plan(world.instances, plan);
    INFO(message(after.status()));
    REQUIRE(after.ok());
    for (const dstack::FleetConfiguration& fleet : world.fleets) {
        if (fleet.name != plan.fleet || plan.created.empty()) continue;
        const auto live = std::count_if(after->begin(), after->end(), [&](const Instance& one) {
            return one.fleet == fleet.name && one.state != Instance::State::terminated;
        });
        REQUIRE((!fleet.nodes->max || Count(live) <= *fleet.nodes->max));
    }
    if (!plan.has_capacity()) return;
    REQUIRE_FALSE(dstack::apply_plan(*after, plan).ok());
    const auto released = dstack::release_run(*after, plan.owner);
    REQUIRE(released.ok());
    REQUIRE(std::equal(world.instances.begin(), world.instances.end(), released->begin()));
}

}  // namespace

TEST_CASE("dstack plan: the same as of every set of nodes", "[dialect][dstack][law]") {
    std::uint64_t reused = 0;
    std::uint64_t made = 0;
    std::uint64_t gangs = 0;
    INFO("seed " << test_seed());
    for_random_choices({test_seed(), test_rounds(6'000u)}, [&](Choices& choices) {
        const PlanWorld world = any_world(choices);
        const dstack::RunConfiguration run = any_run(choices);
        const auto plan = dstack::plan_run(world.fleets, world.instances, world.catalog, run,
                                           OwnerId(1), any_reservation());
        INFO(message(plan.status()));
        REQUIRE(plan.ok());
        REQUIRE(plan_text(*plan) == oracle_plan(world, run));
        check_plan(world, run, *plan);
        if (!plan->has_capacity()) return;
        made += plan->created.empty() ? 0u : 1u;
        reused += plan->created.size() < plan->nodes.size() ? 1u : 0u;
        gangs += plan->nodes.size() > 1 ? 1u : 0u;
    });
    CHECK(reused > test_rounds(200u));
    CHECK(made > test_rounds(200u));
    CHECK(gangs > test_rounds(50u));
}

TEST_CASE("dstack plan: runs one after the other never share a block", "[dialect][dstack][law]") {
    INFO("seed " << test_seed());
    for_random_choices({test_seed() + 1, test_rounds(200u)}, [&](Choices& choices) {
        PlanWorld world = any_world(choices);
        for (auto& fleet : world.fleets) {
            if (fleet.nodes && !fleet.nodes->max) fleet.nodes->max = Count(4);
        }
        std::vector<std::uint64_t> running;
        for (std::uint64_t owner = 1; owner <= 20; ++owner) {
            if (!running.empty() && choices.one_in(4)) {
                auto after = dstack::release_run(world.instances, OwnerId(running.back()));
                REQUIRE(after.ok());
                running.pop_back();
                world.instances = *std::move(after);
            }
            const auto run = any_run(choices);
            const auto plan = dstack::plan_run(world.fleets, world.instances, world.catalog, run,
                                               OwnerId(owner), any_reservation());
            REQUIRE(plan.ok());
            auto after = dstack::apply_plan(world.instances, *plan);
            REQUIRE(after.ok());
            for (const dstack::PlannedNode& node : plan->nodes) {
                const auto before =
                    std::find_if(world.instances.begin(), world.instances.end(),
                                 [&](const auto& one) { return one.name == node.share.instance; });
                const bool is_new = before == world.instances.end();
                REQUIRE(is_new == node.offer.has_value());
                if (!is_new) REQUIRE(before->blocks.free().contains_all(node.share.blocks));
            }
            if (plan->has_capacity()) running.push_back(owner);
            world.instances = *std::move(after);
        }
    });
}

}  // namespace trestle
