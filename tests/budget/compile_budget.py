#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a user's program costs to compile: compile_budget.py ROOT [COMPILER]

Compiles each program beside this file at -O0, prints its CPU time, memory and object size, and ends
with 1 if one is above its budget. CPU time depends on the machine and on what else it does, so it is
held as a ratio to a program that includes only the libraries which the headers need (`floor`), the
best of two rounds. The bounds leave room for a busy machine, on which 3.1 was seen where an idle
one shows 1.7. Memory is held in MB of g++ 12, and in proportion where `floor` needs more: with
g++ 14 and the newer libraries of Debian 13 it needs half as much again.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

FLOOR = """#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>
#include <absl/container/flat_hash_map.h>
#include <absl/status/statusor.h>
#include <absl/strings/str_cat.h>
#include <fmt/format.h>
int main() { return fmt::format("{}", absl::StrCat(1)).size() == 1 ? 0 : 1; }
"""
FLOOR_MEMORY = 220  # MB, with g++ 12
# program: (CPU time as a multiple of the floor's, MB of memory, MB of object)
BUDGETS = {
    'model': (2.5, 280, 0.5),  # the aim is 200 MB
    'place': (4.0, 400, 1.5),
    'plan': (4.0, 400, 1.5),
    'schedule_pass': (4.0, 400, 1.5),
}


def compile_once(compiler, root, source, target):
    """(CPU seconds, MB at most) of one compiler run."""
    command = [compiler, '-std=c++20', '-O0', f'-I{root}/include', '-c', str(source), '-o', str(target)]
    child = subprocess.Popen(command)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f'{source} does not compile')
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    compiler = sys.argv[2] if len(sys.argv) > 2 else os.environ.get('CXX', 'g++')
    breaches = 0
    with tempfile.TemporaryDirectory() as folder:
        floor_source, target = pathlib.Path(folder) / 'floor.cpp', pathlib.Path(folder) / 'one.o'
        floor_source.write_text(FLOOR)
        rounds = []  # the programs in turn, so that a moment in which the machine is slow meets all
        for _ in range(2):
            one = {'floor': (*compile_once(compiler, root, floor_source, target), 0)}
            for name in BUDGETS:
                source = root / f'tests/budget/{name}.cpp'
                one[name] = (*compile_once(compiler, root, source, target), target.stat().st_size / 1e6)
            rounds.append(one)
        floor_memory = max(one['floor'][1] for one in rounds)
        print(f'{"floor":14} {min(one["floor"][0] for one in rounds):5.2f} s, {floor_memory:4.0f} MB')
        for name, (ratio_max, memory_max, object_max) in BUDGETS.items():
            memory_max = round(memory_max * max(1, floor_memory / FLOOR_MEMORY))
            seconds = min(one[name][0] for one in rounds)
            ratio = min(one[name][0] / one['floor'][0] for one in rounds)
            memory, size = max(one[name][1] for one in rounds), rounds[0][name][2]
            print(f'{name:14} {seconds:5.2f} s, {ratio:4.1f} of the floor (at most {ratio_max}), '
                  f'{memory:4.0f} MB (at most {memory_max}), object {size:4.2f} MB (at most {object_max})')
            breaches += ratio > ratio_max or memory > memory_max or size > object_max
    print(f'{len(BUDGETS)} programs, {breaches} above their budget')
    return breaches != 0


if __name__ == '__main__':
    sys.exit(main())
