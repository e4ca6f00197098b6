// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/hardware.hpp"

#include <algorithm>
#include <cstdint>

namespace trestle {

CoreSet HardwareTree::all_cores() const { return CoreSet::range({0, core_count()}); }

PuSet HardwareTree::threads_of(const CoreSet& set) const {
    PuSet threads;
    for (const CoreId core : set) {
        TRESTLE_EXPECTS(core.value() < cores.size(), "the core exists on this machine");
        for (const OsIndex thread : cores[core.value()].threads) threads.insert(thread);
    }
    return threads;
}

CoreSet HardwareTree::cores_of(const PuSet& threads) const {
    CoreSet set;
    for (std::uint32_t i = 0; i < core_count(); ++i) {
        for (const OsIndex thread : cores[i].threads) {
            if (threads.contains(thread)) set.insert(CoreId(i));
        }
    }
    return set;
}

CoreSet HardwareTree::cores_of_kind(Core::Kind kind) const {
    std::uint32_t highest = 0;
    for (const Core& core : cores) highest = std::max(highest, core.kind);
    CoreSet set;
    for (std::uint32_t i = 0; i < core_count(); ++i) {
        const bool is_fastest = cores[i].kind == highest;
        if (is_fastest == (kind == Core::Kind::performance)) set.insert(CoreId(i));
    }
    return set;
}

ThreadCounts::ThreadCounts(const HardwareTree& tree) {
    const auto threads_of = [&](std::uint32_t core) { return tree.cores[core].threads.size(); };
    for (std::uint32_t first = 0, last = 0; first < tree.core_count(); first = last) {
        while (last < tree.core_count() && threads_of(last) == threads_of(first)) ++last;
        add(static_cast<std::int64_t>(threads_of(first)), {first, last});
    }
}

std::int64_t ThreadCounts::of(const CoreSet& cores) const {
    std::int64_t sum = 0;
    for (const Kind& kind : kinds_) sum += kind.threads * kind.cores.count_and(cores);
    return sum;
}

void ThreadCounts::add(std::int64_t threads, Interval<std::uint32_t> cores) {
    auto at = std::find_if(kinds_.begin(), kinds_.end(),
                           [&](const Kind& kind) { return kind.threads >= threads; });
    if (at == kinds_.end() || at->threads != threads) at = kinds_.insert(at, {threads, {}});
    at->cores.insert_range(cores);
}

}  // namespace trestle
