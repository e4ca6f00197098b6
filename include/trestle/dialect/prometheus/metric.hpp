// SPDX-License-Identifier: Apache-2.0
#pragma once

// Metrics in the text format of Prometheus (version 0.0.4).
//
// Layer: dialect/prometheus. Main types: Metric, Sample, Label; print_metrics().
// Pitfall: a metric without samples is not printed. What is not known has no sample; 0 would say
// that it was measured.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"

namespace trestle::prometheus {

/// counter: only grows, until it starts again at 0.
enum class MetricType { counter, gauge };

constexpr auto enum_names(MetricType) {
    return std::array{named(MetricType::counter, "counter"), named(MetricType::gauge, "gauge")};
}

/// What a sample is of.
struct Label {
    std::string name;  ///< letters, digits and `_`, not a digit first
    std::string value;

    static constexpr auto fields(auto list) {
        return list(field("name", &Label::name), field("value", &Label::value));
    }
    friend bool operator==(const Label&, const Label&) = default;
};

/// One number of a metric.
struct Sample {
    std::vector<Label> labels;
    double value = 0;

    static constexpr auto fields(auto list) {
        return list(field("labels", &Sample::labels), field("value", &Sample::value));
    }
    friend bool operator==(const Sample&, const Sample&) = default;
};

/// A metric with all of its samples.
struct Metric {
    std::string name;  ///< letters, digits, `_` and `:`, not a digit first
    std::string help;
    MetricType type = MetricType::gauge;
    std::vector<Sample> samples;

    static constexpr auto fields(auto list) {
        return list(field("name", &Metric::name), field("help", &Metric::help),
                    field("type", &Metric::type), field("samples", &Metric::samples));
    }
    friend bool operator==(const Metric&, const Metric&) = default;
};

/// Lines of HELP, TYPE and samples, in the order given, each with its end. Whole numbers have no
/// point; others are the shortest that read back as the same.
/// Errors: InvalidArgument for a name that Prometheus does not take, for a metric that is there
/// twice. The same for a label that a sample has twice, and for two samples of the same labels.
[[nodiscard]] StatusOr<std::string> print_metrics(std::span<const Metric> metrics);

}  // namespace trestle::prometheus
