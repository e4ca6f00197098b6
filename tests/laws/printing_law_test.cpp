// SPDX-License-Identifier: Apache-2.0
// Law of printing: no header of the library conflicts with fmt/ranges.h or fmt/std.h, and each type
// has one formatter.
#include "public_headers.hpp"

// After ours; tests/model/printing_with_ranges_test.cpp includes them before.
#include <fmt/ranges.h>
#include <fmt/std.h>

#include "support/catch.hpp"
#include "support/printing_with_ranges.hpp"

namespace trestle {

TEST_CASE("law: all public headers combine with fmt/ranges.h", "[laws]") {
    check_printing_with_ranges();
    CHECK(fmt::format("{}", std::vector<slurm::JobId>{{1001, {}}, {1002, {}}}) == "[1001, 1002]");
    CHECK(fmt::format("{}", translate::LossKind::dropped) == "dropped");
    CHECK(fmt::format("{}", container::DockerDeviceRequest{}) == "{}");
    CHECK(fmt::format("{}", os::CgroupOptions{{}, Seconds(5), {}}) == "{patience=5}");
    CHECK(fmt::format("{}", dstack::CpuSpec{}) == to_text(dstack::CpuSpec{}));
}

}  // namespace trestle
