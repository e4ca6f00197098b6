// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/choices.hpp"

#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace trestle::testing {
namespace {

/// Lists of at most two of a, b, c; the second element never equals the first.
std::string any_word(Choices& choices) {
    std::string word;
    std::vector<char> letters{'a', 'b', 'c'};
    for (std::uint64_t n = choices.below(3); n > 0; --n) {
        const char letter = choices.of(letters);
        std::erase(letters, letter);
        word += letter;
    }
    return word;
}

TEST_CASE("Choices: going through all makes every value once, lowest first", "[testing][law]") {
    std::vector<std::string> words;
    const auto runs =
        for_all_choices([&](Choices& choices) { words.push_back(any_word(choices)); });
    CHECK(words == std::vector<std::string>{"", "a", "b", "c", "ab", "ac", "ba", "bc", "ca", "cb"});
    CHECK(runs == 10);
}

TEST_CASE("Choices: a body that asks nothing runs once", "[testing]") {
    CHECK(for_all_choices([](Choices&) {}) == 1);
}

TEST_CASE("Choices: one_in gives both answers when going through all", "[testing]") {
    std::vector<bool> answers;
    for_all_choices([&](Choices& choices) { answers.push_back(choices.one_in(1'000'000)); });
    CHECK(answers == std::vector<bool>{false, true});
    CHECK(for_all_choices([](Choices& choices) { CHECK(choices.one_in(1)); }) == 1);
}

TEST_CASE("Choices: the same seed makes the same values", "[testing]") {
    const auto words = [](std::uint64_t seed) {
        std::vector<std::string> made;
        for_random_choices({seed, 200},
                           [&](Choices& choices) { made.push_back(any_word(choices)); });
        return made;
    };
    CHECK(words(1) == words(1));
    CHECK(words(1) != words(2));
    const auto made = words(3);
    CHECK(std::set<std::string>(made.begin(), made.end()).size() == 10);
}

TEST_CASE("Choices: intervals are half-open", "[testing]") {
    std::vector<int> numbers;
    for_all_choices([&](Choices& choices) { numbers.push_back(choices.in(Interval<int>{-1, 2})); });
    CHECK(numbers == std::vector<int>{-1, 0, 1});
}

}  // namespace
}  // namespace trestle::testing
