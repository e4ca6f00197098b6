// SPDX-License-Identifier: Apache-2.0
#include "bare_hints.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/quantities.hpp"

namespace trestle::dstack {
namespace {

/// A range of the resources that may be one bare value.
struct BareKey {
    const char* name;
    /// Opens the range upwards. Gives how it is written, empty when it is no single value.
    std::string (*open)(Resources& resources);
};

template <class T, class Text>
std::string open_range(Range<T>& range, Text text) {
    if (!range.is_single()) return {};
    std::string written = text(range);
    range.max.reset();
    return written;
}
std::string open_sizes(Range<Bytes>& range) { return open_range(range, &memory_range_text); }
template <class T>
std::string open_numbers(Range<T>& range) {
    return open_range(range, [](const Range<T>& r) { return to_text(r); });
}

constexpr std::array<BareKey, 7> bare_keys{{
    {"cpu", [](Resources& r) { return open_numbers(r.cpu.count); }},
    {"memory", [](Resources& r) { return open_sizes(r.memory); }},
    {"gpu.count", [](Resources& r) { return r.gpu ? open_numbers(r.gpu->count) : std::string(); }},
    {"gpu.memory", [](Resources& r) { return r.gpu ? open_sizes(r.gpu->memory) : std::string(); }},
    {"gpu.total_memory",
     [](Resources& r) { return r.gpu ? open_sizes(r.gpu->total_memory) : std::string(); }},
    {"gpu.compute_capability",
     [](Resources& r) { return r.gpu ? open_numbers(r.gpu->compute_capability) : std::string(); }},
    {"disk", [](Resources& r) { return r.disk ? open_sizes(*r.disk) : std::string(); }},
}};

}  // namespace

BareHints find_bare_hints(const Resources& resources,
                          const std::function<bool(const Resources&)>& fits) {
    BareHints found;
    std::vector<BareHint> all;
    Resources every = resources;
    for (const BareKey& key : bare_keys) {
        Resources changed = resources;
        const std::string written = key.open(changed);
        if (written.empty()) continue;
        key.open(every);
        all.push_back({key.name, written, written + ".."});
        if (fits(changed)) found.hints.push_back(all.back());
    }
    if (!found.hints.empty() || all.size() < 2 || !fits(every)) return found;
    return {std::move(all), true};
}

std::string hints_text(std::span<const BareHint> hints, bool is_together) {
    std::string text;
    for (const BareHint& hint : hints) {
        text += fmt::format(
            "{}: {} means exactly that{}; {} or more is written {}\n", hint.key, hint.written,
            is_together ? ", and with the others leaves nothing" : " and leaves nothing",
            hint.written, hint.instead);
    }
    return text;
}

}  // namespace trestle::dstack
