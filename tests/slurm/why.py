# SPDX-License-Identifier: Apache-2.0
"""why.py TRESTLE [COUNT [ROOT]]: what `trestle why` says of jobs that wait in a real Slurm on loopback, and whether it is
true. Each change that it names is submitted, and the controller has to start that job. A job of which it says that it
never starts has to be refused, or to wait on the idle cluster. Jobs of the table come first, then random ones, COUNT
in all. ROOT is a folder with a system in which Slurm is installed, as debootstrap makes one; without it Slurm is this
machine's."""
import json
import os
import pathlib
import random
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TRESTLE = pathlib.Path(sys.argv[1]).resolve()
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 24
PORT = 20000 + os.getpid() * 8 % 10000  # six ports, of none that runs beside it
CHANGES = 2  # of each job that are tried
SECONDS = 30  # until a job that can start has started, on a busy machine too
ROOT = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 else None
RELEASES = ('22.05', '24.11', '26.05')  # whose rules Trestle has
PROGRAMS = ('slurmctld', 'slurmd', 'sbatch', 'squeue', 'scontrol', 'scancel', 'sinfo')

CONF = '''
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=100
GresTypes=gpu
Licenses=abaqus:2
NodeName=g[1-2] NodeAddr=127.0.0.1 NodeHostname={host} Port=[{a}-{b}] Sockets=2 CoresPerSocket=4 RealMemory=4000 Gres=gpu:a100:4 Feature=fast,ib
NodeName=h1 NodeAddr=127.0.0.1 NodeHostname={host} Port={c} Sockets=2 CoresPerSocket=4 RealMemory=8000 Gres=gpu:h100:2 Feature=fast
NodeName=c[1-2] NodeAddr=127.0.0.1 NodeHostname={host} Port=[{d}-{e}] Sockets=1 CoresPerSocket=8 RealMemory=2000
PartitionName=gpu Nodes=g[1-2],h1 Default=YES MaxTime=120 DefaultTime=30
PartitionName=cpu Nodes=c[1-2] MaxTime=1-0 DefaultTime=30
PartitionName=short Nodes=ALL MaxTime=10 MaxNodes=1
'''
OLD = '''
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
'''
GRES = '''
NodeName=g[1-2] Name=gpu Type=a100 File={folder}/dev/nvidia[0-1] Cores=0-3
NodeName=g[1-2] Name=gpu Type=a100 File={folder}/dev/nvidia[2-3] Cores=4-7
NodeName=h1 Name=gpu Type=h100 File={folder}/dev/nvidia[0-1]
'''

# What runs: cores, memory, devices and licences are taken in part, and two nodes have no room at all.
RUNNING = ['-p gpu -w g1 --gres=gpu:a100:3 -c 2 -t 60', '-p gpu -w g2 --gres=gpu:1 -c 7 -t 90', '-p gpu -w h1 --mem=7500 -t 30',
           '-p cpu -w c1 -c 8 -t 20', '-p cpu -w c2 -c 4 --mem=1500 -L abaqus:1 -t 40']

ROWS = [
    '--gres=gpu:2', '--gres=gpu:4', '--gres=gpu:5', '--gpus=5', '--gpus=11', '--gres=gpu:h100:1 --mem=1000', '--gres=gpu:h100:3',
    '--gres=gpu:v100:1', '-n2 --gpus-per-task=2', '-N2 --gres=gpu:2', '-N3 -n3', '-N4', '-p cpu -c 8', '-p cpu -n 9', '-p cpu -N2 -n2',
    '-p cpu --mem=1000', '-p cpu --mem=3000', '-p cpu --mem-per-cpu=900 -c 2', '-p cpu -t 2-0', '-t 200', '-C ib --gres=gpu:3',
    '-C nothing', '-w g1 --gres=gpu:2', '-w c1 -p cpu', '-x g1,h1 --gres=gpu:1 -c 2', '-p cpu -L abaqus:2', '-p cpu -L abaqus:3',
    '-p cpu --exclusive', '--exclusive --gres=gpu:1', '-c 9', '-n 30', '-p short -N2', '-p short -t 20', '-p short -c 8 -t 5',
    '--gres=gpu:2 --cpus-per-gpu=4', '--gpus=2 --mem-per-gpu=3000', '-n4 --ntasks-per-node=2 --gres=gpu:1', '-p cpu -n 6 -c 2',
    '-n 8 --ntasks-per-socket=1', '--gres=gpu:1 -c 8',
]


def random_row(rng):
    """Options that may have to wait."""
    partition = rng.choice(['gpu', 'gpu', 'cpu', 'short'])
    words = ['-p', partition]
    if rng.random() < 0.3:
        words.append(f'-N{rng.randint(1, 3)}')
    if rng.random() < 0.4:
        words.append(f'-n{rng.choice([1, 2, 3, 4, 6, 8, 12])}')
    if rng.random() < 0.5:
        words.append(f'-c{rng.choice([1, 2, 3, 4, 6, 8])}')
    if rng.random() < 0.4:
        words.append(rng.choice([f'--mem={rng.randint(1, 90) * 100}', f'--mem-per-cpu={rng.randint(1, 12) * 100}']))
    if partition != 'cpu' and rng.random() < 0.7:
        kind = rng.choice(['', '', 'a100:', 'h100:'])
        words.append(rng.choice([f'--gres=gpu:{kind}{rng.randint(1, 5)}', f'--gpus={kind}{rng.randint(1, 8)}']))
    if rng.random() < 0.2:
        words.append(rng.choice(['-C fast', '-C ib', '-C fast&ib']))
    if rng.random() < 0.2:
        words.append('-w ' + rng.choice(['g1', 'g2', 'h1'] if partition == 'gpu' else ['c1', 'c2']))
    if rng.random() < 0.2:
        words.append(f'-t {rng.choice([5, 15, 60, 150])}')
    if rng.random() < 0.1:
        words.append(rng.choice(['--exclusive', '-L abaqus:2', '-x g2']))
    return ' '.join(words)


class Cluster:
    def __init__(self, release):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='trestle-slurm-', dir=ROOT and ROOT / 'tmp'))
        self.folder.chmod(0o755)
        if ROOT:  # one name inside and outside
            self.inside, self.folder = self.folder, pathlib.Path('/tmp') / self.folder.name
            self.folder.symlink_to(self.inside)
        (self.folder / 'state').mkdir()
        (self.folder / 'dev').mkdir()
        for i in range(4):
            (self.folder / f'dev/nvidia{i}').touch()
        user = subprocess.run(['id', '-un'], capture_output=True, text=True, check=True).stdout.strip()
        values = dict(folder=self.folder, port=PORT, user=user, host=socket.gethostname(),
                      **{name: PORT + 1 + i for i, name in enumerate('abcde')})
        old = release == '22.05'
        (self.folder / 'slurm.conf').write_text(CONF.format(**values) + (OLD if old else ''))
        (self.folder / 'gres.conf').write_text(GRES.format(**values))
        (self.folder / 'cgroup.conf').write_text('IgnoreSystemd=yes\n' if old else 'CgroupPlugin=disabled\n')
        for name in [name for name in os.environ if name.startswith(('SBATCH_', 'SLURM_'))]:
            del os.environ[name]
        os.environ['SLURM_CONF'] = str(self.folder / 'slurm.conf')
        os.environ['LC_ALL'] = 'C'
        # Root is above the limits of partitions.
        self.user = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] if os.geteuid() == 0 and not ROOT else []
        self.daemons = [self.start('slurmctld', '-D', '-c')]
        self.is_over = threading.Event()
        if not old:
            threading.Thread(target=self.wake, daemon=True).start()

    def wake(self):
        """On few CPUs a controller of these releases looks at a connection only when the next one comes."""
        while not self.is_over.wait(0.3):
            subprocess.run(['scontrol', 'ping'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           timeout=60, check=False)

    def start(self, *command):
        with open(self.folder / 'out.log', 'a') as log:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def __enter__(self):
        try:
            self.until('the controller answers', lambda: self.run('sinfo', '-h').returncode == 0, 60)
            for node in ('g1', 'g2', 'h1', 'c1', 'c2'):
                self.daemons.append(self.start('slurmd', '-D', '-N', node))
            self.until('the nodes are idle', lambda: set(self.states()) == {'idle'}, 120)
        except BaseException:
            print(''.join(file.read_text()[-2000:] for file in self.folder.glob('*.log')))
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.run('scancel', '--state=RUNNING,PENDING', '--user=' + ('nobody' if self.user else os.environ.get('USER', '')))
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            daemon.wait()
        self.is_over.set()
        if ROOT:
            self.folder.unlink()
        shutil.rmtree(self.inside if ROOT else self.folder, ignore_errors=True)

    def states(self):
        return self.run('sinfo', '-h', '-N', '-o', '%T').stdout.split()

    @staticmethod
    def run(*command):
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    @staticmethod
    def until(what, holds, seconds):
        end = time.time() + seconds
        while time.time() < end:
            if holds():
                return True
            time.sleep(0.05)
        raise SystemExit(f'FAILED: {seconds} s until {what}')

    def submit(self, options, seconds=1000):
        """The job's number; None if it is refused."""
        done = self.run(*self.user, 'sbatch', '--parsable', '-o', '/dev/null', '-D', '/', *options, f'--wrap=sleep {seconds}')
        return done.stdout.strip() if done.returncode == 0 else None

    def state(self, job):
        """`RUNNING`, or `PENDING` and the reason."""
        shown = self.run('squeue', '-h', '-t', 'all', '-j', job, '-o', '%T %r').stdout.split()
        return shown[0] if shown[:1] != ['PENDING'] else ' '.join(shown[:2])

    def settled(self, job, seconds=SECONDS):
        """The state when the scheduler has looked at it."""
        end = time.time() + seconds
        while time.time() < end:
            state = self.state(job)
            if state not in ('PENDING None', 'PENDING Priority', ''):
                return state
            time.sleep(0.03)
        return state

    def starts(self, job, seconds=SECONDS):
        end = time.time() + seconds
        while time.time() < end:
            if self.state(job) in ('RUNNING', 'CONFIGURING', 'COMPLETING', 'COMPLETED'):
                return True
            time.sleep(0.03)
        return False

    def cancel(self, *jobs):
        self.run('scancel', *jobs)
        # Its cores are free when it is gone.
        self.until('a job is gone', lambda: not self.run('squeue', '-h', '-j', ','.join(jobs)).stdout.strip(), 60)


def joined_letters(options):
    """A word each where a letter and its value are two: -c4."""
    words, rest = [], list(options)
    while rest:
        word = rest.pop(0)
        if len(word) == 2 and word[0] == '-' and rest and not rest[0].startswith('-'):
            word += rest.pop(0)
        words.append(word)
    return words


def changed(options, change):
    """The options with the change that `why` names: `A instead of B`, `with A`, `without B`."""
    come, _, gone = change.partition(' instead of ')
    if change.startswith('without '):
        come, gone = '', change[len('without '):]
    elif change.startswith('with '):
        come = change[len('with '):]
    gone = joined_letters(shlex.split(gone))
    return [word for word in joined_letters(options) if word not in gone] + shlex.split(come)


def why(*arguments):
    done = subprocess.run([TRESTLE, 'why', '--json', '--cluster=live', *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)
    if not done.stdout:
        raise SystemExit(f'FAILED: why {arguments}: {done.stderr}')
    return json.loads(done.stdout), done.returncode


def enter_root(bin_folder):
    """The programs of Slurm are those in ROOT. sbatch runs as a user, since root is above the limits of partitions."""
    for name in PROGRAMS:
        user = '--userspec=65534:65534 --groups=65534 ' if name == 'sbatch' else ''
        file = pathlib.Path(bin_folder) / name
        file.write_text(f'#!/bin/sh\nPATH=/usr/sbin:/usr/bin:/sbin:/bin exec chroot {user}{shlex.quote(str(ROOT))} {name} "$@"\n')
        file.chmod(0o755)
    os.environ['PATH'] = f'{bin_folder}:{os.environ["PATH"]}'


def main():
    if not ROOT:
        return compare()
    proc, has_proc = ROOT / 'proc', os.path.ismount(ROOT / 'proc')
    with tempfile.TemporaryDirectory() as bin_folder:
        enter_root(bin_folder)
        if not has_proc:
            subprocess.run(['mount', '-t', 'proc', 'proc', proc], check=True)
        try:
            return compare()
        finally:
            if not has_proc:
                subprocess.run(['umount', '--lazy', proc], check=True)


def compare():
    if not all(map(shutil.which, PROGRAMS)):
        print('SKIPPED: no slurmctld, slurmd and sbatch (Debian: slurmctld, slurmd, slurm-client, slurm-wlm-basic-plugins)')
        return 77
    version = Cluster.run('slurmctld', '-V').stdout.split()[-1:]
    release = version[0][:5] if version else ''
    if release not in RELEASES:
        print(f'SKIPPED: Slurm {" ".join(version)}, expected {", ".join(RELEASES)}')
        return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # ends the daemons too
    rng = random.Random(29)
    counts = dict(jobs=0, refused=0, waiting=0, never=0, changes=0, started=0, starts=0)
    failed, never = [], []
    with Cluster(release) as cluster:
        for options in RUNNING:
            job = cluster.submit(shlex.split(options))
            cluster.until(f'{options} runs', lambda: cluster.state(job) == 'RUNNING', 60)
        rows = iter(ROWS)
        while counts['jobs'] < COUNT:
            row = next(rows, None) or random_row(rng)
            options = shlex.split(row)
            job = cluster.submit(options)
            if job is None:
                answer, _ = why('--', *options)
                counts['jobs'] += 1
                counts['refused'] += 1
                never.append(row)
                if answer['may_ever_start']:
                    failed.append(f'{row}: sbatch refuses it, why says {answer["why"]}')
            else:
                state = cluster.settled(job)
                if state == 'RUNNING':
                    cluster.cancel(job)
                    answer, status = why('--', *options)
                    counts['starts'] += 1
                    if status != 0:
                        failed.append(f'{row}: it starts, why says {answer["why"]}')
                    continue
                counts['jobs'] += 1
                answer, status = why(job)
                cluster.cancel(job)
                counts['waiting'] += 1
                if status == 0:
                    failed.append(f'{row}: {state}, and why says that it starts')
                    continue
                if not answer['may_ever_start']:
                    counts['never'] += 1
                    never.append(row)
            typed, _ = why('--', *options)
            for change in typed['changes'][:CHANGES]:
                counts['changes'] += 1
                words = changed(options, change)
                other = cluster.submit(words)
                if other is not None and cluster.starts(other):
                    counts['started'] += 1
                else:
                    state = 'refused' if other is None else cluster.state(other)
                    failed.append(f'{row}: {change}: submitted as {" ".join(words)}: {state}')
                if other is not None:
                    cluster.cancel(other)
        running = cluster.run('squeue', '-h', '-o', '%i').stdout.split()
        cluster.cancel(*running)
        jobs = {cluster.submit(shlex.split(row)): row for row in never}
        time.sleep(3)
        for job, row in jobs.items():
            if job is not None and not cluster.state(job).startswith('PENDING'):
                failed.append(f'{row}: never, and it is {cluster.state(job)} on the idle cluster')
    print('Slurm', release, counts)
    for line in failed:
        print('FAILED:', line)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
