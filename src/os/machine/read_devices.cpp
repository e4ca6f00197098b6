// SPDX-License-Identifier: Apache-2.0
// From PCI functions and the interfaces on them to devices and their files.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <tuple>
#include <utility>

#include "base/words.hpp"
#include "kfd_nodes.hpp"
#include "os/display_adapters.hpp"
#include "os/driver_text.hpp"
#include "topology.hpp"

namespace trestle::os::detail {

namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

using PciAttributes = hwloc_obj_attr_u::hwloc_pcidev_attr_s;

constexpr std::uint16_t google_pci_id = 0x1ae0;
constexpr std::uint16_t habana_pci_id = 0x1da3;

/// A PCI function with the interfaces that drivers put on it.
struct Function {
    hwloc_obj_t pci;
    std::vector<hwloc_obj_t> interfaces;

    [[nodiscard]] const PciAttributes& attributes() const { return pci->attr->pcidev; }
    [[nodiscard]] std::uint16_t class_id() const { return attributes().class_id; }
    [[nodiscard]] bool has(hwloc_obj_osdev_type_t type) const {
        return std::any_of(interfaces.begin(), interfaces.end(), [type](hwloc_obj_t interface) {
            return interface->attr->osdev.type == type;
        });
    }
    /// The first non-empty info called by one of `names`, in the order of the names.
    [[nodiscard]] std::string_view info(std::initializer_list<const char*> names) const {
        for (const char* name : names) {
            for (const hwloc_obj_t interface : interfaces) {
                if (const auto value = info_of(interface, name); !value.empty()) return value;
            }
            if (const auto value = info_of(pci, name); !value.empty()) return value;
        }
        return {};
    }
    /// `0000:34:00.0`, as sysfs names it.
    [[nodiscard]] std::string bus_id() const {
        const PciAttributes& at = attributes();
        return bus_id_text(at.domain, at.bus, at.dev, at.func);
    }
};

std::vector<Function> functions_of(hwloc_topology_t topology) {
    std::vector<Function> functions;
    hwloc_obj_t pci = nullptr;
    while ((pci = hwloc_get_next_pcidev(topology, pci)) != nullptr) {
        Function function{pci, {}};
        for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling) {
            if (child->type == HWLOC_OBJ_OS_DEVICE) function.interfaces.push_back(child);
        }
        functions.push_back(std::move(function));
    }
    std::sort(functions.begin(), functions.end(), [](const Function& x, const Function& y) {
        const auto key = [](const PciAttributes& at) {
            return std::tuple(at.domain, at.bus, at.dev, at.func);
        };
        return key(x.attributes()) < key(y.attributes());
    });
    return functions;
}

/// What /proc, /sys and /dev say about one PCI function.
class SystemFiles {
  public:
    SystemFiles(const SystemRoot& root, const Function& function)
        : root_(root), bus_id_(function.bus_id()), vendor_id_(function.attributes().vendor_id) {}

    [[nodiscard]] bool is_virtual_function() const { return root_.exists(sysfs() + "/physfn"); }
    [[nodiscard]] bool is_nvidia_gpu() const {
        return root_.exists("/proc/driver/nvidia/gpus/" + bus_id_);
    }

    /// The device files that lead to the function, as far as they exist.
    [[nodiscard]] std::vector<Device::File> device_files() const {
        std::vector<Device::File> files;
        add_own("drm", "renderD", "/dev/dri/renderD", files);
        if (vendor_id_ == google_pci_id) {
            add_own("accel", "accel", "/dev/accel", files);  // older than the kernel's own folder
        } else {
            add_own("accel", "accel", "/dev/accel/accel", files);
        }
        add_own("tenstorrent", "tenstorrent!", "/dev/tenstorrent/", files);
        if (vendor_id_ == habana_pci_id) add_gaudi(files);
        add_vfio_group(files);
        add_own("infiniband_verbs", "uverbs", "/dev/infiniband/uverbs", files);
        return files;
    }

  private:
    /// What stands behind `prefix` when that is a number, else nothing.
    static std::string_view number_in(std::string_view name, std::string_view prefix) {
        if (!name.starts_with(prefix)) return {};
        name.remove_prefix(prefix.size());
        return std::all_of(name.begin(), name.end(), is_digit) ? name : std::string_view();
    }
    void add(const std::string& path, const std::string& sysfs_folder,
             std::vector<Device::File>& files) const {
        auto file = root_.device_file(path, sysfs_folder + "/dev");
        if (file) files.push_back(std::move(*file));
    }
    /// The files of a class whose devices lie below the function. A class may have other devices
    /// there, such as those to watch with: only a number makes the prefix a name.
    void add_own(const std::string& device_class, std::string_view prefix, const std::string& dev,
                 std::vector<Device::File>& files) const {
        const std::string folder = sysfs() + "/" + device_class + "/";
        for (const std::string& name : root_.names_in(folder)) {
            const std::string_view number = number_in(name, prefix);
            if (!number.empty()) add(dev + std::string(number), folder + name, files);
        }
    }
    /// Gaudi has a second file to watch it with. That lies in the class alone, by the number of
    /// the first one; and before the kernel had accelerators the first one did, too, with the bus
    /// id written there (Documentation/ABI/testing/sysfs-driver-habanalabs).
    void add_gaudi(std::vector<Device::File>& files) const {
        for (const std::string& name : root_.names_in(sysfs() + "/accel")) {
            const std::string number(number_in(name, "accel"));
            const std::string control = "accel_controlD" + number;
            for (const std::string& folder :
                 {sysfs() + "/accel/", std::string("/sys/class/accel/")}) {
                if (number.empty() || !root_.exists(folder + control + "/dev")) continue;
                add("/dev/accel/" + control, folder + control, files);
                break;
            }
        }
        const std::string old_class = "/sys/class/habanalabs/";
        for (const std::string& name : root_.names_in(old_class)) {
            const std::string number(number_in(name, "hl"));
            std::string address = root_.read(old_class + name + "/pci_addr");
            address = address.substr(0, address.find('\n'));
            if (number.empty() || bus_id_of(address) != bus_id_) continue;
            add("/dev/" + name, old_class + name, files);
            const std::string control = "hl_controlD" + number;
            if (root_.exists(old_class + control + "/dev")) {
                add("/dev/" + control, old_class + control, files);
            }
        }
    }
    /// A function that VFIO has is opened by its IOMMU group, as TPUs are since v5.
    void add_vfio_group(std::vector<Device::File>& files) const {
        const std::string vfio_class = "/sys/class/vfio/";
        for (const std::string& name : root_.names_in(vfio_class)) {
            constexpr std::string_view without_iommu = "noiommu-";
            const bool is_bare = name.starts_with(without_iommu);
            const std::string_view number = number_in(name, is_bare ? without_iommu : "");
            const std::string group = "/sys/kernel/iommu_groups/" + std::string(number);
            if (number.empty() || !root_.exists(group + "/devices/" + bus_id_)) continue;
            add("/dev/vfio/" + name, vfio_class + name, files);
        }
    }
    [[nodiscard]] std::string sysfs() const { return "/sys/bus/pci/devices/" + bus_id_; }

    const SystemRoot& root_;
    std::string bus_id_;
    std::uint16_t vendor_id_;
};

struct Vendor {
    std::uint16_t pci_id;
    std::string_view name;
    bool makes_gpus;  ///< so that a display function of theirs is more than a console
};
constexpr std::array vendors{
    Vendor{0x10de, "nvidia", true},         Vendor{0x1002, "amd", true},
    Vendor{habana_pci_id, "habana", true},  Vendor{0x1e52, "tenstorrent", true},
    Vendor{google_pci_id, "google", false}, Vendor{0x8086, "intel", false},
    Vendor{0x15b3, "mellanox", false},      Vendor{0x14e4, "broadcom", false},
    Vendor{0x1137, "cisco", false},         Vendor{0x1d0f, "amazon", false},
    Vendor{0x1af4, "virtio", false},
};

/// TPUs have no class of PCI, and hwloc no names for them. A model in two generations has none.
struct Tpu {
    std::uint16_t device_id;
    std::string_view model;
};
constexpr std::array tpus{
    Tpu{0x0027, "TPU"},     Tpu{0x0056, "TPU"},     Tpu{0x005e, "TPU v4"},  Tpu{0x0062, "TPU v5p"},
    Tpu{0x0063, "TPU v5e"}, Tpu{0x006f, "TPU v6e"}, Tpu{0x0076, "TPU v7x"},
};

const Tpu* tpu_of(const Function& function) {
    if (function.attributes().vendor_id != google_pci_id) return nullptr;
    const auto* found = std::find_if(tpus.begin(), tpus.end(), [&](const Tpu& tpu) {
        return tpu.device_id == function.attributes().device_id;
    });
    return found == tpus.end() ? nullptr : found;
}

const Vendor* vendor_of(const Function& function) {
    const auto* found = std::find_if(vendors.begin(), vendors.end(), [&](const Vendor& vendor) {
        return vendor.pci_id == function.attributes().vendor_id;
    });
    return found == vendors.end() ? nullptr : found;
}

std::string vendor_name(const Function& function) {
    if (const Vendor* vendor = vendor_of(function)) return std::string(vendor->name);
    const std::string_view written = function.info({"GPUVendor", "PCIVendor"});
    return in_small_letters(written.substr(0, written.find_first_of(" ,")));
}

bool has_only_display(const Function& function) {
    const PciAttributes& at = function.attributes();
    const bool is_integrated_place = at.bus == 0 && at.dev == 2 && at.func == 0;
    return is_plain_display(
        DisplayFunction{at.vendor_id, at.device_id, at.class_id, is_integrated_place});
}

bool is_gpu(const Function& function, const SystemFiles& files) {
    if (files.is_nvidia_gpu() || tpu_of(function) != nullptr) return true;
    if (has_only_display(function)) return false;
    for (const hwloc_obj_t interface : function.interfaces) {
        const std::string_view name = text_of(interface->name);
        const bool is_gpu_api = name.starts_with("cuda") || name.starts_with("nvml") ||
                                name.starts_with("rsmi") || name.starts_with("ze") ||
                                info_of(interface, "OpenCLDeviceType") == "GPU";
        if (is_gpu_api) return true;
    }
    // Classes of the PCI code and id assignment specification: 03 display, 0302 3D controller,
    // 0380 other display, 12 processing accelerator.
    const Vendor* vendor = vendor_of(function);
    const std::uint16_t class_id = function.class_id();
    if (class_id == 0x0302) return true;
    if (class_id >> 8 == 0x12 && vendor != nullptr && vendor->name == "google") return true;
    if (class_id == 0x0380 && vendor != nullptr && vendor->name == "intel") return true;
    return vendor != nullptr && vendor->makes_gpus &&
           (class_id >> 8 == 0x03 || class_id >> 8 == 0x12);
}

/// Not what lies behind a USB controller or the like, whose interfaces are those of other devices.
bool is_nic(const Function& function) {
    const std::uint16_t class_id = function.class_id();
    const int base = class_id >> 8;
    const bool is_its_own =
        base <= 0x03 || base == 0x0b || base == 0x12 || class_id == 0x0c04 || class_id == 0x0c06;
    if (!is_its_own) return false;
    return function.has(HWLOC_OBJ_OSDEV_NETWORK) || function.has(HWLOC_OBJ_OSDEV_OPENFABRICS);
}

/// A number of KiB, as hwloc writes sizes; 0 for anything else.
Bytes kib_of(std::string_view text) {
    TextCursor cursor(text);
    const auto number = cursor.take_number();
    if (!number || !cursor.at_end() || *number > (std::uint64_t{1} << 50)) return {};
    return kib(static_cast<std::int64_t>(*number));
}

/// An UUID as the drivers' variables take it. One of zeros is none.
std::string uuid_of(std::string_view told, const Vendor* vendor) {
    const std::string_view digits = told.starts_with("GPU-") ? told.substr(4) : told;
    if (digits.find_first_not_of("0-") == digits.npos) return {};
    const bool is_amd = vendor != nullptr && vendor->name == "amd";
    return (is_amd && digits == told ? "GPU-" : "") + std::string(told);
}

/// The interfaces of the compute partitions of a function: those of one library, when it has
/// several of it there.
std::vector<hwloc_obj_t> partitions_of(const Function& function) {
    std::vector<hwloc_obj_t> most;
    for (const std::string_view library : {"rsmi", "cuda", "nvml"}) {
        std::vector<hwloc_obj_t> own;
        for (const hwloc_obj_t interface : function.interfaces) {
            if (text_of(interface->name).starts_with(library)) own.push_back(interface);
        }
        if (own.size() > most.size()) most = std::move(own);
    }
    if (most.size() < 2) most.clear();
    return most;
}

Device to_device(const Function& function, const HardwareTree& hardware) {
    Device device;
    device.vendor = vendor_name(function);
    device.model = marketing_name(function.info({"GPUModel", "LevelZeroModel", "PCIDevice"}));
    if (const Tpu* tpu = tpu_of(function)) device.model = tpu->model;
    device.uuid =
        uuid_of(function.info({"NVIDIAUUID", "AMDUUID", "LevelZeroUUID"}), vendor_of(function));
    device.memory =
        kib_of(function.info({"CUDAGlobalMemorySize", "RSMIVRAMSize", "LevelZeroHBMSize",
                              "LevelZeroDDRSize", "OpenCLGlobalMemorySize"}));
    device.pci_bus_id = function.bus_id();
    const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(nullptr, function.pci);
    device.cores = hardware.cores_of(pus_of(near->cpuset));
    if (device.cores == hardware.all_cores()) device.cores.clear();
    return device;
}

void add_interfaces(const Function& function, Device& device) {
    for (const hwloc_obj_t interface : function.interfaces) {
        const hwloc_obj_osdev_type_t type = interface->attr->osdev.type;
        const char* name = type == HWLOC_OBJ_OSDEV_NETWORK       ? "interface"
                           : type == HWLOC_OBJ_OSDEV_OPENFABRICS ? "rdma"
                                                                 : nullptr;
        if (name) device.attributes.push_back({name, std::string(text_of(interface->name))});
    }
}

/// The device, or one for each compute partition. What a partition does not tell is the GPU's; an
/// UUID that several have tells none of them apart.
std::vector<Device> partitioned(const Device& device, const Function& function,
                                const std::vector<std::uint32_t>& renders, const SystemRoot& root) {
    const std::vector<hwloc_obj_t> interfaces = partitions_of(function);
    const std::size_t count = std::max(interfaces.size(), renders.size());
    if (count < 2) return {device};
    std::vector<Device> parts(count, device);
    for (std::size_t i = 0; i < count; ++i) {
        Device& part = parts[i];
        part.uuid.clear();
        if (i < interfaces.size()) {
            const Function one{function.pci, {interfaces[i]}};
            part.uuid = uuid_of(one.info({"NVIDIAUUID", "AMDUUID"}), vendor_of(function));
            const Bytes memory = kib_of(one.info({"RSMIVRAMSize", "CUDAGlobalMemorySize"}));
            if (!memory.is_zero()) part.memory = memory;
        }
        if (i >= renders.size()) continue;
        std::erase_if(part.files, [](const Device::File& file) {
            return file.path.starts_with("/dev/dri/renderD");
        });
        const std::string path = fmt::format("/dev/dri/renderD{}", renders[i]);
        if (auto file = root.device_file(path, root.major_of_driver("drm"), renders[i])) {
            part.files.insert(part.files.begin(), std::move(*file));
        }
    }
    const auto is_shared = [&](const std::string& uuid) {
        return std::count_if(parts.begin(), parts.end(),
                             [&](const Device& part) { return part.uuid == uuid; }) > 1;
    };
    std::vector<bool> shared;
    for (const Device& part : parts) shared.push_back(is_shared(part.uuid));
    for (std::size_t i = 0; i < count; ++i) {
        if (shared[i]) parts[i].uuid.clear();
    }
    return parts;
}

/// On POWER9 with V100 the memory of each GPU is a NUMA node without cores, which older recordings
/// write as ordinary memory. Elsewhere such a node is memory that is for all, as of a CXL card.
void find_device_memory(NodeShape& shape) {
    if (shape.architecture != Architecture::power) return;
    const auto is_gpu = [](const Device& device) { return device.name == "gpu"; };
    std::vector<MemoryDomain*> found;
    for (MemoryDomain& domain : shape.memory) {
        if (domain.kind != MemoryDomain::Kind::dram || !domain.cores.is_empty()) continue;
        const auto is_its = [&](const Device& device) {
            const std::int64_t apart = device.memory.value() - domain.capacity.value();
            return is_gpu(device) && !device.memory.is_zero() &&
                   std::abs(apart) <= domain.capacity.value() / 50;
        };
        if (std::any_of(shape.devices.begin(), shape.devices.end(), is_its)) {
            found.push_back(&domain);
        }
    }
    const auto gpus = std::count_if(shape.devices.begin(), shape.devices.end(), is_gpu);
    if (std::cmp_not_equal(found.size(), gpus)) return;
    for (MemoryDomain* const domain : found) domain->kind = MemoryDomain::Kind::device;
}

/// Disks and what has no kind, as virtual disks do; not tapes, removable or persistent memory.
Bytes read_disk(hwloc_topology_t topology) {
    Bytes total;
    hwloc_obj_t interface = nullptr;
    while ((interface = hwloc_get_next_osdev(topology, interface)) != nullptr) {
        const std::string_view kind = text_of(interface->subtype);
        if (interface->attr->osdev.type == HWLOC_OBJ_OSDEV_BLOCK &&
            (kind == "Disk" || kind.empty())) {
            total += kib_of(info_of(interface, "Size"));
        }
    }
    return total;
}

}  // namespace

void read_devices(hwloc_topology_t topology, const SystemRoot& root, NodeShape& shape) {
    DeviceOfPci device_of_pci;
    SwitchNumbers switches;
    std::map<std::string, std::uint32_t> next_index;
    const auto kfd = kfd_partitions(root);
    for (const Function& function : functions_of(topology)) {
        const SystemFiles files(root, function);
        const bool is_accelerator = is_gpu(function, files);
        if (files.is_virtual_function() || (!is_accelerator && !is_nic(function))) continue;
        Device device = to_device(function, shape.hardware);
        device.files = files.device_files();
        add_interfaces(function, device);
        device.name = is_accelerator ? "gpu" : "nic";
        if (is_accelerator) device.type = device_type(device.model);
        device.switches = switches.above(function.pci);
        device_of_pci[function.pci] = DeviceId(static_cast<std::uint32_t>(shape.devices.size()));
        const auto nodes = kfd.find(place_without_function(device.pci_bus_id));
        const bool is_kfd = is_accelerator && nodes != kfd.end();
        const std::vector<std::uint32_t> renders =
            is_kfd ? nodes->second : std::vector<std::uint32_t>();
        for (Device& part : partitioned(device, function, renders, root)) {
            part.index = next_index[part.name]++;
            shape.devices.push_back(std::move(part));
        }
    }
    find_device_memory(shape);
    shape.links = read_links(topology, device_of_pci);
    shape.disk = read_disk(topology);
}

}  // namespace trestle::os::detail
