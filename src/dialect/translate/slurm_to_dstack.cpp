// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/translate/slurm_to_dstack.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../dstack/spec_reader.hpp"
#include "../words.hpp"
#include "base/join.hpp"
#include "lost_options.hpp"
#include "node_needs.hpp"
#include "task_draft.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/options/resolve.hpp"
#include "trestle/dialect/slurm/script/print_options.hpp"

namespace trestle::translate {
namespace {

// What each option does to the draft. Amounts are in it already; these say what of the option is
// not.

void take_nodes(TaskDraft& draft, const OptionText& option) {
    const auto& nodes = draft.options.nodes;
    if (nodes && nodes->range.is_single() && nodes->sizes.size() < 2) return;
    draft.change(option, "a task has one number of nodes: the least");
}

void take_tasks(TaskDraft& draft, const OptionText& option) {
    if (draft.needs.tasks == Count(1)) return;
    if (draft.has_open_nodes()) draft.change(option, one_node);
    const Count counted = draft.options.overcommit ? Count(1) : draft.needs.tasks;
    draft.change(option, fmt::format("dstack starts no tasks: {} a node count as CPUs, and the "
                                     "commands have to start {}",
                                     counted,
                                     counted == draft.needs.tasks
                                         ? std::string("them")
                                         : fmt::format("{} a node", draft.needs.tasks)));
}

void take_cpus(TaskDraft& draft, const OptionText& option) {
    if (!draft.needs.cpus) draft.drop(option, "the CPUs of a node are more than can be counted");
}

void take_memory(TaskDraft& draft, const OptionText& option) {
    if (draft.options.mem_per_gpu == Bytes(0)) return;  // Slurm takes it for nothing said
    if (draft.needs.memory && draft.needs.memory->is_zero()) {
        return draft.change(option, "all memory of a node is no amount: any will do");
    }
    if (draft.needs.memory) return;
    draft.drop(option, "the memory of a node is more than can be counted");
}

void take_disk(TaskDraft& draft, const OptionText&) {
    const Bytes disk = *draft.options.tmp;
    if (!disk.is_zero()) draft.run.resources.disk = draft.amount(disk);
}

void lose_other_devices(TaskDraft& draft, const OptionText& option, const std::vector<Gres>& list) {
    for (const Gres& one : list) {
        const bool is_taken =
            one.name == "gpu" || (draft.needs.gpus.is_shared && slurm::is_shared_gres(one.name));
        if (is_taken) continue;
        draft.losses.push_back({LossKind::dropped, "--" + option.name, to_text(one),
                                "dstack knows no devices but GPUs"});
    }
}

void take_gres(TaskDraft& draft, const OptionText& option) {
    take_gpus(draft, option);
    lose_other_devices(draft, option, *draft.options.gres);
}

void take_task_tres(TaskDraft& draft, const OptionText& option) {
    take_gpus(draft, option);
    const slurm::TaskTres& tres = *draft.options.tres_per_task;
    if (tres.cpus) take_cpus(draft, option);
    lose_other_devices(draft, option, tres.gres);
    for (const ClusterCount& one : tres.licenses) {
        draft.losses.push_back({LossKind::dropped, "--" + option.name, "license/" + to_text(one),
                                std::string(why_option_is_lost("licenses"))});
    }
}

void take_gpus_per_socket(TaskDraft& draft, const OptionText& option) {
    take_gpus(draft, option);
    draft.change(option, why_option_is_lost("gpus-per-socket"));
}

void take_partitions(TaskDraft& draft, const OptionText&) {
    draft.run.profile.fleets = draft.options.partitions;
}

void take_time(TaskDraft& draft, const OptionText&) {
    const auto limit = draft.options.time->limit;
    draft.run.profile.max_duration =
        limit ? dstack::DurationLimit{false, *limit} : dstack::DurationLimit{true, {}};
}

void take_exclusive(TaskDraft& draft, const OptionText& option) {
    if (draft.options.exclusive != slurm::ExclusiveKind::whole_node) {
        return draft.drop(option, "a run shares instances with no run, or with any run");
    }
    draft.change(option,
                 "all devices of the node come with it: dstack gives those that are asked for");
    if (Count(1) < draft.needs.nodes) return;  // distributed runs take whole instances
    draft.lose(LossKind::note, option,
               "an instance is a run's alone unless the fleet cuts it into blocks");
}

void take_requeue(TaskDraft& draft, const OptionText& option) {
    dstack::Retry retry;
    if (draft.options.requeue != slurm::Requeue::no) {
        retry.on_events = {dstack::RetryEvent::interruption};
        draft.lose(LossKind::note, option,
                   "dstack tries for an hour, and counts a node that is not reached as an error");
    }
    if (draft.options.requeue == slurm::Requeue::expedite) {
        draft.change(option, "dstack gives a run that is tried again no preference");
    }
    draft.run.profile.retry = std::move(retry);
}

bool is_env_name(std::string_view name) {
    const auto is_good = [](char c) {
        return words::is_letter(c) || words::is_digit(c) || c == '_';
    };
    return !name.empty() && !words::is_digit(name.front()) &&
           std::all_of(name.begin(), name.end(), is_good);
}

/// Of entries with one name the last, each in its place.
std::vector<dstack::EnvEntry> last_of_names(std::vector<dstack::EnvEntry> entries) {
    std::set<std::string> seen;
    std::reverse(entries.begin(), entries.end());
    std::erase_if(entries,
                  [&](const dstack::EnvEntry& one) { return !seen.insert(one.name).second; });
    std::reverse(entries.begin(), entries.end());
    return entries;
}

void take_export(TaskDraft& draft, const OptionText& option) {
    const slurm::ExportedVariables& exported = *draft.options.exported;
    if (exported.base == slurm::ExportBase::all) {
        draft.losses.push_back({LossKind::note, "--" + option.name, "ALL",
                                "dstack passes on only the variables that env names"});
    }
    std::vector<dstack::EnvEntry> entries;
    for (const std::string& variable : exported.variables) {
        const std::size_t equals = variable.find('=');
        dstack::EnvEntry entry{variable.substr(0, equals), std::nullopt};
        if (equals != std::string::npos) entry.value = variable.substr(equals + 1);
        if (!is_env_name(entry.name)) {
            draft.losses.push_back({LossKind::dropped, "--" + option.name, variable,
                                    "names have letters, digits and underscores"});
            continue;
        }
        entries.push_back(std::move(entry));
    }
    draft.run.env = last_of_names(std::move(entries));
}

void take_container(TaskDraft& draft, const OptionText& option) {
    draft.carry("image", dstack::quoted_yaml(draft.options.container));
    draft.change(option, "Slurm names the folder of a bundle, dstack an image in a registry");
}

/// Names of runs match ^[a-z][a-z0-9-]{1,40}$ (dstack, core/services/__init__.py).
std::string run_name(std::string_view name) {
    constexpr std::size_t length_max = 41;
    std::string result;
    for (const char c : name.substr(0, length_max)) {
        const bool is_good = words::is_letter(c) || words::is_digit(c);
        if (result.empty() && !words::is_letter(c)) result = "job-";
        if (is_good || !result.ends_with('-')) result += is_good ? words::lower(c) : '-';
    }
    result.resize(std::min(result.size(), length_max));
    return result.size() < 2 ? "job-" + result : result;
}

void take_name(TaskDraft& draft, const OptionText& option) {
    const std::string given = option.value.value_or("");
    draft.run.name = run_name(given);
    if (draft.run.name == given) return;
    draft.change(option, "names of runs have small letters, digits and dashes: " + draft.run.name);
}

void take_folder(TaskDraft& draft, const OptionText& option) {
    auto& passthrough = draft.run.passthrough;
    std::erase_if(passthrough,
                  [](const dstack::PassthroughKey& one) { return one.name == "working_dir"; });
    draft.carry("working_dir", dstack::quoted_yaml(option.value.value_or("")));
}

/// In add_commands.
void take_nothing(TaskDraft&, const OptionText&) {}

struct OptionRule {
    std::string_view name;
    void (*take)(TaskDraft&, const OptionText&);
};
constexpr std::array<OptionRule, 28> option_rules{{
    {"chdir", take_folder},
    {"container", take_container},
    {"cpus-per-gpu", take_cpus},
    {"cpus-per-task", take_cpus},
    {"exclusive", take_exclusive},
    {"export", take_export},
    {"gpus", take_gpus},
    {"gpus-per-node", take_gpus},
    {"gpus-per-socket", take_gpus_per_socket},
    {"gpus-per-task", take_gpus},
    {"gres", take_gres},
    {"job-name", take_name},
    {"mem", take_memory},
    {"mem-per-cpu", take_memory},
    {"mem-per-gpu", take_memory},
    {"mincpus", take_cpus},
    {"no-requeue", take_requeue},
    {"nodes", take_nodes},
    {"ntasks", take_tasks},
    {"ntasks-per-gpu", take_tasks},
    {"ntasks-per-node", take_tasks},
    {"partition", take_partitions},
    {"requeue", take_requeue},
    {"time", take_time},
    {"tmp", take_disk},
    {"tres-per-task", take_task_tres},
    {"workdir", take_folder},  // --chdir of old
    {"wrap", take_nothing},
}};

void take_options(TaskDraft& draft, const std::vector<OptionText>& said) {
    for (const OptionText& option : said) {
        const auto rule =
            std::find_if(option_rules.begin(), option_rules.end(),
                         [&](const OptionRule& one) { return one.name == option.name; });
        if (rule != option_rules.end()) {
            rule->take(draft, option);
        } else {
            draft.drop(option, why_option_is_lost(option.name));
        }
    }
}

/// `--gres=none`, `--gpus=0`: said, unlike nothing.
bool asks_no_gpus(const slurm::JobOptions& said) {
    const auto is_none = [](const std::optional<std::vector<Gres>>& list) {
        return list && list->empty();
    };
    return is_none(said.gres) || is_none(said.gpus) || is_none(said.gpus_per_node);
}

/// As many nodes as a run can have, and what became of those that were said.
void set_nodes(TaskDraft& draft, const slurm::ResolvedOptions& resolved) {
    const auto change = [&](std::string_view option, std::string value, std::string why) {
        draft.losses.push_back(
            {LossKind::changed, std::string(option), std::move(value), std::move(why)});
    };
    const Count most(dstack::run_nodes_limit);
    if (resolved.nodes_before) {
        change("--nodes", to_text(resolved.nodes_before->range),
               "a node has a task or more: there are as many nodes as tasks");
    }
    draft.run.nodes = std::min(draft.needs.nodes, most);
    if (!(most < draft.needs.nodes)) return;
    const bool is_said = resolved.options.nodes.has_value();
    change(is_said ? "--nodes" : "--ntasks",
           fmt::format("{}", is_said ? draft.needs.nodes : *resolved.options.ntasks),
           fmt::format("a run has {} nodes at most", most));
}

void set_amounts(TaskDraft& draft, const slurm::JobOptions& said) {
    dstack::Resources& resources = draft.run.resources;
    resources = dstack::Resources::unconstrained();
    // One task of one CPU is what Slurm takes when nothing is said.
    const bool asks_cpus = said.cpus_per_task || said.mincpus || draft.needs.cpus != Count(1);
    if (asks_cpus && draft.needs.cpus) resources.cpu.count = draft.amount(*draft.needs.cpus);
    if (draft.needs.memory && !draft.needs.memory->is_zero()) {
        resources.memory = draft.amount(*draft.needs.memory);
    }
    if (draft.needs.gpus.option.empty() && !asks_no_gpus(said)) return;
    resources.gpu = dstack::GpuSpec();
    resources.gpu->count = Range<Count>::exactly(draft.needs.gpus.count);
}

/// Tasks that follow from other options only.
void add_derived_tasks(TaskDraft& draft, const slurm::JobOptions& said) {
    if (said.ntasks || said.ntasks_per_node || said.ntasks_per_gpu) return;
    const auto& tasks = draft.options.ntasks;
    take_tasks(draft, {"ntasks", fmt::format("{}", tasks.value_or(draft.needs.tasks))});
}

void add_queue(TaskDraft& draft) {
    if (!draft.rules.queue_for) return;
    auto& retry = draft.run.profile.retry;
    if (!retry) retry.emplace();
    retry->on_events.insert(retry->on_events.begin(), dstack::RetryEvent::no_capacity);
    retry->duration = *draft.rules.queue_for;
}

}  // namespace

StatusOr<TaskTranslation> to_dstack(const slurm::BatchScript& script, const SlurmToDstack& rules) {
    const auto& components = script.submission.components;
    if (components.empty()) return invalid_argument("submission: no component: expected 1 or more");
    const slurm::JobOptions& said = components.front().options;
    TRESTLE_TRY(const slurm::ResolvedOptions resolved, slurm::resolve(said));
    TaskDraft draft{resolved.options, rules, node_needs(resolved.options), {}, {}};
    set_nodes(draft, resolved);
    set_amounts(draft, said);
    take_options(draft, slurm::option_texts(said));
    add_derived_tasks(draft, said);
    add_queue(draft);
    add_commands(draft, script);
    for (std::size_t i = 1; i < components.size(); ++i) {
        std::vector<std::string> words = slurm::option_arguments(components[i].options);
        for (const std::string& word : components[i].command) words.push_back(shell_word(word));
        draft.losses.push_back({LossKind::dropped, fmt::format("component {}", i + 1),
                                trestle::detail::join(words, " "), "all nodes of a run are alike"});
    }
    return TaskTranslation{std::move(draft.run), std::move(draft.losses)};
}

StatusOr<TaskTranslation> to_dstack(const slurm::Submission& submission,
                                    const SlurmToDstack& rules) {
    return to_dstack(slurm::BatchScript{{}, submission, {}}, rules);
}

}  // namespace trestle::translate
