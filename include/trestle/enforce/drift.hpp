// SPDX-License-Identifier: Apache-2.0
#pragma once

// Drift: what of a plan does not hold on the machine (any more), and why.
//
// Layer: enforce. Main types: Drift, Readback; drift_of() compares what a step wrote with what a
// file says now, effective_drift_of() with what the kernel makes of it; is_overwritten() tells
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

/// A number of bytes as the kernel reads it (memparse: 4096, 64M, 1g); nothing for `max`.
[[nodiscard]] std::optional<std::uint64_t> kernel_bytes(std::string_view text);

/// 2 MiB for `hugetlb.2MB.max`; nothing for other files.
[[nodiscard]] std::optional<std::uint64_t> huge_page_of(std::string_view file);

/// Bytes after a page counter has had them: whole pages, or all that can be counted.
[[nodiscard]] std::uint64_t counted_bytes(std::string_view text, std::uint64_t unit);

/// A line of limits: `8:0 rbps=1048576 wbps=max`, `mlx4_0 hca_handle=2`, `default 100`.
struct KeyedLine {
    std::string_view key;
    std::vector<std::string_view> values;
};

[[nodiscard]] std::vector<KeyedLine> keyed_lines(std::string_view text);

/// True when each line written is there. A line whose limits are all `max` may be missing: the
/// kernel leaves such lines out.
[[nodiscard]] bool holds_lines(std::string_view found, std::string_view written);

/// `50000 100000` for both `50000` and `50000 100000` when that is what is found: without a period
/// the kernel keeps the one that is there.
[[nodiscard]] bool is_same_quota(std::string_view found, std::string_view written);

[[nodiscard]] inline bool is_index_list(std::string_view file) {
    return file == "cpuset.cpus" || file == "cpuset.mems" || file == "cpuset.cpus.exclusive";
}

[[nodiscard]] bool is_same_set(std::string_view a, std::string_view b);

/// True when `found` is what the kernel says after `step` was written.
[[nodiscard]] bool is_in_force(const Step& step, const Readback& found);

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
