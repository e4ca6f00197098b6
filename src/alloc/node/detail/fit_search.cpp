// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/fit_search.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/counted_text.hpp"
#include "model/core_groups.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace detail {

FitSearch::FitSearch(const FitProblem& problem, const FreeState& state, StepBudget& budget)
    : problem_(problem),
      state_(state),
      shape_(problem.shape()),
      demand_(problem.demand()),
      devices_(problem, state, problem.matches()),
      budget_(budget) {
    ways_.reserve(problem.common().ways().size());
    for (const DeviceMatches& way : problem.common().ways()) {
        ways_.emplace_back(problem, state, way);
    }
}

Verdict<NodePlacement> FitSearch::run(std::optional<std::uint32_t> row) {
    row_ = row;
    free_ = row ? state_.cores_in(*row) : state_.cores;
    limit_threads();
    if (problem_.common().has_too_many()) {
        return Refusal{Constraint::gave_up,
                       fmt::format("more than {} combinations of values that devices may have in "
                                   "common",
                                   CommonValues::ways_max)};
    }
    if (problem_.has_too_many_zones()) {
        return Refusal{Constraint::gave_up,
                       fmt::format("more than {} sets of cores near to devices that overlap",
                                   FitProblem::zones_max)};
    }
    usable_ = usable_cores();
    if (auto refusal = refuse_early()) return *std::move(refusal);
    chooser_.emplace(problem_, state_, usable_);
    std::vector<std::uint32_t> counts;
    if (try_counts(counts)) return placement();
    if (budget_.left == 0) {
        return Refusal{Constraint::gave_up,
                       fmt::format("no answer after {} steps", problem_.options().steps_max)};
    }
    if (!has_picked_) return refuse_picks();
    if (shortage_ && !has_enough_) return *shortage_;
    return refuse_nearness();
}

FitSearch::CountRange FitSearch::count_range(std::size_t i) const {
    const NodeDemand::Device& one = demand_.devices[i];
    return {one.count.least().value(),
            std::min(one.count.max.value_or(Count::max()).value(), available(i))};
}

std::int64_t FitSearch::available(std::size_t i) const {
    if (ways_.empty()) return devices_.available(i);
    std::int64_t most = 0;
    for (const DeviceSearch& way : ways_) most = std::max(most, way.available(i));
    return most;
}

void FitSearch::limit_threads() {
    if (state_.held_milli_cpus.is_zero() && demand_.milli_cpus.is_zero()) return;
    if (is_whole_node()) return;
    const MilliCpu left = saturating_sub(free_milli_cpus(), demand_.all_milli_cpus());
    threads_max_ = div_floor(left, cpus(1).value()).value();
}

std::optional<Refusal> FitSearch::refuse_early() {
    if (is_whole_node() && !state_.is_idle) {
        return Refusal{Constraint::cores, "the whole node is asked, others use it"};
    }
    if (!problem_.has_threads()) {
        std::int64_t most = 1;
        for (const ThreadCounts::Kind& kind : problem_.threads().kinds()) {
            if (kind.cores.intersects(shape_.allocatable_cores())) most = kind.threads;
        }
        return Refusal{Constraint::cores, fmt::format("asked {} threads of each core, they have {}",
                                                      demand_.threads_per_core, most)};
    }
    if (auto refusal = refuse_devices_early()) return refusal;
    const std::int64_t cores = problem_.cores_least();
    if (lacks_cores(cores, free_)) {
        CoreSet open;
        const bool takes_any = !problem_.wants_some_cores() && usable_ == free_;
        auto kept = takes_any ? refuse_reserved(cores, open) : std::nullopt;
        return kept ? kept : refuse_cores(cores, free_);
    }
    if (auto refusal = refuse_milli_cpus(cores, problem_.cpus_asked(cores), free_)) return refusal;
    if (auto refusal = refuse_sockets()) return refusal;
    if (demand_.memory_per == Per::node && demand_.memory > free_memory()) {
        return refuse_memory(demand_.memory);
    }
    return std::nullopt;
}

bool FitSearch::has_too_few_devices(const DeviceSearch& devices,
                                    const std::vector<std::uint32_t>& counts) const {
    if (demand_.devices.size() < 2) return false;
    struct Need {
        DeviceSet devices;
        std::int64_t count = 0;
    };
    std::vector<Need> needs{Need{}};  // of each subset of the demands
    for (std::size_t i = 0; i < std::min<std::size_t>(demand_.devices.size(), 10); ++i) {
        if (!demand_.devices[i].request.slice.empty()) continue;
        DeviceSet mine;
        for (const DeviceId device : devices.candidates(i)) mine.insert(device);
        const std::size_t subsets = needs.size();
        for (std::size_t n = 0; n < subsets; ++n) {
            Need with{needs[n].devices | mine, needs[n].count + counts[i]};
            if (with.count > with.devices.count()) return true;
            needs.push_back(std::move(with));
        }
    }
    return false;
}

std::optional<Refusal> FitSearch::refuse_sockets() const {
    const std::int64_t least = std::max<std::int64_t>(1, demand_.cores_per_socket.value());
    std::int64_t most = 0;
    for (const CoreSet& package : problem_.packages()) {
        most = std::max<std::int64_t>(most, package.count_and(free_));
    }
    if (demand_.sockets_per_node.is_zero()) {
        if (least <= most || problem_.cores_least() == 0 || is_whole_node()) return std::nullopt;
        return Refusal{Constraint::cores,
                       fmt::format("asked sockets with {} free cores, the most free on one of {} "
                                   "is {}",
                                   least, problem_.packages().size(), most)};
    }
    const auto able = std::count_if(problem_.packages().begin(), problem_.packages().end(),
                                    [&](const CoreSet& p) { return p.count_and(free_) >= least; });
    if (able >= demand_.sockets_per_node.value()) return std::nullopt;
    return Refusal{
        Constraint::cores,
        fmt::format("asked {} sockets with {} free cores, {} of {} have them; the "
                    "most free on one is {}",
                    demand_.sockets_per_node, least, able, problem_.packages().size(), most)};
}

CoreSet FitSearch::usable_cores() const {
    if (is_whole_node()) return problem_.without_system_cores(free_);
    CoreSet usable = problem_.in_able_packages(free_);
    if (problem_.wants_some_cores()) usable &= problem_.wanted_cores();
    return usable;
}

Bytes FitSearch::free_memory() const {
    Bytes sum;
    for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
        if (shape_.memory[i].is_ordinary()) sum += state_.memory[i];
    }
    return sum;
}

bool FitSearch::lacks_cores(std::int64_t asked, const CoreSet& free) const {
    if (problem_.is_mixed()) return problem_.cpus_asked(asked) > problem_.cpus_of(free);
    return asked >
           (problem_.wants_some_cores() ? free.count_and(problem_.wanted_cores()) : free.count());
}

Refusal FitSearch::refuse_cores(std::int64_t asked, const CoreSet& free) const {
    const CoreSet& wanted = problem_.wanted_cores();
    if (problem_.is_mixed()) {
        return {Constraint::cores,
                fmt::format(
                    "asked {}, {} of {} are free",
                    problem_.cores_text(fmt::format("{} CPUs", problem_.cpus_asked(asked)), asked),
                    problem_.cpus_of(free), problem_.cpus_of(wanted))};
    }
    const bool is_some = problem_.wants_some_cores();
    if (is_some && wanted.is_empty()) {
        return {Constraint::cores,
                fmt::format("asked {}, the node has none",
                            problem_.cores_text(counted_text(asked, "core"), asked))};
    }
    // Without the cores of sockets that have too few.
    const bool is_of_sockets = !demand_.cores_per_socket.is_zero() && free != free_;
    return {Constraint::cores,
            fmt::format("asked {}, {} of {} are free{}{}",
                        problem_.cores_text(counted_text(asked, "core"), asked),
                        is_some ? free.count_and(wanted) : free.count(),
                        is_some ? wanted.count() : shape_.hardware.core_count(),
                        is_of_sockets ? fmt::format(" on sockets with {} free cores",
                                                    demand_.cores_per_socket)
                                      : std::string(),
                        demand_.system_cores.is_zero()
                            ? std::string()
                            : fmt::format(" beside {} for the system", demand_.system_cores))};
}

std::optional<Refusal> FitSearch::refuse_milli_cpus(std::int64_t asked, std::int64_t asked_cpus,
                                                    const CoreSet& cores) const {
    const MilliCpu milli = demand_.all_milli_cpus();
    if (is_whole_node()) {
        const MilliCpu all = cpus(problem_.threads().of(cores));
        if (milli <= saturating_sub(all, cpus(asked_cpus))) {
            return std::nullopt;
        }
        return Refusal{Constraint::cores,
                       fmt::format("asked {} thousandths of CPUs beside {} cores, all {} "
                                   "cores of the node have {}",
                                   milli, asked, cores.count(), all)};
    }
    if (!threads_max_) return std::nullopt;
    if (problem_.is_mixed()) asked = 0;  // what is taken follows from the mix
    const std::int64_t threads = threads_least(asked, cores);
    if (milli <= free_milli_cpus() && threads <= *threads_max_) return std::nullopt;
    if (milli.is_zero()) {
        return Refusal{
            Constraint::cores,
            fmt::format("asked {} with {} thousandths of CPUs, {} are free beside what others have "
                        "in thousandths",
                        counted_text(asked, "core"), cpus(threads), free_milli_cpus())};
    }
    std::string text = fmt::format("{} thousandths of CPUs", milli);
    if (demand_.tasks > Count(1)) {
        text += fmt::format(" ({} tasks of {})", demand_.tasks, demand_.milli_cpus);
    }
    if (threads > 0) text += fmt::format(" and {} cores with {} more", asked, cpus(threads));
    return Refusal{Constraint::cores,
                   fmt::format("asked {}, {} are free", text, free_milli_cpus())};
}

std::int64_t FitSearch::threads_least(std::int64_t count, const CoreSet& cores) const {
    std::int64_t missing = count - (cores - state_.cores).count();
    std::int64_t sum = 0;
    for (const ThreadCounts::Kind& kind : problem_.threads().kinds()) {
        const std::int64_t here = (kind.cores & state_.cores).count_and(cores);
        sum += kind.threads * std::clamp<std::int64_t>(missing, 0, here);
        missing -= here;
    }
    return sum;
}

Refusal FitSearch::refuse_memory(Bytes asked) const {
    std::string text = fmt::format("{} of memory", asked);
    if (demand_.memory != asked) {
        text += fmt::format(" ({} a {})", demand_.memory,
                            demand_.memory_per == Per::cpu ? "CPU" : "device");
    }
    return {Constraint::memory, fmt::format("asked {}, {} of {} are free", text, free_memory(),
                                            shape_.ordinary_memory())};
}

bool FitSearch::try_counts(std::vector<std::uint32_t>& counts) {
    const std::size_t i = counts.size();
    if (i == demand_.devices.size()) return search(counts);
    const CountRange range = count_range(i);
    const bool wants_most = demand_.devices[i].request.prefer == DeviceRequest::Prefer::most;
    for (std::int64_t step = 0; step <= range.max - range.min; ++step) {
        const std::int64_t count = wants_most ? range.max - step : range.min + step;
        counts.push_back(static_cast<std::uint32_t>(count));
        const bool is_found = try_counts(counts);
        counts.pop_back();
        if (is_found || budget_.left == 0) return is_found;
    }
    return false;
}

bool FitSearch::search(const std::vector<std::uint32_t>& counts) {
    best_.reset();
    answers_.clear();
    if (!budget_.spend()) return false;
    const bool is_least = std::equal(counts.begin(), counts.end(), least_counts_.begin());
    if (!is_least && has_too_few_devices(devices_, counts)) return false;
    const auto look = [&](DeviceSearch& devices) {
        return devices.for_each_pick(counts, budget_, [&](const DevicePick& pick) {
            if (!budget_.spend()) return false;
            consider(pick);
            return budget_.left > 0;
        });
    };
    bool is_whole = !ways_.empty() || look(devices_);
    for (DeviceSearch& way : ways_) {
        is_whole = is_whole && budget_.spend() && (has_too_few(way, counts) || look(way));
    }
    return best_.has_value() && is_whole && budget_.left > 0;
}

void FitSearch::consider(const DevicePick& pick) {
    has_picked_ = true;
    if (!total_memory_fits(pick)) {
        return note(refuse_total_memory());
    }
    if (!sockets_fit(pick)) {
        if (!shortage_) note(refuse_devices_of_sockets());
        return;
    }
    FitScore score;
    score.warnings = count_warnings(problem_, pick);
    if (best_ && score.warnings > best_->warnings) return;
    const auto far_devices = count_far_devices(problem_, pick);
    score.far_devices = far_devices.value_or(0);
    score.opened = count_opened(problem_, state_, pick);
    score.slice_changes = pick.slice_changes;
    score.groups = best_ ? std::min(best_->groups, 1U) : 0;  // until the cores are known
    if (best_ && comes_behind_best(score, pick)) return;
    const CoreAnswer& answer = cores_for(pick);
    if (!far_devices || !answer.choice) return;
    score.other_cores = answer.other_cores;
    score.spare_cpus = answer.spare_cpus;
    score.near = answer.choice->near;
    score.far_memory = answer.choice->far_memory;
    score.groups = answer.choice->groups;
    if (best_ && best_->costs() < score.costs()) return;
    score.slice_gain = pick.slice_gain;
    score.links = score_links(problem_, state_, pick);
    score.devices = pick.set;
    score.cores = answer.choice->cores;
    score.entries = pick.entries;
    if (best_ && !score.beats(*best_)) return;
    best_ = std::move(score);
    memory_ = answer.question.memory;
}

bool FitSearch::comes_behind_best(const FitScore& score, const DevicePick& pick) const {
    if (score.costs() != best_->costs()) return best_->costs() < score.costs();
    if (pick.slice_gain != best_->slice_gain) return best_->slice_gain > pick.slice_gain;
    return !problem_.has_links() && best_->devices < pick.set;
}

const FitSearch::CoreAnswer& FitSearch::cores_for(const DevicePick& pick) {
    ask_near(pick);
    const auto known = answers_.find(near_);
    if (known != answers_.end()) return known->second;
    CoreAnswer& answer = answers_[near_];
    answer.question.needs = near_.needs;
    answer.question.is_anywhere = near_.is_anywhere;
    const bool is_inside = problem_.is_dealt() && problem_.has_groups() &&
                           demand_.core_locality == Strictness::require;
    if (is_inside) {
        settle_in_one_group(pick, answer);
    } else {
        settle_cores(pick, answer);
    }
    return answer;
}

void FitSearch::settle_cores(const DevicePick& pick, CoreAnswer& answer) {
    chooser_->open(answer.question, is_whole_node() ? all_devices() : pick.set);
    if (problem_.is_mixed() && !is_whole_node()) {
        return choose_mixed(coupled_devices(pick), answer);
    }
    if (!settle_count(coupled_devices(pick), answer.question)) return;
    has_enough_ = true;
    if (chooser_->capacity() < answer.question.count || is_farther_than_best(answer.question)) {
        return;
    }
    answer.choice = is_whole_node() ? chooser_->judge(answer.question, usable_)
                                    : chooser_->choose(answer.question, budget_);
}

bool FitSearch::is_farther_than_best(const CoreQuestion& question) const {
    if (!best_ || best_->warnings > 0) return false;  // with fewer warnings it may be better
    const bool is_served = best_->near.unserved == 0 && best_->near.lacking == 0;
    return is_served && best_->near.far_pairs < chooser_->far_pairs_least(question.count);
}

DeviceSet FitSearch::all_devices() const {
    return DeviceSet::range({0, static_cast<std::uint32_t>(shape_.devices.size())});
}

std::int64_t FitSearch::coupled_devices(const DevicePick& pick) const {
    return std::count_if(pick.entries.begin(), pick.entries.end(), [&](const PickEntry& entry) {
        return problem_.counts_for_coupling(entry.demand);
    });
}

void FitSearch::ask_near(const DevicePick& pick) {
    near_.needs.assign(problem_.zones().size(), {});
    near_.is_anywhere = is_whole_node();
    if (problem_.has_reserved_cores()) near_.devices = pick.set;
    for (const PickEntry& entry : pick.entries) {
        const std::uint32_t zone = problem_.zone_of(entry.demand, entry.device);
        const bool is_required =
            demand_.devices[entry.demand].request.locality == Strictness::require;
        if (zone == nowhere) {
            near_.is_anywhere = near_.is_anywhere || is_required;
            continue;
        }
        ++near_.needs[zone].devices;
        near_.needs[zone].is_required = near_.needs[zone].is_required || is_required;
    }
    const std::int64_t coupled = demand_.cpus_per_device.value();
    add_cpus(pick, coupled, true, [&](std::size_t i) { return problem_.counts_for_coupling(i); });
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
        if (demand_.devices[i].request.per != Per::task) continue;
        const auto count = std::count_if(pick.entries.begin(), pick.entries.end(),
                                         [&](const PickEntry& entry) { return entry.demand == i; });
        const std::int64_t each = count == 0 ? 0 : demand_.cpus().value() / count;
        add_cpus(pick, each, false, [&](std::size_t demand) { return demand == i; });
    }
}

template <class Counts>
void FitSearch::add_cpus(const DevicePick& pick, std::int64_t each, bool are_asked,
                         const Counts& counts) {
    if (each == 0) return;
    constexpr std::int64_t most = std::int64_t{1} << 32;  // more than any node has
    std::vector<NearNeed> added(near_.needs.size());
    for (const PickEntry& entry : pick.entries) {
        const std::uint32_t zone = problem_.zone_of(entry.demand, entry.device);
        if (zone == nowhere || !counts(entry.demand)) continue;
        const Strictness locality = demand_.devices[entry.demand].request.locality;
        added[zone].cpus += std::min(each, most);
        if (are_asked && locality == Strictness::require) {
            added[zone].required_cpus += std::min(each, most);
        }
    }
    if (!problem_.zones_inside().empty()) join_cpus(added);
    for (std::size_t z = 0; z < added.size(); ++z) {
        NearNeed& need = near_.needs[z];
        need.cpus = std::max(need.cpus, added[z].cpus);
        need.required_cpus = std::max(need.required_cpus, added[z].required_cpus);
    }
}

void FitSearch::join_cpus(std::vector<NearNeed>& added) const {
    const std::vector<NearNeed> own = added;
    for (std::size_t z = 0; z < added.size(); ++z) {
        const auto sum_of = [&](std::int64_t NearNeed::*cpus) {
            CoreSet near;
            std::int64_t sum = 0;
            for (const std::uint32_t inner : problem_.zones_inside()[z]) {
                if (own[inner].*cpus == 0) continue;
                near |= problem_.zones()[inner];
                sum += own[inner].*cpus;
            }
            return near == problem_.zones()[z] ? sum : 0;  // else a smaller zone has as many
        };
        added[z].cpus = sum_of(&NearNeed::cpus);
        added[z].required_cpus = sum_of(&NearNeed::required_cpus);
    }
}

bool FitSearch::settle_count(std::int64_t devices, CoreQuestion& question) {
    const Count cpus = checked_mul(demand_.cpus_per_device, devices).value_or(Count::max());
    const std::int64_t for_devices = problem_.cores_for_cpus(cpus);
    std::int64_t cores = std::max(problem_.cores_for_tasks(), for_devices);
    if (problem_.is_dealt()) {
        auto dealt = deal(question, for_devices);
        if (!dealt) {
            note(refuse_deal());
            return false;
        }
        question.per_part = *std::move(dealt);
        cores = 0;
        for (const std::uint32_t one : question.per_part) cores += one;
    } else {
        if (cores > 0 && !is_whole_node()) {
            cores = chooser_->fewest_near(question, cores, budget_);
        }
        if (lacks_cores(cores, usable_)) {
            note(refuse_cores(cores, usable_));
            return false;
        }
        auto refusal = refuse_whole(cpus.value());
        if (!refusal) refusal = refuse_tasks_of_packages();
        if (refusal) {
            note(*std::move(refusal));
            return false;
        }
    }
    const std::int64_t asked_cpus =
        problem_.is_mixed() ? std::max(cpus, demand_.cpus()).value() : problem_.cpus_asked(cores);
    if (auto refusal = refuse_milli_cpus(cores, asked_cpus, usable_)) {
        note(*std::move(refusal));
        return false;
    }
    if (is_whole_node()) cores = usable_.count();
    question.threads_max = threads_max_;
    question.count = static_cast<std::uint32_t>(cores);
    const auto memory = memory_for(
        is_whole_node() ? problem_.all_cpus_of(usable_) : problem_.cpus_asked(cores), devices);
    if (!memory || *memory > free_memory()) {
        note(refuse_memory(memory.value_or(Bytes::max())));
        return false;
    }
    question.memory = *memory;
    return true;
}

std::optional<Bytes> FitSearch::memory_for(std::int64_t cpus, std::int64_t devices) const {
    switch (demand_.memory_per) {
        case Per::cpu:
            return checked_mul(demand_.memory, cpus);
        case Per::device:
            return checked_mul(demand_.memory, devices);
        default:
            return demand_.memory;
    }
}

bool FitSearch::total_memory_fits(const DevicePick& pick) const {
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
        const DeviceRequest& request = demand_.devices[i].request;
        if (request.total_memory.is_open()) continue;
        Bytes sum;
        for (const PickEntry& entry : pick.entries) {
            if (entry.demand != i) continue;
            const Device& device = shape_.devices[entry.device.value()];
            const Bytes memory = request.slice.empty()
                                     ? device.memory
                                     : device.slicing->geometry.find(request.slice)->memory;
            sum = checked_add(sum, memory).value_or(Bytes::max());
        }
        if (!request.total_memory.contains(sum)) return false;
    }
    return true;
}

bool FitSearch::sockets_fit(const DevicePick& pick) const {
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
        const NodeDemand::Device& one = demand_.devices[i];
        if (one.sockets.is_zero()) continue;
        std::vector<std::int64_t> on(std::max<std::size_t>(1, problem_.packages().size()), 0);
        for (const PickEntry& entry : pick.entries) {
            if (entry.demand == i) ++on[problem_.package_of(entry.device)];
        }
        const auto used =
            std::count_if(on.begin(), on.end(), [](std::int64_t count) { return count > 0; });
        const bool is_right = std::all_of(on.begin(), on.end(), [&](std::int64_t count) {
            return count == 0 || one.request.count.contains(Count(count));
        });
        if (!is_right || used != one.sockets.value()) return false;
    }
    return true;
}

NodePlacement FitSearch::placement() const {
    NodePlacement result;
    result.tasks = demand_.tasks;
    result.cores = best_->cores;
    result.threads_per_core = demand_.threads_per_core;
    if (!is_whole_node()) {
        result.row = row_;
        result.milli_cpus = demand_.all_milli_cpus();
    }
    result.memory = take_memory(result.cores, memory_);
    std::vector<PickEntry> entries = best_->entries;
    std::sort(entries.begin(), entries.end());
    for (PickEntry& entry : entries) {
        result.devices.push_back({entry.device, entry.shares, std::move(entry.slice)});
    }
    return result;
}

/// Near domains first, then the nearest of the others; within equals DRAM before fast memory,
/// lowest id first. Requires: enough is free.
SmallVector<MemoryShare> FitSearch::take_memory(const CoreSet& cores, Bytes bytes) const {
    const DomainSet near = problem_.domains_near(cores);
    const bool is_alike = demand_.memory_locality == Strictness::ignore;
    using Key = std::tuple<bool, std::uint32_t, MemoryDomain::Kind, DomainId>;
    std::vector<Key> order;
    order.reserve(shape_.memory.size());
    for (std::uint32_t i = 0; i < shape_.memory.size(); ++i) {
        const DomainId domain(i);
        if (!shape_.memory[i].is_ordinary()) continue;
        const bool is_far = !is_alike && !near.contains(domain);
        std::uint32_t distance = is_far ? ~std::uint32_t{0} : 0;
        for (const DomainId from : near) {
            if (is_far) distance = std::min(distance, shape_.distance(from, domain));
        }
        order.emplace_back(is_far, distance, shape_.memory[i].kind, domain);
    }
    std::sort(order.begin(), order.end());
    SmallVector<MemoryShare> shares;
    for (const Key& key : order) {
        const DomainId domain = std::get<DomainId>(key);
        const Bytes part = std::min(bytes, state_.memory[domain.value()]);
        if (!part.is_zero()) shares.push_back({domain, part});
        bytes -= part;
    }
    TRESTLE_EXPECTS(bytes.is_zero(), "the node has the memory that was found free");
    std::sort(shares.begin(), shares.end());
    return shares;
}

}  // namespace detail

}  // namespace trestle
