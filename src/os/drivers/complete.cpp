// SPDX-License-Identifier: Apache-2.0
// From what drivers tell to the devices of a shape.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>

#include "drivers.hpp"
#include "os/display_adapters.hpp"
#include "os/driver_text.hpp"
#include "trestle/os/discover.hpp"

namespace trestle::os::detail {

namespace {

template <class T>
void take_if_told(T& known, const T& told) {
    if (told != T()) known = told;
}

/// What two drivers tell of one device: `later` goes first.
void merge_told(DriverGpu& gpu, const DriverGpu& later) {
    take_if_told(gpu.vendor, later.vendor);
    take_if_told(gpu.model, later.model);
    take_if_told(gpu.uuid, later.uuid);
    take_if_told(gpu.memory, later.memory);
    take_if_told(gpu.compute_capability, later.compute_capability);
    take_if_told(gpu.minor, later.minor);
    take_if_told(gpu.files, later.files);
    take_if_told(gpu.near, later.near);
    take_if_told(gpu.links, later.links);
    take_if_told(gpu.switch_links, later.switch_links);
    take_if_told(gpu.neuron_cores, later.neuron_cores);
    if (!later.is_cut) return;
    gpu.is_cut = true;
    if (!later.instances.empty()) gpu.instances = later.instances;
}

class DeviceCompleter {
  public:
    DeviceCompleter(const SystemRoot& root, NodeShape& shape) : root_(root), shape_(shape) {}

    void complete(const std::vector<DriverGpus>& told) {
        for (const DriverGpus& gpus : told) {
            for (const DriverGpu& gpu : gpus) add_told(gpu);
        }
        std::map<std::string, std::size_t> partitions;  // seen so far, by bus
        for (std::size_t i = 0; i < shape_.devices.size(); ++i) {
            Device& device = shape_.devices[i];
            const std::size_t partition = partitions[device.pci_bus_id]++;
            const std::string place = place_of_partition(device.pci_bus_id, partition);
            const auto gpu = told_.find(place);
            const bool is_told = gpu != told_.end() && device.name == "gpu";
            if (is_told) complete_gpu(device, gpu->second);
            entries_.push_back({std::move(device), i, place, is_told});
        }
        for (const std::string& place : places_) add_unknown(told_.at(place));
        cut();
        forget_shared_uuids();
        number();
        join();
    }

  private:
    struct Entry {
        Device device;
        std::optional<std::size_t> before;  ///< its number in the shape as it was
        std::string place;                  ///< empty: that of another, or unknown
        bool is_told = false;               ///< a driver told of it
    };

    void add_told(const DriverGpu& gpu) {
        const auto [known, is_new] = told_.emplace(gpu.place, gpu);
        if (is_new) {
            places_.push_back(gpu.place);
        } else {
            merge_told(known->second, gpu);
        }
    }

    void complete_gpu(Device& device, const DriverGpu& gpu) const {
        take_if_told(device.vendor, gpu.vendor);
        take_if_told(device.uuid, gpu.uuid);
        take_if_told(device.memory, gpu.memory);
        take_if_told(device.compute_capability, gpu.compute_capability);
        if (!gpu.model.empty()) {
            device.model = gpu.model;
            device.type = device_type(gpu.model);
        }
        if (device.cores.is_empty()) {
            device.cores = shape_.hardware.cores_of(gpu.near);
            if (device.cores == shape_.hardware.all_cores()) device.cores.clear();
        }
        std::vector<Device::File> files = gpu.files;
        if (gpu.vendor == "nvidia" && gpu.minor) {
            auto major = root_.major_of_driver("nvidia");
            if (!major) major = root_.major_of_driver("nvidia-frontend");
            const std::string path = fmt::format("/dev/nvidia{}", *gpu.minor);
            if (auto file = root_.device_file(path, major, gpu.minor)) {
                files.push_back(std::move(*file));
            }
        }
        device.files.insert(device.files.begin(), files.begin(), files.end());
        take_if_told(device.neuron_cores, gpu.neuron_cores);
    }

    /// A display adapter that discovery left out, as the graphics of a Ryzen, which ROCm lists.
    [[nodiscard]] bool is_display_at(const std::string& bus, const DriverGpu& gpu) const {
        if (bus.empty() || gpu.vendor == "nvidia") return false;
        const auto number = [&](const char* file) {
            const std::string text = root_.read("/sys/bus/pci/devices/" + bus + "/" + file);
            return std::strtoul(text.c_str(), nullptr, 16);
        };
        return is_plain_display({static_cast<std::uint16_t>(number("vendor")),
                                 static_cast<std::uint16_t>(number("device")),
                                 static_cast<std::uint16_t>(number("class") >> 8),
                                 bus == "0000:00:02.0"});
    }

    void add_unknown(const DriverGpu& gpu) {
        const bool is_known = std::any_of(entries_.begin(), entries_.end(), [&](const Entry& one) {
            return one.is_told && one.place == gpu.place;
        });
        const std::string bus =
            bus_id_of(std::string_view(gpu.place).substr(0, gpu.place.find('/')));
        const bool is_part =
            !bus.empty() && root_.exists("/sys/bus/pci/devices/" + bus + "/physfn");
        if (is_known || is_part || is_display_at(bus, gpu)) return;
        Entry entry{{}, {}, gpu.place, true};
        const auto first = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& one) {
            return !bus.empty() && one.device.pci_bus_id == bus;
        });
        // A partition lies where the GPU does.
        if (first != entries_.end()) entry.device = first->device;
        entry.device.name = "gpu";
        entry.device.pci_bus_id = bus;
        complete_gpu(entry.device, gpu);
        const auto is_behind = [&](const Entry& one) {
            return !bus.empty() && (one.device.pci_bus_id.empty() || one.place > gpu.place);
        };
        entries_.insert(std::find_if(entries_.begin(), entries_.end(), is_behind),
                        std::move(entry));
    }

    /// Puts instances in the place of GPUs in MIG mode.
    void cut() {
        std::vector<Entry> entries;
        for (Entry& entry : entries_) {
            const auto gpu = entry.is_told ? told_.find(entry.place) : told_.end();
            if (gpu == told_.end() || !gpu->second.is_cut) {
                entries.push_back(std::move(entry));
                continue;
            }
            std::vector<DriverInstance> instances = gpu->second.instances;
            std::sort(instances.begin(), instances.end(), [](const auto& a, const auto& b) {
                return std::pair(a.gpu_instance, a.compute_instance) <
                       std::pair(b.gpu_instance, b.compute_instance);
            });
            for (const DriverInstance& instance : instances) {
                entries.push_back(
                    {instance_of(entry.device, gpu->second, instance), {}, "", false});
            }
        }
        entries_ = std::move(entries);
    }

    [[nodiscard]] Device instance_of(Device device, const DriverGpu& gpu,
                                     const DriverInstance& instance) const {
        take_if_told(device.model, instance.model);
        device.uuid = instance.uuid;
        device.memory = instance.memory;
        if (!device.type.empty()) device.type += '_';
        device.type += instance.profile.empty() ? "mig" : instance.profile;
        device.mig_profile = instance.profile;
        // The render node is the whole GPU's.
        std::erase_if(device.files, [](const Device::File& file) {
            return !file.path.starts_with("/dev/nvidia");
        });
        if (gpu.minor) {
            for (Device::File& file : capability_files(root_, *gpu.minor, instance)) {
                device.files.push_back(std::move(file));
            }
        }
        return device;
    }

    /// Partitions of a GPU may all tell its UUID, which then tells none of them apart.
    void forget_shared_uuids() {
        std::map<std::string, std::size_t> counts;
        for (const Entry& entry : entries_) ++counts[entry.device.uuid];
        for (Entry& entry : entries_) {
            if (counts[entry.device.uuid] > 1) entry.device.uuid.clear();
        }
    }

    void number() {
        std::map<std::string, std::uint32_t> next_index;
        shape_.devices.clear();
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            Entry& entry = entries_[i];
            entry.device.index = next_index[entry.device.name]++;
            const DeviceId id(static_cast<std::uint32_t>(i));
            if (entry.before) id_of_before_[*entry.before] = id;
            const bool is_gpu = entry.device.name == "gpu";
            if (is_gpu && !entry.place.empty()) id_of_place_.emplace(entry.place, id);
            shape_.devices.push_back(std::move(entry.device));
        }
    }

    /// Links that were known, without those between two devices of a driver that counts links.
    void join() {
        std::map<std::pair<DeviceId, DeviceId>, std::uint32_t> strengths;
        std::vector<DeviceId> counted;
        for (const auto& [place, id] : id_of_place_) {
            const auto gpu = told_.find(place);
            if (gpu != told_.end() && has_links(gpu->second)) counted.push_back(id);
        }
        const auto is_counted = [&](DeviceId id) {
            return std::find(counted.begin(), counted.end(), id) != counted.end();
        };
        for (const DeviceLink& link : shape_.links) {
            const auto a = id_of_before_.find(link.a.value());
            const auto b = id_of_before_.find(link.b.value());
            if (a == id_of_before_.end() || b == id_of_before_.end()) continue;
            if (is_counted(a->second) && is_counted(b->second)) continue;
            strengths[std::minmax(a->second, b->second)] = link.strength;
        }
        for (auto a = id_of_place_.begin(); a != id_of_place_.end(); ++a) {
            for (auto b = std::next(a); b != id_of_place_.end(); ++b) {
                const std::uint32_t links = links_between(a->first, b->first);
                if (links != 0) strengths[std::minmax(a->second, b->second)] = links;
            }
        }
        shape_.links.clear();
        for (const auto& [ends, strength] : strengths) {
            shape_.links.push_back({ends.first, ends.second, strength});
        }
    }

    /// Direct ones as the end that tells more has it, for the other may tell nothing; else those
    /// through switches.
    [[nodiscard]] std::uint32_t links_between(const std::string& a, const std::string& b) const {
        static const DriverGpu nothing;
        const auto told_of = [&](const std::string& place) -> const DriverGpu& {
            const auto gpu = told_.find(place);
            return gpu == told_.end() ? nothing : gpu->second;
        };
        const DriverGpu& at_a = told_of(a);
        const DriverGpu& at_b = told_of(b);
        const auto to = [](const DriverGpu& gpu, const std::string& place) {
            const auto links = gpu.links.find(place);
            return links == gpu.links.end() ? 0 : links->second;
        };
        const std::uint32_t direct = std::max(to(at_a, b), to(at_b, a));
        if (direct != 0 || at_a.vendor != at_b.vendor) return direct;
        return std::min(at_a.switch_links, at_b.switch_links);
    }

    [[nodiscard]] static bool has_links(const DriverGpu& gpu) {
        return !gpu.links.empty() || gpu.switch_links != 0;
    }

    const SystemRoot& root_;
    NodeShape& shape_;
    std::map<std::string, DriverGpu> told_;
    std::vector<std::string> places_;  ///< of those, as they were given
    std::vector<Entry> entries_;
    std::map<std::size_t, DeviceId> id_of_before_;
    std::map<std::string, DeviceId> id_of_place_;
};

}  // namespace

std::string place_of_partition(const std::string& bus_id, std::size_t partition) {
    return partition == 0 || bus_id.empty() ? bus_id : fmt::format("{}/{}", bus_id, partition);
}

void complete_devices(const std::vector<DriverGpus>& told, const SystemRoot& root,
                      NodeShape& shape) {
    DeviceCompleter(root, shape).complete(told);
}

}  // namespace trestle::os::detail
