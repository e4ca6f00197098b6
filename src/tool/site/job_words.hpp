// SPDX-License-Identifier: Apache-2.0
#pragma once

// A job as it is typed: options of sbatch, alone or before a script, and lines of such.
//
// Layer: tool. Main names: job_of_words, job_of_line, for_each_job.
// Pitfall: variables such as SBATCH_PARTITION count, as they do for sbatch.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "dialect/slurm/live/ask/changes.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/known_options.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::tool {

/// InvalidArgument with a line for each mistake, `context` before it where there is one; Ok without
/// any.
[[nodiscard]] Status all_mistakes(const slurm::SubmissionReading& reading,
                                  const std::string& context = "");

/// The job of `OPTION... [SCRIPT [ARGUMENT...]]`, with what the environment says to sbatch. Errors:
/// InvalidArgument for no words, and with all_mistakes of the options; NotFound for a script that
/// is not there.
[[nodiscard]] StatusOr<slurm::TypedJob> job_of_words(std::vector<std::string> words,
                                                     const slurm::KnownOptions& known);
/// The same of the words of a job that was submitted before, to which the environment says nothing.
[[nodiscard]] StatusOr<slurm::TypedJob> job_of_known_words(std::vector<std::string> words);

/// The job of a line: options, or `script FILE`. Errors: as above.
[[nodiscard]] StatusOr<slurm::Submission> job_of_line(const std::string& line,
                                                      const slurm::KnownOptions& known);

/// True for a line without a job: empty, or a comment.
[[nodiscard]] bool is_blank_line(std::string_view line);

/// What is done with a job of a file, and the line that says it.
using VisitJob = std::function<Status(const std::string& line, slurm::Submission job)>;

/// visit() for the job of each line of the file, in their order. Errors: NotFound without the file,
/// and the first of a line or of visit(), with file and line.
[[nodiscard]] Status for_each_job(const std::string& path, const slurm::KnownOptions& known,
                                  const VisitJob& visit);

}  // namespace trestle::tool
