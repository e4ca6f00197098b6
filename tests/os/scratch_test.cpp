// SPDX-License-Identifier: Apache-2.0
// The scratch directory of a job: its own, and gone with it, whatever the job left there.
#include "../src/os/process/scratch.hpp"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "kernel_support.hpp"
#include "machines/unpacked.hpp"
#include "support/catch.hpp"
#include "trestle/os/plain_enforcer.hpp"

namespace trestle {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

Step scratch_step(const std::string& root, const std::string& group) {
    Step step = make_step(group);
    step.kind = StepKind::make_scratch;
    step.scratch = {root, scratch_name(group), {}, {}};
    return step;
}

/// A folder for scratch directories beside one that nothing may touch.
struct ScratchPlace {
    ScratchPlace() {
        fs::create_directories(folder.path() / "root");
        fs::create_directories(folder.path() / "outside" / "deep");
        std::ofstream(folder.path() / "outside" / "file") << "kept";
    }
    [[nodiscard]] std::string root() const { return (folder.path() / "root").string(); }
    [[nodiscard]] fs::path outside() const { return folder.path() / "outside"; }
    [[nodiscard]] bool is_outside_whole() const {
        return fs::exists(outside() / "file") && fs::exists(outside() / "deep");
    }
    [[nodiscard]] Status remove(const std::string& group) const {
        return os::detail::remove_scratch(root(), group, Seconds(10));
    }

    TemporaryFolder folder;
};

}  // namespace

TEST_CASE("scratch: made once, for its owner only, and gone with all that was put there", "[os]") {
    const ScratchPlace place;
    const Step step = scratch_step(place.root(), "job_1");
    REQUIRE(os::detail::make_scratch(step, place.root()) == Status());
    const fs::path path = step.scratch.path();
    struct stat about {};
    REQUIRE(::stat(path.c_str(), &about) == 0);
    CHECK((about.st_mode & 07777) == 0700);
    CHECK(about.st_uid == ::geteuid());
    CHECK(os::detail::make_scratch(step, place.root()).code() == StatusCode::kAlreadyExists);

    fs::create_directories(path / "a" / "b" / "c");
    fs::create_directories(path / "a" / "moved-up-0");
    std::ofstream(path / "moved-up-0") << "taken";
    std::ofstream(path / "a" / "b" / "c" / "file\n") << "x";
    fs::create_symlink("/", path / "slash");
    fs::create_symlink(place.outside(), path / "a" / "out");
    fs::create_directory_symlink(place.outside(), path / "a" / "b" / "c" / "up");
    REQUIRE(::mkfifo((path / "fifo").c_str(), 0600) == 0);
    fs::permissions(path / "a" / "b", fs::perms::none);
    CHECK(place.remove("job_1") == Status());
    CHECK(fs::is_empty(place.root()));
    CHECK(place.is_outside_whole());
    CHECK(place.remove("job_1") == Status());
}

TEST_CASE("scratch: depth is no matter", "[os]") {
    const ScratchPlace place;
    const Step step = scratch_step(place.root(), "job_1");
    REQUIRE(os::detail::make_scratch(step, place.root()) == Status());
    int at = ::open(step.scratch.path().c_str(), O_RDONLY | O_DIRECTORY);
    for (int depth = 0; depth < 3000; ++depth) {  // beyond PATH_MAX and the limit of open files
        REQUIRE(::mkdirat(at, "d", 0700) == 0);
        REQUIRE(::symlinkat(place.outside().c_str(), at, "link") == 0);
        const int below = ::openat(at, "d", O_RDONLY | O_DIRECTORY);
        ::close(at);
        at = below;
    }
    ::close(at);
    CHECK(place.remove("job_1") == Status());
    CHECK(fs::is_empty(place.root()));
    CHECK(place.is_outside_whole());
}

TEST_CASE("scratch: what is no directory of the group stays", "[os]") {
    const ScratchPlace place;
    for (const char* group : {"job", "job/step", "job%2fstep", "job_2", "job.x"}) {
        INFO(group);
        REQUIRE(os::detail::make_scratch(scratch_step(place.root(), group), place.root()) ==
                Status());
    }
    CHECK(place.remove("job") == Status());
    CHECK_FALSE(fs::exists(place.root() + "/job"));
    CHECK_FALSE(fs::exists(place.root() + "/job%2fstep"));
    CHECK(fs::exists(place.root() + "/job%252fstep"));
    CHECK(fs::exists(place.root() + "/job_2"));
    CHECK(fs::exists(place.root() + "/job.x"));

    // A link in the place of a directory is removed, not what it names.
    fs::create_symlink(place.outside(), place.root() + "/job_3");
    CHECK(place.remove("job_3") == Status());
    CHECK_FALSE(fs::is_symlink(place.root() + "/job_3"));
    CHECK(place.is_outside_whole());
}

TEST_CASE("scratch: only below the enforcer's own root, which is nobody else's", "[os]") {
    const ScratchPlace place;
    Step step = scratch_step(place.root(), "job_1");
    struct Row {
        void (*change)(Step&);
        const char* root;  ///< null: that of the place
        StatusCode code;
        const char* says;
    };
    const Row rows[] = {
        {[](Step&) {}, "", StatusCode::kFailedPrecondition, "scratch_root is not set"},
        {[](Step&) {}, "/elsewhere", StatusCode::kFailedPrecondition, "scratch_root is /elsewhere"},
        {[](Step& s) { s.scratch.name = "../outside"; }, nullptr, StatusCode::kInvalidArgument,
         "expected the name job_1"},
        {[](Step& s) { s.scratch.name = ""; }, nullptr, StatusCode::kInvalidArgument,
         "expected the name job_1"},
    };
    for (const Row& row : rows) {
        INFO(row.says);
        Step changed = step;
        row.change(changed);
        const std::string root = row.root == nullptr ? place.root() : row.root;
        const Status status = os::detail::make_scratch(changed, root);
        CHECK(status.code() == row.code);
        CHECK_THAT(std::string(message(status)), ContainsSubstring(row.says));
    }
    fs::permissions(place.root(), fs::perms::all);
    CHECK_THAT(std::string(message(os::detail::make_scratch(step, place.root()))),
               ContainsSubstring("others may write there"));
    fs::permissions(place.root(), fs::perms::all | fs::perms::sticky_bit);
    CHECK(os::detail::make_scratch(step, place.root()) == Status());
    CHECK(os::detail::remove_scratch("", "job_1", Seconds(1)) == Status());
    CHECK(os::detail::remove_scratch("/no/such", "job_1", Seconds(1)) == Status());
}

TEST_CASE("PlainEnforcer: a job's scratch directory", "[os]") {
    const ScratchPlace place;
    os::PlainEnforcer enforcer("no cgroup", place.root());
    Plan plan;
    plan.group = "job_1";
    plan.steps = {make_step("job_1"), scratch_step(place.root(), "job_1")};
    plan.process.environment = {shown_variable("SLURM_TMPDIR", plan.steps.back().scratch.path())};
    REQUIRE(enforcer.apply(plan).ok());
    const auto child = enforcer.spawn(plan, shell("echo x > $SLURM_TMPDIR/file"));
    REQUIRE(child.ok());
    CHECK(enforcer.wait(*child).value() == exited(0));
    CHECK(fs::exists(place.root() + "/job_1/file"));
    CHECK(enforcer.remove("job_1") == Status());
    CHECK(fs::is_empty(place.root()));
    os::PlainEnforcer without("no cgroup");
    CHECK_THAT(std::string(message(without.apply(plan).status())),
               ContainsSubstring("make scratch") && ContainsSubstring("scratch_root is not set"));
    CHECK(without.recover().value().empty());
}

TEST_CASE("scratch: a user's own, gone with the group, also after a crash", "[os][privileged]") {
    if (!has_kernel() || ::geteuid() != 0) return;
    const ScratchPlace place;
    fs::permissions(place.folder.path(), fs::perms::owner_all | fs::perms::others_exec);
    os::CgroupOptions options;
    options.scratch_root = place.root();
    KernelGroup group(options);
    Plan plan;
    plan.group = "job";
    plan.process.user = ProcessUser{4321, 4322};
    Step step = scratch_step(place.root(), "job");
    step.scratch.uid = 4321;
    step.scratch.gid = 4322;
    plan.steps = {make_step("job"), step};
    REQUIRE(message(group.enforcer().apply(plan).status()) == "");
    const std::string path = step.scratch.path();
    CHECK(group.run(plan, "cd " + path + " && mkdir -p a/b && ln -s / a/b/slash && ln -s " +
                              place.outside().string() +
                              " out && test $(stat -c %u:%g:%a .) = 4321:4322:700") == exited(0));
    Plan other = plan;
    other.process.user->uid = 4323;
    CHECK(group.run(other, "! ls " + path) == exited(0));

    // Another enforcer, which knows only the tree, as after a crash.
    const auto child = group.enforcer().spawn(
        plan, shell("cd " + path + "; i=0; while :; do mkdir -p x$i/y; i=$((i+1)); done"));
    REQUIRE(child.ok());
    auto successor = os::CgroupEnforcer::open(group.path(), options);
    REQUIRE(successor.ok());
    const auto found = (*successor)->recover();
    REQUIRE(found.ok());
    for (const GroupState& state : *found) CHECK((*successor)->remove(state.group) == Status());
    CHECK(group.enforcer().wait(*child).ok());
    CHECK(fs::is_empty(place.root()));
    CHECK(place.is_outside_whole());

    // A failing step takes the directory back as well.
    plan.steps.push_back(write_step("job", {"no.such", "1"}));
    CHECK_FALSE(group.enforcer().apply(plan).ok());
    CHECK(fs::is_empty(place.root()));
    CHECK(group.enforcer().recover().value().empty());
}

TEST_CASE("scratch: a file system that was mounted inside is left and named", "[os][privileged]") {
    if (::geteuid() != 0) return;
    const ScratchPlace place;
    const Step step = scratch_step(place.root(), "job");
    REQUIRE(os::detail::make_scratch(step, place.root()) == Status());
    const fs::path inside = fs::path(step.scratch.path()) / "a" / "mounted";
    fs::create_directories(inside);
    REQUIRE(::mount(place.outside().c_str(), inside.c_str(), nullptr, MS_BIND, nullptr) == 0);
    const Status status = place.remove("job");
    CHECK(status.code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(std::string(message(status)), ContainsSubstring("scratch directory is left") &&
                                                 ContainsSubstring("a file system is mounted"));
    CHECK(place.is_outside_whole());
    REQUIRE(::umount(inside.c_str()) == 0);
    CHECK(place.remove("job") == Status());
    CHECK(fs::is_empty(place.root()));
    CHECK(place.is_outside_whole());
}

}  // namespace trestle
