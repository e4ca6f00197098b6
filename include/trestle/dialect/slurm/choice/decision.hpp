// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a controller answers to a job.
//
// Layer: dialect/slurm. Main types: Answer, Decision. select() makes decisions,
// Controller commits them.
// Pitfall: a job that no set of nodes could ever serve is refused. A job outside of its partition's
// limits waits with PartitionConfig. Both are as in Slurm.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trestle/base/enums.hpp"
#include "trestle/base/fields.hpp"
#include "trestle/base/ids.hpp"
#include "trestle/dialect/slurm/choice/client_view.hpp"
#include "trestle/dialect/slurm/job_report.hpp"
#include "trestle/dialect/slurm/options/job_options.hpp"
#include "trestle/dialect/slurm/print.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/placement.hpp"
#include "trestle/model/tres.hpp"

namespace trestle::slurm {

/// What becomes of a job: it has its resources, it waits for them, or it is turned down.
enum class Answer { allocated, pending, refused };

constexpr auto enum_names(Answer) {
    using enum Answer;
    return std::array{named(allocated, "allocated"), named(pending, "pending"),
                      named(refused, "refused")};
}

/// The answer to one job.
struct Decision {
    Answer answer = Answer::refused;
    Reason reason = Reason::none;  ///< of a job that waits
    std::string message;           ///< why a job waits or was refused, in words; else empty
    std::string partition;         ///< where the job is allocated or waits; empty: nowhere
    /// Of an allocated job. Cores of the system that --core-spec gives to a job are in `grants`
    /// alone, because they cannot have an owner here.
    Placement placement;
    /// The same in Slurm's words, by node. `cpus` is what the job is charged for.
    std::vector<NodeGrant> grants;
    /// Of an allocated job, what LicensesAlloc= of scontrol says: its licences by name, of `a|b`
    /// the one that it got, then what --resources took. In MODE_1 the name holds the layer:
    /// `natural(t[0-7])`.
    std::vector<ClusterCount> licenses;
    JobOptions options;                 ///< as resolved; of a refused job nothing
    std::vector<std::string> warnings;  ///< what was changed or not looked at, although it was said
    std::optional<OwnerId> owner;       ///< its owner, once a controller has committed it
    TresCounts req_tres;                ///< what it asks for; of a refused job nothing
    TresCounts tres;                    ///< what an allocated job was given
    ClientView client;                  ///< of an allocated job: what its environment is made of

    static constexpr auto fields(auto list) {
        return list(field("answer", &Decision::answer), field("reason", &Decision::reason),
                    field("message", &Decision::message), field("partition", &Decision::partition),
                    field("placement", &Decision::placement), field("grants", &Decision::grants),
                    field("licenses", &Decision::licenses), field("options", &Decision::options),
                    field("warnings", &Decision::warnings), field("owner", &Decision::owner),
                    field("req_tres", &Decision::req_tres), field("tres", &Decision::tres),
                    field("client", &Decision::client));
    }
    friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace trestle::slurm
