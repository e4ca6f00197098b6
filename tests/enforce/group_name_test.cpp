// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/group_name.hpp"

#include "support/catch.hpp"

namespace {

using namespace trestle;

std::string repeated(const std::string& part, int times) {
    std::string text = part;
    for (int i = 1; i < times; ++i) text += "/" + part;
    return text;
}

TEST_CASE("check_group_name: good names", "[enforce][plan]") {
    const std::string names[] = {"job_42",
                                 "a",
                                 "job_42/step_0/task_1",
                                 "memory",
                                 "a.b",
                                 "a..b",
                                 "job 42",
                                 "-x",
                                 "memory_max",
                                 repeated("a", 8),
                                 "j\xc3\xb6"
                                 "b",
                                 std::string(255, 'x'),
                                 "xmemory.max"};
    for (const std::string& name : names) {
        INFO(name);
        CHECK(check_group_name(name).ok());
    }
}

TEST_CASE("check_group_name: bad names are one line", "[enforce][plan]") {
    struct Row {
        std::string name;
        const char* what;
        const char* why;
    };
    const Row rows[] = {
        {"", "empty at offset 0", "the root is not a group of ours"},
        {"/job", "empty at offset 0", "an absolute path"},
        {"job/", "empty at offset 4", "ends in /"},
        {"a//b", "empty at offset 2", "an empty part"},
        {"..", "dot at offset 0", "out of the root"},
        {"a/../../etc", "dot at offset 2", "out of the root, hidden"},
        {".", "dot at offset 0", "the root itself"},
        {".hidden", "dot at offset 0", "a leading dot"},
        {"a\nb", "control character at offset 0", "the kernel refuses a newline"},
        {std::string("a\0b", 3), "control character at offset 0", "NUL would cut the path"},
        {"a\x7f", "control character at offset 0", "delete"},
        {std::string(256, 'x'), "255 bytes at offset 0", "one byte over NAME_MAX"},
        {"job/memory.max", "kernel's own files do at offset 4", "would be the file"},
        {"cgroup.new", "kernel's own files do at offset 0", "could be one day"},
        {repeated("a", 9), "9 levels, expected 8", "too deep"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const Status status = check_group_name(row.name);
        CHECK(status.code() == StatusCode::kInvalidArgument);
        const std::string text{message(status)};
        CHECK_THAT(text, Catch::Matchers::ContainsSubstring(row.what));
        CHECK(text.find('\n') == text.npos);
        CHECK(text.size() < 200);
    }
}

TEST_CASE("parent_group: the part before the last slash", "[enforce][plan]") {
    CHECK(parent_group("job_42").empty());
    CHECK(parent_group("job_42/step_0") == "job_42");
    CHECK(parent_group("a/b/c") == "a/b");
}

TEST_CASE("is_below: a group, what is under it, and nothing that only starts alike", "[enforce]") {
    CHECK(is_below("job_4", "job_4"));
    CHECK(is_below("job_4/step_0", "job_4"));
    CHECK(is_below("job_4", ""));
    CHECK(is_below("", ""));
    CHECK_FALSE(is_below("job_42", "job_4"));
    CHECK_FALSE(is_below("job_42/step_0", "job_4"));
    CHECK_FALSE(is_below("job_4", "job_4/step_0"));
    CHECK_FALSE(is_below("", "job_4"));
}

}  // namespace
