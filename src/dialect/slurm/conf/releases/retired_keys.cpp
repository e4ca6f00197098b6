// SPDX-License-Identifier: Apache-2.0
#include "retired_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "../../../words.hpp"
#include "../../known_releases.hpp"
#include "../../line_at.hpp"
#include "../conf_lines.hpp"

namespace trestle::slurm {
namespace {

enum class Fate {
    ignored,
    moved,    ///< read, with a complaint that asks for the new name
    refused,  ///< the daemons do not start
    later     ///< nor in releases before these
};

struct RetiredKey {
    std::string_view name;
    std::string_view word = {};  ///< of the value; empty: whatever the value is
    Fate fate = Fate::ignored;
    KnownReleases releases = {};  ///< with that fate; of `later`: those that have the value
    /// What replaces it: an entry, or a word for a word. An entry that ends in `=` takes the value.
    std::string_view instead = {};
    std::string_view beside = {};  ///< only in a file with this key
    bool is_list_of_keys = false;  ///< its value is entries joined by commas
};

constexpr auto of_slurm_conf = std::to_array<RetiredKey>({
    {"AccountingStorageLoc", "", Fate::refused, known_until("24.11")},
    {"AccountingStorageType", "accounting_storage/ctld_relay", Fate::later, known_in("24.11")},
    {"AccountingStorageType",
     "accounting_storage/filetxt",
     Fate::refused,
     {},
     "accounting_storage/slurmdbd"},
    {"AccountingStorageType",
     "accounting_storage/mysql",
     Fate::refused,
     {},
     "accounting_storage/slurmdbd"},
    {"AccountingStorageType",
     "accounting_storage/pgsql",
     Fate::refused,
     {},
     "accounting_storage/slurmdbd"},
    {"AccountingStorageUser", "", Fate::ignored, known_since("26.05")},
    {"AccountingStoreJobComment", "", Fate::refused, {}, "AccountingStoreFlags=job_comment"},
    {"BackupAddr", "", Fate::ignored, {}, "", "SlurmctldHost"},
    {"BackupController", "", Fate::ignored, {}, "", "SlurmctldHost"},
    {"CommunicationParameters", "NoAddrCache", Fate::ignored, known_since("24.11")},
    {"ControlAddr", "", Fate::ignored, {}, "", "SlurmctldHost"},
    {"ControlMachine", "", Fate::ignored, {}, "", "SlurmctldHost"},
    {"CoreSpecPlugin", "", Fate::ignored, known_since("24.11")},
    {"DebugFlags", "AuditRPCs", Fate::later, known_in("24.11")},
    {"DebugFlags", "AuditTLS", Fate::later, known_in("26.05")},
    {"DebugFlags", "Conmgr", Fate::later, known_in("24.11")},
    {"DebugFlags", "DBD_Agent", Fate::later, known_in("24.11")},
    {"DebugFlags", "Glob_Silence", Fate::later, known_in("24.11")},
    {"DebugFlags", "JobComp", Fate::later, known_in("24.11")},
    {"DebugFlags", "Metrics", Fate::later, known_in("26.05")},
    {"DebugFlags", "Namespace", Fate::later, known_in("26.05")},
    {"DebugFlags", "TLS", Fate::later, known_in("24.11")},
    {"DebugFlags", "ExtSensors", Fate::refused, known_since("24.11")},
    {"DebugFlags", "FrontEnd", Fate::refused, known_since("26.05")},
    {"DebugFlags", "SelectCons_res", Fate::refused},
    {"DebugFlags", "TimeCray", Fate::refused, known_since("24.11")},
    {"DebugFlags", "Wiki", Fate::refused},
    {"ExtSensorsFreq", "", Fate::ignored, known_since("24.11")},
    {"ExtSensorsType", "", Fate::ignored, known_since("24.11")},
    {"FastSchedule", "0", Fate::refused},
    {"FastSchedule", "2", Fate::refused, {}, "SlurmdParameters=config_overrides"},
    {"FastSchedule"},
    {"GetEnvTimeout", "", Fate::ignored, known_since("26.05")},
    {"JobAcctGatherType", "jobacct_gather/aix", Fate::refused},
    {"JobContainerType", "job_container/tmpfs", Fate::moved, known_since("26.05"),
     "NamespaceType=namespace/tmpfs"},
    {"JobContainerType", "", Fate::moved, known_since("26.05"), "NamespaceType="},
    {"JobCredentialPrivateKey", "", Fate::ignored, known_since("24.11")},
    {"JobCredentialPublicCertificate", "", Fate::ignored, known_since("24.11")},
    {"JobDefaults", "", Fate::refused, {}, "", "", true},
    {"KeepAliveTime", "", Fate::moved, {}, "CommunicationParameters=keepalivetime="},
    {"MCSPlugin", "mcs/label", Fate::later, known_in("24.11")},
    {"PowerParameters", "", Fate::ignored, known_since("24.11")},
    {"PowerPlugin", "", Fate::ignored, known_since("24.11")},
    {"PreemptMode", "CHECKPOINT", Fate::refused},
    {"PreemptType", "preempt/job_prio", Fate::refused},
    {"PriorityType", "priority/multifactor2", Fate::refused, {}, "priority/multifactor"},
    {"PrologFlags", "ForceRequeueOnFail", Fate::later, known_in("24.11")},
    {"PrologFlags", "RunInJob", Fate::later, known_in("24.11")},
    {"SallocDefaultCommand", "", Fate::refused, {}, "LaunchParameters=use_interactive_step"},
    {"SbcastParameters", "", Fate::moved, {}, "BcastParameters="},
    {"SchedulerAuth", "", Fate::ignored, known_until("22.05")},
    {"SchedulerParameters", "max_job_bf", Fate::refused, {}, "bf_max_job_test"},
    {"SchedulerType", "sched/hold", Fate::refused, {}, "sched/backfill"},
    {"SchedulerType", "sched/wiki", Fate::refused, {}, "sched/backfill"},
    {"SchedulerType", "sched/wiki2", Fate::refused, {}, "sched/backfill"},
    {"SelectType", "select/alps", Fate::refused, {}, "select/cons_tres"},
    {"SelectType", "select/bluegene", Fate::refused, {}, "select/cons_tres"},
    {"SelectType", "select/cons_res", Fate::refused, known_since("24.11"), "select/cons_tres"},
    {"SelectType", "select/cray", Fate::refused, {}, "select/cons_tres"},
    {"SelectType", "select/cray_aries", Fate::refused, known_since("24.11"), "select/cons_tres"},
    {"SelectType", "select/serial", Fate::refused, {}, "select/cons_tres"},
    {"SelectTypeParameters", "ENFORCE_BINDING_GRES", Fate::later, known_since("23.11")},
    {"SelectTypeParameters", "LL_SHARED_GRES", Fate::later, known_since("23.11")},
    {"SelectTypeParameters", "MULTIPLE_SHARING_GRES_PJ", Fate::later, known_since("23.11")},
    {"SelectTypeParameters", "ONE_TASK_PER_SHARING_GRES", Fate::later, known_since("23.11")},
    {"SelectTypeParameters", "OTHER_CONS_RES", Fate::refused, known_since("24.11")},
    {"SelectTypeParameters", "OTHER_CONS_TRES", Fate::refused, known_since("24.11")},
    {"SwitchType", "switch/cray", Fate::refused},
    {"SwitchType", "switch/cray_aries", Fate::refused, known_since("24.11")},
    {"SwitchType", "switch/elan", Fate::refused},
    {"SwitchType", "switch/federation", Fate::refused},
    {"SwitchType", "switch/generic", Fate::refused},
    {"SwitchType", "switch/nrt", Fate::refused},
    {"SwitchType", "switch/nvidia_imex", Fate::later, known_since("24.05")},
    {"TaskPluginParam", "Boards", Fate::refused},
    {"TaskPluginParam", "OOMKillStep", Fate::later, known_in("24.11")},
    {"TaskPluginParam", "SlurmdSpecOverride", Fate::later, known_in("26.05")},
    {"TaskPluginParam", "cpusets", Fate::refused},
    {"TaskPluginParam", "sched", Fate::refused},
    {"TopologyPlugin", "topology/3d_torus", Fate::refused, known_since("26.05")},
    {"TopologyPlugin", "topology/block", Fate::later, known_since("23.11")},
    {"TopologyPlugin", "topology/default", Fate::later, known_since("23.11")},
    {"TopologyPlugin", "topology/flat", Fate::later, known_since("25.05")},
    {"TopologyPlugin", "topology/ring", Fate::later, known_since("26.05")},
    {"TopologyPlugin", "topology/torus3d", Fate::later, known_since("26.05")},
});

constexpr auto of_cgroup_conf = std::to_array<RetiredKey>({
    {"AllowedDevicesFile"},
    {"AllowedKmemSpace", "", Fate::refused, known_since("24.11")},
    {"CgroupAutomount", "", Fate::ignored, known_since("24.11")},
    {"CgroupJobIdPaths", "", Fate::refused, known_until("24.11")},
    {"CgroupReleaseAgentDir", "", Fate::refused},
    {"CgroupSlice", "", Fate::refused, known_until("24.11")},
    {"ConstrainKmemSpace", "", Fate::refused, known_since("24.11")},
    {"EnableControllers", "", Fate::refused, known_until("22.05")},
    {"EnableExtraControllers", "", Fate::refused, known_until("24.11")},
    {"MaxKmemPercent", "", Fate::refused, known_since("24.11")},
    {"MinKmemSpace", "", Fate::refused, known_since("24.11")},
    {"SignalChildrenProcesses", "", Fate::refused, known_until("22.05")},
    {"SystemdTimeout", "", Fate::refused, known_until("22.05")},
    {"TaskAffinity", "", Fate::refused},
});

std::span<const RetiredKey> retired_rows(ConfFileKind kind) {
    if (kind == ConfFileKind::slurm_conf) return of_slurm_conf;
    return of_cgroup_conf;
}

std::vector<std::string> pieces_of(std::string_view value) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= value.size();) {
        const std::size_t end = std::min(value.find(',', at), value.size());
        words.emplace_back(value.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

/// True for `word`, and for `word=3`.
bool is_word(std::string_view text, std::string_view word) {
    return words::same_word(text.substr(0, text.find('=')), word);
}

bool is_about_entry(const RetiredKey& key, const ConfEntry& entry) {
    if (!words::same_word(key.name, entry.key.rest())) return false;
    if (key.word.empty()) return true;
    const auto words = pieces_of(entry.value.rest());
    return std::any_of(words.begin(), words.end(),
                       [&](const std::string& one) { return is_word(one, key.word); });
}

/// The entry that should stand there; empty: none.
std::string mended_entry(const RetiredKey& key, const ConfEntry& entry) {
    if (key.is_list_of_keys) {
        std::string keys(entry.value.rest());
        std::replace(keys.begin(), keys.end(), ',', ' ');
        return keys;
    }
    const bool is_entry = key.instead.find('=') != std::string_view::npos;
    const bool takes_value = key.instead.ends_with('=');
    if (takes_value) return fmt::format("{}{}", key.instead, entry.value.rest());
    if (key.word.empty() || is_entry) return std::string(key.instead);
    std::string value;
    for (const std::string& one : pieces_of(entry.value.rest())) {
        std::string kept = one;
        if (is_word(one, key.word)) {
            kept = key.instead.empty() ? "" : one;
            if (!kept.empty()) kept.replace(0, key.word.size(), key.instead);
        }
        if (!kept.empty()) value += (value.empty() ? "" : ",") + kept;
    }
    return value.empty() ? "" : fmt::format("{}={}", entry.key.rest(), value);
}

std::string retired_token(const RetiredKey& key) {
    return key.word.empty() ? std::string(key.name) : fmt::format("{}={}", key.name, key.word);
}

std::string what_becomes_of(const RetiredKey& key, Release release) {
    const std::string version = version_of(release);
    std::string text;
    switch (key.fate) {
        case Fate::ignored:
            text = fmt::format("Slurm {} ignores it", version);
            break;
        case Fate::moved:
            text = fmt::format("Slurm {} asks for its new name", version);
            break;
        case Fate::refused:
            text = fmt::format("Slurm {} does not start with it", version);
            break;
        case Fate::later:
            text = fmt::format("no value of Slurm {}, which does not start with it ({})", version,
                               to_text(key.releases));
            break;
    }
    if (!key.beside.empty()) text += fmt::format(" beside {}", key.beside);
    return text;
}

std::string expected_instead(const RetiredKey& key) {
    return key.is_list_of_keys ? "what is in it as keys of the line" : std::string(key.instead);
}

/// A line of a file, and the entry in it.
std::string line_without(std::string line, const ConfEntry& entry, const std::string& mended) {
    const std::size_t start = entry.key.offset();
    if (start > line.size() ||
        !std::string_view(line).substr(start).starts_with(entry.key.rest())) {
        return "";
    }
    std::size_t end = entry.value.offset() + entry.value.rest().size();
    if (end < line.size() && line[end] == '"') ++end;
    if (end > line.size()) return "";
    const bool is_alone = line.find_first_not_of(" \t", end) == std::string::npos &&
                          line.find_first_not_of(" \t") == start;
    if (mended.empty() && is_alone) return "# " + line;
    if (mended.empty()) end = std::min(line.find_first_not_of(" \t", end), line.size());
    line.replace(start, end - start, mended);
    return line.substr(0, line.find_last_not_of(" \t") + 1);
}

}  // namespace

std::vector<RetiredEntry> retired_keys(ConfFileKind kind, std::string_view text, Release release,
                                       const ConfFiles& files) {
    const std::string_view name = kind == ConfFileKind::slurm_conf ? "slurm.conf" : "cgroup.conf";
    std::vector<std::pair<RetiredEntry, const RetiredKey*>> found;
    std::vector<std::string> all;   // keys of the file
    std::vector<ConfError> errors;  // the reader's
    for_each_conf_line(name, text, files, errors, [&](const ConfLine& line) {
        for (const ConfEntry& entry : line.entries) {
            all.push_back(words::lower(entry.key.rest()));
            for (const RetiredKey& key : retired_rows(kind)) {
                const bool is_later = key.fate == Fate::later;
                if (includes(key.releases, release) == is_later || !is_about_entry(key, entry))
                    continue;
                const ConfPlace place = line.place_of(entry);
                std::string source(place.file == name ? line_at(text, place.line) : "");
                found.push_back(
                    {{place, entry.key.offset(), is_later || key.fate == Fate::refused,
                      retired_token(key), what_becomes_of(key, release), expected_instead(key),
                      line_without(std::move(source), entry, mended_entry(key, entry))},
                     &key});
                break;
            }
        }
    });
    std::vector<RetiredEntry> entries;
    for (auto& [entry, key] : found) {
        const bool is_meant =
            key->beside.empty() ||
            std::find(all.begin(), all.end(), words::lower(key->beside)) != all.end();
        if (is_meant) entries.push_back(std::move(entry));
    }
    return entries;
}

}  // namespace trestle::slurm
