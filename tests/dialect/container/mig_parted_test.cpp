// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/mig_parted.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/node.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;

struct MigModel {
    const char* model;
    std::int64_t memory_mib;
};

NodeShape shape_with(const std::vector<MigModel>& models) {
    NodeShape shape;
    for (const MigModel& one : models) {
        Device gpu;
        gpu.name = "gpu";
        gpu.vendor = "nvidia";
        gpu.model = one.model;
        gpu.memory = mib(one.memory_mib);
        gpu.index = static_cast<std::uint32_t>(shape.devices.size());
        shape.devices.push_back(gpu);
    }
    return shape;
}

constexpr MigModel a100_40gb{"NVIDIA A100-SXM4-40GB", 40'960};
constexpr MigModel h100_80gb{"NVIDIA H100 80GB HBM3", 81'559};

/// `2g.10gb@4` for each instance of a device; `whole`.
std::string instances_text(const Device& device) {
    if (!device.slicing) return "whole";
    std::string text;
    for (const Slicing::Instance& one : device.slicing->instances) {
        text += fmt::format("{}{}@{}", text.empty() ? "" : " ", one.profile, one.start);
    }
    return text.empty() ? "none" : text;
}

container::MigConfig mig_config(std::string_view layouts) {
    const auto configs =
        container::parse_mig_parted("version: v1\nmig-configs:\n  c:\n" + std::string(layouts));
    INFO(message(configs.status()));
    REQUIRE(configs.ok());
    REQUIRE(configs->size() == 1);
    return configs->front();
}

std::string cut(const NodeShape& shape, const container::MigConfig& config) {
    const auto node = container::with_mig_config(shape, config);
    if (!node.ok()) return std::string(message(node.status()));
    std::string text;
    for (const Device& device : node->devices) {
        CHECK((!device.slicing || check(*device.slicing).ok()));
        CHECK((!device.slicing || device.slicing->is_fixed));
        text += (text.empty() ? "" : "; ") + instances_text(device);
    }
    return text;
}

}  // namespace

TEST_CASE("mig-parted: layouts cut the GPUs that they name", "[dialect][container]") {
    struct Row {
        const char* layouts;
        const char* expected;
        const char* why;
    };
    const NodeShape shape = shape_with({a100_40gb, a100_40gb});
    const Row rows[] = {
        {"  - devices: all\n    mig-enabled: false\n", "whole; whole", "MIG is off"},
        {"  - devices: all\n    mig-enabled: true\n    mig-devices: {}\n", "none; none",
         "on, with nothing to give"},
        {"  - devices: [1]\n    mig-enabled: true\n    mig-devices: {\"3g.20gb\": 2}\n",
         "whole; 3g.20gb@0 3g.20gb@4", "a GPU without a layout stays as it is"},
        {"  - devices: all\n    mig-enabled: true\n    mig-devices: {\"1g.5gb\": 7}\n"
         "  - devices: [0]\n    mig-enabled: false\n",
         "whole; 1g.5gb@0 1g.5gb@1 1g.5gb@2 1g.5gb@3 1g.5gb@4 1g.5gb@5 1g.5gb@6",
         "the last layout counts"},
        {"  - device-filter: \"0x233010DE\"\n    devices: all\n    mig-enabled: true\n"
         "    mig-devices: {\"1g.10gb\": 7}\n"
         "  - device-filter: [\"0x20B010de\", \"0x20B110DE\"]\n    devices: all\n"
         "    mig-enabled: true\n    mig-devices: {\"7g.40gb\": 1}\n",
         "7g.40gb@0; 7g.40gb@0", "filters of other cards do not apply"},
        {"  - devices: [2]\n    mig-enabled: false\n", "c: gpu 2: the node has 2 NVIDIA GPUs",
         "an index that the node lacks"},
        {"  - devices: [0]\n    mig-enabled: true\n    mig-devices: {\"1g.10gb+gfx\": 1}\n",
         "c: gpu 0 (NVIDIA A100-SXM4-40GB): 1g.10gb+gfx is no profile of a100-40gb",
         "a profile of another card"},
        {"  - devices: [0]\n    mig-enabled: true\n    mig-devices: {\"4g.20gb\": 1, \"3g.20gb\": "
         "2}\n",
         "c: gpu 0 (NVIDIA A100-SXM4-40GB): 1 x 4g.20gb, 2 x 3g.20gb do not fit together",
         "too many"},
        {"  - device-filter: \"0x123410DE\"\n    devices: all\n    mig-enabled: false\n",
         "c: gpu 0 (NVIDIA A100-SXM4-40GB): no layout, and device-filter 0x123410DE is of no card "
         "that is known",
         "it might be this one"},
    };
    for (const Row& row : rows) {
        INFO(row.layouts << row.why);
        CHECK(cut(shape, mig_config(row.layouts)) == row.expected);
    }
    NodeShape other = shape_with({{"NVIDIA L4", 23'034}});
    other.devices.front().vendor = "";
    CHECK(cut(other, mig_config("  - {devices: all, mig-enabled: true, mig-devices: {a: 1}}\n")) ==
          "c: gpu 0 (NVIDIA L4): expected a GPU that can be cut into MIG instances");
    other.devices.front().vendor = "amd";  // is not counted
    CHECK(cut(other, mig_config("  - {devices: all, mig-enabled: true}\n")) == "whole");
    const NodeShape mixed = shape_with({h100_80gb, a100_40gb});
    CHECK(cut(mixed, mig_config("  - {device-filter: 0x233010DE, devices: all, mig-enabled: true, "
                                "mig-devices: {1g.10gb: 1}}\n"
                                "  - {device-filter: 0x20B010DE, devices: all, mig-enabled: true, "
                                "mig-devices: {2g.10gb: 1}}\n")) == "1g.10gb@6; 2g.10gb@4");
}

TEST_CASE("mig-parted: what NVIDIA's own configurations cut the cards into can lie side by side",
          "[dialect][container]") {
    struct Row {
        MigModel model;
        std::vector<const char*> layouts;
    };
    const std::vector<Row> rows{
        {a100_40gb,
         {"1g.5gb: 7", "1g.5gb+me: 1", "1g.10gb: 4", "2g.10gb: 3", "3g.20gb: 2", "4g.20gb: 1",
          "7g.40gb: 1", "1g.5gb: 2, 2g.10gb: 1, 3g.20gb: 1"}},
        {{"NVIDIA A800-SXM4-80GB", 81'920},
         {"1g.10gb: 7", "1g.10gb+me: 1", "1g.20gb: 4", "2g.20gb: 3", "3g.40gb: 2", "4g.40gb: 1",
          "7g.80gb: 1", "1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1"}},
        {h100_80gb,
         {"1g.10gb: 7", "1g.10gb+me: 1", "1g.20gb: 4", "2g.20gb: 3", "3g.40gb: 2", "4g.40gb: 1",
          "7g.80gb: 1", "1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1"}},
        {{"NVIDIA A30", 24'576},
         {"1g.6gb: 4", "1g.6gb+me: 1", "2g.12gb: 2", "2g.12gb+me: 1", "4g.24gb: 1",
          "1g.6gb: 2, 2g.12gb: 1"}},
        {{"NVIDIA H100 NVL", 95'830},
         {"1g.12gb: 7", "1g.12gb+me: 1", "1g.24gb: 4", "2g.24gb: 3", "3g.47gb: 2", "4g.47gb: 1",
          "7g.94gb: 1", "1g.12gb: 2, 2g.24gb: 1, 3g.47gb: 1"}},
        {{"NVIDIA GH200 480GB", 97'871},
         {"1g.12gb: 7", "1g.12gb+me: 1", "1g.24gb: 4", "2g.24gb: 3", "3g.48gb: 2", "4g.48gb: 1",
          "7g.96gb: 1", "1g.12gb: 2, 2g.24gb: 1, 3g.48gb: 1"}},
        {{"NVIDIA H20", 97'871}, {"1g.12gb: 2, 2g.24gb: 1, 3g.48gb: 1"}},
        {{"NVIDIA H200 NVL", 143'771},
         {"1g.18gb: 7", "1g.18gb+me: 1", "1g.35gb: 4", "2g.35gb: 3", "3g.71gb: 2", "4g.71gb: 1",
          "7g.141gb: 1", "1g.18gb: 2, 2g.35gb: 1, 3g.71gb: 1"}},
        {{"NVIDIA GH200 144G HBM3e", 147'456},
         {"1g.18gb: 7", "1g.18gb+me: 1", "1g.36gb: 4", "2g.36gb: 3", "3g.72gb: 2", "4g.72gb: 1",
          "7g.144gb: 1", "1g.18gb: 2, 2g.36gb: 1, 3g.72gb: 1"}},
        {{"NVIDIA B200", 183'359},
         {"1g.23gb: 7", "1g.23gb+me: 1", "1g.45gb: 4", "2g.45gb: 3", "3g.90gb: 2", "4g.90gb: 1",
          "7g.180gb: 1", "1g.23gb: 2, 2g.45gb: 1, 3g.90gb: 1"}},
        {{"NVIDIA GB200", 189'471},
         {"1g.23gb: 7", "1g.23gb+me: 1", "1g.24gb: 7", "1g.24gb+me: 1", "1g.47gb: 4", "2g.47gb: 3",
          "3g.93gb: 2", "4g.93gb: 1", "3g.95gb: 2", "4g.95gb: 1", "7g.186gb: 1", "7g.189gb: 1",
          "1g.23gb: 2, 2g.47gb: 1, 3g.93gb: 1", "1g.24gb: 2, 2g.47gb: 1, 3g.95gb: 1"}},
        {{"NVIDIA RTX PRO 6000 Blackwell Server Edition", 97'887},
         {"1g.24gb: 4", "1g.24gb+me: 1", "1g.24gb+gfx: 4", "1g.24gb+me.all: 1", "1g.24gb-me: 4",
          "2g.48gb: 2", "2g.48gb+gfx: 2", "2g.48gb+me.all: 1", "2g.48gb-me: 2", "4g.96gb: 1",
          "4g.96gb+gfx: 1", "1g.24gb: 2, 2g.48gb: 1"}},
    };
    for (const Row& row : rows) {
        const NodeShape shape = shape_with({row.model});
        for (const std::string_view layout : row.layouts) {
            INFO(row.model.model << " " << layout);
            const auto config = mig_config("  - {devices: all, mig-enabled: true, mig-devices: {" +
                                           std::string(layout) + "}}\n");
            const auto node = container::with_mig_config(shape, config);
            INFO(message(node.status()));
            REQUIRE(node.ok());
            Count wanted;
            for (const container::MigCount& one : config.layouts.front().instances) {
                wanted += one.count;
            }
            REQUIRE(node->devices.front().slicing);
            CHECK(check(*node->devices.front().slicing).ok());
            CHECK(Count(static_cast<std::int64_t>(
                      node->devices.front().slicing->instances.size())) == wanted);
        }
    }
}

TEST_CASE("mig-parted: what is no such file says where and what was expected",
          "[dialect][container]") {
    struct Row {
        const char* text;
        const char* error;
    };
    const Row rows[] = {
        {"", "malformed file"},
        {"version: v2\n", "expected v1"},
        {"mig-configs: {}\n", "no version"},
        {"version: v1\nmig-config: {}\n", "expected version or mig-configs"},
        {"version: v1\nmig-configs: []\n", "malformed mig-configs"},
        {"version: v1\nmig-configs: {c: {}}\n", "malformed configuration"},
        {"version: v1\nmig-configs: {c: [1]}\n", "malformed layout"},
        {"version: v1\nmig-configs: {c: [{mig-enabled: true}]}\n", "no devices"},
        {"version: v1\nmig-configs: {c: [{devices: all}]}\n", "no mig-enabled"},
        {"version: v1\nmig-configs: {c: [{devices: some, mig-enabled: true}]}\n",
         "all or a list of indexes"},
        {"version: v1\nmig-configs: {c: [{devices: [-1], mig-enabled: true}]}\n",
         "malformed number"},
        {"version: v1\nmig-configs: {c: [{devices: all, mig-enabled: 3}]}\n", "true or false"},
        {"version: v1\nmig-configs: {c: [{devices: all, mig-enabled: true, mig: 1}]}\n",
         "unknown key"},
        {"version: v1\nmig-configs: {c: [{devices: all, mig-enabled: true, mig-devices: {a: "
         "99999}}]}\n",
         "a whole number below 65"},
        {"version: v1\nmig-configs: {c: [{devices: all, mig-enabled: false, mig-devices: {a: 1}}]}"
         "\n",
         "mig-devices without MIG"},
        {"version: v1\n---\nversion: v1\n", "document"},
    };
    for (const Row& row : rows) {
        INFO(row.text);
        const auto configs = container::parse_mig_parted(row.text);
        REQUIRE_FALSE(configs.ok());
        CHECK_THAT(std::string(message(configs.status())), ContainsSubstring(row.error));
    }
}

}  // namespace trestle
