// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/systemd_scope.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

#include "../cgroup/end_group.hpp"
#include "../fd.hpp"
#include "../kernel_text.hpp"
#include "../process/child_program.hpp"
#include "../process/inherited_files.hpp"
#include "../process/signals_held.hpp"
#include "base/errno_status.hpp"
#include "manager_bus.hpp"
#include "os/directory.hpp"

namespace trestle::os {

namespace {

using detail::Deadline;
using detail::Fd;
using detail::GroupDirectory;
using detail::ManagerBus;

constexpr const char* keeper_leaf = "keeper";
constexpr const char* jobs_group = "jobs";

/// systemd.unit(5): letters, digits and `:-_.\`, with a type behind the last point.
Status check_unit(const std::string& unit, std::string_view type) {
    constexpr std::string_view others = ":-_.\\@";
    constexpr std::size_t most = 255;
    const bool is_plain = std::all_of(unit.begin(), unit.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               others.find(c) != std::string_view::npos;
    });
    if (is_plain && unit.ends_with(type) && unit.size() > type.size() && unit.size() <= most) {
        return {};
    }
    return invalid_argument("{}: expected letters, digits and {} before {}, at most {} in all",
                            trestle::detail::quoted(unit), others, type, most);
}

Status check_scope(const ScopeOptions& options) {
    TRESTLE_TRY_STATUS(check_unit(options.unit, ".scope"));
    return options.slice.empty() ? Status() : check_unit(options.slice, ".slice");
}

/// Waits for the end of a pipe. Calls only what is safe after a fork in a threaded program; holds
/// no file of its parent's and none of its signal handlers.
[[noreturn]] void keep(int pipe_end) {
    detail::reset_signals();
    sigset_t none;
    (void)::sigemptyset(&none);
    (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
    (void)::setsid();  // the keys of a terminal end the user of the scope, not the scope
    (void)::dup2(pipe_end, 0);
    (void)detail::close_files_from(1, detail::CloseWhen::now);
    char nothing = 0;
    (void)detail::retried([&] { return ::read(0, &nothing, 1); });
    ::_exit(0);
}

}  // namespace

namespace detail {

/// A process that does nothing and ends with its owner, also when that is killed.
class Keeper {
  public:
    [[nodiscard]] static StatusOr<Keeper> start() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno_status(errno, "keeper: no pipe");
        Fd read_end(ends[0]);
        Fd write_end(ends[1]);
        pid_t pid = -1;
        int error = 0;
        {
            const SignalsHeld held;
            pid = ::fork();
            error = errno;
            if (pid == 0) {
                write_end.reset();  // or the pipe would never end
                keep(read_end.get());
            }
        }
        if (pid < 0) return errno_status(error, "keeper: cannot fork");
        return Keeper(pid, std::move(write_end));
    }
    Keeper(Keeper&& other) noexcept
        : pid_(std::exchange(other.pid_, 0)), pipe_(std::move(other.pipe_)) {}
    Keeper& operator=(Keeper&& other) noexcept {
        std::swap(pid_, other.pid_);
        std::swap(pipe_, other.pipe_);
        return *this;
    }
    ~Keeper() { end(); }

    [[nodiscard]] pid_t pid() const { return pid_; }
    void end() {
        pipe_.reset();
        if (pid_ == 0) return;
        // Other children of the program may hold the pipe open until they execute theirs.
        (void)::kill(pid_, SIGKILL);
        (void)detail::retried([&] { return ::waitpid(pid_, nullptr, 0); });
        pid_ = 0;
    }

  private:
    Keeper(pid_t pid, Fd pipe) : pid_(pid), pipe_(std::move(pipe)) {}

    pid_t pid_ = 0;
    Fd pipe_;
};

}  // namespace detail

namespace {

/// The directory of a group that /proc/PID/cgroup or systemd names.
StatusOr<std::string> directory_of_group(const std::string& group) {
    TRESTLE_TRY(const auto self, GroupDirectory::open("/proc/self"));
    TRESTLE_TRY(const std::string mounts, self.read("mountinfo"));
    const auto mount = detail::mount_of(mounts);
    const auto directory = mount ? detail::directory_of(*mount, group) : std::nullopt;
    if (!directory) return failed_precondition("{}: no cgroup v2 mount shows this group", group);
    return *directory;
}

/// The group that a process is in; empty when it has gone.
std::string group_of_process(pid_t pid) {
    const auto process = GroupDirectory::open("/proc/" + std::to_string(pid));
    const auto text = process.ok() ? process->read("cgroup") : process.status();
    return text.ok() ? detail::group_of(*text).value_or("") : "";
}

/// Waits until systemd has put the process into the unit, and says into which group.
StatusOr<std::string> arrival(const ManagerBus& bus, const ScopeOptions& options, pid_t pid) {
    const Deadline deadline = Deadline::in(options.patience);
    constexpr int pause_ms = 5;
    for (int tries = 1;; ++tries) {
        std::string group = group_of_process(pid);
        if (group.ends_with("/" + options.unit)) return group;
        const auto state = tries % 20 == 0 ? bus.active_state() : std::string();
        const bool is_gone = state.status().code() == StatusCode::kNotFound;
        if (is_gone || (state.ok() && *state == "failed")) {
            return failed_precondition("{}: systemd could not start it, its log says why",
                                       options.unit);
        }
        if (deadline.left_ms() == 0) {
            return make_error(StatusCode::kDeadlineExceeded,
                              "{}: process {} did not come into it within {} s", options.unit, pid,
                              options.patience.value());
        }
        (void)::poll(nullptr, 0, deadline.left_ms(pause_ms));
    }
}

Status made_or_there(const Status& made) {
    return made.code() == StatusCode::kAlreadyExists ? Status() : made;
}

/// Takes the keeper out of the scope's own group, hands all controllers down, and makes `jobs`.
/// cgroup.subtree_control is the one file of a delegated unit that is not systemd's to write.
Status furnish(const std::string& scope_directory, pid_t keeper) {
    TRESTLE_TRY(const auto scope, GroupDirectory::open(scope_directory));
    TRESTLE_TRY_STATUS(made_or_there(scope.make(keeper_leaf)));
    TRESTLE_TRY(const auto leaf, scope.below(keeper_leaf));
    TRESTLE_TRY_STATUS(leaf.write("cgroup.procs", std::to_string(keeper)));
    TRESTLE_TRY(const std::string controllers, scope.read("cgroup.controllers"));
    for (const std::string& controller : detail::words_of(controllers)) {
        // One that is refused, as cpu where there are realtime processes, is missing below: that is
        // for apply to judge, by what a plan needs.
        (void)scope.write("cgroup.subtree_control", "+" + controller);
    }
    return made_or_there(scope.make(jobs_group));
}

}  // namespace

class SystemdScope::State {
  public:
    State(ScopeOptions options, detail::Keeper keeper, std::string scope_directory)
        : options_(std::move(options)),
          keeper_(std::move(keeper)),
          scope_directory_(std::move(scope_directory)),
          directory_(scope_directory_ + "/" + jobs_group) {}

    [[nodiscard]] const ScopeOptions& options() const { return options_; }
    [[nodiscard]] const std::string& directory() const { return directory_; }

    [[nodiscard]] Status stop();
    [[nodiscard]] Status abandon();

  private:
    ScopeOptions options_;
    detail::Keeper keeper_;
    std::string scope_directory_;
    std::string directory_;
};

/// What is inside is killed at once, for systemd would send SIGTERM and wait a minute and a half.
/// The keeper goes last, so that the scope is there to be stopped.
Status SystemdScope::State::stop() {
    TRESTLE_TRY(const ManagerBus bus, ManagerBus::open(options_));
    const auto jobs = GroupDirectory::open(directory_);
    if (jobs.ok()) (void)detail::kill_all(*jobs);
    const Status stopped = bus.stop();
    if (!stopped.ok() && stopped.code() != StatusCode::kNotFound) return stopped;
    keeper_.end();
    const Deadline deadline = Deadline::in(options_.patience);
    while (::access(scope_directory_.c_str(), F_OK) == 0) {
        if (deadline.left_ms() == 0) {
            return make_error(StatusCode::kDeadlineExceeded, "{}: {} is still there", options_.unit,
                              scope_directory_);
        }
        (void)::poll(nullptr, 0, deadline.left_ms(5));
    }
    return {};
}

Status SystemdScope::State::abandon() {
    TRESTLE_TRY(const ManagerBus bus, ManagerBus::open(options_));
    TRESTLE_TRY_STATUS(bus.abandon());
    keeper_.end();
    return {};
}

SystemdScope::SystemdScope(std::unique_ptr<State> state) : state_(std::move(state)) {}
SystemdScope::SystemdScope(SystemdScope&&) noexcept = default;
SystemdScope& SystemdScope::operator=(SystemdScope&&) noexcept = default;
SystemdScope::~SystemdScope() = default;

StatusOr<SystemdScope> SystemdScope::start(const ScopeOptions& options) {
    TRESTLE_TRY_STATUS(check_scope(options));
    TRESTLE_TRY(const ManagerBus bus, ManagerBus::open(options));
    TRESTLE_TRY(detail::Keeper keeper, detail::Keeper::start());
    Status started = bus.start_scope(keeper.pid());
    if (started.code() == StatusCode::kAlreadyExists) {
        (void)bus.reset_failed();  // what it refuses, the second start tells
        started = bus.start_scope(keeper.pid());
    }
    TRESTLE_TRY_STATUS(started);
    auto group = arrival(bus, options, keeper.pid());
    auto directory = group.ok() ? directory_of_group(*group) : group.status();
    const Status furnished =
        directory.ok() ? furnish(*directory, keeper.pid()) : directory.status();
    if (!furnished.ok()) {
        (void)bus.stop();
        return with_context(options.unit, furnished);
    }
    return SystemdScope(std::make_unique<State>(options, std::move(keeper), *std::move(directory)));
}

StatusOr<SystemdScope> SystemdScope::adopt(const ScopeOptions& options) {
    TRESTLE_TRY_STATUS(check_scope(options));
    TRESTLE_TRY(const ManagerBus bus, ManagerBus::open(options));
    TRESTLE_TRY(const std::string group, bus.control_group());
    TRESTLE_TRY(std::string directory, directory_of_group(group));
    TRESTLE_TRY(detail::Keeper keeper, detail::Keeper::start());
    TRESTLE_TRY_STATUS(with_context(options.unit, furnish(directory, keeper.pid())));
    return SystemdScope(std::make_unique<State>(options, std::move(keeper), std::move(directory)));
}

const std::string& SystemdScope::directory() const { return state_->directory(); }
const std::string& SystemdScope::unit() const { return state_->options().unit; }
Status SystemdScope::stop() { return state_->stop(); }
Status SystemdScope::abandon() { return state_->abandon(); }

}  // namespace trestle::os
