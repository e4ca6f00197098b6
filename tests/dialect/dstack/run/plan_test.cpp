// SPDX-License-Identifier: Apache-2.0
// Where runs go, row by row: fleets, instances and offers as dstack's files and one line each.
#include "trestle/dialect/dstack/run/plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/run_plan_rows.hpp"

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
using testing::with_change;

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
                      [](Instance& i) { i.state = Instance::State::terminating; }),
          host("f-b", gpu_host, 8)},
         one_gpu,
         "f: f-b[0/8]",
         "terminating instances take no work, also shared ones"},
        {{with_change(host("f-a", gpu_host, 8),
                      [](Instance& i) { i.state = Instance::State::provisioning; }),
          host("f-b", gpu_host, 8)},
         one_gpu,
         "f: f-b[0/8]",
         "who is running comes before who is being made"},
        {{with_change(host("f-a", gpu_host, 8),
                      [](Instance& i) { i.state = Instance::State::provisioning; })},
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
                      [](Instance& i) { i.offer.availability_zones = {"eu-1a"}; })},
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
        {{with_change(host("f-a", gpu_host, 8), [](Instance& i) { i.reservation = "r-1"; })},
         "reservation: r-1",
         "f: f-a[0/8]",
         "of the reservation, whatever its backend can do"},
        {{with_change(host("f-a", gpu_host, 8), [](Instance& i) { i.offer.backend = ""; })},
         one_gpu,
         "f: f-a[0/8]",
         "a backend that nobody knows may do everything"},
        {{with_change(host("f-a", gpu_host, 8), [](Instance& i) { i.offer.backend = "runpod"; })},
         one_gpu,
         "no f: backend runpod has no blocks; the fleet has the hosts that it was given",
         "what is there is judged as what is offered"},
        {{with_change(host("f-a", gpu_host, 8),
                      [](Instance& i) { i.offer.price = Microdollars(3'000'000); })},
         "max_price: 2.5",
         "no f: asked at most 2500000 microdollars, it costs 3000000; the fleet has the hosts that "
         "it was given",
         "also what is there has a price"},
        {{},
         one_gpu,
         "no f: the fleet has no instance; the fleet has the hosts that it was given",
         "nothing there"},
    };
    for (const Row& row : rows) {
        INFO(row.run << ": " << row.why);
        const std::vector fleets{ssh};
        CHECK(plan_line(dstack::plan_run(fleets, row.instances, Catalog(), run_of(row.run),
                                         OwnerId(1))) == row.expected);
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
    const auto of = [](const char* backend, Offer offer) {
        offer.backend = backend;
        return offer;
    };
    const auto gone = [&] {
        Offer offer = priced("gone", 0, 8, 64, 1);
        offer.availability = Offer::Availability::no_quota;
        return std::vector{offer};
    }();
    const Row rows[] = {
        {"name: f\nnodes: 0..", usual, one_gpu, "f: f-0=small[0/1]", "the cheapest that fits"},
        {"name: f\nnodes: 0..\nblocks: 8", usual, one_gpu, "f: f-0=big[0/8]",
         "in blocks, as the fleet says: small does not divide"},
        {"name: f\nnodes: 0..\nblocks: auto", usual, one_gpu, "f: f-0=small[0/1]", "auto: 1 of 1"},
        {"name: f\nnodes: 0..\nblocks: auto",
         {priced("big", 8, 64, 512, 8)},
         "resources: {gpu: 2}",
         "f: f-0=big[0-1/8]",
         "auto: 2 of 8"},
        {"name: f\nnodes: 0..\nresources: {gpu: 8}\nblocks: 8", usual, one_gpu, "f: f-0=big[0/8]",
         "the fleet's wishes are for the whole instance"},
        {"name: f\nnodes: 0..\nresources: {gpu: 1..4}\nblocks: 8",
         {priced("big", 8, 64, 512, 8)},
         one_gpu,
         "no f: the fleet has no instance; for the fleet: asked 1..4 gpu, it has 8",
         "a part of an instance does not meet them"},
        {"name: f\nnodes: 0..\nresources: {gpu: 8}", usual, one_gpu,
         "no f: the fleet has no instance; 3 offers: 2 device_attributes (for the fleet: asked 8 "
         "gpu, it has 1), 1 devices (asked 1 gpu, it has none)",
         "without blocks the run would get all 8"},
        {"name: f\nnodes: 0..\nbackends: [gcp]", usual, "resources: {gpu: 0..}",
         "no f: the fleet has no instance; 3 offers: 3 candidates (asked backend gcp, it is aws)",
         "the fleet's backends"},
        {"name: f\nnodes: 0..\nresources: {disk: ..50GB}", usual, one_gpu,
         "no f: the fleet has no instance; disk: the fleet has ..50GB, the run wants 100GB..",
         "both speak of the whole disk"},
        {"name: f\nnodes: 0..\nblocks: 2",
         {of("runpod", usual[0]), of("aws", usual[0])},
         "resources: {gpu: 4}",
         "f: f-0=big[0/2]",
         "containers are not cut"},
        {"name: f\nnodes: 0..\nblocks: 2",
         {of("runpod", usual[0])},
         "resources: {gpu: 4}",
         "no f: the fleet has no instance; backend runpod has no blocks",
         "nor is there another"},
        {"name: f\nnodes: 0..",
         {of("lambda", usual[0])},
         "resources: {gpu: 8}",
         "f: f-0=big[0/1]",
         "one node of a backend without several"},
        {"name: f\nnodes: 0..\nplacement: cluster",
         {of("lambda", usual[0])},
         "resources: {gpu: 8}",
         "no f: the fleet has no instance; backend lambda has no several nodes",
         "in a cluster another could not join it"},
        {"name: f\nnodes: 0..",
         {of("lambda", usual[0])},
         "resources: {gpu: 8}\nreservation: r",
         "no f: the fleet has no instance; backend lambda has no reservations",
         "no reservations"},
        {"name: f\nnodes: 0..", usual, "resources: {gpu: 1}\navailability_zones: [eu-1a]",
         "no f: the fleet has no instance; 3 offers: 1 candidates (asked zone eu-1a, it is in no "
         "known zone), 1 devices (asked 1 gpu, it has none), 1 device_attributes (asked 1 gpu, it "
         "has 8)",
         "what is bought must be in a zone for sure"},
        {"name: f\nnodes: 0..", usual, "resources: {gpu: 1}\nbackends: [AWS]", "f: f-0=small[0/1]",
         "names without case"},
        {"name: f\nnodes: 0..", usual, "resources: {gpu: 1..}\ninstance_types: [big]",
         "f: f-0=big[0/1]", "an instance type"},
        {"name: f\nnodes: 0..", usual, "resources: {gpu: 8}\nmax_price: 5",
         "no f: the fleet has no instance; 3 offers: 1 device_attributes (asked 8 gpu, it has 1), "
         "1 devices (asked 8 gpu, it has none), 1 price (asked at most 5000000 microdollars, it "
         "costs 8000000)",
         "too dear"},
        {"name: f\nnodes: 0..", spot, one_gpu,
         "no f: the fleet has no instance; asked on-demand, it is spot", "on-demand by default"},
        {"name: f\nnodes: 0..", spot, "resources: {gpu: 1}\nspot_policy: auto",
         "no f: the fleet has no instance; asked on-demand, it is spot",
         "a silent fleet makes on-demand instances"},
        {"name: f\nnodes: 0..\nspot_policy: auto", spot, "resources: {gpu: 1}\nspot_policy: auto",
         "f: f-0=spot[0/1]", "either"},
        {"name: f\nnodes: 0..\nspot_policy: on-demand", spot,
         "resources: {gpu: 1}\nspot_policy: spot",
         "no f: the fleet has no instance; spot_policy: the fleet has on-demand, the run wants "
         "spot",
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
         "no f: the fleet has no instance; availability_zones: the fleet has a, the run wants b",
         "zones apart"},
        {"name: f\nnodes: 0..\nreservation: x", usual, "reservation: y",
         "no f: the fleet has no instance; reservation: the fleet has x, the run wants y",
         "reservations apart"},
        {"name: f\nnodes: 0..\nblocks: auto\nresources: {disk: null}",
         {priced("odd", 8, 26, 512, 4)},
         "resources: {gpu: 2}",
         "f: f-0=odd[0/2]",
         "26 CPUs and 4 GPUs: two blocks, not a refusal"},
        {"name: f\nnodes: 2..\nplacement: cluster", usual, "nodes: 2\nresources: {gpu: 8}",
         "f: f-0=big[0/1] f-1=big[0/1]", "two new ones"},
        {"name: f\nnodes: 0..1\nplacement: cluster", usual, "nodes: 2\nresources: {gpu: 8}",
         "no f: the fleet has no instance; 1 more instances may be made, asked 2 in one backend "
         "and "
         "region",
         "all or none"},
        {"name: f\nnodes: 0..\nplacement: cluster\nblocks: 8", usual,
         "nodes: 2\nresources: {gpu: 8}", "f: f-0=big[0-7/8] f-1=big[0-7/8]", "all blocks of each"},
        {"name: f\nnodes: 0..\nplacement: cluster\nblocks: 8",
         {priced("big", 8, 64, 512, 8)},
         "nodes: 2\nresources: {gpu: 1}",
         "no f: the fleet has no instance; asked 1 gpu, it has 8",
         "a share is no node"},
    };
    for (const Row& row : rows) {
        INFO(row.fleet << "\n" << row.run << ": " << row.why);
        const std::vector fleets{fleet_of(row.fleet)};
        CHECK(plan_line(dstack::plan_run(fleets, {}, catalog_of(row.offers), run_of(row.run),
                                         OwnerId(1))) == row.expected);
    }
}

}  // namespace trestle
