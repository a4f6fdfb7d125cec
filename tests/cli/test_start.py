"""A run loads no library that it does not use, and what is skipped for speed is put back."""

from __future__ import annotations

import subprocess
import sys

import pytest

from failcast.engine.image import is_there
from failcast.engine.warm import compile_kernel

RUN = """
import contextlib, io, sys
from failcast.cli import main
sys.argv = ["failcast", {arguments}]
said, code = io.StringIO(), 0
try:
    with contextlib.redirect_stdout(said):
        main()
except SystemExit as end:
    code = end.code or 0
assert code == {code}, code
"""


def loaded(arguments: str, names: tuple[str, ...], code: int = 0) -> set[str]:
    """Which of these modules a process has loaded after a command, in a process of its own."""
    script = (
        RUN.format(arguments=arguments, code=code)
        + f"print(*(n for n in {names!r} if n in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "arguments",
    [
        '"run", "small", "--replications", "2"',
        '"compare", "small", "-s", "recovery.time=5 min", "-s", "run.replications=2"',
        '"sweep", "small", "--vary", "recovery=5 min,6 min", "--replications", "2"',
    ],
    ids=["run", "compare", "sweep"],
)
def test_what_simulates_loads_neither_tables_nor_scipy(arguments: str) -> None:
    """Nor numba, where the kernel's image is: the first run leaves it."""
    heavy = ("polars", "scipy.special", "scipy.linalg", "numpy.f2py", "numba", "simpy")
    compile_kernel()
    from_its_image = is_there()
    assert loaded(arguments, heavy) == (set() if from_its_image else {"numba"})


@pytest.mark.parametrize("arguments", ['"--help"', '"run", "--help"', '"run", "--nonsense"'])
def test_help_and_a_wrong_option_load_no_engine(arguments: str) -> None:
    heavy = ("polars", "scipy", "numba", "numpy", "simpy", "yaml")
    assert not loaded(arguments, heavy, code=2 if "nonsense" in arguments else 0)


def test_numba_finds_no_blas_only_while_the_kernel_is_loaded() -> None:
    script = """
import sys
from failcast.cli.start import without_blas
with without_blas():
    import numba.np.arraymath as arraymath
    with without_blas():
        pass
    assert "scipy.linalg.cython_blas" in sys.modules, "the inner one has taken away the outer one"
assert not arraymath._HAVE_BLAS
import scipy.linalg.cython_blas
with without_blas():
    import scipy.linalg.cython_blas
"""
    subprocess.run([sys.executable, "-c", script], timeout=300, check=True)
