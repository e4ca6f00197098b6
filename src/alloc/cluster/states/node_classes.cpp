// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/states/node_classes.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "alloc/cluster/class_of.hpp"
#include "trestle/alloc/node/node_ledger.hpp"

namespace trestle {

NodeClass class_of(const Node& node) {
    return {node.shape, node.features, node.weight, node.state, node.health, {}};
}

namespace detail {

KnownClass precompute(NodeClass value) {
    KnownClass known{std::move(value), {}, {}, {}};
    const NodeShape& shape = *known.value.shape;
    known.threads = ThreadCounts(shape.hardware);
    known.idle = NodeLedger(shape).free();
    for (std::uint32_t i = 0; i < shape.devices.size(); ++i) {
        if (!shape.devices[i].is_consumed) known.unconsumed.insert(DeviceId(i));
    }
    return known;
}

}  // namespace detail

const detail::KnownClass& NodeClasses::known(ClassId id) const {
    TRESTLE_EXPECTS(id.value() < known_.size(), "the class exists");
    return *known_[id.value()];
}

std::optional<ClassId> NodeClasses::find(const NodeClass& value) const {
    for (std::uint32_t i = size(); i > 0; --i) {  // mostly the last one
        if (known_[i - 1]->value == value) return ClassId(i - 1);
    }
    return std::nullopt;
}

ClassId NodeClasses::intern(NodeClass value) {
    if (const auto found = find(value)) return *found;
    const auto like = std::find_if(known_.begin(), known_.end(), [&](const auto& known) {
        return known->value.shape == value.shape;
    });
    if (like != known_.end()) value.shape = (*like)->value.shape;  // one object for equal ones
    known_.push_back(Shared<detail::KnownClass>(detail::precompute(std::move(value))));
    return ClassId(size() - 1);
}

}  // namespace trestle
