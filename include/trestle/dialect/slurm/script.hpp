// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lines of a batch script.
//
// Layer: dialect/slurm. Main name: strip_comment.
// A reader would get wrong: a comment ends at the shell's rules only nearly: `#` needs no blank
// before it (sbatch/opt.c, get_argument).

#include <string_view>

namespace trestle::slurm {

/// `line` up to the first `#` that is neither quoted nor escaped by a backslash, without trailing
/// blanks: `--gres=gpu:2  # any type` is `--gres=gpu:2`. Give it what follows `#SBATCH`.
[[nodiscard]] std::string_view strip_comment(std::string_view line);

}  // namespace trestle::slurm
