// SPDX-License-Identifier: Apache-2.0
#pragma once

// Readback: what a file of a group says now, and whether the limit of a step holds by it.
//
// Layer: enforce (private). Main names: Readback, drift_of, effective_drift_of, is_overwritten.
// Bodies: drift.cpp.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/units.hpp"
#include "trestle/enforce/drift.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

/// What a file says now, without the line end.
struct Readback {
    std::string text;
    Bytes page{4096};  ///< of this machine; memory is counted in these
};

/// What is different from what the step wrote; nothing when the value is in force, and for steps
/// that write nothing.
[[nodiscard]] std::optional<Drift> drift_of(const Step& step, const Readback& found);

/// True when a later step does the same thing otherwise (writes the same file, or the same line of
/// it, or loads another filter): only the last of them can hold.
[[nodiscard]] bool is_overwritten(const std::vector<Step>& steps, std::size_t i);

/// What the kernel makes of a list of CPUs or memory nodes, as `<file>.effective` says: it may be
/// less than what was written, or, when nothing of it is left, all that the group above has.
/// Nothing for other steps.
[[nodiscard]] std::optional<Drift> effective_drift_of(const Step& step, const Readback& effective);

}  // namespace trestle
