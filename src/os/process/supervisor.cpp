// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/supervisor.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "../fd.hpp"
#include "base/errno_status.hpp"
#include "trestle/enforce/events.hpp"
#include "trestle/enforce/group_name.hpp"
#include "trestle/enforce/process/end_sequence.hpp"

namespace trestle::os {

namespace {

using detail::Fd;

/// How often a child without a descriptor is looked at, and SIGKILL tried again.
constexpr Microseconds look_again{20'000};
constexpr Microseconds kill_again{1'000'000};

Status watch(Kernel& kernel, const Fd& poller, int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    if (kernel.epoll_ctl(poller.get(), EPOLL_CTL_ADD, fd, &event) == 0 || errno == EEXIST)
        return {};
    return errno_status(errno, "epoll_ctl");
}

/// At `at`, or never.
Status arm(Kernel& kernel, const Fd& timer, std::optional<Microseconds> at) {
    itimerspec when{};
    if (at) {
        const std::int64_t microseconds = std::max<std::int64_t>(at->value(), 1);  // 0 disarms
        when.it_value.tv_sec = static_cast<time_t>(microseconds / 1'000'000);
        when.it_value.tv_nsec = static_cast<long>(microseconds % 1'000'000) * 1000;
    }
    if (kernel.timerfd_settime(timer.get(), TFD_TIMER_ABSTIME, &when) == 0) return {};
    return errno_status(errno, "timerfd_settime");
}

}  // namespace

Microseconds monotonic_now() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return Microseconds(1) * (std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000);
}

class Supervisor::State {
  public:
    State(Enforcer& enforcer, const Plan& plan, Child child, TraceSink trace, Kernel& kernel)
        : enforcer_(enforcer),
          kernel_(kernel),
          owner_(plan.owner),
          child_(std::move(child)),
          trace_(std::move(trace)),
          sequence_(plan.end, monotonic_now()) {}

    [[nodiscard]] Status open();
    [[nodiscard]] int fd() const { return poller_.get(); }
    [[nodiscard]] StatusOr<std::optional<JobEnd>> step();
    [[nodiscard]] Status stop(JobEnd::Cause cause, std::optional<Seconds> grace);
    [[nodiscard]] Status set_time_limit(std::optional<Seconds> limit);

  private:
    [[nodiscard]] Status look_at_child();
    [[nodiscard]] bool is_over();
    [[nodiscard]] bool is_group_empty();
    [[nodiscard]] bool tells_empty();
    [[nodiscard]] bool looks_empty();
    [[nodiscard]] Status send(const EndSequence::Action& action);
    [[nodiscard]] Status send_to(EndPolicy::Target target, int signal_number);
    [[nodiscard]] Status arm_next();

    Enforcer& enforcer_;
    Kernel& kernel_;
    OwnerId owner_;
    Child child_;
    TraceSink trace_;
    EndSequence sequence_;
    Fd poller_;
    Fd timer_;
    Fd pidfd_;  ///< absent where it cannot be had or watched, and once the child has ended
    std::optional<Outcome> outcome_;
    std::unique_ptr<EventSource> events_;  ///< once the child has ended and others have not
    bool has_no_events_ = false;           ///< they cannot be had
    bool is_empty_ = false;
    bool must_kill_ = false;  ///< SIGKILL was due and could not be sent
};

Status Supervisor::State::open() {
    poller_ = Fd(kernel_.epoll_create1(EPOLL_CLOEXEC));
    if (!poller_) return errno_status(errno, "epoll_create1");
    timer_ = Fd(kernel_.timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    if (!timer_) return errno_status(errno, "timerfd_create");
    TRESTLE_TRY_STATUS(watch(kernel_, poller_, timer_.get()));
    // The child is not reaped, so the number is its own.
    pidfd_ = Fd(kernel_.pidfd_open(static_cast<pid_t>(child_.pid), 0));
    if (pidfd_ && !watch(kernel_, poller_, pidfd_.get()).ok()) pidfd_.reset();
    return arm_next();
}

/// The child first: a job that ended before a signal was sent has ended by itself.
StatusOr<std::optional<JobEnd>> Supervisor::State::step() {
    std::uint64_t expirations = 0;
    (void)kernel_.read(timer_.get(), &expirations, sizeof expirations);
    TRESTLE_TRY_STATUS(look_at_child());
    Status killed;
    if (!is_over()) {
        const bool kills_again = must_kill_;
        for (const EndSequence::Action& action : sequence_.advance(monotonic_now())) {
            const Status sent = send(action);
            if (action.stage == EndSequence::Action::Stage::kill) killed = sent;
        }
        if (kills_again) killed = send(EndSequence::Action());
        TRESTLE_TRY_STATUS(look_at_child());
    }
    if (is_over()) return std::optional(sequence_.end_of(*outcome_));
    TRESTLE_TRY_STATUS(arm_next());
    TRESTLE_TRY_STATUS(killed);
    return std::optional<JobEnd>();
}

Status Supervisor::State::stop(JobEnd::Cause cause, std::optional<Seconds> grace) {
    TRESTLE_TRY_STATUS(look_at_child());
    if (!outcome_ || sequence_.cause()) sequence_.stop(cause, monotonic_now(), grace);
    return arm_next();
}

Status Supervisor::State::set_time_limit(std::optional<Seconds> limit) {
    sequence_.set_time_limit(limit, monotonic_now());
    return arm_next();
}

Status Supervisor::State::look_at_child() {
    if (outcome_) return {};
    TRESTLE_TRY(outcome_, enforcer_.poll(child_));
    if (outcome_) pidfd_.reset();  // which takes it out of the poller
    return {};
}

bool Supervisor::State::is_over() {
    if (!outcome_) return false;
    if (!sequence_.cause()) return true;
    return sequence_.is_killed() ? !must_kill_ : is_group_empty();
}

/// By its events, else by looking at all groups. Events come once, so the answer is kept.
bool Supervisor::State::is_group_empty() {
    if (is_empty_) return true;
    if (!events_ && !has_no_events_) {
        auto source = enforcer_.events(child_.group, {});
        has_no_events_ = !source.ok();
        if (source.ok()) {
            events_ = *std::move(source);
            if (events_->fd() >= 0) has_no_events_ = !watch(kernel_, poller_, events_->fd()).ok();
        }
    }
    is_empty_ = has_no_events_ ? looks_empty() : tells_empty();
    return is_empty_;
}

/// A group that is not found has gone. After other errors it is unknown: the timer asks again.
bool Supervisor::State::tells_empty() {
    const auto events = events_->read();
    has_no_events_ = !events.ok();
    if (!events.ok()) return looks_empty();
    return std::any_of(events->begin(), events->end(), [](const GroupEvent& event) {
        return event.kind == GroupEvent::Kind::emptied || event.kind == GroupEvent::Kind::removed;
    });
}

bool Supervisor::State::looks_empty() {
    const auto states = enforcer_.recover();
    if (!states.ok()) return states.status().code() == StatusCode::kNotFound;
    return std::none_of(states->begin(), states->end(), [this](const GroupState& state) {
        return is_below(state.group, child_.group) && state.is_populated;
    });
}

/// Ok when no process is left.
Status Supervisor::State::send(const EndSequence::Action& action) {
    // What is frozen acts on no signal, what is stopped on SIGCONT only. Where thawing fails, and
    // where there is no freezing, SIGKILL follows all the same.
    if (action.stage == EndSequence::Action::Stage::end_signal) (void)enforcer_.thaw(child_.group);
    Status sent = send_to(action.target, action.signal_number);
    if (action.stage == EndSequence::Action::Stage::end_signal) {
        const Status continued = send_to(action.target, SIGCONT);
        if (sent.ok()) sent = continued;
    }
    if (action.stage == EndSequence::Action::Stage::kill) must_kill_ = !sent.ok();
    if (trace_) {
        std::string text = to_text(action);
        if (!sent.ok()) text += fmt::format(": failed: {}", message(sent));
        trace_({TraceEvent::Kind::step, owner_, child_.group, std::move(text)});
    }
    return sent;
}

Status Supervisor::State::send_to(EndPolicy::Target target, int signal_number) {
    if (target == EndPolicy::Target::leader && outcome_) return {};
    const Status sent = target == EndPolicy::Target::leader
                            ? enforcer_.signal_child(child_, signal_number)
                            : enforcer_.signal(child_.group, signal_number);
    return sent.code() == StatusCode::kNotFound ? Status() : sent;
}

Status Supervisor::State::arm_next() {
    const Microseconds now = monotonic_now();
    std::optional<Microseconds> next = sequence_.next_at();
    const auto at_latest = [&next](Microseconds at) { next = std::min(next.value_or(at), at); };
    if (must_kill_) at_latest(now + kill_again);
    // Nothing is due any more, but the caller of stop waits for a step.
    if (outcome_ && !sequence_.cause()) at_latest(now);
    const bool is_told = outcome_ ? events_ && events_->fd() >= 0 && !has_no_events_ : bool(pidfd_);
    if (!is_told) at_latest(now + look_again);
    return arm(kernel_, timer_, next);
}

Supervisor::Supervisor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Supervisor::Supervisor(Supervisor&&) noexcept = default;
Supervisor& Supervisor::operator=(Supervisor&&) noexcept = default;
Supervisor::~Supervisor() = default;

StatusOr<Supervisor> Supervisor::start(Enforcer& enforcer, const Plan& plan, const Child& child,
                                       const TraceSink& trace, Kernel& kernel) {
    TRESTLE_TRY_STATUS(check(plan.end));
    auto state = std::make_unique<State>(enforcer, plan, child, trace, kernel);
    TRESTLE_TRY_STATUS(state->open());
    return Supervisor(std::move(state));
}

int Supervisor::fd() const { return state_->fd(); }
StatusOr<std::optional<JobEnd>> Supervisor::step() { return state_->step(); }
Status Supervisor::stop(JobEnd::Cause cause, std::optional<Seconds> grace) {
    return state_->stop(cause, grace);
}
Status Supervisor::set_time_limit(std::optional<Seconds> limit) {
    return state_->set_time_limit(limit);
}

StatusOr<JobEnd> supervise(Enforcer& enforcer, const Plan& plan, const Child& child,
                           const StopRequest& stop, const TraceSink& trace, Kernel& kernel) {
    TRESTLE_TRY(Supervisor supervisor, Supervisor::start(enforcer, plan, child, trace, kernel));
    std::array<pollfd, 2> watched{{{supervisor.fd(), POLLIN, 0}, {stop.fd, POLLIN, 0}}};
    for (;;) {
        TRESTLE_TRY(const auto end, supervisor.step());
        if (end) return *end;
        if (detail::retried([&] { return kernel.poll(watched.data(), watched.size(), -1); }) < 0) {
            return errno_status(errno, "poll");
        }
        if (watched[1].revents == 0) continue;
        watched[1].fd = -1;  // it stays readable: nothing is read from it
        TRESTLE_TRY_STATUS(supervisor.stop(stop.cause));
    }
}

}  // namespace trestle::os
