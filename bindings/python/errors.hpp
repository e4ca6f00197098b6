// SPDX-License-Identifier: Apache-2.0
#pragma once

// What goes wrong, as Python exceptions.
//
// BadValue is thrown where a Python value cannot become a C++ value and collects on its way up
// which field and element it was. A Status becomes an exception by its code. A broken contract
// becomes trestle.ContractViolation through the handler that the module installs.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "trestle/base/contract.hpp"
#include "trestle/base/status.hpp"

namespace trestle::python {

namespace nb = nanobind;

/// Becomes `type("where: what")`.
struct BadValue {
    PyObject* type;  ///< TypeError, ValueError or OverflowError
    std::string what;
    std::string where;             ///< `devices[1].memory`; empty for an argument itself
    PyObject* argument = nullptr;  ///< of a function, borrowed; null while it is not known

    void inside(std::string_view outer) {
        const bool joins = where.empty() || where.front() == '[';
        where = std::string(outer) + (joins ? "" : ".") + where;
    }
};

/// A contract broken by a call from Python.
struct BrokenContract {
    std::string what;
};

/// Sets the Python exception for an error: ValueError for InvalidArgument, LookupError for
/// NotFound, PermissionError, IndexError for OutOfRange, NotImplementedError for Unimplemented, and
/// trestle.Error with the name of the code as `code` for all others. Requires: !status.ok().
void set_python_error(const Status& status);

/// Throws what set_python_error says, unless `status` is ok.
void raise_if_error(const Status& status);

/// Throws an IndexError for a position at or behind the end: `node 9; expected one below 2`.
void check_position(const char* what, std::uint64_t position, std::uint64_t end);

/// The argument of the last BadValue, once: null where it is not known.
[[nodiscard]] PyObject* take_bad_argument();

/// Registers the translation of the types above and installs the contract handler.
void install_errors();

}  // namespace trestle::python
