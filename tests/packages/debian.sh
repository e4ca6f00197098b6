#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the Debian packages in a Debian 13 of its own, checks them with lintian, installs them there, and compiles
# programs against them: debian.sh SOURCE_TREE FOLDER
# The root of that Debian is FOLDER/root, made by debootstrap, or the one that TRESTLE_DEBIAN_ROOT names. What is
# tested are packages and not speed, so the library is not optimised. An .rpm is made of the same build. Ends with 77
# where a program is missing.
set -eu
tree=$1 folder=$2
root=${TRESTLE_DEBIAN_ROOT:-$folder/root}
for program in debootstrap lintian; do
    command -v $program > /dev/null || { echo "no $program (Debian: $program)"; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "not root, which debootstrap needs"; exit 77; }
mkdir -p "$folder"
. "$tree/cmake/packages.sh" # build_packages, debian_mirror
[ -x "$root/usr/bin/dpkg" ] || debootstrap --variant=minbase trixie "$root" "$(debian_mirror)"

# here COMMAND: runs a shell command in the root, without the caller's environment.
here() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive DEBEMAIL="${DEBEMAIL:-packager@trestle.example.org}" sh -euc "$1"
}

echo "== build"
here "apt-get -qq update
apt-get -qq install -y --no-install-recommends $(echo $build_packages) pkg-config file dpkg-dev > /dev/null
apt-get -qq remove -y libtrestle-dev 'libtrestle[0-9]*' trestle python3-trestle > /dev/null 2>&1 || true"
rm -rf "$root/root/packages"
mkdir -p "$root/root/packages/tree"
(cd "$tree" && tar -cf - CMakeLists.txt LICENSE README.md include src bindings cmake examples) |
    tar -xf - -C "$root/root/packages/tree"
here 'cd /root/packages
cmake -S tree -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCMAKE_INSTALL_PREFIX=/usr \
    -DTRESTLE_BUILD_C=ON > /dev/null
cmake --build build -j"$(nproc)"
cd build && cpack -G DEB -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip # of what is not optimised, xz takes minutes'
packages=$root/root/packages/build/packages

echo "== lintian"
ls -l "$packages"/*.deb
lintian --fail-on error "$packages"/*.deb

echo "== install, and programs against it"
here 'cd /root/packages
apt-get -qq install -y --no-install-recommends ./build/packages/*.deb > /dev/null
dpkg -L libtrestle-dev | grep -q /usr/share/doc/libtrestle-dev/copyright
ldconfig -p | grep -q libtrestle.so
sbom=$(ls /usr/share/trestle/sbom)
[ "$(echo $sbom | wc -w)" -ge 2 ]
gcc -std=c99 -pedantic -Wall -Werror tree/examples/c_scheduler.c -o c_scheduler $(pkg-config --cflags --libs trestle)
./c_scheduler > c_scheduler.txt
diff tree/examples/c_scheduler.expected c_scheduler.txt
mkdir -p consumer
cp tree/examples/first_placement.cpp consumer
cat > consumer/CMakeLists.txt << CMAKE
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES CXX)
find_package(trestle 0.2 REQUIRED)
add_executable(first_placement first_placement.cpp)
target_link_libraries(first_placement PRIVATE trestle::trestle)
CMAKE
cmake -S consumer -B consumer/build -G Ninja > /dev/null
cmake --build consumer/build
consumer/build/first_placement | grep -q "^job 3: no (devices"
apt-get -qq remove -y libtrestle-dev "libtrestle[0-9]*" > /dev/null
[ ! -e /usr/include/trestle.h ]'

echo "== rpm"
here 'apt-get -qq install -y --no-install-recommends rpm > /dev/null
cd /root/packages/build
cpack -G RPM > rpm.log || { tail -n 20 rpm.log; exit 1; }
ls -l packages/*.rpm
rpm -qp --requires packages/trestle-devel-*.rpm | grep -q "^libtrestle[0-9]* = "
rpm -qp --provides packages/libtrestle[0-9]*.rpm | grep -q "libtrestle.so"
rm -rf /root/packages/rpm_root
mkdir /root/packages/rpm_root
rpm --root /root/packages/rpm_root --initdb
rpm --root /root/packages/rpm_root -i --nodeps --noscripts packages/*.rpm
[ -e /root/packages/rpm_root/usr/include/trestle.h ]'
ls -l "$packages"
echo "all steps passed"
