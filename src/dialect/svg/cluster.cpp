// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/svg/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "canvas.hpp"
#include "cells.hpp"
#include "cluster_cards.hpp"
#include "cluster_scene.hpp"
#include "frames.hpp"
#include "scene.hpp"
#include "style.hpp"

namespace trestle::svg {
namespace {

constexpr std::int64_t cards_max = 1024;
constexpr std::int64_t cells_max = 16'384;
constexpr const char* taken_fill = style::owner_fills[0];

/// Nodes that a cell stands for: one, or as many as keep the picture finite.
[[nodiscard]] std::int64_t nodes_per_cell(std::int64_t nodes) {
    if (nodes <= cells_max) return 1;
    std::int64_t most = 64;
    while (nodes / most > cells_max) most *= 2;
    return most;
}

[[nodiscard]] int cell_size(std::int64_t cells) {
    return cells <= 256 ? 22 : cells <= 1024 ? 16 : cells <= 4096 ? 12 : 9;
}

[[nodiscard]] Paint plain(const char* fill) {
    return [fill](Canvas& to, Rect r) { to.rect(r, {.fill = fill}); };
}
void drained_ground(Canvas& out, Rect r) { unusable_ground(out, r, true); }
void broken_ground(Canvas& out, Rect r) { unusable_ground(out, r, false); }
/// A cross; its form tells it from all others without its colour.
void broken_cell(Canvas& out, Rect r) {
    broken_ground(out, r);
    const int size = std::min(r.width, r.height) - 4;
    out.path(fmt::format("M{} {}l{} {}m{} 0l{} {}", r.x + (r.width - size) / 2,
                         r.y + (r.height - size) / 2, size, size, -size, size, -size),
             {.stroke = style::failure, .thickness = 2});
}
void half_taken(Canvas& out, Rect r) {
    out.rect(r, {.fill = style::paper});
    out.rect({r.x, r.y + r.height / 2, r.width, r.height - r.height / 2}, {.fill = taken_fill});
}
void worn_cell(Canvas& out, Rect r) {
    out.rect(r, {.fill = style::paper});
    out.path(fmt::format("M{} {}h{}v{}z", r.x + r.width / 2, r.y, r.width - r.width / 2,
                         r.width - r.width / 2),
             {.fill = style::warning});
}

class ClusterPainter {
  public:
    ClusterPainter(const Cluster& cluster, const ClusterScene& scene,
                   const ClusterPictureOptions& options);

    /// Everything but the title. Returns the height.
    [[nodiscard]] int draw(Canvas& out, Point at, int width) const;
    [[nodiscard]] std::string headline() const;

  private:
    [[nodiscard]] int totals(Canvas& out, Point at, int width) const;
    [[nodiscard]] int parts(Canvas& out, Point at, int width, std::size_t group, int depth) const;
    [[nodiscard]] int group(Canvas& out, Point at, int width, std::size_t group, int depth) const;
    [[nodiscard]] int heading(Canvas& out, Point at, int width, const NodeGroup& group) const;
    [[nodiscard]] int nodes(Canvas& out, Point at, int width, std::size_t group) const;
    [[nodiscard]] int cards(Canvas& out, Point at, int width, std::size_t group) const;
    void cell(Canvas& out, Rect r, const NodeCell& cell) const;
    [[nodiscard]] std::string title(const NodeCell& cell) const;
    [[nodiscard]] int legend(Canvas& out, Point at, int width) const;
    /// Its nodes are drawn, not what they are grouped by.
    [[nodiscard]] bool is_leaf(std::size_t group) const;
    [[nodiscard]] int least_width(std::size_t group, int depth) const;

    const Cluster& cluster_;
    const ClusterScene& scene_;
    std::int64_t per_cell_;
    int cell_size_;
    std::optional<NodeCards> cards_;
    NodeSet proposed_;
};

ClusterPainter::ClusterPainter(const Cluster& cluster, const ClusterScene& scene,
                               const ClusterPictureOptions& options)
    : cluster_(cluster), scene_(scene), per_cell_(nodes_per_cell(scene.tally().nodes.all)) {
    const std::int64_t nodes = scene.tally().nodes.all;
    cell_size_ = cell_size(nodes / per_cell_);
    if (nodes <= std::min<std::int64_t>(options.cards, cards_max)) {
        cards_.emplace(cluster, scene, options);
    }
    if (!options.proposed) return;
    for (const NodePlacement& part : options.proposed->nodes) proposed_.insert(part.node);
}

bool ClusterPainter::is_leaf(std::size_t at) const {
    const NodeGroup& group = scene_.groups()[at];
    const auto parts = static_cast<std::int64_t>(group.parts.size());
    return group.parts.empty() || (!cards_ && group.tally.nodes.all <= parts * per_cell_);
}

/// Of a leaf; others are as wide as can be.
int ClusterPainter::least_width(std::size_t at, int depth) const {
    if (!is_leaf(at) && depth < 2) return cards_ ? 420 : 300;
    const std::int64_t nodes = scene_.groups()[at].tally.nodes.all;
    if (cards_) return nodes <= 4 ? 210 : nodes <= 8 ? 420 : 804;
    const std::int64_t cells = nodes / per_cell_;
    if (cells <= 8) return 96;
    return cells <= 24 ? 124 : 166;
}

int ClusterPainter::heading(Canvas& out, Point at, int width, const NodeGroup& group) const {
    const Share& nodes = group.tally.nodes;
    std::string state =
        fmt::format("{} of {} free", number_words(nodes.free), number_words(nodes.all));
    if (width >= 480) state += "; " + scene_.words(group.tally);
    const int label_room = std::min(width / 2, text_width(group.label, 12) + 8);
    out.begin_group(fmt::format("{}: {} of {} nodes free, {}", group.label,
                                number_words(nodes.free), number_words(nodes.all),
                                scene_.words(group.tally)));
    out.text({at.x, at.y + 11}, group.label, {.size = 12, .is_bold = true, .room = label_room});
    out.text({at.x + width, at.y + 11}, state,
             {.size = 10, .fill = style::muted, .anchor = Anchor::end, .room = width - label_room});
    out.end_group();
    return 14;
}

std::string ClusterPainter::title(const NodeCell& cell) const {
    constexpr std::size_t most = 4;
    const Tally& tally = cell.tally;
    if (tally.nodes.all > 1) {
        return fmt::format("{}: {} of {} nodes free, {}", cell.label,
                           number_words(tally.nodes.free), number_words(tally.nodes.all),
                           scene_.words(tally));
    }
    const NodeClass& node_class = cluster_.class_of(cell.first);
    const std::string state = state_words(node_class.state, node_class.health);
    std::string words =
        cell.label + (state.empty() ? "" : ", " + state) + ", " + scene_.words(tally);
    const std::vector<OwnerId> owners = cluster_.owners_on(cell.first);
    for (std::size_t i = 0; i < std::min(most, owners.size()); ++i) {
        words += (i == 0 ? (owners.size() == 1 ? "; owner " : "; owners ") : ", ") +
                 std::to_string(owners[i].value());
    }
    if (owners.size() > most) words += fmt::format(" and {} more", owners.size() - most);
    return words;
}

void ClusterPainter::cell(Canvas& out, Rect r, const NodeCell& cell) const {
    const Tally& tally = cell.tally;
    const std::int64_t unusable = tally.drained + tally.broken;
    const bool is_idle = tally.nodes.free == tally.nodes.all;
    int filled = part_of(r.height, tally.filling.taken(), tally.filling.all);
    if (tally.filling.all == 0) filled = tally.in_use() != 0 ? r.height : 0;
    const bool is_part = tally.in_use() != 0 && tally.filling.free != 0;
    if (is_part) filled = std::clamp(filled, 2, r.height - 2);

    out.begin_group(title(cell));
    if (tally.broken == tally.nodes.all) {
        broken_cell(out, r);
    } else {
        out.rect(r, {.fill = style::paper});
        if (tally.drained == tally.nodes.all) {
            drained_ground(out, r);
        } else if (unusable != 0) {
            drained_ground(out, {r.x, r.y, r.width,
                                 std::max(2, part_of(r.height, unusable, tally.nodes.all))});
        }
        out.rect({r.x, r.y + r.height - filled, r.width, filled}, {.fill = taken_fill});
        if (tally.drained == tally.nodes.all && filled > 0) out.hatch(r, style::cell_line);
    }
    if (tally.worn != 0) {
        const int size = std::min(r.width, r.height) / 2;
        out.path(fmt::format("M{} {}h{}v{}z", r.x + r.width - size, r.y, size, size),
                 {.fill = style::warning});
    }
    out.rect(r, {.stroke = is_idle ? style::thread_line : style::cell_line});
    if (tally.nodes.all == 1 && proposed_.contains(cell.first)) {
        out.rect(inset(r, 1), {.stroke = style::proposed_fill, .thickness = 2});
    }
    out.end_group();
}

int ClusterPainter::cards(Canvas& out, Point at, int width, std::size_t group) const {
    std::vector<Draw> cards;
    for (const std::size_t leaf : scene_.leaves_of(group)) {
        for (const NodeId node : scene_.groups()[leaf].nodes) {
            cards.emplace_back(
                [this, node](Canvas& to, Point p, int w) { return cards_->card(to, p, w, node); });
        }
    }
    return draw_framed(out, at, width, cards, {style::paper, 8, {190, 300, 8}});
}

int ClusterPainter::nodes(Canvas& out, Point at, int width, std::size_t group) const {
    if (cards_) return cards(out, at, width, group);
    const std::vector<NodeCell> cells = scene_.cells_of(group, per_cell_);
    const Grid grid =
        Grid::in(width, cells.size(), {cell_size_, cell_size_ * 3 / 2, cell_size_ < 16 ? 2 : 3});
    for (std::size_t i = 0; i < cells.size(); ++i) {
        cell(out, grid.cell(at, cell_size_, i), cells[i]);
    }
    return grid.height_of(cells.size(), cell_size_);
}

int ClusterPainter::group(Canvas& out, Point at, int width, std::size_t at_group, int depth) const {
    return draw_stacked(
        out, at, width,
        {[&](Canvas& to, Point p, int w) { return heading(to, p, w, scene_.groups()[at_group]); },
         [&](Canvas& to, Point p, int w) { return parts(to, p, w, at_group, depth); }});
}

int ClusterPainter::parts(Canvas& out, Point at, int width, std::size_t at_group, int depth) const {
    if (is_leaf(at_group)) return nodes(out, at, width, at_group);
    constexpr int deepest = 2;  // below, only what holds nodes has a frame
    const std::vector<std::size_t> inner =
        depth < deepest ? scene_.groups()[at_group].parts : scene_.leaves_of(at_group);
    std::vector<Draw> frames;
    int least = 0;
    for (const std::size_t part : inner) {
        least = std::max(least, least_width(part, depth + 1));
        frames.emplace_back([this, part, depth](Canvas& to, Point p, int w) {
            return group(to, p, w, part, depth + 1);
        });
    }
    const Frame frame{depth % 2 == 0 ? style::panel : style::paper,
                      cards_ ? style::pad : 8,
                      {std::min(least, width), 1 << 20, 8}};
    return draw_framed(out, at, width, frames, frame);
}

int ClusterPainter::totals(Canvas& out, Point at, int width) const {
    const Tally& tally = scene_.tally();
    std::vector<Bar> bars;
    bars.push_back({"nodes",
                    fmt::format("{} of {} in use", number_words(tally.in_use()),
                                number_words(tally.nodes.all)),
                    tally.nodes.all,
                    {{tally.in_use(), plain(taken_fill)},
                     {tally.drained, drained_ground},
                     {tally.broken, broken_ground}}});
    const auto add = [&](const std::string& label, const Share& share, const std::string& words) {
        if (share.all == 0) return;
        bars.push_back({label, words, share.all, {{share.taken(), plain(taken_fill)}}});
    };
    const auto taken_words = [](const Share& share) {
        return thousandths_words(share.taken()) + " of " + thousandths_words(share.all) + " taken";
    };
    for (std::size_t i = 0; i < tally.devices.size(); ++i) {
        add(scene_.device_names()[i], tally.devices[i], taken_words(tally.devices[i]));
    }
    add("CPUs", tally.cpus, taken_words(tally.cpus));
    add("memory", tally.memory, bytes_words({tally.memory.all, tally.memory.taken()}) + " taken");
    const Grid grid = Grid::in(width, bars.size(), {210, 1 << 20, 16});
    for (std::size_t i = 0; i < bars.size(); ++i) {
        draw_bar(out, grid.cell(at, Bar::height, i), bars[i]);
    }
    return grid.height_of(bars.size(), Bar::height);
}

int ClusterPainter::legend(Canvas& out, Point at, int width) const {
    const Tally& tally = scene_.tally();
    std::vector<LegendEntry> entries;
    if (cards_) entries = cards_->legend();
    const bool has_cells = !cards_;
    const auto nodes_words = [](std::int64_t count) {
        return number_words(count) + (count == 1 ? " node" : " nodes");
    };
    entries.push_back(
        {"free", has_cells ? nodes_words(tally.nodes.free) : "", plain(style::paper)});
    if (has_cells) {
        entries.push_back({"taken, or a part", nodes_words(tally.in_use()), half_taken});
    }
    if (tally.drained != 0) {
        entries.push_back({"drained", nodes_words(tally.drained), drained_ground});
    }
    if (tally.broken != 0) {
        entries.push_back({"down or failed", nodes_words(tally.broken), broken_cell});
    }
    if (tally.worn != 0 && has_cells) {
        entries.push_back({"health: warning", nodes_words(tally.worn), worn_cell});
    }
    if (!proposed_.is_empty() && has_cells) {
        entries.push_back({"this placement", "", [](Canvas& to, Rect r) {
                               to.rect(inset(r, 1),
                                       {.stroke = style::proposed_fill, .thickness = 2});
                           }});
    }
    return draw_legend(out, at, width, entries);
}

int ClusterPainter::draw(Canvas& out, Point at, int width) const {
    return draw_stacked(out, at, width,
                        {[&](Canvas& to, Point p, int w) { return totals(to, p, w); },
                         [&](Canvas& to, Point p, int w) { return parts(to, p, w, 0, 0); },
                         [&](Canvas& to, Point p, int w) { return legend(to, p, w); }});
}

/// `4,096 nodes: gpu 3 of 8 free, ...`
std::string ClusterPainter::headline() const {
    const Tally& tally = scene_.tally();
    return fmt::format("{} node{}: {} free, {} in use, {} drained, {} down or failed; {}",
                       number_words(tally.nodes.all), tally.nodes.all == 1 ? "" : "s",
                       number_words(tally.nodes.free), number_words(tally.in_use()),
                       number_words(tally.drained), number_words(tally.broken),
                       scene_.words(tally));
}

}  // namespace

std::string render_cluster(const Cluster& cluster, const ClusterPictureOptions& options) {
    const ClusterScene scene(cluster);
    const ClusterPainter painter(cluster, scene, options);
    const std::string title = options.title.empty() ? "cluster" : options.title;
    return titled_page(
        {title, painter.headline(), page_width(options.width), 0},
        [&](Canvas& out, Point at, int width) { return painter.draw(out, at, width); });
}

}  // namespace trestle::svg
