// SPDX-License-Identifier: Apache-2.0
// A price list, after its header or alone: offers that make a catalog, or errors that say more.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "fuzz/target.hpp"
#include "trestle/alloc/market/offers/catalog.hpp"
#include "trestle/dialect/dstack/offers_csv.hpp"

TRESTLE_FUZZ(dstack_offers) {
    const std::string rows(data, data + size);
    const std::string header =
        "backend,region,instance,cpus,memory,disk,gpu_count,gpu_name,gpu_memory,gpu_vendor,price,"
        "spot\n";
    const std::string more = header.substr(0, header.size() - 1) +
                             ",arch,availability,zones,interconnect,compute_capability,blocks\n";
    for (const std::string& text : {header + rows, more + rows, rows}) {
        const auto reading = trestle::dstack::read_offers_csv(text);
        for (const trestle::RowError& error : reading.errors) {
            if (to_text(error).empty() || error.error.expected.empty()) std::abort();
        }
        const auto offers = trestle::dstack::parse_offers_csv(text);
        if (offers.ok() != reading.errors.empty()) std::abort();
        if (!trestle::Catalog::read(reading.offers).errors.empty()) std::abort();
    }
}
