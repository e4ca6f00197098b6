// SPDX-License-Identifier: Apache-2.0
// Which fleet a run goes into, runs of several nodes, and what options change.
#include <cstdint>
#include <string>
#include <vector>

#include "alloc/market/offers/find_backend.hpp"
#include "support/catch.hpp"
#include "support/run_plan_rows.hpp"
#include "trestle/dialect/dstack/offers/backends.hpp"
#include "trestle/dialect/dstack/run/plan.hpp"

namespace trestle {
namespace {

using testing::catalog_of;
using testing::fleet_of;
using testing::gpu_host;
using testing::host;
using testing::one_gpu;
using testing::plan_line;
using testing::priced;
using testing::run_of;

Backend known_backend(const char* name) {
    const Backend* const found = find_backend(dstack::known_backends(), name);
    REQUIRE(found != nullptr);
    return *found;
}

}  // namespace

TEST_CASE("dstack plan: a bare value that leaves no capacity is named", "[dialect][dstack]") {
    const std::vector fleets{fleet_of("name: f\nnodes: 0..")};
    const Catalog offers = catalog_of({priced("small", 1, 8, 64, 1)});
    const std::vector instances{host("f-0", "4c mem=48G disk=1T", 1)};
    struct Row {
        const char* run;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"resources: {memory: 64GB}", "", "an offer has just that"},
        {"resources: {memory: 32GB}",
         "memory: 32GB means exactly that and leaves nothing; 32GB or more is written 32GB..\n",
         "more would do"},
        {"resources: {memory: 32GB, cpu: 2}",
         "cpu: 2 means exactly that, and with the others leaves nothing; 2 or more is written 2..\n"
         "memory: 32GB means exactly that, and with the others leaves nothing; 32GB or more is "
         "written 32GB..\n",
         "both together"},
        {"resources: {memory: 99TB}", "", "there is not so much"},
        {"resources: {memory: 99TB..}", "", "no bare value"},
    };
    for (const Row& row : rows) {
        INFO(row.run << ": " << row.why);
        const auto plan = dstack::plan_run(fleets, instances, offers, run_of(row.run), OwnerId(1));
        REQUIRE(plan.ok());
        CHECK(dstack::hints_text(plan->hints, plan->is_together) == row.expected);
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
    const Catalog offers = catalog_of({priced("small", 1, 8, 64, 1)});
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
        {{with_price("b-0", 3, 8)}, "a: a-0=small[0/1]", "busy: the first that can make one"},
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
    CHECK(plan->fleets[2].creation->reason == "asked backend gcp, it is aws");
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
    Offer far = priced("far", 1, 64, 512, 8);
    far.region = "us";
    const Catalog offers = catalog_of({far, priced("near", 8, 64, 512, 8)});
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
         "f: f-0[0-7/8] f-1=near[0-7/8] f-2=near[0-7/8]",
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
         "f: f-0=far[0-7/8] f-1=far[0-7/8]",
         "an empty cluster may be anywhere: the cheapest"},
        {"0..",
         {in("f-0", "eu", 3, 8)},
         "resources: {gpu: 8}",
         "f: f-1=near[0-7/8]",
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

TEST_CASE("dstack plan: fleets for several nodes", "[dialect][dstack]") {
    const auto in = [](const char* name, std::int64_t dollars) {
        Instance instance = host(name, gpu_host, 1);
        instance.offer.backend = "aws";
        instance.offer.region = "eu";
        instance.offer.price = Microdollars(dollars * 1'000'000);
        return instance;
    };
    const std::vector fleets{fleet_of("name: a\nplacement: cluster\nnodes: 0.."),
                             fleet_of("name: b\nplacement: cluster\nnodes: 0..")};
    const Catalog offers = catalog_of({priced("big", 1, 64, 512, 8)});
    const auto run = run_of("nodes: 3\nresources: {gpu: 8}");
    const std::vector fewer{in("a-0", 1), in("b-0", 5), in("b-1", 5)};
    CHECK(plan_line(dstack::plan_run(fleets, fewer, offers, run, OwnerId(1))) ==
          "b: b-0[0/1] b-1[0/1] b-2=big[0/1]");
    const std::vector cheaper{in("a-0", 5), in("a-1", 2), in("b-0", 3), in("b-1", 3)};
    CHECK(plan_line(dstack::plan_run(fleets, cheaper, offers, run, OwnerId(1))) ==
          "b: b-0[0/1] b-1[0/1] b-2=big[0/1]");
}

TEST_CASE("dstack plan: what else a run needs, and what backends can do", "[dialect][dstack]") {
    const std::vector fleets{fleet_of("name: f\nnodes: 0..")};
    Offer pod = priced("pod", 1, 64, 512, 8);
    pod.backend = "runpod";
    Offer fast = priced("fast", 9, 64, 512, 8);
    fast.interconnect = Offer::Interconnect::efa;
    const Catalog offers = catalog_of({pod, priced("big", 8, 64, 512, 8), fast});
    struct Row {
        dstack::MatchOptions options;
        const char* expected;
        const char* why;
    };
    const auto options = [](void (*change)(dstack::MatchOptions&)) {
        dstack::MatchOptions all;
        change(all);
        return all;
    };
    const Row rows[] = {
        {{}, "f: f-0=pod[0/1]", "nothing else"},
        {options([](auto& o) { o.is_privileged = true; }), "f: f-0=big[0/1]",
         "no privileged containers in pods"},
        {options([](auto& o) { o.interconnects = {Offer::Interconnect::efa}; }), "f: f-0=fast[0/1]",
         "an interconnect"},
        {options([](auto& o) {
             o.nodes = Count(7);
             o.blocks = BlockCount{false, Count(8)};
             o.offers_max = Count(0);
         }),
         "f: f-0=pod[0/1]", "said by the run and the fleet, or of no account"},
        {options([](auto& o) {
             o.is_privileged = true;
             o.backends = {known_backend("runpod")};
             o.backends->front().has_privileged = true;
         }),
         "f: f-0=pod[0/1]", "another answer of what pods can do"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(plan_line(dstack::plan_run(fleets, {}, offers, run_of("resources: {gpu: 8}"),
                                         OwnerId(1), row.options)) == row.expected);
    }
}

}  // namespace trestle
