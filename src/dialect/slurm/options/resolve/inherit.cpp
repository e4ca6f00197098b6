// SPDX-License-Identifier: Apache-2.0
#include "inherit.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace trestle::slurm {
namespace {

/// Those that the clients do not reset between components.
constexpr std::array<std::string_view, 55> inherited_names{
    "account",
    "acctg-freq",
    "batch",
    "bell",
    "chdir",
    "cluster",
    "cluster-constraint",
    "clusters",
    "comment",
    "deadline",
    "delay-boot",
    "disable-status",
    "epilog",
    "error",
    "export-file",
    "get-user-env",
    "gid",
    "hold",
    "ignore-pbs",
    "immediate",
    "input",
    "interactive",
    "job-name",
    "kill-command",
    "kill-on-bad-exit",
    "kill-on-invalid-dep",
    "label",
    "mcs-label",
    "mpi",
    "msg-timeout",
    "nice",
    "no-bell",
    "no-kill",
    "no-shell",
    "open-mode",
    "output",
    "parsable",
    "preserve-env",
    "priority",
    "profile",
    "prolog",
    "qos",
    "quit-on-interrupt",
    "reboot",
    "slurmd-debug",
    "stepmgr",
    "task-epilog",
    "task-prolog",
    "test-only",
    "threads",
    "uid",
    "unbuffered",
    "wait",
    "wait-all-nodes",
    "wckey",
};
static_assert(std::is_sorted(inherited_names.begin(), inherited_names.end()));

bool has_passthrough(const std::vector<PassthroughOption>& options, std::string_view name) {
    return std::any_of(options.begin(), options.end(),
                       [&](const PassthroughOption& one) { return one.name == name; });
}

/// Of `earlier` what `later` has too where it says nothing else.
JobOptions inherited(const JobOptions& earlier, const JobOptions& later, Tool tool) {
    JobOptions options;
    options.array = earlier.array;
    options.begin = earlier.begin;
    options.container = earlier.container;
    options.dependency = earlier.dependency;
    options.exact = earlier.exact;
    options.exclude = earlier.exclude;
    options.exported = earlier.exported;
    if (tool != Tool::srun) options.hint = earlier.hint;
    options.mem = earlier.mem;
    options.oom_kill_step = earlier.oom_kill_step;
    options.overlap = earlier.overlap;
    options.prefer = earlier.prefer;
    options.propagate = earlier.propagate;
    options.requeue = earlier.requeue;
    options.reservations = earlier.reservations;
    options.signal = earlier.signal;
    options.time = earlier.time;
    options.time_min = earlier.time_min;
    options.whole = earlier.whole;
    for (const PassthroughOption& one : earlier.passthrough) {
        const bool is_inherited =
            std::binary_search(inherited_names.begin(), inherited_names.end(), one.name);
        if (is_inherited && !has_passthrough(later.passthrough, one.name))
            options.passthrough.push_back(one);
    }
    return options;
}

}  // namespace

void inherit(Submission& submission, Tool tool) {
    for (std::size_t i = 1; i < submission.components.size(); ++i) {
        JobOptions& later = submission.components[i].options;
        const JobOptions carried = inherited(submission.components[i - 1].options, later, tool);
        later = overlaid(std::move(later), carried);
    }
}

}  // namespace trestle::slurm
