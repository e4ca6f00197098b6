// SPDX-License-Identifier: Apache-2.0
#pragma once

// Observer: what a cluster has left as tables of numbers, a row for each node, kept up to date.
//
// Layer: alloc. Main types: Observer, Observer::Options, Observation, Observer::Layout. For
// learners and other code that computes in columns: what is free of each resource, of each device,
// which cores, how much is in fragments. The tables are the caller's; after the first call only
// rows of nodes that changed are written.
// Pitfall: the numbers say what is free, of drained and
// failed nodes too; `is_usable` says which nodes are given out.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/policy.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/shared.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

class Observer {
  public:
    /// The caller's tables, row by row as the layout says; an empty one is not written.
    struct Observation {
        std::span<std::int64_t> free;     ///< nodes x resources
        std::span<std::int64_t> devices;  ///< nodes x devices: thousandths left, -1: there is none
        /// Nodes x core_words: bit c % 64 of word c / 64 is core c.
        std::span<std::uint64_t> cores;
        std::span<double> fragments;  ///< nodes: thousandths of devices that no typical job can use
        std::span<bool> is_usable;    ///< nodes: up and healthy enough to be given out
    };

    /// How large the tables are, and what their columns are.
    struct Layout {
        std::size_t nodes = 0;
        /// Columns of `free`: "cpu" in thousandths of hardware threads, "memory" in bytes, then
        /// consumed devices in thousandths, by name in order of the alphabet.
        std::vector<std::string> resources;
        std::size_t devices = 0;     ///< columns of `devices`: the most that a node has
        std::size_t core_words = 0;  ///< columns of `cores`

        static constexpr auto fields(auto list) {
            return list(field("nodes", &Layout::nodes), field("resources", &Layout::resources),
                        field("devices", &Layout::devices),
                        field("core_words", &Layout::core_words));
        }
        friend bool operator==(const Layout&, const Layout&) = default;
    };

    /// What an observation counts.
    struct Options {
        /// Devices of this name have a column each, and it is they that are in fragments.
        std::string device = "gpu";
        /// Jobs that are expected, which say what a fragment is; none: all fragments are 0.
        Shared<std::vector<PolicyOptions::TypicalJob>> typical_jobs;

        static constexpr auto fields(auto list) {
            return list(field("device", &Options::device),
                        field("typical_jobs", &Options::typical_jobs));
        }
        friend bool operator==(const Options&, const Options&) = default;
    };

    /// For clusters with the nodes of this one.
    explicit Observer(const Cluster& cluster);
    Observer(const Cluster& cluster, Options options);

    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    Observer(Observer&&) noexcept;
    Observer& operator=(Observer&&) noexcept;
    ~Observer();

    [[nodiscard]] const Layout& layout() const;

    /// Writes the rows of nodes that changed since the last call, or all. The nodes whose rows were
    /// written, rising; good until the next call. After a change of the tables by the caller, and
    /// before other tables are passed, call restart(). Errors: InvalidArgument, and nothing is
    /// written, when a table is not as large as the layout says, or the cluster needs another
    /// layout.
    /// Complexity: the nodes that changed times the columns. All nodes the first time, and a look
    /// at all of them where a node, partition or network has been described anew.
    [[nodiscard]] StatusOr<std::span<const NodeId>> observe(const Cluster& cluster,
                                                            const Observation& out);
    /// The next call writes all rows.
    void restart();

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace trestle
