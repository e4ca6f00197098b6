// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files of each kind that `trestle lint` knows, read for their mistakes.
//
// Layer: tool. Main names: lint_path.
// Pitfall: a file alone is checked against nothing: gres.conf without its slurm.conf may name any
// node.

#include <string>
#include <vector>

#include "findings.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/known_options.hpp"

namespace trestle::tool {

/// What is to be said of a folder with slurm.conf, or of one file: slurm.conf, gres.conf,
/// cgroup.conf by their names, dstack's by .yml or .yaml, else a batch script. Errors: NotFound for
/// what is not there, InvalidArgument for what cannot be read and for topology files, which mean
/// nothing without slurm.conf. Requires: `known` has a release.
[[nodiscard]] StatusOr<std::vector<Finding>> lint_path(const std::string& path,
                                                       const slurm::KnownOptions& known);

}  // namespace trestle::tool
