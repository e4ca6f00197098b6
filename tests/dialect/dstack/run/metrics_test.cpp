// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/run/metrics.hpp"

#include "support/catch.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::dstack {
namespace {

static_assert(lists_all_fields<MetricsLine> && lists_all_fields<JobSample>);

ResourceUsage reading(std::int64_t seconds, std::int64_t cpu_seconds) {
    ResourceUsage usage;
    usage.at = Microseconds(seconds * 1'000'000);
    usage.cpu_time = Microseconds(cpu_seconds * 1'000'000);
    usage.memory = gib(17);
    usage.working_set = Bytes(17'469'779'640);  // 16.27 GiB
    GpuUsage gpu{.uuid = "GPU-1"};
    gpu.memory_used = Bytes(77'824'807'731);  // 72.48 GiB
    gpu.memory_total = gib(80);
    gpu.utilisation = BasisPoints(9'500);
    usage.gpus = {gpu};
    return usage;
}

}  // namespace

TEST_CASE("metrics_line: as dstack's guide prints it", "[dstack]") {
    const ResourceUsage before = reading(0, 0);
    ResourceUsage after = reading(10, 36);
    const Grant granted{cpus(8), gib(200)};
    CHECK(metrics_line(before, after, granted) ==
          MetricsLine{"45%", "16.27GB/200GB", "gpu=0 mem=72.48GB/80GB util=95%"});
    CHECK(to_text(metrics_line(before, after, granted)) ==
          "cpu=45% memory=16.27GB/200GB gpu=0 mem=72.48GB/80GB util=95%");
    CHECK(metrics_line(before, after, {}) ==
          MetricsLine{"360%", "16.27GB", "gpu=0 mem=72.48GB/80GB util=95%"});
    after.gpus.push_back({});
    after.gpus[0].utilisation = {};
    CHECK(metrics_line(before, after, granted).gpu ==
          "gpu=0 mem=72.48GB/80GB util=-\ngpu=1 mem=- util=-");
}

TEST_CASE("metrics_line: what is not known is a dash, and one reading tells no CPU", "[dstack]") {
    CHECK(metrics_line({}, {}, {}) == MetricsLine{"-", "-", ""});
    CHECK(to_text(metrics_line({}, {}, {cpus(1), gib(1)})) == "cpu=- memory=-/1GB");
    CHECK(metrics_line({}, reading(10, 5), {cpus(1), {}}).cpu == "-");
    CHECK(metrics_line(reading(0, 5), reading(10, 5), {cpus(1), {}}).cpu == "0%");
    CHECK(metrics_line(reading(10, 5), reading(10, 6), {cpus(1), {}}).cpu == "-");
}

TEST_CASE("metric_memory: two decimals at most", "[dstack]") {
    CHECK(metric_memory(Bytes(0)) == "0MB");
    CHECK(metric_memory(mib(512)) == "512MB");
    CHECK(metric_memory(mib(1023)) == "1023MB");
    CHECK(metric_memory(gib(1)) == "1GB");
    CHECK(metric_memory(mib(1536)) == "1.5GB");
    CHECK(metric_memory(kib(1)) == "0MB");
    CHECK(metric_memory(gib(200)) == "200GB");
}

TEST_CASE("job_metrics: the names of dstack's server", "[dstack]") {
    JobSample job;
    job.labels = {{"dstack_run_name", "a"}};
    job.usage = reading(10, 36);
    job.granted = {MilliCpu(2'500), gib(200)};
    job.duration = Microseconds(520'370'000);
    job.price = Microdollars(8'250'000);
    JobSample unknown;
    unknown.labels = {{"dstack_run_name", "b"}};
    const JobSample jobs[] = {job, unknown};
    const auto text = prometheus::print_metrics(job_metrics(jobs));
    REQUIRE(text.ok());
    CHECK(*text == R"(# HELP dstack_job_duration_seconds_total Total job runtime in seconds
# TYPE dstack_job_duration_seconds_total counter
dstack_job_duration_seconds_total{dstack_run_name="a"} 520.37
# HELP dstack_job_price_dollars_per_hour Job instance price, USD/hour
# TYPE dstack_job_price_dollars_per_hour gauge
dstack_job_price_dollars_per_hour{dstack_run_name="a"} 8.25
# HELP dstack_job_gpu_count Job GPU count
# TYPE dstack_job_gpu_count gauge
dstack_job_gpu_count{dstack_run_name="a"} 1
dstack_job_gpu_count{dstack_run_name="b"} 0
# HELP dstack_job_cpu_count Job CPU count
# TYPE dstack_job_cpu_count gauge
dstack_job_cpu_count{dstack_run_name="a"} 2.5
# HELP dstack_job_cpu_time_seconds_total Total CPU time consumed by the job, seconds
# TYPE dstack_job_cpu_time_seconds_total counter
dstack_job_cpu_time_seconds_total{dstack_run_name="a"} 36
# HELP dstack_job_memory_total_bytes Total memory allocated for the job, bytes
# TYPE dstack_job_memory_total_bytes gauge
dstack_job_memory_total_bytes{dstack_run_name="a"} 214748364800
# HELP dstack_job_memory_usage_bytes Memory used by the job (including cache), bytes
# TYPE dstack_job_memory_usage_bytes gauge
dstack_job_memory_usage_bytes{dstack_run_name="a"} 18253611008
# HELP dstack_job_memory_working_set_bytes Memory used by the job (not including cache), bytes
# TYPE dstack_job_memory_working_set_bytes gauge
dstack_job_memory_working_set_bytes{dstack_run_name="a"} 17469779640
# HELP dstack_job_gpu_usage_ratio Job GPU usage, percent (as 0.0-1.0)
# TYPE dstack_job_gpu_usage_ratio gauge
dstack_job_gpu_usage_ratio{dstack_run_name="a",dstack_gpu_num="0"} 0.95
# HELP dstack_job_gpu_memory_total_bytes Total GPU memory allocated for the job, bytes
# TYPE dstack_job_gpu_memory_total_bytes gauge
dstack_job_gpu_memory_total_bytes{dstack_run_name="a",dstack_gpu_num="0"} 85899345920
# HELP dstack_job_gpu_memory_usage_bytes GPU memory used by the job, bytes
# TYPE dstack_job_gpu_memory_usage_bytes gauge
dstack_job_gpu_memory_usage_bytes{dstack_run_name="a",dstack_gpu_num="0"} 77824807731
)");
}

}  // namespace trestle::dstack
