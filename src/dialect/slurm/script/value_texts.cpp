// SPDX-License-Identifier: Apache-2.0
#include "value_texts.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "../../words.hpp"
#include "base/join.hpp"
#include "set/masks.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/job_report.hpp"
#include "trestle/set/text.hpp"

namespace trestle::slurm {
namespace {

using trestle::to_text;

using trestle::detail::join;
using Parts = std::vector<std::string>;

/// The largest number that a count of hardware may be written as.
constexpr std::int64_t hardware_max = 2'147'483'647;

/// `3,1*2`: what stands several times in a row once, with how often.
template <class T, class Text>
std::string repeated_text(const std::vector<T>& list, const Text& text_of) {
    Parts parts;
    for (std::size_t i = 0; i < list.size();) {
        std::size_t end = i + 1;
        while (end < list.size() && list[end] == list[i]) ++end;
        parts.push_back(text_of(list[i]));
        if (end - i > 1) parts.back() += fmt::format("*{}", end - i);
        i = end;
    }
    return join(parts, ",");
}

std::string list_text(const std::vector<std::uint32_t>& map, const std::vector<SmallSet<>>& masks) {
    if (!masks.empty()) {
        return ":" + repeated_text(masks, [](const SmallSet<>& mask) { return to_hex_mask(mask); });
    }
    if (map.empty()) return "";
    return ":" + repeated_text(map, [](std::uint32_t number) { return std::to_string(number); });
}

std::string frequency_text(const Frequency& frequency) {
    if (frequency.level == FrequencyLevel::megahertz) return to_text(frequency.megahertz);
    return std::string(to_text(frequency.level));
}

std::string mode_text(const DeviceBind& bind) {
    switch (bind.rule) {
        case DeviceBind::Rule::single:
            return "single:" + to_text(bind.count);
        case DeviceBind::Rule::per_task:
        case DeviceBind::Rule::shares:
            return "per_task:" + to_text(bind.count);
        case DeviceBind::Rule::map:
        case DeviceBind::Rule::mask:
            return std::string(to_text(bind.rule)) + list_text(bind.map, bind.masks);
        case DeviceBind::Rule::none:
        case DeviceBind::Rule::closest:
            break;
    }
    return std::string(to_text(bind.rule));
}

/// In parentheses where an operator in it would part it.
std::string grouped(const FeatureExpression& features, std::string_view operators) {
    const std::string text = to_text(features);
    return text.find_first_of(operators) == std::string::npos ? text : "(" + text + ")";
}

std::string job_text(const DependencyJob& job) {
    std::string text = std::to_string(job.job);
    if (job.all_tasks) text += "_*";
    if (job.task) text += "_" + std::to_string(*job.task);
    if (!job.minutes.is_zero()) text += "+" + to_text(job.minutes);
    return text;
}

/// In quotes where a comma, a quote or the word itself would mean something else.
std::string variable_text(const std::string& variable) {
    std::string text;
    for (const char c : variable) {
        if (c == ',' || c == '\'') {
            text += std::string{'"', c, '"'};
        } else if (c == '"') {
            text += "'\"'";
        } else {
            text += c;
        }
    }
    const bool is_word = words::same_word(text, "none") || words::same_word(text, "nil");
    return is_word ? "\"" + text + "\"" : text;
}

}  // namespace

std::string value_text(const NodeCounts& nodes) {
    if (!nodes.sizes.empty()) {
        Parts sizes;
        for (const Count size : nodes.sizes) sizes.push_back(to_text(size));
        if (sizes.size() == 1) sizes.push_back(sizes.front());  // one alone would be no list
        return join(sizes, ",");
    }
    const Range<Count>& range = nodes.range;
    if (!range.min || !range.max || range.is_single()) {
        return to_text(range.min ? *range.min : range.max.value_or(Count(1)));
    }
    return to_text(*range.min) + "-" + to_text(*range.max);
}

std::string value_text(const Range<Count>& hardware) {
    if (hardware.is_open()) return "*";
    if (hardware.is_single()) return to_text(*hardware.min);
    return to_text(hardware.min.value_or(Count(1))) + "-" +
           to_text(hardware.max.value_or(Count(hardware_max)));
}

std::string value_text(const TaskOrder& order) {
    std::string text;
    if (order.nodes) {
        text = to_text(*order.nodes);
        if (order.nodes == TaskSpread::plane) {
            text += "=" + to_text(order.plane_size.value_or(Count(1)));
        }
        if (order.sockets) text += ":" + std::string(to_text(*order.sockets));
        if (order.sockets && order.cores) text += ":" + std::string(to_text(*order.cores));
    }
    if (order.pack) {
        text += text.empty() ? "" : ",";
        text += *order.pack ? "Pack" : "NoPack";
    }
    return text;
}

std::string value_text(const CpuBind& bind) {
    Parts parts;
    if (bind.report) parts.emplace_back(to_text(*bind.report));
    if (bind.rule) {
        parts.push_back(std::string(to_text(*bind.rule)) + list_text(bind.map, bind.masks));
    }
    return join(parts, ",");
}

std::string value_text(const MemBind& bind) {
    Parts parts;
    if (bind.report) parts.emplace_back(to_text(*bind.report));
    if (bind.is_preferred) parts.emplace_back("prefer");
    if (bind.is_sorted) parts.emplace_back(*bind.is_sorted ? "sort" : "nosort");
    if (bind.rule) {
        parts.push_back(std::string(to_text(*bind.rule)) + list_text(bind.map, bind.masks));
    }
    return join(parts, ",");
}

std::string value_text(const TresBind& bind) {
    Parts parts;
    for (const DeviceBind& one : bind.rules) {
        const bool reports = bind.is_verbose && parts.empty();
        parts.push_back("gres/" + one.name + (reports ? ":verbose," : ":") + mode_text(one));
    }
    return join(parts, "+");
}

std::string value_text(const TaskTres& tres) {
    Parts parts;
    if (tres.cpus) parts.push_back("cpu=" + to_text(*tres.cpus));
    for (const Gres& one : tres.gres) parts.push_back("gres/" + to_text(one));
    for (const ClusterCount& one : tres.licenses) parts.push_back("license/" + to_text(one));
    return parts.empty() ? "," : join(parts, ",");
}

std::string value_text(const GpuFrequency& frequency) {
    Parts parts;
    if (frequency.graphics) parts.push_back(frequency_text(*frequency.graphics));
    if (frequency.memory) parts.push_back("memory=" + frequency_text(*frequency.memory));
    if (frequency.is_verbose) parts.emplace_back("verbose");
    return join(parts, ",");
}

std::string value_text(const GresFlags& flags) {
    Parts parts;
    for_each_field(flags, [&](std::string_view name, bool is_set) {
        if (!is_set) return;
        parts.emplace_back(name);
        std::replace(parts.back().begin(), parts.back().end(), '_', '-');
    });
    return join(parts, ",");
}

std::string value_text(const NodeConstraint& constraint) {
    const bool is_plain = constraint.counts.empty() && constraint.one_of.empty();
    if (is_plain) return to_text(constraint.features);
    Parts parts;
    if (!constraint.features.is_empty()) parts.push_back(grouped(constraint.features, "|"));
    Parts counts;
    for (const FeatureCount& one : constraint.counts) {
        counts.push_back(grouped(one.features, "&|") + "*" + to_text(one.nodes));
    }
    // Only one count alone, of one feature, stands without brackets in all releases.
    const bool is_alone = counts.size() == 1 && parts.empty() && constraint.one_of.empty() &&
                          counts.front().front() != '(';
    if (is_alone) return counts.front();
    if (!counts.empty()) parts.push_back("[" + join(counts, "&") + "]");
    Parts choices;
    for (const FeatureExpression& one : constraint.one_of) choices.push_back(grouped(one, "|"));
    if (!choices.empty()) parts.push_back("[" + join(choices, "|") + "]");
    return join(parts, "&");
}

std::string value_text(const LicenseList& list) {
    Parts parts;
    for (const ClusterCount& one : list.counts) parts.push_back(to_text(one));
    // What counts 0 is no entry, but it keeps the form of the list.
    if (parts.empty()) parts.emplace_back("none:0");
    if (list.is_any_of && parts.size() == 1) parts.emplace_back("none:0");
    return join(parts, list.is_any_of ? "|" : ",");
}

std::string value_text(const Switches& switches) {
    std::string text = to_text(switches.count);
    if (switches.max_wait) text += "@" + duration_text(switches.max_wait);
    return text;
}

std::string value_text(const TimeLimit& time) { return duration_text(time.limit); }

std::string value_text(const JobSignal& signal) {
    std::string text;
    if (signal.for_reservation) text += 'R';
    if (signal.to_batch_shell) text += 'B';
    if (!text.empty()) text += ':';
    return text + fmt::format("{}@{}", signal.number, signal.before.value());
}

std::string value_text(const JobArray& array) {
    Parts parts;
    for (const ArrayRange& range : array.ranges) {
        parts.push_back(std::to_string(range.first));
        if (range.last == range.first && range.step == 1) continue;
        parts.back() += "-" + std::to_string(range.last);
        if (range.step != 1) parts.back() += ":" + std::to_string(range.step);
    }
    return join(parts, ",") + (array.at_once ? "%" + to_text(*array.at_once) : "");
}

std::string value_text(const Dependencies& dependencies) {
    Parts parts;
    for (const Dependency& one : dependencies.list) {
        parts.emplace_back(to_text(one.kind));
        for (const DependencyJob& job : one.jobs) parts.back() += ":" + job_text(job);
    }
    return join(parts, dependencies.is_any_of ? "?" : ",");
}

std::string value_text(const ExportedVariables& exported) {
    Parts parts;
    switch (exported.base) {
        case ExportBase::none:
            return "NONE";
        case ExportBase::nil:
            return "NIL";
        case ExportBase::all:
            parts.emplace_back("ALL");
            break;
        case ExportBase::nothing:
            break;
    }
    for (const std::string& one : exported.variables) parts.push_back(variable_text(one));
    return join(parts, ",");
}

std::string value_text(const std::vector<ProcessSettings::Limit::Resource>& limits) {
    if (limits.empty()) return "NONE";
    Parts parts;
    for (const ProcessSettings::Limit::Resource one : limits) {
        std::string name(trestle::to_text(one));
        for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        parts.push_back(std::move(name));
    }
    if (parts.size() == enum_names(ProcessSettings::Limit::Resource{}).size()) return "ALL";
    return join(parts, ",");
}

std::string gpus_text(const std::vector<Gres>& gpus) {
    if (gpus.empty()) return "0";
    Parts parts;
    for (const Gres& one : gpus) {
        parts.push_back((one.type.empty() ? "" : one.type + ":") + to_text(one.count));
    }
    return join(parts, ",");
}

std::string gres_text(const std::vector<Gres>& gres) {
    return gres.empty() ? "none" : gres_list_text(gres);
}

}  // namespace trestle::slurm
