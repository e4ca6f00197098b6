// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/device/allow_list.hpp"

#include "enforce/device/resolved_rules.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"

namespace {

using namespace trestle;
using enum Device::File::Kind;
using enum DeviceAllowList::File::Presence;

static_assert(lists_all_fields<DeviceAllowList::File> && lists_all_fields<DeviceAllowList>);

TEST_CASE("resolved_rules: files with numbers become rules", "[enforce][devices]") {
    const DeviceRule::Access rw = DeviceRule::Access::read_write();
    const DeviceRule::Access r{.can_read = true};
    struct Row {
        std::vector<DeviceAllowList::File> files;
        std::vector<DeviceRule> rules;
        const char* why;
    };
    const Row rows[] = {
        {{}, {}, "nothing"},
        {{{{"/dev/nvidia0", character, 195, 0}, rw, required, ""}},
         {{character, 195, 0, rw}},
         "a character device"},
        {{{{"/dev/sdb", block, 8, 16}, r, required, ""}}, {{block, 8, 16, r}}, "a block device"},
        {{{{"/dev/a", character, 195, 0}, rw, required, ""},
          {{"/dev/b", character, 195, 0}, r, required, ""}},
         {{character, 195, 0, rw}},
         "two names of one device: the union"},
        {{{{"/dev/nvidia-uvm", character, {}, 0}, rw, optional, "nvidia-uvm"}},
         {},
         "an optional file without major is left out, never every major"},
        {{{{"/dev/x", character, 10, {}}, rw, optional, ""}},
         {},
         "nor without minor, never every minor"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto rules = resolved_rules({{}, row.files});
        REQUIRE(rules.ok());
        CHECK(rules->rules == row.rules);
    }
}

TEST_CASE("resolved_rules: keeps the rules of the list", "[enforce][devices]") {
    const auto rules = resolved_rules({pseudo_devices(), {}});
    REQUIRE(rules.ok());
    CHECK(*rules == pseudo_devices());
}

TEST_CASE("resolved_rules: a required file without numbers is an error", "[enforce][devices]") {
    for (const Device::File& file : {Device::File{"/dev/nvidia7", character, {}, 7},
                                     Device::File{"/dev/nvidia7", character, 195, {}},
                                     Device::File{"/dev/nvidia7", character, {}, {}}}) {
        const auto rules = resolved_rules({{}, {{file, DeviceRule::Access::all(), required, ""}}});
        CHECK(rules.status().code() == StatusCode::kNotFound);
        CHECK_THAT(std::string(message(rules.status())),
                   Catch::Matchers::StartsWith("/dev/nvidia7: no such device"));
    }
}

TEST_CASE("AllowedFile: prints what is known", "[enforce][devices]") {
    const DeviceRule::Access rw = DeviceRule::Access::read_write();
    CHECK(to_text(DeviceAllowList::File{{"/dev/nvidia0", character, 195, 0}, rw, required, ""}) ==
          "/dev/nvidia0 (c 195:0) rw");
    CHECK(to_text(DeviceAllowList::File{{"/dev/sdb", block, {}, {}}, rw, required, ""}) ==
          "/dev/sdb (b ?:?) rw");
    CHECK(to_text(DeviceAllowList::File{{"/dev/kfd", character, {}, 0}, rw, optional, "kfd"}) ==
          "/dev/kfd (c ?:0 of kfd) rw if present");
}

}  // namespace
