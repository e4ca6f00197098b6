# SPDX-License-Identifier: Apache-2.0
"""A policy written as one expression over the columns, as searches make them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Dict, List

import trestle

from .. import _optional

__all__ = ["COLUMNS", "expression"]

COLUMNS = ("milli_cpus_before", "milli_cpus_after", "memory_before", "memory_after",
           "devices_before", "devices_after", "each_device_before", "each_device_after", "is_idle")
_TABLES = ("each_device_before", "each_device_after")
_OVER = ("min", "max", "sum")
_OF_ONE = ("abs", "sqrt", "exp", "log", "floor")
_NUMPY = {"and": "logical_and", "or": "logical_or", "min": "minimum", "max": "maximum",
          "sum": "add"}
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_LENGTH_MAX = 10_000
_DEPTH_MAX = 100


class _Reader:
    """Checks an expression and rewrites it for NumPy."""

    def fail(self, node: ast.expr, expected: str) -> ValueError:
        return ValueError(f'expression: "{ast.unparse(node)}", column {node.col_offset + 1};'
                          f" expected {expected}")

    def read(self, node: ast.expr, depth: int = 0) -> ast.expr:
        """The same over columns. Errors: ValueError with the part and its column."""
        if depth > _DEPTH_MAX:
            raise self.fail(node, f"at most {_DEPTH_MAX} levels")
        inner: Callable[[ast.expr], ast.expr] = lambda one: self.read(one, depth + 1)  # noqa: E731
        if isinstance(node, ast.Constant) and isinstance(
                node.value, (int, float)) and not isinstance(node.value, bool):
            return ast.Constant(float(node.value))
        if isinstance(node, ast.Name):
            if node.id in _TABLES:
                raise self.fail(node, "a table inside of min, max or sum")
            if node.id not in COLUMNS:
                raise self.fail(node, f"one of {', '.join(COLUMNS)}")
            return ast.Name(node.id, ast.Load())
        if isinstance(node, ast.BinOp) and isinstance(node.op, _ARITHMETIC):
            return ast.BinOp(inner(node.left), node.op, inner(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            return ast.UnaryOp(node.op, inner(node.operand))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return _call("logical_not", [inner(node.operand)])
        if isinstance(node, ast.BoolOp):
            name = "and" if isinstance(node.op, ast.And) else "or"
            return _folded(_NUMPY[name], [inner(one) for one in node.values])
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(
                node.ops[0], _COMPARISONS):
            return ast.Compare(inner(node.left), node.ops, [inner(node.comparators[0])])
        if isinstance(node, ast.IfExp):
            return _call("where", [inner(node.test), inner(node.body), inner(node.orelse)])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            return self._function(node, node.func.id, inner)
        raise self.fail(node, "numbers, columns, operators and functions")

    def _function(self, node: ast.Call, name: str,
                  inner: Callable[[ast.expr], ast.expr]) -> ast.expr:
        if name in _OF_ONE:
            if len(node.args) != 1:
                raise self.fail(node, f"one argument of {name}")
            return _call(name, [inner(node.args[0])])
        if name not in _OVER:
            raise self.fail(node, f"one of {', '.join(_OF_ONE + _OVER)}")
        if len(node.args) > 1:
            return _folded(_NUMPY[name], [inner(one) for one in node.args])
        if len(node.args) == 1 and isinstance(node.args[0], ast.Name) and node.args[
                0].id in _TABLES:
            return _call(f"_{name}", [ast.Name(node.args[0].id, ast.Load())])
        raise self.fail(node, f"two arguments or more of {name}, or {' or '.join(_TABLES)}")


def _call(name: str, arguments: List[ast.expr]) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), arguments, [])


def _folded(name: str, arguments: List[ast.expr]) -> ast.expr:
    first, *others = arguments
    for one in others:
        first = _call(name, [first, one])
    return first


def expression(text: str) -> Callable[[trestle.PolicyColumns], Any]:
    """The policy of an expression: `-devices_after + 0.001 * min(each_device_after)`.

    Names are the columns of PolicyColumns. Operators are those of Python on whole columns:
    arithmetic, comparisons of two, `and`, `or`, `not`, `a if b else c`. Functions are abs, sqrt,
    exp, log, floor, and min, max and sum: of several columns by row, or of each_device_before or
    each_device_after over the devices of a row. Nothing else can be read or called. Where the
    value is no number, no node is taken. Errors: ValueError that names the part and its column;
    ImportError without NumPy.
    """
    numpy: Any = _optional.load("numpy", "sim")
    if len(text) > _LENGTH_MAX:
        raise ValueError(f"expression: {len(text)} characters; expected at most {_LENGTH_MAX}")
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = getattr(error, "msg", None) or str(error)
        raise ValueError(f'expression: "{text.strip()[:60]}": {reason}') from error
    body = _Reader().read(tree.body)
    used = sorted({node.id for node in ast.walk(body) if isinstance(node, ast.Name)} & {*COLUMNS})
    takes = ast.arguments(posonlyargs=[], args=[ast.arg(name) for name in used], kwonlyargs=[],
                          kw_defaults=[], defaults=[])
    code = compile(ast.fix_missing_locations(ast.Expression(ast.Lambda(takes, body))),
                   "<expression>", "eval")
    names: Dict[str, Any] = {"__builtins__": {}}
    for name in (*_OF_ONE, *_NUMPY.values(), "logical_not", "where"):
        names[name] = getattr(numpy, name)
    # Devices that a node does not have are -1.
    names["_sum"] = lambda table: numpy.maximum(table, 0).sum(1)
    names["_max"] = lambda table: numpy.maximum(table, 0).max(1)
    names["_min"] = lambda table: numpy.where(table < 0, numpy.inf, table).min(1)
    score = eval(code, names)  # only what _Reader lets through

    def policy(columns: trestle.PolicyColumns) -> Any:
        scores = numpy.empty(len(columns))
        given = [getattr(columns, name) for name in used]
        with numpy.errstate(all="ignore"):
            scores[:] = score(*given)
        return scores
    policy.__name__ = " ".join(text.split())
    return policy
