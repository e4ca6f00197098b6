// SPDX-License-Identifier: Apache-2.0
// The part of FitSearch that says which devices lack: too few of a demand, too few with a value of
// an attribute in common, or too few for all demands at once.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alloc/node/detail/fit_search.hpp"
#include "alloc/node/device_match.hpp"
#include "base/counted_text.hpp"
#include "base/join.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle {

namespace detail {

namespace {

std::string_view sign_of(DeviceRequest::AttributeTest::Comparison comparison) {
    switch (comparison) {
        case DeviceRequest::AttributeTest::Comparison::not_equal:
            return "!=";
        case DeviceRequest::AttributeTest::Comparison::less:
            return "<";
        case DeviceRequest::AttributeTest::Comparison::less_equal:
            return "<=";
        case DeviceRequest::AttributeTest::Comparison::greater:
            return ">";
        case DeviceRequest::AttributeTest::Comparison::greater_equal:
            return ">=";
        default:
            return "=";
    }
}

/// What the device has in the place of the first attribute that fails its test.
std::string attribute_instead(const Device& device, const DeviceRequest& request) {
    const auto test = std::find_if(
        request.attributes.begin(), request.attributes.end(),
        [&](const DeviceRequest::AttributeTest& some) { return !passes(device, some); });
    if (test == request.attributes.end()) return "another attribute";
    const auto at =
        std::find_if(device.attributes.begin(), device.attributes.end(),
                     [&](const Device::Attribute& some) { return some.name == test->name; });
    return at == device.attributes.end() ? "no " + test->name : at->name + " " + at->value;
}

/// What the device has in the place of what mismatch() says that it lacks.
std::string text_instead(const Device& device, const DeviceRequest& request,
                         std::string_view lacks) {
    if (lacks == "type") return device.type.empty() ? "no type" : "type " + device.type;
    if (lacks == "vendor") return device.vendor.empty() ? "no vendor" : "vendor " + device.vendor;
    if (lacks == "model") return device.model.empty() ? "no model" : "model " + device.model;
    if (lacks == "memory") return fmt::format("{} of memory", device.memory);
    if (lacks == "share_kind") return "another kind of shares";
    if (lacks == "mig_profile") {
        return device.mig_profile.empty() ? "no MIG profile" : "MIG profile " + device.mig_profile;
    }
    if (lacks == "attributes") return attribute_instead(device, request);
    if (!device.compute_capability) return "no compute capability";
    return fmt::format("compute capability {}", *device.compute_capability);
}

/// What so many of the amounts are together at most; the largest amount where that is more.
template <class Amount>
Amount sum_of_largest(std::vector<Amount> amounts, std::int64_t count) {
    std::sort(amounts.rbegin(), amounts.rend());
    Amount sum;
    for (std::int64_t n = 0; n < std::min(count, std::ssize(amounts)); ++n) {
        sum = saturating_add(sum, amounts[static_cast<std::size_t>(n)]);
    }
    return sum;
}

}  // namespace

std::optional<Refusal> FitSearch::refuse_devices_early() {
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
        const Range<Count>& count = demand_.devices[i].count;
        const Count most = std::min(count.max.value_or(Count::max()), Count(devices_.available(i)));
        if (most < count.least()) return refuse_devices(i);
        if (auto refusal = refuse_shares(i)) return refusal;
        least_counts_.push_back(static_cast<std::uint32_t>(count.least().value()));
    }
    if (has_too_few_devices(devices_, least_counts_)) return refuse_devices_together();
    for (const CommonRule& rule : problem_.common().rules()) {
        if (auto refusal = refuse_common(rule)) return refusal;
    }
    const auto has_no_room = [&](const DeviceSearch& way) {
        return has_too_few(way, least_counts_);
    };
    const bool has_none = !ways_.empty() && std::all_of(ways_.begin(), ways_.end(), has_no_room);
    return has_none ? std::optional(refuse_picks()) : std::nullopt;
}

bool FitSearch::has_too_few(const DeviceSearch& devices,
                            const std::vector<std::uint32_t>& counts) const {
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (devices.available(i) < std::int64_t{counts[i]}) return true;
    }
    return has_too_few_devices(devices, counts);
}

Refusal FitSearch::refuse_devices(std::size_t i) const {
    const DeviceRequest& request = demand_.devices[i].request;
    std::size_t named = 0;
    std::size_t matching = 0;
    Count most;  // shares of one device
    std::string unusable;
    for (std::uint32_t d = 0; d < shape_.devices.size(); ++d) {
        const Device& device = shape_.devices[d];
        if (device.name != request.name) continue;
        ++named;
        if (mismatch(device, request)) continue;
        ++matching;
        if (is_usable(device)) most = std::max(most, state_.shares[d]);
        if (is_usable(device)) continue;
        unusable += fmt::format("; {} {} is {}", device.name, device.index,
                                device.is_drained ? "drained" : "failed");
    }
    if (!request.shares.is_zero() && request.shares_per == Per::device) {
        return {problem_.refusal_of_devices(i),
                fmt::format("asked {} shares of each of {} {}{}, {} of {} that match have them, at "
                            "most {} are free on one{}",
                            request.shares, demand_.devices[i].count, request.name,
                            kind_text(request), devices_.available(i), matching, most, unusable)};
    }
    const auto free = devices_.available(i);
    std::string there = fmt::format("{} of {} are free on the node", free, named);
    if (matching < named) {
        there =
            fmt::format("{} of {} that match are free, of {} on the node", free, matching, named);
    }
    if (!request.slice.empty()) there = fmt::format("{} free on the {} that match", free, matching);
    if (matching == 0) {
        there = fmt::format("none of the {} on the node matches{}", named, lacking_text(request));
    }
    if (named == 0) there = "the node has none";
    return {problem_.refusal_of_devices(i),
            fmt::format("asked {}, {}{}", asked_text(i), there, unusable)};
}

std::string FitSearch::asked_text(std::size_t i) const {
    const NodeDemand::Device& one = demand_.devices[i];
    const DeviceRequest& request = one.request;
    const bool is_of_sockets = !one.sockets.is_zero();
    const std::string text = fmt::format("{} {}{}", is_of_sockets ? request.count : one.count,
                                         request.name, kind_text(request));
    if (is_of_sockets) {
        return text + " on each of " + counted_text(one.sockets.value(), "socket");
    }
    const bool is_of_tasks = request.per == Per::task && one.count != request.count;
    return is_of_tasks ? text + fmt::format(" ({} a task)", request.count) : text;
}

Refusal FitSearch::refuse_devices_together() const {
    std::vector<std::string> asked;
    DeviceSet any;
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
        if (demand_.devices[i].count.least().is_zero()) continue;
        asked.push_back(asked_text(i));
        for (const DeviceId device : devices_.candidates(i)) any.insert(device);
    }
    return {Constraint::devices,
            fmt::format("asked {} at once, {} in all {} free for these", join(asked, " and "),
                        counted_text(any.count(), "device"), any.count() == 1 ? "is" : "are")};
}

Refusal FitSearch::refuse_devices_of_sockets() const {
    std::vector<std::string> asked;
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
        const NodeDemand::Device& one = demand_.devices[i];
        if (one.sockets.is_zero()) continue;
        std::vector<std::int64_t> on(std::max<std::size_t>(1, problem_.packages().size()), 0);
        for (const DeviceId device : devices_.candidates(i)) {
            const std::uint32_t package = problem_.package_of(device);
            if (package < on.size()) ++on[package];
        }
        const std::int64_t each = one.request.count.least().value();
        const auto able =
            std::count_if(on.begin(), on.end(), [&](std::int64_t free) { return free >= each; });
        asked.push_back(fmt::format(
            "asked {} {}{} on each of {}, {} of {} have them; at most {} are free on one",
            one.request.count, one.request.name, kind_text(one.request),
            counted_text(one.sockets.value(), "socket"), able, on.size(),
            *std::max_element(on.begin(), on.end())));
    }
    return {Constraint::devices, join(asked, ", ")};
}

std::optional<Refusal> FitSearch::refuse_shares(std::size_t i) const {
    const DeviceRequest& request = demand_.devices[i].request;
    if (request.shares_per != Per::node || request.shares.is_zero()) return std::nullopt;
    const Count sum = shares_in_all(i, devices_);
    if (sum >= request.shares) return std::nullopt;
    return Refusal{
        Constraint::devices,
        fmt::format("asked {} shares of {} {}{} in all, at most {} are free", request.shares,
                    demand_.devices[i].count, request.name, kind_text(request), sum)};
}

Count FitSearch::shares_in_all(std::size_t i, const DeviceSearch& devices) const {
    std::vector<Count> free;
    for (const DeviceId device : devices.candidates(i)) {
        free.push_back(state_.shares[device.value()]);
    }
    const Count most = demand_.devices[i].count.max.value_or(Count::max());
    return sum_of_largest(std::move(free), most.value());
}

std::string FitSearch::kind_text(const DeviceRequest& request) {
    std::string text;
    for (const std::string& type : request.types) text += (text.empty() ? ":" : "|") + type;
    if (!request.slice.empty()) text += " " + request.slice;
    if (!request.vendor.empty()) text += " of vendor " + request.vendor;
    for (std::size_t i = 0; i < request.models.size(); ++i) {
        text += (i == 0 ? " of model " : "|") + request.models[i];
    }
    if (!request.memory.is_open()) text += fmt::format(" with {} of memory", request.memory);
    if (!request.compute_capability.is_open()) {
        text += fmt::format(" with compute capability {}", request.compute_capability);
    }
    if (request.share_kind) text += fmt::format(" in shares of kind {}", *request.share_kind);
    if (!request.mig_profile.empty()) text += " of MIG profile " + request.mig_profile;
    for (const DeviceRequest::AttributeTest& test : request.attributes) {
        text += fmt::format(" with {} {} {}", test.name, sign_of(test.comparison), test.value);
    }
    return text;
}

std::string FitSearch::lacking_text(const DeviceRequest& request) const {
    std::vector<std::string> there;
    for (const Device& device : shape_.devices) {
        const auto lacks = mismatch(device, request);
        if (device.name != request.name || !lacks) continue;
        std::string one = text_instead(device, request, *lacks);
        if (std::find(there.begin(), there.end(), one) == there.end()) {
            there.push_back(std::move(one));
        }
    }
    return there.empty() ? std::string() : ": there is " + join(there, ", ");
}

Refusal FitSearch::refuse_total_memory() const {
    std::vector<std::string> asked;
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
        const NodeDemand::Device& one = demand_.devices[i];
        if (one.request.total_memory.is_open()) continue;
        std::vector<Bytes> free;
        for (const DeviceId id : devices_.candidates(i)) {
            const Device& device = shape_.devices[id.value()];
            free.push_back(one.request.slice.empty()
                               ? device.memory
                               : device.slicing->geometry.find(one.request.slice)->memory);
        }
        const std::int64_t count = std::min(count_range(i).max, std::ssize(free));
        const Bytes most = sum_of_largest(std::move(free), count);
        asked.push_back(fmt::format("{} of total memory of {} {}{}, {} free {} have {}",
                                    one.request.total_memory, one.count, one.request.name,
                                    kind_text(one.request), count, one.request.name, most));
    }
    return {Constraint::device_attributes, "asked " + join(asked, " and ")};
}

std::string FitSearch::amount_text(std::size_t i, Count amount, bool in_shares) const {
    const DeviceRequest& request = demand_.devices[i].request;
    if (in_shares)
        return fmt::format("{} shares of {}{} in all", amount, request.name, kind_text(request));
    std::string text = fmt::format("{} {}{}", amount, request.name, kind_text(request));
    const bool has_shares = !request.shares.is_zero() && request.shares_per == Per::device;
    return has_shares ? text + fmt::format(" with {} shares each", request.shares) : text;
}

std::string FitSearch::rule_text(const CommonRule& rule, bool in_shares) const {
    std::vector<std::string> asked;
    for (const std::size_t i : rule.demands) {
        const Count amount = least_of(i, in_shares);
        if (!amount.is_zero()) asked.push_back(amount_text(i, amount, in_shares));
    }
    return fmt::format("{} of one {}", join(asked, ", "), rule.name);
}

Count FitSearch::least_of(std::size_t i, bool in_shares) const {
    const DeviceRequest& request = demand_.devices[i].request;
    if (!in_shares) return demand_.devices[i].count.least();
    return request.shares_per == Per::node ? request.shares : Count();
}

std::optional<Refusal> FitSearch::refuse_common(const CommonRule& rule) const {
    auto refusal = refuse_common(rule, false);
    return refusal ? refusal : refuse_common(rule, true);
}

std::optional<Refusal> FitSearch::refuse_common(const CommonRule& rule, bool in_shares) const {
    const CommonValue* best = nullptr;
    Count best_missing = Count::max();
    std::vector<std::string> best_texts;
    for (const CommonValue& value : rule.values) {
        const DeviceMatches matches = with_value(problem_.matches(), rule, value);
        const DeviceSearch devices(problem_, state_, matches);
        Count missing;
        std::vector<std::string> texts;
        for (const std::size_t i : rule.demands) {
            const Count least = least_of(i, in_shares);
            const Count most = in_shares ? shares_in_all(i, devices) : Count(devices.available(i));
            const Count lacks = saturating_sub(least, most);
            missing = saturating_add(missing, lacks);
            if (!least.is_zero()) texts.push_back(amount_text(i, most, in_shares));
        }
        if (missing.is_zero()) return std::nullopt;
        if (best != nullptr && !(missing < best_missing)) continue;
        best = &value;
        best_missing = missing;
        best_texts = std::move(texts);
    }
    const bool asks_none =
        std::all_of(rule.demands.begin(), rule.demands.end(),
                    [&](std::size_t i) { return least_of(i, in_shares).is_zero(); });
    if (asks_none) return std::nullopt;
    const std::string asked = rule_text(rule, in_shares);
    if (best == nullptr) {
        return Refusal{Constraint::device_attributes,
                       fmt::format("asked {}, no device of the node has this attribute", asked)};
    }
    return Refusal{Constraint::device_attributes,
                   fmt::format("asked {}, at most {} free of one ({} {})", asked,
                               join(best_texts, ", "), rule.name, best->text)};
}

Refusal FitSearch::refuse_picks() const {
    if (ways_.empty()) return refuse_devices_together();
    std::vector<std::string> asked;
    for (const CommonRule& rule : problem_.common().rules()) {
        asked.push_back(rule_text(rule, false));
    }
    std::vector<std::string> most;
    for (std::size_t i = 0; i < demand_.devices.size(); ++i) {
        const DeviceRequest& request = demand_.devices[i].request;
        std::int64_t free = 0;
        for (const DeviceSearch& way : ways_) free = std::max(free, way.available(i));
        most.push_back(fmt::format("{} {}{}", free, request.name, kind_text(request)));
    }
    return {Constraint::device_attributes,
            fmt::format("asked {}, free are enough for each, but not for all at once: at most {}",
                        join(asked, " and "), join(most, ", "))};
}

}  // namespace detail

}  // namespace trestle
