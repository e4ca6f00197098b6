# SPDX-License-Identifier: Apache-2.0
# Sourced by quickstart.sh and check.sh: what they need of Debian 12, and one way to get it.

build_packages="g++ cmake ninja-build libabsl-dev libroaring-dev libfmt-dev libyaml-cpp-dev
    nlohmann-json3-dev libhwloc-dev"
check_packages="bzip2 ccache catch2 libbenchmark-dev clang-14 libclang-rt-14-dev clang-format-14
    python3 python3-dev python3-venv qemu-system-x86 busybox-static crun systemd dbus"

# need_packages NAME...: returns when all are installed. Installs what is missing, after listing it;
# without root, or on another system, says what to do and ends the script with status 2.
need_packages() {
    if ! grep -qs '^ID=debian' /etc/os-release || ! grep -qs '^VERSION_ID="12"' /etc/os-release; then
        echo "This script knows Debian 12 only. What it needs, under Debian's names:"
        echo $*
        echo "With these in place, CMakePresets.json holds all configurations."
        exit 2
    fi
    missing=
    for package; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' ok installed' ||
            missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        echo "Missing packages. Run this as root, then start again:"
        echo "apt-get update && apt-get install -y --no-install-recommends$missing"
        exit 2
    fi
    echo "installing:$missing"
    mkdir -p build/logs
    { apt-get update &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing; } \
        > build/logs/packages.log 2>&1 </dev/null && return 0
    tail -n 20 build/logs/packages.log
    echo "apt-get failed; all of it is in build/logs/packages.log"
    exit 2
}
