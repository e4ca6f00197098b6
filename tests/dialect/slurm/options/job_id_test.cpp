// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/job_id.hpp"

#include <string>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {
TEST_CASE("Slurm job ids: jobs, tasks of arrays, and back", "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* printed;
        std::int64_t tasks;
        const char* why;
    };
    const Row rows[] = {
        {"1001", "1001", 1, "a job"},
        {"1001_1", "1001_1", 1, "a task of an array"},
        {"1001_0", "1001_0", 1, "tasks count from 0"},
        {"1001_4000000", "1001_4000000", 1, "the last task there can be"},
        {"1001_[50-100]", "1001_[50-100]", 51, "tasks that wait"},
        {"1001_[50-100%4]", "1001_[50-100%4]", 51, "four at a time"},
        {"1001_[0-15:4]", "1001_[0-15:4]", 4, "with steps"},
        {"1001_[1,5-7]", "1001_[1,5-7]", 4, "several ranges"},
        {"1001_[5-7,6-8]", "1001_[5-7,6-8]", 4, "each task once"},
        {"1001_[7]", "1001_7", 1, "a list of one"},
        {"1001_[7%2]", "1001_[7%2]", 1, "a list of one with a limit"},
        {"1001_[7-7:3]", "1001_7", 1, "a range of one"},
        {"1001_[7%0]", "1001_7", 1, "no limit"},
        {"4294967295", "4294967295", 1, "the largest job"},
        {"1001_[0-4000000]", "1001_[0-4000000]", 4'000'001, "the most tasks"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto id = slurm::parse_job_id(row.text);
        INFO(message(id.status()));
        REQUIRE(id.ok());
        CHECK(to_text(*id) == row.printed);
        CHECK(tasks_in(*id) == Count(row.tasks));
        CHECK(to_text(slurm::parse_job_id(row.printed).value()) == row.printed);
    }
    CHECK(slurm::JobId{1001, slurm::JobArray{{{50, 100, 1}}, {}}} ==
          slurm::parse_job_id("1001_[50-100]").value());
}

TEST_CASE("Slurm job ids: what is malformed says where", "[dialect][slurm]") {
    struct Row {
        const char* text;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"", "job id: malformed job id at offset 0 (end of text)", "nothing"},
        {"x", "job id: malformed job id at offset 0 (\"x\")", "no number"},
        {"0", "job id: malformed job id at offset 0 (\"0\")", "no job has it"},
        {"-1", "job id: malformed job id at offset 0 (\"-1\")", "nor this"},
        {"4294967296", "job id: malformed job id at offset 0 (\"4294967296\")", "too large"},
        {"99999999999999999999999", "job id: malformed job id at offset 0", "far too large"},
        {"1001_", "job id: malformed array at offset 5 (end of text)", "no task"},
        {"1001_x", "job id: malformed task at offset 5 (\"x\")", "no number"},
        {"1001_1-2", "job id: several tasks without brackets at offset 6 (\"-2\")", "no brackets"},
        {"1001_1%2", "job id: several tasks without brackets at offset 6 (\"%2\")", "nor here"},
        {"1001_4000001", "job id: malformed array at offset 5 (\"4000001\")", "beyond any array"},
        {"1001_[]", "job id: malformed array at offset 6", "an empty list"},
        {"1001_[1", "job id: no ] at the end at offset 7 (end of text)", "an open list"},
        {"1001_[1]2", "job id: no ] at the end at offset 8 (\"2\")", "text behind it"},
        {"1001_[1-2,]", "job id: malformed array at offset 10", "an empty item"},
        {"1001_[9-1]", "job id: a range that goes down at offset 6 (\"9-1\")", "downwards"},
        {"1001_[1-9:0]", "job id: malformed array at offset 6 (\"1-9:0\")", "a step of 0"},
        {"1001_[1-9,...]", "job id: malformed array at offset 10 (\"...\")", "a list cut off"},
        {"1001_[0-4000000,0]", "job id: too many tasks at offset 6", "more than there can be"},
        {"1001_[1%x]", "job id: malformed count at offset 8 (\"x\")", "a limit that is none"},
        {"1001_1,2", "job id: several tasks without brackets at offset 6 (\",\")", "nor two"},
        {"1001_1x", "job id: malformed task at offset 5 (\"1x\")", "more than a number"},
        {"1001_1.0", "job id: malformed task at offset 5 (\"1.0\")", "a step of a task"},
        {"1001_99999999999999999999999", "job id: malformed task at offset 5", "too large"},
        {"1001_*", "job id: malformed task at offset 5 (\"*\")", "all of them"},
        {"1001+1", "job id: unexpected text at offset 4 (\"+1\")", "a component"},
        {"1001.0", "job id: unexpected text at offset 4 (\".0\")", "a step"},
        {" 1001", "job id: malformed job id at offset 0", "a blank"},
    };
    for (const Row& row : rows) {
        INFO(row.text << ": " << row.why);
        const auto id = slurm::parse_job_id(row.text);
        REQUIRE_FALSE(id.ok());
        CHECK(id.status().code() == StatusCode::kInvalidArgument);
        INFO(message(id.status()));
        CHECK(message(id.status()).starts_with(row.expected));
    }
}

}  // namespace trestle
