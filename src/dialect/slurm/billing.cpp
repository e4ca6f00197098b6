// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "../words.hpp"
#include "trestle/dialect/slurm/tres.hpp"

namespace trestle::slurm {

TextResult<BillingWeights> read_billing_weights(TextCursor cursor) {
    constexpr std::string_view expected = "a weight, as in 1.5 or 0.25G";
    constexpr std::string_view units = "KMGTP";
    constexpr std::size_t weights_max = 256;  // each is compared with all before it
    BillingWeights result;
    cursor.skip_blanks();
    while (!cursor.at_end()) {
        const TextCursor start = cursor;
        const std::string_view name = cursor.take_until("=,");
        if (!cursor.accept('=')) {
            return start.error("TRES without a weight", "name=weight, as in CPU=1.0");
        }
        const auto tres = read_tres_name(TextCursor(name, start.offset()));
        if (!tres) return tres.error();
        const TextCursor at = cursor;
        const std::string_view word = cursor.take_until(",");
        double weight = 0;
        const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), weight);
        const std::string_view unit = word.substr(static_cast<std::size_t>(end - word.data()));
        const std::size_t step = unit.empty() ? 0 : units.find(words::lower(unit[0]) - 'a' + 'A');
        if (problem != std::errc() || !std::isfinite(weight) || unit.size() > 1 ||
            step == std::string_view::npos) {
            return at.error("malformed weight", expected);
        }
        const bool is_known = std::any_of(result.weights.begin(), result.weights.end(),
                                          [&](const auto& known) { return known.first == *tres; });
        if (is_known) {
            return start.error("TRES stands twice", "each once");
        }
        if (result.weights.size() == weights_max) {
            return start.error("too many weights", fmt::format("at most {}", weights_max));
        }
        if (!unit.empty()) {
            const int base = is_memory(*tres) ? 2 : 0;  // K is the first step, and memory in M
            weight /= std::pow(1024.0, static_cast<int>(step) + 1 - base);
        }
        result.weights.emplace_back(*tres, weight);
        if (!cursor.accept(',')) break;
        if (cursor.at_end()) {
            return cursor.error("empty TRES", "name=weight, as in CPU=1.0");
        }
    }
    return result;
}

StatusOr<BillingWeights> parse_billing_weights(std::string_view text) {
    const auto weights = read_billing_weights(TextCursor(text));
    if (!weights) return to_status("billing weights", weights.error());
    return *weights;
}

Count billing_of(const BillingWeights& weights, const TresCounts& counts, BillingRule rule) {
    if (counts.entries.empty()) return Count();
    if (weights.weights.empty()) return counts.of({"cpu", ""});
    double sum = 0;
    double most = 0;
    for (const auto& [tres, weight] : weights.weights) {
        if (tres.type == "billing") continue;
        const Count count = counts.of(tres);
        const double amount = static_cast<double>(count.value()) /
                              (is_memory(tres) ? static_cast<double>(mib(1).value()) : 1.0) *
                              weight;
        const bool is_core = tres.type == "cpu" || tres.type == "mem" || tres.type == "node";
        const bool is_of_maximum = (rule != BillingRule::sum && is_core) ||
                                   (rule == BillingRule::max_tres && tres.type == "gres");
        if (is_of_maximum) {
            most = std::max(most, amount);
        } else {
            sum += amount;
        }
    }
    const double all = std::trunc(sum + most);
    if (!(all > 0)) return Count();
    if (all >= static_cast<double>(Count::max().value())) return Count::max();
    return Count(static_cast<std::int64_t>(all));
}

}  // namespace trestle::slurm
