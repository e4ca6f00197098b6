// SPDX-License-Identifier: Apache-2.0
// --tres-per-task, --gpu-freq, --gres-flags, licences.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "grammars.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/quantities.hpp"

namespace trestle::slurm {
namespace {

constexpr std::string_view task_words =
    "cpu=n, gres/name[:type]:n or license/name:n, as in cpu=4,gres/gpu:a100:2";
constexpr std::string_view frequency_words = "low, medium, high, highm1 or a number of MHz";
constexpr std::string_view license_words = "name[@server][:count], as in matlab:2";

TextResult<Frequency> read_frequency(TextCursor text) {
    Frequency frequency;
    const auto level = enum_of_word<FrequencyLevel>(text.rest());
    const bool is_lower = words::lower(text.rest()) == text.rest();
    if (level && *level != FrequencyLevel::megahertz && is_lower) {
        frequency.level = *level;
        return frequency;
    }
    const TextCursor start = text;
    const auto number = text.take_number();
    if (!number || !text.at_end()) return start.error("unknown frequency", frequency_words);
    constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
    return Frequency{FrequencyLevel::megahertz,
                     Count(static_cast<std::int64_t>(std::min(*number, most)))};
}

/// Adds as Slurm does: none of count 0, the last of a name and type wins.
void add_gres(std::vector<Gres>& list, const std::vector<Gres>& read) {
    for (const Gres& one : read) {
        const auto same = std::find_if(list.begin(), list.end(), [&](const Gres& known) {
            return known.name == one.name && known.type == one.type;
        });
        if (same == list.end()) {
            list.push_back(one);
        } else {
            *same = one;
        }
    }
}

std::optional<TextError> read_task_item(TextCursor text, TaskTres& tres) {
    const TextCursor start = text;
    const std::string_view type = text.take_until("/:=");
    if (words::same_word(type, "cpu")) {
        if (!text.accept('=') && !text.accept(':')) return start.error("no count", task_words);
        const auto count = read_one_or_more(text);
        if (!count) return count.error();
        if (!tres.cpus) tres.cpus = *count;  // the first, unlike GRES
        return std::nullopt;
    }
    if (words::same_word(type, "gres")) {
        const char separator = text.peek();
        if ((separator != '/' && separator != ':') || !text.accept(separator)) {
            return start.error("gres without a name", task_words);
        }
        const auto list = read_gres(text);
        if (!list) return list.error();
        add_gres(tres.gres, *list);
        return std::nullopt;
    }
    if (words::same_word(type, "license") && text.accept('/')) {
        auto license = read_license(text);
        if (!license) return license.error();
        if (add_count(tres.licenses, *license)) return std::nullopt;
        return start.error("too many licences", license_words);
    }
    constexpr std::array<std::string_view, 8> others{"mem", "energy", "node",  "billing",
                                                     "fs",  "vmem",   "pages", "bb"};
    const bool is_other = words::is_one_of(type, others);
    return start.error(is_other ? "a TRES that no task can ask for" : "unknown TRES", task_words);
}

}  // namespace

bool add_count(std::vector<ClusterCount>& counts, ClusterCount one) {
    if (one.count.is_zero()) return true;
    const auto at = std::lower_bound(
        counts.begin(), counts.end(), one,
        [](const ClusterCount& a, const ClusterCount& b) { return a.name < b.name; });
    if (at == counts.end() || at->name != one.name) {
        counts.insert(at, std::move(one));
        return true;
    }
    const auto sum = checked_add(at->count, one.count);
    if (sum) at->count = *sum;
    return sum.has_value();
}

TextResult<ClusterCount> read_license(TextCursor text) {
    ClusterCount one;
    const TextCursor start = text;
    one.name = text.take_until(":= \t");
    if (one.name.empty()) return start.error("no licence", license_words);
    if (text.at_end()) return one;
    if (!text.accept(':') && !text.accept('=')) return text.error("unexpected text", license_words);
    const auto count = read_zero_or_more(text);
    if (!count) return count.error();
    one.count = *count;
    return one;
}

namespace {

/// As add_count(), but a new name is the last.
bool add_behind(std::vector<ClusterCount>& counts, const ClusterCount& one) {
    if (one.count.is_zero()) return true;
    const auto at = std::find_if(counts.begin(), counts.end(),
                                 [&](const ClusterCount& known) { return known.name == one.name; });
    if (at == counts.end()) {
        counts.push_back(one);
        return true;
    }
    const auto sum = checked_add(at->count, one.count);
    if (sum) at->count = *sum;
    return sum.has_value();
}

}  // namespace

TextResult<LicenseList> read_licenses(TextCursor text) {
    LicenseList list;
    list.is_any_of = text.rest().find('|') != std::string_view::npos;
    const std::string_view separators = list.is_any_of ? "|" : ",;";
    do {
        const TextCursor item = take_piece(text, separators);
        if (item.at_end()) continue;
        if (item.rest().find_first_of(",;") != std::string_view::npos) {
            return item.error("both , and |", "licences with only one of them between");
        }
        const auto one = read_license(item);
        if (!one) return one.error();
        const bool fits =
            list.is_any_of ? add_behind(list.counts, *one) : add_count(list.counts, *one);
        if (!fits) return item.error("too many licences", license_words);
    } while (text.accept(separators[0]) || (!list.is_any_of && text.accept(';')));
    return list;
}

TextResult<TaskTres> read_task_tres(TextCursor text) {
    TaskTres tres;
    do {
        const TextCursor item = take_piece(text, ",");
        if (item.at_end()) continue;
        if (auto error = read_task_item(item, tres)) return *error;
    } while (text.accept(','));
    return tres;
}

TextResult<GpuFrequency> read_gpu_frequency(TextCursor text) {
    GpuFrequency result;
    do {
        TextCursor item = take_piece(text, ",");
        if (item.at_end()) continue;
        if (item.rest() == "verbose") {
            result.is_verbose = true;
            continue;
        }
        const bool is_memory = item.accept("memory=");
        const auto frequency = read_frequency(item);
        if (!frequency) return frequency.error();
        (is_memory ? result.memory : result.graphics) = *frequency;
    } while (text.accept(','));
    return result;
}

TextResult<GresFlags> read_gres_flags(TextCursor text) {
    GresFlags flags;
    struct Flag {
        std::string_view name;
        bool GresFlags::*member;
    };
    constexpr std::array<Flag, 5> known{{
        {"disable-binding", &GresFlags::disable_binding},
        {"enforce-binding", &GresFlags::enforce_binding},
        {"one-task-per-sharing", &GresFlags::one_task_per_sharing},
        {"multiple-tasks-per-sharing", &GresFlags::multiple_tasks_per_sharing},
        {"allow-task-sharing", &GresFlags::allow_task_sharing},
    }};
    do {
        const TextCursor item = take_piece(text, ",");
        if (item.at_end()) continue;
        const auto flag = std::find_if(known.begin(), known.end(), [&](const Flag& one) {
            return words::same_word(one.name, item.rest());
        });
        if (flag == known.end()) {
            return item.error("unknown flag",
                              "disable-binding, enforce-binding, one-task-per-sharing, "
                              "multiple-tasks-per-sharing or allow-task-sharing");
        }
        flags.*(flag->member) = true;
    } while (text.accept(','));
    return flags;
}

}  // namespace trestle::slurm
