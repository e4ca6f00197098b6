// SPDX-License-Identifier: Apache-2.0
#pragma once

// The /proc, /sys and /dev of a machine: this one's, a recorded one's, or none.
//
// Layer: os, private. Main type: SystemRoot. Every question has an answer: what cannot be read is
// empty.
// Pitfall: recordings have no device nodes, so without a /dev below the root a file is what /proc
// and /sys say of it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/model/device.hpp"

namespace trestle::os::detail {

class SystemRoot {
  public:
    SystemRoot() = default;
    /// `folder` is empty for this machine.
    explicit SystemRoot(std::string folder);

    [[nodiscard]] bool exists(const std::string& path) const;
    /// The file's first MiB, which is more than any page here has.
    [[nodiscard]] std::string read(const std::string& path) const;
    /// What is in a folder, sorted; at most 4096 names.
    [[nodiscard]] std::vector<std::string> names_in(const std::string& folder) const;

    /// The character device at `path`, when there is one. Without /dev: with the numbers told.
    [[nodiscard]] std::optional<Device::File> device_file(const std::string& path,
                                                          std::optional<std::uint32_t> major,
                                                          std::optional<std::uint32_t> minor) const;
    /// The same with the numbers in a file of sysfs, as `226:128`.
    [[nodiscard]] std::optional<Device::File> device_file(const std::string& path,
                                                          const std::string& numbers_file) const;
    /// What a driver of character devices has in /proc/devices.
    [[nodiscard]] std::optional<std::uint32_t> major_of_driver(std::string_view driver) const;

  private:
    std::optional<std::string> root_;
    bool has_device_nodes_ = false;
};

}  // namespace trestle::os::detail
