// SPDX-License-Identifier: Apache-2.0
#pragma once

// One function for each layer, called in this order: a class is bound before its users.

#include <nanobind/nanobind.h>

namespace trestle::python {

void bind_base(nanobind::module_& module);
void bind_set(nanobind::module_& module);
void bind_features(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_slices(nanobind::module_& module);
void bind_fit(nanobind::module_& module);
void bind_cluster(nanobind::module_& module);
void bind_offers(nanobind::module_& module);
void bind_blocks(nanobind::module_& module);
void bind_columns(nanobind::module_& module);
void bind_node_columns(nanobind::module_& module);
void bind_place(nanobind::module_& module);
void bind_time(nanobind::module_& module);
void bind_queue(nanobind::module_& module);
void bind_compaction(nanobind::module_& module);
void bind_job(nanobind::module_& module);
void bind_enforce(nanobind::module_& module);
void bind_ending(nanobind::module_& module);  ///< called by bind_enforce
void bind_enforcers(nanobind::module_& module);
void bind_health(nanobind::module_& module);          ///< called by bind_enforce
void bind_slurm_options(nanobind::module_& slurm);    ///< called by bind_dialect
void bind_slurm_conf(nanobind::module_& slurm);       ///< the same
void bind_slurm_choice(nanobind::module_& slurm);     ///< the same
void bind_slurm_report(nanobind::module_& slurm);     ///< the same
void bind_slurm_live(nanobind::module_& slurm);       ///< the same
void bind_dstack(nanobind::module_& dstack);          ///< the same
void bind_dstack_offers(nanobind::module_& dstack);   ///< the same
void bind_container(nanobind::module_& container);    ///< the same
void bind_prometheus(nanobind::module_& prometheus);  ///< the same
void bind_dstack_run(nanobind::module_& dstack);      ///< the same
void bind_slurm_script(nanobind::module_& slurm);     ///< the same
void bind_translate(nanobind::module_& translate);    ///< the same
void bind_dialect(nanobind::module_& module);
void bind_os(nanobind::module_& module);
void bind_testing(nanobind::module_& module);
void bind_json(nanobind::module_& module);
void bind_svg(nanobind::module_& module);

}  // namespace trestle::python
