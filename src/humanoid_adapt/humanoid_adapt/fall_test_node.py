"""The fall-test routine on a robot in ROS 2, simulated or real: it drives joint_trajectory and tells its phase."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import rclpy
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import WrenchStamped
from rclpy.client import Client
from rclpy.node import Node
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from humanoid_adapt.assembler import FEET, is_sound, seconds
from humanoid_adapt.protocol import protocol
from humanoid_adapt.recording import Sample
from humanoid_adapt.routine import Routine, Settings
from humanoid_description import Robot, RobotError
from humanoid_description.robot_interface import LATCHED, STREAM

HELPERS = ("person", "reset")
SILENT_SECONDS = 1.0
"""For which a servo's angle counts as unchanged when it does not answer, s; then the tests end."""
WATCH_SECONDS = 5.0
"""For which a robot that still stands after the end is watched, s: it goes soft if it falls."""


class FallTestNode:
    """Serves `fall_test/run`, `confirm`, `pause` and `abort`."""

    def __init__(self, node: Node, robot: Robot, protocol_name: str, settings: Settings, helper: str) -> None:
        """Offer the tests of a protocol.

        Args:
            node: In the robot's namespace.
            robot: Its model.
            protocol_name: Which tests.
            settings: How.
            helper: Who puts the robot back on its feet: a 'person', who confirms, or the simulator's service 'reset'.
        """
        if helper not in HELPERS:
            raise RobotError(f"fall_test: helper is '{helper}'. Known: {', '.join(HELPERS)}.")
        self._node, self._robot, self._settings, self._helper = node, robot, settings, helper
        self._tests = protocol(robot, protocol_name)
        self._columns = {name: column for column, name in enumerate(robot.joint_names)}
        self.routine: Routine | None = None
        self._imu: Imu | None = None
        self._angles = np.full(robot.dof, math.nan)
        self._answered = np.full(robot.dof, -math.inf)
        self._feet: dict[str, np.ndarray] = {}
        self._command: np.ndarray | None = None
        self._waiting: JointState | None = None
        self._torque = self._switching_on = False
        self._told = ("", "")
        self._session = ""
        self._ended = math.inf
        self._asked = 0
        self.heard = 0
        """How many of joint_states and imu/data it has heard."""
        self.commands = self.states = 0
        """How many of joint_trajectory and of fall_test/state it has sent."""
        node.create_subscription(JointState, "joint_states", self._on_joint_states, STREAM)
        node.create_subscription(Imu, "imu/data", self._on_imu, STREAM)
        for topic, side in FEET.items():
            node.create_subscription(
                WrenchStamped, topic, lambda message, side=side: self._on_foot(side, message), STREAM
            )
        node.create_subscription(Bool, "stopped", self._on_stopped, LATCHED)
        self._trajectory = node.create_publisher(JointTrajectory, "joint_trajectory", STREAM)
        self._state = node.create_publisher(DiagnosticArray, "fall_test/state", STREAM)
        self._set_torque = node.create_client(SetBool, "torque")
        self._reset = node.create_client(Trigger, "reset")
        node.create_service(Trigger, "fall_test/run", self._on_run)
        node.create_service(Trigger, "fall_test/confirm", self._on_confirm)
        node.create_service(Trigger, "fall_test/abort", self._on_abort)
        node.create_service(SetBool, "fall_test/pause", self._on_pause)

    def _on_run(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        problem = self.missing() if self.routine is None or self.routine.done else "tests are under way"
        response.success = not problem
        if response.success:
            self.routine = Routine(self._robot, self._tests, self._settings)
            self._told, self._session, self._ended = ("", ""), "", math.inf
            self._stand_up()
        response.message = problem or f"{len(self._tests)} tests"
        return response

    def missing(self) -> str:
        """What the robot lacks for a test; empty if nothing."""
        space = self._node.get_namespace()
        if not self._set_torque.service_is_ready():
            return f"no robot serves {space}/torque. Start it, or give its --namespace."
        if self._imu is None:
            return f"{space}/imu/data is silent. A fall is seen by the IMU: check it."
        silent = [name for name, angle in zip(self._robot.joint_names, self._angles, strict=True) if math.isnan(angle)]
        return f"{space}/joint_states does not tell {', '.join(silent)}. Check the servos." if silent else ""

    def _on_confirm(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self.routine is not None and self.routine.phase == "help" and not self.routine.done
        if response.success:
            self._stand_up()
        response.message = "going on" if response.success else "nothing is waiting for a person"
        return response

    def _on_stopped(self, message: Bool) -> None:
        """A robot that somebody stopped obeys no longer: what was asked of it would be no test."""
        if message.data and self.routine is not None and not self.routine.done:
            self.routine.abort("the robot was stopped")

    def _on_abort(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        response.success = self.routine is not None and not self.routine.done
        if response.success:
            self.routine.abort("asked to")
        response.message = "aborted" if response.success else "no test is under way"
        return response

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        response.success = self.routine is not None and not self.routine.done
        if response.success:
            self.routine.pause() if request.data else self.routine.resume()
        response.message = "paused" if response.success and request.data else "going on"
        return response

    @property
    def busy(self) -> bool:
        """Whether the answer of a service is being waited for."""
        return self._asked > 0

    def _stand_up(self) -> None:
        """Switch the servos on where they are; then the test begins."""
        self._command = None
        if not self._switching_on:
            self._switching_on = True
            self._call(self._set_torque, SetBool.Request(data=True), self._on_torque)

    def _on_torque(self, answer: SetBool.Response) -> None:
        assert self.routine is not None
        self._switching_on = False
        self._torque = bool(answer.success)
        if self._torque:
            self.routine.confirm()
        elif self.routine.phase == "help":
            self._node.get_logger().error(f"{answer.message} Then call fall_test/confirm again.")
        else:
            self.routine.abort(answer.message)
            self._node.get_logger().error(f"{answer.message} Then call fall_test/run again.")

    def _call(self, client: Client, request: object, then: Callable[[Any], None]) -> None:
        """Ask a service without waiting; `then` gets its answer."""
        self._asked += 1

        def answered(future: rclpy.task.Future) -> None:
            self._asked -= 1
            then(future.result())

        client.call_async(request).add_done_callback(answered)

    def _on_foot(self, side: str, message: WrenchStamped) -> None:
        force, torque = message.wrench.force, message.wrench.torque
        self._feet[side] = np.array([force.x, force.y, force.z, torque.x, torque.y, torque.z])

    def _on_imu(self, message: Imu) -> None:
        self.heard += 1
        time, waiting = seconds(message.header.stamp), self._waiting
        if waiting is not None and time > seconds(waiting.header.stamp):
            self._take(waiting)  # of its own time the IMU has said nothing
        self._imu = message
        if waiting is not None and time == seconds(waiting.header.stamp):
            self._take(waiting)

    def _on_joint_states(self, message: JointState) -> None:
        """Joint angles wait for the IMU's word on the same time, but not beyond the next ones."""
        self.heard += 1
        if not is_sound("joint_states", message):
            return
        if self._waiting is not None:
            self._take(self._waiting)
        self._waiting = message
        if self._imu is not None and seconds(self._imu.header.stamp) >= seconds(message.header.stamp):
            self._take(message)

    def _take(self, message: JointState) -> None:
        self._waiting = None
        time = seconds(message.header.stamp)
        for name, angle in zip(message.name, message.position, strict=True):
            if name in self._columns and math.isfinite(angle):
                self._angles[self._columns[name]], self._answered[self._columns[name]] = angle, time
        if self.routine is None or self._imu is None or self._switching_on:
            return
        if self.routine.done and self._told[1] == "done" and not (self._torque and time < self._ended + WATCH_SECONDS):
            return
        self._end_if_silent(time, self.routine)
        position = self._angles.copy()
        turning, acceleration = self._imu.angular_velocity, self._imu.linear_acceleration
        sample = Sample(
            time=time,
            position=position,
            command=position if self._command is None else self._command,
            angular_velocity=np.array([turning.x, turning.y, turning.z]),
            linear_acceleration=np.array([acceleration.x, acceleration.y, acceleration.z]),
            foot_force=dict(self._feet),
        )
        self._tell(message, self.routine)
        action = self.routine.update(sample)
        if self.routine.done:
            self._tell(message, self.routine)
            self._ended = min(self._ended, time)
        if self._torque and not action.torque:
            self._torque = False
            self._call(self._set_torque, SetBool.Request(data=False), self._note)
        if action.ask and self.routine.phase == "help":
            self._ask(action.ask)
        elif self._torque and not self.routine.done:
            self._send(action.command, message.header.stamp)

    def _end_if_silent(self, time: float, routine: Routine) -> None:
        """A servo that leaves out single answers stands where it was; nobody knows where a silent one is."""
        longest = int(np.argmin(self._answered))
        silent = time - self._answered[longest]
        if silent > SILENT_SECONDS and not routine.done:
            name = self._robot.joint_names[longest]
            routine.abort(f"{name} has been silent for {silent:.1f} s")
            self._node.get_logger().error(f"{routine.aborted}. Check its cable, then call fall_test/run again.")

    def _note(self, answer: SetBool.Response) -> None:
        self._node.get_logger().info(answer.message)

    def _ask(self, what: str) -> None:
        if self._helper == "person":
            self._node.get_logger().info(f"{what}, then call fall_test/confirm", throttle_duration_sec=10.0)
        elif not self.busy:
            self._call(self._reset, Trigger.Request(), self._on_reset)

    def _on_reset(self, answer: Trigger.Response) -> None:
        if answer.success:
            self._stand_up()

    def _send(self, command: np.ndarray, stamp: Time) -> None:
        """Send a set point, stamped with the sample that it answers."""
        self._command = command
        self.commands += 1
        point = JointTrajectoryPoint(positions=command.tolist())
        message = JointTrajectory(joint_names=list(self._robot.joint_names), points=[point])
        message.header.stamp = stamp
        self._trajectory.publish(message)

    def _tell(self, message: JointState, routine: Routine) -> None:
        phase = "done" if routine.done else routine.phase
        if (routine.test.name, phase) == self._told:
            return
        self._told = (routine.test.name, phase)
        test, stamp = routine.test, message.header.stamp
        self._session = self._session or f"{stamp.sec}.{stamp.nanosec:09d}"
        texts = {"test": test.name, "support": test.support, "direction": test.direction, "phase": phase}
        texts["session"] = self._session
        status = DiagnosticStatus(
            name="fall_test",
            message=f"{test.name}: {phase}",
            values=[KeyValue(key=key, value=value) for key, value in texts.items()],
        )
        array = DiagnosticArray(status=[status])
        array.header.stamp = stamp
        self.states += 1
        self._state.publish(array)
        self._node.get_logger().info(status.message)
