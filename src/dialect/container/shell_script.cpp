// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/shell_script.hpp"

#include <string_view>
#include <utility>

#include "contents.hpp"
#include "enforce/detail/step_parts.hpp"
#include "enforce/process/environment_words.hpp"
#include "quoting.hpp"
#include "step_rows.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/set/text.hpp"

namespace trestle::container {
namespace {

using detail::Account;
using detail::shell_quoted;

// The functions that the lines of a script call. Nothing of a plan stands in these texts: it comes
// in as quoted words, and is read from variables in double quotes.
constexpr std::string_view start_functions = R"sh(
# Undoes what was done, whatever ends this script before the command takes its place.
undo() {
    status=$?
    trap - EXIT
    if [ -n "$home" ]; then echo $$ > "$home/cgroup.procs"; fi
    if [ -n "$scratch" ]; then rmdir -- "$scratch"; fi
    if [ -n "$made" ]; then rmdir -- "$root/$group"; fi
    exit "$status"
}
home=
made=
scratch=
trap undo EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

say() { printf '%s: %s\n' "$group" "$1" >&2; }
required() { "$@" || { say "failed: $*"; exit 1; }; }
optional() { "$@" || say "not done: $*"; }

# PARENT CONTROLLER. With processes inside, a group would become threaded instead.
enable() {
    case " $(cat "$root/$1/cgroup.subtree_control") " in *" $2 "*) return 0 ;; esac
    if [ -e "$root/$1/cgroup.type" ] && [ -n "$(cat "$root/$1/cgroup.procs")" ]; then
        say "processes are in $root/$1"
        return 1
    fi
    echo "+$2" > "$root/$1/cgroup.subtree_control"
}
# GROUP
make() { mkdir -- "$root/$1" && made=1; }
# GROUP OWNER, so that the group can be identified later
label() { setfattr -n user.trestle.owner -v "$2" -- "$root/$1"; }
# DIRECTORY [OWNER]
scratch() {
    mkdir -m 0700 -- "$1" && scratch=$1
    [ -n "$scratch" ] && { [ -z "$2" ] || chown -- "$2" "$1"; }
}
# GROUP FILE VALUE
put() {
    [ -e "$root/$1/$2" ] || { say "the kernel has no $2 here"; return 1; }
    printf '%s\n' "$3" > "$root/$1/$2" || return 1
    case $2 in
        cpuset.cpus | cpuset.mems)
            [ "$(cat "$root/$1/$2.effective")" = "$3" ] || { say "not all of $3 is given"; return 1; } ;;
        cpuset.cpus.partition)
            got=$(cat "$root/$1/$2")
            [ "$got" = "$3" ] && return 0
            say "the kernel makes $got of $3"
            echo member > "$root/$1/$2"
            return 1 ;;
    esac
}
)sh";

constexpr std::string_view enter_functions = R"sh(
# Takes this shell into the group, and remembers the way back.
enter() {
    mount=$(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \([^ ]*\) .* - cgroup2 .*/\1/p' /proc/self/mountinfo |
        sed -n 1p)
    here=$(sed -n 's/^0:://p' "/proc/$$/cgroup")
    echo $$ > "$root/$group/cgroup.procs" && home=$mount$here
}
bind() { taskset -p -c "$1" $$ > /dev/null; }
limit() { prlimit --pid $$ "$@"; }
nicer() { renice -n "$1" -p $$ > /dev/null; }
score() { echo "$1" > "/proc/$$/oom_score_adj"; }
become() {
    command -v -- "$1" > /dev/null || { say "no such program: $1"; exit 127; }
    exec "$@"
}
)sh";

constexpr std::string_view remove_lines = R"sh(
cd -- "$root/$group" 2> /dev/null || exit 0
if [ -e cgroup.kill ]; then
    echo 1 > cgroup.kill
else
    find . -name cgroup.procs -exec cat {} + | while read -r pid; do kill -9 "$pid"; done
fi
cd -- "$root" || exit 1
tries=0
while [ "$tries" -lt 300 ]; do
    find "./$group" -depth -type d -exec rmdir {} \; 2> /dev/null
    if ! [ -e "./$group" ]; then
        # Without a group the directory may have another owner by now, so it goes with the group.
        if [ -n "$scratch" ]; then rm -rf --one-file-system -- "$scratch"; fi
        exit 0
    fi
    sleep 0.1
    tries=$((tries + 1))
done
printf '%s: left behind\n' "$group" >&2
exit 1
)sh";

/// `root` and `group`, which all functions read.
std::string heading(const Plan& plan, const ScriptOptions& options) {
    return "root=" + shell_quoted(options.directory) + "\ngroup=" + shell_quoted(plan.group) +
           "\n\n";
}

/// `1000:100`, as chown takes it; empty where the embedder owns the directory.
std::string owner_text(const Scratch::Directory& scratch) {
    std::string text = scratch.uid ? std::to_string(*scratch.uid) : "";
    if (scratch.gid) text += ":" + std::to_string(*scratch.gid);
    return text;
}

/// What a line calls for an action.
struct CallOf {
    const Step& step;

    std::string operator()(const Step::EnableController& one) const {
        return call("enable " + group() + " " + shell_quoted(one.controller));
    }
    std::string operator()(const Step::MakeGroup&) const { return call("make " + group()); }
    std::string operator()(const Step::SetLimit& one) const {
        return call("put " + group() + " " + shell_quoted(file_of(one.limit)) + " " +
                    shell_quoted(file_value(one.limit)));
    }
    std::string operator()(const Step::LabelGroup& one) const {
        return "optional label " + group() + " " + shell_quoted(to_text(one.owner));
    }
    std::string operator()(const Step::SetFrozen& one) const {
        return call("put " + group() + " cgroup.freeze " + (one.is_frozen ? "1" : "0"));
    }
    std::string operator()(const Step::MakeScratch& one) const {
        return call("scratch " + shell_quoted(one.directory.path()) + " " +
                    shell_quoted(owner_text(one.directory)));
    }
    std::string operator()(const Step::LoadFilter&) const {
        return "# A shell cannot load the device filter: all devices stay open.";
    }

  private:
    std::string group() const { return shell_quoted(step.group); }
    std::string call(const std::string& words) const {
        return (step.requirement == Requirement::best_effort ? "optional " : "required ") + words;
    }
};

std::string line_of(const Step& step) { return std::visit(CallOf{step}, step.action); }

/// The directory that goes after the last process of the group; empty: none.
std::string scratch_line(const Plan& plan) {
    const Step* made = last_step_of<Step::MakeScratch>(plan.steps);
    if (made == nullptr) return "scratch=\n\n";
    return "scratch=" + shell_quoted(action_of<Step::MakeScratch>(*made)->directory.path()) +
           "\n\n";
}

std::string process_lines(const Plan& plan, Account& account) {
    const auto number = [](const std::optional<std::uint64_t>& n) {
        return n ? std::to_string(*n) : std::string("unlimited");
    };
    std::string lines;
    const std::string affinity = to_text(plan.process.affinity);
    if (!affinity.empty()) {
        lines += "required bind " + affinity + "\n";
        account.kept("process", "affinity " + affinity, "taskset");
    }
    const ProcessSettings& process = plan.process;
    if (process.nice) {
        lines += fmt::format("required nicer {}\n", *process.nice);
        account.kept("process", fmt::format("nice {}", *process.nice), "renice");
    }
    if (process.oom_score_adj) {
        lines += fmt::format("required score {}\n", *process.oom_score_adj);
        account.kept("process", fmt::format("oom_score_adj {}", *process.oom_score_adj), "/proc");
    }
    if (process.umask) {
        lines += fmt::format("umask {:04o}\n", *process.umask);
        account.kept("process", fmt::format("umask {:04o}", *process.umask), "umask");
    }
    if (process.keeps_session) {
        account.kept("process", "its caller's session", "exec");
    } else {
        account.lost("process", "a session of its own",
                     "it stays in that of the script, which setsid gives one of its own");
    }
    if (process.memory_policy) {
        account.lost("process", "memory policy " + to_text(*process.memory_policy),
                     "a shell has no word for it");
    }
    std::string limits;
    for (const ProcessSettings::Limit& limit : plan.process.limits) {
        limits += fmt::format(" --{}={}:{}", to_text(limit.resource), number(limit.soft),
                              number(limit.hard));
        account.kept("process", to_text(limit), "prlimit");
    }
    return limits.empty() ? lines : lines + "required limit" + limits + "\n";
}

std::string environment_lines(const Plan& plan, const ScriptOptions& options, Account& account) {
    std::string lines;
    for (const std::string& name : plan.process.unset) {
        if (detail::is_identifier(name)) {
            lines += "unset " + name + "\n";
        } else {
            account.lost("environment", "without " + trestle::detail::quoted(name),
                         "no name for a shell's variable");
        }
    }
    for (const EnvironmentVariable& variable : environment_of(
             options.command.environment, plan.process.environment, plan.process.unset)) {
        if (detail::is_identifier(variable.name)) {
            lines +=
                "export " + variable.name + "=" + shell_quoted(detail::value_text(variable)) + "\n";
        } else {
            account.lost("environment", trestle::detail::quoted(variable.name),
                         "no name for a shell's variable");
        }
    }
    return lines;
}

/// `setpriv ...` of util-linux, in front of the command; nothing when the user stays the same.
std::string user_words(const Plan& plan, Account& account) {
    if (!plan.process.user) return {};
    const ProcessUser& user = *plan.process.user;
    std::string words = fmt::format(" setpriv --reuid={} --regid={}", user.uid, user.gid);
    std::string groups;
    for (const std::uint32_t group : user.groups) {
        if (!groups.empty()) groups += ',';
        groups += std::to_string(group);
    }
    words += groups.empty() ? " --clear-groups" : " --groups=" + groups;
    if (user.no_new_privs) words += " --no-new-privs";
    if (user.capabilities) {
        words += " --inh-caps=-all --bounding-set=-all";
        for (const ProcessUser::Capability one : *user.capabilities) {
            words += ",+";
            for (const char c : to_text(one).substr(4)) {  // CAP_SYS_NICE: sys_nice
                words += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
            }
        }
    }
    account.kept("process", to_text(user), "setpriv");
    account.lost("process", "a session keyring of its own", "setpriv leaves it the script's");
    return words;
}

/// What the shell does of the process, from the group's door to the command.
std::string command_lines(const Plan& plan, const ScriptOptions& options, Account& account) {
    std::string lines;
    if (!options.command.directory.empty()) {
        lines += "required cd -- " + shell_quoted(options.command.directory) + "\n";
    }
    lines += "required enter\n";
    lines += process_lines(plan, account);
    lines += environment_lines(plan, options, account);
    lines += "become";
    lines += user_words(plan, account);
    for (const std::string& word : options.command.arguments) {
        lines += ' ';
        lines += shell_quoted(word);
    }
    return lines + "\n";
}

/// What a command would have, of which a prolog has none.
void lose_command(const Plan& plan, const ScriptOptions& options, Account& account) {
    const std::string why = "no command is started";
    Account rows;
    (void)command_lines(plan, options, rows);
    for (const KeptLimit& row : std::move(rows).take()) account.lost(row.resource, row.limit, why);
    for (const EnvironmentVariable& variable : plan.process.environment) {
        if (!detail::is_identifier(variable.name)) continue;  // is among the rows
        account.lost("environment", trestle::detail::quoted(variable.name), why);
    }
}

void add_rows(const Plan& plan, Account& account) {
    for (const detail::StepRow& row : detail::limit_rows(plan)) {
        if (row.step == nullptr) {
            account.none(row.resource);
        } else {
            account.kept(row.resource, row.limit, "put");
        }
    }
    for (const Step& step : plan.steps) {
        if (const auto* label = action_of<Step::LabelGroup>(step)) {
            account.kept("owner", to_text(label->owner), "label");
        } else if (const auto* make = action_of<Step::MakeScratch>(step)) {
            account.kept("scratch", to_text(make->directory), "scratch");
        } else if (action_of<Step::SetFrozen>(step) != nullptr) {
            account.kept("freezer", to_text(step), "put");
        }
    }
}

void add_losses(const Plan& plan, Account& account) {
    account.lost("time", to_text(plan.end),
                 "the script keeps no time, and its other half ends the job by SIGKILL at once");
    if (plan.shm_size) {
        account.lost("shm", to_text(*plan.shm_size), "/dev/shm is the host's");
    } else {
        account.none("shm");
    }
    if (filter_step_of(plan.steps) == nullptr) {
        account.none("devices");
    } else {
        account.lost("devices", "no others", "a shell cannot load a device filter");
    }
    for (const PlannedDevice& device : plan.devices) account.by_files(device, "all are open");
    account.disk(plan, "matched, not enforced: the script limits no folder");
    account.shortfalls(plan);
}

}  // namespace

StatusOr<ShellDocument> shell_scripts(const Plan& plan, const ScriptOptions& options) {
    TRESTLE_TRY_STATUS(detail::check_steps(plan));
    TRESTLE_TRY_STATUS(check(plan.process));
    TRESTLE_TRY_STATUS(check_known(plan.process.environment));
    TRESTLE_TRY_STATUS(check_known(options.command.environment));
    TRESTLE_TRY_STATUS(detail::check_words(options.command.arguments));
    TRESTLE_TRY_STATUS(detail::check_words({options.directory, options.command.directory}));
    if (!options.directory.starts_with('/')) {
        return invalid_argument("directory: {}, expected an absolute path",
                                trestle::detail::quoted(options.directory));
    }
    ShellDocument document;
    Account account;
    add_rows(plan, account);
    ShellScripts& scripts = document.content;
    scripts.start = "#!/bin/sh\n" + heading(plan, options) + std::string(start_functions.substr(1));
    const bool has_command = !options.command.arguments.empty();
    if (has_command) scripts.start += enter_functions;
    scripts.start += "\n";
    for (const Step& step : plan.steps) scripts.start += line_of(step) + "\n";
    if (has_command) {
        scripts.start += command_lines(plan, options, account);
    } else {
        scripts.start += "trap - EXIT\n";
        lose_command(plan, options, account);
    }
    scripts.remove = "#!/bin/sh\n" + heading(plan, options) + scratch_line(plan) +
                     std::string(remove_lines.substr(1));
    add_losses(plan, account);
    document.limits = std::move(account).take();
    return document;
}

}  // namespace trestle::container
