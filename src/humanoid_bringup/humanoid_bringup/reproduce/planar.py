"""Seed 003, sections 4.1 and 5: the 6-DoF model that walks in the sagittal plane; Figs. 5, 6 and 10 to 13."""

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
from humanoid_gait.planar_gait import PlanarParameters, ankle_torque, planar_walk
from humanoid_sim.simulation import DEFAULT_DT, Simulation

Array = NDArray[np.float64]
PRIMITIVES = 6
PAPER_PERIOD = 3.0
"""s."""
PAPER_SPEED = (0.3, 0.4)
"""m/s, of the torso's centre (Fig. 10)."""
AT_REST = 0.01
"""m/s below which the torso counts as at rest."""
ANKLES = ("left_ankle_pitch", "right_ankle_pitch")
ASSUMPTIONS = (
    "the angles of Figs. 5 and 6 are not printed as numbers and were found empirically: so are ours, see "
    "humanoid_gait/planar_gait.py; reach and timing were chosen so that the speed lies in the paper's range",
    "0.3-0.4 m/s is the greatest speed in a period: as a mean it would be a metre per step, with legs of 0.67 m",
    "the ankles turn freely but for 2 N m s/rad, and damp with 400 N m/rad and 100 N m s/rad in the last 1.3 s",
    "hips and knees are moved by compliant servos, 5000 N m/rad and 100 N m s/rad, without torque limit",
    "Table 2 without the penetration factors of eqs 4-5 (reading S1)",
)


@dataclass(frozen=True)
class PlanarRun:
    """A walk in the plane, sample by sample."""

    fell: bool
    dt: float
    """s."""
    torso: Array
    """Way of the torso's centre forward, m."""
    angle: Array
    """Of the joints, rad, shape (samples, joints)."""
    torque: Array
    """Of the servos, N m, shape (samples, joints)."""

    @property
    def speed(self) -> Array:
        """Of the torso's centre, m/s."""
        return np.asarray(np.gradient(self.torso, self.dt))


def walk_in_plane(
    robot: Robot, parameters: PlanarParameters, primitives: int, progress: Progress, dt: float = DEFAULT_DT
) -> PlanarRun:
    """Walk: hips and knees follow their angles, the ankles get a torque."""
    reference = planar_walk(robot, parameters, primitives, dt)
    # A spring of 1 N m/rad without damper turns a commanded angle into a torque.
    driven = with_servos(robot, ANKLES, lambda servo: dataclasses.replace(servo, stiffness=1.0, damping=0.0))
    simulation = Simulation(driven, dt=dt, torque_share=math.inf)
    state, joints = simulation.scene.buffers, simulation.scene.plant
    ankles = [robot.joint_names.index(name) for name in ANKLES]
    torso, angle, torque = [], [], []
    for sample, (target, target_speed) in enumerate(zip(reference.position, reference.velocity, strict=True)):
        if sample * dt % parameters.period < dt / 2:
            progress(f"primitive {round(sample * dt / parameters.period) + 1} of {primitives}")
        position, speed = state.qpos[joints.joint_qpos], state.qvel[joints.joint_dof]
        for ankle in ankles:
            wanted = ankle_torque(parameters, sample * dt, float(position[ankle]), float(speed[ankle]))
            target[ankle] = position[ankle] + wanted
        simulation.command(robot.name, target, target_speed)
        simulation.step()
        torso.append(state.qpos[0])  # of a robot held in the plane: x, z, pitch
        angle.append(position)
        torque.append(state.torque.copy())
        if simulation.fallen(robot.name):
            break
    return PlanarRun(simulation.fallen(robot.name), dt, np.array(torso), np.array(angle), np.array(torque))


def reproduce(
    progress: Progress, robot: Robot | None = None, parameters: PlanarParameters | None = None
) -> Reproduction:
    """Walk in the plane; AR-601M's planar model and the default primitive if nothing else is given."""
    robot, parameters = robot or load_robot("ar601m_planar"), parameters or PlanarParameters()
    walked = walk_in_plane(robot, parameters, PRIMITIVES, progress)
    undamped = dataclasses.replace(parameters, ankle_stiffness=0.0, ankle_damping=parameters.ankle_friction)
    free = walk_in_plane(robot, undamped, PRIMITIVES, progress)
    return Reproduction(
        title="Seed 003, sections 4.1 and 5: AR-601M with 6-DoF legs in the sagittal plane",
        rows=[
            Row(
                what=f"{PRIMITIVES} primitives",
                paper="stable",
                ours="falls" if walked.fell else "stable",
                agrees=not walked.fell,
                note=f"{walked.torso[-1] - walked.torso[0]:.2f} m in {len(walked.torso) * walked.dt:.0f} s",
                values={"fell": walked.fell, "distance_m": round(float(walked.torso[-1] - walked.torso[0]), 6)},
            ),
            *([] if walked.fell else _speed_rows(walked)),
            Row(
                what="the same without torque in the ankles",
                paper="-",
                ours="falls" if free.fell else "stable",
                agrees=None,
                note=f"after {len(free.torso) * free.dt:.1f} s: the damping is what ends a step" if free.fell else "",
                values={"fell": free.fell},
            ),
            *_torque_rows(robot, parameters, walked),
        ],
        assumptions=ASSUMPTIONS,
        draw=lambda figure: _draw(figure, robot, walked),
    )


def _speed_rows(walked: PlanarRun) -> list[Row]:
    """Fig. 10: period, greatest speed and rest of the torso."""
    periods = walked.speed.reshape(PRIMITIVES, -1)
    greatest, at_start = periods.max(axis=1), np.abs(periods[:, 0]).max()
    peaks = (periods.argmax(axis=1) + np.arange(PRIMITIVES) * periods.shape[1]) * walked.dt
    period = float(np.diff(peaks).mean())
    low, high = PAPER_SPEED
    return [
        Row(
            what="period of the torso's speed",
            paper=f"{PAPER_PERIOD:.0f} s",
            ours=f"{period:.2f} s",
            agrees=abs(period - PAPER_PERIOD) < 0.01 * PAPER_PERIOD,
            note="between greatest speeds; it is commanded, and the robot keeps to it",
            values={"period_s": round(period, 6)},
        ),
        Row(
            what="greatest speed of the torso",
            paper=f"{low}-{high} m/s",
            ours=f"{greatest.min():.3f}-{greatest.max():.3f} m/s",
            agrees=bool(low <= greatest.min() and greatest.max() <= high),
            note=f"in each period (Fig. 10); the mean is {periods.mean():.3f} m/s",
            values={"greatest_speed_m_per_s": [round(float(speed), 6) for speed in greatest]},
        ),
        Row(
            what="speed at the beginning of a period",
            paper="zero",
            ours=f"{at_start:.3f} m/s",
            agrees=bool(at_start < AT_REST),
            note=f"at most; below {AT_REST} m/s counts as rest",
            values={"starting_speed_m_per_s": round(float(at_start), 6)},
        ),
    ]


def _torque_rows(robot: Robot, parameters: PlanarParameters, walked: PlanarRun) -> list[Row]:
    """Figs. 11 to 13."""
    rows = []
    for joint in ("hip_pitch", "knee"):
        columns = [index for index, name in enumerate(robot.joint_names) if joint in name]
        most = float(np.abs(walked.torque[:, columns]).max())
        rows.append(
            Row(
                what=f"greatest torque, {joint}",
                paper="about 1500 N m",
                ours=f"{most:.0f} N m",
                agrees=None,
                note="not reproduced: the paper prescribes the motion, so a leg cannot give way when its foot lands",
                values={"torque_nm": round(most, 3)},
            )
        )
    columns = [robot.joint_names.index(name) for name in ANKLES]
    phase = np.arange(len(walked.torque)) * walked.dt % parameters.period
    torque = np.abs(walked.torque[:, columns]).max(axis=1)
    damping, before = float(torque[phase > parameters.joined].max(initial=0.0)), torque[phase < parameters.joined].max()
    rows.append(
        Row(
            what="torque of the ankles",
            paper="last phase only",
            ours=f"{damping:.0f} N m",
            agrees=None,
            note=f"in the last phase; {before:.0f} N m of friction before, mostly of the foot in the air (Fig. 13)",
            values={"damping_torque_nm": round(damping, 3), "torque_before_nm": round(float(before), 3)},
        )
    )
    return rows


def _draw(figure: Figure, robot: Robot, walked: PlanarRun) -> None:
    """Figs. 5 and 6 (angles), 10 (speed), 11 to 13 (torques), over two primitives."""
    samples = min(len(walked.torso), round(2 * PAPER_PERIOD / walked.dt))
    time = np.arange(samples) * walked.dt
    speed, angles, torques = figure.subplots(1, 3)
    speed.plot(time, walked.speed[:samples], color="black")
    speed.axhspan(*PAPER_SPEED, alpha=0.2, color="tab:blue")
    speed.annotate("paper's greatest", (0.05, PAPER_SPEED[0] + 0.01))
    speed.set(xlabel="time, s", ylabel="m/s", title="Fig. 10: torso speed")
    colours = {"hip_pitch": "tab:blue", "knee": "tab:orange", "ankle_pitch": "tab:green"}
    for column, name in enumerate(robot.joint_names):
        side, _, joint = name.partition("_")
        look = {"color": colours[joint], "linestyle": "-" if side == "left" else "--"}
        torques.plot(time, walked.torque[:samples, column], label=name, **look)
        if name not in ANKLES:
            angles.plot(time, np.degrees(walked.angle[:samples, column]), **look)
    angles.set(xlabel="time, s", ylabel="degrees", title="Figs. 5, 6: angles")
    torques.set(xlabel="time, s", ylabel="N m", title="Figs. 11-13: torques")
    figure.legend(loc="outside lower center", ncols=6, fontsize="small")
