// SPDX-License-Identifier: Apache-2.0
// Forms of numbers by Slurm's common code (convert_num_unit2, _elapsed_time, _print_small_double).
#include "trestle/dialect/slurm/usage_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "../words.hpp"
#include "trestle/base/text.hpp"
#include "trestle/dialect/slurm/job_report.hpp"

namespace trestle::slurm {

namespace {

/// No number is above 2^63 and none is divided before it is at least a thousand, so that the
/// letters suffice.
std::string with_letter(double amount, std::size_t unit) {
    constexpr std::string_view units = "KMGTPE";
    const std::string letter = unit == 0 ? "" : std::string(1, units[unit - 1]);
    return amount == std::floor(amount) ? fmt::format("{:.0f}{}", amount, letter)
                                        : fmt::format("{:.2f}{}", amount, letter);
}

/// Larger units as long as the whole part is a multiple of half of 1024.
std::string exact_amount(double amount, std::size_t unit) {
    if (amount < 1) return "0";
    while (amount >= 1024 && static_cast<std::uint64_t>(amount) % 512 == 0) {
        amount /= 1024;
        ++unit;
    }
    return with_letter(amount, unit);
}

/// A number of each task; nothing when one task does not tell it, or there is no task.
template <class Unit>
std::optional<Quantity<Unit>> sum_over_tasks(const StepUsage& step,
                                             std::optional<Quantity<Unit>> ResourceUsage::*member) {
    std::optional<Quantity<Unit>> sum;
    for (const TaskUsage& task : step.tasks) {
        const auto& value = task.usage.*member;
        if (!value) return std::nullopt;
        sum = saturating_add(sum.value_or(Quantity<Unit>()), *value);
    }
    return sum;
}

template <class Unit>
std::optional<Quantity<Unit>> mean_over_tasks(
    const StepUsage& step, std::optional<Quantity<Unit>> ResourceUsage::*member) {
    const auto sum = sum_over_tasks(step, member);
    if (!sum) return std::nullopt;
    return div_floor(*sum, static_cast<std::int64_t>(step.tasks.size()));
}

template <class Unit, class ToText>
std::string text_or_empty(const std::optional<Quantity<Unit>>& value, const ToText& to_its_text) {
    return value ? to_its_text(*value) : std::string();
}

/// The whole seconds of it, as Slurm keeps the CPU time of a task.
std::string whole_seconds_text(Microseconds time) {
    return cpu_time_text(div_floor(time, 1'000'000) * 1'000'000);
}

Seconds in_seconds(Microseconds time) { return Seconds(time.value() / 1'000'000); }

/// Fields in the order in which they are added.
class UsageFieldList {
  public:
    explicit UsageFieldList(const StepUsage& step) : step_(step) {}

    void add(std::string name, std::string text) {
        fields_.push_back({std::move(name), std::move(text)});
    }
    template <class Unit, class ToText>
    void add_mean(const char* name, std::optional<Quantity<Unit>> ResourceUsage::*member,
                  const ToText& to_its_text) {
        add(name, text_or_empty(mean_over_tasks(step_, member), to_its_text));
    }
    template <class Unit, class ToText>
    void add_sum(const char* name, std::optional<Quantity<Unit>> ResourceUsage::*member,
                 const ToText& to_its_text) {
        add(name, text_or_empty(sum_over_tasks(step_, member), to_its_text));
    }
    /// The best number with the task that has it and that task's node: `MaxRSS`, `MaxRSSNode`,
    /// `MaxRSSTask`.
    template <class ValueOf, class IsBetter, class ToText>
    void add_best(const std::string& name, const ValueOf& value_of, const IsBetter& is_better,
                  const ToText& to_its_text) {
        const TaskUsage* best = nullptr;
        for (const TaskUsage& task : step_.tasks) {
            const auto value = value_of(task.usage);
            if (!value) continue;
            if (best == nullptr || is_better(*value, *value_of(best->usage))) best = &task;
        }
        add(name, best ? to_its_text(*value_of(best->usage)) : "");
        add(name + "Node", best ? best->node : "");
        add(name + "Task", best ? std::to_string(best->task) : "");
    }
    void add_unknown(std::initializer_list<const char*> names) {
        for (const char* name : names) add(name, "");
    }
    [[nodiscard]] std::vector<UsageField> take() && {
        std::sort(fields_.begin(), fields_.end(),
                  [](const UsageField& a, const UsageField& b) { return a.name < b.name; });
        return std::move(fields_);
    }

  private:
    const StepUsage& step_;
    std::vector<UsageField> fields_;
};

void add_step_fields(const StepUsage& step, UsageFieldList& list) {
    list.add("JobID", step.job_id);
    list.add("NTasks", std::to_string(step.tasks.size()));
    list.add("AllocCPUS", std::to_string(step.cpus.value()));
    const auto elapsed = step.elapsed ? std::optional(in_seconds(*step.elapsed)) : std::nullopt;
    const auto cpu_time = elapsed ? checked_mul(*elapsed, step.cpus.value()) : std::nullopt;
    const auto duration = [](Seconds seconds) { return duration_text(seconds); };
    const auto raw = [](Seconds seconds) { return std::to_string(seconds.value()); };
    list.add("Elapsed", text_or_empty(elapsed, duration));
    list.add("ElapsedRaw", text_or_empty(elapsed, raw));
    list.add("CPUTime", text_or_empty(cpu_time, duration));
    list.add("CPUTimeRAW", text_or_empty(cpu_time, raw));
    list.add("ConsumedEnergy", text_or_empty(step.energy, energy_text));
    list.add("ConsumedEnergyRaw", text_or_empty(step.energy, [](Microjoules energy) {
                 return std::to_string(energy.value() / 1'000'000);
             }));
}

}  // namespace

std::string cpu_time_text(Microseconds time) {
    const std::int64_t seconds = time.value() / 1'000'000;
    const std::int64_t thousandths = time.value() / 1'000 % 1'000;
    if (seconds >= 3600 || thousandths == 0) return duration_text(Seconds(seconds));
    return fmt::format("{:02}:{:02}.{:03}", seconds / 60, seconds % 60, thousandths);
}

std::string amount_text(Bytes bytes) { return exact_amount(static_cast<double>(bytes.value()), 0); }

std::string disk_text(Bytes bytes) {
    constexpr std::size_t mega = 2;
    const double mebibytes = static_cast<double>(bytes.value()) / (1 << 20);
    if (bytes.is_zero()) return "0";
    if (mebibytes > 1) return exact_amount(mebibytes, mega);
    return fmt::format("{:.2f}M", mebibytes);
}

std::string energy_text(Microjoules energy) {
    double joules = static_cast<double>(energy.value() / 1'000'000);
    std::size_t unit = 0;
    for (; joules >= 1000; joules /= 1000) ++unit;
    return with_letter(joules, unit);
}

std::vector<UsageField> usage_fields(const StepUsage& step) {
    UsageFieldList list(step);
    add_step_fields(step, list);
    list.add_mean("AveCPU", &ResourceUsage::cpu_time, whole_seconds_text);
    list.add_mean("AveRSS", &ResourceUsage::memory_anon, amount_text);
    list.add_mean("AveDiskRead", &ResourceUsage::read_bytes, disk_text);
    list.add_mean("AveDiskWrite", &ResourceUsage::written_bytes, disk_text);
    list.add_sum("TotalCPU", &ResourceUsage::cpu_time, cpu_time_text);
    list.add_sum("UserCPU", &ResourceUsage::cpu_user, cpu_time_text);
    list.add_sum("SystemCPU", &ResourceUsage::cpu_system, cpu_time_text);
    const auto larger = [](const auto& a, const auto& b) { return a > b; };
    const auto smaller = [](const auto& a, const auto& b) { return a < b; };
    list.add_best(
        "MinCPU", [](const ResourceUsage& usage) { return usage.cpu_time; }, smaller,
        whole_seconds_text);
    list.add_best(
        "MaxRSS",
        [](const ResourceUsage& usage) {
            return usage.memory_peak ? usage.memory_peak : usage.memory_anon;
        },
        larger, amount_text);
    list.add_best(
        "MaxDiskRead", [](const ResourceUsage& usage) { return usage.read_bytes; }, larger,
        disk_text);
    list.add_best(
        "MaxDiskWrite", [](const ResourceUsage& usage) { return usage.written_bytes; }, larger,
        disk_text);
    list.add_unknown({"AveCPUFreq", "AvePages", "AveVMSize", "MaxPages", "MaxPagesNode",
                      "MaxPagesTask", "MaxVMSize", "MaxVMSizeNode", "MaxVMSizeTask"});
    return std::move(list).take();
}

StatusOr<std::string> usage_line(const StepUsage& step, std::string_view format) {
    const auto known = usage_fields(step);
    std::string line;
    TextCursor cursor(format);
    for (bool is_first = true; is_first || cursor.accept(','); is_first = false) {
        const std::size_t offset = cursor.offset();
        const std::string_view name = cursor.take_until(",");
        const auto at = std::find_if(known.begin(), known.end(), [&](const UsageField& one) {
            return words::same_word(one.name, name);
        });
        if (at == known.end()) {
            const auto name_of = [](const UsageField& one) { return std::string_view(one.name); };
            return to_status("format",
                             {offset, std::string(name.substr(0, 64)), "unknown field",
                              words::with_nearest("a field of sstat", name, known, name_of)});
        }
        if (!is_first) line += '|';
        line += at->text;
    }
    return line;
}

}  // namespace trestle::slurm
