"""Findings."""

from __future__ import annotations

import pytest

from humanoid_bringup.doctor.finding import BROKEN, GOOD, WARNING, Finding


def test_only_what_is_good_needs_no_remedy() -> None:
    assert Finding("disk", GOOD, "much is free").remedy == ""
    for level, remedy in ((BROKEN, ""), (WARNING, ""), (GOOD, "do this"), ("bad", "do this")):
        with pytest.raises(ValueError, match="finding"):
            Finding("disk", level, "full", remedy)
