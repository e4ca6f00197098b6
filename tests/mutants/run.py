#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts each deliberate bug of bugs.txt into a copy of the sources and runs the tests on it.

run.py ROOT [--part K/N] [WORD...]: every bug, the K-th part of them, or those whose promise holds one of the words. A
bug is caught when the tests fail or hang; one that does not compile is a fault of the list. Ends with 1 when one
survives.
run.py ROOT --list: tries nothing, but ends with 1 when a bug no longer has its one place in the code.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# The second program is built and run for what the first lets pass.
ALLOC = 'OFF', ['trestle_alloc_tests', 'trestle_laws_tests']
DIALECT = 'ON', ['trestle_dialect_tests']
FAST = '~[slow]~[threads]~[long]~[privileged]'  # as in suites.cmake
SECONDS = 600  # a bug may make an endless loop
KEYS = ['promise', 'file', 'old', 'new']


def read_bugs(root):
    for block in re.split(r'\n\s*\n', (root / 'tests/mutants/bugs.txt').read_text()):
        lines = [line for line in block.splitlines() if line and not line.startswith('#')]
        if lines:
            yield dict(line.split(': ', 1) for line in lines)


def suite_of(bug):
    """Whether the dialects are built, and the programs that have to catch the bug."""
    return DIALECT if '/dialect/' in bug['file'] else ALLOC


def places_of(code, text):
    """The matches of the code in the text: the same tokens, whatever the white space between them."""
    tokens = re.findall(r'\w+|[^\w\s]', code)
    parts = [rf'\b{token}\b' if token[-1].isalnum() or token[-1] == '_' else re.escape(token)
             for token in tokens]
    return list(re.finditer(r'\s*'.join(parts), text))


def fault_of(root, bug):
    """What is wrong with the bug's place in the code, or nothing."""
    if list(bug) != KEYS:
        return f'expected {", ".join(KEYS)}'
    if bug['old'] == bug['new']:
        return 'it changes nothing'
    if not (root / bug['file']).is_file():
        return f'there is no {bug["file"]}'
    count = len(places_of(bug['old'], (root / bug['file']).read_text()))
    return '' if count == 1 else f'{count} times in {bug["file"]}: {bug["old"]}'


def print_faults(root):
    """True when there are any."""
    faults = 0
    seen = set()
    for bug in read_bugs(root):
        fault = fault_of(root, bug)
        if not fault and tuple(bug.values()) in seen:
            fault = 'it stands twice'
        seen.add(tuple(bug.values()))
        if fault:
            print(f'{bug.get("promise", bug)}: {fault}')
            faults += 1
    print(f'{len(seen)} bugs, {faults} without their one place')
    return faults != 0 or not seen


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)


def verdict(copy, programs):
    for program in programs:
        built = run(['cmake', '--build', copy / 'build', '--target', program])
        if built.returncode != 0:
            return 'does not compile'
        try:
            tests = run([copy / 'build/tests' / program, FAST, '--abort'], timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return 'caught'
        if tests.returncode != 0:
            return 'caught'
    return 'SURVIVED'


def try_bugs(root, suite, wanted):
    """How many were not caught."""
    faults = 0
    dialect, programs = suite
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        shutil.copytree(root, copy, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns('build', '.git', 'bindings'))
        configured = run(['cmake', '-S', copy, '-B', copy / 'build', '-G', 'Ninja',
                          '-DTRESTLE_DEVELOPER_MODE=ON', f'-DTRESTLE_BUILD_DIALECT={dialect}',
                          '-DTRESTLE_BUILD_OS=OFF', '-DCMAKE_UNITY_BUILD=ON',
                          '-DTRESTLE_UNITS=OFF',  # so that a bug costs the compilation of its file
                          '-DCMAKE_CXX_FLAGS=-O0 -w'])
        first = verdict(copy, programs) if configured.returncode == 0 else 'not configured'
        if first != 'SURVIVED':
            sys.exit(f'{configured.stdout}without any bug: {first}')
        for bug in wanted:
            path = copy / bug['file']
            text = path.read_text()
            outcome = fault_of(copy, bug)
            if not outcome:
                place, = places_of(bug['old'], text)
                path.write_text(text[:place.start()] + bug['new'] + text[place.end():])
                outcome = verdict(copy, programs)
                path.write_text(text)
            faults += outcome != 'caught'
            print(f'{outcome:10} {bug["promise"]} | {bug["new"].strip()}', flush=True)
    return faults


def part_of(bugs, words):
    """The K-th of N parts as --part K/N says, and the other words. Neighbours are of one file: they stay together."""
    if words[:1] != ['--part']:
        return bugs, words
    part, parts = map(int, words[1].split('/'))
    return bugs[(part - 1) * len(bugs) // parts:part * len(bugs) // parts], words[2:]


def main():
    root, words = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    if words == ['--list']:
        return print_faults(root)
    bugs, words = part_of(list(read_bugs(root)), words)
    wanted = [bug for bug in bugs if not words or any(word in bug['promise'] for word in words)]
    faults = 0
    for suite in (ALLOC, DIALECT):
        bugs = [bug for bug in wanted if suite_of(bug) is suite]
        faults += try_bugs(root, suite, bugs) if bugs else 0
    print(f'{len(wanted)} bugs, {faults} not caught')
    return faults != 0 or not wanted


if __name__ == '__main__':
    os.environ.setdefault('CCACHE_DISABLE', '1')
    sys.exit(main())
