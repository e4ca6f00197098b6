// SPDX-License-Identifier: Apache-2.0
#include "units.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "trestle/base/fmt.hpp"

namespace trestle::slurm::choice {
namespace {

BlockTable table_of(const BlockTopology& topology, const SelectRules& rules,
                    const std::vector<Place>& place_of) {
    BlockTable table{BlockLevels::of(topology), {}};
    std::vector<const BlockTopology::Block*> order;
    for (const BlockTopology::Block& block : topology.blocks) order.push_back(&block);
    if (rules_of(rules.release).orders_blocks_by_name) {
        std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
            return is_before_by_name(a->name, b->name);
        });
    }
    for (const BlockTopology::Block* block : order) {
        std::vector<Place> places;
        for (const NodeId node : block->nodes) places.push_back(place_of[node.value()]);
        std::sort(places.begin(), places.end());
        table.bases.push_back(runs_of_places(places));
    }
    return table;
}

RingTable table_of(const RingTopology& topology, const std::vector<Place>& place_of) {
    RingTable table;
    for (const RingTopology::Ring& ring : topology.rings) {
        std::vector<Place>& places = table.rings.emplace_back();
        for (const NodeId node : ring.nodes) places.push_back(place_of[node.value()]);
    }
    return table;
}

TorusTable table_of(const TorusTopology& topology, const SelectRules& rules,
                    const std::vector<Place>& place_of) {
    TorusTable table;
    for (const TorusTopology::Torus& torus : topology.toruses) {
        TorusTable::OneTorus& one = table.toruses.emplace_back();
        one.shape = torus.shape;
        for (const TorusPlacement& placement : rules.placements) {
            if (placement.torus == torus.name) one.placements.push_back(placement);
        }
        for (const auto& node : torus.nodes) {
            one.places.push_back(node ? std::optional(place_of[node->value()]) : std::nullopt);
        }
    }
    return table;
}

/// Base blocks that some places are in, each as often as there are places.
std::vector<Number> places_by_base(const BlockTable& table, const std::vector<Place>& places) {
    std::vector<Number> counts(table.bases.size(), 0);
    for (std::size_t b = 0; b < counts.size(); ++b) {
        for (const Places& part : table.bases[b]) {
            counts[b] += std::count_if(places.begin(), places.end(),
                                       [&](Place place) { return part.contains(place); });
        }
    }
    return counts;
}

/// Empty: not refused.
std::string block_refusal(const BlockTable& table, const ChoiceJob& job,
                          const std::vector<Place>& required) {
    const Number segment = job.segment;
    if (segment == 0) return {};
    const std::string option = fmt::format("--segment={}", segment);
    if (!job.rules->has_long_segments) {
        const Number base{table.levels.base};
        if (segment > base) return fmt::format("{}: a base block has {} nodes", option, base);
        if (job.min_nodes % segment != 0) {
            return fmt::format("{}: does not divide the {} nodes of the job", option,
                               job.min_nodes);
        }
        if (!required.empty() && segment > 1 && segment < job.min_nodes) {
            return fmt::format("{}: a job with named nodes has one segment, this one has {}",
                               option, job.min_nodes / segment);
        }
        return {};
    }
    if (segment >= job.min_nodes || required.empty()) return {};
    const std::vector<Number> counts = places_by_base(table, required);
    const bool are_whole = std::all_of(counts.begin(), counts.end(),
                                       [&](Number count) { return count % segment == 0; });
    if (are_whole) return {};
    return option + ": the named nodes of a base block are no multiple of it";
}

/// Whether every place is in a base block or on a ring. Tori have no other nodes of theirs.
bool are_in_units(const UnitTable& table, const std::vector<Place>& places) {
    if (std::holds_alternative<TorusTable>(table.units)) return true;
    const std::vector<Place> inside = places_of_units(table, places);
    return std::includes(inside.begin(), inside.end(), places.begin(), places.end());
}

/// Why the units can never serve the job, whatever runs; empty: they may.
std::string unit_refusal(const UnitTable& table, const ChoiceJob& job,
                         const std::vector<Place>& required) {
    const bool takes_any = job.rules->takes_first_node && job.max_nodes == Number{1};
    if (!takes_any && !are_in_units(table, required)) {
        return "--nodelist: a named node is in no base block or ring of the topology";
    }
    if (const auto* blocks = std::get_if<BlockTable>(&table.units)) {
        return block_refusal(*blocks, job, required);
    }
    if (const auto* tori = std::get_if<TorusTable>(&table.units)) {
        const bool is_known = std::any_of(
            tori->toruses.begin(), tori->toruses.end(), [&](const TorusTable::OneTorus& torus) {
                return std::any_of(torus.placements.begin(), torus.placements.end(),
                                   [&](const TorusPlacement& placement) {
                                       return placement.dims.volume() ==
                                              static_cast<std::uint64_t>(job.min_nodes);
                                   });
            });
        if (!is_known) {
            return fmt::format("{} nodes of the job: no placement of a torus has so many",
                               job.min_nodes);
        }
    }
    return {};
}

}  // namespace

std::vector<UnitTable> unit_tables(const Network& network, const SelectRules& rules,
                                   const std::vector<Place>& place_of) {
    std::vector<UnitTable> tables;
    for (const BlockTopology& one : network.blocks) {
        tables.push_back({one.name, table_of(one, rules, place_of)});
    }
    for (const RingTopology& one : network.rings) {
        tables.push_back({one.name, table_of(one, place_of)});
    }
    for (const TorusTopology& one : network.toruses) {
        tables.push_back({one.name, table_of(one, rules, place_of)});
    }
    return tables;
}

bool gives_first_node(const UnitTable& table) {
    return !std::holds_alternative<TorusTable>(table.units);
}

std::vector<Place> places_of_units(const UnitTable& table, const std::vector<Place>& places) {
    std::vector<Place> all;
    const auto is_named = [&](Place place) {
        return std::binary_search(places.begin(), places.end(), place);
    };
    const auto add_if_named = [&](const std::vector<Place>& unit) {
        if (std::any_of(unit.begin(), unit.end(), is_named)) {
            all.insert(all.end(), unit.begin(), unit.end());
        }
    };
    if (const auto* blocks = std::get_if<BlockTable>(&table.units)) {
        for (const std::vector<Places>& base : blocks->bases) {
            std::vector<Place> unit;
            for (const Places& part : base) {
                for (Place place = part.first; place < part.end; ++place) unit.push_back(place);
            }
            add_if_named(unit);
        }
    }
    if (const auto* rings = std::get_if<RingTable>(&table.units)) {
        for (const std::vector<Place>& ring : rings->rings) add_if_named(ring);
    }
    std::sort(all.begin(), all.end());
    return all;
}

std::string fit_sizes(const UnitTable& table, const TopologyParameters& topology,
                      const std::vector<Place>& required, ChoiceJob& job) {
    const Number sizes_max{topology.unrolled_sizes_max};
    if (job.node_sizes.empty() && sizes_max > 0 && job.max_nodes) {
        const Number most = std::min(*job.max_nodes, job.most_nodes_by_tasks());
        const Number count = most - job.min_nodes + 1;
        if (count > sizes_max) {
            return fmt::format("--nodes={}-{}: {} numbers, TopoMaxSizeUnroll allows {}",
                               job.min_nodes, most, count, sizes_max);
        }
        for (Number i = 0; i < count && count > 1; ++i) job.node_sizes.push_back(job.min_nodes + i);
    }
    if (job.node_sizes.empty()) return unit_refusal(table, job, required);
    std::string why;
    std::erase_if(job.node_sizes, [&](Number size) {
        ChoiceJob part = job;
        part.min_nodes = size;
        std::string refusal = unit_refusal(table, part, required);
        if (refusal.empty()) return false;
        why = std::move(refusal);
        return true;
    });
    return job.node_sizes.empty() ? why : std::string();
}

}  // namespace trestle::slurm::choice
