// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which cores, and memory from where, once the devices are chosen.
//
// Layer: alloc, internal to fit. Main types: CoreChooser, CoreChoice. Among the cores that are
// least remote from the devices it takes those whose memory domains hold the request, in as few
// groups of cores as possible, lowest numbers first.
// A reader would get wrong: cores with the same near memory form one class; inside a class only the
// number of cores matters, so classes are enumerated, not cores.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/usage.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/request.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::detail {

/// Counts steps; a search that has none left gives up.
struct StepBudget {
    std::uint64_t left = 0;

    [[nodiscard]] bool spend() {
        if (left == 0) return false;
        --left;
        return true;
    }
};

/// Steps to the next rising subset of [0, n) with the size of `pick`; false after the last.
[[nodiscard]] inline bool next_combination(std::vector<std::size_t>& pick, std::size_t n) {
    for (std::size_t i = pick.size(); i-- > 0;) {
        if (pick[i] + (pick.size() - i) < n) {
            ++pick[i];
            for (std::size_t j = i + 1; j < pick.size(); ++j) pick[j] = pick[j - 1] + 1;
            return true;
        }
    }
    return false;
}

/// A set of cores with what it costs. Less is better, first member first.
struct CoreChoice {
    std::uint64_t remote = 0;  ///< pairs of a chosen core and a device that is not near it
    Bytes spill;               ///< memory from domains that are near to none of the cores
    std::uint32_t spread = 0;  ///< classes of cores touched
    CoreSet cores;

    friend bool operator<(const CoreChoice& a, const CoreChoice& b) {
        return std::tie(a.remote, a.spill, a.spread, a.cores) <
               std::tie(b.remote, b.spill, b.spread, b.cores);
    }
};

/// What is asked of the cores.
struct CoreQuestion {
    std::uint32_t count = 0;
    Bytes memory;
    Locality memory_locality = Locality::prefer;
    CoreSet allowed;                   ///< free, and near to every device that requires it
    std::vector<CoreSet> near_device;  ///< one set for each device that prefers nearness
};

class CoreChooser {
  public:
    CoreChooser(const NodeShape& shape, const NodeUsage& usage) : shape_(shape), usage_(usage) {
        std::map<DomainSet, CoreSet> classes;
        for (std::uint32_t i = 0; i < shape.hardware.core_count(); ++i) {
            classes[near_domains(CoreSet::of({CoreId(i)}))].insert(CoreId(i));
        }
        for (auto& [domains, cores] : classes) classes_.push_back({cores, domains});
        std::sort(classes_.begin(), classes_.end(),
                  [](const CoreClass& a, const CoreClass& b) { return a.cores < b.cores; });
    }

    /// The best choice, or nothing: because there is none, or because `budget` ended (then it has
    /// no step left).
    [[nodiscard]] std::optional<CoreChoice> choose(const CoreQuestion& question,
                                                   StepBudget& budget) const {
        Split split = split_by_remoteness(question);
        if (split.missing > split.tie.count()) return std::nullopt;
        auto best = best_subset(question, split, budget);
        const bool must_be_near = question.memory_locality == Locality::require;
        if (!best || !must_be_near || best->spill.is_zero()) return best;
        return best_near_memory(question, budget);
    }

    /// Takes `bytes` from the domains: near ones first, then the nearest of the others; within
    /// equals ordinary DRAM before fast memory, lowest id first. Requires: enough is free.
    [[nodiscard]] std::vector<MemoryShare> take_memory(const CoreSet& cores, Bytes bytes,
                                                       Locality locality) const {
        const DomainSet near = near_domains(cores);
        using Key = std::tuple<bool, std::uint32_t, MemoryKind, DomainId>;
        std::vector<Key> order;
        for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
            const DomainId domain(i);
            if (!is_ordinary(shape_.memory[i])) continue;
            const bool is_far = locality != Locality::ignore && !near.contains(domain);
            std::uint32_t distance = 0;
            if (is_far) distance = distance_from(near, domain);
            order.emplace_back(is_far, distance, shape_.memory[i].kind, domain);
        }
        std::sort(order.begin(), order.end());
        std::vector<MemoryShare> shares;
        for (const Key& key : order) {
            const DomainId domain = std::get<DomainId>(key);
            const Bytes part = std::min(bytes, usage_.free_memory(domain));
            if (!part.is_zero()) shares.push_back({domain, part});
            bytes -= part;
        }
        TRESTLE_EXPECTS(bytes.is_zero(), "the node has the memory that was found free");
        std::sort(shares.begin(), shares.end());
        return shares;
    }

    /// Free memory in all ordinary domains.
    [[nodiscard]] Bytes free_memory() const {
        Bytes sum;
        for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
            if (is_ordinary(shape_.memory[i])) sum += usage_.free_memory(DomainId(i));
        }
        return sum;
    }

  private:
    struct CoreClass {
        CoreSet cores;
        DomainSet domains;
    };
    /// Cores that are taken in any case, and those of which `missing` more are needed.
    struct Split {
        CoreSet forced;
        CoreSet tie;
        std::uint32_t missing = 0;
        std::uint64_t remote = 0;
    };

    [[nodiscard]] DomainSet near_domains(const CoreSet& cores) const {
        DomainSet near;
        for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
            const MemoryDomain& domain = shape_.memory[i];
            if (is_ordinary(domain) && domain.cores.intersects(cores)) near.insert(DomainId(i));
        }
        return near;
    }

    [[nodiscard]] std::uint32_t distance_from(const DomainSet& near, DomainId to) const {
        std::uint32_t nearest = ~std::uint32_t{0};
        for (const DomainId from : near) nearest = std::min(nearest, shape_.distance(from, to));
        return nearest;
    }

    /// Devices of the question that the core is not near to.
    [[nodiscard]] static std::uint64_t remoteness(const CoreQuestion& question, CoreId core) {
        return static_cast<std::uint64_t>(
            std::count_if(question.near_device.begin(), question.near_device.end(),
                          [&](const CoreSet& near) { return !near.contains(core); }));
    }

    /// Remoteness decides first: whole levels of equally remote cores are taken while they fit.
    [[nodiscard]] static Split split_by_remoteness(const CoreQuestion& question) {
        std::map<std::uint64_t, CoreSet> levels;
        for (const CoreId core : question.allowed) {
            levels[remoteness(question, core)].insert(core);
        }
        Split split;
        split.missing = question.count;
        for (auto& [remote, cores] : levels) {
            if (cores.count() >= split.missing) {
                split.tie = cores;
                split.remote += remote * split.missing;
                return split;
            }
            split.forced |= cores;
            split.missing -= cores.count();
            split.remote += remote * cores.count();
        }
        return split;
    }

    [[nodiscard]] std::optional<CoreChoice> best_subset(const CoreQuestion& question,
                                                        const Split& split,
                                                        StepBudget& budget) const {
        std::vector<const CoreClass*> open;  // classes that a subset may add
        CoreSet base;                        // tie cores of classes that are touched anyway
        std::uint32_t touched = 0;
        for (const CoreClass& one : classes_) {
            if (one.cores.intersects(split.forced)) {
                base |= one.cores & split.tie;
                ++touched;
            } else if (one.cores.intersects(split.tie)) {
                open.push_back(&one);
            }
        }
        const Bytes floor = spill_of(question, split.forced | split.tie);
        std::optional<CoreChoice> best;
        const auto most = std::min<std::size_t>(open.size(), split.missing);
        for (std::size_t size = 0; size <= most; ++size) {
            std::vector<std::size_t> pick(size);
            for (std::size_t i = 0; i < size; ++i) pick[i] = i;
            do {
                if (!budget.spend()) return std::nullopt;
                if (auto cores = cores_of(split, base, open, pick)) {
                    CoreChoice choice{split.remote, spill_of(question, *cores),
                                      touched + static_cast<std::uint32_t>(size),
                                      *std::move(cores)};
                    if (!best || choice < *best) best = std::move(choice);
                }
            } while (next_combination(pick, open.size()));
            if (best && best->spill == floor) break;
        }
        return best;
    }

    /// The least remote cores whose near memory holds the request, where the least remote of all do
    /// not. Any subset of classes may be the answer: a larger one can be less remote.
    [[nodiscard]] std::optional<CoreChoice> best_near_memory(const CoreQuestion& question,
                                                             StepBudget& budget) const {
        std::vector<std::pair<std::uint64_t, CoreId>> by_remoteness;
        for (const CoreId core : question.allowed) {
            by_remoteness.emplace_back(remoteness(question, core), core);
        }
        std::sort(by_remoteness.begin(), by_remoteness.end());
        std::vector<const CoreClass*> open;
        for (const CoreClass& one : classes_) {
            if (one.cores.intersects(question.allowed)) open.push_back(&one);
        }
        std::optional<CoreChoice> best;
        const auto most = std::min<std::size_t>(open.size(), question.count);
        for (std::size_t size = 1; size <= most; ++size) {
            std::vector<std::size_t> pick(size);
            for (std::size_t i = 0; i < size; ++i) pick[i] = i;
            do {
                if (!budget.spend()) return std::nullopt;
                CoreChoice choice = least_remote(question.count, by_remoteness, open, pick);
                const bool is_enough = choice.cores.count() == question.count &&
                                       spill_of(question, choice.cores).is_zero();
                if (is_enough && (!best || choice < *best)) best = std::move(choice);
            } while (next_combination(pick, open.size()));
        }
        return best;
    }

    /// `count` cores that touch every picked class, least remote ones first; fewer when the classes
    /// have not so many.
    [[nodiscard]] static CoreChoice least_remote(
        std::uint32_t count, const std::vector<std::pair<std::uint64_t, CoreId>>& by_remoteness,
        const std::vector<const CoreClass*>& open, const std::vector<std::size_t>& pick) {
        CoreChoice choice;
        choice.spread = static_cast<std::uint32_t>(pick.size());
        CoreSet pool;
        CoreSet firsts;
        for (const std::size_t i : pick) {
            pool |= open[i]->cores;
            firsts.insert(
                std::find_if(by_remoteness.begin(), by_remoteness.end(), [&](const auto& entry) {
                    return open[i]->cores.contains(entry.second);
                })->second);
        }
        std::uint32_t others = count - static_cast<std::uint32_t>(pick.size());
        for (const auto& [remote, core] : by_remoteness) {
            const bool is_first = firsts.contains(core);
            if (!is_first && (others == 0 || !pool.contains(core))) continue;
            if (!is_first) --others;
            choice.remote += remote;
            choice.cores.insert(core);
        }
        return choice;
    }

    /// The lowest cores that touch every picked class; nothing when they are too few.
    [[nodiscard]] static std::optional<CoreSet> cores_of(const Split& split, const CoreSet& base,
                                                         const std::vector<const CoreClass*>& open,
                                                         const std::vector<std::size_t>& pick) {
        CoreSet pool = base;
        CoreSet chosen;
        for (const std::size_t i : pick) {
            const CoreSet part = open[i]->cores & split.tie;
            pool |= part;
            chosen.insert(*part.first());
        }
        if (pool.count() < split.missing) return std::nullopt;
        for (const CoreId core : pool) {
            if (chosen.count() == split.missing) break;
            chosen.insert(core);
        }
        return chosen | split.forced;
    }

    [[nodiscard]] Bytes spill_of(const CoreQuestion& question, const CoreSet& cores) const {
        if (question.memory_locality == Locality::ignore) return Bytes();
        Bytes near;
        for (const DomainId domain : near_domains(cores)) near += usage_.free_memory(domain);
        return saturating_sub(question.memory, near);
    }

    const NodeShape& shape_;
    const NodeUsage& usage_;
    std::vector<CoreClass> classes_;
};

}  // namespace trestle::detail
