"""The race in viser's message buffer, provoked."""

from __future__ import annotations

import asyncio

import pytest
from seen_robot import served
from viser.infra._async_message_buffer import AsyncMessageBuffer

from humanoid_bringup.viewer.calm_buffer import calm_buffers


class Raced(asyncio.Event):
    """An event whose waiters change while it is set from the wrong thread."""

    error = "deque mutated during iteration"

    def set(self) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            raise RuntimeError(self.error) from None
        super().set()


def test_what_is_drawn_in_the_moment_of_the_race_is_sent_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AsyncMessageBuffer, "push", AsyncMessageBuffer.push)  # as it is now, back in the end
    calm_buffers()
    with served() as server:
        buffer = server._websock_server._broadcast_buffer
        buffer.message_event = Raced()
        before = buffer.message_counter
        server.scene.add_frame("/seen")
        assert buffer.message_counter > before
        assert server.scene.get_handle_by_name("/seen") is not None
        buffer.message_event.error = "another one"
        with pytest.raises(RuntimeError, match="another one"):
            server.scene.add_frame("/unseen")
