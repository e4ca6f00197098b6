// SPDX-License-Identifier: Apache-2.0
// What a group is while steps change it, and which of two such states lets its processes do more:
// written from the kernel's documentation alone, for the law of plan_update.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "enforce/detail/step_parts.hpp"
#include "enforce/device/resolved_rules.hpp"
#include "trestle/enforce/device/allow_list.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/step.hpp"

namespace trestle {

struct GroupModel {
    /// `memory.max`, `io.max 8:0 rbps`, `misc.max sev`: what is in it, where something was written.
    std::map<std::string, std::string> files;
    std::optional<DeviceRules> filter;
    bool is_frozen = false;

    void run(const Step& step) {
        if (const Limit* limit = limit_of(step)) {
            write(file_of(*limit), file_value(*limit));
        } else if (const auto* load = action_of<Step::LoadFilter>(step)) {
            filter = resolved_rules(load->devices).value();
        } else if (const auto* set = action_of<Step::SetFrozen>(step)) {
            is_frozen = set->is_frozen;
        }
    }

    [[nodiscard]] static GroupModel of(const Plan& plan) {
        GroupModel model;
        for (const Step& step : plan.steps) model.run(step);
        return model;
    }

    [[nodiscard]] std::string text(const std::string& file, const std::string& otherwise) const {
        const auto at = files.find(file);
        return at == files.end() ? otherwise : at->second;
    }

  private:
    void write(const std::string& file, const std::string& value) {
        if (file == "io.max" || file == "rdma.max") {
            std::istringstream words(value);
            std::string subject, word;
            words >> subject;
            while (words >> word) {
                const auto equals = word.find('=');
                files[file + " " + subject + " " + word.substr(0, equals)] =
                    word.substr(equals + 1);
            }
        } else if (file == "misc.max") {
            files[file + " " + value.substr(0, value.find(' '))] =
                value.substr(value.find(' ') + 1);
        } else if (file == "io.weight") {
            files[file] = value.substr(value.find(' ') + 1);
        } else {
            files[file] = value;
        }
    }
};

namespace update_oracle {

inline double number(const std::string& text) {
    return text == "max" ? std::numeric_limits<double>::infinity() : std::stod(text);
}

inline double cpu_share(const std::string& text) {
    std::istringstream words(text);
    std::string quota;
    double period = 100'000;
    words >> quota >> period;
    return number(quota) / period;
}

/// `0-1,3`; an empty text is what the parent has: all.
inline std::set<int> indexes(const std::string& text) {
    std::set<int> set;
    if (text.empty()) {
        for (int i = 0; i < 64; ++i) set.insert(i);
        return set;
    }
    std::istringstream parts(text);
    std::string part;
    while (std::getline(parts, part, ',')) {
        const auto dash = part.find('-');
        const int first = std::stoi(part.substr(0, dash));
        const int last = dash == part.npos ? first : std::stoi(part.substr(dash + 1));
        for (int i = first; i <= last; ++i) set.insert(i);
    }
    return set;
}

/// True when `a` lets a process do no more than `b`, as far as this file goes.
inline bool is_file_within(const std::string& file, const GroupModel& a, const GroupModel& b) {
    if (file == "cpu.max") {
        return cpu_share(a.text(file, "max")) <= cpu_share(b.text(file, "max"));
    }
    if (file == "cpuset.cpus" || file == "cpuset.mems") {
        const std::set<int> mine = indexes(a.text(file, "")), other = indexes(b.text(file, ""));
        for (const int index : mine) {
            if (!other.contains(index)) return false;
        }
        return true;
    }
    if (file == "cpuset.cpus.partition") {
        const std::string mine = a.text(file, "member");
        return mine == "member" || mine == b.text(file, "member");
    }
    if (file == "memory.oom.group") return a.text(file, "0") >= b.text(file, "0");
    std::string otherwise = "max";
    if (file == "memory.low" || file == "memory.min") otherwise = "0";
    if (file == "cpu.weight" || file == "io.weight") otherwise = "100";
    return number(a.text(file, otherwise)) <= number(b.text(file, otherwise));
}

/// Every device of a small world, with each kind of access.
inline bool is_filter_within(const GroupModel& a, const GroupModel& b) {
    if (!b.filter || a.filter == b.filter) return true;
    for (const auto kind : {Device::File::Kind::character, Device::File::Kind::block}) {
        for (const std::uint32_t major : {1u, 2u, 3u}) {
            for (const std::uint32_t minor : {0u, 1u, 2u}) {
                for (const std::uint32_t bit : {1u, 2u, 4u}) {
                    const DeviceRules::Probe probe{kind, major, minor,
                                                   DeviceRule::Access::of_bits(bit)};
                    if ((!a.filter || allowed(*a.filter, probe)) && !allowed(*b.filter, probe)) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

/// True when `a` is looser than `b` in nothing. What is frozen does nothing.
inline bool is_within(const GroupModel& a, const GroupModel& b) {
    if (a.is_frozen) return true;
    std::set<std::string> files;
    for (const auto& [file, text] : a.files) files.insert(file);
    for (const auto& [file, text] : b.files) files.insert(file);
    for (const std::string& file : files) {
        if (!is_file_within(file, a, b)) return false;
    }
    return is_filter_within(a, b);
}

inline bool is_same(const GroupModel& a, const GroupModel& b) {
    return a.is_frozen == b.is_frozen && is_within(a, b) && is_within(b, a);
}

}  // namespace update_oracle
}  // namespace trestle
