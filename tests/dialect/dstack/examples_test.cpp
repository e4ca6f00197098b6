// SPDX-License-Identifier: Apache-2.0
// Examples of runs, fleets and what a job is limited to that this project promises to get right,
// each with the value that its source states. The numbers are those of tests/dialect/examples_test.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/run_plan_rows.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/offers/match.hpp"
#include "trestle/dialect/dstack/run/access.hpp"
#include "trestle/dialect/dstack/run/exit.hpp"
#include "trestle/dialect/dstack/run/plan.hpp"
#include "trestle/enforce/limits/limits.hpp"
#include "trestle/model/fleet.hpp"

namespace trestle {
namespace {

using testing::catalog_of;
using testing::fleet_of;
using testing::gpu_host;
using testing::host;
using testing::plan_line;
using testing::priced;
using testing::run_of;
using testing::with_change;

/// What the only node of a plan has.
Instance::Share share_in(const StatusOr<dstack::RunPlan>& plan) {
    INFO(plan_line(plan));
    REQUIRE(plan.ok());
    REQUIRE(plan->nodes.size() == 1);
    return plan->nodes[0].share;
}

}  // namespace

TEST_CASE("Example 1: asked 200GB.., given 256 GB, limited to 256 GB", "[dialect][golden]") {
    const auto run = run_of("resources: {memory: 200GB.., cpu: 8}");
    const std::vector bought{fleet_of("name: f\nnodes: 0..")};
    const Catalog offers =
        catalog_of({priced("small", 1, 8, 192, 0), priced("large", 2, 8, 256, 0)});
    CHECK(share_in(dstack::plan_run(bought, {}, offers, run, OwnerId(1))).memory ==
          Bytes(274877906944));

    const std::vector fleets{fleet_of("name: f\nssh_config: {hosts: [a]}")};
    const Instance there = host("f-a", "8c mem=256G disk=1T", 1);
    const std::vector hosts{there};
    const auto share = share_in(dstack::plan_run(fleets, hosts, Catalog(), run, OwnerId(1)));
    struct Row {
        LimitPolicy::Source source;
        std::int64_t expected;
        const char* why;
    };
    const Row rows[] = {
        {LimitPolicy::Source::capacity, 274877906944, "dstack: what it has"},
        {LimitPolicy::Source::request, 214748364800, "Slurm: what it asked"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        LimitPolicy policy;
        policy.source = row.source;
        const Limits limits = limits_of(dstack::request_of(run.resources, run.profile),
                                        **there.shape, *share.placement, policy);
        CHECK(limits.memory_max == Bytes(row.expected));
    }
}

TEST_CASE("Example 6: eight jobs of one GPU share a host, the ninth does not fit",
          "[dialect][golden]") {
    const std::vector fleets{fleet_of("name: f\nssh_config: {hosts: [a]}\nblocks: 8")};
    const auto run = run_of("resources: {gpu: 'A100:80GB:1'}");
    std::vector hosts{host("f-a", gpu_host, 8)};
    DeviceSet given;
    for (std::uint64_t job = 1; job <= 8; ++job) {
        INFO("job " << job);
        const auto plan = dstack::plan_run(fleets, hosts, Catalog(), run, OwnerId(job));
        const Instance::Share share = share_in(plan);
        CHECK(share.cpus == Count(16));
        CHECK(share.memory == gib(256));
        REQUIRE(share.placement->devices.size() == 1);
        CHECK_FALSE(given.contains(share.placement->devices[0].device));
        given.insert(share.placement->devices[0].device);
        hosts = dstack::apply_plan(hosts, *plan).value();
    }
    CHECK(plan_line(dstack::plan_run(fleets, hosts, Catalog(), run, OwnerId(9))) ==
          "no f: 0 of 8 blocks are free, not 1; the fleet has the hosts that it was given");
}

TEST_CASE("Example 9: durations and numbers of nodes of the guide", "[dialect][golden]") {
    for (const std::int64_t hours : {2, 24, 48}) {
        CHECK(run_of(fmt::format("max_duration: {}h", hours)).profile.max_duration ==
              dstack::DurationLimit{false, Seconds(hours * 3600)});
    }
    const auto retry = run_of("retry: {on_events: [no-capacity], duration: 48h}").profile.retry;
    REQUIRE(retry);
    CHECK(retry->duration == Seconds(172800));
    for (const std::int64_t most : {4, 8, 10}) {
        CHECK(fleet_of(fmt::format("name: f\nnodes: 0..{}", most)).nodes ==
              dstack::FleetNodes{Count(), Count(), Count(most)});
    }
    for (const std::int64_t nodes : {2, 4}) {
        CHECK(run_of(fmt::format("nodes: {}", nodes)).nodes == Count(nodes));
        CHECK(fleet_of(fmt::format("name: f\nnodes: {}", nodes)).nodes ==
              dstack::FleetNodes{Count(nodes), Count(nodes), Count(nodes)});
    }
}

TEST_CASE("Example 12: a node is in one fleet only", "[dialect][golden]") {
    const auto named = [](const char* name, std::uint32_t from, std::uint32_t to) {
        Fleet fleet;
        fleet.name = name;
        fleet.nodes = NodeSet::range({from, to});
        return fleet;
    };
    CHECK(check(std::vector{named("gpu", 0, 10), named("cpu", 10, 60)}).ok());
    CHECK(message(check(std::vector{named("gpu", 0, 10), named("debug", 0, 10)})) ==
          "fleet debug: node 0 belongs to fleet gpu already");

    const std::vector fleets{fleet_of("name: gpu\nssh_config: {hosts: [a]}"),
                             fleet_of("name: debug\nssh_config: {hosts: [a]}")};
    const std::vector hosts{
        with_change(host("a", gpu_host, 1), [](Instance& i) { i.fleet = "gpu"; }),
        with_change(host("a", gpu_host, 1), [](Instance& i) { i.fleet = "debug"; })};
    CHECK(plan_line(dstack::plan_run(fleets, hosts, Catalog(), run_of("nodes: 1"), OwnerId(1))) ==
          "error: instance a: two have this name");
}

TEST_CASE("Example 15: of healthy, warning and failed instances the first two take work",
          "[dialect][golden]") {
    const std::vector fleets{fleet_of("name: f\nssh_config: {hosts: [a, b, c]}")};
    std::vector hosts{
        host("f-a", gpu_host, 1),
        with_change(host("f-b", gpu_host, 1), [](Instance& i) { i.health = Health::warning; }),
        with_change(host("f-c", gpu_host, 1), [](Instance& i) { i.health = Health::failure; })};
    const auto run = run_of("resources: {gpu: 8}");
    const char* const expected[] = {
        "f: f-a[0/1]", "f: f-b[0/1]",
        ("no f: 3 instances: 2 blocks (0 of 1 blocks are free, not 1), 1 node_state (f-c is "
         "failed); the fleet has the hosts that it was given")};
    for (std::uint64_t job = 1; job <= 3; ++job) {
        const auto plan = dstack::plan_run(fleets, hosts, Catalog(), run, OwnerId(job));
        CHECK(plan_line(plan) == expected[job - 1]);
        hosts = dstack::apply_plan(hosts, plan.value()).value();
    }
}

TEST_CASE("Example 17: a share has a bridge, a whole host has its network", "[dialect][golden]") {
    const std::vector fleets{
        fleet_of("name: f\nplacement: cluster\nssh_config: {hosts: [a, b]}\nblocks: 8")};
    const std::vector hosts{host("f-a", gpu_host, 8), host("f-b", gpu_host, 8)};
    struct Row {
        const char* run;
        std::size_t nodes;
        const char* network;
        const char* why;
    };
    const Row rows[] = {
        {"resources: {gpu: 1}", 1, "bridge", "one block of eight"},
        {"resources: {gpu: 7}", 1, "bridge", "all but one"},
        {"resources: {gpu: 8}", 1, "host", "the whole host, although it has blocks"},
        {"nodes: 2\nresources: {gpu: 8}", 2, "host", "several nodes are whole hosts"},
        {"nodes: 2\nresources: {gpu: '1..'}", 2, "host", "also where a share would do"},
    };
    for (const Row& row : rows) {
        INFO(row.run << ": " << row.why);
        const auto plan = dstack::plan_run(fleets, hosts, Catalog(), run_of(row.run), OwnerId(1));
        INFO(plan_line(plan));
        REQUIRE(plan.ok());
        REQUIRE(plan->nodes.size() == row.nodes);
        for (const dstack::PlannedNode& node : plan->nodes) {
            CHECK(to_text(dstack::access_of(node.share).network) == row.network);
            CHECK(node.share.is_whole() == (std::string(row.network) == "host"));
        }
    }
}

TEST_CASE("Example 18: ends of jobs are distinguished", "[dialect][golden]") {
    using dstack::TerminationReason;
    struct Row {
        Outcome outcome;
        std::optional<TerminationReason> stopped;
        const char* ending;
        const char* status;
        const char* why;
    };
    const Row rows[] = {
        {exited(0), {}, "done", "done", "0"},
        {exited(3), {}, "failed", "failed", "any other"},
        {exited(137, Count(1)), {}, "out_of_memory", "failed", "killed for memory"},
        {signaled(9), TerminationReason::terminated_by_user, "by_user", "terminated", "the user"},
        {signaled(9), TerminationReason::max_duration_exceeded, "time_limit", "terminated",
         "the time limit"},
        {signaled(15), {}, "signaled", "failed", "a signal"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const dstack::JobExit read = dstack::classify(row.outcome, row.stopped);
        CHECK(to_text(read.ending) == row.ending);
        CHECK(to_text(read.status) == row.status);
    }
}

}  // namespace trestle
