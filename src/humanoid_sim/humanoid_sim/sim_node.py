"""The simulator in ROS 2: several robots in one world, each in its namespace, in real time or at a chosen factor."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Sequence

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.context import Context
from rclpy.executors import Executor
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Float64
from std_srvs.srv import SetBool

from humanoid_description import Robot, RobotError
from humanoid_description.arrivals_node import serve_arrived
from humanoid_description.command import Load, Push, Trajectory
from humanoid_description.follower import TrajectoryFollower
from humanoid_description.interpolation import reference_limits
from humanoid_description.payload import Payload
from humanoid_description.process_node import ros_process
from humanoid_description.robot_interface import STREAM, RobotHandlers, RobotInterface
from humanoid_sim.simulation import Simulation
from humanoid_sim.world_node import WorldPublisher

PUSH_SECONDS = 0.1
"""How long a push from the topic `push` lasts, as the message has no duration."""
DEFAULT_RATE = 100.0
"""Of commands and joint states, Hz."""
DIAGNOSTICS_PERIOD = 1.0
"""s of real time, so that a paused or slow simulation still speaks."""
PATIENCE = 0.1
"""s by which the simulation may be late before it gives up catching up and reports a lower factor."""
LONGEST_WAIT = 0.1
"""s until a request to stop is noticed."""


def ticks(control_rate: float, dt: float) -> tuple[int, int]:
    """Time steps (s) of a tick, and ticks of a control period (Hz). RobotError if the steps do not divide it.

    Two, as the IMU speaks twice as often as the joints, or one if the period has an odd number of steps.
    """
    fastest = 1.0 / dt
    if not 1.0 <= control_rate <= fastest * (1 + 1e-9):
        raise RobotError(f"rate: is {control_rate} Hz. Give 1 to {fastest:g} Hz at a time step of {dt:g} s.")
    exact = fastest / control_rate
    steps = round(exact)
    if abs(exact - steps) > 2e-3:
        near = " or ".join(f"{fastest / count:g}" for count in (math.ceil(exact), math.floor(exact)))
        raise RobotError(
            f"rate: a period of {control_rate:g} Hz is {exact:.2f} time steps of {dt:g} s. Take {near} Hz."
        )
    return (steps, 1) if steps % 2 else (steps // 2, 2)


class SimulatedRobot:
    """One robot of the simulation and its ROS face."""

    def __init__(
        self,
        simulation: Simulation,
        namespace: str,
        reset_all: Callable[[], str],
        interpolation: str,
        stands_for_real: bool,
        context: Context | None,
    ) -> None:
        self._simulation = simulation
        self.namespace = namespace
        self._loads: dict[str, Payload] = {}
        self.node = Node("robot", namespace=namespace, context=context)
        self._model = robot = simulation.robots[namespace]
        posture = simulation.observe(namespace).joint_position
        limits = reference_limits(robot.parameters)
        self._follower = TrajectoryFollower(robot.joint_names, posture, interpolation, limits)
        handlers = RobotHandlers(
            follow=self._follow,
            set_torque=self._set_torque,
            stop=self._stop,
            reset=reset_all,
            push=self._push,
            carry=self._carry,
            adapt=None if stands_for_real else self._adapt,
        )
        self.interface = RobotInterface(self.node, robot, handlers)

    def _follow(self, trajectory: Trajectory) -> None:
        self._follower.follow(trajectory, self._simulation.time)

    def _set_torque(self, enabled: bool) -> str:
        self._simulation.set_torque(self.namespace, enabled)
        return "servos are on" if enabled else "servos are off"

    def _stop(self) -> str:
        self.hold()
        return "holding the present posture"

    def hold(self) -> None:
        """Forget all trajectories and stay where the joints are."""
        self._follower.hold(self._simulation.observe(self.namespace).joint_position)

    def restart(self) -> None:
        """Stay as it was put at its start, ready for trajectories."""
        self.hold()
        self.interface.release()

    def _push(self, push: Push) -> None:
        self._simulation.push(self.namespace, push.link, push.force, PUSH_SECONDS, push.torque)

    def _carry(self, load: Load) -> None:
        loads = {link: payload for link, payload in self._loads.items() if link != load.link}
        if load.payload is not None:
            loads[load.link] = load.payload
        self._become(self._model, loads)
        self.node.get_logger().info(f"carries {sum(payload.mass for payload in loads.values()):.3f} kg")

    def _become(self, model: Robot, loads: dict[str, Payload]) -> None:
        """The body is the model with what hangs on it, of which nobody else knows."""
        self._simulation.adapt(self.namespace, model.with_payloads(loads.values()))
        self._model, self._loads = model, loads

    def _adapt(self, robot: Robot) -> None:
        self._become(robot, self._loads)
        how = self._simulation.adapts
        self.node.get_logger().info(f"took over adapted inertials {how}; the robot weighs {robot.mass:.3f} kg")

    def command(self) -> None:
        """Send the servos where the newest trajectory wants them."""
        self._simulation.command(self.namespace, *self._follower.target(self._simulation.time))

    def publish(self, stamp: Time, imu_only: bool) -> None:
        """Tell what the sensors say."""
        if imu_only:
            self.interface.publish_imu(stamp, *self._simulation.imu(self.namespace))
            return
        seen = self._simulation.observe(self.namespace)
        attitude = seen.base_orientation_xyzw
        self.interface.publish_imu(stamp, seen.angular_velocity, seen.linear_acceleration, attitude)
        self.interface.publish_joint_states(stamp, seen.joint_position, seen.joint_velocity, seen.joint_torque)
        for side, wrench in seen.foot_force.items():
            self.interface.publish_foot_wrench(stamp, side, wrench[:3], wrench[3:])
        linear, angular = self._simulation.base_twist(self.namespace)
        self.interface.publish_odometry(stamp, seen.base_position, attitude, linear, angular)


class SimNode:
    """Steps the simulation, keeps time, and serves all robots of it."""

    def __init__(
        self,
        simulation: Simulation,
        factor: float = 1.0,
        control_rate: float = DEFAULT_RATE,
        interpolation: str = "linear",
        context: Context | None = None,
        complaint: Callable[[str], str | None] = lambda namespace: None,
        real: Collection[str] = (),
    ) -> None:
        """Bring a simulation into ROS.

        Args:
            simulation: With its robots.
            factor: Simulated over real time; infinite for as fast as it goes.
            control_rate: Of commands and joint states, Hz; the IMU has twice as many, if time steps allow.
            interpolation: Between the points of a trajectory: 'linear', 'cubic' or 'two_interval'.
            context: Of rclpy; the default one if not given.
            complaint: What /diagnostics shall say of a robot that is not as it should be.
            real: Robots that stand for real ones: an adapted description is for others to follow them, and leaves them
                what they are.
        """
        self._complaint = complaint
        self.steps, self._ticks_per_period = ticks(control_rate, simulation.dt)
        """Time steps of a tick."""
        self._tick_period = self.steps * simulation.dt
        self.simulation = simulation
        self.node = Node("simulator", context=context)
        self.robots = [
            SimulatedRobot(simulation, name, self._reset, interpolation, name in real, context)
            for name in simulation.robots
        ]
        self.paused = False
        self.factor = factor
        """Simulated over real time that is asked for."""
        self._clock = self.node.create_publisher(Clock, "/clock", STREAM)
        self.node.create_service(SetBool, "/pause", self._on_pause)
        self.node.create_subscription(Float64, "/speed", self._on_speed, STREAM)
        self._world = WorldPublisher(self.node, simulation.scene)
        self._ticks = 0
        self._next_tick = time.monotonic()
        self._reported = (time.monotonic(), 0.0)

    @property
    def simulated(self) -> float:
        """Seconds simulated in all, also those before a reset."""
        return self._ticks * self._tick_period

    def add_to(self, executor: Executor) -> None:
        """Let an executor serve all nodes."""
        for node in (self.node, *(robot.node for robot in self.robots)):
            executor.add_node(node)

    def _reset(self) -> str:
        self.simulation.reset()
        for robot in self.robots:
            robot.restart()
        return "all robots stand at their start"

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self.paused = request.data
        self._reported = (time.monotonic(), self.simulated)  # a pause is no slowness
        response.success, response.message = True, "paused" if self.paused else "running"
        return response

    def _on_speed(self, message: Float64) -> None:
        if message.data > 0:
            self.factor = message.data
            self._next_tick = time.monotonic()
            self._reported = (time.monotonic(), self.simulated)
        else:
            self.node.get_logger().warning(f"/speed: is {message.data}. Send a number above zero; /pause stops time.")

    def _stamp(self) -> Time:
        seconds, nanoseconds = divmod(round(self.simulation.time * 1e9), 1_000_000_000)
        return Time(sec=seconds, nanosec=nanoseconds)

    def wait(self) -> float:
        """Real seconds until the next tick is due."""
        return max(0.0, self._next_tick - time.monotonic())

    def tick(self) -> None:
        """Advance by a tick and publish: the IMU always, the rest once in a control period."""
        now = time.monotonic()
        self._next_tick += self._tick_period / self.factor
        if self._next_tick < now - PATIENCE:
            self._next_tick = now
        if not self.paused:
            self.begin_tick()
            self.simulation.step(self.steps)
            self.end_tick()
        self.report()

    def begin_tick(self) -> None:
        """Tell the servos where to go; between this and end_tick the simulation advances by `steps`."""
        if self._ticks % self._ticks_per_period == 0:
            for robot in self.robots:
                robot.command()

    def end_tick(self) -> None:
        """Publish what has become of it."""
        whole = self._ticks % self._ticks_per_period == 0
        self._ticks += 1
        stamp = self._stamp()
        self._clock.publish(Clock(clock=stamp))
        for robot in self.robots:
            robot.publish(stamp, imu_only=not whole)
        if whole:
            self._world.publish_ball(stamp)

    def report(self) -> None:
        """Say in /diagnostics how it goes, once in a while."""
        now = time.monotonic()
        then, simulated = self._reported
        if now - then < DIAGNOSTICS_PERIOD:
            return
        factor = (self.simulated - simulated) / (now - then)
        slow = not self.paused and math.isfinite(self.factor) and factor < 0.95 * self.factor
        text = "paused: call /pause with false to go on" if self.paused else f"{factor:.2f} times real time"
        status = DiagnosticStatus(
            level=DiagnosticStatus.WARN if slow or self.paused else DiagnosticStatus.OK,
            name="simulator",
            message=text + (", slower than asked for" if slow else ""),
            values=[KeyValue(key="real_time_factor", value=f"{factor:.3f}")],
        )
        for index, robot in enumerate(self.robots):
            statuses = [status] if index == 0 else []
            complaint = self._complaint(robot.namespace)
            if complaint is not None:
                name = f"{robot.node.get_fully_qualified_name()}: model"
                statuses.append(DiagnosticStatus(level=DiagnosticStatus.WARN, name=name, message=complaint))
            robot.interface.publish_diagnostics(self._stamp(), statuses)
        self._reported = (now, self.simulated)

    def destroy(self) -> None:
        """Take all nodes out of the graph."""
        for node in (self.node, *(robot.node for robot in self.robots)):
            node.destroy_node()


def run(
    simulation: Simulation,
    factor: float,
    seconds: float,
    control_rate: float,
    interpolation: str = "linear",
    companions: Sequence[Callable[[], Node]] = (),
    real: Collection[str] = (),
) -> float:
    """Serve a simulation until the time (simulated s) is over or the process is asked to stop.

    Args:
        simulation: With its robots.
        factor: Simulated over real time.
        seconds: Simulated time to run.
        control_rate: Of commands and joint states, Hz.
        interpolation: Between the points of a trajectory.
        companions: Make nodes that live in the same process; called once ROS is there.
        real: Robots that no adapted description changes.

    Returns:
        Simulated over real time, pauses included.
    """
    with ros_process() as (_, stopping):
        sim_node = SimNode(simulation, factor, control_rate, interpolation, real=real)
        executor = EventsExecutor()  # serves at a thirtieth of the cost of the others, which ask every entity each time
        sim_node.add_to(executor)
        beside = [make() for make in companions]
        for node in beside:
            executor.add_node(node)
        sim_node.tick()  # the first loads what is compiled, which takes a while
        sim_node.node.get_logger().info(f"simulating {', '.join(simulation.robots)}; nothing is paused")
        started, before = time.monotonic(), sim_node.simulated
        while not stopping.is_set() and sim_node.simulated < seconds:
            executor.spin_once(timeout_sec=min(sim_node.wait(), LONGEST_WAIT))
            if sim_node.wait() == 0.0:
                # All that has arrived, also when late: a robot whose gait lags behind the simulation falls.
                serve_arrived(executor)
                sim_node.tick()
        achieved = (sim_node.simulated - before) / max(time.monotonic() - started, 1e-9)
        sim_node.node.get_logger().info(f"stopped at {simulation.time:.2f} s")
        executor.shutdown()
        for node in beside:
            node.destroy_node()
        sim_node.destroy()
        return achieved
