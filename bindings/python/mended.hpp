// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trestle/dialect/slurm/conf_error.hpp"

namespace trestle::python {

/// What the argument `strict` makes of mistakes that Slurm mends.
inline slurm::MendedMistakes mended_of(bool strict) {
    return strict ? slurm::MendedMistakes::errors : slurm::MendedMistakes::warnings;
}

}  // namespace trestle::python
