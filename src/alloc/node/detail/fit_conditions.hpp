// SPDX-License-Identifier: Apache-2.0
#pragma once

// FitConditions: the parts of a demand that can be dropped, and those that cannot be met.
//
// Layer: alloc, internal to explain_fit. Main type: FitConditions. What is dropped is not taken out
// but left open: a dropped demand for devices may still get some, so that dropping never takes away
// a placement (where tasks are dealt it may: packages are then dealt to in another way).
// Pitfall: what lies near to something falls with the thing. Memory near the cores says nothing
// when no cores are asked.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_explanation.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle::detail {

/// `1 CPU`, `8 CPUs a task`.
[[nodiscard]] std::string counted(Count count, std::string_view noun, std::string_view rest = "");

/// `gpu, nic`: the devices that have to have a value in common; empty without any.
[[nodiscard]] std::string common_devices(const NodeDemand& demand,
                                         const Request::CommonAttribute& common);

/// ` (2)` for the second demand for devices of one name; nothing for the first.
[[nodiscard]] std::string number_text(const NodeDemand& demand, std::size_t i);

class FitConditions {
  public:
    /// Which conditions are asked, by number.
    using Choice = std::vector<bool>;

    explicit FitConditions(const NodeDemand& demand);

    [[nodiscard]] std::size_t size() const { return conditions_.size(); }
    [[nodiscard]] const FitExplanation::Condition& operator[](std::size_t i) const {
        return conditions_[i].condition;
    }

    /// The demand when only the chosen conditions are asked. Requires: choice.size() == size().
    [[nodiscard]] NodeDemand reduced(const Choice& choice) const;

  private:
    enum class Part {
        whole_node,
        devices,
        near_device,
        near_switch,
        common,
        cores,
        core_kind,
        milli_cpus,
        packages,
        task_groups,
        near_cores,
        memory,
        near_memory,
    };
    struct Entry {
        Part part;
        std::size_t device;  ///< which demand for devices, or which of common_attributes
        FitExplanation::Condition condition;
    };

    void add(Part part, Constraint constraint, std::string text, std::size_t device = 0);

    void add_devices(std::size_t i);
    void add_common();

    static void drop(NodeDemand& demand, const Entry& entry);
    /// Any number from none to as many as were accepted, anyhow.
    static void drop_devices(NodeDemand::Device& demand);

    [[nodiscard]] static std::string devices_text(const NodeDemand::Device& demand);
    [[nodiscard]] std::string cores_text() const;
    [[nodiscard]] std::string milli_cpus_text() const;
    [[nodiscard]] std::string packages_text() const;
    [[nodiscard]] std::string memory_text() const;

    const NodeDemand& demand_;
    std::vector<Entry> conditions_;
};

/// Calls `refuses(choice)`, which returns the constraint when the chosen conditions cannot be met
/// and nothing when they can or it is unknown, and fills in `alone` or `together`.
/// Requires: all of them cannot be met. Complexity: at most size() + size()^2 calls.
template <class Refuses>
void find_binding(const FitConditions& conditions, const Refuses& refuses,
                  FitExplanation& explanation) {
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        FitConditions::Choice choice(conditions.size(), false);
        choice[i] = true;
        if (const std::optional<Constraint> constraint = refuses(choice)) {
            explanation.alone = FitExplanation::Condition{*constraint, conditions[i].text};
            return;
        }
    }
    FitConditions::Choice choice(conditions.size(), true);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (std::size_t i = conditions.size(); i-- > 0;) {
            if (!choice[i]) continue;
            choice[i] = false;
            const bool is_needed = !refuses(choice);
            choice[i] = is_needed;
            has_changed = has_changed || !is_needed;
        }
    }
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        if (choice[i]) explanation.together.push_back(conditions[i]);
    }
}

}  // namespace trestle::detail
