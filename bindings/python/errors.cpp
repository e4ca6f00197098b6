// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <nanobind/stl/string.h>

#include <utility>

namespace trestle::python {
namespace {

thread_local PyObject* bad_argument = nullptr;

PyObject* exception_for(StatusCode code) {
    switch (code) {
        case StatusCode::kInvalidArgument:
            return PyExc_ValueError;
        case StatusCode::kNotFound:
            return PyExc_LookupError;
        case StatusCode::kPermissionDenied:
            return PyExc_PermissionError;
        case StatusCode::kOutOfRange:
            return PyExc_IndexError;
        case StatusCode::kUnimplemented:
            return PyExc_NotImplementedError;
        default:
            return nullptr;
    }
}

void translate(const std::exception_ptr& thrown, void*) {
    bad_argument = nullptr;
    try {
        std::rethrow_exception(thrown);
    } catch (const BadValue& bad) {
        const std::string line = bad.where.empty() ? bad.what : bad.where + ": " + bad.what;
        PyErr_SetString(bad.type, line.c_str());
        bad_argument = bad.argument;
    } catch (const BrokenContract& broken) {
        const nb::object type = nb::module_::import_("trestle._errors").attr("ContractViolation");
        PyErr_SetString(type.ptr(), broken.what.c_str());
    }
}

void throw_broken_contract(const ContractViolation& violation) {
    throw BrokenContract{std::string(violation.message) + " (" + violation.condition + ")"};
}

}  // namespace

void set_python_error(const Status& status) {
    const std::string text(message(status));
    if (PyObject* type = exception_for(status.code())) {
        PyErr_SetString(type, text.c_str());
        return;
    }
    const nb::object type = nb::module_::import_("trestle._errors").attr("Error");
    const nb::object error = type(text, absl::StatusCodeToString(status.code()));
    PyErr_SetObject(type.ptr(), error.ptr());
}

void raise_if_error(const Status& status) {
    if (status.ok()) return;
    set_python_error(status);
    nb::raise_python_error();
}

void check_position(const char* what, std::uint64_t position, std::uint64_t end) {
    if (position < end) return;
    throw BadValue{PyExc_IndexError,
                   std::string(what) + " " + std::to_string(position) + "; expected one below " +
                       std::to_string(end),
                   {}};
}

PyObject* take_bad_argument() { return std::exchange(bad_argument, nullptr); }

void install_errors() {
    nb::register_exception_translator(&translate);
    set_contract_handler(&throw_broken_contract);
}

}  // namespace trestle::python
