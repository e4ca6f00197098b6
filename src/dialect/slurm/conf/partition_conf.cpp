// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/conf/partition_conf.hpp"

#include <array>
#include <limits>

#include "line_readers.hpp"
#include "shared_keys.hpp"
#include "trestle/dialect/slurm/quantities.hpp"

namespace trestle::slurm {
namespace {

constexpr std::uint64_t u16_limit = 65'536;
constexpr std::uint64_t count_limit = std::uint64_t{1} << 31;

ValueErrors set_partition_name(PartitionDraft& draft, TextCursor text) {
    draft.is_default = words::same_word(text.rest(), "DEFAULT");
    if (draft.is_default) return std::nullopt;
    if (text.rest().find(',') != std::string_view::npos) {
        return text.error("several partitions", "one name");
    }
    return read_word(text, draft.line.name);
}

ValueErrors set_partition_nodes(PartitionDraft& draft, TextCursor text) {
    draft.line.nodes = {};
    draft.line.has_all_nodes = words::same_word(text.rest(), "ALL");
    if (draft.line.has_all_nodes || text.at_end()) return std::nullopt;
    return read_hostlist(text, draft.line.nodes);
}

ValueErrors set_partition_state(PartitionDraft& draft, TextCursor text) {
    using enum Partition::State;
    constexpr std::array<Word<Partition::State>, 5> states{
        {{"UP", up}, {"DOWN", down}, {"DRAIN", drain}, {"DRAINED", drain}, {"INACTIVE", inactive}}};
    return read_choice(text, draft.line.state, states, "state");
}

ValueErrors set_default_time(PartitionDraft& draft, TextCursor text) {
    draft.line.default_time.reset();
    if (words::same_word(text.rest(), "NONE")) return std::nullopt;
    return read_duration(text, draft.line.default_time);
}

/// `NO`, `EXCLUSIVE`, `YES[:n]`, `FORCE[:n]`.
ValueErrors set_oversubscribe(PartitionDraft& draft, TextCursor text) {
    using enum Partition::OverSubscribe;
    constexpr std::array<Word<Partition::OverSubscribe>, 4> answers{
        {{"NO", no}, {"YES", yes}, {"FORCE", force}, {"EXCLUSIVE", exclusive}}};
    const std::size_t offset = text.offset();
    PartitionLine& line = draft.line;
    line.jobs_per_resource = 4;
    ValueErrors errors = read_choice(TextCursor(text.take_until(":"), offset), line.oversubscribe,
                                     answers, "answer");
    const TextCursor tail = text;
    if (!text.accept(':')) return errors;
    if (!errors && (line.oversubscribe == no || line.oversubscribe == exclusive)) {
        return tail.error("a number of jobs where none share", "YES:4 or FORCE:4");
    }
    if (errors) {
        errors.add(read_whole(text, line.jobs_per_resource, {0, u16_limit / 2}));
        return errors;
    }
    const std::uint64_t least = line.oversubscribe == yes ? 2 : 1;
    auto count_errors = read_whole(text, line.jobs_per_resource, {least, u16_limit / 2});
    TextCursor digits = text;
    const auto number = digits.take_number();
    if (count_errors && (!number || *number < least)) {
        count_errors.mend("OverSubscribe=NO");
        line.oversubscribe = no;
        line.jobs_per_resource = 4;
    }
    return count_errors;
}

/// `NODE`, `USER`, `TOPO`: which jobs may share a node, as of 26.05.
ValueErrors set_exclusive(PartitionDraft& draft, TextCursor text) {
    constexpr std::array<Word<int>, 4> kinds{{{"NODE", 0}, {"USER", 1}, {"TOPO", 2}, {"NO", 3}}};
    return for_each_piece(text, "NODE, USER or TOPO", [&](TextCursor word) -> ValueErrors {
        int kind = 3;
        if (auto errors = read_choice(word, kind, kinds, "Exclusive")) return errors;
        if (kind == 0) draft.line.oversubscribe = Partition::OverSubscribe::exclusive;
        if (kind == 1) draft.line.is_user_exclusive = true;
        if (kind == 2) draft.line.is_topology_exclusive = true;
        return std::nullopt;
    });
}

ValueErrors set_grace_time(PartitionDraft& draft, TextCursor text) {
    std::int64_t seconds = 0;
    auto error = read_whole(text, seconds, {0, count_limit});
    draft.line.grace_time = Seconds(seconds);
    return error;
}

/// Slurm looks less closely here than at the cluster's.
ValueErrors set_over_time(PartitionDraft& draft, TextCursor text) {
    TextCursor digits = text;
    const bool is_below_zero = digits.accept('-');
    const auto number = digits.take_number();
    const bool is_number = number && digits.at_end();
    const std::string_view expected = "minutes from 0 to 65535 or UNLIMITED";
    if (is_number && is_below_zero) {
        return MendedError{text.error("a number below zero", std::string(expected)),
                           "what holds without it"};
    }
    if (is_number && *number >= u16_limit) {
        draft.line.over_time_limit = Seconds::max();
        return MendedError{text.error("too many minutes", std::string(expected)),
                           "OverTimeLimit=UNLIMITED"};
    }
    Seconds time;
    auto error = read_over_time(text, time);
    draft.line.over_time_limit = time;
    return error;
}

ValueErrors set_billing(PartitionDraft& draft, TextCursor text) {
    const auto weights = read_billing_weights(text);
    if (!weights) return weights.error();
    draft.line.billing = *weights;
    return std::nullopt;
}

template <std::size_t I>
constexpr Key<PartitionDraft> job_default_key() {
    return {job_default_names[I], [](PartitionDraft& draft, TextCursor text) {
                return read_job_default(job_default_names[I], text, draft.line.defaults);
            }};
}

using Draft = PartitionDraft;
constexpr std::array<Key<PartitionDraft>, 49> partition_keys{{
    {"PartitionName", &set_partition_name},
    {"Nodes", &set_partition_nodes},
    {"Default", [](Draft& d, TextCursor t) { return read_yes_no(t, d.line.is_default); }},
    {"State", &set_partition_state},
    {"MinNodes",
     [](Draft& d, TextCursor t) {
         return read_whole(t, d.line.min_nodes, {0, count_limit});
     }},
    {"MaxNodes",
     [](Draft& d, TextCursor t) {
         return read_limit(t, d.line.max_nodes, {0, count_limit});
     }},
    {"MaxTime", [](Draft& d, TextCursor t) { return read_duration(t, d.line.max_time); }},
    {"DefaultTime", &set_default_time},
    {"MaxCPUsPerNode",
     [](Draft& d, TextCursor t) {
         return read_limit(t, d.line.max_cpus_per_node, {1, count_limit});
     }},
    {"MaxCPUsPerSocket",
     [](Draft& d, TextCursor t) {
         return read_limit(t, d.line.max_cpus_per_socket, {1, count_limit});
     },
     known_since("23.02")},
    job_default_key<0>(),
    job_default_key<1>(),
    job_default_key<2>(),
    job_default_key<3>(),
    job_default_key<4>(),
    job_default_key<5>(),
    {"JobDefaults", [](Draft& d, TextCursor t) { return read_job_defaults(t, d.line.defaults); }},
    {"OverSubscribe", &set_oversubscribe},
    {"Shared", &set_oversubscribe},
    {"Exclusive", &set_exclusive, known_since("26.05")},
    {"ExclusiveUser",
     [](Draft& d, TextCursor t) { return read_yes_no(t, d.line.is_user_exclusive); }},
    {"ExclusiveTopo",
     [](Draft& d, TextCursor t) { return read_yes_no(t, d.line.is_topology_exclusive); },
     known_since("24.05")},
    {"LLN", [](Draft& d, TextCursor t) { return read_yes_no(t, d.line.takes_least_loaded); }},
    {"PriorityTier",
     [](Draft& d, TextCursor t) {
         return read_whole(t, d.line.priority_tier, {0, u16_limit});
     }},
    {"PriorityJobFactor",
     [](Draft& d, TextCursor t) {
         return read_whole(t, d.line.priority_job_factor, {0, u16_limit});
     }},
    {"Priority",  // of old: both
     [](Draft& d, TextCursor t) {
         auto error = read_whole(t, d.line.priority_tier, {0, u16_limit});
         d.line.priority_job_factor = d.line.priority_tier;
         return error;
     }},
    {"PreemptMode",
     [](Draft& d, TextCursor t) { return read_preempt_modes(t, d.line.preempt_modes); }},
    {"GraceTime", &set_grace_time},
    {"OverTimeLimit", &set_over_time},
    {"TRESBillingWeights", &set_billing},
    {"Topology", [](Draft& d, TextCursor t) { return read_word(t, d.line.topology); },
     known_since("25.05")},
    {"QOS", [](Draft& d, TextCursor t) { return read_word(t, d.line.qos); }},
    {"AllocNodes", nullptr},
    {"AllowAccounts", nullptr},
    {"AllowGroups", nullptr},
    {"AllowQos", nullptr},
    {"Alternate", nullptr},
    {"CpuBind", nullptr},
    {"DenyAccounts", nullptr},
    {"DenyQos", nullptr},
    {"DisableRootJobs", nullptr},
    {"Hidden", nullptr},
    {"PowerDownOnIdle", nullptr, known_since("23.02")},
    {"ReqResv", nullptr},
    {"ResumeTimeout", nullptr},
    {"RootOnly", nullptr},
    {"SelectTypeParameters", nullptr},
    {"SuspendTime", nullptr},
    {"SuspendTimeout", nullptr},
}};

/// What one key alone cannot tell.
ValueErrors settle_partition(PartitionLine& line) {
    ValueErrors errors;
    if (line.max_nodes && *line.max_nodes < line.min_nodes) {
        errors.add(MendedError{
            {0, "MaxNodes", "MaxNodes below MinNodes", std::to_string(line.min_nodes) + " or more"},
            "both, so no job fits"});
    }
    if (line.max_time && line.default_time && *line.max_time < *line.default_time) {
        errors.add(MendedError{{0, "DefaultTime", "DefaultTime above MaxTime", "at most MaxTime"},
                               "DefaultTime=NONE"});
        line.default_time.reset();
    }
    return errors;
}

}  // namespace

ValueErrors read_job_default(std::string_view key, TextCursor text, JobDefaults& defaults) {
    constexpr std::uint64_t most = std::uint64_t{1} << 43;
    if (words::same_word(key, "DefCpuPerGPU")) {
        return read_limit(text, defaults.cpus_per_gpu, {1, count_limit});
    }
    constexpr std::array<std::optional<Bytes> JobDefaults::*, 5> members{
        &JobDefaults::memory_per_cpu, &JobDefaults::memory_per_node, &JobDefaults::memory_per_gpu,
        &JobDefaults::max_memory_per_cpu, &JobDefaults::max_memory_per_node};
    std::optional<Count> mebibytes;
    auto error = read_limit(text, mebibytes, {0, most});
    for (std::size_t i = 0; i < members.size() && !error; ++i) {
        if (!words::same_word(job_default_names[i], key)) continue;
        defaults.*members[i] = mib(mebibytes.value_or(Count()).value());
    }
    // Of per CPU and per node one counts: a line that says one takes back what DEFAULT said of the
    // other.
    if (words::same_word(key, "DefMemPerCPU")) defaults.memory_per_node.reset();
    if (words::same_word(key, "DefMemPerNode")) defaults.memory_per_cpu.reset();
    if (words::same_word(key, "MaxMemPerCPU")) defaults.max_memory_per_node.reset();
    if (words::same_word(key, "MaxMemPerNode")) defaults.max_memory_per_cpu.reset();
    return error;
}

ValueErrors read_job_defaults(TextCursor text, JobDefaults& defaults) {
    constexpr std::string_view expected = "DefCpuPerGPU=n or DefMemPerGPU=n, joined by commas";
    return for_each_piece(text, expected, [&](TextCursor piece) -> ValueErrors {
        const TextCursor start = piece;
        const std::string_view key = piece.take_until("=");
        if (!piece.accept('=') ||
            !(words::same_word(key, "DefCpuPerGPU") || words::same_word(key, "DefMemPerGPU"))) {
            return start.error("unknown default", expected);
        }
        return read_job_default(key, piece, defaults);
    });
}

ValueErrors read_preempt_modes(TextCursor text, std::vector<PreemptMode>& modes) {
    using enum PreemptMode;
    constexpr std::array<Word<PreemptMode>, 7> known{{{"OFF", off},
                                                      {"CANCEL", cancel},
                                                      {"GANG", gang},
                                                      {"REQUEUE", requeue},
                                                      {"SUSPEND", suspend},
                                                      {"WITHIN", within},
                                                      {"PRIORITY", priority}}};
    modes.clear();
    return for_each_piece(text, "modes joined by commas", [&](TextCursor piece) -> ValueErrors {
        if (modes.size() > known.size()) return std::nullopt;
        PreemptMode mode = off;
        auto error = read_choice(piece, mode, known, "PreemptMode");
        modes.push_back(mode);
        if (modes.size() > known.size()) error.add(piece.error("too many modes", "each once"));
        return error;
    });
}

ValueErrors read_duration(TextCursor text, std::optional<Seconds>& time) {
    if (text.rest() == "-1") {
        time.reset();
        return std::nullopt;
    }
    const auto limit = read_time(text);
    if (!limit) return limit.error();
    time = *limit;
    return std::nullopt;
}

ValueErrors read_over_time(TextCursor text, Seconds& time) {
    std::optional<Count> minutes;
    auto error = read_limit(text, minutes, {0, u16_limit});
    if (!error) time = minutes ? Seconds(minutes->value() * 60) : Seconds::max();
    return error;
}

KnownReleases releases_of_partition_key(std::string_view key) {
    return releases_of_key(partition_keys, key);
}

void PartitionLineReader::read(const ConfLine& source, std::vector<PartitionLine>& lines,
                               std::vector<ConfError>& errors) {
    PartitionDraft draft = defaults_;
    if (!apply_keys(source, partition_keys, draft, errors)) return;
    if (draft.is_default) {
        defaults_ = std::move(draft);
        defaults_.is_default = false;
        return;
    }
    draft.line.place = source.place();
    add_errors_at_keys(source, settle_partition(draft.line), errors);
    lines.push_back(std::move(draft.line));
}

}  // namespace trestle::slurm
