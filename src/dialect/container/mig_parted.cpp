// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/mig_parted.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "../words.hpp"
#include "../yaml.hpp"
#include "alloc/node/slice_space.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/slice_geometry.hpp"

namespace trestle::container {
namespace {

constexpr std::size_t mig_text_max = std::size_t{1} << 20;
constexpr std::uint64_t mig_instances_max = 64;
constexpr std::uint64_t mig_devices_max = 1024;

/// A card by the id that the PCI bus has for it, vendor behind device.
struct MigCard {
    std::string_view pci_id;
    std::string_view geometry;
};
constexpr std::array mig_cards{
    MigCard{"0x20b010de", "a100-40gb"},                                              // A100 SXM4
    MigCard{"0x20b110de", "a100-40gb"},                                              // A100 PCIe
    MigCard{"0x20f110de", "a100-40gb"},         MigCard{"0x20f610de", "a100-40gb"},  // A800 SXM4
    MigCard{"0x20b210de", "a100-80gb"},                                              // A100 SXM4
    MigCard{"0x20b510de", "a100-80gb"},                                              // A100 PCIe
    MigCard{"0x20f310de", "a100-80gb"},                                              // A800 SXM4
    MigCard{"0x20f510de", "a100-80gb"},                                              // A800 PCIe
    MigCard{"0x20b710de", "a30-24gb"},          MigCard{"0x233010de", "h100-80gb"},  // H100 SXM5
    MigCard{"0x233110de", "h100-80gb"},                                              // H100 PCIe
    MigCard{"0x232210de", "h100-80gb"},                                              // H800 PCIe
    MigCard{"0x232410de", "h100-80gb"},                                              // H800 SXM5
    MigCard{"0x232110de", "h100-94gb"},                                              // H100 NVL
    MigCard{"0x233a10de", "h100-94gb"},                                              // H800 NVL
    MigCard{"0x20b610de", "h100-96gb"},                                              // PG506
    MigCard{"0x232910de", "h100-96gb"},                                              // H20
    MigCard{"0x233d10de", "h100-96gb"},         MigCard{"0x234210de", "h100-96gb"},  // GH200
    MigCard{"0x233510de", "h200-141gb"},                                             // H200 SXM5
    MigCard{"0x233b10de", "h200-141gb"},                                             // H200 NVL
    MigCard{"0x234810de", "gh200-144gb"},                                            // GH200 HBM3e
    MigCard{"0x290110de", "b200-180gb"},        MigCard{"0x294110de", "gb200-186gb"},
    MigCard{"0x2bb510de", "rtx-pro-6000-96gb"},
};

/// Nothing: no such card is known.
std::optional<std::string_view> geometry_of_card(std::string_view pci_id) {
    const auto* const found =
        std::find_if(mig_cards.begin(), mig_cards.end(),
                     [&](const MigCard& card) { return words::same_word(card.pci_id, pci_id); });
    if (found == mig_cards.end()) return std::nullopt;
    return found->geometry;
}

StatusOr<std::uint64_t> whole_number(const YAML::Node& node, std::uint64_t end) {
    constexpr std::string_view what = "malformed number";
    const std::string expected = fmt::format("a whole number below {}", end);
    if (!node.IsScalar()) return yaml::yaml_error(node, what, expected);
    const std::string& text = node.Scalar();
    if (text.empty() || text.size() > 9 ||
        !std::all_of(text.begin(), text.end(), words::is_digit)) {
        return yaml::yaml_error(node, what, expected);
    }
    const std::uint64_t value = std::stoul(text);
    if (value >= end) return yaml::yaml_error(node, what, expected);
    return value;
}

StatusOr<std::vector<std::uint32_t>> indexes_of(const YAML::Node& node) {
    std::vector<std::uint32_t> indexes;
    if (node.IsScalar() && node.Scalar() == "all") return indexes;
    if (!node.IsSequence() || node.size() == 0) {
        return yaml::yaml_error(node, "malformed devices", "all or a list of indexes");
    }
    for (const YAML::Node& one : node) {
        TRESTLE_TRY(const std::uint64_t index, whole_number(one, mig_devices_max));
        indexes.push_back(static_cast<std::uint32_t>(index));
    }
    return indexes;
}

StatusOr<std::vector<std::string>> filter_of(const YAML::Node& node) {
    if (node.IsScalar()) return std::vector<std::string>{node.Scalar()};
    std::vector<std::string> ids;
    if (!node.IsSequence() || node.size() == 0) {
        return yaml::yaml_error(node, "malformed device-filter",
                                "an id such as 0x233010DE, or a list");
    }
    for (const YAML::Node& one : node) {
        if (!one.IsScalar()) return yaml::yaml_error(one, "malformed id", "0x233010DE");
        ids.push_back(one.Scalar());
    }
    return ids;
}

StatusOr<std::vector<MigCount>> instances_of(const YAML::Node& node) {
    std::vector<MigCount> instances;
    if (node.IsNull()) return instances;
    if (!node.IsMap()) {
        return yaml::yaml_error(node, "malformed mig-devices",
                                "profiles with counts: \"1g.10gb\": 7");
    }
    for (const auto& entry : node) {
        const YAML::Node& key = entry.first;
        const YAML::Node& value = entry.second;
        if (!key.IsScalar()) return yaml::yaml_error(key, "malformed profile", "1g.10gb");
        TRESTLE_TRY(const std::uint64_t count, whole_number(value, mig_instances_max + 1));
        instances.push_back({key.Scalar(), Count(static_cast<std::int64_t>(count))});
    }
    return instances;
}

StatusOr<MigLayout> layout_of(const YAML::Node& node) {
    if (!node.IsMap()) return yaml::yaml_error(node, "malformed layout", "a mapping");
    MigLayout layout;
    bool has_devices = false;
    bool has_mode = false;
    for (const auto& entry : node) {
        const YAML::Node& key = entry.first;
        const YAML::Node& value = entry.second;
        const std::string name = key.IsScalar() ? key.Scalar() : "";
        if (name == "devices") {
            TRESTLE_TRY(layout.devices, indexes_of(value));
            has_devices = true;
        } else if (name == "device-filter") {
            TRESTLE_TRY(layout.device_filter, filter_of(value));
        } else if (name == "mig-enabled") {
            if (!yaml::is_boolean(value))
                return yaml::yaml_error(value, "malformed switch", "true or false");
            layout.is_enabled = value.as<bool>();
            has_mode = true;
        } else if (name == "mig-devices") {
            TRESTLE_TRY(layout.instances, instances_of(value));
        } else {
            return yaml::yaml_error(key, "unknown key",
                                    "devices, device-filter, mig-enabled or mig-devices");
        }
    }
    if (!has_devices) return yaml::yaml_error(node, "no devices", "devices: all or indexes");
    if (!has_mode) return yaml::yaml_error(node, "no mig-enabled", "true or false");
    if (!layout.is_enabled && !layout.instances.empty()) {
        return yaml::yaml_error(node, "mig-devices without MIG", "mig-enabled: true");
    }
    return layout;
}

StatusOr<MigConfig> mig_config_of(const YAML::Node& key, const YAML::Node& value) {
    if (!key.IsScalar())
        return yaml::yaml_error(key, "malformed name", "a name such as all-balanced");
    MigConfig config{key.Scalar(), {}};
    if (!value.IsSequence()) return yaml::yaml_error(value, "malformed configuration", "a list");
    for (const YAML::Node& one : value) {
        TRESTLE_TRY(MigLayout layout, layout_of(one));
        config.layouts.push_back(std::move(layout));
    }
    return config;
}

/// `all-balanced: gpu 2 (NVIDIA A10)`.
std::string place_of(const MigConfig& config, std::size_t index, const Device& gpu) {
    return fmt::format("{}: gpu {} ({})", config.name, index,
                       gpu.model.empty() ? gpu.type : gpu.model);
}

bool applies(const MigLayout& layout, std::size_t index, const SliceGeometry* geometry) {
    const auto& devices = layout.devices;
    const bool is_named =
        devices.empty() || std::find(devices.begin(), devices.end(), index) != devices.end();
    if (!is_named || layout.device_filter.empty()) return is_named;
    return geometry != nullptr &&
           std::any_of(
               layout.device_filter.begin(), layout.device_filter.end(),
               [&](const std::string& id) { return geometry_of_card(id) == geometry->name; });
}

/// The last layout that applies, or null. Errors: as with_mig_config.
StatusOr<const MigLayout*> layout_for(const MigConfig& config, std::size_t index, const Device& gpu,
                                      const SliceGeometry* geometry) {
    const MigLayout* found = nullptr;
    const std::string* unknown = nullptr;
    for (const MigLayout& layout : config.layouts) {
        if (applies(layout, index, geometry)) found = &layout;
        for (const std::string& id : layout.device_filter) {
            if (!geometry_of_card(id)) unknown = &id;
        }
    }
    if (found == nullptr && unknown != nullptr) {
        return invalid_argument("{}: no layout, and device-filter {} is of no card that is known",
                                place_of(config, index, gpu), *unknown);
    }
    return found;
}

StatusOr<Slicing> slicing_of(const MigLayout& layout, const SliceGeometry* geometry,
                             const std::string& place) {
    if (geometry == nullptr) {
        return invalid_argument("{}: expected a GPU that can be cut into MIG instances", place);
    }
    Slicing slicing{*geometry, {}, true};
    std::vector<std::string_view> wanted;
    for (const MigCount& one : layout.instances) {
        if (geometry->find(one.profile) == nullptr) {
            return invalid_argument("{}: {} is no profile of {}", place, one.profile,
                                    geometry->name);
        }
        wanted.insert(wanted.end(), static_cast<std::size_t>(one.count.value()), one.profile);
    }
    const auto arranged = arrange_slices({*geometry, {}, false}, {}, wanted);
    if (!arranged) {
        std::string all;
        for (const MigCount& one : layout.instances) {
            all +=
                fmt::format("{}{} x {}", all.empty() ? "" : ", ", one.count.value(), one.profile);
        }
        return invalid_argument("{}: {} do not fit together", place, all);
    }
    slicing.instances = arranged->instances;
    std::sort(slicing.instances.begin(), slicing.instances.end());
    return slicing;
}

}  // namespace

StatusOr<std::vector<MigConfig>> parse_mig_parted(std::string_view text) {
    TRESTLE_TRY(const YAML::Node file, yaml::load_yaml(text, mig_text_max));
    if (!file.IsMap()) return yaml::yaml_error(file, "malformed file", "version and mig-configs");
    std::vector<MigConfig> configs;
    bool has_version = false;
    for (const auto& entry : file) {
        const YAML::Node& key = entry.first;
        const YAML::Node& value = entry.second;
        const std::string name = key.IsScalar() ? key.Scalar() : "";
        if (name == "version") {
            if (!value.IsScalar() || value.Scalar() != "v1") {
                return yaml::yaml_error(value, "unknown version", "v1");
            }
            has_version = true;
        } else if (name == "mig-configs") {
            if (!value.IsMap())
                return yaml::yaml_error(value, "malformed mig-configs", "a mapping");
            for (const auto& one : value) {
                TRESTLE_TRY(MigConfig config, mig_config_of(one.first, one.second));
                configs.push_back(std::move(config));
            }
        } else {
            return yaml::yaml_error(key, "unknown key", "version or mig-configs");
        }
    }
    if (!has_version) return yaml::yaml_error(file, "no version", "version: v1");
    return configs;
}

StatusOr<NodeShape> with_mig_config(NodeShape shape, const MigConfig& config) {
    std::size_t index = 0;
    for (Device& gpu : shape.devices) {
        if (gpu.name != "gpu" || (!gpu.vendor.empty() && gpu.vendor != "nvidia")) continue;
        const SliceGeometry* const geometry =
            gpu.slicing ? &gpu.slicing->geometry : slice_geometry_for(gpu);
        TRESTLE_TRY(const MigLayout* const layout, layout_for(config, index, gpu, geometry));
        const std::size_t at = index++;
        if (layout == nullptr) continue;
        std::optional<Slicing> slicing;
        if (layout->is_enabled) {
            TRESTLE_TRY(slicing, slicing_of(*layout, geometry, place_of(config, at, gpu)));
        }
        gpu.slicing = std::move(slicing);
    }
    for (const MigLayout& layout : config.layouts) {
        for (const std::uint32_t device : layout.devices) {
            if (device < index) continue;
            return invalid_argument("{}: gpu {}: the node has {} NVIDIA GPUs", config.name, device,
                                    index);
        }
    }
    return shape;
}

}  // namespace trestle::container
