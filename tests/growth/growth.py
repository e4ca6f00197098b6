#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the cost of each call grows with the nodes, in instructions: growth.py --help

Runs growth.cpp's program under callgrind at two sizes, for each number of kinds of nodes. The exponent of a
call is the logarithm of the ratio of its instructions by that of the sizes: 0 costs the same however many
nodes there are, 1 is linear. Ends with 1 when an exponent is above its limit in exponents.txt, or a call has
none there, and with 77 where there is no valgrind.
"""
import argparse
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LIMITS = pathlib.Path(__file__).with_name('exponents.txt')


def instructions(program, nodes, kinds):
    """Of each call, by its name."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['valgrind', '-q', '--tool=callgrind', '--instr-atstart=no',
                        f'--callgrind-out-file={folder}/out', program, str(nodes), str(kinds)], check=True)
        counts = {}
        for path in pathlib.Path(folder).iterdir():
            text = path.read_text()
            name = re.search(r'Client Request: (.*)', text)
            total = re.search(r'^(?:summary|totals): (\d+)', text, re.M)
            if name and total:
                counts[name[1]] = int(total[1])
        return counts


def limits():
    lines = [line for line in LIMITS.read_text().splitlines() if line and not line.startswith('#')]
    return {name.strip(): float(limit) for limit, name in (line.split(None, 1) for line in lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[1])
    parser.add_argument('program', help='trestle_growth, as it was built')
    parser.add_argument('--nodes', type=int, nargs=2, default=[250, 1000], help='two sizes, the lesser first')
    parser.add_argument('--kinds', type=int, nargs='+', default=[1], help='numbers of kinds of nodes')
    parser.add_argument('--table', action='store_true', help='judge nothing')
    chosen = parser.parse_args()
    if not shutil.which('valgrind'):
        print('SKIPPED: no valgrind')
        return 77
    sizes = chosen.nodes
    allowed = limits()
    faults = []
    for kinds in chosen.kinds:
        small, large = (instructions(chosen.program, size, kinds) for size in sizes)
        print(f'{"kinds of nodes: " + str(kinds):34} {sizes[0]:>15} {sizes[1]:>15}  exponent')
        for name in large:
            exponent = math.log(large[name] / small[name]) / math.log(sizes[1] / sizes[0])
            print(f'{name:34} {small[name]:15,} {large[name]:15,} {exponent:9.2f}')
            if name not in allowed:
                faults.append(f'{name}: no limit in {LIMITS.name}')
            elif exponent > allowed[name]:
                faults.append(f'{name}, {kinds} kinds: exponent {exponent:.2f}, expected at most {allowed[name]}')
        faults += [f'{name}: not measured' for name in allowed if name not in large]
    if chosen.table:
        return 0
    print(*faults, f'{len(faults)} faults', sep='\n')
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
