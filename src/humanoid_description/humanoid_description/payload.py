"""A load hung on a link, as a point mass."""

from __future__ import annotations

import math
from dataclasses import dataclass

from humanoid_description.errors import RobotError


@dataclass(frozen=True)
class Payload:
    """A point mass fixed to a link."""

    link: str
    mass: float
    """kg."""
    position_in_link: tuple[float, ...]
    """m."""
    name: str = ""
    """Name under which robot.yaml lists it, if it does."""

    def __post_init__(self) -> None:
        """Refuse what is not a load."""
        place = f"payload on {self.link}"
        try:
            object.__setattr__(self, "mass", float(self.mass))
            object.__setattr__(self, "position_in_link", tuple(float(value) for value in self.position_in_link))
        except (TypeError, ValueError, OverflowError):
            raise RobotError(f"{place}: mass or position is not a number. Give them in kg and m.") from None
        if not math.isfinite(self.mass) or self.mass <= 0:
            raise RobotError(f"{place}: mass {self.mass} kg: a payload weighs more than nothing. Give its mass in kg.")
        if len(self.position_in_link) != 3 or not all(math.isfinite(value) for value in self.position_in_link):
            raise RobotError(f"{place}: position {self.position_in_link}: give three finite numbers in metres.")


def parse_payload(text: str) -> Payload:
    """Payload from ``LINK:MASS:X,Y,Z`` in kilograms and metres."""
    remedy = "Write LINK:MASS:X,Y,Z in kg and m, for example left_forearm:0.2:0,0,-0.03."
    parts = text.split(":")
    if len(parts) != 3 or not parts[0]:
        raise RobotError(f"payload '{text}': is not LINK:MASS:X,Y,Z. {remedy}")
    try:
        mass, position = float(parts[1]), tuple(float(number) for number in parts[2].split(","))
    except ValueError:
        raise RobotError(f"payload '{text}': mass or position is not a number. {remedy}") from None
    return Payload(parts[0], mass, position)
