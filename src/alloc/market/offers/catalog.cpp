// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/offers/catalog.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "alloc/market/offers/catalog_columns.hpp"
#include "base/words.hpp"
#include "trestle/base/contract.hpp"

namespace trestle {

namespace {

CatalogColumns empty_columns() {
    CatalogColumns columns;
    columns.first_of_spec = {0};
    columns.kinds.resize(1);
    columns.first_of_kind = {0, 0};
    return columns;
}

}  // namespace

Catalog::Catalog() : Catalog(empty_columns()) {}

Catalog::Catalog(CatalogColumns columns)
    : columns_(std::make_shared<const CatalogColumns>(std::move(columns))) {}

std::uint32_t Catalog::size() const { return static_cast<std::uint32_t>(columns_->spec.size()); }

bool operator==(const Catalog& a, const Catalog& b) {
    if (a.columns_ == b.columns_) return true;
    if (a.size() != b.size()) return false;
    for (std::uint32_t i = 0; i < a.size(); ++i) {
        if (a[i] != b[i]) return false;
    }
    return true;
}

Offer Catalog::operator[](std::uint32_t position) const {
    TRESTLE_EXPECTS(position < size(), "the catalog has so many offers");
    Offer offer = columns_->specs[columns_->spec[position]];
    const Offer& place = columns_->places[columns_->place[position]];
    offer.backend = place.backend;
    offer.region = place.region;
    offer.availability_zones = place.availability_zones;
    offer.price = columns_->price[position];
    offer.is_spot = (columns_->traits[position] & CatalogColumns::is_spot) != 0;
    offer.availability = columns_->availability[position];
    return offer;
}

std::vector<Offer> Catalog::offers() const {
    std::vector<Offer> all;
    all.reserve(size());
    for (std::uint32_t i = 0; i < size(); ++i) all.push_back((*this)[i]);
    return all;
}

void Catalog::hash_into(HashState& state) const {
    state.add(size());
    for (std::uint32_t i = 0; i < size(); ++i) trestle::hash_into(state, (*this)[i]);
}

namespace {

/// Numbers values from 0 in the order in which they come.
template <class T>
class Numbering {
  public:
    std::uint32_t operator()(const T& value) {
        const auto next = static_cast<std::uint32_t>(values_.size());
        const auto [at, is_new] = numbers_.try_emplace(value, next);
        if (is_new) values_.push_back(value);
        return at->second;
    }
    [[nodiscard]] std::vector<T> take() { return std::move(values_); }
    [[nodiscard]] const std::vector<T>& values() const { return values_; }

  private:
    std::unordered_map<T, std::uint32_t, Hash> numbers_;
    std::vector<T> values_;
};

/// Makes the columns of one catalog.
class CatalogBuilder {
  public:
    explicit CatalogBuilder(std::span<const std::string> backend_order) {
        for (const std::string& name : backend_order) rank_of(name);
    }

    void add(const Offer& offer, std::uint32_t row);

    [[nodiscard]] CatalogColumns build();

  private:
    struct Row {
        std::uint8_t unavailable;
        Microdollars price;
        std::uint32_t rank;
        std::uint32_t row;
        std::uint32_t spec;
        std::uint32_t place;
        Offer::Availability availability;
        std::uint8_t traits;
    };

    std::uint32_t rank_of(const std::string& backend);

    /// The kind of a spec with at most one kind of device in one block; nothing for others.
    [[nodiscard]] static std::optional<Offer::Devices> kind_of(const Offer& spec);

    /// Fills the columns of specs. Gives the new number of each spec.
    [[nodiscard]] std::vector<std::uint32_t> order_specs(CatalogColumns& columns);

    static void add_spec(CatalogColumns& columns, Offer spec);

    static void list_rows(CatalogColumns& columns);

    Numbering<std::string> ranks_;
    Numbering<Offer> specs_;
    Numbering<Offer> places_;
    std::vector<Row> rows_;
};

/// The part of an offer that its instance makes, without what each row says for itself.
Offer spec_of(Offer offer) {
    offer.backend.clear();
    offer.region.clear();
    offer.availability_zones.clear();
    offer.price = {};
    offer.is_spot = false;
    offer.availability = Offer::Availability::available;
    return offer;
}

Offer place_of(const Offer& offer) {
    Offer place;
    place.backend = offer.backend;
    place.region = offer.region;
    place.availability_zones = offer.availability_zones;
    return place;
}

void CatalogBuilder::add(const Offer& offer, std::uint32_t row) {
    const Offer spec = spec_of(offer);
    const auto unavailable = static_cast<std::uint8_t>(offer.is_available() ? 0 : 1);
    std::uint8_t traits = CatalogColumns::is_offer;
    traits |= offer.is_spot ? CatalogColumns::is_spot : CatalogColumns::is_on_demand;
    if (!offer.disk) traits |= CatalogColumns::has_no_disk;
    if (offer.blocks != Count(1)) traits |= CatalogColumns::is_cut;
    rows_.push_back({unavailable, offer.price, rank_of(offer.backend), row, specs_(spec),
                     places_(place_of(offer)), offer.availability, traits});
}

CatalogColumns CatalogBuilder::build() {
    std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
        return std::tuple(a.unavailable, a.price, a.rank, a.row) <
               std::tuple(b.unavailable, b.price, b.rank, b.row);
    });
    CatalogColumns columns;
    const std::vector<std::uint32_t> new_number = order_specs(columns);
    columns.places = places_.take();
    Numbering<std::string> backends;
    for (const Offer& place : columns.places) {
        columns.backend_of_place.push_back(backends(place.backend));
    }
    columns.backends = backends.take();
    columns.backend_order = ranks_.take();
    for (const Row& row : rows_) {
        columns.spec.push_back(new_number[row.spec]);
        columns.place.push_back(row.place);
        columns.price.push_back(row.price);
        columns.availability.push_back(row.availability);
        columns.traits.push_back(row.traits);
        columns.row.push_back(row.row);
        if (row.unavailable == 0) ++columns.available;
    }
    list_rows(columns);
    return columns;
}

std::uint32_t CatalogBuilder::rank_of(const std::string& backend) {
    std::string small = backend;
    std::transform(small.begin(), small.end(), small.begin(), [](char c) { return lower(c); });
    return ranks_(small);
}

std::optional<Offer::Devices> CatalogBuilder::kind_of(const Offer& spec) {
    if (spec.blocks != Count(1) || spec.devices.size() > 1) return std::nullopt;
    Offer::Devices kind = spec.devices.empty() ? Offer::Devices{} : spec.devices.front();
    kind.count = Count();
    return kind;
}

std::vector<std::uint32_t> CatalogBuilder::order_specs(CatalogColumns& columns) {
    std::vector<Offer> specs = specs_.take();
    Numbering<Offer::Devices> kinds;
    std::vector<std::uint32_t> kind_of_spec;
    columns.kinds.resize(1);
    for (const Offer& spec : specs) {
        const auto kind = kind_of(spec);
        const bool has_device = kind && !spec.devices.empty();
        kind_of_spec.push_back(!kind         ? std::numeric_limits<std::uint32_t>::max()
                               : !has_device ? 0
                                             : kinds(*kind) + 1);
    }
    for (Offer::Devices& kind : kinds.take()) columns.kinds.push_back(std::move(kind));
    std::vector<std::uint32_t> order(specs.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return kind_of_spec[a] < kind_of_spec[b];
    });
    std::vector<std::uint32_t> new_number(specs.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        new_number[order[i]] = i;
        add_spec(columns, std::move(specs[order[i]]));
    }
    for (std::uint32_t kind = 0, at = 0; kind <= columns.kinds.size(); ++kind) {
        while (at < order.size() && kind_of_spec[order[at]] < kind) ++at;
        columns.first_of_kind.push_back(at);
    }
    return new_number;
}

void CatalogBuilder::add_spec(CatalogColumns& columns, Offer spec) {
    Count count;
    Bytes memory;
    if (spec.devices.size() == 1) {
        const Offer::Devices& devices = spec.devices.front();
        count = devices.count;
        memory = checked_mul(devices.memory, count.value()).value_or(Bytes::max());
    }
    columns.cpus.push_back(spec.cpus);
    columns.memory.push_back(spec.memory);
    columns.disk.push_back(spec.disk ? spec.disk->value() : -1);
    columns.architecture.push_back(spec.architecture);
    columns.device_count.push_back(count);
    columns.device_memory.push_back(memory);
    columns.specs.push_back(std::move(spec));
}

void CatalogBuilder::list_rows(CatalogColumns& columns) {
    columns.first_of_spec.assign(columns.specs.size() + 1, 0);
    for (const std::uint32_t spec : columns.spec) ++columns.first_of_spec[spec + 1];
    std::partial_sum(columns.first_of_spec.begin(), columns.first_of_spec.end(),
                     columns.first_of_spec.begin());
    columns.rows_of_specs.resize(columns.spec.size());
    std::vector<std::uint32_t> next = columns.first_of_spec;
    for (std::uint32_t row = 0; row < columns.spec.size(); ++row) {
        columns.rows_of_specs[next[columns.spec[row]]++] = row;
    }
}

}  // namespace

Catalog::Reading Catalog::read(std::span<const Offer> offers,
                               std::span<const std::string> backend_order) {
    TRESTLE_EXPECTS(offers.size() < std::numeric_limits<std::uint32_t>::max(),
                    "positions have 32 bits");
    Catalog::Reading reading;
    CatalogBuilder builder(backend_order);
    for (std::size_t i = 0; i < offers.size(); ++i) {
        std::vector<RowError> errors = row_errors(offers[i], i + 1);
        if (errors.empty()) builder.add(offers[i], static_cast<std::uint32_t>(i));
        for (RowError& error : errors) reading.errors.push_back(std::move(error));
    }
    reading.catalog = Catalog(builder.build());
    return reading;
}

}  // namespace trestle
