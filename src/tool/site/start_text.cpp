// SPDX-License-Identifier: Apache-2.0
#include "start_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../call/output.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/dialect/slurm/job_report.hpp"
#include "trestle/dialect/slurm/print.hpp"

namespace trestle::tool {
namespace {

constexpr std::size_t jobs_named = 10;

std::string when_text(const StartAnswer& answer) {
    if (!answer.starts_in) return "";
    if (answer.starts_in->is_zero()) return coloured("starts now", Tone::good);
    const std::string starts =
        coloured("starts in " + slurm::duration_text(*answer.starts_in), Tone::doubtful);
    if (answer.waits_for.empty()) return starts + ", when a reservation ends,";
    const std::string jobs = jobs_text(answer.waits_for);
    const bool ends_later = std::all_of(
        answer.waits_for.begin(), answer.waits_for.end(),
        [&](const RunningJob& job) { return job.ends_in && *job.ends_in < *answer.starts_in; });
    if (ends_later) return fmt::format("{}, when {} and a reservation have ended,", starts, jobs);
    return fmt::format("{}, when {} end{},", starts, jobs, answer.waits_for.size() == 1 ? "s" : "");
}

json::Value component_json(const slurm::Decision& decision) {
    return {json::Object{{"answer", json::to_value(decision.answer)},
                         {"reason", json::to_value(std::string(to_text(decision.reason)))},
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

std::string why_text(const std::vector<slurm::Decision>& decisions) {
    for (const slurm::Decision& decision : decisions) {
        if (decision.answer == slurm::Answer::allocated) continue;
        if (decision.answer == slurm::Answer::refused) return "refused: " + decision.message;
        const std::string reason(to_text(decision.reason));
        if (decision.reason == slurm::Reason::none) return decision.message;
        return decision.message.empty() ? reason : reason + ": " + decision.message;
    }
    return "";
}

std::string start_text(const StartAnswer& answer) {
    if (!answer.may_ever_start) {
        return fmt::format("{}, not even on the idle cluster: {}\n",
                           coloured("never starts", Tone::bad), why_text(answer.on_idle));
    }
    if (!answer.starts_in) {
        return fmt::format("{}: {}\nno end of a job or reservation is known that would start it\n",
                           coloured("does not start", Tone::bad), why_text(answer.now));
    }
    std::string text = when_text(answer);
    for (std::size_t i = 0; i < answer.then.size(); ++i) {
        const slurm::Decision& decision = answer.then[i];
        text += i == 0 ? " " : fmt::format("component {} ", i);
        text += fmt::format("in partition {}\n", decision.partition);
        for (const std::string& line : slurm::grant_lines(decision.grants)) {
            text += "  " + line + "\n";
        }
        for (const std::string& warning : decision.warnings) {
            text += fmt::format("  {}: {}\n", coloured("warning", Tone::doubtful), warning);
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
    for (const slurm::Decision& decision : answer.starts_in ? answer.then : answer.now) {
        components.push_back(component_json(decision));
    }
    return {{"starts_in", json::to_value(answer.starts_in)},
            {"may_ever_start", json::to_value(answer.may_ever_start)},
            {"waits_for", {std::move(waits_for)}},
            {"components", {std::move(components)}}};
}

}  // namespace trestle::tool
