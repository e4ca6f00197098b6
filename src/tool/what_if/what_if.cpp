// SPDX-License-Identifier: Apache-2.0

// `trestle what-if`: which jobs would start sooner, later or not at all, were the cluster another.

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../call/command.hpp"
#include "../call/output.hpp"
#include "../call/progress.hpp"
#include "../site/job_words.hpp"
#include "../site/pods.hpp"
#include "../site/site.hpp"
#include "dialect/slurm/live/ask/start_text.hpp"
#include "edited_site.hpp"
#include "pod_queue.hpp"
#include "queue.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/print.hpp"

namespace trestle::tool {
namespace {

struct WhatIfOptions {
    SiteOptions site;
    SiteEdits edits;
    std::string queue;  ///< a file with the waiting jobs; empty: none
    bool is_json = false;
};

/// What becomes of a job. elsewhere: at the same time on other nodes.
enum class JobChange { same, sooner, elsewhere, later, not_at_all };

constexpr auto enum_names(JobChange) {
    using enum JobChange;
    return std::array{named(same, "same"), named(sooner, "sooner"), named(elsewhere, "elsewhere"),
                      named(later, "later"), named(not_at_all, "not at all")};
}

JobChange change_of(const QueuedStart& before, const QueuedStart& after) {
    if (before.starts_in && !after.starts_in) return JobChange::not_at_all;
    if (!before.starts_in) return after.starts_in ? JobChange::sooner : JobChange::same;
    if (*after.starts_in != *before.starts_in) {
        return *after.starts_in < *before.starts_in ? JobChange::sooner : JobChange::later;
    }
    return before.nodes == after.nodes ? JobChange::same : JobChange::elsewhere;
}

Tone tone_of(JobChange change) {
    if (change == JobChange::not_at_all || change == JobChange::later) return Tone::bad;
    return change == JobChange::sooner ? Tone::good : Tone::doubtful;
}

std::string queued_text(const QueuedStart& start) {
    if (start.starts_in) {
        const std::string when =
            start.starts_in->is_zero() ? "now" : "in " + slurm::duration_text(*start.starts_in);
        return fmt::format("{} on {}", when, start.nodes);
    }
    if (start.may_ever_start) return "not by the ends that are known";
    return "never: " + start.why;
}

StatusOr<std::vector<WaitingJob>> jobs_of_file(const std::string& path,
                                               const slurm::KnownOptions& known) {
    std::vector<WaitingJob> jobs;
    TRESTLE_TRY_STATUS(
        for_each_job(path, known, [&](const std::string& line, slurm::Submission job) {
            jobs.push_back({line, slurm::TypedJob{{line}, std::move(job)}});
            return Status();
        }));
    return jobs;
}

/// Jobs that wait in the live state: those of the numbers, all without any.
StatusOr<std::vector<WaitingJob>> jobs_of_state(const Site& site,
                                                const std::vector<std::string>& numbers) {
    std::vector<WaitingJob> jobs;
    for (const slurm::LiveJob& job : site.live.jobs) {
        const std::string number = std::to_string(job.id);
        const bool is_named = std::count(numbers.begin(), numbers.end(), number) > 0;
        if (job.state != "PENDING" || (!numbers.empty() && !is_named)) continue;
        auto typed = job_of_known_words(job.options);
        if (!typed.ok()) return with_context("job " + number, typed.status());
        jobs.push_back({"job " + number, *std::move(typed)});
    }
    for (const std::string& number : numbers) {
        const bool is_there = std::any_of(jobs.begin(), jobs.end(), [&](const WaitingJob& job) {
            return job.name == "job " + number;
        });
        if (!is_there) return not_found("job {}: no job of this number waits", number);
    }
    if (jobs.empty()) {
        return invalid_argument(
            "no job, expected options of sbatch, --queue, or a live state with jobs that wait");
    }
    return jobs;
}

StatusOr<std::vector<WaitingJob>> jobs_of(const WhatIfOptions& options, const Site& site,
                                          const std::vector<std::string>& words) {
    TRESTLE_TRY(const slurm::KnownOptions known, known_options(options.site.plugin_options));
    const bool are_numbers = std::all_of(words.begin(), words.end(), [](const std::string& word) {
        return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    });
    if (!options.queue.empty()) {
        if (!words.empty()) return invalid_argument("--queue: not together with a job");
        return jobs_of_file(options.queue, known);
    }
    if (are_numbers) return jobs_of_state(site, words);
    TRESTLE_TRY(slurm::TypedJob job, job_of_words(words, known));
    std::vector<WaitingJob> jobs;
    jobs.push_back({slurm::joined_words(job.words), std::move(job)});
    return jobs;
}

json::Value queued_json(const QueuedStart& start) {
    return {json::Object{{"starts_in", json::to_value(start.starts_in)},
                         {"partition", json::to_value(start.partition)},
                         {"nodes", json::to_value(start.nodes)},
                         {"may_ever_start", json::to_value(start.may_ever_start)},
                         {"why", json::to_value(start.why)}}};
}

void print_answer_json(const std::vector<std::string>& names,
                       const std::vector<QueuedStart>& before,
                       const std::vector<QueuedStart>& after,
                       const std::vector<std::string>& problems) {
    json::List rows;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const JobChange change = change_of(before[i], after[i]);
        rows.push_back({json::Object{{"job", json::to_value(names[i])},
                                     {"change", json::to_value(std::string(to_text(change)))},
                                     {"before", queued_json(before[i])},
                                     {"after", queued_json(after[i])}}});
    }
    print_json({json::Object{{"jobs", {std::move(rows)}}, {"problems", json::to_value(problems)}}});
}

void print_answer(const std::vector<std::string>& names, const std::vector<QueuedStart>& before,
                  const std::vector<QueuedStart>& after) {
    std::array<std::size_t, 5> counts{};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const JobChange change = change_of(before[i], after[i]);
        ++counts[static_cast<std::size_t>(change)];
        if (change == JobChange::same) continue;
        fmt::print("{}: {}\n  before: {}\n  after:  {}\n", names[i],
                   coloured(to_text(change), tone_of(change)), queued_text(before[i]),
                   queued_text(after[i]));
    }
    fmt::print("{} job{}: {} sooner, {} elsewhere, {} later, {} not at all, {} the same\n",
               names.size(), names.size() == 1 ? "" : "s", counts[1], counts[2], counts[3],
               counts[4], counts[0]);
}

/// Prints what becomes of each, and returns the exit status.
int print_queue(bool is_json, const std::vector<std::string>& names,
                const std::vector<QueuedStart>& before, const std::vector<QueuedStart>& after,
                const std::vector<std::string>& problems) {
    if (is_json) {
        print_answer_json(names, before, after, problems);
    } else {
        print_answer(names, before, after);
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        const JobChange change = change_of(before[i], after[i]);
        if (change == JobChange::later || change == JobChange::not_at_all) return exit_no;
    }
    return exit_yes;
}

StatusOr<int> what_if(const WhatIfOptions& options, const std::vector<std::string>& words) {
    const SiteEdits& edits = options.edits;
    if (edits.drained.empty() && edits.added.empty() && edits.set.empty()) {
        return invalid_argument("no change, expected --drain, --add or --set");
    }
    if (is_kubernetes(options.site)) {
        TRESTLE_TRY(const PodQueue pods, pod_queue(options.site, edits, options.queue, words));
        return print_queue(options.is_json, pods.names, pods.before, pods.after, pods.problems);
    }
    TRESTLE_TRY(const Site site, read_site(options.site));
    TRESTLE_TRY(const auto jobs, jobs_of(options, site, words));
    TRESTLE_TRY(const Site changed, edited_site(site, edits));
    Progress progress(2);
    progress.next("starting jobs as it is");
    const auto before = queue_starts(site, jobs);
    progress.next("starting jobs on the changed cluster");
    const auto after = queue_starts(changed, jobs);
    progress.hide();
    for (const std::string& problem : changed.live.problems) fmt::print(stderr, "{}\n", problem);
    std::vector<std::string> names;
    for (const WaitingJob& job : jobs) names.push_back(job.name);
    return print_queue(options.is_json, names, before, after, changed.live.problems);
}

}  // namespace

void add_what_if(CLI::App& program, Call& call) {
    auto* const command = program.add_subcommand(
        "what-if", "Says which jobs start sooner, later or not at all on a changed cluster");
    const auto options = std::make_shared<WhatIfOptions>();
    set_usage(*command,
              "what-if [OPTION...] [--] [JOBID... | POD... | OPTION OF SBATCH... [SCRIPT]]");
    command->footer(
        "Without a job, all that wait in the live state are looked at. At each moment the jobs\n"
        "start that can, in their order, and run as long as their limits allow. A pod is\n"
        "NAMESPACE/NAME.\n"
        "Exit status: 0 if no job starts later; 1 if one starts later or not at all; 2 bad input.");
    command->allow_extras();
    add_list(*command, "--drain", options->edits.drained, "Nodes that take no work: n[1-4]",
             "NODES");
    add_list(*command, "--add", options->edits.added,
             "A line of nodes more: 'NodeName=g9 CPUs=64 RealMemory=512000 Gres=gpu:8'; of "
             "Kubernetes nodes like one that is there: gpu-1, '3 x gpu-1'",
             "LINE");
    add_list(*command, "--set", options->edits.set,
             "Other values in slurm.conf: 'PartitionName=gpu MaxTime=60 Nodes+=g9', KEY=VALUE",
             "KEY=VALUE");
    command
        ->add_option("--queue", options->queue,
                     "The jobs that wait, a line each, as `trestle sim` takes them")
        ->type_name("FILE");
    add_site_options(*command, options->site);
    command->add_flag("--json", options->is_json, "Print the answer as JSON");
    command->callback(
        [options, command, &call] { call.result = what_if(*options, words_of(*command, call)); });
}

}  // namespace trestle::tool
