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
#include "pod_amounts.hpp"
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

/// A taint that keeps pods away, or a toleration.
struct Taint {
    std::string key, value, effect, comparison;
};

std::vector<Taint> taints_of(const json::Value& spec, std::string_view list) {
    std::vector<Taint> taints;
    for (const json::Value& one : list_of(spec, list)) {
        Taint taint{text_of(one, "key"), text_of(one, "value"), text_of(one, "effect"),
                    text_of(one, "operator")};
        if (taint.effect != "PreferNoSchedule") taints.push_back(std::move(taint));
    }
    return taints;
}

bool tolerates(const Taint& toleration, const Taint& taint) {
    if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
    const bool is_any = toleration.comparison == "Exists";
    if (toleration.key.empty()) return is_any;
    return toleration.key == taint.key && (is_any || toleration.value == taint.value);
}

/// A node, beside its description what pods are compared with.
struct NodeRecord {
    NodeDescription description;
    MilliCpu kept;  ///< of its last CPU
    Amounts allocatable;
    std::optional<Count> pods_max;
    Count pods;
    std::vector<Taint> taints;
    const json::Value* labels = nullptr;
};

const json::Value& or_null(const json::Value* value) {
    static const json::Value null;
    return value == nullptr ? null : *value;
}

bool is_true(const json::Value& object, std::string_view name) {
    const auto* const truth = std::get_if<bool>(&or_null(member(object, name)).data);
    return truth != nullptr && *truth;
}

NodeState state_of(const json::Value& spec, const json::Value& status) {
    NodeState state = NodeState::down;  // until it says that it is ready
    for (const json::Value& condition : list_of(status, "conditions")) {
        if (text_of(condition, "type") == "Ready" && text_of(condition, "status") == "True") {
            state = NodeState::up;
        }
    }
    return state == NodeState::up && is_true(spec, "unschedulable") ? NodeState::drained : state;
}

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

/// The vendor of `nvidia.com/gpu`.
std::string vendor_of(const std::string& resource) {
    return resource.substr(0, std::min(resource.find('.'), resource.find('/')));
}
std::string device_of(const std::string& resource) {
    return resource.substr(resource.find('/') + 1);
}

StatusOr<NodeRecord> node_of(const json::Value& item) {
    const json::Value& metadata = or_null(member(item, "metadata"));
    const json::Value& spec = or_null(member(item, "spec"));
    const json::Value& status = or_null(member(item, "status"));
    NodeRecord node;
    node.description.name = text_of(metadata, "name");
    if (node.description.name.empty()) return invalid_argument("no name");
    TRESTLE_TRY(node.allocatable, read_amounts(or_null(member(status, "allocatable"))));
    const std::int64_t milli = node.allocatable.cpu.value();
    if (milli <= 0) return invalid_argument("no allocatable CPU");
    const std::int64_t cpus = milli / 1000 + (milli % 1000 != 0 ? 1 : 0);
    if (cpus > NodeDescription::threads_max) return invalid_argument("{} CPUs", cpus);
    constexpr Count most(std::int64_t{1} << 40);
    for (const auto& [resource, count] : node.allocatable.devices) {
        if (count > most)
            return invalid_argument("{} {}, expected {} or less", count, resource, most);
    }
    node.kept = MilliCpu(cpus * 1000 - milli);
    node.description.cores_per_package = static_cast<std::uint32_t>(cpus);
    node.description.memory = node.allocatable.memory;
    node.pods_max = node.allocatable.pods;
    node.labels = member(metadata, "labels");
    node.taints = taints_of(spec, "taints");
    std::erase_if(node.taints, [](const Taint& taint) {  // said by the state
        return taint.key == "node.kubernetes.io/unschedulable" ||
               taint.key == "node.kubernetes.io/not-ready" ||
               taint.key == "node.kubernetes.io/unreachable";
    });
    node.description.state = state_of(spec, status);
    return node;
}

/// The resources that are counted.
using Counted = std::set<std::string, std::less<>>;

Counted counted_resources(const std::vector<NodeRecord>& nodes) {
    Counted counted;
    for (const NodeRecord& node : nodes) {
        for (const auto& [resource, count] : node.allocatable.devices) {
            if (count > Count(single_devices_max)) counted.insert(resource);
        }
    }
    return counted;
}

void describe_devices(NodeRecord& node, const Counted& counted) {
    const std::string product = text_of(or_null(node.labels), "nvidia.com/gpu.product");
    for (const auto& [resource, count] : node.allocatable.devices) {
        if (count.is_zero()) continue;
        DeviceDescription device;
        device.name = device_of(resource);
        device.vendor = vendor_of(resource);
        if (counted.contains(resource)) {
            device.shares = count;
        } else {
            device.count = static_cast<std::uint32_t>(count.value());
        }
        device.nearness = Nearness::anywhere;
        if (resource == "nvidia.com/gpu") {
            device.model = product;
            device.type = lower_case(product);
        }
        constexpr std::string_view mig = "mig-";
        if (device.name.starts_with(mig)) device.mig_profile = device.name.substr(mig.size());
        node.description.devices.push_back(std::move(device));
    }
}

/// A pod as it was read.
struct PodRecord {
    std::string name, node, message;
    Amounts amounts;
    std::vector<Taint> tolerations;
    const json::Value* selector = nullptr;
    bool has_affinity = false;
    bool is_gated = false;
};

/// Nothing for one that has ended.
StatusOr<std::optional<PodRecord>> pod_of(const json::Value& item) {
    const json::Value& metadata = or_null(member(item, "metadata"));
    const json::Value& spec = or_null(member(item, "spec"));
    const json::Value& status = or_null(member(item, "status"));
    const std::string phase = text_of(status, "phase");
    if (phase == "Succeeded" || phase == "Failed") return std::optional<PodRecord>();
    PodRecord pod;
    pod.name = text_of(metadata, "namespace") + "/" + text_of(metadata, "name");
    pod.node = text_of(spec, "nodeName");
    TRESTLE_TRY(pod.amounts, amounts_of_pod(spec));
    pod.tolerations = taints_of(spec, "tolerations");
    pod.selector = member(spec, "nodeSelector");
    pod.has_affinity = member(spec, "affinity") != nullptr ||
                       !list_of(spec, "topologySpreadConstraints").empty() ||
                       !list_of(spec, "resourceClaims").empty();
    pod.is_gated = !list_of(spec, "schedulingGates").empty();
    for (const json::Value& condition : list_of(status, "conditions")) {
        if (text_of(condition, "type") == "PodScheduled")
            pod.message = text_of(condition, "message");
    }
    return std::optional(std::move(pod));
}

bool admits(const NodeRecord& node, const PodRecord& pod) {
    if (pod.selector != nullptr) {
        if (const auto* const wanted = std::get_if<json::Object>(&pod.selector->data)) {
            for (const json::Member& label : *wanted) {
                const json::Value* const has = member(or_null(node.labels), label.name);
                if (has == nullptr || !(*has == label.value)) return false;
            }
        }
    }
    return std::all_of(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
        return pod.amounts.devices.contains(taint.key) ||
               std::any_of(pod.tolerations.begin(), pod.tolerations.end(),
                           [&](const Taint& one) { return tolerates(one, taint); });
    });
}

/// All that admits() looks at, as text: pods of one workload have the same.
std::string what_admits(const PodRecord& pod) {
    std::string text = pod.selector == nullptr ? "" : json::print(*pod.selector);
    const auto add = [&](const std::string& part) {
        text += fmt::format("\n{} {}", part.size(), part);
    };
    for (const Taint& one : pod.tolerations) {
        for (const std::string& part : {one.key, one.value, one.effect, one.comparison}) add(part);
    }
    text += '\n';
    for (const auto& [resource, count] : pod.amounts.devices) add(resource);
    return text;
}

Request request_of_pod(const PodRecord& pod, const Counted& counted) {
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(0));
    request.milli_cpus = std::max(pod.amounts.cpu, MilliCpu(1));
    if (!pod.amounts.memory.is_zero()) request.memory = Range<Bytes>::exactly(pod.amounts.memory);
    for (const auto& [resource, count] : pod.amounts.devices) {
        if (count.is_zero()) continue;
        DeviceRequest device;
        device.name = device_of(resource);
        device.vendor = vendor_of(resource);
        const bool is_counted = counted.contains(resource);
        if (is_counted) device.shares = count;
        device.count = Range<Count>::exactly(is_counted ? Count(1) : count);
        request.devices.push_back(std::move(device));
    }
    return request;
}

/// What the pod has of its node: the lowest devices that are free, of a counted one its count.
/// Errors: what is not there.
StatusOr<Placement> placement_of(const Cluster& cluster, NodeId node, const PodRecord& pod,
                                 const Counted& counted) {
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
        Count missing = count;
        for (std::size_t i = 0; i < devices.size() && !missing.is_zero(); ++i) {
            const DeviceId id(static_cast<std::uint32_t>(i));
            const bool is_its =
                devices[i].name == device_of(resource) && devices[i].vendor == vendor_of(resource);
            if (!is_its) continue;
            const bool is_counted = counted.contains(resource);
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

/// The nodes, then the pods, into a cluster.
class Adopter {
  public:
    explicit Adopter(std::vector<NodeRecord> nodes) : nodes_(std::move(nodes)) {}

    /// Errors: no node is left.
    Status make_cluster(std::vector<std::string> problems) {
        made_.problems = std::move(problems);
        counted_ = counted_resources(nodes_);
        ClusterParts parts;
        std::vector<NodeRecord> kept;
        std::set<std::string> names;
        for (NodeRecord& record : nodes_) {
            if (!names.insert(record.description.name).second) {
                made_.problems.push_back(
                    fmt::format("node {}: left out: it is there twice", record.description.name));
                continue;
            }
            describe_devices(record, counted_);
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
            adopt("kept by " + nodes_[i].description.name, Placement{{part}});
        }
        return {};
    }

    void add_pod(const PodRecord& pod) {
        if (pod.node.empty()) {
            if (pod.has_affinity) {
                made_.problems.push_back(fmt::format(
                    "pod {}: affinity, spread constraints and claims are not looked at", pod.name));
            }
            if (pod.is_gated) {
                made_.problems.push_back(fmt::format(
                    "pod {}: it has scheduling gates, and no scheduler looks at it before they go",
                    pod.name));
            }
            Request request = request_of_pod(pod, counted_);
            request.excluded_nodes = nodes_without(pod);
            made_.waiting.push_back({pod.name, pod.message, std::move(request)});
            return;
        }
        const auto found = by_name_.find(pod.node);
        if (found == by_name_.end()) {
            made_.problems.push_back(
                fmt::format("pod {}: not adopted: unknown node {}", pod.name, pod.node));
            return;
        }
        nodes_[found->second].pods += Count(1);
        const NodeId id(static_cast<std::uint32_t>(found->second));
        auto placement = placement_of(made_.cluster, id, pod, counted_);
        if (placement.ok()) {
            adopt(pod.name, *std::move(placement));
        } else {
            made_.problems.push_back(
                fmt::format("pod {}: not adopted: {}", pod.name, message(placement.status())));
        }
    }

    KubernetesCluster finish() {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const NodeRecord& node = nodes_[i];
            const bool is_full = node.pods_max && node.pods >= *node.pods_max;
            if (!is_full || node.description.state != NodeState::up) continue;
            const NodeId id(static_cast<std::uint32_t>(i));
            made_.cluster.set_node_state(id, NodeState::drained);
            made_.full.push_back(node.description.name);
        }
        return std::move(made_);
    }

  private:
    /// The nodes that do not admit the pod.
    const std::vector<std::string>& nodes_without(const PodRecord& pod) {
        const auto [known, is_new] = excluded_.try_emplace(what_admits(pod));
        if (!is_new) return known->second;
        for (const NodeRecord& node : nodes_) {
            if (!admits(node, pod)) known->second.push_back(node.description.name);
        }
        return known->second;
    }

    void adopt(const std::string& name, Placement placement) {
        const OwnerId owner(made_.running.size() + 1);
        const Status status = made_.cluster.adopt(owner, std::move(placement));
        if (status.ok()) {
            made_.running.push_back({owner, name});
        } else {
            made_.problems.push_back(fmt::format("pod {}: not adopted: {}", name, message(status)));
        }
    }

    std::vector<NodeRecord> nodes_;
    Counted counted_;
    std::map<std::string, std::size_t, std::less<>> by_name_;
    std::map<std::string, std::vector<std::string>> excluded_;  ///< by what_admits()
    KubernetesCluster made_;
};

std::string what_of(const json::Value& item) {
    const json::Value& metadata = or_null(member(item, "metadata"));
    return fmt::format("{} {}", lower_case(text_of(item, "kind")), text_of(metadata, "name"));
}

}  // namespace

StatusOr<KubernetesCluster> read_kubernetes_cluster(std::string_view text) {
    TRESTLE_TRY(const json::Value document, json::parse(text));
    const json::Value* const items = member(document, "items");
    if (items == nullptr || !std::holds_alternative<json::List>(items->data)) {
        return invalid_argument(
            "no list of Kubernetes, expected the output of kubectl get nodes,pods -A -o json");
    }
    std::vector<NodeRecord> nodes;
    std::vector<PodRecord> pods;
    std::vector<std::string> problems;
    for (const json::Value& item : list_of(document, "items")) {
        const std::string kind = text_of(item, "kind");
        Status status;
        if (kind == "Node") {
            auto node = node_of(item);
            status = node.status();
            if (node.ok()) nodes.push_back(*std::move(node));
        } else if (kind == "Pod") {
            auto pod = pod_of(item);
            status = pod.status();
            if (pod.ok() && *pod) pods.push_back(**std::move(pod));
        } else {
            status = invalid_argument("expected kind Node or Pod");
        }
        if (status.ok()) continue;
        problems.push_back(fmt::format("{}: left out: {}", what_of(item), message(status)));
    }
    if (nodes.empty()) {
        return invalid_argument(
            "no node in the list, expected the output of kubectl get "
            "nodes,pods -A -o json{}",
            problems.empty() ? "" : "; " + problems.front());
    }
    Adopter adopter(std::move(nodes));
    TRESTLE_TRY_STATUS(adopter.make_cluster(std::move(problems)));
    for (const PodRecord& pod : pods) adopter.add_pod(pod);
    return adopter.finish();
}

}  // namespace trestle::container
