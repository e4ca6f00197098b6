// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/kubernetes.hpp"

#include <algorithm>
#include <utility>

#include "contents.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/container/quantity.hpp"
#include "trestle/set/text.hpp"

namespace trestle::container {
namespace {

using detail::Account;
using detail::Contents;
using detail::device_text;

constexpr std::size_t label_bytes_max = 63;

/// RFC 1123: what names of containers are.
Status check_label(const std::string& name) {
    const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    const bool is_label =
        !name.empty() && name.size() <= label_bytes_max && is_plain(name.front()) &&
        is_plain(name.back()) &&
        std::all_of(name.begin(), name.end(), [&](char c) { return is_plain(c) || c == '-'; });
    if (is_label) return {};
    return invalid_argument(
        "container name: {}, expected at most {} small letters, digits and dashes, no dash first "
        "or last",
        trestle::detail::quoted(name.substr(0, label_bytes_max + 1)), label_bytes_max);
}

void add_cpus(const Limits& planned, ResourceAmounts& limits, Account& account) {
    const MilliCpu time = detail::cpu_time(planned);
    if (time.is_zero()) return account.none("cpu");
    limits.cpu = time;
    account.kept("cpu", detail::time_text(time), "limits.cpu");
    if (!planned.cpus.is_empty()) {
        account.lost("cpu", "CPU " + to_text(planned.cpus),
                     "the kubelet chooses; its static policy gives as many of its own");
    }
    if (!planned.mems.is_empty()) {
        account.lost("cpu", "memory of " + to_text(planned.mems),
                     "the kubelet chooses, by its memory manager");
    }
}

void add_memory(const Limits& planned, ResourceAmounts& limits, Account& account) {
    limits.memory = planned.memory_max;
    if (!limits.memory) {
        account.none("memory");
        account.none("swap");
        return;
    }
    account.kept("memory", to_text(*limits.memory), "limits.memory");
    if (planned.memory_high) {
        account.lost("memory", to_text(*planned.memory_high) + " unslowed",
                     "the kubelet's memoryThrottlingFactor decides");
    }
    if (planned.is_oom_group) {
        account.kept("memory", "all die", "the kubelet's default since 1.28");
    }
    if (!planned.swap_max) return account.none("swap");
    const std::string swap = to_text(*planned.swap_max);
    // A pod whose requests equal its limits, for CPU and memory, is given no swap.
    if (planned.swap_max->is_zero() && limits.cpu) {
        account.kept("swap", swap, "quality of service Guaranteed");
    } else {
        account.lost("swap", swap, "the kubelet's configuration decides");
    }
}

void add_processes(const Contents& contents, Account& account) {
    if (contents.group.pids_max) {
        account.lost("pids", to_text(*contents.group.pids_max),
                     "the kubelet's podPidsLimit decides");
    } else {
        account.none("pids");
    }
    for (const ProcessSettings::Limit& limit : contents.limits) {
        account.lost("process", to_text(limit), "Kubernetes has no such limits");
    }
}

void add_volume(KubernetesPod& pod, KubernetesVolume volume, const std::string& path) {
    pod.containers.front().volume_mounts.push_back({volume.name, path});
    pod.volumes.push_back(std::move(volume));
}

void add_volumes(const Plan& plan, const Contents& contents, KubernetesPod& pod, Account& account) {
    if (contents.has_host_ipc) {
        account.lost("shm", "-", "hostIPC: it is the host's");
    } else if (plan.shm_size) {
        const EmptyDir memory{"Memory", quantity_text(*plan.shm_size)};
        add_volume(pod, {"shm", memory, {}}, "/dev/shm");
        account.kept("shm", to_text(*plan.shm_size), "volumes, emptyDir.sizeLimit");
    } else {
        account.kept("shm", "-", "64MiB, the runtime's default");
    }
    for (std::size_t i = 0; i < contents.binds.size(); ++i) {
        const std::string& folder = contents.binds[i];
        add_volume(pod, {fmt::format("bind-{}", i), {}, {folder}}, folder);
    }
    if (contents.scratch.empty()) return;
    add_volume(pod, {"scratch", EmptyDir(), {}}, contents.scratch);
    account.kept("scratch", contents.scratch, "volumes, emptyDir: one of the pod's own");
}

/// The name under which a device is counted; empty: none is known.
std::string resource_name(const detail::NeededDevice& needed) {
    if (needed.profile == nullptr) return {};
    const std::string& profile = needed.device->profile;
    if (profile.empty()) return needed.profile->kubernetes_resource;
    if (needed.profile->kubernetes_slice_prefix.empty()) return {};
    return needed.profile->kubernetes_slice_prefix + profile;
}

void add_devices(const Contents& contents, ResourceAmounts& limits, Account& account) {
    for (const detail::NeededDevice& needed : contents.devices) {
        const std::string name = resource_name(needed);
        const std::string text = device_text(*needed.device);
        if (name.empty()) {
            account.lost("devices", text, "not asked for: no resource name is known");
            continue;
        }
        auto& extended = limits.extended;
        const auto at = std::find_if(extended.begin(), extended.end(),
                                     [&](const ExtendedResource& one) { return one.name == name; });
        if (at == extended.end()) {
            extended.push_back({name, Count(1)});
        } else {
            at->count += Count(1);
        }
        account.lost("devices", text, "the device plugin of " + name + " chooses which");
        if (!needed.device->slice) account.shares(*needed.device);
    }
    std::sort(limits.extended.begin(), limits.extended.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    for (const ExtendedResource& one : limits.extended) {
        account.kept("devices", fmt::format("{} {}", to_text(one.count), one.name),
                     "limits." + one.name);
    }
    if (contents.devices.empty()) account.kept("devices", "none", "no device plugin is asked");
    const auto given = detail::runtime_rules();
    for (const DeviceRule& rule : contents.admitted.rules.rules) {
        if (std::find(given.begin(), given.end(), rule) == given.end()) {
            account.lost("devices", to_text(rule), "Kubernetes admits what device plugins name");
        }
    }
    account.runtime_extras(contents.admitted.rules);
}

/// The plan's variables but those that list devices: a device plugin chooses among the devices of
/// the node, and lists them itself.
void add_environment(const Contents& contents, KubernetesContainer& container, Account& account) {
    const auto lists_devices = [&](const std::string& name) {
        return std::any_of(
            contents.devices.begin(), contents.devices.end(),
            [&](const detail::NeededDevice& needed) {
                const std::vector<std::string>& names = needed.device->variables;
                return std::find(names.begin(), names.end(), name) != names.end() ||
                       (needed.profile != nullptr && needed.profile->runtime_variable == name);
            });
    };
    for (const auto& [name, value] : contents.environment) {
        if (lists_devices(name)) {
            account.lost("environment", name, "the device plugin chooses the devices");
        } else {
            container.env.push_back({name, value.reveal()});
        }
    }
    account.unset(contents.unset);
}

void add_user(const Plan& plan, const Contents& contents, KubernetesPod& pod, Account& account) {
    const ProcessUser& user = contents.user;
    SecurityContext& context = pod.containers.front().security_context;
    context.run_as_user = user.uid;
    context.run_as_group = user.gid;
    pod.security_context.supplemental_groups = user.groups;
    context.capabilities.add = contents.capabilities;
    bool is_admin = false;
    if (user.capabilities) {
        context.capabilities = {detail::kept_capabilities(user), {"ALL"}};
        const auto& kept = *user.capabilities;
        is_admin =
            std::find(kept.begin(), kept.end(), ProcessUser::Capability::sys_admin) != kept.end();
    }
    account.user(plan, contents, "securityContext");
    if (!user.no_new_privs) return;
    if (is_admin) {
        account.lost("user", "no_new_privs", "Kubernetes refuses it beside CAP_SYS_ADMIN");
    } else {
        context.allow_privilege_escalation = false;
    }
}

void add_disk(const Plan& plan, KubernetesResources& resources, Account& account) {
    const Range<Bytes>& disk = plan.disk;
    if (disk.min) resources.requests.ephemeral_storage = disk.min;
    if (!disk.max) return account.disk(plan, "matched, not enforced: there is no upper end");
    resources.limits.ephemeral_storage = disk.max;
    account.kept("disk", to_text(disk), "limits.ephemeral-storage: the pod is evicted");
}

}  // namespace

StatusOr<KubernetesDocument> kubernetes_pod(const Plan& plan, const ContainerOptions& options,
                                            const std::string& name) {
    TRESTLE_TRY_STATUS(check_label(name));
    TRESTLE_TRY(const Contents contents, detail::contents_of(plan, options));
    KubernetesDocument document;
    KubernetesPod& pod = document.content;
    KubernetesContainer& container = pod.containers.emplace_back();
    Account account;
    if (options.network == NetworkMode::host) pod.host_network = true;
    if (contents.has_host_ipc) pod.host_ipc = true;
    container.name = name;
    add_environment(contents, container, account);
    add_user(plan, contents, pod, account);
    if (contents.has_no_seccomp) container.security_context.seccomp_profile.type = "Unconfined";
    ResourceAmounts& limits = container.resources.limits;
    add_cpus(contents.group, limits, account);
    add_memory(contents.group, limits, account);
    account.without_word(contents.group, "not handed over: a pod has no field for it");
    add_processes(contents, account);
    account.settings(plan, {});
    add_volumes(plan, contents, pod, account);
    add_devices(contents, limits, account);
    container.resources.requests = limits;
    add_disk(plan, container.resources, account);
    account.shortfalls(plan);
    document.limits = std::move(account).take();
    return document;
}

}  // namespace trestle::container

namespace trestle::json::detail {
namespace {

/// The quantity, or an error at the place where it stands.
template <class Read, class Amount>
bool quantity_at(const Member& member, const Place& place, Read read, Amount& result) {
    std::string text;
    if (!Codec<std::string>::read(member.value, place, text)) return false;
    const auto amount = read(text);
    if (!amount) {
        const TextError& error = amount.error();
        return place.fail(to_text(TextError{error.offset, error.token, error.what, {}}),
                          error.expected);
    }
    result = *amount;
    return true;
}

}  // namespace

Value Codec<container::ResourceAmounts>::write(const container::ResourceAmounts& amounts) {
    Object object;
    const auto add = [&](const std::string& name, const auto& amount) {
        if (amount) object.push_back({name, {container::quantity_text(*amount)}});
    };
    add("cpu", amounts.cpu);
    add("memory", amounts.memory);
    add("ephemeral-storage", amounts.ephemeral_storage);
    for (const auto& [name, count] : amounts.extended) add(name, std::optional(count));
    return {std::move(object)};
}

bool Codec<container::ResourceAmounts>::read(const Value& value, const Place& place,
                                             container::ResourceAmounts& result) {
    const auto* object = std::get_if<Object>(&value.data);
    if (object == nullptr) return place.unexpected(value, "an object of quantities");
    container::ResourceAmounts amounts;
    for (const Member& member : *object) {
        const Place here = place.member(member.name);
        bool is_read = false;
        if (member.name == "cpu") {
            is_read = quantity_at(member, here, &container::read_milli_cpus, amounts.cpu);
        } else if (member.name == "memory") {
            is_read = quantity_at(member, here, &container::read_bytes, amounts.memory);
        } else if (member.name == "ephemeral-storage") {
            is_read = quantity_at(member, here, &container::read_bytes, amounts.ephemeral_storage);
        } else if (member.name.find('/') == std::string::npos) {
            return here.fail("an unknown resource",
                             "cpu, memory, ephemeral-storage or a name with a domain");
        } else {
            amounts.extended.push_back({member.name, Count()});
            is_read =
                quantity_at(member, here, &container::read_count, amounts.extended.back().count);
        }
        if (!is_read) return false;
    }
    std::sort(amounts.extended.begin(), amounts.extended.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    result = std::move(amounts);
    return true;
}

}  // namespace trestle::json::detail
