// SPDX-License-Identifier: Apache-2.0
#include "alloc/market/offer_demand.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alloc/node/detail/common_values.hpp"

namespace trestle {

namespace detail {

OfferRefusal refuse_property(OfferRefusal::Test test, std::string wanted, std::string had,
                             fmt::format_string<std::string&, std::string&> as) {
    std::string reason = fmt::format(as, wanted, had);
    return {test, std::move(wanted), std::move(had), std::move(reason)};
}

bool has_type(const Offer::Devices& offered, const DeviceRequest& request) {
    const auto& types = request.types;
    return types.empty() || std::find(types.begin(), types.end(), offered.model) != types.end();
}

bool has_model(const Offer::Devices& offered, const DeviceRequest& request) {
    const auto& models = request.models;
    return models.empty() || std::any_of(models.begin(), models.end(), [&](const auto& model) {
               return same_word(model, offered.model);
           });
}

bool has_capability(const Offer::Devices& offered, const DeviceRequest& request) {
    const auto& version = offered.compute_capability;
    return request.compute_capability.is_open() ||
           (version && request.compute_capability.contains(*version));
}

bool is_kind(const Offer::Devices& offered, const DeviceRequest& request) {
    return has_type(offered, request) && has_vendor(offered, request) &&
           has_model(offered, request) && has_capability(offered, request) &&
           request.memory.contains(offered.memory) && !request.share_kind &&
           request.mig_profile.empty() && request.attributes.empty();
}

std::optional<OfferRefusal> refuse_vendor(const Offer::Devices& offered,
                                          const DeviceRequest& request) {
    const auto& types = request.types;
    if (!has_type(offered, request)) {
        return refuse_property(
            OfferRefusal::Test::device_model, fmt::format("{}", fmt::join(types, " or ")),
            fmt::format("{} {}", request.name, offered.model), "it has {1}, asked {0}");
    }
    if (!has_vendor(offered, request)) {
        const bool is_unknown = offered.vendor.empty();
        std::string reason =
            fmt::format("{} {} is of {}, asked {}", request.name, offered.model,
                        is_unknown ? "an unknown vendor" : offered.vendor, request.vendor);
        return OfferRefusal{OfferRefusal::Test::device_vendor, request.vendor,
                            is_unknown ? "unknown" : offered.vendor, std::move(reason)};
    }
    return std::nullopt;
}

std::optional<OfferRefusal> refuse_kind(const Offer::Devices& offered,
                                        const DeviceRequest& request) {
    const auto refuse = [&](OfferRefusal::Test test, std::string wanted, std::string had,
                            std::string_view what) {
        std::string reason =
            fmt::format("{} {} has {}{}, asked {}", request.name, offered.model, what, had, wanted);
        return OfferRefusal{test, std::move(wanted), std::move(had), std::move(reason)};
    };
    const auto& models = request.models;
    if (!has_model(offered, request)) {
        return refuse_property(
            OfferRefusal::Test::device_model, fmt::format("{}", fmt::join(models, " or ")),
            fmt::format("{} {}", request.name, offered.model), "it has {1}, asked {0}");
    }
    const auto& version = offered.compute_capability;
    if (!has_capability(offered, request)) {
        return refuse(OfferRefusal::Test::compute_capability, to_text(request.compute_capability),
                      version ? to_text(*version) : "unknown", "compute capability ");
    }
    if (!request.memory.contains(offered.memory)) {
        std::string wanted = to_text(request.memory);
        std::string had = fmt::format("{}", offered.memory);
        std::string reason = fmt::format("{} {} has {} of memory, asked {}", request.name,
                                         offered.model, had, wanted);
        return OfferRefusal{OfferRefusal::Test::device_memory, std::move(wanted), std::move(had),
                            std::move(reason)};
    }
    if (request.share_kind) {
        return refuse(OfferRefusal::Test::device_attributes,
                      fmt::format("share_kind {}", *request.share_kind), "no shares", "");
    }
    if (!request.mig_profile.empty()) {
        return refuse(OfferRefusal::Test::device_attributes, "mig_profile " + request.mig_profile,
                      "no MIG profile", "");
    }
    if (!request.attributes.empty()) {
        return refuse(OfferRefusal::Test::device_attributes, request.attributes.front().name,
                      "no attributes", "");
    }
    return std::nullopt;
}

std::optional<OfferRefusal> refuse_total(const DeviceRequest& request, Bytes total) {
    if (request.total_memory.contains(total)) return std::nullopt;
    std::string wanted = to_text(request.total_memory);
    std::string had = fmt::format("{}", total);
    std::string reason =
        fmt::format("asked {} of {} memory in all, it has {}", wanted, request.name, had);
    return OfferRefusal{OfferRefusal::Test::device_total_memory, std::move(wanted), std::move(had),
                        std::move(reason)};
}

std::optional<OfferRefusal> refuse_devices(const Offer::Devices& offered, Count left,
                                           const NodeDemand::Device& demand) {
    const DeviceRequest& request = demand.request;
    if (auto refusal = refuse_vendor(offered, request)) return refusal;
    std::string wanted = to_text(demand.count);
    if (!demand.count.contains(offered.count)) {
        std::string reason =
            fmt::format("asked {} {}, it has {}", wanted, request.name, offered.count);
        return OfferRefusal{OfferRefusal::Test::device_count, std::move(wanted),
                            fmt::format("{}", offered.count), std::move(reason)};
    }
    if (left < demand.count.least()) {
        std::string reason = fmt::format("asked {} {} more, {} of {} are left", wanted,
                                         request.name, left, offered.count);
        return OfferRefusal{OfferRefusal::Test::device_count, std::move(wanted),
                            fmt::format("{}", left), std::move(reason)};
    }
    if (auto refusal = refuse_kind(offered, request)) return refusal;
    return refuse_total(request, all_memory(offered));
}

bool answers(const Offer::Devices& offered, Count left, const NodeDemand::Device& demand) {
    return demand.count.contains(offered.count) && !(left < demand.count.least()) &&
           is_kind(offered, demand.request) &&
           demand.request.total_memory.contains(all_memory(offered));
}

DeviceAnswer::DeviceAnswer(const BlockShare& share)
    : share_(share), answers_(share.devices.size()) {
    for (const Offer::Devices& offered : share.devices) left_.push_back(offered.count);
}

bool DeviceAnswer::take(const NodeDemand::Device& demand) {
    bool is_there = false;
    for (std::size_t i = 0; i < share_.devices.size(); ++i) {
        if (share_.devices[i].name != demand.request.name) continue;
        is_there = true;
        if (!answers(share_.devices[i], left_[i], demand)) continue;
        answers_[i] = true;
        left_[i] -= demand.count.least();
        return true;
    }
    return is_there ? take_together(demand) : demand.count.least().is_zero();
}

OfferRefusal DeviceAnswer::why(const NodeDemand::Device& demand) const {
    const std::string& name = demand.request.name;
    std::optional<OfferRefusal> last;
    for (std::size_t i = 0; i < share_.devices.size(); ++i) {
        if (share_.devices[i].name != name) continue;
        last = refuse_devices(share_.devices[i], left_[i], demand);
    }
    if (last) return *std::move(last);
    std::string wanted = to_text(demand.count);
    std::string reason = fmt::format("asked {} {}, it has none", wanted, name);
    return OfferRefusal{OfferRefusal::Test::devices, std::move(wanted), "none", std::move(reason)};
}

std::optional<OfferRefusal> DeviceAnswer::refuse_common(
    const Request::CommonAttribute& common) const {
    const bool is_told = common.name == "type" || common.name == "model" || common.name == "vendor";
    std::vector<std::string_view> values;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
        const Offer::Devices& offered = share_.devices[i];
        const auto& names = common.devices;
        const bool is_meant =
            names.empty() || std::find(names.begin(), names.end(), offered.name) != names.end();
        if (!answers_[i] || !is_meant || offered.count.is_zero()) continue;
        std::string_view value = common.name == "vendor" ? offered.vendor : offered.model;
        if (!is_told || value.empty()) value = "unknown";
        const auto is_same = [&](std::string_view other) { return same_word(other, value); };
        if (std::none_of(values.begin(), values.end(), is_same)) values.push_back(value);
    }
    const bool is_common = values.size() < 2 && (values.empty() || values.front() != "unknown");
    if (is_common) return std::nullopt;
    return refuse_property(OfferRefusal::Test::device_attributes, "one " + common.name,
                           fmt::format("{}", fmt::join(values, ", ")),
                           "asked devices of {0}, theirs is {1}");
}

Count DeviceAnswer::count() const {
    Count sum;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
        if (answers_[i]) sum = checked_add(sum, share_.devices[i].count).value_or(Count::max());
    }
    return sum;
}

bool DeviceAnswer::take_together(const NodeDemand::Device& demand) {
    std::vector<std::size_t> kinds;
    std::optional<Count> count = Count();
    Bytes memory;
    for (std::size_t i = 0; i < share_.devices.size(); ++i) {
        const Offer::Devices& offered = share_.devices[i];
        if (offered.name != demand.request.name || answers_[i] ||
            !is_kind(offered, demand.request)) {
            continue;
        }
        kinds.push_back(i);
        if (count) count = checked_add(*count, offered.count);
        memory = checked_add(memory, all_memory(offered)).value_or(Bytes::max());
    }
    if (kinds.size() < 2 || !count || !demand.count.contains(*count)) return false;
    if (!demand.request.total_memory.contains(memory)) return false;
    Count open = demand.count.least();
    for (const std::size_t i : kinds) {
        answers_[i] = true;
        const Count taken = std::min(open, left_[i]);
        left_[i] -= taken;
        open -= taken;
    }
    return true;
}

Range<Bytes> times(Range<Bytes> range, Count count) {
    for (std::optional<Bytes>* end : {&range.min, &range.max}) {
        if (*end) *end = checked_mul(**end, count.value()).value_or(Bytes::max());
    }
    return range;
}

OfferDemand offer_demand(const Request& request) {
    const auto nodes = std::max<std::int64_t>(1, request.nodes.least().value());
    const NodeDemand node = demand_of(request, {0, nodes}, 1);
    const Count in_thousandths(div_ceil(node.all_milli_cpus(), cpus(1).value()).value());
    const auto with_thousandths = [&](Count whole) {
        return checked_add(whole, in_thousandths).value_or(Count::max());
    };
    OfferDemand demand{Range<Count>::at_least(with_thousandths(node.cpus())), request.memory,
                       request.memory_per, node.devices, node.cpus_per_device};
    if (const auto max = request.cpus_per_task.max; max && !node.cpus_per_task.is_zero()) {
        const auto most = checked_mul(*max, node.tasks.value());
        if (most) demand.cpus.max = with_thousandths(*most);
    }
    if (request.memory_per == Per::cpu) demand.memory = times(request.memory, node.cpus());
    for (const Request::CommonAttribute& one : node.common_attributes) {
        const bool is_meant =
            std::any_of(node.devices.begin(), node.devices.end(),
                        [&](const NodeDemand::Device& devices) { return is_about(one, devices); });
        if (is_meant) demand.common_attributes.push_back(one);
    }
    return demand;
}

std::vector<OfferDemand> offer_demands(const Request& request) {
    std::vector<OfferDemand> demands = {offer_demand(request)};
    for (const auto& devices : request.device_alternatives) {
        Request other = request;
        other.devices = devices;
        demands.push_back(offer_demand(other));
    }
    return demands;
}

Range<Bytes> memory_for(const OfferDemand& demand, Count devices) {
    if (demand.memory_per != Per::device) return demand.memory;
    return devices.is_zero() ? Range<Bytes>() : times(demand.memory, devices);
}

bool has_all(const BlockShare& share, const OfferDemand& demand) {
    if (!demand.cpus.contains(share.cpus)) return false;
    DeviceAnswer answer(share);
    for (const NodeDemand::Device& devices : demand.devices) {
        if (!answer.take(devices)) return false;
    }
    for (const Request::CommonAttribute& common : demand.common_attributes) {
        if (answer.refuse_common(common)) return false;
    }
    const Count count = answer.count();
    return memory_for(demand, count).contains(share.memory) &&
           !(share.cpus < cpus_for(demand, count));
}

std::optional<OfferRefusal> refuse_share(const BlockShare& share, const OfferDemand& demand) {
    DeviceAnswer answer(share);
    std::optional<OfferRefusal> devices;
    for (std::size_t i = 0; i < demand.devices.size() && !devices; ++i) {
        if (!answer.take(demand.devices[i])) devices = answer.why(demand.devices[i]);
    }
    for (const Request::CommonAttribute& common : demand.common_attributes) {
        if (!devices) devices = answer.refuse_common(common);
    }
    if (!demand.cpus.contains(share.cpus)) {
        return refuse_property(OfferRefusal::Test::cpus, to_text(demand.cpus),
                               fmt::format("{}", share.cpus), "asked {0} CPUs, it has {1}");
    }
    const bool is_per_device = demand.memory_per == Per::device;
    if (is_per_device && devices) return devices;
    const Count count = answer.count();
    const Range<Bytes> memory = memory_for(demand, count);
    if (!memory.contains(share.memory)) {
        std::string wanted = to_text(memory);
        std::string had = fmt::format("{}", share.memory);
        std::string reason =
            fmt::format("asked {} of memory{}, it has {}", wanted,
                        is_per_device ? fmt::format(" for {} devices", count) : std::string(), had);
        return OfferRefusal{OfferRefusal::Test::memory, std::move(wanted), std::move(had),
                            std::move(reason)};
    }
    if (devices) return devices;
    const Count cpus = cpus_for(demand, count);
    if (share.cpus < cpus) {
        return OfferRefusal{
            OfferRefusal::Test::cpus, fmt::format("{}..", cpus), fmt::format("{}", share.cpus),
            fmt::format("asked {} CPUs for {} devices, it has {}", cpus, count, share.cpus)};
    }
    return std::nullopt;
}

}  // namespace detail

}  // namespace trestle
