// SPDX-License-Identifier: Apache-2.0
// Policies as expressions: what is read, what is refused with which words, and what comes out.
#include "trestle/alloc/cluster/place/score_expression.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

/// For one GPU of a node with 2 cores, 4 GiB and 3 GPUs, one of which is taken.
double value_of(const std::string& text) {
    static const Cluster cluster = [] {
        Cluster made = *testing::cluster_from_text("(4c mem=4G gpu:3)");
        NodePlacement part;
        part.cores = CoreSet::range({0, 2});
        part.devices = {{DeviceId(0), Count(1)}};
        REQUIRE(made.adopt(OwnerId(1), {{part}, {}}).ok());
        return made;
    }();
    const ScoreExpression expression = *ScoreExpression::parse(text);
    double value = 0;
    Placer placer({}, [&](const ScoreInput& input) -> Score {
        value = expression.score(input);
        return {};
    });
    Request request;
    request.memory = Range<Bytes>::exactly(gib(1));
    request.devices = {DeviceRequest()};
    REQUIRE(placer.place(cluster, request));
    return value;
}

std::string error_of(const std::string& text) {
    const auto read = ScoreExpression::read(text);
    return read ? "" : to_text(read.error());
}

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("score expression: what it is worth") {
    struct Row {
        std::string text;
        double value;
        std::string why;
    };
    const double gibibyte = 1 << 30;
    for (const Row& row : std::vector<Row>{
             {"milli_cpus_before", 2000, "of threads that are free"},
             {"milli_cpus_after", 1000, "without those of the part"},
             {"memory_before", 4 * gibibyte, "in bytes"},
             {"memory_after", 3 * gibibyte, ""},
             {"devices_before", 2000, "in thousandths"},
             {"devices_after", 1000, ""},
             {"is_idle", 0, "a node with an owner"},
             {"min(each_device_before)", 0, "the device that is taken"},
             {"max(each_device_after)", 1000, ""},
             {"sum(each_device_after)", 1000, ""},
             {"-devices_after + 0.1*milli_cpus_before", -800, "operators as in Python"},
             {"2 + 3 * 4", 14, "products before sums"},
             {"(2 + 3) * 4", 20, ""},
             {"10 - 3 - 2", 5, "from left to right"},
             {"8 / 4 / 2", 1, ""},
             {"2 ** 3 ** 2", 512, "powers from right to left"},
             {"-2 ** 2", -4, "powers before signs"},
             {"2 ** -1", 0.5, ""},
             {"--1", 1, ""},
             {"+1", 1, ""},
             {"7 // 2", 3, "rounded down"},
             {"-7 // 2", -4, ""},
             {"-7 % 3", 2, "with the sign of the right side"},
             {"7 % -3", -2, ""},
             {"1 < 2", 1, ""},
             {"2 <= 1", 0, ""},
             {"1 != 2", 1, ""},
             {"1 == 2 or 2 >= 2", 1, "comparisons before or"},
             {"not 1 == 2 and 3 > 2", 1, ""},
             {"0 or 7", 1, "a truth is 1"},
             {"5 if is_idle else devices_after", 1000, ""},
             {"1 if 0 else 2 if 0 else 3", 3, "conditions from right to left"},
             {"min(3, 1, 2) + max(3, 1, 2) + sum(3, 1, 2)", 10, "of values"},
             {"abs(-3) + sqrt(16) + exp(0) + log(1) + floor(-0.5)", 7, ""},
             {"1 / 0", infinity, "a division by zero"},
             {"-1 / 0", -infinity, ""},
             {"1 // 0", infinity, ""},
             {" \n\t(1)\n ", 1, "blanks"},
             {"1e3 + .5 + 2.", 1002.5, "numbers"},
         }) {
        INFO(row.text << " " << row.why);
        CHECK(value_of(row.text) == row.value);
    }
    for (const char* const text : {"0 / 0", "1 % 0", "log(-1)", "sqrt(-1)", "min(1, 0 / 0)",
                                   "max(0 / 0, 1)", "(1 / 0) - 1 / 0", "(-1) ** 0.5"}) {
        INFO(text);
        CHECK(std::isnan(value_of(text)));
    }
}

TEST_CASE("score expression: what is wrong is said with its place") {
    struct Row {
        std::string text;
        std::string error;
    };
    const std::string value = "expected a number, a column, a function, -, not or (";
    const std::string columns =
        "expected one of milli_cpus_before, milli_cpus_after, memory_before, memory_after, "
        "devices_before, devices_after, is_idle";
    const std::string functions = "expected one of abs, sqrt, exp, log, floor, min, max, sum";
    for (const Row& row : std::vector<Row>{
             {"", "malformed expression at offset 0 (end of text): " + value},
             {"  ", "malformed expression at offset 2 (end of text): " + value},
             {"-devices_after +", "malformed expression at offset 16 (end of text): " + value},
             {"1 + devices_aftr", "unknown column at offset 4 (\"devices_aftr\"): " + columns +
                                      "; the nearest is devices_after"},
             {"x", "unknown column at offset 0 (\"x\"): " + columns},
             {"True", "unknown column at offset 0 (\"True\"): " + columns},
             {"each_device_after",
              "table without a function at offset 0 (\"each_device_after\"): "
              "expected it inside of min, max or sum"},
             {"min(each_device_after, 1)",
              "table without a function at offset 4 (\"each_device_after\"): "
              "expected it inside of min, max or sum"},
             {"2 * min(devices_after)",
              "function of one value at offset 4 (\"min\"): expected two or more, or "
              "each_device_before or each_device_after"},
             {"sqrt(1, 2)", "too many arguments at offset 6 (\",\"): expected one of a sqrt"},
             {"mim(1, 2)",
              "unknown function at offset 0 (\"mim\"): " + functions + "; the nearest is min"},
             {"__import__('os')", "unknown function at offset 0 (\"__import__\"): " + functions},
             {"devices_after.sum()",
              "malformed expression at offset 13 (\".sum()\"): expected an operator or the end"},
             {"[1][0]", "malformed expression at offset 0 (\"[1][0]\"): " + value},
             {"1j", "malformed number at offset 0 (\"1j\"): expected a number as 2, 0.5 or 1e-3"},
             {"1e999",
              "malformed number at offset 0 (\"1e999\"): expected a number as 2, 0.5 or 1e-3"},
             {".", "malformed number at offset 0 (\".\"): expected a number as 2, 0.5 or 1e-3"},
             {"1 < 2 < 3",
              "malformed expression at offset 6 (\"<\"): expected and between two comparisons"},
             {"(1 + 2",
              "unbalanced parenthesis at offset 6 (end of text): "
              "expected ) for the ( at offset 0"},
             {"(1 2)",
              "malformed expression at offset 3 (\"2)\"): "
              "expected an operator, or ) for the ( at offset 0"},
             {"1 + 2)",
              "unbalanced parenthesis at offset 5 (\")\"): expected no ), since no ( is open"},
             {"1 if 2", "malformed expression at offset 6 (end of text): expected else behind if"},
             {"if", "malformed expression at offset 0 (\"if\"): " + value},
             {"1 $ 2", "malformed expression at offset 2 (\"$\"): expected an operator or the end"},
             {std::string("1\0", 2),
              "malformed expression at offset 1 (\"\\x00\"): expected an operator or the end"},
             {std::string(10'001, '1'),
              "expression of 10001 characters at offset 10000 (\"1\"): expected at most 10000"},
         }) {
        INFO(row.text.substr(0, 80));
        CHECK(error_of(row.text) == row.error);
    }
    CHECK(message(ScoreExpression::parse("(").status()).substr(0, 12) == "expression: ");
}

TEST_CASE("score expression: texts that go deep are refused, long ones are not") {
    const auto repeated = [](const std::string& piece, std::size_t count, const std::string& end) {
        std::string text;
        for (std::size_t i = 0; i < count; ++i) text += piece;
        return text + end;
    };
    for (const char* const piece : {"-", "+", "(", "not ", "abs(", "1 if 1 else ", "2**", "min(1, ",
                                    "-(", "1 if (", "not not "}) {
        INFO(piece);
        const std::string error = error_of(repeated(piece, 600, "1"));
        CHECK(error.find("expected at most 100 levels") != std::string::npos);
    }
    CHECK(value_of(repeated("(", 90, "1") + repeated(")", 90, "")) == 1);
    CHECK(value_of(repeated("1+", 4'999, "1")) == 5'000);
    CHECK(value_of("sum(" + repeated("1, ", 3'000, "1)")) == 3'001);
}

TEST_CASE("score expression: where it is known to be a number") {
    struct Row {
        std::string text;
        bool is_sure;
    };
    for (const Row& row : std::vector<Row>{
             {"-devices_after + 0.1 * milli_cpus_before", true},
             {"max(each_device_after) - min(each_device_before)", true},
             {"min(each_device_after) - min(each_device_before)", false},  // infinity less infinity
             {"0 * min(each_device_after)", false},
             {"devices_after / 1000 // 3 % 7", true},
             {"1 / devices_after", false},
             {"devices_after % 0", false},
             {"sqrt(devices_after) + exp(-is_idle)", true},
             {"sqrt(-devices_after)", false},
             {"log(devices_after)", true},  // less infinity at 0
             {"log(devices_after) - log(memory_after)", false},
             {"(devices_after - 5) ** 2", true},
             {"(devices_after - 5) ** 0.5", false},
             {"devices_after ** 0.5", true},
             {"memory_after ** 60 - memory_before ** 60", false},
             {"log(-1) > 0 or not log(-1)", true},
             {"1 if log(-1) else 2", true},
             {"log(-1) if 0 else 2", false},
         }) {
        INFO(row.text);
        CHECK(ScoreExpression::parse(row.text)->is_always_number() == row.is_sure);
    }
}

TEST_CASE("score expression: equal when written alike, and read back") {
    const auto a = *ScoreExpression::parse(" -devices_after  +\n1 ");
    CHECK(to_text(a) == "-devices_after + 1");
    CHECK(*ScoreExpression::parse(to_text(a)) == a);
    CHECK(hash_of(a) == hash_of(*ScoreExpression::parse("-devices_after + 1")));
    CHECK_FALSE(a == *ScoreExpression::parse("1 - devices_after"));
}

TEST_CASE("node policy: a name or an expression") {
    CHECK(NodePolicy() == Policy::first_fit);
    for (const auto& one : enum_names(Policy())) {
        const NodePolicy policy = *NodePolicy::parse(" " + std::string(one.name));
        CHECK(policy == one.value);
        CHECK(policy.name() == one.value);
        CHECK_FALSE(policy.expression());
        CHECK(to_text(policy) == one.name);
        CHECK_FALSE(ScoreExpression::parse(one.name).ok());  // no column is called so
    }
    const NodePolicy policy = *NodePolicy::parse("-devices_after");
    CHECK(policy == *ScoreExpression::parse("-devices_after"));
    CHECK(policy != Policy::first_fit);
    CHECK_FALSE(policy.name());
    CHECK(to_text(policy) == "-devices_after");
    CHECK(hash_of(policy) != hash_of(NodePolicy()));
    for (const char* const name : {"best_fitt", " best-fit"}) {
        const auto error = to_text(NodePolicy::read(name).error());
        CHECK(error.starts_with("unknown policy at offset "));
        CHECK(
            error.ends_with("packing, clustering, fgd, future_fit, random, or an expression "
                            "as -devices_after; the nearest is best_fit"));
        CHECK(error.size() < 250);
    }
    CHECK(to_text(NodePolicy::read("-devices_aftr").error())
              .starts_with("unknown column at offset 1 (\"devices_aftr\"): expected one of milli"));
    CHECK(message(NodePolicy::parse("1 +").status()) ==
          "policy: malformed expression at offset 3 (end of text): "
          "expected a number, a column, a function, -, not or (");
}

TEST_CASE("score expression: a node without a number is refused by its name") {
    const Cluster cluster = *testing::cluster_from_text("2 x (1c); (2c); (4c)");
    PlaceOptions options;
    const auto placed = [&](const std::string& text) {
        options.policy = *NodePolicy::parse(text);
        return place(cluster, Request(), options);
    };
    CHECK(placed("sqrt(milli_cpus_before - 2000)")->nodes[0].node == NodeId(3));
    const auto nothing = placed("log(-1 - devices_after)");
    REQUIRE_FALSE(nothing);
    CHECK(nothing.refusal().constraint == Constraint::candidates);
    CHECK(nothing.refusal().reason ==
          "n0 has no score, log(-1 - devices_after) is no number for it");
    CHECK(placed("0 / 0 + " + std::string(90, '1'))
              .refusal()
              .reason.ends_with("11... is no number for it"));
    CHECK(placed("1 / (milli_cpus_after - 1000)")->nodes[0].node == NodeId(2));  // infinity
}

}  // namespace trestle
