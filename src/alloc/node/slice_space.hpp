// SPDX-License-Identifier: Apache-2.0
#pragma once

// A device that is cut into instances: what is held of it, what may still be cut, and how best.
//
// Layer: alloc. Main types: SliceSpace, SlicePotential, SliceArrangement.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/node/step_budget.hpp"
#include "trestle/alloc/node/slices.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/model/slices.hpp"

namespace trestle {

/// How many more instances of each profile, alone, a device could still give: by rank, which counts
/// profiles from the largest down (memory slices, then compute slices, then name). More at the
/// first rank that differs is better. Those of several devices add up rank by rank, whatever their
/// geometries; what a pick costs is a difference, and may be negative.
struct SlicePotential {
    /// Profiles below the sixteenth are not counted.
    static constexpr std::size_t ranks = 16;

    std::array<std::int64_t, ranks> counts{};

    SlicePotential& operator+=(const SlicePotential& other);
    SlicePotential& operator-=(const SlicePotential& other);
    friend SlicePotential operator+(SlicePotential a, const SlicePotential& b) { return a += b; }
    friend SlicePotential operator-(SlicePotential a, const SlicePotential& b) { return a -= b; }

    void hash_into(HashState& state) const {
        for (const std::int64_t count : counts) trestle::hash_into(state, count);
    }
    friend bool operator==(const SlicePotential&, const SlicePotential&) = default;
    friend auto operator<=>(const SlicePotential&, const SlicePotential&) = default;
};

/// By rank, without the zeros at the end: `1 1 2 3 4 7`.
[[nodiscard]] std::string to_text(const SlicePotential& potential);

/// Where the instances lie that were wanted of one device.
struct SliceArrangement {
    std::vector<Slicing::Instance> instances;  ///< the i-th answers the i-th wanted
    std::uint32_t changes = 0;                 ///< instances made and idle ones removed for them
    SlicePotential potential;                  ///< of the device when they are held

    static constexpr auto fields(auto list) {
        return list(field("instances", &SliceArrangement::instances),
                    field("changes", &SliceArrangement::changes),
                    field("potential", &SliceArrangement::potential));
    }
    friend bool operator==(const SliceArrangement&, const SliceArrangement&) = default;
};

namespace detail {

/// Memory slices [start, start + size) as bits. Requires: start < 64.
[[nodiscard]] constexpr std::uint64_t slice_mask(std::uint32_t start, std::uint32_t size) {
    const std::uint64_t ones = size >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
    return ones << start;
}

}  // namespace detail

/// One device, what is held of it, and what stands idle on it. Made once, asked often: after that
/// profiles are indexes into the geometry's, and memory slices are bits.
class SliceSpace {
  public:
    /// Requires: check(slicing) is ok, the starts of its profiles rise, `held` lies inside, no
    /// instance of it over another. Held instances of unknown profiles take memory slices only.
    /// `slicing` outlives the space.
    SliceSpace(const Slicing& slicing, std::span<const Slicing::Instance> held);
    SliceSpace(const Slicing&&, std::span<const Slicing::Instance>) = delete;

    /// Which of the geometry's profiles has this name.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;

    /// How many more instances of the profile, and no others, the device can give.
    /// Complexity: linear in its starts.
    [[nodiscard]] std::uint32_t possible(std::size_t profile) const {
        return possible(profile, room_);
    }
    [[nodiscard]] SlicePotential potential() const { return potential(room_); }

    /// The best arrangement of one instance of each profile in `wanted` beside what is held;
    /// nothing where there is none, or when the budget ended first (none of it is left then).
    /// Best is: fewest changes; then the greatest potential; then the lowest starts, all of them in
    /// rising order; then, at the first start that differs, the smaller instance, at last the lower
    /// name. Instances of one profile stand in the answer by start.
    /// Complexity: the ways to lay the instances, a step for each one laid.
    [[nodiscard]] std::optional<SliceArrangement> arrange(std::span<const std::size_t> wanted,
                                                          detail::StepBudget& budget) const;

    /// What a tool has to change before `taken` can be handed out.
    /// Requires: `taken` is an arrangement of this space.
    [[nodiscard]] SliceChanges changes(std::span<const Slicing::Instance> taken) const;

    /// The instances that exist and have no owner, by start.
    [[nodiscard]] std::vector<Slicing::Instance> idle() const;

  private:
    /// What may still be cut.
    struct Room {
        std::uint64_t taken = 0;          ///< memory slices, as bits
        std::uint32_t compute = 0;        ///< slices left
        std::vector<std::uint32_t> left;  ///< instances, by profile
    };

    /// An instance that exists and is not held.
    struct Idle {
        std::size_t profile = 0;
        std::uint32_t start = 0;
        std::uint64_t mask = 0;

        friend bool operator==(const Idle&, const Idle&) = default;
    };

    class Search;

    [[nodiscard]] const std::vector<SliceGeometry::Profile>& profiles() const {
        return slicing_->geometry.profiles;
    }
    [[nodiscard]] Slicing::Instance instance(std::size_t profile, std::uint32_t start) const;
    [[nodiscard]] Slicing::Instance instance_of(const Idle& idle) const {
        return instance(idle.profile, idle.start);
    }

    /// Takes compute slices and one instance; false when there are not enough of both.
    [[nodiscard]] bool spend(Room& room, std::size_t profile) const;

    /// Calls `keep` for each idle instance that can stay in `room`, which is used up for it. Those
    /// with the fewest compute slices come first, so that as many stay as can; then the lowest.
    template <class Keep>
    void for_each_staying(Room& room, const Keep& keep) const {
        for (const Idle& one : idle_) {
            if ((one.mask & room.taken) == 0 && spend(room, one.profile)) keep(one);
        }
    }

    [[nodiscard]] std::uint32_t possible(std::size_t profile, const Room& room) const;
    [[nodiscard]] SlicePotential potential(const Room& room) const;

    const Slicing* slicing_;
    Room room_;                         ///< beside what is held
    std::vector<Idle> idle_;            ///< by compute slices, then start
    std::vector<std::size_t> by_rank_;  ///< profiles from the largest down
};

/// What a device can still give of which `held` is taken. Requires: as SliceSpace.
[[nodiscard]] SlicePotential slice_potential(const Slicing& slicing,
                                             std::span<const Slicing::Instance> held);

/// SliceSpace::arrange by names and without a budget; nothing where a name is not a profile.
[[nodiscard]] std::optional<SliceArrangement> arrange_slices(
    const Slicing& slicing, std::span<const Slicing::Instance> held,
    std::span<const std::string_view> wanted);

}  // namespace trestle
