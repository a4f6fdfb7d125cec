"""What a plain word in a file or an override is: a number, true, false, nothing, or text.

These are the rules of YAML 1.2 (core schema): ``7e-6`` is a number, while ``no``, ``off``, ``1:30``
and dates stay text. A number with a leading zero stays text too, because YAML 1.1 reads ``010`` as
eight and YAML 1.2 as ten: it is refused later instead of guessed here. So does one that is so close
to zero that it would turn into zero.
"""

from __future__ import annotations

import re

#: Longest text that can be a number; what is longer stays text and is refused as such.
MOST_DIGITS = 64

_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_REAL = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def plain_scalar(text: str) -> str | int | float | bool | None:
    """Return the value that an unquoted word stands for."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > MOST_DIGITS:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _OTHER_BASE.fullmatch(text):
        return int(text, 0)
    if _REAL.fullmatch(text):
        return real_number(text)
    if _INFINITE.fullmatch(text):
        return float(text.replace(".", ""))
    return text


def real_number(text: str) -> float | str:
    """Return the number of a decimal text, or the text where ``vanishes`` says so.

    Underscores may stand between digits, as TOML has them.
    """
    text = text.replace("_", "")
    return text if vanishes(text) else float(text)


def vanishes(text: str) -> bool:
    """Tell whether a text is a number other than 0 that floating point would turn into 0."""
    digits = text.lower().partition("e")[0]
    is_number = _REAL.fullmatch(text) is not None
    return is_number and float(text) == 0.0 and any(c in "123456789" for c in digits)
