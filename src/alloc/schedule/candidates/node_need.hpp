// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeNeed: the least that each node of a request gives, in numbers.
//
// Layer: alloc (detail). Main types: NodeNeed, least_need(request); TaskRoom, the tasks that nodes
// have cores for. A node with less free cannot take part; a node with as much may still be refused
// by place().

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "alloc/cluster/states/node_classes.hpp"
#include "alloc/schedule/candidates/node_parts.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/alloc/schedule/period.hpp"
#include "trestle/model/request.hpp"

namespace trestle::detail {

struct NodeNeed {
    std::int64_t cpus = 0;
    std::int64_t threads_per_core = 0;   ///< that are used of a core; 0: all
    std::int64_t memory = 0;             ///< bytes
    std::vector<DeviceRequest> devices;  ///< whole ones; of each as many as its count's least

    [[nodiscard]] bool is_empty() const { return cpus == 0 && memory == 0 && devices.empty(); }
    friend bool operator==(const NodeNeed&, const NodeNeed&) = default;
};

[[nodiscard]] NodeNeed least_need(const Request& request);

/// False when so few nodes would have enough with nothing taken that the request has no place,
/// even when all owners end. Complexity: the states that nodes are in.
[[nodiscard]] bool may_have_place_when_idle(const Cluster& cluster, const Request& request);

/// How many of the tasks of a request nodes have cores for, at most, counted at one moment.
class TaskRoom {
  public:
    TaskRoom(const Cluster& cluster, const Request& request);

    /// Tasks of all nodes together; 0 where they are not counted in cores.
    [[nodiscard]] std::int64_t wanted() const { return wanted_; }
    /// Requires: the parts are of a node of the class.
    [[nodiscard]] std::int64_t on(ClassId node_class, std::span<const NodeParts::Part> parts,
                                  Instant at) const;

  private:
    struct Cores {
        std::int64_t count = 0;
        std::int64_t threads = 0;  ///< of the core that has most
    };
    std::int64_t wanted_ = 0;
    std::int64_t cpus_ = 0;        ///< of a task
    std::vector<Cores> by_class_;  ///< of an idle node
};

/// A need on the nodes of one class: what may be taken at most.
class ClassNeed {
  public:
    ClassNeed(const NodeNeed& need, const KnownClass& known);

    /// True when a node with nothing taken has enough.
    [[nodiscard]] bool is_enough_when_idle() const {
        return cores_max_ >= 0 && memory_max_ >= 0 &&
               std::all_of(devices_.begin(), devices_.end(),
                           [](const Devices& one) { return one.taken_max >= 0; });
    }
    /// True when a node of the class in this state has enough: what find_periods() says of the
    /// moment at which its parts leave this state.
    [[nodiscard]] bool is_enough_in(const KnownClass& known, const FreeState& free) const;
    /// Periods in which enough is left for it, at each moment, from the beginning of time on.
    /// Requires: the parts are of a node of the class, by their start. Complexity: n log n.
    void find_periods(std::span<const NodeParts::Part> parts, std::vector<Period>& periods);

  private:
    struct Devices {
        std::uint64_t usable = 0;
        int taken_max = 0;
    };
    [[nodiscard]] bool is_enough_of(std::int64_t cores, std::int64_t memory,
                                    std::uint64_t devices) const;
    [[nodiscard]] bool is_enough() const { return is_enough_of(cores_, memory_, devices_taken_); }
    void count(const NodeParts::Part& part, int sign);

    std::int64_t cores_max_ = 0;  ///< that may be taken; below 0: it is never enough
    std::int64_t memory_max_ = 0;
    std::vector<Devices> devices_;
    // While the moments of a node are gone through.
    std::int64_t cores_ = 0;
    std::int64_t memory_ = 0;
    std::uint64_t devices_taken_ = 0;
    std::array<std::uint16_t, 64> owners_of_device_{};
    std::vector<const NodeParts::Part*> by_end_;
};

}  // namespace trestle::detail
