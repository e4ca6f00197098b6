// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a child does between the fork and its program.
//
// Layer: os, private. Main types: ExecImage, ChildProgram, ChildReport. All memory is taken before
// the fork: the child calls only what is safe after a fork in a threaded program.
// A reader would get wrong: the child's failure is written into a pipe that closes by itself when
// the program is executed, so an empty pipe at its end means success.

#include <sys/resource.h>

#include <array>
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

/// What the child was doing when it failed.
enum class ChildStage : int { none, limits, affinity, directory, program };

constexpr auto enum_names(ChildStage) {
    return std::array{named(ChildStage::none, "start"),
                      named(ChildStage::limits, "set resource limits"),
                      named(ChildStage::affinity, "set CPU affinity"),
                      named(ChildStage::directory, "change to the directory"),
                      named(ChildStage::program, "execute")};
}

/// Sent through a pipe that closes by itself when the program is executed.
struct ChildReport {
    ChildStage stage = ChildStage::none;
    int error_number = 0;
};

/// The child, from the fork to its program. Only calls that are safe after a fork.
struct ChildProgram {
    const ExecImage& image;
    int report_fd;
    int go_fd;  ///< wait for a byte from it first; -1: go on at once

    [[noreturn]] void run() const;

  private:
    [[noreturn]] void execute() const;
    [[noreturn]] void fail(ChildStage stage) const;
};

}  // namespace trestle::os::detail
