// SPDX-License-Identifier: Apache-2.0
#pragma once

// Relaxations of a request, and of a cluster, under which a placement would be found.
//
// Layer: alloc. Main types: PlaceRelaxation, PlaceChangeKind; find_place_relaxations(). Each
// changes one thing and was tried: place() finds a placement with it. What one node would take
// instead is told by explain_fit() in alloc/node. A reader would get wrong: nearest first means the
// order of PlaceChangeKind; amounts are the nearest that fit.

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/model/request.hpp"

namespace trestle {

/// What a relaxation changes, nearest first.
enum class PlaceChangeKind {
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

constexpr auto enum_names(PlaceChangeKind) {
    using enum PlaceChangeKind;
    return std::array{
        named(topology, "topology"), named(nodes, "nodes"),         named(by_name, "by_name"),
        named(features, "features"), named(partition, "partition"), named(counts, "counts"),
        named(repair, "repair"),     named(ending, "ending"),       named(waiting, "waiting")};
}

/// One change with which the request would be placed.
struct PlaceRelaxation {
    PlaceChangeKind kind = PlaceChangeKind::topology;
    std::string text;             ///< `2 switches instead of 1`
    std::vector<OwnerId> owners;  ///< whose allocations have to end, or will by then

    static constexpr auto fields(auto list) {
        return list(field("kind", &PlaceRelaxation::kind), field("text", &PlaceRelaxation::text),
                    field("owners", &PlaceRelaxation::owners));
    }
    friend bool operator==(const PlaceRelaxation&, const PlaceRelaxation&) = default;
};

namespace detail {

class PlaceRelaxationSearch {
  public:
    PlaceRelaxationSearch(const Cluster& cluster, const Request& request,
                          const PlaceOptions& options, const NodeFilter& filter)
        : cluster_(cluster), request_(request), options_(options), filter_(filter) {}

    [[nodiscard]] std::vector<PlaceRelaxation> run();

  private:
    [[nodiscard]] bool fits(const Request& request) const {
        return check(request).ok() && place(cluster_, request, options_, filter_).has_value();
    }
    void add(PlaceChangeKind kind, std::string text);

    template <class Change>
    void try_without(PlaceChangeKind kind, std::string text, const Change& change) {
        Request other = request_;
        change(other);
        if (other != request_ && fits(other)) add(kind, std::move(text));
    }

    void try_topology();
    /// The lowest number of switches that will do, all else as asked. Requires: some number will.
    void add_switches();

    /// The highest number of nodes below the least that will do, of those in question.
    void try_fewer_nodes();

    /// The lowest node of each state that takes no work, of the lowest of these, is put back to
    /// work.
    void try_repairs();

    static constexpr std::size_t repairs_max = 64;

    const Cluster& cluster_;
    const Request& request_;
    const PlaceOptions& options_;
    const NodeFilter& filter_;
    std::vector<PlaceRelaxation> found_;
};

}  // namespace detail

/// Single changes with which the request would be placed, nearest first; none when it is placed as
/// it is. Requires: check(request) is ok. Complexity: a few dozen placements.
[[nodiscard]] std::vector<PlaceRelaxation> find_place_relaxations(const Cluster& cluster,
                                                                  const Request& request,
                                                                  const PlaceOptions& options = {},
                                                                  const NodeFilter& filter = {});

}  // namespace trestle
