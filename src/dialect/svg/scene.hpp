// SPDX-License-Identifier: Apache-2.0
#pragma once

// Scene: what a picture of a node shows, before the layout.
//
// Layer: dialect/svg, inside. Main types: Box (a part of the hardware tree with the memory and
// devices that are near to it), Owner, Scene. Main functions: scene_of, and the words for tooltips.
// Pitfall: levels need not nest; a box holds what its outer box and a group of its level have in
// common.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/svg/node.hpp"
#include "trestle/model/node.hpp"

namespace trestle::svg {

/// Devices that are linked, directly or through each other.
struct LinkGroup {
    std::vector<DeviceId> devices;  ///< rising
    std::vector<DeviceLink> links;  ///< as on the node, none of strength 0

    /// Every two are linked, all equally strongly.
    [[nodiscard]] bool is_uniform() const;
};

/// What lies together: the machine, a package, a die, a NUMA node, an L3 cache.
struct Box {
    std::string label;
    CoreSet cores;
    std::vector<Box> parts;         ///< empty: the cores themselves are drawn
    std::vector<DomainId> memory;   ///< near to these cores and to none outside
    std::vector<DeviceId> devices;  ///< likewise
    std::vector<LinkGroup> links;   ///< between devices of this box or its parts
};

/// One line of the legend.
struct Owner {
    std::optional<OwnerId> id;  ///< absent: the proposal
    std::string label{};
    CoreSet cores{};
    MilliCpu milli_cpus{};
    Bytes memory{};
    SmallVector<DeviceShare> devices{};
    std::size_t colour = 0;  ///< its position among all owners of the picture

    [[nodiscard]] bool is_proposed() const { return !id.has_value(); }
};

struct CoreHold {
    std::size_t owner = 0;  ///< in Scene::owners
    std::optional<std::uint32_t> row;
    std::size_t threads = 0;  ///< how many of the core's, the first ones
};

struct MemoryHold {
    std::size_t owner = 0;
    Bytes bytes;
};

struct DeviceHold {
    std::size_t owner = 0;
    DeviceShare share;
};

struct Scene {
    Box machine;
    std::vector<Owner> owners;                     ///< by id, the proposal last
    std::vector<std::vector<CoreHold>> cores;      ///< by CoreId; rows in order
    std::vector<std::vector<MemoryHold>> memory;   ///< by DomainId, in the order of the owners
    std::vector<std::vector<DeviceHold>> devices;  ///< by DeviceId; instances where they start
    CoreSet reserved_cores;                        ///< for owners of a device
    bool is_drained = false;  ///< the node takes no work: what is free of it cannot be had
    bool is_broken = false;   ///< it is down or has failed
};

/// Requires: what is taken exists.
[[nodiscard]] Scene scene_of(const NodeShape& shape, std::span<const Taken> taken,
                             std::span<const OwnerName> names);

/// The owners of what is taken, by id, the proposal last; nothing counted yet.
[[nodiscard]] std::vector<Owner> owners_of(std::span<const Taken> taken,
                                           std::span<const OwnerName> names);

/// What an owner has of a node, part by part as cores of one row.
[[nodiscard]] std::vector<Taken> taken_of(const NodeLedger& ledger);

[[nodiscard]] Box box_tree(const NodeShape& shape);

/// What a reader should know of the node before looking at its parts: `drained, health: warning`.
[[nodiscard]] std::string state_words(NodeState state, Health health);
/// `503.6 GiB`: rounded down to a tenth.
[[nodiscard]] std::string size_words(Bytes bytes);
/// `3 of 4 GiB`, `512 MiB of 4 GiB`: a unit that is the same is written once.
[[nodiscard]] std::string free_words(Bytes free, Bytes capacity);
/// `1 core`, `3 cores`.
[[nodiscard]] std::string counted(std::size_t n, const char* noun);
/// `gpu 0`.
[[nodiscard]] std::string device_words(const Device& device);
/// `gpu 0-3 5, nic 0`.
[[nodiscard]] std::string devices_words(const NodeShape& shape,
                                        const std::vector<DeviceId>& devices);
/// `8 cores, 64 GiB, gpu 0-1`.
[[nodiscard]] std::string amount_words(const NodeShape& shape, const Owner& owner);

/// `core 5, threads 5 and 21, owner 7`.
[[nodiscard]] std::string core_title(const NodeShape& shape, const Scene& scene, CoreId core);
/// `memory 0, dram, 256 GiB: 192 GiB free; owner 7 64 GiB`.
[[nodiscard]] std::string memory_title(const NodeShape& shape, const Scene& scene, DomainId domain);
/// `a100`, `a100 1g.10gb`: the type, and the profile of a MIG instance where the type lacks it.
[[nodiscard]] std::string kind_words(const Device& device);
/// `gpu 0, a100, 80 GiB, near cores 0-15, owner 7`.
[[nodiscard]] std::string device_title(const NodeShape& shape, const Scene& scene, DeviceId device);

/// What of the domain is free.
[[nodiscard]] Bytes free_bytes(const NodeShape& shape, const Scene& scene, DomainId domain);

}  // namespace trestle::svg
