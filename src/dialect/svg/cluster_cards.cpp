// SPDX-License-Identifier: Apache-2.0
#include "cluster_cards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace trestle::svg {
namespace {

/// Thousandths of CPUs by owner; a core of several rows is split between its owners.
[[nodiscard]] std::vector<std::int64_t> cpus_by_owner(const NodeShape& shape, const Scene& scene) {
    std::vector<std::int64_t> amounts;
    for (const Owner& owner : scene.owners) amounts.push_back(owner.milli_cpus.value());
    for (std::size_t i = 0; i < scene.cores.size(); ++i) {
        const auto threads = static_cast<std::int64_t>(shape.hardware.cores[i].threads.size());
        for (const CoreHold& hold : scene.cores[i]) {
            amounts[hold.owner] +=
                1000 * threads / static_cast<std::int64_t>(scene.cores[i].size());
        }
    }
    return amounts;
}

[[nodiscard]] std::vector<std::int64_t> memory_by_owner(const NodeShape& shape,
                                                        const Scene& scene) {
    std::vector<std::int64_t> amounts(scene.owners.size(), 0);
    for (std::size_t i = 0; i < scene.memory.size(); ++i) {
        if (!shape.memory[i].is_ordinary()) continue;
        for (const MemoryHold& hold : scene.memory[i]) amounts[hold.owner] += hold.bytes.value();
    }
    return amounts;
}

/// How much of the device a share is, in thousandths.
[[nodiscard]] std::int64_t size_of(const Device& device, const DeviceShare& share) {
    if (!share.slice) return 1000 * share.shares.value() / device.shares.value();
    const std::int64_t slices = device.slicing ? device.slicing->geometry.memory_slices : 0;
    return slices == 0 ? 1000 : 1000 * std::int64_t{share.slice->size} / slices;
}

}  // namespace

void unusable_ground(Canvas& out, Rect r, bool is_drained) {
    out.rect(r, {.fill = style::system_fill});
    if (is_drained) out.hatch(r, style::hatch);
}

NodeCards::NodeCards(const Cluster& cluster, const ClusterScene& scene,
                     const ClusterPictureOptions& options)
    : cluster_(cluster), scene_(scene) {
    std::vector<Taken> all;
    std::map<NodeId, std::vector<Taken>> by_node;
    for (const std::size_t leaf : scene.leaves_of(0)) {
        for (const NodeId node : scene.groups()[leaf].nodes) {
            by_node[node] = taken_of(cluster.ledger(node));
        }
    }
    if (options.proposed) {
        for (const NodePlacement& part : options.proposed->nodes) {
            const auto at = by_node.find(part.node);
            if (at != by_node.end()) at->second.push_back({std::nullopt, part});
        }
    }
    for (const auto& [node, taken] : by_node) {
        for (const Taken& one : taken) all.push_back({one.owner, {}});
    }
    owners_ = owners_of(all, options.names);
    for (const auto& [node, taken] : by_node) {
        Scene& one = nodes_[node] = scene_of(cluster.shape(node), taken, options.names);
        const Tally& tally = scene.tally_of(node);
        one.is_drained = tally.drained != 0;
        one.is_broken = tally.broken != 0;
        for (Owner& owner : one.owners) {
            const auto same = [&](const Owner& other) { return other.id == owner.id; };
            owner.colour = static_cast<std::size_t>(
                std::find_if(owners_.begin(), owners_.end(), same) - owners_.begin());
        }
    }
}

std::string NodeCards::title(NodeId node) const {
    const NodeClass& node_class = cluster_.class_of(node);
    const std::string state = state_words(node_class.state, node_class.health);
    std::string words = cluster_.name(node) + (state.empty() ? "" : ", " + state) + ", " +
                        scene_.words(scene_.tally_of(node));
    for (const Owner& owner : nodes_.at(node).owners) {
        words += fmt::format("; {}: {}", owner.label, amount_words(cluster_.shape(node), owner));
    }
    return words;
}

int NodeCards::header(Canvas& out, Point at, int width, NodeId node) const {
    const NodeClass& node_class = cluster_.class_of(node);
    const Tally& tally = scene_.tally_of(node);
    const std::string state = state_words(node_class.state, node_class.health);
    const bool has_mark = !state.empty();
    const int end = at.x + width - (has_mark ? 20 : 0);
    if (tally.drained != 0) {
        const Rect mark{at.x + width - 15, at.y, 15, 13};
        unusable_ground(out, mark, true);
        out.rect(mark, {.stroke = style::cell_line, .radius = 2});
    } else if (has_mark) {
        const Health health = tally.broken != 0 ? Health::failure : node_class.health;
        Cells::health_mark(out, {at.x + width - 14, at.y}, health);
    }
    const bool is_alarm = tally.broken != 0;
    const int mark_room = has_mark ? text_width(state, 10) + 28 : 0;
    const int name_room = std::max(width / 3, width - mark_room);
    out.text({at.x, at.y + 11}, cluster_.name(node),
             {.size = 12, .is_bold = true, .room = name_room});
    if (has_mark) {
        out.text({end, at.y + 11}, state,
                 {.size = 10,
                  .fill = is_alarm ? style::failure : style::ink,
                  .anchor = Anchor::end,
                  .room = width - name_room - 20});
    }
    return 16;
}

std::vector<BarPart> NodeCards::bar_parts(NodeId node, const std::vector<std::int64_t>& by_owner,
                                          std::int64_t free) const {
    const Scene& scene = nodes_.at(node);
    const Cells cells(cluster_.shape(node), scene);
    std::vector<BarPart> parts;
    for (std::size_t i = 0; i < by_owner.size(); ++i) {
        parts.push_back({by_owner[i], [cells, i](Canvas& to, Rect r) { cells.fill(to, r, i); }});
    }
    parts.push_back({free});
    if (scene.is_drained || scene.is_broken) {
        const bool is_drained = scene.is_drained;
        parts.back().paint = [is_drained](Canvas& to, Rect r) {
            unusable_ground(to, r, is_drained);
        };
    }
    return parts;
}

void NodeCards::cpus(Canvas& out, Rect r, NodeId node) const {
    const NodeShape& shape = cluster_.shape(node);
    const Share& cpus = scene_.tally_of(node).cpus;
    const std::vector<std::int64_t> by_owner = cpus_by_owner(shape, nodes_.at(node));
    std::int64_t held = 0;
    for (const std::int64_t amount : by_owner) held += amount;
    const std::int64_t free = std::max<std::int64_t>(0, cpus.all - held);
    const std::int64_t all = 1000 * shape.cpu_count().value();
    std::vector<BarPart> parts = bar_parts(node, by_owner, free);
    parts.push_back({all - cpus.all, Cells::system_ground});
    draw_bar(out, r,
             {"CPUs", thousandths_words(free) + " of " + thousandths_words(cpus.all) + " free", all,
              std::move(parts)});
}

void NodeCards::memory(Canvas& out, Rect r, NodeId node) const {
    const NodeShape& shape = cluster_.shape(node);
    const Share& memory = scene_.tally_of(node).memory;
    const std::vector<std::int64_t> by_owner = memory_by_owner(shape, nodes_.at(node));
    std::int64_t held = 0;
    for (const std::int64_t amount : by_owner) held += amount;
    const std::int64_t free = std::max<std::int64_t>(0, memory.all - held);
    std::int64_t all = 0;
    for (const MemoryDomain& domain : shape.memory) {
        if (domain.is_ordinary()) all += domain.capacity.value();
    }
    std::vector<BarPart> parts = bar_parts(node, by_owner, free);
    parts.push_back({all - memory.all, Cells::system_ground});
    draw_bar(out, r, {"memory", bytes_words({memory.all, free}) + " free", all, std::move(parts)});
}

int NodeCards::devices(Canvas& out, Point at, int width, NodeId node) const {
    constexpr int height = 16;
    const NodeShape& shape = cluster_.shape(node);
    const Cells cells(shape, nodes_.at(node));
    std::map<std::string, std::vector<DeviceId>> by_kind;  // `gpu a100`
    int label_room = 34;
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        const Device& device = shape.devices[i];
        const std::string kind = kind_words(device);
        const std::string label = device.name + (kind.empty() ? "" : " " + kind);
        by_kind[label].emplace_back(i);
        label_room = std::max(label_room, text_width(label, 10) + 6);
    }
    label_room = std::min(label_room, width * 2 / 5);
    int y = at.y;
    for (const auto& [label, devices] : by_kind) {
        out.text({at.x, y + 12}, label, {.size = 10, .room = label_room - 4});
        const int room = width - label_room;
        const Grid grid = Grid::in(room, devices.size(), {14, 26, 3});
        for (std::size_t i = 0; i < devices.size(); ++i) {
            cells.small_device(out, grid.cell({at.x + label_room, y}, height, i), devices[i]);
        }
        y += grid.height_of(devices.size(), height) + 4;
    }
    return y - at.y - (by_kind.empty() ? 0 : 4);
}

int NodeCards::card(Canvas& out, Point at, int width, NodeId node) const {
    out.begin_group(title(node));
    const auto bar = [&](Canvas& to, Point p, int w, auto draw) {
        (this->*draw)(to, Rect{p.x, p.y, w, Bar::height}, node);
        return Bar::height;
    };
    const int height =
        draw_stacked(out, at, width,
                     {[&](Canvas& to, Point p, int w) { return header(to, p, w, node); },
                      [&](Canvas& to, Point p, int w) { return bar(to, p, w, &NodeCards::cpus); },
                      [&](Canvas& to, Point p, int w) { return bar(to, p, w, &NodeCards::memory); },
                      [&](Canvas& to, Point p, int w) { return devices(to, p, w, node); }});
    out.end_group();
    return height;
}

/// `2 nodes, 16 CPUs, 64 GiB, gpu 4`.
std::string NodeCards::amounts(std::size_t owner) const {
    std::size_t nodes = 0;
    std::int64_t milli_cpus = 0;
    Bytes memory;
    std::map<std::string_view, std::int64_t> devices;
    for (const auto& [node, scene] : nodes_) {
        const NodeShape& shape = cluster_.shape(node);
        const auto at = std::find_if(scene.owners.begin(), scene.owners.end(),
                                     [&](const Owner& one) { return one.colour == owner; });
        if (at == scene.owners.end()) continue;
        ++nodes;
        milli_cpus +=
            at->milli_cpus.value() +
            1000 * static_cast<std::int64_t>(shape.hardware.threads_of(at->cores).count());
        memory = checked_add(memory, at->memory).value_or(Bytes::max());
        for (const DeviceShare& share : at->devices) {
            const Device& device = shape.devices[share.device.value()];
            devices[device.name] += size_of(device, share);
        }
    }
    std::string words = counted(nodes, "node");
    if (milli_cpus != 0) words += ", " + thousandths_words(milli_cpus) + " CPUs";
    if (!memory.is_zero()) words += ", " + size_words(memory);
    for (const auto& [name, amount] : devices) {
        words += fmt::format(", {} {}", thousandths_words(amount), name);
    }
    return words;
}

std::vector<LegendEntry> NodeCards::legend() const {
    std::vector<LegendEntry> entries;
    for (std::size_t i = 0; i < owners_.size(); ++i) {
        const Owner owner = owners_[i];
        entries.push_back(
            {owner.label, amounts(i), [owner](Canvas& to, Rect r) { Cells::fill(to, r, owner); }});
    }
    return first_owners(std::move(entries));
}

}  // namespace trestle::svg
