# SPDX-License-Identifier: Apache-2.0
# Sourced by quickstart.sh, check.sh and wheel.sh: which packages they need, and how to get them on
# Debian 12 and 13. `clang` is version 14 on Debian 12 and 19 on Debian 13; its program is clang++.
debian=
if grep -qs '^ID=debian$' /etc/os-release; then
    debian=$(sed -n 's/^VERSION_ID="\(.*\)"$/\1/p' /etc/os-release)
fi

build_packages="g++ cmake ninja-build libabsl-dev libroaring-dev libfmt-dev libyaml-cpp-dev
    nlohmann-json3-dev libhwloc-dev libcli11-dev"
wheel_packages="python3 python3-venv bzip2 debootstrap make xz-utils"
check_packages="python3 python3-dev python3-venv abigail-tools bzip2 ccache catch2 libbenchmark-dev clang libclang-rt-dev git
    pkg-config universal-ctags qemu-system-x86 busybox-static crun systemd dbus slurmctld slurmd slurm-client
    slurm-wlm-basic-plugins libslurm-dev valgrind"
case $debian in 13) ;; *) check_packages="$check_packages clang-format-14" ;; esac

# debian_mirror: where this system gets its packages from.
debian_mirror() {
    sed -n 's/^URIs: *\(http[^ ]*\/debian\)\/*$/\1/p; s/^deb \(\[.*\] \)*\(http[^ ]*\/debian\)\/* .*/\2/p' \
        /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1
}

# need_packages NAME...: returns when all are installed. Installs what is missing, after listing it;
# without root, or on another system, says what to do and ends the script with status 2.
need_packages() {
    case $debian in
        12 | 13) ;;
        *)
            show_packages "$@"
            exit 2
            ;;
    esac
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

# show_packages NAME...: prints what other systems call these packages.
show_packages() {
    echo "This script installs packages on Debian 12 and 13 only. Elsewhere, install these first:"
    echo
    row='%-18s  %-18s  %-22s  %s\n'
    printf "$row" Debian "Ubuntu 24.04" Fedora "RHEL 9, CRB, EPEL"
    while read -r name ubuntu fedora rhel; do
        case " $* " in *" $name "*) printf "$row" $name $ubuntu $fedora $rhel ;; esac
    done <<'TABLE'
g++                 g++                 gcc-c++                 gcc-toolset-13-gcc-c++
cmake               cmake               cmake                   cmake
ninja-build         ninja-build         ninja-build             ninja-build
libabsl-dev         libabsl-dev         abseil-cpp-devel        abseil-cpp-devel
libroaring-dev      libroaring-dev      croaring-devel          croaring-devel
libfmt-dev          libfmt-dev          fmt-devel               -
libyaml-cpp-dev     libyaml-cpp-dev     yaml-cpp-devel          yaml-cpp-devel
nlohmann-json3-dev  nlohmann-json3-dev  json-devel              json-devel
libhwloc-dev        libhwloc-dev        hwloc-devel             hwloc-devel
libcli11-dev        libcli11-dev        cli11-devel             cli11-devel
python3             python3             python3                 python3.11
python3-dev         python3-dev         python3-devel           python3.11-devel
python3-venv        python3-venv        python3                 python3.11
abigail-tools       abigail-tools       libabigail              libabigail
bzip2               bzip2               bzip2                   bzip2
ccache              ccache              ccache                  ccache
debootstrap         debootstrap         debootstrap             debootstrap
make                make                make                    make
xz-utils            xz-utils            xz                      xz
catch2              catch2              catch-devel             catch-devel
libbenchmark-dev    libbenchmark-dev    google-benchmark-devel  google-benchmark-devel
clang               clang               clang                   clang
libclang-rt-dev     libclang-rt-18-dev  compiler-rt             compiler-rt
git                 git                 git                     git
pkg-config          pkg-config          pkgconf-pkg-config      pkgconf-pkg-config
universal-ctags     universal-ctags     ctags                   ctags
valgrind            valgrind            valgrind-devel          valgrind-devel
qemu-system-x86     qemu-system-x86     qemu-system-x86         -
busybox-static      busybox-static      busybox                 busybox
crun                crun                crun                    crun
systemd             systemd             systemd                 systemd
dbus                dbus                dbus-daemon             dbus-daemon
slurmctld           slurmctld           slurm-slurmctld         slurm-slurmctld
slurmd              slurmd              slurm-slurmd            slurm-slurmd
slurm-client        slurm-client        slurm                   slurm
slurm-wlm-basic-plugins  slurm-wlm-basic-plugins  slurm          slurm
libslurm-dev        libslurm-dev        slurm-devel             slurm-devel
clang-format-14     clang-format-14     -                       -
TABLE
    echo
    echo "-  not packaged, or too old. Build fmt 9 or later from source; the rest is optional."
    echo "Only Debian's names are tested. RHEL: scl enable gcc-toolset-13 bash"
    echo "Then build by preset, as CMakePresets.json lists them: cmake --preset release"
}
