// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/run/metrics.hpp"

#include <fmt/format.h>

#include <utility>

namespace trestle::dstack {

namespace {

using prometheus::Label;
using prometheus::Metric;
using prometheus::MetricType;

/// Whole percents, to the nearest.
std::string percent_text(const std::optional<BasisPoints>& share) {
    if (!share) return "-";
    return fmt::format("{}%", share->value() / 100 + (share->value() % 100 >= 50 ? 1 : 0));
}

std::string memory_or_dash(const std::optional<Bytes>& memory) {
    return memory ? metric_memory(*memory) : "-";
}

std::string used_of(const std::optional<Bytes>& used, const std::optional<Bytes>& total) {
    if (!used && !total) return "-";
    return memory_or_dash(used) + (total ? "/" + metric_memory(*total) : "");
}

/// Collects the samples of the metrics in the order in which dstack lists them.
class JobMetricList {
  public:
    void begin(const char* name, const char* help, MetricType type = MetricType::gauge) {
        metrics_.push_back({name, help, type, {}});
    }
    void add(std::vector<Label> labels, std::optional<double> value) {
        if (value) metrics_.back().samples.push_back({std::move(labels), *value});
    }
    [[nodiscard]] std::vector<Metric> take() && {
        std::erase_if(metrics_, [](const Metric& metric) { return metric.samples.empty(); });
        return std::move(metrics_);
    }

  private:
    std::vector<Metric> metrics_;
};

template <class Unit>
std::optional<double> number_of(const std::optional<Quantity<Unit>>& quantity, double per_one = 1) {
    if (!quantity) return std::nullopt;
    return static_cast<double>(quantity->value()) / per_one;
}

void add_job_numbers(JobMetricList& list, std::span<const JobSample> jobs) {
    const auto of_jobs = [&](const auto& value_of) {
        for (const JobSample& job : jobs) list.add(job.labels, value_of(job));
    };
    list.begin("dstack_job_duration_seconds_total", "Total job runtime in seconds",
               MetricType::counter);
    of_jobs([](const JobSample& job) { return number_of(job.duration, 1e6); });
    list.begin("dstack_job_price_dollars_per_hour", "Job instance price, USD/hour");
    of_jobs([](const JobSample& job) { return number_of(job.price, 1e6); });
    list.begin("dstack_job_gpu_count", "Job GPU count");
    of_jobs([](const JobSample& job) {
        return std::optional(static_cast<double>(job.usage.gpus.size()));
    });
    list.begin("dstack_job_cpu_count", "Job CPU count");
    of_jobs([](const JobSample& job) {
        return number_of(job.granted.cpus.is_zero() ? std::optional<MilliCpu>()
                                                    : std::optional(job.granted.cpus),
                         1000);
    });
    list.begin("dstack_job_cpu_time_seconds_total", "Total CPU time consumed by the job, seconds",
               MetricType::counter);
    of_jobs([](const JobSample& job) { return number_of(job.usage.cpu_time, 1e6); });
    list.begin("dstack_job_memory_total_bytes", "Total memory allocated for the job, bytes");
    of_jobs([](const JobSample& job) { return number_of(job.granted.memory); });
    list.begin("dstack_job_memory_usage_bytes", "Memory used by the job (including cache), bytes");
    of_jobs([](const JobSample& job) { return number_of(job.usage.memory); });
    list.begin("dstack_job_memory_working_set_bytes",
               "Memory used by the job (not including cache), bytes");
    of_jobs([](const JobSample& job) { return number_of(job.usage.working_set); });
}

void add_gpu_numbers(JobMetricList& list, std::span<const JobSample> jobs) {
    const auto of_gpus = [&](const auto& value_of) {
        for (const JobSample& job : jobs) {
            for (std::size_t i = 0; i < job.usage.gpus.size(); ++i) {
                std::vector<Label> labels = job.labels;
                labels.push_back({"dstack_gpu_num", std::to_string(i)});
                list.add(std::move(labels), value_of(job.usage.gpus[i]));
            }
        }
    };
    list.begin("dstack_job_gpu_usage_ratio", "Job GPU usage, percent (as 0.0-1.0)");
    of_gpus([](const GpuUsage& gpu) { return number_of(gpu.utilisation, 1e4); });
    list.begin("dstack_job_gpu_memory_total_bytes",
               "Total GPU memory allocated for the job, bytes");
    of_gpus([](const GpuUsage& gpu) { return number_of(gpu.memory_total); });
    list.begin("dstack_job_gpu_memory_usage_bytes", "GPU memory used by the job, bytes");
    of_gpus([](const GpuUsage& gpu) { return number_of(gpu.memory_used); });
}

}  // namespace

std::string metric_memory(Bytes memory) {
    const double mebibytes = static_cast<double>(memory.value()) / (1 << 20);
    const bool is_large = mebibytes >= 1024;
    std::string text = fmt::format("{:.2f}", is_large ? mebibytes / 1024 : mebibytes);
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
    return text + (is_large ? "GB" : "MB");
}

std::string to_text(const MetricsLine& line) {
    std::string text = "cpu=" + line.cpu + " memory=" + line.memory;
    if (line.gpu.empty()) return text;
    text += " ";
    for (const char c : line.gpu) text += c == '\n' ? ' ' : c;
    return text;
}

MetricsLine metrics_line(const ResourceUsage& before, const ResourceUsage& after,
                         const Grant& granted) {
    const Rates found = rates(before, after, granted);
    MetricsLine line;
    line.cpu = percent_text(granted.cpus.is_zero() ? found.cpu : found.cpu_granted);
    line.memory = used_of(after.working_set, granted.memory);
    for (std::size_t i = 0; i < after.gpus.size(); ++i) {
        const GpuUsage& gpu = after.gpus[i];
        if (i > 0) line.gpu += '\n';
        line.gpu +=
            fmt::format("gpu={} mem={} util={}", i, used_of(gpu.memory_used, gpu.memory_total),
                        percent_text(gpu.utilisation));
    }
    return line;
}

std::vector<Metric> job_metrics(std::span<const JobSample> jobs) {
    JobMetricList list;
    add_job_numbers(list, jobs);
    add_gpu_numbers(list, jobs);
    return std::move(list).take();
}

}  // namespace trestle::dstack
