// SPDX-License-Identifier: Apache-2.0
#pragma once

// The Docker Engine's document: the part of a `POST /containers/create` that makes a plan hold.
//
// Layer: dialect/container. Main types: DockerContainer, HostConfig; docker_container() makes one.
// The caller adds Image, Cmd and other keys to the JSON. Fields are those of the Engine's
// API 1.41 and later, on a host with cgroup v2.
// Pitfall: MemorySwap counts the memory too, and files in Devices have to be there, or Docker does
// not start the container.
// Secrets: DockerContainer::env has every value in clear, and so has its JSON. Every user of the
// Docker daemon can read it (docker inspect). The account has no rows for variables.

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

namespace trestle::container {

/// Devices that a driver of Docker's finds by itself.
struct DockerDeviceRequest {
    static constexpr auto spelling = json::Spelling::pascal;

    std::string driver;                                  ///< `nvidia`
    std::vector<std::string> device_ids;                 ///< UUIDs
    std::vector<std::vector<std::string>> capabilities;  ///< any of these sets

    static constexpr auto fields(auto list) {
        return list(field("driver", &DockerDeviceRequest::driver),
                    field("device_ids", &DockerDeviceRequest::device_ids),
                    field("capabilities", &DockerDeviceRequest::capabilities));
    }
    friend bool operator==(const DockerDeviceRequest&, const DockerDeviceRequest&) = default;
};

/// A device file of the host, and what may be done with it.
struct DockerDevice {
    static constexpr auto spelling = json::Spelling::pascal;

    std::string path_on_host;
    std::string path_in_container;
    std::string cgroup_permissions;  ///< of `rwm`

    static constexpr auto fields(auto list) {
        return list(field("path_on_host", &DockerDevice::path_on_host),
                    field("path_in_container", &DockerDevice::path_in_container),
                    field("cgroup_permissions", &DockerDevice::cgroup_permissions));
    }
    friend bool operator==(const DockerDevice&, const DockerDevice&) = default;
};

/// A limit of setrlimit(2).
struct DockerUlimit {
    static constexpr auto spelling = json::Spelling::pascal;

    std::string name;       ///< `memlock`
    std::int64_t soft = 0;  ///< -1: unlimited
    std::int64_t hard = 0;

    static constexpr auto fields(auto list) {
        return list(field("name", &DockerUlimit::name), field("soft", &DockerUlimit::soft),
                    field("hard", &DockerUlimit::hard));
    }
    friend bool operator==(const DockerUlimit&, const DockerUlimit&) = default;
};

/// Absent and empty fields are left out of the JSON: Docker has its own defaults for them.
struct HostConfig {
    static constexpr auto spelling = json::Spelling::pascal;

    std::optional<Bytes> memory;
    std::optional<std::int64_t> memory_swap;  ///< memory and swap together; -1: no limit
    std::optional<std::int64_t> nano_cpus;    ///< thousand-millionths of a CPU's time
    std::optional<std::int64_t> cpu_period;   ///< microseconds; where NanoCpus is too coarse
    std::optional<std::int64_t> cpu_quota;
    std::string cpuset_cpus;  ///< `8-11,24-27`
    std::string cpuset_mems;
    std::optional<Count> pids_limit;
    std::optional<Bytes> shm_size;
    std::string network_mode;
    std::string ipc_mode;
    std::string runtime;
    std::vector<DockerDeviceRequest> device_requests;
    std::vector<DockerDevice> devices;
    std::vector<std::string> device_cgroup_rules;  ///< `c 10:200 rwm`
    std::vector<std::string> group_add;            ///< supplementary groups, by number
    std::vector<std::string> cap_drop;             ///< `ALL`, before what is added
    std::vector<std::string> cap_add;
    std::optional<int> oom_score_adj;
    std::vector<std::string> security_opt;
    std::vector<DockerUlimit> ulimits;
    std::vector<std::string> binds;

    static constexpr auto fields(auto list) {
        return list(
            field("memory", &HostConfig::memory), field("memory_swap", &HostConfig::memory_swap),
            field("nano_cpus", &HostConfig::nano_cpus),
            field("cpu_period", &HostConfig::cpu_period),
            field("cpu_quota", &HostConfig::cpu_quota),
            field("cpuset_cpus", &HostConfig::cpuset_cpus),
            field("cpuset_mems", &HostConfig::cpuset_mems),
            field("pids_limit", &HostConfig::pids_limit), field("shm_size", &HostConfig::shm_size),
            field("network_mode", &HostConfig::network_mode),
            field("ipc_mode", &HostConfig::ipc_mode), field("runtime", &HostConfig::runtime),
            field("device_requests", &HostConfig::device_requests),
            field("devices", &HostConfig::devices),
            field("device_cgroup_rules", &HostConfig::device_cgroup_rules),
            field("group_add", &HostConfig::group_add), field("cap_drop", &HostConfig::cap_drop),
            field("cap_add", &HostConfig::cap_add),
            field("oom_score_adj", &HostConfig::oom_score_adj),
            field("security_opt", &HostConfig::security_opt),
            field("ulimits", &HostConfig::ulimits), field("binds", &HostConfig::binds));
    }
    friend bool operator==(const HostConfig&, const HostConfig&) = default;
};

/// What a container is created with, as far as the plan says it.
struct DockerContainer {
    static constexpr auto spelling = json::Spelling::pascal;

    std::string user;              ///< `0:0`
    std::vector<std::string> env;  ///< `NAME=value`
    HostConfig host_config;

    static constexpr auto fields(auto list) {
        return list(field("user", &DockerContainer::user), field("env", &DockerContainer::env),
                    field("host_config", &DockerContainer::host_config));
    }
    friend bool operator==(const DockerContainer&, const DockerContainer&) = default;
};

/// A container for Docker, and the keeper of each limit.
using DockerDocument = Document<DockerContainer>;

/// The plan for Docker. NanoCpus is the plan's CPU time or, where it has none, as many CPUs as
/// CpusetCpus names, for tools that read only that number. Below a hundredth of a CPU it is a quota
/// of a whole second. NVIDIA's GPUs go by UUID to Docker's driver, other devices by files. A slice,
/// whose own UUID the plan does not know, is not handed over. Devices that need the host's IPC get
/// it only with the host's network, and if no size of /dev/shm was requested.
/// Errors: InvalidArgument for a plan without device filter, since the container has one whatever
/// the plan says. The same for less memory than the 6 MiB that Docker takes. The same for a GPU
/// without UUID and for a scratch directory with a colon in its path.
[[nodiscard]] StatusOr<DockerDocument> docker_container(const Plan& plan,
                                                        const ContainerOptions& options = {});

}  // namespace trestle::container
