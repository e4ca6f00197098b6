// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/job_steps.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/alloc/node/demand.hpp"
#include "trestle/alloc/node/fit_explanation.hpp"
#include "trestle/alloc/node/free_state.hpp"
#include "trestle/alloc/node/job/device_bind.hpp"
#include "trestle/alloc/node/job/job.hpp"
#include "trestle/alloc/node/job/task_layout.hpp"
#include "trestle/alloc/node/slices.hpp"
#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/verdict.hpp"
#include "trestle/dialect/json/json.hpp"
#include "trestle/enforce/step.hpp"
#include "trestle/model/features.hpp"
#include "trestle/model/fleet.hpp"
#include "trestle/model/network.hpp"
#include "trestle/model/node.hpp"
#include "trestle/model/partition.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/request.hpp"
#include "trestle/model/trace.hpp"
#include "trestle/model/tres.hpp"
#include "trestle/testing/arbitrary.hpp"

namespace trestle::json {
namespace {

template <class T>
void require_same_after_json(const T& value, Layout layout) {
    const std::string text = to_json_text(value, layout);
    INFO(text);
    const auto back = from_json_text<T>(text);
    REQUIRE(message(back.status()) == "");
    REQUIRE(*back == value);
    REQUIRE(to_json_text(*back, layout) == text);
}

TEMPLATE_TEST_CASE("JSON: any value comes back as it was", "[json][law]", Node, NodeShape, Device,
                   Request, Placement, NodePlacement, Allocation, Offer, BlockShare, Partition,
                   Fleet, Network, TresCounts, Gres, Refusal, TraceEvent, Range<Version>,
                   FeatureExpression, FeatureCount, ClusterCount, Interval<Bytes>, Slicing,
                   SliceChanges, NodeDemand, Holding, FreeState, PlaceOptions, JobStep, StepOptions,
                   TaskPlacement, DeviceBind, Explanation, FitExplanation) {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(300u)}, [](testing::Choices& choices) {
        require_same_after_json(testing::arbitrary<TestType>(choices), Layout::one_line);
    });
    testing::for_random_choices({test_seed() + 1, test_rounds(20u)}, [](testing::Choices& choices) {
        require_same_after_json(testing::arbitrary<TestType>(choices), Layout::indented);
    });
}

TEMPLATE_TEST_CASE("JSON: an empty object is a default value", "[json]", Node, NodeShape, Device,
                   Request, Placement, NodePlacement, Allocation, Offer, BlockShare, Partition,
                   Fleet, Network, TresCounts, Gres, Refusal, TraceEvent, Slicing, SliceGeometry,
                   NodeDemand, FreeState, JobNode, DeviceBind) {
    CHECK(*from_json_text<TestType>("{}") == TestType{});
}

TEST_CASE("JSON: a default is left out, an id or an enum never", "[json]") {
    CHECK(to_json_text(TresCounts{}) == "{}");
    CHECK(to_json_text(Step{}) == R"({"action":{"kind":"make_group"},"requirement":"require"})");
    CHECK(to_json_text(DeviceShare{}) == R"({"device":0})");
    CHECK(to_json_text(NodePlacement{}) == R"({"node":0})");
}

TEST_CASE("JSON: parts without fields have forms of their own", "[json][golden]") {
    CHECK(to_json_text(true) == "true");
    CHECK(to_json_text(-3) == "-3");
    CHECK(to_json_text(gib(16)) == "17179869184");
    CHECK(to_json_text(Bytes::max()) == "9223372036854775807");
    CHECK(to_json_text(OwnerId(~std::uint64_t{0})) == "18446744073709551615");
    CHECK(to_json_text(CoreSet::of({CoreId(0), CoreId(1), CoreId(8)})) == "\"0-1,8\"");
    CHECK(to_json_text(Health::warning) == "\"warning\"");
    CHECK(to_json_text(std::optional<Count>()) == "null");
    CHECK(to_json_text(std::vector<std::string>{"a\n\"b\"", "\xc3\xa9"}) ==
          "[\"a\\n\\\"b\\\"\",\"\xc3\xa9\"]");
    CHECK(to_json_text(std::pair(NodeId(1), true)) == "[1,true]");
}

TEST_CASE("JSON: an open range differs from a default one", "[json]") {
    Request request;
    request.nodes = {};
    CHECK_THAT(to_json_text(request), Catch::Matchers::StartsWith(R"({"nodes":{},)"));
    CHECK(*from_json_text<Request>(R"({"nodes":{}})") == request);
    CHECK(*from_json_text<Request>("{}") != request);
}

TEST_CASE("JSON: null is an absent option", "[json]") {
    CHECK(*from_json_text<Request>(R"({"tasks":null,"memory_level":null})") == Request{});
    CHECK(*from_json_text<Device>(R"({"slicing":null})") == Device{});
    CHECK(*from_json_text<Device>(R"({"slicing":{}})") != Device{});
}

TEST_CASE("JSON: what can be asked inside a node", "[json][golden]") {
    Request request;
    request.distribution.sockets = Distribution::cyclic;
    request.memory_level = HardwareLevel::l3;
    DeviceRequest sliced;
    sliced.slice = "1g.10gb";
    request.device_alternatives = {{sliced}, {}};
    const std::string text = to_json_text(request);
    INFO(text);
    CHECK(
        text.find(
            R"("distribution":{"nodes":"block","sockets":"cyclic","split":"as_even","level":"package"})") !=
        text.npos);
    CHECK(text.find(R"("memory_level":"l3")") != text.npos);
    CHECK(text.find(R"("slice":"1g.10gb")") != text.npos);
    CHECK(text.find(R"("device_alternatives":[[{)") != text.npos);
    CHECK(*from_json_text<Request>(text) == request);
    CHECK(to_json_text(DeviceShare{DeviceId(2), Count(1), Slicing::Instance{4, 1, "1g.10gb"}}) ==
          R"({"device":2,"slice":{"start":4,"profile":"1g.10gb"}})");
}

TEST_CASE("JSON: features are text, groups of nodes are requests", "[json][golden]") {
    Request request;
    request.features = feature("a100") & (feature("ib") | !feature("old"));
    request.feature_counts = {{{"rack1"}, Count(2)}};
    request.feature_sets = {{"rack1"}, {"rack2"}};
    request.cluster_counts = {{"matlab", Count(2)}};
    request.components.resize(1);
    request.components[0].node_counts = {Count(1)};
    CHECK(to_json_text(request) ==
          R"({"core_locality":"prefer","core_level":"numa","memory_per":"node",)"
          R"-("memory_locality":"prefer","features":"a100&(ib|!old)",)-"
          R"("feature_counts":[{"features":"rack1","nodes":2}],"feature_sets":["rack1","rack2"],)"
          R"("exclusivity":"shared","cluster_counts":[{"name":"matlab","count":2}],)"
          R"("components":[{"node_counts":[1],"core_locality":"prefer","core_level":"numa",)"
          R"("memory_per":"node","memory_locality":"prefer","exclusivity":"shared",)"
          R"("component_nodes":"apart"}],"component_nodes":"apart"})");
    CHECK(*from_json_text<Request>(R"({"features":["a","b"]})") ==
          *from_json_text<Request>(R"({"features":"a & b"})"));
    CHECK(*from_json_text<Request>(R"({"features":[]})") == Request{});
    CHECK(*from_json_text<Request>(R"({"features":""})") == Request{});
}

TEST_CASE("JSON: bytes that are not UTF-8 are written as U+FFFD", "[json]") {
    CHECK(to_json_text(std::string("a\xff")) == "\"a\xef\xbf\xbd\"");
}

TEST_CASE("JSON: a node reads well when indented", "[json][golden]") {
    NodeShape shape;
    shape.hardware.cores = {Core{{OsIndex(0), OsIndex(2)}}, Core{{OsIndex(1), OsIndex(3)}}};
    shape.memory = {{OsIndex(0), MemoryDomain::Kind::dram, gib(4), CoreSet::range({0, 2})}};
    shape.devices.resize(1);
    shape.devices[0].name = "gpu";
    shape.devices[0].memory = gib(80);
    shape.devices[0].compute_capability = Version{8, 0};
    shape.devices[0].files = {{"/dev/nvidia0", Device::File::Kind::character, 195, 0}};
    const Node node{"n0", shape, {"fast"}, 2, NodeState::drained, Health::healthy};
    CHECK(to_json_text(node, Layout::indented) == R"({
  "name": "n0",
  "shape": {
    "architecture": "x86",
    "hardware": {"cores": [{"threads": [0, 2]}, {"threads": [1, 3]}]},
    "memory": [{"os_index": 0, "kind": "dram", "capacity": 4294967296, "cores": "0-1"}],
    "devices": [
      {
        "name": "gpu",
        "memory": 85899345920,
        "compute_capability": {"major": 8},
        "files": [{"path": "/dev/nvidia0", "kind": "character", "major": 195, "minor": 0}],
        "share_kind": "part",
        "health": "healthy"
      }
    ]
  },
  "features": ["fast"],
  "weight": 2,
  "state": "drained",
  "health": "healthy"
})");
}

}  // namespace
}  // namespace trestle::json
