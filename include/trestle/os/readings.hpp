// SPDX-License-Identifier: Apache-2.0
#pragma once

// Readings of this machine that belong to no group: energy, and what GPUs use and count.
//
// Layer: os. Main names: read_energy, read_gpus, read_device_health, xids_in, GpuReading. What is
// read is values of enforce: ResourceUsage takes counters of energy and GPUs, classify() the
// counters.
// Pitfall: what a GPU uses is all that is used of it, by whomever. A job that has the whole of it
// is alone there; one that shares it is not.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/health/device_health.hpp"
#include "trestle/enforce/health/node_health.hpp"
#include "trestle/enforce/process/usage.hpp"

namespace trestle::os {

/// Where to read.
struct ReadingOptions {
    std::string fs_root = {};         ///< a folder with the /sys of another machine
    std::string library_folder = {};  ///< empty: where the dynamic linker looks

    static constexpr auto fields(auto list) {
        return list(field("fs_root", &ReadingOptions::fs_root),
                    field("library_folder", &ReadingOptions::library_folder));
    }
    friend bool operator==(const ReadingOptions&, const ReadingOptions&) = default;
};

/// The energy counters of all processor packages and their memory (RAPL, by /sys/class/powercap):
/// `package-0`, `package-0/dram`. Parts of a package and the counter of the whole platform, which
/// are counted in others already, are left out.
/// Errors: NotFound where there is no such counter. PermissionDenied where only root may read it
/// (every kernel since 5.10), and others from errno, with the path. FailedPrecondition for a file
/// that holds no number.
[[nodiscard]] StatusOr<std::vector<EnergyCounter>> read_energy(const ReadingOptions& options = {});

/// What a driver tells of a GPU now.
struct GpuReading {
    std::uint32_t index = 0;  ///< the driver's
    std::string place;        ///< `0000:34:00.0`; of an instance its GPU's; empty when not told
    GpuUsage usage;
    DeviceCounters counters;  ///< of an instance none: they are its GPU's

    static constexpr auto fields(auto list) {
        return list(field("index", &GpuReading::index), field("place", &GpuReading::place),
                    field("usage", &GpuReading::usage), field("counters", &GpuReading::counters));
    }
    friend bool operator==(const GpuReading&, const GpuReading&) = default;
};

/// All GPUs that NVML knows, in its order, each followed by its MIG instances, with their memory.
/// One that is lost is there, with nothing known but that; what a GPU or driver does not support
/// stays absent. XIDs are not asked: see xids_in.
/// Errors: NotFound when the library is not there, Unavailable when it does not start or does not
/// say how many GPUs it knows.
[[nodiscard]] StatusOr<std::vector<GpuReading>> read_gpus(const ReadingOptions& options = {});

/// The same, judged: one report a GPU. Errors: as read_gpus.
[[nodiscard]] StatusOr<std::vector<DeviceReport>> read_device_health(
    const DeviceCounters::Thresholds& thresholds = {}, const ReadingOptions& options = {});

/// An error that NVIDIA's driver wrote to the kernel log.
struct XidEvent {
    std::string place;  ///< `0000:34:00.0`
    std::uint32_t xid = 0;

    static constexpr auto fields(auto list) {
        return list(field("place", &XidEvent::place), field("xid", &XidEvent::xid));
    }
    friend bool operator==(const XidEvent&, const XidEvent&) = default;
};

/// The XIDs in a piece of the kernel log (`dmesg`, /dev/kmsg), in order. Lines of another form are
/// passed over. Pure.
[[nodiscard]] std::vector<XidEvent> xids_in(std::string_view kernel_log);

/// The readings with the XIDs in the counters of the GPUs that they are of. A GPU whose place is
/// known and that is not in the log has none; events of other GPUs are dropped. Pure.
[[nodiscard]] std::vector<GpuReading> with_xids(std::vector<GpuReading> readings,
                                                const std::vector<XidEvent>& events);

}  // namespace trestle::os
