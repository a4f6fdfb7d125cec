"""Settings that all tests share.

Property tests are derandomized (the profile `ci`), so that a test run says the same thing each
time. HYPOTHESIS_PROFILE=explore searches anew, longer, for a developer who looks for trouble.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, database=None)
settings.register_profile("explore", deadline=None, max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
