// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/score/future_value.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace trestle {

std::int64_t FutureValue::of(const TypicalJobs& typical, const TypicalJobs::Rooms& rooms,
                             const ScoreInput::Amounts& left) const {
    std::int64_t value = 0;
    for (std::size_t j = 0; j < weights_.size(); ++j) {
        if (weights_[j] == 0) continue;
        const std::int64_t hosted = typical.hosted(j, rooms);
        if (hosted == 0) continue;
        value += weights_[j] * (hosted * typical.size(j) + 3 * left.all_devices);
    }
    for (const std::int64_t one : left.devices) {
        value += fills_[static_cast<std::size_t>(std::clamp<std::int64_t>(one, 0, 1000))];
    }
    return value;
}

std::vector<std::int64_t> FutureValue::weights(const std::vector<PolicyOptions::TypicalJob>& jobs,
                                               const std::vector<double>& places) {
    std::vector<double> scarcities(jobs.size(), 0);
    double sum = 0;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
        if (places[j] == 0 || size_of(jobs[j]) == 0) continue;
        scarcities[j] = static_cast<double>(jobs[j].seen.value()) /
                        (places[j] * static_cast<double>(size_of(jobs[j])));
        sum += scarcities[j];
    }
    std::vector<std::int64_t> weights;
    for (const double one : scarcities) {
        weights.push_back(sum == 0 ? 0 : std::llround(one / sum * unit));
    }
    return weights;
}

FutureValue::Fills FutureValue::fills(const std::vector<PolicyOptions::TypicalJob>& jobs) {
    double seen = 0;
    for (const PolicyOptions::TypicalJob& job : jobs) {
        if (size_of(job) != 0) seen += static_cast<double>(job.seen.value());
    }
    std::array<double, 1001> expected{};
    Fills fills{};
    std::vector<std::pair<double, double>> takers;  // what is filled then, and how often
    for (std::size_t left = 1; left < expected.size(); ++left) {
        takers.clear();
        for (const PolicyOptions::TypicalJob& job : jobs) {
            const auto part = static_cast<std::size_t>(job.thousandths.value());
            if (job.devices != Count(1) || part == 0 || part >= 1000 || part > left) continue;
            takers.emplace_back(static_cast<double>(part) + expected[left - part],
                                static_cast<double>(job.seen.value()) / seen);
        }
        std::sort(takers.begin(), takers.end(), std::greater<>());
        double filled = 0;
        double odds = odds_of_closing;
        for (const auto& [amount, frequency] : takers) {
            if (amount <= expected[left]) break;
            filled += frequency * amount;
            odds += frequency;
            expected[left] = filled / odds;
        }
        fills[left] = std::llround(8 * unit * expected[left]);
    }
    return fills;
}

}  // namespace trestle
