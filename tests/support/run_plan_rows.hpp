// SPDX-License-Identifier: Apache-2.0
// Worlds of plans in a few words, and plans in one line.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/dstack_files.hpp"
#include "trestle/alloc/market/owners.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/run/plan.hpp"
#include "trestle/testing/node_text.hpp"

namespace trestle::testing {

/// An offer of aws in eu, for so many dollars.
inline Offer priced(const char* name, std::int64_t dollars, std::int64_t cpus,
                    std::int64_t gib_memory, std::int64_t gpus) {
    Offer offer;
    offer.backend = "aws";
    offer.region = "eu";
    offer.instance = name;
    offer.cpus = Count(cpus);
    offer.memory = gib(gib_memory);
    offer.price = Microdollars(dollars * 1'000'000);
    if (gpus > 0) offer.devices = {{"gpu", "nvidia", "A100", gib(80), Count(gpus), {}}};
    return offer;
}

inline Catalog catalog_of(const std::vector<Offer>& offers) {
    return Catalog::read(offers).catalog;
}

/// A running host of the fleet, looked at; `busy` blocks belong to owner 99.
inline Instance host(const std::string& name, const std::string& node, std::int64_t blocks,
                     std::uint32_t busy = 0) {
    Instance instance;
    instance.name = name;
    instance.fleet = name.substr(0, name.find('-'));
    instance.offer.backend = "remote";
    const auto parsed = node_from_text(node);
    REQUIRE(parsed.ok());
    const Status status = look_at(instance, *parsed->shape, Count(blocks));
    INFO(message(status));
    REQUIRE(status.ok());
    if (instance.offer.devices.size() == 1) instance.offer.devices[0].model = "A100";
    for (std::uint32_t i = 0; i < busy; ++i) instance.blocks.owners[i] = OwnerId(99);
    return instance;
}

inline Instance with_change(Instance instance, void (*change)(Instance&)) {
    change(instance);
    return instance;
}

/// What was bought for the node as `=name`; nothing for one that is reused.
inline std::string bought(const dstack::RunPlan& plan, const dstack::PlannedNode& node) {
    for (const Instance& made : plan.created) {
        if (node.offer && made.name == node.share.instance) return "=" + made.offer.instance;
    }
    return "";
}

/// `fleet: instance[blocks], new name=offer[blocks]`, or the reason of each fleet.
inline std::string plan_line(const StatusOr<dstack::RunPlan>& plan) {
    if (!plan.ok()) return "error: " + std::string(message(plan.status()));
    if (!plan->has_capacity()) {
        std::string text;
        for (const dstack::FleetAnswer& answer : plan->fleets) {
            text += fmt::format("{}{}: {}; {}", text.empty() ? "no " : " | ", answer.fleet,
                                answer.reuse->reason, answer.creation->reason);
        }
        return text.empty() ? "no" : text;
    }
    std::string text = plan->fleet + ":";
    for (const dstack::PlannedNode& node : plan->nodes) {
        text += fmt::format(" {}{}[{}/{}]", node.share.instance, bought(*plan, node),
                            node.share.blocks, node.share.total_blocks);
    }
    return text;
}

inline constexpr const char* gpu_host = "2s64c mem=2T disk=4T gpu:a100-80G:8";
inline constexpr const char* one_gpu = "resources: {gpu: 1, disk: 100GB..}";

}  // namespace trestle::testing
