// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/conf/merge.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "../../../words.hpp"
#include "../../gres_details.hpp"
#include "../../gres_device_tags.hpp"
#include "../conf_lines.hpp"
#include "gres_records.hpp"

namespace trestle::slurm {
namespace {

HardwareLevel socket_level(const NodeLine& line) {
    for (const std::string& parameter : line.parameters) {
        if (words::same_word(parameter, "l3cache_as_socket")) return HardwareLevel::l3;
        if (words::same_word(parameter, "numa_node_as_socket")) return HardwareLevel::numa;
    }
    return HardwareLevel::package;
}

HardwareTree build_hardware(const NodeLine& line) {
    HardwareTree tree;
    const HardwareLevel level = socket_level(line);
    const std::uint32_t ids = std::max(line.cpu_ids_per_core, line.threads_per_core);
    for (std::uint32_t socket = 0; socket < line.sockets; ++socket) {
        const std::uint32_t first = tree.core_count();
        for (std::uint32_t c = 0; c < line.cores_per_socket; ++c) {
            Core core;
            for (std::uint32_t t = 0; t < line.threads_per_core; ++t) {
                core.threads.emplace_back((first + c) * ids + t);
            }
            tree.cores.push_back(std::move(core));
        }
        tree.groups.push_back({level, OsIndex(socket), CoreSet::range({first, tree.core_count()})});
    }
    return tree;
}

/// Part `i` of what is divided by sockets: the first ones have a byte more.
Bytes part_of(Bytes whole, const NodeLine& line, std::uint32_t i) {
    const std::int64_t rest = whole.value() % line.sockets;
    return div_floor(whole, line.sockets) + Bytes(i < rest ? 1 : 0);
}

std::vector<MemoryDomain> build_memory(const NodeLine& line, const HardwareTree& tree) {
    std::vector<MemoryDomain> domains;
    for (const CoreGroup& socket : tree.groups) {
        const std::uint32_t i = socket.os_index.value();
        domains.push_back({socket.os_index, MemoryDomain::Kind::dram, part_of(line.memory, line, i),
                           socket.cores, part_of(line.memory_reserved, line, i)});
    }
    return domains;
}

/// The driver's maker, as far as a line of gres.conf tells it.
std::string vendor_of(const GresLine& line) {
    if (has_flag(line, GresFlag::no_gpu_env)) return "";
    if (has_flag(line, GresFlag::nvidia_gpu_env)) return "nvidia";
    if (has_flag(line, GresFlag::amd_gpu_env)) return "amd";
    if (has_flag(line, GresFlag::intel_gpu_env)) return "intel";
    const bool is_nvidia = !line.files.is_empty() && line.files[0].starts_with("/dev/nvidia");
    return is_nvidia ? "nvidia" : "";
}

/// Makes the shape of the records.
class ShapeBuilder {
  public:
    ShapeBuilder(const NodeView& view, GresRecords records, std::vector<ConfError>& errors)
        : view_(view), records_(std::move(records)), errors_(errors) {}

    /// `had_errors`: before this, for the node. `is_detecting`: it has devices of its own, or may.
    MergedNode build(bool had_errors, bool is_detecting) {
        const std::size_t errors_before = errors_.size();
        shape_.hardware = build_hardware(view_.node);
        std::optional<NodeFault> fault;
        if (!had_errors) fault = fault_of(view_, records_, shape_.hardware, is_detecting);
        shape_.memory = build_memory(view_.node, shape_.hardware);
        shape_.disk = view_.node.tmp_disk;
        shape_.system_cores = system_cores_of(view_.node, view_.system_cores_from);
        for (const GresRecord& record : records_.devices) add(record);
        add_links();
        for (const GresRecord& parts : records_.parts) add_parts(parts);
        reserve_cores();
        if (const Status status = check(shape_); !status.ok()) {
            had_errors = had_errors || count_unmended(errors_, errors_before) != 0;
            if (!had_errors)
                add_error(view_.node.place, "", message(status), "devices that can be");
            shape_.devices.clear();
            shape_.links.clear();
        }
        return MergedNode{std::move(shape_), std::move(records_.warnings), std::move(fault)};
    }

  private:
    void add_error(const ConfPlace& place, std::string token, std::string_view what,
                   std::string expected) {
        errors_.push_back({place, {0, std::move(token), std::string(what), std::move(expected)}});
    }

    void add(const GresRecord& record) {
        Device device = record.detected != nullptr ? *record.detected : Device();
        device.name = record.name;
        device.type = record.type;
        device.index = next_index_[words::lower(record.name)]++;
        device.is_consumed = record.is_consumed;
        if (record.detected == nullptr) {
            for (const std::string& file : record.files) {
                device.files.push_back({file, Device::File::Kind::character, {}, {}});
            }
        }
        if (record.count != Count(1)) {
            device.shares = record.count;
            device.share_kind = ShareKind::unit;
        }
        if (record.line != nullptr) {
            const bool is_count = has_flag(*record.line, GresFlag::count_only);
            if (device.vendor.empty() && !is_count) device.vendor = vendor_of(*record.line);
            device.is_explicit = has_flag(*record.line, GresFlag::explicit_only);
            if (has_flag(*record.line, GresFlag::env_uuid) && !is_count) {
                device.attributes.push_back(
                    {std::string(trestle::to_text(GresFlag::env_uuid)), "true"});
            }
        }
        if (record.cores) device.cores = has_cores(record) ? *record.cores : CoreSet();
        shape_.devices.push_back(std::move(device));
    }

    /// False, with a mistake of the record's line, where some do not exist: Slurm drops all.
    bool has_cores(const GresRecord& record) {
        const std::uint32_t cores = shape_.hardware.core_count();
        if (record.cores->is_empty() || record.cores->last()->value() < cores) return true;
        if (bad_cores_.insert(record.line).second) {
            add_error(place_of(record), fmt::format("Cores={}", to_text(*record.cores)),
                      fmt::format("core {} does not exist on node {}",
                                  record.cores->last()->value(), view_.name),
                      fmt::format("0-{}", cores - 1));
            errors_.back().taken = "no cores";
        }
        return false;
    }

    /// Links[j] of a device whose own place is i is the strength between the devices of places i
    /// and j of that name. What one device leaves at 0 may stand at the other; a place may be that
    /// of a device which was left out.
    void add_links() {
        using Place = std::pair<std::string, std::size_t>;
        std::map<Place, DeviceId> at;
        for (std::uint32_t i = 0; i < shape_.devices.size(); ++i) {
            const GresRecord& record = records_.devices[i];
            const auto self = std::find(record.links.begin(), record.links.end(), -1);
            if (self == record.links.end()) continue;
            const auto place = static_cast<std::size_t>(self - record.links.begin());
            if (!at.emplace(Place(record.name, place), DeviceId(i)).second) {
                add_error(place_of(record), "Links",
                          fmt::format("place {} on node {} is taken", place, view_.name),
                          "a place for each device");
            }
        }
        std::map<std::pair<DeviceId, DeviceId>, std::uint32_t> strengths;
        for (const auto& [place, id] : at) {
            const GresRecord& record = records_.devices[id.value()];
            for (std::size_t j = 0; j < record.links.size(); ++j) {
                const auto peer = at.find(Place(place.first, j));
                if (record.links[j] <= 0 || peer == at.end()) continue;
                const auto strength = static_cast<std::uint32_t>(record.links[j]);
                const auto [known, is_new] =
                    strengths.emplace(std::minmax(id, peer->second), strength);
                if (!is_new && known->second != strength) {
                    add_error(place_of(record), "Links",
                              fmt::format("{} to place {} of node {}", strength, j, view_.name),
                              fmt::format("{} as its own line says", known->second));
                }
            }
        }
        for (const auto& [pair, strength] : strengths) {
            shape_.links.push_back({pair.first, pair.second, strength});
        }
    }

    [[nodiscard]] ConfPlace place_of(const GresRecord& record) const {
        return record.line != nullptr ? record.line->place : view_.node.place;
    }
    void warn(const GresRecord& record, const std::string& what) {
        records_.warnings.push_back(
            {place_of(record), fmt::format("node {}: {}", view_.name, what)});
    }

    /// Cuts GPUs into parts.
    void add_parts(const GresRecord& parts) {
        std::vector<Device*> gpus;
        for (Device& device : shape_.devices) {
            const bool is_its_type = parts.type.empty() || device.type.empty() ||
                                     words::same_word(device.type, parts.type);
            if (words::same_word(device.name, "gpu") && is_its_type) gpus.push_back(&device);
        }
        if (gpus.empty()) return warn(parts, parts.name + " without a GPU");
        if (!parts.files.empty()) return add_parts_of_files(parts, gpus);
        Count left = parts.count;
        auto devices = static_cast<std::int64_t>(gpus.size());
        for (Device* const gpu : gpus) {  // the first ones get less where they are no multiple
            const Count of_gpu = div_floor(left, devices--);
            left -= of_gpu;
            cut(parts, *gpu, of_gpu);
        }
    }

    void add_parts_of_files(const GresRecord& parts, const std::vector<Device*>& gpus) {
        const Count of_file = div_floor(parts.count, static_cast<std::int64_t>(parts.files.size()));
        for (const std::string& file : parts.files) {
            const auto gpu = std::find_if(gpus.begin(), gpus.end(), [&](const Device* device) {
                return std::any_of(device->files.begin(), device->files.end(),
                                   [&](const Device::File& its) { return its.path == file; });
            });
            if (gpu == gpus.end()) {
                warn(parts, fmt::format("{} of {}, which is no GPU", parts.name, file));
            } else {
                cut(parts, **gpu, of_file);
            }
        }
    }

    void cut(const GresRecord& parts, Device& gpu, Count count) {
        if (count.is_zero()) return;
        const ShareKind kind = part_kind(parts.name);
        if (gpu.share_kind == ShareKind::part) {
            gpu.share_kind = kind;
            gpu.shares = count;
        } else if (gpu.share_kind == kind) {
            if (const auto sum = checked_add(gpu.shares, count)) gpu.shares = *sum;
        } else {
            warn(parts, fmt::format("{} of GPU {}, which is cut into {} already", parts.name,
                                    gpu.index, is_counter(gpu) ? gpu.name : parts_name(gpu)));
        }
    }

    /// RestrictedCoresPerGPU, of devices with Cores= alone.
    void reserve_cores() {
        CoreSet taken = shape_.system_cores;
        for (Device& device : shape_.devices) {
            if (!words::same_word(device.name, "gpu")) continue;
            std::uint32_t wanted = view_.node.restricted_cores_per_gpu;
            for (const CoreId core : device.cores - taken) {
                if (wanted == 0) break;
                device.reserved_cores.insert(core);
                --wanted;
            }
            taken |= device.reserved_cores;
        }
    }

    const NodeView& view_;
    GresRecords records_;
    std::vector<ConfError>& errors_;
    NodeShape shape_;
    std::set<const GresLine*> bad_cores_;  ///< lines whose cores are given as none
    std::map<std::string, std::uint32_t, std::less<>> next_index_;
};

bool may_use_detected(const NodeView& view, std::optional<AutoDetect> autodetect) {
    if (autodetect) return *autodetect != AutoDetect::off;
    return std::none_of(view.lines.begin(), view.lines.end(),
                        [](const GresLine* line) { return words::same_word(line->name, "gpu"); });
}

NodeView view_of(const NodeConf& conf) {
    NodeView view{conf.name, conf.node, {}, conf.system_cores_from};
    for (const GresLine& line : conf.gres) {
        if (line.nodes.is_empty() || line.nodes.contains(conf.name)) view.lines.push_back(&line);
    }
    return view;
}

}  // namespace

MergedNode merge(const NodeView& view, const std::optional<NodeShape>& detected,
                 std::vector<ConfError>& errors) {
    const std::size_t errors_before = errors.size();
    const auto autodetect = autodetect_of(view, errors);
    GresRecords records = records_of(view, errors);
    if (detected && may_use_detected(view, autodetect)) {
        match_detected(view, *detected, autodetect, records);
    }
    const bool had_errors = count_unmended(errors, errors_before) != 0;
    const bool is_detecting = detected || autodetect.value_or(AutoDetect::off) != AutoDetect::off;
    return ShapeBuilder(view, std::move(records), errors).build(had_errors, is_detecting);
}

StatusOr<MergedNode> merge(const NodeConf& conf, const std::optional<NodeShape>& detected) {
    std::vector<ConfError> errors;
    MergedNode merged = merge(view_of(conf), detected, errors);
    settle_mistakes(MendedMistakes::warnings, errors, merged.warnings);
    TRESTLE_TRY_STATUS(first_error_of_lines(errors));
    return merged;
}

StatusOr<std::optional<AutoDetect>> autodetect_of(const NodeConf& conf) {
    std::vector<ConfError> errors;
    const auto autodetect = autodetect_of(view_of(conf), errors);
    TRESTLE_TRY_STATUS(first_error_of_lines(errors));
    return autodetect;
}

std::vector<GresDetail> configured_gres(const NodeShape& shape) {
    std::vector<GresDetail> list;
    std::vector<GresDetail> parts;
    const std::vector<CoreSet> sockets = socket_sets(shape);
    const auto add = [&](std::vector<GresDetail>& to, const Device& device, std::string_view name,
                         Count count) {
        GresDetail& detail = detail_of(to, name, device.type);
        add_count(detail, count);
        for (std::uint32_t i = 0; i < sockets.size(); ++i) {
            if (sockets[i].intersects(device.cores)) detail.sockets.insert(i);
        }
    };
    for (const Device& device : shape.devices) {
        const Count count = is_counter(device) ? device.shares : Count(1);
        add(list, device, device.name, count);
        const std::string_view of_parts = parts_name(device);
        if (!of_parts.empty()) add(parts, device, of_parts, device.shares);
    }
    list.insert(list.end(), parts.begin(), parts.end());
    return list;
}

}  // namespace trestle::slurm
