// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/slice_deal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "trestle/model/locality.hpp"

namespace trestle {

namespace detail {

SliceDeal::SliceDeal(const FitProblem& problem, const FreeState& state,
                     const DeviceMatches& matches)
    : problem_(problem), state_(state) {
    const std::vector<NodeDemand::Device>& demands = problem.demand().devices;
    for (std::uint32_t i = 0; i < demands.size(); ++i) {
        if (!demands[i].request.slice.empty()) demands_.push_back(i);
    }
    if (demands_.empty()) return;
    cards_.resize(problem.shape().devices.size());
    for (std::size_t place = 0; place < demands_.size(); ++place) {
        for (const DeviceId device : matches[demands_[place]]) open(device, place);
    }
    counts_devices_ = problem.has_links() || problem.has_reserved_cores();
    find_groups();
    find_kinds();
}

std::int64_t SliceDeal::available(std::size_t demand) const {
    const auto place = std::find(demands_.begin(), demands_.end(), demand) - demands_.begin();
    std::int64_t sum = 0;
    for (const Card& card : cards_) {
        if (!card.space) continue;
        const auto profile = card.profiles[static_cast<std::size_t>(place)];
        if (profile) sum += card.space->possible(*profile);
    }
    return sum;
}

bool SliceDeal::prepare(const std::vector<std::uint32_t>& counts, StepBudget& budget) {
    wanted_.clear();
    for (const std::uint32_t demand : demands_) wanted_.push_back(counts[demand]);
    for (std::uint32_t d = 0; d < cards_.size(); ++d) {
        Card& card = cards_[d];
        card.options.clear();
        if (!card.space || card.twin != d) continue;
        std::vector<std::uint32_t> given(demands_.size(), 0);
        add_options(card, given, 0, std::nullopt, budget);
        if (budget.left == 0) return false;
    }
    return true;
}

void SliceDeal::open(DeviceId id, std::size_t place) {
    const Device& device = problem_.shape().devices[id.value()];
    Card& card = cards_[id.value()];
    if (!card.space) {
        card.held = state_.slices_of(id);
        if (card.held.empty() && state_.shares[id.value()] != device.shares) return;
        card.space.emplace(*device.slicing, card.held);
        card.profiles.resize(demands_.size());
    }
    card.profiles[place] =
        card.space->find(problem_.demand().devices[demands_[place]].request.slice);
}

void SliceDeal::find_groups() {
    const std::vector<Device>& devices = problem_.shape().devices;
    std::vector<std::uint32_t> heads;
    for (std::uint32_t d = 0; d < cards_.size(); ++d) {
        Card& card = cards_[d];
        if (!card.space) continue;
        card.twin = d;
        for (std::uint32_t other = 0; other < d && card.twin == d; ++other) {
            const Card& twin = cards_[other];
            const bool is_same = twin.space && twin.twin == other && twin.held == card.held &&
                                 twin.profiles == card.profiles &&
                                 devices[other].slicing == devices[d].slicing;
            if (is_same) card.twin = other;
        }
        const auto head = std::find_if(heads.begin(), heads.end(), [&](std::uint32_t other) {
            return are_alike(DeviceId(other), DeviceId(d));
        });
        card.group = static_cast<std::uint32_t>(head - heads.begin());
        if (head == heads.end()) heads.push_back(d);
    }
    groups_ = static_cast<std::uint32_t>(heads.size());
}

bool SliceDeal::are_alike(DeviceId a, DeviceId b) const {
    const Device& x = problem_.shape().devices[a.value()];
    const Device& y = problem_.shape().devices[b.value()];
    if (x.name != y.name || x.health != y.health || x.reserved_cores != y.reserved_cores ||
        x.slicing->geometry != y.slicing->geometry) {
        return false;
    }
    for (const std::uint32_t i : demands_) {
        if (problem_.zone_of(i, a) != problem_.zone_of(i, b)) return false;
    }
    for (const NodeDemand::Device& demand : problem_.demand().devices) {
        const bool is_per_socket = !demand.sockets.is_zero();
        const bool asks_switch = demand.request.device_locality != Strictness::ignore;
        if (is_per_socket && problem_.package_of(a) != problem_.package_of(b)) return false;
        if (asks_switch && x.switches != y.switches) return false;
    }
    if (!problem_.has_links()) return true;
    if (is_untouched(a) != is_untouched(b)) return false;
    for (std::uint32_t k = 0; k < cards_.size(); ++k) {
        const DeviceId other(k);
        if (other == a || other == b) continue;
        if (problem_.link(a, other) != problem_.link(b, other)) return false;
    }
    return true;
}

void SliceDeal::find_kinds() {
    for (std::size_t place = 0; place < demands_.size(); ++place) {
        std::size_t like = 0;
        while (like < place && !is_of_a_kind(demands_[like], demands_[place])) ++like;
        kind_.push_back(like < place ? kind_[like] : kinds_++);
    }
}

bool SliceDeal::is_of_a_kind(std::uint32_t i, std::uint32_t j) const {
    const std::vector<NodeDemand::Device>& demands = problem_.demand().devices;
    const bool is_plain = std::all_of(demands.begin(), demands.end(), [](const auto& demand) {
        return demand.request.device_locality == Strictness::ignore && demand.sockets.is_zero();
    });
    const DeviceRequest& a = demands[i].request;
    const DeviceRequest& b = demands[j].request;
    if (!is_plain || a.locality != b.locality || a.locality_level != b.locality_level) {
        return false;
    }
    return a.total_memory.is_open() && b.total_memory.is_open();
}

void SliceDeal::add_options(Card& card, std::vector<std::uint32_t>& given, std::size_t place,
                            std::optional<SliceArrangement> arrangement, StepBudget& budget) const {
    if (place == given.size()) {
        if (!arrangement) return;
        SliceOption option{given, *std::move(arrangement), {}};
        option.gain = option.arrangement.potential - card.space->potential();
        card.options.push_back(std::move(option));
        return;
    }
    const std::uint32_t most = card.profiles[place] ? wanted_[place] : 0;
    for (given[place] = 0;; ++given[place]) {
        if (given[place] > 0) {
            arrangement = arrange(card, given, budget);
            if (!arrangement) break;
        }
        add_options(card, given, place + 1, arrangement, budget);
        if (given[place] == most) break;
    }
    given[place] = 0;
}

std::optional<SliceArrangement> SliceDeal::arrange(const Card& card,
                                                   const std::vector<std::uint32_t>& given,
                                                   StepBudget& budget) {
    std::vector<std::size_t> wanted;
    for (std::size_t place = 0; place < given.size(); ++place) {
        if (given[place] > 0) wanted.insert(wanted.end(), given[place], *card.profiles[place]);
    }
    return card.space->arrange(wanted, budget);
}

std::optional<SliceDeal::Table> SliceDeal::give(std::uint32_t group, const DeviceSet& uncut,
                                                StepBudget& budget) const {
    Table table{{Numbers(wanted_.size() + 1, 0), {SlicePick{}}}};
    for (std::uint32_t d = 0; d < cards_.size(); ++d) {
        const Card& card = cards_[d];
        if (!card.space || card.group != group || uncut.contains(DeviceId(d))) continue;
        const std::vector<SliceOption>& options = cards_[card.twin].options;
        Table next = table;
        for (const auto& [numbers, picks] : table) {
            for (const SliceOption& option : options) {
                Numbers more = numbers;
                if (!add(more, option.counts)) continue;
                if (counts_devices_) ++more.back();
                for (const SlicePick& pick : picks) {
                    if (!budget.spend()) return std::nullopt;
                    keep(next[more], with(pick, DeviceId(d), option));
                }
            }
        }
        table = std::move(next);
    }
    return table;
}

bool SliceDeal::join(Table& all, const Table& given, bool is_last, StepBudget& budget) const {
    Table joined;
    for (const auto& [before, picks] : all) {
        for (const auto& [numbers, more] : given) {
            Numbers sum = before;
            if (!add(sum, numbers)) continue;
            if (is_last && !std::equal(wanted_.begin(), wanted_.end(), sum.begin())) continue;
            append_marks(sum, numbers);
            std::vector<SlicePick>& best = joined[std::move(sum)];
            for (const SlicePick& a : picks) {
                for (const SlicePick& b : more) {
                    if (!budget.spend()) return false;
                    keep(best, together(a, b));
                }
            }
        }
    }
    all = std::move(joined);
    return true;
}

bool SliceDeal::add(Numbers& numbers, const Numbers& more) const {
    for (std::size_t place = 0; place < wanted_.size(); ++place) {
        numbers[place] += more[place];
        if (numbers[place] > wanted_[place]) return false;
    }
    return true;
}

void SliceDeal::append_marks(Numbers& sum, const Numbers& given) const {
    const std::size_t first = sum.size();
    sum.resize(first + kinds_ + 1, 0);
    for (std::size_t place = 0; place < wanted_.size(); ++place) {
        sum[first + kind_[place]] += given[place];
    }
    sum.back() = given.back();
}

SlicePick SliceDeal::with(SlicePick pick, DeviceId device, const SliceOption& option) const {
    pick.opened += is_untouched(device) ? 1U : 0U;
    pick.changes += option.arrangement.changes;
    pick.gain += option.gain;
    pick.given.emplace_back(device, &option);
    return pick;
}

SlicePick SliceDeal::together(const SlicePick& a, const SlicePick& b) {
    SlicePick sum{a.opened + b.opened, a.changes + b.changes, a.gain + b.gain, {}};
    std::merge(a.given.begin(), a.given.end(), b.given.begin(), b.given.end(),
               std::back_inserter(sum.given),
               [](const auto& x, const auto& y) { return x.first < y.first; });
    return sum;
}

void SliceDeal::keep(std::vector<SlicePick>& picks, SlicePick pick) const {
    for (const SlicePick& other : picks) {
        if (is_before(other, pick) || other.given == pick.given) return;
    }
    std::erase_if(picks, [&](const SlicePick& other) { return is_before(pick, other); });
    picks.push_back(std::move(pick));
}

bool SliceDeal::is_before(const SlicePick& a, const SlicePick& b) const {
    if (a.opened != b.opened) return a.opened < b.opened;
    if (a.changes != b.changes) return a.changes < b.changes;
    if (a.gain != b.gain) return a.gain > b.gain;
    const auto [x, y] =
        std::mismatch(a.given.begin(), a.given.end(), b.given.begin(), b.given.end(),
                      [](const auto& one, const auto& other) { return one.first == other.first; });
    if (x != a.given.end() && y != b.given.end()) return x->first < y->first;
    if (x != a.given.end() || y != b.given.end()) return false;
    for (std::size_t place = 0; place < wanted_.size(); ++place) {
        const auto mine = answering(a, place);
        const auto other = answering(b, place);
        if (mine != other) return mine < other;
    }
    return false;
}

std::vector<DeviceId> SliceDeal::answering(const SlicePick& pick, std::size_t place) {
    std::vector<DeviceId> devices;
    for (const auto& [device, option] : pick.given) {
        devices.insert(devices.end(), option->counts[place], device);
    }
    return devices;
}

}  // namespace detail

}  // namespace trestle
