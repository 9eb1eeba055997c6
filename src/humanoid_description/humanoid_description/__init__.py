"""What the robots are: their description, the arithmetic of their masses, and their ROS face."""

from humanoid_description.errors import RobotError
from humanoid_description.inertial import Inertial, inertial
from humanoid_description.payload import Payload, parse_payload
from humanoid_description.robot import Robot, load_robot, robot_names

__all__ = ["Inertial", "Payload", "Robot", "RobotError", "inertial", "load_robot", "parse_payload", "robot_names"]
