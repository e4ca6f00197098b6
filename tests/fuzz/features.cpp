// SPDX-License-Identifier: Apache-2.0
// What is read prints, the print is read as the same and met by the same nodes; an error points
// into the text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/model/features.hpp"

using namespace trestle;

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto read = FeatureExpression::read(TextCursor(text));
    if (!read) {
        require(read.error().offset <= text.size());
        require(!read.error().what.empty() && !read.error().expected.empty());
        return 0;
    }
    const auto again = FeatureExpression::parse(to_text(*read));
    require(again.ok() && *again == *read);
    require(to_text(*again) == to_text(*read));
    const std::vector<std::string> features = {"a", "b c"};
    require(matches(*again, features) == matches(*read, features));
    require(read->is_empty() || matches(!*read, features) != matches(*read, features));
    return 0;
}
