#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts sentences of public text that have more than 25 words: sentences.py ROOT [--list PLACE | --update]

  headers   comments of include/ and of the C header
  python    docstrings and comments of the Python package, texts of its bindings
  pages     README.md, CONTRIBUTING.md, SECURITY.md, CHANGELOG.md, docs/ and the README files of bindings
            and examples

What stands in backticks is one word. Blocks of code, tables and headings are no sentences. A sentence ends
with its list item, its row of parameters and its paragraph. tests/golden/sentences.txt has a ceiling for
each place; --update lowers ceilings to the counts, and raises none.
"""
import inspect
import io
import pathlib
import re
import sys
import tokenize

import words

CEILINGS = 'tests/golden/sentences.txt'
PLACES = ('headers', 'python', 'pages')
LONGEST = 25
END = re.compile(r'(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)(?<=[.!?])["\')\]]*\s+(?=["\'(\[]*[A-Z0-9`*_<-]|[a-z_]+: )')
FENCES = ('```', '~~~')
NO_TEXT = (*FENCES, '|', '#', '>>>', '...', '!!!', '$', '@name', '<')
ITEM = re.compile(r'^\s*(?:[-*+]\s|\d+\.\s|[a-z_]+: |[\w`]+  +)')  # of a list, or a row of parameters


def sentences(text):
    """The sentences of one comment, docstring or page."""
    paragraph, first, is_fence = [], '', False
    for line in [*re.sub(r'<!--.*?-->', '', text, flags=re.S).splitlines(), '']:
        bare = line.strip()
        if bare.startswith(FENCES):
            is_fence = not is_fence
        deeper = indent(line) - indent(first)
        is_text = (not is_fence and re.search(r'[A-Za-z]', bare) and not bare.startswith(NO_TEXT) and
                   ' | ' not in bare and (deeper < 4 or ITEM.match(line)))
        is_row = bool(paragraph) and deeper > 0 and paragraph[-1].endswith(':') and not ITEM.match(first)
        if not is_text or ITEM.match(line) or is_row:
            yield from split(paragraph)
            paragraph = []
        if is_text:
            first = first if paragraph else line
            paragraph.append(bare)
        elif not bare:
            first = ''
    yield from split(paragraph)


def indent(line):
    return len(line) - len(line.lstrip())


def split(lines):
    text = re.sub(r'`[^`]*`', lambda found: re.sub(r'\s+', '_', found[0]), ' '.join(lines))
    text = re.sub(r'\]\([^)]*\)', ']', ITEM.sub('', text, count=1))
    return END.split(text) if text else []


def length(sentence):
    return sum(bool(re.search(r'\w', word)) for word in sentence.split())


def comments(text):
    """Comments of C++, each with its lines. A comment ends where another kind of it begins."""
    found, before = [], None
    for line in text.splitlines():
        own = re.match(r'\s*(///<|///|//) ?(.*)', line)
        behind = None if own else re.search(r'(///<) ?(.*)', line)
        kind, content = (own or behind).groups() if own or behind else (None, '')
        if kind is not None and kind == before and not behind:
            found[-1] += '\n' + content
        elif kind is not None:
            found.append(content)
        before = kind
    found += [re.sub(r'(?m)^\s*\* ?', '', block) for block in re.findall(r'/\*(.*?)\*/', text, re.S)]
    return found


def docstrings(text):
    comment = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            comment.append(token.string.lstrip('#: '))
        elif token.type != tokenize.NL:
            yield '\n'.join(comment)
            comment = []
        if token.type == tokenize.STRING and token.string.startswith(('"""', 'r"""')):
            yield inspect.cleandoc(token.string.strip('r"'))


def texts(root):
    """(place, file, text)"""
    for path in [*words.files(root, 'include', '.hpp'), *words.files(root, 'bindings/c', '.h')]:
        for text in comments(path.read_text()):
            yield 'headers', path, text
    for path in words.files(root, 'bindings/python', '.py', '.pat'):
        for text in docstrings(path.read_text()) if path.suffix == '.py' else [path.read_text()]:
            yield 'python', path, text
    for path in words.files(root, 'bindings/python', '.cpp', '.hpp'):
        for text in words.cpp_text(path.read_text())[1]:
            yield 'python', path, text.replace('\\n', '\n').replace('\\"', '"')
    pages = [root / name for name in ('README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md')]
    for folder in ('docs', 'examples', 'bindings'):
        pages += words.files(root, folder, '.md')
    for path in filter(pathlib.Path.exists, pages):
        yield 'pages', path, path.read_text()


def long_sentences(root):
    """{place: [(file, sentence)]}"""
    found = {place: [] for place in PLACES}
    for place, path, text in texts(root):
        found[place] += [(path.relative_to(root), one) for one in sentences(text) if length(one) > LONGEST]
    return found


def ceilings(root):
    rows = (line.split() for line in (root / CEILINGS).read_text().splitlines())
    return {place: int(count) for place, count in rows}


def breaches(root):
    highest = ceilings(root)
    for place, found in long_sentences(root).items():
        if len(found) > highest[place]:
            yield (f'{place}: {len(found)} sentences of more than {LONGEST} words, allowed are {highest[place]};'
                   f' sentences.py ROOT --list {place} shows which')


if __name__ == '__main__':
    top = pathlib.Path(sys.argv[1]).resolve()
    if '--list' in sys.argv:
        for file, sentence in long_sentences(top)[sys.argv[-1]]:
            print(f'{file}: {sentence}')
        sys.exit(0)
    if '--update' in sys.argv:
        known = ceilings(top)
        counts = {place: min(len(found), known[place]) for place, found in long_sentences(top).items()}
        (top / CEILINGS).write_text(''.join(f'{place:<10}{count:>6}\n' for place, count in counts.items()))
    wrong = list(breaches(top))
    print(*wrong, f'{len(wrong)} breaches', sep='\n')
    sys.exit(1 if wrong else 0)
