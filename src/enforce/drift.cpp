// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/drift.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "enforce/detail/file_order.hpp"
#include "trestle/set/small_set.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

std::string to_text(const Drift& drift) {
    const std::string found = drift.found.empty() ? "missing" : drift.found;
    return drift.resource + ": " + drift.file + " is " + found + ", expected " + drift.expected +
           ": " + drift.why;
}

namespace detail {

std::vector<std::string_view> split_text(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(separators), text.size());
        if (end > 0) words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

std::optional<std::uint64_t> kernel_bytes(std::string_view text) {
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

std::optional<std::uint64_t> huge_page_of(std::string_view file) {
    if (!file.starts_with("hugetlb.")) return std::nullopt;
    const auto parts = split_text(file, ".");
    if (parts.size() < 2 || !parts[1].ends_with('B')) return std::nullopt;
    return kernel_bytes(parts[1].substr(0, parts[1].size() - 1));
}

std::uint64_t counted_bytes(std::string_view text, std::uint64_t unit) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const std::uint64_t number = text == "max" ? most : kernel_bytes(text).value_or(most);
    return std::min(number, most) / unit * unit;
}

std::vector<KeyedLine> keyed_lines(std::string_view text) {
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

bool holds_lines(std::string_view found, std::string_view written) {
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

bool is_same_quota(std::string_view found, std::string_view written) {
    const auto now = split_text(found, " ");
    const auto then = split_text(written, " ");
    return !then.empty() && then.size() <= now.size() &&
           std::equal(then.begin(), then.end(), now.begin());
}

bool is_same_set(std::string_view a, std::string_view b) {
    const auto one = parse_set<PuSet>(a);
    const auto other = parse_set<PuSet>(b);
    return one && other && *one == *other;
}

bool is_in_force(const Step& step, const Readback& found) {
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

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ';');
    return text;
}

}  // namespace detail

std::optional<Drift> drift_of(const Step& step, const Readback& found) {
    if (step.kind != StepKind::write_value || detail::is_in_force(step, found)) {
        return std::nullopt;
    }
    const bool is_invalid = found.text.starts_with(step.value + " invalid");
    const char* why = is_invalid ? "the kernel cannot keep the partition apart any more"
                                 : "somebody else wrote the file since";
    return Drift{step.resource, step.file, step.value, detail::one_line(found.text), why};
}

bool is_overwritten(const std::vector<Step>& steps, std::size_t i) {
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

std::optional<Drift> effective_drift_of(const Step& step, const Readback& effective) {
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
