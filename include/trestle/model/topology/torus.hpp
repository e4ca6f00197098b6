// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes on a three-dimensional grid whose opposite sides are neighbours.
//
// Layer: model. Main types: TorusTopology::Shape, Torus, TorusTopology. Two dimensions are a torus
// with z = 1.
// Pitfall: x runs fastest. The node at (x, y, z) of a torus of X x Y x Z is `nodes[x + X x (y + Y x
// z)]`, as in Slurm's topology.yaml. A place may be empty.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

/// Tori beside each other; a job lies on one of them.
struct TorusTopology {
    /// Lengths of a torus, or of a box of nodes on it, or a place.
    struct Shape {
        std::uint32_t x = 1;
        std::uint32_t y = 1;
        std::uint32_t z = 1;

        /// Places inside; nothing when these are more than 2^32 - 1.
        [[nodiscard]] constexpr std::optional<std::uint32_t> volume() const {
            const std::uint64_t area = std::uint64_t{x} * y;
            constexpr std::uint64_t most = 0xffff'ffff;
            if (area == 0 || z == 0) return 0;
            if (area > most / z) return std::nullopt;
            return static_cast<std::uint32_t>(area * z);
        }

        static constexpr auto fields(auto list) {
            return list(field("x", &Shape::x), field("y", &Shape::y), field("z", &Shape::z));
        }
        friend constexpr bool operator==(const Shape&, const Shape&) = default;
    };

    /// One torus.
    struct Torus {
        std::string name;
        Shape shape;
        std::vector<std::optional<NodeId>> nodes{std::nullopt};  ///< by place, x fastest; or empty

        static constexpr auto fields(auto list) {
            return list(field("name", &Torus::name), field("shape", &Torus::shape),
                        field("nodes", &Torus::nodes));
        }
        friend bool operator==(const Torus&, const Torus&) = default;
    };

    std::string name;
    std::vector<Torus> toruses;

    static constexpr auto fields(auto list) {
        return list(field("name", &TorusTopology::name), field("toruses", &TorusTopology::toruses));
    }
    friend bool operator==(const TorusTopology&, const TorusTopology&) = default;
};

/// Ok when tori have names of their own, as many places as their shape says, and no node has two
/// places. Errors: InvalidArgument that names the torus.
[[nodiscard]] Status check(const TorusTopology& topology);

}  // namespace trestle
