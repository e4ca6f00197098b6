// SPDX-License-Identifier: Apache-2.0
#include "node_table.hpp"

#include <algorithm>
#include <iterator>

#include "../../../words.hpp"

#include "alloc/cluster/states/node_classes.hpp"

#include "alloc/cluster/states/description.hpp"
#include "alloc/cluster/states/journal.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "units.hpp"

namespace trestle::slurm {
namespace choice {

NodeTable::NodeTable(const Cluster& cluster, const SelectRules& rules)
    : description_(cluster.description()),
      node_at_(rules.node_order),
      place_of_(cluster.node_count()),
      views_(cluster.classes().size()),
      idle_(cluster.classes().size()) {
    if (node_at_.empty()) {
        for (std::uint32_t i = 0; i < cluster.node_count(); ++i) node_at_.emplace_back(i);
    }
    TRESTLE_EXPECTS(node_at_.size() == cluster.node_count(), "the order has each node once");
    for (Place place = 0; place < node_at_.size(); ++place) {
        place_of_[node_at_[place].value()] = place;
    }
    units_ = unit_tables(cluster.network(), rules, place_of_);
    for (const TreeTopology& tree : cluster.network().trees) {
        trees_.push_back(tree.name);
        switches_.emplace_back(tree, place_of_);
    }
}

const SwitchTree* NodeTable::switches(std::string_view topology) const {
    const auto at =
        topology.empty() ? trees_.begin() : std::find(trees_.begin(), trees_.end(), topology);
    return at == trees_.end() ? nullptr : &switches_[static_cast<std::size_t>(at - trees_.begin())];
}

NodeTable::~NodeTable() = default;

const UnitTable* NodeTable::units(std::string_view topology) const {
    const auto at = std::find_if(units_.begin(), units_.end(),
                                 [&](const UnitTable& one) { return one.name == topology; });
    return at == units_.end() ? nullptr : &*at;
}

void NodeTable::follow(const Cluster& cluster) {
    const Journal& journal = cluster.journal();
    const auto moved = followed_ ? journal.since(*followed_) : std::nullopt;
    if (moved && moved->empty()) return;
    const NodeStates& states = cluster.states();
    if (moved) {
        for (const NodeId node : *moved) state_at_[place_of(node)] = states.of(node);
    } else {
        state_at_.clear();
        for (const NodeId node : node_at_) state_at_.push_back(states.of(node));
    }
    // A change of one run moves those behind it.
    if (moved && moved->size() * runs_.size() <= node_at_.size()) {
        for (const NodeId node : *moved) change_run(place_of(node));
    } else {
        find_runs();
    }
    followed_ = journal.position();
    now_.resize(states.limit());
    nodes_of_class_.assign(views_.size(), 0);
    states.for_each([&](StateId state) {
        nodes_of_class_[states[state]->node_class.value()] += states.nodes_in(state);
    });
}

void NodeTable::find_runs() {
    runs_.clear();
    for (Place place = 0; place < state_at_.size(); ++place) {
        if (runs_.empty() || runs_.back().state != state_at_[place]) {
            if (!runs_.empty()) runs_.back().places.end = place;
            runs_.push_back({{place, place}, state_at_[place]});
        }
    }
    if (!runs_.empty()) runs_.back().places.end = static_cast<Place>(state_at_.size());
}

void NodeTable::change_run(Place place) {
    const StateId state = state_at_[place];
    const auto run = std::partition_point(
        runs_.begin(), runs_.end(), [&](const StateRun& one) { return one.places.end <= place; });
    if (run->state == state) return;
    auto first = run;
    auto last = run + 1;
    const StateRun below{{run->places.first, place}, run->state};
    const StateRun above{{place + 1, run->places.end}, run->state};
    StateRun middle{{place, place + 1}, state};
    if (below.places.is_empty() && run != runs_.begin() && (run - 1)->state == state) {
        middle.places.first = (--first)->places.first;
    }
    if (above.places.is_empty() && last != runs_.end() && last->state == state) {
        middle.places.end = (last++)->places.end;
    }
    std::vector<StateRun> parts;
    for (const StateRun& part : {below, middle, above}) {
        if (!part.places.is_empty()) parts.push_back(part);
    }
    const auto at = runs_.erase(first, last);
    runs_.insert(at, parts.begin(), parts.end());
}

const NodeView& NodeTable::view(ClassId id) {
    std::optional<NodeView>& known = views_[id.value()];
    if (!known) {
        const NodeClass& one = description_->classes[id];
        known = view_of(*one.shape, one.weight);
    }
    return *known;
}

const SeenNode& NodeTable::idle(ClassId id) {
    std::optional<SeenNode>& known = idle_[id.value()];
    if (!known)
        known = SeenNode{&view(id), room_of(view(id), description_->classes.known(id).idle)};
    return *known;
}

const SeenNode& NodeTable::seen(const Cluster& cluster, StateId state) {
    const Cow<NodeStateData>& data = cluster.states()[state];
    std::optional<KnownState>& known = now_[state.value()];
    if (!known || !known->data.is_same_object(data)) {
        const NodeView& its_view = view(data->node_class);
        known = KnownState{data, {&its_view, room_of(its_view, data->free)}};
    }
    return known->seen;
}

void exclude_others(const std::vector<Place>& among, std::size_t nodes,
                    std::vector<Place>& excluded) {
    for (Place place = 0; place < nodes; ++place) {
        if (!std::binary_search(among.begin(), among.end(), place)) excluded.push_back(place);
    }
    std::sort(excluded.begin(), excluded.end());
    excluded.erase(std::unique(excluded.begin(), excluded.end()), excluded.end());
}

std::optional<NodeId> first_node(const NodeTable& table, const Partition& partition) {
    const auto nodes = static_cast<Place>(table.node_count());
    for (Place place = 0; place < nodes; ++place) {
        const NodeId node = table.node_at(place);
        if (partition.nodes.contains(node)) return node;
    }
    return std::nullopt;
}

std::string_view topology_of(const SelectRules& rules, const PartitionLine& line) {
    return line.topology.empty() ? rules.default_topology : line.topology;
}

std::vector<Number> partition_cores(const Cluster& cluster, NodeId node, const NodeView& view,
                                    const Partition& partition) {
    std::vector<Number> cores(view.sockets.size(), 0);
    for (const OwnerId owner : cluster.owners_on(node)) {
        const Allocation& allocation = *cluster.find_allocation(owner);
        const std::string& name = allocation.request->partition;
        if (name.empty() ? !partition.is_default : name != partition.name) continue;
        for (const NodePlacement& part : allocation.placement.nodes) {
            if (part.node != node) continue;
            for (std::size_t s = 0; s < cores.size(); ++s) {
                cores[s] += view.sockets[s].count_and(part.cores);
            }
        }
    }
    return cores;
}

namespace {

/// Slurm's order of names: texts compare as texts, numbers in them by value, n2 before n10.
bool is_before_by_name(std::string_view a, std::string_view b) {
    const auto take = [](std::string_view& text, bool wants_digits) {
        std::size_t end = 0;
        while (end < text.size() && words::is_digit(text[end]) == wants_digits) ++end;
        const std::string_view taken = text.substr(0, end);
        text.remove_prefix(end);
        return taken;
    };
    for (bool wants_digits = false; !a.empty() || !b.empty(); wants_digits = !wants_digits) {
        std::string_view x = take(a, wants_digits);
        std::string_view y = take(b, wants_digits);
        if (!wants_digits) {
            if (x != y) return x < y;
            continue;
        }
        x.remove_prefix(std::min(x.find_first_not_of('0'), x.size()));
        y.remove_prefix(std::min(y.find_first_not_of('0'), y.size()));
        if (x.size() != y.size()) return x.size() < y.size();
        if (x != y) return x < y;
    }
    return false;
}

/// Null: none has the name.
template <class Topology>
const Topology* topology_named(const std::vector<Topology>& list, const std::string& name) {
    const auto at = std::find_if(list.begin(), list.end(),
                                 [&](const Topology& one) { return one.name == name; });
    return at == list.end() ? nullptr : &*at;
}

/// Where no topology is the default one, the first tree is; null: a tree is not.
const TreeTopology* default_tree(const Network& network, const std::string& name) {
    if (name.empty() && !network.trees.empty()) return &network.trees.front();
    return topology_named(network.trees, name);
}

/// By node: 1 + the position of the unit of the default topology that it is in, by BlockAsNodeRank
/// or SwitchAsNodeRank; 0 in no unit. Absent: nodes have no ranks, and stand by name.
std::optional<std::vector<std::size_t>> node_ranks(const Network& network, const SelectRules& rules,
                                                   std::uint32_t node_count) {
    std::vector<std::size_t> ranks(node_count, 0);
    const auto set = [&](const auto& units) {
        for (std::size_t u = 0; u < units.size(); ++u) {
            for (const NodeId node : units[u].nodes) {
                if (ranks[node.value()] == 0) ranks[node.value()] = u + 1;
            }
        }
        return ranks;
    };
    const ReleaseRules& release = rules_of(rules.release);
    const NodeRank rank = rules.parameters.topology.node_rank;
    if (const auto* blocks = topology_named(network.blocks, rules.default_topology)) {
        if (release.orders_nodes_of_blocks_by_file) return ranks;
        const bool is_ranked = rank == NodeRank::by_block && release.ranks_nodes_by_block;
        if (is_ranked) return set(blocks->blocks);
    } else if (const auto* tree = default_tree(network, rules.default_topology)) {
        const bool is_ranked = rank == NodeRank::by_switch && release.ranks_nodes_by_switch;
        if (is_ranked) return set(tree->switches);
    }
    return std::nullopt;
}

}  // namespace

void order_nodes(const Cluster& cluster, SelectRules& rules) {
    rules.node_order.clear();
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
        names.push_back(cluster.name(NodeId(i)));
        rules.node_order.emplace_back(i);
    }
    const auto ranks = node_ranks(cluster.network(), rules, cluster.node_count());
    const auto is_before = [&](NodeId a, NodeId b) {
        if (ranks) return (*ranks)[a.value()] < (*ranks)[b.value()];
        return is_before_by_name(names[a.value()], names[b.value()]);
    };
    if (std::is_sorted(rules.node_order.begin(), rules.node_order.end(), is_before)) {
        rules.node_order.clear();
    } else {
        std::stable_sort(rules.node_order.begin(), rules.node_order.end(), is_before);
    }
}

}  // namespace choice

SelectRules select_rules_of(const SlurmConf& conf, const Cluster& cluster) {
    SelectRules rules;
    rules.parameters = conf.parameters;
    rules.partitions = conf.partitions;
    for (const NodeLine& line : conf.nodes) {
        const bool is_typed =
            std::any_of(line.gres.begin(), line.gres.end(), [](const NodeGres& one) {
                return is_shared_gres(one.gres.name) && !one.gres.type.empty();
            });
        if (is_typed) rules.typed_parts.append(line.names);
        if (line.reason.empty() || line.state == NodeState::up) continue;
        rules.reasons.push_back({line.place, line.names, line.state, line.reason});
    }
    std::copy_if(conf.down_nodes.begin(), conf.down_nodes.end(), std::back_inserter(rules.reasons),
                 [](const DownLine& line) { return !line.reason.empty(); });
    choice::order_nodes(cluster, rules);
    return rules;
}

}  // namespace trestle::slurm
