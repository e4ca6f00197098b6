// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"

#include <string>
#include <string_view>

#include "base/nearest_word.hpp"

namespace trestle::python {
namespace {

[[noreturn]] void throw_type_error(const std::string& what) {
    throw BadValue{PyExc_TypeError, what, {}};
}

[[nodiscard]] const FieldInfo& find_field(const StructInfo& info, const std::string& name) {
    for (const FieldInfo& field : info.fields) {
        if (field.name == name) return field;
    }
    throw_type_error(
        words::with_nearest(info.name + " has no field '" + name + "'", name, info.fields,
                            [](const FieldInfo& field) { return std::string_view(field.name); }));
}

/// No program runs in less than 1 MiB, so such a number was meant in GiB or MiB: `memory=64`.
void warn_of_few_bytes(const std::string& name, const Range<Bytes>& range) {
    const auto& end = range.min ? range.min : range.max;
    if (!end || end->is_zero() || *end >= mib(1)) return;
    const std::string text =
        fmt::format("{0}: {1} is bytes; expected trestle.gib({1}), trestle.mib({1}) or the like",
                    name, end->value());
    if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) != 0) nb::raise_python_error();
}

void assign(void* self, const FieldInfo& field, nb::handle value) {
    try {
        field.type->set(field.of(self), value);
    } catch (BadValue& bad) {
        bad.inside(field.name);
        throw;
    }
    if (field.is_asked) {
        warn_of_few_bytes(field.name, *static_cast<const Range<Bytes>*>(field.of(self)));
    }
}

/// `given` is how many fields positional arguments have set already.
void assign_named(void* self, const StructInfo& info, const nb::kwargs& named, std::size_t given) {
    for (const auto [key, value] : named) {
        const FieldInfo& field = find_field(info, nb::cast<std::string>(key));
        if (static_cast<std::size_t>(&field - info.fields.data()) < given) {
            throw_type_error(info.name + ": field '" + field.name + "' is given twice");
        }
        assign(self, field, value);
    }
}

void initialize(void* self, const StructInfo& info, const nb::args& values,
                const nb::kwargs& named) {
    if (values.size() > info.fields.size()) {
        throw_type_error(info.name + " has " + std::to_string(info.fields.size()) + " fields, " +
                         std::to_string(values.size()) + " are given");
    }
    info.construct(self);
    try {
        for (std::size_t i = 0; i < values.size(); ++i) {
            assign(self, info.fields[i], values[i]);
        }
        assign_named(self, info, named, values.size());
        if (info.check != nullptr) info.check(self);
    } catch (...) {
        info.destroy(self);
        throw;
    }
}

/// Adds a method whose signature for help and stubs is `signature`.
template <class Function, class... Extra>
void define(nb::handle type, const char* name, const std::string& signature, const char* about,
            Function function, const Extra&... extra) {
    nb::cpp_function_def(function, nb::scope(type), nb::name(name), nb::is_method(),
                         nb::sig(signature.c_str()), about, extra...);
}

[[nodiscard]] std::string parameters(const StructInfo& info, bool is_change) {
    std::string text;
    for (const FieldInfo& field : info.fields) {
        text += ", " + field.name + ": " + field.type_in + " = ";
        text += is_change ? "..." : field.default_text;
    }
    return text;
}

void define_making(nb::handle type, const StructInfo* info) {
    const std::string self = nb::cast<std::string>(type.attr("__module__")) + "." +
                             nb::cast<std::string>(type.attr("__qualname__"));
    define(type, "__init__", "def __init__(self" + parameters(*info, false) + ") -> None", "",
           [info](nb::handle object, const nb::args& values, const nb::kwargs& named) {
               initialize(nb::inst_ptr<void>(object), *info, values, named);
               nb::inst_mark_ready(object);
           });
    const std::string changes = info->fields.empty() ? "" : ", *" + parameters(*info, true);
    define(type, "replace", "def replace(self" + changes + ") -> " + self,
           "A copy with the named fields changed.",
           [info](nb::handle object, const nb::kwargs& changes) {
               nb::object changed = nb::inst_alloc(object.type());
               info->copy(nb::inst_ptr<void>(changed), nb::inst_ptr<void>(object));
               nb::inst_mark_ready(changed);
               assign_named(nb::inst_ptr<void>(changed), *info, changes, 0);
               if (info->check != nullptr) info->check(nb::inst_ptr<void>(changed));
               return changed;
           });
    type.attr("__replace__") = type.attr("replace");
    const auto same = [](nb::handle object) { return nb::borrow(object); };
    define(type, "__copy__", "def __copy__(self) -> " + self, "", same);
    define(type, "__deepcopy__", "def __deepcopy__(self, memo: object) -> " + self, "",
           [](nb::handle object, nb::handle) { return nb::borrow(object); });
    define(type, "__reduce__", "def __reduce__(self) -> tuple[object, tuple[object, ...]]", "",
           [info](nb::handle object) {
               nb::list values;
               for (const FieldInfo& field : info->fields) {
                   values.append(field.type->get(field.of(nb::inst_ptr<void>(object)), object));
               }
               return nb::make_tuple(object.type(), nb::tuple(values));
           });
}

void describe_field(FieldInfo& field, const StructInfo& info, nb::handle scope) {
    field.type_in = field.type->text(Direction::in);
    field.type_out = field.type->text(Direction::out);
    field.description = doc(info.name + "." + field.header_name);
    const std::string kind = field.type->kind();
    field.description += field.description.empty() ? kind : " (" + kind + ")";
    field.default_text = default_text(scope, field.type->get(field.of(info.blank), {}));
}

void define_attributes(nb::handle type, const StructInfo* info) {
    const nb::object property = nb::module_::import_("builtins").attr("property");
    nb::list names;
    for (const FieldInfo& field : info->fields) {
        const std::string signature = "def " + field.name + "(self) -> " + field.type_out;
        const nb::object getter = nb::cpp_function(
            [field = &field](nb::handle self) {
                return field->type->get(field->of(nb::inst_ptr<void>(self)), self);
            },
            nb::is_method(), nb::name(field.name.c_str()), nb::scope(type),
            nb::sig(signature.c_str()), field.description.c_str());
        type.attr(field.name.c_str()) =
            property(getter, nb::none(), nb::none(), field.description.c_str());
        names.append(nb::str(field.name.c_str()));
    }
    type.attr("__match_args__") = nb::tuple(names);
}

void define_comparisons(nb::handle type, const StructInfo* info) {
    // NotImplemented for another class lets Python try the other operand, then compare identity;
    // is_operator gives the same for None.
    const auto compare = [&](const char* name, auto holds) {
        define(
            type, name, std::string("def ") + name + "(self, other: object, /) -> bool", "",
            [holds](nb::handle a, nb::handle b) {
                if (!a.type().is(b.type())) return nb::borrow(Py_NotImplemented);
                return nb::object(nb::bool_(holds(nb::inst_ptr<void>(a), nb::inst_ptr<void>(b))));
            },
            nb::is_operator());
    };
    compare("__eq__", info->equal);
    define(type, "__hash__", "def __hash__(self) -> int", "", [info](nb::handle self) {
        return static_cast<Py_hash_t>(info->hash(nb::inst_ptr<void>(self)));
    });
    if (info->less == nullptr) return;
    const auto less = info->less;
    compare("__lt__", less);
    compare("__gt__", [less](const void* a, const void* b) { return less(b, a); });
    compare("__le__", [less](const void* a, const void* b) { return !less(b, a); });
    compare("__ge__", [less](const void* a, const void* b) { return !less(a, b); });
}

void define_texts(nb::handle type, const StructInfo* info) {
    define(type, "__str__", "def __str__(self) -> str", "",
           [info](nb::handle self) { return info->text(nb::inst_ptr<void>(self)); });
    define(type, "__repr__", "def __repr__(self) -> str", "", [info](nb::handle self) {
        nb::list changed;
        for (const FieldInfo& field : info->fields) {
            const void* const member = field.of(nb::inst_ptr<void>(self));
            if (field.type->equal(member, field.of(info->blank))) continue;
            changed.append(nb::make_tuple(field.name, field.type->get(member, self)));
        }
        const nb::object shown = nb::module_::import_("trestle._short").attr("struct_repr");
        return nb::cast<std::string>(shown(self.type().attr("__qualname__"), changed));
    });
}

}  // namespace

std::string shown_in_a_line(std::string text, std::string_view name, std::uint64_t size) {
    constexpr std::size_t longest = 200;
    if (text.size() <= longest) return text;
    return "<" + std::string(name) + " of " + std::to_string(size) + ">";
}

std::vector<FieldInfo> fields_of(const void* blank, std::initializer_list<FieldPlace> places) {
    std::vector<FieldInfo> fields;
    for (const FieldPlace& one : places) {
        const auto offset = static_cast<const char*>(one.place) - static_cast<const char*>(blank);
        fields.push_back(
            {python_name(one.name), std::string(one.name), offset, one.type, one.is_asked});
    }
    return fields;
}

void define_struct(nb::handle type, nb::handle scope, StructInfo given) {
    for (FieldInfo& field : given.fields) describe_field(field, given, scope);
    const auto* info = new StructInfo(std::move(given));  // lives as long as its class: for ever
    define_attributes(type, info);
    define_making(type, info);
    define_comparisons(type, info);
    define_texts(type, info);
}

}  // namespace trestle::python
