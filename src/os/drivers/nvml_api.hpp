// SPDX-License-Identifier: Apache-2.0
#pragma once

// The part of NVML's binary interface that discovery and readings use: NVML API Reference Guide,
// "Device Queries", "NvLink Methods", "Multi Instance GPU Management".
//
// Layer: os, private. Main type: nvml::Api. Names are ours, layouts and numbers NVML's.

#include <array>
#include <cstdint>

namespace trestle::os::detail::nvml {

inline constexpr unsigned enabled = 1;  // NVML_FEATURE_ENABLED, NVML_DEVICE_MIG_ENABLE
inline constexpr int lost = 15;         // NVML_ERROR_GPU_IS_LOST

inline constexpr unsigned links_max = 36;        // NVML_NVLINK_MAX_LINKS was 6, 12, 18 so far
inline constexpr unsigned mig_devices_max = 64;  // seven GPU instances of at most seven
inline constexpr unsigned name_size = 96;        // NVML_DEVICE_NAME_V2_BUFFER_SIZE, and of UUIDs
inline constexpr int core_temperature = 0;       // NVML_TEMPERATURE_GPU
inline constexpr int shutdown_threshold = 0;     // NVML_TEMPERATURE_THRESHOLD_SHUTDOWN
inline constexpr int slowdown_threshold = 1;     // NVML_TEMPERATURE_THRESHOLD_SLOWDOWN
inline constexpr int corrected = 0;              // NVML_MEMORY_ERROR_TYPE_CORRECTED
inline constexpr int uncorrected = 1;            // NVML_MEMORY_ERROR_TYPE_UNCORRECTED
inline constexpr int since_load = 0;             // NVML_VOLATILE_ECC
inline constexpr int link_replays = 0;           // NVML_NVLINK_ERROR_DL_REPLAY
inline constexpr int link_recoveries = 1;        // NVML_NVLINK_ERROR_DL_RECOVERY

/// NVML_NVLINK_DEVICE_TYPE_*, what the other end of a link is.
inline constexpr int remote_gpu = 0;
inline constexpr int remote_switch = 2;

using Device = struct OpaqueDevice*;  // nvmlDevice_t

/// nvmlPciInfo_t. Before version 3 of the call the last member was four reserved numbers.
struct PciInfo {
    std::array<char, 16> legacy_bus_id{};
    unsigned domain = 0;
    unsigned bus = 0;
    unsigned device = 0;
    unsigned device_id = 0;
    unsigned subsystem_id = 0;
    std::array<char, 32> bus_id{};
};
static_assert(sizeof(PciInfo) == 68);

/// nvmlMemory_t, in bytes.
struct Memory {
    unsigned long long total = 0;
    unsigned long long free = 0;
    unsigned long long used = 0;
};
static_assert(sizeof(Memory) == 24);

/// nvmlDeviceAttributes_t.
struct Attributes {
    unsigned multiprocessors = 0;
    unsigned copy_engines = 0;
    unsigned decoders = 0;
    unsigned encoders = 0;
    unsigned jpeg_engines = 0;
    unsigned optical_flow_engines = 0;
    unsigned gpu_instance_slices = 0;
    unsigned compute_instance_slices = 0;
    unsigned long long memory_mib = 0;
};
static_assert(sizeof(Attributes) == 40);

/// nvmlUtilization_t, in percent.
struct Utilization {
    unsigned gpu = 0;
    unsigned memory = 0;
};
static_assert(sizeof(Utilization) == 8);

/// Functions that return nvmlReturn_t. Null: this driver has it not.
struct Api {
    int (*init)() = nullptr;                          // nvmlInit_v2
    int (*shutdown)() = nullptr;                      // nvmlShutdown
    int (*count)(unsigned*) = nullptr;                // nvmlDeviceGetCount_v2
    int (*handle)(unsigned, Device*) = nullptr;       // nvmlDeviceGetHandleByIndex_v2
    int (*pci_info)(Device, PciInfo*) = nullptr;      // nvmlDeviceGetPciInfo_v3, _v2
    int (*name)(Device, char*, unsigned) = nullptr;   // nvmlDeviceGetName
    int (*uuid)(Device, char*, unsigned) = nullptr;   // nvmlDeviceGetUUID
    int (*memory)(Device, Memory*) = nullptr;         // nvmlDeviceGetMemoryInfo
    int (*minor)(Device, unsigned*) = nullptr;        // nvmlDeviceGetMinorNumber
    int (*capability)(Device, int*, int*) = nullptr;  // nvmlDeviceGetCudaComputeCapability
    int (*affinity)(Device, unsigned, unsigned long*) = nullptr;  // nvmlDeviceGetCpuAffinity
    int (*link_state)(Device, unsigned, unsigned*) = nullptr;     // nvmlDeviceGetNvLinkState
    int (*link_remote)(Device, unsigned, PciInfo*) = nullptr;     // ...GetNvLinkRemotePciInfo_v2
    int (*link_remote_type)(Device, unsigned, int*) = nullptr;    // ...GetNvLinkRemoteDeviceType
    int (*mig_mode)(Device, unsigned*, unsigned*) = nullptr;      // nvmlDeviceGetMigMode
    int (*mig_count)(Device, unsigned*) = nullptr;                // ...GetMaxMigDeviceCount
    int (*mig_handle)(Device, unsigned, Device*) = nullptr;       // ...GetMigDeviceHandleByIndex
    int (*gpu_instance)(Device, unsigned*) = nullptr;             // nvmlDeviceGetGpuInstanceId
    int (*compute_instance)(Device, unsigned*) = nullptr;         // ...GetComputeInstanceId
    int (*attributes)(Device, Attributes*) = nullptr;             // ...GetAttributes_v2, v1
    int (*utilization)(Device, Utilization*) = nullptr;           // ...GetUtilizationRates
    int (*temperature)(Device, int, unsigned*) = nullptr;         // ...GetTemperature
    int (*threshold)(Device, int, unsigned*) = nullptr;           // ...GetTemperatureThreshold
    int (*power)(Device, unsigned*) = nullptr;                    // ...GetPowerUsage, milliwatts
    int (*energy)(Device, unsigned long long*) = nullptr;  // ...GetTotalEnergyConsumption, mJ
    int (*ecc_errors)(Device, int, int, unsigned long long*) = nullptr;  // ...GetTotalEccErrors
    int (*pages_pending)(Device, int*) = nullptr;  // ...GetRetiredPagesPendingStatus
    /// Corrected, uncorrected, pending, failed: nvmlDeviceGetRemappedRows.
    int (*remapped_rows)(Device, unsigned*, unsigned*, unsigned*, unsigned*) = nullptr;
    int (*pcie_replays)(Device, unsigned*) = nullptr;  // ...GetPcieReplayCounter
    int (*link_errors)(Device, unsigned, int,
                       unsigned long long*) = nullptr;  // ...GetNvLinkErrorCounter
};

}  // namespace trestle::os::detail::nvml
