// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/features.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/arbitrary.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

using FeatureNames = std::vector<std::string>;

TEST_CASE("FeatureExpression: met by the nodes it describes", "[model]") {
    struct Row {
        const char* expression;
        FeatureNames met;      ///< each a set of features, names joined by blanks
        FeatureNames not_met;  ///< the same
        const char* why;
    };
    const Row rows[] = {
        {"", {"", "a", "a b"}, {}, "nothing is asked"},
        {"a", {"a", "b a"}, {"", "b", "A", "aa"}, "names are compared as they are"},
        {"!a", {"", "b"}, {"a", "a b"}, "not"},
        {"a&b", {"a b", "b c a"}, {"", "a", "b"}, "and"},
        {"a|b", {"a", "b", "a b"}, {"", "c"}, "or"},
        {"a&b|c", {"a b", "c"}, {"a", "b"}, "and binds before or"},
        {"a|b&c", {"a", "b c"}, {"b", "c"}, "on either side"},
        {"(a|b)&c", {"a c", "b c"}, {"a b", "c"}, "parentheses"},
        {"!a&b", {"b"}, {"a b", "", "a"}, "not binds before and"},
        {"!(a&b)", {"", "a", "b"}, {"a b"}, "not of a group"},
        {"!(a|b)", {"", "c"}, {"a", "b", "a b"}, "neither"},
        {"a&(b|!c)", {"a", "a b c"}, {"a c", "b"}, "all three"},
    };
    const auto split = [](const std::string& text) {
        FeatureNames names;
        for (TextCursor cursor(text); cursor.skip_blanks(), !cursor.at_end();) {
            names.emplace_back(cursor.take_until(" "));
        }
        return names;
    };
    for (const Row& row : rows) {
        INFO(row.why << ": " << row.expression);
        const auto expression = FeatureExpression::parse(row.expression);
        REQUIRE(expression.ok());
        CHECK(to_text(*expression) == row.expression);
        for (const std::string& node : row.met) CHECK(matches(*expression, split(node)));
        for (const std::string& node : row.not_met) CHECK_FALSE(matches(*expression, split(node)));
    }
}

TEST_CASE("FeatureExpression: the names in it", "[model]") {
    using Names = std::vector<std::string>;
    CHECK(FeatureExpression().names().empty());
    CHECK(FeatureExpression::parse("a & (b | !a) & \"c d\"")->names() ==
          Names{"a", "b", "a", "c d"});
}

TEST_CASE("FeatureExpression: made of names, of lists, of operators", "[model]") {
    const FeatureExpression a = feature("a");
    const FeatureExpression b = feature("b");
    const FeatureExpression c = feature("c");
    const FeatureExpression none;
    CHECK(FeatureExpression{"a", "b"} == (a & b));
    CHECK(FeatureExpression(FeatureNames{"a", "b", "c"}) == (a & b & c));
    CHECK(FeatureExpression(FeatureNames{}) == none);
    CHECK(none.is_empty());
    CHECK((none & a) == a);
    CHECK((a & none) == a);
    CHECK((none | a) == none);
    CHECK((a | none) == none);
    CHECK((a & (b & c)) == (a & b & c));
    CHECK((a | (b | c)) == (a | b | c));
    CHECK((!!a) == a);
    CHECK((!!(a & b)) == (a & b));
    CHECK((a & b) != (a | b));
    CHECK((a & b) != (b & a));
    CHECK((a & (b | c)) != (a & b & c));
    CHECK(broken_contract([&] { static_cast<void>(!none); }) ==
          "what every node meets is not negated");
}

TEST_CASE("parse_features: what is allowed is read", "[model]") {
    struct Row {
        const char* text;
        const char* again;
        const char* why;
    };
    const Row rows[] = {
        {"  ", "", "blank"},
        {" a & ( b | ! c ) ", "a&(b|!c)", "blanks"},
        {"((a))", "a", "parentheses that say nothing"},
        {"(a&b)&c", "a&b&c", "lists are merged"},
        {"a|(b&c)", "a|b&c", "parentheses that say what binds anyhow"},
        {"!!a", "a", "twice not"},
        {"!!!(a|b)", "!(a|b)", "three times not"},
        {"\"a\"", "a", "quotes without need"},
        {"\"a b\"|\"\"", "\"a b\"|\"\"", "names that need them"},
        {R"("say \"hi\"\\")", R"("say \"hi\"\\")", "quotes and backslashes"},
        {"rack-1.x@y/z:2", "rack-1.x@y/z:2", "other characters need none"},
        {"\xc3\xa9", "\xc3\xa9", "nor do letters beyond ASCII"},
    };
    for (const Row& row : rows) {
        INFO(row.why << ": " << row.text);
        const auto expression = FeatureExpression::parse(row.text);
        REQUIRE(message(expression.status()) == "");
        CHECK(to_text(*expression) == row.again);
    }
}

TEST_CASE("parse_features: what is malformed is named", "[model]") {
    struct Row {
        std::string text;
        const char* error;
        const char* why;
    };
    const Row rows[] = {
        {"&", "at offset 0 (\"&\"): expected a feature, ! or (", "no left side"},
        {"a&", "at offset 2 (end of text): expected a feature, ! or (", "no right side"},
        {"a|&b", "at offset 2 (\"&b\"): expected a feature, ! or (", "two operators"},
        {"!", "at offset 1 (end of text): expected a feature, ! or (", "not what"},
        {"a b", "at offset 2 (\"b\"): expected &, | or the end", "no operator"},
        {"a,b", "at offset 1 (\",\"): expected &, | or the end", "a list is no expression"},
        {"a*2", "at offset 1 (\"*2\"): expected &, | or the end", "a count is no expression"},
        {"a)", "at offset 1 (\")\"): expected &, | or the end", "a group that never began"},
        {"(a", "at offset 2 (end of text): expected &, | or )", "a group that never ends"},
        {"()", "at offset 1 (\")\"): expected a feature, ! or (", "an empty group"},
        {"\"a", "at offset 2 (end of text): expected a quote", "a name that never ends"},
        {"\"a\\", "at offset 3 (end of text): expected a quote", "nor this"},
        {std::string(65, '(') + "a", "expected at most 64 parentheses inside each other",
         "text is not to exhaust the stack"},
    };
    for (const Row& row : rows) {
        INFO(row.why << ": " << row.text);
        const auto expression = FeatureExpression::parse(row.text);
        CHECK(expression.status().code() == StatusCode::kInvalidArgument);
        const std::string error(message(expression.status()));
        INFO(error);
        CHECK(error.starts_with("features: malformed feature expression "));
        CHECK(error.ends_with(row.error));
    }
    CHECK(FeatureExpression::parse(std::string(64, '(') + "a" + std::string(64, ')')).ok());
    CHECK(FeatureExpression::parse(std::string(100000, '!') + "a").ok());
}

TEST_CASE("FeatureExpression: any one comes back from its text", "[model][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), 2000}, [](testing::Choices& choices) {
        const auto expression = testing::arbitrary<FeatureExpression>(choices);
        const std::string text = to_text(expression);
        INFO(text);
        const auto back = FeatureExpression::parse(text);
        REQUIRE(message(back.status()) == "");
        REQUIRE(*back == expression);
        REQUIRE(to_text(*back) == text);
    });
}

/// An expression beside the set of all nodes that meet it: bit n of `met` is about the node that
/// has feature i exactly when bit i of n is 1.
struct KnownExpression {
    FeatureExpression expression;
    std::uint32_t met = 0;
};

constexpr unsigned known_features = 4;

KnownExpression any_known_expression(testing::Choices& choices, int depth) {
    const std::uint64_t kind = depth == 0 ? 0 : choices.below(4);
    if (kind == 0) {
        const auto i = static_cast<unsigned>(choices.below(known_features));
        KnownExpression made{feature(std::string(1, static_cast<char>('a' + i)))};
        for (unsigned node = 0; node < 1u << known_features; ++node) {
            if ((node >> i & 1u) != 0) made.met |= 1u << node;
        }
        return made;
    }
    KnownExpression left = any_known_expression(choices, depth - 1);
    if (kind == 1) return {!std::move(left.expression), ~left.met & 0xffffu};
    KnownExpression right = any_known_expression(choices, depth - 1);
    if (kind == 2) return {left.expression & right.expression, left.met & right.met};
    return {left.expression | right.expression, left.met | right.met};
}

TEST_CASE("FeatureExpression: operators are those of sets of nodes", "[model][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), 1000}, [](testing::Choices& choices) {
        const KnownExpression known = any_known_expression(choices, 4);
        INFO(to_text(known.expression));
        for (unsigned node = 0; node < 1u << known_features; ++node) {
            FeatureNames features;
            for (unsigned i = 0; i < known_features; ++i) {
                if ((node >> i & 1u) != 0) features.emplace_back(1, static_cast<char>('a' + i));
            }
            INFO("node " << node);
            REQUIRE(matches(known.expression, features) == ((known.met >> node & 1u) != 0));
        }
    });
}

}  // namespace
}  // namespace trestle
