// SPDX-License-Identifier: Apache-2.0
#pragma once

// Requirements: what happens, resource by resource, where a machine cannot enforce a limit.
//
// Layer: enforce. Main types: Requirement, Requirements.
// Pitfall: best effort is never silent. What a machine lacks is in Plan::shortfalls when the plan
// knew the machine, and in Applied::shortfalls when it did not.

#include <array>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"

namespace trestle {

/// What happens when the machine cannot enforce something.
enum class Requirement {
    require,      ///< the plan fails and nothing of it is left
    best_effort,  ///< go on, and report it
    skip,         ///< do not try
};

constexpr auto enum_names(Requirement) {
    return std::array{named(Requirement::require, "require"),
                      named(Requirement::best_effort, "best_effort"),
                      named(Requirement::skip, "skip")};
}

/// How much each resource's enforcement matters.
struct Requirements {
    Requirement cpu = Requirement::require;  ///< which CPUs and memory nodes, quota and weight
    Requirement memory = Requirement::require;
    Requirement swap = Requirement::require;
    Requirement pids = Requirement::require;
    Requirement devices = Requirement::require;
    Requirement io = Requirement::require;  ///< bandwidth and weight
    Requirement hugetlb = Requirement::require;
    Requirement rdma = Requirement::require;
    Requirement misc = Requirement::require;
    Requirement partition = Requirement::require;  ///< that no other group uses the CPUs

    [[nodiscard]] static constexpr Requirements all(Requirement r) {
        return {r, r, r, r, r, r, r, r, r, r};
    }

    static constexpr auto fields(auto list) {
        return list(field("cpu", &Requirements::cpu), field("memory", &Requirements::memory),
                    field("swap", &Requirements::swap), field("pids", &Requirements::pids),
                    field("devices", &Requirements::devices), field("io", &Requirements::io),
                    field("hugetlb", &Requirements::hugetlb), field("rdma", &Requirements::rdma),
                    field("misc", &Requirements::misc),
                    field("partition", &Requirements::partition));
    }
    friend bool operator==(const Requirements&, const Requirements&) = default;
};

}  // namespace trestle
