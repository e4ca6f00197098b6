// SPDX-License-Identifier: Apache-2.0
// On plain directories: what concerns paths and files is the same there.
#include "os/directory.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "machines/unpacked.hpp"
#include "support/catch.hpp"
#include "trestle/os/cgroup_enforcer.hpp"
#include "trestle/os/cgroup_probe.hpp"

namespace trestle::os::detail {
namespace {

namespace fs = std::filesystem;

GroupDirectory opened(const fs::path& path) {
    auto directory = GroupDirectory::open(path.string());
    REQUIRE(directory.ok());
    return *std::move(directory);
}

}  // namespace

TEST_CASE("GroupDirectory: groups are made, listed, opened and removed", "[os]") {
    const TemporaryFolder folder;
    const GroupDirectory root = opened(folder.path());
    CHECK(root.make("b") == Status());
    CHECK(root.make("a") == Status());
    CHECK(root.make("a").code() == StatusCode::kAlreadyExists);
    std::ofstream(folder.path() / "file") << "x";
    CHECK(root.children().value() == std::vector<std::string>{"a", "b"});
    const auto below = root.below("a");
    REQUIRE(below.ok());
    CHECK(below->path() == folder.path().string() + "/a");
    CHECK(below->make("deep") == Status());
    CHECK(root.below("a/deep").ok());
    CHECK(root.below("")->path() == root.path());
    CHECK_FALSE(root.remove("a").ok());
    CHECK(below->remove("deep") == Status());
    CHECK(root.remove("a") == Status());
    CHECK(root.remove("a") == Status());
    CHECK(root.below("a").status().code() == StatusCode::kNotFound);
}

TEST_CASE("GroupDirectory: no name leads out of the root", "[os]") {
    const TemporaryFolder folder;
    const TemporaryFolder outside;
    fs::create_directory(folder.path() / "a");
    fs::create_directory_symlink(outside.path(), folder.path() / "link");
    fs::create_symlink(outside.path() / "file", folder.path() / "file");
    std::ofstream(outside.path() / "file") << "kept";
    const GroupDirectory root = opened(folder.path());
    for (const char* name : {"..", "a/..", ".", "a/../..", "/etc", "a//b", "link", "a/../link"}) {
        INFO(name);
        CHECK_FALSE(root.below(name).ok());
    }
    CHECK_FALSE(root.read("file").ok());
    CHECK_FALSE(root.write("file", "changed").ok());
    std::string kept;
    std::ifstream(outside.path() / "file") >> kept;
    CHECK(kept == "kept");
}

TEST_CASE("GroupDirectory: it stays the same directory when the path changes", "[os]") {
    const TemporaryFolder folder;
    fs::create_directory(folder.path() / "a");
    const GroupDirectory a = opened(folder.path() / "a");
    fs::rename(folder.path() / "a", folder.path() / "b");
    fs::create_directory(folder.path() / "a");
    CHECK(a.make("inside") == Status());
    CHECK(fs::exists(folder.path() / "b" / "inside"));
}

TEST_CASE("GroupDirectory: files are read whole and errors name the path", "[os]") {
    const TemporaryFolder folder;
    const GroupDirectory root = opened(folder.path());
    const std::string text(10'000, 'x');
    std::ofstream(folder.path() / "long") << text;
    CHECK(root.read("long").value() == text);
    const Status missing = root.read("memory.max").status();
    CHECK(missing.code() == StatusCode::kNotFound);
    CHECK_THAT(std::string(message(missing)),
               Catch::Matchers::StartsWith(folder.path().string() + "/memory.max: "));
    CHECK(root.write("memory.max", "1").code() == StatusCode::kNotFound);
    CHECK_FALSE(root.has("memory.max"));
    CHECK(root.write("long", "1") == Status());
}

TEST_CASE("GroupDirectory: waiting ends at once when it is so, and at the deadline", "[os]") {
    const TemporaryFolder folder;
    const GroupDirectory root = opened(folder.path());
    std::ofstream(folder.path() / "cgroup.events") << "populated 0\nfrozen 0\n";
    CHECK(root.wait_for("populated", 0, Deadline::in(Seconds(0))) == Status());
    CHECK(root.wait_for("frozen", 1, Deadline::in(Seconds(0))).code() ==
          StatusCode::kDeadlineExceeded);
    CHECK(root.wait_for("frozen", 1, Deadline::in(Seconds(1))).code() ==
          StatusCode::kDeadlineExceeded);
}

TEST_CASE("Deadline: the longest patience is no moment in the past", "[os]") {
    for (const Seconds seconds : {Seconds::max(), Seconds(Seconds::max().value() / 1000)}) {
        CHECK(Deadline::in(seconds).left_ms() == 1 << 30);
        CHECK(Deadline::in(Seconds(0)).at_most(seconds).left_ms() == 0);
        CHECK(Deadline::in(seconds).at_most(Seconds(0)).left_ms() == 0);
    }
}

TEST_CASE("probe_cgroup: a plain directory is refused with the reason, as is the enforcer",
          "[os]") {
    const TemporaryFolder folder;
    const CgroupSupport support = probe_cgroup(folder.path().string());
    CHECK_FALSE(support.is_usable);
    CHECK_THAT(support.reason, Catch::Matchers::ContainsSubstring("is no cgroup v2 file system"));
    const auto enforcer = CgroupEnforcer::open(folder.path().string());
    REQUIRE_FALSE(enforcer.ok());
    CHECK(enforcer.status().code() == StatusCode::kFailedPrecondition);
    CHECK(std::string(message(enforcer.status())) == support.reason);
    CHECK_THAT(probe_cgroup("/nonexistent").reason,
               Catch::Matchers::StartsWith("/nonexistent: No such file"));
}

TEST_CASE("probe_cgroup: what it finds here is usable or has a reason of one line", "[os]") {
    const CgroupSupport support = probe_cgroup();
    INFO(support.directory << ": " << support.reason);
    CHECK(support.is_usable == support.reason.empty());
    CHECK((!support.is_usable || !support.capabilities.controllers.empty()));
    CHECK(support.reason.find('\n') == std::string::npos);
    CHECK(CgroupEnforcer::open(support.directory).ok() == support.is_usable);
}

}  // namespace trestle::os::detail
