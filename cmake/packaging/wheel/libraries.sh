#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles the libraries that a wheel links in, from Debian's copies of their releases:
# libraries.sh TOOLS FOLDER
# TOOLS is a venv with ziglang, cmake and ninja. FOLDER gets zig.cmake, the toolchain for them and for the module;
# prefix, where they are installed; licenses, their texts; bin and zig-cache. A second run with the same versions does
# nothing. Zig brings its own libc++, so C++ libraries of the system cannot be linked.
set -eu
tools=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
mkdir -p "$2"
cd "$2"
folder=$PWD
. "$here/../../packages.sh" # debian_mirror

glibc=2.28
suite=bookworm
sources="abseil=20220623.1-1+deb12u2 croaring=0.2.66+ds-2 fmtlib=9.1.0+ds1-2 hwloc=2.9.0-1
    nlohmann-json3=3.11.2-2 yaml-cpp=0.7.0+dfsg-8"
zig=$(echo "$tools"/lib/python3*/site-packages/ziglang/zig)

sum=$({ cat "$here/libraries.sh"; echo "$folder"; "$zig" version; } | sha1sum)
[ "$sum" != "$(cat stamp 2>/dev/null)" ] || exit 0
rm -rf stamp bin source build prefix licenses zig.cmake
mkdir -p bin source build licenses apt/lists/partial apt/cache/archives/partial

# The toolchain. A program cannot see what its zig was started as, so each command is a script.
command_of_zig() {
    printf '#!/bin/sh\nexport ZIG_GLOBAL_CACHE_DIR="%s/zig-cache" ZIG_LOCAL_CACHE_DIR="%s/zig-cache"\nexec "%s" %s "$@"\n' \
        "$folder" "$folder" "$zig" "$2" > "bin/$1"
    chmod +x "bin/$1"
}
command_of_zig cc "cc -target x86_64-linux-gnu.$glibc"
command_of_zig c++ "c++ -target x86_64-linux-gnu.$glibc"
command_of_zig ar ar
command_of_zig ranlib ranlib
optimised="-O2 -DNDEBUG"
hidden="-fvisibility=hidden -ffunction-sections -fdata-sections"
cat > zig.cmake << CMAKE
set(CMAKE_C_COMPILER $folder/bin/cc)
set(CMAKE_CXX_COMPILER $folder/bin/c++)
set(CMAKE_AR $folder/bin/ar)
set(CMAKE_RANLIB $folder/bin/ranlib)
set(CMAKE_C_FLAGS_INIT "$hidden")
set(CMAKE_CXX_FLAGS_INIT "$hidden")
set(CMAKE_PREFIX_PATH $folder/prefix)
CMAKE

# Apt checks Debian's signature and the sums of the files. Its lists are apart from the system's.
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(debian_mirror) $suite main" > apt/sources.list
apt_apart() {
    apt-get -qq -o APT::Sandbox::User=root -o Dir::Etc::SourceList="$folder/apt/sources.list" \
        -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" "$@"
}
apt_apart update
(cd source && apt_apart source --download-only --tar-only $sources && for archive in *.tar.*; do tar -xf "$archive"; done)
source_of() { echo "$folder/source/$1"*/; }

# with_cmake NAME SOURCE OPTION...
with_cmake() {
    name=$1 source=$(source_of "$2")
    shift 2
    find "$source" -maxdepth 1 -type f -name 'LICENSE*' -exec cp {} "licenses/$name" ';'
    cmake -S "$source" -B "build/$name" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$folder/zig.cmake" \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="$optimised" -DCMAKE_CXX_FLAGS_RELEASE="$optimised -w" \
        -DCMAKE_CXX_STANDARD=20 -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF \
        -DCMAKE_INSTALL_PREFIX="$folder/prefix" -DCMAKE_INSTALL_LIBDIR=lib "$@" > "build/$name.log" 2>&1
    { cmake --build "build/$name" && cmake --install "build/$name"; } >> "build/$name.log" ||
        { tail -n 30 "build/$name.log"; exit 1; }
}
PATH=$(dirname "$zig")/../cmake/data/bin:$tools/bin:$PATH
with_cmake fmt fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF
with_cmake croaring CRoaring -DROARING_BUILD_STATIC=ON -DROARING_DISABLE_NATIVE=ON -DENABLE_ROARING_TESTS=OFF
with_cmake nlohmann_json json -DJSON_BuildTests=OFF
with_cmake yaml-cpp yaml-cpp -DYAML_CPP_BUILD_TOOLS=OFF -DYAML_CPP_BUILD_CONTRIB=OFF -DYAML_CPP_BUILD_TESTS=OFF
with_cmake abseil abseil -DABSL_PROPAGATE_CXX_STD=ON

# hwloc without libxml2 and libpciaccess: it reads its own XML and, from sysfs, devices without their model names.
cp "$(source_of hwloc)COPYING" licenses/hwloc
mkdir build/hwloc
cd build/hwloc
{ "$(source_of hwloc)configure" -q --prefix="$folder/prefix" --libdir="$folder/prefix/lib" \
    --disable-shared --enable-static --disable-dependency-tracking --disable-libxml2 --disable-pci --disable-libudev \
    --disable-cairo --disable-opencl --disable-cuda --disable-nvml --disable-rsmi --disable-levelzero --disable-gl \
    CC="$folder/bin/cc" AR="$folder/bin/ar" RANLIB="$folder/bin/ranlib" CFLAGS="$optimised $hidden -fPIC -w" &&
    make -s -C include install && make -s -C hwloc install; } > ../hwloc.log 2>&1 || { tail -n 30 ../hwloc.log; exit 1; }
cd "$folder"
rm -rf source build apt
echo "$sum" > stamp
