// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dealing: how many cores each part of a node gives when tasks are dealt out to its parts.
//
// Layer: alloc, internal to fit. Main type: Deal. A part is a group of cores of the demand's
// distribution level, and lies in one package.
// Pitfall: the parts come in the order in which they are served, nearest to the devices first, not
// by number.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "alloc/node/detail/fit_problem.hpp"

namespace trestle::detail {

/// A part that is dealt to.
struct DealtPart {
    std::uint32_t part = 0;
    std::uint32_t package = 0;  ///< that it lies in
    std::int64_t devices = 0;   ///< chosen, near to some of its cores and to none elsewhere
    std::int64_t capacity = 0;  ///< cores that it can give
    std::int64_t cores = 0;     ///< that it shall give
    std::int64_t tasks = 0;
    std::optional<std::int64_t> tasks_room{};  ///< tasks that it has room for, where cores differ
};

class Deal {
  public:
    Deal(const FitProblem& problem, std::vector<DealtPart>& parts)
        : problem_(problem), demand_(problem.demand()), parts_(parts) {}

    /// Fills in the cores of each part; false when the tasks do not fit, or when there are fewer
    /// than `cores_min` cores in all.
    [[nodiscard]] bool run(std::int64_t cores_min);

  private:
    static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

    /// What a package may get in all of what is dealt to its parts.
    struct Limit {
        std::int64_t DealtPart::*units;
        std::int64_t most;
    };
    /// What the parts of the package may still get.
    [[nodiscard]] std::int64_t left_of(const Limit& limit, std::uint32_t package) const;

    /// Deals `count` units in rounds of `each` to the parts that have room; false when some remain.
    template <class Room>
    [[nodiscard]] bool deal_rounds(std::int64_t count, std::int64_t each, const Limit& limit,
                                   const Room& room) {
        while (count > 0) {
            const std::int64_t rounds = full_rounds(count, each, limit, room);
            const std::int64_t before = count;
            for (DealtPart& one : parts_) {
                const std::int64_t most = std::min(room(one), left_of(limit, one.package));
                const std::int64_t given =
                    std::min({each * rounds, count, std::max<std::int64_t>(0, most)});
                one.*limit.units += given;
                count -= given;
            }
            if (count == before) return false;
        }
        return true;
    }

    /// Rounds in which each part with room gets `each`; 1 when there is none such.
    template <class Room>
    [[nodiscard]] std::int64_t full_rounds(std::int64_t count, std::int64_t each,
                                           const Limit& limit, const Room& room) const {
        std::int64_t open = 0;
        std::int64_t rounds = count / each;
        for (const DealtPart& one : parts_) {
            const std::int64_t left = left_of(limit, one.package);
            if (room(one) <= 0 || left <= 0) continue;
            ++open;
            rounds = std::min(rounds, room(one) / each);
            if (limit.most == no_limit) continue;
            const auto beside =
                std::count_if(parts_.begin(), parts_.end(), [&](const DealtPart& other) {
                    return other.package == one.package && room(other) > 0;
                });
            rounds = std::min(rounds, left / each / beside);
        }
        return open == 0 ? 1 : std::max<std::int64_t>(1, std::min(rounds, count / each / open));
    }

    [[nodiscard]] bool deal_tasks();
    /// Tasks in a block: first each part has its share by its devices, as far as there is room; how
    /// many tasks are left then.
    [[nodiscard]] std::int64_t deal_shares(std::int64_t tasks, const Limit& limit);

    [[nodiscard]] bool deal_single_cores();

    /// The most tasks that the part can take.
    [[nodiscard]] std::int64_t tasks_max(const DealtPart& one) const;

    const FitProblem& problem_;
    const NodeDemand& demand_;
    std::vector<DealtPart>& parts_;
};

}  // namespace trestle::detail
