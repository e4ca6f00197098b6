// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/fit_problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alloc/node/device_match.hpp"
#include "alloc/node/free/free_sums.hpp"
#include "base/counted_text.hpp"
#include "model/core_groups.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/model/locality.hpp"

namespace trestle {

namespace detail {

FitProblem::FitProblem(const NodeShape& shape, const NodeDemand& demand, const FitOptions& options)
    : shape_(shape), demand_(demand), options_(options), threads_(shape.hardware) {
    packages_ = core_groups(shape, HardwareLevel::package);
    find_wanted();
    find_matches();
    if (!demand.common_attributes.empty()) common_ = CommonValues(shape, demand, matches_);
    find_zones();
    find_domains();
    find_cells();
    find_classes();
    is_plain_ = looks_plain();
    decided_by_totals_ = is_plain_ || looks_of_sums();
    if (decided_by_totals_) prepare_sums();
}

void FitProblem::find_wanted() {
    const CoreSet given = shape_.allocatable_cores();
    wanted_ = given;
    CoreSet other_kind;
    if (demand_.core_kind) wanted_ &= shape_.hardware.cores_of_kind(*demand_.core_kind);
    if (demand_.preferred_core_kind) {
        other_kind = wanted_ - shape_.hardware.cores_of_kind(*demand_.preferred_core_kind);
    }
    const std::int64_t used = demand_.threads_per_core.value();
    std::int64_t most = 1;
    bool is_first = true;
    for (const ThreadCounts::Kind& kind : threads_.kinds()) {  // rising
        if (!kind.cores.intersects(given)) continue;
        most = kind.threads;
        if (kind.threads < used) wanted_ -= kind.cores;
        const bool is_wanted = kind.cores.intersects(wanted_);
        if (is_first && (is_wanted || wanted_.is_empty())) cpus_per_core_ = kind.threads;
        is_first = is_first && !is_wanted;
    }
    has_threads_ = used <= most;
    wants_some_ = wanted_ != given;
    if (used > 0) cpus_per_core_ = used;
    find_task_places();
    const bool are_alike = used > 0 || threads_.kinds().size() < 2;
    const bool may_differ = !are_alike || !other_kind.is_empty() || !task_groups_.empty();
    if (may_differ) find_classes_of_cores(other_kind);
}

void FitProblem::find_task_places() {
    if (is_dealt()) {
        deal_parts_ = groups_to_deal(shape_, demand_.distribution_level, demand_.distribution);
    }
    deals_cores_ = is_dealt() && demand_.distribution == Distribution::fcyclic &&
                   demand_.tasks_per_socket.is_zero();
    if (!demand_.task_level || fit_into_cores()) return;
    std::vector<CoreSet> groups = groups_in_packages(shape_, *demand_.task_level);
    if (groups.size() < 2) return;
    // A task that is kept in a part is dealt to it whole.
    if (deals_cores_ && lie_inside(groups, deal_parts_)) deals_cores_ = false;
    if (is_dealt() && !deals_cores_ && lie_inside(deal_parts_, groups)) return;
    task_groups_ = std::move(groups);
}

bool FitProblem::fit_into_cores() const {
    const bool are_whole = (is_dealt() && !deals_cores_) || !demand_.tasks_per_core.is_zero();
    const std::int64_t asked = demand_.cpus_per_task.value();
    if (asked == 0) return true;
    return std::all_of(threads_.kinds().begin(), threads_.kinds().end(), [&](const auto& kind) {
        if (!kind.cores.intersects(wanted_)) return true;
        const std::int64_t used = demand_.threads_per_core.value();
        const std::int64_t cpus = used > 0 ? used : kind.threads;
        return cpus >= asked && (are_whole || cpus % asked == 0);
    });
}

void FitProblem::find_classes_of_cores(const CoreSet& other_kind) {
    const std::int64_t used = demand_.threads_per_core.value();
    for (const ThreadCounts::Kind& kind : threads_.kinds()) {
        for (const bool is_other : {false, true}) {
            const CoreSet here = kind.cores & wanted_;
            CoreSet cores = is_other ? here & other_kind : here - other_kind;
            if (cores.is_empty()) continue;
            const std::int64_t cpus = used > 0 ? used : kind.threads;
            const auto at = std::find_if(
                classes_.begin(), classes_.end(),
                [&](const CoreClass& one) { return one.cpus == cpus && one.is_other == is_other; });
            if (at == classes_.end()) {
                classes_.push_back({cpus, is_other, 0, 0, std::move(cores)});
            } else {
                at->cores |= cores;
            }
        }
    }
    if (classes_.size() < 2 && task_groups_.empty()) return classes_.clear();
    if (is_dealt() || !task_groups_.empty()) cut_classes();
}

void FitProblem::cut_classes() {
    const std::vector<CoreSet> all{shape_.hardware.all_cores()};
    const std::vector<CoreSet>& parts = is_dealt() ? deal_parts_ : all;
    const std::vector<CoreSet>& groups = task_groups_.empty() ? all : task_groups_;
    const std::vector<CoreClass> classes = std::exchange(classes_, {});
    for (std::uint32_t part = 0; part < parts.size(); ++part) {
        for (std::uint32_t group = 0; group < groups.size(); ++group) {
            for (const CoreClass& one : classes) {
                CoreSet cores = one.cores & parts[part] & groups[group];
                if (cores.is_empty()) continue;
                classes_.push_back({one.cpus, one.is_other, part, group, std::move(cores)});
            }
        }
    }
    if (!deals_cores_) return;
    std::stable_sort(classes_.begin(), classes_.end(), [](const CoreClass& a, const CoreClass& b) {
        return a.task_group < b.task_group;  // the cores that tasks lie on side by side
    });
}

std::int64_t FitProblem::cpus_of(const CoreSet& cores) const {
    if (!is_mixed()) return wanted_.count_and(cores) * cpus_per_core_;
    std::int64_t sum = 0;
    for (const CoreClass& one : classes_) sum += one.cpus * one.cores.count_and(cores);
    return sum;
}

std::int64_t FitProblem::all_cpus_of(const CoreSet& cores) const {
    const std::int64_t used = demand_.threads_per_core.value();
    std::int64_t sum = 0;
    for (const ThreadCounts::Kind& kind : threads_.kinds()) {
        const std::int64_t each =
            used > 0 ? std::min<std::int64_t>(used, kind.threads) : kind.threads;
        sum += each * kind.cores.count_and(cores);
    }
    return sum;
}

std::string FitProblem::cores_text(std::string_view cores, std::int64_t count) const {
    std::string text(cores);
    if (demand_.core_kind) text += fmt::format(" of kind {}", *demand_.core_kind);
    if (!demand_.cpus_per_device.is_zero() && count > cores_least()) {
        return text +
               fmt::format(" ({} a device)", counted_text(demand_.cpus_per_device.value(), "CPU"));
    }
    if (demand_.tasks <= Count(1)) return text;
    text += fmt::format(" ({} tasks", demand_.tasks);
    if (demand_.cpus_per_task > Count(1)) text += fmt::format(" of {} CPUs", demand_.cpus_per_task);
    if (!demand_.tasks_per_core.is_zero())
        text += fmt::format(", {} a core", demand_.tasks_per_core);
    return text + ")";
}

std::int64_t FitProblem::fewest_cores(Count cpus) const {
    std::vector<const CoreClass*> order;
    for (const CoreClass& one : classes_) order.push_back(&one);
    std::sort(order.begin(), order.end(),
              [](const CoreClass* a, const CoreClass* b) { return a->cpus > b->cpus; });
    std::int64_t cores = 0;
    std::int64_t missing = cpus.value();
    for (const CoreClass* one : order) {
        const std::int64_t enough = missing / one->cpus + (missing % one->cpus != 0 ? 1 : 0);
        const std::int64_t taken = std::min<std::int64_t>(enough, one->cores.count());
        cores += taken;
        missing = std::max<std::int64_t>(0, missing - taken * one->cpus);
    }
    return missing > 0 ? cores + 1 : cores;
}

std::int64_t FitProblem::cpus_asked(std::int64_t cores) const {
    if (!is_mixed())
        return checked_mul(Count(cores), cpus_per_core_).value_or(Count::max()).value();
    const auto for_devices = checked_mul(demand_.cpus_per_device, coupled_least());
    return std::max(demand_.cpus(), for_devices.value_or(Count::max())).value();
}

std::uint32_t FitProblem::package_of(DeviceId device) const {
    const auto core = shape_.devices[device.value()].cores.first();
    if (!core) return packages_.size() == 1 ? 0 : nowhere;
    for (std::uint32_t i = 0; i < packages_.size(); ++i) {
        if (packages_[i].contains(*core)) return i;
    }
    return nowhere;
}

CoreSet FitProblem::without_system_cores(const CoreSet& cores) const {
    const auto left = saturating_sub(Count(cores.count()), demand_.system_cores);
    return cores.first_k(static_cast<std::uint32_t>(left.value()));
}

CoreSet FitProblem::in_able_packages(const CoreSet& cores) const {
    CoreSet able = cores;
    for (const CoreSet& package : packages_) {
        if (package.count_and(cores) < demand_.cores_per_socket.value()) able -= package;
    }
    return able;
}

DomainSet FitProblem::domains_near(const CoreSet& cores) const {
    DomainSet domains;
    for (std::uint32_t i = 0; i < near_domain_.size(); ++i) {
        if (near_domain_[i].intersects(cores)) domains.insert(DomainId(i));
    }
    return domains;
}

Constraint FitProblem::refusal_of_devices(std::size_t i) const {
    const NodeDemand::Device& demand = demand_.devices[i];
    std::int64_t named = 0;
    std::int64_t matching = 0;
    for (const Device& device : shape_.devices) {
        if (device.name != demand.request.name) continue;
        ++named;
        if (!mismatch(device, demand.request)) ++matching;
    }
    const bool lacks_kind = matching < demand.count.least().value() && matching < named;
    return lacks_kind ? Constraint::device_attributes : Constraint::devices;
}

bool FitProblem::is_dealt() const {
    return demand_.exclusivity != Exclusivity::whole_node &&
           (demand_.distribution != Distribution::block || !demand_.tasks_per_socket.is_zero());
}

bool FitProblem::has_reserved_cores() const {
    return std::any_of(shape_.devices.begin(), shape_.devices.end(),
                       [](const Device& device) { return !device.reserved_cores.is_empty(); });
}

std::int64_t FitProblem::cores_least() const {
    const bool deals_tasks = is_dealt() && !deals_cores_;
    return deals_tasks ? whole_cores_for(demand_.tasks.value()) : cores_for_tasks();
}

std::int64_t FitProblem::coupled_least() const {
    Count sum;
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
        if (!counts_for_coupling(i)) continue;
        sum = checked_add(sum, demand_.devices[i].count.least()).value_or(Count::max());
    }
    return sum.value();
}

std::int64_t FitProblem::cores_with_devices() const {
    const auto cpus = checked_mul(demand_.cpus_per_device, coupled_least());
    return std::max(cores_least(), cores_for_cpus(cpus.value_or(Count::max())));
}

std::int64_t FitProblem::cores_for_tasks() const {
    if (demand_.tasks_per_core.is_zero()) return cores_for_cpus(demand_.cpus());
    return whole_cores_for(demand_.tasks.value());
}

std::int64_t FitProblem::whole_cores_for(std::int64_t tasks) const {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    if (is_mixed()) {
        if (tasks == 0 || !asks_task_cores()) return 0;
        const auto all = checked_mul(demand_.cpus_per_task, tasks).value_or(Count::max());
        return std::max<std::int64_t>(1, fewest_cores(all));
    }
    const std::int64_t cpus = demand_.cpus_per_task.value();
    const std::int64_t by_cpus = cpus == 0 ? most : cpus_per_core_ / cpus;
    const std::int64_t by_tasks =
        demand_.tasks_per_core.is_zero() ? most : demand_.tasks_per_core.value();
    const std::int64_t each = std::min(by_cpus, by_tasks);
    if (each == most) return 0;
    if (each >= 1) return tasks / each + (tasks % each != 0 ? 1 : 0);
    return checked_mul(Count(cores_for_cpus(demand_.cpus_per_task)), tasks)
        .value_or(Count::max())
        .value();
}

bool FitProblem::is_match(DeviceId id, const NodeDemand::Device& demand) const {
    const Device& device = shape_.devices[id.value()];
    const DeviceRequest& request = demand.request;
    if (!is_usable(device) || mismatch(device, request)) return false;
    const bool is_warned = device.health == Health::warning;
    if (is_warned && options_.warning == FitOptions::WarningUse::never) return false;
    if (!demand.sockets.is_zero() && package_of(id) == nowhere) return false;
    if (!request.slice.empty()) {
        return device.slicing && device.slicing->geometry.find(request.slice) != nullptr;
    }
    return !device.slicing || !device.slicing->is_fixed || device.slicing->instances.empty();
}

void FitProblem::find_matches() {
    matches_.resize(demand_.devices.size());
    for (std::size_t i = 0; i < matches_.size(); ++i) {
        for (std::uint32_t d = 0; d < shape_.devices.size(); ++d) {
            if (is_match(DeviceId(d), demand_.devices[i])) matches_[i].emplace_back(d);
        }
    }
}

void FitProblem::find_zones() {
    zone_of_.resize(demand_.devices.size());
    for (std::size_t i = 0; i < zone_of_.size(); ++i) {
        zone_of_[i].assign(shape_.devices.size(), nowhere);
        const DeviceRequest& request = demand_.devices[i].request;
        if (request.locality == Strictness::ignore) continue;
        std::vector<CoreSet> groups;
        if (request.locality_level) groups = core_groups(shape_, *request.locality_level);
        for (const DeviceId id : matches_[i]) {
            const CoreSet& cores = shape_.devices[id.value()].cores;
            if (cores.is_empty()) continue;
            const CoreSet near = widen(groups, cores);
            const auto at = std::find(zones_.begin(), zones_.end(), near);
            zone_of_[i][id.value()] = static_cast<std::uint32_t>(at - zones_.begin());
            if (at == zones_.end()) zones_.push_back(near);
        }
    }
    const bool brings_cpus =
        !demand_.cpus_per_device.is_zero() ||
        std::any_of(demand_.devices.begin(), demand_.devices.end(),
                    [](const NodeDemand::Device& one) { return one.request.per == Per::task; });
    if (brings_cpus) join_zones();
}

void FitProblem::join_zones() {
    bool is_any_joined = false;
    for (std::size_t a = 0; a < zones_.size() && !has_too_many_zones(); ++a) {
        for (std::size_t b = 0; b < a && !has_too_many_zones(); ++b) {
            if (!zones_[a].intersects(zones_[b])) continue;
            is_any_joined = true;
            const CoreSet both = zones_[a] | zones_[b];
            const bool is_known = std::find(zones_.begin(), zones_.end(), both) != zones_.end();
            if (!is_known) zones_.push_back(both);
        }
    }
    if (!is_any_joined || has_too_many_zones()) return;
    for (const CoreSet& zone : zones_) {
        SmallSet<>& inside = zones_inside_.emplace_back();
        for (std::uint32_t z = 0; z < zones_.size(); ++z) {
            if (zone.contains_all(zones_[z])) inside.insert(z);
        }
    }
}

void FitProblem::find_domains() {
    for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
        if (shape_.memory[i].is_ordinary()) ordinary_domains_.emplace_back(i);
    }
    std::stable_sort(ordinary_domains_.begin(), ordinary_domains_.end(),
                     [&](DomainId a, DomainId b) {
                         return shape_.memory[a.value()].kind < shape_.memory[b.value()].kind;
                     });
}

bool FitProblem::looks_plain() const {
    const bool asks_cores = !demand_.cpus_per_task.is_zero() || !demand_.tasks_per_core.is_zero() ||
                            !demand_.cpus_per_device.is_zero() ||
                            demand_.exclusivity == Exclusivity::whole_node;
    const bool asks_packages = !demand_.sockets_per_node.is_zero() || !has_threads_;
    if (asks_cores || asks_packages || options_.rows > 1) return false;
    if (!common_.rules().empty()) return false;
    if (demand_.memory_per != Per::node || demand_.devices.size() > 1) return false;
    return std::all_of(demand_.devices.begin(), demand_.devices.end(),
                       [&](const NodeDemand::Device& one) {
                           const bool is_sum = one.request.shares_per == Per::node;
                           return !has_links() && !is_sum && one.request.slice.empty() &&
                                  one.request.total_memory.is_open() && one.sockets.is_zero();
                       });
}

bool FitProblem::looks_of_sums() const {
    if (is_mixed() || wants_some_cores() || !common_.rules().empty()) return false;
    const bool is_whole = demand_.exclusivity == Exclusivity::whole_node;
    const bool asks_packages =
        !demand_.sockets_per_node.is_zero() || !demand_.cores_per_socket.is_zero() || is_dealt();
    const bool asks_nearness = demand_.core_locality == Strictness::require ||
                               demand_.memory_locality == Strictness::require;
    const bool is_coupled = !demand_.cpus_per_device.is_zero() || demand_.memory_per == Per::device;
    if (is_whole || !has_threads_ || asks_packages || asks_nearness || is_coupled) return false;
    if (options_.rows > 1 || has_reserved_cores() || !demand_.milli_cpus.is_zero()) return false;
    if (demand_.devices.size() > 1 || !has_time()) return false;
    return std::all_of(
        demand_.devices.begin(), demand_.devices.end(), [](const NodeDemand::Device& one) {
            const DeviceRequest& request = one.request;
            const bool has_count = !one.count.max || *one.count.max >= one.count.least();
            return has_count && request.shares_per != Per::node && request.slice.empty() &&
                   request.total_memory.is_open() && request.locality != Strictness::require &&
                   one.sockets.is_zero();
        });
}

bool FitProblem::has_time() const {
    double picks = 1;
    std::map<std::uint32_t, double> alike;  // untouched devices, by class; parts may all differ
    for (const auto& matches : matches_) {
        const bool takes_parts = !demand_.devices.front().request.shares.is_zero();
        for (const DeviceId id : matches) ++alike[takes_parts ? id.value() : class_of(id)];
    }
    for (const auto& [klass, count] : alike) picks *= count + 1;
    std::set<DomainSet> domains;
    for (const CoreCell& cell : cells_) domains.insert(cell.domains);
    const bool is_split = zones_.size() > 1;  // takes twice the steps, and tries splits of others
    if (is_split && !zones_are_nested()) return false;
    const std::size_t brings = groups_share_memory_ && !is_split ? domains.size() : cells_.size();
    const double ways = std::exp2(static_cast<double>(brings)) * (is_split ? 4 : 2);
    const double steps = 1 + picks * (3 + ways);
    return steps < static_cast<double>(options_.steps_max);
}

bool FitProblem::zones_are_nested() const {
    for (std::size_t a = 0; a < zones_.size(); ++a) {
        for (std::size_t b = a + 1; b < zones_.size(); ++b) {
            if (!zones_[a].intersects(zones_[b])) continue;
            if (!zones_[a].contains_all(zones_[b]) && !zones_[b].contains_all(zones_[a])) {
                return false;
            }
        }
    }
    return true;
}

void FitProblem::prepare_sums() {
    plain_milli_cpus_ = demand_.all_milli_cpus();
    sum_memory_ = demand_.memory;
    if (!is_plain_) {
        sum_cores_ = cores_for_tasks();
        const auto cpus = checked_mul(Count(sum_cores_), cpus_per_core_);
        if (demand_.memory_per == Per::cpu) {
            sum_memory_ = cpus ? checked_mul(demand_.memory, cpus->value()).value_or(Bytes::max())
                               : Bytes::max();
        }
    }
    if (demand_.devices.empty()) return;
    const Count asked = demand_.devices.front().request.shares;
    for (const DeviceId id : matches_.front()) {
        const Device& device = shape_.devices[id.value()];
        const Count shares = asked.is_zero() ? device.shares : asked;
        const bool is_last =
            options_.warning == FitOptions::WarningUse::last && device.health == Health::warning;
        plain_devices_.push_back({id, shares, device.shares, shares < device.shares, is_last});
        if (shares < device.shares || id.value() >= masked_devices) {
            whole_devices_.reset();
        } else if (whole_devices_ && shares == device.shares) {  // not more than it ever has
            *whole_devices_ |= std::uint64_t{1} << id.value();
        }
    }
    plain_refusal_ = refusal_of_devices(0);
}

void FitProblem::find_cells() {
    near_domain_.resize(shape_.memory.size());
    if (shape_.hardware.cores.empty()) return;
    std::vector<CoreSet> level;
    if (demand_.memory_level) level = core_groups(shape_, *demand_.memory_level);
    std::vector<CoreSet> parts{shape_.allocatable_cores()};
    for (std::size_t i = 0; i < near_domain_.size(); ++i) {
        if (!shape_.memory[i].is_ordinary()) continue;
        near_domain_[i] = widen(level, shape_.memory[i].cores);
        refine(parts, near_domain_[i]);
    }
    for (const CoreSet& zone : zones_) refine(parts, zone);
    for (const Device& device : shape_.devices) refine(parts, device.reserved_cores);
    std::vector<CoreSet> groups;
    if (demand_.core_locality != Strictness::ignore) {
        groups = core_groups(shape_, demand_.core_level);
        has_core_groups_ = groups.size() == shape_.hardware.cores.size();
        has_groups_ = !has_core_groups_;
    }
    if (!has_groups_) groups.clear();
    group_count_ = static_cast<std::uint32_t>(groups.size());
    for (const CoreSet& group : groups) refine(parts, group);
    if (is_dealt()) {
        for (const CoreSet& part : deal_parts_) refine(parts, part);
    }
    std::vector<CoreSet> classes;
    for (const CoreClass& one : classes_) {
        refine(parts, one.cores);
        classes.push_back(one.cores);
    }
    std::sort(parts.begin(), parts.end());
    for (CoreSet& part : parts) {
        if (part.is_empty()) continue;
        CoreCell cell;
        cell.domains = domains_near(part);
        cell.group = index_of(groups, part);
        if (is_dealt()) cell.part = index_of(deal_parts_, part);
        if (is_mixed()) cell.part = index_of(classes, part);
        for (std::uint32_t i = 0; i < zones_.size(); ++i) {
            if (zones_[i].intersects(part)) cell.zones.insert(i);
        }
        for (std::uint32_t i = 0; i < shape_.devices.size(); ++i) {
            if (shape_.devices[i].reserved_cores.intersects(part)) {
                cell.reserved_by.insert(DeviceId(i));
            }
        }
        cell.cores = std::move(part);
        cells_.push_back(std::move(cell));
    }
    for (const CoreCell& a : cells_) {
        for (const CoreCell& b : cells_) {
            if (a.group != b.group) continue;
            if (a.domains != b.domains) groups_share_memory_ = false;
        }
    }
}

std::uint32_t FitProblem::index_of(const std::vector<CoreSet>& sets, const CoreSet& part) {
    for (std::uint32_t i = 0; i < sets.size(); ++i) {
        if (sets[i].intersects(part)) return i;
    }
    return 0;
}

void FitProblem::find_classes() {
    const std::size_t count = shape_.devices.size();
    if (has_links()) {
        links_.assign(count * count, 0);
        for (const DeviceLink& link : shape_.links) {
            links_[link.a.value() * count + link.b.value()] = link.strength;
            links_[link.b.value() * count + link.a.value()] = link.strength;
        }
    }
    class_of_.resize(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        class_of_[i] = i;
        for (std::uint32_t j = 0; j < i; ++j) {
            if (class_of_[j] != j || !are_twins(j, i)) continue;
            class_of_[i] = j;
            break;
        }
    }
}

bool FitProblem::are_twins(std::uint32_t i, std::uint32_t j) const {
    const Device& a = shape_.devices[i];
    const Device& b = shape_.devices[j];
    const bool is_same =
        a.cores == b.cores && a.name == b.name && a.memory == b.memory &&
        a.reserved_cores == b.reserved_cores && a.switches == b.switches && a.shares == b.shares &&
        a.slicing == b.slicing && a.is_consumed == b.is_consumed && a.health == b.health &&
        a.is_drained == b.is_drained &&
        std::all_of(matches_.begin(), matches_.end(), [&](const auto& devices) {
            const auto matches = [&](std::uint32_t device) {
                return std::binary_search(devices.begin(), devices.end(), DeviceId(device));
            };
            return matches(i) == matches(j);
        });
    if (!is_same || !has_links()) return is_same;
    for (std::uint32_t k = 0; k < shape_.devices.size(); ++k) {
        if (k == i || k == j) continue;
        if (link(DeviceId(i), DeviceId(k)) != link(DeviceId(j), DeviceId(k))) return false;
    }
    return true;
}

}  // namespace detail

}  // namespace trestle
