// SPDX-License-Identifier: Apache-2.0
// What was decided is what is enforced: from the decision over the credential to the plan.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/slurm_answers.hpp"
#include "support/slurm_oracle.hpp"
#include "support/slurm_replay.hpp"
#include "trestle/dialect/slurm/conf/cgroup_conf.hpp"
#include "trestle/enforce/credential.hpp"
#include "trestle/enforce/limits/limits.hpp"

namespace trestle {
namespace {

slurm::CgroupConf constrains_all() {
    slurm::CgroupConf conf;
    conf.constrains_cores = conf.constrains_devices = conf.constrains_memory = true;
    return conf;
}

/// The limits that the plan of the node is made of, by way of a credential.
Limits limits_by_credential(const slurm::Controller& controller, OwnerId owner,
                            std::string_view name) {
    const Cluster& cluster = controller.cluster();
    const Allocation* const found = cluster.find_allocation(owner);
    REQUIRE(found != nullptr);
    const auto credential = credential_of(*found, [&](NodeId id) { return cluster.node(id); });
    REQUIRE(message(credential.status()) == "");
    const Node node = cluster.node(*cluster.find_node(name));
    const auto part = part_of(*credential, node);
    REQUIRE(message(part.status()) == "");
    return limits_of(*credential->allocation.request, *node.shape, *part,
                     slurm::limit_policy(constrains_all()));
}

/// The limits on each node are what the grants say.
void check_enforced(const slurm::Controller& controller, OwnerId owner,
                    const std::vector<slurm::NodeGrant>& grants) {
    for (const slurm::NodeGrant& grant : grants) {
        INFO(grant.node);
        const Limits limits = limits_by_credential(controller, owner, grant.node);
        CHECK(limits.memory_max.value_or(Bytes()) == grant.memory);
        const auto known = controller.grants(owner);
        REQUIRE(known.ok());
        const auto same = std::find_if(known->begin(), known->end(),
                                       [&](const auto& one) { return one.node == grant.node; });
        REQUIRE(same != known->end());
        CHECK(same->memory == grant.memory);
        CHECK(limits.cpus.count() > 0);
    }
}

}  // namespace

TEST_CASE("Slurm controller: recorded allocations are enforced as they were decided",
          "[dialect][slurm][law][unsanitized]") {
    struct Row {
        slurm::Release release;
        const char* folder;
        std::size_t least;  ///< allocations of the folder
    };
    const Row rows[] = {{slurm::Release::v22_05, "slurm-oracle", 700},
                        {slurm::Release::v24_11, "slurm-oracle-24.11", 1200},
                        {slurm::Release::v26_05, "slurm-oracle-26.05", 1200}};
    for (const Row& row : rows) {
        INFO(row.folder);
        const auto recordings = slurm_oracle::load_all(row.folder);
        REQUIRE(message(recordings.status()) == "");
        std::size_t allocated = 0;
        for (const slurm_oracle::Recording& one : *recordings) {
            auto controller = slurm::Controller::create({.slurm_conf = one.slurm_conf,
                                                         .gres_conf = one.gres_conf,
                                                         .topology_conf = one.topology_conf,
                                                         .topology_yaml = one.topology_yaml,
                                                         .resources_yaml = one.resources_yaml},
                                                        row.release);
            REQUIRE(controller.ok());
            for (const slurm_oracle::Step& step : one.steps) {
                if (step.op != "submit" || step.result.status != "allocated") continue;
                INFO(one.file << " " << step.options);
                slurm::Controller decided = *controller;  // each alone on the idle cluster
                const auto decision = decided.submit(step.options);
                if (decision.ok() && decision->owner) {
                    check_enforced(decided, *decision->owner, decision->grants);
                }
                slurm::Controller adopted = *controller;
                const auto owner =
                    adopted.adopt(step.result.nodes, slurm_oracle::options_of_job(step.options));
                REQUIRE(owner.ok());
                check_enforced(adopted, *owner, step.result.nodes);
                ++allocated;
            }
        }
        CHECK(allocated >= row.least);
    }
}

TEST_CASE("Slurm controller: memory and time of a job reach its plan", "[dialect][slurm]") {
    constexpr std::string_view conf =
        "SelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\n"
        "NodeName=n[0-1] CPUs=8 RealMemory=64000 Gres=gpu:4\n"
        "PartitionName=p Nodes=ALL Default=YES MaxTime=60\n"
        "PartitionName=cpu Nodes=ALL DefMemPerCPU=1000 DefaultTime=10\n"
        "PartitionName=gpu Nodes=ALL DefMemPerGPU=9000\n"
        "PartitionName=node Nodes=ALL DefMemPerNode=5000\n";
    struct Row {
        const char* options;
        std::int64_t memory_mib;  ///< of the first node
        std::int64_t minutes;     ///< 0: no limit
        const char* why;
    };
    const Row rows[] = {
        {"--mem=16G -t 5", 16384, 5, "both were said"},
        {"--mem=16G", 16384, 60, "the partition's MaxTime stands for the time"},
        {"--mem=0 -t 5", 64000, 5, "all memory of the node"},
        {"-t 5", 64000, 5, "without a default all memory is given"},
        {"-p cpu -n 3", 3000, 10, "DefMemPerCPU, DefaultTime"},
        {"-p cpu -n 3 --mem-per-cpu=2000 -t 7", 6000, 7, "by CPU"},
        {"-p cpu -N 2 -n 5", 4000, 10, "four CPUs of the first node, one of the second"},
        {"-p gpu -G 2", 18000, 0, "DefMemPerGPU"},
        {"-p gpu -G 1 --mem-per-gpu=4000", 4000, 0, "by GPU"},
        {"-p node -t 1-0", 5000, 24 * 60, "DefMemPerNode"},
    };
    for (const Row& row : rows) {
        INFO(row.options << ": " << row.why);
        slurm::Controller controller = slurm_answers::controller_of(
            conf, "Name=gpu File=/dev/nvidia[0-3]\n", "", slurm::Release::v24_11);
        const slurm::Decision decision = slurm_answers::submit(controller, row.options);
        REQUIRE(decision.owner);
        check_enforced(controller, *decision.owner, decision.grants);
        CHECK(decision.grants.front().memory == mib(row.memory_mib));
        const Cluster& cluster = controller.cluster();
        const auto credential = credential_of(*cluster.find_allocation(*decision.owner),
                                              [&](NodeId id) { return cluster.node(id); });
        REQUIRE(credential.ok());
        PlanOptions options;
        options.group = "job_1";
        const auto plan =
            plan_of(*credential, cluster.node(*cluster.find_node(decision.grants.front().node)),
                    LimitPolicy(), options);
        REQUIRE(message(plan.status()) == "");
        const auto limit = plan->end.time_limit;
        CHECK(limit.value_or(Seconds()) == Seconds(row.minutes * 60));
        CHECK(to_text(*plan).find(std::to_string(row.memory_mib * 1024 * 1024)) !=
              std::string::npos);
    }
}

}  // namespace trestle
