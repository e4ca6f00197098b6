// SPDX-License-Identifier: Apache-2.0
#include "trestle/enforce/device/vendor_profile.hpp"

#include "enforce/device/apply_profiles.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "support/gpu_node.hpp"
#include "support/shown.hpp"
#include "trestle/base/fmt.hpp"

namespace {

using namespace trestle;

static_assert(lists_all_fields<VendorProfile> && lists_all_fields<VendorProfile::Variable> &&
              lists_all_fields<PlannedDevice>);

Device device_of(std::string name, std::string vendor, std::vector<std::string> paths) {
    Device device;
    device.name = std::move(name);
    device.vendor = std::move(vendor);
    for (std::string& path : paths) {
        device.files.push_back({std::move(path), Device::File::Kind::character, {}, {}});
    }
    return device;
}

NodePlacement with_devices(std::initializer_list<std::uint32_t> ids) {
    NodePlacement placement = two_cores();
    for (const std::uint32_t id : ids) placement.devices.push_back({DeviceId(id), Count(1)});
    return placement;
}

std::string paths_of(const std::vector<DeviceAllowList::File>& files) {
    std::string text;
    for (const DeviceAllowList::File& file : files)
        text += (text.empty() ? "" : " ") + file.file.path;
    return text;
}

TEST_CASE("VendorProfile: which device it is for", "[enforce][devices]") {
    const auto profiles = standard_vendor_profiles();
    struct Row {
        Device device;
        const char* profile;  ///< vendor, or the files that tell it; `-` for none
        const char* why;
    };
    const Row rows[] = {
        {device_of("gpu", "nvidia", {}), "nvidia", "the vendor says it"},
        {device_of("gpu", "amd", {}), "amd", "the vendor says it"},
        {device_of("gpu", "", {"/dev/nvidia0"}), "nvidia", "gres.conf names no vendor, but a file"},
        {device_of("gpu", "", {"/dev/dri/renderD128"}), "-", "render nodes are of several vendors"},
        {device_of("gpu", "amd", {"/dev/nvidia0"}), "amd", "the vendor wins over the file"},
        {device_of("gpu", "intel", {"/dev/dri/card1"}), "intel", "the vendor says it"},
        {device_of("gpu", "habana", {}), "habana", "the vendor says it"},
        {device_of("gpu", "", {"/dev/accel/accel0"}), "habana", "gres.conf names a file"},
        {device_of("gpu", "amazon", {"/dev/neuron0"}), "amazon", "the vendor says it"},
        {device_of("nic", "amazon", {}), "-", "a network card of the same vendor"},
        {device_of("gpu", "", {}), "-", "nothing is known"},
        {device_of("nic", "nvidia", {}), "-", "a network card of the same vendor"},
        {device_of("fpga", "", {"/dev/xdma0"}), "-", "its files are enough"},
        {device_of("gpu", "google", {"/dev/vfio/0"}), "/dev/vfio/", "by VFIO, whoever made it"},
        {device_of("gpu", "google", {"/dev/accel0"}), "-", "a TPU before v5"},
        {device_of("gpu", "tenstorrent", {"/dev/tenstorrent/0"}), "tenstorrent", "huge pages"},
        {device_of("nic", "mellanox", {"/dev/infiniband/uverbs0"}), "/dev/infiniband/", "RDMA"},
        {device_of("nic", "mellanox", {}), "-", "a network card without RDMA"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const VendorProfile* profile = profile_of(profiles, row.device);
        const std::string known = profile == nullptr ? "-" : profile->vendor;
        CHECK((known.empty() ? profile->file_prefix : known) == row.profile);
    }
}

TEST_CASE("allowed_files: the devices' own files, then companions once", "[enforce][devices]") {
    NodeShape shape = gpu_shape();
    const auto profiles = standard_vendor_profiles();
    CHECK(paths_of(allowed_files(shape, with_devices({}), profiles)).empty());
    CHECK(paths_of(allowed_files(shape, with_devices({1, 3}), profiles)) ==
          "/dev/nvidia1 /dev/nvidia3 /dev/nvidiactl /dev/nvidia-modeset /dev/nvidia-uvm "
          "/dev/nvidia-uvm-tools");
    CHECK(paths_of(allowed_files(shape, with_devices({1}), {})) == "/dev/nvidia1");

    shape.devices[2] = device_of("fpga", "", {"/dev/xdma0", "/dev/xdma0_user"});
    CHECK(paths_of(allowed_files(shape, with_devices({2}), profiles)) ==
          "/dev/xdma0 /dev/xdma0_user");

    shape.devices[0].files.push_back({"/dev/shared", Device::File::Kind::character, {}, {}});
    shape.devices[1].files.push_back({"/dev/shared", Device::File::Kind::character, {}, {}});
    CHECK(paths_of(allowed_files(shape, with_devices({0, 1}), {})) ==
          "/dev/nvidia0 /dev/shared /dev/nvidia1");
}

TEST_CASE("allowed_files: own files have to exist, companions need not", "[enforce][devices]") {
    const auto files = allowed_files(gpu_shape(), with_devices({0}), standard_vendor_profiles());
    REQUIRE(files.size() == 5);
    CHECK(files[0].presence == DeviceAllowList::File::Presence::required);
    for (std::size_t i = 1; i < files.size(); ++i)
        CHECK(files[i].presence == DeviceAllowList::File::Presence::optional);
}

TEST_CASE("planned_devices: what a container runtime has to know", "[enforce][devices]") {
    NodeShape shape = gpu_shape();
    shape.devices[1] = device_of("nic", "mellanox", {"/dev/infiniband/uverbs0"});
    shape.devices[3].uuid = "GPU-3";
    shape.devices[3].model = "A100";
    shape.devices[3].shares = Count(4);
    NodePlacement placement = with_devices({1, 3});
    placement.devices[1].slice = Slicing::Instance{4, 1, "1g.10gb"};
    shape.devices[2].mig_profile = "3g.40gb";
    const auto planned = planned_devices(shape, placement, standard_vendor_profiles());
    REQUIRE(planned.size() == 2);
    CHECK(planned[0].paths ==
          std::vector<std::string>{"/dev/infiniband/uverbs0", "/dev/infiniband/rdma_cm"});
    CHECK(planned[0].vendor == "mellanox");
    CHECK(planned[1] == PlannedDevice{"gpu",
                                      "a100",
                                      3,
                                      "nvidia",
                                      "A100",
                                      "GPU-3",
                                      Count(1),
                                      Count(4),
                                      Slicing::Instance{4, 1, "1g.10gb"},
                                      "1g.10gb",
                                      {"/dev/nvidia3", "/dev/nvidiactl", "/dev/nvidia-modeset",
                                       "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools"},
                                      {"CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES"}});
    CHECK(planned_devices(shape, placement, {})[1].paths ==
          std::vector<std::string>{"/dev/nvidia3"});
    CHECK(planned_devices(shape, with_devices({2}), {})[0].profile == "3g.40gb");
    CHECK(planned_devices(shape, two_cores(), standard_vendor_profiles()).empty());
}

TEST_CASE("host_folders: those of the profiles, each once", "[enforce][devices]") {
    NodeShape shape = gpu_shape();
    for (std::uint32_t i : {0u, 1u}) shape.devices[i] = device_of("gpu", "tenstorrent", {});
    const auto profiles = standard_vendor_profiles();
    CHECK(host_folders(shape, with_devices({0, 1, 2}), profiles) ==
          std::vector<std::string>{"/dev/hugepages-1G"});
    CHECK(host_folders(shape, with_devices({2, 3}), profiles).empty());
    CHECK(host_folders(shape, with_devices({0}), {}).empty());
}

TEST_CASE("allowed_files: a device of another machine breaks the contract", "[enforce][devices]") {
    CHECK(broken_contract([] { (void)allowed_files(gpu_shape(), with_devices({4}), {}); }) ==
          "the device exists on this node");
}

TEST_CASE("visibility: how the devices are numbered", "[enforce][devices]") {
    NodeShape shape = gpu_shape();
    shape.devices[0] = device_of("gpu", "amd", {"/dev/dri/renderD128"});
    for (std::uint32_t i = 1; i < 3; ++i) shape.devices[i].uuid = "GPU-" + std::to_string(i);
    const auto profiles = standard_vendor_profiles();
    struct Row {
        std::initializer_list<std::uint32_t> devices;
        VendorProfile::Numbering numbering;
        std::vector<EnvironmentVariable> variables;
        const char* why;
    };
    using enum VendorProfile::Numbering;
    const Row rows[] = {
        {{}, local, {}, "no device, no variable"},
        {{2, 3},
         local,
         {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", "0,1"}},
         "the filter hides the others"},
        {{2, 3},
         global,
         {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", "1,2"}},
         "by vendor: the first GPU is AMD's"},
        {{1, 2}, uuid, {{"CUDA_VISIBLE_DEVICES", "GPU-1,GPU-2"}}, "all have a UUID"},
        {{2, 3},
         uuid,
         {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", "0,1"}},
         "one has none: CUDA takes no mixture"},
        {{1, 2}, uuid_or_global, {{"CUDA_VISIBLE_DEVICES", "GPU-1,GPU-2"}}, "right in any case"},
        {{2, 3},
         uuid_or_global,
         {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", "1,2"}},
         "never another one's"},
        {{0, 3},
         global,
         {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
          {"CUDA_VISIBLE_DEVICES", "2"},
          {"ROCR_VISIBLE_DEVICES", "0"},
          {"GPU_DEVICE_ORDINAL", "0"}},
         "two vendors, two variables, in the order of the profiles"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(visibility(shape, with_devices(row.devices), profiles, row.numbering) ==
              shown(row.variables));
    }
}

TEST_CASE("visibility: CUDA's numbers follow the PCI addresses", "[enforce][devices]") {
    const char* const addresses[] = {"0000:c1:00.0", "0000:a1:00.0", "0000:41:00.0",
                                     "0000:01:00.0"};
    struct Row {
        std::initializer_list<std::uint32_t> devices;
        int known;  ///< addresses, of the first devices
        const char* numbers;
        const char* why;
    };
    const Row rows[] = {
        {{0}, 4, "3", "the highest address"},
        {{2, 3}, 4, "0,1", "the lowest two"},
        {{0, 2}, 4, "1,3", "rising"},
        {{2, 3}, 0, "2,3", "no address is known: as the node has them"},
        {{2, 3}, 3, "2,3", "one is not known"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        NodeShape shape = gpu_shape();
        for (std::uint32_t i = 0; i < 4; ++i) {
            shape.devices[i].pci_bus_id = static_cast<int>(i) < row.known ? addresses[i] : "";
        }
        CHECK(visibility(shape, with_devices(row.devices), standard_vendor_profiles(),
                         VendorProfile::Numbering::global) ==
              shown({{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"CUDA_VISIBLE_DEVICES", row.numbers}}));
    }
}

TEST_CASE("visibility: each variable in the way its reader counts", "[enforce][devices]") {
    struct Row {
        const char* vendor;
        std::optional<std::uint32_t> neuron_cores;
        VendorProfile::Numbering numbering;
        std::vector<EnvironmentVariable> variables;
        const char* why;
    };
    using enum VendorProfile::Numbering;
    const Row rows[] = {
        {"amd",
         {},
         global,
         {{"ROCR_VISIBLE_DEVICES", "1,3"}, {"GPU_DEVICE_ORDINAL", "0,1"}},
         "the second counts what the first leaves"},
        {"amd",
         {},
         uuid,
         {{"ROCR_VISIBLE_DEVICES", "GPU-1,GPU-3"}, {"GPU_DEVICE_ORDINAL", "0,1"}},
         "the second knows no UUIDs"},
        {"intel", {}, uuid, {{"ZE_AFFINITY_MASK", "0,1"}}, "numbers only"},
        {"amd",
         {},
         uuid_or_global,
         {{"ROCR_VISIBLE_DEVICES", "GPU-1,GPU-3"}, {"GPU_DEVICE_ORDINAL", "0,1"}},
         "the second counts what the first leaves, filter or not"},
        {"intel", {}, global, {{"ZE_AFFINITY_MASK", "1,3"}}, "of all GPUs"},
        {"intel", {}, uuid_or_global, {{"ZE_AFFINITY_MASK", "1,3"}}, "no UUIDs: of all GPUs"},
        {"amazon",
         2,
         uuid_or_global,
         {{"NEURON_RT_VISIBLE_CORES", "2,3,6,7"}},
         "no UUIDs: among the cores of all devices"},
        {"habana", {}, local, {{"HABANA_VISIBLE_DEVICES", "1,3"}}, "its reader sees all cards"},
        {"amazon", 2, local, {{"NEURON_RT_VISIBLE_CORES", "0,1,2,3"}}, "two cores a device"},
        {"amazon",
         2,
         global,
         {{"NEURON_RT_VISIBLE_CORES", "2,3,6,7"}},
         "among the cores of all devices"},
        {"amazon", {}, local, {}, "how many cores is not known: no lie is told"},
        {"amazon", 4097, local, {}, "nor where no machine has so many"},
        {"tenstorrent", {}, local, {}, "there is no variable"},
    };
    for (const Row& row : rows) {
        INFO(row.vendor << ": " << row.why);
        NodeShape shape = gpu_shape();
        for (std::uint32_t i = 0; i < 4; ++i) {
            shape.devices[i] = device_of("gpu", row.vendor, {"/dev/x" + std::to_string(i)});
            shape.devices[i].uuid = "GPU-" + std::to_string(i);
            shape.devices[i].neuron_cores = row.neuron_cores;
        }
        CHECK(visibility(shape, with_devices({1, 3}), standard_vendor_profiles(), row.numbering) ==
              shown(row.variables));
    }
}

TEST_CASE("companions: one for each device where a star stands", "[enforce][devices]") {
    NodeShape shape = gpu_shape();
    shape.devices[0] = device_of("gpu", "habana", {"/dev/accel/accel0"});
    shape.devices[1] =
        device_of("gpu", "habana", {"/dev/accel/accel12", "/dev/accel/accel_controlD12"});
    shape.devices[2] = device_of("gpu", "habana", {});
    const auto profiles = standard_vendor_profiles();
    CHECK(paths_of(allowed_files(shape, with_devices({0, 1, 2}), profiles)) ==
          "/dev/accel/accel0 /dev/accel/accel12 /dev/accel/accel_controlD12 "
          "/dev/accel/accel_controlD0");
    const auto planned = planned_devices(shape, with_devices({0, 1, 2}), profiles);
    CHECK(planned[0].paths ==
          std::vector<std::string>{"/dev/accel/accel0", "/dev/accel/accel_controlD0"});
    CHECK(planned[1].paths ==
          std::vector<std::string>{"/dev/accel/accel12", "/dev/accel/accel_controlD12"});
    CHECK(planned[2].paths.empty());
}

TEST_CASE("VendorProfile: a caller's own is found like the standard ones", "[enforce][devices]") {
    VendorProfile fpga{"xilinx",
                       "fpga",
                       "/dev/xclmgmt",
                       {{{"/dev/xfpga/icap_*", Device::File::Kind::character, {}, {}},
                         DeviceRule::Access::read_write(),
                         DeviceAllowList::File::Presence::required,
                         ""}},
                       {{"XRT_VISIBLE", {VendorProfile::Numbering::global}}},
                       {"/opt/xilinx"}};
    auto profiles = standard_vendor_profiles();
    profiles.push_back(fpga);
    NodeShape shape = gpu_shape();
    shape.devices[2] = device_of("fpga", "", {"/dev/xclmgmt7"});
    shape.devices[3] = device_of("fpga", "xilinx", {"/dev/xclmgmt8"});
    const auto files = allowed_files(shape, with_devices({3}), profiles);
    CHECK(paths_of(files) == "/dev/xclmgmt8 /dev/xfpga/icap_8");
    CHECK(files[1].presence == DeviceAllowList::File::Presence::required);
    CHECK(visibility(shape, with_devices({3}), profiles, VendorProfile::Numbering::local) ==
          shown({{"XRT_VISIBLE", "1"}}));
    CHECK(host_folders(shape, with_devices({3}), profiles) ==
          std::vector<std::string>{"/opt/xilinx"});
}

}  // namespace
