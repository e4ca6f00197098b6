// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "mended.hpp"
#include "trestle/dialect/slurm/choice/controller.hpp"
#include "trestle/dialect/slurm/choice/load.hpp"
#include "trestle/dialect/slurm/choice/select.hpp"
#include "trestle/dialect/slurm/choice/selector.hpp"
#include "trestle/dialect/slurm/choice/show_job.hpp"
#include "trestle/dialect/slurm/options/environment.hpp"

namespace trestle::python {
namespace {

using slurm::Controller;
using slurm::Decision;

/// `3/8,0/8`, as a recording has it.
std::string parts_text(const std::vector<slurm::GresPart>& parts) {
    std::string text;
    for (const slurm::GresPart& part : parts) {
        const std::string used = part.used ? to_text(*part.used) : "-";
        text += fmt::format("{}{}/{}", text.empty() ? "" : ",", used, part.all.value());
    }
    return text;
}
/// The devices that give parts, by their positions.
SmallSet<> positions_of(const std::vector<slurm::GresPart>& parts) {
    SmallSet<> positions;
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
        if (!parts[i].used.value_or(Count()).is_zero()) positions.insert(i);
    }
    return positions;
}

nb::dict dict_of(const slurm::NodeGrant& grant) {
    nb::dict node;
    node["node"] = grant.node;
    nb::list ids;
    for (const OsIndex id : grant.cpu_ids) ids.append(id.value());
    node["cpu_ids"] = ids;
    node["mem_mb"] = div_ceil(grant.memory, mib(1).value()).value();
    nb::list gres;
    for (const slurm::GresDetail& detail : grant.gres) {
        nb::dict one;
        one["name"] = detail.gres.name;
        one["type"] =
            detail.gres.type.empty() ? nb::none() : nb::object(nb::cast(detail.gres.type));
        one["count"] = detail.gres.count.value();
        const bool has_parts = !detail.parts.empty();
        nb::list indexes;
        for (const std::uint32_t index : has_parts ? positions_of(detail.parts) : detail.indexes) {
            indexes.append(index);
        }
        const bool has_none = detail.gres.count.is_zero() && !has_parts;
        if (nb::len(indexes) != 0 || has_none) one["idx"] = indexes;  // a bare count has none
        if (has_parts) one["detail"] = parts_text(detail.parts);
        gres.append(one);
    }
    node["gres"] = gres;
    return node;
}

void add_allocation(nb::dict& result, const Decision& decision) {
    nb::list nodes;
    nb::list raw;
    for (const slurm::NodeGrant& grant : decision.grants) nodes.append(dict_of(grant));
    for (const std::string& line : slurm::grant_lines(decision.grants)) raw.append(line);
    const std::size_t count = decision.grants.size();
    result["num_nodes"] = count;
    result["num_cpus"] = slurm::cpu_count_of(decision).value();
    result["num_tasks"] = slurm::task_count_of(decision).value();
    result["cpus_per_task"] = to_text(decision.client.cpus_per_task);
    result["over_subscribe"] = std::string(trestle::to_text(decision.client.sharing));
    result["node_list"] = slurm::node_list_text(decision.grants);
    result["tres"] = slurm::tres_text(decision.tres);
    if (!decision.licenses.empty()) result["licenses"] = slurm::licenses_text(decision.licenses);
    result["nodes"] = nodes;
    result["raw"] = raw;
    nb::dict environment;
    // A decision made by hand has no view of clients.
    if (count != 0 && decision.client.cpus.size() == count) {
        for (const EnvironmentVariable& variable :
             slurm::job_environment(slurm::job_context(decision))) {
            if (variable.name != "SLURM_JOB_ID") {
                environment[variable.name.c_str()] = variable.value.reveal();
            }
        }
    }
    result["env"] = environment;
}

/// A decision with the names that recordings of Slurm have.
nb::dict dict_of(const Decision& decision) {
    nb::dict result;
    result["status"] = std::string(to_text(decision.answer));
    if (decision.answer == slurm::Answer::allocated) add_allocation(result, decision);
    if (decision.answer == slurm::Answer::pending) {
        result["reason"] = std::string(trestle::to_text(decision.reason));
    }
    if (decision.answer == slurm::Answer::refused) {
        nb::list errors;
        errors.append(decision.message);
        result["error"] = errors;
    } else {
        result["req_tres"] = slurm::tres_text(decision.req_tres);
    }
    nb::list warnings;
    for (const std::string& warning : decision.warnings) warnings.append(warning);
    result["warnings"] = warnings;
    return result;
}

/// What `read` makes of the value of a key. Whatever is wrong with a recording is a ValueError that
/// names the key: it is a document, not an argument of some type.
template <class Read>
auto under(std::string_view where, const Read& read) {
    try {
        return read();
    } catch (BadValue& bad) {
        bad.type = PyExc_ValueError;
        bad.inside(where);
        throw;
    }
}

/// Of a dict that need not have the key. Throws BadValue if this is no dict.
nb::object value_or_none(nb::handle dict, const char* key) {
    if (!nb::isinstance<nb::dict>(dict)) throw_wrong_type("dict", dict);
    const auto known = nb::borrow<nb::dict>(dict);
    return known.contains(key) ? nb::object(known[key]) : nb::none();
}
template <class T>
T read_key(nb::handle dict, const char* key) {
    const nb::object value = value_or_none(dict, key);
    return under(key, [&] { return from_python<T>(value); });
}
/// visit(item) for each item of the list below the key.
template <class Visit>
void read_items(nb::handle dict, const char* key, const Visit& visit) {
    const nb::object list = value_or_none(dict, key);
    under(key, [&] {
        if (!nb::isinstance<nb::list>(list) && !nb::isinstance<nb::tuple>(list)) {
            throw_wrong_type("list", list);
        }
        std::size_t position = 0;
        for (const nb::handle item : list) {
            under(fmt::format("[{}]", position++), [&] { visit(item); });
        }
    });
}

/// A member of a set of small numbers.
std::uint32_t small_number_from(nb::handle item) {
    constexpr std::uint64_t most = (1U << 20U) - 1;
    return static_cast<std::uint32_t>(int_from_python(item, {0, most}));
}

using Names = std::span<const std::string_view>;

/// A Python warning for each key of a recording that is not among `used` and `passed_over`.
void warn_of_others(nb::handle dict, Names used, Names passed_over = {}) {
    const auto is_among = [](nb::handle key, Names names) {
        return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
            return nb::isinstance<nb::str>(key) &&
                   PyUnicode_CompareWithASCIIString(key.ptr(), name.data()) == 0;
        });
    };
    for (const nb::handle key : nb::borrow<nb::dict>(dict).keys()) {
        if (is_among(key, used) || is_among(key, passed_over)) continue;
        const std::string text =
            fmt::format("adopt: the key {} is not used, expected {}",
                        nb::cast<std::string>(nb::repr(key)), fmt::join(used, ", "));
        if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) throw nb::python_error();
    }
}
constexpr std::array<std::string_view, 2> answer_keys{"nodes", "licenses"};
/// What else to_dict() and recordings say of an answer.
constexpr std::array<std::string_view, 17> other_answer_keys{
    "status",  "num_nodes", "num_cpus", "num_tasks", "cpus_per_task",  "node_list",
    "tres",    "req_tres",  "raw",      "env",       "over_subscribe", "warnings",
    "suspect", "segment",   "reason",   "error",     "unadopted"};
constexpr std::array<std::string_view, 4> node_keys{"node", "cpu_ids", "mem_mb", "gres"};
constexpr std::array<std::string_view, 5> gres_keys{"name", "type", "count", "idx", "detail"};

/// `detail` of a recording: the parts, device by device.
void set_parts(const std::string& text, slurm::GresDetail& detail) {
    const std::string gres =
        fmt::format("{}:{}({})", detail.gres.name, detail.gres.count.value(), text);
    const auto read = slurm::parse_gres_used(gres);
    if (text.find(')') != std::string::npos || !read.ok() || read->size() != 1 ||
        read->front().parts.empty()) {
        throw BadValue{PyExc_ValueError,
                       fmt::format("{}, expected parts of each device as in 3/8,0/8, {} together",
                                   text, detail.gres.count.value()),
                       "detail"};
    }
    detail.parts = read->front().parts;
    const SmallSet<> given = std::exchange(detail.indexes, {});
    const SmallSet<> positions = positions_of(detail.parts);
    if (given.is_empty() || given == positions) return;
    throw BadValue{
        PyExc_ValueError,
        fmt::format("{}, but detail gives parts of {}", to_text(given), to_text(positions)), "idx"};
}

slurm::GresDetail gres_from(nb::handle one) {
    slurm::GresDetail detail;
    detail.gres.name = read_key<std::string>(one, "name");
    detail.gres.type = read_key<std::optional<std::string>>(one, "type").value_or("");
    detail.gres.count = read_key<Count>(one, "count");
    if (!value_or_none(one, "idx").is_none()) {
        read_items(one, "idx",
                   [&](nb::handle index) { detail.indexes.insert(small_number_from(index)); });
    }
    const auto parts = read_key<std::optional<std::string>>(one, "detail");
    if (parts && !parts->empty()) set_parts(*parts, detail);
    warn_of_others(one, gres_keys);
    return detail;
}

/// The grant that dict_of() made this of; `cpus` are those of the ids.
slurm::NodeGrant grant_from(nb::handle node) {
    slurm::NodeGrant grant;
    grant.node = read_key<std::string>(node, "node");
    read_items(node, "cpu_ids",
               [&](nb::handle id) { grant.cpu_ids.insert(OsIndex(small_number_from(id))); });
    grant.cpus = Count(grant.cpu_ids.count());
    const auto mebibytes = read_key<Count>(node, "mem_mb");
    const auto memory = checked_mul(mib(1), mebibytes.value());
    if (!memory) {
        throw BadValue{PyExc_ValueError, fmt::format("{} MiB: too much", mebibytes.value()),
                       "mem_mb"};
    }
    grant.memory = *memory;
    read_items(node, "gres", [&](nb::handle one) { grant.gres.push_back(gres_from(one)); });
    warn_of_others(node, node_keys);
    return grant;
}

/// Node grants, or a dict with `nodes` as to_dict() or a recording gives it.
std::vector<slurm::NodeGrant> grants_from(const nb::object& given) {
    if (!nb::isinstance<nb::dict>(given)) {
        return from_python<std::vector<slurm::NodeGrant>>(given);
    }
    std::vector<slurm::NodeGrant> grants;
    read_items(given, "nodes", [&](nb::handle node) { grants.push_back(grant_from(node)); });
    warn_of_others(given, answer_keys, other_answer_keys);
    return grants;
}

/// Of a dict that has them; None and no key: the options say them.
std::optional<std::vector<ClusterCount>> licenses_from(const nb::object& given) {
    if (!nb::isinstance<nb::dict>(given)) return std::nullopt;
    const auto text = read_key<std::optional<std::string>>(given, "licenses");
    if (!text) return std::nullopt;
    auto licenses = slurm::parse_licenses(*text);
    raise_if_error(licenses.status());
    return *std::move(licenses);
}

using Licenses = std::optional<std::vector<ClusterCount>>;

StatusOr<OwnerId> adopted(Controller& controller, const nb::object& given,
                          const slurm::JobOptions& options, Licenses licenses = std::nullopt) {
    const auto grants = grants_from(given);
    if (!licenses) licenses = licenses_from(given);
    if (!licenses) return controller.adopt(grants, options);
    return controller.adopt(grants, options, *licenses);
}

OwnerId owner_from(const nb::object& given) {
    if (!nb::isinstance<Decision>(given)) return from_python<OwnerId>(given);
    const auto& owner = nb::cast<const Decision&>(given).owner;
    if (!owner)
        raise_if_error(failed_precondition("the decision has no owner: nothing was allocated"));
    return *owner;
}

void bind_tres_rules(nb::module_& module) {
    bind_enum<slurm::TypedCounts>(module, "TypedCounts");
    bind_struct<slurm::TresRules>(module, "TresRules");
    module.def("tres_rules_of", &slurm::tres_rules_of, nb::arg("parameters"), nb::arg("partition"),
               nb::arg("typed") = slurm::TypedCounts::by_device, doc("slurm.tres_rules_of"));
    module.def(
        "granted_tres",
        [](const std::vector<slurm::NodeGrant>& grants, const slurm::JobOptions& asked,
           const std::vector<ClusterCount>& licenses, const slurm::TresRules& rules) {
            return slurm::granted_tres(grants, asked, licenses, rules);
        },
        nb::arg("grants"), nb::arg("asked"), nb::arg("licenses"), nb::arg("rules"),
        doc("slurm.granted_tres"));
}

void bind_decisions(nb::module_& module) {
    bind_enum<slurm::Answer>(module, "Answer");
    bind_tres_rules(module);
    bind_enum<slurm::JobSharing>(module, "JobSharing");
    bind_struct<slurm::ClientView>(module, "ClientView");
    bind_struct<Decision>(module, "Decision")
        .def(
            "to_dict", [](const Decision& self) { return dict_of(self); },
            nb::sig("def to_dict(self) -> dict[str, typing.Any]"),
            "The decision in plain Python, by keys. Always: status. For an allocation: num_nodes, "
            "num_cpus, num_tasks, cpus_per_task, over_subscribe, node_list, tres, nodes (cpu_ids, "
            "mem_mb, gres), raw lines of scontrol and env; licenses, if it has any. Else: reason "
            "or error. Unless it was "
            "refused: req_tres. What is not tracked is not "
            "in tres.");
    module.def("show_job", &slurm::show_job, nb::arg("decision"), doc("slurm.show_job"));
    module.def("cpu_count_of", &slurm::cpu_count_of, nb::arg("decision"),
               doc("slurm.cpu_count_of"));
    module.def("task_count_of", &slurm::task_count_of, nb::arg("decision"),
               doc("slurm.task_count_of"));
    module.def(
        "job_context",
        [](const Decision& decision, std::uint64_t id) {
            if (decision.client.cpus.size() != decision.grants.size()) {
                raise_if_error(failed_precondition("not a decision of select() or a controller"));
            }
            return slurm::job_context(decision, id);
        },
        nb::arg("decision"), nb::arg("id") = 0, doc("slurm.job_context"));
    bind_struct<slurm::SelectRules>(module, "SelectRules");
    module.def("select_rules_of", &slurm::select_rules_of, nb::arg("conf"), nb::arg("cluster"),
               doc("slurm.select_rules_of"));
    module.def(
        "select",
        [](const Cluster& cluster, const slurm::JobOptions& options,
           const slurm::SelectRules& rules) { return slurm::select(cluster, options, rules); },
        nb::arg("cluster"), nb::arg("options"), nb::arg("rules"), doc("slurm.select"));
    nb::class_<slurm::Selector>(module, "Selector",
                                "select() that remembers the cluster it looked at, for many jobs "
                                "on one cluster. No answer depends on what was asked before.")
        .def(nb::init<slurm::SelectRules>(), nb::arg("rules"))
        .def_prop_ro("rules", &slurm::Selector::rules)
        .def(
            "select",
            [](slurm::Selector& self, const Cluster& cluster, const slurm::JobOptions& options) {
                return self.select(cluster, options);
            },
            nb::arg("cluster"), nb::arg("options"), doc("slurm.Selector.select"));
}

}  // namespace

void bind_slurm_choice(nb::module_& module) {
    bind_decisions(module);
    nb::class_<Controller>(module, "Controller",
                           "A slurmctld as a value: a cluster from configuration files, jobs "
                           "submitted as text, answered as Slurm answers.\n\nChanges: submit, "
                           "submit_all, adopt, release, shrink, grow, set_node_state, add_node, "
                           "remove_nodes. A copy is independent of the original.")
        .def(
            "__init__",
            [](Controller* self, std::string_view slurm_conf, std::string_view gres_conf,
               std::string_view topology_conf, std::string_view topology_yaml,
               slurm::Release release, slurm::TypedCounts typed, bool strict,
               std::string_view resources_yaml) {
                auto made = Controller::create({slurm_conf,
                                                gres_conf,
                                                topology_conf,
                                                topology_yaml,
                                                nullptr,
                                                mended_of(strict),
                                                resources_yaml,
                                                {}},
                                               release, typed);
                raise_if_error(made.status());
                new (self) Controller(*std::move(made));
            },
            nb::arg("slurm_conf"), nb::arg("gres_conf") = "", nb::arg("topology_conf") = "",
            nb::arg("topology_yaml") = "", nb::arg("release") = slurm::default_release,
            nb::arg("typed_counts") = slurm::TypedCounts::by_device, nb::arg("strict") = false,
            nb::arg("resources_yaml") = "", doc("slurm.Controller.create"))
        .def_static(
            "load",
            [](const std::string& directory, slurm::Release release, slurm::TypedCounts typed,
               bool strict) {
                return slurm::load_controller(directory, release, typed, mended_of(strict));
            },
            nb::arg("directory"), nb::arg("release") = slurm::default_release,
            nb::arg("typed_counts") = slurm::TypedCounts::by_device, nb::arg("strict") = false,
            doc("slurm.load_controller"))
        .def(
            "submit",
            [](Controller& self, std::string_view options) { return self.submit(options); },
            nb::arg("options"), doc("slurm.Controller.submit"))
        .def(
            "submit",
            [](Controller& self, const slurm::JobOptions& options) { return self.submit(options); },
            nb::arg("options"), "The same for options that were read, as those of a script.")
        .def(
            "submit_all",
            [](Controller& self, std::string_view options) { return self.submit_all(options); },
            nb::arg("options"), doc("slurm.Controller.submit_all"))
        .def(
            "submit_all",
            [](Controller& self, const slurm::Submission& submission) {
                return self.submit_all(submission);
            },
            nb::arg("submission"), "The same for components that were read, as those of a script.")
        .def(
            "job",
            [](const Controller& self, const nb::object& owner) {
                return self.job(owner_from(owner));
            },
            nb::arg("owner"), nb::sig("def job(self, owner: Decision | int) -> trestle.JobState"),
            doc("slurm.Controller.job"))
        .def(
            "grants",
            [](const Controller& self, const nb::object& owner) {
                return self.grants(owner_from(owner));
            },
            nb::arg("owner"),
            nb::sig("def grants(self, owner: Decision | int) -> tuple[NodeGrant, ...]"),
            doc("slurm.Controller.grants"))
        .def("set_node_state", &Controller::set_node_state, nb::arg("nodes"), nb::arg("state"),
             doc("slurm.Controller.set_node_state"))
        .def(
            "add_node",
            [](Controller& self, const Node& node, const std::vector<std::string>& partitions) {
                return self.add_node(node, partitions);
            },
            nb::arg("node"), nb::arg("partitions"), doc("slurm.Controller.add_node"))
        .def("remove_nodes", &Controller::remove_nodes, nb::arg("nodes"),
             doc("slurm.Controller.remove_nodes"))
        .def("shrink", &Controller::shrink, nb::arg("job"), nb::arg("keep"),
             doc("slurm.Controller.shrink"))
        .def("grow", &Controller::grow, nb::arg("job"), nb::arg("other"),
             doc("slurm.Controller.grow"))
        .def(
            "adopt",
            [](Controller& self, const nb::object& grants, std::string_view partition) {
                slurm::JobOptions options;
                if (!partition.empty()) options.partitions = {std::string(partition)};
                return adopted(self, grants, options);
            },
            nb::arg("grants"), nb::arg("partition") = "",
            nb::sig("def adopt(self, grants: collections.abc.Iterable[NodeGrant] | dict[str, "
                    "typing.Any], "
                    "partition: str = '') -> int"),
            "Enters an allocation as it was recorded: NodeGrants, or a dict as to_dict() or a "
            "recording gives it, and returns its owner. Nothing is asked about it; a partition is "
            "that of the job, "
            "without a name the default one. A key that is not used gives a UserWarning. Errors: "
            "ValueError for what does not exist and "
            "for a dict that is none of these, by key; Error for what another job has. Nothing "
            "changes then.")
        .def(
            "adopt",
            [](Controller& self, const nb::object& grants, const slurm::JobOptions& options,
               Licenses licenses) { return adopted(self, grants, options, std::move(licenses)); },
            nb::arg("grants"), nb::arg("options"), nb::arg("licenses") = nb::none(),
            nb::sig("def adopt(self, grants: collections.abc.Iterable[NodeGrant] | dict[str, "
                    "typing.Any], "
                    "options: JobOptions, "
                    "licenses: collections.abc.Iterable[trestle.ClusterCount] | None = None) "
                    "-> int"),
            "The same of a job of which these options are known. Its partition is the first that "
            "they name. With --exclusive=topo it has its blocks or rings alone. Its licences are "
            "those "
            "of the dict; where it has no such key, those that the options ask for.")
        .def(
            "release",
            [](Controller& self, const nb::object& owner) {
                return self.release(owner_from(owner));
            },
            nb::arg("owner"), nb::sig("def release(self, owner: Decision | int) -> None"),
            doc("slurm.Controller.release"))
        .def("cluster", &Controller::cluster, nb::rv_policy::copy,
             "The nodes and their allocations.")
        .def("rules", &Controller::rules, nb::rv_policy::copy, "What the choice depends on.")
        .def("warnings", &Controller::warnings, nb::rv_policy::copy,
             "What of the files was not used.")
        .def("__copy__", [](const Controller& self) { return self; })
        .def(
            "__deepcopy__", [](const Controller& self, nb::handle) { return self; },
            nb::arg("memo"))
        .def("__repr__", [](const Controller& self) {
            return fmt::format("<slurm.Controller of {} nodes, {} allocations>",
                               self.cluster().node_count(), self.cluster().allocation_count());
        });
}

}  // namespace trestle::python
