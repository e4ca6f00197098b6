// SPDX-License-Identifier: Apache-2.0
// A SmallVector is told from a std::vector by nothing that prints, hashes or is written.
#include "trestle/base/small_vector.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/base/hash.hpp"

using namespace trestle;

static_assert(AnyList<std::vector<int>> && AnyList<SmallVector<int>> && !AnyList<std::string>);

TEST_CASE("SmallVector: prints, hashes and is written as a vector is", "[base]") {
    for (const std::vector<std::uint32_t>& values :
         {std::vector<std::uint32_t>{}, {7}, {7, 8}, {3, 2, 1, 0}}) {
        const SmallVector<std::uint32_t> list(values.begin(), values.end());
        CHECK(hash_of(list) == hash_of(values));
        std::string text_of_list;
        std::string text_of_values;
        detail::print(text_of_list, list);
        detail::print(text_of_values, values);
        CHECK(text_of_list == text_of_values);
        ByteWriter of_list;
        ByteWriter of_values;
        write_bytes(of_list, list);
        write_bytes(of_values, values);
        CHECK(of_list.bytes() == of_values.bytes());
    }
}

TEST_CASE("SmallVector: what the predicate holds for goes", "[base]") {
    SmallVector<int> list{1, 2, 3, 4, 6};
    erase_if(list, [](int value) { return value % 2 == 0; });
    CHECK(list == SmallVector<int>{1, 3});
    erase_if(list, [](int) { return true; });
    CHECK(list.empty());
}
