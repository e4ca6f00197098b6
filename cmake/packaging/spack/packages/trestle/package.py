# SPDX-License-Identifier: Apache-2.0
"""Trestle for Spack 1.0 or later, built from the source tree that this file lies in."""
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Trestle(CMakePackage):
    """Allocates machines to jobs: models nodes, decides placements and enforces them on Linux."""

    git = pathlib.Path(__file__).resolve().parents[5].as_uri()

    license("Apache-2.0", checked_by="trestle")

    version("main", branch="main")
    version("0.2.0", tag="v0.2.0")

    variant("dialect", default=True, description="Slurm, dstack, JSON and other languages")
    variant("os", default=True, description="Discovery of machines and cgroup v2")
    variant("c", default=True, description="libtrestle, the library for C", when="+dialect+os")
    variant("shared", default=False, description="Shared libraries for C++", when="~c")

    depends_on("c", type="build", when="+c")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("abseil-cpp@20220623: cxxstd=20")
    depends_on("croaring@0.2.66:")
    depends_on("fmt@9:")
    depends_on("yaml-cpp@0.7:", when="+dialect")
    depends_on("nlohmann-json@3.11:", type="build", when="+dialect")
    depends_on("hwloc@2:", when="+os")

    conflicts("+os", when="platform=darwin", msg="trestle::os is for Linux")
    conflicts("%gcc@:11", msg="Trestle needs C++20: g++ 12 or later")
    conflicts("%clang@:13", msg="Trestle needs C++20: clang 14 or later")

    def cmake_args(self):
        return [
            self.define_from_variant("TRESTLE_BUILD_DIALECT", "dialect"),
            self.define_from_variant("TRESTLE_BUILD_OS", "os"),
            self.define_from_variant("TRESTLE_BUILD_C", "c"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]
