// SPDX-License-Identifier: Apache-2.0
#pragma once

// Limits that are more than one number, and each as the text that the kernel takes.
//
// Layer: enforce. Main types: IoLimit, HugetlbLimit, RdmaLimit, MiscLimit, CpusetPartition; main
// function: cpu_weight_of_shares. check() says what the kernel would refuse.
// Pitfall: a number that is absent is `max`, no limit; it is not left as it was.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// The cpu.weight that stands for so many cpu.shares of cgroup v1, as runc and crun count since
/// 2025. It is 10^((l^2 + 125 l - 126) / 612) rounded up, l the binary logarithm of the shares. It
/// takes 2, 1024 (the default) and 262144 to 1, 100 and 10000; what lies outside counts as the
/// nearer end. 0, which OCI takes for "not said", is the caller's to leave out. cpu.idle, with
/// which the kernel refuses a weight, is never written.
[[nodiscard]] Count cpu_weight_of_shares(Count shares);

/// Whether others may use the CPUs of a group, as cpuset.cpus.partition says it.
enum class CpusetPartition {
    member,    ///< they may
    root,      ///< they may not: the CPUs are a scheduling domain of the group's own
    isolated,  ///< and the kernel balances no load among them
};

constexpr auto enum_names(CpusetPartition) {
    using enum CpusetPartition;
    return std::array{named(member, "member"), named(root, "root"), named(isolated, "isolated")};
}

/// How fast a group may use one block device: bytes and operations a second.
struct IoLimit {
    std::uint32_t major = 0;  ///< of the whole disk; the kernel knows no limit of a partition
    std::uint32_t minor = 0;
    std::optional<Bytes> read_bytes = {};
    std::optional<Bytes> write_bytes = {};
    std::optional<Count> reads = {};
    std::optional<Count> writes = {};

    static constexpr std::string_view kind = "io";
    static constexpr auto fields(auto list) {
        return list(field("major", &IoLimit::major), field("minor", &IoLimit::minor),
                    field("read_bytes", &IoLimit::read_bytes),
                    field("write_bytes", &IoLimit::write_bytes), field("reads", &IoLimit::reads),
                    field("writes", &IoLimit::writes));
    }
    friend bool operator==(const IoLimit&, const IoLimit&) = default;
};

/// How much of the huge pages of one size a group may have, reserved ones (mmap) as well as used.
struct HugetlbLimit {
    Bytes page_size;
    Bytes max;  ///< a multiple of the page size; Bytes::max(): no limit

    static constexpr std::string_view kind = "hugetlb";
    static constexpr auto fields(auto list) {
        return list(field("page_size", &HugetlbLimit::page_size), field("max", &HugetlbLimit::max));
    }
    friend bool operator==(const HugetlbLimit&, const HugetlbLimit&) = default;
};

/// What a group may have of one RDMA device: opened handles, and objects (queue pairs, memory
/// regions, ...) made by them.
struct RdmaLimit {
    std::string device;  ///< `mlx5_0`, as in /sys/class/infiniband
    std::optional<Count> hca_handles = {};
    std::optional<Count> hca_objects = {};

    static constexpr std::string_view kind = "rdma";
    static constexpr auto fields(auto list) {
        return list(field("device", &RdmaLimit::device),
                    field("hca_handles", &RdmaLimit::hca_handles),
                    field("hca_objects", &RdmaLimit::hca_objects));
    }
    friend bool operator==(const RdmaLimit&, const RdmaLimit&) = default;
};

/// What a group may have of a resource that the kernel counts by name.
struct MiscLimit {
    std::string name;  ///< `sev`, as misc.capacity of the root group has it
    Count max;         ///< Count::max(): no limit

    static constexpr std::string_view kind = "misc";
    static constexpr auto fields(auto list) {
        return list(field("name", &MiscLimit::name), field("max", &MiscLimit::max));
    }
    friend bool operator==(const MiscLimit&, const MiscLimit&) = default;
};

/// As io.max takes it and shows it: `8:0 rbps=1048576 wbps=max riops=max wiops=max`.
[[nodiscard]] std::string to_text(const IoLimit& limit);

/// As rdma.max takes it: `mlx5_0 hca_handle=2 hca_object=max`.
[[nodiscard]] std::string to_text(const RdmaLimit& limit);

/// As misc.max takes it: `sev 10`.
[[nodiscard]] std::string to_text(const MiscLimit& limit);

}  // namespace trestle
