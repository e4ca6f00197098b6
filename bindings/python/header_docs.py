# SPDX-License-Identifier: Apache-2.0
"""Collects the `///` comments of the headers as a C++ table: header_docs.py OUT HEADER...

A row is {"Device.memory", "text"}: scopes and the name joined by dots, without the namespace
trestle. A function of several overloads also has rows by its first parameter: "check(Request)".
A type that is part of another in C++, `NodeDemand::Device`, has the name that the bindings give it.
"""

import re
import sys
from pathlib import Path

SCOPE = re.compile(r"^(?:template.*> *)?(namespace|struct|class|enum class|enum) +([\w:]+)[^;()]*{")
FUNCTION = re.compile(r"(operator\W+|~?\w+)\(([^,()]*)")
MEMBER = re.compile(r"(\w+) *(?:{[^{}]*}|=[^=].*)?;")
ENUMERATOR = re.compile(r"^(\w+)(?: *=.*)?,?$")
RENAMED = re.compile(r'bind_(?:struct|enum|trial)<[\w:]+>\(\s*\w+,(?: \w+,)?\s*"(\w+)",\s*"([\w.]+)"\)')
NOT_NAMES = {"if", "for", "while", "switch", "return", "requires", "TRESTLE_EXPECTS", "decltype"}


def first_type(parameter):
    """`const std::vector<Fleet>& fleets` is `Fleet`."""
    words = re.findall(r"\w+", re.sub(r"\b(const|std|vector|span|trestle)\b", "", parameter))
    return words[0] if words else ""


class Collector:
    def __init__(self):
        self.docs = {}

    def add(self, scopes, name, text):
        key = ".".join([scope for scope in scopes if scope not in ("", "trestle")] + [name])
        key = key.replace("::", ".")  # a class that is defined outside of the one it is part of
        if text:
            self.docs.setdefault(key, text)

    def read(self, path):
        scopes, depth, pending, last = [], 0, [], None
        for raw in path.read_text().splitlines():
            line = raw.strip()
            if line.startswith("///<"):
                if last:
                    self.docs[last] += " " + line[4:].strip()
                continue
            if line.startswith("///"):
                if not line.startswith("/// @name"):  # a heading, not of what follows alone
                    pending.append(line[3:].strip())
                continue
            code, _, trailing = line.partition("///<")
            code = re.sub(r'"(?:\\.|[^"\\])*"', '""', code.split("//")[0]).strip()
            last = None
            if len(scopes) == depth and code:
                self.declaration([name for name, _ in scopes], code, pending, trailing.strip())
                last = self.last if trailing else None
                opened = SCOPE.match(code)
                if opened and code.count("{") > code.count("}"):
                    parts = opened[2].split("::") if opened[1] == "namespace" else [opened[2]]
                    scopes.append((".".join(p for p in parts if p != "trestle"), opened[1]))
                if code[-1] in ";}{," or opened:
                    pending = []
            elif not code:
                pending = []
            depth += code.count("{") - code.count("}")
            del scopes[max(depth, 0):]

    def declaration(self, scopes, code, pending, trailing):
        self.last = None
        text = "\n".join(pending).strip() or trailing
        opened = SCOPE.match(code)
        if opened:
            if opened[1] != "namespace":
                self.add(scopes, opened[2], text)
            return
        alias = re.match(r"using (\w+) =", code)
        function = next((m for m in FUNCTION.finditer(code) if m[1] not in NOT_NAMES), None)
        member = MEMBER.search(code)
        plain = ENUMERATOR.match(code)
        found = alias or (function if not member or function else member) or plain
        if not found or not text:
            return
        name = found[1]
        self.add(scopes, name, text)
        self.last = ".".join([s for s in scopes if s] + [name]).replace("::", ".")
        if found is function:
            self.add(scopes, f"{name}({first_type(function[2])})", text)


def python_names(folder):
    """{"NodeDemand::Device": "DeviceDemand"}, the longest first."""
    pairs = [pair for source in folder.glob("*.cpp") for pair in RENAMED.findall(source.read_text())]
    return {inside.replace(".", "::"): name for name, inside in sorted(pairs, key=lambda pair: -len(pair[1]))}


def main(out, headers):
    collector = Collector()
    for header in sorted(headers):
        collector.read(Path(header))
    rows = sorted(collector.docs.items(), key=lambda row: row[0].encode())
    names = python_names(Path(__file__).parent)
    inside = re.compile("|".join(rf"\b{name}\b" for name in names))
    rows = [(key, inside.sub(lambda found: names[found[0]], doc)) for key, doc in rows]
    text = "".join(f'{{"{key}", R"doc({doc})doc"}},\n' for key, doc in rows)
    Path(out).write_text(text)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
