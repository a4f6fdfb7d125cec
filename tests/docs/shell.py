"""Commands of the documentation, run by bash with `failcast` on the path; what they print, tidied.

What differs from machine to machine is levelled: how long a run took and on how many threads, the
progress of a long run, the one compilation of the kernel.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.docs.pages import make_targets

import failcast

#: In a console block: any number of lines.
ANYTHING = "…"
TIMEOUT_SECONDS = 300

_PASSING = re.compile(
    r"[\d,]+ of (?:about )?[\d,]+ replications done"
    r"|Compiling the simulation kernel.*|Compiled in \d+ s\."
)
_EFFORT = re.compile(
    r"\d+ threads?: [\d.,]+ s, [\d.,]+ ms per replication\."
    r"|(?<=kernel engine: )[\d.,]+ s\.|(?<=, from seed 1: )[\d.,]+ s\."
    r"|(?<=small from seed 1: )[\d.,]+ s\."
)
_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@dataclass
class Shell:
    """A folder to work in, and the exit code of the last command."""

    folder: Path
    code: int = 0
    environment: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (self.folder / _EXAMPLES.name).symlink_to(_EXAMPLES)
        programs = self.folder / ".bin"
        programs.mkdir()
        for name, arguments in (("failcast", "-m failcast "), ("python", "")):
            script = programs / name
            script.write_text(f'#!/bin/bash\nexec {shlex.quote(sys.executable)} {arguments}"$@"\n')
            script.chmod(0o755)
        # The package under test, wherever the command runs.
        source = str(Path(failcast.__file__).parents[1])
        self.environment = os.environ | {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": source,
            "PYTHONUTF8": "1",
            "NO_COLOR": "1",
            "COLUMNS": "100",
        }

    def run(self, command: str) -> list[str]:
        """Run one command; return the lines of stderr and stdout as the page shows them."""
        if command.startswith("make "):
            command = behind_make(command)
        if command == "echo $?":
            return [str(self.code)]
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        self.code = done.returncode
        return tidy(done.stdout)


def behind_make(command: str) -> str:
    """The command that the Makefile runs for `make TARGET`, with `failcast` found on the path."""
    target = command.split()[1]
    assert target in make_targets(), f"the Makefile has no target {target}"
    return make_targets()[target].strip().removeprefix("@").replace("$(BIN)/", "")


def tidy(output: str) -> list[str]:
    """Lines without passing notices, with times and threads made equal, without outer blanks."""
    lines = [line.rstrip() for line in output.strip("\n").splitlines()]
    kept = [line for line in lines if not _PASSING.fullmatch(line)]
    return [_EFFORT.sub("threads: seconds.", line) for line in kept]


def matches(shown: list[str], real: list[str]) -> bool:
    """Whether what a page shows is what was printed; `…` on a line stands for any lines."""
    pattern = "".join(
        r"(?:.*\n)*" if line == ANYTHING else re.escape(line) + r"\n" for line in shown
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in real)) is not None
