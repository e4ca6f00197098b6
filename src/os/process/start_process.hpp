// SPDX-License-Identifier: Apache-2.0
#pragma once

// Starting a command, inside a group or not, and waiting for it.
//
// Layer: os, private. Main types: StartPlace, StartedProcess, ChildTable; what the child does is
// in child_program.hpp.
// Pitfall: a started process has already executed its program. A failure to do so comes back as the
// Status of the start, and then there is no process.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../fd.hpp"
#include "child_program.hpp"
#include "os/directory.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/os/kernel.hpp"
#include "trestle/os/start_method.hpp"

namespace trestle::os::detail {

struct StartedProcess {
    std::int64_t pid = 0;
    Fd pidfd;  ///< empty on kernels without
};

/// Where a process starts. Without a group: where the parent is.
struct StartPlace {
    const GroupDirectory* group = nullptr;
    StartMethod method = StartMethod::automatic;
    Kernel& kernel = real_kernel();
    Seconds patience = Seconds::max();  ///< until the program is executed; 1 s at least
    std::vector<StartedProcess>* unended = nullptr;  ///< where a child goes that is stuck
    std::optional<Count> oom_kills = {};             ///< of the group, before the start
    Seconds kill_patience{10};                       ///< until a child has to be ended
};

/// Errors: those of execve and of the settings, with what was tried; after an error there is no
/// process, or the message says which one is stuck in the kernel: it ends when it comes out, and
/// is to be reaped then. DeadlineExceeded when patience ends, as in a group that is frozen.
[[nodiscard]] StatusOr<StartedProcess> start_process(const ExecImage& image,
                                                     const StartPlace& place);

/// What waitid told of a process that has ended.
struct EndOfProcess {
    bool is_exit = false;  ///< else a signal
    int number = 0;        ///< exit code or signal
};

/// The processes that an enforcer started and has not reaped.
class ChildTable {
  public:
    /// What the group of a child could still tell when it was removed.
    struct Farewell {
        bool is_killed = false;          ///< the child ran until then
        std::optional<Count> oom_kills;  ///< since the child started
    };
    struct Entry {
        StartedProcess process;
        std::string group;
        std::optional<Count> oom_kills;  ///< of the group, when the process started
        std::optional<Farewell> farewell = {};
    };
    /// A group that is about to go.
    struct Removed {
        std::string group;
        std::vector<std::int64_t> running;  ///< of running_below, before it was killed
    };

    explicit ChildTable(Kernel& kernel = real_kernel()) : kernel_(kernel) {}

    [[nodiscard]] Child add(Entry entry);
    /// Errors: NotFound for a process that is not in the table.
    [[nodiscard]] StatusOr<const Entry*> find(const Child& child) const;
    /// Of the group itself, rising, without those that have ended.
    [[nodiscard]] std::vector<std::int64_t> pids_of(const std::string& group) const;
    /// True when a process of the group or of those below has not ended.
    [[nodiscard]] bool has_running_below(const std::string& group) const;
    /// Those, rising.
    [[nodiscard]] std::vector<std::int64_t> running_below(const std::string& group) const;
    /// Keeps what the groups of children count, for later waits: once nothing runs in the group and
    /// those below, and before they go.
    void keep_counts(const Removed& removed,
                     const std::function<std::optional<Count>(const std::string&)>& oom_kills_of);
    /// Children that never came to their program and that SIGKILL has not ended, for start_process
    /// to add to. Those that have ended since are reaped here.
    [[nodiscard]] std::vector<StartedProcess>* unended();

    /// Sends a signal to this process alone. Ok when it has ended and is not reaped.
    [[nodiscard]] Status signal(const Child& child, int signal_number) const;
    /// The same for all of the group and of those below; the first error, after the others had it.
    [[nodiscard]] Status signal_below(const std::string& group, int signal_number) const;
    /// Waits, or only looks, and forgets the process once it has ended or cannot be waited for.
    /// After other errors it stays in the table.
    [[nodiscard]] StatusOr<EndOfProcess> wait(const Child& child);
    [[nodiscard]] StatusOr<std::optional<EndOfProcess>> poll(const Child& child);

  private:
    /// Looks without reaping.
    [[nodiscard]] bool is_running(std::int64_t pid) const;
    [[nodiscard]] StatusOr<std::optional<EndOfProcess>> reap(const Child& child, int flags);

    Kernel& kernel_;
    std::map<std::int64_t, Entry> entries_;
    std::vector<StartedProcess> unended_;
};

}  // namespace trestle::os::detail
