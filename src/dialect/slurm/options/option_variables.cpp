// SPDX-License-Identifier: Apache-2.0
// Which variables of the environment each program reads, by the names of Slurm's manual pages.
#include <algorithm>
#include <array>

#include "option_table.hpp"

namespace trestle::slurm {
namespace {

constexpr std::array<OptionVariable, 62> of_sbatch_variables{{
    {"SBATCH_ACCOUNT", "account"},
    {"SBATCH_ACCTG_FREQ", "acctg-freq"},
    {"SBATCH_ARRAY_INX", "array"},
    {"SBATCH_BATCH", "batch"},
    {"SBATCH_BURST_BUFFER", "bb"},
    {"SBATCH_CLUSTERS", "clusters"},
    {"SBATCH_CLUSTER_CONSTRAINT", "cluster-constraint"},
    {"SBATCH_CONSTRAINT", "constraint"},
    {"SBATCH_CONTAINER", "container"},
    {"SBATCH_CONTAINER_ID", "container-id"},
    {"SBATCH_CORE_SPEC", "core-spec"},
    {"SBATCH_CPUS_PER_GPU", "cpus-per-gpu"},
    {"SBATCH_CPU_FREQ_REQ", "cpu-freq"},
    {"SBATCH_DEBUG", "verbose"},
    {"SBATCH_DELAY_BOOT", "delay-boot"},
    {"SBATCH_DISTRIBUTION", "distribution"},
    {"SBATCH_ERROR", "error"},
    {"SBATCH_EXCLUSIVE", "exclusive"},
    {"SBATCH_EXPORT", "export"},
    {"SBATCH_GET_USER_ENV", "get-user-env"},
    {"SBATCH_GPUS", "gpus"},
    {"SBATCH_GPUS_PER_NODE", "gpus-per-node"},
    {"SBATCH_GPUS_PER_SOCKET", "gpus-per-socket"},
    {"SBATCH_GPUS_PER_TASK", "gpus-per-task"},
    {"SBATCH_GPU_BIND", "gpu-bind"},
    {"SBATCH_GPU_FREQ", "gpu-freq"},
    {"SBATCH_GRES", "gres"},
    {"SBATCH_GRES_FLAGS", "gres-flags"},
    {"SBATCH_HINT", "hint"},
    {"SBATCH_IGNORE_PBS", "ignore-pbs"},
    {"SBATCH_INPUT", "input"},
    {"SBATCH_JOB_NAME", "job-name"},
    {"SBATCH_MEM_BIND", "mem-bind"},
    {"SBATCH_MEM_PER_CPU", "mem-per-cpu"},
    {"SBATCH_MEM_PER_GPU", "mem-per-gpu"},
    {"SBATCH_MEM_PER_NODE", "mem"},
    {"SBATCH_NETWORK", "network"},
    {"SBATCH_NO_KILL", "no-kill"},
    {"SBATCH_NO_REQUEUE", "no-requeue"},
    {"SBATCH_OPEN_MODE", "open-mode"},
    {"SBATCH_OUTPUT", "output"},
    {"SBATCH_OVERCOMMIT", "overcommit"},
    {"SBATCH_PARTITION", "partition"},
    {"SBATCH_PROFILE", "profile"},
    {"SBATCH_QOS", "qos"},
    {"SBATCH_REQUEUE", "requeue"},
    {"SBATCH_REQ_SWITCH", "switches"},
    {"SBATCH_RESERVATION", "reservation"},
    {"SBATCH_SEGMENT_SIZE", "segment"},
    {"SBATCH_SIGNAL", "signal"},
    {"SBATCH_SPREAD_JOB", "spread-job"},
    {"SBATCH_THREADS_PER_CORE", "threads-per-core"},
    {"SBATCH_THREAD_SPEC", "thread-spec"},
    {"SBATCH_TIMELIMIT", "time"},
    {"SBATCH_TRES_BIND", "tres-bind"},
    {"SBATCH_TRES_PER_TASK", "tres-per-task"},
    {"SBATCH_USE_MIN_NODES", "use-min-nodes"},
    {"SBATCH_WAIT", "wait"},
    {"SBATCH_WAIT_ALL_NODES", "wait-all-nodes"},
    {"SBATCH_WCKEY", "wckey"},
    {"SLURM_CLUSTERS", "clusters"},
    {"SLURM_HINT", "hint"},
}};

constexpr std::array<OptionVariable, 52> of_salloc_variables{{
    {"SALLOC_ACCOUNT", "account"},
    {"SALLOC_ACCTG_FREQ", "acctg-freq"},
    {"SALLOC_BELL", "bell"},
    {"SALLOC_BURST_BUFFER", "bb"},
    {"SALLOC_CLUSTERS", "clusters"},
    {"SALLOC_CLUSTER_CONSTRAINT", "cluster-constraint"},
    {"SALLOC_CONSTRAINT", "constraint"},
    {"SALLOC_CONTAINER", "container"},
    {"SALLOC_CONTAINER_ID", "container-id"},
    {"SALLOC_CORE_SPEC", "core-spec"},
    {"SALLOC_CPUS_PER_GPU", "cpus-per-gpu"},
    {"SALLOC_CPU_FREQ_REQ", "cpu-freq"},
    {"SALLOC_DEBUG", "verbose"},
    {"SALLOC_DELAY_BOOT", "delay-boot"},
    {"SALLOC_EXCLUSIVE", "exclusive"},
    {"SALLOC_GPUS", "gpus"},
    {"SALLOC_GPUS_PER_NODE", "gpus-per-node"},
    {"SALLOC_GPUS_PER_SOCKET", "gpus-per-socket"},
    {"SALLOC_GPUS_PER_TASK", "gpus-per-task"},
    {"SALLOC_GPU_BIND", "gpu-bind"},
    {"SALLOC_GPU_FREQ", "gpu-freq"},
    {"SALLOC_GRES", "gres"},
    {"SALLOC_GRES_FLAGS", "gres-flags"},
    {"SALLOC_HINT", "hint"},
    {"SALLOC_IMMEDIATE", "immediate"},
    {"SALLOC_KILL_CMD", "kill-command"},
    {"SALLOC_MEM_BIND", "mem-bind"},
    {"SALLOC_MEM_PER_CPU", "mem-per-cpu"},
    {"SALLOC_MEM_PER_GPU", "mem-per-gpu"},
    {"SALLOC_MEM_PER_NODE", "mem"},
    {"SALLOC_NETWORK", "network"},
    {"SALLOC_NO_BELL", "no-bell"},
    {"SALLOC_NO_KILL", "no-kill"},
    {"SALLOC_OVERCOMMIT", "overcommit"},
    {"SALLOC_PARTITION", "partition"},
    {"SALLOC_PROFILE", "profile"},
    {"SALLOC_QOS", "qos"},
    {"SALLOC_REQ_SWITCH", "switches"},
    {"SALLOC_RESERVATION", "reservation"},
    {"SALLOC_SEGMENT_SIZE", "segment"},
    {"SALLOC_SIGNAL", "signal"},
    {"SALLOC_SPREAD_JOB", "spread-job"},
    {"SALLOC_THREADS_PER_CORE", "threads-per-core"},
    {"SALLOC_THREAD_SPEC", "thread-spec"},
    {"SALLOC_TIMELIMIT", "time"},
    {"SALLOC_TRES_BIND", "tres-bind"},
    {"SALLOC_TRES_PER_TASK", "tres-per-task"},
    {"SALLOC_USE_MIN_NODES", "use-min-nodes"},
    {"SALLOC_WAIT_ALL_NODES", "wait-all-nodes"},
    {"SALLOC_WCKEY", "wckey"},
    {"SLURM_CLUSTERS", "clusters"},
    {"SLURM_HINT", "hint"},
}};

constexpr std::array<OptionVariable, 99> of_srun_variables{{
    {"SLURMD_DEBUG", "slurmd-debug"},
    {"SLURM_ACCOUNT", "account"},
    {"SLURM_ACCTG_FREQ", "acctg-freq"},
    {"SLURM_BCAST", "bcast"},
    {"SLURM_BCAST_EXCLUDE", "bcast-exclude"},
    {"SLURM_BURST_BUFFER", "bb"},
    {"SLURM_CLUSTERS", "clusters"},
    {"SLURM_CLUSTER_CONSTRAINT", "cluster-constraint"},
    {"SLURM_COMPRESS", "compress"},
    {"SLURM_CONSTRAINT", "constraint"},
    {"SLURM_CONTAINER", "container"},
    {"SLURM_CONTAINER_ID", "container-id"},
    {"SLURM_CORE_SPEC", "core-spec"},
    {"SLURM_CPUS_PER_GPU", "cpus-per-gpu"},
    {"SLURM_CPUS_PER_TASK", "cpus-per-task"},
    {"SLURM_CPU_BIND", "cpu-bind"},
    {"SLURM_CPU_FREQ_REQ", "cpu-freq"},
    {"SLURM_DEBUG", "verbose"},
    {"SLURM_DELAY_BOOT", "delay-boot"},
    {"SLURM_DEPENDENCY", "dependency"},
    {"SLURM_DISABLE_STATUS", "disable-status"},
    {"SLURM_DISTRIBUTION", "distribution"},
    {"SLURM_EPILOG", "epilog"},
    {"SLURM_EXACT", "exact"},
    {"SLURM_EXCLUSIVE", "exclusive"},
    {"SLURM_EXPORT_ENV", "export"},
    {"SLURM_EXTERNAL_LAUNCHER", "external-launcher"},
    {"SLURM_GPUS", "gpus"},
    {"SLURM_GPUS_PER_NODE", "gpus-per-node"},
    {"SLURM_GPUS_PER_SOCKET", "gpus-per-socket"},
    {"SLURM_GPUS_PER_TASK", "gpus-per-task"},
    {"SLURM_GPU_BIND", "gpu-bind"},
    {"SLURM_GPU_FREQ", "gpu-freq"},
    {"SLURM_GRES", "gres"},
    {"SLURM_GRES_FLAGS", "gres-flags"},
    {"SLURM_HINT", "hint"},
    {"SLURM_IMMEDIATE", "immediate"},
    {"SLURM_JOB_ID", "jobid"},
    {"SLURM_JOB_NAME", "job-name"},
    {"SLURM_JOB_NUM_NODES", "nodes"},
    {"SLURM_KILL_BAD_EXIT", "kill-on-bad-exit"},
    {"SLURM_LABELIO", "label"},
    {"SLURM_MEM_BIND", "mem-bind"},
    {"SLURM_MEM_PER_CPU", "mem-per-cpu"},
    {"SLURM_MEM_PER_GPU", "mem-per-gpu"},
    {"SLURM_MEM_PER_NODE", "mem"},
    {"SLURM_MPI_TYPE", "mpi"},
    {"SLURM_NCORES_PER_SOCKET", "cores-per-socket"},
    {"SLURM_NETWORK", "network"},
    {"SLURM_NNODES", "nodes"},
    {"SLURM_NO_KILL", "no-kill"},
    {"SLURM_NPROCS", "ntasks"},
    {"SLURM_NSOCKETS_PER_NODE", "sockets-per-node"},
    {"SLURM_NTASKS", "ntasks"},
    {"SLURM_NTASKS_PER_CORE", "ntasks-per-core"},
    {"SLURM_NTASKS_PER_GPU", "ntasks-per-gpu"},
    {"SLURM_NTASKS_PER_NODE", "ntasks-per-node"},
    {"SLURM_NTASKS_PER_SOCKET", "ntasks-per-socket"},
    {"SLURM_OPEN_MODE", "open-mode"},
    {"SLURM_OVERCOMMIT", "overcommit"},
    {"SLURM_OVERLAP", "overlap"},
    {"SLURM_PARTITION", "partition"},
    {"SLURM_PROFILE", "profile"},
    {"SLURM_PROLOG", "prolog"},
    {"SLURM_QOS", "qos"},
    {"SLURM_REMOTE_CWD", "chdir"},
    {"SLURM_REQ_SWITCH", "switches"},
    {"SLURM_RESERVATION", "reservation"},
    {"SLURM_RESV_PORTS", "resv-ports"},
    {"SLURM_SEGMENT_SIZE", "segment"},
    {"SLURM_SEND_LIBS", "send-libs"},
    {"SLURM_SIGNAL", "signal"},
    {"SLURM_SPREAD_JOB", "spread-job"},
    {"SLURM_SRUN_MULTI", "multi-prog"},
    {"SLURM_STDERRMODE", "error"},
    {"SLURM_STDINMODE", "input"},
    {"SLURM_STDOUTMODE", "output"},
    {"SLURM_TASK_EPILOG", "task-epilog"},
    {"SLURM_TASK_PROLOG", "task-prolog"},
    {"SLURM_THREADS", "threads"},
    {"SLURM_THREADS_PER_CORE", "threads-per-core"},
    {"SLURM_THREAD_SPEC", "thread-spec"},
    {"SLURM_TIMELIMIT", "time"},
    {"SLURM_TRES_BIND", "tres-bind"},
    {"SLURM_TRES_PER_TASK", "tres-per-task"},
    {"SLURM_UNBUFFEREDIO", "unbuffered"},
    {"SLURM_USE_MIN_NODES", "use-min-nodes"},
    {"SLURM_WAIT", "wait"},
    {"SLURM_WCKEY", "wckey"},
    {"SLURM_WORKING_DIR", "chdir"},
    {"SRUN_CONTAINER", "container"},
    {"SRUN_CONTAINER_ID", "container-id"},
    {"SRUN_CPUS_PER_TASK", "cpus-per-task"},
    {"SRUN_DEBUG", "verbose"},
    {"SRUN_ERROR", "error"},
    {"SRUN_EXPORT_ENV", "export"},
    {"SRUN_INPUT", "input"},
    {"SRUN_OUTPUT", "output"},
    {"SRUN_SEGMENT_SIZE", "segment"},
}};

constexpr bool is_sorted(std::span<const OptionVariable> variables) {
    return std::is_sorted(
        variables.begin(), variables.end(),
        [](const OptionVariable& a, const OptionVariable& b) { return a.variable < b.variable; });
}
static_assert(is_sorted(of_sbatch_variables) && is_sorted(of_salloc_variables) &&
              is_sorted(of_srun_variables));

}  // namespace

std::span<const OptionVariable> option_variables(Tool tool) {
    switch (tool) {
        case Tool::sbatch:
            break;
        case Tool::salloc:
            return of_salloc_variables;
        case Tool::srun:
            return of_srun_variables;
    }
    return of_sbatch_variables;
}

std::string_view switch_wait_variable(Tool tool) {
    switch (tool) {
        case Tool::sbatch:
            break;
        case Tool::salloc:
            return "SALLOC_WAIT4SWITCH";
        case Tool::srun:
            return "SLURM_WAIT4SWITCH";
    }
    return "SBATCH_WAIT4SWITCH";
}

}  // namespace trestle::slurm
