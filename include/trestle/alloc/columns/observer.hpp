// SPDX-License-Identifier: Apache-2.0
#pragma once

// Observer: what a cluster has left as tables of numbers, a row for each node, kept up to date.
//
// Layer: alloc. Main types: Observer, ObserveOptions, Observation, ObservationLayout. For learners
// and for whoever computes in columns: what is free of each resource, of each device, which cores,
// how much is in fragments. The tables are the caller's; after the first call only rows of nodes
// that changed are written.
// A reader would get wrong: the numbers say what nobody has, of drained and failed nodes too;
// `is_usable` says which nodes are given out.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster.hpp"
#include "trestle/alloc/place/amounts.hpp"
#include "trestle/alloc/place/policy.hpp"
#include "trestle/alloc/place/typical_jobs.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

/// What an observation counts.
struct ObserveOptions {
    /// Devices of this name have a column each, and it is they that are in fragments.
    std::string device = "gpu";
    /// Jobs that are expected, which say what a fragment is; none: all fragments are 0.
    Shared<std::vector<TypicalJob>> typical_jobs;

    static constexpr auto fields(auto list) {
        return list(field("device", &ObserveOptions::device),
                    field("typical_jobs", &ObserveOptions::typical_jobs));
    }
    friend bool operator==(const ObserveOptions&, const ObserveOptions&) = default;
};

/// How large the tables are, and what their columns are.
struct ObservationLayout {
    std::size_t nodes = 0;
    /// Columns of `free`: "cpu" in thousandths of hardware threads, "memory" in bytes, then the
    /// names of consumed devices in order of the alphabet, in thousandths of a device.
    std::vector<std::string> resources;
    std::size_t devices = 0;     ///< columns of `devices`: the most that a node has
    std::size_t core_words = 0;  ///< columns of `cores`

    static constexpr auto fields(auto list) {
        return list(field("nodes", &ObservationLayout::nodes),
                    field("resources", &ObservationLayout::resources),
                    field("devices", &ObservationLayout::devices),
                    field("core_words", &ObservationLayout::core_words));
    }
    friend bool operator==(const ObservationLayout&, const ObservationLayout&) = default;
};

/// The caller's tables, row by row as ObservationLayout says; an empty one is not written.
struct Observation {
    std::span<std::int64_t> free;     ///< nodes x resources
    std::span<std::int64_t> devices;  ///< nodes x devices: thousandths left, -1: there is none
    std::span<std::uint64_t> cores;   ///< nodes x core_words: bit c % 64 of word c / 64 is core c
    std::span<double> fragments;      ///< nodes: thousandths of devices that no typical job can use
    std::span<bool> is_usable;        ///< nodes: up and healthy enough to be given out
};

class Observer {
  public:
    /// For clusters with the nodes of this one.
    explicit Observer(const Cluster& cluster, ObserveOptions options = {});

    [[nodiscard]] const ObservationLayout& layout() const { return layout_; }

    /// Writes the rows of nodes that changed since the last call, or all. The nodes whose rows were
    /// written, rising; good until the next call. Whoever writes into the tables, or gives others,
    /// says restart() before. Errors: InvalidArgument, and nothing is written, when a table is not
    /// as large as the layout says, or the cluster needs another layout.
    /// Complexity: the nodes that changed times the columns; all nodes the first time, and a look
    /// at all of them where a node, partition or network has been described anew.
    [[nodiscard]] StatusOr<std::span<const NodeId>> observe(const Cluster& cluster,
                                                            const Observation& out);
    /// The next call writes all rows.
    void restart() { followed_ = JournalPosition(); }

  private:
    /// What all nodes of a class have in common.
    struct OfClass {
        /// Of each resource from the third on, the amounts of its devices.
        std::vector<detail::ClassAmounts> by_name;
        detail::ClassAmounts shown;  ///< devices of ObserveOptions::device
        TypicalJobs typical;
    };

    [[nodiscard]] static ObservationLayout layout_of(const Cluster& cluster,
                                                     const ObserveOptions& options);
    [[nodiscard]] Status check(const Observation& out) const;
    /// Requires: the cluster has this layout.
    void learn(const Cluster& cluster);
    void write(const Cluster& cluster, NodeId node, const Observation& out) const;

    ObserveOptions options_;
    ObservationLayout layout_;
    Cow<detail::Description> description_;  ///< of the cluster that was looked at last
    std::vector<OfClass> classes_;          ///< by ClassId
    JournalPosition followed_;
    std::vector<NodeId> changed_;
};

inline Observer::Observer(const Cluster& cluster, ObserveOptions options)
    : options_(std::move(options)), layout_(layout_of(cluster, options_)) {
    learn(cluster);
}

inline ObservationLayout Observer::layout_of(const Cluster& cluster,
                                             const ObserveOptions& options) {
    ObservationLayout layout{cluster.node_count(), {"cpu", "memory"}, 0, 0};
    std::set<std::string> names;
    for (std::uint32_t n = 0; n < cluster.node_count(); ++n) {
        const NodeShape& shape = cluster.shape(NodeId(n));
        std::size_t shown = 0;
        for (const Device& device : shape.devices) {
            if (!device.is_consumed) continue;
            names.insert(device.name);
            if (device.name == options.device) ++shown;
        }
        layout.devices = std::max(layout.devices, shown);
        layout.core_words =
            std::max<std::size_t>(layout.core_words, (shape.hardware.core_count() + 63) / 64);
    }
    layout.resources.insert(layout.resources.end(), names.begin(), names.end());
    return layout;
}

inline Status Observer::check(const Observation& out) const {
    const auto check_size = [](std::string_view name, std::size_t given, std::size_t expected) {
        if (given == 0 || given == expected) return Status();
        return invalid_argument("{}: {} entries, expected {}", name, given, expected);
    };
    const std::size_t nodes = layout_.nodes;
    TRESTLE_TRY_STATUS(check_size("free", out.free.size(), nodes * layout_.resources.size()));
    TRESTLE_TRY_STATUS(check_size("devices", out.devices.size(), nodes * layout_.devices));
    TRESTLE_TRY_STATUS(check_size("cores", out.cores.size(), nodes * layout_.core_words));
    TRESTLE_TRY_STATUS(check_size("fragments", out.fragments.size(), nodes));
    return check_size("is_usable", out.is_usable.size(), nodes);
}

inline void Observer::learn(const Cluster& cluster) {
    description_ = cluster.description();
    classes_.clear();
    for (std::uint32_t c = 0; c < cluster.classes().size(); ++c) {
        const detail::KnownClass& known = cluster.classes().known(ClassId(c));
        OfClass one{{}, detail::class_amounts(known, options_.device), {}};
        for (std::size_t r = 2; r < layout_.resources.size(); ++r) {
            one.by_name.push_back(detail::class_amounts(known, layout_.resources[r]));
        }
        one.typical = TypicalJobs(*options_.typical_jobs, *known.value.shape, one.shown.devices);
        classes_.push_back(std::move(one));
    }
}

inline StatusOr<std::span<const NodeId>> Observer::observe(const Cluster& cluster,
                                                           const Observation& out) {
    TRESTLE_TRY_STATUS(check(out));
    if (!description_.is_same_object(cluster.description())) {
        if (layout_of(cluster, options_) != layout_) {
            return invalid_argument(
                "the cluster has other nodes or devices than the one that the "
                "observer was made for");
        }
        learn(cluster);
    }
    changed_.clear();
    if (const auto changed = cluster.journal().since(followed_)) {
        changed_.assign(changed->begin(), changed->end());
        std::sort(changed_.begin(), changed_.end());
        changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    } else {
        for (std::uint32_t n = 0; n < cluster.node_count(); ++n) changed_.emplace_back(n);
    }
    followed_ = cluster.journal().position();
    for (const NodeId node : changed_) write(cluster, node, out);
    return std::span<const NodeId>(changed_);
}

inline void Observer::write(const Cluster& cluster, NodeId node, const Observation& out) const {
    const NodeStateData& data = cluster.states().of_node(node);
    const FreeState& free = data.free;
    const detail::KnownClass& known = cluster.classes().known(data.node_class);
    const OfClass& one = classes_[data.node_class.value()];
    const auto row = [node](const auto& table, std::size_t columns) {
        return table.subspan(node.value() * columns, columns);
    };
    if (!out.free.empty()) {
        const auto amounts = row(out.free, layout_.resources.size());
        const FreeSums sums = sums_of(free, *known.value.shape, known.threads);
        amounts[0] = sums.milli_cpus.value();
        amounts[1] = sums.memory.value();
        for (std::size_t r = 2; r < amounts.size(); ++r) {
            amounts[r] = detail::amounts_of(known, one.by_name[r - 2].devices, free).all_devices;
        }
    }
    const NodeAmounts shown = detail::amounts_of(known, one.shown.devices, free);
    if (!out.devices.empty()) {
        const auto devices = row(out.devices, layout_.devices);
        const auto end = std::copy(shown.devices.begin(), shown.devices.end(), devices.begin());
        std::fill(end, devices.end(), -1);
    }
    if (!out.cores.empty()) {
        const auto words = row(out.cores, layout_.core_words);
        std::fill(words.begin(), words.end(), 0);
        for (const CoreId core : free.cores) {
            words[core.value() / 64] |= std::uint64_t{1} << (core.value() % 64);
        }
    }
    if (!out.fragments.empty()) {
        out.fragments[node.value()] = one.typical.fragments(one.typical.rooms(shown));
    }
    if (!out.is_usable.empty()) out.is_usable[node.value()] = is_usable(known.value);
}

}  // namespace trestle
