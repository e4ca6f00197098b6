// SPDX-License-Identifier: Apache-2.0
#include "child_program.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "../fd.hpp"
#include "enforce/process/environment_words.hpp"
#include "inherited_files.hpp"

namespace trestle::os::detail {

namespace {

constexpr const char* default_path = "/usr/local/bin:/usr/bin:/bin";

int resource_number(ProcessSettings::Limit::Resource resource) {
    switch (resource) {
        case ProcessSettings::Limit::Resource::cpu:
            return RLIMIT_CPU;
        case ProcessSettings::Limit::Resource::fsize:
            return RLIMIT_FSIZE;
        case ProcessSettings::Limit::Resource::data:
            return RLIMIT_DATA;
        case ProcessSettings::Limit::Resource::stack:
            return RLIMIT_STACK;
        case ProcessSettings::Limit::Resource::core:
            return RLIMIT_CORE;
        case ProcessSettings::Limit::Resource::rss:
            return RLIMIT_RSS;
        case ProcessSettings::Limit::Resource::nproc:
            return RLIMIT_NPROC;
        case ProcessSettings::Limit::Resource::nofile:
            return RLIMIT_NOFILE;
        case ProcessSettings::Limit::Resource::memlock:
            return RLIMIT_MEMLOCK;
        case ProcessSettings::Limit::Resource::as:
            break;
    }
    return RLIMIT_AS;
}

std::vector<unsigned long> mask_of(const SmallSet<OsIndex>& members) {
    constexpr std::uint32_t bits = 8 * sizeof(unsigned long);
    std::vector<unsigned long> mask;
    for (const OsIndex member : members) {
        mask.resize(member.value() / bits + 1);
        mask.back() |= 1UL << member.value() % bits;
    }
    return mask;
}

/// Several preferred nodes are a mode of their own.
int mode_number(const MemoryPolicy& policy) {
    switch (policy.mode) {
        case MemoryPolicy::Mode::standard:
            return MPOL_DEFAULT;
        case MemoryPolicy::Mode::bind:
            return MPOL_BIND;
        case MemoryPolicy::Mode::preferred:
            return policy.nodes.count() > 1 ? MPOL_PREFERRED_MANY : MPOL_PREFERRED;
        case MemoryPolicy::Mode::interleave:
            return MPOL_INTERLEAVE;
        case MemoryPolicy::Mode::local:
            break;
    }
    return MPOL_LOCAL;
}

ImageUser image_user(const ProcessUser& user) {
    ImageUser made;
    made.uid = user.uid;
    made.gid = user.gid;
    made.groups.assign(user.groups.begin(), user.groups.end());
    std::sort(made.groups.begin(), made.groups.end());
    made.has_groups.resize(made.groups.size() + 1);
    if (user.capabilities) {
        made.kept = 0;
        for (const ProcessUser::Capability one : *user.capabilities) {
            *made.kept |= std::uint64_t{1} << static_cast<int>(one);
        }
    }
    made.no_new_privs = user.no_new_privs;
    return made;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// The command's variables as `name=value`, those of the settings in place of equal names, without
/// those that the settings take out.
StatusOr<std::vector<std::string>> environment_of(const Command& command,
                                                  const ProcessSettings& settings) {
    const std::vector<EnvironmentVariable> variables =
        trestle::environment_of(command.environment, settings.environment, settings.unset);
    TRESTLE_TRY_STATUS(check_known(variables));
    return revealed_words(variables);
}

bool has_nul(const std::string& word) { return word.find('\0') != std::string::npos; }

/// The kernel's struct sigaction, which has the handler first and a size of its own everywhere.
struct KernelAction {
    void (*handler)(int) = SIG_DFL;
    std::array<unsigned long, 4> rest{};
};

}  // namespace

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

void ChildProgram::run() const {
    report(ChildStage::none, 0);
    if (go_fd >= 0) {
        char go = 0;
        if (retried([&] { return ::read(go_fd, &go, 1); }) != 1) ::_exit(127);
    }
    if (!image.keeps_session_ && ::setsid() < 0) fail(ChildStage::session);
    // The program gets the three standard files and nothing else: a device that the parent holds
    // open would stay usable whatever the filter says. Before any limit of open files.
    if (!close_files_from(3, CloseWhen::at_exec)) fail(ChildStage::files);
    set_priorities();
    set_limits();
    if (image.user_) become(*image.user_);
    if (!image.directory_.empty() && ::chdir(image.directory_.c_str()) != 0) {
        fail(ChildStage::directory);
    }
    reset_signals();
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    execute();
}

/// Before any limit, which may be too low for the file, and before the user, which may lack the
/// right.
void ChildProgram::set_priorities() const {
    if (image.user_) leave_realtime();
    if (image.nice_ && ::syscall(SYS_setpriority, PRIO_PROCESS, 0, *image.nice_) != 0) {
        fail(ChildStage::nice);
    }
    if (!image.oom_score_adj_.empty()) {
        const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
        const std::string& text = image.oom_score_adj_;
        if (fd < 0 || ::write(fd, text.data(), text.size()) < 0) fail(ChildStage::oom_score);
        ::close(fd);
    }
    const auto& mask = image.affinity_;
    if (!mask.empty() &&
        ::syscall(SYS_sched_setaffinity, 0, mask.size() * sizeof(mask[0]), mask.data()) < 0) {
        fail(ChildStage::affinity);
    }
}

void ChildProgram::set_limits() const {
    if (image.memory_mode_) {
        const auto& nodes = image.memory_nodes_;
        // The kernel looks at one bit less than it is given.
        const unsigned long bits = nodes.empty() ? 0 : nodes.size() * 8 * sizeof(nodes[0]) + 1;
        const auto* first = nodes.empty() ? nullptr : nodes.data();
        if (::syscall(SYS_set_mempolicy, *image.memory_mode_, first, bits) != 0) {
            fail(ChildStage::memory_policy);
        }
    }
    if (image.umask_) (void)::syscall(SYS_umask, *image.umask_);
    for (const auto& [resource, limit] : image.limits_) {
        if (::syscall(SYS_prlimit64, 0, resource, &limit, nullptr) != 0) fail(ChildStage::limits);
    }
}

/// The C library's calls would tell all threads of the embedder, which are not here any more. What
/// is so already is left: an embedder without rights may start a process as itself.
void ChildProgram::become(const ImageUser& user) const {
    leave_keyring();
    set_groups(user);
    gid_t real = 0, effective = 0, saved = 0;
    (void)::syscall(SYS_getresgid, &real, &effective, &saved);
    const bool is_group = real == user.gid && effective == user.gid && saved == user.gid;
    if (!is_group && ::syscall(SYS_setresgid, user.gid, user.gid, user.gid) != 0) {
        fail(ChildStage::gid);
    }
    if (user.kept) drop_bounding_set(*user.kept);
    (void)::syscall(SYS_getresuid, &real, &effective, &saved);
    const bool is_user = real == user.uid && effective == user.uid && saved == user.uid;
    if (!is_user && ::syscall(SYS_setresuid, user.uid, user.uid, user.uid) != 0) {
        fail(ChildStage::uid);
    }
    set_capabilities(user);
    if (user.no_new_privs && ::syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        fail(ChildStage::no_new_privs);
    }
}

/// A process with the embedder's session keyring may read keys in it, as another user too. EPERM: a
/// seccomp filter that keeps all keyrings away.
void ChildProgram::leave_keyring() const {
    if (::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) < 0 && errno != ENOSYS &&
        errno != EPERM) {
        fail(ChildStage::keyring);
    }
}

/// No limit of a group holds realtime processes.
void ChildProgram::leave_realtime() const {
    const long policy = ::syscall(SYS_sched_getscheduler, 0);
    if (policy < 0 || policy == SCHED_OTHER || policy == SCHED_BATCH || policy == SCHED_IDLE)
        return;
    const sched_param ordinary{};
    if (::syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &ordinary) != 0) {
        fail(ChildStage::scheduler);
    }
}

void ChildProgram::set_groups(const ImageUser& user) const {
    auto& has = user.has_groups;
    const long count = ::syscall(SYS_getgroups, static_cast<int>(has.size()), has.data());
    if (count == static_cast<long>(user.groups.size())) {
        std::sort(has.begin(), has.begin() + count);
        if (std::equal(user.groups.begin(), user.groups.end(), has.begin())) return;
    }
    if (::syscall(SYS_setgroups, user.groups.size(), user.groups.data()) != 0) {
        fail(ChildStage::groups);
    }
}

void ChildProgram::drop_bounding_set(std::uint64_t kept) const {
    for (int capability = 0; capability < 64; ++capability) {
        const long has = ::syscall(SYS_prctl, PR_CAPBSET_READ, capability, 0, 0, 0);
        if (has < 0) return;  // there is none of that number, nor of a higher one
        if (has == 0 || (kept >> capability & 1) != 0) continue;
        if (::syscall(SYS_prctl, PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) {
            fail(ChildStage::bounding_set);
        }
    }
}

/// An ordinary user has none left; root has what is kept of what it had. A kernel older than
/// ambient capabilities (4.3) has none to clear.
void ChildProgram::set_capabilities(const ImageUser& user) const {
    (void)::syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> sets{};
    if (::syscall(SYS_capget, &header, sets.data()) != 0) fail(ChildStage::capabilities);
    const std::uint64_t most = user.uid == 0 ? user.kept.value_or(~std::uint64_t{0}) : 0;
    for (std::size_t half = 0; half < sets.size(); ++half) {
        auto& set = sets[half];
        set.permitted &= static_cast<std::uint32_t>(most >> 32 * half);
        set.effective = set.permitted;
        set.inheritable = 0;
    }
    if (::syscall(SYS_capset, &header, sets.data()) != 0) fail(ChildStage::capabilities);
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
    report(stage, errno);
    ::_exit(127);
}

void ChildProgram::report(ChildStage stage, int error_number) const {
    const ChildReport report{stage, error_number};
    (void)!::write(report_fd, &report, sizeof report);
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
    TRESTLE_TRY_STATUS(check(settings));
    ExecImage image;
    image.arguments_ = command.arguments;
    TRESTLE_TRY(image.environment_, environment_of(command, settings));
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
    for (const ProcessSettings::Limit& limit : settings.limits) {
        image.limits_.emplace_back(
            resource_number(limit.resource),
            rlimit{limit.soft.value_or(RLIM_INFINITY), limit.hard.value_or(RLIM_INFINITY)});
    }
    image.nice_ = settings.nice;
    if (settings.oom_score_adj) image.oom_score_adj_ = std::to_string(*settings.oom_score_adj);
    image.umask_ = settings.umask;
    if (settings.memory_policy) {
        image.memory_mode_ = mode_number(*settings.memory_policy);
        image.memory_nodes_ = mask_of(settings.memory_policy->nodes);
    }
    if (settings.user) image.user_ = image_user(*settings.user);
    image.keeps_session_ = settings.keeps_session;
    image.argv_ = pointers_to(image.arguments_);
    image.envp_ = pointers_to(image.environment_);
    return image;
}

}  // namespace trestle::os::detail
