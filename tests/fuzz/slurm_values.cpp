// SPDX-License-Identifier: Apache-2.0
// Hostlists, TRES, memory, counts and times; what prints is read back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/target.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/dialect/slurm/quantities.hpp"
#include "trestle/dialect/slurm/tres.hpp"

namespace {

void read_hostlist(const std::string& text) {
    using trestle::slurm::Hostlist;
    const auto list = Hostlist::parse(text, {.max_names = 1'000'000, .max_runs = 1000});
    if (!list.ok()) return;
    if (list->is_empty() || list->size() > 1'000'000) std::abort();
    const auto again = Hostlist::parse(to_text(*list));
    if (!again.ok() || !(*again == *list)) std::abort();
    const Hostlist sorted = list->sorted();
    if (sorted.is_empty() || !list->contains(sorted[sorted.size() - 1])) std::abort();
    if (!(*list - sorted).is_empty() || !((*list & sorted) == sorted)) std::abort();
}

void read_tres(const std::string& text) {
    using namespace trestle;
    (void)slurm::parse_billing_weights(text);
    const auto amended = slurm::amend_tres({}, text);
    const auto counts = slurm::parse_tres(text);
    if (!counts.ok()) return;
    if (!amended.ok()) std::abort();
    const auto again = slurm::parse_tres(slurm::tres_text(*counts));
    if (!again.ok() || *again != *counts) std::abort();
    if (slurm::exceeds(*counts, {}, *counts)) std::abort();
}

}  // namespace

TRESTLE_FUZZ(slurm_values) {
    using namespace trestle;
    const std::string text(data, data + size);
    read_hostlist(text);
    read_tres(text);
    if (slurm::parse_count(text).ok() && !slurm::is_count(text)) std::abort();
    (void)slurm::parse_time(text);
    const auto memory = slurm::parse_memory(text);
    if (!memory.ok()) return;
    const auto again = slurm::parse_memory(slurm::memory_text(*memory));
    if (!again.ok() || *again != *memory) std::abort();
}
