// SPDX-License-Identifier: Apache-2.0
// What has to be one thing in the program and in the shared library: the contract handler, the type
// of an enforcer, and values that cross between them.
#include <cstdio>

#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/contract.hpp"
#include "trestle/enforce/memory_enforcer.hpp"
#include "trestle/model/node_builder.hpp"

using namespace trestle;

namespace {

struct Broken {};

[[noreturn]] void throw_broken(const ContractViolation&) { throw Broken(); }

/// True when a contract that breaks inside the library ends in the handler of the program.
bool handler_is_shared(const Cluster& cluster) {
    set_contract_handler(&throw_broken);
    try {
        static_cast<void>(cluster.node(NodeId(7)));
    } catch (const Broken&) {
        return true;
    }
    return false;
}

}  // namespace

int main() {
    ClusterParts parts;
    parts.nodes = {*make_node({.name = "n0", .cores_per_package = 4, .memory = 64_GiB})};
    auto cluster = Cluster::create(parts);
    if (!cluster.ok()) return 1;
    const Verdict<Placement> placement = place(*cluster, Request());
    if (!placement || !cluster->commit({OwnerId(1), Request(), *placement}).ok()) return 2;
    if (!handler_is_shared(*cluster)) return 3;
    MemoryEnforcer enforcer;
    Enforcer* const base = &enforcer;
    if (dynamic_cast<MemoryEnforcer*>(base) != &enforcer) return 4;
    std::puts(to_text(*placement, *cluster).c_str());
    return 0;
}
