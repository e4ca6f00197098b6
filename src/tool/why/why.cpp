// SPDX-License-Identifier: Apache-2.0

// `trestle why`: why a job does not start, what of the request would have to change, which jobs it
// waits for, and whether it can ever start.

#include <fmt/format.h>
#include <CLI/App.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../call/command.hpp"
#include "../call/output.hpp"
#include "../site/job_words.hpp"
#include "../site/site.hpp"
#include "../site/start.hpp"
#include "../site/start_text.hpp"
#include "changes.hpp"
#include "node_counts.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/job_report.hpp"

namespace trestle::tool {
namespace {

struct WhyOptions {
    SiteOptions site;
    bool is_json = false;
};

/// All that there is to say of a job that does not start now.
struct Reasons {
    StartAnswer start;
    StatusOr<Explanation> nodes;
    std::vector<Change> changes;
};

std::string nodes_text(const StatusOr<Explanation>& nodes) {
    if (!nodes.ok()) return fmt::format("nodes are not counted: {}\n", message(nodes.status()));
    std::string text;
    if (nodes->fits) {
        text += "another choice of nodes would start it; that of Slurm finds none\n";
    } else {
        text += fmt::format("binding constraint: {}\n", nodes->why);
    }
    for (const ConstraintCount& row : nodes->removed) {
        text += fmt::format("{:>6} node{} removed by {}: {}\n", row.nodes.value(),
                            row.nodes == Count(1) ? " " : "s", row.constraint, row.example);
    }
    return text + fmt::format("{:>6} node{} left\n", nodes->fitting.value(),
                              nodes->fitting == Count(1) ? " " : "s");
}

std::string waits_text(const StartAnswer& start) {
    if (!start.may_ever_start) {
        const std::string then = why_text(start.on_idle);
        const bool is_same = then == why_text(start.now);
        return fmt::format("{} as it is, not even on the idle cluster{}{}\n",
                           coloured("never starts", Tone::bad), is_same ? "" : ": ",
                           is_same ? "" : then);
    }
    if (!start.starts_in) return "waits for jobs that have no time limit\n";
    return fmt::format("waits for {}, at most {}\n", jobs_text(start.waits_for),
                       slurm::duration_text(*start.starts_in));
}

void print_reasons(const Reasons& reasons) {
    fmt::print("{}: {}\n{}{}", coloured("does not start", Tone::bad), why_text(reasons.start.now),
               nodes_text(reasons.nodes), waits_text(reasons.start));
    if (reasons.changes.empty()) fmt::print("no change that was tried would start it now\n");
    for (const Change& change : reasons.changes) {
        fmt::print("{}: {}\n", coloured("would start now", Tone::good), change.text);
    }
    if (!reasons.nodes.ok()) return;
    for (const PlaceRelaxation& change : reasons.nodes->relaxations) {
        if (change.kind != PlaceChangeKind::repair) continue;
        fmt::print("{}: {}\n", coloured("would start", Tone::good), change.text);
    }
}

void print_reasons_json(const Reasons& reasons, const std::string& held_by) {
    json::Object object = start_json(reasons.start);
    if (!held_by.empty()) object.push_back({"held_by", json::to_value(held_by)});
    object.insert(object.begin(), {"why", json::to_value(why_text(reasons.start.now))});
    if (reasons.nodes.ok()) {
        object.push_back({"binding", json::to_value(reasons.nodes->why)});
        object.push_back({"removed", json::to_value(reasons.nodes->removed)});
        object.push_back({"fitting", json::to_value(reasons.nodes->fitting)});
        object.push_back({"relaxations", json::to_value(reasons.nodes->relaxations)});
    }
    json::List changes;
    for (const Change& change : reasons.changes) changes.push_back(json::to_value(change.text));
    object.push_back({"changes", {std::move(changes)}});
    print_json({std::move(object)});
}

/// True for the number of a job.
bool is_number(const std::vector<std::string>& words) {
    return words.size() == 1 && !words.front().empty() &&
           words.front().find_first_not_of("0123456789") == std::string::npos;
}

/// The job that is asked about, as one that could be submitted.
struct AskedJob {
    TypedJob job;
    std::string said;     ///< what Slurm says of a job that waits; empty: it is only typed
    std::string held_by;  ///< Slurm's reason, where it is about something else than nodes
};

/// True for reasons of Slurm's that end when nodes are free and the job has its turn.
bool is_about_nodes(std::string_view reason) {
    return reason.empty() || reason == "None" || reason == "Resources" || reason == "Priority";
}

/// The options of a waiting job of the live state.
StatusOr<AskedJob> job_of_number(const Site& site, const std::string& number) {
    for (const slurm::LiveJob& job : site.jobs) {
        if (std::to_string(job.id) != number) continue;
        if (job.has_nodes()) return invalid_argument("job {}: it is {}", number, job.state);
        if (job.state != "PENDING") return invalid_argument("job {}: it is {}", number, job.state);
        auto typed = job_of_known_words(job.words);
        if (!typed.ok()) return with_context("job " + number, typed.status());
        return AskedJob{*std::move(typed),
                        fmt::format("job {} ({}): Slurm says {}", number, job.name, job.reason),
                        is_about_nodes(job.reason) ? "" : job.reason};
    }
    if (site.jobs.empty()) {
        return invalid_argument("job {}: no live state, expected --cluster live or --state",
                                number);
    }
    return not_found("job {}: not among the {} jobs of the live state", number, site.jobs.size());
}

StatusOr<AskedJob> asked_job(const Site& site, std::vector<std::string> words,
                             const slurm::KnownOptions& known) {
    if (is_number(words)) return job_of_number(site, words.front());
    TRESTLE_TRY(TypedJob job, job_of_words(std::move(words), known));
    return AskedJob{std::move(job), "", ""};
}

StatusOr<int> why(const WhyOptions& options, const std::vector<std::string>& words) {
    TRESTLE_TRY(const slurm::KnownOptions known, known_options(options.site.plugin_options));
    if (words.empty()) return job_of_words(words, known).status();
    TRESTLE_TRY(const Site site, read_site(options.site));
    TRESTLE_TRY(const AskedJob asked, asked_job(site, words, known));
    const TypedJob& job = asked.job;
    Reasons reasons{find_start(site, job.submission), Explanation{}, {}};
    const bool starts = is_started(reasons.start.now);
    if (!starts) {
        Asker asker(site);
        reasons.nodes = explain_nodes(site.controller, job.submission, reasons.start.now);
        reasons.changes = nearest_changes(asker, job);
    }
    const bool is_held = starts && !asked.held_by.empty();
    if (options.is_json) {
        print_reasons_json(reasons, asked.held_by);
    } else {
        if (!asked.said.empty()) fmt::print("{}\n", asked.said);
        fmt::print("{}\n", joined_words(job.words));
        if (is_held) {
            fmt::print("{}: nodes are free for it, and Slurm waits for something else: {}\n",
                       coloured("does not start", Tone::bad), asked.held_by);
        } else if (starts) {
            fmt::print("{}", start_text(reasons.start));
        } else {
            print_reasons(reasons);
        }
    }
    return starts && !is_held ? exit_yes : exit_no;
}

}  // namespace

void add_why(CLI::App& program, Call& call) {
    auto* const command = program.add_subcommand(
        "why", "Says why a job does not start, and which change of it would start it");
    const auto options = std::make_shared<WhyOptions>();
    set_usage(*command, "why [OPTION...] [--] JOBID | OPTION OF SBATCH... [SCRIPT]");
    command->footer(
        "JOBID is that of a job that waits in the live state. Each change was tried: with it the "
        "job\n"
        "starts now.\n"
        "Exit status: 0 if it starts now; 1 if not; 2 bad input.");
    command->allow_extras();
    add_site_options(*command, options->site);
    command->add_flag("--json", options->is_json, "Print the answer as JSON");
    command->callback(
        [options, command, &call] { call.result = why(*options, words_of(*command, call)); });
}

}  // namespace trestle::tool
