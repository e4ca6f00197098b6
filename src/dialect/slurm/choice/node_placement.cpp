// SPDX-License-Identifier: Apache-2.0
#include "node_placement.hpp"

#include <algorithm>

#include "model/core_groups.hpp"
#include "on_node/node_fit.hpp"
#include "rules/release_rules.hpp"
#include "trestle/model/locality.hpp"

namespace trestle::slurm::choice {

bool take_counters(const ViewGres& gres, std::string_view type, Count count, const FreeState& free,
                   NodeTaking& taking) {
    for (const ViewCounter& counter : gres.counters) {
        if (!type.empty() && counter.type != type) continue;
        for (const DeviceId id : counter.ids) {
            if (count.is_zero()) return true;
            Count& taken = taking.shares[id];
            const Count more = std::min(count, saturating_sub(free.shares[id.value()], taken));
            taken += more;
            count -= more;
        }
    }
    return count.is_zero();
}

std::optional<NodePlacement> placement_of(const NodeShape& shape, const FreeState& free,
                                          const NodeTaking& taking) {
    NodePlacement placement;
    placement.cores = taking.cores - shape.system_cores;
    Bytes left = taking.memory;
    std::map<DomainId, Bytes> memory;
    const auto take = [&](DomainId domain) {
        const Bytes bytes = std::min(left, free.memory[domain.value()]);
        if (bytes.is_zero() || !memory.emplace(domain, bytes).second) return;
        left -= bytes;
    };
    for (const DomainId domain : domains_near(shape, taking.cores)) take(domain);
    for (std::uint32_t i = 0; i < shape.memory.size(); ++i) {
        if (shape.memory[i].is_ordinary()) take(DomainId(i));
    }
    if (!left.is_zero()) return std::nullopt;
    for (const auto& [domain, bytes] : memory) placement.memory.push_back({domain, bytes});
    for (const auto& [device, shares] : taking.shares) {
        if (!shares.is_zero()) placement.devices.push_back({device, shares});
    }
    return placement;
}

namespace {

bool is_by_cpu(const ChoiceJob& job, const ChosenNode& chosen, SelectUnit unit) {
    return chosen.is_charged_by_task || (unit == SelectUnit::cpu && !job.has_whole_nodes());
}

/// Sockets are charged whole, also where devices left the job few of their cores.
Number whole_sockets(const ChosenNode& chosen) {
    Number cores = 0;
    for (const CoreSet& socket : chosen.view->sockets) {
        if (!socket.intersects(chosen.cores)) continue;
        const bool has_all = (socket & chosen.view->shape->system_cores).intersects(chosen.cores);
        cores += (has_all ? socket : socket - chosen.view->shape->system_cores).count();
    }
    return cores;
}

}  // namespace

Number charged_cpus(const ChoiceJob& job, const ChosenNode& chosen, SelectUnit unit) {
    const NodeView& view = *chosen.view;
    if (is_by_cpu(job, chosen, unit)) return chosen.cpus;
    if (job.core_spec) return view.cpus - view.shape->system_cores.count() * view.threads;
    const bool has_sockets = unit == SelectUnit::socket && !job.has_whole_nodes();
    return view.threads * (has_sockets ? whole_sockets(chosen) : chosen.cores.count());
}

Number charged_memory(const ChoiceJob& job, const ChosenNode& chosen, SelectUnit unit) {
    if (job.memory_per_gpu) {
        const auto gpus = chosen.view->find_gres("gpu");
        return gpus ? product(*job.memory_per_gpu, chosen.count_of(*gpus)) : 0;
    }
    if (job.memory_per_cpu) {
        const Number cpus =
            is_by_cpu(job, chosen, unit)
                ? chosen.cpus
                : chosen.cores.count() * charged_threads(*chosen.view, job) - job.thread_spec;
        return product(*job.memory_per_cpu, std::max<Number>(cpus, 0));
    }
    return job.memory.value_or(0) > 0 ? *job.memory : chosen.view->memory;
}

std::optional<NodeTaking> taking_of(const ChosenNode& chosen, const FreeState& free,
                                    Number memory) {
    NodeTaking taking{chosen.cores, mib(memory), {}};
    for (std::size_t g = 0; g < chosen.taken.size(); ++g) {
        const ViewGres& gres = chosen.view->gres[g];
        for (const auto& [position, units] : chosen.taken[g]) {
            const DeviceId id = gres.devices[position].id;
            const Count shares =
                gres.is_shared ? Count(units) : chosen.view->shape->devices[id.value()].shares;
            Count& known = taking.shares[id];
            known = std::max(known, shares);
        }
    }
    for (const TakenCount& one : chosen.counted) {
        const ViewGres& gres = chosen.view->gres[one.gres];
        if (!gres.is_consumed) continue;
        if (!take_counters(gres, one.type, Count(one.count), free, taking)) return std::nullopt;
    }
    return taking;
}

namespace {

class GresWriter {
  public:
    GresWriter(const ChosenNode& chosen, const std::vector<GresWant>& wanted, PartsStyle style)
        : chosen_(chosen), wanted_(wanted), style_(style) {}

    std::vector<GresDetail> run() {
        for (std::size_t g = 0; g < chosen_.taken.size(); ++g) {
            const ViewGres& gres = chosen_.view->gres[g];
            if (!chosen_.taken[g].empty()) add_types(gres);
            for (const auto& [position, units] : chosen_.taken[g]) {
                const ViewDevice& device = gres.devices[position];
                if (gres.is_shared) {
                    add_parts(gres, device, units);
                } else {
                    GresDetail& detail = detail_of(indexed_, gres.name, device.type);
                    detail.gres.count += Count(units);
                    detail.indexes.insert(device.index);
                }
            }
        }
        for (const TakenCount& one : chosen_.counted) {
            const ViewGres& gres = chosen_.view->gres[one.gres];
            if (!gres.is_consumed) continue;
            detail_of(counted_, gres.name, one.type).gres.count += Count(one.count);
        }
        indexed_.insert(indexed_.end(), counted_.begin(), counted_.end());
        return std::move(indexed_);
    }

  private:
    static GresDetail& detail_of(std::vector<GresDetail>& details, const std::string& name,
                                 const std::string& type) {
        const auto at = std::find_if(details.begin(), details.end(), [&](const GresDetail& known) {
            return known.gres.name == name && known.gres.type == type;
        });
        if (at != details.end()) return *at;
        return details.emplace_back(GresDetail{{name, type, Count()}, {}, {}});
    }

    /// Where a job asks for devices of any type, types that it has none of stand there too.
    void add_types(const ViewGres& gres) {
        const bool is_of_any_type = std::any_of(
            wanted_.begin(), wanted_.end(),
            [&](const GresWant& want) { return want.name == gres.name && want.type.empty(); });
        if (gres.is_shared || !is_of_any_type) return;
        for (const ViewDevice& device : gres.devices) detail_of(indexed_, gres.name, device.type);
    }

    void add_parts(const ViewGres& gres, const ViewDevice& device, Number units) {
        const std::string type = style_.has_type ? device.type : std::string();
        GresDetail& detail = detail_of(indexed_, gres.name, type);
        detail.gres.count += Count(units);
        if (!style_.is_by_device) {
            detail.indexes.insert(device.index);
            return;
        }
        const auto gpus = devices_beside(*chosen_.view, gres);
        if (detail.parts.empty()) detail.parts = unused_parts(gres, gpus);
        const auto at = std::find_if(gpus.begin(), gpus.end(),
                                     [&](const ViewDevice& one) { return one.id == device.id; });
        detail.parts[static_cast<std::size_t>(at - gpus.begin())].used = Count(units);
    }

    /// By device; one that is not cut has 0 of 0.
    [[nodiscard]] std::vector<GresPart> unused_parts(const ViewGres& gres,
                                                     std::span<const ViewDevice> gpus) const {
        std::vector<GresPart> parts;
        for (const ViewDevice& gpu : gpus) {
            const Device& device = chosen_.view->shape->devices[gpu.id.value()];
            parts.push_back({Count(), is_cut(gres, gpu) ? device.shares : Count()});
        }
        return parts;
    }

    const ChosenNode& chosen_;
    const std::vector<GresWant>& wanted_;
    PartsStyle style_;
    std::vector<GresDetail> indexed_;  ///< and what is cut into parts
    std::vector<GresDetail> counted_;  ///< stands apart
};

}  // namespace

bool is_cut(const ViewGres& parts, const ViewDevice& device) {
    return std::any_of(parts.devices.begin(), parts.devices.end(),
                       [&](const ViewDevice& one) { return one.id == device.id; });
}

std::span<const ViewDevice> devices_beside(const NodeView& view, const ViewGres& parts) {
    const auto of = std::find_if(view.gres.begin(), view.gres.end(), [&](const ViewGres& one) {
        return !one.is_shared && std::any_of(one.devices.begin(), one.devices.end(),
                                             [&](const auto& gpu) { return is_cut(parts, gpu); });
    });
    return of == view.gres.end() ? std::span(parts.devices) : std::span(of->devices);
}

PartsStyle parts_style(const SelectRules& rules, const Cluster& cluster, NodeId node) {
    return {rules_of(rules.release).prints_parts_by_device,
            !rules.typed_parts.is_empty() && rules.typed_parts.contains(cluster.name(node))};
}

std::vector<GresDetail> gres_of(const ChosenNode& chosen, const std::vector<GresWant>& wanted,
                                PartsStyle style) {
    return GresWriter(chosen, wanted, style).run();
}

}  // namespace trestle::slurm::choice
