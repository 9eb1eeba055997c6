"""Seed 000, Tables I-VII: each row of the paper beside ours, with a note where the paper contradicts itself."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from humanoid_adapt.compliance import Statics, droop
from humanoid_adapt.limbs import as_array, leg_joint, ramp_vector, segments
from humanoid_adapt.paper_ann import BACKWARD, FORWARD
from humanoid_adapt.paper_geometry import exact_com, geometric_com
from humanoid_adapt.pendulum import falling_angles
from humanoid_adapt.perceptron import train
from humanoid_adapt.tipping import Tipping
from humanoid_description import Robot, load_robot
from humanoid_description.inertial import GRAVITY

Array = NDArray[np.float64]
SCENARIOS = "abcdef"
TABLE_I = {
    "right_leg": (0.743, 21.62),
    "left_leg": (0.740, 21.53),
    "torso": (1.375, 42.92),
    "right_arm": (0.238, 6.92),
    "left_arm": (0.240, 6.98),
}
"""Mass in kg and share in %, as printed."""
TABLE_II = {
    "a": ((20.0, 0.5, -1.7), (21.0, 0.6, -2.2)),
    "b": ((22.5, 0.5, -1.3), (25.1, 0.9, -1.8)),
    "c": ((22.3, 0.0, -1.7), (23.8, 0.0, -2.3)),
    "d": ((24.5, -0.3, -1.5), (26.5, -0.1, -2.1)),
    "e": ((24.0, 1.7, -1.5), (26.0, 2.0, -2.1)),
    "f": ((25.7, 0.7, -1.2), (27.6, 1.0, -1.9)),
}
"""Centre of mass, cm: by the classical approach and by geometry."""
TABLE_III = {
    "a": ((0.840, 0.843, 1.82), (21.7, 0.8, 0.3)),
    "b": ((0.740, 0.743, 1.82), (25.3, 0.8, 1.6)),
    "c": ((0.740, 0.743, 2.02), (26.9, 0.5, 1.6)),
    "d": ((0.740, 0.743, 2.02), (23.9, -0.5, 0.6)),
    "e": ((0.740, 0.743, 2.02), (25.8, 1.9, 1.2)),
    "f": ((0.740, 0.743, 2.02), (25.8, 1.0, 1.7)),
}
"""Three masses in kg and the centre of mass in cm."""
TABLE_IV = {
    "a": (7.61, 8.78, 19.92, 24.31, 5.56, 14.64),
    "b": (8.49, 8.78, 16.69, 19.04, 6.33, 11.67),
    "c": (6.73, 7.61, 17.57, 18.46, 5.51, 11.32),
    "d": (7.32, 9.38, 15.72, 20.50, 5.56, 11.72),
    "e": (7.03, 7.91, 16.11, 19.33, 5.13, 11.84),
    "f": (7.3, 8.49, 15.23, 18.75, 5.56, 10.95),
}
"""Forward sent and real, backward sent and real, degrees; time to fall forward and backward, s."""
TABLE_V = {
    "a": (8.78, 25.21),
    "b": (9.39, 19.04),
    "c": (7.61, 20.78),
    "d": (9.59, 20.50),
    "e": (8.58, 19.33),
    "f": (8.68, 18.75),
}
"""Falling angles of the one-mass model, degrees; those of the three-mass model are the real ones of Table IV."""
TABLE_VI = {
    "a": (0, (24.7, 0.7, 0.7)),
    "b": (1, (25.8, 0.8, 1.7)),
    "c": (2, (27.0, 0.8, 1.7)),
    "d": (2, (24.1, -0.5, 0.8)),
    "e": (2, (26.0, 2.0, 1.5)),
    "f": (2, (26.2, 1.3, 1.6)),
}
"""M_p and the centre of mass by the network, cm."""
TABLE_VII = {
    "a": (8.80, 24.29, (23.7, 0.7, 0.7)),
    "b": (8.76, 19.02, (25.8, 0.8, 1.7)),
    "c": (7.59, 18.48, (27.2, 0.9, 1.7)),
    "d": (9.40, 20.48, (24.2, -0.5, 0.9)),
    "e": (7.95, 19.29, (26.2, 2.0, 1.2)),
    "f": (8.45, 18.79, (26.8, 1.8, 1.8)),
}
"""Angles in degrees and the centre of mass by the network, cm."""
RATE = 1.36
"""degrees/s of the ramp: Table IV's sent angles over its times."""
FRONT, REAR, DEPTH = 0.035, 0.095, 0.031
"""F1, F2, L0 of section V.A, m."""
COUNT = 300.0 / 1024.0
"""degrees."""


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    name: str
    paper: dict[str, float]
    ours: dict[str, float]
    note: str = ""


def scenario(name: str) -> Robot:
    """FIBO-KM with the battery of a scenario."""
    return load_robot("fibo_km", [] if name == "b" else [f"scenario_{name}"])


def table_i() -> list[Row]:
    """Masses of the segments."""
    robot = scenario("b")
    groups = segments(robot)
    rows = []
    for name, (mass, share) in TABLE_I.items():
        links = groups["torso"] + groups["head"] if name == "torso" else groups[name]
        ours = sum(robot.inertials[link].mass for link in links)
        note = "printed 1.375 is a misprint: all five shares fit 1.475" if name == "torso" else ""
        if name == "left_leg":
            note = "its inertia breaks the triangle inequality: no body has it; the right leg mirrored is used"
        rows.append(
            Row(name, {"mass_kg": mass, "share": share}, {"mass_kg": ours, "share": 100 * ours / robot.mass}, note)
        )
    total = {"mass_kg": sum(mass for mass, _ in TABLE_I.values())}
    return [*rows, Row("total", total, {"mass_kg": robot.mass}, "3.303, 3.336 and 3.436 kg all appear in the paper")]


def table_ii() -> list[Row]:
    """Centre of mass by eqs 8-12 on Table IV's angles; y needs left and right angles, which are not printed."""
    rows = []
    for name, (classical, geometry) in TABLE_II.items():
        forward, _, backward, _, _, _ = (math.radians(value) for value in TABLE_IV[name])
        real_forward, real_backward = (math.radians(TABLE_IV[name][index]) for index in (1, 3))
        literal = geometric_com(forward, backward, 0.0, 0.0, FRONT, REAR, DEPTH)
        short = geometric_com(forward, backward, 0.0, 0.0, FRONT, 0.075, DEPTH)
        fitted = 100 * 0.0752 / math.tan(backward)
        exact = exact_com(real_forward, real_backward, FRONT, REAR)
        ours = {
            "literal_x_cm": 100 * literal.x,
            "literal_z_cm": -100 * literal.z,
            "rear_7.5_x_cm": 100 * short.x,
            "7.52_cot_beta_cm": fitted,
            "z_from_printed_x_cm": -geometry[0] * math.tan((backward - forward) / 2),
            "exact_height_cm": 100 * (exact[1] + DEPTH),
            "exact_forwards_cm": 100 * exact[0],
        }
        paper = {
            "classical_x_cm": classical[0],
            "geometry_x_cm": geometry[0],
            "geometry_y_cm": geometry[1],
            "geometry_z_cm": geometry[2],
        }
        note = "x is 7.52 cot(beta sent): a rear foot of 7.5 cm rather than 9.5; y cannot be reproduced"
        rows.append(Row(name, paper, ours, note if name != "a" else "x of row a fits neither foot length"))
    return rows


def table_iii() -> list[Row]:
    """Three masses and centre of mass of the scenarios."""
    rows = []
    for name, (masses, com) in TABLE_III.items():
        robot = scenario(name)
        ours = robot.three_mass({}).masses
        in_base = robot.com_in_base({})
        sole = robot.poses({})["left_foot"][2, 3] - DEPTH
        rows.append(
            Row(
                name,
                {"m1": masses[0], "m2": masses[1], "m3": masses[2], "x_cm": com[0], "y_cm": com[1], "z_cm": com[2]},
                {
                    **{f"m{index}": part.mass for index, part in enumerate(ours, start=1)},
                    "x_cm": 100 * (in_base[2] - sole),
                    "y_cm": -100 * in_base[1],
                    "z_cm": 100 * in_base[0],
                },
                "m3 of Table I is 1.953 kg; the places were chosen by hand, z with the opposite sign of Table II",
            )
        )
    return rows


def table_iv() -> list[Row]:
    """Tip angles real and sent, and times, from physics: statics of the robot with its battery, servo compliance.

    An ankle at the tip carries m g F / 2 whatever the centre of mass; by the servo's compliance it stands further out
    than it was sent. `fitted` takes one stiffness and one offset for the whole table, `described` robot.yaml's servos.
    """
    physics = {name: _tip_physics(scenario(name)) for name in SCENARIOS}
    sent = np.array([[TABLE_IV[name][0], TABLE_IV[name][2]] for name in SCENARIOS])
    real = np.array([[TABLE_IV[name][1], TABLE_IV[name][3]] for name in SCENARIOS])
    torque = np.array([physics[name][1] for name in SCENARIOS])

    def misfit(unknown: Array) -> Array:
        return np.asarray((real - sent - np.degrees(torque / unknown[0]) - unknown[1]).ravel())

    stiffness, offset = least_squares(misfit, [55.0, 0.0]).x
    rows = []
    for name in SCENARIOS:
        tips, torques, described = physics[name]
        fitted = tips - np.degrees(torques / stiffness) - offset
        ours = {
            "forward_real": tips[0],
            "backward_real": tips[1],
            "forward_sent_described": described[0],
            "backward_sent_described": described[1],
            "forward_sent_fitted": fitted[0],
            "backward_sent_fitted": fitted[1],
            "forward_s_fitted": fitted[0] / RATE,
            "backward_s_fitted": fitted[1] / RATE,
            "stiffness_nm_per_rad": stiffness,
            "offset_deg": offset,
        }
        keys = ("forward_sent", "forward_real", "backward_sent", "backward_real", "forward_s", "backward_s")
        rows.append(Row(name, dict(zip(keys, TABLE_IV[name], strict=True)), ours, _note_iv(name)))
    return rows


def _note_iv(name: str) -> str:
    return {
        "a": "no place of 0.2 kg gives these angles with the printed foot",
        "c": "its backward angle contradicts its own time",
        "d": "15.72 sent is no whole number of counts; 15.82 is",
    }.get(name, "")


def _tip_physics(robot: Robot) -> tuple[Array, Array, Array]:
    """Real tip angles (degrees), torque of both ankles there (N m), and angles sent to our servos (degrees)."""
    tipping, statics, stand = Tipping(robot), Statics(robot), as_array(robot, robot.parameters.stand)
    joint = leg_joint(robot, "left", "ankle_pitch")
    index = robot.joint_names.index(joint)
    servo = robot.parameters.servos[robot.parameters.joints[joint].servo]
    tips, torques, sent = [], [], []
    for test, edge in ((FORWARD, FRONT), (BACKWARD, REAR)):
        angle = tipping.ramp_angle(test, stand)
        ramp = ramp_vector(robot, test.support_feet, test.direction)
        held = statics.torques(0.5, stand + angle * ramp)[index] * ramp[index]
        tips.append(math.degrees(angle))
        torques.append(robot.mass * GRAVITY * edge)
        sent.append(math.degrees(angle + droop(servo, held)))
    return np.array(tips), np.array(torques), np.array(sent)


def table_v() -> list[Row]:
    """Falling angles of one mass and of three masses with the same centre: the same, as only the centre counts."""
    rows = []
    for name in SCENARIOS:
        robot = scenario(name)
        parts = robot.three_mass({}).masses
        ankle = robot.poses({})["left_foot"][:3, 3]
        masses = np.array([part.mass for part in parts])
        # The feet do not turn about the ankle, but stay within the paper's leg masses; x up, y, z forwards.
        places = np.array([(part.com_in_base - ankle)[[2, 1, 0]] for part in parts])
        three = np.degrees(falling_angles(masses, places, FRONT, REAR))
        one = np.degrees(falling_angles(masses.sum(keepdims=True), (masses @ places / masses.sum())[None], FRONT, REAR))
        real_forward, real_backward = TABLE_IV[name][1], TABLE_IV[name][3]
        rows.append(
            Row(
                name,
                {
                    "three_forward": real_forward,
                    "three_backward": real_backward,
                    "one_forward": TABLE_V[name][0],
                    "one_backward": TABLE_V[name][1],
                },
                {"three_forward": three[0], "three_backward": three[1], "one_forward": one[0], "one_backward": one[1]},
                "the paper's difference is how its centres were tuned: rigid masses fall by their common centre",
            )
        )
    return rows


def _six_robots() -> tuple[Array, Array, Array]:
    """Table VI's inputs, and places (9) and masses (3) of the three masses of our six robots."""
    inputs, places, masses = [], [], []
    for name in SCENARIOS:
        parts = scenario(name).three_mass({}).masses
        inputs.append([TABLE_IV[name][1], TABLE_IV[name][3], TABLE_VI[name][0]])
        places.append(np.concatenate([part.com_in_base for part in parts]))
        masses.append([part.mass for part in parts])
    return np.array(inputs), np.array(places), np.array(masses)


def _com_cm(places: Array, masses: Array, sole: float) -> tuple[float, float, float]:
    com = masses @ places.reshape(3, 3) / masses.sum()
    return 100 * (com[2] - sole), -100 * com[1], 100 * com[0]


def table_vi() -> list[Row]:
    """The network trained on all six, and on the other five: what it learned, and what it only knows by heart."""
    inputs, places, masses = _six_robots()
    sole = float(scenario("b").poses({})["left_foot"][2, 3]) - DEPTH
    network = train(inputs, places, seed=0)
    rows = []
    for index, name in enumerate(SCENARIOS):
        others = np.arange(len(SCENARIOS)) != index
        unseen = train(inputs[others], places[others], seed=0)(inputs[index])
        seen, true = network(inputs[index]), places[index]
        coms = {
            key: _com_cm(value, masses[index], sole)
            for key, value in (("", seen), ("held_out_", unseen), ("true_", true))
        }
        ours = {f"{key}{axis}_cm": value for key, com in coms.items() for axis, value in zip("xyz", com, strict=True)}
        ours["error_mm"] = 10 * math.dist(coms[""], coms["true_"])
        ours["held_out_error_mm"] = 10 * math.dist(coms["held_out_"], coms["true_"])
        paper = dict(zip(("x_cm", "y_cm", "z_cm"), TABLE_VI[name][1], strict=True))
        note = "3 cm of height are 3.3 degrees backwards: 'the same falling angles' cannot hold" if name == "a" else ""
        rows.append(Row(name, paper, ours, note))
    return rows


def table_vii() -> list[Row]:
    """The paper's validation inputs, which are the training inputs but for 0.02-0.04 degrees."""
    inputs, places, masses = _six_robots()
    sole = float(scenario("b").poses({})["left_foot"][2, 3]) - DEPTH
    network = train(inputs, places, seed=0)
    rows = []
    for index, name in enumerate(SCENARIOS):
        forward, backward, com = TABLE_VII[name]
        ours = _com_cm(network(np.array([forward, backward, TABLE_VI[name][0]])), masses[index], sole)
        off = max(abs(forward - inputs[index, 0]), abs(backward - inputs[index, 1]))
        rows.append(
            Row(
                name,
                dict(zip(("x_cm", "y_cm", "z_cm"), com, strict=True)),
                {**dict(zip(("x_cm", "y_cm", "z_cm"), ours, strict=True)), "input_change_deg": off},
                "no validation: the input is that of training; see held_out of Table VI",
            )
        )
    return rows


TABLES = {
    "I": table_i,
    "II": table_ii,
    "III": table_iii,
    "IV": table_iv,
    "V": table_v,
    "VI": table_vi,
    "VII": table_vii,
}
"""All tables of seed 000 by their number."""
