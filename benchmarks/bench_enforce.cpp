// SPDX-License-Identifier: Apache-2.0
// From a placement to a job that has ended: Enforce/<what>. All but plan, documents, plain_files
// and filter_verified (which needs root) need root and a writable cgroup v2 (tests/vm/vm.py),
// systemd_scope a systemd besides; where these are missing they say so. Real time there: much of it
// is the kernel's, or another process's.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "recorded_calls.hpp"
#include "support/gpu_node.hpp"
#include "trestle/dialect/container/oci.hpp"
#include "trestle/dialect/container/shell_script.hpp"
#include "trestle/dialect/container/systemd_unit.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/enforce/device/device_filter.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/os/cgroup_enforcer.hpp"
#include "trestle/os/cgroup_probe.hpp"

namespace trestle {
namespace {

LimitPolicy share_of_node() {
    LimitPolicy policy;
    policy.source = LimitPolicy::Source::capacity;
    policy.pids_max = Count(4096);
    policy.has_cpu_quota = true;
    return policy;
}

PlanOptions job_options() {
    PlanOptions options;
    options.group = "job_7";
    options.owner = OwnerId(7);
    return options;
}

void plan_job(benchmark::State& run) {
    const Node node = gpu_node();
    const NodePlacement placement = two_gpus();
    const LimitPolicy policy = share_of_node();
    const PlanOptions options = job_options();
    for (auto _ : run) {
        const auto made = plan(node, placement, {}, policy, options);
        if (!made.ok()) return run.SkipWithError("no plan");
        benchmark::DoNotOptimize(made->steps.data());
    }
}
BENCHMARK(plan_job)->Name("Enforce/plan");

void print_documents(benchmark::State& run) {
    const auto made = plan(gpu_node(), two_gpus(), {}, share_of_node(), job_options());
    container::UnitOptions unit;
    unit.command.arguments = {"true"};
    for (auto _ : run) {
        const auto service = container::systemd_unit(*made, unit);
        const auto scripts = container::shell_scripts(*made);
        if (!service.ok() || !scripts.ok()) return run.SkipWithError("no document");
        benchmark::DoNotOptimize(container::systemd_run_line(service->content));
    }
}
BENCHMARK(print_documents)->Name("Enforce/documents");

/// Limits of every machine's first CPU, and the filter where it is asked.
Plan small_plan(bool has_filter) {  // NOLINT: a file of one's own
    Plan made;
    made.group = "job_7";
    const auto add = [&](Step::Action action, std::string group) {
        made.steps.push_back({std::move(action), Requirement::require, "limit", std::move(group)});
    };
    for (const char* controller : {"cpuset", "cpu", "memory", "pids"}) {
        add(Step::EnableController{controller}, "");
    }
    add(Step::MakeGroup{}, "job_7");
    const Limit limits[] = {CpusLimit{PuSet::of({OsIndex(0)})},
                            CpuTimeLimit{MilliCpu(500)},
                            MemoryLimit{MemoryLimit::File::max, mib(256)},
                            MemoryLimit{MemoryLimit::File::swap_max, Bytes()},
                            OomGroupLimit{true},
                            PidsLimit{Count(4096)}};
    for (const Limit& limit : limits) add(Step::SetLimit{limit}, "job_7");
    if (has_filter) add(Step::LoadFilter{{pseudo_devices(), {}}}, "job_7");
    return made;
}

/// The enforcer in a group of the program's own; says why it cannot be had.
std::unique_ptr<os::CgroupEnforcer> enforcer_for(benchmark::State& run,
                                                 os::Kernel& kernel = os::real_kernel()) {
    static const os::CgroupSupport support = os::probe_cgroup();
    if (!support.is_usable || !support.capabilities.no_device_filter.empty()) {
        run.SkipWithError((support.reason + support.capabilities.no_device_filter).c_str());
        return nullptr;
    }
    auto enforcer = os::CgroupEnforcer::open(support.directory, {}, kernel);
    if (!enforcer.ok()) {
        run.SkipWithError("the enforcer does not open");
        return nullptr;
    }
    return *std::move(enforcer);
}

/// What is enabled for a job that was, is there for the next one, as in a scheduler's life.
bool apply_and_remove(Enforcer& enforcer) {
    const Plan made = small_plan(false);
    return enforcer.apply(made).ok() && enforcer.remove(made.group).ok();
}

void time_apply(benchmark::State& run, Enforcer* enforcer) {
    if (enforcer == nullptr) return;
    (void)apply_and_remove(*enforcer);
    for (auto _ : run) {
        if (!apply_and_remove(*enforcer)) return run.SkipWithError("not applied");
    }
}

/// The very calls that the enforcer makes, without it.
void time_calls(benchmark::State& run, Enforcer* enforcer, RecordingKernel& kernel) {
    if (enforcer == nullptr) return;
    (void)apply_and_remove(*enforcer);
    kernel.start();
    const bool is_applied = apply_and_remove(*enforcer);
    kernel.stop();
    if (!is_applied) return run.SkipWithError("not applied");
    run.counters["calls"] = static_cast<double>(kernel.size());
    for (auto _ : run) {
        if (!kernel.replay()) return run.SkipWithError("a call ended otherwise");
    }
}

void apply_in_kernel(benchmark::State& run) { time_apply(run, enforcer_for(run).get()); }
BENCHMARK(apply_in_kernel)->Name("Enforce/apply_remove")->UseRealTime();

void calls_in_kernel(benchmark::State& run) {
    RecordingKernel kernel(os::real_kernel());
    time_calls(run, enforcer_for(run, kernel).get(), kernel);
}
BENCHMARK(calls_in_kernel)->Name("Enforce/apply_remove_bare")->UseRealTime();

void apply_to_plain_files(benchmark::State& run) {
    PlainTree tree;
    time_apply(run, os::CgroupEnforcer::open(tree.directory(), {}, tree)->get());
}
BENCHMARK(apply_to_plain_files)->Name("Enforce/plain_files");

void calls_to_plain_files(benchmark::State& run) {
    PlainTree tree;
    RecordingKernel kernel(tree);
    time_calls(run, os::CgroupEnforcer::open(tree.directory(), {}, kernel)->get(), kernel);
}
BENCHMARK(calls_to_plain_files)->Name("Enforce/plain_files_bare");

void whole_job(benchmark::State& run) {
    const auto enforcer = enforcer_for(run);
    if (!enforcer) return;
    const Plan made = small_plan(true);
    const Command command = {{"/bin/true"}, {{"PATH", "/bin"}}, ""};
    for (auto _ : run) {
        if (!enforcer->apply(made).ok()) return run.SkipWithError("not applied");
        const auto child = enforcer->spawn(made, command);
        if (!child.ok() || !enforcer->wait(*child).ok()) return run.SkipWithError("not run");
        if (!enforcer->remove("job_7").ok()) return run.SkipWithError("not removed");
    }
}
BENCHMARK(whole_job)->Name("Enforce/job")->UseRealTime();

/// Starts a program and waits; true when it ends with 0.
bool is_run(std::vector<std::string> words) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t pid = 0;
    int status = -1;
    return ::posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), environ) == 0 &&
           ::waitpid(pid, &status, 0) == pid && status == 0;
}

/// The same job as a container: crun makes, limits, filters, starts, waits and removes.
void crun_job(benchmark::State& run) {
    if (!enforcer_for(run)) return;
    const std::filesystem::path folder = "/tmp/trestle_bench_bundle";
    std::filesystem::create_directories(folder / "rootfs/bin");
    std::error_code ignored;
    std::filesystem::copy_file("/bin/busybox", folder / "rootfs/bin/busybox", ignored);
    std::filesystem::create_symlink("busybox", folder / "rootfs/bin/true", ignored);
    const Plan made = small_plan(true);
    container::OciBundle bundle;
    bundle.command = {{"/bin/true"}, {{"PATH", "/bin"}}, ""};
    const auto document = container::oci_config(made, bundle);
    if (!document.ok()) return run.SkipWithError("no document");
    std::ofstream(folder / "config.json") << json::to_json_text(document->content);
    for (auto _ : run) {
        if (!is_run({"crun", "--root", folder / "state", "--cgroup-manager=cgroupfs", "run",
                     "--bundle", folder, "trestle_bench"})) {
            return run.SkipWithError("crun failed, or is not there");
        }
    }
}
BENCHMARK(crun_job)->Name("Enforce/job_crun")->UseRealTime();

/// The same limits on a scope; systemd-run has no filter for one that starts at once.
void scope_job(benchmark::State& run) {
    if (!std::filesystem::exists("/run/systemd/system")) {
        return run.SkipWithError("systemd does not run here");
    }
    for (auto _ : run) {
        if (!is_run({"systemd-run", "--quiet", "--scope", "--collect", "--property=AllowedCPUs=0",
                     "--property=CPUQuota=50%", "--property=MemoryMax=268435456",
                     "--property=MemorySwapMax=0", "--property=TasksMax=4096",
                     "--property=DevicePolicy=closed", "/bin/true"})) {
            return run.SkipWithError("systemd-run failed");
        }
    }
}
BENCHMARK(scope_job)->Name("Enforce/job_systemd_scope")->UseRealTime();

/// So many minors, each `step` from the next: never a range.
DeviceRules minors_apart(std::int64_t count, std::uint32_t step) {
    DeviceRules rules = pseudo_devices();
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i) {
        rules.add({Device::File::Kind::character, 195, step * i, DeviceRule::Access::read_write()});
    }
    return rules;
}

/// Compiled and verified by the kernel, which takes root and no cgroup.
void verify_filter(benchmark::State& run) {
    const DeviceRules rules = minors_apart(run.range(0), static_cast<std::uint32_t>(run.range(1)));
    const char* license = "Apache-2.0";
    for (auto _ : run) {
        const auto program = compile_filter(rules);
        bpf_attr load;
        std::memset(&load, 0, sizeof load);
        load.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
        load.insn_cnt = static_cast<std::uint32_t>(program->size());
        load.insns = std::bit_cast<std::uintptr_t>(program->data());
        load.license = std::bit_cast<std::uintptr_t>(license);
        const auto file = ::syscall(SYS_bpf, BPF_PROG_LOAD, &load, sizeof load);
        if (file < 0) return run.SkipWithError(std::strerror(errno));
        ::close(static_cast<int>(file));
        run.counters["instructions"] = static_cast<double>(program->size());
    }
}
BENCHMARK(verify_filter)
    ->Name("Enforce/filter_verified")
    ->ArgNames({"rules", "apart"})
    ->Args({10, 2})
    ->Args({4000, 2})
    ->Args({4000, 100})
    ->UseRealTime();

/// Compiled, verified by the kernel, attached, and gone with the group.
void load_filter(benchmark::State& run) {
    const auto enforcer = enforcer_for(run);
    if (!enforcer) return;
    Plan made;
    made.group = "job_7";
    const DeviceAllowList devices{minors_apart(run.range(0), 2), {}};
    made.steps = {{Step::MakeGroup{}, Requirement::require, "", "job_7"},
                  {Step::LoadFilter{devices}, Requirement::require, "devices", "job_7"}};
    for (auto _ : run) {
        if (!enforcer->apply(made).ok()) return run.SkipWithError("not loaded");
        run.PauseTiming();
        (void)enforcer->remove("job_7");
        run.ResumeTiming();
    }
}
BENCHMARK(load_filter)->Name("Enforce/filter")->Arg(10)->Arg(4000)->UseRealTime();

}  // namespace
}  // namespace trestle
