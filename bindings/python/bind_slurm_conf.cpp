// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>
#include <vector>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "mended.hpp"
#include "trestle/dialect/slurm/choice/load.hpp"
#include "trestle/dialect/slurm/conf/cgroup_conf.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/conf/gres_conf.hpp"
#include "trestle/dialect/slurm/conf/merge.hpp"
#include "trestle/dialect/slurm/conf/resources_conf.hpp"
#include "trestle/dialect/slurm/conf/slurm_conf.hpp"
#include "trestle/dialect/slurm/conf/topology_conf.hpp"
#include "trestle/dialect/slurm/release.hpp"

namespace trestle::python {
namespace {

using FileTexts = nb::typed<nb::dict, nb::str, nb::str>;

/// The files that a text may include, by name.
slurm::ConfFiles files_of(const FileTexts& files) {
    std::map<std::string, std::string, std::less<>> texts;
    for (const auto& [name, text] : files) {
        texts.emplace(from_python<std::string>(name), from_python<std::string>(text));
    }
    return [texts = std::move(texts)](std::string_view name) -> std::optional<std::string> {
        const auto text = texts.find(name);
        if (text == texts.end()) return std::nullopt;
        return text->second;
    };
}

/// The names of nodes by number.
NodeNames names_of(const std::vector<std::string>& nodes) {
    NodeNames names;
    for (const std::string& name : nodes) names.append(name);
    if (const auto twice = names.index()) {
        raise_if_error(invalid_argument("node {} is named twice", *twice));
    }
    return names;
}

void bind_conf_values(nb::module_& module) {
    bind_struct<slurm::ConfPlace>(module, "ConfPlace");
    bind_struct<slurm::ConfError>(module, "ConfError");
    bind_struct<slurm::ConfWarning>(module, "ConfWarning");
    bind_struct<slurm::PassthroughKey>(module, "PassthroughKey");
    bind_struct<slurm::NodeGres>(module, "NodeGres");
    bind_struct<slurm::TopologyUnit>(module, "TopologyUnit");
    bind_struct<slurm::NodeLine>(module, "NodeLine");
    bind_struct<slurm::DownLine>(module, "DownLine");
    bind_struct<slurm::NodeSetLine>(module, "NodeSetLine");
    bind_struct<slurm::JobDefaults>(module, "JobDefaults");
    bind_enum<slurm::PreemptMode>(module, "PreemptMode");
    bind_struct<slurm::PartitionLine>(module, "PartitionLine");
    bind_enum<slurm::SelectUnit>(module, "SelectUnit");
    bind_enum<slurm::NodeRank>(module, "NodeRank");
    bind_struct<slurm::SelectParameters>(module, "SelectParameters");
    bind_struct<slurm::SchedulerParameters>(module, "SchedulerParameters");
    bind_struct<slurm::TopologyParameters>(module, "TopologyParameters");
    bind_enum<slurm::EnforcePartLimits>(module, "EnforcePartLimits");
    bind_struct<slurm::License>(module, "License");
    bind_struct<slurm::ClusterParameters>(module, "ClusterParameters");
    bind_struct<slurm::SlurmConf>(module, "SlurmConf");
    bind_struct<slurm::SlurmConfReading>(module, "SlurmConfReading");
    bind_enum<slurm::GresFlag>(module, "GresFlag");
    bind_enum<slurm::AutoDetect>(module, "AutoDetect");
    bind_struct<slurm::GresLine>(module, "GresLine");
    bind_struct<slurm::GresConfReading>(module, "GresConfReading");
    bind_enum<slurm::SystemCoresFrom>(module, "SystemCoresFrom");
    bind_struct<slurm::NodeConf>(module, "NodeConf");
    bind_enum<slurm::NodeFaultKind>(module, "NodeFaultKind");
    bind_struct<slurm::NodeFault>(module, "NodeFault");
    bind_struct<slurm::MergedNode>(module, "MergedNode");
    bind_struct<slurm::TorusPlacement>(module, "TorusPlacement");
    bind_struct<slurm::TopologyConf>(module, "TopologyConf");
    bind_struct<slurm::TopologyReading>(module, "TopologyReading");
    bind_enum<slurm::LayerMode>(module, "LayerMode");
    bind_struct<slurm::ResourceLayer>(module, "ResourceLayer");
    bind_struct<slurm::LayeredResource>(module, "LayeredResource");
    bind_struct<slurm::ResourcesReading>(module, "ResourcesReading");
    bind_struct<slurm::InvalidNodes>(module, "InvalidNodes");
    bind_struct<slurm::BuiltNodes>(module, "BuiltNodes");
    bind_struct<slurm::CgroupConf>(module, "CgroupConf");
    bind_struct<slurm::CgroupConfReading>(module, "CgroupConfReading");
    bind_enum<slurm::OomKills>(module, "OomKills");
    bind_struct<slurm::MemoryLimits>(module, "MemoryLimits");
    nb::class_<slurm::ClusterReading>(module, "ClusterReading", doc("slurm.ClusterReading"))
        .def_ro("built", &slurm::ClusterReading::built)
        .def_prop_ro(
            "conf", [](const slurm::ClusterReading& self) { return self.conf; },
            nb::rv_policy::move)
        .def_prop_ro(
            "errors", [](const slurm::ClusterReading& self) { return self.errors; },
            nb::rv_policy::move);
    nb::class_<slurm::BuiltCluster>(module, "BuiltCluster", doc("slurm.BuiltCluster"))
        .def_ro("cluster", &slurm::BuiltCluster::cluster)
        .def_prop_ro(
            "warnings", [](const slurm::BuiltCluster& self) { return self.warnings; },
            nb::rv_policy::move)
        .def_prop_ro(
            "resources", [](const slurm::BuiltCluster& self) { return self.resources; },
            nb::rv_policy::move)
        .def_prop_ro(
            "invalid", [](const slurm::BuiltCluster& self) { return self.invalid; },
            nb::rv_policy::move);
}

/// Binds the two forms of a reader that may take what Slurm mends for errors.
template <class Read, class Parse>
void def_strict_reader(nb::module_& module, const std::string& file, Read read, Parse parse) {
    const std::string read_name = "read_" + file;
    const std::string parse_name = "parse_" + file;
    module.def(
        read_name.c_str(),
        [read](std::string_view text, const FileTexts& files, bool strict) {
            return read(text, files_of(files), mended_of(strict));
        },
        nb::arg("text"), nb::arg("files") = nb::dict(), nb::arg("strict") = false,
        doc("slurm." + read_name));
    module.def(
        parse_name.c_str(),
        [parse](std::string_view text, const FileTexts& files, bool strict) {
            return parse(text, files_of(files), mended_of(strict));
        },
        nb::arg("text"), nb::arg("files") = nb::dict(), nb::arg("strict") = true,
        doc("slurm." + parse_name));
}

/// Binds the two forms of a reader of a text that may include others.
template <class Read, class Parse>
void def_reader(nb::module_& module, const std::string& file, Read read, Parse parse) {
    const std::string read_name = "read_" + file;
    const std::string parse_name = "parse_" + file;
    module.def(
        read_name.c_str(),
        [read](std::string_view text, const FileTexts& files) {
            return read(text, files_of(files));
        },
        nb::arg("text"), nb::arg("files") = nb::dict(), doc("slurm." + read_name));
    module.def(
        parse_name.c_str(),
        [parse](std::string_view text, const FileTexts& files) {
            return parse(text, files_of(files));
        },
        nb::arg("text"), nb::arg("files") = nb::dict(), doc("slurm." + parse_name));
}

void bind_releases(nb::module_& module) {
    bind_enum<slurm::Release>(module, "Release");
    module.def("parse_release", &slurm::parse_release, nb::arg("text"), doc("slurm.parse_release"));
    module.def(
        "refused_keys",
        [](std::string_view text, slurm::Release release, const FileTexts& files) {
            return slurm::refused_keys(text, release, files_of(files));
        },
        nb::arg("text"), nb::arg("release"), nb::arg("files") = nb::dict(),
        doc("slurm.refused_keys"));
}

void bind_topology_readers(nb::module_& module) {
    const auto text = nb::arg("text");
    const auto nodes = nb::arg("nodes");
    module.def(
        "read_topology_conf",
        [](std::string_view conf, const std::vector<std::string>& names, const FileTexts& files) {
            return slurm::read_topology_conf(conf, names_of(names), files_of(files));
        },
        text, nodes, nb::arg("files") = nb::dict(), doc("slurm.read_topology_conf"));
    module.def(
        "parse_topology_conf",
        [](std::string_view conf, const std::vector<std::string>& names, const FileTexts& files) {
            return slurm::parse_topology_conf(conf, names_of(names), files_of(files));
        },
        text, nodes, nb::arg("files") = nb::dict(), doc("slurm.parse_topology_conf"));
    module.def(
        "read_topology_yaml",
        [](std::string_view yaml, const std::vector<std::string>& names) {
            return slurm::read_topology_yaml(yaml, names_of(names));
        },
        text, nodes, doc("slurm.read_topology_yaml"));
    module.def(
        "read_resources_yaml",
        [](std::string_view yaml, const std::vector<std::string>& names) {
            return slurm::read_resources_yaml(yaml, names_of(names));
        },
        text, nodes, doc("slurm.read_resources_yaml"));
    module.def(
        "parse_topology_yaml",
        [](std::string_view yaml, const std::vector<std::string>& names) {
            return slurm::parse_topology_yaml(yaml, names_of(names));
        },
        text, nodes, doc("slurm.read_topology_yaml"));
}

void bind_builders(nb::module_& module) {
    using Lines = std::vector<slurm::GresLine>;
    module.def("merge", &slurm::merge, nb::arg("conf"), nb::arg("detected") = nb::none(),
               doc("slurm.merge"));
    module.def("autodetect_of", &slurm::autodetect_of, nb::arg("conf"), doc("slurm.autodetect_of"));
    module.def("configured_gres", &slurm::configured_gres, nb::arg("shape"),
               doc("slurm.configured_gres"));
    module.def("detected_gres", &slurm::detected_gres, nb::arg("detected"),
               doc("slurm.detected_gres"));
    module.def("system_cores_of", &slurm::system_cores_of, nb::arg("line"),
               nb::arg("start") = slurm::SystemCoresFrom::last, doc("slurm.system_cores_of"));
    module.def(
        "build_nodes",
        [](const slurm::SlurmConf& conf, const Lines& gres) {
            return slurm::build_nodes(conf, gres);
        },
        nb::arg("conf"), nb::arg("gres") = Lines(), doc("slurm.build_nodes"));
    module.def(
        "build_cluster",
        [](const slurm::SlurmConf& conf, const Lines& gres, const slurm::TopologyConf& topology) {
            return slurm::build_cluster(conf, gres, topology);
        },
        nb::arg("conf"), nb::arg("gres") = Lines(), nb::arg("topology") = slurm::TopologyConf(),
        doc("slurm.build_cluster"));
    module.def(
        "parse_nodes",
        [](std::string_view slurm_conf, std::string_view gres_conf, const FileTexts& files) {
            const slurm::ConfFiles found = files_of(files);
            return slurm::parse_nodes(
                {.slurm_conf = slurm_conf, .gres_conf = gres_conf, .files = &found});
        },
        nb::arg("slurm_conf"), nb::arg("gres_conf") = "", nb::arg("files") = nb::dict(),
        doc("slurm.parse_nodes"));
    module.def(
        "read_cluster",
        [](std::string_view slurm_conf, std::string_view gres_conf, std::string_view topology_conf,
           std::string_view topology_yaml, const FileTexts& files, bool strict,
           std::string_view resources_yaml) {
            const slurm::ConfFiles found = files_of(files);
            return slurm::read_cluster({slurm_conf, gres_conf, topology_conf, topology_yaml, &found,
                                        mended_of(strict), resources_yaml});
        },
        nb::arg("slurm_conf"), nb::arg("gres_conf") = "", nb::arg("topology_conf") = "",
        nb::arg("topology_yaml") = "", nb::arg("files") = nb::dict(), nb::arg("strict") = false,
        nb::arg("resources_yaml") = "", doc("slurm.read_cluster"));
    module.def(
        "load_cluster",
        [](const std::string& directory, bool strict) {
            return slurm::load_cluster(directory, mended_of(strict));
        },
        nb::arg("directory"), nb::arg("strict") = false, doc("slurm.load_cluster"));
    module.def(
        "parse_cluster",
        [](std::string_view slurm_conf, std::string_view gres_conf, std::string_view topology_conf,
           std::string_view topology_yaml, const FileTexts& files, bool strict,
           std::string_view resources_yaml) {
            const slurm::ConfFiles found = files_of(files);
            return slurm::parse_cluster({slurm_conf, gres_conf, topology_conf, topology_yaml,
                                         &found, mended_of(strict), resources_yaml});
        },
        nb::arg("slurm_conf"), nb::arg("gres_conf") = "", nb::arg("topology_conf") = "",
        nb::arg("topology_yaml") = "", nb::arg("files") = nb::dict(), nb::arg("strict") = false,
        nb::arg("resources_yaml") = "", doc("slurm.parse_cluster"));
    module.def("limit_policy", &slurm::limit_policy, nb::arg("conf"),
               nb::arg("oom") = slurm::OomKills::process, doc("slurm.limit_policy"));
    module.def("memory_limits", &slurm::memory_limits, nb::arg("conf"), nb::arg("allocated"),
               nb::arg("real_memory"), doc("slurm.memory_limits"));
}

}  // namespace

void bind_slurm_conf(nb::module_& module) {
    bind_conf_values(module);
    bind_releases(module);
    def_strict_reader(
        module, "slurm_conf",
        [](std::string_view text, const slurm::ConfFiles& files, slurm::MendedMistakes mended) {
            return slurm::read_slurm_conf(text, files, mended);
        },
        &slurm::parse_slurm_conf);
    def_strict_reader(module, "gres_conf", &slurm::read_gres_conf, &slurm::parse_gres_conf);
    def_reader(module, "cgroup_conf", &slurm::read_cgroup_conf, &slurm::parse_cgroup_conf);
    bind_topology_readers(module);
    bind_builders(module);
}

}  // namespace trestle::python
