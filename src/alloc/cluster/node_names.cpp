// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/node_names.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/zero_padding.hpp"
#include "trestle/base/contract.hpp"

namespace trestle {

std::optional<NodeNames> NodeNames::from_runs(const std::vector<Run>& runs) {
    NodeNames names;
    for (const Run& run : runs) {
        if (!is_possible(run) || run.first_node != names.size_ ||
            run.count > std::numeric_limits<std::uint32_t>::max() - names.size_) {
            return std::nullopt;
        }
        names.append_run(run);
    }
    names.sort_names();
    return names;
}

std::string NodeNames::operator[](NodeId node) const {
    TRESTLE_EXPECTS(node.value() < size_, "the node exists");
    const Run& run = runs_[run_of(node.value())];
    return name_of(run, node.value() - run.first_node);
}

NodeSet NodeNames::holes() const {
    NodeSet holes;
    for (const Run& run : runs_) {
        if (is_hole(run)) holes.insert(NodeId(run.first_node));
    }
    return holes;
}

std::optional<NodeId> NodeNames::find(std::string_view name) const {
    if (name.empty()) return std::nullopt;
    const Parts parts = split(name);
    if (parts.digits == 0 || parts.is_padded) return find(parts, parts.digits);
    // The number may have grown to its digits in a run of any smaller width.
    for (std::uint32_t digits = parts.digits; digits != 0; --digits) {
        if (const auto node = find(parts, digits)) return node;
    }
    return std::nullopt;
}

void NodeNames::for_each_in(std::string_view prefix, Interval<std::uint64_t> numbers,
                            std::uint32_t width,
                            absl::FunctionRef<void(Interval<std::uint32_t>)> visit) const {
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

void NodeNames::for_each_difference(const NodeNames& other,
                                    absl::FunctionRef<void(NodeId)> visit) const {
    std::size_t mine = 0;
    std::size_t its = 0;
    const std::uint32_t both = std::min(size_, other.size_);
    for (std::uint32_t node = 0; node < both;) {
        const Run& a = runs_[mine];
        const Run& b = other.runs_[its];
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

void NodeNames::visit_runs(std::string_view prefix, std::uint32_t digits,
                           Interval<std::uint64_t> numbers,
                           absl::FunctionRef<void(Interval<std::uint32_t>)> visit) const {
    const Key wanted(prefix, digits, numbers.first);
    auto at = std::upper_bound(
        by_name_.begin(), by_name_.end(), wanted,
        [&](const Key& name, std::uint32_t run) { return name < key(runs_[run]); });
    if (at != by_name_.begin()) --at;  // it may begin before the first number
    for (; at != by_name_.end(); ++at) {
        const Run& run = runs_[*at];
        if (key(run) >= Key(prefix, digits, numbers.end)) return;
        if (run.prefix != prefix || run.digits != digits) continue;
        const std::uint64_t first = std::max(run.first_number, numbers.first);
        const std::uint64_t last = std::min(run.first_number + run.count, numbers.end);
        if (last <= first) continue;
        const auto node = run.first_node + static_cast<std::uint32_t>(first - run.first_number);
        visit(Interval<std::uint32_t>{node, node + static_cast<std::uint32_t>(last - first)});
    }
}

void NodeNames::append(std::string_view name) {
    const Parts parts = split(name);
    if (!runs_.empty() && continues(runs_.back(), parts)) {
        ++runs_.back().count;
    } else {
        runs_.push_back({size_, 1, std::string(parts.prefix), parts.number,
                         parts.is_padded ? parts.digits : std::min(parts.digits, 1u)});
    }
    ++size_;
}

void NodeNames::remove(NodeId node) {
    NodeNames others;
    for (std::uint32_t i = 0; i < runs_.size(); ++i) {
        Run run = runs_[i];
        const std::uint32_t at = node.value() - run.first_node;
        if (node.value() < run.first_node || at >= run.count) {
            others.append_run(std::move(run));
            continue;
        }
        Run before = run;
        before.count = at;
        Run after = run;
        after.first_node += at + 1;
        after.count -= at + 1;
        after.first_number += at + 1;
        if (digits_of(after.first_number) >= after.digits)
            after.digits = std::min(after.digits, 1u);
        if (before.count != 0) others.append_run(std::move(before));
        others.append_run({node.value(), 1, "", 0, 0});
        if (after.count != 0) others.append_run(std::move(after));
    }
    *this = std::move(others);
    sort_names();
}

std::optional<std::string> NodeNames::index() {
    sort_names();
    return first_twice();
}

NodeNames::Parts NodeNames::split(std::string_view name) {
    std::size_t at = name.size();
    while (at > 0 && name.size() - at < digits_max && name[at - 1] >= '0' && name[at - 1] <= '9') {
        --at;
    }
    Parts parts{name.substr(0, at), 0, static_cast<std::uint32_t>(name.size() - at), false};
    std::from_chars(name.data() + at, name.data() + name.size(), parts.number);
    parts.is_padded = parts.digits > 1 && name[at] == '0';
    return parts;
}

bool NodeNames::continues(const Run& run, const Parts& parts) {
    return run.digits != 0 && parts.digits != 0 && parts.prefix == run.prefix &&
           parts.number == run.first_number + run.count &&
           parts.digits == std::max(run.digits, digits_of(parts.number));
}

bool NodeNames::is_possible(const Run& run) {
    if (run.count == 0 || run.digits > digits_max || run.first_number >= number_limit ||
        run.count > number_limit - run.first_number) {
        return false;
    }
    if (run.digits == 0) {
        return run.count == 1 && run.first_number == 0 && split(run.prefix).digits == 0;
    }
    const std::string first = name_of(run, 0);
    const Parts parts = split(first);
    return parts.prefix == run.prefix && parts.number == run.first_number &&
           run.digits == (parts.is_padded ? parts.digits : 1);
}

std::string NodeNames::name_of(const Run& run, std::uint32_t at) {
    if (run.digits == 0) return run.prefix;
    std::string name = run.prefix;
    append_number(name, run.first_number + at, run.digits);
    return name;
}

NodeNames::Key NodeNames::key(const Run& run) { return {run.prefix, run.digits, run.first_number}; }

void NodeNames::sort_names() {
    by_name_.resize(runs_.size());
    std::iota(by_name_.begin(), by_name_.end(), std::uint32_t{0});
    std::erase_if(by_name_, [&](std::uint32_t run) { return is_hole(runs_[run]); });
    std::sort(by_name_.begin(), by_name_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return key(runs_[a]) < key(runs_[b]); });
}

void NodeNames::append_run(Run run) {
    const Parts first{run.prefix, run.first_number,
                      std::max(run.digits, digits_of(run.first_number)), false};
    size_ += run.count;
    if (run.digits != 0 && !runs_.empty() && continues(runs_.back(), first)) {
        runs_.back().count += run.count;
    } else {
        runs_.push_back(std::move(run));
    }
}

std::size_t NodeNames::run_of(std::uint32_t node) const {
    const auto after = std::upper_bound(
        runs_.begin(), runs_.end(), node,
        [](std::uint32_t wanted, const Run& run) { return wanted < run.first_node; });
    return static_cast<std::size_t>(after - runs_.begin()) - 1;
}

std::optional<NodeId> NodeNames::find(const Parts& parts, std::uint32_t digits) const {
    const Key wanted(parts.prefix, digits, parts.number);
    const auto after = std::upper_bound(
        by_name_.begin(), by_name_.end(), wanted,
        [&](const Key& name, std::uint32_t run) { return name < key(runs_[run]); });
    if (after == by_name_.begin()) return std::nullopt;
    const Run& run = runs_[*std::prev(after)];
    if (run.prefix != parts.prefix || run.digits != digits) return std::nullopt;
    const std::uint64_t at = parts.number - run.first_number;
    if (at >= run.count) return std::nullopt;
    return NodeId(run.first_node + static_cast<std::uint32_t>(at));
}

std::optional<std::string> NodeNames::first_twice() const {
    struct Unpadded {
        std::string_view prefix;
        std::uint64_t first = 0;
        std::uint64_t last = 0;
    };
    std::vector<Unpadded> unpadded;  // numbers written without leading zeros, in any run
    for (std::size_t i = 0; i < by_name_.size(); ++i) {
        const Run& run = runs_[by_name_[i]];
        const Run* before = i == 0 ? nullptr : &runs_[by_name_[i - 1]];
        if (before && before->prefix == run.prefix && before->digits == run.digits &&
            run.first_number < before->first_number + before->count) {
            return name_of(run, 0);
        }
        std::uint64_t first = run.first_number;
        while (run.digits > 1 && digits_of(first) < run.digits) first = next_length(first);
        const std::uint64_t last = run.first_number + run.count;
        if (run.digits != 0 && first < last) unpadded.push_back({run.prefix, first, last});
    }
    std::sort(unpadded.begin(), unpadded.end(), [](const Unpadded& a, const Unpadded& b) {
        return std::tie(a.prefix, a.first) < std::tie(b.prefix, b.first);
    });
    const auto twice = std::adjacent_find(unpadded.begin(), unpadded.end(),
                                          [](const Unpadded& a, const Unpadded& b) {
                                              return a.prefix == b.prefix && b.first < a.last;
                                          });
    if (twice == unpadded.end()) return std::nullopt;
    return std::string(twice->prefix) + std::to_string(std::next(twice)->first);
}

std::uint64_t NodeNames::next_length(std::uint64_t number) {
    std::uint64_t power = 10;
    while (power <= number) power *= 10;
    return power;
}

}  // namespace trestle
