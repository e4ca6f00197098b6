# SPDX-License-Identifier: Apache-2.0
"""What is handed to others: the source distribution, the installed package, what an import costs.

`cmake/wheel.sh` builds the wheel from the distribution and tries it; `cmake/check.sh --long` calls it.
"""

import importlib.metadata
import importlib.util
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import trestle
from conftest import MODULES

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "bindings/python"
LIBRARY = ("CMakeLists.txt", "LICENSE", "cmake", "include", "src")


@pytest.fixture(scope="module")
def distribution(tmp_path_factory):
    """Contents of the files of the source distribution, by name, its first folder left off."""
    pytest.importorskip("scikit_build_core", reason="no scikit-build-core: NO SDIST IS TESTED")
    folder = tmp_path_factory.mktemp("sdist")
    code = f"import build_backend; print(build_backend.build_sdist({str(folder)!r}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    with tarfile.open(folder / done.stdout.splitlines()[-1]) as archive:
        return {member.name.partition("/")[2]: archive.extractfile(member).read()
                for member in archive if member.isfile()}


def tracked(*names):
    """Paths of the files that git knows below `names` and that are there."""
    if not (ROOT / ".git").exists():
        pytest.skip("NO GIT CHECKOUT: nobody says which files are the repository's")
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--", *names], text=True, check=True,
                            capture_output=True).stdout
    return [path for path in map(Path, listed.split("\0")[:-1]) if (ROOT / path).exists()]


def test_distribution_has_every_file_of_the_package_and_of_the_library(distribution):
    package = {str(path.relative_to("bindings/python")) for path in tracked("bindings/python")}
    library = {f"library/{path}" for path in tracked(*LIBRARY)}
    assert package and library
    assert package | library <= distribution.keys()


def test_distribution_names_no_folder_above_itself(distribution):
    for name in ("CMakeLists.txt", "pyproject.toml"):
        text = distribution[name].decode()
        assert "../.." not in text and "library" in text
    assert distribution["library/include/trestle/version.hpp"] == (
        ROOT / "include/trestle/version.hpp").read_bytes()
    about = distribution["PKG-INFO"].decode()
    assert f"\nVersion: {trestle.__version__}\n" in about
    assert "\nLicense-Expression: Apache-2.0\n" in about


def test_the_package_has_the_licence_itself(distribution):
    """A copy: a link would lead nowhere in a distribution, and trees that are handed on lose it."""
    assert not (PROJECT / "LICENSE").is_symlink()
    licence = (ROOT / "LICENSE").read_bytes()
    assert (PROJECT / "LICENSE").read_bytes() == licence
    assert distribution["LICENSE"] == licence


def test_the_module_shows_one_symbol():
    """So that two modules in a process cannot take functions of each other's libraries."""
    core = Path(trestle._core.__file__)
    path = ROOT / "tests/packages/wheel_user.py"
    spec = importlib.util.spec_from_file_location("wheel_user", path)
    wheel_user = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(wheel_user)
    shown, needs = wheel_user.symbols_and_needs(core.read_bytes())
    assert shown == {"PyInit__core"}
    assert "libc.so.6" in needs


def test_bindings_use_no_layout_that_the_stable_abi_hides():
    """Only `cmake/wheel.sh` compiles them for it."""
    hidden = re.compile(r"\b(Py\w+_[A-Z]+_(ITEM|SIZE|STRING|DOUBLE)|PyObject_CallOneArg|PyObject_Vectorcall)\(|->tp_\w+")
    for path in sorted(PROJECT.glob("*.[hc]pp")):
        text = re.sub(r"#ifdef Py_LIMITED_API.*?#endif", "", path.read_text(), flags=re.DOTALL)
        found = [match.group() for match in hidden.finditer(text)]
        assert not found, f"{path.name}: {found}"


def test_version_is_that_of_cmake():
    done = subprocess.run([sys.executable, "-m", "trestle", "--version"], text=True, check=True,
                          capture_output=True)
    header = (ROOT / "include/trestle/version.hpp").read_text()  # which CMakeLists.txt reads
    numbers = [header.partition(f"define TRESTLE_VERSION_{part} ")[2].split()[0]
               for part in ("MAJOR", "MINOR", "PATCH")]
    assert done.stdout == ".".join(numbers) + "\n"


def test_installed_package_has_stubs_and_licence():
    try:
        files = {str(file) for file in importlib.metadata.files("trestle")}
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("trestle IS NOT INSTALLED: its files are not looked at")
    stubs = {f"trestle/{module.__name__.rpartition('.')[2]}.pyi" for module in MODULES[1:]}
    assert stubs | {"trestle/__init__.pyi", "trestle/py.typed"} <= files
    assert any(name.endswith("licenses/LICENSE") for name in files)


def test_import_loads_nothing_that_it_does_not_need():
    """Which is what keeps it fast: 35 ms of CPU, nearly all in the compiled module."""
    code = "import sys; before = set(sys.modules); import trestle; print(*set(sys.modules) - before)"
    loaded = subprocess.run([sys.executable, "-c", code], text=True, check=True,
                            capture_output=True).stdout.split()
    if "trestle._core" not in loaded:
        pytest.fail(f"not imported: {loaded}")
    slow = {"numpy", "matplotlib", "pandas", "pyarrow", "gymnasium", "tqdm", "ray", "dataclasses",
            "inspect", "pathlib", "urllib", "asyncio", "json", "argparse"}
    assert slow.isdisjoint(loaded)
