// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a child does between the fork and its program.
//
// Layer: os, private. Main types: ExecImage, ChildProgram, ChildReport. All memory is taken before
// the fork: the child calls only what is safe after a fork in a threaded program.
// Pitfall: the child writes into a pipe that closes by itself when the program is executed: first
// that it runs at all, then its failure if there is one. A pipe that ends without either means that
// the kernel killed the child before its first instruction.

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/status.hpp"
#include "trestle/enforce/process/command.hpp"
#include "trestle/enforce/process/settings.hpp"

namespace trestle::os::detail {

/// The value of PATH among the variables `NAME=value`; that of a bare system where it is missing.
[[nodiscard]] std::string path_of(const std::vector<std::string>& environment);

/// The files that a program name may mean: itself when it holds a `/`, else along PATH, whose empty
/// parts mean the current directory.
[[nodiscard]] std::vector<std::string> program_candidates(const std::string& program,
                                                          std::string_view search_path);

/// A ProcessUser in the form of the system calls.
struct ImageUser {
    uid_t uid = 0;
    gid_t gid = 0;
    std::vector<gid_t> groups;              ///< rising
    mutable std::vector<gid_t> has_groups;  ///< room for what the kernel says, one more than groups
    std::optional<std::uint64_t> kept;      ///< a bit for each capability; absent: all as they are
    bool no_new_privs = true;
};

/// Everything that the child needs, in the form of the system calls.
class ExecImage {
  public:
    /// Errors: InvalidArgument for an empty command, for a NUL byte inside a word and for settings
    /// that no kernel takes; FailedPrecondition for a variable of which only the digest is known.
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
    std::optional<int> nice_;
    std::string oom_score_adj_;  ///< as it is written; empty: unchanged
    std::optional<std::uint32_t> umask_;
    std::optional<int> memory_mode_;  ///< the kernel's number
    std::vector<unsigned long> memory_nodes_;
    std::optional<ImageUser> user_;
    bool keeps_session_ = false;
};

/// What the child was doing when it failed.
enum class ChildStage : int {
    none,
    session,
    files,
    scheduler,
    nice,
    oom_score,
    affinity,
    memory_policy,
    limits,
    keyring,
    groups,
    gid,
    bounding_set,
    uid,
    capabilities,
    no_new_privs,
    directory,
    program,
};

constexpr auto enum_names(ChildStage) {
    using enum ChildStage;
    return std::array{named(none, "start"),
                      named(session, "start a session"),
                      named(files, "close the files of its parent"),
                      named(scheduler, "leave its parent's realtime class"),
                      named(nice, "set the nice value"),
                      named(oom_score, "set oom_score_adj"),
                      named(affinity, "set CPU affinity"),
                      named(memory_policy, "set the memory policy"),
                      named(limits, "set resource limits"),
                      named(keyring, "leave the session keyring"),
                      named(groups, "set the supplementary groups"),
                      named(gid, "set the gid"),
                      named(bounding_set, "drop capabilities from the bounding set"),
                      named(uid, "set the uid"),
                      named(capabilities, "set the capabilities"),
                      named(no_new_privs, "set no_new_privs"),
                      named(directory, "change to the directory"),
                      named(program, "execute")};
}

/// Sent through a pipe that closes by itself when the program is executed.
struct ChildReport {
    ChildStage stage = ChildStage::none;  ///< none: the child has begun
    int error_number = 0;
};

/// For a child: handlers belong to the program that is left. Of the ignored signals only those come
/// back that an interpreter ignores for itself (Python: SIGPIPE, SIGXFSZ); what nohup ignores stays
/// so. The C library's sigaction may take locks, which would stay locked in the child.
void reset_signals();

/// The child, from the fork to its program. Only calls that are safe after a fork.
struct ChildProgram {
    const ExecImage& image;
    int report_fd;
    int go_fd;  ///< wait for a byte from it first; -1: go on at once

    [[noreturn]] void run() const;

  private:
    void set_priorities() const;
    void set_limits() const;
    void become(const ImageUser& user) const;
    void leave_keyring() const;
    void leave_realtime() const;
    void set_groups(const ImageUser& user) const;
    void drop_bounding_set(std::uint64_t kept) const;
    void set_capabilities(const ImageUser& user) const;
    [[noreturn]] void execute() const;
    [[noreturn]] void fail(ChildStage stage) const;
    void report(ChildStage stage, int error_number) const;
};

}  // namespace trestle::os::detail
