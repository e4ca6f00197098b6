// SPDX-License-Identifier: Apache-2.0
#include "start_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "trestle/base/fmt.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/job_report.hpp"
#include "trestle/dialect/slurm/print.hpp"

namespace trestle::slurm {
namespace {

constexpr std::size_t jobs_named = 10;

std::string when_text(const StartAnswer& answer) {
    if (!answer.starts_in) return "";
    if (answer.starts_in->is_zero()) return "starts now";
    const std::string starts = "starts in " + duration_text(*answer.starts_in);
    if (answer.waits_for.empty()) return starts + ", when a reservation ends,";
    const std::string jobs = jobs_text(answer.waits_for);
    const bool ends_later = std::all_of(
        answer.waits_for.begin(), answer.waits_for.end(),
        [&](const RunningJob& job) { return job.ends_in && *job.ends_in < *answer.starts_in; });
    if (ends_later) return fmt::format("{}, when {} and a reservation have ended,", starts, jobs);
    return fmt::format("{}, when {} end{},", starts, jobs, answer.waits_for.size() == 1 ? "s" : "");
}

json::Value component_json(const Decision& decision) {
    return {json::Object{{"answer", json::to_value(decision.answer)},
                         {"reason", json::to_value(std::string(trestle::to_text(decision.reason)))},
                         {"message", json::to_value(decision.message)},
                         {"partition", json::to_value(decision.partition)},
                         {"nodes", json::to_value(decision.grants)},
                         {"warnings", json::to_value(decision.warnings)}}};
}

}  // namespace

std::string jobs_text(const std::vector<RunningJob>& jobs) {
    std::string text;
    const std::size_t shown = std::min(jobs.size(), jobs_named);
    for (std::size_t i = 0; i < shown; ++i) {
        const bool is_last = i + 1 == jobs.size();
        text += (i == 0 ? "" : is_last ? " and " : ", ") + jobs[i].name;
    }
    if (shown < jobs.size()) text += fmt::format(" and {} more", jobs.size() - shown);
    return text;
}

std::string why_text(const std::vector<Decision>& decisions) {
    for (const Decision& decision : decisions) {
        if (decision.answer == Answer::allocated) continue;
        if (decision.answer == Answer::refused) return "refused: " + decision.message;
        const std::string reason(trestle::to_text(decision.reason));
        if (decision.reason == Reason::none) return decision.message;
        return decision.message.empty() ? reason : reason + ": " + decision.message;
    }
    return "";
}

std::string counts_text(const Explanation& nodes) {
    std::string text;
    for (const Explanation::Removal& row : nodes.removed) {
        text += fmt::format("{:>6} node{} removed by {}: {}\n", row.nodes.value(),
                            row.nodes == Count(1) ? " " : "s", row.constraint, row.example);
    }
    return text + fmt::format("{:>6} node{} left\n", nodes.fitting.value(),
                              nodes.fitting == Count(1) ? " " : "s");
}

std::string joined_words(const std::vector<std::string>& words) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,-+%@";
    std::string line;
    for (const std::string& word : words) {
        if (!line.empty()) line += ' ';
        const bool is_plain = !word.empty() && word.find_first_not_of(plain) == std::string::npos;
        line += is_plain ? word : "'" + word + "'";
    }
    return line;
}

std::string to_text(const StartAnswer& answer) {
    if (!answer.may_ever_start) {
        return fmt::format("{}, not even on the idle cluster: {}\n", "never starts",
                           why_text(answer.on_idle));
    }
    if (!answer.starts_in) {
        return fmt::format("{}: {}\nno end of a job or reservation is known that would start it\n",
                           "does not start", why_text(answer.now));
    }
    std::string text = when_text(answer);
    for (std::size_t i = 0; i < answer.then.size(); ++i) {
        const Decision& decision = answer.then[i];
        text += i == 0 ? " " : fmt::format("component {} ", i);
        text += fmt::format("in partition {}\n", decision.partition);
        for (const std::string& line : grant_lines(decision.grants)) {
            text += "  " + line + "\n";
        }
        for (const std::string& warning : decision.warnings) {
            text += fmt::format("  {}: {}\n", "warning", warning);
        }
    }
    return text;
}

json::Object start_json(const StartAnswer& answer) {
    json::List waits_for, components;
    for (const RunningJob& job : answer.waits_for) {
        waits_for.push_back({json::Object{{"job", json::to_value(job.name)},
                                          {"ends_in", json::to_value(job.ends_in)}}});
    }
    for (const Decision& decision : answer.starts_in ? answer.then : answer.now) {
        components.push_back(component_json(decision));
    }
    return {{"starts_in", json::to_value(answer.starts_in)},
            {"may_ever_start", json::to_value(answer.may_ever_start)},
            {"waits_for", {std::move(waits_for)}},
            {"components", {std::move(components)}}};
}

std::string to_json_text(const StartAnswer& answer) { return json::print({start_json(answer)}); }

}  // namespace trestle::slurm
