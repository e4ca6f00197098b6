// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/plan.hpp"

#include <algorithm>

#include "enforce/detail/step_parts.hpp"
#include "enforce/process/environment_words.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/gpu_node.hpp"
#include "support/limit_text.hpp"
#include "support/shown.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/enforce/task.hpp"

namespace {

using namespace trestle;

static_assert(lists_all_fields<Step> && lists_all_fields<Plan> && lists_all_fields<PlanOptions>);

PlanOptions job_42() {
    PlanOptions options;
    options.group = "job_42";
    options.owner = OwnerId(42);
    return options;
}

Plan planned(const NodePlacement& placement, const Request& request, const LimitPolicy& policy,
             const PlanOptions& options) {
    const auto made = plan(gpu_node(), placement, request, policy, options);
    INFO(made.status().ToString());
    REQUIRE(made.ok());
    return *made;
}

TEST_CASE("plan: golden plans", "[enforce][plan][golden]") {
    LimitPolicy everything;
    everything.source = LimitPolicy::Source::capacity;
    everything.swap = gib(1);
    everything.has_cpu_quota = true;
    everything.pids_max = Count(4096);
    PlanOptions rich = job_42();
    rich.environment = {shown_variable("CUDA_VISIBLE_DEVICES", "7"), {"TOKEN", "8"}};
    rich.limits = {{ProcessSettings::Limit::Resource::core, 0, 0},
                   {ProcessSettings::Limit::Resource::memlock, std::nullopt, std::nullopt}};
    PlanOptions step = job_42();
    step.group = "job_42/step_0";
    LimitPolicy lenient;
    lenient.requirements = Requirements::all(Requirement::best_effort);
    LimitPolicy nothing;
    nothing.requirements = Requirements::all(Requirement::skip);

    check_golden("plan_cpus.txt", to_text(planned(two_cores(), four_cpus(), {}, job_42())));
    check_golden("plan_gpus.txt",
                 to_text(planned(two_gpus(), eight_cpus_two_gpus(), {}, job_42())));
    check_golden("plan_everything.txt",
                 to_text(planned(two_gpus(), eight_cpus_two_gpus(), everything, rich)));
    check_golden("plan_step.txt", to_text(planned(two_cores(), four_cpus(), {}, step)));
    check_golden("plan_best_effort.txt",
                 to_text(planned(two_gpus(), eight_cpus_two_gpus(), lenient, job_42())));
    check_golden("plan_nothing.txt",
                 to_text(planned(two_gpus(), eight_cpus_two_gpus(), nothing, job_42())));
}

TEST_CASE("plan: when and how the job is ended", "[enforce][plan]") {
    Request request = four_cpus();
    CHECK(planned(two_cores(), request, {}, job_42()).end == EndPolicy());
    request.time_limit = Seconds(600);
    PlanOptions options = job_42();
    options.end.warning = {10, Seconds(300), EndPolicy::Target::leader};
    const Plan made = planned(two_cores(), request, {}, options);
    CHECK(made.end.time_limit == Seconds(600));
    CHECK_THAT(to_text(made),
               Catch::Matchers::EndsWith("\ntime 600 s, SIGUSR1 to the leader 300 s before; end by "
                                         "SIGTERM to every process, after 30 s SIGKILL\n"));
    options.end.time_limit = Seconds(60);  // as of the partition
    CHECK(planned(two_cores(), request, {}, options).end.time_limit == Seconds(60));
    options.end.end_signal = 99;
    CHECK(plan(gpu_node(), two_cores(), request, {}, options).status().code() ==
          StatusCode::kInvalidArgument);
}

TEST_CASE("plan: controllers, group, label, limits, filter, in this order", "[enforce][plan]") {
    LimitPolicy policy;
    policy.has_cpu_quota = true;
    policy.pids_max = Count(10);
    const Plan made = planned(two_gpus(), eight_cpus_two_gpus(), policy, job_42());
    const std::vector<std::string_view> order = {Step::EnableController::kind,
                                                 Step::MakeGroup::kind, Step::LabelGroup::kind,
                                                 Step::SetLimit::kind, Step::LoadFilter::kind};
    const auto rank = [&](const Step& step) {
        return std::find(order.begin(), order.end(), kind_of(step.action)) - order.begin();
    };
    for (std::size_t i = 1; i < made.steps.size(); ++i) {
        CHECK(rank(made.steps[i - 1]) <= rank(made.steps[i]));
    }
    CHECK(std::count_if(made.steps.begin(), made.steps.end(), [](const Step& step) {
              return action_of<Step::MakeGroup>(step) != nullptr;
          }) == 1);
    CHECK(action_of<Step::LoadFilter>(made.steps.back()) != nullptr);
}

TEST_CASE("plan: each file is written under a controller that the plan enables",
          "[enforce][plan]") {
    for (unsigned bits = 0; bits < 16; ++bits) {
        LimitPolicy policy;
        policy.has_cpu_quota = (bits & 1) != 0;
        if ((bits & 2) != 0) policy.pids_max = Count(10);
        if ((bits & 4) != 0) policy.requirements.cpu = Requirement::skip;
        if ((bits & 8) != 0) policy.requirements.memory = Requirement::skip;
        const Plan made = planned(two_gpus(), eight_cpus_two_gpus(), policy, job_42());
        std::vector<std::string> enabled, used;
        for (const Step& step : made.steps) {
            if (!enabled_by(step).empty()) enabled.push_back(enabled_by(step));
            if (limit_of(step) == nullptr) continue;
            const std::string file = file_of_step(step);
            const std::string controller = file.substr(0, file.find('.'));
            if (used.empty() || used.back() != controller) used.push_back(controller);
        }
        INFO("choice " << bits);
        CHECK(enabled == used);
    }
}

TEST_CASE("plan: memory is counted also where it is not limited", "[enforce][plan]") {
    Request no_memory;
    const auto counts = [](const Plan& made) {
        return std::any_of(made.steps.begin(), made.steps.end(), [](const Step& step) {
            return enabled_by(step) == "memory" && step.resource == "memory usage" &&
                   step.requirement == Requirement::best_effort;
        });
    };
    CHECK(counts(planned(two_cores(), no_memory, {}, job_42())));
    CHECK_FALSE(counts(planned(two_cores(), four_cpus(), {}, job_42())));
    LimitPolicy policy;
    policy.requirements.memory = Requirement::skip;
    CHECK_FALSE(counts(planned(two_cores(), no_memory, policy, job_42())));
}

TEST_CASE("plan: the same input gives the same plan", "[enforce][plan][law]") {
    const Plan one = planned(two_gpus(), eight_cpus_two_gpus(), {}, job_42());
    const Plan two = planned(two_gpus(), eight_cpus_two_gpus(), {}, job_42());
    CHECK(one == two);
    CHECK(hash_of(one) == hash_of(two));
    PlanOptions other = job_42();
    other.group = "job_43";
    CHECK(one != planned(two_gpus(), eight_cpus_two_gpus(), {}, other));
}

TEST_CASE("plan: skipping devices shows the node's own numbers", "[enforce][plan]") {
    LimitPolicy policy;
    policy.requirements.devices = Requirement::skip;
    const Plan made = planned(two_gpus(), eight_cpus_two_gpus(), policy, job_42());
    CHECK(made.process.environment ==
          shown({{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", "2,3"}}));
    CHECK(made.behind_filter.empty());
    Node with_uuids = gpu_node();
    NodeShape shape = *with_uuids.shape;
    for (std::size_t i = 0; i < shape.devices.size(); ++i) {
        shape.devices[i].uuid = "GPU-" + std::to_string(i);
    }
    with_uuids.shape = shape;
    const auto named = plan(with_uuids, two_gpus(), eight_cpus_two_gpus(), policy, job_42());
    CHECK(named.value().process.environment == shown({{"CUDA_VISIBLE_DEVICES", "GPU-2,GPU-3"}}));
}

TEST_CASE("plan: with a filter both ways of counting are planned", "[enforce][plan]") {
    LimitPolicy policy;
    policy.requirements.devices = Requirement::best_effort;
    PlanOptions options = job_42();
    const Plan made = planned(two_gpus(), eight_cpus_two_gpus(), policy, options);
    CHECK(made.process.environment ==
          shown({{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", "2,3"}}));
    CHECK(made.behind_filter == shown({{"CUDA_VISIBLE_DEVICES", "0,1"}}));
    const Plan behind = with_filter_in_force(made);
    CHECK(behind.process.environment ==
          shown({{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", "0,1"}}));
    CHECK(behind.behind_filter.empty());
    options.environment = {shown_variable("CUDA_VISIBLE_DEVICES", "7")};
    CHECK(planned(two_gpus(), eight_cpus_two_gpus(), policy, options).behind_filter.empty());
    TaskSettings task;
    task.environment = {shown_variable("CUDA_VISIBLE_DEVICES", "2")};
    CHECK(with_filter_in_force(task_plan(made, task).value()).process.environment ==
          shown({{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", "2"}}));
    policy.requirements.devices = Requirement::require;
    CHECK(planned(two_gpus(), eight_cpus_two_gpus(), policy, job_42()).behind_filter ==
          made.behind_filter);
}

TEST_CASE("plan: variables of devices that the job has not are unset", "[enforce][plan]") {
    using Names = std::vector<std::string>;
    const Names others{"ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ZE_AFFINITY_MASK",
                       "HABANA_VISIBLE_DEVICES", "NEURON_RT_VISIBLE_CORES"};
    Names all{"CUDA_VISIBLE_DEVICES"};
    all.insert(all.end(), others.begin(), others.end());
    Names with_own = others;
    with_own.push_back("DISPLAY");
    PlanOptions sets = job_42(), takes = job_42(), takes_away = job_42(), none = job_42();
    sets.environment = {shown_variable("ZE_AFFINITY_MASK", "0")};
    takes.unset = {"DISPLAY"};
    takes_away.unset = {"CUDA_VISIBLE_DEVICES"};
    none.profiles.clear();
    NodePlacement no_gpu = two_gpus();
    no_gpu.devices.clear();
    Request cpus = eight_cpus_two_gpus();
    cpus.devices.clear();
    struct Row {
        NodePlacement placement;
        Request request;
        PlanOptions options;
        Names unset;
        const char* why;
    };
    Names without_ze = all;
    std::erase(without_ze, "ZE_AFFINITY_MASK");
    Names away{"CUDA_VISIBLE_DEVICES"};
    away.insert(away.end(), others.begin(), others.end());
    Names with_display{"DISPLAY"};
    with_display.insert(with_display.end(), others.begin(), others.end());
    const Row rows[] = {
        {two_gpus(), eight_cpus_two_gpus(), job_42(), others, "NVIDIA's cards are the job's"},
        {no_gpu, cpus, job_42(), all, "a job without GPU"},
        {no_gpu, cpus, sets, without_ze, "the caller sets one"},
        {two_gpus(), eight_cpus_two_gpus(), takes, with_display, "the caller takes one away"},
        {two_gpus(), eight_cpus_two_gpus(), takes_away, away, "and one that would be set"},
        {no_gpu, cpus, none, {}, "no profile, no variable"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const Plan made = planned(row.placement, row.request, {}, row.options);
        CHECK(made.process.unset == row.unset);
        for (const EnvironmentVariable& one : with_filter_in_force(made).process.environment) {
            INFO(one.name);
            CHECK(std::find(row.unset.begin(), row.unset.end(), one.name) == row.unset.end());
        }
    }
    PlanOptions both = sets;
    both.unset = {"ZE_AFFINITY_MASK"};
    const auto refused = plan(gpu_node(), two_gpus(), eight_cpus_two_gpus(), LimitPolicy(), both);
    CHECK_THAT(std::string(message(refused.status())),
               ContainsSubstring("unset: ZE_AFFINITY_MASK: environment sets it"));
}

TEST_CASE("plan: what no step does is carried for containers", "[enforce][plan]") {
    Request request = eight_cpus_two_gpus();
    request.shm_size = gib(8);
    request.disk = Range<Bytes>::at_least(gib(100));
    const Plan made = planned(two_gpus(), request, {}, job_42());
    CHECK(made.shm_size == gib(8));
    CHECK(made.disk == request.disk);
    REQUIRE(made.devices.size() == 2);
    CHECK(made.devices[0].index == 2);
    const Plan without = planned(two_gpus(), eight_cpus_two_gpus(), {}, job_42());
    CHECK(made.steps == without.steps);
    CHECK(made != without);
}

TEST_CASE("plan: bad input is one line that says what and where", "[enforce][plan]") {
    struct Row {
        NodePlacement placement;
        PlanOptions options;
        const char* what;
        const char* why;
    };
    const auto changed = [](auto value, auto change) {
        change(value);
        return value;
    };
    const Row rows[] = {
        {two_cores(), changed(job_42(), [](PlanOptions& o) { o.group = "../x"; }), "group name",
         "a group outside"},
        {two_cores(),
         changed(job_42(),
                 [](PlanOptions& o) {
                     o.environment = {{"A=B", "1"}};
                 }),
         "environment: the name \"A\" is", "a name with =: the rest may be a value"},
        {two_cores(),
         changed(job_42(),
                 [](PlanOptions& o) {
                     o.environment = {{"", "1"}};
                 }),
         "environment: the name \"\"", "no name"},
        {two_cores(),
         changed(job_42(),
                 [](PlanOptions& o) {
                     o.environment = {{"A", std::string("x\0y", 3)}};
                 }),
         "environment: the value of A", "NUL in a value"},
        {changed(two_cores(), [](NodePlacement& p) { p.cores = {}; }), job_42(), "no core",
         "no core"},
        {changed(two_cores(), [](NodePlacement& p) { p.cores.insert(CoreId(16)); }), job_42(),
         "core 16 does not exist, expected 0-15", "the first core that does not exist"},
        {changed(two_cores(),
                 [](NodePlacement& p) {
                     p.memory = {{DomainId(2), gib(1)}};
                 }),
         job_42(), "memory domain 2 does not exist, the node has 2", "a domain that is not there"},
        {changed(two_cores(),
                 [](NodePlacement& p) {
                     p.devices = {{DeviceId(4), Count(1)}};
                 }),
         job_42(), "device 4 does not exist, the node has 4", "a device that is not there"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto made = plan(gpu_node(), row.placement, four_cpus(), {}, row.options);
        CHECK(made.status().code() == StatusCode::kInvalidArgument);
        const std::string text{message(made.status())};
        CHECK_THAT(text, Catch::Matchers::ContainsSubstring(row.what));
        CHECK(text.find('\n') == text.npos);
    }
}

TEST_CASE("plan: memory asked and none granted is refused, not unlimited", "[enforce][plan]") {
    NodePlacement placement = two_cores();
    placement.memory.clear();
    const auto made = plan(gpu_node(), placement, four_cpus(), {}, job_42());
    CHECK(made.status().code() == StatusCode::kInvalidArgument);
    CHECK(message(made.status()) == "placement: it has no memory, the request asks for 16GiB");
    CHECK(plan(gpu_node(), placement, Request{}, {}, job_42()).ok());
    Request per_device = four_cpus();
    per_device.memory_per = Per::device;
    CHECK(plan(gpu_node(), placement, per_device, {}, job_42()).ok());  // 16 GiB for no device
}

TEST_CASE("plan: the quota is a tenth of a second for each CPU", "[enforce][plan]") {
    LimitPolicy policy;
    policy.has_cpu_quota = true;
    const Plan made = planned(two_cores(), four_cpus(), policy, job_42());
    const auto at = std::find_if(made.steps.begin(), made.steps.end(),
                                 [](const Step& step) { return file_of_step(step) == "cpu.max"; });
    REQUIRE(at != made.steps.end());
    CHECK(value_of_step(*at) == "400000 100000");
}

TEST_CASE("plan: thousandths of CPUs become a quota, and name no CPU", "[enforce][plan]") {
    struct Row {
        std::int64_t milli;
        const char* quota;
        const char* why;
    };
    const Row rows[] = {
        {1'500, "150000 100000", "one and a half"},
        {10, "1000 100000", "the least that the kernel takes"},
        {9, "9000 1000000", "less, for a longer period"},
        {1, "1000 1000000", "the least of all"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        NodePlacement placement = two_cores();
        placement.cores = {};
        placement.milli_cpus = MilliCpu(row.milli);
        const Plan made = planned(placement, four_cpus(), {}, job_42());
        std::vector<std::string> enabled;
        for (const Step& step : made.steps) {
            if (!enabled_by(step).empty()) enabled.push_back(enabled_by(step));
            CHECK(file_of_step(step) != "cpuset.cpus");
            if (file_of_step(step) == "cpuset.mems") CHECK(value_of_step(step) == "0");
            if (file_of_step(step) == "cpu.max") CHECK(value_of_step(step) == row.quota);
        }
        CHECK(enabled == std::vector<std::string>{"cpuset", "cpu", "memory"});
        CHECK(made.process.affinity.is_empty());
    }
}

}  // namespace
