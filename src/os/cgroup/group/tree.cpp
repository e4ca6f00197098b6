// SPDX-License-Identifier: Apache-2.0
#include "tree.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/join.hpp"
#include "trestle/enforce/group_name.hpp"
#include "values.hpp"

namespace trestle::os::detail {

namespace {

constexpr const char* manager_leaf = "manager";
constexpr const char* leaf_prefix = "manager/";

bool contains(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_leaf(const std::string& group) {
    return group == manager_leaf || group.starts_with(leaf_prefix);
}

/// By parts: `a/b` comes right behind `a`, before `a b`.
bool is_before(std::string_view a, std::string_view b) {
    const auto rank = [](char c) { return c == '/' ? 0 : 1 + static_cast<unsigned char>(c); };
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [&](char x, char y) { return rank(x) < rank(y); });
}

}  // namespace

/// Level by level, with one descriptor however deep the groups are. What a job has locked is listed
/// itself, so that it hides no other.
Status list_below(const GroupDirectory& group, const std::string& prefix,
                  std::vector<std::string>& names) {
    std::vector<std::string> found;
    TRESTLE_TRY(found, group.children());
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto below = group.below(found[i]);
        const auto children = below.ok() ? below->children() : below.status();
        const StatusCode code = children.status().code();
        if (code == StatusCode::kNotFound || code == StatusCode::kPermissionDenied) continue;
        TRESTLE_TRY_STATUS(children.status());
        for (const std::string& child : *children) found.push_back(found[i] + "/" + child);
    }
    std::sort(found.begin(), found.end(), is_before);
    for (const std::string& name : found) names.push_back(prefix + name);
    return {};
}

Status GroupTree::check_name(const std::string& group) const {
    TRESTLE_TRY_STATUS(check_group_name(group));
    if (!is_leaf(group)) return {};
    TRESTLE_TRY(const auto inside, pids_in_leaf());
    if (!has_self(inside)) return {};
    return invalid_argument("{}: this process is in {}/{}, expected another group", group,
                            root_.path(), manager_leaf);
}

StatusOr<GroupDirectory> GroupTree::open(const std::string& group) const {
    if (!group.empty()) TRESTLE_TRY_STATUS(check_name(group));
    return root_.below(group);
}

StatusOr<std::vector<std::string>> GroupTree::names() const {
    std::vector<std::string> names;
    TRESTLE_TRY_STATUS(list_below(root_, "", names));
    TRESTLE_TRY(const auto inside, pids_in_leaf());
    if (has_self(inside)) std::erase_if(names, is_leaf);
    return names;
}

/// With processes inside, "+memory" is refused, but "+cpu" succeeds and makes the group threaded
/// for good. So nothing is written before the group is known to be empty, and it is looked at
/// after.
Status GroupTree::enable(const GroupDirectory& group, const std::string& controller) const {
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
    if (type.status().code() == StatusCode::kNotFound) return {};  // the kernel's own root
    if (type.ok() && !type->starts_with("domain threaded")) return {};
    const Status undone = group.write("cgroup.subtree_control", "-" + controller);
    if (!type.ok()) return type.status();
    return failed_precondition("{}: a process came in while controller {} was enabled{}",
                               group.path(), controller,
                               undone.ok() ? "" : "; the group is threaded now");
}

/// Ok when no process stands in the way of controllers for the children of `group`.
Status GroupTree::make_room(const GroupDirectory& group) const {
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
    const auto leaf = group.below(manager_leaf);
    const Status moved =
        leaf.ok() ? leaf->write("cgroup.procs", std::to_string(self)) : leaf.status();
    if (!moved.ok() && made.ok()) (void)group.remove(manager_leaf);
    return moved;
}

/// None where there is no leaf. An earlier enforcer of this process may have left it there, so the
/// kernel is asked each time.
StatusOr<std::vector<std::int64_t>> GroupTree::pids_in_leaf() const {
    const auto leaf = root_.below(manager_leaf);
    auto pids = leaf.ok() ? pids_in(*leaf) : leaf.status();
    if (pids.status().code() == StatusCode::kNotFound) return std::vector<std::int64_t>();
    return pids;
}

/// Puts everything back as it was found, as long as nothing else depends on it. A group with a
/// process in it hands no controller down, so all that are enabled now were enabled since. Another
/// manager may make a group meanwhile, which needs them: so it is looked at again, and what is made
/// still later is noticed by its first missing file.
void GroupTree::leave_leaf() const {
    const auto inside = pids_in_leaf();
    if (!inside.ok() || *inside != std::vector<std::int64_t>{::getpid()}) return;
    const auto groups = names();
    const auto enabled = words_in(root_, "cgroup.subtree_control");
    if (!groups.ok() || !groups->empty() || !enabled.ok()) return;
    const auto all_are_off = [&] {
        return std::all_of(enabled->begin(), enabled->end(), [&](const std::string& controller) {
            return root_.write("cgroup.subtree_control", "-" + controller).ok();
        });
    };
    const auto has_no_group = [&] {
        const auto since = names();
        return since.ok() && since->empty();
    };
    const std::string self = std::to_string(::getpid());
    if (all_are_off() && has_no_group() && root_.write("cgroup.procs", self).ok()) {
        (void)root_.remove(manager_leaf);
        return;
    }
    for (const std::string& controller : *enabled) {
        (void)root_.write("cgroup.subtree_control", "+" + controller);
    }
}

}  // namespace trestle::os::detail
