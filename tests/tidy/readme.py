#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""readme.py ROOT: what README.md shows is what is compiled and run: each C++ block is an example of
examples/ without its licence line, and the block behind it is what that example prints."""
import pathlib
import re
import sys


def differences(root):
    blocks = re.findall(r'^```(\w*)\n(.*?)^```$', (root / 'README.md').read_text(), re.M | re.S)
    examples = {path.read_text().split('\n', 1)[1]: path for path in root.glob('examples/*.cpp')}
    shown = [i for i, (language, _) in enumerate(blocks) if language == 'cpp']
    if not shown:
        yield 'README.md shows no C++'
    for i in shown:
        path = examples.get(blocks[i][1])
        if not path:
            yield f'README.md: no file of examples/ is this block:\n{blocks[i][1]}'
        elif blocks[i + 1] != ('', path.with_suffix('.expected').read_text()):
            yield f'README.md: the block behind {path.name} is not what it prints'


if __name__ == '__main__':
    found = list(differences(pathlib.Path(sys.argv[1])))
    print(*found, sep='\n')
    sys.exit(1 if found else 0)
