// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/limits/limit.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

#include "enforce/limits/kernel_values.hpp"
#include "enforce/limits/limit_lines.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

namespace {

/// What each kind of limit is to the functions of the header: its file, its spelling, what its line
/// is about (nothing: the file is one value), its default, and what is within two of it.
struct FileOfLimit {
    std::string operator()(const CpusLimit&) const { return "cpuset.cpus"; }
    std::string operator()(const MemsLimit&) const { return "cpuset.mems"; }
    std::string operator()(const PartitionLimit&) const { return "cpuset.cpus.partition"; }
    std::string operator()(const CpuTimeLimit&) const { return "cpu.max"; }
    std::string operator()(const CpuWeightLimit&) const { return "cpu.weight"; }
    std::string operator()(const MemoryLimit& one) const {
        if (one.file == MemoryLimit::File::swap_max) return "memory.swap.max";
        return "memory." + std::string(to_text(one.file));
    }
    std::string operator()(const OomGroupLimit&) const { return "memory.oom.group"; }
    std::string operator()(const PidsLimit&) const { return "pids.max"; }
    std::string operator()(const IoLimit&) const { return "io.max"; }
    std::string operator()(const IoWeightLimit&) const { return "io.weight"; }
    std::string operator()(const HugetlbLimit& one) const {
        return "hugetlb." + huge_page_name(one.page_size) + ".max";
    }
    std::string operator()(const HugetlbReservation& one) const {
        return "hugetlb." + huge_page_name(one.page_size) + ".rsvd.max";
    }
    std::string operator()(const RdmaLimit&) const { return "rdma.max"; }
    std::string operator()(const MiscLimit&) const { return "misc.max"; }
};

struct SpellingOfLimit {
    std::string operator()(const CpusLimit& one) const { return to_text(one.cpus); }
    std::string operator()(const MemsLimit& one) const { return to_text(one.mems); }
    std::string operator()(const PartitionLimit& one) const {
        return std::string(to_text(one.partition));
    }
    std::string operator()(const CpuTimeLimit& one) const {
        return one.time ? cpu_max_text(*one.time) : "max 100000";
    }
    std::string operator()(const CpuWeightLimit& one) const {
        return std::to_string(one.weight.value());
    }
    std::string operator()(const MemoryLimit& one) const { return number_or_max(one.bytes); }
    std::string operator()(const OomGroupLimit& one) const { return one.is_on ? "1" : "0"; }
    std::string operator()(const PidsLimit& one) const { return number_or_max(one.max); }
    std::string operator()(const IoWeightLimit& one) const {
        return "default " + std::to_string(one.weight.value());
    }
    std::string operator()(const HugetlbLimit& one) const { return bytes(one.max); }
    std::string operator()(const HugetlbReservation& one) const { return bytes(one.max); }
    std::string operator()(const IoLimit& one) const { return to_text(one); }
    std::string operator()(const RdmaLimit& one) const { return to_text(one); }
    std::string operator()(const MiscLimit& one) const { return to_text(one); }

  private:
    static std::string bytes(Bytes most) {
        return most == Bytes::max() ? "max" : std::to_string(most.value());
    }
};

struct DefaultOfLimit {
    Limit operator()(const CpusLimit&) const { return CpusLimit{}; }
    Limit operator()(const MemsLimit&) const { return MemsLimit{}; }
    Limit operator()(const PartitionLimit&) const { return PartitionLimit{}; }
    Limit operator()(const CpuTimeLimit&) const { return CpuTimeLimit{}; }
    Limit operator()(const CpuWeightLimit&) const { return CpuWeightLimit{}; }
    Limit operator()(const MemoryLimit& one) const {
        const bool protects =
            one.file == MemoryLimit::File::low || one.file == MemoryLimit::File::min;
        return MemoryLimit{one.file, protects ? std::optional(Bytes()) : std::nullopt};
    }
    Limit operator()(const OomGroupLimit&) const { return OomGroupLimit{}; }
    Limit operator()(const PidsLimit&) const { return PidsLimit{}; }
    Limit operator()(const IoLimit& one) const { return IoLimit{one.major, one.minor}; }
    Limit operator()(const IoWeightLimit&) const { return IoWeightLimit{}; }
    Limit operator()(const HugetlbLimit& one) const {
        return HugetlbLimit{one.page_size, Bytes::max()};
    }
    Limit operator()(const HugetlbReservation& one) const {
        return HugetlbReservation{one.page_size, Bytes::max()};
    }
    Limit operator()(const RdmaLimit& one) const { return RdmaLimit{one.device}; }
    Limit operator()(const MiscLimit& one) const { return MiscLimit{one.name, Count::max()}; }
};

struct LinesOfLimits {
    bool operator()(const MemoryLimit& a, const MemoryLimit& b) const { return a.file == b.file; }
    bool operator()(const IoLimit& a, const IoLimit& b) const {
        return a.major == b.major && a.minor == b.minor;
    }
    bool operator()(const HugetlbLimit& a, const HugetlbLimit& b) const {
        return a.page_size == b.page_size;
    }
    bool operator()(const HugetlbReservation& a, const HugetlbReservation& b) const {
        return a.page_size == b.page_size;
    }
    bool operator()(const RdmaLimit& a, const RdmaLimit& b) const { return a.device == b.device; }
    bool operator()(const MiscLimit& a, const MiscLimit& b) const { return a.name == b.name; }
    template <class A, class B>
    bool operator()(const A&, const B&) const {
        return std::is_same_v<A, B>;
    }
};

/// The smaller of two numbers, an absent one being without end.
template <class T>
std::optional<T> fewer_of(const std::optional<T>& a, const std::optional<T>& b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
}

/// The members of both; an empty set has all.
template <class Set>
std::optional<Set> common_members(const Set& a, const Set& b) {
    if (a.is_empty() || b.is_empty()) return a.is_empty() ? b : a;
    Set both = a & b;
    if (both.is_empty()) return std::nullopt;
    return both;
}

struct TightestOfLimits {
    using Result = std::optional<Limit>;

    Result operator()(const CpusLimit& a, const CpusLimit& b) const {
        const auto cpus = common_members(a.cpus, b.cpus);
        return cpus ? Result(CpusLimit{*cpus}) : std::nullopt;
    }
    Result operator()(const MemsLimit& a, const MemsLimit& b) const {
        const auto mems = common_members(a.mems, b.mems);
        return mems ? Result(MemsLimit{*mems}) : std::nullopt;
    }
    Result operator()(const PartitionLimit& a, const PartitionLimit& b) const {
        return a == b ? b : PartitionLimit{};
    }
    Result operator()(const CpuTimeLimit& a, const CpuTimeLimit& b) const {
        return CpuTimeLimit{fewer_of(a.time, b.time)};
    }
    Result operator()(const CpuWeightLimit& a, const CpuWeightLimit& b) const {
        return CpuWeightLimit{std::min(a.weight, b.weight)};
    }
    Result operator()(const MemoryLimit& a, const MemoryLimit& b) const {
        return MemoryLimit{a.file, fewer_of(a.bytes, b.bytes)};
    }
    Result operator()(const OomGroupLimit& a, const OomGroupLimit& b) const {
        return OomGroupLimit{a.is_on || b.is_on};
    }
    Result operator()(const PidsLimit& a, const PidsLimit& b) const {
        return PidsLimit{fewer_of(a.max, b.max)};
    }
    Result operator()(const IoLimit& a, const IoLimit& b) const {
        return IoLimit{a.major,
                       a.minor,
                       fewer_of(a.read_bytes, b.read_bytes),
                       fewer_of(a.write_bytes, b.write_bytes),
                       fewer_of(a.reads, b.reads),
                       fewer_of(a.writes, b.writes)};
    }
    Result operator()(const IoWeightLimit& a, const IoWeightLimit& b) const {
        return IoWeightLimit{std::min(a.weight, b.weight)};
    }
    Result operator()(const HugetlbLimit& a, const HugetlbLimit& b) const {
        return HugetlbLimit{a.page_size, std::min(a.max, b.max)};
    }
    Result operator()(const HugetlbReservation& a, const HugetlbReservation& b) const {
        return HugetlbReservation{a.page_size, std::min(a.max, b.max)};
    }
    Result operator()(const RdmaLimit& a, const RdmaLimit& b) const {
        return RdmaLimit{a.device, fewer_of(a.hca_handles, b.hca_handles),
                         fewer_of(a.hca_objects, b.hca_objects)};
    }
    Result operator()(const MiscLimit& a, const MiscLimit& b) const {
        return MiscLimit{a.name, std::min(a.max, b.max)};
    }
};

}  // namespace

std::string file_of(const Limit& limit) { return std::visit(FileOfLimit(), limit); }

std::string file_value(const Limit& limit) { return std::visit(SpellingOfLimit(), limit); }

bool is_same_line(const Limit& a, const Limit& b) {
    return a.index() == b.index() && std::visit(LinesOfLimits(), a, b);
}

Limit default_of(const Limit& limit) { return std::visit(DefaultOfLimit(), limit); }

std::optional<Limit> tightest(const Limit& a, const Limit& b) {
    TRESTLE_EXPECTS(is_same_line(a, b), "both limits are for one line of one file");
    return std::visit(
        [&]<class One>(const One& one) { return TightestOfLimits()(one, std::get<One>(b)); }, a);
}

}  // namespace trestle
