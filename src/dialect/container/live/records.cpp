// SPDX-License-Identifier: Apache-2.0
#include "records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "dialect/json/members.hpp"
#include "trestle/dialect/json/value.hpp"
#include "trestle/model/node_builder.hpp"

namespace trestle::container {

using json::list_of;
using json::member;
using json::text_of;

const json::Value& or_null(const json::Value* value) {
    static const json::Value null;
    return value == nullptr ? null : *value;
}

namespace {

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

bool is_true(const json::Value& object, std::string_view name) {
    const auto* const truth = std::get_if<bool>(&or_null(member(object, name)).data);
    return truth != nullptr && *truth;
}

/// The whole number of a member; absent: none, or one that is no whole number.
std::optional<std::int64_t> whole_of(const json::Value& object, std::string_view name) {
    const json::Value& value = or_null(member(object, name));
    if (const auto* const number = std::get_if<std::uint64_t>(&value.data)) {
        constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
        return static_cast<std::int64_t>(std::min(*number, most));
    }
    const auto* const number = std::get_if<std::int64_t>(&value.data);
    return number == nullptr ? std::nullopt : std::optional(*number);
}

/// `activeDeadlineSeconds`. One beyond a century is none.
std::optional<Seconds> deadline_of(const json::Value& spec) {
    constexpr std::int64_t century = 100LL * 366 * 86400;
    const auto seconds = whole_of(spec, "activeDeadlineSeconds");
    if (!seconds || *seconds < 0 || *seconds > century) return std::nullopt;
    return Seconds(*seconds);
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

}  // namespace

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
    for (const auto& [resource, count] : node.allocatable.devices) {
        if (count > amount_max)
            return invalid_argument("{} {}, expected {} or less", count, resource, amount_max);
    }
    node.kept = MilliCpu(cpus * 1000 - milli);
    node.description.cores_per_package = static_cast<std::uint32_t>(cpus);
    node.description.memory = node.allocatable.memory;
    node.pods_max = node.allocatable.pods;
    if (node.pods_max) node.pods_max = std::min(*node.pods_max, amount_max);
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
    for (const json::Value& owner : list_of(metadata, "ownerReferences")) {
        if (text_of(owner, "kind") != "Job") continue;
        pod.job = text_of(metadata, "namespace") + "/" + text_of(owner, "name");
    }
    pod.started = moment_of(text_of(status, "startTime"));
    pod.created = moment_of(text_of(metadata, "creationTimestamp"));
    pod.gone = moment_of(text_of(metadata, "deletionTimestamp"));
    pod.deadline = deadline_of(spec);
    pod.priority = whole_of(spec, "priority").value_or(0);
    pod.is_gated = !list_of(spec, "schedulingGates").empty();
    for (const json::Value& condition : list_of(status, "conditions")) {
        if (text_of(condition, "type") == "PodScheduled")
            pod.message = text_of(condition, "message");
    }
    return std::optional(std::move(pod));
}

JobRecord job_of(const json::Value& item) {
    const json::Value& metadata = or_null(member(item, "metadata"));
    JobRecord job;
    job.name = text_of(metadata, "namespace") + "/" + text_of(metadata, "name");
    const auto started = moment_of(text_of(or_null(member(item, "status")), "startTime"));
    const auto deadline = deadline_of(or_null(member(item, "spec")));
    if (started && deadline) job.end = *started + deadline->value();
    return job;
}

std::optional<Moment> latest_moment(const json::Value& item) {
    const json::Value& metadata = or_null(member(item, "metadata"));
    const json::Value& status = or_null(member(item, "status"));
    std::optional<Moment> latest = moment_of(text_of(metadata, "creationTimestamp"));
    const auto look_at = [&](const json::Value& object, std::string_view name) {
        const auto moment = moment_of(text_of(object, name));
        if (moment) latest = std::max(latest.value_or(*moment), *moment);
    };
    look_at(status, "startTime");
    for (const json::Value& condition : list_of(status, "conditions")) {
        look_at(condition, "lastHeartbeatTime");
        look_at(condition, "lastTransitionTime");
    }
    return latest;
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

}  // namespace trestle::container
