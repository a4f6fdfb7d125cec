"""Draw the picture of the README: `python docs/picture.py` writes docs/images/balance.svg.

It runs three scenarios through the public API and shows what `failcast run` prints of them: the
answer and the balance of hours. The table between the two is left out.
"""

from __future__ import annotations

import io
import textwrap
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

import failcast as fc
from failcast.cli.balance import balance_lines
from failcast.cli.output import PROSE_MAX

PICTURE = Path(__file__).resolve().parent / "images" / "balance.svg"
REPLICATIONS = 200
#: Overrides of AIReSim's Table 1, run by run.
RUNS: tuple[tuple[str, ...], ...] = (
    (),
    ("recovery=10 min",),
    ("recovery=10 min", "job.warm_standbys=0"),
)
COLUMNS = PROSE_MAX + 2

#: Colours of the eight plain and the eight bright names, on a dark ground.
THEME = TerminalTheme(
    (22, 27, 34),
    (214, 220, 228),
    [
        (22, 27, 34),
        (240, 98, 90),
        (72, 187, 120),
        (236, 178, 70),
        (88, 150, 255),
        (197, 134, 240),
        (72, 196, 210),
        (214, 220, 228),
    ],
    [
        (110, 118, 129),
        (255, 128, 120),
        (104, 211, 145),
        (246, 205, 110),
        (121, 175, 255),
        (214, 160, 250),
        (104, 215, 226),
        (240, 244, 248),
    ],
)

#: rich's own frame asks the network for a font. This one takes what the reader's system has.
FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"
  xml:space="preserve" aria-label="Answers and balances of hours of three runs of failcast">
<style>
.{unique_id}-matrix {{ font-family: "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono",
  monospace; font-size: {char_height}px; line-height: {line_height}px; white-space: pre; }}
.{unique_id}-title {{ display: none; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main() -> None:
    """Run the scenarios and write the picture."""
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="standard"
    )
    for line in screen():
        console.print(line, soft_wrap=True)
    drawn = console.export_svg(title="", theme=THEME, code_format=FRAME, unique_id="failcast")
    PICTURE.write_text(drawn, encoding="utf-8")


def screen() -> list[Text]:
    """The lines of the picture."""
    lines: list[Text] = []
    for overrides in RUNS:
        sample = fc.simulate(
            fc.load("airesim-table1", overrides), replications=REPLICATIONS, threads=2
        )
        options = "".join(f" -s '{text}'" for text in overrides)
        lines.append(Text(f"$ failcast run airesim-table1{options}", style="cyan"))
        answer = textwrap.wrap(sample.answer(), PROSE_MAX)
        lines += [Text(line, style="bold") for line in answer]
        lines += [Text(""), *balance_lines(sample, unicode=True), Text("")]
    return lines


if __name__ == "__main__":
    main()
