# SPDX-License-Identifier: Apache-2.0
"""cli_filter.py PROGRAM LUA: what examples/slurm_cli_filter says before sbatch submits, beside what a real
slurmctld on loopback then does. No slurmd runs: a job that can start waits for its nodes to come up."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM, LUA = sys.argv[1:3]
NEVER = {'PartitionTimeLimit', 'PartitionNodeLimit', 'PartitionConfig'}
PORT = 20000 + os.getpid() % 10000

CONF = '''
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
SlurmctldPort={port}
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
PlugStackConfig={folder}/plugstack.conf
CliFilterPlugins=cli_filter/lua
ProctrackType=proctrack/linuxproc
MpiDefault=none
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/none
GresTypes=gpu
Licenses=abaqus:2
NodeName=n[1-2] NodeAddr=127.0.0.1 Sockets=2 CoresPerSocket=4 RealMemory=4000 Gres=gpu:a100:8 Feature=fast
NodeName=m1 NodeAddr=127.0.0.1 Sockets=1 CoresPerSocket=16 RealMemory=16000
PartitionName=gpu Nodes=n[1-2] Default=YES MaxTime=60
PartitionName=big Nodes=m1 MaxNodes=1 MaxTime=7-0
'''

GRES = 'NodeName=n[1-2] Name=gpu Type=a100 File=/dev/nvidia[0-7]\n'

# Options, what the filter says (nothing: the job can start), and the options with each change it suggests.
ROWS = [
    # Which can start: slurmctld takes them and they wait for nodes.
    ('', '', []),
    ('--gres=gpu:8', '', []),
    ('--gpus=16', '', []),
    ('--gres=gpu:a100:1 -C fast -c 8 --mem=4000 -t 60', '', []),
    ('-n16', '', []),
    ('--mem=0', '', []),                              # all memory of the node
    ('-p big -n1 --mem=16000 -t 7-0', '', []),
    ('-p gpu,big --mem=16000', '', []),               # one of the partitions will do
    ('-L abaqus:2', '', []),
    ('--exclusive', '', []),
    ('--exclusive=user', '', []),
    ('--comment=\'a","gres":"gpu:99\'', '', []),      # free text is no option
    ('-N1-9 --contiguous', '', []),
    # A device
    ('--gres=gpu:9', '--gres=gpu:9 can never start: node types have at most 8 gpu; '
     '--gpus=9 would (2 nodes), --gres=gpu:8 would (1 node)', ['--gpus=9', '--gres=gpu:8']),
    ('-N1 --gres=gpu:9', '--gres=gpu:9 can never start: node types have at most 8 gpu; '
     '--gres=gpu:8 would (1 node)', ['-N1 --gres=gpu:8']),
    ('--gpus-per-node=9', '--gpus-per-node=9 can never start: node types have at most 8 gpu; '
     '--gpus=9 would (2 nodes), --gpus-per-node=8 would (1 node)', ['--gpus=9', '--gpus-per-node=8']),
    ('--gpus=17', '--gpus=17 can never start: the partition has 16 GPUs; --gpus=16 would (2 nodes)', ['--gpus=16']),
    ('--gres=gpu:h100:1', '--gres=gpu:h100:1 can never start: no node has gpu:h100; '
     '--gres=gpu:1 would (1 node)', ['--gres=gpu:1']),
    ('-n6 --gpus-per-task=3', '--gpus-per-task=3 can never start: 18 gpu of the job: 2 nodes of partition gpu have at most 16; '
     '--gpus-per-task=2 would (2 nodes)', ['-n6 --gpus-per-task=2']),
    ('-p big --gres=gpu:1', '--gres=gpu:1 with --partition=big can never start: no node has gpu; '
     '--partition=gpu would (1 node)', ['-p gpu --gres=gpu:1']),
    # Nodes, CPUs, memory
    ('-N3', '--nodes=3 can never start: the partition has 2 nodes; --nodes=2 would (2 nodes)', ['-N2']),
    ('-n17', '--ntasks=17 can never start: the partition has 16 CPUs; --ntasks=16 would (2 nodes)', ['-n16']),
    ('-c9', '--cpus-per-task=9 can never start: node types have at most 8 CPUs; --cpus-per-task=8 would (1 node), '
     '--partition=big would (1 node)', ['-c8', '-c9 -p big']),
    ('--mem=9000', '--mem=9000 can never start: node types have at most 4000M; --mem=4000 would (1 node), '
     '--partition=big would (1 node)', ['--mem=4000', '--mem=9000 -p big']),
    ('--mem-per-cpu=5000', '--mem-per-cpu=5000 can never start: --mem-per-cpu=5000M: a node of partition gpu has at most 4000M; '
     '--mem-per-cpu=4000 would (1 node), --partition=big would (1 node)',
     ['--mem-per-cpu=4000', '--mem-per-cpu=5000 -p big']),
    # Limits of a partition: slurmctld takes the job, which waits for ever.
    ('-t 120', '--time=02:00:00 can never start: time limit of 02:00:00: partition gpu allows at most 01:00:00 (MaxTime); '
     '--time=01:00:00 would (1 node), --partition=big would (1 node)', ['-t 60', '-t 120 -p big']),
    # Names
    ('-p nope', '--partition=nope can never start: unknown partition nope; --partition=gpu would (1 node), '
     '--partition=big would (1 node)', ['-p gpu', '-p big']),
    ('-C slow', '--constraint=slow can never start: --constraint: no node has the feature slow; '
     'no --constraint would (1 node)', ['']),
    ('-w n9', '--nodelist=n9 can never start: unknown node n9; no --nodelist would (1 node)', ['']),
    ('-L abaqus:3', '--licenses=abaqus:3 can never start: --licenses=abaqus:3: the cluster has 2; '
     'no --licenses would (1 node)', ['']),
    # Several options
    ('-x n1 --gpus=9', '--gpus=9 with --exclude=n1 can never start: 9 gpu of the job: 1 node of partition gpu has at most 8; '
     '--gpus=8 would (1 node), no --exclude would (2 nodes)', ['-x n1 --gpus=8', '--gpus=9']),
    ('-C slow --gres=gpu:9', '--gres=gpu:9 with --constraint=slow can never start: node types have at most 8 gpu; '
     '--gpus=9 with no --constraint would (2 nodes)', ['--gpus=9']),
    # Of another cluster, or of a reservation, nothing is known.
    ('-N3 --reservation=maintenance', None, []),
]


class Cluster:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='trestle-slurm-'))
        (self.folder / 'state').mkdir()
        user = subprocess.run(['id', '-un'], capture_output=True, text=True, check=True).stdout.strip()
        (self.folder / 'slurm.conf').write_text(CONF.format(folder=self.folder, port=PORT, user=user))
        (self.folder / 'gres.conf').write_text(GRES)
        (self.folder / 'plugstack.conf').write_text('')
        self.use_filter(PROGRAM)
        os.environ['SLURM_CONF'] = str(self.folder / 'slurm.conf')
        self.daemon = subprocess.Popen(['slurmctld', '-D', '-c'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def use_filter(self, program, refuse=False):
        text = pathlib.Path(LUA).read_text()
        text = text.replace('"/usr/local/libexec/trestle_can_start"', f'"{program}"')
        (self.folder / 'cli_filter.lua').write_text(text.replace('refuse = false', f'refuse = {str(refuse).lower()}'))

    def __enter__(self):
        for _ in range(100):
            if subprocess.run(['sinfo', '-h'], capture_output=True).returncode == 0:
                return self
            time.sleep(0.1)
        raise SystemExit((self.folder / 'slurmctld.log').read_text())

    def __exit__(self, *_):
        self.daemon.terminate()
        self.daemon.wait()
        shutil.rmtree(self.folder)

    def sbatch(self, options, tool='sbatch'):
        """What the filter said, and the job's number if slurmctld took it."""
        command = f'{tool} {options} --parsable --wrap true' if tool == 'sbatch' else f'{tool} {options} true'
        done = subprocess.run(command, shell=True, capture_output=True, text=True)
        said = [line for line in done.stderr.splitlines() if 'trestle' in line]
        return '\n'.join(said), done.stdout.strip() if done.returncode == 0 else None

    def can_start(self, job):
        """False for a job that was not taken, or that waits for ever."""
        if job is None:
            return False
        for _ in range(50):  # until the scheduler has looked at it
            shown = subprocess.run(['squeue', '-h', '-j', job, '-o', '%r'], capture_output=True, text=True)
            reason = shown.stdout.strip()
            if reason not in ('None', 'Priority', ''):
                break
            time.sleep(0.1)
        subprocess.run(['scancel', job])
        return reason not in NEVER


def check(what, wanted, got):
    if wanted != got:
        print(f'FAILED: {what}\n  wanted {wanted}\n  got    {got}')
    return wanted == got


def main():
    if shutil.which('slurmctld') is None or shutil.which('sbatch') is None:
        print('SKIPPED: no slurmctld and sbatch (Debian: slurmctld, slurm-client, slurm-wlm-basic-plugins)')
        return 77
    good = True
    with Cluster() as cluster:
        for options, line, changes in ROWS:
            said, job = cluster.sbatch(options)
            good &= check(options, f'sbatch: trestle: {line}' if line else '', said)
            if line is not None:
                good &= check(f'slurmctld: {options}', not line, cluster.can_start(job))
            good &= check(f'{options}: as many rows as suggestions', (line or '').count(' would'), len(changes))
            for change in changes:
                said, job = cluster.sbatch(change)
                good &= check(f'{options} as {change}', ('', True), (said, cluster.can_start(job)))
        script = cluster.folder / 'job.sh'
        script.write_text('#!/bin/sh\n#SBATCH --gres=gpu:9\n')
        said = subprocess.run(['sbatch', script], capture_output=True, text=True).stderr
        good &= check('options of a script', True, said.startswith('sbatch: trestle: --gres=gpu:9 can never start'))
        said, _ = cluster.sbatch('-N1 : -N3')
        good &= check('a component', True, said.startswith('sbatch: trestle: --nodes=3 can never start'))
        said, _ = cluster.sbatch('--gres=gpu:9', 'timeout 5 srun')
        good &= check('srun', True, said.startswith('srun: trestle: --gres=gpu:9 can never start'))
        said, _ = cluster.sbatch('-N3', 'SLURM_JOB_ID=1 timeout 5 srun')
        good &= check('a step of a job', '', said)

        # Files of which it knows too little, or nothing.
        other = cluster.folder / 'other'
        other.mkdir()
        text = (cluster.folder / 'slurm.conf').read_text()
        for name, conf, wanted in (('no default partition: a job_submit plugin chooses', text.replace('Default=YES', ''),
                                    (0, '')),
                                   ('a file that cannot be read', text + 'NodeName=', (2, ''))):
            (other / 'slurm.conf').write_text(conf)
            done = subprocess.run([PROGRAM, f'--conf={other}', '-N3'], capture_output=True, text=True)
            good &= check(name, wanted, (done.returncode, done.stdout))

        # Trestle in the way: a program that is missing, hangs, crashes, prints nonsense.
        helper = cluster.folder / 'helper'
        for content in (None, 'sleep 60', 'kill -SEGV $$', 'exit 2'):
            helper.unlink(missing_ok=True)
            if content:
                helper.write_text(f'#!/bin/sh\n{content}\n')
                helper.chmod(0o755)
            cluster.use_filter(helper)
            said, job = cluster.sbatch('-N2')
            good &= check(f'a program that says {content}', ('', True), (said, cluster.can_start(job)))
        cluster.use_filter(PROGRAM, refuse=True)
        said, job = cluster.sbatch('-t 120')
        good &= check('refused', (True, None), (said.startswith('sbatch: trestle: --time'), job))
        said, job = cluster.sbatch('-t 60')
        good &= check('not refused', ('', True), (said, cluster.can_start(job)))
    print('all rows hold' if good else 'rows failed')
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
