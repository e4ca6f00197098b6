// SPDX-License-Identifier: Apache-2.0
// The plan as others' documents on a real kernel: the shell's scripts, and systemd's services.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "enforce/process/environment_words.hpp"
#include "os/kernel_support.hpp"
#include "support/catch.hpp"
#include "trestle/dialect/container/shell_script.hpp"
#include "trestle/dialect/container/systemd_unit.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

/// A folder for scripts and what they print.
class Workplace {
  public:
    Workplace() {
        std::string pattern = (std::filesystem::temp_directory_path() / "trestle-XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        folder_ = pattern;
    }
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;
    ~Workplace() { std::filesystem::remove_all(folder_); }

    /// Runs a script; what it printed, stderr included, and a line `status N`.
    [[nodiscard]] std::string run(const std::string& script) const {
        std::ofstream(folder_ / "script") << script;
        const std::string line = "cd " + folder_.string() +
                                 " && { sh script < /dev/null; echo status $?; } > output 2>&1";
        REQUIRE(std::system(line.c_str()) == 0);
        std::ifstream file(folder_ / "output");
        return {std::istreambuf_iterator<char>(file), {}};
    }

  private:
    std::filesystem::path folder_;
};

/// Limits that the scripts of these tests print.
Plan document_plan() {
    const auto write = [](const char* resource, const char* file, const char* value) {
        Step step = write_step("job", {file, value});
        step.resource = resource;
        return step;
    };
    Plan plan;
    plan.group = "job";
    plan.steps = {enable_step("", "cpuset"),
                  enable_step("", "cpu"),
                  enable_step("", "memory"),
                  enable_step("", "pids"),
                  make_step("job"),
                  write("cpu", "cpuset.cpus", "1-2"),
                  write("cpu quota", "cpu.max", "150000 100000"),
                  write("memory", "memory.max", "67108864"),
                  write("memory", "memory.high", "50331648"),
                  write("swap", "memory.swap.max", "0"),
                  write("memory", "memory.oom.group", "1"),
                  write("pids", "pids.max", "30"),
                  filter_step("job", {pseudo_devices(), {}})};
    plan.process.affinity = PuSet::of({OsIndex(2)});
    plan.process.limits = {{ProcessSettings::Limit::Resource::nofile, 100, 200}};
    return plan;
}

constexpr const char* show_limits =
    "cd /sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup) && cat cpuset.cpus.effective cpu.max "
    "memory.max memory.high memory.swap.max memory.oom.group pids.max; taskset -cp $$ | sed "
    "'s/.*: //'; ulimit -Sn; ulimit -Hn; echo \"$PLACE\"";
constexpr const char* shown_limits =
    "1-2\n150000 100000\n67108864\n50331648\n0\n1\n30\n2\n100\n200\nhere & $(now) %h\n";

constexpr const char* show_user =
    "id -u; id -g; cut -d' ' -f19 /proc/self/stat; cat /proc/self/oom_score_adj; umask; "
    "grep -E 'Groups|NoNew|CapBnd' /proc/self/status | tr -d ' \t'";
constexpr const char* shown_user =
    "1000\n1000\n5\n100\n0027\nGroups:427\nCapBnd:0000000000000020\nNoNewPrivs:1\n";

Command limits_shown() {
    return {{"/bin/sh", "-c", show_limits},
            {shown_variable("PATH", "/usr/bin:/bin"), {"PLACE", "here & $(now) %h"}},
            "/"};
}

container::ShellScripts scripts_for(const Plan& plan, const container::ScriptOptions& options) {
    const auto document = container::shell_scripts(plan, options);
    INFO(document.status().ToString());
    REQUIRE(document.ok());
    return document->content;
}

bool has_systemd() {
    if (!has_kernel()) return false;
    const bool is_there = std::filesystem::exists("/run/systemd/system");
    if (!is_there) WARN("SKIPPED: systemd does not run here");
    return is_there;
}

}  // namespace

TEST_CASE("kernel: the shell's script sets every limit, and its other half ends the job",
          "[machines][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Workplace place;
    container::ScriptOptions options;
    options.directory = group.path();
    options.command = limits_shown();
    const auto scripts = scripts_for(document_plan(), options);
    CHECK(place.run(scripts.start) == std::string(shown_limits) + "status 0\n");
    CHECK(groups_in(group.path()) == std::vector<std::string>{"job"});
    CHECK_THAT(place.run(scripts.start), ContainsSubstring("job: failed: make job\nstatus 1"));
    CHECK(groups_in(group.path()) == std::vector<std::string>{"job"});  // it was not the script's
    CHECK(place.run(scripts.remove) == "status 0\n");
    CHECK(groups_in(group.path()).empty());

    // The kernel takes a partition below a group that is none, and says only when it is read what
    // it has made of it.
    Plan partition = document_plan();
    Step root = write_step("job", {"cpuset.cpus.partition", "root"});
    root.resource = "partition";
    partition.steps.insert(partition.steps.end() - 1, root);
    const std::string refused = place.run(scripts_for(partition, options).start);
    CHECK_THAT(refused, ContainsSubstring("job: the kernel makes root invalid") &&
                            ContainsSubstring("of root\njob: failed: put job cpuset.cpus.partition"
                                              " root\nstatus 1\n"));
    CHECK(groups_in(group.path()).empty());
    (partition.steps.end() - 2)->requirement = Requirement::best_effort;
    CHECK_THAT(place.run(scripts_for(partition, options).start),
               ContainsSubstring("job: not done: put job cpuset.cpus.partition root\n" +
                                 std::string(shown_limits) + "status 0\n"));
    CHECK(place.run("cat " + group.path() + "/job/cpuset.cpus.partition") == "member\nstatus 0\n");
    CHECK(place.run(scripts_for(partition, options).remove) == "status 0\n");

    options.command = shell(
        "setsid sleep 600 & trap '' TERM; mkdir /sys/fs/cgroup$(sed -n "
        "s/^0:://p /proc/self/cgroup)/deep; echo on");
    CHECK_THAT(place.run(scripts_for(document_plan(), options).start), ContainsSubstring("on\n"));
    CHECK(place.run(scripts.remove) == "status 0\n");
    CHECK(groups_in(group.path()).empty());
    CHECK(place.run(scripts.remove) == "status 0\n");
}

TEST_CASE("kernel: a script that fails leaves no group behind, wherever it fails",
          "[machines][privileged]") {
    if (!has_kernel()) return;
    KernelGroup group;
    const Workplace place;
    container::ScriptOptions options;
    options.directory = group.path();
    options.command = limits_shown();
    struct Row {
        const char* file;
        const char* value;
        const char* said;
    };
    const Row rows[] = {{"pids.max", "5000000", "failed: put job pids.max 5000000"},
                        {"hugetlb.4KB.max", "4096", "the kernel has no hugetlb.4KB.max here"},
                        {"cpuset.cpus", "1,999", "failed: put job cpuset.cpus 1,999"}};
    for (const Row& row : rows) {
        INFO(row.file);
        Plan plan = document_plan();
        plan.steps.push_back(write_step("job", {row.file, row.value}));
        const std::string said = place.run(scripts_for(plan, options).start);
        CHECK_THAT(said, ContainsSubstring(row.said));
        CHECK_THAT(said, ContainsSubstring("status 1\n"));
        CHECK(groups_in(group.path()).empty());
    }
    options.command.arguments = {"no-such-program"};
    CHECK_THAT(place.run(scripts_for(document_plan(), options).start),
               ContainsSubstring("job: no such program: no-such-program\nstatus 127\n"));
    CHECK(groups_in(group.path()).empty());
}

TEST_CASE("kernel: systemd-run takes every property, and the limits are there",
          "[machines][privileged][guest-systemd]") {
    if (!has_systemd()) return;
    const Workplace place;
    container::UnitOptions options;
    options.command = limits_shown();
    options.secret_file = "/run/trestle_test.env";
    Plan plan = document_plan();
    plan.end.time_limit = Seconds(300);
    plan.process.user = ProcessUser{1000, 1000, {4, 27}, {{ProcessUser::Capability::kill}}, true};
    plan.process.nice = 5;
    plan.process.oom_score_adj = 100;
    plan.process.umask = 027;
    plan.process.memory_policy = MemoryPolicy{MemoryPolicy::Mode::local, {}};
    plan.group = "trestle test/a-b%n";
    for (Step& step : plan.steps) {
        if (step.group == "job") step.group = plan.group;
    }
    auto document = container::systemd_unit(plan, options);
    REQUIRE(document.ok());
    // As in the guest's other units: nothing of a whole system is to be started.
    document->content.properties.push_back({"DefaultDependencies", "no"});
    // No service without its secrets.
    CHECK(place.run(container::systemd_run_line(document->content)) == "status 1\n");
    std::ofstream(options.secret_file) << container::secret_text(document->content);
    CHECK(place.run(container::systemd_run_line(document->content)) ==
          std::string(shown_limits) + "status 0\n");

    const std::vector<std::string> words = {
        "$HOME ${PATH} $$", "%n %h %%", "a'b\"c\\", "x\ny", "", ";"};
    document->content.arguments = {"/usr/bin/printf", "[%s]"};
    document->content.arguments.insert(document->content.arguments.end(), words.begin(),
                                       words.end());
    std::string expected;
    for (const std::string& word : words) expected += "[" + word + "]";
    CHECK(place.run(container::systemd_run_line(document->content)) == expected + "status 0\n");

    document->content.arguments = {"/bin/sh", "-c", "echo > /dev/null && cat /dev/loop-control"};
    REQUIRE(std::system("test -e /dev/loop-control || mknod /dev/loop-control c 10 237") == 0);
    CHECK_THAT(place.run(container::systemd_run_line(document->content)),
               ContainsSubstring("Operation not permitted"));

    // A value goes through as it is, and neither systemd nor ps shows it to anybody.
    const std::string secret = "hunter2 $HOME `x` \"y\" \\ 'z' %h #\nnext\tline ;";
    container::SystemdUnit hiding = document->content;
    hiding.environment.push_back({"SECRET", secret});
    hiding.environment.push_back({"GO", "/run/trestle_test_go"});
    hiding.arguments = {"/bin/sh", "-c",
                        "until test -e \"$GO\"; do sleep 0.1; done; printf '[%s]' \"$SECRET\""};
    std::ofstream(options.secret_file) << container::secret_text(hiding);
    std::string line = container::systemd_run_line(hiding);
    line.back() = '&';
    const std::string unit_shown = "systemctl show '" + hiding.name + "'";
    CHECK(place.run(line + "\nsleep 1\n" + unit_shown + " | grep -c 'hunter[2]'\n" + unit_shown +
                    " | grep -c '^EnvironmentFiles=.*/trestle_test.env'\n"
                    "cat /proc/[0-9]*/cmdline 2> /dev/null | grep -a -c 'hunter[2]'\ntouch "
                    "/run/trestle_test_go\nwait\n") == "0\n1\n0\n[" + secret + "]status 0\n");
    std::ofstream(options.secret_file) << container::secret_text(document->content);

    // The same as a unit file.
    document->content.arguments = {"/usr/bin/printf", "[%s]"};
    document->content.arguments.insert(document->content.arguments.end(), words.begin(),
                                       words.end());
    document->content.properties.push_back({"Type", "oneshot"});
    std::erase_if(document->content.properties,
                  [](const auto& property) { return property.name == "RuntimeMaxSec"; });
    document->content.properties.push_back({"StandardOutput", "file:/run/trestle_test_output"});
    const std::string unit = container::unit_text(document->content);
    // DefaultDependencies is of another section there.
    const std::string moved = "[Unit]\nDefaultDependencies=no\n" +
                              unit.substr(0, unit.find("DefaultDependencies=no\n")) +
                              unit.substr(unit.find("DefaultDependencies=no\n") + 23);
    std::ofstream("/run/systemd/system/trestle_test.service") << moved;
    CHECK(place.run("systemctl daemon-reload; systemctl start trestle_test.service; cat "
                    "/run/trestle_test_output") == expected + "status 0\n");
    std::filesystem::remove("/run/systemd/system/trestle_test.service");
    std::filesystem::remove("/run/trestle_test_output");
    std::filesystem::remove(options.secret_file);
    std::filesystem::remove("/run/trestle_test_go");
    REQUIRE(std::system("systemctl daemon-reload") == 0);
}

}  // namespace trestle
