// SPDX-License-Identifier: Apache-2.0
#include "contents.hpp"

#include <algorithm>
#include <optional>

#include "base/join.hpp"
#include "enforce/detail/step_parts.hpp"
#include "enforce/detail/unset.hpp"
#include "enforce/limits/kernel_values.hpp"
#include "enforce/process/environment_words.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::container::detail {
namespace {

/// What the plan already says of a variable or a limit stands.
void add_needs(const ContainerProfile& profile, Contents& contents) {
    for (const std::string& name : profile.capabilities) add_once(name, contents.capabilities);
    for (const EnvironmentVariable& variable : profile.environment) {
        const auto is_same = [&](const auto& one) { return one.name == variable.name; };
        const auto& known = contents.environment;
        if (std::none_of(known.begin(), known.end(), is_same)) {
            contents.environment.push_back(variable);
        }
    }
    for (const ProcessSettings::Limit& limit : profile.limits) {
        const auto is_same = [&](const auto& one) { return one.resource == limit.resource; };
        const auto& known = contents.limits;
        if (std::none_of(known.begin(), known.end(), is_same)) contents.limits.push_back(limit);
    }
    contents.has_no_seccomp = contents.has_no_seccomp || profile.wants_no_seccomp;
    contents.has_host_ipc = contents.has_host_ipc || profile.wants_host_ipc;
}

/// The plan's user, or that of a container without; the caller's numbers win.
ProcessUser user_of(const Plan& plan, const ContainerOptions& options) {
    ProcessUser user{0, 0, {}, std::nullopt, false};
    if (plan.process.user) user = *plan.process.user;
    user.uid = options.uid.value_or(user.uid);
    user.gid = options.gid.value_or(user.gid);
    return user;
}

}  // namespace

StatusOr<Contents> contents_of(const Plan& plan, const ContainerOptions& options) {
    const Step* filter = filter_step_of(plan.steps);
    if (filter == nullptr) {
        return invalid_argument(
            "plan {}: it skips devices, but a container is given each by name, expected the "
            "requirement require or best_effort",
            plan.group);
    }
    TRESTLE_TRY_STATUS(with_context("plan " + plan.group, check_known(plan.process.environment)));
    Contents contents;
    contents.admitted = action_of<Step::LoadFilter>(*filter)->devices;
    contents.group = limits_of(plan);
    // A container has the granted devices only.
    contents.environment = with_filter_in_force(plan).process.environment;
    contents.limits = plan.process.limits;
    contents.binds = plan.folders;
    if (const Step* made = last_step_of<Step::MakeScratch>(plan.steps)) {
        contents.scratch = action_of<Step::MakeScratch>(*made)->directory.path();
    }
    contents.user = user_of(plan, options);
    contents.has_planned_user = plan.process.user.has_value();
    for (const PlannedDevice& device : plan.devices) {
        const ContainerProfile* profile = profile_of(options.profiles, device);
        contents.devices.push_back({&device, profile});
        if (profile != nullptr) add_needs(*profile, contents);
    }
    contents.unset = still_unset(plan.process.unset, contents.environment);
    if (contents.user.capabilities) {
        const std::vector<std::string> kept = kept_capabilities(contents.user);
        std::erase_if(contents.capabilities, [&](const std::string& name) {
            return std::find(kept.begin(), kept.end(), name) == kept.end();
        });
    }
    // With the host's IPC /dev/shm is the host's as well, and nothing is left of its size.
    contents.has_host_ipc =
        contents.has_host_ipc && options.network == NetworkMode::host && !plan.shm_size;
    return contents;
}

std::vector<std::string> kept_capabilities(const ProcessUser& user) {
    constexpr std::string_view prefix = "CAP_";
    std::vector<std::string> names;
    for (const ProcessUser::Capability one : *user.capabilities) {
        names.emplace_back(to_text(one).substr(prefix.size()));
    }
    return names;
}

std::string device_text(const PlannedDevice& device) {
    std::string text = fmt::format("{} {}", device.name, device.index);
    if (!device.uuid.empty()) text += " (" + device.uuid + ")";
    if (device.slice) {
        return fmt::format("{} at {} of {}", device.slice->profile, device.slice->start, text);
    }
    if (device.shares == device.shares_max) return text;
    return fmt::format("{} of {} shares of {}", device.shares.value(), device.shares_max.value(),
                       text);
}

MilliCpu cpu_time(const Limits& limits) {
    return limits.cpu_max.value_or(cpus(static_cast<std::int64_t>(limits.cpus.count())));
}

std::string time_text(MilliCpu time) {
    if (time.value() % 1000 != 0) return to_text(time) + " thousandths of a CPU";
    return time == cpus(1) ? "1 CPU" : to_text(div_floor(time, 1000)) + " CPUs";
}

std::vector<DeviceRule> runtime_rules() {
    using Kind = Device::File::Kind;
    constexpr DeviceRule::Access mknod = {false, false, true};
    std::vector<DeviceRule> rules = {{Kind::character, {}, {}, mknod},
                                     {Kind::block, {}, {}, mknod}};
    for (const std::uint32_t minor : {3u, 5u, 7u, 8u, 9u}) {
        rules.push_back({Kind::character, 1, minor, DeviceRule::Access::all()});
    }
    for (const std::uint32_t minor : {0u, 1u, 2u}) {
        rules.push_back({Kind::character, 5, minor, DeviceRule::Access::all()});
    }
    rules.push_back({Kind::character, 136, {}, DeviceRule::Access::all()});
    return rules;
}

void Account::shortfalls(const Plan& plan) {
    for (const Shortfall& one : plan.shortfalls) lost(one.resource, one.step, one.reason);
}

void Account::runtime_extras(const DeviceRules& planned) {
    std::string extras;
    for (const DeviceRule& rule : runtime_rules()) {
        DeviceRule::Access granted;
        for (const DeviceRule& one : planned.rules) {
            if (one.matches(rule)) granted = granted | one.access;
        }
        if ((rule.access.bits() & ~granted.bits()) == 0) continue;
        extras += (extras.empty() ? "" : ", ") + to_text(rule);
    }
    if (!extras.empty()) lost("devices", "no others", "every container also has " + extras);
}

void Account::by_files(const PlannedDevice& device, std::string how) {
    if (device.paths.empty()) {
        lost("devices", device_text(device), "it has no files");
    } else {
        kept("devices", device_text(device), std::move(how));
    }
    shares(device);
}

void Account::shares(const PlannedDevice& device) {
    if (!device.slice && device.shares == device.shares_max) return;
    lost("shares", device_text(device), "a process that may open a device may use all of it");
}

void Account::without_word(const Limits& limits, const std::string& why) {
    const auto number = [&](const char* resource, const char* what, const auto& quantity) {
        if (quantity) lost(resource, what + to_text(*quantity), why);
    };
    number("cpu", "weight ", limits.cpu_weight);
    if (limits.partition != CpusetPartition::member) {
        lost("cpu", "partition " + std::string(to_text(limits.partition)), why);
    }
    number("memory", "kept from others: ", limits.memory_low);
    number("memory", "kept at all events: ", limits.memory_min);
    for (const IoLimit& limit : limits.io) lost("io", to_text(limit), why);
    number("io", "weight ", limits.io_weight);
    for (const HugetlbLimit& limit : limits.hugetlb) {
        lost("hugetlb", to_text(limit.max) + " in " + huge_page_name(limit.page_size), why);
    }
    for (const RdmaLimit& limit : limits.rdma) lost("rdma", to_text(limit), why);
    for (const MiscLimit& limit : limits.misc) lost("misc", to_text(limit), why);
}

void Account::user(const Plan& plan, const Contents& contents, std::string how) {
    if (!plan.process.user) return;
    const ProcessUser& planned = *plan.process.user;
    if (planned.uid != contents.user.uid || planned.gid != contents.user.gid) {
        lost("user", fmt::format("uid={} gid={}", planned.uid, planned.gid),
             fmt::format("the options want {}:{}", contents.user.uid, contents.user.gid));
    }
    kept("user", to_text(contents.user), std::move(how));
}

void Account::settings(const Plan& plan, const SettingWords& words) {
    const ProcessSettings& process = plan.process;
    const auto row = [&](std::string limit, const std::string& word) {
        if (word.empty()) {
            lost("process", std::move(limit), "the document has no word for it");
        } else {
            kept("process", std::move(limit), word);
        }
    };
    if (process.keeps_session) row("session of the embedder", "");
    if (process.nice) row(fmt::format("nice {}", *process.nice), "");
    if (process.oom_score_adj) {
        row(fmt::format("oom_score_adj {}", *process.oom_score_adj), words.oom_score_adj);
    }
    if (process.umask) row(fmt::format("umask {:04o}", *process.umask), words.umask);
    if (process.memory_policy) row("memory policy " + to_text(*process.memory_policy), "");
    if (process.affinity != limits_of(plan).cpus) row("affinity " + to_text(process.affinity), "");
    if (plan.end != EndPolicy()) {
        lost("time", to_text(plan.end), "the runtime of the container ends it");
    }
}

void Account::unset(const std::vector<std::string>& names) {
    if (names.empty()) return;
    lost("environment", "without " + trestle::detail::join(names, ", "),
         "what the image sets stays set");
}

void Account::disk(const Plan& plan, std::string why) {
    lost("disk", plan.disk.is_open() ? "-" : to_text(plan.disk), std::move(why));
}

}  // namespace trestle::container::detail
