// SPDX-License-Identifier: Apache-2.0
#include "pod_queue.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../call/progress.hpp"
#include "../site/job_words.hpp"
#include "../site/pods.hpp"
#include "dialect/slurm/live/ask/start_text.hpp"
#include "trestle/dialect/container/live/kubernetes_cluster.hpp"
#include "trestle/dialect/container/live/pod_starts.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/dialect/slurm/options/options.hpp"

namespace trestle::tool {
namespace {

using container::KubernetesCluster;
using container::WaitingPod;

Status drain(const std::string& text, KubernetesCluster& pods) {
    TRESTLE_TRY(const slurm::Hostlist nodes, slurm::Hostlist::parse(text));
    for (const std::string& name : nodes.names()) {
        const auto node = pods.cluster.find_node(name);
        if (!node) return not_found("unknown node {}", name);
        pods.cluster.set_node_state(*node, NodeState::drained);
        std::erase(pods.full, name);
    }
    return {};
}

/// `gpu-1`, `3 x gpu-1`.
Status add(std::string_view text, KubernetesCluster& pods) {
    constexpr std::string_view times = " x ";
    const std::size_t at = text.find(times);
    std::uint32_t count = 1;
    if (at != std::string_view::npos) {
        const std::string_view digits = text.substr(0, at);
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), count);
        if (error != std::errc() || end != digits.data() + digits.size()) {
            return invalid_argument("\"{}\", expected NODE or COUNT x NODE", text);
        }
        text.remove_prefix(at + times.size());
    }
    return container::add_nodes_like(pods, text, count);
}

StatusOr<KubernetesCluster> edited_pods(const KubernetesCluster& pods, const SiteEdits& edits) {
    if (!edits.set.empty()) {
        return invalid_argument("--set: not with a file of Kubernetes, which has no slurm.conf");
    }
    KubernetesCluster after = pods;
    for (const std::string& text : edits.added) {
        const Status status = add(text, after);
        if (!status.ok()) return with_context("--add", status);
    }
    for (const std::string& text : edits.drained) {
        const Status status = drain(text, after);
        if (!status.ok()) return with_context("--drain", status);
    }
    return after;
}

/// pod_of_request() that looks at the taints once for each set of devices asked.
class PodsOfRequests {
  public:
    explicit PodsOfRequests(const KubernetesCluster& pods) : pods_(pods) {}

    WaitingPod pod_of(std::string name, Request request) {
        std::set<std::string> devices;
        for (const DeviceRequest& device : request.devices) devices.insert(device.name);
        const auto known = nodes_.find(devices);
        if (known != nodes_.end()) return {std::move(name), {}, std::move(request), known->second};
        WaitingPod pod = container::pod_of_request(pods_, std::move(request));
        pod.name = std::move(name);
        nodes_.emplace(std::move(devices), pod.nodes);
        return pod;
    }

  private:
    const KubernetesCluster& pods_;
    std::map<std::set<std::string>, NodeSet> nodes_;  ///< by the names of devices
};

/// The pods that are asked about, as they would wait on that cluster.
StatusOr<std::vector<WaitingPod>> pods_of(const KubernetesCluster& pods,
                                          const slurm::KnownOptions& known,
                                          const std::string& queue,
                                          const std::vector<std::string>& words) {
    std::vector<WaitingPod> asked;
    if (!queue.empty()) {
        if (!words.empty()) return invalid_argument("--queue: not together with a job");
        PodsOfRequests made(pods);
        TRESTLE_TRY_STATUS(for_each_job(
            queue, known, [&](const std::string& line, const slurm::Submission& job) -> Status {
                TRESTLE_TRY(Request request, slurm::request_of(job));
                asked.push_back(made.pod_of(line, std::move(request)));
                return {};
            }));
        return asked;
    }
    if (words.empty()) {
        std::copy_if(pods.waiting.begin(), pods.waiting.end(), std::back_inserter(asked),
                     [](const WaitingPod& pod) { return !pod.is_gated; });
        return asked;
    }
    const bool are_names = std::all_of(words.begin(), words.end(), [](const std::string& word) {
        return !word.starts_with('-') && word.find('/') != std::string::npos;
    });
    if (!are_names) {
        TRESTLE_TRY(WaitingPod pod, waiting_pod(pods, known, words));
        pod.name = slurm::joined_words(words);
        asked.push_back(std::move(pod));
        return asked;
    }
    std::set<std::string> names;
    for (const std::string& word : words) {
        if (!names.insert(word).second) continue;
        TRESTLE_TRY(WaitingPod pod, waiting_pod(pods, known, {word}));
        asked.push_back(std::move(pod));
    }
    return asked;
}

std::vector<QueuedStart> starts_of(const KubernetesCluster& pods,
                                   const std::vector<WaitingPod>& asked) {
    std::vector<QueuedStart> starts;
    for (const container::PodStart& start : container::pod_starts(pods, asked)) {
        QueuedStart one;
        one.starts_in = start.starts_in;
        one.may_ever_start = start.may_ever_start;
        for (const NodePlacement& part : start.placement.nodes) {
            one.nodes += (one.nodes.empty() ? "" : ",") + pods.cluster.name(part.node);
        }
        if (start.starts_in != Seconds(0)) one.why = in_words_of_pods(pods, to_text(start.why));
        starts.push_back(std::move(one));
    }
    return starts;
}

}  // namespace

StatusOr<PodQueue> pod_queue(const SiteOptions& site, const SiteEdits& edits,
                             const std::string& queue, const std::vector<std::string>& words) {
    TRESTLE_TRY(const slurm::KnownOptions known, known_options(site.plugin_options));
    TRESTLE_TRY(const KubernetesCluster pods, read_pods(site));
    Progress progress(3);
    progress.next("changing the cluster");
    TRESTLE_TRY(const KubernetesCluster changed, edited_pods(pods, edits));
    TRESTLE_TRY(const std::vector<WaitingPod> before, pods_of(pods, known, queue, words));
    TRESTLE_TRY(const std::vector<WaitingPod> after, pods_of(changed, known, queue, words));
    if (before.empty()) return invalid_argument("{}: no pod waits", site.directory);
    PodQueue answer;
    for (const WaitingPod& pod : before) answer.names.push_back(pod.name);
    answer.problems = pods.problems;
    progress.next("starting pods as it is");
    answer.before = starts_of(pods, before);
    progress.next("starting pods on the changed cluster");
    answer.after = starts_of(changed, after);
    progress.hide();
    print_problems(pods);
    return answer;
}

}  // namespace trestle::tool
