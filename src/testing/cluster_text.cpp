// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/cluster_text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "testing/detail/cluster_spec.hpp"
#include "testing/detail/node_lines.hpp"
#include "testing/detail/sizes.hpp"
#include "trestle/base/status.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {

namespace testing {

namespace detail {

namespace {

constexpr std::uint32_t nodes_max = 1u << 20;

/// `4 per switch`, `8 per pod` or `2 per block`, if a number comes next.
std::optional<TextError> read_network(TextCursor& text, GroupSpec& group) {
    const TextCursor begin = text;
    while (text.peek() >= '0' && text.peek() <= '9') {
        const auto count = read_count(text, {1, nodes_max + 1});
        if (!count) return count.error();
        text.skip_blanks();
        const TextCursor start = text;
        std::uint32_t* target = nullptr;
        if (text.accept("per")) {
            text.skip_blanks();
            if (text.accept("switch")) target = &group.per_switch;
            if (text.accept("pod")) target = &group.per_pod;
            if (text.accept("block")) target = &group.per_block;
        }
        if (target == nullptr)
            return start.error("unknown words", "per switch, per pod or per block");
        if (*target != 0) return start.error("given twice", "each once");
        *target = *count;
        text.skip_blanks();
    }
    if (group.per_pod != 0 && (group.per_switch == 0 || group.per_pod % group.per_switch != 0)) {
        return begin.error("pods that are not made of switches",
                           "a multiple of the nodes per switch");
    }
    return {};
}

TextResult<GroupSpec> read_group(TextCursor& text) {
    GroupSpec group;
    if (text.peek() != '(') {
        const TextCursor start = text;
        const auto count = text.take_number();
        text.skip_blanks();
        if (!count || *count == 0 || *count > nodes_max || !text.accept('x')) {
            return start.error("not a group",
                               "NODES x (NODE) with at most 1048576 nodes, or (NODE)");
        }
        group.count = static_cast<std::uint32_t>(*count);
        group.is_numbered = true;
        text.skip_blanks();
    }
    if (!text.accept('(')) return text.error("no node", "a node in brackets, as (2s16c2t gpu:4)");
    const std::size_t offset = text.offset();
    const std::string_view node_text = text.take_until(")");
    if (!text.accept(')')) return text.error("not closed", ")");
    const auto node = parse_node(TextCursor(node_text, offset));
    if (!node) return node.error();
    group.node = *node;
    text.skip_blanks();
    if (auto error = read_network(text, group)) return *std::move(error);
    return group;
}

}  // namespace

TextResult<std::vector<GroupSpec>> parse_cluster_spec(TextCursor text) {
    std::vector<GroupSpec> groups;
    std::uint64_t nodes = 0;
    do {
        text.skip_blanks();
        const TextCursor start = text;
        const auto group = read_group(text);
        if (!group) return group.error();
        groups.push_back(*group);
        nodes += group->count;
        if (nodes > nodes_max) return start.error("too many nodes", "at most 1048576 in all");
    } while (text.accept(';') || text.accept('+'));
    if (!text.at_end()) return text.error("unexpected", "; or + and another group, or the end");
    return groups;
}

}  // namespace detail

StatusOr<ClusterParts> cluster_parts_from_text(std::string_view text) {
    const auto groups = detail::parse_cluster_spec(TextCursor(text));
    if (!groups) return to_status("cluster", groups.error());
    return detail::to_parts(*groups);
}

StatusOr<Cluster> cluster_from_text(std::string_view text) {
    TRESTLE_TRY(auto parts, cluster_parts_from_text(text));
    return Cluster::create(std::move(parts));
}

std::optional<std::string> cluster_to_text(const ClusterParts& parts) {
    const auto groups = detail::groups_of(parts);
    if (!groups) return std::nullopt;
    std::string text;
    for (const detail::GroupSpec& group : *groups) {
        if (!text.empty()) text += "; ";
        if (group.is_numbered) text += std::to_string(group.count) + " x ";
        text += "(" + detail::node_line(group.node) + ")";
        if (group.per_switch != 0) text += " " + std::to_string(group.per_switch) + " per switch";
        if (group.per_pod != 0) text += " " + std::to_string(group.per_pod) + " per pod";
        if (group.per_block != 0) text += " " + std::to_string(group.per_block) + " per block";
    }
    const auto again = cluster_parts_from_text(text);
    if (!again.ok() || *again != parts) return std::nullopt;
    return text;
}

}  // namespace testing

}  // namespace trestle
