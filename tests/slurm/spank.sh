#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# spank.sh PLUGIN [case]: a slurmctld and a slurmd on loopback with trestle_spank.so, in the guest `sockets`
# (tests/vm/privileged.sh): 8 cores in 2 sockets. The GPUs are device files without a driver: opening one
# gives ENXIO where the device filter admits it, and EPERM where it does not.
plugin=$1
folder=/run/slurm
conf=$folder/etc
export SLURM_CONF=$conf/slurm.conf
failed=0

# expect NAME WANTED GOT: the text, but for blanks at ends of lines.
expect() {
    got=$(printf '%s\n' "$3" | sed 's/[ \t]*$//')
    [ "$got" = "$2" ] && { echo "ok: $1"; return; }
    failed=1
    printf 'FAILED: %s\n--- wanted\n%s\n--- got\n%s\n' "$1" "$2" "$got"
}
# expect_part NAME PART TEXT: the text has the part.
expect_part() {
    case $3 in *"$2"*) echo "ok: $1"; return ;; esac
    failed=1
    printf 'FAILED: %s\n--- wanted a part\n%s\n--- got\n%s\n' "$1" "$2" "$3"
}
# wait_for SECONDS COMMAND...
wait_for() {
    tries=$(($1 * 5))
    shift
    until "$@" > /dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || { echo "FAILED: $* took too long"; failed=1; return 1; }
        sleep 0.2
    done
}
user() { setpriv --reuid=65534 --regid=65534 --clear-groups timeout 100 "$@"; }
plugin_line() { echo "required $plugin $*" > $conf/plugstack.conf; }

mkdir -p $conf $folder/state $folder/spool $folder/out
chmod 777 $folder/out
mkdir -p /sys/fs/cgroup/system.slice  # which slurmd takes to be there
busybox ip link set lo up
busybox ip addr add 192.0.2.1/32 dev lo  # glibc looks up no address for a machine that has only 127.0.0.1
host=$(hostname)
cat > $SLURM_CONF <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
PlugStackConfig=$conf/plugstack.conf
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
GresTypes=gpu
NodeName=$host NodeAddr=127.0.0.1 Sockets=2 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=1500 Gres=gpu:4
PartitionName=all Nodes=ALL Default=YES
CONF
echo IgnoreSystemd=yes > $conf/cgroup.conf
for gpu in 0 1 2 3; do
    mknod -m 666 /dev/nvidia$gpu c 195 $gpu
    echo "Name=gpu File=/dev/nvidia$gpu Cores=$((gpu / 2 * 4))-$((gpu / 2 * 4 + 3))"
done > $conf/gres.conf
plugin_line strict
slurmctld && slurmd
wait_for 20 sh -c "sinfo -h -o %T | grep -q idle" || { tail $folder/*.log; exit 1; }

# What a task can see of the machine, in one line and in the order of the tasks.
cat > $folder/look <<'LOOK'
#!/bin/sh
group=/sys/fs/cgroup$(sed 's/^0:://' /proc/self/cgroup)
opens=
for gpu in 0 1 2 3; do
    case $(LC_ALL=C cat /dev/nvidia$gpu 2>&1) in *'No such device or address') opens="$opens $gpu" ;; esac
done
echo "task $SLURM_PROCID: cpus $(sed -n 's/Cpus_allowed_list:.//p' /proc/self/status)" \
    "of $(cat $group/cpuset.cpus), memory $(cat $group/memory.max), opens$opens, cuda $CUDA_VISIBLE_DEVICES"
LOOK
chmod 755 $folder/look
cd /tmp

# One step has the GPUs of socket 0, so the next has those of socket 1; each task its own.
user srun -n1 -c2 --gres=gpu:2 --mem=100 sleep 300 &
wait_for 20 test -e /sys/fs/cgroup/trestle/job_1/step_0/cgroup.procs
expect "a step sees its GPUs and CPUs, each task is near its GPU" \
    "task 0: cpus 4-5 of 4-7, memory 209715200, opens 2 3, cuda 0
task 1: cpus 6-7 of 4-7, memory 209715200, opens 2 3, cuda 1" \
    "$(user srun -Q -n2 -c2 --gpus-per-task=1 --mem=200 $folder/look 2>&1 | sort)"
expect "no CPU has two tasks, although both GPUs are near the CPUs of one" \
    "task 0: cpus 4-5 of 2-5, memory 209715200, opens 2 3, cuda 0
task 1: cpus 2-3 of 2-5, memory 209715200, opens 2 3, cuda 1" \
    "$(user srun -Q -n2 -c2 --gpus-per-task=1 --ntasks-per-socket=1 --mem=200 $folder/look 2>&1 | sort)"
expect "a user cannot make up GPUs" \
    "task 0: cpus 2 of 2, memory 104857600, opens, cuda" \
    "$(SLURM_STEP_GPUS=0-3 SLURM_JOB_GPUS=0-3 user srun -Q -n1 --mem=100 $folder/look 2>&1)"
scancel 1
wait_for 20 test ! -e /sys/fs/cgroup/trestle/job_1
wait

expect "the explanation of a batch job, and of its step" \
"$host cores=0 memory=0:150MiB,1:150MiB devices=gpu:0
resource  asked   granted  limited to  mechanism                 when exceeded
cpu       1..     1        CPU 0       cpuset.cpus and affinity  throttled
memory    300MiB  300MiB   300MiB      memory.max                killed
swap      -       -        0           memory.swap.max           killed
devices   -       gpu 0    gpu 0       device filter             refused
pids      -       -        -           no limit                  nothing
task 0: cpus 0 of 0, memory 314572800, opens 0, cuda 0
$host cores=0 memory=0:25MiB,1:25MiB
resource  asked  granted  limited to  mechanism                 when exceeded
cpu       1..    1        CPU 0       cpuset.cpus and affinity  throttled
memory    50MiB  50MiB    50MiB       memory.max                killed
swap      -      -        0           memory.swap.max           killed
devices   -      none     none        device filter             refused
pids      -      -        -           no limit                  nothing
task 0: cpus 0 of 0, memory 52428800, opens, cuda" \
    "$(user sbatch -W -Q --trestle-explain -n1 --gres=gpu:1 --mem=300 -o $folder/out/batch \
        --wrap "$folder/look; srun --gres=none --mem=50 $folder/look" > /dev/null 2>&1; cat $folder/out/batch)"
user srun -n1 --mem=50 dd if=/dev/zero of=/dev/null bs=200M count=1 > /dev/null 2>&1
expect "a step is killed for memory" 137 $?

# A slurmstepd that is killed leaves its group; the epilog removes it.
user srun -n1 --mem=50 sleep 300 > /dev/null 2>&1 &
wait_for 20 sh -c 'test -e /sys/fs/cgroup/trestle/job_*/step_0/cgroup.procs'
kill -9 $(grep -la '^slurmstepd: ' /proc/[0-9]*/cmdline | cut -d/ -f3)
scancel -u nobody
wait_for 30 sh -c '! ls -d /sys/fs/cgroup/trestle/job_*'
wait

# What cannot be done: strict keeps the step from starting, warn does not; both say so.
plugin_line strict cgroup=/sys/fs/cgroup/a/b
answer=$(user srun -n1 --mem=50 echo started 2>&1)
expect_part "strict says what is wrong" \
    "trestle: /sys/fs/cgroup/a/b: No such file or directory; the step does not start" "$answer"
expect "strict starts nothing" "" "$(echo "$answer" | grep -x started)"
plugin_line warn cgroup=/sys/fs/cgroup/a/b
answer=$(user srun -n1 --mem=50 echo started 2>&1)
expect_part "warn says what is wrong" \
    "trestle: /sys/fs/cgroup/a/b: No such file or directory; the step starts without it" "$answer"
expect "warn starts the step" started "$(echo "$answer" | grep -x started)"
plugin_line strict misspelt
answer=$(user srun -n1 --mem=50 echo started 2>&1)
expect "a step that does not start has failed" 1 $?
expect_part "an unknown argument" "plugstack.conf: unknown argument 'misspelt'" "$answer"

# Configurations that it cannot serve, read from another folder than Slurm's own.
other() {
    rm -rf $folder/other
    cp -r $conf $folder/other
    sed -i "$1" $folder/other/slurm.conf
    plugin_line strict conf=$folder/other
    user srun -n1 --mem=50 echo started 2>&1
}
expect_part "Slurm holds steps in cgroups" \
    "trestle: ProctrackType=proctrack/cgroup: Slurm holds the step in a cgroup of its own" "$(other /ProctrackType/d)"
expect_part "other cores" "slurm.conf describes 16 cores, the machine has 8" \
    "$(other s/CoresPerSocket=4/CoresPerSocket=8/)"
expect_part "no such node" "slurm.conf has no NodeName=$host" "$(other "s/NodeName=$host/NodeName=n1/")"
wait_for 20 sh -c "sinfo -h -o %T | grep -q idle"  # no node is drained

[ $failed -eq 0 ] || grep -v debug $folder/slurmd.log | tail -n 40
exit $failed
