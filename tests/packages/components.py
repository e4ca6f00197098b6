#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the components of an installation and their SBOMs: components.py BUILD_FOLDER CMAKE

Each file of a whole installation belongs to one component; what a component has in addition is its copyright and
changelog. Each SBOM names all files of its installation with their checksums, and is the same when it is written again
at one SOURCE_DATE_EPOCH. tools.sh has it checked by spdx-tools, too.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SBOMS = 'share/trestle/sbom/'
WHERE = {  # what a component may have, by path
    'runtime': r'lib.*/lib[\w.-]+\.so\.[\w.]+',
    'development': r'include/.*|lib.*/(cmake|pkgconfig)/.*|lib.*/lib\w+\.(a|so)',
    'python': r'lib.*/(site|dist)-packages/trestle/.*',
    'tools': r'bin/.*|lib.*/trestle/.*|share/(man|bash-completion|zsh|fish|trestle)/.*',
}


def install(cmake, build, prefix, *options):
    environment = {**os.environ, 'SOURCE_DATE_EPOCH': '1700000000'}
    environment.pop('DESTDIR', None)
    subprocess.run([cmake, '--install', build, '--prefix', prefix, *options], check=True, stdout=subprocess.DEVNULL,
                   env=environment)
    return {str(path.relative_to(prefix)) for path in prefix.rglob('*') if path.is_file() or path.is_symlink()}


def sbom_breaches(prefix, name, files):
    document = prefix / SBOMS / f'{name}.spdx.json'
    if not document.exists():
        yield f'{name}: no SBOM'
        return
    sbom = json.loads(document.read_text())
    listed = {entry['fileName'].removeprefix('./'): {sum['algorithm']: sum['checksumValue'] for sum in entry['checksums']}
              for entry in sbom['files']}
    plain = {file for file in files if not (prefix / file).is_symlink() and not file.startswith(SBOMS)}
    if set(listed) != plain:
        yield f'{name}: SBOM and files differ by {sorted(set(listed) ^ plain)[:5]}'
    for file in plain & set(listed):
        content = (prefix / file).read_bytes()
        if listed[file] != {'SHA1': hashlib.sha1(content).hexdigest(), 'SHA256': hashlib.sha256(content).hexdigest()}:
            yield f'{name}: SBOM has other checksums of {file}'
    code = hashlib.sha1(''.join(sorted(sums['SHA1'] for sums in listed.values())).encode()).hexdigest()
    if sbom['packages'][0]['packageVerificationCode']['packageVerificationCodeValue'] != code:
        yield f'{name}: SBOM has another verification code than its files'
    if sbom['creationInfo']['created'] != '2023-11-14T22:13:20Z':
        yield f'{name}: SBOM was created {sbom["creationInfo"]["created"]}, expected SOURCE_DATE_EPOCH'
    identifiers = {entry['SPDXID'] for entry in [*sbom['packages'], *sbom['files'], sbom]}
    for relation in sbom['relationships']:
        if not {relation['spdxElementId'], relation['relatedSpdxElement']} <= identifiers:
            yield f'{name}: SBOM relates {relation["relatedSpdxElement"]}, which it does not have'
    if missing := {'abseil', 'CRoaring', 'fmt'} - {package['name'] for package in sbom['packages']}:
        yield f'{name}: SBOM lacks {sorted(missing)}'


def breaches(build, cmake, folder):
    whole = install(cmake, build, folder / 'whole')
    yield from sbom_breaches(folder / 'whole', 'trestle', whole)
    install(cmake, build, folder / 'again')
    paths = [folder / which / SBOMS / 'trestle.spdx.json' for which in ('whole', 'again')]
    if paths[0].read_bytes() != paths[1].read_bytes():
        yield 'a second installation wrote another SBOM'
    # A file of a component that has no name here is found as one that none has.
    owner = {}
    for component, pattern in WHERE.items():
        prefix = folder / component
        files = install(cmake, build, prefix, '--component', component)
        if not files:
            continue
        yield from sbom_breaches(prefix, f'trestle-{component}', files)
        for file in files:
            if file.startswith((SBOMS, 'share/doc/')):
                continue
            if file in owner:
                yield f'{file} is of {owner[file]} and of {component}'
            if not re.fullmatch(pattern, file):
                yield f'{file} is of {component}, expected {pattern}'
            owner[file] = component
    rest = {file for file in whole if not file.startswith(SBOMS)}
    if rest != set(owner):
        yield f'of no component, or of one alone: {sorted(rest ^ set(owner))[:5]}'
    print(f'{len(owner)} files of {sorted(set(owner.values()))}')


def main(build, cmake):
    with tempfile.TemporaryDirectory() as made:
        found = list(breaches(build, cmake, pathlib.Path(made)))
    print(*found, f'{len(found)} breaches', sep='\n')
    return 1 if found else 0


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]), sys.argv[2]))
