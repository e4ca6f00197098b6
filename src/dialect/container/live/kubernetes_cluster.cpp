// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/live/kubernetes_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dialect/json/members.hpp"
#include "pod_times.hpp"
#include "records.hpp"
#include "trestle/alloc/cluster/place/node_filter.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/json/value.hpp"
#include "trestle/model/node_builder.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::container {
namespace {

using json::list_of;
using json::member;
using json::text_of;

/// A resource is a count, and no device of its own each, if a node has more:
/// devices.kubevirt.io/kvm. It is one device that is shared.
constexpr std::int64_t single_devices_max = 64;

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

/// `gpu` of `nvidia.com/gpu`.
std::string device_of(const std::string& resource) {
    return resource.substr(resource.find('/') + 1);
}

/// What the resources of all nodes and pods are called as devices.
class Resources {
  public:
    Resources(const std::vector<NodeRecord>& nodes, const std::vector<PodRecord>& pods) {
        std::map<std::pair<std::string, std::string>, std::string> known;  // by name and vendor
        const auto add = [&](const std::string& resource) {
            const auto [at, is_new] =
                known.try_emplace({device_of(resource), first_word(resource)}, resource);
            if (is_new || at->second == resource) return;
            ambiguous_.insert(at->second);
            ambiguous_.insert(resource);
        };
        for (const NodeRecord& node : nodes) {
            for (const auto& [resource, count] : node.allocatable.devices) {
                add(resource);
                if (count > Count(single_devices_max)) counted_.insert(resource);
            }
        }
        for (const PodRecord& pod : pods) {
            for (const auto& [resource, count] : pod.amounts.devices) add(resource);
        }
    }

    [[nodiscard]] bool is_counted(const std::string& resource) const {
        return counted_.contains(resource);
    }
    /// `nvidia` of `nvidia.com/gpu`; all in front of the slash where that says too little.
    [[nodiscard]] std::string vendor_of(const std::string& resource) const {
        if (!ambiguous_.contains(resource)) return first_word(resource);
        return resource.substr(0, resource.find('/'));
    }

  private:
    static std::string first_word(const std::string& resource) {
        return resource.substr(0, std::min(resource.find('.'), resource.find('/')));
    }

    std::set<std::string, std::less<>> counted_, ambiguous_;
};

void describe_devices(NodeRecord& node, const Resources& resources) {
    const std::string product = text_of(or_null(node.labels), "nvidia.com/gpu.product");
    for (const auto& [resource, count] : node.allocatable.devices) {
        if (count.is_zero()) continue;
        NodeDescription::Devices device;
        device.name = device_of(resource);
        device.vendor = resources.vendor_of(resource);
        if (resources.is_counted(resource)) {
            device.shares = count;
        } else {
            device.count = static_cast<std::uint32_t>(count.value());
        }
        device.nearness = NodeDescription::Devices::Nearness::anywhere;
        if (resource == "nvidia.com/gpu") {
            device.model = product;
            device.type = lower_case(product);
        }
        constexpr std::string_view mig = "mig-";
        if (device.name.starts_with(mig)) device.mig_profile = device.name.substr(mig.size());
        node.description.devices.push_back(std::move(device));
    }
}

Request request_of_pod(const PodRecord& pod, const Resources& resources) {
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(0));
    request.time_limit = pod.deadline;
    request.milli_cpus = std::max(pod.amounts.cpu, MilliCpu(1));
    if (!pod.amounts.memory.is_zero()) request.memory = Range<Bytes>::exactly(pod.amounts.memory);
    for (const auto& [resource, count] : pod.amounts.devices) {
        if (count.is_zero()) continue;
        DeviceRequest device;
        device.name = device_of(resource);
        device.vendor = resources.vendor_of(resource);
        const bool is_counted = resources.is_counted(resource);
        if (is_counted) device.shares = count;
        device.count = Range<Count>::exactly(is_counted ? Count(1) : count);
        request.devices.push_back(std::move(device));
    }
    return request;
}

/// What the pod has of its node: the lowest devices that are free, of a counted one its count.
/// Errors: what is not there.
StatusOr<Placement> placement_of(const Cluster& cluster, NodeId node, const PodRecord& pod,
                                 const Resources& resources) {
    NodePlacement part;
    part.node = node;
    part.milli_cpus = pod.amounts.cpu;
    const FreeState& free = cluster.free(node);
    const Bytes left = free.memory.empty() ? Bytes() : free.memory.front();
    if (pod.amounts.memory > left) {
        return invalid_argument("it has {} of memory, and {} are left on {}", pod.amounts.memory,
                                left, cluster.name(node));
    }
    if (!pod.amounts.memory.is_zero()) part.memory.push_back({DomainId(0), pod.amounts.memory});
    const std::vector<Device>& devices = cluster.shape(node).devices;
    for (const auto& [resource, count] : pod.amounts.devices) {
        const std::string vendor = resources.vendor_of(resource);
        Count missing = count;
        for (std::size_t i = 0; i < devices.size() && !missing.is_zero(); ++i) {
            const DeviceId id(static_cast<std::uint32_t>(i));
            const bool is_its =
                devices[i].name == device_of(resource) && devices[i].vendor == vendor;
            if (!is_its) continue;
            const bool is_counted = resources.is_counted(resource);
            if (!is_counted && !free.is_untouched(id, devices[i])) continue;
            const Count taken = is_counted ? std::min(missing, free.shares[i]) : Count(1);
            if (taken.is_zero()) continue;
            part.devices.push_back({id, taken});
            missing -= taken;
        }
        if (missing.is_zero()) continue;
        return invalid_argument("it has {} {}, and {} are left on {}", count, resource,
                                count - missing, cluster.name(node));
    }
    std::sort(part.devices.begin(), part.devices.end());
    return Placement{{part}};
}

/// The end of one, if that is earlier.
void end_by(std::optional<Moment> moment, std::optional<Moment>& end) {
    if (moment) end = std::min(end.value_or(*moment), *moment);
}

/// From now to then; what is over ends in the next second.
Seconds until(Moment then, Moment now) { return Seconds(std::max<Moment>(then - now, 1)); }

/// The items of the document, sorted by kind.
struct Items {
    std::vector<NodeRecord> nodes;
    std::vector<PodRecord> pods;
    std::map<std::string, Moment> job_ends;  ///< by Job
    std::vector<std::string> problems;
};

/// The nodes, then the pods, into a cluster.
class Adopter {
  public:
    Adopter(Items items, Moment now)
        : items_(std::move(items)), resources_(items_.nodes, items_.pods), now_(now) {}

    /// Errors: no node is left.
    StatusOr<KubernetesCluster> adopt_all() {
        made_.problems = std::move(items_.problems);
        TRESTLE_TRY_STATUS(make_cluster());
        std::stable_sort(items_.pods.begin(), items_.pods.end(), comes_before);
        for (PodRecord& pod : items_.pods) add_pod(pod);
        drain_full_nodes();
        return std::move(made_);
    }

  private:
    static bool comes_before(const PodRecord& a, const PodRecord& b) {
        if (!a.node.empty() || !b.node.empty()) return a.node.empty() < b.node.empty();
        if (a.priority != b.priority) return a.priority > b.priority;
        return a.created.value_or(0) < b.created.value_or(0);
    }

    Status make_cluster() {
        ClusterParts parts;
        std::vector<NodeRecord> kept;
        std::set<std::string> names;
        for (NodeRecord& record : items_.nodes) {
            if (!names.insert(record.description.name).second) {
                made_.problems.push_back(
                    fmt::format("node {}: left out: it is there twice", record.description.name));
                continue;
            }
            describe_devices(record, resources_);
            auto node = make_node(record.description);
            if (!node.ok()) {
                made_.problems.push_back(fmt::format(
                    "node {}: left out: {}", record.description.name, message(node.status())));
                continue;
            }
            for (const Taint& taint : record.taints) {
                made_.taints.push_back({record.description.name, taint.key});
            }
            parts.nodes.push_back(*std::move(node));
            kept.push_back(std::move(record));
        }
        nodes_ = std::move(kept);
        if (nodes_.empty()) return invalid_argument("no node of the document can be used");
        TRESTLE_TRY(made_.cluster, Cluster::create(parts));
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            by_name_.emplace(nodes_[i].description.name, i);
            if (nodes_[i].kept.is_zero()) continue;
            NodePlacement part;
            part.node = NodeId(static_cast<std::uint32_t>(i));
            part.milli_cpus = nodes_[i].kept;
            const std::string name = "kept by " + nodes_[i].description.name;
            TRESTLE_TRY_STATUS(adopt(name, Placement{{part}}, {}));
        }
        return {};
    }

    void add_pod(PodRecord& pod) {
        if (pod.node.empty()) return add_waiting(pod);
        const auto found = by_name_.find(pod.node);
        if (found == by_name_.end()) {
            made_.problems.push_back(
                fmt::format("pod {}: not adopted: unknown node {}", pod.name, pod.node));
            return;
        }
        nodes_[found->second].pods += Count(1);
        const NodeId id(static_cast<std::uint32_t>(found->second));
        auto placement = placement_of(made_.cluster, id, pod, resources_);
        const Status status = placement.ok() ? adopt(pod.name, *std::move(placement), end_of(pod))
                                             : placement.status();
        if (status.ok()) return;
        made_.problems.push_back(
            fmt::format("pod {}: counts without its resources: {}", pod.name, message(status)));
        NodePlacement part;
        part.node = id;
        const Status without = adopt(pod.name, Placement{{part}}, end_of(pod));
        TRESTLE_EXPECTS(without.ok(), "nothing of a node can be adopted");
    }

    void add_waiting(PodRecord& pod) {
        if (pod.gone) {
            made_.problems.push_back(
                fmt::format("pod {}: left out: it is being deleted, and has no node", pod.name));
            return;
        }
        if (pod.has_affinity) {
            made_.problems.push_back(fmt::format(
                "pod {}: affinity, spread constraints and claims are not looked at", pod.name));
        }
        if (pod.is_gated) {
            made_.problems.push_back(fmt::format(
                "pod {}: it has scheduling gates, and no scheduler looks at it before they go",
                pod.name));
        }
        Request request = request_of_pod(pod, resources_);
        const auto job_end = items_.job_ends.find(pod.job);
        if (job_end != items_.job_ends.end()) {
            const Seconds left = until(job_end->second, now_);
            request.time_limit = std::min(request.time_limit.value_or(left), left);
        }
        made_.waiting.push_back(
            {pod.name, std::move(pod.message), std::move(request), nodes_for(pod), pod.is_gated});
    }

    /// When a pod that has a node ends.
    std::optional<Seconds> end_of(const PodRecord& pod) const {
        std::optional<Moment> end = pod.gone;
        if (pod.deadline) end_by(pod.started.value_or(now_) + pod.deadline->value(), end);
        const auto job_end = items_.job_ends.find(pod.job);
        if (job_end != items_.job_ends.end()) end_by(job_end->second, end);
        return end ? std::optional(until(*end, now_)) : std::nullopt;
    }

    void drain_full_nodes() {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const NodeRecord& node = nodes_[i];
            made_.pod_room.push_back(node.pods_max.value_or(amount_max).value() -
                                     node.pods.value());
            const bool is_full = made_.pod_room.back() <= 0;
            if (!is_full || node.description.state != NodeState::up) continue;
            const NodeId id(static_cast<std::uint32_t>(i));
            made_.cluster.set_node_state(id, NodeState::drained);
            made_.full.push_back(node.description.name);
        }
    }

    /// The nodes that admit the pod.
    const NodeSet& nodes_for(const PodRecord& pod) {
        const auto [known, is_new] = admitting_.try_emplace(what_admits(pod));
        if (!is_new) return known->second;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (admits(nodes_[i], pod)) known->second.insert(NodeId(static_cast<std::uint32_t>(i)));
        }
        return known->second;
    }

    Status adopt(const std::string& name, Placement placement, std::optional<Seconds> ends_in) {
        const OwnerId owner(made_.running.size() + 1);
        TRESTLE_TRY_STATUS(made_.cluster.adopt(owner, std::move(placement)));
        made_.running.push_back({owner, name, ends_in});
        return {};
    }

    Items items_;
    Resources resources_;
    Moment now_;
    std::vector<NodeRecord> nodes_;  ///< those of the cluster
    std::map<std::string, std::size_t, std::less<>> by_name_;
    std::map<std::string, NodeSet> admitting_;  ///< by what_admits()
    KubernetesCluster made_;
};

std::string what_of(const json::Value& item) {
    const json::Value& metadata = or_null(member(item, "metadata"));
    return fmt::format("{} {}", lower_case(text_of(item, "kind")), text_of(metadata, "name"));
}

/// Errors: what cannot be read.
Status read_item(const json::Value& item, Items& items) {
    const std::string kind = text_of(item, "kind");
    if (kind == "Node") {
        TRESTLE_TRY(NodeRecord node, node_of(item));
        items.nodes.push_back(std::move(node));
    } else if (kind == "Pod") {
        TRESTLE_TRY(std::optional<PodRecord> pod, pod_of(item));
        if (pod) items.pods.push_back(*std::move(pod));
    } else if (kind == "Job") {
        JobRecord job = job_of(item);
        if (job.end) items.job_ends.emplace(std::move(job.name), *job.end);
    } else {
        return invalid_argument("expected kind Node, Pod or Job");
    }
    return {};
}

}  // namespace

StatusOr<KubernetesCluster> read_kubernetes_cluster(std::string_view text,
                                                    std::optional<std::int64_t> now) {
    TRESTLE_TRY(const json::Value document, json::parse(text));
    const json::Value* const list = member(document, "items");
    if (list == nullptr || !std::holds_alternative<json::List>(list->data)) {
        return invalid_argument(
            "no list of Kubernetes, expected the output of kubectl get nodes,pods -A -o json");
    }
    Items items;
    std::optional<Moment> latest;
    for (const json::Value& item : list_of(document, "items")) {
        const auto moment = latest_moment(item);
        if (moment) latest = std::max(latest.value_or(*moment), *moment);
        const Status status = read_item(item, items);
        if (status.ok()) continue;
        items.problems.push_back(fmt::format("{}: left out: {}", what_of(item), message(status)));
    }
    if (items.nodes.empty()) {
        return invalid_argument(
            "no node in the list, expected the output of kubectl get "
            "nodes,pods -A -o json{}",
            items.problems.empty() ? "" : "; " + items.problems.front());
    }
    constexpr Moment last = Moment{1} << 40;  // sums with it do not overflow
    const Moment moment = std::clamp(now ? *now : latest.value_or(0), Moment{0}, last);
    return Adopter(std::move(items), moment).adopt_all();
}

NodeFilter filter_of(const KubernetesCluster& pods, const WaitingPod& pod) {
    if (pod.nodes.count() == pods.cluster.node_count()) return {};
    return {&pod.nodes, {}};
}

Timeline timeline_of(const KubernetesCluster& pods) {
    Timeline timeline(pods.cluster);
    for (const RunningPod& pod : pods.running) {
        if (pod.ends_in) (void)timeline.set_end(pod.owner, Instant(pod.ends_in->value()));
    }
    return timeline;
}

}  // namespace trestle::container
