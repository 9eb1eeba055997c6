"""The estimator in ROS 2: listens to fall tests, live or replayed, and publishes the adapted model."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import InertiaStamped, WrenchStamped
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory

from humanoid_adapt.adaptation_report import as_json
from humanoid_adapt.assembler import FEET, Assembler
from humanoid_adapt.estimator import Adaptation, estimate, refuse_if_worse
from humanoid_adapt.history import History
from humanoid_adapt.tip import tips_of
from humanoid_description import Robot, RobotError
from humanoid_description.robot_interface import LATCHED

LISTEN = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE)
"""Deep: a sample that is lost is lost for the estimate."""
MANY_LATCHED = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""One message per link must stay."""


class AdaptNode:
    """Serves `adapt/run` and `adapt/rollback`.

    Publishes `adapted_description`, `inertials` and `adapt/result`, all latched; a model that is in force when it
    starts at once.
    """

    def __init__(self, node: Node, robot: Robot, models: Path) -> None:
        self._node = node
        self.robot = robot
        self.history = History(models, robot)
        self.assembler = Assembler(robot)
        self.found: Adaptation | None = None
        types = {"joint_states": JointState, "joint_trajectory": JointTrajectory, "imu/data": Imu}
        types |= {"fall_test/state": DiagnosticArray, **dict.fromkeys(FEET, WrenchStamped)}
        for topic, kind in types.items():
            node.create_subscription(kind, topic, lambda message, topic=topic: self._take(topic, message), LISTEN)
        self._description = node.create_publisher(String, "adapted_description", LATCHED)
        self._inertials = node.create_publisher(InertiaStamped, "inertials", MANY_LATCHED)
        self._result = node.create_publisher(String, "adapt/result", LATCHED)
        node.create_service(Trigger, "adapt/run", self._on_run)
        node.create_service(Trigger, "adapt/rollback", self._on_rollback)
        if self.history.entries():
            self._publish(self.history.current())

    def _take(self, topic: str, message: object) -> None:
        self.assembler.take(topic, message)

    def _on_run(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            found = self.adapt()
            response.success = True
            sd = " ".join(f"{1e3 * value:.1f}" for value in found.com_sd)
            response.message = f"adapted to {len(found.residuals)} tests; centre of mass within {sd} mm"
        except RobotError as error:
            response.success, response.message = False, str(error)
        passed_over = self.assembler.passed_over()
        response.message += f" ({passed_over})" if passed_over else ""
        self._node.get_logger().info(response.message)
        return response

    def _on_rollback(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        try:
            entry = self.history.back(_now())
            self._publish(self.history.current())
            response.success, response.message = True, f"model {entry.number}: {entry.cause}"
        except RobotError as error:
            response.success, response.message = False, str(error)
        self._node.get_logger().info(response.message)
        return response

    def adapt(self) -> Adaptation:
        """Estimate from the tests of the newest session, and publish if the model is better than the one in force."""
        self.assembler.settle()
        tips, refused = tips_of(self.assembler.recordings, self.robot)
        refused = {**self.assembler.refused, **refused}
        found = estimate(self.robot, tips, refused=refused, in_force=self.history.current())
        refuse_if_worse(found)
        self.history.add(found.robot, f"{len(found.residuals)} fall tests", _now())
        self._publish(found.robot)
        self._result.publish(String(data=json.dumps(as_json(found))))
        self.found = found
        return found

    def _publish(self, robot: Robot) -> None:
        """Publish a model: all links, as one that was changed before may be as it was drawn again."""
        self._description.publish(String(data=robot.urdf))
        for link, body in robot.inertials.items():
            message = InertiaStamped()
            message.header.frame_id = link
            message.inertia.m = body.mass
            message.inertia.com.x, message.inertia.com.y, message.inertia.com.z = body.com_in_link.tolist()
            for name, (row, column) in {"xx": (0, 0), "xy": (0, 1), "xz": (0, 2), "yy": (1, 1)}.items():
                setattr(message.inertia, f"i{name}", float(body.inertia_about_com[row, column]))
            message.inertia.iyz = float(body.inertia_about_com[1, 2])
            message.inertia.izz = float(body.inertia_about_com[2, 2])
            self._inertials.publish(message)


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
