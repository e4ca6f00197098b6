#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh PREFIX CC STEM FOLDER: compiles STEM.c with what trestle.pc and trestle-static.pc below PREFIX
# say, once for the shared library and once for the static one, and compares what the programs print with
# STEM.expected. For the shared one pkg-config sees no other package.
set -eu
prefix=$1 cc=$2 stem=$3 folder=$4
command -v pkg-config > /dev/null || { echo "SKIPPED: no pkg-config"; exit 77; }
mkdir -p "$folder"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name trestle.pc)")
export PKG_CONFIG_PATH
libraries=$(pkg-config --variable=libdir trestle)
[ "$(pkg-config --modversion trestle)" = "$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' \
    "$libraries/cmake/trestle/trestle-config-version.cmake")" ]

alone() {
    env -u PKG_CONFIG_PATH PKG_CONFIG_LIBDIR="$PKG_CONFIG_PATH" pkg-config "$@" trestle
}
flags="-std=c99 -pedantic -Wall -Wextra -Werror"
$cc $flags $(alone --cflags) "$stem.c" -o "$folder/shared" $(alone --libs) "-Wl,-rpath,$libraries"
$cc $flags $(pkg-config --cflags trestle-static) "$stem.c" -o "$folder/static" \
    $(pkg-config --libs trestle-static)
for kind in shared static; do
    "$folder/$kind" > "$folder/$kind.txt"
    diff "$stem.expected" "$folder/$kind.txt"
done
