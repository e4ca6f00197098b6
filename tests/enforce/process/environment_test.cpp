// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/process/environment.hpp"

#include <string>
#include <vector>

#include "enforce/process/environment_words.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"

namespace {

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

constexpr const char* canary_text = "canary-7f3a";
constexpr const char* canary_digest = "sha256:59fb5173e179";

EnvironmentVariable::Value by_digest(const std::string& digest) {
    return EnvironmentVariable::Value::of_digest(digest).value();
}

TEST_CASE("EnvironmentValue: a secret is a digest in every form", "[enforce][process]") {
    const EnvironmentVariable::Value secret = canary_text;
    CHECK(secret.is_secret());
    CHECK(secret.is_known());
    CHECK(secret.reveal() == canary_text);
    CHECK(secret.digest() == canary_digest);
    CHECK(to_text(secret) == canary_digest);
    CHECK(fmt::format("{}", secret) == canary_digest);
    const EnvironmentVariable variable{"TOKEN", canary_text};
    CHECK(to_text(variable) == std::string("{name=TOKEN, value=") + canary_digest + "}");
    CHECK(to_text(shown_variable("A", "b")) == "{name=A, value=b}");
}

TEST_CASE("EnvironmentValue: equal by text, by digest where one has no text",
          "[enforce][process]") {
    struct Row {
        EnvironmentVariable::Value a;
        EnvironmentVariable::Value b;
        bool is_equal;
        const char* why;
    };
    const EnvironmentVariable::Value secret = canary_text;
    const Row rows[] = {
        {secret, canary_text, true, "the same secret"},
        {secret, "other", false, "another secret"},
        {secret, by_digest(canary_digest), true, "a secret and its digest"},
        {by_digest(canary_digest), by_digest(canary_digest), true, "two digests"},
        {by_digest(canary_digest), by_digest("sha256:000000000000"), false, "other digests"},
        {secret, canary_digest, false, "a secret whose text is the digest"},
        {secret, EnvironmentVariable::Value::shown(canary_text), false, "the one may be shown"},
        {EnvironmentVariable::Value::shown("a"), EnvironmentVariable::Value::shown("a"), true,
         "both shown"},
        {EnvironmentVariable::Value(), "", true, "the default is an empty secret"},
        {EnvironmentVariable::Value(), EnvironmentVariable::Value::shown(""), false,
         "empty, and shown"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK((row.a == row.b) == row.is_equal);
        CHECK((row.b == row.a) == row.is_equal);
        CHECK((hash_of(row.a) == hash_of(row.b)) == row.is_equal);
    }
}

TEST_CASE("EnvironmentValue: what is no digest is refused and not repeated", "[enforce][process]") {
    for (const char* text :
         {"", "sha256:", "sha256:59FB5173E179", "sha256:59fb5173e17", canary_text,
          "sha256:59fb5173e179a", "59fb5173e179", "sha256:canary-7f3a1"}) {
        INFO(text);
        const auto value = EnvironmentVariable::Value::of_digest(text);
        CHECK(value.status().code() == StatusCode::kInvalidArgument);
        CHECK(std::string(message(value.status())) ==
              "digest of a value: expected sha256: and 12 hexadecimal digits");
    }
    const EnvironmentVariable::Value known = by_digest(canary_digest);
    CHECK_FALSE(known.is_known());
    CHECK(known.is_secret());
    CHECK(known.digest() == canary_digest);
    CHECK(broken_contract([&] { (void)known.reveal(); }) != "");
}

TEST_CASE("check_known: names the variable without a value", "[enforce][process]") {
    std::vector<EnvironmentVariable> variables = {{"A", "b"}, shown_variable("B", "c")};
    CHECK(check_known(variables) == Status());
    CHECK(revealed_words(variables) == std::vector<std::string>{"A=b", "B=c"});
    variables.push_back({"TOKEN", by_digest(canary_digest)});
    const Status status = check_known(variables);
    CHECK(status.code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(std::string(message(status)),
               ContainsSubstring("TOKEN") && ContainsSubstring(canary_digest));
    CHECK(check_known({}) == Status());
}

}  // namespace
