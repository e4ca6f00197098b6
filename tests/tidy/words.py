#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts words of public text that have to be decoded: words.py ROOT [--list WORD | --update]

Code is not people, and a sentence says one fact. Text is comments, docstrings, messages (literals of
several words) and pages, without what stands in backticks. It is counted in five places:

  headers   comments of include/ and of the C header, messages of all C++
  sources   other comments of C++
  python    comments, docstrings and messages of the Python package
  names     identifiers and names of enumerators of include/ and of the C header, names of Python, and
            those of the tests
  pages     README.md, CHANGELOG.md, CONTRIBUTING.md, docs/ and examples/

tests/golden/words.txt has a ceiling for each word and place. A count above it is a breach. --update
lowers ceilings to the counts, and raises none.
"""
import io
import pathlib
import re
import sys
import tokenize

CEILINGS = 'tests/golden/words.txt'
PLACES = ('headers', 'sources', 'python', 'names', 'pages')
WORDS = {name: re.compile(rf'\b(?:{pattern})\b', re.I) for name, pattern in {
    'who': 'who|whom',
    'whoever': 'whoever',
    'nobody': 'nobody',
    'somebody': 'somebody|someone',
    'anybody': 'anybody|anyone|everybody|everyone',
    'himself': 'himself|herself',
    'for who': 'for who',
    'A reader would get wrong': 'a reader would get wrong',
    'gives way': 'gives? way',
    'is told': '(?:is|are|was|were|be) told',
    'in the eyes of': 'in the eyes of',
    'no longer': 'no longer',
    'of which': 'of which',
}.items()}
CPP_TOKEN = re.compile(r'R"(\w*)\((?P<raw>.*?)\)\1"|"(?P<literal>(?:\\.|[^"\\\n])*)"|//+<?(?P<line>[^\n]*)|'
                       r"/\*(?P<block>.*?)\*/|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.S)


def cpp_text(text):
    """(comments, messages). Lines of a comment are joined, and literals that follow each other."""
    comments, messages = [], []
    end, before = 0, None
    for found in CPP_TOKEN.finditer(text):
        kind = found.lastgroup if found.lastgroup in ('raw', 'literal', 'line', 'block') else None
        if kind:
            parts = messages if kind in ('raw', 'literal') else comments
            if kind == before and not text[end:found.start()].strip():
                parts[-1] += (' ' if kind == 'line' else '') + found[kind]
            else:
                parts.append(found[kind])
        end, before = found.end(), kind
    return comments, [one for one in messages if ' ' in one.strip()]


def cpp_names(text):
    """Identifiers and literals of one word, each as words: `waitsFor_none` is `waits For none`."""
    code = CPP_TOKEN.sub(lambda found: f" {found['literal']} " if found['literal'] and ' ' not in found['literal']
                         else ' ', text)
    return as_words(re.findall(r'[A-Za-z_]\w+', code))


def python_names(text):
    return as_words(token.string for token in tokenize.generate_tokens(io.StringIO(text).readline)
                    if token.type == tokenize.NAME)


def as_words(names):
    return [' '.join(re.findall(r'[A-Z]?[a-z0-9]+|[A-Z]+', name)) for name in dict.fromkeys(names)]


def python_text(text):
    """Comments, and literals of several words, docstrings among them."""
    found = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            found.append(token.string.lstrip('# '))
        elif tokenize.tok_name[token.type] in ('STRING', 'FSTRING_MIDDLE') and ' ' in token.string.strip():
            found.append(re.sub(r'\{[^{}]*\}', '{}', token.string))
    return found


def page_text(path):
    text = path.read_text()
    if path.suffix in ('.cpp', '.hpp', '.c', '.go', '.rs'):
        return [part for parts in cpp_text(text) for part in parts]
    return python_text(text) if path.suffix == '.py' else [text]


def files(root, folder, *suffixes):
    return sorted(path for path in (root / folder).rglob('*') if path.suffix in suffixes)


def texts(root):
    """(place, file, text) of all public text."""
    cpp = [path for folder in ('include', 'src', 'bindings/c', 'bindings/python')
           for path in files(root, folder, '.hpp', '.cpp', '.h')]
    for path in cpp:
        comments, messages = cpp_text(path.read_text())
        is_public = path.suffix == '.h' or path.is_relative_to(root / 'include')
        for text in cpp_names(path.read_text()) if is_public else ():
            yield 'names', path, text
        for text in comments:
            yield 'headers' if is_public else 'sources', path, text
        for text in messages:
            yield 'headers', path, text
    for path in (path for path in files(root, 'tests', '.cpp', '.py') if 'tidy' not in path.parts):
        for text in re.findall(r'TEST_CASE\(\s*"([^"]+)|def (test_\w+)', path.read_text()):
            yield 'names', path, ''.join(text).replace('_', ' ')
    for path in files(root, 'bindings/python/trestle', '.py'):
        for text in python_text(path.read_text()):
            yield 'python', path, text
        for text in python_names(path.read_text()):
            yield 'names', path, text
    pages = [root / name for name in ('README.md', 'CHANGELOG.md', 'CONTRIBUTING.md')]
    pages += files(root, 'docs', '.md') + files(root, 'examples', '.cpp', '.py', '.c', '.go', '.rs', '.md', '.sh')
    for path in filter(pathlib.Path.exists, pages):
        for text in page_text(path):
            yield 'pages', path, text


def places_of(root):
    """{(word, place): [(file, what stands around it)]}"""
    found = {(word, place): [] for word in WORDS for place in PLACES}
    for place, path, text in texts(root):
        text = ' '.join(re.sub(r'`[^`]*`', '``', text).split())
        for word, pattern in WORDS.items():
            for hit in pattern.finditer(text):
                around = text[max(0, hit.start() - 40):hit.end() + 40]
                found[word, place].append((path.relative_to(root), around))
    return found


def ceilings(root):
    lines = (root / CEILINGS).read_text().splitlines()[1:]
    rows = (re.match(r'(.*?)((?: +\d+)+)$', line).groups() for line in lines)
    return {(word, place): int(count) for word, counts in rows for place, count in zip(PLACES, counts.split())}


def lowered(root, known):
    """The ceilings `known`, or the counts where these are lower."""
    return {key: min(len(found), known.get(key, len(found))) for key, found in places_of(root).items()}


def listing(counts):
    rows = [['word', *PLACES]] + [[word, *(str(counts[word, place]) for place in PLACES)] for word in WORDS]
    return ''.join(f'{row[0]:<26}' + ''.join(f'{cell:>9}' for cell in row[1:]) + '\n' for row in rows)


def breaches(root):
    highest = ceilings(root)
    for (word, place), found in places_of(root).items():
        if len(found) > highest[word, place]:
            yield (f'{place}: "{word}" stands {len(found)} times, allowed are {highest[word, place]};'
                   f' words.py ROOT --list "{word}" shows where')


if __name__ == '__main__':
    top = pathlib.Path(sys.argv[1]).resolve()
    if '--list' in sys.argv:
        for (word, place), found in places_of(top).items():
            if word == sys.argv[-1]:
                print(*(f'{place}: {path}: {around}' for path, around in found), sep='\n')
        sys.exit(0)
    if '--update' in sys.argv:
        known = ceilings(top) if (top / CEILINGS).exists() else {}
        (top / CEILINGS).write_text(listing(lowered(top, known)))
    wrong = list(breaches(top))
    print(*wrong, f'{len(wrong)} breaches', sep='\n')
    sys.exit(1 if wrong else 0)
