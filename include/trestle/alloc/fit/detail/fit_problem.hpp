// SPDX-License-Identifier: Apache-2.0
#pragma once

// FitProblem: a demand on a shape, worked out as far as it goes without knowing what is in use.
//
// Layer: alloc, internal to fit. Main types: FitProblem, CoreCell, PlainDevice. Cores that no part
// of the demand can tell apart form a cell, devices that nothing tells apart form a class; the
// search counts members of these and never looks at single ones.
// A reader would get wrong: it keeps references to shape and demand, which have to outlive it.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "trestle/alloc/device_match.hpp"
#include "trestle/alloc/fit/demand.hpp"
#include "trestle/alloc/fit/fit_options.hpp"
#include "trestle/alloc/fit/free_state.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/request.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::detail {

/// The number of something that is not there.
inline constexpr std::uint32_t nowhere = ~std::uint32_t{0};

/// Cores that are alike for this demand.
struct CoreCell {
    CoreSet cores;
    DomainSet domains;          ///< near memory
    std::uint32_t package = 0;  ///< 0 where packages play no part
    std::uint32_t group = 0;    ///< of the demand's core level; 0 where groups play no part
    SmallSet<> zones;           ///< that it lies in
    DeviceSet reserved_by;      ///< only who gets one of these may have the cores; empty: anybody
};

/// A device that can answer a demand that is of sums.
struct PlainDevice {
    DeviceId id;
    Count shares;          ///< that are taken of it
    Count all_shares;      ///< that it has
    bool is_part = false;  ///< not all of them are taken
    bool is_last = false;  ///< only taken where others do not suffice
};

class FitProblem {
  public:
    FitProblem(const NodeShape& shape, const NodeDemand& demand, const FitOptions& options)
        : shape_(shape),
          demand_(demand),
          options_(options),
          cpus_per_core_(cpus_per_core(shape)),
          threads_(shape.hardware) {
        const std::int64_t wanted = demand.threads_per_core.value();
        has_threads_ = wanted <= cpus_per_core_;
        if (wanted > 0) cpus_per_core_ = wanted;
        packages_ = core_groups(shape, HardwareLevel::package);
        find_matches();
        find_zones();
        find_domains();
        find_cells();
        find_classes();
        is_plain_ = looks_plain();
        is_of_sums_ = is_plain_ || looks_of_sums();
        if (is_of_sums_) prepare_sums();
    }

    [[nodiscard]] const NodeShape& shape() const { return shape_; }
    [[nodiscard]] const NodeDemand& demand() const { return demand_; }
    [[nodiscard]] const FitOptions& options() const { return options_; }
    [[nodiscard]] std::int64_t cpus_each_core() const { return cpus_per_core_; }
    /// False when the cores have fewer threads than the demand wants of each.
    [[nodiscard]] bool has_threads() const { return has_threads_; }
    [[nodiscard]] const ThreadCounts& threads() const { return threads_; }
    [[nodiscard]] const std::vector<CoreSet>& packages() const { return packages_; }
    [[nodiscard]] const std::vector<CoreCell>& cells() const { return cells_; }
    /// Sets of cores near to devices, each once.
    [[nodiscard]] const std::vector<CoreSet>& zones() const { return zones_; }
    /// The cores that `device` is near to in the eyes of demand `i`; nowhere: to all alike.
    [[nodiscard]] std::uint32_t zone_of(std::size_t i, DeviceId device) const {
        return zone_of_[i][device.value()];
    }
    /// Devices that could answer demand `i` on an idle node, lowest first.
    [[nodiscard]] const std::vector<DeviceId>& matches(std::size_t i) const { return matches_[i]; }
    /// Devices of one class can change places in any answer.
    [[nodiscard]] std::uint32_t class_of(DeviceId device) const {
        return class_of_[device.value()];
    }
    /// The package that the device lies on; nowhere when that cannot be said.
    [[nodiscard]] std::uint32_t package_of(DeviceId device) const {
        const auto core = shape_.devices[device.value()].cores.first();
        if (!core) return packages_.size() == 1 ? 0 : nowhere;
        for (std::uint32_t i = 0; i < packages_.size(); ++i) {
            if (packages_[i].contains(*core)) return i;
        }
        return nowhere;
    }
    /// `cores` without the last ones, which a whole node leaves to the system.
    [[nodiscard]] CoreSet without_system_cores(const CoreSet& cores) const {
        const auto left = saturating_sub(Count(cores.count()), demand_.system_cores);
        return cores.first_k(static_cast<std::uint32_t>(left.value()));
    }
    /// `cores` without those of packages that have fewer of them than cores_per_socket.
    [[nodiscard]] CoreSet in_able_packages(const CoreSet& cores) const {
        CoreSet able = cores;
        for (const CoreSet& package : packages_) {
            if (package.count_and(cores) < demand_.cores_per_socket.value()) able -= package;
        }
        return able;
    }
    /// The ordinary memory domains near to one of `cores`, as far as the demand's level reaches.
    [[nodiscard]] DomainSet domains_near(const CoreSet& cores) const {
        DomainSet domains;
        for (std::uint32_t i = 0; i < near_domain_.size(); ++i) {
            if (near_domain_[i].intersects(cores)) domains.insert(DomainId(i));
        }
        return domains;
    }
    [[nodiscard]] bool has_links() const { return !shape_.links.empty(); }
    [[nodiscard]] std::uint32_t link(DeviceId a, DeviceId b) const {
        return links_[a.value() * shape_.devices.size() + b.value()];
    }
    /// True when devices of demand `i` are counted for cpus_per_device and memory per device.
    [[nodiscard]] bool counts_for_coupling(std::size_t i) const {
        return demand_.devices[i].request.name == demand_.devices[0].request.name;
    }

    /// True when no core is asked, and devices of one kind at most, of which only counts and shares
    /// matter: then there is nothing to search for.
    [[nodiscard]] bool is_plain() const { return is_plain_; }
    /// True when whether it fits follows from how much is free: of devices, cores, thousandths of
    /// CPUs and memory; see sums_tell(). All plain demands are so, and most others; of these the
    /// search knows which cores and devices are best.
    [[nodiscard]] bool is_of_sums() const { return is_of_sums_; }
    /// Of a demand of sums, here and below: the devices that could answer it on an idle node,
    /// lowest first.
    [[nodiscard]] const std::vector<PlainDevice>& plain_devices() const { return plain_devices_; }
    /// Those of them that have to be untouched, as untouched_devices() has them; nothing where a
    /// part of one is enough, or one has no place in the mask.
    [[nodiscard]] const std::optional<std::uint64_t>& whole_devices() const {
        return whole_devices_;
    }
    /// What is said where there are too few of them.
    [[nodiscard]] Constraint plain_refusal() const { return plain_refusal_; }
    /// Thousandths of CPUs for all tasks.
    [[nodiscard]] MilliCpu plain_milli_cpus() const { return plain_milli_cpus_; }
    /// Cores, and memory beside them.
    [[nodiscard]] std::int64_t sum_cores() const { return sum_cores_; }
    [[nodiscard]] Bytes sum_memory() const { return sum_memory_; }
    /// What is said where the node has too few free devices for demand `i`.
    [[nodiscard]] Constraint refusal_of_devices(std::size_t i) const {
        const DeviceDemand& demand = demand_.devices[i];
        std::int64_t named = 0;
        std::int64_t matching = 0;
        for (const Device& device : shape_.devices) {
            if (device.name != demand.request.name) continue;
            ++named;
            if (!mismatch(device, demand.request)) ++matching;
        }
        const bool lacks_kind = matching < demand.count.least().value() && matching < named;
        return lacks_kind ? Constraint::device_attributes : Constraint::devices;
    }
    /// Domains that memory is given from, DRAM before fast memory, then the lowest.
    [[nodiscard]] const std::vector<DomainId>& ordinary_domains() const {
        return ordinary_domains_;
    }

    /// True when the number of cores of each package follows from dealing out the tasks.
    [[nodiscard]] bool is_dealt() const {
        return demand_.exclusivity != Exclusivity::whole_node &&
               (demand_.distribution != Distribution::block || !demand_.tasks_per_socket.is_zero());
    }
    /// True when some device keeps cores for its owners.
    [[nodiscard]] bool has_reserved_cores() const {
        return std::any_of(shape_.devices.begin(), shape_.devices.end(),
                           [](const Device& device) { return !device.reserved_cores.is_empty(); });
    }
    /// True when groups of the core level are worth counting.
    [[nodiscard]] bool has_groups() const { return has_groups_; }
    /// True when each core is a group of its own.
    [[nodiscard]] bool has_core_groups() const { return has_core_groups_; }
    /// True when no group has cores with different near memory.
    [[nodiscard]] bool groups_share_memory() const { return groups_share_memory_; }
    /// True when no group has cores of two packages. Known only where tasks are dealt.
    [[nodiscard]] bool groups_stay_in_package() const { return groups_stay_in_package_; }

    [[nodiscard]] std::int64_t cores_for_cpus(Count cpus) const {
        return div_ceil(cpus, cpus_per_core_).value();
    }
    /// Cores for the tasks alone; a deal may take more.
    [[nodiscard]] std::int64_t cores_least() const {
        const bool deals_tasks = is_dealt() && demand_.distribution != Distribution::fcyclic;
        return deals_tasks ? whole_cores_for(demand_.tasks.value()) : cores_for_tasks();
    }
    /// Cores for the tasks where no task need stay on one package.
    [[nodiscard]] std::int64_t cores_for_tasks() const {
        if (demand_.tasks_per_core.is_zero()) return cores_for_cpus(demand_.cpus());
        return whole_cores_for(demand_.tasks.value());
    }
    /// Cores for `tasks` of which each has its CPUs on cores of its own, or beside others that fit
    /// on one core. The largest number where they are more.
    [[nodiscard]] std::int64_t whole_cores_for(std::int64_t tasks) const {
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        const std::int64_t cpus = demand_.cpus_per_task.value();
        const std::int64_t by_cpus = cpus == 0 ? most : cpus_per_core_ / cpus;
        const std::int64_t by_tasks =
            demand_.tasks_per_core.is_zero() ? most : demand_.tasks_per_core.value();
        const std::int64_t each = std::min(by_cpus, by_tasks);
        if (each == most) return 0;
        if (each >= 1) return tasks / each + (tasks % each != 0 ? 1 : 0);
        return checked_mul(Count(cores_for_cpus(demand_.cpus_per_task)), tasks)
            .value_or(Count::max())
            .value();
    }

  private:
    [[nodiscard]] bool is_match(DeviceId id, const DeviceDemand& demand) const {
        const Device& device = shape_.devices[id.value()];
        const DeviceRequest& request = demand.request;
        if (!is_usable(device) || mismatch(device, request)) return false;
        const bool is_warned = device.health == Health::warning;
        if (is_warned && options_.warning == WarningUse::never) return false;
        if (!demand.sockets.is_zero() && package_of(id) == nowhere) return false;
        if (!request.slice.empty()) {
            return device.slicing && device.slicing->geometry.find(request.slice) != nullptr;
        }
        return !device.slicing || !device.slicing->is_fixed || device.slicing->instances.empty();
    }

    void find_matches() {
        matches_.resize(demand_.devices.size());
        for (std::size_t i = 0; i < matches_.size(); ++i) {
            for (std::uint32_t d = 0; d < shape_.devices.size(); ++d) {
                if (is_match(DeviceId(d), demand_.devices[i])) matches_[i].emplace_back(d);
            }
        }
    }

    void find_zones() {
        zone_of_.resize(demand_.devices.size());
        for (std::size_t i = 0; i < zone_of_.size(); ++i) {
            zone_of_[i].assign(shape_.devices.size(), nowhere);
            const DeviceRequest& request = demand_.devices[i].request;
            if (request.locality == Locality::ignore) continue;
            std::vector<CoreSet> groups;
            if (request.locality_level) groups = core_groups(shape_, *request.locality_level);
            for (const DeviceId id : matches_[i]) {
                const CoreSet& cores = shape_.devices[id.value()].cores;
                if (cores.is_empty()) continue;
                const CoreSet near = widen(groups, cores);
                const auto at = std::find(zones_.begin(), zones_.end(), near);
                zone_of_[i][id.value()] = static_cast<std::uint32_t>(at - zones_.begin());
                if (at == zones_.end()) zones_.push_back(near);
            }
        }
    }

    void find_domains() {
        for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
            if (is_ordinary(shape_.memory[i])) ordinary_domains_.emplace_back(i);
        }
        std::stable_sort(ordinary_domains_.begin(), ordinary_domains_.end(),
                         [&](DomainId a, DomainId b) {
                             return shape_.memory[a.value()].kind < shape_.memory[b.value()].kind;
                         });
    }

    [[nodiscard]] bool looks_plain() const {
        const bool asks_cores =
            !demand_.cpus_per_task.is_zero() || !demand_.tasks_per_core.is_zero() ||
            !demand_.cpus_per_device.is_zero() || demand_.exclusivity == Exclusivity::whole_node;
        const bool asks_packages = !demand_.sockets_per_node.is_zero() || !has_threads_;
        if (asks_cores || asks_packages || options_.rows > 1) return false;
        if (demand_.memory_per != Per::node || demand_.devices.size() > 1) return false;
        return std::all_of(demand_.devices.begin(), demand_.devices.end(),
                           [&](const DeviceDemand& one) {
                               const bool is_sum = one.request.shares_per == Per::node;
                               return !has_links() && !is_sum && one.request.slice.empty() &&
                                      one.request.total_memory.is_open() && one.sockets.is_zero();
                           });
    }

    /// For demands that are not plain. Nothing is required but amounts, none of them depends on
    /// which devices are taken, and a search always finds where.
    [[nodiscard]] bool looks_of_sums() const {
        const bool is_whole = demand_.exclusivity == Exclusivity::whole_node;
        const bool asks_packages = !demand_.sockets_per_node.is_zero() ||
                                   !demand_.cores_per_socket.is_zero() || is_dealt();
        const bool asks_nearness = demand_.core_locality == Locality::require ||
                                   demand_.memory_locality == Locality::require;
        const bool is_coupled =
            !demand_.cpus_per_device.is_zero() || demand_.memory_per == Per::device;
        if (is_whole || !has_threads_ || asks_packages || asks_nearness || is_coupled) return false;
        if (options_.rows > 1 || has_reserved_cores() || !demand_.milli_cpus.is_zero())
            return false;
        if (demand_.devices.size() > 1 || !has_time()) return false;
        return std::all_of(
            demand_.devices.begin(), demand_.devices.end(), [](const DeviceDemand& one) {
                const DeviceRequest& request = one.request;
                const bool has_count = !one.count.max || *one.count.max >= one.count.least();
                return has_count && request.shares_per != Per::node && request.slice.empty() &&
                       request.total_memory.is_open() && request.locality != Locality::require &&
                       one.sockets.is_zero();
            });
    }
    /// True when a search cannot end for lack of steps. Each pick of devices takes at most three
    /// and, twice, one for each set of cells that bring different memory; one begins the search.
    /// Requires: one demand for devices at most, nothing required near.
    [[nodiscard]] bool has_time() const {
        double picks = 1;
        std::map<std::uint32_t, double> alike;  // untouched devices, by class; parts may all differ
        for (const auto& matches : matches_) {
            const bool takes_parts = !demand_.devices.front().request.shares.is_zero();
            for (const DeviceId id : matches) ++alike[takes_parts ? id.value() : class_of(id)];
        }
        for (const auto& [klass, count] : alike) picks *= count + 1;
        std::set<DomainSet> domains;
        for (const CoreCell& cell : cells_) domains.insert(cell.domains);
        const std::size_t brings = groups_share_memory_ ? domains.size() : cells_.size();
        const double steps = 1 + picks * (3 + 2 * std::exp2(static_cast<double>(brings)));
        return steps < static_cast<double>(options_.steps_max);
    }

    void prepare_sums() {
        plain_milli_cpus_ = demand_.all_milli_cpus();
        sum_memory_ = demand_.memory;
        if (!is_plain_) {
            sum_cores_ = cores_for_tasks();
            const auto cpus = checked_mul(Count(sum_cores_), cpus_per_core_);
            if (demand_.memory_per == Per::cpu) {
                sum_memory_ =
                    cpus ? checked_mul(demand_.memory, cpus->value()).value_or(Bytes::max())
                         : Bytes::max();
            }
        }
        if (demand_.devices.empty()) return;
        const Count asked = demand_.devices.front().request.shares;
        for (const DeviceId id : matches_.front()) {
            const Device& device = shape_.devices[id.value()];
            const Count shares = asked.is_zero() ? device.shares : asked;
            const bool is_last =
                options_.warning == WarningUse::last && device.health == Health::warning;
            plain_devices_.push_back({id, shares, device.shares, shares < device.shares, is_last});
            if (shares < device.shares || id.value() >= masked_devices) {
                whole_devices_.reset();
            } else if (whole_devices_ && shares == device.shares) {  // not more than it ever has
                *whole_devices_ |= std::uint64_t{1} << id.value();
            }
        }
        plain_refusal_ = refusal_of_devices(0);
    }

    void find_cells() {
        near_domain_.resize(shape_.memory.size());
        if (shape_.hardware.cores.empty()) return;
        std::vector<CoreSet> level;
        if (demand_.memory_level) level = core_groups(shape_, *demand_.memory_level);
        std::vector<CoreSet> parts{shape_.allocatable_cores()};
        for (std::size_t i = 0; i < near_domain_.size(); ++i) {
            if (!is_ordinary(shape_.memory[i])) continue;
            near_domain_[i] = widen(level, shape_.memory[i].cores);
            refine(parts, near_domain_[i]);
        }
        for (const CoreSet& zone : zones_) refine(parts, zone);
        for (const Device& device : shape_.devices) refine(parts, device.reserved_cores);
        std::vector<CoreSet> groups;
        if (demand_.core_locality != Locality::ignore) {
            groups = core_groups(shape_, demand_.core_level);
            has_core_groups_ = groups.size() == shape_.hardware.cores.size();
            has_groups_ = !has_core_groups_;
        }
        if (!has_groups_) groups.clear();
        for (const CoreSet& group : groups) refine(parts, group);
        if (is_dealt()) {
            for (const CoreSet& package : packages_) refine(parts, package);
        }
        std::sort(parts.begin(), parts.end());
        for (CoreSet& part : parts) {
            if (part.is_empty()) continue;
            CoreCell cell;
            cell.domains = domains_near(part);
            cell.group = index_of(groups, part);
            if (is_dealt()) cell.package = index_of(packages_, part);
            for (std::uint32_t i = 0; i < zones_.size(); ++i) {
                if (zones_[i].intersects(part)) cell.zones.insert(i);
            }
            for (std::uint32_t i = 0; i < shape_.devices.size(); ++i) {
                if (shape_.devices[i].reserved_cores.intersects(part)) {
                    cell.reserved_by.insert(DeviceId(i));
                }
            }
            cell.cores = std::move(part);
            cells_.push_back(std::move(cell));
        }
        for (const CoreCell& a : cells_) {
            for (const CoreCell& b : cells_) {
                if (a.group != b.group) continue;
                if (a.domains != b.domains) groups_share_memory_ = false;
                if (has_groups_ && a.package != b.package) groups_stay_in_package_ = false;
            }
        }
    }

    [[nodiscard]] static std::uint32_t index_of(const std::vector<CoreSet>& sets,
                                                const CoreSet& part) {
        for (std::uint32_t i = 0; i < sets.size(); ++i) {
            if (sets[i].intersects(part)) return i;
        }
        return 0;
    }

    void find_classes() {
        const std::size_t count = shape_.devices.size();
        if (has_links()) {
            links_.assign(count * count, 0);
            for (const DeviceLink& link : shape_.links) {
                links_[link.a.value() * count + link.b.value()] = link.strength;
                links_[link.b.value() * count + link.a.value()] = link.strength;
            }
        }
        class_of_.resize(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            class_of_[i] = i;
            for (std::uint32_t j = 0; j < i; ++j) {
                if (class_of_[j] != j || !are_twins(j, i)) continue;
                class_of_[i] = j;
                break;
            }
        }
    }

    /// Nothing but their names in the node tells them apart for this demand, and all others see
    /// them alike. What demands test of a device plays a part only in whether it matches.
    [[nodiscard]] bool are_twins(std::uint32_t i, std::uint32_t j) const {
        const Device& a = shape_.devices[i];
        const Device& b = shape_.devices[j];
        const bool is_same =
            a.cores == b.cores && a.name == b.name && a.memory == b.memory &&
            a.reserved_cores == b.reserved_cores && a.switches == b.switches &&
            a.shares == b.shares && a.slicing == b.slicing && a.is_consumed == b.is_consumed &&
            a.health == b.health && a.is_drained == b.is_drained &&
            std::all_of(matches_.begin(), matches_.end(), [&](const auto& devices) {
                const auto matches = [&](std::uint32_t device) {
                    return std::binary_search(devices.begin(), devices.end(), DeviceId(device));
                };
                return matches(i) == matches(j);
            });
        if (!is_same || !has_links()) return is_same;
        for (std::uint32_t k = 0; k < shape_.devices.size(); ++k) {
            if (k == i || k == j) continue;
            if (link(DeviceId(i), DeviceId(k)) != link(DeviceId(j), DeviceId(k))) return false;
        }
        return true;
    }

    const NodeShape& shape_;
    const NodeDemand& demand_;
    FitOptions options_;
    std::int64_t cpus_per_core_;
    ThreadCounts threads_;
    bool has_threads_ = true;
    bool is_plain_ = false;
    bool is_of_sums_ = false;
    bool has_groups_ = false;
    bool has_core_groups_ = false;
    bool groups_share_memory_ = true;
    bool groups_stay_in_package_ = true;
    std::vector<CoreSet> packages_;
    std::vector<std::vector<DeviceId>> matches_;
    std::vector<std::vector<std::uint32_t>> zone_of_;
    std::vector<CoreSet> zones_;
    std::vector<DomainId> ordinary_domains_;
    std::vector<CoreSet> near_domain_;  ///< by DomainId; none for what is not given
    std::vector<CoreCell> cells_;
    std::vector<std::uint32_t> links_;  ///< row by row; empty without links
    std::vector<std::uint32_t> class_of_;
    std::vector<PlainDevice> plain_devices_;
    std::optional<std::uint64_t> whole_devices_ = 0;
    Constraint plain_refusal_ = Constraint::none;
    MilliCpu plain_milli_cpus_;
    std::int64_t sum_cores_ = 0;
    Bytes sum_memory_;
};

}  // namespace trestle::detail
