// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the NodeName lines of slurm.conf say of nodes.
//
// Layer: dialect/slurm. Main types: NodeLine, NodeGres; read_slurm_conf in slurm_conf.hpp reads
// them.
// Pitfall: CPUs equal to the number of cores means one CPU a core, whatever ThreadsPerCore says;
// such a line has threads_per_core == 1 here.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/dialect/slurm/tres.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/tres.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::slurm {

/// One item of a node's Gres=: `gpu:a100:4`, `bandwidth:lustre:no_consume:4G`.
struct NodeGres {
    Gres gres;
    bool is_consumed = true;  ///< false: no_consume

    static constexpr auto fields(auto list) {
        return list(field("gres", &NodeGres::gres), field("is_consumed", &NodeGres::is_consumed));
    }
    friend bool operator==(const NodeGres&, const NodeGres&) = default;
};

/// Items joined by commas, each `name[:type...][:no_consume][:count[suffix]]`; a printed tail
/// `(S:0-1)` is passed over. Several types have the count each (`gpu:a:b:2`); a name and type that
/// stand twice add up; a count of 0 is kept. Slurm stops reading at an item that is a name alone;
/// here such an item counts 1 and the others are read. Errors: no name, a malformed count, a name
/// with and without a type.
[[nodiscard]] TextResult<std::vector<NodeGres>> read_node_gres(TextCursor text);

/// Where a node is in a topology (Topology=): `tree1:root:mid:leaf`.
struct TopologyUnit {
    std::string topology;
    std::string unit;  ///< a block, a ring, switches from the root on joined by colons

    static constexpr auto fields(auto list) {
        return list(field("topology", &TopologyUnit::topology), field("unit", &TopologyUnit::unit));
    }
    friend bool operator==(const TopologyUnit&, const TopologyUnit&) = default;
};

/// What one NodeName line says of all the nodes that it names.
struct NodeLine {
    ConfPlace place;
    Hostlist names;
    std::uint32_t boards = 1;
    std::uint32_t sockets = 1;  ///< of all boards together
    std::uint32_t cores_per_socket = 1;
    std::uint32_t threads_per_core = 1;  ///< that are CPUs: 1 where CPUs= counts cores
    /// Abstract CPU ids of a core: its threads, also where only one of them is a CPU.
    std::uint32_t cpu_ids_per_core = 1;
    Bytes memory = mib(1);    ///< RealMemory
    Bytes memory_reserved{};  ///< of it, for the system (MemSpecLimit)
    /// Cores reserved for the system: their number (CoreSpecCount), or their hardware threads
    /// (CpuSpecList), numbered as in build_nodes. Not both.
    std::uint32_t system_core_count = 0;
    PuSet system_cpus;
    std::uint32_t restricted_cores_per_gpu = 0;  ///< RestrictedCoresPerGPU
    Bytes tmp_disk;
    std::uint32_t weight = 1;
    std::vector<std::string> features;
    std::vector<NodeGres> gres;
    NodeState state = NodeState::up;  ///< DRAIN is drained; DOWN, ERROR, FAIL and FUTURE are down
    std::string state_text;           ///< State as written, with its flags; empty: none
    std::string reason;
    std::vector<TopologyUnit> topology;
    BillingWeights weights;  ///< TRESWeights
    /// What a socket is, where it is not one (Parameters): `l3cache_as_socket`,
    /// `numa_node_as_socket`. Sockets counts these then.
    std::vector<std::string> parameters;
    std::vector<PassthroughKey> passthrough;  ///< NodeAddr, NodeHostname, Port, ...

    static constexpr auto fields(auto list) {
        return list(field("place", &NodeLine::place), field("names", &NodeLine::names),
                    field("boards", &NodeLine::boards), field("sockets", &NodeLine::sockets),
                    field("cores_per_socket", &NodeLine::cores_per_socket),
                    field("threads_per_core", &NodeLine::threads_per_core),
                    field("cpu_ids_per_core", &NodeLine::cpu_ids_per_core),
                    field("memory", &NodeLine::memory),
                    field("memory_reserved", &NodeLine::memory_reserved),
                    field("system_core_count", &NodeLine::system_core_count),
                    field("system_cpus", &NodeLine::system_cpus),
                    field("restricted_cores_per_gpu", &NodeLine::restricted_cores_per_gpu),
                    field("tmp_disk", &NodeLine::tmp_disk), field("weight", &NodeLine::weight),
                    field("features", &NodeLine::features), field("gres", &NodeLine::gres),
                    field("state", &NodeLine::state), field("state_text", &NodeLine::state_text),
                    field("reason", &NodeLine::reason), field("topology", &NodeLine::topology),
                    field("weights", &NodeLine::weights),
                    field("parameters", &NodeLine::parameters),
                    field("passthrough", &NodeLine::passthrough));
    }
    friend bool operator==(const NodeLine&, const NodeLine&) = default;
};

/// What DownNodes= says: the state that nodes have from the start, and why.
struct DownLine {
    ConfPlace place;
    Hostlist names;
    NodeState state = NodeState::down;
    std::string reason;

    static constexpr auto fields(auto list) {
        return list(field("place", &DownLine::place), field("names", &DownLine::names),
                    field("state", &DownLine::state), field("reason", &DownLine::reason));
    }
    friend bool operator==(const DownLine&, const DownLine&) = default;
};

/// A name for nodes (NodeSet=): those listed and those with a feature.
struct NodeSetLine {
    ConfPlace place;
    std::string name;
    Hostlist nodes;
    std::string feature;  ///< empty: none

    static constexpr auto fields(auto list) {
        return list(field("place", &NodeSetLine::place), field("name", &NodeSetLine::name),
                    field("nodes", &NodeSetLine::nodes), field("feature", &NodeSetLine::feature));
    }
    friend bool operator==(const NodeSetLine&, const NodeSetLine&) = default;
};

/// From which end CoreSpecCount takes cores: first with SchedulerParameters=spec_cores_first.
enum class SystemCoresFrom { last, first };

constexpr auto enum_names(SystemCoresFrom) {
    return std::array{named(SystemCoresFrom::last, "last"), named(SystemCoresFrom::first, "first")};
}

/// The cores that the line keeps for the system, counted socket by socket. These are those of
/// CpuSpecList, or the last core of the last socket, then of the socket before it, and so on round
/// the sockets. From the other end the first core of the first socket, and forward.
/// Requires: the line's sockets have so many cores.
[[nodiscard]] CoreSet system_cores_of(const NodeLine& line,
                                      SystemCoresFrom from = SystemCoresFrom::last);

}  // namespace trestle::slurm
