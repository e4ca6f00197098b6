// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/arbitrary.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace trestle {

namespace testing {

namespace detail {

std::string Arbitrary<std::string>::make(Choices& choices) {
    static const std::vector<std::string> pieces = {
        "gpu", "a100", " ", ":", "\"", "\\", "\n", "\t", "\xc3\xa9", "\xf0\x9f\x8c\x89", "0"};
    std::string text;
    for (std::uint64_t n = choices.below(4); n > 0; --n) text += choices.of(pieces);
    return text;
}

FeatureExpression Arbitrary<FeatureExpression>::make(Choices& choices) {
    FeatureExpression made;
    for (std::uint64_t n = choices.below(6); n > 0; --n) {
        FeatureExpression next = feature(Arbitrary<std::string>::make(choices));
        if (choices.one_in(3)) next = !next;
        const bool is_first = made.is_empty();
        made = is_first || choices.one_in(2) ? made & next : next | made;
        if (choices.one_in(4)) made = !made;
    }
    return made;
}

NodePolicy Arbitrary<NodePolicy>::make(Choices& choices) {
    static const std::vector<std::string> expressions = {
        "-devices_after", "1 if is_idle else log(memory_after)", "max(each_device_before)",
        "min(each_device_after) / 2e3"};
    if (choices.one_in(2)) return Arbitrary<Policy>::make(choices);
    return *NodePolicy::parse(choices.of(expressions));
}

EnvironmentVariable::Value Arbitrary<EnvironmentVariable::Value>::make(Choices& choices) {
    std::string text = Arbitrary<std::string>::make(choices);
    if (choices.one_in(2)) return EnvironmentVariable::Value::shown(std::move(text));
    EnvironmentVariable::Value secret(std::move(text));
    return choices.one_in(2) ? *EnvironmentVariable::Value::of_digest(secret.digest()) : secret;
}

}  // namespace detail

}  // namespace testing

}  // namespace trestle
