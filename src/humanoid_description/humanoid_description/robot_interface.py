"""The robot's ROS face, the same for simulator, Gazebo and hardware, so that nobody can tell them apart.

Names are relative to the node's namespace; only standard messages are used. A command that is not sound changes
nothing: it is counted, and the count with the last reason goes to /diagnostics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from builtin_interfaces.msg import Duration, Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import InertiaStamped, Quaternion, Vector3, WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Bool, String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

from humanoid_description.command import (
    CommandRefused,
    Load,
    Push,
    Trajectory,
    checked_inertials,
    checked_load,
    checked_push,
    checked_trajectory,
)
from humanoid_description.errors import RobotError
from humanoid_description.robot import Robot

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""For what a late joiner must still get."""
STREAM = QoSProfile(depth=10)
UNKNOWN = -1.0
"""First element of a covariance whose quantity is not measured (sensor_msgs/Imu)."""


def _heard(publisher: Publisher) -> bool:
    """Whether somebody listens; to make and send a message for nobody takes a twentieth of a control period."""
    return bool(publisher.get_subscription_count())


@dataclass(frozen=True)
class RobotHandlers:
    """What a robot does when told to. A handler that refuses raises CommandRefused; what is None is not offered."""

    follow: Callable[[Trajectory], None]
    """Move along a trajectory."""
    set_torque: Callable[[bool], str]
    """Switch the servos on or off; returns what to tell the caller."""
    stop: Callable[[], str]
    """Stop now; returns what to tell the caller. No trajectory comes after it until the servos are switched on."""
    reset: Callable[[], str] | None = None
    """Start anew; returns what to tell the caller."""
    push: Callable[[Push], None] | None = None
    """Be pushed."""
    carry: Callable[[Load], None] | None = None
    """Carry a load that its description does not tell."""
    adapt: Callable[[Robot], None] | None = None
    """Take over the robot with adapted inertials."""


class RobotInterface:
    """Topics and services of one robot on a node."""

    def __init__(self, node: Node, robot: Robot, handlers: RobotHandlers) -> None:
        self.robot = robot
        self._node = node
        self._handlers = handlers
        self.accepted = 0
        self.limited = 0
        self.refused = 0
        self.last_refusal = ""
        self.stopped = False
        """Whether trajectories are refused, as the robot was stopped."""
        self._speed_limits = {
            name: robot.parameters.servos[joint.servo].no_load_speed for name, joint in robot.parameters.joints.items()
        }
        self._description = node.create_publisher(String, "robot_description", LATCHED)
        self._joint_states = node.create_publisher(JointState, "joint_states", STREAM)
        self._imu = node.create_publisher(Imu, "imu/data", STREAM)
        self._wrenches = {
            side: node.create_publisher(WrenchStamped, f"foot/{side}/wrench", STREAM) for side in robot.parameters.feet
        }
        self._odometry = node.create_publisher(Odometry, "ground_truth/odom", STREAM)
        self._diagnostics = node.create_publisher(DiagnosticArray, "/diagnostics", STREAM)
        self._stopped = node.create_publisher(Bool, "stopped", LATCHED)
        node.create_subscription(JointTrajectory, "joint_trajectory", self._on_trajectory, STREAM)
        node.create_service(SetBool, "torque", self._on_torque)
        node.create_service(Trigger, "stop", self._on_stop)
        if handlers.reset is not None:
            reset = handlers.reset
            node.create_service(Trigger, "reset", lambda _, response: self._answer(reset, response))
        if handlers.push is not None:
            node.create_subscription(WrenchStamped, "push", self._on_push, STREAM)
        if handlers.carry is not None:
            node.create_subscription(InertiaStamped, "payload", self._on_payload, STREAM)
        if handlers.adapt is not None:
            node.create_subscription(String, "adapted_description", self._on_adapted, LATCHED)
        self._description.publish(String(data=robot.urdf))
        self._latch_stop(False)

    def publish_joint_states(
        self,
        stamp: Time,
        position: Sequence[float],
        velocity: Sequence[float],
        effort: Sequence[float],
        measured: Sequence[bool] | None = None,
    ) -> None:
        """Joint angles (rad), speeds (rad/s) and torques (N m) in the order of Robot.joint_names.

        Joints that were not `measured` are left out of the message.
        """
        measured = [True] * self.robot.dof if measured is None else measured
        if not len(position) == len(velocity) == len(effort) == len(measured) == self.robot.dof:
            raise ValueError(f"joint states: give {self.robot.dof} positions, velocities and efforts")
        if not _heard(self._joint_states):
            return

        def chosen(values: Sequence[float]) -> list[float]:
            return [float(value) for value, known in zip(values, measured, strict=True) if known]

        names = [name for name, known in zip(self.robot.joint_names, measured, strict=True) if known]
        message = JointState(name=names, position=chosen(position), velocity=chosen(velocity), effort=chosen(effort))
        message.header.stamp = stamp
        self._joint_states.publish(message)

    def publish_imu(
        self,
        stamp: Time,
        angular_velocity: Sequence[float],
        linear_acceleration: Sequence[float],
        orientation_xyzw: Sequence[float] | None = None,
    ) -> None:
        """Turning rate (rad/s) and acceleration (m/s^2) in the IMU link's axes; attitude in the world if known."""
        if not _heard(self._imu):
            return
        message = Imu(angular_velocity=_vector(angular_velocity), linear_acceleration=_vector(linear_acceleration))
        message.header.stamp = stamp
        message.header.frame_id = self.robot.parameters.imu.link
        if orientation_xyzw is None:
            message.orientation_covariance[0] = UNKNOWN
        else:
            message.orientation = _quaternion(orientation_xyzw)
        self._imu.publish(message)

    def publish_foot_wrench(self, stamp: Time, side: str, force: Sequence[float], torque: Sequence[float]) -> None:
        """Force (N) and torque (N m) of the ground on a foot, at the origin and along the axes of the foot's link."""
        if not _heard(self._wrenches[side]):
            return
        message = WrenchStamped()
        message.header.stamp = stamp
        message.header.frame_id = self.robot.parameters.feet[side].link
        message.wrench.force, message.wrench.torque = _vector(force), _vector(torque)
        self._wrenches[side].publish(message)

    def publish_odometry(
        self,
        stamp: Time,
        position_in_world: Sequence[float],
        orientation_xyzw: Sequence[float],
        linear_velocity_in_base: Sequence[float],
        angular_velocity_in_base: Sequence[float],
    ) -> None:
        """True pose (m) and twist (m/s, rad/s) of the base, where somebody knows them."""
        if not _heard(self._odometry):
            return
        message = Odometry(child_frame_id=self.robot.base_model.root)
        message.header.stamp = stamp
        message.header.frame_id = "world"
        place = message.pose.pose.position
        place.x, place.y, place.z = _floats(position_in_world)
        message.pose.pose.orientation = _quaternion(orientation_xyzw)
        message.twist.twist.linear = _vector(linear_velocity_in_base)
        message.twist.twist.angular = _vector(angular_velocity_in_base)
        self._odometry.publish(message)

    def publish_diagnostics(self, stamp: Time, others: Sequence[DiagnosticStatus] = ()) -> None:
        """How the commands fared, with whatever else the node has to report."""
        values = {"accepted": self.accepted, "limited": self.limited, "refused": self.refused}
        status = DiagnosticStatus(
            level=DiagnosticStatus.WARN if self.refused else DiagnosticStatus.OK,
            name=f"{self._node.get_fully_qualified_name()}: commands",
            message=f"refused, last: {self.last_refusal}" if self.refused else "all commands were sound",
            hardware_id=self.robot.name,
            values=_key_values(values),
        )
        message = DiagnosticArray(status=[status, *others])
        message.header.stamp = stamp
        self._diagnostics.publish(message)

    def _on_trajectory(self, message: JointTrajectory) -> None:
        def follow() -> None:
            if self.stopped:
                raise CommandRefused("joint_trajectory: the robot was stopped. Call torque with true to go on.")
            trajectory = checked_trajectory(
                self.robot.parameters.joints,
                self._speed_limits,
                message.joint_names,
                [_seconds(point.time_from_start) for point in message.points],
                [point.positions for point in message.points],
                [point.velocities for point in message.points],
            )
            self._handlers.follow(trajectory)
            self.limited += trajectory.limited

        self._carry_out(follow)

    def _on_push(self, message: WrenchStamped) -> None:
        def push() -> None:
            force, torque = message.wrench.force, message.wrench.torque
            link = message.header.frame_id or self.robot.base_model.root
            pushed = checked_push(
                self.robot.inertials, link, (force.x, force.y, force.z), (torque.x, torque.y, torque.z)
            )
            assert self._handlers.push is not None
            self._handlers.push(pushed)

        self._carry_out(push)

    def _on_payload(self, message: InertiaStamped) -> None:
        def carry() -> None:
            place = message.inertia.com
            link = message.header.frame_id
            load = checked_load(self.robot.inertials, link, message.inertia.m, (place.x, place.y, place.z))
            assert self._handlers.carry is not None
            self._handlers.carry(load)

        self._carry_out(carry)

    def _on_adapted(self, message: String) -> None:
        def adapt() -> None:
            adapted = self.robot.with_inertials(
                checked_inertials(self.robot.base_model, self.robot.inertials, message.data)
            )
            assert self._handlers.adapt is not None
            self._handlers.adapt(adapted)
            self.robot = adapted

        self._carry_out(adapt)

    def _carry_out(self, command: Callable[[], None]) -> None:
        try:
            command()
            self.accepted += 1
        except RobotError as error:
            self.refused += 1
            self.last_refusal = str(error)
            self._node.get_logger().warning(str(error), throttle_duration_sec=1.0)

    def _on_torque(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._answer(lambda: self._handlers.set_torque(request.data), response)
        if request.data and response.success:
            self.release()
        return response

    def _on_stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        # Whoever moves the robot knows nothing of it and would go on in its next cycle.
        self._latch_stop(True)
        return self._answer(self._handlers.stop, response)

    def release(self) -> None:
        """Follow trajectories again after a stop."""
        if self.stopped:
            self._latch_stop(False)

    def _latch_stop(self, stopped: bool) -> None:
        self.stopped = stopped
        self._stopped.publish(Bool(data=stopped))

    def _answer(self, action: Callable[[], str], response: SetBool.Response) -> SetBool.Response:
        try:
            response.message = action()
            response.success = True
        except RobotError as error:
            response.message = str(error)
            response.success = False
        return response


def _seconds(duration: Duration) -> float:
    return duration.sec + 1e-9 * duration.nanosec


def _floats(values: Sequence[float]) -> list[float]:
    return [float(value) for value in values]


def _vector(values: Sequence[float]) -> Vector3:
    x, y, z = _floats(values)
    return Vector3(x=x, y=y, z=z)


def _quaternion(xyzw: Sequence[float]) -> Quaternion:
    x, y, z, w = _floats(xyzw)
    return Quaternion(x=x, y=y, z=z, w=w)


def _key_values(values: Mapping[str, object]) -> list[KeyValue]:
    return [KeyValue(key=key, value=str(value)) for key, value in values.items()]
