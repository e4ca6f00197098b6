// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which instances can still be cut from one device, where they lie best, and what a tool has to
// change for them.
//
// Layer: alloc. Main types: SliceSpace (one device with what is held of it), SliceArrangement,
// SlicePotential. Free functions of the same names ask once.
// Instances that exist and that nobody holds are idle. They are given as they are, stay beside
// others where they can, and go where they are in the way: they never make a fit impossible, but on
// a device whose slicing is fixed, where nothing else can be given.
// A reader would get wrong: what is held need not stand in Slicing::instances; a placement may have
// made it since. An instance there that lies over a held one is gone.

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/detail/step_budget.hpp"
#include "trestle/base/contract.hpp"
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

    SlicePotential& operator+=(const SlicePotential& other) {
        for (std::size_t i = 0; i < ranks; ++i) counts[i] += other.counts[i];
        return *this;
    }
    SlicePotential& operator-=(const SlicePotential& other) {
        for (std::size_t i = 0; i < ranks; ++i) counts[i] -= other.counts[i];
        return *this;
    }
    friend SlicePotential operator+(SlicePotential a, const SlicePotential& b) { return a += b; }
    friend SlicePotential operator-(SlicePotential a, const SlicePotential& b) { return a -= b; }

    void hash_into(HashState& state) const {
        for (const std::int64_t count : counts) trestle::hash_into(state, count);
    }
    friend bool operator==(const SlicePotential&, const SlicePotential&) = default;
    friend auto operator<=>(const SlicePotential&, const SlicePotential&) = default;
};

/// By rank, without the zeros at the end: `1 1 2 3 4 7`.
[[nodiscard]] inline std::string to_text(const SlicePotential& potential) {
    std::string text;
    std::size_t ranks = SlicePotential::ranks;
    while (ranks > 0 && potential.counts[ranks - 1] == 0) --ranks;
    for (std::size_t i = 0; i < ranks; ++i) {
        text += (i == 0 ? "" : " ") + std::to_string(potential.counts[i]);
    }
    return text;
}

/// Where the instances lie that were wanted of one device.
struct SliceArrangement {
    std::vector<SliceInstance> instances;  ///< the i-th answers the i-th wanted
    std::uint32_t changes = 0;             ///< instances made and idle ones removed for them
    SlicePotential potential;              ///< of the device when they are held

    static constexpr auto fields(auto list) {
        return list(field("instances", &SliceArrangement::instances),
                    field("changes", &SliceArrangement::changes),
                    field("potential", &SliceArrangement::potential));
    }
    friend bool operator==(const SliceArrangement&, const SliceArrangement&) = default;
};

/// What a tool does to a device before it hands instances out, by start.
struct SliceChanges {
    std::vector<SliceInstance> destroy;  ///< first
    std::vector<SliceInstance> create;

    static constexpr auto fields(auto list) {
        return list(field("destroy", &SliceChanges::destroy),
                    field("create", &SliceChanges::create));
    }
    friend bool operator==(const SliceChanges&, const SliceChanges&) = default;
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
    SliceSpace(const Slicing& slicing, std::span<const SliceInstance> held);
    SliceSpace(const Slicing&&, std::span<const SliceInstance>) = delete;

    /// Which of the geometry's profiles has this name.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const {
        const SliceProfile* profile = slicing_->geometry.find(name);
        if (profile == nullptr) return std::nullopt;
        return static_cast<std::size_t>(profile - slicing_->geometry.profiles.data());
    }

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
    [[nodiscard]] SliceChanges changes(std::span<const SliceInstance> taken) const;

    /// The instances that exist and that nobody holds, by start.
    [[nodiscard]] std::vector<SliceInstance> idle() const {
        std::vector<SliceInstance> instances;
        for (const Idle& one : idle_) instances.push_back(instance_of(one));
        std::sort(instances.begin(), instances.end());
        return instances;
    }

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

    [[nodiscard]] const std::vector<SliceProfile>& profiles() const {
        return slicing_->geometry.profiles;
    }
    [[nodiscard]] SliceInstance instance(std::size_t profile, std::uint32_t start) const {
        return {start, profiles()[profile].memory_slices, profiles()[profile].name};
    }
    [[nodiscard]] SliceInstance instance_of(const Idle& idle) const {
        return instance(idle.profile, idle.start);
    }

    /// Takes compute slices and one instance; false when there are not enough of both.
    [[nodiscard]] bool spend(Room& room, std::size_t profile) const {
        const std::uint32_t slices = profiles()[profile].compute_slices;
        if (room.left[profile] == 0 || room.compute < slices) return false;
        --room.left[profile];
        room.compute -= slices;
        return true;
    }

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

inline SliceSpace::SliceSpace(const Slicing& slicing, std::span<const SliceInstance> held)
    : slicing_(&slicing), by_rank_(slicing.geometry.profiles.size()) {
    std::iota(by_rank_.begin(), by_rank_.end(), std::size_t{0});
    std::sort(by_rank_.begin(), by_rank_.end(), [&](std::size_t a, std::size_t b) {
        const SliceProfile& x = profiles()[a];
        const SliceProfile& y = profiles()[b];
        return std::tie(y.memory_slices, y.compute_slices, x.name) <
               std::tie(x.memory_slices, x.compute_slices, y.name);
    });
    room_.compute = slicing.geometry.compute_slices;
    for (const SliceProfile& profile : profiles()) room_.left.push_back(profile.instances_max);
    for (const SliceInstance& instance : held) {
        room_.taken |= detail::slice_mask(instance.start, instance.size);
        const auto profile = find(instance.profile);
        if (!profile) continue;
        room_.left[*profile] -= std::min(room_.left[*profile], 1U);
        room_.compute -= std::min(room_.compute, profiles()[*profile].compute_slices);
    }
    for (const SliceInstance& instance : slicing.instances) {
        const auto profile = find(instance.profile);
        TRESTLE_EXPECTS(profile.has_value(), "an instance that exists has a profile");
        idle_.push_back(
            {*profile, instance.start, detail::slice_mask(instance.start, instance.size)});
    }
    std::stable_sort(idle_.begin(), idle_.end(), [&](const Idle& a, const Idle& b) {
        return profiles()[a.profile].compute_slices < profiles()[b.profile].compute_slices;
    });
    std::vector<Idle> staying;
    Room room = room_;
    for_each_staying(room, [&](const Idle& one) { staying.push_back(one); });
    idle_ = std::move(staying);
}

inline std::uint32_t SliceSpace::possible(std::size_t profile, const Room& room) const {
    std::uint32_t count = 0;
    if (slicing_->is_fixed) {
        for (const Idle& one : idle_) {
            if (one.profile == profile && (one.mask & room.taken) == 0) ++count;
        }
        return count;
    }
    const SliceProfile& kind = profiles()[profile];
    std::uint32_t limit = room.left[profile];
    if (kind.compute_slices > 0) limit = std::min(limit, room.compute / kind.compute_slices);
    std::uint64_t taken = room.taken;
    for (const std::uint32_t start : kind.starts) {
        if (count == limit) break;
        const std::uint64_t mask = detail::slice_mask(start, kind.memory_slices);
        if ((mask & taken) != 0) continue;
        taken |= mask;
        ++count;
    }
    return count;
}

inline SlicePotential SliceSpace::potential(const Room& room) const {
    SlicePotential result;
    for (std::size_t rank = 0; rank < std::min(by_rank_.size(), SlicePotential::ranks); ++rank) {
        result.counts[rank] = possible(by_rank_[rank], room);
    }
    return result;
}

inline SliceChanges SliceSpace::changes(std::span<const SliceInstance> taken) const {
    SliceChanges result;
    Room room = room_;
    std::vector<SliceInstance> kept(taken.begin(), taken.end());
    const std::vector<SliceInstance> existing = idle();
    for (const SliceInstance& one : taken) {
        const auto profile = find(one.profile);
        TRESTLE_EXPECTS(profile && spend(room, *profile), "the device allows what is taken");
        room.taken |= detail::slice_mask(one.start, one.size);
        if (!std::binary_search(existing.begin(), existing.end(), one)) {
            result.create.push_back(one);
        }
    }
    for_each_staying(room, [&](const Idle& one) { kept.push_back(instance_of(one)); });
    for (const SliceInstance& one : existing) {
        if (std::find(kept.begin(), kept.end(), one) == kept.end()) result.destroy.push_back(one);
    }
    std::sort(result.create.begin(), result.create.end());
    return result;
}

/// All ways to lay the wanted instances, those of one profile by start.
class SliceSpace::Search {
  public:
    Search(const SliceSpace& space, std::span<const std::size_t> wanted, Room room,
           detail::StepBudget& budget)
        : space_(space), wanted_(wanted), room_(std::move(room)), budget_(budget) {
        order_.resize(wanted.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::stable_sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
            const auto key = [&](std::size_t i) {
                return std::pair(space_.profiles()[wanted_[i]].memory_slices, wanted_[i]);
            };
            return key(b) < key(a);
        });
    }

    [[nodiscard]] std::optional<SliceArrangement> run() {
        lay(0, 0);
        if (!best_ || has_given_up_) return std::nullopt;
        SliceArrangement result{{}, best_->changes, best_->potential};
        result.instances.resize(wanted_.size());
        for (std::size_t i = 0; i < order_.size(); ++i) {
            result.instances[order_[i]] = space_.instance(wanted_[order_[i]], best_->starts[i]);
        }
        return result;
    }

  private:
    /// As many as there are memory slices; each instance takes one at least.
    using Starts = std::array<std::uint32_t, 64>;

    struct Best {
        std::uint32_t changes = 0;
        SlicePotential potential;
        std::uint64_t start_bits = 0;
        Starts starts{};
    };

    /// Lays the instances from order_[depth] on; `made` of those before did not exist.
    void lay(std::size_t depth, std::uint32_t made) {
        if (depth == order_.size()) return consider(made);
        const std::size_t profile = wanted_[order_[depth]];
        const SliceProfile& kind = space_.profiles()[profile];
        const bool is_repeated = depth > 0 && wanted_[order_[depth - 1]] == profile;
        for (const std::uint32_t start : kind.starts) {
            const std::uint64_t mask = detail::slice_mask(start, kind.memory_slices);
            if ((mask & room_.taken) != 0) continue;
            if (is_repeated && start < starts_[depth - 1]) continue;
            const bool exists = is_idle({profile, start, mask});
            if (!exists && space_.slicing_->is_fixed) continue;
            const std::uint32_t made_now = made + (exists ? 0 : 1);
            if (best_ && made_now > best_->changes) continue;
            if (!budget_.spend()) has_given_up_ = true;
            if (has_given_up_) return;
            starts_[depth] = start;
            room_.taken |= mask;
            lay(depth + 1, made_now);
            room_.taken &= ~mask;
        }
    }

    [[nodiscard]] bool is_idle(const Idle& wanted) const {
        return std::find(space_.idle_.begin(), space_.idle_.end(), wanted) != space_.idle_.end();
    }

    void consider(std::uint32_t made) {
        std::size_t staying = 0;
        rest_ = room_;
        space_.for_each_staying(rest_, [&](const Idle&) { ++staying; });
        const std::size_t used = order_.size() - made;
        Best found;
        found.changes = made + static_cast<std::uint32_t>(space_.idle_.size() - used - staying);
        if (best_ && found.changes > best_->changes) return;
        found.potential = space_.potential(room_);
        found.starts = starts_;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            found.start_bits |= std::uint64_t{1} << starts_[i];
        }
        if (!best_ || beats(found, *best_)) best_ = found;
    }

    [[nodiscard]] bool beats(const Best& a, const Best& b) const {
        if (a.changes != b.changes) return a.changes < b.changes;
        if (a.potential != b.potential) return a.potential > b.potential;
        const std::uint64_t differing = a.start_bits ^ b.start_bits;
        if (differing != 0) return (a.start_bits >> std::countr_zero(differing) & 1) != 0;
        return by_start(a.starts) < by_start(b.starts);
    }

    [[nodiscard]] std::vector<SliceInstance> by_start(const Starts& starts) const {
        std::vector<SliceInstance> instances;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            instances.push_back(space_.instance(wanted_[order_[i]], starts[i]));
        }
        std::sort(instances.begin(), instances.end());
        return instances;
    }

    const SliceSpace& space_;
    std::span<const std::size_t> wanted_;
    Room room_;  ///< all that is wanted is spent, `taken` is what is laid so far
    detail::StepBudget& budget_;
    std::vector<std::size_t> order_;  ///< of the wanted: the largest first, equal ones together
    Starts starts_{};                 ///< by order_
    std::optional<Best> best_;
    Room rest_;  ///< kept for its memory
    bool has_given_up_ = false;
};

inline std::optional<SliceArrangement> SliceSpace::arrange(std::span<const std::size_t> wanted,
                                                           detail::StepBudget& budget) const {
    Room room = room_;
    if (wanted.size() > slicing_->geometry.memory_slices) return std::nullopt;
    for (const std::size_t profile : wanted) {
        if (!spend(room, profile)) return std::nullopt;
    }
    return Search(*this, wanted, std::move(room), budget).run();
}

/// How many more instances of the profile of that name, and no others, a device can give of which
/// `held` is taken; 0 where there is no such profile. Requires: as SliceSpace.
[[nodiscard]] inline std::uint32_t instances_possible(const Slicing& slicing,
                                                      std::span<const SliceInstance> held,
                                                      std::string_view profile) {
    const SliceSpace space(slicing, held);
    const auto index = space.find(profile);
    return index ? space.possible(*index) : 0;
}

/// What a device can still give of which `held` is taken. Requires: as SliceSpace.
[[nodiscard]] inline SlicePotential slice_potential(const Slicing& slicing,
                                                    std::span<const SliceInstance> held) {
    return SliceSpace(slicing, held).potential();
}

/// SliceSpace::arrange by names and without a budget; nothing where a name is not a profile.
[[nodiscard]] inline std::optional<SliceArrangement> arrange_slices(
    const Slicing& slicing, std::span<const SliceInstance> held,
    std::span<const std::string_view> wanted) {
    const SliceSpace space(slicing, held);
    std::vector<std::size_t> profiles;
    for (const std::string_view name : wanted) {
        const auto profile = space.find(name);
        if (!profile) return std::nullopt;
        profiles.push_back(*profile);
    }
    detail::StepBudget budget{std::numeric_limits<std::uint64_t>::max()};
    return space.arrange(profiles, budget);
}

/// What a tool has to change before `taken` can be handed out beside `held`.
/// Requires: as SliceSpace; `taken` is what arrange_slices gave.
[[nodiscard]] inline SliceChanges slice_changes(const Slicing& slicing,
                                                std::span<const SliceInstance> held,
                                                std::span<const SliceInstance> taken) {
    return SliceSpace(slicing, held).changes(taken);
}

/// What the device is cut into after these changes, by start: `held`, `taken`, and what may stay of
/// the idle instances. Those that lie under others go; of the rest, those with the fewest compute
/// slices stay, then the lowest, as far as compute slices and instances_max reach.
/// Requires: as slice_changes.
[[nodiscard]] inline std::vector<SliceInstance> geometry_after(
    const Slicing& slicing, std::span<const SliceInstance> held,
    std::span<const SliceInstance> taken) {
    const SliceSpace space(slicing, held);
    const SliceChanges changes = space.changes(taken);
    std::vector<SliceInstance> result = space.idle();
    std::erase_if(result, [&](const SliceInstance& one) {
        return std::binary_search(changes.destroy.begin(), changes.destroy.end(), one);
    });
    result.insert(result.end(), changes.create.begin(), changes.create.end());
    result.insert(result.end(), held.begin(), held.end());
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace trestle
