"""The result of an adaptation as plain values, for JSON and for messages."""

from __future__ import annotations

from typing import Any

from humanoid_adapt.estimator import Adaptation
from humanoid_adapt.three_masses import three_masses


def as_json(found: Adaptation) -> dict[str, Any]:
    """Mean, standard deviation and test-by-test residuals."""
    return {
        "robot": found.robot.name,
        "com_before_m": found.com_before.tolist(),
        "com_after_m": found.com_in_base.tolist(),
        "com_sd_m": found.com_sd.tolist(),
        "mass_kg": found.mass,
        "mass_sd_kg": found.mass_sd,
        "place": found.place,
        "place_probability": found.places[found.place],
        "places": dict(found.places),
        "payload": None
        if found.link is None
        else {
            "link": found.link,
            "mass_kg": found.payload_mass,
            "mass_sd_kg": found.payload_mass_sd,
            "position_m": found.payload_position.tolist(),
        },
        "three_masses": [
            {
                "mass_kg": part.mass,
                "mass_sd_kg": part.mass_sd,
                "com_in_base_m": part.com_in_base.tolist(),
                "com_sd_m": part.com_sd.tolist(),
            }
            for part in three_masses(found)
        ],
        "servos": {
            kind: {"stiffness_nm_per_rad": fit.stiffness, "sd_nm_per_rad": fit.stiffness_sd}
            for kind, fit in found.servos.items()
        },
        "tests": [
            {
                "name": residual.name,
                "tip_deg": residual.tip_deg,
                "predicted_before_deg": residual.tip_deg + residual.before_deg,
                "predicted_after_deg": residual.tip_deg + residual.after_deg,
                "score": residual.score,
            }
            for residual in found.residuals
        ],
        "refused": dict(found.refused),
        "seconds": found.seconds,
    }
