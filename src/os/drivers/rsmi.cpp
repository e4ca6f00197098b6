// SPDX-License-Identifier: Apache-2.0
// ROCm SMI, by the ROCm SMI API reference: "Initialization and Shutdown", "Identifier Queries",
// "PCIe Queries", "Memory Queries", "Hardware Topology Functions". It counts its users as NVML does
// and locks each device.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "drivers.hpp"
#include "library.hpp"
#include "os/driver_text.hpp"

namespace trestle::os::detail {

namespace {

constexpr int rsmi_memory_vram = 0;  // RSMI_MEM_TYPE_VRAM
constexpr int rsmi_link_xgmi = 2;    // RSMI_IOLINK_TYPE_XGMI
constexpr std::size_t rsmi_name_size = 256;

/// Functions that return rsmi_status_t, named after the devices that they are asked of.
struct RsmiApi {
    int (*init)(std::uint64_t) = nullptr;
    int (*shut_down)() = nullptr;
    int (*count)(std::uint32_t*) = nullptr;
    int (*pci_id)(std::uint32_t, std::uint64_t*) = nullptr;
    int (*name)(std::uint32_t, char*, std::size_t) = nullptr;
    int (*unique_id)(std::uint32_t, std::uint64_t*) = nullptr;
    int (*memory_total)(std::uint32_t, int, std::uint64_t*) = nullptr;
    int (*link_type)(std::uint32_t, std::uint32_t, std::uint64_t*, int*) = nullptr;
};

void take_rsmi_functions(Functions& functions, RsmiApi& api) {
    functions.require("rsmi_init", api.init);
    functions.require("rsmi_shut_down", api.shut_down);
    functions.require("rsmi_num_monitor_devices", api.count);
    functions.require("rsmi_dev_pci_id_get", api.pci_id);
    functions.accept("rsmi_dev_name_get", api.name);
    functions.accept("rsmi_dev_unique_id_get", api.unique_id);
    functions.accept("rsmi_dev_memory_total_get", api.memory_total);
    functions.accept("rsmi_topo_get_link_type", api.link_type);
}

/// Domain from bit 32, bus from bit 8, device from bit 3, function from bit 0. Bits 28 to 31 number
/// a compute partition of the GPU, and so does the function on old kernels.
std::string rsmi_place(std::uint64_t id, bool has_function) {
    const auto bits = [&](unsigned first, std::uint32_t mask) {
        return static_cast<std::uint32_t>(id >> first) & mask;
    };
    return bus_id_text(bits(32, 0xffffffff), bits(8, 0xff), bits(3, 0x1f),
                       has_function ? bits(0, 0x7) : 0);
}

/// The GPUs that are function 0 of their device: what RSMI tells as another function of it is a
/// partition. A virtual function has no such neighbour.
std::set<std::string> first_functions(const RsmiApi& api, std::uint32_t count) {
    std::set<std::string> places;
    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint64_t id = 0;
        if (told(api.pci_id, i, &id) && (id & 0x7) == 0) places.insert(rsmi_place(id, false));
    }
    return places;
}

DriverGpus rsmi_gpus(const RsmiApi& api, std::uint32_t count) {
    count = std::min(count, driver_gpus_max);
    const std::set<std::string> firsts = first_functions(api, count);
    DriverGpus gpus;
    std::vector<std::uint32_t> numbers;
    std::map<std::string, std::size_t> partitions;  // told so far, by bus
    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint64_t id = 0;
        if (!told(api.pci_id, i, &id)) continue;
        DriverGpu gpu;
        const std::string bus = rsmi_place(id, !firsts.contains(rsmi_place(id, false)));
        gpu.place = place_of_partition(bus, partitions[bus]++);
        gpu.vendor = "amd";
        std::array<char, rsmi_name_size> name{};
        if (told(api.name, i, name.data(), name.size())) {
            gpu.model = buffer_text({name.data(), name.size()});
            // A GPU that the library has no name for.
            if (gpu.model.starts_with("0x")) gpu.model.clear();
        }
        // As ROCR_VISIBLE_DEVICES takes it.
        if (told(api.unique_id, i, &id) && id != 0) gpu.uuid = fmt::format("GPU-{:016x}", id);
        std::uint64_t memory = 0;
        if (told(api.memory_total, i, rsmi_memory_vram, &memory)) gpu.memory = bytes_told(memory);
        gpus.push_back(std::move(gpu));
        numbers.push_back(i);
    }
    for (std::size_t a = 0; a < gpus.size(); ++a) {
        for (std::size_t b = 0; b < gpus.size(); ++b) {
            std::uint64_t hops = 0;
            int type = 0;
            const bool is_linked = a != b &&
                                   told(api.link_type, numbers[a], numbers[b], &hops, &type) &&
                                   type == rsmi_link_xgmi && hops == 1;
            if (is_linked) gpus[a].links[gpus[b].place] = 1;
        }
    }
    return gpus;
}

}  // namespace

StatusOr<DriverGpus> read_rsmi(const std::string& folder) {
    // The name without a version belongs to the development files, which many machines have not.
    TRESTLE_TRY(
        const Library library,
        Library::open(folder, {"librocm_smi64.so.7", "librocm_smi64.so.6", "librocm_smi64.so.5",
                               "librocm_smi64.so.1", "librocm_smi64.so"}));
    TRESTLE_TRY(const RsmiApi api, functions_of<RsmiApi>(library, take_rsmi_functions));
    if (const int result = api.init(0); result != 0) {
        return make_error(StatusCode::kUnavailable, "{}: rsmi_init returns {}", library.name(),
                          result);
    }
    std::uint32_t count = 0;
    const int counted = api.count(&count);
    DriverGpus gpus = rsmi_gpus(api, counted == 0 ? count : 0);
    (void)api.shut_down();
    if (counted == 0) return gpus;
    return make_error(StatusCode::kUnavailable, "{}: rsmi_num_monitor_devices returns {}",
                      library.name(), counted);
}

}  // namespace trestle::os::detail
