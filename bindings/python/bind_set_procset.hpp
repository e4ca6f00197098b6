// SPDX-License-Identifier: Apache-2.0
#pragma once

// What users of procset.ProcSet expect of a set in Python, and NumPy arrays in and out.
//
// Sets are values here, so that what changes a ProcSet in place is not there: `a |= b` makes
// another set. Intervals are Python ranges. A slice is a set again, and therefore goes upwards.

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind_struct.hpp"
#include "numpy_array.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/set/text.hpp"

namespace trestle::python {

/// A set from an iterable of numbers. Errors: TypeError, ValueError, OverflowError with the
/// position of the first that is no number of a member.
template <class Set>
[[nodiscard]] Set set_from_iterable(nb::handle object) {
    if (!Converter<std::vector<std::uint32_t>>::fits(object)) {
        throw_wrong_type("an iterable of int, an array or a text", object);
    }
    Set set;
    std::size_t position = 0;
    for (const nb::handle element : nb::iter(object)) {
        try {
            const std::uint64_t number = int_from_python(element, {0, Set::index_limit - 1});
            set.insert(typename Set::value_type(static_cast<std::uint32_t>(number)));
        } catch (BadValue& bad) {
            bad.inside(fmt::format("members[{}]", position));
            throw;
        }
        ++position;
    }
    return set;
}

/// A set from a one-dimensional array. What is no integer of this machine's goes as an iterable:
/// numbers in another order of bytes, say. Errors: TypeError for other dtypes, ValueError for
/// other shapes and for numbers that no member can have, with the first position.
template <class Set>
[[nodiscard]] Set set_from_array(nb::handle object) {
    nb::ndarray<nb::ro, nb::device::cpu> array;
    if (!nb::try_cast(object, array)) return set_from_iterable<Set>(object);
    if (array.ndim() != 1) {
        throw nb::value_error(
            fmt::format("members: an array of {} dimensions, expected 1", array.ndim()).c_str());
    }
    if (array.shape(0) == 0) return {};
    const auto read = [&]<class Number>(Number) {
        Set set;
        const auto* const numbers = static_cast<const Number*>(array.data());
        for (std::size_t i = 0; i < array.shape(0); ++i) {
            const Number number = numbers[static_cast<std::int64_t>(i) * array.stride(0)];
            if (std::cmp_less(number, 0) || std::cmp_greater_equal(number, Set::index_limit)) {
                throw nb::value_error(fmt::format("members[{}]: {}, expected 0 to {}", i, number,
                                                  Set::index_limit - 1)
                                          .c_str());
            }
            set.insert(typename Set::value_type(static_cast<std::uint32_t>(number)));
        }
        return set;
    };
    if (array.dtype() == nb::dtype<std::int64_t>()) return read(std::int64_t());
    if (array.dtype() == nb::dtype<std::uint64_t>()) return read(std::uint64_t());
    if (array.dtype() == nb::dtype<std::int32_t>()) return read(std::int32_t());
    if (array.dtype() == nb::dtype<std::uint32_t>()) return read(std::uint32_t());
    if (array.dtype() == nb::dtype<std::int16_t>()) return read(std::int16_t());
    if (array.dtype() == nb::dtype<std::uint16_t>()) return read(std::uint16_t());
    if (array.dtype() == nb::dtype<std::int8_t>()) return read(std::int8_t());
    if (array.dtype() == nb::dtype<std::uint8_t>()) return read(std::uint8_t());
    std::string dtype = "other things";
    if (nb::hasattr(object, "dtype")) {
        const nb::object type = object.attr("dtype");
        dtype = nb::cast<std::string>(nb::str(type));
    }
    const bool is_mask = array.dtype() == nb::dtype<bool>();
    throw nb::type_error(fmt::format("members: an array of {}, expected integers{}", dtype,
                                     is_mask ? "; numpy.flatnonzero(mask) has them" : "")
                             .c_str());
}

template <class Set>
[[nodiscard]] nb::object to_array(const Set& set) {
    const std::size_t count = set.count();
    auto numbers = std::make_unique<std::uint32_t[]>(count);
    std::size_t at = 0;
    for (const auto member : set) numbers[at++] = trestle::detail::number_of(member);
    return nb::cast(array_of<std::uint32_t, nb::ndim<1>>(std::move(numbers), {count}));
}

/// A list with separators of the caller's, read as one with `-` and `,`.
template <class Set>
[[nodiscard]] Set set_from_text(std::string text, const std::string& insep,
                                const std::optional<std::string>& outsep) {
    const auto is_separator = [](const std::string& word) {
        return word.size() == 1 && (word[0] < '0' || word[0] > '9');
    };
    if (!is_separator(insep) || (outsep && (!is_separator(*outsep) || *outsep == insep))) {
        throw nb::value_error(
            "insep, outsep: expected one character each that is no digit, and two "
            "different ones");
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
        char& letter = text[at];
        const bool is_other = outsep ? letter == ',' || letter == ' ' : false;
        if (letter == insep[0]) {
            letter = '-';
        } else if (outsep && letter == (*outsep)[0]) {
            letter = ',';
        } else if (is_other || letter == '-') {
            throw nb::value_error(fmt::format("text: '{}' at offset {}, expected '{}' within an "
                                              "interval and {} between two",
                                              letter, at, insep,
                                              outsep ? "'" + *outsep + "'" : "',' or a blank")
                                      .c_str());
        }
    }
    const auto read = parse_set<Set>(text);
    if (!read) raise_if_error(to_status("text", read.error()));
    return *read;
}

template <class Set>
[[nodiscard]] std::string set_to_text(const Set& set, const std::string& spec) {
    if (spec.empty()) return to_text(set);
    if (spec.size() != 2) {
        throw nb::value_error(
            fmt::format("format \"{}\": expected nothing, or two characters: within an interval, "
                        "between two",
                        spec)
                .c_str());
    }
    std::string text;
    trestle::detail::for_each_run(set, [&](trestle::detail::Run run) {
        if (!text.empty()) text += spec[1];
        text += std::to_string(run.first);
        if (run.end - run.first > 1) text += spec[0] + std::to_string(run.end - 1);
    });
    return text;
}

/// The members at the positions of a slice. Errors: ValueError for one that goes downwards.
template <class Set>
[[nodiscard]] Set sliced(const Set& set, const nb::slice& slice) {
    const auto [start, stop, step, length] = slice.compute(set.count());
    if (step < 0) throw nb::value_error("slice: a set goes upwards; take reversed(set)");
    const auto first = static_cast<std::uint32_t>(start);
    if (step == 1) {
        const auto last = static_cast<std::uint32_t>(start) + static_cast<std::uint32_t>(length);
        return set.first_k(last) - set.first_k(first);
    }
    Set some;
    std::uint32_t position = 0;
    std::uint32_t next = first;
    std::size_t left = length;
    for (const auto member : set) {
        if (left == 0) break;
        if (position++ != next) continue;
        some.insert(member);
        next += static_cast<std::uint32_t>(step);
        --left;
    }
    return some;
}

template <class Set>
[[nodiscard]] std::size_t interval_count(const Set& set) {
    std::size_t intervals = 0;
    trestle::detail::for_each_run(set, [&](trestle::detail::Run) { ++intervals; });
    return intervals;
}

template <class Set>
void bind_as_procset(nb::class_<Set>& type) {
    using Index = typename Set::value_type;
    const auto at = [](const Set& set, Py_ssize_t position) {
        const auto count = static_cast<Py_ssize_t>(set.count());
        const Py_ssize_t k = position < 0 ? position + count : position;
        if (k < 0 || k >= count) {
            throw nb::index_error(
                fmt::format("position {} of a set with {} members", position, count).c_str());
        }
        return *set.nth(static_cast<std::uint32_t>(k));
    };
    const auto end_of = [](const std::optional<Index>& end) {
        if (!end) throw nb::value_error("the set is empty");
        return *end;
    };
    type.def("__getitem__", at, nb::arg("position"))
        .def("__getitem__", &sliced<Set>, nb::arg("positions"))
        .def("select", at, nb::arg("position"),
             "The member with so many members below it, as nth(); from the end where negative. "
             "Errors: IndexError.")
        .def("take", &Set::first_k, nb::arg("k"), doc("BasicSet.first_k"))
        .def_prop_ro(
            "min", [end_of](const Set& set) { return end_of(set.first()); },
            "int. The smallest member. Errors: ValueError for the empty set.")
        .def_prop_ro(
            "max", [end_of](const Set& set) { return end_of(set.last()); },
            "int. The largest member. Errors: ValueError for the empty set.");
    type.def("count", &interval_count<Set>,
             "The number of intervals, as procset counts; that of members is len().")
        .def(
            "iscontiguous", [](const Set& set) { return interval_count(set) <= 1; },
            "True for one interval, and for the empty set.")
        .def(
            "aggregate",
            [](const Set& set) {
                if (set.is_empty()) return Set();
                return Set::range({trestle::detail::number_of(*set.first()),
                                   trestle::detail::number_of(*set.last()) + 1});
            },
            "All from the smallest member to the largest.")
        .def(
            "intervals",
            [](const Set& set) {
                std::vector<Interval<std::uint32_t>> runs;
                trestle::detail::for_each_run(set, [&](trestle::detail::Run run) {
                    runs.push_back({run.first, run.end});
                });
                return nb::iter(nb::cast(runs));
            },
            nb::sig("def intervals(self) -> collections.abc.Iterator[range]"),
            "The runs of members that follow each other, upwards, as ranges.")
        .def(
            "__reversed__",
            [](const Set& set) {  // a list of all, as it is for iter()
                std::vector<Index> members(set.begin(), set.end());
                std::reverse(members.begin(), members.end());
                return nb::iter(nb::cast(members));
            },
            nb::sig("def __reversed__(self) -> collections.abc.Iterator[int]"));
    type.def(
            "isdisjoint", [](const Set& a, const Set& b) { return !a.intersects(b); },
            nb::arg("other"), "True when no member is in both.")
        .def(
            "issubset", [](const Set& a, const Set& b) { return b.contains_all(a); },
            nb::arg("other"), "As <=.")
        .def(
            "issuperset", [](const Set& a, const Set& b) { return a.contains_all(b); },
            nb::arg("other"), "As >=.")
        .def(
            "symmetric_difference", [](const Set& a, const Set& b) { return a ^ b; },
            nb::arg("other"), "As ^.");
    const auto of_all = [&type](const char* name, const char* about, auto merge) {
        const std::string sig = fmt::format("def {}(self, *others: {}) -> {}", name,
                                            nb::cast<std::string>(type.attr("__name__")),
                                            nb::cast<std::string>(type.attr("__name__")));
        type.def(
            name,
            [merge](const Set& self, const nb::args& others) {
                Set result = self;
                for (std::size_t i = 0; i < others.size(); ++i) {
                    if (!nb::isinstance<Set>(others[i])) {
                        throw nb::type_error(
                            fmt::format("others[{}]: expected {}, got {}", i,
                                        nb::cast<std::string>(nb::type<Set>().attr("__name__")),
                                        nb::cast<std::string>(others[i].type().attr("__name__")))
                                .c_str());
                    }
                    merge(result, nb::cast<const Set&>(others[i]));
                }
                return result;
            },
            nb::sig(sig.c_str()), about);
    };
    of_all("union", "As | with each.", [](Set& a, const Set& b) { a |= b; });
    of_all("intersection", "As & with each.", [](Set& a, const Set& b) { a &= b; });
    of_all("difference", "As - with each.", [](Set& a, const Set& b) { a -= b; });
    const auto name_of_set = nb::cast<std::string>(type.attr("__name__"));
    const std::string from_str_sig = fmt::format(
        "def from_str(text: str, insep: str = '-', outsep: str | None = None) -> {}", name_of_set);
    type.def_static(
            "from_str", &set_from_text<Set>, nb::arg("text"), nb::arg("insep") = "-",
            nb::arg("outsep") = nb::none(), nb::sig(from_str_sig.c_str()),
            "A set from a list like `0-3 5` or `0-3,5`, with other separators where given: one "
            "character within an interval, one between two. Errors: ValueError with the offset.")
        .def("__format__", &set_to_text<Set>, nb::arg("spec"))
        .def("to_numpy", &to_array<Set>,
             nb::sig("def to_numpy(self) -> numpy.typing.NDArray[numpy.uint32]"),
             "The members, upwards, in an array of its own.")
        .def(
            "__array__",
            [](const Set& set, nb::handle dtype, nb::handle copy) {
                if (!copy.is_none() && !nb::cast<bool>(copy)) {
                    throw nb::value_error("copy: False, but a set has no array that could be seen");
                }
                nb::object array = to_array(set);
                return dtype.is_none() ? array
                                       : array.attr("astype")(dtype, nb::arg("copy") = false);
            },
            nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none(),
            nb::sig("def __array__(self, dtype: object = None, copy: object = None) -> "
                    "numpy.typing.NDArray[numpy.uint32]"));
}

}  // namespace trestle::python
