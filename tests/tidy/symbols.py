#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks our own functions in object files for calls that a library must not make: symbols.py OBJECT...

Reads relocations function by function, so that a throw inside std::optional, which some header put
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
}
OURS = re.compile(r'_Z[A-Z]*7trestle')  # also lambdas, locals and anonymous namespaces inside it


def lines_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def breaches(objects):
    symbols = [line.split() for line in lines_of('nm', '-A', *objects)]  # FILE:[VALUE] KIND NAME
    ours = {words[-1] for words in symbols if words[-2] in 'tTwW' and OURS.match(words[-1])}
    suspects = sorted({words[0].split(':')[0] for words in symbols if words[-1] in BANNED})
    function, found = '', set()
    # Disassembling is slow: only objects that name a banned symbol at all.
    for line in lines_of('objdump', '-dr', '--no-show-raw-insn', *suspects) if suspects else ():
        if m := re.match(r'[0-9a-f]+ <(.+)>:$', line):
            function = m[1]
        elif (m := re.search(r'\bR_\w+\s+([^\s+-]+)', line)) and m[1] in BANNED:
            if (function in ours and function not in EXCEPTIONS) or BANNED[m[1]] == STARTS_THREAD:
                found.add((function, BANNED[m[1]], m[1]))
    return sorted(found), len(ours)


def main():
    found, count = breaches(sys.argv[1:])
    for function, what, symbol in found:
        print(f'{function} {what}: calls {symbol}')
    print(f'{len(sys.argv) - 1} objects, {count} functions of ours, {len(found)} breaches')
    return 1 if found or not count else 0


if __name__ == '__main__':
    sys.exit(main())
