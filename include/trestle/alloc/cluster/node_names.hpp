// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeNames: the names of all nodes, as ranges: a million nodes in a few lines.
//
// Layer: alloc. Main type: NodeNames. Names that count on (`gpu007`, `gpu008`, `gpu009`) are one
// run with a prefix, a first number and a width; all others are runs of one. Runs are as long as
// they can be, so that equal names have equal runs, however they came.
// Pitfall: a node that was removed has no name, and its run cannot be found.

#include <absl/functional/function_ref.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

class NodeNames {
  public:
    /// Nodes that follow each other in ids and in names: prefix, then a number that counts up.
    struct Run {
        std::uint32_t first_node = 0;
        std::uint32_t count = 0;
        std::string prefix;
        std::uint64_t first_number = 0;
        /// The number is padded with zeros to so many digits. 0: the name is the prefix alone.
        std::uint32_t digits = 0;

        static constexpr auto fields(auto list) {
            return list(field("first_node", &Run::first_node), field("count", &Run::count),
                        field("prefix", &Run::prefix), field("first_number", &Run::first_number),
                        field("digits", &Run::digits));
        }
        friend bool operator==(const Run&, const Run&) = default;
    };

    /// The names that runs() of others were, or nothing when these are no such runs.
    [[nodiscard]] static std::optional<NodeNames> from_runs(const std::vector<Run>& runs);

    [[nodiscard]] std::uint32_t size() const { return size_; }
    /// In the order of their nodes.
    [[nodiscard]] const std::vector<Run>& runs() const { return runs_; }

    /// The name of a node; empty for one that was removed. Requires: the node exists.
    /// Complexity: logarithmic in the runs.
    [[nodiscard]] std::string operator[](NodeId node) const;

    /// The nodes that were removed. Complexity: linear in the runs.
    [[nodiscard]] NodeSet holes() const;

    /// The node of that name, or nothing. Complexity: logarithmic in the runs.
    [[nodiscard]] std::optional<NodeId> find(std::string_view name) const;

    /// visit(nodes) for intervals of nodes called `prefix` and a number of `numbers`, of `width`
    /// digits at least (0: as many as it has). Requires: the numbers are below 10^18, `width` at
    /// most 18, and `prefix` does not end with a digit. Complexity: logarithmic in the runs, linear
    /// in those that are met.
    void for_each_in(std::string_view prefix, Interval<std::uint64_t> numbers, std::uint32_t width,
                     absl::FunctionRef<void(Interval<std::uint32_t>)> visit) const;

    /// visit(node) for each node that both have and whose names may differ, rising. Complexity:
    /// linear in the runs, and in the nodes of runs that differ.
    void for_each_difference(const NodeNames& other, absl::FunctionRef<void(NodeId)> visit) const;

    /// Adds a node at the end. Call index() before the next find().
    void append(std::string_view name);

    /// Takes the name from a node, which keeps its place. Requires: the node exists.
    void remove(NodeId node);

    /// Makes all names known to find(). A name that stands twice, or nothing.
    /// Complexity: n log n in the runs.
    [[nodiscard]] std::optional<std::string> index();

    friend bool operator==(const NodeNames& a, const NodeNames& b) { return a.runs_ == b.runs_; }

  private:
    /// A name cut before the digits that it ends with.
    struct Parts {
        std::string_view prefix;
        std::uint64_t number = 0;
        std::uint32_t digits = 0;
        bool is_padded = false;  ///< the number starts with a zero, and is not zero itself
    };
    static constexpr std::uint32_t digits_max = 18;
    static constexpr std::uint64_t number_limit = 1'000'000'000'000'000'000;

    [[nodiscard]] static Parts split(std::string_view name);
    [[nodiscard]] static bool continues(const Run& run, const Parts& parts);
    /// True when a run with its first name begins as this one does, and its numbers are not too
    /// long.
    [[nodiscard]] static bool is_possible(const Run& run);
    [[nodiscard]] static bool is_hole(const Run& run) {
        return run.prefix.empty() && run.digits == 0;
    }
    [[nodiscard]] static std::string name_of(const Run& run, std::uint32_t at);
    using Key = std::tuple<std::string_view, std::uint32_t, std::uint64_t>;
    [[nodiscard]] static Key key(const Run& run);
    void sort_names();
    void append_run(Run run);
    [[nodiscard]] std::size_t run_of(std::uint32_t node) const;
    /// visit(nodes) for what the runs of that prefix and so many digits have of the numbers.
    void visit_runs(std::string_view prefix, std::uint32_t digits, Interval<std::uint64_t> numbers,
                    absl::FunctionRef<void(Interval<std::uint32_t>)> visit) const;
    [[nodiscard]] std::optional<NodeId> find(const Parts& parts, std::uint32_t digits) const;
    [[nodiscard]] std::optional<std::string> first_twice() const;
    /// The lowest number with one digit more.
    [[nodiscard]] static std::uint64_t next_length(std::uint64_t number);

    std::vector<Run> runs_;
    std::vector<std::uint32_t> by_name_;  ///< runs by prefix, digits and first number
    std::uint32_t size_ = 0;
};

}  // namespace trestle
