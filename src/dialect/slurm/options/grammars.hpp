// SPDX-License-Identifier: Apache-2.0
#pragma once

// The little grammars of option values, one reader each. All read to the end of the text.
//
// Layer: dialect/slurm, inside. What is said and refused stands at the types they give
// (options/values.hpp, options/terms.hpp); sources are slurm_opt.c, proc_args.c, tres_bind.c,
// tres_frequency.c of Slurm.

#include <string>
#include <string_view>
#include <vector>

#include "../../words.hpp"
#include "trestle/base/text.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"

namespace trestle::slurm {

/// More entries than a list of maps, masks or sizes can mean.
inline constexpr std::size_t option_list_max = 65'536;

/// What comes before the first of `stops`, as a cursor that knows its place.
[[nodiscard]] inline TextCursor take_piece(TextCursor& text, std::string_view stops) {
    const std::size_t offset = text.offset();
    return TextCursor(text.take_until(stops), offset);
}

/// A plain number from 1, or from 0, to 2^31-1.
[[nodiscard]] TextResult<Count> read_one_or_more(TextCursor text);
[[nodiscard]] TextResult<Count> read_zero_or_more(TextCursor text);
/// A text that is not empty; words between commas.
[[nodiscard]] TextResult<std::string> read_text(TextCursor text);
[[nodiscard]] TextResult<std::vector<std::string>> read_names(TextCursor text);

/// -N: `n`, `min-max`, each with k (2^10) or m (2^20); or sizes `1,4-6,8`, or `1-15:4`.
[[nodiscard]] TextResult<NodeCounts> read_node_counts(TextCursor text);
/// `n`, `min-max`, or `*` for any.
[[nodiscard]] TextResult<Range<Count>> read_hardware_count(TextCursor text);
/// -m.
[[nodiscard]] TextResult<TaskOrder> read_task_order(TextCursor text);
[[nodiscard]] TextResult<CpuBind> read_cpu_bind(TextCursor text);
[[nodiscard]] TextResult<MemBind> read_mem_bind(TextCursor text);
/// --tres-bind, with names; --gpu-bind, without.
[[nodiscard]] TextResult<TresBind> read_tres_bind(TextCursor text);
[[nodiscard]] TextResult<TresBind> read_gpu_bind(TextCursor text);
[[nodiscard]] TextResult<TaskTres> read_task_tres(TextCursor text);
[[nodiscard]] TextResult<GpuFrequency> read_gpu_frequency(TextCursor text);
[[nodiscard]] TextResult<GresFlags> read_gres_flags(TextCursor text);
[[nodiscard]] TextResult<NodeConstraint> read_constraint(TextCursor text);
[[nodiscard]] TextResult<LicenseList> read_licenses(TextCursor text);
[[nodiscard]] TextResult<Switches> read_switches(TextCursor text);
[[nodiscard]] TextResult<ExclusiveKind> read_exclusive(TextCursor text);
[[nodiscard]] TextResult<TimeLimit> read_time_limit(TextCursor text);
[[nodiscard]] TextResult<JobSignal> read_signal(TextCursor text);
[[nodiscard]] TextResult<std::vector<ProcessSettings::Limit::Resource>> read_propagate(
    TextCursor text);
[[nodiscard]] TextResult<JobArray> read_array(TextCursor text);
[[nodiscard]] TextResult<Dependencies> read_dependencies(TextCursor text);
[[nodiscard]] TextResult<Requeue> read_requeue(TextCursor text);
[[nodiscard]] TextResult<BeginTime> read_begin(TextCursor text);
[[nodiscard]] TextResult<ExportedVariables> read_export(TextCursor text);
[[nodiscard]] TextResult<bool> read_switch_value(TextCursor text);

/// The enumerator called as the text, whatever its case.
template <class E>
[[nodiscard]] std::optional<E> enum_of_word(std::string_view word) {
    for (const auto& entry : enum_names(E{})) {
        if (words::same_word(entry.name, word)) return entry.value;
    }
    return std::nullopt;
}

/// Adds to a list that is sorted by name: counts of one name are summed, 0 is nothing.
/// False when the sum exceeds a count.
[[nodiscard]] bool add_count(std::vector<ClusterCount>& counts, ClusterCount one);

/// `name[@server][:n]` or `name=n`; 1 without a number.
[[nodiscard]] TextResult<ClusterCount> read_license(TextCursor text);

}  // namespace trestle::slurm
