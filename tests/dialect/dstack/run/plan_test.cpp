// SPDX-License-Identifier: Apache-2.0
// Where runs go, row by row: fleets, instances and offers as dstack's files and one line each.
#include "trestle/dialect/dstack/run/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "trestle/alloc/blocks/owners.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

dstack::FleetConfiguration fleet_of(const std::string& yaml) {
    const auto file = dstack::parse_configuration("type: fleet\n" + yaml);
    INFO(yaml << ": " << message(file.status()));
    REQUIRE(file.ok());
    return *file->fleet;
}

dstack::RunConfiguration run_of(const std::string& yaml) {
    const auto file = dstack::parse_configuration("type: task\n" + yaml);
    INFO(yaml << ": " << message(file.status()));
    REQUIRE(file.ok());
    return *file->run;
}

Offer priced(const char* name, std::int64_t dollars, std::int64_t cpus, std::int64_t gib_memory,
             std::int64_t gpus) {
    Offer offer;
    offer.backend = "aws";
    offer.region = "eu";
    offer.instance = name;
    offer.cpus = Count(cpus);
    offer.memory = gib(gib_memory);
    offer.price = Microdollars(dollars * 1'000'000);
    if (gpus > 0) offer.devices = {{"gpu", "nvidia", "A100", gib(80), Count(gpus), {}}};
    return offer;
}

/// A running host of the fleet, looked at; `busy` blocks belong to owner 99.
Instance host(const std::string& name, const std::string& node, std::int64_t blocks,
              std::uint32_t busy = 0) {
    Instance instance;
    instance.name = name;
    instance.fleet = name.substr(0, name.find('-'));
    instance.offer.backend = "ssh";
    const auto parsed = testing::node_from_text(node);
    REQUIRE(parsed.ok());
    const Status status = look_at(instance, *parsed->shape, Count(blocks));
    INFO(message(status));
    REQUIRE(status.ok());
    if (instance.offer.devices.size() == 1) instance.offer.devices[0].model = "A100";
    for (std::uint32_t i = 0; i < busy; ++i) instance.blocks.owners[i] = OwnerId(99);
    return instance;
}

Instance with_change(Instance instance, void (*change)(Instance&)) {
    change(instance);
    return instance;
}

/// `fleet: instance[blocks], new name=offer[blocks]`, or the reason of each fleet.
std::string plan_line(const StatusOr<dstack::RunPlan>& plan) {
    if (!plan.ok()) return "error: " + std::string(message(plan.status()));
    if (!plan->has_capacity()) {
        std::string text;
        for (const dstack::FleetAnswer& answer : plan->fleets) {
            text += fmt::format("{}{}: {}; {}", text.empty() ? "no " : " | ", answer.fleet,
                                answer.reuse->reason, answer.creation->reason);
        }
        return text.empty() ? "no" : text;
    }
    std::string text = plan->fleet + ":";
    for (const dstack::PlannedNode& node : plan->nodes) {
        text += fmt::format(" {}{}[{}/{}]", node.share.instance,
                            node.offer ? fmt::format("={}", *node.offer) : "", node.share.blocks,
                            node.share.total_blocks);
    }
    return text;
}

constexpr const char* gpu_host = "2s64c mem=2T disk=4T gpu:a100-80G:8";
constexpr const char* one_gpu = "resources: {gpu: 1, disk: 100GB..}";

}  // namespace

TEST_CASE("dstack plan: which instance, which blocks", "[dialect][dstack]") {
    const auto ssh = fleet_of("name: f\nssh_config: {hosts: [a]}\nblocks: 8");
    struct Row {
        std::vector<Instance> instances;
        const char* run;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {{host("f-a", gpu_host, 8)}, one_gpu, "f: f-a[0/8]", "one block"},
        {{host("f-a", gpu_host, 8, 8)},
         one_gpu,
         "no f: 0 of 8 blocks are free, not 1; the fleet has the hosts that it was given",
         "busy"},
        {{host("f-a", gpu_host, 8, 1)},
         "resources: {gpu: 3}",
         "f: f-a[1-3/8]",
         "three of the socket that has three"},
        {{host("f-a", gpu_host, 8)},
         "resources: {gpu: 1, cpu: 40..}",
         "no f: asked 1 gpu, it has 8; the fleet has the hosts that it was given",
         "40 CPUs are three blocks, and three GPUs are not 1"},
        {{host("f-a", gpu_host, 8)},
         "resources: {gpu: 1.., cpu: 40..}",
         "f: f-a[0-2/8]",
         "the fewest blocks with 40 CPUs"},
        {{host("f-a", gpu_host, 1), host("f-b", gpu_host, 8)},
         "resources: {gpu: 1..}",
         "f: f-b[0/8]",
         "a block before a whole host that asks as little"},
        {{host("f-a", gpu_host, 1), host("f-b", gpu_host, 8)},
         "resources: {gpu: 8}",
         "f: f-a[0/1]",
         "both are whole: the first"},
        {{host("f-a", gpu_host, 8), host("f-b", gpu_host, 8, 5)},
         one_gpu,
         "f: f-b[5/8]",
         "the fuller host, so that the other stays whole"},
        {{host("f-a", "8c mem=64G", 8), host("f-b", "8c mem=64G", 4)},
         "resources: {cpu: 2..}",
         "f: f-a[0-1/8]",
         "two blocks of one CPU are as good as one of two: the first"},
        {{with_change(host("f-a", gpu_host, 8),
                      [](Instance& i) { i.state = InstanceState::terminating; }),
          host("f-b", gpu_host, 8)},
         one_gpu,
         "f: f-b[0/8]",
         "terminating instances take no work, also shared ones"},
        {{with_change(host("f-a", gpu_host, 8),
                      [](Instance& i) { i.state = InstanceState::provisioning; }),
          host("f-b", gpu_host, 8)},
         one_gpu,
         "f: f-b[0/8]",
         "who is running comes before who is being made"},
        {{with_change(host("f-a", gpu_host, 8),
                      [](Instance& i) { i.state = InstanceState::provisioning; })},
         one_gpu,
         "f: f-a[0/8]",
         "but is better than none"},
        {{with_change(host("f-a", gpu_host, 8), [](Instance& i) { i.is_reachable = false; })},
         one_gpu,
         "no f: f-a is unreachable; the fleet has the hosts that it was given",
         "unreachable"},
        {{with_change(host("f-a", gpu_host, 8), [](Instance& i) { i.health = Health::warning; })},
         one_gpu,
         "f: f-a[0/8]",
         "a warning is no reason"},
        {{with_change(host("f-a", gpu_host, 8), [](Instance& i) { i.health = Health::failure; }),
          with_change(host("f-b", gpu_host, 8), [](Instance& i) { i.health = Health::failure; }),
          host("f-c", gpu_host, 8, 8)},
         one_gpu,
         "no f: 3 instances: 2 node_state (f-a is failed), 1 blocks (0 of 8 blocks are free, not "
         "1); the fleet has the hosts that it was given",
         "all reasons are counted"},
        {{host("f-a", "2s4c mem=64G disk=1T gpu:a100-80G:8@warning gpu:h100-80G:8", 8)},
         "resources: {gpu: 'h100:2', disk: 100GB..}",
         "f: f-a[0-1/8]",
         "the models of a mixed host"},
        {{host("f-a", "8c mem=64G arch=arm", 4)},
         "resources: {cpu: 'arm:2'}",
         "f: f-a[0/4]",
         "arm"},
        {{host("f-a", "8c mem=64G arch=arm", 4)},
         "resources: {cpu: 'x86:2'}",
         "no f: asked x86, it is arm; the fleet has the hosts that it was given",
         "x86"},
        {{host("f-a", gpu_host, 8)},
         "nodes: 2",
         "no f: placement any, 2 nodes need cluster; placement any, 2 nodes need cluster",
         "several nodes need a cluster"},
        {{host("f-a", gpu_host, 8)},
         "regions: [eu]",
         "no f: asked region eu, it is unknown; the fleet has the hosts that it was given",
         "a host without a region is in none"},
        {{host("f-a", gpu_host, 8)},
         "fleets: [g]",
         "no f: the run asked fleet g; the run asked fleet g | g: there is no fleet g; there is no "
         "fleet g",
         "another fleet"},
        {{with_change(host("f-a", gpu_host, 8),
                      [](Instance& i) { i.availability_zones = {"eu-1a"}; })},
         "availability_zones: [eu-1b]",
         "no f: asked zone eu-1b, it is in eu-1a; the fleet has the hosts that it was given",
         "another zone"},
        {{host("f-a", gpu_host, 8)},
         "availability_zones: [eu-1b]",
         "f: f-a[0/8]",
         "a zone that nobody knows may be the one"},
        {{host("f-a", gpu_host, 8)},
         "reservation: r-1",
         "no f: asked reservation r-1, it is of none; the fleet has the hosts that it was given",
         "no reservation"},
        {{},
         one_gpu,
         "no f: the fleet has no instance; the fleet has the hosts that it was given",
         "nothing there"},
    };
    for (const Row& row : rows) {
        INFO(row.run << ": " << row.why);
        const std::vector fleets{ssh};
        CHECK(plan_line(dstack::plan_run(fleets, row.instances, {}, run_of(row.run), OwnerId(1))) ==
              row.expected);
    }
}

TEST_CASE("dstack plan: what is made", "[dialect][dstack]") {
    struct Row {
        const char* fleet;
        std::vector<Offer> offers;
        const char* run;
        const char* expected;
        const char* why;
    };
    const std::vector<Offer> usual{priced("big", 8, 64, 512, 8), priced("small", 1, 8, 64, 1),
                                   priced("cpu", 1, 8, 64, 0)};
    const auto spot = [&] {
        Offer offer = priced("spot", 0, 8, 64, 1);
        offer.is_spot = true;
        return std::vector{offer};
    }();
    const auto gone = [&] {
        Offer offer = priced("gone", 0, 8, 64, 1);
        offer.availability = Availability::no_quota;
        return std::vector{offer};
    }();
    const Row rows[] = {
        {"name: f\nnodes: 0..", usual, one_gpu, "f: f-0=1[0/1]", "the cheapest that fits"},
        {"name: f\nnodes: 0..\nblocks: 8", usual, one_gpu, "f: f-0=0[0/8]",
         "in blocks, as the fleet says: small does not divide"},
        {"name: f\nnodes: 0..\nblocks: auto", usual, one_gpu, "f: f-0=1[0/1]", "auto: 1 of 1"},
        {"name: f\nnodes: 0..\nblocks: auto",
         {priced("big", 8, 64, 512, 8)},
         "resources: {gpu: 2}",
         "f: f-0=0[0-1/8]",
         "auto: 2 of 8"},
        {"name: f\nnodes: 0..\nresources: {gpu: 8}\nblocks: 8", usual, one_gpu, "f: f-0=0[0/8]",
         "the fleet's wishes are for the whole instance"},
        {"name: f\nnodes: 0..\nresources: {gpu: 8}", usual, one_gpu,
         "no f: the fleet has no instance; 3 offers: 2 device_attributes (asked 1 gpu, "
         "it has 8), 1 devices (asked 1 gpu, it has none)",
         "without blocks the run would get all 8"},
        {"name: f\nnodes: 0..\nbackends: [gcp]", usual, one_gpu,
         "no f: the fleet has no instance; 3 offers: 3 candidates (for the fleet: asked backend "
         "gcp, "
         "it is aws)",
         "the fleet's backends"},
        {"name: f\nnodes: 0..", usual, "resources: {gpu: 1}\nbackends: [AWS]", "f: f-0=1[0/1]",
         "names without case"},
        {"name: f\nnodes: 0..", usual, "resources: {gpu: 1..}\ninstance_types: [big]",
         "f: f-0=0[0/1]", "an instance type"},
        {"name: f\nnodes: 0..", usual, "resources: {gpu: 8}\nmax_price: 5",
         "no f: the fleet has no instance; 3 offers: 1 price (asked at most $5, it costs $8), 1 "
         "device_attributes (asked 8 gpu, it has 1), 1 devices (asked 8 gpu, it has none)",
         "too dear"},
        {"name: f\nnodes: 0..", spot, one_gpu,
         "no f: the fleet has no instance; asked on-demand, it is spot", "on-demand by default"},
        {"name: f\nnodes: 0..", spot, "resources: {gpu: 1}\nspot_policy: auto", "f: f-0=0[0/1]",
         "either"},
        {"name: f\nnodes: 0..\nspot_policy: on-demand", spot,
         "resources: {gpu: 1}\nspot_policy: spot",
         "no f: the fleet has no instance; for the fleet: asked on-demand, it is spot",
         "the fleet does not take spot"},
        {"name: f\nnodes: 0..", gone, one_gpu, "no f: the fleet has no instance; it is no_quota",
         "no quota"},
        {"name: f\nnodes: 0..", usual, "creation_policy: reuse",
         "no f: the fleet has no instance; the run reuses instances only", "no creation"},
        {"name: f\nnodes: 0..",
         {},
         one_gpu,
         "no f: the fleet has no instance; nothing is offered",
         "no offers"},
        {"name: f\nnodes: 0..\navailability_zones: [a]", usual, "availability_zones: [b]",
         "no f: the fleet has no instance; the fleet asked zone a, the run b", "zones apart"},
        {"name: f\nnodes: 0..\nreservation: x", usual, "reservation: y",
         "no f: the fleet has no instance; the fleet asked reservation x, the run y",
         "reservations apart"},
        {"name: f\nnodes: 0..\nblocks: auto\nresources: {disk: null}",
         {priced("odd", 8, 26, 512, 4)},
         "resources: {gpu: 2}",
         "f: f-0=0[0/2]",
         "26 CPUs and 4 GPUs: two blocks, not a refusal"},
        {"name: f\nnodes: 2..\nplacement: cluster", usual, "nodes: 2\nresources: {gpu: 8}",
         "f: f-0=0[0/1] f-1=0[0/1]", "two new ones"},
        {"name: f\nnodes: 0..1\nplacement: cluster", usual, "nodes: 2\nresources: {gpu: 8}",
         "no f: the fleet has no instance; 1 more instances may be made, asked 2 in one backend "
         "and "
         "region",
         "all or none"},
        {"name: f\nnodes: 0..\nplacement: cluster\nblocks: 8", usual,
         "nodes: 2\nresources: {gpu: 8}", "f: f-0=0[0-7/8] f-1=0[0-7/8]", "all blocks of each"},
        {"name: f\nnodes: 0..\nplacement: cluster\nblocks: 8",
         {priced("big", 8, 64, 512, 8)},
         "nodes: 2\nresources: {gpu: 1}",
         "no f: the fleet has no instance; asked 1 gpu, it has 8",
         "a share is no node"},
    };
    for (const Row& row : rows) {
        INFO(row.fleet << "\n" << row.run << ": " << row.why);
        const std::vector fleets{fleet_of(row.fleet)};
        CHECK(plan_line(dstack::plan_run(fleets, {}, row.offers, run_of(row.run), OwnerId(1))) ==
              row.expected);
    }
}

TEST_CASE("dstack plan: the order of fleets", "[dialect][dstack]") {
    const auto with_price = [](const char* name, std::int64_t dollars, std::uint32_t busy) {
        Instance instance = host(name, gpu_host, 8, busy);
        instance.offer.price = Microdollars(dollars * 1'000'000);
        return instance;
    };
    const std::vector fleets{fleet_of("name: a\nnodes: 0.."), fleet_of("name: b\nnodes: 0.."),
                             fleet_of("name: c\nnodes: 0..\nbackends: [gcp]")};
    const std::vector offers{priced("small", 1, 8, 64, 1)};
    struct Row {
        std::vector<Instance> instances;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {{with_price("b-0", 9, 0)}, "b: b-0[0/8]", "what is there before what must be made"},
        {{with_price("a-0", 9, 0), with_price("b-0", 3, 0)}, "b: b-0[0/8]", "the cheaper instance"},
        {{with_price("c-0", 3, 0), with_price("b-0", 3, 0)},
         "b: b-0[0/8]",
         "where something could be had as well, cheaply"},
        {{with_price("a-0", 3, 0), with_price("b-0", 3, 7)}, "a: a-0[0/8]", "the first"},
        {{with_price("b-0", 3, 8)}, "a: a-0=0[0/1]", "busy: the first that can make one"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(plan_line(dstack::plan_run(fleets, row.instances, offers, run_of(one_gpu),
                                         OwnerId(1))) == row.expected);
    }
    const auto plan = dstack::plan_run(fleets, {}, offers, run_of(one_gpu), OwnerId(1));
    REQUIRE(plan.ok());
    REQUIRE(plan->fleets.size() == 3);
    CHECK(plan->fleets[0].offer_price == Microdollars(1'000'000));
    CHECK(plan->fleets[0].reuse->reason == "the fleet has no instance");
    CHECK_FALSE(plan->fleets[0].creation.has_value());
    CHECK(plan->fleets[2].creation->reason == "for the fleet: asked backend gcp, it is aws");
}

TEST_CASE("dstack plan: distributed runs are in one place, or nowhere", "[dialect][dstack]") {
    const auto in = [](const char* name, const char* region, std::int64_t dollars,
                       std::uint32_t busy = 0) {
        Instance instance = host(name, gpu_host, 8, busy);
        instance.offer.backend = "aws";
        instance.offer.region = region;
        instance.offer.price = Microdollars(dollars * 1'000'000);
        return instance;
    };
    Offer far = priced("big", 1, 64, 512, 8);
    far.region = "us";
    const std::vector offers{far, priced("big", 8, 64, 512, 8)};
    const std::string cluster = "name: f\nplacement: cluster\nblocks: 8\nnodes: ";
    struct Row {
        std::string nodes;
        std::vector<Instance> instances;
        const char* run;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"0..",
         {in("f-0", "eu", 3), in("f-1", "us", 1), in("f-2", "eu", 4)},
         "nodes: 2",
         "f: f-0[0-7/8] f-2[0-7/8]",
         "two in eu, one in us is not enough"},
        {"0..",
         {in("f-0", "eu", 3, 1), in("f-1", "eu", 1), in("f-2", "eu", 4)},
         "nodes: 2",
         "f: f-1[0-7/8] f-2[0-7/8]",
         "only those that nobody is on"},
        {"0..4",
         {in("f-0", "eu", 3)},
         "nodes: 3\nresources: {gpu: 8}",
         "f: f-0[0-7/8] f-1=1[0-7/8] f-2=1[0-7/8]",
         "the rest is made where the cluster is"},
        {"0..2",
         {in("f-0", "eu", 3)},
         "nodes: 3\nresources: {gpu: 8}",
         "no f: 1 instances could be reused, asked 3 in one backend and region; 1 more instances "
         "may be made, asked 3 in one backend and region",
         "not two of three"},
        {"0..",
         {},
         "nodes: 2\nresources: {gpu: 8}",
         "f: f-0=0[0-7/8] f-1=0[0-7/8]",
         "an empty cluster may be anywhere: the cheapest"},
        {"0..",
         {in("f-0", "eu", 3, 8)},
         "resources: {gpu: 8}",
         "f: f-1=1[0-7/8]",
         "one node too joins the cluster where it is"},
        {"0..",
         {in("f-0", "asia", 3, 8)},
         "resources: {gpu: 8}",
         "no f: 0 of 8 blocks are free, not 8; 2 offers: 2 topology (the cluster is elsewhere, it "
         "is in aws us)",
         "nothing is offered where the cluster is"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const std::vector fleets{fleet_of(cluster + row.nodes)};
        CHECK(plan_line(dstack::plan_run(fleets, row.instances, offers, run_of(row.run),
                                         OwnerId(1))) == row.expected);
    }
}

}  // namespace trestle
