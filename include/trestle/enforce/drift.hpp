// SPDX-License-Identifier: Apache-2.0
#pragma once

// Drift: what of a plan does not hold on the machine (any more), and why.
//
// Layer: enforce. Main types: Drift, Readback; drift_of() compares what a step wrote with what a
// file says now, effective_drift_of() with what the kernel makes of it; is_overwritten() tells
// steps that do not count. Pure.
// A reader would get wrong: equal texts are not the question. The kernel rounds memory down to
// pages, adds a period to a quota and defaults to a line of limits; none of this is drift.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/detail/file_order.hpp"
#include "trestle/enforce/step.hpp"
#include "trestle/set/small_set.hpp"
#include "trestle/set/text.hpp"

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
[[nodiscard]] inline std::string to_text(const Drift& drift) {
    const std::string found = drift.found.empty() ? "missing" : drift.found;
    return drift.resource + ": " + drift.file + " is " + found + ", expected " + drift.expected +
           ": " + drift.why;
}

/// What a file says now, without the line end.
struct Readback {
    std::string text;
    Bytes page{4096};  ///< of this machine; memory is counted in these
};

namespace detail {

[[nodiscard]] inline std::vector<std::string_view> split_text(std::string_view text,
                                                              std::string_view separators) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(separators), text.size());
        if (end > 0) words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

/// A number of bytes as the kernel reads it (memparse: 4096, 64M, 1g); nothing for `max`.
[[nodiscard]] inline std::optional<std::uint64_t> kernel_bytes(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end == text.data()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return number;
    const std::size_t power = std::string_view("kmgtpe").find(static_cast<char>(text[0] | 0x20));
    if (text.size() != 1 || power == std::string_view::npos) return std::nullopt;
    const unsigned shift = 10 * (static_cast<unsigned>(power) + 1);
    if (number > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
    return number << shift;
}

/// 2 MiB for `hugetlb.2MB.max`; nothing for other files.
[[nodiscard]] inline std::optional<std::uint64_t> huge_page_of(std::string_view file) {
    if (!file.starts_with("hugetlb.")) return std::nullopt;
    const auto parts = split_text(file, ".");
    if (parts.size() < 2 || !parts[1].ends_with('B')) return std::nullopt;
    return kernel_bytes(parts[1].substr(0, parts[1].size() - 1));
}

/// Bytes after a page counter has had them: whole pages, or all that can be counted.
[[nodiscard]] inline std::uint64_t counted_bytes(std::string_view text, std::uint64_t unit) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const std::uint64_t number = text == "max" ? most : kernel_bytes(text).value_or(most);
    return std::min(number, most) / unit * unit;
}

/// A line of limits: `8:0 rbps=1048576 wbps=max`, `mlx4_0 hca_handle=2`, `default 100`.
struct KeyedLine {
    std::string_view key;
    std::vector<std::string_view> values;
};

[[nodiscard]] inline std::vector<KeyedLine> keyed_lines(std::string_view text) {
    std::vector<KeyedLine> lines;
    for (const std::string_view line : split_text(text, "\n")) {
        auto words = split_text(line, " \t");
        if (words.empty()) continue;
        const std::string_view key = words.front();
        words.erase(words.begin());
        // io.weight takes a bare number for the default.
        if (words.empty()) {
            lines.push_back({"default", {key}});
        } else {
            lines.push_back({key, std::move(words)});
        }
    }
    return lines;
}

/// True when each line written is there. A line whose limits are all `max` may be missing: the
/// kernel leaves such lines out.
[[nodiscard]] inline bool holds_lines(std::string_view found, std::string_view written) {
    const auto present = keyed_lines(found);
    for (const KeyedLine& line : keyed_lines(written)) {
        const auto at = std::find_if(present.begin(), present.end(),
                                     [&](const KeyedLine& one) { return one.key == line.key; });
        for (const std::string_view value : line.values) {
            const bool is_there =
                at != present.end() &&
                std::find(at->values.begin(), at->values.end(), value) != at->values.end();
            const bool is_unlimited = value == "max" || value.ends_with("=max");
            if (!is_there && !(at == present.end() && is_unlimited)) return false;
        }
    }
    return true;
}

/// `50000 100000` for both `50000` and `50000 100000` when that is what is found: without a period
/// the kernel keeps the one that is there.
[[nodiscard]] inline bool is_same_quota(std::string_view found, std::string_view written) {
    const auto now = split_text(found, " ");
    const auto then = split_text(written, " ");
    return !then.empty() && then.size() <= now.size() &&
           std::equal(then.begin(), then.end(), now.begin());
}

[[nodiscard]] inline bool is_index_list(std::string_view file) {
    return file == "cpuset.cpus" || file == "cpuset.mems" || file == "cpuset.cpus.exclusive";
}

[[nodiscard]] inline bool is_same_set(std::string_view a, std::string_view b) {
    const auto one = parse_set<PuSet>(a);
    const auto other = parse_set<PuSet>(b);
    return one && other && *one == *other;
}

/// True when `found` is what the kernel says after `step` was written.
[[nodiscard]] inline bool is_in_force(const Step& step, const Readback& found) {
    const std::string_view file = step.file;
    if (found.text == step.value) return true;
    if (is_index_list(file)) return is_same_set(found.text, step.value);
    if (file == "cpu.max") return is_same_quota(found.text, step.value);
    if (file.starts_with("io.") || file == "rdma.max" || file == "misc.max" || file == "dmem.max") {
        return holds_lines(found.text, step.value);
    }
    const auto huge_page = huge_page_of(file);
    const bool is_bytes = file.starts_with("memory.") && file != "memory.oom.group";
    if (is_bytes || huge_page) {
        const std::uint64_t unit =
            huge_page.value_or(static_cast<std::uint64_t>(found.page.value()));
        const bool has_numbers = (found.text == "max" || kernel_bytes(found.text)) &&
                                 (step.value == "max" || kernel_bytes(step.value));
        return unit > 0 && has_numbers &&
               counted_bytes(found.text, unit) == counted_bytes(step.value, unit);
    }
    return false;
}

/// One line, whatever a file holds.
[[nodiscard]] inline std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ';');
    return text;
}

}  // namespace detail

/// What is different from what the step wrote; nothing when the value is in force, and for steps
/// that write nothing.
[[nodiscard]] inline std::optional<Drift> drift_of(const Step& step, const Readback& found) {
    if (step.kind != StepKind::write_value || detail::is_in_force(step, found)) {
        return std::nullopt;
    }
    const bool is_invalid = found.text.starts_with(step.value + " invalid");
    const char* why = is_invalid ? "the kernel cannot keep the partition apart any more"
                                 : "somebody else wrote the file since";
    return Drift{step.resource, step.file, step.value, detail::one_line(found.text), why};
}

/// True when a later step does the same thing otherwise (writes the same file, or the same line of
/// it, or loads another filter): only the last of them can hold.
[[nodiscard]] inline bool is_overwritten(const std::vector<Step>& steps, std::size_t i) {
    const Step& step = steps[i];
    if (step.kind == StepKind::enable_controller || step.kind == StepKind::make_group) return false;
    return std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(i) + 1, steps.end(),
                       [&](const Step& later) {
                           return later.kind == step.kind && later.group == step.group &&
                                  later.file == step.file &&
                                  detail::subject_of(later.file, later.value) ==
                                      detail::subject_of(step.file, step.value);
                       });
}

/// What the kernel makes of a list of CPUs or memory nodes, as `<file>.effective` says: it may be
/// less than what was written, or, when nothing of it is left, all that the group above has.
/// Nothing for other steps.
[[nodiscard]] inline std::optional<Drift> effective_drift_of(const Step& step,
                                                             const Readback& effective) {
    const bool has_effective = step.file == "cpuset.cpus" || step.file == "cpuset.mems";
    if (step.kind != StepKind::write_value || !has_effective ||
        detail::is_same_set(effective.text, step.value)) {
        return std::nullopt;
    }
    const auto given = parse_set<PuSet>(effective.text);
    const auto asked = parse_set<PuSet>(step.value);
    const bool is_wider = given && asked && !asked->contains_all(*given);
    const char* what = step.file == "cpuset.cpus" ? "a CPU" : "a memory node";
    return Drift{step.resource, step.file + ".effective", step.value, effective.text,
                 std::string(is_wider ? "wider than the plan: " : "") + what +
                     " is offline, or belongs to somebody else"};
}

}  // namespace trestle
