// SPDX-License-Identifier: Apache-2.0
// What an EndSequence has to hand out, said once more and plainly: every answer is worked out from
// the whole history of calls and answers; nothing else is remembered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "trestle/enforce/process/end_policy.hpp"
#include "trestle/enforce/process/end_sequence.hpp"
#include "trestle/enforce/process/job_end.hpp"

namespace trestle {

/// A call of the machine at a second since the start of the job.
struct EndCall {
    enum class Kind { advance, stop, set_time_limit };

    Kind kind = Kind::advance;
    std::int64_t at = 0;
    JobEnd::Cause cause = JobEnd::Cause::user_stop;
    std::optional<std::int64_t> grace = {};
    std::optional<std::int64_t> limit = {};
};

/// As the policy of the same words, in plain seconds.
struct EndWish {
    static constexpr std::int64_t never = INT64_MAX;

    std::optional<std::int64_t> limit;
    std::int64_t over_time = 0;  ///< never: the limit ends nothing
    std::optional<std::int64_t> warn_before;
    std::int64_t grace = 30;
};

/// The stages that the last of the calls hands out, and the cause by then.
struct EndAnswer {
    std::vector<EndSequence::Action::Stage> stages;
    std::optional<JobEnd::Cause> cause;

    friend bool operator==(const EndAnswer&, const EndAnswer&) = default;
};

namespace oracle {

/// Somebody's wish to end the job.
struct Stop {
    JobEnd::Cause cause;
    std::int64_t at;
    std::int64_t grace;
};

/// The state of things after the first `count` calls.
class EndHistory {
  public:
    EndHistory(const EndWish& wish, const std::vector<EndCall>& calls,
               const std::vector<std::vector<EndSequence::Action::Stage>>& handed_out,
               std::size_t count)
        : wish_(wish), calls_(calls), handed_out_(handed_out), count_(count) {}

    /// The latest time that any call showed.
    [[nodiscard]] std::int64_t now() const {
        std::int64_t latest = 0;
        for (std::size_t i = 0; i < count_; ++i) latest = std::max(latest, calls_[i].at);
        return latest;
    }
    /// All causes in the order in which they came.
    [[nodiscard]] std::vector<Stop> stops() const {
        std::vector<Stop> all;
        std::optional<std::int64_t> limit = wish_.limit;
        std::int64_t time = 0;
        for (std::size_t i = 0; i < count_; ++i) {
            const EndCall& call = calls_[i];
            time = std::max(time, call.at);
            if (all.empty() && limit && wish_.over_time != EndWish::never &&
                *limit + wish_.over_time <= time) {
                all.push_back({JobEnd::Cause::time_limit, time, wish_.grace});
            }
            if (call.kind == EndCall::Kind::stop) {
                all.push_back({call.cause, time, call.grace.value_or(wish_.grace)});
            }
            if (call.kind == EndCall::Kind::set_time_limit && all.empty()) limit = call.limit;
        }
        return all;
    }
    /// The limit that counts after these calls.
    [[nodiscard]] std::optional<std::int64_t> limit() const {
        std::optional<std::int64_t> limit = wish_.limit;
        for (std::size_t i = 0; i < count_; ++i) {
            const bool is_change = calls_[i].kind == EndCall::Kind::set_time_limit;
            if (is_change && EndHistory(wish_, calls_, handed_out_, i + 1).stops().empty()) {
                limit = calls_[i].limit;
            }
        }
        return limit;
    }
    /// When the stage was handed out by one of the calls before the last.
    [[nodiscard]] std::optional<std::int64_t> sent_before(EndSequence::Action::Stage stage) const {
        for (std::size_t i = 0; i + 1 < count_; ++i) {
            const auto& stages = handed_out_[i];
            if (std::find(stages.begin(), stages.end(), stage) == stages.end()) continue;
            return EndHistory(wish_, calls_, handed_out_, i + 1).now();
        }
        return std::nullopt;
    }

    /// What the last of these calls hands out.
    [[nodiscard]] std::vector<EndSequence::Action::Stage> stages() const {
        std::vector<EndSequence::Action::Stage> due;
        if (calls_[count_ - 1].kind != EndCall::Kind::advance) return due;
        const auto all = stops();
        const auto killed = sent_before(EndSequence::Action::Stage::kill);
        if (killed) return due;
        const auto ended = sent_before(EndSequence::Action::Stage::end_signal);
        const bool is_by_time = all.empty() || all.front().cause == JobEnd::Cause::time_limit;
        const auto time_limit = limit();
        if (wish_.warn_before && time_limit && is_by_time && !ended &&
            *time_limit - *wish_.warn_before <= now() &&
            !sent_before(EndSequence::Action::Stage::warning)) {
            due.push_back(EndSequence::Action::Stage::warning);
        }
        if (all.empty()) return due;
        // From the end signal on, or from now where it is sent now, or would be.
        const std::int64_t signal_at = ended.value_or(now());
        std::int64_t kill_at = INT64_MAX;
        for (const Stop& stop : all) {
            kill_at = std::min(kill_at, std::max(stop.at, signal_at) + stop.grace);
        }
        const bool is_graceless =
            std::any_of(all.begin(), all.end(), [](const Stop& stop) { return stop.grace == 0; });
        if (!ended && !is_graceless) due.push_back(EndSequence::Action::Stage::end_signal);
        if (kill_at <= now()) due.push_back(EndSequence::Action::Stage::kill);
        return due;
    }

  private:
    const EndWish& wish_;
    const std::vector<EndCall>& calls_;
    const std::vector<std::vector<EndSequence::Action::Stage>>& handed_out_;
    std::size_t count_;
};

}  // namespace oracle

/// What the last call gives; `handed_out`: what each of those before it gave.
[[nodiscard]] inline EndAnswer oracle_end(
    const EndWish& wish, const std::vector<EndCall>& calls,
    const std::vector<std::vector<EndSequence::Action::Stage>>& handed_out) {
    const oracle::EndHistory history(wish, calls, handed_out, calls.size());
    const auto stops = history.stops();
    return {history.stages(), stops.empty() ? std::nullopt : std::optional(stops.front().cause)};
}

}  // namespace trestle
