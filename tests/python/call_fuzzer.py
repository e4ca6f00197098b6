# SPDX-License-Identifier: Apache-2.0
"""Calls the functions and methods of the package with values made for their signatures.

    python call_fuzzer.py [--calls N] [--seed K] [--only TEXT] [--replay SEED]

An episode is a few hundred calls in a process of its own, whose results are arguments of the calls that
follow. A call may raise. It may not end the process, take longer than SECONDS_OF_CALL or raise SystemError.
Each such call is printed with the seed of its episode, and `--replay SEED` prints the calls of that episode.
The same seed makes the same calls. trestle.os acts on the machine and is left out.
"""

import argparse
import ast
import builtins
import collections
import collections.abc
import enum
import faulthandler
import inspect
import json
import mmap
import os
import random
import re
import resource
import signal
import sys
import types
import typing

import trestle

MODULES = (trestle, trestle.slurm, trestle.dstack, trestle.container, trestle.translate,
           trestle.prometheus, trestle.svg, trestle.testing)
CALLS_OF_EPISODE = 400
SECONDS_OF_CALL = 10  # of the processor, so that a busy machine changes nothing
MEMORY = 6 << 30
NUMBERS = (0, 1, 2, 3, 4, 7, 8, 63, 64, 65, 255, 1000, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62,
           2**63 - 1, 2**63, 2**64 - 1, 2**64, -1, -2**31, -2**63)
TEXTS = ("", "gpu", "a100", "n0", "n1", "n[0-3]", "0-3", "0-3,8", "gpu:2", "gpu:a100:2", "64G", "1:00:00", "cpu",
         "1g.10gb", "--gres=gpu:2 -n 4", "-N 2 --exclusive", "socket", "license:matlab", "\n", "\0", "é", "'",
         "[", "{}", "[]", "null", "x" * 300, "-1", "1e999", "NodeName=n[0-3] CPUs=8 RealMemory=1000",
         "type: task\ncommands: [x]\nresources: {gpu: 2}\n", "%d", "18446744073709551616", "24GB..", "1..2")
SLURM_CONF = """NodeName=n[0-3] Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=64000 Gres=gpu:a100:4
NodeName=m[0-1] CPUs=4 RealMemory=8000 Weight=5
PartitionName=p Nodes=ALL Default=YES
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
"""
GRES_CONF = "NodeName=n[0-3] Name=gpu Type=a100 File=/dev/nvidia[0-3] Cores=0-3\n"


class Unmakeable(Exception):
    """No value of a type is known yet."""


class Call(typing.NamedTuple):
    """A function, or a method with `self` among the parameters."""

    name: str
    function: object
    parameters: list  # of (name, type expression, whether it may be left out)
    result: object


def classes_of(scope, seen):
    for value in vars(scope).values():
        if inspect.isclass(value) and value.__module__.startswith("trestle") and value not in seen:
            if not value.__name__.startswith("_") and not issubclass(value, BaseException):
                seen.append(value)
                classes_of(value, seen)
    return seen


def all_classes():
    seen = []
    for module in MODULES:
        classes_of(module, seen)
    return [kind for kind in seen if not kind.__module__.startswith("trestle.os")]


def annotation(node, names):
    try:
        return eval(compile(ast.Expression(node), "annotation", "eval"), names)  # noqa: S307
    except (NameError, AttributeError, TypeError):
        return object


def call_of(name, function, owner, names):
    """From the first signature that nanobind noted; None where there is none."""
    signature = getattr(function, "__nb_signature__", None)
    if not signature:
        return None
    text = re.sub(r"\\\d+", "...", signature[0][0])  # a default is kept apart, by its number
    try:
        defined = ast.parse(text + ": ...").body[0]
    except SyntaxError:
        return None
    arguments = defined.args
    every = arguments.posonlyargs + arguments.args
    optional = len(arguments.defaults)
    parameters = []
    for i, one in enumerate(every):
        kind = owner if i == 0 and one.arg == "self" else object
        if one.annotation is not None:
            kind = annotation(one.annotation, names)
        parameters.append((one.arg, kind, i >= len(every) - optional))
    result = annotation(defined.returns, names) if defined.returns is not None else object
    return Call(name, function, parameters, result)


def all_calls(classes):
    names = {"trestle": trestle, "collections": collections, "typing": typing, "Any": typing.Any,
             **vars(builtins), **{kind.__name__: kind for kind in classes}}
    calls = []
    for module in MODULES:
        for name, function in vars(module).items():
            if not name.startswith("_") and type(function).__name__ == "nb_func":
                calls.append(call_of(f"{module.__name__}.{name}", function, None, names))
    for kind in classes:
        for name, function in vars(kind).items():
            full = f"{kind.__module__}.{kind.__qualname__}.{name}"
            if name == "__init__":
                made = call_of(full, function, kind, names)
                if made is not None:
                    made = made._replace(function=kind, parameters=made.parameters[1:], result=kind)
                calls.append(made)
            elif name in ("__setstate__", "__reduce__", "__iter__", "__reversed__"):
                continue  # pickle calls the first two; the others walk over as many members as a set has
            elif type(function).__name__ in ("nb_func", "nb_method"):
                calls.append(call_of(full, function, kind, names))
    return [call for call in calls if call is not None]


class Values:
    """Makes values of types; keeps what calls gave back."""

    def __init__(self, rng, makers, begin):
        self.rng = rng
        self.begin = begin  # is told of each call before it is made
        self.makers = makers
        self.pool = collections.defaultdict(list)
        self.depth = 0

    def keep(self, value):
        if isinstance(value, (tuple, list)):
            for one in value[:4]:
                self.keep(one)
        elif type(value) in self.makers:
            kept = self.pool[type(value)]
            kept.append(value)
            if len(kept) > 12:
                del kept[self.rng.randrange(len(kept))]

    def number(self):
        if self.rng.random() < 0.6:
            return self.rng.randrange(6)
        return self.rng.choice(NUMBERS)

    def text(self, name=""):
        if name in ("slurm_conf", "conf") and self.rng.random() < 0.8:
            return self.spoiled(SLURM_CONF)
        if name == "gres_conf" and self.rng.random() < 0.8:
            return self.spoiled(GRES_CONF)
        return self.rng.choice(TEXTS)

    def spoiled(self, text):
        if self.rng.random() < 0.5:
            return text
        i = self.rng.randrange(len(text))
        kind = self.rng.randrange(3)
        if kind == 0:
            return text[:i] + text[i + self.rng.randrange(1, 5):]
        if kind == 1:
            return text[:i] + str(self.number()) + text[i:]
        return text[:i] + self.rng.choice(TEXTS) + text[i:]

    def spoiled_json(self, value):
        """A document like `value` with one part replaced, dropped or repeated."""
        if self.rng.random() < 0.25 or not isinstance(value, (dict, list)) or not value:
            if isinstance(value, bool) or value is None:
                return self.rng.choice((True, False, None, 0))
            if isinstance(value, int):
                return self.number()
            if isinstance(value, str):
                return self.rng.choice(("", value + "9", "0-9", "4294967294", self.text()))
            return self.rng.choice(({}, [], [{}], 0))
        value = value.copy()
        key = self.rng.choice(list(value)) if isinstance(value, dict) else self.rng.randrange(len(value))
        if self.rng.random() < 0.2:
            del value[key]
        elif isinstance(value, list) and self.rng.random() < 0.3:
            value.append(value[key])
        else:
            value[key] = self.spoiled_json(value[key])
        return value

    def document(self, kind):
        """JSON of a value of `kind`, mostly spoiled."""
        text = self.make(kind).to_json()
        for _ in range(self.rng.randrange(3)):
            text = json.dumps(self.spoiled_json(json.loads(text)))
        return text

    def make(self, kind, name=""):
        self.depth += 1
        try:
            return self.made(kind, name)
        finally:
            self.depth -= 1

    def made(self, kind, name):
        rng = self.rng
        if self.depth > 12:
            raise Unmakeable(kind)
        origin, inner = typing.get_origin(kind), typing.get_args(kind)
        if kind is None or kind is type(None):
            return None
        if kind in (object, typing.Any):
            return rng.choice((self.number(), self.text(), None, 0.5, {}, []))
        if origin in (typing.Union, types.UnionType):
            return self.make(rng.choice(inner), name)
        if origin is typing.Literal:
            return rng.choice(inner)
        if origin is tuple and inner[1:] != (...,):
            return tuple(self.make(one) for one in inner)
        if origin in (tuple, list, collections.abc.Iterable, collections.abc.Sequence):
            return [self.make(inner[0], name) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
        if origin in (dict, collections.abc.Mapping):
            return {self.make(inner[0]): self.make(inner[1]) for _ in range(rng.randrange(3))}
        if origin is collections.abc.Callable or kind is collections.abc.Callable:
            return self.function(inner)
        if origin is trestle.Range or kind is trestle.Range:
            bounds = [self.make(inner[0]) if inner else self.number() for _ in range(2)]
            return trestle.Range(*bounds)
        if kind is range:
            return range(*sorted(self.number() for _ in range(2)))
        if kind is bool:
            return rng.random() < 0.5
        if kind is int:
            return self.number()
        if kind is float:
            return rng.choice((0.0, 1.0, -1.0, 0.5, 1e300, float("inf"), float("nan")))
        if kind is str:
            return self.text(name)
        if kind is bytes:
            return self.content()
        if inspect.isclass(kind) and issubclass(kind, enum.Enum):
            return rng.choice(list(kind))
        if kind in self.makers:
            return self.instance(kind)
        raise Unmakeable(kind)

    def function(self, inner):
        result = inner[-1] if inner else object

        def called(*arguments):
            for one in arguments:
                self.keep(one)
            if self.rng.random() < 0.1:
                raise ValueError("raised by a callback")
            return self.make(result)
        return called

    def content(self):
        kind = self.rng.choice((trestle.Cluster, trestle.Timeline))
        bytes_ = bytearray(self.instance(kind).to_bytes())
        for _ in range(self.rng.choice((0, 0, 1, 2))):
            if bytes_:
                bytes_[self.rng.randrange(len(bytes_))] = self.rng.randrange(256)
        return bytes(bytes_[: self.rng.choice((len(bytes_), len(bytes_), self.rng.randrange(99)))])

    def instance(self, kind):
        """One that a call gave, one of those with a field changed, or a new one."""
        kept = self.pool[kind]
        dice = self.rng.random()
        if kept and dice < 0.6 or kept and self.depth > 8:
            return self.rng.choice(kept)
        if kept and dice < 0.75 and hasattr(kind, "replace"):
            return self.changed(self.rng.choice(kept))
        makers = self.makers[kind]
        if not makers:
            raise Unmakeable(kind)
        maker = self.rng.choice(makers[:1] * 3 + makers)
        arguments = self.arguments(maker)
        self.begin(maker, arguments)
        made = maker.function(*arguments)
        if type(made) is not kind:
            raise Unmakeable(kind)
        self.keep(made)
        return made

    def changed(self, value):
        call = next(one for one in self.makers[type(value)] if one.function is type(value))
        if not call.parameters:
            return value
        name, kind, _ = self.rng.choice(call.parameters)
        new = self.make(kind, name)
        self.begin(call, [value, name, new])
        return value.replace(**{name: new})

    def arguments(self, call):
        given = []
        is_json = call.name.endswith(".from_json")
        for name, kind, may_miss in call.parameters:
            if may_miss and self.rng.random() < (0.5 if self.depth < 3 else 0.8):
                break
            if is_json and self.rng.random() < 0.95:
                given.append(self.document(call.result))
            else:
                given.append(self.make(kind, name))
        return given


def first_values(values):
    """What most calls need and chance would make seldom."""
    controller = trestle.slurm.Controller(SLURM_CONF, GRES_CONF)
    cluster = controller.cluster()
    values.keep(controller)
    values.keep(cluster)
    for node in range(3):
        values.keep(cluster.node(node))
        values.keep(cluster.node(node).shape)
        values.keep(cluster.ledger(node))
        values.keep(cluster.free(node))
    for options in ("--gres=gpu:2 -n 4", "-N 2 -n 6 --mem=1G", "-n 1"):
        decision = controller.submit(options)
        values.keep(decision)
    for request in (trestle.Request(tasks=2), trestle.Request(nodes=2, tasks=4)):
        values.keep(request)
        placement = trestle.place(cluster, request)
        values.keep(placement)
        for one in placement.nodes:
            values.keep(one)
    values.keep(trestle.Timeline(cluster))


def parted(calls):
    """The calls with work of their own, and those that every value has."""
    ordinary = [call for call in calls if is_of_every_value(call)]
    return [call for call in calls if not is_of_every_value(call)] or ordinary, ordinary


def is_of_every_value(call):
    name = call.name.rpartition(".")[2]
    return name.startswith("__") or name == "replace"


def episode(seed, classes, calls, begin):
    rng = random.Random(seed)
    makers = {kind: [] for kind in classes}
    for call in calls:
        if call.result in makers and (call.function is call.result or "." in call.name):
            makers[call.result].append(call)
    for made in makers.values():
        made.sort(key=lambda call: call.function not in classes)
    values = Values(rng, makers, begin)
    first_values(values)
    raised = collections.Counter()
    own, of_every_value = parted(calls)
    for _ in range(CALLS_OF_EPISODE):
        call = rng.choice(own if rng.random() < 0.9 or not of_every_value else of_every_value)
        signal.setitimer(signal.ITIMER_PROF, SECONDS_OF_CALL)
        try:
            arguments = values.arguments(call)
        except Exception:  # noqa: BLE001: no argument, no call
            raised["no argument"] += 1
            continue
        begin(call, arguments)
        signal.setitimer(signal.ITIMER_PROF, SECONDS_OF_CALL)
        try:
            values.keep(call.function(*arguments))
        except SystemError:
            raise
        except Exception as error:  # noqa: BLE001: any other is an answer
            raised[type(error).__name__] += 1
        signal.setitimer(signal.ITIMER_PROF, 0)
    if raised["no argument"] == CALLS_OF_EPISODE:
        raise RuntimeError("no argument could be made for any call")
    return raised


def show(call, arguments):
    print(call.name, *(shown(one) for one in arguments), flush=True)


def shown(value):
    text = repr(value)
    return text if len(text) < 2000 else text[:2000] + "…"


class Board:
    """What a process that ended was doing, in memory that its parent sees."""

    def __init__(self):
        self.memory = mmap.mmap(-1, 4096)

    def begin(self, call, _):
        self.memory[:256] = call.name.encode()[:255].ljust(256, b"\0")

    def read(self):
        return self.memory[:256].rstrip(b"\0").decode()


def run_episode(seed, classes, calls, board):
    """None, or how the process ended."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 2)
        result = 1
        try:
            episode(seed, classes, calls, board.begin)
            result = 0
        finally:
            os._exit(result)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        return None if os.WEXITSTATUS(status) == 0 else f"another error in {board.read()}"
    name = signal.Signals(os.WTERMSIG(status)).name
    return f"{'no end' if name == 'SIGPROF' else name} in {board.read()}"


def fuzz(calls_wanted, seed, classes, calls):
    """Prints what went wrong; the number of kinds of it."""
    board = Board()
    made, found = 0, {}
    while made < calls_wanted:
        end = run_episode(seed, classes, calls, board)
        if end is not None and end not in found:
            found[end] = seed
            print(f"{end} (--replay {seed})", flush=True)
        made += CALLS_OF_EPISODE
        seed += 1
    print(f"{made} calls of {len(calls)} functions, {len(found)} kinds of failure")
    return len(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--calls", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="calls whose full name has this text")
    parser.add_argument("--replay", type=int, help="run this episode alone and print its calls")
    asked = parser.parse_args()
    classes = all_classes()
    calls = [call for call in all_calls(classes) if asked.only in call.name]
    if asked.replay is not None:
        faulthandler.enable()
        print(episode(asked.replay, classes, calls, show))
        return 0
    return 1 if fuzz(asked.calls, asked.seed, classes, calls) else 0


if __name__ == "__main__":
    sys.exit(main())
