// SPDX-License-Identifier: Apache-2.0
#pragma once

// MemoryPolicy: from which NUMA nodes a process gets its memory.
//
// Layer: enforce. Main types: MemoryPolicy, MemoryPolicy::Mode.
// Pitfall: a policy is a process's own choice, inherited by what it starts; each process may change
// its own. What holds is the group's cpuset.mems, which the policy cannot leave.

#include <array>
#include <string>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// From which NUMA nodes a process gets its memory.
struct MemoryPolicy {
    /// The modes of set_mempolicy(2).
    enum class Mode {
        standard,    ///< the kernel's own way: near the CPU that asks, elsewhere when that is full
        bind,        ///< from these nodes and no others
        preferred,   ///< from these nodes while they have any (several: Linux 5.15), else from
                     ///< others
        interleave,  ///< page by page from each in turn
        local,       ///< near the CPU that asks, whatever was inherited
    };

    Mode mode = Mode::standard;
    SmallSet<OsIndex> nodes;  ///< as the kernel numbers them; none for default and local

    static constexpr auto fields(auto list) {
        return list(field("mode", &MemoryPolicy::mode), field("nodes", &MemoryPolicy::nodes));
    }
    friend bool operator==(const MemoryPolicy&, const MemoryPolicy&) = default;
};

constexpr auto enum_names(MemoryPolicy::Mode) {
    using enum MemoryPolicy::Mode;
    return std::array{named(standard, "default"), named(bind, "bind"),
                      named(preferred, "preferred"), named(interleave, "interleave"),
                      named(local, "local")};
}

/// `bind 0-1`, `local`.
[[nodiscard]] std::string to_text(const MemoryPolicy& policy);

/// Ok when the mode has the nodes that it is about. Errors: InvalidArgument.
[[nodiscard]] Status check(const MemoryPolicy& policy);

}  // namespace trestle
