// SPDX-License-Identifier: Apache-2.0
#include "alloc/cluster/states/node_classes.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "alloc/cluster/class_of.hpp"
#include "trestle/alloc/node/node_ledger.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {

namespace {

std::uint64_t hash_of_class(std::uint64_t shape, const NodeClass& value) {
    HashState state;
    state.add(shape);
    hash_into(state, value.features);
    hash_into(state, value.weight);
    hash_into(state, value.state);
    hash_into(state, value.health);
    hash_into(state, value.partitions);
    return state.result();
}

/// An order of addresses, which only find shapes.
bool comes_first(const NodeShape* one, const NodeShape* other) { return std::less<>()(one, other); }

}  // namespace

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
    if (is_last(value)) return ClassId(size() - 1);
    return find(value, hash_of_class(hash_of_shape(*value.shape), value));
}

ClassId NodeClasses::intern(NodeClass value) {
    if (is_last(value)) return ClassId(size() - 1);
    const std::uint64_t shape = hash_of_shape(*value.shape);
    const std::uint64_t hash = hash_of_class(shape, value);
    if (const auto found = find(value, hash)) return *found;
    const ClassId id(size());
    const auto like =
        first(by_shape_, shape, [&](ClassId one) { return known(one).value.shape == value.shape; });
    if (like) {
        value.shape = known(*like).value.shape;  // one object for equal ones
    } else {
        enter(by_shape_, {shape, id});
        const auto at = std::upper_bound(shapes_.begin(), shapes_.end(), &*value.shape,
                                         [](const NodeShape* one, const KnownShape& other) {
                                             return comes_first(one, other.shape);
                                         });
        shapes_.insert(at, {&*value.shape, shape});
    }
    known_.push_back(Shared<detail::KnownClass>(detail::precompute(std::move(value))));
    enter(by_value_, {hash, id});
    return id;
}

bool NodeClasses::is_last(const NodeClass& value) const {
    if (known_.empty()) return false;
    const NodeClass& last = known_.back()->value;
    return last.shape.is_same_object(value.shape) && last == value;
}

std::uint64_t NodeClasses::hash_of_shape(const NodeShape& shape) const {
    const auto at = std::lower_bound(shapes_.begin(), shapes_.end(), &shape,
                                     [](const KnownShape& one, const NodeShape* other) {
                                         return comes_first(one.shape, other);
                                     });
    return at != shapes_.end() && at->shape == &shape ? at->hash : hash_of(shape);
}

std::optional<ClassId> NodeClasses::find(const NodeClass& value, std::uint64_t hash) const {
    return first(by_value_, hash, [&](ClassId one) { return known(one).value == value; });
}

void NodeClasses::enter(Places& places, const Place& place) {
    const auto at =
        std::upper_bound(places.begin(), places.end(), place.hash,
                         [](std::uint64_t hash, const Place& one) { return hash < one.hash; });
    places.insert(at, place);
}

template <class Is>
std::optional<ClassId> NodeClasses::first(const Places& places, std::uint64_t hash, const Is& is) {
    auto at =
        std::lower_bound(places.begin(), places.end(), hash,
                         [](const Place& one, std::uint64_t wanted) { return one.hash < wanted; });
    for (; at != places.end() && at->hash == hash; ++at) {
        if (is(at->id)) return at->id;
    }
    return std::nullopt;
}

}  // namespace trestle
