// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/choice/show_job.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "../options/resolve/task_cpus.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/job_report.hpp"
#include "trestle/dialect/slurm/tres.hpp"

namespace trestle::slurm {
namespace {

constexpr std::string_view nothing = "(null)";

std::string text_or(std::string text, std::string_view otherwise) {
    return text.empty() ? std::string(otherwise) : text;
}

std::string number_or(const std::optional<Count>& number, std::string_view otherwise) {
    return number ? to_text(*number) : std::string(otherwise);
}

std::string names_text(const std::optional<Hostlist>& names) {
    return text_or(names ? to_text(*names) : std::string(), nothing);
}

std::string job_name(const JobOptions& options) {
    std::string name;
    for (const PassthroughOption& one : options.passthrough) {
        if (one.name == "job-name" && one.value) name = *one.value;
    }
    return text_or(std::move(name), nothing);
}

/// Of all nodes together, by name and type.
std::string job_gres(const Decision& decision) {
    std::vector<Gres> sums;
    for (const NodeGrant& grant : decision.grants) {
        for (const GresDetail& detail : grant.gres) {
            const auto at = std::find_if(sums.begin(), sums.end(), [&](const Gres& one) {
                return one.name == detail.gres.name && one.type == detail.gres.type;
            });
            if (at == sums.end()) {
                sums.push_back(detail.gres);
            } else {
                at->count = saturating_add(at->count, detail.gres.count);
            }
        }
    }
    return text_or(gres_list_text(sums), nothing);
}

std::string licenses_text(const std::optional<LicenseList>& licenses) {
    std::string text;
    if (!licenses) return std::string(nothing);
    for (const ClusterCount& one : licenses->counts) {
        if (!text.empty()) text += licenses->is_any_of ? '|' : ',';
        text += to_text(one);
    }
    return text_or(std::move(text), nothing);
}

std::string features_text(const std::optional<NodeConstraint>& constraint) {
    if (!constraint) return std::string(nothing);
    std::vector<std::string> parts;
    const std::string all = to_text(constraint->features);
    if (!all.empty()) parts.push_back(all);
    for (const FeatureCount& one : constraint->counts) {
        parts.push_back(fmt::format("{}*{}", to_text(one.features), one.nodes.value()));
    }
    std::vector<std::string> choices;
    for (const FeatureExpression& one : constraint->one_of) choices.push_back(to_text(one));
    if (!choices.empty()) parts.push_back(fmt::format("[{}]", fmt::join(choices, "|")));
    return text_or(fmt::format("{}", fmt::join(parts, "&")), nothing);
}

std::string time_text(const std::optional<TimeLimit>& time) {
    return time ? duration_text(time->limit) : "N/A";
}

/// As TRES print it: `1500M`, `62.50G`, `0`.
std::string memory_words(Bytes memory) {
    TresCounts counts;
    counts.set({"mem", ""}, Count(memory.value()));
    return memory.is_zero() ? "0" : tres_text(counts).substr(std::string_view("mem=").size());
}

/// What stands before a GRES.
std::string_view gres_word(Release release) {
    return release == Release::v22_05 ? "gres:" : "gres/";
}

/// `gres/gpu:2,gres/lic:1`, each GRES with the word before it; `between` stands before the count.
std::string tres_words(const std::vector<Gres>& list, Release release, char between = ':') {
    std::string text;
    for (const Gres& one : list) {
        std::string words = gres_list_text(std::vector{one});
        words[words.rfind(':')] = between;
        fmt::format_to(std::back_inserter(text), "{}{}{}", text.empty() ? "" : ",",
                       gres_word(release), words);
    }
    return text;
}

void add_tres(std::string& text, std::string_view key, const std::optional<std::vector<Gres>>& list,
              Release release) {
    if (list && !list->empty()) {
        text += fmt::format("   {}={}\n", key, tres_words(*list, release));
    }
}

/// TresPerTask: of 22.05 the GPUs, later the CPUs too.
std::string tres_of_task(const JobOptions& options, Release release) {
    const std::vector<Gres> gpus = options.gpus_per_task.value_or(std::vector<Gres>());
    if (release == Release::v22_05) return tres_words(gpus, release);
    const std::optional<Count> cpus = task_cpus(options);
    std::vector<Gres> gres = gpus;
    if (options.tres_per_task) {
        const auto& said = options.tres_per_task->gres;
        gres.insert(gres.end(), said.begin(), said.end());
    }
    const std::string words = tres_words(gres, release, '=');
    if (!cpus) return words;
    return fmt::format("cpu={}{}{}", cpus->value(), words.empty() ? "" : ",", words);
}

/// What clients show of the TRES of the job, by what they are counted for.
std::string tres_lines(const Decision& decision) {
    const JobOptions& options = decision.options;
    const Release release = decision.client.release;
    std::string text;
    const auto add_of_gpu = [&](std::string_view key, std::int64_t number) {
        text += fmt::format("   {}={}gpu:{}\n", key, gres_word(release), number);
    };
    if (options.cpus_per_gpu) add_of_gpu("CpusPerTres", options.cpus_per_gpu->value());
    if (decision.client.least_per_gpu) {
        add_of_gpu("MemPerTres", div_ceil(*decision.client.least_per_gpu, mib(1).value()).value());
    }
    add_tres(text, "TresPerJob", options.gpus, release);
    std::vector<Gres> of_node = options.gpus_per_node.value_or(std::vector<Gres>());
    if (options.gres) of_node.insert(of_node.end(), options.gres->begin(), options.gres->end());
    add_tres(text, "TresPerNode", of_node, release);
    add_tres(text, "TresPerSocket", options.gpus_per_socket, release);
    const std::string of_task = tres_of_task(options, release);
    if (!of_task.empty()) text += fmt::format("   TresPerTask={}\n", of_task);
    if (options.ntasks_per_gpu) {
        text += fmt::format("   NtasksPerTRES={}\n", options.ntasks_per_gpu->value());
    }
    return text;
}

/// Exclusive, which clients show from 26.05 on.
std::string_view exclusive_word(const ClientView& client) {
    if (!client.exclusive) return "NO";
    switch (*client.exclusive) {
        case ExclusiveKind::whole_node:
            break;
        case ExclusiveKind::user:
            return "USER";
        case ExclusiveKind::mcs:
            return "MCS";
        case ExclusiveKind::topo:
            return "TOPO";
    }
    return "NODE";
}

std::string sharing_line(const Decision& decision) {
    const ClientView& client = decision.client;
    std::string text = fmt::format("   OverSubscribe={}", trestle::to_text(client.sharing));
    if (client.release >= Release::v26_05)
        text += fmt::format(" Exclusive={}", exclusive_word(client));
    return text + fmt::format(" Contiguous={} Licenses={}\n", decision.options.contiguous ? 1 : 0,
                              licenses_text(decision.options.licenses));
}

std::string least_or_any(const std::optional<Range<Count>>& range) {
    return number_or(range ? range->min : std::nullopt, "*");
}

/// Cores of a socket and threads of a core. A hint says them too.
std::string core_words(const JobOptions& options) {
    const bool is_one_a_core = options.hint && *options.hint != Hint::multithread;
    const bool is_one_a_socket = options.hint == Hint::memory_bound;
    return fmt::format("{}:{}", is_one_a_socket ? "1" : least_or_any(options.cores_per_socket),
                       is_one_a_core ? "1" : least_or_any(options.threads_per_core));
}

std::string shape_lines(const Decision& decision) {
    const JobOptions& options = decision.options;
    const std::size_t nodes = decision.grants.size();
    const Count asked_nodes = decision.req_tres.of({"node", ""});
    std::string text =
        fmt::format("   NumNodes={} NumCPUs={} NumTasks={} CPUs/Task={} ReqB:S:C:T=0:0:{}\n",
                    nodes > 0 ? std::to_string(nodes) : to_text(asked_nodes),
                    cpu_count_of(decision).value(), task_count_of(decision).value(),
                    decision.client.cpus_per_task.value(), core_words(options));
    const std::string asked = text_or(tres_text(decision.req_tres), nothing);
    const std::string given = text_or(tres_text(decision.tres), nothing);
    text += decision.client.release == Release::v22_05
                ? fmt::format("   TRES={}\n", nodes > 0 ? given : asked)
                : fmt::format("   ReqTRES={}\n   AllocTRES={}\n", asked, given);
    text +=
        fmt::format("   Socks/Node={} NtasksPerN:B:S:C={}:0:{}:{} CoreSpec={}\n",
                    least_or_any(options.sockets_per_node), number_or(options.ntasks_per_node, "0"),
                    number_or(options.ntasks_per_socket, "*"),
                    number_or(options.ntasks_per_core, "*"), number_or(options.core_spec, "*"));
    return text;
}

std::string least_line(const Decision& decision) {
    const JobOptions& options = decision.options;
    const Count each = decision.client.cpus_per_task;
    const Count tasks_of_one =
        options.overcommit ? Count(1) : options.ntasks_per_node.value_or(Count(1));
    const std::int64_t tasks = tasks_of_one.value();
    const Count of_tasks =
        checked_mul(each, std::max<std::int64_t>(tasks, 1)).value_or(Count::max());
    std::string text = fmt::format("   MinCPUsNode={}",
                                   std::max(of_tasks, options.mincpus.value_or(Count(1))).value());
    const ClientView& client = decision.client;
    if (client.least_per_cpu) {
        text += " MinMemoryCPU=" + memory_words(*client.least_per_cpu);
    } else if (client.least_per_gpu && client.release != Release::v22_05) {
        text += " MinMemoryTRES=" + memory_words(*client.least_per_gpu);
    } else {
        text += " MinMemoryNode=" + memory_words(client.least_per_node.value_or(Bytes()));
    }
    return text + fmt::format(" MinTmpDiskNode={}\n", memory_words(options.tmp.value_or(Bytes())));
}

}  // namespace

Count cpu_count_of(const Decision& decision) {
    if (decision.answer != Answer::allocated) {
        return decision.req_tres.of({"cpu", ""});
    }
    Count cpus;
    for (const NodeGrant& grant : decision.grants) cpus = saturating_add(cpus, grant.cpus);
    return cpus;
}

Count task_count_of(const Decision& decision) {
    const JobOptions& options = decision.options;
    const Count nodes = decision.req_tres.of({"node", ""});
    const Count said = options.ntasks.value_or(nodes);
    if (decision.answer != Answer::allocated) return said;
    // Of 22.05 each node has its tasks by node, later -n goes before them.
    if (options.ntasks_per_node && decision.client.release != Release::v22_05) return said;
    Count tasks;
    for (const NodePlacement& part : decision.placement.nodes) {
        tasks = saturating_add(tasks, part.tasks);
    }
    return tasks;
}

std::string show_job(const Decision& decision) {
    if (decision.answer == Answer::refused) {
        return decision.message + '\n';
    }
    const JobOptions& options = decision.options;
    const bool runs = decision.answer == Answer::allocated;
    std::string text = fmt::format("JobId={} JobName={}\n",
                                   decision.owner ? decision.owner->value() : 0, job_name(options));
    text += fmt::format("   JobState={} Reason={}\n",
                        trestle::to_text(runs ? State::running : State::pending),
                        trestle::to_text(decision.reason));
    text += fmt::format("   TimeLimit={} TimeMin={}\n", duration_text(decision.client.time.limit),
                        time_text(options.time_min));
    text += fmt::format("   Partition={}\n", decision.partition);
    text += fmt::format("   ReqNodeList={} ExcNodeList={}\n", names_text(options.nodelist),
                        names_text(options.exclude));
    text += fmt::format("   NodeList={}\n",
                        runs ? text_or(node_list_text(decision.grants), nothing) : nothing);
    text += shape_lines(decision);
    if (runs) {
        text += fmt::format("   JOB_GRES={}\n", job_gres(decision));
        for (const std::string& line : grant_lines(decision.grants)) text += "     " + line + '\n';
    }
    text += least_line(decision);
    text += fmt::format("   Features={}\n", features_text(options.constraint));
    text += sharing_line(decision);
    return text + tres_lines(decision);
}

}  // namespace trestle::slurm
