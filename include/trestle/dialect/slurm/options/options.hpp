// SPDX-License-Identifier: Apache-2.0
#pragma once

// Options of srun, sbatch and salloc as a Request of the core.
//
// Layer: dialect/slurm. Main names: parse_options, request_of. The road is read_arguments (or a
// script, see options/reading.hpp), resolve(), request_of(); parse_options walks it at once.
//
// | said                                    | as                                           |
// |-----------------------------------------|----------------------------------------------|
// | -N, -n, -c, -t, -w, -x, one -p          | nodes, tasks, cpus_per_task, ...             |
// | --ntasks-per-{core,socket}              | tasks_per_core, tasks_per_socket             |
// | --sockets-per-node, --cores-per-socket, | the fields of these names: at least          |
// | --threads-per-core, -B                  |                                              |
// | --ntasks-per-node                       | tasks, and at least the nodes these need     |
// | --hint but multithread                  | one thread a core                            |
// | --core-kind, --preferred-core-kind      | the fields of these names; not Slurm's       |
// | -m                                      | distribution over nodes and packages         |
// | -S, --exclusive                         | a whole node, less cores for the system      |
// | --mem, --mem-per-{cpu,gpu}, --tmp       | memory, disk                                 |
// | --gres, -G, --gpus-per-*,               | a demand for each name and type, counted per |
// | --tres-per-task                         | the smallest unit that was named             |
// | shard:n, mps:n among these              | n shares of one GPU cut into such parts      |
// | --cpus-per-gpu                          | cpus_per_device                              |
// | --gres-flags=*-binding                  | locality: enforce require, disable ignore    |
// | -C                                      | features, feature_counts, feature_sets       |
// | -L                                      | cluster_counts                               |
// | --switches, --segment, --contiguous     | topology                                     |
//
// Left out are options that order or bind what is granted, or are no resources. These are the level
// of cores and pack in -m, binding and frequency options, --prefer, --spread-job, --use-min-nodes.
// Also --spread-segments, --consolidate-segments, --oversubscribe, the wait of --switches, options
// of steps, times but -t, and passthrough options. Refused, because the request would mean
// something else without them: what `request_of` lists. Pitfall: --gres counts per node, --gpus per
// job. Without --mem the request has no memory, because there is no cluster with a default here.
// Without -N and -n there is one node, also for --gpus. Slurm would spread them.

#include <span>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/options/known_options.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "trestle/dialect/slurm/options/resolve.hpp"
#include "trestle/model/request.hpp"

namespace trestle::slurm {

/// The request that options stand for. They need not be resolved.
///
/// Errors: those of resolve(). InvalidArgument for options without a counterpart in Request: -m
/// arbitrary, a --nodefile (see with_node_file), and --mincpus with several tasks a node. The same
/// for --gpus with --gpus-per-socket, --cpus-per-gpu or --mem-per-gpu beside devices that are no
/// GPUs. The same for --thread-spec, --overcommit, --exclusive=user, mcs or topo, several
/// partitions, `-L a|b`, more nodes in -w than names can be held (100,000). The same for a request
/// that check(request) rejects.
[[nodiscard]] StatusOr<Request> request_of(const JobOptions& options);

/// The first component as the request, the others as its components. A time limit or licences of
/// the others are the job's: the longest, the sum.
[[nodiscard]] StatusOr<Request> request_of(const Submission& submission);

/// What the options of srun, sbatch or salloc say.
struct ParsedOptions {
    JobOptions options;  ///< of the first component, resolved
    Request request;
    std::vector<std::string> command;  ///< after `--`, or from the first word that is no option
    /// --mem=0 or --mem-per-cpu=0 was given: all memory of each node. The request then accepts
    /// `0..` bytes, and the caller, which knows the node, grants all of it.
    bool wants_all_memory = false;

    static constexpr auto fields(auto list) {
        return list(field("options", &ParsedOptions::options),
                    field("request", &ParsedOptions::request),
                    field("command", &ParsedOptions::command),
                    field("wants_all_memory", &ParsedOptions::wants_all_memory));
    }
    friend bool operator==(const ParsedOptions&, const ParsedOptions&) = default;
};

/// Reads arguments as sbatch's (read_arguments), resolves them and makes the request. The command
/// is the first component's; so is wants_all_memory.
///
/// Without -N a job of n tasks accepts 1 to n nodes. With fewer tasks than nodes it takes as many
/// nodes as tasks, as srun does. Without -n there is one task a node.
///
/// Errors: InvalidArgument in one line. It names an option's position and name, the offset in its
/// value and what was expected. For an unknown option it names the nearest known one, for two
/// options that exclude each other both.
[[nodiscard]] StatusOr<ParsedOptions> parse_options(std::span<const std::string> arguments,
                                                    const KnownOptions& known = {});

}  // namespace trestle::slurm
