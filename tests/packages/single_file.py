#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the two-file core is reproducible: single_file.py SOURCE_TREE

The same sources give the same bytes from another folder, written in another order, at another time, with another hash
seed and another locale.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile


def copy_shuffled(source, target):
    """The files that the core is made of, in a random order, with other times."""
    files = [path for part in ('include', 'src', 'cmake') for path in (source / part).rglob('*') if path.is_file()]
    random.Random(7).shuffle(files)
    for number, path in enumerate(files):
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
        os.utime(copy, (number, number))


def written(root, output, **environment):
    subprocess.run([sys.executable, root / 'cmake/single_file.py', root, output], check=True,
                   env={**os.environ, **environment}, cwd=output.parent)
    return {path.name: path.read_bytes() for path in output.iterdir()}


def main(source):
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        copy_shuffled(source, folder / 'a folder with blanks')
        first = written(source, folder / 'first', PYTHONHASHSEED='1', LC_ALL='C.UTF-8')
        second = written(folder / 'a folder with blanks', folder / 'second', PYTHONHASHSEED='2', LC_ALL='C')
    if set(first) != {'trestle.hpp', 'trestle.cpp'}:
        sys.exit(f'wrote {sorted(first)}, expected trestle.hpp and trestle.cpp')
    for name, text in first.items():
        if second[name] != text:
            sys.exit(f'{name}: the second run wrote other bytes')
        if str(source).encode() in text:
            sys.exit(f'{name}: has the path of the sources')
    print(f'two runs wrote the same {sum(map(len, first.values()))} bytes')


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve())
