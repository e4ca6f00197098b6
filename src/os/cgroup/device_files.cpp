// SPDX-License-Identifier: Apache-2.0
#include "device_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <string>
#include <utility>

#include "../kernel_text.hpp"
#include "group_directory.hpp"
#include "trestle/os/device_numbers.hpp"

namespace trestle::os::detail {

namespace {

Status look_up(Kernel& kernel, AllowedFile& allowed, std::string_view proc_devices) {
    DeviceFile& file = allowed.file;
    struct stat about {};
    if (kernel.fstatat(AT_FDCWD, file.path.c_str(), &about, 0) == 0) {
        const bool is_block = file.kind == DeviceFile::Kind::block;
        if (is_block ? !S_ISBLK(about.st_mode) : !S_ISCHR(about.st_mode)) {
            return invalid_argument("{}: not a {} device", file.path, to_text(file.kind));
        }
        file.major = ::major(about.st_rdev);
        file.minor = ::minor(about.st_rdev);
    } else if (!allowed.driver.empty()) {
        if (const auto major = major_of(proc_devices, file.kind, allowed.driver)) {
            file.major = major;
        }
    }
    return {};
}

}  // namespace

StatusOr<DeviceAllowList> looked_up(DeviceAllowList list, Kernel& kernel) {
    const auto read = read_file_at(kernel, AT_FDCWD, "/proc/devices", "/proc/devices");
    const std::string proc_devices = read.ok() ? *read : "";
    for (AllowedFile& file : list.files) TRESTLE_TRY_STATUS(look_up(kernel, file, proc_devices));
    return list;
}

}  // namespace trestle::os::detail

namespace trestle::os {

StatusOr<Plan> with_device_numbers(Plan plan) {
    for (Step& step : plan.steps) {
        if (step.kind != StepKind::load_filter) continue;
        TRESTLE_TRY(step.devices, detail::looked_up(std::move(step.devices)));
    }
    std::erase_if(plan.folders, [](const std::string& folder) {
        struct stat about {};
        return ::stat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode);
    });
    return plan;
}

}  // namespace trestle::os
