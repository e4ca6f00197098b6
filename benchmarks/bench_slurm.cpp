// SPDX-License-Identifier: Apache-2.0
// What Slurm's texts cost to read, and its way of choosing.
// Names: hostlist/operation/ranges. The list names a million nodes, in one range or in many with a
// node left out between each two. options/...: a list of GRES, a string of twelve options, what
// resolves them and makes the request. gres_conf/read/lines. slurm_select/job/nodes: one decision
// on a cluster where 500 jobs run; changing: each is committed and taken back; half_full: 5,000
// jobs of all sizes run; switches: leaf switches of 32 nodes below one; once: nothing is
// remembered. slurm_select/weights/nodes: no two nodes have the same weight, they have fifty sizes,
// and a job wants nearly all CPUs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/conf/gres_conf.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/dialect/slurm/options/options.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace {

using trestle::slurm::Hostlist;

constexpr std::uint64_t nodes = 1'000'000;

std::string text_of(std::uint64_t ranges) {
    const std::uint64_t length = nodes / ranges;
    std::string text = "node[";
    for (std::uint64_t i = 0; i < ranges; ++i) {
        const std::uint64_t first = i * (length + 1);
        text += fmt::format("{}{:07}-{:07}", i == 0 ? "" : ",", first, first + length - 1);
    }
    return text + "]";
}

Hostlist list_of(std::uint64_t ranges) {
    auto list = Hostlist::parse(text_of(ranges));
    if (!list.ok() || list->size() != nodes) std::abort();
    return *std::move(list);
}

void parse_hostlist(benchmark::State& state) {
    const std::string text = text_of(static_cast<std::uint64_t>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(Hostlist::parse(text));
}
BENCHMARK(parse_hostlist)->Name("hostlist/parse")->Arg(1)->Arg(1000)->Arg(100'000);

void print(benchmark::State& state) {
    const Hostlist list = list_of(static_cast<std::uint64_t>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(to_text(list));
}
BENCHMARK(print)->Name("hostlist/print")->Arg(1000)->Arg(100'000);

void intersect(benchmark::State& state) {
    const Hostlist all = list_of(1);
    const Hostlist some = list_of(static_cast<std::uint64_t>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(all & some);
}
BENCHMARK(intersect)->Name("hostlist/intersect")->Arg(1000)->Arg(100'000);

void nth(benchmark::State& state) {
    const Hostlist list = list_of(static_cast<std::uint64_t>(state.range(0)));
    std::uint64_t at = 0;
    for (auto _ : state) {
        at = (at + 7919) % nodes;
        benchmark::DoNotOptimize(list[at]);
    }
}
BENCHMARK(nth)->Name("hostlist/nth")->Arg(1000)->Arg(100'000);

constexpr std::string_view option_text =
    "-N 2-4 -n 32 -c 8 --mem=64G --gres=gpu:a100:2 -C a100&nvlink -p gpu -t 1-12:00:00 "
    "-m block:cyclic --exclusive -J train --output=train-%j.out";

void gres(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(trestle::slurm::parse_gres("gpu:a100:2"));
}
BENCHMARK(gres)->Name("options/gres");

void text(benchmark::State& state) {
    for (auto _ : state) {
        benchmark::DoNotOptimize(trestle::slurm::read_option_text(option_text));
    }
}
BENCHMARK(text)->Name("options/text");

void request(benchmark::State& state) {
    const auto reading = trestle::slurm::read_option_text(option_text);
    for (auto _ : state) {
        benchmark::DoNotOptimize(trestle::slurm::request_of(reading.submission));
    }
}
BENCHMARK(request)->Name("options/request");

/// A line for each node.
void read_gres_conf(benchmark::State& state) {
    std::string text;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
        text +=
            fmt::format("NodeName=n{} Name=gpu Type=a100 File=/dev/nvidia[0-3] Cores=0-15\n", i);
    }
    for (auto _ : state) benchmark::DoNotOptimize(trestle::slurm::read_gres_conf(text));
}
BENCHMARK(read_gres_conf)->Name("gres_conf/read")->Arg(10'000);

enum class Switches { none, leaves };

/// Leaf switches of 32 nodes, below one.
std::string topology_of(std::int64_t count) {
    std::string text;
    std::int64_t leaf = 0;
    for (std::int64_t first = 0; first < count; first += 32, ++leaf) {
        text += fmt::format("SwitchName=s{} Nodes=n[{}-{}]\n", leaf, first,
                            std::min(first + 32, count) - 1);
    }
    return text + fmt::format("SwitchName=top Switches=s[0-{}]\n", leaf - 1);
}

trestle::slurm::Controller idle_controller(std::int64_t count, Switches switches) {
    const bool is_tree = switches == Switches::leaves;
    const std::string topology = is_tree ? topology_of(count) : "";
    const std::string conf = fmt::format(
        "{}"
        "SelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\nDefMemPerCPU=1000\n"
        "NodeName=n[0-{}] Sockets=2 CoresPerSocket=32 ThreadsPerCore=2 RealMemory=1024000 "
        "Gres=gpu:h100:8\nPartitionName=p Nodes=ALL Default=YES\n",
        is_tree ? "TopologyPlugin=topology/tree\n" : "", count - 1);
    auto controller = trestle::slurm::Controller::create(
        {.slurm_conf = conf,
         .gres_conf = "Name=gpu Type=h100 File=/dev/nvidia[0-3] Cores=0-31\n"
                      "Name=gpu Type=h100 File=/dev/nvidia[4-7] Cores=32-63\n",
         .topology_conf = topology});
    if (!controller.ok()) std::abort();
    return *std::move(controller);
}

trestle::slurm::Controller controller_of(std::int64_t count, Switches switches = Switches::none) {
    auto controller = idle_controller(count, switches);
    for (int i = 0; i < 500; ++i) {
        const auto decision =
            controller.submit(fmt::format("-w n{} --gres=gpu:{}", i * 7 % count, i % 5 + 1));
        if (!decision.ok()) std::abort();
    }
    return controller;
}

trestle::slurm::Controller half_full_controller(std::int64_t count,
                                                Switches switches = Switches::none) {
    auto controller = idle_controller(count, switches);
    trestle::Rng rng(5);
    const auto nodes_of = static_cast<std::uint64_t>(count);
    for (int i = 0; i < 5000; ++i) {
        const auto decision = controller.submit(
            fmt::format("-w n{} -c {} --mem-per-cpu={} --gres=gpu:{}", rng.below(nodes_of),
                        rng.below(20) + 1, rng.below(8) * 100 + 100, rng.below(3) + 1));
        if (!decision.ok()) std::abort();
    }
    return controller;
}

trestle::slurm::JobOptions options_of(std::string_view text) {
    auto job = trestle::slurm::parse_option_text(text);
    if (!job.ok()) std::abort();
    return std::move(job->components.front().options);
}

constexpr std::string_view one_gpu_options = "--gres=gpu:1";
constexpr std::string_view many_nodes_options = "-N 64 --gres=gpu:8 --exclusive";
constexpr std::string_view one_task = "-n 1";
constexpr std::string_view too_many_cpus = "-n 1 -c 200";
constexpr std::string_view many_tasks = "-n 200 -c 4";

void choose(benchmark::State& state, const trestle::slurm::Controller& controller,
            std::string_view text) {
    const trestle::slurm::JobOptions options = options_of(text);
    trestle::slurm::Selector selector(controller.rules());
    for (auto _ : state) {
        benchmark::DoNotOptimize(selector.select(controller.cluster(), options));
    }
}
void choose_on_few(benchmark::State& state, std::string_view text) {
    choose(state, controller_of(state.range(0)), text);
}
void choose_on_half_full(benchmark::State& state, std::string_view text) {
    choose(state, half_full_controller(state.range(0)), text);
}
BENCHMARK_CAPTURE(choose_on_few, one_gpu, one_gpu_options)
    ->Name("slurm_select/one_gpu")
    ->Arg(10'000);
BENCHMARK_CAPTURE(choose_on_few, many, many_nodes_options)
    ->Name("slurm_select/64_nodes")
    ->Arg(10'000);
BENCHMARK_CAPTURE(choose_on_half_full, one_gpu, one_gpu_options)
    ->Name("slurm_select/half_full/one_gpu")
    ->Arg(10'000);
BENCHMARK_CAPTURE(choose_on_half_full, many, many_nodes_options)
    ->Name("slurm_select/half_full/64_nodes")
    ->Arg(10'000);

BENCHMARK_CAPTURE(choose_on_few, task, one_task)->Name("slurm_select/one_task")->Arg(10'000);
BENCHMARK_CAPTURE(choose_on_few, too_many, too_many_cpus)
    ->Name("slurm_select/too_many_cpus")
    ->Arg(10'000);
BENCHMARK_CAPTURE(choose_on_few, tasks, many_tasks)->Name("slurm_select/200_tasks")->Arg(10'000);
BENCHMARK_CAPTURE(choose_on_half_full, task, one_task)
    ->Name("slurm_select/half_full/one_task")
    ->Arg(10'000);

void choose_on_switches(benchmark::State& state, std::string_view text) {
    choose(state, controller_of(state.range(0), Switches::leaves), text);
}
void choose_on_half_full_switches(benchmark::State& state) {
    choose(state, half_full_controller(state.range(0), Switches::leaves), one_gpu_options);
}
BENCHMARK_CAPTURE(choose_on_switches, one_gpu, one_gpu_options)
    ->Name("slurm_select/switches/one_gpu")
    ->Arg(10'000);
BENCHMARK_CAPTURE(choose_on_switches, many, many_nodes_options)
    ->Name("slurm_select/switches/64_nodes")
    ->Arg(10'000);
BENCHMARK(choose_on_half_full_switches)
    ->Name("slurm_select/switches/half_full/one_gpu")
    ->Arg(10'000);

/// Every node has a weight of its own.
void choose_by_weights(benchmark::State& state) {
    std::string conf = "SelectTypeParameters=CR_Core\n";
    std::int64_t cpus = 0;
    for (std::int64_t i = 0; i < state.range(0); ++i) {
        const std::int64_t size = i * 7 % 50 + 1;
        cpus += size;
        conf += fmt::format("NodeName=n{} CPUs={} Weight={}\n", i, size, i * 37 % 2003 + 1);
    }
    const auto controller = trestle::slurm::Controller::create(
        {.slurm_conf = conf + "PartitionName=p Nodes=ALL Default=YES\n"});
    if (!controller.ok()) std::abort();
    choose(state, *controller, fmt::format("-n {}", cpus - 1));
}
BENCHMARK(choose_by_weights)->Name("slurm_select/weights")->Arg(250)->Arg(1000)->Arg(2000);

void choose_and_change(benchmark::State& state, std::string_view text) {
    auto controller = controller_of(state.range(0));
    const trestle::slurm::JobOptions options = options_of(text);
    for (auto _ : state) {
        const auto decision = controller.submit(options);
        if (!decision.ok() || !controller.release(*decision->owner).ok()) std::abort();
    }
}
BENCHMARK_CAPTURE(choose_and_change, one_gpu, one_gpu_options)
    ->Name("slurm_select/changing/one_gpu")
    ->Arg(10'000);
BENCHMARK_CAPTURE(choose_and_change, many, many_nodes_options)
    ->Name("slurm_select/changing/64_nodes")
    ->Arg(10'000);

void choose_once(benchmark::State& state) {
    const auto controller = controller_of(state.range(0));
    const trestle::slurm::JobOptions options = options_of(one_gpu_options);
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            trestle::slurm::select(controller.cluster(), options, controller.rules()));
    }
}
BENCHMARK(choose_once)->Name("slurm_select/once/one_gpu")->Arg(10'000);

}  // namespace
