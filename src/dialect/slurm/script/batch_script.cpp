// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/script/batch_script.hpp"

#include <algorithm>
#include <utility>

#include "../options/script_lines.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/script/print_options.hpp"

namespace trestle::slurm {
namespace {

constexpr std::string_view interpreter_mark = "#!";
constexpr std::string_view blanks = " \t\v\f\r";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Without blank lines at the start and without blanks at the end.
std::string without_margins(std::string_view text) {
    for (;;) {
        std::string_view rest = text;
        if (text.empty() || !trimmed(take_line(rest)).empty()) break;
        text = rest;
    }
    const std::size_t last = text.find_last_not_of(" \t\v\f\r\n");
    return std::string(text.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

Status check_commands(const BatchScript& script) {
    std::string_view rest = script.commands;
    while (!rest.empty()) {
        const std::string_view line = take_line(rest);
        if (!is_comment(line)) break;
        if (!is_directive(line)) continue;
        return invalid_argument("commands: \"{}\" would be a directive: expected none in them",
                                line.substr(0, 64));
    }
    return {};
}

}  // namespace

BatchScriptReading read_batch_script(std::string_view text, const KnownOptions& known) {
    BatchScriptReading reading;
    SubmissionReading options = read_script(text, known);
    reading.script.submission = std::move(options.submission);
    reading.errors = std::move(options.errors);
    reading.warnings = std::move(options.warnings);
    if (text.starts_with(interpreter_mark)) {
        reading.script.interpreter = trimmed(take_line(text).substr(interpreter_mark.size()));
    }
    std::string commands;
    while (!text.empty()) {
        std::string_view rest = text;
        const std::string_view line = take_line(rest);
        if (!is_comment(line)) break;
        if (!is_directive(line)) commands += std::string(line) + "\n";
        text = rest;
    }
    commands += text;
    reading.script.commands = without_margins(commands);
    return reading;
}

StatusOr<BatchScript> parse_batch_script(std::string_view text, const KnownOptions& known) {
    BatchScriptReading reading = read_batch_script(text, known);
    SubmissionReading options{std::move(reading.script.submission), std::move(reading.errors),
                              std::move(reading.warnings)};
    TRESTLE_TRY(reading.script.submission, submission_or_first_error(std::move(options)));
    return std::move(reading.script);
}

namespace {

StatusOr<std::string> unchecked_text(const BatchScript& script) {
    if (script.interpreter.find('\n') != std::string::npos) {
        return invalid_argument("interpreter: a line break: expected a single line");
    }
    TRESTLE_TRY_STATUS(check_commands(script));
    std::string text;
    if (!script.interpreter.empty()) text = "#!" + script.interpreter + "\n";
    TRESTLE_TRY(const std::string directives, directive_lines(script.submission));
    text += directives;
    if (script.commands.empty()) return text;
    if (text.empty() && script.commands.starts_with(interpreter_mark)) {
        return invalid_argument("commands: \"#!\" would be the interpreter: expected it there");
    }
    return text + (text.empty() ? "" : "\n") + script.commands + "\n";
}

}  // namespace

StatusOr<std::string> script_text(const BatchScript& script) {
    TRESTLE_TRY(std::string text, unchecked_text(script));
    const std::size_t at = text.find("\r\n");
    if (at == text.npos) return text;
    return invalid_argument(
        "line {}: a DOS line break, which sbatch refuses: expected none",
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

}  // namespace trestle::slurm
