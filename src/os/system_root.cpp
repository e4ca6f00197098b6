// SPDX-License-Identifier: Apache-2.0
#include "os/system_root.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

#include "os/driver_text.hpp"
#include "os/kernel_text.hpp"

namespace trestle::os::detail {

namespace {

constexpr std::size_t text_max = 1024 * 1024;
constexpr std::size_t names_max = 4096;

}  // namespace

SystemRoot::SystemRoot(std::string folder) : root_(std::move(folder)) {
    std::error_code ignored;
    has_device_nodes_ = std::filesystem::is_directory(*root_ + "/dev", ignored);
}

bool SystemRoot::exists(const std::string& path) const {
    std::error_code ignored;
    return root_ && std::filesystem::exists(*root_ + path, ignored);
}

std::string SystemRoot::read(const std::string& path) const {
    if (!root_) return {};
    std::ifstream file(*root_ + path, std::ios::binary);
    std::string text;
    std::array<char, 4096> part;
    while (text.size() < text_max && file) {
        file.read(part.data(), part.size());
        text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    }
    return text;
}

std::vector<std::string> SystemRoot::names_in(const std::string& folder) const {
    std::vector<std::string> names;
    if (!root_) return names;
    std::error_code error;
    auto entry = std::filesystem::directory_iterator(*root_ + folder, error);
    const std::filesystem::directory_iterator end;
    while (!error && entry != end && names.size() < names_max) {
        names.push_back(entry->path().filename().string());
        entry.increment(error);
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<Device::File> SystemRoot::device_file(const std::string& path,
                                                    std::optional<std::uint32_t> major,
                                                    std::optional<std::uint32_t> minor) const {
    if (!root_) return std::nullopt;
    if (!has_device_nodes_) return Device::File{path, Device::File::Kind::character, major, minor};
    struct stat about {};
    if (::stat((*root_ + path).c_str(), &about) != 0 || !S_ISCHR(about.st_mode)) {
        return std::nullopt;
    }
    return Device::File{path, Device::File::Kind::character, ::major(about.st_rdev),
                        ::minor(about.st_rdev)};
}

std::optional<Device::File> SystemRoot::device_file(const std::string& path,
                                                    const std::string& numbers_file) const {
    const auto numbers = device_numbers(read(numbers_file));
    if (!numbers) return device_file(path, std::nullopt, std::nullopt);
    return device_file(path, numbers->first, numbers->second);
}

std::optional<std::uint32_t> SystemRoot::major_of_driver(std::string_view driver) const {
    return major_of(read("/proc/devices"), Device::File::Kind::character, driver);
}

}  // namespace trestle::os::detail
