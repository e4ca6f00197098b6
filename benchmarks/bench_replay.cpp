// SPDX-License-Identifier: Apache-2.0
// The default openb trace, seed 42, by policy, beside a plain loop for best_fit. `times_plain` is
// the ratio to that loop, run in turn in the same process. Reads tests/data/openb.
#include <benchmark/benchmark.h>

#include <chrono>
#include <optional>

#include "plain_replay.hpp"

namespace trestle {
namespace {

struct Setting {
    openb::Trace trace;
    openb::Order order;
    openb::Replay replay;
    openb::PlainReplay plain;
};

std::optional<Setting> setting() {
    const auto folder = openb::recorded_folder();
    auto trace = openb::load_trace(folder, "default");
    if (!trace.ok()) return std::nullopt;
    auto order = openb::study_order(folder, *trace, 42);
    if (!order.ok()) return std::nullopt;
    auto replay = openb::Replay::create(*trace, *order);
    if (!replay.ok()) return std::nullopt;
    openb::PlainReplay plain(*trace, *order);
    return Setting{*std::move(trace), *std::move(order), *std::move(replay), std::move(plain)};
}

template <class Run>
double seconds(const Run& run) {
    const auto start = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void replay(benchmark::State& state, Policy policy) {
    const auto known = setting();
    if (!known) return state.SkipWithError("no openb trace in tests/data");
    const PlaceOptions options = openb::options_for(known->trace, policy);
    double ours = 0;
    double plain = 0;
    double given = 0;
    for ([[maybe_unused]] auto _ : state) {
        ours += seconds([&] { given = known->replay.run(options)->at(100); });
        state.PauseTiming();
        plain += seconds([&] { benchmark::DoNotOptimize(known->plain.best_fit()); });
        state.ResumeTiming();
    }
    state.counters["times_plain"] = ours / plain;
    state.counters["given_percent"] = given;
}

void plain_loop(benchmark::State& state) {
    const auto known = setting();
    if (!known) return state.SkipWithError("no openb trace in tests/data");
    for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(known->plain.best_fit());
}

BENCHMARK(plain_loop)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, best_fit, Policy::best_fit)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, fgd, Policy::fgd)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, future_fit, Policy::future_fit)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trestle
