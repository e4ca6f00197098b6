// SPDX-License-Identifier: Apache-2.0
#pragma once

// A price list, as comma-separated text or as cells: offers, and every mistake.
//
// Layer: dialect/dstack. Main names: read_offers_csv, read_offer_rows, OffersReading.
// Pitfall: a catalog of gpuhunt names no backend in its rows: that is the name of its file, which
// OffersOptions::backend carries.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/alloc/market/offers/known_devices.hpp"
#include "trestle/alloc/market/offers/offer.hpp"
#include "trestle/alloc/market/offers/row_error.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"

namespace trestle::dstack {

/// What is known of a price list beside its text.
struct OffersOptions {
    std::string backend;  ///< of rows without a column for it

    static constexpr auto fields(auto list) {
        return list(field("backend", &OffersOptions::backend));
    }
    friend bool operator==(const OffersOptions&, const OffersOptions&) = default;
};

/// What was read, and every mistake.
struct OffersReading {
    std::vector<Offer> offers;     ///< of the rows without a mistake, in their order
    std::vector<RowError> errors;  ///< in the order of the rows; after the first 100 no more

    static constexpr auto fields(auto list) {
        return list(field("offers", &OffersReading::offers),
                    field("errors", &OffersReading::errors));
    }
    friend bool operator==(const OffersReading&, const OffersReading&) = default;
};

/// Reads rows of cells, each cell under the column of the same position. These columns must be
/// there, in any order, each once: backend, region, instance, cpus, memory, disk, gpu_count,
/// gpu_name, gpu_memory, gpu_vendor, price, spot. These may be: arch (x86 or arm), availability, a
/// name of Availability with `_` or a blank; zones, names between blanks; interconnect;
/// compute_capability; blocks. Their empty cells are as if the column was not there.
/// Sizes are written as parse_memory wants them, but for parts of a byte. Lists have rounded
/// numbers of GB, and `1.7` is the nearest number of MiB. The disk may be empty (unknown). The gpu
/// cells are empty when gpu_count is 0 or empty. The price is in dollars an hour with at most six
/// decimals. Spot is true or false in any case. What is not written of a GPU is that of its model
/// in `known`. These are the vendor, else nvidia, and the compute capability where the vendor is
/// that one's. A TPU, and what is known without memory, may have none; a `tpu-` before its name is
/// taken off.
/// Errors: a row counts from 1; of each row the first mistake, with column, token and what was
/// expected. A mistake in the columns has row 0, and then there are no offers.
///
/// A list with a column instance_name is a catalog of gpuhunt (v2), and may have its names of
/// columns: location, instance_name, cpu, disk_size, cpu_arch, provider. The columns of disk,
/// gpu_name, gpu_memory, gpu_vendor and the backend are optional there. Prices are rounded to
/// microdollars. Backends get the names that dstack has for them (lambdalabs is lambda). A row with
/// a flag that dstack 0.22.5 does not enable is no offer, as there; provider_data is read over. An
/// offer of an unknown backend has an empty one.
[[nodiscard]] OffersReading read_offer_rows(std::span<const std::string> columns,
                                            std::span<const std::vector<std::string>> rows,
                                            std::span<const KnownDevice> known = known_devices(),
                                            const OffersOptions& options = {});

/// The same of text whose first line names the columns. Blank lines and lines that start with `#`
/// are skipped, blanks around cells too. A cell in double quotes may hold commas, and quotes as
/// `""`. Rows of errors are lines, and their offsets count from the start of the line.
[[nodiscard]] OffersReading read_offers_csv(std::string_view text,
                                            std::span<const KnownDevice> known = known_devices(),
                                            const OffersOptions& options = {});
/// The same. Errors: InvalidArgument with line, column and what was expected.
[[nodiscard]] StatusOr<std::vector<Offer>> parse_offers_csv(
    std::string_view text, std::span<const KnownDevice> known = known_devices(),
    const OffersOptions& options = {});

}  // namespace trestle::dstack
