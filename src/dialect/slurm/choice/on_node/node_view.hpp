// SPDX-License-Identifier: Apache-2.0
#pragma once

// A node as the choice sees it: its description, and what is free of it.
//
// Layer: dialect/slurm, inside. Main types: NodeView, made of a shape once for a class of nodes;
// NodeRoom, made of a FreeState. See merge.hpp for how counters and parts of GPUs are modelled.
// Pitfall: a GPU and the shards cut from it are one device here and two entries of NodeView::gres;
// a share of the one leaves nothing of the other.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "../job.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/model/node.hpp"

namespace trestle::slurm::choice {

/// Cores of each socket.
using SocketCores = std::vector<CoreSet>;

/// One device, or all shares that one device is cut into.
struct ViewDevice {
    DeviceId id;
    std::uint32_t index = 0;
    std::string type;
    std::vector<std::size_t> near;   ///< the first socket of Cores=; empty: near to all
    bool lists_all_sockets = false;  ///< Cores= says that it is near to all
};

/// Devices of one type that have no index: a bare number.
struct ViewCounter {
    std::string type;
    std::vector<DeviceId> ids;
};

/// All of one GRES name.
struct ViewGres {
    std::string name;
    std::vector<ViewDevice> devices;
    std::vector<ViewCounter> counters;
    bool is_shared = false;  ///< shard or mps
    bool is_consumed = true;
    bool is_explicit = false;  ///< whole nodes come without, unless the job asks for the name
    bool has_links = false;    ///< every device to some other
    std::vector<std::vector<Number>> strength;  ///< by positions in `devices`
};

/// What does not change of a node.
struct NodeView {
    const NodeShape* shape = nullptr;
    std::vector<CoreSet> sockets;
    Number cores_per_socket = 1;  ///< of the largest
    Number threads = 1;           ///< of a core
    Number cpus = 1;
    Number memory = 0;  ///< that jobs may have
    Number weight = 1;
    CoreSet reserved_cores;       ///< of all GPUs, for jobs that have GPUs
    Number reserved_per_gpu = 0;  ///< the most that one of them has
    std::vector<ViewGres> gres;

    [[nodiscard]] std::size_t socket_of(CoreId core) const;
    [[nodiscard]] SocketCores by_socket(const CoreSet& cores) const;
    /// The position in `gres`, or nothing.
    [[nodiscard]] std::optional<std::size_t> find_gres(std::string_view name) const;
};

/// What is left of one GRES name.
struct RoomGres {
    std::vector<Number> units;     ///< by device
    std::vector<Number> counters;  ///< by counter
    bool is_touched = false;       ///< some of it has an owner
};

/// All that a choice may know of a node's use. Equal values give equal answers.
struct NodeRoom {
    CoreSet busy;
    Number memory = 0;
    std::vector<RoomGres> gres;
};

[[nodiscard]] NodeView view_of(const NodeShape& shape, Number weight);
/// `row`: the cores are shared in it; absent: the job has them alone.
[[nodiscard]] NodeRoom room_of(const NodeView& view, const FreeState& free,
                               std::optional<std::uint32_t> row = std::nullopt);
/// Takes the MPS of devices that no job uses out of the room: with some in use on a node, its other
/// devices give none. room_of() does so where a device has a part of its MPS left.
void keep_to_mps_in_use(const NodeView& view, NodeRoom& room);
/// True when a device has none left and none has a part of it: it is a GPU job's, or its MPS is in
/// use, and the jobs of the node say which.
[[nodiscard]] bool may_have_mps_in_use(const NodeView& view, const NodeRoom& room);

/// Cores in the order in which they are set aside: the last of each socket, the last socket first.
[[nodiscard]] std::vector<CoreId> system_order(const NodeView& view);

[[nodiscard]] CoreSet joined(const SocketCores& sockets);

}  // namespace trestle::slurm::choice
