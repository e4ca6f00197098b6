# SPDX-License-Identifier: Apache-2.0
"""A batch script of Slurm as a task of dstack, a task as a batch script, and what is lost."""

import pathlib
from collections.abc import Iterable

from trestle import dstack, slurm, translate

EXAMPLES = pathlib.Path(__file__).parent


def show(name: str, text: str, losses: Iterable[translate.Loss]) -> None:
    print(f"== examples/{name}\n{text}", end="")
    for loss in losses:
        print(f"# {loss}")


script = slurm.parse_batch_script((EXAMPLES / "train.sh").read_text())
task = translate.to_dstack(script)
show("train.sh", str(task.value), task.losses)

run = dstack.parse_configuration((EXAMPLES / "train.dstack.yml").read_text()).run
assert run is not None
back = translate.to_slurm(run)
show("train.dstack.yml", slurm.script_text(back.value), back.losses)
