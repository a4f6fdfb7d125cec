"""What LLVM is told of plans and worlds must be so: nothing compiled writes what is fixed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from failcast.engine import kernel, world
from failcast.engine.plan import PLAN_DTYPE
from failcast.engine.world import WORLD_DTYPE, WORLD_FIXED

FILES = sorted(Path(kernel.__file__).parent.glob("*.py"))


def written(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Go through (name, field) of all that is assigned to, also an item of a field."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            field = node.value if isinstance(node, ast.Subscript) else node
            if isinstance(field, ast.Attribute) and isinstance(field.value, ast.Name):
                yield field.value.id, field.attr


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.stem))
def test_the_kernel_writes_no_plan_and_nothing_fixed_of_a_world(path: Path) -> None:
    for name, field in written(ast.parse(path.read_text())):
        assert name != "plan", field
        assert name != "w" or field not in WORLD_FIXED, field


def test_assignments_are_seen() -> None:
    source = "w.a = w.b = 1\nw.c += 1\nw.d[0] = 2\nplan.e, x = 3, 4"
    assert sorted(written(ast.parse(source))) == [
        ("plan", "e"),
        *(("w", field) for field in "abcd"),
    ]


def test_plan_and_world_are_no_other_record() -> None:
    kinds = [kind for kind in vars(world).values() if isinstance(kind, np.dtype)]
    sizes = [kind.itemsize for kind in kinds if kind is not PLAN_DTYPE and kind is not WORLD_DTYPE]
    assert len(sizes) > 10
    assert PLAN_DTYPE.itemsize != WORLD_DTYPE.itemsize
    assert not {PLAN_DTYPE.itemsize, WORLD_DTYPE.itemsize} & set(sizes)
