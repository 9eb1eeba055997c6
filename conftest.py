"""Property tests draw the same cases in every run, and a busy machine does not fail them."""

from hypothesis import settings

settings.register_profile("suite", derandomize=True, deadline=None, database=None)
settings.load_profile("suite")
