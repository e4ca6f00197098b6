// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/svg/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

#include "alloc/schedule/timeline/owner_moment.hpp"
#include "base/cow/cow_map.hpp"
#include "canvas.hpp"
#include "cells.hpp"
#include "cluster_cards.hpp"
#include "cluster_scene.hpp"
#include "frames.hpp"
#include "scene.hpp"
#include "style.hpp"

namespace trestle::svg {
namespace {

constexpr std::size_t lines_max = 2048;
constexpr int labels_width = 84;
constexpr int axis_height = 20;

[[nodiscard]] int line_height(std::size_t lines) {
    return lines <= 32 ? 20 : lines <= 128 ? 10 : lines <= 512 ? 4 : lines <= 1024 ? 3 : 2;
}

/// The part of a device, in thousandths.
[[nodiscard]] std::int64_t part_of_device(const Device& device, const DeviceShare& share) {
    if (share.slice && device.slicing && device.slicing->geometry.memory_slices != 0) {
        return 1000 * std::int64_t{share.slice->size} / device.slicing->geometry.memory_slices;
    }
    return 1000 * share.shares.value() / std::max<std::int64_t>(1, device.shares.value());
}

/// The largest part of cores, memory or devices of one name, in thousandths; 1 to 1000.
[[nodiscard]] std::int64_t part_of_node(const NodeShape& shape, const NodePlacement& part) {
    std::int64_t most = 1;
    const auto add = [&](std::int64_t taken, std::int64_t all) {
        if (all > 0) most = std::max(most, 1000 * taken / all);
    };
    const auto cores = static_cast<std::int64_t>(shape.allocatable_cores().count());
    add(static_cast<std::int64_t>(part.cores.count()), cores);
    add(part.milli_cpus.value(), 1000 * shape.cpu_count().value());
    constexpr std::int64_t mebibyte = 1 << 20;  // the product fits 63 bits
    add(part.total_memory().value() / mebibyte, shape.total_memory().value() / mebibyte);
    std::map<std::string_view, std::pair<std::int64_t, std::int64_t>> devices;  // taken, all
    for (const Device& device : shape.devices) devices[device.name].second += 1000;
    for (const DeviceShare& share : part.devices) {
        const Device& device = shape.devices[share.device.value()];
        if (device.is_consumed) devices[device.name].first += part_of_device(device, share);
    }
    for (const auto& [name, amount] : devices) add(amount.first, amount.second);
    return std::min<std::int64_t>(most, 1000);
}

/// `+90 s`, `+5 min`, `+2 h`, `+3 d`: in the largest unit that is whole.
[[nodiscard]] std::string after_words(std::int64_t seconds) {
    constexpr std::pair<std::int64_t, const char*> units[] = {
        {86'400, "d"}, {3'600, "h"}, {60, "min"}};
    if (seconds == 0) return "now";
    for (const auto& [size, name] : units) {
        if (seconds % size == 0) return fmt::format("+{} {}", seconds / size, name);
    }
    return fmt::format("+{} s", seconds);
}

/// The shortest distance of marks that a clock has, so that there are at most so many.
[[nodiscard]] std::int64_t mark_distance(std::int64_t length, std::int64_t most) {
    constexpr std::int64_t steps[] = {1,      2,      5,      10,     15,      30,     60,
                                      120,    300,    600,    900,    1'800,   3'600,  7'200,
                                      10'800, 21'600, 43'200, 86'400, 172'800, 604'800};
    for (const std::int64_t step : steps) {
        if (length / step <= most) return step;
    }
    std::int64_t step = std::end(steps)[-1];
    while (length / step > most) step *= 2;
    return step;
}

/// What an owner has of a line.
struct Piece {
    std::size_t line = 0;
    std::int64_t part = 1000;  ///< of the node, in thousandths
    std::int64_t bottom = 0;   ///< thousandths below it
    std::size_t owner = 0;     ///< in TimelinePainter::owners_
    Period period;

    [[nodiscard]] std::int64_t top() const { return bottom + part; }
};

/// As much of the owner's label as fits: all of it, its name, its number; or nothing.
[[nodiscard]] std::string label_in(const Owner& owner, int room) {
    const std::size_t name = owner.label.find(" (");
    const bool has_name = name != std::string::npos;
    const std::string labels[] = {
        owner.label, has_name ? owner.label.substr(name + 2, owner.label.size() - name - 3) : "",
        owner.label.substr(0, name), owner.id ? std::to_string(owner.id->value()) : ""};
    for (const std::string& label : labels) {
        if (!label.empty() && text_width(label, 10) <= room) return label;
    }
    return "";
}

class TimelinePainter {
  public:
    TimelinePainter(const Timeline& timeline, const TimelinePictureOptions& options);

    /// Everything but the title. Returns the height.
    [[nodiscard]] int draw(Canvas& out, Point at, int width) const;
    [[nodiscard]] std::string headline() const;

  private:
    void add_lines(const std::optional<NodeSet>& nodes);
    void add_pieces(const std::vector<TimedAllocation>& shown);
    void stack_pieces();

    [[nodiscard]] int chart(Canvas& out, Point at, int width) const;
    void axis(Canvas& out, Rect plot) const;
    void grounds(Canvas& out, Rect plot) const;
    void bars(Canvas& out, Rect plot) const;
    void bar(Canvas& out, Rect r, const Owner& owner) const;
    [[nodiscard]] int legend(Canvas& out, Point at, int width) const;
    [[nodiscard]] int x_of(Rect plot, Instant at) const;
    [[nodiscard]] std::string title(const Owner& owner) const;

    const Timeline& timeline_;
    Instant last_;
    int line_height_ = 0;
    std::vector<NodeId> lines_;
    std::size_t nodes_ = 0;  ///< that there would be lines of
    std::vector<Owner> owners_;
    std::vector<std::vector<Piece>> pieces_;  ///< by owner, lines rising
};

[[nodiscard]] Instant right_edge(const Timeline& timeline, std::optional<Instant> asked) {
    if (asked && timeline.now() < *asked) return *asked;
    const auto last_end = timeline.ends().last();
    if (last_end && timeline.now() < last_end->at) return last_end->at;
    return saturating_add(timeline.now(), Instant(3600));
}

TimelinePainter::TimelinePainter(const Timeline& timeline, const TimelinePictureOptions& options)
    : timeline_(timeline), last_(right_edge(timeline, options.last)) {
    add_lines(options.nodes);
    line_height_ = line_height(lines_.size());
    std::vector<TimedAllocation> shown = timeline.reservations();
    std::erase_if(shown, [&](const TimedAllocation& one) { return last_ <= one.period.first; });
    std::vector<Taken> taken;
    for (const TimedAllocation& one : shown) taken.push_back({one.allocation.owner, {}});
    owners_ = owners_of(taken, options.names);
    pieces_.resize(owners_.size());
    add_pieces(shown);
    stack_pieces();
}

void TimelinePainter::add_lines(const std::optional<NodeSet>& nodes) {
    const Cluster& cluster = timeline_.cluster();
    for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
        const NodeId node(i);
        if (nodes && !nodes->contains(node)) continue;
        if (cluster.class_of(node).state == NodeState::removed) continue;
        if (++nodes_ <= lines_max) lines_.push_back(node);
    }
}

void TimelinePainter::add_pieces(const std::vector<TimedAllocation>& shown) {
    for (std::size_t owner = 0; owner < shown.size(); ++owner) {  // by owner, as owners_
        for (const NodePlacement& part : shown[owner].allocation.placement.nodes) {
            const auto at = std::lower_bound(lines_.begin(), lines_.end(), part.node);
            if (at == lines_.end() || *at != part.node) continue;
            const NodeShape& shape = timeline_.cluster().shape(part.node);
            pieces_[owner].push_back({static_cast<std::size_t>(at - lines_.begin()),
                                      part_of_node(shape, part), 0, owner, shown[owner].period});
        }
    }
}

/// Each as low in its line as those allow that are there at the same time and came before it.
void TimelinePainter::stack_pieces() {
    std::vector<std::vector<Piece*>> by_line(lines_.size());
    for (std::vector<Piece>& of_owner : pieces_) {
        for (Piece& piece : of_owner) by_line[piece.line].push_back(&piece);
    }
    for (std::vector<Piece*>& line : by_line) {
        std::stable_sort(line.begin(), line.end(), [](const Piece* a, const Piece* b) {
            return a->period.first < b->period.first;
        });
        std::vector<const Piece*> below;  // there at the same time, the lowest first
        for (auto at = line.begin(); at != line.end(); ++at) {
            below.clear();
            std::copy_if(line.begin(), at, std::back_inserter(below),
                         [&](const Piece* other) { return overlap(other->period, (*at)->period); });
            std::sort(below.begin(), below.end(),
                      [](const Piece* a, const Piece* b) { return a->bottom < b->bottom; });
            Piece& piece = **at;
            for (const Piece* other : below) {
                if (piece.top() <= other->bottom) break;
                piece.bottom = std::max(piece.bottom, other->top());
            }
            piece.bottom = std::min(piece.bottom, 1000 - piece.part);  // of unlike units: over them
        }
    }
}

int TimelinePainter::x_of(Rect plot, Instant at) const {
    if (at <= timeline_.now()) return plot.x;
    if (last_ <= at) return plot.x + plot.width;
    return plot.x + part_of(plot.width, at.value() - timeline_.now().value(),
                            last_.value() - timeline_.now().value());
}

void TimelinePainter::axis(Canvas& out, Rect plot) const {
    const std::int64_t length = last_.value() - timeline_.now().value();
    const std::int64_t step = mark_distance(length, plot.width / 90);
    std::string lines;
    for (std::int64_t mark = 0;; mark += step) {
        const int x = plot.x + part_of(plot.width, mark, length);
        out.text({x, plot.y - 6}, after_words(mark),
                 {.size = 10, .fill = style::muted, .anchor = Anchor::middle});
        lines += fmt::format("M{} {}v{}", x, plot.y - 3, plot.height + 3);
        if (length - mark < step) break;
    }
    out.path(lines, {.stroke = style::line});
}

/// The names of nodes, and those hatched that take no work.
void TimelinePainter::grounds(Canvas& out, Rect plot) const {
    out.rect(plot, {.fill = style::paper});
    const std::size_t every = static_cast<std::size_t>((11 + line_height_) / line_height_);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        const int y = plot.y + static_cast<int>(i) * line_height_;
        const NodeClass& node_class = timeline_.cluster().class_of(lines_[i]);
        const std::string state = state_words(node_class.state, node_class.health);
        const bool is_drained = node_class.state == NodeState::drained;
        if (is_drained || node_class.state == NodeState::down) {
            out.begin_group(timeline_.cluster().name(lines_[i]) + ", " + state);
            unusable_ground(out, {plot.x, y, plot.width, line_height_}, is_drained);
            out.end_group();
        }
        if (i % every != 0) continue;
        out.text(
            {plot.x - 8, y + std::min(line_height_, 12) / 2 + 4},
            timeline_.cluster().name(lines_[i]),
            {.size = 10, .fill = style::muted, .anchor = Anchor::end, .room = labels_width - 8});
    }
}

void TimelinePainter::bar(Canvas& out, Rect r, const Owner& owner) const {
    if (r.height >= 10) {
        Cells::fill(out, r, owner);
    } else {
        out.rect(r, {.fill = style::owner_fills[owner.colour % std::size(style::owner_fills)]});
    }
    if (r.height >= 4) out.rect(r, {.stroke = style::taken_line});
    const std::string label = r.height < 10 ? "" : label_in(owner, r.width - 6);
    if (label.empty()) return;
    out.text({r.x + r.width / 2, r.y + r.height / 2 + 4}, label,
             {.size = 10, .fill = style::owner_ink, .anchor = Anchor::middle});
}

void TimelinePainter::bars(Canvas& out, Rect plot) const {
    for (std::size_t owner = 0; owner < owners_.size(); ++owner) {
        const std::vector<Piece>& pieces = pieces_[owner];
        if (pieces.empty()) continue;
        const int x = x_of(plot, pieces.front().period.first);
        const int width = std::max(1, x_of(plot, pieces.front().period.end) - x);
        out.begin_group(title(owners_[owner]));
        for (std::size_t i = 0; i < pieces.size();) {
            std::size_t lines = 1;  // that are whole, one below the other
            while (i + lines < pieces.size() && pieces[i].part == 1000 &&
                   pieces[i + lines].part == 1000 &&
                   pieces[i + lines].line == pieces[i].line + lines) {
                ++lines;
            }
            const int height = line_height_ * static_cast<int>(lines);
            const int low = part_of(line_height_, pieces[i].bottom, 1000);
            const int high = std::max(low + 1, part_of(line_height_, pieces[i].top(), 1000));
            const int y = plot.y + static_cast<int>(pieces[i].line) * line_height_;
            const Rect r = lines > 1 ? Rect{x, y, width, height}
                                     : Rect{x, y + line_height_ - high, width, high - low};
            bar(out, r, owners_[owner]);
            i += lines;
        }
        out.end_group();
    }
}

int TimelinePainter::chart(Canvas& out, Point at, int width) const {
    const int height = line_height_ * static_cast<int>(lines_.size());
    const Rect plot{at.x + labels_width, at.y + axis_height, width - labels_width - 12, height};
    grounds(out, plot);
    axis(out, plot);
    bars(out, plot);
    out.rect(plot, {.stroke = style::cell_line});
    return axis_height + height;
}

std::string TimelinePainter::title(const Owner& owner) const {
    const Allocation& allocation = *timeline_.find_allocation(*owner.id);
    NodeSet all;  // a node may serve several components
    for (const NodePlacement& part : allocation.placement.nodes) all.insert(part.node);
    const std::size_t nodes = all.count();
    return fmt::format("{}, {}, {} node{}", owner.label, *timeline_.period_of(*owner.id), nodes,
                       nodes == 1 ? "" : "s");
}

int TimelinePainter::legend(Canvas& out, Point at, int width) const {
    std::vector<LegendEntry> entries;
    for (const Owner& owner : owners_) {
        const Period period = *timeline_.period_of(*owner.id);
        const auto moment = [&](Instant at_moment) {
            return after_words(at_moment.value() - timeline_.now().value());
        };
        const std::string from = period.first <= timeline_.now() ? "now" : moment(period.first);
        const std::string to = period.end == end_of_time ? "no end" : moment(period.end);
        entries.push_back({owner.label, from + " to " + to, [owner](Canvas& to_canvas, Rect r) {
                               Cells::fill(to_canvas, r, owner);
                           }});
    }
    return draw_legend(out, at, width, first_owners(std::move(entries)));
}

int TimelinePainter::draw(Canvas& out, Point at, int width) const {
    return draw_stacked(
        out, at, width,
        {[&](Canvas& to, Point p, int w) {
             to.text({p.x, p.y + 11}, headline(), {.size = 11, .fill = style::muted, .room = w});
             return 14;
         },
         [&](Canvas& to, Point p, int w) { return chart(to, p, w); },
         [&](Canvas& to, Point p, int w) { return legend(to, p, w); }});
}

/// `16 nodes, from 0 to 7200; 2 owners now, 1 later`.
std::string TimelinePainter::headline() const {
    const auto now = timeline_.now();
    const auto later = std::count_if(owners_.begin(), owners_.end(), [&](const Owner& owner) {
        return now < timeline_.period_of(*owner.id)->first;
    });
    const auto running = static_cast<std::int64_t>(owners_.size()) - later;
    std::string nodes = fmt::format("{} node{}", number_words(static_cast<std::int64_t>(nodes_)),
                                    nodes_ == 1 ? "" : "s");
    if (lines_.size() < nodes_) {
        nodes = fmt::format("the first {} of {}",
                            number_words(static_cast<std::int64_t>(lines_.size())), nodes);
    }
    return fmt::format("{}, {}; {} owner{} now, {} later", nodes, Period{now, last_},
                       number_words(running), running == 1 ? "" : "s", number_words(later));
}

}  // namespace

std::string render_timeline(const Timeline& timeline, const TimelinePictureOptions& options) {
    const TimelinePainter painter(timeline, options);
    const std::string title = options.title.empty() ? "timeline" : options.title;
    return titled_page(
        {title, painter.headline(), page_width(options.width), 0},
        [&](Canvas& out, Point at, int width) { return painter.draw(out, at, width); });
}

}  // namespace trestle::svg
