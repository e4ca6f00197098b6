// SPDX-License-Identifier: Apache-2.0
// NVML counts its users, so init and shutdown beside those of the program are fine; its calls may
// run in parallel.
#include <algorithm>
#include <tuple>

#include "drivers.hpp"
#include "library.hpp"
#include "mig_profile.hpp"
#include "nvml_api.hpp"
#include "os/driver_text.hpp"

namespace trestle::os::detail {

namespace {

constexpr unsigned affinity_words = 1024;  // 65536 hardware threads

void accept_readings(Functions& functions, nvml::Api& api) {
    functions.accept("nvmlDeviceGetUtilizationRates", api.utilization);
    functions.accept("nvmlDeviceGetTemperature", api.temperature);
    functions.accept("nvmlDeviceGetTemperatureThreshold", api.threshold);
    functions.accept("nvmlDeviceGetPowerUsage", api.power);
    functions.accept("nvmlDeviceGetTotalEnergyConsumption", api.energy);
    functions.accept("nvmlDeviceGetTotalEccErrors", api.ecc_errors);
    functions.accept("nvmlDeviceGetRetiredPagesPendingStatus", api.pages_pending);
    functions.accept("nvmlDeviceGetRemappedRows", api.remapped_rows);
    functions.accept("nvmlDeviceGetPcieReplayCounter", api.pcie_replays);
    functions.accept("nvmlDeviceGetNvLinkErrorCounter", api.link_errors);
}

void take_nvml_functions(Functions& functions, nvml::Api& api) {
    functions.require("nvmlInit_v2", api.init);
    functions.require("nvmlShutdown", api.shutdown);
    functions.require("nvmlDeviceGetCount_v2", api.count);
    functions.require("nvmlDeviceGetHandleByIndex_v2", api.handle);
    functions.accept("nvmlDeviceGetPciInfo_v3", api.pci_info);
    if (api.pci_info == nullptr) functions.require("nvmlDeviceGetPciInfo_v2", api.pci_info);
    functions.accept("nvmlDeviceGetName", api.name);
    functions.accept("nvmlDeviceGetUUID", api.uuid);
    functions.accept("nvmlDeviceGetMemoryInfo", api.memory);
    functions.accept("nvmlDeviceGetMinorNumber", api.minor);
    functions.accept("nvmlDeviceGetCudaComputeCapability", api.capability);
    functions.accept("nvmlDeviceGetCpuAffinity", api.affinity);
    functions.accept("nvmlDeviceGetNvLinkState", api.link_state);
    functions.accept("nvmlDeviceGetNvLinkRemotePciInfo_v2", api.link_remote);
    functions.accept("nvmlDeviceGetNvLinkRemoteDeviceType", api.link_remote_type);
    functions.accept("nvmlDeviceGetMigMode", api.mig_mode);
    functions.accept("nvmlDeviceGetMaxMigDeviceCount", api.mig_count);
    functions.accept("nvmlDeviceGetMigDeviceHandleByIndex", api.mig_handle);
    functions.accept("nvmlDeviceGetGpuInstanceId", api.gpu_instance);
    functions.accept("nvmlDeviceGetComputeInstanceId", api.compute_instance);
    functions.accept("nvmlDeviceGetAttributes_v2", api.attributes);
    functions.accept("nvmlDeviceGetAttributes", api.attributes);
    accept_readings(functions, api);
}

class NvmlReader {
  public:
    explicit NvmlReader(const nvml::Api& api) : api_(api) {}

    [[nodiscard]] DriverGpus read(unsigned count) const {
        DriverGpus gpus;
        for (unsigned i = 0; i < count; ++i) {
            nvml::Device device = nullptr;
            nvml::PciInfo info;
            if (!told(api_.handle, i, &device) || !told(api_.pci_info, device, &info)) continue;
            gpus.push_back(read_gpu(device));
            gpus.back().place = nvml_place(info);
        }
        return gpus;
    }

  private:
    using TextCall = int (*)(nvml::Device, char*, unsigned);

    [[nodiscard]] static std::string text(TextCall call, nvml::Device device) {
        std::array<char, nvml::name_size> buffer{};
        const bool is_told = told(call, device, buffer.data(), nvml::name_size);
        return is_told ? buffer_text({buffer.data(), buffer.size()}) : std::string();
    }

    [[nodiscard]] Bytes memory(nvml::Device device) const {
        nvml::Memory memory;
        return told(api_.memory, device, &memory) ? bytes_told(memory.total) : Bytes();
    }

    [[nodiscard]] DriverGpu read_gpu(nvml::Device device) const {
        DriverGpu gpu;
        gpu.vendor = "nvidia";
        gpu.model = text(api_.name, device);
        gpu.uuid = text(api_.uuid, device);
        gpu.memory = memory(device);
        gpu.near = near(device);
        unsigned minor = 0;
        if (told(api_.minor, device, &minor)) gpu.minor = minor;
        int major_version = 0;
        int minor_version = 0;
        if (told(api_.capability, device, &major_version, &minor_version) && major_version > 0 &&
            minor_version >= 0) {
            gpu.compute_capability = Version{static_cast<std::uint32_t>(major_version),
                                             static_cast<std::uint32_t>(minor_version)};
        }
        read_links(device, gpu);
        read_instances(device, gpu);
        return gpu;
    }

    [[nodiscard]] PuSet near(nvml::Device device) const {
        constexpr unsigned bits = 8 * sizeof(unsigned long);
        std::vector<unsigned long> words(affinity_words);
        PuSet set;
        if (!told(api_.affinity, device, affinity_words, words.data())) return set;
        for (unsigned i = 0; i < affinity_words; ++i) {
            for (unsigned bit = 0; words[i] != 0 && bit < bits; ++bit) {
                if ((words[i] >> bit & 1) != 0) set.insert(OsIndex(i * bits + bit));
            }
        }
        return set;
    }

    void read_links(nvml::Device device, DriverGpu& gpu) const {
        for (unsigned link = 0; link < nvml::links_max; ++link) {
            unsigned state = 0;
            if (!told(api_.link_state, device, link, &state) || state != nvml::enabled) continue;
            int type = nvml::remote_gpu;
            nvml::PciInfo remote;
            if (told(api_.link_remote_type, device, link, &type) && type == nvml::remote_switch) {
                ++gpu.switch_links;
            } else if (told(api_.link_remote, device, link, &remote)) {
                ++gpu.links[nvml_place(remote)];
            }
        }
    }

    void read_instances(nvml::Device device, DriverGpu& gpu) const {
        unsigned mode = 0;
        unsigned pending = 0;
        if (!told(api_.mig_mode, device, &mode, &pending) || mode != nvml::enabled) return;
        gpu.is_cut = true;
        unsigned count = 0;
        if (!told(api_.mig_count, device, &count)) return;
        for (unsigned i = 0; i < std::min(count, nvml::mig_devices_max); ++i) {
            nvml::Device instance = nullptr;
            DriverInstance read;
            // Without its ids the files that give access to it are unknown.
            if (!told(api_.mig_handle, device, i, &instance) ||
                !told(api_.gpu_instance, instance, &read.gpu_instance) ||
                !told(api_.compute_instance, instance, &read.compute_instance)) {
                continue;
            }
            read.uuid = text(api_.uuid, instance);
            read.model = text(api_.name, instance);
            read.memory = memory(instance);
            nvml::Attributes size;
            const bool is_told = told(api_.attributes, instance, &size);
            if (read.memory.is_zero() && is_told && size.memory_mib < (1ULL << 43)) {
                read.memory = bytes_told(size.memory_mib << 20);
            }
            read.profile = profile_in_model(read.model);
            if (read.profile.empty() && is_told) {
                read.profile = profile_name({size.gpu_instance_slices, size.compute_instance_slices,
                                             read.memory, gpu.memory});
            }
            gpu.instances.push_back(std::move(read));
        }
    }

    const nvml::Api& api_;
};

}  // namespace

std::string nvml_place(const nvml::PciInfo& info) {
    return bus_id_text(info.domain, info.bus, info.device, 0);
}

Status ask_nvml(const std::string& folder, const NvmlQuestion& ask) {
    TRESTLE_TRY(const Library library, Library::open(folder, {"libnvidia-ml.so.1"}));
    TRESTLE_TRY(const nvml::Api api, functions_of<nvml::Api>(library, take_nvml_functions));
    if (const int result = api.init(); result != 0) {
        return make_error(StatusCode::kUnavailable, "{}: nvmlInit_v2 returns {}", library.name(),
                          result);
    }
    unsigned count = 0;
    const int counted = api.count(&count);
    if (counted == 0) ask(api, std::min(count, driver_gpus_max));
    (void)api.shutdown();
    if (counted == 0) return {};
    return make_error(StatusCode::kUnavailable, "{}: nvmlDeviceGetCount_v2 returns {}",
                      library.name(), counted);
}

StatusOr<DriverGpus> read_nvml(const std::string& folder) {
    DriverGpus gpus;
    TRESTLE_TRY_STATUS(ask_nvml(
        folder, [&](const nvml::Api& api, unsigned count) { gpus = NvmlReader(api).read(count); }));
    return gpus;
}

}  // namespace trestle::os::detail
