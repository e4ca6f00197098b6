// SPDX-License-Identifier: Apache-2.0
#include "trestle/dialect/dstack/offers/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "../../../base/text_table.hpp"
#include "../scalars.hpp"
#include "alloc/market/offers/catalog_columns.hpp"
#include "trestle/alloc/market/blocks.hpp"
#include "trestle/alloc/market/owners.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/dialect/dstack/profile.hpp"

namespace trestle::dstack {
namespace {

using TableRow = std::array<std::string, 6>;

/// `62.9GB`: as dstack prints what an offer has, of whole MiB.
std::string printed_size(Bytes size) {
    const double mebibytes = static_cast<double>(size.value() / mib(1).value());
    return fmt::format("{:g}GB", std::nearbyint(mebibytes / 1024 * 10) / 10);
}

/// `$2.0312`: as dstack prints a price, with four decimals.
std::string printed_price(Microdollars price) {
    const std::int64_t rounded = (price.value() + 50) / 100 * 100;
    return "$" + price_text(Microdollars(rounded));
}

/// What a person wants to know of an offer that is not simply for sale.
std::string state_text(Offer::Availability availability) {
    if (availability == Offer::Availability::unknown ||
        availability == Offer::Availability::available)
        return "";
    std::string text(to_text(availability));
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

/// The row but for what it says of the instance's type and state.
TableRow row_of(std::size_t number, const Offer& offer, Count blocks) {
    return {" " + std::to_string(number),  fmt::format("{} ({})", offer.backend, offer.region),
            resources_text(offer, blocks), offer.instance,
            printed_price(offer.price),    state_text(offer.availability)};
}

TableRow offer_row(std::size_t number, const Offer& offer, Count blocks) {
    TableRow row = row_of(number, offer, blocks);
    if (offer.blocks != Count(1)) row[3] += fmt::format(" ({}/{})", blocks, offer.blocks);
    return row;
}

TableRow instance_row(std::size_t number, const Instance& instance) {
    TableRow row = row_of(number, offer_of(instance), instance.offer.blocks);
    if (row[3].empty()) row[3] = instance.name;
    const Count all = instance.blocks.count();
    const Count busy = all - Count(instance.blocks.free().count());
    if (!takes_work(instance)) {
        row[5] = !instance.is_reachable               ? "unreachable"
                 : instance.health == Health::failure ? "failed"
                                                      : std::string(to_text(instance.state));
    } else if (!busy.is_zero()) {
        row[5] = all == Count(1) ? "busy" : fmt::format("{}/{} busy", busy, all);
    }
    return row;
}

const TableRow table_header = {" #", "BACKEND", "RESOURCES", "INSTANCE TYPE", "PRICE", ""};

}  // namespace

std::string resources_text(const Offer& offer, Count blocks) {
    const BlockShare share = share_of(offer, blocks);
    std::string text =
        fmt::format("cpu={}:{} mem={}", offer.architecture, share.cpus, printed_size(share.memory));
    if (offer.disk) text += " disk=" + printed_size(*offer.disk);
    for (const Offer::Devices& devices : share.devices) {
        text += fmt::format(" {}={}", devices.name, devices.model);
        if (!devices.memory.is_zero()) text += ":" + printed_size(devices.memory);
        text += fmt::format(":{}", devices.count);
    }
    return offer.is_spot ? text + " (spot)" : text;
}

std::string to_table(std::span<const Offer> offers) {
    std::vector<TableRow> rows = {table_header};
    for (const Offer& offer : offers) {
        rows.push_back(offer_row(rows.size(), offer, offer.blocks));
    }
    return trestle::detail::text_table(rows);
}

std::string to_table(std::span<const Instance> instances) {
    std::vector<TableRow> rows = {table_header};
    for (const Instance& instance : instances) {
        rows.push_back(instance_row(rows.size(), instance));
    }
    return trestle::detail::text_table(rows);
}

std::string to_table(const Catalog& catalog, std::span<const CatalogMatch> matches,
                     std::optional<Count> rows_max, const std::optional<BlockCount>& blocks) {
    std::vector<TableRow> rows = {table_header};
    Microdollars highest;
    for (const CatalogMatch& match : matches) {
        TRESTLE_EXPECTS(match.offer < catalog.size(), "the matches are the catalog's");
        highest = std::max(highest, catalog.columns().price[match.offer]);
        if (rows_max && rows_max->value() < static_cast<std::int64_t>(rows.size())) continue;
        Offer offer = catalog[match.offer];
        if (blocks) offer = with_blocks(std::move(offer), *blocks);
        rows.push_back(offer_row(rows.size(), offer, Count(match.blocks)));
    }
    std::string text = trestle::detail::text_table(rows);
    if (rows.size() - 1 < matches.size()) {
        text += fmt::format(" Shown {} of {} offers, {} max\n", rows.size() - 1, matches.size(),
                            printed_price(highest));
    }
    return text;
}

}  // namespace trestle::dstack
