// SPDX-License-Identifier: Apache-2.0
// What a decision costs on 1,000 to 1,000,000 nodes of 2 x 32 cores and 8 GPUs, beside a loop that
// does no more than it must (yardstick.hpp).
// Names: match_commit/policy/request/nodes/fill. One step is place, commit and the release of some
// other job, so that the fill stays; on an empty cluster it is that job. p50_ns and p99_ns are of
// single steps, less what the clock takes; yard_ns is the p50 of the yardstick in the same order of
// events, and times_yard the ratio. `states` is how many node states there were.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/states/node_states.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/place_many.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/testing/cluster_text.hpp"
#include "yardstick.hpp"

namespace {

using namespace trestle;
using benchmarks::Yardstick;

enum class Fill { empty, half, full95, fragmented };

constexpr auto enum_names(Fill) {
    using enum Fill;
    return std::array{named(empty, "empty"), named(half, "half"), named(full95, "95"),
                      named(fragmented, "fragmented")};
}

PreparedRequest gpus_with_cores(std::int64_t gpus) {
    Request request;
    request.cpus_per_task = Range<Count>::at_least(Count(8 * gpus));
    request.memory = Range<Bytes>::at_least(gib(32 * gpus));
    DeviceRequest device;
    device.count = Range<Count>::exactly(Count(gpus));
    request.devices = {device};
    return request;
}

PlaceOptions options_of(Policy policy) {
    PlaceOptions options;
    options.policy = policy;
    std::vector<PolicyOptions::TypicalJob> jobs;
    for (const std::int64_t gpus : {1, 2, 4, 8}) {
        jobs.push_back({MilliCpu(8000 * gpus), Count(gpus), Count(1000), {}, Count(9 - gpus)});
    }
    options.policy_options.typical_jobs = std::move(jobs);
    return options;
}

std::string cluster_text(std::uint32_t nodes, const char* network) {
    return fmt::format("{} x (2s32c mem=1T gpu:8){}", nodes, network);
}

/// A job of the cluster and its like on the yardstick.
struct Job {
    OwnerId owner;
    std::uint32_t gpus = 0;
    std::uint32_t yard_node = 0;
};

/// A cluster and the yardstick, to which the same happens.
class World {
  public:
    World(std::uint32_t nodes, Fill fill, const char* network = "")
        : cluster(
              *Cluster::create(*testing::cluster_parts_from_text(cluster_text(nodes, network)))),
          yard(nodes) {
        if (fill == Fill::empty) return;
        const std::int64_t left = 8 * nodes * (fill == Fill::half ? 10 : 1) / 20;
        Placer placer(options_of(Policy::best_fit));
        std::vector<PreparedRequest> requests;
        for (const std::uint32_t gpus : {1u, 2u, 4u, 8u}) requests.push_back(gpus_with_cores(gpus));
        for (std::int64_t free = 8 * std::int64_t{nodes}; free > left;) {
            const std::size_t size = rng.below(4);
            const std::uint32_t gpus = 1u << size;
            if (!place(placer, requests[size], gpus)) break;
            free -= gpus;
        }
        if (fill != Fill::fragmented) return;
        for (std::size_t more = jobs.size() / 2; more > 0; --more) release(any_job(0, jobs.size()));
    }

    /// Lets one more job begin, if it can.
    bool place(Placer& placer, const PreparedRequest& request, std::uint32_t gpus) {
        auto found = placer.place(cluster, request);
        if (!found) return false;
        const OwnerId owner(owners++);
        if (!cluster.commit({owner, request, *std::move(found)}).ok()) std::abort();
        jobs.push_back({owner, gpus, yard.take(gpus, 8 * gpus).value_or(none)});
        return true;
    }
    void release(std::size_t at) {
        const Job job = jobs[at];
        if (!cluster.release(job.owner).ok()) std::abort();
        if (job.yard_node != none) yard.give_back(job.yard_node, job.gpus, 8 * job.gpus);
        jobs[at] = jobs.back();
        jobs.pop_back();
    }
    std::size_t any_job(std::size_t first, std::size_t last) {
        return first + static_cast<std::size_t>(rng.below(last - first));
    }

    static constexpr std::uint32_t none = ~std::uint32_t{0};

    Rng rng{1};
    Cluster cluster;
    Yardstick yard;
    std::vector<Job> jobs;
    std::uint64_t owners = 0;
};

std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Times of single steps.
class Times {
  public:
    template <class Step>
    void measure(const Step& step) {
        const std::int64_t before = now_ns();
        step();
        times_.push_back(now_ns() - before);
    }
    /// What so many thousandths of the steps took at most, in ns. Requires: there is one.
    [[nodiscard]] double quantile(std::size_t thousandths) {
        const std::size_t at = std::min(times_.size() * thousandths / 1000, times_.size() - 1);
        std::nth_element(times_.begin(), times_.begin() + static_cast<std::ptrdiff_t>(at),
                         times_.end());
        return static_cast<double>(times_[at] - clock_ns());
    }

  private:
    /// What reading the clock takes.
    [[nodiscard]] static std::int64_t clock_ns() {
        static const std::int64_t least = [] {
            std::vector<std::int64_t> empty;
            for (int i = 0; i < 1001; ++i) {
                const std::int64_t before = now_ns();
                empty.push_back(now_ns() - before);
            }
            std::nth_element(empty.begin(), empty.begin() + 500, empty.end());
            return empty[500];
        }();
        return least;
    }
    std::vector<std::int64_t> times_;
};

void report(benchmark::State& state, Times& ours, Times& yard) {
    state.counters["p50_ns"] = ours.quantile(500);
    state.counters["p99_ns"] = ours.quantile(990);
    state.counters["yard_ns"] = yard.quantile(500);
    state.counters["times_yard"] = ours.quantile(500) / yard.quantile(500);
}

/// Steps before the measured ones: states are met, memory is touched.
constexpr int warm_steps = 20'000;
constexpr int steps = 100'000;

/// Jobs of one GPU come, and others go: begin() says where one is, end(job) lets it go.
template <class Job, class Begin, class End>
void take_turns(std::vector<Job>& jobs, bool is_alone, Times& times, const Begin& begin,
                const End& end, benchmark::State* state) {
    Rng rng(2);
    const auto any = [&] {
        return is_alone ? std::size_t{0} : static_cast<std::size_t>(rng.below(jobs.size()));
    };
    Job next{};
    const auto step = [&](std::size_t gone) {
        next = begin();
        if (is_alone) jobs.assign(1, next);
        end(jobs[gone]);
    };
    const auto settle = [&](std::size_t gone) { jobs[gone] = next; };
    for (int i = 0; i < warm_steps; ++i) {
        const std::size_t gone = any();
        step(gone);
        settle(gone);
    }
    const auto measured = [&] {
        const std::size_t gone = any();
        times.measure([&] { step(gone); });
        settle(gone);
    };
    if (state != nullptr) {
        for (auto _ : *state) measured();
    } else {
        for (int i = 0; i < steps; ++i) measured();
    }
}

void match_commit(benchmark::State& state, Policy policy, std::uint32_t nodes, Fill fill) {
    World world(nodes, fill);
    Cluster& cluster = world.cluster;
    Placer placer(options_of(policy));
    const PreparedRequest request = gpus_with_cores(1);
    std::vector<OwnerId> owners;
    std::vector<std::uint32_t> yard_nodes;
    for (const Job& job : world.jobs) {
        if (job.gpus != 1 || job.yard_node == World::none) continue;
        owners.push_back(job.owner);
        yard_nodes.push_back(job.yard_node);
    }
    Times ours;
    take_turns(
        owners, fill == Fill::empty, ours,
        [&] {
            const OwnerId owner(world.owners++);
            auto found = placer.place(cluster, request);
            if (!found || !cluster.commit({owner, request, *std::move(found)}).ok()) std::abort();
            return owner;
        },
        [&](OwnerId owner) {
            if (!cluster.release(owner).ok()) std::abort();
        },
        &state);
    Times yard;
    take_turns(
        yard_nodes, fill == Fill::empty, yard, [&] { return world.yard.take(1, 8).value(); },
        [&](std::uint32_t node) { world.yard.give_back(node, 1, 8); }, nullptr);
    report(state, ours, yard);
    state.counters["states"] = cluster.states().count();
}

/// A request that is refused; the cluster changes between two questions.
void refused(benchmark::State& state, std::uint32_t nodes, std::int64_t gpus) {
    World world(nodes, Fill::fragmented);
    Placer placer(options_of(Policy::best_fit));
    const PreparedRequest request = gpus_with_cores(gpus);
    Cluster& cluster = world.cluster;
    // No node is wholly free.
    Placer filler(options_of(Policy::best_fit));
    const PreparedRequest whole = gpus_with_cores(8);
    while (world.place(filler, whole, 8)) continue;
    Times times;
    for (auto _ : state) {
        const std::size_t gone = world.any_job(0, world.jobs.size());
        auto given = cluster.release(world.jobs[gone].owner);
        if (!given.ok() || !cluster.commit(*std::move(given)).ok()) std::abort();
        times.measure([&] { benchmark::DoNotOptimize(placer.place(cluster, request)); });
    }
    state.counters["p50_ns"] = times.quantile(500);
    state.counters["p99_ns"] = times.quantile(990);
}

/// 64 whole nodes at as few leaf switches as will do.
void many_nodes(benchmark::State& state, std::uint32_t nodes, Fill fill) {
    World world(nodes, fill, " 32 per switch 1024 per pod");
    Placer placer(options_of(Policy::best_fit));
    Request wide = *gpus_with_cores(8);
    wide.nodes = Range<Count>::exactly(Count(64));
    wide.topology.switches_max = Count(2);
    wide.topology.switches = Strictness::prefer;
    const PreparedRequest request(std::move(wide));
    Times match;
    Times all;
    const auto step = [&] {
        all.measure([&] {
            Verdict<Placement> found = Placement();
            match.measure([&] { found = placer.place(world.cluster, request); });
            const OwnerId owner(world.owners++);
            if (!found || !world.cluster.commit({owner, request, *std::move(found)}).ok() ||
                !world.cluster.release(owner).ok()) {
                std::abort();
            }
        });
    };
    step();
    for (auto _ : state) step();
    state.counters["p50_ns"] = all.quantile(500);
    state.counters["p99_ns"] = all.quantile(990);
    state.counters["match_ns"] = match.quantile(500);
}

/// Nodes of 8 cores, four of them taken at random; 32 nodes have six free cores.
Cluster half_full_cluster(std::uint32_t nodes) {
    Cluster cluster =
        *Cluster::create(*testing::cluster_parts_from_text(fmt::format("{} x (8c)", nodes)));
    Rng rng(11);
    for (std::uint32_t i = 0; i < nodes; ++i) {
        NodePlacement taken;
        taken.node = NodeId(i);
        const std::int64_t cores = i % (nodes / 32) == 0 && i / (nodes / 32) < 32 ? 2 : 4;
        while (taken.cores.count() < cores) {
            taken.cores.insert(CoreId(static_cast<std::uint32_t>(rng.below(8))));
        }
        if (!cluster.commit({OwnerId(1'000'000'000 + i), {}, {{std::move(taken)}, {}}}).ok()) {
            std::abort();
        }
    }
    return cluster;
}

/// 64 nodes of which half have six tasks and half four: no 64 nodes have five free cores.
void uneven(benchmark::State& state, std::uint32_t nodes) {
    Cluster cluster = half_full_cluster(nodes);
    Placer placer(options_of(Policy::best_fit));
    Request asked;
    asked.nodes = Range<Count>::exactly(Count(64));
    asked.tasks = Count(320);
    const PreparedRequest request(std::move(asked));
    Times match;
    Times all;
    std::uint64_t owners = 0;
    const auto step = [&] {
        all.measure([&] {
            Verdict<Placement> found = Placement();
            match.measure([&] { found = placer.place(cluster, request); });
            const OwnerId owner(owners++);
            if (!found || !cluster.commit({owner, request, *std::move(found)}).ok() ||
                !cluster.release(owner).ok()) {
                std::abort();
            }
        });
    };
    for (int i = 0; i < 3; ++i) step();
    for (auto _ : state) step();
    state.counters["p50_ns"] = all.quantile(500);
    state.counters["p99_ns"] = all.quantile(990);
    state.counters["match_ns"] = match.quantile(500);
}

/// A trial, a job in it, its end.
void trial_place_undo(benchmark::State& state, std::uint32_t nodes) {
    World world(nodes, Fill::half);
    Placer placer(options_of(Policy::best_fit));
    const PreparedRequest request = gpus_with_cores(1);
    const auto step = [&] {
        const Cluster::Trial trial = world.cluster.trial();
        auto found = placer.place(world.cluster, request);
        const OwnerId owner(world.owners);
        if (!found || !world.cluster.commit({owner, request, *std::move(found)}).ok()) std::abort();
    };
    for (int i = 0; i < warm_steps; ++i) step();
    for (auto _ : state) step();
    state.SetItemsProcessed(state.iterations());
}

/// CPUs, GiB and GPUs of a job, as benchmarks/python/compare.py draws them.
using Kind = std::array<std::int64_t, 3>;

PreparedRequest request_of(const Kind& kind) {
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(kind[0]));
    request.memory = Range<Bytes>::at_least(gib(kind[1]));
    DeviceRequest device;
    device.count = Range<Count>::exactly(Count(kind[2]));
    if (kind[2] != 0) request.devices = {device};
    return request;
}

/// Four jobs a node in random order, of so many kinds; one wants about an eighth of a node.
std::vector<JobOrder> orders_of_kinds(std::size_t count, std::uint32_t nodes) {
    Rng rng(1);
    const auto up_to = [&](std::uint64_t most) {
        return static_cast<std::int64_t>(rng.below(most) + 1);
    };
    std::vector<Kind> kinds{{8, 32, 1}};
    while (kinds.size() < count) {
        const std::int64_t cpus = up_to(16);
        const std::int64_t memory = up_to(96);
        const Kind one{cpus, memory, std::array{0, 0, 1, 1, 2}[rng.below(5)]};
        if (std::find(kinds.begin(), kinds.end(), one) == kinds.end()) kinds.push_back(one);
    }
    std::vector<PreparedRequest> requests;
    for (const Kind& kind : kinds) requests.push_back(request_of(kind));
    std::vector<JobOrder> orders;
    for (std::uint64_t owner = 0; owner < std::uint64_t{4} * nodes; ++owner) {
        orders.push_back({OwnerId(owner), requests[rng.below(requests.size())]});
    }
    return orders;
}

/// A list of jobs of many kinds, which fill half of an idle cluster: nearly every node that is used
/// comes into a state of its own.
void place_kinds(benchmark::State& state, std::size_t kinds, std::uint32_t nodes) {
    const std::vector<JobOrder> orders = orders_of_kinds(kinds, nodes);
    const Cluster idle = *Cluster::create(
        *testing::cluster_parts_from_text(fmt::format("{} x (2s32c mem=512G gpu:8)", nodes)));
    std::size_t states = 0;
    std::size_t placed = 0;
    for (auto _ : state) {
        Cluster cluster = idle;
        Placer placer;
        const auto result =
            place_many(cluster, orders, placer, {PlaceManyOptions::OnFailure::skip});
        placed = result->placed.size();
        states = cluster.states().count();
    }
    const auto jobs = static_cast<double>(orders.size());
    state.counters["per_job"] = benchmark::Counter(
        jobs, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    state.counters["placed"] = static_cast<double>(placed);
    state.counters["states"] = static_cast<double>(states);
}

/// A list of jobs, one after the other.
void place_list(benchmark::State& state, std::uint32_t nodes) {
    const PreparedRequest request = gpus_with_cores(1);
    for (auto _ : state) {
        state.PauseTiming();
        World world(nodes, Fill::empty);
        Placer placer(options_of(Policy::best_fit));
        state.ResumeTiming();
        for (std::uint64_t owner = 0; owner < 100'000; ++owner) {
            auto found = placer.place(world.cluster, request);
            if (!found ||
                !world.cluster.commit({OwnerId(owner), request, *std::move(found)}).ok()) {
                std::abort();
            }
        }
        state.PauseTiming();
        { const World gone = std::move(world); }
        state.ResumeTiming();
    }
}

template <class Run, class... Args>
benchmark::internal::Benchmark* add(const std::string& name, const Run& run, const Args&... args) {
    return benchmark::RegisterBenchmark(name.c_str(),
                                        [=](benchmark::State& state) { run(state, args...); });
}

bool add_all() {
    using enum Policy;
    for (const std::uint32_t nodes : {1'000u, 10'000u, 100'000u, 1'000'000u}) {
        for (const Fill fill : {Fill::empty, Fill::half, Fill::full95, Fill::fragmented}) {
            add(fmt::format("match_commit/best_fit/1gpu/{}/{}", nodes, to_text(fill)), match_commit,
                best_fit, nodes, fill)
                ->Iterations(steps);
        }
    }
    for (const Policy policy : {first_fit, worst_fit, least_loaded, pack_nodes, weight, dot_product,
                                packing, clustering, fgd, future_fit, random}) {
        for (const std::uint32_t nodes : {10'000u, 1'000'000u}) {
            add(fmt::format("match_commit/{}/1gpu/{}/half", policy, nodes), match_commit, policy,
                nodes, Fill::half)
                ->Iterations(policy == random ? 1000 : steps);
        }
    }
    for (const std::uint32_t nodes : {1'000u, 1'000'000u}) {
        add(fmt::format("match/best_fit/9gpu_never/{}", nodes), refused, nodes, 9)
            ->Iterations(20'000);
        add(fmt::format("match/best_fit/8gpu_not_now/{}", nodes), refused, nodes, 8)
            ->Iterations(20'000);
        add(fmt::format("trial_place_undo/{}", nodes), trial_place_undo, nodes)->Iterations(steps);
    }
    for (const std::uint32_t nodes : {10'000u, 100'000u}) {
        for (const Fill fill : {Fill::empty, Fill::half}) {
            add(fmt::format("match_commit/best_fit/64x8gpu/{}/{}", nodes, to_text(fill)),
                many_nodes, nodes, fill)
                ->Iterations(2000);
        }
    }
    for (const std::uint32_t nodes : {1'000u, 10'000u, 100'000u, 1'000'000u}) {
        add(fmt::format("match_commit/best_fit/64_uneven/{}", nodes), uneven, nodes)
            ->Iterations(2000);
    }
    for (const std::size_t kinds : {1u, 8u, 48u}) {
        add(fmt::format("place_kinds/{}/10000", kinds), place_kinds, kinds, 10'000u)
            ->Unit(benchmark::kMillisecond)
            ->Iterations(3);
    }
    add("place_list/100000", place_list, 100'000u)->Unit(benchmark::kMillisecond)->Iterations(3);
    return true;
}
const bool all_are_added = add_all();

}  // namespace
