// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/describe.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "../words.hpp"

namespace trestle::slurm {
namespace {

constexpr std::int64_t devices_max = 4096;

/// What describes the devices of one node, in the order of gres.conf.
using LinesOfNode = std::vector<const GresLine*>;

/// The lines of gres.conf by the node that they speak of; those for every node apart.
class LinesByNode {
  public:
    explicit LinesByNode(std::span<const GresLine> lines) {
        for (const GresLine& line : lines) {
            if (line.nodes.empty()) everywhere_.push_back(&line);
            for (const std::string& name : line.nodes) by_name_[name].push_back(&line);
        }
    }

    [[nodiscard]] LinesOfNode of(const std::string& name) const {
        LinesOfNode lines = everywhere_;
        if (const auto own = by_name_.find(name); own != by_name_.end()) {
            lines.insert(lines.end(), own->second.begin(), own->second.end());
        }
        std::sort(lines.begin(), lines.end(), [](auto a, auto b) { return a->line < b->line; });
        lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
        return lines;
    }

  private:
    LinesOfNode everywhere_;
    std::map<std::string, LinesOfNode, std::less<>> by_name_;
};

HardwareTree build_hardware(const NodeLine& line) {
    HardwareTree tree;
    for (std::uint32_t socket = 0; socket < line.sockets; ++socket) {
        const std::uint32_t first = tree.core_count();
        for (std::uint32_t c = 0; c < line.cores_per_socket; ++c) {
            Core core;
            for (std::uint32_t t = 0; t < line.threads_per_core; ++t) {
                core.threads.emplace_back((first + c) * line.threads_per_core + t);
            }
            tree.cores.push_back(std::move(core));
        }
        tree.groups.push_back(
            {HardwareLevel::package, OsIndex(socket), CoreSet::range({first, tree.core_count()})});
    }
    return tree;
}

std::vector<MemoryDomain> build_memory(const NodeLine& line, const HardwareTree& tree) {
    std::vector<MemoryDomain> domains;
    const std::int64_t rest = line.memory.value() % line.sockets;
    for (const CoreGroup& socket : tree.groups) {
        const Bytes extra(socket.os_index.value() < rest ? 1 : 0);
        domains.push_back({socket.os_index, MemoryKind::dram,
                           div_floor(line.memory, line.sockets) + extra, socket.cores});
    }
    return domains;
}

/// The driver's maker, as far as a line of gres.conf tells it.
std::string vendor_of(const GresLine& line) {
    if (has_flag(line, "nvidia_gpu_env")) return "nvidia";
    if (has_flag(line, "amd_gpu_env")) return "amd";
    if (has_flag(line, "intel_gpu_env")) return "intel";
    const bool is_nvidia = std::any_of(line.files.begin(), line.files.end(), [](const auto& file) {
        return file.starts_with("/dev/nvidia");
    });
    return is_nvidia ? "nvidia" : "";
}

/// Makes the devices of one node out of its slurm.conf line and its gres.conf lines.
class DeviceBuilder {
  public:
    DeviceBuilder(const NodeLine& node, const std::string& name, LinesOfNode lines)
        : node_(node), name_(name), lines_(std::move(lines)) {}

    StatusOr<NodeShape> build() {
        shape_.hardware = build_hardware(node_);
        shape_.memory = build_memory(node_, shape_.hardware);
        shape_.disk = node_.tmp_disk;
        for (const Gres& gres : node_.gres) TRESTLE_TRY_STATUS(add_gres(gres));
        TRESTLE_TRY_STATUS(check_unused());
        TRESTLE_TRY_STATUS(add_links());
        TRESTLE_TRY_STATUS(check(shape_));
        return std::move(shape_);
    }

  private:
    [[nodiscard]] bool detects() const {
        return std::any_of(lines_.begin(), lines_.end(), [](const GresLine* line) {
            return !line->autodetect.empty() && line->autodetect != "off";
        });
    }

    Status add_gres(const Gres& gres) {
        Count described;
        const GresLine* last = nullptr;
        TRESTLE_TRY_STATUS(check_device_count(gres.count));
        for (const GresLine* line : lines_) {
            if (!words::same_word(line->name, gres.name)) continue;
            if (!gres.type.empty() && !words::same_word(line->type, gres.type)) continue;
            if (!used_.insert(line).second) continue;
            last = line;
            if (line->count > saturating_sub(gres.count, described)) {
                return invalid_argument(
                    "gres.conf line {}: {} more than the {} of slurm.conf line {} for node {}, "
                    "expected the same count",
                    line->line, to_text(Gres{line->name, line->type, line->count}), to_text(gres),
                    node_.line, name_);
            }
            described += line->count;
            TRESTLE_TRY_STATUS(add_line(gres, *line));
        }
        if (last != nullptr && described < gres.count && !detects()) {
            return invalid_argument(
                "gres.conf line {}: {} {} in all for node {}, expected {} as in slurm.conf line {}",
                last->line, described.value(), gres.name, name_, to_text(gres), node_.line);
        }
        for (; described < gres.count; described += Count(1)) add_device(gres, nullptr);
        return {};
    }

    Status check_device_count(Count more) const {
        if (more.value() <= devices_max - static_cast<std::int64_t>(shape_.devices.size())) {
            return {};
        }
        return invalid_argument("slurm.conf line {}: more than {} devices on node {}", node_.line,
                                devices_max, name_);
    }

    Status add_line(const Gres& gres, const GresLine& line) {
        const std::uint32_t cores = shape_.hardware.core_count();
        if (line.cores && line.cores->last()->value() >= cores) {
            return invalid_argument(
                "gres.conf line {}: Cores={}: core {} does not exist on node {}, expected 0-{}",
                line.line, to_text(*line.cores), line.cores->last()->value(), name_, cores - 1);
        }
        if (has_flag(line, "CountOnly") || line.files.empty()) {
            for (Count i; i < line.count; i += Count(1)) add_device(gres, &line);
            return {};
        }
        if (!line.is_one_device) {
            for (const std::string& file : line.files) {
                add_device(gres, &line).files = {{file, DeviceFile::Kind::character, {}, {}}};
            }
        } else {
            Device& device = add_device(gres, &line);
            for (const std::string& file : line.files) {
                device.files.push_back({file, DeviceFile::Kind::character, {}, {}});
            }
        }
        for (const std::string& file : line.files) {
            if (files_.insert(file).second) continue;
            return invalid_argument("gres.conf line {}: {} on node {} belongs to a device already",
                                    line.line, file, name_);
        }
        return {};
    }

    Device& add_device(const Gres& gres, const GresLine* line) {
        Device& device = shape_.devices.emplace_back();
        device.name = gres.name;
        device.type = gres.type;
        device.index = next_index_[gres.name]++;
        origin_.push_back(line);
        if (line != nullptr && !has_flag(*line, "CountOnly")) {
            device.vendor = vendor_of(*line);
            if (line->cores) device.cores = *line->cores;
        }
        return device;
    }

    /// A line that no GRES of slurm.conf took is a mistake in one of the files.
    Status check_unused() const {
        for (const GresLine* line : lines_) {
            if (line->name.empty() || line->count.is_zero() || used_.count(line) != 0) continue;
            return invalid_argument(
                "gres.conf line {}: {} for node {}, which slurm.conf line {} does not have: "
                "expected a Gres= that names it",
                line->line, to_text(Gres{line->name, line->type, line->count}), name_, node_.line);
        }
        return {};
    }

    /// Links[j] of a device whose own place is i is the strength between the devices of places i
    /// and j of that name. What one device leaves at 0 may stand at the other.
    Status add_links() {
        using Place = std::pair<std::string, std::size_t>;
        std::map<Place, DeviceId> at;
        for (std::uint32_t i = 0; i < shape_.devices.size(); ++i) {
            const GresLine* line = origin_[i];
            if (line == nullptr || line->links.empty()) continue;
            const auto self = std::find(line->links.begin(), line->links.end(), -1);
            const auto place = static_cast<std::size_t>(self - line->links.begin());
            if (!at.emplace(Place(shape_.devices[i].name, place), DeviceId(i)).second) {
                return invalid_argument("gres.conf line {}: Links: place {} on node {} is taken",
                                        line->line, place, name_);
            }
        }
        std::map<std::pair<DeviceId, DeviceId>, std::uint32_t> strengths;
        for (const auto& [place, id] : at) {
            const GresLine& line = *origin_[id.value()];
            for (std::size_t j = 0; j < line.links.size(); ++j) {
                if (line.links[j] <= 0) continue;
                const auto strength = static_cast<std::uint32_t>(line.links[j]);
                const auto peer = at.find(Place(place.first, j));
                if (peer == at.end()) {
                    return invalid_argument(
                        "gres.conf line {}: Links: no device of node {} is at place {}", line.line,
                        name_, j);
                }
                const auto [known, is_new] =
                    strengths.emplace(std::minmax(id, peer->second), strength);
                if (!is_new && known->second != strength) {
                    return invalid_argument(
                        "gres.conf line {}: Links: {} to place {} of node {}, expected {} as its "
                        "own line says",
                        line.line, strength, j, name_, known->second);
                }
            }
        }
        for (const auto& [pair, strength] : strengths) {
            shape_.links.push_back({pair.first, pair.second, strength});
        }
        return {};
    }

    const NodeLine& node_;
    const std::string& name_;
    LinesOfNode lines_;
    NodeShape shape_;
    std::vector<const GresLine*> origin_;  ///< by DeviceId; null without a line
    std::map<std::string, std::uint32_t, std::less<>> next_index_;
    std::set<const GresLine*> used_;
    std::set<std::string, std::less<>> files_;
};

}  // namespace

StatusOr<std::vector<Node>> build_nodes(std::span<const NodeLine> nodes,
                                        std::span<const GresLine> gres) {
    const LinesByNode lines(gres);
    std::vector<Node> result;
    std::set<std::string, std::less<>> seen;
    for (const NodeLine& line : nodes) {
        std::map<LinesOfNode, Shared<NodeShape>> shapes;  // most nodes of a line are alike
        for (const std::string& name : line.names) {
            if (!seen.insert(name).second) {
                return invalid_argument("slurm.conf line {}: node {} is named twice", line.line,
                                        name);
            }
            LinesOfNode own = lines.of(name);
            auto shape = shapes.find(own);
            if (shape == shapes.end()) {
                TRESTLE_TRY(NodeShape built, DeviceBuilder(line, name, own).build());
                shape = shapes.emplace(std::move(own), std::move(built)).first;
            }
            Node node;
            node.name = name;
            node.shape = shape->second;
            node.features = line.features;
            node.weight = line.weight;
            node.state = line.state;
            result.push_back(std::move(node));
        }
    }
    return result;
}

StatusOr<std::vector<Node>> parse_nodes(const ConfTexts& texts) {
    TRESTLE_TRY(const auto nodes, parse_node_conf(texts.node_conf));
    TRESTLE_TRY(const auto gres, parse_gres_conf(texts.gres_conf));
    return build_nodes(nodes, gres);
}

}  // namespace trestle::slurm
