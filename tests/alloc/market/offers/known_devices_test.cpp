// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/offers/known_devices.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "alloc/market/offers/device_names.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

TEST_CASE("known_devices: 95, each once, with what price lists state", "[model]") {
    const auto& known = known_devices();
    CHECK(known.size() == 95);
    std::set<std::pair<std::string, Bytes>> seen;
    for (const KnownDevice& device : known) {
        INFO(device.model);
        CHECK(seen.insert({device.model, device.memory}).second);
        CHECK(device.compute_capability.has_value() == (device.vendor == "nvidia"));
        CHECK(device.memory.is_zero() == (device.vendor == "google"));
        CHECK(find_device(known, device.model) != nullptr);
    }
    CHECK(find_device(known, "h100")->compute_capability == Version{9, 0});
    CHECK(find_device(known, "RTX5090")->compute_capability == Version{12, 0});
    CHECK(find_device(known, "mi300x")->memory == gib(192));
    CHECK(find_device(known, "v5litepod-8")->model == "v5litepod");
    CHECK(find_device(known, "v5litepod-") == nullptr);
    CHECK(find_device(known, "A100-8") == nullptr);  // no TPU
    CHECK(find_device(known, "") == nullptr);
}

TEST_CASE("known_devices: the model of a driver's name", "[model]") {
    struct Row {
        const char* name;
        const char* expected;  ///< empty: none
        const char* why;
    };
    const Row rows[] = {
        {"NVIDIA A100-SXM4-40GB", "A100", "form and memory behind a dash"},
        {"NVIDIA A100 80GB PCIe", "A100", "behind blanks"},
        {"NVIDIA A10G", "A10G", "not an A10"},
        {"NVIDIA A10", "A10", "not an A100"},
        {"NVIDIA H100 80GB HBM3", "H100", "the plain one"},
        {"NVIDIA H100 NVL", "H100NVL", "the longest counts"},
        {"NVIDIA H200 NVL", "H200NVL", "the same"},
        {"NVIDIA GH200 480GB", "GH200", "no H200 inside a word"},
        {"NVIDIA L40S", "L40S", "not an L40"},
        {"NVIDIA L4", "L4", "not an L40"},
        {"Tesla T4", "T4", "an old name"},
        {"Tesla V100-SXM2-16GB", "V100", "an old name with form"},
        {"Tesla P100-PCIE-16GB", "P100", "the same"},
        {"NVIDIA GeForce RTX 4060 Ti", "RTX4060Ti", "four words of which three are the model"},
        {"NVIDIA GeForce RTX 4060", "RTX4060", "without Ti"},
        {"NVIDIA GeForce RTX 4070 Ti SUPER", "RTX4070TiSUPER", "four words"},
        {"NVIDIA GeForce RTX 2080 Ti", "RTX2080Ti", "older"},
        {"NVIDIA RTX A6000", "A6000", "the model is the second word"},
        {"Quadro RTX 6000", "RTX6000", "Turing"},
        {"NVIDIA RTX 6000 Ada Generation", "RTX6000Ada", "Ada"},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTXPRO6000", "Blackwell"},
        {"AMD Instinct MI300X", "MI300X", "AMD"},
        {"AMD Instinct MI250X/MI250", "MI250X", "two names: the longer"},
        {"AMD Instinct MI210", "MI210", "AMD's smaller"},
        {"Intel Gaudi2", "Gaudi2", "Intel"},
        {"tt-galaxy-wh", "tt-galaxy-wh", "a name with dashes of its own"},
        {"n150", "n150", "the bare name"},
        {"nvidia a100-sxm4-40gb", "A100", "without regard to case"},
        {"NVIDIA A100-SXM4-40GB MIG 1g.5gb", "", "a part of an A100 is no A100"},
        {"NVIDIA GeForce GTX 1080", "", "unknown"},
        {"XA100", "", "only whole words"},
        {"", "", "nothing"},
        {"---", "", "no word"},
    };
    for (const Row& row : rows) {
        INFO(row.name << ": " << row.why);
        const KnownDevice* const found = device_of_driver_name(known_devices(), row.name);
        CHECK((found == nullptr ? "" : found->model) == row.expected);
    }
    CHECK(device_of_driver_name(known_devices(), std::string(100'000, 'a')) == nullptr);
    std::string many;
    for (int i = 0; i < 10'000; ++i) many += "a ";
    CHECK(device_of_driver_name(known_devices(), many) == nullptr);
}

TEST_CASE("known_devices: a driver's memory is that of the model within 7 %", "[model]") {
    struct Row {
        const char* model;
        Bytes memory;
        Bytes expected;
        const char* why;
    };
    const Row rows[] = {
        {"A100", mib(40'960), gib(40), "exactly"},
        {"A100", mib(40'536), gib(40), "a little less"},
        {"A100", mib(81'251), gib(80), "the other size"},
        {"a100", mib(81'251), gib(80), "without regard to case"},
        {"T4", mib(15'360), gib(16), "6.25 % less"},
        {"T4", mib(15'300), gib(16), "6.6 % less"},
        {"T4", mib(15'000), gib(15), "8.4 %: what the driver says, rounded"},
        {"T4", mib(17'400), gib(16), "6.2 % more"},
        {"T4", mib(17'600), gib(17), "7.4 % more"},
        {"H100", mib(60'000), gib(59), "no H100 has so much"},
        {"unknown", mib(10'100), gib(10), "rounded down"},
        {"unknown", mib(10'800), gib(11), "rounded up"},
        {"v3", Bytes(), Bytes(), "a TPU states none"},
        {"A100", Bytes::max(), Bytes::max(), "no overflow"},
    };
    for (const Row& row : rows) {
        INFO(row.model << " " << to_text(row.memory) << ": " << row.why);
        CHECK(snap_memory(known_devices(), row.model, row.memory) == row.expected);
    }
}

TEST_CASE("known_devices: vendors and types", "[model]") {
    const auto vendor = [](const std::vector<std::string>& models) {
        return vendor_of(known_devices(), models).value_or("");
    };
    CHECK(vendor({"A100"}) == "nvidia");
    CHECK(vendor({"a100", "H100"}) == "nvidia");
    CHECK(vendor({"A100", "MI300X"}).empty());  // two vendors
    CHECK(vendor({"A100", "X"}).empty());       // who knows
    CHECK(vendor({}).empty());
    CHECK(vendor({"v5litepod-8"}) == "google");
    CHECK(vendor({"Gaudi2"}) == "intel");
    const auto types = [](const char* type) {
        std::string text;
        for (const KnownDevice& device : devices_of_type(known_devices(), type)) {
            text += fmt::format("{}:{} ", device.model, device.memory);
        }
        return text;
    };
    CHECK(types("a100") == "A100:40GiB A100:80GiB ");
    CHECK(types("a100_80gb") == "A100:80GiB ");
    CHECK(types("A100-80G") == "A100:80GiB ");
    CHECK(types("rtx_4090") == "RTX4090:24GiB ");
    CHECK(types("nobody").empty());
    CHECK(types("").empty());
    for (const KnownDevice& device : known_devices()) {
        const auto found = devices_of_type(known_devices(), type_of(device));
        CHECK(std::find(found.begin(), found.end(), device) != found.end());
    }
}

TEST_CASE("known_devices: a caller adds devices of his own", "[model]") {
    std::vector<KnownDevice> mine = known_devices();
    mine.push_back({"acme", "Rocket 9", gib(7), std::nullopt});
    mine.push_back({"acme", "A100", gib(7), std::nullopt});
    CHECK(device_of_driver_name(mine, "ACME Rocket 9 PCIe")->vendor == "acme");
    CHECK(snap_memory(mine, "rocket 9", mib(7'000)) == gib(7));
    CHECK(!vendor_of(mine, std::vector<std::string>{"A100"}));  // two have one now
}

}  // namespace trestle
