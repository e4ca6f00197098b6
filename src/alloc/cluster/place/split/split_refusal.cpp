// SPDX-License-Identifier: Apache-2.0
// What SplitSearch says where no split serves a job: which amount is short, and what the nodes have
// room for.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/place/detail/refusals.hpp"
#include "alloc/cluster/place/split/split_search.hpp"
#include "base/counted_text.hpp"
#include "base/join.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::detail {

namespace {

constexpr std::int64_t named_nodes_max = 4;  ///< nodes that a refusal names

}  // namespace

std::optional<Refusal> SplitSearch::shortage(const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    if (groups_.size() != 1) return std::nullopt;
    if (!bounds.takes_less()) return too_little_free();
    for (std::size_t i = 0; i < bounds.amounts().size(); ++i) {
        const SplitAmount& one = bounds.amounts()[i];
        const bool is_never = one.least > one.most;
        if (is_never || able(i, one.least, pool) < bounds.nodes()) return too_few_able(i, pool);
        if (capacity(i, one.total_min, pool) < one.total_min) {
            return too_little(i, ablest(i, pool), pool);
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> SplitSearch::room(const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const auto amount = bounds.only_amount();
    if (groups_.size() != 1 || !amount || !bounds.takes_less() || !bounds.has_any()) {
        return std::nullopt;
    }
    const SplitAmount& one = bounds.amounts()[*amount];
    if (able(*amount, one.least, pool) < bounds.nodes()) return 0;
    return capacity(*amount, one.total_min, pool);
}

std::string SplitSearch::amount_asked() const {
    const SplitBounds& bounds = groups_.front().bounds;
    const std::size_t amount = bounds.only_amount().value_or(0);
    return fmt::format("{} {}", bounds.amounts()[amount].total_min, name_of(amount));
}

std::optional<Refusal> SplitSearch::amounts_apart() const {
    const SplitBounds& bounds = groups_.front().bounds;
    if (groups_.size() != 1 || !bounds.takes_less()) return std::nullopt;
    std::string all;
    std::size_t varying = 0;
    for (std::size_t i = 0; i < bounds.amounts().size(); ++i) {
        const SplitAmount& one = bounds.amounts()[i];
        if (!one.varies()) continue;
        all += fmt::format("{}{} {}", varying++ == 0 ? "" : " and ", one.total_min, name_of(i));
    }
    if (varying < 2) return std::nullopt;
    return Refusal{Constraint::nodes,
                   fmt::format("{} each fit on {} nodes, but not together", all, bounds.nodes())};
}

SplitSearch::Ablest SplitSearch::ablest(std::size_t amount, const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const SplitAmount& one = bounds.amounts()[amount];
    Ablest found;
    found.count = able(amount, one.least, pool);
    if (found.count == 0) return found;
    found.most = one.least;
    found.room = one.least * found.count;
    std::vector<std::int64_t> numbers{one.least};
    for (const Step& step :
         steps(amount, {one.least + 1, one.most + 1}, Count::max().value(), pool)) {
        found.room += step.nodes * (step.last - found.most);
        found.most = step.last;
        numbers.push_back(step.last);
    }
    const NodeSet& required = question_.required;
    const auto wanted =
        static_cast<std::size_t>(bounds.nodes() <= named_nodes_max ? found.count : 1);
    std::size_t places =  // for nodes that are not required
        std::min(wanted, static_cast<std::size_t>(bounds.nodes()) - required.count());
    NodeSet seen;
    for (std::size_t i = numbers.size(); i-- > 0 && found.named.size() < wanted;) {
        const PartGroup part = part_group(0, bounds.share_with(amount, numbers[i]), 1);
        const auto passes = [&](NodeId node) {
            return pool.contains(node) && !seen.contains(node) &&
                   part.takes(question_.cluster, node);
        };
        const auto add = [&](NodeId node) {
            seen.insert(node);
            found.named.emplace_back(node, numbers[i]);
        };
        for (const NodeId node : required) {
            if (passes(node)) add(node);
        }
        const auto is_other = [&](NodeId node) { return !required.contains(node) && passes(node); };
        for (const Candidate& candidate :
             part.ranking->best(question_.cluster, places, pool.candidates(), is_other)) {
            add(candidate.node);
            --places;
        }
    }
    return found;
}

Refusal SplitSearch::too_few_able(std::size_t amount, const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const SplitAmount& one = bounds.amounts()[amount];
    const Ablest nodes = ablest(amount, pool);
    // A node may have room for more than the others leave.
    const bool is_cut = nodes.most >= one.total_min - one.least * (bounds.nodes() - 1);
    // Where fewer nodes are allowed, they were tried with more each.
    const bool may_be_fewer = question_.cache.request(0).nodes.least() < Count(bounds.nodes());
    if (nodes.room > 0 && nodes.room < one.total_min && (may_be_fewer || !is_cut)) {
        return too_little(amount, nodes, pool);
    }
    RefusalCounts counts(question_.cluster);
    const NodeFilter none;
    counts.add(ranking(0, bounds.least_share()), question_.rules.front(),
               pool.filter ? *pool.filter : none);
    return counts.too_few(bounds.nodes());
}

std::string SplitSearch::others_than(const std::vector<std::pair<NodeId, std::int64_t>>& nodes,
                                     const NodePool& pool) const {
    const std::uint32_t all = question_.cluster.node_count();
    if (all > named_nodes_max || !pool.is_everything()) return "the other nodes";
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < all; ++i) {
        const bool is_listed = std::any_of(nodes.begin(), nodes.end(),
                                           [&](const auto& one) { return one.first == NodeId(i); });
        if (!is_listed) names.push_back(question_.cluster.name(NodeId(i)));
    }
    return listed(names);
}

std::optional<Refusal> SplitSearch::too_little_free() {
    const SplitBounds& bounds = groups_.front().bounds;
    const FreeAmounts& free = question_.cache.free_amounts(0, question_.cluster);
    for (std::size_t i = 0; i < bounds.amounts().size(); ++i) {
        const SplitAmount& one = bounds.amounts()[i];
        if (!one.varies() || one.least > one.most) continue;
        const std::int64_t room = free.most_on(i, bounds.nodes(), one.most);
        if (room >= one.total_min) continue;
        return Refusal{resource_of(i),
                       fmt::format("{} {}: {} nodes have room for at most {}", one.total_min,
                                   name_of(i), bounds.nodes(), room)};
    }
    return std::nullopt;
}

Refusal SplitSearch::too_little(std::size_t amount, const Ablest& nodes, const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const SplitAmount& one = bounds.amounts()[amount];
    const bool are_enough = nodes.count >= bounds.nodes();
    std::string why = fmt::format("{} {}: ", one.total_min, name_of(amount));
    if (bounds.nodes() <= named_nodes_max) {
        const char* words = " fit on ";
        for (const auto& [node, number] : nodes.named) {
            why += fmt::format("{}{}{}", number, words, question_.cluster.name(node));
            words = " on ";
            if (node != nodes.named.back().first) why += ", ";
        }
        if (!are_enough) why += ", 0 on " + others_than(nodes.named, pool);
    } else {
        why += fmt::format("{} fit on {}", nodes.room, counted_text(nodes.count, "node"));
    }
    // What keeps nodes from the least share, or from one more, beside the amount itself.
    const auto causes_of = [&](const Share& share) {
        RefusalCounts counts(question_.cluster);
        const NodeFilter none;
        counts.add(ranking(0, share), question_.rules.front(), pool.filter ? *pool.filter : none);
        return counts.sorted();
    };
    std::vector<Constraint> named{resource_of(amount)};
    const auto add = [&](const std::vector<RefusalCount>& causes) {
        for (const RefusalCount& cause : causes) {
            const Refusal& example = cause.example;
            if (std::find(named.begin(), named.end(), example.constraint) != named.end()) continue;
            named.push_back(example.constraint);
            const std::string& name = question_.cluster.name(cause.first);
            why += "; " + (example.reason.starts_with(name) ? "" : name + ": ") + example.reason;
        }
    };
    if (!are_enough) add(causes_of(bounds.least_share()));
    const auto& [ablest_node, its] = nodes.named.front();
    const Share one_more = bounds.share_with(amount, its + 1);
    if (const auto own = refusal_on(ablest_node, one_more)) {
        if (std::find(named.begin(), named.end(), own->constraint) == named.end()) {
            why += fmt::format("; one more on {}: {}", question_.cluster.name(ablest_node),
                               own->reason);
        }
        return Refusal{own->constraint, std::move(why)};
    }
    const auto causes = causes_of(one_more);
    add(causes);
    return Refusal{causes.empty() ? Constraint::nodes : causes.front().example.constraint,
                   std::move(why)};
}

std::optional<Refusal> SplitSearch::refusal_on(NodeId node, const Share& share) {
    NodeRanking& nodes = ranking(0, share);
    const StateId state = question_.cluster.states().of(node);
    if (!nodes.fits(state)) return nodes.refusal(question_.cluster, node);
    const NodeRules& rules = question_.rules.front();
    if (!rules.limits) return std::nullopt;
    return rules.limits->refuse(node, nodes.given(question_.cluster, state, node));
}

Constraint SplitSearch::resource_of(std::size_t amount) {
    return amount == 0 ? Constraint::cores : Constraint::devices;
}

std::string SplitSearch::name_of(std::size_t amount) const {
    if (amount == 0) return "tasks";
    for (const DeviceRequest& device : question_.cache.request(0).devices) {
        if (device.per == Per::job && --amount == 0) return device.name;
    }
    return {};
}

}  // namespace trestle::detail
