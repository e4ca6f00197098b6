// SPDX-License-Identifier: Apache-2.0
#pragma once

// Starting a command, inside a group or not, and waiting for it.
//
// Layer: os, private. Main types: ExecImage, StartPlace, StartedProcess, ChildTable. All memory is
// taken before the fork: the child calls only what is safe after a fork in a threaded program.
// A reader would get wrong: a started process has already executed its program. A failure to do so
// comes back as the Status of the start, and then there is no process.

#include <sys/resource.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../cgroup/group_directory.hpp"
#include "../fd.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/process/command.hpp"
#include "trestle/enforce/process/settings.hpp"
#include "trestle/os/start_method.hpp"

namespace trestle::os::detail {

/// The value of PATH among the variables `NAME=value`; that of a bare system where it is missing.
[[nodiscard]] std::string path_of(const std::vector<std::string>& environment);

/// The files that a program name may mean: itself when it holds a `/`, else along PATH, whose empty
/// parts mean the current directory.
[[nodiscard]] std::vector<std::string> program_candidates(const std::string& program,
                                                          std::string_view search_path);

/// Everything that the child needs, in the form of the system calls.
class ExecImage {
  public:
    /// Errors: InvalidArgument for an empty command and for a NUL byte inside a word.
    [[nodiscard]] static StatusOr<ExecImage> of(const Command& command,
                                                const ProcessSettings& settings);
    ExecImage(ExecImage&&) = default;
    ExecImage& operator=(ExecImage&&) = default;

    [[nodiscard]] const std::vector<std::string>& environment() const { return environment_; }
    [[nodiscard]] const std::string& program() const { return arguments_.front(); }

  private:
    friend struct ChildProgram;
    ExecImage() = default;

    std::vector<std::string> candidates_;
    std::vector<std::string> arguments_;
    std::vector<std::string> environment_;
    std::vector<char*> argv_;
    std::vector<char*> envp_;
    std::string directory_;
    std::vector<unsigned long> affinity_;  ///< a bit for each hardware thread; empty: unchanged
    std::vector<std::pair<int, rlimit>> limits_;
};

/// Where a process starts. Without a group: where the parent is.
struct StartPlace {
    const GroupDirectory* group = nullptr;
    StartMethod method = StartMethod::automatic;
};

struct StartedProcess {
    std::int64_t pid = 0;
    Fd pidfd;  ///< empty on kernels without
};

/// Errors: those of execve and of the settings, with what was tried; after an error there is no
/// process.
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
    struct Entry {
        StartedProcess process;
        std::string group;
        std::optional<Count> oom_kills;  ///< of the group, when the process started
    };

    [[nodiscard]] Child add(Entry entry);
    /// Errors: NotFound for a process that is not in the table.
    [[nodiscard]] StatusOr<const Entry*> find(const Child& child) const;
    /// Of the group itself, rising.
    [[nodiscard]] std::vector<std::int64_t> pids_of(const std::string& group) const;
    /// Of the group and those below.
    [[nodiscard]] std::vector<std::int64_t> pids_below(const std::string& group) const;

    /// Sends a signal to this process alone. Ok when it has ended and is not reaped.
    [[nodiscard]] Status signal(const Child& child, int signal_number) const;
    /// Waits, or only looks, and forgets the process once it has ended.
    [[nodiscard]] StatusOr<EndOfProcess> wait(const Child& child);
    [[nodiscard]] StatusOr<std::optional<EndOfProcess>> poll(const Child& child);

  private:
    [[nodiscard]] StatusOr<std::optional<EndOfProcess>> reap(const Child& child, int flags);

    std::map<std::int64_t, Entry> entries_;
};

}  // namespace trestle::os::detail
