// SPDX-License-Identifier: Apache-2.0
#pragma once

// What jobs wait for besides resources, and what became of others.
//
// Layer: alloc. Main types: StartConditions with its Dependency, QueueState::Array, JobRecord;
// QueueState is all of them. Which jobs may start now by them is asked in eligible.hpp. A job that
// waits has no record, one that runs or has ended has one. Both may have conditions, which matter
// while it runs too: its name and its array count.
// Pitfall: records need not be kept for ever. Unknown jobs count as satisfied dependencies,
// whatever the dependency type.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/base/status.hpp"
#include "trestle/base/units.hpp"

namespace trestle {

/// A job array, whose tasks are jobs. The number is the caller's.
using ArrayId = Id<struct ArrayIdTag, std::uint64_t>;

/// One condition on one or more jobs together.
struct Dependency {
    /// What has to happen to other jobs first.
    enum class Kind {
        after,       ///< all have started, or ended without a start
        afterany,    ///< all have ended
        afterok,     ///< all have ended well
        afternotok,  ///< all have ended, and one of them not well
        singleton    ///< no job of this name runs, and none stands before this one in the queue
    };

    Kind kind = Kind::afterok;
    std::vector<OwnerId> jobs;     ///< none for singleton, else one or more, or an array
    Seconds delay;                 ///< counted from the last of the starts (after) or ends
    std::optional<ArrayId> array;  ///< with all jobs whose conditions say that they are its tasks

    static constexpr auto fields(auto list) {
        return list(field("kind", &Dependency::kind), field("jobs", &Dependency::jobs),
                    field("delay", &Dependency::delay), field("array", &Dependency::array));
    }
    friend bool operator==(const Dependency&, const Dependency&) = default;
};

constexpr auto enum_names(Dependency::Kind) {
    using enum Dependency::Kind;
    return std::array{named(after, "after"), named(afterany, "afterany"), named(afterok, "afterok"),
                      named(afternotok, "afternotok"), named(singleton, "singleton")};
}

/// The conditions on which a job starts. A job without an entry has none.
struct StartConditions {
    OwnerId owner;
    std::vector<Dependency> dependencies;
    bool is_any_of = false;        ///< one of the dependencies is enough
    std::optional<Instant> begin;  ///< not before
    bool is_held = false;
    std::optional<ArrayId> array;  ///< that it is a task of
    std::string name;  ///< that singleton goes by, as user and job name are in Slurm; empty: none
    Count requeues;    ///< how often it went back into the queue

    static constexpr auto fields(auto list) {
        return list(field("owner", &StartConditions::owner),
                    field("dependencies", &StartConditions::dependencies),
                    field("is_any_of", &StartConditions::is_any_of),
                    field("begin", &StartConditions::begin),
                    field("is_held", &StartConditions::is_held),
                    field("array", &StartConditions::array), field("name", &StartConditions::name),
                    field("requeues", &StartConditions::requeues));
    }
    friend bool operator==(const StartConditions&, const StartConditions&) = default;
};

/// A job that waits no more.
struct JobRecord {
    /// What became of a job. Only `completed` is a good end.
    enum class Phase { running, completed, failed, cancelled };

    OwnerId owner;
    Phase phase = Phase::running;
    std::optional<Instant> started;  ///< absent: it failed or was cancelled before
    std::optional<Instant> ended;    ///< absent while it runs, and only then

    static constexpr auto fields(auto list) {
        return list(field("owner", &JobRecord::owner), field("phase", &JobRecord::phase),
                    field("started", &JobRecord::started), field("ended", &JobRecord::ended));
    }
    friend bool operator==(const JobRecord&, const JobRecord&) = default;
};

constexpr auto enum_names(JobRecord::Phase) {
    using enum JobRecord::Phase;
    return std::array{named(running, "running"), named(completed, "completed"),
                      named(failed, "failed"), named(cancelled, "cancelled")};
}

/// What is known of jobs besides what they ask for. No list has an order that matters.
struct QueueState {
    /// The throttle of an array; one without is not throttled.
    struct Array {
        ArrayId array;
        Count at_once_max{1};  ///< tasks that run at the same time; 1 or more

        static constexpr auto fields(auto list) {
            return list(field("array", &Array::array), field("at_once_max", &Array::at_once_max));
        }
        friend bool operator==(const Array&, const Array&) = default;
    };

    std::vector<StartConditions> conditions;  ///< an owner once at most, here and in the next
    std::vector<JobRecord> records;           ///< of jobs that are not in the queue
    std::vector<Array> arrays;                ///< an array once at most

    static constexpr auto fields(auto list) {
        return list(field("conditions", &QueueState::conditions),
                    field("records", &QueueState::records), field("arrays", &QueueState::arrays));
    }
    friend bool operator==(const QueueState&, const QueueState&) = default;
};

/// Ok when each dependency names what it needs. Errors: InvalidArgument that names the owner. That
/// is for a dependency without jobs and array, and for singleton with jobs, an array or a delay.
/// The same for singleton of a job without a name.
[[nodiscard]] Status check(const StartConditions& conditions);

/// Ok when a task may run. Errors: InvalidArgument that names the array.
[[nodiscard]] Status check(const QueueState::Array& conditions);

/// Ok when the moments are those of the phase, and in order. Errors: InvalidArgument that names the
/// owner.
[[nodiscard]] Status check(const JobRecord& record);

}  // namespace trestle
