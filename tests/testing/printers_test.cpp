// SPDX-License-Identifier: Apache-2.0
#include "trestle/testing/printers.hpp"

#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/node_builder.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/set/index_set.hpp"

namespace trestle {
namespace {

template <class T>
std::string googletest_text(const T& value) {
    std::ostringstream out;
    PrintTo(value, &out);  // as testing::PrintToString does
    return out.str();
}

template <class T>
void require_prints(const T& value, const std::string& text) {
    CHECK(Catch::Detail::stringify(value) == text);
    CHECK(googletest_text(value) == text);
}

TEST_CASE("printers: Catch2 and GoogleTest show values as to_text does", "[testing][golden]") {
    require_prints(gib(16), "16GiB");
    require_prints(Count(3), "3");
    require_prints(NodeId(7), "7");
    require_prints(Health::warning, "warning");
    require_prints(CoreSet::range({0, 4}), "0-3");
    require_prints(NodeSet::range({0, 2}), "0-1");
    require_prints(Range<Bytes>::at_least(gib(200)), "200GiB..");
    require_prints(Refusal{Constraint::cores, "asked 4, 2 free"}, "cores: asked 4, 2 free");
    require_prints(Verdict<NodeId>(NodeId(1)), "1");
    require_prints(MemoryShare{DomainId(1), gib(2)}, "{domain=1, bytes=2GiB}");
    require_prints(NodeDescription::Devices::Nearness::anywhere, "anywhere");
}

TEST_CASE("printers: values inside standard containers", "[testing]") {
    CHECK(Catch::Detail::stringify(std::vector{gib(1), gib(2)}) == "{ 1GiB, 2GiB }");
}

}  // namespace
}  // namespace trestle
