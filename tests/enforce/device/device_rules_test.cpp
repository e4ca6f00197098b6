// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/device/device_rules.hpp"

#include <algorithm>
#include <limits>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"

namespace {

using namespace trestle;
using enum Device::File::Kind;

static_assert(lists_all_fields<DeviceRule::Access> && lists_all_fields<DeviceRule> &&
              lists_all_fields<DeviceRules> && lists_all_fields<DeviceRules::Probe>);
static_assert(DeviceRule::Access::all().bits() == 7);

constexpr DeviceRule::Access r{.can_read = true};
constexpr DeviceRule::Access w{.can_write = true};
constexpr DeviceRule::Access rw = DeviceRule::Access::read_write();

DeviceRules rules_of(const std::vector<DeviceRule>& list) {
    DeviceRules rules;
    for (const DeviceRule& rule : list) rules.add(rule);
    return rules;
}

std::string text_of(const DeviceRules& rules) {
    std::string text;
    for (const DeviceRule& rule : rules.rules) text += (text.empty() ? "" : ", ") + to_text(rule);
    return text;
}

TEST_CASE("DeviceAccess: bits are the kernel's, and round trip", "[enforce][devices]") {
    CHECK(DeviceRule::Access{.can_mknod = true}.bits() == 1);
    CHECK(r.bits() == 2);
    CHECK(w.bits() == 4);
    for (std::uint32_t bits = 0; bits < 8; ++bits)
        CHECK(DeviceRule::Access::of_bits(bits).bits() == bits);
    CHECK(DeviceRule::Access::of_bits(0xfff8).is_none());
    CHECK(to_text(DeviceRule::Access::all()) == "rwm");
    CHECK(to_text(DeviceRule::Access{}) == "-");
}

TEST_CASE("DeviceRules: canonical form", "[enforce][devices]") {
    struct Row {
        std::vector<DeviceRule> added;
        const char* text;
        const char* why;
    };
    const Row rows[] = {
        {{}, "", "nothing"},
        {{{character, 1, 3, {}}}, "", "a rule without access says nothing"},
        {{{character, 1, 3, r}, {character, 1, 3, w}}, "c 1:3 rw", "one rule a device, the union"},
        {{{character, 1, 5, r}, {character, 1, 3, r}}, "c 1:3 r, c 1:5 r", "sorted by minor"},
        {{{character, 2, 0, r}, {character, 1, {}, r}, {character, {}, 7, r}},
         "c *:7 r, c 1:* r, c 2:0 r",
         "every before any number"},
        {{{block, 1, 3, r}, {character, 1, 3, r}}, "c 1:3 r, b 1:3 r", "kinds stay apart"},
        {{{character, 1, {}, rw}, {character, 1, 3, r}},
         "c 1:* rw, c 1:3 r",
         "what another rule covers is kept: taking rules apart is not add's business"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(text_of(rules_of(row.added)) == row.text);
        std::vector<DeviceRule> reversed = row.added;
        std::reverse(reversed.begin(), reversed.end());
        CHECK(rules_of(reversed) == rules_of(row.added));
    }
}

TEST_CASE("allowed: which rules let a device be opened", "[enforce][devices]") {
    const std::uint32_t last = std::numeric_limits<std::uint32_t>::max();
    const DeviceRules rules = rules_of({{character, 195, 0, rw},
                                        {character, 136, {}, DeviceRule::Access::all()},
                                        {character, 1, 3, r},
                                        {character, 1, {}, w},
                                        {character, {}, 9, r},
                                        {block, 8, 0, r},
                                        {character, last, last, r}});
    struct Row {
        DeviceRules::Probe probe;
        bool is_allowed;
        const char* why;
    };
    const Row rows[] = {
        {{character, 195, 0, rw}, true, "the device itself"},
        {{character, 195, 0, {.can_mknod = true}}, false, "mknod was not granted"},
        {{character, 195, 0, DeviceRule::Access::all()}, false, "one bit too many refuses all"},
        {{character, 195, 1, r}, false, "the neighbour"},
        {{character, 194, 0, r}, false, "the major below"},
        {{character, 196, 0, r}, false, "the major above"},
        {{block, 195, 0, r}, false, "the same numbers as a block device"},
        {{character, 136, 0, rw}, true, "every minor: the first"},
        {{character, 136, last, rw}, true, "every minor: the last"},
        {{character, 1, 3, rw}, true, "two rules together grant it"},
        {{character, 1, 4, r}, false, "only the rule for every minor matches"},
        {{character, 1, 4, w}, true, "which grants writing"},
        {{character, 7, 9, r}, true, "every major"},
        {{character, 1, 9, rw}, true, "every major and every minor together"},
        {{block, 8, 0, r}, true, "a block device"},
        {{block, 7, 9, r}, false, "every major of the other kind"},
        {{character, last, last, r}, true, "the largest numbers"},
        {{character, 195, 0, {}}, true, "nothing asked of a device that is named"},
        {{character, 195, 1, {}}, false, "nothing asked of a device that is not"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(allowed(rules, row.probe) == row.is_allowed);
    }
    CHECK_FALSE(allowed({}, {character, 1, 3, r}));
}

TEST_CASE("allowed: adding a rule never takes away", "[enforce][devices][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    const auto number = [&]() -> std::optional<std::uint32_t> {
        const auto n = static_cast<std::uint32_t>(rng.below(4));
        return n == 3 ? std::nullopt : std::optional(n);
    };
    for (int round = 0; round < 2000; ++round) {
        DeviceRules rules;
        for (std::uint64_t i = rng.below(6); i > 0; --i) {
            rules.add({rng.chance(1, 2) ? block : character, number(), number(),
                       DeviceRule::Access::of_bits(static_cast<std::uint32_t>(rng.below(8)))});
        }
        DeviceRules more = rules;
        const DeviceRule extra{character, number(), number(), rw};
        more.add(extra);
        for (std::uint32_t i = 0; i < 9; ++i) {
            const DeviceRules::Probe probe{character, i / 3, i % 3, rw};
            if (allowed(rules, probe)) CHECK(allowed(more, probe));
            const bool is_covered = extra.matches({probe.kind, probe.major, probe.minor, {}});
            if (is_covered) CHECK(allowed(more, probe));
            if (!is_covered) CHECK(allowed(more, probe) == allowed(rules, probe));
        }
    }
}

TEST_CASE("pseudo_devices: what ordinary programs open, and nothing of the host",
          "[enforce][devices]") {
    const DeviceRules rules = pseudo_devices();
    CHECK(
        text_of(rules) ==
        "c 1:3 rwm, c 1:5 rwm, c 1:7 rwm, c 1:8 rwm, c 1:9 rwm, c 5:0 rwm, c 5:2 rwm, c 136:* rwm");
    CHECK_FALSE(allowed(rules, {character, 5, 1, r}));   // console
    CHECK_FALSE(allowed(rules, {character, 1, 1, r}));   // mem
    CHECK_FALSE(allowed(rules, {character, 1, 11, r}));  // kmsg
    CHECK_FALSE(allowed(rules, {block, 8, 0, r}));       // sda
}

}  // namespace
