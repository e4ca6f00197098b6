// SPDX-License-Identifier: Apache-2.0
// From a started child to its end, with interrupts from outside: a loop of one's own around a
// Supervisor. Without interrupts os::supervise is all it takes.
#pragma once

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "trestle/base/status.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/os/supervisor.hpp"

namespace trestle::tool {

/// SIGINT and SIGTERM of this process as something to read. The library touches no signals.
class Interrupts {
  public:
    Interrupts() {
        sigset_t stops;
        ::sigemptyset(&stops);
        ::sigaddset(&stops, SIGINT);
        ::sigaddset(&stops, SIGTERM);
        ::sigprocmask(SIG_BLOCK, &stops, nullptr);
        fd_ = ::signalfd(-1, &stops, SFD_CLOEXEC | SFD_NONBLOCK);
    }
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;
    ~Interrupts() { ::close(fd_); }

    int fd() const { return fd_; }
    /// True when one has come since.
    bool take() const {
        signalfd_siginfo info;
        return ::read(fd_, &info, sizeof info) == static_cast<ssize_t>(sizeof info);
    }

  private:
    int fd_ = -1;
};

/// Ok when both are; else what failed first, with what else did.
inline Status joined(const Status& first, const Status& second) {
    if (first.ok() || second.ok()) return first.ok() ? second : first;
    return make_error(first.code(), "{}; {}", message(first), message(second));
}

/// Keeps the time of the child. The first interrupt ends it as the time limit would; the second one
/// does not wait any longer.
inline StatusOr<JobEnd> run_to_the_end(Enforcer& enforcer, const Plan& plan, const Child& child,
                                       const Interrupts& interrupts) {
    const auto trace = [](const TraceEvent& event) { fmt::print(stderr, "{}\n", event.detail); };
    TRESTLE_TRY(os::Supervisor supervisor, os::Supervisor::start(enforcer, plan, child, trace));
    std::optional<Seconds> grace;
    for (;;) {
        TRESTLE_TRY(const std::optional<JobEnd> end, supervisor.step());
        if (end) return *end;
        pollfd watched[] = {{supervisor.fd(), POLLIN, 0}, {interrupts.fd(), POLLIN, 0}};
        (void)::poll(watched, 2, -1);
        while (interrupts.take()) {
            TRESTLE_TRY_STATUS(supervisor.stop(JobEnd::Cause::user_stop, grace));
            grace = Seconds(0);
        }
    }
}

}  // namespace trestle::tool
