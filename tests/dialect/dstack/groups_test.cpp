// SPDX-License-Identifier: Apache-2.0
// Runs whose nodes or replicas have resources of their own.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/dstack_files.hpp"
#include "trestle/alloc/market/offers/catalog.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/dstack/offers_csv.hpp"
#include "trestle/dialect/dstack/run/plan.hpp"
#include "trestle/dialect/dstack/run/requirements.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;
using testing::dstack_file;
using testing::fleet_of;

namespace {

/// `name count gpu` of each group.
std::string groups_text(const dstack::RunConfiguration& run) {
    std::string text;
    for (const dstack::RunGroup& group : run.groups) {
        text += fmt::format("{} {} {};", group.name, group.count,
                            group.resources.gpu ? to_text(*group.resources.gpu) : "null");
    }
    return text;
}

struct GroupRow {
    const char* yaml;
    const char* expected;
    const char* why;
};

const Catalog& group_catalog() {
    static const Catalog catalog =
        Catalog::read(*dstack::parse_offers_csv(
                          "backend,region,instance,cpus,memory,disk,gpu_count,gpu_name,gpu_memory,"
                          "gpu_vendor,price,spot\n"
                          "aws,us,cpu,8,32,,0,,,,0.5,false\n"
                          "aws,us,h100x8,96,1024,,8,H100,80,nvidia,80,false\n"
                          "aws,eu,h100x8,96,1024,,8,H100,80,nvidia,70,false\n"
                          "aws,us,a100x8,96,1024,,8,A100,80,nvidia,30,false\n"))
            .catalog;
    return catalog;
}

dstack::RunPlan group_plan(const dstack::FleetConfiguration& fleet,
                           const dstack::RunConfiguration& run) {
    const auto plan =
        plan_run(std::vector{fleet}, std::vector<Instance>{}, group_catalog(), run, OwnerId(7));
    INFO(message(plan.status()));
    REQUIRE(plan.ok());
    return *plan;
}

std::string bought(const dstack::RunPlan& plan) {
    std::string text;
    for (const dstack::PlannedNode& node : plan.nodes) {
        const Offer offer = group_catalog()[node.offer.value()];
        text += offer.region + "/" + offer.instance + ";";
    }
    return text;
}

}  // namespace

TEST_CASE("dstack groups: of tasks and of services", "[dialect][dstack]") {
    const GroupRow tasks[] = {
        {"groups: [{commands: [a]}]", "0 1 0..;", "names are positions"},
        {"groups: [{name: head, nodes: 2}, {nodes: 3, resources: {gpu: A100:8}}]",
         "head 2 0..;1 3 A100:8;", "some have names"},
        {"groups: [{nodes: '2', name: 1}]", "1 2 0..;", "numbers and texts"},
        {"groups: [{commands: [a]}]\nnodes: null", "0 1 0..;", "null is left out"},
        {"resources: {gpu: 8}\ngroups: [{commands: [a]}]", "0 1 0..;",
         "resources are not inherited"},
        {"groups: null", "", "none"},
    };
    for (const GroupRow& row : tasks) {
        INFO(row.yaml << ": " << row.why);
        const auto run = *dstack_file("task", row.yaml).run;
        CHECK(groups_text(run) == row.expected);
        CHECK(to_text(*dstack::parse_configuration(to_text(run))->run) == to_text(run));
    }
    const GroupRow services[] = {
        {"replicas: [{count: 1, resources: {gpu: H100:8}}]", "0 1 H100:8;", "a list of replicas"},
        {"groups: [{replicas: 2}]", "0 2 0..;", "the newer key"},
        {"replicas: [{count: 0..2, scaling: {metric: rps, target: 1}}]", "0 0..2 0..;", "a range"},
        {"replicas: [{count: ..3, scaling: {metric: rps, target: 1}}]", "0 0..3 0..;",
         "from none on"},
        {"replicas: [{count: {min: 1, max: 2}, scaling: {metric: rps, target: 1}}]", "0 1..2 0..;",
         "a mapping"},
        {"replicas: null\ngroups: [{count: 1}]", "0 1 0..;", "null is left out"},
        {"replicas: 2", "", "replicas that are alike"},
        {"replicas: 1..4", "", "the same"},
    };
    for (const GroupRow& row : services) {
        INFO(row.yaml << ": " << row.why);
        const auto run = *dstack_file("service", row.yaml).run;
        CHECK(groups_text(run) == row.expected);
        CHECK(to_text(*dstack::parse_configuration(to_text(run))->run) == to_text(run));
    }
}

TEST_CASE("dstack groups: mistakes", "[dialect][dstack]") {
    const GroupRow rows[] = {
        {"type: task\ngroups: []", "empty list", "no group"},
        {"type: task\ngroups: [1]", "no group", "no mapping"},
        {"type: task\ngroups: [{nodes: 0}]", "no node at all", "as of a task"},
        {"type: task\ngroups: [{nodes: 1..2}]", "malformed count", "no range"},
        {"type: task\ngroups: [{name: A}]", "malformed name of a group", "a capital"},
        {"type: task\ngroups: [{name: -a}]", "malformed name of a group", "a sign first"},
        {"type: task\ngroups: [{}, {name: '0'}]", "two groups of one name", "a position is a name"},
        {"type: task\ngroups: [{count: 1}]", "unknown key", "that of a service"},
        {"type: task\ngroups: [{nodes: 1}]\nnodes: 2", "beside groups", "either"},
        {"type: task\ngroups: [{nodes: 1}]\ncommands: [a]", "beside groups", "of each group"},
        {"type: task\ngroups: [{nodes: 1}]\nentrypoint: a", "beside groups", "of each group"},
        {"type: task\ngroups: [{nodes: 40000}, {nodes: 40000}]", "too many nodes", "together"},
        {"type: service\ngroups: [{commands: [a]}]", "no number of replicas", "needed"},
        {"type: service\ngroups: [{count: 1, replicas: 2}]", "count and replicas", "which?"},
        {"type: service\ngroups: [{count: 1..}]", "no most replicas", "without end"},
        {"type: service\ngroups: [{count: 1}]\nreplicas: 2", "beside groups", "either"},
        {"type: service\ngroups: [{count: 1}]\nreplicas: [{count: 1}]", "one of the two", "either"},
        {"type: service\ngroups: [{count: 1}]\ncommands: [a]", "beside groups", "of each group"},
        {"type: service\ngroups: [{count: 1, image: a, docker: true}]", "beside image", "which?"},
        {"type: service\ngroups: [{count: 1, docker: true, python: '3.12'}]", "beside docker",
         "which?"},
        {"type: service\ngroups: [{count: 1, docker: true}]\nimage: b",
         "of the service and of a group", "what is run?"},
        {"type: service\ngroups: [{count: 1, python: '3.12'}]\nimage: b",
         "of the service and of a group", "what is run?"},
        {"type: service\ngroups: [{count: ..3, image: a}]", "a range without scaling",
         "when are there more?"},
        {"type: service\ngroups: [{count: 1, image: a}]\nimage: b", "of the service and of a group",
         "which?"},
        {"type: service\ngroups: [{count: 1, spot_policy: auto}]\nspot_policy: spot",
         "of the service and of a group", "which?"},
        {"type: service\ngroups: [{count: 1, nodes: 2}]", "unknown key", "that of a task"},
        {"type: dev-environment\ngroups: [{nodes: 1}]", "unknown key", "one machine"},
    };
    for (const GroupRow& row : rows) {
        INFO(row.yaml << ": " << row.why);
        const auto reading = dstack::read_configuration(row.yaml);
        REQUIRE(reading.errors.size() == 1);
        CHECK_THAT(to_text(reading.errors[0]), ContainsSubstring(row.expected));
    }
}

TEST_CASE("dstack groups: a group as a run of its own", "[dialect][dstack]") {
    const auto run = *dstack_file("service",
                                  "image: base\nprivileged: true\nreplicas:\n"
                                  "- {count: 1, resources: {gpu: H100:8}}\n"
                                  "- {count: 2, resources: {cpu: 4}, reservation: r}\n")
                          .run;
    const auto first = run_of(run, run.groups[0]);
    CHECK(first.groups.empty());
    CHECK(first.nodes == Count(1));
    CHECK(to_text(*first.resources.gpu) == "H100:8");
    CHECK_FALSE(resources_of(first).cpu.architecture);
    const auto second = run_of(run, run.groups[1]);
    CHECK(second.profile.reservation == "r");
    CHECK(options_of(second)->is_privileged);
    const auto docker =
        *dstack_file("service", "groups: [{count: 1, docker: true}, {count: 1, image: x}]").run;
    CHECK(resources_of(run_of(docker, docker.groups[0])).cpu.architecture == Architecture::x86);
    CHECK(options_of(run_of(docker, docker.groups[0]))->is_privileged);
    CHECK_FALSE(resources_of(run_of(docker, docker.groups[1])).cpu.architecture);
}

TEST_CASE("dstack groups: a null of a group leaves what the run says", "[dialect][dstack]") {
    for (const char* key :
         {"image: base", "docker: true", "python: \"3.12\"", "privileged: true"}) {
        const std::string name = std::string(key).substr(0, std::string(key).find(':'));
        INFO(key);
        const auto run = *dstack_file("service", std::string(key) + "\ngroups: [{count: 1, " +
                                                     name + ": null, commands: [a]}]")
                              .run;
        const auto one = run_of(run, run.groups.at(0));
        const auto at = std::find_if(one.passthrough.begin(), one.passthrough.end(),
                                     [&](const auto& kept) { return kept.name == name; });
        REQUIRE(at != one.passthrough.end());
        CHECK(at->text != "null");
    }
}

TEST_CASE("dstack groups: each is planned with its own resources", "[dialect][dstack]") {
    const auto fleet = fleet_of("name: f\nnodes: 0..");
    const auto service =
        *dstack_file("service",
                     "image: x\nreplicas:\n"
                     "- {count: 1, resources: {gpu: H100:8}}\n"
                     "- {count: 0..2, scaling: {metric: rps, target: 1}, resources: {cpu: 4.., "
                     "gpu: 0}}\n")
             .run;
    CHECK(bought(group_plan(fleet, service)) == "eu/h100x8;us/cpu;");
    const auto task = *dstack_file("task",
                                   "image: x\ngroups:\n"
                                   "- {name: head, resources: {gpu: H100:8}}\n"
                                   "- {name: workers, nodes: 2, resources: {gpu: A100:8}}\n")
                           .run;
    const auto nowhere = group_plan(fleet, task);
    CHECK_FALSE(nowhere.has_capacity());
    CHECK(nowhere.fleets.at(0).reuse->constraint == Constraint::topology);
    const auto cluster = fleet_of("name: f\nnodes: 0..\nplacement: cluster");
    const auto plan = group_plan(cluster, task);
    CHECK(bought(plan) == "us/h100x8;us/a100x8;us/a100x8;");
    CHECK(plan.created.size() == 3);
    const auto after = apply_plan({}, plan);
    REQUIRE(after.ok());
    CHECK(after->size() == 3);
    const auto small = fleet_of("name: f\nnodes: 0..2\nplacement: cluster");
    const auto no_room = group_plan(small, task);
    CHECK_FALSE(no_room.has_capacity());
    CHECK_THAT(no_room.fleets.at(0).creation->reason, ContainsSubstring("group workers: "));
}

TEST_CASE("dstack groups: replicas of a service share an instance", "[dialect][dstack]") {
    const auto fleet = fleet_of("name: f\nnodes: 0..1\nblocks: 8");
    const auto run = *dstack_file("service",
                                  "image: x\nreplicas:\n"
                                  "- {count: 1, resources: {gpu: A100:2}}\n"
                                  "- {count: 1, resources: {gpu: A100:4}}\n")
                          .run;
    const auto plan = group_plan(fleet, run);
    REQUIRE(plan.nodes.size() == 2);
    CHECK(plan.created.size() == 1);
    CHECK(plan.nodes[0].share.instance == plan.nodes[1].share.instance);
    CHECK_FALSE(plan.nodes[0].share.blocks.intersects(plan.nodes[1].share.blocks));
    CHECK(apply_plan({}, plan).ok());
}
