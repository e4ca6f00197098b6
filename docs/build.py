#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation as a site: build.py OUT [PACKAGE]

OUT/site is the site. PACKAGE is the folder of the built Python package, which has the stubs; without it the
Python reference is left out. Needs mkdocs-material in this interpreter, and no network. A broken
link is an error.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import cpp_reference
import python_reference

ROOT = pathlib.Path(__file__).resolve().parents[1]
DOCS = ROOT / 'docs'


def staged_name(path):
    """Where a file of the tree lies among the pages."""
    if path.is_relative_to(DOCS):
        return path.relative_to(DOCS)
    if path == ROOT / 'README.md':
        return pathlib.Path('readme.md')  # README.md beside index.md would be its second name
    if path.suffix == '.md':
        return path.relative_to(ROOT)
    return pathlib.Path('files') / path.relative_to(ROOT)


class Pages:
    """Copies pages, and what they link to, into one folder; links are rewritten for it."""

    def __init__(self, out):
        self.out = out
        self.done = set()

    def add(self, source):
        if source in self.done:
            return
        self.done.add(source)
        target = self.out / staged_name(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix != '.md':
            shutil.copyfile(source, target)
            return

        def link(match):
            path, hash_, anchor = match[1].partition('#')
            linked = (source.parent / path).resolve()
            if not path or re.match(r'[a-z]+:', path) or not linked.is_file():
                return match[0]
            self.add(linked)
            return '](' + os.path.relpath(self.out / staged_name(linked), target.parent) + hash_ + anchor + ')'
        parts = re.split(r'(^ *```.*?^ *```$|`[^`\n]*`)', source.read_text(), flags=re.M | re.S)
        target.write_text(''.join(part if i % 2 else re.sub(r'\]\(([^)\s]+)\)', link, part)
                                  for i, part in enumerate(parts)))


def add_reference(page, folder, title):
    """The generated pages of a folder as a list at the end of a page."""
    lines = [f'## {title}', '', *(f'- [{one.relative_to(folder).with_suffix("").as_posix()}]'
                                  f'({folder.name}/{one.relative_to(folder).as_posix()})'
                                  for one in sorted(folder.rglob('*.md'))), '']
    page.write_text(page.read_text() + '\n'.join(lines))


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith('-'):
        print(__doc__)
        return 0 if sys.argv[1:] in (['-h'], ['--help']) else 2
    out = pathlib.Path(sys.argv[1]).resolve()
    docs = out / 'docs'
    shutil.rmtree(docs, ignore_errors=True)
    pages = Pages(docs)
    for page in [*DOCS.rglob('*.md'), ROOT / 'README.md']:
        pages.add(page)
    cpp_reference.write(ROOT, docs / 'reference/cpp')
    add_reference(docs / 'reference/cpp.md', docs / 'reference/cpp', 'Rooms')
    if len(sys.argv) > 2:
        python_reference.write(pathlib.Path(sys.argv[2]).resolve(), ROOT, docs / 'reference/python')
        add_reference(docs / 'reference/python.md', docs / 'reference/python', 'Pages')
    shutil.copyfile(DOCS / 'mkdocs.yml', out / 'mkdocs.yml')
    return subprocess.run([sys.executable, '-m', 'mkdocs', 'build', '--strict', '-f', out / 'mkdocs.yml',
                           '-d', out / 'site'], env={**os.environ, 'NO_MKDOCS_2_WARNING': '1'}).returncode


if __name__ == '__main__':
    sys.exit(main())
