// SPDX-License-Identifier: Apache-2.0
// What Slurm's texts cost to read, and its way of choosing.
// Names: hostlist/operation/ranges. The list names a million nodes, in one range or in many with a
// node left out between each two. options/...: a list of GRES, a string of twelve options, what
// settles them and makes the request. gres_conf/read/lines. slurm_select/job/nodes: one decision on
// a cluster where 500 jobs run; changing: each is committed and taken back; half_full: 5,000 jobs
// of all sizes run; once: nothing is remembered.
#include <benchmark/benchmark.h>

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
#include "trestle/dialect/slurm/options.hpp"
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

void parse(benchmark::State& state) {
    const std::string text = text_of(static_cast<std::uint64_t>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(Hostlist::parse(text));
}
BENCHMARK(parse)->Name("hostlist/parse")->Arg(1)->Arg(1000)->Arg(100'000);

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

trestle::slurm::Controller idle_controller(std::int64_t count) {
    const std::string conf = fmt::format(
        "SelectTypeParameters=CR_Core_Memory\nGresTypes=gpu\nDefMemPerCPU=1000\n"
        "NodeName=n[0-{}] Sockets=2 CoresPerSocket=32 ThreadsPerCore=2 RealMemory=1024000 "
        "Gres=gpu:h100:8\nPartitionName=p Nodes=ALL Default=YES\n",
        count - 1);
    auto controller = trestle::slurm::Controller::create(
        {.slurm_conf = conf,
         .gres_conf = "Name=gpu Type=h100 File=/dev/nvidia[0-3] Cores=0-31\n"
                      "Name=gpu Type=h100 File=/dev/nvidia[4-7] Cores=32-63\n"});
    if (!controller.ok()) std::abort();
    return *std::move(controller);
}

trestle::slurm::Controller controller_of(std::int64_t count) {
    auto controller = idle_controller(count);
    for (int i = 0; i < 500; ++i) {
        const auto decision =
            controller.submit(fmt::format("-w n{} --gres=gpu:{}", i * 7 % count, i % 5 + 1));
        if (!decision.ok()) std::abort();
    }
    return controller;
}

trestle::slurm::Controller half_full_controller(std::int64_t count) {
    auto controller = idle_controller(count);
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

constexpr std::string_view one_gpu = "--gres=gpu:1";
constexpr std::string_view many_nodes = "-N 64 --gres=gpu:8 --exclusive";

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
BENCHMARK_CAPTURE(choose_on_few, one_gpu, one_gpu)->Name("slurm_select/one_gpu")->Arg(10'000);
BENCHMARK_CAPTURE(choose_on_few, many, many_nodes)->Name("slurm_select/64_nodes")->Arg(10'000);
BENCHMARK_CAPTURE(choose_on_half_full, one_gpu, one_gpu)
    ->Name("slurm_select/half_full/one_gpu")
    ->Arg(10'000);
BENCHMARK_CAPTURE(choose_on_half_full, many, many_nodes)
    ->Name("slurm_select/half_full/64_nodes")
    ->Arg(10'000);

void choose_and_change(benchmark::State& state, std::string_view text) {
    auto controller = controller_of(state.range(0));
    const trestle::slurm::JobOptions options = options_of(text);
    for (auto _ : state) {
        const auto decision = controller.submit(options);
        if (!decision.ok() || !controller.release(*decision->owner).ok()) std::abort();
    }
}
BENCHMARK_CAPTURE(choose_and_change, one_gpu, one_gpu)
    ->Name("slurm_select/changing/one_gpu")
    ->Arg(10'000);
BENCHMARK_CAPTURE(choose_and_change, many, many_nodes)
    ->Name("slurm_select/changing/64_nodes")
    ->Arg(10'000);

void choose_once(benchmark::State& state) {
    const auto controller = controller_of(state.range(0));
    const trestle::slurm::JobOptions options = options_of(one_gpu);
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            trestle::slurm::select(controller.cluster(), options, controller.rules()));
    }
}
BENCHMARK(choose_once)->Name("slurm_select/once/one_gpu")->Arg(10'000);

}  // namespace
