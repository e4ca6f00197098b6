// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/split/split_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "alloc/cluster/place/job_groups.hpp"
#include "alloc/node/demand_rules.hpp"

namespace trestle::detail {

namespace {

constexpr std::uint64_t steps_of_part = 8;  ///< a part that is served costs as much as so many
constexpr std::int64_t levels_max = 16;     ///< at which nodes are counted by leaf
constexpr std::int64_t shares_max = 256;    ///< of which a node is asked whether it takes any

}  // namespace

bool SplitSearch::is_of_use(const VariantCache& cache, const std::vector<std::int64_t>& nodes) {
    for (std::size_t g = 0; g < nodes.size(); ++g) {
        if (SplitBounds::may_be_uneven(cache.request(g), nodes[g])) return true;
    }
    return false;
}

SplitSearch::SplitSearch(const SplitQuestion& question, const std::vector<std::int64_t>& nodes)
    : question_(question) {
    for (std::size_t g = 0; g < nodes.size(); ++g) {
        const Request& request = question.cache.request(g);
        groups_.push_back(
            {SplitBounds(question.cache.split_limits(g, question.cluster, question.states), request,
                         nodes[g]),
             SplitBounds::may_be_uneven(request, nodes[g]),
             {}});
        prefers_even_ &= !groups_.back().is_uneven || !groups_.back().bounds.is_packed();
    }
}

bool SplitSearch::is_nested() const {
    const SplitBounds& bounds = groups_.front().bounds;
    return groups_.size() == 1 && bounds.only_amount() && bounds.takes_less() &&
           question_.required.is_empty() && !question_.rules.front().has_feature_counts();
}

bool SplitSearch::may_serve(const std::vector<PartGroup>& parts, const NodePool& pool) const {
    if (!pool.is_everything() || !question_.rules.front().allow_all()) return true;
    std::size_t wanted = 0;
    return std::all_of(parts.begin(), parts.end(), [&](const PartGroup& part) {
        wanted += part.count;
        const auto& tally = part.ranking->tally(question_.cluster);
        return tally[static_cast<std::size_t>(Constraint::none)] >= wanted;
    });
}

SplitSearch::Found SplitSearch::choose(const NodePool& pool, bool uses_pool) {
    uses_pool_ = uses_pool;
    chosen_.assign(groups_.size(), Split());
    const bool is_possible = std::all_of(groups_.begin(), groups_.end(),
                                         [](const Group& one) { return one.bounds.has_any(); });
    if (!is_possible) return std::nullopt;
    const SplitBounds& bounds = groups_.front().bounds;
    const auto amount = bounds.only_amount();
    if (groups_.size() == 1 && amount && bounds.takes_less()) {
        const auto split = level_split(*amount, pool);
        if (!split) return std::nullopt;
        chosen_.front() = *split;
        if (auto found = serve(parts_of(0, *split), question_.required, pool)) return found;
        if (is_nested()) return std::nullopt;
    }
    Found found;
    if (!has_free_amounts() || !may_be_served(pool)) return found;
    const bool is_found = choose_from(0, {}, pool, found);
    has_given_up_ |= !is_found && question_.budget.left == 0;
    return found;
}

bool SplitSearch::comes_before(const std::vector<Split>& a, const std::vector<Split>& b) const {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (a[g] != b[g]) return groups_[g].bounds.comes_before(a[g], b[g]);
    }
    return false;
}

bool SplitSearch::has_given_up() const {
    return has_given_up_ || std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) {
               return std::any_of(
                   group.rankings.begin(), group.rankings.end(),
                   [&](const auto& one) { return one.second->has_given_up(question_.cluster); });
           });
}

bool SplitSearch::has_free_amounts() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const FreeAmounts& free = question_.cache.free_amounts(g, question_.cluster);
        if (!free.has_room(groups_[g].bounds)) return false;
    }
    return true;
}

bool SplitSearch::may_be_served(const NodePool& pool) {
    std::vector<PartGroup> parts;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const SplitBounds& bounds = groups_[g].bounds;
        if (!bounds.takes_less()) return true;
        const auto nodes = static_cast<std::size_t>(bounds.nodes());
        parts.push_back(part_group(g, bounds.least_share(), nodes));
    }
    if (groups_.size() == 1) {
        const auto& amounts = groups_.front().bounds.amounts();
        for (std::size_t i = 0; i < amounts.size(); ++i) {
            if (capacity(i, amounts[i].total_min, pool) < amounts[i].total_min) return false;
        }
    }
    return serve(std::move(parts), question_.required, pool) || has_given_up_;
}

NodeRanking& SplitSearch::ranking(std::size_t group, const Share& share) {
    NodeRanking*& known = groups_[group].rankings[share];
    if (known == nullptr) {
        const JobGroup part{group, part_of(share, groups_[group].bounds.nodes()), 1};
        known = &question_.cache.ranking(part, question_.cluster, question_.states);
    }
    return *known;
}

PartGroup SplitSearch::part_group(std::size_t group, const Share& share, std::size_t count) {
    return {&ranking(group, share), count, &question_.rules[group],
            static_cast<std::uint32_t>(group)};
}

std::vector<PartGroup> SplitSearch::parts_of(std::size_t group, const Split& split) {
    std::vector<PartGroup> parts;
    for (const ShareCount& one : split) {
        parts.push_back(part_group(group, one.share, static_cast<std::size_t>(one.nodes)));
    }
    return parts;
}

std::vector<PartGroup> SplitSearch::even_parts(std::size_t group) {
    std::vector<PartGroup> parts;
    for (JobGroup one : groups_of(question_.cache.request(group), groups_[group].bounds.nodes())) {
        one.component = group;
        parts.push_back({&question_.cache.ranking(one, question_.cluster, question_.states),
                         static_cast<std::size_t>(one.count), &question_.rules[group],
                         static_cast<std::uint32_t>(group)});
    }
    return parts;
}

std::int64_t SplitSearch::able(std::size_t group, const Share& share, const NodePool& pool) {
    const PartGroup part = part_group(group, share, 1);
    const std::int64_t wanted = groups_[group].bounds.nodes();
    const NodeSet& required = question_.rules[group].required;
    if (pool.is_everything() && part.rules->allow_all() && question_.required.is_empty()) {
        const auto& tally = part.ranking->tally(question_.cluster);
        return std::min<std::int64_t>(wanted, tally[static_cast<std::size_t>(Constraint::none)]);
    }
    std::int64_t count = 0;
    for (const NodeId node : required) {
        count += pool.contains(node) && part.takes(question_.cluster, node) ? 1 : 0;
    }
    const std::int64_t others = wanted - static_cast<std::int64_t>(required.count());
    if (others <= 0) return std::min(count, wanted);
    const auto passes = [&](NodeId node) {
        return pool.contains(node) && !kept_apart(group).contains(node) &&
               part.takes(question_.cluster, node);
    };
    return count +
           static_cast<std::int64_t>(part.ranking
                                         ->best(question_.cluster, static_cast<std::size_t>(others),
                                                pool.candidates(), passes)
                                         .size());
}

std::vector<SplitSearch::Step> SplitSearch::steps(std::size_t amount,
                                                  const Interval<std::int64_t>& numbers,
                                                  std::int64_t wanted, const NodePool& pool) {
    std::vector<Step> found;
    std::int64_t number = numbers.first;
    while (number < numbers.end && wanted > 0) {
        const std::int64_t here = able(amount, number, pool);
        if (here == 0) break;
        const std::int64_t enough = std::min(numbers.end - 1 - number, (wanted - 1) / here);
        const std::int64_t last = last_with(amount, {number, number + enough + 1}, here, pool);
        found.push_back({last, here});
        wanted -= here * (last - number + 1);
        number = last + 1;
    }
    return found;
}

std::int64_t SplitSearch::last_with(std::size_t amount, Interval<std::int64_t> numbers,
                                    std::int64_t nodes, const NodePool& pool) {
    std::int64_t step = 1;
    while (numbers.first + step < numbers.end) {
        if (able(amount, numbers.first + step, pool) < nodes) {
            numbers.end = numbers.first + step;
            break;
        }
        numbers.first += step;
        step *= 2;
    }
    while (numbers.end - numbers.first > 1) {
        const std::int64_t middle = numbers.first + (numbers.end - numbers.first) / 2;
        (able(amount, middle, pool) < nodes ? numbers.end : numbers.first) = middle;
    }
    return numbers.first;
}

std::optional<Split> SplitSearch::level_split(std::size_t amount, const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const SplitAmount& one = bounds.amounts()[amount];
    if (able(amount, one.least, pool) < bounds.nodes()) return std::nullopt;
    std::int64_t total = std::max(one.total_min, saturating_product(one.least, bounds.nodes()));
    if (one.prefers_most && total < one.total_max) total = capacity(amount, one.total_max, pool);
    if (total < one.total_min || total > one.total_max) return std::nullopt;
    return bounds.is_packed() ? packed_split(amount, total, pool) : even_split(amount, total, pool);
}

std::optional<Split> SplitSearch::even_split(std::size_t amount, std::int64_t total,
                                             const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const SplitAmount& one = bounds.amounts()[amount];
    const std::int64_t nodes = bounds.nodes();
    std::int64_t low = one.least;  // as many nodes can take that
    std::int64_t high = std::min(one.most, total / nodes) + 1;
    if (high - 1 > low && able(amount, high - 1, pool) == nodes) low = high - 1;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (able(amount, middle, pool) == nodes ? low : high) = middle;
    }
    std::vector<Step> levels{{low, nodes}};  // the nodes that have so much, or more
    std::int64_t left = total - low * nodes;
    for (const Step& step : steps(amount, {low + 1, one.most + 1}, left, pool)) {
        const std::int64_t before = levels.back().last;
        const std::int64_t whole = std::min(step.last - before, left / step.nodes);
        if (whole > 0) levels.push_back({before + whole, step.nodes});
        left -= whole * step.nodes;
        if (before + whole == step.last || left == 0) continue;
        levels.push_back({before + whole + 1, left});
        left = 0;
    }
    if (left > 0) return std::nullopt;
    Split split;
    std::int64_t above = 0;
    for (std::size_t i = levels.size(); i-- > 0;) {
        const std::int64_t here = levels[i].nodes - above;
        above = levels[i].nodes;
        if (here > 0) split.push_back({bounds.share_with(amount, levels[i].last), here});
    }
    return split;
}

std::optional<Split> SplitSearch::packed_split(std::size_t amount, std::int64_t total,
                                               const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const SplitAmount& one = bounds.amounts()[amount];
    std::int64_t left = total - one.least * bounds.nodes();
    const std::int64_t most = std::min(one.most, one.least + left);
    const auto levels =
        steps(amount, {one.least + 1, most + 1}, saturating_product(left, bounds.nodes()), pool);
    // Each node has as much as it can take, the ablest first, but leaves the least for the others.
    Split split;
    std::int64_t nodes = bounds.nodes();
    const auto add = [&](std::int64_t number, std::int64_t count) {
        if (count > 0) split.push_back({bounds.share_with(amount, number), count});
        nodes -= count;
        left -= (number - one.least) * count;
    };
    std::int64_t above = 0;
    for (std::size_t i = levels.size(); i-- > 0 && left > 0;) {
        const std::int64_t here = levels[i].nodes - above;
        above = levels[i].nodes;
        const std::int64_t whole = std::min(here, left / (levels[i].last - one.least));
        add(levels[i].last, whole);
        if (whole < here && left > 0) add(one.least + left, 1);
    }
    if (left > 0) return std::nullopt;
    add(one.least, nodes);
    return split;
}

std::int64_t SplitSearch::capacity(std::size_t amount, std::int64_t most, const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const SplitAmount& one = bounds.amounts()[amount];
    std::int64_t sum = saturating_product(one.least, bounds.nodes());
    if (sum >= most) return most;
    std::int64_t before = one.least;
    for (const Step& step : steps(amount, {before + 1, one.most + 1}, most - sum, pool)) {
        sum += step.nodes * (step.last - before);
        before = step.last;
    }
    return std::min(sum, most);
}

std::vector<AmountLevels> SplitSearch::amount_levels() {
    const SplitBounds& bounds = groups_.front().bounds;
    std::vector<AmountLevels> found;
    for (std::size_t i = 0; i < bounds.amounts().size(); ++i) {
        const SplitAmount& one = bounds.amounts()[i];
        if (!one.varies()) continue;
        AmountLevels levels{{{one.least, &ranking(0, bounds.least_share())}}, one.total_min};
        const std::int64_t step = (one.most - one.least - 1) / levels_max + 1;
        for (std::int64_t number = one.least + 1; number <= one.most; number += step) {
            NodeRanking& takes = ranking(0, bounds.share_with(i, number));
            levels.levels.push_back({std::min(step, one.most - number + 1), &takes});
            const auto& tally = takes.tally(question_.cluster);
            if (tally[static_cast<std::size_t>(Constraint::none)] == 0) break;
        }
        found.push_back(std::move(levels));
    }
    return found;
}

SplitSearch::Found SplitSearch::serve(std::vector<PartGroup> parts, const NodeSet& required,
                                      const NodePool& pool, bool uses_pool) {
    if (question_.sharing != nullptr) {
        SharedChoice choice(question_.cluster, std::move(parts), *question_.sharing, uses_pool,
                            question_.budget);
        auto found = choice.choose(pool);
        has_given_up_ |= !found && choice.has_given_up();
        return found;
    }
    NodeChoice choice(question_.cluster, std::move(parts), required, question_.budget);
    auto found = is_nested() ? choice.choose_nested(pool) : choice.choose(pool);
    has_given_up_ |= !found && choice.has_given_up();
    return found;
}

bool SplitSearch::choose_from(std::size_t group, const Prefix& before, const NodePool& pool,
                              Found& found) {
    if (group == groups_.size()) return found.has_value();
    const Group& one = groups_[group];
    const bool is_even_listed = !one.is_uneven || !one.bounds.is_packed();
    chosen_[group].clear();
    if (is_even_listed && try_parts(group, before, even_parts(group), true, pool, found)) {
        return true;
    }
    if (!one.is_uneven) return false;
    const auto able_to = [&](const Share& share) { return able(group, share, pool); };
    const auto visit = [&](const Split& split) {
        chosen_[group] = split;
        return try_parts(group, before, parts_of(group, split), false, pool, found);
    };
    SplitEnumerator splits(one.bounds, question_.budget, able_to, visit);
    return splits.run();
}

bool SplitSearch::try_parts(std::size_t group, const Prefix& before, std::vector<PartGroup> parts,
                            bool is_even, const NodePool& pool, Found& found) {
    Prefix longer = before;
    longer.parts.insert(longer.parts.end(), parts.begin(), parts.end());
    longer.required |= question_.rules[group].required;
    longer.is_even &= is_even;
    const bool is_last = group + 1 == groups_.size();
    if (is_last && longer.is_even && prefers_even_) return false;  // it was tried before
    std::size_t count = 0;
    for (const PartGroup& one : longer.parts) count += one.count;
    if (!question_.budget.spend(steps_of_part * count)) return false;
    found = serve(longer.parts, longer.required, pool, is_last && uses_pool_);
    if (found && !is_last) {
        found.reset();
        return choose_from(group + 1, longer, pool, found);
    }
    return found.has_value();
}

NodeRanking* SplitSearch::least_ranking() {
    const SplitBounds& bounds = groups_.front().bounds;
    const bool is_told =
        groups_.size() == 1 && bounds.takes_less() && question_.rules.front().allow_all();
    return is_told ? &ranking(0, bounds.least_share()) : nullptr;
}

bool SplitSearch::takes_some(NodeId node) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const SplitBounds& bounds = groups_[g].bounds;
        if (!bounds.has_any()) continue;
        if (part_group(g, bounds.least_share(), 1).takes(question_.cluster, node)) return true;
        if (bounds.takes_less()) continue;
        // Any share may be the one that it can take.
        std::int64_t shares = 1;
        for (const SplitAmount& one : bounds.amounts()) {
            shares = saturating_product(shares, one.most - one.least + 1);
        }
        if (shares > shares_max) return true;
        Share share = bounds.least_share();
        for (std::int64_t i = 1; i < shares; ++i) {
            for (std::size_t at = share.size(); at-- > 0;) {
                if (++share[at] <= bounds.amounts()[at].most) break;
                share[at] = bounds.amounts()[at].least;
            }
            if (!question_.budget.spend()) return true;
            if (part_group(g, share, 1).takes(question_.cluster, node)) return true;
        }
    }
    return false;
}

std::int64_t SplitSearch::most_on(NodeId node) {
    const SplitBounds& bounds = groups_.front().bounds;
    if (groups_.size() != 1 || !bounds.takes_less()) return 0;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < bounds.amounts().size(); ++i) {
        std::int64_t low = bounds.amounts()[i].least;  // the node can take that
        std::int64_t high = bounds.amounts()[i].most + 1;
        while (high - low > 1) {
            const std::int64_t middle = low + (high - low) / 2;
            const PartGroup part = part_group(0, bounds.share_with(i, middle), 1);
            (part.takes(question_.cluster, node) ? low : high) = middle;
        }
        sum += low;
    }
    return sum;
}

}  // namespace trestle::detail
