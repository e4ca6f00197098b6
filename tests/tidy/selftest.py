#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every rule has to catch a small tree that breaks it, and to leave a good tree alone."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import pages
import sentences
import symbols
import tree
import words

SPDX = '// SPDX-License-Identifier: Apache-2.0\n#pragma once\n'
GOOD = {
    'include/trestle/base/units.hpp': '// It throws nothing: throw, printf(, std::cout are words here.\n'
                                      'inline const char* f() { return "throw absl::string_view"; }\n'
                                      'inline constexpr int million = 1\'000\'000; // throw\n',
    'include/trestle/base/status.hpp': '#include "trestle/base/units.hpp"\nabsl::string_view v;\n',
    'include/trestle/set/detail/roaring.hpp': '#include <roaring/roaring.hh>\n',
    'include/trestle/alloc/node/fit.hpp': '#include "trestle/base/units.hpp"\n',
    'include/trestle/enforce/plan.hpp': '#include "trestle/set/detail/roaring.hpp"\n',
    'include/trestle/dialect/slurm/gres.hpp': '#include "trestle/alloc/node/fit.hpp"\n'
                                              '#include "trestle/enforce/plan.hpp"\n',
    'src/os/discover.cpp': '#include <hwloc.h>\nint f() {\n' + '    ;\n' * 60 + '}\n',
    'src/dialect/json/write.cpp': '#include <nlohmann/json.hpp>\nvoid f() { snprintf(b, 1, "");}\n',
    'src/dialect/words.hpp': '#include <string>\nstd::string f();\n',
    'src/dialect/json/read.hpp': '#include "../words.hpp"\ninline std::string g() { return f(); }\n',
    'src/dialect/json/read.cpp': '#include "dialect/json/read.hpp"\nstd::string h() { return std::move(g()); }\n',
    'tests/base/units_test.cpp': '#include <roaring/roaring.hh>\n'
                                 'int main() { std::cout << 1; throw 1; }\n',
}
# (file, its text, what the message has to say)
BAD = [
    ('include/trestle/base/x.hpp', '#include "trestle/set/y.hpp"', 'layer base must not include'),
    ('include/trestle/set/x.hpp', '#include "trestle/model/y.hpp"', 'layer set must not include'),
    ('include/trestle/model/x.hpp', '#include <trestle/alloc/y.hpp>', 'layer model must not'),
    ('include/trestle/alloc/x.hpp', '#include "trestle/enforce/y.hpp"', 'layer alloc must not'),
    ('include/trestle/enforce/x.hpp', '#include "trestle/alloc/y.hpp"', 'layer enforce must not'),
    ('include/trestle/dialect/x.hpp', '#include "trestle/os/y.hpp"', 'layer dialect must not'),
    ('include/trestle/os/x.hpp', '#  include "trestle/dialect/y.hpp"', 'layer os must not include'),
    ('include/trestle/testing/x.hpp', '#include "trestle/os/y.hpp"', 'layer testing must not'),
    ('src/os/x.cpp', '#include "trestle/alloc/y.hpp"', 'layer os must not include'),
    ('src/os/x.cpp', '#include "support/oracle.hpp"', 'outside of the library'),
    ('src/dialect/x.cpp', '#include "trestle/trestle.hpp"', 'umbrella'),
    ('include/trestle/misc/x.hpp', '', 'unknown layer misc'),
    ('include/trestle/base/x.hpp', '#include "trestle/base/x.hpp"', 'include cycle'),
    ('include/trestle/set/x.hpp', '#include <roaring/roaring.hh>', 'belongs into'),
    ('include/trestle/os/x.hpp', '#include <hwloc.h>', 'belongs into'),
    ('src/os/x.cpp', '#include <nlohmann/json.hpp>', 'belongs into'),
    ('src/os/x.cpp', '#include <yaml-cpp/yaml.h>', 'belongs into'),
    ('include/trestle/model/x.hpp', 'absl::string_view v;', 'only base/status.hpp'),
    ('src/os/x.cpp', 'void f() { std::cerr << 1; }', 'prints nothing'),
    ('src/os/x.cpp', 'void f() { printf("%d", 1); }', 'prints nothing'),
    ('src/os/x.cpp', '#include <cstdio>\nvoid f() { std::fprintf(stderr, "x"); }', 'prints nothing'),
    ('src/os/x.cpp', 'std::thread t;', 'starts no threads'),
    ('src/os/x.cpp', 'void f() { ::signal(2, g); }', 'touches no signals'),
    ('src/os/x.cpp', 'void f() { throw 1; }', 'throws nothing'),
    ('include/trestle/set/x.hpp', 'auto v = a | std::views::all;', 'clang-14'),
    ('include/trestle/set/x.hpp', '#include <expected>', 'both compilers lack it'),
    ('include/trestle/alloc/x.hpp', 'auto t = std::chrono::steady_clock::now();', 'no clock'),
    ('include/trestle/base/x.hpp', 'std::string f();', 'std::string without <string>'),
    ('src/dialect/x.cpp', '#include "words.hpp"\nstd::vector<std::string> v;', 'std::vector without <vector>'),
    ('src/dialect/x.cpp', '#include "words.hpp"\nauto n = std::numeric_limits<int>::max();',
     'std::numeric_limits without <limits>'),
    ('tests/base/x.cpp', '// TODO later', 'TODO'),
    ('src/os/x.cpp', 'void f()\n{\n' + '    g();\n' * 70 + '}\n', 'function of 72 lines'),
    ('src/os/x.cpp', 'struct A {\n int f() const {\n' + '    g();\n' * 70 + '}\n};\n', 'function of'),
    ('src/os/x.cpp', 'int x;\n' * 600, 'lines, allowed are 600'),
    ('src/os/x.hpp', 'int x;\n' * 400, 'header of 402 lines, allowed are 400'),
    ('include/trestle/base/x.hpp', 'int x;\n' * 2 + '\n' * 380, None),  # long, but below the limit
]


def write(root, files):
    for name, text in files.items():
        path = pathlib.Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SPDX + text)


def messages(files):
    with tempfile.TemporaryDirectory() as root:
        write(root, files)
        return [what for _, _, what in tree.check(root)[0]]


class Tree(unittest.TestCase):
    def test_good_tree_passes(self):
        self.assertEqual(messages(GOOD), [])

    def test_bad_trees_are_caught(self):
        for name, text, expected in BAD:
            with self.subTest(name=name, expected=expected):
                found = messages({**GOOD, name: text})
                if expected is None:
                    self.assertEqual(found, [])
                else:
                    self.assertEqual(len(found), 1, found)
                    self.assertIn(expected, found[0])

    def test_longer_cycle_is_caught(self):
        found = messages({'include/trestle/set/a.hpp': '#include "trestle/set/b.hpp"',
                          'include/trestle/set/b.hpp': '#include "trestle/set/a.hpp"'})
        self.assertEqual(len(found), 1, found)
        self.assertIn('trestle/set/a.hpp -> trestle/set/b.hpp -> trestle/set/a.hpp', found[0])

    def test_rooms_that_include_each_other_are_caught(self):
        found = messages({'src/os/a/x.hpp': '#include "../b/y.hpp"', 'src/os/b/y.hpp': '',
                          'src/os/b/z.hpp': '#include "os/a/w.hpp"', 'src/os/a/w.hpp': ''})
        self.assertEqual(found, ['rooms that include each other: os/a, os/b'])

    def test_every_header_and_script_names_its_licence(self):
        with tempfile.TemporaryDirectory() as root:
            pathlib.Path(root, 'x.hpp').write_text('#pragma once\n')
            pathlib.Path(root, 'y.hpp').write_text('// SPDX-License-Identifier: Apache-2.0\n')
            pathlib.Path(root, 'z.sh').write_text('#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n')
            pathlib.Path(root, 'CMakeLists.txt').write_text('\n')
            found = sorted((name, what) for name, _, what in tree.check(root)[0])
            self.assertEqual([name for name, _ in found], ['CMakeLists.txt', 'x.hpp', 'y.hpp'])
            self.assertIn('pragma once', found[2][1])

    def test_full_folders(self):
        files = {f'src/os/x{i}.cpp': '' for i in range(16)}
        self.assertIn('16 files, allowed are 15', messages(files)[0])

    def test_median_of_headers(self):
        self.assertEqual(len(messages({'include/trestle/base/x.hpp': '\n' * 200})), 1)


class Pages(unittest.TestCase):
    FILES = {'examples/a.cpp': 'int f() {\n    return 1;\n}\n', 'examples/a.expected': 'one\ntwo\n',
             'CMakePresets.json': '{"configurePresets": [{"name": "dev"}]}', 'README.md': ''}
    # (page, what the message has to say; None: nothing, why)
    ROWS = [
        ('```cpp\nreturn 1;\n```\n```text\ntwo\n```\n', None, 'lines of an example and of what it prints'),
        ('```cpp\nreturn 2;\n```\n', 'no file of examples/', 'no such line'),
        ('```cpp\nint f() {\n}\n```\n', 'no file of examples/', 'lines that do not follow each other'),
        ('```cpp\nreturn 1;\n```\n```text\nthree\n```\n', 'not what a.cpp prints', 'other output'),
        ('```text\none\n```\n', 'no block before it prints', 'output of nothing'),
        ('```\none\n```\n', 'without a language', 'nothing says what it is'),
        ('```sh\ncmake --preset fast\n```\n', 'no preset fast', 'a preset that is gone'),
        ('```sh\nsh cmake/fast.sh\n```\n', 'no file cmake/fast.sh', 'a script that is gone'),
        ('[a](examples/a.cpp) `[b](c)`\n```diagram\n[b](c)\n```\n', None, 'code has no links'),
        ('[a](examples/b.cpp)', 'no examples/b.cpp', 'a file that is gone'),
        ('[a](examples)', 'examples is a folder', 'a folder'),
        ('# One `two`\n[a](#one-two)', None, 'an anchor'),
    ]

    def test_pages(self):
        for page, expected, why in self.ROWS:
            with self.subTest(why), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                for name, text in {**self.FILES, 'README.md': page}.items():
                    (root / name).parent.mkdir(exist_ok=True)
                    (root / name).write_text(text)
                found = [*pages.rule_blocks(root), *pages.rule_links(root)]
                if expected is None:
                    self.assertEqual(found, [])
                else:
                    self.assertEqual(len(found), 1, found)
                    self.assertIn(expected, found[0])


    def test_a_name_without_words_or_place(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {
                'tests/golden/public_names.txt': 'core\nall\nmodel/a.hpp: Missing Said Silent | -\n',
                'include/trestle/model/a.hpp': '// What is here.\n//\n// Layer: model.\nnamespace trestle {\n\n'
                                               '/// A thing.\nstruct Said {\n    int x = 0;\n};\n\n'
                                               'struct Silent {\n    int x = 0;\n};\n\n}  // namespace trestle\n',
            }.items():
                (root / name).parent.mkdir(parents=True)
                (root / name).write_text(text)
            found = list(pages.rule_public_names(root))
            self.assertEqual([one.split()[1] for one in found], ['Missing', 'Silent'])


class Words(unittest.TestCase):
    # (file, its text, the place and word that are counted; None: nothing is)
    ROWS = [
        ('include/a.hpp', '/// A name that nobody\n/// has.', ('headers', 'nobody')),
        ('include/a.hpp', '// A reader would\n// get wrong: x', ('headers', 'A reader would get wrong')),
        ('include/a.hpp', 'int n = Keeper::none;  // `nobody`', None),
        ('src/a.cpp', '// for nobody', ('sources', 'nobody')),
        ('src/a.cpp', 'f("taken by " "somebody // else");', ('headers', 'somebody')),
        ('src/a.cpp', 'f("nobody");  // one word is a name', None),
        ('bindings/c/a.h', '/* is told\n * the time */', ('headers', 'is told')),
        ('bindings/python/trestle/a.py', '"""What it\nis told."""', ('python', 'is told')),
        ('bindings/python/trestle/a.py', 'f(f"{who} waits")  # whoever', ('python', 'whoever')),
        ('docs/a.md', 'Whoever asks.', ('pages', 'whoever')),
        ('examples/a.cpp', 'int who;  // it gives way', ('pages', 'gives way')),
        ('include/trestle/a.hpp', 'enum class Part { none, nobody_else };', ('names', 'nobody')),
        ('include/trestle/a.hpp', 'named(Part::none, "nobody")', ('names', 'nobody')),
        ('include/trestle/a.hpp', 'struct Whole { int whoIsIt; };', ('names', 'who')),
        ('src/a.hpp', 'int nobody;', None),
        ('bindings/python/trestle/a.py', 'is_told = 1', ('names', 'is told')),
        ('tests/a.cpp', 'TEST_CASE("a: nobody waits", "[a]")', ('names', 'nobody')),
        ('tests/python/test_a.py', 'def test_nobody_waits():', ('names', 'nobody')),
    ]

    def test_words(self):
        for name, text, expected in self.ROWS:
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / name).parent.mkdir(parents=True)
                (root / name).write_text(text)
                found = {(place, word) for (word, place), hits in words.places_of(root).items() if hits}
                self.assertEqual(found, {expected} - {None})

    def test_ceilings_only_fall(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / 'tests/golden').mkdir(parents=True)
            (root / 'README.md').write_text('nobody, nobody')
            (root / words.CEILINGS).write_text(words.listing(words.lowered(root, {})))
            self.assertEqual(list(words.breaches(root)), [])
            for text, count in [('nobody', 1), ('nobody, nobody', 1)]:
                (root / 'README.md').write_text(text)
                known = words.ceilings(root)
                (root / words.CEILINGS).write_text(words.listing(words.lowered(root, known)))
                self.assertEqual(words.ceilings(root)['nobody', 'pages'], count)
            self.assertIn('"nobody"', *words.breaches(root))


class Sentences(unittest.TestCase):
    LONG = 'One ' + 'two ' * 24 + 'three.'
    SHORT = 'One ' + 'two ' * 23 + 'three.'
    ROWS = [  # (file, its text, the place that it is counted in)
        ('include/trestle/a.hpp', f'/// {LONG}\nint a;', 'headers'),
        ('include/trestle/a.hpp', 'int a;  ///< ' + LONG.replace('two two', 'two\n        ///< two'), 'headers'),
        ('include/trestle/a.hpp', f'/// {SHORT} {SHORT}\nint a;', None),
        ('include/trestle/a.hpp', f'/// {SHORT[:-1]}\n///\n/// {LONG[4:]}\nint a;', None),
        ('include/trestle/a.hpp', f'/// {SHORT[:-1]}:\n///     {LONG[:-1]}\nint a;', None),
        ('include/trestle/a.hpp', f'int a;  ///< {SHORT[:-1]}\n/// two three\nint b;', None),
        ('bindings/c/trestle.h', f'/* {LONG} */', 'headers'),
        ('bindings/python/trestle/a.py', f'"""{LONG}"""', 'python'),
        ('bindings/python/trestle/a.py', f'"""Does.\n\n    name: {LONG}\n    other: {SHORT}\n"""', 'python'),
        ('bindings/python/bind_a.cpp', f'x("{LONG[:40]}"\n  "{LONG[40:]}")', 'python'),
        ('src/a.hpp', f'// {LONG}', None),
        ('README.md', LONG, 'pages'),
        ('docs/a.md', f'- {LONG}', 'pages'),
        ('docs/a.md', f'- {SHORT[:-1]}\n- {SHORT}', None),
        ('docs/a.md', f'`{LONG}` is one word.', None),
        ('docs/a.md', f'```\n{LONG}\n```\n# {LONG}\n| a | {LONG} |', None),
    ]

    def test_sentences(self):
        for name, text, expected in self.ROWS:
            with self.subTest(name + ': ' + text), tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
                found = {place for place, hits in sentences.long_sentences(root).items() if hits}
                self.assertEqual(found, {expected} - {None})


class Symbols(unittest.TestCase):
    def objects_of(self, text):
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder, 'x.cpp'), pathlib.Path(folder, 'x.o')
            source.write_text(text)
            subprocess.run([os.environ.get('CXX', 'c++'), '-std=c++20', '-c', source, '-o', target],
                           check=True)
            return symbols.breaches([target])

    def test_calls_of_our_functions_are_seen(self):
        for body, expected in [('throw 1;', 'throws'),
                               ('std::cout << 1;', 'prints'),
                               ('std::puts("x");', 'prints'),
                               ('std::signal(2, SIG_IGN);', 'touches signals'),
                               ('std::thread([] {}).join();', 'starts a thread'),
                               ('auto f = [] { throw 1; }; f();', 'throws')]:
            with self.subTest(body=body):
                found, _ = self.objects_of('#include <csignal>\n#include <cstdio>\n#include <iostream>\n'
                                           '#include <thread>\nnamespace trestle { namespace {\n'
                                           'void f() {' + body + '} } void g() { f(); } }')
                self.assertIn(expected, [what for _, what, _ in found])

    def test_calls_of_others_are_not_ours(self):
        found, count = self.objects_of('#include <optional>\nnamespace trestle {\n'
                                       'int f(std::optional<int> x) { return x.value(); } }')
        self.assertEqual((found, count), ([], 1))


if __name__ == '__main__':
    unittest.main()
