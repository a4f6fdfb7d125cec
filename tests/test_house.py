"""The house rules as a test: arrows between folders, sizes, chance, clocks, words, documentation.

Each rule is a function from one source file to complaints. The first test runs every rule over
every file it applies to; the second shows each rule a bad sample, so that a rule that has gone
blind fails too.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pytest

from failcast.scenario import ages, distributions, lives, policies, replay

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "src/failcast/"

FUNCTION_LINES_MAX = 60
FILE_LINES_MAX = 500

#: Folder -> what it may import of ours ("" is the public API). The arrows run this way only.
ARROWS = {
    "scenario": set[str](),
    "engine": {"scenario"},
    "results": {"engine", "scenario"},
    "study": {"results", "engine", "scenario"},
    "cli": {"", "study", "results", "scenario"},
}
#: What compiled code may import: arrays and numbers, and the engine's files about them.
KERNEL_IMPORTS = ("__future__", "math", "numba", "numpy", "typing")
KERNEL_SIBLINGS = (
    *("ages", "compiled", "kernel", "lives", "memory", "model", "plan", "random", "replay"),
    "shifts",
    "tables",
    "world",
)
#: The one file that may throw dice, and the one under engine/ that looks how old a file is.
CHANCE_FILE = PACKAGE + "engine/random.py"
CLOCK_FILE = PACKAGE + "engine/image.py"


@dataclass(frozen=True)
class Source:
    """One tracked file: its path from the root with forward slashes, and its text."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """The syntax tree of a Python file."""
        return ast.parse(self.text, self.path)

    @property
    def folder(self) -> str:
        """The folder of the package it lies in: `engine`; empty for the package's own files."""
        inside = self.path.removeprefix(PACKAGE)
        return inside.split("/")[0] if "/" in inside else ""

    def imports(self) -> Iterator[tuple[int, str]]:
        """Line and dotted name of everything imported, at any depth; `from a import b` is a.b."""
        package = self.path.removeprefix("src/").removesuffix(".py").split("/")[:-1]
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = package[: len(package) - node.level + 1] if node.level else []
                stem = ".".join([*base, *([node.module] if node.module else [])])
                yield from ((node.lineno, f"{stem}.{alias.name}") for alias in node.names)


Complaints = Iterator[str]
Rule = Callable[[Source], Complaints]


def in_package(source: Source) -> bool:
    """Whether a file belongs to the package."""
    return source.path.startswith(PACKAGE) and source.path.endswith(".py")


def imports_follow_the_arrows(source: Source) -> Complaints:
    """A folder imports only what its arrow allows; every folder has a place on the map."""
    if not in_package(source) or not source.folder:
        return
    if source.folder not in ARROWS:
        yield f"the folder {source.folder} has no arrow in ARROWS"
        return
    for line, name in source.imports():
        parts = name.split(".")
        if parts[0] != "failcast" or parts[1:2] in ([source.folder], ["version"]):
            continue
        inner = parts[1] if len(parts) > 1 else ""
        target = inner if inner and (ROOT / PACKAGE / inner).is_dir() else ""
        if target not in ARROWS[source.folder]:
            yield f"{line}: {source.folder} must not import {name}"


def kernel_imports_arrays_only(source: Source) -> Complaints:
    """Compiled code knows arrays and numbers, no scenario objects, files or libraries of words."""
    if not source.path.startswith(PACKAGE + "engine/kernel/"):
        return
    for line, name in source.imports():
        parts = name.split(".")
        ours = parts[:2] == ["failcast", "engine"] and parts[2] in KERNEL_SIBLINGS
        if not ours and parts[0] not in KERNEL_IMPORTS:
            yield f"{line}: kernel must not import {name}"


def functions_are_short(source: Source) -> Complaints:
    """No function is longer than a screen."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES_MAX:
                yield f"{node.lineno}: {node.name} has {length} lines, over {FUNCTION_LINES_MAX}"


def files_are_short(source: Source) -> Complaints:
    """No file is longer than one sitting."""
    length = len(source.text.splitlines())
    if length > FILE_LINES_MAX:
        yield f"the file has {length} lines, over {FILE_LINES_MAX}"


def chance_has_one_home(source: Source) -> Complaints:
    """Only engine/random.py may touch a source of chance, and it needs no library for it."""
    if source.path == CHANCE_FILE:
        return
    for line, name in source.imports():
        if name.split(".")[0] == "random" or name.startswith("numpy.random"):
            yield f"{line}: imports {name}; all chance comes from engine/random.py"
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and node.attr == "random":
            if isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy"):
                yield f"{node.lineno}: uses {node.value.id}.random"


def only_the_command_line_prints(source: Source) -> Complaints:
    """A library returns what it has to say."""
    if not in_package(source) or source.folder == "cli":
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id == "print":
                yield f"{node.lineno}: prints outside cli/"


def the_model_has_no_wall_clock(source: Source) -> Complaints:
    """A result depends on scenario and seed, never on the time of day."""
    if source.folder not in ("scenario", "engine") or not in_package(source):
        return
    if source.path == CLOCK_FILE:
        return
    for line, name in source.imports():
        if name.split(".")[0] == "time":
            yield f"{line}: imports {name}"
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and node.attr in ("now", "utcnow", "today"):
            if "date" in ast.unparse(node.value):
                yield f"{node.lineno}: reads the clock with {ast.unparse(node)}"


def the_engine_never_loops_for_ever(source: Source) -> Complaints:
    """No `while True` under engine/: numba miscompiles it, and every loop has a limit."""
    if not source.path.startswith(PACKAGE + "engine/"):
        return
    for node in ast.walk(source.tree):
        if isinstance(node, ast.While) and isinstance(node.test, ast.Constant):
            yield f"{node.lineno}: loops while {ast.unparse(node.test)}"


def public_names_are_documented(source: Source) -> Complaints:
    """Every module, and every public function, class and method of the package, says what it is."""
    if not ast.get_docstring(source.tree):
        yield "1: the module has no docstring"
    if not in_package(source):
        return
    inherited = documented_by_a_base(source.folder)
    owners: list[ast.Module | ast.ClassDef] = [source.tree]
    owners += [n for n in source.tree.body if isinstance(n, ast.ClassDef) and n.name[0] != "_"]
    for owner in owners:
        bases = owner.bases if isinstance(owner, ast.ClassDef) else []
        excused = set().union(*(inherited.get(ast.unparse(base), set()) for base in bases))
        for node in owner.body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                if node.name[0] != "_" and node.name not in excused and not ast.get_docstring(node):
                    yield f"{node.lineno}: {node.name} has no docstring"


@cache
def documented_by_a_base(folder: str) -> dict[str, set[str]]:
    """Methods that a class of a folder documents, by class: what overrides them need not again."""
    found: dict[str, set[str]] = {}
    for file in (ROOT / PACKAGE / folder).rglob("*.py"):
        for owner in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(owner, ast.ClassDef):
                methods = [node for node in owner.body if isinstance(node, ast.FunctionDef)]
                found[owner.name] = {node.name for node in methods if ast.get_docstring(node)}
    return found


def exceptions_to_tools_name_their_rule(source: Source) -> Complaints:
    """A `noqa` or `type: ignore` says which rule it switches off."""
    bare = re.compile(r"#\s*noqa(?!:\s*[A-Z]+[0-9]+)|#\s*type:\s*ignore(?!\[[a-z-]+)")
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type == tokenize.COMMENT and bare.search(token.string):
            yield f"{token.start[0]}: names no rule: {token.string}"


def no_path_of_one_machine(source: Source) -> Complaints:
    """No tracked file knows where on some machine it was written."""
    machine = re.compile(r"(?<![\w.:/~$}-])/(?:home|root|tmp|work|Users)/\w")
    for number, line in enumerate(source.text.splitlines(), start=1):
        if machine.search(line):
            yield f"{number}: holds a path of one machine: {line.strip()[:80]}"


PYTHON_RULES: tuple[Rule, ...] = (
    imports_follow_the_arrows,
    kernel_imports_arrays_only,
    functions_are_short,
    files_are_short,
    chance_has_one_home,
    only_the_command_line_prints,
    the_model_has_no_wall_clock,
    the_engine_never_loops_for_ever,
    public_names_are_documented,
    exceptions_to_tools_name_their_rule,
)
TEXT_RULES: tuple[Rule, ...] = (no_path_of_one_machine,)


def tracked_sources() -> list[Source]:
    """Every text file that git tracks or would add."""
    # Whoever owns the checkout, listing its files runs nothing of its configuration.
    command = [
        "git",
        "-c",
        "safe.directory=*",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    sources = []
    for name in filter(None, listed.split("\0")):
        file = ROOT / name
        content = file.read_bytes() if file.is_file() else b"\0"
        if b"\0" not in content[:8192]:
            sources.append(Source(name, content.decode("utf-8")))
    return sources


@pytest.mark.parametrize("rule", PYTHON_RULES + TEXT_RULES, ids=lambda rule: rule.__name__)
def test_every_file_keeps_the_rule(rule: Rule) -> None:
    sources = tracked_sources()
    assert any(in_package(source) for source in sources)
    if rule in PYTHON_RULES:
        sources = [source for source in sources if source.path.endswith(".py")]
    complaints = [f"{s.path}:{complaint}" for s in sources for complaint in rule(s)]
    assert not complaints, "\n".join([rule.__doc__ or "", *complaints])


LONG_FUNCTION = "def f():\n" + "    x = 1\n" * FUNCTION_LINES_MAX
MACHINE_PATH = "see " + "/".join(["", "home", "ada", "notes"])
#: Rule, path that the sample pretends to have, bad sample. Every rule has at least one.
BAD_SAMPLES: tuple[tuple[Rule, str, str], ...] = (
    (imports_follow_the_arrows, "scenario/a.py", "from failcast.engine import run"),
    (imports_follow_the_arrows, "scenario/a.py", "from failcast import engine"),
    (imports_follow_the_arrows, "engine/a.py", "from failcast.results.sample import Sample"),
    (imports_follow_the_arrows, "engine/kernel/a.py", "from ...results import Sample"),
    (imports_follow_the_arrows, "results/a.py", "def f():\n    import failcast.cli"),
    (imports_follow_the_arrows, "results/a.py", "from failcast import load"),
    (imports_follow_the_arrows, "results/a.py", "import failcast as fc"),
    (imports_follow_the_arrows, "cli/a.py", "from failcast.engine import run"),
    (imports_follow_the_arrows, "kitchen/a.py", "x = 1"),
    (kernel_imports_arrays_only, "engine/kernel/a.py", "import simpy"),
    (kernel_imports_arrays_only, "engine/kernel/a.py", "from failcast.scenario import Scenario"),
    (kernel_imports_arrays_only, "engine/kernel/a.py", "from failcast.engine.reference import f"),
    (functions_are_short, "engine/a.py", LONG_FUNCTION),
    (files_are_short, "engine/a.py", "x = 1\n" * (FILE_LINES_MAX + 1)),
    (chance_has_one_home, "results/a.py", "import random"),
    (chance_has_one_home, "results/a.py", "from numpy.random import default_rng"),
    (chance_has_one_home, "results/a.py", "from numpy import random"),
    (chance_has_one_home, "results/a.py", "import numpy as np\nx = np.random.rand()"),
    (only_the_command_line_prints, "results/a.py", "print(1)"),
    (the_model_has_no_wall_clock, "engine/a.py", "import time"),
    (the_model_has_no_wall_clock, "scenario/a.py", "from time import monotonic"),
    (the_model_has_no_wall_clock, "engine/a.py", "import datetime\nx = datetime.datetime.now()"),
    (the_engine_never_loops_for_ever, "engine/kernel/a.py", "while True:\n    pass"),
    (the_engine_never_loops_for_ever, "engine/a.py", "while 1:\n    pass"),
    (public_names_are_documented, "engine/a.py", "x = 1"),
    (public_names_are_documented, "engine/a.py", '"""Doc."""\ndef f():\n    return 1'),
    (public_names_are_documented, "engine/a.py", '"""Doc."""\nclass A:\n    x = 1'),
    (
        public_names_are_documented,
        "engine/a.py",
        '"""Doc."""\nclass A:\n    """Doc."""\n    def f(self):\n        return 1',
    ),
    (exceptions_to_tools_name_their_rule, "engine/a.py", "x = 1  # no" + "qa"),
    (exceptions_to_tools_name_their_rule, "engine/a.py", "x = 1  # type: " + "ignore"),
    (no_path_of_one_machine, "engine/a.py", MACHINE_PATH),
)


@pytest.mark.parametrize(("rule", "path", "text"), BAD_SAMPLES)
def test_the_rule_sees_a_bad_sample(rule: Rule, path: str, text: str) -> None:
    assert list(rule(Source(PACKAGE + path, text)))


def test_every_rule_has_a_bad_sample() -> None:
    assert {rule for rule, _, _ in BAD_SAMPLES} == set(PYTHON_RULES + TEXT_RULES)


GOOD_SAMPLE = '''"""A file that keeps every rule."""

from __future__ import annotations

import numpy as np
from failcast.engine.random import draw


def mean_hours(values):  # type: ignore[no-untyped-def]
    """The mean, in hours."""
    running = True
    while running:
        running = False
    return np.mean(values) + draw(1, 0, 0, 0, 0)  # as ./tmp/x or https://a.org/home/x
'''


@pytest.mark.parametrize("rule", PYTHON_RULES + TEXT_RULES, ids=lambda rule: rule.__name__)
def test_the_rule_leaves_a_good_sample_alone(rule: Rule) -> None:
    assert not list(rule(Source(PACKAGE + "engine/kernel/a.py", GOOD_SAMPLE)))


def registered() -> dict[str, set[str]]:
    """Every literal registry of the scenario, by its name, with the names of its members."""
    return {
        name: set(value)
        for module in (ages, distributions, lives, policies, replay)
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, dict)
    }


def undocumented(names: Iterable[str], page: str) -> list[str]:
    """The names that a reference page does not mention in code type."""
    blocks = re.findall(r"^```.*?^```", page, re.DOTALL | re.MULTILINE)
    prose = re.sub(r"^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE)
    code = "\n".join(blocks + re.findall(r"`([^`\n]+)`", prose))
    return [name for name in names if not re.search(rf"\b{re.escape(name)}\b", code)]


def test_every_registered_name_is_in_the_reference() -> None:
    page = (ROOT / "docs/reference/scenario.md").read_text(encoding="utf-8")
    registries = registered()
    assert {"DISTRIBUTIONS", "LIVES", "RETIREMENTS", "SELECTION_POLICIES"} <= set(registries)
    missing = {name: undocumented(members, page) for name, members in registries.items()}
    assert not any(missing.values()), missing


def test_an_undocumented_name_is_seen() -> None:
    page = "The rule `threshold(failures, window)` and score,\n```\nretirement: never\n```\ndone."
    assert undocumented(["threshold", "window", "never", "score"], page) == ["score"]
