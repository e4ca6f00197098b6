// SPDX-License-Identifier: Apache-2.0
#include "refusal_words.hpp"

#include <algorithm>
#include <cstddef>

#include "base/counted_text.hpp"
#include "trestle/base/fmt.hpp"

namespace trestle::slurm::choice {
namespace {

constexpr BarrierWords all_barrier_words[] = {
    {Barrier::state, "takes work", "take work", "takes no work"},
    {Barrier::use, "is idle, as a job of whole nodes needs it",
     "are idle, as a job of whole nodes needs them", "is in use, and the job has whole nodes"},
    {Barrier::sharing, "is without cores that jobs share", "are without cores that jobs share",
     "has cores that jobs share, and the job has its own"},
    {Barrier::owning, "is without cores of jobs that do not share",
     "are without cores of jobs that do not share",
     "has cores of jobs that do not share, and the job shares"},
    {Barrier::layers, "has layers with enough left for --resources",
     "have layers with enough left for --resources",
     "has layers with too little left for --resources"},
    {Barrier::alone, "is in a unit of the network that no job has alone",
     "are in units of the network that no job has alone",
     "is in a unit of the network that a job has alone"},
    {Barrier::units, "is in a unit of the network without jobs (--exclusive=topo)",
     "are in units of the network without jobs (--exclusive=topo)",
     "is in a unit of the network with jobs (--exclusive=topo)"}};

}  // namespace

std::span<const BarrierWords> barrier_words() { return all_barrier_words; }

std::string name_of(const GresWant& want) {
    return want.type.empty() ? want.name : want.name + ":" + want.type;
}

std::string nodes_have(Number nodes) {
    return fmt::format("{} {}", counted_text(nodes, "node"), nodes == 1 ? "has" : "have");
}

std::string amount_of(const NodeCondition& asked, Number most) {
    if (most == 0) return "none";
    std::string unit(asked.unit);
    const std::size_t end = std::min(unit.find(' ', 1), unit.size());
    if (most == 1 && end > 1 && unit[end - 1] == 's') unit.erase(end - 1, 1);
    return fmt::format("at most {}{}{}", most, unit, asked.near);
}

std::string when_idle(const NodeCondition& asked, Number idle) {
    return fmt::format("{}{} when idle", idle, asked.unit.substr(0, asked.unit.find(' ')));
}

}  // namespace trestle::slurm::choice
