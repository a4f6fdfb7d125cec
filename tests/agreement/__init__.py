"""Height 1 of the tests: the kernel equals the reference, event by event."""
