// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/process/end_sequence.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "enforce/process/signal_names.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

std::string to_text(const EndSequence::Action& action) {
    return fmt::format("{}: {} to {}", to_text(action.stage), signal_text(action.signal_number),
                       to_text(action.target));
}

EndSequence::EndSequence(const EndPolicy& policy, Microseconds started_at)
    : policy_(policy), started_at_(started_at), now_(started_at) {
    TRESTLE_EXPECTS(check(policy).ok(), "the signals of a policy exist");
    set_moments();
}

std::optional<Microseconds> EndSequence::next_at() const {
    if (is_killed_) return std::nullopt;
    if (is_end_sent_) return kill_at_;
    if (cause_) return now_;
    if (warning_at_ && limit_at_) return std::min(*warning_at_, *limit_at_);
    return warning_at_ ? warning_at_ : limit_at_;
}

std::vector<EndSequence::Action> EndSequence::advance(Microseconds now) {
    pass(now);
    std::vector<EndSequence::Action> due;
    if (is_warning_due()) {
        due.push_back({EndSequence::Action::Stage::warning, policy_.warning->signal_number,
                       policy_.warning->target});
        warning_at_.reset();
        is_warned_ = true;
    }
    if (cause_ && !is_end_sent_) send_end(due);
    if (kill_at_ && *kill_at_ <= now_ && !is_killed_) {
        due.push_back({});
        is_killed_ = true;
    }
    return due;
}

void EndSequence::stop(JobEnd::Cause cause, Microseconds now, std::optional<Seconds> grace) {
    pass(now);
    add(cause, grace.value_or(policy_.grace));
}

void EndSequence::set_time_limit(std::optional<Seconds> limit, Microseconds now) {
    pass(now);
    if (cause_) return;
    policy_.time_limit = limit;
    set_moments();
}

JobEnd EndSequence::end_of(const Outcome& outcome) const {
    JobEnd end{outcome, cause_, is_killed_};
    if (is_killed_ && outcome.ending == Outcome::Ending::out_of_memory) {
        end.outcome.ending = Outcome::Ending::signaled;
    }
    return end;
}

std::optional<Microseconds> EndSequence::later(Microseconds from, Seconds by) {
    const auto microseconds = checked_mul(by, 1'000'000);
    if (!microseconds) return std::nullopt;
    return checked_add(from, Microseconds(microseconds->value()));
}

void EndSequence::set_moments() {
    limit_at_.reset();
    warning_at_.reset();
    if (!policy_.time_limit) return;
    limit_at_ = later(started_at_, saturating_add(*policy_.time_limit, policy_.over_time));
    if (!policy_.warning || is_warned_) return;
    warning_at_ = later(started_at_, saturating_sub(*policy_.time_limit, policy_.warning->before));
}

bool EndSequence::is_warning_due() const {
    const bool is_in_time =
        !is_end_sent_ && cause_.value_or(JobEnd::Cause::time_limit) == JobEnd::Cause::time_limit;
    return is_in_time && warning_at_ && *warning_at_ <= now_;
}

void EndSequence::pass(Microseconds now) {
    now_ = std::max(now_, now);
    if (cause_ || !limit_at_ || *limit_at_ > now_) return;
    add(JobEnd::Cause::time_limit, policy_.grace);
}

void EndSequence::add(JobEnd::Cause cause, Seconds grace) {
    if (!cause_) cause_ = cause;
    if (is_end_sent_) {
        bring_forward(grace);
    } else {
        grace_ = std::min(grace_, grace);
    }
}

void EndSequence::send_end(std::vector<EndSequence::Action>& due) {
    if (!grace_.is_zero()) {
        due.push_back(
            {EndSequence::Action::Stage::end_signal, policy_.end_signal, policy_.end_target});
    }
    is_end_sent_ = true;
    bring_forward(grace_);
}

void EndSequence::bring_forward(Seconds grace) {
    const auto at = later(now_, grace);
    if (at) kill_at_ = std::min(kill_at_.value_or(*at), *at);
}

}  // namespace trestle
