// SPDX-License-Identifier: Apache-2.0
// What the oracle of fit() is asked, in plain words: how many cores, which of them may be given,
// how tasks are dealt out to packages, where memory comes from. For nodes of at most 16 cores.
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
        core_groups_ = masks_of(core_groups(shape, demand.core_level));
        if (demand.memory_level) memory_groups_ = core_groups(shape, *demand.memory_level);
        for (const Device& device : shape.devices) {
            reserved_.push_back(mask_of(device.reserved_cores));
        }
        for (const DeviceDemand& one : demand.devices) {
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
        const auto cores_of = [&](const std::optional<CoreKind>& kind) {
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
        BoxedOptional<SliceInstance> slice;
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
    [[nodiscard]] bool wants_all() const { return demand_.exclusivity == Exclusivity::whole_node; }
    [[nodiscard]] bool is_dealt() const {
        return !wants_all() &&
               (demand_.distribution != Distribution::block || !demand_.tasks_per_socket.is_zero());
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
        bool is_required = false;
        std::int64_t least = 0;  ///< cores that come with the devices; CPUs where cores differ
        std::int64_t least_required = 0;
    };

    /// By their cores. `allowed`: all that could be taken.
    [[nodiscard]] std::map<Mask, Zone> zones_within(Mask allowed) const {
        std::map<Mask, Zone> zones;
        for (const Entry& entry : entries_) {
            const Strictness wish = request(entry.demand).locality;
            if (wish == Strictness::ignore || (allowed & ~near(entry)) == 0) continue;
            Zone& zone = zones[near(entry)];
            ++zone.devices;
            zone.is_required = zone.is_required || wish == Strictness::require;
        }
        for (auto& [cores, zone] : zones) {
            zone.least = cores_with(cores, false);
            zone.least_required = cores_with(cores, true);
        }
        return zones;
    }

    /// Cores for the CPUs that come with the devices of a zone: by cpus_per_device, or with tasks
    /// of which each has devices of its own.
    [[nodiscard]] std::int64_t cores_with(Mask zone, bool of_required) const {
        std::int64_t coupled = 0;
        std::vector<std::int64_t> of_demand(demand_.devices.size());
        std::vector<std::int64_t> here(demand_.devices.size());
        for (const Entry& entry : entries_) {
            ++of_demand[entry.demand];
            const Strictness wish = request(entry.demand).locality;
            if (near(entry) != zone || wish == Strictness::ignore) continue;
            if (of_required && wish != Strictness::require) continue;
            ++here[entry.demand];
            if (request(entry.demand).name == request(0).name) ++coupled;
        }
        std::int64_t cpus = coupled * demand_.cpus_per_device.value();
        for (std::size_t d = 0; d < here.size(); ++d) {
            if (request(d).per != Per::task || here[d] == 0) continue;
            cpus = std::max(cpus, here[d] * (demand_.cpus().value() / of_demand[d]));
        }
        return is_mixed_ ? cpus : ceil_div(cpus, cpus_per_core_);
    }

    /// The fewest cores with which all devices that are required near have theirs, where no core is
    /// near to devices of two places.
    [[nodiscard]] std::int64_t cores_for_places() const {
        Mask seen = 0;
        std::int64_t sum = 0;
        std::map<Mask, Zone> zones = zones_within(~Mask{0});
        for (const auto& [cores, zone] : zones) {
            if (!zone.is_required) continue;
            if ((seen & cores) != 0) return 0;
            seen |= cores;
            sum += std::max<std::int64_t>(1, zone.least_required);
        }
        return sum;
    }

    /// Packages far from the fewest devices first.
    [[nodiscard]] std::vector<std::size_t> deal_order() const {
        std::vector<std::pair<std::int64_t, std::size_t>> order;
        for (std::size_t p = 0; p < packages_.size(); ++p) {
            const auto far = std::count_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
                return request(e.demand).locality != Strictness::ignore &&
                       (near(e) & packages_[p]) == 0;
            });
            order.emplace_back(far, p);
        }
        std::sort(order.begin(), order.end());
        std::vector<std::size_t> packages;
        for (const auto& [far, p] : order) packages.push_back(p);
        return packages;
    }

    /// Deals `units` out, `turn` to each package in turn up to its limit; nothing when some remain.
    [[nodiscard]] static std::optional<std::vector<std::int64_t>> deal_out(
        std::int64_t units, std::int64_t turn, const std::vector<std::size_t>& order,
        const std::vector<std::int64_t>& limits) {
        std::vector<std::int64_t> given(limits.size());
        for (bool goes_on = true; units > 0 && goes_on;) {
            goes_on = false;
            for (const std::size_t p : order) {
                const std::int64_t part = std::min({turn, limits[p] - given[p], units});
                given[p] += part;
                units -= part;
                goes_on = goes_on || part > 0;
            }
        }
        if (units > 0) return std::nullopt;
        return given;
    }

    /// What each package gets first of tasks in a block: its part, by the devices that are near to
    /// it alone.
    [[nodiscard]] std::vector<std::int64_t> parts_of(
        std::int64_t tasks, const std::vector<std::int64_t>& limits) const {
        std::vector<std::int64_t> parts(packages_.size());
        std::int64_t all = 0;
        for (std::size_t p = 0; p < packages_.size(); ++p) {
            parts[p] = std::count_if(entries_.begin(), entries_.end(), [&](const Entry& e) {
                return request(e.demand).locality != Strictness::ignore &&
                       (near(e) & ~packages_[p]) == 0;
            });
            all += parts[p];
        }
        for (std::size_t p = 0; p < packages_.size(); ++p) {
            if (parts[p] > 0) parts[p] = std::min(limits[p], tasks * parts[p] / all);
        }
        return parts;
    }

    /// How many cores each package gives.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> deal(Mask allowed) const {
        const std::vector<std::size_t> order = deal_order();
        const std::int64_t tasks = demand_.tasks.value();
        const std::int64_t per_socket = demand_.tasks_per_socket.value();
        const std::int64_t most = per_socket == 0 ? tasks : std::min(tasks, per_socket);
        std::vector<std::int64_t> capacity;
        std::vector<std::int64_t> limits;  // tasks, or cores where these are dealt
        const bool deals_cores = demand_.distribution == Distribution::fcyclic;
        for (const Mask package : packages_) {
            capacity.push_back(size_of(allowed & package));
            std::int64_t limit = most;
            while (whole_cores_for(limit) > capacity.back()) --limit;
            if (deals_cores) {
                limit = per_socket == 0 ? capacity.back()
                                        : std::min(capacity.back(), whole_cores_for(per_socket));
            }
            limits.push_back(limit);
        }
        std::int64_t turn = 1;
        if (demand_.distribution == Distribution::block) turn = tasks;
        if (demand_.distribution == Distribution::plane) {
            turn = std::max<std::int64_t>(1, demand_.plane_size.value());
        }
        // Tasks without CPUs lie nowhere.
        std::int64_t units = deals_cores ? cores_for_tasks() : tasks;
        if (whole_cores_for(tasks) == 0) units = 0;
        std::vector<std::int64_t> parts(packages_.size());
        const bool is_block = demand_.distribution == Distribution::block;
        if (is_block && units > 0) parts = parts_of(tasks, limits);
        for (std::size_t p = 0; p < packages_.size(); ++p) {
            units -= parts[p];
            limits[p] -= parts[p];
        }
        auto given = deal_out(units, turn, order, limits);
        if (!given) return std::nullopt;
        for (std::size_t p = 0; p < packages_.size(); ++p) (*given)[p] += parts[p];
        std::int64_t sum = 0;
        for (std::size_t p = 0; p < packages_.size(); ++p) {
            if (!deals_cores) (*given)[p] = whole_cores_for((*given)[p]);
            sum += (*given)[p];
            capacity[p] -= (*given)[p];
        }
        const auto more =
            deal_out(std::max<std::int64_t>(0, cores_for_devices() - sum), 1, order, capacity);
        if (!more) return std::nullopt;
        for (std::size_t p = 0; p < packages_.size(); ++p) (*given)[p] += (*more)[p];
        return given;
    }

    [[nodiscard]] DomainSet near_domains(Mask cores) const {
        return domains_near(shape_, widen(memory_groups_, set_of(cores)));
    }

    /// Domain by domain: near before far (not when nearness is ignored), among the far ones the
    /// nearest to any near one, DRAM before fast memory, the lowest.
    [[nodiscard]] MemoryShares take_memory(const DomainSet& near, Bytes missing) const {
        std::vector<std::tuple<bool, std::uint32_t, bool, std::uint32_t>> order;
        for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
            if (!shape_.memory[i].is_ordinary()) continue;
            const bool is_far =
                demand_.memory_locality != Strictness::ignore && !near.contains(DomainId(i));
            std::uint32_t distance = is_far ? ~std::uint32_t{0} : 0;
            for (const DomainId from : near) {
                if (is_far) distance = std::min(distance, shape_.distance(from, DomainId(i)));
            }
            order.emplace_back(is_far, distance, shape_.memory[i].kind != MemoryKind::dram, i);
        }
        std::sort(order.begin(), order.end());
        MemoryShares shares;
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
    std::vector<Mask> core_groups_;
    std::vector<CoreSet> memory_groups_;   ///< empty when memory is near to single cores only
    std::vector<Mask> reserved_;           ///< by device
    std::vector<std::vector<Mask>> near_;  ///< by demand and device; 0: near to all
    Mask free_ = 0;
    std::vector<Entry> entries_;  ///< by device
};

}  // namespace trestle
