// SPDX-License-Identifier: Apache-2.0
// --resources of resources.yaml and the MPS of GPUs, as slurmctld 22.05 to 26.05 answered: a step a
// line, each on the cluster that those before it left.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/slurm_answers.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "trestle/dialect/slurm/print.hpp"

namespace trestle {
namespace {

using slurm::Controller;
using slurm::Decision;
using slurm::Release;
using slurm_answers::node_list_of;
using slurm_answers::submit;

struct LayerStep {
    const char* options;   ///< or `release`: what was given so far goes back
    const char* expected;  ///< nodes, or the verdict
    const char* why;
};

void check_layer_steps(Controller& controller, const std::vector<LayerStep>& steps) {
    std::vector<OwnerId> given;
    for (const LayerStep& step : steps) {
        if (step.options == std::string_view("release")) {
            for (const OwnerId owner : given) REQUIRE(controller.release(owner).ok());
            given.clear();
            continue;
        }
        const Decision decision = submit(controller, step.options);
        INFO(step.options << ": " << step.why << "; " << decision.message);
        CHECK(node_list_of(decision) == step.expected);
        CHECK(decision.warnings.empty());
        if (decision.owner) given.push_back(*decision.owner);
    }
    for (const OwnerId owner : given) REQUIRE(controller.release(owner).ok());
    CHECK(controller.cluster().free_counts() == controller.cluster().counts());
}

constexpr std::string_view layer_conf =
    "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nDefMemPerCPU=1000\n"
    "NodeName=t[0-15] Sockets=1 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=16000\n"
    "PartitionName=p Nodes=ALL Default=YES\nPartitionName=q Nodes=t[8-15]\n";

Controller layer_controller(std::string_view resources) {
    auto made = Controller::create({.slurm_conf = layer_conf, .resources_yaml = resources},
                                   Release::v26_05);
    INFO(message(made.status()));
    REQUIRE(made.ok());
    return *std::move(made);
}

constexpr std::string_view reserved = "ReqNodeNotAvail,_May_be_reserved_for_other_job";

}  // namespace

TEST_CASE("select: --resources from one layer or from all", "[dialect][slurm]") {
    Controller controller = layer_controller(
        "- resource: flat\n  mode: MODE_2\n  layers:\n"
        "  - {nodes: ['t[0-15]'], count: 12}\n  - {nodes: ['t[0-7]'], count: 8}\n"
        "  - {nodes: ['t[8-15]'], count: 8}\n  - {nodes: ['t[0-3]'], count: 6}\n"
        "  - {nodes: ['t[4-7]'], count: 6}\n  - {nodes: ['t[8-11]'], count: 6}\n"
        "  - {nodes: ['t[12-15]'], count: 6}\n"
        "- resource: natural\n  mode: MODE_1\n  layers:\n"
        "  - {nodes: ['t[0-15]'], count: 5}\n  - {nodes: ['t[0-7]'], count: 4}\n"
        "  - {nodes: ['t[8-15]'], count: 4}\n");
    check_layer_steps(
        controller,
        {{"-w t0 --resources=natural:1", "t0", "from the first layer of the file"},
         {"-w t8 --resources=natural:5", reserved.data(), "of which 4 are left"},
         {"-w t8 --resources=natural:4", "t8", "all of them"},
         {"-w t8 --resources=natural:1", "t8", "from the next layer"},
         {"-w t0 --resources=natural:4", "t0", "from the layer of its own half"},
         {"release", "", ""},
         {"-N 16 --resources=natural:4", "t[0-15]", "the first layer"},
         {"-N 16 --resources=natural:4", "t[0-15]", "each half has enough, and one pays"},
         {"-N 9 --resources=natural:4", reserved.data(), "8 nodes are left"},
         {"release", "", ""},
         {"-N 1 --resources=natural", "t0", "one"},
         {"-N 1 --resources=natural:0", "t0", "none"},
         {"-N 1 --resources=natural=2", "t0", "= as :"},
         {"-N 1 --resources=natural:1,flat:2", "t0", "two resources"},
         {"-N 1 --resources=natural:6", "refused", "more than any layer has"},
         {"-N 1 --resources=natural:3,natural:3", "refused", "6 together"},
         {"-L natural:t[0-15]:1", "refused", "a layer is no licence"},
         {"-N 1 --resources=nosuch:1", "refused", "unknown"},
         {"-N 1 --resources=NATURAL:1", "refused", "case counts"},
         {"-N 1 --resources=natural:x", "refused", "no number"},
         {"release", "", ""},
         {"-w t0 --resources=flat:6", "t0", "from all layers of t0"},
         {"-N 4 --resources=flat:3", "t[8-11]", "2 are left of the first half"},
         {"-N 2 --resources=flat:3 -w t[4-5]", reserved.data(), "required nodes are closed"},
         {"-N 4 --resources=flat:1", "t[4-7]", "their quarter has 6, their half 2"},
         {"-N 1 -p q --resources=flat:6", reserved.data(), "the whole cluster has 2 left"},
         {"-N 2 -w t[0-1] --resources=flat:1", reserved.data(), "their quarter has none"},
         {"release", "", ""},
         {"-N 1 --resources=flat:7", reserved.data(), "never, yet it waits"},
         {"-N 1 --resources=flat:13", "refused", "more than any layer has"}});
}

TEST_CASE("select: --resources counted by node", "[dialect][slurm]") {
    Controller controller = layer_controller(
        "- resource: power\n  mode: MODE_3\n  variables:\n  - {name: full, value: 1000}\n"
        "  layers:\n"
        "  - {nodes: ['t[0-15]'], count: 13000, base: [{name: ac, value: 1000}]}\n"
        "  - {nodes: ['t[0-7]'], count: 6000, base: [{name: net, value: 1000}]}\n"
        "  - {nodes: ['t[8-15]'], count: 8000}\n  - {nodes: ['t[0-3]'], count: 4000}\n"
        "  - {nodes: ['t[4-7]'], count: 4000}\n  - {nodes: ['t[8-11]'], count: 4000}\n"
        "  - {nodes: ['t[12-15]'], count: 4000}\n");
    check_layer_steps(
        controller,
        {{"-w t0 -n 4", "t0", "busy"},
         {"-N 1 --resources=power:4000", "t1", "the first free node"},
         {"-N 1 --resources=power:4000", "t8", "the first half has 1000 left"},
         {"-N 1 --resources=power:3000", "t12", "t[8-11] have none"},
         {"release", "", ""},
         {"-N 2-4 --resources=power:2000", "t[0-1,8-9]", "nodes without are passed over"},
         {"-N 2-6 -n 8 --resources=power:1000", "t[4,12-13]", "3000 are left in all"},
         {"-N 1-9 --resources=power:1000", "Resources", "none are left"},
         {"release", "", ""},
         {"-n 9 --resources=power:2000", "t[0-1,8]", "in one run of nodes"},
         {"release", "", ""},
         {"-w t3 --resources=power:4000", "t3", "a required node"},
         {"-w t[2-3] --resources=power:1000", "Resources", "their layer is used up"},
         {"-w t4 --resources=power:1000", "t4", "the last of the half"},
         {"-w t5 --resources=power:1000", "Resources", ""},
         {"-x t8 -N 1 --resources=power:4000", "t9", "another of the layer"},
         {"release", "", ""},
         {"-N 1 --resources=power:full", "t0", "a variable"},
         {"-N 1 --resources=power:nosuch", "refused", "no variable"},
         {"-N 1 --resources=power:5000", "refused", "no node ever has so much"},
         {"-N 12 --resources=power:1000", "refused", "11 nodes at most: bases add up"},
         {"-p q -N 3 --resources=power:4000", "refused", "two in this half"}});
}

TEST_CASE("select: what a job has of layers is adopted, and no more than there is",
          "[dialect][slurm]") {
    Controller controller = layer_controller(
        "- {resource: natural, mode: MODE_1, layers: [{nodes: ['t[0-15]'], count: 5}]}\n");
    Decision decision = submit(controller, "-w t0 --resources=natural:4");
    REQUIRE(decision.owner);
    const auto options = slurm::parse_option_text("--resources=natural:4");
    REQUIRE(options.ok());
    const auto again = controller.adopt(decision.grants, options->components.front().options);
    CHECK_FALSE(again.ok());  // its core is taken
    REQUIRE(controller.release(*decision.owner).ok());
    const auto first = controller.adopt(decision.grants, options->components.front().options);
    REQUIRE(first.ok());
    auto elsewhere = decision.grants;
    elsewhere.front().node = "t1";
    const auto second = controller.adopt(elsewhere, options->components.front().options);
    CHECK_THAT(std::string(message(second.status())),
               Catch::Matchers::ContainsSubstring("natural:t[0-15]"));
}

// As slurmctld 26.05.5 shows LicensesAlloc=.
TEST_CASE("select: what a job has of the cluster is shown, and adopted as it is shown",
          "[dialect][slurm]") {
    const std::string layers =
        "- {resource: flat, mode: MODE_2, layers: [{nodes: ['t[0-15]'], count: 9}]}\n"
        "- {resource: natural, mode: MODE_1, layers: [{nodes: ['t[0-15]'], count: 5}, "
        "{nodes: ['t[0-7]'], count: 5}]}\n";
    Controller controller = layer_controller(layers);
    const Decision first = submit(controller, "-w t0 --resources=natural:4,flat:2");
    CHECK(slurm::licenses_text(first.licenses) == "natural(t[0-15]):4,flat:2");
    const Decision second = submit(controller, "-w t1 --resources=natural:4,flat:1");
    CHECK(slurm::licenses_text(second.licenses) == "natural(t[0-7]):4,flat:1");
    Controller other = layer_controller(layers);
    REQUIRE(other.adopt(second.grants, slurm::JobOptions{}, second.licenses).ok());
    REQUIRE(other.adopt(first.grants, slurm::JobOptions{}, first.licenses).ok());
    CHECK(std::ranges::equal(other.cluster().free_counts(), controller.cluster().free_counts()));
    const auto unknown = slurm::parse_licenses("natural(t[0-3]):1");
    REQUIRE(unknown.ok());
    CHECK(other.adopt({}, slurm::JobOptions{}, *unknown).status().code() ==
          StatusCode::kInvalidArgument);
}

TEST_CASE("select: --resources without a resources.yaml is refused", "[dialect][slurm]") {
    auto controller = Controller::create({.slurm_conf = layer_conf}, Release::v26_05);
    REQUIRE(controller.ok());
    CHECK_THAT(submit(*controller, "--resources=power:1").message,
               Catch::Matchers::ContainsSubstring("--resources: unknown resource power"));
}

TEST_CASE("select: jobs of a node use the MPS of one of its GPUs", "[dialect][slurm]") {
    constexpr std::string_view conf =
        "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\nGresTypes=gpu,mps\n"
        "DefMemPerCPU=1000\nNodeName=n[0-1] Sockets=2 CoresPerSocket=4 RealMemory=32000 "
        "Gres=gpu:2,mps:200\nPartitionName=p Nodes=ALL Default=YES\n";
    constexpr std::string_view gres =
        "Name=gpu File=/dev/nvidia0 Cores=0-3\nName=gpu File=/dev/nvidia1 Cores=4-7\n"
        "Name=mps Count=100 File=/dev/nvidia0\nName=mps Count=100 File=/dev/nvidia1\n";
    for (const Release release : {Release::v22_05, Release::v24_11, Release::v26_05}) {
        auto controller = Controller::create({.slurm_conf = conf, .gres_conf = gres}, release);
        REQUIRE(controller.ok());
        const std::vector<LayerStep> steps{
            {"--gres=mps:50 -w n0", "n0", "a part of the first GPU"},
            {"--gres=mps:100 -w n0", "Resources", "the second GPU gives none beside it"},
            {"--gres=mps:50 -w n0", "n0", "the rest of the first"},
            {"--gres=mps:1 -w n0", "Resources",
             "all of the first is in use, the second still closed"},
            {"--gres=mps:1", "n1", "another node"},
            {"--gres=gpu:1 -w n0", "n0", "as a whole the second is free"},
            {"release", "", ""},
            {"--gres=mps:100 -w n0", "n0", "all of the first at once"},
            {"--gres=mps:100 -w n0", "Resources", "which is in use, too"},
            {"release", "", ""},
            {"--gres=gpu:1 -w n0", "n0", "a GPU job on the first"},
            {"--gres=mps:50 -w n0", "n0", "leaves the MPS of the second"}};
        INFO(to_text(release));
        check_layer_steps(*controller, steps);
    }
}

}  // namespace trestle
