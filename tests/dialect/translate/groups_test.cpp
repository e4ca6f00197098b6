// SPDX-License-Identifier: Apache-2.0
// A run with groups as a script.
#include <algorithm>
#include <string>

#include "support/catch.hpp"
#include "support/dstack_files.hpp"
#include "trestle/dialect/translate/dstack_to_slurm.hpp"

using namespace trestle;
using testing::dstack_file;

TEST_CASE("dstack groups: a script is that of the first group, and says so", "[dialect][dstack]") {
    const auto run = *dstack_file("task",
                                  "image: x\ngroups:\n"
                                  "- {name: head, resources: {gpu: H100:8}}\n"
                                  "- {name: workers, nodes: 2, resources: {gpu: A100:8}}\n")
                          .run;
    const auto translation = translate::to_slurm(run);
    const auto is_it = [](const translate::Loss& loss) {
        return loss.what == "groups" && loss.value == "workers: 2";
    };
    CHECK(std::count_if(translation.losses.begin(), translation.losses.end(), is_it) == 1);
    struct Row {
        const char* groups;
        const char* lost;
        const char* why;
    };
    const Row rows[] = {
        {"[{count: 1, image: a}]", "", "all is said"},
        {"[{count: 3, image: a}]", "0: 3", "two replicas are lost"},
        {"[{count: 1..3, scaling: {metric: rps, target: 1}, image: a}, {count: 2, image: b}]",
         "0: 1..3, 1: 2", "of both groups"},
    };
    for (const Row& row : rows) {
        INFO(row.groups << ": " << row.why);
        const auto service =
            *dstack_file("service", "port: 80\ngroups: " + std::string(row.groups)).run;
        std::string lost;
        for (const translate::Loss& loss : translate::to_slurm(service).losses) {
            if (loss.what != "groups") continue;
            lost += (lost.empty() ? "" : ", ") + loss.value;
        }
        CHECK(lost == row.lost);
    }
}
