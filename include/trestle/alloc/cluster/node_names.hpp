// SPDX-License-Identifier: Apache-2.0
#pragma once

// NodeNames: the names of all nodes, as ranges: a million nodes in a few lines.
//
// Layer: alloc. Main type: NodeNames. Names that count on (`gpu007`, `gpu008`, `gpu009`) are one
// run with a prefix, a first number and a width; all others are runs of one. Runs are as long as
// they can be, so that equal names have equal runs, however they came. A reader would get wrong: a
// node that was removed has no name, and its run cannot be found.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/zero_padding.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {

/// Nodes that follow each other in ids and in names: prefix, then a number that counts up.
struct NameRun {
    std::uint32_t first_node = 0;
    std::uint32_t count = 0;
    std::string prefix;
    std::uint64_t first_number = 0;
    std::uint32_t digits = 0;  ///< numbers have at least so many; 0: the name is the prefix alone

    static constexpr auto fields(auto list) {
        return list(field("first_node", &NameRun::first_node), field("count", &NameRun::count),
                    field("prefix", &NameRun::prefix),
                    field("first_number", &NameRun::first_number),
                    field("digits", &NameRun::digits));
    }
    friend bool operator==(const NameRun&, const NameRun&) = default;
};

class NodeNames {
  public:
    /// The names that runs() of others were, or nothing when these are no such runs.
    [[nodiscard]] static std::optional<NodeNames> from_runs(const std::vector<NameRun>& runs);

    [[nodiscard]] std::uint32_t size() const { return size_; }
    /// In the order of their nodes.
    [[nodiscard]] const std::vector<NameRun>& runs() const { return runs_; }

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
    template <class Visit>
    void for_each_in(std::string_view prefix, Interval<std::uint64_t> numbers, std::uint32_t width,
                     const Visit& visit) const {
        for (std::uint64_t first = numbers.first; first < numbers.end;) {
            const std::uint32_t digits = digits_of(first);
            const std::uint64_t last = std::min(numbers.end, next_length(first));
            if (digits < width) {
                visit_runs(prefix, width, {first, last}, visit);
            } else {  // a number may have grown to its digits in a run of any smaller width
                for (std::uint32_t run = digits; run != 0; --run) {
                    visit_runs(prefix, run, {first, last}, visit);
                }
            }
            first = last;
        }
    }

    /// visit(node) for each node that both have and whose names may differ, rising. Complexity:
    /// linear in the runs, and in the nodes of runs that differ.
    template <class Visit>
    void for_each_difference(const NodeNames& other, const Visit& visit) const {
        std::size_t mine = 0;
        std::size_t its = 0;
        const std::uint32_t both = std::min(size_, other.size_);
        for (std::uint32_t node = 0; node < both;) {
            const NameRun& a = runs_[mine];
            const NameRun& b = other.runs_[its];
            const std::uint32_t a_end = a.first_node + a.count;
            const std::uint32_t b_end = b.first_node + b.count;
            const std::uint32_t end = std::min({a_end, b_end, both});
            const bool is_same =
                a.prefix == b.prefix && a.digits == b.digits &&
                a.first_number + (node - a.first_node) == b.first_number + (node - b.first_node);
            for (; !is_same && node < end; ++node) visit(NodeId(node));
            node = end;
            mine += a_end == end ? 1 : 0;
            its += b_end == end ? 1 : 0;
        }
    }

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
    [[nodiscard]] static bool continues(const NameRun& run, const Parts& parts);
    /// True when a run with its first name begins as this one does, and its numbers are not too
    /// long.
    [[nodiscard]] static bool is_possible(const NameRun& run);
    [[nodiscard]] static bool is_hole(const NameRun& run) {
        return run.prefix.empty() && run.digits == 0;
    }
    [[nodiscard]] static std::string name_of(const NameRun& run, std::uint32_t at);
    using Key = std::tuple<std::string_view, std::uint32_t, std::uint64_t>;
    [[nodiscard]] static Key key(const NameRun& run);
    void sort_names();
    void append_run(NameRun run);
    [[nodiscard]] std::size_t run_of(std::uint32_t node) const;
    /// visit(nodes) for what the runs of that prefix and so many digits have of the numbers.
    template <class Visit>
    void visit_runs(std::string_view prefix, std::uint32_t digits, Interval<std::uint64_t> numbers,
                    const Visit& visit) const {
        const Key wanted(prefix, digits, numbers.first);
        auto at = std::upper_bound(
            by_name_.begin(), by_name_.end(), wanted,
            [&](const Key& name, std::uint32_t run) { return name < key(runs_[run]); });
        if (at != by_name_.begin()) --at;  // it may begin before the first number
        for (; at != by_name_.end(); ++at) {
            const NameRun& run = runs_[*at];
            if (key(run) >= Key(prefix, digits, numbers.end)) return;
            if (run.prefix != prefix || run.digits != digits) continue;
            const std::uint64_t first = std::max(run.first_number, numbers.first);
            const std::uint64_t last = std::min(run.first_number + run.count, numbers.end);
            if (last <= first) continue;
            const auto node = run.first_node + static_cast<std::uint32_t>(first - run.first_number);
            visit(Interval<std::uint32_t>{node, node + static_cast<std::uint32_t>(last - first)});
        }
    }
    [[nodiscard]] std::optional<NodeId> find(const Parts& parts, std::uint32_t digits) const;
    [[nodiscard]] std::optional<std::string> first_twice() const;
    /// The lowest number with one digit more.
    [[nodiscard]] static std::uint64_t next_length(std::uint64_t number);

    std::vector<NameRun> runs_;
    std::vector<std::uint32_t> by_name_;  ///< runs by prefix, digits and first number
    std::uint32_t size_ = 0;
};

}  // namespace trestle
