// SPDX-License-Identifier: Apache-2.0
// What jobs count as where numbers are large or names are written in another case.
#include "trestle/dialect/slurm/choice/job_tres.hpp"

#include <string>
#include <string_view>

#include "support/catch.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"

namespace trestle {
namespace {

slurm::Decision decision_on(std::string_view slurm_conf, std::string_view options,
                            std::string_view gres_conf = "",
                            slurm::TypedCounts typed = slurm::TypedCounts::by_device) {
    auto controller = slurm::Controller::create({.slurm_conf = slurm_conf, .gres_conf = gres_conf},
                                                slurm::default_release, typed);
    INFO(message(controller.status()));
    REQUIRE(controller.ok());
    auto decision = controller->submit(options);
    INFO(options << ": " << message(decision.status()));
    REQUIRE(decision.ok());
    return *std::move(decision);
}

}  // namespace

TEST_CASE("Slurm TRES: sums of a job stop at the largest count", "[dialect][slurm]") {
    const slurm::Decision decision = decision_on(
        "SelectTypeParameters=CR_Core_Memory\n"
        "NodeName=n[0-3] CPUs=4 RealMemory=8796093022207\nPartitionName=p Nodes=ALL Default=YES\n",
        "-N2 --mem=0");
    REQUIRE(decision.answer == slurm::Answer::allocated);
    CHECK(decision.tres.of({"mem", ""}) == Count::max());

    slurm::NodeGrant grant{"n", {}, Count::max(), Bytes::max(), {}};
    grant.gres = {{{"gpu", "", Count::max()}, {}, {}}, {{"GPU", "", Count(1)}, {}, {}}};
    const std::vector grants{grant, grant};
    slurm::TresRules rules;
    rules.tracked = {{"gres", "gpu"}};
    const TresCounts counts = slurm::granted_tres(grants, {}, {}, rules);
    CHECK(counts.of({"cpu", ""}) == Count::max());
    CHECK(counts.of({"mem", ""}) == Count::max());
    CHECK(counts.of({"gres", "gpu"}) == Count::max());
}

TEST_CASE("Slurm TRES: case tells neither types nor names apart", "[dialect][slurm]") {
    const auto counted = [](std::string_view tracked, std::string_view options,
                            slurm::TypedCounts typed) {
        const std::string conf =
            "SelectTypeParameters=CR_Core\nGresTypes=gpu\nLicenses=matlab:3\n"
            "AccountingStorageTRES=" +
            std::string(tracked) +
            "\nNodeName=n CPUs=4 Gres=gpu:a100:4\n"
            "PartitionName=p Nodes=n Default=YES TRESBillingWeights=CPU=1,GRES/gpu=5\n";
        const slurm::Decision decision =
            decision_on(conf, options, "Name=gpu Type=a100 File=/dev/nvidia[0-3]\n", typed);
        REQUIRE(decision.answer == slurm::Answer::allocated);
        // Without memory, which this cluster does not ask for.
        TresCounts counts = decision.tres;
        counts.erase({"mem", ""});
        return slurm::tres_text(counts);
    };
    const auto ours = slurm::TypedCounts::by_device;
    const auto theirs = slurm::TypedCounts::by_request;
    CHECK(counted("gres/GPU", "--gres=gpu:2", ours) == "cpu=1,node=1,billing=11,gres/GPU=2");
    CHECK(counted("GRES/gpu", "--gres=gpu:2", ours) == "cpu=1,node=1,billing=11,gres/gpu=2");
    CHECK(counted("gres/GPU:A100", "--gres=gpu:2", ours) ==
          "cpu=1,node=1,billing=1,gres/GPU:A100=2");
    CHECK(counted("gres/GPU:A100", "--gres=gpu:2", theirs) ==
          "cpu=1,node=1,billing=1,gres/GPU:A100=2");
    CHECK(counted("gres/gpu,gres/GPU:A100", "--gres=gpu:2", theirs) ==
          "cpu=1,node=1,billing=11,gres/gpu=2");
    CHECK(counted("gres/gpu,gres/GPU:A100", "--gres=gpu:a100:2", theirs) ==
          "cpu=1,node=1,billing=11,gres/GPU:A100=2,gres/gpu=2");
    CHECK(counted("license/MatLab", "-L matlab:2", ours) ==
          "cpu=1,node=1,billing=1,license/MatLab=2");
}

}  // namespace trestle
