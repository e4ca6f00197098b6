// SPDX-License-Identifier: Apache-2.0
#include "start_process.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

namespace trestle::os::detail {

namespace {

constexpr const char* default_path = "/usr/local/bin:/usr/bin:/bin";

/// What the child was doing when it failed.
enum class Stage : int { none, limits, affinity, directory, program };

constexpr auto enum_names(Stage) {
    return std::array{named(Stage::none, "start"), named(Stage::limits, "set resource limits"),
                      named(Stage::affinity, "set CPU affinity"),
                      named(Stage::directory, "change to the directory"),
                      named(Stage::program, "execute")};
}

/// Sent through a pipe that closes by itself when the program is executed.
struct Report {
    Stage stage = Stage::none;
    int error_number = 0;
};

int resource_number(ProcessResource resource) {
    switch (resource) {
        case ProcessResource::cpu:
            return RLIMIT_CPU;
        case ProcessResource::fsize:
            return RLIMIT_FSIZE;
        case ProcessResource::data:
            return RLIMIT_DATA;
        case ProcessResource::stack:
            return RLIMIT_STACK;
        case ProcessResource::core:
            return RLIMIT_CORE;
        case ProcessResource::rss:
            return RLIMIT_RSS;
        case ProcessResource::nproc:
            return RLIMIT_NPROC;
        case ProcessResource::nofile:
            return RLIMIT_NOFILE;
        case ProcessResource::memlock:
            return RLIMIT_MEMLOCK;
        case ProcessResource::as:
            break;
    }
    return RLIMIT_AS;
}

std::vector<unsigned long> mask_of(const PuSet& threads) {
    constexpr std::uint32_t bits = 8 * sizeof(unsigned long);
    std::vector<unsigned long> mask;
    for (const OsIndex thread : threads) {
        mask.resize(thread.value() / bits + 1);
        mask.back() |= 1UL << thread.value() % bits;
    }
    return mask;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// The command's variables as `name=value`, those of the settings in place of equal names.
std::vector<std::string> environment_of(const Command& command, const ProcessSettings& settings) {
    std::vector<EnvironmentVariable> variables = command.environment;
    for (const EnvironmentVariable& variable : settings.environment) {
        std::erase_if(variables,
                      [&](const EnvironmentVariable& v) { return v.name == variable.name; });
        variables.push_back(variable);
    }
    std::vector<std::string> words;
    for (const auto& [name, value] : variables) words.push_back(name + "=" + value);
    return words;
}

bool has_nul(const std::string& word) { return word.find('\0') != std::string::npos; }

/// All signals wait in the calling thread, and so in the child until it has let go of the handlers
/// of the program.
class SignalsHeld {
  public:
    SignalsHeld() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;
    ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  private:
    sigset_t before_{};
};

/// The kernel's struct sigaction, which has the handler first and a size of its own everywhere.
struct KernelAction {
    void (*handler)(int) = SIG_DFL;
    std::array<unsigned long, 4> rest{};
};

/// Handlers belong to the program that is left. Of the ignored signals only those come back that an
/// interpreter ignores for itself (Python: SIGPIPE, SIGXFSZ); what nohup ignores stays so. The C
/// library's sigaction may take locks, which nobody would release in the child.
void reset_signals() {
    constexpr std::size_t mask_size = 8;
    for (int number = 1; number < NSIG; ++number) {
        KernelAction action;
        (void)::syscall(SYS_rt_sigaction, number, nullptr, &action, mask_size);
        const bool is_kept = action.handler == SIG_IGN && number != SIGPIPE && number != SIGXFSZ;
        if (is_kept || action.handler == SIG_DFL) continue;
        const KernelAction standard;
        (void)::syscall(SYS_rt_sigaction, number, &standard, nullptr, mask_size);
    }
}

}  // namespace

/// The child, from the fork to its program. Only calls that are safe after a fork.
struct ChildProgram {
    const ExecImage& image;
    int report_fd;
    int go_fd;  ///< wait for a byte from it first; -1: go on at once

    [[noreturn]] void run() const {
        if (go_fd >= 0) {
            char go = 0;
            if (retried([&] { return ::read(go_fd, &go, 1); }) != 1) ::_exit(127);
        }
        for (const auto& [resource, limit] : image.limits_) {
            if (::syscall(SYS_prlimit64, 0, resource, &limit, nullptr) != 0) fail(Stage::limits);
        }
        const auto& mask = image.affinity_;
        if (!mask.empty() &&
            ::syscall(SYS_sched_setaffinity, 0, mask.size() * sizeof(mask[0]), mask.data()) < 0) {
            fail(Stage::affinity);
        }
        if (!image.directory_.empty() && ::chdir(image.directory_.c_str()) != 0) {
            fail(Stage::directory);
        }
        // The program gets the three standard files and nothing else: a device that the parent
        // holds open would stay usable whatever the filter says.
        (void)::syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
        reset_signals();
        sigset_t none;
        ::sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        execute();
    }

  private:
    [[noreturn]] void execute() const {
        int error = ENOENT;
        for (const std::string& candidate : image.candidates_) {
            ::execve(candidate.c_str(), image.argv_.data(), image.envp_.data());
            // As execvp: a file that may not be executed is worse than none, and both may be
            // followed by one that can.
            if (errno != ENOENT && errno != ENOTDIR) error = errno;
            if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) break;
        }
        errno = error;
        fail(Stage::program);
    }
    [[noreturn]] void fail(Stage stage) const {
        const Report report{stage, errno};
        (void)!::write(report_fd, &report, sizeof report);
        ::_exit(127);
    }
};

std::string path_of(const std::vector<std::string>& environment) {
    std::string path = default_path;
    for (const std::string& variable : environment) {
        if (variable.starts_with("PATH=")) path = variable.substr(5);
    }
    return path;
}

std::vector<std::string> program_candidates(const std::string& program,
                                            std::string_view search_path) {
    if (program.find('/') != std::string::npos) return {program};
    std::vector<std::string> candidates;
    for (std::size_t start = 0; start <= search_path.size();) {
        const std::size_t end = std::min(search_path.find(':', start), search_path.size());
        const std::string_view folder = search_path.substr(start, end - start);
        candidates.push_back(folder.empty() ? "./" + program : std::string(folder) + "/" + program);
        start = end + 1;
    }
    return candidates;
}

StatusOr<ExecImage> ExecImage::of(const Command& command, const ProcessSettings& settings) {
    if (command.arguments.empty() || command.arguments.front().empty()) {
        return invalid_argument("command: it is empty, expected a program");
    }
    ExecImage image;
    image.arguments_ = command.arguments;
    image.environment_ = environment_of(command, settings);
    image.directory_ = command.directory;
    if (std::any_of(image.arguments_.begin(), image.arguments_.end(), has_nul) ||
        std::any_of(image.environment_.begin(), image.environment_.end(), has_nul) ||
        has_nul(image.directory_)) {
        return invalid_argument(
            "command {}: a NUL byte inside an argument, a variable or the "
            "directory",
            image.arguments_.front().c_str());
    }
    image.candidates_ = program_candidates(command.arguments.front(), path_of(image.environment_));
    image.affinity_ = mask_of(settings.affinity);
    for (const ProcessLimit& limit : settings.limits) {
        image.limits_.emplace_back(
            resource_number(limit.resource),
            rlimit{limit.soft.value_or(RLIM_INFINITY), limit.hard.value_or(RLIM_INFINITY)});
    }
    image.argv_ = pointers_to(image.arguments_);
    image.envp_ = pointers_to(image.environment_);
    return image;
}

namespace {

struct Pipe {
    Fd read;
    Fd write;
};

StatusOr<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno_status(errno, "pipe2");
    return Pipe{Fd(ends[0]), Fd(ends[1])};
}

/// True for the errors of a clone3 that is missing, too old or forbidden by a seccomp filter; the
/// others would hit a fork too.
bool lacks_clone3(int error) {
    return error == ENOSYS || error == EINVAL || error == E2BIG || error == EPERM ||
           error == EOPNOTSUPP;
}

/// As fork(), with a descriptor of the child, which starts in the group if one is given.
pid_t clone_process(const GroupDirectory* group, Fd& pidfd) {
    int fd = -1;
    clone_args arguments{};
    arguments.flags = CLONE_PIDFD;
    arguments.pidfd = static_cast<std::uint64_t>(std::bit_cast<std::uintptr_t>(&fd));
    arguments.exit_signal = SIGCHLD;
    if (group != nullptr) {
        arguments.flags |= CLONE_INTO_CGROUP;
        arguments.cgroup = static_cast<unsigned>(group->fd());
    }
    const long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid > 0) pidfd = Fd(fd);
    return static_cast<pid_t>(pid);
}

/// Reaps a child that is known to end by itself.
void reap_quietly(pid_t pid) {
    (void)retried([&] { return ::waitpid(pid, nullptr, 0); });
}

/// Waits for the child to execute its program or to say why it could not.
Status await_program(const ExecImage& image, const Pipe& report_pipe, pid_t pid) {
    Report report;
    const auto size =
        retried([&] { return ::read(report_pipe.read.get(), &report, sizeof report); });
    if (size == 0) return {};
    const int error = size < 0 ? errno : report.error_number;
    reap_quietly(pid);
    const std::string stage(to_text(report.stage));
    return errno_status(error, fmt::format("cannot {} for {}", stage, image.program()));
}

}  // namespace

StatusOr<StartedProcess> start_process(const ExecImage& image, const StartPlace& place) {
    TRESTLE_TRY(Pipe report, make_pipe());
    TRESTLE_TRY(Pipe go, make_pipe());
    StartedProcess started;
    const bool is_automatic = place.method == StartMethod::automatic;
    bool is_moved = false;
    pid_t pid = -1;
    int error = ENOSYS;
    {
        const SignalsHeld held;
        if (is_automatic) {
            pid = clone_process(place.group, started.pidfd);
            error = errno;
        }
        if (pid < 0 && (!is_automatic || lacks_clone3(error))) {
            is_moved = place.group != nullptr;
            pid = ::fork();
            error = errno;
        }
        if (pid == 0) {
            go.write.reset();  // so that the end of the parent ends the wait for it
            ChildProgram{image, report.write.get(), is_moved ? go.read.get() : -1}.run();
        }
    }
    const std::string where = place.group != nullptr ? " in " + place.group->path() : "";
    if (pid < 0) return errno_status(error, "cannot start a process" + where);
    report.write.reset();  // go.read stays open: the write below never meets a pipe without reader
    started.pid = pid;
    if (!started.pidfd) started.pidfd = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
    if (is_moved) {
        const Status moved = place.group->write("cgroup.procs", std::to_string(pid));
        if (!moved.ok()) {
            go.write.reset();
            reap_quietly(pid);
            return moved;
        }
        (void)retried([&] { return ::write(go.write.get(), "g", 1); });
    }
    TRESTLE_TRY_STATUS(await_program(image, report, pid));
    return started;
}

Child ChildTable::add(Entry entry) {
    const Child child{entry.group, entry.process.pid};
    entries_.insert_or_assign(child.pid, std::move(entry));
    return child;
}

StatusOr<const ChildTable::Entry*> ChildTable::find(const Child& child) const {
    const auto at = entries_.find(child.pid);
    if (at == entries_.end() || at->second.group != child.group) {
        return not_found("process {}: no child of this enforcer in {}", child.pid, child.group);
    }
    return &at->second;
}

std::vector<std::int64_t> ChildTable::pids_of(const std::string& group) const {
    std::vector<std::int64_t> pids;
    for (const auto& [pid, entry] : entries_) {
        if (entry.group == group) pids.push_back(pid);
    }
    return pids;
}

std::vector<std::int64_t> ChildTable::pids_below(const std::string& group) const {
    std::vector<std::int64_t> pids;
    for (const auto& [pid, entry] : entries_) {
        if (entry.group == group || entry.group.starts_with(group + "/")) pids.push_back(pid);
    }
    return pids;
}

/// By its descriptor where there is one: the number is safe too, as long as nobody else reaps it.
Status ChildTable::signal(const Child& child, int signal_number) const {
    TRESTLE_TRY(const Entry* entry, find(child));
    const Fd& pidfd = entry->process.pidfd;
    long result = -1;
    errno = ENOSYS;
    if (pidfd) {
        result = ::syscall(SYS_pidfd_send_signal, pidfd.get(), signal_number, nullptr, 0U);
    }
    const bool is_missing = result != 0 && (errno == ENOSYS || errno == EPERM);
    if (is_missing) result = ::kill(static_cast<pid_t>(child.pid), signal_number);
    if (result == 0 || errno == ESRCH) return {};
    return errno_status(errno, fmt::format("cannot signal process {}", child.pid));
}

StatusOr<EndOfProcess> ChildTable::wait(const Child& child) {
    TRESTLE_TRY(const auto end, reap(child, 0));
    return *end;
}

StatusOr<std::optional<EndOfProcess>> ChildTable::poll(const Child& child) {
    return reap(child, WNOHANG);
}

StatusOr<std::optional<EndOfProcess>> ChildTable::reap(const Child& child, int flags) {
    TRESTLE_TRY(const Entry* entry, find(child));
    siginfo_t info{};
    const int result = retried([&] {
        const Fd& pidfd = entry->process.pidfd;
        const idtype_t kind = pidfd ? P_PIDFD : P_PID;
        const auto id = static_cast<id_t>(pidfd ? pidfd.get() : child.pid);
        return ::waitid(kind, id, &info, WEXITED | flags);
    });
    if (result != 0) {
        const int error = errno;
        entries_.erase(child.pid);  // somebody else reaped it: nobody can tell how it ended
        return errno_status(error, fmt::format("cannot wait for process {}", child.pid));
    }
    if (info.si_pid == 0) return std::optional<EndOfProcess>();
    entries_.erase(child.pid);
    return std::optional(EndOfProcess{info.si_code == CLD_EXITED, info.si_status});
}

}  // namespace trestle::os::detail
