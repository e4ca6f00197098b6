// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sets of indexes as bytes and back: the number of runs, and of each the gap before it and its
// length.
//
// Layer: set. Include it beside base/bytes.hpp for structs that have sets among their fields.
// Pitfall: a few bytes may name four billion members; a reader of untrusted bytes compares last()
// with what there is before going through a set.

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

template <IndexSetLike Set>
struct ByteCodec<Set> {
    static void write(ByteWriter& writer, const Set& set) {
        const detail::Runs runs = detail::runs_of(set);
        writer.number(runs.size());
        std::uint32_t end = 0;
        for (const auto& run : runs) {
            writer.number(run.first - end);
            writer.number(run.end - run.first);
            end = run.end;
        }
    }
    static Set read(ByteReader& reader) {
        Set set;
        std::uint32_t end = 0;
        const std::size_t runs = reader.length();
        for (std::size_t i = 0; i < runs && reader.ok(); ++i) {
            const std::size_t start = reader.offset();
            const auto gap = static_cast<std::uint32_t>(reader.number(Set::index_limit - end));
            const std::uint32_t first = end + gap;
            const auto size = static_cast<std::uint32_t>(reader.number(Set::index_limit - first));
            if (size == 0 || (gap == 0 && i != 0)) reader.fail(start, "a run apart from the last");
            if (!reader.ok()) break;
            end = first + size;
            set.insert_range({first, end});
        }
        return set;
    }
};

}  // namespace trestle
