// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/cluster_bytes.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "alloc/cluster/byte_format.hpp"
#include "support/catch.hpp"
#include "support/cluster_history.hpp"
#include "support/codes.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using Raw = std::vector<std::uint8_t>;

/// Three nodes, two of them alike, with everything that a cluster can have.
Cluster bytes_cluster() {
    auto parts =
        *testing::cluster_parts_from_text("2 x (4c mem=16G gpu:2/4) 2 per switch; (1c name=login)");
    parts.nodes[1].features = {"fast"};
    parts.counts = {{"abaqus", Count(3)}};
    parts.partitions = {{}};
    parts.partitions[0].name = "day";
    parts.partitions[0].nodes = NodeSet::range({0, 2});
    parts.fleets = {{}};
    parts.fleets[0].name = "red";
    Cluster cluster = *Cluster::create(parts);
    NodePlacement part;
    part.cores = CoreSet::range({0, 2});
    part.devices = {{DeviceId(0), Count(3)}};
    Request request;
    request.features = *FeatureExpression::parse("fast|\"odd name\"");
    REQUIRE(cluster.commit({OwnerId(7), request, {{part}, {{"abaqus", Count(1)}}}}).ok());
    return cluster;
}

/// With the checksum made right again.
Raw forged(Raw bytes) {
    const std::uint64_t sum = detail::checksum(std::span(bytes).subspan(24));
    for (std::size_t i = 0; i < 8; ++i) bytes[16 + i] = static_cast<std::uint8_t>(sum >> 8 * i);
    return bytes;
}

}  // namespace

TEST_CASE("Cluster bytes: a cluster comes back", "[alloc]") {
    for (const Cluster& cluster : {Cluster(), bytes_cluster()}) {
        const auto back = from_bytes(to_bytes(cluster));
        REQUIRE(back.status() == Status());
        CHECK(*back == cluster);
        CHECK(to_bytes(*back) == to_bytes(cluster));
    }
}

TEST_CASE("Cluster bytes: a million nodes take little", "[alloc][unsanitized]") {
    std::string text;
    for (int i = 1; i <= 10; ++i) {
        text += (i == 1 ? "" : "; ") + fmt::format("100000 x ({}c mem=16G gpu:2)", i);
    }
    const auto cluster = testing::cluster_from_text(text);
    REQUIRE(cluster.ok());
    const Raw bytes = to_bytes(*cluster);
    CHECK(bytes.size() < 4'000);
    CHECK(*from_bytes(bytes) == *cluster);
}

TEST_CASE("Cluster bytes: the format stays what it is, or its version changes", "[alloc][golden]") {
    const Raw bytes = to_bytes(bytes_cluster());
    INFO("size " << bytes.size());
    CHECK(hash_of(std::string(bytes.begin(), bytes.end())) == 2448879120806875286u);
}

TEST_CASE("Cluster bytes: cut short anywhere, or with any bit changed, they are refused",
          "[alloc]") {
    const Raw bytes = to_bytes(bytes_cluster());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto cut = from_bytes(std::span(bytes).first(size));
        if (cut.status().code() != invalid) FAIL("cut at " << size);
    }
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        Raw changed = bytes;
        changed[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
        if (from_bytes(changed).status().code() != invalid) FAIL("bit " << bit);
    }
}

TEST_CASE("Cluster bytes: forged ones are a cluster or an error, never a crash", "[alloc]") {
    const Raw bytes = to_bytes(bytes_cluster());
    std::size_t accepted = 0;
    for (std::size_t at = 24; at < bytes.size(); ++at) {
        for (const int value : {0, 1, 0x7f, 0x80, 0xff, bytes[at] + 1}) {
            Raw changed = bytes;
            changed[at] = static_cast<std::uint8_t>(value);
            const auto read = from_bytes(forged(std::move(changed)), {1'000});
            if (!read.ok()) {
                CHECK(message(read.status()).find('\n') == std::string_view::npos);
                continue;
            }
            ++accepted;
            if (!(*from_bytes(to_bytes(*read)) == *read)) FAIL("at " << at);
        }
    }
    CHECK(accepted > 50);
}

TEST_CASE("Cluster bytes: what is wrong is said", "[alloc]") {
    const Raw bytes = to_bytes(bytes_cluster());
    struct Row {
        Raw bytes;
        const char* message;
        const char* why;
    };
    Raw version = bytes;
    version[8] = 9;
    Raw damaged = bytes;
    damaged.back() ^= 1;
    Raw longer = bytes;
    longer.push_back(0);
    const Row rows[] = {
        {{}, "offset 0: expected the bytes of a cluster", "nothing"},
        {{'{', '}', 1, 2, 3, 4, 5, 6, 7, 8}, "offset 0: expected the bytes of a cluster", "JSON"},
        {version, "offset 8: expected version 1", "of a later library"},
        {Raw(bytes.begin(), bytes.begin() + 20), "offset 20: expected a version and a checksum",
         "the head alone"},
        {damaged, "offset 16: expected the checksum of what follows", "a bit at the end"},
        {forged(longer), "expected the end", "a byte too many"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        const Status status = from_bytes(row.bytes).status();
        CHECK(status.code() == invalid);
        CHECK_THAT(std::string(message(status)), ContainsSubstring(row.message));
    }
    const auto large = testing::cluster_from_text("5000 x (1c)");
    CHECK(message(from_bytes(to_bytes(*large), {4'999}).status()) ==
          "cluster bytes: 5000 nodes, expected at most 4999");
}

TEST_CASE("Cluster bytes: equal clusters give equal bytes, however they came about",
          "[alloc][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(60u)}, [&](Choices& choices) {
        ClusterHistory history(choices);
        for (int i = 0; i < 5; ++i) {
            history.run(10);
            const Raw bytes = to_bytes(history.cluster());
            REQUIRE(bytes == to_bytes(rebuilt(history.model())));
            const auto back = from_bytes(bytes);
            REQUIRE(back.status() == Status());
            REQUIRE(history.model().difference(*back) == "");
            REQUIRE(to_bytes(*back) == bytes);
        }
    });
}

}  // namespace trestle
