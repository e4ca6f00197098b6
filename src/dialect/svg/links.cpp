// SPDX-License-Identifier: Apache-2.0
#include "links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "style.hpp"

namespace trestle::svg {
namespace {

constexpr int end_width = 44;  // at least, on a line with others
constexpr int end_width_max = 80;
constexpr int end_width_min = 16;
constexpr int end_height = 16;
constexpr int end_gap = 6;
constexpr int stem = 8;  // from an end to the bar
constexpr int bar_height = 18;
constexpr std::size_t arcs_max = 64;  // more are no picture but a cloud

/// Groups that stand in one line, side by side.
using Line = std::vector<const LinkGroup*>;

[[nodiscard]] bool is_bar(const LinkGroup& group) {
    return group.links.size() > arcs_max || (group.devices.size() > 2 && group.is_uniform());
}

[[nodiscard]] bool is_labelled(const LinkGroup& group) { return group.links.size() <= 8; }

[[nodiscard]] std::pair<std::uint32_t, std::uint32_t> strengths(const LinkGroup& group) {
    const auto weaker = [](const DeviceLink& a, const DeviceLink& b) {
        return a.strength < b.strength;
    };
    const auto [least, most] = std::minmax_element(group.links.begin(), group.links.end(), weaker);
    return {least->strength, most->strength};
}

/// The devices, and below them what they are all connected to.
int draw_bar(Canvas& out, Point at, int width, const LinkScene& scene, const LinkGroup& group) {
    const auto [least, most] = strengths(group);
    const std::string names = devices_words(scene.shape, group.devices);
    const std::string words = group.is_uniform()
                                  ? fmt::format("{}: all linked, strength {}", names, least)
                                  : fmt::format("{}: {} links, strengths {} to {}", names,
                                                group.links.size(), least, most);
    const Grid grid = Grid::in(width, group.devices.size(), {end_width_min, 1 << 20, end_gap});
    const bool has_ends = grid.columns == group.devices.size();
    const Rect bar{at.x, at.y + (has_ends ? end_height + stem : 0), width, bar_height};
    out.begin_group(words);
    for (std::size_t i = 0; has_ends && i < group.devices.size(); ++i) {
        const Rect end = grid.cell(at, end_height, i);
        out.path(fmt::format("M{} {}v{}", end.x + end.width / 2, end.y + end_height, stem),
                 {.stroke = style::taken_line, .thickness = 3});
        scene.cells.link_end(out, end, group.devices[i]);
    }
    out.rect(bar, {.fill = style::paper, .stroke = style::taken_line, .radius = bar_height / 2});
    out.text({bar.x + width / 2, bar.y + 13}, words,
             {.size = 10, .fill = style::muted, .anchor = Anchor::middle, .room = width - 20});
    out.end_group();
    return bar.y + bar_height - at.y;
}

[[nodiscard]] int depth_of(std::size_t distance) {
    return 10 + 8 * static_cast<int>(std::min<std::size_t>(distance, 8));
}

/// One arc below the two ends, whose middles are at `from` and `to`. Returns how deep it hangs.
int draw_arc(Canvas& out, Point from, Point to, int depth, int thickness) {
    out.path(fmt::format("M{} {}C{} {} {} {} {} {}", from.x, from.y, from.x, from.y + depth, to.x,
                         to.y + depth, to.x, to.y),
             {.stroke = style::taken_line, .thickness = thickness});
    return depth * 3 / 4;
}

int draw_arcs(Canvas& out, const std::vector<Rect>& ends, const LinkScene& scene,
              const LinkGroup& group) {
    const auto place_of = [&](DeviceId device) {
        return static_cast<std::size_t>(
            std::find(group.devices.begin(), group.devices.end(), device) - group.devices.begin());
    };
    const std::uint32_t most = strengths(group).second;
    Canvas labels;
    int height = 0;
    for (const DeviceLink& link : group.links) {
        const std::size_t a = place_of(link.a);
        const std::size_t b = place_of(link.b);
        const Point from{ends[a].x + ends[a].width / 2, ends[a].y + end_height};
        const Point to{ends[b].x + ends[b].width / 2, ends[b].y + end_height};
        const int thickness = 1 + static_cast<int>(std::uint64_t{2} * link.strength / most);
        out.begin_group(fmt::format(
            "link {} to {}, strength {}", device_words(scene.shape.devices[link.a.value()]),
            device_words(scene.shape.devices[link.b.value()]), link.strength));
        const int deep = draw_arc(out, from, to, depth_of(b - a), thickness);
        out.end_group();
        height = std::max(height, deep + thickness);
        if (!is_labelled(group)) continue;
        const std::string text = std::to_string(link.strength);
        const int room = 8 + 6 * static_cast<int>(text.size());
        const Point middle{(from.x + to.x) / 2, from.y + deep};
        labels.rect({middle.x - room / 2, middle.y - 6, room, 12},
                    {.fill = style::paper, .radius = 6});
        labels.text({middle.x, middle.y + 4}, text,
                    {.size = 9, .fill = style::muted, .anchor = Anchor::middle});
        height = std::max(height, deep + 6);
    }
    out.append(labels);
    return height;
}

/// What thickness means, where the arcs are too many for numbers.
int draw_scale(Canvas& out, Point at, int width, const Line& line) {
    std::uint32_t least = UINT32_MAX;
    std::uint32_t most = 0;
    for (const LinkGroup* group : line) {
        if (is_labelled(*group)) continue;
        const auto [weak, strong] = strengths(*group);
        least = std::min(least, weak);
        most = std::max(most, strong);
    }
    if (most == 0) return 0;
    out.text({at.x, at.y + 14},
             least == most ? fmt::format("each of strength {}", least)
                           : fmt::format("strength {} to {}: thicker is stronger", least, most),
             {.size = 10, .fill = style::muted, .room = width});
    return 16;
}

int draw_line(Canvas& out, Point at, int width, const LinkScene& scene, const Line& line) {
    std::size_t count = 0;
    for (const LinkGroup* group : line) count += group->devices.size();
    const Grid grid = Grid::in(width, count, {1, end_width_max, end_gap});
    std::size_t i = 0;
    int height = 0;
    for (const LinkGroup* group : line) {
        std::vector<Rect> ends;
        for (const DeviceId device : group->devices) {
            ends.push_back(grid.cell(at, end_height, i++));
            scene.cells.link_end(out, ends.back(), device);
        }
        height = std::max(height, draw_arcs(out, ends, scene, *group));
    }
    return end_height + height + draw_scale(out, {at.x, at.y + end_height + height}, width, line);
}

/// The groups drawn with arcs, as many to a line as fit; one that is too long has its own.
[[nodiscard]] std::vector<Line> lines_of(const std::vector<LinkGroup>& groups, int width) {
    const auto fitting = static_cast<std::size_t>(std::max(1, width / (end_width + end_gap)));
    std::vector<Line> lines;
    std::size_t used = 0;
    for (const LinkGroup& group : groups) {
        if (is_bar(group)) continue;
        used += group.devices.size();
        if (lines.empty() || used > fitting) {
            lines.emplace_back();
            used = group.devices.size();
        }
        lines.back().push_back(&group);
    }
    return lines;
}

}  // namespace

int draw_links(Canvas& out, Point at, int width, const LinkScene& scene) {
    int y = at.y;
    const auto step = [&](int height) { y += height + style::gap; };
    for (const LinkGroup& group : scene.groups) {
        if (is_bar(group)) step(draw_bar(out, {at.x, y}, width, scene, group));
    }
    for (const Line& line : lines_of(scene.groups, width)) {
        step(draw_line(out, {at.x, y}, width, scene, line));
    }
    return y == at.y ? 0 : y - at.y - style::gap;
}

}  // namespace trestle::svg
