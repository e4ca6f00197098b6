// SPDX-License-Identifier: Apache-2.0
// On plain files: which lists of CPUs and memory nodes are not even written.
#include "os/cgroup/group/write_value.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "machines/unpacked.hpp"
#include "support/catch.hpp"
#include "support/faulty_kernel.hpp"

namespace trestle::os::detail {
namespace {

TEST_CASE("write_value: a list of which nothing is there is not written", "[os]") {
    struct Row {
        const char* above;  // what the group above has now
        const char* mine;   // what this one has now
        const char* value;
        bool is_written;
        const char* why;
    };
    const Row rows[] = {
        {"0-3", "0-1", "4-5", false, "both went offline: the kernel would give 0-3 meanwhile"},
        {"0-3", "0-1", "3-4", true,
         "one of them is there: the group has no more than it was given"},
        {"0-3", "0-1", "2-3", true, "all are there"},
        {"2-3", "0-1", "0", true, "a partition's own are not among those above"},
        {"", "", "0", false, "nothing is there at all"},
        {"0-3", "0-1", "none", true, "no list: the kernel says so"},
    };
    for (const Row& row : rows) {
        for (const std::string file : {"cpuset.cpus", "cpuset.mems"}) {
            INFO(row.why);
            const TemporaryFolder folder;
            const auto job = folder.path() / "job";
            std::filesystem::create_directory(job);
            std::ofstream(folder.path() / (file + ".effective")) << row.above << "\n";
            std::ofstream(job / (file + ".effective")) << row.mine << "\n";
            std::ofstream(job / file) << "0-1\n";
            FaultyKernel kernel;
            const auto root = GroupDirectory::open(folder.path().string(), kernel);
            REQUIRE(root.ok());
            const Status status = write_value(root->below("job").value(), file, row.value);
            CHECK(status.code() == StatusCode::kFailedPrecondition);  // .effective stays as it is
            const bool is_written =
                std::any_of(kernel.calls().begin(), kernel.calls().end(),
                            [](const CallMade& made) { return made.call == "write"; });
            CHECK(is_written == row.is_written);
            CHECK((std::string(message(status)).find("gives none of") == std::string::npos) ==
                  row.is_written);
        }
    }
}

}  // namespace
}  // namespace trestle::os::detail
