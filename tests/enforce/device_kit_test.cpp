// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/device_kit.hpp"

#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/gpu_node.hpp"
#include "trestle/base/fmt.hpp"

namespace {

using namespace trestle;

static_assert(lists_all_fields<DeviceKit>);

Device device_of(std::string name, std::string vendor, std::vector<std::string> paths) {
    Device device;
    device.name = std::move(name);
    device.vendor = std::move(vendor);
    for (std::string& path : paths) {
        device.files.push_back({std::move(path), DeviceFile::Kind::character, {}, {}});
    }
    return device;
}

NodePlacement with_devices(std::initializer_list<std::uint32_t> ids) {
    NodePlacement placement = two_cores();
    for (const std::uint32_t id : ids) placement.devices.push_back({DeviceId(id), Count(1)});
    return placement;
}

std::string paths_of(const std::vector<AllowedFile>& files) {
    std::string text;
    for (const AllowedFile& file : files) text += (text.empty() ? "" : " ") + file.file.path;
    return text;
}

TEST_CASE("DeviceKit: which device it is for", "[enforce][devices]") {
    const auto kits = standard_device_kits();
    struct Row {
        Device device;
        const char* vendor;
        const char* why;
    };
    const Row rows[] = {
        {device_of("gpu", "nvidia", {}), "nvidia", "the vendor says it"},
        {device_of("gpu", "amd", {}), "amd", "the vendor says it"},
        {device_of("gpu", "", {"/dev/nvidia0"}), "nvidia", "gres.conf names no vendor, but a file"},
        {device_of("gpu", "", {"/dev/dri/renderD128"}), "", "render nodes are of several vendors"},
        {device_of("gpu", "amd", {"/dev/nvidia0"}), "amd", "the vendor wins over the file"},
        {device_of("gpu", "intel", {}), "", "no kit yet"},
        {device_of("gpu", "", {}), "", "nothing is known"},
        {device_of("nic", "nvidia", {}), "", "a network card of the same vendor"},
        {device_of("fpga", "", {"/dev/xdma0"}), "", "its files are enough"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const DeviceKit* kit = kit_of(kits, row.device);
        CHECK((kit == nullptr ? "" : kit->vendor) == row.vendor);
    }
}

TEST_CASE("allowed_files: the devices' own files, then companions once", "[enforce][devices]") {
    NodeShape shape = gpu_shape();
    const auto kits = standard_device_kits();
    CHECK(paths_of(allowed_files(shape, with_devices({}), kits)).empty());
    CHECK(paths_of(allowed_files(shape, with_devices({1, 3}), kits)) ==
          "/dev/nvidia1 /dev/nvidia3 /dev/nvidiactl /dev/nvidia-modeset /dev/nvidia-uvm "
          "/dev/nvidia-uvm-tools");
    CHECK(paths_of(allowed_files(shape, with_devices({1}), {})) == "/dev/nvidia1");

    shape.devices[2] = device_of("fpga", "", {"/dev/xdma0", "/dev/xdma0_user"});
    CHECK(paths_of(allowed_files(shape, with_devices({2}), kits)) == "/dev/xdma0 /dev/xdma0_user");

    shape.devices[0].files.push_back({"/dev/shared", DeviceFile::Kind::character, {}, {}});
    shape.devices[1].files.push_back({"/dev/shared", DeviceFile::Kind::character, {}, {}});
    CHECK(paths_of(allowed_files(shape, with_devices({0, 1}), {})) ==
          "/dev/nvidia0 /dev/shared /dev/nvidia1");
}

TEST_CASE("allowed_files: own files have to exist, companions need not", "[enforce][devices]") {
    const auto files = allowed_files(gpu_shape(), with_devices({0}), standard_device_kits());
    REQUIRE(files.size() == 5);
    CHECK(files[0].presence == Presence::required);
    for (std::size_t i = 1; i < files.size(); ++i) CHECK(files[i].presence == Presence::optional);
}

TEST_CASE("allowed_files: a device of another machine breaks the contract", "[enforce][devices]") {
    CHECK(broken_contract([] { (void)allowed_files(gpu_shape(), with_devices({4}), {}); }) ==
          "the device exists on this node");
}

TEST_CASE("visibility: how the devices are numbered", "[enforce][devices]") {
    NodeShape shape = gpu_shape();
    shape.devices[0] = device_of("gpu", "amd", {"/dev/dri/renderD128"});
    for (std::uint32_t i = 1; i < 3; ++i) shape.devices[i].uuid = "GPU-" + std::to_string(i);
    const auto kits = standard_device_kits();
    struct Row {
        std::initializer_list<std::uint32_t> devices;
        DeviceNumbering numbering;
        std::vector<EnvironmentVariable> variables;
        const char* why;
    };
    using enum DeviceNumbering;
    const Row rows[] = {
        {{}, local, {}, "no device, no variable"},
        {{2, 3}, local, {{"CUDA_VISIBLE_DEVICES", "0,1"}}, "the filter hides the others"},
        {{2, 3}, global, {{"CUDA_VISIBLE_DEVICES", "1,2"}}, "by vendor: the first GPU is AMD's"},
        {{1, 2}, uuid, {{"CUDA_VISIBLE_DEVICES", "GPU-1,GPU-2"}}, "all have a UUID"},
        {{2, 3}, uuid, {{"CUDA_VISIBLE_DEVICES", "0,1"}}, "one has none: CUDA takes no mixture"},
        {{0, 3},
         global,
         {{"CUDA_VISIBLE_DEVICES", "2"}, {"ROCR_VISIBLE_DEVICES", "0"}},
         "two vendors, two variables, in the order of the kits"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(visibility(shape, with_devices(row.devices), kits, row.numbering) == row.variables);
    }
}

}  // namespace
