// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/plain_fit.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trestle/set/detail/bits.hpp"

namespace trestle {

namespace detail {

std::uint32_t plain_available(const FitProblem& problem, const FreeState& state) {
    std::uint32_t available = 0;
    for (const PlainDevice& one : problem.plain_devices()) {
        available += state.shares[one.id.value()] >= one.shares ? 1U : 0U;
    }
    return available;
}

std::uint32_t plain_available(const FitProblem& problem, const FreeState& state,
                              std::uint64_t untouched) {
    const auto& whole = problem.whole_devices();
    return whole ? count_bits(untouched & *whole) : plain_available(problem, state);
}

std::uint32_t plain_count(const FitProblem& problem, std::uint32_t available) {
    const NodeDemand::Device& demand = problem.demand().devices.front();
    const auto most =
        std::min(demand.count.max.value_or(Count::max()).value(), std::int64_t{available});
    const bool takes_most = demand.request.prefer == DeviceRequest::Prefer::most;
    return static_cast<std::uint32_t>(takes_most ? most
                                                 : std::min(most, demand.count.least().value()));
}

Constraint refuse_by_sums(const FitProblem& problem, const FreeSums& sums,
                          std::uint32_t available) {
    const NodeDemand& demand = problem.demand();
    if (!demand.devices.empty() &&
        Count(plain_count(problem, available)) < demand.devices.front().count.least()) {
        return problem.plain_refusal();
    }
    const bool has_cores = problem.sum_cores() <= std::int64_t{sums.cores};
    if (!has_cores || sums.milli_cpus < problem.plain_milli_cpus()) return Constraint::cores;
    return sums.memory < problem.sum_memory() ? Constraint::memory : Constraint::none;
}

FreeSums plain_sums(const FitProblem& problem, const FreeState& state) {
    FreeSums sums;
    sums.milli_cpus = state.free_milli_cpus(problem.threads());
    for (const DomainId domain : problem.ordinary_domains()) {
        sums.memory += state.memory[domain.value()];
    }
    return sums;
}

PlainDevices plain_devices(const FitProblem& problem, const FreeState& state) {
    PlainDevices chosen;
    if (problem.demand().devices.empty()) return chosen;
    std::uint32_t missing = plain_count(problem, state);
    const std::vector<PlainDevice>& devices = problem.plain_devices();
    for (std::uint32_t rank = 0; rank < 4 && missing > 0; ++rank) {
        for (std::uint32_t at = 0; at < devices.size() && missing > 0; ++at) {
            const PlainDevice& one = devices[at];
            const Count free = state.shares[one.id.value()];
            const bool is_opened = one.is_part && free == one.all_shares;
            if (free < one.shares || (one.is_last ? 2U : 0U) + (is_opened ? 1U : 0U) != rank) {
                continue;
            }
            chosen.push_back(at);
            --missing;
        }
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

NodePlacement plain_placement(const FitProblem& problem, const FreeState& state,
                              const PlainDevices& devices) {
    const NodeDemand& demand = problem.demand();
    NodePlacement result;
    result.tasks = demand.tasks;
    result.threads_per_core = demand.threads_per_core;
    result.milli_cpus = problem.plain_milli_cpus();
    Bytes missing = demand.memory;
    for (const DomainId domain : problem.ordinary_domains()) {
        const Bytes part = std::min(missing, state.memory[domain.value()]);
        if (!part.is_zero()) result.memory.push_back({domain, part});
        missing -= part;
    }
    std::sort(result.memory.begin(), result.memory.end());
    result.devices.reserve(devices.size());
    for (const std::uint32_t at : devices) {
        const PlainDevice& one = problem.plain_devices()[at];
        result.devices.push_back({one.id, one.shares});
    }
    return result;
}

}  // namespace detail

}  // namespace trestle
