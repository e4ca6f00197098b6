#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pages.py ROOT FOLDER: the `console` blocks of README.md and docs/, run with the programs of FOLDER.

A line behind `$ ` is a command; the lines up to the next one are what it prints.
TRESTLE_UPDATE_GOLDEN=1 writes what they print into the pages."""
import os
import pathlib
import re
import subprocess
import sys

ROOT, PROGRAMS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / 'tests/tidy'))

import pages  # noqa: E402

UPDATE = os.environ.get('TRESTLE_UPDATE_GOLDEN', '0') not in ('', '0')


def printed_by(command):
    done = subprocess.run(command, shell=True, cwd=ROOT, text=True, capture_output=True, timeout=60,
                          env={**os.environ, 'PATH': f'{PROGRAMS}:{os.environ["PATH"]}', 'LC_ALL': 'C'})
    return done.stdout + done.stderr


def main():
    commands, failed = 0, 0
    for page in pages.pages(ROOT):
        text = page.read_text()
        for block in pages.blocks(text):
            if block.language != 'console':
                continue
            actual = ''
            for command in re.findall(r'^\$ (.*)$', block.code, re.M):
                actual += f'$ {command}\n{printed_by(command)}'
                commands += 1
            if UPDATE:
                text = text.replace(f'```console\n{block.code}```', f'```console\n{actual}```', 1)
            elif actual != block.code:
                failed += 1
                print(f'{page}:{block.line}: expected\n{block.code}\nbut got\n{actual}')
        if UPDATE and text != page.read_text():
            page.write_text(text)
    print(f'{commands} commands, {failed} blocks differ')
    return 1 if failed or not commands else 0


if __name__ == '__main__':
    sys.exit(main())
