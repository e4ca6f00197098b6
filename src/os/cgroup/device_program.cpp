// SPDX-License-Identifier: Apache-2.0
#include "device_program.hpp"

#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "../fd.hpp"
#include "../kernel_text.hpp"
#include "group_directory.hpp"
#include "trestle/os/device_numbers.hpp"

namespace trestle::os::detail {

namespace {

/// The whole union each time: newer kernels write behind what shorter callers pass.
long bpf(bpf_cmd command, bpf_attr& attributes) {
    return ::syscall(SYS_bpf, command, &attributes, sizeof attributes);
}

std::uint64_t address_of(const void* memory) { return std::bit_cast<std::uintptr_t>(memory); }

bpf_attr empty_attributes() {
    bpf_attr attributes;
    std::memset(&attributes, 0, sizeof attributes);
    return attributes;
}

/// Without a log first: a log that is too small for a long program fails the load by itself.
Fd load(const std::vector<BpfInstruction>& program, std::string* log) {
    bpf_attr attributes = empty_attributes();
    attributes.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
    attributes.insn_cnt = static_cast<std::uint32_t>(program.size());
    attributes.insns = address_of(program.data());
    attributes.license = address_of("Apache-2.0");
    std::memcpy(attributes.prog_name, "trestle_devices", sizeof "trestle_devices");
    if (log != nullptr) {
        attributes.log_level = 1;
        attributes.log_buf = address_of(log->data());
        attributes.log_size = static_cast<std::uint32_t>(log->size());
    }
    constexpr int tries = 5;  // EAGAIN: the verifier was interrupted
    long fd = -1;
    for (int i = 0; i < tries; ++i) {
        fd = bpf(BPF_PROG_LOAD, attributes);
        if (fd >= 0 || errno != EAGAIN) break;
    }
    return Fd(static_cast<int>(fd));
}

/// The last line that the verifier wrote about the program.
std::string verifier_says(const std::vector<BpfInstruction>& program) {
    std::string log(1 << 16, '\0');
    (void)load(program, &log);
    log.resize(std::strlen(log.c_str()));
    while (!log.empty() && log.back() == '\n') log.pop_back();
    const std::size_t line = log.rfind('\n');
    return line == std::string::npos ? log : log.substr(line + 1);
}

StatusOr<Fd> load(const std::vector<BpfInstruction>& program) {
    Fd fd = load(program, nullptr);
    if (fd) return fd;
    const int error = errno;
    const std::string why = error == EPERM ? "" : verifier_says(program);
    return errno_status(error, "cannot load a device filter" + (why.empty() ? "" : ": " + why));
}

Status look_up(AllowedFile& allowed, std::string_view proc_devices) {
    DeviceFile& file = allowed.file;
    struct stat about {};
    if (::stat(file.path.c_str(), &about) == 0) {
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

StatusOr<DeviceAllowList> looked_up(DeviceAllowList list) {
    const auto read = read_file_at(AT_FDCWD, "/proc/devices", "/proc/devices");
    const std::string proc_devices = read.ok() ? *read : "";
    for (AllowedFile& file : list.files) TRESTLE_TRY_STATUS(look_up(file, proc_devices));
    return list;
}

Status attach_filter(int group_fd, const std::string& group_path,
                     const std::vector<BpfInstruction>& program) {
    TRESTLE_TRY(const Fd loaded, load(program));
    bpf_attr attributes = empty_attributes();
    attributes.target_fd = static_cast<std::uint32_t>(group_fd);
    attributes.attach_bpf_fd = static_cast<std::uint32_t>(loaded.get());
    attributes.attach_type = BPF_CGROUP_DEVICE;
    attributes.attach_flags = BPF_F_ALLOW_MULTI;
    if (bpf(BPF_PROG_ATTACH, attributes) == 0) return {};
    return errno_status(errno, group_path + ": cannot attach a device filter");
}

Status can_load_filters() {
    TRESTLE_TRY(const auto deny_all, compile_filter({}));
    return load(deny_all).status();
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
