#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what libtrestle shows: abi.py --header H --rust R --dump D --constants C --shared L --static A --cc CC --nm NM

The header is C99 and C++20 without a warning, has at most 60 functions and 600 lines. Both libraries
show its functions and nothing else; the declarations for Rust have the same names and constants. Names,
parameters and structs are those of the dump, which abidw makes of a library with empty functions compiled
from the header. Constants are those of a list of their own, since a dump lacks macros and anonymous enums.
With TRESTLE_UPDATE_GOLDEN=1 dump and list are rewritten: docs/abi.md says when that may be.
Ends with 77 where abidw is not installed.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FUNCTIONS_MAX = 60
LINES_MAX = 600


def functions(header):
    """(result, name, parameters) of each function."""
    code = re.sub(r'/\*.*?\*/|^\s*#.*?$', '', header, flags=re.S | re.M)
    found = re.findall(r'^([\w\s*]+?)\b(trestle_\w+)\(([^;{]*)\);', code, re.M)
    return [(result.strip(), name, ' '.join(parameters.split())) for result, name, parameters in found]


def constant_names(header):
    """Each enumerator and macro with a value, but for the version, which is another in each release."""
    code = re.sub(r'/\*.*?\*/', '', header, flags=re.S)
    macros = re.findall(r'^\s*#\s*define\s+(TRESTLE_\w+)[ \t]+\S', code, re.M)
    enumerators = [name for body in re.findall(r'\benum\b[^{;]*\{(.*?)\}', code, re.S)
                   for name in re.findall(r'\b(TRESTLE_\w+)\s*(?:=|,|$)', body)]
    return sorted({*macros, *enumerators} - {'TRESTLE_HEADER_VERSION'})


def constants(cc, header, folder):
    """{name: "value of N bytes"}, as the compiler has them."""
    names = constant_names(header.read_text())
    prints = ''.join(f'    printf("{name} %lld %d\\n", (long long)({name}), (int)sizeof({name}));\n' for name in names)
    source, program = folder / 'constants.c', folder / 'constants'
    source.write_text(f'#include <stdio.h>\n#include "trestle.h"\nint main(void) {{\n{prints}    return 0;\n}}\n')
    subprocess.run([cc, '-std=c99', f'-I{header.parent}', source, '-o', program], check=True)
    return read_constants(subprocess.run([program], check=True, capture_output=True, text=True).stdout)


def read_constants(text):
    rows = [line.split() for line in text.splitlines() if not line.startswith('#')]
    return {name: f'{value} of {size} bytes' for name, value, size in rows}


def constant_breaches(now, before):
    for name in sorted({*now, *before}):
        if name not in before:
            yield f'{name} is new: {now[name]}'
        elif name not in now:
            yield f'{name} was removed, expected {before[name]}'
        elif now[name] != before[name]:
            yield f'{name} is {now[name]}, expected {before[name]}'


def check_constants(arguments, folder):
    now = constants(arguments.cc, arguments.header, folder)
    before = read_constants(arguments.constants.read_text()) if arguments.constants.exists() else {}
    found = list(constant_breaches(now, before))
    broken = [one for one in found if ' is new: ' not in one]
    same_soversion = now.get('TRESTLE_SOVERSION') == before.get('TRESTLE_SOVERSION')
    if not os.environ.get('TRESTLE_UPDATE_GOLDEN') or (broken and same_soversion):
        return [f'{arguments.constants.name}: {one}' for one in found]
    rows = ''.join(f'{name} {value.replace(" of", "").replace(" bytes", "")}\n' for name, value in now.items())
    arguments.constants.write_text(f'# The constants of trestle.h: name, value, size in bytes. Written by the test c.abi.\n{rows}')
    return []


def stub(header):
    """A source that defines each function."""
    lines = ['#include "trestle.h"']
    for result, name, parameters in functions(header):
        body = '' if result == 'void' else 'return 0;'
        lines.append(f'{result} {name}({parameters}) {{ {body} }}')
    return '\n'.join(lines) + '\n'


def shown(nm, file, *options):
    printed = subprocess.run([nm, '--defined-only', *options, file], check=True, capture_output=True, text=True)
    rows = [line.split() for line in printed.stdout.splitlines()]
    return {row[2].split('@')[0] for row in rows if len(row) == 3}


def soname_of(library):
    """The line of the SONAME, as readelf prints it."""
    printed = subprocess.run(['readelf', '-d', library], check=True, capture_output=True, text=True).stdout
    return ' '.join(line for line in printed.splitlines() if '(SONAME)' in line)


def breaches(arguments, folder):
    header = arguments.header.read_text()
    names = {name for _, name, _ in functions(header)}
    if len(names) > FUNCTIONS_MAX:
        yield f'{len(names)} functions, allowed are {FUNCTIONS_MAX}'
    if header.count('\n') > LINES_MAX:
        yield f'{header.count(chr(10))} lines, allowed are {LINES_MAX}'
    node = 'trestle_' + re.search(r'define TRESTLE_SOVERSION (\d+)', header)[1]  # of the version script
    if node not in shown(arguments.nm, arguments.shared, '-D'):
        yield f'{arguments.shared.name}: no version node {node}'
    if (soname := node.replace('trestle_', 'libtrestle.so.')) not in soname_of(arguments.shared):
        yield f'{arguments.shared.name}: has another SONAME than {soname}'
    rust = arguments.rust.read_text()
    if (declared := set(re.findall(r'pub fn (trestle_\w+)', rust))) != names:
        yield f'{arguments.rust.name}: other functions than the header: {sorted(declared ^ names)}'
    other = (set(re.findall(r'\b(TRESTLE_\w+)(?: = | UINT32_C\(| )(\d+)', header)) ^
             set(re.findall(r'\b(TRESTLE_\w+): (?:c_int|u32) = (\d+)', rust)))
    if other:
        yield f'{arguments.rust.name}: other constants than the header: {sorted(other)}'
    for language, standard in (('c', 'c99'), ('c++', 'c++20')):
        program = folder / f'header.{language}'
        program.write_text('#include "trestle.h"\n')
        compiled = subprocess.run([arguments.cc, '-x', language, f'-std={standard}', '-pedantic', '-Wall', '-Wextra',
                                   '-Werror', '-fsyntax-only', f'-I{arguments.header.parent}', program])
        if compiled.returncode:
            yield f'the header is not {standard}'
    for file, options in ((arguments.shared, ['-D']), (arguments.static, ['--extern-only'])):
        found = shown(arguments.nm, file, *options) - {node}
        if found != names:
            yield f'{file}: shows {sorted(found - names)[:5]}, lacks {sorted(names - found)[:5]}'


def difference(arguments, folder):
    """What abidiff says of the dump and the header; nothing when they agree."""
    source, library, dump = folder / 'stub.c', folder / 'libtrestle.so', folder / 'libtrestle.abi'
    source.write_text(stub(arguments.header.read_text()))
    subprocess.run([arguments.cc, '-std=c99', '-g', '-fPIC', '-shared', '-Wl,-soname,libtrestle.so.0',
                    f'-fdebug-prefix-map={folder}=.', f'-I{arguments.header.parent}', source, '-o', library], check=True)
    subprocess.run(['abidw', '--no-corpus-path', '--no-comp-dir-path', '--no-show-locs', '--out-file', dump, library],
                   check=True)
    if os.environ.get('TRESTLE_UPDATE_GOLDEN'):
        shutil.copy(dump, arguments.dump)
        return ''
    compared = subprocess.run(['abidiff', '--no-show-locs', arguments.dump, dump], capture_output=True, text=True)
    return compared.stdout + compared.stderr if compared.returncode else ''


def main():
    parser = argparse.ArgumentParser()
    for name in ('header', 'rust', 'dump', 'constants', 'shared', 'static'):
        parser.add_argument(f'--{name}', type=pathlib.Path, required=True)
    parser.add_argument('--cc', required=True)
    parser.add_argument('--nm', required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        found = [*breaches(arguments, folder), *check_constants(arguments, folder)]
        can_compare = shutil.which('abidw') and shutil.which('abidiff')
        if can_compare and (said := difference(arguments, folder)):
            found.append(f'{arguments.dump.name} has another ABI; docs/abi.md says what to do:\n{said}')
    print(*found, f'{len(found)} breaches', sep='\n')
    if not found and not can_compare:
        print('SKIPPED: no abidw and abidiff (Debian: abigail-tools), so the ABI was not compared')
        return 77
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
