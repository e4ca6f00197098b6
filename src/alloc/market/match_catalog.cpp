// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/market/match_catalog.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "alloc/market/offer_tests.hpp"
#include "alloc/market/offers/catalog_columns.hpp"
#include "trestle/alloc/market/blocks.hpp"
#include "trestle/alloc/market/match.hpp"
#include "trestle/base/interval.hpp"

namespace trestle {

namespace detail {
namespace {

/// The ends of a range as plain numbers, so that a test is two comparisons.
struct Bounds {
    std::int64_t least = 0;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();

    template <class Quantity>
    [[nodiscard]] static Bounds of(const Range<Quantity>& range) {
        Bounds bounds;
        bounds.least = range.least().value();
        if (range.max) bounds.most = range.max->value();
        return bounds;
    }
    /// 1 or 0: no branch.
    [[nodiscard]] unsigned contains(std::int64_t x) const {
        return static_cast<unsigned>(least <= x) & static_cast<unsigned>(x <= most);
    }
};

/// One question to one catalog.
class CatalogSearch {
  public:
    CatalogSearch(const Catalog& catalog, const Request& request, const OfferFilter& filter);

    [[nodiscard]] std::vector<CatalogMatch> run();

  private:
    using Index = std::uint32_t;

    /// What devices of one kind are to the only demand.
    enum class KindAnswer { refused, counted, passed };

    [[nodiscard]] static KindAnswer answer(const Offer::Devices& kind, bool has_devices,
                                           const OfferDemand& demand);

    /// True when the columns of specs are enough to judge the request.
    [[nodiscard]] bool is_plain() const;

    /// True when offers are cut into blocks that they do not have for sure.
    [[nodiscard]] bool is_cut() const { return filter_.blocks && *filter_.blocks != BlockCount(); }

    void judge_specs();

    void add_spec(Index spec, Index blocks);

    /// Without branches: most requests take some of many, so a branch could not be predicted.
    void judge_kind(Interval<Index> specs, KindAnswer said);

    /// 1 where architecture and disk are as wanted.
    [[nodiscard]] unsigned takes_rest_of(Index spec) const;

    /// The fewest blocks that meet the request, as check_offer finds them; 0: none do.
    [[nodiscard]] Index blocks_of(Index i);
    [[nodiscard]] Index blocks_of(const Offer& spec) const;

    /// Takes out what the filter says of instances.
    void drop_specs();

    /// For each place the traits that an offer there may not have.
    void judge_places();

    /// The rows that can be had, then the others; of each only those that are cheap enough.
    [[nodiscard]] std::vector<Interval<Index>> parts() const;

    [[nodiscard]] bool is_allowed(Index row) const;

    /// As refuse_disk, of a row whose backend and spec may let the disk be chosen.
    [[nodiscard]] bool has_disk(Index row) const;

    /// The rows of the specs that fit, put into order by a bitmap.
    [[nodiscard]] std::vector<CatalogMatch> list_by_spec() const;

    /// All rows in their order, until there are enough: each is written down and counts only when
    /// it fits.
    [[nodiscard]] std::vector<CatalogMatch> list_by_row() const;

    const CatalogColumns& columns_;
    const Request& request_;
    const OfferFilter& filter_;
    std::vector<OfferDemand> demands_;
    Bounds disk_;
    std::int64_t disk_least_ = 0;       ///< of a disk that can be chosen
    bool has_disks_up_to_ = false;      ///< of some backend of the catalog
    std::vector<Index> blocks_;         ///< by spec: how many are needed; 0: it does not fit
    std::vector<Index> specs_found_;    ///< those that fit; one place more than there are
    std::size_t specs_ = 0;             ///< how many are found while they are judged
    std::size_t rows_found_ = 0;        ///< of the specs that fit
    std::vector<std::uint8_t> banned_;  ///< by place
    std::vector<std::uint8_t> traits_of_specs_;  ///< is_cut where the filter says into how many
};

CatalogSearch::CatalogSearch(const Catalog& catalog, const Request& request,
                             const OfferFilter& filter)
    : columns_(catalog.columns()),
      request_(request),
      filter_(filter),
      demands_(offer_demands(request)),
      disk_(Bounds::of(request.disk)),
      disk_least_(wanted_disk(request, filter).least().value()),
      blocks_(columns_.specs.size()),
      specs_found_(columns_.specs.size() + 1) {
    for (const std::string& name : columns_.backends) {
        const Backend* const backend = backend_of(name, filter_);
        has_disks_up_to_ |= backend != nullptr && backend->has_cpu_disk_up_to;
    }
}

std::vector<CatalogMatch> CatalogSearch::run() {
    judge_specs();
    judge_places();
    auto matches = rows_found_ < columns_.spec.size() / 8 ? list_by_spec() : list_by_row();
    if (filter_.offers_max &&
        static_cast<std::uint64_t>(filter_.offers_max->value()) < matches.size()) {
        matches.resize(static_cast<std::size_t>(filter_.offers_max->value()));
    }
    return matches;
}

CatalogSearch::KindAnswer CatalogSearch::answer(const Offer::Devices& kind, bool has_devices,
                                                const OfferDemand& demand) {
    if (demand.devices.empty()) return KindAnswer::passed;
    const NodeDemand::Device& devices = demand.devices.front();
    if (!has_devices || kind.name != devices.request.name) {
        return devices.count.least().is_zero() ? KindAnswer::passed : KindAnswer::refused;
    }
    return is_kind(kind, devices.request) ? KindAnswer::counted : KindAnswer::refused;
}

bool CatalogSearch::is_plain() const {
    const OfferDemand& demand = demands_.front();
    return !is_cut() && demands_.size() == 1 && demand.devices.size() <= 1 &&
           demand.common_attributes.empty() && demand.memory_per != Per::device &&
           demand.cpus_per_device.is_zero();
}

void CatalogSearch::judge_specs() {
    if (filter_.blocks) traits_of_specs_.resize(columns_.specs.size());
    const auto kinds = static_cast<Index>(columns_.kinds.size());
    Index first = 0;
    if (is_plain()) {
        for (Index kind = 0; kind < kinds; ++kind) {
            const KindAnswer said = answer(columns_.kinds[kind], kind != 0, demands_.front());
            if (said == KindAnswer::refused) continue;
            judge_kind({columns_.first_of_kind[kind], columns_.first_of_kind[kind + 1]}, said);
        }
        first = columns_.first_of_kind[kinds];
    }
    for (Index spec = first; spec < columns_.specs.size(); ++spec) {
        add_spec(spec, blocks_of(spec));
    }
    specs_found_.resize(specs_);
    drop_specs();
    for (const Index spec : specs_found_) {
        rows_found_ += columns_.first_of_spec[spec + 1] - columns_.first_of_spec[spec];
    }
}

void CatalogSearch::add_spec(Index spec, Index blocks) {
    blocks_[spec] = blocks;
    specs_found_[specs_] = spec;
    specs_ += blocks != 0 ? 1 : 0;
}

void CatalogSearch::judge_kind(Interval<Index> specs, KindAnswer said) {
    const OfferDemand& demand = demands_.front();
    const Bounds cpus = Bounds::of(demand.cpus);
    const Bounds memory = Bounds::of(demand.memory);
    const bool is_counted = said == KindAnswer::counted;
    const Bounds count = is_counted ? Bounds::of(demand.devices.front().count) : Bounds();
    const Bounds total =
        is_counted ? Bounds::of(demand.devices.front().request.total_memory) : Bounds();
    for (Index i = specs.first; i < specs.end; ++i) {
        const unsigned fits = cpus.contains(columns_.cpus[i].value()) &
                              memory.contains(columns_.memory[i].value()) &
                              count.contains(columns_.device_count[i].value()) &
                              total.contains(columns_.device_memory[i].value()) & takes_rest_of(i);
        add_spec(i, fits);
    }
}

unsigned CatalogSearch::takes_rest_of(Index spec) const {
    const std::int64_t disk = columns_.disk[spec];
    const auto architecture = static_cast<unsigned>(
        !request_.architecture || *request_.architecture == columns_.architecture[spec]);
    const unsigned may_be_chosen = static_cast<unsigned>(has_disks_up_to_) &
                                   static_cast<unsigned>(columns_.specs[spec].devices.empty()) &
                                   static_cast<unsigned>(disk_least_ <= disk);
    return architecture & (static_cast<unsigned>(disk < 0) | disk_.contains(disk) | may_be_chosen);
}

CatalogSearch::Index CatalogSearch::blocks_of(Index i) {
    if (takes_rest_of(i) == 0) return 0;
    if (!filter_.blocks) return blocks_of(columns_.specs[i]);
    const Offer spec = with_blocks(columns_.specs[i], *filter_.blocks);
    if (spec.blocks != Count(1)) traits_of_specs_[i] = CatalogColumns::is_cut;
    return blocks_of(spec);
}

CatalogSearch::Index CatalogSearch::blocks_of(const Offer& spec) const {
    if (check_blocks(spec)) return 0;
    for (const OfferDemand& demand : demands_) {
        const auto blocks = blocks_needed(spec, demand, request_.exclusivity);
        if (const Count* const count = std::get_if<Count>(&blocks)) {
            return static_cast<Index>(count->value());
        }
    }
    return 0;
}

void CatalogSearch::drop_specs() {
    const bool is_silent =
        filter_.instances.empty() && filter_.interconnects.empty() && !filter_.reservation;
    if (is_silent) return;
    std::erase_if(specs_found_, [&](Index i) {
        const Offer& spec = columns_.specs[i];
        const bool is_wanted =
            accepts(filter_.instances, spec.instance) &&
            accepts(filter_.interconnects, spec.interconnect) &&
            may_be_of(filter_.reservation, &OfferFilter::Reservation::instance, spec.instance);
        if (!is_wanted) blocks_[i] = 0;
        return !is_wanted;
    });
}

void CatalogSearch::judge_places() {
    using Trait = CatalogColumns::Trait;
    std::vector<std::uint8_t> of_backend;
    for (const std::string& name : columns_.backends) {
        const Backend* const backend = backend_of(name, filter_);
        std::uint8_t banned = 0;
        if (filter_.pricing == OfferFilter::Pricing::on_demand || filter_.reservation) {
            banned |= Trait::is_spot;
        }
        if (filter_.pricing == OfferFilter::Pricing::spot) banned |= Trait::is_on_demand;
        if (!accepts(filter_.backends, name) ||
            !may_be_of(filter_.reservation, &OfferFilter::Reservation::backend, name)) {
            banned |= Trait::is_offer;
        }
        if (backend != nullptr) {
            if (missing_capability(*backend, filter_)) banned |= Trait::is_offer;
            if (!backend->has_spot) banned |= Trait::is_spot;
            if (!backend->has_blocks()) banned |= Trait::is_cut;
            if (!intersect(wanted_disk(request_, filter_), backend->disk)) {
                banned |= Trait::has_no_disk;
            }
        }
        of_backend.push_back(banned);
    }
    for (std::size_t i = 0; i < columns_.places.size(); ++i) {
        const Offer& place = columns_.places[i];
        banned_.push_back(of_backend[columns_.backend_of_place[i]]);
        if (!accepts(filter_.regions, place.region) ||
            !accepts_zones(filter_.availability_zones, place.availability_zones) ||
            !may_be_of(filter_.reservation, &OfferFilter::Reservation::region, place.region)) {
            banned_.back() |= Trait::is_offer;
        }
    }
}

std::vector<Interval<CatalogSearch::Index>> CatalogSearch::parts() const {
    const auto rows = static_cast<Index>(columns_.spec.size());
    std::vector<Interval<Index>> all = {{0, columns_.available}};
    if (filter_.unavailable == OfferFilter::Unavailable::last)
        all.push_back({columns_.available, rows});
    if (!request_.price_max) return all;
    const auto prices = columns_.price.begin();
    for (Interval<Index>& part : all) {
        const auto end =
            std::upper_bound(prices + part.first, prices + part.end, *request_.price_max);
        part.end = static_cast<Index>(end - prices);
    }
    return all;
}

bool CatalogSearch::is_allowed(Index row) const {
    unsigned traits = columns_.traits[row];
    if (filter_.blocks) {
        traits &= ~unsigned{CatalogColumns::is_cut};
        traits |= traits_of_specs_[columns_.spec[row]];
    }
    return (traits & banned_[columns_.place[row]]) == 0 && (!has_disks_up_to_ || has_disk(row));
}

bool CatalogSearch::has_disk(Index row) const {
    const Offer& spec = columns_.specs[columns_.spec[row]];
    if (!spec.disk) return true;  // said with the traits
    const std::string& name = columns_.places[columns_.place[row]].backend;
    const auto disks = chosen_disks(spec, backend_of(name, filter_));
    if (!disks) return request_.disk.contains(*spec.disk);
    return intersect(wanted_disk(request_, filter_), *disks).has_value();
}

std::vector<CatalogMatch> CatalogSearch::list_by_spec() const {
    const std::vector<Interval<Index>> wanted = parts();
    const Interval<Index> had = wanted.front();
    const Interval<Index> others = wanted.back();
    std::vector<std::uint64_t> rows((columns_.spec.size() + 63) / 64);
    for (const Index spec : specs_found_) {
        const Index last = columns_.first_of_spec[spec + 1];
        for (Index at = columns_.first_of_spec[spec]; at < last; ++at) {
            const Index row = columns_.rows_of_specs[at];
            if (!had.contains(row) && !others.contains(row)) continue;
            if (is_allowed(row)) rows[row / 64] |= std::uint64_t{1} << row % 64;
        }
    }
    std::vector<CatalogMatch> matches;
    matches.reserve(rows_found_);
    for (Index at = 0; at < rows.size(); ++at) {
        for (std::uint64_t word = rows[at]; word != 0; word &= word - 1) {
            const Index row = at * 64 + static_cast<Index>(std::countr_zero(word));
            matches.push_back({row, blocks_[columns_.spec[row]]});
        }
    }
    return matches;
}

std::vector<CatalogMatch> CatalogSearch::list_by_row() const {
    constexpr Index step = 4096;
    const std::uint64_t enough = filter_.offers_max
                                     ? static_cast<std::uint64_t>(filter_.offers_max->value())
                                     : std::uint64_t{columns_.spec.size()};
    std::vector<CatalogMatch> matches;
    if (!filter_.offers_max) matches.reserve(columns_.spec.size());
    std::size_t size = 0;
    for (const Interval<Index>& part : parts()) {
        for (Index row = part.first; row < part.end && size < enough;) {
            const Index end = std::min(part.end - row, step) + row;
            matches.resize(size + (end - row));
            CatalogMatch* const places = matches.data();
            for (; row < end; ++row) {
                const Index blocks = blocks_[columns_.spec[row]];
                places[size] = {row, blocks};
                size += static_cast<std::size_t>(blocks != 0) &
                        static_cast<std::size_t>(is_allowed(row));
            }
        }
    }
    matches.resize(size);
    return matches;
}

}  // namespace
}  // namespace detail

std::vector<CatalogMatch> match_offers(const Catalog& catalog, const Request& request,
                                       const OfferFilter& filter) {
    return detail::CatalogSearch(catalog, request, filter).run();
}

std::vector<RejectedOffer> explain_offers(const Catalog& catalog, const Request& request,
                                          const OfferFilter& filter) {
    std::vector<RejectedOffer> rejected;
    for (std::uint32_t i = 0; i < catalog.size(); ++i) {
        if (auto refusal = explain_offer(catalog[i], request, filter)) {
            rejected.push_back({i, *std::move(refusal)});
        }
    }
    return rejected;
}

}  // namespace trestle
