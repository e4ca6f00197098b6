// SPDX-License-Identifier: Apache-2.0
#pragma once

// RunIndex: eligible places in a row or on a ring, kept as runs, so that the best one for k
// neighbours is found without a walk.
//
// Layer: alloc. Used with the ids of nodes as places (contiguous nodes) and with places on a ring.
// The order of windows of k places: shortest run that holds one, then the lowest start of the run,
// then the lowest start inside it.
// Pitfall: on a ring a run may reach over the end, its places are then start, start + 1, ... modulo
// the size; and a ring that is full is one run that starts anywhere.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace trestle {

/// Eligible places of [0, size).
class RunIndex {
  public:
    /// A row ends, a ring does not.
    enum class Ends { open, closed };

    RunIndex() = default;
    /// Without eligible places.
    explicit RunIndex(std::uint32_t size, Ends ends = Ends::open) : size_(size), ends_(ends) {}

    [[nodiscard]] std::uint32_t size() const { return size_; }
    [[nodiscard]] std::uint32_t total() const { return total_; }
    /// The length of the longest run; 0 without eligible places.
    [[nodiscard]] std::uint32_t longest() const {
        return by_length_.empty() ? 0 : by_length_.rbegin()->first;
    }
    [[nodiscard]] bool contains(std::uint32_t place) const;

    /// Requires: the place is inside and not eligible. Complexity: logarithmic in the runs.
    void add(std::uint32_t place);
    /// Requires: the place is eligible.
    void remove(std::uint32_t place);

    /// A window and the run that it lies in.
    struct Window {
        std::uint32_t start = 0;
        std::uint32_t run_length = 0;

        friend bool operator==(const Window&, const Window&) = default;
    };
    /// The first window of `k` places, in the order of the preface, for whose start `accepts` is
    /// true. Requires: k > 0. Complexity: logarithmic in the runs, plus the windows not accepted.
    template <class Accepts>
    [[nodiscard]] std::optional<Window> first_window(std::uint32_t k, Accepts accepts) const {
        for (auto at = by_length_.lower_bound({k, 0}); at != by_length_.end(); ++at) {
            const auto [length, first] = *at;
            const bool goes_around = is_full_ring() && k < size_;
            const std::uint32_t windows = goes_around ? size_ : length - k + 1;
            for (std::uint32_t i = 0; i < windows; ++i) {
                const Window window{modulo(first + i), length};
                if (accepts(window.start)) return window;
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] std::optional<Window> first_window(std::uint32_t k) const;

    friend bool operator==(const RunIndex&, const RunIndex&) = default;

  private:
    using Runs = std::map<std::uint32_t, std::uint32_t>;

    [[nodiscard]] bool is_ring() const { return ends_ == Ends::closed; }
    [[nodiscard]] bool is_full_ring() const { return is_ring() && total_ == size_; }
    /// Of a number below 2 x size.
    [[nodiscard]] std::uint32_t modulo(std::uint64_t place) const {
        return static_cast<std::uint32_t>(place < size_ ? place : place - size_);
    }
    /// How far `place` lies behind the start of a run.
    [[nodiscard]] std::uint32_t behind(std::uint32_t start, std::uint32_t place) const {
        return place >= start ? place - start : place + (size_ - start);
    }
    /// The run that holds the place, or end.
    [[nodiscard]] Runs::const_iterator run_of(std::uint32_t place) const;
    void put(std::uint32_t start, std::uint32_t length);
    void drop(Runs::const_iterator run);

    std::uint32_t size_ = 0;
    Ends ends_ = Ends::open;
    std::uint32_t total_ = 0;
    Runs length_at_;  ///< by start; a full ring starts at 0
    std::set<std::pair<std::uint32_t, std::uint32_t>> by_length_;  ///< length and start
};

}  // namespace trestle
