// SPDX-License-Identifier: Apache-2.0
// A canary that is handed in as a variable does not come out of anything but the process itself.
#include <string>
#include <vector>

#include "enforce/process/environment_words.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/container/docker.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/enforce/enforcer.hpp"
#include "trestle/enforce/explain_limits.hpp"
#include "trestle/enforce/memory_enforcer.hpp"
#include "trestle/enforce/plan.hpp"
#include "trestle/testing/node_text.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle::json {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr const char* secret_word = "canary-7f3a";
const std::string secret_digest = EnvironmentVariable::Value(secret_word).digest();

Plan plan_with_secret() {
    const Node node = testing::node_from_text("2s4c mem=16G gpu:2").value();
    NodePlacement placement;
    placement.cores = CoreSet::range({0, 2});
    placement.memory = {{DomainId(0), gib(4)}};
    placement.devices = {{DeviceId(1), Count(1)}};
    PlanOptions options;
    options.group = "job_1";
    options.environment = {{"TOKEN", secret_word}, shown_variable("MODE", "fast")};
    return plan(node, placement, Request{}, LimitPolicy{}, options).value();
}

TEST_CASE("secrets: no text of a plan has one", "[json][secret]") {
    const Plan plan = plan_with_secret();
    Command command{{"sh"}, {{"TOKEN", secret_word}}, ""};
    MemoryEnforcer enforcer;
    std::vector<std::string> texts = {to_text(plan),
                                      fmt::format("{}", plan),
                                      to_json_text(plan),
                                      to_json_text(plan, Layout::indented),
                                      to_text(plan.process),
                                      fmt::format("{}", plan.process),
                                      to_text(command),
                                      to_json_text(command),
                                      to_text(plan.process.environment.back())};
    const auto applied = enforcer.apply(plan, [&](const TraceEvent& event) {
        texts.push_back(to_text(event) + to_json_text(event));
    });
    REQUIRE(applied.ok());
    REQUIRE(enforcer.spawn(plan, command).ok());
    for (const std::string& call : enforcer.calls()) texts.push_back(call);
    for (const std::string& text : texts) {
        INFO(text);
        CHECK(text.find(secret_word) == std::string::npos);
    }
    CHECK_THAT(to_text(plan),
               ContainsSubstring("process environment TOKEN=" + secret_digest + "\n"));
    CHECK_THAT(to_text(plan), ContainsSubstring("process environment MODE=fast\n"));
    CHECK_THAT(to_json_text(plan),
               ContainsSubstring(R"({"name":"TOKEN","value":{"digest":")" + secret_digest) &&
                   ContainsSubstring(R"({"name":"MODE","value":"fast"})"));
}

TEST_CASE("secrets: no error has one", "[json][secret]") {
    const std::string bad = std::string(secret_word) + '\0';
    const std::vector<EnvironmentVariable> variables[] = {
        {{"A", bad}},
        {{std::string("A=") + secret_word, "x"}},
        {{std::string("A\0", 2) + secret_word, "x"}},
    };
    for (const auto& environment : variables) {
        const Node node = testing::node_from_text("2s4c mem=16G").value();
        NodePlacement placement;
        placement.cores = CoreSet::range({0, 2});
        PlanOptions options;
        options.group = "job_1";
        options.environment = environment;
        const Status status = plan(node, placement, Request{}, LimitPolicy{}, options).status();
        INFO(status.ToString());
        CHECK(status.code() == StatusCode::kInvalidArgument);
        CHECK(status.ToString().find(secret_word) == std::string::npos);
    }
    const std::string documents[] = {
        R"({"name":"A","value":{"digest":"canary-7f3a"}})",
        R"({"name":"A","value":{"other":"canary-7f3a"}})",
        R"({"name":"A","value":{"secret":["canary-7f3a"]}})",
        R"({"name":"A","value":{"secret":"canary-7f3a","x":1}})",
        R"({"name":"A","value":["canary-7f3a"]})",
    };
    for (const std::string& document : documents) {
        const Status status = from_json_text<EnvironmentVariable>(document).status();
        INFO(status.ToString());
        CHECK(status.code() == StatusCode::kInvalidArgument);
        CHECK(status.ToString().find(secret_word) == std::string::npos);
    }
}

TEST_CASE("secrets: a plan that was stored is equal, and starts nothing", "[json][secret]") {
    const Plan plan = plan_with_secret();
    const Plan back = from_json_text<Plan>(to_json_text(plan)).value();
    CHECK(back == plan);
    CHECK(to_json_text(back) == to_json_text(plan));
    CHECK(to_text(back) == to_text(plan));
    CHECK(hash_of(back) == hash_of(plan));
    MemoryEnforcer enforcer;
    REQUIRE(enforcer.apply(back).ok());
    const Status refused = enforcer.spawn(back, {{"sh"}, {}, ""}).status();
    CHECK(refused.code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(std::string(message(refused)), ContainsSubstring("TOKEN"));
    CHECK(enforcer.recover().value() == std::vector<GroupState>{{"job_1", {}, OwnerId(0)}});
    const Status no_document = container::docker_container(back, {}).status();
    CHECK(no_document.code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(std::string(message(no_document)),
               ContainsSubstring("TOKEN") && ContainsSubstring("plan job_1"));
}

TEST_CASE("secrets: a document may bring one in, and a container gets it", "[json][secret]") {
    const auto read =
        from_json_text<EnvironmentVariable>(R"({"name":"TOKEN","value":{"secret":"canary-7f3a"}})");
    REQUIRE(read.ok());
    CHECK(*read == EnvironmentVariable{"TOKEN", secret_word});
    CHECK(read->value.is_known());
    const auto document = container::docker_container(plan_with_secret(), {});
    REQUIRE(document.ok());
    const auto& words = document->content.env;
    CHECK(std::count(words.begin(), words.end(), std::string("TOKEN=") + secret_word) == 1);
}

}  // namespace
}  // namespace trestle::json
