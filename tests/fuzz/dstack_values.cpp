// SPDX-License-Identifier: Apache-2.0
// The small grammars: what is read prints, and the print is read as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/target.hpp"
#include "trestle/dialect/dstack/cpu.hpp"
#include "trestle/dialect/dstack/duration.hpp"
#include "trestle/dialect/dstack/gpu.hpp"
#include "trestle/dialect/dstack/profile.hpp"
#include "trestle/dialect/dstack/quantities.hpp"

namespace {

template <class Read, class Print>
void check_round_trip(std::string_view text, Read read, Print print) {
    const auto value = read(text);
    if (!value) {
        if (value.error().offset > text.size()) std::abort();
        return;
    }
    const auto again = read(print(*value));
    if (!again || *again != *value) std::abort();
}

}  // namespace

TRESTLE_FUZZ(dstack_values) {
    using namespace trestle;
    const std::string text(data, data + size);
    const auto print = [](const auto& value) { return dstack::to_text(value); };
    check_round_trip(text, &dstack::read_memory, &dstack::memory_text);
    check_round_trip(
        text, [](std::string_view t) { return dstack::read_memory_range(t); },
        &dstack::memory_range_text);
    check_round_trip(
        text, [](std::string_view t) { return dstack::read_cpu(t); }, print);
    check_round_trip(text, &dstack::read_duration, &dstack::duration_text);
    check_round_trip(text, &dstack::read_duration_limit, print);
    check_round_trip(text, &dstack::read_price, &dstack::price_text);
    (void)dstack::parse_count_range(text);
    (void)dstack::parse_version_range(text);
    check_round_trip(
        text, [](std::string_view t) { return dstack::read_gpu(t); }, print);
}
