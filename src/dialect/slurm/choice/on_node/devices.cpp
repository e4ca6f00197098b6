// SPDX-License-Identifier: Apache-2.0
#include "devices.hpp"

#include <algorithm>
#include <numeric>

#include "node_fit.hpp"

namespace trestle::slurm::choice {

namespace {

/// Devices of one wanted name and type on one node, taken place by place; behind all that have an
/// index those that have none, as a bare number.
class Picker {
  public:
    Picker(ChosenNode& chosen, std::size_t gres, const GresWant& want, const ChoiceJob& job)
        : chosen_(chosen),
          gres_(gres),
          view_(chosen.view->gres[gres]),
          want_(want),
          job_(job),
          has_indexes_(has_indexes(view_, want)),
          devices_(devices_left(view_, want, chosen.room->gres[gres])),
          cores_(chosen.cores_by_socket()) {}

    [[nodiscard]] const ChosenNode& chosen() const { return chosen_; }
    /// Whether nothing says near to which cores the devices are.
    [[nodiscard]] bool is_without_places() const {
        return std::all_of(view_.devices.begin(), view_.devices.end(), [](const ViewDevice& one) {
            return one.near.empty() && !one.lists_all_sockets;
        });
    }
    /// Nor the type that they have.
    [[nodiscard]] bool is_undescribed() const {
        return is_without_places() &&
               std::all_of(view_.devices.begin(), view_.devices.end(),
                           [](const ViewDevice& one) { return one.type.empty(); });
    }
    [[nodiscard]] Number count() const { return static_cast<Number>(mine_.size()) + counted_; }

    /// Those whose reserved cores the job has, then one of each used socket, or all of the only
    /// one, then from the rest.
    bool take_per_node(Number count) {
        if (!has_indexes_) return take_counted(count) == count;
        Number got = take_with_cores(unlimited);
        if (got > count) return take_too_many();
        if (job_.rules->gives_in_proportion) {
            got += take_in_proportion(count - got);
        } else {
            const Number share = used().size() == 1 ? count : 1;
            looks_at_links_ = share == count;
            for (const std::size_t s : used()) got += take(s, std::min(share, count - got));
            looks_at_links_ = true;
            seeds_ = static_cast<std::size_t>(share == count ? 1 : std::max<Number>(1, got));
            if (view_.has_links && seeds_ > 1) got += take_linked(count - got);
        }
        got += take_of_no_place(count - got);
        got += take_in_order(used(), count - got);
        if (!is_bound()) got += take_in_order(unused(), count - got);
        got += take_counted(count - got);
        return got == count;
    }

    bool take_per_socket(Number count, Number sockets) {
        const Number all = product(count, std::max<Number>(sockets, 1));
        if (!has_indexes_) return take_counted(all) == all;
        if (job_.rules->counts_cores_as_sockets && is_undescribed()) {
            take_per_core(count);
            return true;
        }
        Number got = 0;
        for (const std::size_t s : used()) {
            const Number kept = take(s, keeping(s));
            if (kept > count) return take_too_many();
            const Number here = kept + take(s, count - kept);
            got += here + take_of_no_place(count - here);
        }
        if (job_.rules->fills_from_other_sockets) {
            const Number needed = product(count, static_cast<Number>(used().size()));
            got += take_anywhere(needed - got);
            if (got < needed && job_.rules->needs_devices_of_sockets) return false;
        }
        Number left = sockets - static_cast<Number>(used().size());
        // In older releases links bind devices of one socket alone.
        if (!job_.rules->takes_worst_links) looks_at_links_ = false;
        for (const std::size_t s : unused()) {
            if (left <= 0) break;
            if (job_.rules->fills_from_other_sockets && near_count(s) == 0) continue;
            if (near_count(s) >= count) got += take(s, count);
            --left;
        }
        looks_at_links_ = true;
        got += take_counted(all - got);
        return got > 0;
    }

    /// What the tasks of each socket need, then from the rest.
    bool take_per_task(Number count) {
        const Number needed = product(chosen_.tasks, count);
        if (!has_indexes_) return take_counted(needed) == needed;
        const Number most = is_bound() ? bound_devices(count) : unlimited;
        if (most < needed && job_.rules->needs_devices_of_tasks) return false;
        const bool goes_by_sockets = most < unlimited && !job_.rules->needs_devices_of_tasks;
        Number got = take_with_cores(needed);
        Number left = needed - got;
        for (const std::size_t s : used()) {
            const Number here = take(s, std::min(product(tasks_of_socket(s), count), left));
            got += here;
            left -= goes_by_sockets ? product(tasks_of_socket(s), count) : here;
        }
        if (goes_by_sockets) return true;  // tasks of a socket without enough go without
        got += take_anywhere(needed - got);
        return got == needed;
    }

    /// For a count of the job, no more than `most`: those that keep cores of the job, then near
    /// ones, the best linked. At least one, also a far one, and also if `most` is not positive.
    Number take_near(Number most) {
        if (!has_indexes_) return take_counted(most);
        Number got = take_with_cores(most);
        if (view_.has_links && got == 0) {
            looks_at_links_ = false;  // all of them
            take_in_order(used(), unlimited);
            take_of_no_place(unlimited);
            looks_at_links_ = true;
            keep_linked(most);
        } else {
            if (job_.rules->gives_in_proportion) got += take_in_proportion(most - got);
            got += take_in_order(used(), most - got);
            const bool takes_all =
                most < 0 && is_without_places() && !job_.rules->plans_gpus_by_node;
            take_of_no_place(takes_all ? unlimited : most - got);
        }
        if (mine_.empty() && most > 0) take_anywhere(1);
        if (mine_.empty() && most <= 0) take_in_order(unused(), 1);
        return count();
    }

    /// Near devices first, then those of no place, then (unless bound) far ones, then a number.
    Number take_anywhere(Number count) {
        Number got = take_in_order(used(), count);
        got += take_of_no_place(count - got);
        if (!is_bound()) got += take_in_order(unused(), count - got);
        return got + take_counted(count - got);
    }

    /// Those of no place first, then socket by socket, whether the job has cores there or not.
    Number take_by_sockets(Number count) {
        Number got = take_of_no_place(count);
        for (std::size_t s = 0; s < cores_.size(); ++s) got += take(s, count - got);
        return got + take_counted(count - got);
    }

    /// Devices of which the largest part is free go first.
    void sort_by_load() {
        const auto& units = chosen_.room->gres[gres_].units;
        const auto capacity = [&](std::size_t i) {
            return chosen_.view->shape->devices[view_.devices[i].id.value()].shares.value();
        };
        std::stable_sort(devices_.begin(), devices_.end(), [&](std::size_t a, std::size_t b) {
            return product(units[a], capacity(b)) > product(units[b], capacity(a));
        });
    }

    /// Parts: of one device, or of several where jobs may have that.
    bool take_parts(Number count) {
        if (!job_.shares_several_devices) return take_units(count);
        used_units_.assign(view_.devices.size(), 0);
        if (want_.per_task == 0 || want_.per_node > 0) {
            return take_of_near_one(count) || take_some(count, unlimited) == count;
        }
        Number tasks = chosen_.tasks;
        for (const std::size_t s : used()) {
            const Number here =
                std::max<Number>(1, cores_[s] * chosen_.view->threads / job_.cpus_per_task);
            for (Number t = std::min(here, tasks); t > 0 && take_of_task({s}); --t) --tasks;
        }
        while (tasks > 0 && take_of_task(all_in_order())) --tasks;
        return tasks == 0;
    }

    /// Units of one device: a near one, else the first.
    bool take_units(Number count) {
        if (take_of_near_one(count)) return true;
        if (is_bound()) return false;
        for (const std::size_t s : unused()) {
            if (take_of_one_near(s, count)) return true;
        }
        return false;
    }

  private:
    [[nodiscard]] bool is_bound() const {
        return job_.enforces_binding && job_.rules->binds_devices && !chosen_.serves_rest;
    }
    static bool contains(const std::vector<std::size_t>& sockets, std::size_t socket) {
        return std::find(sockets.begin(), sockets.end(), socket) != sockets.end();
    }
    template <class IsThere>
    bool take_of_one(Number count, const IsThere& is_there) {
        for (const std::size_t i : devices_) {
            if (chosen_.room->gres[gres_].units[i] < count || !is_there(view_.devices[i])) continue;
            chosen_.taken[gres_].push_back({i, count});
            return true;
        }
        return false;
    }
    bool take_of_one_near(std::size_t socket, Number count) {
        return take_of_one(count,
                           [&](const ViewDevice& device) { return contains(device.near, socket); });
    }
    /// Units of one device near a used socket, or of one of no place.
    bool take_of_near_one(Number count) {
        for (const std::size_t s : used()) {
            if (take_of_one_near(s, count)) return true;
        }
        return take_of_one(count, [](const ViewDevice& device) { return device.near.empty(); });
    }
    [[nodiscard]] Number units_left(std::size_t device) const {
        return chosen_.room->gres[gres_].units[device] - used_units_[device];
    }
    void take_units_of(std::size_t device, Number count) {
        used_units_[device] += count;
        for (TakenDevice& one : chosen_.taken[gres_]) {
            if (one.position == device) {
                one.units += count;
                return;
            }
        }
        chosen_.taken[gres_].push_back({device, count});
    }
    /// The parts of one task, which are of one device.
    bool take_of_task(const std::vector<std::size_t>& sockets) {
        for (const std::size_t i : devices_near(sockets)) {
            if (units_left(i) < want_.per_task) continue;
            if (job_.has_one_part_a_device && used_units_[i] > 0) continue;
            take_units_of(i, want_.per_task);
            return true;
        }
        return false;
    }
    /// Up to `count`, from each device no more than `each`.
    Number take_some(Number count, Number each) {
        Number got = 0;
        for (const std::size_t i : devices_near(all_in_order())) {
            const Number here = std::min({count - got, units_left(i), each});
            if (here <= 0) continue;
            take_units_of(i, here);
            got += here;
        }
        return got;
    }
    /// Used sockets, then the others unless the job is bound.
    [[nodiscard]] std::vector<std::size_t> all_in_order() const {
        std::vector<std::size_t> order = used();
        if (is_bound()) return order;
        for (const std::size_t s : unused()) order.push_back(s);
        return order;
    }
    /// Devices socket by socket, those of no place behind the used sockets.
    [[nodiscard]] std::vector<std::size_t> devices_near(
        const std::vector<std::size_t>& sockets) const {
        std::vector<std::size_t> result;
        const auto add = [&](const auto& is_there) {
            for (const std::size_t i : devices_) {
                const bool is_new = std::find(result.begin(), result.end(), i) == result.end();
                if (is_new && is_there(view_.devices[i])) result.push_back(i);
            }
        };
        for (const std::size_t s : sockets) {
            if (cores_[s] == 0) break;
            add([&](const ViewDevice& device) { return contains(device.near, s); });
        }
        add([](const ViewDevice& device) { return device.near.empty(); });
        for (const std::size_t s : sockets) {
            add([&](const ViewDevice& device) { return contains(device.near, s); });
        }
        return result;
    }
    [[nodiscard]] std::vector<std::size_t> used() const { return sockets_with(true); }
    [[nodiscard]] std::vector<std::size_t> unused() const { return sockets_with(false); }
    [[nodiscard]] std::vector<std::size_t> sockets_with(bool has_cores) const {
        std::vector<std::size_t> result;
        for (std::size_t s = 0; s < cores_.size(); ++s) {
            if ((cores_[s] > 0) == has_cores) result.push_back(s);
        }
        return result;
    }

    /// Free devices near a socket.
    [[nodiscard]] Number near_count(std::size_t socket) const {
        return std::count_if(devices_.begin(), devices_.end(), [&](std::size_t i) {
            return contains(view_.devices[i].near, socket);
        });
    }

    /// Tasks that the job's cores on a used socket are for.
    [[nodiscard]] Number tasks_of_socket(std::size_t socket) const {
        const Number threads = cores_[socket] * chosen_.view->threads;
        if (!job_.rules->fits_tasks_of_sockets) return threads;
        if (job_.ntasks_per_core > 0) return product(cores_[socket], job_.ntasks_per_core);
        const Number cores = std::accumulate(cores_.begin(), cores_.end(), Number{0});
        return quotient_up(product(cores_[socket], chosen_.tasks), cores);
    }

    /// Devices of tasks that have CPUs on the same socket, `count` for each.
    [[nodiscard]] Number bound_devices(Number count) const {
        const bool is_placed = std::any_of(devices_.begin(), devices_.end(), [&](std::size_t i) {
            return !view_.devices[i].near.empty();
        });
        if (!is_placed) return unlimited;
        Number sum = 0;
        for (const std::size_t s : used()) {
            const Number tasks =
                quotient_up(cores_[s] * cpus_per_core(*chosen_.view, job_), job_.cpus_per_task);
            sum += std::min(product(tasks, count), near_count(s));
        }
        return sum;
    }
    /// Of each core of the job so many; where that is more than there are, none at all.
    void take_per_core(Number count) {
        const Number cores = std::accumulate(cores_.begin(), cores_.end(), Number{0});
        const Number all = product(count, cores);
        if (all > static_cast<Number>(devices_.size()) + counters_left()) return;
        take_counted(all - take_of_no_place(all));
    }
    /// No more than are left and wanted.
    Number take_counted(Number count) {
        count = std::clamp<Number>(counters_left(), 0, std::max<Number>(count, 0));
        if (count > 0) chosen_.counted.push_back({gres_, want_.type, count});
        counted_ += count;
        return count;
    }
    [[nodiscard]] Number counters_left() const {
        Number left = 0;
        for (std::size_t i = 0; i < view_.counters.size(); ++i) {
            const bool is_of_type = want_.type.empty() || view_.counters[i].type == want_.type;
            if (is_of_type) left += std::min(chosen_.room->gres[gres_].counters[i], unlimited);
        }
        return left - counted_;
    }
    /// GPUs that keep cores of the job on a socket; none where it asks for GPUs of several types.
    [[nodiscard]] Number keeping(std::size_t socket) const {
        const auto is_gpu = [](const GresWant& one) { return one.name == "gpu"; };
        const NodeView& node = *chosen_.view;
        if (node.reserved_per_gpu == 0 || !is_gpu(want_)) return 0;
        if (std::count_if(job_.gres.begin(), job_.gres.end(), is_gpu) > 1) return 0;
        const CoreSet mine = node.sockets[socket] & node.reserved_cores & chosen_.cores;
        return quotient_up(mine.count(), node.reserved_per_gpu);
    }
    /// Of each socket as many devices as keep cores that the job has there.
    Number take_with_cores(Number count) {
        Number got = 0;
        for (const std::size_t s : used()) got += take(s, std::min(keeping(s), count - got));
        return got;
    }
    /// The job's cores are for more devices than it asked for: it waits or has all of the node.
    bool take_too_many() {
        take_anywhere(unlimited);
        return !job_.rules->bounds_gpus_of_cores;
    }
    Number take(std::size_t socket, Number count) {
        return take_where(count,
                          [&](const ViewDevice& device) { return contains(device.near, socket); });
    }
    /// From each used socket as its part of the job's cores has it, rounded down.
    Number take_in_proportion(Number count) {
        const Number cores = std::accumulate(cores_.begin(), cores_.end(), Number{0});
        Number got = 0;
        for (const std::size_t s : used()) got += take(s, cores_[s] * count / cores);
        return got;
    }
    Number take_of_no_place(Number count) {
        return take_where(count, [](const ViewDevice& device) { return device.near.empty(); });
    }
    Number take_in_order(const std::vector<std::size_t>& sockets, Number count) {
        Number got = 0;
        for (const std::size_t s : sockets) got += take(s, count - got);
        return got;
    }

    /// Of all used sockets, by the links to the first device of each.
    Number take_linked(Number count) {
        return take_where(count, [&](const ViewDevice& device) {
            return std::any_of(device.near.begin(), device.near.end(),
                               [&](std::size_t s) { return cores_[s] > 0; });
        });
    }

    /// By their links to those taken, then the lowest index.
    template <class IsThere>
    Number take_where(Number count, const IsThere& is_there) {
        const auto may_take = [&](std::size_t i) {
            return is_there(view_.devices[i]) && !chosen_.has(gres_, i);
        };
        Number got = 0;
        for (; got < count && std::any_of(devices_.begin(), devices_.end(), may_take); ++got) {
            if (got > 0) counted_links_.push_back(mine_.back());
            std::optional<std::size_t> best;
            for (const std::size_t i : devices_) {
                if (may_take(i) && (!best || link(i) > link(*best))) best = i;
            }
            chosen_.taken[gres_].push_back({*best, 1});
            mine_.push_back(*best);
        }
        return got;
    }
    /// Of a device to those taken: more is better. Newer releases take the device with the least
    /// links to all of them, but for the last one of an earlier place.
    [[nodiscard]] Number link(std::size_t i) const {
        if (mine_.empty() || view_.strength.empty() || !looks_at_links_) return 0;
        if (!job_.rules->takes_worst_links) {
            Number most = 0;
            for (std::size_t t = 0; t < std::min(seeds_, mine_.size()); ++t) {
                most = std::max(most, view_.strength[i][mine_[t]]);
            }
            return most;
        }
        return -std::accumulate(
            counted_links_.begin(), counted_links_.end(), Number{0},
            [&](Number sum, std::size_t taken) { return sum + view_.strength[i][taken]; });
    }

    /// Keeps those that are best tied to the best pair.
    void keep_linked(Number most) {
        if (count() <= most) return;
        std::pair<std::size_t, std::size_t> best_pair;
        std::optional<Number> best;
        std::vector<std::size_t> rising = mine_;
        std::sort(rising.begin(), rising.end());
        for (const std::size_t a : rising) {
            for (const std::size_t b : rising) {
                if (b <= a || (best && view_.strength[a][b] <= *best)) continue;
                best = view_.strength[a][b];
                best_pair = {a, b};
            }
        }
        std::vector<std::size_t> weakest_first = mine_;
        std::stable_sort(
            weakest_first.begin(), weakest_first.end(), [&](std::size_t a, std::size_t b) {
                return view_.strength[best_pair.first][a] < view_.strength[best_pair.first][b];
            });
        for (const std::size_t i : weakest_first) {
            if (count() <= most) break;
            if (i == best_pair.first || (i == best_pair.second && most > 1)) continue;
            std::erase(mine_, i);
            std::erase_if(chosen_.taken[gres_],
                          [&](const TakenDevice& one) { return one.position == i; });
        }
    }

    ChosenNode& chosen_;
    std::size_t gres_;
    const ViewGres& view_;
    const GresWant& want_;
    const ChoiceJob& job_;
    bool has_indexes_;
    std::vector<std::size_t> devices_;
    std::vector<Number> cores_;
    std::vector<std::size_t> mine_;
    std::vector<std::size_t> counted_links_;  ///< of these, whose links count
    std::size_t seeds_ = 1;  ///< of these, to which links are looked at in older releases
    bool looks_at_links_ = true;
    std::vector<Number> used_units_;  ///< by device, of parts
    Number counted_ = 0;
};

/// First sweep: near devices, one kept back for each later node. Second: whatever is left.
bool take_per_job(const ChoiceJob& job, std::size_t at, std::vector<Picker>& pickers) {
    const GresWant& want = job.gres[at];
    Number needed = want.per_job;
    auto later = static_cast<Number>(pickers.size());
    for (Picker& picker : pickers) {
        --later;
        Number most = needed - later;
        if (job.rules->plans_gpus_by_node) most = std::max<Number>(1, most);
        const bool is_open = want.has_default_cpus && !job.rules->plans_gpus_by_node;
        if (want.cpus_per > 0 && !picker.chosen().serves_rest && !is_open) {
            most = std::min(most, picker.chosen().devices_of_cpus(want));
            if (job.rules->plans_gpus_by_node) most = std::max<Number>(1, most);
        }
        const bool is_by_tasks = job.ntasks_per_gpu > 0 && !job.rules->gpus_imply_tasks;
        if (is_by_tasks && !picker.is_without_places()) {
            const Number cpus = product(job.ntasks_per_gpu, job.cpus_per_task);
            const Number threads = picker.chosen().view->threads;
            const Number whole = quotient_up(picker.chosen().cpus, threads) * threads;
            most = std::min(most, whole / cpus);
        }
        if (job.ntasks_per_gpu > 0 && job.rules->gpus_imply_tasks && want.name == "gpu") {
            const Number gpus = quotient_up(picker.chosen().tasks, job.ntasks_per_gpu);
            most = std::min(most, std::max<Number>(1, gpus));
        }
        const Number planned = picker.chosen().planned[at];
        if (job.rules->plans_gpus_by_node && planned > 0) most = std::min(most, planned);
        needed -= picker.take_near(most);
    }
    for (Picker& picker : pickers) {
        if (needed <= 0) break;
        if (!job.rules->plans_gpus_by_node) {
            needed -= picker.take_by_sockets(needed);
            continue;
        }
        Number most = needed;
        if (want.cpus_per > 0 && !picker.chosen().serves_rest) {
            const Number room = picker.chosen().devices_of_cpus(want) - picker.count();
            most = std::min(most, std::max<Number>(0, room));
        }
        needed -= picker.take_anywhere(most);
    }
    // A job that goes to the first node has of devices without type and place what that node has.
    const bool has_what_there_is =
        job.rules->takes_first_node && pickers.size() == 1 && pickers.front().is_undescribed();
    return needed <= 0 || (has_what_there_is && pickers.front().count() > 0);
}

bool take_devices(const ChoiceJob& job, SelectUnit unit, const GresWant& want,
                  std::vector<Picker>& pickers) {
    const auto all = [&](const auto& take) {
        return std::all_of(pickers.begin(), pickers.end(), take);
    };
    if (want.per_node > 0) {
        return all([&](Picker& picker) { return picker.take_per_node(want.per_node); });
    }
    if (want.per_socket > 0) {
        return all([&](Picker& picker) {
            return picker.take_per_socket(want.per_socket, job.sockets_per_node);
        });
    }
    if (want.per_task > 0) {
        const Number tasks = std::accumulate(
            pickers.begin(), pickers.end(), Number{0},
            [](Number sum, const Picker& picker) { return sum + picker.chosen().tasks; });
        // Tasks of nodes that -n does not count have no devices.
        const bool has_all = product(tasks, want.per_task) <= want.per_job;
        const bool is_counted = job.rules->needs_devices_of_tasks && unit != SelectUnit::socket;
        if (is_counted && want.cpus_per == 0 && !has_all) return false;
        return all([&](Picker& picker) { return picker.take_per_task(want.per_task); });
    }
    return take_per_job(job, static_cast<std::size_t>(&want - job.gres.data()), pickers);
}

}  // namespace

bool choose_devices(const ChoiceJob& job, const SelectParameters& select,
                    std::vector<ChosenNode>& chosen_nodes) {
    if (chosen_nodes.empty()) return job.gres.empty();
    for (const GresWant& want : job.gres) {
        if (!want.is_counted()) continue;
        std::vector<Picker> pickers;
        bool has_empty = false;  // of those nodes the devices stay missing
        for (ChosenNode& chosen : chosen_nodes) {
            has_empty = has_empty || chosen.is_empty;
            if (chosen.is_empty) continue;
            const auto at = chosen.view->find_gres(want.name);
            if (!at) return false;
            const bool is_shared = chosen.view->gres[*at].is_shared;
            if (job.has_whole_nodes() && fails_as_whole_node(job, want, chosen, *at)) return false;
            // Every device is the job's: take_whole_node.
            if (job.has_whole_nodes() && (!is_shared || job.shares_several_devices)) continue;
            Picker picker(chosen, *at, want, job);
            if (!is_shared) {
                pickers.push_back(std::move(picker));
                continue;
            }
            if (select.takes_least_loaded_device) picker.sort_by_load();
            if (!picker.take_parts(chosen.units_of(want))) return false;
        }
        if (!pickers.empty() && !take_devices(job, select.unit, want, pickers) && !has_empty)
            return false;
    }
    return true;
}

}  // namespace trestle::slurm::choice
