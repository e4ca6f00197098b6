// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/limits/limit_policy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "enforce/limits/kernel_values.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"

namespace trestle {

namespace {

/// The most that pids.max takes: PID_MAX_LIMIT of 64-bit kernels.
constexpr Count most_pids{4'194'304};

/// A device number has 12 bits of major and 20 of minor.
constexpr std::uint32_t most_major = (1u << 12) - 1;

constexpr std::uint32_t most_minor = (1u << 20) - 1;

/// Counts of RDMA are ints of the kernel.
constexpr Count most_rdma{2'147'483'647};

/// Ok when no two have the same key.
template <class Limit, class Key>
[[nodiscard]] Status check_each_once(const char* what, const std::vector<Limit>& limits,
                                     const Key& key) {
    for (std::size_t i = 0; i < limits.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (key(limits[i]) != key(limits[j])) continue;
            return invalid_argument("{}[{}]: {} has a limit already, expected one for each", what,
                                    i, key(limits[i]));
        }
    }
    return {};
}

/// True for a name that can stand before a blank in a line that is written.
bool is_one_word(const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(),
                                        [](char c) { return c > ' ' && c != '=' && c != 0x7f; });
}

Status check_weight(const char* what, const std::optional<Count>& weight) {
    if (!weight || (*weight >= least_weight && *weight <= most_weight)) return {};
    return invalid_argument("{}: {}, expected {} to {}", what, weight->value(),
                            least_weight.value(), most_weight.value());
}

Status check_io(const std::vector<IoLimit>& limits) {
    for (std::size_t i = 0; i < limits.size(); ++i) {
        const IoLimit& limit = limits[i];
        const std::string where = fmt::format("io[{}] of {}", i, device_number(limit));
        if (limit.major > most_major || limit.minor > most_minor) {
            return invalid_argument("{}: no such device number, expected at most {}:{}", where,
                                    most_major, most_minor);
        }
        if (!limit.read_bytes && !limit.write_bytes && !limit.reads && !limit.writes) {
            return invalid_argument("{}: it limits nothing, expected a number", where);
        }
        const auto is_zero = [](const auto& number) { return number && number->is_zero(); };
        if (is_zero(limit.read_bytes) || is_zero(limit.write_bytes) || is_zero(limit.reads) ||
            is_zero(limit.writes)) {
            return invalid_argument("{}: 0 a second, expected 1 or more", where);
        }
    }
    return check_each_once("io", limits, [](const IoLimit& one) { return device_number(one); });
}

Status check_hugetlb(const std::vector<HugetlbLimit>& limits) {
    for (std::size_t i = 0; i < limits.size(); ++i) {
        const std::int64_t size = limits[i].page_size.value();
        if (size < kib(4).value() || (size & (size - 1)) != 0) {
            return invalid_argument(
                "hugetlb[{}]: pages of {} bytes, expected a power of 2 from 4096 on", i, size);
        }
        if (limits[i].max.value() % size != 0) {
            return invalid_argument("hugetlb[{}]: {} bytes in pages of {}, expected a multiple", i,
                                    limits[i].max.value(), huge_page_name(limits[i].page_size));
        }
    }
    return check_each_once("hugetlb", limits,
                           [](const HugetlbLimit& one) { return huge_page_name(one.page_size); });
}

Status check_rdma(const std::vector<RdmaLimit>& limits) {
    for (std::size_t i = 0; i < limits.size(); ++i) {
        const RdmaLimit& limit = limits[i];
        if (!is_one_word(limit.device)) {
            return invalid_argument("rdma[{}]: the device {}, expected one word", i,
                                    detail::quoted(limit.device));
        }
        if (!limit.hca_handles && !limit.hca_objects) {
            return invalid_argument("rdma[{}] of {}: it limits nothing, expected a number", i,
                                    limit.device);
        }
        for (const auto& number : {limit.hca_handles, limit.hca_objects}) {
            if (!number || *number <= most_rdma) continue;
            return invalid_argument("rdma[{}] of {}: {}, expected at most {}", i, limit.device,
                                    number->value(), most_rdma.value());
        }
    }
    return check_each_once("rdma", limits, [](const RdmaLimit& one) { return one.device; });
}

Status check_misc(const std::vector<MiscLimit>& limits) {
    for (std::size_t i = 0; i < limits.size(); ++i) {
        if (is_one_word(limits[i].name)) continue;
        return invalid_argument("misc[{}]: the name {}, expected one word", i,
                                detail::quoted(limits[i].name));
    }
    return check_each_once("misc", limits, [](const MiscLimit& one) { return one.name; });
}

}  // namespace

Status check(const LimitPolicy& policy) {
    TRESTLE_TRY_STATUS(check_weight("cpu_weight", policy.cpu_weight));
    TRESTLE_TRY_STATUS(check_weight("io_weight", policy.io_weight));
    if (policy.pids_max > most_pids) {
        return invalid_argument("pids_max: {}, expected at most {}", policy.pids_max->value(),
                                most_pids.value());
    }
    TRESTLE_TRY_STATUS(check_io(policy.io));
    TRESTLE_TRY_STATUS(check_hugetlb(policy.hugetlb));
    TRESTLE_TRY_STATUS(check_rdma(policy.rdma));
    return check_misc(policy.misc);
}

}  // namespace trestle
