// SPDX-License-Identifier: Apache-2.0
#include "option_table.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "grammars.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/quantities.hpp"

namespace trestle::slurm {
namespace {

using OptionFault = std::optional<TextError>;

constexpr OptionValue no_value = OptionValue::none;
constexpr OptionValue needs_value = OptionValue::required;
constexpr OptionValue may_have_value = OptionValue::optional;

template <auto Member, auto Read>
OptionFault set(JobOptions& options, TextCursor text) {
    auto value = Read(text);
    if (!value) return value.error();
    options.*Member = *std::move(value);
    return std::nullopt;
}

/// The same where an empty value says nothing.
template <auto Member, auto Read>
OptionFault set_or_clear(JobOptions& options, TextCursor text) {
    if (!text.at_end()) return set<Member, Read>(options, text);
    options.*Member = {};
    return std::nullopt;
}

template <auto Member>
OptionFault set_flag(JobOptions& options, TextCursor) {
    options.*Member = true;
    return std::nullopt;
}

/// Names may be compared one by one later, so there are fewer than a list of its own may have.
/// Commas without a name between, and blanks beside names, say nothing.
TextResult<Hostlist> read_hostlist(TextCursor text) {
    std::string names;
    for (TextCursor rest = text; !rest.at_end(); rest.accept(',')) {
        rest.skip_blanks();
        std::string_view name = rest.take_until(",");
        name = name.substr(0, name.find_last_not_of(" \t") + 1);
        if (!name.empty()) names += (names.empty() ? "" : ",") + std::string(name);
    }
    if (names.size() != text.rest().size()) text = TextCursor(names, text.offset());
    return Hostlist::read(text, {.max_names = 1'000'000, .max_runs = option_list_max});
}

OptionFault set_gres(JobOptions& options, TextCursor text) {
    if (text.at_end()) {
        options.gres.reset();
        return std::nullopt;
    }
    if (!words::same_word(text.rest(), "none"))
        return set<&JobOptions::gres, read_gres>(options, text);
    options.gres.emplace();
    return std::nullopt;
}

OptionFault set_dependency(JobOptions& options, TextCursor text) {
    if (text.rest() == "0") text = TextCursor("");  // none
    return set_or_clear<&JobOptions::dependency, read_dependencies>(options, text);
}

/// The last of several, but nomultithread goes before others.
OptionFault set_hint(JobOptions& options, TextCursor text) {
    bool is_single_threaded = false;
    do {
        const TextCursor word = take_piece(text, ",");
        const auto hint = enum_of_word<Hint>(word.rest());
        if (!hint) {
            return word.error("unknown hint",
                              "compute_bound, memory_bound, multithread or nomultithread");
        }
        is_single_threaded = is_single_threaded || hint == Hint::nomultithread;
        options.hint = is_single_threaded ? Hint::nomultithread : hint;
    } while (text.accept(','));
    return std::nullopt;
}

/// Commas alone name no node.
OptionFault set_exclude(JobOptions& options, TextCursor text) {
    if (text.rest().find_first_not_of(", ") == std::string_view::npos) text = TextCursor("");
    return set_or_clear<&JobOptions::exclude, read_hostlist>(options, text);
}

/// As sbatch reads it: nothing between commas says nothing, an item may stand in brackets, a blank
/// or a plus before a number, and a limit ends with its digits. Without a number there is no array.
OptionFault set_array(JobOptions& options, TextCursor text) {
    std::string said;
    TextCursor list = take_piece(text, "%");
    for (; !list.at_end(); list.accept(',')) {
        list.skip_blanks();
        std::string item(list.take_until(","));
        if (item.starts_with('[')) item.erase(0, 1);
        if (item.ends_with(']')) item.pop_back();
        if (item.starts_with('+')) item.erase(0, 1);
        if (const std::size_t plus = item.find("-+"); plus != item.npos) item.erase(plus + 1, 1);
        if (!item.empty()) said += (said.empty() ? "" : ",") + item;
    }
    if (said.empty()) {
        options.array.reset();
        return std::nullopt;
    }
    text.accept('%');
    const std::string_view limit = text.take_while(words::is_digit);
    if (!limit.empty() && limit.size() < 10) said += "%" + std::string(limit);
    return set<&JobOptions::array, read_array>(options, TextCursor(said));
}

/// `-B sockets[:cores[:threads]]`. A part may be missing, and what stands behind the third is
/// passed over.
OptionFault set_extra_node_info(JobOptions& options, TextCursor text) {
    constexpr std::array members{&JobOptions::sockets_per_node, &JobOptions::cores_per_socket,
                                 &JobOptions::threads_per_core};
    if (text.at_end()) return std::nullopt;
    for (const auto member : members) {
        const TextCursor piece = take_piece(text, ":");
        text.accept(':');
        options.*member = {};
        if (piece.at_end()) continue;
        const auto part = read_hardware_count(piece);
        if (!part) return part.error();
        options.*member = *part;
    }
    options.has_extra_node_info = true;
    return std::nullopt;
}

/// A slash makes it the path of a file.
OptionFault set_nodelist(JobOptions& options, TextCursor text) {
    if (text.rest().find('/') == std::string_view::npos) {
        return set<&JobOptions::nodelist, read_hostlist>(options, text);
    }
    options.nodefile = text.rest();
    return std::nullopt;
}

template <auto Member>
OptionFault set_core_kind(JobOptions& options, TextCursor text) {
    options.*Member = enum_of_word<Core::Kind>(text.rest());
    if (options.*Member) return std::nullopt;
    return text.error("unknown kind of core", "performance or efficiency");
}

OptionFault set_no_requeue(JobOptions& options, TextCursor) {
    options.requeue = Requeue::no;
    return std::nullopt;
}

OptionFault set_overlap(JobOptions& options, TextCursor text) {
    options.overlap = text.rest();
    return std::nullopt;
}

constexpr std::array<OptionRow, 195> rows{{
    {"accel-bind", '\0', needs_value, of_srun, nullptr},
    {"account", 'A', needs_value, of_all, nullptr},
    {"acctg-freq", '\0', needs_value, of_all, nullptr},
    {"array", 'a', needs_value, of_sbatch, &set_array},
    {"async", '\0', no_value, of_srun, nullptr, known_since("26.05")},
    {"autocomplete", '\0', needs_value, of_all, nullptr, known_since("23.02")},
    {"batch", '\0', needs_value, of_sbatch, nullptr},
    {"bb", '\0', needs_value, of_all, nullptr},
    {"bbf", '\0', needs_value, of_all, nullptr, known_since("17.02")},
    {"bcast", '\0', may_have_value, of_srun, nullptr},
    {"bcast-exclude", '\0', needs_value, of_srun, nullptr},
    {"begin", 'b', needs_value, of_all, &set<&JobOptions::begin, read_begin>},
    {"bell", '\0', no_value, of_salloc, nullptr},
    {"blrts-image", '\0', needs_value, of_all, nullptr, known_until("20.11")},
    {"chdir", 'D', needs_value, of_all, nullptr},
    {"checkpoint", '\0', needs_value, of_all, nullptr, known_until("20.11")},
    {"checkpoint-dir", '\0', needs_value, of_all, nullptr, known_until("20.11")},
    {"cluster", '\0', needs_value, of_all, nullptr},
    {"cluster-constraint", '\0', needs_value, of_all, nullptr},
    {"clusters", 'M', needs_value, of_all, nullptr},
    {"cnload-image", '\0', needs_value, of_all, nullptr, known_until("20.11")},
    {"comment", '\0', needs_value, of_all, nullptr},
    {"compress", '\0', may_have_value, of_srun, nullptr},
    {"conn-type", '\0', needs_value, of_all, nullptr, known_until("20.11")},
    {"consolidate-segments", '\0', no_value, of_all, &set_flag<&JobOptions::consolidate_segments>,
     known_since("25.11")},
    {"constraint", 'C', needs_value, of_all,
     &set_or_clear<&JobOptions::constraint, read_constraint>},
    {"container", '\0', needs_value, of_all, &set_or_clear<&JobOptions::container, read_text>},
    {"container-id", '\0', needs_value, of_all, nullptr, known_since("23.02")},
    {"container-type", '\0', needs_value, of_all, nullptr, known_since("26.05")},
    {"context", '\0', needs_value, of_all, nullptr},
    {"contiguous", '\0', no_value, of_all, &set_flag<&JobOptions::contiguous>},
    {"core", '\0', needs_value, of_srun, nullptr, known_until("17.02")},
    {"core-kind", '\0', needs_value, of_all, &set_core_kind<&JobOptions::core_kind>, {}, true},
    {"core-spec", 'S', needs_value, of_all,
     &set_or_clear<&JobOptions::core_spec, read_zero_or_more>},
    {"cores-per-socket", '\0', needs_value, of_all,
     &set<&JobOptions::cores_per_socket, read_hardware_count>},
    {"cpu-bind", '\0', needs_value, of_srun, &set<&JobOptions::cpu_bind, read_cpu_bind>},
    {"cpu-freq", '\0', needs_value, of_all, nullptr},
    {"cpu_bind", '\0', needs_value, of_srun, &set<&JobOptions::cpu_bind, read_cpu_bind>},
    {"cpus-per-gpu", '\0', needs_value, of_all, &set<&JobOptions::cpus_per_gpu, read_one_or_more>,
     known_since("19.05")},
    {"cpus-per-task", 'c', needs_value, of_all, &set<&JobOptions::cpus_per_task, read_one_or_more>},
    {"deadline", '\0', needs_value, of_all, nullptr},
    {"debugger-test", '\0', no_value, of_srun, nullptr},
    {"delay-boot", '\0', needs_value, of_all, nullptr, known_since("17.02")},
    {"dependency", 'd', needs_value, of_all, &set_dependency},
    {"disable-status", 'X', no_value, of_srun, nullptr},
    {"distribution", 'm', needs_value, of_all, &set<&JobOptions::distribution, read_task_order>},
    {"epilog", '\0', needs_value, of_srun, nullptr},
    {"error", 'e', needs_value, of_sbatch | of_srun, nullptr},
    {"exact", '\0', no_value, of_srun, &set_flag<&JobOptions::exact>},
    {"exclude", 'x', needs_value, of_all, &set_exclude},
    {"exclusive", '\0', may_have_value, of_all, &set<&JobOptions::exclusive, read_exclusive>},
    {"export", '\0', needs_value, of_sbatch | of_srun,
     &set_or_clear<&JobOptions::exported, read_export>},
    {"export-file", '\0', needs_value, of_sbatch, nullptr},
    {"external", '\0', no_value, of_sbatch, nullptr, known_since("25.05")},
    {"external-launcher", '\0', may_have_value, of_srun, nullptr, known_since("23.11")},
    {"extra", '\0', needs_value, of_all, nullptr, known_since("23.02")},
    {"extra-node-info", 'B', needs_value, of_all, &set_extra_node_info},
    {"geometry", 'g', needs_value, of_all, nullptr, known_until("20.11")},
    {"get-user-env", '\0', may_have_value, of_sbatch | of_salloc, nullptr},
    {"gid", '\0', needs_value, of_all, nullptr},
    {"gpu-bind", '\0', needs_value, of_all, &set<&JobOptions::tres_bind, read_gpu_bind>,
     known_since("19.05")},
    {"gpu-freq", '\0', needs_value, of_all, &set<&JobOptions::gpu_freq, read_gpu_frequency>,
     known_since("19.05")},
    {"gpus", 'G', needs_value, of_all, &set_or_clear<&JobOptions::gpus, read_gpus>,
     known_since("19.05")},
    {"gpus-per-node", '\0', needs_value, of_all, &set<&JobOptions::gpus_per_node, read_gpus>,
     known_since("19.05")},
    {"gpus-per-socket", '\0', needs_value, of_all, &set<&JobOptions::gpus_per_socket, read_gpus>,
     known_since("19.05")},
    {"gpus-per-task", '\0', needs_value, of_all, &set<&JobOptions::gpus_per_task, read_gpus>,
     known_since("19.05")},
    {"gres", '\0', needs_value, of_all, &set_gres},
    {"gres-flags", '\0', needs_value, of_all,
     &set_or_clear<&JobOptions::gres_flags, read_gres_flags>},
    {"help", 'h', no_value, of_all, nullptr},
    {"het-group", '\0', needs_value, of_srun, nullptr},
    {"hint", '\0', needs_value, of_all, &set_hint},
    {"hold", 'H', no_value, of_all, nullptr},
    {"ignore-pbs", '\0', no_value, of_sbatch, nullptr},
    {"ignore-signals", '\0', needs_value, of_srun, nullptr, known_since("26.05")},
    {"immediate", 'I', may_have_value, of_salloc | of_srun, nullptr},
    {"input", 'i', needs_value, of_sbatch | of_srun, nullptr},
    {"interactive", '\0', no_value, of_srun, nullptr},
    {"ioload-image", '\0', needs_value, of_all, nullptr, known_until("20.11")},
    {"job-name", 'J', needs_value, of_all, nullptr},
    {"jobid", '\0', needs_value, of_srun, nullptr},
    {"kill-command", 'K', may_have_value, of_salloc, nullptr},
    {"kill-on-bad-exit", 'K', may_have_value, of_srun, nullptr},
    {"kill-on-invalid-dep", '\0', needs_value, of_sbatch, nullptr},
    {"label", 'l', no_value, of_srun, nullptr},
    {"launch-cmd", '\0', no_value, of_srun, nullptr, known_until("20.11")},
    {"launcher-opts", '\0', needs_value, of_srun, nullptr, known_until("20.11")},
    {"licenses", 'L', needs_value, of_all, &set_or_clear<&JobOptions::licenses, read_licenses>},
    {"linux-image", '\0', needs_value, of_all, nullptr, known_until("20.11")},
    {"mail-type", '\0', needs_value, of_all, nullptr},
    {"mail-user", '\0', needs_value, of_all, nullptr},
    {"max-exit-timeout", '\0', needs_value, of_srun, nullptr, known_until("17.02")},
    {"max-launch-time", '\0', needs_value, of_srun, nullptr, known_until("17.02")},
    {"mcs-label", '\0', needs_value, of_all, nullptr},
    {"mem", '\0', needs_value, of_all, &set<&JobOptions::mem, read_memory>},
    {"mem-bind", '\0', needs_value, of_all, &set<&JobOptions::mem_bind, read_mem_bind>},
    {"mem-per-cpu", '\0', needs_value, of_all, &set<&JobOptions::mem_per_cpu, read_memory>},
    {"mem-per-gpu", '\0', needs_value, of_all, &set<&JobOptions::mem_per_gpu, read_memory>,
     known_since("19.05")},
    {"mem-update", '\0', needs_value, of_all, nullptr, known_since("26.05")},
    {"mem_bind", '\0', needs_value, of_all, &set<&JobOptions::mem_bind, read_mem_bind>,
     known_until("20.11")},
    {"mincores", '\0', needs_value, of_all,
     &set<&JobOptions::cores_per_socket, read_hardware_count>, known_until("19.05")},
    {"mincpus", '\0', needs_value, of_all, &set<&JobOptions::mincpus, read_one_or_more>},
    {"minsockets", '\0', needs_value, of_all,
     &set<&JobOptions::sockets_per_node, read_hardware_count>, known_until("19.05")},
    {"minthreads", '\0', needs_value, of_all,
     &set<&JobOptions::threads_per_core, read_hardware_count>, known_until("19.05")},
    {"mloader-image", '\0', needs_value, of_all, nullptr, known_until("20.11")},
    {"mpi", '\0', needs_value, of_srun, nullptr},
    {"msg-timeout", '\0', needs_value, of_srun, nullptr},
    {"multi-prog", '\0', no_value, of_srun, nullptr},
    {"network", '\0', needs_value, of_all, nullptr},
    {"nice", '\0', may_have_value, of_all, nullptr},
    {"no-allocate", 'Z', no_value, of_srun, nullptr},
    {"no-bell", '\0', no_value, of_salloc, nullptr},
    {"no-kill", 'k', may_have_value, of_all, nullptr},
    {"no-requeue", '\0', no_value, of_sbatch, &set_no_requeue},
    {"no-rotate", 'R', no_value, of_all, nullptr, known_until("20.11")},
    {"no-shell", '\0', no_value, of_salloc, nullptr},
    {"nodefile", 'F', needs_value, of_all, &set<&JobOptions::nodefile, read_text>},
    {"nodelist", 'w', needs_value, of_all, &set_nodelist},
    {"nodes", 'N', needs_value, of_all, &set<&JobOptions::nodes, read_node_counts>},
    {"ntasks", 'n', needs_value, of_all, &set<&JobOptions::ntasks, read_one_or_more>},
    {"ntasks-per-core", '\0', needs_value, of_all,
     &set<&JobOptions::ntasks_per_core, read_one_or_more>},
    {"ntasks-per-gpu", '\0', needs_value, of_all,
     &set<&JobOptions::ntasks_per_gpu, read_one_or_more>},
    {"ntasks-per-node", '\0', needs_value, of_all,
     &set<&JobOptions::ntasks_per_node, read_one_or_more>},
    {"ntasks-per-socket", '\0', needs_value, of_all,
     &set<&JobOptions::ntasks_per_socket, read_one_or_more>},
    {"ntasks-per-tres", '\0', needs_value, of_all,
     &set<&JobOptions::ntasks_per_gpu, read_one_or_more>},
    {"oom-kill-step", '\0', may_have_value, of_all,
     &set<&JobOptions::oom_kill_step, read_switch_value>, known_since("24.11")},
    {"open-mode", '\0', needs_value, of_sbatch | of_srun, nullptr},
    {"output", 'o', needs_value, of_sbatch | of_srun, nullptr},
    {"overcommit", 'O', no_value, of_all, &set_flag<&JobOptions::overcommit>},
    {"overlap", '\0', may_have_value, of_srun, &set_overlap},
    {"oversubscribe", 's', no_value, of_all, &set_flag<&JobOptions::oversubscribe>},
    {"pack-group", '\0', needs_value, of_srun, nullptr},
    {"parsable", '\0', no_value, of_sbatch | of_srun, nullptr},
    {"partition", 'p', needs_value, of_all, &set_or_clear<&JobOptions::partitions, read_names>},
    {"power", '\0', needs_value, of_all, nullptr, known_until("23.11")},
    {"prefer", '\0', needs_value, of_all, &set_or_clear<&JobOptions::prefer, read_constraint>,
     known_since("22.05")},
    {"preferred-core-kind",
     '\0',
     needs_value,
     of_all,
     &set_core_kind<&JobOptions::preferred_core_kind>,
     {},
     true},
    {"preserve-env", 'E', no_value, of_srun, nullptr},
    {"priority", '\0', needs_value, of_all, nullptr},
    {"profile", '\0', needs_value, of_all, nullptr},
    {"prolog", '\0', needs_value, of_srun, nullptr},
    {"propagate", '\0', may_have_value, of_sbatch | of_srun,
     &set<&JobOptions::propagate, read_propagate>},
    {"pty", '\0', may_have_value, of_srun, nullptr},
    {"qos", 'q', needs_value, of_all, nullptr},
    {"quiet", 'Q', no_value, of_all, nullptr},
    {"quit-on-interrupt", '\0', no_value, of_srun, nullptr},
    {"ramdisk-image", '\0', needs_value, of_all, nullptr, known_until("20.11")},
    {"reboot", '\0', no_value, of_all, nullptr},
    {"relative", 'r', needs_value, of_srun, nullptr},
    {"requeue", '\0', may_have_value, of_sbatch, &set<&JobOptions::requeue, read_requeue>},
    {"reservation", '\0', needs_value, of_all,
     &set_or_clear<&JobOptions::reservations, read_names>},
    {"resources", '\0', needs_value, of_all, nullptr, known_since("25.05")},
    {"restart-dir", '\0', needs_value, of_srun, nullptr, known_until("20.11")},
    {"resv-ports", '\0', may_have_value, of_srun, nullptr},
    {"resv-ports", '\0', may_have_value, of_salloc | of_sbatch, nullptr, known_since("24.05")},
    {"runjob-opts", '\0', needs_value, of_srun, nullptr, known_until("17.02")},
    {"runtime", '\0', needs_value, of_all, nullptr, known_since("26.11")},
    {"segment", '\0', needs_value, of_all, &set_or_clear<&JobOptions::segment, read_zero_or_more>,
     known_since("24.05")},
    {"send-libs", '\0', may_have_value, of_srun, nullptr},
    {"share", '\0', no_value, of_all, &set_flag<&JobOptions::oversubscribe>, known_until("15.08")},
    {"sicp", '\0', no_value, of_all, nullptr, known_until("16.05")},
    {"signal", '\0', needs_value, of_all, &set<&JobOptions::signal, read_signal>},
    {"slurmd-debug", '\0', needs_value, of_srun, nullptr},
    {"sockets-per-node", '\0', needs_value, of_all,
     &set<&JobOptions::sockets_per_node, read_hardware_count>},
    {"spread-job", '\0', no_value, of_all, &set_flag<&JobOptions::spread_job>,
     known_since("17.02")},
    {"spread-segments", '\0', no_value, of_all, &set_flag<&JobOptions::spread_segments>,
     known_since("25.11")},
    {"stepmgr", '\0', no_value, of_all, nullptr, known_since("24.05")},
    {"switches", '\0', needs_value, of_all, &set<&JobOptions::switches, read_switches>},
    {"task-epilog", '\0', needs_value, of_srun, nullptr},
    {"task-prolog", '\0', needs_value, of_srun, nullptr},
    {"tasks-per-node", '\0', needs_value, of_all,
     &set<&JobOptions::ntasks_per_node, read_one_or_more>},
    {"test-only", '\0', no_value, of_sbatch | of_srun, nullptr},
    {"thread-spec", '\0', needs_value, of_all, &set<&JobOptions::thread_spec, read_zero_or_more>},
    {"threads", 'T', needs_value, of_srun, nullptr},
    {"threads-per-core", '\0', needs_value, of_all,
     &set<&JobOptions::threads_per_core, read_hardware_count>},
    {"time", 't', needs_value, of_all, &set<&JobOptions::time, read_time_limit>},
    {"time-min", '\0', needs_value, of_all, &set<&JobOptions::time_min, read_time_limit>},
    {"tmp", '\0', needs_value, of_all, &set<&JobOptions::tmp, read_memory>},
    {"treewidth", '\0', needs_value, of_srun, nullptr, known_since("23.11")},
    {"tres-bind", '\0', needs_value, of_all, &set_or_clear<&JobOptions::tres_bind, read_tres_bind>,
     known_since("23.02")},
    {"tres-per-task", '\0', needs_value, of_all,
     &set_or_clear<&JobOptions::tres_per_task, read_task_tres>, known_since("23.02")},
    {"uid", '\0', needs_value, of_all, nullptr},
    {"unbuffered", 'u', no_value, of_srun, nullptr},
    {"usage", '\0', no_value, of_all, nullptr},
    {"use-min-nodes", '\0', no_value, of_all, &set_flag<&JobOptions::use_min_nodes>},
    {"verbose", 'v', no_value, of_all, nullptr},
    {"version", 'V', no_value, of_all, nullptr},
    {"wait", 'W', no_value, of_sbatch, nullptr},
    {"wait", 'W', needs_value, of_srun, nullptr},
    {"wait-all-nodes", '\0', needs_value, of_salloc | of_sbatch, nullptr},
    {"wait-for-children", '\0', no_value, of_srun, nullptr, known_since("25.05")},
    {"wckey", '\0', needs_value, of_all, nullptr},
    {"whole", '\0', no_value, of_srun, &set_flag<&JobOptions::whole>},
    {"workdir", '\0', needs_value, of_sbatch, nullptr, known_until("17.11")},
    {"wrap", '\0', needs_value, of_sbatch, nullptr},
    {"x11", '\0', may_have_value, of_salloc | of_srun, nullptr},
}};

constexpr auto words_of_options = std::to_array<OptionWord>({
    {"exclusive", "topo", known_since("24.05")},
    {"gpu-bind", "map:", known_since("24.11"), true},
    {"gpu-bind", "mask:", known_since("24.11"), true},
    {"gres-flags", "allow-task-sharing", known_since("23.11")},
    {"gres-flags", "multiple-tasks-per-sharing", known_since("23.11")},
    {"gres-flags", "one-task-per-sharing", known_since("23.11")},
    {"gpus", "=", known_since("24.11"), true},
    {"gres", "=", known_since("24.11"), true},
    {"gres", "gres/", known_since("24.11"), true},
    {"licenses", "=", known_since("24.11"), true},
    {"licenses", "|", known_since("25.05"), true},
    {"nodes", ",", known_since("24.11"), true},
    {"nodes", ":", known_since("24.11"), true},
    {"requeue", "expedite", known_since("26.05")},
});

constexpr bool is_named_before(const OptionRow& a, const OptionRow& b) { return a.name < b.name; }
static_assert(std::is_sorted(rows.begin(), rows.end(), is_named_before));

constexpr std::uint8_t bit_of(Tool tool) {
    switch (tool) {
        case Tool::sbatch:
            return of_sbatch;
        case Tool::srun:
            return of_srun;
        case Tool::salloc:
            return of_salloc;
    }
    return of_all;
}

/// By letter and tool: where it stands in `rows`, or their end.
using LetterTable = std::array<std::uint8_t, 128>;
constexpr LetterTable letters_of(Tool tool) {
    LetterTable table{};
    for (std::uint8_t& place : table) place = rows.size();
    for (const bool is_own : {false, true}) {
        for (std::size_t i = rows.size(); i-- > 0;) {
            if (rows[i].letter == '\0' || ((rows[i].tools & bit_of(tool)) != 0) != is_own) continue;
            table[static_cast<std::size_t>(rows[i].letter)] = static_cast<std::uint8_t>(i);
        }
    }
    return table;
}
constexpr std::array<LetterTable, 3> letters{letters_of(Tool::sbatch), letters_of(Tool::srun),
                                             letters_of(Tool::salloc)};
static_assert(rows.size() < 255);

}  // namespace

StatusOr<PluginOption> parse_plugin_option(std::string_view text) {
    constexpr std::string_view dashes = "--";
    std::string_view rest = text;
    if (rest.starts_with(dashes)) rest.remove_prefix(dashes.size());
    const std::string_view name = rest.substr(0, rest.find_first_of("=["));
    rest.remove_prefix(name.size());
    if (name.empty() || name.find_first_of(" \t\r\n\v\f]") != name.npos || name.front() == '-' ||
        (rest.starts_with('[') && !(rest.starts_with("[=") && rest.ends_with(']')))) {
        return invalid_argument(
            "plug-in option \"{}\": expected name, name=VALUE or name[=VALUE], as in "
            "container-image=IMAGE",
            text.substr(0, 64));
    }
    PluginOption option{std::string(name), OptionValue::none};
    if (rest.starts_with('=')) option.value = OptionValue::required;
    if (rest.starts_with('[')) option.value = OptionValue::optional;
    return option;
}

std::span<const OptionRow> option_rows() { return rows; }

bool has_option(const OptionRow& row, Tool tool) { return (row.tools & bit_of(tool)) != 0; }

const OptionWord* find_foreign_word(std::string_view option, std::string_view value,
                                    Release release) {
    const auto is_said = [&](const OptionWord& one) {
        if (one.is_sign) return value.find(one.word) != value.npos;
        for (TextCursor text(value); !text.at_end(); text.accept(',')) {
            if (words::same_word(take_piece(text, ",").rest(), one.word)) return true;
        }
        return false;
    };
    const auto at =
        std::find_if(words_of_options.begin(), words_of_options.end(), [&](const OptionWord& one) {
            return one.option == option && !includes(one.releases, release) && is_said(one);
        });
    return at == words_of_options.end() ? nullptr : &*at;
}

FoundOption find_long_option(std::string_view name, Tool tool, std::span<const OptionRow> plugins,
                             std::optional<Release> release) {
    const auto first = std::lower_bound(
        rows.begin(), rows.end(), name,
        [](const OptionRow& row, std::string_view wanted) { return row.name < wanted; });
    FoundOption whole;
    for (auto row = first; row != rows.end() && row->name == name; ++row) {
        if (whole.row == nullptr || has_option(*row, tool)) whole.row = &*row;
    }
    const auto plugin = std::find_if(plugins.begin(), plugins.end(),
                                     [&](const OptionRow& row) { return row.name == name; });
    if (whole.row == nullptr && plugin != plugins.end()) whole.row = &*plugin;
    if (name.empty()) return whole;
    const bool is_foreign =
        release && whole.row != nullptr &&
        (!has_option(*whole.row, tool) || !includes(whole.row->releases, *release));
    if (whole.row != nullptr && !is_foreign) return whole;
    FoundOption found;
    for (auto row = first; row != rows.end() && row->name.starts_with(name); ++row) {
        const bool is_lacking =
            release ? !includes(row->releases, *release) : !row->releases.until.empty();
        const bool is_known_whole = is_lacking || row->is_own;
        if (!has_option(*row, tool) || is_known_whole) continue;
        // Two names of one option are no choice, as for getopt_long.
        const bool is_same = found.row != nullptr && found.row->apply == row->apply &&
                             row->apply != nullptr && found.row->value == row->value;
        if (found.row != nullptr && !is_same) return {nullptr, true};
        found.row = &*row;
    }
    for (const OptionRow& row : plugins) {
        if (!row.name.starts_with(name)) continue;
        if (found.row != nullptr) return {nullptr, true};
        found.row = &row;
    }
    return found.row != nullptr ? found : whole;
}

const OptionRow* find_option_letter(char letter, Tool tool) {
    const auto code = static_cast<unsigned char>(letter);
    const auto& table = letters[static_cast<std::size_t>(tool)];
    if (code >= table.size() || table[code] == rows.size()) return nullptr;
    return &rows[table[code]];
}

}  // namespace trestle::slurm
