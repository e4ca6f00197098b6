#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# CPU seconds that one include costs, at -O0, best of three: measure.sh [HEADER...]
cd "$(dirname "$0")/../.." || exit 1
[ $# -gt 0 ] || set -- base/units.hpp base/status.hpp set/index_set.hpp model/node.hpp \
    alloc/cluster.hpp enforce/plan.hpp testing/node_text.hpp trestle.hpp
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo "| include | g++ | clang++-14 |"
echo "|---|---|---|"
for header; do
    echo "#include <trestle/$header>" > "$folder/one.cpp"
    printf '| %s |' "$header"
    for compiler in g++ clang++-14; do
        command -v $compiler >/dev/null || { printf ' not here |'; continue; }
        for run in 1 2 3; do
            (
                $compiler -std=c++20 -O0 -Iinclude -c "$folder/one.cpp" -o "$folder/one.o" || exit 1
                times  # the second line is that of the children: "0m1.234s 0m0.056s"
            ) > "$folder/times" || exit 1
            tail -n 1 "$folder/times" | awk -F'[ms ]+' '{ print $1 * 60 + $2 + $3 * 60 + $4 }'
        done | sort -n | head -n 1 | xargs printf ' %.2f |'
    done
    echo
done
