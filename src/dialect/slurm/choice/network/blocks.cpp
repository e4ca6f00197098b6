// SPDX-License-Identifier: Apache-2.0
#include "blocks.hpp"

#include <algorithm>
#include <tuple>

#include "model/topology/levels.hpp"

namespace trestle::slurm::choice {
namespace {

/// The least k with 2^k >= count.
std::uint32_t log2_up(Number count) {
    std::uint32_t k = 0;
    while ((Number{1} << k) < count) ++k;
    return k;
}

/// The nodes of the sub-blocks of a range that a job may be spread over: those with required base
/// blocks, then those that have most. -1: the former are too many.
Number best_nodes(const std::vector<BaseBlock>& bases, const BaseRange& range,
                  const BlockScope& scope) {
    const std::size_t width = std::size_t{1} << scope.sub_level;
    std::vector<Number> nodes = nodes_by_run(bases, range, width);
    // Of the cluster whole sub-blocks count alone.
    if (!scope.level && range.end % width != 0) nodes.back() = 0;
    std::vector<std::pair<bool, Number>> subs;
    for (const Number one : nodes) subs.emplace_back(false, one);
    for (std::size_t b = range.first; b < range.end; ++b) {
        if (bases[b].is_required) subs[(b - range.first) >> scope.sub_level].first = true;
    }
    std::sort(subs.begin(), subs.end(), std::greater<>());
    Number sum = 0;
    for (std::size_t s = 0; s < subs.size(); ++s) {
        if (static_cast<Number>(s) < scope.subs_max) {
            sum += subs[s].second;
        } else if (subs[s].first) {
            return -1;
        }
    }
    return sum;
}

/// The smallest unit that holds what is needed, else the largest; of equals the last.
class BestUnit {
  public:
    explicit BestUnit(const UnitSupply& need) : need_(need) {}

    void see(std::size_t unit, const UnitSupply& supply) {
        if (supply.nodes <= 0) return;
        const bool is_enough = holds(supply, need_);
        if (best_ && holds_) {
            if (!is_enough || supply.nodes > nodes_) return;
        } else if (best_ && !is_enough && supply.nodes < nodes_) {
            return;
        }
        best_ = unit;
        nodes_ = supply.nodes;
        holds_ = is_enough;
    }
    [[nodiscard]] const std::optional<std::size_t>& get() const { return best_; }

  private:
    const UnitSupply& need_;
    std::optional<std::size_t> best_;
    Number nodes_ = 0;
    bool holds_ = false;
};

}  // namespace

BlockLevels BlockLevels::of(const BlockTopology& topology) {
    BlockLevels levels;
    levels.count = topology.blocks.size();
    levels.levels = levels_of(topology);
    if (!topology.sizes.empty()) {
        levels.base = topology.sizes.front().value();
    } else if (!topology.blocks.empty()) {
        levels.base = static_cast<Number>(topology.blocks.front().nodes.count());
    }
    levels.base = std::max<Number>(levels.base, 1);
    return levels;
}

BlockScope scope_of(const BlockLevels& levels, Number nodes) {
    const std::uint32_t wanted = log2_up(quotient_up(nodes, levels.base));
    BlockScope scope;
    for (const std::uint32_t level : levels.levels) {
        if (level < wanted) scope.sub_level = level;
        if (level >= wanted && !scope.level) scope.level = level;
    }
    scope.subs_max = quotient_up(nodes, product(levels.base, Number{1} << scope.sub_level));
    return scope;
}

std::vector<Number> nodes_by_run(const std::vector<BaseBlock>& bases, const BaseRange& range,
                                 std::size_t width) {
    std::vector<Number> runs;
    for (std::size_t first = range.first; first < range.end; first += width) {
        Number& nodes = runs.emplace_back(0);
        for (std::size_t b = first; b < std::min(first + width, range.end); ++b) {
            nodes += bases[b].supply.nodes;
        }
    }
    return runs;
}

std::vector<std::pair<BaseRange, Number>> blocks_of(const BlockLevels& levels,
                                                    const BlockScope& scope,
                                                    const std::vector<BaseBlock>& bases) {
    std::vector<std::pair<BaseRange, Number>> blocks;
    const std::size_t width =
        scope.level ? std::size_t{1} << *scope.level : std::max<std::size_t>(levels.count, 1);
    for (std::size_t first = 0; first < bases.size(); first += width) {
        const BaseRange range{first, std::min(first + width, bases.size())};
        blocks.emplace_back(range, best_nodes(bases, range, scope));
    }
    return blocks;
}

std::optional<BaseRange> best_block(const BlockLevels& levels, const BlockScope& scope,
                                    const std::vector<BaseBlock>& bases, const UnitSupply& need,
                                    const std::function<bool(const BaseRange&)>& is_fit) {
    std::optional<BaseRange> best;
    std::tuple<Number, Number> best_key;
    for (const auto& [range, nodes] : blocks_of(levels, scope, bases)) {
        UnitSupply sum;
        Number weight = unlimited;
        bool has_required = true;
        for (std::size_t b = 0; b < bases.size(); ++b) {
            if (!range.contains(b)) {
                has_required = has_required && !bases[b].is_required;
                continue;
            }
            sum.add(bases[b].supply);
            if (bases[b].supply.nodes > 0) weight = std::min(weight, bases[b].weight);
        }
        if (!has_required || !holds(sum, need) || nodes < need.nodes) continue;
        const std::tuple key(weight, sum.nodes);
        if ((best && key > best_key) || (is_fit && !is_fit(range))) continue;
        best = range;
        best_key = key;
    }
    return best;
}

bool has_idle_subs(const BlockScope& scope, const BaseRange& range) {
    const std::size_t width = std::size_t{1} << scope.sub_level;
    const std::size_t subs = (range.end - range.first + width - 1) / width;
    const bool has_part = !scope.level && range.end % width != 0;
    return has_part || static_cast<Number>(subs) > scope.subs_max;
}

std::optional<std::size_t> next_base(const BlockScope& scope, const BaseRange& range,
                                     const std::vector<BaseBlock>& bases,
                                     const std::vector<bool>& is_used, const UnitSupply& need) {
    const auto best_of = [&](const BaseRange& some) {
        BestUnit best(need);
        for (std::size_t b = some.first; b < some.end; ++b) best.see(b, bases[b].supply);
        return best.get();
    };
    if (!has_idle_subs(scope, range)) return best_of(range);
    const std::size_t width = std::size_t{1} << scope.sub_level;
    BestUnit best(need);
    BestUnit best_in_used(need);
    Number used = 0;
    for (std::size_t first = range.first; first < range.end; first += width) {
        const bool is_in_use = is_used[first >> scope.sub_level];
        used += is_in_use ? 1 : 0;
        UnitSupply sum;
        for (std::size_t b = first; b < std::min(first + width, range.end); ++b) {
            if (is_in_use) best_in_used.see(b, bases[b].supply);
            sum.add(bases[b].supply);
        }
        if (!is_in_use) best.see(first, sum);
    }
    if (best_in_used.get() || used >= scope.subs_max || !best.get()) return best_in_used.get();
    return best_of({*best.get(), std::min(*best.get() + width, range.end)});
}

}  // namespace trestle::slurm::choice
