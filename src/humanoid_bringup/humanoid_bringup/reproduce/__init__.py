"""Results of the papers beside ours: one module per reproduction, each with `reproduce(progress) -> Reproduction`."""

REPRODUCTIONS = {
    "fall_tables": "seed 000, Tables I-VII: masses, centres of mass and falls of FIBO-KM",
    "table4": "seed 003, Table 4: which of nine gaits AR-601M survives, and its ankle torque",
    "table3": "seed 003, Table 3: the same gaits under the limits of AR-601M's motors",
    "points": "seed 003, section 4.3: four against eight contact points per foot",
    "planar": "seed 003, section 4.1: the 6-DoF model that walks in the sagittal plane",
    "servo_step": "seed 001, Figure 2: a servo's answer to a step from 0 to 50 degrees",
    "switch_time": "seed 001, Figure 5: the switch time of least energy, and what it saves",
    "spline_steps": "seed 002, Figure 4: feet and hips through every constraint of Table 2",
}
"""Module and what it reproduces."""
