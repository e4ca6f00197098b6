// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/scores.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/place/score/score_program.hpp"
#include "alloc/cluster/states/node_states.hpp"
#include "alloc/node/free/free_sums.hpp"
#include "trestle/base/contract.hpp"

namespace trestle {

std::vector<Score> Scorer::scores(std::span<const ScoreInput> inputs) const {
    std::vector<Score> scores = function_(inputs);
    TRESTLE_EXPECTS(scores.size() == inputs.size(), "there is a score for each input");
    return scores;
}

std::string Scorer::why_none() const {
    if (has_function()) return "has no score, the caller's policy leaves it out";
    constexpr std::size_t most = 80;
    const std::string text = to_text(*expression_);
    return fmt::format("has no score, {}{} is no number for it", text.substr(0, most),
                       text.size() > most ? "..." : "");
}

bool Scorer::is_spared(ClassId id, const Request& request) const {
    return spares_devices_ && classes_[id.value()].has_usable_devices &&
           std::none_of(request.devices.begin(), request.devices.end(),
                        [&](const DeviceRequest& one) {
                            return one.name == options_.device && one.count.max != Count(0);
                        });
}

std::optional<std::uint64_t> Scorer::random_seed() const {
    if (function_ || policy_ != Policy::random) return std::nullopt;
    return options_.seed;
}

double Scorer::fullness(const ScoreInput::Amounts& before,
                        const detail::TakenAmounts& taken) const {
    return 1.0 - 0.5 * ratio(before.milli_cpus - taken.milli_cpus, most_cpus_) -
           0.5 * ratio(before.all_devices - taken.all_devices, most_devices_);
}

double Scorer::future_value(const Known& known, const TypicalJobs::Rooms& rooms,
                            const ScoreInput::Amounts& left) const {
    return static_cast<double>(future_.of(known.typical, rooms, left));  // below 2^53
}

Scorer::Scorer(const Cluster& cluster, const PlaceOptions& options, BatchScoreFunction function)
    : policy_(options.policy.name().value_or(Policy::first_fit)),
      expression_(options.policy.expression()),
      options_(options.policy_options),
      spares_devices_(options.spare_devices),
      function_(std::move(function)),
      node_classes_(cluster.classes()) {
    std::vector<std::int64_t> nodes(node_classes_.size(), 0);
    const NodeStates& states = cluster.states();
    states.for_each(
        [&](StateId state) { nodes[states[state]->node_class.value()] += states.nodes_in(state); });
    const std::vector<PolicyOptions::TypicalJob>& jobs = *options_.typical_jobs;
    std::vector<double> places(jobs.size(), 0);  // how many of each all idle nodes could host
    for (std::uint32_t c = 0; c < node_classes_.size(); ++c) {
        const detail::KnownClass& known = node_classes_.known(ClassId(c));
        Known one{detail::class_amounts(known, options_.device), {}, false};
        one.has_usable_devices = std::any_of(
            one.amounts.devices.begin(), one.amounts.devices.end(),
            [&](DeviceId device) { return is_usable(known.value.shape->devices[device.value()]); });
        one.typical = TypicalJobs(jobs, *known.value.shape, one.amounts.devices);
        const ScoreInput::Amounts& idle = one.amounts.idle;
        if (nodes[c] != 0 && known.value.state != NodeState::removed) {
            most_cpus_ = std::max(most_cpus_, idle.milli_cpus);
            most_devices_ = std::max(most_devices_, idle.all_devices);
            const TypicalJobs::Rooms rooms = one.typical.rooms(idle);
            for (std::size_t j = 0; j < jobs.size(); ++j) {
                if (jobs[j].devices.is_zero()) continue;
                places[j] += static_cast<double>(nodes[c] * one.typical.hosted(j, rooms));
            }
        }
        classes_.push_back(std::move(one));
    }
    if (policy_ == Policy::future_fit) future_ = FutureValue(jobs, places);
}

Scorer::Before Scorer::before(const NodeStateData& state) const {
    const Known& known = classes_[state.node_class.value()];
    Before before{detail::amounts_of(node_classes_.known(state.node_class), known.amounts.devices,
                                     state.free),
                  {},
                  0,
                  expression_ ? all_memory(state.free) : 0};
    if (function_ || (policy_ != Policy::fgd && policy_ != Policy::future_fit)) return before;
    before.rooms = known.typical.rooms(before.amounts);
    before.value = policy_ == Policy::fgd ? known.typical.fragments(before.rooms)
                                          : future_value(known, before.rooms, before.amounts);
    return before;
}

Score Scorer::score(const NodeStateData& state, const Before& before,
                    const NodePlacement& placement) const {
    if (!tells_apart()) return {};
    return score(state, before, taken(state.node_class, placement));
}

ScoreInput Scorer::input(const NodeStateData& state, const Before& before, const NodeDemand& demand,
                         const NodePlacement& placement) const {
    return {node_classes_[state.node_class],
            state,
            demand,
            placement,
            before.amounts,
            detail::amounts_after(before.amounts, taken(state.node_class, placement))};
}

Score Scorer::score(const NodeStateData& state, const Before& before,
                    const detail::TakenAmounts& taken) const {
    if (expression_) return {value_of_expression(state, before, taken), 0};
    const Known& known = classes_[state.node_class.value()];
    const ScoreInput::Amounts& amounts = before.amounts;
    switch (policy_) {
        case Policy::best_fit:
            return {cut(fullness(amounts, taken)), 0};
        case Policy::worst_fit:
            return {-fullness(amounts, taken), 0};
        case Policy::least_loaded:
            return {ratio(amounts.milli_cpus, known.amounts.idle.milli_cpus), 0};
        case Policy::pack_nodes:
            return {state.free.is_idle ? -1.0 : 0.0, -static_cast<double>(amounts.milli_cpus)};
        case Policy::weight:
            return {-static_cast<double>(node_classes_[state.node_class].weight),
                    fullness(amounts, taken)};
        case Policy::dot_product:
            return {cut(dot_product(amounts, taken)), 0};
        case Policy::packing:
            return {packing(amounts, taken), 0};
        case Policy::clustering:
            return {clustering(state, amounts, taken.kind), 0};
        case Policy::fgd: {
            TypicalJobs::Rooms rooms = before.rooms;
            known.typical.take(rooms, amounts, taken);
            return {fgd(before.value - known.typical.fragments(rooms)), 0};
        }
        case Policy::future_fit: {
            TypicalJobs::Rooms rooms = before.rooms;
            known.typical.take(rooms, amounts, taken);
            const ScoreInput::Amounts after = detail::amounts_after(amounts, taken);
            return {future_value(known, rooms, after) - before.value, 0};
        }
        case Policy::first_fit:
        case Policy::random:
            break;
    }
    return {};
}

double Scorer::value_of_expression(const NodeStateData& state, const Before& before,
                                   const detail::TakenAmounts& taken) const {
    const ScoreInput::Amounts after = detail::amounts_after(before.amounts, taken);
    return expression_->program_->run(
        {before.amounts, after, before.memory, before.memory - taken.memory, state.free.is_idle});
}

double Scorer::dot_product(const ScoreInput::Amounts& before,
                           const detail::TakenAmounts& taken) const {
    const double cpus = ratio(before.milli_cpus, most_cpus_) * ratio(taken.milli_cpus, most_cpus_);
    const double devices =
        ratio(before.all_devices, most_devices_) * ratio(taken.all_devices, most_devices_);
    return 1.0 - 0.5 * (cpus + devices);
}

/// Idle nodes last, small ones before; else parts of devices in use before whole ones.
double Scorer::packing(const ScoreInput::Amounts& before, const detail::TakenAmounts& taken) {
    if (taken.all_devices == 0) return 0;
    const std::int64_t whole = std::count(before.devices.begin(), before.devices.end(), 1000);
    if (whole == static_cast<std::int64_t>(before.devices.size())) {
        return static_cast<double>(std::max(33 - whole, whole));
    }
    const ScoreInput::Amounts after = detail::amounts_after(before, taken);
    std::int64_t whole_taken = 0;
    std::int64_t parts = 0;
    for (std::size_t d = 0; d < before.devices.size(); ++d) {
        if (before.devices[d] == after.devices[d]) continue;
        if (before.devices[d] == 1000) ++whole_taken;
        parts += before.devices[d] * 100 / 1000;
    }
    return static_cast<double>(whole_taken != 0 ? std::max<std::int64_t>(50 - whole_taken, 33)
                                                : std::max<std::int64_t>(100 - parts / 10, 50));
}

double Scorer::clustering(const NodeStateData& state, const ScoreInput::Amounts& before,
                          std::uint64_t kind) const {
    if (kind == 0) return 0;
    const std::int64_t used = most_devices_ - before.all_devices;
    const std::int64_t fullness = most_devices_ == 0 ? 0 : 25 * used / most_devices_;
    const std::uint64_t kinds = state.kinds;
    const int nearness = kinds == kind ? 75 : (kinds & kind) != 0 ? 50 : kinds == 0 ? 25 : 0;
    return static_cast<double>(nearness + fullness);
}

/// By how much less there is of fragments.
double Scorer::fgd(double less) const {
    const double odds = 1.0 + std::exp(-less / 1000.0);
    return options_.score_steps == 0 ? 1.0 / odds : std::trunc(options_.score_steps / odds);
}

}  // namespace trestle
