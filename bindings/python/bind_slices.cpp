// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "bind_struct.hpp"
#include "bindings.hpp"
#include "trestle/alloc/node/slices.hpp"

namespace trestle::python {
namespace {

/// Otherwise memory slices would not be bits of one word.
void expect_inside(const Slicing& slicing, std::vector<Slicing::Instance> instances) {
    std::sort(instances.begin(), instances.end());
    const std::uint32_t slices = slicing.geometry.memory_slices;
    std::uint32_t end = 0;
    for (const Slicing::Instance& one : instances) {
        TRESTLE_EXPECTS(one.start >= end && one.start < slices && one.size <= slices - one.start,
                        "instances lie on the device, none over another");
        end = one.end();
    }
}

/// What is taken lies beside what is held.
void expect_taken(const Slicing& slicing, const std::vector<Slicing::Instance>& held,
                  const std::vector<Slicing::Instance>& taken) {
    expect_inside(slicing, held);
    std::vector<Slicing::Instance> all = held;
    all.insert(all.end(), taken.begin(), taken.end());
    expect_inside(slicing, std::move(all));
}

void bind_arranging(nb::module_& module) {
    bind_struct<SliceChanges>(module, "SliceChanges");
    module.def(
        "instances_possible",
        [](const Slicing& slicing, const std::vector<Slicing::Instance>& held,
           std::string_view profile) {
            expect_inside(slicing, held);
            return instances_possible(slicing, held, profile);
        },
        nb::arg("slicing"), nb::arg("held"), nb::arg("profile"), doc("instances_possible"));
    module.def(
        "slice_changes",
        [](const Slicing& slicing, const std::vector<Slicing::Instance>& held,
           const std::vector<Slicing::Instance>& taken) {
            expect_taken(slicing, held, taken);
            return slice_changes(slicing, held, taken);
        },
        nb::arg("slicing"), nb::arg("held"), nb::arg("taken"), doc("slice_changes"));
    module.def(
        "geometry_after",
        [](const Slicing& slicing, const std::vector<Slicing::Instance>& held,
           const std::vector<Slicing::Instance>& taken) {
            expect_taken(slicing, held, taken);
            return geometry_after(slicing, held, taken);
        },
        nb::arg("slicing"), nb::arg("held"), nb::arg("taken"), doc("geometry_after"));
}

}  // namespace

void bind_slices(nb::module_& module) { bind_arranging(module); }

}  // namespace trestle::python
