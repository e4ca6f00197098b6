// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/class_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "alloc/cluster/place/eligibility.hpp"
#include "alloc/cluster/plain_commit.hpp"
#include "alloc/node/free/free_sums.hpp"

namespace trestle {

ClassEvaluator::ClassEvaluator(const Cluster& cluster, ClassId id, const Request& request,
                               const NodePart& part, const FitOptions& options,
                               const Scorer& scorer) {
    const NodeClass& one = cluster.classes()[id];
    if (const auto why = refuse_class(cluster, one, request, "")) {
        refused_by_ = why->constraint;
        return;
    }
    fits_.emplace(one.shape, demand_of(request, part, one.shape->socket_count()), options);
    is_scored_ = scorer.tells_apart() && !scorer.has_function();
    look_at_devices(scorer.amounts(id), scorer.device_choice());
}

Feasibility ClassEvaluator::answer(const KnownState& state, const Scorer& scorer) {
    Feasibility answer;
    answer.refused_by = refused_by_;
    if (fits_) work_out(answer, {state, scorer});
    if (std::isnan(answer.score.first)) answer.refused_by = Constraint::candidates;
    return answer;
}

bool is_about_room(Constraint by) {
    return by == Constraint::devices || by == Constraint::device_attributes ||
           by == Constraint::cores || by == Constraint::memory || by == Constraint::locality;
}

Score ClassEvaluator::nearness(const KnownState& state, Constraint by) const {
    const FreeState& free = state.data->free;
    const detail::FitProblem& problem = fits_->problem();
    const auto cores = [&] {
        if (problem.is_mixed()) return static_cast<double>(problem.cpus_of(free.cores));
        const std::uint32_t wanted = problem.wants_some_cores()
                                         ? free.cores.count_and(problem.wanted_cores())
                                         : state.sums.cores;
        return static_cast<double>(wanted);
    };
    switch (by) {
        case Constraint::devices:
            return {1, devices_free(free)};
        case Constraint::device_attributes:
            return {2, devices_free(free)};
        case Constraint::cores:
            return {3, cores() + 1e-9 * static_cast<double>(state.sums.milli_cpus.value())};
        case Constraint::memory:
            return {4, static_cast<double>(state.sums.memory.value())};
        default:
            return {5, cores()};
    }
}

double ClassEvaluator::devices_free(const FreeState& free) const {
    double sum = 0;
    const detail::FitProblem& problem = fits_->problem();
    for (std::size_t i = 0; i < fits_->demand().devices.size(); ++i) {
        const NodeDemand::Device& one = fits_->demand().devices[i];
        double able = 0;
        Count most;
        for (const DeviceId id : problem.matches(i)) {
            const Count shares = free.shares[id.value()];
            const Count asked = one.request.shares.is_zero()
                                    ? fits_->shape().devices[id.value()].shares
                                    : one.request.shares;
            most = std::max(most, shares);
            able += shares < asked ? 0 : 1;
        }
        const double asked = static_cast<double>(one.count.least().value());
        sum += std::min(able, asked);
        if (able < asked && !one.request.shares.is_zero()) {
            sum +=
                static_cast<double>(most.value()) / (1 + static_cast<double>(Count::max().value()));
        }
    }
    return sum;
}

NodePlacement ClassEvaluator::placement(const FreeState& free, const Feasibility& answer) {
    const bool is_as_fit = answer.device == Feasibility::as_fit;
    const OneDevice* const one = is_as_fit ? nullptr : &devices_[answer.device];
    if (!fits_->is_plain()) {
        const bool sums_told =
            fits_->problem().decided_by_totals() && free.held_milli_cpus.is_zero();
        if (sums_told && !is_scored_ && !one) return *fits_->fit_once(free);
        return *(one ? fit_on(free, *one) : fits_->fit(free));
    }
    const auto devices =
        one ? detail::PlainDevices{one->plain} : detail::plain_devices(fits_->problem(), free);
    return detail::plain_placement(fits_->problem(), free, devices);
}

std::vector<std::uint32_t> ClassEvaluator::draws(const FreeState& free) {
    std::vector<std::uint32_t> able;
    if (!draws_ || !takes_one_device(free)) return able;
    for (std::uint32_t at = 0; at < devices_.size(); ++at) {
        if (can_take_of(free, devices_[at])) able.push_back(at);
    }
    return able;
}

void ClassEvaluator::look_at_devices(const detail::ClassAmounts& scale, DeviceChoice choice) {
    const detail::FitProblem& problem = fits_->problem();
    for (const detail::PlainDevice& device : problem.plain_devices()) {
        const auto at = detail::position_of(scale, device.id);
        plain_.push_back(std::nullopt);
        if (at) plain_.back() = {*at, detail::thousandths(device.shares, device.all_shares)};
    }
    const auto& demands = fits_->demand().devices;
    const bool takes_part = demands.size() == 1 && !demands.front().request.shares.is_zero() &&
                            demands.front().request.shares_per == Per::device;
    draws_ = takes_part && choice == DeviceChoice::at_random;
    chooses_ = takes_part && !draws_ && choice != DeviceChoice::by_fit;
    if (!chooses_ && !draws_) return;
    const auto& able = problem.matches(0);
    for (std::size_t at = 0; at < scale.devices.size(); ++at) {
        const DeviceId device = scale.devices[at];
        const auto found = std::lower_bound(able.begin(), able.end(), device);
        const bool is_able = found != able.end() && *found == device;
        if (problem.is_plain() && !is_able) continue;
        devices_.push_back(
            {device, scale.first_alike[at], static_cast<std::uint32_t>(found - able.begin())});
    }
}

void ClassEvaluator::work_out(Feasibility& answer, const Question& question) {
    const FreeState& free = question.free();
    const FreeSums& sums = question.state.sums;
    const detail::FitProblem& problem = fits_->problem();
    if (detail::totals_decide(problem, sums)) {
        const auto available = detail::plain_available(problem, free, question.state.untouched);
        answer.refused_by = detail::refuse_by_sums(problem, sums, available);
        if (answer.refused_by != Constraint::none || !is_scored_) return;
    }
    if (fits_->is_plain()) {
        if (chooses_ && takes_one_device(free) && choose_device(answer, question)) return;
        answer.score = question.score(taken_of(detail::plain_devices(problem, free)));
        return;
    }
    const auto& verdict = fits_->fit(free);
    if (!verdict) {
        answer.refused_by = verdict.refusal().constraint;
        return;
    }
    if (!is_scored_) return;
    answer.score = question.scorer.score(*question.state.data, *question.state.before, *verdict);
    if (chooses_ && verdict->devices.size() == 1) choose_device(answer, question);
}

bool ClassEvaluator::takes_one_device(const FreeState& free) {
    if (fits_->is_plain()) return detail::plain_count(fits_->problem(), free) == 1;
    return fits_->fit(free)->devices.size() == 1;
}

bool ClassEvaluator::choose_device(Feasibility& answer, const Question& question) {
    const bool takes_least = question.scorer.device_choice() == DeviceChoice::least_left;
    const FreeState& free = question.free();
    const auto left_of = [&](const OneDevice& one) { return free.shares[one.id.value()]; };
    std::optional<detail::TakenAmounts> best;
    Count least = Count::max();
    for (auto one = devices_.begin(); one != devices_.end(); ++one) {
        const Count left = left_of(*one);
        const auto is_alike = [&](const OneDevice& other) {
            return other.alike == one->alike && left_of(other) == left;
        };
        if (takes_least ? least <= left : std::any_of(devices_.begin(), one, is_alike)) {
            continue;
        }
        auto taken = taken_of(question, *one);
        if (!taken) continue;
        const Score score = takes_least ? Score() : question.score(*taken);
        if (best && !takes_least && score <= answer.score) continue;
        best = taken;
        least = left;
        answer.score = score;
        answer.device = static_cast<std::uint32_t>(one - devices_.begin());
    }
    if (best && takes_least) answer.score = question.score(*best);
    return best.has_value();
}

std::optional<detail::TakenAmounts> ClassEvaluator::taken_of(const Question& question,
                                                             const OneDevice& one) {
    const FreeState& free = question.free();
    if (!can_take_of(free, one)) return std::nullopt;
    if (fits_->is_plain()) return taken_of({one.plain});
    return question.scorer.taken(question.state.data->node_class, *fit_on(free, one));
}

bool ClassEvaluator::can_take_of(const FreeState& free, const OneDevice& one) {
    if (!fits_->is_plain()) return fit_on(free, one).has_value();
    const Count asked = fits_->problem().plain_devices()[one.plain].shares;
    return !(free.shares[one.id.value()] < asked);
}

detail::TakenAmounts ClassEvaluator::taken_of(const detail::PlainDevices& devices) const {
    const detail::FitProblem& problem = fits_->problem();
    detail::TakenAmounts taken;
    taken.milli_cpus = problem.plain_milli_cpus().value();
    taken.memory = problem.demand().memory.value();
    bool takes_part = false;
    for (const std::uint32_t at : devices) {
        if (plain_[at]) taken.add(*plain_[at]);
        takes_part |= problem.plain_devices()[at].is_part;
    }
    taken.kind = detail::kind_of_job(devices.size(), takes_part);
    return taken;
}

const Verdict<NodePlacement>& ClassEvaluator::fit_on(const FreeState& free, const OneDevice& one) {
    FreeState alone = free;
    for (const OneDevice& other : devices_) {
        if (other.id != one.id) alone.shares[other.id.value()] = Count();
    }
    return fits_->fit(alone);
}

}  // namespace trestle
