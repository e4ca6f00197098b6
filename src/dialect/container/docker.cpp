// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/docker.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "contents.hpp"
#include "enforce/limits/kernel_values.hpp"
#include "enforce/process/environment_words.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/set/text.hpp"

namespace trestle::container {
namespace {

using detail::Account;
using detail::Contents;
using detail::device_text;

void add_cpus(const Limits& limits, HostConfig& host, Account& account) {
    const MilliCpu time = detail::cpu_time(limits);
    if (time.is_zero()) account.none("cpu");
    if (!limits.cpus.is_empty()) {
        host.cpuset_cpus = to_text(limits.cpus);
        account.kept("cpu", "CPU " + host.cpuset_cpus, "CpusetCpus");
    }
    if (!limits.mems.is_empty()) {
        host.cpuset_mems = to_text(limits.mems);
        account.kept("cpu", "memory of " + host.cpuset_mems, "CpusetMems");
    }
    if (time.is_zero()) return;
    // Docker's own quota is for a tenth of a second, and the kernel takes none below 1 ms.
    const bool is_fine = time < MilliCpu(10);
    if (is_fine) {
        const auto [quota, period] = cpu_quota(time);
        host.cpu_quota = quota;
        host.cpu_period = period;
    } else {
        host.nano_cpus = checked_mul(time, 1'000'000).value_or(MilliCpu::max()).value();
    }
    account.kept("cpu", detail::time_text(time), is_fine ? "CpuQuota" : "NanoCpus");
}

Status add_memory(const Limits& limits, HostConfig& host, Account& account) {
    constexpr Bytes least = mib(6);
    if (limits.memory_max && *limits.memory_max < least) {
        return invalid_argument("memory: {}, Docker takes {} and more", to_text(*limits.memory_max),
                                to_text(least));
    }
    host.memory = limits.memory_max;
    if (!host.memory) {
        account.none("memory");
        account.none("swap");
        return {};
    }
    account.kept("memory", to_text(*host.memory), "Memory");
    if (limits.memory_high) {
        account.lost("memory", to_text(*limits.memory_high) + " unslowed",
                     "nothing is slowed down: there is no word for memory.high");
    }
    if (limits.is_oom_group) {
        account.lost("memory", "all die", "one process dies: there is no word for oom_group");
    }
    host.memory_swap = -1;  // where it is absent, Docker allows as much swap as memory
    if (!limits.swap_max) {
        account.none("swap");
        return {};
    }
    host.memory_swap = checked_add(*host.memory, *limits.swap_max).value_or(Bytes::max()).value();
    account.kept("swap", to_text(*limits.swap_max), "MemorySwap");
    return {};
}

void add_processes(const Contents& contents, HostConfig& host, Account& account) {
    host.pids_limit = contents.group.pids_max;
    if (host.pids_limit) {
        account.kept("pids", to_text(*host.pids_limit), "PidsLimit");
    } else {
        account.none("pids");
    }
    for (const ProcessSettings::Limit& limit : contents.limits) {
        if (limit.resource == ProcessSettings::Limit::Resource::as) {
            account.lost("process", to_text(limit), "Docker knows no such limit");
            continue;
        }
        constexpr auto most = std::uint64_t{std::numeric_limits<std::int64_t>::max()};
        const auto number = [](const std::optional<std::uint64_t>& n) {
            return n && *n <= most ? static_cast<std::int64_t>(*n) : -1;
        };
        host.ulimits.push_back(
            {std::string(to_text(limit.resource)), number(limit.soft), number(limit.hard)});
        account.kept("process", to_text(limit), "Ulimits");
    }
}

void add_shared_memory(const Plan& plan, const Contents& contents, HostConfig& host,
                       Account& account) {
    host.shm_size = plan.shm_size;
    host.ipc_mode = contents.has_host_ipc ? "host" : "private";
    if (contents.has_host_ipc) {
        account.lost("shm", "-", "IpcMode host: it is the host's");
    } else if (plan.shm_size) {
        account.kept("shm", to_text(*plan.shm_size), "ShmSize");
    } else {
        account.kept("shm", "-", "64MiB, Docker's default");
    }
}

/// Adds a device to the request of its driver.
void request_device(const detail::NeededDevice& needed, HostConfig& host) {
    const ContainerProfile& profile = *needed.profile;
    auto request =
        std::find_if(host.device_requests.begin(), host.device_requests.end(),
                     [&](const auto& one) { return one.driver == profile.docker_driver; });
    if (request == host.device_requests.end()) {
        request = host.device_requests.insert(request, {profile.docker_driver, {}, {}});
        request->capabilities.push_back(profile.driver_capabilities);
    }
    request->device_ids.push_back(needed.device->uuid);
}

/// What a driver brings is listed by its files too: the rules that a driver adds to the group of a
/// container are lost when systemd reloads its units, those of `Devices` are not.
Status add_devices(const Contents& contents, HostConfig& host, Account& account) {
    std::vector<std::string> given;
    std::vector<std::string> withheld;
    const auto is_in = [](const std::vector<std::string>& paths, const std::string& path) {
        return std::find(paths.begin(), paths.end(), path) != paths.end();
    };
    for (const detail::NeededDevice& needed : contents.devices) {
        const PlannedDevice& device = *needed.device;
        const std::string text = device_text(device);
        if (needed.profile == nullptr || needed.profile->docker_driver.empty()) {
            account.by_files(device, "Devices");
            continue;
        }
        if (device.slice) {
            withheld.insert(withheld.end(), device.paths.begin(), device.paths.end());
            account.lost("devices", text, "not handed over: the plan has no UUID of the slice");
            continue;
        }
        if (device.uuid.empty()) {
            return invalid_argument("{}: it has no UUID, by which Docker's driver {} knows it",
                                    text, needed.profile->docker_driver);
        }
        request_device(needed, host);
        given.insert(given.end(), device.paths.begin(), device.paths.end());
        account.kept("devices", text, "DeviceRequests, Devices");
        account.shares(device);
    }
    for (const DeviceAllowList::File& allowed : contents.admitted.files) {
        const std::string& path = allowed.file.path;
        if (is_in(withheld, path) && !is_in(given, path)) continue;
        host.devices.push_back({path, path, to_text(allowed.access)});
    }
    if (contents.devices.empty()) account.kept("devices", "none", "Docker admits no other files");
    const auto of_runtime = detail::runtime_rules();
    for (const DeviceRule& rule : contents.admitted.rules.rules) {
        if (std::find(of_runtime.begin(), of_runtime.end(), rule) == of_runtime.end()) {
            host.device_cgroup_rules.push_back(to_text(rule));
        }
    }
    account.runtime_extras(contents.admitted.rules);
    return {};
}

/// What the vendors' runtimes read, whatever the caller has said there. A driver sets its own.
void add_runtimes(const Contents& contents, const std::vector<ContainerProfile>& profiles,
                  DockerContainer& container) {
    HostConfig& host = container.host_config;
    std::vector<std::string> told;
    for (const ContainerProfile& profile : profiles) {
        const std::string prefix = profile.runtime_variable + "=";
        if (profile.runtime_variable.empty()) continue;
        if (std::find(told.begin(), told.end(), prefix) != told.end()) continue;
        told.push_back(prefix);
        std::string indexes;
        for (const detail::NeededDevice& needed : contents.devices) {
            if (needed.profile == nullptr || needed.profile->docker_runtime.empty()) continue;
            if (needed.profile->runtime_variable != profile.runtime_variable) continue;
            host.runtime = needed.profile->docker_runtime;
            indexes += (indexes.empty() ? "" : ",") + std::to_string(needed.device->index);
        }
        std::erase_if(container.env,
                      [&](const std::string& word) { return word.starts_with(prefix); });
        const bool is_by_driver = std::any_of(
            host.device_requests.begin(), host.device_requests.end(),
            [&](const auto& request) { return request.driver == profile.docker_driver; });
        if (!is_by_driver) container.env.push_back(prefix + (indexes.empty() ? "void" : indexes));
    }
}

/// Where the plan has no user the image's and Docker's defaults stand.
void add_user(const Plan& plan, const Contents& contents, DockerContainer& container,
              Account& account) {
    const ProcessUser& user = contents.user;
    HostConfig& host = container.host_config;
    container.user = fmt::format("{}:{}", user.uid, user.gid);
    for (const std::uint32_t gid : user.groups) host.group_add.push_back(std::to_string(gid));
    host.cap_add = contents.capabilities;
    if (user.capabilities) {
        host.cap_drop = {"ALL"};
        host.cap_add = detail::kept_capabilities(user);
    }
    if (user.no_new_privs) host.security_opt.push_back("no-new-privileges");
    account.user(plan, contents, "User, GroupAdd, CapAdd, SecurityOpt");
}

/// Docker splits a bind at its colons.
Status add_scratch(const Contents& contents, HostConfig& host, Account& account) {
    const std::string& path = contents.scratch;
    if (path.empty()) return {};
    if (path.find(':') != std::string::npos) {
        return invalid_argument("scratch: {}, expected a path without a colon",
                                trestle::detail::quoted(path));
    }
    host.binds.push_back(path + ":" + path);
    account.kept("scratch", path, "Binds");
    return {};
}

}  // namespace

StatusOr<DockerDocument> docker_container(const Plan& plan, const ContainerOptions& options) {
    TRESTLE_TRY(const Contents contents, detail::contents_of(plan, options));
    DockerDocument document;
    DockerContainer& container = document.content;
    HostConfig& host = container.host_config;
    Account account;
    add_user(plan, contents, container, account);
    container.env = revealed_words(contents.environment);
    host.network_mode = to_text(options.network);
    if (contents.has_no_seccomp) host.security_opt.push_back("seccomp=unconfined");
    for (const std::string& folder : contents.binds) host.binds.push_back(folder + ":" + folder);
    TRESTLE_TRY_STATUS(add_scratch(contents, host, account));
    host.oom_score_adj = plan.process.oom_score_adj;
    add_cpus(contents.group, host, account);
    TRESTLE_TRY_STATUS(add_memory(contents.group, host, account));
    add_processes(contents, host, account);
    add_shared_memory(plan, contents, host, account);
    TRESTLE_TRY_STATUS(add_devices(contents, host, account));
    add_runtimes(contents, options.profiles, container);
    account.without_word(
        contents.group,
        "not handed over: Docker has no field for it, or one in units of cgroup v1");
    account.settings(plan, {"OomScoreAdj", ""});
    account.disk(plan, "matched, not enforced: few storage drivers of Docker's know a size");
    account.unset(contents.unset);
    account.shortfalls(plan);
    document.limits = std::move(account).take();
    return document;
}

}  // namespace trestle::container
