// SPDX-License-Identifier: Apache-2.0
// The way of clusters with blocks, rings or tori.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "../network/rings.hpp"
#include "units.hpp"

namespace trestle::slurm::choice {
namespace {

UnitSupply supply_of(const NodeChoice& work, const CandidateRun& run, Number nodes) {
    UnitSupply supply{nodes, product(work.cpus_of(run), nodes), {}};
    if (!work.job().gres.empty()) work.add_gres(supply.gres, run, nodes);
    return supply;
}

/// What of `segment` nodes each of `segments` needs. CPUs are rounded down: what is missing then
/// makes the job wait.
UnitSupply need_of_segment(const NodeChoice& work, Number segment, Number segments) {
    UnitSupply need{segment, work.job().min_cpus() / segments, {}};
    const bool is_even = work.job().rules->counts_devices_of_blocks;
    for (const GresWant& want : work.job().gres) {
        need.gres.push_back(is_even ? quotient_up(want.per_job, segments) : want.per_job);
    }
    return need;
}

/// How many segments a job is made of; 0: it is in one piece.
Number segments_of(const NodeChoice& work) {
    const Number segment = work.job().segment;
    const Number nodes = work.question().min_nodes;
    return segment == 0 || segment >= nodes ? 0 : nodes / segment;
}

/// Nodes of one weight, by base block.
struct WeightGroup {
    std::vector<BaseBlock> bases;
    std::vector<std::vector<CandidateRun>> runs;
};

/// Chooses blocks and takes their nodes.
class BlockChoice {
  public:
    BlockChoice(NodeChoice& work, const BlockTable& table)
        : work_(work),
          table_(table),
          bases_(table.bases.size()),
          is_begun_(table.bases.size(), false) {
        for (std::size_t b = 0; b < bases_.size(); ++b) {
            bases_[b].weight = unlimited;
            for (const Places& places : table_.bases[b]) {
                for_each_run(work_.runs(), places, [&](const CandidateRun& run) {
                    if (work_.is_required(run)) {
                        bases_[b].is_required = true;
                        return;
                    }
                    bases_[b].supply.add(supply_of(work_, run, run.size()));
                    bases_[b].weight = std::min(bases_[b].weight, work_.weight(run).first);
                });
            }
        }
    }

    UnitFault run() {
        const Number segments = segments_of(work_);
        if (segments == 0) {
            // A segment of all nodes is one, though not of a unit of its own.
            const bool is_one = work_.job().segment == work_.question().min_nodes;
            if (is_one) work_.begin_segment(work_.nodes_left());
            return take_job();
        }
        const Number segment = work_.job().segment;
        const UnitSupply need = need_of_segment(work_, segment, segments);
        if (work_.job().consolidates_segments && !keep_one_block(need, segments)) {
            return UnitFault::too_few_for_segment;
        }
        work_.leave_cpus(work_.job().min_cpus() % segments);
        for (Number s = 0; s < segments; ++s) {
            const auto block = take_segment(need);
            if (!block) return UnitFault::too_few_for_segment;
        }
        return UnitFault::none;
    }

  private:
    /// The block in which a segment was taken. Absent: there is none.
    std::optional<BaseRange> take_segment(const UnitSupply& need) {
        const BlockScope scope = scope_of(table_.levels, need.nodes);
        const auto block = best_block(table_.levels, scope, bases_, need);
        if (!block) return std::nullopt;
        work_.begin_segment(need.nodes);
        is_begun_.assign(bases_.size(), false);
        const UnitSupply left = take(scope, *block, need, true);
        if (!work_.job().rules->counts_devices_of_blocks && lacks_devices(left))
            return std::nullopt;
        if (work_.job().spreads_segments) empty(*block);
        return block;
    }
    [[nodiscard]] static bool lacks_devices(const UnitSupply& left) {
        return std::any_of(left.gres.begin(), left.gres.end(),
                           [](Number count) { return count > 0; });
    }
    /// Leaves the nodes of one block that holds all segments, of the level of the whole job.
    bool keep_one_block(const UnitSupply& need, Number segments) {
        Number nodes = work_.question().min_nodes;
        if (work_.job().spreads_segments) nodes = segments * size_of_block(need.nodes);
        const BlockScope scope = scope_of(table_.levels, nodes);
        const auto block = best_block(
            table_.levels, scope, bases_, {work_.nodes_left(), 0, {}},
            [&](const BaseRange& range) { return count_segments(range, need) >= segments; });
        if (!block) return false;
        empty({0, block->first});
        empty({block->end, bases_.size()});
        return true;
    }
    /// By BlockSizes, of the block that holds a segment.
    [[nodiscard]] Number size_of_block(Number segment) const {
        const BlockScope scope = scope_of(table_.levels, segment);
        return scope.level ? product(table_.levels.base, Number{1} << *scope.level) : segment;
    }
    /// Segments that the nodes of a range have room for.
    [[nodiscard]] Number count_segments(const BaseRange& range, const UnitSupply& need) const {
        const BlockScope scope = scope_of(table_.levels, need.nodes);
        const std::size_t width =
            scope.level ? std::size_t{1} << *scope.level : range.end - range.first;
        Number count = 0;
        for (const Number nodes : nodes_by_run(bases_, range, width)) {
            const Number fit = nodes / need.nodes;
            count += work_.job().spreads_segments ? std::min<Number>(fit, 1) : fit;
        }
        return count;
    }
    void empty(const BaseRange& range) {
        for (std::size_t b = range.first; b < range.end; ++b) bases_[b].supply = {};
    }

    UnitFault take_job() {
        const BlockScope scope = scope_of(table_.levels, work_.question().min_nodes);
        UnitSupply need = needed();
        if (!work_.job().rules->counts_devices_of_blocks) need.gres.clear();
        UnitSupply least = need;
        least.nodes -= work_.question().block_slack;
        const Number nodes = work_.question().min_nodes;
        const auto block =
            best_block(table_.levels, scope, bases_, least,
                       [&](const BaseRange& range) { return size_of(range) >= nodes; });
        if (!block) {
            // Of a range what lacks is not said to be nodes.
            const bool is_range = work_.job().max_nodes.value_or(0) > nodes;
            return is_range ? UnitFault::too_little_else : UnitFault::too_few_nodes;
        }
        take(scope, *block, need, false);
        return UnitFault::none;
    }
    /// Nodes of a range, whatever they have left.
    [[nodiscard]] Number size_of(const BaseRange& range) const {
        Number nodes = 0;
        for (std::size_t b = range.first; b < range.end; ++b) {
            for (const Places& places : table_.bases[b]) nodes += places.end - places.first;
        }
        return nodes;
    }
    /// Of a job in one piece.
    [[nodiscard]] UnitSupply needed() const {
        return {std::max<Number>(work_.nodes_left(), 0), std::max<Number>(work_.cpus_left(), 0),
                work_.gres_left()};
    }

    /// Cheap nodes are all taken while they do not suffice; then base block by base block. The
    /// result is what of the need is left.
    UnitSupply take(const BlockScope& scope, const BaseRange& block, UnitSupply need,
                    bool is_segment) {
        const bool has_gres = !need.gres.empty();
        const auto is_over = [&] {
            return is_segment ? need.nodes <= 0 || !work_.may_take() : work_.is_over();
        };
        const auto take_from = [&](std::size_t b, WeightGroup& group) {
            for (const CandidateRun& run : group.runs[b]) {
                for (Place place = run.places.first; place < run.places.end; ++place) {
                    if (is_over()) return;
                    if (work_.is_picked(place) || !work_.has_layers(place)) continue;
                    if (!work_.take(place, run)) break;
                    const UnitSupply one = supply_of(work_, run, 1);
                    subtract(bases_[b].supply, one);
                    subtract(need, one);
                    is_begun_[b] = true;
                }
            }
            if (!is_segment) need = needed();
            if (!has_gres) need.gres.clear();
        };
        std::map<Number, WeightGroup> groups = groups_of(block);
        for (auto& [weight, group] : groups) {
            UnitSupply sum;
            for (const BaseBlock& base : group.bases) sum.add(base.supply);
            const bool is_last = weight == groups.rbegin()->first;
            if (is_last || holds(sum, need)) {
                take_among(scope, block, group, need, is_over, take_from);
                break;
            }
            for (std::size_t b = block.first; b < block.end; ++b) take_from(b, group);
        }
        return need;
    }
    /// First base blocks that the job has nodes of, in their order. Nodes that the job names begin
    /// a base block only where not all sub-blocks may be used. Then the others.
    template <class IsOver, class TakeFrom>
    void take_among(const BlockScope& scope, const BaseRange& block, WeightGroup& group,
                    const UnitSupply& need, const IsOver& is_over, const TakeFrom& take_from) {
        std::vector<bool> is_used((bases_.size() >> scope.sub_level) + 1, false);
        const bool names_begin = has_idle_subs(scope, block);
        const auto take_all_of = [&](std::size_t base) {
            is_used[base >> scope.sub_level] = true;
            take_from(base, group);
            group.bases[base].supply = {};  // what is left of it cannot be had
        };
        const std::vector<bool> is_begun = is_begun_;
        for (std::size_t b = block.first; b < block.end; ++b) {
            const bool is_first = is_begun[b] || (names_begin && bases_[b].is_required);
            if (is_first && !is_over()) take_all_of(b);
        }
        while (!is_over()) {
            const auto base = next_base(scope, block, group.bases, is_used, need);
            if (!base) return;
            take_all_of(*base);
        }
    }
    /// The nodes of a range that are not picked, by weight.
    [[nodiscard]] std::map<Number, WeightGroup> groups_of(const BaseRange& block) const {
        std::map<Number, WeightGroup> groups;
        for (std::size_t b = block.first; b < block.end; ++b) {
            for (const Places& places : table_.bases[b]) {
                for_each_run(work_.runs(), places, [&](const CandidateRun& run) {
                    Number free = 0;
                    for (Place at = run.places.first; at < run.places.end; ++at) {
                        free += work_.is_picked(at) ? 0 : 1;
                    }
                    if (free == 0) return;
                    WeightGroup& group = groups[work_.weight(run).first];
                    group.bases.resize(bases_.size());
                    group.runs.resize(bases_.size());
                    group.bases[b].supply.add(supply_of(work_, run, free));
                    group.runs[b].push_back(run);
                });
            }
        }
        return groups;
    }
    static void subtract(UnitSupply& from, const UnitSupply& one) {
        from.nodes -= one.nodes;
        from.cpus -= one.cpus;
        for (std::size_t i = 0; i < std::min(from.gres.size(), one.gres.size()); ++i) {
            from.gres[i] -= one.gres[i];
        }
    }

    NodeChoice& work_;
    const BlockTable& table_;
    std::vector<BaseBlock> bases_;
    std::vector<bool> is_begun_;  ///< by base block: the job has nodes of it
};

/// The node at a place. Absent: it cannot be taken.
std::optional<CandidateRun> run_at(const NodeChoice& work, Place place) {
    std::optional<CandidateRun> found;
    for_each_run(work.runs(), {place, place + 1}, [&](const CandidateRun& run) { found = run; });
    return found;
}

/// What the whole job needs, required nodes with it.
UnitSupply need_of_job(const NodeChoice& work) {
    UnitSupply need{std::max<Number>(work.question().min_nodes, 1), work.job().min_cpus(), {}};
    for (const GresWant& want : work.job().gres) need.gres.push_back(want.per_job);
    return need;
}

/// Takes nodes that are not picked yet. False: one of them cannot be had.
bool take_all(NodeChoice& work, const std::vector<Place>& places) {
    return std::all_of(places.begin(), places.end(), [&](Place place) {
        return work.is_picked(place) || work.take(place, *run_at(work, place));
    });
}

UnitFault take_by_rings(NodeChoice& work, const RingTable& table) {
    std::vector<std::vector<RingPlace>> rings;
    for (const auto& ring : table.rings) {
        std::vector<RingPlace>& places = rings.emplace_back();
        for (const Place place : ring) {
            RingPlace& one = places.emplace_back();
            const auto run = run_at(work, place);
            if (!run) continue;
            one = {true, work.is_required(*run), supply_of(work, *run, 1)};
        }
    }
    const Number segments = segments_of(work);
    const UnitSupply need =
        segments == 0 ? need_of_job(work) : need_of_segment(work, work.job().segment, segments);
    const RingTie tie = segments == 0 ? RingTie::first : RingTie::last;
    std::vector<Place> chosen;
    for (Number s = 0; s < std::max<Number>(segments, 1); ++s) {
        const auto found = best_ring(rings, need, tie);
        if (!found && best_ring(rings, {need.nodes, 0, {}}, tie)) return UnitFault::too_little_else;
        if (!found) {
            return segments == 0 ? UnitFault::too_few_nodes : UnitFault::too_few_for_segment;
        }
        std::vector<RingPlace>& ring = rings[found->ring];
        for (std::size_t i = 0; i < found->count; ++i) {
            chosen.push_back(table.rings[found->ring][(found->first + i) % ring.size()]);
        }
        ring.clear();  // no two segments on one ring
    }
    if (segments != 0) std::sort(chosen.begin(), chosen.end());
    return take_all(work, chosen) ? UnitFault::none : UnitFault::too_little_else;
}

UnitFault take_by_toruses(NodeChoice& work, const TorusTable& table) {
    std::vector<TorusState> toruses;
    for (const TorusTable::OneTorus& torus : table.toruses) {
        TorusState& state = toruses.emplace_back();
        state.shape = torus.shape;
        for (const TorusPlacement& one : torus.placements) state.placements.push_back(&one);
        for (const auto& place : torus.places) {
            TorusPlaceState& one = state.places.emplace_back();
            const auto run = place ? run_at(work, *place) : std::nullopt;
            if (!run) continue;
            one = {true, work.is_required(*run), work.weight(*run).first, supply_of(work, *run, 1)};
        }
    }
    const Number segments = segments_of(work);
    const UnitSupply need =
        segments == 0 ? need_of_job(work) : need_of_segment(work, work.job().segment, segments);
    if (segments != 0) work.leave_cpus(work.job().min_cpus() % segments);
    for (Number s = 0; s < std::max<Number>(segments, 1); ++s) {
        const auto found = best_box(toruses, need);
        if (!found) {
            const bool has_nodes = best_box(toruses, {need.nodes, 0, {}}).has_value();
            return has_nodes ? UnitFault::too_little_else : UnitFault::too_few_nodes;
        }
        TorusState& state = toruses[found->torus];
        std::vector<Place> places;
        for (const std::size_t at : places_of(found->box, state.shape)) {
            places.push_back(*table.toruses[found->torus].places[at]);
            state.places[at].is_free = false;
        }
        std::sort(places.begin(), places.end());
        if (segments != 0) work.begin_segment(need.nodes);
        if (!take_all(work, places)) return UnitFault::too_little_else;
    }
    return UnitFault::none;
}

}  // namespace

UnitFault take_by_units(NodeChoice& work) {
    const auto& units = work.question().units->units;
    if (const auto* blocks = std::get_if<BlockTable>(&units))
        return BlockChoice(work, *blocks).run();
    if (const auto* rings = std::get_if<RingTable>(&units)) return take_by_rings(work, *rings);
    return take_by_toruses(work, std::get<TorusTable>(units));
}

}  // namespace trestle::slurm::choice
