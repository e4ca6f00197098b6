// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/offers/combine.hpp"

#include <string>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/configuration.hpp"

namespace trestle {
namespace {

dstack::Resources resources(const char* yaml) {
    const auto read = dstack::parse_resources(yaml);
    INFO(yaml);
    REQUIRE(read.ok());
    return *read;
}

dstack::Profile profile(const char* yaml) {
    const auto read = dstack::parse_configuration("type: task\n" + std::string(yaml));
    INFO(yaml);
    REQUIRE(read.ok());
    return read->run->profile;
}

/// The key in the combination, or the reason why there is none.
std::string resources_line(const char* fleet, const char* run, const std::string& key) {
    const auto both = combine(resources(fleet), resources(run));
    if (!both) return to_text(both.refusal());
    const std::string text = to_text(*both);
    const std::size_t at = text.find(key + ": ");
    return at == text.npos ? "" : text.substr(at, text.find('\n', at) - at);
}

}  // namespace

TEST_CASE("dstack combine: resources of fleet and run", "[dialect][dstack]") {
    struct Row {
        const char* fleet;
        const char* run;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"cpu: 4..", "cpu: ..8", "cpu: 4..8", "two open ranges"},
        {"cpu: 4..8", "cpu: 8..16", "cpu: 8", "they touch"},
        {"cpu: 4..8", "cpu: 9..", "cores: cpu: the fleet has 4..8, the run wants 9..",
         "they do not"},
        {"cpu: x86:4..", "cpu: 2..", "cpu: x86:4..", "one says the architecture"},
        {"cpu: arm:2..", "cpu: x86:2..", "features: cpu.arch: the fleet has arm, the run wants x86",
         "both say it"},
        {"memory: 16GB..64GB", "memory: 32GB..", "memory: 32GB..64GB", "memory"},
        {"memory: 16GB", "memory: 32GB..",
         "memory: memory: the fleet has 16GB, the run wants 32GB..", "a bare value is exact"},
        {"disk: null", "disk: 50GB..", "disk: 50GB..", "null says nothing"},
        {"disk: 200GB..", "disk: null", "disk: 200GB..", "the other way round"},
        {"disk: 200GB..", "disk: ..100GB",
         "disk: disk: the fleet has 200GB.., the run wants ..100GB", "no disk is both"},
        {"gpu: null", "gpu: A100", "gpu: A100:1..", "null says nothing"},
        {"gpu: A100,H100", "gpu: h100,T4", "gpu: H100:1..", "names in the fleet's spelling"},
        {"gpu: A100", "gpu: H100",
         "device_attributes: gpu.name: the fleet has A100, the run wants H100",
         "no name in common"},
        {"gpu: nvidia", "gpu: A100:2", "gpu: nvidia:A100:2", "vendor and name"},
        {"gpu: nvidia", "gpu: amd",
         "device_attributes: gpu.vendor: the fleet has nvidia, the run wants amd", "two vendors"},
        {"gpu: 0..8", "gpu: 2..16", "gpu: 2..8", "counts"},
        {"gpu: 8", "gpu: 1", "devices: gpu.count: the fleet has 8, the run wants 1",
         "exact counts"},
        {"gpu: 24GB..", "gpu: ..80GB", "gpu: 24GB..80GB:1..", "memory of each"},
        {"gpu: {compute_capability: 8.0..}", "gpu: {compute_capability: 9.0..}",
         "gpu: {count: 1.., compute_capability: 9.0..}", "the stronger bound wins"},
        {"gpu: {compute_capability: 9.0..}", "gpu: {compute_capability: 8.0..}",
         "gpu: {count: 1.., compute_capability: 9.0..}", "whoever says it"},
        {"gpu: {compute_capability: 9.0..}", "gpu: {compute_capability: ..8.9}",
         "device_attributes: gpu.compute_capability: the fleet has 9.0.., the run wants ..8.9",
         "none is both"},
        {"gpu: {total_memory: 80GB..}", "gpu: {total_memory: ..640GB}",
         "gpu: {count: 1.., total_memory: 80GB..640GB}", "memory of all"},
        {"shm_size: 16GB", "shm_size: 8GB", "shm_size: 8GB", "the smaller"},
        {"shm_size: 16GB", "{}", "shm_size: 16GB", "the only one"},
        {"cpu: 1\nmemory: 1GB", "cpu: 2\nmemory: 2GB",
         "cores: cpu: the fleet has 1, the run wants 2", "the first disagreement"},
    };
    for (const Row& row : rows) {
        INFO(row.fleet << " | " << row.run << ": " << row.why);
        const std::string expected = row.expected;
        CHECK(resources_line(row.fleet, row.run, expected.substr(0, expected.find(':'))) ==
              expected);
    }
    const auto any = combine(dstack::Resources::unconstrained(), resources("cpu: 3"));
    CHECK(*any == resources("cpu: 3"));  // a fleet without resources takes what the run wants
}

TEST_CASE("dstack combine: profiles of fleet and run", "[dialect][dstack]") {
    struct Row {
        const char* fleet;
        const char* run;
        const char* expected;  ///< what a profile of these lines would be, or the reason
        const char* why;
    };
    const Row rows[] = {
        {"", "backends: [aws]", "backends: [aws]", "one says it"},
        {"backends: [AWS, gcp]", "backends: [gcp, aws, oci]", "backends: [AWS, gcp]",
         "the fleet's order and spelling"},
        {"backends: [aws]", "backends: [gcp]",
         "!candidates: backends: the fleet has aws, the run wants gcp", "nothing in common"},
        {"regions: [EU]", "regions: [eu, us]", "regions: [EU]", "regions have no case"},
        {"instance_types: [a]", "instance_types: [b]",
         "!candidates: instance_types: the fleet has a, the run wants b", "types"},
        {"availability_zones: [a, b]", "availability_zones: [b]", "availability_zones: [b]",
         "zones"},
        {"availability_zones: [a]", "availability_zones: [A]", "availability_zones: [a]",
         "whatever the case"},
        {"reservation: r", "reservation: r", "reservation: r", "the same"},
        {"reservation: r", "reservation: s",
         "!candidates: reservation: the fleet has r, the run wants s", "another"},
        {"spot_policy: auto", "spot_policy: spot", "spot_policy: spot", "auto gives way"},
        {"spot_policy: spot", "spot_policy: auto", "spot_policy: spot", "on both sides"},
        {"spot_policy: auto", "spot_policy: auto", "spot_policy: auto", "both auto"},
        {"", "spot_policy: auto", "spot_policy: on-demand", "a silent fleet is on-demand"},
        {"spot_policy: auto", "", "spot_policy: on-demand", "a silent run is on-demand"},
        {"spot_policy: on-demand", "", "spot_policy: on-demand", "both are"},
        {"spot_policy: spot", "",
         "!price: spot_policy: the fleet has spot, the run wants on-demand",
         "so this fleet is not for it"},
        {"", "spot_policy: spot",
         "!price: spot_policy: the fleet has on-demand, the run wants spot",
         "a silent fleet is on-demand"},
        {"", "", "", "silent together: on-demand, as of any silent profile"},
        {"spot_policy: spot", "spot_policy: on-demand",
         "!price: spot_policy: the fleet has spot, the run wants on-demand", "both say it"},
        {"max_price: 2", "max_price: 1", "max_price: 1", "the lower"},
        {"max_price: 2", "", "max_price: 2", "the only one"},
        {"idle_duration: 5m", "idle_duration: 1m", "idle_duration: 1m", "the shorter"},
        {"idle_duration: off", "idle_duration: 1h", "idle_duration: 1h", "off is longest"},
        {"idle_duration: 1h", "idle_duration: off", "idle_duration: 1h", "on both sides"},
        {"idle_duration: off", "idle_duration: off", "idle_duration: off", "both off"},
        {"retry: true", "", "retry: true", "the fleet's where the run has none"},
        {"retry: true", "retry: false", "retry: false", "else the run's"},
        {"max_duration: 1h", "max_duration: 2h", "max_duration: 2h", "runs alone say how long"},
    };
    for (const Row& row : rows) {
        INFO(row.fleet << " | " << row.run << ": " << row.why);
        const auto both = combine(profile(row.fleet), profile(row.run));
        if (row.expected[0] == '!') {
            REQUIRE_FALSE(both);
            CHECK(to_text(both.refusal()) == row.expected + 1);
        } else {
            REQUIRE(both);
            CHECK(to_text(*both) == to_text(profile(row.expected)));
        }
    }
}

TEST_CASE("dstack combine: as 0.21 does it", "[dialect][dstack]") {
    using enum dstack::Release;
    struct Row {
        const char* fleet;
        const char* run;
        dstack::Release release;
        const char* bound;  ///< empty: they do not combine
        const char* why;
    };
    const Row rows[] = {
        {"gpu: {compute_capability: 8.0..}", "gpu: {compute_capability: 9.0..}", v0_22, "9.0..",
         "the stronger"},
        {"gpu: {compute_capability: 8.0..}", "gpu: {compute_capability: 9.0..}", v0_21, "8.0..",
         "the weaker"},
        {"gpu: {compute_capability: 8.0..}", "gpu: 1", v0_21, "8.0..", "the only one"},
        {"gpu: {name: A100}", "gpu: {name: a100, compute_capability: 8.0..}", v0_22, "8.0..",
         "names in any case"},
        {"gpu: {name: A100}", "gpu: {name: a100, compute_capability: 8.0..}", v0_21, "",
         "names letter by letter"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto both = combine(resources(row.fleet), resources(row.run), row.release);
        CHECK(both.has_value() == (*row.bound != '\0'));
        if (both) CHECK(to_text(both->gpu->compute_capability) == row.bound);
    }
    CHECK(combine(profile("regions: [EU]"), profile("regions: [eu]")));
    CHECK_FALSE(combine(profile("regions: [EU]"), profile("regions: [eu]"), v0_21));
}

}  // namespace trestle
