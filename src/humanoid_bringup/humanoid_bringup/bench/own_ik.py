"""This suite's inverse kinematics, in closed form: all targets at once, and each by itself."""

from __future__ import annotations

import time

import numpy as np

from humanoid_bringup.bench.leg_targets import Solution, Targets
from humanoid_gait import leg_ik


def all_at_once(targets: Targets) -> Solution:
    """Find the angles for all targets in one call, as a gait that is planned ahead does."""
    ankle_in_base, R_base_foot = targets.T_base_foot[:, :3, 3], targets.T_base_foot[:, :3, :3]
    started = time.process_time()
    angles, _ = leg_ik.solve(targets.leg, ankle_in_base, R_base_foot)
    return Solution(angles, (time.process_time() - started,))


def one_by_one(targets: Targets) -> Solution:
    """Find the angles for each target in a call of its own, as solvers that iterate do."""
    angles, cpu_times = np.zeros((len(targets.T_base_foot), len(targets.leg.joint_names))), []
    for index, T_base_foot in enumerate(targets.T_base_foot):
        started = time.process_time()
        angles[index], _ = leg_ik.solve(targets.leg, T_base_foot[:3, 3], T_base_foot[:3, :3])
        cpu_times.append(time.process_time() - started)
    return Solution(angles, tuple(cpu_times))
