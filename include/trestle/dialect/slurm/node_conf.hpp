// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeName lines of slurm.conf.
//
// Layer: dialect/slurm. Main type: NodeLine. Known keys: NodeName, CPUs, Boards, Sockets,
// SocketsPerBoard, CoresPerSocket, ThreadsPerCore, RealMemory, TmpDisk, Weight, Feature(s), Gres,
// State; in any case. `NodeName=DEFAULT` sets what later lines leave out. Comments, blank lines
// and lines continued with a backslash are as in slurm.conf.
// A reader would get wrong: CPUs equal to the number of cores means one CPU a core, whatever
// ThreadsPerCore says; such a line has threads_per_core == 1 here.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/tres.hpp"

namespace trestle::slurm {

/// What one NodeName line says of all the nodes that it names.
struct NodeLine {
    std::uint32_t line = 0;          ///< where it stands
    std::vector<std::string> names;  ///< brackets expanded
    std::uint32_t sockets = 1;       ///< of all boards together
    std::uint32_t cores_per_socket = 1;
    std::uint32_t threads_per_core = 1;
    Bytes memory = mib(1);  ///< RealMemory
    Bytes tmp_disk;
    std::uint32_t weight = 1;
    std::vector<std::string> features;
    std::vector<Gres> gres;
    NodeState state = NodeState::up;  ///< DRAIN is drained; DOWN, FAIL and FUTURE are down

    static constexpr auto fields() {
        return field_list(
            field("line", &NodeLine::line), field("names", &NodeLine::names),
            field("sockets", &NodeLine::sockets),
            field("cores_per_socket", &NodeLine::cores_per_socket),
            field("threads_per_core", &NodeLine::threads_per_core),
            field("memory", &NodeLine::memory), field("tmp_disk", &NodeLine::tmp_disk),
            field("weight", &NodeLine::weight), field("features", &NodeLine::features),
            field("gres", &NodeLine::gres), field("state", &NodeLine::state));
    }
    friend bool operator==(const NodeLine&, const NodeLine&) = default;
};

/// Reads every line, whatever the others hold. An unknown key is an error that names the nearest
/// known one, and so are a key given twice, sockets x cores x threads that are not CPUs, more than
/// 65536 CPUs, and a node named twice.
[[nodiscard]] ConfReading<NodeLine> read_node_conf(std::string_view text);

/// The same, where one error is enough. Errors: InvalidArgument with the first one,
/// `slurm.conf line 3: ... (and 2 more)`.
[[nodiscard]] StatusOr<std::vector<NodeLine>> parse_node_conf(std::string_view text);

/// One NodeName line. Errors: as above, or when there is none or more than one.
[[nodiscard]] StatusOr<NodeLine> parse_node_line(std::string_view text);

}  // namespace trestle::slurm
