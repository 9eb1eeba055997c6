"""Fall tests in a real ROS graph: simulator, fall_test node and adapt node."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import rclpy
from graph import PATIENCE, Graph
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from sensor_msgs.msg import Imu, JointState
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger

from humanoid_adapt.fall_test_node import FallTestNode
from humanoid_adapt.routine import Settings
from humanoid_description import Robot
from humanoid_description.robot_interface import LATCHED, STREAM


def test_the_nodes_test_a_robot_and_adapt_its_model(graph: Graph, fibo: Robot) -> None:
    routine = graph.fall_test.routine
    assert routine is not None
    assert routine.done
    assert [one.test.name for one in routine.recordings] == ["both_forward", "both_backward"]
    assert routine.failures == {}
    # The robot heard every command of it, and the ramp has its rate.
    assert graph.sim_node.robots[0].interface.refused == 0


def test_a_second_run_can_be_paused_and_aborted(graph: Graph) -> None:
    assert not graph.trigger("/real/fall_test/confirm").success
    assert graph.trigger("/real/fall_test/run").success
    assert not graph.trigger("/real/fall_test/run").success
    assert graph.set("/real/fall_test/pause", True).message == "paused"
    assert graph.set("/real/fall_test/pause", False).message == "going on"
    assert graph.trigger("/real/fall_test/abort").success
    assert graph.fall_test.routine is not None
    assert graph.fall_test.routine.done
    assert not graph.trigger("/real/fall_test/abort").success


class Puppet:
    """A robot whose every message the test chooses, and its fall tests."""

    def __init__(self, robot: Robot) -> None:
        self.context = Context()
        rclpy.init(context=self.context)
        self._executor = SingleThreadedExecutor(context=self.context)
        self.robot, self.time, self.torque = robot, 0.0, [False]
        self.nodes = [Node(name, namespace="puppet", context=self.context) for name in ("fall_test", "robot", "user")]
        for node in self.nodes:
            self._executor.add_node(node)
        tester, self._body, self._user = self.nodes
        self.fall_test = FallTestNode(tester, robot, "paper", Settings(), "person")
        self._joints = self._body.create_publisher(JointState, "joint_states", STREAM)
        self._imu = self._body.create_publisher(Imu, "imu/data", STREAM)

    def serve_torque(self) -> None:
        """Be a robot that can be switched on."""

        def switch(request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
            self.torque.append(request.data)
            response.success = True
            return response

        self._body.create_service(SetBool, "torque", switch)

    def until(self, condition: Callable[[], Any]) -> None:
        """Serve until something holds."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "nothing happened"
            self._executor.spin_once(timeout_sec=0.05)

    def measure(self, silent: str = "", up: tuple[float, float, float] = (0.0, 0.0, 1.0)) -> None:
        """Publish what is measured a hundredth of a second later, and wait until it is dealt with."""
        self.until(lambda: self._joints.get_subscription_count() and self._imu.get_subscription_count())
        self.time += 0.01
        names = [name for name in self.robot.joint_names if name != silent]
        states, imu = JointState(name=names, position=[0.0] * len(names)), Imu()
        for message in (states, imu):
            message.header.stamp.sec = int(self.time)
            message.header.stamp.nanosec = round(1e9 * math.modf(self.time)[0])
        felt = imu.linear_acceleration
        felt.x, felt.y, felt.z = (9.81 * part for part in up)
        heard = self.fall_test.heard
        self._imu.publish(imu)
        self._joints.publish(states)
        self.until(lambda: self.fall_test.heard == heard + 2 and not self.fall_test.busy)

    def disturb(self) -> None:
        """Publish joint states with angles for nobody."""
        heard = self.fall_test.heard
        self._joints.publish(JointState(position=[1.0]))
        self.until(lambda: self.fall_test.heard == heard + 1)

    def trigger(self, name: str) -> Any:
        """Answer of a Trigger service."""
        client = self._user.create_client(Trigger, name)
        self.until(client.service_is_ready)
        future = client.call_async(Trigger.Request())
        self.until(future.done)
        return future.result()

    def run(self) -> SimpleNamespace:
        """Begin the tests, and wait until the servos are on."""
        answer = self.trigger("fall_test/run")
        self.until(lambda: not self.fall_test.busy)
        return SimpleNamespace(success=answer.success, message=answer.message)

    def close(self) -> None:
        """Take everything out of the graph."""
        self._executor.shutdown()
        for node in self.nodes:
            node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def puppet(fibo: Robot) -> Iterator[Puppet]:
    """A robot that is not there yet."""
    puppet = Puppet(fibo)
    yield puppet
    puppet.close()


def test_without_a_robot_nothing_begins(puppet: Puppet) -> None:
    assert "no robot serves /puppet/torque" in puppet.run().message
    puppet.serve_torque()
    puppet.until(lambda: "torque" not in puppet.fall_test.missing())
    assert "imu/data is silent" in puppet.run().message
    puppet.measure(silent="left_knee")
    answer = puppet.run()
    assert not answer.success
    assert "does not tell left_knee" in answer.message
    puppet.measure()
    assert puppet.run().success
    assert puppet.torque == [False, True]


def test_a_servo_may_leave_out_answers_but_not_stay_silent(puppet: Puppet) -> None:
    puppet.serve_torque()
    puppet.measure()
    puppet.until(lambda: not puppet.fall_test.missing())
    assert puppet.run().success
    routine = puppet.fall_test.routine
    assert routine is not None
    for count in range(60):
        puppet.disturb()
        puppet.measure(silent=puppet.robot.joint_names[count % 7])
    assert routine.phase == "move"
    for _ in range(102):
        puppet.measure(silent="left_knee")
    assert "left_knee has been silent for 1.0 s" in routine.aborted


def test_a_robot_that_somebody_stopped_is_tested_no_further(puppet: Puppet) -> None:
    puppet.serve_torque()
    puppet.measure()
    puppet.until(lambda: not puppet.fall_test.missing())
    assert puppet.run().success
    puppet.measure()
    stopped = puppet.nodes[1].create_publisher(Bool, "stopped", LATCHED)
    stopped.publish(Bool(data=True))
    routine = puppet.fall_test.routine
    assert routine is not None
    puppet.until(lambda: routine.done)
    assert routine.aborted == "the robot was stopped"


def test_a_robot_that_falls_after_abort_goes_soft(puppet: Puppet) -> None:
    puppet.serve_torque()
    puppet.measure()
    puppet.until(lambda: not puppet.fall_test.missing())
    assert puppet.run().success
    puppet.measure()
    assert puppet.trigger("fall_test/abort").success
    puppet.measure()
    assert puppet.torque == [False, True]
    for _ in range(100):
        puppet.measure(up=(0.0, 1.0, 0.0))
    assert puppet.torque == [False, True, False]
