// SPDX-License-Identifier: Apache-2.0
#pragma once

// What runs and fleets of dstack say of where and when, beside their resources.
//
// Layer: dialect/dstack. Main type: Profile.
// Pitfall: an empty list accepts everything, because nothing was given. A list that is written
// empty is an error when read, because it is unclear what it should accept.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/text.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/dstack/duration.hpp"

namespace trestle::dstack {

/// Which prices are accepted.
enum class SpotPolicy { spot, on_demand, any };

constexpr auto enum_names(SpotPolicy) {
    return std::array{named(SpotPolicy::spot, "spot"), named(SpotPolicy::on_demand, "on-demand"),
                      named(SpotPolicy::any, "auto")};
}

/// Whether new instances may be made.
enum class CreationPolicy { reuse, reuse_or_create };

constexpr auto enum_names(CreationPolicy) {
    return std::array{named(CreationPolicy::reuse, "reuse"),
                      named(CreationPolicy::reuse_or_create, "reuse-or-create")};
}

/// After what a run is tried again.
enum class RetryEvent { no_capacity, interruption, error };

constexpr auto enum_names(RetryEvent) {
    return std::array{named(RetryEvent::no_capacity, "no-capacity"),
                      named(RetryEvent::interruption, "interruption"),
                      named(RetryEvent::error, "error")};
}

/// When, and for how long, a run is tried again.
struct Retry {
    std::vector<RetryEvent> on_events;  ///< each once; empty: never
    Seconds duration{3600};             ///< dstack's default

    /// `retry: true`: after every event.
    [[nodiscard]] static Retry always() {
        return {{RetryEvent::no_capacity, RetryEvent::interruption, RetryEvent::error},
                Seconds(3600)};
    }

    static constexpr auto fields(auto list) {
        return list(field("on_events", &Retry::on_events), field("duration", &Retry::duration));
    }
    friend bool operator==(const Retry&, const Retry&) = default;
};

/// What is accepted of offers, and what becomes of runs and instances. Absent and empty: nothing
/// was said.
struct Profile {
    std::vector<std::string> backends;  ///< any of these; their order says nothing
    std::vector<std::string> regions;
    std::vector<std::string> availability_zones;
    std::vector<std::string> instance_types;
    std::string reservation;
    std::optional<SpotPolicy> spot_policy;          ///< absent: on-demand
    std::optional<Microdollars> max_price;          ///< an hour, for the whole instance; above 0
    std::vector<std::string> fleets;                ///< by name; runs only
    std::optional<CreationPolicy> creation_policy;  ///< runs only
    std::optional<Retry> retry;
    std::optional<DurationLimit> max_duration;   ///< of the commands; runs only; above 0
    std::optional<DurationLimit> stop_duration;  ///< runs only
    std::optional<DurationLimit> idle_duration;  ///< of an instance

    static constexpr auto fields(auto list) {
        return list(field("backends", &Profile::backends), field("regions", &Profile::regions),
                    field("availability_zones", &Profile::availability_zones),
                    field("instance_types", &Profile::instance_types),
                    field("reservation", &Profile::reservation),
                    field("spot_policy", &Profile::spot_policy),
                    field("max_price", &Profile::max_price), field("fleets", &Profile::fleets),
                    field("creation_policy", &Profile::creation_policy),
                    field("retry", &Profile::retry), field("max_duration", &Profile::max_duration),
                    field("stop_duration", &Profile::stop_duration),
                    field("idle_duration", &Profile::idle_duration));
    }
    friend bool operator==(const Profile&, const Profile&) = default;
};

/// Dollars an hour with at most six decimals, up to a billion: `2.03`. Errors: anything else.
[[nodiscard]] TextResult<Microdollars> read_price(std::string_view text);
[[nodiscard]] StatusOr<Microdollars> parse_price(std::string_view text);
/// `2.03`; parse_price reads it back up to a billion dollars.
[[nodiscard]] std::string price_text(Microdollars price);

}  // namespace trestle::dstack
