"""What a check found."""

from __future__ import annotations

from dataclasses import dataclass

GOOD, WARNING, BROKEN = "good", "warning", "broken"
LEVELS = (GOOD, WARNING, BROKEN)


@dataclass(frozen=True)
class Finding:
    """One sentence about the state of things, and what to do if it is not good."""

    check: str
    """What was looked at."""
    level: str
    """'good', 'warning' (works, but not as well as it could) or 'broken'."""
    what: str
    remedy: str = ""

    def __post_init__(self) -> None:
        """A finding that is not good has a remedy."""
        if self.level not in LEVELS or (self.level != GOOD) != bool(self.remedy):
            raise ValueError(f"finding: level '{self.level}' with remedy '{self.remedy}'")
