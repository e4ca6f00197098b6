// SPDX-License-Identifier: Apache-2.0
#include "enforce/detail/file_order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/set/small_set.hpp"
#include "trestle/set/text.hpp"

namespace trestle {

namespace detail {

std::vector<std::string> words_between_blanks(std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (end > at) words.emplace_back(text.substr(at, end - at));
        at = end + 1;
    }
    return words;
}

std::optional<std::uint64_t> limit_number(std::string_view text) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    if (text == "max") return most;
    if (text.empty()) return std::nullopt;
    std::uint64_t number = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (number > (most - digit) / 10) return std::nullopt;
        number = number * 10 + digit;
    }
    return number;
}

std::vector<std::string> keys_of_lines(const std::string& file) {
    if (file == "io.max") return {"rbps", "wbps", "riops", "wiops"};
    if (file == "rdma.max") return {"hca_handle", "hca_object"};
    return {};
}

std::optional<std::string> default_number(const std::string& file) {
    if (file == "cpu.weight" || file == "io.weight") return "100";
    if (file == "memory.low" || file == "memory.min") return "0";
    for (const char* known : {"memory.max", "memory.high", "memory.swap.max", "memory.swap.high",
                              "pids.max", "misc.max"}) {
        if (file == known) return "max";
    }
    if (file.starts_with("hugetlb.") && file.ends_with(".max")) return "max";
    return std::nullopt;
}

std::optional<std::string> default_text(const std::string& file, const std::string& subject) {
    if (file == "cpu.max") return "max 100000";
    if (file == "cpuset.cpus" || file == "cpuset.mems") return "";
    if (file == "cpuset.cpus.partition") return "member";
    if (file == "memory.oom.group") return "0";
    if (file == "io.weight" && subject != "default") return std::nullopt;
    if (!keys_of_lines(file).empty()) {
        std::string line = subject;
        for (const std::string& key : keys_of_lines(file)) line += " " + key + "=max";
        return line;
    }
    const auto number = default_number(file);
    return number && has_lines(file) ? subject + " " + *number : number;
}

std::optional<std::vector<std::uint64_t>> limit_numbers(const std::string& file,
                                                        const std::string& text) {
    std::vector<std::string> words = words_between_blanks(text);
    if (has_lines(file) && !words.empty()) words.erase(words.begin());
    const std::vector<std::string> keys = keys_of_lines(file);
    if (keys.empty()) {
        const auto number = words.size() == 1 ? limit_number(words.front()) : std::nullopt;
        if (!number) return std::nullopt;
        return std::vector{*number};
    }
    std::vector<std::uint64_t> numbers(keys.size(), std::numeric_limits<std::uint64_t>::max());
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        const auto key = std::find(keys.begin(), keys.end(), word.substr(0, equals));
        const auto number =
            equals == word.npos ? std::nullopt : limit_number(word.substr(equals + 1));
        if (key == keys.end() || !number) return std::nullopt;
        numbers[static_cast<std::size_t>(key - keys.begin())] = *number;
    }
    return numbers;
}

std::string line_of(const std::string& file, const std::string& text,
                    const std::vector<std::uint64_t>& numbers) {
    const std::vector<std::string> keys = keys_of_lines(file);
    std::string line = subject_of(file, text);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const bool is_max = numbers[i] == std::numeric_limits<std::uint64_t>::max();
        if (!line.empty()) line += " ";
        if (!keys.empty()) line += keys[i] + "=";
        line += is_max ? std::string("max") : std::to_string(numbers[i]);
    }
    return line;
}

std::optional<std::string> fewest_of(const std::string& file, const std::string& a,
                                     const std::string& b) {
    const auto first = limit_numbers(file, a);
    const auto second = limit_numbers(file, b);
    if (!first || !second) return std::nullopt;
    std::vector<std::uint64_t> least = *first;
    for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], (*second)[i]);
    if (least == *second) return b;
    return least == *first ? a : line_of(file, a, least);
}

std::optional<std::string> least_time_of(const std::string& a, const std::string& b) {
    const auto share = [](const std::string& text) -> std::optional<long double> {
        const std::vector<std::string> words = words_between_blanks(text);
        if (words.empty() || words.size() > 2) return std::nullopt;
        const auto quota = limit_number(words[0]);
        const auto period =
            words.size() == 2 ? limit_number(words[1]) : std::optional<std::uint64_t>(100'000);
        if (!quota || !period || *period == 0) return std::nullopt;
        if (words[0] == "max") return std::numeric_limits<long double>::infinity();
        return static_cast<long double>(*quota) / static_cast<long double>(*period);
    };
    const auto first = share(a);
    const auto second = share(b);
    if (!first || !second) return std::nullopt;
    return *first < *second ? a : b;
}

std::optional<std::string> common_set_of(const std::string& a, const std::string& b) {
    if (a.empty() || a == b) return b;
    if (b.empty()) return a;
    const auto first = parse_set<PuSet>(a);
    const auto second = parse_set<PuSet>(b);
    if (!first || !second) return std::nullopt;
    const PuSet common = *first & *second;
    if (common.is_empty()) return std::nullopt;
    if (common == *second) return b;
    return common == *first ? a : to_cgroup_list(common);
}

std::optional<std::string> tightest_of(const std::string& file, const std::string& a,
                                       const std::string& b) {
    if (a == b) return b;
    if (file == "cpu.max") return least_time_of(a, b);
    if (file == "cpuset.cpus" || file == "cpuset.mems") return common_set_of(a, b);
    if (file == "cpuset.cpus.partition") return "member";
    if (file == "memory.oom.group") return a == "1" ? a : b;
    if (keys_of_lines(file).empty() && !default_number(file)) return std::nullopt;
    return fewest_of(file, a, b);
}

}  // namespace detail

}  // namespace trestle
