// SPDX-License-Identifier: Apache-2.0
#pragma once

// Drift: what of a plan does not hold on the machine (any more), and why.
//
// Layer: enforce. Main types: Drift, Readback; drift_of() compares the limit of a step with what
// its file says now, effective_drift_of() with what the kernel makes of it; is_overwritten() tells
// steps that do not count. Pure.
// A reader would get wrong: equal texts are not the question. The kernel rounds memory down to
// pages, adds a period to a quota and defaults to a line of limits; none of this is drift.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

/// Something of a plan that does not hold.
struct Drift {
    std::string resource;  ///< of the step: `cpu`, `memory`, ...
    std::string file;      ///< what was looked at; `device filter` for the program
    std::string expected;
    std::string found;  ///< `unknown` where nobody can tell; empty: nothing is there
    std::string why;    ///< one line

    static constexpr auto fields(auto list) {
        return list(field("resource", &Drift::resource), field("file", &Drift::file),
                    field("expected", &Drift::expected), field("found", &Drift::found),
                    field("why", &Drift::why));
    }
    friend bool operator==(const Drift&, const Drift&) = default;
};

/// `cpu: cpuset.cpus.effective is 0-3, expected 2-3: a CPU is offline or taken`.
[[nodiscard]] std::string to_text(const Drift& drift);

/// What a file says now, without the line end.
struct Readback {
    std::string text;
    Bytes page{4096};  ///< of this machine; memory is counted in these
};

namespace detail {

[[nodiscard]] std::vector<std::string_view> split_text(std::string_view text,
                                                       std::string_view separators);

/// A number of a file, the greatest for `max`; nothing for another text.
[[nodiscard]] std::optional<std::uint64_t> kernel_number(std::string_view text);

/// True when `found` is what the kernel says after `limit` was written.
[[nodiscard]] bool is_in_force(const Limit& limit, const Readback& found);

/// One line, whatever a file holds.
[[nodiscard]] std::string one_line(std::string text);

}  // namespace detail

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
