// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/dialect/svg/cluster.hpp"
#include "trestle/dialect/svg/node.hpp"
#include "trestle/dialect/svg/timeline.hpp"

namespace trestle::python {
namespace {

/// Becomes a trestle.svg.Svg, which is written in Python (trestle/_svg.py).
struct Picture {
    std::string text;
};

nb::object picture_type() { return nb::module_::import_("trestle._svg").attr("Svg"); }

}  // namespace

template <>
struct Converter<Picture> {
    static constexpr bool is_ours = true;
    static constexpr auto name = const_name("trestle._svg.Svg");

    static nb::handle to(const Picture& picture, nb::rv_policy, cleanup_list*) noexcept try {
        return nb::object(picture_type()(picture.text)).release();
    } catch (nb::python_error& error) {
        error.restore();
        return {};
    }
};

namespace {

template <class Taken>
void add_render_node(nb::module_& module, const char* taken, const char* about) {
    module.def(
        "render_node",
        [](const Node& node, const Taken& what, const svg::PictureOptions& options) {
            return Picture{svg::render_node(node, what, options)};
        },
        nb::arg("node"), nb::arg(taken), nb::arg("options") = svg::PictureOptions(), about);
}

/// In trestle.svg, and in trestle itself.
void add_render_cluster(nb::module_& module) {
    module.def(
        "render_cluster",
        [](const Cluster& cluster, const svg::ClusterPictureOptions& options) {
            return Picture{svg::render_cluster(cluster, options)};
        },
        nb::arg("cluster"), nb::arg("options") = svg::ClusterPictureOptions(),
        doc("svg.render_cluster"));
}

void add_render_timeline(nb::module_& module) {
    module.def(
        "render_timeline",
        [](const Timeline& timeline, const svg::TimelinePictureOptions& options) {
            return Picture{svg::render_timeline(timeline, options)};
        },
        nb::arg("timeline"), nb::arg("options") = svg::TimelinePictureOptions(),
        doc("svg.render_timeline"));
}

}  // namespace

void bind_svg(nb::module_& top) {
    nb::module_ module = top.def_submodule("svg", "Pictures of nodes, of clusters and of time.");
    module.attr("Svg") = picture_type();
    bind_struct<svg::OwnerName>(module, "OwnerName");
    bind_struct<svg::Taken>(module, "Taken");
    bind_struct<svg::PictureOptions>(module, "PictureOptions");
    bind_struct<svg::ClusterPictureOptions>(module, "ClusterPictureOptions");
    add_render_node<NodePlacement>(module, "placement",
                                   "The node, otherwise idle, with a placement on it. It takes the "
                                   "place of options.proposed.");
    add_render_node<NodeLedger>(module, "ledger", "The node with what its owners have.");
    add_render_node<std::vector<svg::Taken>>(module, "taken", doc("svg.render_node"));
    bind_struct<svg::TimelinePictureOptions>(module, "TimelinePictureOptions");
    for (nb::module_* each : {&module, &top}) {
        add_render_cluster(*each);
        add_render_timeline(*each);
    }
}

}  // namespace trestle::python
