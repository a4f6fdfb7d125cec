"""The reference pages, one function each; `docs/generate.py` writes what they return."""
