// SPDX-License-Identifier: Apache-2.0
// The second look at a node: cores against GRES, socket by socket.
#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "alloc/node/demand_rules.hpp"
#include "node_fit.hpp"
#include "reserved.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::slurm::choice {
namespace {

/// Which sockets are needed, how many tasks there may be, which cores they have.
class Matching {
  public:
    Matching(const NodeView& node, const NodeCapacity& first, const ChoiceJob& job,
             const ClusterParameters& parameters, const Bounds& bounds, Number tasks)
        : node_(node),
          first_(first),
          job_(job),
          bounds_(bounds),
          has_whole_sockets_(parameters.select.unit == SelectUnit::socket),
          keeps_sockets_(has_whole_sockets_ && job.rules->keeps_whole_sockets),
          threads_(job.has_implied_core_tasks ? node.threads : cpus_per_core(node, job)),
          tasks_(tasks),
          sockets_(node.by_socket(first.cores)),
          brings_cpus_(std::any_of(job.gres.begin(), job.gres.end(),
                                   [](const GresWant& want) { return want.cpus_per > 0; })) {}

    std::optional<Narrowed> run() {
        const bool is_strict = job_.enforces_binding || bounds_.pass == Pass::strict;
        for (const SocketGres& found : first_.gres) {
            if (found.has_places && !match(found, is_strict)) return std::nullopt;
        }
        if (job_.rules->needs_sockets_of_counters) need_sockets_of_counters();
        drop_reserved();
        if (is_strict && !required_.is_empty() && !keeps_others_) {
            for (std::uint32_t s = 0; s < sockets_.size(); ++s) {
                if (!required_.contains(s)) sockets_[s].clear();
            }
        }
        const auto needed = find_tasks();
        if (!needed) return std::nullopt;
        // Bound tasks have whole cores, and memory for all CPUs of these.
        if (job_.enforces_binding && bound_threads(*needed) > first_.cpus) return std::nullopt;
        if (!job_.has_whole_nodes()) drop_surplus(kept_.value_or(*needed));
        Narrowed result;
        result.cores = job_.has_whole_nodes() ? first_.cores : joined(sockets_);
        // Whole nodes come with all cores, but are taken for those that serve the devices.
        const Number counted = std::max(core_count(), kept_ ? *needed : Number{0});
        result.cpus = std::min<Number>(first_.cpus, counted * threads_);
        const bool is_alone = job_.ntasks_per_core == 1 && job_.cpus_per_task > 1;
        // Whole sockets have more CPUs than the tasks that limits of sockets and devices leave.
        const bool is_bounded = has_whole_sockets_ && !job_.overcommits &&
                                (has_task_limit_ || job_.ntasks_per_socket > 0);
        const bool has_devices = job_.rules->counts_devices_of_cpus && counts_tasks() &&
                                 !job_.overcommits && !job_.has_implied_core_tasks &&
                                 !has_whole_sockets_;
        if ((is_alone || is_bounded || has_devices) && !job_.has_whole_nodes()) {
            // As whole tasks need.
            const Number of_tasks = product(tasks_, job_.cpus_per_task);
            result.cpus = std::min(result.cpus, std::max(of_tasks, has_devices ? gres_cpus_ : 0));
        }
        const bool counts_cores = job_.has_implied_core_tasks && job_.rules->gpus_imply_tasks;
        if (job_.ntasks_per_gpu > 0 && !brings_cpus_ && !counts_cores) {
            const bool is_even = job_.has_even_tasks_of_gpus() || !job_.rules->gpus_imply_tasks;
            const Number tasks = is_even ? bounds_.min_tasks : tasks_;
            result.cpus = std::min(result.cpus, product(tasks, job_.cpus_per_task));
            if (!job_.rules->gpus_imply_tasks) {  // the rest of the last core is there
                result.idle_cpus = quotient_up(result.cpus, threads_) * threads_ - result.cpus;
            }
        }
        result.rest = rest_;
        result.max_tasks = tasks_;
        result.has_task_limit = has_task_limit_;
        result.gres_cpus = gres_cpus_;
        result.later_gres_cpus = plain_gres_cpus_;
        result.bound_cpus = job_.enforces_binding ? *needed * node_.threads : 0;
        const Number supply = required_.is_empty() ? result.cpus : *needed * threads_;
        const Number idle = job_.has_whole_nodes() ? 0 : idle_threads();
        const bool is_per_task = gives_devices_of_tasks();
        result.gres = usable_gres(idle > 0 && is_per_task ? unlimited : supply);
        if (keeps_to_tasks()) {
            const Number of_tasks = product(tasks_, job_.cpus_per_task);
            result.cpus = std::min(result.cpus, std::max(of_tasks, job_.min_cpus_per_node));
        }
        if (idle > 0) {
            result.cpus = std::min(result.cpus, supply - idle);
            if (is_per_task) {
                result.idle_cpus = idle;
            } else {
                bound_gpus_of_tasks(result);
            }
        }
        return result;
    }

  private:
    [[nodiscard]] Number core_count() const {
        return std::accumulate(
            sockets_.begin(), sockets_.end(), Number{0},
            [](Number sum, const CoreSet& socket) { return sum + socket.count(); });
    }
    [[nodiscard]] Number cores_of(std::size_t socket) const { return sockets_[socket].count(); }
    /// Leaves the first cores of a socket. Requires: 0 <= count <= cores_of(socket).
    void keep_first(std::size_t socket, Number count) {
        sockets_[socket] = sockets_[socket].first_k(static_cast<std::uint32_t>(count));
    }

    [[nodiscard]] bool gives_devices_of_tasks() const {
        return std::any_of(first_.gres.begin(), first_.gres.end(), [&](const SocketGres& found) {
            return job_.gres[found.want].per_task > 0;
        });
    }
    /// Whether the tasks of a node are counted, so that it gives no CPU beside theirs.
    [[nodiscard]] bool counts_tasks() const {
        return gives_devices_of_tasks() ||
               (job_.rules->bounds_tasks_of_nodes && job_.says_ntasks && !brings_cpus_);
    }
    /// Threads of the last core that whole tasks on all free CPUs leave, which tasks with devices
    /// of their own do not have, and which bring no GPUs of tasks per GPU.
    [[nodiscard]] Number idle_threads() const {
        if (job_.rules->counts_devices_of_cpus || job_.overcommits) return 0;
        const Number tasks = product(first_.cpus / job_.cpus_per_task, job_.cpus_per_task);
        return quotient_up(tasks, threads_) * threads_ - tasks;
    }

    /// Older releases take a node for the CPUs of its tasks alone, where devices bring none.
    [[nodiscard]] bool keeps_to_tasks() const {
        return !job_.rules->counts_devices_of_cpus && !job_.has_whole_nodes() &&
               !job_.overcommits && job_.ntasks_per_core == 0 && !brings_cpus_;
    }

    /// A count per task only for the CPUs of tasks.
    [[nodiscard]] std::vector<UsableGres> usable_gres(Number cpus) const {
        const Number whole = job_.cpus_per_task;
        std::vector<UsableGres> result;
        for (const SocketGres& found : first_.gres) {
            Number count = found.total;
            const auto most = most_gres_.find(found.want);
            if (most != most_gres_.end()) count = std::min(count, most->second);
            if (job_.gres[found.want].per_socket > 0) count = std::min(count, of_sockets(found));
            const Number per_task = job_.gres[found.want].per_task;
            if (per_task > 0 && !job_.overcommits) {
                count = std::min(count, product(std::max<Number>(1, cpus / whole), per_task));
            }
            if (per_task > 0 && job_.rules->counts_devices_of_cpus) count -= count % per_task;
            result.push_back({found.want, count});
        }
        return result;
    }

    /// GPUs of the job come with the CPUs of their tasks.
    void bound_gpus_of_tasks(Narrowed& narrowed) const {
        for (UsableGres& one : narrowed.gres) {
            const GresWant& want = job_.gres[one.want];
            if (!needs_cpus_of_tasks(want, job_)) continue;
            const Number cpus = product(job_.ntasks_per_gpu, job_.cpus_per_task);
            one.count = std::min(one.count, narrowed.cpus / cpus);
        }
    }

    /// Devices that sockets give with --gpus-per-socket.
    [[nodiscard]] Number of_sockets(const SocketGres& found) const {
        Number sum = found.anywhere;
        for (const Number count : found.by_socket) {
            sum += std::min(count, job_.gres[found.want].per_socket);
        }
        return sum;
    }

    /// CPUs that each device brings with it: asked for, or in the strict pass what -n implies.
    [[nodiscard]] Number cpus_per_device(const GresWant& want) const {
        if (want.cpus_per > 0 || job_.overcommits) return want.cpus_per;
        if (job_.ntasks_per_gpu > 0 && want.name == "gpu") {
            return product(job_.ntasks_per_gpu, job_.cpus_per_task);
        }
        if (!job_.rules->counts_devices_of_cpus) return 0;
        if (bounds_.pass == Pass::relaxed) return 0;
        return cpus_of_tasks(want);
    }
    /// CPUs of the tasks of each device of the job, or a task's CPUs for each of its devices, where
    /// -n goes into the devices or they into it.
    [[nodiscard]] Number cpus_of_tasks(const GresWant& want) const {
        if (want.per_job == 0 || !job_.says_ntasks) return 0;
        const Number tasks = job_.tasks();
        if (tasks % want.per_job == 0) return product(tasks / want.per_job, job_.cpus_per_task);
        if (want.per_job % tasks != 0) return 0;
        const Number per_task = want.per_job / tasks;
        return job_.cpus_per_task % per_task == 0 ? job_.cpus_per_task / per_task : 0;
    }

    [[nodiscard]] Number enough_of(const GresWant& want) const {
        if (want.per_node > 0) return want.per_node;
        if (want.per_task > 0 && job_.rules->needs_devices_of_tasks) {
            return std::min(want.per_job, product(want.per_task, tasks_));
        }
        if (want.per_socket > 0) return unlimited;
        if (want.per_job == 0) return unlimited;
        const bool is_of_tasks = want.per_task > 0 && is_shared_gres(want.name);
        const bool leaves_some = job_.rules->plans_gpus_by_node && !is_of_tasks;
        const Number others = leaves_some ? std::max<Number>(job_.min_nodes - 1, 0) : 0;
        Number most = want.per_job - others;
        // Of GPUs with tasks of their own those whose tasks the node has CPUs for.
        const bool are_all = job_.chosen_tasks <= job_.tasks_of_gpus;
        if (job_.ntasks_per_gpu > 0 && job_.rules->gpus_imply_tasks && are_all &&
            !has_whole_sockets_) {
            const Number tasks = core_count() * threads_ / job_.cpus_per_task;
            most = std::min(most, tasks / job_.ntasks_per_gpu);
        }
        return std::max<Number>(1, most);
    }

    /// Of equals the first.
    [[nodiscard]] std::vector<std::uint32_t> fullest_first() const {
        std::vector<std::pair<Number, std::uint32_t>> keys;
        for (std::uint32_t s = 0; s < sockets_.size(); ++s) keys.emplace_back(-cores_of(s), s);
        std::stable_sort(keys.begin(), keys.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        std::vector<std::uint32_t> order;
        for (const auto& [less, socket] : keys) order.push_back(socket);
        return order;
    }

    /// The sockets needed for one GRES; false: the node cannot serve it.
    bool match(const SocketGres& found, bool is_strict) {
        const GresWant& want = job_.gres[found.want];
        const Number per = cpus_per_device(want);
        const Number of_socket = bounds_.tasks_of_socket;
        const Number least_tasks = job_.overcommits ? 1 : std::max<Number>(1, bounds_.min_tasks);
        const Number least = product(least_tasks, job_.cpus_per_task);
        const Number least_cores = quotient_up(least, threads_);
        Number enough = enough_of(want);
        if (needs_cpus_of_tasks(want, job_)) enough = std::min(enough, found.total);
        const std::vector<std::uint32_t> order = fullest_first();
        const bool is_of_job = want.per_job > 0 && job_.rules->plans_gpus_by_node;
        // Where -n says how many CPUs each device has, other sockets may have the rest of them.
        const bool has_tasks = job_.says_ntasks && job_.ntasks_per_gpu == 0 && want.per_task == 0;
        const bool has_rest = has_tasks && (job_.max_nodes || cpus_of_tasks(want) > 0);
        const bool strips_always = is_of_job && !has_rest;
        const bool strips = (bounds_.pass == Pass::strict || strips_always) && found.anywhere == 0;
        if (found.anywhere > 0) {
            for (const std::uint32_t s : order) {
                if (sockets_[s].is_empty()) continue;
                required_.insert(s);
                bound_.insert(s);
            }
        }
        Number reach = found.anywhere;
        // With enforce-binding the sockets of the first GRES are those of the others.
        const SmallSet<> earlier = job_.enforces_binding ? bound_ : SmallSet<>{};
        // A task that is alone on its node is bound to one socket.
        const bool is_bound = job_.enforces_binding && job_.rules->binds_devices &&
                              job_.says_ntasks && bounds_.max_tasks == 1;
        // CPUs of devices are hardware threads, however few of them tasks may use.
        const Number threads = job_.threads_per_core > 0 ? threads_ : node_.threads;
        const bool is_fed = is_strict || (gives_cpus_by_gpu(want, job_) && !job_.overcommits);
        if (is_strict && per > 0) reach = std::min(reach, core_count() * threads / per);
        for (const std::uint32_t s : order) {
            if (reach >= enough) break;
            Number count = found.by_socket[s];
            if (want.per_socket > 0) count = std::min(count, want.per_socket);
            if (is_fed && per > 0) {
                const Number fed = cores_of(s) * threads / per;
                count = std::min(count, is_strict ? fed : std::max<Number>(1, fed));
            }
            if (is_bound && cores_of(s) * threads_ < job_.cpus_per_task) count = 0;
            if (!earlier.is_empty() && !earlier.contains(s)) count = 0;
            if (count > 0 && (!sockets_[s].is_empty() || !is_strict)) {
                required_.insert(s);
                bound_.insert(s);
                reach += count;
            } else if (count == 0 && strips && !required_.contains(s)) {
                const Number surplus = std::max<Number>(core_count() - least_cores, 0);
                keep_first(s, std::max<Number>(cores_of(s) - surplus, 0));
            }
        }
        reach = std::min(reach, found.total);
        const Number offered = want.per_socket > 0 ? found.total : reach;
        if (offered < least_gres(found, job_)) return false;
        const bool is_bound_job = job_.enforces_binding || job_.rules->plans_gpus_by_node;
        if (reach < enough && !is_bound_job) keeps_others_ = true;
        if (is_beyond_plane(found, std::min(reach, enough))) return false;
        const bool is_by_cpus = is_strict && per > 0 && job_.rules->bounds_tasks_by_cpus_of_devices;
        if (is_by_cpus) most_gres_[found.want] = reach;
        if (want.per_task > 0 && std::min(reach, enough) / want.per_task < of_socket) return false;
        bound_tasks(found, reach, enough);
        return true;
    }

    /// Devices without an index, where the job has no others, are near all sockets.
    void need_sockets_of_counters() {
        for (const SocketGres& found : first_.gres) {
            if (found.has_places) return;
        }
        for (std::uint32_t s = 0; s < sockets_.size(); ++s) {
            if (!sockets_[s].is_empty()) required_.insert(s);
        }
        for (const SocketGres& found : first_.gres) {
            bound_tasks(found, found.total, enough_of(job_.gres[found.want]));
        }
    }

    /// Tasks that the GPUs of a node imply and that a plane does not hold: those with GPUs of their
    /// own, or where they are several to a GPU or one node has all GPUs of the job.
    [[nodiscard]] bool is_beyond_plane(const SocketGres& found, Number gpus) const {
        const GresWant& want = job_.gres[found.want];
        if (job_.plane == 0 || !job_.rules->gpus_imply_tasks || want.name != "gpu") return false;
        if (want.per_task > 0) return !has_whole_sockets_ && gpus / want.per_task > job_.plane;
        const bool has_all = want.per_job > 0 && want.per_job <= found.total;
        if (job_.ntasks_per_gpu <= 1 && !has_all) return false;
        return product(has_all ? want.per_job : gpus, job_.ntasks_per_gpu) > job_.plane;
    }

    void bound_tasks(const SocketGres& found, Number reach, Number enough) {
        const GresWant& want = job_.gres[found.want];
        if (want.per_task > 0) {
            // Cores are kept for what the node has, where CPUs and not devices are counted.
            const Number most = is_shared_gres(want.name) ? reach : std::min(reach, enough);
            const Number devices = job_.rules->counts_devices_of_cpus ? most : found.total;
            tasks_ = std::min({tasks_, devices / want.per_task, found.most_tasks});
            if (want.per_node > 0) tasks_ = std::min(tasks_, tasks_of_all(want));
            // They fill sockets: as many tasks as --ntasks-per-socket says, or none.
            const Number of_socket = std::max<Number>(1, bounds_.tasks_of_socket);
            if (tasks_ > of_socket) tasks_ -= tasks_ % of_socket;
            has_task_limit_ = true;
        }
        const Number per = cpus_per_device(want);
        const bool has_fixed_tasks = job_.ntasks_per_node > 0;
        // A job of one node that goes to the first waits there for devices.
        const bool waits = job_.rules->takes_first_node && job_.max_nodes == 1;
        if (per == 0 && !job_.overcommits && job_.rules->counts_devices_of_cpus &&
            !has_fixed_tasks && !waits) {
            const Number cpus = product(found.total, cpus_of_tasks(want));
            if (cpus > 0) tasks_ = std::min(tasks_, std::max<Number>(1, cpus / job_.cpus_per_task));
        }
        if (per > 0 && job_.rules->bounds_tasks_by_cpus_of_devices && !has_fixed_tasks) {
            const Number cpus = product(std::min(reach, enough), per);
            tasks_ = std::min(tasks_, std::max<Number>(1, cpus / job_.cpus_per_task));
        }
        if (per > 0 && !has_fixed_tasks) bound_tasks_of_gpus(found, enough);
        const bool has_tasks = job_.ntasks_per_gpu > 0 && want.name == "gpu" && want.per_node > 0;
        const bool are_all = job_.chosen_tasks <= job_.tasks_of_gpus;
        if (has_tasks && are_all && job_.rules->gpus_imply_tasks) {
            gres_cpus_ = std::max(gres_cpus_, product(want.per_node, per));
        }
        if (want.cpus_per == 0 || !want.is_counted()) return;
        // CPUs of a task are there already.
        const bool is_of_task = want.has_default_cpus && want.per_task > 0;
        if (is_of_task && !job_.rules->counts_cpus_per_gpu_by_node) return;
        if (want.per_socket > 0 && !job_.rules->counts_cpus_per_gpu_by_node) {
            enough = product(want.per_socket, std::max<Number>(job_.sockets_per_node, 1));
        }
        const bool is_of_node = want.per_job == 0 || job_.rules->counts_cpus_per_gpu_by_node;
        Number& cpus = is_of_node ? gres_cpus_ : job_gres_cpus_;
        const bool is_of_sockets = want.per_socket > 0 && !job_.rules->counts_cpus_per_gpu_by_node;
        Number gpus = is_of_sockets ? enough : std::min(reach, enough);
        if (want.per_task > 0 && job_.rules->counts_devices_of_cpus) {
            gpus = std::min(gpus, product(tasks_, want.per_task));
        }
        cpus = std::max(cpus, product(gpus, want.cpus_per));
    }

    /// A node needs the tasks of all its devices. Those of the job, less one for each other node,
    /// have to be as many, but for whole nodes.
    [[nodiscard]] Number tasks_of_all(const GresWant& want) const {
        if (job_.rules->bounds_tasks_of_nodes || job_.has_whole_nodes()) return unlimited;
        const Number others = job_.rules->plans_gpus_by_node ? job_.min_nodes - 1 : 0;
        return std::max<Number>(0, want.per_job - others) / want.per_task;
    }

    /// A node holds no more tasks than its GPUs have, but its part of all.
    void bound_tasks_of_gpus(const SocketGres& found, Number gpus) {
        const GresWant& want = job_.gres[found.want];
        if (!needs_cpus_of_tasks(want, job_)) return;
        gpus = std::min(gpus, found.total);
        most_gres_[found.want] = gpus;
        tasks_ = std::min(tasks_, std::max(bounds_.min_tasks, product(gpus, job_.ntasks_per_gpu)));
    }

    /// GPUs that the job may have here; of a count of the job each other node has one at least.
    [[nodiscard]] Number most_gpus(const GresWant& want) const {
        if (is_shared_gres(want.name)) return 1;
        const Number most = enough_of(want);
        const bool leaves_some = job_.rules->plans_gpus_by_node && want.per_task == 0;
        if (want.per_node > 0 || want.per_socket > 0 || want.per_job == 0 || leaves_some)
            return most;
        return std::max<Number>(1, most - std::max<Number>(job_.min_nodes - 1, 0));
    }

    /// The cores that GPUs reserve beyond those that the job may have go.
    void drop_reserved() {
        if (has_whole_sockets_ || node_.reserved_cores.is_empty()) return;
        std::vector<Number> most;
        for (const SocketGres& found : first_.gres)
            most.push_back(most_gpus(job_.gres[found.want]));
        hold_reserved_back(node_, first_.gres, most, job_, required_, sockets_);
    }

    /// Cores that so many tasks need, each with cores of its own or not; `bound`: sockets that have
    /// to have one.
    [[nodiscard]] Number cores_for(Number tasks, bool is_alone, Number bound) const {
        if (job_.overcommits) tasks = 1;
        const Number needed = is_alone ? product(tasks, quotient_up(job_.cpus_per_task, threads_))
                                       : quotient_up(product(tasks, job_.cpus_per_task), threads_);
        return std::max({needed, quotient_up(gres_cpus_, node_.threads), bound});
    }

    /// Cores for the most tasks that the cores left can hold.
    std::optional<Number> find_tasks() {
        const Number have = core_count();
        Number bound = 0;
        if (job_.enforces_binding) {
            bound = bound_.count();
            const bool is_fixed = bounds_.min_tasks == bounds_.max_tasks;
            if (is_fixed || has_task_limit_ || job_.rules->binds_devices) {
                gres_cpus_ = std::max(gres_cpus_, bound * threads_);
            }
        }
        const bool is_alone = job_.ntasks_per_core == 1;
        const bool fits_alone = is_alone && !job_.has_implied_core_tasks;
        const Number least_tasks = std::max<Number>(1, bounds_.min_tasks);
        Number fit = least_tasks - 1;  // more tasks need no fewer cores: halve what is between
        for (Number beyond = tasks_ + 1; fit + 1 < beyond;) {
            const Number middle = fit + (beyond - fit) / 2;
            (cores_for(middle, fits_alone, bound) <= have ? fit : beyond) = middle;
        }
        if (fit < least_tasks) return std::nullopt;
        tasks_ = fit;
        if (lacks_mincpus()) return std::nullopt;
        if (job_.has_cores_of_gpu_cpus && !job_.has_whole_nodes()) give_cores_to_gpu_cpus(have);
        // How many devices of the job's the node gives is not known yet; they bring their CPUs.
        const Number for_gres = std::min(quotient_up(job_gres_cpus_, node_.threads), have);
        const Number kept = std::max(cores_for(fit, is_alone, bound), for_gres);
        // Older releases count CPUs of --mincpus, but leave a fixed number of tasks no cores for
        // them.
        const bool is_fixed = bounds_.min_tasks == bounds_.max_tasks;
        if (is_fixed && !job_.rules->counts_devices_of_cpus) kept_ = kept;
        const bool has_mincpus = !job_.says_ntasks || job_.rules->gives_mincpus_beside_ntasks;
        const Number least_cpus = has_mincpus ? job_.min_cpus_per_node : 1;
        return std::max(kept, quotient_up(least_cpus, threads_));
    }

    /// Whether the tasks that devices of the job leave the node have fewer CPUs than --mincpus.
    [[nodiscard]] bool lacks_mincpus() const {
        if (job_.rules->gives_mincpus_beside_ntasks || job_.has_whole_nodes()) return false;
        return job_.counts_by_job() && !job_.overcommits &&
               std::max(product(tasks_, job_.cpus_per_task), gres_cpus_) < job_.min_cpus_per_node;
    }

    /// Each task that CPUs of GPUs are for has cores of its own, as far as there are some: of a
    /// count of the job's GPUs all of them or none.
    void give_cores_to_gpu_cpus(Number have) {
        const Number most = gres_cpus_ / job_.cpus_per_task;
        const Number tasks = job_.rules->bounds_tasks_of_nodes ? tasks_ : std::max(tasks_, most);
        const Number cores = product(tasks, quotient_up(job_.cpus_per_task, threads_));
        const bool is_of_job =
            std::any_of(job_.gres.begin(), job_.gres.end(), [](const GresWant& want) {
                return want.per_job > 0 && want.per_task == 0 && want.cpus_per > 0 &&
                       !want.has_default_cpus;
            });
        if (is_of_job) plain_gres_cpus_ = gres_cpus_;
        if (is_of_job && cores > have) return;
        gres_cpus_ = std::max(gres_cpus_, std::min(cores, have) * node_.threads);
    }

    /// CPUs of the whole cores of bound tasks. Where a core has a CPU for each task, -n says what
    /// they are; from the release on that binds devices, it does not for devices of a socket, and
    /// only threads that the job may use count.
    [[nodiscard]] Number bound_threads(Number needed) const {
        if (!job_.has_implied_core_tasks) return needed * threads_;
        const bool is_newer = job_.rules->binds_devices;
        if (job_.says_ntasks && !(is_newer && is_by_socket())) return 0;
        if (!is_newer) return needed * threads_;
        return std::min(needed, core_count()) * std::min(threads_, charged_threads(node_, job_));
    }
    [[nodiscard]] bool is_by_socket() const {
        return std::any_of(first_.gres.begin(), first_.gres.end(), [&](const SocketGres& found) {
            return job_.gres[found.want].per_socket > 0;
        });
    }

    /// Leaves as many cores as needed: first from sockets without need, then evenly.
    void drop_surplus(Number needed) {
        Number surplus = core_count() - needed;
        const bool are_none_given = std::none_of(
            job_.gres.begin(), job_.gres.end(), [](const auto& want) { return want.is_counted(); });
        if (required_.is_empty() || are_none_given) return;
        std::vector<Number> kept;
        for (std::uint32_t s = 0; s < sockets_.size(); ++s) kept.push_back(cores_of(s));
        for (std::uint32_t s = 0; s < sockets_.size(); ++s) {
            const Number least = job_.rules->plans_gpus_by_node ? 0 : 1;
            if (surplus <= 0 || required_.contains(s) || kept[s] <= least) continue;
            const Number dropped = std::min(surplus, kept[s] - least);
            kept[s] -= dropped;
            surplus -= dropped;
        }
        const std::vector<std::uint32_t> required(required_.begin(), required_.end());
        for (; surplus > 0 && !keeps_sockets_; --surplus) {
            const std::size_t fullest =
                *std::max_element(required.begin(), required.end(),
                                  [&](auto x, auto y) { return kept[x] < kept[y]; });
            if (kept[fullest] == 0) break;
            --kept[fullest];
        }
        for (std::size_t s = 0; s < sockets_.size(); ++s) {
            const bool is_needed = required_.contains(static_cast<std::uint32_t>(s));
            if (kept[s] > 0 && keeps_sockets_) continue;
            if (has_whole_sockets_ && is_needed && kept[s] > 0) rest_ |= sockets_[s];
            keep_first(s, kept[s]);
        }
    }

    const NodeView& node_;
    const NodeCapacity& first_;
    const ChoiceJob& job_;
    const Bounds& bounds_;
    bool has_whole_sockets_;
    bool keeps_sockets_;
    Number threads_;
    Number tasks_;
    SocketCores sockets_;
    bool brings_cpus_;            ///< some devices do
    SmallSet<> required_;         ///< sockets
    std::optional<Number> kept_;  ///< cores, where they are fewer than those that count
    CoreSet rest_;                ///< of sockets that the job has whole if it has a core there
    SmallSet<> bound_;            ///< those of them that devices are near to, and not to all others
    Number gres_cpus_ = 0;
    Number job_gres_cpus_ = 0;  ///< of devices that are counted for the job
    Number plain_gres_cpus_ = 0;
    bool has_task_limit_ = false;
    bool keeps_others_ = false;  ///< sockets that are not needed: the others have too few devices
    std::map<std::size_t, Number> most_gres_;  ///< by want: that CPUs bound
};

/// Cores chosen without a look at devices: there are none, or select/cons_res chooses.
Narrowed unmatched(const NodeCapacity& first, Number tasks) {
    Narrowed result;
    result.cores = first.cores;
    result.cpus = first.cpus;
    result.max_tasks = tasks;
    for (const SocketGres& found : first.gres) result.gres.push_back({found.want, found.total});
    return result;
}

}  // namespace

std::optional<Narrowed> narrow(const NodeView& node, const NodeCapacity& first,
                               const ChoiceJob& job, const ClusterParameters& parameters,
                               const Bounds& bounds) {
    Number most = first.cpus / job.cpus_per_task;
    if (job.overcommits && most > 0) most = unlimited;
    most = std::min(bounds.max_tasks, most);
    if (most < bounds.min_tasks || most == 0) return std::nullopt;
    if (first.gres.empty() || parameters.select.type == "select/cons_res") {
        return unmatched(first, most);
    }
    return Matching(node, first, job, parameters, bounds, most).run();
}

}  // namespace trestle::slurm::choice
