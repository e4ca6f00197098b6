// SPDX-License-Identifier: Apache-2.0
// What the oracle of fit() is asked, in plain words: how many cores, which of them may be given,
// how tasks are dealt out to parts of the node, where memory comes from. For nodes of at most 16
// cores.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "model/core_groups.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_options.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

class OracleQuestion {
  public:
    OracleQuestion(const NodeShape& shape, const NodeLedger& ledger, const NodeDemand& demand,
                   const FitOptions& options)
        : shape_(shape), ledger_(ledger), demand_(demand), options_(options) {
        set_cores();
        packages_ = masks_of(core_groups(shape, HardwareLevel::package));
        set_parts();
        core_groups_ = masks_of(core_groups(shape, demand.core_level));
        if (demand.memory_level) memory_groups_ = core_groups(shape, *demand.memory_level);
        for (const Device& device : shape.devices) {
            reserved_.push_back(mask_of(device.reserved_cores));
        }
        for (const NodeDemand::Device& one : demand.devices) {
            std::vector<CoreSet> groups;
            if (one.request.locality_level)
                groups = core_groups(shape, *one.request.locality_level);
            near_.emplace_back();
            for (const Device& device : shape.devices) {
                near_.back().push_back(mask_of(widen(groups, device.cores)));
            }
        }
    }

  protected:
    using Mask = std::uint32_t;  ///< cores as bits

    /// Which cores are wanted, and what they count.
    void set_cores() {
        const std::int64_t used = demand_.threads_per_core.value();
        const auto cores_of = [&](const std::optional<Core::Kind>& kind) {
            return kind ? mask_of(shape_.hardware.cores_of_kind(*kind)) : ~Mask{0};
        };
        const Mask required = cores_of(demand_.core_kind);
        const Mask preferred = cores_of(demand_.preferred_core_kind);
        for (const CoreId core : shape_.allocatable_cores()) {
            const std::int64_t threads = std::ssize(shape_.hardware.cores[core.value()].threads);
            threads_max_ = std::max(threads_max_, threads);
            const Mask bit = Mask{1} << core.value();
            if (threads < used || (required & bit) == 0) continue;
            wanted_ |= bit;
            if ((preferred & bit) == 0) other_kind_ |= bit;
            counts_[core.value()] = used > 0 ? used : threads;
        }
        cpus_per_core_ = used > 0 ? used : threads_max_;  // where no core is wanted
        for (const auto& [core, cpus] : counts_) {
            const auto& [first, first_cpus] = *counts_.begin();
            if (cpus != first_cpus || is_of_other_kind(core) != is_of_other_kind(first)) {
                is_mixed_ = true;
            }
            cpus_per_core_ = cpus;
        }
    }
    /// The groups of a level inside of each package, with the package. In turn: the first of each
    /// package, then the second of each, ...; otherwise package by package.
    [[nodiscard]] std::vector<std::pair<Mask, std::size_t>> parts_of(HardwareLevel level,
                                                                     bool in_turn) const {
        std::vector<std::tuple<std::size_t, std::size_t, std::size_t, Mask>> order;
        for (std::size_t p = 0; p < packages_.size(); ++p) {
            std::map<int, Mask> by_lowest;
            for (const Mask group : masks_of(core_groups(shape_, level))) {
                const Mask part = group & packages_[p];
                if (part != 0) by_lowest[std::countr_zero(part)] = part;
            }
            std::size_t number = 0;
            for (const auto& [lowest, part] : by_lowest) {
                order.emplace_back(in_turn ? number : 0, p, number, part);
                ++number;
            }
        }
        std::sort(order.begin(), order.end());
        std::vector<std::pair<Mask, std::size_t>> parts;
        for (const auto& [turn, p, number, part] : order) parts.emplace_back(part, p);
        return parts;
    }
    [[nodiscard]] static bool lies_in_one(Mask part, const std::vector<Mask>& groups) {
        return std::any_of(groups.begin(), groups.end(),
                           [&](Mask group) { return (part & ~group) == 0; });
    }
    /// What tasks are dealt to, and the groups of which one holds all cores of a task, where that
    /// does not hold anyway.
    void set_parts() {
        if (is_dealt()) {
            for (const auto& [part, package] : parts_of(
                     demand_.distribution_level, demand_.distribution != Distribution::block)) {
                parts_.push_back(part);
                package_of_part_.push_back(package);
            }
        }
        deals_cores_ = is_dealt() && demand_.distribution == Distribution::fcyclic &&
                       demand_.tasks_per_socket.is_zero();
        if (!demand_.task_level || may_lie_on_single_cores()) return;
        for (const auto& [group, package] : parts_of(*demand_.task_level, false)) {
            task_groups_.push_back(group);
            package_of_group_.push_back(package);
        }
        if (task_groups_.size() < 2) return task_groups_.clear();
        const auto lies_in_part = [&](Mask group) { return lies_in_one(group, parts_); };
        if (std::all_of(task_groups_.begin(), task_groups_.end(), lies_in_part)) {
            deals_cores_ = false;  // a task is dealt to its part whole
        }
        const bool is_given = is_dealt() && !deals_cores_ &&
                              std::all_of(parts_.begin(), parts_.end(), [&](Mask part) {
                                  return lies_in_one(part, task_groups_);
                              });
        if (is_given) return task_groups_.clear();
        is_mixed_ = true;  // in which group a core lies makes a difference
    }
    /// No task needs cores of its own of which there are several, or a part of one beside a whole
    /// one.
    [[nodiscard]] bool may_lie_on_single_cores() const {
        const std::int64_t each = demand_.cpus_per_task.value();
        if (each == 0) return true;
        const bool are_own = !demand_.tasks_per_core.is_zero() || (is_dealt() && !deals_cores_);
        return std::all_of(counts_.begin(), counts_.end(), [&](const auto& one) {
            return one.second >= each && (are_own || one.second % each == 0);
        });
    }
    [[nodiscard]] bool is_of_other_kind(std::uint32_t core) const {
        return (other_kind_ >> core & 1) != 0;
    }
    /// CPUs that the cores count, of those that are wanted.
    [[nodiscard]] std::int64_t cpus_of(Mask cores) const {
        std::int64_t sum = 0;
        for (const auto& [core, cpus] : counts_) sum += (cores >> core & 1) != 0 ? cpus : 0;
        return sum;
    }

    /// A device, or one instance of it, given to a demand.
    struct Entry {
        std::uint32_t device = 0;
        std::size_t demand = 0;
        Count shares;
        BoxedOptional<Slicing::Instance> slice;
    };

    [[nodiscard]] static Mask mask_of(const CoreSet& cores) {
        Mask mask = 0;
        for (const CoreId core : cores) mask |= Mask{1} << core.value();
        return mask;
    }
    [[nodiscard]] static std::vector<Mask> masks_of(const std::vector<CoreSet>& groups) {
        std::vector<Mask> masks;
        for (const CoreSet& group : groups) masks.push_back(mask_of(group));
        return masks;
    }
    [[nodiscard]] static CoreSet set_of(Mask mask) {
        CoreSet cores;
        for (std::uint32_t i = 0; mask >> i != 0; ++i) {
            if ((mask >> i & 1) != 0) cores.insert(CoreId(i));
        }
        return cores;
    }
    [[nodiscard]] static std::int64_t size_of(Mask mask) { return std::popcount(mask); }
    [[nodiscard]] static std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
        return (a + b - 1) / b;
    }

    [[nodiscard]] const Device& device(std::uint32_t i) const { return shape_.devices[i]; }
    [[nodiscard]] const DeviceRequest& request(std::size_t demand) const {
        return demand_.devices[demand].request;
    }
    /// CPUs of a job that has all of these cores, whichever it asked for.
    [[nodiscard]] std::int64_t all_cpus_of(Mask cores) const {
        NodePlacement all;
        all.threads_per_core = demand_.threads_per_core;
        for (std::uint32_t i = 0; cores >> i != 0; ++i) {
            if ((cores >> i & 1) != 0) all.cores.insert(CoreId(i));
        }
        return threads_of(shape_, all).count();
    }

    [[nodiscard]] bool wants_all() const { return demand_.exclusivity == Exclusivity::whole_node; }
    [[nodiscard]] bool is_dealt() const {
        return !wants_all() &&
               (demand_.distribution != Distribution::block || !demand_.tasks_per_socket.is_zero());
    }
    /// Cyclic tasks and planes that do not all lie inside of parts lie as tasks in a block.
    [[nodiscard]] bool may_straddle() const {
        return is_dealt() && demand_.tasks_per_socket.is_zero() &&
               demand_.distribution != Distribution::fcyclic;
    }
    [[nodiscard]] NodeDemand in_block() const {
        NodeDemand demand = demand_;
        demand.distribution = Distribution::block;
        return demand;
    }
    [[nodiscard]] bool asks_node_shares(std::size_t demand) const {
        return request(demand).shares_per == Per::node && !request(demand).shares.is_zero();
    }

    [[nodiscard]] bool has_sockets() const {
        const std::int64_t least = std::max<std::int64_t>(1, demand_.cores_per_socket.value());
        const auto fitting = std::count_if(packages_.begin(), packages_.end(), [&](Mask package) {
            return size_of(package & free_) >= least;
        });
        return fitting >= demand_.sockets_per_node.value();
    }

    [[nodiscard]] std::int64_t coupled_entries() const {
        return std::count_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
            return request(entry.demand).name == request(0).name;
        });
    }
    [[nodiscard]] std::int64_t cores_for_devices() const {
        return ceil_div(demand_.cpus_per_device.value() * coupled_entries(), cpus_per_core_);
    }

    /// Cores for tasks of which each keeps to cores of its own, or shares one core with others.
    [[nodiscard]] std::int64_t whole_cores_for(std::int64_t tasks) const {
        constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
        const std::int64_t cpus = demand_.cpus_per_task.value();
        const std::int64_t limit = demand_.tasks_per_core.value();
        const std::int64_t per_core =
            std::min(limit == 0 ? any : limit, cpus == 0 ? any : cpus_per_core_ / cpus);
        if (per_core == any) return 0;
        return per_core >= 1 ? ceil_div(tasks, per_core) : tasks * ceil_div(cpus, cpus_per_core_);
    }
    [[nodiscard]] std::int64_t cores_for_tasks() const {
        const std::int64_t tasks = demand_.tasks.value();
        if (!demand_.tasks_per_core.is_zero()) return whole_cores_for(tasks);
        return ceil_div(tasks * demand_.cpus_per_task.value(), cpus_per_core_);
    }

    [[nodiscard]] Mask allowed_cores() const {
        Mask allowed = free_;
        for (const Mask package : packages_) {
            if (size_of(package & free_) < demand_.cores_per_socket.value()) allowed &= ~package;
        }
        Mask reserved = 0;
        Mask unlocked = 0;
        for (const Mask cores : reserved_) reserved |= cores;
        for (const Entry& entry : entries_) unlocked |= reserved_[entry.device];
        return allowed & (~reserved | unlocked);
    }

    /// The cores that are near to the entry; all of them where it has no place.
    [[nodiscard]] Mask near(const Entry& entry) const {
        const Mask cores = near_[entry.demand][entry.device];
        return cores == 0 ? ~Mask{0} : cores;
    }

    /// Devices that want to be near the same cores.
    struct Zone {
        std::int64_t devices = 0;
        std::int64_t least = 0;  ///< cores that come with the devices; CPUs where cores differ
    };

    /// By their cores. `allowed`: all that could be taken.
    [[nodiscard]] std::map<Mask, Zone> zones_within(Mask allowed) const {
        std::map<Mask, Zone> zones;
        for (const Entry& entry : entries_) {
            const Strictness wish = request(entry.demand).locality;
            if (wish == Strictness::ignore || (allowed & ~near(entry)) == 0) continue;
            ++zones[near(entry)].devices;
        }
        for (const auto& [a, zone] : std::map(zones)) join_with_others(a, zones);
        for (auto& [cores, zone] : zones) zone.least = cores_with(cores);
        return zones;
    }

    /// Adds what overlaps, together: its cores serve the devices there once.
    static void join_with_others(Mask one, std::map<Mask, Zone>& zones) {
        for (const auto& [other, zone] : std::map(zones)) {
            const Mask both = one | other;
            if ((one & other) == 0 || zones.contains(both)) continue;
            zones[both];
            join_with_others(both, zones);
        }
    }

    /// Cores for the CPUs that come with the devices that are near to nothing else: by
    /// cpus_per_device, or with tasks of which each has devices of its own. None where these
    /// devices are near to a part of the zone.
    [[nodiscard]] std::int64_t cores_with(Mask zone) const {
        std::vector<std::int64_t> of_demand(demand_.devices.size());
        for (const Entry& entry : entries_) ++of_demand[entry.demand];
        const auto sum_of = [&](std::optional<std::size_t> demand) {
            Mask seen = 0;
            std::int64_t count = 0;
            for (const Entry& entry : entries_) {
                if (request(entry.demand).locality == Strictness::ignore) continue;
                if (near_[entry.demand][entry.device] == 0 || (near(entry) & ~zone) != 0) continue;
                const bool is_counted = demand ? entry.demand == *demand
                                               : request(entry.demand).name == request(0).name;
                if (!is_counted) continue;
                seen |= near(entry);
                ++count;
            }
            return seen == zone ? count : 0;
        };
        std::int64_t cpus = sum_of(std::nullopt) * demand_.cpus_per_device.value();
        for (std::size_t d = 0; d < demand_.devices.size(); ++d) {
            if (request(d).per != Per::task || of_demand[d] == 0) continue;
            cpus = std::max(cpus, sum_of(d) * (demand_.cpus().value() / of_demand[d]));
        }
        return is_mixed_ ? cpus : ceil_div(cpus, cpus_per_core_);
    }

    /// Each device that is required near has a core, and those that cpus_per_device is about have
    /// CPUs of their own: any of them together are near to as many as they need.
    [[nodiscard]] bool serves_required(Mask cores, Mask allowed) const {
        std::vector<std::pair<Mask, std::int64_t>> needs;
        for (const Entry& entry : entries_) {
            if (request(entry.demand).locality != Strictness::require) continue;
            if ((allowed & ~near(entry)) == 0) continue;
            if ((near(entry) & cores) == 0) return false;
            const bool is_counted = request(entry.demand).name == request(0).name;
            if (is_counted) needs.emplace_back(near(entry), demand_.cpus_per_device.value());
        }
        for (std::uint32_t some = 0; some >> needs.size() == 0; ++some) {
            Mask zone = 0;
            std::int64_t cpus = 0;
            for (std::size_t i = 0; i < needs.size(); ++i) {
                if ((some >> i & 1) == 0) continue;
                zone |= needs[i].first;
                cpus += needs[i].second;
            }
            if (cpus > cpus_of(cores & zone)) return false;
        }
        return true;
    }

    /// No fewer cores serve the devices that are required near; `least` where none do.
    [[nodiscard]] std::int64_t fewest_near(Mask allowed, std::int64_t least) const {
        std::optional<std::int64_t> fewest;
        for (Mask mask = allowed; mask != 0; mask = (mask - 1) & allowed) {
            if (size_of(mask) < least || !serves_required(mask, allowed)) continue;
            fewest = std::min(fewest.value_or(size_of(mask)), size_of(mask));
        }
        return fewest.value_or(least);
    }

    /// Parts far from the fewest devices first.
    [[nodiscard]] std::vector<std::size_t> deal_order() const {
        std::vector<std::pair<std::int64_t, std::size_t>> order;
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            const auto far = std::count_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
                return request(e.demand).locality != Strictness::ignore &&
                       (near(e) & parts_[p]) == 0;
            });
            order.emplace_back(far, p);
        }
        std::sort(order.begin(), order.end());
        std::vector<std::size_t> parts;
        for (const auto& [far, p] : order) parts.push_back(p);
        return parts;
    }

    /// What the parts of a package may get together: `most`, less what they have.
    [[nodiscard]] std::int64_t left_of(std::int64_t most, std::size_t part,
                                       const std::vector<std::int64_t>& given) const {
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            if (package_of_part_[p] == package_of_part_[part]) most -= given[p];
        }
        return most;
    }

    /// Deals `units` out, `turn` to each part in turn up to its limit and that of its package;
    /// nothing when some remain. `given`: what they have before.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> deal_out(
        std::int64_t units, std::int64_t turn, const std::vector<std::int64_t>& limits,
        const std::vector<std::int64_t>& of_package, std::vector<std::int64_t> given) const {
        for (bool goes_on = true; units > 0 && goes_on;) {
            goes_on = false;
            for (const std::size_t p : deal_order()) {
                const std::int64_t part =
                    std::min({turn, limits[p] - given[p], units,
                              left_of(of_package[package_of_part_[p]], p, given)});
                given[p] += part;
                units -= part;
                goes_on = goes_on || part > 0;
            }
        }
        if (units > 0) return std::nullopt;
        return given;
    }

    /// What each part gets first of tasks in a block: its share, by the devices that are near to it
    /// alone.
    [[nodiscard]] std::vector<std::int64_t> shares_of(std::int64_t tasks,
                                                      const std::vector<std::int64_t>& limits,
                                                      std::int64_t of_package) const {
        std::vector<std::int64_t> devices(parts_.size());
        std::int64_t all = 0;
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            devices[p] = std::count_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
                return request(e.demand).locality != Strictness::ignore &&
                       (near(e) & ~parts_[p]) == 0;
            });
            all += devices[p];
        }
        std::vector<std::int64_t> shares(parts_.size());
        for (const std::size_t p : deal_order()) {
            if (devices[p] == 0) continue;
            shares[p] =
                std::min({limits[p], tasks * devices[p] / all, left_of(of_package, p, shares)});
        }
        return shares;
    }

    /// How many tasks each part gets, of which it has room for so many.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> deal_tasks_out(
        std::int64_t tasks, const std::vector<std::int64_t>& limits) const {
        const std::int64_t per_socket =
            demand_.tasks_per_socket.is_zero() ? tasks : demand_.tasks_per_socket.value();
        const bool is_block = demand_.distribution == Distribution::block;
        std::vector<std::int64_t> shares(parts_.size());
        if (is_block && tasks > 0) shares = shares_of(tasks, limits, per_socket);
        std::int64_t turn = is_block ? tasks : 1;
        if (demand_.distribution == Distribution::plane) {
            turn = std::max<std::int64_t>(1, demand_.plane_size.value());
        }
        for (const std::int64_t share : shares) tasks -= share;
        const std::vector<std::int64_t> of_package(packages_.size(), per_socket);
        return deal_out(tasks, turn, limits, of_package, shares);
    }

    /// How many cores each part gives.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> deal(Mask allowed) const {
        constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
        const std::int64_t tasks = demand_.tasks.value();
        const std::vector<std::int64_t> nothing(parts_.size());
        std::vector<std::int64_t> capacity;
        std::vector<std::int64_t> limits;  // tasks
        for (const Mask part : parts_) {
            capacity.push_back(size_of(allowed & part));
            std::int64_t limit = tasks;
            while (whole_cores_for(limit) > capacity.back()) --limit;
            limits.push_back(limit);
        }
        // Tasks without CPUs lie nowhere.
        const bool lie_nowhere = whole_cores_for(tasks) == 0;
        std::optional<std::vector<std::int64_t>> given;
        if (deals_cores_) {
            given = deal_out(lie_nowhere ? 0 : cores_for_tasks(), 1, capacity,
                             std::vector<std::int64_t>(packages_.size(), any), nothing);
        } else {
            given = deal_tasks_out(lie_nowhere ? 0 : tasks, limits);
            for (std::size_t p = 0; given && p < parts_.size(); ++p) {
                (*given)[p] = whole_cores_for((*given)[p]);
            }
        }
        if (!given) return std::nullopt;
        std::int64_t missing = cores_for_devices();
        for (const std::int64_t one : *given) missing -= one;
        return deal_out(missing, 1, capacity, std::vector<std::int64_t>(packages_.size(), any),
                        *given);
    }

    /// Where tasks are dealt and all cores are to lie in one group of the core level, that is what
    /// is dealt to. Groups of single cores are left out.
    [[nodiscard]] std::vector<Mask> places_to_deal() const {
        const bool is_inside = is_dealt() && demand_.core_locality == Strictness::require &&
                               core_groups_.size() < shape_.hardware.cores.size();
        return is_inside ? core_groups_ : std::vector<Mask>{~Mask{0}};
    }

    [[nodiscard]] bool shares_switch_before(const Entry& entry) const {
        const auto& mine = device(entry.device).switches;
        return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& other) {
            if (other.demand >= entry.demand) return false;
            const auto& theirs = device(other.device).switches;
            return std::find_first_of(mine.begin(), mine.end(), theirs.begin(), theirs.end()) !=
                   mine.end();
        });
    }

    [[nodiscard]] bool has_switches(std::size_t d) const {
        if (d == 0 || request(d).device_locality != Strictness::require) return true;
        return std::all_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
            return entry.demand != d || shares_switch_before(entry);
        });
    }

    [[nodiscard]] DomainSet near_domains(Mask cores) const {
        return domains_near(shape_, widen(memory_groups_, set_of(cores)));
    }

    /// Domain by domain: near before far (not when nearness is ignored), among the far ones the
    /// nearest to any near one, DRAM before fast memory, the lowest.
    [[nodiscard]] SmallVector<MemoryShare> take_memory(const DomainSet& near, Bytes missing) const {
        std::vector<std::tuple<bool, std::uint32_t, bool, std::uint32_t>> order;
        for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
            if (!shape_.memory[i].is_ordinary()) continue;
            const bool is_far =
                demand_.memory_locality != Strictness::ignore && !near.contains(DomainId(i));
            std::uint32_t distance = is_far ? ~std::uint32_t{0} : 0;
            for (const DomainId from : near) {
                if (is_far) distance = std::min(distance, shape_.distance(from, DomainId(i)));
            }
            order.emplace_back(is_far, distance, shape_.memory[i].kind != MemoryDomain::Kind::dram,
                               i);
        }
        std::sort(order.begin(), order.end());
        SmallVector<MemoryShare> shares;
        for (const auto& entry : order) {
            const DomainId domain(std::get<3>(entry));
            const Bytes part = std::min(missing, ledger_.free_memory(domain));
            missing -= part;
            if (!part.is_zero()) shares.push_back({domain, part});
        }
        std::sort(shares.begin(), shares.end());
        return shares;
    }

    const NodeShape& shape_;
    const NodeLedger& ledger_;
    const NodeDemand& demand_;
    const FitOptions& options_;
    std::int64_t cpus_per_core_ = 1;  ///< where cores are alike
    std::int64_t threads_max_ = 1;    ///< of any core that is given
    Mask wanted_ = 0;
    Mask other_kind_ = 0;  ///< of the wanted ones, those that are not of the kind preferred
    std::map<std::uint32_t, std::int64_t> counts_;  ///< CPUs of the wanted cores
    bool is_mixed_ = false;
    std::vector<Mask> packages_;
    std::vector<Mask> parts_;  ///< that tasks are dealt to, in order
    std::vector<std::size_t> package_of_part_;
    std::vector<Mask> task_groups_;  ///< empty: a task may lie anywhere
    std::vector<std::size_t> package_of_group_;
    bool deals_cores_ = false;  ///< and not tasks
    std::vector<Mask> core_groups_;
    std::vector<CoreSet> memory_groups_;   ///< empty when memory is near to single cores only
    std::vector<Mask> reserved_;           ///< by device
    std::vector<std::vector<Mask>> near_;  ///< by demand and device; 0: near to all
    Mask free_ = 0;
    std::vector<Entry> entries_;  ///< by device
};

}  // namespace trestle
