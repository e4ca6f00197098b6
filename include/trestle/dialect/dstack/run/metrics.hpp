// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a job uses, as `dstack metrics` prints it and as dstack's server exports it.
//
// Layer: dialect/dstack. Main names: MetricsLine, metrics_line, JobSample, job_metrics.
// Pitfall: memory is the working set, which is never below 0 here. The program dstack subtracts
// without looking, and shows some 17 billion gigabytes when the cache is larger than the sum.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/prometheus/metric.hpp"
#include "trestle/enforce/health/rates.hpp"
#include "trestle/enforce/process/usage.hpp"

namespace trestle::dstack {

/// The columns of `dstack metrics`; `-` for what is not known.
struct MetricsLine {
    std::string cpu;     ///< `45%` of the CPUs granted; of one CPU where their number is not known
    std::string memory;  ///< `16.27GB/200GB`; without a limit the first alone
    /// `gpu=0 mem=72.48GB/80GB util=95%`, a GPU a line; empty without GPUs
    std::string gpu;

    static constexpr auto fields(auto list) {
        return list(field("cpu", &MetricsLine::cpu), field("memory", &MetricsLine::memory),
                    field("gpu", &MetricsLine::gpu));
    }
    friend bool operator==(const MetricsLine&, const MetricsLine&) = default;
};

/// `cpu=45% memory=16.27GB/200GB gpu=0 mem=72.48GB/80GB util=95%`, one line.
[[nodiscard]] std::string to_text(const MetricsLine& line);

/// What happened between two readings, in dstack's words.
[[nodiscard]] MetricsLine metrics_line(const ResourceUsage& before, const ResourceUsage& after,
                                       const Grant& granted);

/// `72.48GB`, `80GB`, `512MB`: from 1024 MB on in GB; two decimals at most, no zeros behind them.
[[nodiscard]] std::string metric_memory(Bytes memory);

/// A job and a reading of it.
struct JobSample {
    std::vector<prometheus::Label> labels;  ///< `dstack_project_name` and so on, by the caller
    ResourceUsage usage;
    Grant granted;
    std::optional<Microseconds> duration = {};
    std::optional<Microdollars> price = {};  ///< an hour

    static constexpr auto fields(auto list) {
        return list(field("labels", &JobSample::labels), field("usage", &JobSample::usage),
                    field("granted", &JobSample::granted), field("duration", &JobSample::duration),
                    field("price", &JobSample::price));
    }
    friend bool operator==(const JobSample&, const JobSample&) = default;
};

/// The job metrics of dstack's server, by its names and in its order; those of a GPU have the
/// further label `dstack_gpu_num`, its position. What is not known has no sample.
[[nodiscard]] std::vector<prometheus::Metric> job_metrics(std::span<const JobSample> jobs);

}  // namespace trestle::dstack
