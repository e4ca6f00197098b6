// SPDX-License-Identifier: Apache-2.0
#include "bind_set.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "trestle/set/hierarchy.hpp"
#include "trestle/set/index_set.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::python {

namespace {

/// from_python<T>(), which names the place in its errors.
template <class T>
[[nodiscard]] T read_at(nb::handle object, const std::string& place) {
    try {
        return from_python<T>(object);
    } catch (BadValue& bad) {
        bad.inside(place);
        throw;
    }
}

/// Levels as (blocks, count), outermost first. Errors: TypeError, ValueError, OverflowError that
/// name the level and what of it.
nb::object find_hierarchy(const IndexSet<>& available, const nb::sequence& levels) {
    if (nb::len(levels) == 0) throw nb::value_error("levels: none, expected one or more");
    if (nb::len(levels) > hierarchy_levels_max) {
        throw nb::value_error(
            fmt::format("levels: {}, expected at most {}", nb::len(levels), hierarchy_levels_max)
                .c_str());
    }
    std::vector<std::vector<IndexSet<>>> blocks;
    std::vector<std::uint32_t> counts;
    for (const nb::handle level : levels) {
        const std::string name = fmt::format("levels[{}]", blocks.size());
        if (!nb::isinstance<nb::tuple>(level) || nb::len(level) != 2) {
            throw nb::type_error((name + ": expected a tuple (blocks, count)").c_str());
        }
        blocks.push_back(read_at<std::vector<IndexSet<>>>(level[0], name + ".blocks"));
        counts.push_back(read_at<std::uint32_t>(level[1], name + ".count"));
        if (counts.back() == 0) {
            throw nb::value_error((name + ".count: 0, expected 1 or more").c_str());
        }
        std::uint64_t members = 0;
        for (const IndexSet<>& block : blocks.back()) members += block.count();
        if (members != IndexSet<>::union_of(blocks.back()).count()) {
            throw nb::value_error((name + ".blocks overlap, expected disjoint ones").c_str());
        }
    }
    std::vector<HierarchyLevel<IndexSet<>>> asked;
    for (std::size_t i = 0; i < blocks.size(); ++i) asked.push_back({blocks[i], counts[i]});
    const auto found = find_in_hierarchy<IndexSet<>>(available, asked);
    return found ? nb::cast(*found) : nb::none();
}

}  // namespace

void bind_set(nb::module_& module) {
    bind_set<CoreSet>(module, "CoreSet");
    bind_set<PuSet>(module, "PuSet");
    bind_set<DeviceSet>(module, "DeviceSet");
    bind_set<DomainSet>(module, "DomainSet");
    bind_set<NodeSet>(module, "NodeSet");
    bind_set<SmallSet<>>(module, "SmallSet");
    bind_set<IndexSet<>>(module, "IndexSet");
    module.def("find_in_hierarchy", &find_hierarchy, nb::arg("available"), nb::arg("levels"),
               nb::sig("def find_in_hierarchy(available: trestle.IndexSet, levels: "
                       "collections.abc.Sequence[tuple[collections.abc.Iterable["
                       "trestle.IndexSet], int]]) -> trestle.IndexSet | None"),
               doc("find_in_hierarchy"));
}

}  // namespace trestle::python
