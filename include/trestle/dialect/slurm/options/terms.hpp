// SPDX-License-Identifier: Apache-2.0
#pragma once

// What single options say of where, when and on what terms a job runs.
//
// Layer: dialect/slurm. Main types: NodeConstraint (-C), LicenseList (-L), Switches, TimeLimit
// (-t), JobSignal (--signal), JobArray (-a), Dependencies (-d), BeginTime (-b), ExportedVariables.
// `values.hpp` has those of CPUs, memory and devices.
// Pitfall: no clock is read here: `--begin=noon` stays text.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/features.hpp"

namespace trestle::slurm {

/// `-C a&b`, `-C "[rack1|rack2]"`, `-C "[rack1*2&rack2*4]&ib"`. A node's features meet all parts.
struct NodeConstraint {
    FeatureExpression features;             ///< every node meets it
    std::vector<FeatureCount> counts;       ///< `a*2`: so many of the nodes meet it
    std::vector<FeatureExpression> one_of;  ///< `[a|b]`: all nodes meet the same one of these

    static constexpr auto fields(auto list) {
        return list(field("features", &NodeConstraint::features),
                    field("counts", &NodeConstraint::counts),
                    field("one_of", &NodeConstraint::one_of));
    }
    friend bool operator==(const NodeConstraint&, const NodeConstraint&) = default;
};

/// `-L matlab:2,abaqus@flex1` (all of them) or `-L a:2|b:1` (one of them).
struct LicenseList {
    /// Each name once, sorted. Where one is enough they stand as written: the first that is free is
    /// taken.
    std::vector<ClusterCount> counts;
    bool is_any_of = false;

    static constexpr auto fields(auto list) {
        return list(field("counts", &LicenseList::counts),
                    field("is_any_of", &LicenseList::is_any_of));
    }
    friend bool operator==(const LicenseList&, const LicenseList&) = default;
};

/// `--switches=2@1:00:00`.
struct Switches {
    Count count{1};  ///< leaf switches at most
    std::optional<Seconds>
        max_wait;  ///< how long a job waits for that; absent: the cluster's limit

    static constexpr auto fields(auto list) {
        return list(field("count", &Switches::count), field("max_wait", &Switches::max_wait));
    }
    friend bool operator==(const Switches&, const Switches&) = default;
};

/// `--exclusive[=user|mcs|topo]`: which other jobs may use the nodes, or the block or switch of the
/// nodes.
enum class ExclusiveKind { whole_node, user, mcs, topo };

constexpr auto enum_names(ExclusiveKind) {
    using enum ExclusiveKind;
    return std::array{named(whole_node, "whole_node"), named(user, "user"), named(mcs, "mcs"),
                      named(topo, "topo")};
}

/// `-t`, `--time-min`. 0, UNLIMITED and INFINITE are no limit, which differs from no option.
struct TimeLimit {
    std::optional<Seconds> limit;  ///< whole minutes, 1 or more; absent: none

    static constexpr auto fields(auto list) { return list(field("limit", &TimeLimit::limit)); }
    friend bool operator==(const TimeLimit&, const TimeLimit&) = default;
};

/// `--signal=[R][B]:USR1@300`.
struct JobSignal {
    std::uint32_t number = 0;  ///< of the signal, as on Linux; 1 to 64
    Seconds before{60};        ///< the end of the job; 65535 at most
    bool to_batch_shell = false;
    bool for_reservation = false;  ///< also before a reservation that overlaps begins

    static constexpr auto fields(auto list) {
        return list(field("number", &JobSignal::number), field("before", &JobSignal::before),
                    field("to_batch_shell", &JobSignal::to_batch_shell),
                    field("for_reservation", &JobSignal::for_reservation));
    }
    friend bool operator==(const JobSignal&, const JobSignal&) = default;
};

/// `first-last:step`, both ends included.
struct ArrayRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint32_t step = 1;

    static constexpr auto fields(auto list) {
        return list(field("first", &ArrayRange::first), field("last", &ArrayRange::last),
                    field("step", &ArrayRange::step));
    }
    friend bool operator==(const ArrayRange&, const ArrayRange&) = default;
};

/// `--array=1-100%4`, `0-15:4`, `1,5-7`.
struct JobArray {
    std::vector<ArrayRange> ranges;  ///< as written; a number may stand in several
    std::optional<Count> at_once;    ///< tasks that run at the same time; absent: any number

    static constexpr auto fields(auto list) {
        return list(field("ranges", &JobArray::ranges), field("at_once", &JobArray::at_once));
    }
    friend bool operator==(const JobArray&, const JobArray&) = default;
};

/// The task ids, rising, each once. Requires: they are at most 4,000,000, as Slurm's MaxArraySize
/// asks. Complexity: linear in the lengths of the ranges.
[[nodiscard]] std::vector<std::uint32_t> task_ids(const JobArray& array);

/// What has to happen to the other jobs first.
enum class DependencyKind {
    after,             ///< have started or been cancelled
    afterany,          ///< have ended
    afterburstbuffer,  ///< have ended and staged out
    aftercorr,         ///< the array task of the same number has ended well
    afternotok,        ///< have failed
    afterok,           ///< have ended well
    expand,            ///< nothing: these resources are added to that job
    singleton          ///< no other job of this name and user runs
};

constexpr auto enum_names(DependencyKind) {
    using enum DependencyKind;
    return std::array{named(after, "after"),
                      named(afterany, "afterany"),
                      named(afterburstbuffer, "afterburstbuffer"),
                      named(aftercorr, "aftercorr"),
                      named(afternotok, "afternotok"),
                      named(afterok, "afterok"),
                      named(expand, "expand"),
                      named(singleton, "singleton")};
}

/// `123`, `123_4`, `123_*`, `123+10`.
struct DependencyJob {
    std::uint32_t job = 0;
    std::optional<std::uint32_t> task;  ///< of an array
    bool all_tasks = false;             ///< `_*`
    Count minutes;                      ///< with after: so long after it has started

    static constexpr auto fields(auto list) {
        return list(field("job", &DependencyJob::job), field("task", &DependencyJob::task),
                    field("all_tasks", &DependencyJob::all_tasks),
                    field("minutes", &DependencyJob::minutes));
    }
    friend bool operator==(const DependencyJob&, const DependencyJob&) = default;
};

/// `afterok:123:124`.
struct Dependency {
    DependencyKind kind = DependencyKind::afterok;
    std::vector<DependencyJob> jobs;  ///< none for singleton

    static constexpr auto fields(auto list) {
        return list(field("kind", &Dependency::kind), field("jobs", &Dependency::jobs));
    }
    friend bool operator==(const Dependency&, const Dependency&) = default;
};

/// `-d afterok:1,afterany:2` (all of them) or `-d afterok:1?afterany:2` (one of them).
struct Dependencies {
    std::vector<Dependency> list;
    bool is_any_of = false;

    static constexpr auto fields(auto list) {
        return list(field("list", &Dependencies::list),
                    field("is_any_of", &Dependencies::is_any_of));
    }
    friend bool operator==(const Dependencies&, const Dependencies&) = default;
};

/// `--requeue[=expedite]`, `--no-requeue`.
enum class Requeue { no, yes, expedite };

constexpr auto enum_names(Requeue) {
    using enum Requeue;
    return std::array{named(no, "no"), named(yes, "yes"), named(expedite, "expedite")};
}

/// `--begin`. What is not counted from now needs a calendar, and stays text.
struct BeginTime {
    std::string text;                  ///< as given
    std::optional<Seconds> after_now;  ///< of `now` and `now+2hours`

    static constexpr auto fields(auto list) {
        return list(field("text", &BeginTime::text), field("after_now", &BeginTime::after_now));
    }
    friend bool operator==(const BeginTime&, const BeginTime&) = default;
};

/// What of the environment a job gets before its listed variables. nil: not even Slurm's own.
enum class ExportBase { nothing, all, none, nil };

constexpr auto enum_names(ExportBase) {
    using enum ExportBase;
    return std::array{named(nothing, "nothing"), named(all, "all"), named(none, "none"),
                      named(nil, "nil")};
}

/// `--export=ALL,EDITOR=/bin/vi,PATH`.
struct ExportedVariables {
    ExportBase base = ExportBase::nothing;
    std::vector<std::string> variables;  ///< `NAME` or `NAME=value`

    static constexpr auto fields(auto list) {
        return list(field("base", &ExportedVariables::base),
                    field("variables", &ExportedVariables::variables));
    }
    friend bool operator==(const ExportedVariables&, const ExportedVariables&) = default;
};

/// An option of Slurm that says nothing about resources, as it was given.
struct PassthroughOption {
    std::string name;                  ///< long, without dashes: `output`
    std::optional<std::string> value;  ///< absent: given without one
    std::uint32_t line = 0;            ///< of the script, from 1; 0: not in a script

    static constexpr auto fields(auto list) {
        return list(field("name", &PassthroughOption::name),
                    field("value", &PassthroughOption::value),
                    field("line", &PassthroughOption::line));
    }
    friend bool operator==(const PassthroughOption&, const PassthroughOption&) = default;
};

}  // namespace trestle::slurm
