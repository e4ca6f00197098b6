// SPDX-License-Identifier: Apache-2.0
#pragma once

// Limit: one line of one file of a group, as a typed value.
//
// Layer: enforce. Main type: Limit; file_of and file_value say which file has it and how the kernel
// spells it. A number that is absent is `max`, no limit.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/one_of.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/limits/resource_limits.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {

/// cpuset.cpus: the hardware threads that a group may use.
struct CpusLimit {
    PuSet cpus;  ///< empty: those of the group above

    static constexpr std::string_view kind = "cpus";
    static constexpr auto fields(auto list) { return list(field("cpus", &CpusLimit::cpus)); }
    friend bool operator==(const CpusLimit&, const CpusLimit&) = default;
};

/// cpuset.mems: the NUMA nodes that a group may have memory of.
struct MemsLimit {
    SmallSet<OsIndex> mems;  ///< empty: those of the group above

    static constexpr std::string_view kind = "mems";
    static constexpr auto fields(auto list) { return list(field("mems", &MemsLimit::mems)); }
    friend bool operator==(const MemsLimit&, const MemsLimit&) = default;
};

/// cpuset.cpus.partition.
struct PartitionLimit {
    CpusetPartition partition = CpusetPartition::member;

    static constexpr std::string_view kind = "partition";
    static constexpr auto fields(auto list) {
        return list(field("partition", &PartitionLimit::partition));
    }
    friend bool operator==(const PartitionLimit&, const PartitionLimit&) = default;
};

/// cpu.max: CPU time in each second.
struct CpuTimeLimit {
    std::optional<MilliCpu> time;

    static constexpr std::string_view kind = "cpu_time";
    static constexpr auto fields(auto list) { return list(field("time", &CpuTimeLimit::time)); }
    friend bool operator==(const CpuTimeLimit&, const CpuTimeLimit&) = default;
};

/// cpu.weight: groups that compete have CPU time in proportion to their weights.
struct CpuWeightLimit {
    Count weight{100};  ///< 1 to 10000; 100 is the kernel's default

    static constexpr std::string_view kind = "cpu_weight";
    static constexpr auto fields(auto list) {
        return list(field("weight", &CpuWeightLimit::weight));
    }
    friend bool operator==(const CpuWeightLimit&, const CpuWeightLimit&) = default;
};

/// One number of bytes of the memory controller.
struct MemoryLimit {
    /// The files of the memory controller that hold one number of bytes.
    enum class File {
        max,       ///< memory.max
        high,      ///< memory.high: from here on the group is slowed down
        low,       ///< memory.low: kept from others while there is other memory to take
        min,       ///< memory.min: kept from others in any case
        swap_max,  ///< memory.swap.max
    };

    File file = File::max;
    std::optional<Bytes> bytes;

    static constexpr std::string_view kind = "memory";
    static constexpr auto fields(auto list) {
        return list(field("file", &MemoryLimit::file), field("bytes", &MemoryLimit::bytes));
    }
    friend bool operator==(const MemoryLimit&, const MemoryLimit&) = default;
};

constexpr auto enum_names(MemoryLimit::File) {
    return std::array{named(MemoryLimit::File::max, "max"), named(MemoryLimit::File::high, "high"),
                      named(MemoryLimit::File::low, "low"), named(MemoryLimit::File::min, "min"),
                      named(MemoryLimit::File::swap_max, "swap_max")};
}

/// memory.oom.group: over memory all processes of the group die, not one.
struct OomGroupLimit {
    bool is_on = false;

    static constexpr std::string_view kind = "oom_group";
    static constexpr auto fields(auto list) { return list(field("is_on", &OomGroupLimit::is_on)); }
    friend bool operator==(const OomGroupLimit&, const OomGroupLimit&) = default;
};

/// pids.max: processes and threads.
struct PidsLimit {
    std::optional<Count> max;

    static constexpr std::string_view kind = "pids";
    static constexpr auto fields(auto list) { return list(field("max", &PidsLimit::max)); }
    friend bool operator==(const PidsLimit&, const PidsLimit&) = default;
};

/// io.weight, of every block device without a weight of its own.
struct IoWeightLimit {
    Count weight{100};  ///< 1 to 10000; 100 is the kernel's default

    static constexpr std::string_view kind = "io_weight";
    static constexpr auto fields(auto list) {
        return list(field("weight", &IoWeightLimit::weight));
    }
    friend bool operator==(const IoWeightLimit&, const IoWeightLimit&) = default;
};

/// hugetlb.<size>.rsvd.max: huge pages reserved (mmap), touched or not.
struct HugetlbReservation {
    Bytes page_size;
    Bytes max;  ///< a multiple of the page size; Bytes::max(): no limit

    static constexpr std::string_view kind = "hugetlb_reservation";
    static constexpr auto fields(auto list) {
        return list(field("page_size", &HugetlbReservation::page_size),
                    field("max", &HugetlbReservation::max));
    }
    friend bool operator==(const HugetlbReservation&, const HugetlbReservation&) = default;
};

/// One line of one file of a group.
using Limit = std::variant<CpusLimit, MemsLimit, PartitionLimit, CpuTimeLimit, CpuWeightLimit,
                           MemoryLimit, OomGroupLimit, PidsLimit, IoLimit, IoWeightLimit,
                           HugetlbLimit, HugetlbReservation, RdmaLimit, MiscLimit>;

/// `memory.max`, `hugetlb.2MB.rsvd.max`.
[[nodiscard]] std::string file_of(const Limit& limit);

/// As the kernel takes it: `17179869184`, `0-3`, `8:0 rbps=1048576 wbps=max riops=max wiops=max`;
/// empty for no CPUs or NUMA nodes of the group's own.
[[nodiscard]] std::string file_value(const Limit& limit);

}  // namespace trestle
