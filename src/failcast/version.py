"""The version of failcast: read by the packaging, the manifest of every result, and the CLI."""

from __future__ import annotations

__version__ = "0.1.0"
