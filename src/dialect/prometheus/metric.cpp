// SPDX-License-Identifier: Apache-2.0
// "Text-based format", prometheus.io/docs/instrumenting/exposition_formats.
#include "trestle/dialect/prometheus/metric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "trestle/base/text.hpp"

namespace trestle::prometheus {

namespace {

bool is_name(std::string_view text, bool may_have_colon) {
    const auto is_letter = [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
               (may_have_colon && c == ':');
    };
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return !text.empty() && is_letter(text.front()) &&
           std::all_of(text.begin(), text.end(),
                       [&](char c) { return is_letter(c) || is_digit(c); });
}

/// A text with backslashes before backslashes and, where they end it, quotes; line ends as \n.
std::string escaped(std::string_view text, bool is_quoted) {
    std::string out;
    for (const char c : text) {
        if (c == '\\' || (is_quoted && c == '"')) out += '\\';
        if (c == '\n') {
            out += "\\n";
        } else {
            out += c;
        }
    }
    return out;
}

std::string number_text(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    constexpr double exact_max = 9007199254740992;  // 2^53
    if (std::fabs(value) <= exact_max && value == std::floor(value)) {
        return fmt::format("{:.0f}", value + 0.0);  // no -0
    }
    return fmt::format("{}", value);
}

StatusOr<std::string> label_text(const Metric& metric, const Sample& sample) {
    std::string text;
    std::set<std::string_view> names;
    for (const Label& label : sample.labels) {
        if (!is_name(label.name, false)) {
            return invalid_argument("metric {}: {} is no name of a label", metric.name,
                                    trestle::detail::quoted(label.name));
        }
        if (!names.insert(label.name).second) {
            return invalid_argument("metric {}: a sample has label {} twice", metric.name,
                                    label.name);
        }
        text += text.empty() ? "{" : ",";
        text += label.name + "=\"" + escaped(label.value, true) + "\"";
    }
    return text.empty() ? text : text + "}";
}

}  // namespace

StatusOr<std::string> print_metrics(std::span<const Metric> metrics) {
    std::string text;
    std::set<std::string_view> names;
    for (const Metric& metric : metrics) {
        if (!is_name(metric.name, true)) {
            return invalid_argument("{} is no name of a metric",
                                    trestle::detail::quoted(metric.name));
        }
        if (!names.insert(metric.name).second) {
            return invalid_argument("metric {}: it is there twice", metric.name);
        }
        if (metric.samples.empty()) continue;
        text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", metric.name,
                            escaped(metric.help, false), metric.name, to_text(metric.type));
        std::set<std::string> seen;
        for (const Sample& sample : metric.samples) {
            TRESTLE_TRY(const std::string labels, label_text(metric, sample));
            if (!seen.insert(labels).second) {
                return invalid_argument("metric {}: two samples of {}", metric.name,
                                        labels.empty() ? "no labels" : labels);
            }
            text += metric.name + labels + " " + number_text(sample.value) + "\n";
        }
    }
    return text;
}

}  // namespace trestle::prometheus
