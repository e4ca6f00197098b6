// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/node/job/task_layout.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "alloc/node/demand_rules.hpp"
#include "alloc/node/detail/cores/own_tasks.hpp"
#include "alloc/node/job/detail/shared_nodes.hpp"
#include "model/core_groups.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/status.hpp"
#include "trestle/model/locality.hpp"

namespace trestle {

namespace {

/// The threads for one task.
struct TaskSeat {
    CoreSet cores;
    PuSet threads;

    void add(CoreId core, OsIndex thread);
};

/// Deals the threads of one node placement to its tasks.
class NodeLayout {
  public:
    NodeLayout(const NodeShape& shape, const NodePlacement& placement, const Request& request);

    /// A seat for each task by rising number, or why there are too few.
    [[nodiscard]] Verdict<std::vector<TaskSeat>> run() const;

  private:
    using Seats = std::vector<TaskSeat>;

    [[nodiscard]] bool is_short(const Seats& seats) const {
        return static_cast<std::int64_t>(seats.size()) < tasks_;
    }
    /// The threads of the core that the placement uses.
    [[nodiscard]] std::span<const OsIndex> threads_of_core(CoreId core) const;
    /// True when the cores of one task come from the parts in turn.
    [[nodiscard]] bool is_spread() const { return is_spread_; }
    [[nodiscard]] bool spreads_cores(const std::vector<CoreSet>& task_groups) const;

    /// Seats that begin where a core begins: as many in a core as it has room for, or else whole
    /// cores one after the other until they have threads enough.
    [[nodiscard]] Seats aligned_seats(const std::vector<CoreId>& cores) const;
    /// As many seats as cores of unlike thread counts have, each on cores of its own; by core.
    [[nodiscard]] Seats joined_seats(const std::vector<CoreId>& cores) const;
    /// The first threads of the cores, as many as a task needs.
    [[nodiscard]] TaskSeat seat_on(const CoreSet& cores) const;
    /// Seats that begin where the one before ends, be it inside a core.
    [[nodiscard]] Seats packed_seats(const std::vector<CoreId>& cores) const;

    /// Cores that a task lies on whole: those of the placement in one group of a level.
    struct Place {
        CoreSet cores;
        std::size_t package = 0;
    };
    [[nodiscard]] std::vector<Place> places_of(const std::vector<CoreSet>& groups) const;

    /// Tasks dealt to the parts, each inside one of them; nothing when there is no room for all.
    [[nodiscard]] std::optional<Seats> seats_in_parts() const;
    template <class SeatsOf>
    [[nodiscard]] std::optional<Seats> seats_in_parts(const SeatsOf& seats_of) const;
    /// The tasks anywhere in the places that hold them whole; nothing when there is no room.
    template <class SeatsOf>
    [[nodiscard]] std::optional<Seats> seats_in_places(const SeatsOf& seats_of) const;
    /// Seats for all tasks out of those of each place, `turn` of each in turn; nothing when there
    /// are too few. `packages`: of the places, where these are limited by tasks_per_socket.
    [[nodiscard]] std::optional<Seats> deal_seats(
        std::vector<Seats> by_place, std::int64_t turn,
        const std::vector<std::size_t>& packages = {}) const;

    /// These cores, part by part; fcyclic: one of each in turn.
    [[nodiscard]] std::vector<CoreId> in_order(const CoreSet& cores) const;

    [[nodiscard]] Refusal refusal() const;

    const NodeShape& shape_;
    const NodePlacement& placement_;
    const Request& request_;
    std::int64_t cpus_;
    std::int64_t tasks_;
    CoreSet cores_;              ///< of the placement, for tasks
    std::vector<Place> parts_;   ///< that tasks are dealt to, in order
    std::vector<Place> places_;  ///< each task has one of them
    bool is_spread_ = false;
};

/// How many things each gets when its turn comes.
std::int64_t turn_of(Distribution how, Count plane_size, std::int64_t all) {
    switch (how) {
        case Distribution::block:
            return all;
        case Distribution::plane:
            return plane_size.value();
        default:
            return 1;
    }
}

/// How many things those of each package get together at most. Empty: any number.
struct PackageLimits {
    std::vector<std::size_t> packages = {};  ///< of each place
    std::int64_t each = 0;
};

/// The place of each of `total` things when they are dealt `turn` at a time and no place gets more
/// than its limit; of fewer things when the limits end before. Requires: turn > 0.
std::vector<std::size_t> deal(std::vector<std::int64_t> limits, std::int64_t total,
                              std::int64_t turn, const PackageLimits& packages = {}) {
    std::map<std::size_t, std::int64_t> of_package;
    std::vector<std::size_t> order;
    for (bool goes_on = true; total > 0 && goes_on;) {
        goes_on = false;
        for (std::size_t place = 0; place < limits.size(); ++place) {
            std::int64_t given = std::min({turn, limits[place], total});
            if (!packages.packages.empty()) {
                std::int64_t& used = of_package[packages.packages[place]];
                given = std::min(given, packages.each - used);
                used += given;
            }
            order.insert(order.end(), static_cast<std::size_t>(given), place);
            limits[place] -= given;
            total -= given;
            goes_on = goes_on || given > 0;
        }
    }
    return order;
}

void TaskSeat::add(CoreId core, OsIndex thread) {
    cores.insert(core);
    threads.insert(thread);
}

NodeLayout::NodeLayout(const NodeShape& shape, const NodePlacement& placement,
                       const Request& request)
    : shape_(shape),
      placement_(placement),
      request_(request),
      cpus_(cpus_of_task(request).value()),
      tasks_(placement.tasks.value()),
      cores_(placement.cores) {
    if (request.core_kind) cores_ &= shape.hardware.cores_of_kind(*request.core_kind);
    const TaskDistribution& how = request.distribution;
    parts_ = places_of(groups_to_deal(shape, how.level, how.sockets));
    std::vector<CoreSet> groups{shape.hardware.all_cores()};
    if (request.task_level) groups = groups_in_packages(shape, *request.task_level);
    places_ = places_of(groups);
    is_spread_ = spreads_cores(groups);
}

std::vector<NodeLayout::Place> NodeLayout::places_of(const std::vector<CoreSet>& groups) const {
    const std::vector<CoreSet> packages = core_groups(shape_, HardwareLevel::package);
    std::vector<Place> places;
    for (const CoreSet& group : groups) {
        CoreSet cores = group & cores_;
        if (cores.is_empty()) continue;
        const auto package =
            std::find_if(packages.begin(), packages.end(),
                         [&](const CoreSet& one) { return one.intersects(cores); });
        places.push_back({std::move(cores), static_cast<std::size_t>(package - packages.begin())});
    }
    return places;
}

Verdict<std::vector<TaskSeat>> NodeLayout::run() const {
    if (cpus_ == 0) return Seats(static_cast<std::size_t>(tasks_));
    if (!is_spread()) {
        if (auto seats = seats_in_parts()) return *std::move(seats);
        if (request_.tasks_per_socket) return refusal();
    }
    auto seats = seats_in_places([&](const auto& cores) { return aligned_seats(cores); });
    if (!seats) seats = seats_in_places([&](const auto& cores) { return joined_seats(cores); });
    if (!seats && !request_.tasks_per_core) {
        seats = seats_in_places([&](const auto& cores) { return packed_seats(cores); });
    }
    if (!seats) return refusal();
    return *std::move(seats);
}

std::span<const OsIndex> NodeLayout::threads_of_core(CoreId core) const {
    const std::span<const OsIndex> threads = shape_.hardware.cores[core.value()].threads;
    const auto used = static_cast<std::uint64_t>(placement_.threads_per_core.value());
    return used == 0 || used >= threads.size() ? threads : threads.first(used);
}

bool NodeLayout::spreads_cores(const std::vector<CoreSet>& task_groups) const {
    const TaskDistribution& how = request_.distribution;
    if (how.sockets != Distribution::fcyclic || request_.tasks_per_socket) return false;
    const bool stays_in_part =
        task_groups.size() > 1 &&
        lie_inside(task_groups, groups_to_deal(shape_, how.level, how.sockets));
    return !stays_in_part && std::any_of(cores_.begin(), cores_.end(), [&](CoreId core) {
        return static_cast<std::int64_t>(threads_of_core(core).size()) < cpus_;
    });
}

NodeLayout::Seats NodeLayout::aligned_seats(const std::vector<CoreId>& cores) const {
    Seats seats;
    TaskSeat open;
    for (const CoreId core : cores) {
        const auto threads = threads_of_core(core);
        std::int64_t room = static_cast<std::int64_t>(threads.size()) / cpus_;
        if (request_.tasks_per_core) room = std::min(room, request_.tasks_per_core->value());
        for (std::int64_t i = 0; i < room * cpus_; ++i) {
            if (i % cpus_ == 0) seats.emplace_back();
            seats.back().add(core, threads[static_cast<std::size_t>(i)]);
        }
        if (room > 0) continue;
        for (const OsIndex thread : threads) {
            if (open.threads.count() < cpus_) open.add(core, thread);
        }
        if (open.threads.count() == cpus_) seats.push_back(std::exchange(open, {}));
    }
    return seats;
}

NodeLayout::Seats NodeLayout::joined_seats(const std::vector<CoreId>& cores) const {
    std::map<std::size_t, std::vector<CoreId>> by_threads;
    CoreSet rising;
    for (const CoreId core : cores) rising.insert(core);
    for (const CoreId core : rising) {
        by_threads[threads_of_core(core).size()].push_back(core);
    }
    std::vector<AlikeCores> kinds;
    OwnTasks::Counts counts;
    for (const auto& [threads, alike] : by_threads) {
        counts.push_back(static_cast<std::uint32_t>(alike.size()));
        kinds.push_back({static_cast<std::int64_t>(threads), counts.back()});
    }
    const OwnTasks own(std::move(kinds), Count(cpus_), request_.tasks_per_core.value_or(Count()));
    Seats seats;
    std::size_t kind = 0;
    for (const auto& [threads, alike] : by_threads) {
        if (own.on_one(kind++) == 0) continue;
        Seats some = aligned_seats(alike);
        std::move(some.begin(), some.end(), std::back_inserter(seats));
    }
    std::vector<std::size_t> next(counts.size(), 0);
    for (const OwnTasks::Counts& task : own.joined(counts)) {
        CoreSet chosen;
        kind = 0;
        for (const auto& [threads, alike] : by_threads) {
            for (std::uint32_t n = 0; n < task[kind]; ++n) chosen.insert(alike[next[kind]++]);
            ++kind;
        }
        seats.push_back(seat_on(chosen));
    }
    std::stable_sort(seats.begin(), seats.end(), [](const TaskSeat& a, const TaskSeat& b) {
        return a.cores.first() < b.cores.first();
    });
    return seats;
}

TaskSeat NodeLayout::seat_on(const CoreSet& cores) const {
    TaskSeat seat;
    for (const CoreId core : cores) {
        for (const OsIndex thread : threads_of_core(core)) {
            if (seat.threads.count() < cpus_) seat.add(core, thread);
        }
    }
    return seat;
}

NodeLayout::Seats NodeLayout::packed_seats(const std::vector<CoreId>& cores) const {
    Seats seats;
    TaskSeat open;
    for (const CoreId core : cores) {
        for (const OsIndex thread : threads_of_core(core)) {
            open.add(core, thread);
            if (open.threads.count() == cpus_) seats.push_back(std::exchange(open, {}));
        }
    }
    return seats;
}

std::optional<NodeLayout::Seats> NodeLayout::seats_in_parts() const {
    auto seats = seats_in_parts([&](const auto& cores) { return aligned_seats(cores); });
    if (seats) return seats;
    return seats_in_parts([&](const auto& cores) { return joined_seats(cores); });
}

template <class SeatsOf>
std::optional<NodeLayout::Seats> NodeLayout::seats_in_parts(const SeatsOf& seats_of) const {
    std::vector<Seats> by_part;
    std::vector<std::size_t> packages;
    for (const Place& part : parts_) {
        Seats& here = by_part.emplace_back();
        for (const Place& place : places_) {
            const CoreSet cores = part.cores & place.cores;
            Seats some = seats_of(std::vector<CoreId>(cores.begin(), cores.end()));
            std::move(some.begin(), some.end(), std::back_inserter(here));
        }
        if (request_.tasks_per_socket) packages.push_back(part.package);
    }
    const TaskDistribution& how = request_.distribution;
    return deal_seats(std::move(by_part), turn_of(how.sockets, how.plane_size, tasks_), packages);
}

template <class SeatsOf>
std::optional<NodeLayout::Seats> NodeLayout::seats_in_places(const SeatsOf& seats_of) const {
    std::vector<Seats> by_place;
    for (const Place& place : places_) by_place.push_back(seats_of(in_order(place.cores)));
    return deal_seats(std::move(by_place), is_spread() ? 1 : tasks_);
}

std::optional<NodeLayout::Seats> NodeLayout::deal_seats(
    std::vector<Seats> by_place, std::int64_t turn,
    const std::vector<std::size_t>& packages) const {
    std::vector<std::int64_t> limits;
    for (const Seats& seats : by_place) limits.push_back(static_cast<std::int64_t>(seats.size()));
    const PackageLimits of_packages{packages, request_.tasks_per_socket.value_or(Count()).value()};
    std::vector<std::size_t> next(by_place.size());
    Seats seats;
    for (const std::size_t place : deal(std::move(limits), tasks_, turn, of_packages)) {
        seats.push_back(std::move(by_place[place][next[place]++]));
    }
    if (is_short(seats)) return std::nullopt;
    return seats;
}

std::vector<CoreId> NodeLayout::in_order(const CoreSet& cores) const {
    const bool is_cyclic = request_.distribution.sockets == Distribution::fcyclic;
    std::vector<std::vector<CoreId>> by_part;
    std::vector<std::int64_t> limits;
    for (const Place& part : parts_) {
        const CoreSet here = part.cores & cores;
        by_part.emplace_back(here.begin(), here.end());
        limits.push_back(here.count());
    }
    const std::int64_t count = cores.count();
    std::vector<CoreId> order;
    std::vector<std::size_t> next(by_part.size());
    for (const auto part : deal(std::move(limits), count, is_cyclic ? 1 : count)) {
        order.push_back(by_part[part][next[part]++]);
    }
    return order;
}

Refusal NodeLayout::refusal() const {
    std::size_t threads = 0;
    for (const CoreId core : cores_) threads += threads_of_core(core).size();
    std::string limits;
    if (request_.tasks_per_core) {
        limits += fmt::format(", at most {} a core", *request_.tasks_per_core);
    }
    if (request_.tasks_per_socket) {
        limits += fmt::format(", at most {} a socket", *request_.tasks_per_socket);
    }
    if (request_.task_level) limits += fmt::format(", each in one {}", *request_.task_level);
    const HardwareLevel level = request_.distribution.level;
    const std::string parts =
        level == HardwareLevel::package ? "sockets" : fmt::format("groups of level {}", level);
    return {Constraint::cores,
            fmt::format("{} tasks of {} CPUs{}, but {} threads of {} cores in {} {}", tasks_, cpus_,
                        limits, threads, cores_.count(), parts_.size(), parts)};
}

}  // namespace

Verdict<std::vector<TaskPlacement>> layout_tasks(std::span<const Node> nodes,
                                                 const Placement& placement,
                                                 const Request& request) {
    if (const Status valid = check(request); !valid.ok()) {
        return Refusal{Constraint::invalid, std::string(valid.message())};
    }
    for (const NodePlacement& part : placement.nodes) {
        TRESTLE_EXPECTS(part.node.value() < nodes.size(), "the node exists");
    }
    if (auto why = detail::refuse_shared_nodes(nodes, placement)) return *std::move(why);
    std::vector<std::vector<TaskSeat>> seats;
    std::vector<std::int64_t> counts;
    std::int64_t tasks = 0;
    for (const NodePlacement& part : placement.nodes) {
        const Node& node = nodes[part.node.value()];
        const auto last = part.cores.last();
        TRESTLE_EXPECTS(!last || last->value() < node.shape->hardware.core_count(),
                        "the cores exist");
        auto on_node = NodeLayout(*node.shape, part, request).run();
        if (!on_node) {
            return Refusal{on_node.refusal().constraint,
                           fmt::format("node {}: {}", node.name, on_node.refusal().reason)};
        }
        seats.push_back(*std::move(on_node));
        counts.push_back(part.tasks.value());
        tasks += counts.back();
    }
    const TaskDistribution& how = request.distribution;
    std::vector<TaskPlacement> layout;
    std::vector<std::size_t> next(seats.size());
    for (const auto at :
         deal(std::move(counts), tasks, turn_of(how.nodes, how.plane_size, tasks))) {
        TaskSeat& seat = seats[at][next[at]++];
        layout.push_back({static_cast<std::uint32_t>(layout.size()),
                          placement.nodes[at].node,
                          std::move(seat.cores),
                          std::move(seat.threads),
                          {}});
    }
    return layout;
}

}  // namespace trestle
