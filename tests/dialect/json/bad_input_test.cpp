// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "support/catch.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/model/request.hpp"
#include "trestle/model/tres.hpp"

namespace trestle::json {
namespace {

struct Row {
    std::string text;
    std::string error;
    std::string why;
};

template <class T>
void require_errors(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        INFO(row.why << ": " << row.text);
        const auto result = from_json_text<T>(row.text);
        CHECK(result.status().code() == StatusCode::kInvalidArgument);
        CHECK(message(result.status()) == row.error);
        CHECK(message(result.status()).find('\n') == std::string_view::npos);
    }
}

TEST_CASE("JSON: what is wrong in a node is named with its path", "[json]") {
    require_errors<Node>({
        {"[]", "json: a list, expected an object", "the document itself"},
        {R"({"nam":1})",
         "json: nam: an unknown name, expected one of name, shape, features, weight, state, health",
         "a misspelt name must not be lost"},
        {R"({"":1})",
         "json: [\"\"]: an unknown name, expected one of name, shape, features, weight, state, "
         "health",
         "an empty name still has a path"},
        {R"({"a\nb":1})",
         "json: [\"a\\nb\"]: an unknown name, expected one of name, shape, features, weight, "
         "state, health",
         "a line end in a name does not break the line"},
        {R"({"name":"a","name":"a"})",
         "json: name: a name that stands twice, expected each name once",
         "the second must not win silently"},
        {R"({"name":7})", "json: name: 7, expected text", "a number for text"},
        {R"({"name":null})", "json: name: null, expected text", "only options may be null"},
        {R"({"weight":-1})", "json: weight: -1, expected a whole number from 0 to 4294967295",
         "below the range"},
        {R"({"weight":4294967296})",
         "json: weight: 4294967296, expected a whole number from 0 to 4294967295",
         "above the range"},
        {R"({"weight":1.0})", "json: weight: 1.0, expected a whole number from 0 to 4294967295",
         "a fraction, even of nothing"},
        {R"({"weight":"1"})", "json: weight: \"1\", expected a whole number from 0 to 4294967295",
         "text for a number"},
        {R"({"state":"Up"})", "json: state: \"Up\", expected one of up, drained, down, removed",
         "names are exact"},
        {R"({"features":["a",{}]})", "json: features[1]: an object, expected text",
         "inside a list"},
        {R"({"shape":{"devices":[{},{"memory":"16GB"}]}})",
         "json: shape.devices[1].memory: \"16GB\", expected a whole number from 0 to "
         "9223372036854775807",
         "deep inside"},
        {R"({"shape":{"devices":[{"memory":9223372036854775808}]}})",
         "json: shape.devices[0].memory: 9223372036854775808, expected a whole number from 0 to "
         "9223372036854775807",
         "a quantity has 63 bits"},
        {R"({"shape":{"devices":[{"memory":99999999999999999999999}]}})",
         "json: shape.devices[0].memory: 99999999999999999999999, expected a whole number from 0 "
         "to 9223372036854775807",
         "beyond every integer"},
        {R"({"shape":{"devices":[{"is_drained":0}]}})",
         "json: shape.devices[0].is_drained: 0, expected true or false", "0 is no truth value"},
        {R"({"shape":{"devices":[{"cores":[0,1]}]}})",
         "json: shape.devices[0].cores: a list, expected a list of numbers as text, \"0-3,8\"",
         "sets are text"},
        {R"({"shape":{"devices":[{"cores":"0-3,x"}]}})",
         "json: shape.devices[0].cores: not a number at offset 4 (\"x\"), expected a number or a "
         "run like 0-3",
         "the offset in the set"},
        {R"({"shape":{"devices":{}}})", "json: shape.devices: an object, expected a list",
         "an object for a list"},
    });
    require_errors<TresCounts>({
        {R"({"entries":[[{}]]})", "json: entries[0]: a list, expected a list of two",
         "half a pair"},
        {R"({"entries":[[{},"1"]]})",
         "json: entries[0][1]: \"1\", expected a whole number from 0 to 9223372036854775807",
         "the second of a pair"},
    });
    require_errors<Request>({
        {R"({"features":7})", "json: features: 7, expected features as text, \"ib&!old\"",
         "neither text nor names"},
        {R"({"features":["a",7]})", "json: features[1]: 7, expected text", "in the list of names"},
        {R"({"features":"a&(b"})",
         "json: features: malformed feature expression at offset 4 (end of text), expected &, | or "
         ")",
         "the offset in the expression"},
        {R"({"components":[{},{"feature_sets":["a","|"]}]})",
         "json: components[1].feature_sets[1]: malformed feature expression at offset 0 (\"|\"), "
         "expected a feature, ! or (",
         "in a group of nodes"},
    });
    require_errors<PlaceOptions>({
        {R"({"policy":7})", "json: policy: 7, expected text", "neither a name nor an expression"},
        {R"({"policy":"min(1"})",
         "json: policy: unbalanced parenthesis at offset 5 (end of text), expected ) for the ( at "
         "offset 3",
         "the offset in the expression"},
    });
    require_errors<std::vector<Partition>>({
        {R"([{"max_time":true}])",
         "json: [0].max_time: true, expected a whole number from 0 to 9223372036854775807",
         "an option's value is checked"},
    });
}

TEST_CASE("JSON: what is no JSON is named with its offset", "[json]") {
    require_errors<Node>({
        {"",
         "json: at offset 0 (\"\"): syntax error while parsing value - unexpected end of input; "
         "expected '[', '{', or a literal",
         "nothing"},
        {R"({"name":)",
         "json: at offset 8 (\"\\\"name\\\":\"): syntax error while parsing value - unexpected end "
         "of input; "
         "expected '[', '{', or a literal",
         "cut off"},
        {"{} {}",
         "json: at offset 3 (\"{} {\"): syntax error while parsing value - unexpected '{'; "
         "expected end of input",
         "something behind the document"},
        {"{\"name\":\"a\nb\"}",
         "json: at offset 10 (\"\\\"a<U+000A>\"): syntax error while parsing value - invalid "
         "string: control character U+000A (LF) must be escaped to \\u000A or \\n",
         "a bare line end in text"},
        {R"({"weight":1e999})", "json: at offset 14 (\"1e999\"): number overflow parsing '1e999'",
         "beyond every double"},
        {R"({"weight":01})",
         "json: at offset 11 (\"1\"): syntax error while parsing object - unexpected number "
         "literal; expected '}'",
         "a leading zero"},
    });
}

TEST_CASE("JSON: depth is limited", "[json]") {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    CHECK(parse(nested(depth_max)).ok());
    const auto too_deep = parse(nested(depth_max + 1)).status();
    CHECK_THAT(std::string(message(too_deep)),
               Catch::Matchers::EndsWith("[0]: too deep, expected at most 64 levels"));
    CHECK(parse(nested(1'000'000)).status() == too_deep);
}

TEST_CASE("JSON: a long value is not quoted in full", "[json]") {
    const std::string text = "\"" + std::string(1'000, 'x') + "\"";
    CHECK(message(from_json_text<Health>(text).status()) ==
          "json: long text, expected one of healthy, warning, failure, unknown");
}

}  // namespace
}  // namespace trestle::json
