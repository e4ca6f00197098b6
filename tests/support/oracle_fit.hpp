// SPDX-License-Identifier: Apache-2.0
// The question of fit() answered without thinking: every way to give devices and places on sliced
// devices to demands times every set of cores, compared by the order at fit(), word by word. For
// nodes of at most 16 cores and a handful of devices. Shares with the library its value types,
// core_groups, widen, domains_near, is_usable, mismatch and what a sliced device can still give.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "alloc/node/device_match.hpp"
#include "alloc/node/slice_space.hpp"
#include "support/oracle_common.hpp"
#include "support/oracle_mixed_cores.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_options.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/alloc/node/slices.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

class FitOracle : private OracleMixedCores {
  public:
    using OracleMixedCores::OracleMixedCores;

    [[nodiscard]] std::optional<NodePlacement> best() {
        auto placement = best_as_dealt();
        if (placement || !may_straddle()) return placement;
        return FitOracle(shape_, ledger_, in_block(), options_).best_as_dealt();
    }

  private:
    [[nodiscard]] std::optional<NodePlacement> best_as_dealt() {
        if (demand_.threads_per_core.value() > threads_max_) return std::nullopt;
        if (wants_all()) {
            return ledger_.is_idle() ? best_of(ledger_.free_cores(), std::nullopt) : std::nullopt;
        }
        if (options_.rows <= 1) return best_of(ledger_.free_cores(), std::nullopt);
        for (std::uint32_t row = 0; row < options_.rows; ++row) {
            auto placement = best_of(ledger_.free_cores(row), row);
            if (placement) return placement;
        }
        return std::nullopt;
    }

    /// A feasible answer; less is better, first member first.
    struct Answer {
        std::vector<std::int64_t> counts;  ///< by demand, negative where most are preferred
        std::int64_t warned = 0;
        std::int64_t others = 0;  ///< cores of another kind than is preferred
        std::int64_t cpus = 0;    ///< of the cores, where these differ
        std::int64_t unserved = 0;
        std::int64_t lacking = 0;
        std::int64_t uneven = 0;
        std::int64_t far_pairs = 0;
        std::vector<std::int64_t> minus_split;
        std::int64_t far_devices = 0;
        Bytes far_memory;
        std::int64_t groups = 0;
        std::int64_t opened = 0;
        std::int64_t slice_changes = 0;
        SlicePotential lost_potential;
        std::int64_t minus_links = 0;
        std::int64_t minus_weakest = 0;
        std::int64_t minus_remaining = 0;
        std::vector<std::uint32_t> devices;  ///< rising, each once
        std::vector<std::uint32_t> cores;    ///< rising
        std::vector<std::vector<std::uint32_t>> by_demand;
        std::vector<std::pair<std::uint32_t, Slicing::Instance>> instances;  ///< by device, start
        Bytes memory;
        std::vector<Entry> entries;

        [[nodiscard]] auto order() const {
            return std::tie(counts, warned, others, cpus, unserved, lacking, far_pairs, far_devices,
                            far_memory, groups, opened, slice_changes, lost_potential, minus_links,
                            minus_weakest, minus_remaining, devices, cores, by_demand, instances);
        }
        /// Of the best cores of each mix, where cores differ.
        [[nodiscard]] auto order_of_mixes() const {
            return std::tie(others, cpus, unserved, lacking, uneven, far_pairs, far_memory, groups,
                            cores);
        }
        /// Of the cores for the same devices.
        [[nodiscard]] auto order_of_cores() const {
            return std::tie(others, cpus, unserved, lacking, uneven, far_pairs, minus_split,
                            far_memory, groups, cores);
        }
    };

    [[nodiscard]] std::optional<NodePlacement> best_of(const CoreSet& free,
                                                       std::optional<std::uint32_t> row) {
        free_ = mask_of(free);
        best_.reset();
        entries_.clear();
        if (!has_sockets()) return std::nullopt;
        give_devices(0);
        if (!best_) return std::nullopt;
        NodePlacement placement = placement_of(*best_);
        placement.row = row;
        return placement;
    }

    // Devices: each answers nobody, one demand uncut, or any demands by instances.

    void give_devices(std::uint32_t i) {
        if (i == shape_.devices.size()) return try_pick();
        give_devices(i + 1);
        for (std::size_t d = 0; d < demand_.devices.size(); ++d) {
            if (!request(d).slice.empty() || !may_answer(i, d) || !may_be_given_uncut(i, d)) {
                continue;
            }
            entries_.push_back({i, d, shares_for(i, d), std::nullopt});
            if (!is_too_many(d)) give_devices(i + 1);
            entries_.pop_back();
        }
        if (device(i).slicing) give_slices(i, 0, 0);
    }

    [[nodiscard]] bool may_answer(std::uint32_t i, std::size_t d) const {
        if (!is_usable(device(i)) || mismatch(device(i), request(d))) return false;
        const bool is_warned = device(i).health == Health::warning;
        if (is_warned && options_.warning == FitOptions::WarningUse::never) return false;
        const bool has_package = !device(i).cores.is_empty() || packages_.size() == 1;
        return demand_.devices[d].sockets.is_zero() || has_package;
    }

    /// Of each device; of all together, one is given at first.
    [[nodiscard]] Count shares_for(std::uint32_t i, std::size_t d) const {
        if (request(d).shares.is_zero()) return device(i).shares;
        return asks_node_shares(d) ? Count(1) : request(d).shares;
    }

    [[nodiscard]] bool may_be_given_uncut(std::uint32_t i, std::size_t d) const {
        const auto& slicing = device(i).slicing;
        if (slicing && slicing->is_fixed && !slicing->instances.empty()) return false;
        return ledger_.held_slices(DeviceId(i)).empty() &&
               ledger_.free_shares(DeviceId(i)) >= shares_for(i, d);
    }

    [[nodiscard]] bool is_too_many(std::size_t d) const {
        const auto count = std::count_if(entries_.begin(), entries_.end(),
                                         [&](const Entry& entry) { return entry.demand == d; });
        const auto most = demand_.devices[d].count.max;
        return most && count > most->value();
    }

    /// Instances of device i for demands from d on; those of one demand by start, from `start` on.
    void give_slices(std::uint32_t i, std::size_t d, std::uint32_t start) {
        for (; d < demand_.devices.size(); ++d, start = 0) {
            const SliceGeometry::Profile* profile =
                device(i).slicing->geometry.find(request(d).slice);
            if (request(d).slice.empty() || profile == nullptr || !may_answer(i, d)) continue;
            for (const std::uint32_t at : profile->starts) {
                if (at < start) continue;
                const Slicing::Instance instance{at, profile->memory_slices, profile->name};
                if (!may_be_cut(i, instance)) continue;
                entries_.push_back({i, d, Count(1), instance});
                if (!is_too_many(d)) {
                    give_devices(i + 1);
                    give_slices(i, d, at + 1);
                }
                entries_.pop_back();
            }
        }
    }

    /// What lies on device i already, held or in entries_.
    [[nodiscard]] std::vector<Slicing::Instance> cut_of(std::uint32_t i) const {
        std::vector<Slicing::Instance> all = ledger_.held_slices(DeviceId(i));
        for (const Entry& entry : entries_) {
            if (entry.device == i && entry.slice) all.push_back(*entry.slice);
        }
        return all;
    }

    /// True when `one` can lie beside `others`: no memory slice twice, no more compute slices than
    /// there are, no more of a profile than allowed.
    [[nodiscard]] static bool is_beside(const SliceGeometry& geometry, const Slicing::Instance& one,
                                        const std::vector<Slicing::Instance>& others) {
        std::uint32_t compute = geometry.find(one.profile)->compute_slices;
        std::uint32_t alike = 1;
        for (const Slicing::Instance& other : others) {
            if (one.start < other.end() && other.start < one.end()) return false;
            compute += geometry.find(other.profile)->compute_slices;
            alike += other.profile == one.profile ? 1u : 0u;
        }
        return compute <= geometry.compute_slices &&
               alike <= geometry.find(one.profile)->instances_max;
    }

    [[nodiscard]] bool may_be_cut(std::uint32_t i, const Slicing::Instance& instance) const {
        const std::vector<Slicing::Instance> held = ledger_.held_slices(DeviceId(i));
        if (held.empty() && ledger_.free_shares(DeviceId(i)) != device(i).shares) return false;
        if (!is_beside(device(i).slicing->geometry, instance, cut_of(i))) return false;
        const std::vector<Slicing::Instance> idle = idle_beside(i, held);
        return !device(i).slicing->is_fixed ||
               std::find(idle.begin(), idle.end(), instance) != idle.end();
    }

    /// The instances that exist and can stay beside `others`: those with the fewest compute slices
    /// first, so that as many stay as can, then the lowest.
    [[nodiscard]] std::vector<Slicing::Instance> idle_beside(
        std::uint32_t i, std::vector<Slicing::Instance> others) const {
        const Slicing& slicing = *device(i).slicing;
        std::vector<Slicing::Instance> existing = slicing.instances;
        std::stable_sort(existing.begin(), existing.end(), [&](const auto& a, const auto& b) {
            return slicing.geometry.find(a.profile)->compute_slices <
                   slicing.geometry.find(b.profile)->compute_slices;
        });
        std::vector<Slicing::Instance> idle;
        for (const Slicing::Instance& one : existing) {
            if (!is_beside(slicing.geometry, one, others)) continue;
            others.push_back(one);
            idle.push_back(one);
        }
        return idle;
    }

    // A pick of devices: whether it will do, and what it is worth.

    void try_pick() {
        std::vector<std::pair<std::uint32_t, std::size_t>> chosen;
        for (const Entry& one : entries_) chosen.emplace_back(one.device, one.demand);
        if (!oracle_has_common(shape_, demand_, chosen)) return;
        Answer answer;
        answer.entries = entries_;
        answer.counts.resize(demand_.devices.size());
        answer.by_demand.resize(demand_.devices.size());
        for (std::size_t d = 0; d < demand_.devices.size(); ++d) {
            if (!has_right_count(d) || !has_total_memory(d) || !fill_shares(answer.entries, d) ||
                !has_switches(d)) {
                return;
            }
        }
        score(answer);
        score_links(answer);
        score_slices(answer);
        try_cores(answer);
    }

    [[nodiscard]] bool has_right_count(std::size_t d) const {
        std::int64_t count = 0;
        std::map<std::size_t, std::int64_t> by_package;
        for (const Entry& entry : entries_) {
            if (entry.demand != d) continue;
            ++count;
            ++by_package[package_of(entry.device)];
        }
        if (!demand_.devices[d].count.contains(Count(count))) return false;
        if (demand_.devices[d].sockets.is_zero()) return true;
        if (static_cast<std::int64_t>(by_package.size()) != demand_.devices[d].sockets.value()) {
            return false;
        }
        return std::all_of(by_package.begin(), by_package.end(), [&](const auto& one) {
            return request(d).count.contains(Count(one.second));
        });
    }

    [[nodiscard]] std::size_t package_of(std::uint32_t i) const {
        const auto core = device(i).cores.first();
        for (std::size_t p = 0; core && p < packages_.size(); ++p) {
            if ((packages_[p] >> core->value() & 1) != 0) return p;
        }
        return 0;
    }

    [[nodiscard]] bool has_total_memory(std::size_t d) const {
        Bytes sum;
        for (const Entry& entry : entries_) {
            if (entry.demand != d) continue;
            const Device& one = device(entry.device);
            sum +=
                entry.slice ? one.slicing->geometry.find(entry.slice->profile)->memory : one.memory;
        }
        return request(d).total_memory.contains(sum);
    }

    /// Shares of all devices together: one of each, the others from the lowest device on.
    [[nodiscard]] bool fill_shares(std::vector<Entry>& entries, std::size_t d) const {
        if (!request(d).slice.empty() || !asks_node_shares(d)) return true;
        std::int64_t missing = request(d).shares.value();
        for (const Entry& entry : entries) missing -= entry.demand == d ? 1 : 0;
        if (missing < 0) return false;
        for (Entry& entry : entries) {
            if (entry.demand != d) continue;
            const std::int64_t free = ledger_.free_shares(DeviceId(entry.device)).value();
            const std::int64_t more = std::min(missing, free - 1);
            entry.shares += Count(more);
            missing -= more;
        }
        return missing == 0;
    }

    void score(Answer& answer) const {
        for (const Entry& entry : answer.entries) {
            const DeviceRequest& wanted = request(entry.demand);
            answer.counts[entry.demand] += wanted.prefer == DeviceRequest::Prefer::most ? -1 : 1;
            answer.by_demand[entry.demand].push_back(entry.device);
            if (options_.warning == FitOptions::WarningUse::last) {
                answer.warned += device(entry.device).health == Health::warning ? 1 : 0;
            }
            if (entry.demand > 0 && wanted.device_locality == Strictness::prefer) {
                answer.far_devices += shares_switch_before(entry) ? 0 : 1;
            }
            const bool is_new = answer.devices.empty() || answer.devices.back() != entry.device;
            if (is_new) answer.devices.push_back(entry.device);
            if (is_new && is_untouched(entry.device)) {
                const Device& one = device(entry.device);
                const bool is_partial = entry.slice || entry.shares < one.shares;
                answer.opened += is_partial && (one.shares > Count(1) || one.slicing) ? 1 : 0;
            }
            if (entry.slice) answer.instances.push_back({entry.device, *entry.slice});
        }
        std::sort(answer.instances.begin(), answer.instances.end());
    }

    [[nodiscard]] bool is_untouched(std::uint32_t i) const {
        return ledger_.free_shares(DeviceId(i)) == device(i).shares &&
               ledger_.held_slices(DeviceId(i)).empty();
    }

    void score_links(Answer& answer) const {
        const auto is_chosen = [&](DeviceId id) {
            return std::count(answer.devices.begin(), answer.devices.end(), id.value()) > 0;
        };
        const auto stays = [&](DeviceId id) {
            return is_usable(device(id.value())) && is_untouched(id.value()) && !is_chosen(id);
        };
        for (const DeviceLink& link : shape_.links) {
            if (is_chosen(link.a) && is_chosen(link.b)) answer.minus_links -= link.strength;
            if (stays(link.a) && stays(link.b)) answer.minus_remaining -= link.strength;
        }
        std::optional<std::int64_t> weakest;
        for (const std::uint32_t a : answer.devices) {
            for (const std::uint32_t b : answer.devices) {
                if (a >= b || device(a).name != device(b).name) continue;
                weakest = std::min(weakest.value_or(link_of(a, b)), link_of(a, b));
            }
        }
        answer.minus_weakest = -weakest.value_or(0);
    }

    [[nodiscard]] std::int64_t link_of(std::uint32_t a, std::uint32_t b) const {
        for (const DeviceLink& link : shape_.links) {
            if (link.a.value() == a && link.b.value() == b) return link.strength;
        }
        return 0;
    }

    void score_slices(Answer& answer) const {
        for (const std::uint32_t i : answer.devices) {
            const std::vector<Slicing::Instance> held = ledger_.held_slices(DeviceId(i));
            const std::vector<Slicing::Instance> cut = cut_of(i);
            if (cut.size() == held.size()) continue;
            const std::vector<Slicing::Instance> idle = idle_beside(i, held);
            std::int64_t reused = 0;
            for (const Entry& entry : entries_) {
                if (entry.device != i) continue;
                const auto at = std::find(idle.begin(), idle.end(), *entry.slice);
                (at != idle.end() ? reused : answer.slice_changes) += 1;
            }
            const auto staying = static_cast<std::int64_t>(idle_beside(i, cut).size());
            answer.slice_changes += static_cast<std::int64_t>(idle.size()) - reused - staying;
            answer.lost_potential += slice_potential(*device(i).slicing, held);
            answer.lost_potential -= slice_potential(*device(i).slicing, cut);
        }
    }

    // Cores: every set of the right size.

    void try_cores(Answer& answer) {
        best_of_pick_.reset();
        try_all_cores(answer);
        if (!best_of_pick_) return;
        if (!best_ || best_of_pick_->order() < best_->order()) best_ = best_of_pick_;
    }

    void try_all_cores(Answer& answer) {
        Mask required = 0;
        bool is_required = false;
        for (const Entry& entry : entries_) {
            if (request(entry.demand).locality != Strictness::require) continue;
            is_required = true;
            required |= near(entry);
        }
        if (!is_required) required = ~Mask{0};
        std::int64_t least = std::max(cores_for_tasks(), cores_for_devices());
        if (wants_all()) {
            Mask all = free_;
            for (auto n = demand_.system_cores.value(); n > 0 && all != 0; --n) {
                all &= ~std::bit_floor(all);
            }
            std::int64_t asked = least * cpus_per_core_;
            if (is_mixed_) {
                asked = std::max(demand_.cpus().value(),
                                 demand_.cpus_per_device.value() * coupled_entries());
            }
            const bool has_enough =
                is_mixed_ ? is_enough(all, {}, all) : size_of(all & wanted_) >= least;
            const MilliCpu spare = saturating_sub(cpus(threads_of(all)), cpus(asked));
            if (has_enough && has_tasks_of_packages(all) && demand_.all_milli_cpus() <= spare)
                try_answer(answer, all, all);
            return;
        }
        std::optional<Answer> best;
        for (const Mask place : places_to_deal()) {
            best_of_pick_.reset();
            const Mask allowed = allowed_cores() & required & wanted_ & place;
            is_mixed_ ? try_mixed(answer, allowed) : try_alike(answer, allowed, least);
            const bool is_better = best_of_pick_ && (!best || best_of_pick_->order_of_mixes() <
                                                                  best->order_of_mixes());
            if (is_better) best = best_of_pick_;
        }
        best_of_pick_ = best;
    }

    /// Every set of the right size.
    void try_alike(Answer& answer, Mask allowed, std::int64_t least) {
        if (least > 0) least = fewest_near(allowed, least);
        std::vector<std::int64_t> dealt;
        if (is_dealt()) {
            auto counts = deal(allowed);
            if (!counts) return;
            dealt = *std::move(counts);
        }
        const auto cores = shape_.hardware.core_count();
        for (Mask mask = 0; mask >> cores == 0; ++mask) {
            if ((mask & ~allowed) != 0) continue;
            if (is_dealt() ? !is_as_dealt(mask, dealt) : size_of(mask) != least) continue;
            if (!leaves_milli_cpus(mask)) continue;
            try_answer(answer, mask, allowed);
        }
    }

    /// Every set with enough: the best of each mix of cores, then the best of these.
    void try_mixed(Answer& answer, Mask allowed) {
        const auto tasks_on = deal_tasks(allowed);
        if (!tasks_on) return;
        std::map<std::vector<std::int64_t>, std::vector<Mask>> mixes;
        for (Mask mask = 0; mask >> shape_.hardware.core_count() == 0; ++mask) {
            if ((mask & ~allowed) != 0 || !is_enough(mask, *tasks_on, allowed)) continue;
            if (deals_cores_ && !is_dealt_in_turn(mask, allowed)) continue;
            if (leaves_milli_cpus(mask)) mixes[mix_of(mask)].push_back(mask);
        }
        std::optional<Answer> best;
        for (const auto& [mix, masks] : mixes) {
            best_of_pick_.reset();
            for (const Mask mask : masks) {
                answer.others = size_of(mask & other_kind_);
                answer.cpus = cpus_of(mask);
                try_answer(answer, mask, allowed);
            }
            const bool is_better = best_of_pick_ && (!best || best_of_pick_->order_of_mixes() <
                                                                  best->order_of_mixes());
            if (is_better) best = best_of_pick_;
        }
        best_of_pick_ = best;
    }

    /// How many cores lie near to the same devices, of each part where tasks are dealt out and of
    /// each kind where cores differ, in the order of the lowest core that could be taken there.
    [[nodiscard]] std::vector<std::int64_t> split_of(Mask cores, Mask allowed,
                                                     const std::map<Mask, Zone>& zones) const {
        const std::size_t least = is_mixed_ || is_dealt() ? 1 : 2;
        if (zones.size() < least) return {};
        std::vector<std::vector<std::int64_t>> seen;
        std::vector<std::int64_t> split;
        for (std::uint32_t i = 0; allowed >> i != 0; ++i) {
            if ((allowed >> i & 1) == 0) continue;
            std::vector<std::int64_t> place;
            for (const auto& [zone, needs] : zones) place.push_back(zone >> i & 1);
            for (const Mask part : parts_) place.push_back(part >> i & 1);
            for (const Mask group : task_groups_) place.push_back(group >> i & 1);
            if (is_mixed_) {
                place.push_back(cpus_of(Mask{1} << i));
                place.push_back(is_of_other_kind(i) ? 1 : 0);
            }
            const auto at = std::find(seen.begin(), seen.end(), place) - seen.begin();
            if (at == static_cast<std::ptrdiff_t>(seen.size())) {
                seen.push_back(place);
                split.push_back(0);
            }
            split[static_cast<std::size_t>(at)] += (cores >> i & 1) != 0 ? 1 : 0;
        }
        return split;
    }

    /// What the cores are to the devices; false when they are not what is required.
    [[nodiscard]] bool set_near(Answer& answer, Mask cores, Mask allowed) const {
        answer.unserved = 0;
        answer.lacking = 0;
        answer.uneven = 0;
        answer.far_pairs = 0;
        answer.minus_split.clear();
        if (cores == 0) return true;
        if (!serves_required(cores, allowed)) return false;
        const std::map<Mask, Zone> zones = zones_within(allowed);
        std::int64_t devices = 0;
        for (const auto& [near, zone] : zones) devices += zone.devices;
        for (const auto& [near, zone] : zones) {
            const std::int64_t here = size_of(cores & near);
            const std::int64_t share = zone.devices * size_of(cores) / devices;
            const std::int64_t counted =
                is_mixed_ ? cpus_of(cores & near) : size_of(cores & near & wanted_);
            answer.unserved += here == 0 ? zone.devices : 0;
            answer.lacking += std::max<std::int64_t>(0, zone.least - counted);
            answer.uneven += std::max<std::int64_t>(0, share - here);
            answer.far_pairs += zone.devices * (size_of(cores) - here);
        }
        answer.minus_split = split_of(cores, allowed, zones);
        for (std::int64_t& one : answer.minus_split) one = -one;
        return true;
    }

    /// `allowed`: the cores that could be taken.
    void try_answer(Answer& answer, Mask cores, Mask allowed) {
        answer.groups = std::count_if(core_groups_.begin(), core_groups_.end(),
                                      [&](Mask group) { return (group & cores) != 0; });
        if (demand_.core_locality == Strictness::require && answer.groups > 1) return;
        if (demand_.core_locality == Strictness::ignore) answer.groups = 0;
        if (!set_near(answer, cores, allowed)) return;
        if (!set_memory(answer, cores)) return;
        answer.cores.clear();
        for (std::uint32_t i = 0; cores >> i != 0; ++i) {
            if ((cores >> i & 1) != 0) answer.cores.push_back(i);
        }
        if (!best_of_pick_ || answer.order_of_cores() < best_of_pick_->order_of_cores()) {
            best_of_pick_ = answer;
        }
    }

    // Memory: all ordinary domains, the near ones first.

    /// How much memory, and how much of it comes from far away; false when there is not enough.
    [[nodiscard]] bool set_memory(Answer& answer, Mask cores) const {
        std::int64_t factor = 1;
        if (demand_.memory_per == Per::cpu) {
            factor = is_mixed_ ? cpus_of(cores) : size_of(cores) * cpus_per_core_;
            if (wants_all()) factor = all_cpus_of(cores);
        }
        if (demand_.memory_per == Per::device) factor = coupled_entries();
        answer.memory = demand_.memory * factor;
        answer.far_memory = Bytes();
        if (answer.memory.is_zero()) return true;
        const bool is_near_to_all = cores == 0;
        const DomainSet near = near_domains(cores);
        Bytes at_hand;
        Bytes all;
        for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
            if (!shape_.memory[i].is_ordinary()) continue;
            all += ledger_.free_memory(DomainId(i));
            if (near.contains(DomainId(i))) at_hand += ledger_.free_memory(DomainId(i));
        }
        if (all < answer.memory) return false;
        if (demand_.memory_locality == Strictness::ignore || is_near_to_all) return true;
        answer.far_memory = saturating_sub(answer.memory, at_hand);
        return demand_.memory_locality == Strictness::prefer || answer.far_memory.is_zero();
    }

    [[nodiscard]] NodePlacement placement_of(const Answer& answer) const {
        NodePlacement placement;
        placement.tasks = demand_.tasks;
        placement.threads_per_core = demand_.threads_per_core;
        if (!wants_all()) placement.milli_cpus = demand_.all_milli_cpus();
        for (const std::uint32_t core : answer.cores) placement.cores.insert(CoreId(core));
        placement.memory = take_memory(near_domains(mask_of(placement.cores)), answer.memory);
        for (const Entry& entry : answer.entries) {
            placement.devices.push_back({DeviceId(entry.device), entry.shares, entry.slice});
        }
        std::sort(placement.devices.begin(), placement.devices.end(),
                  [](const DeviceShare& a, const DeviceShare& b) {
                      return std::tie(a.device, a.slice) < std::tie(b.device, b.slice);
                  });
        return placement;
    }

    std::optional<Answer> best_;
    std::optional<Answer> best_of_pick_;
};

/// The best placement under the order at fit(), or nothing when there is none.
[[nodiscard]] inline std::optional<NodePlacement> oracle_fit(const NodeShape& shape,
                                                             const NodeLedger& ledger,
                                                             const NodeDemand& demand,
                                                             const FitOptions& options = {}) {
    return FitOracle(shape, ledger, demand, options).best();
}

}  // namespace trestle
