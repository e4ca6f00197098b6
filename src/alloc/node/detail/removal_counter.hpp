// SPDX-License-Identifier: Apache-2.0
#pragma once

// RemovalCounter: from what a node has to what is left for a demand, one constraint after the
// other.
//
// Layer: alloc, internal to explain_fit. Main type: RemovalCounter.
// Pitfall: each kind is counted by itself. Nearness to devices asks for a core that is near to any
// device that could be given, since which ones are chosen is not known here.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alloc/node/detail/fit_problem.hpp"
#include "trestle/alloc/node/fit_explanation.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::detail {

class RemovalCounter {
  public:
    RemovalCounter(const FitProblem& problem, const NodeLedger& ledger)
        : problem_(problem), shape_(problem.shape()), demand_(problem.demand()), ledger_(ledger) {}

    [[nodiscard]] std::vector<FitExplanation::Removal> run();

  private:
    /// Starts with all that the node has. Nothing is noted where nothing is asked.
    void open(std::string subject, Count all, Count asked);
    void note(Constraint constraint, std::string reason, Count left);

    template <class IsHeld>
    [[nodiscard]] std::string held_by(const IsHeld& is_held) const {
        constexpr std::size_t named_max = 8;
        std::string names;
        std::size_t count = 0;
        for (const Holding& holding : ledger_.holdings()) {
            if (!is_held(holding)) continue;
            if (++count > named_max) continue;
            names += (names.empty() ? "" : ", ") + to_text(holding.owner);
        }
        if (count > named_max) names += fmt::format(" and {} more", count - named_max);
        return (count == 1 ? "held by owner " : "held by owners ") + names;
    }

    // Devices.

    /// Keeps those that pass, and names the others with `naming`.
    template <class Passes>
    void keep(DeviceSet& devices, Constraint constraint, std::string reason, const Passes& passes,
              bool is_naming = false) {
        DeviceSet kept;
        SmallSet<> lost;
        for (const DeviceId id : devices) {
            const Device& device = shape_.devices[id.value()];
            if (passes(id, device)) {
                kept.insert(id);
            } else {
                lost.insert(device.index);
            }
        }
        if (is_naming && !devices.is_empty()) {
            reason += ": " + shape_.devices[devices.first()->value()].name + " " + to_text(lost);
        }
        devices = std::move(kept);
        note(constraint, std::move(reason), Count(devices.count()));
    }

    [[nodiscard]] DeviceSet devices(std::size_t i);

    /// Property by property, in the order of mismatch().
    void keep_kind(DeviceSet& devices, const DeviceRequest& request);
    [[nodiscard]] static std::string attributes_text(const DeviceRequest& request);

    /// Those that can be given in the way asked when all are free.
    void keep_shareable(DeviceSet& devices, const DeviceRequest& request);

    /// Those that can be given now. Instances, and shares in all, are subjects of their own.
    void keep_free(DeviceSet& devices, const NodeDemand::Device& demand);
    [[nodiscard]] static bool asks_sum(const DeviceRequest& request);

    /// What the device could give to the request: one device, instances, or shares.
    [[nodiscard]] Count most_of(DeviceId id, const DeviceRequest& request,
                                const NodeLedger& ledger) const;
    [[nodiscard]] static std::int64_t instances(const Device& device,
                                                const std::vector<Slicing::Instance>& held,
                                                std::string_view profile);

    void keep_below_switches(DeviceSet& devices, std::size_t i);
    /// Notes the most devices with one value of what they have to have in common.
    void keep_common(DeviceSet& devices, std::size_t i);

    // Cores.

    void keep(CoreSet& cores, Constraint constraint, std::string reason, const CoreSet& allowed);

    /// The cores that are left, also where none are asked.
    [[nodiscard]] CoreSet cores();

    /// The first of the rows with the most free cores; nothing where cores are not shared.
    [[nodiscard]] std::optional<std::uint32_t> freest_row() const;

    void keep_whole_node(CoreSet& left);

    void keep_packages(CoreSet& left);

    /// Cores that are reserved for devices of which none can be given.
    void keep_unreserved(CoreSet& left);

    void keep_near_devices(CoreSet& left);

    void keep_one_group(CoreSet& left);
    /// CPUs of whole tasks, each in one group of the demand's task level.
    void keep_whole_tasks(const CoreSet& left);

    /// The most of these cores that can be taken when others keep what they have in thousandths.
    /// Those that may serve the demand.
    void keep_wanted(CoreSet& left);
    /// Those with the threads that are wanted of each.
    [[nodiscard]] CoreSet with_threads(const CoreSet& cores) const;
    /// The cores; where these differ, their CPUs.
    [[nodiscard]] Count count_of(const CoreSet& cores) const;
    void leave_milli_cpus(const CoreSet& cores);
    [[nodiscard]] std::string held_in_thousandths() const;

    // Thousandths of CPUs.

    void milli_cpus();

    // Memory.

    [[nodiscard]] Bytes memory_asked() const;

    void memory(const CoreSet& cores);

    const FitProblem& problem_;
    const NodeShape& shape_;
    const NodeDemand& demand_;
    const NodeLedger& ledger_;
    std::vector<DeviceSet> candidates_;  ///< by demand, that can be given
    FitExplanation::Removal now_;        ///< the last step
    std::vector<FitExplanation::Removal> removed_;
};

}  // namespace trestle::detail
