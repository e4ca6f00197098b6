#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python reference, from the stubs and sources of the package: python_reference.py PACKAGE ROOT OUT

A page has the classes and functions of a module with their signatures and docstrings. The module
`trestle` itself has a page for each room of the C++ headers. Nothing is imported.
"""
import ast
import pathlib
import re
import sys

import cpp_reference


def rooms_of_names(root):
    """{name: room} of the names that C++ has too."""
    rooms = {}
    for line in (root / 'tests/golden/public_names.txt').read_text().splitlines()[2:]:
        header, _, names = line.partition(': ')
        for name in names.split():
            rooms.setdefault(name.rpartition('::')[2], cpp_reference.room_of(pathlib.PurePath(header)))
    return rooms


def module_files(package):
    """{module: file}, the stub where there is one."""
    found = {}
    for path in [*package.glob('*.py'), *package.glob('*.pyi'), *package.glob('*/*.py')]:
        parts = [package.name, *path.relative_to(package).with_suffix('').parts]
        if parts[-1] == '__init__':
            parts.pop()
        if not any(part.startswith('_') for part in parts):
            found['.'.join(parts)] = path  # a stub comes after the source
    return found


def signature(node):
    text = f'{node.name}({ast.unparse(node.args)})' + (f' -> {ast.unparse(node.returns)}' if node.returns else '')
    return re.sub(r'\btrestle\.|\bcollections\.abc\.|\btyping\.', '', text)


def doc(node):
    return cpp_reference.markdown(ast.get_docstring(node) or '') if not isinstance(node, (ast.Assign, ast.AnnAssign)) else ''


def indented(text):
    return '\n'.join('    ' + line if line else '' for line in text.splitlines())


def member_lines(node, body):
    """One item of a list for a member of a class."""
    if isinstance(node, ast.FunctionDef) and not node.name.startswith('_'):
        marks = [ast.unparse(mark) for mark in node.decorator_list]
        if any(mark.endswith('.setter') for mark in marks) or node.name == 'replace':
            return
        if 'property' in marks:
            yield f'- `{node.name}: {ast.unparse(node.returns) if node.returns else "object"}`'
        else:
            yield f'- `{signature(node)}`'
        if doc(node):
            yield ''
            yield indented(doc(node))
        yield ''
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if isinstance(target, ast.Name) and not target.id.startswith('_'):
            after = body[body.index(node) + 1:]
            said = after[0].value.value if after and isinstance(after[0], ast.Expr) and isinstance(
                after[0].value, ast.Constant) else ''
            yield f'- `{target.id}`' + (f': {cpp_reference.markdown(said)}' if said else '')
            yield ''
    elif isinstance(node, ast.ClassDef) and not node.name.startswith('_'):
        yield f'- class `{node.name}`'
        yield ''
        if doc(node):
            yield indented(doc(node))
            yield ''
        for inner in node.body:
            for line in member_lines(inner, node.body):
                yield indented(line)


def source_of(node, file):
    """The file that `from .name import ...` reads, if it is one of the package."""
    parts = (node.module or '').split('.')
    if node.level == 0:
        parts = parts[1:] if parts[0] == 'trestle' else []
    path = file.parent.joinpath(*parts).with_suffix('.py')
    return path if parts and path.exists() else None


def sections(file):
    """{name: Markdown} of the public names of a file, and of those that it imports to export them."""
    found = {}
    body = ast.parse(file.read_text()).body
    exported = next((ast.literal_eval(node.value) for node in body if isinstance(node, ast.Assign)
                     and ast.unparse(node.targets[0]) == '__all__'), ())
    for node in body:
        if isinstance(node, ast.ImportFrom) and (source := source_of(node, file)):
            found |= {alias.name: sections(source).get(alias.name, '') for alias in node.names
                      if alias.name in exported or alias.asname == alias.name}
        name = getattr(node, 'name', None)
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            name = target.id if isinstance(target, ast.Name) else None
        if not name or name.startswith('_'):
            continue
        lines = []
        if isinstance(node, ast.FunctionDef):
            lines = ['```python', signature(node), '```', '', doc(node), '']
        elif isinstance(node, ast.ClassDef):
            inits = [signature(one).replace('__init__(self, ', f'{name}(').replace('__init__(self)', f'{name}()')
                     for one in node.body if isinstance(one, ast.FunctionDef) and one.name == '__init__']
            lines = (['```python', *(one.replace(' -> None', '') for one in inits), '```', ''] if inits else [])
            lines += [doc(node), '']
            for one in node.body:
                lines += member_lines(one, node.body)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            lines = [f'`{ast.unparse(node)[:120]}`', '']
        found[name] = found.get(name, '') + '\n'.join(lines) + '\n'
    return found


def pages(package, root):
    """{page: Markdown}, and {full name: page}."""
    rooms, texts, places = rooms_of_names(root), {}, {}
    for module, file in sorted(module_files(package).items()):
        module_doc = ast.get_docstring(ast.parse(file.read_text())) or ''
        if module != package.name:
            texts[module] = [f'# `{module}`\n', cpp_reference.markdown(module_doc), '']
        for name, text in sorted(sections(file).items(), key=lambda pair: pair[0].lower()):
            page = module
            if module == package.name:
                page = 'names.' + rooms.get(name, 'python').replace('/', '.')
                texts.setdefault(page, [f'# `trestle`: names of {page.removeprefix("names.")}\n',
                                        'These names are in the module `trestle`.', ''])
            texts[page] += [f'## {name}', '', text]
            places[f'{module}.{name}'] = page
    return {page: '\n'.join(lines) for page, lines in texts.items()}, places


def write(package, root, out):
    out.mkdir(parents=True, exist_ok=True)
    for page, text in pages(package, root)[0].items():
        (out / f'{page}.md').write_text(text)


if __name__ == '__main__':
    write(*(pathlib.Path(word).resolve() for word in sys.argv[1:4]))
