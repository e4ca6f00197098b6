// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parser behind node_from_text; the grammar is in node_text.hpp.
//
// Layer: testing. Main type: NodeParser.
// Pitfall: the counts in the first word bound what may follow, so it comes first.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testing/detail/sizes.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/text.hpp"
#include "trestle/model/node_builder.hpp"

namespace trestle::testing::detail {

class NodeParser {
  public:
    [[nodiscard]] TextResult<NodeDescription> parse(TextCursor text) &&;

  private:
    using Error = std::optional<TextError>;

    /// Stores a result, or hands its error on.
    template <class T, class U>
    static Error store(const TextResult<T>& result, U& target) {
        if (!result) return result.error();
        target = *result;
        return {};
    }
    static Error store_count(TextCursor& text, Interval<std::uint32_t> bounds,
                             std::uint32_t& target);

    Error read_hardware(TextCursor& text);

    Error read_item(TextCursor item);

    Error read_option(const TextCursor& start, const std::string& key, TextCursor& value);

    Error read_part(TextCursor& value, std::uint32_t& target);

    Error read_cores(TextCursor& value, CoreSet& target) const;

    template <class E>
    Error read_enum(TextCursor& value, E& target) {
        const TextCursor start = value;
        if (const auto found = enum_from_text<E>(value.take_while(is_word_character))) {
            target = *found;
            return {};
        }
        std::string names;
        for (const auto& entry : enum_names(E{})) {
            names += names.empty() ? "" : ", ";
            names += entry.name;
        }
        return start.error("unknown word", names);
    }

    Error read_features(TextCursor& value);

    Error read_devices(const TextCursor& start, const std::string& name, TextCursor& text);

    /// True when a colon and then nothing but digits come next.
    static bool is_count(TextCursor text);

    /// `a100`, `a100-80G`, `-80G`: what follows the last dash is memory if it is a size.
    static Error read_type(TextCursor& text, NodeDescription::Devices& devices);

    /// What stands behind an `@`.
    Error read_word_of(TextCursor& text, NodeDescription::Devices& devices) const;

    /// 12 for `s12` behind `s`.
    static std::optional<std::uint32_t> number_behind(std::string_view prefix,
                                                      std::string_view word);

    static Error read_slices(TextCursor& text, NodeDescription::Devices& devices);

    NodeDescription description_;
    std::uint32_t device_count_ = 0;
    std::vector<std::string> keys_;
};

}  // namespace trestle::testing::detail
