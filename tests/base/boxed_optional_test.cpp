// SPDX-License-Identifier: Apache-2.0
// A BoxedOptional answers as the std::optional of the same value, in a pointer's place.
#include "trestle/base/boxed_optional.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "support/catch.hpp"
#include "support/contract.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"

namespace trestle {
namespace {

using Text = BoxedOptional<std::string>;

Text rare_of(const std::optional<std::string>& value) { return value ? Text(*value) : Text(); }

template <class T>
std::vector<std::uint8_t> written(const T& value) {
    ByteWriter writer;
    write_bytes(writer, value);
    return writer.take();
}

}  // namespace

TEST_CASE("rare: says, orders, hashes and writes what std::optional does", "[base]") {
    static_assert(sizeof(Text) == sizeof(void*));
    using Optional = std::optional<std::string>;
    const std::vector<Optional> values = {std::nullopt, "", "a", "b", std::string(100, 'x')};
    for (const Optional& a : values) {
        const Text rare = rare_of(a);
        CHECK(rare.has_value() == a.has_value());
        CHECK(static_cast<bool>(rare) == a.has_value());
        CHECK((rare == std::nullopt) == !a);
        CHECK(rare.value_or("none") == a.value_or("none"));
        if (a) CHECK(*rare == *a);
        if (a) CHECK(rare->size() == a->size());
        CHECK(hash_of(rare) == hash_of(a));
        CHECK(written(rare) == written(a));
        const auto bytes = written(a);
        ByteReader reader(bytes);
        CHECK(read_bytes<Text>(reader) == rare);
        for (const Optional& b : values) {
            CHECK((rare == rare_of(b)) == (a == b));
            CHECK((rare < rare_of(b)) == (a < b));
            CHECK((rare > rare_of(b)) == (a > b));
        }
    }
}

TEST_CASE("rare: copies outlive what they were made of, and one assigned leaves them alone",
          "[base]") {
    Text first("a");
    const Text copy = first;
    first = Text("b");
    CHECK(*copy == "a");
    CHECK(*first == "b");
    Text moved = std::move(first);
    CHECK(*moved == "b");
    CHECK(first == std::nullopt);  // NOLINT: what was moved from holds nothing
    moved = *&moved;
    CHECK(*moved == "b");
    moved = std::nullopt;
    CHECK_FALSE(moved);
    moved = copy;
    CHECK(*moved == "a");
    CHECK(moved == copy);
    CHECK_FALSE(broken_contract([] { (void)*Text(); }).empty());
}

}  // namespace trestle
