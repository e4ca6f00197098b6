// SPDX-License-Identifier: Apache-2.0
#include "alloc/schedule/detail/array_tasks.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace trestle {

namespace detail {

ArrayTasks::ArrayTasks(const QueueState& state, const KnownJobs& jobs) : jobs_(jobs) {
    std::vector<ArrayId> ids;
    for (const StartConditions& one : state.conditions) {
        for (const Dependency& dependency : one.dependencies) {
            if (dependency.array) ids.push_back(*dependency.array);
        }
    }
    if (ids.empty()) return;
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (const ArrayId id : ids) arrays_.push_back({id, {}, {}});
    for (const StartConditions& one : state.conditions) {
        if (!one.array) continue;
        const std::size_t at = position_of(*one.array);
        if (at < size() && arrays_[at].id == *one.array) {
            arrays_[at].tasks.push_back(one.owner);
        }
    }
    for (Array& one : arrays_) std::sort(one.tasks.begin(), one.tasks.end());
}

std::size_t ArrayTasks::position_of(ArrayId id) const {
    const auto at =
        std::lower_bound(arrays_.begin(), arrays_.end(), id,
                         [](const Array& one, ArrayId wanted) { return one.id < wanted; });
    return static_cast<std::size_t>(at - arrays_.begin());
}

const Outcome& ArrayTasks::outcome(ArrayId id, Dependency::Kind kind) {
    Array& one = arrays_[position_of(id)];
    std::optional<Outcome>& known = one.outcomes[static_cast<std::size_t>(kind)];
    if (known) return *known;
    known.emplace();
    known->has_bad_end = one.tasks.empty();  // it has gone
    for (const OwnerId owner : one.tasks) known->add(owner, jobs_.at(owner), kind);
    return *known;
}

}  // namespace detail

}  // namespace trestle
