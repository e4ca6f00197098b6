// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/removal_counter.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alloc/node/detail/fit_conditions.hpp"
#include "alloc/node/detail/fit_score.hpp"
#include "alloc/node/device_match.hpp"
#include "alloc/node/slice_space.hpp"
#include "model/core_groups.hpp"
#include "trestle/alloc/node/slices.hpp"
#include "trestle/model/locality.hpp"

namespace trestle {

namespace detail {

std::vector<FitExplanation::Removal> RemovalCounter::run() {
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) candidates_.push_back(devices(i));
    const CoreSet left = cores();
    milli_cpus();
    memory(left);
    return std::move(removed_);
}

void RemovalCounter::open(std::string subject, Count all, Count asked) {
    now_ = {Constraint::none, std::move(subject), "", Count(), all, asked};
}

void RemovalCounter::note(Constraint constraint, std::string reason, Count left) {
    now_.constraint = constraint;
    now_.reason = std::move(reason);
    now_.before = std::exchange(now_.left, left);
    if (now_.left < now_.before && !now_.asked.is_zero()) removed_.push_back(now_);
}

DeviceSet RemovalCounter::devices(std::size_t i) {
    const NodeDemand::Device& demand = demand_.devices[i];
    const DeviceRequest& request = demand.request;
    const auto all = static_cast<std::uint32_t>(shape_.devices.size());
    DeviceSet left = DeviceSet::range({0, all});
    const Count least = demand.count.least();
    const bool asks_one = !request.slice.empty() && !least.is_zero();
    open(request.name + number_text(demand_, i), Count(all), asks_one ? Count(1) : least);
    keep_kind(left, request);
    const bool refuses_warned = problem_.options().warning == FitOptions::WarningUse::never;
    keep(
        left, Constraint::devices, "failed",
        [](DeviceId, const Device& d) { return d.health != Health::failure; }, true);
    keep(
        left, Constraint::devices, "drained",
        [](DeviceId, const Device& d) { return !d.is_drained; }, true);
    keep(
        left, Constraint::devices, "warning not wanted",
        [&](DeviceId, const Device& d) { return !refuses_warned || d.health != Health::warning; },
        true);
    if (!demand.sockets.is_zero()) {
        keep(left, Constraint::devices, "on no known package",
             [&](DeviceId id, const Device&) { return problem_.package_of(id) != nowhere; });
    }
    keep_shareable(left, request);
    keep_free(left, demand);
    keep_below_switches(left, i);
    keep_common(left, i);
    return left;
}

void RemovalCounter::keep_kind(DeviceSet& devices, const DeviceRequest& request) {
    const auto any_of = [](const std::vector<std::string>& texts) {
        std::string all;
        for (const std::string& text : texts) all += (all.empty() ? "" : "|") + text;
        return all;
    };
    using Property = std::pair<std::string_view, std::string>;
    const std::string share_kind(request.share_kind ? to_text(*request.share_kind) : "");
    const std::array properties{Property("name", request.name),
                                Property("type", any_of(request.types)),
                                Property("vendor", request.vendor),
                                Property("model", any_of(request.models)),
                                Property("memory", to_text(request.memory)),
                                Property("compute_capability", to_text(request.compute_capability)),
                                Property("share_kind", share_kind),
                                Property("mig_profile", request.mig_profile),
                                Property("attributes", attributes_text(request))};
    for (const auto& [property, wanted] : properties) {
        const bool is_name = property == "name";
        keep(devices, is_name ? Constraint::devices : Constraint::device_attributes,
             std::string(property) + " " + wanted,
             [&, name = property](DeviceId, const Device& device) {
                 return mismatch(device, request) != name;
             });
    }
}

std::string RemovalCounter::attributes_text(const DeviceRequest& request) {
    std::string text;
    for (const DeviceRequest::AttributeTest& test : request.attributes) {
        text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", test.name, test.comparison,
                            test.value);
    }
    return text;
}

void RemovalCounter::keep_shareable(DeviceSet& devices, const DeviceRequest& request) {
    if (!request.slice.empty()) {
        keep(devices, Constraint::devices, "cannot give " + request.slice,
             [&](DeviceId, const Device& d) { return instances(d, {}, request.slice) > 0; });
        return;
    }
    keep(devices, Constraint::devices, "given in instances only", [](DeviceId, const Device& d) {
        return !d.slicing || !d.slicing->is_fixed || d.slicing->instances.empty();
    });
    if (request.shares_per == Per::node) return;
    keep(devices, Constraint::devices, fmt::format("{} shares each", request.shares),
         [&](DeviceId, const Device& d) { return d.shares >= request.shares; });
}

void RemovalCounter::keep_free(DeviceSet& devices, const NodeDemand::Device& demand) {
    const DeviceRequest& request = demand.request;
    const FitExplanation::Removal by_device = now_;
    if (!request.slice.empty()) {
        open(now_.subject + " " + request.slice, Count(), demand.count.least());
    } else if (asks_sum(request)) {
        open(now_.subject + " shares", Count(), request.shares);
    }
    const NodeLedger untouched(shape_);
    Count before;
    Count left;
    DeviceSet given;
    DeviceSet taken;
    for (const DeviceId id : devices) {
        const Count idle = most_of(id, request, untouched);
        const Count now = most_of(id, request, ledger_);
        before += idle;
        left += now;
        if (now < idle) taken.insert(id);
        if (!now.is_zero()) given.insert(id);
    }
    devices = std::move(given);
    now_.left = before;
    note(Constraint::devices, held_by([&](const Holding& holding) {
             return std::any_of(
                 holding.devices.begin(), holding.devices.end(),
                 [&](const DeviceShare& share) { return taken.contains(share.device); });
         }),
         left);
    now_ = by_device;
    now_.left = Count(devices.count());
}

bool RemovalCounter::asks_sum(const DeviceRequest& request) {
    return request.slice.empty() && !request.shares.is_zero() && request.shares_per == Per::node;
}

Count RemovalCounter::most_of(DeviceId id, const DeviceRequest& request,
                              const NodeLedger& ledger) const {
    const Device& device = shape_.devices[id.value()];
    const std::vector<Slicing::Instance> held = ledger.held_slices(id);
    const Count free = ledger.free_shares(id);
    if (!request.slice.empty()) {
        const bool is_cut = !held.empty() || free == device.shares;
        return Count(is_cut ? instances(device, held, request.slice) : 0);
    }
    if (!held.empty()) return Count();
    const Count asked = request.shares.is_zero() ? device.shares : request.shares;
    if (asks_sum(request)) return free;
    return Count(free >= asked ? 1 : 0);
}

std::int64_t RemovalCounter::instances(const Device& device,
                                       const std::vector<Slicing::Instance>& held,
                                       std::string_view profile) {
    if (!device.slicing) return 0;
    const SliceSpace space(*device.slicing, held);
    const auto found = space.find(profile);
    return found ? space.possible(*found) : 0;
}

void RemovalCounter::keep_below_switches(DeviceSet& devices, std::size_t i) {
    const DeviceRequest& request = demand_.devices[i].request;
    if (i == 0 || request.device_locality != Strictness::require) return;
    keep(devices, Constraint::locality, "no switch shared with earlier devices",
         [&](DeviceId, const Device& device) {
             for (const DeviceSet& earlier : candidates_) {
                 for (const DeviceId other : earlier) {
                     if (share_a_switch(device, shape_.devices[other.value()])) return true;
                 }
             }
             return false;
         });
}

void RemovalCounter::keep_common(DeviceSet& devices, std::size_t i) {
    for (const CommonRule& rule : problem_.common().rules()) {
        if (std::find(rule.demands.begin(), rule.demands.end(), i) == rule.demands.end()) continue;
        DeviceSet having;
        std::uint32_t most = 0;
        for (const CommonValue& value : rule.values) {
            having |= value.devices;
            most = std::max(most, devices.count_and(value.devices));
        }
        keep(devices, Constraint::device_attributes, "no " + rule.name,
             [&](DeviceId id, const Device&) { return having.contains(id); });
        note(Constraint::device_attributes, "not of one " + rule.name,
             std::min(now_.left, Count(most)));
    }
}

void RemovalCounter::keep(CoreSet& cores, Constraint constraint, std::string reason,
                          const CoreSet& allowed) {
    cores &= allowed;
    note(constraint, std::move(reason), count_of(cores));
}

CoreSet RemovalCounter::cores() {
    CoreSet left = shape_.hardware.all_cores();
    const std::int64_t asked = problem_.cores_with_devices();
    if (problem_.is_mixed()) {
        open("CPUs", count_of(left), Count(problem_.cpus_asked(asked)));
    } else {
        open("cores", count_of(left), Count(asked));
    }
    keep(left, Constraint::cores, "kept for the system", shape_.allocatable_cores());
    const std::optional<std::uint32_t> row = freest_row();
    const CoreSet free = row ? ledger_.free_cores(*row) : ledger_.free_cores();
    const CoreSet taken = left - free;
    keep(left, Constraint::cores, held_by([&](const Holding& holding) {
             return row ? (holding.cores | holding.cores_in(row)).intersects(taken)
                        : holding.all_cores().intersects(taken);
         }),
         free);
    if (demand_.exclusivity == Exclusivity::whole_node) {
        keep_whole_node(left);
        keep_wanted(left);
    } else {
        keep_packages(left);
        keep_wanted(left);
        keep_unreserved(left);
        keep_near_devices(left);
        keep_one_group(left);
        keep_whole_tasks(left);
        leave_milli_cpus(left);
    }
    return left;
}

std::optional<std::uint32_t> RemovalCounter::freest_row() const {
    const std::uint32_t rows = problem_.options().rows;
    if (rows <= 1 || demand_.exclusivity == Exclusivity::whole_node) return std::nullopt;
    std::uint32_t freest = 0;
    for (std::uint32_t row = 1; row < ledger_.free().distinct_rows(rows); ++row) {
        if (ledger_.free_cores(row).count() > ledger_.free_cores(freest).count()) freest = row;
    }
    return freest;
}

void RemovalCounter::keep_whole_node(CoreSet& left) {
    if (!ledger_.is_idle()) {
        keep(left, Constraint::cores, "asked whole, others use it", {});
    }
    keep(left, Constraint::cores, fmt::format("system_cores {}", demand_.system_cores),
         problem_.without_system_cores(left));
}

void RemovalCounter::keep_packages(CoreSet& left) {
    keep(left, Constraint::cores, fmt::format("cores_per_socket {}", demand_.cores_per_socket),
         problem_.in_able_packages(left));
}

void RemovalCounter::keep_unreserved(CoreSet& left) {
    DeviceSet given;
    for (const DeviceSet& devices : candidates_) given |= devices;
    CoreSet opened;
    CoreSet reserved;
    for (std::uint32_t i = 0; i < shape_.devices.size(); ++i) {
        const CoreSet& cores = shape_.devices[i].reserved_cores;
        (given.contains(DeviceId(i)) ? opened : reserved) |= cores;
    }
    const CoreSet closed = reserved - opened;
    std::string names;
    for (const Device& device : shape_.devices) {
        if (!device.reserved_cores.intersects(closed & left)) continue;
        names += fmt::format("{}{} {}", names.empty() ? "" : ", ", device.name, device.index);
    }
    keep(left, Constraint::cores, "reserved for " + names, left - closed);
}

void RemovalCounter::keep_near_devices(CoreSet& left) {
    if (demand_.exclusivity == Exclusivity::whole_node) return;
    CoreSet near;
    std::string names;
    bool is_asked = false;
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
        const DeviceRequest& request = demand_.devices[i].request;
        if (request.locality != Strictness::require || candidates_[i].is_empty()) continue;
        is_asked = is_asked || !demand_.devices[i].count.least().is_zero();
        names += (names.empty() ? "" : " or ") + request.name;
        for (const DeviceId id : candidates_[i]) {
            const std::uint32_t zone = problem_.zone_of(i, id);
            near |= zone == nowhere ? left : problem_.zones()[zone];
        }
    }
    if (is_asked) keep(left, Constraint::locality, "not near a free " + names, near);
}

void RemovalCounter::keep_one_group(CoreSet& left) {
    if (demand_.core_locality != Strictness::require) return;
    CoreSet largest;
    for (const CoreSet& group : core_groups(shape_, demand_.core_level)) {
        if (count_of(group & left) > count_of(largest)) largest = group & left;
    }
    note(Constraint::locality, fmt::format("not in one group of level {}", demand_.core_level),
         count_of(largest));
}

void RemovalCounter::keep_whole_tasks(const CoreSet& left) {
    if (problem_.task_groups().empty()) return;
    const Count each = demand_.cpus_per_task;
    Count sum;
    for (const CoreSet& group : problem_.task_groups()) {
        const Count here = count_of(group & left);
        sum += here - Count(here.value() % each.value());
    }
    note(Constraint::locality,
         fmt::format("not for {} CPUs in one group of level {}", each, *demand_.task_level),
         std::min(now_.left, sum));
}

void RemovalCounter::keep_wanted(CoreSet& left) {
    keep(left, Constraint::cores, fmt::format("threads_per_core {}", demand_.threads_per_core),
         with_threads(left));
    if (demand_.core_kind) {
        keep(left, Constraint::cores, fmt::format("not {} cores", *demand_.core_kind),
             shape_.hardware.cores_of_kind(*demand_.core_kind));
    }
}

CoreSet RemovalCounter::with_threads(const CoreSet& cores) const {
    if (!problem_.has_threads()) return {};
    CoreSet with;
    for (const ThreadCounts::Kind& kind : problem_.threads().kinds()) {
        if (kind.threads >= demand_.threads_per_core.value()) with |= kind.cores & cores;
    }
    return with;
}

Count RemovalCounter::count_of(const CoreSet& cores) const {
    if (!problem_.is_mixed()) return Count(cores.count());
    const std::int64_t used = demand_.threads_per_core.value();
    std::int64_t sum = 0;
    for (const ThreadCounts::Kind& kind : problem_.threads().kinds()) {
        const std::int64_t each = used > 0 ? used : kind.threads;
        sum += each * kind.cores.count_and(cores);
    }
    return Count(sum);
}

void RemovalCounter::leave_milli_cpus(const CoreSet& cores) {
    const FreeState& free = ledger_.free();
    if (free.held_milli_cpus.is_zero()) return;
    if (problem_.is_mixed()) {
        const std::int64_t threads = div_floor(ledger_.free_milli_cpus(), cpus(1).value()).value();
        const Count most = Count(threads) + count_of(cores - free.cores);
        return note(Constraint::cores, held_in_thousandths(), std::min(now_.left, most));
    }
    std::int64_t most = (cores - free.cores).count();
    std::int64_t threads = div_floor(ledger_.free_milli_cpus(), cpus(1).value()).value();
    for (const ThreadCounts::Kind& kind : problem_.threads().kinds()) {
        const std::int64_t here = (kind.cores & free.cores).count_and(cores);
        const std::int64_t taken =
            std::min(here, threads / std::max<std::int64_t>(1, kind.threads));
        threads -= taken * kind.threads;
        most += taken;
    }
    note(Constraint::cores, held_in_thousandths(), std::min(now_.left, Count(most)));
}

std::string RemovalCounter::held_in_thousandths() const {
    return held_by([](const Holding& holding) { return !holding.milli_cpus.is_zero(); }) +
           " in thousandths";
}

void RemovalCounter::milli_cpus() {
    const auto milli_of = [&](const CoreSet& cores) {
        return Count(cpus(problem_.threads().of(cores)).value());
    };
    open("milli_cpus", milli_of(shape_.hardware.all_cores()),
         Count(demand_.all_milli_cpus().value()));
    const CoreSet given = shape_.allocatable_cores();
    note(Constraint::cores, "kept for the system", milli_of(given));
    const CoreSet taken = given - ledger_.free_cores();
    note(Constraint::cores,
         held_by([&](const Holding& holding) { return holding.all_cores().intersects(taken); }),
         milli_of(ledger_.free_cores()));
    note(Constraint::cores, held_in_thousandths(), Count(ledger_.free_milli_cpus().value()));
}

Bytes RemovalCounter::memory_asked() const {
    const auto times = [&](std::int64_t factor) {
        return checked_mul(demand_.memory, factor).value_or(Bytes::max());
    };
    const bool is_whole = demand_.exclusivity == Exclusivity::whole_node;
    const std::int64_t cpus =
        is_whole ? problem_.all_cpus_of(problem_.without_system_cores(shape_.allocatable_cores()))
                 : problem_.cpus_asked(problem_.cores_with_devices());
    switch (demand_.memory_per) {
        case Per::cpu:
            return times(cpus);
        case Per::device:
            return times(problem_.coupled_least());
        default:
            return demand_.memory;
    }
}

void RemovalCounter::memory(const CoreSet& cores) {
    const DomainSet near = problem_.domains_near(cores);
    Bytes all;
    Bytes free;
    Bytes free_near;
    DomainSet taken;
    for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
        const MemoryDomain& domain = shape_.memory[i];
        if (!domain.is_ordinary()) continue;
        const Bytes here = ledger_.free_memory(DomainId(i));
        all += domain.capacity;
        free += here;
        if (near.contains(DomainId(i))) free_near += here;
        if (here < domain.allocatable()) taken.insert(DomainId(i));
    }
    open("memory", Count(all.value()), Count(memory_asked().value()));
    note(Constraint::memory, "kept for the system", Count(shape_.ordinary_memory().value()));
    note(Constraint::memory, held_by([&](const Holding& holding) {
             return std::any_of(
                 holding.memory.begin(), holding.memory.end(),
                 [&](const MemoryShare& share) { return taken.contains(share.domain); });
         }),
         Count(free.value()));
    const bool asks_cores = problem_.cores_with_devices() > 0;
    if (demand_.memory_locality != Strictness::require || !asks_cores) return;
    note(Constraint::locality, "not near the cores left", Count(free_near.value()));
}

}  // namespace detail

}  // namespace trestle
