// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/node/slices.hpp"

namespace trestle::python {
namespace {

/// Otherwise memory slices would not be bits of one word.
void expect_inside(const Slicing& slicing, std::vector<SliceInstance> instances) {
    std::sort(instances.begin(), instances.end());
    const std::uint32_t slices = slicing.geometry.memory_slices;
    std::uint32_t end = 0;
    for (const SliceInstance& one : instances) {
        TRESTLE_EXPECTS(one.start >= end && one.start < slices && one.size <= slices - one.start,
                        "instances lie on the device, none over another");
        end = one.end();
    }
}

/// What SliceSpace requires.
void expect_device(const Slicing& slicing, const std::vector<SliceInstance>& held) {
    TRESTLE_EXPECTS(check(slicing).ok(), "the slicing is consistent");
    for (const SliceProfile& profile : slicing.geometry.profiles) {
        TRESTLE_EXPECTS(std::is_sorted(profile.starts.begin(), profile.starts.end()),
                        "the starts of a profile rise");
    }
    expect_inside(slicing, held);
}

/// What is taken lies beside what is held.
void expect_taken(const Slicing& slicing, const std::vector<SliceInstance>& held,
                  const std::vector<SliceInstance>& taken) {
    expect_device(slicing, held);
    std::vector<SliceInstance> all = held;
    all.insert(all.end(), taken.begin(), taken.end());
    expect_inside(slicing, std::move(all));
}

/// `[1, 1, 2]`, without the zeros at the end.
[[nodiscard]] std::string list_text(const SlicePotential& potential) {
    const std::string counts = to_text(potential);
    std::string text = "[";
    for (const char c : counts) text += c == ' ' ? std::string(", ") : std::string(1, c);
    return text + "]";
}

void bind_potential(nb::module_& module) {
    nb::class_<SlicePotential> type(module, "SlicePotential", doc("SlicePotential"));
    type.def(
        "__init__",
        [](SlicePotential* self, const std::vector<std::int64_t>& counts) {
            TRESTLE_EXPECTS(counts.size() <= SlicePotential::ranks,
                            "a potential has at most 16 ranks");
            new (self) SlicePotential();
            std::copy(counts.begin(), counts.end(), self->counts.begin());
        },
        nb::arg("counts") = nb::make_tuple(),
        nb::sig("def __init__(self, counts: collections.abc.Iterable[int] = ()) -> None"));
    bind_value(type);
    type.def_prop_ro(
        "counts",
        [](const SlicePotential& self) {
            return std::vector<std::int64_t>(self.counts.begin(), self.counts.end());
        },
        "By rank (each: int)");
    const auto compare = [&](const char* name, auto holds) {
        type.def(name, holds, nb::is_operator());
    };
    using P = const SlicePotential&;
    compare("__lt__", [](P a, P b) { return a < b; });
    compare("__le__", [](P a, P b) { return a <= b; });
    compare("__gt__", [](P a, P b) { return a > b; });
    compare("__ge__", [](P a, P b) { return a >= b; });
    compare("__add__", [](P a, P b) { return a + b; });
    compare("__sub__", [](P a, P b) { return a - b; });
    type.def("__str__", [](P self) { return to_text(self); });
    type.def("__repr__", [](P self) { return "SlicePotential(" + list_text(self) + ")"; });
    type.def(
        "__reduce__",
        [](nb::handle self) {
            return nb::make_tuple(self.type(), nb::make_tuple(self.attr("counts")));
        },
        nb::sig("def __reduce__(self) -> tuple[object, tuple[object, ...]]"));
}

void bind_arranging(nb::module_& module) {
    bind_struct<SliceArrangement>(module, "SliceArrangement");
    bind_struct<SliceChanges>(module, "SliceChanges");
    module.def(
        "instances_possible",
        [](const Slicing& slicing, const std::vector<SliceInstance>& held,
           std::string_view profile) {
            expect_device(slicing, held);
            return instances_possible(slicing, held, profile);
        },
        nb::arg("slicing"), nb::arg("held"), nb::arg("profile"), doc("instances_possible"));
    module.def(
        "slice_potential",
        [](const Slicing& slicing, const std::vector<SliceInstance>& held) {
            expect_device(slicing, held);
            return slice_potential(slicing, held);
        },
        nb::arg("slicing"), nb::arg("held"), doc("slice_potential"));
    module.def(
        "arrange_slices",
        [](const Slicing& slicing, const std::vector<SliceInstance>& held,
           const std::vector<std::string>& wanted) {
            expect_device(slicing, held);
            const std::vector<std::string_view> names(wanted.begin(), wanted.end());
            return arrange_slices(slicing, held, names);
        },
        nb::arg("slicing"), nb::arg("held"), nb::arg("wanted"),
        "The best arrangement of one instance of each profile in `wanted` beside what is held; "
        "None "
        "where there is none. Best is: fewest changes; then the greatest potential; then the "
        "lowest "
        "starts.");
    module.def(
        "slice_changes",
        [](const Slicing& slicing, const std::vector<SliceInstance>& held,
           const std::vector<SliceInstance>& taken) {
            expect_taken(slicing, held, taken);
            return slice_changes(slicing, held, taken);
        },
        nb::arg("slicing"), nb::arg("held"), nb::arg("taken"), doc("slice_changes"));
    module.def(
        "geometry_after",
        [](const Slicing& slicing, const std::vector<SliceInstance>& held,
           const std::vector<SliceInstance>& taken) {
            expect_taken(slicing, held, taken);
            return geometry_after(slicing, held, taken);
        },
        nb::arg("slicing"), nb::arg("held"), nb::arg("taken"), doc("geometry_after"));
}

}  // namespace

void bind_slices(nb::module_& module) {
    bind_potential(module);
    bind_arranging(module);
}

}  // namespace trestle::python
