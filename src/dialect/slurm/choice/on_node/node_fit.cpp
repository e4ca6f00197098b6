// SPDX-License-Identifier: Apache-2.0
// The first look at a node.
#include "node_fit.hpp"

#include <algorithm>
#include <numeric>

#include "alloc/node/demand_rules.hpp"
#include "tasks.hpp"

namespace trestle::slurm::choice {

Number cpus_per_core(const NodeView& node, const ChoiceJob& job) {
    Number threads = node.threads;
    if (job.ntasks_per_core > 0) {
        threads = std::min(threads, product(job.ntasks_per_core, job.cpus_per_task));
    }
    if (job.threads_per_core > 0) threads = std::min(threads, job.threads_per_core);
    return threads;
}

Number charged_threads(const NodeView& node, const ChoiceJob& job) {
    return job.threads_per_core > 0 ? std::min(node.threads, job.threads_per_core) : node.threads;
}

Number allocation_unit(const NodeView& node, const ChoiceJob& job,
                       const ClusterParameters& parameters) {
    const bool is_by_socket = parameters.select.unit == SelectUnit::socket;
    return cpus_per_core(node, job) * (is_by_socket ? node.cores_per_socket : 1);
}

bool gives_cpus_by_gpu(const GresWant& want, const ChoiceJob& job) {
    const bool is_of_job = want.per_job > 0 && want.per_task == 0;
    return want.cpus_per > 0 && is_of_job && !job.rules->counts_cpus_per_gpu_by_node &&
           !job.has_whole_nodes();
}

bool deals_cpus_of_gpus(const ChoiceJob& job) {
    return std::any_of(job.gres.begin(), job.gres.end(),
                       [&](const GresWant& want) { return gives_cpus_by_gpu(want, job); });
}

bool needs_cpus_of_tasks(const GresWant& want, const ChoiceJob& job) {
    return job.ntasks_per_gpu > 0 && want.name == "gpu" && want.per_job > 0 &&
           !job.rules->gpus_imply_tasks && !job.overcommits;
}

bool has_indexes(const ViewGres& gres, const GresWant& want) {
    return std::any_of(gres.devices.begin(), gres.devices.end(), [&](const ViewDevice& device) {
        return want.type.empty() || device.type == want.type;
    });
}

std::vector<std::size_t> devices_left(const ViewGres& gres, const GresWant& want,
                                      const RoomGres& left) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < gres.devices.size(); ++i) {
        const bool is_of_type = want.type.empty() || gres.devices[i].type == want.type;
        if (is_of_type && left.units[i] > 0) result.push_back(i);
    }
    return result;
}

namespace {

/// All cores less those set aside by the node or by the job's own --core-spec, and less those that
/// GPUs keep for the jobs that have them (RestrictedCoresPerGPU).
CoreSet usable_cores(const NodeView& node, const ChoiceJob& job,
                     const ClusterParameters& parameters) {
    CoreSet aside = node.shape->system_cores;
    const bool has_gpus = std::any_of(job.gres.begin(), job.gres.end(),
                                      [](const GresWant& want) { return want.is_of_gpus(); });
    if (job.core_spec) {
        const auto wanted = static_cast<std::uint32_t>(std::min<Number>(
            *job.core_spec, static_cast<Number>(node.shape->hardware.core_count())));
        std::vector<CoreId> order = system_order(node);
        if (parameters.scheduler.takes_first_system_cores) std::reverse(order.begin(), order.end());
        for (const CoreId core : order) {
            if (aside.count() > wanted) {
                aside.erase(core);
            } else if (aside.count() < wanted) {
                aside.insert(core);
            }
        }
    }
    const bool has_sockets = parameters.select.unit == SelectUnit::socket;
    if (!has_gpus && !job.has_whole_nodes() && !has_sockets) aside |= node.reserved_cores;
    return node.shape->hardware.all_cores() - aside;
}

bool meets_description(const NodeView& node, const ChoiceJob& job) {
    return job.sockets_per_node <= static_cast<Number>(node.sockets.size()) &&
           job.cores_per_socket <= node.cores_per_socket && job.threads_per_core <= node.threads &&
           job.disk <= node.shape->disk && job.least_memory <= node.memory &&
           job.ntasks_per_socket <= node.cores_per_socket * node.threads &&
           product(job.ntasks_per_socket, job.cpus_per_task) <= node.cpus;
}

/// A socket with any core in use gives nothing.
CoreSet of_idle_sockets(const NodeView& node, CoreSet cores, const CoreSet& busy) {
    for (const CoreSet& socket : node.sockets) {
        if (socket.intersects(busy)) cores -= socket;
    }
    return cores;
}

/// Leaves of the cores that GPUs keep the first of each socket, as many as are for whole GPUs.
void keep_whole_gpus(const NodeView& node, CoreSet& cores) {
    const auto each = static_cast<std::uint32_t>(node.reserved_per_gpu);
    for (const CoreSet& socket : node.sockets) {
        const CoreSet reserved = cores & node.reserved_cores & socket;
        cores -= reserved - reserved.first_k(reserved.count() / each * each);
    }
}

/// Those of the node that have no owner and that the job may have.
CoreSet free_cores(const NodeView& node, const NodeRoom& room, const ChoiceJob& job,
                   const ClusterParameters& parameters) {
    CoreSet cores = usable_cores(node, job, parameters) - room.busy;
    if (parameters.select.unit != SelectUnit::socket) {
        const bool has_kept = !node.reserved_cores.is_empty() && !job.has_whole_nodes();
        if (has_kept) keep_whole_gpus(node, cores);
        return cores;
    }
    return of_idle_sockets(node, std::move(cores), room.busy);
}

struct KeptCores {
    CoreSet cores;
    Number cpus = 0;
};

/// --ntasks-per-socket leaves so many tasks' worth of whole cores on each socket; where sockets are
/// given whole and in turn, all cores.
KeptCores limit_sockets(SocketCores sockets, Number cpus, const ChoiceJob& job, Number threads,
                        const SelectParameters& select) {
    KeptCores kept{joined(sockets), cpus};
    if (job.ntasks_per_socket == 0) return kept;
    const Number most = quotient_up(product(job.ntasks_per_socket, job.cpus_per_task), threads);
    kept.cpus = 0;
    for (CoreSet& socket : sockets) {
        if (socket.count() > most) socket = socket.first_k(static_cast<std::uint32_t>(most));
        kept.cpus += socket.count() * threads;
    }
    if (select.unit != SelectUnit::socket || !is_cyclic(job, select)) kept.cores = joined(sockets);
    return kept;
}

/// CPUs of the whole tasks that so many CPUs hold, within --ntasks-per-node.
Number whole_tasks(Number cpus, const ChoiceJob& job) {
    const Number tasks = cpus / job.cpus_per_task;
    const Number most = job.ntasks_per_node > 0 ? job.ntasks_per_node : unlimited;
    return product(std::min(tasks, most), job.cpus_per_task);
}

/// Leaves the first cores, as far as they have `cpus`, and of a socket no more than
/// --ntasks-per-socket needs.
KeptCores first_cores(const SocketCores& sockets, Number cpus, const ChoiceJob& job,
                      Number threads) {
    KeptCores kept;
    const Number most = product(job.ntasks_per_socket, job.cpus_per_task);
    for (const CoreSet& socket : sockets) {
        Number cores = std::min<Number>(socket.count(), quotient_up(cpus, threads));
        if (most > 0) cores = std::min(cores, quotient_up(most, threads));
        kept.cores |= socket.first_k(static_cast<std::uint32_t>(cores));
        kept.cpus += std::min(cpus, cores * threads);
        cpus -= std::min(cpus, cores * threads);
    }
    return kept;
}

/// MaxCPUsPerSocket leaves the first cores of a socket. True: it took some away.
bool cut_sockets(SocketCores& sockets, const NodeView& node, const PartitionRoom& left) {
    bool is_cut = false;
    for (std::size_t s = 0; s < left.by_socket.size(); ++s) {
        const Number most = std::max<Number>(left.by_socket[s] / node.threads, 0);
        if (sockets[s].count() <= most) continue;
        sockets[s] = sockets[s].first_k(static_cast<std::uint32_t>(most));
        is_cut = true;
    }
    return is_cut;
}

/// Adds the rest of sockets where tasks of nodes have a core, or where a single core is left.
void take_whole_sockets(const SocketCores& sockets, const NodeView& node, const ChoiceJob& job,
                        CoreSet& cores) {
    const Number least = job.ntasks_per_node > 0 ? 1 : node.cores_per_socket - 1;
    for (const CoreSet& socket : sockets) {
        if (static_cast<Number>(socket.count_and(cores)) >= least) cores |= socket;
    }
}

/// Where sockets are given whole, --ntasks-per-socket leaves those that hold a task on the cores
/// that were kept.
void keep_sockets_of_tasks(const NodeView& node, const SocketCores& sockets, const ChoiceJob& job,
                           KeptCores& kept) {
    CoreSet whole;
    for (const CoreSet& socket : sockets) {
        const Number cpus = socket.count_and(kept.cores) * cpus_per_core(node, job);
        if (cpus >= job.cpus_per_task) whole |= socket;
    }
    if (!whole.is_empty()) kept.cores = std::move(whole);
}

/// CPUs for --mincpus without devices: those of the tasks that limits of the node and of its
/// sockets leave.
Number mincpus_room(Number tasks, Number free_cpus, const ChoiceJob& job) {
    const bool is_limited = job.ntasks_per_node > 0 || job.ntasks_per_socket > 0;
    return is_limited ? std::min(free_cpus, product(tasks, job.cpus_per_task)) : free_cpus;
}

/// Cores and CPUs within the job's limits of sockets, cores and nodes.
std::optional<KeptCores> kept_cores(const NodeView& node, const CoreSet& cores,
                                    const ChoiceJob& job, const ClusterParameters& parameters,
                                    const PartitionRoom& left) {
    const Number threads = cpus_per_core(node, job);
    const Number room = left.cpus;
    SocketCores sockets = node.by_socket(cores);
    if (job.rules->limits_sockets_of_whole_nodes || !job.has_whole_nodes()) {
        if (cut_sockets(sockets, node, left) && job.has_whole_nodes()) return std::nullopt;
    }
    SocketCores counted = sockets;
    cut_sockets(counted, node, left);
    Number used_sockets = 0;
    Number all_cpus = 0;
    Number tasks_of_sockets = 0;
    for (CoreSet& socket : sockets) {
        if (socket.count() < job.cores_per_socket) socket.clear();
        used_sockets += socket.is_empty() ? 0 : 1;
        const Number cpus = socket.count() * threads;
        all_cpus += cpus;
        tasks_of_sockets += std::min(cpus, job.ntasks_per_socket);
    }
    if (used_sockets < job.sockets_per_node) return std::nullopt;
    const Number free_cpus = std::min(all_cpus, room);
    Number of_cores = 0;  ///< CPUs of the cores that tasks leave no other task
    Number tasks = job.ntasks_per_socket > 0 ? tasks_of_sockets : free_cpus;
    if (job.ntasks_per_node > 0 && !job.has_whole_nodes()) {
        tasks = std::min(tasks, job.ntasks_per_node);
    }
    const bool is_cut = job.rules->cuts_cores && !job.has_whole_nodes() && job.gres.empty();
    Number cpus = job.ntasks_per_socket > 0 ? std::min(free_cpus, tasks) : free_cpus;
    if (is_cut && job.cpus_per_task == 1) cpus = std::min(free_cpus, tasks);
    if (job.ntasks_per_core == 1 && job.cpus_per_task > threads) {
        const Number whole = quotient_up(job.cpus_per_task, threads) * threads;
        tasks = std::min(tasks, free_cpus / whole);
        cpus = product(tasks, job.cpus_per_task);
        of_cores = product(tasks, whole);
    } else if (job.cpus_per_task > 1) {
        tasks = std::min(tasks, free_cpus / job.cpus_per_task);
        cpus = is_cut ? product(tasks, job.cpus_per_task) : free_cpus;
    }
    // A whole node counts for what MaxCPUsPerSocket leaves of it.
    if (job.has_whole_nodes()) cpus = std::min(free_cpus, joined(counted).count() * threads);
    cpus = std::max(cpus, std::min(free_cpus, job.min_cpus_per_node));
    if (product(job.ntasks_per_socket, job.cpus_per_task) > free_cpus) return std::nullopt;
    const Number most = is_cut ? mincpus_room(tasks, free_cpus, job) : free_cpus;
    if (tasks <= 0 || tasks < job.ntasks_per_node || job.min_cpus_per_node > most) {
        return std::nullopt;
    }
    if (is_cut) {
        // MaxCPUsPerNode takes no cores away.
        const bool has_sockets = parameters.select.unit == SelectUnit::socket;
        Number held = room < all_cpus ? whole_tasks(all_cpus, job) : cpus;
        // Whole sockets are cut by tasks alone, and only by those that no socket holds.
        const bool is_in_turn = is_cyclic(job, parameters.select);
        const bool fits_socket =
            is_in_turn && job.cpus_per_task <= node.cores_per_socket * node.threads;
        if (has_sockets) held = fits_socket ? all_cpus : all_cpus - all_cpus % job.cpus_per_task;
        if (has_sockets && job.ntasks_per_socket > 0) held = cpus;
        if (has_sockets && job.ntasks_per_node > 0) held = whole_tasks(all_cpus, job);
        KeptCores kept = first_cores(sockets, std::max({cpus, held, of_cores}), job, threads);
        kept.cpus = std::min(kept.cpus, cpus);
        const bool has_tasks_of_sockets = has_sockets && is_in_turn && job.ntasks_per_socket > 0;
        if (has_tasks_of_sockets) keep_sockets_of_tasks(node, sockets, job, kept);
        if (has_sockets && is_in_turn) take_whole_sockets(sockets, node, job, kept.cores);
        return kept;
    }
    if (!job.has_whole_nodes()) {
        return limit_sockets(std::move(sockets), cpus, job, threads, parameters.select);
    }
    if (room < all_cpus) return std::nullopt;
    return KeptCores{joined(sockets), cpus};
}

Number sum_of(const std::vector<Number>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), Number{0});
}

/// Tasks that have parts of one more device: of one device all, unless a job may have parts of
/// several.
void add_tasks_of_part(Number tasks, const ChoiceJob& job, SocketGres& found) {
    Number& most = found.most_tasks;
    if (most == unlimited) most = 0;
    if (job.has_one_part_a_device) tasks = std::min<Number>(tasks, 1);
    most = job.shares_several_devices ? most + tasks : std::max(most, tasks);
}

/// What is free of one name and type, by socket.
SocketGres place_gres(const NodeView& node, const ViewGres& gres, const RoomGres& left,
                      const GresWant& want, const ChoiceJob& job) {
    SocketGres found;
    found.has_places = has_indexes(gres, want);
    found.by_socket.assign(node.sockets.size(), 0);
    for (std::size_t i = 0; i < gres.counters.size(); ++i) {
        const bool is_of_type = want.type.empty() || gres.counters[i].type == want.type;
        if (is_of_type) found.anywhere += std::min(left.counters[i], unlimited);
    }
    found.total = found.anywhere;
    for (const std::size_t i : devices_left(gres, want, left)) {
        const Number units = std::min(left.units[i], unlimited);
        const auto& near = gres.devices[i].near;
        const auto add = [&](Number& to) {
            to = gres.is_shared && !job.rules->sums_parts ? std::max(to, units) : to + units;
        };
        if (near.empty()) add(found.anywhere);
        for (const std::size_t socket : near) add(found.by_socket[socket]);
        found.total += units;
        if (gres.is_shared && want.per_task > 0 && job.rules->sums_parts) {
            add_tasks_of_part(units / want.per_task, job, found);
        }
    }
    return found;
}

/// With enforce-binding devices per socket are not those that Cores= says are near to all, nor
/// those of a type without Cores=; where sockets are given whole, none without Cores=.
bool has_unbound_devices(const ViewGres& gres, const ChoiceJob& job, SelectUnit unit) {
    if (!job.enforces_binding) return false;
    return unit == SelectUnit::socket ||
           std::any_of(gres.devices.begin(), gres.devices.end(), [](const ViewDevice& device) {
               return device.lists_all_sockets || (device.near.empty() && !device.type.empty());
           });
}

std::optional<std::vector<SocketGres>> place_all_gres(const NodeView& node, const NodeRoom& room,
                                                      const ChoiceJob& job, SelectUnit unit) {
    std::vector<SocketGres> result;
    for (std::size_t w = 0; w < job.gres.size(); ++w) {
        const GresWant& want = job.gres[w];
        const auto at = node.find_gres(want.name);
        if (!at) return std::nullopt;
        SocketGres found = place_gres(node, node.gres[*at], room.gres[*at], want, job);
        found.want = w;
        if (want.per_socket > 0) {  // a socket with fewer gives nothing
            const bool is_unbound = has_unbound_devices(node.gres[*at], job, unit);
            if (is_unbound) found.anywhere = 0;
            const Number cpus = product(want.per_socket, want.cpus_per);
            const bool is_fed = cpus <= node.cores_per_socket * node.threads;
            Number sockets = 0;
            for (Number& count : found.by_socket) {
                count = count < want.per_socket || !is_fed ? 0 : count;
                sockets += count > 0 ? 1 : 0;
            }
            const bool are_bound = job.enforces_binding && found.anywhere == 0;
            if (are_bound && sockets < job.sockets_per_node) return std::nullopt;
            found.total = sum_of(found.by_socket) + found.anywhere;
        }
        if (found.total < std::max<Number>({want.per_node, want.per_task, 1})) return std::nullopt;
        result.push_back(std::move(found));
    }
    return result;
}

/// Whether enforce-binding leaves a count of the job's devices one socket of each node: where the
/// job needs but one CPU of a node.
bool is_bound_to_one_socket(const GresWant& want, const ChoiceJob& job) {
    if (!job.rules->binds_one_cpu_to_last_socket || !job.enforces_binding) return false;
    if (want.per_job == 0 || want.per_node > 0) return false;
    const Number cpus = job.rules->counts_cpus_per_gpu_by_node
                            ? job.min_cpus()
                            : product(job.tasks(), job.cpus_per_task);
    return cpus / std::max<Number>(job.min_nodes, 1) <= 1;
}

/// The socket with most devices, the last of equals.
void keep_one_socket(SocketGres& found) {
    std::size_t best = 0;
    for (std::size_t s = 0; s < found.by_socket.size(); ++s) {
        if (found.by_socket[s] >= found.by_socket[best]) best = s;
    }
    for (std::size_t s = 0; s < found.by_socket.size(); ++s) {
        if (s != best) found.by_socket[s] = 0;
    }
    found.total = sum_of(found.by_socket) + found.anywhere;
}

/// Leaves the GRES that can be reached, fed with CPUs and with memory; false: too few.
bool trim_gres(std::vector<SocketGres>& gres, const SocketCores& sockets, const ChoiceJob& job,
               Number cpus, Number memory) {
    for (SocketGres& found : gres) {
        const GresWant& want = job.gres[found.want];
        if (job.enforces_binding && found.has_places) {
            for (std::size_t s = 0; s < sockets.size(); ++s) {
                if (!sockets[s].is_empty()) continue;
                found.total -= found.by_socket[s];
                found.by_socket[s] = 0;
            }
        }
        if (is_bound_to_one_socket(want, job)) keep_one_socket(found);
        // Whole nodes come with all their devices, which bring CPUs.
        if (job.has_whole_nodes() && product(want.cpus_per, found.total) > cpus) return false;
        if (want.cpus_per > 0) found.total = std::min(found.total, cpus / want.cpus_per);
        if (want.memory_per > 0) found.total = std::min(found.total, memory / want.memory_per);
        if (needs_cpus_of_tasks(want, job)) {
            const Number cpus_of_gpu = product(job.ntasks_per_gpu, job.cpus_per_task);
            found.total = std::min(found.total, cpus / cpus_of_gpu);
        }
        if (found.total < least_gres(found, job)) return false;
    }
    return true;
}

/// What the node's weight is lowered by: more GPUs near free cores go first.
Number near_gpus(const std::vector<SocketGres>& gres, const SocketCores& sockets,
                 const ChoiceJob& job) {
    Number near = 0;
    for (const SocketGres& found : gres) {
        const GresWant& want = job.gres[found.want];
        if (want.name != "gpu") continue;
        const Number each = want.per_socket > 0 ? want.per_socket : unlimited;
        Number count = found.anywhere;
        for (std::size_t s = 0; s < sockets.size(); ++s) {
            if (!sockets[s].is_empty()) count += std::min(found.by_socket[s], each);
        }
        // Whole nodes come with all that they have, so the ones with most GPUs go first.
        const Number asked = want.per_node > 0 ? want.per_node : want.per_job;
        const Number most = job.is_exclusive ? 0 : asked;
        if (needs_cpus_of_tasks(want, job)) count = std::min(count, found.total);
        near += most > 0 ? std::min(count, most) : count;
    }
    return std::min<Number>(near, 255);
}

}  // namespace

Number least_gres(const SocketGres& found, const ChoiceJob& job) {
    const GresWant& want = job.gres[found.want];
    const bool is_open = found.anywhere > 0 && !job.rules->binds_devices;
    if (want.per_socket > 0 && is_open) return want.per_socket;
    if (want.per_node > 0) return want.per_node;
    if (want.per_socket > 0) {
        return product(want.per_socket, job.enforces_binding ? job.sockets_per_node : 1);
    }
    if (want.per_task > 0) {
        return product(want.per_task, std::max<Number>(1, job.ntasks_per_node));
    }
    return 1;
}

Number trim_to_memory(const NodeView& node, Number cpus, const NodeRoom& room, const ChoiceJob& job,
                      const ClusterParameters& parameters) {
    if (job.memory_per_cpu && job.is_exclusive) {
        return product(*job.memory_per_cpu, cpus) > room.memory ? 0 : cpus;
    }
    if (job.memory_per_cpu) {
        const bool is_by_cpu = parameters.select.unit == SelectUnit::cpu;
        const Number unit = is_by_cpu ? 1 : allocation_unit(node, job, parameters);
        const Number charged =
            is_by_cpu ? 1 : charged_threads(node, job) / cpus_per_core(node, job);
        while (cpus > 0 && product(*job.memory_per_cpu, cpus * charged) > room.memory) cpus -= unit;
        if (cpus > 0 && job.cpus_per_task > 1) cpus -= cpus % job.cpus_per_task;
        return cpus < std::max<Number>(1, job.ntasks_per_node) ? 0 : cpus;
    }
    if (job.memory == 0) return room.memory == node.memory ? cpus : 0;
    return job.memory && *job.memory > room.memory ? 0 : cpus;
}

bool is_whole(const NodeRoom& room) {
    return room.busy.is_empty() && std::none_of(room.gres.begin(), room.gres.end(),
                                                [](const auto& one) { return one.is_touched; });
}

SocketCores sockets_for(const NodeView& node, const NodeRoom& room, const ChoiceJob& job,
                        const ClusterParameters& parameters, const PartitionRoom& left) {
    SocketCores sockets = node.by_socket(free_cores(node, room, job, parameters));
    if (job.rules->limits_sockets_of_whole_nodes || !job.has_whole_nodes()) {
        cut_sockets(sockets, node, left);
    }
    return sockets;
}

std::optional<NodeCapacity> capacity(const NodeView& node, const NodeRoom& room,
                                     const ChoiceJob& job, const ClusterParameters& parameters,
                                     const PartitionRoom& left) {
    if (!meets_description(node, job)) return std::nullopt;
    if (job.has_whole_nodes() && !is_whole(room)) return std::nullopt;
    const CoreSet cores = free_cores(node, room, job, parameters);
    auto gres = place_all_gres(node, room, job, parameters.select.unit);
    if (!gres) return std::nullopt;
    const Number free_cpus = cores.count() * node.threads;
    auto kept = kept_cores(node, cores, job, parameters, left);
    if (!kept) return std::nullopt;
    const SocketCores sockets = node.by_socket(kept->cores);
    if (!trim_gres(*gres, sockets, job, kept->cpus, room.memory)) return std::nullopt;
    const Number cpus = trim_to_memory(node, kept->cpus, room, job, parameters);
    if (cpus <= 0) return std::nullopt;
    const Number near = near_gpus(*gres, sockets, job);
    return NodeCapacity{std::move(kept->cores), cpus, free_cpus, *std::move(gres), near};
}

}  // namespace trestle::slurm::choice
