// SPDX-License-Identifier: Apache-2.0
// What machines divide into, row by row.
#include "trestle/alloc/market/split.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle {
namespace {

/// `16 CPUs, 256GiB, 1 a100`: what there is of each, ordinary memory as one.
std::string amounts_text(const NodeShape& shape, const NodePlacement& part) {
    std::vector<std::string> words;
    if (!part.cores.is_empty()) {
        words.push_back(fmt::format("{} CPUs", shape.hardware.threads_of(part.cores).count()));
    }
    Bytes ordinary;
    for (const MemoryShare& share : part.memory) {
        if (shape.memory[share.domain.value()].is_ordinary()) ordinary += share.bytes;
    }
    if (!ordinary.is_zero()) words.push_back(to_text(ordinary));
    for (const MemoryShare& share : part.memory) {
        const MemoryDomain& domain = shape.memory[share.domain.value()];
        if (domain.is_ordinary()) continue;
        words.push_back(fmt::format("{} {}", domain.kind, share.bytes));
    }
    std::vector<std::string> devices;
    for (const DeviceShare& share : part.devices) {
        const Device& device = shape.devices[share.device.value()];
        devices.push_back(device.type.empty() ? device.name : device.type);
    }
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (i > 0 && devices[i] == devices[i - 1]) continue;
        const auto count = std::count(devices.begin(), devices.end(), devices[i]);
        words.push_back(fmt::format("{} {}", count, devices[i]));
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

std::string split_text(const NodeShape& shape, std::optional<Count> blocks) {
    const auto parts = split(shape, blocks);
    if (!parts) return "no: " + parts.refusal().reason;
    std::string text =
        fmt::format("{} x {}", parts->blocks.size(), amounts_text(shape, parts->blocks[0]));
    if (parts->rest != NodePlacement()) text += "; rest " + amounts_text(shape, parts->rest);
    if (parts->reserve != NodePlacement()) {
        text += "; reserve " + amounts_text(shape, parts->reserve);
    }
    return text;
}

}  // namespace

TEST_CASE("split: what machines divide into, and what is left over", "[alloc]") {
    struct Row {
        const char* node;
        std::optional<Count> blocks;  ///< absent: auto
        const char* expected;
        const char* why;
    };
    const Row rows[] = {
        {"2s64c mem=2T gpu:a100-80G:8", Count(8), "8 x 16 CPUs, 256GiB, 1 a100",
         "the guide's host: 1 GPU, 16 CPUs, 256 GB a block"},
        {"2s64c mem=2T gpu:a100-80G:8", Count(4), "4 x 32 CPUs, 512GiB, 2 a100",
         "two GPUs a block"},
        {"2s64c mem=2T gpu:a100-80G:8", Count(2), "2 x 64 CPUs, 1TiB, 4 a100", "a socket a block"},
        {"2s64c mem=2T gpu:a100-80G:8", Count(1), "1 x 128 CPUs, 2TiB, 8 a100", "uncut"},
        {"2s64c mem=2T gpu:a100-80G:8", std::nullopt, "8 x 16 CPUs, 256GiB, 1 a100",
         "as many as GPUs, which divides the cores"},
        {"2s64c mem=2T gpu:a100-80G:8", Count(16),
         "no: 8 gpu a100 do not divide into 16 blocks; 8 is the most that everything divides into",
         "more blocks than GPUs"},
        {"2s64c mem=2T gpu:a100-80G:8", Count(3),
         "no: 8 gpu a100 do not divide into 3 blocks; 8 is the most that everything divides into",
         "three divides neither"},
        {"2s64c mem=2T gpu:a100-80G:8", Count(0), "no: 0 blocks, expected 1 or more", "no block"},
        {"2s48c mem=1T gpu:a100-40G:4", Count(4), "4 x 24 CPUs, 256GiB, 1 a100",
         "4 GPUs in 4: one each"},
        {"4s8c mem=1T gpu:a100-40G:5", Count(4),
         "no: 5 gpu a100 do not divide into 4 blocks; 1 is the most that everything divides into",
         "5 GPUs do not divide"},
        {"4s8c mem=1T gpu:a100-40G:6", Count(4),
         "no: 6 gpu a100 do not divide into 4 blocks; 2 is the most that everything divides into",
         "6 GPUs do not divide"},
        {"4s8c mem=1T gpu:a100-40G:7", Count(4),
         "no: 7 gpu a100 do not divide into 4 blocks; 1 is the most that everything divides into",
         "7 GPUs do not divide"},
        {"4s8c mem=1T gpu:a100-40G:5", std::nullopt, "1 x 32 CPUs, 1TiB, 5 a100",
         "5 GPUs and 32 cores have no divisor but 1"},
        {"4s8c mem=1T gpu:a100-40G:6", std::nullopt, "2 x 16 CPUs, 512GiB, 3 a100",
         "6 GPUs and 32 cores: 2"},
        {"2s95c mem=1T gpu:h100-80G:8", std::nullopt, "2 x 95 CPUs, 512GiB, 4 h100",
         "190 CPUs and 8 GPUs: 2, where min(cpus, gpus) is no answer"},
        {"2s95c mem=1T gpu:h100-80G:8", Count(8),
         "no: 190 cores with 1 CPUs each do not divide into 8 blocks; 2 is the most that "
         "everything divides into",
         "190 CPUs do not divide into 8"},
        {"2s13c mem=200G gpu:a100-80G:1", std::nullopt, "1 x 26 CPUs, 200GiB, 1 a100",
         "one GPU: one block"},
        {"1s26c mem=200G gpu:h100-80G:4", std::nullopt, "2 x 13 CPUs, 100GiB, 2 h100",
         "26 cores and 4 GPUs: 2"},
        {"1s30c mem=200G gpu:a10-24G:2", std::nullopt, "2 x 15 CPUs, 100GiB, 1 a10",
         "GPUs divide the cores: 2, not 30"},
        {"1s7c mem=64G gpu:t4-16G:2", std::nullopt, "1 x 7 CPUs, 64GiB, 2 t4",
         "an odd number of cores keeps two GPUs together"},
        {"1s24c mem=96G gpu:l4-24G:3", std::nullopt, "3 x 8 CPUs, 32GiB, 1 l4", "three GPUs"},
        {"2s18c mem=384G gpu:v100-32G:6", Count(3), "3 x 12 CPUs, 128GiB, 2 v100",
         "two GPUs of six"},
        {"2s18c mem=384G gpu:v100-32G:6", Count(6), "6 x 6 CPUs, 64GiB, 1 v100", "one GPU of six"},
        {"2s18c mem=384G gpu:v100-32G:6", Count(9),
         "no: 6 gpu v100 do not divide into 9 blocks; 6 is the most that everything divides into",
         "9 divides the cores, not the GPUs"},
        {"2s32c mem=1T gpu:mi250-64G:16", std::nullopt, "16 x 4 CPUs, 64GiB, 1 mi250",
         "16 GPUs, 4 cores each"},
        {"2s52c mem=2T gpu:h100-80G:8", Count(8), "8 x 13 CPUs, 256GiB, 1 h100",
         "13 cores a block"},
        {"8c mem=64G", std::nullopt, "8 x 1 CPUs, 8GiB", "no GPU: a block a core"},
        {"8c mem=64G", Count(4), "4 x 2 CPUs, 16GiB", "two cores a block"},
        {"8c mem=64G", Count(8), "8 x 1 CPUs, 8GiB", "one core a block"},
        {"8c mem=64G", Count(16),
         "no: 8 cores with 1 CPUs each do not divide into 16 blocks; 8 is the most that everything "
         "divides into",
         "a core is not cut"},
        {"8c mem=64G", Count(5),
         "no: 8 cores with 1 CPUs each do not divide into 5 blocks; 8 is the most that everything "
         "divides into",
         "cores do not divide"},
        {"8c2t mem=64G", std::nullopt, "8 x 2 CPUs, 8GiB",
         "threads stay with their core: 8 blocks of 2 CPUs, not 16"},
        {"8c2t mem=64G", Count(16),
         "no: 8 cores with 2 CPUs each do not divide into 16 blocks; 8 is the most that everything "
         "divides into",
         "one thread is no block"},
        {"8c2t mem=64G", Count(2), "2 x 8 CPUs, 32GiB", "4 cores, 8 CPUs"},
        {"2s4c8t mem=64G", Count(4), "4 x 16 CPUs, 16GiB", "8 threads a core"},
        {"1c mem=1G", std::nullopt, "1 x 1 CPUs, 1GiB", "the smallest host"},
        {"1c mem=1G", Count(2),
         "no: 1 cores with 1 CPUs each do not divide into 2 blocks; 1 is the most that everything "
         "divides into",
         "one core in two"},
        {"1c", Count(1), "1 x 1 CPUs", "no memory is known"},
        {"4c", Count(4), "4 x 1 CPUs", "blocks without memory"},
        {"2s4c mem=8G", Count(2), "2 x 4 CPUs, 4GiB", "near memory, near cores"},
        {"3c mem=10B", Count(3), "3 x 1 CPUs, 3; rest 1",
         "10 bytes in 3 blocks: one is left over, and said"},
        {"8c mem=7B", Count(8), "8 x 1 CPUs; rest 7", "fewer bytes than blocks"},
        {"2s8c mem=1000003B", Count(4), "4 x 4 CPUs, 250000; rest 3",
         "an odd number of bytes on two domains"},
        {"2s8c mem=1000003B", Count(2), "2 x 8 CPUs, 500001; rest 1",
         "one byte more on one domain does not make a block larger"},
        {"4s4c numa=2 mem=3B gpu:4", Count(4), "4 x 4 CPUs, 1 gpu; rest 3", "3 bytes and 4 blocks"},
        {"2s16c mem=512G hbm=64G gpu:8", Count(8), "8 x 4 CPUs, 72GiB, 1 gpu",
         "fast memory is ordinary, and in the pool"},
        {"2s16c mem=512G pmem=1T gpu:8", Count(8), "8 x 4 CPUs, 64GiB, persistent 128GiB, 1 gpu",
         "persistent memory is a pool of its own"},
        {"2s8c mem=7B hbm=3B pmem=5B gpu:8/4", Count(8),
         "8 x 2 CPUs, 1, 1 gpu; rest 2, persistent 3, persistent 2",
         "bytes of two pools are left over"},
        {"2s16c mem=512G gpu:a100-80G:8 nic:cx7:8", Count(8), "8 x 4 CPUs, 64GiB, 1 a100, 1 cx7",
         "a NIC each"},
        {"2s16c mem=512G gpu:a100-80G:8 nic:cx7:2", Count(8),
         "8 x 4 CPUs, 64GiB, 1 a100; rest 2 cx7",
         "two NICs go not round: only the whole host has them"},
        {"2s16c mem=512G gpu:a100-80G:8 nic:cx7:2", Count(2), "2 x 16 CPUs, 256GiB, 4 a100, 1 cx7",
         "two NICs in two blocks"},
        {"2s16c mem=512G gpu:a100-80G:8 nic:cx7:3", Count(2),
         "2 x 16 CPUs, 256GiB, 4 a100, 1 cx7; rest 1 cx7", "one NIC of three is left over"},
        {"8c mem=8G nic:cx7:3", Count(4), "4 x 2 CPUs, 2GiB; rest 3 cx7",
         "no GPU is no reason to count NICs"},
        {"2s16c mem=1T gpu:a100-80G:4 gpu:v100-32G:4", Count(4),
         "4 x 8 CPUs, 256GiB, 1 a100, 1 v100", "one of each model a block"},
        {"2s16c mem=1T gpu:a100-80G:4 gpu:v100-32G:4", Count(8),
         "no: 4 gpu a100 do not divide into 8 blocks; 4 is the most that everything divides into",
         "8 GPUs, but the blocks would not be alike"},
        {"2s16c mem=1T gpu:a100-80G:4 gpu:v100-32G:4", std::nullopt,
         "4 x 8 CPUs, 256GiB, 1 a100, 1 v100", "the models decide: 4"},
        {"2s16c mem=1T gpu:a100-80G:6 gpu:v100-32G:2", std::nullopt,
         "2 x 16 CPUs, 512GiB, 3 a100, 1 v100", "6 and 2: 2"},
        {"2s16c mem=1T gpu:a100-80G:1 gpu:v100-32G:1", Count(2),
         "no: 1 gpu a100 do not divide into 2 blocks; 1 is the most that everything divides into",
         "one of each cannot make two like blocks"},
        {"2s5c mem=8G gpu:4 system=0,5", Count(2), "2 x 4 CPUs, 4GiB, 2 gpu; reserve 2 CPUs",
         "the system's cores are in no block"},
        {"2s5c mem=8G gpu:4 system=0,5", std::nullopt, "4 x 2 CPUs, 2GiB, 1 gpu; reserve 2 CPUs",
         "8 cores and 4 GPUs"},
        {"2s4c mem=8G gpu:8 system=0", std::nullopt, "1 x 7 CPUs, 8GiB, 8 gpu; reserve 1 CPUs",
         "one core kept leaves 7 for 8 GPUs"},
        {"2s4c mem=8G gpu:8 system=0", Count(8),
         "no: 7 cores with 1 CPUs each do not divide into 8 blocks; 1 is the most that everything "
         "divides into",
         "the same, asked"},
        {"1c mem=1G system=0", Count(1), "no: no core is left for blocks",
         "all cores are the system's"},
        {"2s8c mem=64G gpu:4/4", Count(4), "4 x 4 CPUs, 16GiB, 1 gpu",
         "a device that can be shared is given with all shares"},
        {"2s8c mem=64G gpu:a100-40G:4@slices=a100-40gb", Count(4), "4 x 4 CPUs, 16GiB, 1 a100",
         "a device that can be sliced is given whole"},
        {"2s16c mem=256G disk=2T gpu:4", Count(4), "4 x 8 CPUs, 64GiB, 1 gpu",
         "the disk is in no block: they share it"},
        {"2s16c mem=256G arch=arm gpu:gh200-96G:2", Count(2), "2 x 16 CPUs, 128GiB, 1 gh200",
         "arm"},
        {"4s32c mem=4T", std::nullopt, "128 x 1 CPUs, 32GiB", "128 blocks of a core"},
        {"4s32c mem=4T", Count(4), "4 x 32 CPUs, 1TiB", "a socket each"},
        {"2s8c mem=64G gpu:4@s1", Count(4), "4 x 4 CPUs, 16GiB, 1 gpu",
         "GPUs of one socket: half of the blocks are far from theirs"},
    };
    for (const Row& row : rows) {
        INFO(row.node << ": " << row.why);
        const auto node = testing::node_from_text(row.node);
        REQUIRE(node.ok());
        CHECK(split_text(*node->shape, row.blocks) == row.expected);
        const auto parts = split(*node->shape, row.blocks);
        if (!parts) CHECK(parts.refusal().constraint == Constraint::blocks);
    }
    CHECK(std::size(rows) >= 60);
}

}  // namespace trestle
