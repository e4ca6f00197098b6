// SPDX-License-Identifier: Apache-2.0
#include "node_state_words.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trestle::slurm::live {
namespace {

constexpr std::pair<std::string_view, NodeState> known_words[] = {
    {"IDLE", NodeState::up},
    {"MIXED", NodeState::up},
    {"ALLOCATED", NodeState::up},
    {"COMPLETING", NodeState::up},
    {"PLANNED", NodeState::up},
    {"RESERVED", NodeState::up},
    {"CLOUD", NodeState::up},
    {"DYNAMIC_NORM", NodeState::up},
    {"DYNAMIC_FUTURE", NodeState::up},
    {"POWERED_DOWN", NodeState::up},  // it is started for a job
    {"POWERING_UP", NodeState::up},
    {"POWER_UP", NodeState::up},
    {"DRAIN", NodeState::drained},
    {"DRAINED", NodeState::drained},
    {"DRAINING", NodeState::drained},
    {"FAIL", NodeState::drained},
    {"FAILING", NodeState::drained},
    {"MAINTENANCE", NodeState::drained},
    {"MAINT", NodeState::drained},
    {"BLOCKED", NodeState::drained},
    {"POWERING_DOWN", NodeState::drained},
    {"POWER_DOWN", NodeState::drained},
    {"POWER_DRAIN", NodeState::drained},
    {"REBOOT_REQUESTED", NodeState::drained},
    {"REBOOT_ISSUED", NodeState::drained},
    {"INVALID_REG", NodeState::drained},
    {"DOWN", NodeState::down},
    {"ERROR", NodeState::down},
    {"FUTURE", NodeState::down},
    {"UNKNOWN", NodeState::down},
    {"NOT_RESPONDING", NodeState::down},
    {"NO_RESPOND", NodeState::down},
};

std::string upper_case(std::string_view text) {
    std::string upper(text);
    std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return upper;
}

}  // namespace

std::optional<NodeState> node_state_of(const std::vector<std::string>& words) {
    if (words.empty()) return std::nullopt;
    NodeState worst = NodeState::up;
    for (const std::string& word : words) {
        const std::string upper = upper_case(word);
        const auto* const known = std::find_if(std::begin(known_words), std::end(known_words),
                                               [&](const auto& one) { return one.first == upper; });
        if (known == std::end(known_words)) return std::nullopt;
        worst = std::max(worst, known->second);
    }
    return worst;
}

std::vector<std::string> state_words(const std::string& text) {
    constexpr std::pair<char, std::string_view> signs[] = {
        {'*', "NOT_RESPONDING"}, {'~', "POWERED_DOWN"}, {'#', "POWERING_UP"},
        {'%', "POWERING_DOWN"},  {'$', "MAINTENANCE"},  {'@', "REBOOT_ISSUED"},
        {'^', "REBOOT_ISSUED"},  {'!', "POWER_DOWN"},   {'-', "PLANNED"}};
    std::vector<std::string> words;
    std::size_t first = 0;
    while (first < text.size()) {
        const std::size_t end = std::min(text.find('+', first), text.size());
        std::string word = text.substr(first, end - first);
        first = end + 1;
        while (!word.empty()) {
            const auto* const sign =
                std::find_if(std::begin(signs), std::end(signs),
                             [&](const auto& one) { return one.first == word.back(); });
            if (sign == std::end(signs)) break;
            words.emplace_back(sign->second);
            word.pop_back();
        }
        words.push_back(std::move(word));
    }
    return words;
}

std::string state_text(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : "+") + upper_case(word);
    return text;
}

}  // namespace trestle::slurm::live
