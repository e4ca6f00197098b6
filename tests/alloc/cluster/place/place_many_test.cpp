// SPDX-License-Identifier: Apache-2.0
#include "trestle/alloc/cluster/place/place_many.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/random_job.hpp"
#include "support/seed.hpp"
#include "trestle/alloc/cluster/place/place.hpp"
#include "trestle/base/fmt.hpp"
#include "trestle/testing/choices.hpp"
#include "trestle/testing/cluster_text.hpp"

namespace trestle {
namespace {

using Catch::Matchers::ContainsSubstring;
using testing::Choices;
using testing::for_random_choices;

PreparedRequest cores(std::int64_t count) {
    Request request;
    request.cpus_per_task = Range<Count>::exactly(Count(count));
    return request;
}

}  // namespace

TEST_CASE("place_many: places in order, and stops or goes on where there is no place", "[alloc]") {
    const auto cluster = testing::cluster_from_text("2 x (4c)");
    REQUIRE(cluster.ok());
    const std::vector<JobOrder> jobs{{OwnerId(1), cores(3)},
                                     {OwnerId(2), cores(3)},
                                     {OwnerId(3), cores(2)},
                                     {OwnerId(4), cores(1)}};
    Placer placer;
    Cluster stopped = *cluster;
    const auto until_failure = place_many(stopped, jobs, placer);
    REQUIRE(until_failure.ok());
    CHECK(until_failure->placed == std::vector<std::size_t>{0, 1});
    REQUIRE(until_failure->refused.size() == 1);
    CHECK(until_failure->refused[0].job == 2);
    CHECK(until_failure->refused[0].why.constraint == Constraint::cores);
    CHECK(until_failure->looked_at == 3);
    CHECK(stopped.allocation_count() == 2);

    Cluster skipped = *cluster;
    const auto all = place_many(skipped, jobs, placer, {PlaceManyOptions::OnFailure::skip});
    REQUIRE(all.ok());
    CHECK(all->placed == std::vector<std::size_t>{0, 1, 3});
    CHECK(all->refused == until_failure->refused);
    CHECK(all->looked_at == 4);
    CHECK(skipped.find_allocation(OwnerId(4)) != nullptr);
}

TEST_CASE("release_many: all of the list or nothing", "[alloc]") {
    Cluster cluster = *testing::cluster_from_text("2 x (4c)");
    const Cluster idle = cluster;
    const std::vector<JobOrder> jobs{
        {OwnerId(1), cores(3)}, {OwnerId(2), cores(3)}, {OwnerId(3), cores(1)}};
    Placer placer;
    REQUIRE(place_many(cluster, jobs, placer).ok());
    const Cluster before = cluster;
    const auto release = [&](std::vector<OwnerId> owners) { return release_many(cluster, owners); };

    CHECK(release({OwnerId(1), OwnerId(4)}).code() == absl::StatusCode::kNotFound);
    CHECK(cluster == before);
    CHECK(release({OwnerId(2), OwnerId(1), OwnerId(2)}).code() ==
          absl::StatusCode::kFailedPrecondition);
    CHECK(cluster == before);
    CHECK(release({}).ok());
    CHECK(release({OwnerId(3), OwnerId(1)}).ok());
    CHECK(cluster.allocation_count() == 1);
    CHECK(release({OwnerId(2)}).ok());
    CHECK(cluster == idle);
}

TEST_CASE("place_many: an owner has one allocation", "[alloc]") {
    auto cluster = testing::cluster_from_text("2 x (4c)");
    REQUIRE(cluster.ok());
    Placer placer;
    const std::vector<JobOrder> twice{{OwnerId(1), cores(1)}, {OwnerId(1), cores(1)}};
    const Cluster before = *cluster;
    const auto stopped = place_many(*cluster, twice, placer);
    CHECK(stopped.status().code() == StatusCode::kFailedPrecondition);
    CHECK_THAT(std::string(message(stopped.status())), ContainsSubstring("owner 1 stands twice"));
    CHECK(*cluster == before);
    REQUIRE(place_many(*cluster, {twice.data(), 1}, placer).ok());
    const auto again = place_many(*cluster, {twice.data(), 1}, placer);
    CHECK_THAT(std::string(message(again.status())), ContainsSubstring("has an allocation"));
}

TEST_CASE("place_many: equals the loop", "[alloc][law]") {
    INFO("seed " << test_seed());
    std::uint64_t placed = 0;
    for_random_choices({test_seed(), test_rounds(100u)}, [&](Choices& choices) {
        const Cluster world = any_job_world(choices, {8, true});
        std::vector<JobOrder> jobs;
        for (std::uint64_t i = 0; i < 12; ++i) {
            const Request request = any_job(choices, world, {false, true});
            if (check(request).ok()) jobs.push_back({OwnerId(1'000 + i), request});
        }
        const PlaceOptions options = any_place_options(choices);
        const bool stops = choices.one_in(4);
        Placer placer(options);
        Cluster many = world;
        const auto result = place_many(
            many, jobs, placer,
            {stops ? PlaceManyOptions::OnFailure::stop : PlaceManyOptions::OnFailure::skip});
        REQUIRE(result.ok());
        Cluster one_by_one = world;
        PlacedJobs expected;
        for (const JobOrder& job : jobs) {
            const std::size_t position = expected.looked_at++;
            auto placement = place(one_by_one, *job.request, options);
            if (placement) {
                REQUIRE(one_by_one.commit({job.owner, job.request, *placement}).ok());
                expected.placed.push_back(position);
                continue;
            }
            expected.refused.push_back({position, placement.refusal()});
            if (stops) break;
        }
        REQUIRE(*result == expected);
        REQUIRE(many == one_by_one);
        placed += result->placed.size();
    });
    CHECK(placed > test_rounds(30u));
}

}  // namespace trestle
