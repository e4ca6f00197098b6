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
#include "../call/progress.hpp"
#include "dialect/slurm/live/ask/start_text.hpp"
#include "job_words.hpp"
#include "live_answers.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/container/live/pod_starts.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/job_report.hpp"
#include "trestle/dialect/slurm/options/options.hpp"

namespace trestle::tool {
namespace {

using container::KubernetesCluster;

/// `x`, or `acme.io/x` where another vendor has an x too.
std::string name_of(const Device& device) {
    const bool is_ambiguous = device.vendor.find('.') != std::string::npos;
    return is_ambiguous ? fmt::format("{}/{}", device.vendor, device.name) : device.name;
}

/// How many devices of each name.
std::map<std::string, std::int64_t> devices_of(const Cluster& cluster, const NodePlacement& part) {
    std::map<std::string, std::int64_t> counts;
    for (const DeviceShare& share : part.devices) {
        ++counts[name_of(cluster.shape(part.node).devices[share.device.value()])];
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

/// What is said of the pod.
struct PodAnswer {
    container::PodStart start;
    std::optional<Explanation> nodes;  ///< why not now, if that is asked
};

/// The cluster without the nodes that do not admit the pod.
StatusOr<Cluster> admitting_nodes(const KubernetesCluster& pods, const container::WaitingPod& pod) {
    ClusterParts parts;
    std::map<NodeId, NodeId> numbers;
    for (const NodeId node : pod.nodes) {
        numbers.emplace(node, NodeId(static_cast<std::uint32_t>(parts.nodes.size())));
        parts.nodes.push_back(pods.cluster.node(node));
    }
    TRESTLE_TRY(Cluster cluster, Cluster::create(parts));
    for (Allocation& has : pods.cluster.allocations()) {
        NodePlacement& part = has.placement.nodes.front();
        const auto number = numbers.find(part.node);
        if (number == numbers.end()) continue;
        part.node = number->second;
        TRESTLE_TRY_STATUS(cluster.adopt(has.owner, std::move(has.placement)));
    }
    return cluster;
}

/// Counts the nodes that do not admit the pod.
void count_others(const KubernetesCluster& pods, const container::WaitingPod& pod,
                  std::vector<Explanation::Removal>& removed) {
    const NodeSet others = NodeSet::range({0, pods.cluster.node_count()}) - pod.nodes;
    if (others.is_empty()) return;
    const Count nodes(static_cast<std::int64_t>(others.count()));
    const auto at =
        std::find_if(removed.begin(), removed.end(),
                     [&](const Explanation::Removal& row) { return row.nodes < nodes; });
    removed.insert(at, {Constraint::candidates, nodes,
                        pods.cluster.name(*others.begin()) + " is not a candidate"});
}

/// Why no node admits the pod, or not one that it requires; nothing if each of these does.
std::optional<Refusal> refusal_to_admit(const KubernetesCluster& pods,
                                        const container::WaitingPod& pod) {
    constexpr std::string_view by = "a taint or the nodeSelector";
    if (pod.nodes.is_empty()) {
        return Refusal{Constraint::candidates, fmt::format("none of the {} nodes admits it: {}",
                                                           pods.cluster.node_count(), by)};
    }
    for (const std::string& name : pod.request.required_nodes) {
        const auto node = pods.cluster.find_node(name);
        if (!node || pod.nodes.contains(*node)) continue;
        return Refusal{Constraint::candidates,
                       fmt::format("{} is required, and does not admit it: {}", name, by)};
    }
    return std::nullopt;
}

/// Says of pods what is said of nodes and jobs.
void put_in_words(const KubernetesCluster& pods, PodAnswer& answer) {
    const auto put = [&](std::string& text) { text = in_words_of_pods(pods, std::move(text)); };
    put(answer.start.why.reason);
    if (!answer.nodes) return;
    put(answer.nodes->why.reason);
    put(answer.nodes->nearest);
    for (Explanation::Removal& row : answer.nodes->removed) put(row.example);
    for (Explanation::Relaxation& change : answer.nodes->relaxations) put(change.text);
}

StatusOr<PodAnswer> answer_of(const KubernetesCluster& pods, const container::WaitingPod& pod,
                              bool is_why) {
    TRESTLE_TRY(const PreparedRequest request, PreparedRequest::create(pod.request));
    PodAnswer answer{container::pod_start(pods, pod), {}};
    if (answer.start.starts_in == Seconds(0)) return answer;
    TRESTLE_TRY(const Cluster admitting, admitting_nodes(pods, pod));
    if (is_why) {
        answer.nodes = explain(admitting, request, {}, {}, 1);
        count_others(pods, pod, answer.nodes->removed);
    }
    if (auto why = refusal_to_admit(pods, pod)) {
        answer.start.why = *std::move(why);
    } else {
        answer.start.why = place(admitting, request).refusal();
    }
    if (is_why) answer.nodes->why = answer.start.why;
    put_in_words(pods, answer);
    return answer;
}

void replace_all(std::string& text, std::string_view said, std::string_view meant) {
    for (std::size_t at = text.find(said); at != std::string::npos;) {
        text.replace(at, said.size(), meant);
        at = text.find(said, at + meant.size());
    }
}

bool is_full(const KubernetesCluster& pods, std::string_view name) {
    const auto node = pods.cluster.find_node(name);
    if (!node) return false;
    const auto at = std::lower_bound(pods.full.begin(), pods.full.end(), *node,
                                     [&](const std::string& other, NodeId than) {
                                         return *pods.cluster.find_node(other) < than;
                                     });
    return at != pods.full.end() && *at == name;
}

/// What stands before and behind the name of a node.
struct AroundName {
    std::string_view before, behind;
};

/// Replaces what is said around the names of full nodes.
void replace_of_full(const KubernetesCluster& pods, std::string& text, const AroundName& said,
                     const AroundName& meant) {
    for (std::size_t at = text.find(said.behind); at != std::string::npos;
         at = text.find(said.behind, at + 1)) {
        const std::size_t space = at == 0 ? std::string::npos : text.rfind(' ', at - 1);
        const std::size_t begin = space == std::string::npos ? 0 : space + 1;
        const std::string name = text.substr(begin, at - begin);
        const std::string_view front = std::string_view(text).substr(0, begin);
        if (!front.ends_with(said.before) || !is_full(pods, name)) continue;
        const std::size_t from = begin - said.before.size();
        text.replace(from, at + said.behind.size() - from,
                     fmt::format("{}{}{}", meant.before, name, meant.behind));
        at = from;
    }
}

/// `default/train-0`; of many pods the first ten.
std::string names_of(const std::vector<container::RunningPod>& pods) {
    constexpr std::size_t most = 10;
    std::string text;
    for (std::size_t i = 0; i < std::min(pods.size(), most); ++i) {
        text += (i == 0 ? "" : ", ") + pods[i].name;
    }
    if (pods.size() > most) text += fmt::format(" and {} more", pods.size() - most);
    return text;
}

std::string placement_text(const Cluster& cluster, const Placement& placement) {
    std::string text;
    for (const NodePlacement& part : placement.nodes) text += part_text(cluster, part);
    return text;
}

std::string answer_text(const KubernetesCluster& pods, const PodAnswer& answer) {
    const Cluster& cluster = pods.cluster;
    const container::PodStart& start = answer.start;
    if (start.starts_in == Seconds(0)) {
        return "starts now\n" + placement_text(cluster, start.placement);
    }
    std::string text;
    if (answer.nodes || !start.starts_in) text = fmt::format("does not start: {}\n", start.why);
    if (answer.nodes) text += slurm::counts_text(*answer.nodes);
    if (start.starts_in) {
        text +=
            fmt::format("starts in {}, when {} {}\n", slurm::duration_text(*start.starts_in),
                        names_of(start.waits_for), start.waits_for.size() == 1 ? "ends" : "end");
        text += placement_text(cluster, start.placement);
    } else {
        text += start.may_ever_start ? "waits for pods whose end is not known\n"
                                     : "never starts as it is, not even on the idle cluster\n";
    }
    if (!answer.nodes) return text;
    if (!answer.nodes->nearest.empty()) {
        text += fmt::format("nearest: {}\n", answer.nodes->nearest);
    }
    for (const Explanation::Relaxation& change : answer.nodes->relaxations) {
        const bool is_no_choice = change.kind == Explanation::Relaxation::Kind::ending ||
                                  change.kind == Explanation::Relaxation::Kind::by_name;
        if (is_no_choice) continue;
        text += fmt::format("would start: {}\n", change.text);
    }
    return text;
}

json::Value answer_json(const KubernetesCluster& pods, const container::WaitingPod& pod,
                        const PodAnswer& answer) {
    const container::PodStart& start = answer.start;
    json::List nodes;
    for (const NodePlacement& part : start.placement.nodes) {
        nodes.push_back(part_json(pods.cluster, part));
    }
    json::Object object{{"starts_in", json::to_value(start.starts_in)},
                        {"may_ever_start", json::to_value(start.may_ever_start)},
                        {"message", json::to_value(pod.message)},
                        {"why", json::to_value(start.why)},
                        {"waits_for", json::to_value(start.waits_for)},
                        {"nodes", {std::move(nodes)}}};
    if (answer.nodes) {
        object.push_back({"removed", json::to_value(answer.nodes->removed)});
        object.push_back({"fitting", json::to_value(answer.nodes->fitting)});
        object.push_back({"nearest", json::to_value(answer.nodes->nearest)});
        object.push_back({"relaxations", json::to_value(answer.nodes->relaxations)});
    }
    object.push_back({"problems", json::to_value(pods.problems)});
    return {std::move(object)};
}

}  // namespace

std::string in_words_of_pods(const KubernetesCluster& pods, std::string text) {
    replace_all(text, " is not a candidate", " does not admit it: a taint or the nodeSelector");
    replace_of_full(pods, text, {"once ", " is back, which is drained, health healthy"},
                    {"once a pod of ", " ends"});
    replace_of_full(pods, text, {"", " is drained, health healthy"},
                    {"", " has all the pods that it may have"});
    return text;
}

bool is_kubernetes(const SiteOptions& options) { return options.directory.ends_with(".json"); }

StatusOr<KubernetesCluster> read_pods(const SiteOptions& options) {
    if (!options.jobs.empty() || !options.state.empty() || !options.release.empty()) {
        return invalid_argument("--jobs, --state, --release: not with a file of Kubernetes");
    }
    Progress progress(2);
    progress.next("reading the file");
    TRESTLE_TRY(const std::string text, whole_file(options.directory));
    progress.next("adopting pods");
    auto pods = container::read_kubernetes_cluster(text);
    if (!pods.ok()) return with_context(options.directory, pods.status());
    return pods;
}

void print_problems(const KubernetesCluster& pods) {
    for (const std::string& problem : pods.problems) fmt::print(stderr, "live: {}\n", problem);
}

StatusOr<container::WaitingPod> waiting_pod(const KubernetesCluster& pods,
                                            const slurm::KnownOptions& known,
                                            std::vector<std::string> words) {
    const bool is_name = words.size() == 1 && !words.front().starts_with('-') &&
                         words.front().find('/') != std::string::npos;
    if (!is_name) {
        TRESTLE_TRY(const slurm::TypedJob job, job_of_words(std::move(words), known));
        TRESTLE_TRY(Request request, slurm::request_of(job.submission));
        return container::pod_of_request(pods, std::move(request));
    }
    for (const container::WaitingPod& pod : pods.waiting) {
        if (pod.name == words.front()) return pod;
    }
    for (const container::RunningPod& pod : pods.running) {
        if (pod.name == words.front()) return invalid_argument("pod {}: it runs", pod.name);
    }
    return not_found("pod {}: not among the {} waiting pods", words.front(), pods.waiting.size());
}

std::vector<svg::OwnerName> owner_names(const KubernetesCluster& pods) {
    std::vector<svg::OwnerName> names;
    for (const container::RunningPod& pod : pods.running) names.push_back({pod.owner, pod.name});
    return names;
}

StatusOr<int> ask_pods(const PodQuestion& question, std::vector<std::string> words) {
    TRESTLE_TRY(const slurm::KnownOptions known, known_options(question.site.plugin_options));
    TRESTLE_TRY(const KubernetesCluster pods, read_pods(question.site));
    const std::string line = slurm::joined_words(words);
    TRESTLE_TRY(const container::WaitingPod pod, waiting_pod(pods, known, std::move(words)));
    Progress progress(1);
    progress.next("asking the nodes");
    TRESTLE_TRY(const PodAnswer answer, answer_of(pods, pod, question.is_why));
    progress.hide();
    print_problems(pods);
    if (question.is_json) {
        print_json(answer_json(pods, pod, answer));
    } else {
        const std::string says =
            pod.message.empty() ? "" : fmt::format(": Kubernetes says: {}", pod.message);
        fmt::print("{}{}\n{}", line, says, with_tones(answer_text(pods, answer)));
    }
    const bool is_yes =
        question.is_why ? answer.start.starts_in == Seconds(0) : answer.start.starts_in.has_value();
    return is_yes ? exit_yes : exit_no;
}

}  // namespace trestle::tool
