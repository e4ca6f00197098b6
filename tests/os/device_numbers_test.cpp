// SPDX-License-Identifier: Apache-2.0
#include "trestle/os/device_numbers.hpp"

#include <cstdlib>
#include <filesystem>

#include "enforce/detail/step_parts.hpp"
#include "os/temporary_file.hpp"
#include "support/catch.hpp"
#include "support/vendor_plan.hpp"

namespace trestle {

TEST_CASE("with_device_numbers: folders that are not on the machine are left out", "[os]") {
    const TemporaryFile file("no folder");
    const std::string here = std::filesystem::temp_directory_path().string();
    Plan plan = share_plan(vendor_node(tenstorrent_cards), two_gpus());
    CHECK(plan.folders == std::vector<std::string>{"/dev/hugepages-1G"});
    plan.folders = {here + "/trestle-no-such-folder", here, file.path()};
    const auto looked = os::with_device_numbers(plan);
    REQUIRE(looked.ok());
    CHECK(looked->folders == std::vector<std::string>{here});
    plan.folders = {here};
    CHECK(looked->steps == os::with_device_numbers(plan)->steps);
}

TEST_CASE("with_device_numbers: numbers are those of now, unknown ones stay", "[os]") {
    Plan plan = share_plan(vendor_node(old_tpu_chips), two_gpus());
    const auto filter = [](Plan& of) -> std::vector<DeviceAllowList::File>& {
        for (Step& step : of.steps) {
            if (auto* load = action_of<Step::LoadFilter>(step)) return load->devices.files;
        }
        FAIL("no filter");
        std::abort();
    };
    constexpr auto character = Device::File::Kind::character;
    filter(plan)[0].file = {"/dev/null", character, 9, {}};
    filter(plan)[1].file = {"/dev/trestle-no-such-file", character, 9, {}};
    auto looked = os::with_device_numbers(plan);
    REQUIRE(looked.ok());
    CHECK(filter(*looked)[0].file == Device::File{"/dev/null", character, 1, 3});
    CHECK(filter(*looked)[1].file == filter(plan)[1].file);
    filter(plan)[0].file = {"/", character, {}, {}};
    CHECK(os::with_device_numbers(plan).status().message() == "/: not a character device");
}

}  // namespace trestle
