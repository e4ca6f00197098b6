// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why a job does not start, what it waits for, and which change of it would start it now.
//
// Layer: dialect/slurm. Main names: WhyAnswer, JobChange, why.
// Pitfall: an amount is lowered as if less of it were always easier. A change that is named starts
// the job, but a higher amount might do so too.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trestle/alloc/schedule/explain.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/live/start.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::slurm {

/// A change with which the job starts.
struct JobChange {
    std::string text;  ///< `--gres=gpu:4 instead of --gres=gpu:8`, in the forms that were typed
    Submission job;

    static constexpr auto fields(auto list) {
        return list(field("text", &JobChange::text), field("job", &JobChange::job));
    }
    friend bool operator==(const JobChange&, const JobChange&) = default;
};

/// All that there is to say of a job that may not start now.
struct WhyAnswer {
    std::vector<std::string> words;  ///< the options, as they were typed
    std::string known_as;            ///< `job 6 (big): Slurm says Resources`; empty: only typed
    std::string held_by;  ///< Slurm's reason, if it is not about nodes: `Dependency`, `Licenses`
    StartAnswer start;
    /// What the nodes of the partition say, counted by constraint; absent: it starts now, or the
    /// options are none that the core can count.
    std::optional<Explanation> nodes;
    std::string not_counted;         ///< why the nodes are not counted
    std::vector<JobChange> changes;  ///< each was tried: with it the job starts now

    static constexpr auto fields(auto list) {
        return list(field("words", &WhyAnswer::words), field("known_as", &WhyAnswer::known_as),
                    field("held_by", &WhyAnswer::held_by), field("start", &WhyAnswer::start),
                    field("nodes", &WhyAnswer::nodes),
                    field("not_counted", &WhyAnswer::not_counted),
                    field("changes", &WhyAnswer::changes));
    }
    /// True if nothing is in the way of the job now.
    [[nodiscard]] bool starts_now() const {
        return start.starts_in == Seconds(0) && held_by.empty();
    }
    friend bool operator==(const WhyAnswer&, const WhyAnswer&) = default;
};

/// Of a job that could be submitted. `words`: how it was typed, for the forms of the changes;
/// empty: long options. Complexity: that of where(), an answer for each option that was given, and
/// the logarithm of each amount. Where no single change is enough, it is the square of that.
[[nodiscard]] WhyAnswer why(const LiveCluster& live, const Submission& job,
                            std::vector<std::string> words = {});

/// Of a job that waits, by its number. Errors: NotFound for a number that is not among the live
/// jobs. InvalidArgument for a job that does not wait, and for options that cannot be read.
[[nodiscard]] StatusOr<WhyAnswer> why(const LiveCluster& live, std::uint64_t job);

/// The lines that `trestle why` prints.
[[nodiscard]] std::string to_text(const WhyAnswer& answer);

/// The members of StartAnswer, before them `why`, behind them `held_by`, `binding`, `removed`,
/// `fitting`, `relaxations`, `changes`.
[[nodiscard]] std::string to_json_text(const WhyAnswer& answer);

}  // namespace trestle::slurm
