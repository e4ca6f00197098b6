// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "bind_struct.hpp"

namespace trestle::python {
namespace {

struct HeaderDoc {
    std::string_view name;
    const char* text;
};

/// Written by header_docs.py at build time, sorted by name.
constexpr HeaderDoc header_docs[] = {
#include "header_docs.inc"
};

}  // namespace

const char* doc(std::string_view name) {
    const auto at = std::lower_bound(
        std::begin(header_docs), std::end(header_docs), name,
        [](const HeaderDoc& row, std::string_view wanted) { return row.name < wanted; });
    return at != std::end(header_docs) && at->name == name ? at->text : "";
}

std::string prefix_of(nb::handle scope, bool has_class) {
    const bool is_class = nb::isinstance<nb::type_object>(scope);
    std::string name = nb::cast<std::string>(scope.attr(is_class ? "__module__" : "__name__"));
    if (is_class && has_class) name += "." + nb::cast<std::string>(scope.attr("__qualname__"));
    const auto dot = name.find('.');
    return dot == std::string::npos ? "" : name.substr(dot + 1) + ".";
}

std::string python_name(std::string_view text) {
    std::string name(text);
    std::replace(name.begin(), name.end(), '-', '_');
    std::erase(name, ',');
    const bool is_taken = nb::cast<bool>(
        nb::module_::import_("keyword").attr("iskeyword")(nb::str(name.c_str(), name.size())));
    if (!is_taken) return name;
    if (name == "None") return "none";  // which stubgen does not take for private
    return name + "_";
}

std::string default_text(nb::handle scope, nb::handle value) {
    // Class names stand before a dot or a bracket, neither inside a string nor behind a dot.
    constexpr const char* class_name = "(?<![\\w.'])[A-Z]\\w*(?=[.(])";
    const nb::handle type = value.type();
    const nb::object qualified = nb::cpp_function([scope, type](nb::handle match) {
        const nb::object name = match.attr("group")();
        nb::object module = nb::str("trestle");
        if (nb::hasattr(scope, name)) {
            module = scope.attr("__name__");
        } else if (name.equal(type.attr("__name__"))) {
            module = type.attr("__module__");
        }
        const auto text = nb::cast<std::string>(module);
        const bool is_private = text.find("._") != std::string::npos;
        return (is_private ? "trestle" : text) + "." + nb::cast<std::string>(name);
    });
    const auto shown = nb::cast<std::string>(nb::repr(value));
    const bool is_cut = shown.find('<') != std::string::npos || shown.ends_with("...)");
    auto text =
        nb::cast<std::string>(nb::module_::import_("re").attr("sub")(class_name, qualified, shown));
    return is_cut || text.size() > 200 ? "..." : text;  // more is not readable in a signature
}

}  // namespace trestle::python
