// SPDX-License-Identifier: Apache-2.0
#include "bind_set.hpp"

#include "bindings.hpp"
#include "trestle/set/index_set.hpp"
#include "trestle/set/small_set.hpp"

namespace trestle::python {

void bind_set(nb::module_& module) {
    bind_set<CoreSet>(module, "CoreSet");
    bind_set<PuSet>(module, "PuSet");
    bind_set<DeviceSet>(module, "DeviceSet");
    bind_set<DomainSet>(module, "DomainSet");
    bind_set<NodeSet>(module, "NodeSet");
    bind_set<SmallSet<>>(module, "SmallSet");
    bind_set<IndexSet<>>(module, "IndexSet");
}

}  // namespace trestle::python
