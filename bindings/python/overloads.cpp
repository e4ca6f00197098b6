// SPDX-License-Identifier: Apache-2.0
#include "overloads.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "errors.hpp"

// nanobind has no hook for this error, but each of its functions keeps the pointer by which Python
// calls it. There are few such pointers, each for a kind of signatures, so each gets a function of
// its own here that calls it, and then looks at the error.

namespace trestle::python {
namespace {

constexpr std::size_t call_kinds_max = 12;
std::array<vectorcallfunc, call_kinds_max> originals{};  // the first ones are set

/// Puts two lines into a TypeError that lists all signatures; other errors stay.
void shorten_error() {
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject* text = value == nullptr ? nullptr : PyObject_Str(value);
    PyObject* module = text == nullptr ? nullptr : PyImport_ImportModule("trestle._overloads");
    PyObject* lines =
        module == nullptr ? nullptr : PyObject_CallMethod(module, "in_two_lines", "O", text);
    if (lines != nullptr && lines != Py_None) {
        if (PyObject* shorter = PyObject_CallFunctionObjArgs(PyExc_TypeError, lines, nullptr)) {
            std::swap(value, shorter);
            Py_XDECREF(shorter);
        }
    }
    PyErr_Clear();  // of ours: the one that was fetched is what the caller sees
    PyErr_Restore(type, value, trace);
    Py_XDECREF(lines);
    Py_XDECREF(module);
    Py_XDECREF(text);
}

/// The name of an argument of a call, a new reference; null where it is none of them.
PyObject* name_of(PyObject* argument, PyObject* function, PyObject* const* arguments,
                  std::size_t count, PyObject* names) {
    // nanobind has flags of its own beside Python's in the upper bits.
    const auto positional = static_cast<Py_ssize_t>(count & 0xffff'ffffU);
    const Py_ssize_t all = positional + (names == nullptr ? 0 : PyTuple_Size(names));
    for (Py_ssize_t at = 0; at < all; ++at) {
        if (arguments[at] != argument) continue;
        if (at >= positional) return Py_NewRef(PyTuple_GetItem(names, at - positional));
        PyObject* module = PyImport_ImportModule("trestle._overloads");
        PyObject* name = module == nullptr
                             ? nullptr
                             : PyObject_CallMethod(module, "parameter_at", "On", function, at);
        Py_XDECREF(module);
        return name;
    }
    return nullptr;
}

/// Puts the argument in front of what is wrong with it: `policy: expected one of ...`.
void name_argument(PyObject* argument, PyObject* function, PyObject* const* arguments,
                   std::size_t count, PyObject* names) {
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject* name = name_of(argument, function, arguments, count, names);
    PyObject* text = name == nullptr || value == nullptr ? nullptr : PyObject_Str(value);
    if (text != nullptr) {
        const bool is_element = PyUnicode_GetLength(text) > 0 && PyUnicode_ReadChar(text, 0) == '[';
        if (PyObject* line = PyUnicode_FromFormat(is_element ? "%U%U" : "%U: %U", name, text)) {
            if (PyObject* better = PyObject_CallFunctionObjArgs(type, line, nullptr)) {
                std::swap(value, better);
                Py_XDECREF(better);
            }
            Py_DECREF(line);
        }
    }
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
    Py_XDECREF(text);
    Py_XDECREF(name);
}

template <std::size_t Kind>
PyObject* call_and_explain(PyObject* self, PyObject* const* arguments, std::size_t count,
                           PyObject* names) {
    PyObject* result = originals[Kind](self, arguments, count, names);
    if (result != nullptr) return result;
    if (PyObject* argument = take_bad_argument()) {
        name_argument(argument, self, arguments, count, names);
    } else if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        shorten_error();
    }
    return result;
}

template <std::size_t... Kinds>
constexpr std::array<vectorcallfunc, call_kinds_max> make_explaining(
    std::index_sequence<Kinds...>) {
    return {&call_and_explain<Kinds>...};
}
constexpr auto explaining = make_explaining(std::make_index_sequence<call_kinds_max>());

/// Where a function of nanobind keeps the pointer. The stable ABI does not show a type's record of
/// it; in nanobind 3.1 it follows the head of the object.
std::ptrdiff_t call_offset([[maybe_unused]] PyObject* function) {
#ifdef Py_LIMITED_API
    return sizeof(PyVarObject);
#else
    return Py_TYPE(function)->tp_vectorcall_offset;
#endif
}

void replace_call(PyObject* function) {
    char* start = reinterpret_cast<char*>(function);
    auto* slot = reinterpret_cast<vectorcallfunc*>(start + call_offset(function));
    for (std::size_t kind = 0; kind < call_kinds_max; ++kind) {
        if (*slot == explaining[kind]) return;  // bound under two names
        if (originals[kind] == nullptr) originals[kind] = *slot;
        if (originals[kind] == *slot) {
            *slot = explaining[kind];
            return;
        }
    }
}

std::string text_of(nb::handle text) { return nb::borrow<nb::str>(text).c_str(); }

/// Functions of a module or class, and of the modules and classes that are defined in it. `prefix`
/// stands in front of the qualified names of its classes.
void replace_calls_in(nb::handle scope, const std::string& prefix) {
    for (auto [name, value] : nb::borrow<nb::dict>(scope.attr("__dict__").attr("copy")())) {
        const std::string kind = text_of(nb::type_name(value.type()));
        if (kind == "nanobind.nb_func" || kind == "nanobind.nb_method") {
            replace_call(value.ptr());
        } else if (nb::isinstance<nb::module_>(value)) {
            replace_calls_in(value, "");
        } else if (PyType_Check(value.ptr())) {
            const std::string qualified = text_of(value.attr("__qualname__"));
            if (qualified == prefix + text_of(name)) replace_calls_in(value, qualified + ".");
        }
    }
}

}  // namespace

void explain_wrong_arguments(nb::module_& module) { replace_calls_in(module, ""); }

}  // namespace trestle::python
