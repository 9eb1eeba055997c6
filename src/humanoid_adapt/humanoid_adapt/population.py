"""Robots that might be standing there: a drawing with random errors, a load somewhere, encoders whose zeros are off."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.belief import Uncertainty
from humanoid_adapt.limbs import segments
from humanoid_adapt.payload_search import places
from humanoid_description import Inertial, Payload, Robot

Array = NDArray[np.float64]
LIGHTEST, HEAVIEST = 0.05, 0.3
"""kg, of a load."""


@dataclass(frozen=True)
class Specimen:
    """One robot as it truly is."""

    robot: Robot
    """With its load."""
    bare: Robot
    """Without."""
    payload: Payload
    place: str
    """Segment that carries the load."""
    joint_zeros: Array
    """What each encoder says too much, rad."""
    force_scale: float
    """What the foot sensors say over the force."""
    cop_offsets: Mapping[str, Array]
    """How far each foot's sensors are off their place along x and y, m."""


def draw(drawing: Robot, seed: int, uncertainty: Uncertainty | None = None) -> Specimen:
    """A robot that differs from its drawing as much as it may; the load is anywhere on any link."""
    spread, random = uncertainty or Uncertainty(), np.random.default_rng([seed, 2011])
    inertials = {}
    for link, body in drawing.inertials.items():
        factor = max(1.0 + spread.mass_share * random.normal(), 0.5)
        centre = body.com_in_link + spread.com * random.normal(size=3)
        inertials[link] = Inertial(body.mass * factor, centre, body.inertia_about_com * factor)
    feet = {}
    for side, foot in drawing.parameters.feet.items():
        edges = {
            edge: getattr(foot, edge) + spread.edge * random.normal() for edge in ("front", "rear", "left", "right")
        }
        feet[side] = dataclasses.replace(foot, **edges)
    bare = dataclasses.replace(drawing, parameters=dataclasses.replace(drawing.parameters, feet=feet))
    bare = bare.with_inertials(inertials)
    boxes = places(drawing)
    box = boxes[int(random.integers(len(boxes)))]
    position = box.centre + box.size * random.uniform(-0.5, 0.5, 3)
    payload = Payload(box.link, float(random.uniform(LIGHTEST, HEAVIEST)), tuple(position))
    place = next(name for name, links in segments(drawing).items() if box.link in links)
    zeros = spread.joint_zero * random.normal(size=drawing.dof)
    scale = 1.0 + spread.weight_share * random.normal()
    offsets = {side: spread.cop_offset * random.normal(size=2) for side in feet}
    return Specimen(bare.with_payloads([payload]), bare, payload, place, zeros, float(scale), offsets)
