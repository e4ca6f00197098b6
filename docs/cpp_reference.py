#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C++ reference, from the headers: cpp_reference.py ROOT OUT writes a page for each room.

A page has, header by header, the preface and each public declaration with its comment. Bodies, lists
of fields, comparisons of fields, and what is private or `detail` are left out. `undocumented` compares
the pages with tests/golden/public_names.txt.
"""
import dataclasses
import pathlib
import re
import sys

TYPE = re.compile(r'(?:template <[^{};]*?>\s+(?:requires [^{};]*?\s)?)?(?:enum class|enum|struct|class|union) (?:\[\[\w+\]\] )?([\w:]+)', re.S)
NAMESPACE = re.compile(r'(?:inline )?namespace ?([\w:]*)')
LEFT_OUT = re.compile(r'static constexpr auto (fields|spelling|kind)\b|(constexpr )?friend (.*operator|class|struct)|using namespace|'
                      r'static_assert|template <> ?(struct|class)|extern template|inline constexpr bool is_')


@dataclasses.dataclass
class Declaration:
    comment: str   # the text of its `///` lines
    code: str      # without bodies
    scope: str = ''

    @property
    def name(self):
        code = re.sub(r'\[\[.*?\]\]|alignas\(.*?\)|TRESTLE_\w+ ', '', self.code)
        code = re.sub(r'^template <[^{};]*?>\s+(?=\S)(?!>)', '', code) if code.startswith('template') else code
        if found := re.match(r'#define (\w+)', code):
            return found[1]
        if found := TYPE.match(self.code) or re.match(r'using (\w+)\s*=', code):
            return found[1]
        if found := re.match(r'using [\w:]*::(\w+);', code):
            return found[1]
        head = re.split(r'[={]', code)[0] if 'operator' not in code else code
        if found := re.search(r'(operator ?[^\w\s(]+|operator""_?\s?\w+|[\w]+)\s*\(', head):
            return found[1]
        return (re.findall(r'\w+', re.split(r'[={\[]', code)[0]) or [''])[-1]


class Scanner:
    """Splits the text between two braces into declarations."""

    def __init__(self, text):
        self.text = text
        self.at = 0

    def skip_token(self):
        """Moves over one character, or over a literal or comment; returns it."""
        found = re.compile(r'//[^\n]*|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
                           r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|.", re.S).match(self.text, self.at)
        self.at = found.end()
        return found[0]

    def block(self):
        """The text up to the brace that closes the one that was just passed."""
        start, depth = self.at, 1
        while depth:
            token = self.skip_token()
            depth += (token == '{') - (token == '}')
        return self.text[start:self.at - 1]

    def declarations(self):
        comment, code = [], ''
        while self.at < len(self.text):
            line_start = self.text[self.text.rfind('\n', 0, self.at) + 1:self.at].strip() == ''
            if not code.strip() and line_start and (found := re.compile(
                    r'[ ]*///(?!<) ?([^\n]*)\n|[ ]*#define ((?:[^\n]*\\\n)*[^\n]*)\n|[ ]*#[^\n]*\n|[ ]*\n|'
                    r'[ ]*(public|private|protected):[^\n]*\n').match(self.text, self.at)):
                self.at = found.end()
                if found[1] is not None:
                    if not found[1].startswith('@name'):
                        comment.append(found[1])
                elif found[2]:
                    yield Declaration('\n'.join(comment), '#define ' + re.match(r'\w+(\(.*?\))?', found[2])[0])
                    comment = []
                elif found[3]:
                    yield found[3]
                    comment = []
                elif not found[0].strip():
                    comment = []
                continue
            token = self.skip_token()
            if token.startswith('//'):
                if token.startswith('///<') and code:
                    code += ' ' + token
                continue
            if token == '{':
                head = code.strip()
                inner = self.block()
                if NAMESPACE.match(head):
                    yield NAMESPACE.match(head)[1], inner
                    comment, code = [], ''
                elif re.search(r'(\)|\bconst|\bnoexcept|\boverride|\)\s*->[^;]*)$', head) and '(' in head:
                    head = re.sub(r'\)\s*:\s*\w+[({].*$', ')', head, flags=re.S)
                    yield Declaration('\n'.join(comment), head + ';')
                    comment, code = [], ''
                else:
                    code += '{' + inner + '}'
                continue
            code += token
            if token == ';':
                rest = re.compile(r'[ ]*(///<[^\n]*)\n((?:[ ]*///<[^\n]*\n)*)').match(self.text, self.at)
                if rest:
                    code += '  ' + rest[1]
                    code += ''.join('\n' + line.strip() for line in rest[2].splitlines())
                    self.at = rest.end()
                yield Declaration('\n'.join(comment), code.strip())
                comment, code = [], ''


def shown_type(declaration):
    """A struct or class with its public members; any other declaration as it is."""
    found = re.match(r'([^{]*?)\s*\{(.*)\}\s*;$', declaration.code, re.S)
    if not found or not TYPE.match(declaration.code) or declaration.code.startswith('enum'):
        return dedented(declaration.code)
    is_class = bool(re.search(r'\bclass \w+[^<>]*$', found[1]))
    lines, is_shown = ['  public:'] if is_class else [], not is_class
    for member in Scanner(found[2]).declarations():
        if isinstance(member, str):
            is_shown = member == 'public'
        elif isinstance(member, Declaration) and is_shown and not LEFT_OUT.match(member.code):
            if member.comment and lines[-1:] not in ([], ['  public:']):
                lines.append('')
            lines += [f'    /// {line}'.rstrip() for line in member.comment.splitlines()]
            lines += ['    ' + line if line else '' for line in shown_type(member).splitlines()]
    return '\n'.join([f'{found[1]} {{', *lines, '};'])


def dedented(code):
    """The first line stands at its place, the others behind the indentation of the header."""
    first, _, rest = code.partition('\n')
    lines = rest.splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    closing = next((line for line in reversed(lines) if line.strip()), '')
    if closing.strip().startswith('}'):
        indent = min(indent, len(closing) - len(closing.lstrip()))
        return '\n'.join([first, *(line[indent:] for line in lines)])
    return '\n'.join([first, *('    ' + line[indent:] for line in lines)])


def public(text, scope=''):
    """The public declarations at namespace scope, without forward declarations."""
    for one in Scanner(text).declarations():
        if isinstance(one, tuple):
            inner = '::'.join(part for part in (scope, one[0].removeprefix('trestle')) if part).removeprefix('::')
            if one[0] and 'detail' not in one[0].split('::'):
                yield from public(one[1], inner.removeprefix('::'))
        elif isinstance(one, Declaration) and not LEFT_OUT.match(one.code) and '_DETAIL_' not in one.code \
                and '::detail::' not in one.code.split('(')[0] and not one.code.startswith('struct detail'):
            one.scope = scope
            if not re.fullmatch(r'(template <[^{}]*>\s+)?(struct|class|enum class) [\w:]+( : [\w:]+)?;', one.code):
                yield one


def preface(text):
    """The comment behind `#pragma once`, as paragraphs."""
    found = re.search(r'#pragma once\n\n((?://[^\n]*\n)+)', text) or re.search(r'^\n?((?://(?! SPDX)[^\n]*\n)+)', text, re.M)
    return '\n'.join(line[3:] for line in found[1].splitlines()) if found else ''


def markdown(text):
    """A comment as Markdown: `<` and `*` are letters, lines that begin with blanks are code."""
    out = []
    in_item = False
    for line in text.splitlines():
        is_item = bool(re.match(r'- |\d+\. ', line))
        in_item = is_item or in_item and line.startswith('  ')
        if line.startswith('  ') and not in_item:
            line = '    ' + line
        else:
            parts = re.split(r'(`[^`]*`)', line)
            line = ''.join(part if part.startswith('`') else re.sub(r'([<*\[\]|])', r'\\\1', part)
                           for part in parts)
        if is_item and out and out[-1] and not re.match(r'- |\d+\. |  ', out[-1]):
            out.append('')
        out.append(line)
    return '\n'.join(out)


def header_text(root, path):
    """The part of a page about one header, and {name: declarations}."""
    text = path.read_text()
    names = {}
    for one in public(text):
        name = '::'.join(part for part in (one.scope, one.name) if part)
        if name and not name.endswith('enum_names'):
            names.setdefault(name, []).append(one)
    out = [f'## `trestle/{path.relative_to(root / "include/trestle")}`', '', markdown(preface(text)), '']
    for name, declarations in names.items():
        title = name.replace('<', '\\<').replace('*', '\\*').replace('|', '\\|')
        out += [f'### {title}', '']
        for one in declarations:
            out += ['```cpp', shown_type(one), '```', '']
            if one.comment:
                out += [markdown(one.comment), '']
    return '\n'.join(out), names


def room_of(header):
    """dialect/slurm of dialect/slurm/choice/load.hpp, alloc/node of alloc/node/job/job.hpp."""
    parts = header.parts[:-1]
    return '/'.join(parts[:2]) if parts and parts[0] in ('alloc', 'dialect') else (parts or ('trestle',))[0]


def headers(root):
    return [path for path in sorted((root / 'include/trestle').rglob('*.hpp')) if 'detail' not in path.parts]


def pages(root):
    """{room: Markdown}."""
    rooms = {}
    for path in headers(root):
        text, _ = header_text(root, path)
        rooms.setdefault(room_of(path.relative_to(root / 'include/trestle')), []).append(text)
    return {room: f'# C++: `{room}`\n\nGenerated from the headers.\n\n' + '\n'.join(texts)
            for room, texts in sorted(rooms.items())}


def undocumented(root):
    """(header, name) of the public names that the pages lack, or have without a word about them."""
    for line in (root / 'tests/golden/public_names.txt').read_text().splitlines()[2:]:
        header, _, listed = line.partition(': ')
        text, found = header_text(root, root / 'include/trestle' / header)
        opening = text.partition('\n### ')[0]
        types, _, functions = listed.partition(' | ')
        for name in [*types.split(), *re.sub(r'\S*operator \S+', '', functions).split()]:
            if name not in ('-', 'enum_names', '|') and not name.endswith('::enum_names'):
                last = name.rpartition('::')[2]
                if name not in found:
                    if not re.search(rf'friend [^;{{]*\b{last}\(', text):  # shown with its type
                        yield header, name
                elif name in types.split() and not re.search(rf'\b{last}\b', opening):
                    if not any(one.comment or '///' in one.code or one.code.startswith('using') for one in found[name]):
                        yield header, name


def write(root, out):
    for room, text in pages(root).items():
        page = out / (room + '.md')
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)


if __name__ == '__main__':
    write(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]))
