// SPDX-License-Identifier: Apache-2.0
// The plan as systemd's properties and as shell scripts: goldens, what cannot be said, and words
// that try to be more than words.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "enforce/process/environment_words.hpp"
#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/golden.hpp"
#include "support/limit_text.hpp"
#include "support/vendor_plan.hpp"
#include "trestle/dialect/container/shell_script.hpp"
#include "trestle/dialect/container/systemd_unit.hpp"

namespace trestle::container {
namespace {

using Catch::Matchers::ContainsSubstring;

Plan document_plan() {
    Plan made = share_plan(vendor_node(nvidia_gpus), two_gpus(), container_request());
    made.process.limits = {{ProcessSettings::Limit::Resource::nofile, 1024, 4096},
                           {ProcessSettings::Limit::Resource::core, 0, {}}};
    made.process.user =
        ProcessUser{1000, 100, {4, 27}, {{ProcessUser::Capability::sys_nice}}, true};
    made.process.nice = 5;
    made.process.oom_score_adj = 100;
    made.process.umask = 027;
    made.process.memory_policy = MemoryPolicy{MemoryPolicy::Mode::bind, limits_of(made).mems};
    made.end.time_limit = Seconds(3600);
    made.end.warning = EndPolicy::Warning{};
    return made;
}

Step make_step(const std::string& group) {
    return {Step::MakeGroup{}, Requirement::require, "", group};
}

UnitOptions unit_for(std::vector<std::string> arguments) {
    UnitOptions options;
    options.command = {std::move(arguments), {shown_variable("PATH", "/bin")}, "/tmp"};
    return options;
}

SystemdDocument unit_of(const Plan& plan, const UnitOptions& options) {
    const auto document = systemd_unit(plan, options);
    INFO(document.status().ToString());
    REQUIRE(document.ok());
    return *document;
}

ShellDocument scripts_of(const Plan& plan, const ScriptOptions& options) {
    const auto document = shell_scripts(plan, options);
    INFO(document.status().ToString());
    REQUIRE(document.ok());
    return *document;
}

/// The value of a property; all of them, with a bar between, where there are several.
std::string property_in(const SystemdUnit& unit, const std::string& name) {
    std::string values;
    for (const UnitProperty& property : unit.properties) {
        if (property.name != name) continue;
        values += (values.empty() ? "" : "|") + property.value;
    }
    return values;
}

/// Words that a careless document would act upon.
const std::vector<std::string> hostile_words = {"a b",
                                                "$(touch pwned)",
                                                "`touch pwned`",
                                                "'; touch pwned; '",
                                                "\"; touch pwned; \"",
                                                "$HOME",
                                                "%h %% %n",
                                                "two\nlines",
                                                "--unit=other",
                                                "\\",
                                                "",
                                                "*",
                                                "~",
                                                "${PATH} $$ \\$HOME",
                                                "; rm",
                                                "ExecStart=/bin/false",
                                                "#",
                                                "\xc3\xa4 \t ",
                                                "-p"};

std::filesystem::path new_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "trestle-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    return pattern;
}

std::string text_of_file(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// All words behind each other, each with a bar behind it.
std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += word + "|";
    return text;
}

}  // namespace

TEST_CASE("systemd_unit: a golden service", "[dialect][container][golden]") {
    UnitOptions options = unit_for({"python3", "train.py", "--name=$HOME of 100%"});
    options.slice = "batch.slice";
    const SystemdDocument document = unit_of(document_plan(), options);
    check_golden("container_systemd.txt", "systemd-run\n" + systemd_run_line(document.content) +
                                              "\nunit\n" + unit_text(document.content) + "\n" +
                                              kept_table(document.limits));
}

TEST_CASE("shell_scripts: golden scripts", "[dialect][container][golden]") {
    ScriptOptions options;
    options.command = {{"python3", "train.py", "it's"}, {{"TOKEN", "a'b"}}, "/tmp"};
    const ShellDocument document = scripts_of(document_plan(), options);
    check_golden("container_shell.txt", document.content.start + "\n" + document.content.remove +
                                            "\n" + kept_table(document.limits));
}

TEST_CASE("systemd_unit: every value that a plan may write has its word or is a loss",
          "[dialect][container]") {
    struct Row {
        const char* file;
        const char* value;
        const char* property;  // empty: a loss
        const char* expected;
    };
    const Row rows[] = {
        {"memory.max", "17179869184", "MemoryMax", "17179869184"},
        {"memory.high", "max", "MemoryHigh", "infinity"},
        {"memory.low", "4096", "MemoryLow", "4096"},
        {"memory.min", "4096", "MemoryMin", "4096"},
        {"memory.swap.max", "0", "MemorySwapMax", "0"},
        {"memory.oom.group", "1", "OOMPolicy", "kill"},
        {"memory.oom.group", "0", "OOMPolicy", "continue"},
        {"cpuset.cpus", "8-11,24", "AllowedCPUs", "8-11,24"},
        {"cpuset.mems", "0-1", "AllowedMemoryNodes", "0-1"},
        {"cpu.weight", "100", "CPUWeight", "100"},
        {"cpu.max", "150000 100000", "CPUQuota", "150.00%"},
        {"cpu.max", "9000 1000000", "CPUQuotaPeriodSec", "1000000us"},
        {"cpu.max", "33300 100000", "CPUQuota", "33.30%"},
        {"cpu.max", "max 100000", "CPUQuota", ""},
        {"pids.max", "4096", "TasksMax", "4096"},
        {"pids.max", "max", "TasksMax", "infinity"},
        {"io.max", "8:0 rbps=1048576 wiops=max", "IOReadBandwidthMax", "/dev/block/8:0 1048576"},
        {"io.max", "8:0 rbps=1048576 wiops=max", "IOWriteIOPSMax", "/dev/block/8:0 infinity"},
        {"io.weight", "200", "IOWeight", "200"},
        {"io.weight", "default 200", "IOWeight", "200"},
        {"hugetlb.2MB.max", "4194304", "", ""},
        {"rdma.max", "mlx5_0 hca_handle=2", "", ""},
        {"misc.max", "sev 1", "", ""},
        {"cpuset.cpus.partition", "root", "", ""},
    };
    for (const Row& row : rows) {
        INFO(row.file << " " << row.value);
        Plan one;
        one.group = "job_7";
        one.steps = {limit_step("job_7", row.file, row.value, "some thing")};
        const SystemdDocument document = unit_of(one, unit_for({"true"}));
        const auto lost = losses(document.limits);
        if (*row.property == '\0') {
            REQUIRE(lost.size() == 1);
            CHECK(lost.front().resource == "some");
            CHECK_THAT(lost.front().how, ContainsSubstring(row.file));
        } else {
            CHECK(property_in(document.content, row.property) == row.expected);
            CHECK(lost.empty());
        }
    }
}

TEST_CASE(
    "systemd_unit: devices by path, by number and by major; what systemd cannot say is a loss",
    "[dialect][container]") {
    using Kind = Device::File::Kind;
    DeviceAllowList list;
    list.rules.add({Kind::character, 1, 3, DeviceRule::Access::all()});
    list.rules.add({Kind::character, 136, {}, DeviceRule::Access::read_write()});
    list.rules.add({Kind::block, {}, {}, {false, false, true}});
    list.rules.add({Kind::character, {}, 7, DeviceRule::Access::all()});
    for (const char* path : {"/dev/nvidia0", "/dev/a b", "/etc/passwd", "/dev/x\n/dev/y",
                             "/dev/../etc/passwd", "/dev/100%h"}) {
        list.files.push_back({{path, Kind::character, {}, {}},
                              DeviceRule::Access::read_write(),
                              DeviceAllowList::File::Presence::required,
                              ""});
    }
    Plan one;
    one.group = "job_7";
    one.steps = {{Step::LoadFilter{list}, Requirement::require, "devices", "job_7"}};
    const SystemdDocument document = unit_of(one, unit_for({"true"}));
    CHECK(property_in(document.content, "DevicePolicy") == "strict");
    CHECK(property_in(document.content, "DeviceAllow") ==
          "/dev/char/1:3 rwm|char-136 rw|block-* m|/dev/nvidia0 rw|/dev/100%h rw");
    CHECK(losses(document.limits).size() == 5);
    CHECK_THAT(unit_text(document.content), ContainsSubstring("DeviceAllow=/dev/100%%h rw\n"));
}

TEST_CASE("unit_name: a group becomes a name as systemd-escape has it", "[dialect][container]") {
    CHECK(unit_name("job_42") == "job_42.service");
    CHECK(unit_name("job_42/step_0") == "job_42-step_0.service");
    CHECK(unit_name("a-b c%n") == "a\\x2db\\x20c\\x25n.service");
    CHECK(unit_name("\xc3\xa4:1.2") == "\\xc3\\xa4:1.2.service");
}

TEST_CASE("container: what neither systemd nor a shell can express is refused",
          "[dialect][container]") {
    const Plan good = document_plan();
    const auto code_of_unit = [&](const UnitOptions& options) {
        return systemd_unit(good, options).status().code();
    };
    for (const std::vector<std::string>& words : {std::vector<std::string>{},
                                                  {""},
                                                  {"-x"},
                                                  {"@/bin/sh"},
                                                  {"sh", std::string("a\0b", 3)},
                                                  {"sh", "\xff"}}) {
        CHECK(code_of_unit(unit_for(words)) == invalid);
    }
    for (const char* folder : {"relative", "/a\nExecStart=/bin/false", "/a\\", "/a "}) {
        UnitOptions options = unit_for({"true"});
        options.command.directory = folder;
        CHECK(code_of_unit(options) == invalid);
    }
    UnitOptions options = unit_for({"true"});
    options.slice = "a.slice\nUser=root.slice";
    CHECK(code_of_unit(options) == invalid);

    ScriptOptions script;
    script.directory = "cgroup";
    CHECK(shell_scripts(good, script).status().code() == invalid);
    script.directory = "/sys";
    script.command.arguments = {std::string("a\0b", 3)};
    CHECK(shell_scripts(good, script).status().code() == invalid);

    for (const Step::Action& bad : {Step::Action(Step::EnableController{"../memory"}),
                                    Step::Action(Step::EnableController{"a;id"}),
                                    Step::Action(Step::SetLimit{MiscLimit{"sev\n1", Count(1)}})}) {
        Plan made = good;
        made.steps.push_back({bad, Requirement::require, "misc", "job_7"});
        CHECK(shell_scripts(made).status().code() == invalid);
        CHECK(systemd_unit(made, unit_for({"true"})).status().code() == invalid);
    }
    Plan climbing = good;
    climbing.group = "../job";
    CHECK(shell_scripts(climbing).status().code() == invalid);
    CHECK(systemd_unit(climbing, unit_for({"true"})).status().code() == invalid);
}

TEST_CASE("container: variables that a receiver cannot be handed are losses",
          "[dialect][container]") {
    Plan made = document_plan();
    made.process.environment = {
        shown_variable("GOOD", "1"), {"a.b", "1"}, {"1a", "x"}, {"BAD", "\x01"}};
    const SystemdDocument unit = unit_of(made, unit_for({"true"}));
    CHECK(unit.content.environment.size() == 2);  // PATH and GOOD
    ScriptOptions options;
    options.command.arguments = {"true"};
    const ShellDocument scripts = scripts_of(made, options);
    std::string names;
    for (const KeptLimit& row : scripts.limits) {
        if (row.resource == "environment") names += row.limit + " ";
    }
    CHECK(names == "\"a.b\" \"1a\" ");
}

TEST_CASE("shell_scripts: hostile words reach the command as they are", "[dialect][container]") {
    const auto folder = new_folder();
    Plan made;
    made.group = "job $(touch pwned) '; touch pwned; ' \"`touch pwned`\" *";
    made.steps = {make_step(made.group)};
    made.process.environment = {{"HOSTILE", joined(hostile_words)}};
    ScriptOptions options;
    options.directory = (folder / "a 'root' $(touch pwned)").string();
    options.command.directory = folder.string();
    options.command.arguments = {"sh", "-c", "{ printf '%s|' \"$@\"; echo \"$HOSTILE\"; } > out",
                                 "sh"};
    options.command.arguments.insert(options.command.arguments.end(), hostile_words.begin(),
                                     hostile_words.end());
    std::filesystem::create_directory(options.directory);
    const ShellDocument scripts = scripts_of(made, options);
    std::ofstream(folder / "start") << scripts.content.start;
    std::ofstream(folder / "remove") << scripts.content.remove;
    const std::string go = "cd " + folder.string() + " && sh ";
    CHECK(std::system((go + "start").c_str()) == 0);
    CHECK(text_of_file(folder / "out") == joined(hostile_words) + joined(hostile_words) + "\n");
    // On plain files a group is removed when it is empty.
    const auto group = std::filesystem::path(options.directory) / made.group;
    CHECK(std::filesystem::remove(group / "cgroup.procs"));
    CHECK(std::system((go + "remove").c_str()) == 0);
    CHECK_FALSE(std::filesystem::exists(group));
    CHECK_FALSE(std::filesystem::exists(folder / "pwned"));
    std::filesystem::remove_all(folder);
}

TEST_CASE("shell_scripts: a scratch directory goes with its group, and not without it",
          "[dialect][container]") {
    const auto folder = new_folder();
    const auto directory = folder / "scratch" / "job";
    Plan made;
    made.group = "job";
    const Scratch::Directory scratch{(folder / "scratch").string(), "job", {}, {}};
    made.steps = {make_step("job"), {Step::MakeScratch{scratch}, Requirement::require, "", "job"}};
    ScriptOptions options;
    options.directory = (folder / "groups").string();
    std::filesystem::create_directory(options.directory);
    const ShellDocument scripts = scripts_of(made, options);
    std::ofstream(folder / "start") << scripts.content.start;
    std::ofstream(folder / "remove") << scripts.content.remove;
    const std::string go = "cd " + folder.string() + " && sh ";
    // Another manager's, under a running job of the same name: neither half of ours touches it.
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "data") << "kept";
    CHECK(std::system((go + "remove").c_str()) == 0);
    CHECK(std::system((go + "start 2> errors").c_str()) != 0);
    CHECK_FALSE(std::filesystem::exists(folder / "groups" / "job"));
    CHECK(text_of_file(directory / "data") == "kept");
    std::filesystem::remove_all(directory);

    CHECK(std::system((go + "start").c_str()) == 0);
    CHECK(std::filesystem::is_directory(directory));
    std::ofstream(directory / "data") << "gone";
    CHECK(std::system((go + "remove").c_str()) == 0);
    CHECK_FALSE(std::filesystem::exists(folder / "groups" / "job"));
    CHECK_FALSE(std::filesystem::exists(directory));
    std::filesystem::remove_all(folder);
}

TEST_CASE("shell_scripts: what fails is undone, what is best effort is a warning",
          "[dialect][container]") {
    const auto folder = new_folder();
    Plan made;
    made.group = "job";
    made.steps = {make_step("job"), limit_step("job", "memory.max", "4096", "memory")};
    ScriptOptions options;
    options.directory = folder.string();
    for (const Requirement requirement : {Requirement::require, Requirement::best_effort}) {
        made.steps.back().requirement = requirement;
        std::ofstream(folder / "start") << scripts_of(made, options).content.start;
        const std::string run = "cd " + folder.string() + " && sh start 2> errors";
        const bool is_required = requirement == Requirement::require;
        CHECK((std::system(run.c_str()) == 0) == !is_required);
        CHECK_THAT(text_of_file(folder / "errors"),
                   ContainsSubstring("job: the kernel has no memory.max here"));
        CHECK_THAT(text_of_file(folder / "errors"),
                   ContainsSubstring(is_required ? "job: failed: put job memory.max 4096"
                                                 : "job: not done: put job memory.max 4096"));
        CHECK(std::filesystem::exists(folder / "job") == !is_required);
    }
    std::filesystem::remove_all(folder);
}

}  // namespace trestle::container
