// SPDX-License-Identifier: Apache-2.0
#include "trestle/model/node.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "model/core_groups.hpp"
#include "trestle/base/status.hpp"

namespace trestle {

Bytes NodeShape::total_memory() const {
    return std::accumulate(memory.begin(), memory.end(), Bytes(),
                           [](Bytes sum, const MemoryDomain& d) { return sum + d.capacity; });
}

Bytes NodeShape::ordinary_memory() const {
    return std::accumulate(memory.begin(), memory.end(), Bytes(),
                           [](Bytes sum, const MemoryDomain& d) {
                               return d.is_ordinary() ? sum + d.allocatable() : sum;
                           });
}

Count NodeShape::cpu_count() const {
    std::int64_t threads = 0;
    for (const Core& core : hardware.cores) {
        threads += static_cast<std::int64_t>(core.threads.size());
    }
    return Count(threads);
}

std::optional<DeviceId> NodeShape::find_device(std::string_view name, std::uint32_t index) const {
    for (std::uint32_t i = 0; i < devices.size(); ++i) {
        if (devices[i].name == name && devices[i].index == index) return DeviceId(i);
    }
    return std::nullopt;
}

std::uint32_t NodeShape::distance(DomainId from, DomainId to) const {
    if (distances.empty()) return from == to ? 10 : 20;
    return distances[from.value() * memory.size() + to.value()];
}

std::uint32_t NodeShape::socket_count() const {
    const std::size_t packages = core_groups(*this, HardwareLevel::package).size();
    return std::max(static_cast<std::uint32_t>(packages), std::uint32_t{1});
}

namespace {

/// Numbers that become members of a SmallSet are below this.
constexpr std::uint32_t number_limit = PuSet::index_limit;

Status check_amounts(const NodeShape& shape) {
    if (shape.hardware.cores.size() > number_limit || shape.devices.size() > number_limit ||
        shape.memory.size() > number_limit) {
        return invalid_argument("the node has more than {} cores, devices or memory domains",
                                number_limit);
    }
    std::optional<Bytes> sum = Bytes();
    for (const MemoryDomain& domain : shape.memory) {
        if (sum) sum = checked_add(*sum, domain.capacity);
        if (domain.os_index.value() >= number_limit) {
            return invalid_argument("memory domain {}: expected a number below {}",
                                    domain.os_index.value(), number_limit);
        }
    }
    if (!sum) return invalid_argument("memory: the domains hold more than 2^63 bytes");
    for (const Device& device : shape.devices) {
        if (sum) sum = checked_add(*sum, device.memory);
    }
    if (!sum) return invalid_argument("devices: with the node's they hold more than 2^63 bytes");
    std::optional<Count> shares = Count();
    for (const Device& device : shape.devices) {
        if (shares) shares = checked_add(*shares, device.shares);
    }
    if (!shares) return invalid_argument("devices: they have more than 2^63 shares");
    return {};
}

Status check_devices(const NodeShape& shape) {
    for (std::size_t i = 0; i < shape.devices.size(); ++i) {
        const Device& device = shape.devices[i];
        if (device.name.empty()) return invalid_argument("device {}: it has no name", i);
        const auto last = device.cores.last();
        if (last && last->value() >= shape.hardware.core_count()) {
            return invalid_argument("device {} ({}): core {} does not exist, the node has {} cores",
                                    i, device.name, last->value(), shape.hardware.core_count());
        }
        if (device.index >= number_limit) {
            return invalid_argument("device {} ({}): index {}, expected below {}", i, device.name,
                                    device.index, number_limit);
        }
        if (!shape.hardware.all_cores().contains_all(device.reserved_cores)) {
            return invalid_argument("device {} ({}): reserved core {} does not exist", i,
                                    device.name, device.reserved_cores.last()->value());
        }
        if (device.slicing) {
            TRESTLE_TRY_STATUS(check(*device.slicing));
            if (!device.is_consumed) {
                return invalid_argument("device {} ({}): it is cut into slices and not consumed", i,
                                        device.name);
            }
        }
        if (device.shares.is_zero()) {
            return invalid_argument("device {} ({}): shares=0, expected 1 or more", i, device.name);
        }
        if (shape.find_device(device.name, device.index)->value() != i) {
            return invalid_argument("device {}: {} index {} exists twice", i, device.name,
                                    device.index);
        }
    }
    for (const DeviceLink& link : shape.links) {
        if (!(link.a < link.b) || link.b.value() >= shape.devices.size()) {
            return invalid_argument("link {}-{}: expected two devices below {}, lower one first",
                                    link.a.value(), link.b.value(), shape.devices.size());
        }
    }
    return {};
}

Status check_hardware(const NodeShape& shape) {
    PuSet seen;
    for (std::size_t i = 0; i < shape.hardware.cores.size(); ++i) {
        const Core& core = shape.hardware.cores[i];
        if (core.threads.empty()) return invalid_argument("core {}: it has no hardware thread", i);
        for (const OsIndex thread : core.threads) {
            if (thread.value() >= number_limit) {
                return invalid_argument("core {}: hardware thread {}, expected below {}", i,
                                        thread.value(), number_limit);
            }
            if (seen.contains(thread)) {
                return invalid_argument("core {}: hardware thread {} belongs to two cores", i,
                                        thread.value());
            }
            seen.insert(thread);
        }
    }
    const CoreSet all = shape.hardware.all_cores();
    if (!all.contains_all(shape.system_cores)) {
        return invalid_argument("system_cores: core {} does not exist",
                                shape.system_cores.last()->value());
    }
    for (const CoreGroup& group : shape.hardware.groups) {
        if (!all.contains_all(group.cores)) {
            return invalid_argument("{} {}: core {} does not exist", to_text(group.level),
                                    group.os_index.value(), group.cores.last()->value());
        }
    }
    for (const MemoryDomain& domain : shape.memory) {
        if (!all.contains_all(domain.cores)) {
            return invalid_argument("memory domain {}: core {} does not exist",
                                    domain.os_index.value(), domain.cores.last()->value());
        }
        if (domain.capacity < domain.reserved) {
            return invalid_argument("memory domain {}: {} bytes reserved of {}",
                                    domain.os_index.value(), domain.reserved.value(),
                                    domain.capacity.value());
        }
    }
    if (!shape.distances.empty() &&
        shape.distances.size() != shape.memory.size() * shape.memory.size()) {
        return invalid_argument("distances: {} values, expected {} for {} memory domains",
                                shape.distances.size(), shape.memory.size() * shape.memory.size(),
                                shape.memory.size());
    }
    return {};
}

}  // namespace

Status check(const NodeShape& shape) {
    TRESTLE_TRY_STATUS(check_amounts(shape));
    TRESTLE_TRY_STATUS(check_hardware(shape));
    TRESTLE_TRY_STATUS(check_devices(shape));
    const auto out_of_order = std::adjacent_find(
        shape.links.begin(), shape.links.end(), [](const DeviceLink& x, const DeviceLink& y) {
            return std::pair(x.a, x.b) >= std::pair(y.a, y.b);
        });
    if (out_of_order != shape.links.end()) {
        return invalid_argument("links: expected them sorted and each pair once");
    }
    return {};
}

}  // namespace trestle
