// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/print.hpp"

#include <algorithm>
#include <optional>

#include "../words.hpp"
#include "device_words.hpp"
#include "trestle/base/text.hpp"
#include "trestle/set/text.hpp"

namespace trestle::slurm {

namespace {

GresDetail& detail_of(std::vector<GresDetail>& list, std::string_view name, std::string_view type) {
    const auto at = std::find_if(list.begin(), list.end(), [&](const GresDetail& known) {
        return known.gres.name == name && known.gres.type == type;
    });
    if (at != list.end()) return *at;
    return list.emplace_back(GresDetail{{std::string(name), std::string(type), Count()}, {}, {}});
}

/// How much of a device with parts the placement has.
Count shares_in(const NodePlacement& placement, DeviceId id) {
    Count shares;
    for (const DeviceShare& share : placement.devices) {
        if (share.device == id && !share.slice) shares = share.shares;
    }
    return shares;
}

bool has_part(const Device& device, const DeviceShare& share) {
    return !share.slice && share.shares != device.shares && !parts_name(device).empty();
}

/// The parts that the placement has of devices which are cut into parts of that name.
GresDetail parts_of(const NodeShape& shape, const NodePlacement& placement, std::string_view name) {
    GresDetail detail{{std::string(name), "", Count()}, {}, {}};
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        const Device& device = shape.devices[i];
        if (parts_name(device) != name) continue;
        const Count has = shares_in(placement, DeviceId(i));
        const Count used = has == device.shares ? Count() : has;
        detail.gres.count += used;
        detail.parts.push_back({used, device.shares});
    }
    return detail;
}

}  // namespace

std::vector<GresDetail> gres_of(const NodeShape& shape, const NodePlacement& placement) {
    std::vector<GresDetail> details;
    std::vector<std::string_view> cut_into;
    for (const DeviceShare& share : placement.devices) {
        TRESTLE_EXPECTS(share.device.value() < shape.devices.size(), "the device exists");
        const Device& device = shape.devices[share.device.value()];
        if (has_part(device, share)) {
            const std::string_view name = parts_name(device);
            if (std::find(cut_into.begin(), cut_into.end(), name) == cut_into.end()) {
                cut_into.push_back(name);
            }
            continue;
        }
        GresDetail& detail = detail_of(details, device.name, device.type);
        detail.gres.count += is_counter(device) ? share.shares : Count(1);
        if (!device.files.empty()) detail.indexes.insert(device.index);
    }
    for (const std::string_view name : cut_into) {
        details.push_back(parts_of(shape, placement, name));
    }
    return details;
}

std::vector<GresDetail> used_gres(const NodeShape& shape, const FreeState& free) {
    TRESTLE_EXPECTS(free.shares.size() == shape.devices.size(), "the state is of the shape");
    std::vector<GresDetail> details;
    std::vector<GresDetail> parts;
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        const Device& device = shape.devices[i];
        const Count left = free.shares[i];
        const bool is_cut = !free.slices_of(DeviceId(i)).empty();
        const bool is_whole = left.is_zero() && !is_cut;
        GresDetail& detail = detail_of(details, device.name, device.type);
        if (is_counter(device)) {
            detail.gres.count += device.shares - left;
        } else if (is_whole) {
            detail.gres.count += Count(1);
            if (!device.files.empty()) detail.indexes.insert(device.index);
        }
        const std::string_view name = parts_name(device);
        if (name.empty()) continue;
        GresDetail& of_parts = detail_of(parts, name, device.type);
        if (left.is_zero()) {
            of_parts.parts.push_back({std::nullopt, device.shares});
        } else {
            of_parts.parts.push_back({device.shares - left, device.shares});
            of_parts.gres.count += device.shares - left;
        }
    }
    details.insert(details.end(), parts.begin(), parts.end());
    return details;
}

std::string used_gres_text(const NodeShape& shape, const FreeState& free) {
    std::string text;
    for (const GresDetail& detail : used_gres(shape, free)) {
        const bool has_indexes =
            std::any_of(shape.devices.begin(), shape.devices.end(), [&](const Device& device) {
                return device.name == detail.gres.name && device.type == detail.gres.type &&
                       !device.files.empty();
            });
        if (!text.empty()) text += ',';
        text += to_text(detail);
        if (has_indexes && detail.gres.count.is_zero()) text += "(IDX:N/A)";
    }
    return text;
}

PuSet cpu_ids(const NodeShape& shape, const NodePlacement& placement) {
    PuSet ids;
    std::uint32_t first = 0;
    for (std::uint32_t i = 0; i < shape.hardware.core_count(); ++i) {
        const auto threads = static_cast<std::uint32_t>(shape.hardware.cores[i].threads.size());
        if (placement.cores.contains(CoreId(i))) ids.insert_range({first, first + threads});
        first += threads;
    }
    return ids;
}

NodeGrant grant_of(const Node& node, const NodePlacement& placement) {
    const NodeShape& shape = *node.shape;
    return {node.name, cpu_ids(shape, placement), Count(threads_of(shape, placement).count()),
            placement.total_memory(), gres_of(shape, placement)};
}

std::string to_text(const NodeGrant& grant) {
    std::string gres;
    for (const GresDetail& item : grant.gres) {
        if (!gres.empty()) gres += ',';
        if (item.indexes.is_empty() && item.sockets.is_empty() && item.parts.empty()) {
            gres += item.gres.name + (item.gres.type.empty() ? "" : ":" + item.gres.type) +
                    "(CNT:" + std::to_string(item.gres.count.value()) + ")";
        } else {
            gres += to_text(item);
        }
    }
    return "Nodes=" + grant.node + " CPU_IDs=" + to_text(grant.cpu_ids) +
           " Mem=" + std::to_string(div_ceil(grant.memory, mib(1).value()).value()) +
           " GRES=" + gres;
}

namespace {

/// Reads the value of one key. False: there is no such key.
TextResult<bool> read_grant_value(std::string_view key, TextCursor text, NodeGrant& grant) {
    constexpr std::uint64_t mebibytes_max = std::uint64_t{1} << 43;
    if (key == "Nodes") {
        grant.node = text.rest();
        if (grant.node.empty()) return text.error("no node", "its name");
    } else if (key == "CPU_IDs") {
        const auto ids = parse_set<PuSet>(text);
        if (!ids) return ids.error();
        grant.cpu_ids = *ids;
        grant.cpus = Count(grant.cpu_ids.count());
    } else if (key == "Mem") {
        const TextCursor start = text;
        const auto mebibytes = text.take_number();
        if (!mebibytes || !text.at_end() || *mebibytes >= mebibytes_max) {
            return start.error("malformed memory", "MiB, below 2^43");
        }
        grant.memory = mib(static_cast<std::int64_t>(*mebibytes));
    } else if (key == "GRES") {
        auto list = read_gres_details(text);
        if (!list) return list.error();
        grant.gres = *std::move(list);
    } else {
        return false;
    }
    return true;
}

}  // namespace

StatusOr<NodeGrant> parse_grant(std::string_view text) {
    NodeGrant grant;
    std::vector<std::string_view> keys;
    TextCursor cursor(text);
    for (cursor.skip_blanks(); !cursor.at_end(); cursor.skip_blanks()) {
        const TextCursor start = cursor;
        const auto error = [&](std::string_view what, std::string_view expected) {
            return to_status("node grant", start.error(what, expected));
        };
        const std::string_view key = cursor.take_until("= ");
        if (!cursor.accept('=')) return error("no value", "key=value");
        if (std::find(keys.begin(), keys.end(), key) != keys.end()) {
            return error("key stands twice", "each once");
        }
        keys.push_back(key);
        const std::size_t offset = cursor.offset();
        const auto is_known =
            read_grant_value(key, TextCursor(cursor.take_until(" "), offset), grant);
        if (!is_known) return to_status("node grant", is_known.error());
        if (!*is_known) return error("unknown key", "Nodes, CPU_IDs, Mem or GRES");
    }
    if (grant.node.empty()) {
        return to_status("node grant", TextCursor(text).error("no Nodes=", "the node's name"));
    }
    return grant;
}

}  // namespace trestle::slurm
