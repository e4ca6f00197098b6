// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hostlist: bracketed lists of names, `n[01-04],login`, `/dev/nvidia[0-3]`, kept as runs.
//
// Layer: dialect/slurm. Main type: Hostlist. Names that follow each other in equal steps of one
// number, wherever it stands, are one run. Ten million nodes are a few numbers until their names
// are asked for. Several brackets in one name multiply, the last one fastest.
// Pitfall: a leading zero fixes the width, so `n[1-10]` and `n[01-10]` are different names. A list
// keeps its order and says names twice; sorted(), &, | and - give sets.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/contract.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"

namespace trestle::slurm {

/// Limits of a text, so that `n[0-4294967294]x[0-9]` cannot exhaust the memory.
struct HostlistLimits {
    std::uint64_t max_names = std::uint64_t{1} << 32;  ///< 2^62 at most
    /// The most runs of the list. It also limits the names of a bracket that is followed by another
    /// bracket of several numbers. The same where its numbers would have more than 18 digits. Set
    /// operations may split a range of more than 64 names with a step, or with another number
    /// behind it. So it counts as a thousand runs and one for each sixteen names.
    std::size_t max_runs = 1'000'000;

    static constexpr auto fields(auto list) {
        return list(field("max_names", &HostlistLimits::max_names),
                    field("max_runs", &HostlistLimits::max_runs));
    }
    friend bool operator==(const HostlistLimits&, const HostlistLimits&) = default;
};

class Hostlist {
  public:
    Hostlist() = default;
    Hostlist(const Hostlist&) = default;
    Hostlist(Hostlist&& other) noexcept { swap(other); }
    Hostlist& operator=(const Hostlist&) = default;
    Hostlist& operator=(Hostlist&& other) noexcept {
        Hostlist(std::move(other)).swap(*this);
        return *this;
    }
    ~Hostlist() = default;
    void swap(Hostlist& other) noexcept {
        groups_.swap(other.groups_);
        std::swap(size_, other.size_);
        std::swap(runs_, other.runs_);
    }

    /// The names of a text, in its order, separated by a comma, blanks or both. Errors: an empty
    /// name or bracket, a bracket without end, a range that goes down, a step of 0. A bound that is
    /// no number below 10^18, and more than the limits allow. Complexity: linear in the text and
    /// the runs.
    [[nodiscard]] static StatusOr<Hostlist> parse(std::string_view text,
                                                  HostlistLimits limits = {});
    [[nodiscard]] static TextResult<Hostlist> read(TextCursor text, HostlistLimits limits = {});

    [[nodiscard]] std::uint64_t size() const { return size_; }
    [[nodiscard]] bool is_empty() const { return size_ == 0; }

    /// The name at a position. Requires: position < size().
    /// Complexity: logarithmic in the runs.
    [[nodiscard]] std::string operator[](std::uint64_t position) const;
    /// The first position of a name, or nothing. Complexity: linear in the runs.
    [[nodiscard]] std::optional<std::uint64_t> find(std::string_view name) const;
    [[nodiscard]] bool contains(std::string_view name) const { return find(name).has_value(); }
    /// visit(name) for each, in order.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (const Group& group : groups_) {
            for (const Run& run : group.runs) {
                for (std::uint64_t i = 0; i < run.count; ++i) visit(name_of(group, run, i));
            }
        }
    }
    /// Names that count on: what stands around the number, the numbers, and how many digits they
    /// have at least (0: as many as there are). A name without a number has no width. Numbers may
    /// stand in the suffix too.
    struct Stretch {
        std::string_view prefix;
        std::string_view suffix;
        std::uint64_t first = 0;
        std::uint64_t count = 0;
        std::uint64_t step = 1;
        std::optional<std::uint32_t> width;

        /// Requires: i < count.
        [[nodiscard]] std::string name(std::uint64_t i) const;
    };
    /// visit(stretch) for each, in order. Complexity: linear in the runs.
    template <class Visit>
    void for_each_stretch(const Visit& visit) const {
        for (const Group& group : groups_) {
            for (const Run& run : group.runs) {
                visit(stretch_of(group, run));
            }
        }
    }
    /// All of them. Complexity: linear in the names.
    [[nodiscard]] std::vector<std::string> names() const;

    /// Adds a name at the end. Requires: it has no comma and no bracket, and is not empty.
    void push_back(std::string_view name);
    /// Adds all names of another at the end.
    void append(const Hostlist& other);

    /// Each name once, ordered by the text before its last number, the text behind it, the number
    /// of digits, and the number. More than 64 names that advance by steps, or by a number before
    /// the last one, stay together. They stand at the place of the first, if necessary in parts.
    /// Complexity: n log n in the runs; times the number of such ranges, if there are any.
    [[nodiscard]] Hostlist sorted() const;
    /// Names that both have, that either has, that only the first has; sorted(), each once.
    /// Complexity: as sorted(), in the runs of both and in the parts that come of ranges.
    friend Hostlist operator&(const Hostlist& a, const Hostlist& b);
    friend Hostlist operator|(const Hostlist& a, const Hostlist& b);
    friend Hostlist operator-(const Hostlist& a, const Hostlist& b);

    /// The same names in the same order.
    friend bool operator==(const Hostlist& a, const Hostlist& b) { return a.groups_ == b.groups_; }
    void hash_into(HashState& state) const {
        for (const Group& group : groups_) {
            trestle::hash_into(state, group.prefix);
            trestle::hash_into(state, group.suffix);
            for (const Run& run : group.runs) {
                state.add(run.first);
                state.add(run.count);
                state.add(run.step);
                state.add(run.width);
            }
        }
    }

    /// `n[1-3,7],login`: as short as the order lets it be. Up to 64 names in a row are written as
    /// Slurm does, by their last number and without steps (`n[1,3,5]`). More are written as
    /// `n[1-199:2]` and `n[1-100]-ib0`. parse() reads it back, where there is a name and its limits
    /// allow as many.
    friend std::string to_text(const Hostlist& list);

  private:
    static constexpr std::uint32_t no_number = std::numeric_limits<std::uint32_t>::max();
    /// Longer ranges with a step or of a number before the last one stay ranges in sets and texts.
    static constexpr std::uint64_t written_out_max = 64;

    /// Names that count on. One alone counts by its last number, and its step is 1.
    struct Run {
        std::uint64_t first = 0;
        std::uint64_t count = 0;
        std::uint64_t position = 0;  ///< of the first one in the list
        std::uint64_t step = 1;
        std::uint32_t width = 0;  ///< digits at least, 0: as many as there are; or no_number

        [[nodiscard]] std::uint64_t number(std::uint64_t i) const { return first + i * step; }
        friend bool operator==(const Run&, const Run&) = default;
    };
    /// Runs that follow each other, of names alike but for the same number.
    struct Group {
        std::string prefix;
        std::string suffix;
        std::vector<Run> runs;
        friend bool operator==(const Group&, const Group&) = default;
    };
    friend class HostlistReader;
    friend class HostlistPrinter;
    friend class HostSet;

    [[nodiscard]] static std::string name_of(const Group& group, const Run& run, std::uint64_t i);
    /// Adds a run at the end, as if name by name. Requires: the digits around the number are its
    /// own.
    void append(std::string_view prefix, std::string_view suffix, Run run);
    /// How many names of the run the last one took, as they go on there.
    [[nodiscard]] std::uint64_t extend_last(std::string_view prefix, std::string_view suffix,
                                            const Run& run);
    /// The same where the last run is a single name, or counts another number.
    [[nodiscard]] std::uint64_t extend_otherwise(std::string_view prefix, std::string_view suffix,
                                                 const Run& run);
    /// Adds a run that goes on nowhere.
    void push_run(std::string_view prefix, std::string_view suffix, Run run);
    void pop_single();

    [[nodiscard]] static bool has_number(const Run& run) { return run.width != no_number; }
    [[nodiscard]] static Stretch stretch_of(const Group& group, const Run& run) {
        return {group.prefix, group.suffix,
                run.first,    run.count,
                run.step,     has_number(run) ? std::optional(run.width) : std::nullopt};
    }

    /// All runs of a group have a number, or none has. Each run is as long as names from its first
    /// one on let it be, so that equal lists have equal runs, however they came.
    std::vector<Group> groups_;
    std::uint64_t size_ = 0;
    std::size_t runs_ = 0;
};

}  // namespace trestle::slurm
