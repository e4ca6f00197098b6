// SPDX-License-Identifier: Apache-2.0
// A policy of a caller's own without rhyme or reason, in the forms that there are: scores that are
// often equal, and sometimes none.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "support/oracle_policy.hpp"
#include "trestle/alloc/cluster/place/policy.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

struct OddPolicy {
    [[nodiscard]] static Score score(std::int64_t cpus_before, std::int64_t devices_before,
                                     std::int64_t cpus_after, std::int64_t devices_after) {
        HashState state;
        for (const std::int64_t one : {cpus_before, devices_before, cpus_after, devices_after}) {
            state.add(static_cast<std::uint64_t>(one));
        }
        const std::uint64_t any = state.result();
        if (any % 16 == 0) return {std::numeric_limits<double>::quiet_NaN(), 0};
        return {static_cast<double>(any / 16 % 3), -static_cast<double>(any / 64 % 3)};
    }

    [[nodiscard]] static Score one(const ScoreInput& input) {
        return score(input.before.milli_cpus, input.before.all_devices, input.after.milli_cpus,
                     input.after.all_devices);
    }
    [[nodiscard]] static std::vector<Score> batch(std::span<const ScoreInput> inputs) {
        std::vector<Score> scores;
        for (const ScoreInput& input : inputs) scores.push_back(one(input));
        return scores;
    }
    [[nodiscard]] static Score oracle(const OracleAmounts& before, const OracleAmounts& after) {
        return score(before.cpus, before.all_devices(), after.cpus, after.all_devices());
    }
};

}  // namespace trestle
