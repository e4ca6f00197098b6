// SPDX-License-Identifier: Apache-2.0
// A limit from the kernel's name and spelling of it, for tests that are written in those.
#pragma once

#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "enforce/detail/step_parts.hpp"
#include "trestle/enforce/step.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

namespace limit_text {

inline std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> all;
    for (std::string word; stream >> word;) all.push_back(word);
    return all;
}

template <class Quantity>
std::optional<Quantity> number(const std::string& text) {
    if (text == "max") return std::nullopt;
    return Quantity(std::stoll(text));
}

/// The number behind `key=`, if there is one.
template <class Quantity>
std::optional<Quantity> number_of(const std::vector<std::string>& words, const std::string& key) {
    for (const std::string& word : words) {
        if (word.starts_with(key + "=")) return number<Quantity>(word.substr(key.size() + 1));
    }
    return std::nullopt;
}

inline PuSet set_of(const std::string& text) {
    const auto set = parse_set<PuSet>(text);
    if (!set) throw std::invalid_argument(text + ": no list");
    return *set;
}

inline Bytes page_size(const std::string& file) {
    const std::string size = file.substr(8, file.find('.', 8) - 8);
    const Bytes count(std::stoll(size));
    if (size.ends_with("GB")) return count * 1'073'741'824;
    return size.ends_with("MB") ? count * 1'048'576 : count * 1024;
}

inline std::optional<Limit> memory(const std::string& file, const std::string& value) {
    for (const MemoryLimit::File one :
         {MemoryLimit::File::max, MemoryLimit::File::high, MemoryLimit::File::low,
          MemoryLimit::File::min, MemoryLimit::File::swap_max}) {
        if (file_of(MemoryLimit{one, {}}) == file) return MemoryLimit{one, number<Bytes>(value)};
    }
    return std::nullopt;
}

inline std::optional<Limit> line(const std::string& file, const std::vector<std::string>& parts) {
    if (file == "io.max") {
        const auto colon = parts[0].find(':');
        return IoLimit{static_cast<std::uint32_t>(std::stoul(parts[0].substr(0, colon))),
                       static_cast<std::uint32_t>(std::stoul(parts[0].substr(colon + 1))),
                       number_of<Bytes>(parts, "rbps"),
                       number_of<Bytes>(parts, "wbps"),
                       number_of<Count>(parts, "riops"),
                       number_of<Count>(parts, "wiops")};
    }
    if (file == "rdma.max") {
        return RdmaLimit{parts[0], number_of<Count>(parts, "hca_handle"),
                         number_of<Count>(parts, "hca_object")};
    }
    if (file == "misc.max") {
        return MiscLimit{parts[0], number<Count>(parts[1]).value_or(Count::max())};
    }
    return std::nullopt;
}

}  // namespace limit_text

/// Throws for a file that no limit has, and for a value that is none of its.
[[nodiscard]] inline Limit limit_of_text(const std::string& file, const std::string& value) {
    using namespace limit_text;
    const std::vector<std::string> parts = words(value);
    if (file == "cpuset.cpus") return CpusLimit{set_of(value)};
    if (file == "cpuset.mems") return MemsLimit{set_of(value)};
    if (file == "cpuset.cpus.partition") {
        return PartitionLimit{enum_from_text<CpusetPartition>(value).value()};
    }
    if (file == "cpu.max") {
        const auto quota = number<MilliCpu>(parts.at(0));
        const std::int64_t period = parts.size() > 1 ? std::stoll(parts[1]) : 100'000;
        return CpuTimeLimit{quota ? std::optional(MilliCpu(quota->value() * 1000 / period))
                                  : std::nullopt};
    }
    if (file == "cpu.weight") return CpuWeightLimit{Count(std::stoll(value))};
    if (file == "io.weight") return IoWeightLimit{Count(std::stoll(parts.back()))};
    if (file == "memory.oom.group") return OomGroupLimit{value == "1"};
    if (file == "pids.max") return PidsLimit{number<Count>(value)};
    if (file.starts_with("hugetlb.")) {
        const Bytes most = number<Bytes>(value).value_or(Bytes::max());
        if (file.ends_with(".rsvd.max")) return HugetlbReservation{page_size(file), most};
        return HugetlbLimit{page_size(file), most};
    }
    if (const auto found = memory(file, value)) return *found;
    if (const auto found = line(file, parts)) return *found;
    throw std::invalid_argument(file + ": no limit has this file");
}

/// `value` into `file` of `group`.
[[nodiscard]] inline Step limit_step(const std::string& group, const std::string& file,
                                     const std::string& value, const std::string& resource = {}) {
    return {Step::SetLimit{limit_of_text(file, value)}, Requirement::require, resource, group};
}

/// The file that the step writes, and what; empty for a step that sets no limit.
[[nodiscard]] inline std::string file_of_step(const Step& step) {
    const Limit* limit = limit_of(step);
    return limit == nullptr ? "" : file_of(*limit);
}
[[nodiscard]] inline std::string value_of_step(const Step& step) {
    const Limit* limit = limit_of(step);
    return limit == nullptr ? "" : file_value(*limit);
}

/// The controller that the step enables; empty for other steps.
[[nodiscard]] inline std::string enabled_by(const Step& step) {
    const auto* enable = action_of<Step::EnableController>(step);
    return enable == nullptr ? "" : enable->controller;
}

}  // namespace trestle
