"""The simulated robot as the body of a virtual servo bus: shafts are joints, and servos drive them by their laws.

Until all servos have had torque for the first time, or since it was put on its feet, the robot's base is held where it
is, as by a hand.
"""

from __future__ import annotations

from dynamixel_bridge.virtual_servo import Drive, Shaft
from humanoid_description import Robot
from humanoid_sim import servo as law
from humanoid_sim.simulation import Simulation

GAINS = {"p_gain": law.GAIN_P, "i_gain": law.GAIN_I, "d_gain": law.GAIN_D}
PATIENCE = 0.05
"""s by which the simulation may be late before it gives up catching up."""


class BusBody:
    """Joints of one simulated robot, by servo id."""

    def __init__(self, simulation: Simulation, namespace: str) -> None:
        self._simulation = simulation
        self._namespace = namespace
        robot: Robot = simulation.robots[namespace]
        self._joints = list(robot.parameters.joints.values())
        self._column = {joint.bus_id: column for column, joint in enumerate(self._joints)}
        self._target = simulation.observe(namespace).joint_position.copy()
        self._parameters = simulation.scene.plant.servo_parameters
        self._factory = self._parameters.copy()
        self._factory_gains: dict[tuple[int, str], float] = {}
        self._off = set(self._column)
        self.held = True
        """Whether the robot is still held."""
        buffers, plant = simulation.scene.buffers, simulation.scene.plant
        dofs = plant.joint_dof.min()
        self._base = (buffers.qpos[: plant.joint_qpos.min()], buffers.qvel[:dofs], simulation.scene.data.qacc[:dofs])
        self._held_at = self._base[0].copy()
        self._late = 0.0
        self._moved: float | None = None
        simulation.set_torque(namespace, False)

    def shaft(self, id_: int) -> Shaft:
        """State of the shaft of a servo."""
        joint, column = self._joints[self._column[id_]], self._column[id_]
        scene = self._simulation.scene
        angle = float(scene.buffers.qpos[scene.plant.joint_qpos[column]])
        speed = float(scene.buffers.qvel[scene.plant.joint_dof[column]])
        load = float(scene.buffers.torque[column] / self._factory[column, law.STALL])
        return Shaft(joint.zero + joint.sign * angle, joint.sign * speed, max(-1.0, min(1.0, joint.sign * load)))

    def drive(self, id_: int, drive: Drive) -> None:
        """Take over what a servo does."""
        joint, column = self._joints[self._column[id_]], self._column[id_]
        row = self._parameters[column]
        if drive.on:
            self._off.discard(id_)
            self.held = self.held and bool(self._off)
        self._target[column] = joint.sign * (drive.goal - joint.zero)
        row[law.LIMIT] = drive.torque_share * self._factory[column, law.STALL] if drive.on else 0.0
        row[law.MAX_SPEED] = drive.max_speed
        if "cw_compliance_margin" in drive.rows and row[law.LAW] == law.DYNAMIXEL_RX:
            row[law.MARGIN] = max(drive.rows["cw_compliance_margin"], drive.rows["ccw_compliance_margin"])
            row[law.SLOPE] = max(drive.rows["cw_compliance_slope"], drive.rows["ccw_compliance_slope"], 1e-4)
            row[law.PUNCH] = drive.rows["punch"]
        for name, place in GAINS.items():
            if name in drive.rows:  # what the register held first stands for what robot.yaml says
                first = self._factory_gains.setdefault((column, name), drive.rows[name])
                row[place] = self._factory[column, place] * (drive.rows[name] / first if first else 1.0)

    def imu(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Turning rate (rad/s) and acceleration (m/s^2) of the inertial sensor along its axes."""
        seen = self._simulation.observe(self._namespace)
        return tuple(map(float, seen.angular_velocity)), tuple(map(float, seen.linear_acceleration))

    def advance(self, now: float) -> None:
        """Simulate up to a time (s, of any clock), or as far as patience goes."""
        if self._moved is None:
            self._moved = now
        dt = self._simulation.dt
        steps = int((now - self._moved) / dt)
        self._moved += steps * dt
        limit = int(PATIENCE / dt)
        self._late += max(0, steps - limit) * dt
        if not steps:
            return
        self._simulation.command(self._namespace, self._target.tolist())
        if not self.held:
            self._simulation.step(min(steps, limit))
            return
        place, speed, acceleration = self._base
        for _ in range(min(steps, limit)):
            self._simulation.step(1)
            place[:], speed[:], acceleration[:] = self._held_at, 0.0, 0.0

    def put_on_its_feet(self) -> None:
        """A hand puts the robot where it started, and holds it until all servos have torque; they stay as they are."""
        limits = self._parameters[:, law.LIMIT].copy()
        self._simulation.reset()
        self._parameters[:, law.LIMIT] = limits
        self._off = set(self._column)
        self.held = True

    @property
    def late(self) -> float:
        """Time by which the simulation has fallen behind in all, s."""
        return self._late
