// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/conf/merge.hpp"

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/slurm/conf/slurm_conf.hpp"

using namespace trestle;
using Catch::Matchers::ContainsSubstring;

namespace {

using Lines = std::vector<std::string>;

/// Two sockets of four cores, with the Gres= given.
slurm::NodeConf conf_of(const std::string& gres, std::string_view gres_conf) {
    const auto conf = slurm::parse_slurm_conf("NodeName=n Sockets=2 CoresPerSocket=4" +
                                              (gres.empty() ? "" : " Gres=" + gres));
    const auto lines = slurm::parse_gres_conf(gres_conf);
    INFO(message(lines.status()));
    REQUIRE((conf.ok() && lines.ok()));
    return {"n", conf->nodes.at(0), *lines, slurm::SystemCoresFrom::last};
}

Device found(const char* type, const char* file, Interval<std::uint32_t> cores) {
    Device device;
    device.name = "gpu";
    device.type = type;
    device.vendor = "nvidia";
    device.uuid = std::string("GPU-") + file;
    device.memory = gib(80);
    if (*file != '\0') device.files = {{file, Device::File::Kind::character, 195, 7}};
    device.cores = CoreSet::range(cores);
    return device;
}

/// Four A100 and links between the first two and the last two.
NodeShape shape_of_four_gpus() {
    NodeShape shape;
    shape.devices = {found("nvidia_a100-sxm4-80gb", "/dev/nvidia0", {0, 4}),
                     found("nvidia_a100-sxm4-80gb", "/dev/nvidia1", {0, 4}),
                     found("nvidia_a100-sxm4-80gb", "/dev/nvidia2", {4, 8}),
                     found("nvidia_a100-sxm4-80gb", "/dev/nvidia3", {4, 8})};
    for (std::uint32_t i = 0; i < 4; ++i) shape.devices[i].index = i;
    shape.links = {{DeviceId(0), DeviceId(1), 12}, {DeviceId(2), DeviceId(3), 12}};
    return shape;
}
NodeShape mixed_gpus() {
    NodeShape shape = shape_of_four_gpus();
    shape.links.clear();
    shape.devices[2].type = shape.devices[3].type = "nvidia_h100_pcie";
    return shape;
}

/// `gpu:a100#0 /dev/nvidia0 0-3`.
Lines devices_of(const NodeShape& shape) {
    Lines lines;
    for (const Device& device : shape.devices) {
        std::string line = device.name + ":" + device.type + "#" + std::to_string(device.index);
        for (const Device::File& file : device.files) line += " " + file.path;
        lines.push_back(line + " " + to_text(device.cores));
    }
    return lines;
}

}  // namespace

TEST_CASE("Slurm merge: configured and detected GPUs", "[dialect][slurm]") {
    struct Row {
        const char* gres;
        const char* gres_conf;
        NodeShape detected;
        Lines expected;
        Lines warnings;  ///< a piece of each
        const char* why;
    };
    NodeShape without_files = shape_of_four_gpus();
    for (Device& device : without_files.devices) device.files.clear();
    NodeShape shuffled = shape_of_four_gpus();
    std::swap(shuffled.devices[0], shuffled.devices[3]);
    shuffled.links.clear();
    NodeShape many;
    for (const int i : {10, 9, 2}) {
        many.devices.push_back(found("a", ("/dev/nvidia" + std::to_string(i)).c_str(), {0, 8}));
        many.devices.back().index = static_cast<std::uint32_t>(many.devices.size() - 1);
    }
    const Row rows[] = {
        {"gpu:a100:4",
         "AutoDetect=nvml",
         shape_of_four_gpus(),
         {"gpu:a100#0 /dev/nvidia0 0-3", "gpu:a100#1 /dev/nvidia1 0-3",
          "gpu:a100#2 /dev/nvidia2 4-7", "gpu:a100#3 /dev/nvidia3 4-7"},
         {},
         "the configured type stands in the detected one"},
        {"gpu:4",
         "AutoDetect=nvml",
         shape_of_four_gpus(),
         {"gpu:#0 /dev/nvidia0 0-3", "gpu:#1 /dev/nvidia1 0-3", "gpu:#2 /dev/nvidia2 4-7",
          "gpu:#3 /dev/nvidia3 4-7"},
         {},
         "without a type the detected ones are erased"},
        {"gpu:A100:2",
         "AutoDetect=nvml",
         shape_of_four_gpus(),
         {"gpu:A100#0 /dev/nvidia0 0-3", "gpu:A100#1 /dev/nvidia1 0-3"},
         {"GPU /dev/nvidia2 of type \"nvidia_a100-sxm4-80gb\" was found and is not configured",
          "GPU /dev/nvidia3"},
         "fewer are configured; types in any case"},
        {"gpu:a100:6",
         "AutoDetect=nvml",
         shape_of_four_gpus(),
         {"gpu:a100#0 /dev/nvidia0 0-3", "gpu:a100#1 /dev/nvidia1 0-3",
          "gpu:a100#2 /dev/nvidia2 4-7", "gpu:a100#3 /dev/nvidia3 4-7"},
         {"gpu:a100 has no file and none was found", "gpu:a100 has no file"},
         "those that nobody found are left out"},
        {"gpu:h100:1,gpu:a100:1",
         "AutoDetect=nvml",
         mixed_gpus(),
         {"gpu:a100#0 /dev/nvidia0 0-3", "gpu:h100#1 /dev/nvidia2 4-7"},
         {"/dev/nvidia1", "/dev/nvidia3"},
         "two types, in the order of files"},
        {"gpu:v100:1",
         "AutoDetect=nvml",
         shape_of_four_gpus(),
         {},
         {"gpu:v100 has no file and none was found", "/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia2",
          "/dev/nvidia3"},
         "another type"},
        {"gpu:a100:2,gpu:a100-sxm4:1",
         "AutoDetect=nvml",
         shape_of_four_gpus(),
         {"gpu:a100-sxm4#0 /dev/nvidia0 0-3", "gpu:a100#1 /dev/nvidia1 0-3",
          "gpu:a100#2 /dev/nvidia2 4-7"},
         {"/dev/nvidia3"},
         "the longest configured type goes first"},
        {"gpu:a100:2",
         "AutoDetect=nvml\nName=gpu Type=a100 File=/dev/nvidia[2-3]",
         shape_of_four_gpus(),
         {"gpu:a100#0 /dev/nvidia2 4-7", "gpu:a100#1 /dev/nvidia3 4-7"},
         {"/dev/nvidia0", "/dev/nvidia1"},
         "by file"},
        {"gpu:a100:2",
         "AutoDetect=nvml\nName=gpu Type=a100 File=/dev/nvidia0 Cores=0-3\n"
         "Name=gpu Type=a100 File=/dev/nvidia1 Cores=4-7",
         shape_of_four_gpus(),
         {"gpu:a100#0 /dev/nvidia0 0-3"},
         {"gpu:a100 /dev/nvidia1 is left out: its Cores are not those that were found",
          "/dev/nvidia2", "/dev/nvidia3"},
         "other cores"},
        {"gpu:a100:1",
         "AutoDetect=nvml\nName=gpu Type=a100 File=/dev/nvidia0 Links=-1,12,0,0",
         shape_of_four_gpus(),
         {"gpu:a100#0 /dev/nvidia0 0-3"},
         {"/dev/nvidia1", "/dev/nvidia2", "/dev/nvidia3"},
         "the same links"},
        {"gpu:a100:1",
         "AutoDetect=nvml\nName=gpu Type=a100 File=/dev/nvidia0 Links=-1,4,0,0",
         shape_of_four_gpus(),
         {},
         {"its Links are not those that were found", "/dev/nvidia1", "/dev/nvidia2",
          "/dev/nvidia3"},
         "other links"},
        {"gpu:a100:1",
         "AutoDetect=nvml\nName=gpu Type=a100 File=/dev/extra Cores=5",
         shape_of_four_gpus(),
         {"gpu:a100#0 /dev/extra 5"},
         {"/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia2", "/dev/nvidia3"},
         "a configured file that was not found stays"},
        {"gpu:a100:1,nic:1",
         "AutoDetect=off\nName=nic File=/dev/mlx0",
         shape_of_four_gpus(),
         {"gpu:a100#0 ", "nic:#0 /dev/mlx0 "},
         {},
         "off: what was found does not count"},
        {"gpu:a100:1",
         "NodeName=n AutoDetect=off\nAutoDetect=nvml",
         shape_of_four_gpus(),
         {"gpu:a100#0 "},
         {},
         "the node's own line goes before"},
        {"gpu:a100:1",
         "NodeName=m AutoDetect=off\nAutoDetect=nvml",
         shape_of_four_gpus(),
         {"gpu:a100#0 /dev/nvidia0 0-3"},
         {"nvidia1", "nvidia2", "nvidia3"},
         "another node's does not count"},
        {"gpu:a100:1",
         "",
         shape_of_four_gpus(),
         {"gpu:a100#0 /dev/nvidia0 0-3"},
         {"nvidia1", "nvidia2", "nvidia3"},
         "no line at all: detection fills in"},
        {"gpu:a100:1",
         "Name=gpu Type=a100 File=/dev/nvidia0",
         shape_of_four_gpus(),
         {"gpu:a100#0 /dev/nvidia0 "},
         {},
         "a line and no AutoDetect: it does not"},
        {"nic:1",
         "AutoDetect=nvml\nName=nic File=/dev/mlx0",
         shape_of_four_gpus(),
         {"nic:#0 /dev/mlx0 "},
         {"nvidia0", "nvidia1", "nvidia2", "nvidia3"},
         "no GPU is configured"},
        {"gpu:a100:1",
         "AutoDetect=nvml",
         without_files,
         {},
         {"gpu:a100 was found without a file", "GPU ", "GPU ", "GPU "},
         "no file anywhere"},
        {"gpu:a100:4",
         "AutoDetect=nvml",
         shuffled,
         {"gpu:a100#0 /dev/nvidia0 0-3", "gpu:a100#1 /dev/nvidia1 0-3",
          "gpu:a100#2 /dev/nvidia2 4-7", "gpu:a100#3 /dev/nvidia3 4-7"},
         {},
         "the order is that of files"},
        {"gpu:3",
         "AutoDetect=nvml",
         many,
         {"gpu:#0 /dev/nvidia2 0-7", "gpu:#1 /dev/nvidia9 0-7", "gpu:#2 /dev/nvidia10 0-7"},
         {},
         "numbers are numbers"},
    };
    for (const Row& row : rows) {
        INFO(row.gres << " with " << row.gres_conf << ": " << row.why);
        const auto merged = slurm::merge(conf_of(row.gres, row.gres_conf), row.detected);
        INFO(message(merged.status()));
        REQUIRE(merged.ok());
        CHECK(devices_of(merged->shape) == row.expected);
        CHECK(check(merged->shape).ok());
        Lines warnings;
        for (const slurm::ConfWarning& warning : merged->warnings) {
            warnings.push_back(to_text(warning));
        }
        INFO(fmt::format("{}", fmt::join(warnings, "\n")));
        REQUIRE(warnings.size() == row.warnings.size());
        for (std::size_t i = 0; i < warnings.size(); ++i) {
            CHECK_THAT(warnings[i], ContainsSubstring(row.warnings[i]));
        }
    }
}

TEST_CASE("Slurm merge: a match has all that was detected", "[dialect][slurm]") {
    const auto merged =
        slurm::merge(conf_of("gpu:a100:4,shard:8", "AutoDetect=nvml"), shape_of_four_gpus());
    REQUIRE(merged.ok());
    const Device& gpu = merged->shape.devices.at(2);
    CHECK(gpu.type == "a100");
    CHECK(gpu.uuid == "GPU-/dev/nvidia2");
    CHECK(gpu.memory == gib(80));
    CHECK(gpu.files.at(0).major == 195);
    CHECK(gpu.shares == Count(2));
    CHECK(merged->shape.links == shape_of_four_gpus().links);
    const auto listed = slurm::configured_gres(merged->shape);
    CHECK(slurm::gres_list_text(listed) == "gpu:a100:4(S:0-1),shard:a100:8(S:0-1)");
}

TEST_CASE("Slurm merge: nothing was looked for", "[dialect][slurm]") {
    const auto merged = slurm::merge(conf_of("gpu:a100:2", "AutoDetect=nvml"));
    REQUIRE(merged.ok());
    CHECK(devices_of(merged->shape) == Lines{"gpu:a100#0 ", "gpu:a100#1 "});
    CHECK(merged->warnings.empty());
    const auto bad = slurm::merge(conf_of("gpu:a100:1", "AutoDetect=nvml"), [] {
        NodeShape shape;
        shape.devices = {found("a100", "/dev/nvidia0", {0, 9})};
        return shape;
    }());
    REQUIRE(bad.ok());
    REQUIRE(bad->warnings.size() == 1);
    CHECK_THAT(
        to_text(bad->warnings.front()),
        ContainsSubstring("Cores=0-8: core 8 does not exist on node n, Slurm takes no cores"));
}

TEST_CASE("Slurm merge: which library looks for devices", "[dialect][slurm]") {
    const auto who = [](const char* gres_conf) { return autodetect_of(conf_of("", gres_conf)); };
    CHECK(who("").value() == std::nullopt);
    CHECK(who("AutoDetect=nvml").value() == slurm::AutoDetect::nvml);
    CHECK(who("NodeName=n AutoDetect=rsmi\nAutoDetect=nvml").value() == slurm::AutoDetect::rsmi);
    CHECK(who("NodeName=n AutoDetect=nrt\nNodeName=n AutoDetect=nrt").value() ==
          slurm::AutoDetect::nrt);
    CHECK_FALSE(who("NodeName=n AutoDetect=off\nNodeName=n AutoDetect=nrt").ok());
}
