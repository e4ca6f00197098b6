# SPDX-License-Identifier: Apache-2.0
"""Gets what a guest boots from: qemu, a stock Debian kernel, and an initramfs made of both.

Kernels are unpacked, never installed, and kept in a cache folder: TRESTLE_VM_CACHE, or
~/.cache/trestle-vm (about 20 MB each; the download is 100 MB).
"""
import fcntl
import glob
import lzma
import os
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile

SERIES = {'6.12': r'linux-image-6\.12\.[0-9.]+(\+deb\d+)?(-\d+)?-amd64', '6.1': r'linux-image-6\.1\.0-\d+-amd64'}
# In load order; each brings its own dependencies. Up to overlay they are needed to boot.
MODULES = ['virtio_pci', 'virtio_console', '9p', '9pnet_virtio', 'overlay', 'zram', 'virtio_blk']
# Folders of the kernel package in which those dependencies live.
MODULE_FOLDERS = ['drivers/virtio', 'drivers/char', 'drivers/block', 'net/9p', 'fs', 'mm', 'lib', 'crypto', 'arch/x86/crypto']
GUEST = pathlib.Path(__file__).parent / 'guest'


class NoVm(Exception):
    """There is no VM to be had here; the text says why."""


def cache_folder():
    default = pathlib.Path(os.environ.get('XDG_CACHE_HOME') or '~/.cache').expanduser() / 'trestle-vm'
    return pathlib.Path(os.environ.get('TRESTLE_VM_CACHE') or default)


def prepare(series):
    """The folder with vmlinuz and initramfs of a series: '6.12', '6.1', or 'newest' of the two."""
    cache = cache_folder()
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(cache / 'lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        install_programs()
        for candidate in SERIES if series == 'newest' else [series]:
            folder = cache / ('linux-' + candidate)
            if is_complete(folder) or unpack(candidate, folder):
                write_initramfs(folder)
                return folder
    raise NoVm(f'no Debian package for a kernel {series}')


def is_complete(folder):
    """True when it was unpacked with the MODULES of today."""
    made_for = folder / 'made-for'
    return made_for.exists() and made_for.read_text() == ' '.join(MODULES)


def apt(*arguments, **options):
    return subprocess.run(['apt-get', '-q', '-y', *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
                          stdout=subprocess.PIPE, text=True, env={**os.environ, 'DEBIAN_FRONTEND': 'noninteractive'},
                          **options)


def busybox():
    """The static one: it has to run where there is no libc."""
    for path in ('/bin/busybox', '/usr/bin/busybox'):
        if os.path.exists(path) and b'/lib64/ld-linux' not in pathlib.Path(path).read_bytes()[:4096]:
            return path
    return None


def install_programs():
    missing = [] if shutil.which('qemu-system-x86_64') else ['qemu-system-x86']
    missing += [] if busybox() else ['busybox-static']
    if not missing:
        return
    if not shutil.which('apt-get') or os.geteuid() != 0:
        raise NoVm('not installed: ' + ' '.join(missing))
    install = ['install', '--no-install-recommends', *missing]
    if apt(*install).returncode and (apt('update').returncode or apt(*install).returncode):
        raise NoVm('cannot install: ' + ' '.join(missing))


def newest_package(series):
    if not shutil.which('apt-cache'):
        return None
    listed = subprocess.run(['apt-cache', 'search', '--names-only', '^linux-image-' + re.escape(series)],
                            stdout=subprocess.PIPE, text=True).stdout
    names = [line.split()[0] for line in listed.splitlines() if line]
    return max((name for name in names if re.fullmatch(SERIES[series], name)), default=None,
               key=lambda name: [int(number) for number in re.findall(r'\d+', name)])


def download(series, folder):
    """Path of the .deb, or None. Lists go stale: a second try follows an update."""
    for attempt in range(2):
        package = newest_package(series)
        if package and apt('download', package, cwd=folder).returncode == 0:
            return next(pathlib.Path(folder).glob('*.deb'))
        if attempt == 0 and os.geteuid() == 0 and shutil.which('apt-get'):
            apt('update')
    return None


def unpack(series, target):
    """Takes the kernel and the modules out of Debian's package into `target`. False: no package."""
    with tempfile.TemporaryDirectory(dir=target.parent) as temporary:
        os.chmod(temporary, 0o755)  # apt drops its privileges to download
        package = download(series, temporary)
        if package is None:
            return False
        with subprocess.Popen(['dpkg-deb', '--fsys-tarfile', package], stdout=subprocess.PIPE) as tar:
            subprocess.run(['tar', '-x', '-C', temporary, '--wildcards', './boot/vmlinuz-*',
                            *(f'*/kernel/{folder}/*.ko*' for folder in MODULE_FOLDERS)],
                           stdin=tar.stdout, stderr=subprocess.DEVNULL)
        kernels = glob.glob(temporary + '/boot/vmlinuz-*')
        if not kernels:
            raise NoVm(f'no kernel in {package.name}')
        found = {module_name(path): path for path in pathlib.Path(temporary).rglob('*.ko*')}
        new = pathlib.Path(temporary, 'new')
        (new / 'modules').mkdir(parents=True)
        shutil.copy(kernels[0], new / 'vmlinuz')
        (new / 'modules/order').write_text('\n'.join(load_order(found, new / 'modules')) + '\n')
        (new / 'package').write_text(package.name + '\n')
        (new / 'made-for').write_text(' '.join(MODULES))
        if target.exists():
            os.rename(target, pathlib.Path(temporary, 'old'))
        os.rename(new, target)
    return True


def module_name(path):
    return path.name.split('.ko')[0].replace('-', '_')


def load_order(found, target):
    """Copies MODULES and what they depend on to `target`; their names, dependencies first.

    What is built into the kernel has no file and is left out."""
    order = []

    def visit(name):
        if name in order or name not in found:
            return
        data = found[name].read_bytes()
        data = lzma.decompress(data) if found[name].suffix == '.xz' else data
        hit = re.search(rb'\0depends=([^\0]*)\0', data)
        for dependency in hit[1].decode().split(',') if hit else ():
            visit(dependency.replace('-', '_'))
        (target / (name + '.ko')).write_bytes(data)
        order.append(name)
    for name in MODULES:
        visit(name)
    return order


def write_initramfs(folder):
    """busybox, the modules and guest/init; rewritten when one of them has changed."""
    def directory(name):
        return name, stat.S_IFDIR | 0o755, b'', (0, 0)

    def file(name, data, mode=0o644):
        return name, stat.S_IFREG | mode, data, (0, 0)
    entries = [directory(name) for name in ('bin', 'dev', 'proc', 'sys', 'mnt', 'modules')]
    entries += [('dev/console', stat.S_IFCHR | 0o600, b'', (5, 1)), ('dev/null', stat.S_IFCHR | 0o666, b'', (1, 3)),
                file('bin/busybox', pathlib.Path(busybox()).read_bytes(), 0o755),
                file('init', (GUEST / 'init').read_bytes(), 0o755)]
    entries += [file('modules/' + path.name, path.read_bytes()) for path in sorted((folder / 'modules').iterdir())]
    image, archive = folder / 'initramfs', cpio(entries)
    if not image.exists() or image.read_bytes() != archive:
        new = folder / 'initramfs.new'
        new.write_bytes(archive)
        os.rename(new, image)


def cpio(entries):
    """A newc archive of (name, mode, data, (major, minor))."""
    out = bytearray()
    for inode, (name, mode, data, device) in enumerate([*entries, ('TRAILER!!!', 0, b'', (0, 0))], 1):
        zeroed = name.encode() + b'\0'
        numbers = (inode, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(zeroed), 0)
        for part in (b'070701' + b''.join(b'%08X' % n for n in numbers) + zeroed, data):
            out += part
            out += b'\0' * (-len(out) % 4)
    return bytes(out)
