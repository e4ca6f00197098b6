// SPDX-License-Identifier: Apache-2.0
#include "child_program.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "../fd.hpp"

namespace trestle::os::detail {

namespace {

constexpr const char* default_path = "/usr/local/bin:/usr/bin:/bin";

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

void ChildProgram::run() const {
    if (go_fd >= 0) {
        char go = 0;
        if (retried([&] { return ::read(go_fd, &go, 1); }) != 1) ::_exit(127);
    }
    for (const auto& [resource, limit] : image.limits_) {
        if (::syscall(SYS_prlimit64, 0, resource, &limit, nullptr) != 0) fail(ChildStage::limits);
    }
    const auto& mask = image.affinity_;
    if (!mask.empty() &&
        ::syscall(SYS_sched_setaffinity, 0, mask.size() * sizeof(mask[0]), mask.data()) < 0) {
        fail(ChildStage::affinity);
    }
    if (!image.directory_.empty() && ::chdir(image.directory_.c_str()) != 0) {
        fail(ChildStage::directory);
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

void ChildProgram::execute() const {
    int error = ENOENT;
    for (const std::string& candidate : image.candidates_) {
        ::execve(candidate.c_str(), image.argv_.data(), image.envp_.data());
        // As execvp: a file that may not be executed is worse than none, and both may be
        // followed by one that can.
        if (errno != ENOENT && errno != ENOTDIR) error = errno;
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) break;
    }
    errno = error;
    fail(ChildStage::program);
}

void ChildProgram::fail(ChildStage stage) const {
    const ChildReport report{stage, errno};
    (void)!::write(report_fd, &report, sizeof report);
    ::_exit(127);
}

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

}  // namespace trestle::os::detail
