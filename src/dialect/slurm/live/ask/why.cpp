// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/live/why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "asker.hpp"
#include "changes.hpp"
#include "node_counts.hpp"
#include "start_text.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/job_report.hpp"

namespace trestle::slurm {
namespace {

std::string node_rows_text(const WhyAnswer& answer) {
    if (!answer.nodes) return fmt::format("nodes are not counted: {}\n", answer.not_counted);
    const Explanation& nodes = *answer.nodes;
    std::string text;
    if (nodes.fits) {
        text += "another choice of nodes would start it; that of Slurm finds none\n";
    } else {
        text += fmt::format("binding constraint: {}\n", nodes.why);
    }
    return text + counts_text(nodes);
}

std::string waits_text(const StartAnswer& start) {
    if (!start.may_ever_start) {
        const std::string then = why_text(start.on_idle);
        const bool is_same = then == why_text(start.now);
        return fmt::format("never starts as it is, not even on the idle cluster{}{}\n",
                           is_same ? "" : ": ", is_same ? "" : then);
    }
    if (!start.starts_in) return "waits for jobs that have no time limit\n";
    return fmt::format("waits for {}, at most {}\n", jobs_text(start.waits_for),
                       duration_text(*start.starts_in));
}

std::string reasons_text(const WhyAnswer& answer) {
    std::string text = fmt::format("does not start: {}\n{}{}", why_text(answer.start.now),
                                   node_rows_text(answer), waits_text(answer.start));
    if (answer.changes.empty()) text += "no change that was tried would start it now\n";
    for (const JobChange& change : answer.changes) {
        text += fmt::format("would start now: {}\n", change.text);
    }
    if (!answer.nodes) return text;
    for (const Explanation::Relaxation& change : answer.nodes->relaxations) {
        if (change.kind != Explanation::Relaxation::Kind::repair) continue;
        text += fmt::format("would start: {}\n", change.text);
    }
    return text;
}

/// True for reasons of Slurm's that end when nodes are free and the job has its turn.
bool is_about_nodes(std::string_view reason) {
    return reason.empty() || reason == "None" || reason == "Resources" || reason == "Priority";
}

}  // namespace

WhyAnswer why(const LiveCluster& live, const Submission& job, std::vector<std::string> words) {
    WhyAnswer answer;
    const TypedJob typed{std::move(words), job};
    answer.start = where(live, job);
    if (!is_started(answer.start.now)) {
        auto nodes = explain_nodes(live.controller, job, answer.start.now);
        if (nodes.ok()) {
            answer.nodes = *std::move(nodes);
        } else {
            answer.not_counted = message(nodes.status());
        }
        Asker asker(live);
        answer.changes = nearest_changes(asker, typed);
    }
    answer.words = typed.words;
    return answer;
}

StatusOr<WhyAnswer> why(const LiveCluster& live, std::uint64_t id) {
    const auto found = std::find_if(live.jobs.begin(), live.jobs.end(),
                                    [&](const LiveJob& job) { return job.id == id; });
    if (found == live.jobs.end()) {
        return not_found("job {}: not among the {} jobs of the live state", id, live.jobs.size());
    }
    if (found->state != "PENDING") return invalid_argument("job {}: it is {}", id, found->state);
    auto job = parse_submission({found->options, {}, ""});
    if (!job.ok()) return with_context(fmt::format("job {}", id), job.status());
    WhyAnswer answer = why(live, *job, found->options);
    answer.known_as = fmt::format("job {} ({}): Slurm says {}", id, found->name, found->reason);
    if (!is_about_nodes(found->reason)) answer.held_by = found->reason;
    return answer;
}

std::string to_text(const WhyAnswer& answer) {
    std::string text;
    if (!answer.known_as.empty()) text += answer.known_as + "\n";
    if (!answer.words.empty()) text += joined_words(answer.words) + "\n";
    if (!is_started(answer.start.now)) return text + reasons_text(answer);
    if (answer.held_by.empty()) return text + to_text(answer.start);
    return text + fmt::format(
                      "does not start: nodes are free for it, and Slurm waits for something "
                      "else: {}\n",
                      answer.held_by);
}

std::string to_json_text(const WhyAnswer& answer) {
    json::Object object = start_json(answer.start);
    if (!answer.held_by.empty()) object.push_back({"held_by", json::to_value(answer.held_by)});
    object.insert(object.begin(), {"why", json::to_value(why_text(answer.start.now))});
    if (answer.nodes) {
        object.push_back({"binding", json::to_value(answer.nodes->why)});
        object.push_back({"removed", json::to_value(answer.nodes->removed)});
        object.push_back({"fitting", json::to_value(answer.nodes->fitting)});
        object.push_back({"relaxations", json::to_value(answer.nodes->relaxations)});
    }
    json::List changes;
    for (const JobChange& change : answer.changes) changes.push_back(json::to_value(change.text));
    object.push_back({"changes", {std::move(changes)}});
    return json::print({std::move(object)});
}

}  // namespace trestle::slurm
