// SPDX-License-Identifier: Apache-2.0
#pragma once

// FitConditions: the parts of a demand, each of which can be dropped, and those that cannot be met.
//
// Layer: alloc, internal to explain_fit. Main type: FitConditions. What is dropped is not taken out
// but left open: a dropped demand for devices may still get some, so that dropping never takes away
// a placement (where tasks are dealt it may: packages are then dealt to in another way).
// A reader would get wrong: what lies near to something falls with the thing. Memory near the cores
// says nothing when no cores are asked.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/alloc/fit/demand.hpp"
#include "trestle/alloc/fit/fit_explanation.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/units.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle::detail {

/// `1 CPU`, `8 CPUs a task`.
[[nodiscard]] inline std::string counted(Count count, std::string_view noun,
                                         std::string_view rest = "") {
    return fmt::format("{} {}{}{}", count, noun, count == Count(1) ? "" : "s", rest);
}

/// ` (2)` for the second demand for devices of one name; nothing for the first.
[[nodiscard]] inline std::string number_text(const NodeDemand& demand, std::size_t i) {
    std::size_t number = 1;
    for (std::size_t j = 0; j < i; ++j) {
        if (demand.devices[j].request.name == demand.devices[i].request.name) ++number;
    }
    return number == 1 ? "" : fmt::format(" ({})", number);
}

class FitConditions {
  public:
    /// Which conditions are asked, by number.
    using Choice = std::vector<bool>;

    explicit FitConditions(const NodeDemand& demand) : demand_(demand) {
        if (demand.exclusivity == Exclusivity::whole_node) {
            add(Part::whole_node, Constraint::cores, "the whole node");
        }
        for (std::size_t i = 0; i < demand.devices.size(); ++i) add_devices(i);
        if (!demand.cpus().is_zero() || !demand.cpus_per_device.is_zero() ||
            !demand.tasks_per_core.is_zero() || !demand.threads_per_core.is_zero()) {
            add(Part::cores, Constraint::cores, cores_text());
        }
        if (!demand.milli_cpus.is_zero()) {
            add(Part::milli_cpus, Constraint::cores, milli_cpus_text());
        }
        if (const std::string text = packages_text(); !text.empty()) {
            add(Part::packages, Constraint::cores, text);
        }
        if (demand.core_locality == Locality::require) {
            add(Part::near_cores, Constraint::locality,
                fmt::format("cores in one group of level {}", demand.core_level));
        }
        if (demand.memory.is_zero()) return;
        add(Part::memory, Constraint::memory, memory_text());
        if (demand.memory_locality == Locality::require) {
            add(Part::near_memory, Constraint::locality, "memory near the cores");
        }
    }

    [[nodiscard]] std::size_t size() const { return conditions_.size(); }
    [[nodiscard]] const Condition& operator[](std::size_t i) const {
        return conditions_[i].condition;
    }

    /// The demand when only the chosen conditions are asked. Requires: choice.size() == size().
    [[nodiscard]] NodeDemand reduced(const Choice& choice) const {
        NodeDemand demand = demand_;
        for (std::size_t i = 0; i < conditions_.size(); ++i) {
            if (!choice[i]) drop(demand, conditions_[i]);
        }
        return demand;
    }

  private:
    enum class Part {
        whole_node,
        devices,
        near_device,
        near_switch,
        cores,
        milli_cpus,
        packages,
        near_cores,
        memory,
        near_memory,
    };
    struct Entry {
        Part part;
        std::size_t device;  ///< which demand for devices
        Condition condition;
    };

    void add(Part part, Constraint constraint, std::string text, std::size_t device = 0) {
        conditions_.push_back({part, device, {constraint, std::move(text)}});
    }

    void add_devices(std::size_t i) {
        const DeviceRequest& request = demand_.devices[i].request;
        const std::string number = number_text(demand_, i);
        add(Part::devices, Constraint::devices, devices_text(demand_.devices[i]) + number, i);
        if (request.locality == Locality::require) {
            add(Part::near_device, Constraint::locality, request.name + number + " near the cores",
                i);
        }
        if (i > 0 && request.device_locality == Locality::require) {
            add(Part::near_switch, Constraint::locality,
                request.name + number + " below one switch with earlier devices", i);
        }
    }

    static void drop(NodeDemand& demand, const Entry& entry) {
        switch (entry.part) {
            case Part::whole_node:
                demand.exclusivity = Exclusivity::shared;
                demand.system_cores = Count();
                break;
            case Part::devices:
                drop_devices(demand.devices[entry.device]);
                break;
            case Part::near_device:
                demand.devices[entry.device].request.locality = Locality::prefer;
                break;
            case Part::near_switch:
                demand.devices[entry.device].request.device_locality = Locality::prefer;
                break;
            case Part::cores:
                demand.cpus_per_task = Count();
                demand.cpus_per_device = Count();
                demand.tasks_per_core = Count();
                demand.threads_per_core = Count();
                demand.memory_locality = Locality::prefer;
                break;
            case Part::milli_cpus:
                demand.milli_cpus = MilliCpu();
                break;
            case Part::packages:
                demand.distribution = Distribution::block;
                demand.tasks_per_socket = Count();
                demand.sockets_per_node = Count();
                demand.cores_per_socket = Count();
                demand.memory_locality = Locality::prefer;
                break;
            case Part::near_cores:
                demand.core_locality = Locality::prefer;
                break;
            case Part::memory:
                demand.memory = Bytes();
                demand.memory_locality = Locality::prefer;
                break;
            case Part::near_memory:
                demand.memory_locality = Locality::prefer;
                break;
        }
    }
    /// Any number from none to as many as were accepted, anyhow.
    static void drop_devices(DeviceDemand& demand) {
        demand.count.min.reset();
        demand.sockets = Count();
        demand.request.total_memory = {};
        if (demand.request.shares_per == Per::node && !demand.request.shares.is_zero()) {
            demand.request.shares = Count(1);
            demand.request.shares_per = Per::device;
        }
    }

    [[nodiscard]] static std::string devices_text(const DeviceDemand& demand) {
        const DeviceRequest& request = demand.request;
        std::string text = to_text(demand.count) + " " + request.name;
        for (std::size_t i = 0; i < request.types.size(); ++i) {
            text += (i == 0 ? ":" : "|") + request.types[i];
        }
        if (!request.slice.empty()) text += " " + request.slice;
        if (request.shares.is_zero()) return text;
        return text + fmt::format(" with {} shares {}", request.shares,
                                  request.shares_per == Per::node ? "in all" : "each");
    }
    [[nodiscard]] std::string cores_text() const {
        std::string text = counted(demand_.cpus_per_task, "CPU");
        if (demand_.tasks != Count(1)) text = counted(demand_.tasks, "task", " of ") + text;
        const auto also = [&](Count count, const char* noun, const char* rest) {
            if (!count.is_zero()) text += ", " + counted(count, noun, rest);
        };
        also(demand_.cpus_per_device, "CPU", " a device");
        also(demand_.tasks_per_core, "task", " a core");
        also(demand_.threads_per_core, "thread", " a core");
        return text;
    }
    [[nodiscard]] std::string milli_cpus_text() const {
        return fmt::format("{} thousandths of a CPU{}", demand_.milli_cpus,
                           demand_.tasks == Count(1) ? "" : " a task");
    }
    [[nodiscard]] std::string packages_text() const {
        std::string text;
        if (demand_.distribution != Distribution::block) {
            text = fmt::format("tasks dealt {}", demand_.distribution);
        }
        const auto also = [&](Count count, const char* noun, const char* rest) {
            if (!count.is_zero()) text += (text.empty() ? "" : ", ") + counted(count, noun, rest);
        };
        also(demand_.tasks_per_socket, "task", " a socket");
        also(demand_.sockets_per_node, "socket", "");
        also(demand_.cores_per_socket, "free core", " a socket");
        return text;
    }
    [[nodiscard]] std::string memory_text() const {
        std::string text = fmt::format("{} of memory", demand_.memory);
        if (demand_.memory_per == Per::cpu) text += " a CPU";
        if (demand_.memory_per == Per::device) text += " a device";
        return text;
    }

    const NodeDemand& demand_;
    std::vector<Entry> conditions_;
};

/// Calls `refuses(choice)`, which returns the constraint when the chosen conditions cannot be met
/// and nothing when they can or nobody knows, and fills in `alone` or `together`.
/// Requires: all of them cannot be met. Complexity: at most size() + size()² calls.
template <class Refuses>
void find_binding(const FitConditions& conditions, const Refuses& refuses,
                  FitExplanation& explanation) {
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        FitConditions::Choice choice(conditions.size(), false);
        choice[i] = true;
        if (const std::optional<Constraint> constraint = refuses(choice)) {
            explanation.alone = Condition{*constraint, conditions[i].text};
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
