#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the cost of each call grows with the nodes, in instructions: growth.py --help

Runs the program of this folder under callgrind at two or more sizes, for each number of kinds of nodes. The
exponent of a call is the logarithm of the ratio of its instructions by that of the last two sizes: 0 costs the
same however many nodes there are, 1 is linear. Ends with 1 when an exponent is above its limit in exponents.txt, or a call has
none there, and with 77 where there is no valgrind. A public call that takes a cluster or a timeline and that no
program here makes is a fault as well.
"""
import argparse
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
LIMITS = HERE / 'exponents.txt'
TAKEN = re.compile(r'(?<!Bounds::)\b(Cluster|Timeline|LiveCluster|KubernetesCluster|Catalog)&')
# Beside constructors: a friend of hash_of(), what json::to_json_text() calls, and a private function.
NOT_CALLED = {'hash_into', 'write', 'place_without_words'}


def public_calls():
    """Names of functions that take one of TAKEN, and of what a cluster, a timeline and a controller can do."""
    names = set()
    for path in (HERE.parents[1] / 'include').rglob('*.hpp'):
        text = re.sub(r'//[^\n]*', '', path.read_text())
        names |= {name for name, taken in re.findall(r'\b(\w+)\(((?:[^()]|\([^()]*\))*)\)', text)
                  if TAKEN.search(taken)}
        for body in re.findall(r'^class (?:Cluster|Timeline|Controller) \{(.*?)^  private:', text, re.M | re.S):
            names |= set(re.findall(r'(?:\]\]|void)\s[^;{}()]*?\b(\w+)\(', body))
    return {name for name in names - NOT_CALLED if not name[0].isupper()}


def calls_made():
    return {name for path in HERE.glob('*.cpp') for name in re.findall(r'\b(\w+)\(', path.read_text())}


def instructions(program, nodes, kinds):
    """Of each call, by its name."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['valgrind', '-q', '--tool=callgrind', '--instr-atstart=no',
                        '--collect-atstart=no', f'--callgrind-out-file={folder}/out', program, str(nodes),
                        str(kinds)], check=True)
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
    parser.add_argument('--nodes', type=int, nargs='+', default=[250, 1000], help='two sizes or more, rising')
    parser.add_argument('--kinds', type=int, nargs='+', default=[1], help='numbers of kinds of nodes')
    parser.add_argument('--table', action='store_true', help='judge nothing')
    chosen = parser.parse_args()
    if not shutil.which('valgrind'):
        print('SKIPPED: no valgrind')
        return 77
    sizes = chosen.nodes
    if len(sizes) < 2 or sizes != sorted(set(sizes)):
        parser.error(f'--nodes: expected two or more numbers, rising, not {sizes}')
    allowed = limits()
    faults = [f'{name}(): takes a cluster or a timeline, and no call in {HERE.name}/*.cpp measures it'
              for name in sorted(public_calls() - calls_made())]
    for kinds in chosen.kinds:
        counts = [instructions(chosen.program, size, kinds) for size in sizes]
        print(f'{"kinds of nodes: " + str(kinds):44}', *(f'{size:>15}' for size in sizes), ' exponent')
        small, large = counts[-2:]
        for name in sorted(large):
            exponent = math.log(large[name] / small[name]) / math.log(sizes[-1] / sizes[-2])
            print(f'{name:44}', *(f'{count[name]:15,}' for count in counts), f'{exponent:9.2f}')
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
