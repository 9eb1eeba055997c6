"""Drake's discrete plant with its own contact and joint servos."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydrake.geometry import Box, CollisionFilterDeclaration, GeometrySet, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.multibody.tree import PdControllerGains
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import TrajectorySource
from pydrake.trajectories import PiecewisePolynomial

from humanoid_bringup.bench.task import Outcome, armatures, follow, gains, start_height
from humanoid_description import Robot
from humanoid_description.inertial import GRAVITY
from humanoid_gait.primitives import JointReference

POINT_RADIUS = 1e-3
"""m, of the spheres at the corners of the soles: Drake finds one point per pair of shapes, and a sole needs four."""


def simulate(robot: Robot, reference: JointReference) -> Outcome:
    """Let a robot follow joint references on flat ground."""
    builder = DiagramBuilder()
    plant, scene_graph = AddMultibodyPlantSceneGraph(builder, time_step=reference.dt)
    (model,) = Parser(plant).AddModelsFromString(robot.urdf, "urdf")
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -GRAVITY])
    for index, name in enumerate(robot.joint_names):
        stiffness, damping, limit = (gain[index] for gain in gains(robot, robot.joint_names))
        actuator = plant.AddJointActuator(name, plant.GetJointByName(name, model), limit)
        actuator.set_default_rotor_inertia(armatures(robot, robot.joint_names)[index])
        actuator.set_default_gear_ratio(1.0)
        actuator.set_controller_gains(PdControllerGains(p=stiffness, d=damping))
    _touch_ground(robot, plant, scene_graph, model)
    times = np.arange(len(reference.position) + 1) * reference.dt
    targets = PiecewisePolynomial.FirstOrderHold(times, np.vstack([reference.position, reference.position[-1:]]).T)
    source = builder.AddSystem(TrajectorySource(targets, output_derivative_order=1))
    builder.Connect(source.get_output_port(), plant.get_desired_state_input_port(model))
    simulator = Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    base = plant.GetBodyByName(robot.base_model.root, model)
    plant.SetFreeBodyPose(context, base, RigidTransform([0, 0, start_height(robot, reference.position[0])]))
    for name, angle in zip(robot.joint_names, reference.position[0], strict=True):
        plant.GetJointByName(name, model).set_angle(context, angle)
    simulator.Initialize()

    def advance(_: int, stop: int) -> None:
        simulator.AdvanceTo(stop * reference.dt)

    return follow(reference, advance, lambda: base.EvalPoseInWorld(context).GetAsMatrix4())


def _touch_ground(robot: Robot, plant: Any, scene_graph: Any, model: Any) -> None:
    """Lay the ground, let the feet touch it with their corners and the body with its shapes, and close the plant."""
    mu = robot.parameters.contact.friction
    friction = CoulombFriction(mu, mu)
    ground = plant.RegisterCollisionGeometry(
        plant.world_body(), RigidTransform([0, 0, -0.5]), Box(40, 40, 1), "ground", friction
    )
    feet = {plant.GetBodyByName(foot.link, model): foot for foot in robot.parameters.feet.values()}
    corners = [
        plant.RegisterCollisionGeometry(
            body,
            RigidTransform(np.add(corner, [0, 0, POINT_RADIUS])),
            Sphere(POINT_RADIUS),
            f"corner_{index}",
            friction,
        )
        for body, foot in feet.items()
        for index, corner in enumerate(foot.corners_in_foot)
    ]
    plant.Finalize()
    bodies = [plant.get_body(index) for index in plant.GetBodyIndices(model)]
    shapes = {body: plant.GetCollisionGeometriesForBody(body) for body in bodies}
    soles = [shape for body in feet for shape in shapes[body] if shape not in corners]
    apart = CollisionFilterDeclaration()
    apart.ExcludeWithin(GeometrySet([shape for own in shapes.values() for shape in own]))
    apart.ExcludeBetween(GeometrySet(soles), GeometrySet([ground]))
    scene_graph.collision_filter_manager().Apply(apart)
