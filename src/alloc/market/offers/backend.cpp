// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/offers/backend.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "alloc/market/offers/find_backend.hpp"
#include "base/words.hpp"

namespace trestle {

const Backend* find_backend(std::span<const Backend> backends, std::string_view name) {
    const auto at = std::find_if(backends.begin(), backends.end(), [&](const Backend& backend) {
        return same_word(backend.name, name);
    });
    return at == backends.end() ? nullptr : &*at;
}

}  // namespace trestle
