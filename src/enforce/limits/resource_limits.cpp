// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/limits/resource_limits.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "enforce/limits/kernel_values.hpp"

namespace trestle {

Count cpu_weight_of_shares(Count shares) {
    const auto within = std::clamp<std::int64_t>(shares.value(), 2, 262'144);
    const double l = std::log2(static_cast<double>(within));
    const double weight = std::pow(10.0, (l * l + 125.0 * l - 126.0) / 612.0);
    return std::clamp(Count(static_cast<std::int64_t>(std::ceil(weight))), least_weight,
                      most_weight);
}

std::pair<std::int64_t, std::int64_t> cpu_quota(MilliCpu cpu) {
    const std::int64_t period_us = cpu < MilliCpu(10) ? 1'000'000 : 100'000;
    return {checked_mul(cpu, period_us / 1000).value_or(MilliCpu::max()).value(), period_us};
}

std::string cpu_max_text(MilliCpu cpu) {
    const auto [quota, period] = cpu_quota(cpu);
    return std::to_string(quota) + " " + std::to_string(period);
}

std::string to_text(const IoLimit& limit) {
    return device_number(limit) + " rbps=" + number_or_max(limit.read_bytes) +
           " wbps=" + number_or_max(limit.write_bytes) + " riops=" + number_or_max(limit.reads) +
           " wiops=" + number_or_max(limit.writes);
}

std::string to_text(const RdmaLimit& limit) {
    return limit.device + " hca_handle=" + number_or_max(limit.hca_handles) +
           " hca_object=" + number_or_max(limit.hca_objects);
}

std::string to_text(const MiscLimit& limit) {
    const bool is_max = limit.max == Count::max();
    return limit.name + " " + (is_max ? "max" : std::to_string(limit.max.value()));
}

std::string huge_page_name(Bytes page_size) {
    if (page_size >= gib(1)) return std::to_string(page_size.value() / gib(1).value()) + "GB";
    if (page_size >= mib(1)) return std::to_string(page_size.value() / mib(1).value()) + "MB";
    return std::to_string(page_size.value() / kib(1).value()) + "KB";
}

}  // namespace trestle
