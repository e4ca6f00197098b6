#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""offers.py TRESTLE EXAMPLES: `trestle offers`, the price list as a user at a shell sees it: exit status 2 and one line
for each bad input. tool.py compares what a good run prints."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

OFFERS, EXAMPLES = [sys.argv[1], 'offers'], pathlib.Path(sys.argv[2])
GPU = 'gpu: 24GB'

# (arguments, what the line has to say, why)
BAD = [
    ([], 'RESOURCES', 'nothing is asked'),
    ([GPU], '--offers', 'no price list is named'),
    (['--offer={list}', GPU, '--offers', '{list}'], '--offer', 'an unknown option'),
    ([GPU, '--offers'], '--offers', 'no file behind it'),
    ([GPU, '--blocks', '0', '--offers', '{list}'], '--blocks', 'no block at all'),
    ([GPU, '--blocks', 'two', '--offers', '{list}'], 'expected', 'a count is a number'),
    ([GPU, '--blocks', '1..2', '--offers', '{list}'], '--blocks', 'a range'),
    ([GPU, 'cpu: 2', '--offers', '{list}'], 'cpu: 2', 'resources twice'),
    (['gpu: [', '--offers', '{list}'], 'line 1', 'resources that cannot be read'),
    ([GPU, '--offers', '{missing}'], '{missing}', 'no such file'),
    ([GPU, '--offers', '{folder}'], '{folder}', 'a folder'),
    ([GPU, '--offers', '/proc/self/mem'], '/proc/self/mem', 'a file that opens and cannot be read'),
    ([GPU, '--offers', '{empty}'], 'line', 'an empty file has no header'),
    ([GPU, '--offers', '{no_list}'], 'line', 'a file that is no price list'),
]


class Offers(unittest.TestCase):
    def run_offers(self, *arguments):
        return subprocess.run([*OFFERS, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60)

    def test_bad_input_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            places = {name: f'{folder}/{name}' for name in ('missing', 'empty', 'no_list')}
            places |= {'folder': folder, 'list': EXAMPLES / 'offers.csv'}
            pathlib.Path(places['empty']).touch()
            pathlib.Path(places['no_list']).write_text('this is no price list\n')
            for arguments, say, why in BAD:
                with self.subTest(why, arguments=arguments):
                    done = self.run_offers(*(a.format(**places) for a in arguments))
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertEqual(done.stderr.count('\n'), 1, done.stderr)
                    self.assertIn(say.format(**places), done.stderr)
                    self.assertEqual(done.stdout, '')

    def test_a_good_list_is_read(self):
        done = self.run_offers(GPU, '--offers', str(EXAMPLES / 'offers.csv'))
        self.assertEqual((done.returncode, done.stderr), (0, ''))


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=1)
