// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/program.hpp"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "machines/unpacked.hpp"
#include "support/catch.hpp"

namespace trestle::os {
namespace {

namespace fs = std::filesystem;

void make_file(const fs::path& path, fs::perms permissions) {
    std::ofstream(path) << "#!/bin/sh\n";
    fs::permissions(path, permissions);
}

}  // namespace

TEST_CASE("current_environment: variables as they stand, also empty ones", "[os]") {
    ::setenv("TRESTLE_TEST_VARIABLE", "a=b c", 1);
    ::setenv("TRESTLE_TEST_EMPTY", "", 1);
    const auto variables = current_environment();
    const auto count = [&](const EnvironmentVariable& wanted) {
        return std::count(variables.begin(), variables.end(), wanted);
    };
    CHECK(count({"TRESTLE_TEST_VARIABLE", "a=b c"}) == 1);
    CHECK(count({"TRESTLE_TEST_EMPTY", ""}) == 1);
    ::unsetenv("TRESTLE_TEST_VARIABLE");
    ::unsetenv("TRESTLE_TEST_EMPTY");
    CHECK(current_environment().size() == variables.size() - 2);
}

TEST_CASE("find_program: the file that spawn will execute, or one line that says why not", "[os]") {
    const TemporaryFolder folder;
    const std::string at = folder.path().string();
    fs::create_directories(folder.path() / "first" / "tool");
    fs::create_directories(folder.path() / "second");
    make_file(folder.path() / "second" / "tool", fs::perms::owner_all);
    make_file(folder.path() / "second" / "text", fs::perms::owner_read);
    fs::create_symlink("tool", folder.path() / "second" / "link");
    const std::string path = at + "/first:" + at + "/second";
    const std::string tool = at + "/second/tool";
    struct Row {
        const char* why;
        std::vector<std::string> arguments;
        std::string directory;
        std::string file;  ///< empty: an error
        std::string says;
    };
    const Row rows[] = {
        {"a folder of that name comes first along PATH", {"tool", "-x"}, "", tool, ""},
        {"a link to a program", {"link"}, "", at + "/second/link", ""},
        {"a path", {tool}, "", tool, ""},
        {"a path from where the command starts",
         {"./tool"},
         at + "/second",
         at + "/second/./tool",
         ""},
        {"not along PATH",
         {"absent"},
         "",
         "",
         "absent: no such program along PATH, expected one that may be executed"},
        {"it may not be executed", {"text"}, "", "", "text: no such program along PATH"},
        {"a path to such a file",
         {at + "/second/text"},
         "",
         "",
         "second/text: it is no program that may be executed"},
        {"a folder", {"/tmp"}, "", "", "/tmp: it is no program that may be executed"},
        {"no such path", {"/no/such"}, "", "", "/no/such: it is no program that may be executed"},
        {"no word", {}, "", "", "it is empty, expected a program"},
        {"an empty word", {""}, "", "", "it is empty, expected a program"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto found = find_program({row.arguments, {{"PATH", path}}, row.directory});
        CHECK(found.ok() == !row.file.empty());
        if (found.ok()) {
            CHECK(*found == row.file);
            continue;
        }
        const bool is_empty = row.arguments.empty() || row.arguments.front().empty();
        CHECK(found.status().code() ==
              (is_empty ? StatusCode::kInvalidArgument : StatusCode::kNotFound));
        CHECK_THAT(std::string(message(found.status())),
                   Catch::Matchers::ContainsSubstring(row.says));
    }
}

TEST_CASE("find_program: without PATH a bare system's", "[os]") {
    CHECK(find_program({{"sh"}, {}, ""}).ok());
    CHECK_FALSE(find_program({{"sh"}, {{"PATH", "/no/such"}}, ""}).ok());
}

}  // namespace trestle::os
