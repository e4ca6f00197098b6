// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/oci.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "contents.hpp"
#include "enforce/device/resolved_rules.hpp"
#include "enforce/limits/kernel_values.hpp"
#include "enforce/process/environment_words.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/set/text.hpp"

namespace trestle::container {
namespace {

using detail::Account;
using detail::Contents;
using detail::device_text;

/// Docker's, where nothing else is asked.
constexpr Bytes default_shm_size = mib(64);

void add_cpus(const Limits& limits, OciResources& resources, Account& account) {
    OciCpu& cpu = resources.cpu;
    const auto as_file = [&](const char* file, std::string value, std::string limit) {
        resources.unified.files.push_back({file, std::move(value)});
        account.kept("cpu", std::move(limit), "resources.unified");
    };
    if (limits.cpus.is_empty() && !limits.cpu_max) account.none("cpu");
    if (!limits.cpus.is_empty()) {
        cpu.cpus = to_text(limits.cpus);
        account.kept("cpu", "CPU " + cpu.cpus, "resources.cpu.cpus");
    }
    if (!limits.mems.is_empty()) {
        cpu.mems = to_text(limits.mems);
        account.kept("cpu", "memory of " + cpu.mems, "resources.cpu.mems");
    }
    if (limits.partition != CpusetPartition::member) {
        const std::string partition(to_text(limits.partition));
        as_file("cpuset.cpus.partition", partition, "partition " + partition);
    }
    if (limits.cpu_weight) {
        const std::string weight = to_text(*limits.cpu_weight);
        as_file("cpu.weight", weight, "weight " + weight);
    }
    if (!limits.cpu_max) return;
    const auto [quota, period] = cpu_quota(*limits.cpu_max);
    cpu.quota = quota;
    cpu.period = period;
    account.kept("cpu", detail::time_text(*limits.cpu_max), "resources.cpu.quota");
}

void add_memory(const Limits& limits, OciResources& resources, Account& account) {
    resources.memory.limit = limits.memory_max;
    if (limits.memory_max) {
        account.kept("memory", to_text(*limits.memory_max), "resources.memory.limit");
    } else {
        account.none("memory");
    }
    const auto as_file = [&](const char* file, const std::optional<Bytes>& bytes,
                             const char* what) {
        if (!bytes) return;
        resources.unified.files.push_back({file, std::to_string(bytes->value())});
        account.kept("memory", to_text(*bytes) + what, "resources.unified");
    };
    as_file("memory.high", limits.memory_high, " unslowed");
    as_file("memory.min", limits.memory_min, " kept at all events");
    resources.memory.reservation = limits.memory_low;
    if (limits.memory_low) {
        account.kept("memory", to_text(*limits.memory_low) + " kept from others",
                     "resources.memory.reservation");
    }
    if (!limits.memory_max) return account.none("swap");
    if (limits.is_oom_group) {
        resources.unified.files.push_back({"memory.oom.group", "1"});
        account.kept("memory", "all die", "resources.unified");
    }
    if (!limits.swap_max) return account.none("swap");
    resources.memory.swap =
        checked_add(*limits.memory_max, *limits.swap_max).value_or(Bytes::max());
    account.kept("swap", to_text(*limits.swap_max), "resources.memory.swap");
}

/// Block devices, huge pages, RDMA and misc, where there are any.
void add_other_limits(const Limits& limits, OciResources& resources, Account& account) {
    for (const IoLimit& limit : limits.io) {
        const auto add = [&](std::vector<OciThrottle>& throttles, const auto& rate) {
            if (rate) throttles.push_back({limit.major, limit.minor, rate->value()});
        };
        OciBlockIo& io = resources.block_io;
        add(io.throttle_read_bps_device, limit.read_bytes);
        add(io.throttle_write_bps_device, limit.write_bytes);
        add(io.throttle_read_iops_device, limit.reads);
        add(io.throttle_write_iops_device, limit.writes);
        account.kept("io", to_text(limit), "resources.blockIO");
    }
    if (limits.io_weight) {
        const std::string weight = "default " + to_text(*limits.io_weight);
        resources.unified.files.push_back({"io.weight", weight});
        account.kept("io", "weight " + weight, "resources.unified");
    }
    for (const HugetlbLimit& limit : limits.hugetlb) {
        const std::string size = huge_page_name(limit.page_size);
        resources.hugepage_limits.push_back({size, limit.max.value()});
        account.kept("hugetlb", to_text(limit.max) + " in " + size, "resources.hugepageLimits");
    }
    resources.rdma.limits = limits.rdma;
    for (const RdmaLimit& limit : limits.rdma) {
        account.kept("rdma", to_text(limit), "resources.rdma");
    }
    std::string misc;
    for (const MiscLimit& limit : limits.misc) {
        misc += (misc.empty() ? "" : "\n") + to_text(limit);
        account.kept("misc", to_text(limit), "resources.unified, a line each");
    }
    if (!misc.empty()) resources.unified.files.push_back({"misc.max", misc});
}

/// `RLIMIT_MEMLOCK`.
std::string rlimit_name(ProcessSettings::Limit::Resource resource) {
    std::string name = "RLIMIT_";
    for (const char c : to_text(resource)) name += static_cast<char>(c - 'a' + 'A');
    return name;
}

void add_processes(const Contents& contents, OciConfig& config, Account& account) {
    OciPids& pids = config.linux_.resources.pids;
    pids.limit = contents.group.pids_max;
    if (pids.limit) {
        account.kept("pids", to_text(*pids.limit), "resources.pids.limit");
    } else {
        account.none("pids");
    }
    for (const ProcessSettings::Limit& limit : contents.limits) {
        constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
        config.process.rlimits.push_back({rlimit_name(limit.resource),
                                          limit.soft.value_or(unlimited),
                                          limit.hard.value_or(unlimited)});
        account.kept("process", to_text(limit), "process.rlimits");
    }
}

/// One rule decides for a runtime, while the plan's add up: it says what all that cover it grant.
OciDeviceRule rule_of(const DeviceRule& rule, const DeviceRules& rules) {
    DeviceRule::Access access;
    for (const DeviceRule& one : rules.rules) {
        if (one.matches(rule)) access = access | one.access;
    }
    return {true, rule.kind == Device::File::Kind::block ? "b" : "c", rule.major, rule.minor,
            to_text(access)};
}

Status add_devices(const Contents& contents, OciLinux& part, Account& account) {
    for (const auto& [device, profile] : contents.devices) {
        account.by_files(*device, "linux.devices, resources.devices");
        if (profile != nullptr && !profile->docker_driver.empty()) {
            account.lost("devices",
                         profile->docker_driver + " libraries of " + device_text(*device),
                         "not mounted: a hook or the container's image has to have them");
        }
    }
    if (contents.devices.empty()) account.kept("devices", "none", "resources.devices");
    TRESTLE_TRY(const DeviceRules rules, resolved_rules(contents.admitted));
    part.resources.devices.push_back({false, "", {}, {}, "rwm"});
    for (const DeviceRule& rule : rules.rules) {
        part.resources.devices.push_back(rule_of(rule, rules));
    }
    for (const DeviceAllowList::File& allowed : contents.admitted.files) {
        const Device::File& file = allowed.file;
        if (!file.major || !file.minor) {
            account.lost("devices", file.path, "left out: its numbers are not known");
            continue;
        }
        constexpr std::uint32_t read_write_all = 0666;
        part.devices.push_back({file.path, file.kind == Device::File::Kind::block ? "b" : "c",
                                *file.major, *file.minor, read_write_all, contents.user.uid,
                                contents.user.gid});
    }
    account.runtime_extras(contents.admitted.rules);
    return {};
}

/// What runc gives, without what lets a process leave its limits.
std::vector<OciMount> base_mounts() {
    return {{"/proc", "proc", "proc", {"nosuid", "noexec", "nodev"}},
            {"/dev", "tmpfs", "tmpfs", {"nosuid", "strictatime", "mode=755", "size=65536k"}},
            {"/dev/pts",
             "devpts",
             "devpts",
             {"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"}},
            {"/dev/mqueue", "mqueue", "mqueue", {"nosuid", "noexec", "nodev"}},
            {"/sys", "sysfs", "sysfs", {"nosuid", "noexec", "nodev", "ro"}},
            {"/sys/fs/cgroup", "cgroup", "cgroup", {"nosuid", "noexec", "nodev", "ro"}}};
}

void add_mounts(const Plan& plan, const Contents& contents, OciConfig& config, Account& account) {
    config.mounts = base_mounts();
    const Bytes shm = plan.shm_size.value_or(default_shm_size);
    config.mounts.push_back(
        {"/dev/shm",
         "tmpfs",
         "shm",
         {"nosuid", "nodev", "mode=1777", fmt::format("size={}", shm.value())}});
    account.kept("shm", plan.shm_size ? to_text(shm) : "-",
                 plan.shm_size ? "mounts, /dev/shm" : "64MiB, as nothing was asked");
    for (const std::string& folder : contents.binds) {
        config.mounts.push_back({folder, "bind", folder, {"rbind", "rw"}});
    }
    if (contents.scratch.empty()) return;
    config.mounts.push_back(
        {contents.scratch, "bind", contents.scratch, {"rbind", "nosuid", "nodev", "rw"}});
    account.kept("scratch", contents.scratch, "mounts");
}

/// What the plan's user keeps; else Docker's default, without what makes device nodes and forges
/// packets, and what profiles need.
std::vector<std::string> capability_names(const Contents& contents) {
    if (contents.user.capabilities) {
        std::vector<std::string> kept = detail::kept_capabilities(contents.user);
        for (std::string& name : kept) name.insert(0, "CAP_");
        return kept;
    }
    std::vector<std::string> names = {"CAP_AUDIT_WRITE", "CAP_CHOWN",      "CAP_DAC_OVERRIDE",
                                      "CAP_FOWNER",      "CAP_FSETID",     "CAP_KILL",
                                      "CAP_SETFCAP",     "CAP_SETGID",     "CAP_SETPCAP",
                                      "CAP_SETUID",      "CAP_SYS_CHROOT", "CAP_NET_BIND_SERVICE"};
    for (const std::string& name : contents.capabilities) names.push_back("CAP_" + name);
    return names;
}

void add_process(const Plan& plan, const OciBundle& bundle, const Contents& contents,
                 OciProcess& process) {
    const ProcessUser& user = contents.user;
    process.user = OciUser{user.uid, user.gid, user.groups, plan.process.umask};
    process.oom_score_adj = plan.process.oom_score_adj;
    process.args = bundle.command.arguments;
    process.env = revealed_words(
        environment_of(bundle.command.environment, contents.environment, contents.unset));
    process.cwd = bundle.command.directory.empty() ? "/" : bundle.command.directory;
    process.capabilities.bounding = capability_names(contents);
    if (user.uid == 0) {
        process.capabilities.effective = process.capabilities.bounding;
        process.capabilities.permitted = process.capabilities.bounding;
    }
    process.no_new_privileges = user.no_new_privs || !contents.has_planned_user;
}

void add_isolation(const ContainerOptions& options, const Contents& contents, OciLinux& part) {
    for (const char* type : {"pid", "mount", "uts", "cgroup"})
        part.namespaces.push_back({type, ""});
    if (!contents.has_host_ipc) part.namespaces.push_back({"ipc", ""});
    if (options.network == NetworkMode::bridge) part.namespaces.push_back({"network", ""});
    part.masked_paths = {"/proc/acpi",          "/proc/kcore",      "/proc/keys",
                         "/proc/latency_stats", "/proc/timer_list", "/proc/sched_debug",
                         "/proc/scsi",          "/sys/firmware"};
    part.readonly_paths = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys",
                           "/proc/sysrq-trigger"};
}

}  // namespace

StatusOr<OciDocument> oci_config(const Plan& plan, const OciBundle& bundle,
                                 const ContainerOptions& options) {
    if (bundle.command.arguments.empty()) {
        return invalid_argument("command: it is empty, expected a program");
    }
    if (!bundle.cgroup_parent.starts_with('/')) {
        return invalid_argument("cgroup_parent: {}, expected an absolute path",
                                trestle::detail::quoted(bundle.cgroup_parent));
    }
    TRESTLE_TRY_STATUS(with_context("command", check_known(bundle.command.environment)));
    TRESTLE_TRY(const Contents contents, detail::contents_of(plan, options));
    OciDocument document;
    OciConfig& config = document.content;
    Account account;
    config.oci_version = "1.0.2";
    config.root = {bundle.root, bundle.is_root_readonly};
    config.hostname = "container";
    config.linux_.cgroups_path =
        bundle.cgroup_parent + (bundle.cgroup_parent.ends_with('/') ? "" : "/") + plan.group;
    add_process(plan, bundle, contents, config.process);
    account.user(plan, contents, "process.user, process.capabilities");
    add_isolation(options, contents, config.linux_);
    add_cpus(contents.group, config.linux_.resources, account);
    add_memory(contents.group, config.linux_.resources, account);
    add_other_limits(contents.group, config.linux_.resources, account);
    // `unified` is part of the specification since 1.1.
    if (!config.linux_.resources.unified.files.empty()) config.oci_version = "1.1.0";
    add_processes(contents, config, account);
    add_mounts(plan, contents, config, account);
    TRESTLE_TRY_STATUS(add_devices(contents, config.linux_, account));
    account.settings(plan, {"process.oomScoreAdj", "process.user.umask"});
    account.disk(plan, "matched, not enforced: the runtime knows no size of the root");
    account.shortfalls(plan);
    document.limits = std::move(account).take();
    return document;
}

}  // namespace trestle::container

namespace trestle::json::detail {

Value Codec<container::OciRdma>::write(const container::OciRdma& rdma) {
    Object object;
    for (const RdmaLimit& limit : rdma.limits) {
        Object counts;
        const auto add = [&](const char* name, const std::optional<Count>& count) {
            if (count) counts.push_back({name, Codec<Count>::write(*count)});
        };
        add("hcaHandles", limit.hca_handles);
        add("hcaObjects", limit.hca_objects);
        object.push_back({limit.device, {std::move(counts)}});
    }
    return {std::move(object)};
}

bool Codec<container::OciRdma>::read(const Value& value, const Place& place,
                                     container::OciRdma& result) {
    const auto* object = std::get_if<Object>(&value.data);
    if (object == nullptr) return place.unexpected(value, "an object of devices");
    result = {};
    for (const Member& device : *object) {
        const Place at = place.member(device.name);
        const auto* counts = std::get_if<Object>(&device.value.data);
        if (counts == nullptr) return at.unexpected(device.value, "an object of counts");
        RdmaLimit limit{device.name};
        for (const Member& count : *counts) {
            const Place here = at.member(count.name);
            const bool is_handles = count.name == "hcaHandles";
            if (!is_handles && count.name != "hcaObjects") {
                return at.fail("a count " + trestle::detail::quoted(count.name),
                               "hcaHandles or hcaObjects");
            }
            Count number{};
            if (!Codec<Count>::read(count.value, here, number)) return false;
            (is_handles ? limit.hca_handles : limit.hca_objects) = number;
        }
        result.limits.push_back(std::move(limit));
    }
    return true;
}

Value Codec<container::OciUnified>::write(const container::OciUnified& unified) {
    Object object;
    for (const auto& [file, value] : unified.files) object.push_back({file, {value}});
    return {std::move(object)};
}

bool Codec<container::OciUnified>::read(const Value& value, const Place& place,
                                        container::OciUnified& result) {
    const auto* object = std::get_if<Object>(&value.data);
    if (object == nullptr) return place.unexpected(value, "an object of files and values");
    result = {};
    for (const Member& member : *object) {
        std::string text;
        if (!Codec<std::string>::read(member.value, place.member(member.name), text)) return false;
        result.files.push_back({member.name, std::move(text)});
    }
    return true;
}

}  // namespace trestle::json::detail
