// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/device.hpp"

#include <algorithm>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/testing/printers.hpp"

namespace trestle {
namespace {

TEST_CASE("Version: orders as versions do, not as decimal numbers", "[model]") {
    std::vector<Version> versions{{9, 0}, {8, 10}, {8, 0}, {8, 6}};
    std::sort(versions.begin(), versions.end());
    CHECK(versions == std::vector<Version>{{8, 0}, {8, 6}, {8, 10}, {9, 0}});
    CHECK(Range<Version>::at_least({8, 6}).contains({8, 10}));
    CHECK_FALSE(Range<Version>::at_least({8, 6}).contains({8, 5}));
}

TEST_CASE("is_usable: a device that failed or is drained takes no work", "[model]") {
    struct Row {
        Health health;
        bool is_drained;
        bool is_usable;
        const char* why;
    };
    const Row rows[] = {
        {Health::healthy, false, true, "the usual case"},
        {Health::warning, false, true, "a warning is no failure"},
        {Health::unknown, false, true, "no report says that it is broken"},
        {Health::failure, false, false, "broken"},
        {Health::healthy, true, false, "the administrator said no"},
        {Health::failure, true, false, "both"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Device device;
        device.health = row.health;
        device.is_drained = row.is_drained;
        CHECK(is_usable(device) == row.is_usable);
    }
}

TEST_CASE("Device: prints what differs from a default one", "[model][golden]") {
    Device device;
    CHECK(to_text(device) == "{}");
    device.name = "gpu";
    device.type = "a100";
    device.memory = gib(80);
    device.compute_capability = Version{8, 0};
    device.cores = CoreSet::range({0, 8});
    device.files = {{"/dev/nvidia0", Device::File::Kind::character, 195, 0}};
    CHECK(to_text(device) ==
          "{name=gpu, type=a100, memory=80GiB, compute_capability=8.0, "
          "files=[{path=/dev/nvidia0, major=195, minor=0}], cores=0-7}");
}

}  // namespace
}  // namespace trestle
