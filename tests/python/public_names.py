# SPDX-License-Identifier: Apache-2.0
"""The public names of the package, read from its stubs and its sources.

Nothing is imported, so modules whose extras are missing are listed too. A name is public if it is in
`__all__`. In a module without `__all__` it is public if it has no leading underscore and is defined
there, or if it is imported `as` itself. `replace`, which every value has, is left out.
"""

import ast
from pathlib import Path


def public_names(package):
    """One line per name, sorted: the full name, then its kind."""
    found = names_of_module(package, package)
    for path in [*package.glob("*.py*"), *package.glob("*/__init__.py")]:
        module = path.parent if path.stem == "__init__" else path.with_suffix("")
        if not module.name.startswith("_"):
            found |= names_of_module(package, module)
    return sorted(found)


def names_of_module(package, module):
    """Of a module, given as its path without a suffix."""
    prefix = ".".join((package.name, *module.relative_to(package).parts))
    body = ast.parse(source_of(module).read_text()).body
    exported = next((ast.literal_eval(node.value) for node in body if "__all__" in targets(node)), None)
    found = {f"{prefix} module"}
    for node in body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name in exported if exported else alias.asname == alias.name:
                    found |= imported(package, base_of(package, module, node), alias.name, prefix)
        else:
            for name in defined(node):
                if name in exported if exported else not name.startswith("_"):
                    found |= described(node, f"{prefix}.{name}")
    return found


def imported(package, base, name, prefix):
    """What `from base import name` brings into the module `prefix`."""
    if source_of(base / name):
        return names_of_module(package, base / name)
    if base == package:  # a room, which holds names of `trestle`
        return {f"{prefix}.{name} is {package.name}.{name}"}
    body = ast.parse(source_of(base).read_text()).body
    node = next(node for node in body if name in defined(node))
    return described(node, f"{prefix}.{name}")


def described(node, name):
    """The line of a definition, and those of a class's public members."""
    if isinstance(node, ast.ClassDef):
        found = {f"{name} class"}
        for member in node.body:
            for inner in defined(member):
                if not inner.startswith("_") and inner != "replace":
                    found |= described(member, f"{name}.{inner}")
        return found
    if isinstance(node, ast.FunctionDef):
        marks = {ast.unparse(mark) for mark in node.decorator_list}
        return {f"{name} {'property' if 'property' in marks else 'function'}"}
    return {f"{name} value"}


def defined(node):
    """Names that a statement defines, other than by an import."""
    return [node.name] if isinstance(node, (ast.ClassDef, ast.FunctionDef)) else targets(node)


def targets(node):
    """Names that an assignment or an annotation defines."""
    ends = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(
        node, ast.AnnAssign) else []
    return [end.id for end in ends if isinstance(end, ast.Name)]


def source_of(module: Path):
    """The file of a module, its stub if it has one; None if there is no such module."""
    for path in (module / "__init__.pyi", module / "__init__.py", module.with_suffix(".pyi"),
                 module.with_suffix(".py")):
        if path.exists():
            return path
    return None


def base_of(package, module, node):
    """The module that an import names, as a path without a suffix."""
    parts = node.module.split(".") if node.module else []
    if node.level == 0:
        return package.parent.joinpath(*parts) if parts[0] == package.name else None
    folder = module if module.is_dir() else module.parent
    return folder.joinpath(*parts)
