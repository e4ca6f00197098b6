// SPDX-License-Identifier: Apache-2.0
#pragma once

// Job options from arguments, from text, from batch scripts and from the environment.
//
// Layer: dialect/slurm. Main functions: read_submission and, for one source, read_arguments,
// read_option_text, read_script, read_environment. Each gives what could be read and all errors.
// parse_submission gives the value or the first error. Main types: Submission, OptionError. Options
// are those of all three programs. The Tool decides only what -K, -W and --wait are, what a prefix
// of a name stands for, and where a command ends. Options of a site's plug-ins are taken where
// KnownOptions declares them, and KnownOptions::release warns of options that a release lacks.
// Pitfall: nothing is checked here but each option by itself; resolve() finds those that disagree.
// #PBS and #BSUB lines are comments.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/options/known_options.hpp"
#include "trestle/enforce/process/environment.hpp"

namespace trestle::slurm {

/// Whose options they are.
enum class Tool { sbatch, srun, salloc };

constexpr auto enum_names(Tool) {
    return std::array{named(Tool::sbatch, "sbatch"), named(Tool::srun, "srun"),
                      named(Tool::salloc, "salloc")};
}

/// Where an option stood.
enum class OptionSource { arguments, text, script, environment };

constexpr auto enum_names(OptionSource) {
    using enum OptionSource;
    return std::array{named(arguments, "arguments"), named(text, "text"), named(script, "script"),
                      named(environment, "environment")};
}

/// One mistake.
struct OptionError {
    OptionSource source = OptionSource::arguments;
    std::uint32_t position = 0;  ///< argument, word of a text or line of a script, from 1; else 0
    /// Where the token stands, from 1, in bytes. It is counted in the line of a script or in the
    /// text, quotes and backslashes counted; in the argument; in the variable's value.
    std::uint32_t column = 1;
    std::string variable;  ///< of the environment
    std::string option;    ///< `--gres`, whatever form was given; empty: no known option
    TextError error;       ///< its offset counts in the option's value, or else in the word

    static constexpr auto fields(auto list) {
        return list(
            field("source", &OptionError::source), field("position", &OptionError::position),
            field("column", &OptionError::column), field("variable", &OptionError::variable),
            field("option", &OptionError::option), field("error", &OptionError::error));
    }
    friend bool operator==(const OptionError&, const OptionError&) = default;
};
/// `line 3, column 20: --gres: malformed count at offset 6 ("b"): expected ...`; `argument 2: ...`;
/// `word 2: ...`; `SBATCH_GRES: ...`.
[[nodiscard]] std::string to_text(const OptionError& error);

/// A job, or one of the components of a heterogeneous job.
struct JobComponent {
    JobOptions options;
    /// Program and arguments: behind `--`, or from the first word that is no option. Of srun each
    /// component has its own; else it stands in the first one alone.
    std::vector<std::string> command;

    static constexpr auto fields(auto list) {
        return list(field("options", &JobComponent::options),
                    field("command", &JobComponent::command));
    }
    friend bool operator==(const JobComponent&, const JobComponent&) = default;
};

/// What one call of sbatch, srun or salloc says: components between `:`, in a script between
/// `#SBATCH hetjob`. At least one, at most 128, as in Slurm. As in Slurm's clients, a component
/// inherits options of the whole job (time, account, dependency, --mem, ...) from the one before
/// it.
struct Submission {
    std::vector<JobComponent> components = std::vector<JobComponent>(1);

    static constexpr auto fields(auto list) {
        return list(field("components", &Submission::components));
    }
    friend bool operator==(const Submission&, const Submission&) = default;
};

/// What could be read, and every error, in the order of the source.
struct SubmissionReading {
    Submission submission;
    std::vector<OptionError> errors;
    std::vector<std::string> warnings;  ///< what was read, but Slurm refuses

    static constexpr auto fields(auto list) {
        return list(field("submission", &SubmissionReading::submission),
                    field("errors", &SubmissionReading::errors),
                    field("warnings", &SubmissionReading::warnings));
    }
    friend bool operator==(const SubmissionReading&, const SubmissionReading&) = default;
};

/// Reads `--x=v`, `--x v`, `-xv`, `-x v`, and letters without value together (`-Os`). A long name
/// may be abbreviated as far as it is unique among the tool's names. The last of a repeated option
/// wins.
/// Errors: an unknown name, with the nearest known one; a beginning that fits several; a value that
/// is missing, not wanted or wrong. An option with an error is as if it were not there.
[[nodiscard]] SubmissionReading read_arguments(std::span<const std::string> arguments,
                                               Tool tool = Tool::sbatch,
                                               const KnownOptions& known = {});

/// The same of words as a shell would split them: blanks between, quotes, a backslash before what
/// stands for itself. Nothing else of a shell: no variables, no comments.
[[nodiscard]] SubmissionReading read_option_text(std::string_view text, Tool tool = Tool::sbatch,
                                                 const KnownOptions& known = {});

/// The `#SBATCH` lines of a script up to the first line that is neither blank nor a comment. A `#`
/// that is neither quoted nor behind a backslash ends the line's options, also inside a word:
/// `--gres=gpu:2  # any type`. Errors: as above; a word that is no option. Warnings: the first DOS
/// line break, for which sbatch refuses the script.
[[nodiscard]] SubmissionReading read_script(std::string_view script,
                                            const KnownOptions& known = {});

/// The options in environment variables of the program. These are SBATCH_ ones of sbatch, SALLOC_
/// ones of salloc, SLURM_ and SRUN_ ones of srun, and the few SLURM_ ones that the others read. Of
/// two variables for one option the one with the later name counts (SLURM_NTASKS before
/// SLURM_NPROCS); of one that stands twice the last. SBATCH_WAIT4SWITCH and its like are the time
/// that --switches leaves open. Ignored are variables that are empty, that are known by a digest
/// only, or that are no option of the program. Errors: as above, by the names of the variables,
/// with the option that they hold.
[[nodiscard]] SubmissionReading read_environment(std::span<const EnvironmentVariable> environment,
                                                 Tool tool = Tool::sbatch,
                                                 const KnownOptions& known = {});

/// All that a program looks at; only sbatch has a script.
struct SubmissionSources {
    std::span<const std::string> arguments;
    std::span<const EnvironmentVariable> environment;
    std::string_view script;
    Tool tool = Tool::sbatch;
    KnownOptions known = {};
};

/// The three together: an argument goes before a variable, a variable before a line of the script.
/// The environment is each component's, and so is what stands behind the last `:` of the arguments
/// for the components of the script that follow. A variable is also ignored where an argument or
/// line excludes it (SBATCH_MEM_PER_NODE and --mem-per-cpu); SBATCH_WAIT4SWITCH and its like go
/// with whichever --switches there is. Errors: of the arguments, then of the environment, then of
/// the script.
[[nodiscard]] SubmissionReading read_submission(const SubmissionSources& sources);

/// The value of a reading without errors. Errors: InvalidArgument with the first, `(and 2 more)`;
/// without errors the first warning, for Slurm refuses what it warns of.
[[nodiscard]] StatusOr<Submission> submission_or_first_error(SubmissionReading reading);
[[nodiscard]] StatusOr<Submission> parse_submission(const SubmissionSources& sources);
/// The components of read_option_text.
[[nodiscard]] StatusOr<Submission> parse_option_text(std::string_view text,
                                                     Tool tool = Tool::sbatch,
                                                     const KnownOptions& known = {});
/// The components of read_script.
[[nodiscard]] StatusOr<Submission> parse_script(std::string_view script,
                                                const KnownOptions& known = {});

}  // namespace trestle::slurm
