# SPDX-License-Identifier: Apache-2.0
"""Traces and descriptions of clusters that others publish, as values.

Each loader looks at the whole file: BadRows has all bad rows, with the numbers of their lines.

    openb     nodes and pods of "Beware of Fragmentation" (CSV)
    swf       logs of the Parallel Workloads Archive, 18 fields a job and up to three more; also
              written
    lublin    logs drawn from a model, with a seed
    machines  hwloc XML, Slurm configuration, dstack catalogs
    gpu_jobs  accounting of Slurm, and the traces Philly, Helios, Alibaba, Acme and Batsim
    nvidia    machines from what nvidia-smi and NCCL print
    orders    in which order jobs arrive
"""

from . import gpu_jobs as gpu_jobs
from . import lublin as lublin
from . import machines as machines
from . import nvidia as nvidia
from . import openb as openb
from . import orders as orders
from . import swf as swf
from .orders import Order as Order
from .rows import BadRow as BadRow
from .rows import BadRows as BadRows

__all__ = [
    "BadRow", "BadRows", "Order", "gpu_jobs", "lublin", "machines", "nvidia", "openb", "orders",
    "swf",
]
