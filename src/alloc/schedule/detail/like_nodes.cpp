// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/like_nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/cluster/states/node_states.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

namespace detail {

std::optional<LikeNodes::Known> LikeNodes::find(std::size_t node) {
    const std::span<const std::size_t> here = nodes_[node].positions;
    for (const Answer& answer : answers_of(node)) {
        Known known{answer.whole, std::nullopt};
        if (answer.ranks) {
            Positions ended;
            for (const std::size_t rank : *answer.ranks) ended.push_back(here[rank]);
            known.found.emplace(victims_, std::move(ended));
            return known;
        }
        if (stands_behind(node, answer.node)) return known;
    }
    return std::nullopt;
}

void LikeNodes::add(std::size_t node, TrialAnswer whole, const std::optional<EndedSet>& found) {
    Answer answer{node, whole, std::nullopt};
    if (found) {
        const std::span<const std::size_t> here = nodes_[node].positions;
        answer.ranks.emplace();
        for (const std::size_t position : found->positions) {
            const auto at = std::lower_bound(here.begin(), here.end(), position);
            answer.ranks->push_back(static_cast<std::size_t>(at - here.begin()));
        }
    }
    std::vector<Answer>& answers = answers_of(node);
    if (!answer.ranks) {
        std::erase_if(answers, [&](const Answer& one) {
            return !one.ranks && stands_behind(one.node, node);
        });
    }
    if (answers.size() >= answers_max) answers.erase(answers.begin());
    answers.push_back(std::move(answer));
}

void LikeNodes::forget_answers() {
    for (auto& [key, kinds] : kinds_) {
        for (Kind& one : kinds) one.answers.clear();
    }
}

bool LikeNodes::stands_behind(std::size_t a, std::size_t b) const {
    const std::span<const std::size_t> here = nodes_[a].positions;
    return std::equal(here.begin(), here.end(), nodes_[b].positions.begin(),
                      [](std::size_t one, std::size_t other) { return other <= one; });
}

std::vector<LikeNodes::Answer>& LikeNodes::answers_of(std::size_t node) {
    const VictimNode& one = nodes_[node];
    Key key{cluster_.states().of(one.node), cluster_.owners_on(one.node).size(), {}, {}};
    HashState parts;
    for (const NodePlacement* const part : one.parts) {
        NodePlacement anywhere = *part;
        anywhere.node = {};
        hash_into(parts, anywhere);
    }
    std::get<3>(key) = parts.result();
    for (const std::size_t victim : one.positions) {
        std::get<2>(key).push_back(victims_[victim].cost);
    }
    std::vector<Kind>& kinds = kinds_[std::move(key)];
    auto at = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) {
        return have_like_parts(nodes_[kind.first], one);
    });
    if (at == kinds.end()) at = kinds.insert(at, {node, {}});
    return at->answers;
}

bool LikeNodes::have_like_parts(const VictimNode& a, const VictimNode& b) {
    return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
                      [&](const NodePlacement* of_a, const NodePlacement* of_b) {
                          NodePlacement part = *of_a;
                          part.node = b.node;
                          return part == *of_b;
                      });
}

}  // namespace detail

}  // namespace trestle
