// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the drivers of accelerators tell, each in its own way, as one kind of value.
//
// Layer: os, private. Main types: DriverGpu, DriverInstance; read_nvml, read_rsmi, read_level_zero,
// read_neuron, read_nvidia_proc make them, complete_devices adds them to a shape.
// Pitfall: a value that is empty was not told; no call that fails is an error but those without
// which nothing can be asked.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "os/system_root.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/node.hpp"

namespace trestle::os::detail {

namespace nvml {
struct Api;
struct PciInfo;
}  // namespace nvml

/// A driver lists at most so many devices; more are passed over.
inline constexpr std::uint32_t driver_gpus_max = 4096;

/// A compute instance of a GPU in MIG mode.
struct DriverInstance {
    std::uint32_t gpu_instance = 0;
    std::uint32_t compute_instance = 0;
    std::string uuid;
    std::string model;
    std::string profile;  ///< `1g.10gb`
    Bytes memory;
};

/// An accelerator as its driver knows it.
struct DriverGpu {
    std::string place;  ///< `0000:34:00.0`, `0000:34:00.0/1` of a partition behind the first one;
                        ///< `neuron0` where the driver tells no bus
    std::string vendor;
    std::string model;
    std::string uuid;
    Bytes memory;
    std::optional<Version> compute_capability;
    std::optional<std::uint32_t> minor;  ///< N of /dev/nvidiaN
    std::vector<Device::File> files;     ///< its own, where no other source finds them
    std::optional<std::uint32_t> neuron_cores;
    PuSet near;           ///< hardware threads
    bool is_cut = false;  ///< in MIG mode: its instances are given, not it
    std::vector<DriverInstance> instances;
    std::map<std::string, std::uint32_t> links;  ///< to other places, how many
    std::uint32_t switch_links = 0;              ///< to the switches that join all of its kind
};
using DriverGpus = std::vector<DriverGpu>;

// Errors of the three that load a library (from `folder`, or as the linker finds it): NotFound when
// it is not there or lacks a function that is needed, Unavailable when it does not start or
// does not say how many devices it knows. A caller that asks every library ignores errors of each.

/// What is asked of NVML while it is started: its functions, and how many GPUs it knows.
using NvmlQuestion = std::function<void(const nvml::Api& api, unsigned count)>;
/// Starts NVML, asks, and shuts it down.
[[nodiscard]] Status ask_nvml(const std::string& folder, const NvmlQuestion& ask);
/// `0000:34:00.0`.
[[nodiscard]] std::string nvml_place(const nvml::PciInfo& info);

/// libnvidia-ml.so.1 (NVIDIA Management Library).
[[nodiscard]] StatusOr<DriverGpus> read_nvml(const std::string& folder);
/// librocm_smi64.so (ROCm SMI).
[[nodiscard]] StatusOr<DriverGpus> read_rsmi(const std::string& folder);
/// libze_loader.so.1 (oneAPI Level Zero, its Sysman part).
[[nodiscard]] StatusOr<DriverGpus> read_level_zero(const std::string& folder);

/// /sys/devices/virtual/neuron_device. Errors: NotFound without it.
[[nodiscard]] StatusOr<DriverGpus> read_neuron(const SystemRoot& root);
/// /proc/driver/nvidia, with the instances that have capabilities there. Errors: NotFound without
/// it.
[[nodiscard]] StatusOr<DriverGpus> read_nvidia_proc(const SystemRoot& root);

/// The device files of an instance beyond the GPU's own: access to the GPU instance, then to the
/// compute instance. The driver numbers them in /proc/driver/nvidia-caps/mig-minors, and in
/// /proc/driver/nvidia/capabilities.
[[nodiscard]] std::vector<Device::File> capability_files(const SystemRoot& root,
                                                         std::uint32_t gpu_minor,
                                                         const DriverInstance& instance);

/// The place of the n-th compute partition of a GPU, counted from 0.
[[nodiscard]] std::string place_of_partition(const std::string& bus_id, std::size_t partition);

/// Adds what drivers tell to the GPUs of `shape`. Of two that speak of one place the later one
/// goes first. GPUs that the shape lacks come in, in the order of their bus ids; a GPU in MIG mode
/// is replaced by its instances.
void complete_devices(const std::vector<DriverGpus>& told, const SystemRoot& root,
                      NodeShape& shape);

}  // namespace trestle::os::detail
