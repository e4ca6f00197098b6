// SPDX-License-Identifier: Apache-2.0
#include "switches.hpp"

#include <algorithm>

#include "model/topologies.hpp"
#include "model/topology/levels.hpp"

namespace trestle::slurm::choice {

std::vector<Places> runs_of_places(const std::vector<Place>& rising) {
    std::vector<Places> runs;
    for (const Place place : rising) {
        if (runs.empty() || runs.back().end != place) runs.push_back({place, place});
        ++runs.back().end;
    }
    return runs;
}

SwitchTree::SwitchTree(const TreeTopology& tree, const std::vector<Place>& place_of) {
    const std::vector<std::uint32_t> heights = heights_of(tree);
    for (std::uint32_t s = 0; s < tree.switches.size(); ++s) {
        ViewSwitch& one = switches_.emplace_back();
        one.level = heights[s];
        if (const auto& parent = tree.switches[s].parent) one.parent = parent->value();
        std::vector<Place> places;
        for (const NodeId node : nodes_below(tree, TreeTopology::SwitchId(s))) {
            places.push_back(place_of[node.value()]);
        }
        std::sort(places.begin(), places.end());
        one.places = runs_of_places(places);
    }
    index(place_of.size());
}

void SwitchTree::index(std::size_t place_count) {
    const auto for_each_place = [&](const auto& visit) {
        for (std::uint32_t s = 0; s < switches_.size(); ++s) {
            for (const Places& run : switches_[s].places) {
                for (Place place = run.first; place < run.end; ++place) visit(place, s);
            }
        }
    };
    first_above_.assign(place_count + 1, 0);
    for_each_place([&](Place place, std::uint32_t) { ++first_above_[place + 1]; });
    for (std::size_t i = 0; i < place_count; ++i) first_above_[i + 1] += first_above_[i];
    above_.resize(first_above_.back());
    std::vector<std::uint32_t> next = first_above_;
    for_each_place([&](Place place, std::uint32_t s) { above_[next[place]++] = s; });
}

bool SwitchTree::is_below(Place place, std::size_t i) const {
    const auto all = above(place);
    return std::binary_search(all.begin(), all.end(), i);
}

std::vector<Number> SwitchTree::distances(std::size_t leaf) const {
    constexpr Number far = Number{1} << 20;
    constexpr Number unknown = -1;
    std::vector<Number> up(size(), unknown);  // edges from the leaf to what it is below
    Number steps = 0;
    for (std::optional<std::size_t> at = leaf; at; at = switches_[*at].parent) up[*at] = steps++;
    std::vector<Number> result(size(), 0);
    for (std::size_t other = 0; other < size(); ++other) {
        if (!is_leaf(other)) continue;
        std::optional<std::size_t> at = other;
        for (steps = 0; at && up[*at] == unknown; at = switches_[*at].parent) ++steps;
        result[other] = at ? steps + up[*at] : far;
    }
    return result;
}

}  // namespace trestle::slurm::choice
