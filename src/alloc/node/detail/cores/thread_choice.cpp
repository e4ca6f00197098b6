// SPDX-License-Identifier: Apache-2.0
#include "alloc/node/detail/cores/thread_choice.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace trestle {

namespace detail {

ThreadChoice::ThreadChoice(std::vector<Part> parts, std::uint32_t count)
    : parts_(std::move(parts)), count_(count) {
    std::stable_sort(parts_.begin(), parts_.end(),
                     [](const Part& a, const Part& b) { return a.threads < b.threads; });
}

}  // namespace detail

}  // namespace trestle
