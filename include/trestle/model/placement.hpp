// SPDX-License-Identifier: Apache-2.0
#pragma once

// Placement: who gets what, by name of every core, byte and device. Allocation: whose it is.
//
// Layer: model. Main types: NodePlacement, Placement, Allocation. A placement is a proposal and
// changes nothing until it is committed to a cluster.
// A reader would get wrong: a share equal to the device's `shares` takes the device whole.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/request.hpp"
#include "trestle/model/tres.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// Bytes taken from one memory domain of a node.
struct MemoryShare {
    DomainId domain;
    Bytes bytes;

    static constexpr auto fields() {
        return field_list(field("domain", &MemoryShare::domain),
                          field("bytes", &MemoryShare::bytes));
    }
    friend bool operator==(const MemoryShare&, const MemoryShare&) = default;
    friend auto operator<=>(const MemoryShare&, const MemoryShare&) = default;
};

/// Shares taken of one device.
struct DeviceShare {
    DeviceId device;
    Count shares{1};

    static constexpr auto fields() {
        return field_list(field("device", &DeviceShare::device),
                          field("shares", &DeviceShare::shares));
    }
    friend bool operator==(const DeviceShare&, const DeviceShare&) = default;
    friend auto operator<=>(const DeviceShare&, const DeviceShare&) = default;
};

/// What one node gives. Memory and devices are sorted by id, each at most once, none of amount 0.
struct NodePlacement {
    NodeId node;
    Count tasks{1};
    CoreSet cores;
    std::vector<MemoryShare> memory;
    std::vector<DeviceShare> devices;

    [[nodiscard]] Bytes total_memory() const {
        return std::accumulate(memory.begin(), memory.end(), Bytes(),
                               [](Bytes sum, const MemoryShare& m) { return sum + m.bytes; });
    }
    [[nodiscard]] DeviceSet device_set() const {
        DeviceSet set;
        for (const DeviceShare& share : devices) set.insert(share.device);
        return set;
    }

    static constexpr auto fields() {
        return field_list(
            field("node", &NodePlacement::node), field("tasks", &NodePlacement::tasks),
            field("cores", &NodePlacement::cores), field("memory", &NodePlacement::memory),
            field("devices", &NodePlacement::devices));
    }
    friend bool operator==(const NodePlacement&, const NodePlacement&) = default;
};

/// What all nodes give, in the order of their ids, each node once.
struct Placement {
    std::vector<NodePlacement> nodes;

    static constexpr auto fields() { return field_list(field("nodes", &Placement::nodes)); }
    friend bool operator==(const Placement&, const Placement&) = default;
};

/// A placement that somebody owns.
struct Allocation {
    OwnerId owner;
    Request request;      ///< what was asked
    Placement placement;  ///< what was granted

    static constexpr auto fields() {
        return field_list(field("owner", &Allocation::owner),
                          field("request", &Allocation::request),
                          field("placement", &Allocation::placement));
    }
    friend bool operator==(const Allocation&, const Allocation&) = default;
};

/// The hardware threads of a node placement, as the kernel numbers them.
[[nodiscard]] inline PuSet threads_of(const NodeShape& shape, const NodePlacement& placement) {
    return shape.hardware.threads_of(placement.cores);
}

/// What a node placement counts as: cpu, mem (bytes), and for each device `gres/<name>` and, when
/// it has a type, `gres/<name>:<type>`, whether or not the type was asked for. A device of which
/// only a part is taken counts its shares under `gres/<name>_share`, not as a device.
[[nodiscard]] inline TresCounts tres_of(const NodeShape& shape, const NodePlacement& placement) {
    TresCounts counts;
    counts.add({"node", ""}, Count(1));
    counts.add({"cpu", ""}, Count(threads_of(shape, placement).count()));
    counts.add({"mem", ""}, Count(placement.total_memory().value()));
    for (const DeviceShare& share : placement.devices) {
        const Device& device = shape.devices[share.device.value()];
        if (share.shares != device.shares) {
            counts.add({"gres", device.name + "_share"}, share.shares);
            continue;
        }
        counts.add({"gres", device.name}, Count(1));
        if (!device.type.empty()) counts.add({"gres", device.name + ":" + device.type}, Count(1));
    }
    return counts;
}

}  // namespace trestle
