// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/arbitrary.hpp"

#include <cstdint>
#include <limits>
#include <set>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/request.hpp"

namespace trestle::testing {
namespace {

TEST_CASE("arbitrary: the ends of a type occur", "[testing]") {
    std::set<std::int32_t> numbers;
    for_random_choices({test_seed(), 100},
                       [&](Choices& choices) { numbers.insert(arbitrary<std::int32_t>(choices)); });
    INFO("seed " << test_seed());
    CHECK(numbers.contains(std::numeric_limits<std::int32_t>::max()));
    CHECK(numbers.contains(std::numeric_limits<std::int32_t>::min()));
    CHECK(numbers.contains(0));
}

TEST_CASE("arbitrary: every enumerator occurs", "[testing]") {
    std::uint64_t seen = 0;
    CHECK(for_all_choices([&](Choices& choices) {
              seen |= std::uint64_t{1} << static_cast<unsigned>(
                          arbitrary<DeviceRequest::AttributeTest::Comparison>(choices));
          }) == enum_names(DeviceRequest::AttributeTest::Comparison{}).size());
    CHECK(seen == 0b111111);
}

TEMPLATE_TEST_CASE("arbitrary: values differ, the same seed makes the same ones", "[testing]", Node,
                   Request, Network) {
    std::set<std::uint64_t> hashes;
    for_random_choices({test_seed(), 200}, [&](Choices& choices) {
        Choices same = choices;
        const auto value = arbitrary<TestType>(choices);
        REQUIRE(arbitrary<TestType>(same) == value);
        hashes.insert(hash_of(value));
    });
    INFO("seed " << test_seed());
    CHECK(hashes.size() > 50);  // parts that check() refuses keep their default
}

}  // namespace
}  // namespace trestle::testing
