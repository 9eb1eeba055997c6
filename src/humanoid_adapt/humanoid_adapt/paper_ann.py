"""Seed 000, section V.C: three masses from two falling angles and the hint M_p where the load is, by a perceptron.

The hint is 0 for a load on the legs, 1 for none, 2 for one on the body, as in Table VI.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from humanoid_adapt.fall_test import FallTest
from humanoid_adapt.limbs import as_array
from humanoid_adapt.perceptron import Perceptron, train
from humanoid_adapt.population import Specimen, draw
from humanoid_adapt.tipping import Tipping
from humanoid_description import Inertial, Robot

Array = NDArray[np.float64]
TRAINING_ROBOTS = 100
TRAINING_SEED = 1_000_000
"""First seed of the robots that the network is trained on; evaluated robots have smaller ones."""
FORWARD, BACKWARD = FallTest("forward", "both", "forward"), FallTest("backward", "both", "backward")


def falling_angles(robot: Robot, joint_zeros: Array | None = None) -> tuple[float, float]:
    """Ankle angles forward and backward at which a standing robot tips, rad, in whole counts if the servo has them."""
    zeros = np.zeros(robot.dof) if joint_zeros is None else joint_zeros
    stand = as_array(robot, robot.parameters.stand)
    tipping = Tipping(robot)
    counts = [robot.parameters.servos[joint.servo].resolution or 0.0 for joint in robot.parameters.joints.values()]
    count = max(counts)
    angles = []
    for test in (FORWARD, BACKWARD):
        angle = tipping.ramp_angle(test, stand - zeros)
        angles.append(count * round(angle / count) if count else angle)
    return angles[0], angles[1]


def hint(specimen: Specimen) -> float:
    """M_p, which a person tells."""
    return 0.0 if specimen.place in specimen.bare.parameters.legs else 2.0


def train_on_robots(drawing: Robot, count: int = TRAINING_ROBOTS) -> Perceptron:
    """Network trained on the falling angles of simulated robots."""
    inputs, targets = [], []
    for index in range(count):
        specimen = draw(drawing, TRAINING_SEED + index)
        inputs.append([*falling_angles(specimen.robot, specimen.joint_zeros), hint(specimen)])
        masses = specimen.robot.three_mass(drawing.parameters.stand).masses
        targets.append(np.concatenate([mass.com_in_base for mass in masses]))
    return train(np.array(inputs), np.array(targets), seed=0)


def ann_com(network: Perceptron, specimen: Specimen) -> Array:
    """Centre of mass in the base's frame, m, from the network's three places and the true three masses."""
    angles = falling_angles(specimen.robot, specimen.joint_zeros)
    places = network(np.array([*angles, hint(specimen)])).reshape(3, 3)
    masses = np.array([mass.mass for mass in specimen.robot.three_mass(specimen.robot.parameters.stand).masses])
    return np.asarray(masses @ places / masses.sum())


def with_com(robot: Robot, com_in_base: Array) -> Robot:
    """The robot with its base link's centre of mass moved so that the whole one is where it shall be when standing."""
    root = robot.base_model.root
    body = robot.inertials[root]
    shift = (com_in_base - robot.com_in_base(robot.parameters.stand)) * robot.mass / body.mass
    return robot.with_inertials({root: Inertial(body.mass, body.com_in_link + shift, body.inertia_about_com)})
