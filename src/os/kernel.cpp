// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/kernel.hpp"

#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>

namespace trestle::os {

namespace {

class RealKernel final : public Kernel {
  public:
    int openat(int at, const char* path, int flags) override { return ::openat(at, path, flags); }
    int openat2(int at, const char* path, std::uint64_t flags, std::uint64_t resolve) override {
        open_how how;
        std::memset(&how, 0, sizeof how);
        how.flags = flags;
        how.resolve = resolve;
        return static_cast<int>(::syscall(SYS_openat2, at, path, &how, sizeof how));
    }
    ssize_t read(int fd, void* buffer, std::size_t size) override {
        return ::read(fd, buffer, size);
    }
    ssize_t pread(int fd, void* buffer, std::size_t size, off_t offset) override {
        return ::pread(fd, buffer, size, offset);
    }
    ssize_t write(int fd, const void* data, std::size_t size) override {
        return ::write(fd, data, size);
    }
    ssize_t getdents64(int fd, void* buffer, std::size_t size) override {
        return ::syscall(SYS_getdents64, fd, buffer, size);
    }
    int faccessat(int at, const char* path, int mode, int flags) override {
        return ::faccessat(at, path, mode, flags);
    }
    int fstatat(int at, const char* path, struct stat* about, int flags) override {
        return ::fstatat(at, path, about, flags);
    }
    int statfs(const char* path, struct statfs* about) override { return ::statfs(path, about); }
    int mkdirat(int at, const char* path, mode_t mode) override {
        return ::mkdirat(at, path, mode);
    }
    int unlinkat(int at, const char* path, int flags) override {
        return ::unlinkat(at, path, flags);
    }
    int renameat2(int from, const char* path, int to, const char* new_path,
                  unsigned flags) override {
        return static_cast<int>(::syscall(SYS_renameat2, from, path, to, new_path, flags));
    }
    int symlinkat(const char* target, int at, const char* path) override {
        return ::symlinkat(target, at, path);
    }
    ssize_t readlinkat(int at, const char* path, char* buffer, std::size_t size) override {
        return ::readlinkat(at, path, buffer, size);
    }
    int fchmod(int fd, mode_t mode) override { return ::fchmod(fd, mode); }
    int fchmodat(int at, const char* path, mode_t mode) override {
        return ::fchmodat(at, path, mode, 0);
    }
    int fchown(int fd, uid_t uid, gid_t gid) override { return ::fchown(fd, uid, gid); }
    int fsetxattr(int fd, const char* name, const void* value, std::size_t size,
                  int flags) override {
        return ::fsetxattr(fd, name, value, size, flags);
    }
    ssize_t fgetxattr(int fd, const char* name, void* value, std::size_t size) override {
        return ::fgetxattr(fd, name, value, size);
    }
    int fremovexattr(int fd, const char* name) override { return ::fremovexattr(fd, name); }
    int pipe2(int* ends, int flags) override { return ::pipe2(ends, flags); }
    int poll(struct pollfd* files, std::size_t count, int timeout_ms) override {
        return ::poll(files, static_cast<nfds_t>(count), timeout_ms);
    }
    int epoll_create1(int flags) override { return ::epoll_create1(flags); }
    int epoll_ctl(int poller, int operation, int fd, struct epoll_event* event) override {
        return ::epoll_ctl(poller, operation, fd, event);
    }
    int timerfd_create(int clock, int flags) override { return ::timerfd_create(clock, flags); }
    int timerfd_settime(int fd, int flags, const struct itimerspec* when) override {
        return ::timerfd_settime(fd, flags, when, nullptr);
    }
    int bpf(int command, union bpf_attr* attributes, unsigned size) override {
        return static_cast<int>(::syscall(SYS_bpf, command, attributes, size));
    }
    pid_t clone3(struct clone_args* arguments, std::size_t size) override {
        return static_cast<pid_t>(::syscall(SYS_clone3, arguments, size));
    }
    pid_t fork() override { return ::fork(); }
    int pidfd_open(pid_t pid, unsigned flags) override {
        return static_cast<int>(::syscall(SYS_pidfd_open, pid, flags));
    }
    int pidfd_send_signal(int pidfd, int signal_number) override {
        return static_cast<int>(
            ::syscall(SYS_pidfd_send_signal, pidfd, signal_number, nullptr, 0U));
    }
    int kill(pid_t pid, int signal_number) override { return ::kill(pid, signal_number); }
    int waitid(idtype_t kind, id_t id, siginfo_t* info, int options) override {
        return ::waitid(kind, id, info, options);
    }
};

}  // namespace

Kernel& real_kernel() {
    static RealKernel kernel;
    return kernel;
}

}  // namespace trestle::os
