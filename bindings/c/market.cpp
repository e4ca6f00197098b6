// SPDX-License-Identifier: Apache-2.0
// Controllers and catalogs.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trestle/alloc/market/match_catalog.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/dialect/dstack/offers_csv.hpp"
#include "trestle/dialect/json/json.hpp"
#include "values.hpp"

namespace trestle::c {
namespace {

/// A decision without the options, which are the caller's own.
struct DecisionDocument {
    slurm::Answer answer = slurm::Answer::refused;
    slurm::Reason reason = slurm::Reason::none;
    std::string message;
    std::string partition;
    Placement placement;
    std::vector<std::string> warnings;
    std::optional<OwnerId> owner;

    static constexpr auto fields(auto list) {
        return list(field("answer", &DecisionDocument::answer),
                    field("reason", &DecisionDocument::reason),
                    field("message", &DecisionDocument::message),
                    field("partition", &DecisionDocument::partition),
                    field("placement", &DecisionDocument::placement),
                    field("warnings", &DecisionDocument::warnings),
                    field("owner", &DecisionDocument::owner));
    }
    friend bool operator==(const DecisionDocument&, const DecisionDocument&) = default;
};

std::string document_of(const slurm::Decision& decision) {
    return json::to_json_text(DecisionDocument{decision.answer, decision.reason, decision.message,
                                               decision.partition, decision.placement,
                                               decision.warnings, decision.owner});
}

int report_decision(trestle_error* error, const slurm::Decision& decision) {
    switch (decision.answer) {
        case slurm::Answer::allocated:
            return report_ok(error);
        case slurm::Answer::pending:
            return report(error, TRESTLE_REFUSED,
                          fmt::format("{}: {}", decision.reason, decision.message));
        case slurm::Answer::refused:
            break;
    }
    return report(error, TRESTLE_INVALID, decision.message);
}

/// What a controller granted. It is taken back where the caller does not learn of it.
class Submission {
  public:
    Submission(Border& call, trestle_controller* controller, std::optional<OwnerId> owner)
        : call_(call), controller_(controller), owner_(owner) {}
    Submission(const Submission&) = delete;
    Submission& operator=(const Submission&) = delete;
    ~Submission() {
        if (!owner_) return;
        try {
            call_.change<slurm::Controller>(controller_, [&](slurm::Controller& of) {
                (void)of.release(*owner_);  // it has what it was given
            });
        } catch (...) {  // the first error is reported, and the handle with it
        }
    }
    void keep() { owner_.reset(); }

  private:
    Border& call_;
    trestle_controller* controller_;
    std::optional<OwnerId> owner_;
};

trestle_offer offer_of(const Catalog& catalog, const CatalogMatch& match) {
    const Offer offer = catalog[match.offer];
    trestle_offer said = {};
    said.offer = match.offer;
    said.blocks = match.blocks;
    said.cpus = offer.cpus.value();
    said.memory = offer.memory.value();
    for (const auto& devices : offer.devices) said.devices += devices.count.value();
    said.price = offer.price.value();
    return said;
}

}  // namespace
}  // namespace trestle::c

using namespace trestle;
using namespace trestle::c;

int trestle_controller_create(const char* slurm_conf, const char* gres_conf,
                              const char* topology_conf, trestle_controller** result,
                              trestle_error* error) {
    return border(error, [&](Border&) {
        auto*& made = result_of(result, "result");
        made = make_handle<trestle_controller>(take(slurm::Controller::create(
            {.slurm_conf = text_of(slurm_conf, "slurm_conf"),
             .gres_conf = text_or_none(gres_conf, "gres_conf"),
             .topology_conf = text_or_none(topology_conf, "topology_conf")})));
    });
}

void trestle_controller_free(trestle_controller* controller) {
    free_handle<slurm::Controller>(controller);
}

int trestle_submit(trestle_controller* controller, const char* options, uint64_t* owner,
                   trestle_placement** result, char** json, trestle_error* error) {
    return border(error, [&](Border& call) {
        if (result != nullptr) *result = nullptr;
        if (json != nullptr) *json = nullptr;
        auto& number = result_of(owner, "owner");
        const std::string_view text = text_of(options, "options");
        const auto decision = take(call.change<slurm::Controller>(
            controller, [&](slurm::Controller& of) { return of.submit(text); }));
        Submission submission(call, controller, decision.owner);
        std::unique_ptr<char, void (*)(void*)> document(nullptr, &std::free);
        if (json != nullptr) document.reset(copy_text(document_of(decision)));
        if (decision.answer == slurm::Answer::allocated && result != nullptr) {
            *result = make_handle<trestle_placement>(Placement(decision.placement));
        }
        submission.keep();
        if (json != nullptr) *json = document.release();
        if (decision.owner) number = decision.owner->value();
        return report_decision(error, decision);
    });
}

int trestle_catalog_create(const char* csv, const char* backend, trestle_catalog** result,
                           trestle_error* error) {
    return border(error, [&](Border&) {
        auto*& made = result_of(result, "result");
        const auto offers = take(
            dstack::parse_offers_csv(text_of(csv, "csv"), known_devices(),
                                     {.backend = std::string(text_or_none(backend, "backend"))}));
        auto reading = Catalog::read(offers);
        if (!reading.errors.empty()) {
            fail(TRESTLE_INVALID, "{}", to_text(reading.errors.front()));
        }
        made = make_handle<trestle_catalog>(std::move(reading.catalog));
    });
}

void trestle_catalog_free(trestle_catalog* catalog) { free_handle<Catalog>(catalog); }

int trestle_match(const trestle_catalog* catalog, const trestle_request* request,
                  trestle_offer* offers, size_t capacity, size_t* count, trestle_error* error) {
    return border(error, [&](Border& call) {
        auto& number = result_of(count, "count");
        if (capacity > 0 && offers == nullptr) {
            fail(TRESTLE_INVALID, "offers is NULL, expected room for {}", capacity);
        }
        const auto& of = call.value<Catalog>(catalog);
        const auto& asked = call.value<RequestValue>(request);
        const auto matches = match_offers(of, *asked.prepared, asked.filter);
        number = matches.size();
        for (std::size_t i = 0; i < std::min(capacity, matches.size()); ++i) {
            offers[i] = offer_of(of, matches[i]);
        }
    });
}

int trestle_catalog_offer(const trestle_catalog* catalog, uint32_t offer, char** json,
                          trestle_error* error) {
    return border(error, [&](Border& call) {
        auto*& written = result_of(json, "json");
        const auto& of = call.value<Catalog>(catalog);
        if (offer >= of.size()) {
            fail(TRESTLE_NOT_FOUND, "offer {}, expected a number below {}", offer, of.size());
        }
        written = copy_text(json::to_json_text(of[offer]));
    });
}
