// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/mover_groups.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "alloc/schedule/detail/node_sets.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

namespace detail {

MoverGroups::MoverGroups(MoveTrials& trials, const std::vector<Mover>& movers,
                         const PreparedRequest& request, const NodeFilter& filter, bool are_alike)
    : trials_(trials), request_(request), filter_(filter) {
    if (!WantedNodes(*request, trials.cluster().node_count()).is_one()) {
        Movers all;
        for (const Mover& one : movers) all.push_back(&one);
        add(std::move(all));
        return;
    }
    const MoversByNode by_node(movers, trials.cluster().node_count());
    for (const MoversByNode::Here& here : by_node.nodes()) {
        if (!filter.passes(here.node)) continue;
        Movers all(here.movers.begin(), here.movers.end());
        if (are_alike) {
            add_like(here.node, std::move(all));
        } else {
            add(std::move(all));
        }
    }
}

bool MoverGroups::is_of_use(std::size_t group, std::size_t k) {
    const Movers& all = groups_[group].all;
    Kind& kind = kinds_[groups_[group].kind];
    if (!kind.is_enough) kind.is_enough = is_enough(all);
    if (!*kind.is_enough || kind.none_up_to >= k) return false;
    while (kind.asked < all.size() && kind.needed.size() <= k) {
        Movers but_one = all;
        but_one.erase(but_one.begin() + static_cast<std::ptrdiff_t>(kind.asked));
        (is_enough(but_one) ? kind.others : kind.needed).push_back(kind.asked++);
    }
    return kind.needed.size() <= k;
}

void MoverGroups::add(Movers all) {
    groups_.push_back({std::move(all), kinds_.size()});
    kinds_.emplace_back();
}

void MoverGroups::add_like(NodeId node, Movers all) {
    Parts parts;
    for (const Mover* one : all) {
        if (one->held.placement.nodes.size() != 1) return add(std::move(all));
        parts.push_back(one->held.placement.nodes.front());
        parts.back().node = NodeId();
    }
    const Cluster& cluster = trials_.cluster();
    HashState hash;
    hash_into(hash, parts);
    auto& known = like_[{cluster.states().of(node), cluster.owners_on(node).size(), hash.result()}];
    const auto at = std::find_if(known.begin(), known.end(),
                                 [&](const auto& one) { return one.first == parts; });
    if (at != known.end()) {
        groups_.push_back({std::move(all), at->second});
    } else {
        known.emplace_back(std::move(parts), kinds_.size());
        add(std::move(all));
    }
}

MoverGroups::Movers MoverGroups::those(std::size_t group,
                                       const std::vector<std::size_t>& positions) const {
    Movers movers;
    for (const std::size_t one : positions) movers.push_back(groups_[group].all[one]);
    return movers;
}

}  // namespace detail

}  // namespace trestle
