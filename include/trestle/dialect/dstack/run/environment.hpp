// SPDX-License-Identifier: Apache-2.0
#pragma once

// The DSTACK_* variables of a job, and the host file for MPI.
//
// Layer: dialect/dstack. Main names: RunNode, run_environment, mpi_hostfile. Which devices a
// runtime shows is the plan's business, not this one's.
// Pitfall: GPUs are counted as the job's share has them, not as the host has.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trestle/alloc/market/offers/instance.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/process/environment.hpp"

namespace trestle::dstack {

/// A job's node, as its neighbours see it.
struct RunNode {
    std::string address;  ///< IPv4 or IPv6 among the nodes of the run; empty: unknown
    Count gpus;           ///< of the share

    static constexpr auto fields(auto list) {
        return list(field("address", &RunNode::address), field("gpus", &RunNode::gpus));
    }
    friend bool operator==(const RunNode&, const RunNode&) = default;
};

/// The GPUs of a share.
[[nodiscard]] Count gpus_of(const Instance::Share& share);

/// A line for each node, `<address> slots=<gpus>`, without slots for a node without GPUs. Empty
/// when an address is unknown: MPI would start on the others alone.
/// Errors: InvalidArgument for an address with anything but letters, digits and `.:-_%`.
[[nodiscard]] StatusOr<std::string> mpi_hostfile(std::span<const RunNode> nodes);

/// The variables of job `rank`, in this order: DSTACK_NODES_IPS (a line for each node by rank,
/// empty for an unknown address), DSTACK_MASTER_NODE_IP, DSTACK_NODE_RANK, DSTACK_NODES_NUM. Then
/// DSTACK_GPUS_PER_NODE (of this node), DSTACK_GPUS_NUM (of all nodes together),
/// DSTACK_MPI_HOSTFILE (`hostfile`, the path where mpi_hostfile is written).
/// Errors: InvalidArgument for no nodes, a rank outside of them, an address as above, or more GPUs
/// than can be counted.
[[nodiscard]] StatusOr<std::vector<EnvironmentVariable>> run_environment(
    std::span<const RunNode> nodes, std::uint32_t rank, const std::string& hostfile);

}  // namespace trestle::dstack
