// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/cycle.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace trestle {

namespace detail {

std::vector<std::size_t> find_cycle(const Links& links) {
    std::vector<std::size_t> next(links.size(), no_node);  // the link to follow
    std::vector<std::size_t> way;                          // from the root to where we are
    std::vector<bool> is_on_way(links.size());
    const auto enter = [&](std::size_t node) {
        next[node] = links.begin_of(node);
        way.push_back(node);
        is_on_way[node] = true;
    };
    for (std::size_t root = 0; root < links.size(); ++root) {
        if (next[root] == no_node) enter(root);
        while (!way.empty()) {
            const std::size_t node = way.back();
            if (next[node] == links.ends[node]) {
                is_on_way[node] = false;
                way.pop_back();
                continue;
            }
            const std::size_t target = links.targets[next[node]++];
            if (next[target] == no_node) {
                enter(target);
            } else if (is_on_way[target]) {
                way.erase(way.begin(), std::find(way.begin(), way.end(), target));
                std::rotate(way.begin(), std::min_element(way.begin(), way.end()), way.end());
                return way;
            }
        }
    }
    return {};
}

std::vector<bool> stuck_nodes(const Links& links, const std::vector<bool>& needs_one) {
    Links back;  // the nodes that lead to each
    back.ends.assign(links.size() + 1, 0);
    for (const std::size_t target : links.targets) ++back.ends[target + 1];
    for (std::size_t i = 1; i < back.ends.size(); ++i) back.ends[i] += back.ends[i - 1];
    back.targets.resize(links.targets.size());
    std::vector<std::size_t> awaited(links.size());
    std::vector<std::size_t> gone;
    for (std::size_t node = 0; node < links.size(); ++node) {
        for (const std::size_t target : links.of(node)) back.targets[back.ends[target]++] = node;
        awaited[node] = needs_one[node] ? 1 : links.of(node).size();
        if (awaited[node] == 0) gone.push_back(node);
    }
    std::vector<bool> is_stuck(links.size(), true);
    while (!gone.empty()) {
        const std::size_t node = gone.back();
        gone.pop_back();
        is_stuck[node] = false;
        for (const std::size_t from : back.of(node)) {
            if (awaited[from] != 0 && --awaited[from] == 0) gone.push_back(from);
        }
    }
    return is_stuck;
}

std::vector<std::size_t> cycle_numbers(const Links& links, const std::vector<bool>& among) {
    // Tarjan: nodes in the order in which they are seen, and how far back each leads.
    std::vector<std::size_t> numbers(links.size(), no_node);
    std::vector<std::size_t> seen(links.size(), no_node);
    std::vector<std::size_t> back(links.size());
    std::vector<std::size_t> next(links.size());
    std::vector<std::size_t> way;
    std::vector<std::size_t> open;  // seen, and not yet known to lead back or not
    std::vector<bool> is_open(links.size());
    std::size_t count = 0;
    const auto enter = [&](std::size_t node) {
        seen[node] = back[node] = count++;
        next[node] = links.begin_of(node);
        way.push_back(node);
        open.push_back(node);
        is_open[node] = true;
    };
    const auto close = [&](std::size_t first) {
        const auto at = std::find(open.rbegin(), open.rend(), first).base() - 1;
        const auto targets = links.of(first);
        const bool is_cycle = open.end() - at > 1 ||
                              std::find(targets.begin(), targets.end(), first) != targets.end();
        for (auto one = at; one != open.end(); ++one) {
            is_open[*one] = false;
            if (is_cycle) numbers[*one] = first;
        }
        open.erase(at, open.end());
    };
    for (std::size_t root = 0; root < links.size(); ++root) {
        if (among[root] && seen[root] == no_node) enter(root);
        while (!way.empty()) {
            const std::size_t node = way.back();
            if (next[node] == links.ends[node]) {
                way.pop_back();
                if (back[node] == seen[node]) close(node);
                if (!way.empty()) back[way.back()] = std::min(back[way.back()], back[node]);
                continue;
            }
            const std::size_t target = links.targets[next[node]++];
            if (!among[target]) continue;
            if (seen[target] == no_node) {
                enter(target);
            } else if (is_open[target]) {
                back[node] = std::min(back[node], seen[target]);
            }
        }
    }
    return numbers;
}

}  // namespace detail

}  // namespace trestle
