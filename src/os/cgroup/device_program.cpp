// SPDX-License-Identifier: Apache-2.0
#include "device_program.hpp"

#include <fcntl.h>
#include <linux/bpf.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "../fd.hpp"
#include "../kernel_text.hpp"
#include "trestle/enforce/device/device_filter.hpp"
#include "trestle/os/device_numbers.hpp"

namespace trestle::os::detail {

namespace {

constexpr char filter_name[] = "trestle_devices";

/// The whole union each time: newer kernels write behind what shorter callers pass.
int call_bpf(Kernel& kernel, bpf_cmd command, bpf_attr& attributes) {
    return kernel.bpf(command, &attributes, sizeof attributes);
}

std::uint64_t address_of(const void* memory) { return std::bit_cast<std::uintptr_t>(memory); }

bpf_attr empty_attributes() {
    bpf_attr attributes;
    std::memset(&attributes, 0, sizeof attributes);
    return attributes;
}

/// Without a log first: a log that is too small for a long program fails the load by itself.
Fd load(Kernel& kernel, const std::vector<BpfInstruction>& program, std::string* log) {
    bpf_attr attributes = empty_attributes();
    attributes.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
    attributes.insn_cnt = static_cast<std::uint32_t>(program.size());
    attributes.insns = address_of(program.data());
    attributes.license = address_of("Apache-2.0");
    std::memcpy(attributes.prog_name, filter_name, sizeof filter_name);
    if (log != nullptr) {
        attributes.log_level = 1;
        attributes.log_buf = address_of(log->data());
        attributes.log_size = static_cast<std::uint32_t>(log->size());
    }
    constexpr int tries = 5;  // EAGAIN: the verifier was interrupted
    int fd = -1;
    for (int i = 0; i < tries; ++i) {
        fd = call_bpf(kernel, BPF_PROG_LOAD, attributes);
        if (fd >= 0 || errno != EAGAIN) break;
    }
    return Fd(fd);
}

/// The last line that the verifier wrote about the program.
std::string verifier_says(Kernel& kernel, const std::vector<BpfInstruction>& program) {
    std::string log(1 << 16, '\0');
    (void)load(kernel, program, &log);
    log.resize(std::strlen(log.c_str()));
    while (!log.empty() && log.back() == '\n') log.pop_back();
    const std::size_t line = log.rfind('\n');
    return line == std::string::npos ? log : log.substr(line + 1);
}

StatusOr<Fd> load(Kernel& kernel, const std::vector<BpfInstruction>& program) {
    Fd fd = load(kernel, program, nullptr);
    if (fd) return fd;
    const int error = errno;
    const std::string why = error == EPERM ? "" : verifier_says(kernel, program);
    return errno_status(error, "cannot load a device filter" + (why.empty() ? "" : ": " + why));
}

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

namespace {

/// The program for the list with the numbers that the files have now.
StatusOr<Fd> load_list(Kernel& kernel, const DeviceAllowList& list) {
    TRESTLE_TRY(const auto present, looked_up(list, kernel));
    TRESTLE_TRY(const auto rules, resolved_rules(present));
    TRESTLE_TRY(const auto program, compile_filter(rules));
    return load(kernel, program);
}

/// A program as the kernel describes it.
struct LoadedFilter {
    Fd fd;
    std::string name;
    std::string tag;  ///< in hex, as bpftool shows it
};

StatusOr<LoadedFilter> described(Kernel& kernel, Fd fd) {
    bpf_prog_info info;
    std::memset(&info, 0, sizeof info);
    bpf_attr attributes = empty_attributes();
    attributes.info.bpf_fd = static_cast<std::uint32_t>(fd.get());
    attributes.info.info_len = sizeof info;
    attributes.info.info = address_of(&info);
    if (call_bpf(kernel, BPF_OBJ_GET_INFO_BY_FD, attributes) != 0) {
        return errno_status(errno, "cannot look at a device filter");
    }
    std::string tag;
    for (const unsigned char byte : info.tag) tag += fmt::format("{:02x}", byte);
    return LoadedFilter{std::move(fd), info.name, std::move(tag)};
}

/// The device programs attached to the group itself. Errors: PermissionDenied for who may not look.
StatusOr<std::vector<LoadedFilter>> attached_filters(const GroupDirectory& group) {
    std::array<std::uint32_t, 64> ids{};  // the kernel takes no more in one group
    bpf_attr attributes = empty_attributes();
    attributes.query.target_fd = static_cast<std::uint32_t>(group.fd());
    attributes.query.attach_type = BPF_CGROUP_DEVICE;
    attributes.query.prog_ids = address_of(ids.data());
    attributes.query.prog_cnt = static_cast<std::uint32_t>(ids.size());
    if (call_bpf(group.kernel(), BPF_PROG_QUERY, attributes) != 0) {
        return errno_status(errno, group.path() + ": cannot list the device filters");
    }
    std::vector<LoadedFilter> filters;
    for (std::uint32_t i = 0; i < std::min(attributes.query.prog_cnt, 64U); ++i) {
        bpf_attr wanted = empty_attributes();
        wanted.prog_id = ids[i];
        Fd fd(call_bpf(group.kernel(), BPF_PROG_GET_FD_BY_ID, wanted));
        if (!fd && errno == ENOENT) continue;  // detached meanwhile
        if (!fd) return errno_status(errno, group.path() + ": cannot look at a device filter");
        TRESTLE_TRY(auto filter, described(group.kernel(), std::move(fd)));
        filters.push_back(std::move(filter));
    }
    return filters;
}

/// The one that load_filter attached before; empty when there is none, and for who may not look.
StatusOr<Fd> filter_before(const GroupDirectory& group) {
    auto filters = attached_filters(group);
    if (filters.status().code() == StatusCode::kPermissionDenied) return Fd();
    TRESTLE_TRY_STATUS(filters.status());
    for (LoadedFilter& filter : *filters) {
        if (filter.name == filter_name) return std::move(filter.fd);
    }
    return Fd();
}

}  // namespace

Status load_filter(const GroupDirectory& group, const DeviceAllowList& list) {
    TRESTLE_TRY(const Fd loaded, load_list(group.kernel(), list));
    TRESTLE_TRY(const Fd before, filter_before(group));
    bpf_attr attributes = empty_attributes();
    attributes.target_fd = static_cast<std::uint32_t>(group.fd());
    attributes.attach_bpf_fd = static_cast<std::uint32_t>(loaded.get());
    attributes.attach_type = BPF_CGROUP_DEVICE;
    attributes.attach_flags = BPF_F_ALLOW_MULTI;
    if (before) {
        attributes.attach_flags |= BPF_F_REPLACE;
        attributes.replace_bpf_fd = static_cast<std::uint32_t>(before.get());
    }
    if (call_bpf(group.kernel(), BPF_PROG_ATTACH, attributes) == 0) return {};
    return errno_status(errno, group.path() + ": cannot attach a device filter");
}

StatusOr<std::optional<Drift>> filter_drift(const GroupDirectory& group,
                                            const DeviceAllowList& list) {
    const auto drift = [](const std::string& tag, std::string found, const std::string& why) {
        const std::string expected = tag.empty() ? "the plan's" : filter_name + (" tag " + tag);
        return std::optional(Drift{"devices", "device filter", expected, std::move(found), why});
    };
    const auto unknown = [&](const Status& why) {
        return drift("", "unknown", std::string(message(why)));
    };
    auto loaded = load_list(group.kernel(), list);
    if (!loaded.ok()) return unknown(loaded.status());
    const auto wanted = described(group.kernel(), *std::move(loaded));
    if (!wanted.ok()) return unknown(wanted.status());
    const auto filters = attached_filters(group);
    if (!filters.ok() && !group.has("cgroup.procs"))
        return not_found("{}: it has gone", group.path());
    if (!filters.ok()) return unknown(filters.status());
    std::string found;
    for (const LoadedFilter& filter : *filters) {
        if (filter.name != filter_name) continue;
        if (filter.tag == wanted->tag) return std::optional<Drift>();
        found += (found.empty() ? "" : ", ") + filter.name + " tag " + filter.tag;
    }
    return drift(wanted->tag, found,
                 found.empty() ? "it was detached: every device may be opened that the groups "
                                 "above allow"
                               : "it decides otherwise: devices have other numbers now, or it was "
                                 "replaced");
}

Status can_load_filters(Kernel& kernel) {
    TRESTLE_TRY(const auto deny_all, compile_filter({}));
    return load(kernel, deny_all).status();
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
