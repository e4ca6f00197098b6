# SPDX-License-Identifier: Apache-2.0
"""The package itself: version, docstrings, stubs, the pytest plugin, the example."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import trestle
from conftest import MODULES, STRUCTS, check_golden, public_classes, public_functions
from public_names import public_names

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(trestle.__file__).resolve().parent  # installed, or in a build folder: with stubs


def test_versions_agree():
    header = (ROOT / "include/trestle/version.hpp").read_text()
    assert f'version_text = "{trestle.__version__}"' in header
    try:
        assert importlib.metadata.version("trestle") == trestle.__version__
    except importlib.metadata.PackageNotFoundError:
        assert not Path(trestle.__file__).is_relative_to(sys.prefix), "installed without metadata"


def test_everything_has_a_docstring():
    missing = [name for name, value in {**public_classes(), **public_functions()}.items()
               if not (value.__doc__ or "").strip()]
    assert missing == []


def test_every_attribute_says_what_it_is_and_numbers_say_their_unit():
    bad = []
    for struct in STRUCTS:
        for name in struct.__match_args__:
            about = getattr(struct, name).__doc__ or ""
            signature = getattr(struct, name).fget.__nb_signature__[0][0]
            is_number = re.search(r"-> (int|int \| None|trestle.Range\[int\])$", signature)
            if not about or (is_number and "int" not in about):
                bad.append(f"{struct.__qualname__}.{name}: {about!r}")
    assert bad == []
    assert "bytes" in trestle.Device.memory.__doc__
    assert "seconds" in trestle.Request.time_limit.__doc__
    assert "millionths of a US dollar" in trestle.Offer.price.__doc__


def test_public_names_are_those_of_the_golden_file():
    """A name that goes or comes breaks or binds users: the diff of the file is to be read."""
    check_golden("python_names.txt", "".join(f"{line}\n" for line in public_names(PACKAGE)))


def test_every_module_has_a_stub():
    stubs = {path.stem for path in PACKAGE.glob("*.pyi")}
    assert stubs == {"__init__"} | {module.__name__.rpartition(".")[2] for module in MODULES[1:]}
    assert (PACKAGE / "py.typed").exists()


def test_stubs_satisfy_a_strict_type_checker(tmp_path):
    # A copy, because mypy trusts what it finds in site-packages and reports nothing there.
    copy = tmp_path / "trestle"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache",
                           *copy.glob("*.pyi"), copy / "enforce.py",
                           copy / "__main__.py", copy / "gym_env.py", copy / "flux.py",
                           copy / "ray.py",
                           copy / "_frozen.py", copy / "_optional.py", copy / "_rng.py",
                           *copy.glob("*/*.py"), *ROOT.glob("examples/*.py"),
                           *ROOT.glob("examples/*/*.py")], text=True,
                          capture_output=True, env={**os.environ, "MYPYPATH": str(tmp_path)})
    assert done.returncode == 0, done.stdout


def test_plugin_shows_what_differs(pytester):
    pytester.makeconftest('pytest_plugins = ["trestle.pytest_plugin"]')
    pytester.makepyfile("""
        import trestle
        def test_placement():
            a = trestle.Placement([trestle.NodePlacement(3, 1, trestle.CoreSet("0-3"))])
            assert a == trestle.Placement([trestle.NodePlacement(3, 1, trestle.CoreSet("0-4"))])
        def test_fields():
            a = trestle.Request()
            assert a == a.replace(topology=a.topology.replace(is_contiguous=True))
    """)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines([
        "*two values of Placement differ:*", "*- node 3 cores 0-3*", "*+ node 3 cores 0-4*",
        "*two values of Request differ:*", "*- topology.is_contiguous = False*"])


def test_example_test_your_scheduler():
    folder = ROOT / "examples/test_your_scheduler"
    lines = (folder / "test_scheduler.py").read_text().splitlines()
    assert sum(bool(line.strip()) for line in lines[1:]) <= 20
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", folder],
                          text=True, capture_output=True)
    assert done.returncode == 0, done.stdout


def test_import_is_quiet_and_fast():
    code = "import time; t = time.process_time(); import trestle; print(time.process_time() - t)"
    seconds = min(float(subprocess.run([sys.executable, "-c", code], check=True, text=True,
                                       capture_output=True).stdout) for _ in range(3))
    assert seconds < 0.25  # 50 ms is the aim; this only catches a disaster on a loaded machine
