// SPDX-License-Identifier: Apache-2.0
#include "units.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "trestle/base/fmt.hpp"

namespace trestle::slurm::choice {
namespace {

BlockTable table_of(const BlockTopology& topology, const std::vector<Place>& place_of) {
    BlockTable table{BlockLevels::of(topology), {}};
    for (const BlockTopology::Block& block : topology.blocks) {
        std::vector<Place> places;
        for (const NodeId node : block.nodes) places.push_back(place_of[node.value()]);
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

/// Why named nodes cannot be those of a job in segments, or on a ring; empty: they may. Nodes are
/// added to named ones by blocks and tori alone, and not to segments.
std::string list_refusal(const UnitTable& table, const ChoiceJob& job, std::size_t named) {
    if (named == 0) return {};
    const bool is_ring = std::holds_alternative<RingTable>(table.units);
    if (has_segments(job) && !job.rules->has_long_segments) {
        return fmt::format("--segment={}: a job with named nodes has one segment, this one has {}",
                           job.segment, job.min_nodes / job.segment);
    }
    if (static_cast<Number>(named) >= job.min_nodes || (!is_ring && !has_segments(job))) return {};
    return fmt::format("--nodelist: {} of the {} nodes of the job, expected all where it {}", named,
                       job.min_nodes, is_ring ? "is on a ring" : "has segments");
}

/// Empty: not refused.
std::string block_refusal(const BlockTable& table, const ChoiceJob& job) {
    const Number segment = job.segment;
    if (segment == 0 || job.rules->has_long_segments) return {};
    const std::string option = fmt::format("--segment={}", segment);
    const Number base{table.levels.base};
    if (segment > base) return fmt::format("{}: a base block has {} nodes", option, base);
    if (job.min_nodes % segment == 0) return {};
    return fmt::format("{}: does not divide the {} nodes of the job", option, job.min_nodes);
}

/// Why devices of the job cannot be dealt to segments in units of blocks or tori; empty: they can.
std::string devices_refusal(const UnitTable& table, const ChoiceJob& job) {
    const bool is_ring = std::holds_alternative<RingTable>(table.units);
    if (!has_segments(job) || is_ring || !job.rules->counts_devices_of_blocks) return {};
    const Number segments = job.min_nodes / job.segment;
    for (const GresWant& want : job.gres) {
        if (want.per_job % segments == 0) continue;
        return fmt::format(
            "--segment={}: {} {} of the job, expected as many for each of {} segments", job.segment,
            want.per_job, want.name, segments);
    }
    return {};
}

/// Empty: not refused.
std::string torus_refusal(const TorusTable& table, const ChoiceJob& job) {
    const Number nodes = has_segments(job) ? job.segment : job.min_nodes;
    const auto has_size = [&](const TorusPlacement& placement) {
        return placement.dims.volume() == static_cast<std::uint64_t>(nodes);
    };
    const bool is_known = std::any_of(
        table.toruses.begin(), table.toruses.end(), [&](const TorusTable::OneTorus& torus) {
            return std::any_of(torus.placements.begin(), torus.placements.end(), has_size);
        });
    if (is_known) return {};
    return fmt::format("{} nodes of {}: no placement of a torus has so many", nodes,
                       has_segments(job) ? "a segment" : "the job");
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
    std::string why;
    if (const auto* blocks = std::get_if<BlockTable>(&table.units)) {
        why = block_refusal(*blocks, job);
    }
    if (const auto* tori = std::get_if<TorusTable>(&table.units)) why = torus_refusal(*tori, job);
    if (why.empty()) why = devices_refusal(table, job);
    return why.empty() ? list_refusal(table, job, required.size()) : why;
}

}  // namespace

std::vector<UnitTable> unit_tables(const Network& network, const SelectRules& rules,
                                   const std::vector<Place>& place_of) {
    std::vector<UnitTable> tables;
    for (const BlockTopology& one : network.blocks) {
        tables.push_back({one.name, table_of(one, place_of)});
    }
    for (const RingTopology& one : network.rings) {
        tables.push_back({one.name, table_of(one, place_of)});
    }
    for (const TorusTopology& one : network.toruses) {
        tables.push_back({one.name, table_of(one, rules, place_of)});
    }
    return tables;
}

Reason reason_of(UnitFault fault) {
    switch (fault) {
        case UnitFault::none:
            break;
        case UnitFault::too_few_nodes:
            return Reason::no_unit;
        case UnitFault::too_few_for_segment:
            return Reason::no_unit_for_segment;
        case UnitFault::too_little_else:
            return Reason::too_little_in_unit;
    }
    return Reason::resources;
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
