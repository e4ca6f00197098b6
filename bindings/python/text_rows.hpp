// SPDX-License-Identifier: Apache-2.0
#pragma once

// Structs of texts as a list of dicts, for tables that are read and not kept.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include <span>

namespace trestle::python {

template <class Row>
[[nodiscard]] nanobind::list text_rows(std::span<const Row> rows) {
    nanobind::list list;
    for (const Row& row : rows) {
        nanobind::dict one;
        Row::fields([&](const auto&... f) {
            ((one[nanobind::str(f.name.data(), f.name.size())] = row.*(f.pointer)), ...);
        });
        list.append(one);
    }
    return list;
}

}  // namespace trestle::python
