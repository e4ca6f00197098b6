#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes translation units that show that each header includes what it needs: header_chains.py ROOT OUT

One unit a header would do, and parses the same text hundreds of times. Here a unit includes several
headers, each of which includes all that stands before it: so each is still read after nothing but what it
asks for, and a third of the units is enough. Prints their names, one a line; an unchanged unit is not written
again, and one that is no longer wanted is removed.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(<[^>]+>|"[^"]+")', re.MULTILINE)


def closures(root):
    """{header: itself and all it includes, by whatever road}; what is not below root counts by name."""
    texts = {str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob('*.hpp'))}
    done = {}

    def closure(header):
        if header not in done:
            done[header] = {header}  # a circle ends here
            found = {header}
            for name in INCLUDE.findall(texts[header]):
                ours = name[1:-1] in texts and name[0] == '"'
                found |= closure(name[1:-1]) if ours else {name}
            done[header] = found
        return done[header]
    for header in texts:
        closure(header)
    return done


def chains(closure):
    """The fewest lists of headers, each header within the closure of the next (a largest matching)."""
    after = {a: [b for b in closure if b != a and closure[a] < closure[b]] for a in closure}
    before = {}  # b: the header that stands before it

    def place(a, seen):
        for b in after[a]:
            if b not in seen:
                seen.add(b)
                if b not in before or place(before[b], seen):
                    before[b] = a
                    return True
        return False
    for a in closure:
        place(a, set())
    found = []
    for last in sorted(set(closure) - set(before.values())):
        chain = [last]
        while chain[-1] in before:
            chain.append(before[chain[-1]])
        found.append(chain[::-1])
    return found


def main():
    root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    wanted = set()
    for chain in chains(closures(root)):
        unit = out / (chain[-1].replace('/', '_').removesuffix('.hpp') + '.cpp')
        text = ''.join(f'#include "{header}"\n' for header in chain)
        if not unit.exists() or unit.read_text() != text:
            unit.write_text(text)
        wanted.add(unit)
        print(unit)
    for unit in set(out.glob('*.cpp')) - wanted:
        unit.unlink()


if __name__ == '__main__':
    main()
