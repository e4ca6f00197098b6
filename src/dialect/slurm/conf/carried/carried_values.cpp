// SPDX-License-Identifier: Apache-2.0
#include "carried_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "../shared_keys.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm {
namespace {

constexpr auto names_of(const auto&... names) {
    return std::array<std::string_view, sizeof...(names)>{names...};
}
constexpr auto enforced = names_of("associations", "limits", "nojobs", "nosteps", "qos", "safe",
                                   "wckeys", "all", "1", "2");
constexpr auto log_levels = names_of("quiet", "fatal", "error", "info", "verbose", "debug",
                                     "debug2", "debug3", "debug4", "debug5");
constexpr auto debug_flags = names_of(
    "Accrue", "Agent", "AuditRPCs", "AuditTLS", "Backfill", "BackfillMap", "BurstBuffer", "Cgroup",
    "Conmgr", "CPU_Bind", "CpuFrequency", "Data", "DB_Archive", "DB_Assoc", "DB_Event", "DB_Job",
    "DB_QOS", "DB_Query", "DB_Reservation", "DB_Resource", "DB_Step", "DB_TRES", "DB_Usage",
    "DB_WCKey", "DBD_Agent", "Dependency", "Elasticsearch", "Energy", "ExtSensors", "Federation",
    "FrontEnd", "Gang", "Glob_Silence", "Gres", "Hetjob", "Interconnect", "Jag", "JobAccountGather",
    "JobComp", "JobContainer", "License", "Metrics", "MPI", "Namespace", "Network", "NetworkRaw",
    "NodeFeatures", "NO_CONF_HASH", "Power", "PowerSave", "Priority", "Profile", "Protocol",
    "Reservation", "Route", "Script", "SelectCons_res", "SelectType", "Steps", "Switch", "TimeCray",
    "TLS", "TraceJobs", "Triggers", "Wiki", "WorkQueue");
constexpr auto prolog_flags = names_of("Alloc", "Contain", "DeferBatch", "ForceRequeueOnFail",
                                       "NoHold", "RunInJob", "Serial", "X11");
constexpr auto process_limits =
    names_of("AS", "CORE", "CPU", "DATA", "FSIZE", "MEMLOCK", "NOFILE", "NPROC", "RSS", "STACK");
constexpr auto reset_periods =
    names_of("NONE", "NOW", "DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY");
constexpr auto bind_units = names_of("none", "boards", "sockets", "cores", "threads");
constexpr auto task_params =  // beside one of those units
    names_of("verbose", "autobind=UNIT", "SlurmdOffSpec", "OOMKillStep", "SlurmdSpecOverride",
             "cpusets", "sched");
constexpr auto accounting_types = names_of(
    "accounting_storage/none", "accounting_storage/slurmdbd", "accounting_storage/ctld_relay",
    "accounting_storage/filetxt", "accounting_storage/mysql", "accounting_storage/pgsql");
constexpr auto gather_types = names_of("jobacct_gather/none", "jobacct_gather/linux",
                                       "jobacct_gather/cgroup", "jobacct_gather/aix");
constexpr auto mcs_plugins =
    names_of("mcs/none", "mcs/account", "mcs/group", "mcs/user", "mcs/label");
constexpr auto preempt_types =
    names_of("preempt/none", "preempt/partition_prio", "preempt/qos", "preempt/job_prio");
constexpr auto priority_types =
    names_of("priority/basic", "priority/multifactor", "priority/multifactor2");
constexpr auto scheduler_types =
    names_of("sched/backfill", "sched/builtin", "sched/hold", "sched/wiki", "sched/wiki2");
constexpr auto switch_types =
    names_of("switch/none", "switch/cray", "switch/cray_aries", "switch/elan", "switch/federation",
             "switch/generic", "switch/hpe_slingshot", "switch/nrt", "switch/nvidia_imex");

template <std::size_t Count>
std::string joined(const std::array<std::string_view, Count>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

/// The error of a word that is none of the names, whatever its case.
template <std::size_t Count>
ValueErrors check_word(TextCursor word, const std::array<std::string_view, Count>& names,
                       std::string_view kind) {
    if (words::is_one_of(word.rest(), names)) return std::nullopt;
    return word.error(fmt::format("unknown {}", kind), joined(names));
}

template <std::size_t Count>
ValueErrors check_words(TextCursor value, const std::array<std::string_view, Count>& names,
                        std::string_view kind) {
    return for_each_piece(value, joined(names),
                          [&](TextCursor word) { return check_word(word, names, kind); });
}

/// The error of a plugin that no release had; their names have their case.
template <std::size_t Count>
ValueErrors check_plugin(TextCursor value, const std::array<std::string_view, Count>& names) {
    const auto known = std::find(names.begin(), names.end(), value.rest());
    if (known != names.end()) return std::nullopt;
    return value.error("unknown plugin", joined(names));
}

/// `30`, `+30`, `0x1e`, `036`; `1k` where a number has more than 16 bits.
std::optional<std::uint64_t> number_of(std::string_view text, bool takes_kilo) {
    const bool is_kilo = takes_kilo && (text.ends_with('k') || text.ends_with('K'));
    if (is_kilo) text.remove_suffix(1);
    if (text.starts_with('+')) text.remove_prefix(1);
    const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
    if (is_hex) text.remove_prefix(2);
    const int base = is_hex ? 16 : text.size() > 1 && text.starts_with('0') ? 8 : 10;
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number, base);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    if (!is_kilo) return number;
    if (number >> 54U != 0) return std::nullopt;
    return number << 10U;
}

}  // namespace

ValueErrors read_number(TextCursor value, std::uint64_t& number, Interval<std::uint64_t> accepted) {
    const std::uint64_t most = accepted.end - 1;
    const auto read =
        is_unlimited(value.rest()) ? std::optional(most) : number_of(value.rest(), most > 0xFFFF);
    if (!read || !accepted.contains(*read)) {
        return value.error("malformed number",
                           fmt::format("a whole number from {} to {}", accepted.first, most));
    }
    number = *read;
    return std::nullopt;
}

ValueErrors check_yes_no(TextCursor value) {
    bool answer = false;
    return read_yes_no(value, answer);
}

ValueErrors check_time(TextCursor value) {
    std::optional<Seconds> time;
    return read_duration(value, time);
}

ValueErrors check_period(TextCursor value) {
    std::optional<Seconds> time;
    auto errors = read_duration(value, time);
    if (errors || (time && *time > Seconds())) return errors;
    return value.error("not a time", "minutes above 0, as in 5 or 0:30:00");
}

ValueErrors check_enforced(TextCursor value) { return check_words(value, enforced, "word"); }

ValueErrors check_log_level(TextCursor value) {
    if (!value.at_end() && value.peek() >= '0' && value.peek() <= '9') return std::nullopt;
    auto errors = check_word(value, log_levels, "level");
    for (TextError& error : errors.all()) error.expected += " or a number";
    return errors;
}

ValueErrors check_debug_flags(TextCursor value) { return check_words(value, debug_flags, "flag"); }
ValueErrors check_prolog_flags(TextCursor value) {
    return check_words(value, prolog_flags, "flag");
}

/// In capitals, and ALL and NONE alone, unlike all other words.
ValueErrors check_process_limits(TextCursor value) {
    if (value.rest() == "ALL" || value.rest() == "NONE") return std::nullopt;
    const std::string expected = joined(process_limits) + ", or ALL or NONE alone";
    return for_each_piece(value, expected, [&](TextCursor word) -> ValueErrors {
        std::string_view name = word.rest();
        if (name.starts_with("RLIMIT_")) name.remove_prefix(std::string_view("RLIMIT_").size());
        const auto known = std::find(process_limits.begin(), process_limits.end(), name);
        if (known != process_limits.end()) return std::nullopt;
        return word.error("unknown limit", expected);
    });
}

ValueErrors check_reset_period(TextCursor value) {
    return check_word(value, reset_periods, "period");
}

ValueErrors check_task_params(TextCursor value) {
    std::string_view unit;
    return for_each_piece(value, joined(task_params), [&](TextCursor word) -> ValueErrors {
        constexpr std::string_view bind = "autobind=";
        if (words::same_word(word.rest().substr(0, bind.size()), bind)) {
            const std::string_view name = word.rest().substr(bind.size());
            return check_word(TextCursor(name, word.offset() + bind.size()), bind_units, "unit");
        }
        const auto known = std::find_if(
            bind_units.begin(), bind_units.end(),
            [&](std::string_view name) { return words::same_word(name, word.rest()); });
        if (known == bind_units.end()) {
            auto errors = check_word(word, task_params, "word");
            for (TextError& error : errors.all()) {
                error.expected += fmt::format(", or one unit of {}", joined(bind_units));
            }
            return errors;
        }
        if (!unit.empty() && unit != *known) {
            return word.error(fmt::format("a second unit beside {}", unit), "one unit");
        }
        unit = *known;
        return std::nullopt;
    });
}

ValueErrors check_accounting_type(TextCursor value) {
    return check_plugin(value, accounting_types);
}
ValueErrors check_gather_type(TextCursor value) { return check_plugin(value, gather_types); }
ValueErrors check_mcs_plugin(TextCursor value) { return check_plugin(value, mcs_plugins); }
ValueErrors check_preempt_type(TextCursor value) { return check_plugin(value, preempt_types); }
ValueErrors check_priority_type(TextCursor value) { return check_plugin(value, priority_types); }
ValueErrors check_scheduler_type(TextCursor value) { return check_plugin(value, scheduler_types); }
ValueErrors check_switch_type(TextCursor value) { return check_plugin(value, switch_types); }

}  // namespace trestle::slurm
