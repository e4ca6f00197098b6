// SPDX-License-Identifier: Apache-2.0
// A kernel that fails the n-th system call, once or for good, with each errno that the real one may
// give there in turn, and records the calls.
#pragma once

#include <linux/bpf.h>
#include <linux/sched.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <compare>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/os/kernel.hpp"

namespace trestle {

/// What the kernel may answer to a call, other than what it answered: from the manual pages of the
/// calls, and for files of control groups as measured.
[[nodiscard]] inline std::vector<int> errnos_of(std::string_view call, std::string_view path) {
    const bool is_directory = path.empty() || path == "." || path.front() == '/';
    if (call == "openat") {
        std::vector<int> errors{EMFILE, ENFILE, ENOMEM, EACCES};
        // Files that some kernels lack; what is there is found.
        const bool is_ours = path.starts_with(".trestle");
        const bool is_common = is_ours || (path.starts_with("cgroup.") && path != "cgroup.kill");
        if (!is_directory && !is_common) errors.push_back(ENOENT);
        return errors;
    }
    if (call == "openat2") return {ENOSYS, EPERM, EMFILE, ENOMEM, EACCES, EXDEV, ELOOP};
    if (call == "read" || call == "pread") return {EINTR, EIO, ENOMEM, EOPNOTSUPP};
    if (call == "write") {
        return {EINTR, EINVAL, ERANGE, EBUSY, EACCES, EPERM, ENOSPC, ENOMEM, EOPNOTSUPP, ENODEV};
    }
    if (call == "getdents64") return {EINTR, ENOMEM, EIO};
    if (call == "faccessat") return {EACCES, EROFS, ENOMEM};
    if (call == "fstatat") return {EACCES, ENOMEM};
    if (call == "statfs") return {EACCES, ENOMEM, EIO};
    if (call == "mkdirat") return {EEXIST, EAGAIN, EACCES, EROFS, ENOMEM, ENOSPC};
    if (call == "unlinkat") return {EBUSY, EACCES, EROFS, ENOMEM};
    if (call == "renameat2") return {EBUSY, EACCES, EROFS, ENOMEM, ENOSPC};
    if (call == "symlinkat") return {EACCES, EROFS, ENOMEM, ENOSPC};
    if (call == "readlinkat") return {EACCES, EIO, ENOMEM};
    if (call == "fchmod" || call == "fchmodat") return {EPERM, EROFS, ENOMEM};
    if (call == "fchown") return {EPERM, EROFS, EDQUOT};
    if (call == "fsetxattr") return {ENOSPC, EOPNOTSUPP, EPERM, ENOMEM};
    if (call == "fgetxattr") return {EOPNOTSUPP, ENOMEM};
    if (call == "fremovexattr") return {EOPNOTSUPP, EPERM};
    if (call == "pipe2") return {EMFILE, ENFILE};
    if (call == "poll") return {EINTR, ENOMEM};
    if (call == "epoll_create1") return {EMFILE, ENFILE, ENOMEM};
    if (call == "epoll_ctl") return {ENOMEM, ENOSPC};
    if (call == "timerfd_create") return {EMFILE, ENFILE, ENOMEM, ENODEV};
    if (call == "timerfd_settime") return {ECANCELED, EINVAL};
    if (call == "bpf") return {EPERM, EACCES, EINVAL, E2BIG, ENOMEM, EAGAIN, ENOSPC, EMFILE};
    if (call == "clone3") {
        return {ENOSYS, EINVAL, EPERM, EOPNOTSUPP, EAGAIN, ENOMEM, EBUSY, EACCES, EMFILE};
    }
    if (call == "fork") return {EAGAIN, ENOMEM};
    if (call == "pidfd_open") return {ENOSYS, EMFILE, ENOMEM, ESRCH, EINVAL, ENOENT};
    if (call == "pidfd_send_signal") return {ENOSYS, ESRCH, EPERM};
    if (call == "kill") return {ESRCH, EPERM};
    if (call == "waitid") return {EINTR, EINVAL};
    return {};
}

/// Which call fails, counted from 0, and how.
struct CallFault {
    std::size_t call = 0;
    std::size_t choice = 0;  ///< of errnos_of
    bool is_for_good =
        false;  ///< all later calls of the same name, too; but no signal comes for ever
};

/// A call that was made.
struct CallMade {
    std::string stage;
    std::string call;
    std::string path;

    friend auto operator<=>(const CallMade&, const CallMade&) = default;
};

[[nodiscard]] inline std::string to_text(const CallMade& made) {
    return made.stage + ": " + made.call + (made.path.empty() ? "" : " " + made.path);
}

class FaultyKernel final : public os::Kernel {
  public:
    explicit FaultyKernel(os::Kernel& inner = os::real_kernel()) : inner_(inner) {}

    void set_fault(std::optional<CallFault> fault) { fault_ = fault; }
    /// Called before each call, with its number.
    void set_observer(std::function<void(std::size_t)> observer) {
        observer_ = std::move(observer);
    }
    /// What the test is doing; a part of what is recorded.
    void set_stage(std::string stage) { stage_ = std::move(stage); }

    [[nodiscard]] const std::vector<CallMade>& calls() const { return calls_; }
    /// The errno of the first call that failed here; 0 when none did.
    [[nodiscard]] int failed_with() const { return failed_with_; }
    [[nodiscard]] const CallMade& failed_call() const { return failed_call_; }

    int openat(int at, const char* path, int flags) override {
        return fails("openat", path) ? -1 : inner_.openat(at, path, flags);
    }
    int openat2(int at, const char* path, std::uint64_t flags, std::uint64_t resolve) override {
        return fails("openat2", path) ? -1 : inner_.openat2(at, path, flags, resolve);
    }
    ssize_t read(int fd, void* buffer, std::size_t size) override {
        return fails("read") ? -1 : inner_.read(fd, buffer, size);
    }
    ssize_t pread(int fd, void* buffer, std::size_t size, off_t offset) override {
        return fails("pread") ? -1 : inner_.pread(fd, buffer, size, offset);
    }
    ssize_t write(int fd, const void* data, std::size_t size) override {
        return fails("write") ? -1 : inner_.write(fd, data, size);
    }
    ssize_t getdents64(int fd, void* buffer, std::size_t size) override {
        return fails("getdents64") ? -1 : inner_.getdents64(fd, buffer, size);
    }
    int faccessat(int at, const char* path, int mode, int flags) override {
        return fails("faccessat", path) ? -1 : inner_.faccessat(at, path, mode, flags);
    }
    int fstatat(int at, const char* path, struct stat* about, int flags) override {
        return fails("fstatat", path) ? -1 : inner_.fstatat(at, path, about, flags);
    }
    int statfs(const char* path, struct statfs* about) override {
        return fails("statfs", path) ? -1 : inner_.statfs(path, about);
    }
    int mkdirat(int at, const char* path, mode_t mode) override {
        return fails("mkdirat", path) ? -1 : inner_.mkdirat(at, path, mode);
    }
    int unlinkat(int at, const char* path, int flags) override {
        return fails("unlinkat", path) ? -1 : inner_.unlinkat(at, path, flags);
    }
    int renameat2(int from, const char* path, int to, const char* new_path,
                  unsigned flags) override {
        return fails("renameat2", path) ? -1 : inner_.renameat2(from, path, to, new_path, flags);
    }
    int symlinkat(const char* target, int at, const char* path) override {
        return fails("symlinkat", path) ? -1 : inner_.symlinkat(target, at, path);
    }
    ssize_t readlinkat(int at, const char* path, char* buffer, std::size_t size) override {
        return fails("readlinkat", path) ? -1 : inner_.readlinkat(at, path, buffer, size);
    }
    int fchmod(int fd, mode_t mode) override {
        return fails("fchmod") ? -1 : inner_.fchmod(fd, mode);
    }
    int fchmodat(int at, const char* path, mode_t mode) override {
        return fails("fchmodat") ? -1 : inner_.fchmodat(at, path, mode);
    }
    int fchown(int fd, uid_t uid, gid_t gid) override {
        return fails("fchown") ? -1 : inner_.fchown(fd, uid, gid);
    }
    int fsetxattr(int fd, const char* name, const void* value, std::size_t size,
                  int flags) override {
        return fails("fsetxattr", name) ? -1 : inner_.fsetxattr(fd, name, value, size, flags);
    }
    ssize_t fgetxattr(int fd, const char* name, void* value, std::size_t size) override {
        return fails("fgetxattr", name) ? -1 : inner_.fgetxattr(fd, name, value, size);
    }
    int fremovexattr(int fd, const char* name) override {
        return fails("fremovexattr", name) ? -1 : inner_.fremovexattr(fd, name);
    }
    int pipe2(int* ends, int flags) override {
        return fails("pipe2") ? -1 : inner_.pipe2(ends, flags);
    }
    int poll(struct pollfd* files, std::size_t count, int timeout_ms) override {
        return fails("poll") ? -1 : inner_.poll(files, count, timeout_ms);
    }
    int epoll_create1(int flags) override {
        return fails("epoll_create1") ? -1 : inner_.epoll_create1(flags);
    }
    int epoll_ctl(int poller, int operation, int fd, struct epoll_event* event) override {
        return fails("epoll_ctl") ? -1 : inner_.epoll_ctl(poller, operation, fd, event);
    }
    int timerfd_create(int clock, int flags) override {
        return fails("timerfd_create") ? -1 : inner_.timerfd_create(clock, flags);
    }
    int timerfd_settime(int fd, int flags, const struct itimerspec* when) override {
        return fails("timerfd_settime") ? -1 : inner_.timerfd_settime(fd, flags, when);
    }
    int bpf(int command, union bpf_attr* attributes, unsigned size) override {
        return fails("bpf", std::to_string(command)) ? -1 : inner_.bpf(command, attributes, size);
    }
    pid_t clone3(struct clone_args* arguments, std::size_t size) override {
        return fails("clone3") ? -1 : inner_.clone3(arguments, size);
    }
    pid_t fork() override { return fails("fork") ? -1 : inner_.fork(); }
    int pidfd_open(pid_t pid, unsigned flags) override {
        return fails("pidfd_open") ? -1 : inner_.pidfd_open(pid, flags);
    }
    int pidfd_send_signal(int pidfd, int signal_number) override {
        return fails("pidfd_send_signal") ? -1 : inner_.pidfd_send_signal(pidfd, signal_number);
    }
    int kill(pid_t pid, int signal_number) override {
        return fails("kill") ? -1 : inner_.kill(pid, signal_number);
    }
    int waitid(idtype_t kind, id_t id, siginfo_t* info, int options) override {
        return fails("waitid") ? -1 : inner_.waitid(kind, id, info, options);
    }

  private:
    [[nodiscard]] bool fails(const std::string& call, const std::string& path = {}) {
        const std::size_t number = calls_.size();
        if (number >= calls_max) throw std::runtime_error("a loop without end: " + call);
        if (observer_) observer_(number);
        calls_.push_back({stage_, call, path});
        if (!fault_ || number < fault_->call) return false;
        if (number == fault_->call) {
            const std::vector<int> errors = errnos_of(call, path);
            if (fault_->choice >= errors.size()) return false;
            failed_with_ = errors[fault_->choice];
            failed_call_ = calls_.back();
        } else if (!fault_->is_for_good || failed_with_ == 0 || failed_with_ == EINTR ||
                   call != failed_call_.call) {
            return false;
        }
        errno = failed_with_;
        return true;
    }

    static constexpr std::size_t calls_max = 1'000'000;

    os::Kernel& inner_;
    std::optional<CallFault> fault_;
    std::function<void(std::size_t)> observer_;
    std::string stage_ = "start";
    std::vector<CallMade> calls_;
    int failed_with_ = 0;
    CallMade failed_call_;
};

}  // namespace trestle
