// SPDX-License-Identifier: Apache-2.0
// What is read prints, and the print is read as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "trestle/dialect/slurm/gres.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(data, data + size);
    const auto list = trestle::slurm::parse_gres_details(text);
    if (!list.ok()) return 0;
    const std::string printed = trestle::slurm::gres_list_text(*list);
    const auto again = trestle::slurm::parse_gres_details(printed);
    if (!again.ok() || *again != *list) std::abort();
    (void)trestle::slurm::parse_gpus(text);
    return 0;
}
