# SPDX-License-Identifier: Apache-2.0
"""scikit-build-core, with a source distribution that builds where no repository is.

The module is compiled from the library, two folders above this one, where no build backend looks.
In a source distribution the library lies in `library/`, and the two files that name it say so. All
else is scikit-build-core's.
"""

import os
import pathlib
import shutil
import tempfile
from typing import Any, Dict, Optional

from scikit_build_core import build as _backend
from scikit_build_core.build import *  # noqa: F403  # the other hooks

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
LIBRARY = ("CMakeLists.txt", "LICENSE", "cmake", "include", "src")
NAME_THE_LIBRARY = ("CMakeLists.txt", "pyproject.toml")
_MADE = shutil.ignore_patterns("__pycache__", "*.so", "*.egg-info", "build", "dist", ".*")


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    """Writes the archive into the folder and gives its name (PEP 517)."""
    target = str(pathlib.Path(sdist_directory).resolve())
    if (HERE / "library").exists():  # this is a source distribution
        return str(_backend.build_sdist(target, config_settings))
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "trestle"
        shutil.copytree(HERE, tree, ignore=_MADE)
        for name in LIBRARY:
            source, copy = REPOSITORY / name, tree / "library" / name
            if source.is_dir():
                shutil.copytree(source, copy, ignore=_MADE)
            else:
                copy.parent.mkdir(exist_ok=True)
                shutil.copyfile(source, copy)
        for name in NAME_THE_LIBRARY:
            path = tree / name
            path.write_text(path.read_text().replace("../..", "library"))
        before = os.getcwd()
        os.chdir(tree)
        try:
            return str(_backend.build_sdist(target, config_settings))
        finally:
            os.chdir(before)
