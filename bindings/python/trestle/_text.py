# SPDX-License-Identifier: Apache-2.0
"""Requests and nodes from one line of text."""

import shlex

import trestle


def request(text: str) -> "trestle.Request":
    """The request of options of sbatch, as in `request("--gres=gpu:1 -c 4")`.

    It is trestle.slurm.parse_options(words).request, of words split as a shell splits them. Options
    that say nothing about resources, as --job-name, are read and have no effect.
    Errors: ValueError in one line that names the option, its position and what was expected; for a
    word that is no option too. TypeError for what is no text.
    """
    _check_is_text("request", text, '"--gres=gpu:1 -c 4"')
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"request: {text!r}: {str(error).lower()}; expected closed quotes") from None
    try:
        parsed = trestle.slurm.parse_options(words)
    except ValueError as error:
        raise ValueError(f"request: {error}") from None
    if parsed.command:
        at = len(words) - len(parsed.command) + 1
        raise ValueError(f'request: argument {at}: "{parsed.command[0]}": expected an option, as'
                         " --gres=gpu:1")
    return parsed.request


def node(text: str, name: str = "n0") -> "trestle.Node":
    """A node from one line, as `node("2s16c2t mem=512G gpu:a100:4")`: two packages of sixteen cores
    of two threads, memory, four GPUs. The same text stands in Cluster.from_text("8 x (...)").

    make_node() describes everything else, as links between devices.
    Errors: ValueError in one line with the offset and what was expected; TypeError for what is no
    text.
    """
    _check_is_text("node", text, '"2s16c2t gpu:a100:4"')
    _check_is_text("node: name", name, '"n0"')
    return trestle.testing.node_from_text(text).replace(name=name)


def _check_is_text(what: str, text: object, example: str) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{what}: {type(text).__name__}; expected a text, as {example}")
