// SPDX-License-Identifier: Apache-2.0
// A libnvidia-ml.so.1 for tests. STUB_OLD: the functions of a driver before MIG. STUB_BROKEN: a
// library without what every driver has.
#include "../../src/os/drivers/nvml_api.hpp"
#include "script.hpp"

using trestle::os::detail::nvml::Attributes;
using trestle::os::detail::nvml::Memory;
using trestle::os::detail::nvml::PciInfo;
using trestle::os::detail::nvml::Utilization;

namespace {

/// A handle is the values of a GPU or of an instance.
const stub::Values& values_of(const void* handle) {
    return *static_cast<const stub::Values*>(handle);
}

#ifndef STUB_OLD
const stub::Gpu* gpu_of(const void* handle) {
    for (const stub::Gpu& gpu : stub::script().gpus) {
        if (&gpu.values == handle) return &gpu;
    }
    return nullptr;
}
#endif

template <class Number>
int answer(const char* call, const std::optional<unsigned long long>& value, Number* result) {
    if (const int failure = stub::failure_of(call)) return failure;
    if (!value) return stub::unknown;
    *result = static_cast<Number>(*value);
    return 0;
}

int answer_bus(const std::optional<std::string>& text, PciInfo* info) {
    const auto id = text ? stub::bus_id(*text) : std::nullopt;
    if (!id) return stub::unknown;
    info->domain = id->domain;
    info->bus = id->bus;
    info->device = id->device;
    return 0;
}

/// Where each link leads, of `links=0000:35:00.0*4,switch*2`.
std::vector<std::string> links_of(const void* handle) {
    std::vector<std::string> links;
    const std::string text = stub::text(values_of(handle), "links").value_or("");
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::size_t star = text.find('*', at);
        for (int i = std::atoi(text.c_str() + star + 1); i > 0; --i) {
            links.push_back(text.substr(at, star - at));
        }
        at = end + 1;
    }
    return links;
}

}  // namespace

extern "C" {

#ifndef STUB_BROKEN
int nvmlInit_v2() { return stub::begin("nvmlInit_v2", "nvidia"); }
#endif
int nvmlShutdown() { return 0; }

int nvmlDeviceGetCount_v2(unsigned* count) {
    return answer("nvmlDeviceGetCount_v2", stub::script().gpus.size(), count);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, const void** handle) {
    if (const int failure = stub::failure_of("nvmlDeviceGetHandleByIndex_v2")) return failure;
    if (index >= stub::script().gpus.size()) return 2;
    const stub::Gpu& gpu = stub::script().gpus[index];
    if (gpu.values.count("lost") != 0) return 15;
    *handle = &gpu.values;
    return 0;
}

#ifdef STUB_OLD
int nvmlDeviceGetPciInfo_v2(const void* handle, PciInfo* info) {
#else
int nvmlDeviceGetPciInfo_v3(const void* handle, PciInfo* info) {
#endif
    return answer_bus(stub::text(values_of(handle), "bus"), info);
}

int nvmlDeviceGetName(const void* handle, char* name, unsigned size) {
    if (const int failure = stub::failure_of("nvmlDeviceGetName")) return failure;
    return stub::fill(stub::text(values_of(handle), "name"), name, size);
}

int nvmlDeviceGetUUID(const void* handle, char* uuid, unsigned size) {
    if (const int failure = stub::failure_of("nvmlDeviceGetUUID")) return failure;
    return stub::fill(stub::text(values_of(handle), "uuid"), uuid, size);
}

int nvmlDeviceGetMemoryInfo(const void* handle, Memory* memory) {
    const int result = answer("nvmlDeviceGetMemoryInfo",
                              stub::number(values_of(handle), "memory_mib"), &memory->total);
    memory->total <<= 20;
    memory->used = stub::number(values_of(handle), "used_mib").value_or(0) << 20;
    return result;
}

int nvmlDeviceGetUtilizationRates(const void* handle, Utilization* rates) {
    return answer("nvmlDeviceGetUtilizationRates", stub::number(values_of(handle), "util"),
                  &rates->gpu);
}

int nvmlDeviceGetTemperature(const void* handle, int sensor, unsigned* celsius) {
    if (sensor != 0) return 2;
    return answer("nvmlDeviceGetTemperature", stub::number(values_of(handle), "temp"), celsius);
}

int nvmlDeviceGetTemperatureThreshold(const void* handle, int which, unsigned* celsius) {
    const char* key = which == 0 ? "shutdown" : "slowdown";
    return answer("nvmlDeviceGetTemperatureThreshold", stub::number(values_of(handle), key),
                  celsius);
}

int nvmlDeviceGetPowerUsage(const void* handle, unsigned* milliwatts) {
    return answer("nvmlDeviceGetPowerUsage", stub::number(values_of(handle), "power_mw"),
                  milliwatts);
}

int nvmlDeviceGetTotalEccErrors(const void* handle, int type, int counter,
                                unsigned long long* errors) {
    if (counter != 0) return 2;
    const char* key = type == 0 ? "ecc_corrected" : "ecc_uncorrected";
    return answer("nvmlDeviceGetTotalEccErrors", stub::number(values_of(handle), key), errors);
}

int nvmlDeviceGetRetiredPagesPendingStatus(const void* handle, int* pending) {
    return answer("nvmlDeviceGetRetiredPagesPendingStatus",
                  stub::number(values_of(handle), "pages_pending"), pending);
}

int nvmlDeviceGetPcieReplayCounter(const void* handle, unsigned* replays) {
    return answer("nvmlDeviceGetPcieReplayCounter", stub::number(values_of(handle), "pcie_replays"),
                  replays);
}

/// What the key says of each link, `nvlink_replays=2` or `nvlink_errors=0`.
int nvmlDeviceGetNvLinkErrorCounter(const void* handle, unsigned, int counter,
                                    unsigned long long* errors) {
    if (counter > 1) return 2;
    const char* key = counter == 0 ? "nvlink_replays" : "nvlink_errors";
    return answer("nvmlDeviceGetNvLinkErrorCounter", stub::number(values_of(handle), key), errors);
}

int nvmlDeviceGetMinorNumber(const void* handle, unsigned* minor) {
    return answer("nvmlDeviceGetMinorNumber", stub::number(values_of(handle), "minor"), minor);
}

int nvmlDeviceGetCudaComputeCapability(const void* handle, int* major, int* minor) {
    if (const int failure = stub::failure_of("nvmlDeviceGetCudaComputeCapability")) return failure;
    const auto version = stub::text(values_of(handle), "version");
    return version && std::sscanf(version->c_str(), "%d.%d", major, minor) == 2 ? 0 : stub::unknown;
}

int nvmlDeviceGetCpuAffinity(const void* handle, unsigned words, unsigned long* set) {
    if (words == 0) return 2;
    return answer("nvmlDeviceGetCpuAffinity", stub::number(values_of(handle), "near", 16), set);
}

int nvmlDeviceGetNvLinkState(const void* handle, unsigned link, unsigned* state) {
    const auto links = links_of(handle);
    if (link >= links.size()) return 2;
    return answer("nvmlDeviceGetNvLinkState", links[link] == "off" ? 0 : 1, state);
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(const void* handle, unsigned link, PciInfo* info) {
    if (const int failure = stub::failure_of("nvmlDeviceGetNvLinkRemotePciInfo_v2")) return failure;
    const auto links = links_of(handle);
    return link < links.size() ? answer_bus(links[link], info) : 2;
}

#ifndef STUB_OLD
int nvmlDeviceGetTotalEnergyConsumption(const void* handle, unsigned long long* millijoules) {
    return answer("nvmlDeviceGetTotalEnergyConsumption",
                  stub::number(values_of(handle), "energy_mj"), millijoules);
}

int nvmlDeviceGetRemappedRows(const void* handle, unsigned* corrected, unsigned* uncorrected,
                              unsigned* pending, unsigned* failed) {
    const stub::Values& values = values_of(handle);
    *corrected = *uncorrected = 0;
    *failed = static_cast<unsigned>(stub::number(values, "remap_failed").value_or(0));
    return answer("nvmlDeviceGetRemappedRows", stub::number(values, "remap_pending"), pending);
}

int nvmlDeviceGetNvLinkRemoteDeviceType(const void* handle, unsigned link, int* type) {
    const auto links = links_of(handle);
    if (link >= links.size()) return 2;
    return answer("nvmlDeviceGetNvLinkRemoteDeviceType", links[link] == "switch" ? 2 : 0, type);
}

int nvmlDeviceGetMigMode(const void* handle, unsigned* current, unsigned* pending) {
    *pending = 0;
    return answer("nvmlDeviceGetMigMode", stub::number(values_of(handle), "mig"), current);
}

int nvmlDeviceGetMaxMigDeviceCount(const void*, unsigned* count) {
    return answer("nvmlDeviceGetMaxMigDeviceCount", 7, count);
}

int nvmlDeviceGetMigDeviceHandleByIndex(const void* handle, unsigned index, const void** instance) {
    const stub::Gpu* gpu = gpu_of(handle);
    if (gpu == nullptr || index >= gpu->instances.size()) return 6;
    *instance = &gpu->instances[index].values;
    return 0;
}

int nvmlDeviceGetGpuInstanceId(const void* handle, unsigned* id) {
    return answer("nvmlDeviceGetGpuInstanceId", stub::number(values_of(handle), "gi"), id);
}

int nvmlDeviceGetComputeInstanceId(const void* handle, unsigned* id) {
    return answer("nvmlDeviceGetComputeInstanceId", stub::number(values_of(handle), "ci"), id);
}

int nvmlDeviceGetAttributes_v2(const void* handle, Attributes* attributes) {
    const stub::Values& values = values_of(handle);
    attributes->compute_instance_slices =
        static_cast<unsigned>(stub::number(values, "compute_slices").value_or(0));
    attributes->memory_mib = stub::number(values, "attribute_mib").value_or(0);
    return answer("nvmlDeviceGetAttributes_v2", stub::number(values, "slices"),
                  &attributes->gpu_instance_slices);
}
#endif

}  // extern "C"
