#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the public names of the headers with a golden list: public_names.py ROOT [--update]

A public name is a type, function or constant at namespace scope below include/, outside of `detail`.
The list is tests/golden/public_names.txt: a line a header, types first, then functions. A name that is
added needs a reason in the commit that adds it; --update writes the list again.
Needs universal-ctags, or a program named by CTAGS.
"""
import collections
import difflib
import json
import os
import pathlib
import subprocess
import sys

TYPES = {'class', 'struct', 'enum', 'union', 'typedef', 'alias'}
FUNCTIONS = {'function', 'prototype', 'variable'}
CORE = ('base', 'set', 'model', 'alloc', 'enforce', 'testing')


def tags(root):
    command = [os.environ.get('CTAGS', 'ctags'), '-R', '--languages=C++', '--langmap=C++:+.hpp',
               '--c++-kinds=cgsutefpvxd', '--fields=+KzasS', '--output-format=json', '-f', '-', 'include']
    printed = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in printed.splitlines()]


def public_names(root):
    """({header: (types, functions)} with names below their namespace, sorted."""
    found = collections.defaultdict(lambda: (set(), set()))
    for tag in tags(root):
        scope = tag.get('scope', '')
        if tag.get('_type') != 'tag' or tag.get('scopeKind') not in (None, 'namespace'):
            continue
        if 'detail' in scope.split('::') or '__anon' in scope + tag['name']:
            continue
        name = '::'.join(part for part in (scope, tag['name']) if part).removeprefix('trestle::')
        header = tag['path'].removeprefix('include/trestle/')
        if tag['kind'] in TYPES:
            found[header][0].add(name)
        elif tag['kind'] in FUNCTIONS:
            found[header][1].add(name)
    return found


def distinct(found, layers=None):
    """How many types and functions there are, in `layers` or everywhere."""
    chosen = [both for header, both in found.items() if not layers or header.split('/')[0] in layers]
    return tuple(len(set().union(*(both[i] for both in chosen))) for i in (0, 1))


def listing(found):
    core, everything = distinct(found, CORE), distinct(found)
    lines = [f'core: {core[0]} types, {core[1]} functions',
             f'all: {everything[0]} types, {everything[1]} functions']
    for header, (types, functions) in sorted(found.items()):
        lines.append(f'{header}: {" ".join(sorted(types)) or "-"} | {" ".join(sorted(functions)) or "-"}')
    return lines


def main():
    root = pathlib.Path(sys.argv[1])
    golden = root / 'tests/golden/public_names.txt'
    lines = listing(public_names(root))
    if '--update' in sys.argv or os.environ.get('TRESTLE_UPDATE_GOLDEN'):
        golden.write_text('\n'.join(lines) + '\n')
    expected = golden.read_text().splitlines()
    print('\n'.join(lines[:2]))
    for line in difflib.unified_diff(expected, lines, str(golden), 'the headers', lineterm='', n=0):
        print(line)
    return lines != expected


if __name__ == '__main__':
    sys.exit(main())
