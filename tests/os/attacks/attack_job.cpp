// SPDX-License-Identifier: Apache-2.0
#include "os/attacks/attack_job.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/bpf.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <utility>

namespace trestle {
namespace {

using Words = std::vector<std::string>;

/// 0 or the errno of a call that gives -1 when it fails.
int answer_of(long result) { return result < 0 ? errno : 0; }

unsigned number_of(const std::string& word) {
    return static_cast<unsigned>(std::strtoul(word.c_str(), nullptr, 10));
}

/// write FILE VALUE: with one write(2), as the kernel's files want it.
int act_write(const Words& words) {
    const int fd = ::open(words[1].c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    const int answer = answer_of(::write(fd, words[2].data(), words[2].size()));
    ::close(fd);
    return answer;
}

/// open FILE: for reading and writing.
int act_open(const Words& words) {
    return answer_of(::open(words[1].c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
}

int act_mkdir(const Words& words) { return answer_of(::mkdir(words[1].c_str(), 0755)); }
int act_chmod(const Words& words) { return answer_of(::chmod(words[1].c_str(), 0777)); }
int act_symlink(const Words& words) {
    return answer_of(::symlink(words[1].c_str(), words[2].c_str()));
}

/// mknod FILE c|b MAJOR MINOR
int act_mknod(const Words& words) {
    const mode_t kind = words[2] == "b" ? S_IFBLK : S_IFCHR;
    return answer_of(::mknod(words[1].c_str(), kind | 0666,
                             ::makedev(number_of(words[3]), number_of(words[4]))));
}

/// bind FILE TARGET: opens the file after it was mounted over the target.
int act_bind(const Words& words) {
    if (::mount(words[1].c_str(), words[2].c_str(), nullptr, MS_BIND, nullptr) != 0) return errno;
    const int answer = act_open({"open", words[2]});
    (void)::umount2(words[2].c_str(), MNT_DETACH);
    return answer;
}

/// cgroupfs FOLDER FILE VALUE: mounts the groups there and writes to a file in it.
int act_cgroupfs(const Words& words) {
    if (::mount("cgroup2", words[1].c_str(), "cgroup2", 0, nullptr) != 0) return errno;
    const int answer = act_write({"write", words[1] + "/" + words[2], words[3]});
    (void)::umount2(words[1].c_str(), MNT_DETACH);
    return answer;
}

/// unshare user|cgroup|mount|pid
int act_unshare(const Words& words) {
    const std::string& what = words[1];
    return answer_of(::unshare(what == "user"     ? CLONE_NEWUSER
                               : what == "cgroup" ? CLONE_NEWCGROUP
                               : what == "mount"  ? CLONE_NEWNS
                                                  : CLONE_NEWPID));
}

int act_setsid(const Words&) { return answer_of(::setsid()); }

/// clone_into GROUP: starts a process there.
int act_clone_into(const Words& words) {
    const int group = ::open(words[1].c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (group < 0) return errno;
    clone_args arguments{};
    arguments.flags = CLONE_INTO_CGROUP;
    arguments.exit_signal = SIGCHLD;
    arguments.cgroup = static_cast<unsigned>(group);
    const long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid == 0) ::_exit(0);
    return answer_of(pid);
}

/// ptrace PID: without stopping it. The end of this process lets go again.
int act_ptrace(const Words& words) {
    return answer_of(::ptrace(PTRACE_SEIZE, static_cast<pid_t>(number_of(words[1])), nullptr, 0));
}

/// kill PID: whether a signal could be sent.
int act_kill(const Words& words) {
    return answer_of(::kill(static_cast<pid_t>(number_of(words[1])), 0));
}

/// nofile: raises the hard limit of open files by one.
int act_nofile(const Words&) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return errno;
    ++limit.rlim_max;
    return answer_of(::setrlimit(RLIMIT_NOFILE, &limit));
}

int act_nice(const Words&) { return answer_of(::setpriority(PRIO_PROCESS, 0, -10)); }

/// affinity CPU: only there.
int act_affinity(const Words& words) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(number_of(words[1]), &set);
    return answer_of(::sched_setaffinity(0, sizeof set, &set));
}

int act_setuid(const Words&) { return answer_of(::setuid(0)); }

long bpf_call(bpf_cmd command, bpf_attr& attributes) {
    return ::syscall(SYS_bpf, command, &attributes, sizeof attributes);
}

/// unfilter GROUP: detaches its first device program.
int act_unfilter(const Words& words) {
    const int group = ::open(words[1].c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (group < 0) return errno;
    std::array<std::uint32_t, 64> ids{};
    bpf_attr query;
    std::memset(&query, 0, sizeof query);
    query.query.target_fd = static_cast<std::uint32_t>(group);
    query.query.attach_type = BPF_CGROUP_DEVICE;
    query.query.prog_ids = std::bit_cast<std::uintptr_t>(ids.data());
    query.query.prog_cnt = ids.size();
    if (bpf_call(BPF_PROG_QUERY, query) != 0) return errno;
    bpf_attr by_id;
    std::memset(&by_id, 0, sizeof by_id);
    by_id.prog_id = ids[0];
    const long program = bpf_call(BPF_PROG_GET_FD_BY_ID, by_id);
    if (program < 0) return errno;
    bpf_attr detach;
    std::memset(&detach, 0, sizeof detach);
    detach.target_fd = static_cast<std::uint32_t>(group);
    detach.attach_bpf_fd = static_cast<std::uint32_t>(program);
    detach.attach_type = BPF_CGROUP_DEVICE;
    return answer_of(bpf_call(BPF_PROG_DETACH, detach));
}

/// An open file that somebody sends through the listening socket; -1 with errno.
int received_file(const std::string& path) {
    const int connection = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.c_str(), std::min(path.size(), sizeof address.sun_path - 1));
    if (::connect(connection, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        return -1;
    }
    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    if (::recvmsg(connection, &message, MSG_CMSG_CLOEXEC) < 0) return -1;
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header == nullptr) return errno = ENOMSG, -1;
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return fd;
}

/// receive SOCKET: reads a byte from the file that was sent.
int act_receive(const Words& words) {
    const int fd = received_file(words[1]);
    char byte = 0;
    return fd < 0 ? errno : answer_of(::read(fd, &byte, 1));
}

/// reopen SOCKET: opens the file that was sent once more, by its number.
int act_reopen(const Words& words) {
    const int fd = received_file(words[1]);
    return fd < 0 ? errno : act_open({"open", "/proc/self/fd/" + std::to_string(fd)});
}

/// fork N: that many processes at once, all asleep in sessions of their own; the answer of the
/// first that could not be started.
int act_fork(const Words& words) {
    for (unsigned i = 0; i < number_of(words[1]); ++i) {
        const pid_t pid = ::fork();
        if (pid < 0) return errno;
        if (pid == 0) {
            ::setsid();
            for (;;) ::pause();
        }
    }
    return 0;
}

/// storm: forks for ever, each process in a session of its own, and each goes on where a fork is
/// refused; never answers.
int act_storm(const Words&) {
    ::signal(SIGCHLD, SIG_IGN);
    for (;;) {
        if (::fork() == 0) ::setsid();
    }
}

/// churn: the same with processes that end when they have forked, or tried to, twice. Only the
/// first stays, so that there is no end of them; they do not heed SIGTERM.
int act_churn(const Words&) {
    ::signal(SIGCHLD, SIG_IGN);
    ::signal(SIGTERM, SIG_IGN);
    bool is_first = true;
    for (int forks = 0; is_first || forks < 2;) {
        if (::fork() == 0) {
            ::setsid();
            is_first = false;
            forks = 0;
        } else if (!is_first) {
            ++forks;
        }
    }
    return 0;
}

/// hide GROUP: makes a group, goes there and sleeps; only a failure answers.
int act_hide(const Words& words) {
    if (::mkdir(words[1].c_str(), 0755) != 0) return errno;
    const int answer = act_write({"write", words[1] + "/cgroup.procs", "0"});
    if (answer != 0) return answer;
    for (;;) ::pause();
}

/// escape FILE: writes itself there and sleeps; only a failure answers.
int act_escape(const Words& words) {
    const int answer = act_write({"write", words[1], "0"});
    if (answer != 0) return answer;
    for (;;) ::pause();
}

/// huge N: N huge pages, reserved and then touched.
int act_huge(const Words& words) {
    constexpr std::size_t page = std::size_t{2} << 20;
    const std::size_t size = number_of(words[1]) * page;
    void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (at == MAP_FAILED) return errno;
    for (std::size_t offset = 0; offset < size; offset += page) {
        *(static_cast<volatile char*>(at) + offset) = 1;
    }
    return 0;
}

constexpr std::array<std::pair<std::string_view, int (*)(const Words&)>, 26> all_acts{{
    {"write", act_write},       {"open", act_open},         {"mkdir", act_mkdir},
    {"chmod", act_chmod},       {"symlink", act_symlink},   {"mknod", act_mknod},
    {"bind", act_bind},         {"cgroupfs", act_cgroupfs}, {"unshare", act_unshare},
    {"setsid", act_setsid},     {"ptrace", act_ptrace},     {"clone_into", act_clone_into},
    {"kill", act_kill},         {"nofile", act_nofile},     {"nice", act_nice},
    {"affinity", act_affinity}, {"setuid", act_setuid},     {"unfilter", act_unfilter},
    {"receive", act_receive},   {"reopen", act_reopen},     {"fork", act_fork},
    {"storm", act_storm},       {"hide", act_hide},         {"escape", act_escape},
    {"huge", act_huge},         {"churn", act_churn},
}};

/// The answer of one act, done in a process of its own.
std::string done(const Words& words) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        for (const auto& [name, act] : all_acts) {
            if (name == words[0]) ::_exit(act(words));
        }
        ::_exit(255);
    }
    int status = 0;
    if (pid < 0 || ::waitpid(pid, &status, 0) != pid) return "no-process";
    if (!WIFEXITED(status)) return "signal-" + std::to_string(WTERMSIG(status));
    const int answer = WEXITSTATUS(status);
    const char* name = ::strerrorname_np(answer);
    return answer == 0 ? "done" : name == nullptr ? "no-such-act" : name;
}

/// Becomes root of a new user namespace, with mounts and a view of the groups of its own.
bool enter_namespace() {
    const std::string maps_to_root = " 1\n";
    const uid_t user = ::getuid();
    const gid_t group = ::getgid();
    const auto map = [](const char* file, const std::string& text) {
        return act_write({"write", file, text}) == 0;
    };
    return ::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWCGROUP) == 0 &&
           map("/proc/self/setgroups", "deny") &&
           map("/proc/self/uid_map", "0 " + std::to_string(user) + maps_to_root) &&
           map("/proc/self/gid_map", "0 " + std::to_string(group) + maps_to_root);
}

/// As whoever starts a job of another user does it. A process that has changed its user may not be
/// looked into until it executes something; it is as if it had.
bool become(Attacker attacker) {
    if (attacker == Attacker::root || attacker == Attacker::own_user) return true;
    constexpr unsigned user = 1000;
    if (::setgroups(0, nullptr) != 0 || ::setresgid(user, user, user) != 0 ||
        ::setresuid(user, user, user) != 0 || ::prctl(PR_SET_DUMPABLE, 1) != 0) {
        return false;
    }
    return attacker == Attacker::user || enter_namespace();
}

[[noreturn]] void attack(Attacker attacker, const std::vector<std::string>& acts, int report) {
    (void)::signal(SIGTERM, SIG_DFL);  // which the test program handles
    if (!become(attacker)) ::_exit(1);
    for (const std::string& act : acts) {
        std::istringstream parts(act);
        Words words;
        for (std::string word; parts >> word;) words.push_back(word);
        const std::string answer = done(words) + "\n";
        if (::write(report, answer.data(), answer.size()) < 0) ::_exit(2);
    }
    ::_exit(0);
}

}  // namespace

AttackJob::AttackJob(KernelGroup& group, const std::string& name, Attacker attacker,
                     const std::vector<std::string>& acts)
    : acts_(acts.size()) {
    std::array<int, 2> go{};
    std::array<int, 2> report{};
    REQUIRE(::pipe2(go.data(), O_CLOEXEC) == 0);
    REQUIRE(::pipe2(report.data(), O_CLOEXEC) == 0);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
        char byte = 0;
        ::close(go[1]);
        ::close(report[0]);
        if (::read(go[0], &byte, 1) != 1) ::_exit(3);
        attack(attacker, acts, report[1]);
    }
    ::close(go[0]);
    ::close(report[1]);
    answers_ = report[0];
    const Status attached = group.enforcer().attach(name, pid_);
    const bool has_gone = attached.ok() && ::write(go[1], "g", 1) == 1;
    ::close(go[1]);
    INFO(attached.ToString());
    REQUIRE(has_gone);
}

AttackJob::AttackJob(AttackJob&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      acts_(other.acts_),
      answers_(std::exchange(other.answers_, -1)) {}

AttackJob::~AttackJob() {
    if (answers_ >= 0) ::close(answers_);
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
}

std::vector<std::string> AttackJob::answers() {
    std::string text;
    std::array<char, 4096> part;
    // Not to the end of the file: what an act leaves behind keeps the pipe open.
    while (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) < acts_) {
        const ssize_t size = ::read(answers_, part.data(), part.size());
        if (size <= 0) break;
        text.append(part.data(), static_cast<std::size_t>(size));
    }
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; stream >> line;) lines.push_back(line);
    return lines;
}

}  // namespace trestle
