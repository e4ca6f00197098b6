// SPDX-License-Identifier: Apache-2.0
#include "job_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/choice/load.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "trestle/os/program.hpp"

namespace trestle::tool {
namespace {

StatusOr<std::string> script_at(const std::string& path) {
    const auto text = slurm::read_file(path);
    if (!text.ok()) return with_context(path, text.status());
    if (!*text) return not_found("{}: no such script", path);
    return **text;
}

}  // namespace

Status all_mistakes(const slurm::SubmissionReading& reading, const std::string& context) {
    std::string lines;
    for (const slurm::OptionError& error : reading.errors) {
        if (!lines.empty()) lines += '\n';
        lines += (context.empty() ? "" : context + ": ") + to_text(error);
    }
    if (lines.empty()) return {};
    return invalid_argument("{}", lines);
}

StatusOr<slurm::TypedJob> job_of_words(std::vector<std::string> words,
                                       const slurm::KnownOptions& known) {
    if (words.empty()) {
        return invalid_argument(
            "no job, expected options of sbatch, such as --gres=gpu:2, or a script");
    }
    const slurm::SubmissionReading arguments =
        slurm::read_arguments(words, slurm::Tool::sbatch, known);
    const std::vector<std::string>& command = arguments.submission.components.front().command;
    std::string script;
    if (!command.empty()) {
        TRESTLE_TRY(script, script_at(command.front()));
    }
    const auto environment = os::current_environment();
    slurm::SubmissionReading reading =
        slurm::read_submission({words, environment, script, slurm::Tool::sbatch, known});
    TRESTLE_TRY_STATUS(all_mistakes(reading, command.empty() ? "" : command.front()));
    auto job = slurm::submission_or_first_error(std::move(reading));
    if (!job.ok())
        return command.empty() ? job.status() : with_context(command.front(), job.status());
    return slurm::TypedJob{std::move(words), *std::move(job)};
}

StatusOr<slurm::TypedJob> job_of_known_words(std::vector<std::string> words) {
    TRESTLE_TRY(slurm::Submission job, slurm::parse_submission({words, {}, ""}));
    return slurm::TypedJob{std::move(words), std::move(job)};
}

StatusOr<slurm::Submission> job_of_line(const std::string& line, const slurm::KnownOptions& known) {
    constexpr std::string_view script_word = "script ";
    if (!line.starts_with(script_word)) {
        TRESTLE_TRY(slurm::Submission job,
                    slurm::parse_option_text(line, slurm::Tool::sbatch, known));
        for (const auto& component : job.components) {
            if (component.command.empty()) continue;
            return invalid_argument("{}: no option, expected options of sbatch or `script FILE`",
                                    component.command.front());
        }
        return job;
    }
    const std::string path = line.substr(script_word.size());
    TRESTLE_TRY(const std::string script, script_at(path));
    auto job = slurm::parse_script(script, known);
    if (!job.ok()) return with_context(path, job.status());
    return job;
}

bool is_blank_line(std::string_view line) {
    const auto first = line.find_first_not_of(" \t\r");
    return first == std::string_view::npos || line[first] == '#';
}

Status for_each_job(const std::string& path, const slurm::KnownOptions& known,
                    const VisitJob& visit) {
    TRESTLE_TRY(const std::optional<std::string> text, slurm::read_file(path));
    if (!text) return not_found("{}: no such file", path);
    std::string_view rest = *text;
    for (std::size_t number = 1; !rest.empty(); ++number) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string line(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (is_blank_line(line)) continue;
        auto job = job_of_line(line, known);
        const Status status = job.ok() ? visit(line, *std::move(job)) : job.status();
        if (!status.ok()) return with_context(fmt::format("{} line {}", path, number), status);
    }
    return {};
}

}  // namespace trestle::tool
