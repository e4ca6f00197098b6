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
        const std::int64_t room = capacity(i, one.total_min, pool);
        if (room < one.total_min) return too_little(i, room, ablest(i, pool), pool);
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

Refusal SplitSearch::too_few_able(std::size_t amount, const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const SplitAmount& one = bounds.amounts()[amount];
    std::int64_t room = 0;
    const std::int64_t beside = one.total_min - one.least * (bounds.nodes() - 1);
    bool is_cut = false;  // a node may have room for more than the others leave
    const auto nodes = ablest(amount, pool);
    for (const auto& [node, number] : nodes) {
        room += number;
        is_cut |= number >= beside;
    }
    // Where fewer nodes are allowed, they were tried with more each.
    const bool may_be_fewer = question_.cache.request(0).nodes.least() < Count(bounds.nodes());
    if (room > 0 && room < one.total_min && (may_be_fewer || !is_cut))
        return too_little(amount, room, nodes, pool);
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

Refusal SplitSearch::too_little(std::size_t amount, std::int64_t room,
                                const std::vector<std::pair<NodeId, std::int64_t>>& nodes,
                                const NodePool& pool) {
    const SplitBounds& bounds = groups_.front().bounds;
    const SplitAmount& one = bounds.amounts()[amount];
    std::string why = fmt::format("{} {}: ", one.total_min, name_of(amount));
    if (bounds.nodes() <= named_nodes_max) {
        const char* words = " fit on ";
        for (const auto& [node, number] : nodes) {
            why += fmt::format("{}{}{}", number, words, question_.cluster.name(node));
            words = " on ";
            if (node != nodes.back().first) why += ", ";
        }
        const bool are_all = static_cast<std::int64_t>(nodes.size()) >= bounds.nodes();
        if (!are_all) why += ", 0 on " + others_than(nodes, pool);
    } else {
        why += fmt::format("{} fit on {}", room,
                           counted_text(static_cast<std::int64_t>(nodes.size()), "node"));
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
    const bool are_enough = static_cast<std::int64_t>(nodes.size()) >= bounds.nodes();
    if (!are_enough) add(causes_of(bounds.least_share()));
    const auto& [ablest_node, its] = nodes.front();
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
