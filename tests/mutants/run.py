#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts each deliberate bug of bugs.txt into a copy of the headers and runs the tests of alloc on it.

run.py ROOT [WORD...]: every bug, or those whose promise holds one of the words. A bug is caught when
the tests fail or hang; one that does not compile is a fault of the list. Ends with 1 when one survives.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SECONDS = 120  # a bug may make an endless loop


def bugs(path):
    for block in re.split(r'\n\s*\n', path.read_text()):
        lines = [line for line in block.splitlines() if line and not line.startswith('#')]
        if lines:
            yield dict(line.split(': ', 1) for line in lines)


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)


def build(copy):
    return run(['cmake', '--build', copy / 'build', '--target', 'trestle_alloc_tests'])


def verdict(copy):
    built = build(copy)
    if built.returncode != 0:
        return 'does not compile'
    try:
        tests = run([copy / 'build/tests/trestle_alloc_tests', '~[slow]', '--abort'],
                    timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return 'caught'
    return 'SURVIVED' if tests.returncode == 0 else 'caught'


def main():
    root, words = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    wanted = [bug for bug in bugs(root / 'tests/mutants/bugs.txt')
              if not words or any(word in bug['promise'] for word in words)]
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        shutil.copytree(root, copy, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns('build', '.git', 'bindings'))
        configured = run(['cmake', '-S', copy, '-B', copy / 'build', '-G', 'Ninja',
                          '-DTRESTLE_DEVELOPER_MODE=ON', '-DTRESTLE_BUILD_DIALECT=OFF',
                          '-DTRESTLE_BUILD_OS=OFF', '-DCMAKE_UNITY_BUILD=ON',
                          '-DCMAKE_CXX_FLAGS=-O0 -w'])
        first = build(copy)
        if configured.returncode or first.returncode or verdict(copy) != 'SURVIVED':
            sys.exit(configured.stdout + first.stdout + 'the tests fail without any bug')
        for bug in wanted:
            path = copy / 'include/trestle/alloc' / bug['file']
            text = path.read_text()
            if text.count(bug['old']) != 1:
                outcome = f'{text.count(bug["old"])} times in the file'
            else:
                path.write_text(text.replace(bug['old'], bug['new']))
                outcome = verdict(copy)
                path.write_text(text)
            faults += outcome != 'caught'
            print(f'{outcome:10} {bug["promise"]} | {bug["new"].strip()}', flush=True)
    print(f'{len(wanted)} bugs, {faults} not caught')
    return 1 if faults or not wanted else 0


if __name__ == '__main__':
    os.environ.setdefault('CCACHE_DISABLE', '1')
    sys.exit(main())
