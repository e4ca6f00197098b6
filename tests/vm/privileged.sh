#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# privileged.sh GUEST PROGRAM [ARGUMENT...]: runs it where the tests of GUEST can run. Ends with the
# program's status, or with 77 and a line "SKIPPED: reason" where that is nowhere.
# TRESTLE_VM_KERNEL asks for a certain kernel, hence for the VM.
#   default  root on this machine where cgroup v2 is writable, else in a VM: 4 CPUs, swap, a scratch
#            disk /dev/vda, huge pages
#   numa     16 CPUs in 4 NUMA nodes
#   sockets  8 cores in 2 sockets, which are its NUMA nodes
#   user     an ordinary user in a group delegated to it, below a slice that is not
#   systemd  systemd is pid 1
#   lacking  the kernel was booted without the memory controller
here=$(dirname "$0")
guest=$1
shift
if [ "$guest" = default ] && [ "$(stat -f -c %T /sys/fs/cgroup 2>/dev/null)" = cgroup2fs ] &&
    [ "$(id -u)" -eq 0 ] && [ -w /sys/fs/cgroup/cgroup.subtree_control ] && [ -z "$TRESTLE_VM_KERNEL" ]
then
    exec "$@"
fi
limit=${TRESTLE_LONG:+80000}
case $guest in
    default) set -- --smp 4 --mem 1536 --swap 256M --disk 64M --hugepages 32 --timeout ${limit:-1400} -- "$@"
        why="/sys/fs/cgroup is no writable cgroup v2, and no VM" ;;
    numa) set -- --smp 16 --numa 4 --mem 2048 --timeout 800 -- "$@" ;;
    user) set -- --smp 4 --mem 1536 --swap 256M --uid 1000 --cgroup trestle.slice/delegated --timeout 800 -- "$@" ;;
    systemd) set -- --smp 4 --mem 1536 --swap 256M --systemd --timeout 800 -- "$@" ;;
    sockets) set -- --smp 8,sockets=2,cores=4 --numa 2 --mem 2048 --timeout 800 -- "$@" ;;
    lacking) set -- --smp 4 --mem 1536 --append cgroup_disable=memory --timeout 800 -- "$@" ;;
    *)
        echo "$0: no guest '$guest', expected default, numa, sockets, user, systemd or lacking" >&2
        exit 2
        ;;
esac
why=${why:-"no VM for the guest $guest"}
if ! command -v python3 >/dev/null; then
    echo "SKIPPED: $why: it needs python3"
    exit 77
fi
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
python3 "$here/vm.py" "$@" 2> "$errors"
status=$?
cat "$errors" >&2
[ $status -eq 123 ] || exit $status
echo "SKIPPED: $why: $(tail -n 1 "$errors")"
exit 77
