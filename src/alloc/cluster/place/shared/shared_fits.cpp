// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/place/shared/shared_fits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/node_part.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/model/hardware.hpp"

namespace trestle {

namespace {

constexpr int orders_max = 24;  ///< of the parts on a node: all of four

/// What the parts take at least, whatever fit() chooses.
struct LeastAmounts {
    std::int64_t cores = 0;
    MilliCpu cpus;
    Bytes memory;
    std::map<std::string, Count> devices;  ///< whole ones, by name
};

/// A ledger with that left, all else taken by one owner. A cluster of a timeline has the states of
/// a time and the owners of now, so its ledgers do not tell. Nothing where no owner could have all
/// else, as of a time in which owners come and go.
std::optional<NodeLedger> ledger_with(const NodeShape& shape, const FreeState& free) {
    constexpr OwnerId others(~std::uint64_t{0} - 1);
    NodeLedger ledger(shape);
    const FreeState& all = ledger.free();
    NodePlacement taken;
    taken.cores = all.cores - free.cores;
    std::vector<NodePlacement> parts;
    for (const Holding::Row& one : free.held_rows) {
        taken.cores -= one.cores;
        parts.emplace_back();
        parts.back().row = one.row;
        parts.back().cores = one.cores;
    }
    taken.milli_cpus = free.held_milli_cpus;
    for (std::uint32_t i = 0; i < free.memory.size(); ++i) {
        const Bytes held = saturating_sub(all.memory[i], free.memory[i]);
        if (!held.is_zero()) taken.memory.push_back({DomainId(i), held});
    }
    for (std::uint32_t i = 0; i < free.shares.size(); ++i) {
        const auto slices = free.slices_of(DeviceId(i));
        for (const Slicing::Instance& one : slices)
            taken.devices.push_back({DeviceId(i), Count(1), one});
        const Count held = saturating_sub(all.shares[i], free.shares[i]);
        if (slices.empty() && !held.is_zero()) taken.devices.push_back({DeviceId(i), held, {}});
    }
    parts.push_back(std::move(taken));
    for (const NodePlacement& part : parts) {
        if (!detail::is_empty(part) && !ledger.take(part, others).ok()) return std::nullopt;
    }
    FreeState left = ledger.free();
    left.is_idle = free.is_idle;
    if (left != free) return std::nullopt;
    return ledger;
}

/// Adds the least of one part. Where all cores are alike, fit() takes the fewest, so what the part
/// is given alone is the least.
void add_least(LeastAmounts& sum, const NodeDemand& demand, const NodePlacement& alone,
               bool is_least) {
    const auto add = [](auto& total, auto more) { total = saturating_add(total, more); };
    if (is_least) sum.cores += static_cast<std::int64_t>(alone.cores.count());
    add(sum.cpus,
        saturating_add(checked_mul(MilliCpu(1000), demand.cpus().value()).value_or(MilliCpu::max()),
                       demand.all_milli_cpus()));
    if (demand.memory_per == Per::node) add(sum.memory, demand.memory);
    if (demand.memory_per == Per::cpu && is_least) add(sum.memory, alone.total_memory());
    for (const NodeDemand::Device& one : demand.devices) {
        const bool is_whole = one.request.shares.is_zero() && one.request.slice.empty();
        if (is_whole) add(sum.devices[one.request.name], one.count.least());
    }
}

}  // namespace

std::optional<std::vector<NodePlacement>> SharedFits::together(NodeId node, const Parts& parts) {
    Key key{cluster_.states().of(node), {}};
    for (const PartGroup* one : parts) key.second.push_back(one->ranking);
    auto known = known_.find(key);
    if (known == known_.end()) known = known_.emplace(std::move(key), ask(node, parts)).first;
    is_sure_ &= known->second.is_sure;
    if (known->second.given.empty()) return std::nullopt;
    std::vector<NodePlacement> given = known->second.given;
    for (std::size_t i = 0; i < given.size(); ++i) {
        given[i].node = node;
        given[i].component = parts[i]->component;
    }
    if (!do_partitions_allow(node, parts, given)) return std::nullopt;
    return given;
}

SharedFits::Answer SharedFits::ask(NodeId node, const Parts& parts) const {
    const bool is_one_alone = std::any_of(parts.begin(), parts.end(), [](const PartGroup* one) {
        return one->ranking->request().exclusivity == Exclusivity::whole_node;
    });
    if (is_one_alone || !has_enough(node, parts)) return {};
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Answer answer{{}, false};
    for (int i = 0; i < orders_max; ++i) {
        answer.given = in_order(node, parts, order);
        if (!answer.given.empty()) {
            answer.is_sure = true;
            break;
        }
        if (!std::next_permutation(order.begin(), order.end())) break;
    }
    return answer;
}

std::vector<NodePlacement> SharedFits::in_order(NodeId node, const Parts& parts,
                                                const std::vector<std::size_t>& order) const {
    constexpr OwnerId job(~std::uint64_t{0});
    const NodeShape& shape = cluster_.shape(node);
    std::optional<NodeLedger> ledger = ledger_with(shape, cluster_.free(node));
    if (!ledger) return {};
    std::vector<NodePlacement> given(parts.size());
    std::optional<std::uint32_t> row;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const PartGroup& part = *parts[order[i]];
        NodePlacement& here = given[order[i]];
        if (i == 0) {
            here = part.ranking->given(cluster_, cluster_.states().of(node), node);
            row = here.row;
        } else {
            auto found = part.ranking->fit_beside(shape, *ledger);
            if (!found) return {};
            here = *std::move(found);
        }
        if (here.row != row || !ledger->take(here, job).ok()) return {};
    }
    return given;
}

bool SharedFits::has_enough(NodeId node, const Parts& parts) const {
    const NodeShape& shape = cluster_.shape(node);
    const FreeState& free = cluster_.free(node);
    const StateId state = cluster_.states().of(node);
    const ThreadCounts threads(shape.hardware);
    const bool are_alike = threads.kinds().size() <= 1;
    LeastAmounts least;
    for (const PartGroup* one : parts) {
        const NodePlacement alone = one->ranking->given(cluster_, state, node);
        if (alone.row) return true;  // what is free in the rows is for fit() to say
        const NodeDemand demand = one->ranking->demand_on(shape);
        add_least(least, demand, alone, are_alike && !demand.preferred_core_kind);
    }
    if (static_cast<std::int64_t>(free.cores.count()) < least.cores ||
        free.free_milli_cpus(threads) < least.cpus) {
        return false;
    }
    Bytes memory;
    for (const Bytes one : free.memory) memory = saturating_add(memory, one);
    if (memory < least.memory) return false;
    std::map<std::string, Count> devices;
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        const Device& one = shape.devices[i];
        const bool is_free = free.is_untouched(DeviceId(i), one);
        if (!one.is_consumed) return true;
        if (is_free) devices[one.name] += Count(1);
    }
    return std::all_of(least.devices.begin(), least.devices.end(),
                       [&](const auto& one) { return !(devices[one.first] < one.second); });
}

bool SharedFits::do_partitions_allow(NodeId node, const Parts& parts,
                                     const std::vector<NodePlacement>& given) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto& limits = parts[i]->rules->limits;
        if (!limits) continue;
        NodePlacement of_partition = given[i];
        for (std::size_t j = i + 1; j < parts.size(); ++j) {
            const auto& other = parts[j]->rules->limits;
            const bool is_same = other && &other->partition() == &limits->partition();
            if (is_same) of_partition = detail::sum(std::move(of_partition), given[j]);
        }
        if (limits->refuse(node, of_partition)) return false;
    }
    return true;
}

}  // namespace trestle
