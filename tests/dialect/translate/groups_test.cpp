// SPDX-License-Identifier: Apache-2.0
// A run with groups as a script.
#include <algorithm>

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
        return loss.what == "groups" && loss.value == "workers";
    };
    CHECK(std::count_if(translation.losses.begin(), translation.losses.end(), is_it) == 1);
}
