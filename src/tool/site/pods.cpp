// SPDX-License-Identifier: Apache-2.0
#include "pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../call/command.hpp"
#include "../call/output.hpp"
#include "dialect/slurm/live/ask/start_text.hpp"
#include "job_words.hpp"
#include "live_answers.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/options/options.hpp"

namespace trestle::tool {
namespace {

using container::KubernetesCluster;

/// The request of a waiting pod, or of options.
StatusOr<Request> request_of_words(const KubernetesCluster& pods, std::vector<std::string> words) {
    if (words.size() == 1 && !words.front().starts_with('-') &&
        words.front().find('/') != std::string::npos) {
        for (const container::WaitingPod& pod : pods.waiting) {
            if (pod.name == words.front()) return pod.request;
        }
        for (const container::RunningPod& pod : pods.running) {
            if (pod.name == words.front()) return invalid_argument("pod {}: it runs", pod.name);
        }
        return not_found("pod {}: not among the {} waiting pods", words.front(),
                         pods.waiting.size());
    }
    TRESTLE_TRY(const slurm::TypedJob job, job_of_words(std::move(words), {}));
    TRESTLE_TRY(Request request, slurm::request_of(job.submission));
    for (const container::NodeTaint& taint : pods.taints) {
        const bool is_asked = std::any_of(
            request.devices.begin(), request.devices.end(),
            [&](const DeviceRequest& device) { return taint.key.ends_with("/" + device.name); });
        if (!is_asked) request.excluded_nodes.push_back(taint.node);
    }
    return request;
}

/// Without its pods; what is kept of CPUs stays.
Cluster idle_of(const KubernetesCluster& pods) {
    Cluster idle = pods.cluster;
    for (const container::RunningPod& pod : pods.running) {
        if (pod.is_pod()) (void)idle.release(pod.owner);
    }
    for (const std::string& name : pods.full) {
        if (const auto node = idle.find_node(name)) idle.set_node_state(*node, NodeState::up);
    }
    return idle;
}

/// How many devices of each name.
std::map<std::string, std::int64_t> devices_of(const Cluster& cluster, const NodePlacement& part) {
    std::map<std::string, std::int64_t> counts;
    for (const DeviceShare& share : part.devices) {
        ++counts[cluster.shape(part.node).devices[share.device.value()].name];
    }
    return counts;
}

std::int64_t milli_cpus_of(const NodePlacement& part) {
    return part.milli_cpus.value() + 1000 * static_cast<std::int64_t>(part.cores.count());
}

std::string part_text(const Cluster& cluster, const NodePlacement& part) {
    std::string text = fmt::format("  {}: {}m CPU", cluster.name(part.node), milli_cpus_of(part));
    if (!part.total_memory().is_zero()) text += fmt::format(", {}", part.total_memory());
    for (const auto& [name, count] : devices_of(cluster, part)) {
        text += fmt::format(", {} {}", count, name);
    }
    return text + "\n";
}

json::Value part_json(const Cluster& cluster, const NodePlacement& part) {
    json::Object devices;
    for (const auto& [name, count] : devices_of(cluster, part)) {
        devices.push_back({name, json::to_value(count)});
    }
    return {json::Object{{"node", json::to_value(cluster.name(part.node))},
                         {"milli_cpus", json::to_value(milli_cpus_of(part))},
                         {"memory", json::to_value(part.total_memory())},
                         {"devices", {std::move(devices)}}}};
}

/// What is said of the job.
struct PodAnswer {
    std::optional<Placement> placement;  ///< absent: it does not start now
    Refusal why;
    bool may_ever_start = true;
    std::optional<Explanation> nodes;
};

PodAnswer answer_of(const KubernetesCluster& pods, const PreparedRequest& request, bool is_why) {
    PodAnswer answer;
    auto placed = place(pods.cluster, request);
    if (placed) {
        answer.placement = *std::move(placed);
        return answer;
    }
    answer.why = placed.refusal();
    answer.may_ever_start = place(idle_of(pods), request).has_value();
    if (is_why) answer.nodes = explain(pods.cluster, request, {}, {}, 1);
    return answer;
}

/// Nodes are excluded by more than an option here.
std::string with_exclusion(std::string text) {
    constexpr std::string_view said = " is excluded";
    constexpr std::string_view meant = " is excluded by a taint, a nodeSelector or --exclude";
    for (std::size_t at = text.find(said); at != std::string::npos;) {
        text.replace(at, said.size(), meant);
        at = text.find(said, at + meant.size());
    }
    return text;
}

std::string answer_text(const Cluster& cluster, const PodAnswer& answer) {
    if (answer.placement) {
        std::string text = "starts now\n";
        for (const NodePlacement& part : answer.placement->nodes) text += part_text(cluster, part);
        return text;
    }
    std::string text = fmt::format("does not start: {}\n", answer.why);
    if (answer.nodes) text += slurm::counts_text(*answer.nodes);
    text = with_exclusion(std::move(text));
    text += answer.may_ever_start ? "waits for pods, of which no end is known\n"
                                  : "never starts as it is, not even on the idle cluster\n";
    if (!answer.nodes) return text;
    if (!answer.nodes->nearest.empty()) {
        text += fmt::format("nearest: {}\n", answer.nodes->nearest);
    }
    for (const PlaceRelaxation& change : answer.nodes->relaxations) {
        const bool is_no_choice =
            change.kind == PlaceChangeKind::ending || change.kind == PlaceChangeKind::by_name;
        if (is_no_choice) continue;
        text += fmt::format("would start: {}\n", change.text);
    }
    return text;
}

json::Value answer_json(const Cluster& cluster, const PodAnswer& answer) {
    json::List nodes;
    if (answer.placement) {
        for (const NodePlacement& part : answer.placement->nodes) {
            nodes.push_back(part_json(cluster, part));
        }
    }
    const std::optional<Seconds> now = Seconds(0);
    json::Object object{
        {"starts_in", json::to_value(answer.placement ? now : std::optional<Seconds>())},
        {"may_ever_start", json::to_value(answer.may_ever_start)},
        {"why", json::to_value(answer.why)},
        {"nodes", {std::move(nodes)}}};
    if (answer.nodes) {
        object.push_back({"removed", json::to_value(answer.nodes->removed)});
        object.push_back({"fitting", json::to_value(answer.nodes->fitting)});
        object.push_back({"nearest", json::to_value(answer.nodes->nearest)});
        object.push_back({"relaxations", json::to_value(answer.nodes->relaxations)});
    }
    return {std::move(object)};
}

}  // namespace

bool is_kubernetes(const SiteOptions& options) { return options.directory.ends_with(".json"); }

StatusOr<KubernetesCluster> read_pods(const SiteOptions& options) {
    if (!options.jobs.empty() || !options.state.empty()) {
        return invalid_argument("--jobs, --state: not with a file of Kubernetes");
    }
    TRESTLE_TRY(const std::string text, whole_file(options.directory));
    auto pods = container::read_kubernetes_cluster(text);
    if (!pods.ok()) return with_context(options.directory, pods.status());
    return pods;
}

std::vector<svg::OwnerName> owner_names(const KubernetesCluster& pods) {
    std::vector<svg::OwnerName> names;
    for (const container::RunningPod& pod : pods.running) names.push_back({pod.owner, pod.name});
    return names;
}

StatusOr<int> ask_pods(const PodQuestion& question, std::vector<std::string> words) {
    TRESTLE_TRY(const KubernetesCluster pods, read_pods(question.site));
    const std::string line = slurm::joined_words(words);
    TRESTLE_TRY(Request request, request_of_words(pods, std::move(words)));
    TRESTLE_TRY(const PreparedRequest prepared, PreparedRequest::create(std::move(request)));
    for (const std::string& problem : pods.problems) fmt::print(stderr, "live: {}\n", problem);
    const PodAnswer answer = answer_of(pods, prepared, question.is_why);
    if (question.is_json) {
        print_json(answer_json(pods.cluster, answer));
    } else {
        fmt::print("{}\n{}", line, with_tones(answer_text(pods.cluster, answer)));
    }
    return answer.placement ? exit_yes : exit_no;
}

}  // namespace trestle::tool
