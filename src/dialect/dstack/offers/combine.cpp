// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/offers/combine.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../words.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/quantities.hpp"

namespace trestle::dstack {
namespace {

/// Combines field by field and keeps the first disagreement.
class Combiner {
  public:
    explicit Combiner(Release release) : release_(release) {}
    [[nodiscard]] const std::optional<Refusal>& refusal() const { return refusal_; }

    template <class T, class Text>
    void range(Range<T>& both, const Range<T>& other, Constraint constraint, std::string_view key,
               Text text) {
        const auto common = intersect(both, other);
        if (!common) return refuse(constraint, key, text(both), text(other));
        both = *common;
    }
    template <class T>
    void range(Range<T>& both, const Range<T>& other, Constraint constraint, std::string_view key) {
        range(both, other, constraint, key, [](const Range<T>& r) { return to_text(r); });
    }
    void sizes(Range<Bytes>& both, const Range<Bytes>& other, Constraint constraint,
               std::string_view key) {
        range(both, other, constraint, key, &memory_range_text);
    }

    /// Equal, or said by one of them.
    void word(std::string& both, const std::string& other, Constraint constraint,
              std::string_view key) {
        if (both.empty()) both = other;
        if (!other.empty() && both != other) refuse(constraint, key, both, other);
    }
    template <class T>
    void value(std::optional<T>& both, const std::optional<T>& other, Constraint constraint,
               std::string_view key) {
        if (!both) both = other;
        if (other && *both != *other) {
            refuse(constraint, key, fmt::format("{}", *both), fmt::format("{}", *other));
        }
    }

    void names(std::vector<std::string>& both, const std::vector<std::string>& other,
               Constraint constraint, std::string_view key) {
        if (other.empty()) return;
        if (both.empty()) {
            both = other;
            return;
        }
        std::vector<std::string> common;
        for (const std::string& name : both) {
            const bool is_in = std::any_of(other.begin(), other.end(), [&](const auto& one) {
                return release_ == Release::v0_21 ? one == name : words::same_word(one, name);
            });
            if (is_in) common.push_back(name);
        }
        if (common.empty()) {
            return refuse(constraint, key, fmt::format("{}", fmt::join(both, ", ")),
                          fmt::format("{}", fmt::join(other, ", ")));
        }
        both = std::move(common);
    }

    void refuse(Constraint constraint, std::string_view key, const std::string& fleet,
                const std::string& run) {
        if (refusal_) return;
        refusal_ = Refusal{constraint,
                           fmt::format("{}: the fleet has {}, the run wants {}", key, fleet, run)};
    }

    /// Of two bounds that both name the stronger, in 0.21 the weaker.
    void versions(Range<Version>& both, const Range<Version>& other) {
        if (release_ != Release::v0_21 || both == Range<Version>() || other == Range<Version>()) {
            return range(both, other, Constraint::device_attributes, "gpu.compute_capability");
        }
        both.min = std::min(both.min, other.min);
        both.max = both.max && other.max ? std::max(both.max, other.max) : std::nullopt;
    }

  private:
    Release release_;
    std::optional<Refusal> refusal_;
};

/// The smaller, or the only one.
template <class T>
std::optional<T> least(const std::optional<T>& a, const std::optional<T>& b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
}

void combine_gpus(Combiner& combiner, GpuSpec& both, const GpuSpec& other) {
    constexpr Constraint kind = Constraint::device_attributes;
    combiner.word(both.vendor, other.vendor, kind, "gpu.vendor");
    combiner.names(both.names, other.names, kind, "gpu.name");
    combiner.range(both.count, other.count, Constraint::devices, "gpu.count");
    combiner.sizes(both.memory, other.memory, kind, "gpu.memory");
    combiner.sizes(both.total_memory, other.total_memory, kind, "gpu.total_memory");
    combiner.versions(both.compute_capability, other.compute_capability);
}

/// A silent fleet is on-demand, as a silent run is; so they stay silent together.
void combine_spot(Combiner& combiner, std::optional<SpotPolicy>& both,
                  const std::optional<SpotPolicy>& run) {
    if (!both && !run) return;
    const SpotPolicy ours = run.value_or(SpotPolicy::on_demand);
    both = both.value_or(SpotPolicy::on_demand);
    if (both == SpotPolicy::any) {
        both = ours;
    } else if (ours != SpotPolicy::any) {
        combiner.value(both, {ours}, Constraint::price, "spot_policy");
    }
}

std::optional<DurationLimit> shorter(const std::optional<DurationLimit>& a,
                                     const std::optional<DurationLimit>& b) {
    if (!a || !b) return a ? a : b;
    if (a->is_off || b->is_off) return a->is_off ? b : a;
    return DurationLimit{false, std::min(a->seconds, b->seconds)};
}

}  // namespace

Verdict<Resources> combine(const Resources& fleet, const Resources& run, Release release) {
    Resources both = fleet;
    Combiner combiner(release);
    combiner.value(both.cpu.architecture, run.cpu.architecture, Constraint::features, "cpu.arch");
    combiner.range(both.cpu.count, run.cpu.count, Constraint::cores, "cpu");
    combiner.sizes(both.memory, run.memory, Constraint::memory, "memory");
    if (!both.gpu) {
        both.gpu = run.gpu;
    } else if (run.gpu) {
        combine_gpus(combiner, *both.gpu, *run.gpu);
    }
    if (!both.disk) {
        both.disk = run.disk;
    } else if (run.disk) {
        combiner.sizes(*both.disk, *run.disk, Constraint::disk, "disk");
    }
    both.shm_size = least(both.shm_size, run.shm_size);
    if (combiner.refusal()) return *combiner.refusal();
    return both;
}

Verdict<Profile> combine(const Profile& fleet, const Profile& run, Release release) {
    constexpr Constraint place = Constraint::candidates;
    Profile both = fleet;
    Combiner combiner(release);
    combiner.names(both.backends, run.backends, place, "backends");
    combiner.names(both.regions, run.regions, place, "regions");
    combiner.names(both.availability_zones, run.availability_zones, place, "availability_zones");
    combiner.names(both.instance_types, run.instance_types, place, "instance_types");
    combiner.word(both.reservation, run.reservation, place, "reservation");
    combine_spot(combiner, both.spot_policy, run.spot_policy);
    both.max_price = least(both.max_price, run.max_price);
    both.idle_duration = shorter(both.idle_duration, run.idle_duration);
    if (run.retry) both.retry = run.retry;
    both.fleets = run.fleets;
    both.creation_policy = run.creation_policy;
    both.max_duration = run.max_duration;
    both.stop_duration = run.stop_duration;
    if (combiner.refusal()) return *combiner.refusal();
    return both;
}

}  // namespace trestle::dstack
