// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "set/bytes.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/set/index_set.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle {
namespace {

using Raw = std::vector<std::uint8_t>;

enum class Fruit { apple = 1, plum = 4 };
constexpr auto enum_names(Fruit) {
    return std::array{named(Fruit::apple, "apple"), named(Fruit::plum, "plum")};
}

struct Basket {
    std::string name;
    std::vector<Fruit> fruits;
    std::optional<Bytes> weight;
    std::pair<NodeId, bool> owner;
    std::vector<Basket> inside;

    static constexpr auto fields(auto list) {
        return list(field("name", &Basket::name), field("fruits", &Basket::fruits),
                    field("weight", &Basket::weight), field("owner", &Basket::owner),
                    field("inside", &Basket::inside));
    }
    friend bool operator==(const Basket&, const Basket&) = default;
};

template <class T>
Raw bytes_of(const T& value) {
    ByteWriter writer;
    write_bytes(writer, value);
    return writer.take();
}
/// The error in reading a T, or nothing.
template <class T>
std::string error_in(const Raw& bytes) {
    ByteReader reader(bytes);
    static_cast<void>(read_bytes<T>(reader));
    return reader.ok() ? "" : to_text(reader.error());
}

}  // namespace

TEST_CASE("bytes: what is written comes back, and is as brief as can be", "[base]") {
    CHECK(bytes_of(std::uint32_t{0}) == Raw{0});
    CHECK(bytes_of(std::uint32_t{127}) == Raw{127});
    CHECK(bytes_of(std::uint32_t{300}) == Raw{0xac, 2});
    CHECK(bytes_of(std::string("ab")) == Raw{2, 'a', 'b'});
    CHECK(bytes_of(std::optional<bool>(true)) == Raw{1, 1});
    CHECK(bytes_of(CoreSet::of({CoreId(1), CoreId(2), CoreId(5)})) == Raw{2, 1, 2, 2, 1});
    const Basket basket{"b", {Fruit::plum, Fruit::apple}, gib(1), {NodeId(3), true}, {Basket{}}};
    const Raw bytes = bytes_of(basket);
    ByteReader reader(bytes);
    CHECK(read_bytes<Basket>(reader) == basket);
    CHECK((reader.ok() && reader.at_end()));
    for (const std::uint64_t number : {std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
        const Raw raw = bytes_of(number);
        ByteReader one(raw);
        CHECK(read_bytes<std::uint64_t>(one) == number);
    }
}

TEST_CASE("bytes: sets come back, small and large", "[base]") {
    const NodeSet sets[] = {NodeSet(), NodeSet::range({7, 70'000}),
                            NodeSet::of({NodeId(0), NodeId(4'294'967'294)})};
    for (const NodeSet& set : sets) {
        const Raw bytes = bytes_of(set);
        ByteReader reader(bytes);
        CHECK(read_bytes<NodeSet>(reader) == set);
        CHECK((reader.ok() && reader.at_end()));
        CHECK(bytes.size() <= 16);
    }
}

TEST_CASE("bytes: what is wrong is said with its offset", "[base]") {
    struct Row {
        std::string error;
        std::string expected;
        const char* why;
    };
    const Row rows[] = {
        {error_in<std::uint8_t>({0xac, 2}), "offset 0: expected a number up to 255", "300"},
        {error_in<std::uint32_t>({0x80, 0}), "offset 0: expected a number up to 4294967295",
         "a zero in two bytes"},
        {error_in<std::uint32_t>({0x80}), "offset 0: expected a number up to 4294967295",
         "cut short"},
        {error_in<std::uint64_t>({255, 255, 255, 255, 255, 255, 255, 255, 255, 2}),
         "offset 0: expected a number up to 18446744073709551615", "2^64 and more"},
        {error_in<Bytes>({255, 255, 255, 255, 255, 255, 255, 255, 255, 1}),
         "offset 0: expected a number up to 9223372036854775807", "2^64 - 1 bytes"},
        {error_in<std::string>({3, 'a', 'b'}), "offset 0: expected a length up to 2", "cut short"},
        {error_in<std::vector<std::uint32_t>>({0xff, 0xff, 0xff, 0x7f, 0}),
         "offset 0: expected a length up to 1", "a length that would fill the memory"},
        {error_in<bool>({2}), "offset 0: expected a number up to 1", "neither true nor false"},
        {error_in<Fruit>({2}), "offset 0: expected the number of an enumerator", "no such fruit"},
        {error_in<CoreSet>({1, 0, 0}), "offset 1: expected a run apart from the last",
         "a run of nothing"},
        {error_in<CoreSet>({2, 0, 1, 0, 1}), "offset 3: expected a run apart from the last",
         "two runs that are one"},
        {error_in<CoreSet>({1, 0, 0x81, 0x80, 0x40}), "offset 2: expected a number up to 1048576",
         "a core too high"},
    };
    for (const Row& row : rows) {
        INFO(row.why);
        CHECK(row.error == row.expected);
    }
}

TEST_CASE("bytes: structs inside structs do not exhaust the stack", "[base]") {
    Raw deep;
    for (int i = 0; i < 1'000; ++i) deep.insert(deep.end(), {0, 0, 0, 0, 0, 1});
    CHECK_THAT(error_in<Basket>(deep),
               Catch::Matchers::EndsWith("expected at most 32 structs inside each other"));
}

TEST_CASE("bytes: after an error a reader reads nothing more, and the first one stays", "[base]") {
    const Raw bytes{9, 1, 1};
    ByteReader reader(bytes);
    CHECK(read_bytes<bool>(reader) == false);
    CHECK(read_bytes<std::uint32_t>(reader) == 0);
    CHECK(reader.word() == 0);
    CHECK(reader.text() == "");
    CHECK(reader.error() == ByteError{0, "a number up to 1"});
}

}  // namespace trestle
