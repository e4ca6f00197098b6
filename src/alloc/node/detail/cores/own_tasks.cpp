// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/cores/own_tasks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace trestle {

namespace {

constexpr std::size_t patterns_limit = 1'024;
constexpr std::size_t table_limit = std::size_t{1} << 22;  ///< entries times patterns

}  // namespace

OwnTasks::OwnTasks(std::vector<AlikeCores> cores, Count cpus_per_task, Count tasks_per_core)
    : cores_(std::move(cores)),
      cpus_(cpus_per_task.value()),
      tasks_per_core_(tasks_per_core.value()) {
    for (std::size_t i = 0; i < cores_.size(); ++i) {
        if (cores_[i].cpus < cpus_ && cores_[i].count > 0) small_.push_back(i);
    }
    std::stable_sort(small_.begin(), small_.end(),
                     [&](std::size_t a, std::size_t b) { return cores_[a].cpus > cores_[b].cpus; });
    if (small_.size() < 2) return;
    Counts pattern(cores_.size(), 0);
    find_patterns(0, cpus_, pattern);
    if (patterns_.size() < patterns_limit) fill_table();
}

void OwnTasks::find_patterns(std::size_t at, std::int64_t missing, Counts& pattern) {
    if (at == small_.size() || patterns_.size() == patterns_limit) return;
    const std::size_t kind = small_[at];
    const std::int64_t enough = missing / cores_[kind].cpus + (missing % cores_[kind].cpus != 0);
    const std::int64_t most = std::min<std::int64_t>(enough, cores_[kind].count);
    for (std::int64_t n = 0; n <= most && patterns_.size() < patterns_limit; ++n) {
        pattern[kind] = static_cast<std::uint32_t>(n);
        const std::int64_t left = missing - n * cores_[kind].cpus;
        if (left > 0) {
            find_patterns(at + 1, left, pattern);
        } else {
            patterns_.push_back(pattern);
        }
    }
    pattern[kind] = 0;
}

void OwnTasks::fill_table() {
    std::size_t size = 1;
    for (const std::size_t kind : small_) {
        steps_.push_back(size);
        size *= std::size_t{cores_[kind].count} + 1;
        if (size * std::max<std::size_t>(1, patterns_.size()) > table_limit) return;
    }
    table_.assign(size, 0);
    Counts counts(cores_.size(), 0);
    for (std::size_t index = 0; index < size; ++index) {
        for (const Counts& pattern : patterns_) {
            if (!fits(pattern, counts)) continue;
            table_[index] = std::max(table_[index], table_[index - index_of(pattern)] + 1);
        }
        for (const std::size_t kind : small_) {
            if (++counts[kind] <= cores_[kind].count) break;
            counts[kind] = 0;
        }
    }
}

bool OwnTasks::fits(const Counts& pattern, const Counts& left) const {
    return std::all_of(small_.begin(), small_.end(),
                       [&](std::size_t kind) { return pattern[kind] <= left[kind]; });
}

std::size_t OwnTasks::index_of(const Counts& counts) const {
    std::size_t index = 0;
    for (std::size_t i = 0; i < small_.size(); ++i) index += steps_[i] * counts[small_[i]];
    return index;
}

std::int64_t OwnTasks::on_one(std::size_t kind) const {
    constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
    return std::min(tasks_per_core_ == 0 ? any : tasks_per_core_,
                    cpus_ == 0 ? any : cores_[kind].cpus / cpus_);
}

std::int64_t OwnTasks::most(const Counts& counts) const {
    constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
    std::int64_t sum = 0;
    for (std::size_t kind = 0; kind < cores_.size(); ++kind) {
        if (on_one(kind) == any) return any;
        sum += on_one(kind) * counts[kind];
    }
    if (cpus_ == 0 && tasks_per_core_ == 0) return any;
    return sum + (table_.empty() ? std::ssize(joined(counts)) : table_[index_of(counts)]);
}

std::vector<OwnTasks::Counts> OwnTasks::joined(const Counts& counts) const {
    std::vector<Counts> tasks;
    Counts left = counts;
    if (table_.empty()) {
        Counts task(cores_.size(), 0);
        while (!small_.empty() && join_greedily(left, task)) {
            tasks.push_back(std::exchange(task, Counts(cores_.size(), 0)));
        }
        return tasks;
    }
    for (std::size_t index = index_of(left); table_[index] > 0; index = index_of(left)) {
        const auto next =
            std::find_if(patterns_.begin(), patterns_.end(), [&](const Counts& pattern) {
                return fits(pattern, left) &&
                       table_[index - index_of(pattern)] + 1 == table_[index];
            });
        for (const std::size_t kind : small_) left[kind] -= (*next)[kind];
        tasks.push_back(*next);
    }
    return tasks;
}

bool OwnTasks::join_greedily(Counts& left, Counts& task) const {
    std::int64_t missing = cpus_;
    while (missing > 0) {
        const std::size_t* next = nullptr;  // the largest that is not too large, or the smallest
        for (const std::size_t& kind : small_) {
            if (left[kind] == 0) continue;
            next = &kind;
            if (cores_[kind].cpus <= missing) break;
        }
        if (next == nullptr) return false;
        --left[*next];
        ++task[*next];
        missing -= cores_[*next].cpus;
    }
    return true;
}

}  // namespace trestle
