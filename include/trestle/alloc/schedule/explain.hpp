// SPDX-License-Identifier: Apache-2.0
#pragma once

// explain: why a request has no place now, counted by constraint, and what would give it one.
//
// Layer: alloc. Main types: Explanation, Explanation::Removal; explain(cluster, ...) for now,
// explain(timeline, ...) for a period. Each node is counted under the constraint that excludes it;
// the binding constraint is the one that removed the most nodes. Nodes in equal states are asked
// once. For the full explanation of one node see alloc/node/explain_fit.hpp.
// Pitfall: a node counted as fitting may still not help, when the request needs several nodes or a
// topology that they do not form.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "trestle/alloc/schedule/earliest_start.hpp"
#include "trestle/alloc/schedule/timeline.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// What each node says to a request, counted by constraint.
struct Explanation {
    /// How many nodes one constraint removed, and what it said of the first of them.
    struct Removal {
        Constraint constraint = Constraint::none;
        Count nodes;
        std::string example;  ///< `n3: asked 2 gpu, 1 of 4 are free on the node`

        static constexpr auto fields(auto list) {
            return list(field("constraint", &Removal::constraint), field("nodes", &Removal::nodes),
                        field("example", &Removal::example));
        }
        friend bool operator==(const Removal&, const Removal&) = default;
    };

    /// One change with which the request would be placed.
    struct Relaxation {
        /// What a relaxation changes, nearest first.
        enum class Kind {
            topology,   ///< where the nodes lie in the network
            nodes,      ///< fewer of them
            by_name,    ///< nodes that are required or excluded, candidates
            features,   ///< which nodes will do
            partition,  ///< whose nodes
            counts,     ///< licences and the like
            repair,     ///< a node that is drained, down or broken comes back
            ending,     ///< running allocations end
            waiting,    ///< time passes
        };

        Kind kind = Kind::topology;
        std::string text;             ///< `2 switches instead of 1`
        std::vector<OwnerId> owners;  ///< whose allocations have to end, or will by then

        static constexpr auto fields(auto list) {
            return list(field("kind", &Relaxation::kind), field("text", &Relaxation::text),
                        field("owners", &Relaxation::owners));
        }
        friend bool operator==(const Relaxation&, const Relaxation&) = default;
    };

    bool fits = false;             ///< place() finds a placement
    Refusal why;                   ///< what place() says when it finds none
    Count fitting;                 ///< nodes that can take the part asked about
    std::vector<Removal> removed;  ///< most nodes first
    /// What one of the nodes would take instead, `n3: 7 gpu instead of 8`: the nearest relaxation
    /// of that part among the first nodes that each constraint removed. Empty when it fits,
    /// or when none of these has one.
    std::string nearest;
    /// Single changes to the request as a whole, or to the cluster, with which it was placed when
    /// tried. The last names the allocations that would have to end. Empty when it fits.
    std::vector<Relaxation> relaxations;

    static constexpr auto fields(auto list) {
        return list(field("fits", &Explanation::fits), field("why", &Explanation::why),
                    field("fitting", &Explanation::fitting),
                    field("removed", &Explanation::removed),
                    field("nearest", &Explanation::nearest),
                    field("relaxations", &Explanation::relaxations));
    }
    friend bool operator==(const Explanation&, const Explanation&) = default;
};

constexpr auto enum_names(Explanation::Relaxation::Kind) {
    using enum Explanation::Relaxation::Kind;
    return std::array{
        named(topology, "topology"), named(nodes, "nodes"),         named(by_name, "by_name"),
        named(features, "features"), named(partition, "partition"), named(counts, "counts"),
        named(repair, "repair"),     named(ending, "ending"),       named(waiting, "waiting")};
}

/// The answers of the nodes to one part of the request, with its preferred devices and on the
/// fewest nodes that it accepts. The part is the smallest that any split of the request allows, or
/// the largest if only the even split is possible. Any of its feature sets is sufficient.
/// `fits` and `why` follow the policy of the options, which may be a scoring expression. The counts
/// are of what nodes can take, whatever their score. A function of the caller's is not asked: it
/// changes no count, and a Placer with it says whether it takes a node that fits.
/// Complexity: the states of nodes, with a filter the nodes. If the request does not fit, also a
/// few dozen placements and plan_preemption() with `trials_max`, in which all owners may end at the
/// same cost. If the idle nodes have too little, these are left out.
[[nodiscard]] Explanation explain(const Cluster& cluster, const PreparedRequest& request,
                                  const PlaceOptions& options = {}, const NodeFilter& filter = {},
                                  std::uint64_t trials_max = 1000);

/// Why the request cannot start at the moment asked for, and when it can.
///
/// `fits`, `why`, `fitting` and `removed` are about a cluster where all that is taken at any moment
/// of the job's time is taken. A reservation counts as well as what runs. The last relaxation, of
/// kind waiting, is the earliest start, with the owners that have something of its nodes and end by
/// then. `nearest` is empty: it is about one moment, as explain(timeline.free_at(at), request) says
/// it. A question that earliest_start() calls invalid is answered by `why` alone.
/// Complexity: that of explain() for a cluster without plan_preemption(), and one earliest_start().
[[nodiscard]] Explanation explain(const Timeline& timeline, const PreparedRequest& request,
                                  const StartQuestion& question = {},
                                  const PlaceOptions& options = {}, const NodeFilter& filter = {});

/// A line for the answer, one for each constraint, one for the nearest relaxation.
[[nodiscard]] std::string to_text(const Explanation& explanation);

}  // namespace trestle
