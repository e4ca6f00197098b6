// SPDX-License-Identifier: Apache-2.0
#pragma once

// The OCI runtime's document: a whole `config.json` (runtime-spec 1.0) that makes a plan hold.
//
// Layer: dialect/container. Main types: OciConfig, OciBundle; oci_config() makes one, runc and crun
// run it. Parts that describe limits: OciResources, OciDevice, OciMount, OciUser.
// Pitfall: nothing is looked up. Devices are made by their numbers, so these have to be known when
// the document is made. A network of the container's own has no interface yet.
// Secrets: OciProcess::env has every value in clear, and so has its JSON: write config.json for its
// owner alone (0600). Variables stand in no row of the account.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/container/document.hpp"
#include "trestle/dialect/json/codec.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/process/command.hpp"
#include "trestle/enforce/process/environment.hpp"

namespace trestle::container {

/// The user of the process inside the container.
struct OciUser {
    static constexpr auto spelling = json::Spelling::camel;

    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    std::vector<std::uint32_t> additional_gids = {};
    std::optional<std::uint32_t> umask = {};

    static constexpr auto fields(auto list) {
        return list(field("uid", &OciUser::uid), field("gid", &OciUser::gid),
                    field("additional_gids", &OciUser::additional_gids),
                    field("umask", &OciUser::umask));
    }
    friend bool operator==(const OciUser&, const OciUser&) = default;
};

/// Capabilities of the kernel, with `CAP_`.
struct OciCapabilities {
    static constexpr auto spelling = json::Spelling::camel;

    std::vector<std::string> bounding;
    std::vector<std::string> effective;
    std::vector<std::string> permitted;

    static constexpr auto fields(auto list) {
        return list(field("bounding", &OciCapabilities::bounding),
                    field("effective", &OciCapabilities::effective),
                    field("permitted", &OciCapabilities::permitted));
    }
    friend bool operator==(const OciCapabilities&, const OciCapabilities&) = default;
};

/// A limit of setrlimit(2).
struct OciRlimit {
    static constexpr auto spelling = json::Spelling::camel;

    std::string type;        ///< `RLIMIT_MEMLOCK`
    std::uint64_t soft = 0;  ///< 2^64 - 1: unlimited
    std::uint64_t hard = 0;

    static constexpr auto fields(auto list) {
        return list(field("type", &OciRlimit::type), field("soft", &OciRlimit::soft),
                    field("hard", &OciRlimit::hard));
    }
    friend bool operator==(const OciRlimit&, const OciRlimit&) = default;
};

/// What is started.
struct OciProcess {
    static constexpr auto spelling = json::Spelling::camel;

    std::optional<OciUser> user;
    std::vector<std::string> args;
    std::vector<std::string> env;  ///< `NAME=value`
    std::string cwd;
    OciCapabilities capabilities;
    std::vector<OciRlimit> rlimits;
    std::optional<int> oom_score_adj;
    bool no_new_privileges = false;

    static constexpr auto fields(auto list) {
        return list(field("user", &OciProcess::user), field("args", &OciProcess::args),
                    field("env", &OciProcess::env), field("cwd", &OciProcess::cwd),
                    field("capabilities", &OciProcess::capabilities),
                    field("rlimits", &OciProcess::rlimits),
                    field("oom_score_adj", &OciProcess::oom_score_adj),
                    field("no_new_privileges", &OciProcess::no_new_privileges));
    }
    friend bool operator==(const OciProcess&, const OciProcess&) = default;
};

/// The container's root file system.
struct OciRoot {
    static constexpr auto spelling = json::Spelling::camel;

    std::string path;  ///< relative to the bundle, or absolute
    bool readonly = false;

    static constexpr auto fields(auto list) {
        return list(field("path", &OciRoot::path), field("readonly", &OciRoot::readonly));
    }
    friend bool operator==(const OciRoot&, const OciRoot&) = default;
};

/// A mount, in the order in which they are made.
struct OciMount {
    static constexpr auto spelling = json::Spelling::camel;

    std::string destination;
    std::string type;
    std::string source;
    std::vector<std::string> options;

    static constexpr auto fields(auto list) {
        return list(field("destination", &OciMount::destination), field("type", &OciMount::type),
                    field("source", &OciMount::source), field("options", &OciMount::options));
    }
    friend bool operator==(const OciMount&, const OciMount&) = default;
};

/// Something that the container has of its own: `pid`, `network`.
struct OciNamespace {
    static constexpr auto spelling = json::Spelling::camel;

    std::string type;
    std::string path;  ///< of one that exists; empty: a new one

    static constexpr auto fields(auto list) {
        return list(field("type", &OciNamespace::type), field("path", &OciNamespace::path));
    }
    friend bool operator==(const OciNamespace&, const OciNamespace&) = default;
};

/// A device node to make.
struct OciDevice {
    static constexpr auto spelling = json::Spelling::camel;

    std::string path;
    std::string type;  ///< `c` or `b`
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
    std::uint32_t file_mode = 0;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;

    static constexpr auto fields(auto list) {
        return list(field("path", &OciDevice::path), field("type", &OciDevice::type),
                    field("major", &OciDevice::major), field("minor", &OciDevice::minor),
                    field("file_mode", &OciDevice::file_mode), field("uid", &OciDevice::uid),
                    field("gid", &OciDevice::gid));
    }
    friend bool operator==(const OciDevice&, const OciDevice&) = default;
};

/// Whether a device may be used; the last rule that matches a device decides.
struct OciDeviceRule {
    static constexpr auto spelling = json::Spelling::camel;

    bool allow = false;
    std::string type;                    ///< `c`, `b`; empty: both
    std::optional<std::uint32_t> major;  ///< absent: every one
    std::optional<std::uint32_t> minor;
    std::string access;  ///< of `rwm`

    static constexpr auto fields(auto list) {
        return list(field("allow", &OciDeviceRule::allow), field("type", &OciDeviceRule::type),
                    field("major", &OciDeviceRule::major), field("minor", &OciDeviceRule::minor),
                    field("access", &OciDeviceRule::access));
    }
    friend bool operator==(const OciDeviceRule&, const OciDeviceRule&) = default;
};

/// Bytes.
struct OciMemory {
    static constexpr auto spelling = json::Spelling::camel;

    std::optional<Bytes> limit;
    std::optional<Bytes> swap;         ///< memory and swap together
    std::optional<Bytes> reservation;  ///< memory.low

    static constexpr auto fields(auto list) {
        return list(field("limit", &OciMemory::limit), field("swap", &OciMemory::swap),
                    field("reservation", &OciMemory::reservation));
    }
    friend bool operator==(const OciMemory&, const OciMemory&) = default;
};

/// CPU time in microseconds, and which CPUs.
struct OciCpu {
    static constexpr auto spelling = json::Spelling::camel;

    std::optional<std::int64_t> quota;
    std::optional<std::int64_t> period;
    std::string cpus;  ///< `8-11,24-27`
    std::string mems;

    static constexpr auto fields(auto list) {
        return list(field("quota", &OciCpu::quota), field("period", &OciCpu::period),
                    field("cpus", &OciCpu::cpus), field("mems", &OciCpu::mems));
    }
    friend bool operator==(const OciCpu&, const OciCpu&) = default;
};

/// Processes and threads.
struct OciPids {
    static constexpr auto spelling = json::Spelling::camel;

    std::optional<Count> limit;

    static constexpr auto fields(auto list) { return list(field("limit", &OciPids::limit)); }
    friend bool operator==(const OciPids&, const OciPids&) = default;
};

/// How much or how many a second of one block device.
struct OciThrottle {
    static constexpr auto spelling = json::Spelling::camel;

    std::uint32_t major = 0;
    std::uint32_t minor = 0;
    std::int64_t rate = 0;

    static constexpr auto fields(auto list) {
        return list(field("major", &OciThrottle::major), field("minor", &OciThrottle::minor),
                    field("rate", &OciThrottle::rate));
    }
    friend bool operator==(const OciThrottle&, const OciThrottle&) = default;
};

/// Block devices: io.max.
struct OciBlockIo {
    static constexpr auto spelling = json::Spelling::camel;

    std::vector<OciThrottle> throttle_read_bps_device;
    std::vector<OciThrottle> throttle_write_bps_device;
    std::vector<OciThrottle> throttle_read_iops_device;
    std::vector<OciThrottle> throttle_write_iops_device;

    static constexpr auto fields(auto list) {
        return list(field("throttle_read_bps_device", &OciBlockIo::throttle_read_bps_device),
                    field("throttle_write_bps_device", &OciBlockIo::throttle_write_bps_device),
                    field("throttle_read_iops_device", &OciBlockIo::throttle_read_iops_device),
                    field("throttle_write_iops_device", &OciBlockIo::throttle_write_iops_device));
    }
    friend bool operator==(const OciBlockIo&, const OciBlockIo&) = default;
};

/// Huge pages of one size; a runtime writes .rsvd.max too where the kernel has it.
struct OciHugepageLimit {
    static constexpr auto spelling = json::Spelling::camel;

    std::string page_size;  ///< `2MB`
    std::int64_t limit = 0;

    static constexpr auto fields(auto list) {
        return list(field("page_size", &OciHugepageLimit::page_size),
                    field("limit", &OciHugepageLimit::limit));
    }
    friend bool operator==(const OciHugepageLimit&, const OciHugepageLimit&) = default;
};

/// RDMA devices by name. In JSON an object: `{"mlx5_0": {"hcaHandles": 2}}`.
struct OciRdma {
    std::vector<RdmaLimit> limits;

    static constexpr auto fields(auto list) { return list(field("limits", &OciRdma::limits)); }
    friend bool operator==(const OciRdma&, const OciRdma&) = default;
};

/// A file of a group, and what is written into it.
struct OciUnifiedFile {
    std::string file;
    std::string value;

    static constexpr auto fields(auto list) {
        return list(field("file", &OciUnifiedFile::file), field("value", &OciUnifiedFile::value));
    }
    friend bool operator==(const OciUnifiedFile&, const OciUnifiedFile&) = default;
};

/// Files of cgroup v2 that have no field of their own. In JSON an object: `{"file": "value"}`.
struct OciUnified {
    std::vector<OciUnifiedFile> files;

    static constexpr auto fields(auto list) { return list(field("files", &OciUnified::files)); }
    friend bool operator==(const OciUnified&, const OciUnified&) = default;
};

/// `linux.resources`.
struct OciResources {
    static constexpr auto spelling = json::Spelling::camel;

    std::vector<OciDeviceRule> devices;
    OciMemory memory;
    OciCpu cpu;
    OciPids pids;
    OciBlockIo block_io;
    std::vector<OciHugepageLimit> hugepage_limits;
    OciRdma rdma;
    OciUnified unified;

    static constexpr auto fields(auto list) {
        return list(field("devices", &OciResources::devices),
                    field("memory", &OciResources::memory), field("cpu", &OciResources::cpu),
                    field("pids", &OciResources::pids), field("block_io", &OciResources::block_io),
                    field("hugepage_limits", &OciResources::hugepage_limits),
                    field("rdma", &OciResources::rdma), field("unified", &OciResources::unified));
    }
    friend bool operator==(const OciResources&, const OciResources&) = default;
};

/// `linux`.
struct OciLinux {
    static constexpr auto spelling = json::Spelling::camel;

    std::string cgroups_path;  ///< absolute below the runtime's cgroup mount
    std::vector<OciNamespace> namespaces;
    std::vector<OciDevice> devices;
    OciResources resources;
    std::vector<std::string> masked_paths;
    std::vector<std::string> readonly_paths;

    static constexpr auto fields(auto list) {
        return list(field("cgroups_path", &OciLinux::cgroups_path),
                    field("namespaces", &OciLinux::namespaces),
                    field("devices", &OciLinux::devices), field("resources", &OciLinux::resources),
                    field("masked_paths", &OciLinux::masked_paths),
                    field("readonly_paths", &OciLinux::readonly_paths));
    }
    friend bool operator==(const OciLinux&, const OciLinux&) = default;
};

/// config.json. `linux` is a macro of some compilers, so the member has an underscore.
struct OciConfig {
    static constexpr auto spelling = json::Spelling::camel;

    std::string oci_version;
    OciProcess process;
    OciRoot root;
    std::string hostname;
    std::vector<OciMount> mounts;
    OciLinux linux_;

    static constexpr auto fields(auto list) {
        return list(field("oci_version", &OciConfig::oci_version),
                    field("process", &OciConfig::process), field("root", &OciConfig::root),
                    field("hostname", &OciConfig::hostname), field("mounts", &OciConfig::mounts),
                    field("linux", &OciConfig::linux_));
    }
    friend bool operator==(const OciConfig&, const OciConfig&) = default;
};

/// What a bundle has beside its limits.
struct OciBundle {
    Command command;  ///< its environment is overridden by the plan's
    std::string root = "rootfs";
    bool is_root_readonly = false;
    std::string cgroup_parent = "/";  ///< absolute; the plan's group lies below it

    static constexpr auto fields(auto list) {
        return list(field("command", &OciBundle::command), field("root", &OciBundle::root),
                    field("is_root_readonly", &OciBundle::is_root_readonly),
                    field("cgroup_parent", &OciBundle::cgroup_parent));
    }
    friend bool operator==(const OciBundle&, const OciBundle&) = default;
};

/// A config.json, and the keeper of each limit.
using OciDocument = Document<OciConfig>;

/// The plan for an OCI runtime. /dev/shm has the size asked, else 64 MiB. The process keeps few
/// capabilities (none of them to make device nodes), those of the devices' profiles among them. A
/// user other than 0 only as a bound. What OCI counts in units of cgroup v1 (weights) or has no
/// field for goes as a file (`unified`), as it stands in the plan. An optional device file without
/// numbers is left out and is a loss. Errors: InvalidArgument for a plan without device filter, an
/// empty command and a cgroup_parent that is not absolute. NotFound for a required device file
/// without numbers.
[[nodiscard]] StatusOr<OciDocument> oci_config(const Plan& plan, const OciBundle& bundle,
                                               const ContainerOptions& options = {});

}  // namespace trestle::container

namespace trestle::json::detail {

template <>
struct Codec<container::OciRdma> {
    static Value write(const container::OciRdma& rdma);
    static bool read(const Value& value, const Place& place, container::OciRdma& result);
};

template <>
struct Codec<container::OciUnified> {
    static Value write(const container::OciUnified& unified);
    static bool read(const Value& value, const Place& place, container::OciUnified& result);
};

}  // namespace trestle::json::detail
