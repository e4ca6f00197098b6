#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh PREFIX CC STEM FOLDER: compiles STEM.c with what trestle.pc below PREFIX says, once for the
# shared library and once for the static one, and compares what the programs print with STEM.expected.
set -eu
prefix=$1 cc=$2 stem=$3 folder=$4
command -v pkg-config > /dev/null || { echo "SKIPPED: no pkg-config"; exit 77; }
mkdir -p "$folder"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name trestle.pc)")
export PKG_CONFIG_PATH
libraries=$(pkg-config --variable=libdir trestle)
[ "$(pkg-config --modversion trestle)" = "$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' \
    "$libraries/cmake/trestle/trestle-config-version.cmake")" ]

flags="-std=c99 -pedantic -Wall -Wextra -Werror $(pkg-config --cflags trestle)"
$cc $flags "$stem.c" -o "$folder/shared" $(pkg-config --libs trestle) "-Wl,-rpath,$libraries"
# -ltrestle would take the shared one beside it.
static=$(pkg-config --static --libs trestle | sed 's/-ltrestle/-l:libtrestle.a/')
$cc $flags "$stem.c" -o "$folder/static" $static
for kind in shared static; do
    "$folder/$kind" > "$folder/$kind.txt"
    diff "$stem.expected" "$folder/$kind.txt"
done
