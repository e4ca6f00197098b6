// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/match.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alloc/market/offer_constraint.hpp"
#include "alloc/market/offer_tests.hpp"
#include "support/catch.hpp"
#include "trestle/alloc/market/blocks.hpp"
#include "trestle/alloc/market/match_catalog.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

Offer offer(std::int64_t cpus, std::int64_t memory_gib, std::int64_t cents) {
    Offer one;
    one.cpus = Count(cpus);
    one.memory = gib(memory_gib);
    one.price = Microdollars(cents * 10'000);
    return one;
}

Offer::Devices gpus(std::int64_t count, const char* model, std::int64_t memory_gib) {
    Offer::Devices devices;
    devices.vendor = "nvidia";
    devices.model = model;
    devices.memory = gib(memory_gib);
    devices.count = Count(count);
    return devices;
}

/// A small price list. An A10G has 24 GB, so that `40GB..80GB` leaves the g5 out.
std::vector<Offer> price_list() {
    std::vector<Offer> offers = {offer(96, 1360, 2939), offer(48, 192, 567),
                                 offer(12, 85, 367),    offer(32, 128, 150),
                                 offer(24, 220, 358),   offer(192, 2048, 5500)};
    offers[0].instance = "a2-megagpu-16g";
    offers[0].devices = {gpus(16, "A100", 40)};
    offers[1].instance = "g5.12xlarge";
    offers[1].devices = {gpus(4, "A10G", 24)};
    offers[2].instance = "a2-highgpu-1g";
    offers[2].devices = {gpus(1, "A100", 40)};
    offers[3].instance = "c6i.8xlarge";
    offers[4].instance = "nc24ads-a100";
    offers[4].devices = {gpus(1, "A100", 80)};
    offers[5].instance = "p5.48xlarge";
    offers[5].devices = {gpus(8, "H100", 80)};
    return offers;
}

Request gpu_request(Range<Bytes> memory, Range<Count> count) {
    Request request;
    request.devices = {DeviceRequest{}};
    request.devices[0].memory = memory;
    request.devices[0].count = count;
    return request;
}

Range<Bytes> gibs(std::int64_t least, std::int64_t most) {
    return Range<Bytes>::between(gib(least), gib(most));
}
Range<Count> counts(std::int64_t least, std::int64_t most) {
    return Range<Count>::between(Count(least), Count(most));
}

std::string names(const std::vector<Offer>& offers, const Request& request) {
    const Catalog catalog = Catalog::read(offers).catalog;
    std::string text;
    for (const CatalogMatch& match : match_offers(catalog, request)) {
        text += (text.empty() ? "" : ", ") + catalog[match.offer].instance;
    }
    return text;
}

}  // namespace

TEST_CASE("match_offers: what matches, cheapest first", "[alloc]") {
    struct Row {
        Request request;
        const char* expected;
        const char* why;
    };
    Request cpus;
    cpus.cpus_per_task = Range<Count>::at_least(Count(32));
    Request cheap = gpu_request({}, Range<Count>::at_least(Count(1)));
    cheap.price_max = Microdollars(3'670'000);
    Request a100 = gpu_request(gibs(80, 80), counts(1, 8));
    a100.devices[0].models = {"a100"};
    Request either = gpu_request({}, counts(1, 4));
    either.devices[0].models = {"A10G", "A100"};
    Request total = gpu_request({}, Range<Count>::at_least(Count(1)));
    total.devices[0].total_memory = Range<Bytes>::at_least(gib(200));
    Request no_gpu = gpu_request({}, counts(0, 0));
    const Row rows[] = {
        {gpu_request(gibs(40, 80), counts(1, 8)), "nc24ads-a100, a2-highgpu-1g, p5.48xlarge",
         "40GB..80GB:1..8 leaves out the A10G with 24 GB, and the one with 16 GPUs"},
        {gpu_request(gibs(40, 80), counts(4, 8)), "p5.48xlarge", "40GB..80GB:4..8"},
        {gpu_request({gib(24), {}}, Range<Count>::at_least(Count(1))),
         "nc24ads-a100, a2-highgpu-1g, g5.12xlarge, a2-megagpu-16g, p5.48xlarge", "24GB.."},
        {a100, "nc24ads-a100", "A100:80GB, the model in any case"},
        {either, "nc24ads-a100, a2-highgpu-1g, g5.12xlarge", "A10G,A100"},
        {total, "a2-megagpu-16g, p5.48xlarge", "200 GB in all"},
        {cheap, "nc24ads-a100, a2-highgpu-1g", "the highest price is still paid"},
        {cpus, "c6i.8xlarge, g5.12xlarge, a2-megagpu-16g, p5.48xlarge",
         "32 CPUs at least; GPUs that nobody asked for do not hinder"},
        {no_gpu, "c6i.8xlarge", "none wanted: only an offer without any"},
        {gpu_request(gibs(16, 16), counts(1, 1)), "", "nothing matches"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(names(price_list(), row.request) == row.expected);
    }
}

TEST_CASE("check_offer: the first test that fails is the reason", "[alloc]") {
    struct Row {
        void (*change)(Offer&, Request&);
        Constraint constraint;
        const char* reason;
        const char* why;
    };
    const Row rows[] = {
        {[](Offer& o, Request&) { o.availability = Offer::Availability::no_quota; },
         Constraint::node_state, "it is no_quota", "it cannot be had"},
        {[](Offer&, Request& r) { r.price_max = Microdollars(29'999'999); }, Constraint::price,
         "it costs 30000000", "a microdollar too dear"},
        {[](Offer&, Request& r) { r.architecture = Architecture::arm; }, Constraint::features,
         "asked arm, it is x86", "another architecture"},
        {[](Offer& o, Request&) { o.blocks = Count(3); }, Constraint::blocks,
         "64 CPUs do not divide into 3 blocks", "CPUs do not divide"},
        {[](Offer& o, Request&) { o.blocks = Count(16); }, Constraint::blocks,
         "8 gpu do not divide into 16 blocks", "GPUs do not divide"},
        {[](Offer& o, Request& r) {
             o.disk = gib(99);
             r.disk = Range<Bytes>::at_least(gib(100));
         },
         Constraint::disk, "asked 100GiB.. of disk, it has 99GiB", "too small a disk"},
        {[](Offer&, Request& r) { r.cpus_per_task = counts(65, 70); }, Constraint::cores,
         "asked 65..70 CPUs, it has 64", "too few CPUs"},
        {[](Offer&, Request& r) { r.cpus_per_task = counts(1, 63); }, Constraint::cores,
         "asked 1..63 CPUs, it has 64", "too many CPUs"},
        {[](Offer&, Request& r) { r.milli_cpus = MilliCpu(63'001); }, Constraint::cores,
         "asked 65.. CPUs, it has 64", "64 in thousandths and one more"},
        {[](Offer&, Request& r) {
             r.cpus_per_task = counts(0, 0);
             r.milli_cpus = MilliCpu(64'001);
         },
         Constraint::cores, "asked 65.. CPUs, it has 64", "thousandths alone"},
        {[](Offer&, Request& r) { r.memory = Range<Bytes>::at_least(gib(513)); },
         Constraint::memory, "asked 513GiB.. of memory, it has 512GiB", "too little memory"},
        {[](Offer&, Request& r) { r.devices[0].count = counts(1, 4); },
         Constraint::device_attributes, "asked 1..4 gpu, it has 8", "more GPUs than wanted"},
        {[](Offer&, Request& r) { r.devices[0].memory = gibs(40, 40); },
         Constraint::device_attributes, "gpu A100 has 80GiB of memory, asked 40GiB",
         "another kind"},
        {[](Offer&, Request& r) {
             r.devices[0].models = {"H100", "H200"};
         },
         Constraint::device_attributes, "it has gpu A100, asked H100 or H200", "another model"},
        {[](Offer&, Request& r) { r.devices[0].vendor = "amd"; }, Constraint::device_attributes,
         "gpu A100 is of nvidia, asked amd", "another vendor"},
        {[](Offer&, Request& r) {
             r.devices[0].compute_capability.min = Version{9, 0};
         },
         Constraint::device_attributes, "gpu A100 has compute capability unknown, asked 9",
         "nobody knows whether it is new enough"},
        {[](Offer&, Request& r) { r.devices[0].share_kind = ShareKind::shard; },
         Constraint::device_attributes, "gpu A100 has no shares, asked share_kind shard",
         "offered devices are whole"},
        {[](Offer&, Request& r) { r.devices[0].mig_profile = "1g.10gb"; },
         Constraint::device_attributes, "gpu A100 has no MIG profile, asked mig_profile 1g.10gb",
         "nor MIG instances"},
        {[](Offer&, Request& r) {
             r.devices[0].attributes = {
                 {"nvlink", DeviceRequest::AttributeTest::Comparison::equal, "1"}};
         },
         Constraint::device_attributes, "gpu A100 has no attributes, asked nvlink",
         "a price list has no attributes"},
        {[](Offer&, Request& r) {
             r.memory = Range<Bytes>::at_least(gib(65));
             r.memory_per = Per::device;
         },
         Constraint::memory, "asked 520GiB.. of memory for 8 devices, it has 512GiB",
         "memory for each device"},
        {[](Offer&, Request& r) {
             r.memory = Range<Bytes>::at_least(gib(1));
             r.memory_per = Per::device;
             r.devices[0].name = "tpu";
         },
         Constraint::devices, "asked 8 tpu, it has none", "memory for devices that are not there"},
        {[](Offer&, Request& r) { r.cpus_per_device = Count(9); }, Constraint::cores,
         "asked 72 CPUs for 8 devices, it has 64", "CPUs for each device"},
        {[](Offer&, Request& r) {
             r.devices = {2, r.devices[0]};
         },
         Constraint::device_attributes, "asked 8 gpu more, 0 of 8 are left",
         "the same devices twice"},
        {[](Offer&, Request& r) { r.devices[0].name = "tpu"; }, Constraint::devices,
         "asked 8 tpu, it has none", "no such devices"},
        {[](Offer&, Request& r) { r.devices[0].total_memory.max = gib(639); },
         Constraint::device_attributes, "it has 640GiB", "too much memory in all"},
        {[](Offer& o, Request& r) {
             o.availability = Offer::Availability::busy;
             r.price_max = Microdollars();
             r.cpus_per_task = counts(65, 70);
         },
         Constraint::node_state, "it is busy", "the first of three"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Offer one = offer(64, 512, 3'000);
        one.devices = {gpus(8, "A100", 80)};
        Request request = gpu_request({}, counts(8, 8));
        REQUIRE(check_offer(one, request).has_value());
        row.change(one, request);
        REQUIRE(message(check(request)) == "");
        const auto answer = check_offer(one, request);
        REQUIRE(!answer.has_value());
        CHECK(to_text(answer.refusal().constraint) == to_text(row.constraint));
        const auto refusal = explain_offer(one, request);
        REQUIRE(refusal);
        CHECK(constraint_of(refusal->test) == row.constraint);
        CHECK_THAT(answer.refusal().reason, ContainsSubstring(row.reason));
    }
}

TEST_CASE("check_offer: an unknown disk matches every demand", "[alloc]") {
    Request request;
    request.disk = Range<Bytes>::at_least(tib(9));
    CHECK(check_offer(offer(1, 1, 1), request).has_value());
}

TEST_CASE("check_offer: memory and CPUs for each device are those of all devices", "[alloc]") {
    Offer one = offer(64, 512, 3'000);
    one.devices = {gpus(8, "A100", 80)};
    Request request = gpu_request({}, counts(4, 8));
    request.memory = Range<Bytes>::exactly(gib(64));
    request.memory_per = Per::device;
    request.cpus_per_device = Count(8);
    CHECK(check_offer(one, request).has_value());
    request.devices[0].count = counts(0, 8);
    one.devices.clear();
    CHECK(check_offer(one, request).has_value());  // for each of no devices
}

TEST_CASE("check_offer: demands of one name share the devices out", "[alloc]") {
    Offer one = offer(64, 512, 3'000);
    one.devices = {gpus(4, "A100", 80), gpus(4, "T4", 16)};
    Request request = gpu_request({}, counts(4, 4));
    request.devices.push_back(request.devices[0]);
    CHECK(check_offer(one, request).has_value());
    request.devices[1].models = {"A100"};
    CHECK(check_offer(one, request).refusal().reason == "it has gpu T4, asked A100");
    std::swap(request.devices[0], request.devices[1]);
    CHECK(check_offer(one, request).has_value());  // the narrow demand first
    request = gpu_request({}, counts(2, 4));
    request.devices.push_back(request.devices[0]);
    one.devices.pop_back();
    CHECK(check_offer(one, request).has_value());  // two and two are four
}

TEST_CASE("check_offer: kinds of devices that all are as wanted count together", "[alloc]") {
    struct Row {
        Request request;
        const char* expected;
        const char* why;
    };
    const auto of_model = [](Request request, const char* model) {
        request.devices[0].models = {model};
        return request;
    };
    Request total = gpu_request({}, counts(8, 8));
    total.devices[0].total_memory = Range<Bytes>::exactly(gib(384));
    Request too_much = total;
    too_much.devices[0].total_memory = Range<Bytes>::at_least(gib(385));
    Request twice = gpu_request({}, counts(8, 8));
    twice.devices.push_back(twice.devices.front());
    const Row rows[] = {
        {gpu_request({}, counts(8, 8)), "", "four and four are eight"},
        {gpu_request({}, counts(4, 4)), "", "four of one kind are enough"},
        {gpu_request({}, counts(5, 7)), "asked 5..7 gpu, it has 4", "neither four nor eight"},
        {gpu_request(gibs(24, 80), counts(8, 8)), "asked 8 gpu, it has 4",
         "only four are so large"},
        {of_model(gpu_request({}, counts(4, 4)), "A100"), "", "the others are not asked"},
        {of_model(gpu_request({}, counts(8, 8)), "A100"), "asked 8 gpu, it has 4", "only four"},
        {total, "", "4 x 80 and 4 x 16"},
        {too_much, "asked 8 gpu, it has 4", "a GB more than there is"},
        {twice, "asked 8 gpu, it has 4", "the first demand has them all"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Offer one = offer(64, 512, 3'000);
        one.devices = {gpus(4, "A100", 80), gpus(4, "T4", 16)};
        const auto answer = check_offer(one, row.request);
        CHECK(answer.has_value() == (row.expected[0] == 0));
        if (!answer) CHECK_THAT(answer.refusal().reason, ContainsSubstring(row.expected));
    }
}

TEST_CASE("zones_left, disk_of: what an instance will have", "[alloc]") {
    Offer one = offer(64, 512, 3'000);
    one.backend = "aws";
    one.availability_zones = {"a", "b", "c"};
    OfferFilter filter;
    CHECK(zones_left(one, filter) == one.availability_zones);
    filter.availability_zones = {"c", "A"};
    CHECK(zones_left(one, filter) == std::vector<std::string>{"a", "c"});
    Request request;
    CHECK(disk_of(one, request, filter) == std::nullopt);
    request.disk = Range<Bytes>::at_least(gib(50));
    CHECK(disk_of(one, request, filter) == gib(50));
    Backend aws;
    aws.name = "AWS";
    aws.disk = gibs(100, 1000);
    filter.capabilities = {aws};
    CHECK(disk_of(one, request, filter) == gib(100));
    request.disk = Range<Bytes>::at_least(gib(200));
    CHECK(disk_of(one, request, filter) == gib(200));
    request.disk = Range<Bytes>::at_most(gib(99));
    CHECK(disk_of(one, request, filter) == std::nullopt);
    one.disk = gib(7);
    CHECK(disk_of(one, request, filter) == gib(7));
}

TEST_CASE("check_offer: the fewest blocks that are enough are taken", "[alloc]") {
    Offer one = offer(128, 2048, 3'000);
    one.devices = {gpus(8, "A100", 80)};
    one.blocks = Count(8);
    struct Row {
        std::int64_t gpus;
        std::int64_t cpus;
        std::int64_t memory_gib;
        std::int64_t blocks;
        const char* why;
    };
    const Row rows[] = {
        {1, 1, 0, 1, "one GPU is one block"},
        {1, 16, 256, 1, "all of a block"},
        {2, 1, 0, 2, "two GPUs are two blocks"},
        {2, 17, 0, 2, "CPUs of two blocks"},
        {2, 1, 257, 2, "memory of two blocks"},
        {4, 33, 1024, 4, "CPUs of three blocks, memory of four"},
        {8, 1, 0, 8, "all of it"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        Request request = gpu_request({}, counts(row.gpus, row.gpus));
        request.cpus_per_task = Range<Count>::at_least(Count(row.cpus));
        request.memory = Range<Bytes>::at_least(gib(row.memory_gib));
        const auto answer = check_offer(one, request);
        REQUIRE(answer.has_value());
        CHECK(answer->share.blocks == Count(row.blocks));
        CHECK(answer->share.cpus == Count(16 * row.blocks));
        CHECK(answer->share.memory == gib(256 * row.blocks));
        CHECK(answer->price == one.price);
        request.exclusivity = Exclusivity::whole_node;
        CHECK(check_offer(one, request).has_value() == (row.gpus == 8));
    }
}

TEST_CASE("check_offer: of many blocks the reason is that of all", "[alloc]") {
    Offer one = offer(65'536, 100, 1);
    one.blocks = Count(65'536);
    Request request;
    request.cpus_per_task = Range<Count>::at_least(Count(1));
    const auto reason_of = [&] { return explain_offer(one, request)->reason; };
    request.memory = Range<Bytes>::at_least(gib(101));
    CHECK(reason_of() == "asked 101GiB.. of memory, it has 100GiB");
    request.memory = Range<Bytes>::at_least(gib(100));
    CHECK(check_offer(one, request)->share.blocks == Count(65'536));
    request.memory = Range<Bytes>::at_least(gib(50));
    CHECK(check_offer(one, request)->share.blocks == Count(32'768));
    request.devices = gpu_request({}, counts(1, 1)).devices;
    CHECK(reason_of() == "asked 1 gpu, it has none");
    one.memory = Bytes(7);  // less than a byte a block
    request.devices.clear();
    request.memory = Range<Bytes>::at_least(Bytes(1));
    CHECK(check_offer(one, request)->share.blocks == Count(65'536));
}

TEST_CASE("check_offer: the filter says into how many blocks offers are cut", "[alloc]") {
    Offer one = offer(12, 48, 1);
    one.devices = {gpus(4, "A100", 40)};
    const Request request = gpu_request({}, counts(1, 2));
    struct Row {
        std::optional<BlockCount> blocks;
        const char* backend;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {{}, "pods", "asked 1..2 gpu, it has 4", "as it is, one block"},
        {BlockCount{false, Count(2)}, "vms", "1 of 2", "two GPUs each"},
        {BlockCount{true, Count(1)}, "vms", "1 of 4", "one GPU each"},
        {BlockCount{false, Count(3)}, "vms", "4 gpu do not divide into 3 blocks", "no third"},
        {BlockCount{false, Count(2)}, "pods", "backend pods has no blocks", "cannot be cut"},
        {BlockCount{false, Count(2)}, "", "1 of 2", "nobody knows whether it can be cut"},
        {BlockCount{false, Count(0)}, "vms", "0 blocks, expected 1 or more", "none"},
        {BlockCount{false, Count(65'537)}, "vms", "65537 blocks, expected 65536 at most", "many"},
    };
    OfferFilter filter;
    filter.capabilities.resize(2);
    filter.capabilities[0].name = "pods";
    filter.capabilities[0].kind = Backend::Kind::container;
    filter.capabilities[1].name = "vms";
    filter.capabilities[1].kind = Backend::Kind::vm;
    for (const Row& row : rows) {
        INFO(row.why);
        one.backend = row.backend;
        filter.blocks = row.blocks;
        const auto match = check_offer(one, request, filter);
        const auto whole = row.blocks ? with_blocks(one, *row.blocks) : one;
        const std::string said = match ? fmt::format("{} of {}", match->share.blocks, whole.blocks)
                                       : match.refusal().reason;
        CHECK(said == row.expected);
    }
}

}  // namespace trestle
