// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/process/settings.hpp"

#include <limits>
#include <string>
#include <vector>

#include "enforce/process/environment_words.hpp"
#include "enforce/process/settings_lines.hpp"
#include "support/catch.hpp"

namespace {

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<ProcessUser> && lists_all_fields<MemoryPolicy> &&
              lists_all_fields<ProcessSettings>);
static_assert(static_cast<int>(ProcessUser::Capability::setfcap) == 31);
static_assert(static_cast<int>(ProcessUser::Capability::checkpoint_restore) == 40);

TEST_CASE("ProcessSettings: one line for each", "[enforce][process]") {
    ProcessSettings settings;
    CHECK(settings_lines(settings).empty());
    settings.affinity = PuSet::range({0, 4});
    settings.environment = {shown_variable("A", "b")};
    settings.limits = {{ProcessSettings::Limit::Resource::nofile, 1024, 4096},
                       {ProcessSettings::Limit::Resource::core, 0, 0}};
    settings.user = ProcessUser{1000, 100, {4, 27}, {}, true};
    settings.nice = 5;
    settings.oom_score_adj = 500;
    settings.memory_policy = MemoryPolicy{MemoryPolicy::Mode::bind, PuSet::range({0, 2})};
    settings.umask = 027;
    settings.keeps_session = true;
    CHECK(settings_lines(settings) ==
          std::vector<std::string>{
              "process session that of the embedder", "process nice 5", "process oom_score_adj 500",
              "process affinity 0-3", "process memory policy bind 0-1", "process umask 0027",
              "process environment A=b", "process limit nofile soft=1024 hard=4096 per process",
              "process limit core soft=0 hard=0",
              "process user uid=1000 gid=100 groups=4,27 no_new_privs"});
    settings.user = ProcessUser{};
    CHECK(to_text(*settings.user) == "uid=0 gid=0 groups=none capabilities=none no_new_privs");
    settings.user->capabilities = {ProcessUser::Capability::net_raw, ProcessUser::Capability::kill};
    settings.user->no_new_privs = false;
    CHECK(to_text(*settings.user) == "uid=0 gid=0 groups=none capabilities=CAP_NET_RAW,CAP_KILL");
    CHECK(to_text(MemoryPolicy{MemoryPolicy::Mode::local, {}}) == "local");
}

TEST_CASE("ProcessSettings: what no kernel takes is refused by name", "[enforce][process]") {
    struct Row {
        void (*change)(ProcessSettings&);
        const char* says;  ///< empty: it is fine
    };
    using S = ProcessSettings;
    constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();
    static const auto nodes = PuSet::of({OsIndex(0), OsIndex(3)});
    const Row rows[] = {
        {[](S&) {}, ""},
        {[](S& s) { s.nice = 19; }, ""},
        {[](S& s) { s.nice = 20; }, "nice: 20, expected -20 to 19"},
        {[](S& s) { s.nice = -20; }, ""},
        {[](S& s) { s.nice = -21; }, "nice: -21"},
        {[](S& s) { s.oom_score_adj = 1000; }, ""},
        {[](S& s) { s.oom_score_adj = 1001; }, "oom_score_adj: 1001, expected -1000 to 1000"},
        {[](S& s) { s.oom_score_adj = -1001; }, "oom_score_adj: -1001"},
        {[](S& s) { s.umask = 0777; }, ""},
        {[](S& s) { s.umask = 01000; }, "umask: 01000, expected 0 to 0777"},
        {[](S& s) { s.memory_policy = MemoryPolicy{}; }, ""},
        {[](S& s) {
             s.memory_policy = MemoryPolicy{MemoryPolicy::Mode::bind, nodes};
         },
         ""},
        {[](S& s) {
             s.memory_policy = MemoryPolicy{MemoryPolicy::Mode::bind, {}};
         },
         "memory policy bind: expected 1 node or more"},
        {[](S& s) {
             s.memory_policy = MemoryPolicy{MemoryPolicy::Mode::local, nodes};
         },
         "memory policy local 0,3: expected no nodes"},
        {[](S& s) {
             s.memory_policy = MemoryPolicy{MemoryPolicy::Mode::standard, nodes};
         },
         "memory policy default 0,3"},
        {[](S& s) {
             s.memory_policy =
                 MemoryPolicy{MemoryPolicy::Mode::interleave, PuSet::of({OsIndex(1024)})};
         },
         "node 1024, expected 0-1023"},
        {[](S& s) {
             s.limits = {{ProcessSettings::Limit::Resource::core, 2, 1}};
         },
         "limit core soft=2 hard=1"},
        {[](S& s) {
             s.limits = {{ProcessSettings::Limit::Resource::core, {}, 1}};
         },
         "soft=unlimited hard=1"},
        {[](S& s) {
             s.limits = {{ProcessSettings::Limit::Resource::core, 2, {}}};
         },
         ""},
        {[](S& s) {
             s.limits = {{ProcessSettings::Limit::Resource::as, 1, 1},
                         {ProcessSettings::Limit::Resource::as, 1, 1}};
         },
         "limit as: it stands twice"},
        {[](S& s) { s.user = ProcessUser{}; }, ""},
        {[](S& s) {
             s.user = ProcessUser{nobody, 0};
         },
         "user: uid 4294967295"},
        {[](S& s) {
             s.user = ProcessUser{0, nobody};
         },
         "user: gid 4294967295"},
        {[](S& s) {
             s.user = ProcessUser{0, 0, {nobody}};
         },
         "supplementary group 4294967295"},
        {[](S& s) {
             s.user = ProcessUser{0, 0, {7, 8, 7}};
         },
         "supplementary group 7 stands twice"},
        {[](S& s) {
             s.user = ProcessUser{0, 0, std::vector<std::uint32_t>(65537)};
         },
         "65537 supplementary groups"},
        {[](S& s) {
             s.user = ProcessUser{};
             s.user->capabilities = {ProcessUser::Capability::kill, ProcessUser::Capability::kill};
         },
         "CAP_KILL stands twice"},
        {[](S& s) {
             s.environment = {{"A=x", "b"}};
         },
         "environment: the name \"A\""},
    };
    for (const Row& row : rows) {
        INFO(row.says);
        ProcessSettings settings;
        row.change(settings);
        const Status status = check(settings);
        const bool is_fine = *row.says == '\0';
        CHECK(status.code() == (is_fine ? StatusCode::kOk : StatusCode::kInvalidArgument));
        CHECK_THAT(std::string(message(status)), ContainsSubstring(row.says));
    }
}

}  // namespace
