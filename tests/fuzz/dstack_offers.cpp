// SPDX-License-Identifier: Apache-2.0
// A price list, after its header: offers, or one line of error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "trestle/dialect/dstack/offers_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string rows(data, data + size);
    const std::string header =
        "backend,region,instance,cpus,memory,disk,gpu_count,gpu_name,gpu_memory,gpu_vendor,price,"
        "spot\n";
    const auto offers = trestle::dstack::parse_offers_csv(header + rows);
    if (!offers.ok() && trestle::message(offers.status()).empty()) std::abort();
    (void)trestle::dstack::parse_offers_csv(rows);
    return 0;
}
