// SPDX-License-Identifier: Apache-2.0
// The question of arrange_slices() answered without thinking: every start for every instance
// wanted, every set of idle instances kept beside them, compared word by word as
// SliceSpace::arrange says. For geometries of a few starts. Shares with the library its value types
// only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/model/slices.hpp"

namespace trestle {

class SliceOracle {
  public:
    /// Less is better, first member first; `geometry` follows from the others.
    struct Answer {
        std::int64_t changes = 0;
        std::vector<std::int64_t> minus_potential;  ///< by rank
        std::vector<std::uint32_t> starts;          ///< rising
        std::vector<Slicing::Instance> instances;   ///< rising
        std::vector<Slicing::Instance> geometry;    ///< all that exists in the end, rising

        [[nodiscard]] auto order() const {
            return std::tie(changes, minus_potential, starts, instances);
        }
    };

    SliceOracle(const Slicing& slicing, std::vector<Slicing::Instance> held)
        : slicing_(slicing), held_(std::move(held)), idle_(kept_of(slicing.instances, held_)) {}

    [[nodiscard]] std::optional<Answer> best(const std::vector<std::string>& wanted) const {
        std::optional<Answer> best;
        std::vector<Slicing::Instance> placed;
        place(wanted, placed, best);
        return best;
    }

    /// How many more instances of the profile could be had.
    [[nodiscard]] std::int64_t possible(const SliceGeometry::Profile& profile) const {
        return possible(profile, held_, idle_);
    }

    /// Idle instances that stand beside what is held.
    [[nodiscard]] const std::vector<Slicing::Instance>& idle() const { return idle_; }

    /// Side by side, within the device's compute slices and each profile's instances_max.
    [[nodiscard]] bool is_legal(const std::vector<Slicing::Instance>& instances) const {
        std::uint32_t compute = 0;
        for (const Slicing::Instance& one : instances) {
            const SliceGeometry::Profile& profile = *slicing_.geometry.find(one.profile);
            compute += profile.compute_slices;
            std::uint32_t same = 0;
            std::uint32_t over = 0;
            for (const Slicing::Instance& other : instances) {
                if (other.profile == one.profile) ++same;
                if (other.start < one.end() && one.start < other.end()) ++over;
            }
            if (same > profile.instances_max || over != 1) return false;
        }
        return compute <= slicing_.geometry.compute_slices;
    }

  private:
    [[nodiscard]] static std::vector<Slicing::Instance> joined(
        std::vector<Slicing::Instance> a, const std::vector<Slicing::Instance>& b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    }

    /// The largest part of `idle` that is legal beside `others`; of equal ones the first in the
    /// order of compute slices, then start.
    [[nodiscard]] std::vector<Slicing::Instance> kept_of(
        std::vector<Slicing::Instance> idle, const std::vector<Slicing::Instance>& others) const {
        const auto key = [&](const Slicing::Instance& one) {
            return std::pair(slicing_.geometry.find(one.profile)->compute_slices, one.start);
        };
        const auto is_less = [&](const Slicing::Instance& a, const Slicing::Instance& b) {
            return key(a) < key(b);
        };
        std::sort(idle.begin(), idle.end(), is_less);
        std::vector<Slicing::Instance> best;
        for (std::uint32_t subset = 1; subset < (1U << idle.size()); ++subset) {
            std::vector<Slicing::Instance> part;
            for (std::size_t i = 0; i < idle.size(); ++i) {
                if ((subset >> i & 1) != 0) part.push_back(idle[i]);
            }
            if (part.size() < best.size() || !is_legal(joined(part, others))) continue;
            const bool is_earlier = std::lexicographical_compare(part.begin(), part.end(),
                                                                 best.begin(), best.end(), is_less);
            if (part.size() > best.size() || is_earlier) best = part;
        }
        return best;
    }

    [[nodiscard]] std::int64_t possible(const SliceGeometry::Profile& profile,
                                        const std::vector<Slicing::Instance>& taken,
                                        const std::vector<Slicing::Instance>& idle) const {
        if (slicing_.is_fixed) {
            return std::count_if(idle.begin(), idle.end(), [&](const Slicing::Instance& one) {
                return one.profile == profile.name;
            });
        }
        return most(profile, 0, taken) - static_cast<std::int64_t>(taken.size());
    }

    /// The most instances in all when more of the profile are laid from its `next` start on.
    [[nodiscard]] std::int64_t most(const SliceGeometry::Profile& profile, std::size_t next,
                                    const std::vector<Slicing::Instance>& taken) const {
        if (next == profile.starts.size()) return static_cast<std::int64_t>(taken.size());
        const std::int64_t without = most(profile, next + 1, taken);
        const Slicing::Instance one{profile.starts[next], profile.memory_slices, profile.name};
        const std::vector<Slicing::Instance> with = joined(taken, {one});
        return is_legal(with) ? std::max(without, most(profile, next + 1, with)) : without;
    }

    [[nodiscard]] std::vector<std::int64_t> minus_potential(
        const std::vector<Slicing::Instance>& taken,
        const std::vector<Slicing::Instance>& idle) const {
        std::vector<SliceGeometry::Profile> profiles = slicing_.geometry.profiles;
        std::sort(profiles.begin(), profiles.end(),
                  [](const SliceGeometry::Profile& a, const SliceGeometry::Profile& b) {
                      if (a.memory_slices != b.memory_slices) {
                          return a.memory_slices > b.memory_slices;
                      }
                      if (a.compute_slices != b.compute_slices) {
                          return a.compute_slices > b.compute_slices;
                      }
                      return a.name < b.name;
                  });
        std::vector<std::int64_t> counts;
        for (const SliceGeometry::Profile& profile : profiles) {
            counts.push_back(-possible(profile, taken, idle));
        }
        return counts;
    }

    void place(const std::vector<std::string>& wanted, std::vector<Slicing::Instance>& placed,
               std::optional<Answer>& best) const {
        if (placed.size() == wanted.size()) return consider(placed, best);
        const SliceGeometry::Profile* profile = slicing_.geometry.find(wanted[placed.size()]);
        if (profile == nullptr) return;
        for (const std::uint32_t start : profile->starts) {
            placed.push_back({start, profile->memory_slices, profile->name});
            if (is_legal(joined(held_, placed))) place(wanted, placed, best);
            placed.pop_back();
        }
    }

    void consider(const std::vector<Slicing::Instance>& placed, std::optional<Answer>& best) const {
        std::vector<Slicing::Instance> unused;
        for (const Slicing::Instance& one : idle_) {
            if (std::find(placed.begin(), placed.end(), one) == placed.end()) unused.push_back(one);
        }
        const std::size_t used = idle_.size() - unused.size();
        const std::size_t made = placed.size() - used;
        if (slicing_.is_fixed && made > 0) return;
        const std::vector<Slicing::Instance> taken = joined(held_, placed);
        const std::vector<Slicing::Instance> kept = kept_of(unused, taken);
        Answer answer;
        answer.changes = static_cast<std::int64_t>(made + unused.size() - kept.size());
        answer.minus_potential = minus_potential(taken, unused);
        answer.instances = placed;
        std::sort(answer.instances.begin(), answer.instances.end());
        for (const Slicing::Instance& one : answer.instances) answer.starts.push_back(one.start);
        answer.geometry = joined(taken, kept);
        std::sort(answer.geometry.begin(), answer.geometry.end());
        if (!best || answer.order() < best->order()) best = std::move(answer);
    }

    const Slicing& slicing_;
    std::vector<Slicing::Instance> held_;
    std::vector<Slicing::Instance> idle_;
};

}  // namespace trestle
