// SPDX-License-Identifier: Apache-2.0
#pragma once

// Instance: a machine of a fleet, running or being created, and the owners of its blocks.
//
// Layer: alloc. Main types: Instance::State, Instance, Instance::Share (what a job has of one), and
// check(instance).
// Pitfall: whether an instance is idle or busy is no state; it follows from the owners of its
// blocks.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trestle/alloc/market/offers/blocks.hpp"
#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// A machine of a fleet.
struct Instance {
    /// What a job has of an instance.
    struct Share {
        std::string instance;
        Architecture architecture = Architecture::x86;  ///< the instance's, as the next two are
        std::vector<std::string> availability_zones;
        std::string runtime;
        BlockSet blocks;
        Count total_blocks{1};  ///< of the instance
        Count cpus;             ///< hardware threads
        Bytes memory;           ///< of the ordinary domains
        std::vector<Offer::Devices> devices;
        std::optional<Bytes> disk;  ///< of the whole instance: blocks share it
        /// Exactly which cores, bytes and devices; absent until the machine was inspected.
        std::optional<NodePlacement> placement;
        PuSet threads;  ///< the CPUs as the kernel numbers them; empty without a placement

        [[nodiscard]] bool is_whole() const { return Count(blocks.count()) == total_blocks; }

        static constexpr auto fields(auto list) {
            return list(field("instance", &Share::instance),
                        field("architecture", &Share::architecture),
                        field("availability_zones", &Share::availability_zones),
                        field("runtime", &Share::runtime), field("blocks", &Share::blocks),
                        field("total_blocks", &Share::total_blocks), field("cpus", &Share::cpus),
                        field("memory", &Share::memory), field("devices", &Share::devices),
                        field("disk", &Share::disk), field("placement", &Share::placement),
                        field("threads", &Share::threads));
        }
        friend bool operator==(const Share&, const Share&) = default;
    };

    /// The life of an instance.
    enum class State { provisioning, running, terminating, terminated };

    std::string name;   ///< no two instances have the same
    std::string fleet;  ///< the fleet that it belongs to
    /// What it was bought as; its `blocks` is how many it is cut into, its zones are those that it
    /// may be in. Its availability is not looked at: `state` and `blocks` say more.
    Offer offer;
    std::string reservation;  ///< empty: none
    std::string runtime;      ///< what starts jobs there; carried to the share
    State state = State::running;
    bool is_reachable = true;
    Health health = Health::healthy;
    std::optional<Shared<NodeShape>> shape;  ///< absent: the machine was not inspected yet
    HostBlocks blocks;

    static constexpr auto fields(auto list) {
        return list(field("name", &Instance::name), field("fleet", &Instance::fleet),
                    field("offer", &Instance::offer), field("reservation", &Instance::reservation),
                    field("runtime", &Instance::runtime), field("state", &Instance::state),
                    field("is_reachable", &Instance::is_reachable),
                    field("health", &Instance::health), field("shape", &Instance::shape),
                    field("blocks", &Instance::blocks));
    }
    friend bool operator==(const Instance&, const Instance&) = default;
};

constexpr auto enum_names(Instance::State) {
    using enum Instance::State;
    return std::array{named(provisioning, "provisioning"), named(running, "running"),
                      named(terminating, "terminating"), named(terminated, "terminated")};
}

/// Ok when the blocks are as many as the offer says. The shape, where there is one, has to be
/// consistent and cut into them.
/// Errors: InvalidArgument that names the instance and the breach. Complexity: linear in the shape.
[[nodiscard]] Status check(const Instance& instance);

}  // namespace trestle
