// SPDX-License-Identifier: Apache-2.0
#pragma once

// The processors and memory of one machine as a value.
//
// Layer: model. Main types: HardwareTree (cores, their threads, and groups of cores such as
// packages, dies, caches), MemoryDomain (one NUMA node). Levels are sets of cores, not nested
// pointers: NUMA nodes and L3 caches do not nest the same way on every machine.
// Pitfall: CoreId is the position in `cores` (tree order); the numbers that the kernel wants are
// the OsIndex values inside Core::threads.

#include <array>
#include <cstdint>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/units.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// A level of the hardware tree, outermost first.
enum class HardwareLevel { machine, package, die, numa, l3, l2, core, thread };

constexpr auto enum_names(HardwareLevel) {
    using enum HardwareLevel;
    return std::array{named(machine, "machine"), named(package, "package"), named(die, "die"),
                      named(numa, "numa"),       named(l3, "l3"),           named(l2, "l2"),
                      named(core, "core"),       named(thread, "thread")};
}

/// One core: its hardware threads, lowest number first. At least one.
struct Core {
    /// Which cores of a node: performance: those with the highest Core::kind of the node.
    /// efficiency: all others. On a node whose cores are alike all are performance cores.
    enum class Kind { performance, efficiency };

    std::vector<OsIndex> threads;
    /// Rank of its kind on a node whose cores differ, faster kinds higher (0 efficiency cores, 1
    /// performance cores). All 0 when the cores are alike or their kinds are unknown.
    std::uint32_t kind = 0;

    static constexpr auto fields(auto list) {
        return list(field("threads", &Core::threads), field("kind", &Core::kind));
    }
    friend bool operator==(const Core&, const Core&) = default;
};

constexpr auto enum_names(Core::Kind) {
    using enum Core::Kind;
    return std::array{named(performance, "performance"), named(efficiency, "efficiency")};
}

/// The cores below one package, die or cache.
struct CoreGroup {
    HardwareLevel level = HardwareLevel::package;
    OsIndex os_index;  ///< the kernel's number of the group; its position where it has none
    CoreSet cores;

    static constexpr auto fields(auto list) {
        return list(field("level", &CoreGroup::level), field("os_index", &CoreGroup::os_index),
                    field("cores", &CoreGroup::cores));
    }
    friend bool operator==(const CoreGroup&, const CoreGroup&) = default;
};

/// Cores in tree order, and the groups that they form (package, die, l3, l2).
struct HardwareTree {
    std::vector<Core> cores;
    std::vector<CoreGroup> groups;

    [[nodiscard]] std::uint32_t core_count() const {
        return static_cast<std::uint32_t>(cores.size());
    }
    [[nodiscard]] CoreSet all_cores() const;

    /// The hardware threads of `set`. Requires: every member is below core_count().
    [[nodiscard]] PuSet threads_of(const CoreSet& set) const;
    [[nodiscard]] PuSet all_threads() const { return threads_of(all_cores()); }

    /// The cores with at least one thread in `threads`; threads that do not exist are passed over.
    [[nodiscard]] CoreSet cores_of(const PuSet& threads) const;

    /// The cores of this kind.
    [[nodiscard]] CoreSet cores_of_kind(Core::Kind kind) const;

    static constexpr auto fields(auto list) {
        return list(field("cores", &HardwareTree::cores), field("groups", &HardwareTree::groups));
    }
    friend bool operator==(const HardwareTree&, const HardwareTree&) = default;
};

/// The cores of a machine by how many hardware threads they have: counts the threads of a set
/// without a look at each core.
class ThreadCounts {
  public:
    struct Kind {
        std::int64_t threads = 0;  ///< of each of the cores
        CoreSet cores;

        friend bool operator==(const Kind&, const Kind&) = default;
    };

    ThreadCounts() = default;
    explicit ThreadCounts(const HardwareTree& tree);

    /// By threads, rising; one where all cores are alike.
    [[nodiscard]] const std::vector<Kind>& kinds() const { return kinds_; }
    /// Hardware threads of `cores`, which are the machine's. Complexity: words of the set for each
    /// kind.
    [[nodiscard]] std::int64_t of(const CoreSet& cores) const;

    friend bool operator==(const ThreadCounts&, const ThreadCounts&) = default;

  private:
    void add(std::int64_t threads, Interval<std::uint32_t> cores);

    std::vector<Kind> kinds_;
};

/// One NUMA node. Without cores it is a memory-only domain, near to no core.
struct MemoryDomain {
    /// What a memory domain is made of.
    enum class Kind { dram, high_bandwidth, persistent, device };

    OsIndex os_index;
    Kind kind = Kind::dram;
    Bytes capacity;
    CoreSet cores;
    Bytes reserved{};  ///< of the capacity, for the system: given to no owner

    /// True for memory that ordinary requests are met from: not a GPU's, not persistent memory.
    [[nodiscard]] bool is_ordinary() const {
        return kind == Kind::dram || kind == Kind::high_bandwidth;
    }
    /// Bytes that are given to work: all but the system's.
    [[nodiscard]] Bytes allocatable() const { return saturating_sub(capacity, reserved); }

    static constexpr auto fields(auto list) {
        return list(field("os_index", &MemoryDomain::os_index), field("kind", &MemoryDomain::kind),
                    field("capacity", &MemoryDomain::capacity),
                    field("cores", &MemoryDomain::cores),
                    field("reserved", &MemoryDomain::reserved));
    }
    friend bool operator==(const MemoryDomain&, const MemoryDomain&) = default;
};

constexpr auto enum_names(MemoryDomain::Kind) {
    using enum MemoryDomain::Kind;
    return std::array{named(dram, "dram"), named(high_bandwidth, "high_bandwidth"),
                      named(persistent, "persistent"), named(device, "device")};
}

}  // namespace trestle
