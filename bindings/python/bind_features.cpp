// SPDX-License-Identifier: Apache-2.0
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/features.hpp"

namespace trestle::python {

template <>
FeatureExpression from_python<FeatureExpression>(nb::handle object) {
    if (nb::isinstance<FeatureExpression>(object)) return *nb::inst_ptr<FeatureExpression>(object);
    if (!PyUnicode_Check(object.ptr())) return from_python<std::vector<std::string>>(object);
    const auto text = nb::cast<std::string>(object);
    const auto expression = FeatureExpression::read(TextCursor(text));
    if (!expression) throw BadValue{PyExc_ValueError, to_text(expression.error()), {}};
    return *expression;
}

void bind_features(nb::module_& module) {
    using Expression = FeatureExpression;
    const std::string about = std::string(doc("FeatureExpression")) +
                              "\n\nMade from its text, \"a100&(ib|!old)\", or from names, all of "
                              "which are wanted; & | and ~ "
                              "make one of others.";
    nb::class_<Expression> type(module, "FeatureExpression", about.c_str());
    type.def(
        "__init__",
        [](Expression* self, nb::handle features) {
            new (self) Expression(from_python<Expression>(features));
        },
        nb::arg("features") = "",
        nb::sig("def __init__(self, features: str | collections.abc.Iterable[str] | "
                "trestle.FeatureExpression = \"\") -> None"));
    bind_value(type);
    type.def("is_empty", &Expression::is_empty, "True when every node meets it.")
        .def("names", &Expression::names, doc("FeatureExpression.names"))
        .def(
            "__and__", [](const Expression& a, const Expression& b) { return a & b; },
            nb::is_operator(), doc("FeatureExpression.operator&"))
        .def(
            "__or__", [](const Expression& a, const Expression& b) { return a | b; },
            nb::is_operator(), doc("FeatureExpression.operator|"))
        .def(
            "__invert__", [](const Expression& a) { return !a; },
            doc("FeatureExpression.operator!"))
        .def("__str__", [](const Expression& self) { return to_text(self); })
        .def("__repr__",
             [](const Expression& self) {
                 if (self.is_empty()) return std::string("FeatureExpression()");
                 const nb::str text(to_text(self).c_str());
                 const auto quoted = nb::cast<std::string>(nb::repr(text));
                 return shown_in_a_line("FeatureExpression(" + quoted + ")", "FeatureExpression",
                                        nb::len(text));
             })
        .def(
            "__reduce__",
            [](nb::handle self) {
                return nb::make_tuple(self.type(), nb::make_tuple(nb::str(self)));
            },
            nb::sig("def __reduce__(self) -> tuple[object, tuple[object, ...]]"));
    module.def("feature", &feature, nb::arg("name"),
               "The feature called `name`, whatever characters it has.");
    module.def(
        "matches",
        [](const Expression& expression, const std::vector<std::string>& features) {
            return matches(expression, features);
        },
        nb::arg("expression"), nb::arg("features"), doc("FeatureExpression.matches"));
    bind_struct<FeatureCount>(module, "FeatureCount");
    bind_struct<ClusterCount>(module, "ClusterCount");
}

}  // namespace trestle::python
