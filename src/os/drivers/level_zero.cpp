// SPDX-License-Identifier: Apache-2.0
// oneAPI Level Zero Specification, "Sysman Programming Guide" and the API of Sysman. zesInit starts
// what reads the hardware and nothing that computes; Level Zero has no way to stop it.
#include <algorithm>
#include <array>

#include "drivers.hpp"
#include "library.hpp"
#include "os/driver_text.hpp"

namespace trestle::os::detail {

namespace {

using ZesHandle = struct OpaqueZesHandle*;

enum class ZesType : std::int32_t {  // ZES_STRUCTURE_TYPE_*
    device_properties = 0x1,
    pci_properties = 0x2,
    memory_properties = 0xb
};

constexpr std::int32_t ze_type_gpu = 1;          // ZE_DEVICE_TYPE_GPU
constexpr std::uint32_t ze_flag_integrated = 1;  // ZE_DEVICE_PROPERTY_FLAG_INTEGRATED

/// ze_device_properties_t.
struct ZeDeviceProperties {
    std::int32_t type = 0;
    void* next = nullptr;
    std::int32_t device_type = 0;
    std::uint32_t vendor_id = 0;
    std::uint32_t device_id = 0;
    std::uint32_t flags = 0;
    std::uint32_t subdevice_id = 0;
    std::uint32_t core_clock_rate = 0;
    std::uint64_t allocation_max = 0;
    std::array<std::uint32_t, 7> counts{};
    std::uint64_t timer_resolution = 0;
    std::uint32_t timestamp_bits = 0;
    std::uint32_t kernel_timestamp_bits = 0;
    std::array<std::uint8_t, 16> uuid{};
    std::array<char, 256> name{};
};
static_assert(sizeof(ZeDeviceProperties) == 368);

/// zes_device_properties_t.
struct ZesDeviceProperties {
    ZesType type = ZesType::device_properties;
    void* next = nullptr;
    ZeDeviceProperties core;
    std::uint32_t subdevices = 0;
    std::array<char, 64> serial_number{};
    std::array<char, 64> board_number{};
    std::array<char, 64> brand_name{};
    std::array<char, 64> model_name{};
    std::array<char, 64> vendor_name{};
    std::array<char, 64> driver_version{};
};
static_assert(sizeof(ZesDeviceProperties) == 776);

/// zes_pci_properties_t.
struct ZesPciProperties {
    ZesType type = ZesType::pci_properties;
    void* next = nullptr;
    std::uint32_t domain = 0;
    std::uint32_t bus = 0;
    std::uint32_t device = 0;
    std::uint32_t function = 0;
    std::int32_t generation = 0;
    std::int32_t width = 0;
    std::int64_t bandwidth = 0;
    std::array<std::uint8_t, 3> counters{};
};
static_assert(sizeof(ZesPciProperties) == 56);

/// zes_mem_properties_t.
struct ZesMemoryProperties {
    ZesType type = ZesType::memory_properties;
    void* next = nullptr;
    std::int32_t kind = 0;
    std::uint8_t is_on_subdevice = 0;
    std::uint32_t subdevice_id = 0;
    std::int32_t location = 0;  ///< 0 the system's, 1 the device's
    std::uint64_t physical_size = 0;
    std::int32_t bus_width = 0;
    std::int32_t channels = 0;
};
static_assert(sizeof(ZesMemoryProperties) == 48);

/// Functions that return ze_result_t.
struct ZesApi {
    using List = int(ZesHandle, std::uint32_t*, ZesHandle*);

    int (*init)(std::uint32_t) = nullptr;
    int (*drivers)(std::uint32_t*, ZesHandle*) = nullptr;
    List* devices = nullptr;
    int (*properties)(ZesHandle, ZesDeviceProperties*) = nullptr;
    int (*pci)(ZesHandle, ZesPciProperties*) = nullptr;
    List* memories = nullptr;
    int (*memory)(ZesHandle, ZesMemoryProperties*) = nullptr;
};

void take_zes_functions(Functions& functions, ZesApi& api) {
    functions.require("zesInit", api.init);
    functions.require("zesDriverGet", api.drivers);
    functions.require("zesDeviceGet", api.devices);
    functions.require("zesDevicePciGetProperties", api.pci);
    functions.require("zesDeviceGetProperties", api.properties);
    functions.accept("zesDeviceEnumMemoryModules", api.memories);
    functions.accept("zesMemoryGetProperties", api.memory);
}

/// A list that is asked for twice: how many, then which.
template <class Call>
std::vector<ZesHandle> zes_list(Call call) {
    std::uint32_t count = 0;
    if (!call(&count, nullptr)) return {};
    count = std::min(count, driver_gpus_max);
    std::vector<ZesHandle> handles(count);
    if (count == 0 || !call(&count, handles.data())) return {};
    handles.resize(std::min<std::size_t>(count, handles.size()));
    return handles;
}

std::vector<ZesHandle> zes_children(ZesApi::List* list, ZesHandle parent) {
    return zes_list([&](std::uint32_t* count, ZesHandle* handles) {
        return told(list, parent, count, handles);
    });
}

Bytes zes_memory(const ZesApi& api, ZesHandle device) {
    Bytes sum;
    for (const ZesHandle module : zes_children(api.memories, device)) {
        ZesMemoryProperties memory;
        if (!told(api.memory, module, &memory) || memory.location != 1) continue;
        sum = checked_add(sum, bytes_told(memory.physical_size)).value_or(sum);
    }
    return sum;
}

std::string zes_uuid(const std::array<std::uint8_t, 16>& bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += fmt::format("{:02x}", bytes[i]);
    }
    return text;
}

/// Nothing for what is no GPU or does not say that it is one, and for one that is a part of the
/// processor.
std::optional<DriverGpu> zes_gpu(const ZesApi& api, ZesHandle device) {
    ZesDeviceProperties about;
    if (!told(api.properties, device, &about)) return std::nullopt;
    if (about.core.device_type != ze_type_gpu || (about.core.flags & ze_flag_integrated) != 0) {
        return std::nullopt;
    }
    DriverGpu gpu;
    gpu.vendor = "intel";
    gpu.memory = zes_memory(api, device);
    gpu.model = buffer_text({about.core.name.data(), about.core.name.size()});
    if (gpu.model.empty()) {
        gpu.model = buffer_text({about.model_name.data(), about.model_name.size()});
    }
    const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
    if (!std::all_of(about.core.uuid.begin(), about.core.uuid.end(), is_zero)) {
        gpu.uuid = zes_uuid(about.core.uuid);
    }
    return gpu;
}

}  // namespace

StatusOr<DriverGpus> read_level_zero(const std::string& folder) {
    TRESTLE_TRY(const Library library, Library::open(folder, {"libze_loader.so.1"}));
    TRESTLE_TRY(const ZesApi api, functions_of<ZesApi>(library, take_zes_functions));
    if (const int result = api.init(0); result != 0) {
        return make_error(StatusCode::kUnavailable, "{}: zesInit returns {}", library.name(),
                          result);
    }
    std::uint32_t drivers_there = 0;
    if (const int result = api.drivers(&drivers_there, nullptr); result != 0) {
        return make_error(StatusCode::kUnavailable, "{}: zesDriverGet returns {}", library.name(),
                          result);
    }
    DriverGpus gpus;
    const auto drivers = zes_list([&](std::uint32_t* count, ZesHandle* handles) {
        return told(api.drivers, count, handles);
    });
    for (const ZesHandle driver : drivers) {
        for (const ZesHandle device : zes_children(api.devices, driver)) {
            ZesPciProperties pci;
            if (!told(api.pci, device, &pci) || gpus.size() >= driver_gpus_max) continue;
            auto gpu = zes_gpu(api, device);
            if (!gpu) continue;
            gpu->place = bus_id_text(pci.domain, pci.bus, pci.device, pci.function);
            gpus.push_back(*std::move(gpu));
        }
    }
    return gpus;
}

}  // namespace trestle::os::detail
