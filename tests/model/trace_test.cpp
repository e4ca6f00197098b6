// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/trace.hpp"

#include "support/catch.hpp"

namespace trestle {
namespace {

TEST_CASE("TraceEvent: one line, with or without a subject", "[model][golden]") {
    CHECK(to_text(TraceEvent{TraceEvent::Kind::commit, OwnerId(42), "n1", "cores=0-3"}) ==
          "commit owner=42 n1: cores=0-3");
    CHECK(to_text(TraceEvent{TraceEvent::Kind::refusal, OwnerId(7), "", "cores: asked 9"}) ==
          "refusal owner=7: cores: asked 9");
}

}  // namespace
}  // namespace trestle
