#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks our own functions in object files for calls that a library must not make: symbols.py OBJECT...

Sorts relocations by the function they lie in, so that a throw inside std::optional, which some header put
into the same object, does not count: only functions of our namespace do.
"""
import re
import subprocess
import sys

STARTS_THREAD = 'starts a thread'  # in whatever function: the call sits in a template of std
BANNED = {
    '__cxa_throw': 'throws', '__cxa_rethrow': 'throws',
    'pthread_create': STARTS_THREAD, 'thrd_create': STARTS_THREAD,
    '_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE':
        STARTS_THREAD,
    'signal': 'touches signals', 'sigaction': 'touches signals',
    'printf': 'prints', 'vprintf': 'prints', 'puts': 'prints', 'putchar': 'prints',
    'fputs': 'prints', 'fputc': 'prints', 'fwrite': 'prints', 'fprintf': 'prints', 'perror': 'prints',
    '_ZSt4cout': 'prints', '_ZSt4cerr': 'prints', '_ZSt4clog': 'prints',
    'exit': 'ends the program', '_ZSt4exiti': 'ends the program',
}
# function: why it is right there
EXCEPTIONS = {
    '_ZN7trestle6detail18abort_on_violationERKNS_17ContractViolationE':
        'a broken contract says so before it aborts',
    '_ZL16__gthread_createPmPFPvS0_ES0_':
        'a wrapper in a header of libstdc++ that -fkeep-inline-functions keeps',
}
OURS = re.compile(r'_Z[A-Z]*7trestle')  # also lambdas, locals and anonymous namespaces inside it


def lines_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def functions_by_section(file):
    """{section number: [(start, end, name)]} of one object file."""
    found = {}
    for line in lines_of('readelf', '-sW', file):
        words = line.split()  # NUMBER: VALUE SIZE TYPE BIND VISIBILITY SECTION NAME
        if len(words) == 8 and words[3] == 'FUNC' and words[6].isdigit():
            start = int(words[1], 16)
            found.setdefault(words[6], []).append((start, start + int(words[2], 0), words[7]))
    return found


def calls(file):
    """(function, symbol) for each relocation of the code of one object file."""
    section_of = {}  # by the name of its relocations
    for line in lines_of('readelf', '-SW', file):
        if m := re.match(r'\s*\[\s*\d+\] (\.rela\.\S+)\s+RELA\s.*\s(\d+)\s+\d+$', line):
            section_of.setdefault(m[1], []).append(m[2])
    functions, inside = functions_by_section(file), []
    for line in lines_of('readelf', '-rW', file):
        if m := re.match(r"Relocation section '(\S+)'", line):
            # Sections of one name (COMDAT groups) stand in the same order in both lists.
            numbers = section_of.get(m[1])
            inside = functions.get(numbers.pop(0), []) if numbers else []
        elif inside and re.match(r'[0-9a-f]+ ', line) and len(words := line.split()) > 4:
            at = int(words[0], 16)
            yield from ((name, words[4]) for start, end, name in inside if start <= at < end)


def breaches(objects):
    symbols = [line.split() for line in lines_of('nm', '-A', *objects)]  # FILE:[VALUE] KIND NAME
    ours = {words[-1] for words in symbols if words[-2] in 'tTwW' and OURS.match(words[-1])}
    suspects = sorted({words[0].split(':')[0] for words in symbols if words[-1] in BANNED})
    found = set()
    for function, symbol in (call for file in suspects for call in calls(file)):
        what = BANNED.get(symbol)
        if what and function not in EXCEPTIONS and (what == STARTS_THREAD or function in ours):
            found.add((function, what, symbol))
    return sorted(found), len(ours)


def main():
    found, count = breaches(sys.argv[1:])
    for function, what, symbol in found:
        print(f'{function} {what}: calls {symbol}')
    print(f'{len(sys.argv) - 1} objects, {count} functions of ours, {len(found)} breaches')
    return 1 if found or not count else 0


if __name__ == '__main__':
    sys.exit(main())
