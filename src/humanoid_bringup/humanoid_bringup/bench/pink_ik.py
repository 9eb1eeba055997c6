"""Pink on Pinocchio: a quadratic program per iteration, set up in Python."""

from __future__ import annotations

import time

import numpy as np
import pink
import pinocchio

from humanoid_bringup.bench.leg_targets import MAX_ITERATIONS, START, STEP_TOLERANCE, Solution, Targets


def solve(targets: Targets) -> Solution:
    """Find the angles for all targets, each from START on."""
    names = targets.leg.joint_names
    whole = pinocchio.buildModelFromXML(targets.robot.urdf)
    others = [whole.getJointId(name) for name in list(whole.names)[1:] if name not in names]
    model = pinocchio.buildReducedModel(whole, others, pinocchio.neutral(whole))
    # The closed form has no limits.
    model.lowerPositionLimit, model.upperPositionLimit = np.full(model.nq, -np.inf), np.full(model.nq, np.inf)
    columns = [model.joints[model.getJointId(name)].idx_q for name in names]
    start = np.zeros(model.nq)
    start[columns] = START
    task = pink.tasks.FrameTask(targets.foot, position_cost=1.0, orientation_cost=1.0)
    configuration = pink.Configuration(model, model.createData(), start)
    angles, cpu_times = np.zeros((len(targets.T_base_foot), len(names))), []
    for index, T_base_foot in enumerate(targets.T_base_foot):
        started = time.process_time()
        configuration.update(start)
        task.set_target(pinocchio.SE3(T_base_foot))
        for _ in range(MAX_ITERATIONS):
            step = pink.solve_ik(configuration, [task], dt=1.0, solver="daqp", limits=[])
            configuration.integrate_inplace(step, 1.0)
            if np.abs(step).max() < STEP_TOLERANCE:
                break
        angles[index] = configuration.q[columns]
        cpu_times.append(time.process_time() - started)
    return Solution(angles, tuple(cpu_times))
