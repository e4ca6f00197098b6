// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/topology/run_index.hpp"

#include <cstdint>
#include <optional>

#include "trestle/base/contract.hpp"

namespace trestle {

bool RunIndex::contains(std::uint32_t place) const {
    const auto run = run_of(place);
    return run != length_at_.end();
}

std::optional<RunIndex::Window> RunIndex::first_window(std::uint32_t k) const {
    return first_window(k, [](std::uint32_t) { return true; });
}

RunIndex::Runs::const_iterator RunIndex::run_of(std::uint32_t place) const {
    if (length_at_.empty()) return length_at_.end();
    auto run = length_at_.upper_bound(place);
    if (run == length_at_.begin() && !is_ring()) return length_at_.end();
    run = std::prev(run == length_at_.begin() ? length_at_.end() : run);
    return behind(run->first, place) < run->second ? run : length_at_.end();
}

void RunIndex::put(std::uint32_t start, std::uint32_t length) {
    if (length == 0) return;
    length_at_.emplace(start, length);
    by_length_.emplace(length, start);
}

void RunIndex::drop(Runs::const_iterator run) {
    by_length_.erase({run->second, run->first});
    length_at_.erase(run);
}

void RunIndex::add(std::uint32_t place) {
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

void RunIndex::remove(std::uint32_t place) {
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
