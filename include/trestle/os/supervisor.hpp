// SPDX-License-Identifier: Apache-2.0
#pragma once

// Keeps the time of a running job and ends it as its plan says: the driver of EndSequence.
//
// Layer: os. Main names: Supervisor, supervise. No thread, no signal handler: one descriptor is
// readable when there is something to do. The time is CLOCK_MONOTONIC, which stands still while the
// machine sleeps, as the job does. It is not over its limit when the machine wakes up.
// Pitfall: a job that is stopped is over when its group is empty, not when its command ends. The
// shell that started a program ends at the first signal; the program may still be writing its last
// state.

#include <memory>
#include <optional>

#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/enforce/process/job_end.hpp"
#include "trestle/enforce/process/usage.hpp"
#include "trestle/model/trace.hpp"
#include "trestle/os/kernel.hpp"

namespace trestle::os {

/// What CLOCK_MONOTONIC shows.
[[nodiscard]] Microseconds monotonic_now();

/// The time of one child. Wait for fd() in a loop of your own and call step(); or take supervise.
/// The end signal thaws the group and is followed by SIGCONT, for what is frozen or stopped acts on
/// no signal. Each signal is reported to the trace, also one that could not be sent.
class Supervisor {
  public:
    /// Begins to count now, by plan.end. `child` was spawned by `enforcer` for this plan and is
    /// reaped here, so neither waits for it besides. `enforcer` must outlive this.
    /// Calls go through `kernel`, which must outlive this too.
    /// Errors: InvalidArgument for signals that do not exist; those of the kernel's timers.
    [[nodiscard]] static StatusOr<Supervisor> start(Enforcer& enforcer, const Plan& plan,
                                                    const Child& child, const TraceSink& trace = {},
                                                    Kernel& kernel = real_kernel());
    Supervisor(Supervisor&&) noexcept;
    Supervisor& operator=(Supervisor&&) noexcept;
    /// The job goes on without a time limit.
    ~Supervisor();

    /// For poll(2) and the like: readable when step() has something to do.
    [[nodiscard]] int fd() const;

    /// Sends the signals that are due and checks the child; does not wait. For a job that forks as
    /// fast as it is signalled it takes a second or two at most, whatever the enforcer's patience.
    /// SIGKILL follows. Returns the end once the child has been reaped and, if the job was stopped,
    /// its group is empty or SIGKILL was sent to it. What else runs in the group stays for
    /// Enforcer::remove.
    /// Errors: SIGKILL could not be sent, which is tried again once a second. The child was reaped
    /// elsewhere. The timer could not be set, and fd() may stay silent: call step() again.
    [[nodiscard]] StatusOr<std::optional<JobEnd>> step();

    /// Ends the job: step() has something to do at once. Without a grace that of the plan. Nothing
    /// when the child has ended already. See EndSequence::stop.
    /// Errors: as step().
    [[nodiscard]] Status stop(JobEnd::Cause cause, std::optional<Seconds> grace = {});

    /// See EndSequence::set_time_limit.
    [[nodiscard]] Status set_time_limit(std::optional<Seconds> limit);

  private:
    class State;
    explicit Supervisor(std::unique_ptr<State> state);

    std::unique_ptr<State> state_;
};

/// What ends a job from outside while supervise waits.
struct StopRequest {
    int fd = -1;  ///< when it is readable the job is stopped; nothing is read from it
    JobEnd::Cause cause = JobEnd::Cause::user_stop;

    static constexpr auto fields(auto list) {
        return list(field("fd", &StopRequest::fd), field("cause", &StopRequest::cause));
    }
    friend bool operator==(const StopRequest&, const StopRequest&) = default;
};

/// Waits until the job has ended, and ends it as its plan says. Errors: as Supervisor::step; the
/// child may still run then.
[[nodiscard]] StatusOr<JobEnd> supervise(Enforcer& enforcer, const Plan& plan, const Child& child,
                                         const StopRequest& stop = {}, const TraceSink& trace = {},
                                         Kernel& kernel = real_kernel());

}  // namespace trestle::os
