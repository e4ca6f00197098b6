// SPDX-License-Identifier: Apache-2.0
#pragma once

// RunIndex: eligible places in a row or on a ring, kept as runs, so that the best one for k
// neighbours is found without a walk.
//
// Layer: alloc. Used with the ids of nodes as places (contiguous nodes) and with places on a ring.
// The order of windows of k places: shortest run that holds one, then the lowest start of the run,
// then the lowest start inside it.
// A reader would get wrong: on a ring a run may reach over the end, its places are then start,
// start + 1, ... modulo the size; and a ring that is full is one run that starts anywhere.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "trestle/base/contract.hpp"

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
    [[nodiscard]] bool contains(std::uint32_t place) const {
        const auto run = run_of(place);
        return run != length_at_.end();
    }

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
    [[nodiscard]] std::optional<Window> first_window(std::uint32_t k) const {
        return first_window(k, [](std::uint32_t) { return true; });
    }

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
    [[nodiscard]] Runs::const_iterator run_of(std::uint32_t place) const {
        if (length_at_.empty()) return length_at_.end();
        auto run = length_at_.upper_bound(place);
        if (run == length_at_.begin() && !is_ring()) return length_at_.end();
        run = std::prev(run == length_at_.begin() ? length_at_.end() : run);
        return behind(run->first, place) < run->second ? run : length_at_.end();
    }
    void put(std::uint32_t start, std::uint32_t length) {
        if (length == 0) return;
        length_at_.emplace(start, length);
        by_length_.emplace(length, start);
    }
    void drop(Runs::const_iterator run) {
        by_length_.erase({run->second, run->first});
        length_at_.erase(run);
    }

    std::uint32_t size_ = 0;
    Ends ends_ = Ends::open;
    std::uint32_t total_ = 0;
    Runs length_at_;  ///< by start; a full ring starts at 0
    std::set<std::pair<std::uint32_t, std::uint32_t>> by_length_;  ///< length and start
};

inline void RunIndex::add(std::uint32_t place) {
    TRESTLE_EXPECTS(place < size_ && !contains(place), "a place is inside and not eligible yet");
    std::uint32_t start = place;
    std::uint32_t length = 1;
    ++total_;
    if (is_full_ring()) {
        length_at_.clear();
        by_length_.clear();
        put(0, size_);
        return;
    }
    if (place != 0 || is_ring()) {
        const auto before = run_of(place == 0 ? size_ - 1 : place - 1);
        if (before != length_at_.end()) {
            start = before->first;
            length += before->second;
            drop(before);
        }
    }
    if (place + 1 != size_ || is_ring()) {
        const auto after = run_of(modulo(std::uint64_t{place} + 1));
        if (after != length_at_.end()) {
            length += after->second;
            drop(after);
        }
    }
    put(start, length);
}

inline void RunIndex::remove(std::uint32_t place) {
    TRESTLE_EXPECTS(place < size_ && contains(place), "a place is inside and eligible");
    const auto run = run_of(place);
    const auto [start, length] = *run;
    const bool is_full = is_full_ring();
    drop(run);
    --total_;
    const std::uint32_t next = modulo(std::uint64_t{place} + 1);
    if (is_full) {
        put(next, size_ - 1);
        return;
    }
    const std::uint32_t before = behind(start, place);
    put(start, before);
    put(next, length - before - 1);
}

}  // namespace trestle
