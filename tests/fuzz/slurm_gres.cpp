// SPDX-License-Identifier: Apache-2.0
// What is read prints, and the print is read as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/target.hpp"
#include "trestle/dialect/slurm/gres.hpp"
#include "trestle/dialect/slurm/print.hpp"

namespace {

using Parser = decltype(&trestle::slurm::parse_gres_details);

void check_round_trip(Parser parse, const std::string& text) {
    const auto list = parse(text);
    if (!list.ok()) return;
    const auto again = parse(trestle::slurm::gres_list_text(*list));
    if (!again.ok() || *again != *list) std::abort();
}

}  // namespace

TRESTLE_FUZZ(slurm_gres) {
    const std::string text(data, data + size);
    check_round_trip(&trestle::slurm::parse_gres_details, text);
    check_round_trip(&trestle::slurm::parse_gres_used, text);
    if (const auto grants = trestle::slurm::parse_grants(text); grants.ok()) {
        const auto lines = trestle::slurm::grant_lines(*grants);
        if (lines.size() != 1) std::abort();
        const auto again = trestle::slurm::parse_grants(lines.front());
        if (!again.ok() || *again != *grants) std::abort();
    }
    (void)trestle::slurm::parse_gpus(text);
}
