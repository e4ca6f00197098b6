#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the checkers of others, which a registry of Python packages has, on what packages.recipes and
# packages.components check themselves: tools.sh SOURCE_TREE BUILD_FOLDER FOLDER
# cffconvert reads CITATION.cff, spdx-tools the SBOM, Conan makes and tests its package. For the latter the libraries
# of the system stand in for those of Conan's own server.
set -eu
tree=$1 build=$2 folder=$3
python=/usr/bin/python3
[ -x $python ] || python=python3
mkdir -p "$folder"
[ -x "$folder/venv/bin/conan" ] || { $python -m venv "$folder/venv" &&
    "$folder/venv/bin/pip" install -q cffconvert==2.0.0 spdx-tools==0.8.5 conan==2.34.0; }
PATH=$folder/venv/bin:$PATH
CONAN_HOME=$folder/conan
export PATH CONAN_HOME

cffconvert --validate -i "$tree/CITATION.cff"

rm -rf "$folder/prefix"
cmake --install "$build" --prefix "$folder/prefix" > /dev/null
pyspdxtools -i "$folder/prefix/share/trestle/sbom/trestle.spdx.json"

mkdir -p "$CONAN_HOME/profiles"
conan profile detect --force > /dev/null 2>&1
cat > "$CONAN_HOME/profiles/system" <<'PROFILE'
include(default)
[settings]
compiler.cppstd=20
build_type=Debug
[conf]
tools.build:cxxflags=["-O0", "-g0"]
tools.cmake.cmake_layout:test_folder=$TMP
tools.cmake.cmaketoolchain:user_presets=
[platform_requires]
abseil/20240116.2
fmt/10.2.1
roaring/2.0.4
yaml-cpp/0.8.0
nlohmann_json/3.11.3
hwloc/2.9.3
[platform_tool_requires]
cmake/3.25.1
PROFILE
conan create "$tree/cmake/packaging/conan" --profile:all=system -o 'trestle/*:dialect=False' -o 'trestle/*:os=False'
