"""Property tests draw the same cases in every run; neither a busy machine nor a background shell fails tests."""

import signal

from hypothesis import settings

settings.register_profile("suite", derandomize=True, deadline=None, database=None)
settings.load_profile("suite")
# What a shell starts in the background is deaf to SIGINT, and so would be the programs to which tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)
