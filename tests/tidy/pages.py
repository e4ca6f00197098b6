#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks README.md and docs/: pages.py ROOT [--update]

Each fenced block names its language, which decides how it is held to the code:

  python           tests/python/test_pages.py runs the blocks of a page in one process
  console          tests/programs/pages.py runs the lines behind `$ ` and compares what they print
  text             what the block before it prints; for an excerpt of an example, and a command that
                   runs one, lines of its .expected
  sh               not run: presets, scripts and files that it names exist
  diagram          free
  any other        consecutive lines of a file of examples/, tests/ or bindings/, which is compiled or read there

Links lead to files and headings that exist, paths in the text to files. README.md has at most 200
lines. The generated reference has a place for each public name. Their words are words.py's.
--update writes what examples in C++ print (.expected) over what the pages show of it.
"""
import difflib
import json
import pathlib
import re
import sys
import typing

README_LINES_MAX = 200
FREE = {'python', 'console', 'diagram'}  # run elsewhere, or no code
FOLDERS = 'examples tests cmake bindings benchmarks docs include src'.split()


class Block(typing.NamedTuple):
    language: str
    code: str
    line: int


def pages(root):
    return [root / 'README.md', *sorted((root / 'docs').rglob('*.md'))]


def blocks(text):
    """The fenced blocks of a page, in order, without the indentation of lists and admonitions."""
    return [Block(m[2], re.sub(f'^{m[1]}', '', m[3], flags=re.M), text.count('\n', 0, m.start()) + 1)
            for m in re.finditer(r'^( *)```(\w*)[^\n]*\n(.*?)^\1```$', text, re.M | re.S)]


class Excerpts:
    """Finds the file that has given lines one after the other, indented or not."""

    def __init__(self, root, folders=('examples', 'tests', 'bindings')):
        self.files = {}
        for folder in folders:
            for path in (root / folder).rglob('*'):
                if path.is_file() and path.stat().st_size < 100_000 and path.suffix not in ('.svg', '.pyc'):
                    try:
                        self.files[path] = path.read_text().splitlines()
                    except UnicodeDecodeError:
                        pass

    def find(self, code):
        return next((path for path, lines in self.files.items() if has_lines(lines, code)), None)


def has_lines(lines, code):
    wanted = code.splitlines()
    first = wanted[0].strip()
    for at, line in enumerate(lines):
        if line.strip() != first:
            continue
        indent = line[:len(line) - len(line.lstrip())] if wanted[0] == wanted[0].lstrip() else ''
        if lines[at:at + len(wanted)] == [indent + one if one else '' for one in wanted]:
            return True
    return False


def with_sources(root, page, excerpts):
    """(block, the file that the block before a text is from, or that block's language)."""
    before = None
    for block in blocks(page.read_text()):
        yield block, before
        if block.language == 'cpp':
            before = excerpts.find(block.code)
        elif block.language == 'sh' and (named := re.findall(r'examples/[\w./]+', block.code)):
            before = root / named[-1]
        elif block.language != 'text':
            before = block.language


def rule_blocks(root):
    excerpts = Excerpts(root)
    for page in pages(root):
        for block, before in with_sources(root, page, excerpts):
            where = f'{page.relative_to(root)}:{block.line}'
            if not block.language:
                yield f'{where}: a block without a language'
            elif block.language == 'text':
                if isinstance(before, pathlib.Path):
                    if not has_lines(printed_by(before), block.code):
                        yield f'{where}: not what {before.name} prints; --update corrects it'
                elif before != 'python':
                    yield f'{where}: text that no block before it prints'
            elif block.language == 'sh':
                yield from (f'{where}: {what}' for what in missing_in_shell(root, block.code))
            elif block.language not in FREE and not excerpts.find(block.code):
                yield f'{where}: no file of examples/, tests/ or bindings/ has these lines:\n{block.code}'


def printed_by(example):
    expected = example.with_suffix('.expected')
    return expected.read_text().splitlines() if expected.exists() else []


def update(root):
    """Replaces each text by as many lines of the .expected, those that are most like it."""
    excerpts = Excerpts(root)
    for page in pages(root):
        text = page.read_text()
        for block, before in with_sources(root, page, excerpts):
            lines = printed_by(before) if isinstance(before, pathlib.Path) else []
            if block.language != 'text' or not lines or has_lines(lines, block.code):
                continue
            count = block.code.count('\n')
            windows = [''.join(line + '\n' for line in lines[at:at + count])
                       for at in range(max(1, len(lines) - count + 1))]
            best = max(windows, key=lambda one: difflib.SequenceMatcher(None, block.code, one).ratio())
            text = text.replace(f'```text\n{block.code}```', f'```text\n{best}```')
        page.write_text(text)


def missing_in_shell(root, code):
    """What the commands name that does not exist."""
    presets = {one['name'] for one in json.loads((root / 'CMakePresets.json').read_text())['configurePresets']}
    for preset in re.findall(r'--preset[= ](\S+)', code):
        if preset not in presets:
            yield f'no preset {preset}'
    for word in re.findall(rf"(?<![\w/.])(?:\./)?((?:{'|'.join(FOLDERS)})/[\w./-]+)", code):
        if not (root / word).exists():
            yield f'no file {word}'


def slug(heading):
    """The anchor of a heading, as GitHub and MkDocs make it."""
    text = re.sub(r'[^\w\- ]', '', re.sub(r'[`*]', '', heading)).strip().lower()
    return text.replace(' ', '-')


def without_code(text):
    return re.sub(r'^( *)```.*?^\1```$', '', text, flags=re.M | re.S)


def anchors(page):
    return {slug(m[1]) for m in re.finditer(r'^#+ (.*)$', without_code(page.read_text()), re.M)}


def links(text):
    """The targets of links and pictures, outside of code."""
    return re.findall(r'\]\(([^)\s]+)\)', re.sub(r'`[^`\n]*`', '', without_code(text)))


def rule_links(root):
    for page in pages(root):
        for target in links(page.read_text()):
            if re.match(r'[a-z]+:', target):
                continue
            path, _, anchor = target.partition('#')
            file = (page.parent / path).resolve() if path else page
            where = page.relative_to(root)
            if not file.exists():
                if not is_generated(root, file):
                    yield f'{where}: no {target}'
            elif file.is_dir():
                yield f'{where}: {target} is a folder, which the site cannot show'
            elif anchor and file.suffix == '.md' and anchor not in anchors(file):
                yield f'{where}: no heading for {target}'


def is_generated(root, file):
    """A page that docs/build.py writes."""
    return file.is_relative_to(root / 'docs/reference/cpp') or file == root / 'docs/reference/python.md'


def rule_paths(root):
    """Files that a page names in its text exist."""
    for page in pages(root):
        for path in re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]+)`", without_code(page.read_text())):
            if not (root / path).exists():
                yield f'{page.relative_to(root)}: no {path}'



def rule_readme(root):
    lines = (root / 'README.md').read_text().count('\n')
    if lines > README_LINES_MAX:
        yield f'README.md has {lines} lines, allowed are {README_LINES_MAX}'


def rule_every_page_is_in_the_contents(root):
    contents = (root / 'docs/mkdocs.yml').read_text()
    for page in sorted((root / 'docs').rglob('*.md')):
        if str(page.relative_to(root / 'docs')) not in contents:
            yield f'docs/mkdocs.yml: {page.relative_to(root / "docs")} is not in nav'


def rule_public_names(root):
    """Each public name of C++ has a place in the generated reference, with words about it."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'docs'))
    import cpp_reference
    for header, name in cpp_reference.undocumented(root):
        yield f'include/trestle/{header}: {name} has no place in the reference'


def breaches(root):
    return [breach for name, rule in globals().items() if name.startswith('rule_') for breach in rule(root)]


if __name__ == '__main__':
    if '--update' in sys.argv:
        update(pathlib.Path(sys.argv[1]).resolve())
    found = breaches(pathlib.Path(sys.argv[1]).resolve())
    print(*found, f'{len(found)} breaches', sep='\n')
    sys.exit(1 if found else 0)
