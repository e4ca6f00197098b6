// SPDX-License-Identifier: Apache-2.0
// Nothing of a plan is passed over by systemd's and the shell's documents: each field that is set
// is kept or lost by a row of its own.
#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "trestle/dialect/container/shell_script.hpp"
#include "trestle/dialect/container/systemd_unit.hpp"

namespace trestle::container {
namespace {

/// A field of the plan, or a kind of step, and how it is set. Without a way to set it: `why` no
/// document has a row for it.
struct FieldRow {
    std::string_view field;
    std::function<void(Plan&)> set;
    const char* why = "";
};

/// Sets a field by adding a step.
std::function<void(Plan&)> adds(const Step::Action& action) {
    return [action](Plan& plan) {
        plan.steps.push_back({action, Requirement::require, "memory", "job_7"});
    };
}

std::vector<FieldRow> plan_rows() {
    return {
        {"owner", {}, "stands in the label"},
        {"group", {}, "is where the rest is"},
        {"steps", {}, "are a table of their own"},
        {"process", {}, "are a table of their own"},
        {"behind_filter", {}, "are for processes behind a filter that surely holds"},
        {"devices", [](Plan& plan) { plan.devices.emplace_back().name = "gpu"; }},
        {"shm_size", [](Plan& plan) { plan.shm_size = gib(1); }},
        {"disk", [](Plan& plan) { plan.disk = Range<Bytes>::at_least(gib(1)); }},
        {"end", {}, "are a table of their own"},
        {"folders", {}, "are the host's, which the job sees"},
        {"shortfalls",
         [](Plan& plan) {
             plan.shortfalls.push_back({"swap", "write", "none"});
         }},
    };
}

std::vector<FieldRow> step_kind_rows() {
    return {
        {"make_group", {}, "is what a service and a script are"},
        {"enable_controller", {}, "is done for what is written"},
        {"label_group", adds(Step::LabelGroup{OwnerId(7)})},
        {"set_limit", adds(Step::SetLimit{MemoryLimit{MemoryLimit::File::high, kib(4)}})},
        {"load_filter", adds(Step::LoadFilter{})},
        {"set_frozen", adds(Step::SetFrozen{true})},
        {"make_scratch", adds(Step::MakeScratch{{"/scratch", "job_7", 1000, 100}})},
    };
}

std::vector<FieldRow> process_rows() {
    return {
        {"affinity", [](Plan& plan) { plan.process.affinity = PuSet::of({OsIndex(1)}); }},
        {"environment", {}, "names its variables where they are lost"},
        {"limits",
         [](Plan& plan) {
             plan.process.limits = {{ProcessSettings::Limit::Resource::nofile, 1024, 4096}};
         }},
        {"user", [](Plan& plan) { plan.process.user = ProcessUser{}; }},
        {"nice", [](Plan& plan) { plan.process.nice = 0; }},
        {"oom_score_adj", [](Plan& plan) { plan.process.oom_score_adj = 0; }},
        {"memory_policy",
         [](Plan& plan) {
             plan.process.memory_policy = MemoryPolicy{MemoryPolicy::Mode::local, {}};
         }},
        {"umask", [](Plan& plan) { plan.process.umask = 0; }},
        {"keeps_session", [](Plan& plan) { plan.process.keeps_session = true; }},
        {"unset", {}, "names its variables where they are lost"},
    };
}

std::vector<FieldRow> user_rows() {
    return {
        {"uid", [](Plan& plan) { plan.process.user = ProcessUser{.uid = 7, .gid = 0}; }},
        {"gid", [](Plan& plan) { plan.process.user = ProcessUser{.uid = 0, .gid = 7}; }},
        {"groups",
         [](Plan& plan) { plan.process.user = ProcessUser{.uid = 0, .gid = 0, .groups = {4}}; }},
        {"capabilities",
         [](Plan& plan) {
             plan.process.user = ProcessUser{};
             plan.process.user->capabilities.reset();
         }},
        {"no_new_privs",
         [](Plan& plan) {
             plan.process.user = ProcessUser{};
             plan.process.user->no_new_privs = !plan.process.user->no_new_privs;
         }},
    };
}

std::vector<FieldRow> end_rows() {
    return {
        {"time_limit", [](Plan& plan) { plan.end.time_limit = Seconds(60); }},
        {"over_time",
         [](Plan& plan) {
             plan.end.time_limit = Seconds(60);
             plan.end.over_time = Seconds(7);
         }},
        {"warning",
         [](Plan& plan) {
             plan.end.time_limit = Seconds(60);
             plan.end.warning = EndPolicy::Warning{};
         }},
        {"end_signal", [](Plan& plan) { plan.end.end_signal = 2; }},
        {"end_target", [](Plan& plan) { plan.end.end_target = EndPolicy::Target::leader; }},
        {"grace", [](Plan& plan) { plan.end.grace = Seconds(7); }},
    };
}

std::vector<FieldRow> warning_rows() {
    const auto warned = [](const EndPolicy::Warning& warning) {
        return [warning](Plan& plan) {
            plan.end.time_limit = Seconds(60);
            plan.end.warning = warning;
        };
    };
    return {
        {"signal_number", warned({.signal_number = 12})},
        {"before", warned({.before = Seconds(7)})},
        {"target", warned({.target = EndPolicy::Target::leader})},
    };
}

template <class Struct>
std::vector<std::string_view> names_of_fields() {
    std::vector<std::string_view> names;
    Struct::fields([&](const auto&... one) { (names.push_back(one.name), ...); });
    return names;
}

std::vector<std::string_view> names_of_rows(const std::vector<FieldRow>& rows) {
    std::vector<std::string_view> names;
    for (const FieldRow& row : rows) names.push_back(row.field);
    return names;
}

std::vector<KeptLimit> systemd_rows(const Plan& plan) {
    UnitOptions options;
    options.command.arguments = {"true"};
    const auto document = systemd_unit(plan, options);
    INFO(document.status().ToString());
    REQUIRE(document.ok());
    return document->limits;
}

std::vector<KeptLimit> shell_rows(const Plan& plan, const std::vector<std::string>& command) {
    ScriptOptions options;
    options.command.arguments = command;
    const auto document = shell_scripts(plan, options);
    INFO(document.status().ToString());
    REQUIRE(document.ok());
    return document->limits;
}

/// What an account says of a plan: which limits it has rows for, `none` of resources left out.
std::set<std::string> limits_named(const std::vector<KeptLimit>& rows) {
    std::set<std::string> named;
    for (const KeptLimit& row : rows) {
        if (row.limit != "-") named.insert(row.resource + " " + row.limit);
    }
    return named;
}

/// The base has what the plain fields of a user and a warning are compared with.
void check_rows(const std::vector<FieldRow>& rows, const Plan& base) {
    using Account = std::function<std::vector<KeptLimit>(const Plan&)>;
    const std::vector<std::pair<const char*, Account>> accounts = {
        {"systemd", systemd_rows},
        {"shell", [](const Plan& plan) { return shell_rows(plan, {"true"}); }},
        {"prolog", [](const Plan& plan) { return shell_rows(plan, {}); }},
    };
    for (const auto& [name, account] : accounts) {
        const std::set<std::string> without = limits_named(account(base));
        for (const FieldRow& row : rows) {
            INFO(name << ": " << row.field);
            CHECK((row.set != nullptr) == std::string_view(row.why).empty());
            if (!row.set) continue;
            Plan plan = base;
            row.set(plan);
            const std::set<std::string> with = limits_named(account(plan));
            CHECK(std::any_of(with.begin(), with.end(),
                              [&](const auto& one) { return !without.contains(one); }));
        }
    }
}

}  // namespace

TEST_CASE("container: systemd and the shell say of each field of a plan what becomes of it",
          "[dialect][container]") {
    Plan base;
    base.group = "job_7";
    SECTION("the plan") {
        CHECK(names_of_rows(plan_rows()) == names_of_fields<Plan>());
        check_rows(plan_rows(), base);
    }
    SECTION("its steps") {
        std::vector<std::string_view> kinds;
        for_each_alternative<Step::Action>(
            [&](auto type) { kinds.push_back(decltype(type)::type::kind); });
        CHECK(names_of_rows(step_kind_rows()) == kinds);
        check_rows(step_kind_rows(), base);
    }
    SECTION("its processes") {
        CHECK(names_of_rows(process_rows()) == names_of_fields<ProcessSettings>());
        check_rows(process_rows(), base);
    }
    SECTION("their user") {
        base.process.user = ProcessUser{};
        CHECK(names_of_rows(user_rows()) == names_of_fields<ProcessUser>());
        check_rows(user_rows(), base);
    }
    SECTION("its end") {
        CHECK(names_of_rows(end_rows()) == names_of_fields<EndPolicy>());
        check_rows(end_rows(), base);
    }
    SECTION("the warning before") {
        base.end.time_limit = Seconds(60);
        base.end.warning = EndPolicy::Warning{};
        CHECK(names_of_rows(warning_rows()) == names_of_fields<EndPolicy::Warning>());
        check_rows(warning_rows(), base);
    }
}

TEST_CASE("shell_scripts: a prolog names the variables that no process gets",
          "[dialect][container]") {
    Plan plan;
    plan.group = "job_7";
    plan.process.environment = {{"TOKEN", "hunter2"}, {"a.b", "x"}};
    std::set<std::string> named = limits_named(losses(shell_rows(plan, {})));
    CHECK(named.contains("environment \"TOKEN\""));
    CHECK(named.contains("environment \"a.b\""));
}

}  // namespace trestle::container
