// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/find_relaxations.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/place/detail/variants.hpp"
#include "alloc/cluster/states/node_classes.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace {

class PlaceRelaxationSearch {
  public:
    PlaceRelaxationSearch(const Cluster& cluster, const Request& request,
                          const PlaceOptions& options, const NodeFilter& filter)
        : cluster_(cluster), request_(request), options_(options), filter_(filter) {}

    [[nodiscard]] std::vector<Explanation::Relaxation> run();

  private:
    [[nodiscard]] bool fits(const Request& request) const {
        return check(request).ok() && place(cluster_, request, options_, filter_).has_value();
    }
    void add(Explanation::Relaxation::Kind kind, std::string text);

    template <class Change>
    void try_without(Explanation::Relaxation::Kind kind, std::string text, const Change& change) {
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
    std::vector<Explanation::Relaxation> found_;
};

std::vector<Explanation::Relaxation> PlaceRelaxationSearch::run() {
    try_topology();
    try_fewer_nodes();
    try_without(Explanation::Relaxation::Kind::by_name, "without required and excluded nodes",
                [](Request& r) {
                    r.required_nodes.clear();
                    r.excluded_nodes.clear();
                });
    if (!filter_.is_empty() && place(cluster_, request_, options_)) {
        add(Explanation::Relaxation::Kind::by_name, "on nodes that the caller forbids");
    }
    try_without(Explanation::Relaxation::Kind::features,
                "without " + to_text(detail::features_of_any_set(request_)), [](Request& r) {
                    r.features = {};
                    r.feature_sets.clear();
                });
    try_without(Explanation::Relaxation::Kind::features,
                "without the numbers of nodes with a feature",
                [](Request& r) { r.feature_counts.clear(); });
    try_without(Explanation::Relaxation::Kind::partition, "outside partition " + request_.partition,
                [](Request& r) { r.partition.clear(); });
    try_without(Explanation::Relaxation::Kind::counts, "without licences and other counts",
                [](Request& r) { r.cluster_counts.clear(); });
    try_repairs();
    return std::move(found_);
}

void PlaceRelaxationSearch::add(Explanation::Relaxation::Kind kind, std::string text) {
    found_.push_back({kind, std::move(text), {}});
}

void PlaceRelaxationSearch::try_topology() {
    const TopologyRequest& wish = request_.topology;
    Request other = request_;
    if (wish.switches_max) {
        other.topology.switches_max.reset();
        if (fits(other)) return add_switches();
        other = request_;
        other.topology.level.reset();
        if (other != request_ && fits(other)) {
            return add(Explanation::Relaxation::Kind::topology, "without the level");
        }
    }
    other.topology = {};
    if (other != request_ && fits(other)) {
        add(Explanation::Relaxation::Kind::topology, "anywhere in the network");
    }
}

void PlaceRelaxationSearch::add_switches() {
    std::int64_t low = request_.topology.switches_max->value();
    std::int64_t high = cluster_.node_count();
    Request other = request_;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        other.topology.switches_max = Count(middle);
        (fits(other) ? high : low) = middle;
    }
    add(Explanation::Relaxation::Kind::topology,
        fmt::format("{} switches instead of {}", high, request_.topology.switches_max->value()));
}

void PlaceRelaxationSearch::try_fewer_nodes() {
    const std::int64_t least = request_.nodes.least().value();
    const auto is_enough = [&](std::int64_t nodes) {
        Request other = request_;
        other.nodes = Range<Count>::exactly(Count(nodes));
        other.node_counts.clear();
        return fits(other);
    };
    std::int64_t low = 0;  // the highest that is known to fit
    std::int64_t high = std::max<std::int64_t>(1, least);
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (is_enough(middle) ? low : high) = middle;
    }
    if (low != 0)
        add(Explanation::Relaxation::Kind::nodes,
            fmt::format("{} nodes instead of {}", low, least));
}

void PlaceRelaxationSearch::try_repairs() {
    const NodeStates& states = cluster_.states();
    std::vector<NodeId> nodes;
    states.for_each([&](StateId state) {
        const NodeClass& one = cluster_.classes()[states[state]->node_class];
        if (is_usable(one) || one.state == NodeState::removed) return;
        nodes.push_back(*states.next(state, NodeId(0)));
    });
    std::sort(nodes.begin(), nodes.end());
    if (nodes.size() > repairs_max) nodes.resize(repairs_max);
    for (const NodeId node : nodes) {
        Cluster repaired = cluster_;
        repaired.set_node_state(node, NodeState::up);
        repaired.set_node_health(node, Health::healthy);
        if (!place(repaired, request_, options_, filter_)) continue;
        const NodeClass& one = cluster_.class_of(node);
        add(Explanation::Relaxation::Kind::repair,
            fmt::format("once {} is back, which is {}, health {}", cluster_.name(node), one.state,
                        one.health));
        return;
    }
}

}  // namespace

std::vector<Explanation::Relaxation> find_place_relaxations(const Cluster& cluster,
                                                            const Request& request,
                                                            const PlaceOptions& options,
                                                            const NodeFilter& filter) {
    if (place(cluster, request, options, filter)) return {};
    return PlaceRelaxationSearch(cluster, request, options, filter).run();
}

}  // namespace trestle
