"""A robot with other servos or another ground than its robot.yaml gives it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from types import MappingProxyType

from humanoid_description import Robot
from humanoid_description.parameters import Servo


def with_servos(robot: Robot, joints: Iterable[str], change: Callable[[Servo], Servo]) -> Robot:
    """The robot with the servos of some joints changed."""
    servos, changed_joints = dict(robot.parameters.servos), dict(robot.parameters.joints)
    for name in joints:
        joint = robot.parameters.joints[name]
        servos[f"{joint.servo}_changed"] = change(servos[joint.servo])
        changed_joints[name] = dataclasses.replace(joint, servo=f"{joint.servo}_changed")
    parameters = dataclasses.replace(
        robot.parameters, servos=MappingProxyType(servos), joints=MappingProxyType(changed_joints)
    )
    return dataclasses.replace(robot, parameters=parameters)


def with_ground(robot: Robot, **factors: float) -> Robot:
    """The robot on other ground: coefficients of humanoid_description's Contact, by name, times factors."""
    contact = robot.parameters.contact
    values = {name: factor * getattr(contact, name) for name, factor in factors.items()}
    changed = dataclasses.replace(contact, **values)
    return dataclasses.replace(robot, parameters=dataclasses.replace(robot.parameters, contact=changed))
