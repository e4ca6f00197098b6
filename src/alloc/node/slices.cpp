// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/slices.hpp"

#include <algorithm>
#include <bit>
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

#include "alloc/node/slice_space.hpp"
#include "trestle/base/contract.hpp"

namespace trestle {

SlicePotential& SlicePotential::operator+=(const SlicePotential& other) {
    for (std::size_t i = 0; i < ranks; ++i) counts[i] += other.counts[i];
    return *this;
}

SlicePotential& SlicePotential::operator-=(const SlicePotential& other) {
    for (std::size_t i = 0; i < ranks; ++i) counts[i] -= other.counts[i];
    return *this;
}

std::string to_text(const SlicePotential& potential) {
    std::string text;
    std::size_t ranks = SlicePotential::ranks;
    while (ranks > 0 && potential.counts[ranks - 1] == 0) --ranks;
    for (std::size_t i = 0; i < ranks; ++i) {
        text += (i == 0 ? "" : " ") + std::to_string(potential.counts[i]);
    }
    return text;
}

std::optional<std::size_t> SliceSpace::find(std::string_view name) const {
    const SliceGeometry::Profile* profile = slicing_->geometry.find(name);
    if (profile == nullptr) return std::nullopt;
    return static_cast<std::size_t>(profile - slicing_->geometry.profiles.data());
}

std::vector<Slicing::Instance> SliceSpace::idle() const {
    std::vector<Slicing::Instance> instances;
    for (const Idle& one : idle_) instances.push_back(instance_of(one));
    std::sort(instances.begin(), instances.end());
    return instances;
}

Slicing::Instance SliceSpace::instance(std::size_t profile, std::uint32_t start) const {
    return {start, profiles()[profile].memory_slices, profiles()[profile].name};
}

bool SliceSpace::spend(Room& room, std::size_t profile) const {
    const std::uint32_t slices = profiles()[profile].compute_slices;
    if (room.left[profile] == 0 || room.compute < slices) return false;
    --room.left[profile];
    room.compute -= slices;
    return true;
}

SliceSpace::SliceSpace(const Slicing& slicing, std::span<const Slicing::Instance> held)
    : slicing_(&slicing), by_rank_(slicing.geometry.profiles.size()) {
    std::iota(by_rank_.begin(), by_rank_.end(), std::size_t{0});
    std::sort(by_rank_.begin(), by_rank_.end(), [&](std::size_t a, std::size_t b) {
        const SliceGeometry::Profile& x = profiles()[a];
        const SliceGeometry::Profile& y = profiles()[b];
        return std::tie(y.memory_slices, y.compute_slices, x.name) <
               std::tie(x.memory_slices, x.compute_slices, y.name);
    });
    room_.compute = slicing.geometry.compute_slices;
    for (const SliceGeometry::Profile& profile : profiles())
        room_.left.push_back(profile.instances_max);
    for (const Slicing::Instance& instance : held) {
        room_.taken |= detail::slice_mask(instance.start, instance.size);
        const auto profile = find(instance.profile);
        if (!profile) continue;
        room_.left[*profile] -= std::min(room_.left[*profile], 1U);
        room_.compute -= std::min(room_.compute, profiles()[*profile].compute_slices);
    }
    for (const Slicing::Instance& instance : slicing.instances) {
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

std::uint32_t SliceSpace::possible(std::size_t profile, const Room& room) const {
    std::uint32_t count = 0;
    if (slicing_->is_fixed) {
        for (const Idle& one : idle_) {
            if (one.profile == profile && (one.mask & room.taken) == 0) ++count;
        }
        return count;
    }
    const SliceGeometry::Profile& kind = profiles()[profile];
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

SlicePotential SliceSpace::potential(const Room& room) const {
    SlicePotential result;
    for (std::size_t rank = 0; rank < std::min(by_rank_.size(), SlicePotential::ranks); ++rank) {
        result.counts[rank] = possible(by_rank_[rank], room);
    }
    return result;
}

SliceChanges SliceSpace::changes(std::span<const Slicing::Instance> taken) const {
    SliceChanges result;
    Room room = room_;
    std::vector<Slicing::Instance> kept(taken.begin(), taken.end());
    const std::vector<Slicing::Instance> existing = idle();
    for (const Slicing::Instance& one : taken) {
        const auto profile = find(one.profile);
        TRESTLE_EXPECTS(profile && spend(room, *profile), "the device allows what is taken");
        room.taken |= detail::slice_mask(one.start, one.size);
        if (!std::binary_search(existing.begin(), existing.end(), one)) {
            result.create.push_back(one);
        }
    }
    for_each_staying(room, [&](const Idle& one) { kept.push_back(instance_of(one)); });
    for (const Slicing::Instance& one : existing) {
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
        const SliceGeometry::Profile& kind = space_.profiles()[profile];
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

    [[nodiscard]] std::vector<Slicing::Instance> by_start(const Starts& starts) const {
        std::vector<Slicing::Instance> instances;
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

std::optional<SliceArrangement> SliceSpace::arrange(std::span<const std::size_t> wanted,
                                                    detail::StepBudget& budget) const {
    Room room = room_;
    if (wanted.size() > slicing_->geometry.memory_slices) return std::nullopt;
    for (const std::size_t profile : wanted) {
        if (!spend(room, profile)) return std::nullopt;
    }
    return Search(*this, wanted, std::move(room), budget).run();
}

std::uint32_t instances_possible(const Slicing& slicing, std::span<const Slicing::Instance> held,
                                 std::string_view profile) {
    const SliceSpace space(slicing, held);
    const auto index = space.find(profile);
    return index ? space.possible(*index) : 0;
}

SlicePotential slice_potential(const Slicing& slicing, std::span<const Slicing::Instance> held) {
    return SliceSpace(slicing, held).potential();
}

std::optional<SliceArrangement> arrange_slices(const Slicing& slicing,
                                               std::span<const Slicing::Instance> held,
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

SliceChanges slice_changes(const Slicing& slicing, std::span<const Slicing::Instance> held,
                           std::span<const Slicing::Instance> taken) {
    return SliceSpace(slicing, held).changes(taken);
}

std::vector<Slicing::Instance> geometry_after(const Slicing& slicing,
                                              std::span<const Slicing::Instance> held,
                                              std::span<const Slicing::Instance> taken) {
    const SliceSpace space(slicing, held);
    const SliceChanges changes = space.changes(taken);
    std::vector<Slicing::Instance> result = space.idle();
    std::erase_if(result, [&](const Slicing::Instance& one) {
        return std::binary_search(changes.destroy.begin(), changes.destroy.end(), one);
    });
    result.insert(result.end(), changes.create.begin(), changes.create.end());
    result.insert(result.end(), held.begin(), held.end());
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace trestle
