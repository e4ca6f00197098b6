#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# From a clean clone to the main job: installs what is missing, builds the program `trestle`
# and runs it. A second run builds nothing again.
set -eu
cd "$(dirname "$0")/.."
case " $* " in *" -h "* | *" --help "*) sed -n '3,4s/^# //p' cmake/quickstart.sh; exit ;; esac
. cmake/packages.sh

need_packages $build_packages

mkdir -p build/logs
log=build/logs/quickstart.log
[ -f build/quickstart/build.ninja ] && configure=true || configure="cmake --preset quickstart"
if ! { $configure && cmake --build build/quickstart --target trestle_tool -j"$(nproc)"; } \
    > $log 2>&1; then
    tail -n 30 $log
    echo "the build failed; all of it is in $log"
    exit 1
fi

# show COMMAND ARGUMENT...: prints the command as one would type it, then runs it.
show() {
    printf '\n$'
    for word; do
        case $word in *[!A-Za-z0-9_./:=,-]*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    echo
    "$@"
}
bin=build/quickstart/bin
show $bin/trestle run --cpus-per-task=1 --mem=64M -- sh -c 'echo "CPUs I see: $(nproc)"'
show $bin/trestle run --dry-run --node-conf examples/node.conf --gres-conf examples/gres.conf \
    --gres=gpu:a100:2 --cpus-per-task=8 --mem=32G -- true
show $bin/trestle offers 'gpu: 40GB..80GB:4..8' --offers examples/offers.csv
show $bin/trestle where --cluster examples/slurm_cluster -p gpu --gres=gpu:2 -c 4
