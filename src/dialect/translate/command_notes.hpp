// SPDX-License-Identifier: Apache-2.0
#pragma once

// What commands say that only the scheduler they were written for understands.
//
// Layer: dialect/translate, inside. Commands are not translated: names that look alike count
// different things.

#include <string_view>
#include <vector>

#include "trestle/dialect/translate/loss.hpp"

namespace trestle::translate {

/// A note for each variable SLURM_* and each program of Slurm's, in the order of their first use.
/// Complexity: linear in the text, times the variables in it.
void add_slurm_notes(std::vector<Loss>& losses, std::string_view commands);

/// A note for each variable DSTACK_*, and one for `${{ ... }}`.
void add_dstack_notes(std::vector<Loss>& losses, std::string_view commands);

}  // namespace trestle::translate
