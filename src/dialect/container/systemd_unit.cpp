// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/systemd_unit.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/utf8.hpp"
#include "contents.hpp"
#include "enforce/detail/step_parts.hpp"
#include "enforce/limits/kernel_values.hpp"
#include "enforce/process/environment_words.hpp"
#include "enforce/process/signal_names.hpp"
#include "quoting.hpp"
#include "step_rows.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/set/text.hpp"

namespace trestle::container {
namespace {

using detail::Account;

using Properties = std::vector<UnitProperty>;

/// `infinity` is systemd's word for no limit.
template <class Quantity>
std::string amount(const std::optional<Quantity>& quantity) {
    return quantity ? std::to_string(quantity->value()) : "infinity";
}

/// 1500 thousandths of a CPU are 150 % of each 100 ms.
Properties quota_properties(const CpuTimeLimit& limit) {
    if (!limit.time) return {{"CPUQuota", ""}};
    const auto [quota, period] = cpu_quota(*limit.time);
    const std::int64_t hundredths =
        std::max<std::int64_t>(quota / period * 10'000 + quota % period * 10'000 / period, 1);
    return {{"CPUQuota", fmt::format("{}.{:02}%", hundredths / 100, hundredths % 100)},
            {"CPUQuotaPeriodSec", fmt::format("{}us", period)}};
}

const char* property_of(MemoryLimit::File file) {
    switch (file) {
        case MemoryLimit::File::max:
            return "MemoryMax";
        case MemoryLimit::File::high:
            return "MemoryHigh";
        case MemoryLimit::File::low:
            return "MemoryLow";
        case MemoryLimit::File::min:
            return "MemoryMin";
        case MemoryLimit::File::swap_max:
            break;
    }
    return "MemorySwapMax";
}

/// The directive by which systemd sets the limit; nothing where it has no word for it.
struct PropertiesOf {
    Properties operator()(const CpusLimit& one) const {
        return {{"AllowedCPUs", to_text(one.cpus)}};
    }
    Properties operator()(const MemsLimit& one) const {
        return {{"AllowedMemoryNodes", to_text(one.mems)}};
    }
    Properties operator()(const CpuTimeLimit& one) const { return quota_properties(one); }
    Properties operator()(const CpuWeightLimit& one) const {
        return {{"CPUWeight", std::to_string(one.weight.value())}};
    }
    Properties operator()(const MemoryLimit& one) const {
        return {{property_of(one.file), amount(one.bytes)}};
    }
    Properties operator()(const OomGroupLimit& one) const {
        return {{"OOMPolicy", one.is_on ? "kill" : "continue"}};
    }
    Properties operator()(const PidsLimit& one) const { return {{"TasksMax", amount(one.max)}}; }
    Properties operator()(const IoLimit& one) const {
        const std::string disk = "/dev/block/" + device_number(one) + " ";
        return {{"IOReadBandwidthMax", disk + amount(one.read_bytes)},
                {"IOWriteBandwidthMax", disk + amount(one.write_bytes)},
                {"IOReadIOPSMax", disk + amount(one.reads)},
                {"IOWriteIOPSMax", disk + amount(one.writes)}};
    }
    Properties operator()(const IoWeightLimit& one) const {
        return {{"IOWeight", std::to_string(one.weight.value())}};
    }
    template <class Other>
    Properties operator()(const Other&) const {
        return {};
    }
};

std::string names_of(const Properties& properties) {
    std::string names;
    for (const UnitProperty& property : properties) {
        if (names.find(property.name) != std::string::npos) continue;
        names += (names.empty() ? "" : ", ") + property.name;
    }
    return names;
}

void add_limits(const Plan& plan, SystemdUnit& unit, Account& account) {
    for (const detail::StepRow& row : detail::limit_rows(plan)) {
        if (row.step == nullptr) {
            account.none(row.resource);
            continue;
        }
        const Limit& limit = *limit_of(*row.step);
        const Properties properties = std::visit(PropertiesOf(), limit);
        if (properties.empty() || row.step->group != plan.group) {
            account.lost(row.resource, row.limit, "systemd has no word for " + file_of(limit));
            continue;
        }
        account.kept(row.resource, row.limit, names_of(properties));
        unit.properties.insert(unit.properties.end(), properties.begin(), properties.end());
    }
    // Without a word systemd ends the whole service for one process that dies of memory.
    const bool has_policy =
        std::any_of(unit.properties.begin(), unit.properties.end(),
                    [](const UnitProperty& one) { return one.name == "OOMPolicy"; });
    if (!has_policy) unit.properties.push_back({"OOMPolicy", "continue"});
}

/// systemd takes files below /dev, and splits at the first blank.
bool is_device_path(std::string_view path) {
    return path.starts_with("/dev/") && path.find("/../") == std::string_view::npos &&
           std::all_of(path.begin(), path.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

/// `/dev/char/1:3`, `char-136`, `char-*`; nothing for a minor number of every major.
std::optional<std::string> node_name(const DeviceRule& rule) {
    const std::string kind = rule.kind == Device::File::Kind::block ? "block" : "char";
    if (rule.major && rule.minor)
        return fmt::format("/dev/{}/{}:{}", kind, *rule.major, *rule.minor);
    if (rule.minor) return std::nullopt;
    return kind + "-" + (rule.major ? std::to_string(*rule.major) : "*");
}

void add_devices(const Plan& plan, SystemdUnit& unit, Account& account) {
    const Step* filter = filter_step_of(plan.steps);
    if (filter == nullptr) {
        account.none("devices");
        for (const PlannedDevice& device : plan.devices) account.by_files(device, "all are open");
        return;
    }
    const DeviceAllowList& admitted = action_of<Step::LoadFilter>(*filter)->devices;
    unit.properties.push_back({"DevicePolicy", "strict"});
    const auto allow = [&](const std::string& name, const DeviceRule::Access& access) {
        unit.properties.push_back({"DeviceAllow", name + " " + to_text(access)});
    };
    for (const DeviceRule& rule : admitted.rules.rules) {
        if (const auto name = node_name(rule)) {
            allow(*name, rule.access);
        } else {
            account.lost("devices", to_text(rule), "systemd knows no minor number of every major");
        }
    }
    for (const DeviceAllowList::File& allowed : admitted.files) {
        if (is_device_path(allowed.file.path)) {
            allow(allowed.file.path, allowed.access);
        } else {
            account.lost("devices", trestle::detail::quoted(allowed.file.path),
                         "systemd takes no such path for a device");
        }
    }
    for (const PlannedDevice& device : plan.devices) account.by_files(device, "DeviceAllow");
    account.kept("devices", "no others", "DevicePolicy");
}

/// `LimitNOFILE=1024:4096`.
void add_process_limits(const Plan& plan, SystemdUnit& unit, Account& account) {
    const auto number = [](const std::optional<std::uint64_t>& n) {
        return n ? std::to_string(*n) : std::string("infinity");
    };
    for (const ProcessSettings::Limit& limit : plan.process.limits) {
        std::string name = "Limit";
        for (const char c : to_text(limit.resource)) name += static_cast<char>(c - 'a' + 'A');
        unit.properties.push_back({name, number(limit.soft) + ":" + number(limit.hard)});
        account.kept("process", to_text(limit), name);
    }
    if (!plan.process.affinity.is_empty()) {
        unit.properties.push_back({"CPUAffinity", to_text(plan.process.affinity)});
        account.kept("process", "affinity " + to_text(plan.process.affinity), "CPUAffinity");
    }
}

/// UTF-8 without control characters but those of `kept`.
bool is_unit_text(std::string_view text, std::string_view kept = "") {
    return is_utf8(text) && std::none_of(text.begin(), text.end(), [&](char c) {
               const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
               return is_control && kept.find(c) == std::string_view::npos;
           });
}

void add_environment(const Plan& plan, const UnitOptions& options, SystemdUnit& unit,
                     Account& account) {
    for (const std::string& name : plan.process.unset) {
        if (detail::is_identifier(name)) {
            unit.properties.push_back({"UnsetEnvironment", name});
        } else {
            account.lost("environment", "without " + trestle::detail::quoted(name),
                         "systemd takes no such name");
        }
    }
    for (EnvironmentVariable& variable : environment_of(
             options.command.environment, plan.process.environment, plan.process.unset)) {
        const std::string name = trestle::detail::quoted(variable.name);
        if (!detail::is_identifier(variable.name) ||
            !is_unit_text(detail::value_text(variable), "\t\n")) {
            account.lost("environment", name, "systemd takes no such name or value");
        } else if (variable.value.is_secret() && options.secret_file.empty()) {
            account.lost("environment", name,
                         "a secret without a secret_file: systemd shows Environment to every user");
        } else {
            unit.environment.push_back(std::move(variable));
        }
    }
    const bool has_secret =
        std::any_of(unit.environment.begin(), unit.environment.end(),
                    [](const EnvironmentVariable& one) { return one.value.is_secret(); });
    if (has_secret) unit.properties.push_back({"EnvironmentFile", options.secret_file});
}

/// The user, and the urgency. Another user may have more groups than the plan says.
void add_user(const ProcessSettings& process, SystemdUnit& unit, Account& account) {
    const auto add = [&](const char* name, std::string value, const std::string& limit) {
        unit.properties.push_back({name, std::move(value)});
        account.kept("process", limit, name);
    };
    if (process.nice)
        add("Nice", std::to_string(*process.nice), fmt::format("nice {}", *process.nice));
    if (process.oom_score_adj) {
        add("OOMScoreAdjust", std::to_string(*process.oom_score_adj),
            fmt::format("oom_score_adj {}", *process.oom_score_adj));
    }
    if (process.umask) {
        const std::string mask = fmt::format("{:04o}", *process.umask);
        add("UMask", mask, "umask " + mask);
    }
    if (const auto& policy = process.memory_policy) {
        add("NUMAPolicy", std::string(to_text(policy->mode)), "memory policy " + to_text(*policy));
        if (!policy->nodes.is_empty()) {
            unit.properties.push_back({"NUMAMask", to_text(policy->nodes)});
        }
    }
    if (process.keeps_session) {
        account.lost("process", "its caller's session", "a service has a session of its own");
    } else {
        account.kept("process", "a session of its own", "every service has one");
    }
    if (!process.user) return;
    const ProcessUser& user = *process.user;
    const auto numbers = [](const auto& values, const auto& print) {
        std::string text;
        for (const auto& value : values) {
            if (!text.empty()) text += ' ';
            text += print(value);
        }
        return text;
    };
    add("User", std::to_string(user.uid), to_text(user));
    unit.properties.push_back({"Group", std::to_string(user.gid)});
    if (!user.groups.empty()) {
        unit.properties.push_back(
            {"SupplementaryGroups",
             numbers(user.groups, [](std::uint32_t gid) { return std::to_string(gid); })});
    }
    account.lost("process", "no other groups", "systemd adds those that the user's entry has");
    unit.properties.push_back({"NoNewPrivileges", user.no_new_privs ? "yes" : "no"});
    if (user.capabilities) {
        unit.properties.push_back(
            {"CapabilityBoundingSet", numbers(*user.capabilities, [](ProcessUser::Capability one) {
                 return std::string(to_text(one));
             })});
    }
}

/// systemd takes 0 for no end at all: what is to be at once is a microsecond.
std::string span_text(Seconds time) {
    if (time == Seconds::max()) return "infinity";
    return time == Seconds() ? "1us" : fmt::format("{}s", time.value());
}

void add_end(const EndPolicy& end, SystemdUnit& unit, Account& account) {
    if (end.time_limit) {
        const Seconds most = saturating_add(*end.time_limit, end.over_time);
        unit.properties.push_back({"RuntimeMaxSec", span_text(most)});
        account.kept("time", span_text(most), "RuntimeMaxSec");
    }
    if (end.time_limit && end.warning) {
        account.lost("time", detail::warning_text(end), "systemd sends no warning");
    }
    const bool has_grace = end.grace != Seconds();
    const int signal_number = has_grace ? end.end_signal : sigkill;
    unit.properties.push_back({"TimeoutStopSec", span_text(end.grace)});
    unit.properties.push_back({"KillSignal", std::to_string(signal_number)});
    unit.properties.push_back(
        {"KillMode", end.end_target == EndPolicy::Target::leader ? "mixed" : "control-group"});
    account.kept("time", detail::end_text(end), "KillSignal, KillMode, TimeoutStopSec");
}

/// The steps that systemd has no part in; what it enables and makes by itself is none of them.
void add_other_steps(const Plan& plan, Account& account) {
    for (const Step& step : plan.steps) {
        if (const auto* label = action_of<Step::LabelGroup>(step)) {
            account.lost("owner", to_text(label->owner), "systemd leaves no label on the group");
        } else if (const auto* make = action_of<Step::MakeScratch>(step)) {
            account.lost("scratch", to_text(make->directory),
                         "systemd makes no such directory; what variables name is not there");
        } else if (action_of<Step::SetFrozen>(step) != nullptr) {
            account.lost("freezer", to_text(step), "a service is started running");
        }
    }
}

Status check_command(const Command& command) {
    if (command.arguments.empty() || command.arguments.front().empty()) {
        return invalid_argument("command: it is empty, expected a program");
    }
    TRESTLE_TRY_STATUS(detail::check_words(command.arguments));
    for (const std::string& word : command.arguments) {
        if (is_utf8(word)) continue;
        return invalid_argument("command: the word {} is no UTF-8, systemd takes no other",
                                trestle::detail::quoted(word));
    }
    constexpr std::string_view prefixes = "-@:+!|";  // of ExecStart
    if (prefixes.find(command.arguments.front().front()) != std::string_view::npos) {
        return invalid_argument("command: {}, expected a program that starts with none of {}",
                                trestle::detail::quoted(command.arguments.front()), prefixes);
    }
    const std::string& directory = command.directory;
    const bool is_odd = directory.ends_with(' ') || directory.ends_with('\\');
    if (!directory.empty() && (!directory.starts_with('/') || !is_unit_text(directory) || is_odd)) {
        return invalid_argument("command: folder {}, expected an absolute path on one line",
                                trestle::detail::quoted(directory));
    }
    return {};
}

Status check_options(const UnitOptions& options) {
    TRESTLE_TRY_STATUS(check_command(options.command));
    constexpr std::string_view others = ":-_.\\";
    const auto is_plain = [&](char c) {
        return detail::is_identifier(std::string("_") + c) ||
               others.find(c) != std::string_view::npos;
    };
    const std::string& slice = options.slice;
    if (!slice.empty() &&
        (!slice.ends_with(".slice") || !std::all_of(slice.begin(), slice.end(), is_plain))) {
        return invalid_argument("slice: {}, expected a name as batch.slice",
                                trestle::detail::quoted(slice));
    }
    // systemd takes a pattern, and words.
    const std::string& file = options.secret_file;
    if (!file.empty() && (!file.starts_with('/') || !is_unit_text(file) ||
                          file.find_first_of(" \\\"'*?[") != std::string::npos)) {
        return invalid_argument("secret_file: {}, expected an absolute path without blanks",
                                trestle::detail::quoted(file));
    }
    return {};
}

std::string doubled(std::string_view text, char which) {
    std::string more;
    for (const char c : text) more += c == which ? std::string(2, c) : std::string(1, c);
    return more;
}

}  // namespace

std::string unit_name(const std::string& group) {
    std::string name;
    for (const char c : group) {
        const bool is_kept =
            detail::is_identifier(std::string("_") + c) || c == ':' || (c == '.' && !name.empty());
        if (is_kept) {
            name += c;
        } else if (c == '/') {
            name += '-';
        } else {
            name += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        }
    }
    return name + ".service";
}

StatusOr<SystemdDocument> systemd_unit(const Plan& plan, const UnitOptions& options) {
    TRESTLE_TRY_STATUS(check_options(options));
    TRESTLE_TRY_STATUS(detail::check_steps(plan));
    TRESTLE_TRY_STATUS(check(plan.process));
    TRESTLE_TRY_STATUS(check(plan.end));
    TRESTLE_TRY_STATUS(check_known(plan.process.environment));
    TRESTLE_TRY_STATUS(check_known(options.command.environment));
    SystemdDocument document;
    SystemdUnit& unit = document.content;
    Account account;
    unit.name = unit_name(plan.group);
    constexpr std::size_t name_max = 255;
    if (unit.name.size() > name_max) {
        return invalid_argument("group {}: as the unit {} it has more than {} bytes", plan.group,
                                unit.name, name_max);
    }
    unit.slice = options.slice;
    unit.directory = options.command.directory;
    unit.arguments = options.command.arguments;
    add_limits(plan, unit, account);
    add_process_limits(plan, unit, account);
    add_environment(plan, options, unit, account);
    add_user(plan.process, unit, account);
    add_end(plan.end, unit, account);
    if (plan.shm_size) {
        account.lost("shm", to_text(*plan.shm_size), "/dev/shm is the host's");
    } else {
        account.none("shm");
    }
    add_devices(plan, unit, account);
    add_other_steps(plan, account);
    account.disk(plan, "matched, not enforced: systemd limits no folder");
    account.shortfalls(plan);
    document.limits = std::move(account).take();
    return document;
}

std::vector<std::string> systemd_run_words(const SystemdUnit& unit) {
    std::vector<std::string> line = {"systemd-run", "--quiet", "--collect",
                                     "--wait",      "--pipe",  "--unit=" + unit.name};
    if (!unit.slice.empty()) line.push_back("--slice=" + unit.slice);
    if (!unit.directory.empty()) line.push_back("--working-directory=" + unit.directory);
    for (const auto& [name, value] : unit.properties) {
        line.push_back("--property=" + name + "=" + value);
    }
    for (const EnvironmentVariable& variable : unit.environment) {
        if (variable.value.is_secret()) continue;
        line.push_back("--setenv=" + variable.name + "=" + detail::value_text(variable));
    }
    line.emplace_back("--");
    for (std::size_t i = 0; i < unit.arguments.size(); ++i) {
        line.push_back(i == 0 ? unit.arguments[i] : doubled(unit.arguments[i], '$'));
    }
    return line;
}

std::string systemd_run_line(const SystemdUnit& unit) {
    std::string line;
    for (const std::string& word : systemd_run_words(unit)) {
        if (!line.empty()) line += ' ';
        line += detail::shell_quoted(word);
    }
    return line + "\n";
}

std::string unit_text(const SystemdUnit& unit) {
    std::string text = "[Service]\n";
    if (!unit.slice.empty()) text += "Slice=" + unit.slice + "\n";
    if (!unit.directory.empty()) text += "WorkingDirectory=" + doubled(unit.directory, '%') + "\n";
    for (const auto& [name, value] : unit.properties) {
        // The one value that is meant to have a `%`, in the one place where none is expanded.
        const bool is_quota = name == "CPUQuota";
        text += name + "=" + (is_quota ? value : doubled(value, '%')) + "\n";
    }
    for (const EnvironmentVariable& variable : unit.environment) {
        if (variable.value.is_secret()) continue;
        text += "Environment=" +
                detail::unit_quoted(variable.name + "=" + detail::value_text(variable)) + "\n";
    }
    text += "ExecStart=";
    for (std::size_t i = 0; i < unit.arguments.size(); ++i) {
        text += i == 0 ? ':' : ' ';
        text += detail::unit_quoted(unit.arguments[i]);
    }
    return text + "\n";
}

std::string secret_text(const SystemdUnit& unit) {
    std::string text;
    for (const EnvironmentVariable& variable : unit.environment) {
        if (!variable.value.is_secret()) continue;
        text += variable.name + "=\"";
        for (const char c : detail::value_text(variable)) {
            if (c == '"' || c == '\\' || c == '`' || c == '$') text += '\\';
            text += c;
        }
        text += "\"\n";
    }
    return text;
}

}  // namespace trestle::container
