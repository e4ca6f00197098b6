#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what package managers read: recipes.py SOURCE_TREE

The version is the same everywhere. The recipes of Spack, vcpkg and Conan name options of CMake that exist, and the
libraries that the build looks for. Each is run, or read, as far as that goes without its program: the recipe of Spack on
stand-ins for its words, the port of vcpkg on stand-ins for its functions, its manifest against the rules of the format.
tools.sh runs the programs that a registry of Python packages has.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import types

IDENTIFIER = r'[a-z0-9]+(-[a-z0-9]+)*'
MANIFEST = {'name', 'version', 'description', 'license', 'supports', 'dependencies', 'default-features', 'features'}
LIBRARIES = {'absl', 'roaring', 'fmt', 'yaml-cpp', 'nlohmann_json', 'Hwloc'}  # as find_package names them
NAMES = {  # what each package manager calls them
    'spack': {'abseil-cpp', 'croaring', 'fmt', 'yaml-cpp', 'nlohmann-json', 'hwloc'},
    'vcpkg': {'abseil', 'roaring', 'fmt', 'yaml-cpp', 'nlohmann-json', 'hwloc'},
    'conan': {'abseil', 'roaring', 'fmt', 'yaml-cpp', 'nlohmann_json', 'hwloc'},
}


def version_of(root):
    text = (root / 'include/trestle/version.hpp').read_text()
    return '.'.join(re.findall(r'#define TRESTLE_VERSION_\w+ (\d+)', text))


def versions(root):
    """(file, version) of each file that has the version."""
    patterns = {
        'include/trestle/version.hpp': r'version_text = "([^"]+)"',
        'CITATION.cff': r'(?m)^version: (\S+)$',
        'bindings/rust/trestle/Cargo.toml': r'(?m)^version = "([^"]+)"$',
        'bindings/rust/trestle-sys/Cargo.toml': r'(?m)^version = "([^"]+)"$',
        'cmake/packaging/vcpkg/trestle/vcpkg.json': r'"version": "([^"]+)"',
        'cmake/packaging/spack/packages/trestle/package.py': r'version\("(\d[^"]*)"',
        'CHANGELOG.md': r'(?m)^## (\d+\.\d+\.\d+)',
    }
    for name, pattern in patterns.items():
        found = re.search(pattern, (root / name).read_text())
        yield name, found[1] if found else 'none'


def options_of(root):
    """The options that the build knows."""
    text = (root / 'CMakeLists.txt').read_text()
    return {*re.findall(r'option\((TRESTLE_\w+)', text), 'BUILD_SHARED_LIBS'}


def spack_recipe(root):
    """What the recipe says to Spack, and the options that it would configure with."""
    said = []

    def word(name):
        return lambda *arguments, **named: said.append((name, arguments, named))

    words = {name: word(name) for name in ('license', 'version', 'variant', 'depends_on', 'conflicts')}
    package = types.SimpleNamespace(define_from_variant=lambda option, variant: (option, variant))
    path = root / 'cmake/packaging/spack/packages/trestle/package.py'
    code = re.sub(r'(?m)^from spack.* import .*$', '', path.read_text())
    names = {**words, 'CMakePackage': object, '__file__': str(path)}
    exec(compile(code, path, 'exec'), names)  # noqa: S102
    return said, names['Trestle'], names['Trestle'].cmake_args(package)


def spack_breaches(root):
    said, recipe, options = spack_recipe(root)
    variants = {arguments[0] for word, arguments, _ in said if word == 'variant'}
    for option, variant in options:
        if option not in options_of(root) or variant not in variants:
            yield f'spack: {option} of the variant {variant} does not exist'
    needed = {re.split(r'[@+~ :]', arguments[0])[0] for word, arguments, _ in said if word == 'depends_on'}
    if missing := NAMES['spack'] - needed:
        yield f'spack: does not depend on {sorted(missing)}'
    for word, arguments, named in said:
        for used in re.findall(r'(?<![\w@.])[+~](\w+)', f'{arguments} {named.get("when", "")}'):
            if used not in variants:
                yield f'spack: {word}{arguments}: no variant {used}'
    if recipe.git != root.as_uri():
        yield f'spack: git is {recipe.git}, expected {root.as_uri()}'


def manifest_breaches(manifest):
    if unknown := set(manifest) - MANIFEST:
        yield f'fields {sorted(unknown)} are not expected'
    if missing := {'name', 'version', 'description', 'license'} - set(manifest):
        yield f'lacks {sorted(missing)}'
    features = manifest.get('features', {})
    names = [manifest['name'], *features]
    wanted = manifest.get('default-features', [])
    for part in (manifest, *features.values()):
        for one in part.get('dependencies', []):
            names.append(one if isinstance(one, str) else one['name'])
            if isinstance(one, dict):
                wanted = wanted + one.get('features', [])
    for name in names:
        if not re.fullmatch(IDENTIFIER, name):
            yield f'{name!r} is no identifier'
    for feature, part in features.items():
        if 'description' not in part or set(part) - {'description', 'supports', 'dependencies'}:
            yield f'feature {feature}: expected description, supports and dependencies'
    for one in wanted:
        if (name := one if isinstance(one, str) else one['name']) not in features:
            yield f'no feature {name}'
    if missing := NAMES['vcpkg'] - set(names):
        yield f'does not depend on {sorted(missing)}'


PORT_STUBS = '''
macro(vcpkg_check_features)
    list(FIND ARGV FEATURES at)
    math(EXPR at "${at} + 1")
    list(SUBLIST ARGV ${at} -1 pairs)
    set(features "")
    while(pairs)
        list(POP_FRONT pairs feature option)
        list(APPEND features -D${option}=ON)
    endwhile()
endmacro()
function(vcpkg_cmake_configure)
    message(STATUS "configure ${ARGN}")
endfunction()
foreach(name IN ITEMS vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig vcpkg_install_copyright)
    cmake_language(EVAL CODE "function(${name})\\nmessage(STATUS \\"${name} \\${ARGN}\\")\\nendfunction()")
endforeach()
'''


def port_breaches(root, folder):
    """Runs the port on stand-ins that print what they are called with."""
    port = root / 'cmake/packaging/vcpkg/trestle'
    script = folder / 'run.cmake'
    script.write_text(f'cmake_minimum_required(VERSION 3.25)\n{PORT_STUBS}set(FEATURES core c dialect os)\nset(PORT trestle)\n'
                      f'set(CURRENT_PACKAGES_DIR "{folder}/out")\ninclude("{port}/portfile.cmake")\n')
    run = subprocess.run(['cmake', '-P', script], capture_output=True, text=True)
    if run.returncode:
        yield f'vcpkg: {run.stderr}'
        return
    for option in re.findall(r'-D(\w+)=', run.stdout):
        if option not in options_of(root):
            yield f'vcpkg: no option {option}'
    for expected in (f'SOURCE_PATH;{root}', 'vcpkg_cmake_install', 'vcpkg_fixup_pkgconfig', f'FILE_LIST;{root}/LICENSE'):
        if expected not in run.stdout:
            yield f'vcpkg: the port does not say {expected}'
    if not (folder / 'out/share/trestle/usage').exists():
        yield 'vcpkg: usage is not installed'


def conan_breaches(root):
    for path in (root / 'cmake/packaging/conan').rglob('*.py'):
        compile(path.read_text(), path, 'exec')
    text = (root / 'cmake/packaging/conan/conanfile.py').read_text()
    if missing := NAMES['conan'] - set(re.findall(r'requires\("([\w-]+)/', text)):
        yield f'conan: does not require {sorted(missing)}'
    for option in re.findall(r'cache_variables\["(\w+)"\]', text):
        if option not in options_of(root):
            yield f'conan: no option {option}'
    for part in re.search(r'PARTS = \(([^)]*)\)', text)[1].split(','):
        if (part := part.strip(' "')) and not list(root.glob(part)):
            yield f'conan: exports {part}, which does not exist'


def breaches(root):
    version = version_of(root)
    for name, said in versions(root):
        if said != version:
            yield f'{name}: version {said}, expected {version}'
    listing = (root / 'CMakeLists.txt').read_text()
    if (found := set(re.findall(r'find_package\(([\w-]+)', listing))) != LIBRARIES:
        yield f'the build looks for {sorted(found)}; the recipes and this test are for {sorted(LIBRARIES)}'
    yield from spack_breaches(root)
    manifest = json.loads((root / 'cmake/packaging/vcpkg/trestle/vcpkg.json').read_text())
    yield from (f'vcpkg.json: {one}' for one in manifest_breaches(manifest))
    with tempfile.TemporaryDirectory() as made:
        yield from port_breaches(root, pathlib.Path(made))
    yield from conan_breaches(root)


def main(root):
    found = list(breaches(root))
    print(*found, f'{len(found)} breaches', sep='\n')
    return 1 if found else 0


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
