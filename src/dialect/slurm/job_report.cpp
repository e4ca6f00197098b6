// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/job_report.hpp"

#include <fmt/format.h>

#include "../words.hpp"
#include "enforce/process/signal_names.hpp"
#include "trestle/base/text.hpp"

namespace trestle::slurm {
namespace {

/// What stands in an exit code for a job that was killed for memory.
constexpr int oom_signal = 125;

/// A decimal number up to `most`.
std::optional<int> take_small(TextCursor& text, int most) {
    const auto number = text.take_number();
    if (!number || *number > static_cast<std::uint64_t>(most)) return std::nullopt;
    return static_cast<int>(*number);
}

EndCause cause_of(JobEnd::Cause cause) {
    switch (cause) {
        case JobEnd::Cause::time_limit:
            return EndCause::time_limit;
        case JobEnd::Cause::user_stop:
            return EndCause::user;
        case JobEnd::Cause::preempted:
            return EndCause::preemption;
        case JobEnd::Cause::shutdown:
            return EndCause::node;
    }
    return EndCause::none;
}

Reason reason_in(const Partition& partition, const Request& request) {
    switch (partition.state) {
        case Partition::State::down:
            return Reason::partition_down;
        case Partition::State::inactive:
        case Partition::State::drain:
            return Reason::partition_inactive;
        case Partition::State::up:
            break;
    }
    if (request.time_limit && partition.max_time && *partition.max_time < *request.time_limit) {
        return Reason::partition_time_limit;
    }
    if (!intersect(request.nodes, partition.nodes_per_job)) return Reason::partition_node_limit;
    return Reason::partition_config;
}

}  // namespace

std::string_view short_text(State state) {
    switch (state) {
        case State::pending:
            return "PD";
        case State::running:
            return "R";
        case State::suspended:
            return "S";
        case State::completing:
            return "CG";
        case State::completed:
            return "CD";
        case State::cancelled:
            return "CA";
        case State::failed:
            return "F";
        case State::timeout:
            return "TO";
        case State::node_fail:
            return "NF";
        case State::preempted:
            return "PR";
        case State::out_of_memory:
            return "OOM";
    }
    return "";
}

StatusOr<State> parse_state(std::string_view text) {
    TextCursor cursor(text);
    const std::string_view word = cursor.take_until(" +");
    const auto known = enum_names(State());
    for (const auto& [state, name] : known) {
        if (words::same_word(name, word) || words::same_word(short_text(state), word)) {
            return state;
        }
    }
    const auto name_of = [](const auto& one) { return one.name; };
    return to_status("state", {0, std::string(word.substr(0, 64)), "unknown state",
                               words::with_nearest("a state of a job", word, known, name_of)});
}

State state_of(const Outcome& outcome, EndCause cause) {
    if (outcome.ending == Outcome::Ending::out_of_memory) return State::out_of_memory;
    switch (cause) {
        case EndCause::user:
            return State::cancelled;
        case EndCause::time_limit:
            return State::timeout;
        case EndCause::preemption:
            return State::preempted;
        case EndCause::node:
            return State::node_fail;
        case EndCause::none:
            break;
    }
    return outcome.ending == Outcome::Ending::exited && outcome.exit_code == 0 ? State::completed
                                                                               : State::failed;
}

State state_of(const JobEnd& end) {
    return state_of(end.outcome, end.cause ? cause_of(*end.cause) : EndCause::none);
}

std::string exit_code_text(const Outcome& outcome) {
    switch (outcome.ending) {
        case Outcome::Ending::out_of_memory:
            return fmt::format("0:{}", oom_signal);
        case Outcome::Ending::signaled:
            return fmt::format("0:{}", outcome.signal_number);
        case Outcome::Ending::exited:
            break;
    }
    return fmt::format("{}:0", outcome.exit_code);
}

StatusOr<Outcome> parse_exit_code(std::string_view text) {
    TextCursor cursor(text);
    const auto error = [&](std::string_view what, std::string_view expected) {
        return to_status("exit code", cursor.error(what, expected));
    };
    const auto code = take_small(cursor, 255);
    if (!code) return error("not an exit code", "0 to 255");
    if (!cursor.accept(':')) return error("no signal", "code:signal, as 0:9");
    const auto signal = take_small(cursor, 127);
    if (!signal) return error("not a signal", "0 to 127");
    if (!cursor.at_end()) return error("text behind the signal", "its end");
    if (*signal == oom_signal) return Outcome{Outcome::Ending::out_of_memory, 0, sigkill, {}};
    if (*signal != 0) return signaled(*signal);
    return exited(*code);
}

Reason reason_of(const Partition& partition, const Request& request, const Refusal& refusal) {
    switch (refusal.constraint) {
        case Constraint::none:
            return Reason::none;
        case Constraint::partition:
            return reason_in(partition, request);
        case Constraint::cluster_counts:
            return Reason::licenses;
        case Constraint::node_state:
            return request.required_nodes.empty() ? Reason::resources : Reason::node_not_available;
        default:
            return Reason::resources;
    }
}

std::string duration_text(std::optional<Seconds> duration) {
    if (!duration) return "UNLIMITED";
    const std::int64_t seconds = duration->value();
    constexpr std::int64_t day = 86'400;
    const std::string days = seconds < day ? "" : std::to_string(seconds / day) + "-";
    return fmt::format("{}{:02}:{:02}:{:02}", days, seconds % day / 3600, seconds / 60 % 60,
                       seconds % 60);
}

}  // namespace trestle::slurm
