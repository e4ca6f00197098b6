// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes, pods and Jobs of Kubernetes as they were read, before they become a cluster.
//
// Layer: dialect/container. Main types: NodeRecord, PodRecord, JobRecord.
// Pitfall: labels and selectors point into the document, which has to live as long.

#include <optional>
#include <string>
#include <vector>

#include "pod_amounts.hpp"
#include "pod_times.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/json/value.hpp"
#include "trestle/model/node_builder.hpp"

namespace trestle::container {

/// The most of a resource that a node has.
constexpr Count amount_max(std::int64_t{1} << 40);

/// The value; one that is null if there is none.
[[nodiscard]] const json::Value& or_null(const json::Value* value);

/// A taint that keeps pods away, or a toleration.
struct Taint {
    std::string key, value, effect, comparison;
};

/// A node, beside its description what pods are compared with.
struct NodeRecord {
    NodeDescription description;  ///< without devices
    MilliCpu kept;                ///< of its last CPU
    Amounts allocatable;
    std::optional<Count> pods_max;
    Count pods;
    std::vector<Taint> taints;
    const json::Value* labels = nullptr;
};

/// Errors: InvalidArgument for what cannot be a node.
[[nodiscard]] StatusOr<NodeRecord> node_of(const json::Value& item);

/// A pod as it was read.
struct PodRecord {
    std::string name, node, message;
    std::string job;  ///< `default/train` of the Job that it belongs to; empty: none
    Amounts amounts;
    std::vector<Taint> tolerations;
    const json::Value* selector = nullptr;
    std::optional<Moment> started, created;
    std::optional<Moment> gone;       ///< when it is killed at the latest, being deleted
    std::optional<Seconds> deadline;  ///< of its own
    std::int64_t priority = 0;
    bool has_affinity = false;
    bool is_gated = false;
};

/// Nothing for one that has ended. Errors: InvalidArgument for what is no pod.
[[nodiscard]] StatusOr<std::optional<PodRecord>> pod_of(const json::Value& item);

/// When the pods of a Job end at the latest.
struct JobRecord {
    std::string name;           ///< `default/train`
    std::optional<Moment> end;  ///< absent: it has no deadline, or has not started
};

[[nodiscard]] JobRecord job_of(const json::Value& item);

/// The latest moment that the item tells of and that was not to come when it was printed.
[[nodiscard]] std::optional<Moment> latest_moment(const json::Value& item);

/// True if the node has the labels that the pod selects, and no taint that it does not tolerate.
[[nodiscard]] bool admits(const NodeRecord& node, const PodRecord& pod);

/// All that admits() looks at, as text: pods of one workload have the same.
[[nodiscard]] std::string what_admits(const PodRecord& pod);

}  // namespace trestle::container
