// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "text_rows.hpp"
#include "trestle/dialect/dstack/configuration.hpp"
#include "trestle/dialect/dstack/cpu.hpp"
#include "trestle/dialect/dstack/differences.hpp"
#include "trestle/dialect/dstack/duration.hpp"
#include "trestle/dialect/dstack/gpu.hpp"
#include "trestle/dialect/dstack/profile.hpp"
#include "trestle/dialect/dstack/quantities.hpp"
#include "trestle/dialect/dstack/resources.hpp"

namespace trestle::python {
namespace {

using dstack::BareValue;
using dstack::SpecError;

/// ValueError with offset and token, and with line and column where the text has lines.
[[noreturn]] void raise_spec_error(const std::string& line, const SpecError& spec) {
    const nb::object error = nb::borrow(PyExc_ValueError)(line);
    error.attr("offset") = spec.error.offset;
    error.attr("token") = spec.error.token;
    error.attr("expected") = spec.error.expected;
    error.attr("line") = spec.line;
    error.attr("column") = spec.column;
    PyErr_SetObject(PyExc_ValueError, error.ptr());
    nb::raise_python_error();
}

/// The value, or ValueError as for `name`.
template <class T>
T value_or_raise(std::string_view name, TextResult<T> result) {
    if (result) return *std::move(result);
    const SpecError spec{1, 1, std::string(name), result.error()};
    raise_spec_error(spec.key + ": " + to_text(spec.error), spec);
}

/// A value as a YAML loader gives it, written as YAML again: JSON is YAML.
std::string yaml_of(nb::handle value) {
    const nb::object dumps = nb::module_::import_("json").attr("dumps");
    return nb::cast<std::string>(dumps(value, nb::arg("ensure_ascii") = false));
}

/// YAML text as it is; anything else as YAML.
std::string file_of(nb::handle value) {
    return nb::isinstance<nb::str>(value) ? nb::cast<std::string>(value) : yaml_of(value);
}

/// What a key of `resources:` makes of a value. Errors call the key `name`.
dstack::Resources read_part(std::string_view name, const std::string& key, nb::handle value,
                            BareValue bare) {
    if (value.is_none()) {
        const TextError error{0, "None", "no value", "a text, a number or a mapping"};
        raise_spec_error(std::string(name) + ": " + to_text(error), {1, 1, key, error});
    }
    auto reading = dstack::read_resources("{\"" + key + "\": " + yaml_of(value) + "}", bare);
    if (reading.errors.empty()) return std::move(reading.resources);
    const SpecError& first = reading.errors.front();
    const std::string where = first.key.empty() || first.key == key ? "" : first.key + ": ";
    raise_spec_error(std::string(name) + ": " + where + to_text(first.error), first);
}

/// A range with a letter in one of its ends, as read_gpu tells memory and counts apart.
bool has_letter(nb::handle value) {
    if (nb::isinstance<nb::str>(value)) {
        const auto text = nb::cast<std::string>(value);
        return text.find_first_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") !=
               std::string::npos;
    }
    if (!nb::isinstance<nb::dict>(value)) return false;
    for (const auto& [key, end] : nb::borrow<nb::dict>(value)) {
        if (nb::isinstance<nb::str>(end) && has_letter(end)) return true;
    }
    return false;
}

/// All fields by name, without classes of ours.
nb::object plain_of(nb::handle value) {
    if (nb::isinstance<nb::tuple>(value)) {
        nb::list items;
        for (const nb::handle item : value) items.append(plain_of(item));
        return items;
    }
    if (is_range(value)) {
        nb::dict ends;
        ends["min"] = plain_of(value.attr("min"));
        ends["max"] = plain_of(value.attr("max"));
        return ends;
    }
    if (nb::hasattr(value, "__match_args__")) {
        nb::dict fields;
        for (const nb::handle name : value.attr("__match_args__")) {
            fields[name] = plain_of(nb::getattr(value, name));
        }
        return fields;
    }
    const nb::object enum_type = nb::module_::import_("enum").attr("Enum");
    if (PyObject_IsInstance(value.ptr(), enum_type.ptr()) == 1) return nb::str(value);
    return nb::borrow(value);
}

template <class T>
void add_to_dict() {
    nb::cpp_function_def(
        [](nb::handle self) { return plain_of(self); }, nb::scope(nb::type<T>()),
        nb::name("to_dict"), nb::is_method(), nb::sig("def to_dict(self) -> dict[str, typing.Any]"),
        "All fields as a dict of dicts, lists, texts and numbers; sizes are in bytes, durations in "
        "seconds, prices in millionths of a dollar.");
}

template <class T>
void bind_with_dict(nb::module_& module, const char* name) {
    bind_struct<T>(module, name);
    add_to_dict<T>();
}

void bind_dstack_values(nb::module_& module) {
    bind_enum<BareValue>(module, "BareValue");
    bind_struct<SpecError>(module, "SpecError");
    bind_with_dict<dstack::PassthroughKey>(module, "PassthroughKey");
    bind_with_dict<dstack::CpuSpec>(module, "CpuSpec");
    bind_with_dict<dstack::GpuSpec>(module, "GpuSpec");
    bind_with_dict<dstack::Resources>(module, "Resources");
    bind_struct<dstack::ResourcesReading>(module, "ResourcesReading");
    bind_with_dict<dstack::DurationLimit>(module, "DurationLimit");
    bind_enum<dstack::SpotPolicy>(module, "SpotPolicy");
    bind_enum<dstack::CreationPolicy>(module, "CreationPolicy");
    bind_enum<dstack::RetryEvent>(module, "RetryEvent");
    bind_with_dict<dstack::Retry>(module, "Retry");
    bind_with_dict<dstack::Profile>(module, "Profile");
    bind_enum<dstack::RunKind>(module, "RunKind");
    bind_enum<dstack::StartupOrder>(module, "StartupOrder");
    bind_enum<dstack::StopCriteria>(module, "StopCriteria");
    bind_with_dict<dstack::EnvEntry>(module, "EnvEntry");
    bind_with_dict<dstack::RunGroup>(module, "RunGroup");
    bind_with_dict<dstack::RunConfiguration>(module, "RunConfiguration");
    bind_with_dict<dstack::FleetNodes>(module, "FleetNodes");
    add_to_dict<BlockCount>();
    bind_with_dict<dstack::SshHost>(module, "SshHost");
    bind_with_dict<dstack::SshConfig>(module, "SshConfig");
    bind_with_dict<dstack::FleetConfiguration>(module, "FleetConfiguration");
    bind_with_dict<dstack::VolumeConfiguration>(module, "VolumeConfiguration");
    bind_with_dict<dstack::GatewayConfiguration>(module, "GatewayConfiguration");
    bind_with_dict<dstack::NamedProfile>(module, "NamedProfile");
    bind_with_dict<dstack::ServerBackend>(module, "ServerBackend");
    bind_with_dict<dstack::ServerProject>(module, "ServerProject");
    bind_with_dict<dstack::ServerConfiguration>(module, "ServerConfiguration");
    bind_with_dict<dstack::Configuration>(module, "Configuration");
    bind_struct<dstack::ConfigurationReading>(module, "ConfigurationReading");
}

void bind_parts(nb::module_& module) {
    const auto value = nb::arg("value").none();
    const auto bare = nb::arg("bare") = BareValue::exact;
    module.def(
        "parse_cpu", [](nb::handle v, BareValue b) { return read_part("cpu", "cpu", v, b).cpu; },
        value, bare, "`cpu:` as a YAML loader gives it: a text, a number or a mapping.");
    module.def(
        "parse_gpu", [](nb::handle v, BareValue b) { return *read_part("gpu", "gpu", v, b).gpu; },
        value, bare, "`gpu:` as a YAML loader gives it: a text, a number or a mapping.");
    module.def(
        "parse_disk",
        [](nb::handle v, BareValue b) { return *read_part("disk", "disk", v, b).disk; }, value,
        bare, "`disk:` as a YAML loader gives it: a text, a number or a mapping. In bytes.");
    module.def(
        "parse_memory",
        [](nb::handle v) { return *read_part("memory", "shm_size", v, BareValue::exact).shm_size; },
        value, "One size, a text or a number of GB. In bytes.");
    module.def(
        "parse_range",
        [](nb::handle v, BareValue b) -> nb::object {
            if (has_letter(v)) return nb::cast(read_part("range", "memory", v, b).memory);
            const nb::dict gpu;
            gpu["count"] = v.is_none() ? nb::object(nb::str("")) : nb::borrow(v);
            return nb::cast(read_part("range", "gpu", gpu, b).gpu->count);
        },
        value, bare,
        nb::sig("def parse_range(value: object, bare: trestle.dstack.BareValue = "
                "trestle.dstack.BareValue.exact) -> "
                "trestle.Range[int]"),
        "A range: a text, a number or a mapping of min and max. Of sizes in bytes where one of its "
        "ends holds a letter (`24GB..80`), else of counts (`24..80`), as in the short form of a "
        "GPU.");
    module.def(
        "parse_duration",
        [](nb::handle v) { return value_or_raise("duration", dstack::read_duration(file_of(v))); },
        value, "A text or a number of seconds. In seconds.");
    module.def(
        "parse_duration_limit",
        [](nb::handle v) {
            return value_or_raise("duration", dstack::read_duration_limit(file_of(v)));
        },
        value, "A text, a number of seconds, or False for off.");
    module.def(
        "parse_price",
        [](nb::handle v) { return value_or_raise("price", dstack::read_price(file_of(v))); }, value,
        "A text or a number of dollars an hour. In millionths of a dollar.");
}

void bind_dstack_texts(nb::module_& module) {
    const auto text = nb::arg("text");
    const auto bare = nb::arg("bare") = BareValue::exact;
    module.def(
        "parse_memory_range",
        [](std::string_view t, BareValue b) {
            return value_or_raise("memory range", dstack::read_memory_range(t, b));
        },
        text, bare, doc("dstack.read_memory_range"));
    module.def(
        "parse_count_range",
        [](std::string_view t, BareValue b) {
            return value_or_raise("count range", dstack::read_count_range(t, b));
        },
        text, bare, doc("dstack.read_count_range"));
    module.def(
        "parse_version_range",
        [](std::string_view t, BareValue b) {
            return value_or_raise("version range", dstack::read_version_range(t, b));
        },
        text, bare, doc("dstack.read_version_range"));
    module.def("memory_text", &dstack::memory_text, nb::arg("memory"), doc("dstack.memory_text"));
    module.def(
        "memory_range_text",
        [](const Range<Bytes>& range) {
            TRESTLE_EXPECTS(!range.is_open(), "the range has an end");
            return dstack::memory_range_text(range);
        },
        nb::arg("range"), doc("dstack.memory_range_text"));
    module.def("duration_text", &dstack::duration_text, nb::arg("duration"),
               doc("dstack.duration_text"));
    module.def("price_text", &dstack::price_text, nb::arg("price"), doc("dstack.price_text"));
    module.def("pretty_text", &dstack::pretty_text, nb::arg("resources"),
               doc("dstack.pretty_text"));
}

void bind_files(nb::module_& module) {
    const auto value = nb::arg("value").none();
    const auto bare = nb::arg("bare") = BareValue::exact;
    module.def(
        "read_resources",
        [](nb::handle v, BareValue b) { return dstack::read_resources(file_of(v), b); }, value,
        bare, doc("dstack.read_resources"));
    module.def(
        "parse_resources",
        [](nb::handle v, BareValue b) {
            auto reading = dstack::read_resources(file_of(v), b);
            if (reading.errors.empty()) return std::move(reading.resources);
            raise_spec_error(to_text(reading.errors.front()), reading.errors.front());
        },
        value, bare, "As read_resources, of YAML text or a mapping; the first mistake is raised.");
    module.def(
        "read_configuration",
        [](nb::handle v, BareValue b) { return dstack::read_configuration(file_of(v), b); }, value,
        bare, doc("dstack.read_configuration"));
    module.def(
        "parse_configuration",
        [](nb::handle v, BareValue b) {
            auto reading = dstack::read_configuration(file_of(v), b);
            if (reading.errors.empty()) return std::move(reading.configuration);
            raise_spec_error(to_text(reading.errors.front()), reading.errors.front());
        },
        value, bare,
        "As read_configuration, of YAML text or a mapping; the first mistake is raised.");
    module.def("blocks_of", &dstack::blocks_of, nb::arg("fleet"), nb::arg("host"),
               doc("dstack.blocks_of"));
    module.def(
        "run_of",
        [](const dstack::RunConfiguration& run, const dstack::RunGroup& group) {
            TRESTLE_EXPECTS(group.count.min.has_value(), "the group has a least count");
            return dstack::run_of(run, group);
        },
        nb::arg("run"), nb::arg("group"), doc("dstack.run_of"));
    module.def("to_request", &dstack::to_request, nb::arg("resources"), doc("dstack.to_request"));
    module.def(
        "differences", [] { return text_rows(dstack::differences()); },
        nb::sig("def differences() -> list[dict[str, str]]"),
        "Where this library and dstack part: topic, what dstack does, what is done here, and the "
        "test that holds to it.");
    module.def("differences_text", &dstack::differences_text, doc("dstack.differences_text"));
}

}  // namespace

void bind_dstack(nb::module_& module) {
    bind_dstack_values(module);
    bind_parts(module);
    bind_dstack_texts(module);
    bind_files(module);
}

}  // namespace trestle::python
