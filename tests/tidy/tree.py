#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the rules that can be read off the text of the tree: tree.py ROOT

Prints one line per breach, FILE:LINE: WHAT, and ends with 1 if there is any. The rules are the
functions named rule_*: each yields (file, line number, what). Adding one is all it takes.
"""
import collections
import pathlib
import posixpath
import re
import statistics
import sys

import std_includes

# What a layer may include besides itself. Nothing may include tests, benchmarks or examples.
MAY_INCLUDE = {
    'base': '',
    'set': 'base',
    'model': 'base set',
    'alloc': 'base set model',
    'enforce': 'base set model',
    'dialect': 'base set model alloc enforce',
    'os': 'base set model enforce',
    'testing': 'base set model alloc enforce',
    'tool': 'base set model alloc enforce dialect os',
}
# Which files may include an outside library: (header prefix, files).
FENCES = [
    ('roaring/', r'include/trestle/set/detail/roaring\.hpp'),
    ('hwloc', r'src/os/.*'),
    ('yaml-cpp/', r'src/dialect/.*'),
    ('nlohmann/', r'src/dialect/.*'),
    ('CLI/', r'src/tool/.*'),
]
# Words of code (comments and literals are blanked out) that a library file must not hold.
BANNED = [
    (r'std::(cout|cerr|clog|print)\b', 'the library prints nothing'),
    (r'(?<![\w.])(std::)?f?(printf|puts|putchar|putc)\s*\(', 'the library prints nothing'),
    (r'\bstd::(j?thread|async)\b|\bpthread_create\b', 'the library starts no threads'),
    (r'(std::|(?<![\w:])::)signal\s*\(|(?<![\w.:>])signal\s*\(\s*SIG|\bsigaction\s*\(',
     'the library touches no signals'),
    (r'\bthrow\b', 'the library throws nothing of its own'),
    (r'\bstd::(ranges::)?views\b|<ranges>|<source_location>', 'clang-14 refuses it'),
    (r'\bstd::(format|expected)\b|<format>|<expected>', 'both compilers lack it'),
    (r'\b(random_device|system_clock|steady_clock)\b', 'no clock and no hidden randomness'),
    (r'\breinterpret_cast<[^>]*const char\b', 'say what the bytes are with std::as_bytes'),
]
BANNED_ELSEWHERE = [(r'absl::string_view', r'include/trestle/base/status\.hpp',
                     "Debian's Abseil has its own string_view: only base/status.hpp knows it")]
# (file pattern, banned pattern, why it is right there)
PRINTS, THREADS = BANNED[1][0], BANNED[2][0]
EXCEPTIONS = [
    (r'include/trestle/base/contract\.hpp', PRINTS, 'a broken contract says so before it aborts'),
    (r'src/tool/.*', PRINTS, 'a program prints'),
    (r'src/tool/call/progress\.[ch]pp', THREADS, 'the bar is drawn beside a step that computes'),
]

FILE_LINES_MAX = 600
HEADER_LINES_MAX = 400
HEADER_LINES_MEDIAN = 120
FUNCTION_LINES_MAX = 70
FOLDER_FILES_MAX = 15
# Headers and folders of the library that are still larger. These lists may only shrink.
KNOWN_LONG_HEADERS = {
    'include/trestle/dialect/container/oci.hpp': 405,
    'include/trestle/set/detail/word_set.hpp': 417,
}
KNOWN_FULL_FOLDERS = {
    'include/trestle/alloc/schedule': 17,
    'include/trestle/base': 16,
    'include/trestle/model': 18,
    'src/alloc/cluster': 26,
    'src/alloc/cluster/place': 26,
    'src/alloc/cluster/topology': 16,
    'src/alloc/market': 16,
    'src/alloc/node': 17,
    'src/alloc/node/detail': 30,
    'src/alloc/schedule': 16,
    'src/alloc/schedule/detail': 47,
    'src/dialect/slurm': 18,
    'src/dialect/slurm/choice': 16,
    'src/dialect/slurm/conf': 18,
    'src/dialect/slurm/options': 18,
    'src/dialect/svg': 19,
    'src/model': 24,
}
SOURCE = {'.hpp', '.cpp', '.h'}
WITH_LICENCE = SOURCE | {'.cmake', '.py', '.sh', '.in'}
SKIPPED_FOLDERS = {'build', '.git', '__pycache__'}


class File:
    def __init__(self, root, path):
        self.name = path.relative_to(root).as_posix()
        self.text = path.read_text(errors='replace')
        self.code = blank_out(self.text) if path.suffix in SOURCE else self.text
        self.lines = self.text.splitlines()

    @property
    def ours(self):
        """Part of the library, not of what stands around it."""
        return self.name.startswith(('include/', 'src/'))

    @property
    def layer(self):
        parts = self.name.removeprefix('include/trestle/').removeprefix('src/').split('/')
        return parts[0] if self.ours and len(parts) > 1 else None

    @property
    def is_source(self):
        return pathlib.PurePath(self.name).suffix in SOURCE

    def line_of(self, offset):
        return self.text.count('\n', 0, offset) + 1

    def includes(self):
        for number, line in enumerate(self.lines, 1):
            if m := re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line):
                yield number, m[1]


def blank_out(text):
    """The text with comments and the inside of literals as blanks, line breaks kept."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"'
                       r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.S)

    def blanks(m):
        return re.sub(r'[^\n]', ' ', m[0])
    kept = re.compile(r'^\s*#\s*include.*$', re.M)
    includes = [(m.start(), m[0]) for m in kept.finditer(text)]
    out = token.sub(blanks, text)
    for start, line in includes:
        out = out[:start] + line + out[start + len(line):]
    return out


def rule_layers(files):
    for f in files:
        if not f.ours:
            continue
        for number, target in f.includes():
            if re.search(r'(^|/)(tests|benchmarks|examples|support)/', target):
                yield f.name, number, f'{target} is outside of the library'
            m = re.match(r'trestle/(\w+)/', target) or re.match(r'(\w+)/', target)
            other = m[1] if m and m[1] not in ('trestle', 'support') else None
            if other not in MAY_INCLUDE and not target.startswith('trestle/'):
                other = None  # of another library
            if other and f.layer and other != f.layer and other not in MAY_INCLUDE[f.layer].split():
                yield f.name, number, f'layer {f.layer} must not include {target}'
            if target == 'trestle/trestle.hpp':
                yield f.name, number, 'the library does not include its own umbrella'


def rule_known_layer(files):
    for f in files:
        if f.layer and f.layer not in MAY_INCLUDE:
            yield f.name, 1, f'unknown layer {f.layer}'


def rule_cycles(files):
    graph = {re.sub('^(include|src)/', '', f.name): [t for _, t in f.includes()]
             for f in files if f.ours and f.name.endswith('.hpp')}
    done = set()

    def visit(node, path):
        if node in path:
            ring = path[path.index(node):] + [node]
            yield node, 1, 'include cycle ' + ' -> '.join(ring)
        elif node in graph and node not in done:
            for target in graph[node]:
                yield from visit(target, path + [node])
            done.add(node)
    for node in graph:
        yield from visit(node, [])


def room_of(name):
    """alloc/node of include/trestle/alloc/node/detail/x.hpp and of src/alloc/node/x.cpp; a loose file of
    a layer lies in the room that bears the layer's name."""
    parts = re.sub('^(include/|src/)?(trestle/)?', '', name).split('/')[:-1]
    parts = [part for part in parts if part != 'detail']
    return '/'.join(parts[:3 if parts[:1] == ['dialect'] else 2])


def room_graph(files):
    """{room: the rooms that it includes}, of the library's files."""
    names = {re.sub('^(include|src)/', '', f.name) for f in files if f.ours}
    graph = {}
    for f in files:
        if not f.ours or '/' not in room_of(f.name) and room_of(f.name) not in MAY_INCLUDE:
            continue
        here = re.sub('^(include|src)/', '', f.name).rpartition('/')[0]
        targets = {posixpath.normpath(posixpath.join(base, t))
                   for _, t in f.includes() for base in (here, '')}
        to = graph.setdefault(room_of(f.name), set())
        to |= {room_of(t) for t in targets & names} - {room_of(f.name), ''}
    return graph


def room_cycles(graph):
    """The sets of rooms that reach each other."""
    def reached(room):
        seen, todo = set(), [room]
        while todo:
            for other in graph.get(todo.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        return seen
    reach = {room: reached(room) for room in graph}
    return {frozenset({a} | {b for b in reach[a] if a in reach[b]}) for a in graph if a in reach[a]}


def rule_room_cycles(files):
    for ring in room_cycles(room_graph(files)):
        yield 'include', 0, f'rooms that include each other: {", ".join(sorted(ring))}'


def rule_fences(files):
    for f in files:
        for number, target in f.includes() if f.ours else ():
            for prefix, allowed in FENCES:
                if target.startswith(prefix) and not re.fullmatch(allowed, f.name):
                    yield f.name, number, f'<{target}> belongs into {allowed}'


def rule_std_includes(files):
    yield from std_includes.missing(files)


def rule_banned_words(files):
    for f in files:
        if not f.ours:
            continue
        banned = [(p, why) for p, why in BANNED if not any(
            re.fullmatch(file, f.name) and pattern == p for file, pattern, _ in EXCEPTIONS)]
        banned += [(p, why) for p, home, why in BANNED_ELSEWHERE if not re.fullmatch(home, f.name)]
        for pattern, why in banned:
            for m in re.finditer(pattern, f.code):
                yield f.name, f.line_of(m.start()), f'{m[0].strip()}: {why}'


def rule_words_of_haste(files):
    for f in files:
        for m in re.finditer(r'\b(TODO|FIXME|XXX|HACK)\b', f.text if f.is_source else ''):
            yield f.name, f.line_of(m.start()), f'{m[0]}: do it or make it an issue'


def rule_licence(files):
    for f in files:
        first = f.lines[:2] if f.lines[:1] and f.lines[0].startswith('#!') else f.lines[:1]
        if not first or 'SPDX-License-Identifier: Apache-2.0' not in first[-1]:
            yield f.name, 1, 'the first line has to name the licence (SPDX)'


def rule_pragma_once(files):
    for f in files:
        if f.name.endswith('.hpp') and '#pragma once' not in f.lines:
            yield f.name, 1, 'no #pragma once'


def rule_file_length(files):
    for f in files:
        if f.is_source and len(f.lines) > FILE_LINES_MAX:
            yield f.name, len(f.lines), f'{len(f.lines)} lines, allowed are {FILE_LINES_MAX}'
    headers = [len(f.lines) for f in files if f.name.startswith('include/')]
    if headers and statistics.median(headers) > HEADER_LINES_MEDIAN:
        yield 'include', 0, f'median header {statistics.median(headers)} lines, aim {HEADER_LINES_MEDIAN}'


def rule_header_length(files):
    for f in files:
        most = KNOWN_LONG_HEADERS.get(f.name, HEADER_LINES_MAX)
        if f.ours and f.name.endswith('.hpp') and len(f.lines) > most:
            yield f.name, len(f.lines), f'header of {len(f.lines)} lines, allowed are {most}'


def rule_folder_size(files):
    """How many files lie in a folder of the library, not counting its folders."""
    counts = collections.Counter(f.name.rsplit('/', 1)[0] for f in files if f.ours)
    for folder, count in sorted(counts.items()):
        most = KNOWN_FULL_FOLDERS.get(folder, FOLDER_FILES_MAX)
        if count > most:
            yield folder, 0, f'{count} files, allowed are {most}'


def functions(code):
    """(offset of the opening brace, of the closing one) of each outermost function body."""
    stack, head = [], 0
    for m in re.finditer(r'[{};]', code):
        if m[0] == '{':
            before = code[head:m.start()]
            scope = re.search(r'\b(namespace|class|struct|union|enum|extern)\b[^()]*$', before)
            body = ')' in before and not scope and not any(kind for kind, _ in stack)
            stack.append((body, m.start()))
        elif m[0] == '}' and stack:
            body, start = stack.pop()
            if body:
                yield start, m.start()
        head = m.end()


def rule_function_length(files):
    for f in files:
        for start, end in functions(f.code) if f.ours else ():
            lines = f.line_of(end) - f.line_of(start) + 1
            if lines > FUNCTION_LINES_MAX:
                yield f.name, f.line_of(start), f'function of {lines} lines, allowed are {FUNCTION_LINES_MAX}'


def read(root):
    root = pathlib.Path(root)
    for path in sorted(root.rglob('*')):
        relative = path.relative_to(root)
        if not SKIPPED_FOLDERS.isdisjoint(relative.parts) or not path.is_file():
            continue
        if path.suffix in WITH_LICENCE or path.name == 'CMakeLists.txt':
            yield File(root, path)


def check(root):
    files = list(read(root))
    rules = [rule for name, rule in globals().items() if name.startswith('rule_')]
    return [breach for rule in rules for breach in rule(files)], len(files)


def main():
    breaches, count = check(sys.argv[1])
    for name, line, what in breaches:
        print(f'{name}:{line}: {what}')
    if '--rooms' in sys.argv:
        for room, others in sorted(room_graph(list(read(sys.argv[1]))).items()):
            print(f'{room}: {" ".join(sorted(others)) or "-"}')
    print(f'{count} files, {len(breaches)} breaches')
    return 1 if breaches or not count else 0


if __name__ == '__main__':
    sys.exit(main())
