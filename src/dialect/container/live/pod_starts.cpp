// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/live/pod_starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/ids.hpp"

namespace trestle::container {
namespace {

/// The cluster while pods come and go.
class PodsInTime {
  public:
    explicit PodsInTime(const KubernetesCluster& pods)
        : cluster_(pods.cluster), room_(pods.pod_room), is_full_(pods.pod_room.size(), false) {
        TRESTLE_EXPECTS(room_.size() == cluster_.node_count(), "pod_room has each node once");
        for (const std::string& name : pods.full) {
            if (const auto node = cluster_.find_node(name)) is_full_[node->value()] = true;
        }
    }

    [[nodiscard]] const Cluster& cluster() const { return cluster_; }

    void end(OwnerId owner) {
        const auto ended = cluster_.release(owner);
        if (!ended.ok()) return;
        for (const NodePlacement& part : ended->placement.nodes) {
            const std::uint32_t node = part.node.value();
            ++room_[node];
            if (!is_full_[node] || room_[node] <= 0) continue;
            is_full_[node] = false;
            cluster_.set_node_state(part.node, NodeState::up);
        }
    }

    void start(OwnerId owner, const Placement& placement) {
        if (!cluster_.adopt(owner, placement).ok()) return;
        for (const NodePlacement& part : placement.nodes) {
            const std::uint32_t node = part.node.value();
            --room_[node];
            if (is_full_[node] || room_[node] > 0) continue;
            is_full_[node] = true;
            cluster_.set_node_state(part.node, NodeState::drained);
        }
    }

  private:
    Cluster cluster_;
    std::vector<std::int64_t> room_;
    std::vector<bool> is_full_;
};

PodsInTime idle_of(const KubernetesCluster& pods) {
    PodsInTime idle(pods);
    for (const RunningPod& pod : pods.running) {
        if (pod.is_pod()) idle.end(pod.owner);
    }
    return idle;
}

/// The pods with an end, by that.
std::vector<RunningPod> ending_pods(const KubernetesCluster& pods) {
    std::vector<RunningPod> ending;
    for (const RunningPod& pod : pods.running) {
        if (pod.ends_in) ending.push_back(pod);
    }
    std::stable_sort(ending.begin(), ending.end(), [](const RunningPod& a, const RunningPod& b) {
        return *a.ends_in < *b.ends_in;
    });
    return ending;
}

/// True if the owner has something of a node of the placement.
bool is_on(const Cluster& cluster, OwnerId owner, const Placement& placement) {
    const Allocation* const has = cluster.find_allocation(owner);
    if (has == nullptr) return false;
    return std::any_of(
        placement.nodes.begin(), placement.nodes.end(), [&](const NodePlacement& part) {
            return std::any_of(has->placement.nodes.begin(), has->placement.nodes.end(),
                               [&](const NodePlacement& other) { return other.node == part.node; });
        });
}

Refusal refusal_of(const Status& status) {
    return {Constraint::invalid, std::string(message(status))};
}

/// Requests and nodes of pods, each pair once.
class Kinds {
  public:
    /// The number of the pod's kind.
    std::size_t add(const KubernetesCluster& pods, const WaitingPod& pod) {
        std::vector<std::size_t>& equal = by_hash_[hash_of(pod.request)];
        for (const std::size_t kind : equal) {
            const WaitingPod& known = *kinds_[kind].pod;
            if (known.request == pod.request && known.nodes == pod.nodes) return kind;
        }
        equal.push_back(kinds_.size());
        kinds_.push_back({&pod, filter_of(pods, pod), PreparedRequest::create(pod.request)});
        return kinds_.size() - 1;
    }

    [[nodiscard]] std::size_t size() const { return kinds_.size(); }

    [[nodiscard]] Verdict<Placement> place(std::size_t kind, const PodsInTime& pods,
                                           Placer& placer) const {
        const Kind& one = kinds_[kind];
        if (!one.request.ok()) return refusal_of(one.request.status());
        return placer.place(pods.cluster(), *one.request, one.filter);
    }

  private:
    struct Kind {
        const WaitingPod* pod;
        NodeFilter filter;
        StatusOr<PreparedRequest> request;
    };
    std::vector<Kind> kinds_;
    std::map<std::uint64_t, std::vector<std::size_t>> by_hash_;
};

/// `gpu-1+2`; the number is the first behind `number` that no node has.
std::string unused_name(const Cluster& cluster, std::string_view like, std::size_t& number) {
    for (;;) {
        std::string name = fmt::format("{}+{}", like, ++number);
        if (!cluster.find_node(name)) return name;
    }
}

}  // namespace

PodStart pod_start(const KubernetesCluster& pods, const WaitingPod& pod) {
    PodStart start;
    const auto prepared = PreparedRequest::create(pod.request);
    if (!prepared.ok()) {
        start.why = refusal_of(prepared.status());
        start.may_ever_start = false;
        return start;
    }
    const PreparedRequest& request = *prepared;
    const NodeFilter filter = filter_of(pods, pod);
    auto now = place(pods.cluster, request, {}, filter);
    if (now) {
        start.starts_in = Seconds(0);
        start.placement = *std::move(now);
        return start;
    }
    start.why = now.refusal();
    start.may_ever_start = place(idle_of(pods).cluster(), request, {}, filter).has_value();
    if (!start.may_ever_start) return start;
    const std::vector<RunningPod> ending = ending_pods(pods);
    const auto placed_after = [&](std::size_t count) {
        PodsInTime then(pods);
        for (std::size_t i = 0; i < count; ++i) then.end(ending[i].owner);
        return place(then.cluster(), request, {}, filter);
    };
    if (!placed_after(ending.size())) return start;
    std::size_t too_few = 0, enough = ending.size();
    while (enough - too_few > 1) {
        const std::size_t middle = too_few + (enough - too_few) / 2;
        (placed_after(middle) ? enough : too_few) = middle;
    }
    const Seconds then = *ending[enough - 1].ends_in;
    while (enough < ending.size() && *ending[enough].ends_in == then) ++enough;
    start.starts_in = then;
    start.placement = *placed_after(enough);
    for (std::size_t i = 0; i < enough; ++i) {
        if (is_on(pods.cluster, ending[i].owner, start.placement)) {
            start.waits_for.push_back(ending[i]);
        }
    }
    return start;
}

std::vector<PodStart> pod_starts(const KubernetesCluster& pods,
                                 const std::vector<WaitingPod>& waiting) {
    std::vector<PodStart> starts(waiting.size());
    Kinds kinds;
    std::vector<std::size_t> kind_of(waiting.size()), left(waiting.size());
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        kind_of[i] = kinds.add(pods, waiting[i]);
        left[i] = i;
    }
    std::map<Seconds, std::vector<OwnerId>> ends;
    ends[Seconds(0)];
    for (const RunningPod& pod : ending_pods(pods)) ends[*pod.ends_in].push_back(pod.owner);
    std::uint64_t last_owner = pods.cluster.last_owner().value_or(OwnerId(0)).value();
    PodsInTime then(pods);
    Placer placer;
    for (auto moment = ends.begin(); moment != ends.end() && !left.empty(); ++moment) {
        const Seconds now = moment->first;
        for (const OwnerId owner : moment->second) then.end(owner);
        std::vector<std::optional<Refusal>> refused(kinds.size());  // why, by kind
        std::erase_if(left, [&](std::size_t i) {
            std::optional<Refusal>& why = refused[kind_of[i]];
            if (!why) {
                auto placed = kinds.place(kind_of[i], then, placer);
                if (placed) {
                    const OwnerId owner(++last_owner);
                    then.start(owner, *placed);
                    starts[i].starts_in = now;
                    starts[i].placement = *std::move(placed);
                    const auto& limit = waiting[i].request.time_limit;
                    if (limit) {
                        const Seconds end = saturating_add(now, std::max(*limit, Seconds(1)));
                        if (end != Seconds::max()) ends[end].push_back(owner);
                    }
                    return true;
                }
                why = placed.refusal();
            }
            if (now.is_zero()) starts[i].why = *why;
            return false;
        });
    }
    if (left.empty()) return starts;
    const PodsInTime idle = idle_of(pods);
    std::vector<std::optional<bool>> may_start(kinds.size());
    for (const std::size_t i : left) {
        std::optional<bool>& may = may_start[kind_of[i]];
        if (!may) may = kinds.place(kind_of[i], idle, placer).has_value();
        starts[i].may_ever_start = *may;
    }
    return starts;
}

WaitingPod pod_of_request(const KubernetesCluster& pods, Request request) {
    WaitingPod pod{{}, {}, std::move(request), {}};
    NodeSet kept_away;
    for (const NodeTaint& taint : pods.taints) {
        const bool is_asked = std::any_of(
            pod.request.devices.begin(), pod.request.devices.end(),
            [&](const DeviceRequest& device) { return taint.key.ends_with("/" + device.name); });
        if (is_asked) continue;
        if (const auto node = pods.cluster.find_node(taint.node)) kept_away.insert(*node);
    }
    pod.nodes = NodeSet::range({0, pods.cluster.node_count()}) - kept_away;
    return pod;
}

Status add_nodes_like(KubernetesCluster& pods, std::string_view node, std::uint32_t count) {
    const auto like = pods.cluster.find_node(node);
    if (!like) return not_found("unknown node {}", node);
    constexpr std::uint32_t most = 100'000;
    if (count == 0 || count > most) {
        return invalid_argument("{} nodes like {}, expected 1 to {}", count, node, most);
    }
    TRESTLE_EXPECTS(pods.pod_room.size() == pods.cluster.node_count(),
                    "pod_room has each node once");
    Node made = pods.cluster.node(*like);
    made.state = NodeState::up;
    std::optional<Placement> kept;
    std::vector<std::string> taints;
    std::int64_t room = pods.pod_room[like->value()];
    for (const RunningPod& pod : pods.running) {
        const Allocation* const has = pods.cluster.find_allocation(pod.owner);
        if (has == nullptr || has->placement.nodes.front().node != *like) continue;
        if (pod.is_pod()) {
            ++room;
        } else {
            kept = has->placement;
        }
    }
    for (const NodeTaint& taint : pods.taints) {
        if (taint.node == node) taints.push_back(taint.key);
    }
    KubernetesCluster after = pods;
    std::size_t number = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        made.name = unused_name(after.cluster, node, number);
        TRESTLE_TRY(const NodeId id, after.cluster.add_node(made));
        after.pod_room.push_back(room);
        for (const std::string& key : taints) after.taints.push_back({made.name, key});
        if (!kept) continue;
        const OwnerId owner(after.cluster.last_owner().value_or(OwnerId(0)).value() + 1);
        kept->nodes.front().node = id;
        TRESTLE_TRY_STATUS(after.cluster.adopt(owner, *kept));
        after.running.push_back({owner, "kept by " + made.name, {}});
    }
    const NodeSet added = NodeSet::range({pods.cluster.node_count(), after.cluster.node_count()});
    for (WaitingPod& pod : after.waiting) {
        if (pod.nodes.contains(*like)) pod.nodes |= added;
    }
    pods = std::move(after);
    return {};
}

}  // namespace trestle::container
