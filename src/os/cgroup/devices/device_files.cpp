// SPDX-License-Identifier: Apache-2.0
#include "device_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "../../kernel_text.hpp"
#include "base/errno_status.hpp"
#include "enforce/detail/step_parts.hpp"
#include "os/directory.hpp"
#include "trestle/os/device_numbers.hpp"

namespace trestle::os::detail {

namespace {

/// The major number of a driver whose file is not there; nothing where the driver is not either.
StatusOr<std::optional<std::uint32_t>> driver_major(Kernel& kernel,
                                                    const DeviceAllowList::File& allowed) {
    constexpr const char* file = "/proc/devices";
    const auto text = read_file_at(kernel, AT_FDCWD, file, file);
    if (text.status().code() == StatusCode::kNotFound) return std::optional<std::uint32_t>();
    TRESTLE_TRY_STATUS(text.status());
    return major_of(*text, allowed.file.kind, allowed.driver);
}

/// A file that cannot be looked at is none that does not exist: its numbers may be others by now.
Status look_up(Kernel& kernel, DeviceAllowList::File& allowed) {
    Device::File& file = allowed.file;
    struct stat about {};
    if (kernel.fstatat(AT_FDCWD, file.path.c_str(), &about, 0) == 0) {
        const bool is_block = file.kind == Device::File::Kind::block;
        if (is_block ? !S_ISBLK(about.st_mode) : !S_ISCHR(about.st_mode)) {
            return invalid_argument("{}: not a {} device", file.path, to_text(file.kind));
        }
        file.major = ::major(about.st_rdev);
        file.minor = ::minor(about.st_rdev);
        return {};
    }
    if (errno != ENOENT && errno != ENOTDIR) return errno_status(errno, file.path);
    if (allowed.driver.empty()) return {};
    TRESTLE_TRY(const auto major_number, driver_major(kernel, allowed));
    if (major_number) file.major = major_number;
    return {};
}

}  // namespace

StatusOr<DeviceAllowList> resolve_device_numbers(DeviceAllowList list, Kernel& kernel) {
    for (DeviceAllowList::File& file : list.files) TRESTLE_TRY_STATUS(look_up(kernel, file));
    return list;
}

}  // namespace trestle::os::detail

namespace trestle::os {

StatusOr<Plan> with_device_numbers(Plan plan) {
    for (Step& step : plan.steps) {
        auto* load = action_of<Step::LoadFilter>(step);
        if (load == nullptr) continue;
        TRESTLE_TRY(load->devices, detail::resolve_device_numbers(std::move(load->devices)));
    }
    std::erase_if(plan.folders, [](const std::string& folder) {
        struct stat about {};
        return ::stat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode);
    });
    return plan;
}

}  // namespace trestle::os
