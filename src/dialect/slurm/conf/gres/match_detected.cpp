// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "../../../words.hpp"
#include "gres_records.hpp"

namespace trestle::slurm {
namespace {

bool is_gpu(std::string_view name) { return words::same_word(name, "gpu"); }

/// `/dev/nvidia9` before `/dev/nvidia10`; no file comes last.
bool file_comes_before(const std::string& a, const std::string& b) {
    if (a.empty() != b.empty()) return b.empty();
    const auto cut = [](const std::string& file) {
        std::size_t at = file.size();
        while (at > 0 && words::is_digit(file[at - 1])) --at;
        return at;
    };
    const std::size_t in_a = cut(a);
    const std::size_t in_b = cut(b);
    if (a.compare(0, in_a, b, 0, in_b) != 0) return a.compare(0, in_a, b, 0, in_b) < 0;
    if (a.size() != b.size()) return a.size() < b.size();
    return a < b;
}

/// A type as Slurm makes it of a model: `nvidia_a100-sxm4-40gb` of "NVIDIA A100-SXM4-40GB", and
/// `nvidia_a100_1g.5gb` of its "... MIG 1g.5gb" (gpu_common.c, gpu_nvml.c).
std::string type_of_model(std::string_view model) {
    constexpr std::string_view mark = " MIG ";
    const std::size_t mig = model.find(mark);
    std::string type = words::lower(model.substr(0, mig));
    if (mig != model.npos) {
        type.resize(std::min(type.find('-'), type.size()));
        type += "_" + words::lower(model.substr(mig + mark.size()));
    }
    std::replace(type.begin(), type.end(), ' ', '_');
    return type;
}

/// The vendor whose devices AutoDetect looks for; empty: all.
std::string_view vendor_meant(std::optional<AutoDetect> autodetect) {
    if (!autodetect) return "";
    switch (*autodetect) {
        case AutoDetect::nvml:
        case AutoDetect::nvidia:
            return "nvidia";
        case AutoDetect::rsmi:
            return "amd";
        case AutoDetect::oneapi:
            return "intel";
        case AutoDetect::nrt:
            return "amazon";
        case AutoDetect::full:
        case AutoDetect::off:
            return "";
    }
    return "";
}

/// A GPU that was found on the machine.
struct Found {
    const Device* device = nullptr;
    std::string type;  ///< as configuration calls it
    std::vector<std::int32_t> links;
    bool is_used = false;

    [[nodiscard]] std::string file() const {
        return device->files.empty() ? "" : device->files.front().path;
    }
    /// The instances of one GPU share its file, so every configured one has to be there.
    [[nodiscard]] bool has_files_of(const GresRecord& gpu) const {
        return std::all_of(gpu.files.begin(), gpu.files.end(), [&](const std::string& file) {
            return std::any_of(device->files.begin(), device->files.end(),
                               [&](const Device::File& its) { return its.path == file; });
        });
    }
};

std::vector<Found> found_gpus(const NodeShape& detected, std::optional<AutoDetect> autodetect) {
    const std::string_view vendor = vendor_meant(autodetect);
    std::vector<Found> found;
    for (std::uint32_t i = 0; i < detected.devices.size(); ++i) {
        const Device& device = detected.devices[i];
        const bool is_meant = vendor.empty() || device.vendor.empty() || device.vendor == vendor;
        if (!is_gpu(device.name) || !is_meant) continue;
        found.push_back({&device, device.type, links_of(detected, DeviceId(i)), false});
    }
    return found;
}

/// Gives each found GPU the type of the first record not yet used that stands inside of its own, or
/// of that which Slurm would make of its model, and has no other file; longest types first, so that
/// `a100` does not take what is an `a100-sxm4`.
void take_over_types(const std::vector<GresRecord>& gpus, std::vector<Found>& found) {
    std::vector<const GresRecord*> typed;
    for (const GresRecord& gpu : gpus) {
        if (!gpu.type.empty()) typed.push_back(&gpu);
    }
    if (typed.empty()) {
        for (Found& one : found) one.type.clear();
        return;
    }
    const auto has_longer_type = [](const auto* a, const auto* b) {
        return a->type.size() > b->type.size();
    };
    std::stable_sort(typed.begin(), typed.end(), has_longer_type);
    std::vector<Found*> in_order;
    for (Found& one : found) in_order.push_back(&one);
    std::stable_sort(in_order.begin(), in_order.end(), has_longer_type);
    for (Found* one : in_order) {
        const std::string own = words::lower(one->type);
        const std::string of_model = type_of_model(one->device->model);
        const auto record = std::find_if(typed.begin(), typed.end(), [&](const GresRecord* gpu) {
            const std::string type = words::lower(gpu->type);
            return (own.find(type) != own.npos || of_model.find(type) != of_model.npos) &&
                   one->has_files_of(*gpu);
        });
        if (record == typed.end()) continue;
        one->type = (*record)->type;
        typed.erase(record);
    }
}

std::size_t own_place(const GresRecord& record) {
    const auto self = std::find(record.links.begin(), record.links.end(), -1);
    return self == record.links.end() ? record.links.max_size()
                                      : static_cast<std::size_t>(self - record.links.begin());
}

class DetectedMatcher {
  public:
    DetectedMatcher(const NodeView& view, GresRecords& records) : view_(view), records_(records) {}

    void match(const NodeShape& detected, std::optional<AutoDetect> autodetect) {
        std::vector<GresRecord> gpus;
        std::vector<GresRecord> others;
        for (GresRecord& record : records_.devices) {
            (is_gpu(record.name) ? gpus : others).push_back(std::move(record));
        }
        const auto by_file = [](const auto& a, const auto& b) {
            return file_comes_before(a.file(), b.file());
        };
        std::vector<Found> found = found_gpus(detected, autodetect);
        take_over_types(gpus, found);
        std::stable_sort(gpus.begin(), gpus.end(), by_file);
        std::stable_sort(found.begin(), found.end(), by_file);
        std::vector<GresRecord> kept;
        for (GresRecord& gpu : gpus) {
            if (merge_one(gpu, found)) kept.push_back(std::move(gpu));
        }
        for (const Found& one : found) {
            if (!one.is_used) {
                warn(nullptr, fmt::format("GPU {} of type \"{}\" was found and is not configured",
                                          one.file(), one.device->type));
            }
        }
        std::stable_sort(kept.begin(), kept.end(), by_file);
        std::stable_sort(kept.begin(), kept.end(),
                         [](const auto& a, const auto& b) { return own_place(a) < own_place(b); });
        kept.insert(kept.end(), std::make_move_iterator(others.begin()),
                    std::make_move_iterator(others.end()));
        records_.devices = std::move(kept);
    }

  private:
    void warn(const GresLine* line, const std::string& what) {
        records_.warnings.push_back({line != nullptr ? line->place : view_.node.place,
                                     fmt::format("node {}: {}", view_.name, what)});
    }

    /// False when the device is to be left out.
    bool merge_one(GresRecord& gpu, std::vector<Found>& found) {
        const auto at = std::find_if(found.begin(), found.end(), [&](const Found& one) {
            return !one.is_used && (gpu.type.empty() || gpu.type == one.type) &&
                   one.has_files_of(gpu);
        });
        if (at == found.end()) {
            if (!gpu.files.empty()) return true;
            warn(gpu.line, fmt::format("{} has no file and none was found", name_of(gpu)));
            return false;
        }
        at->is_used = true;
        const Device& device = *at->device;
        const bool same_cores = !gpu.cores || *gpu.cores == device.cores;
        if (!same_cores || (!gpu.links.empty() && gpu.links != at->links)) {
            warn(gpu.line, fmt::format("{} {} is left out: its {} are not those that were found",
                                       name_of(gpu), at->file(), same_cores ? "Links" : "Cores"));
            return false;
        }
        gpu.detected = &device;
        gpu.files.clear();
        for (const Device::File& file : device.files) gpu.files.push_back(file.path);
        gpu.cores = device.cores.is_empty() ? std::nullopt : std::optional(device.cores);
        gpu.links = at->links;
        if (!gpu.files.empty()) return true;
        warn(gpu.line, fmt::format("{} was found without a file", name_of(gpu)));
        return false;
    }

    [[nodiscard]] static std::string name_of(const GresRecord& gpu) {
        return gpu.type.empty() ? gpu.name : gpu.name + ":" + gpu.type;
    }

    const NodeView& view_;
    GresRecords& records_;
};

}  // namespace

std::vector<std::int32_t> links_of(const NodeShape& shape, DeviceId id) {
    constexpr std::uint32_t strength_max = 1'000'000;  // of what Links= may say
    std::vector<std::int32_t> links;
    const auto strength = [&](DeviceId other) -> std::int32_t {
        if (other == id) return -1;
        for (const DeviceLink& link : shape.links) {
            if (link.a == std::min(id, other) && link.b == std::max(id, other)) {
                return static_cast<std::int32_t>(std::min(link.strength, strength_max));
            }
        }
        return 0;
    };
    const bool is_instance = !shape.devices[id.value()].mig_profile.empty();
    const bool has_links =
        !is_instance &&
        std::any_of(shape.links.begin(), shape.links.end(), [&](const DeviceLink& link) {
            return is_gpu(shape.devices[link.a.value()].name) &&
                   is_gpu(shape.devices[link.b.value()].name);
        });
    if (!has_links) return links;
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        if (is_gpu(shape.devices[i].name)) links.push_back(strength(DeviceId(i)));
    }
    return links;
}

void match_detected(const NodeView& view, const NodeShape& detected,
                    std::optional<AutoDetect> autodetect, GresRecords& records) {
    DetectedMatcher(view, records).match(detected, autodetect);
}

}  // namespace trestle::slurm
