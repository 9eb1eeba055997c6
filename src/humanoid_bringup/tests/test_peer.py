"""Those who are compared, imported on demand."""

from __future__ import annotations

import sys

import pytest

from humanoid_bringup.bench.peer import Peer, load_all


def test_what_cannot_be_imported_is_told_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dartpy", None)
    monkeypatch.delitem(sys.modules, "humanoid_bringup.bench.dart", raising=False)
    peers = [Peer("ours", "own_ik", "all_at_once", optional=False), Peer("dart", "dart", "native", optional=True)]
    functions, reasons = load_all(peers)
    assert list(functions) == ["ours"]
    assert callable(functions["ours"])
    assert list(reasons) == ["dart"]
    assert "dartpy" in reasons["dart"]


def test_a_function_that_is_missing_is_no_missing_package() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        load_all([Peer("ours", "own_ik", "nonsense", optional=False)])
