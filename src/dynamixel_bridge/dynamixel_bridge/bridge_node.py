"""The real robot in ROS 2: the same topics and services as a simulated one, and battery and servo diagnostics."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rclpy.context import Context
from rclpy.experimental import EventsExecutor
from rclpy.node import Node
from sensor_msgs.msg import BatteryState

from dynamixel_bridge.bridge import Bridge
from dynamixel_bridge.bus import SUSPECT
from dynamixel_bridge.device import Device, Servo
from dynamixel_bridge.links import SerialLinks
from dynamixel_bridge.safety import Limits
from humanoid_description import Robot
from humanoid_description.arrivals_node import serve_arrived
from humanoid_description.process_node import ros_process
from humanoid_description.robot_interface import STREAM, RobotHandlers, RobotInterface

DIAGNOSTICS_PERIOD = 1.0
"""s."""
LONGEST_WAIT = 0.1
"""s after which it is looked whether the process shall end."""
RELAX_SECONDS = 1.0
"""How long the servos are asked in the end whether they are off, s."""
RELAX_PAUSE = 0.002
"""s between these questions."""


class BridgeNode:
    """One robot on its servo buses, and its ROS face."""

    def __init__(
        self,
        bridge: Bridge,
        namespace: str,
        period: float,
        context: Context | None = None,
        stamp: Callable[[], Time] | None = None,
    ) -> None:
        """Bring a bridge into ROS.

        Args:
            bridge: On its ports.
            namespace: Of the robot.
            period: Of a cycle, s.
            context: Of rclpy; the default one if not given.
            stamp: Tells the time for messages; that of ROS if not given.
        """
        self.bridge = bridge
        self.node = Node("robot", namespace=namespace, context=context)
        handlers = RobotHandlers(follow=bridge.follow, set_torque=self._set_torque, stop=bridge.stop)
        self.interface = RobotInterface(self.node, bridge.robot, handlers)
        self._battery = self.node.create_publisher(BatteryState, "battery", STREAM)
        self._stamp = stamp or (lambda: self.node.get_clock().now().to_msg())
        self._period = period
        self._next = time.monotonic()
        self._reported = (time.monotonic(), 0)
        self._cycles = 0
        self._told = ""
        self._told_silent: list[str] = []

    def _set_torque(self, enabled: bool) -> str:
        if not enabled:
            self.bridge.relax("switched off by the service torque")
            silent = self.silent()
            if silent:
                return f"servos are told to switch off, again and again until these answer too: {', '.join(silent)}"
            return "servos are off"
        self.bridge.enable()
        return "servos are on, starting from the pose they were found in"

    def wait(self) -> float:
        """Seconds until the next cycle is due."""
        return max(0.0, self._next - time.monotonic())

    def devices(self) -> dict[str, Device]:
        """All devices of the robot by name: its joints, and 'imu' if it has one."""
        bridge = self.bridge
        found: dict[str, Device] = dict(zip(bridge.robot.joint_names, bridge.servos, strict=True))
        return found if bridge.imu is None else found | {"imu": bridge.imu}

    def silent(self) -> list[str]:
        """Devices that have not answered for some cycles, each with its id."""
        return [f"{name} (id {one.id})" for name, one in self.devices().items() if one.silent_cycles >= SUSPECT]

    def tick(self) -> None:
        """Run a cycle and publish what it read."""
        now = time.monotonic()
        self._next = self._next + self._period if self._next + self._period > now else now + self._period
        self.bridge.cycle()
        self._cycles += 1
        stamp = self._stamp()
        bridge = self.bridge
        fresh = bridge.fresh
        if bridge.imu is not None and bridge.imu.fresh:  # before the joint states, at which a gait begins to think
            self.interface.publish_imu(stamp, bridge.imu.turning, bridge.imu.acceleration)
        if fresh.any():
            self.interface.publish_joint_states(stamp, bridge.position, bridge.velocity, bridge.effort, fresh)
        told = f"{bridge.safety.mode}: {bridge.safety.reason}" + "".join(f"; {why}" for why in bridge.absent.values())
        if bridge.safety.mode == "ramping":
            told += f"; torque came on {math.degrees(bridge.largest_first_step):.2f} degrees from the pose at most"
        if told != self._told:
            self.node.get_logger().info(told)
            self._told = told
        if now - self._reported[0] >= DIAGNOSTICS_PERIOD:
            self._report(stamp, now)

    def _report(self, stamp: Time, now: float) -> None:
        then, cycles = self._reported
        self._reported = (now, self._cycles)
        rate = (self._cycles - cycles) / (now - then)
        bridge = self.bridge
        voltages = [servo.voltage for servo in bridge.servos if math.isfinite(servo.voltage)]
        if voltages:
            battery = BatteryState(voltage=sum(voltages) / len(voltages), present=True)
            battery.header.stamp = stamp
            battery.percentage = battery.current = battery.charge = battery.capacity = math.nan
            battery.design_capacity = math.nan
            self._battery.publish(battery)
        values = {"rate": f"{rate:.1f}", "mode": bridge.safety.mode}
        values["first step, degrees"] = f"{math.degrees(bridge.largest_first_step):.3f}"
        for port, bus in bridge.buses.items():
            values |= {f"{port}: {what}": str(count) for what, count in bus.counts.items()}
        maybe_on = bridge.maybe_on
        level = DiagnosticStatus.ERROR if bridge.absent or maybe_on else DiagnosticStatus.OK
        if bridge.safety.mode == "soft" or rate < 0.95 / self._period:
            level = max(level, DiagnosticStatus.WARN)
        messages = [f"{bridge.safety.mode}: {bridge.safety.reason}", *bridge.absent.values()]
        if maybe_on:
            messages.append(f"not known to be off, and told again: {', '.join(maybe_on)}")
        name = self.node.get_fully_qualified_name()
        statuses = [_status(f"{name}: bridge", level, "; ".join(messages), bridge.robot.name, values)]
        statuses += [_device_status(f"{name}: {which}", device) for which, device in self.devices().items()]
        self.interface.publish_diagnostics(stamp, statuses)
        self._tell_silent()

    def _tell_silent(self) -> None:
        """Log who is silent when that has changed: whoever started the bridge may not look at diagnostics."""
        silent = self.silent()
        if silent and silent != self._told_silent:
            robot = self.bridge.robot.name
            remedy = f"Stop this and run './humanoid bridge check {robot} --port ...', which finds out why."
            self.node.get_logger().error(f"no answer from {', '.join(silent)}. {remedy}")
        self._told_silent = silent

    def relax_for_good(self) -> None:
        """Switch the servos off before the bridge ends, and see that they are."""
        self.bridge.relax("the bridge ends")
        end = time.monotonic() + RELAX_SECONDS
        while self.bridge.maybe_on and time.monotonic() < end:
            self.bridge.cycle()
            time.sleep(RELAX_PAUSE)
        if self.bridge.maybe_on:
            which = ", ".join(self.bridge.maybe_on)
            self.node.get_logger().error(f"not known to be off: {which}. Switch the robot's power off.")

    def destroy(self) -> None:
        """Take the node out of the graph."""
        self.node.destroy_node()


def _device_status(name: str, device: Device) -> DiagnosticStatus:
    if device.silent_cycles > 0:
        level, message = DiagnosticStatus.STALE, f"silent for {device.silent_cycles} cycles"
    elif device.errors:
        level, message = DiagnosticStatus.ERROR, ", ".join(device.errors)
    else:
        level, message = DiagnosticStatus.OK, "answers"
    values = {what: str(count) for what, count in device.counts.items()}
    if isinstance(device, Servo):
        values["temperature, degC"] = f"{device.temperature:.0f}"
        values |= {"voltage, V": f"{device.voltage:.1f}", "torque": str(device.torque_on)}
    return _status(name, level, message, f"{device.model.name} id {device.id}", values)


def _status(name: str, level: bytes, message: str, hardware: str, values: Mapping[str, str]) -> DiagnosticStatus:
    pairs = [KeyValue(key=key, value=value) for key, value in values.items()]
    return DiagnosticStatus(level=level, name=name, message=message, hardware_id=hardware, values=pairs)


def run(
    robot: Robot,
    ports: Mapping[str, str],
    namespace: str,
    limits: Limits,
    rate: float,
    seconds: float,
    patience: float,
    relax_at_end: bool,
) -> None:
    """Serve a robot until the time (s) is over or the process is asked to stop.

    Args:
        robot: With a section `bus`.
        ports: Path of the port by the name of the bus.
        namespace: Of the robot.
        limits: Of safe work.
        rate: Cycles per second.
        seconds: How long.
        patience: With a silent servo, s beyond the line's own time.
        relax_at_end: Whether the servos are switched off in the end, and by themselves should this process die.
    """
    with ros_process() as (_, stopping):
        links = SerialLinks(ports, robot.parameters.servo_bus.baud)
        bridge = Bridge(robot, links, limits, period=1 / rate, patience=patience, relax_on_loss=relax_at_end)
        node = BridgeNode(bridge, namespace, 1 / rate)
        executor = EventsExecutor()  # at a thirtieth of the cost of the others: the bus needs the time
        executor.add_node(node.node)
        end = time.monotonic() + seconds
        try:
            while not stopping.is_set() and time.monotonic() < end:
                executor.spin_once(timeout_sec=min(node.wait(), LONGEST_WAIT))
                if node.wait() == 0.0:
                    # All that has arrived, also when late: the newest command counts.
                    serve_arrived(executor)
                    node.tick()
        finally:
            if relax_at_end:
                node.relax_for_good()
            executor.shutdown()
            node.destroy()
            links.close()
