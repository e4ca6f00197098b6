// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/common_values.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "alloc/node/device_match.hpp"
#include "base/words.hpp"
#include "model/core_groups.hpp"
#include "trestle/model/hardware.hpp"

namespace trestle {

namespace detail {

namespace {

using ValueTexts = std::vector<std::string>;

/// The groups of a level of the hardware tree that an attribute is about; nothing for others.
std::optional<std::vector<CoreSet>> groups_named(const NodeShape& shape, std::string_view name) {
    using enum HardwareLevel;
    for (const HardwareLevel level : {package, die, numa, l3, l2}) {
        if (to_text(level) == name) return core_groups(shape, level);
    }
    return std::nullopt;
}

/// A device near to all cores alike is near to each group. A node without cores is one group.
ValueTexts groups_near(const std::vector<CoreSet>& groups, const Device& device) {
    if (groups.empty()) return {"0"};
    ValueTexts texts;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const bool is_near = device.cores.is_empty() || groups[i].intersects(device.cores);
        if (is_near) texts.push_back(std::to_string(i));
    }
    return texts;
}

/// By device the number of its island, in the order of their lowest devices.
std::vector<std::size_t> islands_of(const NodeShape& shape) {
    std::vector<std::size_t> lowest(shape.devices.size());
    std::iota(lowest.begin(), lowest.end(), std::size_t{0});
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (const DeviceLink& link : shape.links) {
            std::size_t& a = lowest[link.a.value()];
            std::size_t& b = lowest[link.b.value()];
            if (link.strength == 0 || a == b) continue;
            a = b = std::min(a, b);
            has_changed = true;
        }
    }
    std::size_t islands = 0;
    for (std::size_t i = 0; i < lowest.size(); ++i) {
        lowest[i] = lowest[i] == i ? islands++ : lowest[lowest[i]];
    }
    return lowest;
}

ValueTexts text_if_any(std::string text) {
    return text.empty() ? ValueTexts{} : ValueTexts{std::move(text)};
}

/// By device the values of an attribute that is built in; none of another.
std::vector<ValueTexts> built_in_values(const NodeShape& shape, std::string_view name) {
    std::vector<ValueTexts> values;
    const auto groups = groups_named(shape, name);
    const std::vector<std::size_t> islands =
        name == "island" ? islands_of(shape) : std::vector<std::size_t>();
    for (const Device& device : shape.devices) {
        ValueTexts texts;
        if (groups) {
            texts = groups_near(*groups, device);
        } else if (name == "switch") {
            for (const std::uint32_t one : device.switches) texts.push_back(std::to_string(one));
        } else if (name == "root_switch") {
            if (!device.switches.empty()) texts = {std::to_string(device.switches.front())};
        } else if (name == "island") {
            texts = {std::to_string(islands[values.size()])};
        } else if (name == "type") {
            texts = text_if_any(device.type);
        } else if (name == "model") {
            texts = text_if_any(in_small_letters(device.model));
        } else if (name == "vendor") {
            texts = text_if_any(device.vendor);
        }
        values.push_back(std::move(texts));
    }
    return values;
}

bool are_within(const std::vector<DeviceSet>& a, const std::vector<DeviceSet>& b) {
    return std::equal(a.begin(), a.end(), b.begin(),
                      [](const DeviceSet& x, const DeviceSet& y) { return y.contains_all(x); });
}

}  // namespace

std::vector<CommonValue> values_of(const NodeShape& shape, const std::string& name) {
    using Key = std::pair<std::optional<double>,
                          std::string>;  // equal as an DeviceRequest::AttributeTest has it
    std::vector<CommonValue> values;
    std::map<Key, std::size_t> places;
    const std::vector<ValueTexts> built_in = built_in_values(shape, name);
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        ValueTexts texts;
        for (const Device::Attribute& one : shape.devices[i].attributes) {
            if (one.name == name) texts.push_back(one.value);
        }
        for (const std::string& text : texts.empty() ? built_in[i] : texts) {
            const auto number = as_number(text);
            const auto [at, is_new] =
                places.try_emplace({number, number ? std::string() : text}, values.size());
            if (is_new) values.push_back({text, {}});
            values[at->second].devices.insert(DeviceId(i));
        }
    }
    return values;
}

bool is_about(const Request::CommonAttribute& common, const NodeDemand::Device& demand) {
    const auto& names = common.devices;
    if (common.name.empty()) return false;
    return names.empty() ||
           std::find(names.begin(), names.end(), demand.request.name) != names.end();
}

CommonValues::CommonValues(const NodeShape& shape, const NodeDemand& demand,
                           const DeviceMatches& matches) {
    for (const Request::CommonAttribute& one : demand.common_attributes) {
        CommonRule rule{one.name, {}, {}};
        for (std::size_t i = 0; i < demand.devices.size(); ++i) {
            if (is_about(one, demand.devices[i])) rule.demands.push_back(i);
        }
        if (rule.demands.empty()) continue;
        rule.values = values_of(shape, one.name);
        rules_.push_back(std::move(rule));
    }
    if (rules_.empty()) return;
    Way all(matches.size());
    for (std::size_t i = 0; i < matches.size(); ++i) {
        for (const DeviceId device : matches[i]) all[i].insert(device);
    }
    std::vector<Way> ways{std::move(all)};
    for (const CommonRule& rule : rules_) {
        std::vector<Way> next;
        for (const Way& way : ways) {
            add(next, narrowed(way, rule, {}));  // for demands that may get nothing
            for (const CommonValue& value : rule.values) {
                if (next.size() > ways_max) break;
                add(next, narrowed(way, rule, value.devices));
            }
        }
        has_too_many_ = has_too_many_ || next.size() > ways_max;
        ways = std::move(next);
    }
    for (const Way& way : ways) {
        ways_.emplace_back();
        for (const DeviceSet& devices : way) {
            ways_.back().emplace_back(devices.begin(), devices.end());
        }
    }
}

CommonValues::Way CommonValues::narrowed(Way way, const CommonRule& rule,
                                         const DeviceSet& devices) {
    for (const std::size_t i : rule.demands) way[i] &= devices;
    return way;
}

void CommonValues::add(std::vector<Way>& ways, Way way) {
    for (const Way& other : ways) {
        if (are_within(way, other)) return;
    }
    std::erase_if(ways, [&](const Way& other) { return are_within(other, way); });
    ways.push_back(std::move(way));
}

DeviceMatches with_value(DeviceMatches matches, const CommonRule& rule, const CommonValue& value) {
    for (const std::size_t i : rule.demands) {
        std::erase_if(matches[i], [&](DeviceId id) { return !value.devices.contains(id); });
    }
    return matches;
}

}  // namespace detail

}  // namespace trestle
