// SPDX-License-Identifier: Apache-2.0
// What holds for every value type of the model: regular, complete list of fields, hash and text
// that follow equality.
#include <concepts>
#include <string>
#include <type_traits>
#include <unordered_set>

#include "model/topologies.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/device.hpp"
#include "trestle/model/features.hpp"
#include "trestle/model/fleet.hpp"
#include "trestle/model/hardware.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/node_builder.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"
#include "trestle/model/trace.hpp"
#include "trestle/model/tres.hpp"
#include "trestle/testing/arbitrary.hpp"

namespace trestle {
namespace {

/// A plain struct: regular, cheap to move, and its list names every field.
template <class T>
constexpr bool is_model_struct = std::regular<T>&& std::is_nothrow_move_constructible_v<T>&&
    std::is_aggregate_v<T>&& lists_all_fields<T>;

static_assert(is_model_struct<ClusterCount>);
static_assert(is_model_struct<Device::File>);
static_assert(is_model_struct<Version>);
static_assert(is_model_struct<Device::Attribute>);
static_assert(is_model_struct<Device>);
static_assert(is_model_struct<FeatureCount>);
static_assert(is_model_struct<DeviceLink>);
static_assert(is_model_struct<Partition>);
static_assert(is_model_struct<Fleet>);
static_assert(is_model_struct<Core>);
static_assert(is_model_struct<CoreGroup>);
static_assert(is_model_struct<HardwareTree>);
static_assert(is_model_struct<MemoryDomain>);
static_assert(is_model_struct<TreeTopology::Switch>);
static_assert(is_model_struct<BlockTopology::Block>);
static_assert(is_model_struct<TreeTopology>);
static_assert(is_model_struct<BlockTopology>);
static_assert(is_model_struct<TorusTopology::Shape>);
static_assert(is_model_struct<TorusTopology::Torus>);
static_assert(is_model_struct<TorusTopology>);
static_assert(is_model_struct<RingTopology::Ring>);
static_assert(is_model_struct<RingTopology>);
static_assert(is_model_struct<TopologyId>);
static_assert(is_model_struct<Network>);
static_assert(is_model_struct<NodeShape>);
static_assert(is_model_struct<Node>);
static_assert(is_model_struct<NodeDescription::Devices>);
static_assert(is_model_struct<NodeDescription>);
static_assert(is_model_struct<Offer::Devices>);
static_assert(is_model_struct<Offer>);
static_assert(is_model_struct<BlockShare>);
static_assert(is_model_struct<MemoryShare>);
static_assert(is_model_struct<DeviceShare>);
static_assert(is_model_struct<NodePlacement>);
static_assert(is_model_struct<Placement>);
static_assert(is_model_struct<Allocation>);
static_assert(is_model_struct<DeviceRequest::AttributeTest>);
static_assert(is_model_struct<DeviceRequest>);
static_assert(is_model_struct<TopologyRequest>);
static_assert(is_model_struct<Request>);
static_assert(is_model_struct<TraceEvent>);
static_assert(is_model_struct<Gres>);
static_assert(is_model_struct<Tres>);
static_assert(is_model_struct<Refusal>);
static_assert(is_model_struct<ClusterParts>);
static_assert(std::regular<FeatureExpression>);
static_assert(std::regular<TresCounts> && std::regular<Cluster> && std::regular<NodeLedger>);
static_assert(std::totally_ordered<Version> && std::totally_ordered<Tres>);

/// A list that forgets a field is seen.
struct Forgetful {
    int a = 0;
    int b = 0;
    static constexpr auto fields(auto list) { return list(field("a", &Forgetful::a)); }
};
static_assert(!lists_all_fields<Forgetful>);

TEMPLATE_TEST_CASE("model: equal values have equal hashes and texts, others differ in hash",
                   "[model][law]", Node, NodeShape, Device, Request, Allocation, Offer, Partition,
                   Fleet, Network, TraceEvent, TresCounts, FeatureExpression) {
    using testing::Choices;
    std::unordered_set<TestType, Hash> seen;
    std::unordered_set<std::uint64_t> hashes;
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), 500}, [&](Choices& choices) {
        Choices again = choices;
        const auto value = testing::arbitrary<TestType>(choices);
        const auto equal = testing::arbitrary<TestType>(again);  // made anew: shares no memory
        REQUIRE(value == equal);
        REQUIRE(hash_of(value) == hash_of(equal));
        REQUIRE(to_text(value) == to_text(equal));
        seen.insert(value);
        hashes.insert(hash_of(value));
        TestType copy = value;
        const TestType moved = std::move(copy);
        REQUIRE(moved == value);
    });
    // 64 bits: two of 500 different values with one hash would be a bug of the hash.
    CHECK(hashes.size() == seen.size());
    CHECK(seen.size() > 100);
}

/// Changes each field in turn and calls `visit` with the changed struct.
template <class T, class Visit>
void with_each_field_changed(const T& value, Visit visit) {
    const auto change_one = [&](const auto& f) {
        T changed = value;
        auto& member = changed.*(f.pointer);
        testing::Choices choices(test_seed());
        while (member == value.*(f.pointer)) {
            member = testing::arbitrary<std::remove_reference_t<decltype(member)>>(choices);
        }
        visit(f.name, changed);
    };
    T::fields([&](const auto&... f) { (change_one(f), ...); });
}

TEMPLATE_TEST_CASE("model: every field counts for equality, hash and text", "[model][law]",
                   Device::File, Version, Device::Attribute, Device, DeviceLink, Partition, Fleet,
                   Core, CoreGroup, HardwareTree, MemoryDomain, TreeTopology::Switch,
                   BlockTopology::Block, TreeTopology, BlockTopology, TorusTopology::Shape,
                   TorusTopology::Torus, TorusTopology, RingTopology::Ring, RingTopology,
                   TopologyId, Network, NodeShape, Node, NodeDescription::Devices, NodeDescription,
                   Offer::Devices, Offer, BlockShare, MemoryShare, DeviceShare, NodePlacement,
                   Placement, Allocation, DeviceRequest::AttributeTest, DeviceRequest,
                   TopologyRequest, Request, TraceEvent, Gres, Tres, Refusal, ClusterCount,
                   FeatureCount) {
    const TestType value{};
    with_each_field_changed(value, [&](std::string_view name, const TestType& changed) {
        INFO(name);
        CHECK_FALSE(changed == value);
        CHECK(hash_of(changed) != hash_of(value));
        CHECK(to_text(changed) != to_text(value));
    });
}

}  // namespace
}  // namespace trestle
