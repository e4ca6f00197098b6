// SPDX-License-Identifier: Apache-2.0
#pragma once

// The system calls that enforcement makes, behind one virtual call each.
//
// Layer: os. Main names: Kernel, ForwardingKernel, real_kernel. For tests that fail a chosen call,
// for counting and recording calls, and for embedders that have a process with more rights make the
// calls.
// Pitfall: nothing is changed on the way. Results and errno are those of the call of the same name
// in section 2 of the manual; nothing is retried and nothing is thrown. Closing a descriptor is not
// among them: on files that are not buffered it cannot fail in a way that matters.

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <cstddef>
#include <cstdint>

struct clone_args;
struct epoll_event;
struct itimerspec;
struct pollfd;
struct stat;
struct statfs;
union bpf_attr;

namespace trestle::os {

class Kernel {
  public:
    Kernel() = default;
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;
    virtual ~Kernel() = default;

    // Files. A mode is never needed: no file is created.
    virtual int openat(int at, const char* path, int flags) = 0;
    virtual int openat2(int at, const char* path, std::uint64_t flags, std::uint64_t resolve) = 0;
    virtual ssize_t read(int fd, void* buffer, std::size_t size) = 0;
    virtual ssize_t pread(int fd, void* buffer, std::size_t size, off_t offset) = 0;
    virtual ssize_t write(int fd, const void* data, std::size_t size) = 0;
    virtual ssize_t getdents64(int fd, void* buffer, std::size_t size) = 0;
    virtual int faccessat(int at, const char* path, int mode, int flags) = 0;
    virtual int fstatat(int at, const char* path, struct stat* about, int flags) = 0;
    virtual int statfs(const char* path, struct statfs* about) = 0;
    virtual int mkdirat(int at, const char* path, mode_t mode) = 0;
    virtual int unlinkat(int at, const char* path, int flags) = 0;
    virtual int renameat2(int from, const char* path, int to, const char* new_path,
                          unsigned flags) = 0;
    virtual int symlinkat(const char* target, int at, const char* path) = 0;
    virtual ssize_t readlinkat(int at, const char* path, char* buffer, std::size_t size) = 0;
    virtual int fchmod(int fd, mode_t mode) = 0;
    virtual int fchmodat(int at, const char* path, mode_t mode) = 0;
    virtual int fchown(int fd, uid_t uid, gid_t gid) = 0;
    virtual int fsetxattr(int fd, const char* name, const void* value, std::size_t size,
                          int flags) = 0;
    virtual ssize_t fgetxattr(int fd, const char* name, void* value, std::size_t size) = 0;
    virtual int fremovexattr(int fd, const char* name) = 0;
    virtual int pipe2(int* ends, int flags) = 0;
    virtual int poll(struct pollfd* files, std::size_t count, int timeout_ms) = 0;
    virtual int epoll_create1(int flags) = 0;
    virtual int epoll_ctl(int poller, int operation, int fd, struct epoll_event* event) = 0;
    virtual int timerfd_create(int clock, int flags) = 0;
    virtual int timerfd_settime(int fd, int flags, const struct itimerspec* when) = 0;

    // Device filters.
    virtual int bpf(int command, union bpf_attr* attributes, unsigned size) = 0;

    // Processes. Both of the first two return in the parent and in the child.
    virtual pid_t clone3(struct clone_args* arguments, std::size_t size) = 0;
    virtual pid_t fork() = 0;
    virtual int pidfd_open(pid_t pid, unsigned flags) = 0;
    virtual int pidfd_send_signal(int pidfd, int signal_number) = 0;
    virtual int kill(pid_t pid, int signal_number) = 0;
    virtual int waitid(idtype_t kind, id_t id, siginfo_t* info, int options) = 0;
};

/// Hands every call on to another kernel: override what is to be different. `inner` outlives it.
class ForwardingKernel : public Kernel {
  public:
    explicit ForwardingKernel(Kernel& inner) : inner_(inner) {}

    int openat(int at, const char* path, int flags) override {
        return inner_.openat(at, path, flags);
    }
    int openat2(int at, const char* path, std::uint64_t flags, std::uint64_t resolve) override {
        return inner_.openat2(at, path, flags, resolve);
    }
    ssize_t read(int fd, void* buffer, std::size_t size) override {
        return inner_.read(fd, buffer, size);
    }
    ssize_t pread(int fd, void* buffer, std::size_t size, off_t offset) override {
        return inner_.pread(fd, buffer, size, offset);
    }
    ssize_t write(int fd, const void* data, std::size_t size) override {
        return inner_.write(fd, data, size);
    }
    ssize_t getdents64(int fd, void* buffer, std::size_t size) override {
        return inner_.getdents64(fd, buffer, size);
    }
    int faccessat(int at, const char* path, int mode, int flags) override {
        return inner_.faccessat(at, path, mode, flags);
    }
    int fstatat(int at, const char* path, struct stat* about, int flags) override {
        return inner_.fstatat(at, path, about, flags);
    }
    int statfs(const char* path, struct statfs* about) override {
        return inner_.statfs(path, about);
    }
    int mkdirat(int at, const char* path, mode_t mode) override {
        return inner_.mkdirat(at, path, mode);
    }
    int unlinkat(int at, const char* path, int flags) override {
        return inner_.unlinkat(at, path, flags);
    }
    int renameat2(int from, const char* path, int to, const char* new_path,
                  unsigned flags) override {
        return inner_.renameat2(from, path, to, new_path, flags);
    }
    int symlinkat(const char* target, int at, const char* path) override {
        return inner_.symlinkat(target, at, path);
    }
    ssize_t readlinkat(int at, const char* path, char* buffer, std::size_t size) override {
        return inner_.readlinkat(at, path, buffer, size);
    }
    int fchmod(int fd, mode_t mode) override { return inner_.fchmod(fd, mode); }
    int fchmodat(int at, const char* path, mode_t mode) override {
        return inner_.fchmodat(at, path, mode);
    }
    int fchown(int fd, uid_t uid, gid_t gid) override { return inner_.fchown(fd, uid, gid); }
    int fsetxattr(int fd, const char* name, const void* value, std::size_t size,
                  int flags) override {
        return inner_.fsetxattr(fd, name, value, size, flags);
    }
    ssize_t fgetxattr(int fd, const char* name, void* value, std::size_t size) override {
        return inner_.fgetxattr(fd, name, value, size);
    }
    int fremovexattr(int fd, const char* name) override { return inner_.fremovexattr(fd, name); }
    int pipe2(int* ends, int flags) override { return inner_.pipe2(ends, flags); }
    int poll(struct pollfd* files, std::size_t count, int timeout_ms) override {
        return inner_.poll(files, count, timeout_ms);
    }
    int epoll_create1(int flags) override { return inner_.epoll_create1(flags); }
    int epoll_ctl(int poller, int operation, int fd, struct epoll_event* event) override {
        return inner_.epoll_ctl(poller, operation, fd, event);
    }
    int timerfd_create(int clock, int flags) override {
        return inner_.timerfd_create(clock, flags);
    }
    int timerfd_settime(int fd, int flags, const struct itimerspec* when) override {
        return inner_.timerfd_settime(fd, flags, when);
    }
    int bpf(int command, union bpf_attr* attributes, unsigned size) override {
        return inner_.bpf(command, attributes, size);
    }
    pid_t clone3(struct clone_args* arguments, std::size_t size) override {
        return inner_.clone3(arguments, size);
    }
    pid_t fork() override { return inner_.fork(); }
    int pidfd_open(pid_t pid, unsigned flags) override { return inner_.pidfd_open(pid, flags); }
    int pidfd_send_signal(int pidfd, int signal_number) override {
        return inner_.pidfd_send_signal(pidfd, signal_number);
    }
    int kill(pid_t pid, int signal_number) override { return inner_.kill(pid, signal_number); }
    int waitid(idtype_t kind, id_t id, siginfo_t* info, int options) override {
        return inner_.waitid(kind, id, info, options);
    }

  private:
    Kernel& inner_;
};

/// The kernel that this process runs on. Lives as long as the program.
[[nodiscard]] Kernel& real_kernel();

}  // namespace trestle::os
