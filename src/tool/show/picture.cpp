// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../call/output.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"

namespace trestle::tool {
namespace {

constexpr std::size_t lines_at_most = 32;  ///< of nodes of a partition; more are cells
constexpr std::size_t bar_width = 10;
constexpr std::size_t devices_drawn = 16;  ///< of one name on a node

constexpr const char* line_legend = "# taken  . free  ! free and stranded: no job can have it\n";
constexpr const char* cell_legend =
    "a cell is a node: . idle  1-9 tenths taken  # full  ! stranded devices  d drained  x down\n";

struct Reason {
    const char* words;
    std::int64_t DeviceUse::*count;
};
constexpr Reason ways_lost[] = {{"cores gone", &DeviceUse::cores_gone},
                                {"memory gone", &DeviceUse::memory_gone},
                                {"node drained or down", &DeviceUse::node_gone}};

std::string plural(std::int64_t count, const char* word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

/// True where both count devices of one name and vendor.
template <class A, class B>
bool is_same_kind(const A& a, const B& b) {
    return a.name == b.name && a.vendor == b.vendor;
}

/// The name, with the vendor where another one of the partition has devices of that name.
std::string kind_text(const PartitionUse& partition, const DeviceUse& use) {
    const auto& all = partition.sum.devices;
    const bool is_shared = std::any_of(all.begin(), all.end(), [&](const DeviceUse& one) {
        return one.name == use.name && one.vendor != use.vendor;
    });
    return is_shared && !use.vendor.empty() ? use.vendor + "/" + use.name : use.name;
}

/// `3 stranded: cores gone 2 (g1), node drained or down 1 (g[4-5])`.
std::string stranded_text(const PartitionUse& partition, const DeviceUse& sum) {
    std::string text;
    for (const Reason& reason : ways_lost) {
        if (sum.*reason.count == 0) continue;
        slurm::Hostlist nodes;
        for (const NodeUse& node : partition.nodes) {
            for (const DeviceUse& use : node.devices) {
                if (is_same_kind(use, sum) && use.*reason.count > 0) nodes.push_back(node.name);
            }
        }
        text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", reason.words,
                            sum.*reason.count, to_text(nodes.sorted()));
    }
    const std::string count = fmt::format("{} stranded", sum.stranded());
    return coloured(count, Tone::bad) + ": " + text;
}

std::string devices_text(const PartitionUse& partition) {
    std::string text;
    for (const DeviceUse& sum : partition.sum.devices) {
        text +=
            fmt::format("  {:<7} {} of {} taken", kind_text(partition, sum), sum.taken, sum.count);
        const auto& all = partition.free_devices;
        const auto free = std::find_if(all.begin(), all.end(),
                                       [&](const auto& one) { return is_same_kind(one, sum); });
        if (sum.free() > 0) {
            text += fmt::format(
                ", {} usable ({} on idle nodes, at most {} on one node), fragmentation {}%",
                free->usable, free->on_idle_nodes, free->most_on_a_node, free->fragmentation);
        }
        text += "\n";
        if (sum.stranded() > 0) text += "          " + stranded_text(partition, sum) + "\n";
    }
    return text;
}

std::string head_text(const PartitionUse& partition) {
    const std::string name =
        partition.name.empty() ? "without a partition" : "partition " + partition.name;
    const NodeUse& sum = partition.sum;
    constexpr std::int64_t gib = std::int64_t{1} << 30;
    return fmt::format(
        "{}: {}, {} idle, {} drained or down\n  cores   {} of {} taken\n  memory  {:.1f} of "
        "{:.1f} GiB taken\n",
        name, plural(static_cast<std::int64_t>(partition.nodes.size()), "node"), partition.idle,
        partition.out, sum.cores_taken, sum.cores,
        static_cast<double>(sum.memory_taken.value()) / static_cast<double>(gib),
        static_cast<double>(sum.memory.value()) / static_cast<double>(gib));
}

/// How much of it is taken, in tenths: 0 for nothing, 10 for all of it.
std::int64_t tenths(std::int64_t taken, std::int64_t count) {
    if (count == 0 || taken == 0) return 0;
    return taken >= count ? 10 : std::clamp<std::int64_t>(10 * taken / count, 1, 9);
}

std::string bar(std::int64_t taken, std::int64_t count) {
    const auto full = static_cast<std::size_t>(tenths(taken, count)) * bar_width / 10;
    return coloured(std::string(full, '#'), Tone::doubtful) + std::string(bar_width - full, '.');
}

std::string device_cells(const DeviceUse& use) {
    const auto stranded = static_cast<std::size_t>(use.stranded());
    const auto taken = static_cast<std::size_t>(use.taken);
    const auto free = static_cast<std::size_t>(use.free()) - stranded;
    if (static_cast<std::size_t>(use.count) > devices_drawn) {
        return fmt::format("{}/{}", use.taken, use.count);
    }
    return coloured(std::string(taken, '#'), Tone::doubtful) +
           coloured(std::string(free, '.'), Tone::good) +
           coloured(std::string(stranded, '!'), Tone::bad);
}

std::string node_line(const PartitionUse& partition, const NodeUse& node, std::size_t name_width) {
    std::string text = fmt::format("  {:<{}}  cores {} {:>3}/{:<3}", node.name, name_width,
                                   bar(node.cores_taken, node.cores), node.cores_taken, node.cores);
    text += fmt::format("  memory {}", bar(node.memory_taken.value(), node.memory.value()));
    for (const DeviceUse& use : node.devices) {
        text += fmt::format("  {} {}", kind_text(partition, use), device_cells(use));
    }
    if (node.state != NodeState::up) {
        text += fmt::format("  {}", coloured(to_text(node.state), Tone::bad));
    } else if (!node.takes_work) {
        text += "  " + coloured("failing", Tone::bad);
    }
    return text + "\n";
}

/// The character of a node, and its tone.
std::pair<char, Tone> cell_of(const NodeUse& node) {
    if (node.state == NodeState::drained) return {'d', Tone::bad};
    if (!node.takes_work) return {'x', Tone::bad};
    std::int64_t most = std::max(tenths(node.cores_taken, node.cores),
                                 tenths(node.memory_taken.value(), node.memory.value()));
    for (const DeviceUse& use : node.devices) {
        if (use.stranded() > 0) return {'!', Tone::bad};
        most = std::max(most, tenths(use.taken, use.count));
    }
    if (most == 0) return {'.', Tone::good};
    if (most == 10) return {'#', Tone::doubtful};
    return {static_cast<char>('0' + most), Tone::doubtful};
}

std::string cells_text(const std::vector<NodeUse>& nodes, std::size_t name_width,
                       std::size_t width) {
    std::size_t in_row = std::max<std::size_t>(10, width - std::min(width, name_width + 4));
    in_row -= in_row % 10;
    std::string text;
    for (std::size_t first = 0; first < nodes.size(); first += in_row) {
        text += fmt::format("  {:<{}}  ", nodes[first].name, name_width);
        const std::size_t end = std::min(nodes.size(), first + in_row);
        for (std::size_t i = first; i < end;) {  // equal neighbours are coloured together
            const auto cell = cell_of(nodes[i]);
            std::string run;
            for (; i < end && cell_of(nodes[i]) == cell; ++i) run += cell.first;
            text += coloured(run, cell.second);
        }
        text += "\n";
    }
    return text;
}

}  // namespace

std::string picture_text(const std::vector<PartitionUse>& partitions, std::size_t width) {
    std::string text;
    bool has_lines = false, has_cells = false;
    for (const PartitionUse& partition : partitions) {
        text += head_text(partition) + devices_text(partition);
        std::size_t name_width = 0;
        for (const NodeUse& node : partition.nodes) {
            name_width = std::max(name_width, node.name.size());
        }
        if (partition.nodes.size() <= lines_at_most) {
            has_lines |= !partition.nodes.empty();
            for (const NodeUse& node : partition.nodes)
                text += node_line(partition, node, name_width);
        } else {
            has_cells = true;
            text += cells_text(partition.nodes, name_width, width);
        }
        text += "\n";
    }
    if (has_lines) text += line_legend;
    if (has_cells) text += cell_legend;
    return text;
}

}  // namespace trestle::tool
