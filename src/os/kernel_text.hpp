// SPDX-License-Identifier: Apache-2.0
#pragma once

// The texts of the kernel's files, read into values. Pure.
//
// Layer: os, private. Main names: keyed_number, words_of, pids_of, major_of, group_of, CgroupMount,
// io_totals, pressure_of.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/enforce/process/usage.hpp"
#include "trestle/model/device.hpp"

namespace trestle::os::detail {

/// The number behind `key` in lines of `key number` (memory.events, cpu.stat, cgroup.events).
[[nodiscard]] std::optional<std::uint64_t> keyed_number(std::string_view text,
                                                        std::string_view key);

/// A text that is one number and perhaps a line end; nothing for `max`.
[[nodiscard]] std::optional<std::uint64_t> whole_number(std::string_view text);

/// The words between blanks and line ends (cgroup.controllers).
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

/// cgroup.procs, rising. A process of another pid namespace, which reads as 0, is left out.
[[nodiscard]] std::vector<std::int64_t> pids_of(std::string_view text);

/// What a driver called `driver` has in /proc/devices.
[[nodiscard]] std::optional<std::uint32_t> major_of(std::string_view proc_devices,
                                                    Device::File::Kind kind,
                                                    std::string_view driver);

/// The cgroup v2 path in /proc/self/cgroup: `/a/b` of the line `0::/a/b`.
[[nodiscard]] std::optional<std::string> group_of(std::string_view proc_self_cgroup);

/// The controllers that /proc/cgroups shows in a hierarchy of cgroup v1, in its order.
[[nodiscard]] std::vector<std::string> controllers_on_v1(std::string_view proc_cgroups);

/// Where a cgroup v2 hierarchy is mounted, and which of its groups is seen there.
struct CgroupMount {
    std::string directory;
    std::string group;

    friend bool operator==(const CgroupMount&, const CgroupMount&) = default;
};

/// The first cgroup v2 mount of /proc/self/mountinfo.
[[nodiscard]] std::optional<CgroupMount> mount_of(std::string_view proc_self_mountinfo);

/// The directory of `group`; nothing when it lies outside of what is mounted.
[[nodiscard]] std::optional<std::string> directory_of(const CgroupMount& mount,
                                                      std::string_view group);

/// What io.stat counts of all devices together.
struct IoTotals {
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;

    friend bool operator==(const IoTotals&, const IoTotals&) = default;
};

/// io.stat; all 0 for an empty one, which is that of a group without any input and output yet.
[[nodiscard]] IoTotals io_totals(std::string_view io_stat);

/// The averages over ten seconds in cpu.pressure, memory.pressure, io.pressure.
[[nodiscard]] ResourceUsage::Pressure pressure_of(std::string_view text);

}  // namespace trestle::os::detail
