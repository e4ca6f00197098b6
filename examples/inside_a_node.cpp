// SPDX-License-Identifier: Apache-2.0
// Six questions to one node: what fits beside a failed GPU, and why eight do not; a GPU and the NIC
// below its switch; a part of a card that is cut into instances; GPUs of one NUMA domain.
#include <fmt/format.h>

#include "trestle/alloc/node/explain_fit.hpp"
#include "trestle/alloc/node/fit.hpp"
#include "trestle/model/node_builder.hpp"

using namespace trestle;

namespace {

NodeDemand::Device devices(const char* name, std::int64_t count) {
    NodeDemand::Device demand;
    demand.request.name = name;
    demand.count = Range<Count>::exactly(Count(count));
    return demand;
}

void ask(const char* question, const NodeShape& shape, const NodeLedger& ledger,
         const NodeDemand& demand) {
    fmt::print("{}\n", question);
    if (const auto placement = fit(shape, ledger, demand)) {
        fmt::print("  {}\n", to_text(*placement));
    } else {
        fmt::print("{}\n", to_text(explain_fit(shape, ledger, demand)));
    }
}

}  // namespace

int main() {
    NodeShape shape = *make_node({.packages = 2,
                                  .cores_per_package = 32,
                                  .threads_per_core = 2,
                                  .memory = 1_TiB,
                                  .devices = {{.name = "gpu",
                                               .type = "a100",
                                               .count = 8,
                                               .memory = 40_GiB,
                                               .linking = NodeDescription::Devices::Linking::all,
                                               .slice_geometry = "a100-40gb"},
                                              {.name = "nic", .type = "cx7", .count = 4}}})
                           ->shape;
    shape.devices[3].health = Health::failure;
    for (std::uint32_t i = 0; i < 8; ++i) shape.devices[i].switches = {i / 2};
    for (std::uint32_t i = 0; i < 4; ++i) shape.devices[8 + i].switches = {i};
    const NodeLedger idle(shape);

    NodeDemand demand;
    demand.cpus_per_task = Count(16);
    demand.memory = gib(64);
    demand.devices = {devices("gpu", 7)};
    ask("7 GPUs", shape, idle, demand);
    demand.devices = {devices("gpu", 8)};
    ask("8 GPUs", shape, idle, demand);

    demand.devices = {devices("gpu", 1), devices("nic", 1)};
    demand.devices[1].request.device_locality = Strictness::require;
    NodeLedger busy = idle;
    NodePlacement taken;
    taken.devices = {{DeviceId(0)}, {DeviceId(8)}};
    if (!busy.take(taken, OwnerId(7)).ok()) return 1;
    ask("a GPU and a NIC below one switch, GPU 0 and NIC 0 taken", shape, busy, demand);

    demand.devices = {devices("gpu", 2)};
    demand.devices[0].request.slice = "3g.20gb";
    ask("two instances of half a card", shape, busy, demand);

    demand.common_attributes = {{.name = "numa"}};
    demand.devices = {devices("gpu", 3)};
    ask("three GPUs of one NUMA domain", shape, busy, demand);
    demand.devices = {devices("gpu", 5)};
    ask("five GPUs of one NUMA domain", shape, busy, demand);
}
