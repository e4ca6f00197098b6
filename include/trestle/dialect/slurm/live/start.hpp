// SPDX-License-Identifier: Apache-2.0
#pragma once

// When and where a job would start, by what runs and when that ends.
//
// Layer: dialect/slurm. Main names: StartAnswer, where.
// Pitfall: the queue is not looked at: the job is asked about as if it were the next one.

#include <optional>
#include <string>
#include <vector>

#include "trestle/base/fields.hpp"
#include "trestle/base/units.hpp"
#include "trestle/dialect/slurm/choice/decision.hpp"
#include "trestle/dialect/slurm/live/live_cluster.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"

namespace trestle::slurm {

/// When and where a job starts, or why it never does.
struct StartAnswer {
    std::vector<Decision> now;  ///< the answers at this moment, one a component
    /// From now, once the jobs of `waits_for` have ended by their limits and reservations are over;
    /// 0: at once. Absent: no end that is known makes it start.
    std::optional<Seconds> starts_in;
    std::vector<Decision> then;         ///< the answers at that moment; empty without one
    std::vector<RunningJob> waits_for;  ///< jobs that end until then and are in the way
    bool may_ever_start = false;        ///< it starts on the idle cluster
    std::vector<Decision> on_idle;      ///< the answers on the idle cluster

    static constexpr auto fields(auto list) {
        return list(field("now", &StartAnswer::now), field("starts_in", &StartAnswer::starts_in),
                    field("then", &StartAnswer::then), field("waits_for", &StartAnswer::waits_for),
                    field("may_ever_start", &StartAnswer::may_ever_start),
                    field("on_idle", &StartAnswer::on_idle));
    }
    friend bool operator==(const StartAnswer&, const StartAnswer&) = default;
};

/// Where the job would run, now or once others have ended. Nothing stays allocated. Nodes of which
/// a reservation that the job does not name begins before the job would end are left out.
/// Complexity: an answer for each of the first 16 ends, 128 where a reservation is to begin, and
/// beyond that the logarithm.
[[nodiscard]] StartAnswer where(const LiveCluster& live, const Submission& job);

/// `starts now in partition gpu`, `starts in 01:00:00, when job 3 ends, ...`, `never starts: ...`,
/// then a line for the nodes that give the same. As `trestle where` prints it.
[[nodiscard]] std::string to_text(const StartAnswer& answer);

/// Members `starts_in` (seconds; null: not by the limits of running jobs), `may_ever_start`,
/// `waits_for`, and `components` with `answer`, `reason`, `message`, `partition`, `nodes`.
[[nodiscard]] std::string to_json_text(const StartAnswer& answer);

}  // namespace trestle::slurm
