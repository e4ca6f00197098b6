// SPDX-License-Identifier: Apache-2.0
#pragma once

// FitProblem: a demand on a shape, worked out as far as it goes without knowing what is in use.
//
// Layer: alloc, internal to fit. Main types: FitProblem, CoreCell, PlainDevice. Cores that no part
// of the demand can tell apart form a cell, devices that nothing tells apart form a class; the
// search counts members of these and never looks at single ones.
// Pitfall: it keeps references to shape and demand, which have to outlive it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/node/detail/common_values.hpp"
#include "model/core_groups.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_options.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::detail {

/// The number of something that is not there.
inline constexpr std::uint32_t nowhere = ~std::uint32_t{0};

/// Cores that are alike for this demand.
struct CoreCell {
    CoreSet cores;
    DomainSet domains;        ///< near memory
    std::uint32_t part = 0;   ///< that is dealt to; the class where cores differ; else 0
    std::uint32_t group = 0;  ///< of the demand's core level; 0 where groups play no part
    SmallSet<> zones;         ///< that it lies in
    DeviceSet reserved_by;    ///< only owners of one of these may have the cores; empty: all
};

/// On a node whose cores differ: cores that count equally many CPUs and are as much wanted. Cores
/// of different groups that tasks are dealt to, or kept in, differ too.
struct CoreClass {
    std::int64_t cpus = 0;         ///< of each
    bool is_other = false;         ///< not of the kind preferred
    std::uint32_t part = 0;        ///< that is dealt to; 0 where tasks are not dealt
    std::uint32_t task_group = 0;  ///< 0 where tasks may lie anywhere
    CoreSet cores;
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
    FitProblem(const NodeShape& shape, const NodeDemand& demand, const FitOptions& options);

    [[nodiscard]] const NodeShape& shape() const { return shape_; }
    [[nodiscard]] const NodeDemand& demand() const { return demand_; }
    [[nodiscard]] const FitOptions& options() const { return options_; }
    /// Where cores are alike: see is_mixed().
    [[nodiscard]] std::int64_t cpus_each_core() const { return cpus_per_core_; }
    /// The cores that may serve the demand: with the threads that it wants of each, of the kind
    /// that it requires.
    [[nodiscard]] const CoreSet& wanted_cores() const { return wanted_; }
    /// True when these are not all that the node gives to work.
    [[nodiscard]] bool wants_some_cores() const { return wants_some_; }
    /// True when the wanted cores differ, or in which groups they lie matters to tasks; they are
    /// then in classes().
    [[nodiscard]] bool is_mixed() const { return !classes_.empty(); }
    [[nodiscard]] const std::vector<CoreClass>& classes() const { return classes_; }
    /// CPUs that the wanted ones of `cores` count.
    [[nodiscard]] std::int64_t cpus_of(const CoreSet& cores) const;
    /// CPUs that a job with all of `cores` has, wanted or not: threads_per_core of each at most.
    [[nodiscard]] std::int64_t all_cpus_of(const CoreSet& cores) const;
    /// `cores`, or ` of kind performance` behind it where a kind is required; then what so many
    /// are for, as ` (4 tasks of 2 CPUs)` or ` (3 CPUs a device)`.
    [[nodiscard]] std::string cores_text(std::string_view cores, std::int64_t count) const;
    /// False when the cores have fewer threads than the demand wants of each.
    [[nodiscard]] bool has_threads() const { return has_threads_; }
    [[nodiscard]] const ThreadCounts& threads() const { return threads_; }
    [[nodiscard]] const std::vector<CoreSet>& packages() const { return packages_; }
    /// What tasks are dealt to, in order: groups that each lie in one package. Empty where tasks
    /// are not dealt.
    [[nodiscard]] const std::vector<CoreSet>& deal_parts() const { return deal_parts_; }
    /// All cores of a task lie in one of these groups. Empty where that is no matter, or holds
    /// anyway.
    [[nodiscard]] const std::vector<CoreSet>& task_groups() const { return task_groups_; }
    [[nodiscard]] const std::vector<CoreCell>& cells() const { return cells_; }
    /// Sets of cores near to devices, each once. Where devices bring CPUs, also the unions of such
    /// sets that overlap: a core in two of them serves the devices of one.
    [[nodiscard]] const std::vector<CoreSet>& zones() const { return zones_; }
    /// By zone, all zones inside of it, itself too; empty where no two zones overlap.
    [[nodiscard]] const std::vector<SmallSet<>>& zones_inside() const { return zones_inside_; }
    /// True when there are more unions than can be looked at.
    [[nodiscard]] bool has_too_many_zones() const { return zones_.size() > zones_max; }
    static constexpr std::size_t zones_max = 1'024;
    /// The cores that `device` is near to for demand `i`; nowhere: to all alike.
    [[nodiscard]] std::uint32_t zone_of(std::size_t i, DeviceId device) const {
        return zone_of_[i][device.value()];
    }
    /// Devices that could answer demand `i` on an idle node, lowest first.
    [[nodiscard]] const std::vector<DeviceId>& matches(std::size_t i) const { return matches_[i]; }
    /// The same for all demands.
    [[nodiscard]] const DeviceMatches& matches() const { return matches_; }
    /// What devices have to have in common.
    [[nodiscard]] const CommonValues& common() const { return common_; }
    /// Devices of one class can change places in any answer, if a way of common() leaves both.
    [[nodiscard]] std::uint32_t class_of(DeviceId device) const {
        return class_of_[device.value()];
    }
    /// The package that the device lies on; nowhere when that cannot be said.
    [[nodiscard]] std::uint32_t package_of(DeviceId device) const;
    /// The package that these cores lie in. Requires: one of the packages holds them all.
    [[nodiscard]] std::uint32_t package_of(const CoreSet& cores) const {
        return index_of(packages_, cores);
    }
    /// `cores` without the last ones, which a whole node leaves to the system.
    [[nodiscard]] CoreSet without_system_cores(const CoreSet& cores) const;
    /// `cores` without those of packages that have fewer of them than cores_per_socket.
    [[nodiscard]] CoreSet in_able_packages(const CoreSet& cores) const;
    /// The ordinary memory domains near to one of `cores`, as far as the demand's level reaches.
    [[nodiscard]] DomainSet domains_near(const CoreSet& cores) const;
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
    /// CPUs and memory; see totals_decide(). All plain demands are so, and most others; of these
    /// the search knows which cores and devices are best.
    [[nodiscard]] bool decided_by_totals() const { return decided_by_totals_; }
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
    [[nodiscard]] Constraint refusal_of_devices(std::size_t i) const;
    /// Domains that memory is given from, DRAM before fast memory, then the lowest.
    [[nodiscard]] const std::vector<DomainId>& ordinary_domains() const {
        return ordinary_domains_;
    }

    /// True when the number of cores of each part follows from dealing out the tasks.
    [[nodiscard]] bool is_dealt() const;
    /// True when cores are dealt, and not tasks.
    [[nodiscard]] bool deals_cores() const { return deals_cores_; }
    /// True when some device keeps cores for its owners.
    [[nodiscard]] bool has_reserved_cores() const;
    /// True when groups of the core level are worth counting.
    [[nodiscard]] bool has_groups() const { return has_groups_; }
    /// How many there are; 0 where they are not worth counting.
    [[nodiscard]] std::uint32_t group_count() const { return group_count_; }
    /// True when each core is a group of its own.
    [[nodiscard]] bool has_core_groups() const { return has_core_groups_; }
    /// True when no group has cores with different near memory.
    [[nodiscard]] bool groups_share_memory() const { return groups_share_memory_; }

    /// Where cores differ, no fewer have so many CPUs.
    [[nodiscard]] std::int64_t cores_for_cpus(Count cpus) const {
        return is_mixed() ? fewest_cores(cpus) : div_ceil(cpus, cpus_per_core_).value();
    }
    /// CPUs that so many cores count. Where cores differ: those that the demand asks for.
    [[nodiscard]] std::int64_t cpus_asked(std::int64_t cores) const;
    /// Cores for the tasks alone; a deal may take more.
    [[nodiscard]] std::int64_t cores_least() const;
    /// The fewest devices that count for cpus_per_device and memory per device.
    [[nodiscard]] std::int64_t coupled_least() const;
    /// The fewest cores for tasks and for cpus_per_device.
    [[nodiscard]] std::int64_t cores_with_devices() const;
    /// Cores for the tasks where no task need stay on one package.
    [[nodiscard]] std::int64_t cores_for_tasks() const;
    /// Cores for `tasks` of which each has its CPUs on cores of its own, or beside others that fit
    /// on one core. The largest number where they are more. Where cores differ: no fewer do.
    [[nodiscard]] std::int64_t whole_cores_for(std::int64_t tasks) const;

  private:
    /// False when tasks lie nowhere.
    [[nodiscard]] bool asks_task_cores() const {
        return !demand_.cpus_per_task.is_zero() || !demand_.tasks_per_core.is_zero();
    }
    void find_wanted();
    /// Settles what tasks are dealt to and which groups they are kept in.
    void find_task_places();
    /// True when any one of the wanted cores holds the tasks that lie on it.
    [[nodiscard]] bool fit_into_cores() const;
    void find_classes_of_cores(const CoreSet& other_kind);
    /// Cuts the classes where parts and task groups end.
    void cut_classes();
    [[nodiscard]] std::int64_t fewest_cores(Count cpus) const;

    [[nodiscard]] bool is_match(DeviceId id, const NodeDemand::Device& demand) const;

    void find_matches();

    void find_zones();
    void join_zones();

    void find_domains();

    [[nodiscard]] bool looks_plain() const;

    /// For demands that are not plain. Nothing is required but amounts, none of them depends on
    /// which devices are taken, and a search always finds where.
    [[nodiscard]] bool looks_of_sums() const;
    /// True when a search cannot end for lack of steps. Each pick of devices takes at most three
    /// and, twice, one for each set of cells that bring different memory, or two where cores are
    /// split over several zones; one begins the search.
    /// Requires: one demand for devices at most, nothing required near.
    [[nodiscard]] bool has_time() const;
    [[nodiscard]] bool zones_are_nested() const;

    void prepare_sums();

    void find_cells();

    [[nodiscard]] static std::uint32_t index_of(const std::vector<CoreSet>& sets,
                                                const CoreSet& part);

    void find_classes();

    /// Nothing but their names in the node tells them apart for this demand, and all others see
    /// them alike. What demands test of a device plays a part only in whether it matches.
    [[nodiscard]] bool are_twins(std::uint32_t i, std::uint32_t j) const;

    const NodeShape& shape_;
    const NodeDemand& demand_;
    FitOptions options_;
    std::int64_t cpus_per_core_ = 1;
    ThreadCounts threads_;
    CoreSet wanted_;
    bool wants_some_ = false;
    std::vector<CoreClass> classes_;
    bool has_threads_ = true;
    bool is_plain_ = false;
    bool decided_by_totals_ = false;
    bool has_groups_ = false;
    bool has_core_groups_ = false;
    bool groups_share_memory_ = true;
    bool deals_cores_ = false;
    std::uint32_t group_count_ = 0;
    std::vector<CoreSet> packages_;
    std::vector<CoreSet> deal_parts_;
    std::vector<CoreSet> task_groups_;
    DeviceMatches matches_;
    CommonValues common_;
    std::vector<std::vector<std::uint32_t>> zone_of_;
    std::vector<CoreSet> zones_;
    std::vector<SmallSet<>> zones_inside_;
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

/// The best placement for a prepared problem, as fit() of a shape says it.
[[nodiscard]] Verdict<NodePlacement> fit(const FitProblem& problem, const FreeState& state);

}  // namespace trestle::detail
