// SPDX-License-Identifier: Apache-2.0
#pragma once

// ProcessUser: the user that a process runs as, and the privileges that it may gain.
//
// Layer: enforce. Main types: ProcessUser, ProcessUser::Capability.
// Pitfall: capabilities are what is left to be gained, not what the process has. A process of an
// ordinary user starts without any; one of root has those that are kept.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

/// The user that a process runs as. All of it is set after the process is in its group and behind
/// the device filter, and before its program is executed.
///
/// An ordinary user loses all capabilities. With no_new_privs nothing that it executes gains any:
/// neither a set-uid program nor one with capabilities of its own. Without no_new_privs a set-uid
/// program gets its owner's uid, and that user's rights by ownership. Of the capabilities it gets
/// only those that are kept. With none kept, a set-uid root program can neither mount nor change
/// its uid back and forth. Of root (uid 0) it has those that are kept.
///
/// The embedder needs CAP_SETUID and CAP_SETGID for another user, and CAP_SETPCAP for a smaller
/// bounding set. What already has the wanted value is not set again. So an ordinary user can run as
/// itself, with `capabilities` absent (see os::current_user).
struct ProcessUser {
    /// The capabilities of capabilities(7), by the numbers of the kernel.
    enum class Capability {
        chown,
        dac_override,
        dac_read_search,
        fowner,
        fsetid,
        kill,
        setgid,
        setuid,
        setpcap,
        linux_immutable,
        net_bind_service,
        net_broadcast,
        net_admin,
        net_raw,
        ipc_lock,
        ipc_owner,
        sys_module,
        sys_rawio,
        sys_chroot,
        sys_ptrace,
        sys_pacct,
        sys_admin,
        sys_boot,
        sys_nice,
        sys_resource,
        sys_time,
        sys_tty_config,
        mknod,
        lease,
        audit_write,
        audit_control,
        setfcap,
        mac_override,
        mac_admin,
        syslog,
        wake_alarm,
        block_suspend,
        audit_read,
        perfmon,
        bpf,
        checkpoint_restore,
    };

    std::uint32_t uid = 0;  ///< real, effective and saved
    std::uint32_t gid = 0;
    std::vector<std::uint32_t> groups = {};  ///< the supplementary groups, these and no others
    /// The bounding set: what may still be gained; absent: as it is.
    std::optional<std::vector<Capability>> capabilities = std::vector<Capability>();
    bool no_new_privs = true;

    static constexpr auto fields(auto list) {
        return list(field("uid", &ProcessUser::uid), field("gid", &ProcessUser::gid),
                    field("groups", &ProcessUser::groups),
                    field("capabilities", &ProcessUser::capabilities),
                    field("no_new_privs", &ProcessUser::no_new_privs));
    }
    friend bool operator==(const ProcessUser&, const ProcessUser&) = default;
};

constexpr auto enum_names(ProcessUser::Capability) {
    using enum ProcessUser::Capability;
    return std::array{named(chown, "CAP_CHOWN"),
                      named(dac_override, "CAP_DAC_OVERRIDE"),
                      named(dac_read_search, "CAP_DAC_READ_SEARCH"),
                      named(fowner, "CAP_FOWNER"),
                      named(fsetid, "CAP_FSETID"),
                      named(kill, "CAP_KILL"),
                      named(setgid, "CAP_SETGID"),
                      named(setuid, "CAP_SETUID"),
                      named(setpcap, "CAP_SETPCAP"),
                      named(linux_immutable, "CAP_LINUX_IMMUTABLE"),
                      named(net_bind_service, "CAP_NET_BIND_SERVICE"),
                      named(net_broadcast, "CAP_NET_BROADCAST"),
                      named(net_admin, "CAP_NET_ADMIN"),
                      named(net_raw, "CAP_NET_RAW"),
                      named(ipc_lock, "CAP_IPC_LOCK"),
                      named(ipc_owner, "CAP_IPC_OWNER"),
                      named(sys_module, "CAP_SYS_MODULE"),
                      named(sys_rawio, "CAP_SYS_RAWIO"),
                      named(sys_chroot, "CAP_SYS_CHROOT"),
                      named(sys_ptrace, "CAP_SYS_PTRACE"),
                      named(sys_pacct, "CAP_SYS_PACCT"),
                      named(sys_admin, "CAP_SYS_ADMIN"),
                      named(sys_boot, "CAP_SYS_BOOT"),
                      named(sys_nice, "CAP_SYS_NICE"),
                      named(sys_resource, "CAP_SYS_RESOURCE"),
                      named(sys_time, "CAP_SYS_TIME"),
                      named(sys_tty_config, "CAP_SYS_TTY_CONFIG"),
                      named(mknod, "CAP_MKNOD"),
                      named(lease, "CAP_LEASE"),
                      named(audit_write, "CAP_AUDIT_WRITE"),
                      named(audit_control, "CAP_AUDIT_CONTROL"),
                      named(setfcap, "CAP_SETFCAP"),
                      named(mac_override, "CAP_MAC_OVERRIDE"),
                      named(mac_admin, "CAP_MAC_ADMIN"),
                      named(syslog, "CAP_SYSLOG"),
                      named(wake_alarm, "CAP_WAKE_ALARM"),
                      named(block_suspend, "CAP_BLOCK_SUSPEND"),
                      named(audit_read, "CAP_AUDIT_READ"),
                      named(perfmon, "CAP_PERFMON"),
                      named(bpf, "CAP_BPF"),
                      named(checkpoint_restore, "CAP_CHECKPOINT_RESTORE")};
}

/// `uid=1000 gid=100 groups=4,27 capabilities=none no_new_privs`.
[[nodiscard]] std::string to_text(const ProcessUser& user);

/// Ok for numbers that the kernel can take. Errors: InvalidArgument that names what is wrong.
[[nodiscard]] Status check(const ProcessUser& user);

}  // namespace trestle
