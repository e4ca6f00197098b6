// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which devices: all distinct subsets that satisfy the demands, one after the other.
//
// Layer: alloc, internal to fit. Main types: DeviceSearch, DevicePick. Devices that nothing tells
// apart form a class, and of a class the lowest ids are taken, so that eight equal GPUs give nine
// subsets, not 256.
// A reader would get wrong: on a node with links no two devices are interchangeable unless they
// have the same links, so classes are as small as they must be.

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "trestle/alloc/demand.hpp"
#include "trestle/alloc/device_match.hpp"
#include "trestle/alloc/usage.hpp"
#include "trestle/model/node.hpp"

namespace trestle::detail {

/// One way to satisfy all device demands.
struct DevicePick {
    std::vector<DeviceShare> shares;  ///< in the order of choice
    std::vector<std::size_t> demand;  ///< which demand each share answers
    DeviceSet set;
};

class DeviceSearch {
  public:
    DeviceSearch(const NodeShape& shape, const NodeUsage& usage, const NodeDemand& demand)
        : shape_(shape), usage_(usage), demand_(demand), class_of_(classes(shape, usage)) {
        for (const DeviceDemand& one : demand.devices) {
            std::vector<DeviceId> fitting;
            for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
                if (can_give(DeviceId(i), one.request)) fitting.emplace_back(i);
            }
            candidates_.push_back(std::move(fitting));
        }
    }

    /// The devices that could answer demand `i`, lowest first.
    [[nodiscard]] const std::vector<DeviceId>& candidates(std::size_t i) const {
        return candidates_[i];
    }

    /// Calls `visit(pick)` for every distinct pick of exactly counts[i] devices for demand i, until
    /// it returns false. Returns false when it was stopped.
    template <class Visit>
    bool for_each_pick(const std::vector<std::uint32_t>& counts, Visit&& visit) const {
        DevicePick pick;
        return extend(counts, 0, 0, counts.empty() ? 0 : counts[0], DeviceSet(), pick, visit);
    }

    /// Shares taken of `device` by a demand: some, or the whole device.
    [[nodiscard]] Count shares_for(const DeviceRequest& request, DeviceId device) const {
        return request.shares.is_zero() ? shape_.devices[device.value()].shares : request.shares;
    }

    /// The sum of the strengths of all links inside `set`.
    [[nodiscard]] std::uint64_t link_strength(const DeviceSet& set) const {
        std::uint64_t sum = 0;
        for (const DeviceLink& link : shape_.links) {
            if (set.contains(link.a) && set.contains(link.b)) sum += link.strength;
        }
        return sum;
    }

    /// Divisible devices of the pick that were untouched and will be given in part.
    [[nodiscard]] std::uint32_t opened(const DevicePick& pick) const {
        std::uint32_t count = 0;
        for (const DeviceShare& share : pick.shares) {
            const Device& device = shape_.devices[share.device.value()];
            const bool is_untouched = usage_.free_shares(share.device) == device.shares;
            if (is_untouched && share.shares < device.shares) ++count;
        }
        return count;
    }

  private:
    [[nodiscard]] bool can_give(DeviceId id, const DeviceRequest& request) const {
        const Device& device = shape_.devices[id.value()];
        return is_usable(device) && !mismatch(device, request) &&
               usage_.free_shares(id) >= shares_for(request, id);
    }

    /// Devices are alike when only their index and name tags differ; the number is the lowest
    /// device of the class.
    [[nodiscard]] static std::vector<std::uint32_t> classes(const NodeShape& shape,
                                                            const NodeUsage& usage) {
        using Link = std::tuple<std::uint32_t, std::uint32_t>;
        std::vector<std::vector<Link>> links(shape.devices.size());
        for (const DeviceLink& link : shape.links) {
            links[link.a.value()].emplace_back(link.b.value(), link.strength);
            links[link.b.value()].emplace_back(link.a.value(), link.strength);
        }
        std::vector<std::uint32_t> class_of(shape.devices.size());
        for (std::uint32_t i = 0; i < class_of.size(); ++i) {
            class_of[i] = i;
            for (std::uint32_t j = 0; j < i && class_of[i] == i; ++j) {
                if (links[i].empty() && links[j].empty() && class_of[j] == j &&
                    usage.free_shares(DeviceId(i)) == usage.free_shares(DeviceId(j)) &&
                    are_alike(shape.devices[i], shape.devices[j])) {
                    class_of[i] = j;
                }
            }
        }
        return class_of;
    }

    [[nodiscard]] static bool are_alike(const Device& a, const Device& b) {
        return a.name == b.name && a.type == b.type && a.vendor == b.vendor && a.model == b.model &&
               a.memory == b.memory && a.compute_capability == b.compute_capability &&
               a.attributes == b.attributes && a.cores == b.cores && a.shares == b.shares &&
               a.health == b.health && a.is_drained == b.is_drained;
    }

    /// Chooses `missing` more devices for demand `i` from candidate `from` on. `skipped` holds the
    /// classes of which a member was passed over for this demand: later members add nothing new.
    template <class Visit>
    bool extend(const std::vector<std::uint32_t>& counts, std::size_t i, std::size_t from,
                std::uint32_t missing, const DeviceSet& skipped, DevicePick& pick,
                Visit&& visit) const {
        if (i == counts.size()) return visit(std::as_const(pick));
        if (missing == 0) {
            const std::uint32_t next = i + 1 < counts.size() ? counts[i + 1] : 0;
            return extend(counts, i + 1, 0, next, DeviceSet(), pick, visit);
        }
        DeviceSet passed = skipped;
        const auto& list = candidates_[i];
        for (std::size_t at = from; at + missing <= list.size(); ++at) {
            const DeviceId device = list[at];
            const DeviceId group(class_of_[device.value()]);
            if (pick.set.contains(device) || passed.contains(group)) continue;
            pick.shares.push_back({device, shares_for(demand_.devices[i].request, device)});
            pick.demand.push_back(i);
            pick.set.insert(device);
            const bool go_on = extend(counts, i, at + 1, missing - 1, passed, pick, visit);
            pick.set.erase(device);
            pick.demand.pop_back();
            pick.shares.pop_back();
            if (!go_on) return false;
            passed.insert(group);
        }
        return true;
    }

    const NodeShape& shape_;
    const NodeUsage& usage_;
    const NodeDemand& demand_;
    std::vector<std::uint32_t> class_of_;
    std::vector<std::vector<DeviceId>> candidates_;
};

}  // namespace trestle::detail
