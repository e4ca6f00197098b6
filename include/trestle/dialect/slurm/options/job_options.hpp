// SPDX-License-Identifier: Apache-2.0
#pragma once

// JobOptions: everything that the options of one job, or of one component of a job, say.
//
// Layer: dialect/slurm. Main type: JobOptions. Made by reading.hpp from arguments, text, scripts
// and environment; checked and completed by resolve(); turned into the core's Request by
// request_of(). Fields are named as the long options, counted in the core's units.
// Pitfall: an absent field was not given, and no default stands in its place; what an option of 0
// means is said at its field. Options about output, mail, accounts and the like are `passthrough`.

#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/dialect/slurm/options/terms.hpp"
#include "trestle/dialect/slurm/options/values.hpp"
#include "trestle/enforce/process/settings.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/tres.hpp"

namespace trestle::slurm {

/// The options of sbatch, srun and salloc. A default one: none was given.
struct JobOptions {
    // nodes and tasks
    std::optional<NodeCounts> nodes;     ///< -N
    std::optional<Count> ntasks;         ///< -n, 1 or more, as are the counts below
    std::optional<Count> cpus_per_task;  ///< -c
    std::optional<Count> ntasks_per_node;
    std::optional<Count> ntasks_per_socket;
    std::optional<Count> ntasks_per_core;
    std::optional<Count> ntasks_per_gpu;
    std::optional<Range<Count>> sockets_per_node;  ///< `n` is both ends, `*` none
    std::optional<Range<Count>> cores_per_socket;
    std::optional<Range<Count>> threads_per_core;
    bool has_extra_node_info = false;  ///< -B was given, which sets the three above
    std::optional<Hint> hint;
    std::optional<Count> mincpus;           ///< of each node
    std::optional<TaskOrder> distribution;  ///< -m
    std::optional<CpuBind> cpu_bind;
    std::optional<MemBind> mem_bind;
    std::optional<Count> core_spec;       ///< -S; 0 or more
    std::optional<Count> thread_spec;     ///< 0 or more
    std::optional<Core::Kind> core_kind;  ///< no other cores; an option of Trestle, not of Slurm
    std::optional<Core::Kind> preferred_core_kind;  ///< rather these; likewise

    // memory and disk
    std::optional<Bytes> mem;  ///< of each node; 0: all that it has
    std::optional<Bytes> mem_per_cpu;
    std::optional<Bytes> mem_per_gpu;
    std::optional<Bytes> tmp;  ///< disk of each node

    // devices
    std::optional<std::vector<Gres>> gres;  ///< of each node; empty: `none`, or counts of 0
    std::optional<std::vector<Gres>> gpus;  ///< -G, of the job; all named `gpu`
    std::optional<std::vector<Gres>> gpus_per_node;
    std::optional<std::vector<Gres>> gpus_per_socket;
    std::optional<std::vector<Gres>> gpus_per_task;
    std::optional<TaskTres> tres_per_task;
    std::optional<Count> cpus_per_gpu;
    std::optional<TresBind> tres_bind;  ///< --tres-bind or --gpu-bind, the last one
    std::optional<GpuFrequency> gpu_freq;
    std::optional<GresFlags> gres_flags;

    // which nodes
    std::vector<std::string> partitions;       ///< -p, in order of preference
    std::optional<NodeConstraint> constraint;  ///< -C
    std::optional<NodeConstraint> prefer;
    std::optional<Hostlist> nodelist;  ///< -w: all of them, and others where more are wanted
    std::optional<Hostlist> exclude;   ///< -x
    std::string nodefile;              ///< -F, or -w with a slash: the path of a file with names
    bool contiguous = false;
    std::optional<Switches> switches;
    std::optional<Count> segment;  ///< nodes of one block together; 0: any
    bool spread_segments = false;
    bool consolidate_segments = false;
    bool spread_job = false;
    bool use_min_nodes = false;

    // sharing with other jobs
    std::optional<ExclusiveKind> exclusive;
    bool oversubscribe = false;          ///< -s
    bool overcommit = false;             ///< -O
    bool exact = false;                  ///< of a step: no more than it asked for
    bool whole = false;                  ///< of a step: all that the job has
    std::optional<std::string> overlap;  ///< of a step; what stood behind `=`

    // when, and on what terms
    std::optional<TimeLimit> time;  ///< -t
    std::optional<TimeLimit> time_min;
    std::optional<BeginTime> begin;  ///< -b
    std::optional<JobSignal> signal;
    std::optional<Dependencies> dependency;  ///< -d
    std::optional<JobArray> array;           ///< -a
    std::optional<Requeue> requeue;
    std::optional<LicenseList> licenses;    ///< -L
    std::vector<std::string> reservations;  ///< any of them

    // how processes start
    std::optional<std::vector<ProcessSettings::Limit::Resource>>
        propagate;  ///< limits taken from the submitter; empty: none
    std::optional<bool> oom_kill_step;
    std::optional<ExportedVariables> exported;  ///< --export
    std::string container;                      ///< path of an OCI bundle

    // the rest
    std::vector<PassthroughOption> passthrough;  ///< by line and place, repeated ones too

    static constexpr auto fields(auto list) {
        return list(
            field("nodes", &JobOptions::nodes), field("ntasks", &JobOptions::ntasks),
            field("cpus_per_task", &JobOptions::cpus_per_task),
            field("ntasks_per_node", &JobOptions::ntasks_per_node),
            field("ntasks_per_socket", &JobOptions::ntasks_per_socket),
            field("ntasks_per_core", &JobOptions::ntasks_per_core),
            field("ntasks_per_gpu", &JobOptions::ntasks_per_gpu),
            field("sockets_per_node", &JobOptions::sockets_per_node),
            field("cores_per_socket", &JobOptions::cores_per_socket),
            field("threads_per_core", &JobOptions::threads_per_core),
            field("has_extra_node_info", &JobOptions::has_extra_node_info),
            field("hint", &JobOptions::hint), field("mincpus", &JobOptions::mincpus),
            field("distribution", &JobOptions::distribution),
            field("cpu_bind", &JobOptions::cpu_bind), field("mem_bind", &JobOptions::mem_bind),
            field("core_spec", &JobOptions::core_spec),
            field("thread_spec", &JobOptions::thread_spec),
            field("core_kind", &JobOptions::core_kind),
            field("preferred_core_kind", &JobOptions::preferred_core_kind),
            field("mem", &JobOptions::mem), field("mem_per_cpu", &JobOptions::mem_per_cpu),
            field("mem_per_gpu", &JobOptions::mem_per_gpu), field("tmp", &JobOptions::tmp),
            field("gres", &JobOptions::gres), field("gpus", &JobOptions::gpus),
            field("gpus_per_node", &JobOptions::gpus_per_node),
            field("gpus_per_socket", &JobOptions::gpus_per_socket),
            field("gpus_per_task", &JobOptions::gpus_per_task),
            field("tres_per_task", &JobOptions::tres_per_task),
            field("cpus_per_gpu", &JobOptions::cpus_per_gpu),
            field("tres_bind", &JobOptions::tres_bind), field("gpu_freq", &JobOptions::gpu_freq),
            field("gres_flags", &JobOptions::gres_flags),
            field("partitions", &JobOptions::partitions),
            field("constraint", &JobOptions::constraint), field("prefer", &JobOptions::prefer),
            field("nodelist", &JobOptions::nodelist), field("exclude", &JobOptions::exclude),
            field("nodefile", &JobOptions::nodefile), field("contiguous", &JobOptions::contiguous),
            field("switches", &JobOptions::switches), field("segment", &JobOptions::segment),
            field("spread_segments", &JobOptions::spread_segments),
            field("consolidate_segments", &JobOptions::consolidate_segments),
            field("spread_job", &JobOptions::spread_job),
            field("use_min_nodes", &JobOptions::use_min_nodes),
            field("exclusive", &JobOptions::exclusive),
            field("oversubscribe", &JobOptions::oversubscribe),
            field("overcommit", &JobOptions::overcommit), field("exact", &JobOptions::exact),
            field("whole", &JobOptions::whole), field("overlap", &JobOptions::overlap),
            field("time", &JobOptions::time), field("time_min", &JobOptions::time_min),
            field("begin", &JobOptions::begin), field("signal", &JobOptions::signal),
            field("dependency", &JobOptions::dependency), field("array", &JobOptions::array),
            field("requeue", &JobOptions::requeue), field("licenses", &JobOptions::licenses),
            field("reservations", &JobOptions::reservations),
            field("propagate", &JobOptions::propagate),
            field("oom_kill_step", &JobOptions::oom_kill_step),
            field("exported", &JobOptions::exported), field("container", &JobOptions::container),
            field("passthrough", &JobOptions::passthrough));
    }
    friend bool operator==(const JobOptions&, const JobOptions&) = default;
};

/// `first`, completed by what only `second` has: precedence of one source over another. Options
/// that exclude each other (--mem, --mem-per-cpu, --mem-per-gpu and the like) are not checked here.
/// Carried options of both are kept, those of `second` first.
[[nodiscard]] JobOptions overlaid(JobOptions first, const JobOptions& second);

}  // namespace trestle::slurm
