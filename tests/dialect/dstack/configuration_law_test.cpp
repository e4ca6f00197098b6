// SPDX-License-Identifier: Apache-2.0
// Files of dstack as a whole: bounded work, print and read back, bare values.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/rng.hpp"
#include "trestle/dialect/dstack/configuration.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("dstack files: a small text of aliases is no large work", "[dialect][dstack]") {
    std::string yaml = "type: task\ntags:\n  - &a0 [x, x]\n";
    for (int i = 1; i < 40; ++i) yaml += fmt::format("  - &a{} [*a{}, *a{}]\n", i, i - 1, i - 1);
    const auto reading = dstack::read_configuration(yaml);
    REQUIRE(reading.errors.size() == 1);
    CHECK_THAT(to_text(reading.errors.front()),
               ContainsSubstring("too much with the aliases written out"));
    std::string list = "type: task\nregions: &r [" + std::string(2, 'x');
    for (int i = 0; i < 9000; ++i) list += ", x";
    list += "]\nbackends: [*r, *r]\n";
    CHECK(dstack::read_configuration(list).errors.size() == 2);
    std::string wide = "type: fleet\nssh_config:\n  hosts:\n    - &h {hostname: h, user: &u [";
    for (int i = 0; i < 5000; ++i) wide += "x, ";
    wide += "x]}\n";
    for (int i = 0; i < 2000; ++i) wide += "    - *h\n";
    CHECK_FALSE(dstack::read_configuration(wide).errors.empty());
}

TEST_CASE("dstack files: print and read back", "[dialect][dstack][law]") {
    INFO("seed " << test_seed());
    Rng rng(test_seed());
    const auto words = [&] {
        std::vector<std::string> list;
        for (auto left = rng.below(3); left > 0; --left) {
            std::string word(1, 'w');
            for (auto more = rng.below(6); more > 0; --more) {
                word += static_cast<char>(rng.below(128));
            }
            list.push_back(word);
        }
        return list;
    };
    const auto limit = [&]() -> std::optional<dstack::DurationLimit> {
        if (rng.chance(1, 3)) return std::nullopt;
        if (rng.chance(1, 3)) return dstack::DurationLimit{true, Seconds()};
        return dstack::DurationLimit{false,
                                     Seconds(static_cast<std::int64_t>(1 + rng.below(9999)))};
    };
    for (int i = 0; i < 500; ++i) {
        dstack::Profile profile;
        profile.backends = words();
        profile.regions = words();
        profile.availability_zones = words();
        profile.instance_types = words();
        if (rng.chance(1, 2)) profile.spot_policy = dstack::SpotPolicy::any;
        if (rng.chance(1, 2)) {
            profile.max_price = Microdollars(static_cast<std::int64_t>(1 + rng.below(99'999'999)));
        }
        if (rng.chance(1, 3)) profile.retry = dstack::Retry::always();
        if (rng.chance(1, 3))
            profile.retry = dstack::Retry{{dstack::RetryEvent::error}, Seconds(60)};
        if (rng.chance(1, 3)) profile.retry = dstack::Retry{};
        profile.idle_duration = limit();
        dstack::Configuration configuration;
        if (rng.chance(1, 2)) {
            auto& fleet = configuration.fleet.emplace();
            fleet.profile = profile;
            const Count least(static_cast<std::int64_t>(rng.below(5)));
            const Count target = least + Count(static_cast<std::int64_t>(rng.below(3)));
            fleet.nodes = dstack::FleetNodes{least, target, std::nullopt};
            if (rng.chance(1, 2)) fleet.nodes->max = target + Count(1);
            fleet.blocks.is_auto = rng.chance(1, 2);
            if (rng.chance(1, 2)) fleet.placement = FleetPlacement::cluster;
            for (const std::string& host : words()) {
                if (!fleet.ssh_config) fleet.ssh_config.emplace();
                fleet.ssh_config->hosts.push_back({host, std::nullopt, {}});
                if (rng.chance(1, 2)) fleet.ssh_config->hosts.back().blocks.emplace();
            }
        } else {
            auto& run = configuration.run.emplace();
            run.profile = profile;
            run.profile.fleets = words();
            run.profile.max_duration = limit();
            run.profile.stop_duration = limit();
            run.kind = rng.chance(1, 2) ? dstack::RunKind::task : dstack::RunKind::service;
            run.priority = Count(static_cast<std::int64_t>(rng.below(101)));
            if (run.kind == dstack::RunKind::task) {
                run.nodes = Count(static_cast<std::int64_t>(1 + rng.below(9)));
            }
            int number = 0;
            for (const std::string& value : words()) {
                run.env.push_back({fmt::format("V{}", number++), value});
            }
        }
        INFO(to_text(configuration));
        CHECK(dstack::parse_configuration(to_text(configuration)).value() == configuration);
    }
}

TEST_CASE("dstack files: bare values of resources may mean at least", "[dialect][dstack]") {
    const std::string_view yaml = "type: task\nnodes: 2\nresources: {memory: 32GB, gpu: A100:2}\n";
    const auto least = dstack::parse_configuration(yaml, dstack::BareValue::minimum);
    REQUIRE(least.ok());
    CHECK(pretty_text(least->run->resources) == "cpu=2.. mem=32GB.. disk=100GB.. gpu=A100:2..");
    CHECK(least->run->nodes == Count(2));
}
