// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "facts.hpp"

int main() {
    if (facts_with_ndebug() != facts_without_ndebug()) {
        std::puts("NDEBUG changes a type or a result");
        return 1;
    }
    Values values = make_with_ndebug();
    const Values copy = values;
    values.nodes = {};
    if (!same_without_ndebug(copy) || same_without_ndebug(values)) {
        std::puts("a value changed on its way between translation units");
        return 1;
    }
    return 0;
}
