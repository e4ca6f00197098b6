// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a node has of each resource by itself, in words of refusals.
//
// Layer: dialect/slurm, inside. Main type: NodeOffer; main function: offer_of. capacity() answers
// whether a node takes part; this says how much there is where it does not.
// Pitfall: each amount is the most of one resource alone. A job may find less of all together.

#include <vector>

#include "../on_node/node_fit.hpp"

namespace trestle::slurm::choice {

struct NodeOffer {
    const NodeView* view = nullptr;
    const NodeRoom* room = nullptr;
    std::vector<Number> socket_cores;  ///< by socket, that the job could have
    Number cpus = 0;                   ///< of them, within limits of the partition
    Number memory = 0;                 ///< MiB
    Number cpus_with_memory = 0;       ///< of the CPUs, for which the memory is enough
};

/// `left`: of the limits of the partition. `node` and `room` outlive the offer.
[[nodiscard]] NodeOffer offer_of(const NodeView& node, const NodeRoom& room, const ChoiceJob& job,
                                 const ClusterParameters& parameters, const PartitionRoom& left);

/// Units of a GRES; with enforce-binding those near cores of the offer.
[[nodiscard]] Number units_of(const NodeOffer& offer, const GresWant& want, const ChoiceJob& job);

/// CPUs near so many devices, if cores of other sockets are of no use for the job.
[[nodiscard]] Number cpus_near(const NodeOffer& offer, const GresWant& want, Number devices);

}  // namespace trestle::slurm::choice
