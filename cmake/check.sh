#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that has to be green: sh cmake/check.sh [--long] [STEP...]
# Without STEP all run, in the order at the end of this file. One line a step; the full output of a
# step is in build/logs/STEP.log. Ends with 0 if nothing failed. --long adds what takes hours and
# enters the outcome of each step in benchmarks/long.md. RUNS in the environment is how often calls, c-calls and each
# fuzz target run, in place of ten million.
set -u
cd "$(dirname "$0")/.."
case " $* " in *" -h "* | *" --help "*) sed -n '3,8s/^# //p' cmake/check.sh; exit ;; esac
root=$PWD
. cmake/packages.sh

long=
[ "${1:-}" = --long ] && { long=1; shift; }
wanted=" $* "
known=
jobs=$(nproc)
runs=${RUNS:-10000000}
passed=0 failed=0 skipped=0

# step NAME FUNCTION ARGUMENT...: 0 is passed, 77 is skipped with the log's last line as the reason.
step() {
    name=$1
    known="$known $name"
    shift
    case $wanted in "  " | *" $name "*) ;; *) return ;; esac
    log=build/logs/$name.log
    printf '%-12s ' "$name"
    begin=$(date +%s)
    ("$@") > "$log" 2>&1 </dev/null
    result=$?
    seconds=$(($(date +%s) - begin))
    case $result in
        0)
            passed=$((passed + 1)) outcome=passed
            printf 'passed %5d s   %s\n' $seconds "$(cases_in "$log")$(skips_in "$log")"
            ;;
        77)
            skipped=$((skipped + 1)) outcome="SKIPPED: $(tail -n 1 "$log")"
            printf '%s\n' "$outcome"
            ;;
        *)
            failed=$((failed + 1)) outcome=FAILED
            printf 'FAILED %5d s   %s\n' $seconds "$log:"
            { tail -n 40 "$log"; failures_in "$log"; } | sed 's/^/    /'  # what failed comes last
            ;;
    esac
    [ -z "$long" ] ||
        enter "$name" "$outcome | $seconds s | $today | $commit | $(cases_in "$log")$(skips_in "$log")"
}

# part NAME FUNCTION ARGUMENT...: a step that runs only when it is named, because another runs its tests.
part() {
    known="$known $1"
    case $wanted in *" $1 "*) step "$@" ;; esac
}

# enter NAME CELLS: the step's row in the report, in place of its last one.
enter() {
    { grep -v "^| $1 |" $report; echo "| $1 | $2 |"; } > $report.new && mv $report.new $report
}

# cases_in LOG: how many Catch2 and pytest cases or, after RUNS, runs a log speaks of, in words.
cases_in() {
    awk '/All tests passed \(/ { for (i = 1; i < NF; ++i) if ($(i + 1) == "test") n += $i }
         /[0-9]+ passed.* in [0-9.]+s/ { for (i = 1; i < NF; ++i) if ($(i + 1) ~ /^passed/) n += $i }
         /^[0-9]+ bugs, [0-9]+ not caught/ { runs = $0 }
         /^RUNS: / { runs = substr($0, 7) }
         END { if (n && !runs) print n " cases"; if (runs) print runs }' "$1"
}

# skips_in LOG: what was left out of a step that passed, each reason once with its count.
skips_in() {
    sed -n 's/.*SKIPPED\(:\| \[[0-9]*\] [^ ]*:\) //p' "$1" | sort | uniq -c | awk '
        { n = $1; sub(/^ *[0-9]+ /, ""); text = text "; SKIPPED" (n > 1 ? " " n " times" : "") ": " $0 }
        END { printf "%s", text }'
}

# failures_in LOG: what failed, since a log may end with what passed beside it: the failing cases of
# Catch2 and pytest and the failing suites of ctest; compilers have theirs at the end.
failures_in() {
    grep -B 6 -A 6 -E 'FAILED:|FAILED (tests|examples)/|\*\*\*(Failed|Timeout|Exception)' "$1" |
        head -n 160
}

# configure PRESET OPTION...: unless that was done, with the presets as they are. A stamp says so: CMake itself
# writes build.ninja again, with the presets as they were.
configure() {
    preset=$1
    shift
    [ "build/$preset/configured" -nt CMakePresets.json ] ||
        { cmake --fresh --preset "$preset" "$@" && touch "build/$preset/configured"; }
}

# build PRESET: configures once, then builds what changed. build/check has the Python module, too.
build() {
    if [ "$1" = check ]; then
        python_packages || return 1
        grep -qs '^TRESTLE_BUILD_PYTHON:BOOL=ON' build/check/CMakeCache.txt || rm -f build/check/configured
        configure check -DTRESTLE_BUILD_PYTHON=ON -DPython_EXECUTABLE="$venv/bin/python"
    else
        configure "$1"
    fi && cmake --build "build/$1" -j"$jobs"
}

# tests PRESET LABELS: -V leaves the counts in the log.
tests() { ctest --test-dir "build/$1" -L "$2" -V -j"$jobs" --no-tests=error; }

sanitized() { build "$1" && tests "$1" "$2"; }

# Each header alone, and the calls in the code of all of them; those of the libraries are in asan.
headers() {
    cmake --build build/check -j"$jobs" --target trestle_headers_alone trestle_symbols &&
        tests check symbols
}

# Other versions of clang-format lay out the same code differently.
format() {
    command -v clang-format-14 ||
        { echo "no clang-format-14, the version that defines the format"; return 77; }
    find include src tests benchmarks examples bindings -name '*.[hc]pp' -print0 |
        xargs -0 clang-format-14 --dry-run -Werror
}

# The tests of a kernel by themselves. A kernel test, and each case in it, skips itself with a reason;
# ctest would call that success. The step is skipped only when all of it was. $log has what this prints.
kernel() {
    tests check kernel || return 1
    ran=$(grep -c '^ *[0-9]*/[0-9]* Test .* Passed ' "$log")
    [ "$ran" -gt 0 ] || { sed -n 's/.*SKIPPED: //p' "$log" | sort -u | paste -sd ';'; return 77; }
}

# A venv of our own with what the Python tests need; the module is the one in build/check.
venv=$root/build/venv
python_packages() {
    system=/usr/bin/python3
    [ -x $system ] || system=python3
    [ -x "$venv/bin/pip" ] || $system -m venv "$venv" || return 1
    sum=$(sha1sum < bindings/python/pyproject.toml)
    [ "$sum" != "$(cat "$venv/stamp" 2>/dev/null)" ] || return 0
    "$venv/bin/python" -c 'import tomllib
project = tomllib.load(open("bindings/python/pyproject.toml", "rb"))
print(*project["build-system"]["requires"], *project["project"]["optional-dependencies"]["test"], sep="\n")' \
        > build/python_packages.txt &&
        "$venv/bin/pip" install -q -r build/python_packages.txt && echo "$sum" > "$venv/stamp"
}

python_kernel() {
    PYTHONPATH=$root/build/check/bindings/python
    export PYTHONPATH
    sh tests/vm/privileged.sh systemd "$venv/bin/python" -m pytest -q --noconftest \
        -p no:cacheprovider tests/python/test_enforce_kernel.py
}

# Discovery, readings and device filters on NVIDIA's driver.
gpu() {
    [ -d /proc/driver/nvidia/gpus ] || { echo "no NVIDIA driver on this machine"; return 77; }
    build check && build/check/tests/trestle_os_tests "[real_gpu]"
}

# The documentation as a site; a broken link is an error.
site() {
    build check && "$venv/bin/pip" install -q -r docs/requirements.txt &&
        cmake --build build/check --target docs
}

# The long part: many calls of the Python module, from other seeds than the short test has.
calls() {
    echo "RUNS: $runs calls"
    PYTHONPATH=$root/build/check/bindings/python \
        "$venv/bin/python" tests/python/call_fuzzer.py --calls "$runs" --seed 1000
}

# The same for the library for C, under the sanitizers.
c_calls() {
    configure asan && cmake -B build/asan -DTRESTLE_BUILD_C=ON > /dev/null || return 1
    echo "RUNS: $runs calls"
    build asan && TRESTLE_RUNS=$runs build/asan/tests/trestle_c_tests "c: ten million random calls end in a code"
}

# Handles of several threads, under ThreadSanitizer. The preset leaves the dialects out, which this needs.
c_threads() {
    cmake --preset tsan -B build/tsan-c -DTRESTLE_BUILD_DIALECT=ON -DTRESTLE_BUILD_C=ON > /dev/null &&
        cmake --build build/tsan-c -j"$jobs" --target trestle_c_tests &&
        build/tsan-c/tests/trestle_c_tests "[threads]"
}

# The packages of cpack, built and installed in a Debian of their own.
debian() {
    case $debian in 12 | 13) ;; *) echo "needs Debian 12 or 13 to start from"; return 77 ;; esac
    need_packages debootstrap lintian && sh tests/packages/debian.sh "$root" "$root/build/debian"
}

# What `trestle why` says in the Slurm of Debian 13, which is 24.11, and of sid, which is 26.05 or later.
slurm_releases() {
    case $debian in 12 | 13) ;; *) echo "needs Debian 12 or 13 to start from"; return 77 ;; esac
    [ "$(id -u)" -eq 0 ] || { echo "not root, which debootstrap needs"; return 77; }
    need_packages debootstrap && build check || return 1
    for suite in trixie sid; do
        folder=build/slurm/$suite
        [ -e "$folder/complete" ] || {
            rm -rf "$folder"
            mkdir -p "$folder"
            debootstrap --variant=minbase \
                --include=slurmctld,slurmd,slurm-client,slurm-wlm-basic-plugins,procps \
                $suite "$folder" "$(debian_mirror)" && touch "$folder/complete" || return 1
        }
        python3 tests/slurm/why.py build/check/bin/trestle 200 "$folder" || return 1
    done
}

# The checkers of others for recipes, citation and SBOM.
recipes() { build check && sh tests/packages/tools.sh "$root" "$root/build/check" "$root/build/package-tools"; }

# dstack of PyPI on the same inputs.
dstack() {
    build check && sh tests/packages/dstack.sh "$root" "$root/build/check" "$root/build/dstack" "$venv/bin/python"
}

# c_user PROGRAM PACKAGE FOLDER ARGUMENT...: runs the tests of a language's package on the installed libtrestle.
c_user() {
    program=$1 package=$2 folder=$3
    shift 3
    command -v "$program" || { echo "no $program (Debian: $package)"; return 77; }
    build check && cmake --install build/check --prefix "$root/build/c_prefix" > /dev/null || return 1
    PKG_CONFIG_PATH=$(dirname "$(find "$root/build/c_prefix" -name trestle.pc)")
    LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
    export PKG_CONFIG_PATH LD_LIBRARY_PATH
    cd "bindings/$folder" && "$program" "$@"
}

# A fuzz target, from the committed corpus.
fuzz() {
    echo "RUNS: $runs runs"
    TRESTLE_FUZZ_TARGET=$1
    export TRESTLE_FUZZ_TARGET
    configure fuzz && cmake --build build/fuzz -j"$jobs" --target trestle_fuzz &&
        mkdir -p "build/corpus/$1" &&
        build/fuzz/tests/fuzz/trestle_fuzz -runs="$runs" -timeout=10 -print_final_stats=1 \
            "build/corpus/$1" "tests/fuzz/corpus/$1"
}

# A part of the deliberate bugs: how many, and how many were not caught.
mutants() { python3 tests/mutants/run.py "$root" --part "$1"; }

begin_all=$(date +%s)
need_packages $build_packages $check_packages
mkdir -p build/logs
if [ -n "$long" ]; then
    report=benchmarks/long.md
    today=$(date -u +%F)
    commit=$(git describe --always --dirty 2>/dev/null || echo none)
    [ -f $report ] ||
        { echo "# Long run"
          echo
          echo "The last run of each step of \`cmake/check.sh --long\`, which may be run step by step:" \
              "\`check.sh --long slow guests\`."
          echo
          echo "| step | outcome | time | date | commit | |"
          echo "|---|---|---|---|---|---|"; } > $report
fi

step format format
step build build check
step tests tests check 'fast|threads|kernel|python|budget'
part python tests check python
part kernel kernel
step headers headers
step consumers tests check consumer
step asan sanitized asan fast
step tsan sanitized tsan threads
if [ -n "$long" ]; then
    export TRESTLE_LONG=1
    step asan-rounds sanitized asan fast  # all random rounds
    step slow tests check slow
    step guests tests check guests
    step python-kernel python_kernel
    step gpu gpu
    step long tests check long
    step site site
    step wheel sh cmake/wheel.sh
    step debian debian
    step slurm-releases slurm_releases
    step recipes recipes
    step dstack dstack
    TRESTLE_VM_KERNEL=6.1 step kernel-6.1 kernel
    step calls calls
    step c-calls c_calls
    step c-threads c_threads
    step go c_user go golang go test -count=1 ./...
    step rust c_user cargo cargo rust test --offline --target-dir "$root/build/rust"
    for part in 1 2 3 4; do step mutants-$part mutants $part/4; done
    for corpus in tests/fuzz/corpus/*; do step "fuzz-${corpus##*/}" fuzz "${corpus##*/}"; done
fi
for name in $wanted; do
    case "$known " in *" $name "*) ;; *)
        echo "no step $name, expected one of:$known"
        exit 2
        ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped in $(($(date +%s) - begin_all)) s"
[ $failed -eq 0 ]
