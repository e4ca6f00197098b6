// SPDX-License-Identifier: Apache-2.0
// What Slurm's texts cost to read.
// Names: hostlist/operation/ranges. The list names a million nodes, in one range or in many with a
// node left out between each two.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

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

}  // namespace
