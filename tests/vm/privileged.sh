#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# privileged.sh PROGRAM [ARGUMENT...]: runs it here, where cgroup v2 is writable, else in a VM. Ends
# with the program's status, or with 77 and a line "SKIPPED: reason" where neither works.
# TRESTLE_VM_KERNEL asks for a certain kernel, hence for the VM.
here=$(dirname "$0")
if [ "$(stat -f -c %T /sys/fs/cgroup 2>/dev/null)" = cgroup2fs ] &&
    [ "$(id -u)" -eq 0 ] && [ -w /sys/fs/cgroup/cgroup.subtree_control ] && [ -z "$TRESTLE_VM_KERNEL" ]
then
    exec "$@"
fi
if ! command -v python3 >/dev/null; then
    echo "SKIPPED: /sys/fs/cgroup is no writable cgroup v2, and the VM needs python3"
    exit 77
fi
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
python3 "$here/vm.py" --smp 4 --mem 1536 --swap 256M --timeout 800 -- "$@" 2> "$errors"
status=$?
cat "$errors" >&2
[ $status -eq 123 ] || exit $status
echo "SKIPPED: /sys/fs/cgroup is no writable cgroup v2, and no VM: $(tail -n 1 "$errors")"
exit 77
