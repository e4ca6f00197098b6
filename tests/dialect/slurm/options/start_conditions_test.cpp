// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/options/start_conditions.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "trestle/alloc/schedule/eligible.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::slurm {
namespace {

using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<QueueEntry>);
static_assert(lists_all_fields<FoundJobs>);

/// Job 12 is owner 112; 20 is array 7, of tasks 1 to 3, owners 201 to 203; 30 are owners 301 and
/// 302; nobody knows 99.
FoundJobs jobs_in_book(const DependencyJob& job) {
    if (job.job == 12 && !job.task) return {{OwnerId(112)}, {}};
    if (job.job == 30) return {{OwnerId(301), OwnerId(302)}, {}};
    if (job.job != 20 || (job.task && (*job.task < 1 || 3 < *job.task))) return {};
    if (job.task) return {{OwnerId(200 + *job.task)}, {}};
    return {{}, ArrayId(7)};
}

StatusOr<StartConditions> terms_from(const std::vector<std::string>& options, QueueEntry entry) {
    const SubmissionReading reading = read_arguments(options);
    REQUIRE(reading.errors.empty());
    entry.owner = OwnerId(5);
    entry.submitted = Instant(1000);
    return start_conditions_of(reading.submission.components[0].options, entry, jobs_in_book);
}

std::string terms_text(const StartConditions& conditions) {
    std::string text;
    for (const trestle::Dependency& one : conditions.dependencies) {
        if (!text.empty()) text += conditions.is_any_of ? " or " : " and ";
        text += fmt::format("{}", one.kind);
        for (const OwnerId owner : one.jobs) text += fmt::format(" {}", owner);
        if (one.array) text += fmt::format(" array {}", *one.array);
        if (!one.delay.is_zero()) text += fmt::format(" +{}", one.delay);
    }
    if (conditions.begin) text += fmt::format(" begin {}", *conditions.begin);
    if (conditions.is_held) text += " held";
    return text;
}

TEST_CASE("Slurm conditions: options become conditions of the core", "[slurm]") {
    struct Row {
        const char* why;
        std::vector<std::string> options;
        const char* shown;
    };
    const std::vector<Row> rows{
        {"none", {}, ""},
        {"one job", {"-d", "afterok:12"}, "afterok 112"},
        {"each job is a condition",
         {"-d", "afternotok:12:20_2"},
         "afternotok 112 and afternotok 202"},
        {"or a way to meet one", {"-d", "afterany:12?after:20_2"}, "afterany 112 or after 202"},
        {"an array is one condition", {"-d", "afterany:20"}, "afterany array 7"},
        {"also when it says so", {"-d", "afterok:20_*"}, "afterok array 7"},
        {"or by its tasks", {"-d", "afternotok:30"}, "afternotok 301 302"},
        {"jobs alone", {"-d", "12"}, "afterany 112"},
        {"minutes behind a start", {"-d", "after:12+5"}, "after 112 +300"},
        {"the task of the same number", {"-d", "aftercorr:20"}, "afterok 202"},
        {"all where there is none", {"-d", "aftercorr:12"}, "afterok 112"},
        {"one of a name", {"-d", "singleton,afterok:12"}, "singleton and afterok 112"},
        {"who is not known is no condition", {"-d", "afterany:99,after:12"}, "after 112"},
        {"and so is enough", {"-d", "after:12?afterany:99"}, ""},
        {"not before", {"--begin=now+2hours"}, " begin 8200"},
        {"but at once", {"--begin=now"}, " begin 1000"},
        {"held", {"-H"}, " held"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto conditions = terms_from(row.options, {{}, {}, "ann/train", ArrayId(7), 2});
        INFO(conditions.status().ToString());
        REQUIRE(conditions.ok());
        CHECK(terms_text(*conditions) == row.shown);
        CHECK(conditions->owner == OwnerId(5));
        CHECK(conditions->name == "ann/train");
        CHECK(conditions->array == ArrayId(7));
    }
    CHECK(terms_text(*terms_from({"-d", "aftercorr:20"}, {})) == "afterok array 7");
    CHECK(terms_text(*terms_from({"-d", "aftercorr:20"}, {{}, {}, {}, {}, 9})) ==
          "afterok array 7");
}

TEST_CASE("Slurm conditions: what cannot be waited for", "[slurm]") {
    struct Row {
        const char* why;
        std::vector<std::string> options;
        StatusCode code;
        const char* words;
    };
    const std::vector<Row> rows{
        {"Slurm could not tell how it ended",
         {"-d", "afterok:12:99"},
         invalid,
         "--dependency=afterok:99: no such job"},
        {"nor of a task",
         {"-d", "afternotok:20_7"},
         invalid,
         "--dependency=afternotok:20_7: no such job"},
        {"jobs do not grow", {"-d", "expand:12"}, StatusCode::kUnimplemented, "expand"},
        {"nothing is staged out",
         {"-d", "afterburstbuffer:12"},
         StatusCode::kUnimplemented,
         "afterburstbuffer"},
        {"a calendar", {"--begin=noon"}, invalid, "--begin=noon: expected now"},
        {"a name is needed", {"-d", "singleton"}, invalid, "owner 5: singleton: expected a name"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const Status status = terms_from(row.options, {}).status();
        CHECK(status.code() == row.code);
        CHECK_THAT(std::string(message(status)), ContainsSubstring(row.words));
    }
}

TEST_CASE("Slurm conditions: a job that waits for its own array waits for itself", "[slurm]") {
    JobOptions options;
    options.dependency = Dependencies{{{DependencyKind::afterok, {{20, {}, true, {}}}}}, false};
    const auto conditions =
        start_conditions_of(options, {OwnerId(202), {}, {}, ArrayId(7), 2}, jobs_in_book);
    REQUIRE(conditions.ok());
    const std::vector<QueuedJob> queue{{OwnerId(202), {}, {}}};
    CHECK(message(check_cycles(queue, {{*conditions}, {}, {}})) == "owner 202 waits for owner 202");
}

TEST_CASE("Slurm conditions: how many tasks of an array run at once", "[slurm]") {
    const auto conditions_of = [](const std::vector<std::string>& arguments) {
        const SubmissionReading reading = read_arguments(arguments);
        REQUIRE(reading.errors.empty());
        return array_conditions_of(reading.submission.components[0].options, ArrayId(7));
    };
    CHECK(conditions_of({"--array=1-100%4"}) == QueueState::Array{ArrayId(7), Count(4)});
    CHECK(!conditions_of({"--array=1-100"}));
    CHECK(!conditions_of({"--array=1-100%0"}));
    CHECK(!conditions_of({}));
}

}  // namespace
}  // namespace trestle::slurm
