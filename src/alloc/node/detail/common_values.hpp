// SPDX-License-Identifier: Apache-2.0
#pragma once

// What devices of a node have in common: the values of attributes, and the choices that they leave.
//
// Layer: alloc, internal to fit. Main types: CommonValues, CommonRule, CommonValue. A set of
// devices has a value of each attribute in common when it lies within the devices of one
// combination of values. Fit therefore searches each combination as if no other devices matched.
// Pitfall: combinations overlap where a device has several values. A pick may come up twice.

#include <cstddef>
#include <string>
#include <vector>

#include "trestle/alloc/node/demand.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/model/node.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::detail {

/// For each demand the devices that may answer it, lowest first.
using DeviceMatches = std::vector<std::vector<DeviceId>>;

/// The devices of a node that have one value of an attribute.
struct CommonValue {
    std::string text;
    DeviceSet devices;
};

/// The values of the attribute that devices of the node have, as Request::CommonAttribute describes
/// them; in the order of the lowest device that has them. Empty: no device has the attribute.
[[nodiscard]] std::vector<CommonValue> values_of(const NodeShape& shape, const std::string& name);

/// True when the devices of the demand have to have the attribute in common with others. An entry
/// without name is about none: explanations drop entries so.
[[nodiscard]] bool is_about(const Request::CommonAttribute& common,
                            const NodeDemand::Device& demand);

/// A Request::CommonAttribute with at least one demand to apply to.
struct CommonRule {
    std::string name;
    std::vector<std::size_t> demands;  ///< by number, rising
    std::vector<CommonValue> values;
};

class CommonValues {
  public:
    CommonValues() = default;
    /// `matches`: the devices that answer each demand when nothing has to be in common.
    CommonValues(const NodeShape& shape, const NodeDemand& demand, const DeviceMatches& matches);

    /// Empty where nothing has to be in common.
    [[nodiscard]] const std::vector<CommonRule>& rules() const { return rules_; }
    /// The matches that each combination of values leaves, those aside that another combination
    /// leaves with others. Empty where nothing has to be in common.
    [[nodiscard]] const std::vector<DeviceMatches>& ways() const { return ways_; }
    /// True when there are more combinations than ways_max; ways() then has some of them.
    [[nodiscard]] bool has_too_many() const { return has_too_many_; }

    static constexpr std::size_t ways_max = 1'024;

  private:
    /// For each demand the devices that may answer it.
    using Way = std::vector<DeviceSet>;

    [[nodiscard]] static Way narrowed(Way way, const CommonRule& rule, const DeviceSet& devices);
    /// Adds the way unless another leaves all that it does, and drops those that it makes needless.
    static void add(std::vector<Way>& ways, Way way);

    std::vector<CommonRule> rules_;
    std::vector<DeviceMatches> ways_;
    bool has_too_many_ = false;
};

/// `matches` without the devices that have not the value, for the demands of the rule.
[[nodiscard]] DeviceMatches with_value(DeviceMatches matches, const CommonRule& rule,
                                       const CommonValue& value);

}  // namespace trestle::detail
