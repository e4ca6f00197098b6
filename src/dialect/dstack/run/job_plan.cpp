// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/run/job_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/run/access.hpp"
#include "trestle/model/placement.hpp"

namespace trestle::dstack {
namespace {

constexpr std::string_view rdma_folder = "/dev/infiniband/";

/// Takes the RDMA files from the shape, and from the placement the devices that have no others.
void leave_out_rdma(NodeShape& shape, NodePlacement& placement) {
    const auto is_rdma = [](const Device::File& file) {
        return file.path.starts_with(rdma_folder);
    };
    SmallVector<DeviceShare> left;
    for (const DeviceShare& share : placement.devices) {
        const std::size_t i = share.device.value();
        const bool is_known = i < shape.devices.size();  // else plan() names it
        const std::vector<Device::File> none;
        const auto& files = is_known ? shape.devices[i].files : none;
        if (files.empty() || !std::all_of(files.begin(), files.end(), is_rdma)) {
            left.push_back(share);
        }
    }
    placement.devices = std::move(left);
    for (Device& device : shape.devices) std::erase_if(device.files, is_rdma);
}

}  // namespace

StatusOr<JobPlan> plan_job(const Node& node, const Instance::Share& share, const Request& request,
                           const LimitPolicy& policy, PlanOptions options) {
    if (!share.placement) {
        return invalid_argument(
            "instance {}: the share has no placement, expected one of a machine that was looked at",
            share.instance);
    }
    TRESTLE_TRY_STATUS(with_context("placement", check(*node.shape, *share.placement)));
    if (threads_of(*node.shape, *share.placement) != share.threads) {
        return invalid_argument(
            "instance {}: the share has CPUs {}, the node has {} in their place, expected the "
            "shape of the instance",
            share.instance, share.threads, threads_of(*node.shape, *share.placement));
    }
    const JobAccess access = access_of(share);
    Node seen = node;
    NodePlacement placement = *share.placement;
    if (!access.has_rdma_devices) {
        NodeShape shape = *node.shape;
        leave_out_rdma(shape, placement);
        seen.shape = std::move(shape);
    }
    for (const ProcessSettings::Limit& limit : access.limits) {
        const auto is_same = [&](const auto& one) { return one.resource == limit.resource; };
        const auto& said = options.limits;
        if (std::none_of(said.begin(), said.end(), is_same)) options.limits.push_back(limit);
    }
    JobPlan job;
    TRESTLE_TRY(job.plan, plan(seen, placement, request, policy, options));
    job.options.network = access.network;
    return job;
}

}  // namespace trestle::dstack
