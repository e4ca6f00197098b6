// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/step.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "enforce/detail/step_parts.hpp"
#include "enforce/limits/limit_lines.hpp"

namespace trestle {

namespace {

/// Puts a limit into the field that has it. A line without limit leaves a list.
struct AddLimit {
    Limits& limits;

    void operator()(const CpusLimit& one) const { limits.cpus = one.cpus; }
    void operator()(const MemsLimit& one) const { limits.mems = one.mems; }
    void operator()(const PartitionLimit& one) const { limits.partition = one.partition; }
    void operator()(const CpuTimeLimit& one) const { limits.cpu_max = one.time; }
    void operator()(const CpuWeightLimit& one) const { limits.cpu_weight = one.weight; }
    void operator()(const MemoryLimit& one) const {
        switch (one.file) {
            case MemoryLimit::File::max:
                limits.memory_max = one.bytes;
                break;
            case MemoryLimit::File::high:
                limits.memory_high = one.bytes;
                break;
            case MemoryLimit::File::low:
                limits.memory_low = one.bytes;
                break;
            case MemoryLimit::File::min:
                limits.memory_min = one.bytes;
                break;
            case MemoryLimit::File::swap_max:
                limits.swap_max = one.bytes;
                break;
        }
    }
    void operator()(const OomGroupLimit& one) const { limits.is_oom_group = one.is_on; }
    void operator()(const PidsLimit& one) const { limits.pids_max = one.max; }
    void operator()(const IoLimit& one) const { put(limits.io, one); }
    void operator()(const IoWeightLimit& one) const { limits.io_weight = one.weight; }
    void operator()(const HugetlbLimit& one) const { put(limits.hugetlb, one); }
    void operator()(const HugetlbReservation&) const {}
    void operator()(const RdmaLimit& one) const { put(limits.rdma, one); }
    void operator()(const MiscLimit& one) const { put(limits.misc, one); }

  private:
    template <class T>
    static void put(std::vector<T>& all, const T& one) {
        std::erase_if(all, [&](const T& other) { return is_same_line(other, one); });
        if (Limit(one) != default_of(one)) all.push_back(one);
    }
};

std::string admitted_text(const DeviceAllowList& devices) {
    std::string text;
    const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
    for (const DeviceRule& rule : devices.rules.rules) add(to_text(rule));
    for (const DeviceAllowList::File& file : devices.files) add(to_text(file));
    return text.empty() ? "none" : text;
}

struct ActionText {
    const std::string& group;

    std::string operator()(const Step::EnableController& one) const {
        return "enable " + one.controller + " below /" + group;
    }
    std::string operator()(const Step::MakeGroup&) const { return "make group " + group; }
    std::string operator()(const Step::SetLimit& one) const {
        return "write " + group + "/" + file_of(one.limit) + " = " + file_value(one.limit);
    }
    std::string operator()(const Step::LabelGroup& one) const {
        return "label " + group + " with owner " + std::to_string(one.owner.value());
    }
    std::string operator()(const Step::LoadFilter& one) const {
        return "filter devices of " + group + ": " + admitted_text(one.devices);
    }
    std::string operator()(const Step::SetFrozen& one) const {
        return (one.is_frozen ? "freeze " : "thaw ") + group;
    }
    std::string operator()(const Step::MakeScratch& one) const {
        return "make scratch " + to_text(one.directory) + " for " + group;
    }
};

}  // namespace

void Step::SetLimit::hash_into(HashState& state) const { detail::hash_variant(state, limit); }

void Step::hash_into(HashState& state) const {
    detail::hash_variant(state, action);
    trestle::hash_into(state, requirement);
    trestle::hash_into(state, resource);
    trestle::hash_into(state, group);
}

Limits limits_of(const std::vector<Step>& steps, std::string_view group) {
    Limits limits;
    for (const Step& step : steps) {
        const Limit* limit = limit_of(step);
        if (limit != nullptr && step.group == group) std::visit(AddLimit{limits}, *limit);
    }
    return limits;
}

std::string to_text(const Step& step) {
    const std::string line = std::visit(ActionText{step.group}, step.action);
    return step.requirement == Requirement::best_effort ? line + " (best effort)" : line;
}

}  // namespace trestle
