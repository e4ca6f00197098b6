// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/lint/lint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "../conf/lost_names.hpp"
#include "../conf/releases/retired_keys.hpp"
#include "../line_at.hpp"
#include "suspicions.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/slurm/choice/load.hpp"
#include "trestle/dialect/slurm/conf/cgroup_conf.hpp"
#include "trestle/dialect/slurm/conf/gres_conf.hpp"
#include "trestle/dialect/slurm/conf/slurm_conf.hpp"
#include "trestle/dialect/slurm/options/resolve.hpp"
#include "trestle/dialect/slurm/script/batch_script.hpp"

namespace trestle::slurm {
namespace {

using Findings = std::vector<Finding>;

/// The lines of files below a folder, each file read once.
class Lines {
  public:
    explicit Lines(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Empty where there is no such line.
    std::string at(const std::string& file, std::uint32_t line) {
        const auto [entry, is_new] = texts_.try_emplace(file);
        if (is_new) {
            const auto text = read_file(folder_ / file);
            if (text.ok() && *text) entry->second = **text;
        }
        return line_at(entry->second, line);
    }

  private:
    std::filesystem::path folder_;
    std::map<std::string, std::string> texts_;
};

std::string error_text(const TextError& error) {
    std::string text = error.what;
    if (!error.token.empty()) text += fmt::format(" (\"{}\")", error.token);
    return error.expected.empty() ? text : text + ", expected " + error.expected;
}

/// The line with the nearest known word in the place of the wrong one; empty: none is known.
std::string mended_line(std::string line, const TextError& error) {
    constexpr std::string_view nearest = "the nearest is ";
    const std::size_t at = error.expected.find(nearest);
    if (at == std::string::npos || error.token.empty()) return "";
    if (line.compare(error.offset < line.size() ? error.offset : 0, error.token.size(),
                     error.token) != 0) {
        return "";
    }
    return line.replace(error.offset, error.token.size(),
                        error.expected.substr(at + nearest.size()));
}

void add_errors(const std::vector<ConfError>& errors, Lines& lines, Findings& findings) {
    for (const ConfError& one : errors) {
        Finding finding{one.place.file, one.place.line,
                        static_cast<std::uint32_t>(one.error.offset + 1), Severity::error,
                        error_text(one.error)};
        if (!one.taken.empty()) {
            finding.severity = Severity::warning;
            finding.message += "; Slurm takes " + one.taken;
        }
        const std::string line = lines.at(one.place.file, one.place.line);
        finding.suggestion = mended_line(line, one.error);
        if (is_key_of_others(one.error)) {
            finding.message = one.error.token + ": " + one.error.what;
            // A line that starts with another key says more than this one.
            finding.suggestion = line.starts_with(one.error.token) ? "# " + line : "";
        }
        findings.push_back(std::move(finding));
    }
}

void add_warnings(const std::vector<ConfWarning>& warnings, Findings& findings) {
    for (const ConfWarning& one : warnings) {
        findings.push_back({one.place.file, one.place.line, 0, Severity::warning, one.message});
    }
}

StatusOr<std::string> file_text(const std::filesystem::path& path) {
    TRESTLE_TRY(const auto text, read_file(path));
    if (!text) return not_found("no such file");
    return *text;
}

/// Names of files become paths below the folder.
Findings below(const std::filesystem::path& folder, Findings findings) {
    for (Finding& finding : findings) finding.file = (folder / finding.file).string();
    return findings;
}

void append(Findings more, Findings& findings) {
    std::move(more.begin(), more.end(), std::back_inserter(findings));
}

void add_retired(ConfFileKind kind, std::string_view text, Release release, const ConfFiles& files,
                 Findings& findings) {
    for (RetiredEntry& one : retired_keys(kind, text, release, files)) {
        findings.push_back({std::move(one.place.file), one.place.line,
                            static_cast<std::uint32_t>(one.offset + 1),
                            one.is_refused ? Severity::error : Severity::warning, one.message(),
                            std::move(one.suggestion)});
    }
}

void add_cgroup_conf(std::string_view text, Release release, Lines& lines, Findings& findings) {
    add_errors(read_cgroup_conf(text).errors, lines, findings);
    add_retired(ConfFileKind::cgroup_conf, text, release, {}, findings);
}

/// Files of a folder that others include.
ConfFiles files_below(const std::filesystem::path& folder) {
    return [folder](std::string_view name) -> std::optional<std::string> {
        const auto included = read_file(folder / name);
        return included.ok() ? *included : std::nullopt;
    };
}

/// The reading without entries that the release ignores or refuses: they are findings with more.
ClusterReading without_retired(ClusterReading reading, const Findings& retired) {
    const auto is_known = [&](const ConfPlace& place, std::string_view message) {
        return std::any_of(retired.begin(), retired.end(), [&](const Finding& one) {
            return one.file == place.file && one.line == place.line &&
                   one.message.starts_with(message);
        });
    };
    std::erase_if(reading.errors, [&](const ConfError& one) {
        return is_known(one.place, one.error.token + ": " + one.error.what);
    });
    std::erase_if(reading.built.warnings,
                  [&](const ConfWarning& one) { return is_known(one.place, one.message); });
    return reading;
}

StatusOr<Findings> lint_folder(const std::filesystem::path& folder, Release release) {
    TRESTLE_TRY(ClusterReading all, load_cluster(folder, MendedMistakes::errors, release));
    TRESTLE_TRY(const std::string text, file_text(folder / "slurm.conf"));
    Findings retired;
    add_retired(ConfFileKind::slurm_conf, text, release, files_below(folder), retired);
    const ClusterReading reading = without_retired(std::move(all), retired);
    Lines lines(folder);
    Findings findings;
    add_errors(reading.errors, lines, findings);
    TRESTLE_TRY(const auto cgroup_conf, read_file(folder / "cgroup.conf"));
    if (cgroup_conf) add_cgroup_conf(*cgroup_conf, release, lines, findings);
    add_warnings(reading.built.warnings, findings);
    append(std::move(retired), findings);
    append(suspicions_of(reading, release), findings);
    return below(folder, std::move(findings));
}

Findings lint_dstack(const std::string& name, std::string_view text) {
    Findings findings;
    for (const dstack::SpecError& one : dstack::read_configuration(text).errors) {
        const std::string key = one.key.empty() ? "" : one.key + ": ";
        findings.push_back(
            {name, one.line, one.column, Severity::error, key + error_text(one.error)});
    }
    return findings;
}

Findings lint_script(const std::string& name, std::string_view text, const KnownOptions& known,
                     Lines& lines) {
    Findings findings;
    const BatchScriptReading reading = read_batch_script(text, known);
    for (const OptionError& one : reading.errors) {
        const std::string option = one.option.empty() ? "" : one.option + ": ";
        TextError in_line = one.error;
        in_line.offset = one.column - 1;
        findings.push_back({name, one.position, one.column, Severity::error,
                            option + error_text(one.error),
                            mended_line(lines.at(name, one.position), in_line)});
    }
    for (const std::string& warning : reading.warnings) {
        findings.push_back({name, 0, 0, Severity::error, warning});
    }
    if (reading.script.interpreter.empty()) {
        findings.push_back({name, 1, 0, Severity::error,
                            "sbatch refuses a script without an interpreter", "#!/bin/sh"});
    }
    for (const JobComponent& component : reading.script.submission.components) {
        const JobOptions& said = component.options;
        for (const auto& [option, kind] :
             {std::pair("--core-kind", said.core_kind),
              std::pair("--preferred-core-kind", said.preferred_core_kind)}) {
            if (!kind) continue;
            findings.push_back(
                {name, 0, 0, Severity::error,
                 fmt::format("{}: an option of Trestle, which sbatch refuses", option)});
        }
        const auto resolved = resolve(component.options);
        if (!resolved.ok()) {
            findings.push_back(
                {name, 0, 0, Severity::error, std::string(message(resolved.status()))});
            continue;
        }
        for (const std::string& warning : resolved->warnings) {
            findings.push_back({name, 0, 0, Severity::warning, warning});
        }
    }
    return findings;
}

StatusOr<Findings> lint_file(const std::filesystem::path& path, const KnownOptions& known) {
    const std::string name = path.filename().string();
    if (name == "topology.conf" || name == "topology.yaml" || name == "resources.yaml") {
        return invalid_argument("it means nothing without slurm.conf, expected the folder");
    }
    TRESTLE_TRY(const std::string text, file_text(path));
    Lines lines(path.parent_path());
    Findings findings;
    if (name == "slurm.conf") {
        const ConfFiles files = files_below(path.parent_path());
        const auto reading = read_slurm_conf(text, files, MendedMistakes::errors, known.release);
        add_errors(reading.errors, lines, findings);
        add_retired(ConfFileKind::slurm_conf, text, *known.release, files, findings);
    } else if (name == "gres.conf") {
        add_errors(read_gres_conf(text, {}, MendedMistakes::errors).errors, lines, findings);
    } else if (name == "cgroup.conf") {
        add_cgroup_conf(text, *known.release, lines, findings);
    } else if (path.extension() == ".yml" || path.extension() == ".yaml") {
        findings = lint_dstack(name, text);
    } else {
        findings = lint_script(name, text, known, lines);
    }
    return below(path.parent_path(), std::move(findings));
}

}  // namespace

std::string to_text(const Finding& finding) {
    std::string text = finding.file;
    if (finding.line > 0) text += fmt::format(":{}", finding.line);
    if (finding.line > 0 && finding.column > 0) text += fmt::format(":{}", finding.column);
    return fmt::format("{}: {}: {}", text, trestle::to_text(finding.severity), finding.message);
}

StatusOr<Findings> lint(const std::string& path, const KnownOptions& known) {
    KnownOptions of_release = known;
    of_release.release = known.release.value_or(default_release);
    std::error_code error;
    auto findings = std::filesystem::is_directory(path, error)
                        ? lint_folder(path, *of_release.release)
                        : lint_file(path, of_release);
    if (!findings.ok()) {
        const Status& status = findings.status();
        return message(status).starts_with(path) ? status : with_context(path, status);
    }
    return findings;
}

}  // namespace trestle::slurm
