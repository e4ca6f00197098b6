// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which devices a job gets on its chosen nodes.
//
// Layer: dialect/slurm, inside. Main types: ChosenNode; main functions: choose_devices,
// take_whole_node.

#include <vector>

#include "../job.hpp"
#include "node_view.hpp"

namespace trestle::slurm::choice {

/// Taken of one device: its position in ViewGres::devices, and units of it.
struct TakenDevice {
    std::size_t position = 0;
    Number units = 1;
};

/// Taken of a bare number; where it is not consumed, only to be charged for.
struct TakenCount {
    std::size_t gres = 0;  ///< position in NodeView::gres
    std::string type;      ///< as wanted; empty: any
    Number count = 0;
};

/// A chosen node with the cores that the job got there.
struct ChosenNode {
    ChosenNode(const NodeView& its_view, const NodeRoom& its_room)
        : view(&its_view), room(&its_room), taken(its_view.gres.size()) {}

    /// The device of that position, or nothing.
    [[nodiscard]] bool has(std::size_t gres, std::size_t position) const;
    /// Devices of that name, with an index or counted.
    [[nodiscard]] Number count_of(std::size_t gres) const;
    /// Cores that the job has of each socket.
    [[nodiscard]] std::vector<Number> cores_by_socket() const;
    /// Units that the node is to give; a count of the job is the node's too.
    [[nodiscard]] Number units_of(const GresWant& want) const;
    /// Devices for which the node has CPUs. Requires: they bring some.
    [[nodiscard]] Number devices_of_cpus(const GresWant& want) const;

    const NodeView* view;
    const NodeRoom* room;
    CoreSet cores;
    Number tasks = 0;
    Number cpus = 0;
    bool serves_rest = false;         ///< Narrowed::serves_rest
    bool is_empty = false;            ///< no task is there, and no device is given
    bool is_charged_by_task = false;  ///< for `cpus`, not for its cores
    std::vector<Number> planned;      ///< devices of counts of the job, by want; 0: no limit
    std::vector<std::vector<TakenDevice>> taken;  ///< by position in NodeView::gres
    std::vector<TakenCount> counted;
};

/// Fills `taken` and `counted` of every host. False: the devices do not suffice.
[[nodiscard]] bool choose_devices(const ChoiceJob& job, const SelectParameters& select,
                                  std::vector<ChosenNode>& chosen_nodes);

/// Whether a whole node has devices too few for the job, or counts of parts that do not go
/// together.
[[nodiscard]] bool fails_as_whole_node(const ChoiceJob& job, const GresWant& want,
                                       const ChosenNode& chosen, std::size_t gres);

/// Every device and all bare numbers of the node, but no parts of devices, nor what is given only
/// to jobs that ask for its name.
void take_whole_node(const ChoiceJob& job, ChosenNode& chosen);

}  // namespace trestle::slurm::choice
