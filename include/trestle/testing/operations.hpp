// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operations: what happens to a cluster, as values, and histories of them made by a generator.
//
// Layer: testing. Main names: Operation, any_operations, play. A history plus a cluster gives the
// same state again on every machine, so a failed test is replayed by its seed.
// Pitfall: play() swallows a no; compare states or allocations to see what became of an operation.

#include <array>
#include <cstdint>
#include <vector>

#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/model/request.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/generators.hpp"

namespace trestle::testing {

/// One thing that happens to a cluster.
struct Operation {
    /// What happens to a cluster.
    enum class Kind { submit, release, drain, resume };

    Kind kind = Kind::submit;
    OwnerId owner;    ///< of a submit or release
    Request request;  ///< of a submit
    NodeId node;      ///< of a drain or resume

    static constexpr auto fields(auto list) {
        return list(field("kind", &Operation::kind), field("owner", &Operation::owner),
                    field("request", &Operation::request), field("node", &Operation::node));
    }
    friend bool operator==(const Operation&, const Operation&) = default;
};

constexpr auto enum_names(Operation::Kind) {
    using enum Operation::Kind;
    return std::array{named(submit, "submit"), named(release, "release"), named(drain, "drain"),
                      named(resume, "resume")};
}

/// A history: owners 1, 2, ... submit; releases name any of them, also one that has nothing.
[[nodiscard]] std::vector<Operation> any_operations(Choices& choices,
                                                    const Bounds::History& bounds = {});

/// Lets an operation happen: a submit is committed when place() finds room. What does not fit, and
/// a release of nothing, changes nothing. Requires: the node exists.
void play(Cluster& cluster, const Operation& operation, const PlaceOptions& options = {});

}  // namespace trestle::testing
