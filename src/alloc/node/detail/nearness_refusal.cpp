// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "alloc/node/detail/fit_search.hpp"
#include "base/counted_text.hpp"
#include "base/join.hpp"
#include "model/core_groups.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/locality.hpp"

namespace trestle {

namespace detail {

Refusal FitSearch::refuse_nearness() const {
    const std::int64_t cores = problem_.cores_with_devices();
    CoreSet open = usable_;
    if (auto refusal = refuse_reserved(cores, open)) return *std::move(refusal);
    if (is_whole_node()) open = usable_;
    for (const auto refuse : {&FitSearch::refuse_devices_apart, &FitSearch::refuse_cores_far,
                              &FitSearch::refuse_cores_apart, &FitSearch::refuse_far_memory}) {
        if (auto refusal = (this->*refuse)(cores, open)) return *std::move(refusal);
    }
    std::vector<std::string> asked;
    std::vector<std::string> free;
    if (cores > 0) {
        asked.push_back(counted_text(cores, "core"));
        free.push_back(counted_text(open.count(), "core"));
    }
    const auto memory = memory_asked(cores);
    if (memory && !memory->is_zero()) {
        asked.push_back(fmt::format("{} of memory", *memory));
        free.push_back(fmt::format("{} of memory", free_memory()));
    }
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
        const NodeDemand::Device& one = demand_.devices[i];
        if (one.count.least().is_zero()) continue;
        const std::string kind = one.request.name + kind_text(one.request);
        asked.push_back(fmt::format("{} {}", one.count.least(), kind));
        free.push_back(fmt::format("{} {}", devices_.available(i), kind));
    }
    const std::vector<std::string> wishes = required_nearness();
    return {Constraint::locality,
            fmt::format("asked {}, near each other as required{}{}; free are {}, but not so",
                        join(asked, ", "), wishes.empty() ? "" : ": ", join(wishes, ", "),
                        join(free, ", "))};
}

std::vector<std::string> FitSearch::required_nearness() const {
    std::vector<std::string> wishes;
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
        const DeviceRequest& one = demand_.devices[i].request;
        if (one.locality == Strictness::require && one.locality_level) {
            wishes.push_back(fmt::format("{} and cores of one {}", one.name, *one.locality_level));
        } else if (one.locality == Strictness::require) {
            wishes.push_back(one.name + " near the cores");
        }
        if (i > 0 && one.device_locality == Strictness::require) {
            wishes.push_back(one.name + " below one switch with earlier devices");
        }
    }
    if (demand_.core_locality == Strictness::require) {
        wishes.push_back(fmt::format("cores of one {}", demand_.core_level));
    }
    if (demand_.memory_locality == Strictness::require) {
        wishes.emplace_back("memory near the cores");
    }
    for (const CommonRule& rule : problem_.common().rules()) {
        wishes.push_back("the devices of one " + rule.name);
    }
    return wishes;
}

std::optional<Refusal> FitSearch::refuse_reserved(std::int64_t cores, CoreSet& open) const {
    CoreSet reserved;
    CoreSet opened;
    for (std::uint32_t i = 0; i < shape_.devices.size(); ++i) {
        reserved |= shape_.devices[i].reserved_cores;
        for (std::size_t d = 0; d < demand_.devices.size(); ++d) {
            const DeviceList& some = devices_.candidates(d);
            const bool may_be_given =
                std::find(some.begin(), some.end(), DeviceId(i)) != some.end();
            if (may_be_given) opened |= shape_.devices[i].reserved_cores;
        }
    }
    const CoreSet closed = (reserved - opened) & usable_;
    open = usable_ - closed;
    const bool lacks_some = open.count() < cores && !closed.is_empty();
    if (!lacks_some || is_whole_node() || problem_.is_mixed()) return std::nullopt;
    std::vector<std::string> names;
    for (const Device& device : shape_.devices) {
        if (!device.reserved_cores.intersects(closed)) continue;
        names.push_back(fmt::format("{} {}", device.name, device.index));
    }
    return Refusal{Constraint::cores, fmt::format("asked {}, {} are free, {} of them kept for {}",
                                                  counted_text(cores, "core"), usable_.count(),
                                                  closed.count(), join(names, ", "))};
}

std::optional<Refusal> FitSearch::refuse_devices_apart(std::int64_t cores,
                                                       const CoreSet& open) const {
    if (cores == 0) return std::nullopt;
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
        const NodeDemand::Device& one = demand_.devices[i];
        if (one.request.locality != Strictness::require || !one.request.slice.empty()) continue;
        const DeviceList& some = devices_.candidates(i);
        const auto near = std::count_if(some.begin(), some.end(), [&](DeviceId id) {
            const std::uint32_t zone = problem_.zone_of(i, id);
            return zone == nowhere || problem_.zones()[zone].intersects(open);
        });
        if (near >= one.count.least().value()) continue;
        return Refusal{Constraint::locality,
                       fmt::format("asked {} {}{} with a free core near each, {} of {} free ones "
                                   "have one",
                                   one.count.least(), one.request.name, kind_text(one.request),
                                   near, some.size())};
    }
    return std::nullopt;
}

std::int64_t FitSearch::most_cores_near(std::size_t i, const CoreSet& open) const {
    SmallSet<> zones;
    for (const DeviceId id : devices_.candidates(i)) {
        const std::uint32_t zone = problem_.zone_of(i, id);
        if (zone != nowhere) zones.insert(zone);
    }
    std::vector<std::int64_t> near;
    for (const std::uint32_t zone : zones) near.push_back(problem_.zones()[zone].count_and(open));
    std::sort(near.rbegin(), near.rend());
    std::int64_t sum = 0;
    for (std::int64_t n = 0; n < count_range(i).max && n < std::ssize(near); ++n) {
        sum += near[static_cast<std::size_t>(n)];
    }
    return sum;
}

std::optional<Refusal> FitSearch::refuse_cores_far(std::int64_t cores, const CoreSet& open) const {
    if (is_whole_node()) return std::nullopt;
    std::int64_t most = 0;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
        const NodeDemand::Device& one = demand_.devices[i];
        if (one.request.locality != Strictness::require || count_range(i).max == 0) continue;
        const DeviceList& some = devices_.candidates(i);
        const bool may_lie_nowhere = std::any_of(some.begin(), some.end(), [&](DeviceId id) {
            return problem_.zone_of(i, id) == nowhere;
        });
        if (one.count.least().is_zero() || may_lie_nowhere) return std::nullopt;
        names.push_back(
            fmt::format("{} {}{}", one.count, one.request.name, kind_text(one.request)));
        most += most_cores_near(i, open);
    }
    if (names.empty() || most >= cores) return std::nullopt;
    return Refusal{Constraint::locality,
                   fmt::format("asked {} near {}, at most {} free ones are",
                               counted_text(cores, "core"), join(names, " or "), most)};
}

std::optional<Refusal> FitSearch::refuse_cores_apart(std::int64_t cores,
                                                     const CoreSet& open) const {
    if (demand_.core_locality != Strictness::require || is_whole_node()) return std::nullopt;
    std::int64_t most = open.is_empty() ? 0 : 1;
    for (const CoreSet& group : core_groups(shape_, demand_.core_level)) {
        most = std::max<std::int64_t>(most, group.count_and(open));
    }
    if (most >= cores) return std::nullopt;
    return Refusal{Constraint::locality,
                   fmt::format("asked {} of one {}, at most {} are free",
                               counted_text(cores, "core"), demand_.core_level, most)};
}

std::optional<Bytes> FitSearch::memory_asked(std::int64_t cores) const {
    const std::int64_t cpus =
        is_whole_node() ? problem_.all_cpus_of(usable_) : problem_.cpus_asked(cores);
    return memory_for(cpus, problem_.coupled_least());
}

std::optional<Refusal> FitSearch::refuse_far_memory(std::int64_t cores, const CoreSet& open) const {
    if (demand_.memory_locality != Strictness::require || cores == 0) return std::nullopt;
    const auto asked = memory_asked(cores);
    std::vector<CoreSet> places{open};
    if (demand_.core_locality == Strictness::require && !is_whole_node()) {
        places = core_groups(shape_, demand_.core_level);
    }
    Bytes most;
    for (const CoreSet& place : places)
        most = std::max(most, most_memory_near(cores, place & open));
    if (!asked || most >= *asked) return std::nullopt;
    return Refusal{Constraint::locality,
                   fmt::format("asked {} of memory near {}, at most {} is free there", *asked,
                               counted_text(cores, "core"), most)};
}

Bytes FitSearch::most_memory_near(std::int64_t cores, const CoreSet& open) const {
    std::vector<DomainSet> seen;
    std::vector<Bytes> near;
    for (const CoreCell& cell : problem_.cells()) {
        const bool is_new = std::find(seen.begin(), seen.end(), cell.domains) == seen.end();
        if (!is_new || !cell.cores.intersects(open)) continue;
        seen.push_back(cell.domains);
        near.emplace_back();
        for (const DomainId domain : cell.domains) near.back() += state_.memory[domain.value()];
    }
    std::sort(near.rbegin(), near.rend());
    Bytes sum;
    for (std::int64_t n = 0; n < cores && n < std::ssize(near); ++n) {
        sum = checked_add(sum, near[static_cast<std::size_t>(n)]).value_or(Bytes::max());
    }
    return sum;
}

}  // namespace detail

}  // namespace trestle
