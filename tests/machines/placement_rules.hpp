// SPDX-License-Identifier: Apache-2.0
// What every placement has to keep, written down from what the demand says and from nothing that
// fit() is made of. Demands whose devices have different names, are whole and count per node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "alloc/node/demand_rules.hpp"
#include "model/core_groups.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/model/locality.hpp"
#include "trestle/model/placement.hpp"

namespace trestle {

class PlacementRules {
  public:
    /// `ledger` is what it was before the placement.
    PlacementRules(const NodeShape& shape, const NodeLedger& ledger, const NodeDemand& demand,
                   const NodePlacement& placement)
        : shape_(shape), ledger_(ledger), demand_(demand), placement_(placement) {}

    /// The rules that are broken.
    [[nodiscard]] std::vector<std::string> broken() {
        check_cores();
        check_milli_cpus();
        check_sockets();
        check_memory();
        for (std::size_t i = 0; i < demand_.devices.size(); ++i) check_devices(i);
        expect(chosen_ == placement_.devices.size(), "every device answers a demand");
        expect(!is_bound_ || gives_all() || near_required_.contains_all(placement_.cores),
               "each core is near a device that has to be near");
        return broken_;
    }

  private:
    void expect(bool holds, const char* rule) {
        if (!holds) broken_.emplace_back(rule);
    }
    /// The job has all cores of the node, also those that its tasks cannot use.
    [[nodiscard]] bool gives_all() const { return demand_.exclusivity == Exclusivity::whole_node; }
    /// How many of `cores` have the threads that the demand wants of each.
    [[nodiscard]] std::int64_t with_threads(const CoreSet& cores) const {
        std::int64_t count = 0;
        for (const CoreId core : cores) {
            const auto threads = shape_.hardware.cores[core.value()].threads.size();
            if (static_cast<std::int64_t>(threads) >= demand_.threads_per_core.value()) ++count;
        }
        return count;
    }
    [[nodiscard]] static std::int64_t div_up(std::int64_t a, std::int64_t b) {
        return (a + b - 1) / b;
    }
    /// CPUs that each core counts for.
    [[nodiscard]] std::int64_t cpus_per_core() const {
        if (!demand_.threads_per_core.is_zero()) return demand_.threads_per_core.value();
        std::optional<std::size_t> least;
        for (const CoreId core : shape_.allocatable_cores()) {
            const std::size_t threads = shape_.hardware.cores[core.value()].threads.size();
            least = std::min(least.value_or(threads), threads);
        }
        return static_cast<std::int64_t>(least.value_or(1));
    }
    /// The same for cores that differ.
    [[nodiscard]] std::int64_t cpus_of(const CoreSet& cores) const {
        std::int64_t sum = 0;
        for (const CoreId core : cores) {
            const auto threads =
                static_cast<std::int64_t>(shape_.hardware.cores[core.value()].threads.size());
            const std::int64_t used = demand_.threads_per_core.value();
            sum += used > 0 ? std::min(used, threads) : threads;
        }
        return sum;
    }
    [[nodiscard]] bool is_mixed() const {
        if (!demand_.threads_per_core.is_zero()) return false;
        const CoreSet given = shape_.allocatable_cores();
        return cpus_of(given) != cpus_per_core() * given.count();
    }
    /// No core could be left out: what is required near may take more.
    void check_mixed_cores(const CoreSet& free) {
        const CoreSet& cores = placement_.cores;
        const std::int64_t asked = std::max(
            demand_.cpus().value(), demand_.cpus_per_device.value() * devices_of_first_name());
        expect(cpus_of(cores) >= asked, "as many CPUs as asked for");
        if (gives_all()) {
            expect(ledger_.is_idle(), "a whole node has no other job");
            expect(cores.count() + demand_.system_cores.value() == free.count(),
                   "a whole node gives all its cores but the system's");
            return;
        }
        const bool requires_near =
            demand_.memory_locality == Strictness::require ||
            std::any_of(demand_.devices.begin(), demand_.devices.end(), [](const auto& one) {
                return one.request.locality == Strictness::require;
            });
        if (is_dealt() || requires_near || !demand_.tasks_per_core.is_zero()) return;
        for (const CoreId core : cores) {
            expect(cpus_of(cores - CoreSet::of({core})) < asked, "no core that is not needed");
        }
    }
    [[nodiscard]] bool is_dealt() const {
        return demand_.distribution != Distribution::block || !demand_.tasks_per_socket.is_zero();
    }
    [[nodiscard]] std::int64_t devices_of_first_name() const {
        std::int64_t count = 0;
        for (const DeviceShare& share : placement_.devices) {
            const auto& name = shape_.devices[share.device.value()].name;
            if (!demand_.devices.empty() && name == demand_.devices[0].request.name) ++count;
        }
        return count;
    }
    /// Cores for so many tasks; `is_dealt`: without tasks that lie on parts of two cores when they
    /// could lie in one.
    [[nodiscard]] std::int64_t cores_for(std::int64_t tasks) const {
        const std::int64_t each = demand_.cpus_per_task.value();
        const std::int64_t per_core = cpus_per_core();
        if (each == 0) return 0;
        if (demand_.tasks_per_core.is_zero() && !is_dealt()) return div_up(tasks * each, per_core);
        std::int64_t fitting = per_core / each;
        if (!demand_.tasks_per_core.is_zero()) {
            fitting = std::min(fitting, demand_.tasks_per_core.value());
        }
        return fitting > 0 ? div_up(tasks, fitting) : tasks * div_up(each, per_core);
    }
    /// Tasks that no packages have room for, as they are dealt, have the cores of a block.
    [[nodiscard]] bool lies_in_block() const {
        NodeDemand block = demand_;
        block.distribution = Distribution::block;
        return demand_.tasks_per_socket.is_zero() &&
               PlacementRules(shape_, ledger_, block, placement_).broken().empty();
    }
    /// Tasks that find room on so many cores of one package.
    [[nodiscard]] std::int64_t tasks_on(std::int64_t cores) const {
        std::int64_t tasks = 0;
        while (cores_for(tasks + 1) <= cores && tasks < demand_.tasks.value()) ++tasks;
        if (demand_.tasks_per_socket.is_zero()) return tasks;
        return std::min(tasks, demand_.tasks_per_socket.value());
    }

    void check_cores() {
        const CoreSet& cores = placement_.cores;
        const CoreSet free =
            placement_.row ? ledger_.free_cores(*placement_.row) : ledger_.free_cores();
        expect(free.contains_all(cores), "cores are free");
        expect(placement_.tasks == demand_.tasks, "all tasks are there");
        expect(placement_.threads_per_core == demand_.threads_per_core, "threads as asked");
        const auto fitting = with_threads(cores);
        expect(gives_all() || fitting == static_cast<std::int64_t>(cores.count()),
               "every core has the threads asked for");
        const std::int64_t least = std::max(
            is_dealt() ? 0 : cores_for(demand_.tasks.value()),
            div_up(demand_.cpus_per_device.value() * devices_of_first_name(), cpus_per_core()));
        if (demand_.core_locality == Strictness::require && !cores.is_empty()) {
            const auto groups = core_groups(shape_, demand_.core_level);
            expect(std::any_of(groups.begin(), groups.end(),
                               [&](const CoreSet& group) { return group.contains_all(cores); }),
                   "cores are in one group");
        }
        if (is_mixed()) return check_mixed_cores(free);
        if (gives_all()) {
            expect(ledger_.is_idle(), "a whole node has no other job");
            expect(cores.count() + demand_.system_cores.value() == free.count(),
                   "a whole node gives all its cores but the system's");
            expect(fitting >= least, "a whole node has the cores asked for");
            return;
        }
        if (is_dealt()) {
            expect(cores.count() >= least, "enough cores");
        } else {
            // Devices that have to be near bring a core for each of their places.
            const auto count = static_cast<std::int64_t>(cores.count());
            expect(
                count == least || (has_to_be_near() && count > least &&
                                   count <= static_cast<std::int64_t>(placement_.devices.size())),
                "as many cores as asked for, no more");
        }
    }

    [[nodiscard]] MilliCpu milli_cpus_of(const CoreSet& cores) const {
        return cpus(shape_.hardware.threads_of(cores).count());
    }
    void check_milli_cpus() {
        const MilliCpu asked = demand_.milli_cpus * demand_.tasks.value();
        if (gives_all()) {
            const std::int64_t cores = cores_for(demand_.tasks.value());
            const std::int64_t taken =
                is_mixed() ? demand_.cpus().value() : cores * cpus_per_core();
            expect(placement_.milli_cpus.is_zero(),
                   "a whole node gives thousandths with its cores");
            expect(asked + cpus(taken) <= milli_cpus_of(placement_.cores),
                   "a whole node has the thousandths asked for");
            return;
        }
        expect(placement_.milli_cpus == asked, "thousandths as asked");
        expect(ledger_.free().held_milli_cpus + asked <=
                   milli_cpus_of(ledger_.free_cores() - placement_.cores),
               "what is taken in thousandths is left by those who take cores");
    }

    void check_sockets() {
        if (gives_all()) return;
        const CoreSet free =
            placement_.row ? ledger_.free_cores(*placement_.row) : ledger_.free_cores();
        const std::int64_t least = std::max<std::int64_t>(1, demand_.cores_per_socket.value());
        std::int64_t sockets = 0;
        std::int64_t tasks = 0;
        for (const CoreSet& package : core_groups(shape_, HardwareLevel::package)) {
            const auto there = static_cast<std::int64_t>((package & free).count());
            const auto used = static_cast<std::int64_t>((package & placement_.cores).count());
            if (there >= least) ++sockets;
            if (used > 0) expect(there >= least, "no core of a package with too few free ones");
            tasks += tasks_on(used);
        }
        expect(sockets >= demand_.sockets_per_node.value(), "enough packages give cores");
        // fcyclic deals single cores, whatever tasks fit on them.
        const bool deals_tasks = is_dealt() && demand_.distribution != Distribution::fcyclic;
        if (deals_tasks && !is_mixed() && !demand_.cpus_per_task.is_zero()) {
            expect(tasks >= demand_.tasks.value() || lies_in_block(),
                   "every task has room in one package, or they lie as in a block");
        }
    }

    [[nodiscard]] bool has_to_be_near() const {
        return std::any_of(demand_.devices.begin(), demand_.devices.end(),
                           [](const NodeDemand::Device& one) {
                               return one.request.locality == Strictness::require;
                           });
    }

    void check_memory() {
        const auto cores = static_cast<std::int64_t>(placement_.cores.count());
        std::int64_t factor = 1;
        if (demand_.memory_per == Per::cpu) {
            factor =
                is_mixed() || gives_all() ? cpus_of(placement_.cores) : cores * cpus_per_core();
        }
        if (demand_.memory_per == Per::device) factor = devices_of_first_name();
        expect(placement_.total_memory() == demand_.memory * factor, "all memory is there");
        CoreSet reach = placement_.cores;
        if (demand_.memory_level) {
            reach = widen(core_groups(shape_, *demand_.memory_level), reach);
        }
        for (const MemoryShare& share : placement_.memory) {
            const MemoryDomain& domain = shape_.memory[share.domain.value()];
            expect(share.bytes <= ledger_.free_memory(share.domain), "memory is free");
            expect(domain.is_ordinary(), "memory is ordinary");
            const bool is_bound = demand_.memory_locality == Strictness::require && cores > 0;
            if (!is_bound) continue;
            expect(domain.cores.intersects(reach), "memory is near");
        }
    }

    void check_devices(std::size_t i) {
        const DeviceRequest& request = demand_.devices[i].request;
        std::int64_t count = 0;
        for (const DeviceShare& share : placement_.devices) {
            const Device& device = shape_.devices[share.device.value()];
            if (device.name != request.name) continue;
            ++count;
            expect(is_usable(device), "devices are well");
            expect(share.shares == device.shares && !share.slice, "devices are given whole");
            expect(ledger_.free_shares(share.device) == device.shares, "devices are free");
            expect(request.types.empty() ||
                       std::count(request.types.begin(), request.types.end(), device.type) > 0,
                   "devices are of a type asked for");
            if (request.locality == Strictness::require) {
                CoreSet near = device.cores.is_empty() ? placement_.cores : device.cores;
                if (request.locality_level) {
                    near = widen(core_groups(shape_, *request.locality_level), near);
                }
                expect(placement_.cores.is_empty() || near.intersects(placement_.cores),
                       "a core is near the device");
                near_required_ |= near;
                is_bound_ = true;
            }
            if (i > 0 && request.device_locality == Strictness::require) {
                expect(shares_a_switch(device, i), "a switch is shared with an earlier demand's");
            }
        }
        chosen_ += static_cast<std::size_t>(count);
        expect(demand_.devices[i].count.contains(Count(count)), "as many devices as asked for");
    }

    [[nodiscard]] bool shares_a_switch(const Device& device, std::size_t demand) const {
        for (const DeviceShare& share : placement_.devices) {
            const Device& other = shape_.devices[share.device.value()];
            const bool is_earlier = std::any_of(
                demand_.devices.begin(),
                demand_.devices.begin() + static_cast<std::ptrdiff_t>(demand),
                [&](const NodeDemand::Device& one) { return one.request.name == other.name; });
            if (!is_earlier) continue;
            for (const std::uint32_t number : other.switches) {
                const auto& mine = device.switches;
                if (std::find(mine.begin(), mine.end(), number) != mine.end()) return true;
            }
        }
        return false;
    }

    const NodeShape& shape_;
    const NodeLedger& ledger_;
    const NodeDemand& demand_;
    const NodePlacement& placement_;
    std::vector<std::string> broken_;
    std::size_t chosen_ = 0;
    bool is_bound_ = false;  ///< a chosen device has to be near
    CoreSet near_required_;  ///< cores near such devices
};

}  // namespace trestle
