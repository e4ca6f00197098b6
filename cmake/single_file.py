#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes trestle.hpp and trestle.cpp, the core in two files, into a folder.

Usage: single_file.py SOURCE_TREE OUTPUT_FOLDER

trestle.hpp has every public header of the core once, each behind those that it includes; trestle.cpp
has the private headers and the sources likewise. The test tools (trestle/testing) stay out.
"""
import pathlib
import re
import sys

PUBLIC = ("base", "set", "model", "alloc", "enforce")
OUR_INCLUDE = re.compile(r'#include "([^"]+)"')
SYSTEM_INCLUDE = re.compile(r"#include <[^>]+>")
TITLE = "// SPDX-License-Identifier: Apache-2.0\n// Trestle {version}: {what}. Made by cmake/single_file.py.\n"


class Writer:
    """One output file: the files put into it, each behind what it includes and none twice."""

    def __init__(self, root: pathlib.Path, seen: set[pathlib.Path]):
        self.root = root
        self.seen = seen
        self.system: set[str] = set()  # #include <...>, which go first
        self.lines: list[str] = []

    def find(self, name: str, beside: pathlib.Path) -> pathlib.Path:
        for folder in (beside.parent, self.root / "include", self.root / "src"):
            if (folder / name).is_file():
                return (folder / name).resolve()
        sys.exit(f'{beside}: #include "{name}": no such file in include/, src/ or beside it')

    def put(self, path: pathlib.Path) -> None:
        if path in self.seen:
            return
        self.seen.add(path)
        body: list[str] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            ours = OUR_INCLUDE.match(line)
            if ours:
                self.put(self.find(ours[1], path))
            elif SYSTEM_INCLUDE.match(line):
                self.system.add(line)
            elif line != "#pragma once" and not line.startswith("// SPDX-"):
                body.append(line)
        self.lines += [f"\n// ---- {path.relative_to(self.root)}", *strip_blank(body)]

    def text(self) -> str:
        return "\n".join([*sorted(self.system), *self.lines]) + "\n"


def strip_blank(lines: list[str]) -> list[str]:
    """Without empty lines at either end, and with one where there were several."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n").split("\n")


def version_of(root: pathlib.Path) -> str:
    text = (root / "include/trestle/version.hpp").read_text(encoding="utf-8")
    return ".".join(re.findall(r"#define TRESTLE_VERSION_\w+ (\d+)", text))


def main(root: pathlib.Path, output: pathlib.Path) -> None:
    seen: set[pathlib.Path] = set()
    header = Writer(root, seen)
    header.put(root / "include/trestle/version.hpp")
    for layer in PUBLIC:
        for path in sorted((root / "include/trestle" / layer).rglob("*.hpp")):
            header.put(path)
    source = Writer(root, seen)
    for layer in PUBLIC:
        for path in sorted((root / "src" / layer).rglob("*.cpp")):
            source.put(path)
    version = version_of(root)
    output.mkdir(parents=True, exist_ok=True)
    title = TITLE.format(version=version, what="all public headers of the core")
    (output / "trestle.hpp").write_text(f"{title}#pragma once\n{header.text()}", encoding="utf-8")
    title = TITLE.format(version=version, what="the core, to compile beside trestle.hpp")
    (output / "trestle.cpp").write_text(f'{title}#include "trestle.hpp"\n{source.text()}',
                                        encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]))
