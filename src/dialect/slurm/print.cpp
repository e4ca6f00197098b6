// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/slurm/print.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "../words.hpp"
#include "gres_details.hpp"
#include "gres_device_tags.hpp"
#include "ids_per_thread.hpp"
#include "trestle/base/text.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/set/text.hpp"

namespace trestle::slurm {

namespace {

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
        add_count(detail, used);
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
        add_count(detail, is_counter(device) ? share.shares : Count(1));
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
            add_count(detail, device.shares - left);
        } else if (is_whole) {
            add_count(detail, Count(1));
            if (!device.files.empty()) detail.indexes.insert(device.index);
        }
        const std::string_view name = parts_name(device);
        if (name.empty()) continue;
        GresDetail& of_parts = detail_of(parts, name, device.type);
        if (left.is_zero()) {
            of_parts.parts.push_back({std::nullopt, device.shares});
        } else {
            of_parts.parts.push_back({device.shares - left, device.shares});
            add_count(of_parts, device.shares - left);
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
    for_each_core_ids(shape.hardware, [&](CoreId core, PuSet::Run range) {
        if (placement.cores.contains(core)) ids.insert_range(range);
    });
    return ids;
}

NodeGrant grant_of(const Node& node, const NodePlacement& placement) {
    const NodeShape& shape = *node.shape;
    return {node.name, cpu_ids(shape, placement), Count(threads_of(shape, placement).count()),
            placement.total_memory(), gres_of(shape, placement)};
}

namespace {

/// What stands behind the name of the node.
std::string words_of(const NodeGrant& grant) {
    std::string gres;
    for (const GresDetail& item : grant.gres) {
        if (!gres.empty()) gres += ',';
        const bool has_tail =
            !item.indexes.is_empty() || !item.sockets.is_empty() || !item.parts.empty();
        if (!has_tail && item.gres.count.is_zero()) {
            gres += to_text(item) + "(IDX:)";
        } else if (!has_tail) {
            gres += item.gres.name + (item.gres.type.empty() ? "" : ":" + item.gres.type) +
                    "(CNT:" + std::to_string(item.gres.count.value()) + ")";
        } else {
            gres += to_text(item);
        }
    }
    return " CPU_IDs=" + to_text(grant.cpu_ids) +
           " Mem=" + std::to_string(div_ceil(grant.memory, mib(1).value()).value()) +
           " GRES=" + gres;
}

bool is_plain_name(const std::string& name) {
    return !name.empty() && name.find_first_of(",[]") == std::string::npos;
}

/// The names as a list; where one is no name of a Hostlist, all of them as they are.
std::string names_of(std::span<const NodeGrant> grants, bool are_sorted) {
    const bool are_plain = std::all_of(grants.begin(), grants.end(), [](const NodeGrant& grant) {
        return is_plain_name(grant.node);
    });
    if (!are_plain) {
        std::string text;
        for (const NodeGrant& grant : grants)
            text += (&grant == grants.data() ? "" : ",") + grant.node;
        return text;
    }
    Hostlist names;
    for (const NodeGrant& grant : grants) names.push_back(grant.node);
    return to_text(are_sorted ? names.sorted() : names);
}

}  // namespace

std::string node_list_text(std::span<const NodeGrant> grants) { return names_of(grants, true); }

std::string to_text(const NodeGrant& grant) { return "Nodes=" + grant.node + words_of(grant); }

std::vector<std::string> grant_lines(std::span<const NodeGrant> grants) {
    std::vector<std::string> lines;
    while (!grants.empty()) {
        const std::string words = words_of(grants.front());
        const auto other =
            std::find_if(grants.begin() + 1, grants.end(),
                         [&](const NodeGrant& grant) { return words_of(grant) != words; });
        const auto alike = static_cast<std::size_t>(other - grants.begin());
        lines.push_back("Nodes=" + names_of(grants.first(alike), false) + words);
        grants = grants.subspan(alike);
    }
    return lines;
}

std::string licenses_text(std::span<const ClusterCount> licenses) {
    std::string text;
    for (const ClusterCount& one : licenses) text += (text.empty() ? "" : ",") + to_text(one);
    return text;
}

StatusOr<std::vector<ClusterCount>> parse_licenses(std::string_view text) {
    std::vector<ClusterCount> licenses;
    if (text.empty() || text == "(null)") return licenses;
    TextCursor cursor(text);
    do {
        const TextCursor start = cursor;
        ClusterCount one{"", Count(1)};
        one.name = cursor.take_until(":;,(");
        if (one.name.empty()) return to_status("licences", start.error("no name", "name:count"));
        if (cursor.peek() == '(') {  // the nodes of a layer, which may hold commas
            one.name += cursor.take_until(")");
            if (!cursor.accept(')')) {
                return to_status("licences", cursor.error("parenthesis without end", "a )"));
            }
            one.name += ')';
        }
        if (cursor.accept(':')) {
            const TextCursor number = cursor;
            const auto count = cursor.take_number();
            if (!count || *count > static_cast<std::uint64_t>(Count::max().value())) {
                return to_status("licences", number.error("malformed count", "a number"));
            }
            one.count = Count(static_cast<std::int64_t>(*count));
        }
        if (!cursor.at_end() && cursor.peek() != ',' && cursor.peek() != ';') {
            return to_status("licences", cursor.error("unexpected text", "a comma or ;"));
        }
        licenses.push_back(std::move(one));
    } while (cursor.accept(',') || cursor.accept(';'));
    return licenses;
}

namespace {

/// Characters and CPUs that the grants of one line may have together: a few words may name very
/// many nodes.
constexpr std::uint64_t line_size_max = std::uint64_t{1} << 26;

/// One line: what every node gives, and which nodes.
struct GrantLine {
    NodeGrant grant;
    Hostlist nodes;
};

/// Reads the value of one key. False: there is no such key.
TextResult<bool> read_grant_value(std::string_view key, TextCursor text, GrantLine& line) {
    constexpr std::uint64_t mebibytes_max = std::uint64_t{1} << 43;
    if (key == "Nodes") {
        if (text.at_end()) return text.error("no node", "its name");
        auto nodes = Hostlist::read(text);
        if (!nodes) return nodes.error();
        line.nodes = *std::move(nodes);
    } else if (key == "CPU_IDs") {
        const auto ids = parse_set<PuSet>(text);
        if (!ids) return ids.error();
        line.grant.cpu_ids = *ids;
        line.grant.cpus = Count(line.grant.cpu_ids.count());
    } else if (key == "Mem") {
        const TextCursor start = text;
        const auto mebibytes = text.take_number();
        if (!mebibytes || !text.at_end() || *mebibytes >= mebibytes_max) {
            return start.error("malformed memory", "MiB, below 2^43");
        }
        line.grant.memory = mib(static_cast<std::int64_t>(*mebibytes));
    } else if (key == "GRES") {
        if (text.rest() == "(null)") return true;
        auto list = read_gres_details(text);
        if (!list) return list.error();
        line.grant.gres = *std::move(list);
    } else {
        return false;
    }
    return true;
}

}  // namespace

StatusOr<std::vector<NodeGrant>> parse_grants(std::string_view text) {
    GrantLine line;
    std::vector<std::string_view> keys;
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
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
            read_grant_value(key, TextCursor(cursor.take_until(" "), offset), line);
        if (!is_known) return to_status("node grant", is_known.error());
        if (!*is_known) return error("unknown key", "Nodes, CPU_IDs, Mem or GRES");
    }
    const TextCursor start(text);
    if (line.nodes.is_empty()) {
        return to_status("node grant", start.error("no Nodes=", "the node's name"));
    }
    const std::uint64_t size = text.size() + line.grant.cpu_ids.count();
    if (line.nodes.size() > line_size_max / size) {
        return to_status("node grant", start.error("too many nodes", "as many as a job has"));
    }
    std::vector<NodeGrant> grants;
    line.nodes.for_each([&](std::string name) {
        line.grant.node = std::move(name);
        grants.push_back(line.grant);
    });
    return grants;
}

}  // namespace trestle::slurm
