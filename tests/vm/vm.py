#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command as root on a pure cgroup v2 kernel, in a throw-away guest. README.md beside this file.

  vm.py [OPTION...] -- COMMAND [ARGUMENT...]
"""
import argparse
import ctypes
import os
import pathlib
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import kernel

NO_VM, TIME_LIMIT, GUEST_FAILED = 123, 124, 125
NODE_MEMORY_MIN = 64  # MiB


def arguments(argv):
    parser = argparse.ArgumentParser(usage='vm.py [OPTION...] -- COMMAND [ARGUMENT...]')
    add = parser.add_argument
    add('--kernel', default=os.environ.get('TRESTLE_VM_KERNEL', 'newest'), choices=['newest', *kernel.SERIES])
    add('--smp', default='2', help='qemu -smp: 8, or sockets=2,cores=4,threads=2')
    add('--numa', action='append', default=[], metavar='N|SPEC', help='N equal nodes, or raw qemu -numa (repeatable)')
    add('--mem', type=int, default=1024, metavar='MIB')
    add('--swap', default='', metavar='SIZE', help='zram swap, as 256M (default none)')
    add('--disk', default='', metavar='SIZE', help='empty scratch disk /dev/vda, as 64M (default none)')
    add('--hugepages', type=int, default=0, metavar='N', help='2-MiB huge pages, on /dev/hugepages')
    add('--rw', action='append', default=[], metavar='DIR', help='folder that the guest may write (repeatable)')
    add('--env', action='append', default=[], metavar='NAME=VALUE')
    add('--cgroup', default='', metavar='PATH', help='run the command in this group (default the root)')
    add('--uid', type=int, help='run the command as this user; --cgroup is then delegated to it')
    add('--systemd', action='store_true', help='pid 1 is systemd; run the command in a service with Delegate=yes')
    add('--append', default='', help='more kernel command line, as cgroup_disable=memory')
    add('--timeout', type=float, default=300, metavar='SECONDS', help='for all of it')
    add('--boot-timeout', type=float, default=120, metavar='SECONDS', help='until the command starts')
    add('--setup', action='store_true', help='only get what is needed')
    add('command', nargs='*')
    split = argv.index('--') if '--' in argv else len(argv)
    options = parser.parse_args(argv[:split])
    options.command += argv[split + 1:]
    if not options.command and not options.setup:
        parser.error('no command')
    if options.systemd and options.cgroup:
        parser.error('--systemd gives the command a group of its own, so there is no --cgroup')
    for folder in options.rw:
        if not os.path.isdir(folder) or re.search(r'[\s,\'"]', folder):
            parser.error(f'--rw needs a folder with a plain name, not {folder}')
    if not re.fullmatch(r'(\d+[KMG]?)?', options.disk):
        parser.error(f'--disk needs a size as 64M, not {options.disk}')
    options.rw = [os.path.realpath(folder) for folder in options.rw]
    return options


def write_control(options, control):
    """The folder through which host and guest talk: settings, the command, and what comes back."""
    environment = {k: v for k, v in os.environ.items() if re.fullmatch(r'[A-Za-z_]\w*', k)}
    environment.update(pair.partition('=')[::2] for pair in options.env)
    environment['TRESTLE_VM'] = '1'
    words = ['env', '-i', *(f'{k}={v}' for k, v in environment.items())]
    if options.uid is not None:
        words += ['setpriv', f'--reuid={options.uid}', f'--regid={options.uid}', '--clear-groups']
    quoted = shlex.join(words + options.command)
    (control / 'command').write_text(f'cd {shlex.quote(os.getcwd())} || exit 125\nexec {quoted}\n')
    settings = {'WRITABLE': ' '.join(options.rw), 'SWAP': options.swap, 'CGROUP': options.cgroup.strip('/'),
                'RUN_AS': '' if options.uid is None else str(options.uid), 'DISK': options.disk,
                'SYSTEMD': '1' if options.systemd else ''}
    (control / 'settings').write_text(''.join(f'{k}={shlex.quote(v)}\n' for k, v in settings.items()))
    for name in ('run', 'systemd'):
        shutil.copy(kernel.GUEST / name, control)


def cpu_count(smp):
    first, *rest = smp.split(',')
    pairs = dict(part.split('=') for part in ([first] if '=' in first else []) + rest)
    count = 1
    for level in ('sockets', 'dies', 'clusters', 'cores', 'threads'):
        count *= int(pairs.get(level, 1))
    return int(first) if '=' not in first else int(pairs.get('cpus', count))


def numa_arguments(options):
    """Equal nodes on a line: distance 20 to the next, two more for each one further."""
    if len(options.numa) != 1 or not options.numa[0].isdigit():
        return [word for spec in options.numa for word in ('-numa', spec)]
    nodes, cpus = int(options.numa[0]), cpu_count(options.smp)
    if not 1 <= nodes <= min(cpus, options.mem // NODE_MEMORY_MIN):
        raise SystemExit(f'vm: {nodes} nodes do not fit {cpus} CPUs and {options.mem} MiB')
    words = []
    for i in range(nodes):
        size = options.mem // nodes + (options.mem % nodes if i == 0 else 0)
        first, last = i * cpus // nodes, (i + 1) * cpus // nodes - 1
        words += ['-object', f'memory-backend-ram,id=memory{i},size={size}M',
                  '-numa', f'node,nodeid={i},cpus={first}-{last},memdev=memory{i}']
    for a in range(nodes):
        for b in range(a + 1, nodes):
            words += ['-numa', f'dist,src={a},dst={b},val={18 + 2 * (b - a)}']
    return words


def qemu_command(options, boot, temporary, accelerator):
    # One thread for all CPUs: with more, tcg now and then crashes a kernel that patches its own code.
    # As GenuineIntel the emulated CPU shows dies and shared caches.
    kvm = accelerator == 'kvm'
    words = ['qemu-system-x86_64', '-nodefaults', '-no-user-config', '-no-reboot', '-display', 'none',
             '-M', 'q35,hpet=off,vmport=off', '-accel', 'kvm' if kvm else 'tcg,thread=single',
             '-cpu', 'host' if kvm else 'max,vendor=GenuineIntel', '-smp', options.smp, '-m', str(options.mem),
             '-kernel', f'{boot}/vmlinuz', '-initrd', f'{boot}/initramfs',
             '-append', 'console=ttyS0 quiet loglevel=4 panic=-1 cgroup_no_v1=all psi=1 random.trust_cpu=1 '
                        f'mitigations=off hugepages={options.hugepages} {options.append}',
             '-chardev', f'file,id=console,path={temporary}/console', '-serial', 'chardev:console',
             '-device', 'virtio-serial-pci', '-device', 'virtio-rng-pci']
    for name in ('stdout', 'stderr'):
        words += ['-chardev', f'socket,id={name},path={temporary}/{name}',
                  '-device', f'virtserialport,chardev={name},name={name}']
    shares = [('hostroot', '/,readonly=on'), ('control', f'{temporary}/control')]
    shares += [(f'writable{i}', folder) for i, folder in enumerate(options.rw)]
    for tag, path in shares:
        words += ['-fsdev', f'local,id={tag},path={path},security_model=none,multidevs=remap',
                  '-device', f'virtio-9p-pci,fsdev={tag},mount_tag={tag}']
    if options.disk:
        subprocess.run(['truncate', '-s', options.disk, temporary / 'disk'], check=True)
        words += ['-drive', f'file={temporary}/disk,if=virtio,format=raw,cache=unsafe']
    return words + numa_arguments(options)


def write_all(descriptor, data):
    while data:
        try:
            data = data[os.write(descriptor, data):]
        except BlockingIOError:
            select.select([], [descriptor], [])
        except BrokenPipeError:
            return


class Guest:
    """One boot. The process dies with us; the temporary folder goes with it."""

    def __init__(self, options, boot, accelerator):
        self.options = options
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='trestle-vm-'))
        self.control = self.folder / 'control'
        self.control.mkdir()
        write_control(options, self.control)
        self.listening, self.connected = {}, {}
        for name, descriptor in (('stdout', 1), ('stderr', 2)):
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(str(self.folder / name))
            listener.listen(1)
            self.listening[listener] = descriptor
        self.begin = time.monotonic()
        with open(self.folder / 'qemu', 'wb') as log:
            self.qemu = subprocess.Popen(
                qemu_command(options, boot, self.folder, accelerator), stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True,
                preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL))  # PR_SET_PDEATHSIG

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.qemu.kill()
        self.qemu.wait()
        for stream in (*self.listening, *self.connected):
            stream.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def has(self, name):
        return (self.control / name).exists()

    def forward(self, seconds):
        """Passes on what the command has printed; true when there was something."""
        ready, _, _ = select.select([*self.listening, *self.connected], [], [], seconds)
        for stream in ready:
            if stream in self.listening:
                self.connected[stream.accept()[0]] = self.listening.pop(stream)
                stream.close()
            elif data := stream.recv(1 << 16):
                write_all(self.connected[stream], data)
            else:
                del self.connected[stream]
                stream.close()
        return any(stream in self.connected for stream in ready)

    def run(self, boot_limit):
        """The command's status, TIME_LIMIT, GUEST_FAILED, or NO_VM when it did not come up."""
        started, ended = False, None
        while self.qemu.poll() is None and (ended is None or time.monotonic() < ended + 2):
            age = time.monotonic() - self.begin
            started = started or self.has('up')
            if not started and age > boot_limit:
                return NO_VM
            if age > self.options.timeout:
                break
            if ended is None and self.has('end'):
                ended = time.monotonic()  # do not wait for a slow power-off
            self.forward(0.02)
        while self.forward(0):
            pass
        if self.has('status'):
            return int((self.control / 'status').read_text())
        if self.qemu.poll() is None:
            return TIME_LIMIT
        return GUEST_FAILED if started or self.has('up') else NO_VM

    def last_words(self):
        for name in ('qemu', 'console'):
            path = self.folder / name
            yield path.read_bytes()[-2500:].decode(errors='replace') if path.exists() else ''


def accelerators():
    """What to try, in this order. A kvm that cannot run a stock kernel hangs: it gets 15 seconds."""
    forced = os.environ.get('TRESTLE_VM_ACCEL')
    if forced:
        return [(forced, None)]
    usable = os.access('/dev/kvm', os.R_OK | os.W_OK) and not os.path.exists('/sys/module/kvm_pvm')
    return ([('kvm', 15)] if usable else []) + [('tcg', None), ('tcg', None)]  # twice: see qemu_command


def main():
    options = arguments(sys.argv[1:])
    try:
        if options.systemd:
            kernel.check_systemd()
        boot = kernel.prepare(options.kernel)
    except kernel.NoVm as reason:
        print('vm:', reason, file=sys.stderr)
        return NO_VM
    if options.setup:
        print((boot / 'package').read_text().strip())
        return 0
    for accelerator, boot_limit in accelerators():
        with Guest(options, boot, accelerator) as guest:
            status = guest.run(boot_limit or options.boot_timeout)
            words = ''.join(guest.last_words())
        if status != NO_VM:
            break
    if status == TIME_LIMIT:
        print(f'vm: time limit of {options.timeout:g} s reached', file=sys.stderr)
    elif status in (NO_VM, GUEST_FAILED):
        print(words, file=sys.stderr)
        print('vm: the guest ' + ('did not come up' if status == NO_VM else 'ended without a result'),
              file=sys.stderr)
    return status


if __name__ == '__main__':
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
