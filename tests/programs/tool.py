#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tool.py TRESTLE ROOT: what the subcommands of `trestle` print, compared with tests/golden/tool/NAME.txt,
and bad input: exit status 2 with one line. TRESTLE_UPDATE_GOLDEN=1 writes the files."""
import fcntl
import json
import os
import pathlib
import pty
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

TRESTLE, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
GOLDEN = ROOT / 'tests/golden/tool'
UPDATE = os.environ.get('TRESTLE_UPDATE_GOLDEN', '0') not in ('', '0')
SMALL = '--cluster=examples/slurm_cluster'
BUSY = ['--jobs', 'tests/golden/tool/running.jobs']
LIVE = ['--cluster=tests/data/slurm-live', '--release=24.11', '--state']
STATE = 'tests/data/slurm-live/24.11'
BIG = 'tests/golden/tool/big'
PODS = '--cluster=tests/data/kubernetes/nodes_and_pods.json'
ENDS = '--cluster=tests/data/kubernetes/with_deadlines.json'
ROOM = '--cluster=tests/data/kubernetes/without_room.json'
MISTAKES = 'tests/golden/tool/mistakes'
PLUGINS = 'tests/golden/tool/plugins.sh'

# (golden file, exit status, arguments, why)
CASES = [
    ('help', 0, ['--help'], 'all subcommands, with the exit statuses'),
    ('why_help', 0, ['why', '--help'], 'options of a subcommand'),
    ('offers', 0, ['offers', 'gpu: 40GB..80GB:4..8', '--offers', 'examples/offers.csv'], 'some fit'),
    ('translate', 0, ['translate', 'examples/train.sh', 'examples/train.dstack.yml'], 'both ways'),
    ('sim', 0, ['sim', 'examples/slurm_cluster', 'examples/slurm_cluster/jobs.txt'], 'every answer'),
    ('limits', 0, ['limits', '--node-conf=examples/node.conf', '--gres-conf=examples/gres.conf',
                   '--gres=gpu:a100:2', '-c', '8', '--mem=32G'], 'a row for each resource'),
    ('limits_no', 1, ['limits', '--node-conf=examples/node.conf', '--gres=gpu:9'], 'it does not fit'),
    ('where_now', 0, ['where', SMALL, '-p', 'gpu', '--gres=gpu:2', '-c', '4'], 'an idle cluster'),
    ('where_script', 0, ['where', SMALL, 'examples/slurm_cluster/train.sh'], 'options of a script'),
    ('where_plugin', 0, ['where', SMALL, '--plugin-option=container-image=IMAGE', 'examples/slurm_cluster/train.sh'],
     'a script behind an option that may be given several times'),
    ('where_later', 0, ['where', SMALL, *BUSY, '-p', 'gpu', '--gres=gpu:4'], 'when a job ends'),
    ('where_never', 1, ['where', SMALL, *BUSY, '-p', 'gpu', '--gres=gpu:5'], 'never'),
    ('why_starts', 0, ['why', SMALL, '-p', 'gpu', '--gres=gpu:4'], 'nothing is in the way'),
    ('why_waits', 1, ['why', SMALL, *BUSY, '-p', 'gpu', '--gres=gpu:4', '-c', '2'],
     'fewer GPUs, and whom it waits for'),
    ('why_never', 1, ['why', SMALL, '-p', 'gpu', '--gres=gpu:a100:9'], 'never as it is'),
    ('why_time', 1, ['why', SMALL, '-p', 'gpu', '-t', '2-00:00:00', '--gres=gpu:1'],
     'the time limit of the partition'),
    ('why_two', 1, ['why', SMALL, *BUSY, '-p', 'gpu', '--gres=gpu:a100:4', '-C', 'ib'],
     'no single change is enough'),
    ('why_type', 1, ['why', SMALL, '-p', 'gpu', '--gres=gpu:h100:2'], 'another type'),
    ('why_node', 1, ['why', SMALL, *BUSY, '-p', 'gpu', '-w', 'gpu-01', '--gres=gpu:2'],
     'a node that is named'),
    ('why_job', 1, ['why', *LIVE, STATE, '6'], 'a job that waits in the live state'),
    ('why_job_text', 1, ['why', *LIVE, f'{STATE}/text', '6'], 'the same of text'),
    ('where_reserved', 0, ['where', *LIVE, STATE, '-n', '8', '-w', 'c1', '-t', '5:00:00'],
     'a reservation is in the way'),
    ('show', 0, ['show', *LIVE, STATE], 'a line for each node'),
    ('show_idle', 0, ['show', SMALL], 'nothing runs'),
    ('show_cells', 0, ['show', f'--cluster={BIG}', '--jobs', f'{BIG}/running.jobs'], 'a cell for each node'),
    ('show_pods', 0, ['show', PODS], 'what kubectl prints'),
    ('show_vendors', 0, ['show', ENDS], 'devices of two vendors with one name'),
    ('where_pod', 0, ['where', PODS, 'default/train-2'], 'a pod that waits'),
    ('where_pods', 0, ['where', PODS, '--gres=gpu:2', '-c', '4', '--mem=8G'], 'options, beside pods'),
    ('why_pod', 1, ['why', PODS, 'default/train-1'], 'a pod that waits for devices'),
    ('why_pods', 1, ['why', PODS, '-c', '8'], 'more than is allocatable of any node'),
    ('where_pod_later', 0, ['where', ENDS, 'default/wait-gpu'], 'a full node, when a pod of it ends'),
    ('why_pod_deleted', 1, ['why', ENDS, 'default/wait-io'], 'a pod that is being deleted; two vendors of one name'),
    ('why_pod_waits', 1, ['why', ENDS, 'default/wait-com'], 'no end is known'),
    ('why_pod_no_room', 1, ['why', ROOM, 'd/w2'], 'pods that do not fit keep a node full; a node does not admit it'),
    ('why_pod_no_room_json', 1, ['why', '--json', ROOM, 'd/w2'], 'the same words'),
    ('why_pod_not_admitted', 1, ['why', ROOM, 'd/s'], 'no node has what it selects'),
    ('what_if_pods_room', 0, ['what-if', ROOM, '--add=a'], 'a node more takes as many pods; a gated one is left out'),
    ('what_if_pods_twice', 0, ['what-if', ROOM, '--add=a', 'd/w2', 'd/w2'], 'counts once'),
    ('where_pod_plugin', 1, ['where', ROOM, '--plugin-option=container-image=IMAGE', '-n1', '--container-image=x'],
     'an option of a plug-in'),
    ('what_if_pods_drain', 1, ['what-if', ENDS, '--drain=gpu-2'], 'all pods that wait'),
    ('what_if_pods_add', 0, ['what-if', ENDS, '--add=2 x gpu-1', 'default/wait-gpu', 'default/wait-two'],
     'nodes like one that is there'),
    ('what_if_pods_queue', 0, ['what-if', ENDS, '--add=gpu-1', '--queue=tests/golden/tool/pods.jobs'], 'jobs of a file'),
    ('what_if_drain', 1, ['what-if', *LIVE, STATE, '--drain=g2'], 'a job that does not start then'),
    ('what_if_add', 0, ['what-if', *LIVE, STATE, '--add', 'NodeName=g3 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 '
                        'RealMemory=8000 Gres=gpu:a100:4 Feature=a100', '--set=PartitionName=gpu Nodes+=g3', '6'],
     'a job that starts sooner'),
    ('what_if_set', 0, ['what-if', SMALL, '--set=PartitionName=gpu MaxTime=3-0', '-p', 'gpu', '-t', '2-12:00:00',
                        '--gres=gpu:1'], 'another limit'),
    ('what_if_queue', 1, ['what-if', SMALL, *BUSY, '--drain=gpu-01', '--queue=tests/golden/tool/waiting.jobs'],
     'jobs of a file, in their order'),
    ('what_if_same', 0, ['what-if', SMALL, '--set=DefMemPerCPU=1', '-p', 'gpu', '--mem=100'], 'nothing changes'),
    ('lint_mistakes', 1, ['lint', MISTAKES], 'every kind of finding in a folder'),
    ('lint_good', 0, ['lint', 'examples/slurm_cluster', 'examples/train.sh', 'examples/train.dstack.yml'],
     'nothing to find'),
    ('lint_files', 1, ['lint', f'{MISTAKES}/job.sh', f'{MISTAKES}/task.dstack.yml', f'{MISTAKES}/cgroup.conf'],
     'files one by one'),
    ('lint_plugins', 1, ['lint', '--release=22.05', '--plugin-option=container-image=IMAGE', PLUGINS],
     'an option that is declared, one that is not, one that the release lacks'),
]

# (arguments, what the line has to say, why)
BAD = [
    (['frobnicate'], 'expected lint, where', 'no such subcommand'),
    (['wy', '-n1'], 'the nearest is why', 'the nearest subcommand'),
    (['--vresion'], 'the nearest is --version', 'the nearest option of the program'),
    (['lint', '--realese', '24.11', 'examples/train.sh'], 'the nearest is --release', 'the nearest option'),
    (['translate', '--Foo', 'examples/train.sh'], 'expected --help', 'no option is near'),
    (['where', '--clutser=x', '-n1'], 'the nearest is --cluster', 'near to an option of the subcommand'),
    (['why', '--jsno', '-n1'], 'the nearest is --json', 'one that could be of sbatch'),
    (['run', '--dry-rnu', '-n1', '--', 'true'], 'the nearest is --dry-run', 'in front of a command'),
    (['where', SMALL, '--gers=gpu:1'], 'the nearest is --gres', 'near to an option of sbatch'),
    (['where', SMALL, '--Foo'], 'a known option', 'near to nothing'),
    (['why', SMALL], 'no job', 'no options of a job'),
    (['where', SMALL, '--gres=gpu:x1y:'], '--gres', 'an option of sbatch that is malformed'),
    (['where', SMALL, '--cpus-per-taks=2'], '--cpus-per-task', 'the nearest option'),
    (['where', SMALL, 'no-such-script'], 'no-such-script', 'a script that is not there'),
    (['where', '--cluster'], '--cluster', 'no folder behind it'),
    (['where', '--cluster=/nonexistent', '-n', '1'], '/nonexistent', 'no such folder'),
    (['where', SMALL, '--release=1.0', '-n', '1'], '--release', 'no such release'),
    (['where', SMALL, '--jobs=/nonexistent', '-n', '1'], '/nonexistent', 'no such file'),
    (['where', SMALL, '--jobs', '{never}', '-n', '1'], 'line 2', 'a running job that cannot run'),
    (['why', SMALL, '7'], 'no live state', 'a job by number, without a live state'),
    (['why', *LIVE, '/nonexistent', '7'], '/nonexistent', 'no such folder'),
    (['where', '--cluster=tests/data/slurm-live/24.11/nodes.json', '-n', '1'], 'kubectl get nodes,pods',
     'JSON of another program'),
    (['where', '--cluster=/nonexistent.json', '-n', '1'], '/nonexistent.json', 'no such file'),
    (['where', PODS, '--release=24.11', 'default/train-2'], '--release', 'an option of Slurm'),
    (['where', PODS, 'default/none'], 'default/none', 'no such pod'),
    (['where', PODS, 'default/train-0'], 'it runs', 'a pod that does not wait'),
    (['where', PODS, *BUSY, '-n', '1'], '--jobs', 'jobs of another cluster'),
    (['what-if', PODS, '--set=MaxTime=1', '-n', '1'], '--set', 'no slurm.conf'),
    (['what-if', PODS, '--drain=gpu-9', '-n', '1'], 'gpu-9', 'no such node'),
    (['what-if', PODS, '--add=gpu-9', '-n', '1'], 'gpu-9', 'no node to be like'),
    (['what-if', PODS, '--add=NodeName=a CPUs=2', '-n', '1'], 'NodeName=a', 'a line of slurm.conf'),
    (['what-if', PODS, '--add=two x gpu-1', '-n', '1'], 'COUNT x NODE', 'no count'),
    (['what-if', PODS, '--add=-1 x gpu-1', '-n', '1'], 'COUNT x NODE', 'a negative count'),
    (['what-if', PODS, '--add=99999999999 x gpu-1', '-n', '1'], 'COUNT x NODE', 'a count beyond all'),
    (['what-if', PODS, '--add=0 x gpu-1', '-n', '1'], '1 to', 'no node more'),
    (['what-if', PODS, '--drain=gpu-1', 'default/none'], 'default/none', 'no such pod'),
    (['what-if', PODS, '--drain=gpu-1', '--queue=/nonexistent'], '/nonexistent', 'no such file'),
    (['show', SMALL, '--watch=0'], '--watch', 'no time between pictures'),
    (['show', SMALL, '--svg=/nonexistent/a.svg'], '/nonexistent', 'a file that cannot be written'),
    (['show', SMALL, '-n', '1'], '-n', 'no job is looked at'),
    (['what-if', SMALL, '-n', '1'], 'no change', 'nothing is changed'),
    (['what-if', SMALL, '--drain=gpu-99', '-n', '1'], 'gpu-99', 'no such node'),
    (['what-if', SMALL, '--drain=gpu-[', '-n', '1'], '--drain', 'no list of nodes'),
    (['what-if', SMALL, '--drain=gpu-01'], 'no job', 'no job, and no live state'),
    (['what-if', *LIVE, STATE, '--drain=g1', '77'], 'job 77', 'no such job'),
    (['what-if', SMALL, '--set=MaxTime', '-n', '1'], 'KEY=VALUE', 'no value'),
    (['what-if', SMALL, '--set=PartitionName=no MaxTime=5', '-n', '1'], 'PartitionName=no', 'no such line'),
    (['what-if', SMALL, '--add=CPUs=8', '-n', '1'], 'NodeName=', 'no line of nodes'),
    (['what-if', SMALL, '--drain=gpu-01', '--queue=/nonexistent'], '/nonexistent', 'no such file'),
    (['sim', '/nonexistent'], '/nonexistent', 'no such folder'),
    (['sim', 'examples/slurm_cluster', '/nonexistent'], '/nonexistent', 'no such file'),
    (['translate'], 'FILE', 'no file'),
    (['translate', '/nonexistent'], '/nonexistent', 'no such file'),
    (['lint', '/nonexistent'], '/nonexistent', 'no such file'),
    (['lint', 'examples'], 'examples', 'a folder without slurm.conf'),
    (['limits', '--gres-conf=examples/gres.conf', '-n', '1'], '--gres-conf', 'not alone'),
    (['limits', '--grse=gpu:1'], '--gres', 'the nearest option'),
]


def run(*arguments, **more):
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(('SBATCH_', 'SLURM_'))}
    return subprocess.run([TRESTLE, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=120, cwd=ROOT, env={**environment, 'LC_ALL': 'C'}, **more)


class Golden(unittest.TestCase):
    maxDiff = None

    def test_what_each_prints(self):
        for name, status, arguments, why in CASES:
            with self.subTest(why, arguments=arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, status, done.stderr)
                file = GOLDEN / f'{name}.txt'
                if UPDATE:
                    file.write_text(done.stdout)
                self.assertEqual(done.stdout, file.read_text())

    def test_no_file_is_without_a_case(self):
        self.assertEqual({file.stem for file in GOLDEN.glob('*.txt')}, {name for name, *_ in CASES})


class Json(unittest.TestCase):
    def test_each_answer_is_json(self):
        for name, status, arguments, why in CASES:
            if name in ('help', 'why_help', 'sim', 'translate'):  # a line each, or none
                continue
            with self.subTest(why, arguments=arguments):
                done = run(arguments[0], '--json', *arguments[1:])
                self.assertEqual(done.returncode, status, done.stderr)
                json.loads(done.stdout)

    def test_lines_of_json(self):
        for arguments in (['sim', '--json', 'examples/slurm_cluster', 'examples/slurm_cluster/jobs.txt'],
                          ['translate', '--json', 'examples/train.sh', 'examples/train.dstack.yml']):
            lines = run(*arguments).stdout.splitlines()
            self.assertGreater(len(lines), 1)
            for line in lines:
                json.loads(line)


class Words(unittest.TestCase):
    def test_a_change_starts_the_job(self):
        """What `why` names is tried again by `where`."""
        asked = ['-p', 'gpu', '--gres=gpu:4', '-c', '2']
        answer = json.loads(run('why', '--json', SMALL, *BUSY, *asked).stdout)
        self.assertIn('--gres=gpu:2 instead of --gres=gpu:4', answer['changes'])
        self.assertEqual(answer['starts_in'], 3600)
        asked[2] = '--gres=gpu:2'
        self.assertEqual(json.loads(run('where', '--json', SMALL, *BUSY, *asked).stdout)['starts_in'], 0)
        asked[2] = '--gres=gpu:3'
        self.assertGreater(json.loads(run('where', '--json', SMALL, *BUSY, *asked).stdout)['starts_in'], 0)

    def test_dashes_part_the_options(self):
        for dashes in ([], ['--']):
            done = run('where', SMALL, *dashes, '-p', 'gpu', '-n1')
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_picture_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run('where', SMALL, '--svg', f'{folder}/a.svg', '-p', 'gpu', '--gres=gpu:1')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(pathlib.Path(folder, 'a.svg').read_text().startswith('<svg'))

    def test_the_cluster_is_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run('show', *LIVE, STATE, '--svg', f'{folder}/a.svg')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn('job 5', pathlib.Path(folder, 'a.svg').read_text())

    def test_without_a_terminal_there_are_no_colours(self):
        for arguments in (['why', SMALL, '-p', 'gpu', '--gres=gpu:9'], ['show', *LIVE, STATE]):
            self.assertNotIn('\033', run(*arguments).stdout)


class Terminal(unittest.TestCase):
    def printed(self, *arguments, columns, until, **more):
        """What appears on a terminal until so many pictures are there."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
        environment = {key: value for key, value in os.environ.items() if key != 'NO_COLOR'}
        child = subprocess.Popen([TRESTLE, *arguments], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, cwd=ROOT,
                                 env={**environment, 'TERM': 'xterm', 'LC_ALL': 'C', **more})
        os.close(slave)
        text = ''
        try:
            while text.count('a cell is a node') < until:
                text += os.read(master, 65536).decode()
        finally:
            child.terminate()
            child.wait()
            os.close(master)
        return text

    def test_rows_are_as_wide_as_the_terminal(self):
        for columns in (50, 100):
            text = self.printed('show', f'--cluster={BIG}', columns=columns, until=1, NO_COLOR='1')
            self.assertNotIn('\033', text)
            rows = [line for line in text.splitlines() if line.endswith('....')]
            self.assertTrue(rows)
            self.assertTrue(all(columns - 25 < len(row) <= columns for row in rows[:1]), rows)

    def test_a_terminal_has_colours(self):
        self.assertIn('\033[32m', self.printed('show', f'--cluster={BIG}', columns=80, until=1))

    def test_it_is_shown_again(self):
        text = self.printed('show', '--watch=1', f'--cluster={BIG}', columns=80, until=2)
        self.assertEqual(text.count('\033[2J'), 2)


class Commands(unittest.TestCase):
    """`--cluster=live` asks the commands of PATH: here some that print what was recorded."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.command('scontrol', f'''case "$2 $*" in
            config*) echo "SLURM_CONF              = {ROOT}/tests/data/slurm-live/slurm.conf"
                     echo "SLURM_VERSION           = 24.11.5" ;;
            nodes*--json*) cat {ROOT}/{STATE}/nodes.json ;;
            reservations*--json*) cat {ROOT}/{STATE}/reservations.json ;;
            *) exit 1 ;;
            esac''')
        self.command('squeue', f'cat {ROOT}/{STATE}/squeue.json')

    def command(self, name, text):
        file = pathlib.Path(self.folder.name, name)
        file.write_text(f'#!/bin/sh\n{text}\n')
        file.chmod(0o755)

    def environment(self):
        return {**os.environ, 'PATH': f'{self.folder.name}:{os.environ["PATH"]}', 'LC_ALL': 'C', 'TERM': 'xterm'}

    def run_live(self, *arguments):
        return subprocess.run([TRESTLE, *arguments, '--cluster=live'], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=60, cwd=ROOT, env=self.environment())

    def test_files_and_commands_give_the_same(self):
        done = self.run_live('show')
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual(done.stdout, (GOLDEN / 'show.txt').read_text())

    def test_a_command_that_fails_is_named(self):
        self.command('squeue', 'exit 1')
        done = self.run_live('show')
        self.assertEqual((done.returncode, done.stdout), (2, ''))
        self.assertEqual(done.stderr, 'trestle show: live: `squeue --json` failed\n')

    def test_bad_answers_are_one_line(self):
        whole = (ROOT / STATE / 'squeue.json').read_text()
        for text, say in ((whole[:1000], 'jobs'), ('{"pods": []}', 'no answer of Slurm'), ('{}', 'no answer of Slurm'),
                          ('{"jobs": 1}', 'no list'), ('{"errors": [{"error": "denied"}]}', 'jobs'),
                          ('squeue: error', 'no record')):
            with self.subTest(text[:20]):
                self.command('squeue', f"cat <<'END'\n{text}\nEND")
                done = self.run_live('show')
                self.assertEqual((done.returncode, done.stdout), (2, ''), done.stderr)
                self.assertEqual(done.stderr.count('\n'), 1, done.stderr)
                self.assertIn(say, done.stderr)

    def test_a_slow_step_has_a_bar(self):
        self.command('squeue', f'sleep 1.6; cat {ROOT}/{STATE}/squeue.json')
        master, slave = pty.openpty()
        done = subprocess.run([TRESTLE, 'show', '--cluster=live'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=slave, timeout=60, cwd=ROOT, env=self.environment())
        os.close(slave)
        shown = b''
        try:
            while part := os.read(master, 65536):
                shown += part
        except OSError:  # all was read, and no one can write more
            pass
        os.close(master)
        shown = shown.decode()
        self.assertEqual(done.returncode, 0)
        self.assertIn('] squeue', shown)
        self.assertNotIn('#' * 20, shown)  # the last step goes on
        self.assertTrue(shown.endswith('\r\033[K'), repr(shown))


class Texts(unittest.TestCase):
    """The manual page and the completions, which the build writes."""
    TEXTS = TRESTLE.parent.parent / 'tool_pages'

    def options(self):
        """Each option of each subcommand, as its help has it."""
        names = [line.split()[0] for line in run('--help').stdout.partition('Subcommands:')[2].splitlines()
                 if line.startswith('  ')]
        for name in names:
            for line in run(name, '--help').stdout.splitlines():
                if line.startswith('  --'):
                    yield name, line.split()[0]

    def test_each_option_is_in_each(self):
        man = (self.TEXTS / 'man/man1/trestle.1').read_text().replace('\\-', '-')
        bash = (self.TEXTS / 'bash-completion/completions/trestle').read_text()
        zsh = (self.TEXTS / 'zsh/site-functions/_trestle').read_text()
        fish = (self.TEXTS / 'fish/vendor_completions.d/trestle.fish').read_text()
        options = list(self.options())
        self.assertGreater(len(options), 40)
        for command, option in options:
            with self.subTest(command=command, option=option):
                section = man.partition(f'.SS {command}\n')[2].partition('.SS ')[0]
                self.assertIn(f'\\fB{option}\\fR', section)
                self.assertRegex(bash, rf"\n {{8}}{command}\) options='[^']*{option}[ ']")
                self.assertIn(f"'{option}[", zsh.partition(f'    {command})\n')[2].partition(' ;;')[0])
                self.assertRegex(fish, rf"_from {command}'.* -l {option[2:]} ")

    def test_bash_completes(self):
        file = self.TEXTS / 'bash-completion/completions/trestle'
        for words, wanted in ((['w'], {'where', 'why', 'what-if'}), (['what-if', '--dr'], {'--drain'}),
                              (['why', '--release', '2'], {'22.05', '24.11', '26.05'}),
                              (['show', '--cluster', 'examples/slurm_cl'], {'examples/slurm_cluster', 'examples/slurm_cli_filter'})):
            script = f'. {file}; COMP_WORDS=(trestle {shlex.join(words)}); COMP_CWORD={len(words)}; _trestle; ' \
                     'printf "%s\\n" "${COMPREPLY[@]}"'
            done = subprocess.run(['bash', '-c', script], cwd=ROOT, capture_output=True, text=True, timeout=20)
            self.assertEqual(set(done.stdout.split()) - {'examples/slurm_cluster'}, wanted - {'examples/slurm_cluster'}, done.stderr)

    def test_the_manual_page_is_one(self):
        if shutil.which('groff') is None:
            self.skipTest('no groff')
        done = subprocess.run(['groff', '-man', '-Tascii', '-ww', self.TEXTS / 'man/man1/trestle.1'], capture_output=True,
                              text=True, timeout=20)
        self.assertEqual(done.stderr, '')
        self.assertIn('what-if', done.stdout)


# Three mistakes each.
WRONG = ['--gres=gpu:x1y:', '--mem=abc', '-c', 'four']
MANY = [['where', SMALL, *WRONG], ['why', SMALL, *WRONG], ['limits', *WRONG], ['run', *WRONG, '--', 'true']]


class BadInput(unittest.TestCase):
    def test_each_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            never = pathlib.Path(folder, 'never')
            never.write_text('-p gpu --gres=gpu:1\n-p gpu --gres=gpu:9\n')
            for arguments, say, why in BAD:
                with self.subTest(why, arguments=arguments):
                    done = run(*(a.format(never=never) for a in arguments))
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertEqual(done.stderr.count('\n'), 1, done.stderr)
                    self.assertIn(say, done.stderr)
                    self.assertEqual(done.stdout, '')

    def test_each_mistake_has_a_line(self):
        for arguments in MANY:
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ''))
                lines = done.stderr.splitlines()
                self.assertEqual(len(lines), 3, lines)
                self.assertEqual({line.partition(': ')[0] for line in lines}, {f'trestle {arguments[0]}'})

    def test_all_lines(self):
        """To be read as a user."""
        file = ROOT / 'tests/golden/tool_mistakes.txt'
        lines = ''.join(f'$ trestle {shlex.join(arguments)}\n{run(*arguments).stderr}'
                        for arguments in [*(one for one, _, _ in BAD), *MANY] if '{never}' not in arguments)
        if UPDATE:
            file.write_text(lines)
        self.assertEqual(lines, file.read_text())

    def test_no_subcommand_is_answered_by_the_help(self):
        done = run()
        self.assertEqual((done.returncode, done.stdout), (2, ''))
        self.assertIn('usage: trestle', done.stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=1)
