"""Seed 001, Figure 2: a servo's answer to a step from 0 to 50 degrees, by its law and moving an arm."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from humanoid_bringup.reproduce.reproduction import Progress, Reproduction, Row
from humanoid_bringup.reproduce.variant import with_servos
from humanoid_description import Robot, load_robot
from humanoid_sim.servo import STATE_SIZE, follow_reference, servo_vector
from humanoid_sim.simulation import DEFAULT_DT, Simulation

Array = NDArray[np.float64]
PAPER_SPEED, PAPER_ACCELERATION = 281.0, 1400.0
"""deg/s and deg/s^2: greatest first and second derivative of the measured angle."""
STEP, LONG_STEP = 50.0, 90.0
"""Degrees: of Figure 2, and one that leaves room for full speed."""
SAMPLE_RATE = 30.0
"""Hz at which the paper measured."""
SECONDS = 1.0
JOINT = "left_shoulder_pitch"
TOLERANCE = {"law": 0.001, "engine": 0.05}
"""Relative: the law keeps its limits exactly, a motor follows it with play of its own."""
LANDING = 1.0
"""Degrees that the angle may be off at the end: the RX-28's margin and friction leave up to 0.6."""


@dataclass(frozen=True)
class Answer:
    """A servo's answer to a step."""

    angle: Array
    """Degrees, one sample per DEFAULT_DT."""

    def derivatives(self) -> tuple[float, float]:
        """Greatest speed (deg/s) and acceleration (deg/s^2), as differences of samples taken as the paper did."""
        time = np.arange(self.angle.size) * DEFAULT_DT
        sampled = np.interp(np.arange(0, time[-1], 1 / SAMPLE_RATE), time, self.angle)
        return float(np.diff(sampled).max() * SAMPLE_RATE), float(np.diff(sampled, 2).max() * SAMPLE_RATE**2)


def limited(robot: Robot) -> Robot:
    """The robot with the paper's limits in front of one shoulder's servo."""
    return with_servos(
        robot,
        [JOINT],
        lambda servo: dataclasses.replace(
            servo, max_speed=math.radians(PAPER_SPEED), max_acceleration=math.radians(PAPER_ACCELERATION)
        ),
    )


def answer_of_law(robot: Robot, step: float) -> Answer:
    """What the limits make of a step (degrees)."""
    servo = robot.parameters.servos[robot.parameters.joints[JOINT].servo]
    parameters, state = servo_vector(servo)[None, :], np.zeros((1, STATE_SIZE))
    target = math.radians(step)
    angle = [0.0]
    for _ in range(round(SECONDS / DEFAULT_DT)):
        angle.append(math.degrees(follow_reference(parameters, state, 0, target, 0.0, DEFAULT_DT)[0]))
    return Answer(np.array(angle))


def answer_in_engine(robot: Robot, step: float) -> Answer:
    """A standing robot raises its arm forward by a step (degrees)."""
    simulation = Simulation(robot)
    joint = robot.joint_names.index(JOINT)
    stand = np.array([robot.parameters.stand.get(name, 0.0) for name in robot.joint_names])
    target = stand.copy()
    target[joint] -= math.radians(step)
    simulation.command(robot.name, target.tolist())
    place = simulation.scene.plant.joint_qpos[joint]
    angle = [0.0]
    for _ in range(round(SECONDS / DEFAULT_DT)):
        simulation.step()
        angle.append(math.degrees(stand[joint] - simulation.scene.buffers.qpos[place]))
    return Answer(np.array(angle))


def reproduce(progress: Progress, robot: Robot | None = None) -> Reproduction:
    """Command the step; FIBO-KM with the paper's limits if no other robot is given."""
    robot = robot or limited(load_robot("fibo_km"))
    answers: dict[str, dict[float, Answer]] = {"law": {}, "engine": {}}
    for step in (STEP, LONG_STEP):
        progress(f"a step of {step:.0f} degrees")
        answers["law"][step] = answer_of_law(robot, step)
        answers["engine"][step] = answer_in_engine(robot, step)
    rows = [row for how in answers for row in _rows(how, answers[how])]
    return Reproduction(
        title=f"Seed 001, Figure 2: a servo's answer to a step from 0 to {STEP:.0f} degrees",
        rows=rows,
        assumptions=(
            "the curves of Figure 2 are not printed as numbers: only the two limits are compared",
            "the servo brakes as it accelerates and does not overshoot; it then needs 281^2/1400 = 56.4 degrees to "
            "reach full speed and stop, so in 50 degrees it reaches sqrt(1400 x 50) = 265 deg/s. To measure 281 deg/s "
            "in this step, the paper's servo must have braked with 1811 deg/s^2 or overshot by 6.4 degrees",
            f"derivatives are differences of samples at {SAMPLE_RATE:.0f} Hz, as the paper's",
            f"in the engine FIBO-KM's {JOINT} moves the arm: an RX-28 behind the paper's limits, in place of a servo "
            "and an inertial mass that the paper does not name",
        ),
        draw=lambda figure: _draw(figure, answers),
    )


def _rows(how: str, answers: dict[float, Answer]) -> list[Row]:
    (short_speed, acceleration), (speed, _) = answers[STEP].derivatives(), answers[LONG_STEP].derivatives()
    end = float(answers[STEP].angle[-1])
    name, tolerance = {"law": "limits alone", "engine": "arm in the engine"}[how], TOLERANCE[how]
    return [
        Row(
            what=f"acceleration, {name}",
            paper=f"{PAPER_ACCELERATION:.0f} deg/s^2",
            ours=f"{acceleration:.0f} deg/s^2",
            agrees=abs(acceleration / PAPER_ACCELERATION - 1) <= tolerance,
            note=f"step of {STEP:.0f} degrees, within {tolerance:.1%}",
            values={"acceleration_deg_per_s2": round(acceleration, 3)},
        ),
        Row(
            what=f"speed, {name}",
            paper=f"{PAPER_SPEED:.0f} deg/s",
            ours=f"{speed:.0f} deg/s",
            agrees=abs(speed / PAPER_SPEED - 1) <= tolerance,
            note=f"step of {LONG_STEP:.0f} degrees, long enough for it, within {tolerance:.1%}",
            values={"speed_deg_per_s": round(speed, 3)},
        ),
        Row(
            what=f"speed in Figure 2's step, {name}",
            paper=f"{PAPER_SPEED:.0f} deg/s",
            ours=f"{short_speed:.0f} deg/s",
            agrees=None,
            note=f"not reproduced: {STEP:.0f} degrees are too short for it, see the assumptions",
            values={"speed_deg_per_s": round(short_speed, 3)},
        ),
        Row(
            what=f"angle at the end, {name}",
            paper=f"{STEP:.0f} degrees",
            ours=f"{end:.1f} degrees",
            agrees=abs(end - STEP) <= LANDING,
            note=f"after {SECONDS:.0f} s, within {LANDING:.0f} degree",
            values={"angle_deg": round(end, 3)},
        ),
    ]


def _draw(figure: Figure, answers: dict[str, dict[float, Answer]]) -> None:
    for axes, step in zip(figure.subplots(1, 2), (STEP, LONG_STEP), strict=True):
        for how, label in (("law", "limits alone"), ("engine", "arm in the engine, at 30 Hz")):
            angle = answers[how][step].angle
            time = np.arange(angle.size) * DEFAULT_DT
            if how == "law":
                axes.plot(time, angle, label=label)
            else:
                sampled = np.arange(0, time[-1], 1 / SAMPLE_RATE)
                axes.plot(sampled, np.interp(sampled, time, angle), "s", markersize=4, label=label)
        axes.set(xlabel="time, s", ylabel="degrees", title=f"step of {step:.0f} degrees", xlim=(0, 0.6))
        axes.legend()
