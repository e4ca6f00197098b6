// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/reading.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "read_words.hpp"
#include "resolve/conflicts.hpp"
#include "resolve/inherit.hpp"
#include "script_lines.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm {
namespace {

/// All words of a command line: options, `:`, and the command.
void read_command_line(OptionReader& reader, std::span<const std::string> words, Tool tool) {
    std::size_t at = 0;
    for (;;) {
        at = reader.options_end(words, at, 0);
        auto end = words.end();
        auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
        const bool has_mark = first != end && *first == "--";
        if (has_mark) ++first;
        if (tool == Tool::srun) end = std::find(first, end, ":");
        const bool goes_on =
            tool == Tool::srun ? end != words.end() : !has_mark && first != end && *first == ":";
        if (tool == Tool::srun || !goes_on) reader.component().command.assign(first, end);
        if (!goes_on) return;
        at = static_cast<std::size_t>((tool == Tool::srun ? end : first) - words.begin());
        if (!reader.start_component(at++, 0)) return;
    }
}

/// The command of sbatch and salloc stands last and belongs to the first component.
SubmissionReading with_command_first(SubmissionReading reading, Tool tool) {
    auto& components = reading.submission.components;
    if (tool != Tool::srun && components.size() > 1) {
        components.front().command = std::exchange(components.back().command, {});
    }
    return reading;
}

/// One `#SBATCH` line without these letters; false when no more components fit.
bool read_directive(OptionReader& reader, std::string_view text, std::uint32_t line) {
    auto [words, starts, error] = split_option_words(text, Comments::hash);
    reader.set_text(text, starts, directive_mark.size());
    if (error) {
        reader.add_error_in_text(line, *std::move(error));
        return true;
    }
    if (words.size() == 1 && (words[0] == "hetjob" || words[0] == "packjob")) {
        return reader.start_component(0, line);
    }
    const std::size_t end = reader.options_end(words, 0, line);
    if (end != words.size()) {
        reader.add_error_in_word(end, line,
                                 TextCursor(words[end]).error("unexpected word", "an option"));
    }
    return true;
}

template <class T>
bool says_nothing(const T& value) {
    return value == T{};
}

template <class T>
void overlay(T& first, const T& second) {
    if (says_nothing(first)) first = second;
}
void overlay(std::vector<PassthroughOption>& first, const std::vector<PassthroughOption>& second) {
    first.insert(first.begin(), second.begin(), second.end());
}

/// What variables say; how long --switches may wait is apart, as it may stand elsewhere.
struct VariableReading {
    SubmissionReading reading;
    std::optional<Seconds> switch_wait;
};

/// The last value of each name. Empty ones are nothing.
using VariableValues = std::map<std::string_view, std::string_view>;

VariableReading read_variables(std::span<const EnvironmentVariable> environment, Tool tool,
                               const KnownOptions& known_options) {
    VariableValues values;
    for (const EnvironmentVariable& one : environment) {
        if (one.value.is_known()) values[one.name] = one.value.reveal();
    }
    std::erase_if(values, [](const auto& one) { return one.second.empty(); });
    OptionReader reader(tool, OptionSource::environment, known_options);
    for (const OptionVariable& known : option_variables(tool)) {
        const auto at = values.find(known.variable);
        if (at == values.end()) continue;
        std::string value(at->second);
        // salloc says the size of planes to srun in a variable of its own.
        const auto size = values.find("SLURM_DIST_PLANESIZE");
        if (known.option == "distribution" && value == "plane" && size != values.end()) {
            value += "=" + std::string(size->second);
        }
        reader.apply_variable(known.variable, known.option, value);
    }
    VariableReading result;
    const auto wait = values.find(switch_wait_variable(tool));
    if (wait != values.end()) {
        result.switch_wait = reader.read_switch_wait(wait->first, wait->second);
    }
    result.reading = std::move(reader).take();
    return result;
}

void set_switch_wait(JobOptions& options, const std::optional<Seconds>& wait) {
    if (options.switches && !options.switches->max_wait) options.switches->max_wait = wait;
}

/// sbatch looks for DOS line breaks in all of a script.
std::vector<std::string> dos_warnings(std::string_view script) {
    const std::size_t first = script.find("\r\n");
    if (first == script.npos) return {};
    const auto lines =
        std::count(script.begin(), script.begin() + static_cast<std::ptrdiff_t>(first), '\n');
    return {fmt::format("line {}: a DOS line break: sbatch refuses the script", lines + 1)};
}

/// The words of a command line, each component with its own options alone.
SubmissionReading arguments_as_written(std::span<const std::string> arguments, Tool tool,
                                       const KnownOptions& known) {
    OptionReader reader(tool, OptionSource::arguments, known);
    read_command_line(reader, arguments, tool);
    return with_command_first(std::move(reader).take(), tool);
}

/// The lines of a script, likewise.
SubmissionReading lines_as_written(std::string_view script, const KnownOptions& known) {
    OptionReader reader(Tool::sbatch, OptionSource::script, known);
    std::vector<std::string> warnings = dos_warnings(script);
    std::uint32_t line = 0;
    while (!script.empty()) {
        std::string_view text = take_line(script);
        ++line;
        if (!is_comment(text)) break;
        if (!is_directive(text)) continue;
        text.remove_prefix(directive_mark.size());
        if (!read_directive(reader, text, line)) break;
    }
    SubmissionReading reading = std::move(reader).take();
    reading.warnings.insert(reading.warnings.begin(), warnings.begin(), warnings.end());
    return reading;
}

SubmissionReading with_inherited(SubmissionReading reading, Tool tool) {
    inherit(reading.submission, tool);
    return reading;
}

/// As many components of arguments as the script has: the last one stands for those behind it too.
void repeat_last(std::vector<JobComponent>& components, std::size_t count) {
    while (components.size() < count) {
        components.push_back({components.back().options, {}});
    }
}

void append_mistakes(SubmissionReading& to, SubmissionReading& from) {
    std::move(from.errors.begin(), from.errors.end(), std::back_inserter(to.errors));
    std::move(from.warnings.begin(), from.warnings.end(), std::back_inserter(to.warnings));
}

}  // namespace

JobOptions overlaid(JobOptions first, const JobOptions& second) {
    JobOptions::fields(
        [&](const auto&... f) { (overlay(first.*f.pointer, second.*f.pointer), ...); });
    return first;
}

std::string place_text(const OptionError& error) {
    std::string text;
    switch (error.source) {
        case OptionSource::arguments:
            text = fmt::format("argument {}: ", error.position);
            break;
        case OptionSource::text:
            text = fmt::format("word {}: ", error.position);
            break;
        case OptionSource::script:
            text = fmt::format("line {}, column {}: ", error.position, error.column);
            break;
        case OptionSource::environment:
            text = error.variable + ": ";
            break;
    }
    return error.option.empty() ? text : text + error.option + ": ";
}

std::string to_text(const OptionError& error) { return place_text(error) + to_text(error.error); }

SubmissionReading read_arguments(std::span<const std::string> arguments, Tool tool,
                                 const KnownOptions& known) {
    return with_inherited(arguments_as_written(arguments, tool, known), tool);
}

SubmissionReading read_option_text(std::string_view text, Tool tool, const KnownOptions& known) {
    OptionReader reader(tool, OptionSource::text, known);
    auto [words, starts, error] = split_option_words(text, Comments::none);
    reader.set_text(text, starts, 0);
    if (error) {
        reader.add_error_in_text(static_cast<std::uint32_t>(words.size()), *std::move(error));
        words.pop_back();
    }
    read_command_line(reader, words, tool);
    return with_inherited(with_command_first(std::move(reader).take(), tool), tool);
}

SubmissionReading read_script(std::string_view script, const KnownOptions& known) {
    return with_inherited(lines_as_written(script, known), Tool::sbatch);
}

SubmissionReading read_environment(std::span<const EnvironmentVariable> environment, Tool tool,
                                   const KnownOptions& known) {
    VariableReading result = read_variables(environment, tool, known);
    set_switch_wait(result.reading.submission.components.front().options, result.switch_wait);
    return std::move(result.reading);
}

SubmissionReading read_submission(const SubmissionSources& sources) {
    SubmissionReading result = arguments_as_written(sources.arguments, sources.tool, sources.known);
    auto [environment, switch_wait] =
        read_variables(sources.environment, sources.tool, sources.known);
    SubmissionReading script = lines_as_written(sources.script, sources.known);
    append_mistakes(result, environment);
    append_mistakes(result, script);
    const JobOptions& from_variables = environment.submission.components.front().options;
    auto& components = result.submission.components;
    auto& lines = script.submission.components;
    repeat_last(components, lines.size());
    lines.resize(components.size());
    for (std::size_t i = 0; i < components.size(); ++i) {
        JobOptions& arguments = components[i].options;
        JobOptions weak = from_variables;
        drop_overridden(weak, arguments);
        drop_overridden(weak, lines[i].options);
        arguments = overlaid(overlaid(std::move(arguments), weak), lines[i].options);
        set_switch_wait(arguments, switch_wait);
    }
    inherit(result.submission, sources.tool);
    return result;
}

StatusOr<Submission> submission_or_first_error(SubmissionReading reading) {
    if (reading.errors.empty()) {
        if (!reading.warnings.empty()) return invalid_argument("{}", reading.warnings.front());
        return std::move(reading.submission);
    }
    const std::size_t more = reading.errors.size() - 1;
    return invalid_argument("{}{}", to_text(reading.errors.front()),
                            more == 0 ? "" : fmt::format(" (and {} more)", more));
}

StatusOr<Submission> parse_submission(const SubmissionSources& sources) {
    return submission_or_first_error(read_submission(sources));
}
StatusOr<Submission> parse_option_text(std::string_view text, Tool tool,
                                       const KnownOptions& known) {
    return submission_or_first_error(read_option_text(text, tool, known));
}
StatusOr<Submission> parse_script(std::string_view script, const KnownOptions& known) {
    return submission_or_first_error(read_script(script, known));
}

}  // namespace trestle::slurm
