// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/cpu.hpp"

#include "../words.hpp"
#include "scalars.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::dstack {
namespace {

constexpr std::string_view cpu_words = "[x86|arm:]count, as in 8, 4.. or arm:8";

std::optional<Architecture> architecture_of(std::string_view word) {
    for (const Architecture known : {Architecture::x86, Architecture::arm}) {
        if (words::same_word(word, to_text(known))) return known;
    }
    return std::nullopt;
}

/// Numbers and ranges, well-formed or not; the rest is the name of an architecture.
bool looks_like_count(std::string_view part) {
    return part.find("..") != part.npos || words::is_digit(part.front()) || part.front() == '-' ||
           part.front() == '+' || part.front() == '.';
}

TextResult<CpuSpec> read_spec(TextCursor text, BareValue bare) {
    CpuSpec cpu;
    bool has_count = false;
    for (const TextCursor part : split_parts(text)) {
        if (part.at_end()) return part.error("empty part", cpu_words);
        if (!looks_like_count(part.rest())) {
            if (cpu.architecture) return part.error("a second architecture", cpu_words);
            cpu.architecture = architecture_of(part.rest());
            if (!cpu.architecture) return part.error("unknown architecture", "x86 or arm");
            continue;
        }
        if (std::exchange(has_count, true)) return part.error("a second count", cpu_words);
        const auto count = read_range(part, &read_whole, bare);
        if (!count) return count.error();
        if (count->max == Count(0)) return part.error("no CPU at all", "1 or more");
        cpu.count = *count;
    }
    return cpu;
}

}  // namespace

TextResult<CpuSpec> read_cpu(std::string_view text, BareValue bare) {
    return read_without_blanks(text, [bare](TextCursor t) { return read_spec(t, bare); });
}

StatusOr<CpuSpec> parse_cpu(std::string_view text, BareValue bare) {
    return to_status_or("cpu", read_cpu(text, bare));
}

std::string to_text(const CpuSpec& cpu) {
    TRESTLE_EXPECTS(!cpu.count.is_open(), "the count has an end");
    return (cpu.architecture ? std::string(to_text(*cpu.architecture)) + ":" : "") +
           to_text(cpu.count);
}

}  // namespace trestle::dstack
