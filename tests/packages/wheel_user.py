#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the wheel that an empty venv has: wheel_user.py VERSION WHEEL

It places a job and enforces it in memory, without NumPy or any other package; it is at most 8 MB; importing it takes
at most 60 ms of CPU time; its module shows one symbol and needs no library but those of glibc.
"""
import importlib.util
import pathlib
import struct
import subprocess
import sys

SIZE_MAX = 8_000_000
IMPORT_MAX = 60  # ms
SYSTEM = {'libc.so.6', 'libm.so.6', 'libdl.so.2', 'libpthread.so.0', 'librt.so.1', 'ld-linux-x86-64.so.2'}


def import_time():
    """CPU time in ms, the best of nine interpreters, without what an empty one takes."""
    def best(code):
        timed = f'import time\na = time.process_time()\n{code}\nprint(time.process_time() - a)'
        return min(float(subprocess.run([sys.executable, '-c', timed], check=True, capture_output=True, text=True).stdout)
                   for _ in range(9))
    return 1000 * (best('import trestle') - best('pass'))


def sections(elf):
    """(type, offset, size, link) of each section of a 64-bit ELF file."""
    start, size, count = struct.unpack_from('<Q', elf, 40)[0], *struct.unpack_from('<HH', elf, 58)
    for at in range(start, start + size * count, size):
        kind, _, _, offset, length, link = struct.unpack_from('<IQQQQI', elf, at + 4)
        yield kind, offset, length, link


def text_at(elf, offset):
    return elf[offset:elf.index(b'\0', offset)].decode()


def symbols_and_needs(elf):
    """The dynamic symbols that the module defines, and the libraries that it needs."""
    table = list(sections(elf))
    shown, needs = set(), set()
    for kind, offset, length, link in table:
        names = table[link][1] if link < len(table) else 0
        if kind == 11:  # dynamic symbols
            for at in range(offset, offset + length, 24):
                name, info, _, section = struct.unpack_from('<IBBH', elf, at)
                if section and info >> 4:
                    shown.add(text_at(elf, names + name))
        if kind == 6:  # the dynamic section
            for at in range(offset, offset + length, 16):
                tag, value = struct.unpack_from('<QQ', elf, at)
                if tag == 1:
                    needs.add(text_at(elf, names + value))
    return shown, needs


def place_and_enforce():
    import trestle
    cluster = trestle.Cluster.from_text('2 x (8c mem=16G gpu:2)')
    request = trestle.request('--gres=gpu:1 -c 2')
    placed = trestle.place(cluster, request)
    assert [part.node for part in placed.nodes] == [0], placed
    cluster.commit(trestle.Allocation(owner=1, request=request, placement=placed))
    assert trestle.Cluster.from_bytes(cluster.to_bytes()).to_bytes() == cluster.to_bytes()
    try:
        cluster.commit(trestle.Allocation(owner=1, request=request, placement=placed))
    except trestle.Error:
        pass
    else:
        raise AssertionError('an owner was committed twice')
    return pathlib.Path(trestle.__file__).parent


def main(version, wheel):
    said = subprocess.run([sys.executable, '-m', 'trestle', '--version'], check=True, capture_output=True, text=True)
    assert said.stdout.strip() == version, said.stdout
    assert importlib.util.find_spec('numpy') is None, 'the venv is not empty'
    package = place_and_enforce()
    assert (package / 'py.typed').exists() and (package / '__init__.pyi').exists()
    assert not (package.parent / 'trestle.libs').exists(), 'libraries were not linked in'
    module = next(package.glob('_core*.so'))
    shown, needs = symbols_and_needs(module.read_bytes())
    assert shown == {'PyInit__core'}, sorted(shown)[:9]
    assert needs <= SYSTEM, sorted(needs)
    size = wheel.stat().st_size
    assert size <= SIZE_MAX, f'{wheel.name}: {size} bytes, expected {SIZE_MAX}'
    took = import_time()
    assert took <= IMPORT_MAX, f'import takes {took:.0f} ms, expected {IMPORT_MAX}'
    print(f'{sys.version.split()[0]}: {wheel.name}, {size / 1e6:.2f} MB, import {took:.0f} ms')


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
