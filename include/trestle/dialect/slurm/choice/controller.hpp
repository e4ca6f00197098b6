// SPDX-License-Identifier: Apache-2.0
#pragma once

// A slurmctld as a value: a cluster from configuration files, jobs submitted as text, answered as
// Slurm answers.
//
// Layer: dialect/slurm. Main type: Controller. No clock and no queue: each job is answered at once,
// and one that waits is forgotten.
// Pitfall: adopt() does not ask select(): it enters what another controller allocated as it is.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trestle/alloc/cluster/cluster.hpp"
#include "trestle/alloc/node/job/job.hpp"
#include "trestle/base/status.hpp"
#include "trestle/dialect/slurm/choice/decision.hpp"
#include "trestle/dialect/slurm/choice/job_tres.hpp"
#include "trestle/dialect/slurm/choice/selector.hpp"
#include "trestle/dialect/slurm/conf/cluster_from_conf.hpp"
#include "trestle/dialect/slurm/conf_error.hpp"
#include "trestle/dialect/slurm/hostlist.hpp"
#include "trestle/dialect/slurm/options/reading.hpp"
#include "trestle/model/cluster_count.hpp"
#include "trestle/model/node.hpp"

namespace trestle::slurm {

class Controller {
  public:
    /// An idle cluster; `release`: the release of Slurm that is followed; `typed`: which devices
    /// count under their types. Nodes that a slurmctld of the release makes invalid (NodeFault) are
    /// drained, and warned of. Errors: InvalidArgument with a line for each error of
    /// read_cluster(), a hundred at most. Keys with which a slurmctld of the release does not start
    /// are among them.
    [[nodiscard]] static StatusOr<Controller> create(const ConfTexts& texts,
                                                     Release release = default_release,
                                                     TypedCounts typed = TypedCounts::by_device);
    /// The same of files that were read. Errors: InvalidArgument with a line for each of the
    /// reading. Keys of other releases are among them only where ConfTexts::release was given.
    [[nodiscard]] static StatusOr<Controller> of(ClusterReading reading,
                                                 Release release = default_release,
                                                 TypedCounts typed = TypedCounts::by_device);

    /// Answers a job given by its options, as sbatch takes them, and commits its allocation. The
    /// owner is the next number that was never used. Text that cannot be read is refused with the
    /// reader's message, and so is an option or a value that the release lacks. Errors:
    /// InvalidArgument for a job of several components. Nothing changes unless the answer is
    /// allocated.
    [[nodiscard]] StatusOr<Decision> submit(std::string_view options);
    /// The same for options that were read, as those of a script.
    [[nodiscard]] StatusOr<Decision> submit(const JobOptions& options);

    /// Answers a heterogeneous job, whose components are separated by `:`. Each component is chosen
    /// as a job of its own, with an owner of its own, beside those before it. All are allocated or
    /// none: if one waits, the others wait without a reason; if one is refused, all are. `message`
    /// names the component. No other order is tried. Text that cannot be read is one refused
    /// component. Nothing changes unless all are allocated.
    [[nodiscard]] StatusOr<std::vector<Decision>> submit_all(std::string_view options);
    /// The same for components that were read, as those of a script with hetjob.
    [[nodiscard]] StatusOr<std::vector<Decision>> submit_all(const Submission& submission);

    /// Enters a recorded allocation: cores by abstract CPU ids, devices by their indexes, GRES
    /// without devices by count. Parts of GPUs are entered device by device. If only their sum over
    /// several indexes is recorded, they are spread evenly, the remainder on the first. A device
    /// must have the recorded type, if one is recorded. A whole GPU that another job has parts of,
    /// as Slurm 22.05 may give it, is entered with the parts that are left. Cores of the system are
    /// left out.
    /// `partition` is that of the job; empty: the default one. The owner has its cores exclusively.
    /// With OverSubscribe=FORCE it has them in the first row of the partition with room; of FORCE:1
    /// a job with --exclusive has its cores alone.
    /// Errors: InvalidArgument for a node, CPU, device or partition that does not exist, and for
    /// more parts than a device has. FailedPrecondition for units that have an owner. Nothing
    /// changes then.
    [[nodiscard]] StatusOr<OwnerId> adopt(std::span<const NodeGrant> grants,
                                          std::string_view partition = {});
    /// The same for a job with known options. They give its partition (the first one named), its
    /// time limit (--time) and its licences (--licenses). With --oversubscribe it shares cores in a
    /// partition with OverSubscribe=YES. With --exclusive=topo it has its blocks or rings
    /// exclusively.
    [[nodiscard]] StatusOr<OwnerId> adopt(std::span<const NodeGrant> grants,
                                          const JobOptions& options);
    /// The same for a job whose licences are recorded (Decision::licenses, parse_licenses()): it
    /// has these, whatever its options ask for. Errors: also InvalidArgument for a licence or a
    /// layer that the cluster does not have.
    [[nodiscard]] StatusOr<OwnerId> adopt(std::span<const NodeGrant> grants,
                                          const JobOptions& options,
                                          std::span<const ClusterCount> licenses);

    /// Takes everything back. Errors: NotFound when the owner has nothing.
    [[nodiscard]] Status release(OwnerId owner);

    /// Drains nodes, takes them down or lets them take work again (scontrol update State=DRAIN,
    /// DOWN or RESUME). What runs there stays: a slurmctld ends the jobs of a node that goes down,
    /// and the caller releases them. Errors: InvalidArgument for an unknown node, and for
    /// `removed`; FailedPrecondition, with the reason, for an invalid node that shall take work
    /// again. Nothing changes then.
    [[nodiscard]] Status set_node_state(const Hostlist& nodes, NodeState state);
    /// Adds a node without network, and in no layer of resources, to partitions (scontrol create
    /// NodeName=). Errors:
    /// InvalidArgument for a name that is known, a shape that check() refuses, or an unknown
    /// partition. Nothing changes then.
    [[nodiscard]] Status add_node(const Node& node, std::span<const std::string> partitions);
    /// Takes nodes out of the cluster (scontrol delete NodeName=). Errors: InvalidArgument for an
    /// unknown node; FailedPrecondition, naming the owner, where a job runs. Nothing changes then.
    [[nodiscard]] Status remove_nodes(const Hostlist& nodes);

    /// What the owner has, as a job without steps, to be resized below. Errors: NotFound when the
    /// owner has nothing.
    [[nodiscard]] StatusOr<JobState> job(OwnerId owner) const;
    /// What the owner has of each node, in Slurm's words (grant_of()); it is charged for all
    /// threads. Parts of GPUs have no type here and stand device by device, whatever the release.
    /// Errors: NotFound when the owner has nothing.
    [[nodiscard]] StatusOr<std::vector<NodeGrant>> grants(OwnerId owner) const;

    /// Takes back what a running job has on all nodes but these (scontrol update NodeList=). What
    /// it has on them stays, and so do its licences and layered resources (--resources). Errors:
    /// InvalidArgument for no nodes, or one that is not the job's. FailedPrecondition while a step
    /// runs on a node to be taken back, and for a job that is not what its owner has. Nothing
    /// changes then.
    [[nodiscard]] Status shrink(JobState& job, const Hostlist& keep);
    /// Moves the whole allocation of another job to this one, which may have parts of the same
    /// nodes (--dependency=expand and scontrol update NumNodes=0). No device is chosen anew.
    /// Errors: InvalidArgument for a job and itself. FailedPrecondition while a step of the other
    /// runs, for jobs that are not what their owners have, and for cores that are used otherwise
    /// (Cluster::extend). Nothing changes then.
    [[nodiscard]] Status grow(JobState& job, const JobState& other);

    [[nodiscard]] const Cluster& cluster() const { return cluster_; }
    [[nodiscard]] const SelectRules& rules() const { return selector_.rules(); }
    /// What of the files was not used.
    [[nodiscard]] const std::vector<ConfWarning>& warnings() const { return warnings_; }

  private:
    Controller(BuiltCluster built, SelectRules rules)
        : cluster_(std::move(built.cluster)),
          selector_(std::move(rules)),
          warnings_(std::move(built.warnings)) {}

    /// Without `licenses` the options say what the job has of the cluster.
    [[nodiscard]] StatusOr<OwnerId> enter(std::span<const NodeGrant> grants,
                                          const JobOptions& options,
                                          std::optional<std::span<const ClusterCount>> licenses);
    /// The request holds what enforcement needs: partition, time and memory. `mps`: of a node, that
    /// the job has; 0: none.
    [[nodiscard]] StatusOr<OwnerId> commit(Placement placement, std::string_view partition,
                                           std::optional<Seconds> time_limit, Count mps);
    /// The nodes of the list. Errors: InvalidArgument for one that is unknown.
    [[nodiscard]] StatusOr<std::vector<NodeId>> known_nodes(const Hostlist& nodes) const;
    /// Notes an owner whose job, or whose partition, has its units of the network alone.
    void note_alone(OwnerId owner, const JobOptions& options, std::string_view partition);
    /// What the configuration says of these nodes is over.
    void forget_reasons(const Hostlist& nodes);
    /// Ok when the job is what its owner has.
    [[nodiscard]] Status check_known(const JobState& job) const;

    Cluster cluster_;
    Selector selector_;
    std::vector<ConfWarning> warnings_;
    std::vector<OwnerId> alone_;  ///< owners that have units of the network alone, or had
    std::uint64_t next_owner_ = 1;
};

}  // namespace trestle::slurm
