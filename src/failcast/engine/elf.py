"""The names that an object file needs from outside: the symbol table of a 64-bit ELF file."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

_SYMBOL_TABLE: Final = 2
_SYMBOL: Final = struct.Struct("<IBBHQQ")  # name, info, other, section, value, size
_SECTION: Final = struct.Struct("<IIQQQQIIQQ")
_ELF_64_LITTLE: Final = b"\x7fELF\x02\x01"


def undefined(content: bytes) -> list[str]:
    """Return the undefined symbols of an object file, sorted; ValueError if it is not one."""
    return sorted({name for _, name in _undefined(content)})


def renamed(content: bytes, old: str, new: str) -> bytes:
    """Return the object file with ``new`` for ``old``, as long, where an undefined symbol begins.

    Raises ValueError if it is not an object file, or if the two differ in length.
    """
    if len(old) != len(new):
        raise ValueError(f"{new!r} is not as long as {old!r}")
    patched = bytearray(content)
    for place, name in _undefined(content):
        if name.startswith(old):
            patched[place : place + len(new)] = new.encode()
    return bytes(patched)


def _undefined(content: bytes) -> Iterator[tuple[int, str]]:
    """Go through the undefined symbols: where the name stands, and the name."""
    if not content.startswith(_ELF_64_LITTLE):
        raise ValueError("not a 64-bit little-endian ELF file")
    (begin,) = struct.unpack_from("<Q", content, 0x28)
    size, count = struct.unpack_from("<HH", content, 0x3A)
    sections = [_SECTION.unpack_from(content, begin + size * k) for k in range(count)]
    for _, kind, _, _, offset, length, link, *_ in sections:
        if kind != _SYMBOL_TABLE:
            continue
        for place in range(offset, offset + length, _SYMBOL.size):
            name, _, _, section, _, _ = _SYMBOL.unpack_from(content, place)
            if section == 0 and name != 0:
                text = sections[link][4] + name
                yield text, content[text : content.index(b"\0", text)].decode()
