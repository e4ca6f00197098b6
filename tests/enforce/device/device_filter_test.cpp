// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/device/device_filter.hpp"

#include <limits>
#include <set>

#include "support/bpf_interpreter.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"

namespace {

using namespace trestle;
using enum Device::File::Kind;

static_assert(lists_all_fields<BpfInstruction>);

constexpr std::uint32_t top = std::numeric_limits<std::uint32_t>::max();

BpfInterpreter compiled(const DeviceRules& rules) {
    const auto code = compile_filter(rules);
    REQUIRE(code.ok());
    return BpfInterpreter(*code);
}

std::string rules_and_probe(const DeviceRules& rules, const DeviceRules::Probe& probe) {
    std::string text = "rules";
    for (const DeviceRule& rule : rules.rules) text += " [" + to_text(rule) + "]";
    return text + " probe " +
           to_text(DeviceRule{probe.kind, probe.major, probe.minor, probe.access});
}

/// The numbers of the rules, their neighbours, and both ends.
std::set<std::uint32_t> interesting(const DeviceRules& rules,
                                    std::optional<std::uint32_t> DeviceRule::*number) {
    std::set<std::uint32_t> numbers = {0, top};
    for (const DeviceRule& rule : rules.rules) {
        const auto n = rule.*number;
        if (!n) continue;
        numbers.insert(*n);
        if (*n > 0) numbers.insert(*n - 1);
        if (*n < top) numbers.insert(*n + 1);
    }
    return numbers;
}

/// Compares program and decision for every probe; counts only failures, for speed.
void check_program(const DeviceRules& rules, const std::set<std::uint32_t>& majors,
                   const std::set<std::uint32_t>& minors) {
    const BpfInterpreter program = compiled(rules);
    CHECK(program.unreachable().empty());
    for (const Device::File::Kind kind : {character, block}) {
        for (const std::uint32_t major : majors) {
            for (const std::uint32_t minor : minors) {
                for (std::uint32_t bits = 0; bits < 8; ++bits) {
                    const DeviceRules::Probe probe{kind, major, minor,
                                                   DeviceRule::Access::of_bits(bits)};
                    const std::uint64_t expected = allowed(rules, probe) ? 1 : 0;
                    if (program.run(context_of(probe)) == expected) continue;
                    FAIL_CHECK(rules_and_probe(rules, probe) << ", expected " << expected);
                }
            }
        }
    }
}

TEST_CASE("compile_filter: agrees with allowed on random rules", "[enforce][devices][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    const std::uint32_t pool[] = {
        0, 1, 2, 3, 5, 8, 136, 195, 255, 0xfffff, 0x7fffffff, 0x80000000, 0x80000001, top - 1, top};
    const auto number = [&]() -> std::optional<std::uint32_t> {
        if (rng.chance(1, 5)) return std::nullopt;
        return pool[rng.below(std::size(pool))];
    };
    for (int round = 0; round < 300; ++round) {
        DeviceRules rules;
        for (std::uint64_t i = rng.below(12); i > 0; --i) {
            rules.add({rng.chance(1, 3) ? block : character, number(), number(),
                       DeviceRule::Access::of_bits(static_cast<std::uint32_t>(rng.below(8)))});
        }
        check_program(rules, interesting(rules, &DeviceRule::major),
                      interesting(rules, &DeviceRule::minor));
    }
}

TEST_CASE("compile_filter: agrees with allowed where many minors stand close together",
          "[enforce][devices][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    for (int round = 0; round < 200; ++round) {
        // At both ends of the numbers too, with gaps about as wide as a mask.
        const std::uint32_t starts[] = {0, 1, 100, 0x7fffffd0, top - 200};
        const std::uint32_t first = starts[rng.below(std::size(starts))];
        const std::uint64_t odds = 1 + rng.below(12);
        const std::uint64_t kinds = 1 + rng.below(3);
        DeviceRules rules;
        for (std::uint32_t i = 0; i <= 200; ++i) {
            if (!rng.chance(1, odds)) continue;
            const auto bits = static_cast<std::uint32_t>(7 - rng.below(kinds));
            rules.add({character, 195, first + i, DeviceRule::Access::of_bits(bits)});
            if (rng.chance(1, 20)) i += static_cast<std::uint32_t>(60 + rng.below(10));
        }
        if (rng.chance(1, 4)) rules.add({character, {}, first + 7, DeviceRule::Access::of_bits(4)});
        if (rng.chance(1, 4)) rules.add({character, 195, {}, DeviceRule::Access::of_bits(2)});
        check_program(rules, {0, 195}, interesting(rules, &DeviceRule::minor));
    }
}

TEST_CASE("compile_filter: agrees with allowed on every small rule set",
          "[enforce][devices][law][unsanitized]") {
    constexpr int set_count = 19683;  // 3^9: nothing, r or w for each of {*, 0, 1} x {*, 0, 1}
    const std::uint32_t accesses[] = {0, DeviceRule::Access::read_bit,
                                      DeviceRule::Access::write_bit};
    const std::optional<std::uint32_t> numbers[] = {std::nullopt, 0, 1};
    for (int code = 0; code < set_count; ++code) {
        DeviceRules rules;
        int rest = code;
        for (const auto& major : numbers) {
            for (const auto& minor : numbers) {
                rules.add(
                    {character, major, minor, DeviceRule::Access::of_bits(accesses[rest % 3])});
                rest /= 3;
            }
        }
        const BpfInterpreter program = compiled(rules);
        for (std::uint32_t i = 0; i < 36; ++i) {
            const DeviceRules::Probe probe{character, i / 12, i / 4 % 3,
                                           DeviceRule::Access::of_bits(i % 4 * 2)};
            if ((program.run(context_of(probe)) == 1) != allowed(rules, probe)) {
                FAIL_CHECK(rules_and_probe(rules, probe));
            }
        }
    }
}

TEST_CASE("compile_filter: what the kernel would hand it beyond our types", "[enforce][devices]") {
    DeviceRules rules;
    rules.add({character, {}, {}, DeviceRule::Access::all()});
    const BpfInterpreter program = compiled(rules);
    struct Row {
        std::uint32_t access_type;
        std::uint64_t result;
        const char* why;
    };
    const Row rows[] = {
        {2u << 16 | 2, 1, "a character device, read"},
        {2u << 16 | 1, 0, "block devices are not named"},
        {2u << 16 | 0, 0, "type 0 is nothing"},
        {2u << 16 | 3, 0, "type 3 is unknown"},
        {2u << 16 | 0xffff, 0, "nor is the largest"},
        {8u << 16 | 2, 0, "an access that is unknown is not granted"},
        {0xffffu << 16 | 2, 0, "nor all bits"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(program.run({row.access_type, 1, 3}) == row.result);
    }
}

TEST_CASE("compile_filter: programs stay small where rules are alike", "[enforce][devices]") {
    struct Row {
        std::vector<DeviceRule> rules;
        std::size_t size;
        const char* why;
    };
    const DeviceRule::Access rw = DeviceRule::Access::read_write();
    const Row rows[] = {
        {{}, 8, "the context, then no"},
        {{{character, 1, 3, {}}}, 8, "a rule without access adds nothing"},
        {{{character, {}, {}, rw}, {block, {}, {}, rw}},
         14,
         "kinds alike: two comparisons of type"},
        {{{character, 195, 0, rw}}, 20, "type, major and minor: no, rw, no each"},
        {{{character, 195, 0, rw}, {character, 195, 1, rw}, {character, 195, 2, rw}},
         20,
         "neighbours become one piece"},
        {{{character, {}, {}, rw}, {character, 7, 7, rw}}, 14, "covered by the rule for every one"},
        {{{character, 195, 0, rw}, {character, 195, 2, rw}, {character, 195, 254, rw}},
         30,
         "two below a mask, the third beside it"},
        {{{character, 195, 0, rw},
          {character, 195, 2, rw},
          {character, 195, 4, rw},
          {character, 195, 6, rw},
          {character, 195, 63, rw}},
         24,
         "all of them below one mask"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        DeviceRules rules;
        for (const DeviceRule& rule : row.rules) rules.add(rule);
        const auto code = compile_filter(rules);
        REQUIRE(code.ok());
        CHECK(code->size() == row.size);
        CHECK(BpfInterpreter(*code).unreachable().empty());
    }
}

TEST_CASE("compile_filter: thousands of rules, and too many", "[enforce][devices]") {
    const auto apart = [](std::uint32_t step, std::uint32_t count) {
        DeviceRules rules;
        for (std::uint32_t i = 0; i < count; ++i) {
            rules.add({character, 195, step * i, DeviceRule::Access::read_write()});
        }
        return rules;
    };
    for (const std::uint32_t step : {2u, 100u}) {
        const DeviceRules rules = apart(step, 4000);
        const BpfInterpreter program = compiled(rules);
        CHECK(program.unreachable().empty());
        for (const std::uint32_t i : {0u, 1u, 31u, 32u, 1999u, 2000u, 3999u, 4000u}) {
            for (const std::uint32_t minor : {step * i, step * i + 1}) {
                const DeviceRules::Probe probe{character, 195, minor,
                                               DeviceRule::Access::read_write()};
                CHECK((program.run(context_of(probe)) == 1) == allowed(rules, probe));
            }
        }
    }
    CHECK(compile_filter(apart(2, 4000))->size() < 1'200);
    CHECK(compile_filter(apart(100, 5000)).ok());
    CHECK(compile_filter(apart(2, 100'000)).ok());
    const auto refused = compile_filter(apart(100, 9000));
    CHECK(refused.status().code() == StatusCode::kResourceExhausted);
    CHECK_THAT(std::string(message(refused.status())),
               Catch::Matchers::ContainsSubstring("9000 rules"));
}

TEST_CASE("BpfInterpreter: refuses what the verifier refuses", "[enforce][devices]") {
    const BpfInstruction exit{0x95, 0, 0, 0};
    const BpfInstruction set_result{0xb7, BpfInstruction::pack({0, 0}), 0, 1};
    const BpfInstruction load_major{0x61, BpfInstruction::pack({3, 1}), 4, 0};
    struct Row {
        std::vector<BpfInstruction> code;
        const char* why;
    };
    const Row rows[] = {
        {{}, "no program"},
        {{exit}, "r0 is not set"},
        {{set_result}, "no exit"},
        {{load_major, {0x36, BpfInstruction::pack({3, 0}), -2, 0}, set_result, exit}, "a loop"},
        {{{0x61, BpfInstruction::pack({3, 1}), 12, 0}, set_result, exit}, "beside the context"},
        {{{0x61, BpfInstruction::pack({3, 2}), 4, 0}, set_result, exit}, "not the context"},
        {{{0x85, 0, 0, 1}, exit}, "a call"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK_THROWS_AS(BpfInterpreter(row.code).run({2, 1, 3}), BpfFault);
    }
    CHECK(BpfInterpreter({set_result, exit, set_result, exit}).unreachable() ==
          std::vector<std::size_t>{2, 3});
}

}  // namespace
