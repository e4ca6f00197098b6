// SPDX-License-Identifier: Apache-2.0
#pragma once

// Python classes for SmallSet and IndexSet, which have the same functions.

#include "bind_set_procset.hpp"
#include "bind_struct.hpp"
#include "trestle/set/text.hpp"

namespace trestle::python {

/// A set from `0-3,8`, from an iterable or array of numbers, or from a set of the same class.
template <class Set>
[[nodiscard]] Set set_from_python(nb::handle object) {
    if (nb::isinstance<Set>(object)) return *nb::inst_ptr<Set>(object);
    if (PyUnicode_Check(object.ptr())) {
        const auto read = parse_set<Set>(nb::cast<std::string>(object));
        if (!read) raise_if_error(to_status("set", read.error()));
        return *read;
    }
    if (nb::ndarray_check(object)) return set_from_array<Set>(object);
    Set set;
    if (PyRange_Check(object.ptr()) && nb::cast<Py_ssize_t>(object.attr("step")) == 1) {
        const auto run = from_python<Interval<std::uint32_t>>(object);
        TRESTLE_EXPECTS(run.is_empty() || run.last <= Set::index_limit,
                        "members are below the limit of the set");
        set.insert_range(run);
        return set;
    }
    for (const auto& member : from_python<std::vector<typename Set::value_type>>(object)) {
        set.insert(member);
    }
    return set;
}

template <class Set>
void bind_set(nb::handle scope, const char* name) {
    using Index = typename Set::value_type;
    const auto set_doc = [](const char* function) {
        return doc(std::string("BasicSet.") + function);
    };
    const std::string about =
        std::string("A set of ") + doc(name) +
        ", immutable.\n\nMade from an iterable of int, an array, or a text like "
        "\"0-3,8\". <= is subset, as in Python's own sets; positions and "
        "slices are those of the members in rising order. What else "
        "procset.ProcSet has is here by its names.";
    nb::class_<Set> type(scope, name, about.c_str());
    type.def(
        "__init__",
        [](Set* self, nb::handle members) { new (self) Set(set_from_python<Set>(members)); },
        nb::arg("members") = nb::make_tuple(),
        nb::sig("def __init__(self, members: collections.abc.Iterable[int] | str = ()) -> None"));
    bind_value(type);
    type.def("contains", &Set::contains, nb::arg("index"), "True when `index` is a member. O(1).")
        .def("__contains__", &Set::contains)
        .def("contains_all", &Set::contains_all, nb::arg("other"), set_doc("contains_all"))
        .def("intersects", &Set::intersects, nb::arg("other"), "True when a member is in both.")
        .def("is_empty", &Set::is_empty, "True without members.")
        .def("__len__", &Set::count)
        .def("count_in", &Set::count_in, nb::arg("run"), set_doc("count_in"))
        .def("count_and", &Set::count_and, nb::arg("other"), set_doc("count_and"))
        .def("first", &Set::first, set_doc("first"))
        .def("last", &Set::last, "The largest member; None for the empty set.")
        .def("next", &Set::next, nb::arg("index"), set_doc("next"))
        .def("nth", &Set::nth, nb::arg("k"), set_doc("nth"))
        .def("rank", &Set::rank, nb::arg("index"), set_doc("rank"))
        .def("first_k", &Set::first_k, nb::arg("k"), set_doc("first_k"))
        .def("first_run", &Set::first_run, nb::arg("k"), set_doc("first_run"))
        .def("complement", &Set::complement, nb::arg("run"), set_doc("complement"));
    type.def(nb::self | nb::self).def(nb::self & nb::self);
    type.def(nb::self - nb::self).def(nb::self ^ nb::self);
    type.def("__le__", [](const Set& a, const Set& b) { return b.contains_all(a); });
    type.def("__ge__", [](const Set& a, const Set& b) { return a.contains_all(b); });
    type.def("__lt__", [](const Set& a, const Set& b) { return b.contains_all(a) && a != b; });
    type.def("__gt__", [](const Set& a, const Set& b) { return a.contains_all(b) && a != b; });
    type.def(
        "__iter__",
        [](const Set& self) {
            return nb::iter(nb::cast(std::vector<Index>(self.begin(), self.end())));
        },
        nb::sig("def __iter__(self) -> collections.abc.Iterator[int]"));
    type.def("__str__", [](const Set& self) { return to_text(self); });
    type.def("__repr__", [shown = std::string(name)](const Set& self) {
        return shown + (self.is_empty() ? "()" : "('" + to_text(self) + "')");
    });
    bind_as_procset(type);
    type.def(
        "__reduce__",
        [](nb::handle self) { return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self))); },
        nb::sig("def __reduce__(self) -> tuple[object, tuple[object, ...]]"));
}

}  // namespace trestle::python
