// SPDX-License-Identifier: Apache-2.0
#pragma once

// A batch script taken apart: its interpreter, its directives, and its commands.
//
// Layer: dialect/slurm. Main names: BatchScript, read_batch_script, to_text.
// Pitfall: directives end at the first line that is neither blank nor a comment; a `#SBATCH` behind
// it is a comment of the commands.

#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/known_options.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::slurm {

/// A file as sbatch takes it.
struct BatchScript {
    std::string interpreter;  ///< what stands behind `#!`; empty: no such line, which sbatch wants
    Submission submission;
    /// All lines but these, without blank ones around them and without the last line break.
    std::string commands;

    static constexpr auto fields(auto list) {
        return list(field("interpreter", &BatchScript::interpreter),
                    field("submission", &BatchScript::submission),
                    field("commands", &BatchScript::commands));
    }
    friend bool operator==(const BatchScript&, const BatchScript&) = default;
};

/// A script, and every mistake in its directives.
struct BatchScriptReading {
    BatchScript script;
    std::vector<OptionError> errors;
    std::vector<std::string> warnings;  ///< what was read, but Slurm refuses

    static constexpr auto fields(auto list) {
        return list(field("script", &BatchScriptReading::script),
                    field("errors", &BatchScriptReading::errors),
                    field("warnings", &BatchScriptReading::warnings));
    }
    friend bool operator==(const BatchScriptReading&, const BatchScriptReading&) = default;
};

/// The directives are read by read_script, with its errors.
[[nodiscard]] BatchScriptReading read_batch_script(std::string_view text,
                                                   const KnownOptions& known = {});
/// The same. Errors: InvalidArgument with the first mistake, `(and 2 more)`; without mistakes the
/// first warning.
[[nodiscard]] StatusOr<BatchScript> parse_batch_script(std::string_view text,
                                                       const KnownOptions& known = {});

/// The file: interpreter, directives, a blank line, commands. A script that came from
/// read_batch_script is read back equal by parse_batch_script, but for the line numbers of
/// passthrough options. A file cannot express commands of components, blanks around an interpreter,
/// and blank lines around the commands: these are lost. Errors: InvalidArgument for an option with
/// a line break in its value, and for an interpreter that is no single line. The same for a DOS
/// line break, and for commands that would be read as something else. Those are `#!` at the start
/// of a script without interpreter, and `#SBATCH` before the first command.
[[nodiscard]] StatusOr<std::string> script_text(const BatchScript& script);

}  // namespace trestle::slurm
