// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/place/prepared_request.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/codes.hpp"
#include "support/contract.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

DeviceRequest of_type(const std::string& type) {
    DeviceRequest device;
    device.types = {type};
    return device;
}

/// Two kinds of GPU, each with two feature sets.
Request with_alternatives() {
    Request request;
    request.devices = {of_type("h100")};
    request.device_alternatives = {{of_type("a100")}};
    request.feature_sets = {*FeatureExpression::read(TextCursor("rack1")),
                            *FeatureExpression::read(TextCursor("rack2"))};
    return request;
}

}  // namespace

TEST_CASE("PreparedRequest: a request is checked when it is prepared", "[alloc]") {
    Request request;
    REQUIRE(PreparedRequest::create(request).ok());
    request.nodes = Range<Count>::exactly(Count(0));
    const auto prepared = PreparedRequest::create(request);
    CHECK(prepared.status().code() == invalid);
    CHECK(message(prepared.status()) == message(check(request)));
}

TEST_CASE("PreparedRequest: equal requests are equal, however they were prepared", "[alloc]") {
    const PreparedRequest one = with_alternatives();
    const PreparedRequest same = with_alternatives();
    const PreparedRequest copy = one;
    CHECK(one == same);
    CHECK(copy.shared().is_same_object(one.shared()));
    CHECK_FALSE(same.shared().is_same_object(one.shared()));
    CHECK(hash_of(one) == hash_of(same));
    CHECK(one != PreparedRequest());
    CHECK(*PreparedRequest() == Request());
    CHECK(to_text(one) == fmt::format("{}", *one));
}

TEST_CASE("PreparedRequest: its variants, the preferred first", "[alloc]") {
    const PreparedRequest plain = Request();
    REQUIRE(plain.variants().size() == 1);
    CHECK(plain.variants()[0].is_same_object(plain.shared()));

    const PreparedRequest request = with_alternatives();
    std::vector<std::string> variants;
    for (const auto& one : request.variants()) {
        variants.push_back(one->devices[0].types[0] + " " + to_text(one->features));
    }
    CHECK(variants ==
          std::vector<std::string>{"h100 rack1", "h100 rack2", "a100 rack1", "a100 rack2"});

    Request leader;
    leader.components = {with_alternatives()};
    CHECK(PreparedRequest(leader).variants().size() == 4);
}

TEST_CASE("place: prepared or not, the answer is the same", "[alloc]") {
    const Cluster cluster = *testing::cluster_from_text("2 x (4c gpu:a100:2)");
    for (const Request& request : {Request(), with_alternatives()}) {
        const PreparedRequest prepared(request);
        const auto expected = place(cluster, request);
        CHECK(place(cluster, prepared) == expected);
        CHECK(Placer().place(cluster, prepared) == expected);
        CHECK(Placer().place(cluster, request) == expected);
    }
}

}  // namespace trestle
