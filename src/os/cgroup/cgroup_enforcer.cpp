// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/cgroup_enforcer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "../kernel_text.hpp"
#include "../process/scratch.hpp"
#include "../process/start_process.hpp"
#include "device_program.hpp"
#include "group_directory.hpp"
#include "trestle/enforce/detail/join.hpp"
#include "trestle/enforce/group_name.hpp"
#include "trestle/os/cgroup_probe.hpp"
#include "trestle/set/text.hpp"

namespace trestle::os {

namespace {

using detail::Deadline;
using detail::GroupDirectory;

constexpr const char* manager_leaf = "manager";
constexpr const char* leaf_prefix = "manager/";

bool contains(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

StatusOr<std::vector<std::string>> words_in(const GroupDirectory& group, const char* file) {
    TRESTLE_TRY(const std::string text, group.read(file));
    return detail::words_of(text);
}

StatusOr<std::vector<std::int64_t>> pids_in(const GroupDirectory& group) {
    TRESTLE_TRY(const std::string text, group.read("cgroup.procs"));
    return detail::pids_of(text);
}

bool has_self(const std::vector<std::int64_t>& pids) {
    return std::find(pids.begin(), pids.end(), ::getpid()) != pids.end();
}

/// A number in a file that may not be there.
std::optional<std::uint64_t> number_in(const GroupDirectory& group, const char* file) {
    const auto text = group.read(file);
    return text.ok() ? detail::whole_number(*text) : std::nullopt;
}

std::optional<std::uint64_t> number_in(const GroupDirectory& group, const char* file,
                                       const char* key) {
    const auto text = group.read(file);
    return text.ok() ? detail::keyed_number(*text, key) : std::nullopt;
}

template <class Quantity>
std::optional<Quantity> quantity(std::optional<std::uint64_t> number) {
    if (!number) return std::nullopt;
    return Quantity(static_cast<std::int64_t>(
        std::min<std::uint64_t>(*number, static_cast<std::uint64_t>(Quantity::max().value()))));
}

std::optional<Count> oom_kills_in(const GroupDirectory& group) {
    return quantity<Count>(number_in(group, "memory.events", "oom_kill"));
}

/// Adds the names of all groups below `group`, each before its own children. What goes away while
/// we look is passed over.
Status list_below(const GroupDirectory& group, const std::string& prefix,
                  std::vector<std::string>& names) {
    TRESTLE_TRY(const auto children, group.children());
    for (const std::string& child : children) {
        names.push_back(prefix + child);
        const auto below = group.below(child);
        const Status listed =
            below.ok() ? list_below(*below, prefix + child + "/", names) : below.status();
        if (!listed.ok() && listed.code() != StatusCode::kNotFound) return listed;
    }
    return {};
}

/// Writes a CPU or memory node list, and takes it back when the kernel makes less of it.
Status write_index_list(const GroupDirectory& group, const std::string& file,
                        const std::string& value) {
    TRESTLE_TRY(const std::string before, group.read(file));
    TRESTLE_TRY_STATUS(group.write(file, value));
    TRESTLE_TRY(const std::string effective, group.read(file + ".effective"));
    const auto wanted = parse_set<PuSet>(value);
    const auto given = parse_set<PuSet>(effective);
    if (wanted && given && *wanted == *given) return {};
    const Status undone = group.write(file, before.empty() ? "\n" : before);
    return failed_precondition("{}/{}: the kernel gives {} of {}{}", group.path(), file,
                               given ? to_text(*given) : effective, value,
                               undone.ok() ? "" : ", and could not be set back");
}

}  // namespace

class CgroupEnforcer::State {
  public:
    State(GroupDirectory root, const CgroupOptions& options)
        : root_(std::move(root)), options_(options) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { leave_leaf(); }

    [[nodiscard]] const CgroupOptions& options() const { return options_; }
    [[nodiscard]] const GroupDirectory& root() const { return root_; }
    [[nodiscard]] detail::ChildTable& children() { return children_; }

    [[nodiscard]] StatusOr<GroupDirectory> open_group(const std::string& group) const {
        if (!group.empty()) TRESTLE_TRY_STATUS(check_group_name(group));
        if (group == manager_leaf || group.starts_with(leaf_prefix)) {
            TRESTLE_TRY(const auto inside, pids_in_leaf());
            if (has_self(inside)) {
                return invalid_argument("{}: this process is in {}/{}, expected another group",
                                        group, root_.path(), manager_leaf);
            }
        }
        return root_.below(group);
    }
    /// All groups but the root and the leaf that this process is in, parents first.
    [[nodiscard]] StatusOr<std::vector<std::string>> group_names() const {
        std::vector<std::string> names;
        TRESTLE_TRY_STATUS(list_below(root_, "", names));
        TRESTLE_TRY(const auto inside, pids_in_leaf());
        if (has_self(inside)) {
            std::erase_if(names, [](const std::string& name) {
                return name == manager_leaf || name.starts_with(leaf_prefix);
            });
        }
        return names;
    }

    [[nodiscard]] Status enable(const GroupDirectory& group, const std::string& controller);
    [[nodiscard]] Status kill_all(const std::string& group);
    [[nodiscard]] Status remove_empty(const std::string& group, Deadline deadline);

  private:
    [[nodiscard]] Status make_room(const GroupDirectory& group);
    [[nodiscard]] StatusOr<std::vector<std::int64_t>> pids_in_leaf() const;
    void leave_leaf();

    GroupDirectory root_;
    CgroupOptions options_;
    detail::ChildTable children_;
};

/// With processes inside, "+memory" is refused, but "+cpu" succeeds and makes the group threaded
/// for good. So nothing is written before the group is known to be empty, and it is looked at
/// after.
Status CgroupEnforcer::State::enable(const GroupDirectory& group, const std::string& controller) {
    TRESTLE_TRY(const auto available, words_in(group, "cgroup.controllers"));
    TRESTLE_TRY(const auto enabled, words_in(group, "cgroup.subtree_control"));
    if (contains(enabled, controller)) return {};
    if (!contains(available, controller)) {
        return failed_precondition(
            "{}: controller {} is not available, only: {}", group.path(), controller,
            available.empty() ? "none" : trestle::detail::join(available, " "));
    }
    TRESTLE_TRY_STATUS(make_room(group));
    TRESTLE_TRY_STATUS(group.write("cgroup.subtree_control", "+" + controller));
    const auto type = group.read("cgroup.type");
    if (type.ok() && type->starts_with("domain threaded")) {
        const Status undone = group.write("cgroup.subtree_control", "-" + controller);
        return failed_precondition("{}: a process came in while controller {} was enabled{}",
                                   group.path(), controller,
                                   undone.ok() ? "" : "; the group is threaded now");
    }
    return {};
}

/// Ok when no process stands in the way of controllers for the children of `group`.
Status CgroupEnforcer::State::make_room(const GroupDirectory& group) {
    if (!group.has("cgroup.type")) return {};  // the kernel's own root may hold processes
    TRESTLE_TRY(const auto pids, pids_in(group));
    if (pids.empty()) return {};
    const std::int64_t self = ::getpid();
    if (group.path() != root_.path() || pids != std::vector{self}) {
        const auto other = std::find_if(pids.begin(), pids.end(),
                                        [self](std::int64_t pid) { return pid != self; });
        const std::int64_t shown = other == pids.end() ? self : *other;
        return failed_precondition(
            "{}: {} processes are in it (one is {}), expected none where "
            "controllers are handed down",
            group.path(), pids.size(), shown);
    }
    const Status made = group.make(manager_leaf);
    if (!made.ok() && made.code() != StatusCode::kAlreadyExists) return made;
    TRESTLE_TRY(const auto leaf, group.below(manager_leaf));
    return leaf.write("cgroup.procs", std::to_string(self));
}

/// None where there is no leaf. An earlier enforcer of this process may have left it there, so the
/// kernel is asked each time.
StatusOr<std::vector<std::int64_t>> CgroupEnforcer::State::pids_in_leaf() const {
    const auto leaf = root_.below(manager_leaf);
    auto pids = leaf.ok() ? pids_in(*leaf) : leaf.status();
    if (pids.status().code() == StatusCode::kNotFound) return std::vector<std::int64_t>();
    return pids;
}

/// Puts everything back as it was found, as long as nothing else depends on it. A group with a
/// process in it hands no controller down, so all that are enabled now were enabled since.
void CgroupEnforcer::State::leave_leaf() {
    const auto inside = pids_in_leaf();
    if (!inside.ok() || *inside != std::vector<std::int64_t>{::getpid()}) return;
    const auto groups = group_names();
    const auto enabled = words_in(root_, "cgroup.subtree_control");
    if (!groups.ok() || !groups->empty() || !enabled.ok()) return;
    for (const std::string& controller : *enabled) {
        if (!root_.write("cgroup.subtree_control", "-" + controller).ok()) return;
    }
    if (root_.write("cgroup.procs", std::to_string(::getpid())).ok()) {
        (void)root_.remove(manager_leaf);
    }
}

/// Kills what is in the group and below, at once where the kernel can (5.14), else one by one.
Status CgroupEnforcer::State::kill_all(const std::string& group) {
    TRESTLE_TRY(const auto directory, open_group(group));
    if (directory.has("cgroup.kill")) return directory.write("cgroup.kill", "1");
    std::vector<std::string> names{group};
    TRESTLE_TRY_STATUS(list_below(directory, group + "/", names));
    for (const std::string& name : names) {
        const auto below = open_group(name);
        const auto pids = below.ok() ? pids_in(*below) : below.status();
        if (!pids.ok()) continue;  // it went away
        for (const std::int64_t pid : *pids) (void)::kill(static_cast<pid_t>(pid), SIGKILL);
        (void)below->write("cgroup.freeze", "0");
    }
    return {};
}

/// Removes the group and those below, deepest first. A group whose last process has just ended may
/// be busy for some more milliseconds.
Status CgroupEnforcer::State::remove_empty(const std::string& group, Deadline deadline) {
    TRESTLE_TRY(const auto parent, open_group(parent_group(group)));
    TRESTLE_TRY(const auto directory, open_group(group));
    std::vector<std::string> names{group.substr(group.rfind('/') + 1)};
    TRESTLE_TRY_STATUS(list_below(directory, names.front() + "/", names));
    std::reverse(names.begin(), names.end());
    for (const std::string& name : names) {
        const auto above = parent.below(parent_group(name));
        if (above.status().code() == StatusCode::kNotFound) continue;
        TRESTLE_TRY_STATUS(above.status());
        const std::string last = name.substr(name.rfind('/') + 1);
        Status removed = above->remove(last);
        while (!removed.ok() && deadline.left_ms() > 0) {
            (void)::poll(nullptr, 0, deadline.left_ms(2));
            removed = above->remove(last);
        }
        TRESTLE_TRY_STATUS(removed);
    }
    return {};
}

CgroupEnforcer::CgroupEnforcer(std::unique_ptr<State> state) : state_(std::move(state)) {}
CgroupEnforcer::~CgroupEnforcer() = default;

StatusOr<std::unique_ptr<CgroupEnforcer>> CgroupEnforcer::open(const std::string& directory,
                                                               const CgroupOptions& options) {
    const CgroupSupport support = probe_cgroup(directory);
    if (!support.is_usable) return failed_precondition("{}", support.reason);
    TRESTLE_TRY(auto root, GroupDirectory::open(directory));
    auto state = std::make_unique<State>(std::move(root), options);
    return std::unique_ptr<CgroupEnforcer>(new CgroupEnforcer(std::move(state)));
}

Status CgroupEnforcer::run(const Step& step) {
    if (step.kind == StepKind::make_group) {
        TRESTLE_TRY_STATUS(check_group_name(step.group));
        TRESTLE_TRY(const auto parent, state_->open_group(parent_group(step.group)));
        const Status there = state_->open_group(step.group).status();
        if (there.code() == StatusCode::kInvalidArgument) return there;
        return parent.make(step.group.substr(step.group.rfind('/') + 1));
    }
    TRESTLE_TRY(const auto group, state_->open_group(step.group));
    switch (step.kind) {
        case StepKind::enable_controller:
            return state_->enable(group, step.value);
        case StepKind::load_filter: {
            TRESTLE_TRY(const auto list, detail::looked_up(step.devices));
            TRESTLE_TRY(const auto rules, resolved_rules(list));
            TRESTLE_TRY(const auto program, compile_filter(rules));
            return detail::attach_filter(group.fd(), group.path(), program);
        }
        case StepKind::make_scratch:
            return detail::make_scratch(step, state_->options().scratch_root);
        case StepKind::write_value:
        case StepKind::make_group:
            break;
    }
    if (step.file.find('/') != std::string::npos || !group.has(step.file.c_str())) {
        return failed_precondition("{}/{}: the kernel offers no such file here", group.path(),
                                   step.file);
    }
    const bool is_index_list = step.file == "cpuset.cpus" || step.file == "cpuset.mems";
    return is_index_list ? write_index_list(group, step.file, step.value)
                         : group.write(step.file, step.value);
}

StatusOr<Child> CgroupEnforcer::spawn(const Plan& plan, const Command& command) {
    TRESTLE_TRY_STATUS(check_group_name(plan.group));
    TRESTLE_TRY(const auto group, state_->open_group(plan.group));
    TRESTLE_TRY(const auto image, detail::ExecImage::of(command, plan.process));
    const auto oom_kills = oom_kills_in(group);
    TRESTLE_TRY(auto process, detail::start_process(image, {&group, state_->options().start}));
    return state_->children().add({std::move(process), plan.group, oom_kills});
}

Status CgroupEnforcer::attach(const std::string& group, std::int64_t pid) {
    TRESTLE_TRY(const auto directory, state_->open_group(group));
    // The kernel would take 0 for whoever writes it.
    if (pid < 1) return invalid_argument("process {}: expected a number above 0", pid);
    return directory.write("cgroup.procs", std::to_string(pid));
}

namespace {

/// Kills for memory in the group since the child started; nothing when the group has gone.
std::optional<Count> oom_kills_since(const StatusOr<GroupDirectory>& group,
                                     const std::optional<Count>& before) {
    const auto now = group.ok() ? oom_kills_in(*group) : std::nullopt;
    if (!now) return std::nullopt;
    return saturating_sub(*now, before.value_or(Count()));
}

Outcome outcome_of(const detail::EndOfProcess& end, std::optional<Count> oom_kills) {
    return end.is_exit ? exited(end.number, oom_kills) : signaled(end.number, oom_kills);
}

}  // namespace

StatusOr<Outcome> CgroupEnforcer::wait(const Child& child) {
    TRESTLE_TRY(const auto* entry, state_->children().find(child));
    const auto before = entry->oom_kills;
    TRESTLE_TRY(const auto end, state_->children().wait(child));
    return outcome_of(end, oom_kills_since(state_->open_group(child.group), before));
}

StatusOr<std::optional<Outcome>> CgroupEnforcer::poll(const Child& child) {
    TRESTLE_TRY(const auto* entry, state_->children().find(child));
    const auto before = entry->oom_kills;
    TRESTLE_TRY(const auto end, state_->children().poll(child));
    if (!end) return std::optional<Outcome>();
    return std::optional(
        outcome_of(*end, oom_kills_since(state_->open_group(child.group), before)));
}

/// Processes that are forked meanwhile are looked for until a round finds no new one, which a fork
/// storm may put off for ever.
Status CgroupEnforcer::signal(const std::string& group, int signal_number) {
    TRESTLE_TRY_STATUS(check_group_name(group));
    TRESTLE_TRY(const auto directory, state_->open_group(group));
    if (signal_number == SIGKILL) return state_->kill_all(group);
    const Deadline deadline = Deadline::in(state_->options().patience);
    std::set<std::int64_t> reached;
    for (int round = 1;; ++round) {
        bool has_new = false;
        std::vector<std::string> names{group};
        TRESTLE_TRY_STATUS(list_below(directory, group + "/", names));
        for (const std::string& name : names) {
            const auto below = state_->open_group(name);
            const auto pids = below.ok() ? pids_in(*below) : below.status();
            if (!pids.ok()) continue;  // it went away
            for (const std::int64_t pid : *pids) {
                if (!reached.insert(pid).second) continue;
                has_new = true;
                if (::kill(static_cast<pid_t>(pid), signal_number) != 0 && errno != ESRCH) {
                    return errno_status(errno, fmt::format("cannot signal process {}", pid));
                }
            }
        }
        if (!has_new) return {};
        if (round > 1 && deadline.left_ms() == 0) {
            return make_error(StatusCode::kDeadlineExceeded,
                              "{}: new processes come as fast as signal {} is sent",
                              directory.path(), signal_number);
        }
    }
}

Status CgroupEnforcer::freeze(const std::string& group) {
    TRESTLE_TRY_STATUS(check_group_name(group));
    TRESTLE_TRY(const auto directory, state_->open_group(group));
    TRESTLE_TRY_STATUS(directory.write("cgroup.freeze", "1"));
    const Status frozen = directory.wait_for("frozen", 1, Deadline::in(state_->options().patience));
    if (!frozen.ok()) (void)directory.write("cgroup.freeze", "0");
    return frozen;
}

Status CgroupEnforcer::thaw(const std::string& group) {
    TRESTLE_TRY_STATUS(check_group_name(group));
    TRESTLE_TRY(const auto directory, state_->open_group(group));
    return directory.write("cgroup.freeze", "0");
}

StatusOr<Usage> CgroupEnforcer::observe(const std::string& group) {
    TRESTLE_TRY(const auto directory, state_->open_group(group));
    Usage usage;
    usage.memory = quantity<Bytes>(number_in(directory, "memory.current"));
    usage.memory_peak = quantity<Bytes>(number_in(directory, "memory.peak"));
    usage.oom_kills = oom_kills_in(directory);
    usage.cpu_time = quantity<Microseconds>(number_in(directory, "cpu.stat", "usage_usec"));
    usage.throttled_time =
        quantity<Microseconds>(number_in(directory, "cpu.stat", "throttled_usec"));
    usage.pids = quantity<Count>(number_in(directory, "pids.current"));
    return usage;
}

Status CgroupEnforcer::remove(const std::string& group) {
    TRESTLE_TRY_STATUS(check_group_name(group));
    const Deadline deadline = Deadline::in(state_->options().patience);
    const auto directory = state_->open_group(group);
    const CgroupOptions& options = state_->options();
    if (directory.status().code() == StatusCode::kNotFound) {
        return detail::remove_scratch(options.scratch_root, group, options.patience);
    }
    Status status = directory.status();
    TRESTLE_TRY_STATUS(status);
    // Killing one by one may miss what is forked meanwhile, hence again.
    const bool is_atomic = directory->has("cgroup.kill");
    do {
        status = state_->kill_all(group);
        if (!status.ok()) break;
        status =
            directory->wait_for("populated", 0, is_atomic ? deadline : Deadline::in(Seconds(1)));
    } while (!is_atomic && !status.ok() && deadline.left_ms() > 0);
    // Before the group, so that whoever finds the group later also finds what it left.
    if (status.ok()) status = detail::remove_scratch(options.scratch_root, group, options.patience);
    if (status.ok()) status = state_->remove_empty(group, deadline);
    const bool is_gone = state_->open_group(group).status().code() == StatusCode::kNotFound;
    if (status.ok() || is_gone) return {};
    return with_context("left behind: " + group, status);
}

StatusOr<std::vector<GroupState>> CgroupEnforcer::recover() {
    TRESTLE_TRY(const auto names, state_->group_names());
    std::vector<GroupState> states;
    for (const std::string& name : names) {
        const auto directory = state_->root().below(name);
        const auto pids = directory.ok() ? pids_in(*directory) : directory.status();
        if (pids.status().code() == StatusCode::kNotFound) continue;  // it went away meanwhile
        TRESTLE_TRY_STATUS(pids.status());
        states.push_back({name, *pids});
    }
    return states;
}

}  // namespace trestle::os
