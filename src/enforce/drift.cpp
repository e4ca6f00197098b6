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
#include <system_error>
#include <utility>
#include <vector>

#include "enforce/detail/readback.hpp"
#include "enforce/detail/step_parts.hpp"
#include "enforce/limits/kernel_values.hpp"
#include "enforce/limits/limit_lines.hpp"
#include "trestle/set/small_set.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

namespace {

std::vector<std::string_view> split_text(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(separators), text.size());
        if (end > 0) words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

/// A number of a file, the greatest for `max`; nothing for another text.
std::optional<std::uint64_t> kernel_number(std::string_view text) {
    if (text == "max") return std::numeric_limits<std::uint64_t>::max();
    std::uint64_t number = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

/// Bytes after a page counter has had them: whole pages of those that can be counted.
std::uint64_t counted(std::uint64_t bytes, Bytes page) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto unit = static_cast<std::uint64_t>(std::max(page, Bytes(1)).value());
    return std::min(bytes, most) / unit * unit;
}

/// Whether what is found is what the kernel makes of a limit.
struct LimitInForce {
    const Readback& found;

    bool operator()(const CpusLimit& one) const { return has_set(one.cpus); }
    bool operator()(const MemsLimit& one) const { return has_set(one.mems); }
    bool operator()(const PartitionLimit& one) const {
        return found.text == to_text(one.partition);
    }
    bool operator()(const CpuTimeLimit& one) const {
        const auto words = split_text(found.text, " ");
        if (!one.time) return !words.empty() && words[0] == "max";
        const auto [quota, period] = cpu_quota(*one.time);
        return words.size() == 2 && is_number(words[0], quota) && is_number(words[1], period);
    }
    bool operator()(const CpuWeightLimit& one) const {
        return is_number(found.text, one.weight.value());
    }
    bool operator()(const MemoryLimit& one) const { return has_bytes(one.bytes, found.page); }
    bool operator()(const OomGroupLimit& one) const { return is_number(found.text, one.is_on); }
    bool operator()(const PidsLimit& one) const { return found.text == number_or_max(one.max); }
    bool operator()(const IoLimit& one) const {
        return has_numbers(device_number(one), {{"rbps", number_of(one.read_bytes)},
                                                {"wbps", number_of(one.write_bytes)},
                                                {"riops", number_of(one.reads)},
                                                {"wiops", number_of(one.writes)}});
    }
    bool operator()(const IoWeightLimit& one) const {
        return has_numbers("default", {{"", number_of(std::optional(one.weight))}});
    }
    bool operator()(const HugetlbLimit& one) const { return has_bytes(one.max, one.page_size); }
    bool operator()(const HugetlbReservation& one) const {
        return has_bytes(one.max, one.page_size);
    }
    bool operator()(const RdmaLimit& one) const {
        return has_numbers(one.device, {{"hca_handle", number_of(one.hca_handles)},
                                        {"hca_object", number_of(one.hca_objects)}});
    }
    bool operator()(const MiscLimit& one) const {
        const bool is_max = one.max == Count::max();
        return has_numbers(one.name,
                           {{"", number_of(is_max ? std::nullopt : std::optional(one.max))}});
    }

  private:
    using Numbers = std::vector<std::pair<std::string_view, std::optional<std::int64_t>>>;

    template <class Quantity>
    static std::optional<std::int64_t> number_of(const std::optional<Quantity>& quantity) {
        return quantity ? std::optional(quantity->value()) : std::nullopt;
    }
    static bool is_number(std::string_view text, std::int64_t number) {
        return kernel_number(text) == static_cast<std::uint64_t>(number);
    }
    bool has_set(const PuSet& wanted) const {
        const auto set = parse_set<PuSet>(found.text);
        return set && *set == wanted;
    }
    bool has_bytes(const std::optional<Bytes>& wanted, Bytes page) const {
        const auto now = kernel_number(found.text);
        const Bytes bytes = wanted.value_or(Bytes::max());
        return now &&
               counted(*now, page) == counted(static_cast<std::uint64_t>(bytes.value()), page);
    }
    /// True when the line about `subject` has these numbers, each after its key and `=`. A line
    /// whose limits are all `max` may be missing: the kernel leaves such lines out.
    bool has_numbers(std::string_view subject, const Numbers& wanted) const {
        for (const std::string_view line : split_text(found.text, "\n")) {
            const auto words = split_text(line, " \t");
            if (words.empty() || words[0] != subject) continue;
            return std::all_of(wanted.begin(), wanted.end(), [&](const auto& one) {
                const auto& [key, number] = one;
                std::string word(key);
                if (!key.empty()) word += '=';
                word += number ? std::to_string(*number) : "max";
                return std::find(words.begin() + 1, words.end(), word) != words.end();
            });
        }
        return std::all_of(wanted.begin(), wanted.end(),
                           [](const auto& one) { return !one.second; });
    }
};

/// True when `found` is what the kernel says after `limit` was written.
bool is_in_force(const Limit& limit, const Readback& found) {
    return std::visit([&](const auto& one) { return LimitInForce{found}(one); }, limit);
}

/// One line, whatever a file holds.
std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ';');
    return text;
}

}  // namespace

std::string to_text(const Drift& drift) {
    const std::string found = drift.found.empty() ? "missing" : drift.found;
    return drift.resource + ": " + drift.file + " is " + found + ", expected " + drift.expected +
           ": " + drift.why;
}

std::optional<Drift> drift_of(const Step& step, const Readback& found) {
    const Limit* limit = limit_of(step);
    if (limit == nullptr || is_in_force(*limit, found)) return std::nullopt;
    const bool is_invalid = std::holds_alternative<PartitionLimit>(*limit) &&
                            found.text.starts_with(file_value(*limit) + " invalid");
    const char* why = is_invalid ? "the kernel cannot keep the partition apart any more"
                                 : "another process wrote the file since";
    return Drift{step.resource, file_of(*limit), file_value(*limit), one_line(found.text), why};
}

bool is_overwritten(const std::vector<Step>& steps, std::size_t i) {
    const Step& step = steps[i];
    if (action_of<Step::EnableController>(step) || action_of<Step::MakeGroup>(step)) return false;
    const Limit* limit = limit_of(step);
    return std::any_of(
        steps.begin() + static_cast<std::ptrdiff_t>(i) + 1, steps.end(), [&](const Step& later) {
            return later.action.index() == step.action.index() && later.group == step.group &&
                   (limit == nullptr || is_same_line(*limit_of(later), *limit));
        });
}

std::optional<Drift> effective_drift_of(const Step& step, const Readback& effective) {
    const Limit* limit = limit_of(step);
    if (limit == nullptr) return std::nullopt;
    const auto* cpus = std::get_if<CpusLimit>(limit);
    const auto* mems = std::get_if<MemsLimit>(limit);
    if (cpus == nullptr && mems == nullptr) return std::nullopt;
    const PuSet& asked = cpus != nullptr ? cpus->cpus : mems->mems;
    const auto given = parse_set<PuSet>(effective.text);
    if (given && *given == asked) return std::nullopt;
    const bool is_wider = given && !asked.contains_all(*given);
    const char* what = cpus != nullptr ? "a CPU" : "a memory node";
    return Drift{step.resource, file_of(*limit) + ".effective", file_value(*limit), effective.text,
                 std::string(is_wider ? "wider than the plan: " : "") + what +
                     " is offline, or belongs to another partition"};
}

}  // namespace trestle
