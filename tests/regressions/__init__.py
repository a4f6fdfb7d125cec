"""Errors of the original AIReSim (public code of April 2026): each is a test named by its id."""
