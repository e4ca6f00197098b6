// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/svg/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "canvas.hpp"
#include "cells.hpp"
#include "links.hpp"
#include "scene.hpp"
#include "set/masks.hpp"
#include "style.hpp"
#include "trestle/set/text.hpp"

namespace trestle::svg {
namespace {

/// Nothing but cores.
[[nodiscard]] bool is_plain(const Box& box) {
    return box.parts.empty() && box.memory.empty() && box.devices.empty() && box.links.empty();
}

class Painter {
  public:
    Painter(const NodeShape& shape, const Scene& scene)
        : shape_(shape), scene_(scene), cells_(shape, scene) {}

    /// Everything but the title and the legend. Returns the height.
    [[nodiscard]] int machine(Canvas& out, Point at, int width) const;
    [[nodiscard]] int legend(Canvas& out, Point at, int width) const;

  private:
    int heading(Canvas& out, Point at, int width, const Box& box) const;
    int box(Canvas& out, Point at, int width, const Box& box, int depth) const;
    int plain_box(Canvas& out, Point at, int width, const Box& box) const;
    int parts(Canvas& out, Point at, int width, const Box& box, int depth) const;
    int cores(Canvas& out, Point at, int width, const CoreSet& cores) const;
    int memory(Canvas& out, Point at, int width, const std::vector<DomainId>& domains) const;
    int devices(Canvas& out, Point at, int width, const std::vector<DeviceId>& devices) const;
    int device_row(Canvas& out, Point at, int width, const std::vector<DeviceId>& devices) const;
    int outside(Canvas& out, Point at, int width) const;
    [[nodiscard]] int least_width(const Box& box) const;

    const NodeShape& shape_;
    const Scene& scene_;
    Cells cells_;
};

int Painter::heading(Canvas& out, Point at, int width, const Box& box) const {
    const std::size_t all = (box.cores - shape_.system_cores).count();
    std::size_t free = 0;
    for (const CoreId core : box.cores - shape_.system_cores) {
        free += scene_.cores[core.value()].empty() ? 1u : 0u;
    }
    out.text({at.x, at.y + 11}, box.label, {.size = 12, .is_bold = true, .room = width * 3 / 5});
    const std::string state = width < 180 ? fmt::format("{}/{} free", free, all)
                                          : fmt::format("{} of {} cores free", free, all);
    out.text({at.x + width, at.y + 11}, state,
             {.size = 10, .fill = style::muted, .anchor = Anchor::end, .room = width * 3 / 5});
    return 14;
}

int Painter::cores(Canvas& out, Point at, int width, const CoreSet& cores) const {
    std::size_t threads = 1;
    for (const CoreId core : cores) {
        threads = std::max(threads, shape_.hardware.cores[core.value()].threads.size());
    }
    const style::Sizes& sizes = cells_.sizes();
    const int least = std::max(sizes.core_width, 4 * static_cast<int>(threads));
    const Grid grid = Grid::in(width, cores.count(), {least, 2 * least, 3});
    std::size_t i = 0;
    for (const CoreId core : cores) {
        cells_.core(out, grid.cell(at, sizes.core_height, i++), core);
    }
    return grid.height_of(cores.count(), sizes.core_height);
}

/// Domains without a byte, as GPUs that could be cut report, are named only.
int Painter::memory(Canvas& out, Point at, int width, const std::vector<DomainId>& domains) const {
    std::vector<DomainId> full;
    SmallSet<OsIndex> empty;
    for (const DomainId id : domains) {
        const MemoryDomain& domain = shape_.memory[id.value()];
        if (domain.capacity.is_zero()) {
            empty.insert(domain.os_index);
        } else {
            full.push_back(id);
        }
    }
    const Grid grid = Grid::in(width, full.size(), {170, 1 << 20, 12});
    for (std::size_t i = 0; i < full.size(); ++i) {
        cells_.memory(out, grid.cell(at, Cells::memory_height, i), full[i]);
    }
    const int height = grid.height_of(full.size(), Cells::memory_height);
    if (empty.is_empty()) return height;
    out.text({at.x, at.y + height + 14}, "empty: memory " + to_space_list(empty),
             {.size = 10, .fill = style::muted, .room = width});
    return height + 18;
}

int Painter::device_row(Canvas& out, Point at, int width,
                        const std::vector<DeviceId>& devices) const {
    const int least = std::min(cells_.sizes().device_width, width);
    const Grid grid = Grid::in(width, devices.size(), {least, 4 * least, 6});
    for (std::size_t i = 0; i < devices.size(); ++i) {
        cells_.device(out, grid.cell(at, cells_.device_height(), i), devices[i]);
    }
    return grid.height_of(devices.size(), cells_.device_height());
}

/// Those below one PCI switch in a frame of their own, the others before them.
int Painter::devices(Canvas& out, Point at, int width, const std::vector<DeviceId>& devices) const {
    std::vector<std::pair<std::vector<std::uint32_t>, std::vector<DeviceId>>> groups;
    std::vector<DeviceId> alone;
    std::size_t largest = 1;
    for (const DeviceId id : devices) {
        const auto& path = shape_.devices[id.value()].switches;
        if (path.empty()) {
            alone.push_back(id);
            continue;
        }
        auto group = std::find_if(groups.begin(), groups.end(),
                                  [&](const auto& one) { return one.first == path; });
        if (group == groups.end()) group = groups.insert(groups.end(), {path, {}});
        group->second.push_back(id);
        largest = std::max(largest, group->second.size());
    }
    std::vector<Draw> frames;
    for (const auto& group : groups) {
        frames.emplace_back([this, &group](Canvas& to, Point inner, int room) {
            to.text({inner.x, inner.y + 6}, fmt::format("switch {}", fmt::join(group.first, " / ")),
                    {.size = 10, .fill = style::muted, .room = room});
            return 12 + device_row(to, {inner.x, inner.y + 12}, room, group.second);
        });
    }
    const int cell = cells_.sizes().device_width;
    const int least = static_cast<int>(std::min<std::size_t>(largest, 3)) * (cell + 6) - 6;
    const Frame frame{
        style::paper, style::pad, {std::min(width, least + 2 * style::pad), 1 << 20, 8}};
    return draw_stacked(
        out, at, width,
        {[&](Canvas& to, Point p, int w) { return device_row(to, p, w, alone); },
         [&](Canvas& to, Point p, int w) { return draw_framed(to, p, w, frames, frame); }});
}

int Painter::least_width(const Box& box) const {
    const int cell = cells_.sizes().core_width + 3;
    const int cores = static_cast<int>(std::min<std::size_t>(box.cores.count(), 4)) * cell;
    const int devices = box.devices.empty() ? 0 : cells_.sizes().device_width;
    const int memory = box.memory.empty() ? 0 : 170;
    int least = std::max({90, cores, devices, memory});
    for (const Box& part : box.parts) least = std::max(least, least_width(part));
    return least + 2 * style::pad;
}

/// The label before the cores instead of above them.
int Painter::plain_box(Canvas& out, Point at, int width, const Box& box) const {
    constexpr int label = 36;
    out.text({at.x, at.y + 9}, box.label, {.size = 9, .fill = style::muted, .room = label});
    return cores(out, {at.x + label, at.y}, width - label, box.cores);
}

int Painter::parts(Canvas& out, Point at, int width, const Box& box, int depth) const {
    const bool is_compact =
        cells_.sizes().core_text == 0 && std::all_of(box.parts.begin(), box.parts.end(), is_plain);
    std::vector<Draw> frames;
    int least = 0;
    for (const Box& part : box.parts) {
        least = std::max(least, least_width(part));
        frames.emplace_back([this, &part, depth, is_compact](Canvas& to, Point p, int w) {
            return is_compact ? plain_box(to, p, w, part) : this->box(to, p, w, part, depth + 1);
        });
    }
    const Frame frame{depth % 2 == 0 ? style::panel : style::paper,
                      is_compact ? 4 : style::pad,
                      {std::min(least, width), 1 << 20, depth == 0 ? style::gap : 6}};
    return draw_framed(out, at, width, frames, frame);
}

int Painter::box(Canvas& out, Point at, int width, const Box& box, int depth) const {
    return draw_stacked(out, at, width,
                        {[&](Canvas& to, Point p, int w) { return heading(to, p, w, box); },
                         [&](Canvas& to, Point p, int w) { return memory(to, p, w, box.memory); },
                         [&](Canvas& to, Point p, int w) {
                             return box.parts.empty() ? cores(to, p, w, box.cores)
                                                      : parts(to, p, w, box, depth);
                         },
                         [&](Canvas& to, Point p, int w) { return devices(to, p, w, box.devices); },
                         [&](Canvas& to, Point p, int w) {
                             return draw_links(to, p, w, {shape_, cells_, box.links});
                         }});
}

/// What is near to all cores alike, or to none: devices, memory, links between packages.
int Painter::outside(Canvas& out, Point at, int width) const {
    const Box& box = scene_.machine;
    const auto titled = [&](const char* title, Draw draw) -> Draw {
        return [title, draw = std::move(draw)](Canvas& to, Point p, int w) {
            Canvas content;
            const int height = draw(content, {p.x, p.y + 20}, w);
            if (height == 0) return 0;
            to.text({p.x, p.y + 11}, title, {.size = 12, .is_bold = true});
            to.append(content);
            return height + 20;
        };
    };
    return draw_stacked(
        out, at, width,
        {titled("memory beside the packages",
                [&](Canvas& to, Point p, int w) { return memory(to, p, w, box.memory); }),
         titled("devices beside the packages",
                [&](Canvas& to, Point p, int w) { return devices(to, p, w, box.devices); }),
         titled("links", [&](Canvas& to, Point p, int w) {
             return draw_links(to, p, w, {shape_, cells_, box.links});
         })});
}

int Painter::machine(Canvas& out, Point at, int width) const {
    const Box& box = scene_.machine;
    const bool is_outside = !box.memory.empty() || !box.devices.empty() || !box.links.empty();
    const std::vector<Draw> frames(is_outside ? 1 : 0,
                                   [&](Canvas& to, Point p, int w) { return outside(to, p, w); });
    return draw_stacked(
        out, at, width,
        {[&](Canvas& to, Point p, int w) { return parts(to, p, w, box, 0); },
         [&](Canvas& to, Point p, int w) { return draw_framed(to, p, w, frames, Frame()); }});
}

int Painter::legend(Canvas& out, Point at, int width) const {
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < scene_.owners.size(); ++i) {
        const Owner& owner = scene_.owners[i];
        entries.push_back({owner.label, amount_words(shape_, owner),
                           [this, i](Canvas& to, Rect r) { cells_.fill(to, r, i); }});
    }
    entries = first_owners(std::move(entries));
    const auto blank = [](Canvas& to, Rect r) { to.rect(r, {.fill = style::paper}); };
    entries.push_back({"free", "", blank});
    const bool keeps_memory =
        std::any_of(shape_.memory.begin(), shape_.memory.end(),
                    [](const MemoryDomain& domain) { return !domain.reserved.is_zero(); });
    if (!shape_.system_cores.is_empty() || keeps_memory) {
        entries.push_back({"kept for the system", "", Cells::system_ground});
    }
    if (!scene_.reserved_cores.is_empty()) {
        entries.push_back({"free for owners of a device", "", [blank](Canvas& to, Rect r) {
                               blank(to, r);
                               Cells::reserved_ground(to, r);
                           }});
    }
    return draw_legend(out, at, width, entries);
}

/// `2 packages, 32 cores, 64 threads, 512 GiB, gpu 0-7`.
[[nodiscard]] std::string machine_words(const NodeShape& shape, const Scene& scene) {
    std::vector<DeviceId> devices;
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) devices.emplace_back(i);
    std::string words =
        fmt::format("{}, {}, {}, {}", counted(scene.machine.parts.size(), "package"),
                    counted(shape.hardware.cores.size(), "core"),
                    counted(static_cast<std::size_t>(shape.cpu_count().value()), "thread"),
                    size_words(shape.total_memory()));
    if (!devices.empty()) words += ", " + devices_words(shape, devices);
    return words;
}

[[nodiscard]] std::string description(const Node& node, const Scene& scene) {
    std::string words = machine_words(*node.shape, scene);
    for (const Owner& owner : scene.owners) {
        words += fmt::format("; {}: {}", owner.label, amount_words(*node.shape, owner));
    }
    return words;
}

}  // namespace

std::string render_node(const Node& node, std::span<const Taken> taken,
                        const PictureOptions& options) {
    std::vector<Taken> all(taken.begin(), taken.end());
    if (options.proposed) all.push_back({std::nullopt, *options.proposed});
    const NodeShape& shape = *node.shape;
    const Scene scene = scene_of(shape, all, options.names);
    const Painter painter(shape, scene);

    const int width = page_width(options.width);
    const int room = width - 2 * style::margin;
    const std::string& given = options.title.empty() ? node.name : options.title;
    const std::string title = given.empty() ? "node" : given;
    Canvas body;
    const Point at{style::margin, style::margin};
    body.text({at.x, at.y + 16}, title, {.size = 18, .is_bold = true, .room = room * 2 / 3});
    body.text({at.x + room, at.y + 16}, state_words(node.state, node.health),
              {.size = 12, .fill = style::failure, .anchor = Anchor::end, .room = room / 3});
    body.text({at.x, at.y + 34}, machine_words(shape, scene),
              {.size = 12, .fill = style::muted, .room = room});
    int y = at.y + 46;
    y += painter.machine(body, {at.x, y}, room) + 16;
    y += painter.legend(body, {at.x, y}, room) + style::margin;

    return page_of({title, description(node, scene), width, y}, body);
}

std::string render_node(const Node& node, const NodeLedger& ledger, const PictureOptions& options) {
    return render_node(node, taken_of(ledger), options);
}

std::string render_node(const Node& node, const NodePlacement& placement,
                        const PictureOptions& options) {
    PictureOptions with = options;
    with.proposed = placement;
    return render_node(node, std::span<const Taken>(), with);
}

}  // namespace trestle::svg
