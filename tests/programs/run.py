#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py TRESTLE EXAMPLES [kernel]: `trestle run` as its users see it: exit status, one line for
each bad input with nothing started, and with `kernel` (cgroup v2 here) that its limits bite."""
import contextlib
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

RUN, EXAMPLES = [sys.argv[1], 'run'], pathlib.Path(sys.argv[2])
ON_KERNEL = 'kernel' in sys.argv[3:]
DESCRIBED = [f'--node-conf={EXAMPLES}/node.conf', f'--gres-conf={EXAMPLES}/gres.conf']

# (arguments, exit status, what the line has to say, why)
BAD = [
    (['--grse=gpu:1', '--', 'touch', '{mark}'], 2, '--gres', 'an unknown option names the nearest'),
    (['--gres=gpu:x1y:', '--', 'touch', '{mark}'], 2, '--gres', 'a count is missing behind the colon'),
    (['--cpus-per-task=two', '--', 'touch', '{mark}'], 2, '--cpus-per-task', 'a count is a number'),
    (['--gres=gpu:', '--', 'touch', '{mark}'], 2, 'expected', 'nothing behind the colon'),
    (['--gres=gpu:a:b', '--', 'touch', '{mark}'], 2, 'expected', 'two types'),
    (['--mem=-5', '--', 'touch', '{mark}'], 2, '--mem', 'negative memory'),
    (['--mem=99999999999T', '--', 'touch', '{mark}'], 2, '--mem', 'more bytes than there are numbers'),
    (['--gres-conf={bad_gres}', DESCRIBED[0], '--gres=gpu:1', '--', 'touch', '{mark}'], 2, 'gres.conf',
     'a key that does not exist'),
    (['--node-conf={missing}', '--', 'touch', '{mark}'], 2, '{missing}', 'no such file'),
    (['--machine={missing}', '--', 'touch', '{mark}'], 2, '{missing}', 'no such XML'),
    (['--machine={no_xml}', '--', 'touch', '{mark}'], 2, '{no_xml}', 'a file that is no XML'),
    (['--machine', '--', 'touch', '{mark}'], 2, '--machine', 'no file behind it'),
    (['--mem=1M'], 2, 'command', 'no command'),
    (['--node-conf={folder}', '--', 'touch', '{mark}'], 2, '{folder}', 'a folder for a file'),
    (['--mem=1M', 'touch', '{mark}', '--json', 'b'], 2, '--', 'no -- before the command'),
    (['--time=soon', '--', 'touch', '{mark}'], 2, '--time', 'a time that is none'),
    (['--signal=NONE@5', '--', 'touch', '{mark}'], 2, '--signal', 'a signal that is none'),
    (['--'], 2, 'command', 'nothing behind the --'),
    (['--', ''], 2, 'command', 'an empty word for a command'),
    (['--', '{folder}'], 2, '{folder}', 'a folder for a command'),
    (['--', '{missing}'], 2, '{missing}', 'a command that does not exist'),
    (['--', 'no-such-program-anywhere'], 2, 'no-such-program-anywhere', 'not along PATH'),
    (['--cpus-per-task=1000000', '--', 'touch', '{mark}'], 3, 'cores', 'more CPUs than the machine has'),
    (['--mem=1000000G', '--', 'touch', '{mark}'], 3, 'memory', 'more memory than the machine has'),
    ([*DESCRIBED, '--gres=gpu:5', '--', 'touch', '{mark}'], 3, 'gpu', 'more GPUs than described'),
]


def run(*arguments):
    return subprocess.run([*RUN, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)


class BadInput(unittest.TestCase):
    def test_each_is_one_line_and_starts_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            places = {name: f'{folder}/{name}' for name in ('mark', 'missing', 'no_xml', 'bad_gres')}
            places['folder'] = folder
            pathlib.Path(places['no_xml']).write_text('this is no machine\n')
            pathlib.Path(places['bad_gres']).write_text(
                'NodeName=gpu-node01 Name=gpu Type=a100 Fiel=/dev/nvidia[0-3]\n')
            for arguments, status, say, why in BAD:
                with self.subTest(why, arguments=arguments):
                    done = run(*(a.format(**places) for a in arguments))
                    self.assertEqual(done.returncode, status, done.stderr)
                    self.assertEqual(done.stderr.count('\n'), 1, done.stderr)
                    self.assertIn(say.format(**places), done.stderr)
                    self.assertEqual(done.stdout, '')
                    self.assertFalse(os.path.exists(places['mark']))


class Endings(unittest.TestCase):
    def test_the_exit_status_is_the_commands_own(self):
        self.assertEqual(run('--mem=64M', '--', 'sh', '-c', 'exit 7').returncode, 7)

    def test_a_signal_gives_128_and_its_number(self):
        done = run('--mem=64M', '--', 'sh', '-c', 'kill -TERM $$')
        self.assertEqual(done.returncode, 128 + signal.SIGTERM)

    def test_stdout_belongs_to_the_command(self):
        done = run('--mem=64M', '--', 'echo', 'hello')
        self.assertEqual(done.stdout, 'hello\n')
        self.assertIn('memory.max', done.stderr)
        self.assertIn('exit status 0', done.stderr)

    def test_the_command_runs_on_the_cpus_that_it_was_given(self):
        code = 'import os; print(len(os.sched_getaffinity(0)))'
        done = run('--cpus-per-task=1', '--', sys.executable, '-c', code)
        self.assertIn(int(done.stdout), (1, 2), 'one core, of one or two threads')

    def test_the_environment_is_passed_on_and_added_to(self):
        done = run('--mem=64M', '--', 'sh', '-c', 'echo $HOME $SLURM_NTASKS')
        self.assertEqual(done.stdout, f'{os.environ.get("HOME", "")} 1\n'.lstrip())


class Interrupts(unittest.TestCase):
    def interrupted(self, script, signals):
        """Started, and once it has said so sent the signals, half a second apart."""
        job = subprocess.Popen([*RUN, '--mem=64M', '--', 'sh', '-c', script],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        self.assertEqual(job.stdout.readline(), 'ready\n')
        for number in signals:
            job.send_signal(number)
            time.sleep(0.5)
        _, errors = job.communicate(timeout=120)
        return job.returncode, errors.splitlines()[-1]

    def test_the_first_one_ends_the_job_by_its_end_signal(self):
        script = 'trap "exit 5" TERM; echo ready; while :; do sleep 0.1; done'
        for number in (signal.SIGINT, signal.SIGTERM):
            status, end = self.interrupted(script, [number])
            self.assertEqual(status, 5)
            self.assertIn('user_stop, status 5', end)

    def test_a_key_of_the_terminal_is_one_too(self):
        script = 'trap "exit 6" INT; trap "exit 5" TERM; echo ready; while :; do sleep 0.1; done'
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(RUN[0], [*RUN, '--mem=64M', '--', 'sh', '-c', script])
        shown = b''
        while b'ready' not in shown:
            shown += os.read(terminal, 4096)
        os.write(terminal, b'\x03')
        with contextlib.suppress(OSError):  # at its end
            while os.read(terminal, 4096):
                pass
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 5)
        os.close(terminal)

    def test_the_second_one_does_not_wait(self):
        script = 'trap "" TERM; echo ready; while :; do sleep 0.1; done'
        status, end = self.interrupted(script, [signal.SIGINT, signal.SIGINT])
        self.assertEqual(status, 128 + signal.SIGKILL)
        self.assertIn('user_stop, SIGKILL after the grace', end)


    def test_one_before_the_start_starts_nothing(self):
        def with_pending_interrupt():
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
            os.kill(os.getpid(), signal.SIGINT)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([*RUN, '--mem=64M', '--', 'touch', f'{folder}/mark'],
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=120, preexec_fn=with_pending_interrupt)
            self.assertEqual(done.returncode, 130, done.stderr)
            self.assertIn('before it was started', done.stderr)
            self.assertFalse(os.path.exists(f'{folder}/mark'))


class Container(unittest.TestCase):
    """With a runtime that does nothing."""

    def contained(self, folder, crun, **environment):
        pathlib.Path(folder, 'crun').write_text(f'#!/bin/sh\n{crun}\n')
        os.chmod(f'{folder}/crun', 0o700)
        return subprocess.run([*RUN, f'--container={folder}', '--mem=64M', '--', 'true'], cwd=folder,
                              env={'PATH': f'{folder}:{os.environ["PATH"]}', **environment},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    def test_without_room_for_the_bundle_nothing_here_is_overwritten(self):
        with tempfile.TemporaryDirectory() as folder:
            mine = pathlib.Path(folder, 'config.json')
            mine.write_text('mine')
            full = pathlib.Path(folder, 'full')
            full.write_text('a file is no folder for temporary ones')
            for place in (f'{folder}/none', str(full)):
                done = self.contained(folder, 'exit 7', TMPDIR=place)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn('no folder can be made', done.stderr)
                self.assertEqual(mine.read_text(), 'mine')

    def test_a_container_that_cannot_be_cleared_away_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            crun = 'case "$*" in *delete*) exit 3 ;; *) kill -KILL $$ ;; esac'
            done = self.contained(folder, crun)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn('left behind, its delete ended with status 3', done.stderr)


class DryRun(unittest.TestCase):
    OPTIONS = ['--dry-run', *DESCRIBED, '--gres=gpu:a100:2', '--cpus-per-task=8', '--mem=32G', '--', 'true']

    def test_the_report_names_every_unit_and_limit(self):
        done = run(*self.OPTIONS)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        for piece in ('gpu-node01 cores=0-3', 'gpu:0,gpu:1', 'memory.max = 34359738368',
                      'CUDA_VISIBLE_DEVICES=0,1', 'killed'):
            self.assertIn(piece, done.stdout)

    def test_time_and_signal_are_part_of_the_plan(self):
        done = run('--time=10', '--signal=B:USR1@300', *self.OPTIONS)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual(done.stdout.splitlines()[-1],
                         'time 600 s, SIGUSR1 to the leader 300 s before; end by SIGTERM to every '
                         'process, after 30 s SIGKILL')
        self.assertRegex(done.stdout, r'time +600 s +600 s +600 s .* killed')
        self.assertNotIn('end by', run(*self.OPTIONS).stdout)

    def test_a_container_without_root_is_printed(self):
        done = run('--container', DESCRIBED[0], '--mem=1G', '--', 'train', '--fast')
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document['process']['args'], ['train', '--fast'])
        self.assertEqual(document['linux']['resources']['memory']['limit'], 1 << 30)
        names = [variable.split('=')[0] for variable in document['process']['env']]
        self.assertNotIn('HOME', names, 'the environment here stays here')

    def test_json_is_one_document(self):
        document = json.loads(run('--json', *self.OPTIONS).stdout)
        self.assertEqual(document['placement']['cores'], '0-3')
        self.assertEqual({row['resource'] for row in document['limits']},
                         {'cpu', 'memory', 'swap', 'devices', 'pids'})
        self.assertTrue(document['plan']['steps'])


@unittest.skipIf(ON_KERNEL, 'there is a cgroup v2 to use')
class WithoutCgroup(unittest.TestCase):
    def setUp(self):
        if 'not enforced' not in run('--', 'true').stderr:
            self.skipTest('there is a cgroup v2 to use')

    def test_what_is_not_enforced_is_named_in_one_line(self):
        lines = [line for line in run('--mem=64M', '--', 'true').stderr.splitlines()
                 if line.startswith('not enforced')]
        self.assertEqual(len(lines), 1)
        for resource in ('cpu', 'memory', 'devices', 'cgroup'):
            self.assertIn(resource, lines[0])

    def test_require_enforcement_refuses(self):
        done = run('--require-enforcement', '--', 'echo', 'started')
        self.assertEqual((done.returncode, done.stdout), (1, ''))


@unittest.skipUnless(ON_KERNEL, 'needs cgroup v2')
class OnKernel(unittest.TestCase):
    def test_over_its_memory_it_is_killed_and_says_so(self):
        code = 'x = bytearray(256 << 20); print(len(x))'
        done = run('--require-enforcement', '--mem=64M', '--', sys.executable, '-c', code)
        self.assertEqual((done.returncode, done.stdout), (125, ''), done.stderr)
        self.assertIn('out_of_memory', done.stderr)

    def test_the_peak_is_reported(self):
        code = 'x = bytearray(32 << 20)'
        done = run('--require-enforcement', '--mem=256M', '--', sys.executable, '-c', code)
        self.assertEqual(done.returncode, 0, done.stderr)
        peak = re.search(r'peak memory (\d+)((?:[KMGT]iB)?)$', done.stderr, re.MULTILINE)
        self.assertIsNotNone(peak, done.stderr)
        unit = 1024 ** ['', 'KiB', 'MiB', 'GiB', 'TiB'].index(peak[2])
        self.assertGreaterEqual(int(peak[1]) * unit, 32 << 20)

    def test_over_its_time_it_is_ended_and_says_so(self):
        # Slurm counts in minutes, so the shortest limit is one.
        script = 'trap "echo warned; exit 0" USR1; while :; do sleep 0.1; done'
        done = run('--require-enforcement', '--mem=64M', '--time=1', '--signal=B:USR1@58', '--',
                   'sh', '-c', script)
        self.assertEqual((done.returncode, done.stdout), (0, 'warned\n'), done.stderr)
        self.assertIn('warning: SIGUSR1 to leader', done.stderr)

    @unittest.skipUnless(shutil.which('crun') and shutil.which('busybox'), 'needs crun and busybox')
    def test_a_container_with_a_root_is_run(self):
        with tempfile.TemporaryDirectory() as root:
            for name in ('bin', 'dev', 'proc', 'sys', 'tmp'):
                os.mkdir(f'{root}/{name}')
            shutil.copy(shutil.which('busybox'), f'{root}/bin/busybox')
            for name in ('sh', 'cat', 'sleep'):
                os.symlink('busybox', f'{root}/bin/{name}')
            options = (f'--container={root}', '--mem=64M', '--cpus-per-task=1', '--')
            done = run(*options, 'sh', '-c', 'cat /sys/fs/cgroup/memory.max; exit 7')
            self.assertEqual((done.returncode, done.stdout), (7, f'{64 << 20}\n'), done.stderr)
            done = run('--time=1', '--signal=USR1@58', *options, 'sh', '-c',
                       'trap "exit 6" USR1; while :; do sleep 0.1; done')
            self.assertEqual(done.returncode, 6, done.stderr)
        self.assertEqual(list(pathlib.Path('/sys/fs/cgroup').rglob('job_*')), [])

    def test_the_job_stays_below_the_group_of_the_program(self):
        top = pathlib.Path('/sys/fs/cgroup')
        group = top / f'limited_{os.getpid()}'
        # (how trestle is started by a shell in the group, options, where the job is, its limit)
        ways = [
            ('exec', [], f'{group}/job_', f'{64 << 20}', 'alone in it, so the job has a limit of its own'),
            ('', [], f'{group}/job_', '', 'beside the shell: the limit of the group alone'),
            ('exec', [f'--cgroup={top}'], f'{top}/job_', f'{64 << 20}', 'elsewhere, as asked'),
        ]
        show = 'dir=/sys/fs/cgroup$(cut -d: -f3 /proc/self/cgroup); echo $dir; cat $dir/memory.max'
        group.mkdir()
        try:
            (group / 'memory.max').write_text(f'{512 << 20}')
            for start, options, place, limit, why in ways:
                words = [*RUN, '--mem=64M', *options, '--', 'sh', '-c', show]
                script = f'echo $$ > {group}/cgroup.procs; {start} "$@"; exit $?'
                with self.subTest(why):
                    done = subprocess.run(['sh', '-c', script, 'sh', *words], capture_output=True,
                                          stdin=subprocess.DEVNULL, text=True, timeout=120)
                    lines = done.stdout.splitlines()
                    self.assertTrue(lines and lines[0].startswith(place), done.stdout + done.stderr)
                    self.assertEqual(lines[1:2], [limit] if limit else [], done.stderr)
                    self.assertEqual('--cgroup' in done.stderr, not limit, done.stderr)
        finally:
            group.rmdir()

    def test_nothing_is_left_behind(self):
        seconds = str(600_000_000 + os.getpid())  # no other process sleeps so long
        done = run('--require-enforcement', '--mem=64M', '--',
                   'sh', '-c', f'(setsid sleep {seconds} &) ; exit 0')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(pathlib.Path('/sys/fs/cgroup').rglob('job_*')), [])
        self.assertEqual([line for line in command_lines() if seconds in line], [])


def command_lines():
    """Of all processes, as lists of words; one that ends meanwhile is left out."""
    for file in pathlib.Path('/proc').glob('[0-9]*/cmdline'):
        try:
            yield file.read_bytes().decode(errors='replace').split('\0')
        except OSError:
            continue


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=1)
