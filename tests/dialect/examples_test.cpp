// SPDX-License-Identifier: Apache-2.0
// The examples that this project promises to get right, each with the value that its source states.
#include <fstream>
#include <iterator>

#include "support/catch.hpp"
#include "support/paths.hpp"
#include "trestle/alloc/market/blocks.hpp"
#include "trestle/alloc/market/match.hpp"
#include "trestle/alloc/market/match_catalog.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/offers_csv.hpp"
#include "trestle/dialect/dstack/quantities.hpp"
#include "trestle/dialect/dstack/resources.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/options/options.hpp"

using namespace trestle;

namespace {

std::string example_file(const char* name) {
    std::ifstream file(test_dir().parent_path() / "examples" / name);
    REQUIRE(file.good());
    return std::string((std::istreambuf_iterator<char>(file)), {});
}

Request slurm_request(const std::vector<std::string>& words) {
    return slurm::parse_options(words).value().request;
}

Request dstack_request(const std::string& yaml) {
    return to_request(dstack::parse_resources(yaml).value());
}

}  // namespace

TEST_CASE("Example 1: memory is counted in units of 1024", "[dialect][golden]") {
    struct Row {
        Range<Bytes> memory;
        std::int64_t expected;  ///< the lower end
        const char* why;
    };
    const Row rows[] = {
        {slurm_request({"--mem=16G"}).memory, 17179869184, "Slurm, 16 GiB"},
        {slurm_request({"--mem=32G"}).memory, 34359738368, "Slurm, 32 GiB"},
        {dstack_request("memory: 4GB").memory, 4294967296, "dstack, GB is GiB"},
        {dstack_request("memory: 32GB").memory, 34359738368, "dstack, the same 32 GiB"},
        {dstack_request("memory: 200GB..").memory, 214748364800, "the lower end of a range"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(row.memory.least().value() == row.expected);
    }
    CHECK(dstack_request("memory: 32GB").memory.is_single());  // exact, whatever the guide says
    CHECK_FALSE(dstack_request("memory: 200GB..").memory.max.has_value());
}

TEST_CASE("Example 2: device lines belong to their node", "[dialect][golden]") {
    const auto nodes = slurm::parse_nodes(
        {.slurm_conf = "NodeName=gpu-node01 Gres=gpu:a100:4\nNodeName=gpu-node02\n",
         .gres_conf = "NodeName=gpu-node01 Name=gpu Type=a100 File=/dev/nvidia[0-3]\n"});
    REQUIRE(nodes.ok());
    const std::vector<Device>& devices = nodes->nodes.at(0).shape->devices;
    REQUIRE(devices.size() == 4);
    for (std::uint32_t i = 0; i < 4; ++i) {
        CHECK(devices[i].name == "gpu");
        CHECK(devices[i].type == "a100");
        CHECK(devices[i].index == i);
        REQUIRE(devices[i].files.size() == 1);
        CHECK(devices[i].files[0].path == fmt::format("/dev/nvidia{}", i));
    }
    CHECK(nodes->nodes.at(1).shape->devices.empty());
    CHECK(slurm::parse_gres_conf("AutoDetect=nvml").value().front().autodetect ==
          slurm::AutoDetect::nvml);
}

TEST_CASE("Example 3: GRES of any type, of one type, and comments behind options",
          "[dialect][golden]") {
    const Request any = slurm_request({"--gres=gpu:2"});
    CHECK(any.devices.at(0).types.empty());
    CHECK(any.devices.at(0).count == Range<Count>::exactly(Count(2)));
    CHECK(slurm_request({"--gres=gpu:a100:2"}).devices.at(0).types ==
          std::vector<std::string>{"a100"});

    struct Row {
        const char* line;
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"--gres=gpu:2  # Request 2 GPUs of any type", "{gres=[gpu:2]}", "two blanks"},
        {"--ntasks=32          # 32 GPUs total (8 per node)", "{ntasks=32}", "many blanks"},
        {"--signal=B:USR1@300  # five minutes before",
         "{signal={number=10, before=300, to_batch_shell=true}}", "an option with signs"},
        {"--requeue  # start again", "{requeue=yes}", "an option without a value"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const auto script = slurm::parse_script(std::string("#SBATCH ") + row.line);
        REQUIRE(script.ok());
        CHECK(to_text(script->components.front().options) == row.expected);
    }
}

TEST_CASE("Example 4: printed GRES are read, and printed as Slurm does", "[dialect][golden]") {
    const auto printed = [](const char* text) {
        return slurm::gres_list_text(slurm::parse_gres_details(text).value());
    };
    CHECK(printed("gpu:2(IDX:0,1)") == "gpu:2(IDX:0-1)");
    CHECK(printed("gpu:8(IDX:0,1,2,3,4,5,6,7)") == "gpu:8(IDX:0-7)");
}

TEST_CASE("Example 6: blocks hold equal parts, or the instance does not divide",
          "[dialect][golden]") {
    Offer offer;
    offer.cpus = Count(128);
    offer.memory = tib(2);
    offer.devices = {{"gpu", "nvidia", "A100", gib(80), Count(8), {}}};
    offer.blocks = Count(8);
    const auto one = check_offer(offer, dstack_request("gpu: A100:80GB:1"));
    REQUIRE(one);
    CHECK(one->share.blocks == Count(1));
    CHECK(one->share.cpus == Count(16));
    CHECK(one->share.memory == gib(256));
    CHECK(one->share.devices.at(0).count == Count(1));

    offer.blocks = Count(4);
    for (std::int64_t gpus = 4; gpus <= 8; ++gpus) {
        INFO(gpus << " GPUs in 4 blocks");
        offer.devices[0].count = Count(gpus);
        const auto whole = check_offer(offer, dstack_request("gpu: 40GB..80GB:4..8"));
        if (gpus % 4 == 0) {
            REQUIRE(whole);
            CHECK(share_of(offer, Count(1)).devices.at(0).count == Count(gpus / 4));
        } else {
            REQUIRE_FALSE(whole);
            CHECK(whole.refusal().constraint == Constraint::blocks);
        }
    }
}

TEST_CASE("Example 7: GPU specifications", "[dialect][golden]") {
    struct Row {
        const char* spec;
        const char* expected;  ///< vendor, names, memory, count
        const char* why;
    };
    const Row rows[] = {
        {"1", "|||1", "a number is a count"},
        {"nvidia:2", "nvidia|||2", "a vendor"},
        {"A100", "|A100||1..", "without a count one or more, not one"},
        {"A10G,A100", "|A10G,A100||1..", "any of two"},
        {"24GB..", "||24GB..|1..", "at least"},
        {"24GB..40GB:2", "||24GB..40GB|2", "a range and a count"},
        {"A100:80GB", "|A100|80GB|1..", "exact memory"},
        {"A100:2", "|A100||2", "exact count"},
        {"A100:40GB:2", "|A100|40GB|2", "all three"},
        {"40GB..80GB:4", "||40GB..80GB|4", "memory range, exact count"},
        {"40GB..80GB:4..8", "||40GB..80GB|4..8", "two ranges"},
        {"40GB..80GB:1..8", "||40GB..80GB|1..8", "from one"},
        {"40GB..80GB:2..8", "||40GB..80GB|2..8", "from two"},
        {"A100:80GB:4", "|A100|80GB|4", "four"},
        {"A100:80GB:8", "|A100|80GB|8", "eight"},
        {"A100:80GB:1", "|A100|80GB|1", "one"},
        {"nvidia:1..8", "nvidia|||1..8", "a vendor and a range"},
    };
    for (const Row& row : rows) {
        INFO(row.spec << ": " << row.why);
        const dstack::GpuSpec gpu = dstack::parse_gpu(row.spec).value();
        std::string names;
        for (const std::string& name : gpu.names) names += (names.empty() ? "" : ",") + name;
        CHECK(gpu.vendor + "|" + names + "|" +
                  (gpu.memory.is_open() ? "" : dstack::memory_range_text(gpu.memory)) + "|" +
                  to_text(gpu.count) ==
              row.expected);
    }
}

TEST_CASE("Example 8: offers that match, cheapest first", "[dialect][golden]") {
    const auto offers = dstack::parse_offers_csv(example_file("offers.csv")).value();
    const Catalog catalog = Catalog::read(offers).catalog;
    const auto first = [&](const char* yaml) {
        const auto matches = match_offers(catalog, dstack_request(yaml));
        REQUIRE_FALSE(matches.empty());
        const Offer offer = catalog[matches.front().offer];
        return fmt::format("{} {}", offer.instance, offer.price);
    };
    CHECK(first("gpu: 40GB..80GB:1..8") == "a2-highgpu-4g 3150000");
    // The guide lists g5.12xlarge first, but an A10G has 24 GB.
    CHECK(first("gpu: A10G,A100:4") == "g5.12xlarge 2030000");
    const auto a10g = check_offer(offers.at(0), dstack_request("gpu: 40GB..80GB:1..8"));
    REQUIRE_FALSE(a10g);
    CHECK(a10g.refusal().constraint == Constraint::device_attributes);
    CHECK(match_offers(catalog, dstack_request("gpu: 40GB..80GB:5..7")).size() == 3);
}

TEST_CASE("Example 9: sizes and counts of the guide", "[dialect][golden]") {
    const Request request =
        dstack_request("memory: 200GB..\ndisk: 500GB\ncpu: 32\nshm_size: 24GB\n");
    CHECK(request.memory == Range<Bytes>::at_least(gib(200)));
    CHECK(request.disk == Range<Bytes>::exactly(gib(500)));
    CHECK(request.cpus_per_task == Range<Count>::exactly(Count(32)));
    CHECK(request.shm_size == gib(24));
    CHECK(dstack_request("cpu: 8").cpus_per_task == Range<Count>::exactly(Count(8)));
    for (const std::int64_t size : {8, 16, 24}) {
        CHECK(dstack_request(fmt::format("shm_size: {}GB", size)).shm_size == gib(size));
    }
}

TEST_CASE("Examples: the described machine is consistent", "[dialect][golden]") {
    const auto nodes = slurm::parse_nodes(
        {.slurm_conf = example_file("node.conf"), .gres_conf = example_file("gres.conf")});
    INFO(message(nodes.status()));
    REQUIRE(nodes.ok());
    REQUIRE(nodes->nodes.size() == 1);
    const NodeShape& shape = *nodes->nodes.front().shape;
    CHECK(check(shape).ok());
    CHECK(shape.hardware.groups.size() == 2);
    CHECK(shape.cpu_count() == Count(64));
    CHECK(shape.total_memory() == gib(512));
    CHECK(shape.devices.size() == 4);
    CHECK(shape.links.size() == 2);
}
