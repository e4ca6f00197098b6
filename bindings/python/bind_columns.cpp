// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>

#include <algorithm>

#include "alloc/node/free/free_sums.hpp"
#include "bind_struct.hpp"
#include "bindings.hpp"
#include "columns.hpp"
#include "errors.hpp"
#include "unchanged.hpp"

namespace trestle::python {
namespace {

using Column = nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<1>, nb::c_contig>;
using Table = nb::ndarray<nb::numpy, const std::int64_t, nb::ndim<2>, nb::c_contig>;
using Flags = nb::ndarray<nb::numpy, const bool, nb::ndim<1>, nb::c_contig>;
using Values = std::vector<std::int64_t> PolicyColumns::*;

/// Arrays lie in their columns, which they keep.
template <Values Member>
void bind_column(nb::class_<PolicyColumns>& type, const char* name, const char* text) {
    type.def_prop_ro(
        name, [](const PolicyColumns& self) { return Column((self.*Member).data(), {self.rows}); },
        text);
}
template <Values Member>
void bind_table(nb::class_<PolicyColumns>& type, const char* name, const char* text) {
    type.def_prop_ro(
        name,
        [](const PolicyColumns& self) {
            return Table((self.*Member).data(), {self.rows, self.devices_most});
        },
        text);
}

}  // namespace

PolicyColumns::PolicyColumns(std::span<const ScoreInput> inputs)
    : rows(inputs.size()), devices_most(1), is_idle(std::make_unique<bool[]>(inputs.size())) {
    for (const ScoreInput& input : inputs) {
        devices_most = std::max(devices_most, input.before.devices.size());
    }
    each_device_before.assign(rows * devices_most, -1);
    each_device_after = each_device_before;
    std::vector<std::int64_t> position;  // of each class, by its id
    for (std::size_t row = 0; row < rows; ++row) {
        const ScoreInput& input = inputs[row];
        milli_cpus_before.push_back(input.before.milli_cpus);
        milli_cpus_after.push_back(input.after.milli_cpus);
        memory_before.push_back(all_memory(input.state.free));
        memory_after.push_back(memory_before.back() - input.placement.total_memory().value());
        devices_before.push_back(input.before.all_devices);
        devices_after.push_back(input.after.all_devices);
        const auto first = static_cast<std::ptrdiff_t>(row * devices_most);
        std::copy(input.before.devices.begin(), input.before.devices.end(),
                  each_device_before.begin() + first);
        std::copy(input.after.devices.begin(), input.after.devices.end(),
                  each_device_after.begin() + first);
        is_idle[row] = input.state.free.is_idle;
        const std::size_t id = input.state.node_class.value();
        if (id >= position.size()) position.resize(id + 1, -1);
        if (position[id] < 0) {
            position[id] = static_cast<std::int64_t>(classes.size());
            classes.push_back(input.node_class);
        }
        node_class.push_back(position[id]);
    }
}

BatchScoreFunction score_function(const ColumnPolicy& policy, AskedAbout about) {
    if (!policy.is_function()) return {};
    return [function = policy.given, about = std::move(about)](std::span<const ScoreInput> inputs) {
        const Unchanged cluster_is(**about);
        const nb::object answer = (*function)(PolicyColumns(inputs));
        cluster_is.check();
        nb::ndarray<const double, nb::ndim<1>, nb::device::cpu> numbers;
        if (!nb::try_cast(answer, numbers)) {
            throw BadValue{PyExc_TypeError,
                           "expected a float64 array of one dimension, got " + type_name_of(answer),
                           "policy"};
        }
        if (numbers.shape(0) != inputs.size()) {
            throw BadValue{PyExc_ValueError,
                           fmt::format("expected {} scores, one for each row, got {}",
                                       inputs.size(), numbers.shape(0)),
                           "policy"};
        }
        const auto view = numbers.view();
        std::vector<Score> scores;
        scores.reserve(inputs.size());
        for (std::size_t row = 0; row < inputs.size(); ++row) scores.push_back({view(row), 0});
        return scores;
    };
}

void bind_columns(nb::module_& module) {
    nb::class_<PolicyColumns> type(
        module, "PolicyColumns",
        "What a caller's policy makes scores from: a row for each state that nodes are in.\n\nThe "
        "policy gives one float64 for each row. The highest comes first, of equal ones the lowest "
        "node. Where it is NaN no node is taken. It is called once for each different part of "
        "a job, with the states that are new since the last time. So a score may depend on its own "
        "row alone. `lambda columns: -1.0 * columns.devices_after` leaves least devices. The "
        "arrays are "
        "read-only, need NumPy, and stay good.");
    type.def(
        "__len__", [](const PolicyColumns& self) { return self.rows; }, "How many rows.");
    bind_column<&PolicyColumns::milli_cpus_before>(
        type, "milli_cpus_before", "Thousandths of hardware threads that are free.");
    bind_column<&PolicyColumns::milli_cpus_after>(type, "milli_cpus_after",
                                                  "The same when the part is there.");
    bind_column<&PolicyColumns::memory_before>(type, "memory_before", "Bytes that are free.");
    bind_column<&PolicyColumns::memory_after>(type, "memory_after",
                                              "The same when the part is there.");
    bind_column<&PolicyColumns::devices_before>(
        type, "devices_before",
        "Thousandths of a device that are free, of all that PolicyOptions.device names.");
    bind_column<&PolicyColumns::devices_after>(type, "devices_after",
                                               "The same when the part is there.");
    bind_table<&PolicyColumns::each_device_before>(
        type, "each_device_before",
        "Of each device its free thousandths: a row for each state, -1 where a node has fewer "
        "devices than others.");
    bind_table<&PolicyColumns::each_device_after>(type, "each_device_after",
                                                  "The same when the part is there.");
    type.def_prop_ro(
        "is_idle", [](const PolicyColumns& self) { return Flags(self.is_idle.get(), {self.rows}); },
        "True where the node has no owner.");
    bind_column<&PolicyColumns::node_class>(type, "node_class", "Position in `classes`.");
    type.def_prop_ro(
        "classes", [](const PolicyColumns& self) { return self.classes; }, nb::rv_policy::move,
        "What nodes have in common that a score may look at besides: shape, features, weight. "
        "Their order says nothing.");
}

}  // namespace trestle::python
