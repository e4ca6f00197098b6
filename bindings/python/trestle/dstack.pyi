"""dstack: `resources:` and price lists."""

from collections.abc import Iterable

import trestle


class CpuSpec:
    """`cpu:` of dstack, as `arm:4..8`."""

    def __init__(self, architecture: trestle.Architecture | None = None, count: int | trestle.Range[int] = trestle.Range(min=2)) -> None: ...

    @property
    def architecture(self) -> trestle.Architecture | None:
        """absent: any; x86 or arm (Architecture, or None)"""

    @property
    def count(self) -> trestle.Range[int]:
        """a Range of: int, a count"""

    def replace(self, *, architecture: trestle.Architecture | None = ..., count: int | trestle.Range[int] = ...) -> CpuSpec:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> CpuSpec: ...

    def __deepcopy__(self, memo: object) -> CpuSpec: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class GpuSpec:
    """`gpu:` of dstack, as `A100:80GB:4..8`."""

    def __init__(self, vendor: str = '', names: Iterable[str] = (), count: int | trestle.Range[int] = trestle.Range(min=1), memory: int | trestle.Range[int] = trestle.Range(), total_memory: int | trestle.Range[int] = trestle.Range(), compute_capability: trestle.Version | trestle.Range[trestle.Version] = trestle.Range()) -> None: ...

    @property
    def vendor(self) -> str:
        """nvidia, amd, google, intel, tenstorrent; empty: any (str)"""

    @property
    def names(self) -> tuple[str, ...]:
        """any of these; empty: any (each: str)"""

    @property
    def count(self) -> trestle.Range[int]:
        """a Range of: int, a count"""

    @property
    def memory(self) -> trestle.Range[int]:
        """of each (a Range of: int, bytes)"""

    @property
    def total_memory(self) -> trestle.Range[int]:
        """of all together; no short form (a Range of: int, bytes)"""

    @property
    def compute_capability(self) -> trestle.Range[trestle.Version]:
        """no short form (a Range of: Version)"""

    def replace(self, *, vendor: str = ..., names: Iterable[str] = ..., count: int | trestle.Range[int] = ..., memory: int | trestle.Range[int] = ..., total_memory: int | trestle.Range[int] = ..., compute_capability: trestle.Version | trestle.Range[trestle.Version] = ...) -> GpuSpec:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> GpuSpec: ...

    def __deepcopy__(self, memo: object) -> GpuSpec: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

class Resources:
    """`resources:` of dstack; what is left out has dstack's default."""

    def __init__(self, cpu: CpuSpec = CpuSpec(), memory: int | trestle.Range[int] = trestle.Range(min=8589934592), gpu: GpuSpec | None = GpuSpec(count=trestle.Range(min=0)), disk: int | trestle.Range[int] | None = trestle.Range(min=107374182400), shm_size: int | None = None) -> None: ...

    @property
    def cpu(self) -> CpuSpec:
        """CpuSpec"""

    @property
    def memory(self) -> trestle.Range[int]:
        """a Range of: int, bytes"""

    @property
    def gpu(self) -> GpuSpec | None:
        """GpuSpec, or None"""

    @property
    def disk(self) -> trestle.Range[int] | None:
        """a Range of: int, bytes, or None"""

    @property
    def shm_size(self) -> int | None:
        """int, bytes, or None"""

    def replace(self, *, cpu: CpuSpec = ..., memory: int | trestle.Range[int] = ..., gpu: GpuSpec | None = ..., disk: int | trestle.Range[int] | None = ..., shm_size: int | None = ...) -> Resources:
        """A copy with the named fields changed."""

    __replace__ = replace

    def __copy__(self) -> Resources: ...

    def __deepcopy__(self, memo: object) -> Resources: ...

    def __reduce__(self) -> tuple[object, tuple[object, ...]]: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...

    def __repr__(self) -> str: ...

def parse_cpu(text: str) -> CpuSpec:
    """
    `[arch:]count` in any order, either part alone. Errors: an empty part, a part given twice, an
    architecture that is none, a count that is no range.
    """

def parse_gpu(text: str) -> GpuSpec:
    """
    Reads the short form. The vendors tpu and tt are google and tenstorrent; a `tpu-` before a name
    is taken off. Errors: an empty part, a kind of part given twice, a part that its rule refuses.
    """

def parse_memory(text: str) -> int:
    """
    A decimal number (`8`, `.5`, `1e3`, `1_000`) and MB, GB (default) or TB in any case.
    Errors: no number, a sign below zero, another unit, part of a byte, 2^63 bytes or more.
    """

def memory_text(memory: int) -> str:
    """
    `32GB`, `512MB`, `0.5MB`: exact, in whole GB or else in MB. parse_memory reads it back.
    """

def parse_memory_range(text: str) -> trestle.Range[int]:
    """
    `a..b`, `a..`, `..b` or `a`, both ends included. Errors: no end at all, ends that go down, an
    end that is no size.
    """

def parse_count_range(text: str) -> trestle.Range[int]:
    """The same of whole numbers (`8`, `1_000`, `4.0`)."""

def parse_version_range(text: str) -> trestle.Range[trestle.Version]:
    """
    The same of versions with two parts: `8.0..9.0`. `8.10` is the tenth after `8.0`, whatever a
    reader of decimal numbers would make of it.
    """

def parse_resources(yaml: str) -> Resources:
    """
    Reads YAML: a mapping with the keys cpu, memory, gpu, disk, shm_size, or one whose only key is
    `resources` with such a mapping. Values are texts or mappings: `{min, max}` for a range,
    `{arch, count}` for cpu, `{size}` for disk, and the fields of GpuSpec (with `name` a text or a
    list) for gpu. gpu, disk and shm_size may be null.
    Errors: InvalidArgument with line and column, and the offset inside the text there: broken YAML,
    an unknown or repeated key, a boolean, a value that its grammar refuses, more than 64 KiB, more
    than 64 levels.
    """

def to_request(resources: Resources) -> trestle.Request:
    """
    What it asks of one node, for one task. A gpu of `0..` without any wish asks for no device.
    """

def parse_offers_csv(text: str) -> tuple[trestle.Offer, ...]:
    """
    Reads offers in the order of the text. The first line names the columns, in any order, all of
    them once: backend, region, instance, cpus, memory, disk, gpu_count, gpu_name, gpu_memory,
    gpu_vendor, price, spot. Sizes are written as parse_memory wants them; disk may be empty
    (unknown); the three gpu cells are empty when gpu_count is 0; price is in dollars an hour with
    at most six decimals; spot is true or false. Blank lines and lines that start with `#` are
    skipped. Errors: InvalidArgument with line, column and what was expected.
    """
