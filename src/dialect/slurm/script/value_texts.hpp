// SPDX-License-Identifier: Apache-2.0
#pragma once

// The little grammars of option values, printed: the other way of options/grammars.hpp.
//
// Layer: dialect/slurm, inside.

#include <string>
#include <vector>

#include "trestle/dialect/slurm/options/job_options.hpp"

namespace trestle::slurm {

[[nodiscard]] std::string value_text(const NodeCounts& nodes);
[[nodiscard]] std::string value_text(const Range<Count>& hardware);
[[nodiscard]] std::string value_text(const TaskOrder& order);
[[nodiscard]] std::string value_text(const CpuBind& bind);
[[nodiscard]] std::string value_text(const MemBind& bind);
[[nodiscard]] std::string value_text(const TresBind& bind);
[[nodiscard]] std::string value_text(const TaskTres& tres);
[[nodiscard]] std::string value_text(const GpuFrequency& frequency);
[[nodiscard]] std::string value_text(const GresFlags& flags);
[[nodiscard]] std::string value_text(const NodeConstraint& constraint);
[[nodiscard]] std::string value_text(const LicenseList& list);
[[nodiscard]] std::string value_text(const Switches& switches);
[[nodiscard]] std::string value_text(const TimeLimit& time);
[[nodiscard]] std::string value_text(const JobSignal& signal);
[[nodiscard]] std::string value_text(const JobArray& array);
[[nodiscard]] std::string value_text(const Dependencies& dependencies);
[[nodiscard]] std::string value_text(const ExportedVariables& exported);
[[nodiscard]] std::string value_text(const std::vector<ProcessSettings::Limit::Resource>& limits);

/// `a100:2,4`, the form of --gpus; `0` of none.
[[nodiscard]] std::string gpus_text(const std::vector<Gres>& gpus);
/// `gpu:a100:2,nic:1`; `none` of none.
[[nodiscard]] std::string gres_text(const std::vector<Gres>& gres);

}  // namespace trestle::slurm
