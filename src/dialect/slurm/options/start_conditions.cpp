// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/start_conditions.hpp"

#include <algorithm>
#include <utility>

#include "trestle/base/fmt.hpp"

namespace trestle::slurm {
namespace {

std::string option_text(DependencyKind kind, const DependencyJob& job) {
    std::string text = fmt::format("--dependency={}:{}", kind, job.job);
    if (job.task) text += fmt::format("_{}", *job.task);
    return text;
}

/// The kind in the core; nothing for what it has not.
std::optional<trestle::Dependency::Kind> core_kind(DependencyKind kind) {
    using enum trestle::Dependency::Kind;
    switch (kind) {
        case DependencyKind::after:
            return after;
        case DependencyKind::afterany:
            return afterany;
        case DependencyKind::afternotok:
            return afternotok;
        case DependencyKind::aftercorr:
        case DependencyKind::afterok:
            return afterok;
        case DependencyKind::singleton:
            return singleton;
        case DependencyKind::afterburstbuffer:
        case DependencyKind::expand:
            break;
    }
    return std::nullopt;
}

FoundJobs jobs_of(DependencyKind kind, DependencyJob job, const QueueEntry& entry,
                  const FindJobs& find_jobs) {
    if (kind == DependencyKind::aftercorr && entry.task) {
        job.task = entry.task;
        job.all_tasks = false;
        auto found = find_jobs(job);
        if (!found.is_empty()) return found;
        job.task.reset();
    }
    return find_jobs(job);
}

/// The conditions, as far as they are such.
StatusOr<std::vector<trestle::Dependency>> dependencies_of(const Dependencies& dependencies,
                                                           const QueueEntry& entry,
                                                           const FindJobs& find_jobs) {
    std::vector<trestle::Dependency> list;
    bool has_unknown = false;
    for (const Dependency& one : dependencies.list) {
        const auto kind = core_kind(one.kind);
        if (!kind) {
            return make_error(StatusCode::kUnimplemented, "--dependency={}: {}", one.kind,
                              one.kind == DependencyKind::expand ? "jobs do not take over others'"
                                                                 : "there are no burst buffers");
        }
        if (one.kind == DependencyKind::singleton) list.push_back({*kind, {}, {}, {}});
        for (const DependencyJob& job : one.jobs) {
            auto found = jobs_of(one.kind, job, entry, find_jobs);
            if (!found.is_empty()) {
                list.push_back({*kind, std::move(found.owners), Seconds(60) * job.minutes.value(),
                                found.array});
                continue;
            }
            has_unknown = true;
            if (one.kind == DependencyKind::afterok || one.kind == DependencyKind::afternotok) {
                return invalid_argument("{}: no such job", option_text(one.kind, job));
            }
        }
    }
    if (dependencies.is_any_of && has_unknown) list.clear();
    return list;
}

}  // namespace

StatusOr<StartConditions> start_conditions_of(const JobOptions& options, const QueueEntry& entry,
                                              const FindJobs& find_jobs) {
    StartConditions conditions;
    conditions.owner = entry.owner;
    conditions.array = entry.array;
    conditions.name = entry.name;
    conditions.is_held =
        std::any_of(options.passthrough.begin(), options.passthrough.end(),
                    [](const PassthroughOption& one) { return one.name == "hold"; });
    if (options.begin) {
        if (!options.begin->after_now) {
            return invalid_argument("--begin={}: expected now, or now and a time, as in now+2hours",
                                    options.begin->text);
        }
        const Instant after_now(options.begin->after_now->value());
        conditions.begin = saturating_add(entry.submitted, after_now);
    }
    if (options.dependency) {
        TRESTLE_TRY(conditions.dependencies,
                    dependencies_of(*options.dependency, entry, find_jobs));
        conditions.is_any_of = options.dependency->is_any_of;
    }
    TRESTLE_TRY_STATUS(check(conditions));
    return conditions;
}

std::optional<QueueState::Array> array_conditions_of(const JobOptions& options, ArrayId array) {
    if (!options.array || !options.array->at_once) return std::nullopt;
    return QueueState::Array{array, *options.array->at_once};
}

}  // namespace trestle::slurm
