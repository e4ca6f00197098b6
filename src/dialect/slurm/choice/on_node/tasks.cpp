// SPDX-License-Identifier: Apache-2.0
#include "tasks.hpp"

#include <algorithm>
#include <numeric>

#include "alloc/node/demand_rules.hpp"
#include "node_fit.hpp"

namespace trestle::slurm::choice {
namespace {

/// CPUs that a node gives for --mincpus: as many as whole tasks have, where it is more than one
/// task has. None where -n or --ntasks-per-node says the tasks, but in the release that gives them.
Number given_mincpus(const ChoiceJob& job) {
    if (job.overcommits) return 0;
    const bool says_tasks = job.says_ntasks || job.says_ntasks_per_node;
    if (!job.rules->gives_mincpus_beside_ntasks && says_tasks) return 0;
    const Number least = job.min_cpus_per_node;
    return least > job.cpus_per_task ? least - least % job.cpus_per_task : least;
}

/// Tasks handed out one after another; a node gives no more CPUs than it was chosen for.
class Spreading {
  public:
    Spreading(const ChoiceJob& job, const std::vector<NodeShare>& shares)
        : job_(job), shares_(shares), placed_(shares.size()) {
        const auto nodes = static_cast<Number>(shares.size());
        left_ = job.ntasks.value_or(nodes);
        // Of tasks that GPUs imply each node has one, however few -n says.
        if (job.tasks_of_gpus > 0 && !job.rules->gpus_imply_tasks) left_ = std::max(left_, nodes);
    }

    /// CPUs of each node, where all that the job is to have are dealt as tasks are.
    std::vector<Number> deal_all_cpus() {
        has_limits_ = false;
        left_ = std::max(left_, job_.min_cpus() / job_.cpus_per_task);
        const Number first = std::max<Number>(job_.ntasks_per_node, 1);
        has_bounds_ = job_.ntasks_per_node == 0;
        for (std::size_t n = 0; n < shares_.size(); ++n) {
            for (Number i = 0; i < first && (left_ > 0 || !has_bounds_); ++i) give(n);
        }
        if (has_bounds_) fill_open_cores();
        deal_rounds();
        std::vector<Number> cpus;
        for (std::size_t n = 0; n < shares_.size(); ++n) {
            const Number dealt = std::min(placed_[n].cpus, shares_[n].cpus);
            cpus.push_back(std::max(dealt, given_mincpus(job_)));
        }
        return cpus;
    }

    std::optional<std::vector<Placed>> run() {
        if (job_.overcommits) {
            deal_evenly();
        } else if (job_.plane > 0) {
            deal_planes();
        } else {
            for (std::size_t n = 0; n < shares_.size() && left_ > 0; ++n) give(n);
            fill_open_cores();
            deal_rounds();
        }
        if (job_.rules->needs_cpus_of_tasks && left_ > 0 && !job_.overcommits) return std::nullopt;
        if (!deal_rest() || lacks_mincpus()) return std::nullopt;
        for (std::size_t n = 0; n < shares_.size(); ++n) {
            placed_[n].cpus = std::max(placed_[n].cpus, given_mincpus(job_));
            placed_[n].gres_cpus = shares_[n].gres_cpus;
        }
        return std::move(placed_);
    }

  private:
    [[nodiscard]] Number room_of(std::size_t n) const {
        return has_bounds_ ? std::max<Number>(shares_[n].cpus - placed_[n].cpus, 0) : unlimited;
    }
    void give(std::size_t n) {
        const Number room = room_of(n);
        placed_[n].cpus += std::min(job_.cpus_per_task, room);
        ++placed_[n].tasks;
        --left_;
    }
    /// Whether nodes with devices have fewer CPUs than --mincpus, or their GPUs bring fewer.
    [[nodiscard]] bool lacks_mincpus() const {
        const Number least = given_mincpus(job_);
        if (job_.rules->gives_mincpus_beside_ntasks || job_.gres.empty()) return false;
        if (least <= 1 || job_.has_whole_nodes()) return false;
        const bool has_fewer = std::any_of(shares_.begin(), shares_.end(),
                                           [&](const auto& one) { return one.cpus < least; });
        return has_fewer || std::any_of(job_.gres.begin(), job_.gres.end(), [&](const auto& want) {
                   const Number cpus = product(want.per_node, want.cpus_per);
                   return cpus > 0 && cpus < least;
               });
    }
    [[nodiscard]] bool may_give(std::size_t n) const {
        return left_ > 0 && room_of(n) >= job_.cpus_per_task && placed_[n].tasks < limit_of(n);
    }
    [[nodiscard]] Number limit_of(std::size_t n) const {
        if (!has_limits_) return unlimited;
        const Number most = job_.ntasks_per_node > 0 ? job_.ntasks_per_node : unlimited;
        return std::min(shares_[n].task_limit, most);
    }

    /// CPUs of a core: spread tasks are dealt by its threads, though each has a core of its own.
    [[nodiscard]] Number threads_of(std::size_t n) const {
        const NodeView& node = *shares_[n].node;
        const bool is_by_threads = job_.is_spread && job_.has_implied_core_tasks;
        return is_by_threads ? node.threads : cpus_per_core(node, job_);
    }

    /// CPUs for one task a node; there may be any number of tasks.
    void deal_evenly() {
        for (std::size_t n = 0; n < shares_.size(); ++n) {
            placed_[n].cpus = std::min(job_.cpus_per_task, shares_[n].cpus);
        }
        std::vector<std::size_t> open(shares_.size());
        std::iota(open.begin(), open.end(), std::size_t{0});
        while (left_ > 0 && !open.empty()) {
            const auto nodes = static_cast<Number>(open.size());
            const Number each = left_ / nodes;
            Number more = left_ % nodes;
            for (const std::size_t n : open) {
                Number& tasks = placed_[n].tasks;
                const Number wanted = each + (more-- > 0 ? 1 : 0);
                const Number given = std::min(wanted, shares_[n].task_limit - tasks);
                tasks += given;
                left_ -= given;
            }
            std::erase_if(open,
                          [&](std::size_t n) { return placed_[n].tasks >= shares_[n].task_limit; });
        }
    }

    /// Cores that are partly used come before new ones.
    void fill_open_cores() {
        for (std::size_t n = 0; n < shares_.size(); ++n) {
            const Number threads = threads_of(n);
            const Number spare = (threads - placed_[n].cpus % threads) % threads;
            for (Number i = 0; i < spare / job_.cpus_per_task && may_give(n); ++i) give(n);
        }
    }
    /// Round after round, a core's worth of tasks for each node.
    void deal_rounds() {
        for (bool has_moved = true; left_ > 0 && has_moved;) {
            has_moved = false;
            for (std::size_t n = 0; n < shares_.size(); ++n) {
                const Number threads = threads_of(n);
                const Number worth = std::max<Number>(1, threads / job_.cpus_per_task);
                for (Number i = 0; i < worth && may_give(n); ++i) {
                    give(n);
                    has_moved = true;
                }
            }
        }
    }
    void deal_planes() {
        for (bool has_moved = true; left_ > 0 && has_moved;) {
            has_moved = false;
            for (std::size_t n = 0; n < shares_.size(); ++n) {
                for (Number i = 0; i < job_.plane; ++i) {
                    if (!may_give(n) && (left_ == 0 || placed_[n].tasks > 0)) break;
                    give(n);
                    has_moved = true;
                }
            }
        }
    }

    /// Tasks that found no CPUs share those of others, as far as devices per task allow.
    bool deal_rest() {
        for (bool has_moved = true; left_ > 0 && has_moved;) {
            has_moved = false;
            for (std::size_t n = 0; n < shares_.size(); ++n) {
                if (left_ == 0 || placed_[n].tasks >= limit_of(n)) continue;
                give(n);
                has_moved = true;
            }
        }
        return left_ == 0;
    }

    const ChoiceJob& job_;
    const std::vector<NodeShare>& shares_;
    std::vector<Placed> placed_;
    Number left_ = 0;
    bool has_limits_ = true;  ///< of the tasks of a node
    bool has_bounds_ = true;  ///< of the CPUs of a node
};

Number size_of(const CoreSet& cores) { return cores.count(); }

/// The first group of so many sockets with enough free cores, a single one with fewest of them;
/// where none has enough, the last group.
std::vector<std::size_t> smallest_group(const SocketCores& sockets, std::size_t count,
                                        Number needed) {
    std::vector<bool> is_in(sockets.size(), false);
    std::fill_n(is_in.begin(), count, true);
    std::vector<std::size_t> best;
    Number best_size = unlimited;
    do {  // in the order of combinations: 0 1, 0 2, ..., 1 2, ...
        std::vector<std::size_t> group;
        Number size = 0;
        for (std::size_t s = 0; s < sockets.size(); ++s) {
            if (!is_in[s]) continue;
            group.push_back(s);
            size += size_of(sockets[s]);
        }
        if (size >= needed && count > 1) return group;
        if (size >= needed && size < best_size) {
            best_size = size;
            best = group;
        }
        if (best_size == unlimited) best = group;
    } while (std::prev_permutation(is_in.begin(), is_in.end()));
    return best;
}

/// Above so many sockets the largest ones are taken instead of the best group.
constexpr std::size_t grouped_sockets_max = 16;

/// Fewest sockets, of those the ones with fewest free cores, filled best fit first.
CoreSet choose_block(const SocketCores& sockets, Number needed) {
    std::vector<std::size_t> pool(sockets.size());
    std::iota(pool.begin(), pool.end(), std::size_t{0});
    std::stable_sort(pool.begin(), pool.end(), [&](std::size_t a, std::size_t b) {
        return size_of(sockets[a]) > size_of(sockets[b]);
    });
    std::size_t count = 0;
    for (Number have = 0; have < needed && count < pool.size(); ++count) {
        have += size_of(sockets[pool[count]]);
    }
    pool.resize(count);
    if (sockets.size() <= grouped_sockets_max) pool = smallest_group(sockets, count, needed);
    CoreSet chosen;
    while (needed > 0 && !pool.empty()) {
        auto best = pool.end();
        for (auto at = pool.begin(); at != pool.end(); ++at) {
            if (size_of(sockets[*at]) < needed) continue;
            if (best == pool.end() || size_of(sockets[*at]) < size_of(sockets[*best])) best = at;
        }
        if (best == pool.end()) {
            best = std::max_element(pool.begin(), pool.end(), [&](std::size_t a, std::size_t b) {
                return size_of(sockets[a]) < size_of(sockets[b]);
            });
        }
        const Number taken = std::min(needed, size_of(sockets[*best]));
        chosen |= sockets[*best].first_k(static_cast<std::uint32_t>(taken));
        needed -= taken;
        pool.erase(best);
    }
    return chosen;
}

/// With --ntasks-per-socket the first sockets are left out while the later ones suffice.
void avoid_sockets(SocketCores& left, Number cpus, const ChoiceJob& job, Number threads) {
    if (job.ntasks_per_socket == 0) return;
    const Number most = product(job.ntasks_per_socket, job.cpus_per_task);
    std::vector<Number> room;
    for (const CoreSet& socket : left) room.push_back(size_of(socket) * threads);
    Number sum = std::accumulate(room.begin(), room.end(), Number{0});
    const auto lower = [&](std::size_t s, Number to) {
        sum -= room[s] - to;
        room[s] = to;
    };
    for (std::size_t s = 0; s < room.size() && sum > cpus; ++s) lower(s, std::min(room[s], most));
    for (std::size_t s = 0; s < room.size(); ++s) {
        if (sum <= cpus || sum - room[s] < cpus) continue;
        lower(s, 0);
        left[s].clear();
    }
}

/// Whole tasks socket after socket while a task fits in one, the rest a core at a time. `ran_out`:
/// gets sockets that were asked for a core and had none left.
CoreSet choose_cyclic(SocketCores left, Number cpus, const ChoiceJob& job, Number threads,
                      std::vector<bool>& ran_out) {
    const SocketCores all = left;
    avoid_sockets(left, cpus, job, threads);
    CoreSet chosen;
    const auto take = [&](CoreSet& socket, Number count) {
        const CoreSet taken =
            socket.first_k(static_cast<std::uint32_t>(std::min(count, size_of(socket))));
        chosen |= taken;
        socket -= taken;
    };
    const Number per_task = std::max(job.cpus_per_task, job.ordered_cpus);
    Number tasks = per_task > 1 ? cpus / per_task : 0;
    for (std::size_t s = 0; s < left.size() && tasks > 0; ++s) {
        const Number most =
            job.ntasks_per_socket > 0 ? job.ntasks_per_socket : size_of(all[s]) * threads;
        const bool is_alone = job.ntasks_per_core == 1;  // each task on cores of its own
        const Number held = is_alone ? size_of(left[s]) / quotient_up(per_task, threads)
                                     : size_of(left[s]) * threads / per_task;
        const Number fit = std::min({held, most, tasks});
        const Number wanted = std::min(fit * per_task, std::max<Number>(cpus, 0));
        const Number cores =
            is_alone ? fit * quotient_up(per_task, threads) : quotient_up(wanted, threads);
        take(left[s], cores);
        cpus -= is_alone ? fit * per_task : cores * threads;
        tasks -= fit;
    }
    for (bool has_cores = true; cpus > 0 && has_cores;) {
        has_cores = false;
        for (std::size_t s = 0; s < left.size() && cpus > 0; ++s) {
            CoreSet& socket = left[s];
            if (socket.is_empty()) {
                ran_out[s] = true;
                continue;
            }
            take(socket, 1);
            cpus -= threads;
            has_cores = true;
        }
    }
    return chosen;
}

std::optional<std::vector<Placed>> deal_tasks(const ChoiceJob& job,
                                              const std::vector<NodeShare>& shares) {
    if (!job.has_all_tasks_of_nodes()) return Spreading(job, shares).run();
    const Number tasks = product(job.ntasks_per_node, static_cast<Number>(shares.size()));
    const bool deals = job.rules->deals_all_tasks && !job.has_whole_nodes();
    if (deals && job.ntasks && *job.ntasks > tasks) return std::nullopt;
    const Number cpus =
        std::max(product(job.ntasks_per_node, job.cpus_per_task), given_mincpus(job));
    std::vector<Placed> placed;
    for (const NodeShare& share : shares) {
        placed.push_back({job.ntasks_per_node, cpus, share.gres_cpus});
    }
    return placed;
}

}  // namespace

std::optional<std::vector<Placed>> distribute(const ChoiceJob& job,
                                              const std::vector<NodeShare>& shares) {
    auto placed = deal_tasks(job, shares);
    if (!placed || !deals_cpus_of_gpus(job) || job.overcommits) return placed;
    const std::vector<Number> cpus = Spreading(job, shares).deal_all_cpus();
    for (std::size_t n = 0; n < shares.size(); ++n) (*placed)[n].cpus = cpus[n];
    return placed;
}

bool has_crowded_cores(const ChoiceJob& job, const std::vector<NodeShare>& shares,
                       const std::vector<Placed>& placed) {
    if (!job.has_implied_core_tasks || job.cpus_per_task != 1 || job.overcommits) return false;
    for (std::size_t n = 0; n < shares.size(); ++n) {
        if (placed[n].tasks > size_of(shares[n].cores)) return true;
    }
    return false;
}

bool has_empty_nodes(const ChoiceJob& job, const std::vector<Placed>& placed) {
    return !job.rules->bounds_idle_nodes && !job.has_whole_nodes() &&
           std::any_of(placed.begin(), placed.end(),
                       [](const Placed& one) { return one.is_empty(); });
}

bool lacks_cpus_of_tasks(const ChoiceJob& job, const std::vector<NodeShare>& shares,
                         const std::vector<Placed>& placed) {
    if (!job.has_devices_of_tasks() || job.has_whole_nodes() || job.overcommits) return false;
    if (job.has_cores_of_gpu_cpus) {  // those of the tasks, and no thread beside
        return job.cpus_per_task > 1 && job.ntasks_per_core == 0 &&
               std::any_of(shares.begin(), shares.end(), [&](const NodeShare& share) {
                   return job.cpus_per_task % cpus_per_core(*share.node, job) != 0;
               });
    }
    for (std::size_t n = 0; n < shares.size(); ++n) {
        if (product(placed[n].tasks, job.cpus_per_task) > shares[n].cpus) return true;
    }
    return false;
}

Number most_tasks(const ChoiceJob& job, const std::vector<Number>& planned) {
    Number most = unlimited;
    for (std::size_t w = 0; w < planned.size() && job.rules->plans_gpus_by_node; ++w) {
        const GresWant& want = job.gres[w];
        if (want.per_task == 0 || want.per_node > 0 || planned[w] <= 0) continue;
        most = std::min(most, planned[w] / want.per_task);
    }
    return most;
}

bool has_crowded_sockets(const ChoiceJob& job, const std::vector<NodeShare>& shares,
                         const std::vector<Placed>& placed) {
    if (!job.rules->needs_devices_of_tasks || !job.has_devices_of_tasks()) return false;
    if (job.ntasks_per_socket == 0 || job.has_whole_nodes() || job.overcommits) return false;
    const Number cpus = product(job.ntasks_per_socket, job.cpus_per_task);
    for (std::size_t n = 0; n < shares.size(); ++n) {
        const bool has_rest = cpus < cpus_per_core(*shares[n].node, job);
        if (has_rest && placed[n].tasks > job.ntasks_per_socket) return true;
    }
    return false;
}

bool is_cyclic(const ChoiceJob& job, const SelectParameters& select) {
    if (select.unit == SelectUnit::cpu) return false;
    if (job.core_order == CoreOrder::unsaid) return !select.fills_socket_by_socket;
    return job.core_order == CoreOrder::cyclic;
}

CoreSet choose_cores(const NodeShare& share, const Placed& place, const ChoiceJob& job,
                     const SelectParameters& select) {
    const NodeView& node = *share.node;
    const bool is_in_turn = is_cyclic(job, select);
    const SocketCores sockets = node.by_socket(share.cores);
    const Number threads = cpus_per_core(node, job);
    const Number cpus = std::max(place.cpus, quotient_up(place.gres_cpus, node.threads) * threads);
    CoreSet chosen;
    std::vector<bool> ran_out(sockets.size(), false);
    if (is_in_turn) {
        chosen = choose_cyclic(sockets, cpus, job, threads, ran_out);
    } else {
        const bool is_alone = job.ntasks_per_core == 1 && job.cpus_per_task > threads;
        const Number tasks = is_alone ? cpus / job.cpus_per_task : 0;
        const Number rest = cpus - product(tasks, job.cpus_per_task);
        const Number needed =
            product(tasks, quotient_up(job.cpus_per_task, threads)) + quotient_up(rest, threads);
        chosen = choose_block(sockets, std::min<Number>(needed, share.cores.count()));
    }
    if (select.unit != SelectUnit::socket) return chosen;
    // A whole socket comes with its specialised cores.
    CoreSet whole;
    for (std::size_t s = 0; s < sockets.size(); ++s) {
        const CoreSet& socket = node.sockets[s];
        if (!socket.intersects(chosen)) continue;
        const CoreSet offered = ran_out[s] ? share.cores : share.cores | share.rest;
        const bool is_whole = !is_in_turn || share.has_limited_sockets ||
                              (socket - node.shape->system_cores - offered).is_empty();
        whole |= is_whole ? socket : socket & offered;
    }
    return whole;
}

}  // namespace trestle::slurm::choice
