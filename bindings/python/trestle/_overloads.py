# SPDX-License-Identifier: Apache-2.0
"""What is wrong with the arguments of a call, in two lines.

Where no signature of a function takes the arguments, nanobind lists all signatures in full and the
types of all arguments. `in_two_lines()` makes of that text which argument is wrong and what it may
be. The compiled part of the package (overloads.cpp) puts it into the exception.
"""

import re
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

__all__ = ["in_two_lines", "parameter_at"]

_MARK = "(): incompatible function arguments. The following argument types are supported:\n"
_PLAIN = ("int", "float", "bool", "str", "bytes", "NoneType")
_TAKES = {"int": ("int", "bool"), "float": ("float", "int", "bool"), "None": ("NoneType",)}


class _Parameter(NamedTuple):
    name: str
    kinds: Tuple[str, ...]
    """types that it accepts, as in stubs; empty: any"""
    has_default: bool


class _Fault(NamedTuple):
    at: int
    """how many arguments before it are right"""
    what: str
    expected: Tuple[str, ...] = ()


class _Call(NamedTuple):
    positional: List[str]
    """types"""
    named: Dict[str, str]


def in_two_lines(message: str) -> Optional[str]:
    """The text of nanobind's TypeError as two lines: the argument and the types that it accepts,
    then how the function is called. None for another text."""
    name, mark, rest = message.partition(_MARK)
    signatures, _, types = rest.partition("\nInvoked with types: ")
    forms = [_parameters_of(line) for line in re.findall(r"^    \d+\. .*?\((.*)\)(?: -> .*)?$",
                                                         signatures, re.M)]
    if not mark or not forms:
        return None
    call = _call_of(types)
    if forms[0][:1] == [_Parameter("self", (), False)]:
        owner = call.positional[0].rpartition(".")[2] if call.positional else ""
        name = owner if name == "__init__" else f"{owner}.{name}"
        forms = [form[1:] for form in forms]
        call = _Call(call.positional[1:], call.named)
    found = [_wrong(form, call) for form in forms]
    furthest = [one for one in found if one.at == max(one.at for one in found)]
    expected = dict.fromkeys(kind for one in furthest for kind in one.expected)
    wrong = furthest[0].what + (f"; expected {' or '.join(expected)}" if expected else "")
    calls = " or ".join(dict.fromkeys(f"{name}({', '.join(map(_shown, form))})" for form in forms))
    return f"{name}: {wrong}\n{calls}"


def parameter_at(function: Any, position: int) -> str:
    """The name of a positional argument of a function of nanobind; `self` counts."""
    for text, *_ in function.__nb_signature__:
        found = re.search(r"\((.*)\)(?: -> .*)?$", text, re.S)
        form = _parameters_of(found.group(1)) if found else []
        if position < len(form):
            return form[position].name
    return f"argument {position + 1}"


def _shown(one: _Parameter) -> str:
    return f"{one.name}=..." if one.has_default else one.name


def _split(text: str, separator: str) -> List[str]:
    """At a separator that stands in no brackets and no quotes."""
    parts, depth, quote, last = [], 0, "", 0
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([{<":
            depth += 1
        elif char in ")]}" or (char == ">" and text[at - 1] != "-"):
            depth -= 1
        elif char == separator and depth == 0:
            parts.append(text[last:at])
            last = at + 1
    parts.append(text[last:])
    return [part.strip() for part in parts if part.strip()]


def _parameters_of(text: str) -> List[_Parameter]:
    found = []
    for part in _split(text, ","):
        if part in ("/", "*"):
            continue
        declared = _split(part, "=")
        name, _, kinds = declared[0].partition(":")
        alternatives = tuple(dict.fromkeys(_split(kinds.strip(), "|")))
        found.append(_Parameter(name.strip(), alternatives, len(declared) > 1))
    return found


def _call_of(types: str) -> _Call:
    positional, named = [], {}
    for part in _split(types, ","):
        inner = re.fullmatch(r"kwargs = \{ (.*) \}", part)
        if inner:
            named = dict(one.split(": ", 1) for one in _split(inner.group(1), ","))
        else:
            positional.append(part)
    return _Call(positional, named)


def _wrong(form: List[_Parameter], call: _Call) -> _Fault:
    """What is wrong with the arguments, seen from one signature."""
    names = [one.name for one in form]
    given = dict(zip(names, call.positional))
    for right, one in enumerate(form):
        got = given.get(one.name, call.named.get(one.name))
        if got is None and not one.has_default and set(call.named) <= set(names):
            return _Fault(right, f"{one.name} is missing", _expected(one))
        if got is not None and not any(_accepts(kind, got) for kind in one.kinds or ("object",)):
            return _Fault(right, f"{one.name} is {_short(got)}", _expected(one))
    right = len(form)
    if len(call.positional) > len(form):
        count = len(call.positional)
        return _Fault(right, f"{count} argument{'s' * (count > 1)} given", (f"at most {len(form)}",))
    for name in call.named:
        if name not in names:
            return _Fault(right, f"no argument {name}", (", ".join(names) or "none",))
        if name in given:
            return _Fault(right, f"{name} is given twice", ("it once",))
    for one in form:
        if one.name in {**given, **call.named} and any(map(_is_iterable, one.kinds)):
            return _Fault(right, f"an element of {one.name} is of another type", _expected(one))
    return _Fault(right, "a value is out of range, or has an element of another type")


def _is_iterable(kind: str) -> bool:
    return kind.startswith("collections.abc.Iterable[")


def _accepts(kind: str, got: str) -> bool:
    """Whether an annotation takes a value of a type; true where that is not known."""
    outer = kind.partition("[")[0]
    if outer in ("object", "typing.Any", "Any") or kind == got or got in _TAKES.get(kind, ()):
        return True
    if outer == "collections.abc.Iterable":
        return got not in _PLAIN and not (got.startswith("trestle.") and not _has(got, "__iter__"))
    if outer == "collections.abc.Callable":
        return got not in _PLAIN and got not in ("list", "tuple", "dict", "set", "range") and (
            not got.startswith("trestle.") or _has(got, "__call__"))
    if outer in ("dict", "list", "tuple", "set", "range"):
        return got == outer
    if outer.startswith("numpy"):
        return got not in _PLAIN and not got.startswith("trestle.")
    mine, other = _class_of(outer), _class_of(got)
    return mine is not None and other is not None and issubclass(other, mine)


def _class_of(name: str) -> Optional[type]:
    module, _, rest = name.rpartition(".")
    found = getattr(sys.modules.get(module), rest, None)
    return found if isinstance(found, type) else None


def _has(name: str, method: str) -> bool:
    return hasattr(_class_of(name), method)


def _expected(one: _Parameter) -> Tuple[str, ...]:
    return tuple(map(_short, one.kinds)) or ("a value",)


_WORDS = {"NoneType": "None", "collections.abc.Iterable": "an iterable",
          "collections.abc.Callable": "a function"}


def _short(kind: str) -> str:
    """A type as a reader knows it: `an iterable of QueuedJob`, `Request`, `a function`."""
    outer, _, inner = kind.partition("[")
    if outer == "collections.abc.Iterable":
        return f"an iterable of {_short(inner[:-1])}"
    if outer.startswith("numpy"):
        return "a NumPy array"
    plain = _WORDS.get(outer, outer)
    return plain.removeprefix("trestle.").removeprefix("_svg.")
