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

#include "enforce/detail/step_parts.hpp"
#include "enforce/process/environment_words.hpp"
#include "enforce/process/scratch_names.hpp"
#include "kernel_support.hpp"
#include "machines/unpacked.hpp"
#include "support/catch.hpp"
#include "trestle/os/plain_enforcer.hpp"

namespace trestle {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

Step scratch_step(const std::string& root, const std::string& group) {
    return {Step::MakeScratch{{root, scratch_name(group), {}, {}}}, Requirement::require, "",
            group};
}
/// The directory of such a step.
Scratch::Directory& directory_of(Step& step) {
    return action_of<Step::MakeScratch>(step)->directory;
}
const Scratch::Directory& directory_of(const Step& step) {
    return action_of<Step::MakeScratch>(step)->directory;
}

Status make_in(const os::detail::ScratchRoot& root, const Step& step) {
    return os::detail::make_scratch(step.group, directory_of(step), root);
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
    [[nodiscard]] os::detail::ScratchRoot owned() const {
        return {root(), owner, os::real_kernel()};
    }
    [[nodiscard]] Status make(const Step& step) const { return make_in(owned(), step); }
    [[nodiscard]] Status remove(const std::string& group) const {
        return os::detail::remove_scratch(owned(), group, Seconds(10));
    }

    TemporaryFolder folder;
    os::detail::ScratchOwner owner =
        os::detail::ScratchOwner::at(os::real_kernel(), "/a group").value();
};

void leave_file(const std::string& path) { std::ofstream(path) << "somebody's"; }

}  // namespace

TEST_CASE("scratch: made once, for its owner only, and gone with all that was put there", "[os]") {
    const ScratchPlace place;
    const Step step = scratch_step(place.root(), "job_1");
    REQUIRE(place.make(step) == Status());
    const fs::path path = directory_of(step).path();
    struct stat about {};
    REQUIRE(::stat(path.c_str(), &about) == 0);
    CHECK((about.st_mode & 07777) == 0700);
    CHECK(about.st_uid == ::geteuid());
    CHECK(place.make(step).code() == StatusCode::kAlreadyExists);

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
    REQUIRE(place.make(step) == Status());
    int at = ::open(directory_of(step).path().c_str(), O_RDONLY | O_DIRECTORY);
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

TEST_CASE("scratch: of many files some are gone before all are counted, and time is kept", "[os]") {
    const ScratchPlace place;
    REQUIRE(place.make(scratch_step(place.root(), "job")) == Status());
    constexpr int files = 3000;
    const std::string job = place.root() + "/job";
    for (const std::string& folder : {job, job + "/deep"}) {
        fs::create_directory(folder);
        for (int i = 0; i < files; ++i) leave_file(folder + "/a_file_" + std::to_string(i));
    }
    const auto left = [&](const std::string& folder) {
        return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
    };
    const Status late = os::detail::remove_scratch(place.owned(), "job", Seconds(0));
    CHECK(late.code() == StatusCode::kDeadlineExceeded);
    CHECK_THAT(std::string(message(late)), ContainsSubstring(job));
    CHECK(left(job) + left(job + "/deep") > files);  // of 6000
    CHECK(left(job) + left(job + "/deep") < 2 * files);
    CHECK(place.remove("job") == Status());
    CHECK_FALSE(fs::exists(job));
    REQUIRE(place.make(scratch_step(place.root(), "few")) == Status());
    leave_file(place.root() + "/few/a_file");
    CHECK(os::detail::remove_scratch(place.owned(), "few", Seconds(0)) == Status());
}

TEST_CASE("scratch: what is no directory of the group stays", "[os]") {
    const ScratchPlace place;
    for (const char* group : {"job", "job/step", "job%2fstep", "job_2", "job.x"}) {
        INFO(group);
        REQUIRE(place.make(scratch_step(place.root(), group)) == Status());
    }
    CHECK(place.remove("job") == Status());
    CHECK_FALSE(fs::exists(place.root() + "/job"));
    CHECK_FALSE(fs::exists(place.root() + "/job%2fstep"));
    CHECK(fs::exists(place.root() + "/job%252fstep"));
    CHECK(fs::exists(place.root() + "/job_2"));
    CHECK(fs::exists(place.root() + "/job.x"));

    // A link in the place of a directory is removed, not what it names.
    REQUIRE(place.make(scratch_step(place.root(), "job_3")) == Status());
    fs::remove(place.root() + "/job_3");
    fs::create_symlink(place.outside(), place.root() + "/job_3");
    CHECK(place.remove("job_3") == Status());
    CHECK_FALSE(fs::is_symlink(place.root() + "/job_3"));
    CHECK(place.is_outside_whole());
}

TEST_CASE("scratch: only below the enforcer's own root, which no other user can write", "[os]") {
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
        {[](Step& s) { directory_of(s).name = "../outside"; }, nullptr,
         StatusCode::kInvalidArgument, "expected the name job_1"},
        {[](Step& s) { directory_of(s).name = ""; }, nullptr, StatusCode::kInvalidArgument,
         "expected the name job_1"},
    };
    for (const Row& row : rows) {
        INFO(row.says);
        Step changed = step;
        row.change(changed);
        const std::string root = row.root == nullptr ? place.root() : row.root;
        const Status status = make_in({root, place.owner, os::real_kernel()}, changed);
        CHECK(status.code() == row.code);
        CHECK_THAT(std::string(message(status)), ContainsSubstring(row.says));
    }
    // In a sticky folder too, the owner of a directory may rename it.
    for (const auto open : {fs::perms::all, fs::perms::all | fs::perms::sticky_bit,
                            fs::perms::owner_all | fs::perms::group_write}) {
        fs::permissions(place.root(), open);
        CHECK_THAT(std::string(message(place.make(step))),
                   ContainsSubstring("others may write there"));
        CHECK(place.remove("job_1").code() == StatusCode::kFailedPrecondition);
    }
    for (const char* root : {"", "/no/such"}) {
        CHECK(os::detail::remove_scratch({root, place.owner, os::real_kernel()}, "job_1",
                                         Seconds(1)) == Status());
        CHECK(os::detail::scratch_groups({root, place.owner, os::real_kernel()}).value().empty());
    }
}

TEST_CASE("scratch: whose a directory is", "[os]") {
    const os::detail::ScratchOwner one{"boot1", "cgroup:[1]", "host1", "/sys/fs/cgroup/a b"};
    struct Row {
        const char* why;
        os::detail::ScratchOwner other;
        bool is_same;
    };
    const Row rows[] = {
        {"itself", one, true},
        {"another group", {"boot1", "cgroup:[1]", "host1", "/sys/fs/cgroup/a"}, false},
        {"another container", {"boot1", "cgroup:[2]", "host1", "/sys/fs/cgroup/a b"}, false},
        {"the host has a new name", {"boot1", "cgroup:[1]", "host2", "/sys/fs/cgroup/a b"}, true},
        {"after a reboot", {"boot2", "cgroup:[2]", "host1", "/sys/fs/cgroup/a b"}, true},
        {"another machine", {"boot2", "cgroup:[1]", "host2", "/sys/fs/cgroup/a b"}, false},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(row.other.has_made(one.mark()) == row.is_same);
        CHECK(one.has_made(row.other.mark()) == row.is_same);
    }
    for (const char* mark : {"", " ", "boot1", "boot1 cgroup:[1] host1", "/sys/fs/cgroup/a b"}) {
        INFO(mark);
        CHECK_FALSE(one.has_made(mark));
    }
}

TEST_CASE("scratch: what another enforcer made, or another program, is never removed", "[os]") {
    const ScratchPlace one;
    ScratchPlace other;
    other.owner = os::detail::ScratchOwner::at(os::real_kernel(), "/another group").value();
    const os::detail::ScratchRoot others{one.root(), other.owner, os::real_kernel()};
    REQUIRE(one.make(scratch_step(one.root(), "job_1")) == Status());
    leave_file(one.root() + "/job_1/file");
    fs::create_directory(one.root() + "/job_2");
    leave_file(one.root() + "/job_2/file");

    const Status taken = make_in(others, scratch_step(one.root(), "job_1"));
    CHECK(taken.code() == StatusCode::kAlreadyExists);
    CHECK_THAT(std::string(message(taken)), ContainsSubstring(one.root() + "/job_1: ") &&
                                                ContainsSubstring("another owner") &&
                                                ContainsSubstring("/a group"));
    for (const auto& root : {one.owned(), others}) {
        CHECK(make_in(root, scratch_step(one.root(), "job_2")).code() ==
              StatusCode::kAlreadyExists);
        CHECK(os::detail::remove_scratch(root, "job_2", Seconds(1)) == Status());
    }
    CHECK(os::detail::remove_scratch(others, "job_1", Seconds(1)) == Status());
    CHECK(os::detail::scratch_groups(others).value().empty());
    CHECK(one.remove("job") == Status());
    CHECK(fs::exists(one.root() + "/job_1/file"));
    CHECK(fs::exists(one.root() + "/job_2/file"));

    CHECK(one.remove("job_1") == Status());
    CHECK_FALSE(fs::exists(one.root() + "/job_1"));
    CHECK(fs::exists(one.root() + "/job_2/file"));
    CHECK_FALSE(fs::exists(one.root() + "/.trestle"));
}

TEST_CASE("scratch: what is left is found by the groups' names", "[os]") {
    const ScratchPlace place;
    for (const char* group : {"job", "job/step", "a%2fb%"}) {
        REQUIRE(place.make(scratch_step(place.root(), group)) == Status());
    }
    fs::create_symlink(place.owner.mark(), place.root() + "/.trestle/never_made");
    CHECK(os::detail::scratch_groups(place.owned()).value() ==
          std::vector<std::string>{"a%2fb%", "job", "job/step", "never_made"});
    // As after a crash between the mark and the directory.
    CHECK(place.make(scratch_step(place.root(), "never_made")) == Status());
    for (const char* group : {"job", "never_made", "a%2fb%"}) {
        CHECK(place.remove(group) == Status());
    }
    CHECK(fs::is_empty(place.root()));
}

TEST_CASE("scratch: a folder of marks that cannot be had is an error, and no loop", "[os]") {
    const ScratchPlace place;
    const Step step = scratch_step(place.root(), "job_1");
    fs::create_symlink("nowhere", place.root() + "/.trestle");
    CHECK_THAT(std::string(message(place.make(step))), ContainsSubstring(".trestle: File exists"));
    CHECK_FALSE(fs::exists(directory_of(step).path()));
    CHECK(fs::remove(place.root() + "/.trestle"));

    /// Somebody takes the folder away each time.
    struct Removed final : os::ForwardingKernel {
        Removed() : ForwardingKernel(os::real_kernel()) {}
        int symlinkat(const char* target, int at, const char* path) override {
            CHECK(unlinkat(at, ".trestle", AT_REMOVEDIR) == 0);
            return ForwardingKernel::symlinkat(target, at, path);
        }
    } removed;
    CHECK(make_in({place.root(), place.owner, removed}, step).code() == StatusCode::kNotFound);
    CHECK(place.make(step) == Status());
}

TEST_CASE("PlainEnforcer: two with one root for scratch directories", "[os]") {
    const ScratchPlace place;
    Plan plan;
    plan.group = "job_1";
    plan.steps = {make_step("job_1"), scratch_step(place.root(), "job_1")};
    os::PlainEnforcer one("no cgroup", place.root());
    os::PlainEnforcer other("no cgroup", place.root());
    REQUIRE(one.apply(plan).ok());
    leave_file(place.root() + "/job_1/file");
    CHECK(other.apply(plan).status().code() == StatusCode::kAlreadyExists);
    CHECK(fs::exists(place.root() + "/job_1/file"));
    CHECK(other.remove("job_1") == Status());
    CHECK(fs::exists(place.root() + "/job_1/file"));
    CHECK(one.remove("job_1") == Status());
    CHECK(fs::is_empty(place.root()));
}

TEST_CASE("PlainEnforcer: a group is not made beside the scratch that was left of it", "[os]") {
    const ScratchPlace place;
    os::PlainEnforcer enforcer("no cgroup", place.root());
    Plan plan;
    plan.group = "job_1";
    plan.steps = {make_step("job_1"), scratch_step(place.root(), "job_1")};
    REQUIRE(enforcer.apply(plan).ok());
    const std::string mark = fs::read_symlink(place.root() + "/.trestle/job_1").string();
    REQUIRE(enforcer.remove("job_1") == Status());
    fs::create_directories(place.root() + "/.trestle");
    fs::create_symlink(mark, place.root() + "/.trestle/job_1");
    fs::create_directory(place.root() + "/job_1");
    leave_file(place.root() + "/job_1/file");
    const Status status = enforcer.apply(plan).status();
    CHECK(status.code() == StatusCode::kAlreadyExists);
    CHECK_THAT(std::string(message(status)), ContainsSubstring("remove the group first"));
    CHECK(fs::exists(place.root() + "/job_1/file"));
    REQUIRE(enforcer.remove("job_1") == Status());
    CHECK(enforcer.apply(plan).ok());
    CHECK(enforcer.remove("job_1") == Status());
}

TEST_CASE("PlainEnforcer: a job's scratch directory", "[os]") {
    const ScratchPlace place;
    os::PlainEnforcer enforcer("no cgroup", place.root());
    Plan plan;
    plan.group = "job_1";
    plan.steps = {make_step("job_1"), scratch_step(place.root(), "job_1")};
    plan.process.environment = {
        shown_variable("SLURM_TMPDIR", directory_of(plan.steps.back()).path())};
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
    directory_of(step).uid = 4321;
    directory_of(step).gid = 4322;
    plan.steps = {make_step("job"), step};
    REQUIRE(message(group.enforcer().apply(plan).status()) == "");
    const std::string path = directory_of(step).path();
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

    // Nobody told the group's removal: as after a reboot, or by another manager.
    REQUIRE(group.enforcer().apply(plan).ok());
    REQUIRE(fs::remove(group.path() + "/job"));
    const auto left = (*successor)->recover();
    REQUIRE(left.ok());
    REQUIRE(left->size() == 1);
    CHECK(left->front().group == "job");
    CHECK(left->front().is_scratch_only);
    CHECK_FALSE(left->front().is_populated);
    leave_file(path + "/kept");
    CHECK(group.enforcer().apply(plan).status().code() == StatusCode::kAlreadyExists);
    CHECK(fs::exists(path + "/kept"));
    CHECK((*successor)->remove("job") == Status());
    CHECK(fs::is_empty(place.root()));

    // A failing step takes the directory back as well.
    plan.steps.push_back(odd_step("job"));
    CHECK_FALSE(group.enforcer().apply(plan).ok());
    CHECK(fs::is_empty(place.root()));
    CHECK(group.enforcer().recover().value().empty());
}

TEST_CASE("scratch: a file system that was mounted inside is left and named", "[os][privileged]") {
    if (::geteuid() != 0) return;
    const ScratchPlace place;
    const Step step = scratch_step(place.root(), "job");
    REQUIRE(place.make(step) == Status());
    const fs::path inside = fs::path(directory_of(step).path()) / "a" / "mounted";
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
