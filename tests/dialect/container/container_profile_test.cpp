// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/container/container_profile.hpp"

#include "support/catch.hpp"
#include "trestle/dialect/container/document.hpp"

namespace trestle::container {
namespace {

static_assert(lists_all_fields<ContainerProfile> && lists_all_fields<KeptLimit> &&
              lists_all_fields<ContainerOptions>);

PlannedDevice planned(std::string name, std::string vendor, std::vector<std::string> paths) {
    PlannedDevice device;
    device.name = std::move(name);
    device.vendor = std::move(vendor);
    device.paths = std::move(paths);
    return device;
}

TEST_CASE("ContainerProfile: which device it is for", "[dialect][container]") {
    struct Row {
        PlannedDevice device;
        const char*
            resource;  ///< Kubernetes' name tells profiles apart; `-`: no profile, empty: no name
        const char* why;
    };
    const Row rows[] = {
        {planned("gpu", "nvidia", {"/dev/nvidia0"}), "nvidia.com/gpu", "vendor and file"},
        {planned("gpu", "nvidia", {"/dev/dri/renderD128", "/dev/nvidia0"}), "nvidia.com/gpu",
         "any of its files"},
        {planned("gpu", "nvidia", {}), "nvidia.com/gpu", "without files the vendor decides"},
        {planned("gpu", "nvidia", {"/dev/dri/renderD128"}), "-",
         "under another driver NVIDIA's toolkit does not know it"},
        {planned("gpu", "", {"/dev/nvidia0"}), "nvidia.com/gpu", "gres.conf names no vendor"},
        {planned("gpu", "", {}), "-", "nothing is known"},
        {planned("gpu", "", {"/dev/dri/renderD128"}), "gpu.intel.com/i915",
         "the only profile that knows render nodes by their files"},
        {planned("gpu", "amd", {"/dev/dri/renderD128", "/dev/kfd"}), "amd.com/gpu", "the vendor"},
        {planned("gpu", "habana", {"/dev/hl0"}), "habana.ai/gaudi", "Gaudi's old name"},
        {planned("gpu", "intel", {"/dev/accel/accel0"}), "habana.ai/gaudi", "Gaudi, Intel's"},
        {planned("gpu", "intel", {"/dev/hl0"}), "habana.ai/gaudi", "with its old driver"},
        {planned("gpu", "intel", {"/dev/dri/renderD128"}), "gpu.intel.com/i915", "Intel's GPU"},
        {planned("gpu", "intel", {}), "habana.ai/gaudi", "as dstack reads intel"},
        {planned("gpu", "google", {"/dev/vfio/0"}), "google.com/tpu", "TPU v5"},
        {planned("gpu", "google", {"/dev/accel0"}), "google.com/tpu", "TPU v4"},
        {planned("gpu", "tenstorrent", {"/dev/tenstorrent/0"}), "-", "files are enough"},
        {planned("gpu", "amazon", {"/dev/neuron0"}), "aws.amazon.com/neuron", "Neuron"},
        {planned("nic", "mellanox", {"/dev/infiniband/uverbs0"}), "-", "files are enough"},
        {planned("nic", "mellanox", {}), "-", "a card without RDMA"},
        {planned("nic", "nvidia", {"/dev/nvidia0"}), "-", "no GPU"},
        {planned("fpga", "", {"/dev/xdma0"}), "-", "unknown to all"},
    };
    const auto profiles = standard_container_profiles();
    for (const Row& row : rows) {
        INFO(row.why);
        const ContainerProfile* profile = profile_of(profiles, row.device);
        CHECK((profile == nullptr ? "-" : profile->kubernetes_resource) == row.resource);
    }
}

TEST_CASE("ContainerProfile: the first that fits", "[dialect][container]") {
    auto profiles = standard_container_profiles();
    ContainerProfile own;
    own.vendor = "tenstorrent";
    own.name = "gpu";
    own.kubernetes_resource = "tenstorrent.com/n150";
    profiles.insert(profiles.begin(), own);
    CHECK(profile_of(profiles, planned("gpu", "tenstorrent", {"/dev/tenstorrent/0"})) ==
          &profiles.front());
    CHECK(profile_of({}, planned("gpu", "nvidia", {})) == nullptr);
}

TEST_CASE("container: the account as a table", "[dialect][container]") {
    const std::vector<KeptLimit> rows = {{"cpu", "-", Keeper::none, "no limit"},
                                         {"memory", "16GiB", Keeper::receiver, "Memory"},
                                         {"disk", "1TiB..", Keeper::none, "not enforced"}};
    CHECK(kept_table(rows) ==
          "resource  limit   keeper    how\n"
          "cpu       -       none      no limit\n"
          "memory    16GiB   receiver  Memory\n"
          "disk      1TiB..  none      not enforced\n");
    CHECK(losses(rows) == std::vector<KeptLimit>{rows[2]});
    CHECK(kept_table({}) == "resource  limit  keeper  how\n");
}

}  // namespace
}  // namespace trestle::container
