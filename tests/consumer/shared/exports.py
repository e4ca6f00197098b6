#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the exports of a shared library: place() is one, what is private is none.

Usage: exports.py NM LIBRARY
"""
import pathlib
import re
import subprocess
import sys

MAP = pathlib.Path(__file__).parents[3] / "cmake/exports.map"
PRIVATE = re.compile(r"trestle::(\w+::)*(detail|Impl)::")


def main(nm: str, library: str) -> None:
    text = subprocess.run([nm, "-D", "-C", "--defined-only", library], check=True,
                          capture_output=True, text=True).stdout
    names = [line.split(" ", 2)[2] for line in text.splitlines()]
    allowed = re.findall(r"trestle::detail::[\w:]*\w", MAP.read_text(encoding="utf-8"))
    private = [name for name in names if PRIVATE.match(name) and not name.startswith(tuple(allowed))]
    if not any(name.startswith("trestle::place(") for name in names):
        sys.exit(f"{library}: trestle::place is not exported")
    if private:
        sys.exit("\n".join([f"{library}: {len(private)} private exports:", *private[:20]]))
    print(f"{library}: {sum('trestle::' in name for name in names)} exports, none of them private")


if __name__ == "__main__":
    main(*sys.argv[1:])
