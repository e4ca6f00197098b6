// SPDX-License-Identifier: Apache-2.0
#include "device_program.hpp"

#include <linux/bpf.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/errno_status.hpp"
#include "device_files.hpp"
#include "enforce/device/resolved_rules.hpp"

namespace trestle::os::detail {

namespace {

constexpr std::string_view program_name = "trestle";

/// How often something is done again that other processes, or signals, get in the way of.
constexpr int bpf_tries = 8;

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
    program_name.copy(attributes.prog_name, sizeof attributes.prog_name - 1);
    if (log != nullptr) {
        attributes.log_level = 1;
        attributes.log_buf = address_of(log->data());
        attributes.log_size = static_cast<std::uint32_t>(log->size());
    }
    int fd = -1;
    for (int i = 0; i < bpf_tries; ++i) {
        fd = call_bpf(kernel, BPF_PROG_LOAD, attributes);
        if (fd >= 0 || errno != EAGAIN) break;  // EAGAIN: the verifier was interrupted
    }
    return Fd(fd);
}

/// The last line that the verifier wrote about the program, before its statistics.
std::string verifier_error(Kernel& kernel, const std::vector<BpfInstruction>& program) {
    std::string log;
    for (std::size_t size = 1 << 16; size <= 1 << 24; size *= 4) {
        log.assign(size, '\0');
        if (load(kernel, program, &log) || errno != ENOSPC) break;
    }
    log.resize(std::strlen(log.c_str()));
    std::string_view rest = log;
    while (!rest.empty()) {
        const std::size_t start = rest.substr(0, rest.size() - 1).rfind('\n') + 1;
        const std::string_view line = rest.substr(start);
        const bool is_told = line.starts_with("processed ") || line == "\n";
        if (!is_told) return std::string(line.substr(0, line.find('\n')));
        rest = rest.substr(0, start);
    }
    return {};
}

StatusOr<Fd> load(Kernel& kernel, const std::vector<BpfInstruction>& program) {
    Fd fd = load(kernel, program, nullptr);
    if (fd) return fd;
    const int error = errno;
    const bool is_refused = error == EINVAL || error == EACCES || error == E2BIG;
    const std::string why = is_refused ? verifier_error(kernel, program) : "";
    return errno_status(error, "cannot load a device filter" + (why.empty() ? "" : ": " + why));
}

struct Programs {
    std::vector<std::uint32_t> ids;
    std::uint32_t flags = 0;  ///< with which they were attached; not told of effective ones
};

/// The device programs of the group, or all that are effective in it.
StatusOr<Programs> programs_of(const GroupDirectory& group, std::uint32_t query_flags) {
    Programs programs;
    programs.ids.resize(64);
    int error = ENOSPC;
    for (int i = 0; i < bpf_tries && error == ENOSPC; ++i) {
        bpf_attr attributes = empty_attributes();
        attributes.query.target_fd = static_cast<std::uint32_t>(group.fd());
        attributes.query.attach_type = BPF_CGROUP_DEVICE;
        attributes.query.query_flags = query_flags;
        attributes.query.prog_ids = address_of(programs.ids.data());
        attributes.query.prog_cnt = static_cast<std::uint32_t>(programs.ids.size());
        error = call_bpf(group.kernel(), BPF_PROG_QUERY, attributes) == 0 ? 0 : errno;
        programs.flags = attributes.query.attach_flags;
        programs.ids.resize(std::max<std::size_t>(attributes.query.prog_cnt, error == 0 ? 0 : 64));
    }
    if (error == 0) return programs;
    return errno_status(error, group.path() + ": cannot ask for its device programs");
}

bpf_prog_info program_info(Kernel& kernel, const Fd& program, Status& status) {
    bpf_prog_info info;
    std::memset(&info, 0, sizeof info);
    bpf_attr attributes = empty_attributes();
    attributes.info.bpf_fd = static_cast<std::uint32_t>(program.get());
    attributes.info.info_len = sizeof info;
    attributes.info.info = address_of(&info);
    if (call_bpf(kernel, BPF_OBJ_GET_INFO_BY_FD, attributes) != 0) {
        status = errno_status(errno, "cannot ask about a device program");
    }
    return info;
}

std::string tag_of(const bpf_prog_info& info) {
    std::string tag;
    for (const std::uint8_t byte : info.tag) tag += fmt::format("{:02x}", byte);
    return tag;
}

/// The program of this id, if it is ours and still there.
StatusOr<std::optional<OwnFilter>> own_program(const GroupDirectory& group, std::uint32_t id) {
    bpf_attr attributes = empty_attributes();
    attributes.prog_id = id;
    Fd fd(call_bpf(group.kernel(), BPF_PROG_GET_FD_BY_ID, attributes));
    if (!fd && errno == ENOENT) return std::optional<OwnFilter>();
    if (!fd) return errno_status(errno, group.path() + ": cannot open its device programs");
    Status status;
    const bpf_prog_info info = program_info(group.kernel(), fd, status);
    TRESTLE_TRY_STATUS(status);
    if (info.name != program_name) return std::optional<OwnFilter>();
    return std::optional(OwnFilter{id, tag_of(info), std::move(fd)});
}

/// As attach; 0 or an errno.
int attach(const GroupDirectory& group, const Fd& program, const Fd* replaced) {
    bpf_attr attributes = empty_attributes();
    attributes.target_fd = static_cast<std::uint32_t>(group.fd());
    attributes.attach_bpf_fd = static_cast<std::uint32_t>(program.get());
    attributes.attach_type = BPF_CGROUP_DEVICE;
    attributes.attach_flags = BPF_F_ALLOW_MULTI;
    if (replaced != nullptr) {
        attributes.attach_flags |= BPF_F_REPLACE;
        attributes.replace_bpf_fd = static_cast<std::uint32_t>(replaced->get());
    }
    return call_bpf(group.kernel(), BPF_PROG_ATTACH, attributes) == 0 ? 0 : errno;
}

Status detach(const GroupDirectory& group, const Fd& program) {
    bpf_attr attributes = empty_attributes();
    attributes.target_fd = static_cast<std::uint32_t>(group.fd());
    attributes.attach_bpf_fd = static_cast<std::uint32_t>(program.get());
    attributes.attach_type = BPF_CGROUP_DEVICE;
    if (call_bpf(group.kernel(), BPF_PROG_DETACH, attributes) == 0) return {};
    return errno_status(errno, group.path() + ": cannot detach a device filter");
}

/// What the kernel means by refusing.
Status attach_error(const GroupDirectory& group, int error, bool has_others) {
    const std::string what = group.path() + ": cannot attach a device filter";
    if (error == E2BIG) {
        return make_error(StatusCode::kResourceExhausted,
                          "{}: it has as many programs as the kernel takes (64)", what);
    }
    if (error != EPERM || !has_others) return errno_status(error, what);
    const auto own = programs_of(group, 0);
    const bool is_own = own.ok() && !own->ids.empty();
    return failed_precondition("{}: {} was attached without BPF_F_ALLOW_MULTI and bears none {} it",
                               what, is_own ? "its program" : "the program of a group above",
                               is_own ? "beside" : "below");
}

/// A program above that was attached as one that may be overridden is silently overridden by ours:
/// the group could then open what the one above may not.
Status attach_beside(const GroupDirectory& group, const Fd& program, const Programs& before) {
    const int error = attach(group, program, nullptr);
    if (error != 0) return attach_error(group, error, !before.ids.empty());
    if (before.ids.empty()) return {};
    const auto after = programs_of(group, BPF_F_QUERY_EFFECTIVE);
    Status status = after.status();
    if (after.ok()) {
        const auto& ids = after->ids;
        const bool has_all = std::all_of(
            before.ids.begin(), before.ids.end(),
            [&](std::uint32_t id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); });
        if (has_all) return {};
        status = failed_precondition(
            "{}: a device filter would take the place of the program of a group above, which was "
            "attached with BPF_F_ALLOW_OVERRIDE",
            group.path());
    }
    const Status detached = detach(group, program);
    return detached.ok() ? status
                         : make_error(status.code(), "{}; left behind: the filter ({})",
                                      message(status), message(detached));
}

/// Kernels before 5.6 cannot replace: the new one comes first, so that no moment is looser.
Status replace_in_two(const GroupDirectory& group, const Fd& program, const OwnFilter& old) {
    const int error = attach(group, program, nullptr);
    if (error != 0) return attach_error(group, error, true);
    const Status detached = detach(group, old.fd);
    if (!detached.ok()) (void)detach(group, program);
    return detached;
}

}  // namespace

StatusOr<std::optional<OwnFilter>> own_filter(const GroupDirectory& group) {
    TRESTLE_TRY(const auto programs, programs_of(group, 0));
    std::optional<OwnFilter> found;
    for (const std::uint32_t id : programs.ids) {
        TRESTLE_TRY(auto own, own_program(group, id));
        if (!own) continue;
        if (found) {
            return failed_precondition("{}: it has several device filters named {}, expected one",
                                       group.path(), program_name);
        }
        found = std::move(own);
    }
    return found;
}

StatusOr<std::string> filter_tag(Kernel& kernel, const std::vector<BpfInstruction>& program) {
    TRESTLE_TRY(const Fd loaded, load(kernel, program));
    Status status;
    const bpf_prog_info info = program_info(kernel, loaded, status);
    TRESTLE_TRY_STATUS(status);
    return tag_of(info);
}

Status load_filter(const GroupDirectory& group, const DeviceAllowList& list) {
    TRESTLE_TRY(const auto present, resolve_device_numbers(list, group.kernel()));
    TRESTLE_TRY(const auto rules, resolved_rules(present));
    TRESTLE_TRY(const auto program, compile_filter(rules));
    TRESTLE_TRY(const Fd loaded, load(group.kernel(), program));
    int error = 0;
    for (int i = 0; i < bpf_tries; ++i) {
        TRESTLE_TRY(const auto effective, programs_of(group, BPF_F_QUERY_EFFECTIVE));
        const bool has_any = !effective.ids.empty();
        TRESTLE_TRY(const auto old, has_any ? own_filter(group) : std::optional<OwnFilter>());
        if (!old) return attach_beside(group, loaded, effective);
        error = attach(group, loaded, &old->fd);
        if (error == 0) return {};
        if (error == EINVAL) return replace_in_two(group, loaded, *old);
        if (error != ENOENT) break;  // ENOENT: another process has replaced it meanwhile
    }
    return errno_status(error, group.path() + ": cannot replace the device filter");
}

Status can_load_filters(Kernel& kernel) {
    TRESTLE_TRY(const auto deny_all, compile_filter({}));
    return load(kernel, deny_all).status();
}

}  // namespace trestle::os::detail
