// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/program.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "enforce/process/environment_words.hpp"
#include "start_process.hpp"

namespace trestle::os {

std::vector<EnvironmentVariable> current_environment() {
    std::vector<EnvironmentVariable> variables;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals == std::string_view::npos) continue;
        variables.push_back(
            {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))});
    }
    return variables;
}

ProcessUser current_user() {
    ProcessUser user;
    user.uid = ::geteuid();
    user.gid = ::getegid();
    user.capabilities.reset();
    const int count = ::getgroups(0, nullptr);
    if (count > 0) {
        std::vector<gid_t> groups(static_cast<std::size_t>(count));
        const int got = ::getgroups(count, groups.data());
        groups.resize(static_cast<std::size_t>(std::max(got, 0)));
        user.groups.assign(groups.begin(), groups.end());
    }
    return user;
}

namespace {

bool is_program(const std::string& file) {
    struct stat about {};
    return ::stat(file.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
           ::faccessat(AT_FDCWD, file.c_str(), X_OK, AT_EACCESS) == 0;
}

}  // namespace

StatusOr<std::string> find_program(const Command& command) {
    if (command.arguments.empty() || command.arguments.front().empty()) {
        return invalid_argument("it is empty, expected a program");
    }
    TRESTLE_TRY_STATUS(check_known(command.environment));
    const std::vector<std::string> environment = revealed_words(command.environment);
    const std::string& name = command.arguments.front();
    for (std::string file : detail::program_candidates(name, detail::path_of(environment))) {
        if (!command.directory.empty() && !file.starts_with("/")) {
            file = command.directory + "/" + file;  // spawn goes there first
        }
        if (is_program(file)) return file;
    }
    if (name.find('/') != std::string::npos) {
        return not_found("{}: it is no program that may be executed", name);
    }
    return not_found("{}: no such program along PATH, expected one that may be executed", name);
}

}  // namespace trestle::os
