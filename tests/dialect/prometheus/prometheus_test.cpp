// SPDX-License-Identifier: Apache-2.0
// Metrics are read back by a parser that knows the format only, not the printer.
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/seed.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/prometheus/metric.hpp"
#include "trestle/dialect/prometheus/usage.hpp"
#include "trestle/testing/arbitrary.hpp"

namespace trestle::prometheus {
namespace {

using Catch::Matchers::ContainsSubstring;

static_assert(lists_all_fields<Label> && lists_all_fields<Sample> && lists_all_fields<Metric> &&
              lists_all_fields<GroupUsage>);

/// What a scraper sees. `is_valid` is false when a line has another form.
struct Scrape {
    bool is_valid = true;
    std::map<std::string, std::string> help;
    std::map<std::string, std::string> type;
    /// By name and labels in the order of their names.
    std::map<std::pair<std::string, std::map<std::string, std::string>>, double> samples;
};

class ScrapeReader {
  public:
    explicit ScrapeReader(const std::string& text) : text_(text) {}

    Scrape read() {
        while (at_ < text_.size() && scrape_.is_valid) read_line();
        return scrape_;
    }

  private:
    void expect(char c) {
        if (at_ >= text_.size() || text_[at_] != c) scrape_.is_valid = false;
        ++at_;
    }
    bool next_is(const std::string& word) {
        if (text_.compare(at_, word.size(), word) != 0) return false;
        at_ += word.size();
        return true;
    }
    std::string until(const std::string& ends) {
        const std::size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
        const std::string piece = text_.substr(at_, end - at_);
        at_ = end;
        return piece;
    }
    /// A text with \\, \n and, in quotes, \" up to `end`.
    std::string unescaped(char end) {
        std::string out;
        for (; at_ < text_.size() && text_[at_] != end; ++at_) {
            if (text_[at_] != '\\') {
                out += text_[at_];
                continue;
            }
            ++at_;
            if (at_ >= text_.size()) break;
            out += text_[at_] == 'n' ? '\n' : text_[at_];
        }
        return out;
    }
    void read_line() {
        if (next_is("# HELP ")) {
            const std::string name = until(" \n");
            expect(' ');
            scrape_.help[name] = unescaped('\n');
        } else if (next_is("# TYPE ")) {
            const std::string name = until(" \n");
            expect(' ');
            scrape_.type[name] = until("\n");
            is_open_ = name;
        } else {
            read_sample();
        }
        expect('\n');
    }
    void read_sample() {
        const std::string name = until("{ \n");
        if (name != is_open_) scrape_.is_valid = false;  // a metric's samples follow its TYPE
        std::map<std::string, std::string> labels;
        if (next_is("{")) {
            do {
                const std::string label = until("=");
                expect('=');
                expect('"');
                const std::string value = unescaped('"');
                expect('"');
                if (!labels.emplace(label, value).second) scrape_.is_valid = false;
            } while (next_is(","));
            expect('}');
        }
        expect(' ');
        const std::string number = until(" \n");
        char* end = nullptr;
        const double value = std::strtod(number.c_str(), &end);
        if (end != number.c_str() + number.size()) scrape_.is_valid = false;
        if (!scrape_.samples.emplace(std::pair(name, labels), value).second) {
            scrape_.is_valid = false;
        }
    }

    const std::string& text_;
    std::size_t at_ = 0;
    std::string is_open_;
    Scrape scrape_;
};

Scrape scraped(const std::vector<Metric>& metrics) {
    const auto text = print_metrics(metrics);
    INFO(text.status().ToString());
    REQUIRE(text.ok());
    INFO(*text);
    Scrape scrape = ScrapeReader(*text).read();
    CHECK(scrape.is_valid);
    return scrape;
}

}  // namespace

TEST_CASE("print_metrics: lines, escapes and numbers", "[prometheus]") {
    Metric metric{"a_total", "Say \"a\\b\"\nand on", MetricType::counter, {}};
    metric.samples = {{{}, 0},
                      {{{"x", "a\"b\\c\nd"}, {"y", ""}}, 11.727975},
                      {{{"x", "1"}}, 17179869184.0},
                      {{{"x", "2"}}, -0.0},
                      {{{"x", "3"}}, 1e300},
                      {{{"x", "4"}}, HUGE_VAL},
                      {{{"x", "5"}}, -HUGE_VAL},
                      {{{"x", "6"}}, std::nan("")}};
    const auto text = print_metrics(std::vector{metric, Metric{"empty", "", {}, {}}});
    REQUIRE(text.ok());
    CHECK(*text ==
          "# HELP a_total Say \"a\\\\b\"\\nand on\n"
          "# TYPE a_total counter\n"
          "a_total 0\n"
          "a_total{x=\"a\\\"b\\\\c\\nd\",y=\"\"} 11.727975\n"
          "a_total{x=\"1\"} 17179869184\n"
          "a_total{x=\"2\"} 0\n"
          "a_total{x=\"3\"} 1e+300\n"
          "a_total{x=\"4\"} +Inf\n"
          "a_total{x=\"5\"} -Inf\n"
          "a_total{x=\"6\"} NaN\n");
    CHECK(print_metrics({}).value().empty());
}

TEST_CASE("print_metrics: names that Prometheus does not take, and doubles", "[prometheus]") {
    const auto error = [](const std::vector<Metric>& metrics) {
        const auto text = print_metrics(metrics);
        CHECK(text.status().code() == StatusCode::kInvalidArgument);
        return std::string(message(text.status()));
    };
    const auto with = [](std::vector<Sample> samples) {
        return std::vector{Metric{"a:b", "", MetricType::gauge, std::move(samples)}};
    };
    CHECK(print_metrics(with({{{}, 1}})).ok());
    for (const char* name : {"", "1a", "a-b", "a b", "a{", "\xc3\xa4"}) {
        INFO(name);
        CHECK_THAT(error({{name, "", {}, {}}}), ContainsSubstring("no name of a metric"));
        CHECK_THAT(error(with({{{{name, "x"}}, 1}})), ContainsSubstring("no name of a label"));
    }
    CHECK_THAT(error(with({{{{"a:b", "x"}}, 1}})), ContainsSubstring("no name of a label"));
    CHECK_THAT(error({{"a", "", {}, {}}, {"a", "", {}, {}}}), ContainsSubstring("a: it is there"));
    CHECK_THAT(error(with({{{{"x", "1"}, {"x", "2"}}, 1}})), ContainsSubstring("label x twice"));
    CHECK_THAT(error(with({{{{"x", "1"}}, 1}, {{{"x", "1"}}, 2}})),
               ContainsSubstring("two samples of {x=\"1\"}"));
    CHECK_THAT(error(with({{{}, 1}, {{}, 2}})), ContainsSubstring("two samples of no labels"));
}

TEST_CASE("usage_metrics: any readings are read back as they were", "[prometheus][law]") {
    INFO("seed " << test_seed());
    testing::for_random_choices({test_seed(), test_rounds(300u)}, [](testing::Choices& choices) {
        std::vector<GroupUsage> groups(2);
        for (std::size_t i = 0; i < groups.size(); ++i) {
            groups[i].labels = {{"group", "job_" + std::to_string(i)},
                                {"name", testing::arbitrary<std::string>(choices)}};
            groups[i].usage = testing::arbitrary<ResourceUsage>(choices);
            std::size_t number = 0;
            for (auto& one : groups[i].usage.energy) one.name += std::to_string(number++);
            for (auto& gpu : groups[i].usage.gpus) gpu.uuid += std::to_string(number++);
        }
        const Scrape scrape = scraped(usage_metrics(groups, "t"));
        std::size_t expected = 0;
        const auto check = [&](const GroupUsage& group, const std::string& name,
                               std::map<std::string, std::string> labels, auto value,
                               double per_base) {
            if (!value) return;
            ++expected;
            for (const Label& label : group.labels) labels[label.name] = label.value;
            const auto at = scrape.samples.find({"t_" + name, labels});
            INFO(name);
            REQUIRE(at != scrape.samples.end());
            CHECK(at->second == static_cast<double>(value->value()) / per_base);
            const bool is_counter = name.ends_with("_total");
            CHECK(scrape.type.at("t_" + name) == (is_counter ? "counter" : "gauge"));
            CHECK_FALSE(scrape.help.at("t_" + name).empty());
        };
        for (const GroupUsage& group : groups) {
            const ResourceUsage& u = group.usage;
            check(group, "cpu_seconds_total", {}, u.cpu_time, 1e6);
            check(group, "cpu_user_seconds_total", {}, u.cpu_user, 1e6);
            check(group, "cpu_system_seconds_total", {}, u.cpu_system, 1e6);
            check(group, "cpu_throttled_seconds_total", {}, u.throttled_time, 1e6);
            check(group, "cpu_periods_total", {}, u.cpu_periods, 1);
            check(group, "cpu_throttled_periods_total", {}, u.throttled_periods, 1);
            check(group, "memory_bytes", {}, u.memory, 1);
            check(group, "memory_peak_bytes", {}, u.memory_peak, 1);
            check(group, "memory_working_set_bytes", {}, u.working_set, 1);
            check(group, "memory_anon_bytes", {}, u.memory_anon, 1);
            check(group, "memory_file_bytes", {}, u.memory_file, 1);
            check(group, "swap_bytes", {}, u.swap, 1);
            check(group, "oom_kills_total", {}, u.oom_kills, 1);
            check(group, "pids", {}, u.pids, 1);
            check(group, "pids_peak", {}, u.pids_peak, 1);
            check(group, "io_read_bytes_total", {}, u.read_bytes, 1);
            check(group, "io_written_bytes_total", {}, u.written_bytes, 1);
            check(group, "io_reads_total", {}, u.reads, 1);
            check(group, "io_writes_total", {}, u.writes, 1);
            const std::pair<const char*, ResourceUsage::Pressure> pressures[] = {
                {"cpu", u.cpu_pressure}, {"memory", u.memory_pressure}, {"io", u.io_pressure}};
            for (const auto& [resource, pressure] : pressures) {
                const char* name = "pressure_ratio";
                check(group, name, {{"resource", resource}, {"kind", "some"}}, pressure.some, 1e4);
                check(group, name, {{"resource", resource}, {"kind", "full"}}, pressure.full, 1e4);
            }
            for (const EnergyCounter& one : u.energy) {
                check(group, "energy_joules_total", {{"counter", one.name}},
                      std::optional(one.energy), 1e6);
            }
            for (const GpuUsage& gpu : u.gpus) {
                const std::map<std::string, std::string> label{{"gpu", gpu.uuid}};
                check(group, "gpu_memory_used_bytes", label, gpu.memory_used, 1);
                check(group, "gpu_memory_total_bytes", label, gpu.memory_total, 1);
                check(group, "gpu_utilisation_ratio", label, gpu.utilisation, 1e4);
                check(group, "gpu_temperature_celsius", label, gpu.temperature, 1);
                check(group, "gpu_power_watts", label, gpu.power, 1e3);
                check(group, "gpu_energy_joules_total", label, gpu.energy, 1e6);
            }
        }
        CHECK(scrape.samples.size() == expected);
    });
}

TEST_CASE("usage_metrics: what is not known has no sample, and no metric", "[prometheus]") {
    CHECK(usage_metrics({}).empty());
    const GroupUsage nothing[] = {{{}, {}}};
    CHECK(usage_metrics(nothing).empty());
    const GroupUsage zero[] = {{{{"job", "7"}}, {.memory = Bytes(0)}}, {{{"job", "8"}}, {}}};
    CHECK(print_metrics(usage_metrics(zero)).value() ==
          "# HELP trestle_memory_bytes Memory used, with the file cache\n"
          "# TYPE trestle_memory_bytes gauge\n"
          "trestle_memory_bytes{job=\"7\"} 0\n");
}

TEST_CASE("health_metrics: a device is in one of the states", "[prometheus]") {
    CHECK(health_metrics({}).empty());
    const DeviceReport reports[] = {{"0000:34:00.0", "GPU-1", {Health::warning, {}}},
                                    {"0000:b4:00.0", "GPU-2", {}}};
    const Scrape scrape = scraped(health_metrics(reports));
    CHECK(scrape.samples.size() == 8);
    CHECK(scrape.type.at("trestle_device_health") == "gauge");
    const auto value = [&](const DeviceReport& report, const char* state) {
        return scrape.samples.at(
            {"trestle_device_health",
             {{"place", report.place}, {"uuid", report.uuid}, {"state", state}}});
    };
    CHECK(value(reports[0], "warning") == 1);
    CHECK(value(reports[0], "healthy") == 0);
    CHECK(value(reports[1], "unknown") == 1);
    CHECK(value(reports[1], "failure") == 0);
}

}  // namespace trestle::prometheus
