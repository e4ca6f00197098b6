// SPDX-License-Identifier: Apache-2.0
// What is read prints, the print is read as the same and met by the same nodes; an error points
// into the text.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/target.hpp"
#include "trestle/model/features.hpp"

using trestle::fuzz::require;

using namespace trestle;

TRESTLE_FUZZ(features) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto read = FeatureExpression::read(TextCursor(text));
    if (!read) {
        require(read.error().offset <= text.size());
        require(!read.error().what.empty() && !read.error().expected.empty());
        return;
    }
    const auto again = FeatureExpression::parse(to_text(*read));
    require(again.ok() && *again == *read);
    require(to_text(*again) == to_text(*read));
    const std::vector<std::string> features = {"a", "b c"};
    require(matches(*again, features) == matches(*read, features));
    require(read->is_empty() || matches(!*read, features) != matches(*read, features));
}
