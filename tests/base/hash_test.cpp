// SPDX-License-Identifier: Apache-2.0
#include "trestle/base/hash.hpp"

#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "trestle/base/interval.hpp"
#include "trestle/base/verdict.hpp"

using namespace trestle;

TEST_CASE("Hash: golden values, the same on every run and platform", "[base][golden]") {
    CHECK(hash_of(0) == 0x74d28e025ceaac29);
    CHECK(hash_of(std::uint64_t{1}) == 0x8ea1d94bff77f99d);
    CHECK(hash_of(std::string("gpu")) == 0x7f6b354a92a95d52);
    CHECK(hash_of(std::string("a string of more than eight bytes")) == 0xf904e2d384669d4c);
    CHECK(hash_of(NodeId(7)) == 0x7d05bd97be38ffe2);
    CHECK(hash_of(0.0) == hash_of(-0.0));
    CHECK(hash_of(1.5) != hash_of(1.25));
    CHECK(hash_of(1.5F) == hash_of(1.5));
    CHECK(hash_of(gib(16)) == 0x98d35812c90954c6);
    CHECK(hash_of(Interval<std::uint32_t>{3, 9}) == 0x8adb87320057e103);
    CHECK(hash_of(Refusal{Constraint::none, "4 asked"}) == 0xe7f454458fe1c38d);
}

TEST_CASE("Hash: the type of a text does not matter, nor that of an integer", "[base]") {
    CHECK(hash_of(std::string("gpu")) == hash_of(std::string_view("gpu")));
    CHECK(hash_of(std::uint8_t{9}) == hash_of(std::uint64_t{9}));
    CHECK(hash_of(std::vector{1, 2}) == hash_of(std::vector<std::int64_t>{1, 2}));
}

TEST_CASE("Hash: neighbours that must not meet", "[base]") {
    using Strings = std::vector<std::string>;
    CHECK(hash_of(0) != hash_of(1));
    CHECK(hash_of(std::string("ab")) != hash_of(std::string("ba")));
    CHECK(hash_of(std::string()) != hash_of(std::string(1, '\0')));
    CHECK(hash_of(std::string("12345678")) != hash_of(std::string("123456789")));
    CHECK(hash_of(Strings{"a", "bc"}) != hash_of(Strings{"ab", "c"}));
    CHECK(hash_of(Strings{""}) != hash_of(Strings{}));
    CHECK(hash_of(std::optional<int>()) != hash_of(std::optional<int>(0)));
    CHECK(hash_of(std::pair{1, 2}) != hash_of(std::pair{2, 1}));
    CHECK(hash_of(Interval<int>{1, 2}) != hash_of(Interval<int>{2, 1}));
}

TEST_CASE("Hash: small numbers spread over all bits", "[base]") {
    std::unordered_set<std::uint64_t> low;
    std::unordered_set<std::uint64_t> high;
    for (int i = 0; i < 4096; ++i) {
        low.insert(hash_of(i) & 0xffff);
        high.insert(hash_of(i) >> 48);
    }
    CHECK(low.size() > 3800);  // 3969 expected for random numbers
    CHECK(high.size() > 3800);
}

TEST_CASE("Hash: works with hash tables of std", "[base]") {
    std::unordered_set<Refusal, Hash> refusals;
    refusals.insert({Constraint::cores, "x"});
    refusals.insert({Constraint::cores, "x"});
    CHECK(refusals.size() == 1);
    std::unordered_set<NodeId> nodes = {NodeId(1), NodeId(1), NodeId(2)};
    CHECK(nodes.size() == 2);
    std::unordered_set<Bytes> sizes = {gib(1), mib(1024)};
    CHECK(sizes.size() == 1);
}
