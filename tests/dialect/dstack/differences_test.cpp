// SPDX-License-Identifier: Apache-2.0
// The table of differences from dstack: every row is whole and names a test that there is.
#include "trestle/dialect/dstack/differences.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "support/catch.hpp"
#include "support/test_sources.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/resources.hpp"

namespace trestle {

TEST_CASE("dstack differences: every row is whole, and its test is there", "[dialect][dstack]") {
    const std::string sources = test_sources();
    std::set<std::string_view> topics;
    for (const dstack::Divergence& row : dstack::differences()) {
        INFO(row.topic);
        CHECK(topics.insert(row.topic).second);
        CHECK(!row.dstack.empty());
        CHECK(!row.here.empty());
        CHECK(sources.find(fmt::format("TEST_CASE(\"{}\"", row.test)) != std::string::npos);
    }
    CHECK(topics.size() >= 25);
    const std::string text = dstack::differences_text();
    CHECK(text.starts_with("| topic | dstack | here | test |\n|---|"));
    CHECK(std::count(text.begin(), text.end(), '\n') ==
          static_cast<std::ptrdiff_t>(topics.size()) + 2);
    CHECK(std::count(text.begin(), text.end(), '|') ==
          5 * (static_cast<std::ptrdiff_t>(topics.size()) + 2));
}

TEST_CASE("dstack resources: a range in the place of a disk", "[dialect][dstack]") {
    CHECK(dstack::parse_resources("disk: {min: 50GB}").value().disk ==
          Range<Bytes>::at_least(gib(50)));
    CHECK(dstack::parse_resources("disk: {min: 50GB, max: 1TB}").value().disk ==
          Range<Bytes>::between(gib(50), tib(1)));
}

}  // namespace trestle
