// SPDX-License-Identifier: Apache-2.0
// Signals to the processes of groups. The groups are plain folders, whose lists name real
// processes.
#include "os/cgroup/end_group.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "../src/os/cgroup/group/values.hpp"
#include "machines/unpacked.hpp"
#include "support/catch.hpp"
#include "support/faulty_kernel.hpp"

namespace trestle::os::detail {
namespace {

/// A process that only signals end.
class Sleeper {
  public:
    Sleeper() {
        std::array<int, 2> ready{};
        REQUIRE(::pipe2(ready.data(), O_CLOEXEC) == 0);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::signal(SIGTERM, SIG_DFL);  // which the test program handles
            ::close(ready[1]);
            ::close(ready[0]);
            for (;;) ::pause();
        }
        ::close(ready[1]);
        char nothing = 0;
        CHECK(::read(ready[0], &nothing, 1) == 0);  // it has closed its end: signals may come
        ::close(ready[0]);
    }
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;
    ~Sleeper() { (void)ended_by(SIGKILL); }

    [[nodiscard]] std::string pid() const { return std::to_string(pid_); }
    [[nodiscard]] bool is_running() const { return ::waitpid(pid_, nullptr, WNOHANG) == 0; }
    /// The signal that ended it: this one, if no other came before.
    [[nodiscard]] int ended_by(int signal_number) {
        if (pid_ < 0) return 0;
        (void)::kill(pid_, signal_number);
        int status = 0;
        (void)::waitpid(pid_, &status, 0);
        pid_ = -1;
        return WTERMSIG(status);
    }

  private:
    pid_t pid_ = -1;
};

/// A group with one below.
struct ListedGroups {
    ListedGroups() {
        std::filesystem::create_directory(folder.path() / "below");
        list("", "");
        list("below", "");
    }
    void list(const std::string& group, const std::string& pids,
              const std::string& file = "cgroup.procs") const {
        std::ofstream(folder.path() / group / file) << pids;
    }
    [[nodiscard]] Status signal(FaultyKernel& kernel, int signal_number) const {
        const auto group = GroupDirectory::open(folder.path().string(), kernel);
        REQUIRE(group.ok());
        return signal_all(*group, signal_number, Deadline::in(Seconds(10)));
    }
    /// Which call of a sending without faults this is, the first of its name.
    [[nodiscard]] std::size_t number_of(const std::string& call) const {
        FaultyKernel healthy;
        REQUIRE(signal(healthy, 0) == Status());
        for (std::size_t i = 0; i < healthy.calls().size(); ++i) {
            if (healthy.calls()[i].call == call) return i;
        }
        FAIL(call << " is not called");
        return 0;
    }

    TemporaryFolder folder;
};

/// In each round of a signal, one process more is listed.
class ListsMore final : public ForwardingKernel {
  public:
    ListsMore(const ListedGroups& groups, std::deque<Sleeper>& sleepers)
        : ForwardingKernel(real_kernel()), groups_(groups), sleepers_(sleepers) {
        list_next();
    }
    ssize_t getdents64(int fd, void* buffer, std::size_t size) override {
        constexpr int calls_in_round = 4;  // two groups, each read to its end
        if (calls_++ % calls_in_round == 0) list_next();
        return ForwardingKernel::getdents64(fd, buffer, size);
    }
    [[nodiscard]] bool has_listed_all() const { return listed_ == sleepers_.size(); }

  private:
    void list_next() {
        if (has_listed_all()) return;
        pids_ += sleepers_[listed_++].pid() + "\n";
        groups_.list("", pids_);
    }

    const ListedGroups& groups_;
    std::deque<Sleeper>& sleepers_;
    std::string pids_;
    std::size_t listed_ = 0;
    int calls_ = 0;
};

/// What stands in a file of the group when the first signal is sent.
class LooksBeforeSignal final : public ForwardingKernel {
  public:
    explicit LooksBeforeSignal(std::filesystem::path file)
        : ForwardingKernel(real_kernel()), file_(std::move(file)) {}
    int pidfd_send_signal(int pidfd, int signal_number) override {
        if (seen_.empty()) std::ifstream(file_) >> seen_;
        return ForwardingKernel::pidfd_send_signal(pidfd, signal_number);
    }
    [[nodiscard]] const std::string& seen() const { return seen_; }

  private:
    std::filesystem::path file_;
    std::string seen_;
};

CallFault fault_of(const std::string& call, std::size_t number, int error) {
    const auto errors = errnos_of(call, "");
    const auto at = std::find(errors.begin(), errors.end(), error);
    REQUIRE(at != errors.end());
    return {number, static_cast<std::size_t>(at - errors.begin()), false};
}

}  // namespace

TEST_CASE("signal_all: a process that may not be signalled keeps it from no other", "[os]") {
    const ListedGroups groups;
    Sleeper first, second, below;
    groups.list("", first.pid() + "\n" + second.pid() + "\n");
    groups.list("below", below.pid() + "\n");
    FaultyKernel kernel;
    const char* const call = "pidfd_send_signal";
    kernel.set_fault(fault_of(call, groups.number_of(call), EPERM));
    const Status status = groups.signal(kernel, SIGTERM);
    CHECK(status.code() == StatusCode::kPermissionDenied);
    CHECK_THAT(std::string(message(status)),
               Catch::Matchers::ContainsSubstring("cannot send signal 15 to process"));
    const std::vector<int> ends{first.ended_by(SIGKILL), second.ended_by(SIGKILL)};
    CHECK(std::count(ends.begin(), ends.end(), SIGTERM) == 1);
    CHECK(below.ended_by(SIGKILL) == SIGTERM);
}

TEST_CASE("signal_all: a number that is not listed any more belongs to another process", "[os]") {
    const ListedGroups groups;
    Sleeper other, moved;
    groups.list("", other.pid() + "\n" + moved.pid() + "\n");
    const std::size_t looked_up = groups.number_of("pidfd_open");
    FaultyKernel kernel;
    kernel.set_observer([&](std::size_t number) {
        if (number != looked_up) return;
        groups.list("", "");
        groups.list("below", moved.pid() + "\n");
    });
    CHECK(groups.signal(kernel, SIGTERM) == Status());
    CHECK(other.is_running());
    CHECK(other.ended_by(SIGKILL) == SIGKILL);
    CHECK(moved.ended_by(SIGKILL) == SIGTERM);
}

TEST_CASE("signal_all: where processes cannot be held they are signalled by number", "[os]") {
    const ListedGroups groups;
    Sleeper one;
    groups.list("", one.pid() + "\n");
    FaultyKernel kernel;
    kernel.set_fault(fault_of("pidfd_open", groups.number_of("pidfd_open"), ENOSYS));
    CHECK(groups.signal(kernel, SIGTERM) == Status());
    CHECK(one.ended_by(SIGKILL) == SIGTERM);
}

TEST_CASE("signal_all: without a descriptor to spare no process is passed over", "[os]") {
    const ListedGroups groups;
    Sleeper one;
    groups.list("", one.pid() + "\n");
    FaultyKernel kernel;
    kernel.set_fault(fault_of("pidfd_open", groups.number_of("pidfd_open"), EMFILE));
    CHECK(groups.signal(kernel, SIGTERM) == Status());
    CHECK(one.ended_by(SIGKILL) == SIGTERM);
}

TEST_CASE("signal_all: processes that come as fast as they are signalled do not hold it up",
          "[os]") {
    const ListedGroups groups;
    std::deque<Sleeper> sleepers(24);
    ListsMore kernel(groups, sleepers);
    const auto group = GroupDirectory::open(groups.folder.path().string(), kernel);
    REQUIRE(group.ok());
    const Status status = signal_all(*group, SIGCONT, Deadline::in(Seconds::max()));
    CHECK(status.code() == StatusCode::kDeadlineExceeded);
    CHECK_THAT(std::string(message(status)),
               Catch::Matchers::ContainsSubstring("new processes come as fast as signal 18"));
    CHECK_FALSE(kernel.has_listed_all());
}

/// EINVAL: up to Linux 6.14, when the number lives on as that of a session.
TEST_CASE("signal_all: a process that ended before it could be held is passed over", "[os]") {
    for (const int error : {ESRCH, EINVAL, ENOENT}) {
        INFO(error);
        const ListedGroups groups;
        Sleeper ended, other;
        groups.list("", ended.pid() + "\n");
        groups.list("below", other.pid() + "\n");
        const std::size_t looked_up = groups.number_of("pidfd_open");
        FaultyKernel kernel;
        kernel.set_fault(fault_of("pidfd_open", looked_up, error));
        kernel.set_observer([&](std::size_t number) {
            if (number == looked_up) groups.list("", "");
        });
        CHECK(groups.signal(kernel, SIGTERM) == Status());
        CHECK(ended.ended_by(SIGKILL) == SIGKILL);
        CHECK(other.ended_by(SIGKILL) == SIGTERM);
    }
}

TEST_CASE("kill_all: without cgroup.kill a group stands still while it is killed", "[os]") {
    const ListedGroups groups;
    Sleeper first, second;
    groups.list("", first.pid() + "\n");
    groups.list("below", second.pid() + "\n");
    groups.list("", "populated 1\nfrozen 1\n", "cgroup.events");
    for (const char* before : {"0", "1"}) {
        groups.list("", before, "cgroup.freeze");
        LooksBeforeSignal kernel(groups.folder.path() / "cgroup.freeze");
        const auto group = GroupDirectory::open(groups.folder.path().string(), kernel);
        REQUIRE(group.ok());
        CHECK(kill_all(*group) == Status());
        CHECK(kernel.seen() == "1");
        std::string after;
        std::ifstream(groups.folder.path() / "cgroup.freeze") >> after;
        CHECK(after == before);  // as it was
    }
    CHECK(first.ended_by(SIGTERM) == SIGKILL);
    CHECK(second.ended_by(SIGTERM) == SIGKILL);
}

TEST_CASE("pids_in: of a threaded group, the processes of its threads", "[os]") {
    const ListedGroups groups;
    Sleeper one;
    groups.list("", one.pid() + "\n" + std::to_string(::getpid()) + "\n4194305\n",
                "cgroup.threads");
    FaultyKernel kernel;
    const auto group = GroupDirectory::open(groups.folder.path().string(), kernel);
    REQUIRE(group.ok());
    kernel.set_fault(fault_of("read", kernel.calls().size() + 1, EOPNOTSUPP));
    const auto pids = pids_in(*group);
    INFO(pids.status().ToString());
    REQUIRE(pids.ok());
    CHECK(*pids == std::vector<std::int64_t>{::getpid(), std::stoll(one.pid())});
}

}  // namespace trestle::os::detail
