// SPDX-License-Identifier: Apache-2.0
// trestle_spank.so: limits each step of a job to what Slurm gave it, where Slurm itself does not.
//
// In slurmstepd, as root: init_post_opt makes a group of cgroup v2 for the step, with its CPUs, its
// memory and a device filter; task_init_privileged puts each task into it; task_init binds the task
// to CPUs near its GPUs; exit removes the group. The epilog removes what a killed slurmstepd left.
// README.md beside this file has the licence, docs/guides/slurm_plugins.md how to use it.
//
// No error passes in silence: it goes to the log of slurmd and to the step's standard error. With
// `strict` no task of the step starts, with `warn` they start without what could not be done. Both
// are decided in task_init, where Slurm has opened the standard error: a plugin that fails earlier
// is not heard by the user, and makes Slurm drain the node.
extern "C" {
#include <slurm/spank.h>
}

#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "arguments.hpp"
#include "machine.hpp"
#include "step_plan.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/enforce/task.hpp"
#include "trestle/os/cgroup_enforcer.hpp"

namespace trestle_spank {
namespace {

/// Of this slurmstepd, which serves one step.
struct Stepd {
    Node node;
    StepPlan step;
    std::vector<std::uint32_t> gpus;
    std::vector<Shortfall> shortfalls;
    std::unique_ptr<Enforcer> enforcer;  ///< null: no group was made
};

std::optional<Stepd> stepd;
std::string problem;  ///< what went wrong first; empty: nothing
bool is_explained = false;

void throw_violation(const ContractViolation& violation) {
    throw std::logic_error(fmt::format("contract broken at {}:{}: {}", violation.file,
                                       violation.line, violation.message));
}

void note(std::string_view text) {
    ::slurm_error("trestle: %.*s", static_cast<int>(text.size()), text.data());
    if (problem.empty()) problem = text;
}

/// Runs a hook and notes what goes wrong. Nothing is thrown into Slurm, which goes on.
template <class Hook>
void run(const Hook& hook) noexcept {
    try {
        set_contract_handler(&throw_violation);
        const Status status = hook();
        if (!status.ok()) note(message(status));
    } catch (const std::exception& error) {
        note(error.what());
    } catch (...) {
        note("unknown exception");
    }
}

/// The arguments that are in force, whatever else stands there.
Arguments arguments_of(int count, char** words) {
    Arguments arguments;
    run([&] { return read_arguments({words, words + count}, arguments); });
    return arguments;
}

template <class T>
StatusOr<T> item_of(spank_t spank, spank_item item, const char* name) {
    T value = {};
    const spank_err_t error = ::spank_get_item(spank, item, &value);
    if (error == ESPANK_SUCCESS) return value;
    return failed_precondition("Slurm does not tell {}: {}", name, ::spank_strerror(error));
}

std::string variable_of(spank_t spank, const char* name) {
    std::array<char, 4096> value = {};
    const auto error = ::spank_getenv(spank, name, value.data(), static_cast<int>(value.size()));
    return error == ESPANK_SUCCESS ? value.data() : "";
}

constexpr std::uint32_t batch_step = 0xfffffffb, special_steps = 0xfffffff0;

StatusOr<StepFacts> facts_of(spank_t spank, std::uint32_t step) {
    StepFacts facts;
    TRESTLE_TRY(facts.job, item_of<std::uint32_t>(spank, S_JOB_ID, "the job"));
    TRESTLE_TRY(facts.tasks, item_of<std::uint32_t>(spank, S_JOB_LOCAL_TASK_COUNT, "the tasks"));
    TRESTLE_TRY(facts.cpus_per_task,
                item_of<std::uint32_t>(spank, S_STEP_CPUS_PER_TASK, "the CPUs of a task"));
    TRESTLE_TRY(facts.memory, item_of<std::uint64_t>(spank, S_STEP_ALLOC_MEM, "the memory"));
    TRESTLE_TRY(const char* const cores, item_of<char*>(spank, S_STEP_ALLOC_CORES, "the cores"));
    facts.cores = cores == nullptr ? "" : cores;
    facts.step = step == batch_step ? "batch" : std::to_string(step);
    // slurmstepd sets or clears this one for each step of srun. Of SLURM_JOB_GPUS a user may have
    // made up the value there, but not in a batch script.
    facts.gpus = variable_of(spank, step == batch_step ? "SLURM_JOB_GPUS" : "SLURM_STEP_GPUS");
    return facts;
}

/// The folder of all groups, with the controllers of the one above.
Status make_root(const std::string& folder) {
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
        return failed_precondition("{}: {}", folder, std::strerror(errno));
    }
    const auto above = std::filesystem::path(folder).parent_path() / "cgroup.subtree_control";
    for (const char* controller : {"+cpuset", "+memory"}) {
        std::ofstream(above) << controller;  // what cannot be had is a shortfall of the plan
    }
    return {};
}

/// Makes the group above the step's, which other steps of the job may have made. It gets the
/// controllers that the plan hands down from it; one that cannot be had is a shortfall of the plan.
Status make_group_of_job(Enforcer& enforcer, const Plan& plan, const std::string& job) {
    const Status made = enforcer.run({Step::MakeGroup{}, Requirement::require, "", job});
    if (!made.ok() && made.code() != StatusCode::kAlreadyExists) return made;
    for (Step step : plan.steps) {
        if (!std::holds_alternative<Step::EnableController>(step.action)) continue;
        step.group.clear();
        (void)enforcer.run(step);
    }
    return {};
}

/// Makes the step's group. What was found out is in `stepd` even where this fails.
Status limit_step(spank_t spank, const Arguments& arguments) {
    TRESTLE_TRY(const auto step, item_of<std::uint32_t>(spank, S_JOB_STEPID, "the step"));
    if (step >= special_steps && step != batch_step) return {};  // extern, interactive
    TRESTLE_TRY(const StepFacts facts, facts_of(spank, step));
    Stepd made;
    TRESTLE_TRY(made.node, read_machine(arguments));
    TRESTLE_TRY(made.step, plan_step(made.node, facts, arguments.is_strict));
    TRESTLE_TRY(made.gpus, numbers_of(facts.gpus));
    stepd = std::move(made);

    TRESTLE_TRY_STATUS(make_root(arguments.cgroup));
    TRESTLE_TRY(auto enforcer, os::CgroupEnforcer::open(arguments.cgroup));
    TRESTLE_TRY_STATUS(make_group_of_job(*enforcer, stepd->step.plan, group_of_job(facts.job)));
    TRESTLE_TRY(const Applied applied, enforcer->apply(stepd->step.plan));
    stepd->enforcer = std::move(enforcer);
    stepd->shortfalls = applied.shortfalls;
    if (applied.shortfalls.empty()) return {};
    return failed_precondition("not enforced: {}", to_text(applied));
}

bool has_filter(const Stepd& step) {
    if (step.enforcer == nullptr) return false;
    for (const Shortfall& shortfall : step.shortfalls) {
        if (shortfall.resource == "devices") return false;
    }
    return true;
}

/// True when something, as TaskPlugin=task/affinity, has bound this process to fewer CPUs.
bool is_bound(const PuSet& cpus) {
    cpu_set_t now;
    CPU_ZERO(&now);
    if (::sched_getaffinity(0, sizeof now, &now) != 0) return false;
    bool is_inside = true;
    for (const OsIndex cpu : cpus) is_inside = is_inside && CPU_ISSET(cpu.value(), &now);
    return !is_inside;
}

Status bind(const PuSet& cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const OsIndex cpu : cpus) {
        if (cpu.value() >= CPU_SETSIZE) {
            return failed_precondition("CPU {} is beyond what a task can be bound to", cpu.value());
        }
        CPU_SET(cpu.value(), &set);
    }
    if (::sched_setaffinity(0, sizeof set, &set) == 0) return {};
    return failed_precondition("sched_setaffinity: {}", std::strerror(errno));
}

/// Binds this task, and counts its GPUs as its driver will.
Status prepare_task(spank_t spank, int task, const Arguments& arguments) {
    if (!stepd) return {};
    TRESTLE_TRY(const auto gpus, numbers_of(variable_of(spank, "SLURM_STEP_GPUS")));
    TaskSettings settings;
    settings.cpus = cpus_of_task(stepd->step, static_cast<std::size_t>(task), gpus);
    TRESTLE_TRY(const Plan plan, task_plan(stepd->step.plan, settings));
    if (has_filter(*stepd)) {
        const GpuNumbers numbers = numbers_of_task(stepd->gpus, gpus.empty() ? stepd->gpus : gpus);
        for (const char* name : {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                 "GPU_DEVICE_ORDINAL", "ZE_AFFINITY_MASK"}) {
            if (variable_of(spank, name) != numbers.global || numbers.global.empty()) continue;
            (void)::spank_setenv(spank, name, numbers.local.c_str(), 1);
        }
    }
    if (!arguments.binds || is_bound(stepd->step.plan.process.affinity)) return {};
    return bind(plan.process.affinity);
}

/// On the standard error of the step: what it is limited to, if --trestle-explain asks, and what
/// went wrong.
void tell_user(bool is_strict) {
    std::string text;
    if (is_explained && stepd && stepd->enforcer) text = explain(stepd->node, stepd->step);
    if (!problem.empty()) {
        text += fmt::format("trestle: {}; {}\n", problem,
                            is_strict ? "the step does not start" : "the step starts without it");
    }
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
}

int note_explain(int, const char*, int) {
    is_explained = true;
    return ESPANK_SUCCESS;
}

Status register_options(spank_t spank) {
    static std::string name = "trestle-explain",
                       usage = "Print what the step is limited to, and by what";
    static spank_option option = {name.data(), nullptr, usage.data(), 0, 0, &note_explain};
    if (::spank_option_register(spank, &option) == ESPANK_SUCCESS) return {};
    return failed_precondition("--trestle-explain: Slurm does not register it");
}

}  // namespace
}  // namespace trestle_spank

// What Slurm looks up in the plugin. The macro SPANK_PLUGIN is for C.
#define SEEN_BY_SLURM extern "C" __attribute__((visibility("default")))
SEEN_BY_SLURM const char plugin_name[];
SEEN_BY_SLURM const char plugin_type[];
SEEN_BY_SLURM const unsigned int plugin_version;
SEEN_BY_SLURM const unsigned int spank_plugin_version;
const char plugin_name[] = "trestle";
const char plugin_type[] = "spank";
const unsigned int plugin_version = SLURM_VERSION_NUMBER;
const unsigned int spank_plugin_version = 1;

SEEN_BY_SLURM int slurm_spank_init(spank_t spank, int, char**) {
    using namespace trestle_spank;
    const spank_context_t context = ::spank_context();
    if (context != S_CTX_SLURMD && context != S_CTX_JOB_SCRIPT) {
        run([&] { return register_options(spank); });
    }
    return ESPANK_SUCCESS;
}

SEEN_BY_SLURM int slurm_spank_init_post_opt(spank_t spank, int count, char** words) {
    using namespace trestle_spank;
    if (::spank_remote(spank) != 1) return ESPANK_SUCCESS;
    const Arguments arguments = arguments_of(count, words);
    run([&] { return limit_step(spank, arguments); });
    return ESPANK_SUCCESS;
}

SEEN_BY_SLURM int slurm_spank_task_init_privileged(spank_t, int, char**) {
    using namespace trestle_spank;
    if (!stepd || !stepd->enforcer) return ESPANK_SUCCESS;
    run([&] { return stepd->enforcer->attach(stepd->step.plan.group, ::getpid()); });
    return ESPANK_SUCCESS;
}

SEEN_BY_SLURM int slurm_spank_task_init(spank_t spank, int count, char** words) {
    using namespace trestle_spank;
    const Arguments arguments = arguments_of(count, words);
    int task = 0;
    run([&]() -> Status {
        TRESTLE_TRY(task, item_of<int>(spank, S_TASK_ID, "the task"));
        return prepare_task(spank, task, arguments);
    });
    if (task == 0) tell_user(arguments.is_strict);
    return arguments.is_strict && !problem.empty() ? -1 : 0;  // Slurm heeds negative numbers only
}

SEEN_BY_SLURM int slurm_spank_exit(spank_t spank, int count, char** words) {
    using namespace trestle_spank;
    if (::spank_remote(spank) != 1 || !stepd || !stepd->enforcer) return ESPANK_SUCCESS;
    const Arguments arguments = arguments_of(count, words);
    run([&] {
        const auto job = group_of_job(static_cast<std::uint32_t>(stepd->step.plan.owner.value()));
        const Status removed = stepd->enforcer->remove(stepd->step.plan.group);
        (void)::rmdir((arguments.cgroup + "/" + job).c_str());  // other steps may be inside
        stepd.reset();
        return removed;
    });
    return ESPANK_SUCCESS;
}

SEEN_BY_SLURM int slurm_spank_job_epilog(spank_t spank, int count, char** words) {
    using namespace trestle_spank;
    const Arguments arguments = arguments_of(count, words);
    run([&]() -> Status {
        TRESTLE_TRY(const auto job, item_of<std::uint32_t>(spank, S_JOB_ID, "the job"));
        if (!std::filesystem::exists(arguments.cgroup + "/" + group_of_job(job))) return {};
        TRESTLE_TRY(auto enforcer, os::CgroupEnforcer::open(arguments.cgroup));
        return enforcer->remove(group_of_job(job));
    });
    return ESPANK_SUCCESS;
}
