// SPDX-License-Identifier: Apache-2.0
#pragma once

// Python classes for SmallSet and IndexSet, which have the same functions.

#include "bind_set_procset.hpp"
#include "bind_struct.hpp"
#include "trestle/set/text.hpp"

namespace trestle::python {

/// A set from a range of step 1, without a look at each number. Errors: as of set_from_iterable().
template <class Set>
[[nodiscard]] Set set_from_range(nb::handle range) {
    Set set;
    if (nb::len_hint(range) == 0) return set;
    try {
        constexpr IntLimits limits{0, Set::index_limit - 1};
        const std::uint64_t first = int_from_python(range.attr("start"), limits);
        const std::uint64_t last = int_from_python(nb::object(range[nb::int_(-1)]), limits);
        set.insert_range({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last) + 1});
    } catch (BadValue& bad) {
        bad.inside("members");
        throw;
    }
    return set;
}

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
    const bool is_run =
        PyRange_Check(object.ptr()) && nb::cast<nb::int_>(object.attr("step")).equal(nb::int_(1));
    return is_run ? set_from_range<Set>(object) : set_from_iterable<Set>(object);
}

/// What a pickle has of a set: first and last of each run, as text has no room for sets of any
/// size.
template <class Set>
[[nodiscard]] nb::list pickled_runs(const Set& set) {
    nb::list runs;
    trestle::detail::for_each_run(set, [&](trestle::detail::Run run) {
        runs.append(run.first);
        runs.append(run.end - 1);
    });
    return runs;
}
template <class Set>
[[nodiscard]] Set set_from_runs(const nb::list& runs) {
    Set set;
    for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
        constexpr IntLimits limits{0, Set::index_limit - 1};
        const auto first = static_cast<std::uint32_t>(int_from_python(runs[i], limits));
        const auto last = static_cast<std::uint32_t>(int_from_python(runs[i + 1], limits));
        set.insert_range({first, std::max(first, last) + 1});
    }
    return set;
}

template <class Set>
void bind_set(nb::handle scope, const char* name) {
    using Index = typename Set::value_type;
    const auto set_doc = [](const char* function) {
        return doc(std::string("BasicSet.") + function);
    };
    const std::string members = doc(name);
    const std::string about =
        "A set of " + (members.empty() ? "numbers" : members) +
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
        .def(
            "__contains__",
            [](const Set& self, nb::handle index) {
                try {
                    const auto number = int_from_python(index, {0, Set::index_limit - 1});
                    return self.contains(Index(static_cast<std::uint32_t>(number)));
                } catch (const BadValue&) {
                    return false;  // of what can be no member
                }
            },
            nb::arg("index").none(), nb::sig("def __contains__(self, index: object, /) -> bool"))
        .def("contains_all", &Set::contains_all, nb::arg("other"), set_doc("contains_all"))
        .def("intersects", &Set::intersects, nb::arg("other"), "True when a member is in both.")
        .def("is_empty", &Set::is_empty, "True without members.")
        .def("__len__", &Set::count)
        .def("count_in", &Set::count_in, nb::arg("run"), set_doc("count_in"))
        .def("count_and", &Set::count_and, nb::arg("other"), set_doc("count_and"))
        .def("first", &Set::first, set_doc("first"))
        .def("last", &Set::last, "The largest member; None for the empty set.")
        .def("next", &Set::next, nb::arg("i"), set_doc("next"))
        .def("nth", &Set::nth, nb::arg("k"), set_doc("nth"))
        .def("rank", &Set::rank, nb::arg("i"), set_doc("rank"))
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
        if (self.is_empty()) return shown + "()";
        return shown_in_a_line(shown + "('" + to_text(self) + "')", shown, self.count());
    });
    bind_as_procset(type);
    type.def(
        "__getstate__", [](const Set& self) { return nb::make_tuple(pickled_runs(self)); },
        nb::sig("def __getstate__(self) -> tuple[object, ...]"));
    type.def(
        "__setstate__",
        [](Set& self, const nb::tuple& state) {
            new (&self) Set(set_from_runs<Set>(nb::cast<nb::list>(state[0])));
        },
        nb::arg("state"), nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"));
}

}  // namespace trestle::python
