// SPDX-License-Identifier: Apache-2.0
#pragma once

// What single options of sbatch, srun and salloc say, where that is more than a number.
//
// Layer: dialect/slurm. Main types: one for each little grammar: NodeCounts (-N), TaskOrder (-m),
// CpuBind, MemBind, TresBind, TaskTres, GpuFrequency, GresFlags. The others lie in terms.hpp.
// JobOptions puts them together. All of them hold what was said, before any default: an absent
// part was not given.
// Pitfall: in a distribution, `*` becomes Slurm's default of that level: block, then cyclic, then
// as the level before. A level that was not given stays absent.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/alloc/node/job/device_bind.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/tres.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::slurm {

/// `-N 4`, `-N 2-4`, `-N 1,4,8` or `-N 1-15:4`.
struct NodeCounts {
    Range<Count> range;        ///< from 1 on; that of `sizes` where there are some
    std::vector<Count> sizes;  ///< rising, when only these numbers are wanted; else empty

    static constexpr auto fields(auto list) {
        return list(field("range", &NodeCounts::range), field("sizes", &NodeCounts::sizes));
    }
    friend bool operator==(const NodeCounts&, const NodeCounts&) = default;
};

/// How one level deals out tasks or CPUs. arbitrary: as the host file says.
enum class TaskSpread { block, cyclic, fcyclic, plane, arbitrary };

constexpr auto enum_names(TaskSpread) {
    using enum TaskSpread;
    return std::array{named(block, "block"), named(cyclic, "cyclic"), named(fcyclic, "fcyclic"),
                      named(plane, "plane"), named(arbitrary, "arbitrary")};
}

/// `-m L1[:L2[:L3]][,Pack|NoPack]`.
struct TaskOrder {
    std::optional<TaskSpread> nodes;    ///< block, cyclic, plane or arbitrary
    std::optional<TaskSpread> sockets;  ///< block, cyclic or fcyclic
    std::optional<TaskSpread> cores;    ///< block, cyclic or fcyclic
    std::optional<Count> plane_size;    ///< with plane
    std::optional<bool> pack;           ///< nodes filled as far as they go, or evenly

    static constexpr auto fields(auto list) {
        return list(field("nodes", &TaskOrder::nodes), field("sockets", &TaskOrder::sockets),
                    field("cores", &TaskOrder::cores), field("plane_size", &TaskOrder::plane_size),
                    field("pack", &TaskOrder::pack));
    }
    friend bool operator==(const TaskOrder&, const TaskOrder&) = default;
};

/// `--hint`.
enum class Hint { compute_bound, memory_bound, multithread, nomultithread };

constexpr auto enum_names(Hint) {
    using enum Hint;
    return std::array{named(compute_bound, "compute_bound"), named(memory_bound, "memory_bound"),
                      named(multithread, "multithread"), named(nomultithread, "nomultithread")};
}

/// What --cpu-bind and --mem-bind report.
enum class BindReport { quiet, verbose };

constexpr auto enum_names(BindReport) {
    return std::array{named(BindReport::quiet, "quiet"), named(BindReport::verbose, "verbose")};
}

/// How tasks come to CPUs: to units of the hardware, by their rank, by a list. The ones with ldom
/// count NUMA domains.
enum class CpuBindRule {
    none,
    threads,
    cores,
    sockets,
    ldoms,
    rank,
    rank_ldom,
    map_cpu,
    map_ldom,
    mask_cpu,
    mask_ldom
};

constexpr auto enum_names(CpuBindRule) {
    using enum CpuBindRule;
    return std::array{
        named(none, "none"),           named(threads, "threads"),    named(cores, "cores"),
        named(sockets, "sockets"),     named(ldoms, "ldoms"),        named(rank, "rank"),
        named(rank_ldom, "rank_ldom"), named(map_cpu, "map_cpu"),    named(map_ldom, "map_ldom"),
        named(mask_cpu, "mask_cpu"),   named(mask_ldom, "mask_ldom")};
}

/// `--cpu-bind=[quiet,|verbose,]rule`.
struct CpuBind {
    std::optional<CpuBindRule> rule;  ///< absent: only the report was given
    std::vector<std::uint32_t> map;   ///< of map_cpu and map_ldom, by task; `3*2` stands twice
    std::vector<SmallSet<>> masks;    ///< of mask_cpu and mask_ldom, likewise
    std::optional<BindReport> report;

    static constexpr auto fields(auto list) {
        return list(field("rule", &CpuBind::rule), field("map", &CpuBind::map),
                    field("masks", &CpuBind::masks), field("report", &CpuBind::report));
    }
    friend bool operator==(const CpuBind&, const CpuBind&) = default;
};

/// How tasks come to memory domains.
enum class MemBindRule { none, local, rank, map_mem, mask_mem };

constexpr auto enum_names(MemBindRule) {
    using enum MemBindRule;
    return std::array{named(none, "none"), named(local, "local"), named(rank, "rank"),
                      named(map_mem, "map_mem"), named(mask_mem, "mask_mem")};
}

/// `--mem-bind=[quiet,|verbose,][prefer,][sort,|nosort,]rule`, in any order.
struct MemBind {
    std::optional<MemBindRule> rule;
    std::vector<std::uint32_t> map;
    std::vector<SmallSet<>> masks;
    bool is_preferred = false;      ///< other domains when these are full
    std::optional<bool> is_sorted;  ///< free pages moved together first
    std::optional<BindReport> report;

    static constexpr auto fields(auto list) {
        return list(field("rule", &MemBind::rule), field("map", &MemBind::map),
                    field("masks", &MemBind::masks), field("is_preferred", &MemBind::is_preferred),
                    field("is_sorted", &MemBind::is_sorted), field("report", &MemBind::report));
    }
    friend bool operator==(const MemBind&, const MemBind&) = default;
};

/// `--tres-bind=gres/gpu:closest+gres/shard:per_task:2`, `--gpu-bind=single:2`.
struct TresBind {
    std::vector<DeviceBind> rules;  ///< one for each name, in the order of the text
    bool is_verbose = false;

    static constexpr auto fields(auto list) {
        return list(field("rules", &TresBind::rules), field("is_verbose", &TresBind::is_verbose));
    }
    friend bool operator==(const TresBind&, const TresBind&) = default;
};

/// `--tres-per-task=cpu=4,gres/gpu:a100:2,license/matlab:1`.
struct TaskTres {
    std::optional<Count> cpus;
    std::vector<Gres> gres;
    std::vector<ClusterCount> licenses;  ///< sorted by name, each once

    static constexpr auto fields(auto list) {
        return list(field("cpus", &TaskTres::cpus), field("gres", &TaskTres::gres),
                    field("licenses", &TaskTres::licenses));
    }
    friend bool operator==(const TaskTres&, const TaskTres&) = default;
};

/// A frequency by name, or a number of megahertz. highm1: the one below the highest.
enum class FrequencyLevel { low, medium, high, highm1, megahertz };

constexpr auto enum_names(FrequencyLevel) {
    using enum FrequencyLevel;
    return std::array{named(low, "low"), named(medium, "medium"), named(high, "high"),
                      named(highm1, "highm1"), named(megahertz, "megahertz")};
}

/// A level, or a number with FrequencyLevel::megahertz.
struct Frequency {
    FrequencyLevel level = FrequencyLevel::high;
    Count megahertz;  ///< with FrequencyLevel::megahertz; else 0

    static constexpr auto fields(auto list) {
        return list(field("level", &Frequency::level), field("megahertz", &Frequency::megahertz));
    }
    friend bool operator==(const Frequency&, const Frequency&) = default;
};

/// `--gpu-freq=[type=]value[,type=value][,verbose]`.
struct GpuFrequency {
    std::optional<Frequency> graphics;
    std::optional<Frequency> memory;
    bool is_verbose = false;

    static constexpr auto fields(auto list) {
        return list(field("graphics", &GpuFrequency::graphics),
                    field("memory", &GpuFrequency::memory),
                    field("is_verbose", &GpuFrequency::is_verbose));
    }
    friend bool operator==(const GpuFrequency&, const GpuFrequency&) = default;
};

/// `--gres-flags`, a list.
struct GresFlags {
    bool disable_binding = false;  ///< devices without regard to the cores
    bool enforce_binding = false;  ///< only devices near the cores
    bool one_task_per_sharing = false;
    bool multiple_tasks_per_sharing = false;
    bool allow_task_sharing = false;

    static constexpr auto fields(auto list) {
        return list(field("disable_binding", &GresFlags::disable_binding),
                    field("enforce_binding", &GresFlags::enforce_binding),
                    field("one_task_per_sharing", &GresFlags::one_task_per_sharing),
                    field("multiple_tasks_per_sharing", &GresFlags::multiple_tasks_per_sharing),
                    field("allow_task_sharing", &GresFlags::allow_task_sharing));
    }
    friend bool operator==(const GresFlags&, const GresFlags&) = default;
};

}  // namespace trestle::slurm
