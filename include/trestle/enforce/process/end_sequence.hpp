// SPDX-License-Identifier: Apache-2.0
#pragma once

// EndSequence: what is due when a job has to end, as a state machine over a clock value.
//
// Layer: enforce. Main types: EndSequence, EndSequence::Action, EndSequence::Action::Stage. One
// machine for time limit, user stop, preemption and shutdown: warning, end signal, SIGKILL. It
// reads no clock and sends nothing: the driver passes the time in and carries out the actions
// (os/supervisor.hpp is one).
// Pitfall: the grace begins when the end signal is handed out, not when
// it was due. A late driver, for example after the machine slept, does not shorten the grace.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/process/end_policy.hpp"
#include "trestle/enforce/process/job_end.hpp"
#include "trestle/enforce/process/outcome.hpp"
#include "trestle/enforce/process/usage.hpp"

namespace trestle {

/// The end of one job. Times are those of one clock, whatever it counts from; one that runs
/// backwards stands still here. Each signal is handed out at most once, a warning before the end
/// signal and that before SIGKILL. Everything ends with SIGKILL: a job that has a cause to end is
/// killed at the latest when its shortest grace is over.
///
/// The first cause is kept and reported. A later one may bring SIGKILL forward, never put it off:
/// preemption with less grace, a shutdown at once. The same stop again changes nothing, because
/// requests get repeated. To end the job at once give a grace of 0 (scancel -s KILL, the second
/// Ctrl-C).
class EndSequence {
  public:
    /// A signal to send now.
    struct Action {
        /// The steps of an end, in the order in which they come; any may be left out.
        enum class Stage { warning, end_signal, kill };

        Stage stage = Stage::kill;
        int signal_number = 9;  ///< SIGKILL
        EndPolicy::Target target = EndPolicy::Target::every_process;

        static constexpr auto fields(auto list) {
            return list(field("stage", &Action::stage),
                        field("signal_number", &Action::signal_number),
                        field("target", &Action::target));
        }
        friend bool operator==(const Action&, const Action&) = default;
    };

    /// Requires: check(policy) is ok.
    EndSequence(const EndPolicy& policy, Microseconds started_at);

    /// When advance() has something to do, if nothing else happens; in the past when it has now.
    /// Nothing: only a stop, or the end of the job, can change anything.
    [[nodiscard]] std::optional<Microseconds> next_at() const;

    /// What to send now, in order. A warning that was missed comes all the same, ahead of the end
    /// signal, when it is the time limit that ends the job.
    [[nodiscard]] std::vector<Action> advance(Microseconds now);

    /// The job is stopped from outside: the end signal is due now, SIGKILL after `grace`, by
    /// default the policy's. Seconds(0): SIGKILL now, and no end signal any more. A time limit that
    /// had been reached before came first.
    void stop(JobEnd::Cause cause, Microseconds now, std::optional<Seconds> grace = {});

    /// Another time limit since the start, or none. Nothing happens to a job that has a cause to
    /// end by now. A warning that was sent is not sent again.
    void set_time_limit(std::optional<Seconds> limit, Microseconds now);

    /// Why the job was stopped from outside; absent if it was not.
    [[nodiscard]] std::optional<JobEnd::Cause> cause() const { return cause_; }
    /// True once SIGKILL was handed out.
    [[nodiscard]] bool is_killed() const { return is_killed_; }
    [[nodiscard]] const EndPolicy& policy() const { return policy_; }

    /// The job's end, when its command ended so. A SIGKILL of ours is not the kernel's for memory,
    /// even if others of the group had been killed for it.
    [[nodiscard]] JobEnd end_of(const Outcome& outcome) const;

  private:
    /// Nothing for a moment that the clock never shows.
    [[nodiscard]] static std::optional<Microseconds> later(Microseconds from, Seconds by);

    void set_moments();

    [[nodiscard]] bool is_warning_due() const;

    /// Moves the clock, and notes a time limit that is reached by then.
    void pass(Microseconds now);

    void add(JobEnd::Cause cause, Seconds grace);

    void send_end(std::vector<Action>& due);

    void bring_forward(Seconds grace);

    EndPolicy policy_;
    Microseconds started_at_;
    Microseconds now_;
    std::optional<Microseconds> warning_at_;  ///< absent: sent, or never
    std::optional<Microseconds> limit_at_;
    std::optional<Microseconds> kill_at_;  ///< set when the end signal is sent
    std::optional<JobEnd::Cause> cause_;
    Seconds grace_ = Seconds::max();  ///< the shortest of the causes until the end signal is sent
    bool is_warned_ = false;
    bool is_end_sent_ = false;
    bool is_killed_ = false;
};

constexpr auto enum_names(EndSequence::Action::Stage) {
    using enum EndSequence::Action::Stage;
    return std::array{named(warning, "warning"), named(end_signal, "end_signal"),
                      named(kill, "kill")};
}

/// `end_signal: SIGTERM to every_process`.
[[nodiscard]] std::string to_text(const EndSequence::Action& action);

}  // namespace trestle
