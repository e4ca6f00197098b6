// SPDX-License-Identifier: Apache-2.0
// A replay of the openb trace: its nodes as a Cluster whose node ids are the ranks that settle
// ties, its pods as Requests, one Placer that decides, commit() that gives. Pods never leave; one
// that fits nowhere is dropped.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/openb_trace.hpp"
#include "support/paths.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"

namespace trestle::openb {

/// The part of the trace in the repository: the nodes, the pods of `default`, the order of seed 42.
[[nodiscard]] inline std::filesystem::path recorded_folder() { return data_dir() / "openb"; }

/// The whole trace: all lists of pods, the orders of seeds 42 to 44. nullopt without TRESTLE_DATA.
[[nodiscard]] inline std::optional<std::filesystem::path> full_folder() {
    const auto outside = outside_data_dir();
    if (!outside) return std::nullopt;
    return *outside / "openb";
}

/// `variant` is the end of the name of a list of pods, such as `default`.
[[nodiscard]] inline StatusOr<Trace> load_trace(const std::filesystem::path& folder,
                                                const std::string& variant) {
    Trace trace;
    TRESTLE_TRY(trace.nodes, load_nodes(folder / "openb_node_list_gpu_node.csv"));
    TRESTLE_TRY(trace.pods, load_pods(folder / ("openb_pod_list_" + variant + ".csv")));
    return trace;
}

/// The study's own order of arrival for a seed of the default trace.
[[nodiscard]] inline StatusOr<Order> study_order(const std::filesystem::path& folder,
                                                 const Trace& trace, std::uint64_t seed) {
    const std::string name = "openb_pod_list_default." + std::to_string(seed) + ".order";
    return load_order(folder / "orders" / name, trace);
}

/// Cores of one thread, one memory domain, GPUs in thousandths.
[[nodiscard]] inline NodeShape shape_of(const NodeRow& row) {
    NodeShape shape;
    const auto cores = static_cast<std::uint32_t>(row.milli_cpus / 1000);
    for (std::uint32_t i = 0; i < cores; ++i) shape.hardware.cores.push_back({{OsIndex(i)}});
    shape.memory = {
        {OsIndex(0), MemoryDomain::Kind::dram, mib(row.mebibytes), shape.hardware.all_cores()}};
    for (std::uint32_t i = 0; i < row.gpus; ++i) {
        Device gpu;
        gpu.name = "gpu";
        gpu.type = row.model;
        gpu.index = i;
        gpu.shares = Count(1000);
        shape.devices.push_back(std::move(gpu));
    }
    return shape;
}

/// The idle cluster. A node's id is its rank.
[[nodiscard]] inline StatusOr<Cluster> cluster_of(const Trace& trace,
                                                  const std::vector<std::uint32_t>& ranks) {
    ClusterParts parts;
    parts.nodes.resize(trace.nodes.size());
    for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
        Node& node = parts.nodes[ranks[i]];
        node.name = trace.nodes[i].name;
        node.shape = shape_of(trace.nodes[i]);
    }
    return Cluster::create(parts);
}

[[nodiscard]] inline std::vector<std::string> models_of(const Pod& pod) {
    if (pod.models.empty()) return {};
    const auto parts = detail::split(pod.models, '|');
    return {parts.begin(), parts.end()};
}

[[nodiscard]] inline Request request_of(const Pod& pod) {
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count());
    request.milli_cpus = MilliCpu(pod.milli_cpus);
    request.memory = Range<Bytes>::exactly(mib(pod.mebibytes));
    if (pod.gpus == 0) return request;
    DeviceRequest gpus;
    gpus.types = models_of(pod);
    gpus.count = Range<Count>::exactly(Count(pod.gpus));
    if (pod.thousandths < 1000) gpus.shares = Count(pod.thousandths);
    request.devices = {gpus};
    return request;
}

/// The most frequent kinds of pods, memory aside, that together are 95 % of all.
[[nodiscard]] inline std::vector<PolicyOptions::TypicalJob> typical_jobs(
    const std::vector<Pod>& pods) {
    std::map<Pod, std::size_t> counts;
    for (Pod pod : pods) {
        pod.mebibytes = 0;
        ++counts[pod];
    }
    std::vector<std::pair<std::size_t, Pod>> kinds;
    for (const auto& [pod, count] : counts) kinds.emplace_back(count, pod);
    std::sort(kinds.rbegin(), kinds.rend());
    std::size_t covered = 0;
    std::vector<PolicyOptions::TypicalJob> jobs;
    for (const auto& [count, pod] : kinds) {
        if (covered * 100 >= pods.size() * 95) break;
        covered += count;
        jobs.push_back({MilliCpu(pod.milli_cpus), Count(pod.gpus), Count(pod.thousandths),
                        models_of(pod), Count(static_cast<std::int64_t>(count))});
    }
    return jobs;
}

/// The kinds of pods, memory aside, that ask most GPUs and together 98 % of all.
[[nodiscard]] inline std::vector<PolicyOptions::TypicalJob> demanding_jobs(
    const std::vector<Pod>& pods) {
    std::map<Pod, std::int64_t> counts;
    std::int64_t all = 0;
    for (Pod pod : pods) {
        pod.mebibytes = 0;
        if (pod.gpus != 0) ++counts[pod];
        all += pod.all_thousandths();
    }
    std::vector<std::pair<std::int64_t, Pod>> kinds;  // by what they ask
    for (const auto& [pod, count] : counts) kinds.emplace_back(count * pod.all_thousandths(), pod);
    std::sort(kinds.rbegin(), kinds.rend());
    std::int64_t covered = 0;
    std::vector<PolicyOptions::TypicalJob> jobs;
    for (const auto& [asked, pod] : kinds) {
        if (covered * 100 >= all * 98) break;
        covered += asked;
        jobs.push_back({MilliCpu(pod.milli_cpus), Count(pod.gpus), Count(pod.thousandths),
                        models_of(pod), Count(counts[pod])});
    }
    return jobs;
}

/// As the study measures: scores in a hundred steps, the trace's own pods as typical jobs.
[[nodiscard]] inline PlaceOptions options_for(const Trace& trace, Policy policy,
                                              std::uint64_t seed = 0) {
    PlaceOptions options;
    options.policy = policy;
    options.policy_options.score_steps = 100;
    options.policy_options.seed = seed;
    options.policy_options.typical_jobs =
        policy == Policy::future_fit ? demanding_jobs(trace.pods) : typical_jobs(trace.pods);
    return options;
}

/// Parts of GPUs that are given and that have been asked for so far, in per cent of all.
class AllocatedPercent {
  public:
    explicit AllocatedPercent(std::int64_t all) : all_(all) {}

    /// A pod of that size came.
    void add(std::int64_t thousandths, bool is_placed) {
        arrived_ += thousandths;
        if (is_placed) given_ += thousandths;
        Mean& mean = at_[static_cast<int>(std::nearbyint(percent_of(arrived_)))];
        mean.sum += round_to_hundredths(percent_of(given_));
        ++mean.count;
    }
    /// The study's cell: the mean while so many per cent of all GPUs had been asked for.
    [[nodiscard]] double at(int arrived_percent) const {
        const Mean& mean = at_.at(arrived_percent);
        return round_to_hundredths(mean.sum / static_cast<double>(mean.count));
    }

  private:
    struct Mean {
        double sum = 0;
        std::int64_t count = 0;
    };

    [[nodiscard]] double percent_of(std::int64_t part) const {
        return static_cast<double>(part) * 100.0 / static_cast<double>(all_);
    }
    [[nodiscard]] static double round_to_hundredths(double value) {
        return std::round(value * 100.0) / 100.0;
    }

    std::int64_t all_;
    std::int64_t arrived_ = 0;
    std::int64_t given_ = 0;
    std::map<int, Mean> at_;
};

/// The trace as a cluster and requests, ready for any number of replays of one order.
class Replay {
  public:
    [[nodiscard]] static StatusOr<Replay> create(const Trace& trace, const Order& order) {
        Replay replay;
        TRESTLE_TRY(replay.idle_, cluster_of(trace, order.ranks));
        replay.all_ = trace.all_thousandths();
        std::map<Pod, std::size_t> known;
        for (const std::uint32_t at : order.arrivals) {
            const Pod& pod = trace.pods[at];
            const auto [found, is_new] = known.emplace(pod, replay.requests_.size());
            if (is_new) {
                const Request request = request_of(pod);
                TRESTLE_TRY_STATUS(check(request));
                replay.requests_.emplace_back(request);
            }
            replay.arrivals_.push_back({found->second, pod.all_thousandths()});
        }
        return replay;
    }

    /// Errors: those of commit(), which happens to no answer of the placer.
    [[nodiscard]] StatusOr<AllocatedPercent> run(const PlaceOptions& options) const {
        Cluster cluster = idle_;
        Placer placer(options);
        AllocatedPercent result(all_);
        std::uint64_t pods = 0;
        for (const Arrival& arrival : arrivals_) {
            const PreparedRequest& request = requests_[arrival.request];
            Verdict<Placement> placement = placer.place(cluster, request);
            result.add(arrival.thousandths, placement.has_value());
            if (!placement) continue;
            TRESTLE_TRY_STATUS(cluster.commit({OwnerId(pods++), request, *std::move(placement)}));
        }
        return result;
    }

  private:
    struct Arrival {
        std::size_t request;
        std::int64_t thousandths;
    };

    Cluster idle_;
    std::vector<PreparedRequest> requests_;  ///< each kind of pod once
    std::vector<Arrival> arrivals_;
    std::int64_t all_ = 0;
};

}  // namespace trestle::openb
