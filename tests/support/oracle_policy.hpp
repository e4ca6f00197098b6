// SPDX-License-Identifier: Apache-2.0
// The policies as their definitions say, one function each, and all over again for each question.
// They share nothing with the library but fit() and the values of the model.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "alloc/node/detail/fit_problem.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/cluster/place/place_options.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/rng.hpp"

namespace trestle {

/// A node that can take a part, what it would give, and how good that is.
struct PolicyChoice {
    Score score;
    NodePlacement placement;  ///< with its node
    bool is_spared = false;   ///< comes behind all that are not
};

/// What a node has left: thousandths of hardware threads, and of each device that counts.
struct OracleAmounts {
    std::int64_t cpus = 0;
    std::vector<std::int64_t> devices;

    [[nodiscard]] std::int64_t all_devices() const {
        return std::accumulate(devices.begin(), devices.end(), std::int64_t{0});
    }
};

/// A caller's policy, made from what a node has left before and afterwards.
using OracleFunction = std::function<Score(const OracleAmounts&, const OracleAmounts&)>;

class PolicyOracle {
  public:
    PolicyOracle(const Cluster& cluster, PlaceOptions options, OracleFunction function)
        : cluster_(cluster), options_(std::move(options)), function_(std::move(function)) {
        for (std::uint32_t i = 0; i < cluster.node_count(); ++i) {
            const NodeId id(i);
            if (cluster.class_of(id).state == NodeState::removed) continue;
            const OracleAmounts empty = idle(id);
            most_cpus_ = std::max(most_cpus_, empty.cpus);
            most_devices_ = std::max(most_devices_, empty.all_devices());
        }
        if (policy() == Policy::future_fit) look_into_future();
    }

    /// What the node gives, if it can take the demand.
    [[nodiscard]] std::optional<PolicyChoice> ask(NodeId id, const NodeDemand& demand,
                                                  const FitOptions& fit_options) const {
        const NodeShape& shape = cluster_.shape(id);
        const FreeState& free = cluster_.free(id);
        const detail::FitProblem problem(shape, demand, fit_options);
        auto given = detail::fit(problem, free);
        if (!given) return std::nullopt;
        PolicyChoice choice{score(id, *given), *given};
        if (std::isnan(choice.score.first) || std::isnan(choice.score.second)) return std::nullopt;
        const bool asks_part =
            demand.devices.size() == 1 && !demand.devices[0].request.shares.is_zero() &&
            demand.devices[0].request.shares_per == Per::device && given->devices.size() == 1;
        if (asks_part && is_random()) choice.placement = drawn(id, problem, *given);
        const bool takes_least = policy() == Policy::best_fit || policy() == Policy::dot_product ||
                                 policy() == Policy::packing || policy() == Policy::clustering;
        const bool takes_best = policy() == Policy::fgd || policy() == Policy::future_fit;
        if (asks_part && (takes_least || takes_best)) {
            std::optional<PolicyChoice> best;
            Count least;
            for (const DeviceId device : counted(shape)) {
                const auto here = on_device(id, problem, device);
                if (!here) continue;
                const Count left = free.shares[device.value()];
                const PolicyChoice one{score(id, *here), *here};
                if (best && (takes_least ? left >= least : one.score <= best->score)) continue;
                best = one;
                least = left;
            }
            if (best) choice = *std::move(best);
        }
        choice.placement.node = id;
        return choice;
    }

    /// The order in which `random` takes these nodes, which rise by id: those in equal states
    /// behind the first of them, then shuffled.
    [[nodiscard]] std::vector<NodeId> shuffled(const std::vector<NodeId>& rising) const {
        std::vector<std::vector<NodeId>> alike;
        for (const NodeId node : rising) {
            auto at = std::find_if(alike.begin(), alike.end(), [&](const auto& nodes) {
                return cluster_.state(nodes.front()) == cluster_.state(node);
            });
            if (at == alike.end()) at = alike.insert(at, std::vector<NodeId>());
            at->push_back(node);
        }
        std::vector<NodeId> nodes;
        for (const auto& some : alike) nodes.insert(nodes.end(), some.begin(), some.end());
        return shuffled_anew(std::move(nodes));
    }
    /// The same for candidates that the caller names.
    [[nodiscard]] std::vector<NodeId> shuffled_anew(std::vector<NodeId> nodes) const {
        Rng rng(decision_seed());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            std::swap(nodes[i], nodes[i + rng.below(nodes.size() - i)]);
        }
        return nodes;
    }
    [[nodiscard]] bool is_random() const { return policy() == Policy::random; }
    /// True when such a request comes to the node behind all others.
    [[nodiscard]] bool is_spared(NodeId id, const Request& request) const {
        if (!options_.spare_devices) return false;
        for (const DeviceRequest& one : request.devices) {
            const bool asks_some = one.count.max != Count(0);
            if (asks_some && one.name == options_.policy_options.device) return false;
        }
        for (const DeviceId device : counted(cluster_.shape(id))) {
            const Device& one = cluster_.shape(id).devices[device.value()];
            if (one.health != Health::failure && !one.is_drained) return true;
        }
        return false;
    }

  private:
    /// A function chooses no devices, as first_fit.
    [[nodiscard]] Policy policy() const {
        return function_ ? Policy::first_fit : options_.policy.name().value();
    }
    [[nodiscard]] std::uint64_t decision_seed() const {
        const std::vector<Allocation> all = cluster_.allocations();
        HashState state;
        state.add(options_.policy_options.seed);
        state.add(all.size());
        state.add(all.empty() ? 0 : all.back().owner.value());
        return state.result();
    }
    /// What the node would give if the other devices that count had nothing left.
    [[nodiscard]] Verdict<NodePlacement> on_device(NodeId id, const detail::FitProblem& problem,
                                                   DeviceId device) const {
        FreeState alone = cluster_.free(id);
        for (const DeviceId other : counted(cluster_.shape(id))) {
            if (other != device) alone.shares[other.value()] = Count();
        }
        return detail::fit(problem, alone);
    }
    /// What it gives of one of its devices, each that can as likely; `given` where none counts.
    [[nodiscard]] NodePlacement drawn(NodeId id, const detail::FitProblem& problem,
                                      const NodePlacement& given) const {
        std::vector<NodePlacement> able;
        for (const DeviceId device : counted(cluster_.shape(id))) {
            if (const auto here = on_device(id, problem, device)) able.push_back(*here);
        }
        HashState state;
        state.add(decision_seed());
        state.add(id.value());
        NodePlacement one = able.empty() ? given : able[Rng(state.result()).below(able.size())];
        one.node = id;
        return one;
    }
    [[nodiscard]] const std::vector<PolicyOptions::TypicalJob>& typical_jobs() const {
        return *options_.policy_options.typical_jobs;
    }
    [[nodiscard]] double frequency(const PolicyOptions::TypicalJob& job) const {
        double all = 0;
        for (const PolicyOptions::TypicalJob& one : typical_jobs())
            all += static_cast<double>(one.seen.value());
        return static_cast<double>(job.seen.value()) / all;
    }
    [[nodiscard]] std::vector<DeviceId> counted(const NodeShape& shape) const {
        std::vector<DeviceId> devices;
        for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
            const Device& device = shape.devices[i];
            if (device.name == options_.policy_options.device && device.is_consumed) {
                devices.emplace_back(i);
            }
        }
        return devices;
    }
    [[nodiscard]] static std::int64_t threads(const NodeShape& shape, const CoreSet& cores) {
        std::int64_t count = 0;
        for (const CoreId core : cores) {
            count += static_cast<std::int64_t>(shape.hardware.cores[core.value()].threads.size());
        }
        return count;
    }

    [[nodiscard]] OracleAmounts amounts(NodeId id, const FreeState& free) const {
        const NodeShape& shape = cluster_.shape(id);
        OracleAmounts result{1000 * threads(shape, free.cores) - free.held_milli_cpus.value(), {}};
        for (const DeviceId device : counted(shape)) {
            const Device& one = shape.devices[device.value()];
            std::int64_t held = 0;
            for (const FreeState::HeldSlice& slice : free.held_slices) {
                if (slice.device == device) held += slice.instance.size;
            }
            const std::int64_t slices = one.slicing ? one.slicing->geometry.memory_slices : 1;
            const std::int64_t shares = free.shares[device.value()].value();
            result.devices.push_back(held != 0 ? 1000 * (slices - held) / slices
                                               : 1000 * shares / one.shares.value());
        }
        return result;
    }
    [[nodiscard]] const OracleAmounts& idle(NodeId id) const {
        const auto known = idle_.find(&cluster_.shape(id));
        if (known != idle_.end()) return known->second;
        const FreeState free = NodeLedger(cluster_.shape(id)).free();
        return idle_.emplace(&cluster_.shape(id), amounts(id, free)).first->second;
    }
    [[nodiscard]] OracleAmounts without(NodeId id, OracleAmounts left,
                                        const NodePlacement& taken) const {
        const NodeShape& shape = cluster_.shape(id);
        left.cpus -= 1000 * threads(shape, taken.cores) + taken.milli_cpus.value();
        const std::vector<DeviceId> devices = counted(shape);
        for (std::size_t d = 0; d < devices.size(); ++d) {
            const Device& one = shape.devices[devices[d].value()];
            for (const DeviceShare& share : taken.devices) {
                if (share.device != devices[d]) continue;
                left.devices[d] -= share.slice
                                       ? 1000 * std::int64_t{share.slice->size} /
                                             std::int64_t{one.slicing->geometry.memory_slices}
                                       : 1000 * share.shares.value() / one.shares.value();
            }
        }
        return left;
    }

    [[nodiscard]] static double part(std::int64_t amount, std::int64_t whole) {
        return whole == 0 ? 0 : static_cast<double>(amount) / static_cast<double>(whole);
    }
    [[nodiscard]] double in_steps(double score) const {
        const std::uint32_t steps = options_.policy_options.score_steps;
        return steps == 0 ? score : std::trunc(steps * score);
    }
    /// 1 when nothing is left.
    [[nodiscard]] double fullness(const OracleAmounts& left) const {
        return 1.0 - 0.5 * part(left.cpus, most_cpus_) -
               0.5 * part(left.all_devices(), most_devices_);
    }

    [[nodiscard]] Score score(NodeId id, const NodePlacement& given) const {
        const OracleAmounts before = amounts(id, cluster_.free(id));
        const OracleAmounts after = without(id, before, given);
        if (function_) return function_(before, after);
        switch (policy()) {
            case Policy::first_fit:
            case Policy::random:
                return {};
            case Policy::best_fit:
                return {in_steps(fullness(after)), 0};
            case Policy::worst_fit:
                return {-fullness(after), 0};
            case Policy::least_loaded: {
                const OracleAmounts empty = idle(id);
                return {part(before.cpus, empty.cpus), 0};
            }
            case Policy::pack_nodes:
                return {cluster_.free(id).is_idle ? -1.0 : 0.0, -static_cast<double>(before.cpus)};
            case Policy::weight:
                return {-static_cast<double>(cluster_.class_of(id).weight), fullness(after)};
            case Policy::dot_product:
                return {in_steps(dot_product(before, after)), 0};
            case Policy::packing:
                return {packing(before, after), 0};
            case Policy::clustering:
                return {clustering(id, before, given), 0};
            case Policy::fgd:
                return {growth(fragments(id, before) - fragments(id, after)), 0};
            case Policy::future_fit:
                return {future(id, after) - future(id, before), 0};
        }
        return {};
    }

    [[nodiscard]] double dot_product(const OracleAmounts& before,
                                     const OracleAmounts& after) const {
        const double cpus =
            part(before.cpus, most_cpus_) * part(before.cpus - after.cpus, most_cpus_);
        const std::int64_t taken = before.all_devices() - after.all_devices();
        const double devices =
            part(before.all_devices(), most_devices_) * part(taken, most_devices_);
        return 1.0 - 0.5 * (cpus + devices);
    }

    [[nodiscard]] static double packing(const OracleAmounts& before, const OracleAmounts& after) {
        if (before.devices == after.devices) return 0;
        std::int64_t whole = 0;
        for (const std::int64_t left : before.devices) whole += left == 1000 ? 1 : 0;
        if (whole == static_cast<std::int64_t>(before.devices.size())) {
            return static_cast<double>(std::max(33 - whole, whole));
        }
        std::int64_t whole_taken = 0;
        std::int64_t hundredths = 0;
        for (std::size_t d = 0; d < before.devices.size(); ++d) {
            if (before.devices[d] == after.devices[d]) continue;
            whole_taken += before.devices[d] == 1000 ? 1 : 0;
            hundredths += before.devices[d] * 100 / 1000;
        }
        if (whole_taken > 0)
            return static_cast<double>(std::max<std::int64_t>(50 - whole_taken, 33));
        return static_cast<double>(std::max<std::int64_t>(100 - hundredths / 10, 50));
    }

    /// 0: no devices; -1: a part of one; else how many whole ones.
    [[nodiscard]] static std::int64_t kind(const NodeShape& shape, const NodePlacement& given) {
        for (const DeviceShare& share : given.devices) {
            const Device& device = shape.devices[share.device.value()];
            if (share.slice || share.shares != device.shares) return -1;
        }
        return static_cast<std::int64_t>(given.devices.size());
    }
    [[nodiscard]] double clustering(NodeId id, const OracleAmounts& before,
                                    const NodePlacement& given) const {
        const NodeShape& shape = cluster_.shape(id);
        const std::int64_t mine = kind(shape, given);
        if (mine == 0) return 0;
        std::set<std::int64_t> there;
        for (const OwnerId owner : cluster_.owners_on(id)) {
            for (const NodePlacement& one : cluster_.find_allocation(owner)->placement.nodes) {
                if (one.node == id && kind(shape, one) != 0) there.insert(kind(shape, one));
            }
        }
        const std::int64_t fullness =
            most_devices_ == 0 ? 0 : 25 * (most_devices_ - before.all_devices()) / most_devices_;
        if (there.empty()) return static_cast<double>(25 + fullness);
        if (there.count(mine) == 0) return static_cast<double>(fullness);
        return static_cast<double>((there.size() == 1 ? 75 : 50) + fullness);
    }

    [[nodiscard]] static bool may_use(const PolicyOptions::TypicalJob& job, const Device& device) {
        return job.types.empty() ||
               std::count(job.types.begin(), job.types.end(), device.type) != 0;
    }
    /// The devices of the node that have enough for the job, and what the others have left.
    struct Usable {
        bool has_type = false;
        std::int64_t devices = 0;
        std::int64_t left_elsewhere = 0;
    };
    [[nodiscard]] Usable usable(NodeId id, const PolicyOptions::TypicalJob& job,
                                const OracleAmounts& left) const {
        Usable result;
        const std::vector<DeviceId> devices = counted(cluster_.shape(id));
        for (std::size_t d = 0; d < devices.size(); ++d) {
            const bool may = may_use(job, cluster_.shape(id).devices[devices[d].value()]);
            const bool can = may && left.devices[d] >= job.thousandths.value();
            result.has_type = result.has_type || may;
            result.devices += can ? 1 : 0;
            result.left_elsewhere += can ? 0 : left.devices[d];
        }
        return result;
    }
    /// By the rule of the study, sums in the order that it gives.
    [[nodiscard]] double fragments(NodeId id, const OracleAmounts& left) const {
        double lacks_both = 0;
        double lacks_devices = 0;
        double lacks_cpus = 0;
        double cpu_job_ok = 0;
        double cpu_job_lacks = 0;
        double no_access = 0;
        const auto all = static_cast<double>(left.all_devices());
        for (const PolicyOptions::TypicalJob& job : typical_jobs()) {
            const bool has_cpus = left.cpus >= job.cpus.value();
            const Usable here = usable(id, job, left);
            const bool has_devices = here.devices >= job.devices.value();
            double* reason = &lacks_both;
            double amount = all;
            if (job.devices.is_zero()) {
                reason = has_cpus ? &cpu_job_ok : &cpu_job_lacks;
            } else if (!here.has_type) {
                reason = &no_access;
            } else if (has_devices && has_cpus) {
                reason = &lacks_devices;
                amount = static_cast<double>(here.left_elsewhere);
            } else if (has_devices) {
                reason = &lacks_cpus;
            } else if (has_cpus) {
                reason = &lacks_devices;
            }
            *reason += frequency(job) * amount;
        }
        return lacks_both + lacks_devices + lacks_cpus + cpu_job_ok + cpu_job_lacks + no_access;
    }
    [[nodiscard]] double growth(double less) const {
        const double odds = 1.0 + std::exp(-less / 1000.0);
        const std::uint32_t steps = options_.policy_options.score_steps;
        return steps == 0 ? 1.0 / odds : std::trunc(steps / odds);
    }

    [[nodiscard]] std::int64_t could_host(NodeId id, const PolicyOptions::TypicalJob& job,
                                          const OracleAmounts& left) const {
        if (job.devices.is_zero()) return 0;
        const std::int64_t jobs = usable(id, job, left).devices / job.devices.value();
        // Where jobs share cores more may be taken than there are.
        const std::int64_t cpus = std::max<std::int64_t>(0, left.cpus);
        return job.cpus.is_zero() ? jobs : std::min(jobs, cpus / job.cpus.value());
    }
    /// Thousandths of devices that the job takes.
    [[nodiscard]] static std::int64_t size_of(const PolicyOptions::TypicalJob& job) {
        return job.devices.value() * job.thousandths.value();
    }
    /// How scarce room for each job is, and what is expected to be filled of a device.
    void look_into_future() {
        const std::vector<PolicyOptions::TypicalJob>& jobs = typical_jobs();
        double all = 0;
        for (const PolicyOptions::TypicalJob& job : jobs) {
            double places = 0;
            for (std::uint32_t i = 0; i < cluster_.node_count(); ++i) {
                const NodeId id(i);
                if (cluster_.class_of(id).state == NodeState::removed) continue;
                places += static_cast<double>(could_host(id, job, idle(id)));
            }
            const double room = places * static_cast<double>(size_of(job));
            scarcity_.push_back(room == 0 ? 0 : static_cast<double>(job.seen.value()) / room);
            all += scarcity_.back();
        }
        for (double& one : scarcity_) one = all == 0 ? 0 : std::round(one / all * (1 << 20));

        double seen = 0;
        for (const PolicyOptions::TypicalJob& job : jobs) {
            if (size_of(job) != 0) seen += static_cast<double>(job.seen.value());
        }
        filled_.assign(1001, 0);
        for (std::int64_t left = 1; left <= 1000; ++left) {
            std::vector<std::pair<double, double>> takers;  // what is filled then, how often
            for (const PolicyOptions::TypicalJob& job : jobs) {
                const std::int64_t part = job.thousandths.value();
                if (job.devices != Count(1) || part == 0 || part == 1000 || part > left) continue;
                const double later = filled_[static_cast<std::size_t>(left - part)];
                takers.emplace_back(static_cast<double>(part) + later,
                                    static_cast<double>(job.seen.value()) / seen);
            }
            std::sort(takers.rbegin(), takers.rend());
            double& expected = filled_[static_cast<std::size_t>(left)];
            double sum = 0;
            double odds = 1.0 / 128;  // that the device is closed before
            for (const auto& [amount, frequency] : takers) {
                if (amount <= expected) break;
                sum += frequency * amount;
                odds += frequency;
                expected = sum / odds;
            }
        }
    }
    [[nodiscard]] double future(NodeId id, const OracleAmounts& left) const {
        double value = 0;  // a whole number
        for (std::size_t j = 0; j < typical_jobs().size(); ++j) {
            const std::int64_t jobs = could_host(id, typical_jobs()[j], left);
            const std::int64_t room = jobs * size_of(typical_jobs()[j]) + 3 * left.all_devices();
            if (jobs != 0) value += scarcity_[j] * static_cast<double>(room);
        }
        for (const std::int64_t one : left.devices) {
            value += std::round(8.0 * (1 << 20) * filled_[static_cast<std::size_t>(one)]);
        }
        return value;
    }

    const Cluster& cluster_;
    PlaceOptions options_;
    OracleFunction function_;
    mutable std::map<const NodeShape*, OracleAmounts> idle_;
    std::int64_t most_cpus_ = 0;
    std::int64_t most_devices_ = 0;
    std::vector<double> scarcity_;  ///< by typical job, whole numbers
    std::vector<double> filled_;    ///< by what is left of a device
};

namespace detail {

/// False when a required node is left that none of the other parts can have, or too many are.
[[nodiscard]] inline bool may_use(const std::set<NodeId>& required,
                                  const std::vector<std::vector<PolicyChoice>>& rows,
                                  const std::vector<NodeId>& used) {
    std::size_t missing = 0;
    for (const NodeId node : required) {
        if (std::count(used.begin(), used.end(), node) > 0) continue;
        ++missing;
        const auto first = rows.begin() + static_cast<std::ptrdiff_t>(used.size());
        const bool is_wanted = std::any_of(first, rows.end(), [&](const auto& row) {
            return std::any_of(row.begin(), row.end(),
                               [&](const PolicyChoice& one) { return one.placement.node == node; });
        });
        if (!is_wanted) return false;
    }
    return missing <= rows.size() - used.size();
}

}  // namespace detail

/// False when the parts behind those that have nodes cannot each have another one.
[[nodiscard]] inline bool oracle_may_go_on(const std::vector<std::vector<PolicyChoice>>& rows,
                                           const std::vector<NodeId>& used) {
    std::vector<std::pair<NodeId, std::size_t>> owner;
    for (std::size_t part = used.size(); part < rows.size(); ++part) {
        std::set<NodeId> seen(used.begin(), used.end());
        const auto serve = [&](const auto& self, std::size_t who) -> bool {
            for (const PolicyChoice& one : rows[who]) {
                const NodeId node = one.placement.node;
                if (!seen.insert(node).second) continue;
                const auto at = std::find_if(owner.begin(), owner.end(),
                                             [&](const auto& x) { return x.first == node; });
                if (at == owner.end()) {
                    owner.emplace_back(node, who);
                    return true;
                }
                const std::size_t before = at->second;
                if (!self(self, before)) continue;
                for (auto& x : owner) {
                    if (x.first == node) x.second = who;
                }
                return true;
            }
            return false;
        };
        if (!serve(serve, part)) return false;
    }
    return true;
}

}  // namespace trestle
