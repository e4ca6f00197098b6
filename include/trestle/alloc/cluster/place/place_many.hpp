// SPDX-License-Identifier: Apache-2.0
#pragma once

// place_many: places a list of jobs in order, and gives each what it found. release_many: takes it
// back.
//
// Layer: alloc. Main functions: place_many(cluster, jobs, placer, options), release_many(cluster,
// owners); main types: JobOrder, PlacedJobs. The same as a loop over place() and commit(), with one
// answer for all of it.
// Pitfall: what was placed stays when a later job finds no place. For all or nothing, open a trial
// around the call.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "trestle/alloc/cluster/place/placer.hpp"
#include "trestle/alloc/cluster/place/prepared_request.hpp"
#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/verdict.hpp"

namespace trestle {

/// A job, and whose it is.
struct JobOrder {
    OwnerId owner = {};
    PreparedRequest request = {};

    static constexpr auto fields(auto list) {
        return list(field("owner", &JobOrder::owner), field("request", &JobOrder::request));
    }
    friend bool operator==(const JobOrder&, const JobOrder&) = default;
};

/// How place_many() goes on.
struct PlaceManyOptions {
    /// What becomes of the jobs behind one that finds no place. stop: they are not looked at. skip:
    /// they have their turn.
    enum class OnFailure { stop, skip };

    OnFailure on_failure = OnFailure::stop;

    static constexpr auto fields(auto list) {
        return list(field("on_failure", &PlaceManyOptions::on_failure));
    }
    friend bool operator==(const PlaceManyOptions&, const PlaceManyOptions&) = default;
};

constexpr auto enum_names(PlaceManyOptions::OnFailure) {
    return std::array{named(PlaceManyOptions::OnFailure::stop, "stop"),
                      named(PlaceManyOptions::OnFailure::skip, "skip")};
}

/// What became of a list. What a job has been given says the cluster, by owner.
struct PlacedJobs {
    /// A job that found no place.
    struct Refused {
        std::size_t job = 0;  ///< position in the list
        Refusal why;

        static constexpr auto fields(auto list) {
            return list(field("job", &Refused::job), field("why", &Refused::why));
        }
        friend bool operator==(const Refused&, const Refused&) = default;
    };

    std::vector<std::size_t> placed;  ///< positions in the list, rising
    std::vector<Refused> refused;     ///< rising
    std::size_t looked_at = 0;        ///< the jobs from here on had no turn

    static constexpr auto fields(auto list) {
        return list(field("placed", &PlacedJobs::placed), field("refused", &PlacedJobs::refused),
                    field("looked_at", &PlacedJobs::looked_at));
    }
    friend bool operator==(const PlacedJobs&, const PlacedJobs&) = default;
};

/// Places each job where placer.place() says and commits it, before the next one has its turn.
/// Errors: FailedPrecondition for an owner that has an allocation already or stands twice; nothing
/// changes then. Complexity: that of the decisions.
[[nodiscard]] StatusOr<PlacedJobs> place_many(Cluster& cluster, std::span<const JobOrder> jobs,
                                              Placer& placer, const PlaceManyOptions& options = {});

/// Takes everything back from each owner.
/// Errors: NotFound for an owner that has nothing, FailedPrecondition for one that stands twice;
/// nothing changes then. Complexity: that of as many releases.
[[nodiscard]] Status release_many(Cluster& cluster, std::span<const OwnerId> owners);

}  // namespace trestle
