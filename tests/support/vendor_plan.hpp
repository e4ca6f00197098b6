// SPDX-License-Identifier: Apache-2.0
// The machine of gpu_node.hpp with other makers' devices, and plans for parts of it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/gpu_node.hpp"
#include "trestle/enforce/plan.hpp"

namespace trestle {

/// A device of a maker: its number stands behind each of the prefixes.
struct VendorDevice {
    std::string vendor;
    std::vector<std::string> prefixes;
    std::uint32_t major = 0;
    std::uint32_t first_minor = 0;
    std::string name = "gpu";
};

[[nodiscard]] inline Device vendor_device(const VendorDevice& spec, std::uint32_t index) {
    Device device;
    device.name = spec.name;
    device.index = index;
    device.vendor = spec.vendor;
    if (spec.vendor == "nvidia") device.uuid = "GPU-000" + std::to_string(index);
    for (std::size_t i = 0; i < spec.prefixes.size(); ++i) {
        const auto minor = spec.first_minor + index + static_cast<std::uint32_t>(64 * i);
        const auto number = spec.prefixes[i].ends_with("renderD") ? minor : index;
        device.files.push_back({spec.prefixes[i] + std::to_string(number),
                                Device::File::Kind::character, spec.major, minor});
    }
    return device;
}

/// Two of the four devices, cores 8-11 and 32 GiB: a quarter of the machine.
[[nodiscard]] inline Node vendor_node(const VendorDevice& spec) {
    Node node = gpu_node();
    NodeShape shape = *node.shape;
    shape.devices.clear();
    for (std::uint32_t i = 0; i < 4; ++i) shape.devices.push_back(vendor_device(spec, i));
    node.shape = shape;
    return node;
}

/// dstack's way: limited to what the share has.
[[nodiscard]] inline LimitPolicy share_policy() {
    LimitPolicy policy;
    policy.source = LimitPolicy::Source::capacity;
    policy.pids_max = Count(4096);
    return policy;
}

[[nodiscard]] inline PlanOptions job_7() {
    PlanOptions options;
    options.group = "job_7";
    options.owner = OwnerId(7);
    return options;
}

[[nodiscard]] inline Plan share_plan(const Node& node, const NodePlacement& placement,
                                     const Request& request = {},
                                     const LimitPolicy& policy = share_policy()) {
    const auto made = plan(node, placement, request, policy, job_7());
    INFO(made.status().ToString());
    REQUIRE(made.ok());
    return *made;
}

/// `memory: 20GB..`, `shm_size: 8GB`, `disk: 100GB..`.
[[nodiscard]] inline Request container_request() {
    Request request;
    request.memory = Range<Bytes>::at_least(gib(20));
    request.shm_size = gib(8);
    request.disk = Range<Bytes>::at_least(gib(100));
    return request;
}

inline const VendorDevice nvidia_gpus{"nvidia", {"/dev/nvidia"}, 195, 0};
inline const VendorDevice amd_gpus{"amd", {"/dev/dri/renderD"}, 226, 128};
inline const VendorDevice gaudi_cards{
    "habana", {"/dev/accel/accel", "/dev/accel/accel_controlD"}, 261, 0};
inline const VendorDevice tpu_chips{"google", {"/dev/vfio/"}, 511, 0};
inline const VendorDevice old_tpu_chips{"google", {"/dev/accel"}, 120, 0};
inline const VendorDevice tenstorrent_cards{"tenstorrent", {"/dev/tenstorrent/"}, 241, 0};
inline const VendorDevice rdma_adapters{"mellanox", {"/dev/infiniband/uverbs"}, 231, 192, "nic"};

}  // namespace trestle
