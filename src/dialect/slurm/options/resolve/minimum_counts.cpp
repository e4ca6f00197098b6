// SPDX-License-Identifier: Apache-2.0
#include "minimum_counts.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace trestle::slurm {
namespace {

template <class Member>
using Named = std::pair<Member JobOptions::*, std::string_view>;

constexpr std::array<Named<std::optional<Count>>, 8> plain_counts{{
    {&JobOptions::ntasks, "--ntasks"},
    {&JobOptions::cpus_per_task, "--cpus-per-task"},
    {&JobOptions::ntasks_per_node, "--ntasks-per-node"},
    {&JobOptions::ntasks_per_socket, "--ntasks-per-socket"},
    {&JobOptions::ntasks_per_core, "--ntasks-per-core"},
    {&JobOptions::ntasks_per_gpu, "--ntasks-per-gpu"},
    {&JobOptions::mincpus, "--mincpus"},
    {&JobOptions::cpus_per_gpu, "--cpus-per-gpu"},
}};
constexpr std::array<Named<std::optional<Range<Count>>>, 3> hardware_counts{{
    {&JobOptions::sockets_per_node, "--sockets-per-node"},
    {&JobOptions::cores_per_socket, "--cores-per-socket"},
    {&JobOptions::threads_per_core, "--threads-per-core"},
}};
constexpr std::array<Named<std::optional<std::vector<Gres>>>, 5> gres_lists{{
    {&JobOptions::gres, "--gres"},
    {&JobOptions::gpus, "--gpus"},
    {&JobOptions::gpus_per_node, "--gpus-per-node"},
    {&JobOptions::gpus_per_socket, "--gpus-per-socket"},
    {&JobOptions::gpus_per_task, "--gpus-per-task"},
}};
constexpr std::array<Named<std::optional<TimeLimit>>, 2> time_limits{{
    {&JobOptions::time, "--time"},
    {&JobOptions::time_min, "--time-min"},
}};
constexpr std::array<Named<std::optional<NodeConstraint>>, 2> constraints{{
    {&JobOptions::constraint, "--constraint"},
    {&JobOptions::prefer, "--prefer"},
}};

Status check_count(std::string_view option, const std::optional<Count>& count) {
    if (!count || !count->is_zero()) return {};
    return invalid_argument("{}: 0: expected 1 or more", option);
}

/// An end that is absent is open.
Status check_range(std::string_view option, const Range<Count>& range) {
    TRESTLE_TRY_STATUS(check_count(option, range.min));
    return check_count(option, range.max);
}

template <class Items>
Status check_counts(std::string_view option, const Items& items) {
    for (const auto& item : items) TRESTLE_TRY_STATUS(check_count(option, item.count));
    return {};
}

Status check_nodes(const JobOptions& options) {
    if (!options.nodes) return {};
    TRESTLE_TRY_STATUS(check_range("--nodes", options.nodes->range));
    TRESTLE_TRY_STATUS(check_count("--nodes", options.nodes->range.least()));
    for (const Count size : options.nodes->sizes) {
        TRESTLE_TRY_STATUS(check_count("--nodes", size));
    }
    return {};
}

Status check_devices(const JobOptions& options) {
    for (const auto& [member, option] : gres_lists) {
        if (options.*member) TRESTLE_TRY_STATUS(check_counts(option, *(options.*member)));
    }
    if (options.tres_per_task) {
        const TaskTres& task = *options.tres_per_task;
        TRESTLE_TRY_STATUS(check_count("--tres-per-task", task.cpus));
        TRESTLE_TRY_STATUS(check_counts("--tres-per-task", task.gres));
        TRESTLE_TRY_STATUS(check_counts("--tres-per-task", task.licenses));
    }
    if (!options.tres_bind) return {};
    for (const DeviceBind& bind : options.tres_bind->rules) {
        const bool counts = bind.rule == DeviceBind::Rule::single ||
                            bind.rule == DeviceBind::Rule::per_task ||
                            bind.rule == DeviceBind::Rule::shares;
        if (counts) TRESTLE_TRY_STATUS(check_count("--tres-bind", bind.count));
    }
    return {};
}

Status check_terms(const JobOptions& options) {
    for (const auto& [member, option] : constraints) {
        if (!(options.*member)) continue;
        for (const FeatureCount& one : (options.*member)->counts) {
            TRESTLE_TRY_STATUS(check_count(option, one.nodes));
        }
    }
    for (const auto& [member, option] : time_limits) {
        const auto& time = options.*member;
        if (!time || !time->limit || !time->limit->is_zero()) continue;
        return invalid_argument("{}: a limit of 0: expected 1 minute or more", option);
    }
    if (options.switches) TRESTLE_TRY_STATUS(check_count("--switches", options.switches->count));
    if (options.licenses) TRESTLE_TRY_STATUS(check_counts("--licenses", options.licenses->counts));
    if (!options.array) return {};
    for (const ArrayRange& range : options.array->ranges) {
        if (range.step == 0) return invalid_argument("--array: a step of 0: expected 1 or more");
    }
    return {};
}

}  // namespace

Status check_least_counts(const JobOptions& options) {
    TRESTLE_TRY_STATUS(check_nodes(options));
    for (const auto& [member, option] : plain_counts) {
        TRESTLE_TRY_STATUS(check_count(option, options.*member));
    }
    for (const auto& [member, option] : hardware_counts) {
        if (options.*member) TRESTLE_TRY_STATUS(check_range(option, *(options.*member)));
    }
    if (options.distribution) {
        TRESTLE_TRY_STATUS(check_count("--distribution", options.distribution->plane_size));
    }
    TRESTLE_TRY_STATUS(check_devices(options));
    return check_terms(options);
}

}  // namespace trestle::slurm
