"""Keeps a race within viser from ending the viewer.

viser 1.1's message buffers call asyncio.Event.set() from the thread that draws. When the thread that sends begins or
ends its wait at that moment, this raises "deque mutated during iteration"; on a busy machine within minutes. By then
the message is in the buffer: all that is missing is to wake whoever sends it.
"""

from __future__ import annotations

import functools
from typing import Any

from viser.infra._async_message_buffer import AsyncMessageBuffer

_push = AsyncMessageBuffer.push


@functools.wraps(_push)
def _calm_push(self: Any, message: Any) -> None:
    try:
        _push(self, message)
    except RuntimeError as error:
        if "mutated during iteration" not in str(error):
            raise
        self.event_loop.call_soon_threadsafe(self.message_event.set)


def calm_buffers() -> None:
    """Let all buffers of viser live with it."""
    AsyncMessageBuffer.push = _calm_push
