// SPDX-License-Identifier: Apache-2.0
#pragma once

// slurm.conf as a value.
//
// Layer: dialect/slurm. Main names: SlurmConf, read_slurm_conf, refused_keys. Comments, quotes,
// blank lines, lines continued with a backslash, `Include` lines and DEFAULT lines are as in
// slurm.conf; keys are in any case. Keys of Slurm that mean nothing to resources are passed
// through; keys that Slurm does not know are errors that name the nearest one. Pitfall:
// `NodeName=DEFAULT` and `PartitionName=DEFAULT` set what later lines leave out, not earlier ones.
// Of a key that is given twice, the later value counts. Of two keys for one thing (CPUs, Procs),
// the one that Slurm prefers counts, in any order.

#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/conf/node_conf.hpp"
#include "trestle/dialect/slurm/conf/parameters.hpp"
#include "trestle/dialect/slurm/conf/partition_conf.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::slurm {

/// All that the file and those that it includes say.
struct SlurmConf {
    ClusterParameters parameters;
    std::vector<NodeLine> nodes;
    std::vector<NodeSetLine> node_sets;
    std::vector<DownLine> down_nodes;
    std::vector<PartitionLine> partitions;
    std::vector<PassthroughKey> passthrough;  ///< in the order of the file, all of them

    static constexpr auto fields(auto list) {
        return list(field("parameters", &SlurmConf::parameters), field("nodes", &SlurmConf::nodes),
                    field("node_sets", &SlurmConf::node_sets),
                    field("down_nodes", &SlurmConf::down_nodes),
                    field("partitions", &SlurmConf::partitions),
                    field("passthrough", &SlurmConf::passthrough));
    }
    friend bool operator==(const SlurmConf&, const SlurmConf&) = default;
};

/// What could be read, and every error and warning, each in the order of the lines.
struct SlurmConfReading {
    SlurmConf conf;
    std::vector<ConfError> errors;
    std::vector<ConfWarning> warnings;

    static constexpr auto fields(auto list) {
        return list(field("conf", &SlurmConfReading::conf),
                    field("errors", &SlurmConfReading::errors),
                    field("warnings", &SlurmConfReading::warnings));
    }
    friend bool operator==(const SlurmConfReading&, const SlurmConfReading&) = default;
};

/// Reads every line, whatever the others hold. Errors, beside malformed values: an unknown key,
/// more than 65536 CPUs of a node. A node, node set or partition named twice (the first hundred
/// nodes, behind all other errors); CR_ONE_TASK_PER_CORE with CR_CPU. A file that cannot be
/// included. Mended: a key given twice, and of two keys for one thing the one that Slurm does not
/// take. Sockets x cores x threads that are not CPUs. Nothing left beside what is kept for the
/// system. A DefaultTime above MaxTime, MinNodes above MaxNodes. Empty items of a list. Unknown
/// words of TopologyParam. With a release also keys that it lacks (refused_keys).
[[nodiscard]] SlurmConfReading read_slurm_conf(std::string_view text, const ConfFiles& files = {},
                                               MendedMistakes mended = MendedMistakes::warnings,
                                               std::optional<Release> release = {});

/// The same, where one error is enough. A mistake that Slurm mends is one too, since the result has
/// no place for warnings. Errors: InvalidArgument with the first one,
/// `slurm.conf line 3: ... (and 2 more)`.
[[nodiscard]] StatusOr<SlurmConf> parse_slurm_conf(std::string_view text,
                                                   const ConfFiles& files = {},
                                                   MendedMistakes mended = MendedMistakes::errors);

/// Keys that other releases have and this one refuses, so that its daemons do not start: dropped
/// before, or added later. Without a release the readers take the keys of all from 2.6 to 26.05.
[[nodiscard]] std::vector<ConfWarning> refused_keys(std::string_view text, Release release,
                                                    const ConfFiles& files = {});

}  // namespace trestle::slurm
