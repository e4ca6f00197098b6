// SPDX-License-Identifier: Apache-2.0
#include "node_view.hpp"

#include <algorithm>
#include <numeric>

#include "../../gres_device_tags.hpp"

namespace trestle::slurm::choice {

std::size_t NodeView::socket_of(CoreId core) const {
    for (std::size_t s = 0; s < sockets.size(); ++s) {
        if (sockets[s].contains(core)) return s;
    }
    return 0;
}

SocketCores NodeView::by_socket(const CoreSet& cores) const {
    SocketCores result;
    result.reserve(sockets.size());
    for (const CoreSet& socket : sockets) result.push_back(socket & cores);
    return result;
}

std::optional<std::size_t> NodeView::find_gres(std::string_view name) const {
    for (std::size_t i = 0; i < gres.size(); ++i) {
        if (gres[i].name == name) return i;
    }
    return std::nullopt;
}

CoreSet joined(const SocketCores& sockets) {
    CoreSet cores;
    for (const CoreSet& socket : sockets) cores |= socket;
    return cores;
}

std::vector<CoreId> system_order(const NodeView& view) {
    const SocketCores sockets = view.by_socket(view.shape->hardware.all_cores());
    std::vector<CoreId> order;
    for (auto rank = static_cast<std::uint32_t>(view.cores_per_socket); rank-- != 0;) {
        for (std::size_t s = sockets.size(); s-- != 0;) {
            if (const auto core = sockets[s].nth(rank)) order.push_back(*core);
        }
    }
    return order;
}

namespace {

class ViewBuilder {
  public:
    explicit ViewBuilder(NodeView& view) : view_(view) {}

    void run() {
        const auto& devices = view_.shape->devices;
        for (std::uint32_t i = 0; i < devices.size(); ++i) {
            if (is_usable(devices[i])) add(DeviceId(i), devices[i]);
        }
        // Parts stand behind the devices that they are of, as in Slurm's list of a node.
        for (std::uint32_t i = 0; i < devices.size(); ++i) {
            const std::string_view parts = parts_name(devices[i]);
            if (parts.empty() || !is_usable(devices[i])) continue;
            ViewGres& gres = gres_called(parts);
            gres.is_shared = true;
            gres.devices.push_back(view_device(DeviceId(i), devices[i]));
        }
        for (ViewGres& gres : view_.gres) add_links(gres);
    }

  private:
    ViewGres& gres_called(std::string_view name) {
        const auto known = view_.find_gres(name);
        if (known) return view_.gres[*known];
        view_.gres.emplace_back().name = name;
        return view_.gres.back();
    }

    [[nodiscard]] ViewDevice view_device(DeviceId id, const Device& device) const {
        ViewDevice result{id, device.index, device.type, {}};
        for (std::size_t s = 0; s < view_.sockets.size(); ++s) {
            if (view_.sockets[s].intersects(device.cores)) result.near.push_back(s);
        }
        if (result.near.size() == view_.sockets.size()) {
            result.near.clear();
            result.lists_all_sockets = true;
        }
        if (result.near.size() > 1) result.near.resize(1);  // of several it is the first one's
        return result;
    }

    void add(DeviceId id, const Device& device) {
        ViewGres& gres = gres_called(device.name);
        gres.is_consumed = gres.is_consumed && device.is_consumed;
        gres.is_explicit = gres.is_explicit || device.is_explicit;
        if (!device.files.empty()) {
            gres.devices.push_back(view_device(id, device));
            return;
        }
        const auto at =
            std::find_if(gres.counters.begin(), gres.counters.end(),
                         [&](const ViewCounter& known) { return known.type == device.type; });
        ViewCounter& counter = at != gres.counters.end()
                                   ? *at
                                   : gres.counters.emplace_back(ViewCounter{device.type, {}});
        counter.ids.push_back(id);
    }

    void add_links(ViewGres& gres) const {
        const std::size_t count = gres.devices.size();
        if (gres.is_shared || count == 0 || view_.shape->links.empty()) return;
        gres.strength.assign(count, std::vector<Number>(count, 0));
        const auto position = [&](DeviceId id) {
            return static_cast<std::size_t>(
                std::find_if(gres.devices.begin(), gres.devices.end(),
                             [&](const ViewDevice& device) { return device.id == id; }) -
                gres.devices.begin());
        };
        for (const DeviceLink& link : view_.shape->links) {
            const std::size_t a = position(link.a);
            const std::size_t b = position(link.b);
            if (a == count || b == count) continue;
            gres.strength[a][b] = gres.strength[b][a] = link.strength;
        }
        gres.has_links =
            std::all_of(gres.strength.begin(), gres.strength.end(), [](const auto& row) {
                return std::any_of(row.begin(), row.end(), [](Number one) { return one > 0; });
            });
        for (std::size_t i = 0; i < count; ++i) gres.strength[i][i] = -1;
    }

    NodeView& view_;
};

constexpr std::string_view mps_name = "mps";

Number all_units(const NodeView& view, std::size_t gres, std::size_t device) {
    return view.shape->devices[view.gres[gres].devices[device].id.value()].shares.value();
}

struct MpsUse {
    bool is_part = false;  ///< a device has a part of its MPS left
    bool is_none = false;  ///< a device has none
    bool is_all = false;   ///< a device has all
};

MpsUse mps_use(const NodeView& view, const NodeRoom& room, std::size_t gres) {
    MpsUse use;
    for (std::size_t i = 0; i < view.gres[gres].devices.size(); ++i) {
        const Number left = room.gres[gres].units[i];
        const bool is_all = left == all_units(view, gres, i);
        use.is_all |= is_all;
        use.is_none |= left == 0;
        use.is_part |= !is_all && left != 0;
    }
    return use;
}

Number whole_mebibytes(Bytes bytes) { return div_floor(bytes, mib(1).value()).value(); }

}  // namespace

NodeView view_of(const NodeShape& shape, Number weight) {
    NodeView view;
    view.shape = &shape;
    view.sockets = socket_sets(shape);
    for (const CoreSet& socket : view.sockets) {
        view.cores_per_socket = std::max<Number>(view.cores_per_socket, socket.count());
    }
    if (!shape.hardware.cores.empty()) {
        view.threads = static_cast<Number>(shape.hardware.cores.front().threads.size());
    }
    view.cpus = std::max<Number>(shape.hardware.core_count() * view.threads, 1);
    view.memory = whole_mebibytes(shape.ordinary_memory());
    view.weight = weight;
    for (const Device& device : shape.devices) {
        view.reserved_cores |= device.reserved_cores;
        view.reserved_per_gpu =
            std::max<Number>(view.reserved_per_gpu, device.reserved_cores.count());
    }
    ViewBuilder(view).run();
    return view;
}

NodeRoom room_of(const NodeView& view, const FreeState& free, std::optional<std::uint32_t> row) {
    const NodeShape& shape = *view.shape;
    NodeRoom room;
    room.busy = shape.allocatable_cores() - (row ? free.cores_in(*row) : free.cores);
    Bytes memory;
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        if (shape.memory[i].is_ordinary()) memory += free.memory[i];
    }
    room.memory = whole_mebibytes(memory);
    for (const ViewGres& gres : view.gres) {
        RoomGres& left = room.gres.emplace_back();
        const auto look = [&](DeviceId id) {
            const Count shares = free.shares[id.value()];
            if (!free.is_untouched(id, shape.devices[id.value()])) left.is_touched = true;
            return shares;
        };
        for (const ViewDevice& device : gres.devices) {
            const Count shares = look(device.id);
            const bool is_whole = shares == shape.devices[device.id.value()].shares;
            left.units.push_back(gres.is_shared ? shares.value() : (is_whole ? 1 : 0));
        }
        for (const ViewCounter& counter : gres.counters) {
            left.counters.push_back(
                std::accumulate(counter.ids.begin(), counter.ids.end(), Number{0},
                                [&](Number sum, DeviceId id) { return sum + look(id).value(); }));
        }
    }
    if (const auto mps = view.find_gres(mps_name); mps && mps_use(view, room, *mps).is_part) {
        keep_to_mps_in_use(view, room);
    }
    return room;
}

void keep_to_mps_in_use(const NodeView& view, NodeRoom& room) {
    const auto mps = view.find_gres(mps_name);
    if (!mps) return;
    std::vector<Number>& units = room.gres[*mps].units;
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (units[i] == all_units(view, *mps, i)) units[i] = 0;
    }
}

bool may_have_mps_in_use(const NodeView& view, const NodeRoom& room) {
    const auto mps = view.find_gres(mps_name);
    if (!mps) return false;
    const MpsUse use = mps_use(view, room, *mps);
    return use.is_none && use.is_all && !use.is_part;
}

}  // namespace trestle::slurm::choice
