// SPDX-License-Identifier: Apache-2.0
#include "convert.hpp"

#include <stdexcept>

namespace trestle::python {
namespace {

nb::object range_type() { return nb::module_::import_("trestle._range").attr("Range"); }

}  // namespace

bool is_range(nb::handle object) { return nb::isinstance(object, range_type()); }

nb::object make_range(const nb::object& min, const nb::object& max) {
    return range_type()(min, max);
}

void throw_unbound(const char* type) {
    throw std::logic_error(std::string("no Python class is bound for ") + type);
}

std::string class_name(nb::handle type) { return nb::cast<std::string>(type.attr("__qualname__")); }
std::string class_text(nb::handle type) {
    return nb::cast<std::string>(type.attr("__module__")) + "." + class_name(type);
}

std::string type_name_of(nb::handle object) {
    return nb::cast<std::string>(object.type().attr("__name__"));
}

void throw_wrong_type(const std::string& expected, nb::handle got) {
    throw BadValue{PyExc_TypeError, "expected " + expected + ", got " + type_name_of(got), {}};
}

void throw_unknown_name(const std::string& name, const std::string& known) {
    throw BadValue{PyExc_ValueError, "expected one of " + known + ", got '" + name + "'", {}};
}

std::uint64_t int_from_python(nb::handle object, IntLimits limits) {
    if (PyIndex_Check(object.ptr()) == 0) throw_wrong_type("int", object);
    const nb::object number = nb::steal(PyNumber_Index(object.ptr()));
    if (!number.is_valid()) throw nb::python_error();
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    std::uint64_t bits = static_cast<std::uint64_t>(value);
    bool is_below = overflow < 0 || (overflow == 0 && value < limits.least);
    bool is_above = overflow == 0 && value > 0 && bits > limits.most;
    if (overflow > 0) {
        bits = PyLong_AsUnsignedLongLong(number.ptr());
        is_above = PyErr_Occurred() != nullptr || bits > limits.most;
        PyErr_Clear();
    }
    if (!is_below && !is_above) return bits;
    throw BadValue{is_below ? PyExc_ValueError : PyExc_OverflowError,
                   nb::cast<std::string>(nb::str(number)) + ": expected " +
                       std::to_string(limits.least) + " to " + std::to_string(limits.most),
                   {}};
}

const PreparedRequest& Converter<PreparedRequest>::prepared(const Request& request) {
    static std::array<PreparedRequest, 256> kept;
    const auto place = reinterpret_cast<std::uintptr_t>(&request) * 0x9e37'79b9'7f4a'7c15U;
    PreparedRequest& one = kept[std::uint64_t{place} >> 56];
    if (*one == request) return one;
    auto made = PreparedRequest::create(request);
    if (!made.ok()) throw BadValue{PyExc_ValueError, std::string(message(made.status())), {}};
    return one = *std::move(made);
}

}  // namespace trestle::python
