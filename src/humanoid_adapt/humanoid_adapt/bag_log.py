"""A fall-test run written as messages: into a bag, and to the assembler that a live robot's messages go to as well."""

from __future__ import annotations

from typing import Any

import numpy as np

from humanoid_adapt.assembler import FEET, Assembler
from humanoid_adapt.bag import TYPES, BagWriter, encode
from humanoid_adapt.fall_test import FallTest
from humanoid_adapt.recording import Sample
from humanoid_description import Robot

_types = TYPES.types


def _header(time_ns: int, frame: str = "") -> Any:
    stamp = _types["builtin_interfaces/msg/Time"](sec=time_ns // 10**9, nanosec=time_ns % 10**9)
    return _types["std_msgs/msg/Header"](stamp=stamp, frame_id=frame)


def _vector(values: Any) -> Any:
    x, y, z = (float(value) for value in values)
    return _types["geometry_msgs/msg/Vector3"](x=x, y=y, z=z)


def state_message(time_ns: int, test: FallTest, phase: str) -> Any:
    """Phase of a test as diagnostic_msgs/DiagnosticArray, which viewers show."""
    key_value = _types["diagnostic_msgs/msg/KeyValue"]
    texts = {"test": test.name, "support": test.support, "direction": test.direction, "phase": phase}
    values = [key_value(key=key, value=value) for key, value in texts.items()]
    status = _types["diagnostic_msgs/msg/DiagnosticStatus"](
        level=0, name="fall_test", message=f"{test.name}: {phase}", hardware_id="", values=values
    )
    return _types["diagnostic_msgs/msg/DiagnosticArray"](header=_header(time_ns), status=[status])


class BagLog:
    """Writes what happens under a namespace."""

    def __init__(self, robot: Robot, writer: BagWriter, namespace: str) -> None:
        self.robot = robot
        self.assembler = Assembler(robot)
        self._writer = writer
        self._namespace = "/" + namespace.strip("/")
        self._state = ("", "")
        self._sampled_ns = 0
        text = _types["std_msgs/msg/String"](data=robot.urdf)
        self.write("robot_description", 0, text)

    def write(self, topic: str, time_ns: int, message: Any) -> None:
        """Write one message and hand it to the assembler as a reader of the bag will get it."""
        data = encode(message)
        self._writer.write(f"{self._namespace}/{topic}", message.__msgtype__, time_ns, data)
        self.assembler.take(topic, TYPES.deserialize_cdr(data, message.__msgtype__))

    def state(self, time: float, test: FallTest, phase: str) -> None:
        """Note the phase of the routine (time in s) when it has changed."""
        if (test.name, phase) != self._state:
            self._state = (test.name, phase)
            time_ns = round(time * 1e9)
            self.write("fall_test/state", time_ns, state_message(time_ns, test, phase))

    def sample(self, sample: Sample) -> None:
        """Write sensors and command of one time."""
        time_ns = round(sample.time * 1e9)
        zero = np.zeros(0)
        point = _types["trajectory_msgs/msg/JointTrajectoryPoint"](
            positions=np.asarray(sample.command, dtype=float),
            velocities=zero,
            accelerations=zero,
            effort=zero,
            time_from_start=_types["builtin_interfaces/msg/Duration"](sec=0, nanosec=0),
        )
        names = list(self.robot.joint_names)
        # The command that is in force was given after the sample before.
        given_ns, self._sampled_ns = self._sampled_ns, time_ns
        header = _header(given_ns)
        command = _types["trajectory_msgs/msg/JointTrajectory"](header=header, joint_names=names, points=[point])
        self.write("joint_trajectory", time_ns, command)
        unknown = np.zeros(9)
        unknown[0] = -1.0
        imu = _types["sensor_msgs/msg/Imu"](
            header=_header(time_ns, self.robot.parameters.imu.link),
            orientation=_types["geometry_msgs/msg/Quaternion"](x=0.0, y=0.0, z=0.0, w=1.0),
            orientation_covariance=unknown,
            angular_velocity=_vector(sample.angular_velocity),
            angular_velocity_covariance=np.zeros(9),
            linear_acceleration=_vector(sample.linear_acceleration),
            linear_acceleration_covariance=np.zeros(9),
        )
        self.write("imu/data", time_ns, imu)
        for topic, side in FEET.items():
            if side in sample.foot_force:
                force = sample.foot_force[side]
                wrench = _types["geometry_msgs/msg/Wrench"](force=_vector(force[:3]), torque=_vector(force[3:]))
                frame = self.robot.parameters.feet[side].link
                stamped = _types["geometry_msgs/msg/WrenchStamped"](header=_header(time_ns, frame), wrench=wrench)
                self.write(topic, time_ns, stamped)
        states = _types["sensor_msgs/msg/JointState"](
            header=_header(time_ns),
            name=names,
            position=np.asarray(sample.position, dtype=float),
            velocity=np.zeros(0),
            effort=np.zeros(0),
        )
        self.write("joint_states", time_ns, states)
