// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"
#include "errors.hpp"
#include "overloads.hpp"

NB_MODULE(_core, module) {
    using namespace trestle::python;
    module.attr("__name__") = "trestle";  // where users find the classes, and pickle looks for them
    install_errors();
    bind_base(module);
    bind_set(module);
    bind_features(module);
    bind_model(module);
    bind_slices(module);
    bind_fit(module);
    bind_cluster(module);
    bind_offers(module);
    bind_blocks(module);
    bind_columns(module);
    bind_place(module);
    bind_node_columns(module);
    bind_compaction(module);
    bind_time(module);
    bind_queue(module);
    bind_job(module);
    bind_enforce(module);
    bind_enforcers(module);
    bind_dialect(module);
    bind_os(module);
    bind_testing(module);
    bind_json(module);
    bind_svg(module);
    explain_wrong_arguments(module);
    module.attr("__name__") = "trestle._core";
}
