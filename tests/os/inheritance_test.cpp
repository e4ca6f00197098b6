// SPDX-License-Identifier: Apache-2.0
// What a command has of the process that started it: neither its files nor its terminal.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <thread>

#include "os/plain_job.hpp"
#include "support/catch.hpp"

namespace trestle {
namespace {

/// What is run in it has no close_range(2), as on older kernels.
template <class Run>
void without_close_range(int error, Run run) {
    std::thread([&] {
        std::array<sock_filter, 4> code{{
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        }};
        const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
        if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
        if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0) run();
    }).join();
}

}  // namespace

TEST_CASE("PlainEnforcer: files of the parent stay behind on every kernel", "[os]") {
    // 0 and 1 and 2, and the one that lists them.
    const Command listing = plain_shell("test \"$(ls /proc/self/fd | tr '\\n' ' ')\" = '0 1 2 3 '");
    for (const int error : {ENOSYS, EINVAL, EPERM}) {
        PlainJob job;
        const int low = ::open("/dev/null", O_RDONLY);
        const int high = ::fcntl(low, F_DUPFD, 900);
        StatusOr<Outcome> plain, limited;
        without_close_range(error, [&] {
            plain = job.run(listing);
            job.plan.process.limits = {{ProcessSettings::Limit::Resource::nofile, 10, 10}};
            limited = job.run(listing);
        });
        INFO(error << ": " << plain.status().ToString() << " " << limited.status().ToString());
        CHECK((plain.ok() && *plain == exited(0)));
        CHECK((limited.ok() && *limited == exited(0)));
        CHECK(::fcntl(low, F_GETFD) == 0);
        ::close(low);
        ::close(high);
    }
}

TEST_CASE("PlainEnforcer: the session is the command's own, unless the embedder's is kept",
          "[os]") {
    const Command own = plain_shell("set -- $(cat /proc/$$/stat); test $6 = $$");
    PlainJob job;
    CHECK(job.run(own).value() == exited(0));
    job.plan.process.keeps_session = true;
    CHECK(job.run(own).value() == exited(1));
}

TEST_CASE("PlainEnforcer: a job of another user has not the embedder's keys", "[os]") {
    const long keyring = ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
    if (::geteuid() != 0 || keyring < 0) {
        WARN("no root, or no keyrings");
        return;
    }
    REQUIRE(::syscall(SYS_add_key, "user", "trestle-test", "x", 1, KEY_SPEC_SESSION_KEYRING) >= 0);
    const Command sees_key = plain_shell("grep -q trestle-test /proc/keys");
    PlainJob job;
    if (job.run(sees_key).value() != exited(0)) {
        WARN("/proc/keys does not tell");
        return;
    }
    // Root may look at root's keys without having them: only another user shows what is possessed.
    job.plan.process.user = ProcessUser{65534, 65534};
    CHECK(job.run(sees_key).value() == exited(1));
}

TEST_CASE("PlainEnforcer: a job of another user is no realtime process", "[os]") {
    const sched_param least{1};
    if (::geteuid() != 0 || ::sched_setscheduler(0, SCHED_FIFO, &least) != 0) {
        WARN("no realtime class here");
        return;
    }
    const Command is_ordinary = plain_shell("set -- $(cat /proc/$$/stat); test ${41} = 0");
    PlainJob job;
    const auto kept = job.run(is_ordinary);
    job.plan.process.user = ProcessUser{0, 0};
    const auto left = job.run(is_ordinary);
    const sched_param ordinary{};
    REQUIRE(::sched_setscheduler(0, SCHED_OTHER, &ordinary) == 0);
    CHECK(kept.value() == exited(1));
    CHECK(left.value() == exited(0));
}

TEST_CASE("PlainEnforcer: the embedder's terminal is none of the command's", "[os]") {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    REQUIRE(terminal >= 0);
    REQUIRE((::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0));
    const std::string name = ::ptsname(terminal);
    const pid_t embedder = ::fork();
    if (embedder == 0) {
        const bool has_terminal = ::setsid() > 0 && ::open(name.c_str(), O_RDWR) >= 0;
        PlainJob job;
        const auto opens_it = [&] {
            return job.run(plain_shell(": < /dev/tty")).value().exit_code;
        };
        const bool is_shut = opens_it() != 0;
        job.plan.process.keeps_session = true;
        const bool is_open = opens_it() == 0;
        ::_exit(has_terminal && is_shut && is_open ? 0 : 1);
    }
    int status = -1;
    CHECK(::waitpid(embedder, &status, 0) == embedder);
    CHECK(status == 0);
    ::close(terminal);
}

}  // namespace trestle
