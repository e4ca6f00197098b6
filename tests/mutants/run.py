#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts each deliberate bug of bugs.txt into a copy of the sources, build/mutants, and runs the tests on it.

run.py ROOT [--part K/N] [WORD...]: every bug, the K-th part of them, or those whose promise holds one of the words. A
bug is caught when the tests fail or hang; one that does not compile is a fault of the list. Ends with 1 when one
survives.
run.py ROOT --list: tries nothing, but ends with 1 when a bug no longer has its one place in the code.
"""
import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# The second program is built for what the quick cases of the first let pass.
ALLOC = ['trestle_alloc_tests', 'trestle_laws_tests']
DIALECT = ['trestle_dialect_tests']
FAST = '~[slow]~[threads]~[long]~[privileged]'  # as in suites.cmake
SECONDS = 600  # a bug may make an endless loop
QUICK = 0.2  # seconds of a case without a bug
KEYS = ['promise', 'file', 'old', 'new']


def read_bugs(root):
    for block in re.split(r'\n\s*\n', (root / 'tests/mutants/bugs.txt').read_text()):
        lines = [line for line in block.splitlines() if line and not line.startswith('#')]
        if lines:
            yield dict(line.split(': ', 1) for line in lines)


def programs_of(bug):
    """The programs that have to catch the bug."""
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


def tested(copy, program, *options):
    """Whether the tests pass in time, and what they print."""
    try:
        tests = run([copy / 'build/tests' / program, *options], timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return False, f'{program}: no end in {SECONDS} s'
    return tests.returncode == 0, tests.stdout


def quick_cases(copy, program):
    return '-f', copy / f'{program}.quick', '--abort'


def prepare(copy, programs):
    """Builds the programs without a bug and lists their quick cases. Ends the run where one fails."""
    for program in programs:
        built = run(['cmake', '--build', copy / 'build', '--target', program])
        if built.returncode != 0:
            sys.exit(f'{built.stdout}{program} does not compile without any bug')
        passed, text = tested(copy, program, FAST, '--durations', 'yes')
        if not passed:
            sys.exit(f'{text}{program} fails without any bug')
        quick = [name for seconds, name in re.findall(r'^([0-9.]+) s: (.+)$', text, re.M)
                 if float(seconds) < QUICK]
        (copy / f'{program}.quick').write_text('\n'.join(dict.fromkeys(quick)))
        if not quick or not tested(copy, program, *quick_cases(copy, program))[0]:
            sys.exit(f'{program}: its quick cases fail without any bug')


def verdict(copy, programs):
    """What became of the bug. Quick cases come first: most bugs are caught there."""
    for program in programs:
        built = run(['cmake', '--build', copy / 'build', '--target', program])
        if built.returncode != 0:
            return 'does not compile'
        if not tested(copy, program, *quick_cases(copy, program))[0]:
            return 'caught'
    if all(tested(copy, program, FAST, '--abort')[0] for program in programs):
        return 'SURVIVED'
    return 'caught'


def update(root, copy):
    """Makes the copy of the sources equal to them. Files that are equal stay: what was built of them is kept."""
    skipped = shutil.ignore_patterns('build', '.git', 'bindings')
    with tempfile.TemporaryDirectory() as folder:
        fresh = pathlib.Path(folder, 'sources')
        shutil.copytree(root, fresh, ignore=skipped)
        wanted = {path.relative_to(fresh) for path in fresh.rglob('*') if path.is_file()}
        for path in copy.rglob('*'):
            name = path.relative_to(copy)
            if path.is_file() and name.parts[0] != 'build' and name not in wanted:
                path.unlink()
        for name in wanted:
            if not (copy / name).is_file() or (copy / name).read_bytes() != (fresh / name).read_bytes():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(fresh / name, copy / name)


def try_bugs(copy, programs, bugs):
    """How many were not caught."""
    faults = 0
    prepare(copy, programs)
    for bug in bugs:
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
    copy = root / 'build/mutants'
    copy.mkdir(parents=True, exist_ok=True)
    lock = open(root / 'build/mutants.lock', 'w')
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(f'{copy}: another run has it')
    update(root, copy)
    configured = run(['cmake', '-S', copy, '-B', copy / 'build', '-G', 'Ninja', '-DTRESTLE_DEVELOPER_MODE=ON',
                      '-DTRESTLE_BUILD_OS=OFF', '-DCMAKE_CXX_FLAGS=-O0 -w', '-DCMAKE_UNITY_BUILD=ON',
                      '-DTRESTLE_UNITS=OFF',  # so that a bug costs the compilation of its file
                      '-DTRESTLE_LIBRARY_OPTIONS=-O1;-w', '-DCMAKE_UNITY_BUILD_BATCH_SIZE=36'])
    if configured.returncode != 0:
        sys.exit(configured.stdout)
    faults = 0
    for programs in (ALLOC, DIALECT):
        bugs = [bug for bug in wanted if programs_of(bug) is programs]
        faults += try_bugs(copy, programs, bugs) if bugs else 0
    print(f'{len(wanted)} bugs, {faults} not caught')
    return faults != 0 or not wanted


if __name__ == '__main__':
    os.environ.setdefault('CCACHE_DISABLE', '1')
    sys.exit(main())
