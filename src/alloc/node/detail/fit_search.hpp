// SPDX-License-Identifier: Apache-2.0
#pragma once

// FitSearch: the search for the best placement on one node.
//
// Layer: alloc, internal to fit. Main type: FitSearch. It settles the counts of devices in order of
// preference, enumerates the distinct picks of devices for them, and asks CoreChooser for the best
// cores of each. Pure: made, asked once, thrown away.
// Pitfall: picks of different devices that are near to the same cores share one answer about the
// cores.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alloc/node/detail/cores/core_choice.hpp"
#include "alloc/node/detail/cores/core_deal.hpp"
#include "alloc/node/detail/cores/core_mix.hpp"
#include "alloc/node/detail/device_search.hpp"
#include "alloc/node/detail/fit_problem.hpp"
#include "alloc/node/detail/fit_score.hpp"
#include "alloc/node/step_budget.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::detail {

class FitSearch {
  public:
    FitSearch(const FitProblem& problem, const FreeState& state, StepBudget& budget);

    /// The best placement on the cores of `row`, or on cores of one's own.
    [[nodiscard]] Verdict<NodePlacement> run(std::optional<std::uint32_t> row);

  private:
    [[nodiscard]] bool is_whole_node() const {
        return demand_.exclusivity == Exclusivity::whole_node;
    }

    /// The counts of a demand that are worth a try; none when max < min.
    struct CountRange {
        std::int64_t min = 0;
        std::int64_t max = 0;
    };
    [[nodiscard]] CountRange count_range(std::size_t i) const;

    /// What is taken in thousandths, now or before, keeps cores from being taken. A whole node
    /// gives thousandths with its cores.
    void limit_threads();
    [[nodiscard]] MilliCpu free_milli_cpus() const {
        return state_.free_milli_cpus(problem_.threads());
    }

    /// Devices, or instances, that demand `i` could get if it were the only one.
    [[nodiscard]] std::int64_t available(std::size_t i) const;
    /// True when these devices are fewer than any placement with such counts takes.
    [[nodiscard]] bool has_too_few(const DeviceSearch& devices,
                                   const std::vector<std::uint32_t>& counts) const;

    [[nodiscard]] std::optional<Refusal> refuse_early();
    [[nodiscard]] std::optional<Refusal> refuse_devices_early();

    /// True when the devices of some demands are together fewer than counts[i] for each of them
    /// (Hall's condition). Slices, and what is beyond the first ten demands, are left to the
    /// search.
    [[nodiscard]] bool has_too_few_devices(const DeviceSearch& devices,
                                           const std::vector<std::uint32_t>& counts) const;

    [[nodiscard]] std::optional<Refusal> refuse_sockets() const;

    /// What of the free cores may be given, whatever the devices.
    [[nodiscard]] CoreSet usable_cores() const;

    [[nodiscard]] Bytes free_memory() const;

    /// True when fewer than so many of the free cores are wanted; where cores differ, when they
    /// have fewer CPUs than the demand asks for.
    [[nodiscard]] bool lacks_cores(std::int64_t asked, const CoreSet& free) const;
    /// `free`: those that could be given.
    [[nodiscard]] Refusal refuse_cores(std::int64_t asked, const CoreSet& free) const;
    /// Nothing when the thousandths asked are free, and `asked` of the cores, which count so many
    /// CPUs, can be taken beside them.
    [[nodiscard]] std::optional<Refusal> refuse_milli_cpus(std::int64_t asked,
                                                           std::int64_t asked_cpus,
                                                           const CoreSet& cores) const;
    /// The fewest threads without an owner that so many of the cores take.
    [[nodiscard]] std::int64_t threads_least(std::int64_t count, const CoreSet& cores) const;
    [[nodiscard]] Refusal refuse_memory(Bytes asked) const;
    [[nodiscard]] Refusal refuse_devices(std::size_t i) const;
    /// That the devices of a demand do not lie on the packages as it counts them.
    [[nodiscard]] Refusal refuse_devices_of_sockets() const;
    /// Shares in all that no number of devices has.
    [[nodiscard]] std::optional<Refusal> refuse_shares(std::size_t i) const;
    /// The most shares in all that the demand could get of these devices.
    [[nodiscard]] Count shares_in_all(std::size_t i, const DeviceSearch& devices) const;
    [[nodiscard]] static std::string kind_text(const DeviceRequest& request);
    /// What the node's devices of this name have instead of what is asked of each.
    [[nodiscard]] std::string lacking_text(const DeviceRequest& request) const;
    /// That no free devices have the total memory that is asked.
    [[nodiscard]] Refusal refuse_total_memory() const;

    // What is said where devices have not enough in common (device_refusal.cpp). `in_shares`: of
    // shares in all, else of devices.
    [[nodiscard]] std::optional<Refusal> refuse_common(const CommonRule& rule) const;
    [[nodiscard]] std::optional<Refusal> refuse_common(const CommonRule& rule,
                                                       bool in_shares) const;
    /// The devices of a demand that are asked for, `6 gpu:a100 (2 a task)`.
    [[nodiscard]] std::string asked_text(std::size_t i) const;
    /// Some demands ask for more devices together than serve any of them.
    [[nodiscard]] Refusal refuse_devices_together() const;
    /// No pick of devices has what is asked, though each demand by itself finds devices.
    [[nodiscard]] Refusal refuse_picks() const;
    [[nodiscard]] Count least_of(std::size_t i, bool in_shares) const;
    [[nodiscard]] std::string amount_text(std::size_t i, Count amount, bool in_shares) const;
    [[nodiscard]] std::string rule_text(const CommonRule& rule, bool in_shares) const;

    // What is said where enough of everything is free, and no placement found: the first of what is
    // required that no placement can have (nearness_refusal.cpp). `open`: cores that may be given.
    [[nodiscard]] Refusal refuse_nearness() const;
    /// Each thing that the demand requires to be near, in words.
    [[nodiscard]] std::vector<std::string> required_nearness() const;
    [[nodiscard]] std::optional<Refusal> refuse_reserved(std::int64_t cores, CoreSet& open) const;
    [[nodiscard]] std::optional<Refusal> refuse_devices_apart(std::int64_t cores,
                                                              const CoreSet& open) const;
    [[nodiscard]] std::optional<Refusal> refuse_cores_far(std::int64_t cores,
                                                          const CoreSet& open) const;
    [[nodiscard]] std::optional<Refusal> refuse_cores_apart(std::int64_t cores,
                                                            const CoreSet& open) const;
    [[nodiscard]] std::optional<Refusal> refuse_far_memory(std::int64_t cores,
                                                           const CoreSet& open) const;
    /// No choice of devices for demand `i` has more of the cores near it.
    [[nodiscard]] std::int64_t most_cores_near(std::size_t i, const CoreSet& open) const;
    /// No choice of so many of the open cores has more free memory near it.
    [[nodiscard]] Bytes most_memory_near(std::int64_t cores, const CoreSet& open) const;

    /// Settles the count of demand counts.size() and all behind it; true at the first combination,
    /// in order of preference, for which a placement exists.
    bool try_counts(std::vector<std::uint32_t>& counts);

    /// The best placement for these counts, into best_; false when there is none or it gave up.
    bool search(const std::vector<std::uint32_t>& counts);

    /// Keeps the first shortage met; it is the answer when no pick of devices has enough of all.
    void note(Refusal refusal) {
        if (!shortage_) shortage_ = std::move(refusal);
    }

    void consider(const DevicePick& pick);

    /// True when the pick cannot be better than the best one. `score` has what its devices cost,
    /// and the least that cores may: near to all, and in one group.
    [[nodiscard]] bool comes_behind_best(const FitScore& score, const DevicePick& pick) const;

    /// True when no cores make a pick better than the best one. Requires: they were opened.
    [[nodiscard]] bool is_farther_than_best(const CoreQuestion& question) const;

    /// The cores for picks that are near to the same cores.
    struct CoreAnswer {
        CoreQuestion question;
        std::optional<CoreChoice> choice;  ///< nothing: there are none that could be best
        std::uint32_t other_cores = 0;     ///< as in FitScore
        std::int64_t spare_cpus = 0;
    };
    /// What these picks have in common.
    struct Nearness {
        std::vector<NearNeed> needs;  ///< as in CoreQuestion, also the next
        bool is_anywhere = false;
        DeviceSet devices;  ///< where some reserve cores

        friend bool operator<(const Nearness& a, const Nearness& b) {
            return std::tie(a.needs, a.is_anywhere, a.devices) <
                   std::tie(b.needs, b.is_anywhere, b.devices);
        }
    };

    /// Where cores differ: of the mixes that have enough the first for which there are cores.
    void choose_mixed(std::int64_t devices, CoreAnswer& answer);
    /// The same where groups hold tasks whole: mixes with few CPUs first.
    void choose_in_groups(const CoreMixes& mixes, std::int64_t devices, bool takes_more,
                          CoreAnswer& answer);
    /// What the devices that are near to some of the cores need.
    [[nodiscard]] std::vector<NearCores> near_cores(const CoreQuestion& question) const;
    /// Of mixes with the best first, the first for which there are cores.
    void try_mixes(std::vector<CoreMix> found, const CoreMixes& mixes, std::int64_t devices,
                   CoreAnswer& answer);
    /// Leaves out mixes that take more threads than may be taken.
    void keep_light(std::vector<CoreMix>& mixes) const;
    /// The best cores of one mix, where they are better than those of the answer.
    void choose_mix(const CoreMix& mix, const CoreQuestion& question, CoreAnswer& answer);
    /// False when the tasks do not fit the parts as they are dealt.
    [[nodiscard]] bool deal_mixed(const CoreQuestion& question, CoreMixes& mixes) const;
    /// Nothing but for whole nodes whose cores differ and are too few. `cpus`: that devices bring.
    [[nodiscard]] std::optional<Refusal> refuse_whole(std::int64_t cpus) const;
    /// Where not all tasks lie on a whole node with no more in a package than allowed.
    [[nodiscard]] std::optional<Refusal> refuse_tasks_of_packages() const;
    /// Tasks that the packages have room for, at most tasks_per_socket on each.
    [[nodiscard]] std::int64_t tasks_of_packages() const;
    /// Tasks that lie on the cores, each on cores of its own and inside of one group of each level.
    [[nodiscard]] std::int64_t own_tasks_on(const CoreSet& cores) const;
    /// Only `tasks` of the tasks lie in a group each. `room`: cores of each class.
    [[nodiscard]] Refusal refuse_task_groups(std::int64_t tasks,
                                             const std::vector<std::uint32_t>& room) const;
    [[nodiscard]] Refusal refuse_deal() const;
    /// How many cores of each class these are.
    [[nodiscard]] std::vector<std::uint32_t> count_classes(const CoreSet& cores) const;

    /// How many cores of each part or class, and which, into the answer.
    void settle_cores(const DevicePick& pick, CoreAnswer& answer);
    /// The same where tasks are dealt inside of one group of the core level: the best group.
    void settle_in_one_group(const DevicePick& pick, CoreAnswer& answer);
    /// Asked once for all picks of one kind. Requires: they are for the same counts of devices.
    [[nodiscard]] const CoreAnswer& cores_for(const DevicePick& pick);

    [[nodiscard]] DeviceSet all_devices() const;

    [[nodiscard]] std::int64_t coupled_devices(const DevicePick& pick) const;

    /// Writes into near_ which cores the devices of the pick are near to.
    void ask_near(const DevicePick& pick);
    /// Adds that each device of the demands that `counts` comes with so many CPUs. If they were
    /// asked for, required nearness requires them. The CPUs of different calls are the same ones,
    /// so the largest number in a zone counts.
    template <class Counts>
    void add_cpus(const DevicePick& pick, std::int64_t each, bool are_asked, const Counts& counts);

    /// Adds to each zone the CPUs of the zones inside of it.
    void join_cpus(std::vector<NearNeed>& added) const;

    /// How many cores and how much memory; false when there are not enough of them.
    [[nodiscard]] bool settle_count(std::int64_t devices, CoreQuestion& question);

    /// In the order in which they are dealt to.
    [[nodiscard]] std::vector<DealtPart> parts_to_deal(const CoreQuestion& question) const;
    /// Cores of each part, by its number.
    [[nodiscard]] std::optional<std::vector<std::uint32_t>> deal(const CoreQuestion& question,
                                                                 std::int64_t cores_min) const;

    /// Nothing: more than can be counted.
    [[nodiscard]] std::optional<Bytes> memory_for(std::int64_t cpus, std::int64_t devices) const;
    /// The least memory with so many cores asked; that of the node's CPUs where it is asked whole.
    [[nodiscard]] std::optional<Bytes> memory_asked(std::int64_t cores) const;

    [[nodiscard]] bool total_memory_fits(const DevicePick& pick) const;

    /// Demands that are counted per socket: the right number on the right number of packages.
    [[nodiscard]] bool sockets_fit(const DevicePick& pick) const;

    [[nodiscard]] NodePlacement placement() const;
    [[nodiscard]] SmallVector<MemoryShare> take_memory(const CoreSet& cores, Bytes bytes) const;

    const FitProblem& problem_;
    const FreeState& state_;
    const NodeShape& shape_;
    const NodeDemand& demand_;
    DeviceSearch devices_;
    std::vector<DeviceSearch> ways_;  ///< where devices have to have something in common
    StepBudget& budget_;
    std::optional<std::uint32_t> row_;
    CoreSet free_;
    CoreSet usable_;                           ///< of the free ones, whatever the devices
    std::optional<std::int64_t> threads_max_;  ///< as in CoreQuestion
    std::optional<CoreChooser> chooser_;
    Nearness near_;                            ///< of the pick that cores_for() is about
    std::map<Nearness, CoreAnswer> answers_;   ///< for the counts that are tried
    std::vector<std::uint32_t> least_counts_;  ///< by demand
    std::optional<FitScore> best_;
    Bytes memory_;  ///< of the best
    std::optional<Refusal> shortage_;
    bool has_picked_ = false;
    bool has_enough_ = false;
};

}  // namespace trestle::detail
