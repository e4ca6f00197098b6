// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/split/split_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/place/detail/refusals.hpp"
#include "alloc/cluster/place/job_groups.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::detail {

namespace {

constexpr std::uint64_t steps_of_part = 8;  ///< a part that is served costs as much as so many
constexpr std::int64_t named_max = 4;       ///< nodes that a refusal names

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

SplitSearch::Found SplitSearch::choose(const NodePool& pool) {
    const bool is_possible = std::all_of(groups_.begin(), groups_.end(),
                                         [](const Group& one) { return one.bounds.has_any(); });
    if (!is_possible) return std::nullopt;
    const SplitBounds& bounds = groups_.front().bounds;
    const auto amount = bounds.only_amount();
    if (groups_.size() == 1 && amount && bounds.takes_less()) {
        const auto split = level_split(*amount, pool);
        if (!split) return std::nullopt;
        if (auto found = serve(parts_of(0, *split), question_.required, pool)) return found;
        if (is_nested()) return std::nullopt;
    }
    Found found;
    if (!may_be_served(pool)) return found;
    const bool is_found = choose_from(0, {}, pool, found);
    has_given_up_ |= !is_found && question_.budget.left == 0;
    return found;
}

bool SplitSearch::has_given_up() const {
    return has_given_up_ || std::any_of(groups_.begin(), groups_.end(), [&](const Group& group) {
               return std::any_of(
                   group.rankings.begin(), group.rankings.end(),
                   [&](const auto& one) { return one.second->has_given_up(question_.cluster); });
           });
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
    return {&ranking(group, share), count, &question_.rules[group]};
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
                         static_cast<std::size_t>(one.count), &question_.rules[group]});
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
        return pool.contains(node) && !question_.required.contains(node) &&
               part.takes(question_.cluster, node);
    };
    return count +
           static_cast<std::int64_t>(part.ranking
                                         ->best(question_.cluster, static_cast<std::size_t>(others),
                                                pool.candidates(), passes)
                                         .size());
}

std::optional<Split> SplitSearch::level_split(std::size_t amount, const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const SplitAmount& one = bounds.amounts()[amount];
    if (able(amount, one.least, pool) < bounds.nodes()) return std::nullopt;
    std::int64_t total = std::max(one.total_min, one.least * bounds.nodes());
    if (one.prefers_most && total < one.total_max) total = capacity(amount, one.total_max, pool);
    if (total < one.total_min || total > one.total_max) return std::nullopt;
    const auto levels =
        bounds.is_packed() ? packed_levels(amount, total, pool) : even_levels(amount, total, pool);
    if (!levels) return std::nullopt;
    Split split;
    std::int64_t above = 0;
    for (std::size_t i = levels->nodes.size(); i-- > 0;) {
        const std::int64_t here = levels->nodes[i] - above;
        above = levels->nodes[i];
        if (here == 0) continue;
        const std::int64_t number = levels->least + static_cast<std::int64_t>(i);
        split.push_back({bounds.share_with(amount, number), here});
    }
    return split;
}

std::optional<SplitSearch::Levels> SplitSearch::even_levels(std::size_t amount, std::int64_t total,
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
    Levels levels{low, {nodes}};
    std::int64_t left = total - low * nodes;
    for (std::int64_t number = low + 1; left > 0; ++number) {
        const std::int64_t here = number > one.most ? 0 : able(amount, number, pool);
        if (here == 0) return std::nullopt;
        levels.add(std::min({here, left, levels.nodes.back()}));
        left -= levels.nodes.back();
    }
    return levels;
}

std::optional<SplitSearch::Levels> SplitSearch::packed_levels(std::size_t amount,
                                                              std::int64_t total,
                                                              const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const SplitAmount& one = bounds.amounts()[amount];
    Levels levels{one.least, {bounds.nodes()}};
    std::vector<std::int64_t> able_to;  // by number from the least on
    std::int64_t most = total - one.least * (bounds.nodes() - 1);
    std::int64_t all = 0;
    for (std::int64_t number = one.least; number <= std::min(one.most, most); ++number) {
        const std::int64_t here = able(amount, number, pool);
        if (here == 0) break;
        able_to.push_back(here);
        all += number == one.least ? here * one.least : here;
    }
    if (all < total) return std::nullopt;
    // The i-th node has as much as the i-th best can take, but leaves the least for the others.
    std::int64_t left = total - one.least * bounds.nodes();
    std::vector<std::int64_t> more(able_to.size(), 0);  // nodes that have so many above the least
    for (std::int64_t i = 1; left > 0; ++i) {
        std::size_t best = 0;
        while (best + 1 < able_to.size() && able_to[best + 1] >= i) ++best;
        const std::size_t taken = std::min(best, static_cast<std::size_t>(left));
        for (std::size_t step = 1; step <= taken; ++step) ++more[step];
        left -= static_cast<std::int64_t>(taken);
    }
    for (std::size_t step = 1; step < more.size() && more[step] > 0; ++step) levels.add(more[step]);
    return levels;
}

std::int64_t SplitSearch::capacity(std::size_t amount, std::int64_t most, const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const SplitAmount& one = bounds.amounts()[amount];
    std::int64_t sum = one.least * bounds.nodes();
    for (std::int64_t number = one.least + 1; number <= one.most && sum < most; ++number) {
        const std::int64_t here = able(amount, number, pool);
        if (here == 0) break;
        sum += here;
    }
    return std::min(sum, most);
}

SplitSearch::Found SplitSearch::serve(std::vector<PartGroup> parts, const NodeSet& required,
                                      const NodePool& pool) {
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
    if (is_even_listed && try_parts(group, before, even_parts(group), true, pool, found)) {
        return true;
    }
    if (!one.is_uneven) return false;
    const auto able_to = [&](const Share& share) { return able(group, share, pool); };
    const auto visit = [&](const Split& split) {
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
    found = serve(longer.parts, longer.required, pool);
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
        Share share = bounds.least_share();
        const auto next = [&] {  // any share may be the one that it can take
            for (std::size_t i = share.size(); i-- > 0;) {
                if (++share[i] <= bounds.amounts()[i].most) return true;
                share[i] = bounds.amounts()[i].least;
            }
            return false;
        };
        do {
            if (part_group(g, share, 1).takes(question_.cluster, node)) return true;
        } while (!bounds.takes_less() && next() && question_.budget.spend());
    }
    return false;
}

std::vector<std::pair<NodeId, std::int64_t>> SplitSearch::ablest(std::size_t amount,
                                                                 const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const SplitAmount& one = bounds.amounts()[amount];
    const auto nodes = static_cast<std::size_t>(bounds.nodes());
    std::int64_t number = one.least;
    while (number < one.most && able(amount, number + 1, pool) > 0) ++number;
    std::vector<std::pair<NodeId, std::int64_t>> found;
    NodeSet seen;
    std::size_t places = nodes - question_.required.count();  // for nodes that are not required
    for (; number >= one.least && found.size() < nodes; --number) {
        const PartGroup part = part_group(0, bounds.share_with(amount, number), 1);
        const auto add = [&](NodeId node) {
            seen.insert(node);
            found.emplace_back(node, number);
        };
        for (const NodeId node : question_.required) {
            if (!seen.contains(node) && part.takes(question_.cluster, node)) add(node);
        }
        const auto passes = [&](NodeId node) {
            return pool.contains(node) && !question_.required.contains(node) &&
                   !seen.contains(node) && part.takes(question_.cluster, node);
        };
        for (const Candidate& candidate :
             part.ranking->best(question_.cluster, places, pool.candidates(), passes)) {
            add(candidate.node);
            --places;
        }
    }
    return found;
}

std::optional<Refusal> SplitSearch::why_not(const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const auto amount = bounds.only_amount();
    if (groups_.size() != 1 || !amount || !bounds.takes_less()) return std::nullopt;
    const SplitAmount& one = bounds.amounts()[*amount];
    if (able(*amount, one.least, pool) < bounds.nodes()) return std::nullopt;
    const std::int64_t room = capacity(*amount, one.total_min, pool);
    if (room >= one.total_min) return std::nullopt;
    const auto nodes = ablest(*amount, pool);
    std::string why = fmt::format("{} {}: ", one.total_min, name_of(*amount));
    if (bounds.nodes() <= named_max) {
        const char* words = " fit on ";
        for (const auto& [node, number] : nodes) {
            why += fmt::format("{}{}{}", number, words, question_.cluster.name(node));
            words = " on ";
            if (node != nodes.back().first) why += ", ";
        }
    } else {
        why += fmt::format("{} fit on {} nodes", room, bounds.nodes());
    }
    RefusalCounts counts(question_.cluster);
    const NodeFilter none;
    counts.add(ranking(0, bounds.share_with(*amount, nodes.front().second + 1)),
               question_.rules.front(), pool.filter ? *pool.filter : none);
    const auto most = counts.most_frequent();
    const bool is_told = most && counts.fitting() == 0;
    return Refusal{is_told ? most->constraint : Constraint::nodes, std::move(why)};
}

std::string SplitSearch::name_of(std::size_t amount) const {
    if (amount == 0) return "tasks";
    for (const DeviceRequest& device : question_.cache.request(0).devices) {
        if (device.per == Per::job && --amount == 0) return device.name;
    }
    return {};
}

}  // namespace trestle::detail
