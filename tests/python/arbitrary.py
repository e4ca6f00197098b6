# SPDX-License-Identifier: Apache-2.0
"""Any value of any type of the package, field by field; the same for the same random state."""

import enum
import types
import typing

import trestle

TEXTS = ("", "gpu", "a100", "1g.10gb", " ", "'", '"', "\\", "\n", "é", "0")
EXPRESSIONS = ("-devices_after", "1 if is_idle else log(memory_after)", "max(each_device_before) / 2e3")
SETS = (trestle.CoreSet, trestle.PuSet, trestle.DeviceSet, trestle.DomainSet, trestle.SmallSet,
        trestle.NodeSet, trestle.IndexSet, trestle.BlockSet)


# What check() has rules for: constructors or from_json refuse other values of these.
RULED = (trestle.NodeShape, trestle.Slicing, trestle.Request, trestle.Network, trestle.Partition,
         trestle.LimitPolicy, trestle.Plan, trestle.Credential, trestle.Instance)


def accepted(kind, fields):
    """With those of the fields that check() accepts, one after the other."""
    made = kind()
    for name, value in fields.items():
        try:
            changed = made.replace(**{name: value})
            kind.from_json(changed.to_json())
        except ValueError:
            continue
        made = changed
    return made


def type_of(struct, name):
    """The type of an attribute, from its signature."""
    signature = getattr(struct, name).fget.__nb_signature__[0][0]
    return eval(signature.split(" -> ")[1], {"trestle": trestle})


def arbitrary(kind, random, most=2**31 - 1):
    """A value of `kind`, which is a type expression as they stand in stubs."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind == trestle.Policy | str:
        return random.choice((*trestle.Policy, *EXPRESSIONS))
    if origin in (typing.Union, types.UnionType):
        if type(None) not in inner:
            return arbitrary(random.choice(inner), random)
        return None if random.random() < 0.5 else arbitrary(inner[0], random)
    if origin is tuple and inner[1:] == (...,):
        return tuple(arbitrary(inner[0], random) for _ in range(random.choice((0, 0, 1, 2))))
    if origin is tuple:
        return tuple(arbitrary(element, random) for element in inner)
    if origin is trestle.Range:
        return trestle.Range(*(arbitrary(inner[0], random) if random.random() < 0.5 else None
                               for _ in range(2)))
    if kind is range:
        return range(*sorted(random.randrange(1000) for _ in range(2)))
    if kind is bool:
        return random.random() < 0.5
    if kind is int:
        return random.choice((0, 1, 7, most, random.randrange(most)))
    if kind is float:
        return random.choice((0.0, -0.25, 1e-9, random.random()))
    if kind is str:
        return random.choice(TEXTS) + random.choice(TEXTS)
    if issubclass(kind, enum.Enum):
        return random.choice(list(kind))
    if kind in SETS:
        return kind(random.randrange(300) for _ in range(random.randrange(4)))
    if kind is trestle.FeatureExpression:
        made = kind()
        for _ in range(random.randrange(5)):
            one = trestle.feature(random.choice(TEXTS))
            one = ~one if random.random() < 0.3 else one
            made = made & one if made.is_empty() or random.random() < 0.5 else ~(made | one)
        return made
    if kind is trestle.slurm.Hostlist:
        return kind(random.choice(("", "n1", "n[01-04],login", "r[1-2]n[1-3]")))
    if kind is trestle.EnvironmentValue:
        return random.choice((kind, kind.shown))(random.choice(TEXTS))
    names = [name for name in kind.__match_args__ if random.random() < 0.6]
    most = 127 if kind is trestle.BpfInstruction else most  # its fields have 8 bits
    fields = {name: arbitrary(type_of(kind, name), random, most) for name in names}
    if kind in (trestle.QueuedJob, trestle.JobOrder):  # their requests are prepared: only valid ones go in
        fields["request"] = trestle.Request(cpus_per_task=random.randrange(1, 9), partition=random.choice(("", "gpu")),
                                            time_limit=random.choice((None, 60, 7200)))
    if kind is trestle.Instance:
        fields["name"] = "host"  # the one field that has to be there
    made = accepted(kind, fields) if kind in RULED else kind(**fields)
    # These are objects in JSON: each name stands once, that of a resource has a domain.
    if kind is trestle.container.ResourceAmounts:
        return made.replace(extended=[one.replace(name=f"{i}/{one.name}")
                                      for i, one in enumerate(made.extended)])
    if kind is trestle.container.OciUnified:
        return made.replace(files=[one.replace(file=f"{i}{one.file}")
                                   for i, one in enumerate(made.files)])
    return made
