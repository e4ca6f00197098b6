// SPDX-License-Identifier: Apache-2.0
#pragma once

// array_of: numbers made here as a NumPy array that Python owns.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <memory>

#include "convert.hpp"

namespace trestle::python {

/// An array that Python owns.
template <class T, class Dimensions>
[[nodiscard]] auto array_of(std::unique_ptr<T[]> values, std::initializer_list<std::size_t> shape) {
    T* const data = values.get();
    const nb::capsule owner(values.release(),
                            [](void* all) noexcept { delete[] static_cast<T*>(all); });
    return nb::ndarray<nb::numpy, T, Dimensions, nb::c_contig>(data, shape, owner);
}

}  // namespace trestle::python
