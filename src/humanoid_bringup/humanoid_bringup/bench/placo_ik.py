"""placo: a quadratic program per iteration, in compiled code."""

from __future__ import annotations

import time

import numpy as np
import placo

from humanoid_bringup.bench.leg_targets import MAX_ITERATIONS, START, STEP_TOLERANCE, Solution, Targets


def solve(targets: Targets) -> Solution:
    """Find the angles for all targets, each from START on."""
    names = targets.leg.joint_names
    robot = placo.RobotWrapper("", placo.Flags.ignore_collisions, targets.robot.urdf)
    solver = placo.KinematicsSolver(robot)
    solver.mask_fbase(True)
    for name in set(robot.joint_names()) - set(names):
        solver.mask_dof(name)
    solver.enable_joint_limits(False)  # the closed form has none
    task = solver.add_frame_task(targets.foot, np.eye(4))
    task.configure("foot", "soft", 1.0, 1.0)
    angles, cpu_times = np.zeros((len(targets.T_base_foot), len(names))), []
    for index, T_base_foot in enumerate(targets.T_base_foot):
        started = time.process_time()
        for name, angle in zip(names, START, strict=True):
            robot.set_joint(name, angle)
        task.T_world_frame = T_base_foot
        for _ in range(MAX_ITERATIONS):
            robot.update_kinematics()
            if np.abs(solver.solve(True)).max() < STEP_TOLERANCE:
                break
        angles[index] = [robot.get_joint(name) for name in names]
        cpu_times.append(time.process_time() - started)
    return Solution(angles, tuple(cpu_times))
