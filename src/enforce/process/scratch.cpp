// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/process/scratch.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "enforce/process/environment_words.hpp"
#include "enforce/process/scratch_names.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

std::string to_text(const Scratch::Directory& scratch) {
    std::string text = scratch.path();
    if (scratch.uid || scratch.gid) text += ", owner ";
    if (scratch.uid) text += std::to_string(*scratch.uid);
    if (scratch.gid) text += ":" + std::to_string(*scratch.gid);
    return text;
}

std::string scratch_name(std::string_view group) {
    std::string name;
    for (const char c : group) {
        if (c == '/') {
            name += scratch_separator;
        } else if (c == '%') {
            name += "%25";
        } else {
            name += c;
        }
    }
    return name;
}

std::string group_of_scratch_name(std::string_view name) {
    constexpr std::string_view percent = "%25";
    std::string group;
    while (!name.empty()) {
        const bool is_separator = name.starts_with(scratch_separator);
        const bool is_percent = name.starts_with(percent);
        group += is_separator ? '/' : name.front();
        name.remove_prefix(is_separator || is_percent ? percent.size() : 1);
    }
    return group;
}

StatusOr<Scratch::Directory> scratch_directory(const Scratch& scratch, const std::string& group,
                                               const std::optional<ProcessUser>& user) {
    constexpr std::size_t name_max = 255;
    if (!scratch.root.starts_with('/') || scratch.root.find('\0') != std::string::npos) {
        return invalid_argument("scratch: the root is not absolute, expected a folder as /scratch");
    }
    Scratch::Directory made{scratch.root, scratch_name(group), {}, {}};
    if (made.name.size() > name_max) {
        return invalid_argument("scratch: the name has {} bytes, expected {} at most",
                                made.name.size(), name_max);
    }
    if (user) made.uid = user->uid;
    if (user) made.gid = user->gid;
    return made;
}

std::vector<EnvironmentVariable> scratch_environment(const Scratch& scratch,
                                                     const Scratch::Directory& directory) {
    std::vector<EnvironmentVariable> variables;
    for (const std::string& name : scratch.variables) {
        variables.push_back(shown_variable(name, directory.path()));
    }
    return variables;
}

}  // namespace trestle
