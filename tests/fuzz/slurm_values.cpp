// SPDX-License-Identifier: Apache-2.0
// Hostlists, memory, counts and times; memory prints and is read back.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/dialect/slurm/quantities.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace trestle;
    const std::string text(data, data + size);
    const auto names = slurm::parse_hostlist(text, {.max_names = 1000});
    if (names.ok() && (names->empty() || names->size() > 1000)) std::abort();
    if (slurm::parse_count(text).ok() && !slurm::is_count(text)) std::abort();
    (void)slurm::parse_time(text);
    const auto memory = slurm::parse_memory(text);
    if (!memory.ok()) return 0;
    const auto again = slurm::parse_memory(slurm::memory_text(*memory));
    if (!again.ok() || *again != *memory) std::abort();
    return 0;
}
