// SPDX-License-Identifier: Apache-2.0
#pragma once

// The groups below one root: found by name, listed, and given controllers.
//
// Layer: os, private. Main types: GroupTree. How what is inside comes to its end: end_group.hpp.
// Pitfall: the leaf `manager`, and what is below it, is no group of the tree while this process is
// in it.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "os/directory.hpp"
#include "trestle/base/status.hpp"

namespace trestle::os::detail {

/// Adds the names of all groups below `group`, each before its own children. What goes away while
/// we look is passed over.
[[nodiscard]] Status list_below(const GroupDirectory& group, const std::string& prefix,
                                std::vector<std::string>& names);

class GroupTree {
  public:
    explicit GroupTree(GroupDirectory root) : root_(std::move(root)) {}
    GroupTree(const GroupTree&) = delete;
    GroupTree& operator=(const GroupTree&) = delete;
    ~GroupTree() { leave_leaf(); }

    [[nodiscard]] const GroupDirectory& root() const { return root_; }

    /// Errors: InvalidArgument for a bad name, and for the leaf that this process is in.
    [[nodiscard]] Status check_name(const std::string& group) const;

    /// Empty: the root. Errors: those of check_name; NotFound.
    [[nodiscard]] StatusOr<GroupDirectory> open(const std::string& group) const;

    /// All groups but the root and the leaf that this process is in, parents first.
    [[nodiscard]] StatusOr<std::vector<std::string>> names() const;

    /// Hands the controller down to the children of `group`, where it is not yet.
    [[nodiscard]] Status enable(const GroupDirectory& group, const std::string& controller) const;

  private:
    [[nodiscard]] Status make_room(const GroupDirectory& group) const;
    [[nodiscard]] StatusOr<std::vector<std::int64_t>> pids_in_leaf() const;
    void leave_leaf() const;

    GroupDirectory root_;
};

}  // namespace trestle::os::detail
