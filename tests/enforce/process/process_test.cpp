// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/process/command.hpp"
#include "trestle/enforce/process/environment.hpp"
#include "trestle/enforce/process/outcome.hpp"
#include "trestle/enforce/process/settings.hpp"
#include "trestle/enforce/process/usage.hpp"

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"

namespace {

using namespace trestle;

static_assert(lists_all_fields<EnvironmentVariable> && lists_all_fields<ProcessSettings::Limit> &&
              lists_all_fields<ProcessSettings> && lists_all_fields<Command> &&
              lists_all_fields<Outcome> && lists_all_fields<ResourceUsage>);
static_assert(exit_status(Outcome{}) == 0);

TEST_CASE("Outcome: how it ended, and the status for a shell", "[enforce][process]") {
    struct Row {
        Outcome outcome;
        Outcome::Ending ending;
        int status;
        const char* why;
    };
    const Row rows[] = {
        {exited(0), Outcome::Ending::exited, 0, "done"},
        {exited(3), Outcome::Ending::exited, 3, "failed"},
        {exited(255), Outcome::Ending::exited, 255, "the largest status"},
        {signaled(15), Outcome::Ending::signaled, 143, "terminated"},
        {signaled(9), Outcome::Ending::signaled, 137, "killed by somebody; nobody counts memory"},
        {signaled(9, Count(0)), Outcome::Ending::signaled, 137,
         "killed by somebody, not for memory"},
        {signaled(9, Count(1)), Outcome::Ending::out_of_memory, 125, "killed for memory"},
        {signaled(7, Count(1)), Outcome::Ending::signaled, 135,
         "a bus error after a child's death"},
        {exited(1, Count(1)), Outcome::Ending::exited, 1,
         "outlived the death of its child for memory"},
        {exited(125), Outcome::Ending::exited, 125, "its own 125: the ending tells them apart"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(row.outcome.ending == row.ending);
        CHECK(exit_status(row.outcome) == row.status);
    }
    CHECK(exited(1, Count(2)).oom_kills == Count(2));
}

TEST_CASE("ResourceUsage: unknown differs from 0", "[enforce][process]") {
    CHECK(ResourceUsage{} != ResourceUsage{.memory = Bytes()});
    CHECK(to_text(ResourceUsage{}) == "{}");
    CHECK(to_text(ResourceUsage{.memory = Bytes(), .memory_peak = mib(3)}) ==
          "{memory=0, memory_peak=3MiB}");
}

TEST_CASE("ProcessLimit: an absent number is unlimited", "[enforce][process]") {
    CHECK(to_text(ProcessSettings::Limit{ProcessSettings::Limit::Resource::core, 0,
                                         std::nullopt}) == "core soft=0 hard=unlimited");
}

}  // namespace
