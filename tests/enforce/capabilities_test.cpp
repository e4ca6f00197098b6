// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/capabilities.hpp"

#include <algorithm>

#include "enforce/detail/lack_of.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/gpu_node.hpp"
#include "support/rich_policy.hpp"
#include "support/shown.hpp"
#include "trestle/enforce/plan.hpp"

namespace {

using namespace trestle;

static_assert(lists_all_fields<Capabilities>);

Capabilities whole_machine() {
    Capabilities machine;
    machine.kernel = "6.12.117-amd64";
    machine.controllers = {"cpuset", "cpu", "io", "memory", "hugetlb", "pids", "rdma", "misc"};
    machine.has_exclusive_cpus = true;
    machine.can_limit_swap = true;
    machine.has_user_xattrs = true;
    machine.has_io_weight = true;
    machine.has_hugetlb_reservation = true;
    machine.huge_page_sizes = {mib(2), gib(1)};
    return machine;
}

StatusOr<Plan> planned_for(const Capabilities& machine, const LimitPolicy& policy) {
    PlanOptions options;
    options.group = "job_42";
    options.capabilities = machine;
    return plan(gpu_node(), two_cores(), four_cpus(), policy, options);
}

TEST_CASE("plan: a machine that has all changes nothing", "[enforce][plan]") {
    PlanOptions options;
    options.group = "job_42";
    const Plan without = plan(gpu_node(), two_cores(), four_cpus(), rich_policy(), options).value();
    CHECK(planned_for(whole_machine(), rich_policy()).value() == without);
    check_golden("plan_rich.txt", to_text(without));
}

TEST_CASE("plan: what the machine lacks is an error or is said", "[enforce][plan]") {
    struct Row {
        void (*change)(Capabilities&);
        std::vector<std::string> lost;  ///< resources, with best effort
        const char* error;              ///< with require; empty: none
        const char* why;
    };
    const auto drop = [](Capabilities& machine, const char* name) {
        std::erase(machine.controllers, name);
    };
    static const auto drop_controller = drop;
    const Row rows[] = {
        {[](Capabilities&) {}, {}, "", "nothing"},
        {[](Capabilities& m) { drop_controller(m, "cpuset"); },
         {"cpu", "partition"},
         "cpu: controller cpuset is not available, only: cpu io memory hugetlb pids rdma misc; "
         "required for: enable cpuset below /",
         "all that is in its files"},
        {[](Capabilities& m) { drop_controller(m, "cpu"); },
         {"cpu quota", "cpu weight"},
         "cpu quota: controller cpu is not available",
         "both that it keeps"},
        {[](Capabilities& m) { drop_controller(m, "memory"); },
         {"memory", "swap"},
         "memory: controller memory is not available",
         "swap goes with it"},
        {[](Capabilities& m) { m.can_limit_swap = false; },
         {"swap"},
         "swap: the kernel does not limit swap; required for: write job_42/memory.swap.max = "
         "1073741824",
         "memory stays limited"},
        {[](Capabilities& m) { drop_controller(m, "pids"); },
         {"pids"},
         "pids: controller pids is not available",
         "a controller"},
        {[](Capabilities& m) { drop_controller(m, "io"); },
         {"io", "io weight"},
         "io: controller io is not available",
         "both that it keeps"},
        {[](Capabilities& m) { m.has_io_weight = false; },
         {"io weight"},
         "io weight: the kernel has no weights of block devices (iocost)",
         "bandwidth stays"},
        {[](Capabilities& m) { m.huge_page_sizes = {gib(1)}; },
         {"hugetlb", "hugetlb reservation"},
         "hugetlb: no huge pages of this size, only: 1GB",
         "another size"},
        {[](Capabilities& m) { m.huge_page_sizes = {}; },
         {"hugetlb", "hugetlb reservation"},
         "hugetlb: no huge pages of this size, only: none",
         "none at all"},
        {[](Capabilities& m) { m.has_hugetlb_reservation = false; },
         {"hugetlb reservation"},
         "",
         "required too: the other file holds without it"},
        {[](Capabilities& m) { drop_controller(m, "rdma"); },
         {"rdma"},
         "rdma: controller rdma",
         "a controller"},
        {[](Capabilities& m) { drop_controller(m, "misc"); },
         {"misc"},
         "misc: controller misc",
         "a controller"},
        {[](Capabilities& m) { m.has_user_xattrs = false; },
         {"owner"},
         "",
         "never required: the group holds without its label"},
        {[](Capabilities& m) { m.no_device_filter = "bpf: Operation not permitted"; },
         {"devices"},
         "devices: bpf: Operation not permitted; required for: filter devices of job_42",
         "an ordinary user"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Capabilities machine = whole_machine();
        row.change(machine);
        LimitPolicy policy = rich_policy();
        const auto required = planned_for(machine, policy);
        if (*row.error == '\0') {
            CHECK(required.ok());
        } else {
            CHECK(required.status().code() == StatusCode::kFailedPrecondition);
            CHECK_THAT(std::string(message(required.status())),
                       Catch::Matchers::StartsWith(row.error));
        }
        policy.requirements = Requirements::all(Requirement::best_effort);
        const Plan made = planned_for(machine, policy).value();
        std::vector<std::string> lost;
        for (const Shortfall& one : made.shortfalls) lost.push_back(one.resource);
        CHECK(lost == row.lost);
        for (const Step& step : made.steps) {
            INFO(to_text(step));
            CHECK(lack_of(step, machine).empty());
        }
    }
}

TEST_CASE("plan: reservations of huge pages are worth no error, whatever is known",
          "[enforce][plan]") {
    PlanOptions options;
    options.group = "job_42";
    const Plan made = plan(gpu_node(), two_cores(), four_cpus(), rich_policy(), options).value();
    const auto at = std::find_if(made.steps.begin(), made.steps.end(), [](const Step& step) {
        return step.resource == "hugetlb reservation";
    });
    REQUIRE(at != made.steps.end());
    CHECK(at->requirement == Requirement::best_effort);
}

TEST_CASE("plan: a machine that offers nothing, by best effort", "[enforce][plan][golden]") {
    LimitPolicy policy = rich_policy();
    policy.requirements = Requirements::all(Requirement::best_effort);
    Capabilities nothing;
    nothing.no_device_filter = "bpf: Operation not permitted";
    check_golden("plan_shortfalls.txt", to_text(planned_for(nothing, policy).value()));
}

TEST_CASE("plan: without a filter devices have the node's own numbers", "[enforce][plan]") {
    LimitPolicy policy;
    policy.requirements.devices = Requirement::best_effort;
    PlanOptions options;
    options.group = "job_42";
    options.capabilities = whole_machine();
    const auto variables = [&] {
        return plan(gpu_node(), two_gpus(), eight_cpus_two_gpus(), policy, options)
            .value()
            .process.environment;
    };
    CHECK(variables() == shown({{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
                                {"CUDA_VISIBLE_DEVICES", "2,3"}}));  // it may still fail
    policy.requirements.devices = Requirement::require;
    CHECK(variables() == shown({{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
                                {"CUDA_VISIBLE_DEVICES", "2,3"}}));  // spawn counts from 0
    policy.requirements.devices = Requirement::best_effort;
    options.capabilities->no_device_filter = "bpf: Operation not permitted";
    CHECK(variables() ==
          shown({{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", "2,3"}}));
}

TEST_CASE("plan: a partition needs CPUs of its own", "[enforce][plan]") {
    LimitPolicy policy;
    policy.partition = CpusetPartition::isolated;
    NodePlacement anywhere = two_cores();
    anywhere.milli_cpus = MilliCpu(500);
    PlanOptions options;
    options.group = "job_42";
    const auto made = [&] { return plan(gpu_node(), anywhere, four_cpus(), policy, options); };
    CHECK(made().status().code() == StatusCode::kInvalidArgument);
    CHECK(message(made().status()) ==
          "partition: isolated: the group has no CPUs of its own, expected cores only");
    policy.requirements.partition = Requirement::best_effort;
    CHECK(made().value().shortfalls ==
          std::vector<Shortfall>{{"partition",
                                  "write job_42/cpuset.cpus.partition = isolated (best effort)",
                                  "the group has no CPUs of its own, expected cores only"}});
    policy.requirements.partition = Requirement::skip;
    CHECK(made().value().shortfalls.empty());
}

TEST_CASE("plan: a policy that the kernel would refuse", "[enforce][plan]") {
    LimitPolicy policy;
    policy.cpu_weight = Count(0);
    const auto made = planned_for(whole_machine(), policy);
    CHECK(made.status().code() == StatusCode::kInvalidArgument);
    CHECK(message(made.status()) == "policy: cpu_weight: 0, expected 1 to 10000");
}

TEST_CASE("lack_of: what is no matter of controllers lacks nothing", "[enforce][plan]") {
    CHECK(lack_of({Step::MakeGroup{}, Requirement::require, "", "job"}, {}).empty());
    CHECK(lack_of({Step::SetFrozen{true}, Requirement::require, "", "job"}, {}).empty());
}

}  // namespace
