"""Sends the joints of a simulated robot where those of a recorded one were, and tells how well it follows.

./humanoid bag record walk --namespace /fibo_km --seconds 10
./humanoid python examples/replay_a_bag.py fibo_km walk
"""

import sys
from pathlib import Path

import numpy as np

from humanoid_adapt.bag import read_bag
from humanoid_description import load_robot
from humanoid_sim.simulation import Simulation

robot, bag = load_robot(sys.argv[1]), Path(sys.argv[2])
simulation = Simulation(robot)
errors = []
for message in read_bag(bag):
    if message.topic.endswith("/joint_states"):
        state = message.decode()
        recorded = dict(zip(state.name, state.position, strict=True))
        position = np.array([recorded.get(name, 0.0) for name in robot.joint_names])
        if not errors:
            simulation.place(robot.name, position)
            began = message.time_ns
        simulation.command(robot.name, position)
        steps = round((message.time_ns - began) * 1e-9 / simulation.dt) - round(simulation.time / simulation.dt)
        simulation.step(max(0, steps))
        errors.append(simulation.observe(robot.name).joint_position - position)

root_mean_square = np.sqrt(np.mean(np.square(errors), axis=0))
for name, error in zip(robot.joint_names, root_mean_square, strict=True):
    print(f"{name:<22}{np.degrees(error):6.2f} degrees")
became = "fell" if simulation.fallen(robot.name) else "stood"
print(f"{len(errors)} joint states, {simulation.time:.2f} s; the robot {became}")
