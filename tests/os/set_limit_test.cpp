// SPDX-License-Identifier: Apache-2.0
// On plain files: which lists of CPUs and memory nodes are not even written.
#include "os/cgroup/group/set_limit.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "machines/unpacked.hpp"
#include "support/catch.hpp"
#include "support/faulty_kernel.hpp"

namespace trestle::os::detail {
namespace {

TEST_CASE("set_limit: a list of which nothing is there is not written", "[os]") {
    struct Row {
        const char* above;  // what the group above has now
        const char* mine;   // what this one has now
        PuSet wanted;
        bool is_written;
        const char* why;
    };
    const Row rows[] = {
        {"0-3", "0-1", PuSet::of({OsIndex(4), OsIndex(5)}), false,
         "both went offline: the kernel would give 0-3 meanwhile"},
        {"0-3", "0-1", PuSet::of({OsIndex(3), OsIndex(4)}), true,
         "one of them is there: the group has no more than it was given"},
        {"0-3", "0-1", PuSet::of({OsIndex(2), OsIndex(3)}), true, "all are there"},
        {"2-3", "0-1", PuSet::of({OsIndex(0)}), true,
         "a partition's own are not among those above"},
        {"", "", PuSet::of({OsIndex(0)}), false, "nothing is there at all"},
        {"0-3", "0-1", {}, true, "none of its own: what the group above has"},
    };
    for (const Row& row : rows) {
        for (const Limit& limit : {Limit(CpusLimit{row.wanted}), Limit(MemsLimit{row.wanted})}) {
            const std::string file = file_of(limit);
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
            const Status status = set_limit(root->below("job").value(), limit);
            // .effective stays as it is
            CHECK(status.ok() == row.wanted.is_empty());
            const bool is_written =
                std::any_of(kernel.calls().begin(), kernel.calls().end(),
                            [](const CallMade& made) { return made.call == "write"; });
            CHECK(is_written == row.is_written);
            CHECK((std::string(message(status)).find("gives none of") == std::string::npos) ==
                  row.is_written);
        }
    }
}

TEST_CASE("set_limit: the file has what the limit says", "[os]") {
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "memory.max") << "";
    FaultyKernel kernel;
    const auto group = GroupDirectory::open(folder.path().string(), kernel);
    REQUIRE(group.ok());
    CHECK(set_limit(*group, MemoryLimit{MemoryLimit::File::max, gib(1)}) == Status());
    std::string text;
    std::ifstream(folder.path() / "memory.max") >> text;
    CHECK(text == "1073741824");
    const Status lacking = set_limit(*group, HugetlbLimit{mib(2), mib(4)});
    CHECK_THAT(std::string(message(lacking)),
               Catch::Matchers::ContainsSubstring("hugetlb.2MB.max"));
}

}  // namespace
}  // namespace trestle::os::detail
