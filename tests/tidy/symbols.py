#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks our own functions in object files for calls that a library must not make: symbols.py OBJECT...

Sorts relocations by the function they lie in, so that a throw inside std::optional, which some header put
into the same object, does not count: only functions of our namespace do.
"""
import pathlib
import re
import struct
import sys

SHT_SYMTAB, SHT_RELA, SHT_SYMTAB_SHNDX = 2, 4, 18
SHF_EXECINSTR, STT_FUNC, SHN_XINDEX = 4, 2, 0xffff

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
        'a helper inside libstdc++ that only -fkeep-inline-functions keeps: nobody calls it',
}
OURS = re.compile(r'_Z[A-Z]*7trestle')  # also lambdas, locals and anonymous namespaces inside it


def elf(path):
    """(functions, references) of an ELF object, 64 bits little-endian: functions maps (section, name)
    to (first, last + 1); references are (section, offset, name of what code there refers to)."""
    data = pathlib.Path(path).read_bytes()
    table, = struct.unpack_from('<Q', data, 0x28)
    size, count = struct.unpack_from('<HH', data, 0x3a)
    sections = [struct.unpack_from('<IIQQQQIIQQ', data, table + i * size) for i in range(count)]
    if count == 0:  # more than 65279 sections: the first header holds the number
        count, = struct.unpack_from('<Q', data, table + 0x20)
        sections = [struct.unpack_from('<IIQQQQIIQQ', data, table + i * size) for i in range(count)]

    def body(section):
        return data[section[4]:section[4] + section[5]]

    def name_at(strings, offset):
        return strings[offset:strings.index(b'\0', offset)].decode()
    symbols, functions = [], {}
    wide = [i for section in sections if section[1] == SHT_SYMTAB_SHNDX
            for i, in struct.iter_unpack('<I', body(section))]
    for section in (section for section in sections if section[1] == SHT_SYMTAB):
        strings = body(sections[section[6]])
        for i, (name, info, _, index, value, length) in enumerate(
                struct.iter_unpack('<IBBHQQ', body(section))):
            symbols.append(name_at(strings, name))
            if info & 15 == STT_FUNC and index:
                home = wide[i] if index == SHN_XINDEX else index
                functions[home, symbols[-1]] = value, value + length
    references = [(section[7], offset, symbols[info >> 32])
                  for section in sections
                  if section[1] == SHT_RELA and sections[section[7]][2] & SHF_EXECINSTR
                  for offset, info, _ in struct.iter_unpack('<QQq', body(section))]
    return functions, references


def breaches(objects):
    found, ours = set(), set()
    for path in objects:
        functions, references = elf(path)
        ours.update(name for _, name in functions if OURS.match(name))
        for section, offset, target in references:
            if target not in BANNED:
                continue
            for (home, name), (first, end) in functions.items():
                if home == section and first <= offset < end and name not in EXCEPTIONS and (
                        OURS.match(name) or BANNED[target] == STARTS_THREAD):
                    found.add((name, BANNED[target], target))
    return sorted(found), len(ours)


def main():
    found, count = breaches(sys.argv[1:])
    for function, what, symbol in found:
        print(f'{function} {what}: calls {symbol}')
    print(f'{len(sys.argv) - 1} objects, {count} functions of ours, {len(found)} breaches')
    return 1 if found or not count else 0


if __name__ == '__main__':
    sys.exit(main())
