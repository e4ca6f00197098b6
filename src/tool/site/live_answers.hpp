// SPDX-License-Identifier: Apache-2.0
#pragma once

// What Slurm's commands print, from files or from the commands themselves.
//
// Layer: tool. Main names: LiveAnswers, read_answers, ask_commands.
// Pitfall: the commands are found along PATH and only ever asked to show something.

#include <cstdint>
#include <optional>
#include <string>

#include "../call/progress.hpp"
#include "trestle/base/status.hpp"

namespace trestle::tool {

/// The texts; empty: not there.
struct LiveAnswers {
    std::string nodes, jobs, reservations;
    std::string directory;                 ///< where slurm.conf lies, as the controller says
    std::string release;                   ///< `24.11`, as it says
    std::optional<std::int64_t> now = {};  ///< seconds since 1970; absent: as the texts tell
};

/// The text of a file, however large: an answer of a large cluster is larger than any file of its
/// configuration. Errors: InvalidArgument for what cannot be read.
[[nodiscard]] StatusOr<std::string> whole_file(const std::string& path);

/// Of a folder the files nodes, jobs (or squeue) and reservations, each `.json` or `.txt`; in the
/// place of nodes also sinfo.json. Errors: NotFound without any of nodes and jobs.
[[nodiscard]] StatusOr<LiveAnswers> read_answers(const std::string& folder);

/// Of `scontrol show config|nodes|reservations` and `squeue`, as JSON where they can, else as
/// text; four steps. Errors: FailedPrecondition for a command that fails, with what it said.
[[nodiscard]] StatusOr<LiveAnswers> ask_commands(Progress& progress);

}  // namespace trestle::tool
