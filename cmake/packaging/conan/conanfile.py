# SPDX-License-Identifier: Apache-2.0
"""Trestle for Conan 2, built from the source tree that this file lies in."""
import pathlib

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.scm import Version

PARTS = ("CMakeLists.txt", "LICENSE", "include/*", "src/*", "bindings/c/*", "cmake/*", "examples/*")


class TrestleConan(ConanFile):
    name = "trestle"
    license = "Apache-2.0"
    description = "Allocates machines to jobs: models nodes, decides placements and enforces them on Linux"
    topics = ("scheduling", "slurm", "gpu", "cgroup")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "dialect": [True, False], "os": [True, False], "c": [True, False]}
    default_options = {"shared": False, "dialect": True, "os": True, "c": False}

    def _tree(self):
        return pathlib.Path(self.recipe_folder).resolve().parents[2]

    def set_version(self):
        lines = load(self, self._tree() / "include/trestle/version.hpp").splitlines()
        numbers = [line.split()[-1] for line in lines if line.startswith("#define TRESTLE_VERSION_")]
        self.version = self.version or ".".join(numbers)

    def export_sources(self):
        for part in PARTS:
            copy(self, part, src=self._tree(), dst=self.export_sources_folder)

    def config_options(self):
        if self.settings.os != "Linux":
            del self.options.os
            del self.options.c

    def requirements(self):
        # Public headers include these three.
        self.requires("abseil/20240116.2", transitive_headers=True, transitive_libs=True)
        self.requires("fmt/10.2.1", transitive_headers=True, transitive_libs=True)
        self.requires("roaring/2.0.4", transitive_headers=True, transitive_libs=True)
        if self.options.dialect:
            self.requires("yaml-cpp/0.8.0")
            self.requires("nlohmann_json/3.11.3", visible=False)
        if self.options.get_safe("os"):
            self.requires("hwloc/2.9.3")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")

    def validate(self):
        check_min_cppstd(self, 20)
        oldest = {"gcc": "12", "clang": "14"}.get(str(self.settings.compiler))
        if oldest and Version(self.settings.compiler.version) < oldest:
            raise ConanInvalidConfiguration(f"{self.ref} needs {self.settings.compiler} {oldest} or later")
        if self.options.get_safe("c") and (self.options.shared or not self.options.dialect or not self.options.os):
            raise ConanInvalidConfiguration("c=True needs dialect=True, os=True and shared=False")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TRESTLE_BUILD_DIALECT"] = bool(self.options.dialect)
        toolchain.cache_variables["TRESTLE_BUILD_OS"] = bool(self.options.get_safe("os"))
        toolchain.cache_variables["TRESTLE_BUILD_C"] = bool(self.options.get_safe("c"))
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=pathlib.Path(self.package_folder) / "licenses")
        CMake(self).install()

    def package_info(self):
        # The package's own trestle-config.cmake is used: it finds what it needs.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/trestle"]
        self.cpp_info.libs = ["trestle_core"]
        for part in ("dialect", "os"):
            if self.options.get_safe(part):
                self.cpp_info.libs.insert(0, f"trestle_{part}")
