// SPDX-License-Identifier: Apache-2.0
#include "scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/join.hpp"
#include "set/masks.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/set/text.hpp"

namespace trestle::svg {
namespace {

[[nodiscard]] std::string label_of(std::optional<OwnerId> owner, std::span<const OwnerName> names) {
    if (!owner) return "this placement";
    const std::string number = fmt::format("owner {}", owner->value());
    const auto named = std::find_if(names.begin(), names.end(),
                                    [&](const OwnerName& one) { return one.owner == *owner; });
    return named == names.end() || named->name.empty() ? number : number + " (" + named->name + ")";
}

void take_cores(const NodeShape& shape, Scene& scene, std::size_t owner,
                const NodePlacement& part) {
    for (const CoreId core : part.cores) {
        const std::size_t all = shape.hardware.cores[core.value()].threads.size();
        const auto asked = static_cast<std::size_t>(part.threads_per_core.value());
        scene.cores[core.value()].push_back(
            {owner, part.row, asked == 0 ? all : std::min(all, asked)});
    }
    scene.owners[owner].cores |= part.cores;
    scene.owners[owner].milli_cpus += part.milli_cpus;
}

void take_memory(Scene& scene, std::size_t owner, const NodePlacement& part) {
    for (const MemoryShare& share : part.memory) {
        auto& holds = scene.memory[share.domain.value()];
        const auto mine = std::find_if(holds.begin(), holds.end(),
                                       [&](const MemoryHold& hold) { return hold.owner == owner; });
        if (mine != holds.end()) {
            mine->bytes += share.bytes;
        } else {
            holds.push_back({owner, share.bytes});
        }
        scene.owners[owner].memory += share.bytes;
    }
}

void take_devices(Scene& scene, std::size_t owner, const NodePlacement& part) {
    for (const DeviceShare& share : part.devices) {
        auto& holds = scene.devices[share.device.value()];
        const auto mine = std::find_if(holds.begin(), holds.end(), [&](const DeviceHold& hold) {
            return hold.owner == owner && !share.slice && !hold.share.slice;
        });
        if (mine != holds.end()) {
            mine->share.shares += share.shares;
        } else {
            holds.push_back({owner, share});
        }
        scene.owners[owner].devices.push_back(share);
    }
}

void sort_holds(Scene& scene) {
    for (auto& holds : scene.cores) {
        std::stable_sort(holds.begin(), holds.end(), [](const CoreHold& a, const CoreHold& b) {
            return std::tuple(a.row, a.owner) < std::tuple(b.row, b.owner);
        });
    }
    for (auto& holds : scene.memory) {
        std::stable_sort(holds.begin(), holds.end(), [](const MemoryHold& a, const MemoryHold& b) {
            return a.owner < b.owner;
        });
    }
    for (auto& holds : scene.devices) {
        std::stable_sort(holds.begin(), holds.end(), [](const DeviceHold& a, const DeviceHold& b) {
            return std::tie(a.share.slice, a.owner) < std::tie(b.share.slice, b.owner);
        });
    }
}

/// `5`, `5 and 21`, `0, 1, 2 and 3`.
[[nodiscard]] std::string threads_words(const Core& core) {
    std::vector<std::string> words;
    for (const OsIndex thread : core.threads) words.push_back(std::to_string(thread.value()));
    return trestle::detail::listed(words);
}

[[nodiscard]] std::string share_words(const Device& device, const DeviceShare& share) {
    if (share.slice) return fmt::format(" {} at {}", share.slice->profile, share.slice->start);
    if (device.shares == Count(1)) return {};
    return fmt::format(" {} of {} shares", share.shares.value(), device.shares.value());
}

[[nodiscard]] std::string reserving_devices(const NodeShape& shape, CoreId core) {
    std::vector<DeviceId> reserving;
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        if (shape.devices[i].reserved_cores.contains(core)) reserving.emplace_back(i);
    }
    return devices_words(shape, reserving);
}

}  // namespace

std::vector<Owner> owners_of(std::span<const Taken> taken, std::span<const OwnerName> names) {
    std::vector<Owner> owners;
    for (const Taken& one : taken) owners.push_back(Owner{one.owner});
    std::sort(owners.begin(), owners.end(), [](const Owner& a, const Owner& b) {
        return std::tuple(a.is_proposed(), a.id) < std::tuple(b.is_proposed(), b.id);
    });
    const auto is_same = [](const Owner& a, const Owner& b) { return a.id == b.id; };
    owners.erase(std::unique(owners.begin(), owners.end(), is_same), owners.end());
    for (std::size_t i = 0; i < owners.size(); ++i) {
        owners[i].label = label_of(owners[i].id, names);
        owners[i].colour = i;
    }
    return owners;
}

std::vector<Taken> taken_of(const NodeLedger& ledger) {
    std::vector<Taken> taken;
    for (const Holding& holding : ledger.holdings()) {
        NodePlacement alone;
        alone.cores = holding.cores;
        alone.milli_cpus = holding.milli_cpus;
        alone.memory = holding.memory;
        alone.devices = holding.devices;
        taken.push_back({holding.owner, std::move(alone)});
        for (const Holding::Row& row : holding.rows) {
            NodePlacement shared;
            shared.cores = row.cores;
            shared.row = row.row;
            taken.push_back({holding.owner, std::move(shared)});
        }
    }
    return taken;
}

Scene scene_of(const NodeShape& shape, std::span<const Taken> taken,
               std::span<const OwnerName> names) {
    Scene scene;
    scene.machine = box_tree(shape);
    scene.owners = owners_of(taken, names);
    scene.cores.resize(shape.hardware.cores.size());
    scene.memory.resize(shape.memory.size());
    scene.devices.resize(shape.devices.size());
    for (const Device& device : shape.devices) scene.reserved_cores |= device.reserved_cores;
    for (const Taken& one : taken) {
        TRESTLE_EXPECTS(check(shape, one.part).ok(), "the node has what is drawn as taken");
        const auto at = std::find_if(scene.owners.begin(), scene.owners.end(),
                                     [&](const Owner& owner) { return owner.id == one.owner; });
        const auto owner = static_cast<std::size_t>(at - scene.owners.begin());
        take_cores(shape, scene, owner, one.part);
        take_memory(scene, owner, one.part);
        take_devices(scene, owner, one.part);
    }
    sort_holds(scene);
    return scene;
}

Bytes free_bytes(const NodeShape& shape, const Scene& scene, DomainId domain) {
    Bytes free = shape.memory[domain.value()].allocatable();
    for (const MemoryHold& hold : scene.memory[domain.value()]) {
        free = saturating_sub(free, hold.bytes);
    }
    return free;
}

std::string state_words(NodeState state, Health health) {
    std::string words;
    if (state != NodeState::up) words = to_text(state);
    if (health != Health::healthy) {
        words += fmt::format("{}health: {}", words.empty() ? "" : ", ", to_text(health));
    }
    return words;
}

std::string size_words(Bytes bytes) {
    constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::int64_t value = bytes.value();
    std::int64_t tenths = 0;
    std::size_t unit = 0;
    while (value >= 1024) {
        tenths = value % 1024 * 10 / 1024;
        value /= 1024;
        ++unit;
    }
    return tenths == 0 ? fmt::format("{} {}", value, units[unit])
                       : fmt::format("{}.{} {}", value, tenths, units[unit]);
}

std::string free_words(Bytes free, Bytes capacity) {
    const std::string all = size_words(capacity);
    std::string some = size_words(free);
    const std::size_t unit = some.find(' ');
    if (free.is_zero() || all.substr(all.find(' ')) == some.substr(unit)) some.resize(unit);
    return some + " of " + all;
}

std::string counted(std::size_t n, const char* noun) {
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string device_words(const Device& device) {
    return fmt::format("{} {}", device.name, device.index);
}

std::string devices_words(const NodeShape& shape, const std::vector<DeviceId>& devices) {
    std::map<std::string_view, SmallSet<>> indexes;
    for (const DeviceId id : devices) {
        const Device& device = shape.devices[id.value()];
        indexes[device.name].insert(device.index);
    }
    std::string words;
    for (const auto& [name, set] : indexes) {
        words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, to_space_list(set));
    }
    return words;
}

std::string amount_words(const NodeShape& shape, const Owner& owner) {
    std::vector<std::string> amounts;
    if (!owner.cores.is_empty()) amounts.push_back(counted(owner.cores.count(), "core"));
    if (!owner.milli_cpus.is_zero()) {
        amounts.push_back(fmt::format("{} thousandths of CPUs", owner.milli_cpus.value()));
    }
    if (!owner.memory.is_zero()) amounts.push_back(size_words(owner.memory));
    std::vector<DeviceId> devices;
    for (const DeviceShare& share : owner.devices) devices.push_back(share.device);
    if (!devices.empty()) amounts.push_back(devices_words(shape, devices));
    return amounts.empty() ? "nothing" : fmt::format("{}", fmt::join(amounts, ", "));
}

std::string core_title(const NodeShape& shape, const Scene& scene, CoreId id) {
    const Core& core = shape.hardware.cores[id.value()];
    const bool is_single = core.threads.size() == 1;
    std::string title = fmt::format("core {}, {} {}", id.value(), is_single ? "thread" : "threads",
                                    threads_words(core));
    const auto& holds = scene.cores[id.value()];
    for (const CoreHold& hold : holds) {
        title += ", " + scene.owners[hold.owner].label;
        if (hold.row) title += fmt::format(" in row {}", *hold.row);
        if (hold.threads < core.threads.size()) {
            title += " on " + counted(hold.threads, "thread");
        }
    }
    if (shape.system_cores.contains(id)) {
        title += ", kept for the system";
    } else if (holds.empty()) {
        title += ", free";
    }
    if (scene.reserved_cores.contains(id)) {
        title += ", reserved for owners of " + reserving_devices(shape, id);
    }
    return title;
}

std::string memory_title(const NodeShape& shape, const Scene& scene, DomainId id) {
    const MemoryDomain& domain = shape.memory[id.value()];
    std::string title =
        fmt::format("memory {}, {}, {}: {} free", domain.os_index.value(), to_text(domain.kind),
                    size_words(domain.capacity), size_words(free_bytes(shape, scene, id)));
    if (!domain.reserved.is_zero()) {
        title += fmt::format("; {} kept for the system", size_words(domain.reserved));
    }
    for (const MemoryHold& hold : scene.memory[id.value()]) {
        title += fmt::format("; {} {}", scene.owners[hold.owner].label, size_words(hold.bytes));
    }
    return title;
}

std::string kind_words(const Device& device) {
    if (device.type.find(device.mig_profile) != std::string::npos) return device.type;
    return device.type.empty() ? device.mig_profile : device.type + " " + device.mig_profile;
}

std::string device_title(const NodeShape& shape, const Scene& scene, DeviceId id) {
    const Device& device = shape.devices[id.value()];
    std::string title = device_words(device);
    if (const std::string kind = kind_words(device); !kind.empty()) title += ", " + kind;
    if (!device.memory.is_zero()) title += ", " + size_words(device.memory);
    if (!device.cores.is_empty()) title += ", near cores " + to_space_list(device.cores);
    if (!device.switches.empty()) {
        title += fmt::format(", below switch {}", fmt::join(device.switches, " and "));
    }
    if (device.health != Health::healthy)
        title += fmt::format(", health {}", to_text(device.health));
    if (device.is_drained) title += ", drained";
    if (!device.is_consumed) title += ", for any number of owners";
    const auto& holds = scene.devices[id.value()];
    for (const DeviceHold& hold : holds) {
        title += ", " + scene.owners[hold.owner].label + share_words(device, hold.share);
    }
    return holds.empty() ? title + ", free" : title;
}

}  // namespace trestle::svg
